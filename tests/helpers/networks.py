"""A network, added up from the pieces of a board of python-chess: what faster code must find.

And positions to ask it about.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np

from converted_notebooks import s23_tournament_engine as s23


def played(count: int, rng: random.Random) -> Iterator[chess.Board]:
    """Positions of random games that began in Chess960."""
    while count:
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        for _ in range(rng.randrange(80)):
            if moves := list(board.legal_moves):
                board.push(rng.choice(moves))
        count -= 1
        yield board


def network_score(board: chess.Board) -> int:
    """What the network says, in centipawns, for the side to move."""
    network = s23.load_network()
    sides = board.turn, not board.turn
    views = np.array([hidden_sums(network.rows, board, view) for view in sides])
    bucket = (len(board.piece_map()) - 1) // 4
    total = int(np.sum(np.clip(views, 0, s23.ONE_HIDDEN) ** 2 * network.output[bucket]))
    score = total * s23.SCALE // (s23.ONE_HIDDEN**2 * s23.ONE_OUTPUT)
    score += int(network.constant[bucket])
    if abs(score) > s23.WON:
        bound = s23.WON if score > 0 else -s23.WON
        score = bound + math.floor((score - bound) / 8)
    return max(-s23.MOST, min(score, s23.MOST))


def hidden_sums(rows: Any, board: chess.Board, view: chess.Color) -> Any:
    """The sums of one view, as fractions of 64 bits, which are exact for whole numbers.

    Args:
        rows: as in the record of s23.
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
