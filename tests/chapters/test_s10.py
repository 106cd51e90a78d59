"""Alpha-beta: the contract of its window, its counts, and its fewest leaves."""

from __future__ import annotations

import random
from collections.abc import Iterable

import chess
import chess.engine
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from converted_notebooks.s03_python_chess import perft
from converted_notebooks.s04_engine_interface import ScoredMove
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s08_evaluation import Evaluator, MobilityEvaluator
from converted_notebooks.s09_minimax_engine import (
    NegamaxEngine,
    SearchStatistics,
    middlegame_board,
)
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from tests.generated import examples
from tests.positions import positions

QUEEN = chess.Board("6k1/4rppp/8/p7/1b2Q3/3p4/5PPP/6K1 w - - 0 1")
SLOW = examples(25)


class ShuffledEngine(AlphaBetaEngine):
    """Tries the moves in an order drawn by lot."""

    rng = random.Random(0)

    def _moves(self, board: chess.Board, depth: int) -> Iterable[chess.Move]:
        moves = list(board.legal_moves)
        self.rng.shuffle(moves)
        return moves


def depth_for(board: chess.Board) -> int:
    moves = board.legal_moves.count()
    return 3 if moves < 10 else 2 if moves < 30 else 1


def scores(entries: list[ScoredMove]) -> list[tuple[float, chess.Move]]:
    return [(entry.score, entry.move) for entry in entries]


@given(board=positions())
@SLOW
def test_every_move_has_the_score_and_the_place_that_negamax_gives_it(board: chess.Board) -> None:
    before = board.copy()
    mobile = 2 if board.legal_moves.count() < 12 else 1
    for evaluator, depth in (
        (Evaluator(), depth_for(board)),
        (MobilityEvaluator(1000, -0.3), mobile),
    ):
        plain, pruning = NegamaxEngine(evaluator, depth), AlphaBetaEngine(evaluator, depth)
        found = pruning.analyse(board)
        assert scores(found) == scores(plain.analyse(board))
        assert pruning.statistics.max_nodes <= plain.statistics.max_nodes
        assert pruning.statistics.min_nodes <= plain.statistics.min_nodes
        assert pruning.play(board).move == found[0].move
    assert board == before and board.move_stack == before.move_stack


@given(board=positions(), low=st.integers(-12, 12), width=st.integers(1, 5))
@SLOW
def test_the_window_says_what_the_number_means(board: chess.Board, low: int, width: int) -> None:
    depth, high = depth_for(board), low + width
    true = NegamaxEngine(Evaluator())._value(board, depth)
    found = AlphaBetaEngine(Evaluator())._value(board, depth, low, high)
    if low < found < high:
        assert found == true
    elif found <= low:
        assert true <= found
    else:
        assert true >= found


@given(board=positions(), low=st.integers(-6, 6), seed=st.integers(0, 99))
@SLOW
def test_a_wider_window_never_visits_less(board: chess.Board, low: int, seed: int) -> None:
    depth = depth_for(board)
    narrow, wide = AlphaBetaEngine(Evaluator()), AlphaBetaEngine(Evaluator())
    narrow._value(board, depth, low, low + 1)
    wide._value(board, depth, low - 1 - seed % 5, low + 2 + seed % 7)
    assert narrow.statistics.nodes <= wide.statistics.nodes


@given(board=positions(), seed=st.integers(0, 2**32 - 1))
@SLOW
def test_the_order_changes_the_work_and_not_the_scores(board: chess.Board, seed: int) -> None:
    depth = depth_for(board)
    plain, shuffled = AlphaBetaEngine(Evaluator(), depth), ShuffledEngine(Evaluator(), depth)
    shuffled.rng = random.Random(seed)
    assert scores(shuffled.analyse(board)) == scores(plain.analyse(board))


@given(board=positions())
@SLOW
def test_black_sees_what_white_sees_in_the_mirror(board: chess.Board) -> None:
    depth = depth_for(board)
    image = board.mirror()
    here, there = AlphaBetaEngine(Evaluator(), depth), AlphaBetaEngine(Evaluator(), depth)
    mine = sorted(entry.score for entry in here.analyse(board.copy(stack=False)))
    assert mine == sorted(-entry.score for entry in there.analyse(image))


