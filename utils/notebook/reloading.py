"""Edited chapters in a running kernel.

After a notebook was saved, its chapter and the chapters that import it are executed again.
Objects that the reader has made get the new code, and names that were imported from them
stand for the new objects: constants change, `isinstance` and pickle go on working. A class
of the reader's own that builds on an edited one is new when its cell is run again.
"""

from __future__ import annotations

import sys
import traceback
from types import FunctionType, ModuleType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.extensions.autoreload import superreload

from utils.compiler import is_compiled
from utils.jupyter_loader import PACKAGE, ChapterLoader, JupyterLoader, Module, in_order
from utils.notebook.names import NotebookError


class Reloader:
    """Executes imported chapters again after their notebooks were saved.

    Args:
        shell: the kernel's.
        loader: the loader of the chapters.
    """

    def __init__(self, shell: InteractiveShell, loader: JupyterLoader) -> None:
        self.shell = shell
        self.loader = loader
        self._saved: dict[str, int] = {}  # when notebooks were saved, in nanoseconds
        self._old_objects: dict[Any, Any] = {}

    def reload(self, _info: object = None) -> None:
        """Bring all imported chapters up to date; IPython calls this before each cell.

        Of a chapter that cannot be converted or executed the old code stays in use, and so
        does that of unchanged chapters which import it; a message says why.
        """
        imported = _imported()
        notebooks = {name: self.loader.notebook(name) for name in imported}
        saved = {n: p.stat().st_mtime_ns if p.exists() else -1 for n, p in notebooks.items()}
        for name in saved.keys() - self._saved.keys():
            # Autoreload looks after other modules: it does not know which chapters import which.
            self.shell.run_line_magic("aimport", f"-{PACKAGE}.{name}")
        if saved != self._saved:
            self._reload_changed(imported)
            self._saved = saved  # unless that was interrupted

    def _reload_changed(self, imported: dict[str, ModuleType]) -> None:
        modules: dict[str, Module] = {}
        for name in imported:
            try:
                modules[name] = self.loader.load(name)
            except (NotebookError, OSError) as error:
                _complain(str(error))
        try:
            order = in_order(modules)
        except NotebookError as error:
            return _complain(str(error))
        for name in order:
            if name not in modules:
                continue
            ours = _loader(imported[name])
            behind = [_loader(imported[n]) for n in modules[name].chapters if n in imported]
            newer = any(other.executed > ours.executed for other in behind)
            if newer or ours.module.body != modules[name].body:
                try:
                    self._reload(imported[name])
                except Exception:
                    _complain(traceback.format_exc())

    def _reload(self, module: ModuleType) -> None:
        old = dict(vars(module))
        try:
            superreload(module, old_objects=self._old_objects)
        except BaseException:  # of an interrupted module IPython would leave a half
            vars(module).clear()
            vars(module).update(old)
            raise
        rebind(self.shell.user_ns, old, vars(module))
        for name, other in list(sys.modules.items()):
            if name.startswith("utils."):
                rebind(vars(other), old, vars(module))


def rebind(names: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> None:
    """Let names that were imported from a module stand for what it has now.

    Args:
        names: the namespace to change. Its names may differ from the module's for classes and
            functions only: `from ... import Engine as E`.
        old: the names of the module before it was executed again.
        new: its names now. What is gone from the module stays as it was.
    """
    for name, value in list(names.items()):
        named = isinstance(value, type | FunctionType) or is_compiled(value)
        original = value.__name__ if named else name
        if original in old and old[original] is value and original in new:
            names[name] = new[original]


def _imported() -> dict[str, ModuleType]:
    """The chapters in this process, by name."""
    return {
        name.removeprefix(f"{PACKAGE}."): module
        for name, module in list(sys.modules.items())
        if isinstance(getattr(module, "__loader__", None), ChapterLoader)
    }


def _loader(chapter: ModuleType) -> ChapterLoader:
    assert isinstance(chapter.__loader__, ChapterLoader)
    return chapter.__loader__


def _complain(problem: str) -> None:
    print(f"The chapter's old code stays in use. {problem}", file=sys.stderr)
