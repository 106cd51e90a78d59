"""Make the book an EPUB: `make epub`, or `python -m book.builder.epub` after `make book`.

Sphinx's own builder writes the package, the tables of contents and the file. Here the text of
each page becomes XHTML that programs and devices for reading take: well-formed, without scripts,
folded where it folds without them.
"""

from __future__ import annotations

import contextlib
import html
import os
import re
import shutil
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.dom import minidom

import chess
from bs4 import BeautifulSoup, Tag
from bs4.dammit import EntitySubstitution
from bs4.formatter import XMLFormatter
from sphinx.application import Sphinx
from sphinx.builders.epub3 import Epub3Builder
from sphinx.config import Config

from book.builder.build import STRICT, TARGET, render
from book.builder.contents import contents
from book.builder.course_book import CodeLines, measured, with_roles
from utils.paths import ROOT

PAGES = TARGET / "_build" / "epub"
EPUB = ROOT / "build" / "epub" / "chess-engines.epub"
STYLE = Path(__file__).with_name("epub.css")

_GAME = (
    "The game needs scripts, which this form of the book does without: "
    "it is on this page of the book in a browser."
)
_NOTE = (
    "This is the book as an EPUB: all of its text, code, results and figures. Running a chapter "
    "and playing against the engines need the book in a browser, or the course itself."
)
ACCESS = {
    "accessMode": ["textual", "visual"],
    "accessModeSufficient": ["textual"],
    "accessibilityFeature": ["alternativeText", "MathML", "structuralNavigation"],
    "accessibilityHazard": ["none"],
    "accessibilitySummary": ["Every figure has an alternative text, every formula is MathML."],
}
"""What the package says to readers who look for books that they can read, by schema.org."""
_MARKED = frozenset("c c1 cm sd k kc kd kn kr ow s s1 s2 sa se si nc nf".split())  # noqa: SIM905
"""Kinds of words in code that the style sheet marks; the others need no element."""
_WORD = re.compile(r'<span class="(?P<kind>\w{1,2})">(?P<word>[^<]*)</span>')
_FITS = 42
"""So many characters of code are in a line of a phone."""
# HTML ignores the case of names, XML does not, and SVG has names with capitals.
_SVG = (
    "clipPath clipPathUnits foreignObject gradientTransform gradientUnits lengthAdjust "
    "linearGradient markerHeight markerUnits markerWidth maskContentUnits maskUnits "
    "pathLength patternContentUnits patternTransform patternUnits preserveAspectRatio "
    "radialGradient refX refY spreadMethod startOffset stdDeviation textLength textPath viewBox"
)
_CAPITALS = {name.lower(): name for name in _SVG.split()}
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def main() -> None:
    """Render the pages into one file."""
    shutil.rmtree(PAGES, ignore_errors=True)
    os.environ["COURSE_IN_BROWSER"] = "0"  # read by course_book.py
    render(TARGET, *STRICT, "--builder", "custom", "--custom-builder", "epub")
    EPUB.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(PAGES / EPUB.name, EPUB)
    print(f"The book is ready: {EPUB} ({EPUB.stat().st_size / 1e6:.1f} MB)")


