"""A game afterwards: its course as an engine sees it, and where the person went wrong and why.

The reasons are the terms of the positional evaluation (s18), in groups: two positions are
compared, the one to which the move leads and the one to which the engine's move would have led.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import chess
import chess.engine

from converted_notebooks.s04_engine_interface import Engine, finished
from converted_notebooks.s12_piece_square_tables import CENTIPAWNS
from converted_notebooks.s18_positional_evaluation import explain
from utils.play.findings import LONGEST_LINE, evaluation_of, evaluation_of_result, line_of
from utils.play.game import Game

MOVES_SHOWN = 3
"""How many moves are shown."""
LEAST_LOSS = 0.05
"""Part of a bar that a move must lose to be called one of the worst."""
WORTH_SAYING = 0.2
"""Pawns that a group of terms must lose to be named."""
GROUPS = {
    "pawn structure": ("isolated", "doubled", "backward", "chain"),
    "passed pawns": ("passed_",),
    "king safety": ("shield", "king_", "attackers_"),
    "activity of the pieces": ("mobility_", "bishop_pair", "rook_"),
}
"""The terms of s18 that belong together, by how their names begin."""


@dataclass(frozen=True)
class Look:
    """What an engine says of one position of a game.

    Attributes:
        evaluation: as a front end draws it; None if the engine has no score.
        line: the moves that it expects, from this position on.
        mate: 1 if White mates by force, -1 if Black does, otherwise 0.
    """

    evaluation: dict[str, Any] | None
    line: tuple[chess.Move, ...] = ()
    mate: int = 0


def in_groups(board: chess.Board) -> dict[str, float]:
    """A position's score by groups of terms, in pawns from White's view."""
    material = sum(
        CENTIPAWNS.get(piece.piece_type, 0) * (1 if piece.color else -1)
        for piece in board.piece_map().values()
    )
    found = {"material": float(material), "places of the pieces": -float(material)}
    for term in explain(board):
        name = next((g for g, names in GROUPS.items() if term.name.startswith(names)), "")
        group = name or "places of the pieces"  # with the material, which is known already
        found[group] = found.get(group, 0.0) + term.contribution
    return {name: value / 100 for name, value in found.items()}


def after(board: chess.Board, moves: tuple[chess.Move, ...]) -> chess.Board:
    """A copy of a board on which moves were made."""
    copy = board.copy(stack=False)
    for move in moves:
        copy.push(move)
    return copy


@dataclass(frozen=True)
class Reviewer:
    """An engine, and how long it looks at a position."""

    engine: Engine
    limit: chess.engine.Limit

    def look(self, board: chess.Board) -> Look:
        """What the engine says of a position, or the rules if the game is over there."""
        if end := finished(board):
            found = evaluation_of_result(end[0])
            return Look(found, mate=round(2 * found["share"] - 1))
        self.engine.play(board.copy(), self.limit)
        last = self.engine.last_search
        if last is None:
            return Look(None)
        score, line = last.best.score, last.line or (last.best.move,)
        mate = (score > 0) - (score < 0) if abs(score) >= self.engine.mate_score else 0
        return Look(evaluation_of(score, self.engine), line, mate)

    def quiet(self, board: chess.Board, line: tuple[chess.Move, ...]) -> chess.Board:
        """The position after a line; the engine prolongs one that ends amid captures or checks."""
        end = after(board, line)
        for _ in range(LONGEST_LINE):
            before = after(board, line[:-1])
            last = line[-1:]
            noisy = end.is_check() or any(before.is_capture(m) or m.promotion for m in last)
            if not noisy or finished(end):
                break
            line += self.look(end).line[:1]
            end = after(board, line)
        return end


def reasons(
    board: chess.Board, move: chess.Move, played: Look, best: Look, reviewer: Reviewer
) -> str:
    """Why a move is worse than the engine's, in words.

    Args:
        board: before the move.
        move: that was played.
        played: what the engine says of the position after it.
        best: what it says of `board`.
        reviewer: goes on where a line ends too early.
    """
    view = 1 if board.turn else -1
    if played.mate == -view:
        return "It lets the other side mate."
    if best.mate == view:
        return "It misses a mate."
    had = in_groups(reviewer.quiet(board, best.line))
    has = in_groups(reviewer.quiet(board, (move, *played.line)))
    lost = {name: view * (has.get(name, 0.0) - had.get(name, 0.0)) for name in had | has}
    named = sorted((value, name) for name, value in lost.items() if value <= -WORTH_SAYING)
    if not named:
        return "No single term says why: it is the sum of many."
    return "It costs " + ", ".join(f"{name} {value:.1f}" for value, name in named[:3]) + "."


def review(game: Game, engine: Engine, limit: chess.engine.Limit) -> Iterator[dict[str, Any]]:
    """Look at each position of a game, the last one first, and then at the worst moves.

    What an engine remembers of the end helps it with what was before. For each position there is
    a dictionary with "ply" and "evaluation"; the last dictionary has the moves: "worst".
    """
    boards = [game.board.root()]
    for move in game.board.move_stack:
        boards.append(after(boards[-1], (move,)))
    engine.new_game()
    reviewer = Reviewer(engine, limit)
    looks: dict[int, Look] = {}
    for ply in reversed(range(len(boards))):
        looks[ply] = reviewer.look(boards[ply])
        yield {"ply": ply, "evaluation": looks[ply].evaluation}
    losses = []
    for ply, move in enumerate(game.board.move_stack):
        best, played, board = looks[ply], looks[ply + 1], boards[ply]
        if game.person not in (None, board.turn) or not best.line:
            continue  # a game may go on where the fifty-move rule could end it
        if best.evaluation and played.evaluation:
            change = played.evaluation["share"] - best.evaluation["share"]
            loss = -change if board.turn else change
            if loss >= LEAST_LOSS and move != best.line[0]:
                losses.append((loss, ply))
    yield {
        "worst": [
            {"ply": ply}
            | _worst(boards[ply], game.board.move_stack[ply], looks[ply + 1], looks[ply], reviewer)
            for _, ply in sorted(losses, reverse=True)[:MOVES_SHOWN]
        ]
    }


def _worst(
    board: chess.Board, move: chess.Move, played: Look, best: Look, reviewer: Reviewer
) -> dict[str, Any]:
    assert best.evaluation and played.evaluation
    return {
        "move": board.variation_san([move]),
        "better": line_of(board, best.line[:LONGEST_LINE]),
        "answer": line_of(after(board, (move,)), played.line[:LONGEST_LINE]),
        "from": best.evaluation["text"],
        "to": played.evaluation["text"],
        "why": reasons(board, move, played, best, reviewer),
    }
