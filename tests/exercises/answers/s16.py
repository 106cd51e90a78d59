"""Answers to the exercises of s16: the solution with one place changed."""

WRONG = [
    ("s16-2", "-8 if board.turn == chess.WHITE else 8", "-8", "En passant"),
]
