"""What the page keeps: a game after a reload, tabs of their own, who was beaten; links."""

from __future__ import annotations

import json

import chess
import pytest
from playwright.sync_api import expect

from tests.book.play_page.actions import (
    board_of,
    enter,
    load,
    plies,
    press,
    reload,
    search_for_long,
    shown_board,
    sit_down,
    wait_for_plies,
    without_python,
)
from tests.helpers.site import Visit
from utils.play.page import PageSession, opponents

KEY = "chess-course-game-3"


def test_a_game_and_its_search_go_on_after_a_reload(visit: Visit) -> None:
    page = sit_down(visit)
    page.get_by_label("Thinks", exact=True).select_option("depth 1")
    enter(page, "e4")
    wait_for_plies(page, 2)
    search_for_long(page)
    reload(page)
    page.wait_for_selector("#play[data-ready=true][data-thinking=true]")
    assert page.get_by_label("Engine", exact=True).input_value() == "s23"
    page.wait_for_function("document.querySelector('.play-line').textContent.includes('deep')")
    press(page, "Move now")
    wait_for_plies(page, 4)
    page.wait_for_selector(".play-searches tbody tr")
    played = shown_board(page)
    without_python(page)
    reload(page)  # before Python has started, the game can be looked at
    assert plies(page) == 4 and shown_board(page) == played == board_of(page).board_fen()
    press(page, "first position")
    assert shown_board(page) == chess.STARTING_BOARD_FEN


def test_python_that_stops_is_said_and_a_reload_goes_on(visit: Visit) -> None:
    page = sit_down(visit)
    enter(page, "e4")
    wait_for_plies(page, 2)
    page.workers[0].evaluate("setTimeout(() => { throw new Error('out of memory'); })")
    for words in ("Python has stopped.", "out of memory"):
        expect(page.locator("#play .cw-message")).to_contain_text(words)
    assert set(visit.errors) <= {"out of memory"}  # a worker that was ended may not report it
    visit.errors.clear()
    reload(page)
    page.wait_for_selector("#play[data-ready=true]")
    enter(page, "d4")
    wait_for_plies(page, 4)


def test_a_damaged_or_old_game_is_not_shown(visit: Visit) -> None:
    page = sit_down(visit)
    enter(page, "e4")
    wait_for_plies(page, 2)
    state = json.loads(page.evaluate(f"localStorage.getItem('{KEY}')"))
    start, *played = state["positions"]
    illegal = state | {"positions": [start, *(p | {"last": "e2e4"} for p in played)]}  # for Python
    damaged = ["{", {"fen": chess.STARTING_FEN}, state | {"positions": state["positions"][:-1]}]
    without_python(page)
    for value in (*damaged, illegal):
        text = value if isinstance(value, str) else json.dumps(value)
        page.evaluate(
            """([key, value]) => {
                sessionStorage.setItem(key, value);
                localStorage.setItem(key, value);
            }""",
            [KEY, text],
        )
        reload(page)
        assert plies(page) == (2 if value is illegal else 0)
    page.unroute("**/board/worker.js")
    sit_down(visit)
    wait_for_plies(page, 0)
    assert shown_board(page) == chess.STARTING_BOARD_FEN
    enter(page, "d4")
    wait_for_plies(page, 2)
    press(page, "New game")
    wait_for_plies(page, 0)
    without_python(page)
    reload(page)
    assert plies(page) == 0 and shown_board(page) == chess.STARTING_BOARD_FEN


@pytest.mark.parametrize("broken", ["getItem setItem removeItem", "setItem"])
def test_without_storage_the_game_is_played_all_the_same(visit: Visit, broken: str) -> None:
    visit.context.add_init_script(
        f"""for (const name of "{broken}".split(" ")) {{
            const usual = Storage.prototype[name];
            Storage.prototype[name] = function (key, ...rest) {{
                if (!key.startsWith("chess-")) return usual.call(this, key, ...rest);
                throw new DOMException("off or full", "QuotaExceededError");
            }};
        }}"""
    )
    page = sit_down(visit)
    page.get_by_label("Clock", exact=True).select_option("180+2")
    enter(page, "e4")
    wait_for_plies(page, 2)
    expect(page.locator(".play-note")).to_contain_text("keeps no game")
    reload(page)
    assert plies(page) == 0
    enter(page, "e4")
    wait_for_plies(page, 2)
    press(page, "New game")
    wait_for_plies(page, 0)


