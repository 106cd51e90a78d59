"""What is stored about the parts of the search; no game is played here."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from converted_notebooks.s24_measuring_strength import Standing
from utils.chapters import chapters
from utils.engines import players
from utils.jupyter_loader import load_chapter
from utils.matches.records import read_played
from utils.paths import ROOT
from utils.recipes.parts import CONTROL, GAMES, MOST_GAMES, PARTS, TEST, Part, load_parts


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.words)
def test_a_part_is_left_out_by_other_values_for_numbers_of_chapters(part: Part) -> None:
    names = {one.number: one.name for one in chapters()}
    for text in part.numbers:
        place, _, value = text.partition("=")
        number, _, name = place.rpartition(".")
        former = getattr(load_chapter(names[number or "s27"]), name)
        assert type(former)(value) != former
    command = shlex.split(part.plan()[0].players[1])
    assert command[-2 * len(part.numbers) :: 2] == ["--set"] * len(part.numbers)
    assert command[-2 * len(part.numbers) + 1 :: 2] == list(part.numbers)
    assert command[-2 * len(part.numbers) - 1] in players()


@pytest.fixture(scope="module")
def stored() -> dict[Part, Standing]:
    return load_parts()


def test_a_match_ends_when_the_test_has_decided(stored: dict[Part, Standing]) -> None:
    for part, found in stored.items():
        state = TEST.state(found.pairs)
        assert found.sprt == state and found.faults == 0, part
        assert found.games == MOST_GAMES or state.verdict != "continue", part


def test_the_file_holds_the_games_of_the_parts_and_no_others(stored: dict[Part, Standing]) -> None:
    games = read_played(GAMES)
    counted = Counter(game.second for game in games)
    assert counted == {part.player: found.games for part, found in stored.items()}
    assert {(game.first, game.headers["Control"]) for game in games} == {("s27", CONTROL)}


def test_games_of_another_match_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    text = GAMES.read_text(encoding="utf-8")
    path.write_text(text.replace(f'"{CONTROL}"', '"20n"', 1), encoding="utf-8")
    with pytest.raises(ValueError, match="has Control '20n'; expected '30000n'"):
        load_parts(path)


def test_a_file_without_games_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.pgn has no games"):
        load_parts(tmp_path / "none.pgn")


def test_a_recipe_says_in_one_line_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "text.pgn").write_text("no games", encoding="utf-8")
    wrong = {"parts": ("--pgn", "text.pgn"), "knowledge": ("--output", "none/such.json")}
    for recipe, (option, name) in wrong.items():
        ended = subprocess.run(
            [sys.executable, "-m", f"utils.recipes.{recipe}", option, str(tmp_path / name)],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        assert ended.returncode == 1 and ended.stderr.count("\n") == 1, ended.stderr
        assert Path(name).parts[-1] in ended.stderr
