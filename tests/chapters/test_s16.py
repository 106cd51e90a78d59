"""Quiescence search and static exchange, against definitions and on many positions."""

from __future__ import annotations

import math
import unittest.mock

import chess
import chess.engine
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import FirstMoveEngine
from converted_notebooks.s12_piece_square_tables import CENTIPAWNS
from converted_notebooks.s13_incremental_evaluation import IncrementalEvaluator
from converted_notebooks.s14_move_ordering import Ordering
from converted_notebooks.s15_transposition_table import TableEngine, TranspositionTable
from converted_notebooks.s16_quiescence_search import (
    EXCHANGES,
    TACTICS,
    CaptureChoice,
    QuiescenceEngine,
    all_captures,
    captures_and_promotions,
    exchange_gains,
    fair_captures,
    gain,
    good_captures,
    hopeful_captures,
    solves,
    static_exchange,
)
from converted_notebooks.s17_selective_search import SelectiveEngine
from tests.helpers.engines import Noting
from tests.helpers.generated import examples
from tests.helpers.positions import mirrored, positions
from tests.helpers.properties import assert_bound, unchanged

Limit = chess.engine.Limit


class Settling(QuiescenceEngine):
    """Shows its quiescence search alone; there is no delta pruning unless it is asked for."""

    def __init__(self, depth: int = 2, *, captures: CaptureChoice = fair_captures):
        table = TranspositionTable(1)
        super().__init__(IncrementalEvaluator(), depth, table=table, captures=captures)

    def settle(self, board: chess.Board, alpha: float = -math.inf, beta: float = math.inf) -> float:
        """The value of a position; everything that follows the board must come back."""
        copy = board.copy(stack=False)
        self._begin(copy)
        before = self.evaluator.get_score(), self.keys.key()
        with unchanged(copy):
            value = self._quiescence(copy, alpha, beta)
        assert (self.evaluator.get_score(), self.keys.key()) == before
        return value

    def chosen(self, board: chess.Board, missing: float = -math.inf) -> set[chess.Move]:
        """The captures that it searches."""
        self._begin(board)
        return set(self._captures(board, missing))

    def best_of(self, board: chess.Board, moves: list[chess.Move]) -> float:
        """The value of the best of these moves at its depth."""
        self.new_game()
        self._begin(board)
        depth = self.max_look_ahead_depth
        return self._search_root(board, depth, moves, -math.inf, math.inf)[0]


def exchange_by_search(board: chess.BaseBoard, color: chess.Color, square: chess.Square) -> int:
    """Take with the least valuable piece, or stop; on copies, without pins."""
    takers = []
    for start in board.attackers(color, square):
        after = board.copy()
        piece = after.remove_piece_at(start)
        assert piece is not None
        if piece.piece_type < chess.KING or not after.attackers(not color, square):
            takers.append((piece.piece_type, start))
    if not takers:
        return 0
    after = board.copy()
    victim = after.piece_type_at(square)
    assert victim is not None
    after.set_piece_at(square, after.remove_piece_at(min(takers)[1]))
    return max(0, CENTIPAWNS[victim] - exchange_by_search(after, not color, square))


def material(board: chess.Board, color: chess.Color) -> int:
    kinds = CENTIPAWNS.items()
    return sum(
        v * (len(board.pieces(k, color)) - len(board.pieces(k, not color))) for k, v in kinds
    )


@given(board=positions(max_plies=80))
@examples()
def test_gain_is_what_the_material_says_and_exchange_what_a_search_says(
    board: chess.Board,
) -> None:
    image = board.mirror()
    for move in list(board.legal_moves):
        with unchanged(board):
            exchange, predicted = static_exchange(board, move), gain(board, move)
        assert exchange_gains(board, move)[0] == predicted >= exchange
        assert static_exchange(image, mirrored(move)) == exchange
        turn, before = board.turn, material(board, board.turn)
        board.push(move)
        assert material(board, turn) - before == predicted
        pieces = chess.BaseBoard(board.board_fen())
        answer = exchange_by_search(pieces, board.turn, move.to_square)
        board.pop()
        assert exchange == predicted - answer, (board.fen(), move)


