"""Citations: plain links in a notebook, roles of Sphinx in the book.

A chapter cites like this: ([Shannon, 1950](../book/references.bib#shannon1950)). JupyterLab and
other programs show that as a link. For the book it becomes the role `cite:p`, and the
bibliography gets the same labels.
"""

from __future__ import annotations

import functools
import re

from pybtex.database import Entry, parse_file
from pybtex.richtext import Text

from utils.paths import BOOK

REFERENCES = BOOK / "references.bib"
_LINK = r"\[([^\]]+)\]\(\.\./book/references\.bib#(\w+)\)"
_GROUP = re.compile(rf"\({_LINK}(?:, {_LINK})*\)")


@functools.cache
def labels() -> dict[str, str]:
    """The label of each source by its key: author and year, or author and title."""
    return {key: label(entry) for key, entry in parse_file(REFERENCES).entries.items()}


def label(entry: Entry) -> str:
    """The label of a source: "Knuth and Moore, 1975", or "Fiekas, python-chess" without a year."""
    names = [
        " ".join(map(str, [*person.rich_prelast_names, *person.rich_last_names]))
        for person in entry.persons["author"]
    ]
    first = names[0] + " et al." if len(names) > 2 else " and ".join(names)
    title = str(Text.from_latex(entry.fields["title"])).partition(":")[0]
    return f"{first}, {entry.fields.get('year', title)}"


def cited(text: str) -> list[tuple[str, str]]:
    """The label and the key of each citation in a text."""
    return re.findall(_LINK, text)


def as_roles(text: str) -> str:
    """The text with its citations as roles of Sphinx."""
    return _GROUP.sub(lambda match: f"{{cite:p}}`{','.join(k for _, k in cited(match[0]))}`", text)


def as_words(text: str) -> str:
    """The text with its citations as plain words, for places without the bibliography."""
    return re.sub(_LINK, r"\1", text)
