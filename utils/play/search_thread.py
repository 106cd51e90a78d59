"""One search for a move in a thread, which can be hurried, and abandoned."""

from __future__ import annotations

import inspect
import random
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

import chess
import chess.engine

from utils.engines import close_player, make_player

PATIENCE = 2.0  # seconds that an engine with `stop` has to end an abandoned search
_STEP = 0.05  # seconds between two attempts to end a search
_locks: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class Plays(Protocol):
    """What is needed of an `Engine` of chapter s04."""

    @property
    def name(self) -> str:
        """What tables and PGN files call it."""

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        """Choose a move, or resign."""

    def new_game(self, rng: random.Random | None = None) -> None:
        """Forget the last game."""


class Player:
    """An engine that is built when it is first needed, and thinks about one thing at a time.

    Args:
        given: a text for `make_player`, or an engine.
        rng: the source of chance for engines that are built from a text.
    """

    def __init__(self, given: str | Plays, rng: random.Random) -> None:
        self.given, self.rng = given, rng
        self.built = isinstance(given, str)
        self.engine: Any = None if isinstance(given, str) else given
        self.fresh = False  # whether a new game has begun since the last thought
        self.closed = False
        # Two widgets may share an engine that a reader has written; so they share its lock.
        self.lock: Any = threading.Lock()
        if not self.built:
            self.lock = _locks.setdefault(id(given), self.lock)

    @property
    def name(self) -> str:
        """The text that the engine is built from, or the engine's name."""
        return self.given if isinstance(self.given, str) else str(self.given.name)

    def ready(self) -> Any:
        """The engine, ready to think."""
        if self.engine is None:
            self.engine = make_player(str(self.given), self.rng)
        elif self.fresh:
            self.engine.new_game()
        self.fresh = False
        return self.engine

    def close(self) -> None:
        """End the program behind the engine, if it was started here; or else when it has been."""
        self.closed = True
        if self.built and self.engine is not None:
            close_player(self.engine)
            self.engine = None


class _AbandonedError(BaseException):
    """Raised inside a search that nobody waits for any more."""


class Thought:
    """One search for a move.

    Args:
        player: who thinks.
        board: the position; a copy with the latest moves is taken.
        limit: how long to think.
        done: is called with the thought when it ends, in its thread. An abandoned
            thought does not call.

    Attributes:
        result: the answer, once there is one.
        error: what went wrong.
        iteration: of the engines from s11 on, the last one that was finished in this search.
    """

    def __init__(
        self,
        player: Player,
        board: chess.Board,
        limit: chess.engine.Limit,
        done: Callable[[Thought], None],
    ) -> None:
        self.player, self.limit, self._done = player, limit, done
        self.board = board.copy(stack=board.halfmove_clock + 1)
        self.result: chess.engine.PlayResult | None = None
        self.error: BaseException | None = None
        self.abandoned = False
        self.finished = threading.Event()
        self._guard = threading.Lock()
        self._thread: int | None = None  # while the engine thinks: in which thread
        self._old: object = None
        self._pusher: threading.Thread | None = None

    def start(self) -> None:
        """Think in a new thread."""
        threading.Thread(target=self.run, name="engine", daemon=True).start()

    def run(self) -> None:
        """Think in this thread."""
        while not self.player.lock.acquire(timeout=_STEP):
            if self.abandoned:
                self.finished.set()
                return
        begun = False
        while True:  # the interruption may come at any moment until nobody sends it any more
            try:
                if not begun:
                    begun = True
                    self._think()
                with self._guard:
                    self._thread = None
                if self._pusher is not None:
                    _absorb_interruption()
                break
            except _AbandonedError:
                continue
        if self.player.closed:  # while its engine was being built
            self.player.close()
        self.player.lock.release()
        self.finished.set()
        if not self.abandoned:
            self._done(self)

    @property
    def iteration(self) -> Any:
        """The last iteration that this search has finished; None for engines without."""
        last = _last_iteration(self.player.engine)
        return None if last is self._old else last

    def hurry(self) -> bool:
        """Ask the engine to answer at once; False if it cannot be asked."""
        if self.player.engine is not None and not hasattr(self.player.engine, "stop"):
            return False
        self._push()
        return True

    def abandon(self) -> None:
        """End the search; its result goes nowhere."""
        self.abandoned = True
        self._push()

    def _think(self) -> None:
        try:
            engine = self.player.ready()
            self._old = _last_iteration(engine)
            with self._guard:
                self._thread = threading.get_ident()
            if not self.abandoned:
                self.result = _ask(engine, self.board, self.limit)
        except Exception as error:
            self.error = error
        except (SystemExit, KeyboardInterrupt) as error:  # an engine's own affair
            self.error = error

    def _push(self) -> None:
        """Urge the search, again and again, until it ends."""
        if self.finished.is_set() or self._pusher is not None:
            return
        self._pusher = threading.Thread(target=self._urge, name="urge", daemon=True)
        self._pusher.start()

    def _urge(self) -> None:
        patience = time.monotonic() + PATIENCE
        while not self.finished.is_set():
            with self._guard:
                if self._thread is not None:
                    self._end(self._thread, time.monotonic() > patience)
            self.finished.wait(_STEP)

    def _end(self, thread: int, impatient: bool) -> None:
        engine = self.player.engine
        if hasattr(engine, "stop") and not (self.abandoned and impatient):
            try:
                engine.stop()  # it may come before the search begins; then the next one counts
            except Exception as error:
                self.error = error
        elif self.abandoned and self.player.built and hasattr(engine, "kill"):
            engine.kill()
            self.player.engine = None
        elif self.abandoned:
            _interrupt(thread, _AbandonedError)


def _ask(engine: Plays, board: chess.Board, limit: chess.engine.Limit) -> chess.engine.PlayResult:
    try:
        takes_limit = len(inspect.signature(engine.play).parameters) > 1
    except (TypeError, ValueError):
        takes_limit = True
    # An engine that never looks at a limit may be written without one.
    return engine.play(board, limit) if takes_limit else engine.play(board)


def _last_iteration(engine: object) -> Any:
    fallback = getattr(engine, "fallback", None)
    for part in (engine, fallback):
        for searcher in (part, getattr(part, "searcher", None)):
            if iterations := getattr(searcher, "iterations", None):
                return iterations[-1]
    return None


def _absorb_interruption() -> None:
    """Leave no interruption pending in this thread, to which nobody sends any more.

    It is raised and caught. CPython can also take it back, but then keeps a signal set for
    it, and in 3.11 a line profiler never comes back from the next function that it profiles.
    """
    try:
        _interrupt(threading.get_ident(), _AbandonedError)
        while True:
            pass  # it comes at the next step
    except _AbandonedError:
        pass


def _interrupt(thread: int, error: type[BaseException]) -> None:
    """Raise an error in a thread at its next step.

    Most engines of the course have no other way out: their search only ends by itself.
    """
    import ctypes  # the browser's Python has no use for it

    argument = ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), argument)
