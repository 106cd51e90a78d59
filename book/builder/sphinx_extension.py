"""What this book needs of Sphinx beyond its published extensions.

- Formulas become MathML, which browsers show without a script from elsewhere.
- No page loads scripts that the book does not use.
- Figures that `utils.figures` wrote become Sphinx figures, with a number and a label; a page
  loads the script of those that move once.
- The code of a solution stands within the fold of its text; an engine's strength below the title.
- Exercises are counted within their chapter, as JupyterLab does.
- The search knows the terms that a chapter explains, and leaves out code that is folded.
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
from sphinx.util.docutils import SphinxDirective
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
"""Characters that fit into a line of code at 1280 pixels."""
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
    """Turns the HTML of a figure into a figure node, before labels are collected."""

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
            output = raw
            while not (
                isinstance(output.parent, nodes.Element)
                and "cell_output" in output.parent.get("classes", [])
            ):
                output = output.parent
            output.replace_self(figure)


class CellPlaces(SphinxTransform):
    """Moves cells to where a reader looks for them."""

    default_priority = 210

    def apply(self) -> None:
        """Put a solution's code into its fold, and an engine's strength below the title."""
        for solution in list(self.document.findall(solution_node)):
            place = solution.parent.index(solution) + 1
            if place < len(solution.parent) and "tag_solution" in _classes(solution.parent[place]):
                solution[-1].append(solution.parent.pop(place))
        for cell in list(self.document.findall(nodes.container)):
            if "tag_strength" in _classes(cell):
                cell.parent.remove(cell)
                section = next(iter(self.document.findall(nodes.section)))
                section.insert(2, cell)


def _classes(node: nodes.Node) -> list[str]:
    return list(node.get("classes", [])) if isinstance(node, nodes.Element) else []


class CourseHTML(StandaloneHTMLBuilder):
    """The usual pages, with an index for the search that a reader has a use for."""

    def prepare_writing(self, docnames: set[str]) -> None:
        """Index the pages that stay as they are, too: Sphinx keeps their words, not their terms.

        All pages in their order, so that any rebuild writes the same index as the first build.
        """
        super().prepare_writing(docnames)
        if self.env.all_docs.keys() - docnames:
            for name in sorted(self.env.all_docs):
                self.write_doc_serialized(name, self.env.get_and_resolve_doctree(name, self))

    def index_page(self, pagename: str, doctree: nodes.document, title: str) -> None:
        """Index what one can see; a term first of all in the chapter that explains it."""
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
    ancestors = []
    node: nodes.Node = block
    while node.parent is not None:
        node = node.parent
        ancestors.append(node)
    classes = {name for node in ancestors for name in _classes(node)}
    return {"cell_input", "tag_hide-input"} <= classes or any(
        isinstance(node, solution_node) for node in ancestors
    )


class CodeLines(HtmlFormatter[str]):
    """Marks each line with its indentation, and long ones, so that a screen can wrap them."""

    def wrap(self, source: Iterable[tuple[int, str]]) -> Any:
        """The lines of code, each in an element of its own."""
        return super().wrap((kind, self.marked(line) if kind else line) for kind, line in source)

    def marked(self, line: str) -> str:
        """A line of HTML in its element."""
        length, indent = measured(line)
        indented = f" i{min(indent, 32)}" if indent else ""
        return f'<span class="line{indented}{" long" if length > WIDTH else ""}">{line}</span>'


def measured(line: str) -> tuple[int, int]:
    """The characters of a line of HTML, and its indentation in steps of four."""
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
        """What is compared."""
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
    """Take off the ids that all exercises, or all solutions, of a page have in common.

    Only when pages are written: to number figures, Sphinx asks each section for its id.
    """
    for section in doctree.findall(nodes.section):
        if section["ids"] in (["exercise-content"], ["solution-content"]):
            section["ids"] = []


def link_strengths(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Lead from an engine's strength to what it means; in JupyterLab it leads to a chapter."""
    for cell in doctree.findall(nodes.container):
        if "tag_strength" in _classes(cell):
            for link in cell.findall(nodes.reference):
                link["refuri"] = app.builder.get_relative_uri(page, "how_to_read") + "#strength"


def depend_on_chapter(env: BuildEnvironment, name: str) -> None:
    """Have the page that is read rendered again when a chapter's notebook changes."""
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
    """Exercise 3, not 10.3: within a chapter, as in JupyterLab and in the checks."""
    for figures in builder.env.toc_fignumbers.values():
        for name, number in figures.get("exercise", {}).items():
            figures["exercise"][name] = number[-1:]


def show_elo(
    _name: str, _source: str, chapter: str, _line: int, inliner: Any, *_rest: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role `elo`: a chapter's engine in the ladder, as a number and a bar."""
    inliner.document.settings.env.note_dependency(str(FOLDER / "ladder.json"))
    ladder = load_ladder()
    row = ladder.row(chapter)
    share = row.elo / max(row.elo for row in ladder.rows)
    text = (
        '<span class="course-elo"><span class="bar">'
        f'<span style="width: {share:.1%}"></span></span>'
        f"{row.strength} <span>Elo</span></span>"
    )
    return [nodes.raw("", text, format="html")], []


def show_minutes(
    _name: str, _source: str, names: str, line: int, inliner: Any, *_rest: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role `minutes`: how long chapters take to read, or exercises to do."""
    for word in names.split():
        if one := chapter(word.partition("-")[0]):
            depend_on_chapter(inliner.document.settings.env, one.name)
    try:
        return [nodes.Text(minutes(names))], []
    except ValueError as error:
        return [], [inliner.reporter.error(str(error), line=line)]


def renderer_hash() -> str:
    """A hash of what renders the pages; Sphinx renders all of them anew when it changes."""
    digest = hashlib.sha256(ROOT.joinpath("poetry.lock").read_bytes())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def complete(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Change what the theme has made of a page: its buttons, its scripts, and its text."""
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
        # The search shows what is within the element that it links to.
        context["body"] = _TERM.sub(r'<div id="\1"><dt>\2<i>: </i>\3</div>', context["body"])


def scripts(files: Iterable[Any], body: str) -> Iterator[Any]:
    """The scripts that a page needs, of those that Jupyter Book adds to every page."""
    for script in files:
        words = f"{script} {getattr(script, 'attributes', '')}".lower()
        if "figures.js" in words:
            if 'class="course-live"' in body:  # runs when the page is complete
                yield type(script)(script.filename, defer="defer")
        elif "thebe" not in words:  # those it adds twice, and this book does not use them
            yield script


def with_roles(text: str) -> str:
    """Give entries of the bibliography the role that a list's items must have."""
    return text.replace('role="doc-biblioentry"', 'role="listitem"')


def whole_streams(outputs: list[Any]) -> list[Any]:
    """The outputs; what a kernel has sent in parts is one text, and not a line for each part."""
    joined, streams = list[Any](), dict[str, Any]()
    for output in outputs:
        known = streams.get(output.get("name", ""))
        if output["output_type"] != "stream" or known is None:
            joined.append(output)
        else:
            known["text"] += output["text"]
        if output["output_type"] == "stream":
            streams.setdefault(output["name"], output)
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
    app.add_role("elo", show_elo)
    app.add_role("minutes", show_minutes)
    app.add_directive("chapter-cards", ChapterCards)
    app.add_config_value("renderer_hash", renderer_hash(), "env")
    app.add_config_value("runs_in_browser", os.environ.get("COURSE_IN_BROWSER") == "1", "html")
    app.connect("html-page-context", complete, priority=900)  # after the theme's own
    return {"parallel_read_safe": True, "parallel_write_safe": True}
