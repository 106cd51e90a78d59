"""Answers to the exercises of s11: the solution with one place changed."""

WRONG = [
    ("s11-6", "stored != depth", "False", "were kept beside"),
]
RIGHT = [
    ("s11-4", "0.95 * clock if moves_left <= 1", "clock if moves_left <= 1"),
]
