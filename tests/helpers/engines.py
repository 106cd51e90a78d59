"""Engines that note what they are told, or do more than they need."""

from __future__ import annotations

import chess
import chess.engine
from chess.engine import Limit

from converted_notebooks.s04_engine_interface import FirstMoveEngine, ScoredMove
from converted_notebooks.s15_transposition_table import TableEngine


class Noting(FirstMoveEngine):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def new_game(self, rng: object = None) -> None:
        self.told.append(("new game", rng))

    def play(self, board: chess.Board, limit: Limit | None = None) -> chess.engine.PlayResult:
        self.told.append(limit)
        return chess.engine.PlayResult(next(iter(board.legal_moves)), None)

    def analyse(self, board: chess.Board, limit: Limit | None = None) -> list[ScoredMove]:
        self.told.append(limit)
        return super().analyse(board, limit)

    def close(self) -> None:
        self.told.append("close")


class MovingEngine(TableEngine):
    """Makes every move."""

    static_leaves = False
