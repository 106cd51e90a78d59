"""Late moves: each search of each move is told, and a second one is asked for."""

from __future__ import annotations

import chess
import pytest
from playwright.sync_api import Page, expect

from tests.figures.reader import Reader, data_of, still
from utils.figures import Figure
from utils.figures.reductions import Attempt, Trial, reductions_figure

BOARD = chess.Board()


def trial(san: str, *attempts: tuple[int, float, float, float]) -> Trial:
    return Trial(BOARD.parse_san(san), [Attempt(*attempt) for attempt in attempts])


TRIALS = [
    trial("e4", (3, -100, 100, 10)),
    trial("d4", (3, 10, 11, 5)),
    trial("a3", (2, 10, 11, 0)),
    trial("b3", (2, 10, 11, 8)),
    trial("c4", (2, 10, 11, 15), (3, 10, 11, 9)),
    trial("Nf3", (2, 10, 11, 15), (3, 10, 11, 20), (3, 10, 100, 18)),
    trial("h3", (2, 18, 19, 0)),
    trial("g3"),
]


def figure(trials: list[Trial] | None = None, depth: int = 4) -> Figure:
    return reductions_figure(
        BOARD, depth, trials or TRIALS, "Moves.", name="fig-s17-x", alt="Late moves."
    )


def test_each_search_has_its_words_and_its_place() -> None:
    says = [step["say"] for step in data_of(figure())["steps"]]
    assert says[1] == (
        "e4, full depth in the open window: +10, better than −100. It is the best so far."
    )
    assert "a3 to b3, 2 moves, are late and quiet" in says[3]
    assert says[4].endswith("Is it still better than +10 there?")
    assert says[-1].endswith(
        "In all, 5 of 8 moves were searched with less depth, 2 of them again. The best is Nf3."
    )
    assert says[-1].startswith("g3 is left out.")
    text = still(figure())
    assert '<td data-text="c0">+15 ↑</td><td data-text="c1">+9</td>' in text
    asked = [step["ask"]["right"] for step in data_of(figure())["steps"] if "ask" in step]
    assert asked == [1, 0]


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="e2e5 is not legal"):
        figure([Trial(chess.Move.from_uci("e2e5"))])
    with pytest.raises(ValueError, match="e2e4 has more than 2 plies"):
        figure(depth=3)
    with pytest.raises(ValueError, match="fig-s17-x: expected moves"):
        reductions_figure(BOARD, 3, [], "c", name="fig-s17-x", alt="a")


def test_a_reader_sees_the_second_search_after_the_first(page: Page) -> None:
    reader = Reader.of(page, figure())
    row = reader.part("r5")
    while "Nf3" not in reader.line.inner_text():
        reader.on.click()
    assert row.locator("td").all_inner_texts() == ["+15 ↑", "", ""]
    expect(row).to_have_attribute("data-is", "again now")
    page.get_by_role("button", name="yes").click()
    expect(reader.line).to_contain_text("Right. With full depth it comes to +20.")
    reader.on.click()
    reader.on.click()
    assert row.locator("td").all_inner_texts() == ["+15 ↑", "+20 ↑", "+18 ↑"]
    assert reader.states()["r5"] == "best now" and reader.states()["r0"] == "was"
