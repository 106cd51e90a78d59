"""What chapter s90 says of the loader. What else it promises is in tests/notebook."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s90_notebooks_as_modules import TinyKernel
from tests.helpers.generated import examples
from tests.helpers.loader_tools import Cell, Project

CELLS = ("queen = 9", "queen = 100 * queen", "rook = 5", "def gain():\n    return 2 * rook - queen")
OUTPUT = {"output_type": "stream", "name": "stdout", "text": "90000\n"}


@given(st.permutations(range(4)), st.lists(st.integers(0, 3), max_size=8))
@examples(40)
def test_a_kernel_runs_what_it_is_told_and_knows_no_page(
    order: list[int], again: list[int]
) -> None:
    kernel, queen, fails = TinyKernel(), None, False
    for number in [*order, *again]:
        if number < 2:
            fails = number == 1 and queen is None
            queen = 9 if number == 0 else None if queen is None else 100 * queen
        if number == 1 and fails:
            with pytest.raises(NameError):
                kernel.run(CELLS[number])
        else:
            kernel.run(CELLS[number])
        assert kernel.names.get("queen") == queen
    assert "queen" not in TinyKernel().names


def test_a_module_does_not_depend_on_what_a_kernel_did(chapters: Project) -> None:
    """Equal text, other outputs: the module's code is the same, and its file counts as old."""
    chapters.write("s70_first", *CELLS)
    module = chapters.loader.load("s70_first")
    changed = module.path.stat().st_mtime_ns
    chapters.write("s70_first", *(Cell(source, outputs=(OUTPUT,)) for source in CELLS))
    again = chapters.loader.load("s70_first")
    assert again.key != module.key and again.body == module.body
    assert again.path.stat().st_mtime_ns == changed
    assert chapters.load("s70_first").gain() == 10 - 900


def test_a_change_arrives_through_a_chapter_that_did_not_change(chapters: Project) -> None:
    chapters.write("s70_first", "QUEEN = 9")
    chapters.write("s71_second", "from .s70_first import QUEEN", "TWO = 2 * QUEEN")
    kept = chapters.loader.load("s71_second").key
    assert chapters.loader.load("s71_second").key == kept
    chapters.write("s70_first", "QUEEN = 10")
    assert chapters.load("s71_second").TWO == 20
    assert chapters.loader.load("s71_second").key == kept
