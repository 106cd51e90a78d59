"""One record for each chapter, kept in its notebook: number, title, part, idea, engine.

The title is the notebook's first heading. Part, idea and engine stand in its metadata, under
"course". Every list of chapters or engines is made from these records.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utils.jupyter_loader import install_import_hook
from utils.notebook.names import LEFT_OUT, first_heading

_MAKES_ENGINE = re.compile(r"^def make_engine\(", re.MULTILINE)


@dataclass(frozen=True)
class Chapter:
    """The record of a chapter."""

    name: str  # of its notebook, such as "s10_alpha_beta_engine"
    title: str  # its first heading
    part: str = ""  # the part of the book to which it belongs; empty for a reader's own chapter
    idea: str = ""  # what it adds, in a sentence
    engine: str = ""  # what its engine brings, in a word or two
    has_engine: bool = False  # whether it defines `make_engine(rng)`

    @property
    def number(self) -> str:
        """Such as "s10"."""
        return self.name.partition("_")[0]


def chapters() -> tuple[Chapter, ...]:
    """The chapters by their numbers; those that a reader has added come last."""
    loader = install_import_hook().loader
    paths = [loader.notebook(name) for name in loader.chapters()]
    records = [_read(path, path.stat().st_mtime_ns) for path in paths if path.is_file()]
    return tuple(sorted(records, key=lambda chapter: not chapter.part))


def course_chapters() -> tuple[Chapter, ...]:
    """The chapters in the book, without those that a reader has added."""
    return tuple(one for one in chapters() if one.part)


def chapter(text: str) -> Chapter | None:
    """The chapter of a number such as "s14", or of a name; None if there is none."""
    found = (one for one in chapters() if text in (one.name, one.number))
    return next(found, None)


@functools.lru_cache(maxsize=256)
def _read(path: Path, _changed: int) -> Chapter:
    """The record of a notebook, read again when its time has changed.

    Of a notebook that cannot be read, it has the name only.
    """
    try:
        notebook: dict[str, Any] = json.loads(path.read_bytes())
        cells = [
            (cell["cell_type"], "".join(cell["source"]))
            for cell in notebook["cells"]
            if LEFT_OUT.isdisjoint(cell.get("metadata", {}).get("tags", ()))
        ]
        title = first_heading(text for kind, text in cells if kind == "markdown") or path.stem
        record = notebook["metadata"].get("course", {})
        has_engine = any(kind == "code" and _MAKES_ENGINE.search(text) for kind, text in cells)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Chapter(path.stem, path.stem)  # importing the chapter says what is wrong
    try:
        return Chapter(path.stem, title, **record, has_engine=has_engine)
    except TypeError:  # the record has other fields
        return Chapter(path.stem, title, has_engine=has_engine)
