"""`course book`: an opening book from games."""

from __future__ import annotations

import os
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

from converted_notebooks.s06_opening_book import COURSE_BOOK, OPENINGS, OpeningBook, read_book
from tests.commands.command_line import run
from tests.helpers.programs import posix

GAMES = "".join(
    f'[Event "Game"]\n[Result "{result}"]\n\n{moves} {result}\n\n'
    for moves, result in [
        ("1. e4 e5 2. Nf3", "1-0"),
        ("1. e4 c5", "0-1"),
        ("1. e4 e5 (1... c6)", "1/2-1/2"),
        ("1. d4 d5", "0-1"),
        ("1. d4", "*"),
        ("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6", "1-0"),
    ]
)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)
    return path


def first_moves(path: Path) -> dict[str, int]:
    board = chess.Board()
    book = OpeningBook(path, minimum_weight=1)
    return {board.san(move): weight for move, weight in book.moves(board).items()}


def test_the_book_of_the_course_can_be_built_by_anybody(tmp_path: Path) -> None:
    out = tmp_path / "mine.bin"
    result = run("book", OPENINGS, out)
    assert result.exit_code == 0, result.output
    assert out.read_bytes() == COURSE_BOOK.read_bytes()
    assert result.stdout == f"wrote {out}: 807 moves in 551 positions, from 399 games\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", {"e4": 428, "d4": 285, "Nf3": 285}),  # Nf3 twice in one game, as s06 counts
        ("--min-games 2", {"e4": 428, "d4": 285}),
        ("--max-plies 1", {"e4": 500, "d4": 333, "Nf3": 166}),
    ],
)
def test_weights_of_a_book(games: Path, options: str, expected: object) -> None:
    out = games.with_name("out.bin")
    assert run("book", games, out, *options.split()).exit_code == 0
    assert first_moves(out) == expected
    if "--max-plies" in options:
        assert len({entry.key for entry in read_book(out)}) == 1


@posix
def test_a_book_takes_the_place_of_no_file_that_is_not_a_regular_one(games: Path) -> None:
    pipe = games.with_name("pipe")
    os.mkfifo(pipe)
    result = run("book", games, pipe, "--force")
    assert result.exit_code == 2 and "pipe is not a regular file" in result.stderr
    assert pipe.is_fifo()


def test_a_book_is_overwritten_only_on_request(games: Path) -> None:
    out, bad = games.with_name("out.bin"), games.with_name("bad.pgn")
    out.write_bytes(b"precious")
    bad.write_text(GAMES + "1. e4 Ke5 *\n")
    for options, words in ([games], "--force"), ([bad, "--force"], "bad.pgn, game 7"):
        refused = run("book", options[0], out, *options[1:])
        assert refused.exit_code == 2 and words in refused.stderr
        assert out.read_bytes() == b"precious"
    assert run("book", games, out, "--force").exit_code == 0
    assert first_moves(out)["e4"] == 428
    assert {path.name for path in games.parent.iterdir()} == {"games.pgn", "bad.pgn", "out.bin"}


@pytest.mark.parametrize(
    "header", ['FEN "wrong"', 'Variant "Atomic"', 'Variant "Chess960"', 'Variant "Foo"']
)
def test_a_game_that_is_not_standard_chess_is_named(games: Path, header: str) -> None:
    games.write_text(f"{GAMES}[{header}]\n\n1. e4 *\n")
    refused = run("book", games, games.with_name("out.bin"))
    assert refused.exit_code == 2 and "games.pgn, game 7: " in refused.stderr
