"""Commands for one chapter: begin it, execute it, look at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from book.builder import one_chapter
from book.builder.contents import chapter_names
from tests.exercises.answering import chapters_to_test
from utils.chapters import Chapter
from utils.chapters import chapters as all_records
from utils.jupyter_loader import JupyterLoader
from utils.paths import ROOT


def test_a_chapter_is_found_by_its_number_and_by_its_name() -> None:
    assert one_chapter.chapter_name("s14") == one_chapter.chapter_name("s14_move_ordering")
    with pytest.raises(SystemExit, match="no chapter 's1'; expected one of s01_introduction"):
        one_chapter.chapter_name("s1")


def test_a_new_chapter_is_a_module_with_a_checked_exercise(tmp_path: Path) -> None:
    notebooks, converted = tmp_path / "notebooks", tmp_path / "converted"
    notebooks.mkdir()
    converted.mkdir()
    one_chapter.new("s28_endgames", notebooks, tmp_path)
    notebook = nbformat.read(notebooks / "s28_endgames.ipynb", as_version=4)
    nbformat.validate(notebook)
    text = str(notebook)
    assert "s00" not in text and 'check("s28-1"' in text and "fig-s28-" in text
    assert '@exercise("s28-1")' in tmp_path.joinpath("s28.py").read_text(encoding="utf-8")
    (module,) = JupyterLoader(notebooks, converted).load_all()
    done = subprocess.run(
        [sys.executable, "-c", module.read_text(encoding="utf-8")],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_name_or_a_number_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="'28' is no name of a chapter; expected one like s28_"):
        one_chapter.new("28", tmp_path, tmp_path)
    one_chapter.new("s28_endgames", tmp_path, tmp_path)
    with pytest.raises(SystemExit, match="s28_endgames has this number"):
        one_chapter.new("s28_other", tmp_path, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s28.py", "s28_endgames.ipynb"]
    tmp_path.joinpath("s28_endgames.ipynb").unlink()
    tmp_path.joinpath("s28.py").write_text("# my checks\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"s28\.py exists; expected a number that is free"):
        one_chapter.new("s28_other", tmp_path, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["s28.py"]
    assert tmp_path.joinpath("s28.py").read_text(encoding="utf-8") == "# my checks\n"


def test_a_readers_chapter_is_tested_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    names = sorted([*chapter_names(), "s28_endgames"])
    records = (*all_records(), Chapter("s28_endgames", "Mine"))
    monkeypatch.setattr("utils.chapters.chapters", lambda: records)
    for asked, found in (("", chapter_names()), ("s14", chapter_names()), ("s28", names)):
        monkeypatch.setitem(os.environ, "CHAPTER", asked)
        assert chapters_to_test() == found
