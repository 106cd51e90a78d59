"""The command line: what is typed, what is said when it is wrong, and what Ctrl-C leaves behind."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from converted_notebooks import s21_measuring_strength as s21
from converted_notebooks.s06_opening_book import OpeningBook, read_book
from tests.programs import Running, posix
from utils import cli
from utils.engines import ENGINES

from utils.matches.records import read_played
from utils.paths import DATA, ROOT
from utils.play.terminal import COMMANDS, draw_board
from utils.recipes.opening_book import BOOK, OPENINGS

SECONDS = 120.0  # for a machine with other things to do
COMMAND = [sys.executable, "-m", "utils.cli"]
# Who runs the tests in the background may have had Ctrl-C ignored.
HEEDFUL = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from utils.cli import main
if __name__ == "__main__":
    main()
"""
PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
PYTHON = Path(sys.executable).as_posix()
DUMMY = f"{PYTHON} {Path(__file__).with_name('uci_dummy.py').as_posix()}"
COMMAND_NAMES = ("play", "uci", "match", "suite", "ladder", "book")
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def run(*arguments: object, typed: str = "") -> Result:
    """A command in this process."""
    return CliRunner().invoke(cli.app, [str(a) for a in arguments], input=typed, env=PLAIN)


class Program(Running):
    """A command in a process of its own, in a group of its own as in a terminal."""

    seconds = SECONDS

    def __init__(self, *arguments: object, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HEEDFUL, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=os.environ | PLAIN | {"PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
            start_new_session=os.name != "nt",
            **options,
        )
        self.said: dict[str, str] = {"stdout": "", "stderr": ""}
        self._news = threading.Condition()
        self.threads = [
            threading.Thread(target=self._read, args=(name,), daemon=True) for name in self.said
        ]
        for thread in self.threads:
            thread.start()

    def _read(self, name: str) -> None:
        pipe = getattr(self.process, name)
        while data := pipe.read1(4096):
            with self._news:
                self.said[name] += data.decode()
                self._news.notify_all()

    def wait_for(self, stream: str, text: str, times: int = 1) -> None:
        with self._news:
            found = self._news.wait_for(lambda: self.said[stream].count(text) >= times, SECONDS)
        assert found, self.said

    def type(self, text: str) -> None:
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def interrupt(self) -> None:
        """What Ctrl-C does: every process of the group gets the signal."""
        os.killpg(self.process.pid, signal.SIGINT)

    def interrupt_until_it_ends(self) -> int:
        """Again if nobody was there to hear: a signal between a prompt and the wait is late."""
        for _ in range(int(SECONDS)):
            self.interrupt()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
                break
        return self.ends()


# Help, completion, errors.


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_help_says_what_a_command_does_and_gives_examples(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert f"course {name} " in text.partition("Examples")[2]
    assert run(name, "-h").stdout == result.stdout
    assert name in run("--help").stdout == run().stdout


def examples() -> Iterator[str]:
    for command in cli.app.registered_commands:
        lines = (command.epilog or "").splitlines()[1:]
        yield from (line.replace(r"\[", "[") for line in lines)


@pytest.mark.parametrize("line", examples())
def test_examples_use_options_that_exist(line: str) -> None:
    course, name, *rest = shlex.split(line)
    assert course == "course"
    options = [word for word in rest if word.startswith("--")]
    shown = run(name, "--help").stdout
    assert all(re.search(rf"{option}\b", shown) for option in options)


def test_every_command_has_examples() -> None:
    seen = {shlex.split(line)[1] for line in examples()}
    assert seen == set(COMMAND_NAMES) == {c.callback.__name__ for c in cli.app.registered_commands}


def test_help_does_not_wait_for_chapters() -> None:
    code = "import sys, utils.cli; print(*sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    modules = set(shown.stdout.split())
    assert "utils.cli" in modules
    assert not modules & {"chess", "numpy", "matplotlib", "IPython", "asyncio", "utils.engines"}
    assert not [name for name in modules if name.startswith("converted_notebooks.")]


def test_the_command_is_installed() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="course")
    assert script.load() is cli.main


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("course ma", {"match"}),
        ("course match s1", {name for name in ENGINES if name.startswith("s1")}),
        ("course match s10 s0", {name for name in ENGINES if name.startswith("s0")}),
        ("course uci --engine s", set(ENGINES)),
        ("course play --engine s2", {"s20"}),
        ("course ladder s05 s2", {"s20"}),
        ("course play --side b", {"black", "both"}),
        ("course suite --no", {"--nodes"}),
    ],
)
def test_the_tab_key(words: str, expected: set[str]) -> None:
    env = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    result = CliRunner().invoke(
        cli.app, [], prog_name="course", env=env | {"_COURSE_COMPLETE": "complete_bash"}
    )
    assert result.exit_code == 0
    assert set(result.stdout.split()) == expected


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("mach", "mach"),
        ("--nix", "--nix"),
        ("play --engine s99", "s99"),
        ("play --engine nobody", "nobody"),
        ("play --engine s12?Hash", "s12?Hash"),
        ("play --side red", "red"),
        ("play --time soon", "soon"),
        ("play --time 0", "0"),
        ("play --depth 0", "0"),
        ("play --depth 3 --time 1", "--time 1 --depth 3"),
        ("play --fen xyz", "xyz"),
        ("play --fen '8/8/8/8/8/8/8/K7 w - - 0 1'", "8/8/8/8/8/8/8/K7"),
        ("play --pgn {old}", "old.pgn"),
        ("play --engine '{silent}'", "does not start"),
        ("uci --engine stockfish", "stockfish"),
        ("uci --seed one", "one"),
        ("match s05", "SECOND"),
        ("match s05 s99", "s99"),
        ("match s05 s07 --games 3", "3 games"),
        ("match s05 s07 --games 0", "0 games"),
        ("match s05 s07 --control 5x", "5x"),
        ("match s05 s07 --sprt 5 0", "5 0"),
        ("match s05 s07 --sprt nan 0", "nan"),
        ("match s05 s07 --sprt low high", "low"),
        ("match s05 s07 --workers 0", "'0'"),
        ("match s05 s07 --longest 0", "'0'"),
        ("match s05 s07 --openings none.pgn", "none.pgn"),
        ("match s05 s07 --openings {old}", "old.pgn"),
        ("match s05 s07 --pgn {folder}", "{folder}"),
        ("match s05 s07 --pgn {epd}", "no.epd"),
        ("match s05 '{silent}'", "does not start"),
        ("match s05 '{dummy}?Nix=1'", "Nix"),
        ("suite none.epd", "none.epd"),
        ("suite {old}", "line 1"),
        ("suite {binary}", "binary"),
        ("suite {empty}", "empty"),
        ("suite --engine s99", "s99"),
        ("suite --nodes 0", "'0'"),
        ("suite --time nan", "nan"),
        ("suite --nodes 5 --depth 2", "--nodes 5 --depth 2"),
        ("ladder s05", "s05"),
        ("ladder s05 s05", "s05, s05"),
        ("ladder s05 s99", "s99"),
        ("ladder s05 s07 --control 3", "'3'"),
        ("ladder --rounds 0", "'0'"),
        ("ladder --folder {old}", "old.pgn"),
        ("ladder --table --folder {folder}", "ladder.json"),
        ("book none.pgn {folder}/new.bin", "none.pgn"),
        ("book {old} {old}", "old.pgn"),
        ("book {old} {old} --force", "old.pgn"),
        ("book {old} {folder}", "{folder}"),
        ("book {old} {folder}/no/new.bin", "no/new.bin"),
        ("book {old} {folder}/new.bin --max-plies 0", "'0'"),
        ("book {old} {folder}/new.bin --weights gold", "gold"),
        ("book {old} {folder}/new.bin --min-games 7", "7 games"),
        ("book {binary} {folder}/new.bin", "binary"),
        ("book {empty} {folder}/new.bin", "empty"),
        ("book {illegal} {folder}/new.bin", "illegal.pgn, game 2"),
    ],
)
def test_bad_input_is_named_in_one_line(arguments: str, value: str, tmp_path: Path) -> None:
    old = '[Event "A game"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    files = {
        "old.pgn": old.encode(),
        "illegal.pgn": f'{old}[Event "B"]\n\n1. e4 Ke5 *\n'.encode(),
        "binary": b"\xff\xfe\x00[Event\x80",
        "empty": b"\n",
        "no.epd": b"# nothing\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    places = {Path(name).stem: (tmp_path / name).as_posix() for name in files}
    places |= {"epd": places["no"], "folder": tmp_path.as_posix(), "dummy": DUMMY}
    places["silent"] = f"{PYTHON} -c pass"
    result = run(*shlex.split(arguments.format(**places)))
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert value.format(**places) in result.stderr
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("course")
    assert {path.name for path in tmp_path.iterdir()} == set(files), "nothing was written"
    assert all((tmp_path / name).read_bytes() == data for name, data in files.items())


