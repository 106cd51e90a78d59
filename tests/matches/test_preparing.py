"""An engine with work to do before its first search does it while no clock runs."""

from __future__ import annotations

import random
from dataclasses import replace
from io import StringIO
from types import SimpleNamespace

import chess
import chess.engine
import pytest
from rich.console import Console

from converted_notebooks.s04_engine_interface import FirstMoveEngine
from converted_notebooks.s24_measuring_strength import Suite, read_control
from tests.play.front_end import FrontEnd
from utils.matches import benchmark, playing, suites
from utils.matches.playing import play_timed_game
from utils.matches.records import Fault
from utils.paths import DATA
from utils.play.game import Game
from utils.play.search_thread import Opponent
from utils.play.terminal import TerminalGame

PROBLEM = suites.read_suite(DATA / "suites" / "mates.epd").problems[0]
FIRST_MOVE = FirstMoveEngine().play(PROBLEM.board()).move or chess.Move.null()
MATE = Suite("its first move solves it", (replace(PROBLEM, best=frozenset({FIRST_MOVE})),))
LONG = 1000.0  # seconds, on a clock that only these tests move


class Compiling(FirstMoveEngine):
    """Takes long to prepare itself, on a clock of the test; its moves take a second."""

    def __init__(self, fails: bool = False) -> None:
        self.now, self.log, self.fails = 0.0, list[str](), fails

    def prepare(self) -> None:
        if "prepared" not in self.log:
            self.now += LONG
        self.log.append("prepared")
        if self.fails:
            raise ValueError("this cannot be compiled")

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.now += 1
        self.log.append("move")
        return super().play(board)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Compiling:
    """The engine that owns the clock of matches and suites, which ask with one function."""
    engine = Compiling()
    clock = SimpleNamespace(perf_counter=lambda: engine.now)
    monkeypatch.setattr(playing, "time", clock)
    return engine


def test_in_a_match(engine: Compiling) -> None:
    game = play_timed_game(engine, FirstMoveEngine(), read_control("10+0"), longest=5)
    assert (game.fault, game.termination) == (None, "adjudication: too long")
    assert game.clocks[::2] == (9, 8, 7)
    assert engine.log[:2] == ["prepared", "move"] and engine.log.count("move") == 3


def test_an_engine_that_cannot_prepare_itself_loses(engine: Compiling) -> None:
    engine.fails = True
    game = play_timed_game(engine, FirstMoveEngine(), read_control("10+0"))
    assert (game.result, game.fault) == ("0-1", Fault.CRASH)
    assert "this cannot be compiled" in game.termination


def test_in_a_suite(engine: Compiling, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "make_player", lambda *_: engine)
    (answer,) = suites.run_suite("s05", MATE, "5s")
    assert (answer.fault, answer.seconds) == ("", 1)
    engine.fails = True
    (answer,) = suites.run_suite("s05", MATE, "5s")
    assert answer.fault == "crash: ValueError: this cannot be compiled"


def test_in_a_terminal() -> None:
    engine, limit = Compiling(), chess.engine.Limit(depth=1)
    game = TerminalGame(Game(), engine, limit, Console(file=StringIO()), name="s05")
    game.cmdqueue = ["e4", "quit"]
    game.cmdloop()
    assert engine.log == ["prepared", "move"]


def test_in_a_benchmark(engine: Compiling, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "make_engine", lambda *_: engine)
    with pytest.raises(ValueError, match="does not search"):
        benchmark.measure("s05", "opening", 1, 1.0)
    assert engine.log == ["prepared", "move"]


def test_on_a_board_in_a_notebook_and_on_a_page() -> None:
    engine = Compiling()
    end = FrontEnd(engine)
    end.play("e4", "d4")
    end.session.close()
    assert engine.log == ["prepared", "move"] * 2
    # What was built from a text, before the first move as well: the page loads it ahead.
    opponent = Opponent(engine, random.Random(1))
    assert opponent.ready() is engine and engine.log[-1] == "prepared"
