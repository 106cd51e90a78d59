"""A game in the terminal, line by line; `tests/commands/test_play.py` plays whole games."""

from __future__ import annotations

import errno
import io
from collections import Counter
from pathlib import Path

import chess
import chess.engine
import pytest
from rich.console import Console

from tests.play.front_end import Scripted
from utils.play.game import Game
from utils.play.terminal import COMMANDS, TerminalGame, draw_board, has_colours


def terminal_game(
    *lines: str, answers: tuple[str, ...] = (), path: Path | None = None, width: int = 200
) -> tuple[TerminalGame, io.StringIO]:
    """A game in which these lines are typed first, and what it shows."""
    shown = io.StringIO()
    limit = chess.engine.Limit(depth=1)
    console = Console(file=shown, width=width)
    engine = Scripted(*answers)
    table = TerminalGame(Game(), engine, limit, console, name="Scripted", path=path)
    table.cmdqueue = [*lines, "quit"]
    return table, shown


def test_a_board_as_text() -> None:
    board = chess.Board()
    board.push_san("e4")
    rows = draw_board(board, letters=True, colours=False).plain.splitlines()
    assert rows[0] == "8  r  n  b  q  k  b  n  r "
    assert rows[4] == "4  .  .  .  . [P] .  .  . "
    assert rows[6] == "2  P  P  P  P [.] P  P  P "
    assert rows[8] == "   a  b  c  d  e  f  g  h"
    flipped = draw_board(board, letters=True, colours=False, flipped=True).plain.splitlines()
    for row, other in zip(rows[:8], reversed(flipped[:8]), strict=True):
        cells = [row[at : at + 3] for at in range(2, 26, 3)]
        assert other == row[:2] + "".join(reversed(cells))
    assert flipped[8] == "   h  g  f  e  d  c  b  a"
    text = draw_board(board, colours=False).plain
    assert "♔" in text and "♚" in text and "·" in text
    drawn = draw_board(board, colours=True)
    assert "♔" not in drawn.plain, "colours tell the sides apart"
    backgrounds = [str(span.style).rpartition(" ")[2] for span in drawn.spans]
    assert len(backgrounds) == 64
    fronts = [str(span.style).split()[1] for span in drawn.spans]
    assert (set(fronts[:16]), set(fronts[48:])) == ({"#000000"}, {"#ffffff"}), "Black, White"
    assert len(set(backgrounds)) == 4 - 1, "light, dark, and e2 and e4, both light"
    assert backgrounds[0] != backgrounds[1] == backgrounds[8], "a chessboard"
    board.push_san("Nf6")
    browns = {"#a9865f": 31, "#80623f": 31}
    found = Counter(str(span.style).rpartition(" ")[2] for span in draw_board(board).spans)
    assert found == browns | {"#8f8a1f": 1, "#6f6a10": 1}, "a light square and a dark one"


def test_the_tab_key_offers_moves_and_commands() -> None:
    table, _ = terminal_game()
    board = chess.Board()
    assert set(table.completenames("")) == {*COMMANDS, *map(board.san, board.legal_moves)}
    assert table.completenames("N") == ["Na3", "Nc3", "Nf3", "Nh3"]
    assert table.completenames("h") == ["h3", "h4", "hint", "help"]
    assert "quit" in COMMANDS and "EOF" not in COMMANDS


def test_a_game_begins_with_what_to_type_and_the_end_of_the_input_ends_its_line() -> None:
    shown = []
    for line in ("quit", "EOF"):
        table, output = terminal_game(line)
        table.cmdloop()
        shown.append(output.getvalue())
    assert shown[0].startswith("Type moves such as e4 or e2e4, or help.\n")
    assert shown[1] == shown[0] + "\n"


def test_castling_is_completed_as_one_word() -> None:
    readline = pytest.importorskip("readline")
    readline.set_completer_delims(" -")
    table, _ = terminal_game()
    table.cmdloop()
    assert "-" not in readline.get_completer_delims()


def test_a_terminal_that_is_too_narrow_gets_whole_lines() -> None:
    table, shown = terminal_game("moves", width=10)
    table.cmdloop()
    assert draw_board(chess.Board(), colours=False).plain in shown.getvalue()
    assert "Na3 Nc3 Nf3 Nh3 a3 a4 b3 b4" in shown.getvalue()


def test_a_terminal_of_another_encoding_sees_a_game() -> None:
    shown = io.BytesIO()
    file = io.TextIOWrapper(shown, encoding="latin-1", write_through=True)
    console = Console(file=file, force_terminal=True, width=100, _environ={"TERM": "xterm"})
    limit, engine = chess.engine.Limit(depth=1), Scripted("e7e5")
    table = TerminalGame(Game(), engine, limit, console, name="a[b]", letters=True)
    table.cmdqueue = ["e4", "quit"]
    table.cmdloop()
    assert table.game.plies == 2 and b"a[b] is thinking" in shown.getvalue()


def test_colours_are_used_where_there_are_enough_of_them() -> None:
    for environment, enough in (
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm"}, False),  # 16 colours
        ({"TERM": "dumb"}, False),
    ):
        console = Console(file=io.StringIO(), force_terminal=True, _environ=environment)
        assert has_colours(console) == enough, environment


def test_each_position_is_shown_once_and_a_game_without_moves_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    table, shown = terminal_game("hint", answers=("resign",), path=path)
    table.cmdloop()
    assert "Scripted would resign." in shown.getvalue() and table.prompt == "White's move: "
    before = shown.getvalue()
    table.close()
    assert shown.getvalue() == before and not path.exists()
    table, shown = terminal_game("f3", "g4", "moves", answers=("e7e5", "d8h4"))
    table.cmdloop()
    assert shown.getvalue().count("   a  b  c ") == 3, "at first, and after each answer"
    assert "There are none." in shown.getvalue() and table.prompt == "undo, pgn, or quit: "


def test_a_game_is_saved_whole_or_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill_the_disk(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "game.pgn"
    table, shown = terminal_game("f3", path=path)
    table.cmdloop()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", fill_the_disk)
        table.close()
    assert not list(tmp_path.iterdir()) and "No space left on device;" in shown.getvalue()
    path.write_text("written meanwhile", encoding="utf-8")
    table.close()
    assert path.read_text("utf-8") == "written meanwhile"
    assert shown.getvalue().count("; the game is not saved.\n\nThe game so far:") == 2
    path.unlink()
    table.close()
    assert "1. f3 Nh6 *\n" in path.read_text("utf-8") and f"saved in {path}" in shown.getvalue()


def test_an_empty_line_repeats_nothing() -> None:
    table, shown = terminal_game("e4", "d4", "undo", "", "   ")
    table.cmdloop()
    assert table.game.plies == 2 and "is not" not in shown.getvalue()


def test_a_resignation_can_be_taken_back() -> None:
    table, shown = terminal_game("resign", "undo", "d4", answers=("d7d5",))
    table.cmdloop()
    assert table.game.plies == 2 and "no move of yours" not in shown.getvalue()
    table, shown = terminal_game("e4", "resign", answers=("e7e5",))
    table.cmdloop()
    table.close()
    assert "To go on" not in shown.getvalue()
    table, shown = terminal_game("undo")
    table.cmdloop()
    assert "no move of yours" in shown.getvalue()


def test_an_interrupted_game_can_still_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    table, shown = terminal_game("e4", answers=("e7e5",))
    table.cmdqueue.remove("quit")
    monkeypatch.setattr("builtins.input", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.cmdloop()
    table.close()
    assert "1. e4 e5 *" in shown.getvalue() and "course play --engine" in shown.getvalue()
