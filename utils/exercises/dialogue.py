"""A GUI and an engine for the exercise of s25 that talks while it searches."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from utils.exercises import Hint, require

PATIENCE = 5.0  # seconds; a right answer is never waited for so long


class Stage:
    """Plays the GUI and the engine of an exercise; every step waits for the one before."""

    def __init__(self) -> None:
        self.said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.begun: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.allowed, self.stop_sent = threading.Event(), False
        self.searches = self.running = 0
        self.trouble: list[str] = []

    def think(self, stopped: threading.Event) -> str:
        """The engine: searches until it is stopped; the second time it finds a move by itself."""
        self.searches += 1
        number = self.searches
        if self.running:
            self.trouble.append("A 'go' during a search is ignored.")
        if stopped.is_set():
            self.trouble.append(
                "The event was set before the search began: an earlier 'stop' reached it. "
                "Give every 'go' an event of its own."
            )
        self.running += 1
        self.begun.put(number)
        if number == 2:  # finds its move by itself
            if not self.allowed.wait(PATIENCE):
                self.trouble.append("While it searches, nothing is answered.")
        elif not stopped.wait(PATIENCE):
            self.trouble.append(
                "The event was not set after 'stop' or 'quit'."
                if self.stop_sent
                else "While think runs, the next line must be read: run think in another thread."
            )
        if number == 3:
            time.sleep(0.1)  # an answer that does not wait returns before this
        self.running -= 1
        return f"move{number}"

    def say(self, text: str) -> None:
        """The GUI hears a line."""
        self.said.put(text)
        time.sleep(0.05)  # a thread that answers lives on for a while

    def expect(self, answer: str, when: str) -> None:
        """Requires that this is the next line that is said."""
        try:
            said = self.said.get(timeout=PATIENCE)
        except queue.Empty:
            raise Hint(f"Expected {answer!r} {when}, and nothing came.") from None
        require(said == answer, f"Expected {answer!r} {when}, got {said!r}.")

    def begins(self) -> None:
        """Requires that a search begins."""
        try:
            self.begun.get(timeout=PATIENCE)
        except queue.Empty:
            raise Hint(
                "After 'go', think must run, and the next line be read; also where 'go' comes at "
                "once after a 'bestmove'."
            ) from None

    def lines(self) -> Iterator[str]:
        """What the GUI sends."""
        yield "isready"
        self.expect("readyok", "before the first search")
        yield "stop"
        yield "go"
        self.begins()
        yield "isready"
        self.expect("readyok", "while it searches")
        yield "go"  # to be ignored
        yield "isready"
        self.expect("readyok", "after a second 'go'")
        self.stop_sent = True
        yield "stop"
        self.expect("bestmove move1", "after 'stop'")
        yield "stop"
        yield "go"
        self.begins()
        yield "isready"
        self.expect("readyok", "in the second search")
        self.allowed.set()
        self.expect("bestmove move2", "when the move is found")
        yield "go"
        self.begins()
        yield "quit"
        raise Hint("After 'quit' no line is read any more.")


def performed(answer: Callable[..., None], *given: Any) -> bool:
    """Whether a function returns in a thread of its own; what it raises is raised here."""
    problems = list[BaseException]()

    def perform() -> None:
        try:
            answer(*given)
        except BaseException as error:
            problems.append(error)

    actor = threading.Thread(target=perform, daemon=True)
    actor.start()
    actor.join(3 * PATIENCE)
    if problems:
        raise problems[0]
    return not actor.is_alive()


def end_without_quit(answer: Callable[..., None]) -> None:
    """The lines end during a search."""
    begun, said = threading.Event(), list[str]()

    def lines() -> Iterator[str]:
        yield "go"
        begun.wait(PATIENCE)

    def think(stopped: threading.Event) -> str:
        begun.set()
        stopped.wait(PATIENCE)
        return "move" if stopped.is_set() else "late"

    ended = performed(answer, lines(), think, said.append)
    words = f"At the end of the lines, as at 'quit', stop the search and wait for it; said: {said}."
    require(ended and said == ["bestmove move"], words)


def stop_at_once(answer: Callable[..., None]) -> None:
    """`stop` comes before a new thread has begun to work."""
    said, run = list[str](), threading.Thread.run

    def begin_late(thread: threading.Thread) -> None:
        time.sleep(0.05)
        run(thread)

    def think(stopped: threading.Event) -> str:
        return "move" if stopped.wait(PATIENCE) else "late"

    with mock.patch.object(threading.Thread, "run", begin_late):
        ended = performed(answer, iter(["go", "stop"]), think, said.append)
    words = f"A 'stop' that comes before think has begun must not be lost; said: {said}."
    require(ended and said == ["bestmove move"], words)


def ready_after_stop(answer: Callable[..., None]) -> None:
    """`isready` and `go` come while a search that was stopped has not ended yet."""
    begun, may_end, said = threading.Event(), threading.Event(), queue.SimpleQueue[str]()
    first, searches = list[str](), list[threading.Event]()
    over, early = threading.Event(), list[bool]()

    def lines() -> Iterator[str]:
        yield "go"
        begun.wait(PATIENCE)
        yield "stop"
        yield "isready"
        with contextlib.suppress(queue.Empty):
            first.append(said.get(timeout=PATIENCE))
        yield "go"
        early.append(not over.is_set())  # so this `go` came during the search
        may_end.set()

    def think(stopped: threading.Event) -> str:
        searches.append(stopped)
        begun.set()
        stopped.wait(PATIENCE)
        may_end.wait(PATIENCE / 4)
        over.set()
        return "move"

    performed(answer, lines(), think, said.put)
    require(first == ["readyok"], "While think is still ending after 'stop', answer 'isready'.")
    words = "A 'go' is ignored until think has ended, after a 'stop' as well."
    require(early != [True] or len(searches) == 1, words)
