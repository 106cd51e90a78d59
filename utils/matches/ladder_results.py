"""The results of the ladder: reads, describes and draws them. `ladder` plays the games."""

from __future__ import annotations

import html
import json
import math
from dataclasses import dataclass
from pathlib import Path

from IPython.display import Markdown

from utils.chapters import chapter
from utils.figures import BLUE, Figure, svg_figure
from utils.paths import DATA

FOLDER = DATA / "ladder"


@dataclass(frozen=True)
class Row:
    """An engine in the ladder."""

    name: str  # its chapter
    elo: float  # strength; the first engine has 0
    margin: float  # half of the 95 % interval, in Elo; 0 for the first
    gain: float | None  # Elo more than the engine before; None for the first
    gain_margin: float | None  # half of the 95 % interval of the gain
    games: int  # played
    score: float  # share of the points, from 0 to 1

    @property
    def idea(self) -> str:
        """A few words on the engine of the chapter; empty for another player."""
        found = chapter(self.name)
        return found.engine if found else ""

    @property
    def strength(self) -> str:
        """In Elo with the margin, such as "466 ± 136"; without for the first engine."""
        return f"{self.elo:.0f} ± {self.margin:.0f}" if self.margin else f"{self.elo:.0f}"

    @property
    def gained(self) -> str:
        """The gain with its margin, such as "+111 ± 167"; empty for the first engine."""
        return "" if self.gain is None else f"{round(self.gain):+} ± {self.gain_margin:.0f}"


@dataclass(frozen=True)
class Ladder:
    """The result of a tournament."""

    date: str  # of the last game, such as "2026-11-21"
    machine: str  # what it was played on
    python: str  # version
    control: str  # time control
    rounds: int  # pairs of games of each two engines that meet in all rounds
    games: int  # that were played
    faults: int  # games that were lost on time, by an illegal move or by breaking down
    rows: tuple[Row, ...]  # the engines in the order of the chapters
    results: tuple[tuple[str, str, int, int, int], ...]  # player, opponent, wins, draws, losses
    together: float  # the probability that the intervals of all gains hold at once
    near: int | None = None  # engines at most so many places apart have met; None: all
    sprt: tuple[float, float] | None = None  # hypotheses, in Elo, of a test that ended matches

    def row(self, name: str) -> Row:
        """The engine of a chapter.

        Raises:
            ValueError: no engine of that chapter is in the ladder.
        """
        rows = {row.name: row for row in self.rows}
        if name not in rows:
            raise ValueError(f"{name!r} is not in the ladder; expected one of {', '.join(rows)}")
        return rows[name]


def load_ladder(path: Path | None = None) -> Ladder:
    """The table of the tournament, by default the one that comes with the course.

    Raises:
        FileNotFoundError: it has not been played.
        ValueError: the file is no such table.
    """
    path = path or FOLDER / "ladder.json"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; to play a ladder: course ladder")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        data["rows"] = tuple(Row(**row) for row in data["rows"])
        data["results"] = tuple(tuple(row) for row in data["results"])
        data["sprt"] = tuple(data["sprt"]) if data.get("sprt") else None
        return Ladder(**data)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is no table of a ladder: {error}") from error


def strength_badge(chapter: str) -> Markdown:
    """The strength of a chapter's engine in one line, linked to the chapter that explains Elo.

    Raises:
        ValueError: no engine of that chapter is in the ladder.
    """
    ladder = load_ladder()
    row, zero = ladder.row(chapter), ladder.rows[0]
    link = f'[{row.strength} Elo](s24_measuring_strength.ipynb "What Elo means")'
    scale = ", the zero of the ladder" if row == zero else f" above {zero.idea}"
    return Markdown(f"Strength: {link}{scale}")


def ladder_figure(*, name: str = "fig-s24-ladder", ladder: Ladder | None = None) -> Figure:
    """The ladder as a figure of the book.

    Args:
        name: label of the figure.
        ladder: the table, if not the course's.

    Raises:
        FileNotFoundError: the ladder has not been played.
    """
    ladder = ladder or load_ladder()
    caption = (
        f"The engines of the course after {ladder.games} games at {ladder.control}, in Elo "
        f"above {ladder.rows[0].idea or ladder.rows[0].name}. Lines: 95 % intervals."
    )
    return svg_figure(ladder_svg(ladder), caption, name=name, alt=_alt_text(ladder))


