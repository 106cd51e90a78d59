"""Answers to the exercises of s13: the solution with one place changed, or another one."""

COUNTER = """
class MaterialCounter:
    values = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 0}

    def init(self, board):
        self.board, self.stack = board, [0]
        for piece in board.piece_map().values():
            self.stack[0] += self.values[piece.piece_type] * (1 if piece.color else -1)

    def push(self, move):
        board, change = self.board, 0
        if move and board.is_capture(move):
            kind = board.piece_type_at(move.to_square) or chess.PAWN
            change = self.values[kind]
        if move.promotion:
            change += self.values[move.promotion] - 1
        self.stack.append(self.stack[-1] + (change if board.turn else -change))

    def pop(self):
        del self.stack[-1]

    def score(self):
        return self.stack[-1]
"""
FILES = """
class PawnFiles:
    def init(self, board):
        sides = (chess.BLACK, chess.WHITE)
        self.board = board
        self.stack = [
            [[len(board.pieces(1, s) & chess.BB_FILES[f]) for f in range(8)] for s in sides]
        ]

    def push(self, move):
        board, now = self.board, [list(side) for side in self.stack[-1]]
        if move and not board.is_castling(move):
            me, goal = board.turn, chess.square_file(move.to_square)
            if board.is_capture(move):
                if board.piece_type_at(move.to_square) in (None, chess.PAWN):
                    now[not me][goal] -= 1
            if board.piece_type_at(move.from_square) == chess.PAWN:
                now[me][chess.square_file(move.from_square)] -= 1
                if not move.promotion:
                    now[me][goal] += 1
        self.stack.append(now)

    def pop(self):
        self.stack.pop()

    def files(self, colour):
        return self.stack[-1][colour]
"""
GLANCE = """
def sees_a_move(board):
    if board.is_check():
        return False
    king, own = board.king(board.turn), board.occupied_co[board.turn]
    for square in chess.scan_forward(own & ~board.kings):
        line = chess.ray(king, square)
        kind = board.piece_type_at(square)
        if kind == chess.PAWN:
            goal = square + (8 if board.turn else -8)
            free = not board.occupied & chess.BB_SQUARES[goal]
            if free and (not line or chess.square_file(king) == chess.square_file(square)):
                return True
        elif not line and board.attacks_mask(square) & ~own:
            return True
    return False
"""

RIGHT = [
    ("s13-1", "", 'gains = {"exd6": 125, "bxa8=Q+": 1230, "O-O-O": 15, "Rxa8+": 500}'),
    ("s13-1", "(500 - 500) + 500", "500.0"),
    ("s13-2", "", COUNTER),
    (
        "s13-2",
        "(won if board.turn else -won)",
        "(1 if board.turn == chess.WHITE else -1) * won",
    ),
    ("s13-3", "a8=N", "a8=R"),
    (
        "s13-3",
        '("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "O-O-O")',
        '("r3k3/8/8/8/8/8/8/R3K3 b Qq - 0 1", "O-O-O")',
    ),
    ("s13-4", "", FILES),
    ("s13-4", "return list(self._files[colour])", "return tuple(self._files[colour])"),
    ("s13-4", "        if move:", "        if not board.is_castling(move):"),
    ("s13-5", "", GLANCE),
    ("s13-5", "king is None or board.is_check()", "board.is_check() or king is None"),
]

