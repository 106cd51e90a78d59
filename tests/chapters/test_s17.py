"""Selective search: the safe parts are safe, the others keep their promises."""

from __future__ import annotations

import math
import operator
import unittest.mock
from functools import reduce

import chess
import chess.engine
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import Iteration, ScoredMove
from converted_notebooks.s13_incremental_evaluation import IncrementalEvaluator
from converted_notebooks.s15_transposition_table import Bound, TranspositionTable
from converted_notebooks.s16_quiescence_search import (
    QuiescenceEngine,
    capture_rich_board,
    fair_captures,
)
from converted_notebooks.s17_selective_search import (
    FUTILITY_MARGINS,
    Selection,
    SelectiveEngine,
    has_pieces,
    is_quiet,
    reduction,
)
from tests.helpers.generated import examples
from tests.helpers.positions import after, positions
from utils.exercises.positions import BACK_RANK
from utils.exercises.s17 import mirrored

SAFE_PARTS = [
    Selection.NONE,
    Selection.PRINCIPAL_VARIATION,
    Selection.ASPIRATION,
    Selection.SAFE,
]
FEW_MOVES = [
    "8/8/8/3k4/8/3q4/8/1K4R1 b - - 0 1",
    "6k1/5pp1/8/8/8/q7/5P1P/1R4K1 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "7k/6pp/7N/8/2Q5/8/r7/6K1 w - - 0 1",
]


class Selecting(SelectiveEngine):
    """A small table; one position can be searched alone."""

    def __init__(
        self, depth: int = 3, selection: Selection = Selection.FULL, exact: bool = False
    ) -> None:
        super().__init__(
            IncrementalEvaluator(),
            depth,
            table=TranspositionTable(1),
            selection=selection,
            exact_depth=exact,
            captures=fair_captures if exact else None,
        )

    def value(
        self, board: chess.Board, depth: int, alpha: float = -math.inf, beta: float = math.inf
    ) -> float:
        """The value of a position, from the view of the side to move."""
        copy = board.copy()
        self._begin(copy)
        return self._value(copy, depth, alpha, beta)

    def value_of(
        self, board: chess.Board, move: chess.Move, depth: int, number: int, alpha: float
    ) -> float:
        """The value of the move of this number in the order, in a null window above alpha."""
        self._begin(board)
        return self._move_value(board, move, depth, alpha, alpha + 1, number)


class Plain(QuiescenceEngine):
    """By definition: each move with an open window, and no memory."""

    extends = False

    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        if board.is_repetition(2):
            return 0
        if (ended := self._end_value(board)) is not None:
            return ended
        if self.extends and board.is_check():
            depth += 1
        if depth == 0:
            return self._quiescence(board, -math.inf, math.inf)
        moves = list(board.legal_moves)
        return max(self._move_value(board, move, depth, -math.inf, math.inf) for move in moves)


@given(board=positions(20, FEW_MOVES, retreats=True), extends=st.booleans())
@examples(20)
def test_the_safe_parts_and_the_extension_find_the_value_by_definition(
    board: chess.Board, extends: bool
) -> None:
    depth = 3 if board.legal_moves.count() < 12 else 2
    plain = Plain(IncrementalEvaluator(), depth, captures=fair_captures)
    plain.extends = extends
    plain.play(board)
    for selection in SAFE_PARTS:
        extension = Selection.CHECK_EXTENSION if extends else Selection.NONE
        engine = Selecting(depth, selection | extension, exact=True)
        engine.play(board)
        scores = [entry.best.score for entry in engine.iterations]
        assert scores == [entry.best.score for entry in plain.iterations], selection


class Checked(SelectiveEngine):
    """Passes only where it is allowed; no stored move or bound comes from after a pass."""

    passes = 0

    def _make(self, board: chess.Board, move: chess.Move) -> None:
        if not move:
            assert Selection.NULL_MOVE in self.selection
            assert not board.is_check() and has_pieces(board)
            assert board.move_stack and board.peek()
            assert any(board.legal_moves)
        super()._make(board, move)

    def _null_move_refutes(self, board: chess.Board, depth: int, beta: float) -> bool:
        refutes = super()._null_move_refutes(board, depth, beta)
        self.passes += refutes
        return refutes

    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        if board.move_stack and not board.peek():
            assert board.halfmove_clock == 0, "a pass cannot be part of a repetition"
        passes = self.passes
        value = super()._value(board, depth, alpha, beta)
        entry = self.table.get(self.keys.key())
        if entry is not None and entry.move is not None:
            assert board.is_legal(entry.move)
        if entry is not None and passes < self.passes and value >= beta:
            assert entry.bound != Bound.UPPER
        return value


