"""Notebooks as modules.

`JupyterLoader().load_all()` turns each `notebooks/sNN_name.ipynb` into
`converted_notebooks/sNN_name.py`. The import hook does the same for a single
import, so that `from converted_notebooks.s04_engine_interface import Engine`
works in a notebook, in a script and in a test.

`utils.notebook.converter` decides what goes into a module. It is imported only
when a notebook has changed: to check unchanged chapters takes a few milliseconds.
"""

from __future__ import annotations

import difflib
import graphlib
import hashlib
import importlib.util
import itertools
import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from utils.atomic_files import temporary_file
from utils.notebook import pyodide
from utils.notebook.cell_sources import keep_cell_sources
from utils.notebook.names import CHAPTER_NAME, PACKAGE, MissingChapterError, NotebookError
from utils.paths import CONVERTED, IN_BROWSER, NOTEBOOKS

__all__ = [
    "CHAPTER_NAME",
    "PACKAGE",
    "JupyterLoader",
    "MissingChapterError",
    "NotebookError",
    "install_import_hook",
    "load_chapter",
]

_CONVERTER = [Path(__file__).parent / "notebook" / name for name in ("converter.py", "names.py")]
_HEADER = re.compile(rb"# Made from .*\n# key: (\w+)\n# body: (\w+)\n# chapters:((?: \w+)*)\n")


class Module(NamedTuple):
    """A chapter's module as it stands on disk."""

    path: Path
    source: bytes
    key: str
    """SHA-256 of the converter and the notebook from which it was made."""
    body: str
    """SHA-256 of the source below its header."""
    chapters: tuple[str, ...]
    """Names of the chapters that it imports at the top level."""


