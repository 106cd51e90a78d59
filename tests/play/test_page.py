"""The session of the page to play on, without a browser: messages in, messages out."""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.generated import examples
from utils.chapters import chapter
from utils.engines import ENGINES
from utils.matches import ladder_results as ladder
from utils.play.page import NEEDS_NUMPY, PageSession, first_look, openings, opponents


class Told:
    """A session of the page, and what it has told; options are those of the session."""

    def __init__(self, **options: Any) -> None:
        self.said = list[dict[str, Any]]()
        self.session = PageSession(self._hear, **options)

    def _hear(self, text: str) -> None:
        self.said.append(json.loads(text))

    def do(self, command: str, **arguments: object) -> Any:
        """Sends a command; the last message that follows."""
        self.session.receive(json.dumps({"do": command} | arguments))
        return self.said[-1]


def test_another_worker_takes_up_the_game() -> None:
    one, two = Told(engine="s16", limit="depth 2"), Told()
    state = one.do("move", text="e4", ply=0)["state"]
    assert any("info" in message for message in one.said)
    assert two.do("take up", state=state)["state"] == state
    one.do("side", name="random")
    ended = one.do("resign")["state"] | {"status": "Black wins"}
    again = two.do("take up", state=ended)["state"]
    assert again | {"status": "Black wins"} == ended and "resignation." in again["status"]
    back = two.do("undo")["state"]
    assert back["side"] == "random" and back["moves"] == state["moves"]


def test_an_engine_without_scores_declines_a_draw_in_a_game_that_was_taken_up() -> None:
    two = Told()
    two.do("take up", state=Told(engine="s05").do("move", text="e4", ply=0)["state"])
    assert "s05 declines the draw." in two.do("draw")["state"]["status"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "s05", "e2e4", "1 s"]),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.sampled_from("ab"), parts),
    max_leaves=3,
)


@functools.cache
def kept() -> str:
    """A game of two plies, as the page keeps it."""
    return json.dumps(Told(engine="s15", limit="depth 1").do("move", text="e4", ply=0)["state"])


@examples(150)
@given(st.data())
def test_a_game_that_cannot_be_read_changes_nothing(data: st.DataObject) -> None:
    whole = {"state": json.loads(kept())}
    place: Any = whole
    key: Any = "state"
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(
            st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place)))
        )
    place[key] = data.draw(JSON)
    two = Told()
    before = two.session.state()
    state = two.do("take up", **whole)["state"]
    if state["message"]:
        assert state == before | {"message": state["message"]}
    else:
        for position in state["positions"]:
            assert {"fen", "last", "check", "evaluation", "line", "by"} == set(position)
        two.do("undo")
    json.dumps(two.said, allow_nan=False)


def test_the_best_move_until_now_is_played() -> None:
    one, two = Told(engine="s23", limit="depth 3"), Told()
    one.do("move", text="e4", ply=0)
    thinking = next(m["state"] for m in one.said if "state" in m and m["state"]["thinking"])
    info = next(m["info"] for m in one.said if "info" in m)
    state = two.do("take up", state=thinking, answer=info["move"], info=info)["state"]
    assert len(state["sans"]) == 2 and not state["thinking"] and state["moves"]
    assert state["positions"][-1]["line"]["moves"] == info["line"]["moves"][1:]
    state = two.do("take up", state=thinking, answer="")["state"]
    assert "no move yet" in state["message"] and state["waiting"]


@pytest.mark.parametrize("engine", [name for name in ENGINES if name not in NEEDS_NUMPY])
def test_every_engine_plays_in_the_session_of_the_page(engine: str) -> None:
    state = Told(engine=engine, limit="depth 2").do("move", text="e4", ply=0)["state"]
    assert (len(state["sans"]), state["message"]) == (2, "")
    (tree,) = state["trees"]
    assert (tree["engine"], tree["move"]) == (engine, state["sans"][1])
    assert (tree["nodes"] is None) == (engine < "s09")
    last = state["positions"][-1]
    board = chess.Board(last["fen"])
    for uci in (last["line"] or {"moves": []})["moves"]:
        board.push_uci(uci)  # each of them is legal


def test_another_engine_looks_at_any_position_of_the_game() -> None:
    one = Told()
    game = one.do("pgn", text="1. f3 e5 2. g4 Qh4#")["state"]["positions"]
    seen = {}
    for engine, ply in (("s10", 2), ("s05", 3), ("s16", 4), ("s99", 2)):
        one.said.clear()
        last = one.do("look", engine=engine, fen=game[ply]["fen"], limit="depth 2")
        looks = seen[engine] = [message["look"] for message in one.said if "look" in message]
        assert all((look["engine"], look["fen"]) == (engine, game[ply]["fen"]) for look in looks)
        assert looks[-1]["done"] is True and last["state"]["positions"] == game
    assert seen["s10"][0]["tree"]["nodes"] > 1 and seen["s10"][0]["line"]["moves"]
    assert [look["said"].split()[0] for look in seen["s05"]] == ["plays"]
    (failed,) = seen["s99"]
    assert failed["said"].startswith("fails: 's99' brings no engine")
    assert seen["s16"] == [
        {"engine": "s16", "fen": game[4]["fen"], "done": True, "said": "game over: checkmate"}
    ]


def test_the_page_is_told_of_a_review_step_by_step() -> None:
    one = Told()
    one.do("pgn", text="1. f3 e5 2. g4 Qh4#")
    one.said.clear()
    one.do("review")
    found = [message["review"] for message in one.said if "review" in message]
    assert [look.get("ply") for look in found] == [4, 3, 2, 1, 0, None]
    assert "2. g4" in [move["move"] for move in found[-1]["worst"]]


def test_the_openings_are_found_by_position() -> None:
    names = openings()
    board = chess.Board()
    for san in ("Nf3", "Nc6", "e4", "e5", "Bc4"):  # by another way
        board.push_san(san)
    assert names[" ".join(board.fen().split()[:2])] == "C50 Italian Game"


def test_the_first_look_offers_what_a_browser_can_play() -> None:
    look = first_look()
    names = [name for name, _ in look["setup"]["engines"]]
    assert names == [name for name in ENGINES if name not in NEEDS_NUMPY]
    assert look["state"]["engine"] == names[0] == "s05"
    assert len(look["state"]["moves"]) == 20
    json.dumps(look)


def test_an_opponent_is_labelled_with_its_idea_and_its_elo(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elos = {row.name: row.elo for row in ladder.load_ladder().rows}
    for name, label in opponents():
        words, _, elo = label.partition(" · ")
        record = chapter(name)
        assert record is not None and words == f"{name} {record.engine}"
        assert abs(int(elo) - elos[name]) <= 0.5
    table = ladder.load_ladder()
    short = dataclasses.replace(table, rows=table.rows[:1])
    monkeypatch.setattr(ladder, "load_ladder", lambda: short)
    assert opponents()[:2] == [["s05", "s05 random moves · 0"], ["s06", "s06 opening book"]]
    monkeypatch.undo()
    monkeypatch.setattr(ladder, "FOLDER", tmp_path)
    assert opponents()[0] == ["s05", "s05 random moves"]
