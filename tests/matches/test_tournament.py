"""A tournament of programs: each fault costs a game and nothing else, and nothing is lost."""

from __future__ import annotations

import html
import math
import os
import re
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chess.pgn
import psutil  # type: ignore[import-untyped]
import pytest

from tests.helpers.programs import DUMMY, DUMMY_FILE, Program, posix, until
from utils.matches import playing, tournament
from utils.matches.pairings import Outcome
from utils.matches.records import Fault, Played, read_played
from utils.matches.tournament import Entrant, Tournament, read_entrant, read_entrants, standings
from utils.matches.tournament_page import page
from utils.matches.workers import worker_pool

TOURNAMENT = [sys.executable, "-m", "utils.cli", "tournament"]


def dummies(count: int) -> tuple[Entrant, ...]:
    return tuple(Entrant(f"p{number:02}", DUMMY) for number in range(count))


def game(first: str, second: str, points: float, fault: Fault | None = None) -> Played:
    result = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[points]
    headers = {"White": first, "Black": second, "Round": "1.1", "Result": result}
    return Played(first, second, 0, points, "", headers | {"Termination": "<b>"}, fault)


# Players


@pytest.mark.parametrize(
    ("text", "name", "program"),
    [
        ("Anna=./anna", "Anna", "./anna"),
        (" Ben B. = python ben.py --level=3 ", "Ben B.", "python ben.py --level=3"),
        ("stockfish?UCI_Elo=1500", "stockfish?UCI_Elo=1500", "stockfish?UCI_Elo=1500"),
        ("Weak=stockfish?UCI_Elo=1500", "Weak", "stockfish?UCI_Elo=1500"),
        ("./bin/a=b", "./bin/a=b", "./bin/a=b"),
        (r"C:\bin\a=b.exe", "C:/bin/a=b.exe", r"C:\bin\a=b.exe"),
    ],
)
def test_a_player_has_a_name_and_a_program(text: str, name: str, program: str) -> None:
    assert read_entrant(text) == Entrant(name, program)


def test_an_engine_of_the_course_gets_a_process_of_its_own() -> None:
    for text, name, program in (
        ("s07", "s07", "s07"),
        ("Seven=s07", "Seven", "s07"),
        ("Both=s27?Threads=2", "Both", "s27?Threads=2"),
    ):
        entrant = read_entrant(text)
        assert entrant.name == name and entrant.program.endswith(f"/utils/uci.py -e {program}")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["=x", DUMMY], "expected a name and a program"),
        (["Anna=", DUMMY], "expected a name and a program"),
        (["s07"], "1 players: expected two or more"),
        (["# s07", "  # s09", "", "s08"], "1 players"),
        (["A=s07", "B=s07", "A=s08"], "A: expected each name once"),
        (["A=s07", "B=nonesuch-program"], "no engine and no program 'nonesuch-program'"),
    ],
)
def test_a_faulty_list_of_players_is_refused(lines: list[str], words: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=words):
        read_entrants(lines)


def test_programs_that_do_not_start_are_known_before_the_first_game(tmp_path: Path) -> None:
    own = Path(shutil.copy(DUMMY_FILE, tmp_path)).as_posix()
    dummy = f"{Path(sys.executable).as_posix()} {own}"
    entrants = (Entrant("good", dummy), Entrant("bad", f"{dummy} exit"))
    ((name, reason),) = tournament.absent(entrants).items()
    assert name == "bad" and reason.startswith("engine process died")
    until(lambda: not _running(own))


# Plans


@pytest.mark.parametrize(
    ("system", "games", "total"),
    [("round-robin", 2, 90), ("round-robin", 1, 45), ("gauntlet", 4, 36), ("swiss", 2, 30)],
)
def test_a_tournament_knows_how_many_games_it_has(system: Any, games: int, total: int) -> None:
    contest = Tournament(dummies(10), "10+0.1", system, games, rounds=3)
    meetings, bye = contest.meetings(0, [])
    made = [planned for meeting in meetings for planned in contest.planned_games(meeting, 0)]
    assert contest.total == total == len(made) * (3 if system == "swiss" else 1) and bye is None
    assert len({planned.key for planned in made}) == len(made)
    hours = contest.hours(2)
    assert hours is not None and math.isclose(hours, total * (20 + 12 + 1) / 2 / 3600)
    assert Tournament(dummies(2), "d1").hours(1) is None
    seconds = Tournament(dummies(2), "0.5s").hours(1)
    assert seconds is not None and math.isclose(seconds, 2 * 61 / 3600)


