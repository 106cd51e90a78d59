"""A table that fills: each result, its place, and which entry stays."""

from __future__ import annotations

import chess
import pytest
from playwright.sync_api import Page, expect

from tests.figures.reader import Reader, data_of, still
from utils.figures import Figure
from utils.figures.transpositions import Stored, transposition_table_figure

E4 = chess.Move.from_uci("e2e4")
RESULTS = [
    Stored(10, 0, 1, "EXACT", 20, E4, True),
    Stored(11, 1, 2, "UPPER", -30, None, True),
    Stored(12, 0, 1, "LOWER", 5, E4, True),
    Stored(13, 1, 1, "EXACT", 0, E4, False),
    Stored(12, 0, 2, "EXACT", 7, E4, True),
]


def figure(results: list[Stored] | None = None) -> Figure:
    results = RESULTS if results is None else results
    return transposition_table_figure(2, results, "c", name="fig-s15-x", alt="A table.")


def test_each_result_is_told_with_its_place() -> None:
    steps = data_of(figure())["steps"]
    says = [step["say"] for step in steps]
    assert says[1] == "A, searched with depth 1, belongs to place 0. The place is free."
    assert says[4].endswith("A is there, with depth 1. C stays.")
    assert says[6].endswith("B is there, with depth 2. B stays.")
    assert says[-1].endswith("is renewed. 5 results came, 1 were not kept.")
    asks = [step["ask"] for step in steps if "ask" in step]
    assert [ask["choices"][ask["right"]] for ask in asks] == ["C", "B"]
    assert "≤−30" in still(figure()) and "<td>e2e4</td>" not in still(figure())


def test_what_is_wrong_is_named() -> None:
    for results, words in (
        ([], "0 positions"),
        ([Stored(1, 2, 1, "EXACT", 0, None, True)], "place 2 of 2"),
        ([Stored(1, 1, 1, "ABOUT", 0, None, True)], "bound 'ABOUT'"),
        ([Stored(key, 0, 1, "EXACT", 0, None, True) for key in range(27)], "27 positions"),
    ):
        with pytest.raises(ValueError, match=words):
            figure(results)


def test_a_reader_says_who_stays_before_it_is_seen(page: Page) -> None:
    reader = Reader.of(page, figure())
    row = reader.part("p0").locator("td")
    for _ in range(3):
        reader.on.click()
    expect(reader.line).to_contain_text("Which stays?")
    assert row.all_inner_texts() == ["A", "1", "+20", "e2e4"]
    page.get_by_role("button", name="A", exact=True).click()
    expect(reader.line).to_contain_text("Not so. The depth is the same")
    reader.on.click()
    assert row.all_inner_texts() == ["C", "1", "≥+5", "e2e4"]
    assert reader.states() == {"p0": "new now", "p1": "full"}
