"""A figure of a search tree, step by step: values go up, bounds go down, branches are cut.

A chapter's engine records what it visits in a tree of `Visit`; everything here is read from
that tree. All numbers are in White's view.
"""

from __future__ import annotations

import contextlib
import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import chess

from utils.figures import BLUE, GREEN, GREY, ORANGE, Figure, describe
from utils.figures.live import (
    Narrator,
    Question,
    Step,
    join_words,
    live_board,
    side_by_side,
    signed,
    steps_figure,
    svg_picture,
)

ROW, LEVEL, HALF = 31, 158, 25
"""Pixels: from leaf to leaf, from ply to ply, and half the width of a node."""
MATE = 100
"""By default, a score as large as this is a mate, and a bound as large is none."""

_LOOK = f"""
.course-search .branch {{
  fill: none; stroke: currentColor; stroke-opacity: 0.55; stroke-width: 1.4;
}}
.course-search rect {{ fill: {BLUE}; fill-opacity: 0.22; stroke: {BLUE}; stroke-width: 1.5; }}
.course-search text {{ fill: currentColor; paint-order: stroke; }}
.course-search .cross {{ stroke: {ORANGE}; stroke-width: 2.5; visibility: hidden; }}
.course-search [data-is=""] {{ visibility: hidden; }}
.course-search [data-is~="open"] > rect {{ fill-opacity: 0.06; stroke-dasharray: 5 3; }}
.course-search [data-is~="best"] > .branch {{
  stroke: {ORANGE}; stroke-opacity: 1; stroke-width: 4;
}}
.course-search [data-is~="cut"] > .branch {{ stroke: {GREY}; stroke-dasharray: 5 4; }}
.course-search [data-is~="cut"] > rect {{ fill: {GREY}; stroke: {GREY}; fill-opacity: 0.1; }}
.course-search [data-is~="cut"] > .cross {{ visibility: visible; }}
.course-search [data-is~="old"] {{ opacity: 0.35; }}
.course-search [data-is~="hit"] > rect {{ fill: {GREEN}; fill-opacity: 0.4; stroke: {GREEN}; }}
.course-search [data-is~="now"] > rect {{ stroke: {ORANGE}; stroke-width: 3.5; }}
"""


@dataclass
class Visit:
    """A node of a search tree. All scores are in White's view, in the unit of the engine.

    Attributes:
        fen: the position.
        move: the move that leads here, in SAN; empty at the root.
        uci: the same in UCI notation.
        score: what the search returned; None if the node was cut off.
        window: alpha and beta when the search came here: what White and what Black has secured
            elsewhere; None for a search without bounds.
        children: the nodes below, in the order of the search, with those that were cut off.
        depth: plies that were left to search.
        hit: whether the score came from a memory.
        known: the bounds that the memory holds after the search of this node.
        static: the score of standing pat; None if that is not allowed here.
    """

    fen: str
    move: str = ""
    uci: str = ""
    score: float | None = None
    window: tuple[float, float] | None = None
    children: list[Visit] = field(default_factory=list)
    depth: int = 0
    hit: bool = False
    known: tuple[float, float] | None = None
    static: float | None = None

    @classmethod
    def at(cls, board: chess.Board) -> Visit:
        """The node of a position; the last move on the board's stack leads there."""
        if not board.move_stack:
            return cls(board.fen())
        before = board.copy(stack=1)
        move = before.pop()
        return cls(board.fen(), before.san(move), move.uci())

    @property
    def white(self) -> bool:
        """Whether White is to move."""
        return self.fen.split()[1] == "w"

    @property
    def bound(self) -> float:
        """The bound of the other side; a score beyond it cuts off the rest. Needs a window."""
        assert self.window is not None
        return self.window[1 if self.white else 0]

    @property
    def cut(self) -> bool:
        """Whether the search never visited this node."""
        return self.score is None

    def walk(self) -> Iterator[Visit]:
        """The node and all below, in the order of the search."""
        yield self
        for child in self.children:
            yield from child.walk()


