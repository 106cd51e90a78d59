"""Quiescence search and static exchange, against definitions and on many positions."""

from __future__ import annotations

import math

import chess
import chess.engine
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from converted_notebooks.s12_piece_square_tables import CENTIPAWNS
from converted_notebooks.s13_incremental_evaluation import IncrementalEvaluator
from converted_notebooks.s15_transposition_table import TableEngine, TranspositionTable
from converted_notebooks.s16_quiescence_search import (
    EXCHANGES,
    TACTICS,
    CaptureSearchEngine,
    QuiescenceEngine,
    captures_and_promotions,
    exchange_gains,
    gain,
    solves,
    static_exchange,
)
from tests.generated import examples
from tests.positions import mirrored, positions
from tests.searches import assert_obeys_nodes_and_repeats, assert_takes_all_back_and_repeats

SOUND = {"delta_pruning": False}


def new(depth: int = 2, **options: bool) -> QuiescenceEngine:
    return QuiescenceEngine(IncrementalEvaluator(), depth, table=TranspositionTable(1), **options)


def settle(engine: CaptureSearchEngine, board: chess.Board, alpha: float, beta: float) -> float:
    """Quiescence alone; everything that follows the board must come back."""
    copy = board.copy(stack=False)
    engine._begin(copy)
    before = copy.fen(), engine.evaluator.get_score(), engine.keys.key()
    value = engine._quiescence(copy, alpha, beta)
    assert (copy.fen(), engine.evaluator.get_score(), engine.keys.key()) == before
    assert not copy.move_stack
    assert len(engine.evaluator._scores) == len(engine.keys._keys) == 1
    return value


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


@given(board=positions(max_plies=120))
@examples(150)
def test_gain_is_what_the_material_says_and_exchange_what_a_search_says(
    board: chess.Board,
) -> None:
    for move in list(board.legal_moves):
        fen, predicted = board.fen(), gain(board, move)
        exchange, gains = static_exchange(board, move), exchange_gains(board, move)
        assert board.fen() == fen and gains[0] == predicted >= exchange
        turn, before = board.turn, material(board, board.turn)
        board.push(move)
        assert material(board, turn) - before == predicted
        pieces = chess.BaseBoard(board.board_fen())
        answer = exchange_by_search(pieces, board.turn, move.to_square)
        board.pop()
        assert exchange == predicted - answer, (fen, move)


@given(board=positions(max_plies=120))
@examples(60)
def test_exchange_of_the_mirror_image_is_the_same(board: chess.Board) -> None:
    image = board.mirror()
    for move in captures_and_promotions(board):
        assert static_exchange(board, move) == static_exchange(image, mirrored(move))


@given(board=positions(max_plies=120))
@examples(150)
def test_captures_and_promotions_are_the_legal_ones_once(board: chess.Board) -> None:
    found = list(captures_and_promotions(board))
    assert len(found) == len(set(found))
    assert set(found) == {
        move
        for move in board.legal_moves
        if board.is_capture(move) or move.promotion == chess.QUEEN
    }


@given(board=positions(max_plies=100), exchanges=st.booleans())
@examples(60)
def test_null_windows_agree_with_the_full_window(board: chess.Board, exchanges: bool) -> None:
    assume(exchanges or sum(1 for _ in captures_and_promotions(board)) < 6)
    assume(exchanges or len(board.piece_map()) < 20)
    engine = new(exchanges=exchanges, **SOUND)
    value = settle(engine, board, -math.inf, math.inf)
    for alpha in (value - 300, value - 1, value, value + 150):
        bound = settle(engine, board, alpha, alpha + 1)
        if bound <= alpha:
            assert value <= bound, "an upper bound"
        else:
            assert bound >= alpha + 1 and value >= bound, "a lower bound"


@given(board=positions(max_plies=100))
@examples(100)
def test_standing_pat_is_a_lower_limit_except_in_check(board: chess.Board) -> None:
    engine = new()
    value = settle(engine, board, -math.inf, math.inf)
    if not board.is_check():
        assert value >= IncrementalEvaluator().heuristic(board)
    elif not board.is_checkmate():
        values = []
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            values.append(-settle(new(), after, -math.inf, math.inf))
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
        engine = new()
        mate = -engine.evaluator.value_checkmate
        assert settle(engine, board, -math.inf, math.inf) == mate
        assert settle(engine, board, 100, 101) == mate
        assert settle(new(evasions=False), board, -math.inf, math.inf) > mate


@given(board=positions(max_plies=80), depth=st.integers(1, 2))
@examples(25)
def test_a_search_leaves_everything_as_it_was_and_can_be_repeated(
    board: chess.Board, depth: int
) -> None:
    assert_takes_all_back_and_repeats(new(depth), board)


@pytest.mark.parametrize("nodes", [1, 7, 60, 500])
def test_limits_of_nodes_count_captures_too(nodes: int) -> None:
    assert_obeys_nodes_and_repeats(new, nodes, most_visits=nodes)


@given(board=positions(max_plies=60))
@examples(20)
def test_the_captures_left_out_are_those_promised(board: chess.Board) -> None:
    moves = list(captures_and_promotions(board))
    assume(not board.is_check() and len(moves) < 4 and len(board.piece_map()) < 16)
    engine = new(**SOUND)
    chosen = set(_listed(engine, board))
    assert chosen == {move for move in moves if static_exchange(board, move) >= 0}
    everything = new(exchanges=False, **SOUND)
    assert set(_listed(everything, board)) == set(moves)
    hopeless = {m for m in moves if gain(board, m) + 200 >= 700}
    pruned = new(exchanges=False)
    assert set(pruned._captures(board, 700)) == hopeless


def _listed(engine: QuiescenceEngine, board: chess.Board) -> list[chess.Move]:
    return engine._captures(board, -math.inf)


@pytest.mark.parametrize(("fen", "san", "value"), EXCHANGES)
def test_known_exchanges_hold_for_the_other_side(fen: str, san: str, value: int) -> None:
    board = chess.Board(fen)
    move = board.parse_san(san)
    image = board.mirror()
    assert image.is_valid() and static_exchange(image, mirrored(move)) == value


@pytest.mark.parametrize("epd", TACTICS)
def test_tactics_are_right(epd: str) -> None:
    """Best moves are clearly better than all others, bad moves clearly worse, four plies on."""
    board, operations = chess.Board.from_epd(epd)
    assert board.is_valid()
    named = [move for key in ("bm", "am") for move in operations.get(key, ())]  # type: ignore[union-attr]
    others = [move for move in board.legal_moves if move not in named]
    engine = new(4, **SOUND)
    root = board.copy(stack=False)

    def best(moves: list[chess.Move]) -> float:
        engine.new_game()
        engine._begin(root)
        return engine._search_root(root, 4, moves, -math.inf, math.inf)[0]

    difference = best(named) - best(others)  # type: ignore[arg-type]
    assert difference >= 100 if "bm" in operations else difference <= -100


def test_solves_needs_an_operation() -> None:
    limit = chess.engine.Limit(nodes=50)
    with pytest.raises(ValueError, match="bm or am"):
        solves(new(), "k7/8/8/8/8/8/8/K7 w - - id 1;", limit)


def test_quiet_positions_cost_nothing_behind_the_horizon() -> None:
    board = chess.Board("4k3/pp4pp/8/8/8/8/PP4PP/4K3 w - - 0 1")
    engine, plain = new(3), TableEngine(IncrementalEvaluator(), 3)
    assert engine.play(board).move == plain.play(board).move
    assert engine.iterations[-1].best.score == plain.iterations[-1].best.score
    assert engine.statistics.quiescence_nodes == 0
