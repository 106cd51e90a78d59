"""Chapters that run in the reader's browser, in JupyterLite, and how that is built."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import nbformat
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from book.builder import lite
from book.builder.contents import chapter_names
from tests.helpers.site import LITE, Visit, need_lite
from utils.matches.suites import read_suite
from utils.notebook import pyodide as in_browser
from utils.notebook.names import LEFT_OUT
from utils.paths import DATA, NOTEBOOKS, ROOT


@pytest.fixture(scope="module")
def address(address: str) -> str:
    """Where the book is served, if it has its part for browsers."""
    need_lite()
    return address


def expose(route: Route) -> None:
    """Let the test look into JupyterLite."""
    answer = route.fetch()
    settings = answer.json()
    settings["jupyter-config-data"]["exposeAppInBrowser"] = True
    route.fulfill(response=answer, json=settings)


def open_chapter(visit: Visit, name: str) -> Page:
    """Open a chapter as its button does, and wait for its kernel."""
    page = visit.page
    page.route(f"**/{lite.FOLDER}/jupyter-lite.json", expose)
    visit.open(f"{name}.html")
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
    return page


def run_all(page: Page) -> list[dict[str, Any]]:
    """Run all cells of the open chapter; returns the code cells.

    Each cell has its own time, as in the book: a long chapter is no fault.
    """
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


@pytest.fixture(scope="module")
def opened(browser: Browser, address: str) -> Iterator[Visit]:
    """A chapter in the dark, with its texts shown."""
    with Visit(browser, address, color_scheme="dark") as visit:
        visit.page.add_init_script(WATCH)
        open_chapter(visit, "s04_engine_interface")
        visit.page.wait_for_function("seen.texts > 5")
        yield visit


def test_a_chapter_opens_like_the_book(opened: Visit) -> None:
    page = opened.page
    seen = page.evaluate("seen")
    assert seen["sources"] == 0 < seen["waiting"]
    assert page.locator("body").get_attribute("data-jp-theme-light") == "false"
    assert page.locator(".Toastify__toast").count() == 0
    expect(page.locator(".jp-MarkdownCell .myst").first).to_have_css("font-size", "16px")
    assert page.locator(".jp-CodeCell.jp-mod-inputHidden, .jp-CodeCell .jp-Placeholder").count()


def check_run(visit: Visit) -> None:
    """All cells of the open chapter run; all that may be missing is what another server has."""
    cells = run_all(visit.page)
    assert all(cell["count"] for cell in cells), next(c for c in cells if not c["count"])
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [output for output in outputs if output["output_type"] == "error"] == []
    said = {output["text"].strip() for output in outputs if output.get("name") == "stderr"}
    assert said <= {in_browser.ABSENT["matplotlib"]}
    shown = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    assert any("course-board" in text for text in shown)
    assert bool(said) == any("/matplotlib-" in url for url in visit.foreign)
    server = lite.pyodide_packages_url(LITE / "static" / "pyodide")
    assert [url for url in visit.foreign if not url.startswith(server)] == []


def test_the_chapter_runs_to_its_last_cell(opened: Visit) -> None:
    check_run(opened)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["s08_evaluation", "s10_alpha_beta_engine"])
def test_another_chapter_runs_to_its_last_cell(browser: Browser, address: str, name: str) -> None:
    with Visit(browser, address) as visit:
        open_chapter(visit, name)
        check_run(visit)


def test_a_text_that_is_edited_shows_its_source(opened: Visit) -> None:
    opened.page.evaluate(
        """() => {
            panel.content.activeCellIndex = 0;
            return jupyterapp.commands.execute('notebook:enter-edit-mode');
        }"""
    )
    opened.page.locator(".jp-MarkdownCell .jp-Editor:focus-within").wait_for()


def test_a_bar_and_a_board_are_shown(opened: Visit) -> None:
    said = run_code(opened.page, "from tqdm import tqdm\nlist(tqdm('ab'))")
    assert "2/2" in said and "Warning" not in said
    run_code(opened.page, "from utils.play.widget import play\nplay('s05')")
    board = opened.page.locator(".jp-OutputArea:has(.cw-moves) .cb-grid").first
    board.wait_for()
    opened.errors.clear()  # JupyterLab may miss a cell that was inserted above
    for square in ("e2", "e4"):
        board.locator(f"[data-square={square}]").click()
    opened.page.wait_for_function("document.querySelectorAll('.cw-moves li button').length === 2")
    assert opened.page.locator(".cw-moves button").first.inner_text() == "e4"
    assert opened.errors == []


SEARCHES = """
import json, sys
import chess, chess.engine
from converted_notebooks.s22_tournament_search import SearchEngine

