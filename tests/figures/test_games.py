"""A game to step through: every position is that of python-chess, also in a browser."""

from __future__ import annotations

import re

import chess
import chess.svg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

from tests.figures.reader import Reader, data_of, still
from tests.helpers.generated import examples
from utils.figures import Figure
from utils.figures.games import game_figure

OPERA = (
    "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ "
    "Nbd7 O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#"
)
PROMOTION = chess.Board("8/P6k/8/8/8/8/8/K7 w - - 0 1")


def played(sans: str, start: chess.Board | None = None) -> chess.Board:
    board = start.copy() if start else chess.Board()
    for san in sans.split():
        board.push_san(san)
    return board


def figure(game: chess.Board, ply: int = 0, **options: object) -> Figure:
    return game_figure(game, "A game.", name="fig-s09-game", alt="Look.", ply=ply, **options)  # type: ignore[arg-type]


@given(st.randoms(use_true_random=False), st.integers(0, 60))
@examples(30)
def test_the_data_of_a_figure_are_the_positions_of_the_game(rng: object, plies: int) -> None:
    game = chess.Board()
    while game.ply() < plies and (moves := list(game.legal_moves)):
        game.push(rng.choice(moves))  # type: ignore[attr-defined]
    ply = game.ply() // 2
    shown = figure(game, ply, notes={ply: "Here <it> is."})
    steps = data_of(shown)["steps"]
    boards = [game.copy() for _ in range(game.ply() + 1)]
    for number, board in enumerate(boards):
        while board.ply() > number:
            board.pop()
    ucis = ["", *(move.uci() for move in game.move_stack)]
    assert [step["board"] for step in steps] == [
        [board.board_fen(), move] for board, move in zip(boards, ucis, strict=True)
    ]
    assert steps[ply]["say"].endswith(". Here <it> is.") and "<it>" not in shown.content
    for number, (before, move) in enumerate(zip(boards, game.move_stack, strict=False), 1):
        assert f" {before.san(move)}" in steps[number]["say"]


def test_a_half_move_that_the_game_does_not_have_is_named() -> None:
    for options in ({"ply": 34}, {"notes": {-1: "never"}}):
        with pytest.raises(ValueError, match=r"fig-s09-game: ply (34|-1) of a game of 33"):
            figure(played(OPERA), **options)


def test_without_a_script_there_is_a_position_with_its_note_and_all_moves() -> None:
    before = played(" ".join(OPERA.split()[:31]))
    shown = figure(played(OPERA), 31, notes={31: "The queen is given away."})
    assert "16. Qb8+. The queen is given away.</p>" in still(shown)
    assert "1. e4 e5 2. Nf3 d6" in still(shown)
    assert still(shown).count("<use") == chess.popcount(before.occupied)


@pytest.mark.parametrize(
    ("game", "first"), [(played(OPERA), 31), (played("a8=Q Kg6", PROMOTION), 0)]
)
def test_a_reader_steps_through_every_position(
    browser: Browser, game: chess.Board, first: int
) -> None:
    shown = figure(game, first)
    page = browser.new_page()
    reader = Reader.of(page, shown)

    def drawn() -> dict[chess.Square, str]:
        found = {}
        for place, name in page.eval_on_selector_all(
            ".course-live svg > use",
            "all => all.map(u => [u.getAttribute('transform'), document.querySelector("
            "u.getAttribute('href')).getAttribute('class')])",
        ):
            column, row = ((int(part) - 15) // 45 for part in re.findall(r"\d+", place))
            found[chess.square(column, 7 - row)] = name
        return found

    board = game.root()
    reader.slider.press("Home")
    assert reader.back.get_attribute("aria-disabled") == "true"
    for number, move in enumerate([None, *game.move_stack]):
        if move:
            said = board.san(move)
            board.push(move)
            reader.on.click()
            assert said in reader.line.inner_text()
            marked = page.eval_on_selector_all(
                ".lastmove", "all => all.map(r => r.classList[r.classList.length - 1])"
            )
            assert {*marked} == {move.uci()[:2], move.uci()[2:4]}
        expected = {
            square: f"{chess.COLOR_NAMES[piece.color]} {chess.piece_name(piece.piece_type)}"
            for square, piece in board.piece_map().items()
        }
        assert drawn() == expected, number
        assert reader.slider.input_value() == str(number)
        words = page.locator("svg[role=img]").get_attribute("aria-label") or ""
        for place, piece in board.piece_map().items():
            assert f"{chess.piece_name(piece.piece_type)} {chess.square_name(place)}" in words
    assert reader.on.get_attribute("aria-disabled") == "true"
    page.close()
