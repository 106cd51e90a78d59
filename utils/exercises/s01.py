"""Checks of chapter s01, what a chess engine is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import Hint, exercise, kept, require, require_legal
from utils.exercises.positions import BACK_RANK, position_after

OPENING = "7k/1Q2K3/8/8/8/8/8/8 w - - 0 1"
FOOLS_MATE = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
MATE_AND_STALEMATE = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
STALEMATE_LISTED_FIRST = "8/6R1/8/8/8/5K2/7R/5k2 w - - 0 1"
ONLY_STALEMATE = "7k/5P2/6qK/8/8/8/8/8 w - - 0 1"
HELP_NEEDED = "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1"


@exercise("s01-1")
def side_to_move(answer: Callable[[str], str]) -> None:
    cases = {
        chess.STARTING_FEN: "White",
        FOOLS_MATE: "Black",
        "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47": "Black",
        "8/8/8/1k6/8/8/1b6/K7 w - - 0 1": "White",
    }
    for fen, side in cases.items():
        said = answer(fen)
        require(said == side, f"In {fen} it is {side}'s move, not {said!r}.")
    bare = "8/8/8/8/8/8/8/K6k"
    sides = [f"{bare} {side} - - 0 1" for side in ("x", "W", "B", "wb", "white")]
    sides.append(f"{bare} x w - 0 1")
    for bad in ("", "w", *sides, f"{bare} w - -", f"{bare} w - - 0", f"{bare} w - - 0 1 0"):
        try:
            said = answer(bad)
        except ValueError as error:
            require(bad in str(error), f"The error must show the text that is no FEN: {bad!r}.")
        except (IndexError, KeyError) as error:
            kind = type(error).__name__
            raise Hint(f"{bad!r} gives {kind}; raise a ValueError that says why.") from None
        else:
            raise Hint(f"{bad!r} is no FEN, and you answer {said!r}. Raise a ValueError.")


@exercise("s01-2")
def reply_counts(answer: Callable[[chess.Board], dict[str, int]]) -> None:
    checked = "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1"
    promotes = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
    # Castling, a capture en passant, and two knights that can go to d2.
    special = "4k3/8/8/3Pp3/8/5N2/8/1N2K2R w K e6 0 1"
    for fen in (chess.STARTING_FEN, FOOLS_MATE, OPENING, BACK_RANK, checked, promotes, special):
        board = chess.Board(fen)
        expected = {
            board.san(move): position_after(board, move).legal_moves.count()
            for move in board.legal_moves
        }
        try:
            counts = answer(board.copy())
        except AssertionError as error:
            raise Hint(
                "The board changed before you asked for a SAN: ask before the push, and pop "
                "every move that you push."
            ) from error
        counts = kept(board, answer)
        require(isinstance(counts, dict), "Return a dictionary.")
        require(
            set(counts) == set(expected),
            f"Write the moves as SAN, before the push: in {fen} the moves are {sorted(expected)}.",
        )
        for san, count in expected.items():
            said = counts[san]
            hint = f"In {fen}, after {san} the opponent has {count} moves, not {said}."
            require(said == count, hint)


@exercise("s01-3")
def tree_size(answer: Callable[[int, int], int]) -> None:
    cases = {
        (20, 0): (1, "With no plies there is the root alone."),
        (20, 1): (21, "Count the root, too."),
        (2, 3): (15, "Two moves, three plies: 1 + 2 + 4 + 8."),
        (30, 4): (837931, "Add up all plies, not only the last one."),
        (1, 9): (10, "With one move in each position the tree is a chain."),
        (0, 5): (1, "Without moves there is the root alone."),
        (0, 0): (1, "With no plies there is the root alone, with any number of moves."),
    }
    for (branching, plies), (size, hint) in cases.items():
        try:
            said = answer(branching, plies)
        except ZeroDivisionError:
            words = f"The formula divides by zero for a branching factor of {branching}."
            raise Hint(words) from None
        require(said == size, f"{branching} moves, {plies} plies: {said!r} is wrong. {hint}")
    steps = 0

    def count(frame: Any, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += 1
        require(steps < 10_000, "You visit the positions one by one: compute the number.")
        return count  # is told each line, so that loops count, too

    before = sys.gettrace()
    sys.settrace(count)
    try:
        said = answer(35, 40)
    finally:
        sys.settrace(before)
    require(
        said == (35**41 - 1) // 34,
        "For 35 moves and 40 plies the last digits are wrong: stay with whole numbers.",
    )


@exercise("s01-4")
def fewest_but_no_stalemate(answer: Callable[[chess.Board], chess.Move]) -> None:
    positions = (
        FOOLS_MATE,
        BACK_RANK,
        MATE_AND_STALEMATE,
        STALEMATE_LISTED_FIRST,
        OPENING,
        chess.STARTING_FEN,
        ONLY_STALEMATE,
        "k7/8/1K1p4/8/4N3/8/8/8 w - - 0 1",  # a knight alone is a draw, and no stalemate
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3",
        "7k/8/2B4K/3q4/8/8/8/8 w - - 0 1",  # all but Bxd5 leave many replies
    )
    for fen in positions:
        board = chess.Board(fen)
        badness = {}
        for move in board.legal_moves:
            after = position_after(board, move)
            badness[move] = (after.is_stalemate(), after.legal_moves.count())
        best = min(badness.values())
        move = kept(board, answer)
        require_legal(move, board)
        stalemates, replies = badness[move]
        san = board.san(move)
        if best == (False, 0):
            require((stalemates, replies) == best, f"In {fen} there is a mate; {san} is not one.")
        require(stalemates == best[0], f"In {fen}, {san} stalemates, and another move does not.")
        hint = f"In {fen}, {san} leaves {replies} replies; another move leaves {best[1]}."
        require(replies == best[1], hint)


@exercise("s01-5")
def mate_in_two(answer: Callable[[chess.Board], chess.Move | None]) -> None:
    mates = (
        BACK_RANK,
        MATE_AND_STALEMATE,
        FOOLS_MATE,
        OPENING,
        "6k1/8/6K1/8/8/8/8/R7 w - - 0 1",
        "k7/8/2K5/8/8/8/8/1R6 w - - 0 1",
        "8/8/8/8/8/2k5/7r/K7 b - - 0 1",
        # Only castling, only a rook, only a knight does it.
        "8/8/8/8/5R2/1P4k1/8/4K2R w K - 0 1",
        "8/1P6/8/8/8/8/5K2/7k w - - 0 1",
        "8/4BP1k/6R1/8/4K3/8/8/8 w - - 0 1",
        # Only castling, only a knight, only a capture en passant mates after a reply.
        "6R1/6pk/8/3N3P/5B1K/8/8/8 w - - 0 1",
        "8/8/8/8/7Q/8/7N/2k1K2R w K - 0 1",
        "8/8/8/8/1p6/3R4/8/R3K1k1 w Q - 0 1",
        "1B1N4/pP6/k2p4/B7/K7/8/8/8 w - - 0 1",
    )
    for fen in mates:
        board = chess.Board(fen)
        move = kept(board, answer)
        require(
            move is not None,
            f"In {fen} there is a mate in at most two moves, and you say None. The first move need "
            "not give check. Castling and promotions are moves, too.",
        )
        require_legal(move, board)
        san, after = board.san(move), position_after(board, move)
        require(not after.is_stalemate(), f"In {fen}, {san} stalemates.")
        for reply in after.legal_moves:
            there = position_after(after, reply)
            require(
                any(position_after(there, last).is_checkmate() for last in there.legal_moves),
                f"In {fen}, after {san} {after.san(reply)} there is no mate in one.",
            )
    none = (
        chess.STARTING_FEN,
        "7k/8/8/8/8/8/8/K5Q1 w - - 0 1",
        "k7/8/8/8/1Q6/8/8/1K6 w - - 0 1",
        "k7/2Q5/8/1K6/8/8/8/8 b - - 0 1",
        ONLY_STALEMATE,
        HELP_NEEDED,
        # A capture en passant is a reply, too.
        "8/8/5p2/2K1k3/3p2QP/8/4P3/8 w - - 0 1",
    )
    for fen in none:
        move = kept(chess.Board(fen), answer)
        require(
            move is None,
            f"In {fen} nothing mates in two, and you say {move}. One reply that allows a mate is "
            "not enough: every reply must allow one, en passant included, and there must be one.",
        )
