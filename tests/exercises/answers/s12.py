"""Answers to the exercises of s12: the solution with one place changed."""

WRONG = [
    ("s12-7", "(chess.KNIGHT, chess.BISHOP):\n ", "TABLES:\n ", "stay"),
]
