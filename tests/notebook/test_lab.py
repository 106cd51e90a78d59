"""What `make lab` shows: the chapters, their sources, and how they look."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.helpers.lab import Lab, Notebook
from tests.helpers.loader_tools import Cell

LOOKS = ["dark", pytest.param("light", marks=pytest.mark.slow)]


@pytest.mark.parametrize("look", LOOKS)
def test_it_opens_the_chapters_and_follows_the_system(
    browser: Browser, lab: Lab, look: Any
) -> None:
    with browser.new_context(color_scheme=look) as context:
        page = context.new_page()
        page.goto(lab.address)
        page.wait_for_url("**/lab/tree/notebooks")
        light = str(look == "light").lower()
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light)
        news, updates = page.evaluate(
            """async () => {
                const name = '@jupyterlab/apputils-extension:notification';
                const plugin = await window.jupyterapp.serviceManager.settings.fetch(name);
                const known = plugin.schema.properties;
                return [known.fetchNews.default, known.checkForUpdates.default];
            }"""
        )
        assert (news, updates) == ("false", False)
        assert page.locator(".Toastify__toast").count() == 0


def test_a_citation_opens_the_list_of_sources(browser: Browser, lab: Lab) -> None:
    text = "As ([Shannon, 1950](../book/references.bib#shannon1950)) wrote."
    book = Notebook(browser, lab, Cell(text, (), "markdown"))
    book.page.get_by_role("link", name="Shannon, 1950").click()
    book.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.title.label === 'references.bib'"
    )
    expect(book.page.locator(".jp-FileEditor .cm-content")).to_contain_text("@article{shannon1950")
    book.context.close()


WORDS = "word " * 60
CELLS = (
    "%load_ext utils.notebook\nfrom utils.figures import table",
    Cell(f"# Title\n\n{WORDS}\n\n| a | b |\n| --- | ---: |\n| c | 1 |", (), "markdown"),
    f"print({WORDS!r}, 'last')",
    "def count():\n    return sum(range(10))\n\n\n%lprun -f count count()",
    "table(['words', 'number'], [['a', 1], ['more', 23]], caption='A caption')",
    "from utils.play.widget import play\nplay('s05')",
)


@pytest.mark.parametrize("look", LOOKS)
def test_texts_tables_and_outputs_can_be_read(browser: Browser, lab: Lab, look: str) -> None:
    book = Notebook(browser, lab, *CELLS, color_scheme=look)
    for index in (0, 2, 3, 4, 5):
        book.run(index)
    page = book.page
    text = page.locator(".jp-MarkdownCell .myst")
    expect(text).to_have_css("font-size", "16px")
    expect(text).to_have_css("max-width", "736px")  # 46rem
    # A long line stays one, and its end can be reached.
    line = page.locator(".jp-RenderedText pre")
    end = line.evaluate(
        "e => [e.clientHeight, e.scrollWidth, (e.scrollLeft = 1e5) && e.scrollLeft + e.clientWidth]"
    )
    assert end[0] < 40 and end[1] > 1280 and end[2] == pytest.approx(end[1], abs=1)
    # All columns of a profile have a place of their own, within the window.
    heads = page.locator(".course-profile th").evaluate_all(
        "all => all.map(e => [e.getBoundingClientRect(), e.scrollWidth <= e.clientWidth])"
        ".map(([box, fits]) => [box.left, box.right, fits])"
    )
    assert len(heads) == 6 and all(left < right and fits for left, right, fits in heads)
    assert heads == sorted(heads) and heads[-1][1] < 1280
    words, number = page.locator("table.course-table:not(.course-profile) tbody td").all()[2:]
    expect(words).to_have_css("text-align", "left")
    expect(number).to_have_css("text-align", "right")
    # Nothing is dark on dark.
    written = (".myst p", ".myst td", ".course-profile td code", ".course-table caption")
    for part in (*written, ".cw-status", ".cw-panel input"):
        colour = page.locator(part).first.evaluate("e => getComputedStyle(e).color")
        level = max(map(int, re.findall(r"\d+", colour)[:3]))
        assert (level > 128) == (look == "dark"), (part, colour)
    book.close()
    assert book.errors == []


FIGURES = (
    "%load_ext utils.notebook",
    """import chess
from utils.figures.games import game_figure
board = chess.Board()
for san in "e4 e5 Nf3".split():
    board.push_san(san)
game_figure(board, "A game.", name="fig-s09-game", alt="A game.")""",
    """from converted_notebooks.s12_piece_square_tables import CENTIPAWNS, TABLES
from utils.figures.scores import piece_square_figure
piece_square_figure(chess.Board(), CENTIPAWNS, TABLES, "Tables", name="fig-s12-x", alt="Tables")""",
)


def test_figures_move_and_keep_their_keys(browser: Browser, lab: Lab) -> None:
    book = Notebook(browser, lab, *FIGURES)
    for index in (0, 1, 2, 1):
        book.run(index)
    page = book.page
    figures = page.locator(".jp-OutputArea .course-live[data-live]")
    expect(figures).to_have_count(2)
    on = figures.first.get_by_role("button", name="one step on")
    on.press("Enter")
    on.press("ArrowRight")
    expect(figures.first.locator(".course-live-line")).to_have_text("1... e5")
    on.press("End")
    expect(figures.first.locator(".course-live-line")).to_have_text("2. Nf3")
    assert page.locator(".jp-Notebook.jp-mod-editMode").count() == 0
    square = figures.nth(1).locator('[data-square="g1"]')
    square.drag_to(figures.nth(1).locator('[data-square="f3"]'))
    expect(figures.nth(1).locator('[data-term="score"] td').first).to_have_text("+50")
    assert not book.errors
    book.close()
