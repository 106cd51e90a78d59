"""A network, added up from the pieces of a board of python-chess: what compiled code must find."""

from __future__ import annotations

from typing import Any

import chess
import numpy as np


def hidden_sums(rows: Any, board: chess.Board, view: chess.Color) -> Any:
    """The sums of one view, as fractions of 64 bits, which are exact for whole numbers.

    Args:
        rows: as in the record of s27.
        board: the position.
        view: the side that sees it.
    """
    if not view:
        board = board.mirror()  # the side that sees it is White now
    king = board.king(chess.WHITE)
    if king is not None and chess.square_file(king) >= 4:
        board = board.transform(chess.flip_horizontal)
    seen = [
        rows[int(not piece.color), piece.piece_type, square]
        for square, piece in board.piece_map().items()
    ]
    return np.sum(seen, axis=0, dtype=np.float64)