def test_what_is_cut_is_counted() -> None:
    trap = chess.Board("k7/8/1Q2p3/8/8/p7/1p6/K7 w - - 0 1")
    engine = AlphaBetaEngine(Evaluator())
    assert engine._value(trap, 2, -100, 100) == 6
    assert engine.statistics == SearchStatistics(max_nodes=1 + 9, min_nodes=3, leaves=9, cut_offs=1)


def test_two_plies_of_analysis_cut_nothing_but_mates() -> None:
    for board in (chess.Board(), middlegame_board):
        engine = AlphaBetaEngine(Evaluator(), 2)
        engine.analyse(board)
        assert engine.statistics.leaves == perft(board, 2)
        assert engine.statistics.cut_offs == 0


def test_statistics_start_anew_and_a_limit_with_a_depth_counts() -> None:
    engine = AlphaBetaEngine(Evaluator(), 3)
    engine.analyse(chess.Board(), chess.engine.Limit(depth=1))
    assert engine.statistics == SearchStatistics(min_nodes=20, leaves=20)
    engine.analyse(chess.Board(), chess.engine.Limit(depth=1))
    assert engine.statistics.nodes == 20


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_an_error(depth: int) -> None:
    with pytest.raises(ValueError, match=f"depth is {depth}; expected 1"):
        AlphaBetaEngine(Evaluator(), depth)


def test_the_story_for_both_sides() -> None:
    for board, colour in ((QUEEN, chess.WHITE), (QUEEN.mirror(), chess.BLACK)):
        for depth, expected in ((1, "Qxe7"), (2, "Qxd3"), (3, "Qa8+")):
            best = AlphaBetaEngine(Evaluator(), depth).analyse(board)[0]
            move = (
                best.move
                if colour
                else chess.Move(best.move.from_square ^ 56, best.move.to_square ^ 56)
            )
            assert QUEEN.san(move) == expected
        assert PLAYER_MULTIPLIER[colour] * best.score == 4


def test_a_mate_is_found_inside_and_proved_with_a_null_window() -> None:
    mate = chess.Board("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1")
    engine = AlphaBetaEngine(Evaluator(), 3)
    assert engine.analyse(mate)[0].score == 100
    assert engine._value(mate, 3, 99, 100) == 100
    assert engine._value(mate, 2, 99, 100) <= 99


@given(branching=st.integers(2, 4), depth=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
@SLOW
def test_best_first_visits_the_minimum(branching: int, depth: int, seed: int) -> None:
    """The engine's own loop, on a tree made up for it."""
    rng = random.Random(seed)
    values: dict[tuple[int, ...], int] = {}

    def grow(path: tuple[int, ...]) -> int:
        if len(path) == depth:
            values[path] = rng.randint(-90, 90)
        else:
            values[path] = max(-grow((*path, n)) for n in range(branching))
        return values[path]

    class Fake:
        """As much of a board as the search needs."""

        turn = chess.WHITE

        def __init__(self) -> None:
            self.path: tuple[int, ...] = ()

        def push(self, move: int) -> None:
            self.path, self.turn = (*self.path, move), not self.turn

        def pop(self) -> None:
            self.path, self.turn = self.path[:-1], not self.turn

    class TreeEngine(AlphaBetaEngine):
        def _moves(self, board: chess.Board, depth: int) -> Iterable[chess.Move]:
            path = board.path  # type: ignore[attr-defined]
            return sorted(range(branching), key=lambda n: values[(*path, n)])  # type: ignore

        def _static_value(self, board: chess.Board, depth: int) -> float | None:
            if depth:
                return None
            self.statistics.leaves += 1
            return values[board.path]  # type: ignore[attr-defined]

    true = grow(())
    assume(abs(true) < 90)
    engine = TreeEngine(Evaluator())
    assert engine._value(Fake(), depth, -100, 100) == true  # type: ignore[arg-type]
    least = branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1
    assert engine.statistics.leaves == least
