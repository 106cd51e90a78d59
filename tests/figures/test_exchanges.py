"""Exchanges and lines: each number is there, and each choice is the one that pays."""

from __future__ import annotations

from typing import Any

import chess
import pytest
from playwright.sync_api import Page, expect

from tests.figures.reader import Reader, data_of, still
from utils.figures import Figure
from utils.figures.exchanges import exchange_figure, line_figure
from utils.figures.live import Question

SWAP = chess.Board("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1")
CAPTURES = [chess.Move.from_uci(uci) for uci in ["d3e5", "d7e5", "e2e5", "f6e5", "e1e5", "h8e5"]]
GAINS = [100, 220, 100, 400, -70, 970]
NAMES: Any = {"name": "fig-s16-x", "alt": "Captures."}


def exchange(gains: list[int] | None = None) -> Figure:
    return exchange_figure(SWAP, CAPTURES, gains or GAINS, "An exchange.", **NAMES)


def test_an_exchange_is_told_to_its_end_and_back() -> None:
    steps = data_of(exchange())["steps"]
    assert len(steps) == 1 + 6 + 5
    assert steps[2]["say"] == "Nxe5. If the exchange stops here, Black is 220 ahead."
    assert steps[5]["say"] == "Qxe5. If the exchange stops here, White is 70 behind."
    board = SWAP.copy()
    for move, step in zip(CAPTURES, steps[1:7], strict=True):
        board.push(move)
        assert step["board"] == [board.board_fen(), move.uci()]
    assert steps[-1]["say"].endswith("So Nxe5 is worth −220 to White.")
    asked = [step["ask"]["choices"][step["ask"]["right"]] for step in steps if "ask" in step]
    assert asked == ["stop", "take back with Bxe5", "stop", "take back with Nxe5"]
    text = still(exchange())
    for number in ("100", "220", "−400", "970"):
        assert f">{number}</text>" in text


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match=r"fig-s16-x: 6 captures, but gains \[1\]"):
        exchange([1])
    other = [*CAPTURES[:5], chess.Move.from_uci("h8h7")]
    with pytest.raises(ValueError, match="more than one square"):
        exchange_figure(SWAP, other, GAINS, "c", **NAMES)
    with pytest.raises(ValueError, match="d3e5 cannot be played"):
        exchange_figure(chess.Board(), CAPTURES, GAINS, "c", **NAMES)
    with pytest.raises(ValueError, match="2 scores for 6 moves"):
        line_figure(SWAP, CAPTURES, [0, 1], "c", **NAMES)
    with pytest.raises(ValueError, match="ply 7 of a line of 6"):
        line_figure(SWAP, CAPTURES, range(7), "c", **NAMES, horizon=7)


def test_a_reader_folds_an_exchange(page: Page) -> None:
    reader = Reader.of(page, exchange())
    assert set(reader.states().values()) == {""}
    reader.slider.press("End")
    states = reader.states()
    assert states["b5"] == "on" and all(states[f"f{row}"] for row in range(6))
    reader.slider.press("Home")
    for _ in range(3):
        reader.on.click()
    assert [name for name, state in reader.states().items() if state] == ["b0", "b1", "b2"]
    expect(page.locator(".course-board > use")).to_have_count(len(SWAP.piece_map()) - 3)


def test_the_horizon_comes_when_the_depth_is_used_up(page: Page) -> None:
    ask = Question(("nothing", "a capture"), 1, "Look.")
    figure = line_figure(SWAP, CAPTURES[:2], [0, 100, -220], "c", **NAMES, horizon=1, asks={1: ask})
    reader = Reader.of(page, figure)
    assert reader.states()["horizon"] == ""
    reader.on.click()
    assert reader.states() == {"b0": "past", "b1": "on now", "b2": "", "horizon": "on"}
    page.get_by_role("button", name="a capture").click()
    expect(reader.line).to_contain_text("The score is +100 now. Right. Look.")
    reader.on.click()
    expect(reader.line).to_contain_text("Black plays Nxe5. The score is −220 now.")
