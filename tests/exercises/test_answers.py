"""Answers to exercises beside the solution: what is right passes, what is wrong gets its hint.

The answers of a chapter are in `tests.exercises.answers`: the exercise, a place of the
solution, what stands there instead, and for a wrong answer a part of the hint that it gets.
Where the place is "", the answer is all the code. `SLOW` holds both kinds.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

import converted_notebooks
from book.builder.contents import chapters_to_test
from utils.jupyter_loader import JupyterLoader, install_import_hook
from utils.notebook.nbgrader_export import CHECK, student_version, with_seed

CHAPTERS = {name.partition("_")[0]: name for name in chapters_to_test()}
PASSED = ": passed."


@functools.cache
def whole(name: str) -> Any:
    """A chapter's notebook."""
    return nbformat.read(JupyterLoader().notebook(name), as_version=4)


def code_cells(name: str) -> list[Any]:
    """The cells of a chapter that hold code."""
    return [cell for cell in whole(name).cells if cell.cell_type == "code"]


@functools.cache
def stubs(name: str, seed: int) -> dict[str, str]:
    """The cells to fill in of a variant."""
    cells = student_version(whole(name), seed).cells
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in cells]
    return {
        name.removesuffix("-answer"): cell.source
        for name, cell in zip(ids, cells, strict=True)
        if name.endswith("-answer")
    }


def outcome(label: str, old: str, new: str) -> str:
    """What the check says of the solution with `new` in the place of `old`."""
    return said_of(label, {old: new})


def said_of(label: str, changes: dict[str, str], seed: int | None = None) -> str:
    """What the check says of the solution with these changes; with a seed, that of a variant."""
    name = CHAPTERS[label.partition("-")[0]]
    cells = code_cells(name)
    at = next(n for n, c in enumerate(cells) if (m := CHECK.search(c.source)) and m[1] == label)
    stub, check = cells[at - 1].source, cells[at].source
    if seed is not None:
        stub, check = stubs(name, seed)[label], with_seed(check, seed)
    answer = next(c for c in cells[at:] if "solution" in c.metadata.get("tags", [])).source
    for old, new in changes.items():
        assert old == "" or answer.count(old) == 1, answer
        answer = answer.replace(old, new) if old else new
    names: dict[str, Any] = {}
    for cell in cells[:at]:  # a reader's kernel has what the chapter imports, and its names
        for node in ast.parse(TransformerManager().transform_cell(cell.source)).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                exec(ast.unparse(node), names)
    exec(f"from converted_notebooks.{name} import *", names)
    exec("from utils.exercises import check", names)
    exec(stub, names)
    exec(answer, names)
    exec(CHECK.sub(lambda match: f"result = {match[0]}", check), names)
    return str(names["result"])


Answer = tuple[str, ...]


def answers(kind: str) -> list[Any]:
    """The right or the wrong answers of all chapters under test."""
    size = {"RIGHT": 3, "WRONG": 4}[kind]
    found: list[Any] = []
    for file in sorted(Path(__file__).parent.glob("answers/s*.py")):
        if file.stem in CHAPTERS:
            module = importlib.import_module(f"{__package__}.answers.{file.stem}")
            found += getattr(module, kind, [])
            slow: list[Answer] = getattr(module, "SLOW", [])
            found += [pytest.param(*a, marks=pytest.mark.slow) for a in slow if len(a) == size]
    return found


@pytest.fixture(autouse=True)
def the_process_stays_as_it_was() -> Iterator[None]:
    """Checks that make chapters of their own (s60 to s79) leave nothing behind."""

    def state() -> tuple[object, ...]:
        names = [*sys.modules, *vars(converted_notebooks)]
        return (
            list(sys.meta_path),
            install_import_hook().loader,
            [name for name in names if re.search(r"\bs[67]\d_", name)],
            sorted(JupyterLoader().converted.glob("s[67]*")),
        )

    before = state()
    yield
    assert state() == before


@pytest.mark.parametrize(("label", "old", "new", "hint"), answers("WRONG"))
def test_a_wrong_answer_gets_the_hint_that_helps(label: str, old: str, new: str, hint: str) -> None:
    said = outcome(label, old, new)
    assert hint in said and not said.endswith(PASSED)


@pytest.mark.parametrize(("label", "old", "new"), answers("RIGHT"))
def test_a_right_answer_in_another_form_passes(label: str, old: str, new: str) -> None:
    assert outcome(label, old, new).endswith(PASSED)
