"""The file of a match: it takes what a match can go on from, and says what it did with the rest."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.programs import posix
from utils import cli
from utils.matches.records import GameFile, Pairing, game_text, read_played

GAMES = [
    game_text(
        Pairing("s07", "s05", number, "d1", "Réti", ("g1f3",), 1).headers() | {"Result": "1-0"},
        "1. Nf3 d5 1-0",
    )
    for number in range(3)
]


def write(path: Path, text: str) -> None:
    with GameFile(path) as file:
        file.append(text)


@posix
@pytest.mark.parametrize("kind", ["device", "pipe", "folder"])
def test_only_regular_files_keep_games(kind: str, tmp_path: Path) -> None:
    path = Path("/dev/full") if kind == "device" else tmp_path / "games.pgn"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(ValueError, match=f"{path} is not a regular file; expected"):
        write(path, GAMES[0])


@posix
def test_a_match_says_that_a_device_keeps_no_games() -> None:
    command = ["match", "s05", "s07", "--games", "2", "--control", "d1", "--pgn", "/dev/full"]
    result = CliRunner().invoke(cli.app, command)
    assert result.exit_code == 2 and result.stdout == ""
    assert "/dev/full is not a regular file; expected a PGN file" in result.stderr


@contextlib.contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """This process cannot write beyond so many bytes of any file, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_ends_a_match_and_loses_no_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "games.pgn"
    for game in GAMES[:2]:
        write(path, game)
    kept = path.read_bytes()
    with files_of_at_most(len(kept) + 50), pytest.raises(OSError) as raised:
        write(path, GAMES[2])
    assert (raised.value.errno, raised.value.filename) == (errno.EFBIG, str(path))
    assert path.read_bytes() == kept + GAMES[2].encode()[:50] and len(read_played(path)) == 2
    write(path, GAMES[2])
    assert path.read_bytes() == kept + GAMES[2].encode()
    assert f"{path} ended with a part of a game; it was moved to {path}.broken" in caplog.text
    assert (tmp_path / "games.pgn.broken").read_bytes() == GAMES[2].encode()[:50] + b"\n\n"


def test_games_of_others_stay_where_they_are(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "games.pgn"
    others = '[Event "Club"]\n[Result "*"]\n\n1. d4 *\n\n[Event "Club"]\n\n1. e4 e5 1-0\n'
    path.write_text(others, encoding="utf-8")
    write(path, GAMES[0])
    assert path.read_text(encoding="utf-8") == f"{others}\n\n{GAMES[0]}"
    assert len(read_played(path)) == 1 and not caplog.text
    assert [file.name for file in tmp_path.iterdir()] == ["games.pgn"]
