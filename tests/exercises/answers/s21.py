"""Answers to the exercises of s21: the solution with one place changed."""

WRONG = [
    ("s21-3", "abs(score) <= 15", "score <= 15", "-16 is not within 15"),
]
RIGHT = [
    ("s21-4", "return scores[25], scores[974]", "return [scores[25], scores[974]]"),
]
