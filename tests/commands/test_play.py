"""`course play`: the board, all that can be typed, how a game is kept."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
from typer.testing import CliRunner

from tests.commands.command_line import COMMAND, PLAIN, run
from tests.helpers.programs import DUMMY, Program, posix
from tests.play.front_end import Scripted
from utils import cli
from utils.commands.errors import INTERRUPTED
from utils.play.terminal import COMMANDS

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.mark.parametrize(("encoding", "row"), [("utf-8", "♜  ♞  ♝  ♛"), ("latin-1", "r  n  b  q")])
def test_pieces_are_letters_where_the_encoding_has_no_symbols(encoding: str, row: str) -> None:
    runner = CliRunner(charset=encoding)
    shown = runner.invoke(cli.app, ["play", "--side", "both"], input="quit\n", env=PLAIN)
    assert shown.exit_code == 0 and f"8  {row}" in shown.stdout


def test_a_game_with_all_commands() -> None:
    typed = (
        "e5\nKe2\nnonsense\n--\n\nhelp\nmoves\nhint\ne2e4\nflip\nfen\nundo\nundo\nd4\npgn\nquit\n"
    )
    result = run("play", "--engine", "s07", "--seed", 1, "--ascii", typed=typed)
    assert result.exit_code == 0 and result.stderr == ""
    text = result.stdout
    assert text.isascii()
    assert "No such pawn can go to e5" in text
    for wrong in ("'Ke2' is not legal", "'nonsense' is not a move", "'--' is not a move"):
        assert wrong in text
    assert all(re.search(rf"^  {name} +\w", text, re.MULTILINE) for name in COMMANDS)
    assert "Na3 Nc3 Nf3 Nh3 a3 a4" in text
    assert "s07 would play " in text
    assert text.count("Black played") >= 3, "after e4, after flip, after d4"
    assert "   h  g  f  e  d  c  b  a" in text
    assert "4P3/8/PPPP1PPP/RNBQKBNR w KQkq" in text
    assert "There is no move of yours to take back." in text
    assert text.count('[White "Human"]\n[Black "s07"]') == 2, "when asked for, and at the end"


def test_a_game_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "mate.pgn"
    arguments = ("play", "--engine", "s07", "--fen", MATE_IN_ONE, "--pgn", path)
    result = run(*arguments, typed="Ra8\nRa8\nhint\nresign\nundo\nh3\nresign\n")
    assert result.exit_code == 0
    assert result.stdout.count("White wins: checkmate") == 2
    assert "The game is over." in result.stdout
    assert "Black wins: resignation" in result.stdout
    assert f"The game is saved in {path}" in result.stdout
    assert f'[FEN "{MATE_IN_ONE}"]' in path.read_text() and "1. h3" in path.read_text()
    assert path.read_text().rstrip().endswith("0-1")


def test_a_game_that_cannot_be_saved_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gone" / "game.pgn"
    monkeypatch.setattr("utils.commands.play.require_folder", lambda path: None)
    result = run("play", "--engine", "s05", "--seed", 1, "--pgn", path, typed="e4\nquit\n")
    assert result.exit_code == 0, result.output
    assert f"{path}: No such file or directory; the game is not saved." in result.stdout
    assert "1. e4 " in result.stdout


def test_a_game_is_saved_where_it_was_said(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    moves = "f3\ne5\ng4\nQh4\n"
    result = run("play", "--engine", "s05", "--side", "both", "--pgn", path, typed=moves)
    assert "Black wins: checkmate" in result.stdout
    assert "1. f3 e5 2. g4 Qh4# 0-1" in path.read_text()
    assert path.read_text().count("Human") == 2
    for side in ("White", "Black"):
        assert result.stdout.count(f"{side}'s move: ") == 2


def test_the_command_that_continues_a_game_works() -> None:
    first = run("play", "--engine", "s05", "--seed", 1, "--side", "black", typed="e5\n")
    line = first.stdout.strip().splitlines()[-1]
    words = shlex.split(line.removeprefix("To go on from here: "))
    fen = words[words.index("--fen") + 1]
    assert words[:2] == ["course", "play"] and chess.Board(fen).turn == chess.BLACK
    again = run(*words[1:], typed="fen\n")
    assert again.exit_code == 0 and fen in again.stdout


def test_random_sides_are_both_sides() -> None:
    arguments = ("play", "--engine", "s05", "--side", "random", "--seed")
    turned = {"   h  g  f  e" in run(*arguments, seed, "--ascii").stdout for seed in range(8)}
    assert turned == {True, False}


def test_the_seed_decides_what_an_engine_plays() -> None:
    arguments = ("play", "--engine", "s05", "--side", "black", "--seed")
    said = [run(*arguments, seed).stdout for seed in (1, 1, 2, 3)]
    moves = [re.findall(r"White played (\S+)\. Black to move", text) for text in said]
    assert moves[0] == moves[1] and {len(found) for found in moves} == {1}
    assert len({found[0] for found in moves}) > 1


def test_after_a_crash_of_the_engine_the_game_is_shown() -> None:
    result = run("play", "--engine", f"{DUMMY}?Trick=crash", typed="e4\n")
    assert result.exit_code == 1
    assert "1. e4 *" in result.stdout and "To go on from here:" in result.stdout
    assert "broke down" in result.stderr and result.stderr.count("\n") == 1


@posix
def test_ctrl_c_at_the_board_shows_the_game() -> None:
    command = [*COMMAND, "play", "--engine", "s07", "--seed", "1"]
    with Program(command, env=os.environ | PLAIN) as program:
        program.wait_for("White's move: ")
        program.say("e4")
        program.wait_for("White's move: ", 2)
        # Pressed until it ends: the first may come between the prompt and the wait for a line,
        # and those that come while the program ends must not change how it does.
        assert program.ends(interrupted=True) == INTERRUPTED
        text = program.said["stdout"]
        assert re.search(r"^1\. e4 \w+ \*$", text, re.MULTILINE)
        assert "course play --engine s07 --side white --fen" in text
        assert program.said["stderr"] == ""


def test_an_engine_gets_the_time_and_the_depth_that_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Scripted()
    monkeypatch.setattr("utils.commands.play.start_player", lambda *_: engine)
    for options in ((), ("--time", 0.5), ("--depth", 3)):
        run("play", "--side", "black", *options, typed="quit\n")
    limit = chess.engine.Limit
    assert engine.limits == [limit(time=1.0), limit(time=0.5), limit(depth=3)]
