"""Bitboards: a reader clicks a square, and sees the set of squares that its piece attacks."""

from __future__ import annotations

import chess

from utils.figures import BLUE, GREEN, ORANGE, Figure, board_picture, describe
from utils.figures.live import folded, join_words, live_figure, side_by_side

_SIZE, _MARGIN = 45, 15
"""Of a square and around the board, in the SVG of python-chess."""

_LOOK = f"""
.course-bits use {{ pointer-events: none; }}
.course-bits [data-part] {{ fill: transparent; stroke: none; cursor: pointer; outline: none; }}
.course-bits [data-is~="pin"] {{ fill: {GREEN}; fill-opacity: 0.75; }}
.course-bits [data-is~="on"] {{ fill: {BLUE}; fill-opacity: 0.8; }}
.course-bits [data-is~="on"][data-is~="pin"] {{ stroke: {GREEN}; stroke-width: 5; }}
.course-bits [data-is~="now"] {{ stroke: {ORANGE}; stroke-width: 4; }}
"""


def bitboard_figure(
    board: chess.Board,
    caption: str,
    *,
    name: str,
    alt: str,
    first: chess.Square,
) -> Figure:
    """A position with a set of squares for each square, as a picture and as a number.

    The set is what the piece on the square attacks, or, where none stands, the pieces that attack
    the square. If the piece is pinned, the squares that it may go to are shown as well.

    Args:
        board: the position, with both kings.
        first: the square with which the figure begins.

    Raises:
        ValueError: a king is missing.
    """
    if None in (board.king(chess.WHITE), board.king(chess.BLACK)):
        raise ValueError(f"figure {name}: a king is missing in {board.fen()}")
    found = [_found(board, square) for square in chess.SQUARES]
    squares, pins, line = found[first]
    picture = board_picture(board, size=330, alt=alt).content
    parts = "".join(_part(square, first, squares, pins) for square in chess.SQUARES)
    picture = picture.replace("<use", f"<style>{_LOOK}</style>{parts}<use", 1)  # below the pieces
    picture = picture.replace('class="course-board"', 'class="course-board course-bits"', 1)
    rows = "".join(
        f'<tr><th scope="row">{rank + 1}</th>'
        + "".join(
            f'<td data-bit="{square}" data-is="{"on" if squares >> square & 1 else ""}">'
            f"{squares >> square & 1}</td>"
            for square in range(8 * rank, 8 * rank + 8)
        )
        + "</tr>"
        for rank in reversed(range(8))
    )
    heads = "".join(f'<th scope="col">{file}</th>' for file in chess.FILE_NAMES)
    listed = (
        '<table class="course-table"><caption>The bits</caption><tbody>'
        f"{rows}</tbody><tfoot><tr><td></td>{heads}</tr></tfoot></table>"
        f"<p><code data-number>{squares:#021_x}</code></p>"
    )
    data = {
        "first": first,
        "squares": [
            {"set": f"{squares:x}", "pin": f"{pins:x}", "say": said}
            for squares, pins, said in found
        ],
    }
    said = (found[square][2] for square in chess.SQUARES if board.piece_at(square))
    more = folded("All pieces in words", said)
    still = side_by_side(picture, listed, "course-bits-pair")
    words = f"{alt} {describe(board)}"
    return live_figure("bits", still, data, caption, name=name, alt=words, line=line, more=more)


def _names(squares: int) -> str:
    names = [chess.square_name(square) for square in chess.SquareSet(squares)]
    return join_words(names) or "no square"


def _found(board: chess.Board, square: chess.Square) -> tuple[int, int, str]:
    """The set of a square, the squares that a pin leaves its piece (or 0), and both in words."""
    piece, name = board.piece_at(square), chess.square_name(square)
    if piece is None:
        squares = board.attackers_mask(chess.WHITE, square)
        squares |= board.attackers_mask(chess.BLACK, square)
        who = f"Pieces on {_names(squares)} attack it." if squares else "No piece attacks it."
        return squares, 0, f"{name} is empty. {who}"
    squares, pins = board.attacks_mask(square), 0
    kind = f"{chess.COLOR_NAMES[piece.color]} {chess.piece_name(piece.piece_type)}"
    said = f"The {kind} on {name} attacks {_names(squares)}."
    if board.is_pinned(piece.color, square):
        pins = _pin(board, piece.color, square)
        said += f" It is pinned, and must stay on the line of {_names(pins)}."
        both = squares & pins
        said += f" The intersection of both sets {'is ' + _names(both) if both else 'is empty'}."
    return squares, pins, said


def _pin(board: chess.Board, colour: chess.Color, square: chess.Square) -> int:
    """The squares where a pinned piece may go: between its king and the pinning piece, or there."""
    king, own = board.king(colour) or 0, chess.BB_SQUARES[square]
    line = chess.SquareSet(board.pin_mask(colour, square) & board.occupied_co[not colour])
    pinner = next(end for end in line if chess.between(king, end) & board.occupied == own)
    return (chess.between(king, pinner) | chess.BB_SQUARES[pinner]) & ~own


def _part(square: chess.Square, first: chess.Square, squares: int, pins: int) -> str:
    """The rectangle of SVG that marks a square and takes its clicks."""
    x = _MARGIN + _SIZE * chess.square_file(square)
    y = _MARGIN + _SIZE * (7 - chess.square_rank(square))
    states = {"on": squares >> square & 1, "pin": pins >> square & 1, "now": square == first}
    state = " ".join(name for name, holds in states.items() if holds)
    return (
        f'<rect data-part="{chess.square_name(square)}" data-is="{state}" x="{x + 2}" y="{y + 2}" '
        f'width="{_SIZE - 4}" height="{_SIZE - 4}" rx="6"/>'
    )
