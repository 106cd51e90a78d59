"""Make the book an EPUB: `make epub`, or `python -m book.builder.epub` after `make book`.

Sphinx writes the text of each page, with its builder for EPUBs (`EpubPages` in
course_book.py). Here the text becomes XHTML that programs and devices for
reading take: well-formed, without scripts, folded where it folds without them.
Then all pages go into one file, with a cover, a title page and a table of contents.
"""

from __future__ import annotations

import html
import io
import itertools
import os
import re
import shutil
import time
import tomllib
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import yaml
from bs4 import BeautifulSoup, Tag
from bs4.dammit import EntitySubstitution
from bs4.formatter import XMLFormatter

from book.builder.build import STRICT, TARGET, render
from book.builder.contents import contents
from utils.atomic_files import beside
from utils.paths import BOOK, ROOT

PAGES = TARGET / "_build" / "epub"
EPUB = ROOT / "build" / "epub" / "chess-engines.epub"
STYLE = Path(__file__).with_name("epub.css")
FOLDER = "EPUB"
"""Where everything is in the file, except for what must stand at its top."""
LANGUAGE = "en"

_GAME = (
    "The game needs scripts, which this form of the book does without: "
    "it is on this page of the book in a browser."
)
_NOTE = (
    "This is the book as an EPUB: all of its text, code, results and figures. Running a chapter "
    "and playing against the engines need the book in a browser, or the course itself."
)
_MARKED = frozenset("c c1 cm sd k kc kd kn kr ow s s1 s2 sa se si nc nf".split())  # noqa: SIM905
"""Kinds of words in code that the style sheet marks; the others need no element."""
_WORD = re.compile(r'<span class="(?P<kind>\w{1,2}|pre)">(?P<word>[^<]*)</span>|<span></span>')
_CODE = re.compile(r'(?<=<div class="highlight"><pre>).*?(?=</pre>)', re.DOTALL)
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
_TYPES = {
    ".css": "text/css",
    ".jpg": "image/jpeg",
    ".ncx": "application/x-dtbncx+xml",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".xhtml": "application/xhtml+xml",
}


@dataclass(frozen=True)
class Page:
    """A page of the book.

    Attributes:
        name: of its file, without the ending.
        title: with its number, if it has one.
        body: XHTML.
        sections: anchor and title of each part of the page.
        pictures: files that it shows.
    """

    name: str
    title: str
    body: str
    sections: tuple[tuple[str, str], ...] = ()
    pictures: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.xhtml"

    @property
    def properties(self) -> str:
        """What the list of files has to say about it."""
        return " ".join(
            kind for kind, mark in (("mathml", "<math"), ("svg", "<svg")) if mark in self.body
        )


@dataclass(frozen=True)
class Part:
    """Pages that stand together in the table of contents; the first part has no caption."""

    caption: str
    pages: tuple[Page, ...]


@dataclass(frozen=True)
class About:
    """What is known about the book as a whole."""

    title: str
    authors: str
    rights: str
    version: str
    description: str
    identifier: str
    modified: time.struct_time


def main() -> None:
    """Render the pages, put them into one file."""
    if PAGES.exists():
        shutil.rmtree(PAGES)
    os.environ["COURSE_IN_BROWSER"] = "0"  # read by course_book.py
    render(TARGET, *STRICT, "--builder", "custom", "--custom-builder", "epub")
    EPUB.parent.mkdir(parents=True, exist_ok=True)
    with beside(EPUB) as new:
        pack(new, about(), parts())
    print(f"The book is ready: {EPUB} ({EPUB.stat().st_size / 1e6:.1f} MB)")


def about() -> About:
    """Collect what other files say about the book.

    The time is now, or what SOURCE_DATE_EPOCH says, so that a file can be made again.
    """
    settings = yaml.safe_load(BOOK.joinpath("_config.yml").read_text(encoding="utf-8"))
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    return About(
        title=settings["title"],
        authors=settings["author"],
        rights=f"Copyright {settings['copyright']}",
        version=project["version"],
        description=project["description"],
        identifier=f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, project['name'])}",
        modified=time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))),
    )


