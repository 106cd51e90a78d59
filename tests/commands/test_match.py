"""`course match`: its summary, its file, its test."""

from __future__ import annotations

import re
from pathlib import Path

from converted_notebooks import s24_measuring_strength as s24
from tests.commands.command_line import run
from utils.commands.match import match_summary
from utils.matches.records import read_played


def test_a_seed_is_kept_with_the_games(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    run("match", "s05", "s07", "--games", 2, "--control", "d1", "--seed", 7, "--pgn", path)
    assert [game.headers["Seed"] for game in read_played(path)] == ["7", "7"]


def test_a_match_is_summed_up() -> None:
    test = s24.Sprt(0, 20)
    for verdict, words in (
        ("continue", "not decided"),
        ("accept H0", "+0 Elo fits better"),
        ("accept H1", "+20 Elo fits better"),
    ):
        pairs, state = s24.Pentanomial((0, 1, 2, 3, 0)), s24.SprtState(0.5, -2.94, 2.94, verdict)
        found = s24.Standing(5, 4, 3, pairs, 20, 2, state)
        lines = match_summary("a", "b", found, test).splitlines()
        low, high = pairs.interval
        assert lines[:4] == [
            f"a against b: 12 of 20 games, {found}",
            "score: 58.3%; pairs with 0, ½, 1, 1½, 2 points: 0 1 2 3 0",
            f"95 % interval, from the pairs: {low:+.0f} to {high:+.0f} Elo",
            "games lost on time, by an illegal move or a breakdown: 2",
        ]
        assert lines[4:] == [f"SPRT of +0 against +20 Elo: LLR 0.50 in (-2.94, 2.94): {words}"]
    whole = s24.Standing(1, 0, 0, s24.Pentanomial(), 1, 0)
    assert match_summary("a", "b", whole, None).splitlines() == [
        "a against b: 1 games, +1 =0 -0, +∞ ± ∞ Elo",
        "score: 100.0%; pairs with 0, ½, 1, 1½, 2 points: 0 0 0 0 0",
        "95 % interval, from the pairs: -∞ to +∞ Elo",
    ]


def test_a_match_says_its_result_again_and_refuses_the_file_of_another(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    arguments = ("match", "s07", "s05", "--games", 2, "--pgn", path, "--control")
    first = run(*arguments, "d1")
    assert first.exit_code == 0, first.output
    assert re.match(r"s07 against s05: 2 games, \+\d =\d -\d, \S+ ± \S+ Elo\n", first.stdout)
    assert f"games: {path}" in first.stdout
    complete = path.read_bytes()
    assert run(*arguments, "d1").stdout == first.stdout and path.read_bytes() == complete
    other = run(*arguments, "d2")
    assert other.exit_code == 2 and "expected 'd2'" in other.stderr


def test_a_test_ends_a_match_with_openings_of_ones_own(tmp_path: Path) -> None:
    lines, path = tmp_path / "lines.pgn", tmp_path / "sprt.pgn"
    lines.write_text('[ECO "A00"]\n[Opening "Mine"]\n\n1. a4 a5 2. h4 *\n')
    result = run(
        *("match", "s07", "s05", "--control", "d1", "--games", 200, "--pgn", path),
        *("--sprt", -900, -700, "--openings", lines),
    )
    assert result.exit_code == 0, result.output
    assert "SPRT of -900 against -700 Elo: LLR " in result.stdout
    assert "-700 Elo fits better" in result.stdout
    played = read_played(path)
    assert "of 200 games" in result.stdout and len(played) < 200
    assert path.read_text().count("1. a4 a5 2. h4") == len(played)