found = [sys.platform]
for fen in {fens!r}:
    engine = SearchEngine()
    move = engine.play(chess.Board(fen), chess.engine.Limit(nodes={nodes})).move
    scores = [iteration.best.score for iteration in engine.iterations]
    found.append([move.uci(), engine.searcher.nodes, scores])
print(json.dumps(found))
"""


@pytest.mark.parametrize("count", [4, pytest.param(24, marks=pytest.mark.slow)])
def test_a_search_is_the_same_on_another_platform(opened: Visit, count: int) -> None:
    """The browser's Python is a newer CPython, compiled for WebAssembly, with 32 bits."""
    suite = read_suite(DATA / "suites" / "bratko-kopec.epd")
    fens = [problem.board().fen() for problem in suite.problems][:count]
    code = SEARCHES.format(fens=fens, nodes=2500)
    here = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    platform, *there = json.loads(run_code(opened.page, code))
    assert platform == "emscripten" and len(there) == len(fens) == count
    assert there == json.loads(here.stdout)[1:]


@pytest.mark.parametrize(
    ("name", "packages"),
    [
        ("s19_endgame_tables", {"numpy"}),
        ("s02_project_setup", set()),
        ("s90_notebooks_as_modules", {"nbformat"}),
    ],
)
@pytest.mark.slow
def test_a_chapter_goes_on_without_a_package(
    browser: Browser, address: str, name: str, packages: set[str]
) -> None:
    with Visit(browser, address) as visit:
        cells = run_all(open_chapter(visit, name))
    assert all(cell["count"] for cell in cells)
    outputs = [output for cell in cells for output in cell["outputs"]]
    said = [output["text"].strip() for output in outputs if output.get("name") == "stderr"]
    for line in said:
        assert "\n" not in line and re.search("missing|Missing|not in this site", line)
    assert all(any(package in line for line in said) for package in packages)


# Without a browser.


def test_the_server_names_the_types_of_modules_and_webassembly(address: str) -> None:
    for path, kind in (
        ("lite/static/pyodide/pyodide.mjs", "text/javascript"),
        ("lite/static/pyodide/pyodide.asm.wasm", "application/wasm"),
        ("board/play.js", "text/javascript"),
        ("play.html", "text/html"),
    ):
        with urllib.request.urlopen(address + path) as answer:
            assert answer.headers["Content-Type"].partition(";")[0] == kind, path
            assert answer.headers["Cache-Control"] == "no-cache"


