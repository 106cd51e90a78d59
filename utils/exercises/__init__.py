"""Exercises that check themselves.

`check("s05-1", answer)` looks up the check of that exercise, runs it on the
reader's answer, and shows whether it passes; if not, it gives a hint. Whatever the
answer does, `check` does not raise: a notebook with unsolved exercises runs from
top to bottom.

The checks of chapter s05 are in `utils.exercises.s05`. A check is a function
that raises `Hint` when the answer is wrong:

    @exercise("s05-1")
    def _(count: Callable[[chess.Board], int]) -> None:
        require(count(chess.Board()) == 20, "White has twenty moves at the start.")
"""

from __future__ import annotations

import html
import importlib
import re
from collections.abc import Callable
from typing import Any

import chess

_CHECKS: dict[str, Callable[..., None]] = {}


class Hint(Exception):
    """Why an answer is not right yet, in words that help."""


class Result:
    """The outcome of a check; true if the answer passed."""

    def __init__(self, exercise: str, passed: bool, message: str) -> None:
        self.exercise, self.passed, self.message = exercise, passed, message

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"Exercise {self.exercise.partition('-')[2]}: {self.message}"

    def _repr_html_(self) -> str:
        kind = "course-check passed" if self.passed else "course-check"
        return f'<div class="{kind}" role="status">{html.escape(repr(self))}</div>'


def exercise(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the check of an exercise, named like 's05-1'.

    Raises:
        ValueError: there is a check of that name.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        known = _CHECKS.get(name)
        if known is not None and known.__code__.co_filename != function.__code__.co_filename:
            raise ValueError(f"exercise {name!r} has a check already")
        _CHECKS[name] = function
        return function

    return register


def chapter(name: str) -> Any:
    """A chapter's module, found by name when a check runs."""
    return importlib.import_module(f"converted_notebooks.{name}")


def require(condition: object, hint: str) -> None:
    """Raise `Hint(hint)` unless the condition holds."""
    if not condition:
        raise Hint(hint)


def kept(board: chess.Board, ask: Callable[..., Any], *more: Any) -> Any:
    """The answer for a board, which must be as it was before."""
    fen, here, words = board.fen(), board.copy(), "is every move that you push popped once?"
    try:
        said = ask(here, *more)
    except (AssertionError, IndexError):  # python-chess refuses what does not fit
        require(here.fen() == fen, f"The board changed: {words}")
        raise
    require(here.fen() == fen, f"The board changed: give it back as it was; {words}")
    require(
        here.move_stack == board.move_stack,
        "The board changed: its history, the moves on its stack, must stay as it was.",
    )
    return said


def check(name: str, *answer: Any) -> Result:
    """Check the answer to an exercise and say what is missing.

    Args:
        name: of the exercise, like 's05-1'.
        answer: what the exercise asks for, often a function.

    Raises:
        ValueError: there is no such exercise.
    """
    unknown = ValueError(f"no exercise {name!r}; expected a name like 's05-1'")
    if not re.fullmatch(r"s\d\d-\d+", name):
        raise unknown
    section = f"{__name__}.{name.partition('-')[0]}"
    try:
        importlib.import_module(section)
    except ModuleNotFoundError as error:
        if error.name != section:
            raise
    if name not in _CHECKS:
        raise unknown
    function = _CHECKS[name]
    if any(part is None or part is ... for part in answer):
        return Result(name, False, "not answered yet. Write your answer in the cell above.")
    try:
        function(*answer)
    except Hint as hint:
        return Result(name, False, f"not yet. {hint}")
    except NotImplementedError:
        return Result(name, False, "not answered yet. Write your answer in the cell above.")
    except Exception as error:  # the reader's code may raise anything
        return Result(name, False, f"your code raised {type(error).__name__}: {error}")
    return Result(name, True, "passed.")