BEHIND = ("4k3/2p5/8/3pP3/8/8/8/3RK3 w - d6 0 1", "exd6", 100)  # the rook sees d6 now


@pytest.mark.parametrize(("fen", "san", "value"), [*EXCHANGES, BEHIND])
def test_known_exchanges_hold_for_both_sides(fen: str, san: str, value: int) -> None:
    board = chess.Board(fen)
    move, image = board.parse_san(san), board.mirror()
    assert board.is_valid() and static_exchange(board, move) == value
    assert static_exchange(image, mirrored(move)) == value


@given(board=positions(max_plies=80))
@examples()
def test_captures_and_promotions_are_the_legal_ones_once(board: chess.Board) -> None:
    found = list(captures_and_promotions(board))
    assert len(found) == len(set(found))
    assert set(found) == {
        move
        for move in board.legal_moves
        if board.is_capture(move) or move.promotion == chess.QUEEN
    }


@given(
    board=positions(max_plies=60), missing=st.sampled_from([300, 301, 520, 521, 530, 531, 700, 701])
)
@examples(40)
def test_the_captures_left_out_are_those_promised(board: chess.Board, missing: int) -> None:
    assume(not board.is_check())
    moves = set(captures_and_promotions(board))
    assert Settling().chosen(board) == {m for m in moves if static_exchange(board, m) >= 0}
    assert Settling(captures=all_captures).chosen(board) == moves
    hopeful = {m for m in moves if gain(board, m) + 200 >= missing}
    assert Settling(captures=hopeful_captures).chosen(board, missing) == hopeful
    both = hopeful & Settling().chosen(board)
    assert Settling(captures=good_captures).chosen(board, missing) == both


@given(board=positions(max_plies=60), captures=st.sampled_from([all_captures, fair_captures]))
@examples(40)
def test_null_windows_agree_with_the_full_window(
    board: chess.Board, captures: CaptureChoice
) -> None:
    exchanges = captures is fair_captures
    assume(exchanges or sum(1 for _ in captures_and_promotions(board)) < 6)
    assume(exchanges or len(board.piece_map()) < 20)
    engine = Settling(captures=captures)
    value = engine.settle(board)
    for alpha in (value - 300, value - 1, value, value + 150):
        assert_bound(engine.settle(board, alpha, alpha + 1), value, alpha, alpha + 1)


@given(board=positions(max_plies=60))
@examples(60)
def test_standing_pat_is_a_lower_limit_except_in_check(board: chess.Board) -> None:
    engine = Settling(captures=good_captures)
    value = engine.settle(board)
    if not board.is_check():
        static = IncrementalEvaluator().heuristic(board)
        assert value >= static
        engine.captures = choice = unittest.mock.Mock(return_value=[])
        assert engine.settle(board, static + 50, static + 60) == static
        assert engine.settle(board, static - 1, static) == static
        (call,) = choice.call_args_list  # none where the static score reaches beta
        assert call.args[1] == 50
    else:
        values = []
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            values.append(-Settling(captures=good_captures).settle(after))
        mates = engine.evaluator.value_checkmate - 500
        assert value == max(values) or abs(value) > mates  # a mate counts plies from the root


@pytest.mark.parametrize(
    "fen",
    [
        "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1",
        "6rk/5Npp/8/8/8/8/8/K7 b - - 0 1",
        "7k/6Q1/6K1/8/8/8/q7/8 b - - 0 1",
    ],
)
def test_a_mated_side_never_stands_pat(fen: str) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        assert board.is_checkmate()
        engine = Settling()
        mate = -engine.evaluator.value_checkmate
        assert engine.settle(board) == engine.settle(board, 100, 101) == mate
        engine.evasions = False
        assert engine.settle(board) > mate


