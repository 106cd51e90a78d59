"""The engine of s22: root, iterations, limits, stop."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import chess
import chess.engine
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s04_engine_interface import Iteration
from converted_notebooks.s11_iterative_deepening import LimitReachedError, seconds_for_move
from converted_notebooks.s20_board_of_numbers import NumberBoard, move_of, number_of
from converted_notebooks.s21_fast_evaluation import INFINITE, FastEvaluator
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS, positions
from tests.helpers.properties import assert_analysis, assert_plays
from tests.helpers.tournament import START, node, searcher_of


def assert_times(found: Sequence[Iteration], began: float) -> None:
    """Iterations say how long the search took until then."""
    seconds = [0, *(iteration.seconds for iteration in found), time.perf_counter() - began]
    assert seconds == sorted(seconds)


def test_a_better_root_move_goes_to_the_front_and_the_others_keep_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searcher, asked = searcher_of(), list[tuple[int, ...]]()
    searcher.begin(chess.Board(STARTS[1]))
    one, two, three, best = map(
        number_of, map(chess.Move.from_uci, ("a2a3", "a2a4", "b2b3", "g2g3"))
    )
    capture = number_of(chess.Move.from_uci("e2a6"))
    values = {one: 10, two: 30, three: 20, best: 40, capture: 5}

    def noted(searcher: s22.Searcher, move: int, *rest: int) -> int:
        asked.append(rest)
        return values[move]

    def searched(moves: list[int], depth: int, alpha: int, beta: int) -> tuple[int, list[int]]:
        asked.clear()
        return s22.search_root(searcher, moves, depth, alpha, beta), moves

    monkeypatch.setattr(s22, "move_value", noted)
    moves = [one, two, three, best, capture]
    order = [best, two, one, three, capture]
    assert searched(moves.copy(), 2, 0, 99) == (40, order)
    assert asked == [(2, a, 99, 0, not a, 0) for a in (0, 10, 30, 30, 40)]
    assert searched(order.copy(), 2, 40, 41) == (40, order), "at alpha nothing is proved"
    assert searched(moves.copy(), 2, 0, 30) == (30, [two, one, three, best, capture])
    tied = dict(values)
    values[three] = values[two]
    assert searched([one, two, three], 2, 0, 99) == (30, [two, one, three]), "the first one stays"
    values.update(tied)
    less = [s22.reduction(20, count, 0, True, True) for count in (3, 4)]
    searched([capture, one, two, three, best], 20, 0, 99)
    assert [rest[-1] for rest in asked] == [0, 0, 0, *less] and 0 not in less
    searched(moves.copy(), 20, 0, 99)
    assert [rest[-1] for rest in asked] == [0, 0, 0, less[0], 0], "a capture is not reduced"


def test_what_an_iteration_finds_the_next_one_searches_first() -> None:
    searcher, board = searcher_of(), chess.Board(STARTS[1])
    searcher.begin(board)
    moves, began = s22.first_order(searcher), time.perf_counter()
    assert sorted(map(move_of, moves), key=str) == sorted(board.legal_moves, key=str)
    found = list(s22.deepen(searcher, board, moves, range(1, 5)))
    assert found[-1].best.move == move_of(moves[0]) and found[-1].depth == 4
    assert_times(found, began)
    bests = [None, *(iteration.best.move for iteration in found)]
    assert [i.changed for i in found] == [a != b for a, b in itertools.pairwise(bests)]
    planted = moves[9]
    searcher.table.put(searcher.board.total, (1, s22.EXACT, 0, planted))
    assert s22.first_order(searcher)[0] == planted


@pytest.mark.parametrize("fen", ["8/8/8/8/8/k7/8/K6R w - - 0 1", "k6r/8/K7/8/8/8/8/8 b - - 0 1"])
def test_an_analysis_ends_with_its_depths_a_limit_or_a_mate_for_the_side_to_move(fen: str) -> None:
    board, asked, told = chess.Board(fen), list[int](), list[Iteration]()
    good, bad, *_ = board.legal_moves
    sign = 1 if board.turn else -1

    def scores(mates: dict[chess.Move, int], stop: int = 9) -> dict[chess.Move, float]:
        def value_of(move: chess.Move, depth: int) -> int:
            if depth == stop and move == bad:
                raise LimitReachedError
            asked.append(depth)
            return mates.get(move, depth)

        asked.clear()
        told.clear()
        began = time.perf_counter()
        found = s22.analysed(board, range(1, 6), value_of, lambda: len(asked), told.append)
        finished = max(asked, default=0) if stop == 9 else stop - 1
        assert [one.depth for one in told] == list(range(1, finished + 1))
        assert_times(told, began)
        assert not told or told[-1].best == found[0]
        assert [one.changed for one in told] == [one.depth == 1 for one in told]
        assert found == sorted(found, reverse=board.turn)
        return {entry.move: sign * entry.score for entry in found}

    others = dict.fromkeys(board.legal_moves, 5)
    assert scores({bad: 2 - s22.MATE}) == others | {bad: 2 - s22.MATE} and max(asked) == 5
    assert scores({good: s22.MATE - 3}) == dict.fromkeys(others, 3) | {good: s22.MATE - 3}
    assert scores({}, stop=3) == dict.fromkeys(others, 2) and max(asked) == 3
    assert scores({}, stop=1) == dict.fromkeys(others, 0)


@examples(200)
@given(
    st.integers(-s22.MATE, s22.MATE), st.integers(-s22.MATE, s22.MATE), st.integers(3, 5), st.data()
)
def test_a_window_grows_around_the_last_value_until_it_holds_the_new_one(
    value: int, last: int, depth: int, data: st.DataObject
) -> None:
    windows = list[tuple[int, int]]()

    def soft(alpha: int, beta: int) -> int:
        """Any bound that a fail-soft search may give."""
        windows.append((alpha, beta))
        if value <= alpha:
            return data.draw(st.integers(value, alpha))
        return data.draw(st.integers(beta, value)) if value >= beta else value

    assert s22.aspire(soft, depth, last, s22.ALL_PARTS) == value
    wide = (-INFINITE, INFINITE)
    assert windows[0] == (wide if depth < 4 else (last - s22.WINDOW, last + s22.WINDOW))
    for (low, high), (lower, higher) in itertools.pairwise(windows):
        assert (lower == low) is (value > low) and (higher == high) is (value < high)
        grown = last - lower if value <= low else higher - last
        assert grown >= 4 * s22.WINDOW or (lower, higher)[value >= high] in wide
    assert len(windows) <= 8


def test_chess960_is_played() -> None:
    board = chess.Board.from_chess960_pos(17)
    assert_plays(s22.SearchEngine(megabytes=1), board, Limit(depth=3))
    castling = chess.Board("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", chess960=True)
    moves = {entry.move for entry in s22.SearchEngine(1).analyse(castling, Limit(depth=1))}
    assert chess.Move(chess.E1, chess.G1) in moves == set(castling.legal_moves)


@examples(12)
@given(positions(max_plies=30), st.integers(0, 800))
def test_limits_of_nodes_are_strict_and_a_new_game_begins_as_the_first_one(
    board: chess.Board, nodes: int
) -> None:
    used, new = s22.SearchEngine(megabytes=1), s22.SearchEngine(megabytes=1)
    used.searcher.evaluator = evaluator = FastEvaluator()
    used.play(board, Limit(nodes=800))  # the same tree: what is not forgotten is found again
    used.new_game()
    assert not evaluator.scores and not evaluator.pawns
    assert not any(map(any, used.searcher.history.counts))
    moves = [assert_plays(engine, board, Limit(nodes=nodes)) for engine in (used, new)]
    assert moves[0] == moves[1] and used.iterations == new.iterations
    assert used.searcher.nodes == new.searcher.nodes <= nodes


def test_a_limit_of_nodes_holds_where_most_leaves_are_drawn() -> None:
    board, engine = chess.Board("8/8/8/7k/8/P7/8/KR6 w - - 97 120"), s22.SearchEngine(megabytes=1)
    for nodes in range(1, 400, 9):
        engine.new_game()
        engine.play(board, Limit(nodes=nodes))
        assert engine.searcher.nodes <= nodes


def test_a_mate_ends_the_iterations() -> None:
    engine = s22.SearchEngine(1)
    engine.play(chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"), Limit(depth=6))
    assert [found.depth for found in engine.iterations] == [1]


def test_the_side_that_is_mated_does_not_search_on() -> None:
    engine = s22.SearchEngine(1)
    engine.play(chess.Board("6k1/R7/1R6/8/8/8/8/6K1 b - - 0 1"), Limit(depth=6))
    assert engine.last_search and engine.last_search.depth < 6


def test_only_a_search_without_any_limit_has_the_usual_depth() -> None:
    endless, every = float("inf"), range(1, s22.MOST_PLIES + 1)
    assert s22.depths_within(Limit(), endless) == range(1, s22.USUAL_DEPTH + 1)
    assert s22.depths_within(Limit(nodes=9), endless) == every
    assert s22.depths_within(Limit(), 0.5) == s22.depths_within(Limit(nodes=9), 0.5) == every
    assert s22.depths_within(Limit(depth=3), 0.5) == range(1, 4)


def test_the_time_for_a_move_is_that_of_the_side_to_move() -> None:
    engine, board = s22.SearchEngine(megabytes=1), chess.Board()
    limit = Limit(white_clock=40.0, white_inc=1.0, black_clock=4.0)
    for one in (board, board.mirror()):
        assert engine.plan(one, limit) == seconds_for_move(one.turn, limit)
    assert engine.plan(board, limit) > 1 > engine.plan(board.mirror(), limit)
    assert engine.plan(board, Limit(nodes=5)) == float("inf")


def test_a_search_without_a_limit_ends() -> None:
    board = chess.Board("7k/8/5KP1/8/8/8/8/8 w - - 0 1")
    for limit in (None, Limit(), Limit(black_clock=5.0)):
        assert_plays(s22.SearchEngine(megabytes=1), board, limit)
        assert_analysis(s22.SearchEngine(megabytes=1), board, limit)


def test_one_ply_is_searched_however_late_it_is() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    quiet = chess.Board("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1")  # mate, and no capture is
    for clock in (0.09, 0.0):
        for position, move in ((board, "d1a1"), (quiet, "d1d8")):
            engine = s22.SearchEngine(megabytes=1)
            limit = Limit(white_clock=clock)
            assert engine.play(position, limit).move == chess.Move.from_uci(move)
            assert engine.iterations


def test_a_search_without_time_ends_after_its_first_ply() -> None:
    engine = s22.SearchEngine(megabytes=1)
    engine.play(chess.Board(), Limit(white_clock=0.0))
    (only,) = engine.iterations
    assert engine.searcher.nodes == only.nodes


def test_a_stop_ends_the_search_at_its_next_node() -> None:
    searcher = searcher_of()
    node(searcher, chess.Board(), 1, -INFINITE, INFINITE)
    assert searcher.nodes < s22.CHECK_EVERY
    searcher.stop()
    with pytest.raises(LimitReachedError):
        s22.search(searcher, 1, -INFINITE, INFINITE, 1)


def test_a_stop_before_the_search_ends_it() -> None:
    engine = s22.SearchEngine(megabytes=1)
    engine.stop()
    assert_plays(engine, chess.Board(), Limit(depth=30))
    assert engine.searcher.nodes == 0
    assert not engine.stop_requested
    assert engine.play(chess.Board(), Limit(depth=2)).move and len(engine.iterations) == 2


def test_a_long_game_costs_no_more_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    board, made = chess.Board("7R/8/6K1/8/1n6/8/2k5/8 w - - 0 1"), [0]
    build = NumberBoard.__init__

    def counted(self: NumberBoard, board: chess.Board) -> None:
        made[-1] += 1
        build(self, board)

    monkeypatch.setattr(NumberBoard, "__init__", counted)
    # The expected line sets up a board for each of its moves, however long the game.
    monkeypatch.setattr(s22, "remembered_line", lambda board, move, known: (move,))
    engine = s22.SearchEngine(megabytes=1)
    for _ in range(3):
        made.append(0)
        engine.play(board, Limit(nodes=50))
        for uci in ["h8g8", "b4a2", "g8h8", "a2b4"] * 6:
            board.push_uci(uci)
    assert made[1] == made[2] == made[3], "a clock with a small increment could not pay for them"


@pytest.mark.parametrize("question", ["play", "analyse"])
def test_a_stop_ends_no_later_search(question: str) -> None:
    engine = s22.SearchEngine()

    def stop_and_fail(found: Iteration) -> None:
        engine.stop()
        raise RuntimeError("told")

    engine.on_iteration = stop_and_fail
    with pytest.raises(RuntimeError, match="told"):
        getattr(engine, question)(chess.Board(), chess.engine.Limit(depth=3))
    engine.on_iteration = None
    engine.play(chess.Board(), chess.engine.Limit(depth=3))
    assert engine.iterations[-1].depth == 3


def test_an_analysis_keeps_its_time() -> None:
    engine = s22.SearchEngine(megabytes=1)
    engine.analyse(START, Limit(time=0.0, depth=2))
    assert engine.iterations == ()


def test_the_clock_is_looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, looks = s22.SearchEngine(megabytes=1), list[int]()

    def now() -> float:
        looks.append(engine.searcher.nodes)
        return 0.0

    monkeypatch.setattr("time.perf_counter", now)
    engine.play(START, Limit(nodes=1500))
    assert max(after - before for before, after in itertools.pairwise(looks)) <= 256


def test_a_window_is_set_around_the_value_of_the_iteration_before() -> None:
    asked, move = list[tuple[int, int]](), chess.Move.from_uci("e2e4")

    def look(depth: int, last: int) -> tuple[int, chess.Move, int]:
        asked.append((depth, last))
        return 10 * depth, move, depth

    list(s22.deepen_with(START, range(1, 4), look, lambda _: None))
    assert asked == [(1, 0), (2, 10), (3, 20)]
