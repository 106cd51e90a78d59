"""What is stored about the strength of the tournament engine; nothing is measured here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from utils.commands.errors import InputError
from utils.matches.records import read_played
from utils.matches.suites import Answer, read_suite
from utils.recipes import strength
from utils.recipes.strength import DUELS, FOLDER, PLAN, SUITE, VERSIONS, Duel, load_strength


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the games and the summary."""
    return Path(shutil.copytree(FOLDER, tmp_path / "strength"))


@pytest.mark.parametrize(("engine", "date"), [("s23", "2026-11-29"), ("s27", "2026-11-29")])
def test_the_strength_of_an_engine_is_that_of_its_matches(engine: str, date: str) -> None:
    found = load_strength(engine)
    assert found.date == date
    assert found.matches == tuple(strength.match_result(duel) for duel in DUELS[engine])


@pytest.mark.parametrize(
    "duel", [*DUELS["s23"], *DUELS["s27"], *VERSIONS, PLAN], ids=lambda duel: duel.name
)
def test_a_match_is_counted_from_its_games_which_have_each_opening_twice(duel: Duel) -> None:
    match = strength.match_result(duel)
    games = read_played(FOLDER / f"{duel.name}.pgn")
    assert match.score == sum(game.points for game in games) / len(games)
    assert (match.games, match.words, match.control) == (duel.games, duel.words, duel.control)
    players = {(game.first, game.second) for game in games}
    assert players == {(duel.player, duel.opponent)}
    assert sorted(game.number for game in games) == list(range(duel.games))
    assert {game.headers["Control"] for game in games} == {duel.control}
    openings = {game.number: game.headers["Opening"] for game in games}
    assert all(openings[number] == openings[number ^ 1] for number in openings)


@pytest.mark.parametrize(("points", "faults"), [(0, 1), (1, 0)])
def test_a_fault_counts_for_the_player_who_lost_by_it(
    folder: Path, points: float, faults: int
) -> None:
    duel = next(duel for duel in DUELS["s23"] if duel.name == "s23-2000")
    path = folder / f"{duel.name}.pgn"
    text = path.read_text(encoding="utf-8")
    game = next(game for game in read_played(path) if game.points == points)
    loser = "White" if game.headers["Result"] == "0-1" else "Black"
    before, mark, after = text.partition(f'[Round "{game.headers["Round"]}"]')
    ended = after.replace(game.termination, f"{loser} loses by time forfeit", 1)
    path.write_text(before + mark + ended, encoding="utf-8")
    assert strength.match_result(duel, folder).faults == faults


def test_the_solved_problems_are_problems_of_the_suite() -> None:
    names = [problem.name for problem in read_suite(SUITE).problems]
    assert names == [f"BK.{number:02d}" for number in range(1, 25)]
    for suite in (suite for engine in DUELS for suite in load_strength(engine).suites):
        assert set(suite.solved) <= set(names) and suite.asked == 24


def test_an_unfinished_match_is_not_counted_and_goes_on_with_the_same_version_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel = next(duel for duel in DUELS["s23"] if duel.version)
    path = folder / f"{duel.name}.pgn"
    stored = path.read_bytes()
    monkeypatch.setattr(strength, "stockfish_name", lambda: "Stockfish 1")
    strength.play(duel, folder)  # nothing is missing
    unfinished = stored[: stored.rindex(b"[Event ")]
    path.write_bytes(unfinished)
    missing = f"{duel.name}.pgn has {duel.games - 1} games, expected {duel.games}"
    with pytest.raises(ValueError, match=f"{missing}: .* s23 plays the others"):
        load_strength("s23", folder)
    with pytest.raises(ValueError, match=f"{duel.version}, but Stockfish 1 is installed"):
        strength.play(duel, folder)
    assert path.read_bytes() == unfinished


def test_measuring_plays_what_is_missing_and_writes_the_summary(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = folder / "one.epd"
    suite.write_text(SUITE.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    quick = strength.Duel("quick", "s23", "s05", "random moves", "1n", 2)
    for name, value in (
        ("DUELS", {"s23": (quick,), "s27": ()}),
        ("SUITE", suite),
        ("SUITE_TIMES", ("1n",)),
    ):
        monkeypatch.setattr(strength, name, value)
    monkeypatch.setattr(strength, "stockfish_name", lambda: "Stockfish 1")
    with pytest.raises(InputError, match="'s10' has no matches here; expected s23 or s27"):
        strength.main("s10", workers=1, folder=folder)
    strength.main("s23", workers=1, folder=folder)
    found = load_strength("s23", folder)
    assert found.matches[0].games == 2
    assert found.suites[0].control == "1n" and found.suites[0].asked == 1


def test_what_is_solved_of_a_suite_is_stored_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Answer(n, f"BK.0{n}", "e4", n < 3, None, None) for n in (2, 3, 1)]
    monkeypatch.setattr(strength, "run_suite", lambda *_: iter(found))
    stored = strength.ask("s23", "1n")
    assert stored["name"] == "bratko-kopec" and stored["control"] == "1n"
    assert stored["solved"] == ["BK.01", "BK.02"] and stored["asked"] == 3


def test_a_match_that_needs_two_processors_is_played_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[tuple[object, ...]]()
    monkeypatch.setattr("utils.commands.match.match", lambda *given: asked.append(given))
    for duel in DUELS["s27"]:
        strength.play(duel, FOLDER, workers=4)
    assert [given[-1] for given in asked] == [4, 4, 4, 4, 4, 1]


def test_a_bad_summary_is_named(folder: Path) -> None:
    path = folder / "s23.json"
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"s23\.json"):
        load_strength("s23", folder)
    for text in ("{", "[]", json.dumps({"machine": "", "suites": []})):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="is no summary of strength"):
            load_strength("s23", folder)
