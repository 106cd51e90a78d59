"""Programs in tests. Optional ones: absent, they skip, or fail where REQUIRE_ALL=1 is set."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, Self

import pytest

from utils.external_programs import find_program, install_hint

SECONDS = 120.0  # the longest that a test waits, for a machine with other things to do
DUMMY_FILE = Path(__file__).with_name("uci_dummy.py")
DUMMY = f"{Path(sys.executable).as_posix()} {DUMMY_FILE.as_posix()}"
"""A program that plays the first legal move, or misbehaves as its argument says."""
posix_system = os.name != "nt"
posix = pytest.mark.skipif(not posix_system, reason="uses processes or signals as Unix has them")


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Waits for something that another thread or process does; an error if it takes longer."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it has not happened in {seconds} seconds"
        time.sleep(0.005)


def need(name: str) -> str:
    """The path of the program; without it the test is skipped, or fails if all are required."""
    return find_program(name) or fail_or_skip(install_hint(name))


def fail_or_skip(reason: str) -> NoReturn:
    """Skips a test for want of something, or fails it if all is required."""
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"REQUIRE_ALL=1, but {reason}")
    pytest.skip(reason)


class Program:
    """A process with pipes, in a process group of its own as in a terminal.

    Threads read what it writes, so that a test can wait for a text in it.

    Args:
        command: the program and its arguments.
        options: of `subprocess.Popen`.

    Attributes:
        said: what it has written so far, by the name of the stream.
    """

    def __init__(self, command: Sequence[object], **options: Any) -> None:
        settings: dict[str, Any] = {
            **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE),
            "env": os.environ | {"PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
            "start_new_session": posix_system,
            # Whoever runs the tests in the background has SIGINT ignored, and hands that down.
            "preexec_fn": _hear_interrupts if posix_system else None,
        }
        self.process: Any = subprocess.Popen([*map(str, command)], **settings | options)
        self.said = {"stdout": "", "stderr": ""}
        self._news = threading.Condition()
        self._seen = 0  # of the standard output, by `until`
        self.threads = [
            threading.Thread(target=self._read, args=(name,), daemon=True)
            for name in self.said
            if getattr(self.process, name)
        ]
        self._open = len(self.threads)  # streams that have not ended
        for thread in self.threads:
            thread.start()

    def _read(self, name: str) -> None:
        pipe = getattr(self.process, name)
        decoder = codecs.getincrementaldecoder("utf-8")()
        while True:
            data = pipe.read1(1 << 16)
            with self._news:
                self.said[name] += decoder.decode(data).replace("\r\n", "\n")
                self._open -= not data
                self._news.notify_all()
            if not data:
                return

    def say(self, *lines: str) -> None:
        """Writes lines to its standard input."""
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def wait_for(self, text: str, times: int = 1, stream: str = "stdout") -> None:
        """Waits until it has written a text so many times."""
        with self._news:
            self._news.wait_for(
                lambda: self.said[stream].count(text) >= times or not self._open, SECONDS
            )
        assert self.said[stream].count(text) >= times, self.said

    def until(self, word: str) -> list[str]:
        """The next lines that it writes, up to the first that begins with a word."""
        wanted = re.compile(rf"^{re.escape(word)}.*\n", re.MULTILINE)
        with self._news:
            self._news.wait_for(
                lambda: wanted.search(self.said["stdout"], self._seen) or not self._open, SECONDS
            )
            found = wanted.search(self.said["stdout"], self._seen)
            assert found, f"no {word!r}; {self.said['stdout'][-300:]!r}, {self.said['stderr']!r}"
            begin, self._seen = self._seen, found.end()
            return self.said["stdout"][begin : self._seen].splitlines()

    def interrupt(self) -> None:
        """What Ctrl-C does: every process of the group gets the signal."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)

    def ends(self, *, interrupted: bool = False) -> int:
        """Waits for the end; the exit status.

        Args:
            interrupted: whether Ctrl-C is pressed every second until then.
        """
        end = time.monotonic() + SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            if interrupted:
                self.interrupt()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1 if interrupted else SECONDS)
        for thread in self.threads:
            thread.join(SECONDS)
        assert self.process.returncode is not None, f"it has not ended; {self.said}"
        return int(self.process.returncode)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.ends()
        for pipe in filter(None, (self.process.stdin, self.process.stdout, self.process.stderr)):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
