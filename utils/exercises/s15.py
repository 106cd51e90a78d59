"""Checks of chapter s15, transposition tables."""

from __future__ import annotations

import functools
import math
import operator
import random
from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import Hint, exercise, kept, module_of, random_boards, require, require_equal
from utils.exercises.positions import played


@exercise("s15-1")
def capture_by_hand(answer: Callable[[int, int, int, int, int], int]) -> None:
    """Against the hasher, in a real position, and with random numbers."""
    module = module_of("s15_transposition_table")
    hasher = module.ZobristHasher()
    fen = "4k3/8/8/4p3/8/5N2/8/4K3 w - - 0 1"
    after = played("Nxe5", fen)
    white, black = hasher.pieces[chess.WHITE], hasher.pieces[chess.BLACK]
    facts = {
        white[chess.KNIGHT][chess.F3]: "The knight is still on its old square.",
        white[chess.KNIGHT][chess.E5]: "The knight is not on its new square.",
        black[chess.PAWN][chess.E5]: "The pawn is still there.",
        hasher.numbers[module.WHITE_TO_MOVE]: "The side to move has not changed.",
    }
    said = answer(hasher(chess.Board(fen)), *facts)
    for fact, words in facts.items():
        require(said != hasher(after) ^ fact, words)
    require(said == hasher(after), "Combine with XOR, written ^: each fact that changes, once.")
    require(answer(0b1010, 1, 2, 4, 8) == 0b0101, "Use the key that you are given.")


@exercise("s15-2")
def birthdays(answer: Callable[[int, int], float]) -> None:
    """From people in a room to a long search."""
    for positions, bits in ((3, 8), (300, 16), (5000, 24), (10**6, 64), (10**9, 64), (1000, 64)):
        where = f"{positions} positions, {bits} bits: "
        pairs = positions * (positions - 1) / 2
        expected = -math.expm1(-pairs / 2**bits)
        said = answer(positions, bits)
        mistakes = (
            (0, "tiny, but not zero. Try math.expm1."),
            (-expected, "a probability is not negative: mind the sign."),
            (-math.expm1(-2 * pairs / 2**bits), "each pair is counted twice: divide by two."),
            (-math.expm1(-(positions**2) / 2 ** (bits + 1)), "no position pairs with itself."),
            (pairs / 2**bits, "that is the expected number of equal pairs, no probability."),
            (1 - expected, "that is the probability that all keys are different."),
        )
        if math.isclose(said, expected, rel_tol=1e-6):
            continue
        for wrong, words in mistakes:
            require(not math.isclose(said, wrong, rel_tol=1e-6), where + words)
        raise Hint(
            f"{where}expected {expected:.9g}, not {said:.9g}. Take the formula of the exercise, "
            "with math.expm1: otherwise tiny numbers are lost."
        )
    require(answer(1, 16) == 0, "A single position collides with nothing.")
    require(answer(10**6, 16) <= 1, "A probability is at most 1.")


