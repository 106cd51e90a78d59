"""Checks of chapter s23, the tournament engine."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import chess
import chess.engine

from utils.exercises import chapter, exercise, require

_CASTLING = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def _boards(count: int, seed: int = 20) -> list[chess.Board]:
    return list(chapter("s08_evaluation").random_positions(count, random.Random(seed)))


@exercise("s23-1")
def mate_in(answer: Callable[[int], int | None]) -> None:
    """Both signs, short and long, and scores that are no mates."""
    mate = chapter("s23_tournament_engine").MATE
    cases = {
        0: None,
        2500: None,
        -2500: None,
        mate - 1: 1,
        mate - 3: 2,
        mate - 5: 3,
        mate - 101: 51,
        -mate: 0,
        2 - mate: -1,
        4 - mate: -2,
        20 - mate: -10,
    }
    for score, expected in cases.items():
        said = answer(score)
        require(said == expected, f"A score of {score} means {expected}, not {said}.")


@exercise("s23-2")
def contempt(answer: type[Any]) -> None:
    """A perpetual check for either side, a stalemate, and positions without draws."""
    module = chapter("s23_tournament_engine")
    perpetual = chess.Board("5rk1/5p1p/8/8/8/rr6/3Q4/7K w - - 0 1")

    def value(kind: type[Any], board: chess.Board, depth: int) -> int:
        searcher = kind(module.Memory(4), module.FastEvaluator())
        searcher.best_move(board, chess.engine.Limit(depth=depth))
        score = int(searcher.iterations[-1].best.score)
        return score if board.turn == chess.WHITE else -score

    for board in (perpetual, perpetual.mirror()):
        found = value(answer, board, 7)
        require(
            found == -40,
            f"In {board.fen()} the side to move has perpetual check: worth -40 to it, not {found}.",
        )
    # One ply from the root it is the opponent who has no move.
    stuck = chess.Board("7k/8/8/6K1/8/8/8/8 w - - 0 1")
    found = value(answer, stuck, 3)
    require(found == -40, f"Two bare kings are a draw, worth -40 to the side to move, not {found}.")
    mate = chess.Board("8/8/8/8/4Q3/6K1/8/6k1 w - - 0 1")
    require(
        value(answer, mate, 5) == module.MATE - 1, "Where nothing is drawn, values must not change."
    )


@exercise("s23-3")
def expected_line(answer: Callable[[Any, chess.Board], list[chess.Move]]) -> None:
    """Legal lines that begin with the best move and end with a mate where there is one."""
    module, board_module = chapter("s23_tournament_engine"), chapter("s20_board_of_numbers")
    mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    boards = [mate, chess.Board(_CASTLING), *_boards(6)]
    for board in boards:
        searcher = module.DeepeningSearch(module.Memory(8), module.FastEvaluator())
        best = searcher.best_move(board, chess.engine.Limit(depth=5))
        fen = board.fen()
        line = answer(searcher, board)
        require(board.fen() == fen, "The board changed: give it back as it was.")
        require(line[:1] == [best], f"In {fen} the line must begin with {best}, not {line[:1]}.")
        current, seen = board.copy(), set()
        for move in line:
            require(move in current.legal_moves, f"In {current.fen()}, {move} is not legal.")
            key = board_module.NumberBoard(current).total
            require(key not in seen, f"The line goes in circles at {current.fen()}.")
            seen.add(key)
            current.push(move)
        key = board_module.NumberBoard(current).total
        known = searcher.memory.get(key)
        require(
            not known or not known.move or key in seen or current.is_game_over(),
            f"In {fen} the line ends after {len(line)} moves; the memory knows more.",
        )
        if board is mate:
            require(current.is_checkmate(), "After the line of a mate in one it must be mate.")


@exercise("s23-4")
def outposts(answer: type[Any]) -> None:
    """Compared with looking at knights one by one."""
    module = chapter("s23_tournament_engine")
    plain, mine = module.FastEvaluator(), answer()
    found = 0
    for board in [*map(chess.Board, _OUTPOSTS), *_boards(60, 5)]:
        fast = chapter("s20_board_of_numbers").NumberBoard(board)
        count = _outposts(board, chess.WHITE) - _outposts(board, chess.BLACK)
        found += abs(count)
        said = mine.score(fast) - plain.score(fast)
        true = 24 * count if board.turn else -24 * count
        require(
            abs(said - true) <= 1,
            f"In {board.fen()} outposts are worth {true} to the mover, not {said}.",
        )
    require(found > 2, "No board of the check has an outpost; tell the authors.")


# A knight that is protected; one that a pawn may attack one day; one on the third rank; the
# same for Black.
_OUTPOSTS = [
    "4k3/5p2/8/3N4/4P3/8/8/4K3 w - - 0 1",
    "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1",
    "4k3/8/8/3N4/4P3/8/8/4K3 b - - 0 1",
    "4k3/8/8/8/8/3N4/4P3/4K3 w - - 0 1",
    "4k3/8/3N4/2P1P3/8/8/8/4K3 w - - 0 1",
    "4k3/4p3/3p4/2n5/8/1P6/8/4K3 w - - 0 1",
    "4k3/8/3p4/2n5/8/8/2P5/4K3 b - - 0 1",
    "4k3/8/8/4p3/3n4/8/8/4K3 b - - 0 1",
    "4k3/8/8/8/2p5/3n4/4P3/4K3 w - - 0 1",
    "4k3/8/8/8/2p5/3n4/5P2/4K3 w - - 0 1",
]


def _outposts(board: chess.Board, color: chess.Color) -> int:
    ahead = 1 if color else -1
    count = 0
    for knight in board.pieces(chess.KNIGHT, color):
        file, rank = chess.square_file(knight), chess.square_rank(knight)
        pawns = board.pieces(chess.PAWN, color)
        guarded = bool(board.attackers(color, knight) & pawns)
        chasers = board.pieces(chess.PAWN, not color)
        chased = any(
            abs(chess.square_file(pawn) - file) == 1
            and (chess.square_rank(pawn) - rank) * ahead > 0
            for pawn in chasers
        )
        own_rank = rank + 1 if color else 8 - rank
        count += guarded and not chased and own_rank in (4, 5, 6)
    return count
