"""The command line: what is typed, what is said when it is wrong, and what Ctrl-C leaves behind."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import chess.engine
import chess.pgn
import pytest
import typer
from typer.testing import CliRunner, Result

from converted_notebooks import s24_measuring_strength as s24
from converted_notebooks.s06_opening_book import COURSE_BOOK, OPENINGS, OpeningBook, read_book
from tests.helpers.loader_tools import Project
from tests.helpers.programs import DUMMY, Program, posix, posix_system, until
from tests.play.front_end import Scripted
from utils import cli
from utils.commands.errors import INTERRUPTED, stopped_by_ctrl_c
from utils.commands.long_work import progress_bar
from utils.commands.match import match_summary
from utils.engines import ENGINES, make_player, players
from utils.matches.ladder_results import FOLDER, ladder_table, load_ladder
from utils.matches.records import read_played
from utils.matches.suites import Answer
from utils.paths import DATA, ROOT
from utils.play.terminal import COMMANDS, draw_board

COMMAND = [sys.executable, "-m", "utils.cli"]
PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
PYTHON = Path(sys.executable).as_posix()
COMMAND_NAMES = ("play", "uci", "match", "suite", "ladder", "tournament", "book")
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def run(*arguments: object, typed: str = "") -> Result:
    """A command in this process."""
    return CliRunner().invoke(cli.app, [str(a) for a in arguments], input=typed, env=PLAIN)


# Help, completion, errors.


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_help_says_what_a_command_does_and_gives_examples(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0 and run(name, "-h").stdout == result.stdout
    assert name in run("--help").stdout == run().stdout
    (command,) = getattr(cli, name).app.registered_commands
    examples = [line.replace(r"\[", "[") for line in (command.epilog or "").splitlines()[1:]]
    assert examples
    for line in examples:
        assert " ".join(line.split()) in " ".join(result.stdout.split())
        assert line.startswith(f"course {name}")
        options = [word for word in shlex.split(line) if word.startswith("--")]
        assert all(re.search(rf"{option}\b", result.stdout) for option in options)


def test_help_does_not_wait_for_chapters() -> None:
    code = "import sys, utils.cli; print(*sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    modules = set(shown.stdout.split())
    assert "utils.cli" in modules
    assert not modules & {"chess", "numpy", "matplotlib", "IPython", "asyncio", "utils.engines"}
    assert not [name for name in modules if name.startswith("converted_notebooks.")]


def engines_of(number: str) -> set[str]:
    """The engines, also of a reader's own chapters, whose number begins like this."""
    return {name for name in players() if name.startswith(number)}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("course ma", {"match"}),
        ("course match s1", engines_of("s1")),
        ("course match s10 s0", engines_of("s0")),
        ("course uci --engine s", {*ENGINES, *engines_of("s")}),
        ("course play --engine s2", {"s22", "s23", "s27"} | engines_of("s2")),
        ("course ladder s05 s2", engines_of("s2")),
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


