"""The ladder: a tournament that can be interrupted, and the pages that show it."""

import dataclasses
import itertools
import math
import random
import shutil
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import ModuleType
from typing import NoReturn
from xml.etree import ElementTree

import pytest

from utils.engines import ENGINES
from utils.matches import ladder
from utils.matches.ladder import main, make_ladder, outdated, plan_ladder, play_ladder, save_ladder
from utils.matches.ladder_results import (
    Ladder,
    ladder_figure,
    ladder_svg,
    ladder_table,
    load_ladder,
    strength_badge,
)
from utils.matches.records import Played, game_text, played
from utils.recipes import strength

THREE = ("s05", "s07", "s08")
QUICK = ["--control", "d1", "--engines", "s07", "s08", "--rounds", "1"]


def invented(engines: tuple[str, ...], rounds: int, seed: int = 1) -> list[Played]:
    """A tournament in which the later engine is the better one, without playing it."""
    rng, games = random.Random(seed), []
    for pairing in plan_ladder("5n", rounds, engines):
        lead = engines.index(pairing.white) - engines.index(pairing.black)
        score = 1 / (1 + 10 ** (-lead / 2))
        result = rng.choices(["1-0", "1/2-1/2", "0-1"], [score * 0.7, 0.3, (1 - score) * 0.7])[0]
        headers = pairing.headers() | {
            "Date": "2026.01.02",
            "Result": result,
            "Termination": "checkmate",
            "PlyCount": "40",
        }
        game = played(game_text(headers, f"1. e4 {result}"))
        assert game is not None
        games.append(game)
    return games


@pytest.fixture(scope="module")
def table() -> Ladder:
    return make_ladder(plan_ladder("5n", 20, THREE), invented(THREE, 20))


def test_everybody_meets_everybody_with_both_colours() -> None:
    plan = plan_ladder("d1", 2, ENGINES[:4])
    met = Counter((pairing.white, pairing.black) for pairing in plan)
    assert met == dict.fromkeys(itertools.permutations(ENGINES[:4], 2), 2)
    assert len({pairing.key for pairing in plan}) == len(plan) == 24
    assert plan_ladder("d1", 3, ENGINES[:4])[:24] == plan, "more rounds continue"
    first = {frozenset((p.first, p.second)) for p in plan[:12]}
    assert len(first) == 6, "the first round is complete before the second begins"


@pytest.mark.parametrize(
    ("engines", "rounds"), [(("s05",), 1), (("s05", "s05"), 1), (("s05", "s07"), 0)]
)
def test_a_tournament_that_is_none_is_refused(engines: tuple[str, ...], rounds: int) -> None:
    with pytest.raises(ValueError, match="expected one round or more"):
        plan_ladder("d1", rounds, engines)


def test_an_interrupted_ladder_goes_on(tmp_path: Path) -> None:
    path, plan = tmp_path / "games.pgn", plan_ladder("d1", 1, ("s07", "s08", "s12"))
    stream = play_ladder(plan, path)
    begun = [next(stream) for _ in range(3)]
    stream.close()
    games = list(play_ladder(plan, path))
    assert [game.key for game in games[:3]] == [game.key for game in begun]
    assert sorted(game.key for game in games) == sorted(pairing.key for pairing in plan)
    assert path.read_text(encoding="utf-8").count("[Event ") == 6


def test_the_table_is_computed_from_the_games(table: Ladder) -> None:
    assert [row.name for row in table.rows] == list(THREE)
    assert table.rows[0].elo == 0 and table.rows[0].gain is None
    assert 0 < table.rows[1].elo < table.rows[2].elo
    for before, row in itertools.pairwise(table.rows):
        assert row.gain is not None and row.gain_margin is not None
        assert math.isclose(row.gain, row.elo - before.elo, abs_tol=0.11)
        assert row.gain_margin > 0
    assert table.games == 120 == sum(sum(result[2:]) for result in table.results)
    assert sum(row.games for row in table.rows) == 240
    assert table.date == "2026-01-02" and table.control == "5n" and table.rounds == 20


def test_the_order_of_the_games_is_no_matter(table: Ladder) -> None:
    games = invented(THREE, 20)
    random.Random(2).shuffle(games)
    assert make_ladder(plan_ladder("5n", 20, THREE), games) == table


def test_an_engine_without_games_is_named() -> None:
    with pytest.raises(ValueError, match="no games of s09"):
        make_ladder(plan_ladder("5n", 1, (*THREE, "s09")), invented(THREE, 1))


