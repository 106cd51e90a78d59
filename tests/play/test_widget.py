"""The board widget: without a browser, and played in a real JupyterLab."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import chess
import pytest
from playwright.sync_api import Browser, expect

from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine
from tests.helpers.lab import Face, Lab, Notebook
from tests.helpers.programs import until
from tests.play.front_end import SECONDS, Scripted, Waiting, end_searches
from utils.figures import board_picture
from utils.play.game import piece_pictures
from utils.play.widget import BoardWidget, play

PREPARED = """
import chess
from tests.play.front_end import Scripted, Waiting
from utils.play.widget import play
"""
Make = Callable[..., BoardWidget]
Open = Callable[..., tuple[Notebook, Face]]


@pytest.fixture
def widgets(request: pytest.FixtureRequest) -> Make:
    """Makes widgets, which are closed after the test."""

    def make(*arguments: Any, **options: Any) -> BoardWidget:
        made = play(*arguments, **options)
        request.addfinalizer(made.close)
        return made

    return make


# Without a browser.


def test_the_script_is_one_module() -> None:
    script = BoardWidget._esm
    assert re.findall(r"^(?:import|export)\b.*", script, flags=re.MULTILINE) == ["export default {"]
    assert script.index("class Board") < script.index("function mount")


def test_the_pieces_are_those_of_the_courses_boards() -> None:
    pictures = piece_pictures()
    assert set(pictures) == set("pnbrqkPNBRQK")
    for picture in pictures.values():
        assert picture.startswith("<g") and " id=" not in picture and "<script" not in picture


def test_a_widget_plays_and_its_seed_repeats_the_game(widgets: Make) -> None:
    games = []
    for _ in range(2):
        widget = widgets("s05", seed=1)
        widget._receive(widget, {"do": "move", "text": "e4", "ply": 0}, [])
        end_searches()
        assert widget.state["moves"] and not widget.state["thinking"]
        games.append(widget.state["sans"])
    assert games[0] == games[1] and len(games[0]) == 2 == len(widget.board.move_stack)


def test_what_is_given_arrives(widgets: Make) -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R b K - 0 1"
    widget = widgets(Scripted(), 0.5, chess.BLACK, fen)
    assert widget.board.fen() == fen
    given = {"limit": "0.5 s", "side": "black", "black": True}
    assert {key: widget.state[key] for key in given} == given
    assert widgets("s05", depth=3).state["limit"] == "depth 3"
    assert widgets("s05", color=None).state["side"] == "both"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "s77"}, "'s77' brings no engine; expected one of s05"),
        ({"engine": 5}, "engine 5: expected a chapter, an Engine, or a function"),
        ({"engine": Scripted}, "expected a chapter, an Engine, or a function"),
        ({"seconds": 0}, "limit '0 s': expected"),
        ({"depth": -2}, "limit 'depth -2': expected"),
        ({"fen": "8/8"}, "FEN '8/8'"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        play(**options)


def test_where_no_kernel_runs_there_is_a_picture(widgets: Make) -> None:
    bundle, _ = widgets(Scripted())._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/html"].startswith("<svg") and "king e1" in bundle["text/html"]
    for color, turn in ((chess.WHITE, "w"), (chess.BLACK, "b")):
        widget = widgets(Scripted(), color=color, fen=f"4k3/8/8/8/8/8/8/4K2R {turn} - - 0 1")
        bundle, _ = widget._repr_mimebundle_()
        assert bundle["text/html"] == board_picture(widget.board, orientation=color).content


def test_a_function_can_play(widgets: Make) -> None:
    def last_move(board: chess.Board) -> chess.Move:
        return list(board.legal_moves)[-1]

    for engine, name in ((last_move, "last_move"), (functools.partial(last_move), "partial")):
        widget = widgets(engine)
        widget._receive(widget, {"do": "move", "text": "e4", "ply": 0}, [])
        end_searches()
        assert widget.state["sans"] == ["e4", "a5"] and widget.state["names"]["Black"] == name


def test_in_a_kernel_that_runs_s04_its_own_engine_can_play(widgets: Make) -> None:
    parts = vars(Engine) | vars(FirstMoveEngine)
    own = type("Own", (), {name: part for name, part in parts.items() if name[0] != "_"})()
    assert not isinstance(own, Engine), "there, `Engine` is another class"
    widget = widgets(own)
    widget.session.handle({"do": "move", "text": "e4", "ply": 0})
    until(lambda: len(widget.board.move_stack) == 2)


def test_closing_ends_the_search() -> None:
    engine = Waiting()
    widget = play(engine, color=chess.BLACK)
    assert engine.started.wait(SECONDS)
    widget.close()
    engine.go.set()
    end_searches()
    assert not widget.session.thinking and widget.board.move_stack == []


def test_what_is_sent_stays_small(widgets: Make) -> None:
    widget = widgets(Scripted(), color=None)
    for ply in range(80):
        move = list(widget.board.legal_moves)[ply % 3].uci()
        widget._receive(widget, {"do": "move", "text": move, "ply": ply}, [])
    assert len(str(widget.state)) < 14_000
    assert len(str(widget.setup)) < 20_000


# In a real JupyterLab.


@pytest.fixture
def board(browser: Browser, lab: Lab) -> Iterator[Open]:
    """Shows a widget in a notebook, which is closed after the test; its cells follow."""
    opened: list[Notebook] = []

    def start(call: str, *cells: str, **options: Any) -> tuple[Notebook, Face]:
        first = f"{PREPARED}\nwidget = {call}\nwidget"
        opened.append(Notebook(browser, lab, first, *cells, **options))
        opened[-1].run(0)
        return opened[-1], Face(opened[-1].page)

    yield start
    for book in opened:
        errors = [*book.errors]  # what closing it brings does not count
        book.close()
        assert errors == []


def test_a_game_is_won_by_clicks_and_drags(board: Open) -> None:
    book, face = board(
        "play(Scripted('e7e5', 'b8c6', 'g8f6'))",
        "print(widget.board.fen())",
        "busy = play(engine := Waiting('e7e5'))\nbusy",
        "print(busy.session.thinking)\nengine.go.set()",
        "busy.close()",
    )
    expect(face.square("e2")).to_have_attribute("aria-label", "e2, white pawn")
    face.click("e2")
    assert face.marked("target") == {"e3", "e4"} and face.marked("selected") == {"e2"}
    face.click("e4")
    face.has_moves("e4", "e5")
    assert face.marked("last") == {"e7", "e5"} and face.marked("target") == set()
    face.drag("f1", "c4")
    face.has_moves("e4", "e5", "Bc4", "Nc6")
    face.drag("d1", "d5")
    face.has_moves("e4", "e5", "Bc4", "Nc6")  # the queen cannot go there
    assert face.marked("selected") == set()
    face.complains("d1 to d5 is not a legal move.")
    face.click("b1")
    expect(face.message).to_be_hidden()
    face.click("b5")
    face.complains("b1 to b5 is not a legal move.")
    face.drag("d1", "h5")
    expect(face.message).to_be_hidden()
    face.has_moves("e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6")
    face.click("h5", "f7")
    face.says("White played Qxf7#. White wins: checkmate.")
    assert face.marked("check") == {"e8"} and face.marked("movable") == set()
    mate = chess.Board("r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4")
    assert book.run(1) == mate.fen()
    assert face.pieces() == {chess.square_name(s): str(p) for s, p in mate.piece_map().items()}
    face.root.locator("summary").click()
    with book.page.expect_download() as download:
        face.button("Save PGN").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "4. Qxf7# 1-0" in text and '[Black "Scripted"]' in text
    face.button("Undo").click()
    face.has_moves("e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6")
    face.says("Taken back. Black played Nf6. White to move, your move.")
    # Cells run while an engine searches. Who looks back goes on to, and is told of the move.
    book.run(2)
    second = Face(book.page, 1)
    second.click("e2", "e4")
    second.thinks()
    second.button("first position").click()
    second.says("The board shows ply 0 of 1.")
    assert book.run(3) == "True"
    second.says("The board shows ply 0 of 2.")
    expect(second.button("last position")).to_have_class("cw-unseen")
    second.button("last position").click()
    expect(second.button("last position")).not_to_have_class("cw-unseen")
    assert second.marked("last") == {"e7", "e5"} and second.marked("movable") != set()
    assert book.run(4) == ""
    expect(second.root).to_have_count(0)


@pytest.mark.slow
def test_a_pawn_becomes_what_is_chosen(board: Open) -> None:
    fen = "1n5k/P7/8/8/8/8/8/4K3 w - - 0 1"
    _, face = board(f"play(Scripted(), fen='{fen}')")
    choice = face.root.get_by_role("dialog", name="promote to")
    face.click("a7", "a8")
    expect(choice).to_be_visible()
    face.page.keyboard.press("Escape")
    expect(choice).to_have_count(0)
    face.has_moves()
    face.drag("a7", "b8")
    choice.get_by_role("button", name="knight").click()
    expect(face.root.locator(".cw-moves button").first).to_have_text("axb8=N")
    face.button("Undo").click()
    face.has_moves()
    face.click("a7", "a8")
    for key in ("ArrowRight", "Tab", "ArrowLeft", "Enter"):  # queen, rook, bishop, rook
        face.page.keyboard.press(key)
    expect(face.root.locator(".cw-moves button").first).to_have_text("a8=R")
    expect(face.square("a8")).to_be_focused()


@pytest.mark.slow
def test_a_game_is_played_by_keys_alone(board: Open) -> None:
    _, face = board("play(Scripted('e7e5', 'd7d6'))")
    keys = face.page.keyboard
    face.square("e2").focus()
    keys.press("Enter")
    spoken = face.root.locator(".cw-hidden")
    expect(spoken).to_contain_text("white pawn e2, moves to e3, e4")
    expect(face.square("e4")).to_have_attribute("aria-label", "e4, empty, can move here")
    keys.press("Escape")
    expect(spoken).to_contain_text("cancelled")
    assert face.marked("target") == set()
    for key in ("Space", "ArrowUp", "ArrowUp", "Space"):
        keys.press(key)
    face.has_moves("e4", "e5")
    expect(face.square("e4")).to_be_focused()
    expect(face.square("e4")).to_have_attribute("aria-label", "e4, white pawn")
    face.says("Black played e5. White to move, your move.")
    for key in (*["ArrowRight"] * 9, *["ArrowDown"] * 9):
        keys.press(key)  # the edge holds
    expect(face.square("h1")).to_be_focused()
    field = face.field("Your move")
    field.fill("Qh9")
    keys.press("Enter")
    face.complains("'Qh9' is not a move. Expected one like")
    field.fill("d1h5")
    keys.press("Enter")
    face.has_moves("e4", "e5", "Qh5", "d6")
    expect(face.message).to_be_hidden()
    # Back to an earlier position, in the list of moves.
    face.root.locator(".cw-moves [aria-current]").focus()
    keys.press("ArrowLeft")
    face.says("Black played d6. White to move, your move. The board shows ply 3 of 4.")
    expect(face.root.locator(".cw-moves [aria-current]")).to_be_focused()
    keys.press("ArrowUp")
    face.says("The board shows ply 1 of 4.")
    assert face.marked("movable") == set() and face.marked("last") == {"e2", "e4"}
    keys.press("ArrowDown")
    keys.press("ArrowRight")
    expect(face.status).to_have_text("Black played d6. White to move, your move.")
    # And with the buttons, which keep the focus at both ends of the game.
    face.button("first position").focus()
    for _ in range(2):
        keys.press("Enter")
        face.says("The board shows ply 0 of 4.")
    expect(face.button("first position")).to_be_focused()
    expect(face.button("previous move")).to_have_attribute("aria-disabled", "true")
    # A move that is typed belongs to the end of the game.
    field.fill("Nf3")
    keys.press("Tab")
    keys.press("Enter")
    expect(face.root.locator(".cw-moves button")).to_have_count(6)
    expect(face.button("last position")).to_have_attribute("aria-disabled", "true")
    # JupyterLab did not take a key for itself: no cell was added or removed.
    assert face.page.locator(".jp-Notebook .jp-Cell").count() == 1


@pytest.mark.slow
def test_a_failure_is_mended_and_a_position_is_loaded_and_copied(board: Open) -> None:
    call = "play(Scripted('e7e5'), color=chess.BLACK)"
    book, face = board(call, permissions=["clipboard-read", "clipboard-write"])
    face.complains("Scripted failed. ValueError: the engine played e7e5; expected a legal move.")
    face.button("Move now").click()
    expect(face.root.locator(".cw-moves button")).to_have_count(1)
    expect(face.message).to_be_hidden()
    assert face.corner() == "h1"
    face.field("You play").select_option("white")
    face.button("New game").click()
    face.has_moves()
    assert face.corner() == "a8"
    face.root.locator("summary").click()
    face.field("FEN").fill("no position")
    face.button("Load FEN").click()
    face.complains("FEN 'no position'")
    face.has_moves()
    fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    face.field("FEN").fill(fen)
    face.button("Load FEN").click()
    face.says("New game. White to move, your move.")
    expect(face.message).to_be_hidden()
    face.button("Copy FEN").click()
    expect(face.root.locator(".cw-hidden")).to_contain_text("FEN copied")
    assert book.page.evaluate("navigator.clipboard.readText()") == fen
