"""The rendered book on a server, and visits to it with a browser."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, Self

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

from book.builder import lite
from book.builder.build import PAGE
from book.builder.serve import Handler, make_server
from tests.helpers.programs import fail_or_skip

LITE = PAGE.parent / lite.FOLDER
"""Where the part of the book for browsers is."""

PATIENCE = 300_000
"""Milliseconds that something in the browser may take; nothing here is about speed."""
BROWSER = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
"""Options of Chromium: there is no other host than this machine."""


class _Quiet(Handler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address of the rendered book, in a folder as on a site that is shared with others."""
    assert PAGE.exists(), "the book is not built: make book"
    with make_server(PAGE.parent.parent, handler=_Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/{PAGE.parent.name}/"
        server.shutdown()


def need_lite() -> None:
    """Skip, and say why, if the book has no part for browsers."""
    if not (LITE / "static" / "pyodide" / "pyodide.mjs").exists():
        try:
            lite.build_site()
        except lite.MissingPartError as error:
            fail_or_skip(str(error))
        pytest.fail("the part of the book for browsers was not built: make book")


class Visit:
    """A page of the book in a browser.

    Attributes:
        foreign: addresses of other hosts that it asked for, in vain.
        failed: addresses that were answered with an error.
        errors: what went wrong in its scripts.
        complaints: errors and warnings of the browser's console.
    """

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.address = address
        self.foreign: list[str] = []
        self.failed: list[str] = []
        self.errors: list[str] = []
        self.complaints: list[str] = []
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.context.on("request", self._note_request)
        self.context.on("response", self._note_response)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    @property
    def noted(self) -> list[list[str]]:
        """Errors, complaints, what failed, and what was asked of other hosts."""
        return [self.errors, self.complaints, self.failed, self.foreign]

    def _note_request(self, request: Request) -> None:
        host = self.address.removesuffix(f"/{PAGE.parent.name}/")
        if not request.url.startswith((host, "data:", "blob:")):
            self.foreign.append(request.url)

    def _note_response(self, response: Response) -> None:
        if response.status >= 400:
            self.failed.append(response.url)

    def _note_message(self, message: ConsoleMessage) -> None:
        icon = message.location["url"].endswith(
            "/favicon.ico"
        )  # asked of the host, not of the book
        if message.type in ("error", "warning") and not icon:
            self.complaints.append(message.text)

    def open(self, page: str) -> None:
        """Go to a page of the book."""
        self.page.goto(self.address + page, wait_until="load")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
