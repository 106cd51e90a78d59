"""Words that the chapters avoid, and what to write instead.

python -m book.builder.voice              # the chapters and the pages of the book
python -m book.builder.voice FILE ...     # some of them

It checks text, captions, docstrings and comments, but no code, formulas or addresses. The list is
short: it has words without a proper use in this course. It also checks that each question to the
reader has a folded answer directly below.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from utils.paths import BOOK, NOTEBOOKS, ROOT

AVOID = {
    r"whoever|whosoever": "say which side, player or program",
    r"(?:drawn |chosen |picked |decided )?by lot": "say random, or at random",
    r"keep(?:s|ing)? (?:an|its|the|their) appointments?(?: with)?": "say obey, or be in time",
    r"of course|obviously|needless to say|as you can see|as (?:you|we all) know":
        "leave it out, or say why",
    r"simply|basically|trivially|straightforwardly|merely": "leave it out",
    r"(?<!has )(?<!have )(?<!had )just (?:add|call|change|copy|run|take|type|use|write)":
        "leave out just",
    r"(?:please )?note that|it (?:should|must) be noted that|keep in mind that":
        "leave it out: begin with what follows",
    r"in order to": "say to",
    r"due to the fact that": "say because",
    r"utili[sz](?:e[sd]?|ing)": "say use",
    r"let us now|we will now|we are now going to": "take the step without saying so",
    r"(?:engine|program|computer|search|table|thread|cache|loader|scheduler|interpreter)s?"
    r" (?:wants?|wish(?:es)?|believes?|hopes?|fears?|loves?|dreams?|hates?|feels?)":
        "say what the program computes or chooses",
    r"(?:says?|said|saying) goodbye": "say end",
    r"chang(?:e|es|ed|ing) (?:its|their) minds?": "say choose another move",
    r"(?:a|its|each|every) (?:running |first |second )?thoughts?(?! experiment)":
        "say search, or search thread",
    r"analyz(?:e[sd]?|ing)|behaviors?": "use the British spelling",
    r"(?:take[sn]?|taking) (?:\w+ ){1,3}for (?:exact|granted|independent|normal\w*)":
        "say treat as, or assume",
    r"positions? of the beginning": "say the first position",
    r"actually|as (?:was )?(?:mentioned|said)(?: above| before)?|by the way|in fact|so to speak":
        "leave it out",
    r"it is (?:important|interesting|worth) (?:to )?(?:mention|not(?:e|ic|ing)|remember|see)\w*":
        "leave it out: begin with what follows",
    r"crucial\w*|delv(?:e[sd]?|ing)|leverag(?:e[sd]?|ing)|powerful\w*|seamless\w*":
        "say what it does",
}  # fmt: skip
"""Patterns, each with what to do instead."""

_AVOIDED = [
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), advice) for pattern, advice in AVOID.items()
]
_EXCLAMATION = re.compile(r"[a-z]{2,}[*_]*!(?=[\s\"')]|$)")
_TWICE = re.compile(r"\b([a-z]+) \1\b(?! \1)", re.IGNORECASE)
_MAY_STAND_TWICE = {"had", "that", "n", "ha"}
_SHORT, _CHAIN = 5, 4  # a chain: at least four sentences in a row of at most five words

_QUESTION = re.compile(r"^:class: course-predict$", re.MULTILINE)
_ANSWERED = re.compile(
    r"^:class: course-predict\n(?:(?!```).*\n)*```\n\n```\{admonition\} Answer\n:class: dropdown$",
    re.MULTILINE,
)

_TERM = re.compile(r"\{term\}`([^`]*)`")  # its text is prose
_NO_PROSE = re.compile(
    r"^(?P<fence>`{3,})(?!\{)[^\n]*\n.*?^(?P=fence)`*$"  # a block of code
    r"|^`{3,}\{(?:math|index|figure|image|card|code|list-table|embed)[^\n]*\n.*?^`{3,}$"
    r"|^`{3,}[^\n]*$|^:\w[\w-]*:[^\n]*$"  # the frame of a directive, and its options
    r"|\$\$.*?\$\$|\$[^$\n]+\$"
    r"|\{(?:doc|ref|numref|cite:p|eq|index|prf:ref|code)\}`[^`]*`"
    r"|(?P<tick>`+)(?!`).*?(?<!`)(?P=tick)(?!`)"  # code in a line
    r"|\]\([^)]*\)|<[^>\n]+>|https?://\S+",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Fault:
    """A word to avoid: where it stands, and what to do instead."""

    file: str
    cell: str
    word: str
    advice: str

    def __str__(self) -> str:
        return f"{self.file}: {self.cell}: {self.word!r}: {self.advice}"


def prose(markdown: str) -> str:
    """The words of a text, without code, formulas, addresses and the frames of directives."""
    return _NO_PROSE.sub(" x ", _TERM.sub(r"\1", markdown))


def words_of_code(source: str) -> Iterator[str]:
    """Docstrings, comments, and strings of several words, such as captions.

    A cell with magics, or one that is not Python, is skipped.
    """
    try:
        tree = ast.parse(source)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, tokenize.TokenError):
        return
    # A comment may go on in the next line.
    notes = "\n".join(t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT)
    if notes:
        yield notes
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        if len(node.value.split()) > 3:
            yield re.sub(r"`[^`\n]*`", " x ", node.value)


def faults_in(text: str) -> Iterator[tuple[str, str]]:
    """Words to avoid in a text without code, each with advice."""
    text = re.sub(r"[ \t]*\n[ \t]*(?!\n)", " ", text)  # a paragraph is a line
    for pattern, advice in _AVOIDED:
        yield from ((found[0], advice) for found in pattern.finditer(text))
    yield from ((found[0], "end with a full stop") for found in _EXCLAMATION.finditer(text))
    for found in _TWICE.finditer(text):
        if found[1].lower() not in _MAY_STAND_TWICE | {"x"}:
            yield found[0], "say it once"


def chains_in(text: str) -> Iterator[tuple[str, str]]:
    """Very short sentences, one after the other, in a paragraph."""
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*|>#] |\d+\. )", text):
        run: list[str] = []
        for sentence in [*re.split(r"(?<=[.?!]) ", paragraph.replace("\n", " ")), "x " * 99]:
            words = sentence.split()
            if 1 < len(words) <= _SHORT and words[-1][-1] in ".?!" and "|" not in words:
                run.append(sentence)
                continue
            if len(run) >= _CHAIN:
                yield " ".join(run), "join them by the thread of the argument"
            run = []


def open_questions_in(markdown: str) -> Iterator[tuple[str, str]]:
    """Questions to the reader that have no folded answer directly below."""
    without = len(_QUESTION.findall(markdown)) - len(_ANSWERED.findall(markdown))
    yield from [("Predict", "fold the Answer directly below the question")] * without


def faults(path: Path) -> list[Fault]:
    """The faults of a notebook or of a page in Markdown."""
    text = path.read_text(encoding="utf-8")
    cells = [("page", "markdown", text)]
    if path.suffix == ".ipynb":
        cells = [
            (cell.get("id", f"cell {number}"), cell["cell_type"], "".join(cell["source"]))
            for number, cell in enumerate(json.loads(text)["cells"], 1)
        ]
    found = []
    for name, kind, source in cells:
        if kind == "markdown":
            spoken = prose(source)
            pairs = [*faults_in(spoken), *chains_in(spoken), *open_questions_in(source)]
        else:
            pairs = [pair for words in words_of_code(source) for pair in faults_in(words)]
        found += [Fault(path.name, name, *pair) for pair in pairs]
    return found


def pages() -> list[Path]:
    """The checked files: chapters, template, and the pages around them."""
    chapters = NOTEBOOKS.glob("*.ipynb")
    return [*sorted(chapters), *sorted(BOOK.glob("*.md")), ROOT / "README.md"]


def main(
    paths: Annotated[list[Path] | None, typer.Argument(exists=True, dir_okay=False)] = None,
) -> None:
    """Print the faults of files, by default of all chapters and pages. With any, end with 1."""
    found = [fault for path in paths or pages() for fault in faults(path)]
    print(*found, sep="\n", end="\n" * bool(found))
    raise typer.Exit(bool(found))


if __name__ == "__main__":
    typer.run(main)
