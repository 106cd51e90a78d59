"""The ladder: a tournament that can be interrupted and grows, and the pages that show it."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from converted_notebooks.s24_measuring_strength import Sprt
from utils.engines import ENGINES
from utils.matches import ladder
from utils.matches.ladder import decided_pairs, make_ladder, plan_ladder, rate_again, save_ladder
from utils.matches.ladder_results import (
    FOLDER,
    Ladder,
    ladder_figure,
    ladder_svg,
    ladder_table,
    load_ladder,
    strength_badge,
)
from utils.matches.plan import play_plan
from utils.matches.records import (
    PlannedGame,
    Played,
    game_text,
    header_value,
    parse_played,
    read_played,
)

RESULTS = ("1-0", "1/2-1/2", "0-1")
THREE = ("s05", "s07", "s08")


def ended(planned: PlannedGame, result: str) -> Played:
    """A planned game with this result, without playing it."""
    about = {"Date": "2026.01.02", "Result": result, "PlyCount": "40"}
    game = parse_played(game_text(planned.headers() | about, f"1. e4 {result}"))
    assert game is not None
    return game


def invented(engines: tuple[str, ...], rounds: int, seed: int = 1) -> list[Played]:
    """A tournament in which the later engine is the better one, without playing it."""
    rng, games = random.Random(seed), []
    for planned in plan_ladder("5n", rounds, engines):
        lead = engines.index(planned.white) - engines.index(planned.black)
        score = 1 / (1 + 10 ** (-lead / 2))
        games.append(ended(planned, *rng.choices(RESULTS, [score * 0.7, 0.3, (1 - score) * 0.7])))
    return games


@pytest.fixture(scope="module")
def table() -> Ladder:
    return make_ladder(plan_ladder("5n", 20, THREE), invented(THREE, 20))


def test_everybody_meets_everybody_with_both_colours() -> None:
    plan = plan_ladder("d1", 2, ENGINES[:4])
    met = Counter((planned.white, planned.black) for planned in plan)
    assert met == dict.fromkeys(itertools.permutations(ENGINES[:4], 2), 2)
    assert len({planned.key for planned in plan}) == len(plan) == 24
    assert plan_ladder("d1", 3, ENGINES[:4])[:24] == plan, "more rounds continue"
    met = Counter((p.first, p.second) for p in plan_ladder("d1", 3, ENGINES[:4], near=2))
    assert met == {
        (ENGINES[j], ENGINES[i]): 6 if j - i == 1 else 2
        for i in range(4)
        for j in (i + 1, i + 2)
        if j < 4
    }
    first = {frozenset((p.first, p.second)) for p in plan[:12]}
    assert len(first) == 6, "the first round is complete before the second begins"
    assert [p.number for p in plan[:4]] == [0, 1, 0, 1], "the games of a pair follow each other"
    assert len(plan_ladder("d1", 1, ENGINES[:2])) == 2


@pytest.mark.parametrize("place", [0, 2, 4])
def test_another_engine_adds_its_own_games_and_changes_no_other(place: int) -> None:
    engines = ["s05", "s09", "s10", "s16"]
    before = set(plan_ladder("d1", 2, engines))
    engines.insert(place, "s12")
    after = set(plan_ladder("d1", 2, engines))
    assert before < after and set(plan_ladder("d1", 2, engines[::-1])) == after
    assert {"s12"} == set.intersection(*({p.first, p.second} for p in after - before))
    assert len({planned.moves for planned in after}) > 0.4 * len(after), "pairs differ in openings"
    assert not before & set(plan_ladder("d1", 2, engines, seed=1))


def test_engines_that_have_met_go_on_with_the_openings_of_then() -> None:
    done = read_played(FOLDER / "games.pgn")
    stored = load_ladder()
    names = [row.name for row in stored.rows]
    more, near = stored.rounds + 1, stored.near
    plan = plan_ladder(stored.control, more, [*names, "stockfish"], done=done, near=near)
    again = {planned.key: planned for planned in plan}
    assert len(again) > len(done) == stored.games
    for game in done:
        headers = again[game.key].headers()
        assert headers == {name: game.headers[name] for name in headers}


@pytest.mark.parametrize(
    ("engines", "rounds", "message"),
    [
        ("s05", 1, "players s05: expected two or more, each once"),
        ("s05 s05", 1, "players s05 s05: expected two or more, each once"),
        ("s05 s07", 0, "0 rounds: expected 1 or more"),
    ],
)
def test_a_ladder_that_cannot_be_played_is_refused(engines: str, rounds: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan_ladder("d1", rounds, engines.split())


def test_an_interrupted_ladder_goes_on(tmp_path: Path) -> None:
    path, plan = tmp_path / "games.pgn", plan_ladder("d1", 1, ("s05", "s06", "s07"))
    stream = play_plan(plan, path)
    begun = [list(next(stream)) for _ in range(3)][-1]
    stream.close()
    plan += plan_ladder("d1", 1, ("s05", "s06", "s07", "s10"), done=begun)[6:]
    *_, games = play_plan(plan, path)
    assert [game.key for game in games[:3]] == [game.key for game in begun]
    assert sorted(game.key for game in games) == sorted(planned.key for planned in plan)
    assert path.read_text(encoding="utf-8").count("[Event ") == 12


def test_a_seed_that_is_no_number_is_named() -> None:
    headers = {"White": "s05", "Black": "s06", "Result": "1-0", "Round": "1.1", "Seed": "abc"}
    done = parse_played(game_text(headers, "1. e4 1-0"))
    assert done is not None
    with pytest.raises(ValueError, match="s05 and s06 has the seed 'abc'; expected a whole"):
        plan_ladder("d1", 1, ENGINES[:2], done=[done])


def test_a_decided_match_of_a_ladder_ends_and_the_others_go_on(table: Ladder) -> None:
    test, games = Sprt(0, 200), list[Played]()
    skip, plan = decided_pairs(test), plan_ladder("5n", 20, THREE)
    results = dict(zip((planned.key for planned in plan), invented(THREE, 20), strict=True))
    for planned in plan:
        if not skip(planned, games):
            games.append(results[planned.key])
    for match in itertools.combinations(THREE, 2):
        played = [game for game in games if {game.first, game.second} == set(match)]
        assert len(played) < 40 and test.decided(played) and not test.decided(played[:-2])
    ended = make_ladder(plan, games, sprt=(0, 200))
    assert ended.games == len(games) and ended.rows[-1].elo > ended.rows[1].elo
    words = "40 of two engines, fewer where a sequential test of +0 and +200 Elo came to"
    assert words in ladder_table(ended)
    assert "sequential" not in ladder_table(table)


@pytest.mark.parametrize("resumed", [False, True])
def test_a_verdict_stays_when_later_games_would_take_it_back(
    monkeypatch: pytest.MonkeyPatch, resumed: bool
) -> None:
    monkeypatch.setattr(Sprt, "decided", lambda self, games: len(list(games)) == 4)
    skip, plan = decided_pairs(Sprt(0, 200)), plan_ladder("5n", 20, THREE[:2])
    games = invented(THREE[:2], 20)
    assert not skip(plan[0], games[:3])
    for count in [7] if resumed else range(4, 8):
        assert skip(plan[0], games[:count])


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


@pytest.mark.slow
@pytest.mark.parametrize("test", [None, Sprt(0, 30)])
def test_the_intervals_cover_the_true_strengths_as_often_as_they_say(test: Sprt | None) -> None:
    """Ladders of engines whose strengths are known, by the model that the fit assumes."""
    names, drawing, ladders = ENGINES[:8], 0.6, 100
    steps = (0.0, 2.0, 1.2, 0.1, 0.0, 0.6, 0.3, 0.2)  # differences of logarithms
    strengths = dict(zip(names, itertools.accumulate(steps), strict=True))
    scale = 400 / math.log(10) * 2 / (2 + drawing)
    plan, skip = plan_ladder("5n", 30, names, near=2), test and decided_pairs(test)
    possible = [[ended(planned, result) for result in RESULTS] for planned in plan]
    counts, said = Counter[str](), 0.0
    for seed in range(ladders):
        rng = random.Random(seed)
        games: list[Any] = []
        for planned, ends in zip(plan, possible, strict=True):
            white, black = strengths[planned.white], strengths[planned.black]
            weights = [math.exp(white), drawing * math.exp((white + black) / 2), math.exp(black)]
            if not (skip and skip(planned, games)):
                games += rng.choices(ends, weights)
        table = make_ladder(plan, games, 2)
        said += table.together / ladders
        held = []
        for step, row in zip(steps[1:], table.rows[1:], strict=True):
            assert row.gain is not None and row.gain_margin is not None
            held.append(abs(row.gain - scale * step) <= row.gain_margin)
            counts["elo"] += abs(row.elo - scale * strengths[row.name]) <= row.margin
        counts["gain"] += sum(held)
        counts["all gains"] += all(held)
    assert 0.93 < counts["elo"] / 7 / ladders < 0.975
    assert 0.93 < counts["gain"] / 7 / ladders < 0.975
    assert abs(counts["all gains"] / ladders - said) < 0.1
    assert 0.6 < said < 0.8, "seven intervals of 95 % each"


def test_the_order_of_the_games_is_no_matter(table: Ladder) -> None:
    games = invented(THREE, 20)
    random.Random(2).shuffle(games)
    assert make_ladder(plan_ladder("5n", 20, THREE), games) == table


def test_engines_come_before_programs_and_each_has_a_game() -> None:
    program = f'{sys.executable} "a  name"'  # a header of a PGN file holds it in another form
    players = (program, *THREE)
    plan = plan_ladder("5n", 1, players)
    rows = make_ladder(plan, invented(players, 1)).rows
    name = header_value(program)
    assert [row.name for row in rows] == [*THREE, name] and name != program
    with pytest.raises(ValueError, match=f"no games of {re.escape(name)}"):
        make_ladder(plan, invented(THREE, 1))


def test_a_table_is_read_as_it_was_written(table: Ladder, tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    with pytest.raises(FileNotFoundError, match="course ladder"):
        load_ladder(path)
    save_ladder(table, tmp_path)
    assert load_ladder(path) == table
    assert [file.name for file in tmp_path.iterdir()] == ["ladder.json"]
    path.write_text('{"rows": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="no table of a ladder"):
        load_ladder(path)


@pytest.mark.parametrize("alone", [False, True])
def test_the_picture_is_svg_with_a_bar_for_each_engine(table: Ladder, alone: bool) -> None:
    svg = ladder_svg(table, alone=alone)
    root = ElementTree.fromstring(svg)
    width = float(root.attrib["viewBox"].split()[2])
    space = "{http://www.w3.org/2000/svg}"
    bars = root.findall(f"{space}rect")
    assert len(bars) == 3 and len({bar.attrib["fill"] for bar in bars}) == 1
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
    root, space = ElementTree.fromstring(ladder_svg(turned)), "{http://www.w3.org/2000/svg}"
    bar = root.findall(f"{space}rect")[1]
    assert float(bar.attrib["x"]) > 178 and float(bar.attrib["width"]) > 50
    texts = root.findall(f"{space}text")
    marks = [text.text for text in texts if text.attrib.get("text-anchor") == "middle"]
    assert marks == ["-200", "-100", "0", "Elo"]
    (number,) = [text for text in texts if text.text == "-150"]
    end = float(bar.attrib["x"]) + float(bar.attrib["width"])
    assert end < float(number.attrib["x"]) < end + 10, "it stands right of the bar"


def test_the_figure_names_all_engines(table: Ladder) -> None:
    figure = ladder_figure(name="fig-s08-ladder", ladder=table)
    assert figure.name == "fig-s08-ladder" and "120 games" in figure.caption
    assert all(f"{row.name} {row.idea}" in figure.alt for row in table.rows)


def test_the_badge_has_the_strength_its_margin_and_a_link_to_what_elo_means() -> None:
    row = load_ladder().rows[5]
    text = str(strength_badge(row.name).data)
    assert f"[{row.elo:.0f} ± {row.margin:.0f} Elo](s24_measuring_strength.ipynb" in text
    assert text.endswith(" above random moves")
    assert str(strength_badge("s05").data).endswith(" the zero of the ladder")
    with pytest.raises(ValueError, match="'s04' is not in the ladder; expected one of s05"):
        strength_badge("s04")


def test_the_pages_follow_the_ladder_of_the_course(
    table: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme, data, picture = (tmp_path / name for name in ("README.md", "data.md", "picture.svg"))
    monkeypatch.setattr(ladder, "FOLDER", tmp_path)
    monkeypatch.setattr(ladder, "PAGES", (readme, data))
    monkeypatch.setattr(ladder, "PICTURE", picture)
    readme.write_text("# A\n<!-- ladder -->\nold\n<!-- /ladder -->\nB\n", encoding="utf-8")
    data.write_text("no place\n<!-- ladder -->\n", encoding="utf-8")
    (tmp_path / "games.pgn").write_text("", encoding="utf-8")
    save_ladder(table, tmp_path)
    text = f"# A\n<!-- ladder -->\n{ladder_table(table)}\n<!-- /ladder -->\nB\n"
    assert readme.read_text(encoding="utf-8") == text
    assert data.read_text(encoding="utf-8") == "no place\n<!-- ladder -->\n"
    assert picture.read_text(encoding="utf-8") == ladder_svg(table, alone=True)


def test_a_table_is_made_again_whatever_the_order_of_its_players(tmp_path: Path) -> None:
    # The second stands between the others, and is no longer on this machine.
    plan = plan_ladder("5n", 3, ("s08", "nonesuch-engine", "s10"), near=1)
    headers, texts = {"Date": "2026.01.02", "PlyCount": "2"}, []
    for planned, result in zip(plan, itertools.cycle(RESULTS), strict=False):
        about = planned.headers() | headers | {"Result": result}
        texts.append(game_text(about, f"1. e4 {result}"))
    path = tmp_path / "games.pgn"
    path.write_text("".join(texts), encoding="utf-8")
    made = make_ladder(plan, read_played(path), near=1, sprt=(-900, 0))
    made = dataclasses.replace(made, machine="another", python="3.99")
    save_ladder(made, tmp_path)
    assert rate_again(tmp_path) == made and made.games == 12
    mixed = path.read_text(encoding="utf-8").replace('[Control "5n"]', '[Control "6n"]', 1)
    path.write_text(mixed, encoding="utf-8")
    with pytest.raises(ValueError, match="it is of another match"):
        rate_again(tmp_path)


def test_the_course_shows_its_present_ladder_which_is_that_of_its_games(tmp_path: Path) -> None:
    for path, text in ladder.pages().items():
        assert path.read_text(encoding="utf-8") == text, f"course ladder --table --folder {FOLDER}"
    table = load_ladder()
    assert rate_again(FOLDER) == table and table.faults == 0
    assert [row.name for row in table.rows] == list(ENGINES)
    save_ladder(table, tmp_path)
    stored = (folder / "ladder.json" for folder in (FOLDER, tmp_path))
    assert next(stored).read_bytes() == next(stored).read_bytes()
    for name in ENGINES:
        assert "Elo" in str(strength_badge(name).data)
