"""Sets of squares: the picture, the bits and the number say what python-chess says."""

from __future__ import annotations

import chess
import pytest
from playwright.sync_api import Page, expect

from tests.figures.reader import Reader, data_of, still
from utils.figures import Figure
from utils.figures.bitboards import bitboard_figure

PINNED = chess.Board("r1b1r1k1/pp3ppp/2n5/q7/1b1P4/2N1B3/PP2BPPP/R2QK2R w KQ - 0 11")
EMPTY = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")


def figure(board: chess.Board = PINNED, first: chess.Square = chess.C3) -> Figure:
    return bitboard_figure(board, "Sets.", name="fig-s20-x", alt="Sets.", first=first)


def shown(page: Page, state: str) -> chess.SquareSet:
    names = [name for name, states in Reader(page).states().items() if state in states.split()]
    return chess.SquareSet(map(chess.parse_square, names))


def test_without_a_script_there_are_the_set_the_bits_and_all_pieces_in_words() -> None:
    text = still(figure())
    assert text.count("<li>") == len(PINNED.piece_map())
    assert text.count(">1</td>") == len(PINNED.attacks(chess.C3)) == 8
    assert "0x0000_000a_1100_110a" in text
    assert "The white knight on c3 attacks b1, d1, a2, e2, a4, e4, b5 and d5." in text
    assert "on the line of d2 and b4. The intersection of both sets is empty." in text


@pytest.mark.parametrize("board", [PINNED, PINNED.mirror(), chess.Board(), EMPTY])
def test_the_sets_are_those_of_the_rules(board: chess.Board) -> None:
    for square, found in enumerate(data_of(figure(board))["squares"]):
        squares, pins = (int(found[name], 16) for name in ("set", "pin"))
        piece = board.piece_at(square)
        if piece is None:
            attackers = [board.attackers(side, square) for side in chess.COLORS]
            assert chess.SquareSet(squares) == attackers[0] | attackers[1] and not pins
            continue
        assert chess.SquareSet(squares) == board.attacks(square)
        assert bool(pins) is board.is_pinned(piece.color, square)
        if pins:
            turned = board.copy()
            turned.turn = piece.color
            goals = {m.to_square for m in turned.legal_moves if m.from_square == square}
            assert goals <= set(chess.SquareSet(pins))
            assert not chess.SquareSet(pins) & chess.SquareSet(board.occupied_co[piece.color])


def test_a_pinned_piece_keeps_the_intersection() -> None:
    board = chess.Board("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1")
    found = data_of(figure(board))["squares"][chess.E2]
    assert "is e3, e4, e5, e6 and e7." in found["say"]
    line = chess.SquareSet.between(chess.E1, chess.E8) - {chess.E2}
    assert chess.SquareSet(int(found["pin"], 16)) == line


def test_a_missing_king_is_named() -> None:
    with pytest.raises(ValueError, match="fig-s20-x: a king is missing"):
        figure(chess.Board("8/8/8/8/8/8/8/4K3 w - - 0 1"))


def test_a_square_is_chosen_with_the_pointer_and_with_keys(page: Page) -> None:
    reader = Reader.of(page, figure())
    assert shown(page, "now") == chess.SquareSet([chess.C3])
    assert shown(page, "pin") == chess.SquareSet([chess.D2, chess.B4])
    box = reader.part("e3").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # on the piece
    expect(reader.line).to_contain_text("The white bishop on e3 attacks")
    assert shown(page, "on") == PINNED.attacks(chess.E3) and not shown(page, "pin")
    reader.part("e3").focus()
    for key, square in (("ArrowDown", chess.E2), ("ArrowLeft", chess.D2), ("ArrowUp", chess.D3)):
        page.keyboard.press(key)
        assert shown(page, "now") == chess.SquareSet([square])
        name = chess.square_name(square)
        expect(reader.part(name)).to_be_focused()
        found = int((page.locator("[data-number]").text_content() or "").replace("_", ""), 16)
        bits = page.locator('[data-bit]:text-is("1")').evaluate_all(
            "all => all.map(bit => Number(bit.dataset.bit))"
        )
        assert chess.SquareSet(found) == shown(page, "on") == chess.SquareSet(bits)
        assert reader.part(name).get_attribute("aria-label") == reader.line.inner_text()
    expect(reader.line).to_have_text("d3 is empty. Pieces on d1 and e2 attack it.")
    reader.part("a1").click()
    page.keyboard.press("ArrowLeft")  # there is no further square
    expect(reader.part("a1")).to_be_focused()
