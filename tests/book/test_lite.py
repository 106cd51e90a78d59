"""The book in a reader's browser: chapters that run, a page to play on, no other host."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Route, expect

from book.builder import lite
from book.builder.build import PAGE
from book.builder.contents import chapters
from converted_notebooks.s21_measuring_strength import read_suite
from tests.generated import examples
from tests.site import PREFIX, Visit
from utils.engines import ENGINES
from utils.matches import ladder_results as ladder
from utils.notebook import pyodide as in_browser
from utils.paths import DATA, NOTEBOOKS, ROOT
from utils.play.page import ABSENT, PageSession, first_look, opponents

PATIENCE = 300_000  # milliseconds; nothing here is about speed
FETCHED = ("matplotlib", "numpy")


@pytest.fixture(scope="module")
def address(address: str) -> str:
    """Where the book is served, if it has its part for browsers."""
    if not (PAGE.parent / lite.FOLDER / "static" / "pyodide" / "pyodide.mjs").exists():
        need_lite()
    return address


def need_lite() -> None:
    """Say why the book has no part for browsers."""
    try:
        lite.build_site()
    except lite.MissingPartError as error:
        pytest.skip(str(error))  # with REQUIRE_ALL=1 the book itself is not built
    pytest.fail("the part of the book for browsers was not built: make book")


class Blocked(Visit):
    """A visit that may take long, and may look into JupyterLite."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        super().__init__(browser, address, **options)
        self.context.set_default_timeout(PATIENCE)

    def _answer(self, route: Route) -> None:
        if route.request.url.endswith(f"{lite.FOLDER}/jupyter-lite.json"):
            answer = route.fetch()
            settings = answer.json()
            settings["jupyter-config-data"]["exposeAppInBrowser"] = True
            route.fulfill(response=answer, json=settings)
        else:
            super()._answer(route)


def open_chapter(page: Page, address: str, name: str) -> None:
    """Open a chapter as its button does, and wait for its kernel."""
    page.goto(f"{address}{name}.html")
    button = page.locator("a.btn-run-chapter").first
    assert not button.get_attribute("href").startswith(("/", "http"))  # type: ignore[union-attr]
    page.goto(button.evaluate("a => a.href"))
    page.wait_for_function(
        "() => [...(window.jupyterapp?.shell.widgets('main') ?? [])].some(w => w.context?.isReady)"
    )
    page.evaluate(
        """async () => {
            const panel = [...jupyterapp.shell.widgets('main')].find(w => w.context);
            await panel.context.sessionContext.ready;
            window.panel = panel;
            window.cells = () => [...panel.content.model.cells].filter(c => c.type === 'code');
        }"""
    )


def run_all(page: Page, address: str, name: str) -> list[dict[str, Any]]:
    """Open a chapter and run all its cells; returns the code cells.

    Each cell has its own time, as in the book: a long chapter is no fault.
    """
    open_chapter(page, address, name)
    page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells') }")
    for number in range(page.evaluate("cells().length")):
        page.wait_for_function(
            """number => cells()[number].executionCount || cells().some(c =>
                c.outputs.toJSON().some(o => o.output_type === 'error'))""",
            arg=number,
        )
    found: list[dict[str, Any]] = page.evaluate(
        """() => cells().map(c => ({
            source: c.sharedModel.getSource(),
            count: c.executionCount,
            outputs: c.outputs.toJSON(),
        }))"""
    )
    return found


def run_code(page: Page, code: str) -> str:
    """Run a new cell in the open chapter; returns what it printed."""
    said: str = page.evaluate(
        """async code => {
            await jupyterapp.commands.execute('notebook:insert-cell-above');
            const cell = panel.content.activeCell.model;
            cell.sharedModel.setSource(code);
            await jupyterapp.commands.execute('notebook:run-cell');
            return cell.outputs.toJSON().map(o => o.text ?? o.evalue ?? '').join('');
        }""",
        code,
    )
    return said


