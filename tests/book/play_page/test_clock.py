"""The clock of the page."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.book.play_page.actions import enter, press, sit_down, wait_for_plies, without_python
from tests.helpers.site import Visit


def test_a_clock_runs_out_and_an_undo_gives_the_time_back(visit: Visit) -> None:
    page = visit.page
    page.clock.install()
    sit_down(visit)
    page.get_by_label("Clock", exact=True).select_option("180+2")
    mine = page.locator("#play .cw-white .cw-clock")
    press(page, "New game")
    enter(page, "e4")
    wait_for_plies(page, 2)
    expect(mine).to_have_class("cw-clock cw-running")  # the first moves were free
    page.clock.fast_forward(100_000)
    enter(page, "d4")
    wait_for_plies(page, 4)
    expect(mine).to_have_text(re.compile("1:[12].|0:5."))
    page.clock.fast_forward(20_000)
    page.reload()  # stops the clock, and gives no time back
    page.wait_for_selector("#play[data-ready=true]")
    expect(mine).to_have_text(re.compile("1:0.|0:[3-5]."))
    page.clock.fast_forward(70_000)
    status = page.locator("#play .cw-status")
    expect(status).to_contain_text("Black wins: no time left.")
    assert mine.inner_text() == "0:00.0"
    press(page, "Undo")
    wait_for_plies(page, 2)
    expect(status).to_contain_text("White to move, your move.")
    expect(mine).to_have_text(re.compile("[23]:.."))
    texts = page.evaluate(
        """async times => {
            const { clockText } = await import("./board/clock.js");
            return times.map(clockText);
        }""",
        [180_000, 179_001, 60_000, 59_999, 10_000, 9_999, 9_950, 50, 0, -5],
    )
    assert texts[:5] == ["3:00", "3:00", "1:00", "1:00", "0:10"]
    assert texts[5:] == ["0:10.0", "0:10.0", "0:00.1", "0:00.0", "0:00.0"]


def with_clock(visit: Visit, script: str) -> Any:
    """What a script returns that has a clock, and the time in its hand.

    It has `clock`, `flags` (who has fallen), `now` (milliseconds, to be set), `choose` (a time
    control) and `game` (six positions with these pieces).
    """
    without_python(visit.page)
    visit.open("play.html")
    return visit.page.evaluate(
        """async () => {
            const { Clock } = await import("./board/clock.js");
            let now = 0;
            performance.now = () => now;
            window.setInterval = () => 0;
            const flags = [];
            const clock = new Clock({ showClock() {} }, (side) => flags.push(side), () => {});
            const choose = (control) => {
                clock.select.append(new Option(control, control));
                clock.select.value = control;
                clock.select.dispatchEvent(new Event("change"));
            };
            const game = (rows) => [..."wbwbwb"].map((side) => `${rows} ${side} - - 0 1`);
        """
        + script
        + "}"
    )


def test_a_clock_that_ticks_seldom_still_runs_out(visit: Visit) -> None:
    # A browser lets the timers of a page in the background wait for up to a minute.
    found = with_clock(
        visit,
        """
            choose("60+0");
            const fens = game("8/8/8/8/8/8/8/8");
            clock.follow(fens.slice(0, 3), true);
            now = 59_000;  // White moves in time, Black does not
            clock.follow(fens.slice(0, 4), true);
            const before = [...flags];
            now = 200_000;
            clock.follow(fens.slice(0, 5), true);
            return [before, flags, clock.times.at(-1)];
        """,
    )
    assert found == [[], ["black"], {"white": 1000, "black": 0}]


def test_another_game_and_a_clock_that_is_chosen_later_begin_with_full_time(visit: Visit) -> None:
    found = with_clock(
        visit,
        """
            const [one, other] = [game("8/8/8/8/8/8/8/K7"), game("8/8/8/8/8/8/8/7K")];
            clock.follow(one, true);
            choose("60+5");
            clock.follow(one, true);
            const late = { ...clock.times.at(-1) };
            now = 70_000;
            clock.follow([...one, one[0]], true);
            const lost = [...flags];
            clock.follow(other, true);
            return [late, lost, clock.times.at(-1), flags.length];
        """,
    )
    full = {"white": 60_000, "black": 60_000}
    assert found == [full, ["black"], full, 1]
