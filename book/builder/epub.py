"""Make the book an EPUB: `make epub`, or `python -m book.builder.epub` after `make book`.

Sphinx's own builder writes the package, the tables of contents and the file. This one writes each
page as XHTML for e-readers: well-formed, without scripts, folded where that needs no script.
"""

from __future__ import annotations

import datetime
import html
import importlib.metadata
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EntitySubstitution
from bs4.formatter import XMLFormatter
from sphinx.application import Sphinx
from sphinx.builders.epub3 import Epub3Builder
from sphinx.config import Config
from sphinx.util.template import SphinxRenderer

from book.builder.build import STRICT, TARGET, render
from book.builder.contents import contents
from book.builder.sphinx_extension import with_roles
from utils.paths import ROOT

PAGES = TARGET / "_build" / "epub"
EPUB = ROOT / "build" / "epub" / "chess-engines.epub"
STYLE = Path(__file__).with_name("epub.css")
COVER = Path(__file__).with_name("cover.png")
OPF_TEMPLATE = Path(__file__).with_name("content.opf.jinja")
INDEX_TEMPLATE = Path(__file__).with_name("genindex.xhtml.jinja")
_STYLE_LINK = f'<link rel="stylesheet" type="text/css" href="{STYLE.name}"/>'

_NOTE = (
    "This is the book as an EPUB: all of its text, code, results and figures. Running a chapter "
    "and playing against the engines need the book in a browser, or the course itself."
)
# HTML ignores the case of names, XML does not, and SVG has names with capitals.
_CAPITALS = {name.lower(): name for name in ("clipPath", "radialGradient", "viewBox")}
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def main() -> None:
    """Render the pages into one file."""
    shutil.rmtree(PAGES, ignore_errors=True)
    os.environ["COURSE_IN_BROWSER"] = "0"  # read by sphinx_extension.py
    render(TARGET, *STRICT, "--builder", "custom", "--custom-builder", "epub")
    EPUB.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(PAGES / EPUB.name, EPUB)
    print(f"The book is ready: {EPUB} ({EPUB.stat().st_size / 1e6:.1f} MB)")


def configure(app: Sphinx, config: Config) -> None:
    """Set options of Sphinx for an EPUB that _config.yml cannot."""
    config.version = importlib.metadata.version(config.epub_identifier)
    config.epub_title, config.epub_basename = config.html_title, EPUB.stem
    config.epub_guide = (("toc", "nav.xhtml", "Contents"),)
    config.epub_cover = (COVER.name, "")


class CourseEpub(Epub3Builder):
    """Sphinx's builder, with plain pages, and with the parts of the book in the contents."""

    name = "epub"

    def init(self) -> None:
        """Prepare for the pages."""
        super().init()
        self.properties = {COVER.name: "cover-image"}
        self.headings: dict[str, list[tuple[str, str]]] = {}

    def get_outdated_docs(self) -> Iterator[str]:
        """All pages, because a change of one may concern any other."""
        return iter(self.env.found_docs)

    def handle_page(self, pagename: str, addctx: dict[str, Any], *_: Any, **options: Any) -> None:
        """Write a page; keep its properties for the package, and its headings for the contents."""
        text = addctx.get("body", "")
        if "genindexentries" in addctx:
            self.fix_genindex(addctx["genindexentries"])
            groups = {"groups": addctx["genindexentries"]}
            text = SphinxRenderer.render_from_file(str(INDEX_TEMPLATE), groups)
        soup = as_xhtml(with_roles(text))
        kinds = [kind for kind, name in (("mathml", "math"), ("svg", "svg")) if soup.find(name)]
        self.properties[f"{pagename}.xhtml"] = " ".join(kinds)
        self.headings[pagename] = [
            (str(heading.parent["id"]), heading.get_text().strip())
            for heading in soup.select("section[id] > h1, section[id] > h2")
            if heading.parent is not None and heading.parent.find(["h1", "h2"]) is heading
        ]
        page = document(self.headings[pagename][0][1], as_xml(soup))
        Path(self.outdir, f"{pagename}.xhtml").write_text(page, encoding="utf-8")

    def copy_static_files(self) -> None:
        """Copy the files of this book; those of extensions go to `_static`, and are left out."""
        Path(self.outdir, "_static").mkdir(exist_ok=True)
        shutil.copy(STYLE, self.outdir)
        shutil.copy(COVER, self.outdir)

    def handle_finish(self) -> None:
        """Write the title page, leave out what extensions have written, and make the file."""
        title = document(self.config.epub_title, title_page(self.config))
        Path(self.outdir, "title.xhtml").write_text(title, encoding="utf-8")
        static = Path(self.outdir, "_static")
        shutil.rmtree(static)
        super().handle_finish()
        static.mkdir()  # extensions write there once more

    def get_toc(self) -> None:
        """The title page, then the pages with their sections, each part below its caption."""
        self.refnodes = []
        self._enter(1, "title.xhtml", "Title page")
        whole = contents()
        self._enter_page(1, whole["root"], "")
        for part in whole["parts"]:
            first, *rest = [page["file"] for page in part["chapters"]]
            self._enter(1, f"{first}.xhtml", part["caption"])
            self._enter_page(2, first, f"#{self.headings[first][0][0]}")  # the link must differ
            for name in rest:
                self._enter_page(2, name, "")

    def _enter_page(self, level: int, name: str, anchor: str) -> None:
        (_, title), *sections = self.headings[name]
        self._enter(level, f"{name}.xhtml{anchor}", title)
        for section, words in sections:
            self._enter(level + 1, f"{name}.xhtml#{section}", words)

    def _enter(self, level: int, target: str, words: str) -> None:
        entry = {"level": level, "refuri": html.escape(target), "text": html.escape(words)}
        self.refnodes.append(entry)

    def content_metadata(self) -> dict[str, Any]:
        """The metadata of the package, with the properties of files, which Sphinx lacks."""
        self.package = super().content_metadata() | {"properties": self.properties}
        return self.package

    def build_content(self) -> None:
        """Write the package with the template of this book; the list of files is Sphinx's."""
        super().build_content()
        text = SphinxRenderer.render_from_file(str(OPF_TEMPLATE), self.package)
        Path(self.outdir, OPF_TEMPLATE.stem).write_text(text, encoding="utf-8")

    def build_navigation_doc(self) -> None:
        """Give the table of contents the style sheet of the pages."""
        super().build_navigation_doc()
        page = Path(self.outdir, "nav.xhtml")
        text = page.read_text(encoding="utf-8").replace("</head>", f"{_STYLE_LINK}\n</head>")
        page.write_text(text, encoding="utf-8")


