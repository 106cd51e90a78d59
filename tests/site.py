"""The rendered book on a server, and visits to it with a browser."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, Self

from playwright.sync_api import Browser, Page, Route

from book.builder.build import PAGE
from book.builder.serve import make_server

PREFIX = "/name/"
"""Where the book is on the server, as on a site that is shared with others."""
PATIENCE = 120_000
"""Milliseconds that something in the browser may take; nothing here is about speed."""


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address of the rendered book, while it is served."""
    assert PAGE.exists(), "the book is not built: make book"
    with make_server(PAGE.parent, host="127.0.0.1", prefix=PREFIX, quiet=True) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
        server.shutdown()


class Visit:
    """A page for which there is no other host than the book's.

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
        self.context.route("**/*", self._route)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("response", lambda r: self.failed.append(r.url) if r.status >= 400 else None)

    def _route(self, route: Route) -> None:
        if route.request.url.startswith((self.address, "data:", "blob:")):
            self._answer(route)
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def _answer(self, route: Route) -> None:
        """Answer what the book's own server is asked."""
        route.continue_()

    def _listen(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, page: str) -> None:
        """Go to a page of the book."""
        self.page.goto(self.address + page, wait_until="load")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
