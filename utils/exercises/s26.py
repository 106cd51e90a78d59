"""Checks of chapter s26, bitboards."""

from __future__ import annotations

import dis
import functools
import operator
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import chess
import numpy as np

from utils.compiler import compiled, is_compiled, plain
from utils.exercises import Hint, exercise, module_of, require, require_equal
from utils.exercises.positions import KIWIPETE, with_mirrors

_POSITIONS = (
    chess.STARTING_FEN,
    KIWIPETE,
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "4r2k/8/8/1q6/8/3NR3/4K3/8 w - - 0 1",
)

_OVERFLOW = (
    "A Python integer is below 0 or too large: put `Bits(...)` around what a compiled function"
    " returns."
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
            place = f"For {_names(squares) or 'the empty set'}, moved by {files}"
            said, expected = answer(squares, files), moved(squares, files)
            require(type(said) is int, f"{place}: return an integer, not {said!r}.")
            hint = f"{place}: left and right are exchanged."
            require(not files or said != moved(squares, -files) or said == expected, hint)
            require(0 <= said < 2**64, f"{place}: there is a bit beyond h8.")
            wrong = said & ~expected
            shifted = squares << files if files > 0 else squares >> -files
            over = wrong & shifted
            require(not over, f"{place}: {_names(over)} came in on the other side.")
            require(not wrong, f"{place}: {_names(wrong)} must not be there.")
            require(said == expected, f"{place}: {_names(expected & ~said)} must be there, too.")


@exercise("s26-2")
def second_sight(answer: Callable[[int, Any], Any]) -> None:
    def rook(square: int, occupied: int) -> int:
        module = module_of("s26_bitboards")
        straight = module.LINE_STEPS[module.RANK] + module.LINE_STEPS[module.FILE]
        return int(module.walk(square, straight, occupied))

    rng = random.Random(2)
    cases = [(chess.A1, 0), (chess.D4, chess.BB_RANK_4), (chess.E1, chess.BB_E4 | chess.BB_E7)]
    cases += [(rng.randrange(64), rng.getrandbits(64) & rng.getrandbits(64)) for _ in range(200)]
    for square, occupied in cases:
        first = rook(square, occupied)
        expected = rook(square, occupied & ~first) & ~first
        place = f"On {chess.square_name(square)}, with pieces on {_names(occupied) or 'no square'}"
        try:
            said = answer(square, np.uint64(occupied))
        except OverflowError:
            raise Hint(_OVERFLOW) from None
        require(isinstance(said, np.uint64 | int), f"Return an np.uint64, not {said!r}.")
        said = int(said)
        require(0 <= said < 2**64, f"{place}: {said} is no set of 64 squares. {_OVERFLOW}")
        hint = f"{place}: {_names(said & first)} can be seen without taking off a piece, too."
        require(not said & first, hint)
        wrong = said & ~expected
        require(not wrong, f"{place}: {_names(wrong)} cannot be seen, even then.")
        require(said == expected, f"{place}: {_names(expected & ~said)} must be there, too.")


@exercise("s26-3")
def mobility_of(answer: Callable[[Any, int], int]) -> None:
    module = module_of("s26_bitboards")
    kinds = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)

    def reached(board: chess.Board, side: int, kinds: tuple[int, ...] = kinds) -> list[int]:
        pieces = [square for kind in kinds for square in board.pieces(kind, bool(side))]
        return [board.attacks_mask(square) for square in pieces]

    def attacks(board: chess.Board, side: int, kinds: tuple[int, ...] = kinds) -> list[int]:
        return [mask & ~board.occupied_co[side] for mask in reached(board, side, kinds)]

    def count(masks: list[int]) -> int:
        return sum(mask.bit_count() for mask in masks)

    def united(board: chess.Board, side: int) -> int:
        return functools.reduce(operator.or_, attacks(board, side), 0).bit_count()

    mistakes: dict[str, Callable[[chess.Board, int], int]] = {
        "squares with own pieces do not count": lambda b, side: count(reached(b, side)),
        "a square that two pieces attack counts twice": united,
        "the king does not count": lambda b, side: count(attacks(b, side, (*kinds, chess.KING))),
        "the queens are missing": lambda b, side: count(attacks(b, side, kinds[:3])),
        "that is the other side": lambda b, side: count(attacks(b, 1 - side)),
        "count for `side`, not for the side to move": lambda b, _: count(attacks(b, b.turn)),
        "count the squares that are attacked, not legal moves": lambda b, _: sum(
            b.piece_type_at(move.from_square) in kinds for move in b.legal_moves
        ),
    }
    cases = [(board, side) for board in with_mirrors(*_POSITIONS) for side in (0, 1)]
    expected = [count(attacks(*case)) for case in cases]
    said: list[int] = []
    for board, side in cases:
        position = module.new_stack(board)[0]
        try:
            said.append(answer(position, side))
        except OverflowError:
            require(said != expected[: len(said)], _OVERFLOW)
            break
        same = bytes(module.new_stack(board)[0]) == bytes(position)
        require(same, "The position changed: only look at it.")
    cases, expected = cases[: len(said)], expected[: len(said)]
    for words, mistake in mistakes.items():
        require(
            said == expected or said != [mistake(*case) for case in cases], f"Look again: {words}."
        )
    for (board, side), ours, right in zip(cases, said, expected, strict=True):
        require_equal(ours, right, f"{chess.COLOR_NAMES[side]} in {board.fen()} has")


