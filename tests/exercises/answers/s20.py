"""Answers to the exercises of s20: the solution with one place changed."""

WRONG = [
    (
        "s20-2",
        "    return result",
        "    board.make(move)\n    board.unmake()\n    return result",
        "do not make the move",
    ),
]
RIGHT = [
    ("s20-1", "(plies + 1) // 2", "plies // 2 + 1"),
]
