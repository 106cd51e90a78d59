"""Checks of chapter s26, bitboards."""

from __future__ import annotations

import random
import types
from collections.abc import Callable
from typing import Any

import chess
import numpy as np

from utils.compiler import compiled, plain
from utils.exercises import Hint, chapter, exercise, require

_POSITIONS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "4r2k/8/8/1q6/8/3NR3/4K3/8 w - - 0 1",
)


def _sets(seed: int) -> list[int]:
    rng = random.Random(seed)
    edges = [chess.BB_E4, chess.BB_ALL, chess.BB_FILE_A, chess.BB_FILE_H, chess.BB_H8, chess.BB_A1]
    return [*edges, 0, *(rng.getrandbits(64) for _ in range(20))]


def _names(squares: int) -> str:
    names = [chess.square_name(square) for square in chess.scan_forward(squares)]
    return ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")


@exercise("s26-1")
def sideways(answer: Callable[[int, int], int]) -> None:
    def moved(squares: int, files: int) -> int:
        return sum(
            1 << square + files
            for square in chess.scan_forward(squares)
            if 0 <= (square & 7) + files < 8
        )

    for files in (1, 2, 7, 0, -1, -3, -7, 4):
        for squares in (chess.BB_E4, chess.BB_H1, *_sets(1)):
            place = f"For {_names(squares) or 'the empty set'} and {files} files"
            said, true = answer(squares, files), moved(squares, files)
            require(type(said) is int, f"{place}: return an integer, not {said!r}.")
            require(
                not files or said != moved(squares, -files) or said == true,
                f"{place}: left and right are exchanged.",
            )
            require(0 <= said < 2**64, f"{place}: there is a bit beyond h8.")
            wrong = said & ~true
            require(
                not wrong, f"{place}: {_names(wrong)} came in on the other side, or stayed behind."
            )
            require(said == true, f"{place}: {_names(true & ~said)} is missing.")


@exercise("s26-2")
def second_sight(answer: Callable[[int, Any], Any]) -> None:
    def rook(square: int, occupied: int) -> int:
        module = chapter("s26_bitboards")
        straight = module.LINE_STEPS[module.RANK] + module.LINE_STEPS[module.FILE]
        return int(module.walk(square, straight, occupied))

    rng = random.Random(2)
    cases = [(chess.A1, 0), (chess.D4, chess.BB_RANK_4), (chess.E1, chess.BB_E4 | chess.BB_E7)]
    cases += [(rng.randrange(64), rng.getrandbits(64) & rng.getrandbits(64)) for _ in range(200)]
    for square, occupied in cases:
        first = rook(square, occupied)
        true = rook(square, occupied & ~first) & ~first
        place = f"On {chess.square_name(square)}, with pieces on {_names(occupied) or 'no square'}"
        said = answer(square, np.uint64(occupied))
        require(isinstance(said, np.uint64 | int), f"Return an np.uint64, not {said!r}.")
        said = int(said)
        require(
            not said & first,
            f"{place}: {_names(said & first)} is seen without taking off a piece, too.",
        )
        require(not said & ~true, f"{place}: {_names(said & ~true)} is not seen, even then.")
        require(said == true, f"{place}: {_names(true & ~said)} is missing.")


@exercise("s26-3")
def mobility_of(answer: Callable[[Any, int], int]) -> None:
    module = chapter("s26_bitboards")
    kinds = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)

    def attacks(board: chess.Board, side: chess.Color, kinds: tuple[int, ...]) -> list[int]:
        return [board.attacks_mask(square) for kind in kinds for square in board.pieces(kind, side)]

    for fen in _POSITIONS:
        for board in (chess.Board(fen), chess.Board(fen).mirror()):
            for side in chess.COLORS:
                own = board.occupied_co[side]
                reached = attacks(board, side, kinds)
                true = sum((mask & ~own).bit_count() for mask in reached)
                kings = attacks(board, side, (chess.KING,))
                everything = true + sum((mask & ~own).bit_count() for mask in kings)
                place = f"{chess.COLOR_NAMES[side]} in {board.fen()}"
                position = module.new_stack(board)[0]
                said = answer(position, int(side))
                same = bytes(module.new_stack(board)[0]) == bytes(position)
                require(same, "The position changed: only look at it.")
                with_own = sum(mask.bit_count() for mask in reached)
                require(
                    said != with_own or with_own == true,
                    f"{place}: squares with own pieces do not count.",
                )
                united = 0
                for mask in reached:
                    united |= mask & ~own
                require(
                    said != united.bit_count() or said == true,
                    f"{place}: a square that two pieces attack counts twice.",
                )
                require(said != everything or said == true, f"{place}: the king does not count.")
                require(said == true, f"{place} has {true}, not {said}.")


@exercise("s26-4")
def upside_down(answer: Callable[[Any], Any]) -> None:
    written: Any = plain(answer)
    for squares in _sets(4):
        true, place = chess.flip_vertical(squares), f"For {_names(squares) or 'the empty set'}"
        with np.errstate(over="ignore"):
            said = written(np.uint64(squares))
        require(isinstance(said, np.uint64), f"{place}: return an np.uint64, not {said!r}.")
        for other, words in (
            (chess.flip_horizontal(true), "that turns the board around; files are to stay"),
            (chess.flip_horizontal(squares), "that exchanges files, not ranks"),
        ):
            require(int(said) != other or other == true, f"{place}: {words}.")
        require(int(said) == true, f"{place} the result has {_names(int(said)) or 'no square'}.")
    names = {**written.__globals__, "__name__": __name__}
    machine = compiled(types.FunctionType(written.__code__, names, written.__name__))
    for squares in _sets(4):
        try:
            said = machine(np.uint64(squares))
        except Exception as error:
            if type(error).__module__.startswith("numba"):
                raise Hint("Numba cannot compile it: use numbers, and operators on them.") from None
            raise
        require(
            int(said) == chess.flip_vertical(squares),
            f"For {_names(squares)}, compiled, it gives {said}: somewhere a signed number takes"
            " part. Make each number of your code unsigned.",
        )


@exercise("s26-5")
def find_magic(answer: Callable[[int, random.Random], int]) -> None:
    module = chapter("s26_bitboards")
    steps = module.LINE_STEPS[module.DIAGONAL] + module.LINE_STEPS[module.ANTIDIAGONAL]
    edge = chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H
    for square in (chess.A1, chess.E1, chess.B6, chess.H8, chess.D5):
        name = chess.square_name(square)
        magic = answer(square, random.Random(square))
        require(type(magic) is int, f"For {name}: return an integer, not {magic!r}.")
        require(0 <= magic < 2**64, f"For {name}: {magic} has more than 64 bits, or a minus.")
        mask = module.walk(square, steps) & ~edge
        size = mask.bit_count()
        seen: dict[int, tuple[int, int]] = {}
        blockers = 0
        while True:
            index = blockers * magic % 2**64 >> 64 - size
            reached = module.walk(square, steps, blockers)
            other, found = seen.setdefault(index, (blockers, reached))
            require(
                found == reached,
                f"For {name}, {_names(other) or 'no piece'} and {_names(blockers)} share an index,"
                " but the bishop reaches other squares.",
            )
            blockers = blockers - mask & mask
            if not blockers:
                break
    require(
        answer(chess.A1, random.Random(7)) == answer(chess.A1, random.Random(7)),
        "The same seed gives another number: take all random numbers from `rng`.",
    )
