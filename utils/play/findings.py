"""The result of a search for a front end, ready for JSON: a score, and the expected moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess

from converted_notebooks.s04_engine_interface import Engine
from utils.matches.records import POINTS

LONGEST_LINE = 6
"""Plies of the expected line that a front end gets."""


def evaluation_of(score: float, engine: Engine) -> dict[str, Any]:
    """A score, ready to be drawn.

    Args:
        score: from White's view, in the unit of the engine.
        engine: its `pawn_value` and `mate_score` define the unit.

    Returns:
        share: White's part of a bar, from 0 to 1; text: pawns, such as "+0.5" or "-12", or "#"
            for a mate.
    """
    if abs(score) >= engine.mate_score:
        return {"share": float(score > 0), "text": "#"}
    pawns = score / engine.pawn_value
    text = f"{pawns:+z.1f}" if abs(pawns) < 9.95 else f"{pawns:+.0f}"
    return {"share": 1 / (1 + 10 ** min(-pawns / 4, 300)), "text": text}


def evaluation_of_result(result: str) -> dict[str, Any]:
    """The result of a game, such as "1-0", in the form of `evaluation_of`."""
    return {"share": POINTS[result], "text": result.replace("1/2", "½")}


def line_of(board: chess.Board, moves: Sequence[chess.Move]) -> dict[str, Any]:
    """A line of legal moves: in UCI notation for arrows, and as a numbered text."""
    text = board.variation_san(moves) if moves else ""
    return {"moves": [move.uci() for move in moves], "text": text}
