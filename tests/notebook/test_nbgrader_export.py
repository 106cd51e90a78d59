"""The chapters without solutions keep to nbgrader's conventions."""

from __future__ import annotations

import itertools
from pathlib import Path

import nbformat
import pytest

from book.builder.contents import chapter_names
from utils.chapters import chapter
from utils.jupyter_loader import JupyterLoader
from utils.notebook import nbgrader_export
from utils.notebook.nbgrader_export import CHECK, changes, main, student_version, write_all

CHAPTERS = chapter_names()


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    paths = write_all(tmp_path_factory.mktemp("für Schüler"))
    return [path for path in paths if path.stem in CHAPTERS]  # not a reader's own


def test_every_chapter_is_written_without_solutions(copies: list[Path]) -> None:
    assert [path.stem for path in copies] == CHAPTERS
    for path in copies:
        cells = nbformat.read(path, as_version=4).cells
        assert "{solution}" not in str(cells)
        assert not any("solution" in cell.metadata.get("tags", []) for cell in cells)


def test_each_exercise_is_a_marked_answer_and_a_locked_check(copies: list[Path]) -> None:
    for path in copies:
        cells = nbformat.read(path, as_version=4).cells
        ids = [cell.metadata.nbgrader.grade_id for cell in cells if "nbgrader" in cell.metadata]
        assert len(ids) == len(set(ids)) >= 8
        for before, cell in itertools.pairwise(cells):
            check = cell.metadata.get("nbgrader")
            if check and check.grade:
                name = CHECK.search(cell.source.replace("checked = ", ""))
                assert name is not None and cell.source.endswith("  # the hint\nchecked")
                assert check == {
                    **{"grade": True, "locked": True, "solution": False, "task": False},
                    **{"grade_id": f"{name[1]}-check", "points": 1, "schema_version": 3},
                }
                assert before.metadata.nbgrader == {
                    **{"grade": False, "locked": False, "solution": True, "task": False},
                    **{"grade_id": f"{name[1]}-answer", "schema_version": 3},
                }
                assert before.source.count("### BEGIN SOLUTION") > 0
                assert before.source.count("BEGIN SOLUTION") == before.source.count("END SOLUTION")


def test_a_check_of_nbgrader_fails_on_a_stub_and_passes_on_a_solution() -> None:
    name = "s04_engine_interface"
    notebook = nbformat.read(JupyterLoader().notebook(name), as_version=4)
    solution = next(c.source for c in notebook.cells if "solution" in c.metadata.get("tags", []))
    cells = student_version(notebook).cells
    number = next(i for i, cell in enumerate(cells) if "checked = check(" in cell.source)
    names: dict[str, object] = {}
    exec("import chess\nfrom converted_notebooks.s04_engine_interface import *", names)
    exec(cells[number - 1].source, names)
    with pytest.raises(AssertionError, match="not answered yet"):
        exec(cells[number].source, names)
    exec(solution, names)
    exec(cells[number].source, names)


def test_a_sheet_with_a_seed_is_written_and_what_it_changes_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = chapter("s12")
    assert one is not None
    monkeypatch.setattr(nbgrader_export, "course_chapters", lambda: (one,))
    notebook = nbformat.read(JupyterLoader().notebook(one.name), as_version=4)
    for seed in (7, None):
        main(tmp_path, seed)
        words = [] if seed is None else changes(notebook, seed)
        last = f"1 chapters without solutions are in {tmp_path}"
        assert capsys.readouterr().out.splitlines() == [*words, last]
        written = nbformat.read(tmp_path / one.name / f"{one.name}.ipynb", as_version=4)
        assert written.cells == student_version(notebook, seed).cells
    assert len(changes(notebook, 7)) > 0


def test_a_stub_without_a_gap_is_an_error_that_names_the_exercise() -> None:
    new = nbformat.v4
    notebook = new.new_notebook(
        cells=[
            new.new_code_cell("def f():\n    return 1", metadata={"tags": ["exercise"]}),
            new.new_code_cell('check("s04-1", f)', metadata={"tags": ["exercise"]}),
        ]
    )
    with pytest.raises(ValueError, match="s04-1"):
        student_version(notebook)
