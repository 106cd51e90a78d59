"""A game with a person, an engine's thoughts about it, and the session that joins them."""

from __future__ import annotations

import contextlib
import io
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generated import examples
from tests.programs import need, until
from utils.engines import ENGINES, make_engine
from utils.play.game import START, Game, read_fen
from utils.play.search_thread import Player, Thought
from utils.play.session import Session, evaluation_of, read_limit

# The interruption of an abandoned search may come while hypothesis counts what the garbage
# collector does; there it is reported and lost, and the next one follows.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
SECONDS = 30  # the longest that a test waits for something
PROMOTION = "1n5k/P7/8/8/8/8/8/4K3 w - - 0 1"
LONG = chess.engine.Limit(depth=40)
FAST = examples(100)
SIDES = st.sampled_from([chess.WHITE, chess.BLACK, None])


class Scripted:
    """Plays the moves that it is given, then the first legal one."""

    name = "Scripted"

    def __init__(self, *moves: str) -> None:
        self.moves, self.games = list(moves), 0

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        move = self.moves.pop(0) if self.moves else next(iter(board.legal_moves)).uci()
        return chess.engine.PlayResult(chess.Move.from_uci(move), None)

    def new_game(self, rng: random.Random | None = None) -> None:
        self.games += 1


class Waiting(Scripted):
    """Thinks until it is let go; then it answers, wanted or not."""

    def __init__(self, *moves: str) -> None:
        super().__init__(*moves)
        self.started, self.go = threading.Event(), threading.Event()

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.started.set()
        assert self.go.wait(SECONDS)
        return super().play(board, limit)


class Endless(Scripted):
    """Never comes to an end, and shrugs off ordinary errors."""

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        while True:
            with contextlib.suppress(Exception):
                self.games += 1


