"""Every exercise fails on its stub and passes on its solution, as executed for the book."""

from __future__ import annotations

import re
from typing import Any

import nbformat
import pytest

from book.builder.build import executed
from book.builder.contents import chapter_names
from tests.exercises.answering import chapters_to_test
from utils.exercises import check, exercise, require
from utils.jupyter_loader import JupyterLoader
from utils.notebook.nbgrader_export import CHECK

CHAPTERS = chapters_to_test()


def _text(cell: Any) -> str:
    return "".join(str(output.get("data", {}).get("text/plain", "")) for output in cell.outputs)


@pytest.mark.parametrize("name", CHAPTERS)
def test_checks_fail_on_stubs_and_pass_on_solutions(name: str) -> None:
    outcomes: dict[str, list[str]] = {}
    for cell in executed(name).cells:
        found = CHECK.search(cell.source) if cell.cell_type == "code" else None
        if found:
            outcomes.setdefault(found[1], []).append(_text(cell))
    assert outcomes
    for label, (on_stub, on_solution) in outcomes.items():
        number = label.partition("-")[2]
        assert on_stub.startswith(f"Exercise {number}: not "), on_stub
        assert on_solution == f"Exercise {number}: passed.", on_solution


@pytest.mark.parametrize("name", CHAPTERS)
def test_each_exercise_has_stub_check_and_solution_in_order(name: str) -> None:
    cells = nbformat.read(JupyterLoader().notebook(name), as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    labels = re.findall(r"^:label: (s\d\d-\d+)$", text, re.MULTILINE)
    assert labels == [f"{name[:3]}-{number}" for number in range(1, len(labels) + 1)]
    assert len(labels) >= (4 if name in chapter_names() else 1), "a reader's own may have one"
    assert [found[1] for source in code if (found := CHECK.search(source))] == labels
    assert re.findall(r"\{solution\} (s\d\d-\d+)$", text, re.MULTILINE) == labels
    assert sum("solution" in cell.metadata.get("tags", []) for cell in cells) >= len(labels)


def test_a_wrong_answer_gets_its_hint() -> None:
    @exercise("s04-99")
    def _(answer: int) -> None:
        require(answer == 4, "Add two and two.")

    assert check("s04-99", 4)
    assert repr(check("s04-99", 5)) == "Exercise 99: not yet. Add two and two."
    assert not check("s04-99", ...)
    assert "not answered yet" in repr(check("s04-99", None))


def test_an_answer_that_raises_is_reported_and_does_not_raise() -> None:
    @exercise("s04-98")
    def _(answer: Any) -> None:
        answer()

    def fails() -> None:
        raise ZeroDivisionError("by zero <b>")

    result = check("s04-98", fails)
    assert not result
    assert "ZeroDivisionError: by zero" in repr(result)
    assert "<b>" not in result._repr_html_()


@pytest.mark.parametrize("name", ["s04-77", "s77-1", "nonsense", "../s04-1"])
def test_an_unknown_exercise_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(ValueError, match="no exercise"):
        check(name, 1)
