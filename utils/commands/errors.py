"""How the commands report errors, in one line each, and end at Ctrl-C."""

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

INTERRUPTED = 130  # the usual exit code after Ctrl-C


class InputError(typer.TyperException):
    """A mistake in the input, shown as one line."""

    exit_code = 2


class OneLineErrors(TyperGroup):
    """A group of commands whose errors take one line instead of a box."""

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
    """Check that the folder of a new file exists.

    Raises:
        ValueError: there is no such folder.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder}; make it first")


def one_line(error: typer.TyperException) -> str:
    """The message of an error, with the command and the wrong value."""
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
    """Report an error of `typer.run` in one line, and end the program."""
    try:
        yield
    except typer.TyperException as error:
        sys.exit(error.format_message())


def error_text(error: BaseException) -> str:
    """The message of an error, with the file that it is about."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


@contextlib.contextmanager
def input_errors() -> Iterator[None]:
    """Turn the errors that bad input causes into an `InputError`."""
    try:
        yield
    except BrokenPipeError:  # the reader of the output has ended
        raise
    except (ValueError, OSError, ModuleNotFoundError) as error:
        raise InputError(error_text(error)) from error


@contextlib.contextmanager
def stopped_by_ctrl_c(report: Callable[[], object] = lambda: None) -> Iterator[None]:
    """End the program at the first Ctrl-C, and ignore further ones while it ends.

    Args:
        report: called after an interrupted block, to print what was done.
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
