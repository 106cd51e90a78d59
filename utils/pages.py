"""Places in a page that a program fills: between `<!-- name -->` and `<!-- /name -->`."""

from __future__ import annotations

import re


def filled(text: str, place: str, content: str) -> str:
    """The text with some content in the place of that name, unchanged if it has none."""
    pattern = re.compile(rf"(<!-- {place} -->\n).*?(<!-- /{place} -->)", re.DOTALL)
    return pattern.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text)
