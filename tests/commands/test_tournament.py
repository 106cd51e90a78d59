"""`course tournament`: what is asked for is played, and the page says how long it takes."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.commands.command_line import OF_THREE, run
from tests.helpers.programs import DUMMY


def test_a_tournament_is_the_one_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[dict[str, Any]]()

    def record(**given: object) -> None:
        made.append(given)
        raise ValueError("enough")

    monkeypatch.setattr("utils.matches.tournament.Tournament", record)
    (tmp_path / "more.txt").write_text("C=s07\n", encoding="utf-8")
    words = "--system swiss --rounds 3 --games 4 --control d1 --grace 0.25 --longest 80 --seed 9"
    run("tournament", "A=s05", "B=s06", "--list", tmp_path / "more.txt", *words.split())
    assert [entrant.name for entrant in made[0].pop("entrants")] == ["A", "B", "C"]
    settings = {"control": "d1", "system": "swiss", "games": 4, "rounds": 3, "seed": 9}
    assert made[0] == settings | {"longest": 80, "grace": 0.25}
    for count, rounds in ((2, 1), (7, 3), (12, 5)):
        run("tournament", *(f"p{n}=s05" for n in range(count)), "--system", "swiss")
        settings = {"control": "10+0.1", "system": "swiss", "games": 2, "rounds": rounds}
        assert settings.items() <= made[-1].items()


def test_the_page_says_how_long_a_tournament_will_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, hours = list[str](), itertools.count(0, 3600)
    monkeypatch.setattr(
        "utils.commands.tournament.time", SimpleNamespace(monotonic=lambda: next(hours))
    )
    monkeypatch.setattr(
        "utils.commands.tournament.replace_file", lambda path, text: pages.append(text)
    )
    players = (f"a={DUMMY}", f"b={DUMMY}")
    options = ("--control", "d1", "--longest", 2, "--folder", tmp_path)
    run("tournament", *players, *options)
    assert "about 1.0 hours to go" in pages[0]


def test_games_of_an_earlier_run_took_none_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pages, seconds = list[str](), itertools.count(0, 3600)
    games = OF_THREE[:6]
    parts = [(games[:count], list[Any]()) for count in (4, 5, 6)]
    contest = SimpleNamespace(
        total=6, names=[], hours=lambda _workers: None, play=lambda *_: iter(parts)
    )
    for name, stand_in in (
        ("utils.matches.tournament.Tournament", lambda **_: contest),
        ("utils.matches.tournament.absent", lambda _entrants: {}),
        ("utils.matches.tournament.standings", lambda *_: []),
        ("utils.matches.tournament_page.page", lambda *given: str(given[-1])),
        ("utils.matches.records.read_played", lambda _path: games[:4]),
        ("utils.commands.tournament.replace_file", lambda _path, text: pages.append(text)),
        ("utils.commands.tournament.time", SimpleNamespace(monotonic=lambda: next(seconds))),
    ):
        monkeypatch.setattr(name, stand_in)
    assert run("tournament", "A=s05", "B=s06", "C=s07").exit_code == 0
    assert pages == ["None", "1.0", "0.0"], "hours to go"
