"""The page to play on: Python and the engines in the reader's browser, no other host."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import chess
import pytest
from playwright.sync_api import Browser, Page

from tests.book.test_lite import need_lite
from tests.site import Visit
from utils.play.page import opponents

KEY = "chess-course-game-2"


@pytest.fixture(scope="module")
def address(address: str) -> str:
    """Where the book is served, if it has its part for browsers."""
    need_lite()
    return address


def sit_down(visit: Visit) -> Page:
    visit.open("play.html")
    visit.page.wait_for_selector("#play[data-ready=true]")
    return visit.page


@pytest.fixture(scope="module")
def table(browser: Browser, address: str) -> Iterator[Visit]:
    """The page where Python has started."""
    with Visit(browser, address) as visit:
        sit_down(visit)
        yield visit


@pytest.fixture
def page(table: Visit) -> Iterator[Page]:
    """The same page with a new game against the weakest engine; it ends without an error."""
    page = table.page
    page.get_by_label("Engine", exact=True).select_option("s05")
    page.get_by_label("Thinks", exact=True).select_option("0.1 s")
    page.get_by_role("button", name="New game").click()
    wait_for_plies(page, 0)
    yield page
    assert (table.foreign, table.failed, table.errors) == ([], [], [])


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """A page of its own."""
    with Visit(browser, address) as visit:
        yield visit
        assert (visit.foreign, visit.errors) == ([], [])


def reload(page: Page) -> None:
    """Load the page again, and wait until the board is drawn; Python may still be starting."""
    page.reload()
    page.wait_for_selector("#play .cb-grid")


def without_python(page: Page) -> None:
    """From the next load on, Python goes on starting."""
    page.route("**/board/worker.js", lambda route: None)


def plies(page: Page) -> int:
    return page.locator("#play .cw-moves li button").count()


def wait_for_plies(page: Page, count: int) -> None:
    page.wait_for_function(
        "n => document.querySelectorAll('#play .cw-moves li button').length === n"
        " && document.querySelector('#play').dataset.thinking === 'false'",
        arg=count,
    )


def board_of(page: Page) -> chess.Board:
    page.locator("#play details").evaluate("d => d.open = true")
    return chess.Board(page.get_by_label("FEN", exact=True).input_value())


def enter(page: Page, text: str) -> None:
    page.get_by_label("Your move", exact=True).fill(text)
    page.get_by_label("Your move", exact=True).press("Enter")


def shown_board(page: Page) -> str:
    """The pieces that are drawn, as in a FEN."""
    squares = page.locator("#play .cb-square").evaluate_all(
        "cells => cells.map(cell => [cell.dataset.square, cell.dataset.piece])"
    )
    board = chess.Board(None)
    for square, piece in squares:
        if piece:
            board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol(piece))
    return board.board_fen()


def search_for_long(page: Page) -> None:
    """The engine has half a minute for its first move."""
    page.get_by_label("Engine", exact=True).select_option("s20")
    page.get_by_label("Thinks", exact=True).select_option("30 s")
    enter(page, "h3")
    page.wait_for_selector("#play[data-thinking=true]")


@pytest.mark.parametrize("engine", ["s05", "s10", "s20"])
def test_ten_moves_against_an_engine(page: Page, engine: str) -> None:
    rng = random.Random(f"ten moves against {engine}")
    page.get_by_label("Engine", exact=True).select_option(engine)
    row = page.locator(".play-trees tbody tr", has_text=engine)
    looked_at = [0]
    for _ in range(10):
        board = board_of(page)
        if board.is_game_over():
            break
        before = plies(page)
        move = rng.choice(list(board.legal_moves))
        board.push(move)
        enter(page, move.uci())
        wait_for_plies(page, before + (1 if board.is_game_over() else 2))
        if engine != "s05":
            looked_at.append(int(row.locator("td").nth(2).inner_text().replace(",", "")))
    assert plies(page) >= 4
    assert row.count() == 1
    assert engine == "s05" or max(looked_at) > 20


def test_thinking_is_ended_and_the_page_never_freezes(page: Page) -> None:
    search_for_long(page)
    page.wait_for_function("document.querySelector('.play-line').textContent.includes('deep')")
    assert page.locator(".play-arrows path").count() >= 1
    # The page answers at once while the engine thinks.
    page.get_by_role("button", name="Flip").click()
    assert page.locator(".cb-square").first.get_attribute("data-square") == "h1"
    page.get_by_role("button", name="Flip").click()
    page.get_by_role("button", name="Move now").click()
    wait_for_plies(page, 2)
    assert page.locator(".cw-bar").get_attribute("aria-label") is not None
    page.get_by_role("button", name="Undo").click()
    wait_for_plies(page, 0)
    enter(page, "e4")
    page.wait_for_selector("#play[data-thinking=true]")
    page.get_by_role("button", name="Undo").click()
    wait_for_plies(page, 0)
    assert board_of(page) == chess.Board()


def test_the_board_is_played_with_the_keyboard(page: Page) -> None:
    page.locator(".cb-square[data-square=e2]").focus()
    for key in ("Enter", "ArrowUp", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    wait_for_plies(page, 2)
    assert page.locator(".cw-moves button").first.inner_text() == "e4"


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_page_fits_a_phone(page: Page, look: Any) -> None:
    page.emulate_media(color_scheme=look)
    page.set_viewport_size({"width": 360, "height": 740})
    enter(page, "e4")
    wait_for_plies(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    box = page.locator(".cb-grid").bounding_box()
    assert box is not None and box["width"] > 280
    page.set_viewport_size({"width": 1280, "height": 720})


def test_the_reader_steps_through_the_game_while_the_engine_thinks(page: Page) -> None:
    enter(page, "e4")
    wait_for_plies(page, 2)
    reply = shown_board(page)
    page.get_by_label("Engine", exact=True).select_option("s20")
    page.get_by_label("Thinks", exact=True).select_option("30 s")
    enter(page, "d4")
    page.wait_for_selector("#play[data-thinking=true]")
    boards = [shown_board(page)]
    for name in ("previous move", "previous move", "first position"):
        page.get_by_role("button", name=name).click()
        boards.append(shown_board(page))
    after_e4 = chess.Board()
    after_e4.push_san("e4")
    assert boards[1:] == [reply, after_e4.board_fen(), chess.STARTING_BOARD_FEN]
    assert page.locator("#play .cb-movable").count() == 0
    page.locator("#play .cw-moves button").first.focus()
    page.keyboard.press("ArrowDown")
    assert shown_board(page) == reply
    page.locator("#play .cw-moves button").first.click()
    assert shown_board(page) == after_e4.board_fen()
    assert page.locator("#play").get_attribute("data-thinking") == "true"
    # The answer does not take the reader away from what is looked at.
    page.get_by_role("button", name="Move now").click()
    wait_for_plies(page, 4)
    assert shown_board(page) == after_e4.board_fen()
    assert "ply 1 of 4" in page.locator(".cw-status").inner_text()
    page.get_by_role("button", name="last position").click()
    assert shown_board(page) == board_of(page).board_fen()


def test_a_game_is_kept_over_a_reload_until_a_new_one(visit: Visit) -> None:
    page = sit_down(visit)
    page.get_by_label("Engine", exact=True).select_option("s11")
    page.get_by_label("Thinks", exact=True).select_option("depth 1")
    enter(page, "e4")
    wait_for_plies(page, 2)
    played, bar = board_of(page), page.locator(".cw-bar").get_attribute("aria-label")
    without_python(page)
    reload(page)  # before Python has started, the game can be looked at
    assert plies(page) == 2 and shown_board(page) == played.board_fen()
    page.get_by_role("button", name="first position").click()
    assert shown_board(page) == chess.STARTING_BOARD_FEN
    page.unroute("**/board/worker.js")
    reload(page)
    page.wait_for_selector("#play[data-ready=true]")
    wait_for_plies(page, 2)
    page.wait_for_selector(".play-trees tbody tr")
    assert board_of(page) == played
    assert page.locator(".cw-bar").get_attribute("aria-label") == bar
    assert page.get_by_label("Engine", exact=True).input_value() == "s11"
    enter(page, next(iter(played.legal_moves)).uci())
    wait_for_plies(page, 4)
    # A reload does not stop the engine.
    page.get_by_role("button", name="New game").click()
    search_for_long(page)
    reload(page)
    page.wait_for_selector("#play[data-ready=true][data-thinking=true]")
    page.wait_for_function("document.querySelector('.play-line').textContent.includes('deep')")
    page.get_by_role("button", name="Move now").click()
    wait_for_plies(page, 2)
    page.get_by_role("button", name="New game").click()
    without_python(page)
    reload(page)
    assert plies(page) == 0 and shown_board(page) == chess.STARTING_BOARD_FEN


def without_a_position(state: dict[str, Any]) -> Any:
    return state | {"positions": state["positions"][:-1]}


def with_an_illegal_move(state: dict[str, Any]) -> Any:
    start, *played = state["positions"]
    return state | {"positions": [start, *(p | {"last": "e2e4"} for p in played)]}


@pytest.mark.parametrize(
    "damage",
    [
        with_an_illegal_move,
        pytest.param(without_a_position, marks=pytest.mark.slow),
        pytest.param(lambda state: {"fen": chess.STARTING_FEN}, marks=pytest.mark.slow),
        pytest.param(lambda state: "{", marks=pytest.mark.slow),
    ],
)
def test_a_damaged_game_is_ignored(visit: Visit, damage: Callable[[Any], Any]) -> None:
    page = sit_down(visit)
    enter(page, "e4")
    wait_for_plies(page, 2)
    damaged = damage(json.loads(page.evaluate(f"localStorage.getItem('{KEY}')")))
    value = damaged if isinstance(damaged, str) else json.dumps(damaged)
    page.evaluate("([key, value]) => localStorage.setItem(key, value)", [KEY, value])
    sit_down(visit)
    page.wait_for_function("!document.querySelector('#play .cw-moves li')")
    assert shown_board(page) == chess.STARTING_BOARD_FEN
    enter(page, "d4")
    wait_for_plies(page, 2)
    without_python(page)
    reload(page)
    assert plies(page) == 2


def test_without_storage_the_game_is_played_all_the_same(visit: Visit) -> None:
    visit.context.add_init_script(
        f"""for (const name of ["getItem", "setItem", "removeItem"]) {{
            const usual = Storage.prototype[name];
            Storage.prototype[name] = function (key, ...rest) {{
                if (key === "{KEY}") throw new DOMException("denied", "SecurityError");
                return usual.call(this, key, ...rest);
            }};
        }}"""
    )
    page = sit_down(visit)
    enter(page, "e4")
    wait_for_plies(page, 2)
    page.get_by_role("button", name="New game").click()
    wait_for_plies(page, 0)
    reload(page)
    assert plies(page) == 0


# Before Python has started.


@pytest.mark.parametrize(
    ("width", "height", "side"),
    [(1280, 900, 620), (1440, 900, 680), (1920, 1080, 740), (390, 844, 350), (768, 1024, 670)],
)
def test_the_board_is_as_large_as_the_window_allows(
    visit: Visit, width: int, height: int, side: int
) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": height})
    without_python(page)
    visit.open("play.html")
    box = page.locator(".cb-grid").bounding_box()
    panel = page.locator(".cw-panel").bounding_box()
    assert box is not None and panel is not None
    assert box["width"] == pytest.approx(box["height"], abs=1) and box["width"] >= side
    assert box["y"] + box["height"] <= height
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    beside = panel["x"] >= box["x"] + box["width"]
    assert beside == (width > height)
    assert panel["x"] + panel["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_opponents_have_names_and_an_illegal_click_is_named_at_once(visit: Visit) -> None:
    page = visit.page
    without_python(page)
    visit.open("play.html")
    choice = page.get_by_label("Engine", exact=True)
    assert choice.input_value() == "s05"
    assert choice.locator("option").all_inner_texts() == [text for _, text in opponents()]
    for square in ("e2", "e5"):
        page.locator(f"#play [data-square={square}]").click()
    assert page.get_by_role("alert").inner_text() == "e2 to e5 is not a legal move."
    page.locator("#play [data-square=e2]").click()
    assert page.get_by_role("alert").count() == 0
