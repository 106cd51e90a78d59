"""The session that joins searches to a game with a person."""

from __future__ import annotations

import random
import threading
from typing import Any

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.generated import examples
from tests.helpers.positions import PROMOTION
from tests.helpers.programs import DUMMY
from tests.play.front_end import (
    SECONDS,
    Make,
    Reporting,
    Scripted,
    Waiting,
    assert_consistent,
    end_searches,
)
from utils.engines import ENGINES, players
from utils.play.findings import evaluation_of
from utils.play.session import Session, read_limit


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"person": "black"}, "'black' is no side; expected chess"),
        ({"limit": "3 m"}, "limit '3 m': expected one like"),
        ({"fen": "8/8"}, "FEN '8/8'"),
    ],
)
def test_no_engine_is_started_for_a_game_that_cannot_begin(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr("utils.play.session.Opponent", None)
    with pytest.raises(ValueError, match=words):
        Session("s05", **options)


def test_an_engine_sees_the_moves_that_could_be_repeated(front_end: Make) -> None:
    seen: list[list[str]] = []

    class Seeing(Scripted):
        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            seen.append([move.uci() for move in board.move_stack])
            return super().play(board)

    front_end(Seeing("b8c6", "c6b8")).play("Nf3", "Ng1", "Nf3")
    assert seen[-1] == ["g1f3", "b8c6", "f3g1", "c6b8", "g1f3"]


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_answers_and_those_that_look_ahead_say_what_they_found(
    front_end: Make, name: str
) -> None:
    end = front_end(name, limit="depth 2")
    positions = end.play("e4", "d4")["positions"]
    assert end.session.game.plies == 4
    for ply, position in enumerate(positions):
        evaluation, line = position["evaluation"], position["line"]
        assert (evaluation is None) == (name < "s09" or ply < 2)
        assert (line is None) == (name < "s09" or ply not in (2, 4))
        if evaluation is not None:
            assert 0.2 < evaluation["share"] < 0.8
            assert evaluation["text"][0] in "+-" and evaluation["text"][-2] == "."
        board = chess.Board(position["fen"])
        for uci in (line or {"moves": []})["moves"]:
            board.push_uci(uci)  # each of them is legal
    assert name < "s15" or positions[2]["line"]["moves"]
    assert positions[2]["evaluation"] == positions[3]["evaluation"]
    assert end.do("undo")["positions"] == positions[:3]


def test_who_resigns_while_the_engine_thinks_is_not_answered(front_end: Make) -> None:
    engine = Waiting("e7e5")
    end = front_end(engine)
    end.move("e4")
    state = end.do("resign")
    assert (state["result"], state["thinking"], state["sans"]) == ("0-1", False, ["e4"])
    engine.go.set()
    end_searches()
    assert end.session.state() == state and end.session.failure is None


def test_where_nothing_can_be_taken_back_the_engine_goes_on(front_end: Make) -> None:
    engine = Waiting("e2e4")
    end = front_end(engine, person=chess.BLACK)
    assert engine.started.wait(SECONDS)
    state = end.do("undo")
    assert state["status"] == "White to move. Waiting is thinking."
    engine.go.set()
    assert end.until(lambda state: not state["thinking"])["sans"] == ["e4"]


# Engines of all kinds, and changes in the midst of a game.


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (RuntimeError("out of ideas"), "Scripted failed. RuntimeError: out of ideas."),
        (SystemExit(3), "Scripted failed. SystemExit: 3."),
        (KeyboardInterrupt(), "Scripted failed. KeyboardInterrupt."),
        ("e7e4", "the engine played e7e4; expected a legal move."),
        ("0000", "the engine played 0000; expected a legal move."),
        ("nothing", "the engine gave no move, and did not resign."),
    ],
)
def test_what_an_engine_does_wrong_is_a_message(
    front_end: Make, answer: str | BaseException, message: str
) -> None:
    end = front_end(Scripted(answer))
    state = end.play("e4")
    assert message in state["message"] and end.session.failure is not None
    assert state["waiting"] and state["sans"] == ["e4"]
    end.do("engine", name="s05")
    state = end.answered()
    assert len(state["sans"]) == 2 and state["message"] == ""


