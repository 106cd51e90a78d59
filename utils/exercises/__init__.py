"""Checks of the exercises: `check` runs one on a reader's answer.

`check("s05-1", answer)` looks up the check of that exercise, runs it on the
reader's answer, and shows whether it passes; if not, it gives a hint. Whatever the
answer does, `check` does not raise: a notebook with unsolved exercises runs from
top to bottom.

The checks of chapter s05 are in `utils.exercises.s05`. A check is a function
that raises `Hint` when the answer is wrong:

    @exercise("s05-1")
    def _(count: Callable[[chess.Board], int]) -> None:
        require(count(chess.Board()) == 20, "White has twenty moves at the start.")

An exercise may vary: `@exercise("s08-2", pair={"half a pawn": 0.5, "a fifth of a pawn": 0.2})`
names what its check gets as `pair`, and the words of the text that say so, those of the book
first. A seed chooses other ones, for a sheet whose answers are not those of the book.
"""

from __future__ import annotations

import html
import importlib
import itertools
import random
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import chess

_CHECKS: dict[str, Callable[..., None]] = {}
_CHOICES: dict[str, dict[str, dict[str, Any]]] = {}
"""For each exercise and each parameter of its check: words of the text, and what they mean."""


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


def exercise(
    name: str, **varies: Mapping[str, Any] | Sequence[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the check of an exercise, named like 's05-1'.

    Args:
        name: of the exercise.
        varies: for each parameter of the check beside the answer, its values by the words that
            stand for them in the text, or values that stand there themselves; first the book's.

    Raises:
        ValueError: there is a check of that name.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        known = _CHECKS.get(name)
        if known is not None and known.__code__.co_filename != function.__code__.co_filename:
            raise ValueError(f"exercise {name!r} has a check already")
        _CHECKS[name] = function
        _CHOICES[name] = {
            parameter: {**values} if isinstance(values, Mapping) else {str(v): v for v in values}
            for parameter, values in varies.items()
        }
        return function

    return register


def module_of(name: str) -> Any:
    """A chapter's module, found by name when a check runs."""
    return importlib.import_module(f"converted_notebooks.{name}")


def random_boards(count: int, seed: int) -> list[chess.Board]:
    """Positions from random games, as chapter s08 makes them; a seed always gives the same."""
    return list(module_of("s08_evaluation").random_positions(count, random.Random(seed)))


def require(condition: object, hint: str) -> None:
    """Raise `Hint(hint)` unless the condition holds."""
    if not condition:
        raise Hint(hint)


def require_equal(said: object, expected: object, words: str, hint: str = "") -> None:
    """Raise a hint like 'The answer is 4, not 5. Add two and two.' unless both are equal.

    Args:
        said: by the reader.
        expected: instead of it.
        words: before the two, like 'The answer is'; texts are shown in quotation marks.
        hint: after them.
    """
    if said != expected:
        right, wrong = (repr(one) if isinstance(one, str) else one for one in (expected, said))
        raise Hint(f"{words} {right}, not {wrong}. {hint}".rstrip())


def require_legal(move: Any, board: chess.Board) -> None:
    """Raise a hint unless this is a move, and legal on the board."""
    require(isinstance(move, chess.Move), f"Expected a chess.Move, not {move!r}.")
    require(move in board.legal_moves, f"In {board.fen()}, {move} is not legal.")


def kept(board: chess.Board, ask: Callable[..., Any], *more: Any) -> Any:
    """The answer for a copy of a board; a hint if the copy is not as it was before."""
    fen, here, words = board.fen(), board.copy(), "is every move that you push popped once?"
    try:
        said = ask(here, *more)
    except Hint:
        raise
    except Exception as error:
        if isinstance(error, AssertionError | IndexError):  # python-chess refuses what does not fit
            require(here.fen() == fen, f"The board changed: {words} It raised: {error}.")
        error.add_note(f"in {fen}")
        raise
    require(here.fen() == fen, f"The board changed: give it back as it was; {words}")
    require(
        here.move_stack == board.move_stack,
        "The board changed: its history, the moves on its stack, must stay as it was.",
    )
    return said


def pairs(scored: Sequence[Any]) -> list[tuple[float, chess.Move]]:
    """Scores and moves; compared as they are, entries would be equal by their scores alone."""
    return [(entry.score, entry.move) for entry in scored]


def heuristic(evaluator: Any, board: chess.Board) -> float:
    """What an evaluator says of a position; a hint if it changes the board."""
    return float(kept(board, evaluator.heuristic))


def require_fair(evaluator: Any, boards: list[chess.Board], words: str) -> None:
    """Raise a hint with these words unless positions and their mirror images score alike."""
    for board, here, there in module_of("s08_evaluation").mirror_failures(evaluator, boards):
        raise Hint(
            f"The mirror test fails: {board.fen()} gets {here:+g}, its mirror image {there:+g}. "
            f"{words}"
        )


def variant(name: str, seed: int | None) -> dict[str, tuple[str, Any]]:
    """Words and value of what varies in an exercise: the book's, or with a seed other ones.

    Raises:
        ValueError: there is no such exercise.
    """
    unknown = ValueError(f"no exercise {name!r}; expected a name like 's05-1'")
    if not re.fullmatch(r"s\d\d-\d+", name):
        raise unknown
    section = f"{__name__}.{name.partition('-')[0]}"
    try:
        module = importlib.import_module(section)
        if name not in _CHECKS:  # autoreload has executed this file again
            importlib.reload(module)
    except ModuleNotFoundError as error:
        if error.name != section:
            raise
    if name not in _CHECKS:
        raise unknown
    choices = _CHOICES[name]
    book, *others = itertools.product(*(values.items() for values in choices.values()))
    chosen = random.Random(f"{name} {seed}").choice(others) if others and seed is not None else book
    return dict(zip(choices, chosen, strict=True))


def varied(texts: list[str], name: str, seed: int) -> list[str]:
    """The texts of an exercise's cells, with the words of the variant.

    Raises:
        ValueError: words of the book that vary are not there.
    """
    new = variant(name, seed)
    words = {old: new[parameter][0] for parameter, (old, _) in variant(name, None).items()}
    longest_first = "|".join(re.escape(old) for old in sorted(words, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w.])({longest_first})(?!\.?\w)")
    if missing := words.keys() - {found for text in texts for found in pattern.findall(text)}:
        raise ValueError(f"exercise {name}: expected {sorted(missing)} in its text")
    return [pattern.sub(lambda match: words[match[0]], text) for text in texts]


def _is_open(answer: Any) -> bool:
    """Whether an answer, or a value in a dictionary of them, has not been filled in."""
    if isinstance(answer, Mapping):
        return any(value is ... for value in answer.values())
    return answer is None or answer is ...


def check(name: str, *answer: Any, seed: int | None = None) -> Result:
    """Check the answer to an exercise and say what is missing.

    Args:
        name: of the exercise, like 's05-1'.
        answer: what the exercise asks for, often a function.
        seed: of the variant, if it is not the exercise of the book.

    Raises:
        ValueError: there is no such exercise.
    """
    values = {parameter: value for parameter, (_, value) in variant(name, seed).items()}
    function = _CHECKS[name]
    if not answer or any(map(_is_open, answer)):
        return Result(name, False, "not answered yet. Write your answer in the cell above.")
    try:
        function(*answer, **values)
    except Hint as hint:
        return Result(name, False, f"not yet. {hint}")
    except NotImplementedError:
        return Result(name, False, "not answered yet. Write your answer in the cell above.")
    except (Exception, SystemExit) as error:  # the reader's code may raise anything
        files = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
        # A cell is no file. Where none is under way, a library was given the answer's value.
        own = files[-1].parent == Path(__file__).parent or all(map(Path.is_file, files))
        who = "the check cannot use your answer:" if own else "your code raised"
        where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        return Result(name, False, f"{who} {type(error).__name__}: {error}{where}")
    return Result(name, True, "passed.")
