"""Checks of chapter s21, a fast evaluation."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import chess

from utils.exercises import exercise, kept, module_of, random_boards, require, require_equal

_REACHES = [
    ("4k2r/8/8/8/8/5N2/8/K7 w - - 0 1", chess.F3, "Only pawns make a square unsafe"),
    ("4k3/8/8/8/r2R4/8/8/4K3 w - - 0 1", chess.D4, "Squares of enemy pieces count"),
    ("4k3/8/8/1p6/3N4/8/8/4K3 w - - 0 1", chess.D4, "Squares of enemy pawns count"),
    ("4k3/8/8/8/8/2P1P3/1P3P2/3NK3 w - - 0 1", chess.D1, "Squares of own pawns do not count"),
    ("4k3/8/8/8/8/8/3R4/3QK3 w - - 0 1", chess.D1, "Squares of own pieces count"),
    ("4k3/8/2p5/8/4B3/8/8/4K3 w - - 0 1", chess.E4, "What enemy pawns attack does not count"),
    ("4k3/8/8/4b3/8/2P5/8/4K3 w - - 0 1", chess.E5, "What enemy pawns attack does not count"),
    ("4k3/4r3/8/8/8/4N3/8/4K3 w - - 0 1", chess.E3, "A pin changes nothing"),
    ("4k3/8/p7/8/3N4/8/4P3/4K3 b - - 0 1", chess.D4, "The turn changes nothing"),
]


@exercise("s21-1")
def reach_of(answer: Callable[[chess.Board, chess.Square], int]) -> None:
    """One trap at a time, then pieces of random games."""
    features = module_of("s21_fast_evaluation").reach_features
    for fen, square, rule in _REACHES:
        board = chess.Board(fen)
        words = f"{rule}: in {fen} the piece on {chess.square_name(square)} reaches, in squares,"
        require_equal(kept(board, answer, square), _reach(board, square), words)
    for board in random_boards(20, 1):
        for color in chess.COLORS:
            counts = Counter(
                f"reach_{chess.piece_name(kind)}_{answer(board, square)}"
                for kind in range(chess.KNIGHT, chess.KING)
                for square in board.pieces(kind, color)
            )
            require(
                counts == features(board, color),
                f"In {board.fen()} `reach_features` counts something else.",
            )


def _reach(board: chess.Board, square: chess.Square) -> int:
    color = board.color_at(square)
    assert color is not None
    own, theirs = board.pieces(chess.PAWN, color), board.pieces(chess.PAWN, not color)
    hit = chess.SquareSet()
    for pawn in theirs:
        hit |= board.attacks(pawn)
    return len(board.attacks(square) - own - hit)


@exercise("s21-2")
def hits(answer: Callable[[Sequence[int], int], int]) -> None:
    """By hand, then random keys, compared with a dictionary."""
    cases = [
        ([1, 1, 1], 1, 2, "A key that was stored is found, and does not empty the memory"),
        ([1, 2, 1], 1, 0, "A full memory is emptied before a key is stored"),
        ([1, 2, 2], 1, 1, "The key that does not fit is stored after the memory is emptied"),
        ([1, 2, 1, 2], 2, 2, "The memory is full with `most` entries, and emptied only then"),
        ([1, 2, 3, 2], 2, 0, "All entries go at once, not the oldest one"),
        ([1, 2, 1, 3, 1], 2, 1, "All entries go at once, however often they were found"),
        ([], 5, 0, "Without keys nothing is found"),
    ]
    for keys, most, expected, rule in cases:
        words = f"{rule}: of {keys} with at most {most} it is"
        require_equal(answer(list(keys), most), expected, words)
    rng = random.Random(3)
    for most in (1, 3, 10, 50, 500):
        keys = [rng.randrange(40) for _ in range(300)]
        words = f"Of 300 keys with at most {most} the number that is found is"
        require_equal(answer(list(keys), most), _hits(keys, most), words)


def _hits(keys: Sequence[int], most: int) -> int:
    known: dict[int, bool] = {}
    found = 0
    for key in keys:
        found += key in known
        if key not in known and len(known) >= most:
            known = {}
        known[key] = True
    return found


@exercise("s21-3")
def wrong_sides(answer: Callable[[Sequence[tuple[int, int, int, int]], int], int]) -> None:
    """One sample at a time, the edges of margins and bounds among them."""
    cases = [
        ((-200, 20, 0, 50), 100, 1, "Far below alpha, and the whole score above it: wrong"),
        ((250, 40, 0, 50), 100, 1, "Far above beta, and the whole score below it: wrong"),
        ((-200, 70, 0, 50), 100, 1, "Far below alpha, and the whole score above beta: wrong"),
        ((250, -20, 0, 50), 100, 1, "Far above beta, and the whole score below alpha: wrong"),
        ((-200, -50, 0, 50), 100, 0, "The rest is larger than the margin, but the side is right"),
        ((-60, 20, 0, 50), 100, 0, "Nearer than the margin nothing is left out"),
        ((-100, 1, 0, 50), 100, 1, "A rough score exactly `margin` below alpha is given"),
        ((150, 49, 0, 50), 100, 1, "A rough score exactly `margin` above beta is given"),
        ((-100, 0, 0, 50), 100, 0, "A whole score equal to alpha is on the right side"),
        ((150, 50, 0, 50), 100, 0, "A whole score equal to beta is on the right side"),
        ((100, 320, 300, 350), 100, 1, "A rough score below alpha, here 300, is given"),
        ((100, 290, 300, 350), 100, 0, "Both scores lie below alpha, here 300"),
        ((-400, -320, -300, -250), 100, 0, "Both scores lie below alpha, here -300"),
        ((20, 30, 0, 50), 0, 0, "Within the window nothing is left out"),
    ]
    for sample, margin, expected, rule in cases:
        said = answer([sample], margin)
        require(said == expected, f"{rule}: {sample} with a margin of {margin} gives {said}.")
    both = [sample for sample, _, _, _ in cases]
    require(answer(both, 100) == 7, f"Seven of these fourteen are wrong: {both}.")
    require(answer([], 100) == 0, "Without samples there is nothing wrong.")


@exercise("s21-4")
def outposts(answer: type[Any]) -> None:
    """One rule at a time, then random games, compared with looking at knights one by one."""
    module, numbers = module_of("s21_fast_evaluation"), module_of("s20_board_of_numbers")
    plain, mine = module.FastEvaluator(), answer()
    cases = [(chess.Board(fen), rule) for fen, rule in _OUTPOSTS.items()]
    cases += [(board, "In a game") for board in random_boards(60, 5)]
    for board, rule in cases:
        count = _outposts(board) - _outposts(board.mirror())
        said = mine.score(numbers.NumberBoard(board)) - plain.score(numbers.NumberBoard(board))
        expected = 24 * count if board.turn else -24 * count
        require(
            abs(said - expected) <= 1,
            f"{rule}: in {board.fen()} outposts are worth {expected} to the side to move, "
            f"not {said}.",
        )


_OUTPOSTS = {
    "4k3/8/8/3P4/8/4n3/8/4K3 w - - 0 1": "Without an outpost the score stays as it was",
    "4k3/5p2/8/3N4/4P3/8/8/4K3 w - - 0 1": "White's knight has an outpost: pack it for both phases",
    "4k3/8/8/3N4/4P3/8/8/4K3 b - - 0 1": "What is good for White is bad for Black, who is to move",
    "4k3/8/8/4p3/3n4/8/8/4K3 b - - 0 1": "Black's knight has an outpost",
    "4k3/8/8/3N4/8/8/8/4K3 w - - 0 1": "A pawn must protect the knight",
    "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1": "A black pawn may attack the knight one day",
    "4k3/8/3p4/2n5/8/8/1P6/4K3 b - - 0 1": "A white pawn may attack the knight one day",
    "4k3/8/8/8/8/3N4/2P5/4K3 w - - 0 1": "White's third rank is not far enough",
    "4k3/2p5/3n4/8/8/8/8/4K3 w - - 0 1": "Black's third rank is not far enough",
    "4k3/8/3N4/2P1P3/8/8/8/4K3 w - - 0 1": "White's sixth rank counts",
    "4k3/8/8/8/2p5/3n4/8/4K3 w - - 0 1": "Black's sixth rank counts",
    "4k3/4N3/3P4/8/8/8/8/4K3 w - - 0 1": "White's seventh rank is too far",
    "4k3/8/8/8/8/3p4/4n3/4K3 w - - 0 1": "Black's seventh rank is too far",
    "4k3/8/8/8/3N4/4P3/8/4K3 w - - 0 1": "White's fourth rank counts",
    "4k3/8/4p3/3n4/8/8/8/4K3 b - - 0 1": "Black's fourth rank counts",
    "4k3/2p5/8/8/3N4/4P3/8/4K3 w - - 0 1": "A pawn three ranks ahead may attack it later",
    "4k3/3p4/8/3N4/4P3/8/8/4K3 w - - 0 1": "A black pawn on the knight's file cannot attack it",
    "4k3/8/8/4p3/3n4/8/3P4/4K3 b - - 0 1": "A white pawn on the knight's file cannot attack it",
    "4k3/8/8/2pN4/4P3/8/8/4K3 w - - 0 1": "A black pawn on the knight's rank has gone too far",
    "4k3/8/8/4p3/2Pn4/8/8/4K3 b - - 0 1": "A white pawn on the knight's rank has gone too far",
    "4k3/7p/8/N7/1P6/8/8/4K3 w - - 0 1": "The h file is not beside the a file",
    "4k3/8/8/6p1/7n/8/P7/4K3 b - - 0 1": "The a file is not beside the h file",
    "r1bqkb1r/pp3ppp/3p4/3Np3/4P3/8/PPPP1PPP/R1BQKB1R w KQkq - 0 1": "Pack it for both phases",
    "4k3/2p5/2P5/3N4/4P3/8/8/4K3 w - - 0 1": "A black pawn is ahead, whatever is in its way",
    "4k3/8/8/4p3/3n4/2p5/2P5/4K3 b - - 0 1": "A white pawn is ahead, whatever is in its way",
    "4k3/8/8/3N1N2/4P3/8/8/4K3 w - - 0 1": "Two knights of White have outposts",
    "4k3/8/8/4p3/3n1n2/8/8/4K3 b - - 0 1": "Two knights of Black have outposts",
}


def _outposts(board: chess.Board) -> int:
    """The outposts of White."""
    count = 0
    for knight in board.pieces(chess.KNIGHT, chess.WHITE):
        file, rank = chess.square_file(knight), chess.square_rank(knight)
        guards = board.attackers(chess.WHITE, knight) & board.pawns
        chased = any(
            abs(chess.square_file(pawn) - file) == 1 and chess.square_rank(pawn) > rank
            for pawn in board.pieces(chess.PAWN, chess.BLACK)
        )
        count += bool(guards) and not chased and rank in (3, 4, 5)
    return count
