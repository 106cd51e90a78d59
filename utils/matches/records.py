"""The games of matches as data: planned games, played games, and their PGN file.

A match appends each game to a PGN file when it ends. If the program is killed while it writes, the
file ends with a part of a game; the next run moves that to another file.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from io import FileIO
from pathlib import Path

from utils.paths import IN_BROWSER

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""White's points for each result."""

_HEADER = re.compile(r'^\ufeff?\[(\w+) "((?:[^"\\]|\\.)*)"\]\s*$', re.MULTILINE)
# The beginning of a game, perhaps after a byte order mark or cut off within the name of its first
# header.
_BEGIN = re.compile(rb"^(?:\xef\xbb\xbf)?\[(?:Event |\w*\Z)", re.MULTILINE)


def read_lines(path: Path | str) -> list[str]:
    """The lines of a text file in UTF-8, without a byte order mark.

    Raises:
        ValueError: it is no text in UTF-8.
        OSError: the file cannot be read.
    """
    try:
        return Path(path).read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text in UTF-8: {error}") from error


class Fault(StrEnum):
    """Why a player lost a game other than by mate or resignation."""

    TIME = "time forfeit"
    ILLEGAL = "illegal move"
    CRASH = "crash"


_LOST_BY = re.compile(rf"(?:White|Black) loses by ({'|'.join(Fault)})\b")


@dataclass(frozen=True)
class PlannedGame:
    """A game that is to be played: plain data, which can be sent to another process."""

    first: str  # a player, as in `utils.engines.make_player`
    second: str  # the other player
    # Of the game in its match, from 0. The first player has White in even games. Games 0 and 1 have
    # the same opening, and so on.
    number: int
    control: str  # how long to think, as `read_controls` of chapter s24 reads it
    opening: str  # its name
    moves: tuple[str, ...]  # of the opening, in UCI notation
    seed: int  # of the match
    longest: int | None = None  # plies after which the game is a draw; None if it goes on
    # How to start the two players, as in `utils.engines.make_player`, if not by their names.
    programs: tuple[str, str] | None = None
    # Seconds by which they may exceed a time for each move; None: such a time is not enforced.
    grace: float | None = None

    @property
    def players(self) -> tuple[str, str]:
        """White and Black, as `utils.engines.make_player` takes them."""
        first, second = self.programs or (self.first, self.second)
        return (second, first) if self.number % 2 else (first, second)

    @property
    def white(self) -> str:
        """The player with the white pieces."""
        return self.second if self.number % 2 else self.first

    @property
    def black(self) -> str:
        """The player with the black pieces."""
        return self.first if self.number % 2 else self.second

    @property
    def round(self) -> str:
        """Pair and game of the pair, such as "12.1"; the PGN header of that name."""
        return f"{self.number // 2 + 1}.{self.number % 2 + 1}"

    @property
    def key(self) -> tuple[str, str, int]:
        """Identifies the game in its tournament; equals `Played.key`."""
        return header_value(self.first), header_value(self.second), self.number

    def headers(self) -> dict[str, str]:
        """Headers that a game in a file must have to be this one."""
        return {
            "Event": header_value(f"{self.first} - {self.second}"),
            "Round": self.round,
            "White": header_value(self.white),
            "Black": header_value(self.black),
            "Opening": header_value(self.opening),
            "Control": self.control,
            "Seed": str(self.seed),
            "Longest": str(self.longest or "-"),
        }


@dataclass(frozen=True)
class Played:
    """A game that was played, as the headers in a PGN file tell it."""

    first: str  # the first player of the match
    second: str  # the other player
    number: int  # as in `PlannedGame`
    points: float  # of the first player: 1, 0.5 or 0
    termination: str  # why it ended, in words
    headers: dict[str, str]  # all headers
    fault: Fault | None = None  # of the player who lost by it

    @property
    def key(self) -> tuple[str, str, int]:
        """Identifies the game in its tournament; equals `PlannedGame.key`."""
        return self.first, self.second, self.number


def header_value(text: str) -> str:
    """A text for a PGN header: one line of 200 characters at most, no quotes or backslashes."""
    text = text.encode(errors="replace").decode()  # a file's name may hold what is no UTF-8
    text = " ".join(text.replace('"', "'").replace("\\", "/").split())
    return text if len(text) <= 200 else f"{text[:199]}…"


def game_text(headers: dict[str, str], movetext: str) -> str:
    """A game as it stands in the file: headers, moves with the result, an empty line."""
    lines = [f'[{name} "{header_value(value)}"]' for name, value in headers.items()]
    return "\n".join([*lines, "", movetext.strip(), "", ""])


