"""Checks of chapter s15, transposition tables."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import chapter, exercise, require


def _boards(count: int, seed: int = 15) -> list[chess.Board]:
    return list(chapter("s08_evaluation").random_positions(count, random.Random(seed)))


@exercise("s15-1")
def capture_by_hand(answer: Callable[[int, int, int, int, int], int]) -> None:
    """Against the hasher, in a real position, and with random numbers."""
    module = chapter("s15_transposition_table")
    hasher = module.ZobristHasher()
    board = chess.Board("4k3/8/8/4p3/8/5N2/8/4K3 w - - 0 1")
    after = board.copy()
    after.push_san("Nxe5")
    white, black = hasher.pieces[chess.WHITE], hasher.pieces[chess.BLACK]
    facts = (
        white[chess.KNIGHT][chess.F3],
        white[chess.KNIGHT][chess.E5],
        black[chess.PAWN][chess.E5],
        hasher.numbers[module.WHITE_TO_MOVE],
    )
    said = answer(hasher(board), *facts)
    for fact, words in zip(
        facts,
        (
            "The knight is still on its old square.",
            "The knight is not on its new square.",
            "The pawn is still there.",
            "The side to move has not changed.",
        ),
        strict=True,
    ):
        require(said != hasher(after) ^ fact, words)
    require(said == hasher(after), "Combine with XOR, written ^: each fact that changes, once.")
    require(answer(0b1010, 1, 2, 4, 8) == 0b0101, "Use the key that you are given.")


@exercise("s15-2")
def birthdays(answer: Callable[[int, int], float]) -> None:
    """From people in a room to a long search."""
    for positions, bits in ((2, 8), (300, 16), (5000, 24), (10**6, 64), (10**9, 64), (1000, 64)):
        expected = -math.expm1(-positions * (positions - 1) / 2 ** (bits + 1))
        said = answer(positions, bits)
        require(
            said != 0,
            f"{positions} positions, {bits} bits: tiny, but not zero. Try math.expm1.",
        )
        require(
            math.isclose(said, expected, rel_tol=1e-6),
            f"{positions} positions, {bits} bits: expected {expected:.9g}, not {said:.9g}. "
            "For small numbers take math.expm1.",
        )
    require(answer(1, 16) == 0, "A single position collides with nothing.")
    require(answer(10**6, 16) <= 1, "A probability is at most 1.")


@exercise("s15-3")
def key_for_pawns(answer: Callable[[chess.Board], int]) -> None:
    """Depends on pawns, on all of them, and on nothing else."""
    hasher = chapter("s15_transposition_table").ZobristHasher()
    for board in _boards(60):
        fen = board.fen()
        said = answer(board)
        require(board.fen() == fen, "The board changed: leave it as it is.")
        alone = chess.Board(None)
        for color in chess.COLORS:
            for square in board.pieces(chess.PAWN, color):
                alone.set_piece_at(square, chess.Piece(chess.PAWN, color))
        require(
            said == hasher.squares_key(alone),
            f"In {fen} it is not the XOR of the numbers of the pawns. Both colours?",
        )
        board.turn = not board.turn
        require(answer(board) == said, "The side to move is no pawn.")
    require(answer(chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")) == 0, "No pawns: the key is 0.")


@exercise("s15-4")
def line_in_the_table(answer: Callable[..., list[chess.Move]]) -> None:
    """Walks to the end, stops at gaps, circles and illegal moves."""
    module = chapter("s15_transposition_table")
    hasher = module.ZobristHasher()
    table = module.TranspositionTable(1)

    def store(board: chess.Board, move: chess.Move | None) -> None:
        table.put(module.Entry(hasher(board), 1, module.Bound.EXACT, 0, move, 0))

    board, moves = chess.Board(), []
    for san in ("e4", "e5", "Nf3", "Nc6"):
        store(board, board.parse_san(san))
        moves.append(board.push_san(san))
    start = chess.Board()
    for length in (0, 1, 3, 4, 9):
        said = answer(table, hasher, start, length)
        require(
            list(said) == moves[:length],
            f"At most {length} moves of 1. e4 e5 2. Nf3 Nc6: expected "
            f"{[m.uci() for m in moves[:length]]}, got {said}.",
        )
        require(start == chess.Board() and not start.move_stack, "The board changed: use a copy.")
    store(board, None)
    require(len(answer(table, hasher, start, 9)) == 4, "An entry without a move ends the line.")
    store(board, chess.Move.from_uci("e1e8"))
    require(len(answer(table, hasher, start, 9)) == 4, "An illegal move ends the line.")
    require(answer(table, hasher, chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), 3) == [], "Empty.")
    circle = chess.Board()
    for san in ("Nf3", "Nf6", "Ng1", "Ng8"):
        store(circle, circle.parse_san(san))
        circle.push_san(san)
    require(len(answer(table, hasher, start, 10)) == 10, "A circle goes on to the length.")


@exercise("s15-5")
def two_seats(answer: type[Any]) -> None:
    """Who sits where, and what is found."""
    module = chapter("s15_transposition_table")

    def entry(key: int, depth: int, age: int = 0) -> Any:
        return module.Entry(key, depth, module.Bound.EXACT, key, None, age)

    table = answer(0.01)
    room = table.capacity
    a, b, c = (7 + n * room for n in range(3))
    table.put(entry(a, 5))
    require(table.get(a) == entry(a, 5), "What was put into an empty place is found.")
    table.put(entry(b, 2))
    require(
        table.get(a) == entry(a, 5) and table.get(b) == entry(b, 2),
        "A shallow entry does not get the first seat; it takes the second.",
    )
    table.put(entry(c, 1))
    require(
        table.get(a) == entry(a, 5) and table.get(c) == entry(c, 1) and table.get(b) is None,
        "The second seat belongs to the newest entry that did not get the first.",
    )
    table.put(entry(b, 9))
    require(
        table.get(b) == entry(b, 9) and table.get(a) == entry(a, 5),
        "Who is turned out of the first seat moves to the second.",
    )
    table.put(entry(b, 10))
    require(
        table.get(b) == entry(b, 10) and table.get(a) == entry(a, 5),
        "The same position again: the second seat stays as it is.",
    )
    table.clear()
    require(table.get(a) is None and table.get(b) is None, "After `clear` nothing is found.")
    for stored in (entry(a, 9, 0), entry(b, 1, 1), entry(c, 1, 1)):
        table.put(stored)
    require(
        table.get(a) is None and table.get(b) == entry(b, 1, 1) and table.get(c) == entry(c, 1, 1),
        "Under the rule of the table a deep entry of an earlier search gives way to a new one.",
    )
    table.clear()
    require(table.get(7 + 9 * room) is None, "A key that was never stored is not found.")
    table = answer(0.01)
    rng = random.Random(15)
    last = {}
    for _ in range(4000):
        key = rng.getrandbits(64)
        last[key] = entry(key, rng.randrange(9))
        table.put(last[key])
        require(table.get(key) == last[key], "A new entry always finds a seat.")
    found = sum(table.get(key) is not None for key in last)
    require(found > 1.5 * table.capacity, "Each place has two seats; here only one is used.")
    require(
        all(table.get(key) in (None, value) for key, value in last.items()),
        "An entry of another position was returned: compare the whole key.",
    )