@pytest.mark.parametrize(
    "name",
    [
        "s04_engine_interface",
        pytest.param("s08_evaluation", marks=pytest.mark.slow),
        pytest.param("s10_alpha_beta_engine", marks=pytest.mark.slow),
    ],
)
def test_a_chapter_runs_to_its_last_cell(browser: Browser, address: str, name: str) -> None:
    with Blocked(browser, address) as blocked:
        cells = run_all(blocked.page, address, name)
        assert all(cell["count"] for cell in cells), next(c for c in cells if not c["count"])
        boards = 0
        fetches = False
        for cell in cells:
            for output in cell["outputs"]:
                assert output["output_type"] != "error", output
                if output.get("name") == "stderr":
                    # All that may be missing is what only Pyodide's server has.
                    assert output["text"].strip() == in_browser.ABSENT["matplotlib"], cell
                    fetches = True
                boards += "course-board" in "".join(output.get("data", {}).get("text/html", ""))
        assert boards >= 1
        if fetches:
            assert any("/matplotlib-" in url for url in blocked.foreign)
        else:
            assert blocked.foreign == []
        server = lite.pyodides_server(lite.CACHE / f"pyodide-{lite.PYODIDE}")
        assert all(url.startswith(server) for url in blocked.foreign)


@pytest.mark.parametrize(
    ("name", "packages"),
    [("s02_project_setup", {"nbclient", "nbformat"}), ("s19_endgame_tables", {"numpy"})],
)
def test_a_chapter_goes_on_without_a_package(
    browser: Browser, address: str, name: str, packages: set[str]
) -> None:
    with Blocked(browser, address) as blocked:
        cells = run_all(blocked.page, address, name)
        assert all(cell["count"] for cell in cells)
        said = [
            output["text"].strip()
            for cell in cells
            for output in cell["outputs"]
            if output.get("name") == "stderr"
        ]
        for line in said:
            assert "\n" not in line and re.search("missing|Missing|not in this site", line)
        assert all(any(package in line for line in said) for package in packages)


# Notes, frame by frame, whether the reader sees the source of a text, and how many texts there are.
WATCH = """(() => {
    const seen = window.seen = {sources: 0, waiting: 0, texts: 0};
    const look = () => {
        const editors = [...document.querySelectorAll('.jp-MarkdownCell .jp-Editor')];
        const drawn = editors.filter(e => e.checkVisibility());
        seen.sources += drawn.filter(e => e.checkVisibility({visibilityProperty: true})).length;
        seen.waiting += drawn.length;
        seen.texts = document.querySelectorAll('.jp-MarkdownCell .myst').length;
        requestAnimationFrame(look);
    };
    look();
})()"""


def test_a_chapter_opens_like_the_book(browser: Browser, address: str) -> None:
    with Blocked(browser, address, color_scheme="dark") as blocked:
        page = blocked.page
        page.add_init_script(WATCH)
        open_chapter(page, address, "s05_random_engine")
        page.wait_for_function("seen.texts > 5")
        seen = page.evaluate("seen")
        assert seen["sources"] == 0 < seen["waiting"]
        assert page.locator("body").get_attribute("data-jp-theme-light") == "false"
        assert page.locator(".Toastify__toast").count() == 0
        expect(page.locator(".jp-MarkdownCell .myst").first).to_have_css("font-size", "16px")
        assert page.locator(".jp-CodeCell.jp-mod-inputHidden, .jp-CodeCell .jp-Placeholder").count()
        # A text that is edited shows its source.
        page.evaluate(
            """() => {
                panel.content.activeCellIndex = 0;
                return jupyterapp.commands.execute('notebook:enter-edit-mode');
            }"""
        )
        page.locator(".jp-MarkdownCell .jp-Editor:focus-within").wait_for(timeout=60_000)
        said = run_code(page, "%load_ext utils.notebook\nfrom tqdm import tqdm\nlist(tqdm('ab'))")
        assert "2/2" in said and "Warning" not in said


