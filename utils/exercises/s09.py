"""Checks of chapter s09, looking ahead."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import chapter, exercise, require


def _boards(count: int, seed: int = 5) -> list[chess.Board]:
    return list(chapter("s08_evaluation").random_positions(count, random.Random(seed)))


@exercise("s09-1")
def by_hand(answer: Callable[[Any, bool], int]) -> None:
    """Trees of several shapes, both sides."""
    cases: list[tuple[Any, bool, int]] = [
        (7, True, 7),
        ([3, 8, -2], True, 8),
        ([3, 8, -2], False, -2),
        ([[3, 12], [2, 4], [14, 1]], True, 3),
        ([[3, 12], [2, 4], [14, 1]], False, 4),
        ([5, [1, [9, 2]], [[0, 6], 3]], True, 5),
        ([[[1]], [[-1]]], True, 1),
    ]
    for tree, white, expected in cases:
        side = "White" if white else "Black"
        said = answer(tree, white)
        require(said == expected, f"{tree} with {side} to move is worth {expected}, not {said}.")


@exercise("s09-2")
def tree_size(answer: Callable[[int, int], tuple[int, int]]) -> None:
    """Leaves and nodes, small trees included."""
    for branching, depth in ((20, 1), (3, 2), (2, 10), (35, 4), (1, 6)):
        leaves, nodes = answer(branching, depth)
        require(
            leaves == branching**depth,
            f"{branching} moves, {depth} plies: {branching**depth} leaves, not {leaves}.",
        )
        total = sum(branching**ply for ply in range(1, depth + 1))
        require(nodes == total, f"{branching} moves, {depth} plies: {total} nodes, not {nodes}.")


@exercise("s09-3")
def principal_variation(answer: Callable[..., list[chess.Move]]) -> None:
    """Every move of the line keeps the value of the root."""
    module = chapter("s09_minimax_engine")
    evaluator = chapter("s08_evaluation").Evaluator()
    mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    require(
        list(answer(evaluator, mate, 3)) == [chess.Move.from_uci("d1d8")],
        "After a mate the line ends.",
    )
    for board in [*_boards(6), chess.Board("k7/8/1Q2p3/8/8/p7/1p6/K7 w - - 0 1")]:
        fen = board.fen()
        line = list(answer(evaluator, board, 2))
        require(board.fen() == fen, "The board changed: give it back as it was.")
        current = board.copy()
        for left, move in zip((2, 1), line, strict=False):
            best = module.NegamaxEngine(evaluator, left).analyse(current)[0]
            require(
                move == best.move,
                f"In {current.fen()}, {left} plies ahead, the best move is {best.move}, "
                f"not {move}.",
            )
            current.push(move)
        require(
            len(line) == 2 or current.is_game_over(),
            f"In {fen} the line {line} is too short or too long.",
        )


@exercise("s09-4")
def hurrying(answer: type[Any]) -> None:
    """Short mates first, everything else unchanged."""
    module = chapter("s09_minimax_engine")
    evaluator = chapter("s08_evaluation").Evaluator()
    hurry = chess.Board("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    for board in (hurry, hurry.mirror()):
        move = answer(evaluator, 3).play(board).move
        require(
            board.san(move).endswith("#"),
            f"In {board.fen()} there is a mate at once; it played {board.san(move)}.",
        )
    one, three = (
        answer(evaluator, depth).analyse(chess.Board(fen))[0].score
        for depth, fen in (
            (3, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
            (3, "7k/1Q2K3/8/8/8/8/8/8 w - - 0 1"),
        )
    )
    require(
        one > three >= 100,
        "A mate in one is worth more than a mate in two, and both are worth 100 or more.",
    )
    lost = chess.Board("7k/1Q3K2/8/8/8/8/8/8 b - - 0 1")
    require(
        answer(evaluator, 3)._value(lost, 3) == -101,
        "Black is mated after two plies, with one left, so `_value` is -101. Where does `best` "
        "begin?",
    )
    for board in _boards(6, seed=6):
        mine = {e.move: e.score for e in answer(evaluator, 2).analyse(board)}
        plain = {e.move: e.score for e in module.NegamaxEngine(evaluator, 2).analyse(board)}
        for move, score in plain.items():
            if abs(score) < 100:
                require(
                    mine[move] == score,
                    f"In {board.fen()}, {move} is no mate: expected {score}, got {mine[move]}.",
                )
