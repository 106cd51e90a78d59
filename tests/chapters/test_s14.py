"""Move ordering: it may change how much is searched, never what is found."""

from __future__ import annotations

import random

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import play_game
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s09_minimax_engine import middlegame_board
from converted_notebooks.s12_piece_square_tables import CENTIPAWNS
from converted_notebooks.s13_incremental_evaluation import IncrementalEvaluator
from converted_notebooks.s14_move_ordering import (
    CAPTURE_FIRST,
    CAPTURE_SCORE,
    HASH_MOVE_SCORE,
    KILLER_SCORE,
    MOST_HISTORY,
    MoveOrderer,
    OneWindowEngine,
    OrderedEngine,
    Ordering,
    mvv_lva,
    simple_score,
)
from tests.generated import examples
from tests.positions import mirrored, positions

ORDERINGS = [
    Ordering.NONE,
    *Ordering,
    Ordering.FULL,
    Ordering.FULL | Ordering.LAST_ITERATION,
    Ordering.SIMPLE | Ordering.HASH_MOVE | Ordering.KILLERS,
]
LIGHT = examples(40)
FEW = examples(7)


@given(board=positions(), seed=st.integers(0, 1000), ordering=st.sampled_from(ORDERINGS))
@LIGHT
def test_ordered_is_a_permutation_that_keeps_equals_in_place(
    board: chess.Board, seed: int, ordering: Ordering
) -> None:
    rng = random.Random(seed)
    moves = list(board.legal_moves)
    orderer = MoveOrderer(ordering)
    for _ in range(6):
        orderer.cut_off(board, rng.choice(moves), rng.randrange(1, 6))
    hash_move = rng.choice([None, *moves])
    before = board.copy()
    once = orderer.ordered(board, moves, hash_move)
    assert board == before and board.move_stack == before.move_stack
    assert sorted(map(str, once)) == sorted(map(str, moves))
    assert orderer.ordered(board, once, hash_move) == once
    if hash_move:
        assert once[0] == hash_move
    if ordering in (Ordering.NONE, Ordering.HASH_MOVE, Ordering.LAST_ITERATION):
        assert [m for m in once if m != hash_move] == [m for m in moves if m != hash_move]


@given(board=positions())
@LIGHT
def test_victims_rule_and_quiet_moves_score_nothing(board: chess.Board) -> None:
    def victim(move: chess.Move) -> int:
        kind = board.piece_type_at(move.to_square)
        return CENTIPAWNS[kind if kind else chess.PAWN]

    moves = list(board.legal_moves)
    captures = [m for m in moves if board.is_capture(m) and not m.promotion]
    for move in moves:
        assert (mvv_lva(board, move) > 0) == bool(board.is_capture(move) or move.promotion)
        assert (simple_score(board, move) == CAPTURE_FIRST["capture"]) == board.is_capture(move)
        image = mirrored(move)
        mirror = board.mirror()
        assert mvv_lva(board, move) == mvv_lva(mirror, image)
        assert simple_score(board, move) == simple_score(mirror, image)
    for first in captures:
        for second in captures:
            if victim(first) > victim(second):
                assert mvv_lva(board, first) > mvv_lva(board, second)


def test_castling_in_chess960_is_no_capture_of_the_own_rook() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", chess960=True)
    castling = [move for move in board.legal_moves if board.is_castling(move)]
    assert len(castling) == 2
    assert {mvv_lva(board, move) for move in castling} == {0}


def test_the_groups_of_moves_never_mix() -> None:
    least = min(CENTIPAWNS[k] for k in (chess.PAWN, chess.KNIGHT))
    most = 10 * CENTIPAWNS[chess.QUEEN] + CENTIPAWNS[chess.QUEEN] + chess.KING
    assert MOST_HISTORY < KILLER_SCORE - 1 < CAPTURE_SCORE + least
    assert CAPTURE_SCORE + most < HASH_MOVE_SCORE
    board = chess.Board()
    orderer = MoveOrderer()
    for _ in range(10_000):
        orderer.cut_off(board, chess.Move.from_uci("e2e4"), 60)
    assert set(orderer.history.values()) == {MOST_HISTORY}


