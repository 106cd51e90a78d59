"""Write the chapters without solutions, ready for nbgrader: `make student`.

In each copy the cell to fill in is a solution cell of nbgrader, with its marks
around the part that a student replaces, and the check is a locked test cell of
one point; if it fails, its message is the hint. Solutions are left out. With a seed, some
exercises have other numbers, positions or rules than in the book.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import nbformat
import typer

from utils.atomic_files import write_if_changed
from utils.chapters import course_chapters
from utils.exercises import variant, varied
from utils.jupyter_loader import JupyterLoader
from utils.paths import ROOT

CHECK = re.compile(r'^check\("(s\d\d-\d+)"', re.MULTILINE)
_TO_FILL_IN = re.compile(r"^([ \t]*)(raise NotImplementedError\b.*|.*= \.\.\.)$", re.MULTILINE)


def student_version(notebook: Any, seed: int | None = None) -> Any:
    """A copy of a chapter without solutions, with nbgrader's metadata on its exercises.

    With a seed it is a variant; the seed is also written into its checks.

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
            cell.source = CHECK.sub(r"checked = \g<0>", cell.source)
            if seed is not None and variant(name, None):
                _vary(cells, name, seed)
                cell.source = with_seed(cell.source, seed)
            cell.source += "\nassert checked, checked  # the hint\nchecked"
            _mark(cell, name, solution=False)
        cells.append(cell)
    copy.cells = cells
    return copy


def with_seed(source: str, seed: int) -> str:
    """The source of a check, with the seed of a variant as its last argument."""
    return re.sub(r",?\s*\)\s*\Z", f", seed={seed})", source)


def _vary(cells: list[Any], name: str, seed: int) -> None:
    """Change the words that vary, in all cells from the heading of an exercise on."""
    label = f":label: {name}\n"
    first = next(n for n in reversed(range(len(cells))) if label in f"{cells[n].source}\n")
    texts = varied([cell.source for cell in cells[first:]], name, seed)
    for cell, text in zip(cells[first:], texts, strict=True):
        cell.source = text


def _mark(cell: Any, name: str, *, solution: bool) -> None:
    """Add nbgrader's metadata: a cell to fill in, or a check of one point."""
    kind = "answer" if solution else "check"
    cell.metadata["nbgrader"] = {
        "grade": not solution,
        "grade_id": f"{name}-{kind}",
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    } | ({} if solution else {"points": 1})


def changes(notebook: Any, seed: int) -> list[str]:
    """The words that a seed changes in a chapter, one line for each exercise."""
    lines = []
    for name in CHECK.findall("\n".join(cell.source for cell in notebook.cells)):
        pairs = zip(variant(name, None).values(), variant(name, seed).values(), strict=True)
        if words := [f"{old} → {new}" for (old, _), (new, _) in pairs if old != new]:
            lines.append(f"{name}: {'; '.join(words)}")
    return lines


def write_all(target: Path, seed: int | None = None) -> list[Path]:
    """Write every chapter's student version to `target/<chapter>/<chapter>.ipynb`.

    What a seed changes is printed.
    """
    loader, written = JupyterLoader(), []
    for one in course_chapters():
        notebook = nbformat.read(loader.notebook(one.name), as_version=4)
        path = target / one.name / f"{one.name}.ipynb"
        write_if_changed(path, f"{nbformat.writes(student_version(notebook, seed))}\n".encode())
        written.append(path)
        if seed is not None:
            print(*(f"{line}\n" for line in changes(notebook, seed)), sep="", end="")
    return written


def main(
    folder: Annotated[Path, typer.Option(file_okay=False)] = ROOT / "build" / "student",
    seed: Annotated[
        int | None, typer.Option(help="Of a variant; without it, as in the book.")
    ] = None,
) -> None:
    """Write the chapters without solutions to a folder, ready for nbgrader."""
    print(f"{len(write_all(folder, seed))} chapters without solutions are in {folder}")


if __name__ == "__main__":
    typer.run(main)
