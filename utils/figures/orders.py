"""A tree whose branches a reader can reorder, and the leaves that alpha-beta then visits.

The script searches the tree again after each change. Here the same search draws the still
picture; the number of leaves must be that of the chapter's own search.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import chess

from utils.figures import BLUE, GREY, ORANGE, Figure, board_picture
from utils.figures.live import live_figure, side_by_side, signed, svg_picture
from utils.figures.searches import Visit, tree_places

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


@dataclass(eq=False)
class _Node:
    """A node of the figure.

    Attributes:
        key: tells the node from others below the same one.
        white: whether White is to move.
        index: the number of the node in the original order, depth first.
        leaf: the score of a leaf, in White's view.
        label: the move that leads here.
        shown: the text in the node after a search.
        state: "done" after a visit, "cut" without one, "cut top" right below a cut-off.
    """

    key: Any
    white: bool
    index: int = 0
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
    root, found = _from_lists(tree), {title: _from_lists(other) for title, other in orders.items()}
    for title, other in found.items():
        if other.key != root.key:
            raise ValueError(f"figure {name}: {orders[title]!r} is not an order of {tree!r}")
    visited = {title: count(other) for title, other in orders.items()}
    return _figure(root, found, visited, caption, name=name, alt=alt, first=first)


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
    visited = {
        title: sum(not (node.cut or node.children) for node in other.walk())
        for title, other in orders.items()
    }
    root, found = _from_search(tree), {title: _from_search(way) for title, way in orders.items()}
    board = board_picture(chess.Board(tree.fen), size=200).content
    return _figure(root, found, visited, caption, name=name, alt=alt, first=first, board=board)


def _figure(
    root: _Node,
    orders: Mapping[str, _Node],
    visited: Mapping[str, int],
    caption: str,
    *,
    name: str,
    alt: str,
    first: str,
    board: str = "",
) -> Figure:
    if first not in orders:
        raise ValueError(f"figure {name}: no order {first!r}, expected one of {[*orders]}")
    nodes = _walk(root)
    for index, node in enumerate(nodes):
        node.index = index
    below = [[part.index for part in node.children] for node in nodes]
    indices: dict[str, list[int]] = {}
    for title, order in orders.items():
        for node in nodes:
            node.children.sort(key=lambda part: part.index)
        _arrange(root, order, name)
        indices[title] = [node.index for node in _walk(root)]
        if (found := _leaves(root)) != visited[title]:
            raise ValueError(f"figure {name}: {title}: {found} leaves, not {visited[title]}")
    total = sum(not node.children for node in nodes)
    rows = "; ".join(f"{title}: {number}" for title, number in visited.items())
    labelled = any(node.label for node in nodes)
    level = LABELLED if labelled else LEVEL
    still = _draw(root, level, f"{alt} Leaves visited of {total}: {rows}.")
    if board:
        still = side_by_side(board, still)
    data = {
        "alt": alt,
        "nodes": [[parts, node.leaf] for parts, node in zip(below, nodes, strict=True)],
        "labels": [node.label for node in nodes] if labelled else [],
        "white": root.white,
        "row": ROW,
        "orders": indices,
        "first": first,
        "leaves": total,
        "fewest": min(visited.values()),
    }
    shown = [*orders][-1]
    line = f"{shown[:1].upper()}{shown[1:]}. Leaves visited of {total}: {rows}."
    return live_figure("order", still, data, caption, name=name, alt=alt, line=line)


def _walk(node: _Node) -> list[_Node]:
    return [node, *(one for part in node.children for one in _walk(part))]


def _arrange(node: _Node, order: _Node, name: str) -> None:
    """Sort the branches as in another tree, in which some may be missing: these come last."""
    left, node.children = node.children, []
    for other in order.children:
        twin = next((one for one in left if one.key == other.key), None)
        if twin is None:
            raise ValueError(f"figure {name}: {other.label!r} is not in the tree")
        left.remove(twin)
        node.children.append(twin)
        _arrange(twin, other, name)
    node.children += left


def _from_lists(tree: Nested, white: bool = True) -> _Node:
    """The nodes of nested lists. Keys are equal for all orders of a tree, and for no other one."""
    if not isinstance(tree, list):
        return _Node(tree, white, leaf=tree if white else -tree)
    children = [_from_lists(part, not white) for part in tree]
    return _Node(sorted((part.key for part in children), key=repr), white, children=children)


def _from_search(tree: Visit) -> _Node:
    """The nodes of a search."""
    children = [_from_search(child) for child in tree.children]
    leaf = None if children else tree.score or 0
    return _Node(tree.uci, tree.white, leaf=leaf, children=children, label=tree.move)


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
    places, (width, height) = tree_places(root, HALF + 4, level, ROW)
    lines: dict[int, str] = {}  # by the node that a branch leads to
    parts: dict[int, str] = {}
    for node in _walk(root):
        x, y = places[id(node)]
        y += 2
        for part in node.children:
            lines[part.index] = (
                f'<line x1="{x + HALF}" y1="{y:.1f}" x2="{x + level - HALF}" '
                f'y2="{places[id(part)][1] + 2:.1f}" data-is="{part.state}"/>'
            )
        high = 12 if node.children else 8
        cross = x - HALF - (50 if node.label else 12)
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
    drawn = "".join(found[index] for found in (lines, parts) for index in sorted(found))
    size = width, height + 4
    return svg_picture(
        "course-order", _LOOK, size, drawn, alt=alt, font=13, scale=1.2, anchor="middle"
    )
