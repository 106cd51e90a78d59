"""Minimax and negamax: equal to a definition that is written down plainly."""

from __future__ import annotations

import time

import chess
import chess.engine
import pytest
from hypothesis import given

from converted_notebooks.s08_evaluation import Evaluator, MobilityEvaluator
from converted_notebooks.s09_minimax_engine import (
    FixedDepthEngine,
    MinimaxEngine,
    NegamaxEngine,
    SearchStatistics,
)
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import assert_values_of_minimax, depth_for

BOTH = pytest.mark.parametrize("kind", [MinimaxEngine, NegamaxEngine])
EVALUATORS = [Evaluator(), MobilityEvaluator(1000, -1)]


@BOTH
@pytest.mark.parametrize("evaluator", EVALUATORS, ids=["material", "mobility"])
@given(board=positions())
@examples(10)
def test_values_and_counts_are_those_of_the_definition(
    kind: type[FixedDepthEngine], evaluator: Evaluator, board: chess.Board
) -> None:
    depth = depth_for(board)
    engine = kind(evaluator, depth)
    trees = assert_values_of_minimax(engine, evaluator, board, depth)
    assert SearchStatistics() == SearchStatistics(0, 0, 0, 0, 0, 0, 0)
    assert engine.statistics == SearchStatistics(
        max_nodes=sum(tree.max_nodes for tree in trees),
        min_nodes=sum(tree.min_nodes for tree in trees),
        leaves=sum(tree.leaves for tree in trees),
    )


@BOTH
def test_a_limit_with_a_depth_replaces_the_engines_own(kind: type[FixedDepthEngine]) -> None:
    engine = kind(Evaluator(), 2)
    for limit, leaves in (
        (chess.engine.Limit(depth=1), 20),
        (chess.engine.Limit(time=1), 400),
        (None, 400),
    ):
        engine.analyse(chess.Board(), limit)
        assert engine.statistics.leaves == leaves


@pytest.mark.parametrize("kind", [MinimaxEngine, NegamaxEngine, AlphaBetaEngine])
@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_an_error(kind: type[FixedDepthEngine], depth: int) -> None:
    with pytest.raises(ValueError, match=f"depth is {depth}; expected 1"):
        kind(Evaluator(), depth)
    engine = kind(Evaluator())
    for ask in (engine.analyse, engine.play):
        with pytest.raises(ValueError, match=f"depth is {depth}; expected 1"):
            ask(chess.Board(), chess.engine.Limit(depth=depth))


def test_nodes_are_those_of_both_sides_and_visited_are_those_beyond_the_depth_as_well() -> None:
    statistics = SearchStatistics(max_nodes=2, min_nodes=30, quiescence_nodes=500)
    assert (statistics.nodes, statistics.visited) == (32, 532)


@BOTH
def test_a_report_counts_its_own_seconds_and_all_positions(kind: type[FixedDepthEngine]) -> None:
    engine, began = kind(Evaluator(), 2), time.perf_counter()
    engine.analyse(chess.Board())
    found, most = engine.last_search, time.perf_counter() - began
    assert found is not None and 0 < found.seconds <= most
    assert found.nodes == 20 + 400
    engine.statistics.quiescence_nodes = 80
    engine._report(2, found.best)
    assert engine.iterations[-1].nodes == 500, "those beyond the depth as well"
