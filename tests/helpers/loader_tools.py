"""Projects made for one test: notebooks to write, and Python to run beside them."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import nbformat
import nbformat.v4

from utils.atomic_files import replace_file
from utils.jupyter_loader import PACKAGE, JupyterLoader
from utils.paths import ROOT

SECONDS = 300  # the longest that a child may take before the test gives up
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class Cell(NamedTuple):
    """A cell of a notebook in a test; a plain string is one of code without tags."""

    source: str
    tags: tuple[str, ...] = ()
    kind: str = "code"
    outputs: tuple[dict[str, Any], ...] = ()


def notebook_text(*cells: str | Cell) -> str:
    """A notebook as Jupyter saves it."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL})
    for number, given in enumerate(cells):
        cell = Cell(given) if isinstance(given, str) else given
        new = getattr(nbformat.v4, f"new_{cell.kind}_cell")
        made = new(cell.source, id=f"cell-{number}", metadata={"tags": [*cell.tags]})
        if cell.kind == "code":
            made.outputs = [*cell.outputs]
        notebook.cells.append(made)
    text: str = nbformat.v4.writes(nbformat.from_dict(notebook))
    return text


class Project:
    """A folder with notebooks and converted modules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.notebooks = root / "notebooks"
        self.converted = root / PACKAGE
        self.notebooks.mkdir(parents=True, exist_ok=True)
        self.loader = JupyterLoader(self.notebooks, self.converted)

    def write(self, name: str, *cells: str | Cell) -> Path:
        """Save a notebook of these cells, whole or not at all."""
        return self.write_bytes(name, notebook_text(*cells).encode("utf-8"))

    def write_bytes(self, name: str, content: bytes) -> Path:
        """Save a notebook file with any content."""
        path = self.notebooks / f"{name}.ipynb"
        replace_file(path, content)
        return path

    def module(self, name: str) -> Path:
        """The path of a chapter's module."""
        return self.converted / f"{name}.py"

    def leftovers(self) -> list[Path]:
        """Temporary files in the folder of modules."""
        return sorted(self.converted.glob(".*.tmp"))

    @staticmethod
    def load(name: str) -> ModuleType:
        """Import a chapter."""
        return importlib.import_module(f"{PACKAGE}.{name}")


class CopiedProject(Project):
    """A project with its own copy of the course's code, for tests that need fresh processes."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        left_out = shutil.ignore_patterns("__pycache__", "*.js", "*.css", "*.html")
        shutil.copytree(ROOT / "utils", root / "utils", ignore=left_out)
        self.converted.mkdir()
        shutil.copy(ROOT / PACKAGE / "__init__.py", self.converted)
        shutil.copy(ROOT / "style.css", root)

    def environment(self, **changes: str) -> dict[str, str]:
        """The environment of a child: this project is all that it is told about."""
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
        }
        return inherited | {"PYTHONPATH": str(self.root), "PYTHONIOENCODING": "utf-8"} | changes

    def start(
        self, code: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """Start Python with this code, far away from the project's folder."""
        return subprocess.Popen(
            [sys.executable, *options, "-c", code],
            cwd=self.root.parent,
            env=self.environment(**(environment or {})),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(
        self,
        code: str,
        *options: str,
        environment: Mapping[str, str] | None = None,
        fails: bool = False,
    ) -> str:
        """What the code prints; with `fails`, what it says on stderr as it fails."""
        child = self.start(code, *options, environment=environment)
        output, errors = child.communicate(timeout=SECONDS)
        assert (child.returncode != 0) is fails, errors or output
        return errors if fails else output
