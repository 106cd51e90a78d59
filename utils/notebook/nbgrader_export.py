"""Write the chapters without solutions, ready for nbgrader: `make student`.

In each copy the cell to fill in is a solution cell of nbgrader, with its marks
around the part that a student replaces, and the check is a locked test cell of
one point that fails when the check does. Solutions are gone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import typer

from utils.atomic_files import replace_file
from utils.jupyter_loader import JupyterLoader
from utils.paths import ROOT

CHECK = re.compile(r'^check\("(s\d\d-\d+)"', re.MULTILINE)
_TO_FILL_IN = re.compile(r"^([ \t]*)(raise NotImplementedError\b.*|.*= \.\.\.)$", re.MULTILINE)


def student_version(notebook: Any) -> Any:
    """A copy of a chapter without solutions, with nbgrader's metadata on its exercises.

    Raises:
        ValueError: the cell to fill in before a check has no part to fill in.
    """
    copy = nbformat.from_dict(notebook)
    cells: list[Any] = []
    for cell in copy.cells:
        if "solution" in cell.metadata.get("tags", []) or "{solution}" in cell.source:
            continue
        found = CHECK.search(cell.source) if cell.cell_type == "code" else None
        if found:
            name = found[1]
            _mark(cells[-1], name, solution=True)
            marks = r"\1### BEGIN SOLUTION\n\1\2\n\1### END SOLUTION"
            cells[-1].source, count = _TO_FILL_IN.subn(marks, cells[-1].source)
            if count == 0:
                raise ValueError(
                    f"exercise {name}: the cell before its check has nothing to fill in; "
                    "expected 'raise NotImplementedError' or '= ...'"
                )
            cell.source = CHECK.sub(lambda match: f"assert {match[0]}", cell.source)
            _mark(cell, name, solution=False)
        cells.append(cell)
    copy.cells = cells
    return copy


def _mark(cell: Any, name: str, *, solution: bool) -> None:
    kind = "answer" if solution else "check"
    cell.metadata["nbgrader"] = {
        "grade": not solution,
        "grade_id": f"{name}-{kind}",
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    } | ({} if solution else {"points": 1})


def write_all(target: Path, loader: JupyterLoader | None = None) -> list[Path]:
    """Write every chapter's student version to `target/<chapter>/<chapter>.ipynb`."""
    loader = loader or JupyterLoader()
    written = []
    for name in loader.chapters():
        notebook = nbformat.read(loader.notebook(name), as_version=4)
        path = target / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, f"{nbformat.writes(student_version(notebook))}\n")
        written.append(path)
    return written


def main(folder: Path = ROOT / "build" / "student") -> None:
    """Write the chapters without solutions to a folder, ready for nbgrader."""
    print(f"{len(write_all(folder))} chapters without solutions are in {folder}")


if __name__ == "__main__":
    typer.run(main)
