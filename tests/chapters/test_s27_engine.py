"""The engine of s27: limits, threads, options, games, and what is compiled when."""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path
from typing import Any
from unittest import mock

import chess
import chess.engine
import pytest
from chess.engine import Limit

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s04_engine_interface import Iteration, ScoredMove, play_game
from converted_notebooks.s22_tournament_search import MATE, MOST_PLIES
from converted_notebooks.s23_tournament_engine import Clock, seconds_for
from converted_notebooks.s26_bitboards import new_stack, to_move, to_number
from tests.helpers.compiled import compiled_signatures
from tests.helpers.compiled_search import FORTRESS, entry
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS
from tests.helpers.programs import Program
from tests.helpers.properties import assert_analysis, assert_plays
from utils.engines import Configurable, Preparable, make_engine
from utils.exercises import pairs
from utils.exercises.positions import MIDDLEGAME


@pytest.mark.parametrize(("chess960", "uci"), [(False, "e1g1"), (True, "e1h1")])
def test_castling_is_written_as_the_board_does(chess960: bool, uci: str) -> None:
    # The only mate.
    board = chess.Board("4R3/8/8/8/8/5k1P/7P/4K2R w K - 0 1", chess960=chess960)
    engine, move = s27.CompiledEngine(1), chess.Move.from_uci(uci)
    assert assert_plays(engine, board, Limit(depth=2)) == move
    assert engine.last_search and engine.last_search.line == (move,)


def test_one_thread_repeats_itself_with_a_limit_of_nodes() -> None:
    for fen in (MIDDLEGAME, *STARTS[:3]):
        board, found = chess.Board(fen), []
        used = s27.CompiledEngine(4)
        used.play(chess.Board(), Limit(nodes=3000))
        used.new_game()
        for engine in (used, s27.CompiledEngine(4)):
            for limit in (Limit(nodes=20_000), Limit(nodes=7000)):
                move = engine.play(board, limit).move
                told = [(i.depth, i.best, i.nodes, i.line) for i in engine.iterations]
                found.append((move, told, int(engine.team.main.state.nodes)))
        assert found[:2] == found[2:]


@pytest.mark.parametrize("nodes", [0, 1, 500, 20_000])
def test_a_limit_of_nodes_is_kept_but_for_the_last_exchange(nodes: int) -> None:
    engine = s27.CompiledEngine(4)
    assert_plays(engine, chess.Board(STARTS[1]), Limit(nodes=nodes))
    searched = int(engine.team.main.state.nodes)
    assert searched <= nodes + 2000  # one ply, and captures that were being played out


@pytest.mark.parametrize("nodes", [0, 1, 6, 500, 20_000])
def test_a_limit_of_nodes_is_exact_where_nothing_is_played_out(nodes: int) -> None:
    engine, board = s27.CompiledEngine(4), chess.Board(FORTRESS)
    assert_plays(engine, board, Limit(nodes=nodes))
    first_ply = board.legal_moves.count()
    assert int(engine.team.main.state.nodes) == max(nodes, first_ply)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "limit",
    [
        Limit(time=0),
        Limit(time=0.001),
        Limit(white_clock=0, black_clock=0),
        Limit(white_clock=0.01, black_clock=0.01),
        Limit(nodes=0),
        Limit(depth=1),
    ],
)
def test_one_ply_is_searched_however_late_it_is(limit: Limit, threads: int) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    engine = s27.CompiledEngine(1, threads)
    for _ in range(5):
        assert assert_plays(engine, board, limit) == chess.Move.from_uci("d1a1")
    assert_analysis(engine, board, limit)


def test_a_stop_in_the_first_ply_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    team = s27.SearchTeam(1, 1)
    iterate, depths = team.main.iterate, list[int]()

    def stopped_once(depth: int, last: int) -> int:
        if not depths:
            team.stop()
        depths.append(depth)
        return iterate(depth, last)

    monkeypatch.setattr(team.main, "iterate", stopped_once)
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    team.begin(board)
    assert depths == [1, 1] and not team.main.state.stop
    assert to_move(team.main.state.best_move) == chess.Move.from_uci("d1a1")


def test_a_search_that_breaks_down_leaves_no_stop() -> None:
    engine = s27.CompiledEngine(1)

    def fail(found: Iteration) -> None:
        engine.stop()
        raise RuntimeError

    engine.on_iteration = fail
    with pytest.raises(RuntimeError):
        engine.play(chess.Board(), Limit(depth=4))
    assert not engine.stop_requested
    engine.stop()
    assert engine.stop_requested
    engine.on_iteration = None
    engine.play(chess.Board(), Limit(depth=4))
    assert not engine.stop_requested


