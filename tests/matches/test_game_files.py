"""Games as data, and the file that they are kept in: every number and every edge."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest

from utils.matches.records import FAULTS, GameFile, Pairing, game_text, played, read_played

RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def pairing(number: int, first: str = "s05", longest: int | None = None) -> Pairing:
    return Pairing(first, "s07", number, "d1", "Italian", ("e2e4",), 21, longest)


def text(number: int, result: str = "1-0", **headers: str) -> str:
    about = {"Result": result, "Termination": "normal", "PlyCount": "40"} | headers
    return game_text(pairing(number).headers() | about, f"1. e4 {result}")


@pytest.mark.parametrize(
    ("number", "white", "name"),
    [(0, "s05", "1.1"), (1, "s07", "1.2"), (2, "s05", "2.1"), (23, "s07", "12.2")],
)
def test_the_first_player_is_white_in_even_games(number: int, white: str, name: str) -> None:
    game = pairing(number)
    assert (game.white, {game.white, game.black}) == (white, {"s05", "s07"})
    assert (game.round, game.key) == (name, ("s05", "s07", number))
    assert game.headers() == {
        "Event": "s05 - s07",
        "Round": name,
        "White": game.white,
        "Black": game.black,
        "Opening": "Italian",
        "Control": "d1",
        "Seed": "21",
        "Longest": "-",
    }
    assert pairing(number, longest=300).headers()["Longest"] == "300"


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("result", RESULTS)
def test_a_game_is_read_as_it_was_written(number: int, result: str) -> None:
    found = played(text(number, result))
    assert found is not None
    assert found.key == pairing(number).key
    assert found.points == (1 - RESULTS[result] if number % 2 else RESULTS[result])
    assert (found.termination, found.fault) == ("normal", False)
    assert found.headers.items() >= pairing(number).headers().items()


@pytest.mark.parametrize(
    "headers",
    [{"Result": "*"}, {"Round": "1"}, {"Round": "1.3"}, {"Round": "1.1.1"}, {"Result": "?"}],
)
def test_what_is_no_finished_game_of_a_match_does_not_count(headers: dict[str, str]) -> None:
    assert played(text(0, **headers)) is None
    assert played(text(0).replace("[White ", "[Whiter ")) is None
    assert played(text(0).replace("[Black ", "[Blacker ")) is None
    unknown = played(text(0, Termination=""))
    assert unknown is not None and unknown.termination == ""


def test_nobody_changes_what_is_known_of_a_game() -> None:
    for game in (pairing(0), played(text(0))):
        with pytest.raises(dataclasses.FrozenInstanceError):
            game.number = 1  # type: ignore[misc, union-attr]


@pytest.mark.parametrize("fault", FAULTS)
def test_games_that_a_player_lost_by_misbehaving_are_known(fault: str) -> None:
    found = played(text(0, Termination=f"{fault} by White"))
    assert found is not None and found.fault


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ('a "b" \\c', "a 'b' /c"),
        ("two\n lines", "two lines"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
    ],
)
def test_any_name_fits_into_a_header(name: str, kept: str) -> None:
    game = pairing(0, name)
    found = played(game_text(game.headers() | {"Result": "1-0"}, "1-0"))
    assert found is not None and found.first == kept and found.key == game.key


def test_a_file_keeps_whole_games_and_moves_the_rest_aside(tmp_path: Path) -> None:
    path = tmp_path / "in" / "games.pgn"
    assert read_played(path) == []
    with GameFile(path) as file:
        for number in (0, 1, 0):
            file.append(text(number))
    whole = path.read_bytes()
    assert whole.decode() == text(0) + text(1) + text(0)
    assert sorted(game.number for game in read_played(path)) == [0, 1]
    assert list(path.parent.iterdir()) == [path]

    broken = path.with_name("games.pgn.broken")
    rests = [text(2)[:20], text(3)[:-12]]
    for rest in rests:
        path.write_bytes(whole + rest.encode())
        assert sorted(game.number for game in read_played(path)) == [0, 1]
        with GameFile(path) as file:
            file.append(text(5))
        assert path.read_bytes() == whole + text(5).encode()
    assert broken.read_text(encoding="utf-8") == "".join(f"{rest}\n\n" for rest in rests)


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_game_never_begins_on_the_last_line_of_another(tmp_path: Path, end: str) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(text(0).rstrip() + end, encoding="utf-8", newline="\n")
    with GameFile(path) as file:
        file.append(text(1))
    assert [game.number for game in read_played(path)] == [0, 1]
    assert "\n\n[Event" in path.read_text(encoding="utf-8")
    assert not path.read_text(encoding="utf-8").startswith("\n")


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_file_is_a_new_one_and_another_text_is_left_alone(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(content, encoding="utf-8", newline="\n")
    with GameFile(path) as file:
        with pytest.raises(BlockingIOError, match="in use by another match"), GameFile(path):
            pass
        file.append(text(0))
    assert path.read_text(encoding="utf-8").lstrip() == text(0)
    path.write_text("a letter\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is not empty and has no games"), GameFile(path):
        pass
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
