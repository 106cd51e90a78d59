"""Rebuild the data files that are made from others: `python -m utils.recipes.opening_book`.

With `--check` nothing is written; the command fails if a file differs from what
would be built.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from utils.jupyter_loader import load_chapter
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
    chapter = load_chapter("s06_opening_book")
    chapter.write_book(book, chapter.build_book(chapter.read_games(openings), MAX_PLIES))


def check_book(openings: Path, book: Path) -> str | None:
    """What is wrong with the book, in words; None if it is what would be built."""
    advice = "run `python -m utils.recipes.opening_book`"
    try:
        present = book.read_bytes()
    except OSError as error:
        return f"{book}: {error.strerror}; {advice}"
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / book.name
        build_book(openings, fresh)
        if fresh.read_bytes() != present:
            return f"{book} differs from what {openings} would give; {advice}"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Build or check; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m utils.recipes.opening_book", description=__doc__
    )
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    parser.add_argument("--openings", type=Path, default=OPENINGS, help="PGN of the named lines")
    parser.add_argument("--book", type=Path, default=BOOK, help="the Polyglot file")
    options = parser.parse_args(arguments)
    if not options.openings.is_file():
        print(f"{options.openings} is missing; restore it: git checkout data", file=sys.stderr)
        return 1
    if options.check:
        problem = check_book(options.openings, options.book)
        if problem is not None:
            print(problem, file=sys.stderr)
            return 1
        print(f"{options.book} is up to date")
        return 0
    options.book.parent.mkdir(parents=True, exist_ok=True)
    build_book(options.openings, options.book)
    print(f"wrote {options.book} ({options.book.stat().st_size} bytes)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