def test_killers_are_two_for_each_ply_newest_first_and_quiet() -> None:
    board = chess.Board("4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1")
    orderer = MoveOrderer()
    rook, king, pawn, capture = map(board.parse_san, ("Rh5", "Kd2", "e5", "exd5"))
    for move in (rook, capture, king, rook, pawn):
        orderer.cut_off(board, move, 1)
    assert orderer.killers == {0: [pawn, king]}
    assert (chess.WHITE, capture.from_square, capture.to_square) not in orderer.history
    board.push(rook)
    orderer.cut_off(board, board.parse_san("Kd7"), 1)
    assert orderer.killers[0] == [pawn, king] and len(orderer.killers[1]) == 1


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


@given(board=positions())
@FEW
def test_every_ordering_finds_the_same_and_plays_a_best_move(board: chess.Board) -> None:
    depth = 3 if board.legal_moves.count() < 12 else 2
    plain = OneWindowEngine(IncrementalEvaluator(), depth, best_first=False)
    scored = plain.analyse(board)
    best = {entry.move for entry in scored if entry.score == scored[0].score}
    before = board.fen(), list(board.move_stack)
    for ordering in ORDERINGS:
        engine = OrderedEngine(IncrementalEvaluator(), depth, ordering)
        # Played first: what `play` has cached must not spoil `analyse`.
        assert engine.play(board).move in best
        assert engine.iterations[-1].best.score == scored[0].score
        values = {entry.move: entry.score for entry in engine.analyse(board)}
        assert values == {entry.move: entry.score for entry in scored}
        assert engine.statistics.first_cut_offs <= engine.statistics.cut_offs
    assert (board.fen(), list(board.move_stack)) == before


def test_analyse_after_a_stopped_search_is_right() -> None:
    for board in random_positions(6, random.Random(3)):
        engine = OrderedEngine(IncrementalEvaluator(), 2)
        expected = [e.score for e in OrderedEngine(IncrementalEvaluator(), 2).analyse(board)]
        for nodes in (1, 7, 50, 333):
            engine.play(board, chess.engine.Limit(nodes=nodes))
        assert [e.score for e in engine.analyse(board)] == expected


@pytest.mark.parametrize("nodes", [0, 1, 10, 100, 1000, 5000])
def test_a_limit_of_nodes_is_kept_and_a_move_is_always_there(nodes: int) -> None:
    engine = OrderedEngine(IncrementalEvaluator())
    move = engine.play(middlegame_board, chess.engine.Limit(nodes=nodes)).move
    assert move in middlegame_board.legal_moves
    assert engine.statistics.nodes <= nodes
    if engine.iterations:
        assert move == engine.iterations[-1].best.move


@pytest.mark.parametrize("fen", ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"])
def test_a_finished_game_has_no_move(fen: str) -> None:
    board = chess.Board(fen)
    assert OrderedEngine(IncrementalEvaluator()).play(board).move is None


def test_scores_are_from_whites_view_whoever_plays() -> None:
    scores = []
    for board in (middlegame_board, middlegame_board.mirror()):
        engine = OrderedEngine(IncrementalEvaluator(), 3)
        engine.play(board)
        scores.append(PLAYER_MULTIPLIER[board.turn] * engine.iterations[-1].best.score)
    assert scores[0] == scores[1] != 0


def test_a_new_game_forgets_and_then_searches_the_same_tree() -> None:
    engine = OrderedEngine(IncrementalEvaluator(), 3)
    engine.play(middlegame_board)
    first = engine.statistics
    engine.play(middlegame_board)
    assert engine.statistics.nodes < first.nodes, "what was learned is used again"
    engine.new_game()
    assert not engine.best_moves and not engine.orderer.killers and not engine.orderer.history
    engine.play(middlegame_board)
    assert engine.statistics == first


def test_full_ordering_needs_fewer_nodes_in_most_positions() -> None:
    fewer = 0
    boards = list(random_positions(8, random.Random(41)))
    for board in boards:
        nodes = []
        for ordering in (Ordering.NONE, Ordering.FULL):
            engine = OrderedEngine(IncrementalEvaluator(), 3, ordering)
            engine.play(board)
            nodes.append(engine.statistics.nodes)
        fewer += nodes[1] <= nodes[0]
    assert fewer >= 7


def test_two_engines_can_play_a_game() -> None:
    record = play_game(
        OrderedEngine(IncrementalEvaluator(), 2),
        OrderedEngine(IncrementalEvaluator(), 2),
        seed=1,
        max_plies=12,
    )
    assert record.plies == 12