SEARCHES = """
import json, sys
import chess, chess.engine
from converted_notebooks.s20_tournament_engine import SearchEngine

found = [sys.platform]
for fen in {fens!r}:
    engine = SearchEngine()
    move = engine.play(chess.Board(fen), chess.engine.Limit(nodes={nodes})).move
    scores = [iteration.best.score for iteration in engine.searcher.iterations]
    found.append([move.uci(), engine.searcher.nodes, scores])
print(json.dumps(found))
"""


def test_a_search_is_the_same_on_another_platform(browser: Browser, address: str) -> None:
    """The browser's Python is a newer CPython, compiled for WebAssembly, with 32 bits."""
    suite = read_suite(DATA / "suites" / "bratko-kopec.epd")
    fens = [problem.board().fen() for problem in suite.problems]
    code = SEARCHES.format(fens=fens, nodes=2500)
    here = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with Blocked(browser, address) as blocked:
        open_chapter(blocked.page, address, "s03_python_chess")
        said = run_code(blocked.page, code)
    platform, *there = json.loads(said)
    assert platform == "emscripten" and len(there) == len(fens) == 24
    assert there == json.loads(here.stdout)[1:]


def test_the_board_is_played_in_a_notebook(browser: Browser, address: str) -> None:
    with Blocked(browser, address, viewport={"width": 1280, "height": 900}) as blocked:
        page = blocked.page
        open_chapter(page, address, "s05_random_engine")
        run_code(page, "from utils.play.widget import play\nplay('s05')")
        board = page.locator(".jp-OutputArea .cb-grid").first
        board.wait_for()
        for square in ("e2", "e4"):
            board.locator(f"[data-square={square}]").click()
        page.wait_for_function("document.querySelectorAll('.cw-moves li button').length === 2")
        assert page.locator(".cw-moves button").first.inner_text() == "e4"
        assert (blocked.foreign, blocked.errors) == ([], [])


def sit_down(blocked: Blocked) -> Page:
    page = blocked.page
    page.goto(f"{blocked.address}play.html")
    page.wait_for_selector("#play[data-ready=true]")
    return page


def reload(page: Page) -> None:
    """Load the page again, and wait until the board is drawn; Python may still be starting."""
    page.reload()
    page.wait_for_selector("#play .cb-grid")


def without_python(page: Page) -> None:
    """From the next load on, Python goes on starting."""
    page.route("**/board/worker.js", lambda route: None)


def plies(page: Page) -> int:
    return page.locator("#play .cw-moves li button").count()


def wait_for_plies(page: Page, count: int) -> None:
    page.wait_for_function(
        "n => document.querySelectorAll('#play .cw-moves li button').length === n"
        " && document.querySelector('#play').dataset.thinking === 'false'",
        arg=count,
    )


def board_of(page: Page) -> chess.Board:
    page.locator("#play details").evaluate("d => d.open = true")
    return chess.Board(page.get_by_label("FEN", exact=True).input_value())


def enter(page: Page, text: str) -> None:
    page.get_by_label("Your move", exact=True).fill(text)
    page.get_by_label("Your move", exact=True).press("Enter")


@pytest.mark.parametrize("engine", ["s05", "s10", "s20"])
def test_ten_moves_against_an_engine(browser: Browser, address: str, engine: str) -> None:
    rng = random.Random(f"ten moves against {engine}")
    with Blocked(browser, address) as blocked:
        page = sit_down(blocked)
        page.get_by_label("Engine", exact=True).select_option(engine)
        page.get_by_label("Thinks", exact=True).select_option("0.1 s")
        row = page.locator(".play-trees tbody tr", has_text=engine)
        looked_at = [0]
        for _ in range(10):
            board = board_of(page)
            if board.is_game_over():
                break
            before = plies(page)
            move = rng.choice(list(board.legal_moves))
            board.push(move)
            enter(page, move.uci())
            over = board.is_game_over()
            wait_for_plies(page, before + (1 if over else 2))
            if engine != "s05":
                looked_at.append(int(row.locator("td").nth(2).inner_text().replace(",", "")))
        assert plies(page) >= 4
        assert row.count() == 1
        assert engine == "s05" or max(looked_at) > 20
        assert (blocked.foreign, blocked.failed, blocked.errors) == ([], [], [])


