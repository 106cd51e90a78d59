"""Figures of the chapters: boards, plots and tables.

Every figure is one piece of HTML with an inline SVG, a caption, a label by which the text refers
to it, and an alternative text for readers who do not see it. Its text and lines have the colour of
the text around, light or dark. The book turns it into a numbered figure; JupyterLab shows it as it
is. All functions that make figures take the caption, name and alternative text of `Figure`. The
first plot loads matplotlib and sets its style.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import chess
import chess.svg
from tabulate import tabulate

if TYPE_CHECKING:  # boards do without matplotlib, which a browser may not have
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Plot

BLUE, ORANGE, GREEN, YELLOW = "#3d8fd1", "#d55e00", "#009e73", "#b07d00"
PURPLE, GREY = "#b9649c", "#8a8a8a"
COLOURS = (BLUE, ORANGE, GREEN, YELLOW, PURPLE, GREY)
"""Colours that colour-blind readers can tell apart (after Okabe and Ito), for light and dark."""

TEXT = "#0b0c0d"
"""In plots: the colour of text and lines, which `plot_figure` replaces by currentColor."""

_NUMBER = re.compile(r"([-+−]?[\d,]+(\.\d+)?%?)?")
"""A cell of a column of numbers: empty, or one such as +1.0, 1,234 or 5%."""

_STYLE: Any = {
    "axes.edgecolor": TEXT,
    "axes.grid": True,
    "axes.labelcolor": TEXT,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "axes.titlecolor": TEXT,
    "font.size": 10.5,
    "grid.alpha": 0.25,
    "grid.color": TEXT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.hashsalt": "course",
    "text.color": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
}
_BOARD_COLOURS = {
    "square light": "#e9dfc9",
    "square dark": "#a9865f",
    "square light lastmove": "#d8c84f",
    "square dark lastmove": "#b59d2b",
    "margin": "none",
    "coord": "currentColor",
    "arrow green": "#00805ccc",
    "arrow blue": "#1f6fb2cc",
    "arrow red": "#c04a00cc",
    "arrow yellow": "#c99700cc",
}


class Figure:
    """A picture with a caption, a label and an alternative text.

    Args:
        content: HTML of the picture.
        caption: the text below it.
        name: the label, such as "fig-s04-first-game".
        alt: the alternative text: what the picture shows.

    Raises:
        ValueError: another form of label, or an empty caption or alternative text.
    """

    def __init__(self, content: str, *, caption: str, name: str, alt: str) -> None:
        if not re.fullmatch(r"fig-s\d\d-[a-z0-9-]+", name):
            raise ValueError(f"figure name {name!r}: expected one like 'fig-s04-first-game'")
        if not caption.strip() or not alt.strip():
            raise ValueError(f"figure {name}: expected a caption and an alternative text")
        self.content, self.caption, self.name, self.alt = content, caption, name, alt

    def _repr_html_(self) -> str:
        return (
            f'<figure class="course-figure" id="{self.name}">{self.content}'
            f"<figcaption>{html.escape(self.caption, quote=False)}</figcaption></figure>"
        )

    def __repr__(self) -> str:
        return f"{self.caption} [{self.alt}]"


class Picture:
    """A board or a table in HTML, without caption and label."""

    def __init__(self, content: str, alt: str) -> None:
        self.content, self.alt = content, alt

    def _repr_html_(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return self.alt


def describe(board: chess.Board) -> str:
    """The position in words, for readers who do not see the board."""
    sides = []
    for colour, side in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        pieces = [
            f"{chess.PIECE_NAMES[kind]} {chess.square_name(square)}"
            for kind in reversed(chess.PIECE_TYPES)
            for square in board.pieces(kind, colour)
        ]
        sides.append(f"{side}: {', '.join(pieces) or 'no pieces'}.")
    return f"{' '.join(sides)} {'White' if board.turn else 'Black'} to move."


def board_picture(
    board: chess.Board,
    *,
    arrows: Iterable[chess.svg.Arrow | tuple[chess.Square, chess.Square]] = (),
    fill: Mapping[chess.Square, str] | None = None,
    squares: chess.IntoSquareSet | None = None,
    orientation: chess.Color = chess.WHITE,
    size: int = 340,
    alt: str = "",
) -> Picture:
    """A board with its last move and a check marked, in the colours of the course.

    Args:
        board: the position; the last move is taken from its move stack.
        arrows: as in `chess.svg.board`.
        fill: colours of squares.
        squares: squares to mark with a cross.
        orientation: the side at the bottom.
        size: width in pixels, less on narrow screens.
        alt: what the board is meant to show; a list of the pieces is added.
    """
    svg = chess.svg.board(
        board,
        orientation=orientation,
        lastmove=board.peek() if board.move_stack else None,
        check=board.king(board.turn) if board.is_check() else None,
        arrows=arrows,
        fill=dict(fill or {}),
        squares=squares,
        size=size,
        colors=_BOARD_COLOURS,
    )
    words = f"{alt.rstrip()} {describe(board)}".strip()
    svg = re.sub(r"<desc>.*?</desc>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xlink:href="[^"]*"', "", svg)
    return Picture(_labelled(svg, words, "course-board"), words)


def board_figure(
    board: chess.Board, caption: str, *, name: str, alt: str = "", **options: Any
) -> Figure:
    """A board as a figure; options as in `board_picture`."""
    picture = board_picture(board, alt=alt, **options)
    return Figure(picture.content, caption=caption, name=name, alt=picture.alt)


def board_row(
    boards: Sequence[tuple[str, Picture]], caption: str, *, name: str, alt: str = ""
) -> Figure:
    """Several boards side by side, each with a line of text below, as one figure."""
    cells = "".join(
        f"<div>{picture.content}<p>{html.escape(title)}</p></div>" for title, picture in boards
    )
    words = " ".join(f"{title}: {picture.alt}" for title, picture in boards)
    return Figure(
        f'<div class="course-row">{cells}</div>',
        caption=caption,
        name=name,
        alt=f"{alt} {words}".strip(),
    )


def new_plot(
    width: float = 6.4, height: float = 3.6, *, columns: int = 1
) -> tuple[Plot, Axes | Any]:
    """An empty plot in the style of the course: the plot and its axes.

    Args:
        width: inches.
        height: inches.
        columns: more than one gives an array of axes side by side.
    """
    import matplotlib
    from cycler import cycler
    from matplotlib.figure import Figure as Plot

    # Set for the whole process, because the caller draws on the plot later.
    matplotlib.rcParams.update(_STYLE | {"axes.prop_cycle": cycler(color=COLOURS)})
    plot = Plot(figsize=(width, height), layout="constrained")
    return plot, plot.subplots(1, columns)


def plot_figure(plot: Plot, caption: str, *, name: str, alt: str) -> Figure:
    """A plot as a figure. The alternative text says what one would see in it."""
    buffer = io.StringIO()
    plot.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].replace(TEXT, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("xlink:href=", "href=")
    return svg_figure(svg, caption, name=name, alt=alt)


def svg_figure(svg: str, caption: str, *, name: str, alt: str) -> Figure:
    """Any SVG as a figure. Draw text and lines in `currentColor`."""
    return Figure(_labelled(svg, alt, "course-plot"), caption=caption, name=name, alt=alt)


def table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = ""
) -> Picture:
    """A table of results, with a caption above.

    Texts stay as they are, so the caller says how numbers are written. Columns of numbers, but
    not the first column, are set to the right.
    """
    cells = [[f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in r] for r in rows]
    numbers = [all(map(_NUMBER.fullmatch, column)) for column in zip(*cells, strict=True)]
    sides = ["right" if place and each else "left" for place, each in enumerate(numbers)]
    text = tabulate(cells, list(headers), tablefmt="html", disable_numparse=True, colalign=sides)
    head = '<table class="course-table">'
    if caption:
        head += f"<caption>{html.escape(caption)}</caption>"
    return Picture(head + text.removeprefix("<table>"), caption or "table")


def _labelled(svg: str, alt: str, kind: str) -> str:
    """The SVG with a class, an alternative text, and ids that are unique on a page."""
    mark = hashlib.sha256(f"{svg}{alt}".encode()).hexdigest()[:8]
    svg = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    svg = re.sub(r'\bid="([^"]+)"', rf'id="\1-{mark}"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#\1-{mark}"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#\1-{mark})", svg)
    label = html.escape(alt, quote=True)
    return svg.replace("<svg", f'<svg class="{kind}" role="img" aria-label="{label}"', 1)
