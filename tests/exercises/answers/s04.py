"""Answers to the exercises of s04: the solution with one place changed."""

WRONG = [
    ("s04-4", "black_clock=left[chess.BLACK]", "black_clock=left[chess.WHITE]", "clocks"),
]
