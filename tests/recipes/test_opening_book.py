"""The opening book of the course: built anew it is the same, and the check notices if not."""

from __future__ import annotations

from pathlib import Path

import pytest

from converted_notebooks.s06_opening_book import (
    COURSE_BOOK,
    build_book,
    lines,
    read_book,
    read_games,
)
from converted_notebooks.s06_opening_book import OPENINGS as S06_OPENINGS
from utils.recipes.opening_book import BOOK, MAX_PLIES, OPENINGS, main


def test_the_book_of_the_course_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    main(check=True)
    assert capsys.readouterr().out == f"{BOOK}: 12912 bytes\n"
    assert max(len(line.moves) for line in lines()) <= MAX_PLIES, "no line is cut"
    assert (S06_OPENINGS, COURSE_BOOK) == (OPENINGS, BOOK)


def test_line_ends_and_the_order_of_the_lines_do_not_matter(tmp_path: Path) -> None:
    openings, book = tmp_path / "windows.pgn", tmp_path / "new" / "course.bin"
    openings.write_bytes(OPENINGS.read_bytes().replace(b"\n", b"\r\n"))
    main(openings=openings, book=book)
    assert book.read_bytes() == BOOK.read_bytes()
    games = list(read_games(OPENINGS))
    assert build_book(reversed(games), MAX_PLIES) == read_book(BOOK)


def test_a_book_that_differs_is_named_and_stays(tmp_path: Path) -> None:
    book = tmp_path / "course.bin"
    with pytest.raises(SystemExit, match="course"):
        main(check=True, book=book)
    book.write_bytes(BOOK.read_bytes()[:-16])
    with pytest.raises(SystemExit, match="differs from what"):
        main(check=True, book=book)
    assert book.read_bytes() == BOOK.read_bytes()[:-16]
