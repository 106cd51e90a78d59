"""Reviews a finished game: evaluates each position, and explains the person's worst moves.

The reasons are groups of terms of the positional evaluation (s18), compared between two positions:
the one to which the move leads and the one to which the engine's move would have led.
"""

from __future__ import annotations

from collections import defaultdict
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
"""How many of the worst moves are shown."""
LEAST_LOSS = 0.05
"""The share of the evaluation bar that one of the worst moves has lost at least."""
WORTH_SAYING = 0.2
"""The pawns that a group of terms has lost at least if it is named as a reason."""
GROUPS = {
    "pawn structure": ("isolated", "doubled", "backward", "chain"),
    "passed pawns": ("passed_",),
    "king safety": ("shield", "king_", "attackers_"),
    "activity of the pieces": ("mobility_", "bishop_pair", "rook_"),
}
"""Groups of terms of s18, by the beginnings of their names."""


@dataclass(frozen=True)
class Look:
    """The result of an engine's search of a position.

    Attributes:
        evaluation: as from `evaluation_of`; None if the engine has no score.
        line: the moves that it expects from here.
        mate: 1 if White mates by force, -1 if Black does, otherwise 0.
    """

    evaluation: dict[str, Any] | None
    line: tuple[chess.Move, ...] = ()
    mate: int = 0


def in_groups(board: chess.Board) -> dict[str, float]:
    """The score of a position by groups of terms, in pawns from White's view."""
    material = sum(
        CENTIPAWNS[piece.piece_type] * (1 if piece.color else -1)
        for piece in board.piece_map().values()
    )
    # The other terms, those of the squares, include the material.
    others = "places of the pieces"
    found = defaultdict[str, float](float, {"material": material, others: -material})
    for term in explain(board):
        group = next((g for g, names in GROUPS.items() if term.name.startswith(names)), others)
        found[group] += term.contribution
    return {name: value / 100 for name, value in found.items()}


def after(board: chess.Board, moves: tuple[chess.Move, ...]) -> chess.Board:
    """A copy of a board on which moves were made."""
    copy = board.copy(stack=False)
    for move in moves:
        copy.push(move)
    return copy


@dataclass(frozen=True)
class Reviewer:
    """An engine, and its limit for each position."""

    engine: Engine
    limit: chess.engine.Limit

    def look(self, board: chess.Board) -> Look:
        """Search a position; if the game is over there, the result of the game."""
        if end := finished(board):
            found = evaluation_of_result(end[0])
            return Look(found, mate=round(2 * found["share"] - 1))
        self.engine.play(board.copy(), self.limit)
        last = self.engine.last_search
        if last is None:
            return Look(None)
        score = last.best.score
        mate = (score > 0) - (score < 0) if abs(score) >= self.engine.mate_score else 0
        return Look(evaluation_of(score, self.engine), last.line, mate)

    def quiet(self, board: chess.Board, line: tuple[chess.Move, ...]) -> chess.Board:
        """The position after a line, which is extended while it ends with a capture or a check."""
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
        move: the move that was played.
        played: the search of the position after it.
        best: the search of `board`.
        reviewer: extends lines to quiet positions.
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
    """Search each position of a game, then explain the worst moves.

    The last position comes first, because its search fills the engine's memory with entries that
    help the earlier ones. Yields a dictionary with "ply" and "evaluation" for each position; the
    last dictionary has the moves: "worst".
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
        board, best, played = boards[ply], looks[ply], looks[ply + 1]
        if game.person not in (None, board.turn) or not best.line:
            continue  # no line: play went on although a draw could be claimed
        if best.evaluation and played.evaluation:
            change = played.evaluation["share"] - best.evaluation["share"]
            loss = -change if board.turn else change
            if loss >= LEAST_LOSS and move != best.line[0]:
                losses.append((loss, ply, best.evaluation["text"], played.evaluation["text"]))
    worst = []
    for _, ply, had, has in sorted(losses, reverse=True)[:MOVES_SHOWN]:
        board, move = boards[ply], game.board.move_stack[ply]
        best, played = looks[ply], looks[ply + 1]
        worst.append(
            {
                "ply": ply,
                "move": board.variation_san([move]),
                "better": line_of(board, best.line[:LONGEST_LINE]),
                "answer": line_of(boards[ply + 1], played.line[:LONGEST_LINE]),
                "from": had,
                "to": has,
                "why": reasons(board, move, played, best, reviewer),
            }
        )
    yield {"worst": worst}
