"""A tree whose branches a reader can reorder, and the leaves that alpha-beta then visits.

The script searches the tree again after each change. Here the same search draws the still
picture; the number of leaves must be that of the chapter's own search.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import chess

from utils.figures import BLUE, GREY, ORANGE, Figure, board_picture
from utils.figures.live import live_figure, side_by_side, signed, svg_picture
from utils.figures.searches import Visit

ROW, LEVEL, HALF = 19, 128, 23
"""Pixels: from leaf to leaf, from ply to ply, and half the width of a node."""
LABELLED = 168
"""Pixels from ply to ply where the branches are labelled with moves."""

_LOOK = f"""
.course-order line {{ stroke: currentColor; stroke-opacity: 0.5; stroke-width: 1.3; }}
.course-order rect {{ fill: {BLUE}; fill-opacity: 0.22; stroke: {BLUE}; stroke-width: 1.3; }}
.course-order text {{ fill: currentColor; paint-order: stroke; }}
.course-order .cross {{ stroke: {ORANGE}; stroke-width: 2.2; visibility: hidden; }}
.course-order [data-is~="top"] > .cross {{ visibility: visible; }}
.course-order line[data-is~="cut"] {{ stroke-opacity: 0.22; stroke-dasharray: 4 3; }}
.course-order [data-is~="cut"] > rect {{
  fill: {GREY}; fill-opacity: 0.1; stroke: {GREY}; stroke-dasharray: 3 2; stroke-opacity: 0.6;
}}
.course-order [data-is~="now"] > rect {{ stroke: {ORANGE}; stroke-width: 3; fill-opacity: 0.4; }}
"""

Nested = int | list[Any]
"""A tree: a number at a leaf, in the view of the side to move there, or the parts below."""


@dataclass
class _Node:
    """A node of the figure.

    Attributes:
        index: the number of the node in the original order, depth first.
        white: whether White is to move.
        leaf: the score of a leaf, in White's view.
        label: the move that leads here.
        shown: the text in the node after a search.
        state: "done" after a visit, "cut" without one, "cut top" right below a cut-off.
    """

    index: int
    white: bool
    leaf: float | None = None
    children: list[_Node] = field(default_factory=list)
    label: str = ""
    shown: str = ""
    state: str = "cut"


def order_figure(
    tree: Nested,
    orders: Mapping[str, Nested],
    count: Callable[[Any], int],
    caption: str,
    *,
    name: str,
    alt: str,
    first: str,
) -> Figure:
    """A tree whose branches can be moved, with the number of leaves that alpha-beta visits.

    Args:
        tree: nested lists.
        orders: the same tree in several orders, by their names; each gets a button.
        count: how many leaves the chapter's search visits in a tree.
        first: the order with which the script begins; the still picture shows the last one.

    Raises:
        ValueError: an order is not one of this tree, or `count` differs from the search here.
    """
    ways = {title: _order(tree, other, name) for title, other in orders.items()}
    visited = {title: count(other) for title, other in orders.items()}
    return _figure(_build(tree), ways, visited, caption, name=name, alt=alt, first=first)


def search_order_figure(
    tree: Visit,
    orders: Mapping[str, Visit],
    caption: str,
    *,
    name: str,
    alt: str,
    first: str,
) -> Figure:
    """The same for a search of a chess position.

    Args:
        tree: what minimax visits: all moves to the depth.
        orders: what alpha-beta visits with each way of ordering moves, by its name.
        first: the order with which the script begins; the still picture shows the last one.

    Raises:
        ValueError: a search has tried a move that is not in the tree, or has visited other leaves
            than the search of the figure.
    """
    nodes = list(tree.walk())
    places = {id(node): index for index, node in enumerate(nodes)}

    def build(node: Visit) -> _Node:
        leaf = None if node.children else node.score or 0
        made = _Node(places[id(node)], node.white, leaf, label=node.move)
        made.children = [build(child) for child in node.children]
        return made

    def order(node: Visit, other: Visit) -> list[int]:
        found = [places[id(node)]]
        twins = {child.uci: child for child in node.children}
        for child in other.children:
            if child.uci not in twins:
                raise ValueError(f"figure {name}: {child.move!r} is not in the tree")
            found += order(twins.pop(child.uci), child)
        return found + [place for twin in twins.values() for place in order(twin, twin)]

    def leaves(node: Visit) -> int:
        return sum(map(leaves, node.children)) or int(not node.cut)

    ways = {title: order(tree, other) for title, other in orders.items()}
    visited = {title: leaves(other) for title, other in orders.items()}
    board = board_picture(chess.Board(tree.fen), size=200).content
    root = build(tree)
    return _figure(root, ways, visited, caption, name=name, alt=alt, first=first, board=board)


def _figure(
    root: _Node,
    ways: Mapping[str, list[int]],
    visited: Mapping[str, int],
    caption: str,
    *,
    name: str,
    alt: str,
    first: str,
    board: str = "",
) -> Figure:
    if first not in ways:
        raise ValueError(f"figure {name}: no order {first!r}, expected one of {[*ways]}")
    for title, way in ways.items():
        _arrange(root, way)
        if (found := _leaves(root)) != visited[title]:
            raise ValueError(f"figure {name}: {title}: {found} leaves, not {visited[title]}")
    nodes = sorted(_walk(root), key=lambda node: node.index)
    total = sum(not node.children for node in nodes)
    rows = "; ".join(f"{title}: {number}" for title, number in visited.items())
    labelled = any(node.label for node in nodes)
    level = LABELLED if labelled else LEVEL
    still = _draw(root, level, f"{alt} Leaves visited of {total}: {rows}.")
    if board:
        still = side_by_side(board, still)
    data = {
        "alt": alt,
        "nodes": [
            [[part.index for part in sorted(node.children, key=lambda part: part.index)], node.leaf]
            for node in nodes
        ],
        "labels": [node.label for node in nodes] if labelled else [],
        "white": root.white,
        "row": ROW,
        "orders": ways,
        "first": first,
        "leaves": total,
        "fewest": min(visited.values()),
    }
    shown = [*ways][-1]
    line = f"{shown[:1].upper()}{shown[1:]}. Leaves visited of {total}: {rows}."
    return live_figure("order", still, data, caption, name=name, alt=alt, line=line)


def _walk(node: _Node) -> list[_Node]:
    return [node, *(one for part in node.children for one in _walk(part))]


def _arrange(root: _Node, way: list[int]) -> None:
    """Sort the branches of all nodes by an order: the indices of the nodes, depth first."""
    rank = {index: place for place, index in enumerate(way)}
    for node in _walk(root):
        node.children.sort(key=lambda part: rank[part.index])


def _build(tree: Nested) -> _Node:
    """The tree with indices, and with values in White's view."""
    indices = itertools.count()

    def build(part: Nested, white: bool) -> _Node:
        node = _Node(next(indices), white)
        if isinstance(part, list):
            node.children = [build(below, not white) for below in part]
        else:
            node.leaf = part if white else -part
        return node

    return build(tree, True)


