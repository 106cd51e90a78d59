"""Answers to the exercises of s12: the solution with one place changed, or another one."""

BEST = """
def best_squares(kind, colour):
    table = [TABLES[kind][square if colour else square ^ 56] for square in range(64)]
    top = max(table)
    return {square for square in range(64) if table[square] == top}
"""
EXPLAIN = """
def explain(board):
    return {
        kind: sum(
            SQUARE_VALUES[colour][kind][square]
            for colour in chess.COLORS
            for square in board.pieces(kind, colour)
        )
        for kind in chess.PIECE_TYPES
    }
"""
KING = """
class EndgameKingEvaluator(PieceSquareEvaluator):
    def heuristic(self, board):
        score = super().heuristic(board)
        if not board.queens:
            table = read_table(KING_ENDGAME_TABLE)
            for colour in chess.COLORS:
                square = board.king(colour)
                seen = square if colour else square ^ 56
                change = table[seen] - TABLES[chess.KING][seen]
                score += change if colour == board.turn else -change
        return score
"""
PROFILE = """
def read_profile(rows, recursive=None):
    total, worst = 0, None
    for row in rows:
        if row.line == recursive:
            continue
        total += row.time
        if worst is None or row.time > worst.time:
            worst = row
    if total == 0:
        raise ValueError(rows)
    share = worst.time / total
    return worst.line, share, float("inf") if worst.time == total else 1 / (1 - share)
"""
FRUGAL = """
class FrugalEvaluator(PieceSquareEvaluator):
    def heuristic(self, board):
        score = 0
        for square in chess.SquareSet(board.occupied):
            colour = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[square])
            score += self.values[colour][board.piece_type_at(square)][square]
        return score if board.turn else -score
"""
VISITS = """
from collections import Counter


def visits(kind, boards):
    seen = Counter()
    for board in boards:
        for square, piece in board.piece_map().items():
            if piece.piece_type == kind:
                seen[square if piece.color else square ^ 56] += 1
    return [seen[square] for square in chess.SQUARES]


class LearnedEvaluator(PieceSquareEvaluator):
    def __init__(self):
        tables, boards = dict(TABLES), []
        for line in lines():
            board = chess.Board()
            for move in line.moves:
                board.push(move)
            boards.append(board)
        for kind in (chess.KNIGHT, chess.BISHOP):
            counts = visits(kind, boards)
            tables[kind] = [round(100 * count / max(counts)) - 50 for count in counts]
        super().__init__(square_values(CENTIPAWNS, tables))
"""

RIGHT = [
    (
        "s12-1",
        "",
        'worth = {"white pawn on d4": 120.0, "white rook on a7": 505,'
        ' "black bishop on b7": -335, "black king on g8": -20030}',
    ),
    ("s12-1", "-(330 + 5)", "-330 - 5"),
    ("s12-2", "", BEST),
    ("s12-2", "worth[s] == max(worth)", "worth[s] >= max(worth)"),
    ("s12-3", "", EXPLAIN),
    ("s12-3", "dict.fromkeys(chess.PIECE_TYPES, 0)", "{kind: 0 for kind in range(1, 7)}"),
    ("s12-4", "", KING),
    ("s12-4", "if board.queens:", "if board.queens != 0:"),
    ("s12-5", "", PROFILE),
    ("s12-5", "if not total:", "if total <= 0:"),
    ("s12-6", "", FRUGAL),
    ("s12-6", "board.pieces_mask(kind, colour)", "int(board.pieces(kind, colour))"),
    ("s12-7", "", VISITS),
    ("s12-7", "chess.square_mirror(square)", "square ^ 56"),
]

