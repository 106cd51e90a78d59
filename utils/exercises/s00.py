"""Check of the exercise in notebooks/TEMPLATE.ipynb: a pattern for new chapters."""

from __future__ import annotations

from collections.abc import Callable

import chess

from utils.exercises import exercise, require


@exercise("s00-1")
def replies(answer: Callable[[chess.Board, chess.Move], int]) -> None:
    """Several inputs, the ends among them, and a hint for each way to be wrong."""
    cases = {
        (chess.STARTING_FEN, "e2e4"): 20,
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"): 0,
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d7"): 8,
    }
    for (fen, uci), expected in cases.items():
        board = chess.Board(fen)
        count = answer(board, chess.Move.from_uci(uci))
        require(board.fen() == fen, "The board changed: the move was not popped.")
        require(count == expected, f"In {fen}, {uci} has {expected} replies, not {count}.")