@given(board=positions(max_plies=50), passing=st.booleans())
@examples(10)
def test_null_moves_are_allowed_and_stored_moves_legal(board: chess.Board, passing: bool) -> None:
    assume(board.legal_moves.count() <= 30)
    selection = Selection.FULL if passing else Selection.FULL & ~Selection.NULL_MOVE
    Checked(IncrementalEvaluator(), 4, table=TranspositionTable(1), selection=selection).play(board)


@pytest.mark.parametrize(
    ("fen", "last", "guarded"),
    [
        ("8/8/4K3/4p3/4Pk2/8/8/8 w - - 0 1", "e6d5", True),
        ("1n5k/5K1p/1p5P/8/2B5/8/8/8 w - - 0 1", "c4b5", False),
    ],
)
def test_a_null_move_hides_zugzwang_unless_only_pawns_are_left(
    fen: str, last: str, guarded: bool
) -> None:
    """The side to move loses material at once; with a pass it would not."""
    before = chess.Board(fen)
    before.push_uci(last)
    for board in (before, mirrored(before)):
        assert board.is_valid() and has_pieces(board) != guarded
        for selection, fooled in (
            (Selection.NONE, False),
            (Selection.NULL_MOVE, not guarded),
        ):
            engine = Selecting(selection=selection)
            beta = engine.evaluator.heuristic(board) - 50
            value = engine.value(board, 4, beta - 1, beta)
            assert (value >= beta) == fooled, (board.fen(), selection)
        passed = board.copy()
        passed.push(chess.Move.null())
        engine = Selecting(selection=Selection.NONE)
        static = -engine.evaluator.heuristic(passed)
        after_pass = 3 if guarded else 1  # plies; with pieces the pass only wins time
        assert -engine.value(passed, after_pass) >= static - 50


def test_with_everything_switched_off_the_search_is_the_last_one() -> None:
    plain = QuiescenceEngine(IncrementalEvaluator(), 2)
    engine = Selecting(2, Selection.NONE)
    assert engine.play(capture_rich_board).move == plain.play(capture_rich_board).move
    assert engine.statistics == plain.statistics


@given(depth=st.integers(0, 40), number=st.integers(0, 200))
@examples()
def test_reductions_leave_a_ply_and_grow(depth: int, number: int) -> None:
    less = reduction(depth, number)
    assert 0 <= less <= max(0, depth - 2)
    assert less <= reduction(depth + 1, number) and less <= reduction(depth, number + 1)
    assert number >= 3 or less == 0


@given(board=positions(max_plies=60))
@examples(60)
def test_quiet_moves_change_no_material(board: chess.Board) -> None:
    for move in list(board.legal_moves):
        quiet, count, pawns = is_quiet(board, move), len(board.piece_map()), board.pawns
        check = board.is_check()
        board.push(move)
        same = len(board.piece_map()) == count
        same &= chess.popcount(board.pawns) == chess.popcount(pawns)
        board.pop()
        assert quiet == (same and not check)


@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        (BACK_RANK, 1),
        ("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 3),
        ("5k2/6pp/p1qN4/1p1p4/3P4/2PKP2Q/PP3r2/3R4 b - - 0 1", -3),
        ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", -5),
    ],
)
def test_mates_are_found_at_their_true_distance(fen: str, mate: int) -> None:
    engine = Selecting()
    engine.play(chess.Board(fen), chess.engine.Limit(nodes=7000))
    score = engine.iterations[-1].best.score
    assert score == math.copysign(engine.evaluator.value_checkmate - abs(mate), mate)


