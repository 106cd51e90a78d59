"""Placeholders in a page, which a program fills: between `<!-- name -->` and `<!-- /name -->`."""

from __future__ import annotations

import re


def fill_placeholder(text: str, name: str, content: str) -> str:
    """The text with some content in the placeholder of that name, unchanged if it has none."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return pattern.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text)
