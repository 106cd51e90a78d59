"""Drawings of search trees: nodes with values, moves on the branches."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from utils.figures import BLUE, GREY, ORANGE

_HALF = 17  # half the height of a node, in pixels


@dataclass
class Tree:
    """A node of a drawing."""

    move: str = ""  # what leads here, in SAN; empty at the root
    value: str = ""  # text in the node; empty where there is none
    white: bool = True  # whether White is to move: White's nodes are squares, Black's circles
    best: bool = False  # whether the branch that leads here is the best at its parent
    cut: bool = False  # whether the branch was left out of the search; drawn dashed and crossed out
    children: list[Tree] = field(default_factory=list)  # the nodes below


def draw_tree(tree: Tree, *, width: int = 720, level: int = 112) -> str:
    """The tree as SVG, root at the top; use it with `utils.figures.svg_figure`.

    Args:
        tree: the root.
        width: pixels, shared equally by the leaves.
        level: pixels from one ply to the next.
    """
    step = width / _leaves(tree)
    branches: list[str] = []
    nodes: list[str] = []
    deepest = 0

    def draw(node: Tree, ply: int, left: float) -> tuple[float, float]:
        """Draw a node above the middle of its leaves; returns its place and the right edge."""
        nonlocal deepest
        deepest = max(deepest, ply)
        right, y = left, ply * level + 28
        places = []
        for child in node.children:
            place, right = draw(child, ply + 1, right)
            places.append(place)
        if not node.children:
            right = left + step
        x = (left + right) / 2
        for child, place in zip(node.children, places, strict=True):
            branches.append(_branch(child, x, y + _HALF, place, y + level - _HALF))
        nodes.append(_node(node, x, y))
        return x, right

    draw(tree, 0, 0.0)
    height = deepest * level + 56
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="14" '
        f'text-anchor="middle">{"".join(branches)}{"".join(nodes)}</svg>'
    )


def _leaves(node: Tree) -> int:
    return sum(map(_leaves, node.children)) or 1


def _branch(node: Tree, x: float, y: float, below: float, down: float) -> str:
    """The branch to a node, from the lower edge of its parent to its upper edge."""
    if node.cut:
        style = f'stroke="{GREY}" stroke-width="1.4" stroke-dasharray="5 4"'
    elif node.best:
        style = f'stroke="{ORANGE}" stroke-width="4"'
    else:
        style = 'stroke="currentColor" stroke-width="1.4" stroke-opacity="0.55"'
    middle, half = (x + below) / 2, (y + down) / 2
    cross = (
        f'<path d="M{middle - 7:.1f} {half - 7}l14 14m0 -14l-14 14" '
        f'stroke="{ORANGE}" stroke-width="2.5"/>'
    )
    return (
        f'<line x1="{x:.1f}" y1="{y}" x2="{below:.1f}" y2="{down}" {style}/>'
        f"{cross if node.cut else ''}"
        f'<text x="{x + 0.78 * (below - x):.1f}" y="{y + 0.78 * (down - y) + 4:.1f}" '
        'font-size="12.5" fill="currentColor" paint-order="stroke" '
        f'class="course-halo">{html.escape(node.move)}</text>'
    )


def _node(node: Tree, x: float, y: float) -> str:
    colour = GREY if node.cut else BLUE
    style = f'fill="{colour}" fill-opacity="0.22" stroke="{colour}" stroke-width="1.5"'
    if node.white:
        shape = f'<rect x="{x - 20:.1f}" y="{y - _HALF}" width="40" height="34" rx="3" {style}/>'
    else:
        shape = f'<circle cx="{x:.1f}" cy="{y}" r="{_HALF}" {style}/>'
    value = html.escape(node.value)
    return f'{shape}<text x="{x:.1f}" y="{y + 5}" fill="currentColor">{value}</text>'