class Recorder:
    """Records the tree of a search, which calls `visit` at each of its nodes.

    Attributes:
        path: the nodes that are being searched, the latest last; the first is a dummy above the
            root.
    """

    def __init__(self) -> None:
        self.path = [Visit("")]

    @contextlib.contextmanager
    def visit(self, board: chess.Board) -> Iterator[Visit]:
        """A new node below the last one on the path; it is on the path during the block."""
        node = Visit.at(board)
        self.path[-1].children.append(node)
        self.path.append(node)
        yield node
        self.path.pop()

    @property
    def root(self) -> Visit:
        """The tree, once the search is over."""
        return self.path[0].children[0]


def search_figure(root: Visit, caption: str, *, name: str, alt: str, mate: float = MATE) -> Figure:
    """A search as a figure to step through, with questions on the way.

    If the root has no window, the words are those of minimax, otherwise of alpha-beta.

    Args:
        root: the tree of the search, two plies or more.
        mate: scores as large as this are mate, and bounds as large are none.

    Raises:
        ValueError: the root was not visited, or has no moves.
    """
    if root.cut or not root.children:
        raise ValueError(f"figure {name}: expected a search with moves, got {root}")
    narrator = _Narrator(root, mate)
    narrator.tell()
    board = chess.Board(root.fen)
    alt = f"{alt} {describe(board)}"
    still = side_by_side(live_board(board, size=240), draw_search(root, narrator.shown, alt))
    return steps_figure(still, narrator.steps, caption, name=name, alt=alt)


def score_text(value: float, mate: float = MATE) -> str:
    """A score as the figures write it: with its sign, or ∞ for a mate or a missing bound."""
    if abs(value) >= mate:
        return f"{'−' if value < 0 else ''}∞"
    return signed(value)


