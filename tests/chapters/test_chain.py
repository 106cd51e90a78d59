"""Every search without pruning of its own judgement finds the value of plain minimax."""

from collections.abc import Callable

import chess
import pytest
from hypothesis import assume, given

from converted_notebooks.s09_minimax_engine import FixedDepthEngine, NegamaxEngine
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from converted_notebooks.s11_iterative_deepening import IterativeAlphaBetaCached, cache_alpha_beta
from converted_notebooks.s13_incremental_evaluation import IncrementalEngine, IncrementalEvaluator
from converted_notebooks.s14_move_ordering import OrderedEngine, Ordering
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS, positions
from tests.helpers.properties import plain_minimax, unchanged


class CachedEngine(AlphaBetaEngine):
    """The cache without the deepening."""

    _value = cache_alpha_beta(AlphaBetaEngine._value)  # type: ignore[assignment]


LADDER: list[Callable[[IncrementalEvaluator, int], FixedDepthEngine]] = [
    NegamaxEngine,
    AlphaBetaEngine,
    CachedEngine,
    IterativeAlphaBetaCached,
    lambda evaluator, depth: IterativeAlphaBetaCached(evaluator, depth, best_first=False),
    IncrementalEngine,
    OrderedEngine,
    lambda evaluator, depth: OrderedEngine(evaluator, depth, Ordering.SIMPLE),
]
ENDINGS = [
    "8/8/8/8/3k4/8/1r6/K7 b - - 97 70",  # the fiftieth move is near
    "8/8/3k4/8/2R5/2K5/3p4/8 w - - 96 70",
    "8/P6k/8/8/8/8/6pp/5K2 w - - 0 1",  # promotions
    "k7/2P5/1K6/8/8/8/5n2/8 w - - 0 1",
    "8/8/8/8/5k1b/6p1/6P1/7K w - - 0 1",  # stalemates
    "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1",  # mates
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
]


def assert_the_value_of_minimax(board: chess.Board, depth: int) -> None:
    expected = plain_minimax(board, depth, IncrementalEvaluator()).value
    for build in LADDER:
        engine = build(IncrementalEvaluator(), depth)
        with unchanged(board):
            assert engine.analyse(board)[0].score == expected, engine.name


@given(board=positions(max_plies=16, starts=ENDINGS, retreats=True))
@examples(20)
def test_in_endings_with_repetitions(board: chess.Board) -> None:
    assume(board.legal_moves.count() <= 14)
    for depth in (1, 2, 3):
        assert_the_value_of_minimax(board, depth)


@given(board=positions())
@examples(8)
def test_two_plies_anywhere(board: chess.Board) -> None:
    assume(board.legal_moves.count() <= 30)
    assert_the_value_of_minimax(board, 2)


@pytest.mark.slow
@given(board=positions(starts=[*STARTS, *ENDINGS], retreats=True))
@examples(200)
def test_one_to_three_plies_anywhere_and_four_where_moves_are_few(board: chess.Board) -> None:
    moves = board.legal_moves.count()
    for depth in (1, 2, 3, 4):
        if moves <= (99, 40, 16, 6)[depth - 1]:
            assert_the_value_of_minimax(board, depth)
