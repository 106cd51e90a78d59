"""Interactive figures: a reader steps through them or changes them, without a kernel.

Each is a still picture with text below it, and data in JSON with which `figures.js` animates the
picture. Where no script runs (an EPUB, a preview of the notebook), the picture and the text remain.
The parts of a picture that change are elements with an attribute `data-part`. A `Step` gives them
states and texts, and a style sheet says how each state looks.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import chess
import chess.svg

from utils.figures import Figure, board_picture

_UTILS = Path(__file__).parents[1]


def join_words(names: Sequence[str]) -> str:
    """Names in a sentence, such as "a, b and c"; empty without any."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def join_scripts(*names: str) -> str:
    """Modules of JavaScript in folders of `utils` as one module, without imports and exports.

    Args:
        names: such as "play/board.js", each after those that it imports from.
    """
    texts = [_UTILS.joinpath(name).read_text(encoding="utf-8") for name in names]
    text = re.sub(r"^import .*\n", "", "\n".join(texts), flags=re.MULTILINE)
    return re.sub(r"^export (?!default)", "", text, flags=re.MULTILINE)


SCRIPT = f"(() => {{\n{join_scripts('play/board.js', 'figures/figures.js')}}})();"
"""Makes the figures of a page interactive. The book loads it once for a page."""


@dataclass(frozen=True)
class Question:
    """A question to the reader about the next step.

    Attributes:
        choices: the answers to choose from, two or more.
        right: index of the right one.
        why: said after the choice.
    """

    choices: Sequence[str]
    right: int
    why: str

    def __post_init__(self) -> None:
        if len(self.choices) < 2 or not 0 <= self.right < len(self.choices):
            raise ValueError(
                f"answer {self.right} of {list(self.choices)}: expected one of two or more"
            )


@dataclass
class Step:
    """One step of a figure: a sentence, and what changes in the picture.

    Attributes:
        say: the step in words, for all readers.
        show: changes by part of the picture: "is" gives its state, other names its texts.
        now: the part that the step is about; none if empty.
        board: first field of the FEN, and the last move in UCI notation; unchanged if None.
    """

    say: str
    show: dict[str, dict[str, str]] = field(default_factory=dict)
    now: str = ""
    board: tuple[str, str] | None = None
    ask: Question | None = None

    def data(self) -> dict[str, Any]:
        """The fields as `figures.js` reads them."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class Narrator:
    """Makes the steps of a figure, one after another.

    Attributes:
        steps: all so far.
        shown: what each part of the picture shows after the last of them, as in `Step.show`.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.shown: dict[str, dict[str, str]] = {}

    def step(self, say: str, now: str = "", board: tuple[str, str] | None = None) -> Step:
        """Begin the next step; the arguments are fields of it."""
        self.steps.append(Step(say, now=now, board=board))
        return self.steps[-1]

    def show(self, part: str, state: str, **texts: str) -> None:
        """Change the state and texts of a part of the picture, in the last step."""
        for shown in (self.steps[-1].show, self.shown):
            shown[part] = shown.get(part, {}) | {"is": state, **texts}


def live_figure(
    kind: str,
    still: str,
    data: Mapping[str, Any],
    caption: str,
    *,
    name: str,
    alt: str,
    line: str,
    more: str = "",
) -> Figure:
    """A figure that `figures.js` makes interactive.

    Args:
        kind: the name of a class of `figures.js`.
        still: HTML of the picture, complete in itself.
        data: what the class needs; anything that JSON can hold.
        line: the text below the picture.
        more: HTML below the text.
    """
    content = json.dumps(dict(data) | {"kind": kind}, ensure_ascii=False, separators=(",", ":"))
    # The alternative text goes to the whole if no picture has it: there is none, or the script
    # replaces it by a board.
    named = kind != "scores" and 'role="img"' in still
    label = "" if named else f' role="group" aria-label="{html.escape(alt)}"'
    return Figure(
        f'<div class="course-live"{label} data-figure="{html.escape(content)}">'
        f'<div class="course-live-stage">{still}</div>'
        f'<p class="course-live-line">{html.escape(line)}</p>{more}'
        f"<script data-course>{SCRIPT}</script></div>",
        caption=caption,
        name=name,
        alt=alt,
    )