def test_a_game_to_its_end(front_end: Make) -> None:
    end = front_end(Scripted("e7e5", "d8h4", "resign"))
    state = end.play("f3", "g2g4")
    assert state["status"] == "Black played Qh4#. Black wins: checkmate."
    assert state["sans"] == ["f3", "e5", "g4", "Qh4#"] and '[White "You"]' in state["pgn"]
    assert not any(position["evaluation"] for position in state["positions"])
    assert end.do("undo")["moves"]
    state = end.play("g3")
    assert state["result"] == "1-0" and state["message"] == ""


def test_an_engine_may_be_written_without_a_limit(front_end: Make) -> None:
    class Simple(Scripted):
        def play(self, board: chess.Board) -> chess.engine.PlayResult:  # type: ignore[override]
            return super().play(board)

    assert front_end(Simple("e7e5")).play("e4")["sans"] == ["e4", "e5"]


def test_changes_in_the_midst_of_a_game(front_end: Make) -> None:
    engine = Scripted()
    end = front_end(engine)
    end.play("e4")
    end.do("side", name="black")
    state = end.answered()
    assert len(state["sans"]) == 3 and state["black"] and state["side"] == "black"
    assert not end.do("flip")["black"]
    end.do("new")
    assert len(end.answered()["sans"]) == 1 and engine.games == 1
    end.do("engine", name="s05")
    end.do("limit", text="depth 2")
    assert not end.do("side", name="both")["black"], "a side that is chosen is below"
    for _ in range(4):
        state = end.move(end.session.state()["moves"][0])
    assert len(state["sans"]) == 5 and not state["thinking"]
    state = end.do("undo")
    assert len(state["sans"]) == 4 and state["names"] == {"White": "You", "Black": "You"}
    end.do("engine", name="own")
    state = end.do("side", name="white")
    assert state["names"] == {"White": "You", "Black": "Scripted"}


def test_a_name_of_no_engine_changes_nothing(front_end: Make) -> None:
    end = front_end("s05")
    for name, words in (("s99", "'s99' brings no engine"), ("own", "The engine 'own' is unknown.")):
        state = end.do("engine", name=name)
        assert words in state["message"] and state["engine"] == "s05"
    assert len(end.play("e4")["sans"]) == 2 and end.session.failure is None


def test_an_engine_is_told_of_a_new_game_once(front_end: Make) -> None:
    engine = Scripted("e2e4", "d2d4", "g1f3")
    end = front_end(engine, person=chess.BLACK)
    end.answered()
    end.do("new")
    assert end.answered()["status"] == "White played d4. Black to move, your move."
    assert end.play("d5")["sans"] == ["d4", "d5", "Nf3"] and engine.games == 1
    end.do("engine", name="s05")
    end.do("new")
    end.answered()
    end.do("engine", name="own")
    end.play(end.session.state()["moves"][0])
    assert engine.games == 2, "it was not there when the game began"


def test_what_was_found_belongs_to_the_move_that_was_played(front_end: Make) -> None:
    engine = Reporting("e7e5 g1f3", 1.5, "e7e5", "d7d5")
    engine.go.set()
    end = front_end(engine)
    end.play("e4")
    known = end.play("Nf3")["positions"]  # it plays d5, and not what it has found
    assert end.session.failure is None
    assert [position["by"] for position in known] == [None, None, "own", None, "own"]
    lines = [position["line"] and position["line"]["moves"] for position in known]
    assert lines == [None, None, ["g1f3"], None, []]
    end.do("undo")
    end.do("side", name="both")
    for move in ("d4", "d5"):
        state = end.move(move)
    assert state["positions"][4]["by"] is state["positions"][4]["line"] is None
    fool = Reporting("e7e5", 1.5, "e7e5", "d8h4")
    fool.go.set()
    lost = front_end(fool).play("f3", "g4")["positions"]
    texts = [position["evaluation"] and position["evaluation"]["text"] for position in lost]
    assert texts == [None, None, "+1.5", "+1.5", "0-1"]


def test_a_move_of_a_past_position_is_not_played(front_end: Make) -> None:
    end = front_end(Scripted(), person=None)
    for text, ply in (("e2e4", 1), ("e2e4", 0), ("e7e5", 0)):
        state = end.do("move", text=text, ply=ply)
    assert state["sans"] == ["e4"]


