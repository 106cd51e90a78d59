"""Drawings of trees: every node, move and mark is there, and nothing overlaps."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tests.generated import examples
from utils.figures.trees import Tree, draw_tree

TREES = st.recursive(
    st.builds(Tree, move=st.sampled_from(["e4", "Nf3", "O-O"]), value=st.just("+1")),
    lambda below: st.builds(
        Tree,
        move=st.just("d4"),
        value=st.just("-2"),
        white=st.booleans(),
        best=st.booleans(),
        cut=st.booleans(),
        children=st.lists(below, min_size=1, max_size=4),
    ),
    max_leaves=20,
)


def _nodes(tree: Tree) -> list[Tree]:
    return [tree, *(node for child in tree.children for node in _nodes(child))]


@given(TREES)
@examples(200)
def test_a_drawing_has_every_node_move_and_cut(tree: Tree) -> None:
    svg = draw_tree(tree)
    ET.fromstring(svg)
    nodes = _nodes(tree)
    white = sum(node.white for node in nodes)
    assert svg.count("<rect") == white
    assert svg.count("<circle") == len(nodes) - white
    assert svg.count("<line") == len(nodes) - 1
    assert svg.count("<path") == sum(node.cut for node in nodes[1:])
    assert svg.count("stroke-dasharray") == sum(node.cut for node in nodes[1:])


@given(TREES)
@examples(200)
def test_nodes_of_one_ply_do_not_overlap_in_a_wide_drawing(tree: Tree) -> None:
    svg = draw_tree(tree, width=2000)
    places: dict[str, list[float]] = {}
    for x, y in re.findall(r'<rect x="([\d.-]+)" y="([\d.-]+)"', svg):
        places.setdefault(y, []).append(float(x) + 20)
    for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg):
        places.setdefault(str(int(y) - 17), []).append(float(x))
    for row in places.values():
        row.sort()
        assert all(right - left >= 40 for left, right in itertools.pairwise(row))


def test_texts_are_escaped() -> None:
    svg = draw_tree(Tree(value="<", children=[Tree(move="a&b")]))
    assert "&lt;" in svg
    assert "a&amp;b" in svg