@pytest.mark.parametrize(
    ("hours", "words"),
    [(2.06, "2.1 hours"), (1, "1.0 hours"), (0.55, "33 minutes"), (0.001, "1 minute")],
)
def test_a_length_of_time_is_in_hours_or_minutes(hours: float, words: str) -> None:
    assert tournament.duration_text(hours) == words


def test_openings_depend_on_the_names_and_both_players_have_white() -> None:
    contest = Tournament(dummies(6), "d1", games=4)
    made = contest.planned_games(("p00", "p01"), 0)
    assert [planned.white for planned in made] == ["p00", "p01", "p00", "p01"]
    assert made[0].moves == made[1].moves != made[2].moves == made[3].moves
    assert all(planned.players == (DUMMY, DUMMY) for planned in made)
    late = Tournament((*dummies(6), Entrant("late", DUMMY)), "d1", games=4)
    assert late.planned_games(("p00", "p01"), 0) == made, "who comes late changes no other game"
    single = Tournament(dummies(6), "d1", games=1)
    assert [p.white for n in (0, 1, 2) for p in single.planned_games(("p03", "p01"), n)] == [
        "p03"
    ] * 3
    assert [p.round for n in (0, 1) for p in single.planned_games(("p01", "p00"), n)] == [
        "1.1",
        "2.1",
    ]
    rounds = [p.number for n in (0, 1) for p in contest.planned_games(("p00", "p01"), n)]
    assert rounds == [*range(8)], "the second round goes on with the numbers of the games"
    turned = contest.planned_games(("p01", "p00"), 0)
    assert [p.moves for p in turned] == [p.moves for p in made]
    contests = [Tournament(dummies(6), "d1", games=4, seed=seed) for seed in range(9)]
    lines = {p.moves for one in contests for p in one.planned_games(("p00", "p01"), 0)}
    assert len(lines) > 2, "another seed gives other openings"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": 3}, "expected 1 or an even number"),
        ({"games": 0}, "expected 1 or an even number"),
        ({"control": "fast"}, "time control"),
        (
            {"system": "swiss", "rounds": 3},
            "3 rounds for 5 players: expected at least 1, and at most half",
        ),
        ({"system": "swiss", "rounds": 0}, "0 rounds for 5 players: expected at least 1"),
    ],
)
def test_a_tournament_that_cannot_be_played_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Tournament(**{"entrants": dummies(5), "control": "d1"} | wrong)


# Standings and page

GAMES = [
    game("a", "b", 1.0),
    game("c", "a", 0.5),
    game("b", "c", 0.0, Fault.TIME),
    game("<d>", "a", 0.5),
]


def test_the_table_is_by_points_then_by_the_points_of_the_opponents() -> None:
    found = standings(["<d>", "b", "c", "a"], GAMES, [Outcome("<d>", None, 1.0, 0.0)])
    assert [(p.name, p.points, p.games) for p in found] == [
        ("a", 2.0, 3),
        ("c", 1.5, 2),
        ("<d>", 1.5, 2),
        ("b", 0.0, 2),
    ]
    first, second, third, last = found
    assert (first.wins, first.draws, first.losses, first.faults) == (1, 2, 0, 0)
    assert (last.losses, last.faults) == (2, 1)
    # c beat b, who has no point, and drew with a, who has two; d drew with a, and has no win.
    assert (first.berger, second.berger, third.berger) == (0.0 + 0.75 + 0.75, 1.0, 1.0)
    other = [game("x", "t", 0.5), game("t", "x", 0.5), game("y", "u", 1.0), game("t", "y", 1.0)]
    assert [p.name for p in standings(["y", "x", "t", "u"], other)] == ["t", "x", "y", "u"]


def cells(text: str, kind: str) -> list[list[str]]:
    table = text.split(f'<table class="{kind}">')[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1], re.S)
    return [[html.unescape(c) for c in re.findall(r"<td>(.*?)</td>", row)] for row in rows]