def configure(app: Sphinx, config: Config) -> None:
    """Tell Sphinx what an EPUB must state."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    config.version = project["version"]
    config.epub_basename = EPUB.stem
    config.epub_title = config.html_title
    config.epub_contributor = config.author
    config.epub_copyright = f"Copyright {config.copyright}"
    config.epub_description = project["description"]
    config.epub_identifier = config.epub_uid = project["name"]
    config.epub_guide = (("toc", "nav.xhtml", "Contents"),)
    config.epub_cover = ("cover.png", "")
    config.epub_show_urls = "no"
    config.epub_tocscope = "includehidden"  # the contents are those of `get_toc`
    config.epub_tocdup = False


class EpubLines(CodeLines):
    """Marks long lines of code: what does not fit continues right of where the line begins."""

    def marked(self, line: str) -> str:
        """A line with elements for those words alone that look different."""
        line = _WORD.sub(lambda m: m[0] if m["kind"] in _MARKED else m["word"], line)
        length, indent = measured(line)
        return f'<span class="line i{min(indent, 24)}">{line}</span>' if length > _FITS else line


class CourseEpub(Epub3Builder):
    """Sphinx's builder, with plain pages and with the parts of the book in its contents."""

    name = "epub"

    def init(self) -> None:
        """Prepare for the pages."""
        super().init()
        self.properties = {"cover.png": "cover-image"}
        self.headings: dict[str, list[tuple[str, str]]] = {}

    def init_highlighter(self) -> None:
        """Code has lines of its own here."""
        super().init_highlighter()
        self.highlighter.formatter = EpubLines

    def get_outdated_docs(self) -> Iterator[str]:
        """All pages: a change in one, which the HTML has seen, may concern any other."""
        return iter(self.env.found_docs)

    def handle_page(
        self,
        pagename: str,
        addctx: dict[str, Any],
        templatename: str = "page.html",
        outfilename: str | None = None,
        event_arg: Any = None,
    ) -> None:
        """Write a page; note what its file contains, and its headings for the contents."""
        text = addctx.get("body", "")
        if "genindexentries" in addctx:
            self.fix_genindex(addctx["genindexentries"])
            text = index_text(addctx["genindexentries"])
        soup = as_xhtml(with_roles(text))
        kinds = [kind for kind, name in (("mathml", "math"), ("svg", "svg")) if soup.find(name)]
        self.properties[f"{pagename}.xhtml"] = " ".join(kinds)
        self.headings[pagename] = [
            (str(heading.parent["id"]), heading.get_text().strip())
            for heading in soup.select("section[id] > h1, section[id] > h2")
            if heading.parent is not None and heading.parent.find(["h1", "h2"]) is heading
        ]
        self.write_page(pagename, self.headings[pagename][0][1], as_xml(soup))

    def write_page(self, name: str, title: str, body: str) -> None:
        """Write a page that is ready."""
        Path(self.outdir, f"{name}.xhtml").write_text(document(title, body), encoding="utf-8")

    def copy_static_files(self) -> None:
        """Those of this book alone; extensions write to a folder of their own."""
        Path(self.outdir, "_static").mkdir(exist_ok=True)
        shutil.copy(STYLE, self.outdir)
        draw_cover(self.config.epub_title, Path(self.outdir, "cover.png"))

    def handle_finish(self) -> None:
        """Write the title page, leave out what extensions have written, and make the file."""
        self.write_page("title", self.config.epub_title, title_page(self.config))
        static = Path(self.outdir, "_static")
        shutil.rmtree(static)
        super().handle_finish()
        static.mkdir()  # they write there again

    def get_toc(self) -> None:
        """The title page, then the pages with their sections, each part below its caption."""
        self.refnodes = []
        self._enter(1, "title.xhtml", "Title page")
        whole = contents()
        self._enter_page(1, whole["root"], "")
        for part in whole["parts"]:
            first, *rest = [page["file"] for page in part["chapters"]]
            self._enter(1, f"{first}.xhtml", part["caption"])
            self._enter_page(2, first, f"#{self.headings[first][0][0]}")  # not the same again
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

    def build_content(self) -> None:
        """Add to the package what Sphinx does not know: properties of files, access, contents."""
        super().build_content()
        with edited(Path(self.outdir, "content.opf")) as package:
            for item in package.getElementsByTagName("item"):
                if properties := self.properties.get(item.getAttribute("href")):
                    item.setAttribute("properties", properties)
            [metadata] = package.getElementsByTagName("metadata")
            for meta in package.getElementsByTagName("meta"):
                if meta.getAttribute("property").startswith("ibooks:"):
                    metadata.removeChild(meta)
            for name, values in ACCESS.items():
                for value in values:
                    meta = added(metadata, "meta", property=f"schema:{name}")
                    meta.appendChild(package.createTextNode(value))
            [spine] = package.getElementsByTagName("spine")
            title, *_, index = spine.getElementsByTagName("itemref")
            spine.removeChild(index)  # it has its place in the book
            contents_page = added(spine, "itemref", idref="nav")
            spine.insertBefore(contents_page, title)
            spine.insertBefore(title, contents_page)

    def build_navigation_doc(self) -> None:
        """Make the table of contents a page, too."""
        super().build_navigation_doc()
        with edited(Path(self.outdir, "nav.xhtml")) as page:
            [head] = page.getElementsByTagName("head")
            added(head, "link", rel="stylesheet", type="text/css", href=STYLE.name)

    def build_epub(self) -> None:
        """Make the file; the same again if SOURCE_DATE_EPOCH says when that is."""
        if moment := os.environ.get("SOURCE_DATE_EPOCH"):
            for path in Path(self.outdir).rglob("*"):
                os.utime(path, (int(moment), int(moment)))
        super().build_epub()