@pytest.mark.parametrize(
    ("selection", "depth", "values", "windows"),
    [
        (Selection.NONE, 3, [10], [(-math.inf, math.inf)]),
        (Selection.ASPIRATION, 2, [10], [(-math.inf, math.inf)]),
        (Selection.ASPIRATION, 3, [10], [(-30, 50)]),
        (Selection.ASPIRATION, 3, [-30, -70], [(-30, 50), (-math.inf, 50)]),
        (Selection.ASPIRATION, 3, [50, 99], [(-30, 50), (-30, math.inf)]),
    ],
)
def test_a_window_that_fails_is_opened_on_that_side(
    selection: Selection, depth: int, values: list[float], windows: list[tuple[float, float]]
) -> None:
    for board, last in ((chess.Board(), 10), (chess.Board().mirror(), -10)):
        move = next(iter(board.legal_moves))
        engine = Selecting(selection=selection)
        engine.report(Iteration(depth - 1, ScoredMove(last, move), False, 0))
        script = list(values)
        search = unittest.mock.Mock(
            side_effect=lambda *_, left=script, move=move: (left.pop(0), move)
        )
        with unittest.mock.patch.object(engine, "_search_root", search):
            assert engine._root_value(board, depth, [move]) == (values[-1], move)
        assert [call.args[3:] for call in search.call_args_list] == windows


def test_moves_that_fail_low_keep_their_order() -> None:
    engine, board = Selecting(), capture_rich_board.copy()
    engine._begin(board)
    moves = list(board.legal_moves)
    engine._search_root(board, 1, moves, 9000, 9001)
    assert moves == list(board.legal_moves)


def test_futility_margins_cover_the_depths_that_are_pruned() -> None:
    assert list(FUTILITY_MARGINS) == sorted(FUTILITY_MARGINS)
    engine = Selecting(selection=Selection.FUTILITY)
    board = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    quiet = chess.Move.from_uci("e2e4")
    static = engine.evaluator.heuristic(board)
    for depth, margin in enumerate(FUTILITY_MARGINS[1:], start=1):
        alpha = static + margin
        assert engine.value_of(board, quiet, depth, 1, alpha) == alpha
        assert engine.statistics.nodes == 0
    engine.value_of(board, quiet, 1, 0, static + 500)
    assert engine.statistics.nodes > 0, "the first move is searched"
    engine = Selecting(selection=Selection.FUTILITY)
    engine.value_of(board, quiet, 1, 1, engine.evaluator.value_checkmate - 5)
    assert engine.statistics.nodes > 0, "a mate is no matter of margins"


class Scripted(Selecting):
    """Gives the values of a script, from the view of the side to move, and notes what is asked."""

    def __init__(self, selection: Selection, script: list[float]) -> None:
        super().__init__(selection=selection)
        self.script, self.asked = script, list[tuple[int, float, float]]()

    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        self.asked.append((depth, alpha, beta))
        return -self.script[len(self.asked) - 1]


@pytest.mark.parametrize(
    ("selection", "script", "asked"),
    [
        # A reduced search that beats beta is believed no more than one that beats alpha.
        (Selection.LATE_MOVES, [200, 50], [(3, -1, 0), (4, -100, 0)]),
        (Selection.LATE_MOVES, [50, 200], [(3, -1, 0), (4, -100, 0)]),
        (Selection.LATE_MOVES, [0], [(3, -1, 0)]),
        (Selection.PRINCIPAL_VARIATION, [0], [(4, -1, 0)]),
        (Selection.PRINCIPAL_VARIATION, [100], [(4, -1, 0)]),
        (Selection.PRINCIPAL_VARIATION, [50, 60], [(4, -1, 0), (4, -100, 0)]),
        (
            Selection.PRINCIPAL_VARIATION | Selection.LATE_MOVES,
            [200, 50, 60],
            [(3, -1, 0), (4, -1, 0), (4, -100, 0)],
        ),
        (
            Selection.PRINCIPAL_VARIATION | Selection.LATE_MOVES,
            [200, -50],
            [(3, -1, 0), (4, -1, 0)],
        ),
        (Selection.NONE, [50], [(4, -100, 0)]),
    ],
)
def test_a_late_move_is_searched_again_as_deep_and_wide_as_it_must_be(
    selection: Selection, script: list[float], asked: list[tuple[int, float, float]]
) -> None:
    board = chess.Board()
    engine = Scripted(selection, script)
    engine._begin(board)
    value = engine._move_value(board, chess.Move.from_uci("a2a3"), 5, 0, 100, 5)
    assert (value, engine.asked) == (script[-1], asked)
    assert not board.move_stack and engine.evaluator.get_score() == 0


