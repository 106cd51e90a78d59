"""Slides: what the rule chooses of each chapter, and decks that work without a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage

from book.builder import lite, slides
from book.builder.contents import chapter_names
from tests.helpers.programs import fail_or_skip

CHAPTERS = chapter_names()


def sources(cells: list[Any]) -> str:
    return "\n".join(cell.source for cell in cells)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_deck_has_the_questions_the_figures_and_the_summary_of_a_chapter(name: str) -> None:
    chapter = slides.executed_chapter(name)
    deck = list(slides.slides(chapter))
    assert deck[0][0].source.startswith("# ") and deck[-1][0].source.startswith("## Summary")
    text = "\n".join(cell.source for cell in chapter.cells if cell.cell_type == "markdown")
    before, _, _after = text.partition("\n## Summary\n")
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for part in deck for cell in part]
    assert kinds.count("-") == before.count(":class: course-predict")
    assert kinds.count("fragment") == before.count("{admonition} Answer")
    for slide in deck:
        assert slide[0].metadata.slideshow.slide_type == "slide"
        words = "\n".join(cell.source for cell in slide if cell.cell_type == "markdown")
        assert "{" not in re.sub(r"`[^`]*`", "", words) and "```" not in words
        assert not re.search(r'\bcheck\("s', sources(slide))
    # Each figure of the text once, and none of a solution.
    ends = next(n for n, cell in enumerate(chapter.cells) if "### Synopsis" in cell.source)
    names = [re.findall(r'<figure[^>]* id="([^"]+)"', str(part)) for part in (chapter.cells, deck)]
    drawn = re.findall(r'<figure[^>]* id="([^"]+)"', str(chapter.cells[:ends]))
    assert names[1] == drawn and len(set(drawn)) == len(drawn) > 0
    assert len(deck) < 60


def test_definitions_stand_without_docstrings_and_long_ones_by_a_method() -> None:
    deck = list(slides.slides(slides.executed_chapter("s10_alpha_beta_engine")))
    code = [cell.source for slide in deck for cell in slide if cell.cell_type == "code"]
    assert any("beta" in source and "board.push(move)" in source for source in code)
    assert not any("import " in source for source in code)
    assert not any("make_engine" in source for source in code), "each chapter has one"
    assert max(len(source.splitlines()) for source in code) <= slides.MOST_LINES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Decks with all that they need."""
    folder = tmp_path_factory.mktemp("Folien für alle")
    try:
        slides.write_parts(folder)
    except lite.MissingPartError as error:
        fail_or_skip(str(error))
    return folder


@pytest.mark.parametrize("name", [CHAPTERS[0], "s09_minimax_engine", "s18_positional_evaluation"])
def test_a_deck_is_shown_without_a_network(browser: Browser, folder: Path, name: str) -> None:
    chapter = slides.executed_chapter(name)
    path = slides.write_deck(name, chapter, folder)
    page = browser.new_page(viewport={"width": 1200, "height": 720})
    asked: list[str] = []
    wrong: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    page.on("request", lambda request: asked.append(request.url))
    page.on("console", note)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    deck = list(slides.slides(chapter))
    assert page.evaluate("Reveal.getTotalSlides()") == len(deck)
    place = next(n for n, slide in enumerate(deck) if "fragment" in str(slide[-1].metadata))
    answer = page.locator("section.present .fragment")
    page.evaluate(f"Reveal.slide({place})")
    assert answer.count() == 1 and not answer.evaluate("e => e.classList.contains('visible')")
    page.keyboard.press("ArrowRight")
    assert answer.evaluate("e => e.classList.contains('visible')")
    for number in range(len(deck)):
        page.evaluate(f"Reveal.slide({number})")
        size = page.evaluate("(e => [e.scrollWidth, e.scrollHeight])(Reveal.getCurrentSlide())")
        assert size[0] <= 1202 and size[1] <= 722, number
    assert wrong == [] and {address.partition(":")[0] for address in asked} <= {"file", "data"}
    page.close()
