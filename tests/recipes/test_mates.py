"""The suite of mates: its recipe proves what it writes."""

from __future__ import annotations

import contextlib
from pathlib import Path

import chess
import pytest

from utils.recipes import mates


def test_a_problem_has_one_solution_and_none_that_is_quicker() -> None:
    morphy = chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    assert (mates.key(morphy, 1), mates.key(morphy, 2)) == (None, chess.Move.from_uci("a1a6"))
    quick = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    assert mates.key(quick, 1) == chess.Move.from_uci("a1a8") and mates.key(quick, 2) is None


@pytest.mark.slow
def test_the_suite_of_the_course_is_proved() -> None:
    mates.check(mates.MATES)


def test_a_wrong_solution_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mates.epd"
    for move in ("Ra6", "Rxa7"):
        epd = f'kbK5/pp6/1P6/8/8/8/8/R7 w - - bm {move}; dm 2; id "M";\n'
        path.write_text(epd, encoding="utf-8")
        monkeypatch.setattr(mates, "WANTED", {2: 2})
        with pytest.raises(ValueError, match="problems by their length"):
            mates.check(path)
        monkeypatch.setattr(mates, "WANTED", {2: 1})
        wrong = pytest.raises(ValueError, match="M has another solution, not a1a7")
        with wrong if "x" in move else contextlib.nullcontext():
            mates.check(path)