@exercise(
    "s15-3",
    kinds={
        "all pawns": (chess.PAWN,),
        "all pawns and kings": (chess.PAWN, chess.KING),
        "all pawns and rooks": (chess.PAWN, chess.ROOK),
        "all pawns and knights": (chess.PAWN, chess.KNIGHT),
    },
)
def key_for_pawns(answer: Callable[[chess.Board], int], kinds: tuple[int, ...]) -> None:
    """Depends on these pieces, on all of them, and on nothing else."""
    hasher = module_of("s15_transposition_table").ZobristHasher()
    passing = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2")
    for board in (passing, *random_boards(60, 15)):
        fen, said = board.fen(), kept(board, answer)
        board.turn = not board.turn
        hint = "The side to move is no pawn, nor is a capture en passant that is possible."
        require(answer(board) == said, hint)
        numbers = {
            color: [hasher.pieces[color][k][s] for k in kinds for s in board.pieces(k, color)]
            for color in chess.COLORS
        }
        white, black = (functools.reduce(operator.xor, numbers[color], 0) for color in chess.COLORS)
        if said == white ^ black:
            continue
        only = ": only pawns" if len(kinds) == 1 else ""
        for wrong, words in (
            (hasher.squares_key(board), f"you combine the numbers of all pieces{only}."),
            (white, "Black's pawns are missing."),
            (black, "White's pawns are missing."),
            (sum(numbers[True] + numbers[False]), "combine with XOR, written ^, not with +."),
        ):
            require(said != wrong, f"In {fen} {words}")
        raise Hint(f"In {fen} it is not the XOR of their numbers: colour, type, square.")
    require(answer(chess.Board("8/8/8/8/8/8/8/8 w - - 0 1")) == 0, "No pieces: the key is 0.")
    bare = answer(chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"))
    require(chess.KING in kinds or bare == 0, "No pawns: the key is 0.")


TRIANGLE = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
REPEATED = (  # position, moves, what repeats, the hint
    (chess.STARTING_FEN, "", "", "Nothing was played, nothing is repeated."),
    (
        chess.STARTING_FEN,
        "Nf3 Nf6 Ng1",
        "Ng8",
        "The first position is there again: one earlier occurrence is enough, and move counters "
        "do not matter.",
    ),
    (TRIANGLE, "Kd6 Kd8 Kc5 Kc7 Kd5", "Kc8", "Go back to the beginning, not only four plies."),
    (TRIANGLE, "Kc4 Kb8 Kd4 Kc8", "Kc4", "With the other side to move it is another position."),
    (
        "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
        "Ra2 Kd8 Ra3 Kd7 Ra4 Kd6 Ra5 Kd7 Ra1",
        "Ke8",
        "Go back to the beginning, however far it is.",
    ),
    (
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "Ke2 Ke7 Ke1",
        "",
        "At first White could castle: another position.",
    ),
    (
        "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1",
        "d4 Kd7 Ke2 Ke8",
        "",
        "At first Black could take en passant: another position.",
    ),
    (
        chess.STARTING_FEN,
        "e4 Nf6 Nf3 Ng8",
        "Ng1",
        "A pawn's two steps make another position only if it can be taken en passant.",
    ),
)


@exercise("s15-4")
def moves_that_repeat(answer: Callable[[chess.Board], set[chess.Move]]) -> None:
    """Short and long circles, and positions that only look the same."""
    for fen, moves, repeated, hint in REPEATED:
        board = played(moves, fen)
        found = set(kept(board, answer))
        for move in found:
            require(isinstance(move, chess.Move), f"The set has {move!r}: expected chess.Move.")
        said = sorted(board.uci(move) for move in found)
        expected = sorted(board.parse_san(san).uci() for san in repeated.split())
        require_equal(said, expected, f"After {moves or 'no move'} in {fen} expected", hint)


@exercise("s15-5")
def two_seats(answer: type[Any]) -> None:
    """Who sits where, and what is found."""
    module = module_of("s15_transposition_table")

    def entry(key: int, depth: int, age: int = 0) -> Any:
        return module.Entry(key, depth, module.Bound.EXACT, key, None, age)

    def put(*entries: Any) -> None:
        for one in entries:
            table.put(one)

    def holds(*entries: Any) -> bool:
        return all(table.get(one.key) == one for one in entries)

    table = answer(0.01)
    room, places = table.capacity, module.TranspositionTable(0.01).capacity
    words = f"Two slots for each place: reserve half as many places, {places // 2}, not {room}."
    require(room == places // 2, words)
    a, b, c = (7 + n * room for n in range(3))
    put(entry(a, 5), entry(b, 2))
    require(
        table.get(c) is None, "An entry of another position was returned: compare the whole key."
    )
    table.clear()
    require(table.get(a) is None and table.get(b) is None, "After `clear` nothing is found.")
    put(entry(a, 5))
    require(holds(entry(a, 5)), "What was put into an empty place is found.")
    put(entry(b, 2))
    hint = "A shallow entry does not get the first slot; it takes the second."
    require(holds(entry(a, 5), entry(b, 2)), hint)
    put(entry(c, 1))
    hint = "The second slot belongs to the newest entry that did not get the first."
    require(holds(entry(a, 5), entry(c, 1)) and table.get(b) is None, hint)
    put(entry(b, 9))
    hint = "An entry that is turned out of the first slot moves to the second."
    require(holds(entry(b, 9), entry(a, 5)), hint)
    put(entry(b, 10))
    require(
        holds(entry(b, 10), entry(a, 5)), "The same position again: the second slot stays as it is."
    )
    table.clear()
    put(entry(a, 9, 0), entry(b, 1, 1), entry(c, 1, 1))
    hint = "Under the rule of the table a deep entry of an earlier search is replaced by a new one."
    require(table.get(a) is None and holds(entry(b, 1, 1), entry(c, 1, 1)), hint)
    table.clear()
    put(entry(a, 5), entry(b, 5), entry(c, 1))
    require(
        holds(entry(b, 5)) and table.get(a) is None,
        "Of two entries of the same depth the new one gets the first slot: ask the rule of the "
        "table.",
    )
    table.clear()
    put(entry(a, 5), entry(a, 2))
    hint = "A shallower result of the same position does not get the first slot either."
    require(holds(entry(a, 5)), hint)
    put(entry(b, 3), entry(a, 2))
    hint = "A shallower result of the same position takes the second slot, as any other does."
    require(holds(entry(a, 5)) and table.get(b) is None, hint)
    table.clear()
    always = type(table.replacement).ALWAYS
    table.replacement = always
    put(entry(a, 5), entry(b, 2), entry(c, 1))
    hint = "With `ALWAYS` the newer entry gets the first slot: ask the rule of the table."
    require(table.get(a) is None and holds(entry(b, 2), entry(c, 1)), hint)
    hint = "`replacement` is the second argument, as it is for TranspositionTable: hand it on."
    require(answer(0.01, always).replacement is always, hint)
    table = answer(0.01)
    rng = random.Random(15)
    last = {}
    for _ in range(4000):
        key = rng.getrandbits(64)
        last[key] = entry(key, rng.randrange(9))
        table.put(last[key])
        require(table.get(key) == last[key], "A new entry always finds a slot.")
    found = sum(table.get(key) is not None for key in last)
    require(found > 1.5 * table.capacity, "Each place has two slots; here only one is used.")
    hint = "An entry of another position was returned: compare the whole key."
    require(all(table.get(key) in (None, value) for key, value in last.items()), hint)
