"""The EPUB as a file: what must be in it, in which order; epubcheck finds what any EPUB needs."""

from __future__ import annotations

import re
import subprocess
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from book.builder import epub
from book.builder.contents import chapter_names
from tests.helpers.programs import need
from utils.figures.live import Step, steps_figure
from utils.paths import BOOK

CHAPTERS = chapter_names()
XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
OPF = "{http://www.idpf.org/2007/opf}"
TYPE = "{http://www.idpf.org/2007/ops}type"


@pytest.fixture(scope="module")
def book() -> Iterator[zipfile.ZipFile]:
    assert epub.EPUB.exists(), "the EPUB is not built: make epub"
    with zipfile.ZipFile(epub.EPUB) as archive:
        yield archive


def read(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    """A file as XML; it fails if it is not well-formed."""
    return ElementTree.fromstring(book.read(name))


@pytest.fixture(scope="module")
def pages(book: zipfile.ZipFile) -> dict[str, ElementTree.Element]:
    names = [Path(name).name for name in book.namelist() if name.endswith(".xhtml")]
    return {name: read(book, name) for name in names}


def _spine(book: zipfile.ZipFile) -> list[str]:
    package = read(book, "content.opf")
    files = {item.get("id"): item.get("href") for item in package.iter(f"{OPF}item")}
    return [files[entry.get("idref")] or "" for entry in package.iter(f"{OPF}itemref")]


def _links(page: ElementTree.Element) -> list[str]:
    return [link.get("href", "") for link in page.iter(f"{XHTML}a")]


def _text(element: ElementTree.Element) -> str:
    return "".join(element.itertext()).strip()


def test_the_book_says_what_it_is(book: zipfile.ZipFile) -> None:
    package = read(book, "content.opf")
    found = {element.tag.partition("}")[2]: _text(element) for element in package[0]}
    assert found["language"] == "en"
    settings = yaml.safe_load(BOOK.joinpath("_config.yml").read_text(encoding="utf-8"))
    assert (found["title"], found["creator"]) == (settings["title"], settings["author"])
    assert "CC BY-SA 4.0" in found["rights"]
    assert "GPL-3.0-or-later" in found["rights"]
    assert found["identifier"] == "chess-engines-one-notebook-at-a-time"
    properties = {element.get("property") for element in package[0]}
    about = "accessMode accessModeSufficient accessibilityFeature accessibilityHazard"
    assert {f"schema:{name}" for name in about.split()} <= properties
    [modified] = [_text(e) for e in package[0] if e.get("property") == "dcterms:modified"]
    assert time.strptime(modified, "%Y-%m-%dT%H:%M:%SZ") <= time.gmtime(time.time() + 1)


def test_the_contents_have_the_parts_and_the_chapters_in_order(
    book: zipfile.ZipFile, pages: dict[str, ElementTree.Element]
) -> None:
    nav = next(n for n in pages["nav.xhtml"].iter(f"{XHTML}nav") if n.get(TYPE) == "toc")
    targets = [target.partition("#")[0] for target in _links(nav)]
    in_nav = [name for name in dict.fromkeys(targets) if name[:3] in {c[:3] for c in CHAPTERS}]
    assert in_nav == [f"{name}.xhtml" for name in CHAPTERS]
    parts = [_text(place[0]) for place in nav[1]]
    assert parts[:4] == [*parts[:2], "Before you start", "Foundations"] and len(parts) == 12

    spine = _spine(book)
    assert spine[:3] == ["title.xhtml", "nav.xhtml", "index.xhtml"]
    assert len(spine) == len(set(spine)) == len(pages)
    assert [name for name in spine if name in in_nav] == in_nav


def test_no_page_has_scripts_or_fields(pages: dict[str, ElementTree.Element]) -> None:
    for name, page in pages.items():
        tags = {element.tag.partition("}")[2] for element in page.iter()}
        assert not tags & {"script", "iframe", "object", "embed", "form", "input", "button"}, name
        assert not [key for element in page.iter() for key in element.attrib if key[:2] == "on"]


def test_figures_have_a_number_and_an_alternative_text(
    pages: dict[str, ElementTree.Element],
) -> None:
    for chapter in CHAPTERS:
        page = pages[f"{chapter}.xhtml"]
        figures = list(page.iter(f"{XHTML}figure"))
        assert figures, chapter
        for figure in figures:
            [caption] = figure.iter(f"{XHTML}figcaption")
            assert re.match(r"Fig\. \d+\.\d+ \S", _text(caption)), chapter
        for picture in [*page.iter(f"{SVG}svg"), *page.iter(f"{XHTML}img")]:
            words = picture.get("aria-label") or picture.get("alt") or ""
            assert len(words) > 20, (chapter, words)


def test_a_chapter_has_all_that_it_has_in_the_book(pages: dict[str, ElementTree.Element]) -> None:
    for chapter in CHAPTERS:
        page = pages[f"{chapter}.xhtml"]
        classes = " ".join(element.get("class", "") for element in page.iter()).split()
        assert {"exercise", "solution", "course-card", "cell_output"} <= set(classes), chapter
        folded = list(page.iter(f"{XHTML}details"))
        assert all(fold[0].tag == f"{XHTML}summary" and _text(fold[0]) for fold in folded)
        assert not [fold for fold in folded if _text(fold[0]).startswith("Show ")]
        assert "load_ext" not in _text(page) or chapter == "s90_notebooks_as_modules"
        assert [link for link in _links(page) if link.startswith("bibliography.xhtml#")], chapter
    assert list(
        pages["s10_alpha_beta_engine.xhtml"].iter("{http://www.w3.org/1998/Math/MathML}math")
    )


def test_the_page_to_play_on_says_where_the_game_is(pages: dict[str, ElementTree.Element]) -> None:
    text = _text(pages["play.xhtml"])
    assert "the book in a browser" in text
    assert "make serve" not in text


def test_the_picture_of_the_book_is_a_png(book: zipfile.ZipFile) -> None:
    package = read(book, "content.opf")
    [cover] = [e for e in package.iter(f"{OPF}item") if e.get("properties") == "cover-image"]
    assert book.read(cover.get("href", "")).startswith(b"\x89PNG")


def test_epubcheck_has_nothing_to_say(tmp_path: Path) -> None:
    program = need("epubcheck")
    with Path(program).open("rb") as file:  # Debian's is an archive, which not every system runs
        archive = file.read(2) == b"PK"
    java = ["java", "-XX:TieredStopAtLevel=1", "-jar", program]  # it compiles less: quicker
    done = subprocess.run(
        [*(java if archive else [program]), "--failonwarnings", str(epub.EPUB)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_html_of_any_kind_becomes_xhtml() -> None:
    soup = epub.as_xhtml(
        '<section id="a"><h1>One &amp; two<a class="headerlink" href="#a">#</a></h1>'
        '<script>alert("no")</script><style>p {color: red}</style><p>a &nbsp;&lt; b<br>c\x1b'
        '<img src="_images/x.png" alt="x"></p>'
        '<section id="b"><h2>Part</h2><p id="a">again</p></section>'
        '<svg viewBox="0 0 1 1"><style>a > b {}</style><clipPath id="c"></clipPath>'
        '<use href="#c"/></svg></section>',
    )
    body = epub.as_xml(soup)
    tree = ElementTree.fromstring(epub.document("One & two", body))
    assert [element.get("id") for element in tree.iter() if element.get("id")] == [
        *("a", "b", "a-2", "c")
    ]
    assert "alert" not in body
    assert "red" not in body
    assert 'viewBox="0 0 1 1"' in body
    assert '<use xlink:href="#c">' in body
    assert "a &gt; b {}" in body


def test_a_figure_that_moves_is_a_picture_with_its_words() -> None:
    steps = [Step("One.", {"a": {"is": "on"}}), Step("Two.", {"a": {"is": "off"}})]
    picture = '<svg role="img" aria-label="A picture."><g data-part="a" data-is="off"/></svg>'
    figure = steps_figure(picture, steps, "c", name="fig-s09-x", alt="A picture.")
    text = epub.as_xml(epub.as_xhtml(figure._repr_html_()))
    page = ElementTree.fromstring(epub.document("Title", text))
    assert "data-figure" not in text and "<script" not in text
    assert [_text(item) for item in page.iter(f"{XHTML}li")] == ["One.", "Two."]
    assert "All steps in words" in text and 'data-is="off"' in text


def test_solutions_work_without_scripts() -> None:
    body = str(
        epub.as_xhtml(
            '<div class="solution dropdown admonition" id="s"><p class="admonition-title">'
            'Solution to <a href="#e">Exercise 1</a></p><p>Text</p></div>'
            '<details class="hide"><summary aria-label="x"><p class="collapsed">Show the code</p>'
            '<p class="expanded">Hide the code</p></summary><pre>x</pre>'
            "</details>"
        )
    )
    assert "<summary>Solution to Exercise 1</summary><p>Text</p></details>" in body
    assert "<summary>The code</summary><pre>x</pre>" in body
