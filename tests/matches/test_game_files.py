"""Games as data, and the file that they are kept in: every number and every edge."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.programs import posix
from utils.matches.records import (
    Fault,
    PlannedGame,
    game_file,
    game_text,
    lost_by,
    parse_played,
    read_played,
)

RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def planned(number: int, first: str = "s05", longest: int | None = None) -> PlannedGame:
    return PlannedGame(first, "s07", number, "d1", "Italian", ("e2e4",), 21, longest)


def text(number: int, result: str = "1-0", **headers: str) -> str:
    about = {"Result": result, "Termination": "normal", "PlyCount": "40"} | headers
    return game_text(planned(number).headers() | about, f"1. e4 {result}")


def write(path: Path, *games: str) -> None:
    with game_file(path) as append:
        for game in games:
            append(game)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is not there, in folders that are not there."""
    return tmp_path / "in" / "here" / "games.pgn"


# Games


@pytest.mark.parametrize(
    ("number", "white", "name"),
    [(0, "s05", "1.1"), (1, "s07", "1.2"), (2, "s05", "2.1"), (23, "s07", "12.2")],
)
def test_the_first_player_is_white_in_even_games(number: int, white: str, name: str) -> None:
    game = planned(number)
    assert (game.white, {game.white, game.black}) == (white, {"s05", "s07"})
    assert (game.round, game.key) == (name, ("s05", "s07", number))
    assert game.headers() == {
        **{"Event": "s05 - s07", "Round": name, "White": game.white, "Black": game.black},
        **{"Opening": "Italian", "Control": "d1", "Seed": "21", "Longest": "-"},
    }
    assert planned(number, longest=300).headers()["Longest"] == "300"
    assert game.players == (game.white, game.black)
    started = dataclasses.replace(game, programs=("bin/s05", "bin/s07"))
    assert started.players == (f"bin/{game.white}", f"bin/{game.black}")


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("result", RESULTS)
def test_a_game_is_read_as_it_was_written(number: int, result: str) -> None:
    found = parse_played(text(number, result))
    assert found is not None and found.key == planned(number).key
    assert found.points == (1 - RESULTS[result] if number % 2 else RESULTS[result])
    assert (found.termination, found.fault) == ("normal", None)
    assert found.headers.items() >= planned(number).headers().items()
    for game in (planned(number), found):
        with pytest.raises(dataclasses.FrozenInstanceError):
            game.number = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    "headers",
    [{"Result": "*"}, {"Round": "1"}, {"Round": "1.3"}, {"Round": "1.1.1"}, {"Result": "?"}],
)
def test_what_is_no_finished_game_of_a_match_does_not_count(headers: dict[str, str]) -> None:
    assert parse_played(text(0, **headers)) is None
    assert parse_played(text(0).replace("[White ", "[Whiter ")) is None
    assert parse_played(text(0).replace("[Black ", "[Blacker ")) is None
    unknown = parse_played(text(0, Termination=""))
    assert unknown is not None and unknown.termination == ""


@pytest.mark.parametrize("side", ["White", "Black"])
@pytest.mark.parametrize("details", ["", "EngineError: it is gone"])
@pytest.mark.parametrize("fault", Fault)
def test_the_fault_by_which_a_player_lost_is_read_again(
    fault: Fault, side: str, details: str
) -> None:
    words = lost_by(side, fault, details)
    found = parse_played(text(0, Termination=words))
    assert words.startswith(f"{side} loses by ") and words.endswith(details)
    assert found is not None and found.fault is fault


@pytest.mark.parametrize(
    "words", ["White loses by resignation", "crash", "checkmate: White loses by crash", ""]
)
def test_words_of_another_end_are_no_fault(words: str) -> None:
    found = parse_played(text(0, Termination=words))
    assert found is not None and found.fault is None


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ('a "b" \\c', "a 'b' /c"),
        ("two\n lines", "two lines"),
        ("no \udcff text", "no ? text"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
    ],
)
def test_any_name_fits_into_a_header(name: str, kept: str) -> None:
    game = planned(0, name)
    found = parse_played(game_text(game.headers() | {"Result": "1-0"}, "1-0"))
    assert found is not None and found.first == kept and found.key == game.key


# Their file


