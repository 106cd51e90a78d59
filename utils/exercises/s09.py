"""Checks of chapter s09, looking ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import (
    exercise,
    kept,
    module_of,
    random_boards,
    require,
    require_equal,
    require_legal,
)
from utils.exercises.positions import BACK_RANK, played, with_mirrors

# After any move a hundred plies have passed without a capture or a pawn move.
_DRAWN = "8/8/4k3/8/8/2R1K3/8/8 w - - 99 90"


@exercise("s09-1")
def by_hand(answer: Callable[[Any, bool], int]) -> None:
    """Trees of several shapes, both sides."""
    turns, depths = "The side to move changes with each level.", "Parts may be of unequal depth."
    cases: list[tuple[Any, bool, int, str]] = [
        (7, True, 7, "A number is its own value."),
        (-7, False, -7, "A number is its own value, from White's view on every level."),
        ([3, 8, -2], True, 8, "White takes the largest."),
        ([3, 8, -2], False, -2, "Black takes the smallest."),
        ([[3, 12], [2, 4], [14, 1]], True, 3, turns),
        ([[3, 12], [2, 4], [14, 1]], False, 4, turns),
        ([5, [1, [9, 2]], [[0, 6], 3]], True, 5, depths),
        ([[[1]], [[-1]]], True, 1, turns),
        ([[[[2, 7], [4]], 6]], False, 6, depths),
        ([0, -3], True, 0, "Zero is a value like any other."),
        ([[0, 4], [5]], False, 4, "Zero is a value like any other."),
        ([[-30000, -32000], [-31000]], True, -31000, "No value is too small to be the best."),
        ([[30000, 32000], [31000]], False, 31000, "No value is too large to be the best."),
    ]
    for tree, white, expected, words in cases:
        side = "White" if white else "Black"
        words_before = f"{tree} with {side} to move is worth"
        require_equal(answer(tree, white), expected, words_before, words)


@exercise("s09-2")
def tree_size(answer: Callable[[int, int], tuple[int, int]]) -> None:
    """Leaves and nodes, small trees included."""
    for branching, depth in ((20, 1), (3, 2), (2, 10), (35, 4), (1, 6), (20, 0), (35, 12)):
        place = f"{branching} moves, {depth} plies"
        leaves, total = branching**depth, sum(branching**ply for ply in range(1, depth + 1))
        said = tuple(answer(branching, depth))
        exact = "Count in whole numbers: floating-point numbers are not exact in large trees."
        require(int(said[1]) == total or not isinstance(said[1], float), f"{place}: {exact}")
        require(said != (total, leaves) or said == (leaves, total), "The leaves come first.")
        require(said[0] == leaves, f"{place}: {leaves} leaves, not {said[0]}.")
        hints = {total + 1: "The root is not counted.", total - leaves: "Leaves are nodes, too."}
        words = f"{place}: the number of nodes is"
        require_equal(said[1], total, words, hints.get(said[1], ""))


@exercise("s09-3")
def principal_variation(answer: Callable[..., list[chess.Move]]) -> None:
    """Every move of the line keeps the value of the root."""
    module = module_of("s09_minimax_engine")
    judges = module_of("s08_evaluation")
    evaluator = judges.Evaluator()

    def asked(board: chess.Board, depth: int) -> list[chess.Move]:
        return list(answer(evaluator, board, depth))

    deep = [
        chess.Board("k7/8/1Q2p3/8/8/p7/1p6/K7 w - - 0 1"),
        *with_mirrors(BACK_RANK),
        chess.Board("8/8/8/8/4Q3/6K1/8/6k1 w - - 0 1"),  # all mates are worth the same
        chess.Board("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1"),  # whatever Black plays, it is mated
        chess.Board("4k3/8/8/8/8/8/3q4/4K3 w - - 0 1"),
        *with_mirrors(_DRAWN),
    ]
    queen_down = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    cases = [(board, 2) for board in random_boards(6, 5)] + [(board, 3) for board in deep]
    cases += [(played("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", queen_down), 2)]  # Ng8 repeats and draws
    for board, depth in cases:
        line, whole = kept(board, asked, depth), module.NegamaxEngine(evaluator, depth)
        current = board.copy()
        for left, move in zip(range(depth, 0, -1), line, strict=False):
            require(
                evaluator.evaluate(current) is None,
                f"In {current.fen()} the game is over: the line ends before.",
            )
            require_legal(move, current)
            scored = module.NegamaxEngine(evaluator, left).analyse(current)
            worth = {entry.move: entry.score for entry in scored}
            words = "Mind who is to move, and how many plies are left."
            if board.move_stack:
                words = "A repetition draws: keep the moves that led to the position."
            if left < depth and move == whole.analyse(current)[0].move:
                words = f"Look {left} plies ahead here: so many are left."
            elif worth[move] == scored[0].score:
                words = "Both are worth the same: take the first that python-chess lists."
            require(
                move == scored[0].move,
                f"In {current.fen()}, {left} plies ahead, the best move is {scored[0].move}, "
                f"not {move}. {words}",
            )
            current.push(move)
        over = evaluator.evaluate(current) is not None
        words = "When the game is over the line ends." if over else f"Expected {depth}."
        hint = f"In {board.fen()} the line has {len(line)} moves. {words}"
        require(len(line) == depth or (over and len(line) < depth), hint)
    rook = "7k/8/8/8/8/8/K7/1r6 w - - 0 1"  # taking the rook draws
    for name, judge, boards in (
        ("a MobilityEvaluator", judges.MobilityEvaluator(), random_boards(6, 5)),
        ("an Evaluator with value_draw=20", judges.Evaluator(value_draw=20), with_mirrors(rook)),
    ):
        for board in boards:
            best = module.NegamaxEngine(judge, 2).analyse(board)[0].move
            require(
                list(answer(judge, board, 2))[:1] == [best],
                f"In {board.fen()} {name} wants {best}. Ask the evaluator given: draws and mates, "
                "too, are worth what it says.",
            )


@exercise(
    "s09-4",
    weight={
        "value_checkmate + depth": 1,
        "value_checkmate + 2 * depth": 2,
        "value_checkmate + 3 * depth": 3,
    },
)
def hurrying(answer: type[Any], weight: int) -> None:
    """Short mates first, everything else unchanged."""
    module = module_of("s09_minimax_engine")
    evaluator = module_of("s08_evaluation").Evaluator()
    stalemate = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    said = answer(evaluator, 3)._value(stalemate, 1)
    require(said == 0, f"Stalemate is a draw, not a mate: `_value` is 0, not {said}.")
    judge = module.Evaluator(value_draw=7)
    for fen in (
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "8/8/4k3/8/8/2B1K3/8/8 w - - 0 1",
        "8/8/4k3/8/8/2R1K3/8/8 b - - 100 90",
    ):
        said = answer(judge, 3)._value(chess.Board(fen), 2)
        require(said == 7, f"{fen} is drawn: `_value` is value_draw, here 7, and not {said}.")
    hurry = "8/8/8/8/4Q3/6K1/8/6k1 w - - 0 1"  # the pitfall
    for board in with_mirrors(hurry):
        move = kept(board, answer(evaluator, 3).play).move
        require(
            board.san(move).endswith("#"),
            f"In {board.fen()} there is a mate at once; it played {board.san(move)}.",
        )
    one, three = (
        answer(evaluator, 3).analyse(chess.Board(fen))[0].score
        for fen in (BACK_RANK, "7k/1Q2K3/8/8/8/8/8/8 w - - 0 1")
    )
    hint = "A mate in one is worth more than a mate in two, and both are worth 100 or more."
    require(one > three >= 100, hint)
    lost = chess.Board("7k/1Q3K2/8/8/8/8/8/8 b - - 0 1")
    require(
        answer(evaluator, 3)._value(lost, 3) == -100 - weight,
        f"Black is mated after two plies, with one left, so `_value` is {-100 - weight}. Does "
        "`best` begin lower than the worst mate?",
    )
    require(
        answer(evaluator, 5)._value(lost, 5) == -100 - 3 * weight,
        "With three plies left after the mate `_value` is lower still: begin `best` below it.",
    )
    other = module.Evaluator(value_checkmate=5000)
    require(
        answer(other, 3)._value(lost, 3) == -5000 - weight,
        "Mate is worth what the evaluator says, `value_checkmate`: here 5000, not always 100.",
    )
    for board in random_boards(6, 6):
        mine = {e.move: e.score for e in answer(evaluator, 2).analyse(board)}
        plain = {e.move: e.score for e in module.NegamaxEngine(evaluator, 2).analyse(board)}
        for move, score in plain.items():
            if abs(score) < 100:
                words = f"In {board.fen()}, {move} is no mate: expected"
                require_equal(mine[move], score, words)