WRONG = [
    ("s13-1", "(130 - 125) + 120", "130 - 125", "disappears from d5"),
    ("s13-1", "(130 - 125) + 120", "(130 - 125) + 100", "not from d6"),
    ("s13-1", "(880 - 150) + 500", "880 + 500", "a pawn disappears from b7"),
    ("s13-1", "(880 - 150) + 500", "(880 - 150) - 500", "Black's rook from a8"),
    ("s13-1", "(10 - 0) + (5 - 0)", "10 - 0", "King and rook move"),
    ("s13-1", "(10 - 0) + (5 - 0)", "(30 - 0) + (5 - 0)", "e1 to c1"),
    ("s13-1", "(500 - 500) + 500", "500 - 500", "what is won"),
    ("s13-2", "self._scores[-1] + (won", "material(board) + (won", "not count the board again"),
    ("s13-2", "self._scores[-1] + (won", "material(board.copy()) + (won", "counted after init"),
    ("s13-2", "(won if board.turn else -won)", "won", "a piece of White disappears"),
    ("s13-2", "move and not board.is_castling(move)", "move", "Castling takes nothing"),
    ("s13-2", "move and not board.is_castling(move)", "not board.is_castling(move)", "null"),
    ("s13-2", "self._scores.pop()", "pass", "on your stack before"),
    (
        "s13-2",
        "self._scores.pop()",
        "self._scores[:] = [material(self._board)]",
        "pop must not count",
    ),
    ("s13-2", "", COUNTER.replace("or chess.PAWN", "or chess.KING"), "En passant"),
    ("s13-2", "", COUNTER.replace("if move.promotion", "if False"), "A promotion"),
    ("s13-2", "", COUNTER.replace("[move.promotion] - 1", "[move.promotion]"), "A promotion"),
    (
        "s13-2",
        "",
        COUNTER.replace("        self.stack.append", "        if move: self.stack.append"),
        "null",
    ),
    ("s13-3", "a8=N", "a8=Q", "whatever the pawn becomes"),
    (
        "s13-3",
        'R3K3 w Q - 0 1", "O-O-O"',
        '4K2R w K - 0 1", "O-O"',
        "two squares worth the same",
    ),
    (
        "s13-3",
        '"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "dxe3"',
        '"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6"',
        "For one side that is right",
    ),
    ("s13-3", "3pP3/8/8/4K3 b - e3", "3pP3/8/8/4K3 b - -", "illegal san"),
    ("s13-3", "8/P3k3/8", "P7/4k3/8", "not a legal position"),
    ("s13-3", '    "castling"', '    "castle"', "no entry for 'castling'"),
    ("s13-4", " or board.is_en_passant(move)", "", "En passant"),
    ("s13-4", "if not move.promotion:", "if True:", "A promotion"),
    ("s13-4", "enemy_pawns = board.pieces(chess.PAWN, not turn)", "enemy_pawns = ()", "A capture"),
    (
        "s13-4",
        "changes.append((not turn, to_file, -1))",
        "changes.append((turn, to_file, -1))",
        "capture",
    ),
    ("s13-4", "self._files[colour][file] -= change", "pass", "on your stack before"),
    ("s13-4", "self._files[colour][file] += change", "pass", "A capture"),
    ("s13-5", "", "sees_a_move = surely_moves", "off its king's lines"),
    ("s13-5", "own & ~LINES[king]", "own & ~chess.BB_SQUARES[king]", "pinned"),
    ("s13-5", "own & ~LINES[king]", "own & ~chess.BB_DIAG_ATTACKS[king][0]", "on the file"),
    (
        "s13-5",
        "own & ~LINES[king]",
        "own & ~(LINES[king] & ~chess.BB_RANK_ATTACKS[king][0])",
        "on the rank",
    ),
    (
        "s13-5",
        "own & ~LINES[king]",
        "own & ~(LINES[king] & ~(board.knights & chess.BB_DIAG_ATTACKS[king][0]))",
        "The knight is pinned on the diagonal",
    ),
    (
        "s13-5",
        "own & ~LINES[king]",
        "own & ~(LINES[king] & ~(board.bishops & chess.BB_RANK_ATTACKS[king][0]))",
        "The bishop is pinned on the rank",
    ),
    (
        "s13-5",
        "own & chess.BB_FILE_ATTACKS[king][0]",
        "own & (chess.BB_FILE_ATTACKS[king][0] | chess.BB_RANK_ATTACKS[king][0])",
        "The pawn is pinned on the rank",
    ),
    ("s13-5", " or board.is_check()", "", "in check"),
    (
        "s13-5",
        "",
        "def sees_a_move(board):\n    own = board.occupied_co[board.turn]\n    return not "
        "board.is_check() and bool(own & ~LINES[board.king(board.turn)])",
        "Pawns block each other",
    ),
    ("s13-5", "steps & ~board.occupied", "steps", "blocked"),
    ("s13-5", "pawns << 8 if board.turn == chess.WHITE else pawns >> 8", "pawns << 8", "Black"),
    ("s13-5", "chess.scan_forward(free & ~board.pawns)", "()", "off its king's lines"),
    ("s13-5", "", "def sees_a_move(board):\n    return any(board.legal_moves)", "Do not generate"),
]
