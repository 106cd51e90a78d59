"""Figures: labelled, described, independent of each other and of other hosts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import chess
import pytest
from hypothesis import given

from tests.helpers.generated import examples
from tests.helpers.positions import positions
from utils.figures import (
    TEXT,
    Figure,
    board_figure,
    board_picture,
    board_row,
    describe,
    new_plot,
    plot_figure,
    table,
)


@given(positions())
@examples(60)
def test_a_board_is_valid_svg_and_describes_every_piece(board: chess.Board) -> None:
    picture = board_picture(board, alt="Look.")
    root = ET.fromstring(picture.content)
    assert root.get("role") == "img"
    label = root.get("aria-label") or ""
    assert label.startswith("Look. White: king ")
    for square, piece in board.piece_map().items():
        assert f"{chess.piece_name(piece.piece_type)} {chess.square_name(square)}" in label
    assert label.endswith(f"{'White' if board.turn else 'Black'} to move.")


def _ids(svg: str) -> set[str]:
    return set(re.findall(r'\bid="([^"]+)"', svg))


def test_pictures_on_one_page_share_no_ids_and_refer_to_their_own() -> None:
    one, two = board_picture(chess.Board()), board_picture(chess.Board("8/8/4k3/8/8/4K3/4Q3/8 w"))
    assert _ids(one.content)
    assert not _ids(one.content) & _ids(two.content)
    for svg in (one.content, two.content):
        assert set(re.findall(r'href="#([^"]+)"', svg)) <= _ids(svg)


def test_check_and_last_move_are_marked() -> None:
    board = chess.Board()
    for san in ("e4", "e5", "Qh5", "Ke7", "Qxe5"):
        board.push_san(san)
    svg = board_picture(board).content
    assert svg.count("lastmove") == 2
    assert "check_gradient" in svg


def test_a_plot_takes_the_colour_of_the_text_and_is_the_same_each_time() -> None:
    def draw() -> str:
        plot, axes = new_plot()
        axes.plot([1, 2, 3])
        axes.set_xlabel("depth")
        return plot_figure(plot, "A line.", name="fig-s05-line", alt="A rising line.").content

    svg = draw()
    assert "currentColor" in svg
    assert "#0b0c0d" not in svg
    assert svg == draw()
    assert "<metadata" not in svg


def test_texts_and_legends_added_later_take_the_colour_of_the_text() -> None:
    plot, axes = new_plot()
    axes.plot([1, 2], label="one")
    note = axes.text(0, 1, "note")
    legend = axes.legend()
    coloured = axes.text(1, 1, "coloured", color="#3d8fd1")
    plot_figure(plot, "A line.", name="fig-s05-line", alt="A rising line.")
    assert note.get_color() == legend.get_texts()[0].get_color() == TEXT
    assert coloured.get_color() == "#3d8fd1"
    assert not legend.get_frame_on()


def test_a_figure_needs_a_caption_an_alternative_text_and_a_good_name() -> None:
    for caption, name, alt in (
        ("", "fig-s05-x", "alt"),
        ("c", "fig-s05-x", " "),
        ("c", "figure 1", "alt"),
    ):
        with pytest.raises(ValueError, match="expected"):
            Figure("<svg/>", caption=caption, name=name, alt=alt)


def test_captions_and_labels_are_escaped() -> None:
    figure = board_figure(chess.Board(), "a < b & c", name="fig-s05-x", alt='"quoted" <tag>')
    assert "<figcaption>a &lt; b &amp; c</figcaption>" in figure._repr_html_()
    assert "&quot;quoted&quot; &lt;tag&gt;" in figure.content


def test_a_row_holds_every_board_and_its_title() -> None:
    boards = [(str(n), board_picture(chess.Board())) for n in range(3)]
    row = board_row(boards, "Three boards.", name="fig-s05-row")
    assert row.content.count("<svg") == 3
    assert "<p>2</p>" in row.content


def test_a_table_is_html_with_its_caption() -> None:
    html = table(["name", "nodes"], [["<b>", 1234]], caption="A & B")._repr_html_()
    assert "<caption>A &amp; B</caption>" in html
    assert "&lt;b&gt;" in html
    assert "1234" in html


def test_an_empty_board_is_described() -> None:
    assert describe(chess.Board(None)) == "White: no pieces. Black: no pieces. White to move."
