"""A real JupyterLab as `make lab` starts it, with a test's own files, and pages that show it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Locator, Page, expect

from tests.helpers.loader_tools import Cell, notebook_text
from tests.helpers.programs import Program
from tests.helpers.site import PATIENCE
from utils.paths import BOOK, ROOT

expect.set_options(timeout=PATIENCE)
_OPTIONS = re.search(
    r"-m jupyter lab (.*) \$\(OPTIONS\)", ROOT.joinpath("Makefile").read_text(encoding="utf-8")
)


class Lab(NamedTuple):
    """A running JupyterLab: its address, and the folder of its notebooks."""

    address: str
    notebooks: Path


@contextlib.contextmanager
def running_lab(folder: Path) -> Iterator[Lab]:
    """A JupyterLab as `make lab` starts it, at a free port, with all its files in one folder.

    Args:
        folder: a folder that is not there yet.
    """
    root = folder / "course"
    notebooks = root / "notebooks"
    notebooks.mkdir(parents=True)
    shutil.copytree(BOOK / "builder" / "lab", root / "book" / "builder" / "lab")
    shutil.copy(BOOK / "references.bib", root / "book")
    path = folder / "config/lab/user-settings/@jupyterlab/notebook-extension"
    path.mkdir(parents=True)
    settings = json.dumps({"windowingMode": "none"})
    path.joinpath("tracker.jupyterlab-settings").write_text(settings, encoding="utf-8")
    assert _OPTIONS is not None, "make lab starts something else"
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "JUPYTER", "JPY_"))
    }
    environment |= {
        "PYTHONPATH": str(ROOT),
        "IPYTHONDIR": str(folder / "ipython"),
        **{f"JUPYTER_{n.upper()}_DIR": str(folder / n) for n in ("config", "data", "runtime")},
    }
    command = [
        *(sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", "--port=0", "--IdentityProvider.token="),
        *_OPTIONS[1].split(),
        "--LabApp.expose_app_in_browser=True",
        "--ServerApp.terminals_enabled=False",
        "--KernelManager.shutdown_wait_time=1",
    ]
    with Program(command, cwd=root, env=environment, stdin=subprocess.DEVNULL) as server:
        server.wait_for("Use Control-C", stream="stderr")  # after the address
        address = re.search(r"http://127\.0\.0\.1:\d+/", server.said["stderr"])
        assert address is not None, server.said
        yield Lab(address[0], notebooks)
        server.process.terminate()  # it ends its kernels
        server.ends()


class Notebook:
    """A notebook that is open in a browser.

    Args:
        browser: where.
        lab: who serves it.
        cells: its code.
        options: of the browser's context.
    """

    def __init__(self, browser: Browser, lab: Lab, *cells: str | Cell, **options: Any) -> None:
        path = lab.notebooks / f"{len(list(lab.notebooks.iterdir()))}.ipynb"
        path.write_text(notebook_text(*cells), encoding="utf-8")
        self.context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 1100}, **options}
        )
        self.context.set_default_timeout(PATIENCE)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"{lab.address}lab/tree/notebooks/{path.name}?reset", timeout=2 * PATIENCE)
        self.page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context?.isReady")
        self.page.wait_for_function(
            "window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel"
            "?.connectionStatus === 'connected'"
        )

    def run(self, index: int) -> str:
        """Run one cell to its end; returns what it shows."""
        self.page.evaluate(
            """async index => {
                const content = window.jupyterapp.shell.currentWidget.content;
                content.deselectAll();
                content.activeCellIndex = index;
                await window.jupyterapp.commands.execute('notebook:run-cell');
            }""",
            index,
        )
        output = self.page.locator(".jp-Notebook .jp-Cell").nth(index).locator(".jp-OutputArea")
        return output.inner_text().strip()

    def close(self) -> None:
        """Close the page, and end the notebook's kernel."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        self.context.close()


class Face:
    """A board widget in a page, as a reader sees it."""

    def __init__(self, page: Page, index: int = 0) -> None:
        self.page = page
        self.root = page.locator(".cw-root").nth(index)
        self.root.wait_for(timeout=2 * PATIENCE)
        self.status = self.root.locator(".cw-status")
        self.message = self.root.locator(".cw-message")

    def square(self, name: str) -> Locator:
        """A square of the board."""
        return self.root.locator(f'[data-square="{name}"]')

    def click(self, *squares: str) -> None:
        """Click squares, one after another."""
        for name in squares:
            self.square(name).click()

    def button(self, text: str) -> Locator:
        """A button by its text."""
        return self.root.get_by_role("button", name=text, exact=True)

    def field(self, label: str) -> Locator:
        """A field by its label."""
        return self.root.get_by_label(label, exact=True)

    def drag(self, start: str, end: str) -> None:
        """Drag a piece with the mouse, in a few steps."""
        mouse, places = self.page.mouse, []
        self.square(start).scroll_into_view_if_needed()
        for name in (start, end):
            box = self.square(name).bounding_box()
            assert box is not None
            places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        mouse.move(*places[0])
        mouse.down()
        mouse.move(*places[1], steps=5)
        mouse.up()

    def marked(self, mark: str) -> set[str]:
        """The squares with a mark: last, check, selected, target or movable."""
        script = "cells => cells.map(cell => cell.dataset.square)"
        return set(self.root.locator(f".cb-{mark}").evaluate_all(script))

    def pieces(self) -> dict[str, str]:
        """The pieces on the board by square, as in a FEN."""
        script = "cells => cells.map(cell => [cell.dataset.square, cell.dataset.piece])"
        squares = self.root.locator(".cb-square").evaluate_all(script)
        return {square: piece for square, piece in squares if piece}

    def corner(self) -> str:
        """The square in the upper left corner."""
        return str(self.root.locator(".cb-square").first.get_attribute("data-square"))

    def thinks(self) -> None:
        """Wait until the engine thinks."""
        expect(self.root).to_have_attribute("data-thinking", "true")

    def has_moves(self, *sans: str) -> None:
        """Wait until these moves were played, and no engine thinks."""
        expect(self.root.locator(".cw-moves button")).to_have_text([*sans])
        expect(self.root).to_have_attribute("data-thinking", "false")

    def says(self, text: str) -> None:
        """Wait for words in the status line."""
        expect(self.status).to_contain_text(text)

    def complains(self, text: str) -> None:
        """Wait for words in the message."""
        expect(self.message).to_contain_text(text)