def test_the_page_shows_standings_cross_table_and_last_games() -> None:
    entrants = tuple(Entrant(name, DUMMY) for name in ("a", "b", "c", "<d>"))
    contest = Tournament(entrants, "1+0", games=1)
    places = standings(contest.names, GAMES)
    text = page(contest, places, GAMES, 1.26)
    ElementTree.fromstring(text.split("<body>")[1].split("</body>")[0].join(["<b>", "</b>"]))
    assert "<d>" not in text and "<b>" not in text, "names are text"
    assert 'http-equiv="refresh"' in text and "4 of 6 games at 1+0, about 1.3 hours" in text
    names = [place.name for place in places]
    assert cells(text, "plain") == [
        ["1", "a", "2", "3", "1", "2", "0", "", "1.00"],
        ["2", "c", "1½", "2", "1", "1", "0", "", "1.00"],
        ["3", "<d>", "½", "1", "0", "1", "0", "", "1.00"],
        ["4", "b", "0", "2", "0", "0", "2", "1", "0.00"],
    ]
    cross = {row[1]: dict(zip(names, row[2:], strict=True)) for row in cells(text, "cross")}
    assert cross["a"] == {"a": "×", "b": "1", "c": "½", "<d>": "½"}
    assert cross["b"] == {"a": "0", "b": "×", "c": "0", "<d>": ""}
    assert cells(text, "games")[0] == ["1.1", "<d>", "a", "1/2-1/2", "<b>"]
    assert "to go" not in page(contest, places, GAMES), "nobody knows how long it takes"
    many = cells(page(contest, places, [game("a", "b", 1.0)] * 20 + GAMES), "games")
    assert len(many) == 12 and many[0][1] == "<d>"
    whole = page(contest, places, GAMES + GAMES[:2], 1.26)
    assert "refresh" not in whole and "hours" not in whole


# Games


def test_every_fault_costs_a_game_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "PATIENCE", 0.5)
    broken = tmp_path / "broken"
    broken.write_text("this is no program")
    broken.chmod(0o755)
    tricks = {
        "illegal": (f"{DUMMY} illegal", Fault.ILLEGAL),
        "resigns badly": (f"{DUMMY} resign", Fault.ILLEGAL),
        "crash": (f"{DUMMY} crash", Fault.CRASH),
        "exit": (f"{DUMMY} exit", Fault.CRASH),
        "no program": (str(broken), Fault.CRASH),
        "slow": (f"{DUMMY} slower", Fault.TIME),
        "hang": (f"{DUMMY} hang", Fault.TIME),
    }
    entrants = (Entrant("good", DUMMY), *(Entrant(n, p) for n, (p, _) in tricks.items()))
    contest = Tournament(entrants, "0.2s", "gauntlet", 1, longest=30, grace=2.0)
    *_, (games, _) = contest.play(tmp_path / "games.pgn")
    assert len(games) == len(tricks)
    for played in games:
        other = ({played.first, played.second} - {"good"}).pop()
        assert played.fault is tricks[other][1], (other, played.termination)
        assert played.points == (1 if played.first == "good" else 0)


@posix
def test_a_program_is_stopped_while_its_opponent_thinks(tmp_path: Path) -> None:
    own = str(shutil.copy(DUMMY_FILE, tmp_path))
    script = tmp_path / "script"  # the program that it starts is to be stopped, too
    heard = tmp_path / "it heard quit"
    script.write_text(f"#!/bin/sh\n{sys.executable} {own}\n: > '{heard}'\n")
    script.chmod(0o755)
    entrants = (Entrant("waits", str(script)), Entrant("thinks", f"{DUMMY} slow"))
    contest = Tournament(entrants, "60+0", games=1, longest=12)

    def stopped() -> bool:
        return any(psutil.Process(pid).status() == psutil.STATUS_STOPPED for pid in _running(own))

    with worker_pool(1) as executor, ThreadPoolExecutor(1) as thread:
        played = thread.submit(lambda: [*contest.play(tmp_path / "games.pgn", executor)])
        until(stopped)
        ((games, _),) = played.result(60)
    assert games[0].fault is None and heard.exists() and not _running(own)


@posix
def test_no_program_that_a_script_has_started_is_left(tmp_path: Path) -> None:
    own = str(shutil.copy(DUMMY_FILE, tmp_path))
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n{sys.executable} {own} hang\ntrue\n")
    script.chmod(0o755)
    entrants = (Entrant("good", DUMMY), Entrant("script", str(script)))
    contest = Tournament(entrants, "0.3+0", longest=20)
    with worker_pool(1) as executor:
        for games, _ in contest.play(tmp_path / "games.pgn", executor):
            until(lambda: not _running(own), 20)
            assert len(games) <= 2
    assert [game.fault for game in games] == [Fault.TIME] * 2


def test_without_a_grace_a_time_for_each_move_is_a_request(tmp_path: Path) -> None:
    entrants = (Entrant("good", DUMMY), Entrant("slow", f"{DUMMY} slow"))
    contest = Tournament(entrants, "0.2s", games=1, longest=8)
    *_, (games, _) = contest.play(tmp_path / "games.pgn")
    assert games[0].fault is None and "too long" in games[0].termination


