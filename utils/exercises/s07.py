"""Checks of chapter s07, counting pieces."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import chess

from utils.exercises import exercise, kept, module_of, random_boards, require, require_equal
from utils.exercises.positions import (
    BACK_RANK,
    KIWIPETE,
    kind_of,
    played,
    position_after,
    with_mirrors,
)

_RICH = [
    KIWIPETE,
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1",
    "4k3/8/5p2/3pP3/8/8/8/4K3 w - d6 0 1",
    "Kn2rn1k/1p2P3/8/8/8/8/8/8 w - - 0 1",
    "2r1k3/1P6/8/8/8/8/6p1/4KB2 b - - 0 1",
    "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
]
_SPECIAL = {
    "en passant": "En passant takes a pawn from another square. ",
    "promotion": "A promotion turns a pawn into another piece. ",
}


def _positions(count: int = 60) -> list[chess.Board]:
    """Rich positions, and positions from random play."""
    return [*map(chess.Board, _RICH), *random_boards(count, 7)]


@exercise("s07-1", missing={"counts 0": 0, "counts 1": 1, "counts 2": 2, "counts 4": 4})
def material_with(answer: Callable[..., float], missing: float) -> None:
    """Any values; missing ones count nothing."""
    module = module_of("s07_material_engine")
    for board in _positions(30):
        fen = board.fen()
        hint = f"With the chapter's values it must agree with material; it does not in {fen}."
        require(answer(board, dict(module.PIECE_VALUES)) == module.material(board), hint)
    board = chess.Board("4k3/8/8/8/8/8/8/2B1K1n1 w - - 0 1")
    values, chapter = {chess.BISHOP: 3.5, chess.KNIGHT: 3, chess.KING: 0}, dict(module.PIECE_VALUES)
    with patch.dict(module.PIECE_VALUES):  # as they were, for the checks that follow
        said = answer(board, values)
        hint = "Leave PIECE_VALUES as it is, and count with the values that are given."
        require(chapter == module.PIECE_VALUES, hint)
    require(said == 0.5, "A bishop at 3.5 against a knight at 3 is half a pawn for White.")
    alone, words = 3.5 - missing, f"A missing type counts {missing}."
    require(answer(board, {chess.BISHOP: 3.5, chess.KING: 0}) == alone, words)
    hint = "Black's pieces count against."
    require(answer(board.mirror(), {chess.BISHOP: 3.5, chess.KING: 0}) == -alone, hint)


@exercise("s07-2")
def best_capture(answer: Callable[[chess.Board], chess.Move | None]) -> None:
    """Most gain first, then alphabetical order."""
    gain = module_of("s07_material_engine").gain
    for board in _positions():
        captures = [move for move in board.legal_moves if board.is_capture(move)]
        best = min(captures, key=lambda move: (-gain(board, move), move.uci()), default=None)
        said = kept(board, answer)
        require(said is None or isinstance(said, chess.Move), f"Return a chess.Move, not {said!r}.")
        words = _SPECIAL.get(kind_of(board, best), "")
        if said in captures and best:
            wins = gain(board, said), gain(board, best)
            words += (
                "Of equals take the first in alphabetical order."
                if wins[0] == wins[1]
                else f"The first wins {wins[1]}, the second {wins[0]}."
            )
        elif said and said not in board.legal_moves:
            words = "Only legal captures count."
        require_equal(said, best, f"In {board.fen()}: expected", words)


def _safe(board: chess.Board, move: chess.Move) -> int:
    module = module_of("s07_material_engine")
    won = int(module.gain(board, move))
    after = position_after(board, move)
    if any(reply.to_square == move.to_square for reply in after.legal_moves):
        won -= int(module.PIECE_VALUES[after.piece_type_at(move.to_square)])
    return won


@exercise("s07-3")
def safe_gain(answer: Callable[[chess.Board, chess.Move], int]) -> None:
    """Gain less recapture, with pins, promotions and en passant."""
    protected = chess.Board("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1")
    queen_takes = chess.Move.from_uci("d1d5")
    words = "The queen takes a protected pawn: it gains 1 and loses 9, so the answer is"
    require_equal(kept(protected, answer, queen_takes), -8, words)
    helpless = chess.Board("4k3/3p4/8/1B6/8/8/8/3RK3 w - - 0 1")
    require(
        kept(helpless, answer, chess.Move.from_uci("b5d7")) == 1,
        "The king attacks the bishop, but may not take it: the rook protects it.",
    )
    pinned = chess.Board("3rk3/3p4/8/1B6/8/8/8/3RK3 w - - 0 1")
    for board in (pinned, *_positions()):
        for move in list(board.legal_moves):
            words = f"In {board.fen()}, {move}: expected"
            hint = _SPECIAL.get(kind_of(board, move), "")
            require_equal(kept(board, answer, move), _safe(board, move), words, hint)


@exercise("s07-4")
def careful(answer: type[Any]) -> None:
    """The scores of the careful engine."""
    module = module_of("s07_material_engine")
    engine = answer(random.Random(3), top=1)
    for board in with_mirrors(BACK_RANK):
        worth = module.PLAYER_MULTIPLIER[board.turn] * module.CHECKMATE_VALUE
        words = "A move that mates keeps the score of checkmate, from White's view:"
        require_equal(kept(board, engine.analyse)[0].score, worth, words)
    dance = played(
        "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1",
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    )
    draws = [  # a recapture after a draw, by lack of material and by the fifty-move rule
        "8/2Pk4/8/8/8/8/8/4K3 w - - 0 1",
        "8/8/4k3/8/8/2R1K3/8/8 w - - 99 90",
    ]
    for board in (*_positions(25), *with_mirrors(*draws), dance):
        sign, before = module.PLAYER_MULTIPLIER[board.turn], module.material(board)
        for entry in kept(board, engine.analyse):
            after = position_after(board, entry.move)
            expected, safe = module.terminal_score(after), _safe(board, entry.move)
            words = "The game is over then."
            if expected is None:
                expected = before + sign * safe
                words = {
                    before - sign * safe: "From White's view, what Black gains is subtracted.",
                    sign * safe: "The gain changes the material before the move: add the two.",
                    before + sign * module.gain(board, entry.move): "Count the recapture.",
                }.get(entry.score, "")
            where = f"In {board.fen()}, {entry.move}: expected"
            require_equal(entry.score, expected, where, words)
