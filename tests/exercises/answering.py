"""Answers to exercises, and what the checks say of them."""

from __future__ import annotations

import ast
import functools
import importlib
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from book.builder.contents import chapter_names
from utils.chapters import chapter
from utils.jupyter_loader import JupyterLoader
from utils.notebook.nbgrader_export import CHECK, student_version, with_seed


def chapters_to_test() -> list[str]:
    """The chapters of the book, and one of a reader's own that is tested by its number.

    `make test CHAPTER=s28` puts the number into the environment.
    """
    own = chapter(os.environ.get("CHAPTER", ""))
    return sorted({*chapter_names(), *([own.name] if own else [])})


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
