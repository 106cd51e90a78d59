"""Checks of chapter s05, random moves."""

from __future__ import annotations

import collections
import math
import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from numbers import Integral
from typing import Any
from unittest import mock

import chess

from utils.exercises import Hint, exercise, kept, module_of, require
from utils.exercises.positions import position_after

SAMPLES = 2000
# In the first one two moves mate, four check, and three more stalemate.
CHANCES = (
    "k7/8/1K6/8/8/8/8/6QR w - - 0 1",
    "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
    "3r2k1/8/8/8/8/8/5PPP/6K1 b - - 0 1",
    "4r1k1/8/8/8/8/8/4N3/R3K2R w KQ - 0 1",
    chess.STARTING_FEN,
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    # Mates by castling, en passant, and a rook or a queen from a pawn.
    "8/3Q4/8/4Q3/8/5kp1/8/4K2R w K - 0 1",
    "7k/5K2/8/6pP/8/Q6R/2R5/8 w - g6 0 1",
    "7k/P7/6K1/8/8/8/8/8 w - - 0 1",
)


@exercise("s05-1")
def chance_of_mate(answer: Callable[[chess.Board], Fraction]) -> None:
    """The share of legal moves that mate."""
    illegal = "Count legal moves alone, not pseudo-legal ones."
    for fen in CHANCES:
        board = chess.Board(fen)
        after = [position_after(board, move) for move in board.legal_moves]
        pseudo = [position_after(board, move) for move in board.pseudo_legal_moves]
        total, mates = len(after) or 1, sum(position.is_checkmate() for position in after)
        chance = Fraction(mates, total)
        try:
            said = kept(board, answer)
        except ZeroDivisionError:
            require(after, f"In {fen} there is no legal move: the chance is 0.")
            raise
        require(isinstance(said, (Fraction, int)), f"Return a Fraction, not {said!r}.")
        mistakes = {
            Fraction(sum(position.is_check() for position in after), total): (
                "Not every check is mate."
            ),
            Fraction(sum(not any(position.legal_moves) for position in after), total): (
                "A stalemate leaves no move either, and is no mate."
            ),
            Fraction(sum(p.is_checkmate() for p in pseudo), len(pseudo) or 1): illegal,
            Fraction(mates, len(pseudo) or 1): illegal,
            Fraction(mates > 0, total): "Count every move that mates, not only one.",
            Fraction(mates): "Divide by the number of legal moves.",
            1 - chance: "This is the chance that it does not mate.",
        }
        other = (
            "Count the legal moves that mate, castling, en passant and all promotions included, "
            "and divide by the number of legal moves."
        )
        hint = mistakes.get(Fraction(said), other)
        require(said == chance, f"In {fen} the chance is {chance}, not {said}. {hint}")


def _require_source(
    make: Callable[[random.Random], Callable[[chess.Board], Any]], fen: str
) -> None:
    """All chance comes from the `rng` that was handed in, and it is used as it is."""
    board, state = chess.Board(fen), random.getstate()
    games = []
    try:
        for seed in (1, 2):  # of the global source, which must not matter
            random.seed(seed)
            before, play = random.getstate(), make(random.Random(7))
            games.append([play(board) for _ in range(30)])
            require(
                random.getstate() == before,
                "You use the source behind `random` that the whole program shares. Use the rng "
                "that was handed in, or no game can be repeated.",
            )
    finally:
        random.setstate(state)
    for move in games[0]:
        require(isinstance(move, chess.Move), f"Expected a chess.Move, not {move!r}.")
    hint = "The same seed gives different moves. Use the rng that was handed in, and nothing else."
    require(games[0] == games[1], hint)
    play = make(random.Random(8))
    require(
        len(set(games[0])) > 1 and games[0] != [play(board) for _ in range(30)],
        "The same moves come again and again, whatever the seed. Use the rng that was handed "
        "in; do not make a new source for each move.",
    )