def steps_figure(
    still: str,
    steps: Sequence[Step],
    caption: str,
    *,
    name: str,
    alt: str,
    first: int = 0,
    shown: int = -1,
    title: str = "All steps in words",
    words: str = "",
    **data: Any,
) -> Figure:
    """A figure to step through.

    Args:
        still: the picture of one of the steps.
        steps: one or more.
        first: the step at which a reader begins.
        shown: the step that the still picture shows.
        title: of the text below that tells all steps.
        words: that text; the steps themselves if empty.
        data: what else the script needs.

    Raises:
        ValueError: no such step, or a step that changes a part that is not in the picture.
    """
    for number in (first, shown):
        if not -len(steps) <= number < len(steps):
            raise ValueError(f"figure {name}: step {number} of {len(steps)}")
    parts = set(re.findall(r'\bdata-part="([^"]+)"', still))
    for number, step in enumerate(steps):
        if unknown := {*step.show, step.now} - parts - {""}:
            raise ValueError(f"figure {name}: step {number} changes {min(unknown)!r}, not there")
    return live_figure(
        "steps",
        still,
        {"steps": [step.data() for step in steps], "first": first, **data},
        caption,
        name=name,
        alt=alt,
        line=steps[shown].say,
        more=folded(title, (step.say for step in steps), words),
    )


def folded(title: str, texts: Iterable[str], words: str = "") -> str:
    """HTML that is folded below a title: a list of texts, or `words` instead of it."""
    listed = f"<ol>{''.join(f'<li>{html.escape(text)}</li>' for text in texts)}</ol>"
    shown = f"<p>{html.escape(words)}</p>" if words else listed
    return f"<details><summary>{html.escape(title)}</summary>{shown}</details>"


def signed(value: float) -> str:
    """A number with its sign; the minus is "−", not a hyphen."""
    return f"{value:+g}".replace("-", "−") if value else "0"


def svg_picture(
    kind: str,
    style: str,
    size: tuple[float, float],
    content: str,
    *,
    alt: str,
    font: float,
    scale: float = 1,
    anchor: str = "start",
) -> str:
    """A picture as SVG.

    Args:
        kind: its class.
        style: its style sheet, in the SVG because that of an EPUB does not have it.
        size: width and height in its own unit.
        content: what is drawn.
        alt: the alternative text.
        font: the size of its texts.
        scale: pixels for each unit, on a screen that is wide enough.
        anchor: the point of a text to which its position refers.
    """
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img" '
        f'aria-label="{html.escape(alt)}" viewBox="0 0 {width} {height:.0f}" '
        f'width="{width * scale:.0f}" font-family="sans-serif" font-size="{font}" '
        f'text-anchor="{anchor}"><style>{style}</style>{content}</svg>'
    )


def side_by_side(left: str, right: str, look: str = "") -> str:
    """Two pieces of HTML beside each other, on a narrow screen one below the other.

    Args:
        left: a board, mostly.
        right: gets the rest of the width.
        look: another class, for the style sheet.
    """
    look = f"course-live-pair {look}".rstrip()
    return f'<div class="{look}"><div>{left}</div><div>{right}</div></div>'


def parts_table(
    heads: Sequence[str], columns: Sequence[str], rows: Iterable[tuple[str, str, Mapping[str, str]]]
) -> str:
    """HTML of a table in which each row is a part of the picture.

    Args:
        heads: the titles of the columns.
        columns: the names in `Step.show` of the texts in all columns but the first.
        rows: for each row the name of its part, the text in its first column, and what it shows,
            as in `Step.show`.
    """
    body = "".join(
        f'<tr data-part="{part}" data-is="{shown["is"]}"><th scope="row">{html.escape(first)}</th>'
        + "".join(
            f'<td data-text="{column}">{html.escape(shown.get(column, ""))}</td>'
            for column in columns
        )
        + "</tr>"
        for part, first, shown in rows
    )
    titles = "".join(f'<th scope="col">{head}</th>' for head in heads)
    return (
        f'<table class="course-table"><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>'
    )


def live_board(board: chess.Board, *, size: int = 340, alt: str = "") -> str:
    """The SVG of a board with the shapes of all pieces, which other positions may need."""
    picture = board_picture(board, size=size, alt=alt)
    king = re.search(r'id="white-king-(\w+)"', picture.content)
    if king is None:
        raise ValueError(f"a board without a white king: {picture.alt}")
    shapes = (
        re.sub(r'\bid="([^"]+)"', rf'id="\1-{king[1]}"', text) for text in chess.svg.PIECES.values()
    )
    missing = (text for text in shapes if text.split(">")[0] not in picture.content)
    return picture.content.replace("<defs>", f"<defs>{''.join(missing)}", 1)