class _Narrator(Narrator):
    """Makes the steps of a search, in its order."""

    def __init__(self, root: Visit, mate: float) -> None:
        super().__init__()
        self.root, self.mate = root, mate
        self.names = {id(node): f"n{index}" for index, node in enumerate(root.walk())}
        self.pruning = root.window is not None
        self.asked: set[int] = set()

    def tell(self) -> None:
        """Make all steps."""
        moves = join_words([child.move for child in self.root.children])
        side = "White" if self.root.white else "Black"
        say = f"{side} is to move and can play {moves}."
        if self.root.static is not None:
            say = f"{side} may stand pat at {self._text(self.root.static)}, or play {moves}."
        self._step(say, self.root, "open")
        self._inside(self.root)

    def _text(self, value: float) -> str:
        return score_text(value, self.mate)

    def _step(self, say: str, node: Visit, state: str, **texts: str) -> Step:
        step = self.step(say, self.names[id(node)], (node.fen.split()[0], node.uci))
        self._show(node, state, **texts)
        if state == "open":
            self._show_window(node, None)
        return step

    def _show(self, node: Visit, state: str, **texts: str) -> None:
        self.show(self.names[id(node)], state, **texts)

    def _shown(self, node: Visit) -> dict[str, str]:
        return self.shown[self.names[id(node)]]

    def _show_window(self, node: Visit, score: float | None) -> None:
        """Show the window of a node whose side to move has found a score, or none yet."""
        if self.pruning and node.window is not None:
            low, high = node.window
            if score is not None:
                low, high = (max(low, score), high) if node.white else (low, min(high, score))
            self._show(node, "open", window=f"{self._text(low)} … {self._text(high)}")

    def _inside(self, node: Visit) -> None:
        """Tell what is below a node, and its value."""
        side, other = ("White", "Black") if node.white else ("Black", "White")
        best, so_far = None, node.static
        self._show_window(node, so_far)
        for index, child in enumerate(node.children):
            rest = [one.move for one in node.children[index + 1 :]]
            if child.cut:
                break
            score = child.score or 0.0
            if child.children:
                self._step(f"{side} tries {child.move}.{self._secured(child)}", child, "open")
                self._inside(child)
            else:
                is_worth = "The leaf is worth" if child.static is None else f"{other} stands pat:"
                say = f"{side} tries {child.move}. {is_worth} {self._text(score)}."
                self._step(say, child, "leaf", value=self._text(score))
            step = self.steps[-1]
            if so_far is None or (score > so_far if node.white else score < so_far):
                if best is not None:
                    self._show(best, self._shown(best)["is"].removesuffix(" best"))
                best, so_far = child, score
                self._show(child, f"{self._shown(child)['is']} best")
            self._show_window(node, so_far)
            if self.pruning and node.window and rest and abs(node.bound) < self.mate:
                over = score >= node.bound if node.white else score <= node.bound
                if over or id(node) not in self.asked:
                    self.asked.add(id(node))
                    step.ask = self._ask_for_cut(node, child, over)
                    step.say += f" Will the search try {join_words(rest)}?"
        self._back_up(node, best, side)

    def _secured(self, child: Visit) -> str:
        """What the side that moves to a node has secured elsewhere, in words."""
        if not self.pruning or child.window is None or abs(child.bound) >= self.mate:
            return ""
        who = "Black" if child.white else "White"
        return f" {who} has {self._text(child.bound)} elsewhere."

    def _ask_for_cut(self, node: Visit, child: Visit, over: bool) -> Question:
        side, other = ("White", "Black") if node.white else ("Black", "White")
        value, has = self._text(child.score or 0.0), self._text(node.bound)
        if over:
            why = (
                f"{side} can have {value} here, and {other} has {has} elsewhere. So {other} will "
                f"not play {node.move}, whatever the rest is worth."
            )
        else:
            why = f"With {value} this is still better for {other} than {has}. {side} looks on."
        return Question(("yes", "no, cut-off"), int(over), why)

    def _back_up(self, node: Visit, best: Visit | None, side: str) -> None:
        left = [child for child in node.children if child.cut]
        score = self._text(node.score or 0.0)
        what = f"{node.move} is worth" if node.move else "The position is worth"
        if left:
            bound = f"{'≥' if node.white else '≤'}{score}"
            most = "least" if node.white else "most"
            say = f"Cut-off: {join_words([child.move for child in left])} "
            say += f"{'is' if len(left) == 1 else 'are'} not tried. {what} {score} at {most}."
            self._step(say, node, "done", value=bound, window="")
            for child in left:
                for below in child.walk():
                    self._show(below, "cut")
            return
        seen = [child.score or 0.0 for child in node.children]
        pat = [] if node.static is None else [f"{self._text(node.static)} for standing pat"]
        word = "largest" if node.white else "smallest"
        outside = node.window and not node.window[0] < (node.score or 0.0) < node.window[1]
        bound = ("≤" if node.white else "≥") if outside and self.pruning else ""
        if not self.pruning and len(set(seen)) > 1 and (self.asked or not node.move):
            values = sorted(set(seen))
            last = self.steps[-1]
            last.say += f" {side} chooses. What is {node.move or 'the position'} worth?"
            last.ask = Question(
                [self._text(value) for value in values],
                values.index(node.score or 0.0),
                f"{side} wants the {word} number.",
            )
        self.asked.add(id(node))
        numbers = join_words([*pat, *(self._shown(child)["value"] for child in node.children)])
        chosen = f" with {best.move}" if best else ""
        say = f"{side} takes the {word} of {numbers}. {what} {score}{chosen}."
        if bound:
            say = f"{what} {score} at {'most' if node.white else 'least'}."
        self._step(say, node, "done", value=f"{bound}{score}", window="")