def _alt_text(ladder: Ladder) -> str:
    """The picture in words."""
    bars = ", ".join(
        f"{row.name} {row.idea} {row.elo:.0f}".replace("  ", " ") for row in ladder.rows
    )
    return f"Horizontal bars, one for each engine, with their Elo: {bars}."


def ladder_svg(ladder: Ladder, *, alone: bool = False) -> str:
    """The ladder as SVG: a bar for each engine, with its interval.

    Args:
        alone: whether it is a file of its own, with colours for light and dark screens.
    """
    left, right, top, step = 178, 560, 8, 24
    low = min(0.0, *(row.elo - row.margin for row in ladder.rows))
    high = max(1.0, *(row.elo + row.margin for row in ladder.rows))
    height = top + step * len(ladder.rows) + 34

    def across(elo: float) -> float:
        return round(left + (right - left) * (elo - low) / (high - low), 1)

    parts = []
    unit = next((u for u in (100, 200, 500, 1000) if high - low <= 8 * u), 5000)
    foot = top + step * len(ladder.rows)
    for elo in range(math.ceil(low / unit) * unit, int(high) + 1, unit):
        x = across(elo)
        parts.append(
            f'<path d="M{x} {top}V{foot}" stroke="currentColor" stroke-opacity=".2"/>'
            f'<text x="{x}" y="{foot + 16}" text-anchor="middle">{elo}</text>'
        )
    for number, row in enumerate(ladder.rows):
        y = top + step * number + step // 2
        begin, end = sorted((across(0), across(row.elo)))
        label = html.escape(f"{row.name} {row.idea}".strip())
        near, far = across(row.elo - row.margin), across(row.elo + row.margin)
        parts.append(
            f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{label}</text>'
            f'<rect x="{begin}" y="{y - 7}" width="{round(max(end - begin, 1), 1)}" height="14" '
            f'fill="{BLUE}"/>'
            f'<path d="M{near} {y}H{far}M{near} {y - 4}v8M{far} {y - 4}v8" fill="none" '
            'stroke="currentColor" stroke-width="1.5"/>'
            f'<text x="{max(far, across(0)) + 6}" y="{y + 4}">{row.elo:.0f}</text>'
        )
    parts.append(
        f'<text x="{(left + right) // 2}" y="{height - 2}" text-anchor="middle">Elo</text>'
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 {height}" '
        'font-family="sans-serif" font-size="12" fill="currentColor"'
    )
    if not alone:
        return f"{head}>{''.join(parts)}</svg>"
    words = html.escape(_alt_text(ladder))
    style = "svg{color:#222}@media(prefers-color-scheme:dark){svg{color:#ddd}}"
    body = "\n".join([f"<title>{words}</title>", f"<style>{style}</style>", *parts])
    return f'{head} role="img" aria-label="{words}">\n{body}\n</svg>\n'


def ladder_table(ladder: Ladder) -> str:
    """The ladder as a table in Markdown."""
    lines = ["| chapter | what it brings | Elo | gain |", "| --- | --- | ---: | ---: |"]
    for row in ladder.rows:
        lines.append(f"| {row.name} | {row.idea} | {row.strength} | {row.gained} |")
    match = (
        f"at most {2 * ladder.rounds} of two {'engines' if ladder.near is None else 'neighbours'}"
    )
    if ladder.sprt:
        low, high = ladder.sprt
        match += f", fewer where a sequential test of {low:+.0f} and {high:+.0f} Elo "
        match += "came to a verdict"
    about = (
        f"{ladder.games} games at {ladder.control}, {match}; {ladder.date}. "
        f"Each ± is right in 95 of 100 cases, those of all gains at once in "
        f"{100 * ladder.together:.0f}."
    )
    return "\n".join([*lines, "", about])
