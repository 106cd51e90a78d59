"""Answers to the exercises of s08: the solution with one place changed."""

WRONG = [
    ("s08-4", "(board for", "(chess.Board() for", "Return the first position that fails"),
    ("s08-4", "most, rng", "most, random.Random(2)", "Return the first position that fails"),
]
RIGHT = [
    ("s08-5", "0.15 * hits", "0.15 * hits * (chess.popcount(board.occupied) < 10)"),
]
