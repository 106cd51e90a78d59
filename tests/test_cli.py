"""The command line: help, the tab key, and what is said of bad input."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.commands.command_line import COMMAND, PLAIN, run
from tests.helpers.loader_tools import Project
from tests.helpers.programs import DUMMY, posix_system
from utils import cli
from utils.engines import ENGINES, players
from utils.paths import ROOT

PYTHON = Path(sys.executable).as_posix()
COMMAND_NAMES = ("play", "uci", "match", "suite", "ladder", "tournament", "book")


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
def test_the_tab_key_completes_commands_and_engines(words: str, expected: set[str]) -> None:
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


def test_no_traceback_is_shown_and_bytes_that_are_no_text_end_no_game() -> None:
    environment = os.environ | PLAIN | {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8:strict"}
    command = [*COMMAND, "play", "--engine", "s05", "--seed", "1"]
    shown = subprocess.run([*COMMAND, "play", "--fen", "8/8"], cwd=ROOT, capture_output=True)
    assert shown.returncode == 2 and shown.stdout == b""
    assert shown.stderr.startswith(b"course: FEN '8/8': ") and shown.stderr.count(b"\n") == 1
    typed = b"e\xff4\ne4\nquit\n"
    shown = subprocess.run(command, input=typed, cwd=ROOT, capture_output=True, env=environment)
    assert shown.returncode == 0 and b"1. e4 " in shown.stdout, shown
