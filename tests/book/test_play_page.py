"""The page to play on: Python and the engines in the reader's browser, no other host."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.helpers.positions import BLUNDERS
from tests.helpers.site import Visit, need_lite
from utils.play.page import PageSession, opponents

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


def load(page: Page, pgn: str) -> None:
    """Load a game."""
    page.locator("#play details").first.evaluate("d => d.open = true")
    page.get_by_label("PGN", exact=True).fill(pgn)
    press(page, "Load PGN")
    expect(page.locator("#play .cw-status")).to_contain_text("Game loaded.")


def search_for_long(page: Page, move: str = "h3") -> None:
    """Make a move; the engine has half a minute for its answer."""
    choose(page, "s23", "30 s")
    enter(page, move)
    page.wait_for_selector("#play[data-thinking=true]")


@pytest.mark.parametrize("engine", ["s05", "s10", "s23"])
def test_ten_moves_against_an_engine(page: Page, engine: str) -> None:
    rng = random.Random(f"ten moves against {engine}")
    choose(page, engine, "0.1 s")
    row = page.locator(".play-searches tbody tr", has_text=engine)
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
    assert page.locator(".cb-expected").count() >= 1
    # The page answers at once while the engine thinks.
    press(page, "Flip")
    assert page.locator(".cb-square").first.get_attribute("data-square") == "h1"
    press(page, "Flip")
    press(page, "Move now")
    wait_for_plies(page, 2)
    expect(page.locator(".cw-bar")).to_be_visible()
    press(page, "Undo")
    wait_for_plies(page, 0)
    enter(page, "e4")
    page.wait_for_selector("#play[data-thinking=true]")
    press(page, "Undo")
    wait_for_plies(page, 0)
    assert board_of(page) == chess.Board()


def test_a_move_is_taken_back_at_once_while_the_engine_thinks(page: Page) -> None:
    search_for_long(page, "e4")
    seen = page.evaluate(
        """() => {
            const button = [...document.querySelectorAll("#play button")]
                .find(one => one.textContent === "Undo");
            button.click();  // what follows is seen before any worker can answer
            return [document.querySelectorAll("#play .cw-moves li button").length,
                    document.querySelectorAll("#play .cb-movable").length];
        }"""
    )
    assert seen == [0, 10]
    assert shown_board(page) == chess.STARTING_BOARD_FEN
    page.get_by_label("Thinks", exact=True).select_option("depth 1")
    enter(page, "d4")
    wait_for_plies(page, 2)
    assert page.locator("#play .cw-moves button").first.inner_text() == "d4"


def test_a_new_game_stays_drawn_when_older_answers_come(page: Page) -> None:
    enter(page, "e4")
    wait_for_plies(page, 2)
    page.evaluate(
        """() => {
            const list = document.querySelector("#play .cw-moves");
            const count = () => list.querySelectorAll("li button").length;
            window.seen = [];
            const observer = new MutationObserver(() => seen.push(count()));
            observer.observe(list, { childList: true, subtree: true });
            for (const label of ["Engine", "Thinks"]) {
                document.querySelector(`#play select[aria-label=${label}]`)
                    .dispatchEvent(new Event("change"));
            }
            [...document.querySelectorAll("#play button")]
                .find(one => one.textContent === "New game").click();
        }"""
    )
    expect(page.locator("#play .cw-status")).to_contain_text("White to move, your move.")
    wait_for_plies(page, 0)
    assert set(page.evaluate("seen")) == {0}


def test_a_game_ends_by_word_and_goes_on(page: Page) -> None:
    enter(page, "e4")
    wait_for_plies(page, 2)
    press(page, "Offer draw")
    status = page.locator("#play .cw-status")
    expect(status).to_contain_text("s05 declines the draw.")
    press(page, "Resign")
    expect(status).to_contain_text("Black wins: resignation.")
    assert page.locator("#play .cb-movable").count() == 0
    press(page, "Undo")
    expect(status).to_contain_text("White to move, your move.")
    assert plies(page) == 2
    search_for_long(page, "d4")
    press(page, "Resign")
    expect(status).to_contain_text("Black wins: resignation.")
    load(page, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8")
    press(page, "Claim draw")
    expect(status).to_contain_text("Draw: threefold repetition.")


def test_captured_pieces_and_the_opening_are_shown_at_each_ply(page: Page) -> None:
    load(page, "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. Bxg2")
    players = page.locator("#play .cw-player")
    expect(players.nth(1).locator(".cw-taken")).to_have_attribute(
        "aria-label", "captured queen, pawn"
    )
    expect(players.nth(0).locator(".cw-taken")).to_have_attribute("aria-label", "captured 2 pawns")
    expect(players.nth(1).locator(".cw-lead")).to_have_text("+8")
    expect(page.locator("#play .cw-opening")).to_contain_text("Scandinavian Defense")
    press(page, "first position")
    expect(page.locator("#play .cw-taken").first).to_be_hidden()
    expect(page.locator("#play .cw-opening")).to_have_text("")


def test_a_premove_is_made_after_the_engines_move(page: Page) -> None:
    search_for_long(page, "e4")
    for square in ("g1", "f3"):
        page.locator(f"#play [data-square={square}]").click()
    assert page.locator("#play .cb-premove").count() == 2
    page.locator("#play [data-square=e6]").click()  # anywhere: it is cancelled
    assert page.locator("#play .cb-premove").count() == 0
    for square in ("b1", "c3"):
        page.locator(f"#play [data-square={square}]").click()
    press(page, "Move now")
    moves = page.locator("#play .cw-moves button")
    expect(moves.nth(2)).to_have_text("Nc3")
    assert page.locator("#play .cb-premove").count() == 0
    press(page, "Move now")
    wait_for_plies(page, 4)


def place(page: Page, square: str) -> tuple[float, float]:
    """The middle of a square in the window."""
    box = page.locator(f"#play [data-square={square}]").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def arrows(page: Page) -> tuple[int, int]:
    """How many arrows and marked squares the reader has drawn."""
    drawn = page.locator("#play .cb-own")
    return drawn.and_(page.locator("path")).count(), drawn.and_(page.locator("circle")).count()


def test_arrows_are_drawn_and_wiped_away(page: Page) -> None:
    for start, end in (("e2", "e4"), ("g1", "f3"), ("d5", "d5"), ("e2", "e4")):
        page.mouse.move(*place(page, start))
        page.mouse.down(button="right")
        page.mouse.move(*place(page, end))
        page.mouse.up(button="right")
    assert arrows(page) == (1, 1)  # the same one again takes it away
    page.locator("#play [data-square=a6]").click()
    assert arrows(page) == (0, 0)
    # By keyboard, and with the left button.
    press(page, "draw arrows")
    page.locator("#play [data-square=e2]").focus()
    for key in ("Enter", "ArrowUp", "ArrowUp", "Enter", "Enter", "Escape"):
        page.keyboard.press(key)
    page.mouse.move(*place(page, "g1"))
    page.mouse.down()
    page.mouse.move(*place(page, "f3"))
    page.mouse.up()
    assert arrows(page) == (2, 0) and plies(page) == 0
    press(page, "draw arrows")
    assert arrows(page) == (2, 0)
    page.locator("#play [data-square=a6]").click()
    assert arrows(page) == (0, 0)


def test_arrows_are_drawn_with_a_finger(browser: Browser, address: str) -> None:
    view = {"width": 360, "height": 740}
    with Visit(browser, address, viewport=view, has_touch=True, is_mobile=True) as visit:
        page = visit.page
        without_python(page)
        visit.open("play.html")
        touch = visit.context.new_cdp_session(page)

        def slide(start: str, end: str) -> None:
            points = [dict(zip("xy", place(page, square), strict=True)) for square in (start, end)]
            for kind, at in (("Start", points[:1]), ("Move", points[1:]), ("End", [])):
                event = {"type": f"touch{kind}", "touchPoints": at}
                touch.send("Input.dispatchTouchEvent", event)

        page.get_by_role("button", name="draw arrows").tap()
        page.evaluate("scrollTo(0, 0)")
        slide("e2", "e4")
        slide("b4", "b5")  # no piece is here: elsewhere a finger scrolls the page
        slide("g8", "g8")
        assert arrows(page) == (2, 1) and plies(page) == 0
        page.get_by_role("button", name="draw arrows").tap()
        page.evaluate("scrollTo(0, 0)")
        slide("e2", "e4")
        assert arrows(page) == (0, 0) and plies(page) == 1
        assert visit.errors == []


def test_a_premove_that_has_become_illegal_is_named_and_not_made(page: Page) -> None:
    page.locator("#play details").first.evaluate("d => d.open = true")
    page.get_by_label("FEN", exact=True).fill("7k/8/8/8/8/8/P7/K5Q1 w - - 0 1")
    press(page, "Load FEN")
    choose(page, "s16", "30 s")
    enter(page, "Qg7+")  # the king must take it
    page.wait_for_selector("#play[data-thinking=true]")
    for square in ("g7", "g1"):
        page.locator(f"#play [data-square={square}]").click()
    assert page.locator("#play .cb-premove").count() == 2
    press(page, "Move now")
    wait_for_plies(page, 2)
    assert page.get_by_role("alert").inner_text() == "The premove g7 to g1 is not legal now."
    assert page.locator("#play .cb-premove").count() == 0


def test_another_time_is_chosen_while_the_engine_thinks(page: Page) -> None:
    search_for_long(page, "e4")
    page.wait_for_function("document.querySelector('.play-line').textContent.includes('deep')")
    page.get_by_label("Thinks", exact=True).select_option("depth 1")
    limit = page.get_by_label("Thinks", exact=True)
    assert limit.input_value() == "depth 1"
    press(page, "Move now")
    wait_for_plies(page, 2)
    assert limit.input_value() == "depth 1"


GAMES = {
    "good.pgn": "1. e4 {best by test} e5 (1... c5 2. Qh9) 2. Nf3 $1 Nc6 *\n\n1. d4 d5 *",
    "wrong.pgn": "1. e4 e5 2. Ke3",
    "letter.txt": "Dear Sir or Madam",
    "picture.png": "\x89PNG\r\n\x1a\n\x00",
    "empty.pgn": "",
}


def test_a_game_is_loaded_from_a_file(page: Page, tmp_path: Path) -> None:
    for name, text in GAMES.items():
        tmp_path.joinpath(name).write_text(text, encoding="latin-1")
    page.locator("#play details").first.evaluate("d => d.open = true")

    def choose_file(name: str) -> None:
        with page.expect_file_chooser() as chooser:
            press(page, "Open file")
        chooser.value.set_files(tmp_path / name)

    def drop_file(name: str) -> None:
        transfer = page.evaluate_handle(
            """([name, text]) => {
                const transfer = new DataTransfer();
                transfer.items.add(new File([text], name));
                return transfer;
            }""",
            [name, GAMES[name]],
        )
        for event in ("dragover", "drop"):
            board = page.locator("#play [data-square=e4]")
            board.dispatch_event(event, {"dataTransfer": transfer, "bubbles": True})

    message = page.locator("#play .cw-message")
    for take in (choose_file, drop_file):
        take("good.pgn")
        expect(page.locator("#play .cw-moves button")).to_have_text(["e4", "e5", "Nf3", "Nc6"])
        for name in [name for name in GAMES if name != "good.pgn"]:
            take(name)
            expect(message).to_contain_text(f"In {name}: ")
            assert plies(page) == 4
        assert page.locator("#play .cw-drop").count() == 0
        press(page, "New game")
        wait_for_plies(page, 0)


def test_a_game_is_reviewed(page: Page) -> None:
    load(page, BLUNDERS)
    choose_eyes = page.get_by_label("Also seen by", exact=True)
    choose_eyes.select_option("s16")  # is asked again after the review
    expect(page.locator(".play-second-said")).to_have_text("s16 looks at the position.")
    press(page, "Review the game")
    worst = page.locator(".play-worst li")
    expect(worst.first).to_contain_text("5. Nxf7")
    expect(worst.first).to_contain_text("It costs material")
    assert page.locator(".play-bad").count() == worst.count() <= 3
    expect(page.locator(".play-second-said")).to_contain_text("s16 quiescence search: game over")
    worst.first.get_by_role("button").click()
    board = chess.Board()
    for san in ["e4", "e5", "Nf3", "Nc6", "Bc4", "Nd4", "Nxe5", "Qg5"]:
        board.push_san(san)
    assert shown_board(page) == board.board_fen()
    assert page.locator(".cb-expected").count() == 1
    # The same position through the eyes of engines with and without a score.
    for engine, words in (("s10", "plies deep"), ("s05", "plays")):
        choose_eyes.select_option(engine)
        expect(page.locator(".play-second-said")).to_contain_text(words)
    assert page.locator(".cb-expected").count() == 1  # the better move is still shown
    graph = page.locator(".play-graph")
    graph.click(position={"x": 1, "y": 20})
    assert shown_board(page) == chess.STARTING_BOARD_FEN
    press(page, "Undo")
    expect(worst).to_have_count(0)
    expect(graph).to_be_hidden()
    choose_eyes.select_option("")


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


@pytest.mark.parametrize("text", ["nonsense", "8/8/8/8/8/8/8/8_w_-_-_0_1", "%3Cb%3E9/x_w_-", ""])
def test_a_link_with_a_bad_position_is_named_and_the_game_stays(page: Page, text: str) -> None:
    enter(page, "e4")
    wait_for_plies(page, 2)
    page.once("dialog", lambda dialog: dialog.accept())
    page.evaluate("text => { location.hash = `fen=${text}`; }", text)  # pasted into the open page
    if text:
        expect(page.locator("#play .cw-message")).to_contain_text("FEN '")
        assert "#" not in page.url
    wait_for_plies(page, 2)
    assert page.locator("#play .cb-movable").count() > 0


# Before Python has started.


def test_moves_are_drawn_as_python_would(visit: Visit) -> None:
    page = visit.page
    without_python(page)
    visit.open("play.html")
    rng = random.Random(22)
    cases, answers = [], []
    starts = [chess.STARTING_FEN, "r3k2r/Pp4pP/8/3pP3/3Pp3/8/Pp4pP/R3K2R w KQkq d6 0 9"]
    for _ in range(30):
        board = chess.Board(rng.choice(starts))
        for _ in range(rng.randrange(1, 60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = rng.choice(moves)
            cases.append([board.fen(), move.uci()])
            board.push(move)
            fields = board.fen().split()
            answers.append(" ".join([*fields[:3], "-", *fields[4:]]))
    found = page.evaluate(
        """async cases => {
            const { fenAfter } = await import("./board/predicted_state.js");
            return cases.map(([fen, move]) => fenAfter(fen, move));
        }""",
        cases,
    )
    assert found == answers


def test_a_linked_position_is_drawn_before_python_has_started(visit: Visit) -> None:
    page = visit.page
    without_python(page)
    for fen, board in (
        ("4k3/8/8/8/8/8/8/4K2R_b_K_-_0_1", "4k3/8/8/8/8/8/8/4K2R"),
        ("9/x_w_-", chess.STARTING_BOARD_FEN),
    ):
        page.goto("about:blank")
        visit.open(f"play.html#fen={fen}")
        page.wait_for_selector("#play .cb-grid")
        assert shown_board(page) == board


def test_the_first_move_is_made_and_taken_back_before_python_has_started(visit: Visit) -> None:
    page = visit.page
    without_python(page)
    visit.open("play.html")
    board = chess.Board()
    for square in ("e2", "e4"):
        page.locator(f"#play [data-square={square}]").click()
    board.push_uci("e2e4")
    assert shown_board(page) == board.board_fen() and plies(page) == 1
    press(page, "Undo")
    assert shown_board(page) == chess.STARTING_BOARD_FEN
    page.locator("#play [data-square=d2]").click()
    assert page.locator("#play .cb-target").count() == 2


def test_another_engine_is_chosen_before_python_has_started(visit: Visit) -> None:
    page = visit.page
    held = list[Route]()
    page.route("**/board/worker.js", lambda route: held.append(route))
    visit.open("play.html")
    for square in ("e2", "e4"):
        page.locator(f"#play [data-square={square}]").click()
    engine = page.get_by_label("Engine", exact=True)
    engine.select_option("s07")
    assert engine.input_value() == "s07" and plies(page) == 1
    for route in held:
        route.continue_()
    page.wait_for_selector("#play[data-ready=true]")
    wait_for_plies(page, 2)
    assert engine.input_value() == "s07"
    expect(page.locator("#play .cw-black .cw-name")).to_contain_text("s07")


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


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080), (768, 1024), (360, 740)])
def test_no_label_is_cut_off(visit: Visit, width: int, height: int) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": height})
    without_python(page)
    visit.open("play.html")
    page.locator("#play details").first.evaluate("d => d.open = true")
    cut = page.evaluate(
        """() => {
            const pen = document.createElement("canvas").getContext("2d");
            const cut = [];
            for (const one of document.querySelectorAll("#play button, #play select")) {
                if (!one.offsetParent) continue;
                const style = getComputedStyle(one);
                pen.font = style.font;
                const texts = [...(one.options ?? [one])].map(({ textContent }) => textContent);
                const longest = Math.max(...texts.map((text) => pen.measureText(text).width));
                const arrow = one.options ? 20 : 0;
                if (longest + arrow > one.clientWidth || one.clientHeight > 45) cut.push(texts);
            }
            return cut;
        }"""
    )
    assert cut == []


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