def start_long_search(blocked: Blocked) -> Page:
    """The page to play on, where the engine has half a minute for its first move."""
    page = sit_down(blocked)
    page.get_by_label("Engine", exact=True).select_option("s20")
    page.get_by_label("Thinks", exact=True).select_option("30 s")
    enter(page, "h3")
    page.wait_for_selector("#play[data-thinking=true]")
    return page


def test_thinking_is_ended_and_the_page_never_freezes(browser: Browser, address: str) -> None:
    with Blocked(browser, address) as blocked:
        page = start_long_search(blocked)
        page.wait_for_function("document.querySelector('.play-line').textContent.includes('deep')")
        assert page.locator(".play-arrows path").count() >= 1
        # The page answers at once while the engine thinks.
        page.get_by_role("button", name="Flip").click()
        assert page.locator(".cb-square").first.get_attribute("data-square") == "h1"
        page.get_by_role("button", name="Move now").click()
        wait_for_plies(page, 2)
        assert page.locator(".cw-bar").get_attribute("aria-label") is not None
        page.get_by_role("button", name="Undo").click()
        wait_for_plies(page, 0)
        enter(page, "e4")
        page.wait_for_selector("#play[data-thinking=true]")
        page.get_by_role("button", name="Undo").click()
        wait_for_plies(page, 0)
        assert board_of(page) == chess.Board()
        assert (blocked.foreign, blocked.errors) == ([], [])


def test_the_board_is_played_with_the_keyboard(browser: Browser, address: str) -> None:
    with Blocked(browser, address) as blocked:
        page = sit_down(blocked)
        page.locator(".cb-square[tabindex='0']").focus()
        for key in ("Enter", "ArrowUp", "ArrowUp", "Enter"):
            page.keyboard.press(key)
        wait_for_plies(page, 2)
        assert page.locator(".cw-moves button").first.inner_text() == "e4"


@pytest.mark.parametrize(
    ("width", "height", "side"),
    [(1280, 900, 620), (1440, 900, 680), (1920, 1080, 740), (390, 844, 350), (768, 1024, 670)],
)
def test_the_board_is_as_large_as_the_window_allows(
    browser: Browser, address: str, width: int, height: int, side: int
) -> None:
    size: Any = {"width": width, "height": height}
    with Blocked(browser, address, viewport=size) as blocked:
        page = blocked.page
        without_python(page)
        page.goto(f"{address}play.html")
        box = page.locator(".cb-grid").bounding_box()
        panel = page.locator(".cw-panel").bounding_box()
        assert box is not None and panel is not None
        assert box["width"] == pytest.approx(box["height"], abs=1) and box["width"] >= side
        assert box["y"] + box["height"] <= height
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        beside = panel["x"] >= box["x"] + box["width"]
        assert beside == (width > height)
        assert panel["x"] + panel["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_opponents_have_names_and_strength_and_the_weakest_is_first(
    browser: Browser, address: str
) -> None:
    with Blocked(browser, address) as blocked:
        without_python(blocked.page)
        blocked.page.goto(f"{address}play.html")
        choice = blocked.page.get_by_label("Engine", exact=True)
        assert choice.input_value() == "s05"
        assert choice.locator("option").all_inner_texts() == [text for _, text in opponents()]


def shown_board(page: Page) -> str:
    """The pieces that are drawn, as in a FEN."""
    squares = page.locator("#play .cb-square").evaluate_all(
        "cells => cells.map(cell => [cell.dataset.square, cell.dataset.piece])"
    )
    board = chess.Board(None)
    for square, piece in squares:
        if piece:
            board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol(piece))
    return board.board_fen()


