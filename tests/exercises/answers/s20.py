"""Answers to the exercises of s20: the solution with one place changed."""

BY_DIVISION = """
def uci_of(number):
    promotion, rest = divmod(number, 4096)
    end, start = divmod(rest, 64)
    name = lambda square: "abcdefgh"[square % 8] + str(square // 8 + 1)
    return name(start) + name(end) + ["", "", "n", "b", "r", "q"][promotion]
"""
BY_MOVE = """
def uci_of(number):
    return move_of(number).uci()
"""
BY_ATTACK = """
def gives_check(board, move):
    undo = make(board, move)
    king = (board.masks[KING] & board.masks[7]).bit_length() - 1
    found = attackers(board, king, board.masks[7] | board.masks[8]) & board.masks[8]
    unmake(board, undo)
    return bool(found)
"""
BY_SAFETY = """
def gives_check(board, move):
    undo = make(board, move)
    king = (board.masks[KING] & board.masks[7]).bit_length() - 1
    safe = safe_squares(board, BB_SQUARES[king], board.masks[7] | board.masks[8])
    unmake(board, undo)
    return not safe
"""
BY_PYTHON_CHESS = """
def gives_check(board, move):
    return chess_board(board).gives_check(move_of(move))
"""
DIRECT = """
def gives_check(board, move):
    from converted_notebooks.s22_tournament_search import check_squares

    kind = move >> 12 or board.kinds[move & 63]
    return bool(check_squares(board)[kind] >> (move >> 6 & 63) & 1)
"""
DIRECT_OR_UNCOVERED = """
def gives_check(board, move):
    from converted_notebooks.s22_tournament_search import check_squares

    if DIRECT:
        return True
    if board.kinds[move & 63] == KING and (move & 63) - (move >> 6 & 63) in (2, -2):
        return False
    undo = make(board, move)
    _, checkers, _ = king_state(board)
    unmake(board, undo)
    return checkers != 0
""".replace(
    "DIRECT:",
    "check_squares(board)[move >> 12 or board.kinds[move & 63]] >> (move >> 6 & 63) & 1:",
)
BY_SCRATCH = """
def change(board, move):
    after = chess_board(board)
    after.push(move_of(move))
    def pieces(numbers):
        rights = RIGHTS_KEYS[numbers.castling_rights]
        return numbers.total - rights - EN_PASSANT_KEYS[numbers.ep_square]
    return pieces(NumberBoard(after)) - pieces(board)
"""
BY_MAKING = """
def change(board, move):
    before = board.total
    undo = make(board, move)
    result = board.total - before
    unmake(board, undo)
    return result
"""
ON_A_COPY = "import copy\n" + BY_MAKING.replace(
    "    before", "    board = copy.deepcopy(board)\n    before"
)
BY_LEVEL = """
def hashed_perft(board, depth, known):
    level = known.setdefault(depth, {})
    if board.total not in level:
        if depth == 0:
            level[board.total] = 1
        elif depth == 1:
            level[board.total] = len(legal_moves(board))
        else:
            leaves = 0
            for move in legal_moves(board):
                undo = make(board, move)
                leaves += hashed_perft(board, depth - 1, known)
                unmake(board, undo)
            level[board.total] = leaves
    return level[board.total]
"""
BULK = """
def hashed_perft(board, depth, known):
    if depth == 0:
        return 1
    if depth == 1:
        return len(legal_moves(board))
    leaves = 0
    for move in legal_moves(board):
        undo = make(board, move)
        leaves += hashed_perft(board, depth - 1, known)
        unmake(board, undo)
    return leaves
"""
TWO_PLIES_OR_MORE = (
    BULK.replace("    leaves = 0\n", "    key = board.total, depth\n")
    .replace(
        "    for move in legal_moves(board):\n",
        "    if key in known:\n        return known[key]\n    leaves = 0\n"
        "    for move in legal_moves(board):\n",
    )
    .replace("    return leaves", "    known[key] = leaves\n    return leaves")
)

