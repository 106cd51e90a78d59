"""How long a chapter takes to read and an exercise to do, for the plan in the guide for teachers.

Reading is estimated from the words and the lines of code that a page shows. An exercise says in
its text how long it takes.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import nbformat

from utils.chapters import chapter
from utils.paths import NOTEBOOKS

WORDS, LINES = 150, 12
"""Words of text and lines of code that are read in a minute."""
_NAMES = "five ten fifteen twenty twenty-five thirty thirty-five forty forty-five fifty fifty-five"
_PARTS = {"": 0, " and a quarter": 15, " and a half": 30, " and three quarters": 45}
_TIMES = {f"{name} minutes": 5 * number for number, name in enumerate(_NAMES.split(), 1)}
_TIMES |= {f"an hour{part}": 60 + minutes for part, minutes in _PARTS.items()}
_TIMES |= {f"two hours{part}": 120 + minutes for part, minutes in _PARTS.items()}
_TIMES |= {"a quarter of an hour": 15, "half an hour": 30, "an hour or two": 90}
_TIMES |= {"a few minutes": 5, "an afternoon": 240}
_TIME = "|".join(sorted(_TIMES, key=len, reverse=True))


def in_minutes(words: str) -> int:
    """The time with which a text begins, such as "half an hour", in minutes.

    Raises:
        ValueError: it begins with no known time.
    """
    if found := re.match(_TIME, words.lower()):
        return _TIMES[found[0]]
    raise ValueError(f"{words!r}: expected a time such as {', '.join(list(_TIMES)[:3])}")


@functools.cache
def _cells(name: str) -> list[Any]:
    """The cells of a chapter."""
    cells: list[Any] = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    return cells


def reading_minutes(name: str) -> int:
    """The estimated time to read the page of a chapter without exercises and folded code."""
    words = lines = 0
    for cell in _cells(name):
        tags = cell.metadata.get("tags", [])
        hidden = any(tag.startswith(("hide-", "remove-")) for tag in tags)
        if cell.cell_type == "markdown":
            if not re.search(r"\{(exercise|solution)\}", cell.source):
                words += len(re.findall(r"[\w’'-]+", cell.source))
        elif not hidden and not {"exercise", "solution"} & set(tags):
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    return round(words / WORDS + lines / LINES)


def exercise_minutes(label: str) -> int:
    """The time that the text of an exercise states, such as "(Half an hour.)".

    Raises:
        ValueError: there is no such exercise, or it does not say how long it takes.
    """
    one = chapter(label.partition("-")[0])
    for cell in _cells(one.name) if one else []:
        if f":label: {label}\n" in cell.source:
            times = re.findall(rf"\(({_TIME})", cell.source, re.IGNORECASE)
            return in_minutes((times or [f"exercise {label}"])[-1])
    raise ValueError(f"no exercise {label!r} with a time; expected one such as s08-2")


def minutes(names: str) -> str:
    """The time for chapters such as "s08 s09", or for exercises such as "s08-2 s08-3", together."""
    total = 0
    for name in names.split():
        if "-" in name:
            total += exercise_minutes(name)
        elif one := chapter(name):
            total += reading_minutes(one.name)
        else:
            raise ValueError(f"no chapter {name!r}; expected one such as s08")
    return f"{5 * round(total / 5)} min"
