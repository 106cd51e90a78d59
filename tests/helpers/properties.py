"""What every engine, search and evaluator of the course must do, as functions that assert it.

Tests call them with the engines of a chapter and with the positions of `tests.helpers.positions`. A
board that is passed in is always checked to be as it was, its history included.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol, TypeVar

import chess
import chess.engine
import pytest

from converted_notebooks.s04_engine_interface import Engine, ScoredMove, finished, play_game
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s08_evaluation import Evaluator
from converted_notebooks.s12_piece_square_tables import SquareValues
from tests.helpers.positions import mirrored
from utils.exercises import pairs

Limit = chess.engine.Limit
T = TypeVar("T")


# The board


@contextmanager
def unchanged(board: chess.Board) -> Iterator[None]:
    """Asserts that the body leaves the board, with its history, as it found it."""
    before = board.copy()
    yield
    assert board.fen(en_passant="fen") == before.fen(en_passant="fen")
    assert board.move_stack == before.move_stack
    assert board.root() == before.root()


# Engines


def random_values(seed: int) -> SquareValues:
    """Values in which hardly any two entries are equal, so that every mistake shows."""
    rng = random.Random(seed)
    return [
        [[0] * 64, *([rng.randrange(-(10**6), 10**6) for _ in range(64)] for _ in range(6))]
        for _ in chess.COLORS
    ]


def by_move(entries: list[ScoredMove]) -> dict[chess.Move, float]:
    """The score of each move, from White's view."""
    return {entry.move: entry.score for entry in entries}


def assert_analysis(
    engine: Engine, board: chess.Board, limit: Limit | None = None
) -> list[ScoredMove]:
    """Every legal move is scored exactly once, the best for the side to move first.

    Returns:
        The analysis, for further asserts.
    """
    with unchanged(board):
        scored = engine.analyse(board, limit)
    assert len(scored) == board.legal_moves.count()
    assert set(by_move(scored)) == set(board.legal_moves)
    own_view = [PLAYER_MULTIPLIER[board.turn] * entry.score for entry in scored]
    assert own_view == sorted(own_view, reverse=True), (engine.name, board.fen())
    return scored


def assert_plays(engine: Engine, board: chess.Board, limit: Limit | None = None) -> chess.Move:
    """The engine plays a legal move, which is returned."""
    with unchanged(board):
        move = engine.play(board, limit).move
    assert move is not None and move in board.legal_moves, (engine.name, move, board.fen())
    return move


def assert_repeats(
    build: Callable[[random.Random], Engine], board: chess.Board, limit: Limit | None = None
) -> None:
    """Equal sources of randomness give equal moves and analyses.

    A new engine and a used one that gets a new game with the same source answer alike. The
    limit must be one that does not depend on time.
    """
    new, used = build(random.Random(1)), build(random.Random(2))
    used.play(board, limit)
    used.new_game(random.Random(1))
    assert new.play(board, limit).move == used.play(board, limit).move
    for engine in (new, used):
        engine.new_game(random.Random(3))
    assert pairs(new.analyse(board, limit)) == pairs(used.analyse(board, limit))