def test_the_person_resigns_and_goes_on(front_end: Make) -> None:
    end = front_end(Scripted("e7e5"))
    end.play("e4")
    state = end.do("resign")
    assert state["status"] == "Black played e5. Black wins: resignation." and not state["moves"]
    assert '[Result "0-1"]' in state["pgn"] and state["beaten"] == ""
    state = end.do("undo")
    assert state["result"] == "*" and state["moves"] and len(state["sans"]) == 2


def test_a_draw_is_offered_and_claimed(front_end: Make) -> None:
    ahead, behind = "4k3/8/8/8/8/8/q7/4K3 b - - 0 1", "4k3/8/8/8/8/8/Q7/4K3 b - - 0 1"
    for fen, agreed in ((behind, True), (ahead, False)):
        end = front_end("s16", limit="depth 2", fen=fen)
        end.answered()
        state = end.do("draw")
        assert (state["result"] == "1/2-1/2") == agreed
        assert ("s16 declines the draw." in state["status"]) != agreed
        turned = chess.Board(fen).mirror().fen()
        end = front_end("s16", limit="depth 2", fen=turned, person=chess.BLACK)
        end.answered()
        assert (end.do("draw")["result"] == "1/2-1/2") == agreed
    for score, person, agreed in (
        (0, chess.WHITE, True),
        (-0.1, chess.WHITE, False),
        (0, chess.BLACK, True),
        (0.1, chess.BLACK, False),
    ):
        judge = Reporting("e7e5" if person else "e2e4", score)
        judge.go.set()
        end = front_end(judge, person=person)
        end.play("e4") if person else end.answered()
        assert end.do("draw")["status"].endswith("Draw: agreement.") == agreed
    assert front_end(Scripted(), person=None).do("draw")["result"] == "1/2-1/2"
    unknown = front_end(Scripted("g1f3"), person=chess.BLACK)
    unknown.answered()
    assert "declines" in unknown.do("draw")["status"]
    silent = front_end(Scripted("g8f6", "f6g8", "g8f6", "f6g8"))
    silent.play("Nf3", "Ng1", "Nf3")
    assert "declines" in silent.do("draw")["status"]
    state = silent.play("Ng1")
    assert state["claim"] == "threefold repetition"
    assert silent.do("draw")["status"].endswith("Draw: threefold repetition.")
    engine = Waiting()
    early = front_end(engine)
    early.move("e4")
    assert early.do("draw")["message"] == "A draw is offered when it is your move."
    engine.go.set()


def test_who_has_no_time_left_has_lost(front_end: Make) -> None:
    engine = Waiting()
    end = front_end(engine)
    assert end.do("flag", side="white")["result"] == "0-1"
    end.do("new")
    end.move("e4")
    state = end.do("flag", side="black")
    assert state["status"] == "White played e4. White wins: no time left." and not state["thinking"]
    engine.go.set()


def test_an_engine_is_beaten_that_has_played_the_whole_game(front_end: Make) -> None:
    mate = ("f7f6", "g7g5")
    end = front_end(Scripted(*mate))
    assert end.play("e4", "d4")["beaten"] == ""
    assert end.move("Qh5")["beaten"] == "own"
    black = front_end(Scripted("f2f3", "g2g4"), person=chess.BLACK)
    black.answered()
    black.play("e5")
    assert black.move("Qh4")["beaten"] == "own"
    changed = front_end(Scripted(*mate))
    changed.play("e4", "d4")
    changed.do("engine", name="s05")
    assert changed.move("Qh5")["beaten"] == ""
    loaded = front_end(Scripted("g7g5"))
    loaded.do("pgn", text="1. e4 f6")
    loaded.play("d4")
    state = loaded.move("Qh5")
    assert (state["result"], state["beaten"]) == ("1-0", "")
    start = "rnbqkbnr/ppppp2p/5p2/6p1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3"
    assert front_end(Scripted(), fen=start).move("Qh5")["beaten"] == ""


