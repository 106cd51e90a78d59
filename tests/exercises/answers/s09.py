"""Answers to the exercises of s09: the solution with one place changed."""

WRONG = [
    ("s09-4", 'float("-inf")', "-self.evaluator.value_checkmate", "Where does `best` begin?"),
]