class OpenSearch:
    """To inherit from beside an engine: its search of a window can be called."""

    def search(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        """The value or a bound, from the view of the side to move."""
        return self._value(board, depth, alpha, beta)  # type: ignore[attr-defined, no-any-return]


def assert_same_game(engine: Engine, limit: Limit | None = None, max_plies: int = 30) -> None:
    """A game of the engine against itself with the same seed is the same game."""
    games = [play_game(engine, engine, seed=4, limit=limit, max_plies=max_plies) for _ in range(2)]
    assert games[0].board.move_stack == games[1].board.move_stack != []


def assert_same_scores(
    engine: Engine, other: Engine, board: chess.Board, limit: Limit | None = None
) -> None:
    """Two engines give each move the same score."""
    ours = by_move(assert_analysis(engine, board, limit))
    theirs = by_move(other.analyse(board, limit))
    assert ours == theirs, (engine.name, other.name, board.fen(), board.move_stack)


def assert_mirrored_scores(engine: Engine, board: chess.Board, limit: Limit | None = None) -> None:
    """With colours exchanged every move gets the opposite score."""
    board = board.copy(stack=False)  # a mirror image has no history
    here = by_move(engine.analyse(board, limit))
    there = by_move(engine.analyse(board.mirror(), limit))
    assert {mirrored(move): -score for move, score in there.items()} == pytest.approx(here)


# Searches


def depth_for(board: chess.Board) -> int:
    """A depth in plies, from 1 to 3, at which a search of all moves is quick."""
    moves = board.legal_moves.count()
    return 3 if moves < 8 else 2 if moves < 24 else 1


class Tree(NamedTuple):
    """What a search of all moves finds.

    Attributes:
        value: from White's view.
        max_nodes: positions with White to move, the root included.
        min_nodes: positions with Black to move.
        leaves: positions that the evaluator judged.
    """

    value: float
    max_nodes: int
    min_nodes: int
    leaves: int


def plain_minimax(board: chess.Board, depth: int, evaluator: Evaluator) -> Tree:
    """The definition of minimax: all moves, to the end of each line."""
    white = int(board.turn)
    value = evaluator.evaluate(board)
    if value is None and depth == 0:
        value = evaluator.heuristic(board)
    if value is not None:
        return Tree(PLAYER_MULTIPLIER[board.turn] * value, white, 1 - white, 1)
    below = []
    for move in board.legal_moves:
        board.push(move)
        below.append(plain_minimax(board, depth - 1, evaluator))
        board.pop()
    return Tree(
        (max if white else min)(tree.value for tree in below),
        white + sum(tree.max_nodes for tree in below),
        1 - white + sum(tree.min_nodes for tree in below),
        sum(tree.leaves for tree in below),
    )


def assert_values_of_minimax(
    engine: Engine, evaluator: Evaluator, board: chess.Board, depth: int
) -> list[Tree]:
    """Every root move has exactly the value that plain minimax gives it at this depth.

    Returns:
        The tree below each root move.
    """
    trees = []
    for entry in assert_analysis(engine, board, Limit(depth=depth)):
        board.push(entry.move)
        trees.append(plain_minimax(board, depth - 1, evaluator))
        board.pop()
        assert entry.score == pytest.approx(trees[-1].value), (entry.move, depth, board.fen())
    return trees


def assert_bound(found: float, exact: float, alpha: float, beta: float) -> None:
    """The contract of a window, fail-soft or fail-hard, all from one side's view.

    Between alpha and beta the value found is exact; at alpha or below it is an upper bound,
    at beta or above a lower bound.
    """
    if found <= alpha:
        assert exact <= found
    elif found >= beta:
        assert exact >= found
    else:
        assert exact == found


# Evaluators and keys


def assert_mirrored_evaluation(evaluator: Evaluator, board: chess.Board) -> None:
    """A position and its image with colours exchanged get the same scores.

    So do the positions after each legal move, finished games among them.
    """
    board = board.copy(stack=False)
    for move in [None, *board.legal_moves]:
        after = board.copy(stack=False)
        if move is not None:
            after.push(move)
            after.clear_stack()
        image = after.mirror()
        with unchanged(after):
            here = evaluator.evaluate(after), evaluator.heuristic(after)
        assert here == pytest.approx((evaluator.evaluate(image), evaluator.heuristic(image)))


def assert_terminal_scores(
    evaluator: Evaluator, board: chess.Board, mate: float, draw: float
) -> None:
    """After each legal move, a finished game is scored from the view of the side to move.

    Args:
        evaluator: judges the positions.
        board: a game that goes on.
        mate: what giving mate is worth; being mated costs as much.
        draw: what a draw is worth.
    """
    for move in list(board.legal_moves):
        board.push(move)
        end = finished(board)
        expected = None if end is None else draw if end[0] == "1/2-1/2" else -mate
        assert evaluator.evaluate(board) == expected, (board.fen(), board.move_stack)
        board.pop()


class FollowsMoves(Protocol):
    """What is pushed and popped together with a board: an evaluator, a key."""

    def init(self, board: chess.Board) -> None: ...

    def push(self, move: chess.Move) -> None: ...

    def pop(self) -> None: ...


def assert_follows_moves(
    following: FollowsMoves,
    board: chess.Board,
    followed: Callable[[], T],
    recomputed: Callable[[chess.Board], T],
) -> None:
    """What follows the moves equals what is computed anew, through the board's game and back.

    At the end of the game every legal move is tried as well, and the null move where it is
    possible.

    Args:
        following: follows `board`; `push` is called before that of the board, `pop` after it.
        board: a position with its game.
        followed: what `following` says now.
        recomputed: what it should say.
    """

    def compare() -> None:
        assert followed() == recomputed(moving), (moving.fen(), moving.move_stack)

    moving = board.root()
    following.init(moving)
    compare()
    for move in board.move_stack:
        following.push(move)
        moving.push(move)
        compare()
    null = [] if moving.is_check() else [chess.Move.null()]
    for move in [*moving.legal_moves, *null]:
        with unchanged(moving):
            following.push(move)
        moving.push(move)
        compare()
        moving.pop()
        following.pop()
        compare()
    while moving.move_stack:
        moving.pop()
        following.pop()
        compare()