def test_a_search_that_is_cut_off_keeps_its_best_move() -> None:
    board = chess.Board("6k1/5ppp/8/8/7q/8/5PPP/r2R2K1 w - - 0 1")  # Rxa1, and still behind
    engine = s27.CompiledEngine(0.1)
    for nodes in range(50, 3000, 10):
        engine.new_game()
        assert engine.play(board, Limit(nodes=nodes)).move == chess.Move.from_uci("d1a1"), nodes


def test_an_analysis_that_is_cut_off_gives_the_last_whole_depth() -> None:
    engine, board = s27.CompiledEngine(1), chess.Board(MIDDLEGAME)
    cut, last = engine.analyse(board, Limit(nodes=20_000)), engine.last_search
    assert last and last.depth < MOST_PLIES
    whole = s27.CompiledEngine(1).analyse(board, Limit(depth=last.depth))
    assert pairs(cut) == pairs(whole)


def test_an_only_move_is_played_at_once() -> None:
    engine, limit = s27.CompiledEngine(1), Limit(white_clock=30, black_clock=30)
    engine.prepare()  # not on the clock
    engine.play(chess.Board("4k3/8/8/8/5p2/5P2/r7/7K w - - 0 1"), limit)
    assert len(engine.iterations) == 1


def test_an_analysis_goes_on_where_a_bad_move_is_mated() -> None:
    engine, board = s27.CompiledEngine(4), chess.Board()
    for uci in ("f2f3", "e7e5"):
        board.push(chess.Move.from_uci(uci))
    shallow, deep = (assert_analysis(engine, board, Limit(depth=depth)) for depth in (3, 5))
    assert shallow[-1] == deep[-1] == ScoredMove(2 - MATE, chess.Move.from_uci("g2g4"))
    assert shallow[:-1] != deep[:-1]


def test_the_other_thread_ends_with_the_first() -> None:
    engine, begun = s27.CompiledEngine(16, threads=2), threading.Event()

    def watch(found: Iteration) -> None:
        if all(thread.state.nodes for thread in engine.team.threads):
            begun.set()

    engine.on_iteration = watch
    before, moves = threading.active_count(), list[chess.Move | None]()
    board = chess.Board(MIDDLEGAME)
    search = threading.Thread(target=lambda: moves.append(engine.play(board, Limit(depth=99)).move))
    search.start()
    assert begun.wait(60)
    engine.stop()
    search.join(30)
    assert not search.is_alive() and moves[0] in list(board.legal_moves)
    assert threading.active_count() == before
    nodes = [int(thread.state.nodes) for thread in engine.team.threads]
    assert all(nodes) and engine.last_search


def test_what_holds_for_one_thread_holds_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = s27.CompiledEngine(1, 3)
    team = engine.team
    team.begin(chess.Board())
    with monkeypatch.context() as patch:
        patch.setattr(team, "help_out", lambda i: None)
        with team.running(700, 60):
            assert [int(thread.state.most_nodes) for thread in team.threads] == [700] * 3
    for number, thread in enumerate(team.threads):
        thread.state.nodes, thread.state.history[:] = 10**number, 5
    assert team.visited() == 111
    team.begin(chess.Board())
    team.threads[2].state.nodes = 10**6
    (found,) = s27.deepen_together(team, chess.Board(), range(2, 3))
    assert found.nodes == team.visited() > 10**6
    engine.new_game()
    assert not team.table.any()
    assert not any(thread.state.history.any() for thread in team.threads)


