"""A conversation with the engine of s25, for its tests: a `go` and what is said."""

from __future__ import annotations

import random
from typing import Any

import chess
from chess.engine import Limit, PlayResult

from converted_notebooks import s25_playing as s25
from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine, ScoredMove

A_YEAR = s25.A_YEAR


def moves(*texts: str) -> list[chess.Move]:
    """Moves from UCI notation."""
    return [chess.Move.from_uci(text) for text in texts]


def bestmoves(said: list[str]) -> list[str]:
    """The moves that were answered."""
    return [line.split()[1] for line in said if line.startswith("bestmove ")]


def pending(
    engine: Engine | str, request: s25.GoRequest, fen: str = chess.STARTING_FEN, **options: Any
) -> tuple[s25.PendingGo, list[str]]:
    """A `go` for an engine, and what it says."""
    said = list[str]()
    player = s25.Player(random.Random(1), engine if isinstance(engine, str) else "s05")
    player.engine = None if isinstance(engine, str) else engine
    return s25.PendingGo(player, chess.Board(fen), request, said.append, **options), said


class Watched(FirstMoveEngine):
    """Notes its limits, and does something in its searches."""

    def __init__(self, *acts: Any) -> None:
        self.acts, self.limits, self.stops = list(acts), list[Limit](), 0

    def stop(self) -> None:
        super().stop()
        self.stops += 1

    def analyse(self, board: chess.Board, limit: Limit | None = None) -> list[ScoredMove]:
        if limit and limit != Limit(depth=1):  # which is not a search, but asks for a score
            assert not self.stop_requested
            self.limits.append(limit)
            if self.acts:
                self.acts.pop(0)()
        return super().analyse(board)

    def play(self, board: chess.Board, limit: Limit | None = None) -> PlayResult:
        return PlayResult(self.analyse(board, limit)[0].move, None)
