"""Edited chapters in a running kernel.

After a notebook was saved, its chapter and the chapters that import it are executed again.
Existing objects get the new code of their classes, and names that were imported from a chapter
refer to its new objects, so that constants change, and `isinstance` and pickle keep working. A
reader's own class that inherits from an edited one is updated when its cell is run again.
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
    """Executes imported chapters again after their notebooks were saved."""

    def __init__(self, shell: InteractiveShell, loader: JupyterLoader) -> None:
        self.shell = shell
        self.loader = loader
        self._saved: dict[str, int] = {}  # when notebooks were saved, in nanoseconds
        self._old_objects: dict[Any, Any] = {}

    def reload(self, _info: object = None) -> None:
        """Bring all imported chapters up to date; IPython calls this before each cell.

        If a chapter cannot be converted or executed, its old code stays in use, and so does that
        of unchanged chapters which import it; a message says why.
        """
        imported = _imported()
        notebooks = {name: self.loader.notebook(name) for name in imported}
        saved = {n: p.stat().st_mtime_ns if p.exists() else -1 for n, p in notebooks.items()}
        for name in saved.keys() - self._saved.keys():
            # Excluded from autoreload, which does not know which chapters import which.
            self.shell.run_line_magic("aimport", f"-{PACKAGE}.{name}")
        if saved != self._saved:
            self._reload_changed(imported)
            self._saved = saved  # not reached after an interrupt: then the next cell tries again

    def _reload_changed(self, imported: dict[str, ModuleType]) -> None:
        modules: dict[str, Module] = {}
        for name in imported:
            try:
                modules[name] = self.loader.load(name)
            except (NotebookError, OSError) as error:
                _warn(str(error))
        try:
            order = in_order(modules)
        except NotebookError as error:
            return _warn(str(error))
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
                    _warn(traceback.format_exc())

    def _reload(self, module: ModuleType) -> None:
        old = dict(vars(module))
        try:
            superreload(module, old_objects=self._old_objects)
        except BaseException:  # `superreload` would leave the module half executed
            vars(module).clear()
            vars(module).update(old)
            raise
        rebind(self.shell.user_ns, old, vars(module))
        for name, other in list(sys.modules.items()):
            if name.startswith("utils."):
                rebind(vars(other), old, vars(module))


def rebind(names: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> None:
    """Point names that were imported from a module to its new objects.

    Args:
        names: the namespace to change. Its names may differ from the module's for classes and
            functions only: `from ... import Engine as E`.
        old: the namespace of the module before it was executed again.
        new: its namespace now. Objects that it no longer has are left alone.
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


def _warn(problem: str) -> None:
    print(f"The chapter's old code stays in use. {problem}", file=sys.stderr)
