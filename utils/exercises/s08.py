"""Checks of chapter s08, evaluation as an object."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import (
    Hint,
    exercise,
    heuristic,
    kept,
    module_of,
    random_boards,
    require,
    require_fair,
)
from utils.exercises.positions import with_mirrors

ENDGAMES = (
    "8/5k2/8/2p5/3K4/8/4P3/8 w - - 0 1",
    "8/5pk1/6p1/p7/3B4/6P1/1n3PK1/8 b - - 0 1",
    "r3k2r/p1R2ppp/8/8/8/8/P4PPP/2R3K1 w - - 0 1",
)


def _require_fair(evaluator: Any) -> None:
    words = "Do the same for both sides, and mind the view."
    require_fair(evaluator, random_boards(120, 11), words)


def _require_scores(evaluator: Any, cases: dict[str, float]) -> None:
    """The scores of positions, with words for what is often wrong."""
    plain = module_of("s08_evaluation").Evaluator()
    for fen, expected in cases.items():
        board = chess.Board(fen)
        score, material = heuristic(evaluator, board), plain.heuristic(board)
        bonus = expected - material
        mistakes = (
            (material, "Only material is counted here. Look at both sides."),
            (-expected, "Scores are from the view of the side to move."),
            (material - bonus, "What you add has the wrong sign for the side to move."),
            (bonus - material, "Scores are from the view of the side to move."),
            (bonus, "The material counts as well."),
        )
        words = next((what for value, what in mistakes if abs(score - value) < 1e-9), "")
        require(
            abs(score - expected) < 1e-9, f"In {fen}: expected {expected}, got {score}. {words}"
        )


@exercise("s08-1")
def views(to_white: Callable[..., float], to_side: Callable[..., float]) -> None:
    """Both directions, both sides."""
    white, black = chess.Board(), chess.Board("4k3/8/8/8/8/8/8/4K3 b - - 0 1")
    require(to_white(3, white) == 3, "With White to move both views are the same.")
    require(to_side(-2, white) == -2, "With White to move both views are the same.")
    require(to_white(3, black) == -3, "Black is to move and likes it: White does not.")
    require(to_side(3, black) == -3, "White likes it: Black, who is to move, does not.")
    both = to_white(-2, black), to_side(-2, black)
    require(both == (2, 2), "A score below zero changes its sign, too.")


@exercise(
    "s08-2",
    pair={
        "half a pawn": 0.5,
        "a fifth of a pawn": 0.2,
        "two fifths of a pawn": 0.4,
        "three quarters of a pawn": 0.75,
    },
)
def bishop_pair(answer: type[Any], pair: float) -> None:
    """What is said for two bishops, and nothing else."""
    evaluator, plain = answer(), module_of("s08_evaluation").Evaluator()
    cases = {
        "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1": 6 + pair,
        "4k3/8/8/8/8/8/8/2B1KB2 b - - 0 1": -6 - pair,
        "2b1kb2/8/8/8/8/8/8/2B1KB2 w - - 0 1": 0,
        "2b1kb2/8/8/8/8/8/8/4KB2 w - - 0 1": -3 - pair,
        "2b1kb2/8/8/8/8/8/8/4KB2 b - - 0 1": 3 + pair,
        "4k3/8/8/8/8/B7/8/2B1KB2 w - - 0 1": 9 + pair,
        "4k3/8/8/8/8/8/8/4KB2 w - - 0 1": 3,
        "4k3/8/8/8/8/B7/8/2B1K3 w - - 0 1": 6 + pair,  # both on dark squares
        "4k3/8/8/8/8/B6B/8/2B1KB2 w - - 0 1": 12 + pair,
    }
    _require_scores(evaluator, cases)
    _require_fair(evaluator)
    for board in random_boards(40, 11):
        pairs = [len(board.pieces(chess.BISHOP, colour)) >= 2 for colour in chess.COLORS]
        if pairs[0] == pairs[1]:
            require(
                abs(heuristic(evaluator, board) - plain.heuristic(board)) < 1e-9,
                f"In {board.fen()} no side is ahead in bishop pairs: only material counts.",
            )


@exercise(
    "s08-3",
    worth={"a tenth of a pawn": 0.1, "a fifth of a pawn": 0.2, "a twentieth of a pawn": 0.05},
)
def pawn_steps(answer: type[Any], worth: float) -> None:
    """A part of a pawn for each step, on both sides."""
    evaluator = answer()
    cases = {
        chess.STARTING_FEN: 0,
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1": 1 + 2 * worth,
        "4k3/4P3/8/8/8/8/8/4K3 w - - 0 1": 1 + 5 * worth,
        "4k3/8/8/8/8/4p3/8/4K3 b - - 0 1": 1 + 4 * worth,
        "4k3/8/8/8/8/8/4p3/4K3 b - - 0 1": 1 + 5 * worth,
        "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1": -1 - 5 * worth,
        "4k3/3p4/8/8/4P3/8/8/4K3 b - - 0 1": -2 * worth,
        "4k3/8/8/8/P2PP3/8/8/4K3 w - - 0 1": 3 + 6 * worth,
    }
    _require_scores(evaluator, cases)
    _require_fair(evaluator)


@exercise("s08-4")
def first_failure(answer: Callable[..., chess.Board | None]) -> None:
    """Finds a failure, stops there, and gives up in time."""
    module = module_of("s08_evaluation")
    positions = list(module.random_positions(500, random.Random(1)))
    number = next(n for n, b in enumerate(positions) if _is_thin(b))
    asked = 0

    class Unfair(module.Evaluator):  # type: ignore[misc, name-defined]
        """Likes a side a little where few pieces are left, in one of its two methods."""

        def __init__(self, method: str, side: chess.Color) -> None:
            super().__init__()
            self.method, self.side = method, side

        def _likes(self, method: str, board: chess.Board) -> bool:
            return method == self.method and board.turn == self.side and _is_thin(board)

        def evaluate(self, board: chess.Board) -> float | None:
            return 0.01 if self._likes("evaluate", board) else None

        def heuristic(self, board: chess.Board) -> float:
            nonlocal asked
            asked += 1
            return 0.01 if self._likes("heuristic", board) else 0.0

    class Rounded(module.Evaluator):  # type: ignore[misc, name-defined]
        """Fair, up to the rounding of a sum."""

        def heuristic(self, board: chess.Board) -> float:
            return 0.1 + 0.2 if board.turn else 0.3

    rng, needed = random.Random(1), random.Random(1)
    unfair = Unfair("heuristic", chess.WHITE)
    _require_found(answer(unfair, rng, 500), positions[number], unfair)
    require(asked <= 4 * (number + 1), "Stop at the first failure.")
    list(module.random_positions(number + 1, needed))
    hint = "Make no more positions than you look at: take them from random_positions one by one."
    require(rng.getstate() == needed.getstate(), hint)
    for method, side in (("heuristic", chess.BLACK), ("evaluate", chess.WHITE)):
        unfair = Unfair(method, side)
        _require_found(answer(unfair, random.Random(1), 500), positions[number], unfair)
    nothing = answer(module.Evaluator(), random.Random(1), 50)
    require(nothing is None, f"A fair evaluator has no failure: return None, not {nothing!r}.")
    nothing = answer(Rounded(), random.Random(1), 50)
    words = "0.1 + 0.2 for a position and 0.3 for its mirror image is no failure: that is rounding."
    require(nothing is None, words)
    asked, unfair = 0, Unfair("heuristic", chess.WHITE)
    require(answer(unfair, random.Random(1), number) is None, "No failure within `most`: None.")
    require(asked <= 4 * number, "Try no more than `most` positions.")


def _require_found(found: Any, expected: chess.Board, evaluator: Any) -> None:
    """The position in which an unfair evaluator fails first."""
    if found is None:
        here, there = map(getattr(evaluator, evaluator.method), (expected, expected.mirror()))
        raise Hint(
            f"An unfair evaluator was not found out: its `{evaluator.method}` gives {here} for "
            f"{expected.fen()}, and {there} for the mirror image."
        )
    require(isinstance(found, chess.Board), f"Return a position, not {found!r}.")
    require(
        found == expected,
        "Return the first position that fails, of random_positions(most, rng), not its mirror "
        "image.",
    )


def _is_thin(board: chess.Board) -> bool:
    return chess.popcount(board.occupied) < 24


@exercise("s08-5")
def own(answer: type[Any]) -> None:
    """Fair, right about finished games, and not blind to a queen."""
    evaluator = answer(value_checkmate=500, value_draw=0)
    _require_fair(evaluator)
    for mate, draw in ((500, 0), (300, 7)):
        judge = answer(value_checkmate=mate, value_draw=draw)
        for fen, value, words in (
            ("3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1", -mate, "A mated side"),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", draw, "Stalemate"),
            ("8/8/4k3/8/8/2B1K3/8/8 w - - 0 1", draw, "A draw by lack of material"),
            ("8/8/4k3/8/8/2R1K3/8/8 w - - 100 90", draw, "A draw by the fifty-move rule"),
        ):
            name = "minus value_checkmate" if value == -mate else "value_draw"
            for board in with_mirrors(fen):
                said = kept(board, judge.evaluate)
                hint = f"{words} gets {name}, here {value}, and in {board.fen()} you say {said}."
                require(said == value, hint)
    require(evaluator.evaluate(chess.Board()) is None, "While the game goes on it is None.")
    queen = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    require(
        heuristic(evaluator, chess.Board(queen)) > heuristic(evaluator, chess.Board()),
        "A queen more should look better than none.",
    )
    plain = module_of("s08_evaluation").Evaluator()
    boards = [*random_boards(60, 11), *map(chess.Board, ENDGAMES)]
    values = {(plain.heuristic(b), round(heuristic(evaluator, b), 9)) for b in boards}
    more = {round(own - usual, 9) for usual, own in values}
    require(more != {0}, "It judges just like Evaluator: add an idea of your own.")
    require(
        len(more) > 1,
        f"It adds {more.pop():+g} to Evaluator's score in every position: the best move stays the "
        "best. An idea tells positions apart.",
    )
    ordered = [own for _, own in sorted(values)]
    require(
        len({usual for usual, _ in values}) < len(values) or ordered != sorted(set(ordered)),
        "It orders positions just as Evaluator does: the best move stays the best. An idea tells"
        " positions apart.",
    )