def test_the_reader_steps_through_the_game_while_the_engine_thinks(
    browser: Browser, address: str
) -> None:
    with Blocked(browser, address) as blocked:
        page = sit_down(blocked)
        enter(page, "e4")
        wait_for_plies(page, 2)
        reply = shown_board(page)
        page.get_by_label("Engine", exact=True).select_option("s20")
        page.get_by_label("Thinks", exact=True).select_option("30 s")
        enter(page, "d4")
        page.wait_for_selector("#play[data-thinking=true]")
        boards = [shown_board(page)]
        for name in ("previous move", "previous move", "first position"):
            page.get_by_role("button", name=name).click()
            boards.append(shown_board(page))
        after_e4 = chess.Board()
        after_e4.push_san("e4")
        assert boards[1:] == [reply, after_e4.board_fen(), chess.STARTING_BOARD_FEN]
        assert page.locator("#play .cb-movable").count() == 0
        page.locator("#play .cw-moves button").first.focus()
        page.keyboard.press("ArrowDown")
        assert shown_board(page) == reply
        page.locator("#play .cw-moves button").first.click()
        assert shown_board(page) == after_e4.board_fen()
        assert page.locator("#play").get_attribute("data-thinking") == "true"
        # The answer does not take the reader away from what is looked at.
        page.get_by_role("button", name="Move now").click()
        wait_for_plies(page, 4)
        assert shown_board(page) == after_e4.board_fen()
        assert "ply 1 of 4" in page.locator(".cw-status").inner_text()
        page.get_by_role("button", name="last position").click()
        assert shown_board(page) == board_of(page).board_fen()
        assert (blocked.foreign, blocked.errors) == ([], [])


def test_an_illegal_click_is_named_at_once(browser: Browser, address: str) -> None:
    with Blocked(browser, address) as blocked:
        page = blocked.page
        without_python(page)
        page.goto(f"{address}play.html")
        for square in ("e2", "e5"):
            page.locator(f"#play [data-square={square}]").click()
        assert page.get_by_role("alert").inner_text() == "e2 to e5 is not a legal move."
        page.locator("#play [data-square=e2]").click()
        assert page.get_by_role("alert").count() == 0


def test_a_game_is_kept_over_a_reload_until_a_new_one(browser: Browser, address: str) -> None:
    with Blocked(browser, address, color_scheme="dark") as blocked:
        page = sit_down(blocked)
        page.get_by_label("Engine", exact=True).select_option("s11")
        page.get_by_label("Thinks", exact=True).select_option("depth 1")
        enter(page, "e4")
        wait_for_plies(page, 2)
        played, bar = board_of(page), page.locator(".cw-bar").get_attribute("aria-label")
        without_python(page)
        reload(page)  # before Python has started, the game can be looked at
        assert plies(page) == 2 and shown_board(page) == played.board_fen()
        page.get_by_role("button", name="first position").click()
        assert shown_board(page) == chess.STARTING_BOARD_FEN
        page.unroute("**/board/worker.js")
        reload(page)
        page.wait_for_selector("#play[data-ready=true]")
        wait_for_plies(page, 2)
        page.wait_for_selector(".play-trees tbody tr")
        assert board_of(page) == played
        assert page.locator(".cw-bar").get_attribute("aria-label") == bar
        assert page.get_by_label("Engine", exact=True).input_value() == "s11"
        enter(page, next(iter(played.legal_moves)).uci())
        wait_for_plies(page, 4)
        page.get_by_role("button", name="New game").click()
        reload(page)
        page.wait_for_selector("#play[data-ready=true]")
        assert plies(page) == 0 and board_of(page) == chess.Board()
        assert (blocked.foreign, blocked.errors) == ([], [])


def test_a_reload_does_not_stop_the_engine(browser: Browser, address: str) -> None:
    with Blocked(browser, address) as blocked:
        page = start_long_search(blocked)
        reload(page)
        page.wait_for_selector("#play[data-ready=true][data-thinking=true]")
        page.wait_for_function("document.querySelector('.play-line').textContent.includes('deep')")
        page.get_by_role("button", name="Move now").click()
        wait_for_plies(page, 2)
        assert blocked.errors == []


