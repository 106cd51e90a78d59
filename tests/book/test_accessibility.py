"""Whether pages can be read and used without eyes, without a mouse: axe-core's rules."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.site import Visit

SERIOUS = {"serious", "critical"}
PAGES = [
    "index.html",
    "how_to_read.html",
    "play.html",
    "s01_introduction.html",
    "s09_minimax_engine.html",
    "s18_positional_evaluation.html",
    "s21_measuring_strength.html",
    "teaching.html",
    "glossary.html",
    "status.html",
]


def findings(visit: Visit, impacts: set[str] = SERIOUS) -> list[Any]:
    """What axe-core finds on the page: rule, place and advice."""
    # Colours glide from light to dark when a page opens; what counts is where they arrive.
    visit.page.evaluate("Promise.allSettled(document.getAnimations().map(a => a.finished))")
    found = Axe().run(visit.page).response["violations"]
    return [
        (rule["id"], node["html"][:200], node["failureSummary"])
        for rule in found
        if rule["impact"] in impacts
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("look", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("page", PAGES)
def test_nothing_serious_is_found(browser: Browser, address: str, page: str, look: Any) -> None:
    with Visit(browser, address, color_scheme=look) as visit:
        visit.open(page)
        assert findings(visit) == []


def test_a_fault_would_be_found(browser: Browser, address: str) -> None:
    with Visit(browser, address) as visit:
        visit.open("how_to_read.html")
        visit.page.evaluate(
            "document.querySelector('article').insertAdjacentHTML('beforeend',"
            '\'<img src="_static/board.svg"><p style="color:#ccc;background:#fff">pale</p>\')'
        )
        assert {"image-alt", "color-contrast"} <= {rule for rule, *_ in findings(visit)}
