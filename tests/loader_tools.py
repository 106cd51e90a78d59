"""Projects made for one test: notebooks to write, and Python to run beside them."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from utils.jupyter_loader import PACKAGE, JupyterLoader
from utils.paths import ROOT

SECONDS = 300  # the longest that a child may take before the test gives up


class Cell(NamedTuple):
    """A cell of a notebook in a test; a plain string is one of code without tags."""

    source: str | list[str]
    tags: tuple[str, ...] = ()
    kind: str = "code"
    outputs: tuple[dict[str, Any], ...] = ()


def notebook_text(*cells: str | Cell) -> str:
    """A notebook as Jupyter saves it."""
    content: list[dict[str, Any]] = []
    for number, given in enumerate(cells):
        cell = Cell(given) if isinstance(given, str) else given
        entry: dict[str, Any] = {
            "cell_type": cell.kind,
            "id": f"cell-{number}",
            "metadata": {"tags": list(cell.tags)} if cell.tags else {},
            "source": cell.source,
        }
        if cell.kind == "code":
            entry |= {"execution_count": None, "outputs": list(cell.outputs)}
        content.append(entry)
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps(
        {"cells": content, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5},
        ensure_ascii=False,
        indent=1,
    )


def stdout_output(text: str) -> dict[str, Any]:
    """An output as a kernel would save it."""
    return {"output_type": "stream", "name": "stdout", "text": text}


class Project:
    """A folder with notebooks and converted modules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.notebooks = root / "notebooks"
        self.converted = root / PACKAGE
        self.notebooks.mkdir(parents=True)
        self.loader = JupyterLoader(self.notebooks, self.converted)

    def write(self, name: str, *cells: str | Cell) -> Path:
        """Save a notebook of these cells, whole or not at all."""
        return self.write_bytes(name, notebook_text(*cells).encode("utf-8"))

    def write_bytes(self, name: str, content: bytes) -> Path:
        """Save a notebook file with any content."""
        path = self.notebooks / f"{name}.ipynb"
        temporary = path.with_name(f"{name}.{os.getpid()}.saving")
        temporary.write_bytes(content)
        temporary.replace(path)
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
        shutil.copytree(
            ROOT / "utils", root / "utils", ignore=_everything_but_python, dirs_exist_ok=True
        )
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
        self,
        code: str,
        *options: str,
        environment: Mapping[str, str] | None = None,
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


def _everything_but_python(folder: str, names: list[str]) -> set[str]:
    return {
        name
        for name in names
        if not (name.endswith(".py") or Path(folder, name).is_dir()) or name == "__pycache__"
    }


def refuse(error: type[OSError], number: int) -> Callable[..., Any]:
    """A stand-in for a function of the operating system that always fails."""

    def refused(*_args: object, **_keywords: object) -> Any:
        raise error(number, os.strerror(number))

    return refused
