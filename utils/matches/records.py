"""Games of matches as data: what is to be played, what was played, and the file in between.

A match writes each game to a PGN file when it ends, in one piece. If the program is killed
while it writes, the file ends with a part of a game; the next run finds it and puts it aside.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""What White gets."""
FAULTS = ("time forfeit", "illegal move", "crash")
"""Words in the termination of a game that a player lost by misbehaving."""
_HEADER = re.compile(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]\s*$', re.MULTILINE)
_GAME = re.compile(rb"^\[Event ", re.MULTILINE)
_FAR = 1 << 30  # a byte that no game reaches: Windows locks bytes, and nobody reads this one


@dataclass(frozen=True)
class Pairing:
    """A game that is to be played. Plain data, so it can be sent to another process.

    Attributes:
        first, second: the players as texts, as in `utils.engines.make_player`.
        number: of the game in its match, from 0. In even games the first player is White;
            games 0 and 1 are a pair with the same opening, and so on.
        control: how long to think, as `read_control` of chapter s21 reads it.
        opening: its name.
        moves: of the opening, in UCI notation.
        seed: of the match.
        longest: plies after which the game is a draw; None if it goes on.
    """

    first: str
    second: str
    number: int
    control: str
    opening: str
    moves: tuple[str, ...]
    seed: int
    longest: int | None = None

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
        """What no two games of a tournament share; the same as of the game when played."""
        return _plain(self.first), _plain(self.second), self.number

    def headers(self) -> dict[str, str]:
        """The headers by which a game in a file is known to be this one."""
        return {
            "Event": _plain(f"{self.first} - {self.second}"),
            "Round": self.round,
            "White": _plain(self.white),
            "Black": _plain(self.black),
            "Opening": _plain(self.opening),
            "Control": self.control,
            "Seed": str(self.seed),
            "Longest": str(self.longest or "-"),
        }


@dataclass(frozen=True)
class Played:
    """A game that was played, as the headers in a PGN file tell it.

    Attributes:
        first, second: the players in the order of the match.
        number: as in `Pairing`.
        points: of the first player: 1, 0.5 or 0.
        termination: why it ended, in words.
        plies: its length, with the opening.
        headers: all headers.
    """

    first: str
    second: str
    number: int
    points: float
    termination: str
    plies: int
    headers: dict[str, str]

    @property
    def fault(self) -> bool:
        """Whether a player lost on time, by an illegal move or by breaking down."""
        return any(word in self.termination for word in FAULTS)

    @property
    def key(self) -> tuple[str, str, int]:
        """What no two games of a tournament share."""
        return self.first, self.second, self.number


def game_text(headers: dict[str, str], movetext: str) -> str:
    """A game as it stands in the file: headers, moves with the result, an empty line."""
    lines = [f'[{name} "{_plain(value)}"]' for name, value in headers.items()]
    return "\n".join([*lines, "", movetext.strip(), "", ""])


def played(text: str) -> Played | None:
    """What the headers of a game say; None if it is no finished game of a match."""
    headers = dict(_HEADER.findall(text))
    points = POINTS.get(headers.get("Result", ""))
    pair = re.fullmatch(r"(\d+)\.([12])", headers.get("Round", ""))
    if points is None or pair is None or not {"White", "Black"} <= headers.keys():
        return None
    number = 2 * (int(pair[1]) - 1) + int(pair[2]) - 1
    players, swapped = (headers["White"], headers["Black"]), number % 2
    return Played(
        *(players[::-1] if swapped else players),
        number,
        1 - points if swapped else points,
        headers.get("Termination", ""),
        int(headers["PlyCount"]) if headers.get("PlyCount", "").isdigit() else 0,
        headers,
    )


def read_played(path: Path | str) -> list[Played]:
    """All finished games of matches in a PGN file, each once; none if there is no file.

    A game that was written only in part does not count.
    """
    with contextlib.suppress(FileNotFoundError):
        data = Path(path).read_bytes()
        found = [played(text) for text in _whole_games(data)]
        return list({game.key: game for game in reversed(found) if game is not None}.values())[::-1]
    return []


class GameFile:
    """A PGN file that grows game by game; use it in a `with` statement.

    Args:
        path: the file; it is made, with its folder, if it is absent.

    Raises:
        BlockingIOError: another match is writing to the file.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._file: BinaryIO | None = None

    def __enter__(self) -> GameFile:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("ab")
        try:
            self._claim()
            self._put_aside()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()  # this also ends the lock

    def append(self, text: str) -> None:
        """Writes a game, and waits until it is on the disk."""
        assert self._file is not None, "a GameFile is used in a with statement"
        self._file.write(text.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def _claim(self) -> None:
        """Makes sure that nobody else writes."""
        assert self._file is not None
        try:
            _lock(self._file)
        except (BlockingIOError, PermissionError) as error:  # the latter is what Windows says
            raise BlockingIOError(
                f"{self.path} is in use by another match; expected a file of its own for each"
            ) from error
        except OSError as error:
            raise OSError(
                error.errno,
                f"cannot lock the file ({error.strerror}); expected a folder whose files can "
                "be locked, as those of a local disk",
                str(self.path),
            ) from error

    def _put_aside(self) -> None:
        """Moves a half-written last game to a file of its own."""
        data = self.path.read_bytes()
        end = _end_of_whole_games(data)
        assert self._file is not None
        if end == 0 and not b"[Event ".startswith(data[:7]):
            raise ValueError(f"{self.path} is not empty and has no games; expected a PGN file")
        if end == len(data):
            newlines = len(data) - len(data.rstrip(b"\n"))
            self._file.write(b"\n" * max(0, 2 - newlines) if data else b"")
            return
        with self.path.with_name(f"{self.path.name}.broken").open("ab") as broken:
            broken.write(data[end:] + b"\n\n")
            broken.flush()
            os.fsync(broken.fileno())
        self._file.truncate(end)


def _whole_games(data: bytes) -> Iterator[str]:
    """The games of a file, one after the other, without a half-written last one."""
    starts = [match.start() for match in _GAME.finditer(data)]
    for start, end in itertools.pairwise([*starts, _end_of_whole_games(data)]):
        if start < end:
            yield data[start:end].decode(errors="replace")


def _end_of_whole_games(data: bytes) -> int:
    """Where the last whole game ends; bytes after that are a part of a game."""
    starts = [match.start() for match in _GAME.finditer(data)]
    if not starts:
        return 0 if data.strip() else len(data)
    headers = dict(_HEADER.findall(data[starts[-1] :].decode(errors="replace")))
    result = headers.get("Result", "")
    if result and data[starts[-1] :].split()[-1] == result.encode():
        return len(data)
    # The write may have been cut off within the word "[Event ".
    cut = re.search(rb"\n(\[E?v?e?n?t?)\Z", data)
    if cut and _end_of_whole_games(data[: cut.start(1)]) == cut.start(1):
        return cut.start(1)
    return starts[-1]


def _plain(text: str) -> str:
    """A text that fits in a PGN header: one line, no quotes, no backslashes, not endless."""
    text = " ".join(text.replace('"', "'").replace("\\", "/").split())
    return text if len(text) <= 200 else f"{text[:199]}…"


def _lock(file: BinaryIO) -> None:
    """Claims a file for this process until it is closed, by whatever end of the process."""
    if sys.platform == "emscripten":
        return  # a browser: nobody else is there
    try:
        import fcntl
    except ImportError:
        import msvcrt

        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        file.seek(0, os.SEEK_END)
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