KEY = "chess-course-game"


def damaged(state: Any) -> Iterator[str]:
    """Stored values that are of no use."""
    yield "{"
    yield json.dumps({"fen": chess.STARTING_FEN})
    yield json.dumps(state | {"positions": state["positions"][:-1]})
    yield json.dumps(state | {"kept": state["kept"] | {"moves": ["e2e4", "e2e4"]}})


@pytest.mark.parametrize("number", range(4))
def test_a_damaged_game_is_ignored(browser: Browser, address: str, number: int) -> None:
    session, said = told(PageSession)
    session.receive(json.dumps({"do": "move", "text": "e4", "ply": 0}))
    value = list(damaged(said[-1]["state"]))[number]
    with Blocked(browser, address) as blocked:
        blocked.context.add_init_script(
            f"sessionStorage.again ?? localStorage.setItem('{KEY}', {json.dumps(value)});"
            "sessionStorage.again = true;"
        )
        page = sit_down(blocked)
        page.wait_for_function("!document.querySelector('#play .cw-moves li')")
        assert shown_board(page) == chess.STARTING_BOARD_FEN
        enter(page, "d4")
        wait_for_plies(page, 2)
        reload(page)
        assert plies(page) == 2
        assert (blocked.foreign, blocked.errors) == ([], [])


def test_without_storage_the_game_is_played_all_the_same(browser: Browser, address: str) -> None:
    with Blocked(browser, address) as blocked:
        blocked.context.add_init_script(
            f"""for (const name of ["getItem", "setItem", "removeItem"]) {{
                const usual = Storage.prototype[name];
                Storage.prototype[name] = function (key, ...rest) {{
                    if (key === "{KEY}") throw new DOMException("denied", "SecurityError");
                    return usual.call(this, key, ...rest);
                }};
            }}"""
        )
        page = sit_down(blocked)
        enter(page, "e4")
        wait_for_plies(page, 2)
        page.get_by_role("button", name="New game").click()
        wait_for_plies(page, 0)
        reload(page)
        assert plies(page) == 0 and blocked.errors == []


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_page_fits_a_phone(browser: Browser, address: str, look: Any) -> None:
    size: Any = {"width": 360, "height": 740}
    with Blocked(browser, address, viewport=size, color_scheme=look) as blocked:
        page = sit_down(blocked)
        enter(page, "e4")
        wait_for_plies(page, 2)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        box = page.locator(".cb-grid").bounding_box()
        assert box is not None and box["width"] > 280


def test_the_server_names_the_types_of_modules_and_webassembly(address: str) -> None:
    for path, kind in (
        ("lite/static/pyodide/pyodide.mjs", "text/javascript"),
        ("lite/static/pyodide/pyodide.asm.wasm", "application/wasm"),
        ("lite/files/s04_engine_interface.ipynb", "application/json"),
        ("board/play.js", "text/javascript"),
        ("play.html", "text/html"),
    ):
        with urllib.request.urlopen(address + path) as answer:
            assert answer.headers["Content-Type"].partition(";")[0] == kind, path
            assert answer.headers["Cache-Control"] == "no-cache"
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(address.removesuffix(PREFIX) + "/play.html")


def test_all_addresses_within_the_site_are_relative(address: str) -> None:
    folder = PAGE.parent / lite.FOLDER
    settings = json.loads((folder / "jupyter-lite.json").read_text(encoding="utf-8"))
    kernel = settings["jupyter-config-data"]["litePluginSettings"][
        "@jupyterlite/pyodide-kernel-extension:kernel"
    ]
    for url in [kernel["pyodideUrl"], *kernel["pipliteUrls"]]:
        assert url.startswith("./"), url
    lock = json.loads((folder / "static/pyodide/pyodide-lock.json").read_text(encoding="utf-8"))
    here = {n for n, p in lock["packages"].items() if "/" not in p["file_name"]}
    for name in here:
        path = folder / "static" / "pyodide" / lock["packages"][name]["file_name"]
        assert lite._digest(path.read_bytes()) == lock["packages"][name]["sha256"], name
    assert here >= {"chess", lite.COURSE, "ipython", "pyodide-kernel", "anywidget"}


