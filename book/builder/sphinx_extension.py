"""A Sphinx extension with what this book needs beyond published extensions.

- Formulas become MathML, which browsers show without a script.
- No page loads scripts that it does not use.
- Figures of `utils.figures` become Sphinx figures, with a number and a label; a page loads the
  script of interactive ones once.
- The code of a solution is folded with its text; the strength of an engine is below the title.
- Exercises are numbered within their chapter, as in JupyterLab.
- The search ranks the chapter first that explains a term, and leaves out folded code.
- Lines of code can be wrapped on a narrow screen.
- Sources have the labels of citations.py.
- The directive `chapter-cards` makes a card for each chapter of a part.
- The role `elo` shows how strong the engine of a chapter is, the role `minutes` how long chapters
  or exercises take.
- Each chapter has a button that opens it in JupyterLite, if that was built.
"""

from __future__ import annotations

import functools
import hashlib
import html
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from docutils.utils.math.latex2mathml import tex2mathml
from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from pybtex.database import Entry
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting import BaseSortingStyle
from pybtex.style.template import field, sentence
from pygments.formatters import HtmlFormatter
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.highlighting import PygmentsBridge
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.nodes import traverse_parent
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import solution_node

from book.builder.citations import label
from book.builder.contents import chapter_names, of_part
from book.builder.reading_times import minutes
from utils.chapters import chapter
from utils.jupyter_loader import CHAPTER_NAME
from utils.matches.ladder_results import FOLDER, load_ladder
from utils.paths import NOTEBOOKS, ROOT

WIDTH = 80
"""Characters that fit into a line of code on a screen of 1280 pixels."""
_FIGURE = re.compile(
    r'\s*<figure class="course-figure" id="(?P<name>[^"]+)">(?P<content>.*)'
    r"<figcaption>(?P<caption>.*?)</figcaption></figure>\s*",
    re.DOTALL,
)
_FIGURE_SCRIPT = re.compile(r"<script data-course>.*?</script>", re.DOTALL)
_TERM = re.compile(r'<dt id="(term-[^"]+)">(.*?)(</dt>.*?</dd>)', re.DOTALL)


