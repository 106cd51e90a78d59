"""A game to step through, in the page and without a kernel; one position where no script runs."""

from __future__ import annotations

from collections.abc import Mapping

import chess

from utils.figures import Figure, board_picture
from utils.figures.live import Step, steps_figure, with_all_pieces


def game_figure(
    game: chess.Board,
    caption: str,
    *,
    name: str,
    alt: str,
    ply: int = 0,
    notes: Mapping[int, str] | None = None,
    orientation: chess.Color = chess.WHITE,
) -> Figure:
    """A game as a figure: a board, the moves, and a slider.

    Args:
        game: the last position, with the moves on its stack.
        caption: below the figure.
        name: label of the figure.
        alt: what the figure is meant to show.
        ply: the position that is shown first, in half-moves from the start of the stack.
        notes: what to say after so many half-moves.
        orientation: the side at the bottom.

    Raises:
        ValueError: the game has no such half-move.
    """
    notes = notes or {}
    plies = range(len(game.move_stack) + 1)
    if absent := [number for number in (ply, *notes) if number not in plies]:
        raise ValueError(f"figure {name}: half-move {absent[0]} of a game of {plies[-1]}")
    board = game.root()
    moves = board.variation_san(game.move_stack)
    shown = board.copy()
    steps = [Step("Before the first move.", board=(board.board_fen(), ""))]
    for half_move, move in enumerate(game.move_stack, 1):
        said = f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}"
        board.push(move)
        steps.append(Step(said, board=(board.board_fen(), move.uci())))
        if half_move == ply:
            shown = board.copy()
    for half_move, note in notes.items():
        steps[half_move].say = f"{steps[half_move].say.removesuffix('.')}. {note}"
    picture = board_picture(shown, orientation=orientation, alt=alt)
    return steps_figure(
        with_all_pieces(picture, orientation),
        steps,
        caption,
        name=name,
        alt=f"{picture.alt} {steps[ply].say}",
        first=ply,
        shown=ply,
        title="All moves",
        words=moves,
        unit="half-move of the game",
    )