def tree_places(
    root: Any, left: int, level: int, row: float, least: float = 1
) -> tuple[dict[int, tuple[int, float]], tuple[int, float]]:
    """The places of the nodes of a tree, by their ids, and the size of the drawing.

    Each leaf has a row; any other node stands amid its children.

    Args:
        root: a node; each has a list `children` of others.
        left: pixels to the left of the root, and to the right of the deepest node.
        level, row: pixels from ply to ply, and from leaf to leaf.
        least: the rows that a node with children takes at least.
    """
    places: dict[int, tuple[int, float]] = {}
    rows = 0.0

    def place(node: Any, x: int) -> float:
        nonlocal rows
        first = rows
        below = [place(child, x + level) for child in node.children]
        rows = max(rows, first + (least if below else 1))
        y = (below[0] + below[-1]) / 2 if below else (first + 0.5) * row
        places[id(node)] = x, y
        return y

    place(root, left)
    return places, (max(x for x, _ in places.values()) + left, rows * row)


def draw_search(
    root: Visit,
    shown: dict[str, dict[str, str]],
    alt: str,
    *,
    level: int = LEVEL,
    row: int = ROW,
    font: float = 15,
) -> str:
    """The tree as SVG, the root at the left, with a part for each node and its branch.

    Args:
        shown: state and texts of each part, by names in the order of the search: n0, n1, ...
        alt: the alternative text.
        level: pixels from ply to ply.
        row: pixels from leaf to leaf.
        font: size of what stands in the nodes.
    """
    places, size = tree_places(root, HALF + 4, level, row, least=1.7)  # the window needs a place
    branches = {
        id(child): _branch(places[id(node)], places[id(child)], child.move)
        for node in root.walk()
        for child in node.children
    }
    drawn = []
    for count, node in enumerate(root.walk()):
        name, branch = f"n{count}", branches.get(id(node), "")
        drawn.append(_part(node, name, places[id(node)], branch, shown.get(name, {})))
    content = "".join(drawn)
    return svg_picture(
        "course-search", _LOOK, size, content, alt=alt, font=font, scale=1.15, anchor="middle"
    )


def _branch(start: tuple[int, float], end: tuple[int, float], move: str) -> str:
    """A branch from node to node that arrives level, with its move on the level part."""
    x, y, right, down = start[0] + HALF, start[1], end[0] - HALF, end[1]
    bend, turn = x + 0.36 * (right - x), x + 0.14 * (right - x)
    cut_x, cut_y = (x + 3 * bend + 3 * turn + right) / 8, (y + down) / 2
    return (
        f'<path class="branch" d="M{x:.0f} {y:.1f}C{bend:.0f} {y:.1f} {turn:.0f} {down:.1f} '
        f'{right:.0f} {down:.1f}"/>'
        f'<path class="cross" d="M{cut_x - 6:.1f} {cut_y - 6:.1f}l12 12m0 -12l-12 12"/>'
        f'<text x="{right - 5:.1f}" y="{down + 5:.1f}" font-size="14" text-anchor="end" '
        f'class="course-halo">{html.escape(move)}</text>'
    )


def _part(
    node: Visit, name: str, place: tuple[int, float], branch: str, shown: dict[str, str]
) -> str:
    (x, y), corner = place, 3 if node.white else 13
    shape = f'<rect x="{x - HALF}" y="{y - 13:.1f}" width="{2 * HALF}" height="26" rx="{corner}"/>'
    window = ""
    if node.children:
        at = f'x="{x}"' if x > 2 * HALF else 'x="1" text-anchor="start"'  # within the picture
        window = (
            f'<text {at} y="{y + 29:.1f}" font-size="13" class="course-halo" '
            f'data-text="window">{html.escape(shown.get("window", ""))}</text>'
        )
    return (
        f'<g data-part="{name}" data-is="{shown.get("is", "cut")}">{branch}{shape}'
        f'<text x="{x}" y="{y + 5:.1f}" data-text="value">'
        f"{html.escape(shown.get('value', ''))}</text>{window}</g>"
    )
