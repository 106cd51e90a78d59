"""The opening book of the course: built anew it is the same, and the check notices if not."""

from __future__ import annotations

from pathlib import Path

import pytest

from converted_notebooks import s06_opening_book as s06
from utils.recipes.opening_book import BOOK, MAX_PLIES, OPENINGS, main


def test_the_book_of_the_course_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    main(check=True)
    assert capsys.readouterr().out == f"{BOOK}: 12912 bytes\n"
    assert max(len(line.moves) for line in s06.lines()) <= MAX_PLIES, "no line is cut"
    assert (s06.OPENINGS, s06.COURSE_BOOK) == (OPENINGS, BOOK)


def test_line_ends_and_the_order_of_the_lines_do_not_matter(tmp_path: Path) -> None:
    openings, book = tmp_path / "windows.pgn", tmp_path / "new" / "course.bin"
    games = OPENINGS.read_text(encoding="utf-8").split("[ECO ")
    text = "[ECO ".join(["", *games[:0:-1]])
    openings.write_text(text, encoding="utf-8", newline="\r\n")
    main(openings=openings, book=book)
    assert book.read_bytes() == BOOK.read_bytes()


def test_a_book_that_differs_is_named_and_stays(tmp_path: Path) -> None:
    book = tmp_path / "course.bin"
    with pytest.raises(SystemExit, match="course"):
        main(check=True, book=book)
    book.write_bytes(BOOK.read_bytes()[:-16])
    with pytest.raises(SystemExit, match="differs from what"):
        main(check=True, book=book)
    assert book.read_bytes() == BOOK.read_bytes()[:-16]
