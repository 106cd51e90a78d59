"""Exchanges and other lines of moves: a board, and a bar for the score after each move."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import chess

from utils.figures import BLUE, GREY, ORANGE, Figure, describe
from utils.figures.live import (
    Question,
    Step,
    live_board,
    side_by_side,
    signed,
    steps_figure,
    svg_picture,
)

ROW, LABEL, WIDTH = 30, 74, 420
"""Pixels: from row to row, for the moves, and in all."""

_LOOK = f"""
.course-bars rect {{ fill: {BLUE}; fill-opacity: 0.75; }}
.course-bars .black {{ fill: {ORANGE}; }}
.course-bars text {{ fill: currentColor; }}
.course-bars .axis {{ stroke: currentColor; stroke-opacity: 0.6; }}
.course-bars .horizon {{ stroke: {GREY}; stroke-width: 2; stroke-dasharray: 6 4; }}
.course-bars [data-is=""] {{ visibility: hidden; }}
.course-bars [data-is~="past"] > rect {{ fill-opacity: 0.25; }}
.course-bars [data-is~="past"] > .value {{ fill-opacity: 0.6; }}
.course-bars [data-is~="now"] > text {{ font-weight: bold; }}
"""


class _Ply(NamedTuple):
    """A move of a line."""

    san: str
    side: str  # "White" or "Black", who made it
    board: tuple[str, str]  # after it, as in `Step`


class _Bar(NamedTuple):
    """A row of the picture."""

    label: str  # the move
    side: str  # "White" or "Black": the colour of the bar
    value: float  # its length, in the view of that side
    text: str  # stands at its end
    folded: float | None = None  # the value after the exchange is folded, if it is

    @property
    def sign(self) -> int:
        """1 if a positive value is drawn to the right, -1 if to the left."""
        return 1 if self.side == "White" else -1


def number(value: float) -> str:
    """A number whose minus is "−", not a hyphen."""
    return f"{value:g}".replace("-", "−")


def exchange_figure(
    board: chess.Board,
    captures: Sequence[chess.Move],
    gains: Sequence[int],
    caption: str,
    *,
    name: str,
    alt: str,
) -> Figure:
    """An exchange on one square, capture by capture; then the gains are folded from the last.

    To fold: a side that may stop or take back chooses what is better for it.

    Args:
        board: the position before the first capture.
        captures: all of them, both sides in turn, on one square.
        gains: for each capture the centipawns by which the side that made it is ahead if the
            exchange stops there.

    Raises:
        ValueError: not one number for each capture, or captures on more than one square.
    """
    if len(captures) != len(gains) or not gains:
        raise ValueError(f"figure {name}: {len(captures)} captures, but gains {list(gains)}")
    if len({move.to_square for move in captures}) > 1:
        raise ValueError(f"figure {name}: more than one square in {[*map(str, captures)]}")
    plies = _play(board, captures)
    first = plies[0]
    steps = [Step(f"{first.side} considers {first.san}.", board=(board.board_fen(), ""))]
    for index, (ply, gain) in enumerate(zip(plies, gains, strict=True)):
        ahead = f"{number(abs(gain))} {'ahead' if gain > 0 else 'behind'}" if gain else "level"
        say = f"{ply.san}. If the exchange stops here, {ply.side} is {ahead}."
        steps.append(Step(say, {f"b{index}": {"is": "on"}}, f"b{index}", ply.board))
    last = len(gains) - 1
    steps[-1].say += " Nobody can take back. Now the numbers are folded, from the last."
    steps[-1].show[f"f{last}"] = {"is": "on"}
    folded = list(gains)
    for index in reversed(range(last)):
        ply, reply, stops, back = plies[index], plies[index + 1], gains[index], -folded[index + 1]
        folded[index] = min(stops, back)
        choice = f"{number(stops)} if {reply.side} stops, "
        choice += f"{number(back)} if {reply.side} takes back"
        if index < last - 1:
            steps[-1].say += f" After {ply.san}: {choice}. What does {reply.side} do?"
            steps[-1].ask = Question(
                ("stop", f"take back with {reply.san}"),
                int(back < stops),
                f"{reply.side} chooses what is worse for {ply.side}.",
            )
        does = "takes back" if back < stops else "stops"
        say = f"After {ply.san} {ply.side} has {choice}. "
        say += f"{reply.side} {does}: {number(folded[index])}."
        show = {f"b{index}": {"is": "past"}, f"f{index}": {"is": "on"}}
        steps.append(Step(say, show, f"f{index}", ply.board))
    steps[-1].say += f" So {first.san} is worth {number(folded[0])} to {first.side}."
    bars = [
        _Bar(ply.san, ply.side, gain, number(gain), value)
        for ply, gain, value in zip(plies, gains, folded, strict=True)
    ]
    heads = ("capture", "ahead if it stops here", "folded")
    alt = f"{alt} All on {chess.square_name(captures[0].to_square)}."
    return _with_board(board, bars, heads, steps, caption, name=name, alt=alt)


def line_figure(
    board: chess.Board,
    line: Sequence[chess.Move],
    scores: Sequence[float],
    caption: str,
    *,
    name: str,
    alt: str,
    horizon: int | None = None,
    notes: Mapping[int, str] | None = None,
    asks: Mapping[int, Question] | None = None,
) -> Figure:
    """A line of play with a static score after each move.

    Args:
        board: the position before the first move.
        scores: one before the first move and one after each move, centipawns in White's view.
        horizon: the depth of a search, in plies; a line is drawn there.
        notes: remarks by the ply after which they are said.
        asks: questions about the next move, by the ply after which they are asked.

    Raises:
        ValueError: not one score more than moves, or a ply that is not in the line.
    """
    notes, asks = notes or {}, asks or {}
    if len(scores) != len(line) + 1:
        raise ValueError(f"figure {name}: {len(scores)} scores for {len(line)} moves")
    for index in (*notes, *asks, *([] if horizon is None else [horizon])):
        if not 0 <= index <= len(line):
            raise ValueError(f"figure {name}: ply {index} of a line of {len(line)}")
    plies = _play(board, line)
    say = f"Before the first move the score is {signed(scores[0])}."
    steps = [Step(say, board=(board.board_fen(), ""))]
    for ply, score in zip(plies, scores[1:], strict=True):
        say = f"{ply.side} plays {ply.san}. The score is {signed(score)} now."
        steps.append(Step(say, {f"b{len(steps) - 1}": {"is": "past"}}, board=ply.board))
    for index, step in enumerate(steps):
        step.now, step.ask = f"b{index}", asks.get(index)
        step.show[step.now] = {"is": "on"}
        if index in notes:
            step.say += f" {notes[index]}"
        if index == horizon:
            step.show["horizon"] = {"is": "on"}
    labels = ["before", *(ply.san for ply in plies)]
    bars = [
        _Bar(label, "White" if score >= 0 else "Black", abs(score), signed(score))
        for label, score in zip(labels, scores, strict=True)
    ]
    heads = ("move", "score, in White's view", "")
    return _with_board(board, bars, heads, steps, caption, name=name, alt=alt, horizon=horizon)


def _play(board: chess.Board, line: Sequence[chess.Move]) -> list[_Ply]:
    """The moves of a line."""
    plies = []
    board = board.copy(stack=False)
    for move in line:
        if not board.is_pseudo_legal(move):
            raise ValueError(f"{move.uci()} cannot be played in {board.fen()}")
        side, san = "White" if board.turn else "Black", board.san(move).rstrip("+#")
        board.push(move)
        plies.append(_Ply(san, side, (board.board_fen(), move.uci())))
    return plies


def _with_board(
    board: chess.Board,
    bars: Sequence[_Bar],
    heads: Sequence[str],
    steps: list[Step],
    caption: str,
    *,
    name: str,
    alt: str,
    horizon: int | None = None,
) -> Figure:
    alt = f"{alt} {describe(board)}"
    both = side_by_side(live_board(board, size=300), _draw(bars, heads, horizon, alt))
    return steps_figure(both, steps, caption, name=name, alt=alt)


def _draw(bars: Sequence[_Bar], heads: Sequence[str], horizon: int | None, alt: str) -> str:
    """The bars as SVG: to the right White is ahead, to the left Black."""
    right = WIDTH - (62 if any(bar.folded is not None for bar in bars) else 6)
    values = [bar.sign * value for bar in bars for value in (bar.value, bar.folded or 0)]
    low, high = min(*values, 0), max(*values, 0)
    room = 46.0  # for a number at either end
    scale = (right - LABEL - 2 * room) / ((high - low) or 1)
    zero = LABEL + room - low * scale

    def rows() -> Iterator[str]:
        for index, bar in enumerate(bars):
            y = 34 + index * ROW
            if bar.folded is not None:
                yield f'<g data-part="f{index}" data-is="on">{rect(bar, bar.folded, y + 17, 8)}'
                yield f'<text x="{WIDTH - 4}" y="{y + 19}" text-anchor="end">'
                yield f"{number(bar.folded)}</text></g>"
            yield f'<g data-part="b{index}" data-is="{"on" if bar.folded is None else "past"}">'
            yield f'<text x="2" y="{y + 19}">{html.escape(bar.label)}</text>'
            yield rect(bar, bar.value, y + 5, 20)
            length = bar.sign * bar.value * scale
            anchor, x = ("start", zero + length + 5) if length >= 0 else ("end", zero + length - 5)
            yield f'<text class="value" x="{x:.1f}" y="{y + 20}" text-anchor="{anchor}">'
            yield f"{bar.text}</text></g>"

    def rect(bar: _Bar, value: float, y: float, height: float) -> str:
        left, wide = zero + min(bar.sign * value, 0) * scale, max(abs(value) * scale, 1)
        size = f'width="{wide:.1f}" height="{height}"'
        return f'<rect class="{bar.side.lower()}" x="{left:.1f}" y="{y}" {size}/>'

    height = 34 + len(bars) * ROW + 6
    mark = ""
    if horizon is not None:
        y = 34 + (horizon + 1) * ROW
        mark = (
            f'<g data-part="horizon" data-is="on"><line class="horizon" x1="0" x2="{WIDTH}" '
            f'y1="{y}" y2="{y}"/><text x="{WIDTH - 4}" y="{y + 13}" font-size="12" '
            'text-anchor="end">horizon</text></g>'
        )
    drawn = (
        f'<text x="2" y="16" font-size="12.5">{heads[0]}</text>'
        f'<text x="{(LABEL + right) / 2:.0f}" y="16" font-size="12.5" text-anchor="middle">'
        f"{heads[1]}</text>"
        f'<text x="{WIDTH - 4}" y="16" font-size="12.5" text-anchor="end">{heads[2]}</text>'
        f'<line class="axis" x1="{zero:.1f}" x2="{zero:.1f}" y1="26" y2="{height - 2}"/>'
        f"{''.join(rows())}{mark}"
    )
    return svg_picture("course-bars", _LOOK, (WIDTH, height), drawn, alt=alt, font=14, scale=1.1)
