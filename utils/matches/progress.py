"""Progress of long work on the error output: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # loaded when something is shown: other readers of this package lack it
    from rich.console import Console
    from rich.progress import Progress

_STEPS = 100
"""Plain lines for the whole work, at most."""
_EVERY = 1000
"""Units for each plain line where nobody knows how many there are."""


class ProgressBar:
    """Shows how far some work is; use it in a `with` statement.

    Args:
        unit: what is counted, in the plural, such as "games".
        total: how many there are; None if nobody knows.
        console: where to show it; the error output if None.
    """

    def __init__(self, unit: str, total: int | None = None, console: Console | None = None) -> None:
        from rich.console import Console

        self.unit, self.total, self.done = unit, total, 0
        self._console = console or Console(stderr=True, highlight=False)
        self._shown = 0  # steps in plain lines
        self._bar: Progress | None = None
        self._task: Any = None

    def __enter__(self) -> ProgressBar:
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
                MofNCompleteColumn(),
                TextColumn(self.unit),
                BarColumn(24),
                TextColumn("{task.fields[note]}", markup=False),
                TimeRemainingColumn(compact=True),
                console=self._console,
            )
            self._task = self._bar.add_task("", total=self.total, note="")
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: int, note: str = "") -> None:
        """Say that so many units are done.

        Args:
            done: units since the beginning.
            note: a few words about the results so far.
        """
        self.done = done
        if self._bar is not None:
            self._bar.update(self._task, completed=done, note=note)
            return
        step = done * _STEPS // self.total if self.total else done // _EVERY
        if step > self._shown:
            self._shown = step
            of_total = f" of {self.total}" if self.total else ""
            line = f"{done}{of_total} {self.unit}" + (f": {note}" if note else "")
            self._console.file.write(f"{line}\n")  # in one piece, whatever comes between
            self._console.file.flush()
