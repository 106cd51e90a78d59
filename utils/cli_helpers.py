"""What the commands of `course` share: errors of one line, Ctrl-C, and work that takes long."""

from __future__ import annotations

import contextlib
import inspect
import random
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer
from typer.core import TyperGroup

from utils.notebook.names import NotebookError

if TYPE_CHECKING:
    from converted_notebooks.s04_engine_interface import Engine

Function = TypeVar("Function", bound=Callable[..., Any])
Progress = Generator[tuple[int, str], None, None]
"""How many units of some work are done, with a few words about the results so far."""

INTERRUPTED = 130  # the exit code that shells expect after Ctrl-C
DEFAULT_ENGINE = "s23"
"""The chapter that plays if none is named."""
SeedOption = Annotated[int | None, typer.Option(help="Makes all random choices repeatable.")]


class InputError(typer.TyperException):
    """Something that the user can correct; shown as one line."""

    exit_code = 2


class OneLineErrors(TyperGroup):
    """The commands, with errors of one line instead of a frame of many."""

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        """Run a command and end the program."""
        try:
            code = super().main(*args, **settings | {"standalone_mode": False})
        except typer.TyperException as error:
            typer.echo(one_line(error), err=True)
            code = error.exit_code
        except (NotebookError, OSError) as error:  # of a chapter that a command needs
            typer.echo(f"course: {' '.join(error_text(error).split())}", err=True)
            code = InputError.exit_code
        sys.exit(code if isinstance(code, int) else 0)


def require_folder(path: Path) -> None:
    """Refuses a new file whose folder is missing.

    Raises:
        ValueError: there is no such folder.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder}; make it first")


def one_line(error: typer.TyperException) -> str:
    """What is wrong, with the command and the value in question."""
    text = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    refused = getattr(error.__cause__, "errors", None)  # of pydantic
    value = refused()[0].get("input") if refused else None
    if value is not None and f"'{value}'" not in text:
        text += f"; found '{value}'"
    context = getattr(error, "ctx", None)
    if context is None:
        return f"course: {text}"
    text += "" if text.endswith("?") else "."
    return f"{context.command_path}: {text} See {context.command_path} --help."


def examples_text(*lines: str) -> str:
    """Examples for the end of a help text."""
    return "\n".join(["[bold]Examples[/bold]", *(line.replace("[", r"\[") for line in lines)])


def add_command(app: typer.Typer, *examples: str) -> Callable[[Function], Function]:
    """Makes a function a command, with its docstring and examples as the help text."""

    def register(function: Function) -> Function:
        paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
        text = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
        app.command(help=text, epilog=examples_text(*examples))(function)
        return function

    return register


def complete_engine(incomplete: str) -> list[tuple[str, str]]:
    """The chapters with an engine, and what they are about."""
    from utils.chapters import chapters

    found = [(one.number, one.engine or one.title) for one in chapters() if one.has_engine]
    return [(number, words) for number, words in found if number.startswith(incomplete)]


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


@contextlib.contextmanager
def one_line_errors() -> Iterator[None]:
    """Ends a program of `typer.run` with one line if its input is wrong."""
    try:
        yield
    except typer.TyperException as error:
        sys.exit(error.format_message())


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


def error_text(error: BaseException) -> str:
    """The message of an error, with the file in question."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


@contextlib.contextmanager
def input_errors() -> Iterator[None]:
    """Turns the errors of bad input into one line."""
    try:
        yield
    except BrokenPipeError:  # nobody reads our output any more
        raise
    except (ValueError, OSError, ModuleNotFoundError) as error:
        raise InputError(error_text(error)) from error


@contextlib.contextmanager
def stopped_by_ctrl_c(report: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Ends the program at the first Ctrl-C; further ones must not disturb its end.

    Args:
        report: says what was done; called after the block was left.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    # A job in the background ignores Ctrl-C.
    if before is not signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, stop)
    try:
        yield
    except KeyboardInterrupt:
        report()
        raise typer.Exit(INTERRUPTED) from None
    finally:
        if signal.getsignal(signal.SIGINT) is stop:
            signal.signal(signal.SIGINT, before)
