"""What Stockfish answers in the chapters, with and without the program."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from types import SimpleNamespace

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
    files = ANSWERS.glob("*.json")
    stored = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files}
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
    monkeypatch.setattr(stockfish_answers, "ANSWERS", tmp_path)
    monkeypatch.delenv("RECORD_STOCKFISH", raising=False)
    assert recorded("s99", lambda path: {"path": path, "pair": (1, 2)}) == {
        "path": "here",
        "pair": [1, 2],
    }
    assert list(tmp_path.iterdir()) == []


def test_recorded_answers_are_shown_where_stockfish_is_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = contextlib.nullcontext(SimpleNamespace(id={"name": "Stockfish 1"}))
    monkeypatch.setattr("chess.engine.SimpleEngine.popen_uci", lambda path: engine)
    monkeypatch.setattr(stockfish_answers, "ANSWERS", tmp_path / "stockfish")
    monkeypatch.setenv("RECORD_STOCKFISH", "1")
    monkeypatch.setattr(stockfish_answers, "find_program", lambda name: "here")
    recorded("s98", lambda path: "S98")
    recorded("s99", lambda path: "S99")
    monkeypatch.setattr(stockfish_answers, "find_program", lambda name: None)
    assert [recorded(name, refuse) for name in ("s98", "s99")] == ["S98", "S99"]
    assert "what Stockfish 1 answered" in capsys.readouterr().out
