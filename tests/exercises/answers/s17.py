"""Answers to the exercises of s17: the solution with one place changed."""

WRONG = [
    ("s17-3", "below *= 2", "below = math.inf", "Double the distance"),
    ("s17-4", "here == self._forbidden or not", "not", "passed 2 times"),
]
SLOW = [
    ("s17-3", "if failures == 4:", "if failures == 7:", "open both sides"),
    ("s17-3", "if failures == 4:", "if failures == 1:", "Double the distance"),
]