RIGHT = [
    ("s20-1", "", BY_DIVISION),
    ("s20-1", "", BY_MOVE),
    ("s20-2", "", BY_ATTACK),
    ("s20-2", "", BY_SAFETY),
    ("s20-2", "", BY_PYTHON_CHESS),
    ("s20-3", "", BY_SCRATCH),
    ("s20-3", "promotion or kind", "kind if promotion == 0 else promotion"),
    ("s20-4", "", BY_LEVEL),
    ("s20-4", "key = board.total, depth", "key = chess_board(board).epd(), depth"),
]
WRONG = [
    (
        "s20-3",
        "    return result",
        "    board.kinds[start], board.kinds[end] = 0, promotion or kind\n    return result",
        "The board changed",
    ),
    (
        "s20-4",
        "key = board.total, depth",
        "rights = board.castling_rights\n"
        "    key = board.total - RIGHTS_KEYS[rights], bool(rights), depth",
        "need different keys",
    ),
    (
        "s20-4",
        "key = board.total, depth",
        "key = board.total - EN_PASSANT_KEYS[board.ep_square], bool(board.ep_square), depth",
        "need different keys",
    ),
    ("s20-1", "start + end +", "end + start +", "From and to are exchanged"),
    ("s20-1", ' + " pnbrqk"[number >> 12].strip()', "", "The promotion of b7a8q is missing"),
    ("s20-1", '" pnbrqk"', '" PNBRQK"', "The promotion of b7a8q"),
    ("s20-1", "start + end +", "(start + end).upper() +", "small letters"),
    ("s20-1", "number >> 6 & 63", "number >> 6", "IndexError"),
    ("s20-2", "", DIRECT, "by the rook of a castling"),
    ("s20-2", "", DIRECT_OR_UNCOVERED, "by the rook of a castling"),
    ("s20-2", "    unmake(board, undo)\n", "", "The board changed"),
    (
        "s20-2",
        "    undo = make(board, move)\n    _, checkers, _ = king_state(board)\n"
        "    unmake(board, undo)\n",
        "    _, checkers, _ = king_state(board)\n",
        "gives check",
    ),
    ("s20-2", "return checkers != 0", "return checkers == 0", "gives check"),
    ("s20-2", "return checkers != 0", "return checkers", "say True or False"),
    ("s20-3", "", BY_MAKING, "do not make the move"),
    ("s20-3", "", ON_A_COPY, "a copy of the board"),
    (
        "s20-3",
        "    if kind == PAWN and end == board.ep_square != 0:\n"
        "        victim, where = PAWN, end - 8 if us else end + 8\n",
        "",
        "a capture en passant",
    ),
    ("s20-3", "kind == PAWN and end == board.ep", "end == board.ep", "Ne6 (a quiet move)"),
    ("s20-3", "promotion or kind", "kind", "a promotion"),
    ("s20-3", "        result += mine[ROOK][rook_to] - mine[ROOK][rook]\n", "", "castling"),
    ("s20-3", " + (-WHITE_KEY if us else WHITE_KEY)", "", "The turn changes"),
    ("s20-3", "result -= theirs[victim][where]", "result += theirs[victim][where]", "capture"),
    ("s20-4", "key = board.total, depth", "key = board.total", "a position and a depth"),
    ("s20-4", "key = board.total, depth", "key = tuple(board.kinds), depth", "different"),
    (
        "s20-4",
        "key = board.total, depth",
        "key = tuple(board.masks), board.turn, board.castling_rights, depth",
        "different",
    ),
    (
        "s20-4",
        "key = board.total, depth",
        "key = tuple(board.masks), board.castling_rights, board.ep_square, depth",
        "different",
    ),
    (
        "s20-4",
        "key = board.total, depth",
        "key = tuple(board.kinds), sides_of(board), board.castling_rights, board.ep_square, depth",
        "different",
    ),
    ("s20-4", "board, depth - 1, known", "board, depth - 1, {}", "Keep what was counted"),
    ("s20-4", "            unmake(board, undo)\n", "", "The board changed"),
    ("s20-4", "", BULK, "is not found in `known`"),
    ("s20-2", "", "def gives_check(board, move):\n    return False\n", "by the piece that moves"),
    ("s20-4", "", TWO_PLIES_OR_MORE, "with one ply to go"),
    (
        "s20-4",
        "key = board.total, depth",
        "known = vars(hashed_perft)\n    key = board.total, depth",
        "one ply",
    ),
    ("s20-4", "        return 1\n", "        return 0\n", "After no ply there is one leaf"),
]