def parse_played(text: str) -> Played | None:
    """The record of a game, from its headers; None if it is no finished game of a match."""
    headers = dict(_HEADER.findall(text))
    points = POINTS.get(headers.get("Result", ""))
    pair = re.fullmatch(r"(\d+)\.([12])", headers.get("Round", ""))
    if points is None or pair is None or not {"White", "Black"} <= headers.keys():
        return None
    number = 2 * (int(pair[1]) - 1) + int(pair[2]) - 1
    first, second = headers["White"], headers["Black"]
    if number % 2:
        first, second, points = second, first, 1 - points
    termination = headers.get("Termination", "")
    lost = _LOST_BY.match(termination)
    fault = Fault(lost[1]) if lost else None
    return Played(first, second, number, points, termination, headers, fault)


def lost_by(side: str, fault: Fault, details: str = "") -> str:
    """The termination of a game that "White" or "Black" lost by a fault, for `parse_played`."""
    return f"{side} loses by {fault}" + (f": {details}" if details else "")


def last_date(games: Iterable[Played]) -> str:
    """The date of the latest of some games, such as "2026-11-21"; expects at least one."""
    return max(game.headers.get("Date", "") for game in games).replace(".", "-")


def read_played(path: Path | str) -> list[Played]:
    """All finished games of matches in a PGN file, each once; none if there is no file.

    A game that was written only in part is left out.
    """
    try:
        games, _ = _split(Path(path).read_bytes())
    except FileNotFoundError:
        return []
    found: dict[tuple[str, str, int], Played] = {}
    for data in games:
        if game := parse_played(data.decode(errors="replace")):
            found.setdefault(game.key, game)
    return list(found.values())


def _split(data: bytes) -> tuple[list[bytes], bytes]:
    """The complete games of a file, and the rest behind them: parts of games."""
    starts = [match.start() for match in _BEGIN.finditer(data)]
    games = [data[begin:end] for begin, end in itertools.pairwise([*starts, len(data)])]
    rest = b""
    while games and not _is_whole(games[-1].decode(errors="replace")):
        rest = games.pop() + rest
    return games, rest


def _is_whole(text: str) -> bool:
    """Whether a game ends with the result in its headers, or with any if they have none."""
    last = text.split()[-1]
    return last in (*POINTS, "*") and last == dict(_HEADER.findall(text)).get("Result", last)


@contextlib.contextmanager
def game_file(path: Path | str) -> Iterator[Callable[[str], None]]:
    """Open a PGN file for this process alone; gives the function that appends a game to it.

    That function waits until the game is on the disk; if it raises an OSError, the games before are
    kept. Part of a game at the end of the file is moved to a file with the ending `.broken`, with a
    warning.

    Args:
        path: the file; it is made, with its folder, if it is absent.

    Raises:
        BlockingIOError: another match is writing to the file.
        ValueError: it is no regular file, or no PGN.
        OSError: it cannot be read or written.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file; expected a PGN file or a new one")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without a buffer, nothing is left to be written after an error.
    with path.open("ab", buffering=0) as file:  # closing it ends the lock, too
        _lock(file)
        _put_aside(path, file)
        yield lambda text: _write(file, text.encode())


def _put_aside(path: Path, file: FileIO) -> None:
    """Move parts of games at the end of the file to the file with the ending `.broken`."""
    data = path.read_bytes()
    games, rest = _split(data)
    if data.strip() and not games and not rest:
        raise ValueError(f"{path} is not empty and has no games; expected a PGN file")
    if rest:
        broken = path.with_name(f"{path.name}.broken")
        with broken.open("ab", buffering=0) as other:
            _write(other, rest + b"\n\n")
        file.truncate(len(data) - len(rest))
        logging.getLogger(__name__).warning(
            "%s ended with a part of a game; it was moved to %s", path, broken
        )
    elif games and not data.endswith(b"\n\n"):
        _write(file, b"\n\n")


def _write(file: FileIO, data: bytes) -> None:
    """Writes all, and waits until it is on the disk."""
    try:
        while data:
            data = data[file.write(data) :]
        os.fsync(file.fileno())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file.name)) from error


def _lock(file: FileIO) -> None:
    """Lock a file for this process until it is closed or the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 30)  # behind all games, because others cannot read a locked byte
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0, os.SEEK_END)
        elif not IN_BROWSER:  # which has one process only
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as error:  # the second on Windows
        raise BlockingIOError(
            f"{file.name} is in use by another match; expected a file of its own for each"
        ) from error
    except OSError as error:
        reason = f"cannot lock the file ({error.strerror}); expected one on a local disk"
        raise OSError(error.errno, reason, str(file.name)) from error
