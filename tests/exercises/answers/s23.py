"""Answers to the exercises of s23: the solution with one place changed."""

WRONG = [
    ("s23-1", "(plies + 1) // 2", "plies // 2", "means 1, not 0"),
]
RIGHT = [
    ("s23-1", "(plies + 1) // 2", "plies // 2 + 1"),
]