def test_a_bad_input_in_a_real_process_shows_no_traceback() -> None:
    shown = subprocess.run([*COMMAND, "play", "--fen", "8/8"], cwd=ROOT, capture_output=True)
    assert shown.returncode == 2 and shown.stdout == b""
    assert shown.stderr.startswith(b"course: FEN '8/8': ") and shown.stderr.count(b"\n") == 1


# Progress.


def test_progress_in_plain_lines_is_short() -> None:
    file = io.StringIO()
    with ProgressBar("games", 1000, Console(file=file)) as bar:
        for number in range(1, 1001):
            bar.show(number, f"note {number}")
    lines = file.getvalue().splitlines()
    assert len(lines) == 100
    assert lines[-1] == "1000 of 1000 games: note 1000"


def test_progress_without_an_end() -> None:
    file = io.StringIO()
    with ProgressBar("games", None, Console(file=file)) as bar:
        for number in range(1, 2501):
            bar.show(number)
    assert file.getvalue().splitlines() == ["1000 games", "2000 games"]


def test_progress_in_a_terminal_is_a_bar() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=100, color_system=None)
    console._environ = {"TERM": "xterm"}  # type: ignore[assignment]
    with ProgressBar("games", 40, console) as bar:
        bar.show(10, "+3 =4 -3, [odd] +0 ± 90 Elo")
    assert "10/40 games" in file.getvalue()
    assert "+3 =4 -3, [odd] +0 ± 90 Elo" in file.getvalue()


