"""The engines of the course as a program for chess windows: `python -m utils.uci`.

Such a program talks to its window through its input and output, in the language UCI.
What it says is made in chapter s22; here are only the two pipes.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO

if not __package__:  # started by its path, as some windows do
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from utils.engines import players
from utils.jupyter_loader import load_chapter

STRONGEST = "s20"
"""The chapter that plays if none is named."""


def lines_of(stream: BinaryIO) -> Iterator[str]:
    """The lines of a stream as soon as they arrive; what is no UTF-8 is replaced."""
    try:
        for line in iter(stream.readline, b""):
            yield line.decode("utf-8", errors="replace")
    except (KeyboardInterrupt, OSError, ValueError):
        return


def keep_output() -> TextIO:
    """The standard output, for the protocol alone: what others print goes to the error output.

    A single line that does not belong there, and some windows give the engine up.
    """
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    return open(ours, "w", encoding="utf-8", newline="\n")  # noqa: PTH123


def run(engine: str = STRONGEST, seed: int | None = None) -> int:
    """Listens on the standard input and answers on the standard output.

    Args:
        engine: the chapter to play as, such as "s10"; a window can change it.
        seed: of the choice in the opening book and of engines that draw lots.

    Returns:
        0, when the other side has said `quit` or has gone.
    """
    output = keep_output()

    def write(text: str) -> None:
        output.write(text)
        output.flush()

    chapter = load_chapter("s22_playing")
    settings = chapter.Settings(chapter=engine)
    mind = chapter.PlayingMind(random.Random(seed), settings)
    with contextlib.suppress(KeyboardInterrupt):
        chapter.serve(lines_of(sys.stdin.buffer), write, mind)
    with contextlib.suppress(OSError):  # perhaps nobody reads it any more
        output.close()
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the arguments of the command line and runs the engine."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", choices=players(), default=STRONGEST, help="such as s10")
    parser.add_argument("--seed", type=int, help="of the choice in the opening book")
    options = parser.parse_args(arguments)
    return run(options.engine, options.seed)


if __name__ == "__main__":
    sys.exit(main())