def test_each_tab_keeps_its_own_game(visit: Visit) -> None:
    first = sit_down(visit)
    enter(first, "e4")
    wait_for_plies(first, 2)
    second = visit.context.new_page()
    second.goto(first.url)
    wait_for_plies(second, 2)  # a new tab goes on with the last game
    second.wait_for_selector("#play[data-ready=true]")
    press(second, "New game")
    wait_for_plies(second, 0)
    enter(second, "d4")
    wait_for_plies(second, 2)
    for page, move in ((first, "e4"), (second, "d4")):
        without_python(page)
        reload(page)
        assert page.locator("#play .cw-moves button").first.inner_text() == move
    second.close()


def test_an_opponent_that_was_beaten_is_marked(visit: Visit) -> None:
    told: list[str] = []
    one = PageSession(told.append)
    one.receive(json.dumps({"do": "pgn", "text": "1. e4 f6 2. d4 g5"}))
    state = json.loads(told[-1])["state"]
    for ply in (2, 4):
        state["positions"][ply]["by"] = "s05"
    page = visit.page
    visit.open("play.html")
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, json.dumps(state)])
    sit_down(visit)
    choice = page.get_by_label("Engine", exact=True)
    assert "✓" not in choice.inner_text()
    enter(page, "Qh5")
    expect(page.locator("#play .cw-status")).to_contain_text("White wins: checkmate.")
    marked = [text for text in choice.locator("option").all_inner_texts() if "✓" in text]
    assert marked == [f"✓ {opponents()[0][1]}"]
    expect(page.locator(".play-score")).to_contain_text("You have beaten 1 of ")
    press(page, "New game")
    without_python(page)
    reload(page)
    assert choice.locator("option").first.inner_text() == marked[0]


def test_what_an_engine_sees_is_not_shown_at_another_position(visit: Visit) -> None:
    page = visit.page
    without_python(page)
    visit.open("play.html")
    found = page.evaluate(
        """async () => {
            const { SecondEngine } = await import("./board/second_engine.js");
            const asked = [];
            const engines = [["s05", "s05 random moves"]];
            const second = new SecondEngine(engines, () => {}, (question) => asked.push(question));
            window.setTimeout = (act) => act();
            second.select.value = "s05";
            const texts = [];
            for (const [shown, ply] of [[3, 3], [4, 3], [4, 4]]) {
                second.look(shown, `position ${shown}`);
                const said = `plays ${ply}`;
                second.receive({ engine: "s05", fen: `position ${ply}`, done: true, said });
                texts.push(second.said.textContent);
            }
            second.again();  // the last question was dropped
            second.look(4, "position 4");
            second.look(4, "another position 4");
            second.receive({ engine: "s05", fen: "position 4", done: true, said: "plays 4" });
            texts.push(second.said.textContent);
            second.fail("no memory");
            texts.push(second.said.textContent);
            return [asked.map(({ fen }) => fen), texts];
        }"""
    )
    waits = "s05 looks at the position."
    assert found == [
        ["position 3", "position 4", "position 4", "another position 4"],
        [
            "s05 random moves: plays 3.",
            waits,
            "s05 random moves: plays 4.",
            waits,
            "The engine has stopped. (no memory)",
        ],
    ]


def test_a_link_leads_to_its_position(visit: Visit) -> None:
    page = visit.page
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sit_down(visit)
    load(page, "1. e4 e5 2. Nf3")
    press(page, "Copy link")
    link = page.evaluate("navigator.clipboard.readText()")
    fen = board_of(page).fen()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("#play[data-ready=true]")
    wait_for_plies(page, 1)  # the engine was to move
    page.reload()
    page.wait_for_selector("#play[data-ready=true]")
    press(page, "first position")
    assert board_of(page).fen() == fen and "#" not in page.url
