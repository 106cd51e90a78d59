"""Answers to the exercises of s18: the solution with one place changed."""

WRONG = [
    ("s18-3", "chess.BB_RANK_4 | ", "", "The fourth rank counts"),
]