def test_all_addresses_within_the_site_are_relative(address: str) -> None:
    settings = json.loads((LITE / "jupyter-lite.json").read_text(encoding="utf-8"))
    kernel = settings["jupyter-config-data"]["litePluginSettings"][
        "@jupyterlite/pyodide-kernel-extension:kernel"
    ]
    for url in [kernel["pyodideUrl"], *kernel["pipliteUrls"]]:
        assert url.startswith("./"), url
    folder = LITE / "static" / "pyodide"
    lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
    here = {name: p for name, p in lock["packages"].items() if "/" not in p["file_name"]}
    for name, package in here.items():
        data = folder.joinpath(package["file_name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == package["sha256"], name
        assert {part.replace("_", "-") for part in package["depends"]} <= set(here), name
    assert here.keys() >= {"chess", lite.COURSE, "ipython", "pyodide-kernel", "anywidget"}
    assert lock["packages"]["numpy"]["file_name"].startswith("https://")


def test_a_wheel_has_no_compiled_parts_and_names_its_modules(address: str) -> None:
    wheels = list(LITE.glob("static/pyodide/*.whl"))
    assert len(wheels) > 20
    for wheel in wheels:
        assert wheel.name.endswith("-none-any.whl")
        assert not [n for n in zipfile.ZipFile(wheel).namelist() if n.endswith((".so", ".pyd"))]
    course = lite.course_wheel()
    assert lite.entry("course", course, [])["imports"] == ["converted_notebooks", "utils"]
    assert lite.course_wheel() == course  # the same content, the same name


def test_a_chapter_says_what_is_different_in_a_browser() -> None:
    for name in chapter_names():
        original = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        notebook = lite.for_browser(nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4))
        nbformat.validate(notebook)
        assert len(notebook.cells) == len(original.cells) + 1
        note = notebook.cells[1].source
        sources = [cell.source for cell in original.cells if cell.cell_type == "code"]
        assert "Profiles" in note, name
        assert "first cell takes up to a minute" in note
        assert sources == [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert "{term}`" not in str([c.source for c in notebook.cells])
        assert "references.bib" not in str([c.source for c in notebook.cells])
        numpy = any(re.search(r"^import numpy\b", source, re.MULTILINE) for source in sources)
        del notebook.cells[1]
        for cell, before in zip(notebook.cells, original.cells, strict=True):
            tags = before.metadata.get("tags", [])
            fails = cell.cell_type == "code" and (numpy or not LEFT_OUT.isdisjoint(tags))
            assert cell.metadata.get("tags", []) == [*tags, *["raises-exception"] * fails]


def test_chapters_that_need_numpy_are_known() -> None:
    found = lite.chapters_with("numpy")
    assert "converted_notebooks.s19_endgame_tables" in found
    assert "converted_notebooks.s23_tournament_engine" in found
    assert "converted_notebooks.s10_alpha_beta_engine" not in found


def test_an_archive_is_read_by_python_without_filters_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lite, "CACHE", tmp_path / "lite")
    lite.CACHE.mkdir()
    packed, part = lite.CACHE / "core-1.2.tgz", tmp_path / "part"
    part.write_text("its text", encoding="utf-8")
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(part, "package/part")
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    for folder in ("filtered", "unfiltered"):
        with lite.open_archive("core", "1.2", digest) as archive:
            archive.extract("package/part", tmp_path / folder)
        text = tmp_path.joinpath(folder, "package", "part").read_text(encoding="utf-8")
        assert text == "its text"
        monkeypatch.delattr(tarfile, "data_filter", raising=False)  # as in Python 3.11.3


def test_the_registry_is_the_one_that_npm_is_set_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(lite, "CACHE", tmp_path / "lite")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(lite.MissingPartError, match=r"install Node\.js"):
        lite.fetch_from_npm("pyodide", "1.2", "0" * 64)
    assert list((tmp_path / "lite").iterdir()) == []
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", tmp_path.as_uri() + "/")
    with pytest.raises(lite.MissingPartError, match=r"cannot fetch pyodide-1\.2\.tgz"):
        lite.fetch_from_npm("pyodide", "1.2", "0" * 64)

    def cut_off(address: str, timeout: float) -> NoReturn:
        raise http.client.IncompleteRead(b"half")

    with monkeypatch.context() as patch:
        patch.setattr(urllib.request, "urlopen", cut_off)
        with pytest.raises(lite.MissingPartError, match=r"cannot fetch pyodide-1\.2\.tgz"):
            lite.fetch_from_npm("pyodide", "1.2", "0" * 64)
    folder = tmp_path / "pyodide" / "-"
    folder.mkdir(parents=True)
    folder.joinpath("pyodide-1.2.tgz").write_bytes(b"something else")
    with pytest.raises(lite.MissingPartError, match="not the expected content"):
        lite.fetch_from_npm("pyodide", "1.2", "0" * 64)
    assert list((tmp_path / "lite").iterdir()) == []
