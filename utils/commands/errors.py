"""Errors of the commands: one line each, and a quiet end at Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from utils.notebook.names import NotebookError

INTERRUPTED = 130  # the exit code that shells expect after Ctrl-C


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


@contextlib.contextmanager
def one_line_errors() -> Iterator[None]:
    """Ends a program of `typer.run` with one line if its input is wrong."""
    try:
        yield
    except typer.TyperException as error:
        sys.exit(error.format_message())


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
