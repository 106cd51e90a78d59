"""The glossary and the chapters know each other."""

from __future__ import annotations

import json
import re

from book.builder.contents import chapter_names
from utils.paths import BOOK, NOTEBOOKS

TEXTS = {
    name: "\n".join(
        "".join(cell["source"])
        for cell in json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
        if cell["cell_type"] == "markdown"
    )
    for name in chapter_names()
}
_, _, GLOSSARY = (BOOK / "glossary.md").read_text("utf-8").partition("```{glossary}\n")
ENTRIES = re.findall(r"^(\w.*)\n  \S", GLOSSARY, re.MULTILINE)


def linked(text: str) -> set[str]:
    """The terms that a text links, in small letters."""
    found = re.findall(r"\{term\}`(?:[^`<]*<)?([^`<>]+?)>?`", text)
    return {term.strip().lower() for term in found}


def test_terms_stand_in_their_order_and_are_explained_once() -> None:
    assert len(ENTRIES) > 100
    assert [term.lower() for term in ENTRIES] == sorted({term.lower() for term in ENTRIES})


def test_no_term_is_without_a_chapter_and_no_link_without_an_entry() -> None:
    pages = [path.read_text("utf-8") for path in BOOK.glob("*.md")]
    known = {term.lower() for term in ENTRIES}
    assert linked("\n".join([*TEXTS.values(), *pages])) <= known
    assert known - linked("\n".join(TEXTS.values())) == set()


def test_the_chapter_that_teaches_a_term_links_it() -> None:
    """It teaches what its index names: with "!", or as the first chapter."""
    homes: dict[str, tuple[bool, str]] = {}
    for name, text in TEXTS.items():
        for line in re.findall(r"^```\{index\} (.*)$", text, re.MULTILINE):
            for word in line.split(","):
                main, term = word.strip().startswith("!"), word.strip(" !").lower()
                if term not in homes or (main and not homes[term][0]):
                    homes[term] = main, name
    terms = [term for term in ENTRIES if term.lower() in homes]
    assert len(terms) > 50
    unlinked = {
        term: homes[term.lower()][1]
        for term in terms
        if term.lower() not in linked(TEXTS[homes[term.lower()][1]])
    }
    assert unlinked == {}
