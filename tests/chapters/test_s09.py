"""Minimax and negamax: equal to each other and to a definition written down plainly."""

from __future__ import annotations

import random

import chess
import chess.engine
import pytest
from hypothesis import given

from converted_notebooks.s04_engine_interface import play_game
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s08_evaluation import (
    Evaluator,
    MobilityEvaluator,
    OnePlyEngine,
    random_positions,
)
from converted_notebooks.s09_minimax_engine import (
    FixedDepthEngine,
    MinimaxEngine,
    NegamaxEngine,
    SearchStatistics,
    middlegame_board,
)
from tests.generated import examples
from tests.positions import positions
from utils.exercises import check

BOTH = pytest.mark.parametrize("kind", [MinimaxEngine, NegamaxEngine])


def plain_minimax(board: chess.Board, depth: int, evaluator: Evaluator) -> tuple[float, int, int]:
    """Value in White's view, nodes and leaves, on copies of the board."""
    sign = PLAYER_MULTIPLIER[board.turn]
    terminal = evaluator.evaluate(board)
    if terminal is not None:
        return sign * terminal, 1, 1
    if depth == 0:
        return sign * evaluator.heuristic(board), 1, 1
    values, nodes, leaves = [], 1, 0
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        value, more_nodes, more_leaves = plain_minimax(after, depth - 1, evaluator)
        values.append(value)
        nodes, leaves = nodes + more_nodes, leaves + more_leaves
    return (max if board.turn else min)(values), nodes, leaves


@BOTH
@given(board=positions())
@examples(40)
def test_values_and_counts_are_those_of_the_definition(
    kind: type[FixedDepthEngine], board: chess.Board
) -> None:
    before = board.fen(), len(board.move_stack)
    evaluator = Evaluator()
    depth = 2 if board.legal_moves.count() < 30 else 1
    engine = kind(evaluator, depth)
    scored = engine.analyse(board)
    assert (board.fen(), len(board.move_stack)) == before
    assert {entry.move for entry in scored} == set(board.legal_moves)
    nodes = leaves = 0
    for entry in scored:
        after = board.copy()
        after.push(entry.move)
        value, more_nodes, more_leaves = plain_minimax(after, depth - 1, evaluator)
        assert entry.score == value
        nodes, leaves = nodes + more_nodes, leaves + more_leaves
    assert (engine.statistics.nodes, engine.statistics.leaves) == (nodes, leaves)


@pytest.mark.parametrize("evaluator", [Evaluator(), MobilityEvaluator(1000, -1)])
def test_minimax_and_negamax_are_equal(evaluator: Evaluator) -> None:
    for board in random_positions(25, random.Random(77)):
        first, second = MinimaxEngine(evaluator, 2), NegamaxEngine(evaluator, 2)
        one, two = first.analyse(board), second.analyse(board)
        if evaluator.value_draw == 0:
            assert [(e.score, e.move) for e in one] == [(e.score, e.move) for e in two]
        else:
            assert [e.score for e in one] == pytest.approx([e.score for e in two])
        assert first.statistics == second.statistics


def test_leaves_are_the_numbers_of_perft() -> None:
    engine = NegamaxEngine(Evaluator(), 3)
    engine.analyse(chess.Board())
    assert engine.statistics == SearchStatistics(max_nodes=400, min_nodes=20 + 8902, leaves=8902)


@BOTH
def test_the_best_move_comes_first_for_both_sides(kind: type[FixedDepthEngine]) -> None:
    for board in (middlegame_board, middlegame_board.mirror()):
        scored = kind(Evaluator(), 2).analyse(board)
        mine = [PLAYER_MULTIPLIER[board.turn] * entry.score for entry in scored]
        assert mine == sorted(mine, reverse=True)


@BOTH
def test_one_ply_is_the_one_ply_engine(kind: type[FixedDepthEngine]) -> None:
    for board in random_positions(40, random.Random(5)):
        here = {e.move: e.score for e in kind(Evaluator(), 1).analyse(board)}
        there = OnePlyEngine(Evaluator(), random.Random(1)).analyse(board)
        assert here == {e.move: e.score for e in there}


@BOTH
def test_a_limit_with_a_depth_replaces_the_engines_own(kind: type[FixedDepthEngine]) -> None:
    engine = kind(Evaluator(), 3)
    engine.analyse(chess.Board(), chess.engine.Limit(depth=1))
    assert engine.statistics.nodes == 20
    engine.analyse(chess.Board(), chess.engine.Limit(time=1))
    assert engine.statistics.leaves == 8902


@BOTH
@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_an_error(kind: type[FixedDepthEngine], depth: int) -> None:
    with pytest.raises(ValueError, match=f"depth is {depth}; expected 1"):
        kind(Evaluator(), depth)


def test_mates_are_found_at_the_depth_they_need() -> None:
    mate_in_two = chess.Board("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1")
    for board in (mate_in_two, mate_in_two.mirror()):
        sign = PLAYER_MULTIPLIER[board.turn]
        assert sign * NegamaxEngine(Evaluator(), 2).analyse(board)[0].score < 100
        assert sign * NegamaxEngine(Evaluator(), 3).analyse(board)[0].score == 100


def test_any_earlier_engine_can_be_the_opponent() -> None:
    engine = NegamaxEngine(Evaluator(), 2)
    record = play_game(engine, OnePlyEngine(Evaluator(), random.Random()), seed=1, max_plies=10)
    assert record.plies == 10


def test_the_middlegame_is_valid_and_quiet() -> None:
    assert middlegame_board.is_valid()
    assert not middlegame_board.is_check()
    assert middlegame_board.legal_moves.count() > 30


def test_a_best_that_begins_at_the_usual_mate_gets_its_hint() -> None:
    class Clamped(NegamaxEngine):
        def _value(self, board: chess.Board, depth: int) -> float:
            if board.is_checkmate():
                return -(self.evaluator.value_checkmate + depth)
            if (value := self._static_value(board, depth)) is not None:
                return value
            best = -self.evaluator.value_checkmate
            for move in board.legal_moves:
                board.push(move)
                best = max(best, -self._value(board, depth - 1))
                board.pop()
            return best

    assert "Where does `best` begin?" in repr(check("s09-4", Clamped))