@pytest.mark.parametrize("epd", TACTICS)
def test_tactics_are_right(epd: str) -> None:
    """Best moves are clearly better than all others, bad moves clearly worse, three plies on."""
    board, operations = chess.Board.from_epd(epd)
    assert board.is_valid()
    named = next(operations[key] for key in ("bm", "am") if key in operations)
    assert isinstance(named, list)
    others = [move for move in board.legal_moves if move not in named]
    engine = Settling(3)
    difference = engine.best_of(board, named) - engine.best_of(board, others)
    assert difference >= 100 if "bm" in operations else difference <= -100


def test_solves_compares_the_move_with_the_operation() -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K7 w - - 0 1")
    played, other, *_ = map(board.san, board.legal_moves)
    for operation, right in (("bm", played), ("am", other)):
        for san in (played, other):
            epd = f"{board.epd()} {operation} {san};"
            assert solves(FirstMoveEngine(), epd, Limit(depth=1)) == (san == right)
    with pytest.raises(ValueError, match="bm or am"):
        solves(Settling(), "k7/8/8/8/8/8/8/K7 w - - id 1;", Limit(nodes=50))


def test_quiet_positions_cost_nothing_behind_the_horizon() -> None:
    board = chess.Board("4k3/pp4pp/8/8/8/8/PP4PP/4K3 w - - 0 1")
    engine, plain = Settling(3), TableEngine(IncrementalEvaluator(), 3)
    assert engine.play(board).move == plain.play(board).move
    assert engine.iterations[-1].best.score == plain.iterations[-1].best.score
    assert engine.statistics.quiescence_nodes == 0


@pytest.mark.parametrize("kind", [QuiescenceEngine, SelectiveEngine])
def test_the_arguments_are_those_of_the_engines_before(kind: type[QuiescenceEngine]) -> None:
    evaluator, table = IncrementalEvaluator(), TranspositionTable(1)
    simple, choice = Ordering.SIMPLE, all_captures
    engine = kind(evaluator, 3, simple, table, True, captures=choice, evasions=False)
    assert engine.evaluator is evaluator and engine.table is table and engine.exact_depth
    assert (engine.max_look_ahead_depth, engine.orderer.ordering) == (3, simple)
    assert engine.captures is choice and not engine.evasions
    usual = kind(evaluator)
    assert usual.evasions and not usual.exact_depth and usual.use_values
    assert (usual.max_look_ahead_depth, usual.orderer.ordering) == (2, Ordering.FULL)


def test_unless_another_choice_is_given_only_good_captures_are_searched() -> None:
    board = chess.Board("4k3/8/2p5/3p4/7p/6P1/8/3RK3 w - - 0 1")  # Rxd5 loses the rook
    engine = QuiescenceEngine(IncrementalEvaluator())
    assert [board.san(move) for move in engine._captures(board, 300)] == ["gxh4"]
    assert engine._captures(board, 301) == [], "a pawn and the margin do not reach alpha"


def test_each_move_beyond_the_depth_is_counted() -> None:
    board = chess.Board("4k3/8/2p5/3n4/4P3/8/8/4K3 w - - 0 1")  # exd5, and cxd5 takes back
    engine = QuiescenceEngine(IncrementalEvaluator(), captures=all_captures)
    engine._begin(board)
    engine._quiescence(board, -math.inf, math.inf)
    counted = engine.statistics
    assert (counted.quiescence_nodes, counted.nodes, counted.visited) == (2, 0, 2)


def test_a_mate_by_a_capture_beyond_the_depth_counts_its_plies() -> None:
    board = chess.Board("6rk/6pp/8/6N1/8/8/8/K6Q w - - 0 1")  # Qxh7 mates
    for image in (board, board.mirror()):
        engine = QuiescenceEngine(IncrementalEvaluator())
        engine._begin(image)
        mate = engine.evaluator.value_checkmate
        found = engine._quiescence(image, -math.inf, math.inf)
        assert found == mate - 1


def test_solves_starts_a_new_game_and_searches_to_the_limit() -> None:
    engine, limit = Noting(), Limit(nodes=7)
    solves(engine, "k7/8/8/8/8/8/8/K7 w - - bm Kb1;", limit)
    assert engine.told == [("new game", None), limit]
