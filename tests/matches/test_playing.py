"""One game of a match: whatever a player does, it has a result."""

from __future__ import annotations

import dataclasses
import gc
import io
import math
import random
import re
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import chess
import chess.engine
import chess.pgn
import pytest

from converted_notebooks import s24_measuring_strength as s24
from converted_notebooks.s04_engine_interface import FirstMoveEngine, finished, play_game
from converted_notebooks.s24_measuring_strength import read_control
from tests.helpers.programs import DUMMY, until
from utils.engines import make_engine
from utils.matches import playing
from utils.matches.plan import play_plan
from utils.matches.playing import Reply, TimedGame, forfeited, meet, play_planned, play_timed_game
from utils.matches.records import Fault, PlannedGame, parse_played, read_played


@pytest.mark.parametrize(
    ("trick", "control", "fault", "words"),
    [
        ("illegal", "d1", Fault.ILLEGAL, "loses by illegal move: "),
        ("san", "d1", Fault.ILLEGAL, "loses by illegal move: "),
        ("crash", "d1", Fault.CRASH, "loses by crash: EngineTerminatedError: "),
        ("slow", "0.5+0", Fault.TIME, "loses by time forfeit"),
        ("hang", "0.5+0", Fault.TIME, "loses by time forfeit"),
        ("exit", "d1", Fault.CRASH, "loses by crash: engine process died"),
    ],
)
def test_a_program_that_misbehaves_loses(
    trick: str,
    control: str,
    fault: Fault,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(playing, "PATIENCE", 0.5)
    player, path = f"{DUMMY} {trick}", tmp_path / "m.pgn"
    with ThreadPoolExecutor(2) as executor:
        *_, games = play_plan(s24.plan_match(player, "s07", 2, control), path, executor)
    assert [game.points for game in games] == [0, 0]
    assert {game.fault for game in games} == {fault}
    one, two = sorted(read_played(path), key=lambda game: game.number)
    assert f"White {words}" in one.termination and f"Black {words}" in two.termination


def test_each_player_has_the_time_of_its_control_with_both_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = defaultdict[str, set[float | None]](set)

    class Asked(FirstMoveEngine):
        def __init__(self, spec: str) -> None:
            self.spec = spec

        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            assert limit is not None
            clocks = limit.white_clock, limit.black_clock
            limits[self.spec].add(limit.time or clocks[not board.turn])
            return super().play(board, limit)

    monkeypatch.setattr(playing, "make_player", lambda spec, rng: Asked(spec))
    for control, first, second in (("1s:3s", 1, 3), ("100+0:300+0", 100, 300), ("2s", 2, 2)):
        limits.clear()
        for planned in s24.plan_match("s05", "s07", 2, control, longest=12):
            play_planned(planned)
        for name, seconds in (("s05", first), ("s07", second)):
            assert {math.ceil(time or 0) for time in limits[name]} == {seconds}


class Slow(FirstMoveEngine):
    """Owns the clock of matches; each of its moves takes so many seconds."""

    def __init__(self, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds, self.now = seconds, 0.0
        monkeypatch.setattr(playing, "time", SimpleNamespace(perf_counter=lambda: self.now))

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.now += self.seconds
        return super().play(board, limit)


@pytest.mark.parametrize(
    ("control", "grace", "spent", "fault"),
    [
        ("1s", 0.5, 1.25, None),
        ("1s", 0.5, 1.75, Fault.TIME),
        ("1s", 30, 25, None),  # a grace may be longer than the usual patience
        ("60+0", 0.5, 25, None),  # a grace is for a time for each move only
        ("d1", 0.5, 25, None),
        ("1s", None, 5.5, None),  # without a grace, some seconds late are no fault
        ("1s", None, 7, Fault.TIME),
        ("1800+10", None, 700, None),
        ("695+10", None, 700, Fault.TIME),
        ("d1", None, 700, Fault.TIME),
    ],
)
def test_a_move_may_take_as_long_as_its_control_and_a_grace_allow(
    control: str,
    grace: float | None,
    spent: float,
    fault: Fault | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow, read = Slow(spent, monkeypatch), read_control(control)
    left = {chess.WHITE: read.clock or math.inf, chess.BLACK: 1.0}
    assert playing.timed_move(slow, chess.Board(), read, left, grace).fault is fault


def test_a_game_with_a_program_that_is_not_installed_is_no_game() -> None:
    with pytest.raises(FileNotFoundError, match="nonesuch"):
        play_planned(PlannedGame("s05", "nonesuch-engine", 0, "d1", "x", (), 0))


def test_no_garbage_is_collected_while_a_clock_runs() -> None:
    """And it is again after a move, or an error in place of one."""
    seen = []

    class Watched(FirstMoveEngine):
        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            seen.append(gc.isenabled())
            if len(seen) == 3:
                raise RuntimeError("a crash")
            return super().play(board, limit)

    game = play_timed_game(Watched(), Watched(), read_control("d1"))
    assert game.fault is Fault.CRASH and seen == [False] * 3 and gc.isenabled()


def test_the_garbage_of_a_move_is_collected_on_nobody_s_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, collections = [0.0], list[str]()

    def collected(phase: str, info: dict[str, int]) -> None:
        collections.append(phase)
        now[0] += 100  # seconds

    class Untidy(FirstMoveEngine):
        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            self.kept: list[list[int]] = [[] for _ in range(2 * gc.get_threshold()[0])]
            now[0] += 0.25
            return super().play(board, limit)

    monkeypatch.setattr(playing, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    player, left = Untidy(), {chess.WHITE: 1.0, chess.BLACK: 1.0}
    gc.callbacks.append(collected)
    try:
        reply = playing.timed_move(player, chess.Board(), read_control("1+0"), left)
        gc.collect()
    finally:
        gc.callbacks.remove(collected)
    assert collections and reply.seconds == 0.25 and left == {chess.WHITE: 0.75, chess.BLACK: 1.0}


@pytest.mark.parametrize(
    "error", [TypeError("no rng"), SystemExit(0), RuntimeError(ValueError("no number"))]
)
def test_a_player_that_breaks_down_before_or_in_a_game_has_lost_it(error: BaseException) -> None:
    class Broken(FirstMoveEngine):
        def __init__(self, early: bool) -> None:
            self.early = early

        def new_game(self, rng: random.Random | None = None) -> None:
            if self.early:
                raise error

        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            raise error

    for early in (True, False):
        for white, black, side, result in (
            (Broken(early), FirstMoveEngine(), "White", "0-1"),
            (FirstMoveEngine(), Broken(early), "Black", "1-0"),
        ):
            game = play_timed_game(white, black, read_control("d1"))
            assert (game.result, game.fault) == (result, Fault.CRASH)
            assert side in game.termination and type(error).__name__ in game.termination


def test_a_program_that_has_answered_is_not_watched_any_more() -> None:
    class Program(FirstMoveEngine):
        def kill(self) -> None:
            pass

    before, left = {*threading.enumerate()}, dict.fromkeys(chess.COLORS, 1800.0)
    playing.timed_move(Program(), chess.Board(), read_control("1800+0"), left)
    until(lambda: before >= {*threading.enumerate()})


@pytest.mark.parametrize(("seed", "number"), [(4, 0), (4, 1), (3, 2)])
def test_the_seed_of_a_match_and_the_pair_make_a_game_that_s04_repeats(
    seed: int, number: int
) -> None:
    planned = PlannedGame("s05", "s07", number, "d1", "none", (), seed, longest=20)
    white, black = map(make_engine, planned.players)
    again = play_game(white, black, seed=4, limit=chess.engine.Limit(depth=1), max_plies=20)
    assert meet(planned, chess.Board()).board.move_stack == again.board.move_stack


def test_who_has_no_time_left_does_not_lose_to_a_bare_king() -> None:
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    assert forfeited(board, board.turn, Reply(None, Fault.TIME)).result == "1/2-1/2"
    assert forfeited(board, board.turn, Reply(None, Fault.ILLEGAL)).result == "0-1"
    board.turn = chess.BLACK
    assert forfeited(board, board.turn, Reply(None, Fault.TIME)) == TimedGame(
        board, "1-0", "Black loses by time forfeit", Fault.TIME
    )
    words = forfeited(board, board.turn, Reply(None)).termination
    assert words == "Black loses by resignation"


def test_draws_are_claimed_and_long_games_end() -> None:
    record = play_timed_game(FirstMoveEngine(), FirstMoveEngine(), read_control("d1"))
    assert (record.result, record.termination) == ("1/2-1/2", "threefold repetition")
    assert record.board.is_repetition(3) and not record.board.is_repetition(4)
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 99 80")
    assert finished(board) is None
    board.push_uci("a1a2")
    assert finished(board) == ("1/2-1/2", "fifty moves")
    short = play_timed_game(FirstMoveEngine(), FirstMoveEngine(), read_control("d1"), longest=3)
    assert (short.plies, short.termination) == (3, "adjudication: too long")
    assert record.clocks == short.clocks == ()


def test_a_game_with_clocks_says_what_they_showed(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each move of the game, but not after those of the opening."""
    monkeypatch.setattr(playing, "time", SimpleNamespace(perf_counter=lambda: 0.0))
    moves = ("e2e4", "e7e5", "g1f3")
    planned = PlannedGame("s05", "s07", 0, "30+0.5", "King's Knight", moves, 0, longest=9)
    text = play_planned(planned)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and parse_played(text) is not None
    clocks = [node.clock() for node in game.mainline()]
    # Each player began with 30 s; every move brought half a second and took no time.
    assert clocks == [None, None, None, 30.5, 30.5, 31.0, 31.0, 31.5, 31.5]
    without = play_planned(dataclasses.replace(planned, control="d1"))
    assert "%clk" in text and "%clk" not in without
    roster = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert [line[1:].partition(" ")[0] for line in text.splitlines()[:7]] == roster
    assert re.fullmatch(r"20\d\d\.\d\d\.\d\d", game.headers["Date"])


def test_the_clocks_of_a_game_that_is_lost_on_time_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Slow(1.25, monkeypatch)
    game = play_timed_game(slow, FirstMoveEngine(), read_control("3+0"))
    assert (game.result, game.fault, game.plies) == ("0-1", Fault.TIME, 4)
    assert game.clocks == (1.75, 3, 0.5, 3)
