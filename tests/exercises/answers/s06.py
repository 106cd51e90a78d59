"""Answers to the exercises of s06: the solution with one place changed."""

RIGHT = [
    (
        "s06-1",
        "return key, origin + target + promotion, weight",
        "return [key, origin + target + promotion, weight]",
    ),
]
