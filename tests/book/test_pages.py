"""The rendered book in a real browser: complete, quiet, alone, readable without eyes or mouse.

Each page is visited once and asked everything; the tests look at the answers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from book.builder import build, serve
from book.builder.build import PAGE
from book.builder.citations import labels
from book.builder.contents import chapter_names
from book.builder.sphinx_extension import whole_streams
from tests.helpers.site import Visit
from utils.chapters import Chapter
from utils.chapters import chapters as records
from utils.paths import NOTEBOOKS

SITE = PAGE.parent
CHAPTERS = chapter_names()
PAGES = sorted(path.name for path in SITE.glob("*.html"))
SERIOUS = {"serious", "critical"}
CODE = "s04_engine_interface.html"
"""The page whose code axe-core reads word by word; the colours are the same everywhere."""

FOR_AXE = [
    *("index.html", "how_to_read.html", "play.html", "s01_introduction.html"),
    *("s24_measuring_strength.html", "glossary.html", CODE),
]
"""What axe-core sees in light; in the dark it sees all pages."""

AXE = {"preload": False, "resultTypes": ["violations"]}

FACTS = """() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const name = (e) => e.getAttribute('aria-label') || e.getAttribute('alt') || '';
    return {
        broken: [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
        ids: all('[id]').map(e => e.id),
        links: all('article a[href]').map(a => a.href),
        figures: all('article figure').map(f => ({
            id: f.id,
            caption: f.querySelector('figcaption')?.innerText || '',
            alts: [...f.querySelectorAll('svg:not([aria-hidden]), img, [role=group]')].map(name),
            visible: f.getBoundingClientRect().height > 40,
        })),
        unnamed: all('article .cell_output :is(svg:not([aria-hidden]), img)')
            .filter(e => !e.closest('button') && !name(e)).length,
        asleep: all('.course-live:not([data-live])').length,
        tallest: Math.max(0, ...all('.cell_output pre').map(e => e.offsetHeight)),
        solutions: [
            '.solution', '.cell.tag_solution', '.solution.dropdown .cell.tag_solution',
        ].map(s => all(s).length),
        shown: all('.cell.tag_solution :is(pre, .output, svg)').filter(
            e => e.checkVisibility({visibilityProperty: true})).length,
    };
}"""
UNFOLD = """() => {
    for (const fold of document.querySelectorAll('article details')) fold.open = true;
    for (const fold of document.querySelectorAll('article .toggle-hidden'))
        fold.classList.remove('toggle-hidden');
}"""
BLOCKS = """() => [...document.querySelectorAll(
    'article div.highlight pre, article .cell_output pre, article table, article .course-math'
)].filter(e => e.clientWidth).map(e => {
    const box = e.closest('.pst-scrollable-table-container') ?? e;
    return [box.scrollWidth > box.clientWidth + 1, e.textContent.trim().slice(0, 60)];
})"""
"""Whether each block must be scrolled sideways, and its beginning."""
WIDTHS = (1200, 1280, 1440, 390)
VIEW = {"width": 1280, "height": 900}


def settle(visit: Visit) -> None:
    """Wait for what glides: colours from light to dark, columns to their new widths."""
    visit.page.evaluate("Promise.allSettled(document.getAnimations().map(a => a.finished))")


def findings(visit: Visit, impacts: set[str] = SERIOUS) -> list[Any]:
    """What axe-core finds on the page: rule, place and advice."""
    settle(visit)
    # Boards and plots have thousands of parts; their names are looked at in another test.
    left_out = {"exclude": ["svg"] if visit.page.url.endswith(CODE) else ["svg", "pre > *"]}
    return [
        (rule["id"], node["html"][:200], node["failureSummary"])
        for rule in Axe().run(visit.page, left_out, AXE).response["violations"]
        if rule["impact"] in impacts
        for node in rule["nodes"]
    ]


def ask(visit: Visit, page: str, axe: bool) -> dict[str, Any]:
    """Open a page and collect all that the tests want to know, what axe-core finds if asked."""
    view = visit.page
    visit.open(page)
    facts: dict[str, Any] = view.evaluate(FACTS)
    facts["axe"] = findings(visit) if axe else []
    view.set_viewport_size({"width": 360, "height": 740})
    facts["width of a phone"] = view.evaluate("document.documentElement.scrollWidth")
    view.evaluate(UNFOLD)
    for width in WIDTHS:
        view.set_viewport_size({"width": width, "height": 900})
        settle(visit)
        facts[f"blocks at {width}"] = view.evaluate(BLOCKS)
    facts["noted"] = visit.noted
    return facts


@pytest.fixture(scope="module")
def facts(browser: Browser, address: str) -> dict[str, dict[str, Any]]:
    found = {}
    for page in PAGES:  # each in a context of its own: no page waits for the end of another
        with Visit(browser, address, color_scheme="light", viewport=VIEW) as visit:
            found[page] = ask(visit, page, page in FOR_AXE)
    return found


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    with Visit(browser, address, viewport=VIEW) as visit:
        yield visit


Facts = dict[str, dict[str, Any]]


def of_pages(facts: Facts, name: str) -> dict[str, Any]:
    """One fact of each page, where there is something to say."""
    return {page: found[name] for page, found in facts.items() if found[name]}


def test_every_page_opens_without_complaint_and_asks_no_other_host(facts: Facts) -> None:
    assert len(facts) > len(CHAPTERS) + 4
    assert of_pages(facts, "broken") == {}
    assert {page: found["noted"] for page, found in facts.items() if any(found["noted"])} == {}


def test_no_two_places_of_a_page_have_one_id(facts: Facts) -> None:
    twice = {page: found["ids"] for page, found in facts.items()}
    twice = {page: {i for i in ids if ids.count(i) > 1} for page, ids in twice.items()}
    assert {page: ids for page, ids in twice.items() if ids} == {}


def test_axe_finds_nothing_serious(facts: Facts) -> None:
    assert of_pages(facts, "axe") == {}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious_in_the_dark(browser: Browser, address: str, page: str) -> None:
    with Visit(browser, address, color_scheme="dark", viewport=VIEW) as visit:
        visit.open(page)
        found = visit.page.evaluate(FACTS)
        assert findings(visit) == found["broken"] == []
        assert all(figure["visible"] for figure in found["figures"])
        assert found["shown"] == found["asleep"] == 0
        assert not any(visit.noted)


def test_no_page_is_wider_than_a_phone(facts: Facts) -> None:
    assert set(of_pages(facts, "width of a phone").values()) == {360}


@pytest.mark.parametrize(("width", "most"), [(1200, 0.0), (1280, 0.0), (1440, 0.0), (390, 0.3)])
def test_blocks_are_rarely_wider_than_the_screen(facts: Facts, width: int, most: float) -> None:
    blocks = [(page, *b) for page, found in facts.items() for b in found[f"blocks at {width}"]]
    wide = [(page, text) for page, too_wide, text in blocks if too_wide]
    assert len(blocks) > 1500
    assert len(wide) <= most * len(blocks), wide


def dead_links(facts: Facts, address: str) -> list[tuple[str, str]]:
    """Links to pages or places in them that do not exist, each with its page."""
    dead = []
    for page, found in facts.items():
        for link in found["links"]:
            if link.startswith(address):
                path, _, anchor = link.removeprefix(address).partition("#")
                there = path in facts if path.endswith(".html") else SITE.joinpath(path).exists()
                if not there or (anchor and path in facts and anchor not in facts[path]["ids"]):
                    dead.append((page, link))
    return dead


def test_links_within_the_book_lead_somewhere(facts: Facts, address: str) -> None:
    assert dead_links(facts, address) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_have_a_number_a_caption_and_an_alternative_text(facts: Facts, name: str) -> None:
    found = facts[f"{name}.html"]
    assert found["figures"] and not found["asleep"]
    for figure in found["figures"]:
        assert re.match(rf"fig-{name[:3]}-", figure["id"]), figure
        assert re.match(r"Fig\. \d+\.\d+ \S", figure["caption"]), figure
        assert figure["alts"] and all(len(alt) > 20 for alt in figure["alts"]), figure
        assert figure["visible"], figure
    assert found["unnamed"] == 0


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_links_its_terms_and_sources_and_bounds_its_outputs(
    facts: Facts, name: str
) -> None:
    found = facts[f"{name}.html"]
    targets = [link.rpartition("/")[2] for link in found["links"]]
    assert any(target.startswith("bibliography.html#") for target in targets)
    assert any(target.startswith("glossary.html#term-") for target in targets)
    assert found["tallest"] <= 460
    texts, cells, folded = found["solutions"]
    assert texts == cells == folded > 3
    assert found["shown"] == 0


def test_a_fault_would_be_found(visit: Visit, address: str) -> None:
    """One fault of each kind that the tests above look for."""
    visit.context.add_init_script(
        """addEventListener('DOMContentLoaded', () => {
            document.querySelector('article').insertAdjacentHTML('beforeend', `
                <img src="_static/board.svg"><img src="absent.png" alt="absent">
                <p style="color:#ccc;background:#fff">pale</p>
                <div style="width: 500px">wide</div>
                <div class="highlight"><pre>${'x'.repeat(300)}</pre></div>
                <div class="cell_output"><svg></svg>
                    <pre style="height: 900px; max-height: none"></pre></div>
                <div class="cell tag_solution"><pre>open</pre></div>
                <figure><svg role="img" aria-label="short"></svg></figure>
                <a href="index.html#nowhere">a</a><a href="nowhere.html">b</a>`);
            console.error('wrong');
            fetch('https://elsewhere.example/').catch(() => 0);
            setTimeout(() => { throw new Error('thrown') });
        })"""
    )
    found = ask(visit, "how_to_read.html", True)
    errors, complaints, failed, foreign = found["noted"]
    assert (len(errors), len(foreign)) == (1, 1) and "wrong" in complaints and len(failed) == 1
    assert {"image-alt", "color-contrast"} <= {rule for rule, *_ in found["axe"]}
    assert len(found["broken"]) == found["unnamed"] == 1 and found["shown"] == 1
    assert found["width of a phone"] > 360 and found["tallest"] == 900
    assert [True, "x" * 60] in found["blocks at 1280"]
    assert found["solutions"] == [0, 1, 0] and found["figures"][-1]["alts"] == ["short"]
    pages = {"how_to_read.html": found, "index.html": {"links": [], "ids": []}}
    dead = {link.rpartition("/")[2] for _, link in dead_links(pages, address)}
    assert {"index.html#nowhere", "nowhere.html"} <= dead


STYLE = """([selector, ...names]) => {
    const style = getComputedStyle(document.querySelector(selector));
    return names.map(name => style[name]);
}"""


@pytest.mark.parametrize(("look", "darker"), [("light", 0), ("dark", 1)])
def test_figures_and_captions_follow_the_look(visit: Visit, look: Any, darker: int) -> None:
    visit.page.emulate_media(color_scheme=look)
    visit.open("s05_random_engine.html")
    for selector in ("svg.course-plot", "svg.course-board", "table.course-table"):
        levels = visit.page.evaluate(
            """(selector) => {
                const element = document.querySelector(selector);
                let ground = element;
                const back = (e) => getComputedStyle(e).backgroundColor;
                while (back(ground) === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
                const level = (colour) => colour.match(/[0-9.]+/g).slice(0, 3)
                    .reduce((sum, part) => sum + Number(part), 0) / 3;
                return [level(getComputedStyle(element).color), level(back(ground))];
            }""",
            selector,
        )
        assert levels[darker] < 90 and levels[1 - darker] > 165, (selector, levels)
    visit.open("s24_measuring_strength.html")
    captions = [
        visit.page.evaluate(STYLE, [selector, "color", "fontSize", "fontWeight"])
        for selector in ("article figcaption .caption-text", "article table caption")
    ]
    assert captions[0] == captions[1]
    assert captions[0][0] == visit.page.evaluate(STYLE, ["article p", "color"])[0]
    assert float(captions[0][1][:-2]) > 14 and captions[0][2] == "400"


def test_formulas_are_centred_and_have_a_font_of_their_own(visit: Visit) -> None:
    visit.open("s24_measuring_strength.html")
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


def test_written_and_computed_tables_look_alike(visit: Visit) -> None:
    visit.open("s13_incremental_evaluation.html")
    written, computed = (
        visit.page.evaluate(STYLE, [selector, "padding", "borderBottom", "fontSize"])
        for selector in ("table.table tbody td", "table.course-table:not(.course-profile) td")
    )
    assert written == computed


def test_a_solution_is_opened_with_its_code(visit: Visit) -> None:
    visit.open("s05_random_engine.html")
    first = visit.page.locator(".solution.dropdown").first
    first.locator(".toggle-button").click()
    first.locator(".cell.tag_solution pre").first.wait_for(state="visible")


@pytest.mark.parametrize("width", [1280, 390])
def test_profiles_show_their_last_column(visit: Visit, width: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.open("s07_material_engine.html")
    boxes = visit.page.evaluate(
        """[...document.querySelectorAll('table.course-profile td:last-child')].map(
            e => e.getBoundingClientRect().right)"""
    )
    assert len(boxes) > 10 and max(boxes) <= width


def test_the_title_page_says_what_is_built_and_where_to_begin(visit: Visit) -> None:
    sizes: list[int] = []
    visit.page.on("response", lambda r: sizes.append(int(r.headers.get("content-length", "0"))))
    visit.open("index.html")
    assert sum(sizes) < 3_000_000
    buttons = visit.page.locator(".course-buttons a")
    assert buttons.all_inner_texts() == ["Start reading", "Play now", "Run it"]
    pictures = [visit.page.locator(f"img[src$='/{name}.svg']") for name in ("board", "ladder")]
    for part in (buttons.nth(2), *pictures):
        box = part.bounding_box()
        assert box is not None and box["y"] + box["height"] < 900
    cards = visit.page.locator(".course-cards .sd-card-title").all_inner_texts()
    assert [card.partition(".")[0] for card in cards] == [str(n) for n in range(1, len(cards) + 1)]
    assert len(cards) == len(CHAPTERS)
    assert "±" in visit.page.locator(".course-elo").nth(1).inner_text()


TERMS = {
    "s02": ["virtual environment", "hidden state"],
    "s03": ["FEN", "SAN", "en passant", "castling", "stalemate"],
    "s04": ["ScoredMove"],
    "s05": ["confidence interval"],
    "s06": ["Polyglot"],
    "s07": ["piece values", "%lprun"],
    "s08": ["Evaluator"],
    "s09": ["minimax", "negamax"],
    "s10": ["fail-soft", "cut-off"],
    "s11": ["iterative deepening"],
    "s12": ["piece-square table", "Amdahl"],
    "s13": ["incremental evaluation"],
    "s14": ["killer move", "history heuristic"],
    "s15": ["Zobrist key"],
    "s16": ["quiescence search", "horizon effect"],
    "s17": ["null move"],
    "s18": ["tapered evaluation", "passed pawn"],
    "s19": ["Syzygy"],
    "s20": ["perft"],
    "s21": ["lazy evaluation"],
    "s22": ["razoring"],
    "s23": ["soft limit"],
    "s24": ["Elo", "SPRT"],
    "s25": ["UCI", "ponder"],
    "s26": ["bitboard", "copy-make"],
    "s27": ["lazy SMP"],
    "s90": ["import hook", "content hash"],
}
"""What a reader may look for, and the chapter that teaches it."""


def test_the_search_finds_the_chapter_that_teaches_a_term(visit: Visit) -> None:
    visit.open("search.html")
    visit.page.wait_for_function("window.Stemmer && Search.hasIndex()")
    for chapter, terms in TERMS.items():
        for term in terms:
            found = visit.page.evaluate(
                "q => Search._performSearch(...Search._parseQuery(q)).reverse().map(r => r[0])",
                term,
            )
            assert chapter in [page[:3] for page in found[:2]], (term, found[:4])


def test_the_search_shows_chapters_and_definitions(visit: Visit) -> None:
    results = visit.page.locator("#search-results li")
    visit.open("search.html?q=stalemate")
    results.filter(has_text="engine interface").first.wait_for()
    visit.open("search.html?q=zugzwang")
    teaser = results.filter(has_text="Glossary").locator("p.context")
    teaser.first.wait_for()
    assert len(teaser.first.inner_text()) > 60
    index = SITE.joinpath("searchindex.js").read_text(encoding="utf-8")
    assert "tick_param" not in index and "negamax" in index  # code that is folded is left out


# Without a browser.


def source(name: str) -> str:
    return SITE.joinpath(f"{name}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_is_published_whole_and_without_what_is_for_authors(name: str) -> None:
    text = source(name)
    assert "load_ext" not in text or name == "s90_notebooks_as_modules"
    assert "is not installed; to install it" not in text
    said = html.unescape(re.sub(r"<[^>]*>", "", text))
    exercises = re.findall(r"^\s*Exercise (\S+)", said, re.MULTILINE)
    assert exercises == [str(n + 1) for n in range(len(exercises))] and len(exercises) > 3
    assert re.findall(r"Solution to\s+Exercise (\S+)", said) == exercises
    offered = SITE / "_sources" / f"{name}.ipynb"
    assert offered.read_bytes() == (NOTEBOOKS / f"{name}.ipynb").read_bytes()


def test_profiles_appear_below_their_cell() -> None:
    for name in ("s07_material_engine", "s09_minimax_engine"):
        text = source(name)
        assert "Line Contents" in text and "% Time" in text


def test_the_index_names_what_chapters_explain() -> None:
    for entry in ("ScoredMove", "HumanEngine", "RandomEngine", "confidence interval"):
        assert entry in source("genindex")


def test_the_bibliography_has_the_labels_of_the_text_in_their_order() -> None:
    text = source("bibliography")
    shown = re.findall(r'<span class="label"><span[^>]*>\[</span>(.*?)<span', text)
    known = {html.unescape(label) for label in shown}
    assert known <= set(labels().values()) and len(shown) == len(known) > 40
    assert shown.index("Beal, 1990") < shown.index("Beal and Smith, 1999")
    assert "Programming a Computer for Playing Chess" in text


def test_a_text_that_a_kernel_sends_in_parts_is_whole() -> None:
    parts = [("stdout", "a"), ("stderr", "!"), ("stdout", "b\n"), ("", "shown"), ("stdout", "c")]
    outputs: list[Any] = [
        {"output_type": "stream", "name": name, "text": text}
        if name
        else {"output_type": "display_data", "data": {"text/plain": text}}
        for name, text in parts
    ]
    found = whole_streams(outputs)
    assert [output.get("text") for output in found] == ["ab\nc\n", "!\n", None]


def test_the_server_says_what_is_missing_and_which_port_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "index.html"
    monkeypatch.setattr(serve, "PAGE", page)
    with monkeypatch.context() as patch:
        patch.setattr(serve, "make_server", None)
        with pytest.raises(SystemExit, match=r"index\.html is missing; make book builds it"):
            serve.main(0)
    page.touch()
    with serve.make_server(tmp_path) as taken:
        port = taken.server_port
        with pytest.raises(SystemExit, match=rf"^Port {port}: .*\. Try make serve PORT=8001$"):
            serve.main(port)


def test_a_notebook_that_a_reader_adds_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any("TEMPLATE" in page for page in PAGES)
    added = (*records(), Chapter("s31_anna", "A player of the class's tournament"))
    monkeypatch.setattr("utils.chapters.chapters", lambda: added)
    monkeypatch.setattr(build, "staged", str.encode)
    monkeypatch.setattr(build, "TARGET", tmp_path)
    before = [tmp_path / name for name in ("old.md", "status.md", "_build/html/index.html")]
    for path in before:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    build.stage()
    assert [path.exists() for path in before] == [False, True, True]
    assert sorted(path.stem for path in tmp_path.glob("s*.ipynb")) == CHAPTERS
    assert not (tmp_path / "builder").exists()


def test_outputs_of_an_earlier_edition_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "staged", lambda name: b"changed")
    with pytest.raises(RuntimeError, match="was not executed since it changed"):
        build.executed(CHAPTERS[0])


@pytest.mark.parametrize("path", ["index%00.html", "absent.html", "../../_config.yml"])
def test_what_is_not_in_the_book_is_not_found(address: str, path: str) -> None:
    with pytest.raises(HTTPError, match="404"):
        urlopen(address + path)