def parts() -> list[Part]:
    """The pages in the order of the book."""
    whole = contents()
    result = [Part("", (read_page(whole["root"]),))]
    for part in whole["parts"]:
        pages = tuple(read_page(chapter["file"]) for chapter in part["chapters"])
        result.append(Part(part["caption"], pages))
    return result


def read_page(name: str) -> Page:
    """A page that Sphinx has written."""
    return make_page(name, PAGES.joinpath(f"{name}.xhtml").read_text(encoding="utf-8"))


# What becomes of a page


def make_page(name: str, text: str) -> Page:
    """Turn the text that Sphinx wrote into XHTML."""
    text = _CODE.sub(lambda match: hang(match[0]), thin_out_code(_NOT_XML.sub("", text)))
    soup = BeautifulSoup(text, "html.parser")
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
    title = soup.h1.get_text().strip() if soup.h1 else name
    sections = [
        (str(heading.parent["id"]), heading.get_text().strip())
        for heading in soup.select("section[id] > h2")
        if heading.parent is not None and heading.parent.find(["h1", "h2"]) is heading
    ]
    pictures = dict.fromkeys(str(image["src"]) for image in soup.find_all("img"))
    return Page(name, title, as_xml(soup), tuple(sections), tuple(pictures))


def thin_out_code(text: str) -> str:
    """Unwrap the words in code that look like the words around them: half of all elements."""
    return _WORD.sub(lambda m: m[0] if m["kind"] in _MARKED else m["word"] or "", text)


