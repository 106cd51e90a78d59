"""The page to play on: Python and the engines in the reader's browser, no other host."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import chess
import pytest
from playwright.sync_api import Browser, Page

from tests.book.test_lite import need_lite
from tests.site import Visit
from utils.play.page import opponents

KEY = "chess-course-game-3"


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
    choose(page, "s05", "0.1 s")
    press(page, "New game")
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


def choose(page: Page, engine: str, limit: str) -> None:
    page.get_by_label("Engine", exact=True).select_option(engine)
    page.get_by_label("Thinks", exact=True).select_option(limit)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def search_for_long(page: Page, move: str = "h3") -> None:
    """Make a move; the engine has half a minute for its answer."""
    choose(page, "s21", "30 s")
    enter(page, move)
    page.wait_for_selector("#play[data-thinking=true]")


@pytest.mark.parametrize("engine", ["s05", "s10", "s21"])
def test_ten_moves_against_an_engine(page: Page, engine: str) -> None:
    rng = random.Random(f"ten moves against {engine}")
    choose(page, engine, "0.1 s")
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
    press(page, "Flip")
    assert page.locator(".cb-square").first.get_attribute("data-square") == "h1"
    press(page, "Flip")
    press(page, "Move now")
    wait_for_plies(page, 2)
    assert page.locator(".cw-bar").get_attribute("aria-label") is not None
    press(page, "Undo")
    wait_for_plies(page, 0)
    enter(page, "e4")
    page.wait_for_selector("#play[data-thinking=true]")
    press(page, "Undo")
    wait_for_plies(page, 0)
    assert board_of(page) == chess.Board()


def test_the_board_is_played_with_the_keyboard(page: Page) -> None:
    page.locator(".cb-square[data-square=e2]").focus()
    for key in ("Enter", "ArrowUp", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    wait_for_plies(page, 2)
    assert page.locator(".cw-moves button").first.inner_text() == "e4"


def test_the_reader_steps_through_the_game_while_the_engine_thinks(page: Page) -> None:
    enter(page, "e4")
    wait_for_plies(page, 2)
    reply = shown_board(page)
    search_for_long(page, "d4")
    boards = [shown_board(page)]
    for name in ("previous move", "previous move", "first position"):
        press(page, name)
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
    press(page, "Move now")
    wait_for_plies(page, 4)
    assert shown_board(page) == after_e4.board_fen()
    assert "ply 1 of 4" in page.locator(".cw-status").inner_text()
    press(page, "last position")
    assert shown_board(page) == board_of(page).board_fen()


def test_a_game_and_its_search_go_on_after_a_reload(visit: Visit) -> None:
    page = sit_down(visit)
    page.get_by_label("Thinks", exact=True).select_option("depth 1")
    enter(page, "e4")
    wait_for_plies(page, 2)
    search_for_long(page)
    reload(page)
    page.wait_for_selector("#play[data-ready=true][data-thinking=true]")
    assert page.get_by_label("Engine", exact=True).input_value() == "s21"
    page.wait_for_function("document.querySelector('.play-line').textContent.includes('deep')")
    press(page, "Move now")
    wait_for_plies(page, 4)
    page.wait_for_selector(".play-trees tbody tr")
    played = shown_board(page)
    without_python(page)
    reload(page)  # before Python has started, the game can be looked at
    assert plies(page) == 4 and shown_board(page) == played == board_of(page).board_fen()
    press(page, "first position")
    assert shown_board(page) == chess.STARTING_BOARD_FEN


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
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [KEY, text])
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
    press(page, "New game")
    wait_for_plies(page, 0)
    reload(page)
    assert plies(page) == 0


# Before Python has started.


@pytest.mark.parametrize(
    ("width", "height", "side"),
    [
        *((1280, 900, 620), (1440, 900, 680), (1920, 1080, 740)),
        *((360, 740, 320), (390, 844, 350), (768, 1024, 670)),
    ],
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
