"""What the tests of several search chapters ask of an engine with a table."""

from __future__ import annotations

from collections.abc import Callable

import chess
import chess.engine

from converted_notebooks.s15_transposition_table import HASHER, TableEngine
from converted_notebooks.s16_quiescence_search import capture_rich_board


def assert_takes_all_back_and_repeats(engine: TableEngine, board: chess.Board) -> None:
    """Plays twice: the same search, and board, evaluator and key are as they were."""
    fen, stack = board.fen(), board.move_stack.copy()
    seen = []
    for _ in range(2):
        engine.new_game()
        move = engine.play(board).move
        seen.append((move, engine.statistics, engine.iterations))
        assert board.fen() == fen and board.move_stack == stack
        assert len(engine.evaluator._scores) == len(engine.keys._keys) == 1
        assert engine.keys.key() == HASHER(board)
    assert seen[0] == seen[1] and seen[0][0] in board.legal_moves


def assert_obeys_nodes_and_repeats(
    build: Callable[[], TableEngine], nodes: int, most_visits: int
) -> None:
    """Plays twice within a limit of nodes: a legal move, the same, after so many visits."""
    seen = []
    for _ in range(2):
        engine = build()
        move = engine.play(capture_rich_board, chess.engine.Limit(nodes=nodes)).move
        done = engine.statistics
        assert move in capture_rich_board.legal_moves
        assert done.visited <= most_visits
        seen.append((move, done))
    assert seen[0] == seen[1]
