"""Checks of chapter s05, random moves."""

from __future__ import annotations

import collections
import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import chess

from utils.exercises import chapter, exercise, require


def _shares(engine: Any, board: chess.Board, draws: int) -> dict[chess.Move, float]:
    """How often the engine plays each move."""
    fen = board.fen()
    counts = collections.Counter(engine.play(board).move for _ in range(draws))
    require(board.fen() == fen, "The board changed: give it back as it was.")
    return {move: count / draws for move, count in counts.items()}


def _require_shares(engine: Any, fen: str, expected: dict[str, float], hint: str) -> None:
    board = chess.Board(fen)
    shares = _shares(engine, board, 4000)
    legal = {move.uci() for move in shares}
    require(legal <= set(expected), f"In {fen}, {sorted(legal - set(expected))} came up. {hint}")
    for uci, share in expected.items():
        drawn = shares.get(chess.Move.from_uci(uci), 0)
        require(
            abs(drawn - share) < 0.04,
            f"In {fen}, {uci} came up in {drawn:.0%} of the draws; expected {share:.0%}. {hint}",
        )


@exercise("s05-1")
def chance_of_mate(answer: Callable[[chess.Board], Fraction]) -> None:
    """The share of legal moves that mate."""
    cases = {
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1": Fraction(0),
        chess.STARTING_FEN: Fraction(0),
        "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1": None,
        "k7/8/1K6/8/8/8/8/6QR w - - 0 1": None,
    }
    for fen, expected in cases.items():
        board = chess.Board(fen)
        moves = list(board.legal_moves)
        if expected is None:
            mates = 0
            for move in moves:
                board.push(move)
                mates += board.is_checkmate()
                board.pop()
            expected = Fraction(mates, len(moves))
        said = answer(board)
        require(board.fen() == fen, "The board changed: a pushed move was not popped.")
        require(isinstance(said, (Fraction, int)), f"Return a Fraction, not {said!r}.")
        require(said == expected, f"In {fen} the chance is {expected}, not {said}.")


@exercise("s05-2")
def random_piece(answer: type[Any]) -> None:
    """A piece by lot, then one of its moves."""
    engine = answer(random.Random(5))
    # The king and two pawns can move; the pawn on e2 is blocked.
    fen = "k7/8/8/8/8/4p3/P3P2P/K7 w - - 0 1"
    board = chess.Board(fen)
    squares = {move.from_square for move in board.legal_moves}
    expected = {
        move.uci(): 1
        / len(squares)
        / sum(other.from_square == move.from_square for other in board.legal_moves)
        for move in board.legal_moves
    }
    _require_shares(engine, fen, expected, "Draw a piece that can move, then a move.")
    fen = "k7/8/8/8/8/8/P7/K6Q w - - 0 1"
    board = chess.Board(fen)
    squares = {move.from_square for move in board.legal_moves}
    by_queen = sum(
        share
        for move, share in _shares(engine, board, 4000).items()
        if move.from_square == chess.H1
    )
    require(
        abs(by_queen - 1 / len(squares)) < 0.05,
        f"Three pieces can move, so the queen moves in a third of the draws, not {by_queen:.0%}.",
    )


@exercise("s05-3")
def games_needed(answer: Callable[[float], int]) -> None:
    """The smallest even number of games."""
    interval = chapter("s05_random_engine").wilson_interval

    def half_width(games: int) -> float:
        low, high = interval(games / 2, games)
        return float(high - low) / 2

    for margin in (0.2, 0.05, 0.01):
        games = answer(margin)
        require(games % 2 == 0, f"{games} is not even: each side should have White equally often.")
        require(
            half_width(games) <= margin,
            f"{games} games are too few for {margin}: half the width is {half_width(games):.4f}.",
        )
        require(
            half_width(games - 2) > margin,
            f"{games} games are more than needed for {margin}: {games - 2} would do.",
        )


@exercise("s05-4")
def greedy(answer: type[Any]) -> None:
    """Captures first, each with the same chance."""
    engine = answer(random.Random(5))
    hint = "If there are captures, draw one of them, each with the same chance."
    _require_shares(engine, "k7/8/8/3p1p2/4P3/8/8/K7 w - - 0 1", {"e4d5": 0.5, "e4f5": 0.5}, hint)
    _require_shares(
        engine, "k7/8/8/3pP3/8/8/8/K7 w - d6 0 2", {"e5d6": 1.0}, "En passant is a capture, too."
    )
    quiet = chess.Board()
    expected = {move.uci(): 1 / 20 for move in quiet.legal_moves}
    _require_shares(engine, quiet.fen(), expected, "Without a capture, draw any legal move.")


@exercise("s05-5")
def quickest_mate(answer: Callable[[Iterable[int]], tuple[int, int] | None]) -> None:
    """The shortest of a few games, found among their seeds."""
    module = chapter("s05_random_engine")
    engine = module.RandomEngine(random.Random())
    seeds = range(40, 52)
    games = {seed: module.play_games(engine, engine, 1, seed=seed)[0] for seed in seeds}
    mates = {seed: game.plies for seed, game in games.items() if game.termination == "checkmate"}
    best = min(mates.items(), key=lambda item: item[1], default=None)
    said = answer(list(seeds))
    require(
        said == best,
        f"Over the seeds {seeds} the answer is {best}, not {said}. Is it one engine for both "
        "sides, and is the seed passed to play_game?",
    )
    drawn = [seed for seed in seeds if seed not in mates][:2]
    require(answer(drawn) is None, f"None of the seeds {drawn} ends with mate: return None.")
