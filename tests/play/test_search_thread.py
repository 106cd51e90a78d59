"""Searches in threads: stopped, abandoned, waited for."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import chess
import chess.engine
import pytest

from tests.helpers.positions import PROMOTION
from tests.helpers.programs import need
from tests.play.front_end import SECONDS, Make, Reporting, Waiting, end_searches
from utils.play.search_thread import Opponent, Search
from utils.uci_engine import UciEngine


def has_ended(program: UciEngine) -> bool:
    """Whether a program is no longer there to answer."""
    try:
        program.play(chess.Board())
    except chess.engine.EngineTerminatedError:
        return True
    return False


@pytest.mark.parametrize("name", ["s11", "s13", "s15", "s17", "s19", "s23"])
def test_a_deep_search_is_stopped_and_abandoned(front_end: Make, name: str) -> None:
    end = front_end(name, limit="depth 40")
    end.move("e4")
    end.session.handle({"do": "stop"})
    state = end.answered()
    assert len(state["sans"]) == 2 and state["message"] == ""
    end.move("d4")
    end.do("undo")
    end_searches()
    assert end.session.state()["positions"] == state["positions"]


def test_a_search_does_not_keep_python_from_ending(front_end: Make) -> None:
    engine = Waiting()
    front_end(engine).move("e4")
    assert engine.started.wait(SECONDS)
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "search")
    engine.go.set()


def test_a_second_stop_takes_what_was_found(front_end: Make) -> None:
    engine = Reporting("e7e5")
    end = front_end(engine)
    end.move("e4")
    assert engine.started.wait(SECONDS)
    end.do("stop")
    assert end.do("stop")["sans"] == ["e4", "e5"]
    engine.go.set()


def test_an_abandoned_search_ends_at_its_next_move_even_if_the_engine_does_not_listen(
    front_end: Make,
) -> None:
    class Endless(Waiting):
        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            while True:
                self.started.set()
                board.push(next(iter(board.legal_moves)))
                board.pop()

    engine = Endless()
    end = front_end(engine)
    end.move("e4")
    assert engine.started.wait(SECONDS)
    end.do("new")
    end_searches()
    assert not end.session.thinking and end.session.failure is None


@pytest.mark.parametrize("name", ["s11", "s15", "s23", "stockfish"])
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("end", [Search.stop, Search.abandon])
def test_a_search_is_ended_at_any_moment(
    request: pytest.FixtureRequest, name: str, begun: bool, end: Callable[[Search], None]
) -> None:
    if name == "stockfish":
        need(name)
    opponent, limit = Opponent(name, random.Random(1)), chess.engine.Limit(time=600)
    request.addfinalizer(opponent.close)
    search = Search(opponent, chess.Board(), limit, lambda _: None, lambda search, *_: end(search))
    if not begun or name == "stockfish":  # a program reports no iterations
        end(search)
    search.run()
    assert search.finished and search.error is None
    assert opponent.engine is not None and opponent.engine.on_iteration is None
    depth = search.iteration and search.iteration.depth
    if end is Search.stop:
        assert search.move is not None and search.move in chess.Board().legal_moves
        assert depth in (None, 1)
        assert begun or depth == 1 or name == "stockfish"
    else:
        assert begun or search.move is None
        assert not isinstance(opponent.engine, UciEngine) or has_ended(opponent.engine)


def test_a_program_is_stopped_and_ended_during_a_search(front_end: Make) -> None:
    need("stockfish")
    end = front_end("stockfish", limit="600 s")
    for _ in range(2):
        end.move("e4")
        end.do("undo")
        end_searches()
    end.do("limit", text="depth 1")
    assert len(end.play("e4")["sans"]) == 2 and end.session.failure is None


def test_searches_with_one_engine_of_a_reader_wait_for_each_other(front_end: Make) -> None:
    engine = Waiting("e7e5", "g8f6", "b8c6")
    first, second, third = (front_end(engine) for _ in range(3))
    first.move("e4")
    assert engine.started.wait(SECONDS)
    first.do("undo")  # its first search goes on
    for end in (first, second, third):
        end.move("d4")
        end.until(lambda state: "Waiting has not ended its last search yet." in state["status"])
    third.do("undo")
    engine.go.set()
    for end in (first, second):
        end.until(lambda state: "Waiting is thinking." in state["status"])
        end.until(lambda state: not state["thinking"])
    end_searches()
    answers = [end.session.state()["sans"] for end in (first, second, third)]
    assert sorted(answers) == [[], ["d4", "Nc6"], ["d4", "Nf6"]] and answers[2] == []


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("undo", {}),
        ("new", {}),
        ("fen", {"text": PROMOTION}),
        ("side", {"name": "both"}),
        ("engine", {"name": "s05"}),
        ("close", {}),
    ],
)
def test_an_abandoned_search_never_changes_the_game(
    front_end: Make, command: str, arguments: dict[str, str]
) -> None:
    engine = Waiting("e7e5")
    end = front_end(engine)
    end.move("e4")
    assert engine.started.wait(SECONDS)
    if command == "close":
        end.session.close()
    else:
        end.do(command, **arguments)
    if command == "engine":
        end.answered()
    before = end.session.state()
    assert not before["thinking"]
    engine.go.set()
    end_searches()
    assert end.session.state() == before and end.session.failure is None


def test_an_engine_that_cannot_be_stopped_is_left_alone(front_end: Make) -> None:
    engine = Waiting()
    end = front_end(engine)
    end.move("e4")
    assert engine.started.wait(SECONDS)
    state = end.do("stop")
    assert state["thinking"] and "Waiting was asked to move now." in state["status"]
    state = end.do("stop")
    assert state["waiting"] and not state["thinking"] and state["sans"] == ["e4"]
    assert state["message"] == "Waiting had no move yet. It stopped thinking."
    assert end.do("flip")["waiting"] and end.do("limit", text="depth 1")["waiting"]
    assert end.do("fen", text="8/8")["waiting"], "what is wrong changes nothing"
    assert end.do("go")["thinking"]
    engine.go.set()