def test_who_loses_has_the_bye_and_a_bye_is_a_won_meeting(tmp_path: Path) -> None:
    entrants = (Entrant("p00", f"{DUMMY} exit"), *dummies(5)[1:])
    contest = Tournament(entrants, "d1", "swiss", 1, rounds=2, longest=8)
    *_, (_, byes) = contest.play(tmp_path / "games.pgn")
    assert [bye.first for bye in byes] == ["p04", "p00"]
    contest = Tournament(dummies(3), "d1", "swiss", 2, rounds=1, longest=8)
    *_, (games, byes) = contest.play(tmp_path / "pairs.pgn")
    assert byes[0].points == 2.0
    assert {place.games for place in standings(contest.names, games, byes)} == {2}


def test_a_swiss_tournament_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    contest = Tournament(dummies(5), "d1", "swiss", 1, rounds=2, longest=8)
    stream = contest.play(path)
    counts = [len(next(stream)[0]) for _ in range(3)]
    stream.close()
    assert counts == [1, 2, 2], "the second round begins when the first is over"
    *_, (games, byes) = contest.play(path)
    assert len(games) == contest.total == 4
    assert {game.headers["Round"] for game in games} == {"1.1", "2.1"}
    assert byes[0].first == "p04" != byes[1].first and {bye.points for bye in byes} == {1.0}
    assert sum(place.points for place in standings(contest.names, games, byes)) == 6
    again = tmp_path / "again.pgn"
    *_, (others, _) = contest.play(again)
    assert [one.headers for one in others] == [one.headers for one in games]


@posix
def test_the_command_writes_a_page_and_goes_on_after_a_kill(tmp_path: Path) -> None:
    players = [f"p{number}={DUMMY}" for number in range(3)] + [f"bad={DUMMY} exit"]
    settings = ("--control", "d1", "--games", 2, "--longest", 30, "--folder", tmp_path)
    command = [*TOURNAMENT, *players, *map(str, settings)]
    path, table = tmp_path / "games.pgn", tmp_path / "index.html"
    with Program(command) as program:
        until(lambda: table.exists() and len(read_played(path)) >= 2)
        os.kill(program.process.pid, signal.SIGKILL)
        program.ends()
        said = program.said["stderr"]
    assert "4 players, 12 games, no estimate for this control" in said
    assert "bad does not start, and will lose its games" in said
    assert 'http-equiv="refresh"' in table.read_text(encoding="utf-8")
    begun = {game.key for game in read_played(path)}
    with Program(command) as program:
        assert program.ends() == 0
        said = program.said["stdout"]
    assert {game.key for game in read_played(path)} > begun
    assert "  4 bad                  0 of 6, 6 by fault" in said and f"page: {table}" in said
    assert "12 of 12 games" in table.read_text(encoding="utf-8")


def _running(program: str) -> list[int]:
    """The processes that run a program."""
    processes = psutil.process_iter(["pid", "cmdline"])
    return [one.info["pid"] for one in processes if program in (one.info["cmdline"] or [])]


@pytest.mark.slow
def test_thirty_two_programs_play_a_swiss_tournament(tmp_path: Path) -> None:
    tricks = {3: "illegal", 11: "crash", 17: "exit", 24: "slow", 29: "hang"}
    own = str(shutil.copy(DUMMY_FILE, tmp_path))
    dummy = f"{Path(sys.executable).as_posix()} {Path(own).as_posix()}"
    entrants = tuple(
        Entrant(f"p{number:02}", f"{dummy} {tricks.get(number, '')}".strip())
        for number in range(32)
    )
    contest = Tournament(entrants, "3+0.02", "swiss", 2, rounds=5, longest=40)
    path = tmp_path / "games.pgn"
    with worker_pool(2) as executor:
        for games, byes in contest.play(path, executor):
            assert len(games) <= contest.total == 160 and not byes
    places = {place.name: place for place in standings(contest.names, games)}
    assert all(place.games == 10 for place in places.values())
    for number in tricks:
        assert places[f"p{number:02}"].faults >= 2
    assert {place.name for place in places.values() if place.faults} == {
        f"p{number:02}" for number in tricks
    }
    met = {frozenset((game.first, game.second)) for game in games}
    assert len(met) == 80, "nobody meets somebody again"
    with path.open(encoding="utf-8") as file:
        read = list(iter(lambda: chess.pgn.read_game(file), None))
    assert len(read) == 160 and not any(one.errors for one in read if one)
    until(lambda: not _running(own))


def test_a_control_is_the_same_however_it_is_spelt(tmp_path: Path) -> None:
    for control in (" D1 ", "d1"):
        contest = Tournament(dummies(4), control, "swiss", 1, 2, longest=8)
        *_, (games, _) = contest.play(tmp_path / "games.pgn")
    assert len(games) == 4