def test_a_table_is_read_as_it_was_written(table: Ladder, tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    with pytest.raises(FileNotFoundError, match=r"python -m utils\.matches\.ladder"):
        load_ladder(path)
    save_ladder(table, path)
    assert load_ladder(path) == table
    assert [file.name for file in tmp_path.iterdir()] == ["ladder.json"]
    path.write_text('{"rows": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="no table of a ladder"):
        load_ladder(path)


@pytest.mark.parametrize("alone", [False, True])
def test_the_picture_is_svg_with_a_bar_for_each_engine(table: Ladder, alone: bool) -> None:
    svg = ladder_svg(table, "s07", alone=alone)
    root = ElementTree.fromstring(svg)
    width = float(root.attrib["viewBox"].split()[2])
    space = "{http://www.w3.org/2000/svg}"
    bars = root.findall(f"{space}rect")
    assert len(bars) == 3 and len({bar.attrib["fill"] for bar in bars}) == 2
    widths = [float(bar.attrib["width"]) for bar in bars]
    assert widths == sorted(widths) and widths[-1] > 50
    assert all(float(b.attrib["x"]) + float(b.attrib["width"]) < width for b in bars)
    texts = [text.text for text in root.findall(f"{space}text")]
    for row in table.rows:
        assert f"{row.name} {row.idea}" in texts and f"{row.elo:.0f}" in texts
    assert ("prefers-color-scheme" in svg) == alone


def test_the_picture_holds_engines_below_the_first(table: Ladder) -> None:
    low = dataclasses.replace(table.rows[1], elo=-150.0, margin=60.0)
    turned = dataclasses.replace(table, rows=(table.rows[0], low))
    bar = ElementTree.fromstring(ladder_svg(turned)).findall("{http://www.w3.org/2000/svg}rect")[1]
    assert float(bar.attrib["x"]) > 178 and float(bar.attrib["width"]) > 50


def test_the_figure_names_all_engines(table: Ladder) -> None:
    figure = ladder_figure("s08", name="fig-s08-ladder", ladder=table)
    assert figure.name == "fig-s08-ladder" and "120 games" in figure.caption
    assert all(f"{row.name} {row.idea}" in figure.alt for row in table.rows)


def test_the_badge_has_the_strength_its_margin_and_a_link_to_what_elo_means() -> None:
    row = load_ladder().rows[5]
    text = str(strength_badge(row.name).data)
    assert f"[{row.elo:.0f} ± {row.margin:.0f} Elo](s21_measuring_strength.ipynb" in text
    with pytest.raises(ValueError, match="'s04' is not in the ladder; expected one of s05"):
        strength_badge("s04")


def test_pages_are_kept_up_to_date(
    table: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme, data = tmp_path / "README.md", tmp_path / "data.md"
    monkeypatch.setattr(ladder, "PAGES", (readme, data))
    monkeypatch.setattr(ladder, "PICTURE", tmp_path / "picture.svg")
    readme.write_text("# A\n<!-- ladder -->\nold\n<!-- /ladder -->\nB\n", encoding="utf-8")
    data.write_text("no place\n", encoding="utf-8")
    assert outdated(tmp_path) == [], "nothing was played"
    (tmp_path / "games.pgn").write_text("", encoding="utf-8")
    save_ladder(table, tmp_path / "ladder.json")
    assert len(outdated(tmp_path)) == 2
    for path, text in ladder.pages(tmp_path).items():
        path.write_text(text, encoding="utf-8")
    assert outdated(tmp_path) == []
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("# A\n<!-- ladder -->\n| chapter") and text.endswith("/ladder -->\nB\n")
    assert "old" not in text and ladder_table(table) in text
    assert data.read_text(encoding="utf-8") == "no place\n"


def test_the_command_plays_and_computes_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ["--folder", str(tmp_path)]
    assert main([*QUICK, *folder]) == 0
    table, games = load_ladder(tmp_path / "ladder.json"), (tmp_path / "games.pgn").read_bytes()
    assert "| s08 | evaluation |" in capsys.readouterr().out
    assert main([*QUICK, *folder]) == 0, "nothing is left to play"
    assert load_ladder(tmp_path / "ladder.json") == table
    assert main(["--table", *folder]) == 0
    assert load_ladder(tmp_path / "ladder.json") == table
    assert (tmp_path / "games.pgn").read_bytes() == games
    capsys.readouterr()
    assert main([*QUICK, *folder, "--control", "d2"]) == 1
    assert "use another file" in capsys.readouterr().err
    assert main([*folder, "--control", "never"]) == 1
    assert "time control" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "work"), [(ladder, "play_ladder"), (strength, "ask")])
def test_a_process_that_dies_is_said_in_one_line(
    command: ModuleType,
    work: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def dying(*_: object) -> NoReturn:
        raise BrokenProcessPool("somebody has killed it")

    monkeypatch.setattr(command, work, dying)
    assert command.main(["--folder", str(tmp_path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "somebody has killed it"


def test_the_course_shows_its_present_ladder() -> None:
    assert outdated() == []


def test_the_ladder_of_the_course_is_that_of_its_games(tmp_path: Path) -> None:
    shutil.copytree(ladder.FOLDER, tmp_path, dirs_exist_ok=True)
    assert main(["--table", "--folder", str(tmp_path)]) == 0
    for path in ladder.FOLDER.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_ladder_of_the_course_is_whole() -> None:
    table = load_ladder()
    assert [row.name for row in table.rows] == list(ENGINES)
    assert table.faults == 0
    for name in ENGINES:
        assert "Elo" in str(strength_badge(name).data)
