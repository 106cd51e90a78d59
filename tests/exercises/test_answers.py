"""Answers to exercises beside the solution: what is right passes, what is wrong gets its hint.

The answers of a chapter are in `tests.exercises.answers`: the exercise, a place of the
solution, what stands there instead, and for a wrong answer a part of the hint that it gets.
Where the place is "", the answer is all the code. `SLOW` holds both kinds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest

import converted_notebooks
from tests.exercises.answering import PASSED, answers, outcome
from utils.jupyter_loader import JupyterLoader, install_import_hook


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
