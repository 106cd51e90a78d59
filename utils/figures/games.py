"""A game to step through, in the page and without a kernel; one position where no script runs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path

import chess
import chess.svg

from utils.figures import Figure, board_picture

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def game_figure(
    game: chess.Board,
    caption: str,
    *,
    name: str,
    alt: str,
    ply: int = 0,
    notes: Mapping[int, str] | None = None,
    orientation: chess.Color = chess.WHITE,
    size: int = 340,
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
        size: width in pixels, less on narrow screens.

    Raises:
        ValueError: the game has no such half-move.
    """
    notes = notes or {}
    plies = range(len(game.move_stack) + 1)
    if absent := [number for number in (ply, *notes) if number not in plies]:
        raise ValueError(f"figure {name}: half-move {absent[0]} of a game of {plies[-1]}")
    board = game.root()
    moves = board.variation_san(game.move_stack)
    shown, positions, lines = board.copy(), [board.board_fen()], ["Before the first move."]
    for half_move, move in enumerate(game.move_stack, 1):
        lines.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}")
        board.push(move)
        positions.append(board.board_fen())
        if half_move == ply:
            shown = board.copy()
    for half_move, note in notes.items():
        lines[half_move] = f"{lines[half_move].removesuffix('.')}. {note}"
    picture = board_picture(shown, orientation=orientation, size=size, alt=alt)
    king = re.search(r'id="white-king-(\w+)"', picture.svg)
    assert king, "every position has a white king"
    mark = king[1]
    pieces = [
        re.sub(r'\bid="([^"]+)"', rf'id="\1-{mark}"', text) for text in chess.svg.PIECES.values()
    ]
    # Another position may have pieces that the first one shown has not.
    missing = [text for text in pieces if text.split(">")[0] not in picture.svg]
    svg = picture.svg.replace("<defs>", f"<defs>{''.join(missing)}", 1)
    data = {
        "positions": positions,
        "moves": [move.uci() for move in game.move_stack],
        "lines": lines,
        "first": ply,
        "mark": mark,
    }
    side = "" if orientation == chess.WHITE else ' data-black="1"'
    content = (
        f'<div class="course-game" data-game="{html.escape(json.dumps(data))}"{side}>{svg}'
        f'<p class="course-game-line">{html.escape(lines[ply])}</p>'
        f"<details><summary>All moves</summary><p>{html.escape(moves)}</p></details>"
        f"<script>{SCRIPT}</script></div>"
    )
    return Figure(content, caption=caption, name=name, alt=f"{picture.alt} {lines[ply]}")