# The conversion of a page


def as_xhtml(text: str) -> BeautifulSoup:
    """Turn the text that Sphinx wrote into XHTML."""
    soup = BeautifulSoup(_NOT_XML.sub("", text), "html.parser")
    drop_what_needs_scripts(soup)
    fold(soup)
    restore_svg(soup)
    use_svg_1_1(soup)
    make_ids_unique(soup)
    return soup


def as_xml(soup: BeautifulSoup) -> str:
    """Write the elements as XML."""
    return soup.decode(formatter=XMLFormatter(EntitySubstitution.substitute_xml))


def drop_what_needs_scripts(soup: BeautifulSoup) -> None:
    """Remove scripts and their data, links to other files, and links that appear under a mouse."""
    for figure in soup.select("[data-figure]"):
        del figure["data-figure"]
    for element in soup.select("script, link, meta, button, a.headerlink, style"):
        if element.name != "style" or element.find_parent("svg") is None:
            element.decompose()


def fold(soup: BeautifulSoup) -> None:
    """Fold solutions and code with `details`; e-readers without that element show all."""
    for box in soup.select("div.dropdown"):
        box.name = "details"
    for box in soup.select("details"):
        head = box.find(["summary", "p"])
        if not isinstance(head, Tag):
            continue
        label = head.select_one(".collapsed") or head
        words = label.get_text().strip().removeprefix("Show ").replace("code cell source", "code")
        head.name, head.attrs = "summary", {}
        head.string = f"{words[:1].upper()}{words[1:]}"


def restore_svg(soup: BeautifulSoup) -> None:
    """Give the names in SVG their capitals."""
    for picture in soup.find_all("svg"):
        for element in [picture, *picture.find_all(True)]:
            element.name = _CAPITALS.get(element.name, element.name)
            element.attrs = {_CAPITALS.get(key, key): v for key, v in element.attrs.items()}


def use_svg_1_1(soup: BeautifulSoup) -> None:
    """Convert to SVG 1.1 what only browsers accept."""
    for picture in soup.find_all("svg"):
        picture["xmlns:xlink"] = "http://www.w3.org/1999/xlink"
        for element in picture.find_all("use", href=True):
            element["xlink:href"] = element.attrs.pop("href")
        for path in picture.find_all("path", d=False):  # the glyph of a space
            path["d"] = "M0 0"


def make_ids_unique(soup: BeautifulSoup) -> None:
    """Number repeated ids; links lead to the first of them."""
    known = set[str]()
    for element in soup.find_all(id=True):
        first = name = str(element["id"])
        number = 1
        while name in known:
            number += 1
            name = f"{first}-{number}"
        known.add(name)
        element["id"] = name


# The pages that only an EPUB has


def document(title: str, body: str) -> str:
    """A complete page."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en">
<head>
<title>{html.escape(title)}</title>
{_STYLE_LINK}
</head>
<body>
{body}
</body>
</html>
"""


def title_page(config: Config) -> str:
    """The cover, authors, version, date and licence."""
    version = f"Version {config.version}, {datetime.date.today()}"
    lines = "".join(f"<p>{html.escape(t)}</p>\n" for t in (version, config.epub_copyright, _NOTE))
    title = html.escape(config.epub_title)
    return f"""<div class="cover"><img src="cover.png" alt="Cover: {title}"/></div>
<section class="title-page">
<h1>{title}</h1>
<p class="authors">{html.escape(config.author)}</p>
{lines}</section>"""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_builder(CourseEpub, override=True)
    app.connect("config-inited", configure)
    return {"parallel_read_safe": True, "parallel_write_safe": False}


if __name__ == "__main__":
    main()
