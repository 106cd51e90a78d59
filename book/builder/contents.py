"""What the book contains, and in which order, from the records of the chapters.

python -m book.builder.contents    # writes the table of chapters in the README anew
"""

from __future__ import annotations

from typing import Any

import yaml

from utils.atomic_files import replace_file
from utils.chapters import Chapter, course_chapters
from utils.paths import BOOK, ROOT
from utils.placeholders import fill_placeholder

README = ROOT / "README.md"


def contents() -> Any:
    """The table of contents for Jupyter Book: `_toc.yml` with the chapters inserted."""
    toc = yaml.safe_load(BOOK.joinpath("_toc.yml").read_text(encoding="utf-8"))
    for part in toc["parts"]:
        if "chapters" not in part:
            part["chapters"] = [{"file": one.name} for one in of_part(part["caption"])]
    return toc


def of_part(caption: str) -> list[Chapter]:
    """The chapters of a part of the book.

    Raises:
        ValueError: it has none.
    """
    found = [one for one in course_chapters() if one.part == caption]
    if not found:
        names = ", ".join(sorted({repr(one.part) for one in course_chapters()}))
        raise ValueError(f"no chapter is in the part {caption!r}; expected one of {names}")
    return found


def chapter_names() -> list[str]:
    """Names of the chapters in the book, without those that a reader has added."""
    return [one.name for one in course_chapters()]


def readme() -> str:
    """The README with the present table of chapters."""
    rows = [f"| {one.number} {one.title} | {one.idea} |" for one in course_chapters()]
    table = "\n".join(["| chapter | what it adds |", "| --- | --- |", *rows])
    return fill_placeholder(README.read_text(encoding="utf-8"), "chapters", table)


if __name__ == "__main__":
    replace_file(README, readme())
