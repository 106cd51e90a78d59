"""A search to step through says and shows what the search did, and asks before it cuts."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import chess
import pytest
from hypothesis import given
from playwright.sync_api import Page, expect

from tests.figures.reader import Reader, data_of, still
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from utils.figures.searches import Visit, draw_search, score_text, search_figure

TRAP = chess.Board("k7/8/1Q2p3/8/8/p7/1p6/K7 w - - 0 1")
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


def material(board: chess.Board) -> int:
    return sum(
        value * (len(board.pieces(kind, True)) - len(board.pieces(kind, False)))
        for kind, value in VALUES.items()
    )


def visit(board: chess.Board, depth: int, low: float, high: float, prune: bool) -> Visit:
    """Alpha-beta in White's view, or minimax, over the first few moves of each position."""
    node = Visit.at(board)
    node.window = (low, high) if prune else None
    moves = list(board.legal_moves)[:6]
    if depth == 0 or not moves:
        node.score = material(board)
        return node
    best = -math.inf if board.turn else math.inf
    for move in moves:
        board.push(move)
        if prune and (best >= high if board.turn is False else best <= low):
            node.children.append(Visit.at(board))
        else:
            child = visit(board, depth - 1, low, high, prune)
            node.children.append(child)
            assert child.score is not None
            best = (min if board.turn else max)(best, child.score)
            if not board.turn:
                low = max(low, best)
            else:
                high = min(high, best)
        board.pop()
    node.score = best
    return node


@given(positions())
@examples(40)
def test_a_search_is_told_node_by_node(board: chess.Board) -> None:
    if board.is_game_over():
        return
    for prune in (False, True):
        root = visit(board.copy(stack=False), 2, -100, 100, prune)
        figure = search_figure(root, "A search.", name="fig-s10-x", alt="A tree.")
        nodes = list(root.walk())
        steps = data_of(figure)["steps"]
        visited = [f"n{index}" for index, node in enumerate(nodes) if not node.cut]
        entered = dict.fromkeys(step["now"] for step in steps)
        assert [*entered] == visited, "in the order of the search, and no other"
        final: dict[str, dict[str, str]] = {}
        for step in steps:
            for name, news in step["show"].items():
                final[name] = final.get(name, {}) | news
        for index, node in enumerate(nodes):
            shown = final[f"n{index}"]
            if node.cut:
                assert shown["is"] == "cut" and "value" not in shown
            else:
                assert shown["value"].lstrip("≤≥") == score_text(node.score or 0)
        windows = [news.get("window") for step in steps for news in step["show"].values()]
        assert prune == any(windows)
        for step in steps:
            if ask := step.get("ask"):
                assert 0 <= ask["right"] < len(ask["choices"]) and step["say"].endswith("?")
        ET.fromstring(draw_search(root, final, "A tree."))


def test_a_cut_is_asked_for_before_it_is_seen() -> None:
    steps = data_of(
        search_figure(
            visit(TRAP.copy(), 2, -100, 100, True), "A search.", name="fig-s10-x", alt="A tree."
        )
    )["steps"]
    cuts = [number for number, step in enumerate(steps) if step["say"].startswith("Cut-off")]
    asks = {number: step["ask"] for number, step in enumerate(steps) if "ask" in step}
    assert len(cuts) == 1
    assert asks[cuts[0] - 1]["choices"][asks[cuts[0] - 1]["right"]] == "no, cut-off"
    others = [ask for place, ask in asks.items() if place + 1 not in cuts]
    assert others and all(ask["choices"][ask["right"]] == "yes" for ask in others)


def test_standing_pat_is_a_choice_of_its_own() -> None:
    root = Visit(TRAP.fen(), score=3, window=(-100, 100), static=3)
    for move, score in ((chess.Move.from_uci("a1a2"), 1), (chess.Move.from_uci("a1b1"), 2)):
        after = TRAP.copy(stack=False)
        after.push(move)
        child = Visit.at(after)
        child.score = child.static = score
        root.children.append(child)
    steps = data_of(search_figure(root, "c", name="fig-s16-x", alt="a"))["steps"]
    assert steps[0]["say"] == "White may stand pat at +3, or play Ka2 and Kb1."
    assert steps[1]["say"] == "White tries Ka2. Black stands pat: +1."
    assert steps[0]["show"]["n0"]["window"] == "+3 … ∞"
    assert steps[-1]["say"] == (
        "White takes the largest of +3 for standing pat, +1 and +2. The position is worth +3."
    )
    assert not any("best" in news["is"] for step in steps for news in step["show"].values())


def test_a_search_without_moves_is_refused() -> None:
    with pytest.raises(ValueError, match="fig-s10-x: expected a search with moves"):
        search_figure(Visit(chess.STARTING_FEN), "c", name="fig-s10-x", alt="a")


def test_numbers_have_signs_and_a_mate_is_more_than_any() -> None:
    written = [score_text(value) for value in (3, -2, 0, 100, -250, 1.5)]
    assert written == ["+3", "−2", "0", "∞", "−∞", "+1.5"]


def test_a_reader_sees_the_tree_grow_and_the_board_follow(page: Page) -> None:
    root = visit(TRAP.copy(), 2, -100, 100, True)
    figure = search_figure(root, "A search.", name="fig-s10-x", alt="A tree.")
    assert "≤−2" in still(figure) and "Cut-off: e5 and a2 are not tried." in still(figure)
    reader = Reader.of(page, figure)
    drawn = [name for name, state in reader.states().items() if state]
    assert drawn == ["n0"]
    seen = 1
    for step in data_of(figure)["steps"][1:]:
        reader.on.click()
        assert step["say"] in reader.line.inner_text()
        drawn = [name for name, state in reader.states().items() if state]
        assert len(drawn) >= seen
        seen = len(drawn)
        assert reader.part(step["now"]).get_attribute("data-is").endswith("now")
        pieces = page.locator(".course-board > use").count()
        placement = step["board"][0]
        assert pieces == sum(letter.isalpha() for letter in placement)
        assert step["say"] in (page.locator(".course-board").get_attribute("aria-label") or "")
    assert seen == len(list(root.walk()))
    assert sum("cut" in state for state in reader.states().values()) == 2
    cross = page.locator(".cross").filter(visible=True)
    expect(cross).to_have_count(2)
