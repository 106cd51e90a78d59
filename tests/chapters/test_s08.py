"""Evaluators: views, terminal scores, and the mirror."""

from __future__ import annotations

import itertools
import random
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s07_material_engine import RelativeMaterialEngine, material
from converted_notebooks.s08_evaluation import (
    Evaluator,
    MobilityEvaluator,
    OnePlyEngine,
    mirror_failures,
    random_positions,
)
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import (
    assert_plays,
    assert_terminal_scores,
    by_move,
    unchanged,
)
from utils.exercises import pairs


@given(board=positions(), mate=st.sampled_from([100, 1, 30_000]), draw=st.integers(-3, 7))
@examples(60)
def test_the_ends_of_games_have_the_values_that_were_asked_for(
    board: chess.Board, mate: float, draw: float
) -> None:
    evaluator = Evaluator(mate, draw)
    assert_terminal_scores(evaluator, board, mate, draw)
    assert list(mirror_failures(evaluator, [board])) == []


@given(positions())
@examples(100)
def test_scores_are_in_the_view_of_the_side_to_move(board: chess.Board) -> None:
    """Mobility counts the moves of both sides, where neither is in check."""
    expected: float = material(board) if board.turn else -material(board)
    assert Evaluator().heuristic(board) == expected
    assert (Evaluator().value_checkmate, Evaluator().value_draw) == (100, 0)
    if not board.is_check():
        passed = board.copy(stack=False)
        passed.turn = not passed.turn
        passed.ep_square = None
        expected += 0.1 * (len(list(board.legal_moves)) - len(list(passed.legal_moves)))
    with unchanged(board):
        assert MobilityEvaluator().heuristic(board) == pytest.approx(expected)


@given(positions())
@examples(40)
def test_one_ply_with_material_is_the_material_engine(board: chess.Board) -> None:
    new = OnePlyEngine(Evaluator(100, 0), random.Random(1))
    old = RelativeMaterialEngine(random.Random(1))
    ours, theirs = new.analyse(board), old.analyse(board)
    assert pairs(ours) == pairs(theirs)
    assert by_move(ours)[assert_plays(new, board)] == ours[0].score
    assert new.name == "OnePlyEngine(Evaluator)"


class LikesWhite(Evaluator):
    """Unfair in positions that go on."""

    def heuristic(self, board: chess.Board) -> float:
        return 1.0 if board.turn else 0.0


class ForgetsBlackMate(Evaluator):
    """Unfair where a game is over."""

    def evaluate(self, board: chess.Board) -> float | None:
        return super().evaluate(board) if board.turn else None


@pytest.mark.parametrize(
    "unfair", [LikesWhite().heuristic, ForgetsBlackMate().evaluate], ids=lambda m: m.__name__
)
def test_the_mirror_test_finds_every_kind_of_unfairness(unfair: Any) -> None:
    mated = chess.Board("3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1")
    for board in (mated, mated.mirror()):
        ((found, here, there),) = mirror_failures(unfair.__self__, [board])
        assert found == board
        assert [here, there] == [unfair(one) or 0 for one in (board, board.mirror())]


def test_a_mirror_image_has_no_history_and_neither_has_the_position() -> None:
    board = chess.Board()
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8") * 4:
        board.push_uci(uci)
    assert board.is_fivefold_repetition()
    assert list(mirror_failures(Evaluator(), [board])) == []


def test_random_positions_are_repeatable_separate_and_not_over() -> None:
    one, two = (list(random_positions(400, random.Random(3))) for _ in range(2))
    assert [board.fen() for board in one] == [board.fen() for board in two]
    assert len({id(board) for board in one}) == 400
    assert not any(board.is_game_over() for board in one)
    assert len({board.fen() for board in one}) > 390


def test_differences_up_to_the_tolerance_are_rounding() -> None:
    board = chess.Board()  # its mirror image gets one pawn less
    assert list(mirror_failures(LikesWhite(), [board], tolerance=1)) == []
    assert len(list(mirror_failures(LikesWhite(), [board], tolerance=0.9))) == 1


def test_random_games_go_on_after_a_draw_that_nobody_has_to_claim() -> None:
    knights = itertools.cycle(map(chess.Move.from_uci, ("g1f3", "g8f6", "f3g1", "f6g8")))

    class Returning(random.Random):
        def choice(self, seq: Any) -> Any:
            move = next(knights)
            assert move in seq
            return move

    plies = [board.ply() for board in random_positions(18, Returning())]
    assert plies == [*range(1, 16), 0, 1, 2], "until the start stands there for the fifth time"
