"""Counting pieces: the count, the change, and two engines that are one."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import finished
from converted_notebooks.s07_material_engine import (
    AbsoluteMaterialEngine,
    RelativeMaterialEngine,
    gain,
    material,
    terminal_score,
)
from tests.helpers.generated import examples
from tests.helpers.positions import mirrored, positions
from tests.helpers.properties import assert_analysis, assert_plays, by_move
from utils.exercises import pairs

BOTH = pytest.mark.parametrize("kind", [AbsoluteMaterialEngine, RelativeMaterialEngine])


@given(positions())
@examples(100)
def test_material_and_gain_are_counts_of_the_fen(board: chess.Board) -> None:
    def count() -> int:
        """White's pieces less Black's, in pawns."""
        letters = board.board_fen()
        return sum(
            value * (letters.count(symbol.upper()) - letters.count(symbol))
            for symbol, value in zip("pnbrq", (1, 3, 3, 5, 9), strict=True)
        )

    before, sign = count(), 1 if board.turn == chess.WHITE else -1
    assert material(board) == before
    for move in list(board.legal_moves):
        won = gain(board, move)
        board.push(move)
        assert before + sign * won == count(), move
        board.pop()


@given(positions())
@examples(100)
def test_every_move_has_the_score_of_the_position_after_it(board: chess.Board) -> None:
    expected = {}
    for move in list(board.legal_moves):
        board.push(move)
        score, ended = material(board), finished(board)
        if ended is not None:
            score = {"1-0": 100, "1/2-1/2": 0, "0-1": -100}[ended[0]]
        assert terminal_score(board) == (None if ended is None else score)
        expected[move] = score
        board.pop()
    one, two = (
        assert_analysis(kind(random.Random(1)), board)
        for kind in (AbsoluteMaterialEngine, RelativeMaterialEngine)
    )
    assert pairs(one) == pairs(two)
    assert {entry.move: entry.score for entry in one} == expected


@BOTH
@given(board=positions(), seed=st.integers(0, 9), top=st.integers(1, 4))
@examples(50)
def test_the_move_played_is_one_of_the_best(
    kind: type[AbsoluteMaterialEngine], board: chess.Board, seed: int, top: int
) -> None:
    best = kind(random.Random(seed), top).analyse(board)[:top]
    assert assert_plays(kind(random.Random(seed), top), board) in [entry.move for entry in best]


@pytest.mark.parametrize(("top", "played"), [(1, 1), (2, 2), (3, 8)])
def test_each_of_the_best_moves_is_played_and_no_other(top: int, played: int) -> None:
    """White can take a rook, or a bishop, or play one of six other moves."""
    board = chess.Board("7k/7p/8/8/8/2r3b1/1P5P/K7 w - - 0 1")
    engine = RelativeMaterialEngine(random.Random(1), top)
    assert len({engine.play(board).move for _ in range(300)}) == played


@BOTH
def test_fewer_than_one_best_move_is_an_error(kind: type[AbsoluteMaterialEngine]) -> None:
    with pytest.raises(ValueError, match="top is 0; expected 1 or more"):
        kind(random.Random(), top=0)


@pytest.mark.parametrize("mirror", [False, True])
def test_a_pawn_taken_en_passant_is_a_gain(mirror: bool) -> None:
    board = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2")
    move = board.parse_san("exd6")
    if mirror:
        board, move = board.mirror(), mirrored(move)
    assert gain(board, move) == 1
    scored = by_move(assert_analysis(RelativeMaterialEngine(random.Random(1)), board))
    assert scored[move] == (-1 if mirror else 1)
    assert {score for other, score in scored.items() if other != move} == {0}
