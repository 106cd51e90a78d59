"""Answers to the exercises of s18: the solution with one place changed."""

PAIR = "together = passed & beside(passed | passed << 8 | passed >> 8)"
TURNED = "return squares if color == chess.WHITE else squares.mirror()"
SAFE = "safe = ~down(beside(theirs) >> 8)"
GUARDED = "knights & middle & safe & beside(own) << 8"
BY_SQUARE = """
def connected_passed(board, color):
    rows = [
        chess.square_mirror(s) if color == chess.BLACK else s
        for s in chess.SquareSet(pawn_sets(board, color)["passed"])
    ]
    return chess.SquareSet(
        s for s in rows
        if any(
            abs(chess.square_file(s) - chess.square_file(t)) == 1
            and abs(chess.square_rank(s) - chess.square_rank(t)) < 2
            for t in rows
        )
    )
"""
OUTPOSTS = """
def outposts(board, color):
    found = 0
    for square in board.pieces(chess.KNIGHT, color):
        rank = chess.square_rank(square) if color else 7 - chess.square_rank(square)
        file = chess.square_file(square)
        guarded = board.attackers(color, square) & board.pieces(chess.PAWN, color)
        chasers = [
            pawn for pawn in board.pieces(chess.PAWN, not color)
            if abs(chess.square_file(pawn) - file) == 1
            and (chess.square_rank(pawn) if color else 7 - chess.square_rank(pawn)) > rank
        ]
        found += bool(3 <= rank <= 5 and guarded and not chasers)
    return found
"""
# The weight is one of those that lower the error.
MY_TERM = """
def my_features(board, color):
    king = chess.msb(board.kings & board.occupied_co[color])
    return {"steps": sum(
        chess.square_distance(king, square)
        for side in chess.COLORS
        for passed in [chess.SquareSet(pawn_sets(board, side)["passed"])]
        for square in (passed if side else passed.mirror())
    )}

my_weights = {"steps": (-1, 0)}
"""