class Failing(Scripted):
    """Fails with a given error."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        raise self.error


# The game.


def replayed(game: Game) -> chess.Board:
    """The position that the list of moves leads to."""
    board = chess.Board(game.board.root().fen())
    for san in game.sans:
        board.push_san(san)
    return board


def positions_of(game: Game) -> list[dict[str, str]]:
    """What is to be drawn after each ply, from the moves alone."""
    board = chess.Board(game.board.root().fen())
    found = []
    for move in [None, *game.board.move_stack]:
        if move is not None:
            board.push(move)
        king = board.king(board.turn) if board.is_check() else None
        last = move.uci() if move is not None else ""
        check = chess.square_name(king) if king is not None else ""
        found.append({"fen": board.fen(), "last": last, "check": check})
    return found


@FAST
@given(
    SIDES,
    st.sampled_from([None, PROMOTION, "4k3/8/8/8/8/8/4p3/K7 b - - 3 9"]),
    st.lists(st.tuples(st.sampled_from(["play", "junk", "undo", "answer"]), st.integers(0, 99))),
    st.text(max_size=6),
)
def test_whatever_is_done_the_game_stays_sound(
    person: chess.Color | None, fen: str | None, actions: list[tuple[str, int]], junk: str
) -> None:
    game = Game(fen, person)
    for action, number in actions:
        before = game.board.fen()
        moves = list(game.board.legal_moves)
        move = moves[number % len(moves)] if moves else chess.Move.null()
        match action:
            case "play" if game.persons_turn:
                assert game.play(move.uci()) == move
            case "answer" if game.engines_turn:
                game.answer(move if number else None)
            case "undo":
                count = game.takes_back()
                assert game.undo() == count
                assert not count or game.persons_turn
            case "play" | "answer":
                with pytest.raises(ValueError, match="move"):
                    game.play(move.uci()) if action == "play" else game.answer(move)
                assert game.board.fen() == before
            case "junk":
                try:
                    game.play(junk)
                except ValueError as error:
                    assert repr(junk.strip()) in str(error) or repr(junk) in str(error)
                    assert game.board.fen() == before
        assert game.board.fen() == replayed(game).fen()
        assert game.positions == positions_of(game)
        assert game.over == (game.result != "*") == bool(game.termination)
        assert game.persons_turn + game.engines_turn + game.over == 1
        view = game.view()
        assert json.loads(json.dumps(view)) == view
        legal = {move.uci() for move in replayed(game).legal_moves}
        assert set(view["moves"]) == (legal if game.persons_turn else set())


@FAST
@given(st.lists(st.integers(0, 99), max_size=12), st.integers(0, 99), st.booleans())
def test_undo_restores_what_the_person_saw(
    numbers: list[int], last: int, person: chess.Color
) -> None:
    game = Game(person=person)
    for number in [*numbers, last]:
        seen = game.view() if game.persons_turn else None
        moves = list(game.board.legal_moves)
        if not moves or game.over:
            return
        move = moves[number % len(moves)]
        if seen is None:
            game.answer(move)
            continue
        game.play(move.uci())
        assert game.takes_back() == 1, "the engine has not answered"
        if game.engines_turn:
            game.answer(next(iter(game.board.legal_moves)))
        game.undo()
        assert game.view() == seen
        game.play(move.uci())


def test_the_engines_first_move_is_not_taken_back() -> None:
    game = Game(person=chess.BLACK)
    game.answer(chess.Move.from_uci("e2e4"))
    assert game.undo() == 0 and game.sans == ["e4"]
    game.play("e5")
    game.answer(None)
    assert game.result == "0-1" and game.termination == "resignation"
    assert game.undo() == 1 and game.sans == ["e4"] and not game.over


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("", "empty"),
        ("rubbish", "expected 8 rows"),
        (START.replace(" w ", " x "), "expected 'w' or 'b' for turn part of fen"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "no black king"),
        ("k1K5/8/8/8/8/8/8/1R6 w - - 0 1 9", "9"),
        ("kR6/8/8/8/8/8/8/K7 w - - 0 1", "opposite check"),
    ],
)
def test_a_bad_fen_is_named(fen: str, words: str) -> None:
    with pytest.raises(ValueError, match="FEN ") as caught:
        read_fen(fen)
    assert repr(fen) in str(caught.value) and words in str(caught.value)


def test_moves_are_read_in_both_notations() -> None:
    game = Game("r3k2r/8/8/8/8/8/1P6/R3K2R w KQkq - 0 1")
    for text in ("O-O", "0-0", " e1g1 ", "b4", "b2b4", "Rxa8+", "a1a8"):
        assert game.read(text) in game.board.legal_moves
    for text in ("", "0000", "--", "e9", "b5", "Rd1 x", "Ke8", "b2b8q"):
        with pytest.raises(ValueError, match="expected one like"):
            game.read(text)
    with pytest.raises(ValueError, match="ambiguous"):
        Game("4k3/8/8/8/8/8/4K3/R6R w - - 0 1").read("Rd1")
    with pytest.raises(ValueError, match="'a8'"):
        Game(PROMOTION).read("a8")


def test_the_end_of_a_game_is_told() -> None:
    game = Game()
    for move in ("f3", "e5", "g4"):
        game.play(move) if game.persons_turn else game.answer(game.read(move))
    assert game.status() == "White played g4. Black to move."
    check = Game("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")
    assert check.status() == "White is in check, your move."
    game.answer(game.read("Qh4"))
    assert game.status() == "Black played Qh4#. Black wins: checkmate."
    view = game.view()
    last = view["positions"][-1]
    assert (last["check"], last["last"], view["result"], view["moves"]) == (
        *("e1", "d8h4", "0-1"),
        [],
    )
    with pytest.raises(ValueError, match="over"):
        game.play("e4")
    pgn = chess.pgn.read_game(io.StringIO(str(game.pgn("You", "s05"))))
    assert pgn is not None and not pgn.errors
    assert pgn.end().board().fen() == game.board.fen()
    assert pgn.headers["Result"] == "0-1" and pgn.headers["Termination"] == "checkmate"
    assert (pgn.headers["White"], pgn.headers["Black"]) == ("You", "s05")


def test_every_position_of_the_game_is_in_the_view_and_cannot_be_changed_there() -> None:
    game = Game(person=None)
    for move in ("e4", "d5", "Bb5"):
        game.play(move)
    positions = game.view()["positions"]
    assert [position["last"] for position in positions] == ["", "e2e4", "d7d5", "f1b5"]
    assert [position["check"] for position in positions] == ["", "", "", "e8"]
    assert positions[0]["fen"] == START and positions[-1]["fen"] == game.board.fen()
    positions[1]["evaluation"] = positions[1]["fen"] = "changed"
    assert game.positions == positions_of(game)


# A thought.


def think(player: Player, limit: chess.engine.Limit, fen: str = START) -> tuple[Thought, list[Any]]:
    """A thought that has begun, and what it has told."""
    told: list[Any] = []
    thought = Thought(player, chess.Board(fen), limit, told.append)
    thought.start()
    return thought, told


def player_of(engine: Any) -> Player:
    return Player(engine, random.Random(1))


@pytest.mark.parametrize("name", ["s10", "s11", "s13", "s15", "s17", "s19", "s20"])
def test_an_abandoned_search_ends_and_the_engine_plays_on(name: str) -> None:
    player = player_of(name)
    thought, told = think(player, LONG)
    until(lambda: player.engine is not None)
    thought.abandon()
    assert thought.finished.wait(SECONDS) and told == []
    again, told = think(player, chess.engine.Limit(depth=1))
    assert again.finished.wait(SECONDS)
    until(lambda: told)
    assert again.error is None and again.result is not None
    assert again.result.move in chess.Board().legal_moves


def test_an_engine_that_never_ends_is_ended() -> None:
    engine = Endless()
    thought, told = think(player_of(engine), LONG)
    until(lambda: engine.games)
    assert not thought.hurry(), "it has no `stop`"
    thought.abandon()
    assert thought.finished.wait(SECONDS) and told == [] and thought.error is None


def test_abandoning_at_any_moment_leaves_no_trace(capfd: pytest.CaptureFixture[str]) -> None:
    for delay in range(30):
        thought, told = think(player_of(Endless() if delay % 2 else Scripted()), LONG)
        time.sleep(delay / 5000)  # to hit different moments; the test waits for none of them
        thought.abandon()
        assert thought.finished.wait(SECONDS)
        assert len(told) <= 1 - delay % 2
    assert capfd.readouterr().err == ""


def test_a_hurried_engine_answers() -> None:
    player = player_of("s20")
    thought, told = think(player, LONG)
    assert thought.hurry(), "even before the engine is built"
    assert thought.finished.wait(SECONDS)
    until(lambda: told)
    assert thought.result is not None and thought.result.move in chess.Board().legal_moves


def test_two_boards_share_an_engine_one_after_the_other() -> None:
    engine = Waiting("e2e4", "d2d4")
    first, told_first = think(player_of(engine), LONG)
    assert engine.started.wait(SECONDS)
    second, told_second = think(player_of(engine), LONG)
    third, told_third = think(player_of(engine), LONG)
    third.abandon()
    assert third.finished.wait(SECONDS), "it need not wait"
    assert not second.finished.is_set()
    engine.go.set()
    until(lambda: told_first and told_second)
    moves = {t.result.move.uci() for t in (first, second) if t.result and t.result.move}
    assert moves == {"e2e4", "d2d4"} and told_third == []


@pytest.mark.parametrize("error", [ValueError("no idea"), SystemExit(3), KeyboardInterrupt()])
def test_an_error_of_an_engine_is_kept(error: BaseException) -> None:
    thought, told = think(player_of(Failing(error)), LONG)
    until(lambda: told)
    assert thought.error is error and thought.result is None


def test_an_engine_may_be_written_without_a_limit_and_asked_without_a_thread() -> None:
    class Simple(Scripted):
        def play(self, board: chess.Board) -> chess.engine.PlayResult:  # type: ignore[override]
            return super().play(board)

    told: list[Any] = []
    Thought(player_of(Simple("g1f3")), chess.Board(), LONG, told.append).run()
    assert told[0].result.move.uci() == "g1f3"


def test_a_program_that_is_abandoned_is_ended_and_started_again() -> None:
    need("stockfish")
    player = player_of("stockfish")
    thought, told = think(player, chess.engine.Limit(time=600))
    until(lambda: player.engine is not None)
    thought.abandon()
    assert thought.finished.wait(SECONDS) and told == []
    again, told = think(player, chess.engine.Limit(depth=1))
    until(lambda: told)
    assert again.result is not None and again.error is None
    player.close()
    assert player.engine is None


# The session.


@pytest.fixture
def sessions() -> Iterator[Callable[..., Session]]:
    """Makes sessions, and closes them after the test."""
    made: list[Session] = []

    def make(engine: Any, **options: Any) -> Session:
        made.append(Session(engine, rng=random.Random(1), **options))
        made[-1].begin()
        return made[-1]

    yield make
    for session in made:
        session.close()


Make = Callable[..., Session]


def move(session: Session, text: str) -> None:
    session.handle({"do": "move", "text": text, "ply": session.game.plies})


def evaluation(session: Session) -> Any:
    """What the bar shows beside the last position."""
    return session.state()["positions"][-1]["evaluation"]


def test_a_game_to_its_end(sessions: Make) -> None:
    session = sessions(Scripted("e7e5", "d8h4"))
    seen: list[dict[str, Any]] = []
    session.changed = lambda: seen.append(session.state())
    move(session, "f3")
    until(lambda: not session.thinking)
    move(session, "g2g4")
    until(lambda: session.game.over)
    assert session.state()["status"] == "Black played Qh4#. Black wins: checkmate."
    assert [state["thinking"] for state in seen] == [False, True, False] * 2
    assert session.state()["sans"] == ["f3", "e5", "g4", "Qh4#"]
    assert '[White "You"]' in session.state()["pgn"]
    session.handle({"do": "undo"})
    assert session.game.sans == ["f3", "e5"] and session.state()["moves"]


@pytest.mark.parametrize(
    "command", [{"do": "undo"}, {"do": "new"}, {"do": "fen", "text": PROMOTION}, {"do": "close"}]
)
def test_the_result_of_an_abandoned_search_is_never_played(
    sessions: Make, command: dict[str, str]
) -> None:
    engine = Waiting("e7e5")
    session = sessions(engine)
    move(session, "e4")
    assert engine.started.wait(SECONDS) and session.thinking
    thought = session._thought
    assert thought is not None
    session.close() if command["do"] == "close" else session.handle(command)
    assert not session.thinking
    fen = session.game.board.fen()
    engine.go.set()
    assert thought.finished.wait(SECONDS)
    session._finish(thought)  # not even if it came through
    assert session.game.board.fen() == fen
    assert session.failure is None and session.state()["message"] == ""


def test_a_late_answer_is_not_taken_for_that_to_the_next_move(sessions: Make) -> None:
    engine = Waiting("e7e5", "g8f6")
    session = sessions(engine)
    move(session, "e4")
    first = session._thought
    assert first is not None and engine.started.wait(SECONDS)
    session.handle({"do": "undo"})
    move(session, "d4")
    first.result = chess.engine.PlayResult(chess.Move.from_uci("e7e5"), None)
    session._finish(first)
    assert session.game.sans == ["d4"] and session.thinking
    engine.go.set()
    until(lambda: not session.thinking)
    assert len(session.game.sans) == 2


def test_an_engine_is_told_about_a_new_game(sessions: Make) -> None:
    engine = Scripted()
    session = sessions(engine, person=chess.BLACK)
    until(lambda: session.game.plies == 1)
    session.handle({"do": "new"})
    until(lambda: session.game.plies == 1)
    assert engine.games == 1


def test_a_stopped_engine_waits_until_it_is_asked_again(sessions: Make) -> None:
    session = sessions(Endless())
    move(session, "e4")
    session.handle({"do": "stop"})
    state = session.state()
    assert state["waiting"] and not state["thinking"]
    assert "stopped thinking" in state["message"] and state["sans"] == ["e4"]
    for command in ({"do": "flip"}, {"do": "limit", "text": "depth 1"}):
        session.handle(command)
        assert session.state()["waiting"]
    session.handle({"do": "go"})
    assert session.thinking


def test_move_now_takes_the_last_finished_iteration(sessions: Make) -> None:
    session = sessions("s14", limit="depth 40")
    move(session, "e4")
    until(lambda: session._thought and session._thought.iteration)
    session.handle({"do": "stop"})
    assert session.game.plies == 2 and not session.thinking
    assert evaluation(session) is not None


def test_move_now_stops_the_tournament_engine(sessions: Make) -> None:
    session = sessions("s20", limit="depth 40")
    move(session, "e4")
    session.handle({"do": "stop"})
    until(lambda: not session.thinking)
    assert session.game.plies == 2 and session.state()["message"] == ""


def test_an_engines_error_is_a_message_and_the_game_goes_on(sessions: Make) -> None:
    error = RuntimeError("out of ideas")
    session = sessions(Failing(error))
    move(session, "e4")
    until(lambda: not session.thinking)
    state = session.state()
    assert state["message"] == "Scripted failed. RuntimeError: out of ideas."
    assert session.failure is error
    assert state["waiting"] and state["sans"] == ["e4"]
    session.handle({"do": "engine", "name": "s05"})
    until(lambda: session.game.plies == 2)
    assert session.state()["message"] == ""


@pytest.mark.parametrize("answer", ["e7e4", "0000"])
def test_an_engine_cannot_break_the_rules(sessions: Make, answer: str) -> None:
    session = sessions(Scripted(answer))
    move(session, "e4")
    until(lambda: not session.thinking)
    assert answer in session.state()["message"] and session.game.sans == ["e4"]


def test_an_engine_may_resign_but_not_keep_silent(sessions: Make) -> None:
    for resigned in (True, False):
        engine = Scripted()
        engine.play = lambda board, limit=None, r=resigned: chess.engine.PlayResult(  # type: ignore[misc]
            None, None, resigned=r
        )
        session = sessions(engine)
        move(session, "e4")
        until(lambda session=session: not session.thinking)
        state = session.state()
        assert state["result"] == ("1-0" if resigned else "*")
        assert ("no move" in state["message"]) is not resigned


def test_changes_in_the_midst_of_a_game(sessions: Make) -> None:
    engine = Scripted()
    session = sessions(engine)
    move(session, "e4")
    until(lambda: session.game.plies == 2)
    session.handle({"do": "side", "name": "black"})
    until(lambda: session.game.plies == 3)
    assert session.state()["black"] and session.state()["side"] == "black"
    session.handle({"do": "flip"})
    assert not session.state()["black"]
    session.handle({"do": "engine", "name": "s05"})
    session.handle({"do": "limit", "text": "depth 2"})
    session.handle({"do": "side", "name": "both"})
    for _ in range(4):
        move(session, next(iter(session.game.board.legal_moves)).uci())
    assert not session.thinking and session.game.plies == 7
    session.handle({"do": "undo"})
    assert session.game.plies == 6 and session.state()["names"] == {"White": "You", "Black": "You"}
    session.handle({"do": "engine", "name": "own"})
    session.handle({"do": "side", "name": "white"})
    assert session.state()["names"] == {"White": "You", "Black": "Scripted"}


def test_a_move_of_a_past_position_is_not_played(sessions: Make) -> None:
    session = sessions(Scripted(), person=None)
    session.handle({"do": "move", "text": "e2e4", "ply": 1})
    session.handle({"do": "move", "text": "e2e4", "ply": 0})
    session.handle({"do": "move", "text": "e7e5", "ply": 0})
    assert session.game.sans == ["e4"]


def test_each_position_has_the_evaluation_that_was_known_then(sessions: Make) -> None:
    session = sessions("s11", limit="depth 1")
    for text in ("e4", "d4"):
        move(session, text)
        until(lambda: not session.thinking)
    found = [position["evaluation"] for position in session.state()["positions"]]
    assert found[:2] == [None, None] and found[2] == found[3] is not None
    assert [entry and entry["text"] for entry in found[2::2]] == [
        session._evaluations[ply].text for ply in (2, 4)
    ]
    session.handle({"do": "undo"})
    assert [position["evaluation"] for position in session.state()["positions"]] == found[:3]


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


@FAST
@given(st.lists(COMMANDS, max_size=15))
def test_no_command_breaks_a_session(commands: list[dict[str, Any]]) -> None:
    session = Session(Scripted(), rng=random.Random(1), threads=False)
    for command in commands:
        session.handle(command)
        state = session.state()
        assert json.loads(json.dumps(state)) == state
        assert session.game.board.fen() == replayed(session.game).fen()
        assert not state["thinking"]
        assert not state["waiting"] or state["message"] or command.get("do") not in ("go", "move")


def test_commands_may_come_from_several_threads(sessions: Make) -> None:
    session = sessions("s10", limit="depth 1")
    seen: list[tuple[int, int]] = []

    def note() -> None:
        state = session.state()
        seen.append((len(state["sans"]), len(state["positions"]) - 1))

    def hurry(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(60):
            legal = session.state()["moves"] or ["e2e4"]
            session.handle(
                rng.choice(
                    [
                        {"do": "move", "text": rng.choice(legal), "ply": session.game.plies},
                        {"do": rng.choice(["undo", "stop", "go", "flip", "new"])},
                        {"do": "engine", "name": rng.choice(["s05", "s11", "s20"])},
                    ]
                )
            )

    session.changed = note
    threads = [threading.Thread(target=hurry, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    session.handle({"do": "go"})
    until(lambda: not session.thinking)
    assert session.failure is None, session.state()["message"]
    assert session.game.board.fen() == replayed(session.game).fen()
    assert seen and all(shown == plies for plies, shown in seen)


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_plays_and_most_show_what_they_think(sessions: Make, name: str) -> None:
    session = sessions(name, limit="depth 1")
    move(session, "e4")
    until(lambda: session.game.plies == 2)
    found = evaluation(session)
    assert (found is None) == (name < "s11")
    if found is not None:
        assert 0.2 < found["share"] < 0.8
        assert found["text"][0] in "+-" and found["text"][-2] == "."


@pytest.mark.parametrize("name", ["s11", "s12", "s16", "s18", "s20"])
@pytest.mark.parametrize("mirror", [False, True])
def test_the_bar_is_whites_view(sessions: Make, name: str, mirror: bool) -> None:
    # Two rooks mate next move; and a queen up is a queen up.
    for fen, text, share in (
        ("6k1/R7/1R6/8/8/8/8/6K1 w - - 0 1", "#", 1.0),
        ("q5k1/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", None, 0.0),
    ):
        board = chess.Board(fen)
        turn = board.turn
        if mirror:
            board, share, turn = board.mirror(), 1 - share, not turn
        session = sessions(name, limit="depth 2", fen=board.fen(), person=not turn)
        until(lambda session=session: evaluation(session))
        found = evaluation(session)
        assert abs(found["share"] - share) < 0.2, (fen, found)
        assert text is None or found["text"] in (text, "1-0", "0-1")
        session.handle({"do": "side", "name": "both"})
        session.handle({"do": "new"})
        assert evaluation(session) is None


def test_scores_in_words() -> None:
    assert evaluation_of(0, 29_000) == (0.5, "+0.0")
    assert evaluation_of(-150, 29_000).text == "-1.5"
    assert evaluation_of(1.5, 100).text == "+1.5"
    assert evaluation_of(29_990, 29_000) == (1.0, "#")
    assert evaluation_of(-29_990, 29_000) == (0.0, "#")


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


def test_an_own_engine_of_the_course_is_as_good_as_its_name(sessions: Make) -> None:
    session = sessions(make_engine("s09"), limit="depth 1", person=chess.BLACK)
    until(lambda: session.game.plies == 1)
    assert session.state()["message"] == ""
