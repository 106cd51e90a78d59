"""Every search of the ladder finds the same value as plain minimax."""

import random
from collections.abc import Callable, Iterator
from itertools import islice

import chess
import pytest

from converted_notebooks.s06_opening_book import lines
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s09_minimax_engine import (
    FixedDepthEngine,
    MinimaxEngine,
    NegamaxEngine,
)
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from converted_notebooks.s11_iterative_deepening import (
    IterativeAlphaBetaCached,
    cache_alpha_beta,
)
from converted_notebooks.s13_incremental_evaluation import (
    IncrementalEngine,
    IncrementalEvaluator,
)
from converted_notebooks.s14_move_ordering import OrderedEngine, Ordering


class CachedEngine(AlphaBetaEngine):
    """The cache without the deepening."""

    _value = cache_alpha_beta(AlphaBetaEngine._value)


LADDER: list[Callable[[IncrementalEvaluator, int], FixedDepthEngine]] = [
    NegamaxEngine,
    AlphaBetaEngine,
    CachedEngine,
    IterativeAlphaBetaCached,
    lambda evaluator, depth: IterativeAlphaBetaCached(evaluator, depth, best_first=False),
    IncrementalEngine,
    OrderedEngine,
    lambda evaluator, depth: OrderedEngine(evaluator, depth, Ordering.SIMPLE),
]


def scattered(pieces: str, rng: random.Random, *, rank: int | None = None) -> chess.Board:
    """A legal position of the given pieces; pawns on the given rank, counted by their owner."""
    while True:
        board = chess.Board(None)
        for symbol in pieces:
            piece = chess.Piece.from_symbol(symbol)
            free = [s for s in chess.SQUARES if board.piece_at(s) is None]
            if piece.piece_type == chess.PAWN and rank is not None:
                seen = rank if piece.color == chess.WHITE else 9 - rank
                free = [s for s in free if chess.square_rank(s) == seen - 1]
            board.set_piece_at(rng.choice(free), piece)
        board.turn = rng.choice(chess.COLORS)
        if board.is_valid() and not board.is_game_over():
            return board


def openings(rng: random.Random) -> Iterator[chess.Board]:
    for line in rng.sample(list(lines()), 200):
        board = chess.Board()
        for move in line.moves[: rng.randrange(len(line.moves))]:
            board.push(move)
        yield board


def middlegames(rng: random.Random) -> Iterator[chess.Board]:
    return (board for board in random_positions(10_000, rng) if len(board.piece_map()) > 20)


def endings(rng: random.Random) -> Iterator[chess.Board]:
    kinds = ["KPk", "KQk", "KRk", "KPPkp", "KRPkr", "KBNk", "KNPkb", "KRkn", "KQkr", "KPpk"]
    while True:
        for pieces in kinds:
            yield scattered(pieces, rng)


def checks(rng: random.Random) -> Iterator[chess.Board]:
    return (board for board in random_positions(10_000, rng) if board.is_check())


def promotions(rng: random.Random) -> Iterator[chess.Board]:
    while True:
        yield scattered(rng.choice(["KPPkn", "KPknr", "KPkpb", "KPPkpp"]), rng, rank=7)


def near_draws(rng: random.Random) -> Iterator[chess.Board]:
    """Counts of moves near the limit, and games that have repeated positions."""
    while True:
        board = scattered(rng.choice(["KRk", "KPkr", "KBkp", "KRPkr"]), rng)
        board.halfmove_clock = rng.randrange(145, 150)
        yield board
        board = scattered(rng.choice(["KRkr", "KNkn", "KQkr"]), rng)
        for _ in range(rng.choice([12, 13, 14, 15])):
            back = board.move_stack[-2] if len(board.move_stack) > 1 else None
            move = back and chess.Move(back.to_square, back.from_square)
            move = move if move in board.legal_moves else rng.choice(list(board.legal_moves))
            board.push(move)
            if board.is_game_over():
                break
        else:
            yield board


# How many of each kind, and the most legal moves, since minimax is slow.
KINDS = {
    openings: (8, 24),
    middlegames: (12, 18),
    endings: (85, 18),
    checks: (30, 18),
    promotions: (35, 18),
    near_draws: (40, 18),
}


def suite(kind: Callable[[random.Random], Iterator[chess.Board]]) -> list[chess.Board]:
    count, most = KINDS[kind]
    boards = kind(random.Random(kind.__name__))
    return list(islice((b for b in boards if b.legal_moves.count() <= most), count))


EVERY_DAY = (openings, near_draws)


def test_there_are_enough_positions() -> None:
    assert sum(len(suite(kind)) for kind in KINDS) >= 200


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, id=kind.__name__, marks=[] if kind in EVERY_DAY else pytest.mark.slow)
        for kind in KINDS
    ],
)
def test_every_search_finds_the_value_of_minimax(
    kind: Callable[[random.Random], Iterator[chess.Board]],
) -> None:
    for board in suite(kind):
        before = board.copy()
        for depth in (1, 2, 3):
            expected = MinimaxEngine(IncrementalEvaluator(), depth).analyse(board)[0].score
            for build in LADDER:
                engine = build(IncrementalEvaluator(), depth)
                found = engine.analyse(board)[0].score
                assert found == expected, (engine.name, depth, board.fen(), board.move_stack)
        assert board == before and board.move_stack == before.move_stack
