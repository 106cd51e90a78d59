"""Answers to the exercises of s19: the solution with one place changed."""

NUMBER = "return side << 18 | king << 12 | piece << 6 | black_king"
BACK = "return number >> 18, number >> 12 & 63, number >> 6 & 63, number & 63"
BEST = "best = max((verdict.result for verdict, _ in after), default=0)"
KEPT = "return [move for verdict, move in after if verdict.result == best]"
ONLY_A_ROOK = """
tables = three_piece_tables()
kept = [
    (board, verdicts_after(tables, board) or [])
    for entry in np.argwhere(tables[2].distances[1, :, 48:56] >= 0).tolist()
    for board in [place(chess.PAWN, chess.WHITE, entry[0], 48 + entry[1], entry[2])]
    if tables[0].distances[0, entry[0], 56 + entry[1], entry[2]] == DRAWN
]
answer = [
    board.fen()
    for board, after in kept
    if [move.promotion for verdict, move in after if verdict.result == 1] == [chess.ROOK]
]
"""
ZUGZWANGS = """def mutual_zugzwangs(table):
    black, white = table.distances
    return """

RIGHT = [
    ("s19-1", "", "answer = 3612 * 62"),
    ("s19-1", "pairs * 62", "sum(corners * 60 + edges * 58 + middle * 55 for _ in range(62))"),
    ("s19-2", NUMBER, "return ((side * 64 + king) * 64 + piece) * 64 + black_king"),
    ("s19-2", BACK, "return tuple(int(n) for n in np.unravel_index(number, (2, 64, 64, 64)))"),
    ("s19-3", BEST, "best = probe(tables, board).result"),
    ("s19-3", KEPT, "return list(dict((m, v) for v, m in after if v.result >= best))"),
    ("s19-4", "", ONLY_A_ROOK),
    ("s19-4", "", ONLY_A_ROOK.replace("board.fen()", "board")),
    (
        "s19-5",
        "",
        ZUGZWANGS + "np.logical_and(white == DRAWN, ~np.isin(black, (DRAWN, ILLEGAL)))",
    ),
    ("s19-5", "", ZUGZWANGS + "(black > -1) & ~(white > -1) & (white != ILLEGAL)"),
]
WRONG = [
    ("s19-1", "answer = pairs * 62", "answer = pairs", "the queen has squares"),
    ("s19-1", "answer = pairs * 62", "answer = pairs * 64", "on a square of a king"),
    ("s19-1", "answer = pairs * 62", "answer = 64 * 63 * 62", "next to each other"),
    ("s19-1", "answer = pairs * 62", "answer = 2 * pairs * 62", "one side only"),
    ("s19-1", "64 - 9", "64 - 8", "corner, at an edge and elsewhere"),
    ("s19-2", NUMBER, NUMBER.replace("18", "24"), "(1, 0, 0, 0) has the number 262144"),
    (
        "s19-2",
        NUMBER,
        NUMBER.replace("king << 12 | piece << 6", "king << 6 | piece << 12"),
        "has the",
    ),
    ("s19-2", NUMBER, "return side << 18 | black_king << 12 | piece << 6 | king", "(0, 0, 0, 1)"),
    ("s19-2", BACK, BACK.replace(" >> 12 & 63", " >> 12"), "stands for (1, 0, 0, 0)"),
    ("s19-2", BACK, BACK.replace("& 63", "% 63"), "stands for (0, 0, 1, 0)"),
    ("s19-3", BEST, "best = 1", "these keep the result"),
    ("s19-3", BEST, BEST.replace("max", "min"), "these keep the result"),
    (
        "s19-3",
        KEPT,
        "return [max(after, key=lambda one: one[0].score)[1]]",
        "these keep the result",
    ),
    ("s19-3", KEPT, KEPT.replace("in after", "in reversed(after)"), "these keep the result"),
    ("s19-3", "return None", "return []", "in no table: None"),
    ("s19-3", " or probe(tables, board) is None", "", "itself is in no table"),
    ("s19-3", ", default=0", "", "raised ValueError"),
    ("s19-3", KEPT, KEPT + " or None", "no move, so the list is empty"),
    (
        "s19-3",
        "",
        "def best_result_moves(tables, board):\n"
        "    verdict, kept = probe(tables, board), []\n"
        "    if verdict is None:\n        return None\n"
        "    for move in board.legal_moves:\n"
        "        board.push(move)\n        after = probe(tables, board)\n        board.pop()\n"
        "        if after and -after.result == verdict.result:\n            kept.append(move)\n"
        "    return kept\n",
        "With the pawn's table alone",
    ),
    ("s19-3", KEPT, "board.push(after[0][1])\n    " + KEPT, "The board changed"),
    ("s19-4", "", "answer = []", "The list is empty"),
    ("s19-4", "", 'answer = ["8/k1P5/8/K7/8/8/8/8 w - - 0 1"]', "its mirror image"),
    (
        "s19-4",
        "",
        'answer = ["8/k1P5/8/K7/8/8/8/8 w - - 0 1", "8/5P1k/8/7K/8/8/8/8 w - - 0 1"]',
        "there are more",
    ),
    ("s19-4", "", ONLY_A_ROOK.replace("chess.ROOK]", "chess.QUEEN]"), "The list is empty"),
    ("s19-4", "", 'answer = ["8/2P5/8/K7/8/8/k7/8 w - - 0 1"]', "these moves win"),
    ("s19-4", "", 'answer = ["8/k1P5/8/K7/8/8/8/8 b - - 0 1"]', "White to move"),
    ("s19-5", "", ZUGZWANGS + "(black == DRAWN) & (white >= 0)", "is not a mutual zugzwang"),
    ("s19-5", "", ZUGZWANGS + "(white == DRAWN)", "is not a mutual zugzwang"),
    ("s19-5", "", ZUGZWANGS + "(white < 0) & (black >= 0)", "is not a mutual zugzwang"),
    ("s19-5", "", ZUGZWANGS + "(black >= 0)", "is not a mutual zugzwang"),
    ("s19-5", "", ZUGZWANGS + "np.argwhere((white == DRAWN) & (black >= 0))", "Boolean array"),
]
# The tables of two bishops take seconds.
SLOW = [
    (
        "s19-6",
        "answer = solve(TwoBishops()).distances",
        "answer = solve(TwoBishops()).distances[::-1]",
        "that is stalemate",
    ),
    ("s19-6", "& ~check_", "", "not a legal position"),
    ("s19-6", "apart & taken", "apart & False", "follows"),
    (
        "s19-6",
        "& check_ & ~self",
        "& ~self",
        "no move and is not in check: that is stalemate",
    ),
    (
        "s19-6",
        "& check_ & ~self.can_move\n",
        "& check_ & ~self.can_move\n        self.can_move = self.black_to_move\n",
        "no move and is not in check: that is stalemate",
    ),
    ("s19-6", "TwoBishops()).distances", "TwoBishops()).distances.astype(int)", "int8"),
    ("s19-6", "attack_table(chess.BISHOP)", "attack_table(chess.ROOK)", "that is stalemate"),
    (
        "s19-6",
        "answer = solve(TwoBishops()).distances",
        "answer = np.array(solve(TwoBishops()).distances)",
    ),
    ("s19-6", "apart & ~taken, apart & taken", "apart & np.logical_not(taken), taken & apart"),
]
