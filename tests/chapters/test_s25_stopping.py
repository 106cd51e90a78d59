"""Stopping and pondering in s25, and the limits of a search."""

from __future__ import annotations

import gc
import itertools
import random
import re
import sys
import threading
from collections.abc import Iterator

import chess
import pytest
from chess.engine import Limit

from converted_notebooks import s25_playing as s25
from tests.helpers.conversation import A_YEAR, Watched, bestmoves, moves, pending
from tests.helpers.positions import STARTS
from tests.helpers.programs import SECONDS
from utils.engines import ENGINES, make_engine, prepare


class WatchedLock:
    """A lock that knows whether it is held: then another thread would have to wait."""

    def __init__(self) -> None:
        self.lock, self.held = threading.RLock(), 0

    def __enter__(self) -> None:
        self.lock.acquire()
        self.held += 1

    def __exit__(self, *_: object) -> None:
        self.held -= 1
        self.lock.release()


def calls_after_stop(chapter: str, board: chess.Board, lines: int, at: int) -> int:
    """How many Python functions a search calls after a `stop`.

    Args:
        chapter: of the engine.
        board: the position.
        lines: the value of MultiPV.
        at: after how many calls `stop` is said, as soon as another thread could; at the end of
            the search, if that comes first.
    """
    go, said = pending(chapter, s25.GoRequest(infinite=True), patience=A_YEAR)
    go.player.ready()
    go.player.settings["MultiPV"] = lines
    go.start, calls = board, 0
    go.moves = list(board.legal_moves)
    go.line = go.moves[:1]

    go.lock = lock = WatchedLock()  # type: ignore[assignment]

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls, at
        calls += event == "call"
        if event == "call" and calls >= at and not go.stopped and not lock.held:
            at = calls
            go.stop()

    sys.setprofile(count)
    try:
        go.run()
    finally:
        sys.setprofile(None)
    if not go.stopped:
        assert bestmoves(said) == [], "it waits"
        go.stop()
        assert calls < at
        at = calls
    (best,) = bestmoves(said)
    assert moves(best)[0] in board.legal_moves
    return calls - at


def old_game() -> chess.Board:
    """A position with a long history."""
    board, rng = chess.Board(), random.Random(8)
    while board.ply() < 150:
        board.push(rng.choice([m for m in board.legal_moves if not board.is_capture(m)]))
    return board


@pytest.mark.parametrize("chapter", ENGINES)
def test_every_engine_answers_stop_at_once(chapter: str) -> None:
    """In a tenth of a second, CPython makes many more calls than these."""
    late = 9000 if chapter == "s27" else 60_000  # compiled code makes few calls
    for board in (chess.Board(STARTS[1]), old_game()):
        for lines, at in itertools.product((1, 3), (100, 3000, late)):
            assert calls_after_stop(chapter, board, lines, at) <= 12_000


@pytest.mark.parametrize("chapter", ENGINES)
def test_no_search_leaves_cycles_behind(chapter: str) -> None:
    """The program runs without the cyclic garbage collector, whose pauses would delay a stop."""
    engine, board = make_engine(chapter), chess.Board(STARTS[4])
    prepare(engine)  # as before each search of the program
    gc.collect()
    gc.disable()
    try:
        for limit in (Limit(nodes=500), Limit(depth=2, nodes=500)):
            engine.play(board.copy(), limit)
            engine.analyse(board.copy(), limit)
        engine.stop()
        engine.play(board.copy(), Limit(nodes=500))
        assert gc.collect() < 100, "not one for each node"
    finally:
        gc.enable()


def test_a_stop_before_the_search_counts_and_leaves_the_next_search_alone() -> None:
    engine = make_engine("s15")
    for stopped in (True, False):
        go, said = pending(engine, s25.GoRequest(Limit(depth=2)))
        if stopped:
            go.stop()
        go.run()
        go.stop()  # too late: it must not reach the next search
        go.ponderhit()
        assert len(bestmoves(said)) == 1 and (len(said) == 1) == stopped


def test_several_lines_end_with_a_mate_at_its_depth() -> None:
    mate = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    said = s25.converse([mate, "setoption name MultiPV value 2", "go depth 6"])
    depths = [int(line.split()[2]) for line in said if line.startswith("info depth")]
    assert depths and max(depths) == 1


def test_each_go_has_its_own_limit_and_its_overhead() -> None:
    engine, player = Watched(), s25.Player(random.Random(1), "s05")
    player.engine = engine
    go = "go wtime 1000 btime 20 binc 300 nodes 7"
    said = s25.converse([go, "setoption name Move Overhead value 100", go, "go depth x"], player)
    for lost, limit in zip((0.03, 0.1), engine.limits, strict=False):
        black = max(0.02 - lost, 0)
        assert limit == Limit(nodes=7, white_clock=1 - lost, black_clock=black, black_inc=0.3)
    assert engine.limits[2:] == [Limit(time=0.1)] and len(bestmoves(said)) == 3
    for words, expected in (
        ("infinite", Limit(time=5)),
        ("ponder movetime 7 depth 3 nodes 9", Limit(time=5, depth=3, nodes=9)),
    ):
        answer, _ = pending(engine, s25.parse_go(words.split()), patience=5)
        answer.run()
        assert engine.limits[-1] == expected


