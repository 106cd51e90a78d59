"""The page to play on, with Python started once for a module, or a page of a test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.book.play_page.actions import choose, press, sit_down, wait_for_plies
from tests.helpers.site import Visit, need_lite


@pytest.fixture(scope="module")
def address(address: str) -> str:
    """Where the book is served, if it has its part for browsers."""
    need_lite()
    return address


@pytest.fixture(scope="module")
def table(browser: Browser, address: str) -> Iterator[Visit]:
    """The page where Python has started."""
    with Visit(browser, address) as visit:
        sit_down(visit)
        yield visit


@pytest.fixture
def page(table: Visit) -> Iterator[Page]:
    """The same page with a new game against the weakest engine; it ends without an error."""
    page = table.page
    choose(page, "s05", "0.1 s")
    press(page, "New game")
    wait_for_plies(page, 0)
    yield page
    assert (table.foreign, table.failed, table.errors) == ([], [], [])


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """A page of its own."""
    with Visit(browser, address) as visit:
        yield visit
        assert (visit.foreign, visit.errors) == ([], [])