# Without a browser.


def test_a_chapter_says_what_is_different_in_a_browser() -> None:
    for name in chapters():
        original = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        notebook = lite.for_browser(nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4))
        nbformat.validate(notebook)
        assert len(notebook.cells) == len(original.cells) + 1
        note = notebook.cells[1].source
        sources = [cell.source for cell in original.cells if cell.cell_type == "code"]
        profiles = any("%lprun" in source or "line_profiler" in source for source in sources)
        assert ("profiles" in note) == profiles, name
        assert "first cell takes up to a minute" in note
        assert sources == [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert "{term}`" not in str([c.source for c in notebook.cells])


def test_chapters_that_need_numpy_are_known() -> None:
    found = lite.chapters_with("numpy")
    assert "converted_notebooks.s19_endgame_tables" in found
    assert "converted_notebooks.s20_tournament_engine" in found
    assert "converted_notebooks.s10_alpha_beta_engine" not in found


def test_a_folder_is_mirrored(tmp_path: Path) -> None:
    source, target = tmp_path / "from", tmp_path / "to"
    (source / "in").mkdir(parents=True)
    (source / "in" / "a").write_text("1", encoding="utf-8")
    (target / "old").mkdir(parents=True)
    (target / "old" / "b").write_text("2", encoding="utf-8")
    wanted = {Path("in/a"): source / "in" / "a"}
    lite.mirror(wanted, target)
    assert (target / "in" / "a").read_text(encoding="utf-8") == "1"
    assert not (target / "old" / "b").exists()
    seen = (target / "in" / "a").stat().st_mtime_ns
    lite.mirror(wanted, target)
    assert (target / "in" / "a").stat().st_mtime_ns == seen


def test_the_registry_is_the_one_that_npm_is_set_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(lite, "ROOT", tmp_path)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    with pytest.raises(lite.MissingPartError, match=r"install Node\.js"):
        lite.configured_registry()
    (tmp_path / ".npmrc").write_text("registry = https://here.example/npm/\n", encoding="utf-8")
    assert lite.configured_registry() == "https://here.example/npm"
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "https://there.example/")
    assert lite.configured_registry() == "https://there.example"
    with pytest.raises(lite.MissingPartError, match="expected an address of http"):
        lite.download("file:///etc/hostname", tmp_path / "file")


def test_without_npm_and_registry_the_book_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> str:
        raise lite.MissingPartError("none is set up")

    monkeypatch.setattr(lite, "CACHE", tmp_path)
    monkeypatch.setattr(lite.shutil, "which", lambda name: None)
    monkeypatch.setattr(lite, "configured_registry", missing)
    with pytest.raises(lite.MissingPartError, match="none is set up"):
        lite.fetch_pyodide()
    assert list(tmp_path.iterdir()) == []


def told(session: Callable[[Callable[[str], object]], PageSession]) -> Any:
    """A session of the page, and what it has told."""
    said: list[dict[str, Any]] = []
    made = session(lambda text: said.append(json.loads(text)))
    return made, said


def test_another_worker_takes_up_the_game() -> None:
    one, said = told(lambda post: PageSession(post, engine="s16", limit="depth 2"))
    one.receive(json.dumps({"do": "move", "text": "e4", "ply": 0}))
    assert any("thought" in message for message in said)
    kept = said[-1]["state"]["kept"]
    two, heard = told(PageSession)
    two.receive(json.dumps({"do": "take up", "kept": kept}))
    assert heard[-1]["state"]["kept"] == kept
    assert heard[-1]["state"]["trees"] == said[-1]["state"]["trees"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "s05", "e2e4", "1 s"]),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.sampled_from("ab"), parts),
    max_leaves=3,
)


