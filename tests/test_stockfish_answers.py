"""What Stockfish answers in the chapters, with and without the program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from utils import stockfish_answers
from utils.engines import ENGINES
from utils.paths import NOTEBOOKS
from utils.stockfish_answers import ANSWERS, recorded


def refuse(path: str) -> object:
    raise AssertionError(f"{path} was asked")


def test_every_question_of_the_chapters_has_a_stored_answer() -> None:
    asked = set()
    for path in NOTEBOOKS.glob("s*.ipynb"):
        asked |= set(re.findall(r'recorded\(\\"([^"]+)\\"', path.read_text(encoding="utf-8")))
    stored = json.loads(ANSWERS.read_text(encoding="utf-8"))
    assert set(stored) == asked and len(asked) > 2
    assert all(entry["engine"].startswith("Stockfish") for entry in stored.values())
    assert tuple(stored["s24-losses"]["answer"]) == ENGINES, "record them again"


def test_without_stockfish_the_stored_answer_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stockfish_answers, "find_program", lambda name: None)
    assert sum(recorded("s91-divide", refuse).values()) == 97862
    assert capsys.readouterr().out.startswith("Stockfish is not installed here. This is what")
    with pytest.raises(KeyError, match=r"no stored answer 's99'; expected one of .*s91-divide"):
        recorded("s99", refuse)


def test_with_stockfish_its_answer_is_shown_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stockfish_answers, "find_program", lambda name: "here")
    monkeypatch.setattr(stockfish_answers, "ANSWERS", tmp_path / "answers.json")
    monkeypatch.delenv("RECORD_STOCKFISH", raising=False)
    assert recorded("s99", lambda path: {"path": path, "pair": (1, 2)}) == {
        "path": "here",
        "pair": [1, 2],
    }
    assert list(tmp_path.iterdir()) == []
