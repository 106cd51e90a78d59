"""Games on the page: moves, premoves, arrows, stop, load, review; no other host is asked."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.book.play_page.actions import (
    board_of,
    choose,
    enter,
    load,
    plies,
    press,
    search_for_long,
    shown_board,
    wait_for_plies,
    without_python,
)
from tests.helpers.positions import BLUNDERS
from tests.helpers.site import Visit


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
