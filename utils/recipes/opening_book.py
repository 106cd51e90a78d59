"""Build the opening book of the course: `python -m utils.recipes.opening_book`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from converted_notebooks import s06_opening_book as s06
from utils.paths import DATA

OPENINGS = DATA / "openings" / "openings.pgn"
BOOK = DATA / "polyglot" / "course.bin"
MAX_PLIES = 30
"""Plies of each line that go into the book; no line is longer."""


def build_book(openings: Path, book: Path) -> None:
    """Write the Polyglot book of the named opening lines.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the openings are no games with legal moves.
    """
    s06.write_book(book, s06.build_book(s06.read_games(openings), MAX_PLIES))


def is_current(openings: Path, book: Path) -> bool:
    """Whether the book is what would be built; errors as those of `build_book`."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / book.name
        build_book(openings, fresh)
        return fresh.read_bytes() == book.read_bytes()


def main(
    check: Annotated[bool, typer.Option("--check", help="Compare only, write nothing.")] = False,
    openings: Annotated[Path, typer.Option(help="PGN of the named lines.")] = OPENINGS,
    book: Annotated[Path, typer.Option(help="The Polyglot file.")] = BOOK,
) -> None:
    """Build the opening book of the course from its named lines, the same everywhere."""
    try:
        if not check:
            book.parent.mkdir(parents=True, exist_ok=True)
            build_book(openings, book)
        elif not is_current(openings, book):
            sys.exit(f"{book} differs from what {openings} would give; run without --check")
    except (OSError, ValueError) as error:
        sys.exit(f"{error}; to restore the files of the course: git checkout data")
    print(f"{book}: {book.stat().st_size} bytes")


if __name__ == "__main__":
    typer.run(main)