def _key(tree: Nested) -> Any:
    """A value that is equal for all orders of a tree, and for no other tree."""
    return tuple(sorted(map(_key, tree), key=repr)) if isinstance(tree, list) else tree


def _order(tree: Nested, other: Nested, name: str) -> list[int]:
    """The indices of the nodes of `tree`, depth first in the order of `other`."""
    if _key(tree) != _key(other):
        raise ValueError(f"figure {name}: {other!r} is not an order of {tree!r}")
    found: list[int] = []

    def match(node: _Node, part: Nested, mine: Nested) -> None:
        found.append(node.index)
        if isinstance(part, list) and isinstance(mine, list):
            left = list(zip(node.children, mine, strict=True))
            for below in part:
                twin = next(pair for pair in left if _key(pair[1]) == _key(below))
                left.remove(twin)
                match(twin[0], below, twin[1])

    match(_build(tree), other, tree)
    return found


def _leaves(root: _Node) -> int:
    """How many leaves alpha-beta visits; sets the states and texts of all nodes."""
    nodes = _walk(root)
    for node in nodes:
        node.state, node.shown = "cut", ""
    _search(root, -math.inf, math.inf)
    return sum(node.state == "done" and not node.children for node in nodes)


def _search(node: _Node, low: float, high: float) -> float:
    """Alpha-beta in White's view (fail-soft)."""
    node.state = "done"
    if node.leaf is not None:
        node.shown = signed(node.leaf)
        return node.leaf
    best = -math.inf if node.white else math.inf
    bounds = low, high
    for part in node.children:
        if best >= high if node.white else best <= low:
            part.state = "cut top"
            continue
        value = _search(part, low, high)
        if node.white:
            best = max(best, value)
            low = max(low, best)
        else:
            best = min(best, value)
            high = min(high, best)
    mark = "≤" if best <= bounds[0] else "≥" if best >= bounds[1] else ""
    node.shown = mark + signed(best)
    return best


def _draw(root: _Node, level: int, alt: str) -> str:
    """The tree as SVG, the root at the left; each node a part, each branch a line."""
    lines: dict[int, str] = {}  # by the node that a branch leads to
    parts: dict[int, str] = {}
    rows, deepest = 0, 0

    def draw(node: _Node, ply: int) -> float:
        nonlocal rows, deepest
        deepest = max(deepest, ply)
        x = HALF + 4 + ply * level
        below = [draw(part, ply + 1) for part in node.children]
        if below:
            y = (below[0] + below[-1]) / 2
        else:
            rows += 1
            y = (rows - 0.5) * ROW + 2
        for part, down in zip(node.children, below, strict=True):
            lines[part.index] = (
                f'<line x1="{x + HALF}" y1="{y:.1f}" x2="{x + level - HALF}" y2="{down:.1f}" '
                f'data-is="{part.state}"/>'
            )
        high = 8 if not below else 12
        cross = x - HALF - (12 if not node.label else 50)
        label = ""
        if node.label:
            label = (
                f'<text x="{x - HALF - 4}" y="{y + 4.5:.1f}" text-anchor="end" '
                f'class="course-halo">{html.escape(node.label)}</text>'
            )
        parts[node.index] = (
            f'<g data-part="{node.index}" data-y="{y:.1f}" data-is="{node.state}">'
            f'<rect x="{x - HALF}" y="{y - high:.1f}" width="{2 * HALF}" height="{2 * high}" '
            f'rx="{2 if node.white else high}"/>'
            f'<path class="cross" d="M{cross - 5} {y - 5:.1f}l10 10m0 -10l-10 10"/>{label}'
            f'<text x="{x}" y="{y + 4.5:.1f}" data-text="value">{html.escape(node.shown)}</text>'
            "</g>"
        )
        return y

    draw(root, 0)
    size = 2 * HALF + 8 + deepest * level, rows * ROW + 4
    drawn = "".join(found[name] for found in (lines, parts) for name in sorted(found))
    return svg_picture(
        "course-order", _LOOK, size, drawn, alt=alt, font=13, scale=1.2, anchor="middle"
    )
