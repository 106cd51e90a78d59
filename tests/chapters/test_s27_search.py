"""The compiled search as a whole: its definition, draws and mates, the ends of its lines."""

from __future__ import annotations

import random
from unittest import mock

import chess
import chess.engine
import pytest
from chess.engine import Limit
from hypothesis import given

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s21_fast_evaluation import INFINITE
from converted_notebooks.s22_tournament_search import MATE, MOST_PLIES
from converted_notebooks.s26_bitboards import new_stack, to_number
from tests.helpers.compiled_search import NETWORK, judge, raise_root, thread_of, whole_search
from tests.helpers.generated import examples
from tests.helpers.positions import KNOWN_SCORES, STARTS, positions
from tests.helpers.properties import assert_bound, assert_plays
from utils.compiler import run_plain
from utils.exercises.positions import MIDDLEGAME


@examples(60)
@given(positions(retreats=True))
def test_a_repetition_is_seen_in_the_history_of_the_game(board: chess.Board) -> None:
    thread = thread_of(board, 0.01)
    assert bool(s27.repeats(thread.stack[0], thread.state, 0)) == board.is_repetition(2)
    assert thread.stack[0].key == new_stack(board, 0)[0].key


def test_positions_are_dead_as_python_chess_says() -> None:
    rng, dead = random.Random(8), 0
    for _ in range(3000):
        squares = rng.sample(range(64), rng.randint(2, 5))
        board = chess.Board(None)
        for square, kind in zip(
            squares, "Kk" + "".join(rng.choices("NnBbBbQp", k=3)), strict=False
        ):
            board.set_piece_at(square, chess.Piece.from_symbol(kind))
        if board.is_valid():
            said = bool(s27.is_dead(new_stack(board, 0)[0]))
            assert said == board.is_insufficient_material(), board.fen()
            dead += said
    assert dead > 300