@pytest.mark.parametrize(("i", "first"), [(1, 3), (2, 2)])
def test_a_helper_deepens_until_it_is_stopped(
    i: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, asked = s27.SearchTeam(1, 3), list[tuple[int, int]]()
    thread = team.threads[i]

    def iterate(depth: int, last: int) -> int:
        asked.append((depth, last))
        thread.state.stop = len(asked) == 5
        return 10 * depth

    monkeypatch.setattr(thread, "iterate", iterate)
    team.help_out(i)
    depths = range(first, first + 5)
    assert asked == [(d, 10 * (d - 1) if d > first else 0) for d in depths]


def test_the_timer_stops_all_threads_after_the_seconds_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = list[tuple[float, Any]]()

    class Noted(threading.Timer):
        def __init__(self, interval: float, function: Any) -> None:
            given.append((interval, function))
            super().__init__(interval, function)

    monkeypatch.setattr(threading, "Timer", Noted)
    team = s27.SearchTeam(1, 2)
    team.begin(chess.Board(MIDDLEGAME))
    with team.running(None, 59.5):
        assert not any(thread.state.stop for thread in team.threads)
        given[0][1]()
        assert all(thread.state.stop for thread in team.threads)
    with team.running(None, float("inf")):
        pass
    assert [seconds for seconds, _ in given] == [59.5, 1e6]


def test_all_threads_begin_with_the_position_and_none_is_stopped() -> None:
    team, board = s27.SearchTeam(1, 2), chess.Board(MIDDLEGAME)
    team.stop()
    team.begin(board)
    for thread in team.threads:
        assert thread.stack[0].key == new_stack(board, 0)[0].key and not thread.state.stop


@pytest.mark.parametrize("fen", ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"])
def test_a_finished_game_has_no_move_after_a_search_either(fen: str) -> None:
    engine = s27.CompiledEngine(1)
    assert_plays(engine, chess.Board(), Limit(depth=2))
    assert engine.play(chess.Board(fen), Limit(depth=2)).move is None and not engine.iterations


def test_the_hard_limit_counts_from_the_question_on(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, now, given = s27.CompiledEngine(1), [100.0], list[tuple[int | None, float]]()
    engine.prepare()
    begin, running = engine.team.begin, engine.team.running

    def slow(board: chess.Board) -> None:
        begin(board)
        now[0] += 0.25  # the first ply

    def noted(nodes: int | None, seconds: float) -> Any:
        given.append((nodes, seconds))
        return running(nodes, 60)

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr(engine.team, "begin", slow)
    monkeypatch.setattr(engine.team, "running", noted)
    limit = Limit(white_clock=60.0, nodes=500)
    engine.play(chess.Board(), limit)
    ((nodes, seconds),) = given
    assert nodes == 500
    assert seconds == pytest.approx(seconds_for(chess.WHITE, limit)[1] - 0.25)


@pytest.mark.parametrize("limit", [Limit(time=0.05), Limit(white_clock=1.0)])
def test_without_threads_time_ends_a_search_between_its_depths(
    limit: Limit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    engine = s27.CompiledEngine(1)
    assert_plays(engine, chess.Board(), limit)
    assert_analysis(engine, chess.Board(), limit)


def games(count: int, threads: int, nodes: int, max_plies: int = 120) -> None:
    """Games of the engine against itself; `play_game` refuses illegal moves."""
    rng = random.Random(13)
    players = [s27.CompiledEngine(1, threads) for _ in range(2)]
    for number in range(count):
        start = chess.Board.from_chess960_pos(rng.randrange(960)) if number % 2 else chess.Board()
        for _ in range(6):
            start.push(rng.choice(list(start.legal_moves)))
        limit = Limit(nodes=nodes)
        record = play_game(*players, start=start, limit=limit, max_plies=max_plies)
        assert record.plies > 6
        assert record.result != "*" or record.termination == "ply limit"


@pytest.mark.parametrize("threads", [1, 2])
def test_games_are_played_by_the_rules(threads: int) -> None:
    games(2, threads, nodes=1000)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "threads", "nodes"), [(100, 1, 200), (20, 2, 500)])
def test_many_games_are_played_by_the_rules(count: int, threads: int, nodes: int) -> None:
    games(examples(count).max_examples, threads, nodes)  # EXAMPLES=10: ten times as many


@pytest.mark.parametrize("chapter", ["s26_bitboards", "s27_compiled_search"])
def test_importing_compiles_nothing(chapter: str, tmp_path: Path) -> None:
    assert set(compiled_signatures(chapter, "", tmp_path).values()) == {0}


def test_nothing_is_compiled_or_loaded_after_the_engine_is_prepared(tmp_path: Path) -> None:
    code = (
        "from numba.core import event\n"
        "from converted_notebooks import s26_bitboards, s27_compiled_search\n"
        "from utils.compiler import is_compiled\n"
        "def loaded():\n"
        "    values = [*vars(s26_bitboards).values(), *vars(s27_compiled_search).values()]\n"
        "    return [value.stats.cache_hits for value in values if is_compiled(value)]\n"
        "engine, board = CompiledEngine(1), chess.Board()\n"
        "engine.prepare()\n"
        "before = str(loaded())\n"
        "for uci in ('e2e4', 'g8f6', 'g1f3'): board.push_uci(uci)\n"
        "with event.install_recorder('numba:compile') as seen:\n"
        "    engine.play(board, chess.engine.Limit(depth=4))\n"
        "    engine.analyse(board, chess.engine.Limit(depth=2))\n"
        "assert not seen.buffer and str(loaded()) == before"
    )
    for _ in ("compiled", "loaded"):
        compiled_signatures("s27_compiled_search", code, tmp_path)


@pytest.mark.parametrize("chapter", ["s26_bitboards", "s27_compiled_search"])
def test_no_function_is_compiled_twice(chapter: str, tmp_path: Path) -> None:
    code = (
        "import chess.engine\n"
        "from converted_notebooks.s27_compiled_search import CompiledEngine\n"
        "engine = CompiledEngine(1, 2)\n"
        "engine.play(chess.Board(), chess.engine.Limit(depth=6))\n"
        "engine.analyse(chess.Board(), chess.engine.Limit(depth=2))"
    )
    found = compiled_signatures(chapter, code, tmp_path)
    assert len(found) >= 20 and set(found.values()) <= {0, 1}, found


def test_the_engine_can_be_prepared_and_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine("s27")
    assert isinstance(engine, Preparable) and isinstance(engine, Configurable)
    assert isinstance(engine, s27.CompiledEngine)
    engine.prepare()
    with monkeypatch.context() as patch:  # `prepare` comes before each search
        patch.setattr(s27, "CompiledEngine", mock.Mock(side_effect=AssertionError))
        engine.prepare()
    for name, option in engine.options.items():
        assert name == option.name
    assert engine.options["Hash"].default == engine.values["Hash"] == 64
    assert engine.options["Threads"].default == len(engine.team.threads) == 1
    engine.set_option("Threads", 3)
    engine.set_option("Hash", 2)
    assert len(engine.team.threads) == 3 and len(engine.team.table) == 2 << 16
    assert all(thread.table is engine.team.table for thread in engine.team.threads)


def test_hash_and_threads_are_options_of_the_program() -> None:
    with Program([sys.executable, "-m", "utils.uci"]) as program:
        program.say("setoption name Chapter value s27", "uci")
        lines = program.until("uciok")
        assert "option name Threads type spin default 1 min 1 max 64" in lines
        assert "option name Hash type spin default 64 min 1 max 4096" in lines
        program.say("setoption name Threads value 2", "setoption name Hash value 1")
        program.say("setoption name Threads value 99", "isready")
        assert any("Threads" in line for line in program.until("readyok"))
        program.say("position startpos moves e2e4", "go depth 6")
        *_, last = program.until("bestmove")
        board = chess.Board()
        board.push_uci("e2e4")
        assert chess.Move.from_uci(last.split()[1]) in board.legal_moves
        program.say("quit")


def test_the_line_of_chess960_goes_on_after_castling() -> None:
    board = chess.Board("4k2r/8/8/8/8/8/1r6/K7 w k - 0 1", chess960=True)  # only Kxb2
    engine, after, castles = s27.CompiledEngine(1), board.copy(), chess.Move.from_uci("e8h8")
    after.push_uci("a1b2")
    position = new_stack(after, 0)[0]
    data = entry(9, s27.EXACT_VALUE, 0, to_number(position, castles))
    s27.keep_data(engine.team.table, position.key, data)
    engine.play(board, Limit(depth=1))
    assert engine.last_search and engine.last_search.line == (after.peek(), castles)


def test_an_analysis_counts_the_nodes_of_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = s27.CompiledEngine(1, 2)
    monkeypatch.setattr(engine.team, "visited", lambda: 4711)
    engine.analyse(chess.Board(FORTRESS), Limit(depth=1))
    assert engine.last_search and engine.last_search.nodes == 4711


def test_a_game_ends_its_search_when_the_clock_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def has_enough(clock: Any, iterations: tuple[Iteration, ...]) -> bool:
        return len(iterations) == 3

    monkeypatch.setattr(Clock, "has_enough", has_enough)
    engine = s27.CompiledEngine(1)
    engine.play(chess.Board(FORTRESS), Limit(depth=9))
    assert len(engine.iterations) == 3


def test_scores_are_centipawns_and_a_mate_counts_its_plies() -> None:
    engine = s27.CompiledEngine(1)
    assert engine.plies_to_mate(3 - MATE) == engine.plies_to_mate(MATE - 3) == 3
    assert (engine.mate_score, engine.pawn_value) == (s22.LONG_MATE, 100)