BAD_INPUT = """
mach | mach
play --engine s99 | s99
play --engine nobody | nobody
play --engine s12?Hash | s12?Hash
play --time 0 | --time
play --depth 3 --time 1 | --time 1 --depth 3
play --fen xyz | xyz
play --fen '8/8/8/8/8/8/8/K7 w - - 0 1' | 8/8/8/8/8/8/8/K7
play --pgn {old} | old.pgn
play --engine '{silent}' | does not start
uci --engine stockfish | stockfish
match s05 | SECOND
match s05 s07 --games 3 | 3 games
match s05 s07 --control 5x | 5x
match s05 s07 --sprt 5 0 | 5 0
match s05 s07 --sprt nan 0 | nan
match s05 s07 --sprt 0 7000 | 7000
match s05 s07 --sprt -7000 0 | -7000
match s05 s07 --sprt low high | low
match s05 s07 --workers 0 | '0'
match s05 s07 --openings none.pgn | none.pgn
match s05 s07 --openings {old} | old.pgn
match s05 s07 --openings {binary} | binary
match s05 s07 --openings {late} | 8/8/8/8/8/8/8/K6k
match s05 s07 --openings {empty} | empty has no games
match s05 s07 --openings {wrong} | wrong.pgn
match s05 s07 --pgn {folder} | {folder}
match s05 s07 --pgn {epd} | no.epd
match s05 '{silent}' | does not start
match s05 '{dummy}?Nix=1' | Nix
suite {old} | line 1
suite {binary} | binary
suite {empty} | empty
suite --engine s99 | s99
suite --time nan | nan
play --time nan | nan
suite --nodes 5 --depth 2 | --nodes 5 --depth 2
ladder s05 | s05
ladder s05 s05 | s05 s05
ladder s05 s99 | s99
ladder s05 s07 --control 3 | '3'
ladder s05 s07 --sprt 30 0 | 30 0
ladder --folder {old} | old.pgn
ladder --table --folder {folder} | ladder.json
ladder s05 s07 --table | expected no names
tournament --list {binary} | binary
tournament A=s05 B=s07 --rounds 2 | --rounds 2 is for a Swiss
book {old} {old} | old.pgn
book {old} {old} --force | old.pgn
book {old} {folder} | {folder}
book {old} {folder}/no/new.bin | new.bin: there is no folder
play --pgn {folder}/no/new.pgn | new.pgn: there is no folder
book {old} {folder}/new.bin --min-games 7 | 7 games
book {binary} {folder}/new.bin | binary
book {empty} {folder}/new.bin | empty
book {illegal} {folder}/new.bin | illegal.pgn, game 2
"""
if posix_system:
    BAD_INPUT += "match s05 s07 --pgn /dev/null | /dev/null is not a regular file"


@pytest.mark.parametrize("case", BAD_INPUT.strip().splitlines())
def test_bad_input_is_named_in_one_line(case: str, tmp_path: Path) -> None:
    arguments, value = case.split(" | ")
    old = '[Event "A game"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    files = {
        "old.pgn": old.encode(),
        "illegal.pgn": f'{old}[Event "B"]\n\n1. e4 Ke5 *\n'.encode(),
        "binary": b"\xff\xfe\x00[Event\x80",
        "empty": b"\n",
        "late.pgn": b'[ECO "A"]\n[Opening "A"]\n[FEN "8/8/8/8/8/8/8/K6k w - - 0 1"]\n\n1. Ka2 *\n',
        "wrong.pgn": b'[ECO "A"]\n[Opening "A"]\n\n1. e4 Ke5 *\n',
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


def test_a_chapter_that_is_no_module_is_said_in_one_line(chapters: Project) -> None:
    chapters.write("s06_opening_book", "print(1)")
    result = run("match", "s05", "s07")
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("course: ") and result.stderr.count("\n") == 1
    assert "s06_opening_book.ipynb" in result.stderr


