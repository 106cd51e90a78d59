"""What chapter s02 exports; that it leaves the process as it was is in tests/exercises."""

from __future__ import annotations

import chess
from hypothesis import example, given
from hypothesis import strategies as st

from converted_notebooks.s02_project_setup import contested
from tests.generated import examples

PIECES = st.builds(chess.Piece, st.sampled_from(chess.PIECE_TYPES), st.booleans())


@given(st.dictionaries(st.sampled_from(chess.SQUARES), PIECES), st.booleans())
@example({}, chess.WHITE)
@examples(100)
def test_no_square_is_attacked_by_more_pieces_and_ties_go_to_the_first(
    pieces: dict[chess.Square, chess.Piece], turn: chess.Color
) -> None:
    """Counted from the pieces' side; the positions need not be legal."""
    board = chess.Board(None)
    board.set_piece_map(pieces)
    board.turn = turn
    counts = [0] * 64
    for square in pieces:
        for target in board.attacks(square):
            counts[target] += 1
    assert contested(board) == counts.index(max(counts))
