"""Answers to the exercises of s07: the solution with one place changed."""

WRONG = [
    ("s07-3", "board.legal_moves", "board.pseudo_legal_moves", "the rook protects it"),
    ("s07-2", "board.generate_legal_captures()", "board.legal_moves", "expected None"),
]
