"""The engines of the course as a program for chess GUIs: `python -m utils.uci`.

A GUI and an engine talk in the protocol UCI, through the engine's standard input and output. The
answers come from chapter s25; this module reads and writes the two streams.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, TextIO

import typer

if not __package__:  # started by its path, as some GUIs do
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from utils.commands.options import DEFAULT_ENGINE, SeedOption, add_command, complete_engine

app = typer.Typer(add_completion=False)


def lines_of(stream: BinaryIO) -> Iterator[str]:
    """The lines of a stream as soon as they arrive; what is no UTF-8 is replaced."""
    try:
        for line in iter(stream.readline, b""):
            yield line.decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return


def claim_standard_output() -> TextIO:
    """The standard output for UCI alone; from now on `print` writes to the error output.

    Some GUIs drop an engine that prints a line which is not UCI.

    Raises:
        SystemExit: the standard output is closed.
    """
    try:
        os.fstat(1)
    except OSError:
        raise SystemExit("the standard output is closed; expected a pipe for answers") from None
    try:
        os.fstat(2)
    except OSError:  # there is no error output: discard what is printed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    output = os.dup(1)
    os.dup2(2, 1)
    return open(output, "w", encoding="utf-8", newline="\n")  # noqa: PTH123


def run(engine: str, seed: int | None = None) -> None:
    """Read UCI from the standard input and answer on the standard output, until `quit` or its end.

    When nobody reads the answers any more, the program ends at once with status 0, because the
    thread that reads the input cannot be interrupted.

    The cyclic garbage collector runs between games only. During a search it would visit all
    objects, such as the entries of a table, and delay the answer to `stop`. The searches of the
    course leave no reference cycles behind.

    Args:
        engine: the chapter of the engine, such as "s10"; a GUI can change it.
        seed: for all random choices, such as those from the opening book.

    Raises:
        SystemExit: the standard output is closed.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once and quietly
    output = claim_standard_output()

    def write(text: str) -> None:
        try:
            output.write(text)
            output.flush()
        except OSError:
            os._exit(0)

    from converted_notebooks.s25_playing import Player, serve

    class CollectingPlayer(Player):
        def new_game(self) -> None:
            super().new_game()
            gc.collect()

    gc.disable()
    lines = lines_of(sys.stdin.buffer) if sys.stdin else ()  # it may be closed
    serve(lines, write, CollectingPlayer(random.Random(seed), engine))


@add_command(app, "course uci --engine s10", "course uci --engine s27 --set SINGULAR_DEPTH=9")
def uci(
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            "-e",
            help="A chapter such as s10; a chess GUI can change it.",
            autocompletion=complete_engine,
        ),
    ] = DEFAULT_ENGINE,
    seed: SeedOption = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=NUMBER",
            help="Another value for a number of the chapter, or of one before: s22.RAZORING=300.",
        ),
    ] = None,
) -> None:
    """Run an engine for a chess GUI: read and answer UCI commands.

    Nothing but UCI goes to the standard output. `quit` ends it.
    """
    from utils.engines import players, set_numbers

    if engine not in players():
        raise typer.BadParameter(f"{engine!r}; expected one of {', '.join(players())}")
    try:
        set_numbers(engine, numbers or [])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    run(engine, seed)


if __name__ == "__main__":
    app()