def hang(code: str) -> str:
    """Mark long lines of code, so that what does not fit continues right of where they begin."""
    lines, mark = list[str](), ""
    for line in code.splitlines(keepends=True):
        inner = mark + line
        for tag in re.findall(r"<span[^>]*>|</span>", line):  # a docstring has several lines
            mark = "" if tag == "</span>" else tag
        words = html.unescape(re.sub(r"<[^>]*>", "", line)).rstrip()
        if len(words) > _FITS:
            indent = min((len(words) - len(words.lstrip())) // 4 * 4, 24)
            lines.append(f'<span class="line i{indent}">{inner}{mark and "</span>"}</span>')
        else:
            lines.append(inner + (mark and "</span>"))
    return "".join(lines)


def as_xml(soup: BeautifulSoup) -> str:
    """Write the elements as XML."""
    return soup.decode(formatter=XMLFormatter(EntitySubstitution.substitute_xml))


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


def document(title: str, body: str, *, kind: str = "") -> str:
    """A complete page."""
    body_type = f' epub:type="{kind}"' if kind else ""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" \
lang="{LANGUAGE}" xml:lang="{LANGUAGE}">
<head>
<title>{html.escape(title)}</title>
<link rel="stylesheet" type="text/css" href="{STYLE.name}"/>
</head>
<body{body_type}>
{body}
</body>
</html>
"""


def cover_page(book: About) -> str:
    """The cover as the first page."""
    picture = f'<img src="cover.png" alt="{html.escape(f"Cover: {book.title}")}"/>'
    return document("Cover", f'<div class="cover">{picture}</div>', kind="cover")


def title_page(book: About) -> str:
    """Who wrote what, when, and what one may do with it."""
    lines = [
        f"Version {book.version}, {time.strftime('%Y-%m-%d', book.modified)}",
        book.rights,
        _NOTE,
    ]
    text = "\n".join(f"<p>{html.escape(line)}</p>" for line in lines)
    body = f"""<section class="title-page" epub:type="titlepage">
<h1>{html.escape(book.title)}</h1>
<p class="authors">{html.escape(book.authors)}</p>
{text}
</section>"""
    return document(book.title, body, kind="frontmatter")


def draw_cover(title: str) -> bytes:
    """The title above a position, as a PNG.

    Args:
        title: two lines; a comma divides them.
    """
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke

    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
    plot = Figure(figsize=(6, 8), dpi=200, facecolor="#23303d")
    first, _, second = title.partition(", ")
    plot.text(0.5, 0.9, first, ha="center", color="#ffffff", size=44, weight="bold")
    plot.text(0.5, 0.84, second, ha="center", color="#e9dfc9", size=21)
    axes = plot.add_axes((0.07, 0.12, 0.86, 0.645), xlim=(0, 8), ylim=(0, 8))
    axes.set_axis_off()
    for square in chess.SQUARES:
        file, rank = chess.square_file(square), chess.square_rank(square)
        colour = "#e9dfc9" if (file + rank) % 2 else "#a9865f"
        axes.fill([file, file + 1, file + 1, file], [rank, rank, rank + 1, rank + 1], colour, lw=0)
        if piece := board.piece_at(square):
            glyph = chess.Piece(piece.piece_type, chess.BLACK).unicode_symbol()
            sign = axes.text(file + 0.5, rank + 0.46, glyph, ha="center", va="center", size=44)
            sign.set_color("#ffffff" if piece.color else "#101418")
            edge = "#101418" if piece.color else "#e9dfc9"
            sign.set_path_effects([withStroke(linewidth=1.6, foreground=edge)])
    plot.text(0.5, 0.06, "A course in Python", ha="center", color="#e9dfc9", size=19)
    data = io.BytesIO()
    plot.savefig(data, format="png", facecolor=plot.get_facecolor(), metadata={"Software": None})
    return data.getvalue()


# Tables of contents, for programs of today and of yesterday


def navigation(contents: list[Part]) -> str:
    """The table of contents, a page too; sections are for the program's own display."""
    items = []
    for part in contents:
        pages = "".join(_nav_item(page) for page in part.pages)
        items.append(
            f"<li><span>{html.escape(part.caption)}</span><ol>{pages}</ol></li>\n"
            if part.caption
            else pages
        )
    body = f"""<nav epub:type="toc" id="toc" role="doc-toc">
<h1>Contents</h1>
<ol>
{"".join(items)}</ol>
</nav>
<nav epub:type="landmarks" id="landmarks" hidden="">
<h2>Places</h2>
<ol>
<li><a epub:type="cover" href="cover.xhtml">Cover</a></li>
<li><a epub:type="toc" href="#toc">Contents</a></li>
<li><a epub:type="bodymatter" href="{contents[0].pages[0].file}">Beginning</a></li>
</ol>
</nav>"""
    return document("Contents", body)


def _nav_item(page: Page) -> str:
    """A page and its sections."""
    sections = "".join(
        f'<li><a href="{page.file}#{html.escape(anchor)}">{html.escape(title)}</a></li>\n'
        for anchor, title in page.sections
    )
    below = f'\n<ol hidden="">\n{sections}</ol>' if sections else ""
    return f'<li><a href="{page.file}">{html.escape(page.title)}</a>{below}</li>\n'


def ncx(book: About, contents: list[Part]) -> str:
    """The same table of contents, as EPUB 2 has it, where each place has its number."""
    points = "".join(_ncx_part(part) for part in contents)
    numbers = dict[str, int]()
    names = itertools.count(1)

    def numbered(point: re.Match[str]) -> str:
        number = numbers.setdefault(point["target"], len(numbers) + 1)
        return f'<navPoint id="p{next(names)}" playOrder="{number}">'

    points = re.sub(r'<navPoint>(?=.*? src="(?P<target>[^"]*)")', numbered, points)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ncx version="2005-1" xmlns="http://www.daisy.org/z3986/2005/ncx/" xml:lang="{LANGUAGE}">
<head>
<meta name="dtb:uid" content="{book.identifier}"/>
<meta name="dtb:depth" content="3"/>
<meta name="dtb:totalPageCount" content="0"/>
<meta name="dtb:maxPageNumber" content="0"/>
</head>
<docTitle><text>{html.escape(book.title)}</text></docTitle>
<navMap>
{points}</navMap>
</ncx>
"""


def _ncx_part(part: Part) -> str:
    """A part, its pages and their sections."""
    pages = "".join(
        _ncx_point(
            page.title,
            page.file,
            "".join(_ncx_point(title, f"{page.file}#{name}") for name, title in page.sections),
        )
        for page in part.pages
    )
    return _ncx_point(part.caption, part.pages[0].file, pages) if part.caption else pages


def _ncx_point(title: str, target: str, below: str = "") -> str:
    return (
        f"<navPoint><navLabel><text>{html.escape(title)}</text></navLabel>"
        f'<content src="{html.escape(target)}"/>{below}</navPoint>\n'
    )


# The file


def package(book: About, files: list[str], pages: dict[str, str], order: list[str]) -> str:
    """The list of everything, in the order of reading.

    Args:
        book: what to say about it.
        files: all names, without that of the list itself.
        pages: properties of files that have some.
        order: the pages.
    """
    items = "\n".join(_item(name, pages.get(name, "")) for name in files)
    spine = "\n".join(f'<itemref idref="{_identify(name)}"/>' for name in order)
    modified = time.strftime("%Y-%m-%dT%H:%M:%SZ", book.modified)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" \
xml:lang="{LANGUAGE}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="book-id">{book.identifier}</dc:identifier>
<dc:title>{html.escape(book.title)}</dc:title>
<dc:language>{LANGUAGE}</dc:language>
<dc:creator id="authors">{html.escape(book.authors)}</dc:creator>
<dc:rights>{html.escape(book.rights)}</dc:rights>
<dc:description>{html.escape(book.description)}</dc:description>
<dc:subject>Computer chess</dc:subject>
<dc:date>{modified}</dc:date>
<meta property="dcterms:modified">{modified}</meta>
<meta property="schema:accessMode">textual</meta>
<meta property="schema:accessMode">visual</meta>
<meta property="schema:accessModeSufficient">textual</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">structuralNavigation</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityHazard">none</meta>
<meta property="schema:accessibilitySummary">Every figure has an alternative text, every formula \
is MathML.</meta>
<meta name="cover" content="{_identify("cover.png")}"/>
</metadata>
<manifest>
{items}
</manifest>
<spine toc="{_identify("toc.ncx")}">
{spine}
</spine>
</package>
"""


def _item(name: str, properties: str) -> str:
    kind = _TYPES[Path(name).suffix]
    rest = f' properties="{properties}"' if properties else ""
    return f'<item id="{_identify(name)}" href="{name}" media-type="{kind}"{rest}/>'


def _identify(name: str) -> str:
    """A name for a file within the list of files."""
    return re.sub(r"[^\w.-]", "-", f"file-{name}")


def pack(path: Path, book: About, contents: list[Part]) -> None:
    """Write the EPUB."""
    pages = [page for part in contents for page in part.pages]
    files: dict[str, str | bytes] = {
        "cover.xhtml": cover_page(book),
        "title.xhtml": title_page(book),
        "nav.xhtml": navigation(contents),
    }
    files |= {page.file: document(page.title, page.body) for page in pages}
    order = list(files)
    files |= {"toc.ncx": ncx(book, contents), STYLE.name: STYLE.read_bytes()}
    files |= {"cover.png": draw_cover(book.title)} | dict(_pictures(pages))
    properties = {page.file: page.properties for page in pages}
    properties |= {"nav.xhtml": "nav", "cover.png": "cover-image"}
    container = f"""<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="{FOLDER}/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""
    top: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        f"{FOLDER}/package.opf": package(book, list(files), properties, order),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (top | {f"{FOLDER}/{name}": files[name] for name in files}).items():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # the same everywhere
            entry.compress_type = zipfile.ZIP_DEFLATED
            if name == "mimetype":  # must be readable without unpacking
                entry.compress_type = zipfile.ZIP_STORED
            archive.writestr(entry, data)


def _pictures(pages: list[Page]) -> Iterator[tuple[str, bytes]]:
    """The files that pages show."""
    for name in dict.fromkeys(name for page in pages for name in page.pictures):
        yield name, PAGES.joinpath(name).read_bytes()


if __name__ == "__main__":
    main()
