"""Work of a command that takes long: its players, its progress bar, and its results so far."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from utils.commands.errors import error_text, input_errors, stopped_by_ctrl_c

if TYPE_CHECKING:
    from converted_notebooks.s04_engine_interface import Engine

Progress = Generator[tuple[int, str], None, None]
"""How many units of some work are done, with a few words about the results so far."""


def run_long_work(
    steps: Callable[[Executor | None], Progress],
    show: Callable[[], None],
    players: Sequence[str],
    unit: str,
    total: int,
    resume: str,
    workers: int,
    scheduler: str | None = None,
) -> None:
    """Do long work with a progress bar, and show the results.

    Ctrl-C stops it: the results so far are shown, and the program ends.

    Args:
        steps: does the work with an executor; yields how many units are done, with a few
            words about the results so far.
        show: prints the results so far.
        players: each program among them is started once before the work, so that one that
            does not run is noticed now.
        unit: what is counted, in the plural, such as "games".
        total: units in all.
        resume: how to go on after an interruption.
        workers: processes on this machine.
        scheduler: the address of a Dask scheduler, which does the work instead.
    """
    from utils.engines import ENGINES
    from utils.matches.workers import worker_pool

    for spec in dict.fromkeys(players):
        if scheduler is None and spec not in ENGINES:
            start_player(spec).close()
    done = 0

    def show_what_is_done() -> None:
        if done:
            show()
        typer.echo(f"Stopped after {done} of {total} {unit}; {resume}.", err=True)

    with stopped_by_ctrl_c(show_what_is_done), input_errors():
        try:
            with (
                worker_pool(workers, scheduler) as executor,
                progress_bar(unit, total) as bar,
                contextlib.closing(steps(executor)) as progress,
            ):
                for done, note in progress:
                    bar.set_postfix_str(note, refresh=False)
                    bar.update(done - bar.n)
        except BrokenExecutor as error:
            raise typer.TyperException(f"a worker process has died; {resume}") from error
    show()


def resume_hint(path: Path) -> str:
    """How to go on with games that are kept in a file."""
    return f"the games are in {path}; the same command goes on from there"


def progress_bar(unit: str, total: int | None = None) -> Any:
    """A bar on the error output for work of more than a second.

    Where that is no terminal, it is written every ten seconds.
    """
    from tqdm import tqdm  # type: ignore[import-untyped]

    interval = 0.1 if sys.stderr.isatty() else 10  # seconds
    return tqdm(total=total, unit=f" {unit}", delay=1, mininterval=interval)


def start_player(spec: str, rng: random.Random | None = None) -> Engine:
    """A player; an error of one line if there is none."""
    import chess.engine

    from utils.engines import make_player

    with input_errors():
        try:
            return make_player(spec, rng)
        except (chess.engine.EngineError, TimeoutError) as error:
            raise ValueError(
                f"the engine {spec!r} does not start ({error_text(error)}); expected a program "
                "that speaks UCI, and options that it has"
            ) from error
