"""What a visitor does on the page to play on, and what the page shows."""

from __future__ import annotations

import chess
from playwright.sync_api import Page, expect

from tests.helpers.site import Visit


def sit_down(visit: Visit) -> Page:
    visit.open("play.html")
    visit.page.wait_for_selector("#play[data-ready=true]")
    return visit.page


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
