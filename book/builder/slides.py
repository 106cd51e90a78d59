"""Slides from the chapters: `make slides`, or `python -m book.builder.slides` after `make book`.

Slides are chosen by a rule; cells need no metadata for it. The first slide has the title and the
introduction of the chapter. Then come, each below the heading of its section: questions to predict
(the answer appears with the next key), figures, tables of results, and definitions that other
chapters may import, without docstrings (of a long one, a method). The last slide is the summary.

nbconvert makes the decks, in build/slides, and reveal.js shows them. It comes from npm and lies
beside them, so they need no network.
"""

from __future__ import annotations

import ast
import html
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from docutils.utils.math.latex2mathml import tex2mathml
from nbconvert import SlidesExporter

from book.builder import lite
from book.builder.build import TARGET, executed
from book.builder.contents import chapter_names
from utils.atomic_files import replace_file
from utils.paths import ROOT, STYLE

SLIDES = ROOT / "build" / "slides"
REVEAL_VERSION = "5.2.1"
_REVEAL_SHA256 = "359b575dd51bbda32f89b2fd4c7dc46ad7389a805572158916c29252f7a27333"
MOST_LINES = 22
"""Of a definition on a slide."""
_HERE = Path(__file__).parent
_HEADING = re.compile(r"^#{2,3} (.*)$", re.MULTILINE)
_BOX = r"(?:```\{admonition\} %s\n:class: %s\n\n(.*?)\n```)"
_PREDICT = re.compile(
    rf"{_BOX % ('Predict', 'course-predict')}(?:\s*{_BOX % ('Answer', 'dropdown')})?"
    rf"|{_BOX % ('Answer', 'dropdown')}",
    re.DOTALL,
)
"""A question and its answer, or one of them alone: the answer may follow what was computed."""
_KEY = re.compile(r"^(def|class) (?!_|make_engine\b)", re.MULTILINE)
"""A definition of interest: every chapter has a `make_engine`."""
_SHOWN = re.compile(r'<(figure|table)\b[^>]*class="course-')


def executed_chapter(name: str) -> Any:
    """A chapter with the outputs of its executed copy, which has the cells of code alone."""
    runs = executed(name).cells  # refuses a chapter that is not up to date
    chapter = nbformat.read(TARGET / f"{name}.ipynb", as_version=4)
    cells = [cell for cell in chapter.cells if cell.cell_type == "code"]
    for cell, run in zip(cells, runs, strict=True):
        cell.outputs = run.outputs
    return chapter


def deck(chapter: Any) -> Any:
    """A notebook with the slides of an executed chapter."""
    cells = [cell for slide in slides(chapter) for cell in slide]
    return nbformat.v4.new_notebook(cells=cells, metadata=chapter.metadata)


def slides(chapter: Any) -> Iterator[list[Any]]:
    """The slides of a chapter, each as its cells."""
    title, *rest = chapter.cells
    yield [_text("\n\n".join(title.source.split("\n\n")[:2]), "slide")]
    heading = ""

    def head() -> Any:
        return _text(f"## {heading}", "slide")

    for cell in rest:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "markdown":
            heading = (_HEADING.findall(cell.source) or [heading])[-1]
            if heading == "Synopsis":
                return
            for question, answer, later in _PREDICT.findall(cell.source):
                parts = {"-": question, "fragment": answer or later}
                yield [
                    head(),
                    *(_text(text, kind) for kind, text in parts.items() if text),
                ]
            if heading == "Summary":
                yield [_text(cell.source, "slide")]
        elif cell.cell_type == "code":
            shown = [
                output
                for output in cell.outputs
                if _SHOWN.match(output.get("data", {}).get("text/html", "").strip())
            ]
            if not tags and _KEY.search(cell.source) and (code := _key_part(cell.source)):
                yield [head(), nbformat.v4.new_code_cell(code)]
            elif shown and not {"solution", "exercise"} & set(tags):
                result = nbformat.v4.new_code_cell(outputs=shown)
                yield [head(), result]


def _key_part(source: str) -> str:
    """A definition if it fits on a slide; otherwise its longest method that fits, or ""."""
    code = _bare(source)
    methods = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef))
    parts = [ast.get_source_segment(code, node, padded=True) or "" for node in methods]
    fitting = [part for part in (code, *parts) if len(part.splitlines()) <= MOST_LINES]
    return textwrap.dedent(max(fitting, key=len, default=""))


def _bare(source: str) -> str:
    """Code without imports and docstrings."""
    dropped: list[ast.stmt] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            dropped.append(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            dropped += node.body[:1] if node.body[1:] else []
    numbers = {n for one in dropped for n in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    lines = (line for n, line in enumerate(source.splitlines(), 1) if n not in numbers)
    return re.sub(r"(:|\n)\n\n+", r"\1\n", "\n".join(lines)).strip()


def _text(source: str, kind: str) -> Any:
    """A cell of text, without the markup that only the book supports."""
    source = re.sub(r"```\{index\}.*?```|\s*\{cite:p\}`[^`]*`", "", source, flags=re.DOTALL)
    source = lite.TERM.sub(r"\1", source)
    source = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", source)
    source = re.sub(r"\$([^$]+)\$", lambda match: tex2mathml(match[1]), source)
    return nbformat.v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind}})


def write_deck(name: str, chapter: Any, folder: Path) -> Path:
    """Write the slides of an executed chapter."""
    exporter = SlidesExporter(
        extra_template_basedirs=[str(_HERE)],
        template_name="slides_template",
        reveal_url_prefix="reveal",
        reveal_theme="white",
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    text, _ = exporter.from_notebook_node(deck(chapter), {"metadata": {"name": name}})
    path = folder / f"{name}.html"
    replace_file(path, text)
    return path


def write_parts(folder: Path) -> None:
    """Write the files that all decks share: reveal.js and the style sheets.

    Raises:
        MissingPartError: reveal.js cannot be downloaded.
    """
    with lite.open_archive("reveal.js", REVEAL_VERSION, _REVEAL_SHA256) as archive:
        parts = [one for one in archive if re.match(r"package/(dist/|LICENSE)", one.name)]
        shutil.rmtree(folder / "reveal", ignore_errors=True)
        archive.extractall(folder, parts)
    folder.joinpath("package").rename(folder / "reveal")
    for sheet in (STYLE, _HERE / "slides.css"):
        shutil.copy(sheet, folder)


def main() -> None:
    """Write a deck for each chapter, and a page that lists them."""
    SLIDES.mkdir(parents=True, exist_ok=True)
    try:
        write_parts(SLIDES)
    except lite.MissingPartError as error:
        raise SystemExit(f"The slides need reveal.js: {error}") from None
    links = []
    for name in chapter_names():
        notebook = executed_chapter(name)
        title = html.escape(notebook.cells[0].source.partition("\n")[0].lstrip("# "))
        path = write_deck(name, notebook, SLIDES)
        links.append(f'<li><a href="{path.name}">{title}</a></li>')
    page = SLIDES / "index.html"
    replace_file(page, f'<!doctype html><meta charset="utf-8"><ol>{"".join(links)}</ol>\n')
    print(f"The slides are ready: {page.as_uri()}")


if __name__ == "__main__":
    main()