# What becomes of a page


def as_xhtml(text: str) -> BeautifulSoup:
    """Turn the text that Sphinx wrote into XHTML."""
    soup = BeautifulSoup(_NOT_XML.sub("", text), "html.parser")
    for step in (
        replace_game,
        drop_what_needs_scripts,
        fold,
        link_cards,
        draw_strength,
        restore_svg,
        draw_as_older_programs_do,
        make_ids_unique,
    ):
        step(soup)
    return soup


def as_xml(soup: BeautifulSoup) -> str:
    """Write the elements as XML."""
    return soup.decode(formatter=XMLFormatter(EntitySubstitution.substitute_xml))


@contextlib.contextmanager
def edited(path: Path) -> Iterator[minidom.Document]:
    """A file of XML, to be changed."""
    document = minidom.parse(str(path))
    yield document
    path.write_bytes(document.toxml("utf-8"))


def added(parent: minidom.Element, name: str, **attributes: str) -> minidom.Element:
    """A new element at the end of another."""
    child = minidom.Element(name)
    child.ownerDocument = parent.ownerDocument
    for key, value in attributes.items():
        child.setAttribute(key, value)
    parent.appendChild(child)
    return child


def replace_game(soup: BeautifulSoup) -> None:
    """Say where the board to play on is, instead of leaving an empty place."""
    place = soup.find(id="play")
    if isinstance(place, Tag):
        place.name, place.attrs = "p", {"class": "course-note"}
        place.string = _GAME


def drop_what_needs_scripts(soup: BeautifulSoup) -> None:
    """Remove scripts, what loads other files, and links that a mouse would show."""
    for element in soup.select("script, link, meta, button, a.headerlink, style"):
        if element.name != "style" or element.find_parent("svg") is None:
            element.decompose()


def fold(soup: BeautifulSoup) -> None:
    """Fold solutions and code with what XHTML has for it; where that is unknown, all is shown."""
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


def link_cards(soup: BeautifulSoup) -> None:
    """Move the link of a card, which a style sheet spreads over it, to the card's title."""
    for link in soup.select("a.sd-stretched-link"):
        card = link.find_parent(class_="sd-card")
        title = card.select_one(".sd-card-title") if card else None
        if title is not None:
            words = soup.new_tag("a", href=str(link["href"]))
            words.string = title.get_text().strip()
            title.clear()
            title.append(words)
            link.decompose()


def draw_strength(soup: BeautifulSoup) -> None:
    """Draw an engine's strength as a bar that needs no variables of the style sheet."""
    for label in soup.select(".course-elo[style]"):
        share = float(str(label["style"]).rpartition(":")[2])
        bar = soup.new_tag("span", attrs={"class": "bar", "style": f"width: {50 * share:.1f}%"})
        del label["style"]
        label.insert(0, bar)


def restore_svg(soup: BeautifulSoup) -> None:
    """Give the names in SVG their capitals."""
    for picture in soup.find_all("svg"):
        for element in [picture, *picture.find_all(True)]:
            element.name = _CAPITALS.get(element.name, element.name)
            element.attrs = {_CAPITALS.get(key, key): v for key, v in element.attrs.items()}


