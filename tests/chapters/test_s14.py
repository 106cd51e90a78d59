"""Move ordering: it may change how much is searched, never what is found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import chess
import chess.engine
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from converted_notebooks.s09_minimax_engine import middlegame_board
from converted_notebooks.s11_iterative_deepening import memory, position_key
from converted_notebooks.s12_piece_square_tables import CENTIPAWNS
from converted_notebooks.s13_incremental_evaluation import IncrementalEngine, IncrementalEvaluator
from converted_notebooks.s14_move_ordering import (
    CAPTURE_FIRST,
    CAPTURE_SCORE,
    KILLER_SCORE,
    MOST_HISTORY,
    MoveOrderer,
    OrderedEngine,
    Ordering,
    in_stages,
    mvv_lva,
    simple_score,
)
from tests.helpers.generated import examples
from tests.helpers.positions import mirrored, positions
from tests.helpers.properties import assert_plays, assert_same_scores, by_move, unchanged

ORDERINGS = [
    Ordering.NONE,
    *Ordering,
    Ordering.FULL,
    Ordering.FULL | Ordering.LAST_ITERATION,
    Ordering.SIMPLE | Ordering.HASH_MOVE | Ordering.KILLERS,
]
Limit = chess.engine.Limit
chances = st.lists(st.integers(0, 255), min_size=7, max_size=7)


@given(board=positions(), chosen=chances, ordering=st.sampled_from(ORDERINGS))
@examples(60)
def test_ordered_is_a_permutation_that_keeps_equals_in_place(
    board: chess.Board, chosen: list[int], ordering: Ordering
) -> None:
    moves = list(board.legal_moves)
    orderer = MoveOrderer(ordering)
    for number in chosen[1:]:
        orderer.cut_off(board, moves[number % len(moves)], 1 + number % 5)
    with unchanged(board):
        once = orderer.ordered(board, moves)
    assert sorted(map(str, once)) == sorted(map(str, moves))
    assert orderer.ordered(board, once) == once
    if ordering in (Ordering.NONE, Ordering.HASH_MOVE, Ordering.LAST_ITERATION):
        assert once == moves


@given(board=positions(), number=st.integers(0, 255), ordering=st.sampled_from(ORDERINGS))
@examples(60)
def test_each_legal_move_comes_once_the_hash_move_first(
    board: chess.Board, number: int, ordering: Ordering
) -> None:
    moves = list(board.legal_moves)
    # A move of another position, as two positions with one key would give, is left out.
    illegal = [m for m in (chess.Move.from_uci("e2e5"), chess.Move.null()) if m not in moves]
    hash_move = [*moves, *illegal][number % (len(moves) + len(illegal))]
    engine = OrderedEngine(IncrementalEvaluator(), 2, ordering)
    engine.best_moves[position_key(board)] = hash_move
    with unchanged(board):
        found = list(engine._moves(board, 2))
    assert sorted(map(str, found)) == sorted(map(str, moves))
    if Ordering.HASH_MOVE in ordering and hash_move in moves:
        assert found[0] == hash_move


class CountingBoard(chess.Board):
    """Counts how often moves were generated."""

    generated = 0

    def generate_legal_moves(self, *masks: int, **more: int) -> Iterator[chess.Move]:
        self.generated += 1
        return super().generate_legal_moves(*masks, **more)


@given(board=positions())
@examples(60)
def test_stages_have_each_move_once_and_are_generated_when_they_are_asked_for(
    board: chess.Board,
) -> None:
    first, second = map(list, in_stages(board))
    assert sorted(map(str, [*first, *second])) == sorted(map(str, board.legal_moves))
    assert all(board.is_en_passant(m) for m in second if board.is_capture(m) or m.promotion)
    seventh = chess.BB_RANK_7 if board.turn else chess.BB_RANK_2
    if not board.pawns & board.occupied_co[board.turn] & seventh:
        assert all(map(board.is_capture, first))
    counting = CountingBoard(board.fen(), chess960=board.chess960)
    moves = OrderedEngine(IncrementalEvaluator())._moves(counting, 1)
    for number, _ in enumerate(moves):
        assert counting.generated == 1 + (number >= len(first))


@example(board=chess.Board("8/4P1k1/8/3p4/4P3/8/8/4K3 w - - 0 1"))  # e8=Q before exd5
@example(board=chess.Board("n7/4P1k1/8/8/8/8/8/R3K3 w - - 0 1"))  # Rxa8 before e8=N
@given(board=positions())
@examples(40)
def test_gains_rule_and_quiet_moves_score_nothing(board: chess.Board) -> None:
    def worth(move: chess.Move) -> tuple[int, int]:
        """What is won, by promotion as well; of equal gains, the least attacker."""
        attacker = board.piece_type_at(move.from_square)
        victim = board.piece_type_at(move.to_square) or chess.PAWN
        assert attacker is not None
        won = CENTIPAWNS[victim] if board.is_capture(move) else 0
        if move.promotion:
            won += CENTIPAWNS[move.promotion] - CENTIPAWNS[chess.PAWN]
        return won, -attacker

    moves, mirror = list(board.legal_moves), board.mirror()
    for move in moves:
        assert (mvv_lva(board, move) > 0) == bool(board.is_capture(move) or move.promotion)
        steps = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
        steps *= 1 if board.turn else -1
        way = "forward" if steps > 0 else "backward" if steps else "sideways"
        expected = "capture" if board.is_capture(move) else way
        assert simple_score(board, move) == CAPTURE_FIRST[expected]
        assert mvv_lva(board, move) == mvv_lva(mirror, mirrored(move))
        assert simple_score(board, move) == simple_score(mirror, mirrored(move))
    captures = [m for m in moves if board.is_capture(m) or m.promotion]
    by_score = sorted(captures, key=lambda move: mvv_lva(board, move))
    assert [worth(move) for move in by_score] == sorted(map(worth, captures))


def test_castling_in_chess960_is_no_capture_of_the_own_rook() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", chess960=True)
    (castling,) = filter(board.is_castling, board.legal_moves)
    assert mvv_lva(board, castling) == 0


def test_the_groups_of_moves_never_mix() -> None:
    least = min(CENTIPAWNS[k] for k in (chess.PAWN, chess.KNIGHT))
    assert MOST_HISTORY < KILLER_SCORE - 1 < CAPTURE_SCORE + least
    orderer = MoveOrderer()
    for _ in range(10_000):
        orderer.cut_off(chess.Board(), chess.Move.from_uci("e2e4"), 60)
    assert set(orderer.history.values()) == {MOST_HISTORY}


def test_killers_are_two_for_each_ply_newest_first_and_quiet() -> None:
    board = chess.Board("4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1")
    orderer = MoveOrderer()
    rook, king, pawn, capture = map(board.parse_san, ("Rh5", "Kd2", "e5", "exd5"))
    for move in (rook, capture, king, rook, pawn):
        orderer.cut_off(board, move, 1)
    assert orderer.killers == {0: [pawn, king]}
    orderer.cut_off(board, rook, 3)
    assert orderer.history[chess.WHITE, rook.from_square, rook.to_square] == 1 + 1 + 3 * 3
    assert orderer.killers == {0: [rook, pawn]}
    assert orderer.ordered(board, board.legal_moves)[:3] == [capture, rook, pawn]
    assert (chess.WHITE, capture.from_square, capture.to_square) not in orderer.history
    board.push(rook)
    orderer.cut_off(board, board.parse_san("Kd7"), 1)
    assert orderer.killers[0] == [rook, pawn] and len(orderer.killers[1]) == 1


@pytest.mark.parametrize(
    ("ordering", "learns"),
    [
        (Ordering.KILLERS, (True, False)),
        (Ordering.HISTORY, (False, True)),
        (Ordering.MVV_LVA, (False, False)),
    ],
)
def test_a_switch_that_is_off_learns_nothing(ordering: Ordering, learns: tuple[bool, bool]) -> None:
    engine = OrderedEngine(IncrementalEvaluator(), 3, ordering)
    engine.play(middlegame_board)
    assert (bool(engine.orderer.killers), bool(engine.orderer.history)) == learns
    assert not engine.best_moves


@given(board=positions(max_plies=30))
@examples(6)
def test_every_ordering_finds_the_same_and_plays_a_best_move(board: chess.Board) -> None:
    depth = 3 if board.legal_moves.count() < 12 else 2
    plain = IncrementalEngine(IncrementalEvaluator(), depth, best_first=False)
    scored = plain.analyse(board)
    for ordering in ORDERINGS:
        engine = OrderedEngine(IncrementalEvaluator(), depth, ordering)
        # Played first, and stopped before: what is cached must not spoil `analyse`.
        assert_plays(engine, board, Limit(nodes=50))
        move = assert_plays(engine, board)
        assert by_move(scored)[move] == engine.iterations[-1].best.score == scored[0].score
        assert engine.statistics.first_cut_offs <= engine.statistics.cut_offs
        assert_same_scores(engine, plain, board)


@given(board=positions(max_plies=30))
@examples(6)
def test_without_an_ordering_the_nodes_are_those_of_the_engine_before(board: chess.Board) -> None:
    depth = 3 if board.legal_moves.count() < 16 else 2
    plain = IncrementalEngine(IncrementalEvaluator(), depth, best_first=False)
    engine = OrderedEngine(IncrementalEvaluator(), depth, Ordering.NONE)
    for one in (plain, engine):
        one.play(board)
    assert dataclasses.replace(engine.statistics, first_cut_offs=0) == plain.statistics


@pytest.mark.parametrize(("beta", "first"), [(-1000, 1), (80, 0)])
def test_cut_offs_by_the_first_move_are_counted(beta: float, first: int) -> None:
    """The king's moves come first and are worth 10 at most; exd5 is worth 125."""
    board = chess.Board("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    engine = OrderedEngine(IncrementalEvaluator(), 2, Ordering.NONE)
    engine._begin(board)
    engine._search(board, 1, -math.inf, beta)
    assert (engine.statistics.cut_offs, engine.statistics.first_cut_offs) == (1, first)


def remember_the_last_as_best(
    engine: OrderedEngine, board: chess.Board, moves: list[chess.Move]
) -> None:
    """Fills the memory of an iteration one ply deep: the later a move comes, the better it was."""
    for value, move in enumerate(reversed(moves)):
        board.push(move)
        memory(engine, OrderedEngine._value)[1, position_key(board)] = (value, value)
        board.pop()


@pytest.mark.parametrize(
    ("ordering", "fen"),
    [
        (Ordering.LAST_ITERATION, "4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1"),
        # What the other orderings leave equal: there are no captures.
        (Ordering.FULL | Ordering.LAST_ITERATION, "4k3/8/8/8/4P3/8/8/4K2R w K - 0 1"),
    ],
)
def test_the_values_of_the_last_iteration_order_the_moves(ordering: Ordering, fen: str) -> None:
    engine, board = OrderedEngine(IncrementalEvaluator(), 4, ordering), chess.Board(fen)
    moves = list(board.legal_moves)
    remember_the_last_as_best(engine, board, moves)
    assert list(engine._moves(board, 3)) == moves[::-1]
    assert list(engine._moves(board, 2)) == moves


def test_a_new_game_forgets_and_then_searches_the_same_tree() -> None:
    engine = OrderedEngine(IncrementalEvaluator(), 3)
    engine.play(middlegame_board)
    first = engine.statistics
    engine.play(middlegame_board)
    assert engine.statistics.nodes < first.nodes, "what was learned is used again"
    assert engine.best_moves and engine.orderer.killers and engine.orderer.history
    engine.new_game()
    assert not engine.best_moves and not engine.orderer.killers and not engine.orderer.history
    engine.play(middlegame_board)
    assert engine.statistics == first


def test_a_promotion_is_no_killer_and_makes_no_history() -> None:
    board, orderer = chess.Board("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1"), MoveOrderer()
    for san in ("e8=Q", "e8=N+"):
        orderer.cut_off(board, board.parse_san(san), 2)
    assert not orderer.killers and not orderer.history


def test_quiet_moves_are_ordered_by_their_history_and_that_of_their_colour() -> None:
    board, orderer = chess.Board(), MoveOrderer(Ordering.HISTORY)
    seldom, often = chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")
    for move, depth in ((seldom, 1), (often, 3)):
        orderer.cut_off(board, move, depth)
    usual = [m for m in board.legal_moves if m not in (seldom, often)]
    assert orderer.ordered(board, board.legal_moves) == [often, seldom, *usual]
    other = chess.Board("4k3/7q/8/8/8/8/7Q/4K3 w - - 0 1")  # both queens may go from h2 to h4
    orderer = MoveOrderer(Ordering.HISTORY)
    orderer.cut_off(other, often, 3)
    assert orderer.ordered(other, other.legal_moves)[0] == often
    other = chess.Board("4k3/8/8/8/8/8/7q/4K3 b - - 0 1")
    assert orderer.ordered(other, other.legal_moves) == list(other.legal_moves)


def test_a_new_game_keeps_the_ordering_that_was_chosen() -> None:
    for ordering in (Ordering.NONE, Ordering.SIMPLE):
        engine = OrderedEngine(IncrementalEvaluator(), 2, ordering)
        engine.new_game()
        assert engine.orderer.ordering == ordering
