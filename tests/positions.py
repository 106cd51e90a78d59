"""Positions for property tests: a start and moves by number, which shrink to short games."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import finished

STARTS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "4k3/1P6/8/8/8/8/6p1/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "6k1/8/5K2/5Q2/8/8/8/8 w - - 90 80",  # mates, stalemates, and the fifty-move rule
]
# `integers` seldom gives large numbers, so few sets would have squares on the upper ranks.
SQUARE_SETS = st.binary(min_size=8, max_size=8).map(lambda data: int.from_bytes(data, "little"))
OUT_OF_REACH = [  # positions that no game reaches
    "4k3/8/8/8/8/8/8/4K2B w K - 0 1",  # a right without its rook
    "R3k2R/8/8/8/8/8/8/4K3 b - - 0 1",  # an impossible check
    "4k3/8/5N2/1B6/8/8/8/4RK2 b - - 0 1",  # three checkers
]


def mirrored(move: chess.Move) -> chess.Move:
    """The move that means the same in `board.mirror()`."""
    return chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )


def retreat(board: chess.Board) -> chess.Move | None:
    """The legal move that takes the side to move's last move back, or None."""
    last = board.move_stack[-2] if len(board.move_stack) > 1 else chess.Move.null()
    back = chess.Move(last.to_square, last.from_square)
    return back if back in board.legal_moves else None


@st.composite
def positions(
    draw: st.DrawFn,
    max_plies: int = 60,
    starts: Sequence[str] = STARTS,
    *,
    retreats: bool = False,
    chess960: bool = False,
) -> chess.Board:
    """A position that is not over, with the moves that led to it from one of the starts.

    Args:
        draw: given by hypothesis.
        max_plies: the longest game.
        starts: FENs of positions that are not over.
        retreats: whether most moves take the last one back, so that positions repeat.
        chess960: whether the starts are positions of Chess960.
    """
    board = chess.Board(draw(st.sampled_from(starts)), chess960=chess960)
    plies = draw(st.integers(0, max_plies))
    for number in draw(st.lists(st.integers(0, 255), min_size=plies, max_size=plies)):
        moves = list(board.legal_moves)
        back = retreat(board) if retreats and number < 224 else None
        board.push(back or moves[number % len(moves)])
        if finished(board):
            board.pop()
            break
    return board
