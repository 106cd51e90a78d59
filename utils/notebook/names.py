"""What the loader and the converter share: names, the tags of cells, and errors."""

from __future__ import annotations

import re
from collections.abc import Iterable

PACKAGE = "converted_notebooks"
CHAPTER_NAME = re.compile(r"s\d\d_\w+", re.ASCII)
LEFT_OUT = frozenset({"experiment", "exercise", "solution"})
"""Tags of cells that do not go into a chapter's module."""


def first_heading(texts: Iterable[str]) -> str:
    """The first heading of level one in the texts of Markdown cells; "" if there is none."""
    found = (re.search(r"^# +(.+?)\s*$", text, re.MULTILINE) for text in texts)
    return next((heading[1] for heading in found if heading), "")


class NotebookError(ImportError):
    """A notebook that cannot become a module; the message says where, why, and what to do."""


class MissingChapterError(NotebookError, ModuleNotFoundError):
    """An import of a chapter for which there is no notebook."""
