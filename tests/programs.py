"""Programs in tests. Optional ones: absent, they skip, or fail where REQUIRE_ALL=1 is set."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any, Self

import pytest

from utils.external_programs import find_program, missing

posix = pytest.mark.skipif(os.name == "nt", reason="uses processes or signals as Unix has them")


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Waits for something that another thread or process does; an error if it takes longer."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it has not happened in {seconds} seconds"
        time.sleep(0.005)


def need(name: str) -> str:
    """The path of the program; without it the test is skipped, or fails if all are required."""
    found = find_program(name)
    if found is None:
        if os.environ.get("REQUIRE_ALL") == "1":
            pytest.fail(f"REQUIRE_ALL=1, but {missing(name)}")
        pytest.skip(missing(name))
    return found


class Running:
    """A process with pipes and the threads that read them; it ends with its block.

    Attributes:
        process: the process; its three pipes are open.
        threads: what reads its output; they end when it does.
        seconds: the longest that a test waits.
    """

    process: subprocess.Popen[Any]
    threads: list[threading.Thread]
    seconds: float

    def ends(self) -> int:
        """Waits for the end; the exit status."""
        status = self.process.wait(self.seconds)
        for thread in self.threads:
            thread.join(self.seconds)
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.ends()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
