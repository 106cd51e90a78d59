"""What the book contains, and in which order: `_toc.yml`, read."""

from __future__ import annotations

import os
from typing import Any

import yaml

from utils.jupyter_loader import CHAPTER_NAME, JupyterLoader
from utils.paths import BOOK


def contents() -> Any:
    """The table of contents as Jupyter Book reads it."""
    return yaml.safe_load(BOOK.joinpath("_toc.yml").read_text(encoding="utf-8"))


def chapters() -> list[str]:
    """Names of the chapters in the book. A reader may have added others, such as a player."""
    files = [page["file"] for part in contents()["parts"] for page in part["chapters"]]
    return [name for name in files if CHAPTER_NAME.fullmatch(name)]


def chapters_to_test() -> list[str]:
    """The chapters of the book, and one of a reader's own that is tested by its number.

    `make test CHAPTER=s26` puts the number into the environment.
    """
    return sorted({*chapters(), *named(os.environ.get("CHAPTER", ""))})


def named(text: str) -> list[str]:
    """The chapter of a number such as "s14", or of a name; a reader's own ones count, too."""
    names = JupyterLoader().chapters()
    return [name for name in names if text in (name, name.partition("_")[0])]
