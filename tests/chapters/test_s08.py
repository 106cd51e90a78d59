"""Evaluators: views, terminal scores, and the mirror."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import play_game
from converted_notebooks.s07_material_engine import RelativeMaterialEngine, material
from converted_notebooks.s08_evaluation import (
    PLAYER_MULTIPLIER,
    Evaluator,
    MobilityEvaluator,
    OnePlyEngine,
    mirror_failures,
    random_positions,
)
from tests.generated import examples
from tests.positions import positions
from utils.exercises import check

FAST = examples(300)
EVALUATORS = [Evaluator(), MobilityEvaluator(), Evaluator(value_checkmate=30_000, value_draw=7)]


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=["material", "mobility", "contempt"])
@given(board=positions())
@examples(1000)
def test_the_mirror_image_gets_the_same_score(evaluator: Evaluator, board: chess.Board) -> None:
    assert list(mirror_failures(evaluator, [board])) == []
    for move in list(board.legal_moves)[:5]:
        board.push(move)
        assert list(mirror_failures(evaluator, [board.copy(stack=False)])) == []
        board.pop()


@given(positions(), st.sampled_from([1, 100, 30_000]), st.sampled_from([0, -3, 5]))
@FAST
def test_terminal_scores_agree_with_the_library(
    board: chess.Board, mate: float, draw: float
) -> None:
    evaluator = Evaluator(mate, draw)
    for move in list(board.legal_moves):
        board.push(move)
        outcome = board.outcome()
        expected: float | None = None
        if outcome is not None:
            expected = draw if outcome.winner is None else -mate
        assert evaluator.evaluate(board) == expected
        board.pop()


@given(positions())
@FAST
def test_the_heuristic_is_material_in_the_view_of_the_side_to_move(board: chess.Board) -> None:
    score = Evaluator().heuristic(board)
    assert score == (material(board) if board.turn else -material(board))


@given(positions())
@FAST
def test_mobility_counts_the_moves_of_both_sides_and_leaves_the_board(
    board: chess.Board,
) -> None:
    before = board.fen(), len(board.move_stack)
    score = MobilityEvaluator().heuristic(board)
    assert (board.fen(), len(board.move_stack)) == before
    expected = Evaluator().heuristic(board)
    if not board.is_check():
        passed = board.copy(stack=False)
        passed.turn = not passed.turn
        passed.ep_square = None
        expected += 0.1 * (len(list(board.legal_moves)) - len(list(passed.legal_moves)))
    assert score == pytest.approx(expected)


@given(positions(), st.integers(0, 10**6))
@FAST
def test_one_ply_with_material_is_the_material_engine(board: chess.Board, seed: int) -> None:
    new = OnePlyEngine(Evaluator(100, 0), random.Random(seed)).analyse(board)
    old = RelativeMaterialEngine(random.Random(seed)).analyse(board)
    assert [(e.score, e.move) for e in new] == [(e.score, e.move) for e in old]


@given(positions(), st.integers(0, 10**6))
@FAST
def test_an_analysis_is_in_whites_view_best_first(board: chess.Board, seed: int) -> None:
    before = board.fen(), len(board.move_stack)
    engine = OnePlyEngine(MobilityEvaluator(), random.Random(seed))
    scored = engine.analyse(board)
    assert (board.fen(), len(board.move_stack)) == before
    mine = [PLAYER_MULTIPLIER[board.turn] * entry.score for entry in scored]
    assert mine == sorted(mine, reverse=True)
    image = OnePlyEngine(MobilityEvaluator(), random.Random(seed)).analyse(board.mirror())
    assert sorted(e.score for e in image) == pytest.approx(sorted(-e.score for e in scored))


def test_the_mirror_test_finds_every_kind_of_unfairness() -> None:
    class LikesWhite(Evaluator):
        def heuristic(self, board: chess.Board) -> float:
            return 1.0 if board.turn else 0.0

    class ForgetsBlackMate(Evaluator):
        def evaluate(self, board: chess.Board) -> float | None:
            return super().evaluate(board) if board.turn else None

    boards = [chess.Board("3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1")]
    assert len(list(mirror_failures(LikesWhite(), boards))) == 1
    assert len(list(mirror_failures(ForgetsBlackMate(), boards))) == 1


def test_random_positions_are_repeatable_separate_and_not_over() -> None:
    one = list(random_positions(400, random.Random(3)))
    two = list(random_positions(400, random.Random(3)))
    assert [board.fen() for board in one] == [board.fen() for board in two]
    assert len({id(board) for board in one}) == 400
    assert not any(board.is_game_over() for board in one)
    assert len({board.fen() for board in one}) > 390


def test_games_are_repeatable_by_seed_and_the_name_says_who_judges() -> None:
    engine = OnePlyEngine(MobilityEvaluator(), random.Random())
    games = [play_game(engine, engine, seed=4, max_plies=30) for _ in range(2)]
    assert games[0].board.move_stack == games[1].board.move_stack
    assert engine.name == "OnePlyEngine(MobilityEvaluator)"


def test_a_mirror_image_has_no_history_and_neither_has_the_position() -> None:
    board = chess.Board()
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8") * 4:
        board.push_uci(uci)
    assert board.is_fivefold_repetition()
    assert list(mirror_failures(Evaluator(), [board])) == []


def test_another_board_than_the_first_that_fails_gets_its_hint() -> None:
    def first(evaluator: Evaluator, rng: random.Random, most: int) -> chess.Board | None:
        failures = mirror_failures(evaluator, random_positions(most, rng))
        return chess.Board() if next(failures, None) else None

    def another_source(evaluator: Evaluator, _: random.Random, most: int) -> chess.Board | None:
        failures = mirror_failures(evaluator, random_positions(most, random.Random(2)))
        return next((board for board, *_ in failures), None)

    for answer in (first, another_source):
        assert "Return the first position that fails" in repr(check("s08-4", answer))


def test_an_idea_for_endgames_is_an_idea() -> None:
    class LateIdea(Evaluator):
        def heuristic(self, board: chess.Board) -> float:
            score = super().heuristic(board)
            late = chess.popcount(board.occupied) < 10
            mine = board.pawns & board.occupied_co[board.turn]
            theirs = board.pawns & ~mine
            return score + late * (chess.popcount(mine) - chess.popcount(theirs)) / 10

    assert check("s08-5", LateIdea)