WRONG = [
    ("s12-1", "100 + 20", "100 + 25", "the eighth rank is on top"),
    ("s12-1", "500 + 5", "5", "Add the entry of the table"),
    ("s12-1", "-(330 + 5)", "330 + 5", "The sign is wrong"),
    ("s12-6", "self.values[colour]", "SQUARE_VALUES[colour]", "add up self.values"),
    ("s12-1", "-(330 + 5)", "-(330 - 5)", "with its sign"),
    ("s12-1", "-(20000 + 30)", "-(20000 - 40)", "Turn the square over"),
    ("s12-2", "abs(entry)", "entry", "A black pawn"),
    ("s12-2", "worth[s] == max(worth)", "worth[s] == min(worth)", "you have"),
    ("s12-2", "SQUARE_VALUES[colour]", "SQUARE_VALUES[chess.WHITE]", "A black pawn"),
    ("s12-2", "", BEST.replace(" if colour else square ^ 56", ""), "A black pawn"),
    (
        "s12-2",
        "chess.SquareSet(s for s in chess.SQUARES if worth[s] == max(worth))",
        "chess.SquareSet([worth.index(max(worth))])",
        "is worth most on",
    ),
    ("s12-3", "dict.fromkeys(chess.PIECE_TYPES, 0)", "{}", "KeyError"),
    (
        "s12-3",
        "",
        EXPLAIN.replace("for kind in chess.PIECE_TYPES", "for kind in {1, 2, 3, 4, 5}"),
        "Expected six keys",
    ),
    ("s12-3", "SQUARE_VALUES[piece.color]", "SQUARE_VALUES[board.turn]", "whoever is to move"),
    ("s12-3", "", EXPLAIN.replace("kind: sum(", "kind: -sum("), "White's view"),
    (
        "s12-3",
        "",
        EXPLAIN.replace("SQUARE_VALUES[colour]", "SQUARE_VALUES[chess.WHITE]"),
        "the parts add up",
    ),
    (
        "s12-3",
        "    return parts",
        "    sign = 1 if board.turn else -1\n"
        "    return {kind: sign * part for kind, part in parts.items()}",
        "White's view",
    ),
    ("s12-4", "if board.queens:", "if not board.queens:", "there is no queen"),
    ("s12-4", "if board.queens:", "if True:", "Use the new table"),
    ("s12-4", "if board.queens:", "if False:", "there is a queen"),
    ("s12-4", "if board.queens:", "if board.queens | board.rooks:", "RNB5 w - - 0 1 there is no"),
    ("s12-4", "return self.endgame", "return -self.endgame", "expected 90"),
    ("s12-4", "", KING.replace(" if colour else square ^ 56", ""), "there is no queen"),
    ("s12-4", "", KING.replace("for colour in chess.COLORS", "for colour in [board.turn]"), "both"),
    (
        "s12-4",
        "",
        KING.replace("change if colour == board.turn else -change", "change"),
        "no queen",
    ),
    ("s12-4", "", KING.replace("not board.queens", "not board.pieces(5, board.turn)"), "a queen"),
    ("s12-5", "row.line != recursive", "True", "where the function calls itself"),
    ("s12-5", "key=lambda row: row.time", "key=lambda row: row.hits", "runs most often"),
    (
        "s12-5",
        "    total = sum(row.time for row in rows)",
        "    total = sum(row.time for row in rows) + 400",
        "its share is 0.6",
    ),
    ("s12-5", "total / rest if rest else math.inf", "total / worst.time", "at most 2.5 times"),
    ("s12-5", "total / rest if rest else math.inf", "total / rest", "ZeroDivisionError"),
    (
        "s12-5",
        'raise ValueError(f"expected a line that takes time, got {rows}")',
        "return 0, 0, 1",
        "expected a ValueError",
    ),
    (
        "s12-5",
        "max(rows, key=lambda row: row.time)",
        "sorted(rows, key=lambda row: row.time)[-1]",
        "expected the first",
    ),
    ("s12-6", "score if board.turn == chess.WHITE else -score", "score", "the score is"),
    ("s12-6", "for colour in chess.COLORS", "for colour in [board.turn]", "the score is"),
    (
        "s12-6",
        "for kind in chess.PIECE_TYPES",
        "for kind in chess.PIECE_TYPES[:-1]",
        "the score is",
    ),
    ("s12-6", "self.values[colour][kind]", "self.values[chess.WHITE][kind]", "the score is"),
    (
        "s12-6",
        "",
        FRUGAL.replace("board.piece_type_at(square)", "board.piece_at(square).piece_type"),
        "piece_at builds an object",
    ),
    ("s12-6", "", "class FrugalEvaluator(PieceSquareEvaluator):\n    pass", "piece_map builds"),
    ("s12-7", "(chess.KNIGHT, chess.BISHOP):\n ", "TABLES:\n ", "stay"),
    ("s12-7", "chess.square_mirror(square)", "square", "Black's are counted on the mirrored"),
    ("s12-7", "board.pieces(kind, chess.BLACK)", "()", "four knights"),
    ("s12-7", "round(10 * (log - middle))", "round(20 * (log - middle))", "between -50 and 50"),
    ("s12-7", "tables[kind] = [round(10 * (log - middle)) for log in logs]", "pass", "learn it"),
    (
        "s12-7",
        "in visits(kind, boards)]",
        "in visits(kind, [b.transform(lambda mask: mask & b.occupied_co[1]) for b in boards])]",
        "more bishops stand on e2 than on g5, those of both sides together",
    ),
    (
        "s12-7",
        "tables[kind] = [round(10 * (log",
        "tables[kind] = [-round(10 * (log",
        "more knights stand on f3 than on h3",
    ),
]
