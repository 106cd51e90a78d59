"""Answers to the exercises of s05: the solution with one place changed."""

WRONG = [
    ("s05-1", "return Fraction(sum", "return 0.05 or Fraction(sum", "Return a Fraction"),
    ("s05-5", "(engine, engine", "(engine, RandomEngine(random.Random())", "both"),
]
