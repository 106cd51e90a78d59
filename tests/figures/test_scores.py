"""A score on a board: what the script adds up is what the evaluator says, after any move."""

from __future__ import annotations

import random
from typing import Any

import chess
import pytest
from playwright.sync_api import Page, expect

from converted_notebooks.s12_piece_square_tables import CENTIPAWNS, TABLES, PieceSquareEvaluator
from tests.figures.reader import data_of, page_of, still
from utils.figures import Figure
from utils.figures.live import signed
from utils.figures.scores import moves_figure, piece_square_figure

NAMES: Any = {"name": "fig-s12-x", "alt": "A board to move pieces on."}
MIDDLEGAME = chess.Board("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8")


def tables(board: chess.Board) -> Figure:
    return piece_square_figure(board, CENTIPAWNS, TABLES, "Tables.", **NAMES)


def for_white(board: chess.Board) -> float:
    return PieceSquareEvaluator().heuristic(board) * (1 if board.turn else -1)


def counts(board: chess.Board) -> dict[str, float]:
    """Some terms of a position."""
    return {
        f"{chess.piece_name(kind)}s & more": 10.0
        * (len(board.pieces(kind, True)) - len(board.pieces(kind, False)))
        for kind in (chess.QUEEN, chess.KNIGHT)
    } | {"files": float(sum(chess.square_file(square) for square in board.piece_map()))}


def drag(page: Page, start: str, end: str) -> None:
    page.locator(f'[data-square="{start}"]').drag_to(page.locator(f'[data-square="{end}"]'))


def shown(page: Page, term: str) -> str:
    row = page.locator(f'[data-term="{term}"]')
    return str(row.locator("td").nth(-2).text_content())


def test_without_a_script_the_terms_of_the_position_are_there() -> None:
    text = still(tables(MIDDLEGAME))
    assert f"The score of this position is {signed(round(for_white(MIDDLEGAME)))} in White" in text
    assert f"<td>{signed(round(for_white(MIDDLEGAME)))}</td>" in text
    data = data_of(tables(MIDDLEGAME))
    assert sum(data["terms"].values()) == for_white(MIDDLEGAME)
    assert data["pieces"]["n"]["table"][chess.F6] == TABLES[chess.KNIGHT][chess.F3]


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="64 numbers for the pawn"):
        piece_square_figure(chess.Board(), CENTIPAWNS, {}, "c", **NAMES)
    stalemate = chess.Board("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1")
    with pytest.raises(ValueError, match="one side cannot move"):
        moves_figure(stalemate, counts, "c", **NAMES)


def test_the_sum_after_any_move_is_that_of_the_evaluator(page: Page) -> None:
    page.set_content(page_of(tables(chess.Board())))
    board, rng = chess.Board(), random.Random(3)
    for number in range(12):
        pieces = [square for square, piece in board.piece_map().items() if piece.piece_type > 1]
        goals = [square for square in chess.SQUARES if not board.piece_at(square)]
        start, end = rng.choice(sorted(pieces)), rng.choice(goals)
        board.set_piece_at(end, board.remove_piece_at(start))
        drag(page, chess.square_name(start), chess.square_name(end))
        assert shown(page, "score") == signed(round(for_white(board))), number
        line = page.locator(".course-live-line").inner_text()
        assert f"from {chess.square_name(start)} to {chess.square_name(end)}" in line
    page.get_by_role("button", name="start again").click()
    assert shown(page, "score") == "0"


def test_a_piece_chosen_with_the_keyboard_shows_its_table_and_moves(page: Page) -> None:
    page.set_content(page_of(tables(chess.Board())))
    grid = page.get_by_role("grid")
    page.locator('[data-square="e2"]').focus()
    page.keyboard.press("Enter")
    number = page.locator('[data-square="e4"]')
    expect(number).to_have_attribute("data-number", "+20")
    expect(page.locator(".course-live-line")).to_contain_text("The white pawn stands on e2")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    board = chess.Board()
    board.push_san("e4")
    assert shown(page, "score") == signed(round(for_white(board)))
    expect(grid.locator("[data-number]")).to_have_count(0)
    changed = page.locator('[data-is="up"]')
    assert changed.evaluate_all("all => all.map(row => row.dataset.term)") == [
        "White's squares",
        "score",
    ]


def test_each_legal_move_shows_the_terms_that_python_has_found(page: Page) -> None:
    figure = moves_figure(MIDDLEGAME, counts, "Moves.", **NAMES)
    page.set_content(page_of(figure))
    other = MIDDLEGAME.copy(stack=False)
    other.turn = chess.BLACK
    for board, uci in ((MIDDLEGAME, "d4c5"), (other, "c5d4"), (MIDDLEGAME, "e1g1")):
        after = board.copy(stack=False)
        after.push_uci(uci)
        drag(page, uci[:2], uci[2:])
        for term, value in counts(after).items():
            row = page.locator(f'[data-term="{term}"]')
            assert shown(page, term) == signed(round(value)) and row.is_hidden() == (value == 0)
        assert shown(page, "score") == signed(round(sum(counts(after).values())))
        drag(page, "a2", "a3")  # one move at a time
        assert shown(page, "score") == signed(round(sum(counts(after).values())))
        page.get_by_role("button", name="start again").click()
        assert shown(page, "score") == signed(round(sum(counts(MIDDLEGAME).values())))
