"""`course ladder`: one's own, beside that of the course."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.command_line import THREE, run
from utils.matches.ladder_results import FOLDER, ladder_table, load_ladder


def test_a_ladder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in FOLDER.iterdir()}
    arguments = ("ladder", *THREE, "--control", "d1")
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    path = tmp_path / "ladder" / "games.pgn"
    begun, table = path.read_bytes(), path.with_name("ladder.json")
    earlier = table.read_bytes()
    assert begun.count(b"[Event ") == 6
    assert [line[2:5] for line in first.stdout.splitlines()[2:5]] == [*THREE]
    second = run(*arguments, "--rounds", 2, "--workers", 2)
    assert second.exit_code == 0 and "12 games at d1" in second.stdout
    assert path.read_bytes().startswith(begun)
    later = table.read_bytes()
    table.write_bytes(earlier.replace(b'"rounds": 1', b'"rounds": 2'))
    assert run("ladder", "--table", "--folder", "ladder").stdout == second.stdout
    assert table.read_bytes() == later != earlier
    assert run("ladder", "--table").stdout == f"{ladder_table(load_ladder())}\n"
    wrong = run("ladder", "s05", "s07", "--control", "d2")
    assert wrong.exit_code == 2 and "use another file" in wrong.stderr
    assert str(Path("ladder", "games.pgn")) in wrong.stderr
    after = {path: path.read_bytes() for path in FOLDER.iterdir()}
    assert after == before, "the ladder of the course is left alone"


def test_a_ladder_of_neighbours_ends_what_is_decided(tmp_path: Path) -> None:
    folder = tmp_path / "ladder"
    options = ("--rounds", 30, "--near", 1, "--sprt", -900, -700, "--folder", folder)
    assert run("ladder", *THREE, "--control", "d1", *options).exit_code == 0
    found = load_ladder(folder / "ladder.json")
    assert (found.near, found.sprt, len(found.results)) == (1, (-900, -700), 2)
    assert found.games < 120
