"""A tree whose branches are moved: the script counts as Python does, in any order."""

from __future__ import annotations

import random
import re
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, expect

from tests.figures.reader import data_of, page_of, still
from tests.helpers.generated import examples
from utils.figures.orders import order_figure, search_order_figure
from utils.figures.searches import Visit


def grow(rng: random.Random, branching: int, depth: int) -> Any:
    if not depth:
        return rng.randint(-20, 20)
    return [grow(rng, branching, depth - 1) for _ in range(branching)]


def search(tree: Any, alpha: float = -1e9, beta: float = 1e9) -> tuple[float, int]:
    if not isinstance(tree, list):
        return tree, 1
    best, leaves = -1e9, 0
    for part in tree:
        value, more = search(part, -beta, -max(alpha, best))
        leaves, best = leaves + more, max(best, -value)
        if best >= beta:
            break
    return best, leaves


def leaves(tree: Any) -> int:
    return search(tree)[1]


def shuffled(tree: Any, rng: random.Random) -> Any:
    if not isinstance(tree, list):
        return tree
    return rng.sample([shuffled(part, rng) for part in tree], len(tree))


def figure(tree: Any, **orders: Any) -> Any:
    orders = {"given": tree, **orders}
    return order_figure(
        tree, orders, leaves, "A tree.", name="fig-s10-x", alt="Look.", first="given"
    )


@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 4))
@examples(40)
def test_the_figure_counts_the_leaves_that_the_search_visits(
    seed: int, branching: int, depth: int
) -> None:
    rng = random.Random(seed)
    tree = grow(rng, branching, depth)
    other = shuffled(tree, rng)
    shown = figure(tree, other=other)  # it raises an error if it counts otherwise
    data = data_of(shown)
    assert sorted(data["orders"]["other"]) == list(range(len(data["orders"]["other"])))
    assert data["orders"]["given"] == list(range(len(data["orders"]["given"])))
    assert data["fewest"] == min(leaves(tree), leaves(other))
    assert f"given: {leaves(tree)}; other: {leaves(other)}." in still(shown)
    text = re.findall(r"<text[^>]*>([^<]+)</text>", shown.content)
    assert sum(not word.startswith(("≤", "≥")) for word in text) >= leaves(other)


def test_what_is_wrong_is_named() -> None:
    tree = [[1, 2], [3, 4]]
    for wrong, words in (
        ({"other": [[1, 2], [3, 5]]}, "not an order of"),
        ({"other": [[1, 2]]}, "not an order of"),
    ):
        with pytest.raises(ValueError, match=words):
            figure(tree, **wrong)
    with pytest.raises(ValueError, match="no order 'x'"):
        order_figure(tree, {"a": tree}, leaves, "c", name="fig-s10-x", alt="a", first="x")
    with pytest.raises(ValueError, match="a: 4 leaves, not 1"):
        order_figure(tree, {"a": tree}, lambda _: 1, "c", name="fig-s10-x", alt="a", first="a")


BOARD = chess.Board("8/8/8/3p4/2P5/7k/8/6K1 w - - 0 1")


def pawns(board: chess.Board) -> int:
    return len(board.pieces(chess.PAWN, True)) - len(board.pieces(chess.PAWN, False))


def visit(board: chess.Board, depth: int, low: float, high: float, captures: bool) -> Visit:
    """Alpha-beta in White's view; with infinite bounds that do not move, minimax."""
    node = Visit.at(board)
    if not depth:
        node.score = pawns(board)
        return node
    moves = list(board.legal_moves)
    if captures:
        moves.sort(key=lambda move: not board.is_capture(move))
    for move in moves:
        board.push(move)
        child = visit(board, depth - 1, low, high, captures)
        board.pop()
        node.children.append(child)
        scores = [one.score or 0 for one in node.children]
        node.score = max(scores) if board.turn else min(scores)
        if low == high:  # minimax
            continue
        low, high = (max(low, node.score), high) if board.turn else (low, min(high, node.score))
        if low >= high:
            break
    return node


