"""What a reader sees of a figure, with its script and without it."""

from __future__ import annotations

import html
import json
import re
from typing import Any, Self

from playwright.sync_api import Page

from utils.figures import Figure
from utils.paths import ROOT


def data_of(figure: Figure) -> Any:
    """The data that the script of a figure reads."""
    found = re.search(r'data-figure="([^"]*)"', figure.content)
    assert found
    return json.loads(html.unescape(found[1]))


def still(figure: Figure) -> str:
    """A figure without its script, as a reader of the EPUB has it."""
    return re.sub(r"<script.*?</script>", "", figure._repr_html_(), flags=re.DOTALL)


def page_of(*figures: Figure) -> str:
    """A page with figures, as JupyterLab shows them."""
    style = ROOT.joinpath("style.css").read_text(encoding="utf-8")
    shown = "".join(figure._repr_html_() for figure in figures)
    return f"<!doctype html><style>{style}</style>{shown}"


class Reader:
    """A reader of one figure of a page."""

    def __init__(self, page: Page, index: int = 0) -> None:
        self.page = page
        self.root = page.locator(".course-live").nth(index)
        self.line = self.root.locator(".course-live-line")
        self.slider = self.root.get_by_role("slider")
        self.back = self.root.get_by_role("button", name="one step back")
        self.on = self.root.get_by_role("button", name="one step on")

    @classmethod
    def of(cls, page: Page, figure: Figure) -> Self:
        """A reader of a page that has this figure alone."""
        page.set_content(page_of(figure))
        return cls(page)

    def part(self, name: str) -> Any:
        """A part of the picture."""
        return self.root.locator(f'[data-part="{name}"]')

    def states(self) -> dict[str, str]:
        """The state of each part of the picture."""
        script = "all => all.map(part => [part.dataset.part, part.dataset.is])"
        return dict(self.root.locator("[data-part]").evaluate_all(script))
