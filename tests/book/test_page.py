"""What a reader sees on a page: nothing cut off, nothing open that should be folded."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from playwright.sync_api import Browser

from book.builder.build import PAGE
from book.builder.citations import labels
from book.builder.contents import chapters
from tests.site import Visit

SITE = PAGE.parent
CHAPTERS = chapters()

BLOCKS = """() => {
    for (const fold of document.querySelectorAll('article details')) fold.open = true;
    for (const fold of document.querySelectorAll('article .toggle-hidden'))
        fold.classList.remove('toggle-hidden');
    return [...document.querySelectorAll(
        'article div.highlight pre, article .cell_output pre, article table, article .course-math'
    )].filter(e => e.clientWidth).map(e => {
        const box = e.closest('.pst-scrollable-table-container') ?? e;
        return [box.scrollWidth > box.clientWidth + 1, e.textContent.trim().slice(0, 60)];
    });
}"""
"""Blocks of a page, all folds open: whether each must be scrolled sideways, and its beginning."""


@pytest.mark.parametrize("width, most", [(1280, 0.0), (1440, 0.0), (390, 0.3)])
def test_blocks_are_rarely_wider_than_the_screen(
    browser: Browser, address: str, width: int, most: float
) -> None:
    blocks = []
    with Visit(browser, address, viewport={"width": width, "height": 900}) as visit:
        for page in sorted(SITE.glob("*.html")):
            visit.open(page.name)
            blocks += [(page.name, *block) for block in visit.page.evaluate(BLOCKS)]
    wide = [(page, text) for page, too_wide, text in blocks if too_wide]
    assert len(blocks) > 1500
    assert len(wide) <= most * len(blocks), wide


def test_formulas_are_centred_and_have_a_font_of_their_own(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        visit.open("s21_measuring_strength.html")
        places = visit.page.evaluate(
            """[...document.querySelectorAll('article section > .course-math')].map(e => {
                const box = e.getBoundingClientRect();
                const parts = [...e.querySelector('math').children];
                const places = parts.map(part => part.getBoundingClientRect());
                const left = Math.min(...places.map(place => place.left));
                const right = Math.max(...places.map(place => place.right));
                return [left - box.left, box.right - right];
            })"""
        )
        assert places
        for left, right in places:
            assert left == pytest.approx(right, abs=8) and left > 20  # a space may end a formula
        visit.page.wait_for_function("document.fonts.check('16px Course Math')")


@pytest.mark.parametrize("look", ["light", "dark"])
def test_captions_of_figures_and_tables_look_alike_and_are_as_dark_as_the_text(
    browser: Browser, address: str, look: Any
) -> None:
    style = """(selector) => {
        const {color, fontSize, fontWeight} = getComputedStyle(document.querySelector(selector));
        return [color, fontSize, fontWeight];
    }"""
    with Visit(browser, address, color_scheme=look) as visit:
        visit.open("s21_measuring_strength.html")
        caption = visit.page.evaluate(style, "article figcaption .caption-text")
        assert visit.page.evaluate(style, "article table caption") == caption
        assert caption[0] == visit.page.evaluate(style, "article p")[0]
        assert float(caption[1][:-2]) > 14 and caption[2] == "400"


def test_written_and_computed_tables_look_alike(browser: Browser, address: str) -> None:
    style = """(selector) => {
        const style = getComputedStyle(document.querySelector(selector));
        return [style.padding, style.borderBottom, style.fontSize];
    }"""
    with Visit(browser, address) as visit:
        visit.open("s13_incremental_evaluation.html")
        written, computed = ("table.table tbody td", "table.course-table:not(.course-profile) td")
        assert visit.page.evaluate(style, written) == visit.page.evaluate(style, computed)


def test_a_solution_is_one_fold_with_its_code_and_output(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        for name in CHAPTERS:
            visit.open(f"{name}.html")
            cells = visit.page.locator(".cell.tag_solution")
            inside = visit.page.locator(".solution.dropdown .cell.tag_solution")
            assert cells.count() == inside.count() == visit.page.locator(".solution").count() > 3
            shown = visit.page.locator(".cell.tag_solution :is(pre, .output, svg):visible")
            assert (name, shown.count()) == (name, 0)
        first = visit.page.locator(".solution.dropdown").first
        first.locator(".toggle-button").click()
        first.locator(".cell.tag_solution pre").first.wait_for(state="visible")


def test_an_exercise_has_one_name() -> None:
    for name in CHAPTERS:
        text = SITE.joinpath(f"{name}.html").read_text(encoding="utf-8")
        said = html.unescape(re.sub(r"<[^>]*>", "", text))
        exercises = re.findall(r"^\s*Exercise (\S+)", said, re.MULTILINE)
        assert exercises == [str(n + 1) for n in range(len(exercises))] and len(exercises) > 3
        assert re.findall(r"Solution to\s+Exercise (\S+)", said) == exercises


def test_long_outputs_are_bounded(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        for name in CHAPTERS:
            visit.open(f"{name}.html")
            heights = visit.page.evaluate(
                "[...document.querySelectorAll('.cell_output pre')].map(e => e.offsetHeight)"
            )
            assert (name, max(heights, default=0) <= 460) == (name, True)


def test_no_page_tells_to_install_a_program_in_place_of_a_result() -> None:
    for path in SITE.glob("s*.html"):
        assert "is not installed; to install it" not in path.read_text(encoding="utf-8"), path.name


def test_profiles_show_their_last_column(browser: Browser, address: str) -> None:
    for width in (1280, 390):
        with Visit(browser, address, viewport={"width": width, "height": 900}) as visit:
            visit.open("s07_material_engine.html")
            boxes = visit.page.evaluate(
                """[...document.querySelectorAll('table.course-profile td:last-child')].map(
                    e => e.getBoundingClientRect().right)"""
            )
            assert len(boxes) > 10 and max(boxes) <= width


def test_the_bibliography_has_the_labels_of_the_text_in_their_order() -> None:
    text = SITE.joinpath("bibliography.html").read_text(encoding="utf-8")
    shown = re.findall(r'<span class="label"><span[^>]*>\[</span>(.*?)<span', text)
    known = {html.unescape(label) for label in shown}
    assert known <= set(labels().values()) and len(shown) == len(known) > 40
    assert shown.index("Beal, 1990") < shown.index("Beal and Smith, 1999")
    assert "Programming a Computer for Playing Chess" in text


def test_the_title_page_says_what_is_built_and_where_to_begin(
    browser: Browser, address: str
) -> None:
    with Visit(browser, address, viewport={"width": 1280, "height": 900}) as visit:
        visit.open("index.html")
        buttons = visit.page.locator(".course-buttons a")
        assert buttons.all_inner_texts() == ["Start reading", "Play now", "Run it"]
        for part in (buttons.nth(2), visit.page.locator("img[src$='board.svg']")):
            box = part.bounding_box()
            assert box is not None and box["y"] + box["height"] < 900
        ladder = visit.page.locator("img[src$='/ladder.svg']").bounding_box()
        assert ladder is not None and ladder["y"] + ladder["height"] < 900
        cards = visit.page.locator(".course-cards .sd-card-title").all_inner_texts()
        assert [card.partition(".")[0] for card in cards] == [str(int(n[1:3])) for n in CHAPTERS]
        assert "±" in visit.page.locator(".course-elo").first.inner_text()


TERMS = {
    "%lprun": "s02",
    "virtual environment": "s02",
    "FEN": "s03",
    "SAN": "s03",
    "en passant": "s03",
    "castling": "s03",
    "stalemate": "s03",
    "perft": "s03",
    "bitboard": "s03",
    "ScoredMove": "s04",
    "confidence interval": "s05",
    "Polyglot": "s06",
    "piece values": "s07",
    "Evaluator": "s08",
    "minimax": "s09",
    "negamax": "s09",
    "fail-soft": "s10",
    "cut-off": "s10",
    "iterative deepening": "s11",
    "piece-square table": "s12",
    "Amdahl": "s12",
    "incremental evaluation": "s13",
    "killer move": "s14",
    "history heuristic": "s14",
    "Zobrist key": "s15",
    "quiescence search": "s16",
    "horizon effect": "s16",
    "null move": "s17",
    "tapered evaluation": "s18",
    "passed pawn": "s18",
    "Syzygy": "s19",
    "lazy evaluation": "s20",
    "Elo": "s21",
    "SPRT": "s21",
    "UCI": "s22",
    "ponder": "s22",
}
"""What a reader may look for, and the chapter that teaches it."""


def test_the_search_finds_the_chapter_that_teaches_a_term(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        visit.open("search.html")
        visit.page.wait_for_function("window.Stemmer && Search.hasIndex()")
        for term, chapter in TERMS.items():
            found = visit.page.evaluate(
                "q => Search._performSearch(...Search._parseQuery(q)).reverse().map(r => r[0])",
                term,
            )
            assert chapter in [page[:3] for page in found[:2]], (term, found[:4])


def test_the_search_shows_the_definition_of_a_term(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        visit.open("search.html?q=zugzwang")
        teaser = visit.page.locator("#search-results li", has_text="Glossary").locator("p.context")
        teaser.first.wait_for()
        assert len(teaser.first.inner_text()) > 60


def test_the_search_leaves_out_code_that_is_folded() -> None:
    index = SITE.joinpath("searchindex.js").read_text(encoding="utf-8")
    assert "tick_param" not in index and "negamax" in index
