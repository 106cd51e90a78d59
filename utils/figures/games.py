"""A game to step through; where no script runs, one of its positions."""

from __future__ import annotations

from collections.abc import Mapping

import chess

from utils.figures import Figure, describe
from utils.figures.live import Step, live_board, steps_figure


def game_figure(
    game: chess.Board,
    caption: str,
    *,
    name: str,
    alt: str,
    ply: int = 0,
    notes: Mapping[int, str] | None = None,
) -> Figure:
    """A game as a figure: a board, the moves, and a slider.

    Args:
        game: the last position, with the moves on its stack.
        ply: the position that is shown first, counted from the start of the stack.
        notes: remarks by the ply after which they are said.

    Raises:
        ValueError: the game has no such ply.
    """
    notes = notes or {}
    plies = range(len(game.move_stack) + 1)
    if absent := [number for number in (ply, *notes) if number not in plies]:
        raise ValueError(f"figure {name}: ply {absent[0]} of a game of {plies[-1]}")
    board = game.root()
    moves = board.variation_san(game.move_stack)
    shown = board.copy()
    steps = [Step("Before the first move.", board=(board.board_fen(), ""))]
    for number, move in enumerate(game.move_stack, 1):
        said = f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}"
        board.push(move)
        steps.append(Step(said, board=(board.board_fen(), move.uci())))
        if number == ply:
            shown = board.copy()
    for number, note in notes.items():
        steps[number].say = f"{steps[number].say.removesuffix('.')}. {note}"
    return steps_figure(
        live_board(shown, alt=alt),
        steps,
        caption,
        name=name,
        alt=f"{alt} {describe(shown)} {steps[ply].say}",
        first=ply,
        shown=ply,
        title="All moves",
        words=moves,
        unit="ply of the game",
    )
