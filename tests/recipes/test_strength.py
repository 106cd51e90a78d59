"""What is stored about the strength of the tournament engine; nothing is measured here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from converted_notebooks.s21_measuring_strength import read_suite
from utils.matches.records import read_played
from utils.recipes import strength
from utils.recipes.strength import DUELS, ENGINE, FOLDER, SUITE, add_up, load_strength


def test_the_summary_is_that_of_the_games() -> None:
    stored = load_strength()
    counted = [add_up(duel, read_played(FOLDER / f"{duel.name}.pgn")) for duel in DUELS]
    assert list(stored.matches) == counted
    assert [match.games for match in counted] == [duel.games for duel in DUELS]


@pytest.mark.parametrize("duel", DUELS, ids=lambda duel: duel.name)
def test_each_game_is_of_its_match_and_both_have_each_colour(duel: strength.Duel) -> None:
    games = read_played(FOLDER / f"{duel.name}.pgn")
    assert {(game.first, game.second) for game in games} == {(ENGINE, duel.opponent)}
    assert sorted(game.number for game in games) == list(range(duel.games))
    assert {game.headers["Control"] for game in games} == {duel.control}
    openings = {game.number: game.headers["Opening"] for game in games}
    assert all(openings[number] == openings[number ^ 1] for number in openings)


def test_the_solved_problems_are_problems_of_the_suite() -> None:
    names = {problem.name for problem in read_suite(SUITE).problems}
    for suite in load_strength().suites:
        assert set(suite.solved) <= names and suite.asked == len(names)


def test_an_unfinished_match_is_not_added_up() -> None:
    games = read_played(FOLDER / f"{DUELS[0].name}.pgn")
    with pytest.raises(ValueError, match=r"s13\.pgn has 19 games, expected 20"):
        add_up(DUELS[0], games[1:])


def test_a_match_against_one_version_is_not_mixed_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel = next(duel for duel in DUELS if duel.version)
    stored = (FOLDER / f"{duel.name}.pgn").read_bytes()
    path = tmp_path / f"{duel.name}.pgn"
    monkeypatch.setattr(strength, "stockfish_name", lambda: "Stockfish 1")
    path.write_bytes(stored)
    assert list(strength.play(duel, tmp_path)) == [duel.games]  # nothing is missing
    unfinished = stored[: stored.rindex(b"[Event ")]
    path.write_bytes(unfinished)
    with pytest.raises(ValueError, match=f"{duel.version}, but Stockfish 1 is installed"):
        next(strength.play(duel, tmp_path))
    assert path.read_bytes() == unfinished


def test_adding_up_again_changes_nothing(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    assert strength.main(["--table", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / strength.SUMMARY).read_bytes() == (FOLDER / strength.SUMMARY).read_bytes()


def test_a_bad_summary_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s20.json"
    with pytest.raises(FileNotFoundError, match=r"s20\.json is missing"):
        load_strength(path)
    for text in ("{", "[]", json.dumps({"matches": [], "suites": []})):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="is no summary of strength"):
            load_strength(path)
    assert strength.main(["--table", "--folder", str(tmp_path)]) == 1
    assert "is no summary of strength" in capsys.readouterr().err