def _require_shares(
    play: Callable[[chess.Board], Any], fen: str, expected: dict[str, Fraction], hint: str
) -> None:
    """Each move about as often as expected, and no other one."""
    board, counts = chess.Board(fen), collections.Counter[str]()
    samples = SAMPLES if len(expected) > 1 else 100
    for number in range(samples):
        move = kept(board, play) if number < 20 else play(board)
        require(isinstance(move, chess.Move), f"Expected a chess.Move, not {move!r}.")
        if move.uci() not in expected:
            legal = "" if board.is_legal(move) else ", which is not legal"
            raise Hint(f"In {fen} you play {move}{legal}. {hint}")
        counts[move.uci()] += 1
    for uci, share in expected.items():
        seen, p = counts[uci] / samples, float(share)
        # Five standard deviations: what is right hardly ever gets here.
        require(
            abs(seen - p) <= 5 * math.sqrt(p * (1 - p) / samples),
            f"In {fen}, {uci} came up in {seen:.1%} of {samples} tries; expected {p:.1%}. {hint}",
        )


@exercise("s05-2")
def random_piece(answer: Callable[[chess.Board, random.Random], chess.Move]) -> None:
    """A piece at random, then one of its moves."""
    _require_source(lambda rng: lambda board: answer(board, rng), chess.STARTING_FEN)
    rng = random.Random(5)
    cases = {
        # The queen has many moves and the king one; the pawns are blocked.
        "1k6/8/8/8/8/p1p1p3/P1P1P3/K6Q w - - 0 1": (
            "Pick among the pieces that can move: one that cannot does not count, and one with "
            "many moves counts once."
        ),
        "k3r3/7P/8/8/8/8/4N3/4K3 w - - 0 1": (
            "A knight pinned to its king has no legal move, and a pawn may become any of four "
            "pieces."
        ),
        "7k/8/8/8/8/8/8/K1N4N w - - 0 1": (
            "Two pieces of the same kind are two pieces: pick a piece, not a kind."
        ),
    }
    for fen, hint in cases.items():
        legal = list(chess.Board(fen).legal_moves)
        moves = collections.Counter(move.from_square for move in legal)
        expected = {move.uci(): Fraction(1, len(moves) * moves[move.from_square]) for move in legal}
        _require_shares(lambda board: answer(board, rng), fen, expected, hint)


