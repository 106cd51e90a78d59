"""Iterations with a memory: what is stored and what it answers, as the search recorded it."""

from __future__ import annotations

import chess
import pytest
from playwright.sync_api import Page, expect

from tests.figures.reader import Reader, data_of, still
from utils.figures.cached_search import memory_figure
from utils.figures.searches import Visit

BOARD = chess.Board("8/8/7p/2p3pP/2P3Pk/8/8/7K w - - 0 1")
Memory = dict[tuple[str, int], float]


def count(board: chess.Board) -> float:
    """Pawns of White less those of Black."""
    return float(len(board.pieces(chess.PAWN, True)) - len(board.pieces(chess.PAWN, False)))


def search(board: chess.Board, depth: int, memory: Memory) -> Visit:
    """Minimax with a memory, in White's view."""
    node = Visit.at(board)
    node.depth = depth
    key = (" ".join(board.fen().split()[:4]), depth)
    if depth and key in memory:
        node.hit, node.score = True, memory[key]
    elif depth:
        for move in board.legal_moves:
            board.push(move)
            node.children.append(search(board, depth - 1, memory))
            board.pop()
        node.score = (max if board.turn else min)(child.score or 0 for child in node.children)
        memory[key] = node.score
    else:
        node.score = count(board)
    if depth:
        node.known = (node.score, node.score)
    return node


def iterations(depth: int = 3) -> list[Visit]:
    memory: Memory = {}
    return [search(BOARD.copy(), number, memory) for number in range(1, depth + 1)]


def test_every_position_above_the_leaves_is_stored_or_found() -> None:
    roots = iterations(4)
    figure = memory_figure(roots[-1:], "c", name="fig-s11-x", alt="A tree.")
    steps = data_of(figure)["steps"]
    inner = [node for node in roots[-1].walk() if node.depth]
    hits = sum(node.hit for node in inner)
    assert hits > 0
    assert sum("Nothing behind it is searched." in step["say"] for step in steps) == hits
    assert sum("It goes into the memory." in step["say"] for step in steps) == len(inner) - hits
    assert steps[-1]["say"].endswith(f"answered at {hits} of {len(inner)} positions.")
    asked = [step["ask"] for step in steps if "ask" in step]
    assert [ask["right"] for ask in asked].count(1) == 2, "asked twice, and then no more"
    marked = [name for step in steps for name, news in step["show"].items() if news["is"] == "hit"]
    assert len(marked) == 2 * hits, "the node, and its place in the memory"


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="expected iterations of one position"):
        memory_figure([], "c", name="fig-s11-x", alt="a")
    other = search(chess.Board("k7/8/8/8/8/8/8/K7 w - - 0 1"), 1, {})
    with pytest.raises(ValueError, match="expected iterations of one position"):
        memory_figure([*iterations(1), other], "c", name="fig-s11-x", alt="a")
    with pytest.raises(ValueError, match="more than 26 positions"):
        memory_figure(
            [search(chess.Board(), 2, {}), search(chess.Board(), 3, {})][1:],
            "c",
            name="fig-s11-x",
            alt="a",
        )


def test_a_reader_sees_the_memory_fill_and_answer(page: Page) -> None:
    figure = memory_figure(iterations(4), "c", name="fig-s11-x", alt="A tree.")
    assert "<caption>The memory" in still(figure)
    reader = Reader.of(page, figure)
    cells = page.locator("td[data-part]")
    filled = 0
    lit = 0
    for step in data_of(figure)["steps"][1:]:
        reader.on.click()
        now = sum(bool(text) for text in cells.all_inner_texts())
        assert now >= filled
        filled = now
        hit = page.locator('td[data-is="hit"]')
        expected = "Nothing behind it" in step["say"]
        expect(hit).to_have_count(int(expected))
        lit += expected
    roots = iterations(4)
    assert lit == sum(node.hit for root in roots for node in root.walk())


@pytest.mark.parametrize(
    ("known", "words"),
    [((1, 100), "at least +1"), ((-100, -2), "at most −2"), ((3, 3), "+3")],
)
def test_a_bound_is_told_as_one(known: tuple[float, float], words: str) -> None:
    root = search(BOARD.copy(), 1, {})
    root.known = known
    figure = memory_figure([root], "c", name="fig-s11-x", alt="A tree.")
    assert f"is worth {words}. It goes into" in data_of(figure)["steps"][-1]["say"]