@examples(150)
@given(st.data())
def test_a_game_that_cannot_be_read_changes_nothing(data: st.DataObject) -> None:
    one, said = told(lambda post: PageSession(post, engine="s15", limit="depth 1"))
    one.receive(json.dumps({"do": "move", "text": "e4", "ply": 0}))
    whole = {"kept": said[-1]["state"]["kept"]}
    place: Any = whole
    key: Any = "kept"
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(
            st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place)))
        )
    place[key] = data.draw(JSON)
    two, heard = told(PageSession)
    before = two.state()
    two.receive(json.dumps({"do": "take up"} | whole))
    state = heard[-1]["state"]
    if state["message"]:
        assert state == before | {"message": state["message"]}
    else:
        for position in state["positions"]:
            assert {"fen", "last", "check", "evaluation", "line"} == set(position)
        two.receive(json.dumps({"do": "undo"}))
    json.dumps(heard, allow_nan=False)


def test_the_best_move_until_now_is_played() -> None:
    one, said = told(lambda post: PageSession(post, engine="s20", limit="depth 3"))
    one.receive(json.dumps({"do": "move", "text": "e4", "ply": 0}))
    thinking = next(m["state"] for m in said if "state" in m and m["state"]["thinking"])
    thought = next(m["thought"] for m in said if "thought" in m)
    two, heard = told(PageSession)
    order = {"do": "take up", "kept": thinking["kept"], "answer": thought["move"]}
    two.receive(json.dumps(order | {"thought": thought}))
    state = heard[-1]["state"]
    assert len(state["sans"]) == 2 and not state["thinking"] and state["moves"]
    assert state["positions"][-1]["line"]["moves"] == thought["line"]["moves"][1:]
    two.receive(json.dumps({"do": "take up", "kept": thinking["kept"], "answer": ""}))
    assert "no move yet" in heard[-1]["state"]["message"] and heard[-1]["state"]["waiting"]


@pytest.mark.parametrize("engine", [name for name in ENGINES if name not in ABSENT])
def test_every_engine_plays_in_the_session_of_the_page(engine: str) -> None:
    session, said = told(lambda post: PageSession(post, engine=engine, limit="0.1 s"))
    session.receive(json.dumps({"do": "move", "text": "e4", "ply": 0}))
    state = said[-1]["state"]
    assert (len(state["sans"]), state["message"]) == (2, "")
    (tree,) = state["trees"]
    assert (tree["engine"], tree["move"]) == (engine, state["sans"][1])
    assert (tree["nodes"] is None) == (engine < "s09")
    last = state["positions"][-1]
    board = chess.Board(last["fen"])
    for uci in (last["line"] or {"moves": []})["moves"]:
        board.push_uci(uci)  # each of them is legal


def test_the_first_look_offers_what_a_browser_can_play() -> None:
    look = first_look()
    names = [name for name, _ in look["setup"]["engines"]]
    assert names == [name for name in ENGINES if name not in ABSENT]
    assert look["state"]["engine"] == names[0] == "s05"
    assert len(look["state"]["moves"]) == 20
    json.dumps(look)


def test_an_opponent_is_labelled_with_its_idea_and_its_elo(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elos = {row.name: row.elo for row in ladder.load_ladder().rows}
    for name, label in opponents():
        words, _, elo = label.partition(" · ")
        assert words == f"{name} {ladder.IDEAS[name]}"
        assert abs(int(elo) - elos[name]) <= 0.5
    table = ladder.load_ladder()
    short = dataclasses.replace(table, rows=table.rows[:1])
    monkeypatch.setattr(ladder, "load_ladder", lambda: short)
    assert opponents()[:2] == [["s05", "s05 random moves · 0"], ["s06", "s06 opening book"]]
    monkeypatch.undo()
    monkeypatch.setattr(ladder, "FOLDER", tmp_path)
    assert opponents()[0] == ["s05", "s05 random moves"]