def inline_math(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line of text."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block_math(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula in a line of its own."""
    formula = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="course-math">{formula}</div>\n')
    raise nodes.SkipNode


class CourseFigures(SphinxTransform):
    """Turn the HTML of a figure into a figure node, before labels are collected."""

    default_priority = 200

    def apply(self) -> None:
        """Replace each output that holds a figure."""
        for raw in list(self.document.findall(nodes.raw)):
            match = _FIGURE.fullmatch(raw.astext())
            if match is None or "html" not in raw.get("format", ""):
                continue
            figure = nodes.figure("", classes=["course-figure"], align="center")
            figure += nodes.raw("", _FIGURE_SCRIPT.sub("", match["content"]), format="html")
            figure += nodes.caption("", html.unescape(match["caption"]))
            figure["names"].append(match["name"])
            figure.source, figure.line = raw.source, raw.line
            self.document.note_explicit_target(figure, figure)
            above = traverse_parent(raw)
            output = next(node for node in above if "cell_output" in _classes(node.parent))
            output.replace_self(figure)


class CellPlaces(SphinxTransform):
    """Move solutions into their folds, and strengths below the title."""

    default_priority = 210

    def apply(self) -> None:
        """Move the cells of a page."""
        for solution in list(self.document.findall(solution_node)):
            place = solution.parent.index(solution) + 1
            if place < len(solution.parent) and "tag_solution" in _classes(solution.parent[place]):
                solution[-1].append(solution.parent.pop(place))
        for cell in list(self.document.findall(nodes.container)):
            if "tag_strength" in _classes(cell):
                cell.parent.remove(cell)
                section = next(iter(self.document.findall(nodes.section)))
                section.insert(2, cell)


def _classes(node: nodes.Node | None) -> list[str]:
    return list(node.get("classes", [])) if isinstance(node, nodes.Element) else []


class CourseHTML(StandaloneHTMLBuilder):
    """Sphinx's builder of HTML, with a better index for the search."""

    def prepare_writing(self, docnames: set[str]) -> None:
        """Index unchanged pages, too: of these Sphinx keeps the words, but not the index entries.

        All pages are indexed in order, so that a rebuild writes the same index as the first build.
        """
        super().prepare_writing(docnames)
        if self.env.all_docs.keys() - docnames:
            for name in sorted(self.env.all_docs):
                self.write_doc_serialized(name, self.env.get_and_resolve_doctree(name, self))

    def index_page(self, pagename: str, doctree: nodes.document, title: str) -> None:
        """Index visible text; a term gets the highest rank in the chapter that explains it."""
        doctree = doctree.deepcopy()
        for block in list(doctree.findall(nodes.literal_block)):
            if _folded(block):
                block.parent.remove(block)
        if CHAPTER_NAME.fullmatch(pagename):
            for node in doctree.findall(addnodes.index):
                node["entries"] = [
                    (kind, words, target, "main" if self._homes[words] == pagename else "", key)
                    for kind, words, target, _main, key in node["entries"]
                ]
        super().index_page(pagename, doctree, title)

    @functools.cached_property
    def _homes(self) -> dict[str, str]:
        """The chapter that explains a term: marked in its index with "!", or the first."""
        homes: dict[str, str] = {}
        for page, entries in sorted(self.env.get_domain("index").data["entries"].items()):
            for _kind, words, _target, main, _key in entries:
                if CHAPTER_NAME.fullmatch(page) and (words not in homes or main):
                    homes[words] = page
        return homes


def _folded(block: nodes.literal_block) -> bool:
    """Whether a block is the code of a folded cell, or in a solution."""
    classes = {name for node in traverse_parent(block.parent) for name in _classes(node)}
    solutions = traverse_parent(block, solution_node)
    return {"cell_input", "tag_hide-input"} <= classes or any(solutions)


class CodeLines(HtmlFormatter[str]):
    """Mark lines with their indentation, and long ones, so that style sheets can wrap them."""

    def wrap(self, source: Iterable[tuple[int, str]]) -> Any:
        """The lines of code, each in an element of its own."""
        return super().wrap((kind, self.marked(line) if kind else line) for kind, line in source)

    def marked(self, line: str) -> str:
        """A line of HTML in an element with classes for its length and indentation."""
        length, indent = measured(line)
        indented = f" i{min(indent, 32)}" if indent else ""
        return f'<span class="line{indented}{" long" if length > WIDTH else ""}">{line}</span>'


def measured(line: str) -> tuple[int, int]:
    """The length of a line of HTML in characters, and its indentation rounded down to fours."""
    text = html.unescape(re.sub(r"<[^>]*>", "", line)).rstrip()
    return len(text), (len(text) - len(text.lstrip(" "))) // 4 * 4


class LabelStyle(BaseLabelStyle):
    """Labels of sources: author and year."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        """The label of each source, without brackets."""
        return map(label, sorted_entries)


class LabelOrder(BaseSortingStyle):
    """Sources by their labels; a letter with an accent counts as the letter."""

    def sorting_key(self, entry: Entry) -> str:
        """The label without accents, in small letters."""
        letters = unicodedata.normalize("NFD", label(entry).replace(",", " "))
        return "".join(c for c in letters if not unicodedata.combining(c)).lower()


class SourceStyle(PlainStyle):
    """Sources with their labels, and with titles as they were printed."""

    default_label_style = LabelStyle
    default_sorting_style = LabelOrder

    def format_title(self, entry: Entry, which_field: str, as_sentence: bool = True) -> Any:
        """A title, with its capitals."""
        title = field(which_field)
        return sentence[title] if as_sentence else title


def drop_shared_ids(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Remove the ids that all exercises, or all solutions, of a page share.

    Only when pages are written, because Sphinx needs the ids of sections to number figures.
    """
    for section in doctree.findall(nodes.section):
        if section["ids"] in (["exercise-content"], ["solution-content"]):
            section["ids"] = []


def link_strengths(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Link the strength of an engine to its explanation in the book; JupyterLab links a chapter."""
    for cell in doctree.findall(nodes.container):
        if "tag_strength" in _classes(cell):
            for link in cell.findall(nodes.reference):
                link["refuri"] = app.builder.get_relative_uri(page, "how_to_read") + "#strength"


def depend_on_chapter(env: BuildEnvironment, name: str) -> None:
    """Make Sphinx render the current page again when a chapter's notebook changes."""
    env.note_dependency(str(NOTEBOOKS / f"{name}.ipynb"))


class ChapterCards(SphinxDirective):
    """Cards for the chapters of a part: title, idea, and the strength of the engine."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The cards, as the directives of sphinx-design make them."""
        lines = [":::::{grid} 1 2 2 3", ":gutter: 2", ":class-container: course-cards", ""]
        rated = {row.name for row in load_ladder().rows}
        for one in of_part(self.arguments[0]):
            depend_on_chapter(self.env, one.name)
            title = f"{chapter_names().index(one.name) + 1}. {one.title}"
            lines += [f"::::{{grid-item-card}} {{doc}}`{title} <{one.name}>`", one.idea, ""]
            if one.number in rated:
                lines += [":::{card-footer}", f"{{elo}}`{one.number}`", ":::"]
            lines += ["::::", ""]
        node = nodes.Element()
        self.state.nested_parse(StringList([*lines, ":::::"], source=""), 0, node)
        return list(node.children)


def count_exercises_by_chapter(app: Sphinx, builder: Builder) -> None:
    """Number exercises within their chapter: 3, not 10.3, as in JupyterLab and in the checks."""
    for figures in builder.env.toc_fignumbers.values():
        for name, number in figures.get("exercise", {}).items():
            figures["exercise"][name] = number[-1:]


class Elo(SphinxRole):
    """The role `elo`: a chapter's engine in the ladder, as a number and a bar."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The number and the bar."""
        self.env.note_dependency(str(FOLDER / "ladder.json"))
        ladder = load_ladder()
        row = ladder.row(self.text)
        share = row.elo / max(row.elo for row in ladder.rows)
        text = (
            '<span class="course-elo"><span class="bar">'
            f'<span style="width: {share:.1%}"></span></span>'
            f"{row.strength} <span>Elo</span></span>"
        )
        return [nodes.raw("", text, format="html")], []


class Minutes(SphinxRole):
    """The role `minutes`: how long chapters take to read, or exercises to do."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The time in words."""
        for word in self.text.split():
            if one := chapter(word.partition("-")[0]):
                depend_on_chapter(self.env, one.name)
        try:
            return [nodes.Text(minutes(self.text))], []
        except ValueError as error:
            return [], [self.inliner.reporter.error(str(error), line=self.lineno)]


def renderer_hash() -> str:
    """A hash of the builder and the packages; Sphinx renders all pages again when it changes."""
    digest = hashlib.sha256(ROOT.joinpath("poetry.lock").read_bytes())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def complete(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Change the buttons, scripts and text of a page after the theme has prepared them."""
    if app.config.runs_in_browser and CHAPTER_NAME.fullmatch(page):
        button = {
            "type": "link",
            "url": f"lite/lab/index.html?path={page}.ipynb",
            "text": "Run",
            "tooltip": "Run this chapter in the browser",
            "icon": "fas fa-play",
            "label": "run-chapter",
        }
        context["header_buttons"].insert(0, button)
    context["script_files"] = list(scripts(context["script_files"], context.get("body", "")))
    if "body" in context:
        context["body"] = with_roles(context["body"])
    if page == "glossary":
        # The search shows the content of the element that it links to.
        context["body"] = _TERM.sub(r'<div id="\1"><dt>\2<i>: </i>\3</div>', context["body"])


def scripts(files: Iterable[Any], body: str) -> Iterator[Any]:
    """The scripts that a page needs, of those that Jupyter Book adds to every page."""
    for script in files:
        words = f"{script} {getattr(script, 'attributes', '')}".lower()
        if "figures.js" in words:
            if 'class="course-live"' in body:  # deferred until the page is complete
                yield type(script)(script.filename, defer="defer")
        elif "thebe" not in words:  # Jupyter Book adds these twice; this book does not use them
            yield script


def with_roles(text: str) -> str:
    """Give entries of the bibliography the role of list items, as accessibility rules demand."""
    return text.replace('role="doc-biblioentry"', 'role="listitem"')


def whole_streams(outputs: list[Any]) -> list[Any]:
    """The outputs, with all parts of a stream that the kernel has sent joined to one text."""
    joined, streams = list[Any](), dict[str, Any]()
    for output in outputs:
        if output["output_type"] == "stream":
            if output["name"] in streams:
                streams[output["name"]]["text"] += output["text"]
                continue
            streams[output["name"]] = output
        joined.append(output)
    cleaned: list[Any] = coalesce_streams(joined)
    return cleaned


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_html_math_renderer("course_mathml", (inline_math, None), (block_math, None))
    app.config.html_math_renderer = "course_mathml"
    app.add_transform(CourseFigures)
    app.add_transform(CellPlaces)
    app.add_builder(CourseHTML, override=True)
    PygmentsBridge.html_formatter = CodeLines
    render.coalesce_streams = whole_streams
    register_plugin("pybtex.style.formatting", "course", SourceStyle)
    app.connect("doctree-resolved", link_strengths)
    app.connect("doctree-resolved", drop_shared_ids)
    app.connect("write-started", count_exercises_by_chapter)
    app.add_role("elo", Elo())
    app.add_role("minutes", Minutes())
    app.add_directive("chapter-cards", ChapterCards)
    app.add_config_value("renderer_hash", renderer_hash(), "env")
    app.add_config_value("runs_in_browser", os.environ.get("COURSE_IN_BROWSER") == "1", "html")
    app.connect("html-page-context", complete, priority=900)  # after the theme's own
    return {"parallel_read_safe": True, "parallel_write_safe": True}