@pytest.mark.parametrize(
    ("fen", "depth", "score"),
    KNOWN_SCORES,
)
def test_a_mate_counts_its_distance_and_a_draw_nothing(fen: str, depth: int, score: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        engine, sign = s27.CompiledEngine(1), 1 if board.turn else -1
        # It prunes further from the leaves than s22, and may see a mate two plies later.
        engine.play(board, Limit(depth=depth + 2))
        assert engine.iterations[-1].best.score == sign * score


def test_after_a_hundred_plies_nothing_is_counted_any_more() -> None:
    board = chess.Board("8/8/8/7k/8/8/8/KR6 w - - 99 90")
    assert thread_of(board).search(1, -INFINITE, INFINITE) == 0
    board.halfmove_clock -= 1
    assert thread_of(board).search(1, -INFINITE, INFINITE) > 0


@pytest.mark.parametrize("ply", [1, 4])
def test_where_no_nearer_mate_is_possible_nothing_is_searched(ply: int) -> None:
    nearest = MATE - ply - 1
    for alpha in (nearest + 1, nearest, nearest - 1):
        thread = thread_of(chess.Board())
        raise_root(thread, ply)
        found = thread.search(1, alpha, INFINITE, ply)
        assert bool(thread.state.nodes) is (alpha < nearest) and found <= nearest


def test_a_root_move_is_worth_what_a_search_of_one_ply_less_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = chess.Board(MIDDLEGAME)
    thread, searched = thread_of(board), mock.Mock(return_value=20)
    monkeypatch.setattr(thread, "search", searched)
    move = next(board.generate_legal_captures())
    assert thread.value_of(move, 5) == -20
    board.push(move)
    assert thread.stack[1].key == new_stack(board, 0)[0].key
    expected = s27.sums_of(thread.stack[1], NETWORK).hidden
    assert (thread.state.sums[1].hidden == expected).all()
    number = to_number(thread.stack[0], move)
    searched.assert_called_once_with(4, -INFINITE, INFINITE, 1, number)


def test_a_root_that_is_drawn_by_rule_has_a_move() -> None:
    repeated = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 4 60")
    for uci in ("a1a2", "g8h8", "a2a1", "h8g8"):
        repeated.push_uci(uci)
    for board in (repeated, chess.Board("8/8/8/7k/8/8/8/KR6 w - - 100 90")):
        assert_plays(s27.CompiledEngine(1), board, Limit(depth=3))


def test_a_capture_that_mates_counts_its_distance() -> None:
    thread = thread_of(chess.Board("r5k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"))
    for ply in (1, 5):
        raise_root(thread, ply)
        assert s27.fast_quiesce(thread.work, -INFINITE, INFINITE, ply) == MATE - ply - 1


def test_a_position_of_the_game_counts_as_repeated() -> None:
    board = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 4 60")
    for uci in ("a1a2", "g8h8", "a2a1", "h8g8"):
        board.push(chess.Move.from_uci(uci))
    scored = s27.CompiledEngine(1).analyse(board, Limit(depth=1))
    values = {entry.move.uci(): entry.score for entry in scored}
    assert values["a1a8"] == MATE - 1 and values["a1a2"] == 0 < values["a1b1"]


NODES = {  # by position, of all nine iterations; a change of the search changes them
    MIDDLEGAME: 38_001,
    STARTS[1]: 36_876,
    STARTS[2]: 10_243,
    STARTS[4]: 12_223,
    chess.STARTING_FEN: 25_801,
    "8/7p/3k4/1pp2p2/p1p2PP1/P1P1K2P/2P5/8 b - - 0 1": 4_985,
    "8/8/P7/7k/8/8/8/K6n w - - 0 1": 19_225,
}


def test_a_search_visits_the_nodes_that_it_has_always_visited() -> None:
    engine = s27.CompiledEngine(64)
    for fen, nodes in NODES.items():
        engine.new_game()
        engine.play(chess.Board(fen), Limit(depth=9))
        assert engine.iterations[-1].nodes == nodes, fen


@pytest.mark.parametrize("fen", [MIDDLEGAME, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"])  # quiet; check
def test_no_line_is_longer_than_there_is_room(fen: str) -> None:
    thread = thread_of(chess.Board(fen))
    raise_root(thread, MOST_PLIES)
    found = thread.search(3, -INFINITE, INFINITE, MOST_PLIES)
    assert thread.state.nodes == 0 and found == judge(thread.stack[0])


def test_a_long_game_leaves_room_for_the_line() -> None:
    board = chess.Board()
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8") * 230:
        board.push(chess.Move.from_uci(uci))
    assert thread_of(board, 0.01).state.before == s27.MOST_KEYS - s27.ROOM


def test_a_depth_beyond_all_plies_is_searched_as_far_as_there_are_plies() -> None:
    board, engine = chess.Board("8/8/4k3/8/8/4K3/8/8 w - - 0 1"), s27.CompiledEngine(1)
    engine.play(board, Limit(depth=300))
    thread = thread_of(board)
    assert thread.search(300, -INFINITE, INFINITE) == 0
    # Without a move in the table, one ply is left out by an internal iterative reduction.
    for table, plies in ((engine.team.table, MOST_PLIES), (thread.table, MOST_PLIES - 1)):
        data = s27.find_data(table, thread.stack[0].key)
        assert s27.from_data(data, 0)[:3] == (plies, s27.EXACT_VALUE, 0)


PRINTED = """
import chess, chess.engine
from converted_notebooks.s27_compiled_search import CompiledEngine
engine = CompiledEngine(1)
for fen in {fens}:
    engine.new_game()
    engine.play(chess.Board(fen), chess.engine.Limit(depth=2))
    print([(i.best.score, i.best.move.uci(), i.nodes) for i in engine.iterations])
"""


def test_the_plain_form_searches_the_same_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    code = PRINTED.format(fens=[*NODES][:3])
    exec(code, {})
    assert capsys.readouterr().out.strip() == run_plain(code).strip()


def test_history_is_followed_through_null_moves_and_castling() -> None:
    board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for move in ("e1g1", "0000", "g1g2", "e8c8", "g2g3", "c8b8"):
        board.push_uci(move)
    thread = thread_of(board, 0.01)
    keys = [int(key) for key in thread.state.keys[: thread.state.before]]
    past = board.copy()
    for key in reversed(keys):
        past.pop()
        assert key == int(new_stack(past, 0)[0].key)
    assert len(keys) == 6 and thread.stack[0].key == new_stack(board, 0)[0].key


def test_a_repetition_in_the_line_is_a_draw() -> None:
    # Qe8+ Kh7 Qh5+ Kg8: all that White has.
    thread = thread_of(chess.Board("6k1/6p1/5p2/7Q/8/8/rq6/7K w - - 0 1"))
    assert thread.search(4, -INFINITE, INFINITE) == 0


def calm(board: chess.Board, ply: int) -> int:
    """The value of a node whose captures are played out, by its definition."""
    position, best, moves = new_stack(board, 0)[0], ply - MATE, list(board.legal_moves)
    if not board.is_check():
        best = judge(position)
        moves = [
            move
            for move in moves
            if move.promotion == chess.QUEEN
            or board.is_en_passant(move)
            or (
                board.is_capture(move)
                and not move.promotion
                and s27.fast_exchange_wins(position, to_number(position, move), 0)
            )
        ]
    for move in moves:
        board.push(move)
        best = max(best, -calm(board, ply + 1))
        board.pop()
    return best


def whole(board: chess.Board, depth: int, ply: int) -> int:
    """The value of a node without pruning, by its definition; no position repeats."""
    depth += board.is_check()
    if board.is_insufficient_material():
        return 0
    if depth <= 0:
        return calm(board, ply)
    values = list[int]()
    for move in list(board.legal_moves):
        board.push(move)
        values.append(-whole(board, depth - 1, ply + 1))
        board.pop()
    return max(values, default=ply - MATE if board.is_check() else 0)


@pytest.mark.parametrize(
    ("fen", "deepest"),
    [
        ("4k3/2p5/8/1pP5/8/3b4/2R1P3/4K3 w - b6 0 1", 0),  # en passant
        ("3k4/P7/8/3pq3/2B1N3/8/8/4K3 w - - 0 1", 0),
        ("7k/8/8/8/8/1q6/8/K7 w - - 0 1", 1),
        ("k7/8/1K6/8/8/8/8/2Q1r3 b - - 0 1", 1),
        ("6k1/5P2/8/8/8/8/8/K7 b - - 0 1", 1),  # in check
        ("1rQ5/7k/8/5b2/8/8/P1n5/K7 w - - 0 1", 0),  # only a capture that loses evades
    ],
)
def test_a_search_without_pruning_finds_what_the_definition_says(fen: str, deepest: int) -> None:
    board, names = chess.Board(fen), whole_search()
    for depth in range(deepest + 1):
        exact = whole(board, depth, 1) if depth else calm(board, 1)
        for alpha, beta in ((-INFINITE, INFINITE), (exact - 1, exact), (exact, exact + 1)):
            thread = thread_of(board)
            raise_root(thread, 1)
            if depth:
                found = int(names["fast_search"](thread.work, depth, alpha, beta, 1, 0))
            else:
                found = int(names["fast_quiesce"](thread.work, alpha, beta, 1))
            assert_bound(found, exact, alpha, beta)
            assert (found >= beta) == (exact >= beta)


def test_an_iteration_looks_around_the_last_value(monkeypatch: pytest.MonkeyPatch) -> None:
    thread, search = thread_of(chess.Board()), mock.Mock(return_value=40)
    monkeypatch.setattr(thread, "search", search)
    assert thread.iterate(5, 40) == 40
    search.assert_called_once_with(5, 40 - s22.WINDOW, 40 + s22.WINDOW)
