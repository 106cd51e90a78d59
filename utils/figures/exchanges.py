"""Exchanges and other lines of moves: a board, and a bar for the score after each move."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import chess

from utils.figures import BLUE, GREY, ORANGE, Figure, board_picture
from utils.figures.live import (
    Question,
    Step,
    side_by_side,
    signed,
    steps_figure,
    with_all_pieces,
    with_label,
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


@dataclass(frozen=True)
class _Bar:
    """A row of the picture.

    Attributes:
        name: of its part.
        label: the move.
        value: the length of the bar, in White's view.
        text: stands at its end.
        white: whether it has White's colour.
        folded: the same value and text after the exchange is folded, if it is.
    """

    name: str
    label: str
    value: float
    text: str
    white: bool
    folded: tuple[float, str] | None = None


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
    folded = list(gains)
    for index in range(len(gains) - 1, 0, -1):
        folded[index - 1] = min(folded[index - 1], -folded[index])
    sans, positions, sides = _play(board, captures)
    side = chess.COLOR_NAMES[board.turn].title()
    square = chess.square_name(captures[0].to_square)
    steps = [Step(f"{side} considers {sans[0]}.", board=(board.board_fen(), ""))]
    bars = []
    for index, (san, white, gain) in enumerate(zip(sans, sides, gains, strict=True)):
        who = "White" if white else "Black"
        sign = 1 if white else -1
        ends = sign * folded[index], number(folded[index])
        bars.append(_Bar(f"b{index}", san, sign * gain, number(gain), white, ends))
        ahead = f"{number(abs(gain))} {'ahead' if gain > 0 else 'behind'}" if gain else "level"
        say = f"{san}. If the exchange stops here, {who} is {ahead}."
        steps.append(Step(say, {f"b{index}": {"is": "on"}}, f"b{index}", positions[index]))
    last = len(gains) - 1
    steps[-1].say += " Nobody can take back. Now the numbers are folded, from the last."
    steps[-1].show[f"f{last}"] = {"is": "on"}
    for index in range(last - 1, -1, -1):
        other = "Black" if sides[index] else "White"
        who = "White" if sides[index] else "Black"
        back = -folded[index + 1]
        takes = back < gains[index]
        stay = f"{number(gains[index])} if {other} stops, {number(back)} if {other} takes back"
        if index < last - 1:
            steps[-1].say += f" After {sans[index]}: {stay}. What does {other} do?"
            steps[-1].ask = Question(
                ("stop", f"take back with {sans[index + 1]}"),
                int(takes),
                f"{other} chooses what is worse for {who}.",
            )
        say = f"After {sans[index]} {who} has {stay}. {other} "
        say += f"takes back: {number(back)}." if takes else f"stops: {number(gains[index])}."
        show = {f"b{index}": {"is": "past"}, f"f{index}": {"is": "on"}}
        steps.append(Step(say, show, f"f{index}", positions[index]))
    steps[-1].say += f" So {sans[0]} is worth {number(folded[0])} to {side}."
    top = ("capture", "ahead if it stops here", "folded")
    still = _draw(bars, top)
    return _with_board(board, still, steps, caption, name=name, alt=f"{alt} All on {square}.")


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
    for ply in (*notes, *asks, *([] if horizon is None else [horizon])):
        if not 0 <= ply <= len(line):
            raise ValueError(f"figure {name}: ply {ply} of a line of {len(line)}")
    sans, positions, sides = _play(board, line)
    moves = ["before", *sans]
    bars = [
        _Bar(f"b{ply}", moves[ply], score, signed(score), score >= 0)
        for ply, score in enumerate(scores)
    ]
    steps = []
    for ply, score in enumerate(scores):
        say = f"Before the first move the score is {signed(score)}."
        if ply:
            who = "White" if sides[ply - 1] else "Black"
            say = f"{who} plays {moves[ply]}. The score is {signed(score)} now."
        say = f"{say} {notes.get(ply, '')}".rstrip()
        step = Step(say, {f"b{ply}": {"is": "on"}}, f"b{ply}", ask=asks.get(ply))
        step.board = positions[ply - 1] if ply else (board.board_fen(), "")
        if ply:
            step.show[f"b{ply - 1}"] = {"is": "past"}
        if ply == horizon:
            step.show["horizon"] = {"is": "on"}
        steps.append(step)
    still = _draw(bars, ("move", "score, in White's view", ""), horizon)
    return _with_board(board, still, steps, caption, name=name, alt=alt)


def _play(
    board: chess.Board, line: Sequence[chess.Move]
) -> tuple[list[str], list[tuple[str, str]], list[bool]]:
    """The moves in SAN, the position after each, and who made it."""
    sans, positions, sides = [], [], []
    board = board.copy(stack=False)
    for move in line:
        if not board.is_pseudo_legal(move):
            raise ValueError(f"{move.uci()} cannot be played in {board.fen()}")
        sides.append(board.turn)
        sans.append(board.san(move).rstrip("+#"))
        board.push(move)
        positions.append((board.board_fen(), move.uci()))
    return sans, positions, sides


def _with_board(
    board: chess.Board, still: str, steps: list[Step], caption: str, *, name: str, alt: str
) -> Figure:
    picture = board_picture(board, size=300)
    alt = f"{alt} {picture.alt}"
    both = side_by_side(with_all_pieces(picture), with_label(still, alt))
    return steps_figure(both, steps, caption, name=name, alt=alt)


def _draw(bars: Sequence[_Bar], heads: Sequence[str], horizon: int | None = None) -> str:
    """The bars as SVG: to the right White is ahead, to the left Black."""
    folded = any(bar.folded for bar in bars)
    right = WIDTH - (62 if folded else 6)
    values = [bar.value for bar in bars]
    values += [bar.folded[0] for bar in bars if bar.folded]
    low, high = min(*values, 0), max(*values, 0)
    room = 46.0  # for a number at either end
    scale = (right - LABEL - 2 * room) / ((high - low) or 1)
    zero = LABEL + room - low * scale

    def rows() -> Iterator[str]:
        for index, bar in enumerate(bars):
            y = 34 + index * ROW
            if bar.folded:
                value, text = bar.folded
                yield f'<g data-part="f{index}" data-is="on">{rect(bar, value, y + 17, 8)}'
                yield f'<text x="{WIDTH - 4}" y="{y + 19}" text-anchor="end">{text}</text></g>'
            yield f'<g data-part="{bar.name}" data-is="{"past" if bar.folded else "on"}">'
            yield f'<text x="2" y="{y + 19}" text-anchor="start">{html.escape(bar.label)}</text>'
            yield rect(bar, bar.value, y + 5, 20)
            end = zero + bar.value * scale
            anchor, x = ("start", end + 5) if bar.value >= 0 else ("end", end - 5)
            yield f'<text class="value" x="{x:.1f}" y="{y + 20}" text-anchor="{anchor}">'
            yield f"{bar.text}</text></g>"

    def rect(bar: _Bar, value: float, y: float, height: float) -> str:
        left, wide = zero + min(value, 0) * scale, max(abs(value) * scale, 1)
        side = "white" if bar.white else "black"
        size = f'width="{wide:.1f}" height="{height}"'
        return f'<rect class="{side}" x="{left:.1f}" y="{y}" {size}/>'

    height = 34 + len(bars) * ROW + 6
    middle = (LABEL + right) / 2
    drawn = "".join(rows())
    mark = ""
    if horizon is not None:
        y = 34 + (horizon + 1) * ROW
        mark = (
            f'<g data-part="horizon" data-is="on"><line class="horizon" x1="0" x2="{WIDTH}" '
            f'y1="{y}" y2="{y}"/><text x="{WIDTH - 4}" y="{y + 13}" font-size="12" '
            'text-anchor="end">horizon</text></g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="course-bars" viewBox="0 0 {WIDTH} '
        f'{height}" width="{WIDTH * 1.1:.0f}" font-family="sans-serif" font-size="14">'
        f"<style>{_LOOK}</style>"
        f'<text x="2" y="16" font-size="12.5">{heads[0]}</text>'
        f'<text x="{middle:.0f}" y="16" font-size="12.5" text-anchor="middle">{heads[1]}</text>'
        f'<text x="{WIDTH - 4}" y="16" font-size="12.5" text-anchor="end">{heads[2]}</text>'
        f'<line class="axis" x1="{zero:.1f}" x2="{zero:.1f}" y1="26" y2="{height - 2}"/>'
        f"{drawn}{mark}</svg>"
    )