class JupyterLoader:
    """Converts the notebooks of one folder to modules in another, where they have changed."""

    def __init__(
        self, notebooks: Path | str = NOTEBOOKS, converted: Path | str = CONVERTED
    ) -> None:
        self.notebooks = Path(notebooks)
        self.converted = Path(converted)
        self._converter_digest = b""

    def chapters(self) -> list[str]:
        """Names of all chapters, in order; other notebooks in the folder are ignored."""
        return sorted(
            path.stem
            for path in self.notebooks.glob("s*.ipynb")
            if CHAPTER_NAME.fullmatch(path.stem)
        )

    def load_all(self) -> list[Path]:
        """Convert every chapter that changed; remove modules whose notebook is gone.

        Returns the paths of all modules, in the order of the chapters.

        Raises:
            FileNotFoundError: there is no folder of notebooks.
            NotebookError: chapters cannot be converted (the others are), or
                import each other in a circle.
            OSError: the modules cannot be written.
        """
        keep_cell_sources()
        if not self.notebooks.is_dir():
            raise FileNotFoundError(
                f"no folder of notebooks at {self.notebooks}; "
                "expected one with chapters named like s04_engine_interface.ipynb"
            )
        names = self.chapters()
        for path in self.converted.glob("s*.py"):
            if path.stem not in names and _read_module(path) is not None:
                path.unlink(missing_ok=True)
                Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)
        modules: dict[str, Module] = {}
        problems: list[NotebookError] = []
        for name in names:
            try:
                modules[name] = self.load(name)
            except NotebookError as error:
                problems.append(error)
        if len(problems) == 1:
            raise problems[0]
        if problems:
            lines = [f"{len(problems)} chapters cannot be converted:", *map(str, problems)]
            raise NotebookError("\n".join(lines))
        in_order(modules)
        return [module.path for module in modules.values()]

    def load(self, name: str) -> Module:
        """Bring one chapter's module up to date and return it.

        Raises:
            MissingChapterError: there is no such notebook.
            NotebookError: it cannot be converted.
            OSError: the module cannot be written.
        """
        notebook, path = self.notebook(name), self.converted / f"{name}.py"
        if not CHAPTER_NAME.fullmatch(name):
            raise self._missing_chapter(name)
        try:
            raw = notebook.read_bytes()
        except OSError as error:
            link = f", a link to {notebook.readlink()}" if notebook.is_symlink() else ""
            if isinstance(error, FileNotFoundError) and not link:
                raise self._missing_chapter(name) from None
            raise NotebookError(
                f"cannot read {notebook}{link}: {error.strerror}", name=f"{PACKAGE}.{name}"
            ) from error
        if not self._converter_digest:
            source = b"".join(path.read_bytes() for path in _CONVERTER)
            self._converter_digest = hashlib.sha256(source).digest()
        key = hashlib.sha256(self._converter_digest + raw).hexdigest()
        old = _read_module(path)
        if old is not None and old.key == key:
            return old

        from utils.notebook.converter import convert  # slow to import: only when needed

        origin = f"{self.notebooks.name}/{name}.ipynb"
        module = _make_module(path, key, *convert(raw, origin, f"{PACKAGE}.{name}"), origin)
        try:
            _write(module, unchanged=old is not None and old.body == module.body)
        except OSError as error:
            raise type(error)(
                error.errno,
                f"cannot write the module of chapter {name} ({error.strerror}); "
                "expected a folder that this user may write",
                str(path),
            ) from error
        return module

    def notebook(self, name: str) -> Path:
        """The path of a chapter's notebook, which need not exist."""
        return self.notebooks / f"{name}.ipynb"

    def _missing_chapter(self, name: str) -> MissingChapterError:
        # The name is without the package: `from converted_notebooks import s99_missing` would
        # swallow an error that has the module's full name, and this message with it.
        for path in self.notebooks.glob("s*.ipynb"):
            if re.sub(r"\W", "_", path.stem) == name and not CHAPTER_NAME.fullmatch(path.stem):
                return MissingChapterError(
                    f"no chapter {name!r}: {path} is not named like a chapter; expected a name "
                    "like s28_my_idea, of the letters a to z, digits and underscores",
                    name=name,
                )
        chapters = self.chapters()
        near = [chapter for chapter in chapters if chapter.startswith(name)]
        near += difflib.get_close_matches(name, chapters, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "there are no chapters with such a name."
        return MissingChapterError(
            f"no chapter {name!r}: expected the notebook {self.notebook(name)}; {hint}", name=name
        )


def in_order(modules: Mapping[str, Module]) -> list[str]:
    """Names of chapters, each after those that it imports.

    Raises:
        NotebookError: they import each other in a circle.
    """
    graph = {name: module.chapters for name, module in modules.items()}
    try:
        return list(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        raise _circular_import(error.args[1][::-1]) from None


def _read_module(path: Path) -> Module | None:
    """A converted module; None if it is absent, damaged, or not made by this loader."""
    try:
        source = path.read_bytes()
    except OSError:
        return None
    header = _HEADER.match(source)
    if header is None:
        return None
    key, body, chapters = (part.decode() for part in header.groups())
    if hashlib.sha256(source[header.end() :]).hexdigest() != body:
        return None
    return Module(path, source, key, body, tuple(chapters.split()))


def _make_module(path: Path, key: str, text: str, chapters: Sequence[str], origin: str) -> Module:
    data = text.encode("utf-8")
    body = hashlib.sha256(data).hexdigest()
    header = (
        f"# Made from {origin}: change the notebook, not this file.\n"
        f"# key: {key}\n# body: {body}\n# chapters:{' '.join(['', *chapters])}\n"
    )
    return Module(path, header.encode("utf-8") + data, key, body, tuple(chapters))


def _write(module: Module, *, unchanged: bool) -> None:
    """Write a module atomically; with `unchanged`, only its header is new."""
    module.path.parent.mkdir(parents=True, exist_ok=True)
    with temporary_file(module.path) as temporary:
        temporary.write_bytes(module.source)
        if unchanged:
            # Only text or outputs of the notebook have changed: the time stays, so that nothing
            # is reloaded.
            old = module.path.stat()
            os.utime(temporary, ns=(old.st_atime_ns, old.st_mtime_ns))


def _circular_import(names: Sequence[str]) -> NotebookError:
    return NotebookError(
        "chapters import each other in a circle: "
        + " → ".join(names)
        + "; what both need belongs in a chapter that imports neither",
        name=f"{PACKAGE}.{names[0]}",
    )


_executed: dict[str, str] = {}
"""The SHA-256 of each chapter's source when this process executed it first, by name."""
_execution_numbers = itertools.count(1)
changed_chapters: set[str] = set()
"""Chapters that this process has executed with one source and then with another."""
_importing = threading.local()
"""The chapters that a thread is importing, outermost first."""


class ChapterLoader(SourceFileLoader):
    """Executes the source that the finder has checked.

    Attributes:
        module: the converted chapter.
        executed: counts the executions of all chapters: a later one has a larger number. 0 before
            the first.
    """

    def __init__(self, fullname: str, module: Module) -> None:
        super().__init__(fullname, str(module.path))
        self.module, self.executed = module, 0

    def get_data(self, path: str) -> bytes:
        """The checked source, not what the file holds by now; byte code from its file."""
        return self.module.source if path == self.path else super().get_data(path)

    def path_stats(self, path: str) -> dict[str, int]:
        """A number from the source's hash in place of the file's time, to validate byte code.

        Python compares times in whole seconds, so byte code would survive a quick second edit
        of the same length.
        """
        source = self.module.source
        return {
            "mtime": int.from_bytes(hashlib.sha256(source).digest()[:4], "big"),
            "size": len(source),
        }

    def get_code(self, fullname: str) -> CodeType | None:
        """The chapter's code; from its source if the byte code on disk is damaged."""
        try:
            return super().get_code(fullname)
        except (EOFError, ValueError, TypeError):
            return self.source_to_code(self.module.source, self.path)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the chapter, unless it imports a chapter that is waiting for it."""
        name = self.name.rpartition(".")[2]
        names: list[str] = vars(_importing).setdefault("names", [])
        path = [*names, name]
        for other in self.module.chapters:
            if other in path:
                raise _circular_import([*path[path.index(other) :], other])
        names.append(name)
        if _executed.setdefault(name, self.module.body) != self.module.body:
            changed_chapters.add(name)
        try:
            with pyodide.stand_ins():
                super().exec_module(module)
            self.executed = next(_execution_numbers)
        finally:
            names.pop()


class ChapterFinder(MetaPathFinder):
    """Finds `converted_notebooks.sNN_name`, converted from its notebook when needed."""

    def __init__(self, loader: JupyterLoader) -> None:
        self.loader = loader

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a chapter; None for everything else.

        Raises:
            NotebookError: there is no such chapter, or it cannot be converted.
        """
        package, _, name = fullname.rpartition(".")
        if package != PACKAGE or name.startswith("_") or not self.loader.notebooks.is_dir():
            return None
        module = self.loader.load(name)
        return importlib.util.spec_from_file_location(
            fullname, module.path, loader=ChapterLoader(fullname, module)
        )


def install_import_hook() -> ChapterFinder:
    """Make `import converted_notebooks.sNN_name` work. Calling it again changes nothing."""
    if IN_BROWSER:
        pyodide.explain_absent_packages()
    for finder in sys.meta_path:
        if isinstance(finder, ChapterFinder):
            return finder
    finder = ChapterFinder(JupyterLoader())
    sys.meta_path.insert(0, finder)
    return finder


def load_chapter(name: str) -> Any:
    """The module of a chapter, imported by its name, such as "s04_engine_interface"."""
    install_import_hook()
    return importlib.import_module(f"{PACKAGE}.{name}")


def convert_all() -> int:
    """Convert what has changed; returns the number of chapters.

    Raises:
        SystemExit: a chapter cannot be converted; the message says which and why.
    """
    try:
        return len(JupyterLoader().load_all())
    except NotebookError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    print(f"{convert_all()} chapters are up to date")