# Playing.


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


def test_boards_with_symbols_and_colours() -> None:
    board = chess.Board()
    text = draw_board(board, colours=False).plain
    assert "♔" in text and "♚" in text and "·" in text
    board.push_san("e4")
    drawn = draw_board(board, colours=True)
    assert "♔" not in drawn.plain, "colours tell the sides apart"
    backgrounds = [str(span.style).rpartition(" ")[2] for span in drawn.spans]
    assert len(backgrounds) == 64
    assert len(set(backgrounds)) == 4 - 1, "light, dark, and e2 and e4, both light"
    assert backgrounds[0] != backgrounds[1] == backgrounds[8], "a chessboard"


def test_a_game_with_all_commands() -> None:
    typed = (
        "e5\nKe2\nnonsense\n--\n\nhelp\nmoves\nhint\ne2e4\nflip\nfen\nundo\nundo\nd4\npgn\nquit\n"
    )
    result = run("play", "--engine", "s07", "--seed", 1, "--ascii", typed=typed)
    assert result.exit_code == 0 and result.stderr == ""
    text = result.stdout
    assert text.isascii()
    assert "No pawn of yours can go to e5" in text
    assert "'Ke2' is not legal" in text
    assert "'nonsense' is not a move" in text
    assert "'--' is not a move" in text
    assert all(re.search(rf"^  {name} +\w", text, re.MULTILINE) for name in COMMANDS)
    assert "Na3 Nc3 Nf3 Nh3 a3 a4" in text
    assert "s07 would play " in text
    assert text.count("Black played") >= 3, "after e4, after flip, after d4"
    assert "   h  g  f  e  d  c  b  a" in text
    assert "4P3/8/PPPP1PPP/RNBQKBNR w KQkq" in text
    assert "There is no move of yours to take back." in text
    assert text.count('[White "Human"]\n[Black "s07"]') == 2, "when asked for, and at the end"
    assert "pgn FILE" in text