def _compiled_helpers(function: Any) -> dict[str, Any]:
    """The Python forms of the compiled functions that a function calls by their names."""
    values = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {name: plain(value) for name, value in values.items() if is_compiled(value)}


def _steps(code: types.CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function, and of what is written within it."""
    yield from dis.get_instructions(code)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _steps(inner)


@exercise("s26-4")
def upside_down(answer: Callable[[Any], Any]) -> None:
    written: Any = plain(answer)
    helpers = _compiled_helpers(written)
    functions = (written, *helpers.values())
    steps = {step.opname for one in functions for step in _steps(one.__code__)}
    hint = "There is a loop: exchange neighbours, then pairs, then halves."
    require(not any("FOR_ITER" in step or "BACKWARD" in step for step in steps), hint)
    parts = written.__name__, written.__defaults__, written.__closure__
    by_python: Any = types.FunctionType(written.__code__, written.__globals__ | helpers, *parts)
    for squares in _sets(4):
        expected, place = chess.flip_vertical(squares), f"For {_names(squares) or 'the empty set'}"
        with np.errstate(over="ignore"):
            said = by_python(np.uint64(squares))
        require(isinstance(said, np.uint64), f"{place}: return an np.uint64, not {said!r}.")
        for other, words in (
            (chess.flip_horizontal(expected), "that turns the board around; files are to stay"),
            (chess.flip_horizontal(squares), "that exchanges files, not ranks"),
        ):
            require(int(said) != other or other == expected, f"{place}: {words}.")
        require(
            int(said) == expected, f"{place} the result has {_names(int(said)) or 'no square'}."
        )
    names = {**written.__globals__, "__name__": __name__}
    machine = compiled(types.FunctionType(written.__code__, names, *parts))
    for squares in _sets(4):
        try:
            said = machine(np.uint64(squares))
        except Exception as error:
            if type(error).__module__.startswith("numba"):
                raise Hint(
                    "Numba cannot compile it: use numbers, and operators on them. A function that "
                    "it calls needs `@compiled`, too."
                ) from None
            raise
        require(
            int(said) == chess.flip_vertical(squares),
            f"For {_names(squares)}, compiled, it gives {said}: somewhere a signed number takes"
            " part. Make each number of your code unsigned.",
        )


class _Draws(random.Random):
    """Random bits that come to an end: a wrong index would be tried for ever."""

    left = 3_000_000

    def getrandbits(self, k: int, /) -> int:
        self.left -= 1
        require(
            self.left,
            "After three million random numbers none of them was magic: is the index as in the "
            "text, and do two sets clash only if the bishop reaches other squares?",
        )
        return super().getrandbits(k)


@exercise("s26-5")
def find_magic(answer: Callable[[int, random.Random], int]) -> None:
    module = module_of("s26_bitboards")
    steps = module.LINE_STEPS[module.DIAGONAL] + module.LINE_STEPS[module.ANTIDIAGONAL]
    edge = chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H

    def clash(square: int, magic: int, mask: int) -> tuple[int, int] | None:
        """Two sets of blockers that share an index but not what the bishop reaches."""
        seen: dict[int, tuple[int, int]] = {}
        blockers = 0
        while True:
            index = blockers * magic % 2**64 >> 64 - mask.bit_count()
            reached = module.walk(square, steps, blockers)
            other, found = seen.setdefault(index, (blockers, reached))
            if found != reached:
                return other, blockers
            blockers = blockers - mask & mask
            if not blockers:
                return None

    for square in (chess.D5, chess.A1, chess.E1, chess.B6, chess.H8):
        name = chess.square_name(square)
        magic = answer(square, _Draws(square))
        require(type(magic) is int, f"For {name}: return an integer, not {magic!r}.")
        require(0 <= magic < 2**64, f"For {name}: {magic} has more than 64 bits, or a minus.")
        lines = module.walk(square, steps)
        pair = clash(square, magic, lines & ~edge)
        if pair:
            require(
                clash(square, magic, lines),
                f"For {name}, it is magic only with the edge of the board: leave out its squares.",
            )
            raise Hint(
                f"For {name}, {_names(pair[0]) or 'no piece'} and {_names(pair[1])} share an"
                " index, but the bishop reaches other squares."
            )
    hint = "The same seed gives another number: take all random numbers from `rng`."
    require(answer(chess.A1, random.Random(7)) == answer(chess.A1, random.Random(7)), hint)
