"""The page before Python has started, and how it looks in windows of several sizes."""

from __future__ import annotations

import random

import chess
import pytest
from playwright.sync_api import Route, expect

from tests.book.play_page.actions import plies, press, shown_board, wait_for_plies, without_python
from tests.helpers.site import Visit
from utils.play.page import opponents


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
