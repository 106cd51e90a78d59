"""What the outputs of a chapter depend on, as one hash for each chapter.

A chapter is executed again only if its hash has changed. The hash covers the modules that the
chapter imports, directly or not, and the files that these name: a data file counts if its name, or
the name of its folder, is a string in a module. Comments count in chapters only.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from utils.chapters import chapters, course_chapters
from utils.external_programs import find_program
from utils.jupyter_loader import PACKAGE, JupyterLoader
from utils.paths import DATA, ROOT

_LOADER = JupyterLoader()


def dependency_hash(chapter: str) -> str:
    """The hash of all that a chapter's outputs depend on, except its own cells.

    Raises:
        SystemExit: a cell is not Python.
    """
    try:
        own = _read("\n".join(_cells(chapter)).encode())
    except SyntaxError as error:
        raise SystemExit(f"{chapter}: {error.msg}: {(error.text or '').strip()!r}") from None
    section = chapter.partition("_")[0]
    waiting = {"utils.notebook", f"utils.exercises.{section}", *own.imports}
    strings = set(own.strings)
    ours = set(_LOADER.chapters())
    waiting |= {f"{PACKAGE}.{text}" for text in strings & ours}
    digest = hashlib.sha256(f"{sys.version} {bool(find_program('stockfish'))}".encode())
    digest.update(ROOT.joinpath("poetry.lock").read_bytes())
    sources: dict[str, bytes] = {}
    while waiting:
        name = waiting.pop()
        source = _source(name)
        if name in sources or source is None:
            continue
        module = _read(source)
        # Profiles and tracebacks show a chapter's lines with their comments.
        sources[name] = source if name.startswith(PACKAGE) else module.code
        if name == "utils.engines":
            waiting |= {f"{PACKAGE}.{one.name}" for one in course_chapters()}
        if name == "utils.chapters":
            digest.update(repr(chapters()).encode())
        strings |= module.strings
        waiting |= module.imports | {f"{PACKAGE}.{text}" for text in module.strings & ours}
    if "utils.stockfish_answers" in sources:  # executed again to record answers
        digest.update(os.environ.get("RECORD_STOCKFISH", "").encode())
    for name, source in sorted(sources.items()):
        digest.update(name.encode() + hashlib.sha256(source).digest())
    for path in _files():
        if path.name in strings or (path.is_relative_to(DATA) and path.parent.name in strings):
            digest.update(path.name.encode() + _file_hash(path, path.stat().st_mtime_ns))
    return digest.hexdigest()


def _cells(chapter: str) -> Iterator[str]:
    """The code of a chapter's cells, magics replaced by calls."""
    transform = TransformerManager().transform_cell
    for cell in nbformat.read(_LOADER.notebook(chapter), as_version=4).cells:
        if cell.cell_type == "code":
            yield transform(cell.source)


def _source(name: str) -> bytes | None:
    """The source of one of the course's modules; None for any other."""
    first, _, last = name.partition(".")
    if first == PACKAGE:
        if last not in _LOADER.chapters():
            return None
        # Without the header, which changes with every word of the notebook.
        text = _LOADER.load(last).source.partition(b"\n# chapters:")[2]
        return text.partition(b"\n")[2]
    if first != "utils":
        return None
    path = ROOT.joinpath(*name.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.exists():
            return file.read_bytes()
    return None


class _Module(NamedTuple):
    """What matters in the source of a module."""

    imports: frozenset[str]  # full names of modules, and of names in modules
    strings: frozenset[str]
    code: bytes  # without comments and line breaks


@functools.cache
def _read(source: bytes) -> _Module:
    tree = ast.parse(source)
    imports, strings = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                imports |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                imports |= {module} | {f"{module}.{alias.name}" for alias in names}
            case ast.Constant(value=str(text)):
                strings.add(text)
    return _Module(frozenset(imports), frozenset(strings), ast.dump(tree).encode())


def _files() -> list[Path]:
    """Files that chapters may read: data, and the scripts and style sheets in utils."""
    beside = [
        path for path in ROOT.joinpath("utils").rglob("*.*") if path.suffix in (".js", ".css")
    ]
    return sorted([*beside, *(path for path in DATA.rglob("*.*") if path.name != "README.md")])


@functools.cache
def _file_hash(path: Path, _changed: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()
