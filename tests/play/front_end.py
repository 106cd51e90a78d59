"""Engines whose searches a test controls, and a front end that is told of each change."""

from __future__ import annotations

import json
import queue
import random
import threading
from collections.abc import Callable
from typing import Any

import chess
import chess.engine

from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine, Iteration, ScoredMove
from utils.play.session import Session

SECONDS = 60  # the longest that a test waits for something
State = dict[str, Any]


class Scripted(FirstMoveEngine):
    """Gives the answers that it is given, then the first legal move.

    Args:
        answers: moves, "resign", "nothing", or errors.

    Attributes:
        games: how many were begun.
        limits: with which it was asked.
    """

    def __init__(self, *answers: str | BaseException) -> None:
        self.answers, self.games = list(answers), 0
        self.limits = list[chess.engine.Limit | None]()

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.limits.append(limit)
        if not self.answers:
            return super().play(board)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        if answer in ("resign", "nothing"):
            return chess.engine.PlayResult(None, None, resigned=answer == "resign")
        return chess.engine.PlayResult(chess.Move.from_uci(answer), None)

    def new_game(self, rng: random.Random | None = None) -> None:
        self.games += 1


class Waiting(Scripted):
    """Searches until the test sets `go`; it does not listen to `stop`."""

    def __init__(self, *answers: str) -> None:
        super().__init__(*answers)
        self.started, self.go = threading.Event(), threading.Event()

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.started.set()
        assert self.go.wait(SECONDS)
        return super().play(board, limit)


class Reporting(Waiting):
    """Says before it waits what it has found, the same each time.

    Args:
        line: the moves that it expects.
        score: in pawns, from White's view.
        answers: as for `Scripted`.
    """

    def __init__(self, line: str, score: float = 0, *answers: str) -> None:
        super().__init__(*answers)
        self.line, self.score = tuple(map(chess.Move.from_uci, line.split())), score

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        best = ScoredMove(self.score, self.line[0])
        self.report(Iteration(1, best, True, 1, 0.0, self.line))
        return super().play(board, limit)


class FrontEnd:
    """A session and the states that it reports, in their order.

    Args:
        engine, options: as for `Session`.
    """

    def __init__(self, engine: str | Engine, **options: Any) -> None:
        self.states: queue.SimpleQueue[State] = queue.SimpleQueue()
        self.session = Session(engine, rng=random.Random(1), **options)
        self.session.changed = lambda: self.states.put(self.session.state())
        self.session.begin()

    def do(self, command: str, **arguments: object) -> State:
        """Send a command, and forget what was reported before; returns the state after it."""
        while not self.states.empty():
            self.states.get()
        self.session.handle({"do": command, **arguments})
        return self.session.state()

    def until(self, condition: Callable[[State], object]) -> State:
        """Wait for a state."""
        while not condition(state := self.states.get(timeout=SECONDS)):
            pass
        return state

    def answered(self) -> State:
        """Wait until a search has begun and ended."""
        self.until(lambda state: state["thinking"])
        return self.until(lambda state: not state["thinking"])

    def move(self, text: str) -> State:
        """Make the person's move."""
        return self.do("move", text=text, ply=self.session.game.plies)

    def play(self, *moves: str) -> State:
        """Make the person's moves, and wait for the answer to each."""
        for text in moves:
            self.move(text)
            state = self.answered()
        return state


def end_searches() -> None:
    """Wait until no search thread is left."""
    for thread in threading.enumerate():
        if thread.name == "search":
            thread.join(SECONDS)
            assert not thread.is_alive()


def assert_consistent(view: State) -> None:
    """A view of a game shows what python-chess says of its moves."""
    assert json.loads(json.dumps(view)) == view
    board = chess.Board(view["positions"][0]["fen"])
    assert len(view["positions"]) == len(view["sans"]) + 1
    for san, position in zip([None, *view["sans"]], view["positions"], strict=True):
        last = board.push_san(san).uci() if san else ""
        king = board.king(board.turn) if board.is_check() else None
        check = chess.square_name(king) if king is not None else ""
        expected = {"fen": board.fen(), "last": last, "check": check}
        assert {key: position[key] for key in expected} == expected
    assert view["moves"] in ([move.uci() for move in board.legal_moves], [])
    assert view["result"] != "*" or board.outcome() is None


Make = Callable[..., FrontEnd]
