"""Searches in threads, and the session that joins them to a game with a person."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from typing import Any

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import Engine
from tests.generated import examples
from tests.play.front_end import (
    SECONDS,
    Failing,
    FrontEnd,
    Resigning,
    Scripted,
    State,
    Waiting,
    end_searches,
    front_end,
)
from tests.play.test_game import PROMOTION, replayed
from tests.programs import need
from utils.engines import ENGINES, make_engine
from utils.play.game import START
from utils.play.search_thread import Opponent, Search
from utils.play.session import Session, evaluation_of, read_limit

__all__ = ["front_end"]  # a fixture
DEEP = chess.engine.Limit(depth=40)
Make = Callable[..., FrontEnd]


class Watched(Search):
    """A search from the start position, with events for what its thread reports."""

    def __init__(self, given: str | Engine, limit: chess.engine.Limit = DEEP) -> None:
        self.queued, self.found, self.ended = (threading.Event() for _ in range(3))
        super().__init__(
            Opponent(given, random.Random(1)),
            chess.Board(),
            limit,
            lambda search: (self.queued if search.waiting else self.ended).set(),
            lambda *_: self.found.set(),
        )


# A search.


@pytest.mark.parametrize("name", ["s11", "s13", "s15", "s17", "s19", "s20"])
@pytest.mark.parametrize("stop", [Search.stop, Search.abandon])
def test_a_search_without_end_is_ended(name: str, stop: Callable[[Search], None]) -> None:
    search = Watched(name)
    search.start()
    assert search.found.wait(SECONDS)
    stop(search)
    assert search.ended.wait(SECONDS) and search.finished and search.error is None
    assert search.move in chess.Board().legal_moves


@pytest.mark.parametrize("name", ["s11", "s20"])
def test_a_search_may_be_stopped_before_it_begins(name: str) -> None:
    search = Watched(name)
    search.stop()
    search.run()
    assert search.move in chess.Board().legal_moves
    assert search.iteration is not None and search.iteration.depth == 1
    late = Watched(name)
    late.abandon()
    late.run()
    assert late.finished and late.move is None and late.iteration is None


def test_two_boards_share_an_engine_one_after_the_other() -> None:
    engine = Waiting("e2e4", "d2d4")
    first, second, third = (Watched(engine) for _ in range(3))
    first.start()
    assert engine.started.wait(SECONDS)
    for search in (second, third):
        search.start()
        assert search.queued.wait(SECONDS) and search.waiting
    third.abandon()
    engine.go.set()
    end_searches()
    assert [str(search.move) for search in (first, second, third)] == ["e2e4", "d2d4", "None"]
    assert not second.waiting and not engine.moves


@pytest.mark.parametrize("error", [ValueError("no idea"), SystemExit(3), KeyboardInterrupt()])
def test_an_error_of_an_engine_is_kept(error: BaseException) -> None:
    search = Watched(Failing(error))
    search.start()
    assert search.ended.wait(SECONDS)
    assert search.error is error and search.move is None


def test_an_engine_may_be_written_without_a_limit() -> None:
    class Simple(Scripted):
        def play(self, board: chess.Board) -> chess.engine.PlayResult:  # type: ignore[override]
            return super().play(board)

    search = Watched(Simple("g1f3"))
    search.run()
    assert str(search.move) == "g1f3"


def test_a_program_is_stopped_and_ended() -> None:
    need("stockfish")
    search = Watched("stockfish", chess.engine.Limit(time=600))
    search.stop()
    search.run()
    assert search.move in chess.Board().legal_moves
    engine = search.opponent.engine
    again = Search(search.opponent, chess.Board(), DEEP, lambda _: None)
    again.abandon()
    again.run()
    assert again.finished and engine is not None
    with pytest.raises(chess.engine.EngineTerminatedError):
        engine.play(chess.Board())


# The session.


def test_a_game_to_its_end(front_end: Make) -> None:
    end = front_end(Scripted("e7e5", "d8h4"))
    assert [end.play("f3")["thinking"] for _ in range(1)] == [False]
    state = end.play("g2g4")
    assert state["status"] == "Black played Qh4#. Black wins: checkmate."
    assert state["sans"] == ["f3", "e5", "g4", "Qh4#"] and '[White "You"]' in state["pgn"]
    state = end.do("undo")
    assert state["sans"] == ["f3", "e5"] and state["moves"]


@pytest.mark.parametrize(
    "command",
    [
        {"command": "undo"},
        {"command": "new"},
        {"command": "fen", "text": PROMOTION},
        {"command": "side", "name": "both"},
        {"command": "engine", "name": "s05"},
        {"command": "close"},
    ],
)
def test_an_abandoned_search_never_changes_the_game(
    front_end: Make, command: dict[str, str]
) -> None:
    engine = Waiting("e7e5")
    end = front_end(engine)
    end.move("e4")
    assert engine.started.wait(SECONDS)
    end.session.close() if command["command"] == "close" else end.do(**command)
    if command["command"] == "engine":
        end.answered()
    before = end.session.state()
    assert not before["thinking"]
    engine.go.set()
    end_searches()
    assert end.session.state() == before and end.session.failure is None


def test_the_next_search_of_a_readers_engine_waits_for_the_abandoned_one(front_end: Make) -> None:
    engine = Waiting("e7e5", "g8f6")
    end = front_end(engine)
    end.move("e4")
    assert engine.started.wait(SECONDS)
    end.do("undo")
    end.move("d4")
    end.until(lambda state: "Waiting has not ended its last search yet." in state["status"])
    engine.go.set()
    end.until(lambda state: "Waiting is thinking." in state["status"])
    assert end.until(lambda state: not state["thinking"])["sans"] == ["d4", "Nf6"]


def test_an_engine_is_told_about_a_new_game(front_end: Make) -> None:
    engine = Scripted()
    end = front_end(engine, person=chess.BLACK)
    end.answered()
    end.do("new")
    assert len(end.answered()["sans"]) == 1 and engine.games == 1


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
    assert end.do("flip")["waiting"]
    assert end.do("limit", text="depth 1")["waiting"]
    assert end.do("go")["thinking"]
    engine.go.set()


@pytest.mark.parametrize("name", ["s14", "s20"])
def test_move_now_plays_what_was_found(front_end: Make, name: str) -> None:
    end = front_end(name, limit="depth 40")
    end.move("e4")
    end.session.handle({"do": "stop"})
    state = end.answered()
    assert len(state["sans"]) == 2 and state["message"] == ""
    assert state["positions"][-1]["evaluation"] is not None


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        (Failing(RuntimeError("out of ideas")), "Failing failed. RuntimeError: out of ideas."),
        (Scripted("e7e4"), "IllegalMoveError: Scripted played e7e4; expected a legal move"),
        (Scripted("0000"), "IllegalMoveError: Scripted played 0000; expected a legal move"),
        (Resigning(False), "IllegalMoveError: Resigning played None; expected a legal move"),
    ],
)
def test_what_an_engine_does_wrong_is_a_message(
    front_end: Make, engine: Engine, message: str
) -> None:
    end = front_end(engine)
    state = end.play("e4")
    assert message in state["message"] and end.session.failure is not None
    assert state["waiting"] and state["sans"] == ["e4"]
    end.do("engine", name="s05")
    state = end.answered()
    assert len(state["sans"]) == 2 and state["message"] == ""


def test_an_engine_may_resign(front_end: Make) -> None:
    state = front_end(Resigning(True)).play("e4")
    assert state["result"] == "1-0" and state["message"] == ""


def test_changes_in_the_midst_of_a_game(front_end: Make) -> None:
    end = front_end(Scripted())
    end.play("e4")
    end.do("side", name="black")
    state = end.answered()
    assert len(state["sans"]) == 3 and state["black"] and state["side"] == "black"
    assert not end.do("flip")["black"]
    end.do("engine", name="s05")
    end.do("limit", text="depth 2")
    end.do("side", name="both")
    for _ in range(4):
        end.move(end.session.state()["moves"][0])
    state = end.do("undo")
    assert len(state["sans"]) == 6 and state["names"] == {"White": "You", "Black": "You"}
    end.do("engine", name="own")
    state = end.do("side", name="white")
    assert state["names"] == {"White": "You", "Black": "Scripted"}


def test_a_move_of_a_past_position_is_not_played(front_end: Make) -> None:
    end = front_end(Scripted(), person=None)
    for text, ply in (("e2e4", 1), ("e2e4", 0), ("e7e5", 0)):
        state = end.do("move", text=text, ply=ply)
    assert state["sans"] == ["e4"]


COMMANDS = st.one_of(
    st.fixed_dictionaries(
        {"do": st.just("move"), "text": st.sampled_from(["e4", "e7e5", "a7a8q", "?", "Nf3"])},
        optional={"ply": st.integers(-1, 6)},
    ),
    st.fixed_dictionaries({"do": st.just("fen"), "text": st.sampled_from([START, PROMOTION, "x"])}),
    st.fixed_dictionaries(
        {"do": st.just("engine"), "name": st.sampled_from(["s05", "own", "s99"])}
    ),
    st.fixed_dictionaries(
        {"do": st.just("limit"), "text": st.sampled_from(["depth 1", "-1 s", ""])}
    ),
    st.fixed_dictionaries(
        {"do": st.just("side"), "name": st.sampled_from(["white", "black", "both", "red"])}
    ),
    st.fixed_dictionaries({"do": st.sampled_from(["undo", "new", "flip", "stop", "go", "hm"])}),
    st.dictionaries(st.sampled_from(["do", "text", "ply"]), st.one_of(st.none(), st.integers())),
)


def is_consistent(state: State) -> bool:
    """Whether a state shows a game that python-chess can play."""
    boards = [chess.Board(state["positions"][0]["fen"])]
    for san in state["sans"]:
        board = boards[-1].copy()
        board.push_san(san)
        boards.append(board)
    legal = {move.uci() for move in boards[-1].legal_moves}
    return (
        [board.fen() for board in boards] == [position["fen"] for position in state["positions"]]
        and set(state["moves"]) in (legal, set())
        and (state["result"] != "*" or boards[-1].outcome() is None)
        and json.loads(json.dumps(state)) == state
    )


@examples(200)
@given(st.lists(COMMANDS, max_size=15))
def test_no_sequence_of_commands_breaks_a_session(commands: list[dict[str, Any]]) -> None:
    session = Session(Scripted(), rng=random.Random(1), threads=False)
    for command in commands:
        session.handle(command)
        state = session.state()
        assert is_consistent(state) and not state["thinking"]
        assert session.game.board.fen() == replayed(session.game).fen()
        assert not state["waiting"] or state["message"] or command.get("do") not in ("go", "move")


def test_commands_from_several_threads_leave_a_consistent_game_and_no_thread(
    front_end: Make,
) -> None:
    end = front_end("s10", limit="depth 1")
    session = end.session

    def send(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(60):
            legal = session.state()["moves"] or ["e2e4"]
            move = {"do": "move", "text": rng.choice(legal), "ply": session.game.plies}
            command = {"do": rng.choice(["undo", "stop", "go", "flip", "new"])}
            engine = {"do": "engine", "name": rng.choice(["s05", "s11", "s20"])}
            session.handle(rng.choice([move, command, engine]))

    threads = [threading.Thread(target=send, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    end_searches()
    assert session.failure is None, session.state()["message"]
    while not end.states.empty():
        assert is_consistent(end.states.get())


@pytest.mark.parametrize("name", ["s14", "s20"])
def test_stops_and_new_games_during_searches_leave_no_thread(front_end: Make, name: str) -> None:
    end, rng = front_end(name, limit="depth 40", person=chess.BLACK), random.Random(1)
    for _ in range(50):
        end.session.handle({"do": rng.choice(["stop", "new", "undo", "go"])})
        end.session.handle({"do": "move", "text": rng.choice(["e5", "d5"]), "ply": 1})
    end.session.close()
    end_searches()
    assert is_consistent(end.session.state()) and end.session.failure is None


# What it shows.


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_plays_and_those_that_look_ahead_show_a_score(
    front_end: Make, name: str
) -> None:
    state = front_end(name, limit="depth 1").play("e4")
    found = state["positions"][-1]["evaluation"]
    assert len(state["sans"]) == 2 and (found is None) == (name < "s09")
    if found is not None:
        assert 0.2 < found["share"] < 0.8
        assert found["text"][0] in "+-" and found["text"][-2] == "."


@pytest.mark.parametrize("name", ["s11", "s12", "s16", "s18", "s20"])
@pytest.mark.parametrize("mirror", [False, True])
def test_the_bar_is_whites_view(front_end: Make, name: str, mirror: bool) -> None:
    # Two rooks mate next move; and a queen up is a queen up.
    for fen, texts, share in (
        ("6k1/R7/1R6/8/8/8/8/6K1 w - - 0 1", {"#", "1-0", "0-1"}, 1.0),
        ("q5k1/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", None, 0.0),
    ):
        board = chess.Board(fen)
        if mirror:
            board, share = board.mirror(), 1 - share
        end = front_end(name, limit="depth 2", fen=board.fen(), person=not board.turn)
        found = end.answered()["positions"][-1]["evaluation"]
        assert abs(found["share"] - share) < 0.2, (fen, found)
        assert texts is None or found["text"] in texts
        end.do("side", name="both")
        assert end.do("new")["positions"][-1]["evaluation"] is None


def test_each_position_has_what_was_known_then(front_end: Make) -> None:
    end = front_end("s20", limit="depth 3")
    found = end.play("e4", "d4")["positions"]
    evaluations = [position["evaluation"] for position in found]
    assert evaluations[:2] == [None, None]
    assert evaluations[2] == evaluations[3] is not None is not evaluations[4]
    for ply, position in enumerate(found):
        assert (position["line"] is not None) == (ply in (2, 4))
        board = chess.Board(position["fen"])
        for uci in (position["line"] or {"moves": []})["moves"]:
            board.push_uci(uci)  # each of them is legal
    assert found[2]["line"]["moves"]
    assert end.do("undo")["positions"] == found[:3]


@pytest.mark.parametrize(
    ("score", "mate_score", "pawn_value", "text"),
    [
        (0, 29_000, 100, "+0.0"),
        (-150, 29_000, 100, "-1.5"),
        (1.5, 100, 1, "+1.5"),
        (29_990, 29_000, 100, "#"),
        (-29_000, 29_000, 100, "#"),
    ],
)
def test_scores_in_words(score: float, mate_score: float, pawn_value: float, text: str) -> None:
    engine = Scripted()
    engine.mate_score, engine.pawn_value = mate_score, pawn_value
    share, words = evaluation_of(score, engine)
    assert words == text and (share - 0.5) * score >= 0
    assert (share in (0, 1)) == (text == "#")


@pytest.mark.parametrize("text", ["", "1", "0 s", "-1 s", "nan s", "depth", "depth 0", "depth x"])
def test_a_bad_limit_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="expected one like") as caught:
        read_limit(text)
    assert repr(text) in str(caught.value)
    with pytest.raises(ValueError, match="expected one like"):
        Session("s05", limit=text)


def test_a_bad_engine_is_named() -> None:
    with pytest.raises(ValueError, match="'s99' brings no engine"):
        Session("s99")


def test_what_is_offered_includes_what_is_chosen() -> None:
    choices = Session(Scripted(), limit="0.7 s").choices()
    assert choices["engines"][0] == ["own", "Scripted"]
    assert [key for key, _ in choices["engines"]][1:17] == list(ENGINES)
    assert choices["limits"][0][0] == "0.7 s"
    assert "s10 alpha beta engine" in [label for _, label in choices["engines"]]
    for text, _ in choices["limits"]:
        read_limit(text)


def test_a_readers_engine_may_be_one_of_the_course(front_end: Make) -> None:
    end = front_end(make_engine("s09"), limit="depth 1", person=chess.BLACK)
    assert end.answered()["message"] == "" and end.session.game.plies == 1
