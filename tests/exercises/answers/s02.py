"""Answers to the exercises of s02: the solution with one place changed."""

WRONG = [
    ("s02-2", "nbformat.write(notebook, path)", "raise OSError", "your code raised OSError"),
    (
        "s02-4",
        '"s91_names": (\n            "from converted_notebooks.s90_values import',
        '"s92_late": "N = 1",\n        "s91_names": (\n'
        '            "from converted_notebooks import s92_late\\n"\n'
        '            "from converted_notebooks.s90_values import',
        "only chapters with a smaller number",
    ),
]
RIGHT = [
    ("s02-2", "sorted(tags)", "list(tags)"),
    ("s02-4", "return VALUES[name]", "return dict(VALUES)[name]"),
]
