"""Answers to the exercises of s14: the solution with one place changed."""

WRONG = [
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "KILLER_SCORE + 10", "A killer comes before"),
]
