"""What chapter s01 exports: the engine of ten lines."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s01_introduction import fewest_replies, replies_after
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import unchanged

SQUARES = st.sampled_from(chess.SQUARES)


@given(positions())
@examples(60)
def test_the_first_of_the_moves_with_the_fewest_replies(board: chess.Board) -> None:
    replies = {}
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        replies[move] = len(list(after.legal_moves))
    with unchanged(board):
        assert replies == {move: replies_after(board, move) for move in list(board.legal_moves)}
        assert fewest_replies(board) == min(replies, key=replies.__getitem__)


@given(positions(), SQUARES, SQUARES)
@examples(60)
def test_an_illegal_move_is_an_error_that_names_it(
    board: chess.Board, start: chess.Square, target: chess.Square
) -> None:
    move = chess.Move(start, target)
    if move not in board.legal_moves:
        with unchanged(board), pytest.raises(ValueError, match=move.uci()):
            replies_after(board, move)


@pytest.mark.parametrize(
    "fen",
    ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"],
    ids=["stalemate", "checkmate"],
)
def test_a_finished_game_is_an_error_that_shows_the_position(fen: str) -> None:
    with pytest.raises(ValueError, match="no legal move in 7k/"):
        fewest_replies(chess.Board(fen))