def test_several_lines_share_a_limit_of_nodes() -> None:
    for words in ("nodes 1000", "nodes 1000 depth 9", "nodes 1000 movetime 60000"):
        engine = Watched()
        go, said = pending(engine, s25.parse_go(words.split()), patience=A_YEAR)
        go.player.settings["MultiPV"] = 2
        go.run()
        assert [limit.nodes for limit in engine.limits] == [1000]
        assert len(bestmoves(said)) == 1 and any(" multipv 2 " in line for line in said)
    said = s25.converse(["setoption name MultiPV value 2", "position startpos", "go nodes 4000"])
    lines = [line for line in said if " multipv " in line]
    told = [re.fullmatch(r"info depth (\d+) multipv (\d) .* nodes (\d+) .*", one) for one in lines]
    found = [tuple(map(int, one.groups())) for one in told if one]
    assert [rank for _, rank, _ in found] == [1, 2]
    assert all(depth > 1 and 1000 < nodes <= 4000 for depth, _, nodes in found)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mate 2", Limit(time=A_YEAR, depth=3)),
        ("mate 2 movetime 500", Limit(time=0.5, depth=3, mate=2)),
        ("mate 2 wtime 9000", Limit(white_clock=8.97, depth=3, mate=2)),
    ],
)
def test_a_search_for_a_mate_keeps_its_time(
    words: str, expected: Limit, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Watched()
    monkeypatch.setattr(s25, "make_engine", lambda name: engine)
    go, _ = pending(engine, s25.parse_go(words.split()), patience=A_YEAR)
    go.run()
    assert engine.limits == [expected]


@pytest.mark.parametrize("hit", [True, False])
def test_no_clock_runs_while_pondering_and_all_of_it_afterwards(hit: bool) -> None:
    request = s25.parse_go(["ponder", "wtime", "60000", "winc", "500", "movestogo", "9"])
    engine = Watched()
    go, said = pending(engine, request, patience=A_YEAR)
    engine.acts.append(go.ponderhit if hit else go.stop)
    go.run()
    first, *second = engine.limits
    assert first == Limit(time=A_YEAR) and engine.stops == 1
    assert second == ([s25.less_overhead(request.limit, 30)] if hit else [])
    assert len(bestmoves(said)) == 1 and (len(said) == 1) != hit


@pytest.mark.parametrize("plies", [2, 3])
@pytest.mark.parametrize("hit", [True, False])
def test_several_lines_end_at_the_ponderhit_too(hit: bool, plies: int) -> None:
    engine = Watched()
    go, said = pending(engine, s25.parse_go(["ponder", "movetime", "0"]), patience=A_YEAR)
    go.player.settings["MultiPV"] = 2
    engine.acts = [*[lambda: None] * (plies - 2), go.ponderhit if hit else go.stop]
    go.run()
    assert [limit.depth for limit in engine.limits] == [2, 3][: plies - 1]
    assert all((limit.time or 0) > A_YEAR / 2 for limit in engine.limits)
    depths = [int(line.split()[2]) for line in said[:-1]]
    # The last ply is not reported; after the ponderhit comes one, which is always finished.
    assert depths == sorted([*range(1, plies)] * 2) + [1, 1] * hit
    assert len(bestmoves(said)) == 1


def test_the_time_of_several_lines_is_that_since_the_search_began(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = [5000.0]
    monkeypatch.setattr("time.perf_counter", lambda: seconds[0])
    go, said = pending(Watched(lambda: seconds.insert(0, 5002.0)), s25.GoRequest(Limit(depth=2)))
    go.player.settings["MultiPV"] = 2
    go.run()
    times = [line.split(" time ")[1].split()[0] for line in said[:-1]]
    assert times == ["0", "0", "2000", "2000"]
    assert all(" nodes 0 " in line for line in said[:-1]), "this engine counts none"


def test_what_is_found_while_pondering_waits_for_the_ponderhit() -> None:
    engine = Watched()
    go, said = pending(engine, s25.parse_go(["ponder", "wtime", "60000"]), patience=A_YEAR)
    go.run()
    assert bestmoves(said) == []
    go.ponderhit()
    go.ponderhit()
    assert len(bestmoves(said)) == 1 and engine.stops == 0 and len(engine.limits) == 1


def test_a_ponderhit_that_nobody_waits_for_ends_no_search() -> None:
    for words in ("infinite", "movetime 7000"):
        engine = Watched()
        go, _ = pending(engine, s25.parse_go(words.split()))
        engine.acts.append(go.ponderhit)
        go.run()
        assert engine.stops == 0 and len(engine.limits) == 1


def test_an_analysis_has_no_limit_and_is_answered_at_the_end_of_the_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(s25, "LAST_WAIT", SECONDS)
    begun, stopped, said = threading.Event(), threading.Event(), list[str]()
    engine, player = Watched(), s25.Player(random.Random(1), "s05")
    monkeypatch.setattr(engine, "stop", stopped.set)
    player.engine = engine

    def search() -> None:
        begun.set()
        stopped.wait(SECONDS)

    engine.acts.append(search)

    def lines() -> Iterator[str]:
        yield "go infinite"
        assert begun.wait(SECONDS)

    s25.serve(lines(), said.append, player)
    assert engine.limits == [Limit(time=A_YEAR)]
    assert said[-1].startswith("bestmove ") and len(bestmoves(said)) == 1
