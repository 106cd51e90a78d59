"""Check of the exercise in notebooks/TEMPLATE.ipynb: a pattern for new chapters."""

from __future__ import annotations

from collections.abc import Callable

import chess

from utils.exercises import exercise, kept, require_equal
from utils.exercises.positions import BACK_RANK


@exercise("s00-1")
def replies(answer: Callable[[chess.Board, chess.Move], int]) -> None:
    """Several inputs, the ends among them, and a hint for each way to be wrong."""
    cases = {
        (chess.STARTING_FEN, "e2e4"): 20,
        (BACK_RANK, "d1d8"): 0,
        (BACK_RANK, "d1d7"): 8,
    }
    for (fen, uci), expected in cases.items():
        count = kept(chess.Board(fen), answer, chess.Move.from_uci(uci))
        require_equal(count, expected, f"In {fen} the number of replies to {uci} is")