def test_a_game_is_loaded_and_gone_on_with(front_end: Make) -> None:
    end = front_end(Scripted("d7d6"))
    state = end.do("pgn", text="1. e4 e5 2. Nf3")
    assert state["sans"] == ["e4", "e5", "Nf3"] and state["waiting"] and not state["thinking"]
    end.do("go")
    assert end.answered()["sans"][-1] == "d6"
    assert "PGN" in end.do("pgn", text="?")["message"]
    wrong = end.do("pgn", text="1. e4 e5 2. Ke3", file="mine.pgn")
    assert wrong["message"].startswith("In mine.pgn: this PGN cannot be read at move 2")
    assert len(wrong["sans"]) == 4  # the game on the board stays


def test_a_position_is_set_up_and_played_from(front_end: Make) -> None:
    end = front_end(Scripted())
    end.play("e4")
    state = end.do("fen", text=PROMOTION)
    assert [position["fen"] for position in state["positions"]] == [PROMOTION]
    assert state["status"].startswith("New game. White to move")
    assert end.play("a8=Q")["sans"][0] == "a8=Q"


def test_the_side_is_drawn_for_each_game(front_end: Make) -> None:
    end = front_end(Scripted())
    persons = set()
    end.do("side", name="random")
    for _ in range(20):
        end.do("new")
        state = end.session.state()
        assert state["side"] == "random"
        persons.add(state["person"])
        end_searches()
    assert persons == {"white", "black"}
    assert end.do("side", name="white")["person"] == "white"
    end_searches()
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    end = front_end(Scripted(), fen=fen, person=None)
    assert end.do("side", name="random")["positions"][0]["fen"] == fen
    end_searches()
    end = front_end(Scripted("e7e5"))
    end.play("e4")
    state = end.do("side", name="random")
    assert (state["side"], state["person"], state["sans"]) == ("random", "white", ["e4", "e5"])
    assert state["status"].startswith(
        "Your side is chosen at random in the next new game. Black played e5."
    )


# Any commands, in any order.