def test_a_game_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "mate.pgn"
    typed = f"Ra8\nRa8\nhint\nresign\npgn {path}\nundo\npgn {path}\nh3\nresign\n"
    result = run("play", "--engine", "s07", "--fen", MATE_IN_ONE, typed=typed)
    assert result.exit_code == 0
    assert result.stdout.count("White wins: checkmate") == 2
    assert "The game is over." in result.stdout
    assert "Black wins: resignation" in result.stdout
    assert result.stdout.count(f"saved in {path}") == 3, "twice when asked, and at the end"
    assert "It is not saved" not in result.stdout
    with path.open() as file:
        game = chess.pgn.read_game(file)
        assert chess.pgn.read_game(file) is None
    assert game is not None and game.headers["Result"] == "0-1"
    assert game.headers["FEN"] == MATE_IN_ONE and game.next().san() == "h3"


def test_a_game_is_not_written_over_a_file(tmp_path: Path) -> None:
    path = tmp_path / "precious.pgn"
    path.write_text("precious")
    result = run("play", "--engine", "s05", "--seed", 1, typed=f"e4\npgn {path}\nquit\n")
    assert f"{path}: File exists" in result.stdout
    assert path.read_text() == "precious" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x.pgn", "a\0b.pgn", "no/such/folder.pgn"])
def test_a_game_that_cannot_be_saved_goes_on(name: str) -> None:
    result = run("play", "--engine", "s05", "--seed", 1, typed=f"e4\npgn {name}\nfen\nquit\n")
    assert result.exit_code == 0, result.output
    assert f"{name}: " in result.stdout and "the game is not saved, try another" in result.stdout
    assert " w KQkq - " in result.stdout.partition("not saved")[2], "the next command is answered"


