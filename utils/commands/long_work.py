"""Runs long work of a command: starts its players, shows progress, prints its results."""

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
"""Yields how many units of work are done, with a few words about the results so far."""


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
        steps: does the work with an executor.
        show: prints the results so far.
        players: each program among them is started once before the work, to report one that does
            not run.
        unit: the unit of the work in the plural, such as "games".
        total: how many units there are.
        resume: how to continue after an interruption, in words.
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
    """How to continue when the games are in a file, in words."""
    return f"the games are in {path}; the same command goes on from there"


def progress_bar(unit: str, total: int | None = None) -> Any:
    """A progress bar on the error output, for work of more than a second.

    If that is no terminal, it is printed every ten seconds.
    """
    from tqdm import tqdm  # type: ignore[import-untyped]

    interval = 0.1 if sys.stderr.isatty() else 10  # seconds
    return tqdm(total=total, unit=f" {unit}", delay=1, mininterval=interval)


def start_player(spec: str, rng: random.Random | None = None) -> Engine:
    """A player, as from `make_player`.

    Raises:
        InputError: it cannot be started.
    """
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