def command(**values: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """A command that has one of these values for each name."""
    return st.fixed_dictionaries({name: st.sampled_from(given) for name, given in values.items()})


COMMANDS = st.one_of(
    st.fixed_dictionaries(
        {"do": st.just("move"), "text": st.sampled_from(["e4", "e7e5", "a7a8q", "?", "Nf3"])},
        optional={"ply": st.integers(-1, 6)},
    ),
    command(do=["fen"], text=[chess.STARTING_FEN, PROMOTION, "x"]),
    command(do=["engine"], name=["s05", "own", "s99"]),
    command(do=["limit"], text=["depth 1", "-1 s", ""]),
    command(do=["side"], name=["white", "black", "both", "random", "red"]),
    command(do=["undo", "new", "flip", "stop", "go", "hm"]),
    command(do=["resign", "draw"]),
    command(do=["flag"], side=["white", "red"]),
    command(do=["pgn"], text=["1. e4 e5", "1-0"]),
    st.dictionaries(st.sampled_from(["do", "text", "ply"]), st.one_of(st.none(), st.integers())),
)


@examples(200)
@given(st.lists(COMMANDS, max_size=15))
def test_no_sequence_of_commands_breaks_a_session(commands: list[dict[str, Any]]) -> None:
    session = Session(Scripted(), rng=random.Random(1), threads=False)
    for command in commands:
        session.handle(command)
        state = session.state()
        assert_consistent(state)
        assert session.game.board.fen() == state["positions"][-1]["fen"] and not state["thinking"]
        assert not state["waiting"] or state["message"] or command.get("do") not in ("go", "move")


def test_commands_may_come_from_several_threads(front_end: Make) -> None:
    end = front_end("s10", limit="depth 1")
    session = end.session

    def send(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(60):
            legal = session.state()["moves"] or ["e2e4"]
            move = {"do": "move", "text": rng.choice(legal), "ply": session.game.plies}
            command = {"do": rng.choice(["undo", "stop", "go", "flip", "new"])}
            engine = {"do": "engine", "name": rng.choice(["s05", "s11", "s23"])}
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
        assert_consistent(end.states.get())


# What a front end is told.


@pytest.mark.parametrize("name", ["s11", "s12", "s16", "s18", "s23"])
@pytest.mark.parametrize("mirror", [False, True])
def test_the_bar_is_whites_view(front_end: Make, name: str, mirror: bool) -> None:
    # Two rooks mate next move; and a queen up is a queen up.
    for fen, ends, share in (
        ("6k1/R7/1R6/8/8/8/8/6K1 w - - 0 1", True, 1.0),
        ("q5k1/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", False, 0.0),
    ):
        board = chess.Board(fen)
        if mirror:
            board, share = board.mirror(), 1 - share
        end = front_end(name, limit="depth 2", fen=board.fen(), person=not board.turn)
        found = end.answered()["positions"][-1]["evaluation"]
        assert abs(found["share"] - share) < 0.2, (fen, found)
        assert not ends or found["text"] == ("0-1" if mirror else "1-0")
        end.do("side", name="both")
        end.do("new")
        assert not any(position["evaluation"] for position in end.move("e4")["positions"])


@pytest.mark.parametrize(
    ("score", "mate_score", "pawn_value", "text"),
    [
        (0, 29_000, 100, "+0.0"),
        (-150, 29_000, 100, "-1.5"),
        (994, 29_000, 100, "+9.9"),
        (995, 29_000, 100, "+10"),
        (-1240, 29_000, 100, "-12"),
        (1.5, 100, 1, "+1.5"),
        (29_990, 29_000, 100, "#"),
        (-29_000, 29_000, 100, "#"),
    ],
)
def test_scores_in_words(score: float, mate_score: float, pawn_value: float, text: str) -> None:
    engine = Scripted()
    engine.mate_score, engine.pawn_value = mate_score, pawn_value
    share, words = evaluation_of(score, engine).values()
    assert words == text and (share - 0.5) * score >= 0
    assert (share in (0, 1)) == (text == "#")


def test_four_pawns_ahead_are_ten_of_eleven_points() -> None:
    engine = Scripted()
    engine.mate_score, engine.pawn_value = 29_000, 100
    assert evaluation_of(400, engine)["share"] == pytest.approx(10 / 11)


@pytest.mark.parametrize(
    "text", ["", "1", "0 s", "-1 s", "nan s", "inf s", "depth", "depth 0", "depth x"]
)
def test_a_bad_limit_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="expected one like") as caught:
        read_limit(text)
    assert repr(text) in str(caught.value)
    with pytest.raises(ValueError, match="expected one like"):
        Session("s05", limit=text)


def test_a_command_may_bring_the_time_for_the_answer(front_end: Make) -> None:
    engine = Scripted()
    end = front_end(engine, limit="depth 3")
    for seconds in (0.25, 1e300, 0, -1, "x", None):
        text = end.session.state()["moves"][0]
        end.session.handle(
            {"do": "move", "text": text, "ply": end.session.game.plies, "seconds": seconds}
        )
        end_searches()
    longest = chess.engine.Limit(time=threading.TIMEOUT_MAX)
    assert engine.limits[:2] == [chess.engine.Limit(time=0.25), longest]
    assert engine.limits[2:] == [chess.engine.Limit(depth=3)] * 4


def test_what_is_offered_includes_what_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    choices = Session(Scripted(), limit="0.7 s").choices()
    assert choices["engines"][0] == ["own", "Scripted"]
    assert [key for key, _ in choices["engines"]][1 : len(ENGINES) + 1] == list(ENGINES)
    assert choices["limits"][0][0] == "0.7 s"
    assert "s10 alpha-beta" in [label for _, label in choices["engines"]]
    for text, _ in choices["limits"]:
        read_limit(text)
    for path in (None, "/usr/games/stockfish"):
        monkeypatch.setattr("utils.play.session.find_program", lambda name, path=path: path)
        found = Session("s05", limit="depth 1").choices()
        program = [["stockfish", "Stockfish"]] if path else []
        assert [key for key, _ in found["engines"][: len(players())]] == [*players()]
        assert found["engines"][len(players()) :] == program
        deep = [limit for limit in found["limits"] if limit[0].startswith("depth")]
        assert deep[:2] == [["depth 1", "1 ply deep"], ["depth 2", "2 plies deep"]]
    assert Session(DUMMY).choices()["engines"][0] == [DUMMY, DUMMY]