def test_bytes_that_are_not_text_do_not_end_a_game() -> None:
    command = [*COMMAND, "play", "--engine", "s05", "--seed", "1"]
    environment = os.environ | PLAIN | {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8:strict"}
    shown = subprocess.run(
        command, input=b"e\xff4\ne4\nquit\n", cwd=ROOT, capture_output=True, env=environment
    )
    assert shown.returncode == 0 and b"1. e4 " in shown.stdout, shown


def test_a_game_is_saved_where_it_was_said(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    result = run(
        "play", "--engine", "s05", "--side", "both", "--pgn", path, typed="f3\ne5\ng4\nQh4\n"
    )
    assert "Black wins: checkmate" in result.stdout
    assert "1. f3 e5 2. g4 Qh4# 0-1" in path.read_text()
    assert path.read_text().count("Human") == 2


def test_the_way_to_go_on_works() -> None:
    first = run("play", "--engine", "s05", "--seed", 1, "--side", "black", typed="e5\n")
    line = first.stdout.strip().splitlines()[-1]
    words = shlex.split(line.removeprefix("To go on from here: "))
    assert words[:2] == ["course", "play"] and "--fen" in words
    fen = words[words.index("--fen") + 1]
    again = run(*words[1:], typed="fen\n")
    assert again.exit_code == 0
    assert chess.Board(fen).turn == chess.BLACK and fen in again.stdout


def test_random_sides_are_both_sides() -> None:
    starts = {
        run("play", "--engine", "s05", "--side", "random", "--seed", seed).stdout.split("\n")[-2]
        for seed in range(4)
    }
    assert len(starts) >= 2


def test_an_engine_that_breaks_down_does_not_take_the_game_along() -> None:
    fen = chess.STARTING_FEN.replace("0 1", "0 5")
    engine = f"{DUMMY}?Trick=crash"
    result = run("play", "--engine", engine, "--fen", fen, typed="e4\n")
    assert result.exit_code == 1
    assert "5. e4 *" in result.stdout and "To go on from here:" in result.stdout
    assert "broke down" in result.stderr and result.stderr.count("\n") == 1


@posix
def test_ctrl_c_at_the_board_shows_the_game() -> None:
    with Program("play", "--engine", "s07", "--seed", 1) as program:
        program.wait_for("stdout", "White's move: ")
        program.type("e4\n")
        program.wait_for("stdout", "White's move: ", 2)
        assert program.interrupt_until_it_ends() == cli.INTERRUPTED
        assert re.search(r"^1\. e4 \w+ \*$", program.said["stdout"], re.MULTILINE)
        assert "pgn FILE" in program.said["stdout"]
        assert "course play --engine s07 --side white --fen" in program.said["stdout"]
        assert program.said["stderr"] == ""


# UCI.


def test_uci_says_nothing_but_uci() -> None:
    with Program("uci", "--engine", "s07") as program:
        program.type("uci\nisready\nposition startpos moves e2e4\ngo depth 1\n")
        program.wait_for("stdout", "bestmove")
        program.type("quit\n")
        assert program.ends() == 0
        lines = program.said["stdout"].splitlines()
        assert program.said["stderr"] == ""
    word = r"(id (name|author) |option name |uciok$|readyok$|info |bestmove )"
    assert [line for line in lines if not re.match(word, line)] == []
    assert "option name Chapter type combo default s07 " in "\n".join(lines)
    board = chess.Board()
    board.push_san("e4")
    assert chess.Move.from_uci(lines[-1].split()[1]) in board.legal_moves


# Matches.


def test_a_match_goes_on_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    arguments = ("match", "s07", "s05", "--control", "d1", "--pgn", path)
    first = run(*arguments, "--games", 2)
    assert first.exit_code == 0, first.output
    assert re.match(r"s07 against s05: 2 games, \+\d =\d -\d, \S+ ± \S+ Elo\n", first.stdout)
    assert f"games: {path}" in first.stdout
    begun = path.read_bytes()
    second = run(*arguments, "--games", 4, "--workers", 2)
    assert second.exit_code == 0
    assert path.read_bytes().startswith(begun)
    assert sorted(game.number for game in read_played(path)) == [0, 1, 2, 3]
    assert second.stderr.splitlines()[0].startswith("2 of 4 games: +")
    assert second.stderr.splitlines()[-1].startswith("4 of 4 games: +")
    complete = path.read_bytes()
    third = run(*arguments, "--games", 4)
    assert third.stdout == second.stdout and path.read_bytes() == complete
    other = run("match", "s07", "s05", "--control", "d2", "--pgn", path, "--games", 4)
    assert other.exit_code == 2 and "expected 'd2'" in other.stderr


def test_a_test_ends_a_match(tmp_path: Path) -> None:
    path = tmp_path / "sprt.pgn"
    result = run(
        *("match", "s07", "s05", "--control", "d1", "--games", 200, "--pgn", path),
        *("--sprt", -400, -300, "--longest", 60),
    )
    assert result.exit_code == 0, result.output
    assert "SPRT of -400 against -300 Elo: LLR " in result.stdout
    assert "-300 Elo it is" in result.stdout
    assert "of 200 games" in result.stdout and len(read_played(path)) < 200
    assert ", LLR " in result.stderr.splitlines()[-1]


def test_openings_of_ones_own(tmp_path: Path) -> None:
    lines = tmp_path / "lines.pgn"
    lines.write_text('[ECO "A00"]\n[Opening "Mine"]\n\n1. a4 a5 2. h4 *\n')
    path = tmp_path / "match.pgn"
    result = run(
        *("match", "s05", "s07", "--control", "d1", "--games", 2, "--pgn", path),
        *("--openings", lines, "--longest", 20),
    )
    assert result.exit_code == 0, result.output
    assert path.read_text().count("1. a4 a5 2. h4") == 2


@posix
def test_ctrl_c_leaves_a_match_that_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    arguments = ("match", "s08", "s07", "--control", "d1", "--longest", 40, "--pgn", path)
    with Program(*arguments, "--workers", 2, "--games", 300) as program:
        program.wait_for("stderr", " of 300 games: ")
        program.interrupt()
        with contextlib.suppress(ProcessLookupError):
            program.interrupt()  # people press it more than once
        assert program.ends() == cli.INTERRUPTED
        said = program.said
    assert "Traceback" not in said["stderr"]
    stopped = said["stderr"].splitlines()[-1]
    assert re.fullmatch(
        rf"Stopped after \d+ of 300 games; the games are in {re.escape(str(path))}; "
        r"the same command goes on from there\.",
        stopped,
    )
    assert re.match(r"s08 against s07: \d+ of 300 games, \+\d+ =\d+ -\d+, ", said["stdout"])
    begun = path.read_bytes()
    done = read_played(path)
    assert 3 <= len(done) < 300 and begun.count(b"[Event ") == len(done)
    with path.open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert not [game.errors for game in games if game.errors]
    total = max(game.number for game in done) // 2 * 2 + 4
    again = run(*arguments, "--workers", 2, "--games", total)
    assert again.exit_code == 0, again.output
    assert path.read_bytes().startswith(begun)
    assert sorted(game.number for game in read_played(path)) == list(range(total))
    assert not path.with_name("match.pgn.broken").exists()


def test_ctrl_c_in_a_match_that_keeps_no_games(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Iterator[object]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(s21.Match, "run", interrupted)
    result = run("match", "s05", "s07", "--games", 2)
    assert result.exit_code == cli.INTERRUPTED
    assert result.stderr == (
        "Stopped after 0 of 2 games; its games are not kept; with --pgn FILE, a match can go on.\n"
    )


def test_a_worker_that_dies_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def dying(*_: object) -> Iterator[object]:
        raise BrokenProcessPool("somebody has killed it")
        yield

    monkeypatch.setattr(s21.Match, "run", dying)
    result = run("match", "s05", "s07", "--games", 2, "--pgn", tmp_path / "x.pgn")
    assert result.exit_code == 1 and result.stdout == ""
    assert "has died" in result.stderr and "goes on" in result.stderr
    assert result.stderr.count("\n") == 1


# Suites.

MATES = """\
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id "easy";
# a comment
k7/2Q5/1K6/8/8/8/8/8 w - - am Qb8+; dm 1; id "[b]avoid";
8/8/8/8/8/5k2/8/5K1R b - - bm Ke4; id "wrong";
"""


def test_a_suite_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "three.epd"
    path.write_text(MATES)
    result = run("suite", path, "--engine", "s12", "--depth", 2, "--workers", 2)
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines() if "easy" in line]
    assert "Ra8#" in rows[0] and "yes" in rows[0]
    assert "[b]avoid" in result.stdout, "a name is a name, whatever is in it"
    assert re.search(r"three: [23] of 3 solved", result.stdout)
    assert result.stderr.splitlines()[-1].startswith("3 of 3 problems: ")


def test_the_suites_of_the_course_are_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert {"mates", "bratko-kopec"} <= {path.stem for path in (DATA / "suites").glob("*.epd")}
    (tmp_path / "suites").mkdir()
    for name in ("a", "b"):
        path = tmp_path / "suites" / f"{name}.epd"
        path.write_text(MATES.splitlines()[0])  # both with the same name of the problem
    monkeypatch.setattr(cli, "DATA", tmp_path)
    result = run("suite", "--engine", "s09", "--depth", 2)
    assert result.stdout.splitlines()[-2:] == ["a: 1 of 1 solved", "b: 1 of 1 solved"]


def test_ctrl_c_in_a_suite_shows_what_is_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object) -> Iterator[object]:
        yield s21.Answer("0", "Ra8#", True, 0.1, 12, 0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr(s21, "run_suite", interrupted)
    path = tmp_path / "three.epd"
    path.write_text(MATES)
    result = run("suite", path, "--engine", "s07")
    assert result.exit_code == cli.INTERRUPTED
    assert "Ra8#" in result.stdout and "three: 1 of 1 solved" in result.stdout
    assert "Stopped after 1 of 3 problems" in result.stderr


# The ladder.


def test_a_ladder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in DATA.rglob("*") if path.is_file()}
    arguments = ("ladder", "s05", "s07", "s08", "--control", "d1")
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    games = tmp_path / "ladder" / "games.pgn"
    assert games.read_bytes().count(b"[Event ") == 6
    assert [line[2:5] for line in first.stdout.splitlines()[2:5]] == ["s05", "s07", "s08"]
    begun = games.read_bytes()
    second = run(*arguments, "--rounds", 2, "--workers", 2)
    assert second.exit_code == 0 and "12 games at d1" in second.stdout
    assert games.read_bytes().startswith(begun)
    table = run("ladder", "--table", "--folder", "ladder")
    assert table.stdout == second.stdout
    wrong = run("ladder", "s05", "s07", "--control", "d2")
    assert wrong.exit_code == 2 and "use another file" in wrong.stderr
    after = {path: path.read_bytes() for path in DATA.rglob("*") if path.is_file()}
    assert after == before, "the ladder of the course is left alone"


def test_ctrl_c_in_a_ladder_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("ladder", "s05", "s07", "--control", "d1", "--folder", tmp_path)
    assert run(*arguments).exit_code == 0
    done = read_played(tmp_path / "games.pgn")

    def interrupted(*_: object) -> Iterator[object]:
        yield done[0]
        raise KeyboardInterrupt

    monkeypatch.setattr("utils.matches.ladder.play_ladder", interrupted)
    result = run(*arguments)
    assert result.exit_code == cli.INTERRUPTED
    assert "| s07 |" in result.stdout and "1 games at d1" in result.stdout
    assert "Stopped after 1 of 2 games; the games are in " in result.stderr


# Books.

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
    assert out.read_bytes() == BOOK.read_bytes()
    assert result.stdout == f"wrote {out}: 807 moves in 551 positions, from 399 games\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), {"e4": 428, "d4": 285, "Nf3": 285}),  # Nf3 twice in one game, as s06 counts
        (("--weights", "games"), {"e4": 3, "d4": 2, "Nf3": 1}),
        (("--weights", "points"), {"e4": 3, "Nf3": 2}),
        (("--weights", "games", "--min-games", 2), {"e4": 3, "d4": 2}),
        (("--max-plies", 1, "--weights", "points"), {"e4": 3, "Nf3": 2}),
    ],
)
def test_weights_of_a_book(games: Path, options: tuple[object, ...], expected: object) -> None:
    out = games.with_name("out.bin")
    assert run("book", games, out, *options).exit_code == 0
    assert first_moves(out) == expected
    entries = read_book(out)
    if "--max-plies" in options:
        assert len({entry.key for entry in entries}) == 1


def test_heavy_weights_are_scaled(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.recipes.polyglot_book._HEAVIEST", 2)
    out = games.with_name("out.bin")
    assert run("book", games, out, "--weights", "games").exit_code == 0
    assert first_moves(out) == {"e4": 2, "d4": 1, "Nf3": 1}


def test_a_book_is_overwritten_only_on_request(games: Path) -> None:
    out = games.with_name("out.bin")
    out.write_bytes(b"precious")
    refused = run("book", games, out)
    assert refused.exit_code == 2 and "--force" in refused.stderr
    assert out.read_bytes() == b"precious"
    bad = games.with_name("bad.pgn")
    bad.write_text(GAMES + "1. e4 Ke5 *\n")
    failed = run("book", bad, out, "--force")
    assert failed.exit_code == 2 and "bad.pgn, game 7" in failed.stderr
    assert out.read_bytes() == b"precious"
    assert run("book", games, out, "--force").exit_code == 0
    assert first_moves(out)["e4"] == 428
    assert {path.name for path in games.parent.iterdir()} == {"games.pgn", "bad.pgn", "out.bin"}