def draw_as_older_programs_do(soup: BeautifulSoup) -> None:
    """Write in SVG 1.1 what browsers take more easily."""
    for picture in soup.find_all("svg"):
        picture["xmlns:xlink"] = "http://www.w3.org/1999/xlink"
        for element in picture.find_all(["use", "linearGradient", "radialGradient"], href=True):
            element["xlink:href"] = element.attrs.pop("href")
        for path in picture.find_all("path", d=False):  # the glyph of a space
            path["d"] = "M0 0"
        for element in picture.find_all(True, attrs={"paint-order": True}):
            del element["paint-order"]


def make_ids_unique(soup: BeautifulSoup) -> None:
    """Number what has the name of something above: links lead to the first."""
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
<link rel="stylesheet" type="text/css" href="{STYLE.name}"/>
</head>
<body>
{body}
</body>
</html>
"""


def title_page(config: Config) -> str:
    """The cover; who wrote what, when, and what one may do with it."""
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    version = f"Version {config.version}, {time.strftime('%Y-%m-%d', moment)}"
    lines = "".join(f"<p>{html.escape(t)}</p>\n" for t in (version, config.epub_copyright, _NOTE))
    title = html.escape(config.epub_title)
    return f"""<div class="cover"><img src="cover.png" alt="Cover: {title}"/></div>
<section class="title-page">
<h1>{title}</h1>
<p class="authors">{html.escape(config.author)}</p>
{lines}</section>"""


def index_text(groups: list[tuple[str, list[Any]]]) -> str:
    """The index: each letter with its entries, each entry with its links and what is below it."""

    def linked(words: str, links: list[tuple[str, str]]) -> str:
        text = html.escape(words)
        if links:
            text = f'<a href="{html.escape(links[0][1])}">{text}</a>'
        more = (f', <a href="{html.escape(u)}">{n}</a>' for n, (_, u) in enumerate(links[1:], 2))
        return text + "".join(more)

    lines = ['<section id="index">\n<h1>Index</h1>']
    for letter, entries in groups:
        lines.append(f'<h2>{html.escape(letter)}</h2>\n<ul class="course-index">')
        for words, (links, below, _) in entries:
            items = "".join(f"<li>{linked(*item)}</li>" for item in below)
            lines.append(f"<li>{linked(words, links)}{items and f'<ul>{items}</ul>'}</li>")
        lines.append("</ul>")
    return "\n".join([*lines, "</section>"])


def draw_cover(title: str, path: Path) -> None:
    """Write the title above a position, as a PNG.

    Args:
        title: two lines; a comma divides them.
        path: of the picture.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke

    dark, light, white = "#101418", "#e9dfc9", "#ffffff"
    plot = Figure(figsize=(6, 8), dpi=200, facecolor="#23303d")
    first, _, second = title.partition(", ")
    plot.text(0.5, 0.9, first, ha="center", color=white, size=44, weight="bold")
    plot.text(0.5, 0.84, second, ha="center", color=light, size=21)
    plot.text(0.5, 0.06, "A course in Python", ha="center", color=light, size=19)
    axes = plot.add_axes((0.07, 0.12, 0.86, 0.645), xlim=(-0.5, 7.5), ylim=(-0.5, 7.5))
    axes.set_axis_off()
    axes.imshow(
        [[(file + rank) % 2 for file in range(8)] for rank in range(8)],
        cmap=ListedColormap(["#a9865f", light]),
    )
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
    for square, piece in board.piece_map().items():
        glyph = chess.Piece(piece.piece_type, chess.BLACK).unicode_symbol()
        file, rank = chess.square_file(square), chess.square_rank(square)
        inner, edge = (white, dark) if piece.color else (dark, light)
        sign = axes.text(file, rank - 0.04, glyph, ha="center", va="center", size=44, color=inner)
        sign.set_path_effects([withStroke(linewidth=1.6, foreground=edge)])
    plot.savefig(path, facecolor=plot.get_facecolor(), metadata={"Software": None})


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_builder(CourseEpub, override=True)
    app.connect("config-inited", configure)
    return {"parallel_read_safe": True, "parallel_write_safe": False}


if __name__ == "__main__":
    main()
