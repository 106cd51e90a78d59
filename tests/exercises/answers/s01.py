"""Answers to the exercises of s01: the solution with one place changed."""

WRONG = [
    ("s01-1", "len(parts) != 6", "len(parts) not in (5, 6)", "Raise a ValueError"),
    ("s01-1", "len(parts) != 6", "len(parts) not in (6, 7)", "Raise a ValueError"),
    ("s01-1", 'fen.split(), {"w"', 'fen.split(), {"W": "White", "w"', "Raise a ValueError"),
    (
        "s01-5",
        "        if saved:\n            return False\n    return True",
        "        if not saved:\n            return True\n    return False",
        "there is no mate in one",
    ),
]
