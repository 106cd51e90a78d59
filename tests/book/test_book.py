"""The rendered book in a real browser: complete, quiet, and alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser

from book.builder import build
from book.builder.build import PAGE
from book.builder.contents import chapters
from tests.site import Visit
from utils.jupyter_loader import JupyterLoader
from utils.paths import NOTEBOOKS

SITE = PAGE.parent
CHAPTERS = chapters()


def _pages() -> list[str]:
    return sorted(path.name for path in SITE.glob("*.html"))


@pytest.mark.parametrize("look", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_every_page_opens_without_complaint_and_asks_no_other_host(
    browser: Browser, address: str, look: Any
) -> None:
    pages = _pages()
    assert len(pages) > len(CHAPTERS) + 4
    with Visit(browser, address, color_scheme=look) as visit:
        for page in pages:
            visit.open(page)
            broken = visit.page.evaluate(
                "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
            )
            assert (page, broken) == (page, [])
            assert (page, visit.errors, visit.complaints, visit.failed) == (page, [], [], [])
        assert visit.foreign == []


def test_no_page_is_wider_than_a_phone(browser: Browser, address: str) -> None:
    with Visit(browser, address, viewport={"width": 360, "height": 740}) as visit:
        for page in _pages():
            visit.open(page)
            width = visit.page.evaluate("document.documentElement.scrollWidth")
            assert (page, width) == (page, 360)


def _all(visit: Visit, selector: str, attribute: str) -> list[str]:
    """One property of every element that the selector finds."""
    script = "([s, a]) => [...document.querySelectorAll(s)].map(e => e[a])"
    found: list[str] = visit.page.evaluate(script, [selector, attribute])
    return found


def test_links_within_the_book_lead_somewhere(browser: Browser, address: str) -> None:
    anchors: dict[str, set[str]] = {}
    links: dict[str, list[str]] = {}
    with Visit(browser, address) as visit:
        for page in _pages():
            visit.open(page)
            anchors[page] = set(_all(visit, "[id]", "id"))
            links[page] = _all(visit, "article a[href]", "href")
    dead = []
    for page, targets in links.items():
        for target in targets:
            if not target.startswith(address):
                continue
            path, _, anchor = target.removeprefix(address).partition("#")
            if (
                path.endswith(".html")
                and (path not in anchors or (anchor and anchor not in anchors[path]))
            ) or not (SITE / path).exists():
                dead.append((page, target))
    assert dead == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_have_a_number_a_caption_and_an_alternative_text(
    browser: Browser, address: str, name: str
) -> None:
    with Visit(browser, address) as visit:
        visit.open(f"{name}.html")
        figures = visit.page.evaluate(
            """[...document.querySelectorAll('article figure')].map(f => ({
                id: f.id,
                caption: f.querySelector('figcaption')?.innerText || '',
                alts: [...f.querySelectorAll('svg, img')].map(
                    e => e.getAttribute('aria-label') || e.getAttribute('alt') || ''),
                visible: f.getBoundingClientRect().height > 40,
            }))"""
        )
        assert figures
        for figure in figures:
            assert re.match(rf"fig-{name[:3]}-", figure["id"]), figure
            assert re.match(r"Fig\. \d+\.\d+ \S", figure["caption"]), figure
            assert figure["alts"] and all(len(alt) > 20 for alt in figure["alts"]), figure
            assert figure["visible"], figure
        loose = visit.page.evaluate(
            """[...document.querySelectorAll('article .cell_output svg, article .cell_output img')]
               .filter(e => !e.closest('button'))
               .filter(e => !e.getAttribute('aria-label') && !e.getAttribute('alt')).length"""
        )
        assert loose == 0


def test_boards_and_plots_follow_the_dark_look(browser: Browser, address: str) -> None:
    script = """(selector) => {
        const element = document.querySelector(selector);
        let ground = element;
        const back = (e) => getComputedStyle(e).backgroundColor;
        while (back(ground) === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
        const level = (colour) => colour.match(/[0-9.]+/g).slice(0, 3)
            .reduce((sum, part) => sum + Number(part), 0) / 3;
        return [level(getComputedStyle(element).color), level(back(ground))];
    }"""
    for look, darker in (("light", 0), ("dark", 1)):
        with Visit(browser, address, color_scheme=look) as visit:
            visit.open("s05_random_engine.html")
            for selector in ("svg.course-plot", "svg.course-board"):
                levels = visit.page.evaluate(script, selector)
                assert levels[darker] < 90, (look, selector, levels)
                assert levels[1 - darker] > 165, (look, selector, levels)


def test_the_search_finds_a_chapter(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        visit.open("search.html?q=stalemate")
        # The results arrive one after another, so the test waits for the one it wants.
        wanted = visit.page.locator("#search-results li", has_text="engine interface")
        wanted.first.wait_for(timeout=30000)
        assert visit.foreign == []


def test_the_glossary_is_linked_from_chapters(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        visit.open("s04_engine_interface.html")
        targets = _all(visit, "article a[href*='glossary.html#term-']", "href")
        assert len(targets) >= 3


def test_citations_lead_to_the_bibliography(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        for name in CHAPTERS:
            visit.open(f"{name}.html")
            assert visit.page.locator("article a[href*='bibliography.html#']").count() > 0, name


def test_the_title_page_shows_a_board_and_is_light(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        sizes: list[int] = []
        visit.page.on("response", lambda r: sizes.append(int(r.headers.get("content-length", "0"))))
        visit.open("index.html")
        board = visit.page.locator("article figure img[src$='board.svg']")
        assert board.is_visible()
        assert sum(sizes) < 3_000_000


def test_profiles_appear_below_their_cell() -> None:
    for name in ("s02_project_setup", "s07_material_engine", "s09_minimax_engine"):
        text = SITE.joinpath(f"{name}.html").read_text(encoding="utf-8")
        assert "Line Contents" in text
        assert "% Time" in text


def test_the_index_names_what_chapters_explain() -> None:
    text = SITE.joinpath("genindex.html").read_text(encoding="utf-8")
    for entry in ("ScoredMove", "HumanEngine", "RandomEngine", "confidence interval"):
        assert entry in text


def test_the_book_leaves_out_the_template_and_set_up_cells() -> None:
    pages = _pages()
    assert not any("TEMPLATE" in page for page in pages)
    for name in CHAPTERS:
        text = SITE.joinpath(f"{name}.html").read_text(encoding="utf-8")
        assert "load_ext" not in text or name == "s02_project_setup"


def test_a_notebook_that_a_reader_adds_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = [*CHAPTERS, "s31_anna"]  # a player of the class's tournament; no file is needed here
    monkeypatch.setattr(JupyterLoader, "chapters", lambda self: added)
    monkeypatch.setattr(build, "TARGET", tmp_path)
    build.stage()
    assert sorted(path.stem for path in tmp_path.glob("s*.ipynb")) == CHAPTERS
    assert not (tmp_path / "builder").exists()


def test_the_download_of_a_chapter_is_its_notebook() -> None:
    for name in CHAPTERS:
        offered = SITE / "_sources" / f"{name}.ipynb"
        assert offered.read_bytes() == (NOTEBOOKS / f"{name}.ipynb").read_bytes()


def test_an_address_with_a_null_is_not_found(address: str) -> None:
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{address}index%00.html")