def test_reductions_begin_where_the_chapter_says() -> None:
    places = ((2, 9), (3, 2), (3, 3), (4, 8), (5, 7), (5, 8))
    assert [reduction(*place) for place in places] == [0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"),  # a capture
        ("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8n"),  # a promotion
        ("4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "e1d2"),  # an answer to a check
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"),  # a check
    ],
)
def test_other_late_moves_are_not_reduced(fen: str, move: str) -> None:
    board, engine = chess.Board(fen), Scripted(Selection.LATE_MOVES, [50])
    engine._begin(board)
    engine._move_value(board, chess.Move.from_uci(move), 5, 0, 100, 5)
    assert engine.asked == [(4, -100, 0)]


@pytest.mark.parametrize(("more", "refutes"), [(-1, False), (0, True)])
def test_a_null_move_refutes_where_it_reaches_beta(more: int, refutes: bool) -> None:
    board, engine = chess.Board(), Scripted(Selection.NULL_MOVE, [])
    board.push_san("e4")
    engine._begin(board)
    beta = engine.evaluator.get_score()
    engine.script.append(beta + more)
    assert engine._null_move_refutes(board, 5, beta) == refutes
    assert engine.asked == [(2, -beta, 1 - beta)]


def test_the_full_selection_has_every_part() -> None:
    assert Selection.FULL is reduce(operator.or_, Selection)
    safe = Selection.PRINCIPAL_VARIATION | Selection.ASPIRATION
    assert Selection.SAFE is safe
    assert SelectiveEngine(IncrementalEvaluator()).selection == Selection.FULL


@pytest.mark.parametrize(
    ("fen", "pieces"),
    [
        ("4k3/p7/8/8/8/8/P7/N3K3 w - - 0 1", True),
        ("n3k3/p7/8/8/8/8/P7/4K3 w - - 0 1", False),
        ("q3k3/8/8/8/8/8/8/R3K3 w - - 0 1", True),
    ],
)
def test_a_null_move_needs_a_piece_of_the_side_to_move(fen: str, pieces: bool) -> None:
    board = chess.Board(fen)
    assert has_pieces(board) is has_pieces(board.mirror()) is pieces


@pytest.mark.parametrize(
    ("start", "moves", "depth", "more", "passes"),
    [
        (chess.STARTING_FEN, "e4", 3, 0, True),
        (chess.STARTING_FEN, "e4", 2, 0, False),  # too near the leaves
        (chess.STARTING_FEN, "e4", 3, 1, False),  # the static score is below beta
        (chess.STARTING_FEN, "e4", 5, -29_900, False),  # beta is a mate
        (chess.STARTING_FEN, "e4", 5, -29_000, True),
        (chess.STARTING_FEN, "", 5, 0, False),  # the last move is not known
        (chess.STARTING_FEN, "e4 --", 5, 0, False),  # two passes
        ("4k2n/8/8/8/8/8/4P3/R3K3 w - - 0 1", "Ra8+", 5, 0, False),  # in check
        ("n3k3/8/8/8/8/8/4P3/R3K3 w - - 98 90", "Ra7", 5, 0, True),
        ("n3k3/8/8/8/8/8/4P3/R3K3 w - - 99 90", "Ra7", 5, 0, False),  # a draw by rule
    ],
)
def test_a_null_move_is_tried_only_where_the_chapter_says(
    start: str, moves: str, depth: int, more: float, passes: bool
) -> None:
    board, engine = chess.Board(start), Scripted(Selection.NULL_MOVE, [math.inf])
    for san in moves.split():
        board.push_san(san)
    engine._begin(board)
    beta = engine.evaluator.get_score() + more
    assert engine._null_move_refutes(board, depth, beta) == passes
    assert len(engine.asked) == passes


def test_a_node_that_a_null_move_refutes_is_counted() -> None:
    for moves, nodes in (("e4", (0, 1)), ("e4 e5", (1, 0))):
        board, engine = after(chess.STARTING_FEN, moves), Scripted(Selection.NULL_MOVE, [math.inf])
        engine._begin(board)
        beta = engine.evaluator.get_score()
        assert engine._search(board, 4, beta - 1, beta) == (beta, None)
        counted = engine.statistics
        assert (counted.max_nodes, counted.min_nodes, counted.cut_offs) == (*nodes, 1)


@pytest.mark.parametrize(("move", "searched"), [("a1a8", True), ("a1a7", False)])
def test_a_quiet_check_is_never_futile(move: str, searched: bool) -> None:
    engine = Selecting(selection=Selection.FUTILITY)
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    alpha = engine.evaluator.heuristic(board) + 1000
    engine.value_of(board, chess.Move.from_uci(move), 1, 1, alpha)
    assert (engine.statistics.nodes > 0) == searched
