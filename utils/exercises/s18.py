"""Checks of chapter s18, positional evaluation."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import chess

from utils.exercises import (
    exercise,
    kept,
    module_of,
    random_boards,
    require,
    require_equal,
    require_fair,
)
from utils.exercises.positions import square_names


@functools.cache
def _boards() -> list[chess.Board]:
    return random_boards(300, 18)


@functools.cache
def _samples() -> tuple[Any, ...]:
    return tuple(module_of("s18_positional_evaluation").load_samples())


@exercise("s18-1", opening=(30, 18, 42, 54), ending=(6, 2, 10, 14))
def by_hand(answer: Mapping[str, Any], opening: int, ending: int) -> None:
    """Four numbers."""
    hints = {
        "the start position without the queens": (16, "All pieces are 24; each queen is 4."),
        "rook and pawns against rook and pawns": (4, "A rook is 2, and each side has one."),
        "king and two queens against king": (8, "A queen is 4."),
        "the term": (
            (6 * opening + 18 * ending) / 24,
            f"Two rooks and two knights are phase 6: 6 parts of {opening}, 18 parts of {ending}.",
        ),
    }
    for name, (right, hint) in hints.items():
        said = answer.get(name)
        require(said is not None, f"{name}: no answer.")
        require(said == right, f"{name}: not {said}. {hint}")


@exercise("s18-2")
def connected_passed(answer: Callable[..., Any]) -> None:
    """Pairs beside each other, a rank apart, and look-alikes, for both colours."""
    cases = [
        ("6k1/8/8/3PP3/8/8/8/6K1 w - - 0 1", "d5, e5", ""),
        ("6k1/8/4P3/3P4/8/8/8/6K1 w - - 0 1", "d5, e6", "One rank apart is together."),
        ("6k1/4P3/8/3P4/8/8/8/6K1 w - - 0 1", "none", "Two ranks apart is not together."),
        ("6k1/8/8/3P1P2/8/8/8/6K1 w - - 0 1", "none", "The files must be neighbours."),
        ("6k1/8/8/P6P/8/8/8/6K1 w - - 0 1", "none", "The a-file and the h-file do not meet."),
        ("6k1/3p4/8/3PP3/8/8/8/6K1 w - - 0 1", "none", "Neither of them is passed."),
        ("6k1/8/5p2/3PP3/8/8/8/6K1 w - - 0 1", "none", "Only one of them is passed."),
        ("6k1/8/PP6/8/8/8/8/6K1 w - - 0 1", "a6, b6", ""),
        ("6k1/8/8/3P4/4p3/8/8/6K1 w - - 0 1", "none", "The partner must be of the same side."),
        ("6k1/8/1P6/P6P/8/8/8/6K1 w - - 0 1", "a5, b6", "Compare each pawn with all others."),
        ("6k1/8/8/PPP5/8/8/8/6K1 w - - 0 1", "a5, b5, c5", "Three beside each other all count."),
        ("6k1/8/P7/7P/8/8/8/6K1 w - - 0 1", "none", "The a-file and the h-file do not meet."),
        ("6k1/8/8/PP6/P7/8/8/6K1 w - - 0 1", "a5, b5", "Of doubled pawns the front one is passed."),
    ]
    for fen, right, hint in cases:
        board = chess.Board(fen)
        squares = answer(board, chess.WHITE)
        require(isinstance(squares, Iterable), f"Return a set of squares, not {squares!r}.")
        found = chess.SquareSet(squares)
        said = square_names(found)
        require(said == right, f"{fen}, White: {right}, not {said}. {hint}")
        require(not answer(board, chess.BLACK) or "p" in fen, f"{fen}: Black has no pawns at all.")
        image = board.mirror()
        mirrored = square_names(found.mirror())
        said = square_names(answer(image, chess.BLACK))
        require(
            said == mirrored,
            f"{image.fen()}, Black: {mirrored}, not {said}. The sets of Black are turned over; "
            "turn them back.",
        )
    for board in _boards():
        for colour in chess.COLORS:
            here = {chess.square_mirror(s) for s in answer(board, colour)}
            there = set(answer(board.mirror(), not colour))
            require(here == there, f"{board.fen()} and its mirror image disagree.")


@exercise(
    "s18-3",
    ranks={
        "fourth, fifth or sixth rank": "456",
        "fourth or fifth rank": "45",
        "fifth or sixth rank": "56",
        "fifth rank": "5",
    },
)
def outposts(answer: Callable[..., int], ranks: str) -> None:
    """Guarded and safe, guarded only, safe only, wrong rank, pawn beside but past."""
    cases = [
        ("6k1/8/8/3N4/4P3/8/8/6K1 w - - 0 1", 1, "Guarded, and there is no enemy pawn."),
        ("6k1/2p5/8/3N4/4P3/8/8/6K1 w - - 0 1", 0, "The pawn on c7 can drive the knight away."),
        ("6k1/4p3/8/3N4/2P5/8/8/6K1 w - - 0 1", 0, "The pawn on e7 can drive the knight away."),
        ("6k1/3p4/8/3N4/4P3/8/8/6K1 w - - 0 1", 1, "A pawn does not attack its own file."),
        ("6k1/8/8/2pN4/4P3/8/8/6K1 w - - 0 1", 1, "The pawn on c5 has passed already."),
        ("6k1/8/2p5/3N4/4P3/8/8/6K1 w - - 0 1", 0, "The pawn on c6 attacks the knight now."),
        ("6k1/2p5/8/8/3N4/2P5/8/6K1 w - - 0 1", 0, "The pawn on c7 needs two steps: c6, c5."),
        ("6k1/2p5/2P5/3N4/4P3/8/8/6K1 w - - 0 1", 0, "What is in the way of a pawn may move."),
        ("6k1/8/8/3N4/8/8/8/6K1 w - - 0 1", 0, "No own pawn guards the knight."),
        ("6k1/8/8/8/3N4/2P5/8/6K1 w - - 0 1", 1, "Does the fourth rank count?"),
        ("6k1/3N4/4P3/8/8/8/8/6K1 w - - 0 1", 0, "The seventh rank does not count."),
        ("6k1/8/8/8/8/3N4/4P3/6K1 w - - 0 1", 0, "The third rank does not count."),
        ("6k1/8/8/3B4/4P3/8/8/6K1 w - - 0 1", 0, "A bishop is no knight."),
        ("6k1/8/8/N7/7P/8/8/6K1 w - - 0 1", 0, "A pawn on the h-file guards nothing on a."),
        ("6k1/8/7p/N7/1P6/8/8/6K1 w - - 0 1", 1, "A pawn on the h-file attacks nothing on a."),
        ("6k1/8/3N1N2/4P3/8/8/8/6K1 w - - 0 1", 2, "Both knights are guarded by e5."),
        ("6k1/8/8/3N4/2P1P3/8/8/6K1 w - - 0 1", 1, "Two pawns guard it; it is one knight."),
    ]
    for fen, right, hint in cases:
        board = chess.Board(fen)
        knights = map(chess.square_name, board.pieces(chess.KNIGHT, chess.WHITE))
        right = min(right, sum(name[1] in ranks for name in knights))  # all on the same rank
        require_equal(answer(board, chess.WHITE), right, f"{fen}, White:", hint)
        image = board.mirror()
        hint = "It is right for White in the mirror image: turn pawns and knights over for Black."
        require_equal(answer(image, chess.BLACK), right, f"{image.fen()}, Black:", hint)
        for other, colour in ((board, chess.BLACK), (image, chess.WHITE)):
            words = f"{other.fen()}: the side without knights has"
            require_equal(answer(other, colour), 0, words)


@exercise(
    "s18-4",
    rim={"10 centipawns": 10, "8 centipawns": 8, "12 centipawns": 12},
    near={"4 for": 4, "3 for": 3, "6 for": 6},
)
def mop_up(answer: type[Any], rim: int, near: int) -> None:
    """The bonus where it belongs, nothing elsewhere, and fair."""
    plain = module_of("s18_positional_evaluation").PositionalEvaluator()
    judge = answer()
    cases = [
        ("8/8/8/3k4/8/8/8/KR6 w - - 0 1", near * 3),
        ("k7/8/1K6/8/8/8/8/1R6 w - - 0 1", rim * 3 + near * 5),
        ("k7/8/1K6/8/8/8/8/1R6 b - - 0 1", -(rim * 3 + near * 5)),
        ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", rim * 3),
        ("7k/7p/8/8/8/8/8/KQ6 w - - 0 1", 0),
        ("7k/8/8/8/8/8/PP6/K7 w - - 0 1", 0),
        ("7k/8/8/8/8/8/8/KBN5 w - - 0 1", 0),
        ("7k/8/8/8/8/8/P7/KQ6 w - - 0 1", rim * 3),
        ("7k/8/8/8/8/8/8/KQRN4 w - - 0 1", rim * 3),
        ("8/8/8/8/k7/8/8/1R5K w - - 0 1", rim * 3),
        ("4k3/8/8/8/8/8/8/KR6 w - - 0 1", rim * 3),
        ("8/8/8/8/8/1k6/8/4Q2K w - - 0 1", rim * 2 + near),
    ]
    for fen, bonus in cases:
        board = chess.Board(fen)
        said = judge.heuristic(board) - plain.heuristic(board)
        steps = " A distance is counted in king's moves, diagonal ones too." if bonus else ""
        if bonus and said == 0 and board.occupied.bit_count() > 3:
            steps = " A rook or a queen is enough, whatever stands beside it."
        if bonus < 0:
            steps = " The weaker side is to move here, so the bonus is subtracted."
        hint = f"{fen}: the bonus for the side to move is {bonus:+}, not {said:+}.{steps}"
        require(said == bonus, hint)
        judge.init(board)
        require(
            judge.get_score() == judge.heuristic(board),
            f"{fen}: `get_score`, which the search asks, gives {judge.get_score():+}, and "
            f"`heuristic` {judge.heuristic(board):+}. Override `_score`, which both use.",
        )
    boards = [*_boards(), *(chess.Board(fen) for fen, _ in cases)]
    require_fair(judge, boards, "The bonus belongs to the side that can mate.")
    for board in _boards():
        heavy = all(board.occupied_co[c] & ~board.kings for c in chess.COLORS)
        if heavy:
            require(
                judge.heuristic(board) == plain.heuristic(board),
                f"{board.fen()}: nobody has a bare king here, so the score must not change.",
            )


@exercise("s18-5")
def own_term(
    count: Callable[[chess.Board, chess.Color], Mapping[str, int]],
    weights: Mapping[str, tuple[int, int]],
) -> None:
    """New, fair, present, and it lowers the error."""
    module = module_of("s18_positional_evaluation")
    names = set(count(chess.Board(), chess.WHITE)) | set(weights)
    require(weights, "my_weights is empty: give each of your names a weight.")
    taken = sorted(names & set(module.WEIGHTS))
    require(not taken, f"The evaluator has {', '.join(taken)} already: use a new name.")
    require(
        all(isinstance(weight, numbers.Integral) for pair in weights.values() for weight in pair),
        "Weights are whole centipawns, since the evaluator packs two into one number.",
    )
    for board in _boards():
        for colour in chess.COLORS:
            here, there = kept(board, count, colour), count(board.mirror(), not colour)
            unknown = sorted(set(here) - set(weights))
            require(not unknown, f"No weight for {', '.join(unknown)}.")
            require(
                {n: c for n, c in here.items() if c} == {n: c for n, c in there.items() if c},
                f"{board.fen()}: {dict(here)} for {chess.COLOR_NAMES[colour]}, but "
                f"{dict(there)} for the other side in the mirror image.",
            )

    def both(board: chess.Board, colour: chess.Color) -> dict[str, int]:
        return {**module.features(board, colour), **count(board, colour)}

    data = module.tuning_data(_samples(), [*module.WEIGHTS, *weights], both)
    without = dict(module.WEIGHTS) | dict.fromkeys(weights, (0, 0))
    scale = module.best_scale(data, module.as_vector(without, data.names))
    errors = [
        module.error(data, module.as_vector(chosen, data.names), scale)
        for chosen in (without, without | dict(weights))
    ]
    require(
        errors[1] < errors[0],
        f"With your weights the error is {errors[1]:.8f}, without them {errors[0]:.8f}. "
        "Tune them; if no weight helps, the term says nothing about these games.",
    )
