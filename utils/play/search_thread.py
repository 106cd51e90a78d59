"""A search for a move in a thread of its own, which can be stopped or abandoned."""

from __future__ import annotations

import inspect
import random
import threading
import time
import weakref
from collections.abc import Callable

import chess
import chess.engine

from converted_notebooks.s04_engine_interface import Engine, Iteration
from converted_notebooks.s11_iterative_deepening import LimitedBoard
from utils.engines import Killable, make_player, prepare

_locks: weakref.WeakValueDictionary[int, threading.Lock] = weakref.WeakValueDictionary()


class Opponent:
    """An engine that is built at its first search, and searches one position at a time.

    Args:
        given: a text for `make_player`, or an engine.
        rng: random number generator for engines that are built from a text.

    Attributes:
        engine: the engine, once it is built.
        new_game: whether to call the engine's `new_game` before its next search.
        lock: held during a search. Two boards that share an engine share its lock.
    """

    def __init__(self, given: str | Engine, rng: random.Random) -> None:
        self.given, self._rng = given, rng
        self.engine = None if isinstance(given, str) else given
        self.new_game = self._closed = False
        self.lock = threading.Lock()
        if not isinstance(given, str):
            self.lock = _locks.setdefault(id(given), self.lock)

    @property
    def name(self) -> str:
        """The text that the engine is built from, or the engine's name."""
        return self.given if isinstance(self.given, str) else self.given.name

    def ready(self) -> Engine:
        """The engine, ready to search.

        Raises:
            Exception: what `make_player` raises, or the engine's `new_game` or `prepare`.
        """
        if self.engine is None:
            self.engine = make_player(str(self.given), self._rng)
            if self._closed:  # while the engine was being built
                self.close()
        elif self.new_game:
            self.engine.new_game()
        self.new_game = False
        if not self._closed:
            prepare(self.engine)
        return self.engine

    def close(self) -> None:
        """Close the engine, even during a search, if it was built here."""
        self._closed = True
        if self.engine is None or not isinstance(self.given, str):
            return
        if isinstance(self.engine, Killable):
            self.engine.kill()  # `close` would wait, and the program may hang
        else:
            self.engine.close()


class Search:
    """One search for a move.

    Args:
        opponent: whose engine searches.
        board: the position; it is copied with the moves that matter for repetitions.
        limit: how long to search.
        changed: called in the search thread when `waiting` changes, and at the end.
        found: called in the search thread after each iteration, with the engine.

    Attributes:
        began: when the object was made, in seconds of `time.perf_counter`.
        waiting: whether an earlier search of the same engine has not ended yet.
        stopping: whether `stop` was called.
        finished: whether there is a result: a move, or an error.
        move: the engine's choice, which may be illegal; None if it resigns.
        error: what the engine raised.
        iteration: the last finished one; None before.
    """

    def __init__(
        self,
        opponent: Opponent,
        board: chess.Board,
        limit: chess.engine.Limit,
        changed: Callable[[Search], None],
        found: Callable[[Search, Engine, Iteration], None] = lambda *_: None,
    ) -> None:
        self.opponent, self._limit, self._changed, self._found = opponent, limit, changed, found
        self._board = LimitedBoard.of(board.copy(stack=board.halfmove_clock + 1))
        self.began = time.perf_counter()
        self.waiting = self.stopping = self.finished = self._abandoned = False
        self.move: chess.Move | None = None
        self.error: BaseException | None = None
        self.iteration: Iteration | None = None
        self._running: Engine | None = None  # the engine, while it searches
        self._guard = threading.Lock()  # of `_running`

    def start(self) -> None:
        """Search in a new thread, which does not keep Python from ending."""
        threading.Thread(target=self.run, name="search", daemon=True).start()

    def run(self) -> None:
        """Search in this thread."""
        if not self.opponent.lock.acquire(blocking=False):
            self.waiting = True
            self._changed(self)
            self.opponent.lock.acquire()
            self.waiting = False
            self._changed(self)
        try:
            self._search()
        except BaseException as error:  # a reader's engine may even raise SystemExit
            self.error = error
        finally:
            with self._guard:
                self._running = None
            self.opponent.lock.release()
        self.finished = True
        self._changed(self)

    def stop(self) -> None:
        """Ask the engine for the best move that it has found."""
        self.stopping = True
        with self._guard:  # otherwise this could stop the next search of the engine
            try:
                if self._running is not None:
                    self._running.stop()
            except Exception as error:  # a reader's engine may raise anything
                self.error = error

    def abandon(self) -> None:
        """End the search when the engine next checks for a stop, or makes a move on its board.

        An engine that was built here is closed.
        """
        self._abandoned = True
        self.stop()
        self._board.stop()
        self.opponent.close()

    def _search(self) -> None:
        engine = self.opponent.ready()
        engine.stop_requested = False
        self._running = engine
        if self._abandoned:  # before there was an engine to stop
            return
        limit = chess.engine.Limit(depth=1) if self.stopping else self._limit

        def note(iteration: Iteration) -> None:
            self.iteration = iteration
            self._found(self, engine, iteration)

        engine.on_iteration = note
        # The `play` of a reader's engine may have no parameter for a limit.
        takes_limit = len(inspect.signature(engine.play).parameters) > 1
        try:
            result = engine.play(self._board, limit) if takes_limit else engine.play(self._board)
        finally:
            engine.on_iteration = None
        if result.move is None and not result.resigned:
            raise ValueError("the engine gave no move, and did not resign")
        self.move = None if result.resigned else result.move