RIGHT = [
    ("s18-1", "24 - 2 * 4", "16.0"),
    ("s18-1", "(30 * 6 + 6 * 18) / 24", "taper(pack(30, 6, 6))"),
    ("s18-2", "", BY_SQUARE),
    (
        "s18-2",
        PAIR,
        "together = passed & (beside(passed) | up(down(beside(passed))) & 0)\n    "
        "near = passed | passed << 8 | passed >> 8\n    together = beside(near) & passed",
    ),
    ("s18-3", "", OUTPOSTS),
    ("s18-3", SAFE, "safe = ~(down(beside(theirs)) >> 8)"),
    (
        "s18-4",
        "4 * (\n                    7 - chess.square_distance(hunter, king)\n                )",
        "28 - 4 * chess.square_distance(king, hunter)",
    ),
    ("s18-4", "theirs & ~board.kings == 0", "chess.popcount(theirs) == 1"),
]
WRONG = [
    ("s18-1", "24 - 2 * 4", "24 - 4", "each queen is 4"),
    (
        "s18-4",
        "if bare and heavy & mine:",
        "if bare and heavy & mine and board.occupied.bit_count() == 3:",
        "the bonus for the side to move is",
    ),
    ("s18-1", ": 2 * 2", ": 2", "each side has one"),
    ("s18-1", ": 2 * 4", ": 4", "A queen is 4"),
    ("s18-1", "(30 * 6 + 6 * 18) / 24", "(30 + 6) / 2", "6 parts of 30"),
    ("s18-1", "(30 * 6 + 6 * 18) / 24", "(6 * 6 + 30 * 18) / 24", "6 parts of 30"),
    ("s18-2", TURNED, "return squares", "turn them back"),
    ("s18-2", TURNED, "return int(squares)", "Return a set of squares"),
    ("s18-2", PAIR, "together = passed & beside(passed)", "One rank apart is together"),
    ("s18-2", PAIR, "together = passed & beside(up(passed) | down(passed))", "Two ranks apart"),
    ("s18-2", PAIR, "together = passed & (passed << 1 | passed >> 1)", "One rank apart"),
    ("s18-2", '["passed"]', '["chain"]', "d5, e5, not none"),
    (
        "s18-2",
        'passed = pawn_sets(board, color)["passed"]\n    together = passed & beside(passed |',
        'passed = pawn_sets(board, color)["passed"]\n'
        '    theirs = chess.flip_vertical(pawn_sets(board, not color)["passed"])\n'
        "    together = passed & beside(passed | theirs | theirs << 8 | theirs >> 8 |",
        "of the same side",
    ),
    (
        "s18-2",
        "passed = pawn_sets",
        "passed = pawns_of(board, color)[0] or pawn_sets",
        "Neither of",
    ),
    ("s18-3", "chess.BB_RANK_4 | ", "", "fourth rank count"),
    ("s18-3", " | chess.BB_RANK_6", " | chess.BB_RANK_6 | chess.BB_RANK_7", "The seventh rank"),
    ("s18-3", SAFE, "safe = ~(beside(theirs) >> 8)", "c7 can drive"),
    ("s18-3", SAFE, "safe = ~down(theirs >> 8)", "can drive the knight away"),
    ("s18-3", SAFE, "safe = ~(up(beside(theirs)) | down(beside(theirs)))", "has passed already"),
    ("s18-3", SAFE, "safe = ~down(theirs >> 7 | theirs >> 9)", "attacks nothing on a"),
    ("s18-3", SAFE, "safe = ~down((theirs & ~chess.BB_FILE_H) << 1 >> 8)", "The pawn on e7"),
    (
        "s18-3",
        f"    return chess.popcount({GUARDED})",
        "    left, right = (own & ~chess.BB_FILE_A) << 7, (own & ~chess.BB_FILE_H) << 9\n"
        "    guards = (left, right)\n"
        "    return sum(chess.popcount(knights & middle & safe & one) for one in guards)",
        "Two pawns guard it; it is one knight",
    ),
    ("s18-3", GUARDED, "knights & middle & safe", "No own pawn guards"),
    ("s18-3", GUARDED, "knights & middle & safe & beside(own) >> 8", "no enemy pawn"),
    (
        "s18-3",
        "    if color == chess.BLACK:\n        knights = chess.flip_vertical(knights)\n",
        "",
        "turn pawns and knights over",
    ),
    ("s18-3", "board.knights &", "(board.knights | board.bishops) &", "A bishop is no knight"),
    ("s18-4", "bonus if board.turn == strong else -bonus", "bonus", "weaker side is to move"),
    (
        "s18-4",
        "bonus if board.turn == strong else -bonus",
        "bonus if strong == chess.WHITE else -bonus",
        "side to move is -50",
    ),
    (
        "s18-4",
        "chess.square_distance(king, square)",
        "abs(king // 8 - square // 8)",
        "8/8/8/8/k7/8/8/1R5K w - - 0 1: the bonus for the side to move is +30, not +0",
    ),
    (
        "s18-4",
        "chess.square_distance(king, square)",
        "abs(king % 8 - square % 8)",
        "4k3/8/8/8/8/8/8/KR6 w - - 0 1: the bonus for the side to move is +30, not +0",
    ),
    (
        "s18-4",
        "chess.square_distance(king, square)",
        "min(abs(king // 8 - square // 8), abs(king % 8 - square % 8))",
        "side to move is +30, not +0. A distance is counted in king's moves",
    ),
    ("s18-4", "board.rooks | board.queens", "board.rooks", "side to move is +30"),
    ("s18-4", "heavy & mine", "mine & ~board.kings", "side to move is +0"),
    ("s18-4", "if bare and heavy & mine", "if heavy & mine", "side to move is +0"),
    (
        "s18-4",
        "chess.square_distance(king, square)",
        "chess.square_distance(hunter, square)",
        "is +12",
    ),
    (
        "s18-4",
        "chess.square_distance(hunter, king)",
        "chess.square_manhattan_distance(hunter, king)",
        "is +12",
    ),
]
SLOW = [
    ("s18-5", "", MY_TERM),
    ("s18-5", "", MY_TERM.replace("(-1, 0)", "(-2, 0)")),
    ("s18-5", "", MY_TERM.replace("-1, 0", "4, 8"), "Tune them"),
    ("s18-5", "", MY_TERM.replace("-1, 0", "-0.5, 0.0"), "whole centipawns"),
    ("s18-5", "", MY_TERM.replace("steps", "chain"), "already: use a new name"),
    (
        "s18-5",
        "",
        MY_TERM.replace("(passed if side else passed.mirror())", "passed"),
        "mirror image",
    ),
    ("s18-5", "", MY_TERM.replace('{"steps": (-1, 0)}', "{}"), "give each of your names a weight"),
    ("s18-5", "", MY_TERM.replace('{"steps": (-', '{"others": (-'), "No weight for steps"),
    (
        "s18-5",
        "",
        MY_TERM.replace("    king =", "    board.turn = not board.turn\n    king ="),
        "board changed",
    ),
]