def test_a_file_keeps_whole_games_and_moves_the_rest_aside(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert read_played(path) == []
    write(path, text(0), text(1), text(0))
    whole = path.read_bytes()
    assert whole.decode() == text(0) + text(1) + text(0)
    assert sorted(game.number for game in read_played(path)) == [0, 1]
    assert list(path.parent.iterdir()) == [path]

    broken = path.with_name("games.pgn.broken")
    other_end = text(3).replace("1. e4 1-0", "1. e4 *")
    rests = [text(2)[:20], text(3)[:-12], other_end, text(2)[:20]]
    for before, rest in zip([whole] * 3 + [b""], rests, strict=True):
        path.write_bytes(before + rest.encode())
        assert sorted(game.number for game in read_played(path)) == [0, 1] * bool(before)
        write(path, text(5))
        assert path.read_bytes() == before + text(5).encode()
    assert broken.read_text(encoding="utf-8") == "".join(f"{rest}\n\n" for rest in rests)
    assert f"{path} ended with a part of a game; it was moved to {broken}" in caplog.text


def test_a_game_is_on_the_disk_before_the_next_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = list[int]()
    monkeypatch.setattr("os.fsync", lambda number: sizes.append(os.fstat(number).st_size))
    write(path, text(0), text(1))
    assert sizes == [len(text(0)), len(text(0) + text(1))]


OTHERS = '[Event "Club"]\n[Result "*"]\n\n1. d4 *\n\n[Event "Club"]\n\n1. e4 e5 1-0\n'


@pytest.mark.parametrize("content", ["", " \n", text(0).rstrip(), text(0)[:-1], text(0), OTHERS])
def test_what_is_in_a_file_stays_and_a_game_begins_after_an_empty_line(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(content, encoding="utf-8", newline="\n")
    write(path, text(1))
    found = path.read_text(encoding="utf-8")
    assert found.startswith(content) and found.endswith(text(1))
    between = found[len(content) : -len(text(1))]
    assert between == ("\n\n" if content.strip() and content != text(0) else "")
    assert read_played(path)[-1].number == 1 and not caplog.text
    assert [file.name for file in tmp_path.iterdir()] == ["games.pgn"]


def test_a_file_that_an_editor_has_marked_goes_on(path: Path) -> None:
    write(path, text(0))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    write(path, text(1))
    games = read_played(path)
    assert [game.number for game in games] == [0, 1]
    assert [game.headers["Event"] for game in games] == ["s05 - s07"] * 2


def test_one_match_at_a_time_writes_to_a_file_of_games(path: Path) -> None:
    with game_file(path), pytest.raises(BlockingIOError, match="in use by another match"):
        write(path, text(0))
    path.write_text("a letter\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"is not empty and has no games; expected a PGN file"):
        write(path, text(0))
    assert path.read_text(encoding="utf-8") == "a letter\n"


def test_a_game_that_was_cut_off_anywhere_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    games = [text(0), text(1), text(2).replace('[Result "1-0"]\n', "")]
    data = "".join(games).encode()
    ends = list(itertools.accumulate(len(game.encode()) for game in games))
    for size in range(ends[1] + 1):
        path.write_bytes(data[:size])
        # The last characters of a game are the end of its line and an empty one.
        whole = sum(size >= end - 2 for end in ends[:2])
        assert len(read_played(path)) == whole, size


@posix
@pytest.mark.parametrize("kind", ["device", "pipe", "folder"])
def test_only_regular_files_keep_games(kind: str, tmp_path: Path) -> None:
    path = Path("/dev/null") if kind == "device" else tmp_path / "games.pgn"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(ValueError, match=f"{path} is not a regular file; expected a PGN file"):
        write(path, text(0))


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


def test_a_full_disk_ends_a_match_and_loses_no_game(path: Path) -> None:
    write(path, text(0), text(1))
    kept, new = path.read_bytes(), text(2).encode()
    with files_of_at_most(len(kept) + 50), pytest.raises(OSError) as raised:
        write(path, text(2))
    assert (raised.value.errno, raised.value.filename) == (errno.EFBIG, str(path))
    assert path.read_bytes() == kept + new[:50] and len(read_played(path)) == 2
    write(path, text(2))
    assert path.read_bytes() == kept + new
    assert path.with_name("games.pgn.broken").read_bytes() == new[:50] + b"\n\n"
