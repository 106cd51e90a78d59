"""The short loader of chapter s02 against the real one; a kernel's memory against a module."""

from __future__ import annotations

import ast
import json
import re

from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s02_project_setup import LEFT_OUT, module_text
from tests.helpers.generated import examples
from tests.helpers.loader_tools import Cell, notebook_text
from utils.jupyter_loader import JupyterLoader
from utils.notebook import converter, names

SOURCES = (
    "QUEEN = 9",
    "QUEEN = 100 * QUEEN",
    "import math",
    "# a comment",
    "",
    "def gain():\n    return 10 - QUEEN\n\n\nROOK = 5",
)
TAGS = ("", *LEFT_OUT, "hide-input", "my-experiment")


@given(st.lists(st.tuples(st.sampled_from(SOURCES), st.sampled_from(TAGS)), max_size=8))
@examples(60)
def test_the_short_loader_makes_the_code_of_the_real_one(cells: list[tuple[str, str]]) -> None:
    given_cells = [Cell(source, (tag,) if tag else ()) for source, tag in cells]
    text, _ = converter.convert(notebook_text(*given_cells).encode(), "here", "there")
    docstring, *real = ast.parse(text).body
    assert isinstance(docstring, ast.Expr)
    short = ast.parse(module_text(cells)).body
    assert [ast.dump(node) for node in short] == [ast.dump(node) for node in real]


def test_the_tags_are_those_of_the_real_loader() -> None:
    assert set(LEFT_OUT) == names.LEFT_OUT


def test_the_chapter_needs_nothing_that_a_browser_lacks() -> None:
    """It is the first one that many readers run there."""
    notebook = JupyterLoader().notebook("s02_project_setup").read_text(encoding="utf-8")
    cells = [c for c in json.loads(notebook)["cells"] if c["cell_type"] == "code"]
    for name in ("nbformat", "nbclient", "nbconvert", "numpy", "matplotlib"):
        needs = re.compile(rf"\b(import|from) {name}\b")
        assert not any(needs.search("".join(cell["source"])) for cell in cells), name
