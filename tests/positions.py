"""Positions for property tests: from random play, from the start and from rich positions."""

from __future__ import annotations

import random
from collections.abc import Sequence

import chess
from hypothesis import strategies as st

STARTS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "4k3/1P6/8/8/8/8/6p1/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
]


def mirrored(move: chess.Move) -> chess.Move:
    """The move that means the same in `board.mirror()`."""
    return chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )


@st.composite
def positions(draw: st.DrawFn, max_plies: int = 60, starts: Sequence[str] = STARTS) -> chess.Board:
    """A position that is not over yet, with the moves that led to it from one of the starts."""
    board = chess.Board(draw(st.sampled_from(starts)))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    for _ in range(draw(st.integers(0, max_plies))):
        move = rng.choice(list(board.legal_moves))
        board.push(move)
        if board.is_game_over():
            board.pop()
            break
    return board
