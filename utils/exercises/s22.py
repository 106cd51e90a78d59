"""Checks of chapter s22, the search on one page."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import chess
import chess.engine

from utils.exercises import exercise, kept, module_of, random_boards, require, require_equal
from utils.exercises.positions import (
    MIDDLEGAME,
    ROOK_ENDING,
    position_after,
    square_names,
    with_mirrors,
)

CLOCKS = ("monotonic", "perf_counter", "process_time", "time")
"""Functions of the module `time` that a learner may measure with."""


@exercise("s22-1")
def mate_in(answer: Callable[[int], int | None]) -> None:
    """Both signs, short and long, and scores that are no mates."""
    module = module_of("s22_tournament_search")
    mate, long_mate = module.MATE, module.LONG_MATE
    cases = {
        0: None,
        2500: None,
        -2500: None,
        long_mate: None,
        -long_mate: None,
        mate - 1: 1,
        mate - 3: 2,
        mate - 5: 3,
        mate - 101: 51,
        long_mate + 1: 500,
        -mate: 0,
        2 - mate: -1,
        4 - mate: -2,
        -long_mate - 2: -499,
        20 - mate: -10,
    }
    for score, expected in cases.items():
        said = answer(score)
        require_equal(said, expected, f"A score of {score} means")
        require(not isinstance(said, float), f"Moves are counted: {expected}, not {said}.")


@exercise("s22-2")
def contempt(answer: type[Any]) -> None:
    """A perpetual check for either side, two bare kings, and a position without draws."""
    module = module_of("s22_tournament_search")
    perpetual = "5rk1/5p1p/8/8/8/rr6/3Q4/7K w - - 0 1"

    def value(board: chess.Board, depth: int) -> int:
        engine = module.SearchEngine(megabytes=4)
        old = engine.searcher
        engine.searcher = answer(old.table, old.evaluator, old.parts)
        engine.play(board, chess.engine.Limit(depth=depth))
        score = int(engine.last_search.best.score)
        return score if board.turn == chess.WHITE else -score

    for board in with_mirrors(perpetual):
        found = value(board, 7)
        require(
            found == -40,
            f"In {board.fen()} the side to move has perpetual check: worth -40 to it, not {found}.",
        )
    for fen, why in (
        ("7k/8/8/6K1/8/8/8/8 w - - 0 1", "Two bare kings are a draw"),
        ("4k3/r7/8/8/8/8/7R/4K3 w - - 98 90", "After one move of each side it is a draw"),
    ):
        found = value(chess.Board(fen), 3)
        require(found == -40, f"{why}, worth -40 to the side to move, not {found}.")
    mate = chess.Board("8/8/8/8/4Q3/6K1/8/6k1 w - - 0 1")
    require(value(mate, 5) == module.MATE - 1, "Where nothing is drawn, values must not change.")


_HANGING = {
    "4k3/8/8/3p4/2P5/8/8/4K3 w - - 0 1": "a pawn may take a pawn",
    "4k3/2p5/3p4/4N3/8/8/8/4K3 w - - 0 1": "a pawn may take a knight",
    "4k3/2p5/3p4/4P3/3P4/8/8/4K3 w - - 0 1": "a pawn takes back, so nothing is won",
    "3rk3/8/8/8/3Q4/2P5/8/4K3 w - - 0 1": "a queen is worth more than a rook, even if it is taken",
    "4k3/8/8/2n5/4B3/3P4/8/4K3 w - - 0 1": "a bishop is worth a little more than a knight",
    "4k3/8/8/2pP4/8/8/8/4K3 b - c6 0 1": "after a pass no capture en passant is left",
    "4k3/8/8/8/8/2n5/1p6/R3K3 w - - 0 1": "a capture that promotes does not count",
    "r3k3/8/8/8/8/8/R7/R3K3 b - - 0 1": "nothing guards the rook",
}


@exercise("s22-3")
def hanging(answer: Callable[[Any], set[int]]) -> None:
    """Compared with a pass and the static exchange on a board of python-chess."""
    numbers, slow = module_of("s20_board_of_numbers"), module_of("s16_quiescence_search")
    cases = [(chess.Board(fen), why) for fen, why in _HANGING.items()]
    cases += [(board, "exchanges are played out") for board in random_boards(80, 22)]
    for board, why in cases:
        if board.is_check():
            continue
        fast, untouched = numbers.NumberBoard(board), numbers.NumberBoard(board)
        passed = position_after(board, chess.Move.null())
        expected = {
            move.to_square
            for move in passed.generate_legal_captures()
            if not move.promotion
            and not passed.is_en_passant(move)
            and slow.static_exchange(passed, move) > 0
        }
        said = answer(fast)
        hint = "The board changed: take your null move back with `unmake_null`."
        require(vars(fast) == vars(untouched), hint)
        is_set = isinstance(said, set | frozenset | chess.SquareSet)
        require(is_set, f"Return a set of squares, not {said!r}.")
        require(
            set(said) == expected,
            f"In {board.fen()} the squares are {square_names(expected)}, not "
            f"{square_names(said)}: {why}.",
        )


@exercise("s22-4")
def dearest_part(answer: Callable[[chess.Board, int], str]) -> None:
    """Compared with a new engine for each part; the clocks stand still, so no time is measured."""
    module = module_of("s22_tournament_search")
    names = [part.name for part in dataclasses.fields(module.Parts)]
    stopped: dict[str, Any] = dict.fromkeys(CLOCKS, lambda: 0.0)

    def nodes(board: chess.Board, depth: int, part: str) -> int:
        engine = module.SearchEngine(16, module.Parts(**{part: False}))
        engine.play(board, chess.engine.Limit(depth=depth))
        return int(engine.searcher.nodes)

    opening = "r1bqkbnr/p1pppppp/2n5/1p6/5P2/4P3/PPPP2PP/RNBQKBNR b KQkq - 0 3"
    wild = "rn2k1nr/p3bppp/8/1pPppb2/P2N3q/R2PP2P/2P2P2/1NBQKB1R b Kkq - 2 11"
    for fen, depth in (
        *((MIDDLEGAME, 5), (ROOK_ENDING, 5), (opening, 5), (MIDDLEGAME, 4)),
        (wild, 4),  # the sum of the counts of all iterations is largest for another part
    ):
        board = chess.Board(fen)
        with mock.patch.multiple(time, **stopped):
            said = kept(board, answer, depth)
        require(said in names, f"{said!r} is no part; expected one of {', '.join(names)}.")
        counts = {name: nodes(board, depth, name) for name in names}
        best = max(counts, key=counts.__getitem__)
        require(
            counts[said] == counts[best],
            f"Without {said}, {depth} plies in {fen} need {counts[said]} nodes; without {best}"
            f" {counts[best]}. Begin each search with a new engine, switch off one part only,"
            " and count nodes.",
        )
