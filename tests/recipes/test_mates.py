"""The suite of mates: its recipe proves what it writes."""

from __future__ import annotations

import contextlib
from pathlib import Path

import chess
import pytest

from utils.commands.errors import InputError
from utils.recipes import mates


def test_a_problem_has_one_solution_and_none_that_is_quicker() -> None:
    morphy = chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    assert (mates.key(morphy, 1), mates.key(morphy, 2)) == (None, chess.Move.from_uci("a1a6"))
    quick = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    assert mates.key(quick, 1) == chess.Move.from_uci("a1a8") and mates.key(quick, 2) is None


def test_a_game_gives_one_problem_of_each_length_until_all_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def position(lengths: int, pieces: int) -> chess.Board:
        """The number of its move has the lengths of its problems as digits."""
        pawns = pieces - 2
        return chess.Board(f"4k3/{'p' * pawns}{8 - pawns}/8/8/8/8/8/4K3 w - - 0 {lengths}")

    def key(board: chess.Board, moves: int) -> chess.Move | None:
        return chess.Move.from_uci("e1d1") if str(moves) in str(board.fullmove_number) else None

    games = [
        [position(2, 7), position(2, 9), position(23, 8), position(2, 8), position(3, 9)],
        [position(23, 9)],
        [position(2, 8)],
    ]
    for name, stand_in in (
        ("WANTED", {2: 2, 3: 2}),
        ("FEWEST", 8),
        ("MOST", {2: 8, 3: 9}),
        ("positions", lambda number: iter(games[number])),
        ("key", key),
    ):
        monkeypatch.setattr(mates, name, stand_in)
    lines = [chess.Board.from_epd(line) for line in mates.problems()]
    found = [(len(board.piece_map()), found["id"], found["dm"]) for board, found in lines]
    assert found == [(8, "M2.01", 2), (9, "M3.01", 3), (9, "M3.02", 3), (8, "M2.02", 2)]


def test_the_file_is_written_in_order_and_only_proved_if_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, proved = tmp_path / "mates.epd", list[str]()
    lines = ['b id "M3.01";', 'z id "M2.02";', 'c id "M2.01";']
    monkeypatch.setattr(mates, "problems", lambda: iter(lines))
    monkeypatch.setattr(mates, "check", lambda path: proved.append(path.read_text("utf-8")))
    mates.main(False, path)
    assert proved == ["\n".join([lines[2], lines[1], lines[0], ""])]
    path.write_text("as it was", encoding="utf-8")
    mates.main(True, path)
    assert proved[1:] == ["as it was"]
    with pytest.raises(InputError, match="there is no folder"):
        mates.main(False, tmp_path / "none" / "mates.epd")


@pytest.mark.slow
def test_the_suite_of_the_course_is_proved() -> None:
    mates.check(mates.MATES)


def test_a_wrong_solution_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mates.epd"
    for move in ("Ra6", "Rxa7"):
        epd = f'kbK5/pp6/1P6/8/8/8/8/R7 w - - bm {move}; dm 2; id "M";\n'
        path.write_text(epd, encoding="utf-8")
        monkeypatch.setattr(mates, "WANTED", {2: 2})
        with pytest.raises(ValueError, match="problems by their length"):
            mates.check(path)
        monkeypatch.setattr(mates, "WANTED", {2: 1})
        wrong = pytest.raises(ValueError, match="M has another solution, not a1a7")
        with wrong if "x" in move else contextlib.nullcontext():
            mates.check(path)
