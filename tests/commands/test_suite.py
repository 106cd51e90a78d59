"""`course suite`: suites of the course and of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.command_line import run
from utils.matches.suites import Answer
from utils.paths import DATA


def test_a_suite_gets_the_control_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def ask(engine: str, suite: object, limit: str, executor: object) -> Iterator[Answer]:
        asked.append(limit)
        return iter(())

    monkeypatch.setattr("utils.matches.suites.run_suite", ask)
    for options in ((), ("--nodes", 5), ("--time", 0.25), ("--depth", 2)):
        run("suite", DATA / "suites" / "mates.epd", *options)
    assert asked == ["1s", "5n", "0.25s", "d2"]


MATES = """\
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id "same";
# a comment
k7/2Q5/1K6/8/8/8/8/8 w - - am Qb8+; dm 1; id "[b]avoid";
8/8/8/8/8/5k2/8/5K1R b - - bm Ke4; id "same";
"""


def test_a_suite_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "three.epd"
    path.write_text(MATES)
    shown = [
        run("suite", path, "--engine", "s12", "--depth", 2, "--workers", workers)
        for workers in (1, 2)
    ]
    here, there = (re.sub(r"\d\.\d\d", "seconds", result.stdout) for result in shown)
    assert here == there and {result.exit_code for result in shown} == {0}
    rows = [line.split() for line in here.splitlines() if "same" in line]
    assert "Ra8#" in rows[0] and "yes" in rows[0] and len(rows) == 2
    assert "[b]avoid" in here, "a name is a name, whatever is in it"
    assert re.search(r"three: [23] of 3 solved", here)


def test_answers_are_shown_in_the_order_of_the_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, names = tmp_path / "many.epd", [f"p{n:02}" for n in range(12)]
    path.write_text("".join(MATES.splitlines()[0].replace("same", name) + "\n" for name in names))
    found = [
        Answer(n, f"p{n:02}", f"m{n}", n > 9, 0.25 if n > 9 else None, None) for n in range(12)
    ]
    monkeypatch.setattr("utils.matches.suites.run_suite", lambda *_: iter(found[::-1]))
    result = run("suite", path)
    cells = [re.findall(r"[\w.]+", line) for line in result.stdout.splitlines()]
    rows = [row for row in cells if row and row[0] in names]
    assert rows[:10] == [[name, f"m{n}", "no"] for n, name in enumerate(names[:10])]
    assert rows[10:] == [["p10", "m10", "yes", "0.25"], ["p11", "m11", "yes", "0.25"]]
    assert "many: 2 of 12 solved" in result.stdout


def test_the_suites_of_the_course_are_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert {"mates", "bratko-kopec"} <= {path.stem for path in (DATA / "suites").glob("*.epd")}
    (tmp_path / "suites").mkdir()
    for name in ("a", "b"):
        (tmp_path / "suites" / f"{name}.epd").write_text(MATES.splitlines()[0])
    monkeypatch.setattr("utils.commands.suite.DATA", tmp_path)
    result = run("suite", "--engine", "s09", "--depth", 2)
    assert "a: 1 of 1 solved" in result.stdout and "b: 1 of 1 solved" in result.stdout
