"""The options of s25: announced, checked, set, kept."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import chess
import pytest
from chess.engine import ConfigValue, Limit, Option

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s25_playing as s25
from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine
from converted_notebooks.s06_opening_book import COURSE_BOOK, OpeningBook, make_entry, write_book
from converted_notebooks.s22_tournament_search import HashTable
from converted_notebooks.s23_tournament_engine import TournamentEngine
from tests.helpers.conversation import Watched, bestmoves, moves
from tests.play.front_end import Scripted
from utils.engines import make_engine
from utils.uci_text import option_line, parse_setoption

ANNOUNCED = """
Hash type spin default 64 min 1 max 4096
MultiPV type spin default 1 min 1 max 256
Ponder type check default false
OwnBook type check default false
BookFile type string default <empty>
Move Overhead type spin default 30 min 0 max 5000
"""


def test_the_options_are_announced_and_their_defaults_read() -> None:
    name, author, chapter, *others, end = s25.converse(["uci"], s25.Player(random.Random(1), "s10"))
    assert name == "id name One Notebook at a Time s10" and author.startswith("id author ")
    assert chapter.startswith("option name Chapter type combo default s10 var s05 var s06 ")
    assert [line.removeprefix("option name ") for line in others] == ANNOUNCED.strip().splitlines()
    assert end == "uciok"
    for option in s25.OPTIONS.values():
        text = str(option.default).lower() or "<empty>"
        read = parse_setoption(f"name {option.name.upper()} value {text}", s25.OPTIONS)
        assert read == (option, option.default)


@pytest.mark.parametrize(
    "text", ["name Hash value 0", "name Chapter value s99", "name Ponder value maybe", "name Ha"]
)
def test_a_setting_that_does_not_fit_is_refused(text: str) -> None:
    player = s25.Player(random.Random(1))
    before = dict(player.settings)
    (told,) = s25.converse([f"setoption {text}"], player)
    assert told.startswith("info string ") and text.split()[-1] in told
    assert player.settings == before


class Adjustable(FirstMoveEngine):
    """Has to be prepared, and has options of its own."""

    def __init__(self, fails: bool = False) -> None:
        self.fails, self.log = fails, list[Any]()
        self.options = {
            "Hash": Option("Hash", "spin", 8, 2, 16, None),
            "Threads": Option("Threads", "spin", 1, 1, 8, None),
            "Fast": Option("Fast", "check", True, None, None, None),
            "Clear Hash": Option("Clear Hash", "button", None, None, None, None),
        }

    def prepare(self) -> None:
        self.log.append("prepare")
        if self.fails:
            raise ValueError("no compiler")

    def set_option(self, name: str, value: ConfigValue) -> None:
        if value == 7:
            raise ValueError("seven is odd")
        self.log.append((name, value))


def adjustable(monkeypatch: pytest.MonkeyPatch, **others: Any) -> tuple[s25.Player, list[Any]]:
    """A player of such an engine, called s10, and all engines that it builds."""
    built = list[Any]()

    def make(chapter: str, rng: random.Random) -> Engine:
        built.append(Adjustable(**others) if chapter == "s10" else make_engine(chapter, rng))
        return built[-1]  # type: ignore[no-any-return]

    monkeypatch.setattr(s25, "make_engine", make)
    return s25.Player(random.Random(1), "s10"), built


def test_a_chapter_that_builds_on_the_tournament_engine_plays_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Own(TournamentEngine):
        pass

    monkeypatch.setattr(s25, "make_engine", lambda chapter, rng: Own(megabytes=1))
    assert type(s25.Player(random.Random(1), "s10").build()) is Own
    assert type(s25.Player(random.Random(1)).build()) is TournamentEngine


def test_the_options_of_an_engine_are_announced_checked_and_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player, built = adjustable(monkeypatch)
    said = s25.converse(["setoption name threads value 3", "uci"], player)
    assert said[-1] == "uciok"
    assert [line.split("name ")[1] for line in said if "option" in line][1:] == [
        "Hash type spin default 8 min 2 max 16",
        *ANNOUNCED.strip().splitlines()[1:],
        "Threads type spin default 3 min 1 max 8",
        "Fast type check default true",
        "Clear Hash type button",
    ]
    for name, value, reason in (
        ("Hash", "64", "at most 16, got: 64"),
        ("Threads", "many", "expected integer"),
        ("Threads", "7", "seven is odd"),
        ("Fast", "maybe", "expected true or false"),
        ("Fast", "x" * 400, "expected true or false"),
        ("Contempt", "1", "one of Chapter, Hash, "),
    ):
        (told,) = s25.converse([f"setoption name {name} value {value}"], player)
        assert told.startswith("info string ") and reason in told
    good = ["name HASH value 16", "name clear hash", "name Fast value FALSE"]
    assert s25.converse([f"setoption {text}" for text in good], player) == []
    log = [("Threads", 3), ("Hash", 16), ("Clear Hash", None), ("Fast", False)]
    assert built[0].log == log and len(built) == 1
    player.engine = None
    player.ready()
    assert built[1].log == [("Hash", 16), ("Threads", 3), ("Fast", False), "prepare"]


def test_what_was_set_is_set_again_where_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    player, built = adjustable(monkeypatch)
    chapter = "setoption name Chapter value "
    s25.converse(["setoption name Threads value 2", "setoption name Hash value 3"], player)
    s25.converse([f"{chapter}s23", "setoption name Hash value 32", f"{chapter}s10", "uci"], player)
    assert [log for engine in built if (log := getattr(engine, "log", None))] == [
        [("Threads", 2), ("Hash", 3)],
        [("Hash", 8), ("Threads", 2)],
    ]
    first, last = built[0], built[-1]
    player.engine = None  # as after a failure
    player.ready()
    assert built[-1] not in (first, last) and built[-1].log[1:] == [("Threads", 2), "prepare"]


def test_an_engine_is_prepared_between_isready_and_readyok(monkeypatch: pytest.MonkeyPatch) -> None:
    for fails in (False, True):
        player, built = adjustable(monkeypatch, fails=fails)
        jobs = list[s25.Job]()
        said = list[str]()
        protocol = s25.UciProtocol(said.append, player, jobs.append)
        protocol.handle("uci")
        protocol.handle("isready")
        assert said == [] and built == [], "who listens does not prepare"
        while jobs:
            jobs.pop(0)()
            done = built[0].log.count("prepare")
            assert ("readyok" not in said) or done == 1
        assert said[-1] == "readyok" and said.count("uciok") == 1
        assert ("info string no compiler" in said) == fails
        protocol.handle("go depth 1")
        jobs.pop()()
        assert built[0].log == ["prepare"] * 2 and len(bestmoves(said)) == 1
        protocol.handle("isready")
        assert jobs, "no search is running, so it is prepared again"


def test_the_book_is_for_games_only_and_a_bad_one_changes_nothing() -> None:
    player = s25.Player(random.Random(1), "s05")
    s25.set_option(player, "name OwnBook value true")
    first = {s25.PendingGo(player, chess.Board(), s25.GoRequest(), print).line[0]}

    def asks_engine(**request: Any) -> bool:
        player.engine = None
        go = s25.PendingGo(player, chess.Board(), s25.GoRequest(**request), first.add, 0.1)  # type: ignore[arg-type]
        go.run()
        go.stop()
        assert go.line[0] in go.start.legal_moves
        return player.engine is not None

    assert not asks_engine()
    assert asks_engine(infinite=True) and asks_engine(ponder=True)
    assert asks_engine(moves=tuple(moves("a2a3")))
    player.settings["MultiPV"] = 2
    assert asks_engine()
    book = player.book
    (told,) = s25.converse(["setoption name BookFile value no-book.bin"], player)
    assert "no-book.bin" in told and "BookFile" not in player.settings and player.book is book
    assert "Nothing was changed" in told and "without a book" not in told


def test_an_engine_is_kept_until_a_setting_changes_it() -> None:
    player = s25.Player(random.Random(1))
    engine = player.ready()
    assert player.number("Move Overhead") == 30
    s25.set_option(player, "name Move Overhead value 0")
    assert player.number("Move Overhead") == 0
    s25.set_option(player, "name Hash value 64")
    s25.set_option(player, "name MultiPV value 3")
    assert player.ready() is engine
    for name, value in (("Hash", 4), ("Chapter", "s05")):
        s25.set_option(player, f"name {name} value {value}")
        assert player.engine is None and player.ready() is player.engine is not engine


def test_an_overhead_set_just_before_a_go_counts_for_it() -> None:
    engine, player, jobs = Watched(), s25.Player(random.Random(1), "s05"), list[s25.Job]()
    player.engine = engine
    uci = s25.UciProtocol(list[str]().append, player, jobs.append)
    for line in ("setoption name Move Overhead value 1000", "go wtime 2500 btime 700"):
        uci.handle(line)
    for job in jobs:
        job()
    assert engine.limits == [Limit(white_clock=1.5, black_clock=0)]


def test_the_book_is_that_of_the_file_while_it_is_wanted(tmp_path: Path) -> None:
    player, board = s25.Player(random.Random(1), "s05"), chess.Board()
    path, rare = tmp_path / "a value of mine.bin", chess.Move.from_uci("h2h3")
    write_book(path, [make_entry(board, rare, 100)])

    def after(*texts: str) -> chess.Move | None:
        assert s25.converse([f"setoption name {text}" for text in texts], player) == []
        return player.book_move(board)

    assert after("BookFile value /no/such book.bin") is None, "nobody wants it yet"
    assert after(f"BookFile value {path}", "OwnBook value true") == rare
    assert after("OwnBook value false") is None
    assert after("OwnBook value true") == rare
    for nothing in ("", " <empty>"):
        assert after(f"BookFile value{nothing}") in OpeningBook(COURSE_BOOK).moves(board)
        assert after(f"BookFile value {path}") == rare


def test_the_memory_of_the_tournament_engine_is_what_hash_says() -> None:
    player = s25.Player(random.Random(1))
    for megabytes in (1, 2):
        s25.set_option(player, f"name Hash value {megabytes}")
        engine = player.ready()
        assert isinstance(engine, s23.TournamentEngine)
        assert engine.fallback.searcher.table.half == HashTable(megabytes).half


def test_the_engine_is_told_of_a_new_game() -> None:
    player, engine = s25.Player(random.Random(1), "s05"), Scripted()
    assert s25.converse(["ucinewgame"], player) == [] and player.engine is None
    player.engine = engine
    s25.converse(["ucinewgame", "go depth 1", "ucinewgame"], player)
    assert engine.games == 2


def test_a_text_is_announced_with_its_capitals() -> None:
    option = s25.OPTIONS["BookFile"]
    assert option_line(option, "My.BIN") == "option name BookFile type string default My.BIN"
    assert parse_setoption("name bookfile value My.BIN", s25.OPTIONS) == (option, "My.BIN")
