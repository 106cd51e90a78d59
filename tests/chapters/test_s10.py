"""Alpha-beta: the contract of its window, its counts, and the order of moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s08_evaluation import Evaluator, MobilityEvaluator
from converted_notebooks.s09_minimax_engine import NegamaxEngine, SearchStatistics, middlegame_board
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine, least
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import (
    OpenSearch,
    assert_analysis,
    assert_bound,
    by_move,
    depth_for,
    plain_minimax,
)
from utils.exercises import pairs


class OpenEngine(OpenSearch, AlphaBetaEngine):
    """Alpha-beta whose order of moves can be set."""

    def __init__(self, evaluator: Evaluator, max_look_ahead_depth: int = 2) -> None:
        super().__init__(evaluator, max_look_ahead_depth)
        self.order: Callable[[chess.Move], int] | None = None

    def _moves(self, board: chess.Board, depth: int) -> Iterable[chess.Move]:
        moves = super()._moves(board, depth)
        return sorted(moves, key=self.order) if self.order else moves


@pytest.mark.parametrize(
    "evaluator", [Evaluator(), MobilityEvaluator(1000, -0.3)], ids=["material", "mobility"]
)
@given(board=positions())
@examples(15)
def test_scores_and_order_are_those_of_negamax_with_fewer_nodes(
    evaluator: Evaluator, board: chess.Board
) -> None:
    depth = depth_for(board)
    plain, pruning = NegamaxEngine(evaluator, depth), AlphaBetaEngine(evaluator, depth)
    found, expected = assert_analysis(pruning, board), plain.analyse(board)
    assert pairs(found) == pairs(expected)
    assert pruning.statistics.max_nodes <= plain.statistics.max_nodes
    assert pruning.statistics.min_nodes <= plain.statistics.min_nodes
    assert pruning.play(board).move == found[0].move


@given(board=positions(), low=st.integers(-12, 12), width=st.integers(1, 5))
@examples(30)
def test_the_window_says_what_the_number_means(board: chess.Board, low: int, width: int) -> None:
    depth, sign = depth_for(board), 1 if board.turn else -1
    exact = sign * plain_minimax(board, depth, Evaluator()).value
    found = OpenEngine(Evaluator()).search(board, depth, low, low + width)
    assert_bound(found, exact, low, low + width)


@given(board=positions())
@examples(25)
def test_outside_the_window_the_bound_is_the_tightest_found(board: chess.Board) -> None:
    sign, engine = 1 if board.turn else -1, OpenEngine(Evaluator())
    exact = sign * plain_minimax(board, 1, Evaluator()).value
    assert engine.search(board, 1, 200, 201) == exact, "all moves are tried"
    board.push(next(iter(board.legal_moves)))
    first = sign * plain_minimax(board, 0, Evaluator()).value
    board.pop()
    assert engine.search(board, 1, -202, -201) == first, "the first move is enough"


@given(board=positions(), low=st.integers(-6, 6), below=st.integers(0, 5), above=st.integers(0, 6))
@examples(25)
def test_a_wider_window_never_visits_less(
    board: chess.Board, low: int, below: int, above: int
) -> None:
    depth = depth_for(board)
    narrow, wide = OpenEngine(Evaluator()), OpenEngine(Evaluator())
    narrow.search(board, depth, low, low + 1)
    wide.search(board, depth, low - below, low + 1 + above)
    assert narrow.statistics.nodes <= wide.statistics.nodes


@given(board=positions(), places=st.permutations(chess.SQUARES))
@examples(25)
def test_the_order_changes_the_work_and_not_the_scores(
    board: chess.Board, places: list[chess.Square]
) -> None:
    plain, sorting = (OpenEngine(Evaluator(), depth_for(board)) for _ in range(2))
    sorting.order = lambda move: places[move.to_square]
    assert by_move(sorting.analyse(board)) == by_move(plain.analyse(board))


def test_what_is_cut_is_counted() -> None:
    trap = chess.Board("k7/8/1Q2p3/8/8/p7/1p6/K7 w - - 0 1")
    engine = OpenEngine(Evaluator())
    assert engine.search(trap, 2, -100, 100) == 6
    assert engine.statistics == SearchStatistics(max_nodes=1 + 9, min_nodes=3, leaves=9, cut_offs=1)


@pytest.mark.parametrize("board", [chess.Board(), middlegame_board], ids=["start", "middlegame"])
def test_two_plies_of_analysis_cut_nothing_and_count_anew(board: chess.Board) -> None:
    plain, pruning = NegamaxEngine(Evaluator(), 2), AlphaBetaEngine(Evaluator(), 2)
    for limit in (None, chess.engine.Limit(depth=1), None):
        assert by_move(pruning.analyse(board, limit)) == by_move(plain.analyse(board, limit))
        assert pruning.statistics == plain.statistics


def test_a_mate_is_found_inside_and_proved_with_a_null_window() -> None:
    mate = chess.Board("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1")
    engine = OpenEngine(Evaluator(), 3)
    assert engine.analyse(mate)[0].score == 100
    assert engine.search(mate, 3, 99, 100) == 100
    assert engine.search(mate, 2, 99, 100) <= 99


def test_a_bound_out_of_reach_is_handed_down_and_one_reply_to_each_move_is_enough() -> None:
    engine = OpenEngine(Evaluator())
    assert engine.search(chess.Board(), 2, 50, 100) == 0
    assert engine.statistics == SearchStatistics(
        max_nodes=1 + 20, min_nodes=20, leaves=20, cut_offs=20
    )


def test_equal_leaves_are_searched_with_the_fewest_that_prove_a_value() -> None:
    assert [least(3, depth) for depth in range(1, 6)] == [3, 5, 11, 17, 35]
    engine = OpenEngine(Evaluator())
    engine.search(chess.Board(), 2, -100, 100)  # after two plies nothing can be taken yet
    assert engine.statistics.leaves == least(20, 2) == 39