@exercise(
    "s05-3", part={"half the width": 2, "a third of the width": 3, "a quarter of the width": 4}
)
def games_needed(answer: Callable[[float], int], part: int) -> None:
    """The smallest even number of games."""
    interval = module_of("s05_random_engine").score_interval

    def smallest(margin: float, *, drawn: bool = False) -> int:
        games = 2
        while True:
            low, high = interval(0, games, 0) if drawn else interval(games // 2, 0, games // 2)
            if (high - low) / part <= margin:
                return games
            games += 2

    for margin in (0.2, 0.05, 0.01, 0.9 / part, 0.03, 0.11):
        games, said = smallest(margin), answer(margin)
        require(isinstance(said, Integral), f"Return a whole number of games, not {said!r}.")
        require(said % 2 == 0, f"{said} is not even: each side should have White equally often.")
        require(said > 0, f"{said} games give no interval: one pair is the least.")
        if said == games:
            continue
        hint = "Ask score_interval for its bounds, or solve its equation."
        if said in (games - 2, games + 2):
            hint = "Stop at the first number of games that is enough."
        if said == 2 * math.ceil((1.96 * 2 / part / margin) ** 2 / 8):
            hint = "The short formula leaves out the z² beside n, so it is near and not exact."
        if said == smallest(margin / part):
            hint = "You compare the whole width: take the part that the task names, not all of it."
        if said == smallest(margin, drawn=True):
            hint = "So few are enough if all games are drawn. Ask for half wins and half losses."
        many = "too few" if said < games else "more than needed"
        raise Hint(f"{said} games are {many} for a margin of {margin}. {hint}")


@exercise("s05-4")
def greedy(answer: type[Any]) -> None:
    """Captures first, each with the same chance."""

    def make(rng: random.Random) -> Callable[[chess.Board], Any]:
        engine = answer(rng)
        return lambda board: engine.play(board).move

    cases = {
        "k7/8/8/3p1p2/4P3/8/8/K7 w - - 0 1": "Play a capture if there is one.",
        "k7/8/8/3q1p2/4P3/8/8/K7 w - - 0 1": "A queen is taken with the same chance as a pawn.",
        "k7/8/5p2/3pP3/8/8/8/K7 w - d6 0 2": "Capturing en passant is a capture like any other.",
        "k3r3/8/8/8/3p4/8/4N3/4K3 w - - 0 1": "A piece that is pinned to its king cannot capture.",
        "4k3/8/8/8/8/8/3r4/4K2R w K - 0 1": "The king captures, too.",
        "7k/6b1/8/8/8/8/8/R1K5 b - - 0 1": "A capture on a1 is a capture: the square a1 is 0.",
        "1n5k/P7/8/8/8/8/8/K7 w - - 0 1": "A pawn that captures may become any of four pieces.",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1": "Castling is no capture.",
        chess.STARTING_FEN: "Without a capture, any legal move has the same chance.",
    }
    for fen in (chess.STARTING_FEN, next(iter(cases))):
        _require_source(make, fen)
    engine = answer(random.Random(1))
    games = []
    for _ in range(2):
        engine.new_game(random.Random(9))
        games.append([engine.play(chess.Board()).move for _ in range(20)])
    require(games[0] == games[1], "After new_game(rng) all choices come from that rng: self.rng.")
    play = make(random.Random(5))
    for fen, hint in cases.items():
        board = chess.Board(fen)
        legal = list(board.legal_moves)
        moves = [move for move in legal if board.is_capture(move)] or legal
        expected = {move.uci(): Fraction(1, len(moves)) for move in moves}
        _require_shares(play, fen, expected, hint)


@exercise("s05-5")
def quickest_mate(answer: Callable[[Iterable[int]], tuple[int, int] | None]) -> None:
    """The shortest of a few games, found among their seeds."""
    module = module_of("s05_random_engine")
    engine = module.RandomEngine(random.Random())
    first = "Of equally short games the first counts."
    cases: dict[tuple[int, ...], tuple[tuple[int, int] | None, str]] = {
        (6, 110): ((6, 111), first),
        (110, 6): ((110, 111), first),
        (160, 131): ((131, 139), "Its game is one ply shorter than the other one."),
        (131, 160): ((131, 139), "The first mate is the shorter one."),
        (160,): ((160, 140), "Black's mates count, too."),
        (1, 74): ((74, 431), "A shorter drawn game does not count, and sets no limit."),
        (235,): ((235, 525), "A long game counts, too, if it is the only one with a mate."),
        (3, 4): (None, "Without a mate return None."),
        (): (None, "Without a mate return None."),
    }
    for seeds, (best, hint) in cases.items():
        said = answer(iter(seeds))
        said = tuple(said) if isinstance(said, list) else said
        if said == best:
            continue
        if best and said == best[::-1]:
            hint = "The seed comes first, then the length in plies."
        elif hint == first and (said is None or said[0] not in seeds):
            hint = "Is it one engine for both sides, and is the seed passed to play_game?"
        elif said and said[0] in seeds:
            game = module.play_games(engine, engine, 1, seed=said[0])[0]
            if game.plies != said[1]:
                hint = (
                    f"The game of seed {said[0]} has {game.plies} plies. Is it one engine for "
                    "both sides, and is the seed passed to play_game?"
                )
        raise Hint(f"Over the seeds {list(seeds)} the answer is {best}, not {said}. {hint}")
    choice, plies = random.Random.choice, 0

    def counted(rng: random.Random, moves: Any) -> Any:
        nonlocal plies
        plies += 1
        return choice(rng, moves)

    with mock.patch.object(random.Random, "choice", counted):
        answer(iter((6, 235)))
    require(
        plies <= 2 * 111,
        f"With the seeds 6 and 235 you play {plies} plies. The first game ends after 111 with a "
        "mate: break off the second one, which has 525, when it cannot be shorter any more.",
    )