def test_the_moves_of_a_position_are_ordered_as_a_search_has_tried_them(page: Page) -> None:
    whole = visit(BOARD.copy(), 2, 0, 0, False)
    orders = {
        "listed": visit(BOARD.copy(), 2, -100, 100, False),
        "captures": visit(BOARD.copy(), 2, -100, 100, True),
    }
    numbers = {
        name: sum(not node.children for node in tree.walk()) for name, tree in orders.items()
    }
    shown = search_order_figure(
        whole, orders, "A tree.", name="fig-s14-x", alt="Look.", first="listed"
    )
    assert f"listed: {numbers['listed']}; captures: {numbers['captures']}." in still(shown)
    page.set_content(page_of(shown))
    assert count(page) == numbers["listed"] > numbers["captures"]
    page.get_by_role("button", name="captures", exact=True).click()
    assert count(page) == numbers["captures"]
    names = page.locator(".course-order [role=button]").evaluate_all(
        "all => all.map(node => node.getAttribute('aria-label'))"
    )
    assert names[0].startswith("root") and names[1].startswith(whole.children[0].move)
    wrong = {"listed": whole}
    with pytest.raises(ValueError, match="fig-s14-x: listed: 18 leaves, not 23"):
        search_order_figure(whole, wrong, "c", name="fig-s14-x", alt="a", first="listed")
    with pytest.raises(ValueError, match="is not in the tree"):
        search_order_figure(
            orders["captures"], orders, "c", name="fig-s14-x", alt="a", first="listed"
        )


def count(page: Page) -> int:
    found = re.search(r"(\d+) of", page.locator(".course-live-line").inner_text())
    assert found
    return int(found[1])


def test_in_the_page_any_order_has_the_leaves_of_the_search(page: Page) -> None:
    rng = random.Random(1)
    tree = grow(rng, 3, 3)
    orders = {f"order {number}": shuffled(tree, rng) for number in range(20)}
    page.set_content(page_of(figure(tree, **orders)))
    assert count(page) == leaves(tree)
    for name, other in orders.items():
        page.get_by_role("button", name=name, exact=True).click()
        assert count(page) == leaves(other)
        cut = page.locator('[data-is~="cut"]:is(g)').evaluate_all(
            "all => all.filter(g => Number(g.dataset.part) && !g.querySelector('text').textContent)"
            ".length"
        )
        assert cut == page.locator('g[data-is~="cut"]').count()


def test_branches_are_moved_with_keys_and_with_the_pointer(page: Page) -> None:
    tree = grow(random.Random(2), 3, 2)
    page.set_content(page_of(figure(tree)))
    nodes = page.locator("[data-part]")
    page.get_by_role("button", name="given").focus()
    page.keyboard.press("Shift+Tab")
    expect(nodes.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")  # it is the last already
    page.keyboard.press("Enter")
    moved = [tree[1], tree[2], tree[0]]
    assert count(page) == leaves(moved)
    page.keyboard.press("ArrowRight")  # to its first leaf
    page.keyboard.press(" ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    first = tree[0]
    moved[2] = [first[1], first[0], first[2]]
    assert count(page) == leaves(moved)
    expect(nodes.nth(2)).to_be_focused()
    page.emulate_media(reduced_motion="reduce")  # the nodes are at once where they belong
    page.get_by_role("button", name="given").click()
    boxes = [nodes.nth(index).locator("rect").bounding_box() for index in (1, 9)]
    (x, y), (_, goal) = [
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box
    ]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, goal, steps=6)
    page.mouse.up()
    assert count(page) == leaves([tree[1], tree[2], tree[0]])
    expect(page.locator('[data-is~="now"]')).to_have_count(0)


def test_a_finger_moves_a_branch(browser: Browser) -> None:
    tree = grow(random.Random(2), 3, 2)
    with browser.new_context(has_touch=True, viewport={"width": 360, "height": 700}) as context:
        page = context.new_page()
        page.set_content(page_of(figure(tree)))
        boxes = [page.locator("[data-part] rect").nth(index).bounding_box() for index in (1, 9)]
        (x, y), (_, goal) = [
            (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box
        ]
        finger = context.new_cdp_session(page)

        def touch(kind: str, *places: float) -> None:
            points = [{"x": x, "y": place} for place in places]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", y)
        for step in range(1, 9):
            touch("touchMove", y + (goal - y) * step / 8)
        touch("touchEnd")
        assert count(page) == leaves([tree[1], tree[2], tree[0]])