def test_a_real_process_shows_no_traceback_and_ends_no_game_at_bytes_that_are_no_text() -> None:
    environment = os.environ | PLAIN | {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8:strict"}
    command = [*COMMAND, "play", "--engine", "s05", "--seed", "1"]
    shown = subprocess.run([*COMMAND, "play", "--fen", "8/8"], cwd=ROOT, capture_output=True)
    assert shown.returncode == 2 and shown.stdout == b""
    assert shown.stderr.startswith(b"course: FEN '8/8': ") and shown.stderr.count(b"\n") == 1
    typed = b"e\xff4\ne4\nquit\n"
    shown = subprocess.run(command, input=typed, cwd=ROOT, capture_output=True, env=environment)
    assert shown.returncode == 0 and b"1. e4 " in shown.stdout, shown


@posix
def test_a_program_with_a_question_mark_in_its_path_can_play(tmp_path: Path) -> None:
    path = tmp_path / "what?" / "engine?x"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {DUMMY} "$@"\n')
    path.chmod(0o755)
    for spec in (str(path), f"{path}?UCI_Elo=1500&Trick=none"):
        player = make_player(spec)
        assert player.play(chess.Board(), chess.engine.Limit(depth=1)).move is not None
        player.close()


def test_a_command_on_windows_may_have_backslashes_and_quoted_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = list[Sequence[str]]()
    monkeypatch.setattr("utils.engines.os", SimpleNamespace(name="nt", path=os.path))
    monkeypatch.setattr("utils.engines.shutil.which", lambda word: word)
    monkeypatch.setattr("utils.uci_engine.UciEngine", lambda words, _: given.append(words))
    make_player(r'"C:\my engines\ben.exe" --name="Big Ben" C:\books\b.bin')
    assert given == [[r"C:\my engines\ben.exe", "--name=Big Ben", r"C:\books\b.bin"]]


def test_progress_is_shown_with_the_results_so_far(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("games", 40) as bar:
        bar.update(5)
        assert capsys.readouterr().err == "", "short work needs none"
        bar.delay = bar.mininterval = 0  # seconds
        bar.set_postfix_str("+3 =4 -3", refresh=False)
        bar.update(5)
    assert re.search(r"10/40 \[.* games.*, \+3 =4 -3\]", capsys.readouterr().err)


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


def test_the_way_to_go_on_works() -> None:
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


def test_an_engine_that_breaks_down_does_not_take_the_game_along() -> None:
    result = run("play", "--engine", f"{DUMMY}?Trick=crash", typed="e4\n")
    assert result.exit_code == 1
    assert "1. e4 *" in result.stdout and "To go on from here:" in result.stdout
    assert "broke down" in result.stderr and result.stderr.count("\n") == 1


# Ctrl-C.


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


@posix
def test_ctrl_c_leaves_a_match_that_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    arguments = ("match", "s08", "s07", "--control", "d1", "--pgn", path)
    with Program([*COMMAND, *arguments, "--workers", 2, "--games", 300]) as program:
        until(lambda: path.exists() and path.read_bytes().count(b"[Event ") >= 3)
        assert program.ends(interrupted=True) == INTERRUPTED
        said = program.said
    assert "Traceback" not in said["stderr"]
    on = f"the games are in {path}; the same command goes on from there."
    assert re.search(rf"^Stopped after \d+ of 300 games; {re.escape(on)}$", said["stderr"], re.M)
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


THREE = ("s05", "s06", "s07")
OF_THREE = [g for g in read_played(FOLDER / "games.pgn") if {g.first, g.second} < {*THREE}]
ANSWER = Answer(0, "M2.01", "Ra8#", True, 0.1, 12)


@pytest.mark.parametrize(
    ("command", "shown", "done", "resume"),
    [
        ("match s05 s07 --games 2", "", "0 of 2 games", "its games are not kept; with --pgn FILE"),
        ("match s05 s07 --pgn x.pgn", "", "0 of 100 games", "the games are in x.pgn; the same"),
        ("suite", "bratko-kopec: 1 of 1 solved", "1 of 24 problems", "a suite starts again"),
        (
            "ladder s05 s06 s07",
            "| s07 |",
            "6 of 6 games",
            f"the games are in {Path('ladder', 'games.pgn')}; the",
        ),
    ],
)
def test_ctrl_c_and_dead_workers(
    command: str,
    shown: str,
    done: str,
    resume: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(results: Sequence[object], error: type[BaseException]) -> Iterator[object]:
        yield from results
        raise error("somebody has killed it")

    monkeypatch.chdir(tmp_path)
    Path("ladder").mkdir()
    for error, code in ((KeyboardInterrupt, INTERRUPTED), (BrokenProcessPool, 1)):
        results = [OF_THREE[:6]] if "ladder" in command else []
        for name, some in (("plan.play_plan", results), ("suites.run_suite", [ANSWER])):
            failing = functools.partial(fail, some, error)
            monkeypatch.setattr(
                f"utils.matches.{name}", lambda *_, failing=failing, **options: failing()
            )
        result = run(*command.split())
        last = result.stderr.splitlines()[-1]
        assert result.exit_code == code and resume in last, last
        if error is KeyboardInterrupt:
            assert last.startswith(f"Stopped after {done}; ") and shown in result.stdout
            assert bool(result.stdout) == bool(shown) and "mates: " not in result.stdout
            table = Path("ladder", "ladder.json")  # from which --table makes it again
            assert table.exists() == ("ladder" in command)
        else:
            assert "a worker process has died; " in last and result.stdout == ""


def test_a_second_ctrl_c_and_one_that_is_ignored_change_nothing() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopped_by_ctrl_c():  # a job in the background
            signal.raise_signal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        again = functools.partial(signal.raise_signal, signal.SIGINT)
        with pytest.raises(typer.Exit), stopped_by_ctrl_c(again):
            signal.raise_signal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with stopped_by_ctrl_c():
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

        def in_a_thread() -> bool:  # where no handler can be set
            with stopped_by_ctrl_c():
                return signal.getsignal(signal.SIGINT) is signal.default_int_handler

        with ThreadPoolExecutor() as executor:
            assert executor.submit(in_a_thread).result()
    finally:
        signal.signal(signal.SIGINT, before)


# What is said is what is done.


def test_an_engine_gets_the_time_and_the_depth_that_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Scripted()
    monkeypatch.setattr("utils.commands.play.start_player", lambda *_: engine)
    for options in ((), ("--time", 0.5), ("--depth", 3)):
        run("play", "--side", "black", *options, typed="quit\n")
    limit = chess.engine.Limit
    assert engine.limits == [limit(time=1.0), limit(time=0.5), limit(depth=3)]


def test_a_suite_gets_the_control_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def ask(engine: str, suite: object, limit: str, executor: object) -> Iterator[Answer]:
        asked.append(limit)
        return iter(())

    monkeypatch.setattr("utils.matches.suites.run_suite", ask)
    for options in ((), ("--nodes", 5), ("--time", 0.25), ("--depth", 2)):
        run("suite", DATA / "suites" / "mates.epd", *options)
    assert asked == ["1s", "5n", "0.25s", "d2"]


def test_a_tournament_is_the_one_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[tuple[Any, ...]]()

    def record(*given: object) -> None:
        made.append(given)
        raise ValueError("enough")

    monkeypatch.setattr("utils.matches.tournament.Tournament", record)
    (tmp_path / "more.txt").write_text("C=s07\n", encoding="utf-8")
    words = "--system swiss --rounds 3 --games 4 --control d1 --grace 0.25 --longest 80 --seed 9"
    run("tournament", "A=s05", "B=s06", "--list", tmp_path / "more.txt", *words.split())
    (entrants, *settings), *_ = made
    assert [entrant.name for entrant in entrants] == ["A", "B", "C"]
    assert settings == ["d1", "swiss", 4, 3, 9, 80, 0.25]
    for count, rounds in ((2, 1), (7, 3), (12, 5)):
        run("tournament", *(f"p{n}=s05" for n in range(count)), "--system", "swiss")
        assert made[-1][1:5] == ("10+0.1", "swiss", 2, rounds)


def test_workers_and_scheduler_are_those_that_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    where = list[tuple[object, ...]]()

    @contextlib.contextmanager
    def note(*given: object) -> Iterator[None]:
        where.append(given)
        yield None

    monkeypatch.setattr("utils.matches.workers.worker_pool", note)
    options = ("--workers", 3, "--scheduler", "tcp://x:1")
    run("match", "s05", "s07", "--games", 2, "--control", "d1", *options)
    assert where == [(3, "tcp://x:1")]
    monkeypatch.setattr("utils.matches.plan.play_plan", lambda *_, **options: iter(()))
    elsewhere = ("match", "s05", "only-the-cluster-has-this", "--scheduler", "tcp://x:1")
    assert run(*elsewhere).exit_code == 0, "nothing is started here"
    assert run(*elsewhere[:3]).exit_code == 2


def test_a_seed_is_kept_with_the_games(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    run("match", "s05", "s07", "--games", 2, "--control", "d1", "--seed", 7, "--pgn", path)
    assert [game.headers["Seed"] for game in read_played(path)] == ["7", "7"]


def test_the_page_says_how_long_a_tournament_will_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, hours = list[str](), itertools.count(0, 3600)
    monkeypatch.setattr(
        "utils.commands.tournament.time", SimpleNamespace(monotonic=lambda: next(hours))
    )
    monkeypatch.setattr(
        "utils.commands.tournament.replace_file", lambda path, text: pages.append(text)
    )
    players = (f"a={DUMMY}", f"b={DUMMY}")
    options = ("--control", "d1", "--longest", 2, "--folder", tmp_path)
    run("tournament", *players, *options)
    assert "about 1.0 hours to go" in pages[0]


def test_games_of_an_earlier_run_took_none_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pages, seconds = list[str](), itertools.count(0, 3600)
    games = OF_THREE[:6]
    parts = [(games[:count], list[Any]()) for count in (4, 5, 6)]
    contest = SimpleNamespace(
        total=6, names=[], hours=lambda _workers: None, play=lambda *_: iter(parts)
    )
    for name, stand_in in (
        ("utils.matches.tournament.Tournament", lambda *_: contest),
        ("utils.matches.tournament.absent", lambda _entrants: {}),
        ("utils.matches.tournament.standings", lambda *_: []),
        ("utils.matches.tournament_page.page", lambda *given: str(given[-1])),
        ("utils.matches.records.read_played", lambda _path: games[:4]),
        ("utils.commands.tournament.replace_file", lambda _path, text: pages.append(text)),
        ("utils.commands.tournament.time", SimpleNamespace(monotonic=lambda: next(seconds))),
    ):
        monkeypatch.setattr(name, stand_in)
    assert run("tournament", "A=s05", "B=s06", "C=s07").exit_code == 0
    assert pages == ["None", "1.0", "0.0"], "hours to go"


# Matches, suites, ladders.


def test_a_match_is_summed_up() -> None:
    test = s24.Sprt(0, 20)
    for verdict, words in (
        ("continue", "not decided"),
        ("accept H0", "+0 Elo fits better"),
        ("accept H1", "+20 Elo fits better"),
    ):
        pairs, state = s24.Pentanomial((0, 1, 2, 3, 0)), s24.SprtState(0.5, -2.94, 2.94, verdict)
        found = s24.Standing(5, 4, 3, pairs, 20, 2, state)
        lines = match_summary("a", "b", found, test).splitlines()
        low, high = pairs.interval
        assert lines[:4] == [
            f"a against b: 12 of 20 games, {found}",
            "score: 58.3%; pairs with 0, ½, 1, 1½, 2 points: 0 1 2 3 0",
            f"95 % interval, from the pairs: {low:+.0f} to {high:+.0f} Elo",
            "games lost on time, by an illegal move or a breakdown: 2",
        ]
        assert lines[4:] == [f"SPRT of +0 against +20 Elo: LLR 0.50 in (-2.94, 2.94): {words}"]
    whole = s24.Standing(1, 0, 0, s24.Pentanomial(), 1, 0)
    assert match_summary("a", "b", whole, None).splitlines() == [
        "a against b: 1 games, +1 =0 -0, +∞ ± ∞ Elo",
        "score: 100.0%; pairs with 0, ½, 1, 1½, 2 points: 0 0 0 0 0",
        "95 % interval, from the pairs: -∞ to +∞ Elo",
    ]


def test_a_match_says_its_result_again_and_refuses_the_file_of_another(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    arguments = ("match", "s07", "s05", "--games", 2, "--pgn", path, "--control")
    first = run(*arguments, "d1")
    assert first.exit_code == 0, first.output
    assert re.match(r"s07 against s05: 2 games, \+\d =\d -\d, \S+ ± \S+ Elo\n", first.stdout)
    assert f"games: {path}" in first.stdout
    complete = path.read_bytes()
    assert run(*arguments, "d1").stdout == first.stdout and path.read_bytes() == complete
    other = run(*arguments, "d2")
    assert other.exit_code == 2 and "expected 'd2'" in other.stderr


def test_a_test_ends_a_match_with_openings_of_ones_own(tmp_path: Path) -> None:
    lines, path = tmp_path / "lines.pgn", tmp_path / "sprt.pgn"
    lines.write_text('[ECO "A00"]\n[Opening "Mine"]\n\n1. a4 a5 2. h4 *\n')
    result = run(
        *("match", "s07", "s05", "--control", "d1", "--games", 200, "--pgn", path),
        *("--sprt", -900, -700, "--openings", lines),
    )
    assert result.exit_code == 0, result.output
    assert "SPRT of -900 against -700 Elo: LLR " in result.stdout
    assert "-700 Elo fits better" in result.stdout
    played = read_played(path)
    assert "of 200 games" in result.stdout and len(played) < 200
    assert path.read_text().count("1. a4 a5 2. h4") == len(played)


MATES = """\
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id "same";
# a comment
k7/2Q5/1K6/8/8/8/8/8 w - - am Qb8+; dm 1; id "[b]avoid";
8/8/8/8/8/5k2/8/5K1R b - - bm Ke4; id "same";
"""


def test_a_suite_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "three.epd"
    path.write_text(MATES)
    shown = [
        run("suite", path, "--engine", "s12", "--depth", 2, "--workers", workers)
        for workers in (1, 2)
    ]
    here, there = (re.sub(r"\d\.\d\d", "seconds", result.stdout) for result in shown)
    assert here == there and {result.exit_code for result in shown} == {0}
    rows = [line.split() for line in here.splitlines() if "same" in line]
    assert "Ra8#" in rows[0] and "yes" in rows[0] and len(rows) == 2
    assert "[b]avoid" in here, "a name is a name, whatever is in it"
    assert re.search(r"three: [23] of 3 solved", here)


def test_answers_are_shown_in_the_order_of_the_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, names = tmp_path / "many.epd", [f"p{n:02}" for n in range(12)]
    path.write_text("".join(MATES.splitlines()[0].replace("same", name) + "\n" for name in names))
    found = [
        Answer(n, f"p{n:02}", f"m{n}", n > 9, 0.25 if n > 9 else None, None) for n in range(12)
    ]
    monkeypatch.setattr("utils.matches.suites.run_suite", lambda *_: iter(found[::-1]))
    result = run("suite", path)
    cells = [re.findall(r"[\w.]+", line) for line in result.stdout.splitlines()]
    rows = [row for row in cells if row and row[0] in names]
    assert rows[:10] == [[name, f"m{n}", "no"] for n, name in enumerate(names[:10])]
    assert rows[10:] == [["p10", "m10", "yes", "0.25"], ["p11", "m11", "yes", "0.25"]]
    assert "many: 2 of 12 solved" in result.stdout


def test_the_suites_of_the_course_are_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert {"mates", "bratko-kopec"} <= {path.stem for path in (DATA / "suites").glob("*.epd")}
    (tmp_path / "suites").mkdir()
    for name in ("a", "b"):
        (tmp_path / "suites" / f"{name}.epd").write_text(MATES.splitlines()[0])
    monkeypatch.setattr("utils.commands.suite.DATA", tmp_path)
    result = run("suite", "--engine", "s09", "--depth", 2)
    assert "a: 1 of 1 solved" in result.stdout and "b: 1 of 1 solved" in result.stdout


def test_a_ladder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in FOLDER.iterdir()}
    arguments = ("ladder", *THREE, "--control", "d1")
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    path = tmp_path / "ladder" / "games.pgn"
    begun, table = path.read_bytes(), path.with_name("ladder.json")
    earlier = table.read_bytes()
    assert begun.count(b"[Event ") == 6
    assert [line[2:5] for line in first.stdout.splitlines()[2:5]] == [*THREE]
    second = run(*arguments, "--rounds", 2, "--workers", 2)
    assert second.exit_code == 0 and "12 games at d1" in second.stdout
    assert path.read_bytes().startswith(begun)
    later = table.read_bytes()
    table.write_bytes(earlier.replace(b'"rounds": 1', b'"rounds": 2'))
    assert run("ladder", "--table", "--folder", "ladder").stdout == second.stdout
    assert table.read_bytes() == later != earlier
    assert run("ladder", "--table").stdout == f"{ladder_table(load_ladder())}\n"
    wrong = run("ladder", "s05", "s07", "--control", "d2")
    assert wrong.exit_code == 2 and "use another file" in wrong.stderr
    assert str(Path("ladder", "games.pgn")) in wrong.stderr
    after = {path: path.read_bytes() for path in FOLDER.iterdir()}
    assert after == before, "the ladder of the course is left alone"


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


def test_a_ladder_of_neighbours_ends_what_is_decided(tmp_path: Path) -> None:
    folder = tmp_path / "ladder"
    options = ("--rounds", 30, "--near", 1, "--sprt", -900, -700, "--folder", folder)
    assert run("ladder", *THREE, "--control", "d1", *options).exit_code == 0
    found = load_ladder(folder / "ladder.json")
    assert (found.near, found.sprt, len(found.results)) == (1, (-900, -700), 2)
    assert found.games < 120
