"""How long thirty chapters of realistic size take: `python -m tests.bench_loader`."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

from tests.helpers.loader_tools import Cell, CopiedProject

CHAPTERS = 30
SECTIONS = 12
PICTURE = {
    "output_type": "display_data",
    "data": {"image/png": base64.b64encode(bytes(range(256)) * 160).decode()},
    "metadata": {},
}

LOAD_ALL = """
import time
start = time.perf_counter()
from utils.jupyter_loader import JupyterLoader
JupyterLoader().load_all()
print(time.perf_counter() - start)
"""
IMPORT_ALL = f"""
import importlib, time
start = time.perf_counter()
for number in range({CHAPTERS}):
    importlib.import_module(f"converted_notebooks.s{{number:02}}_chapter")
print(time.perf_counter() - start)
"""


def write_chapter(project: CopiedProject, number: int) -> None:
    """Write a chapter of some forty cells and 400 lines of code, with a few pictures."""
    before = f"from converted_notebooks.s{number - 1:02}_chapter import Engine0\n" if number else ""
    cells: list[str | Cell] = [
        Cell(f"# Chapter {number}", kind="markdown"),
        f"%load_ext utils.notebook\n{before}import math",
    ]
    for section in range(SECTIONS):
        body = "\n".join(
            f"        score += math.isqrt({line} + score) * {section + 1}" for line in range(30)
        )
        cells += [
            Cell(f"## Section {section}\n\n" + "An idea in words. " * 60, kind="markdown"),
            f"class Engine{section}:\n    def search(self, score: int) -> int:\n{body}\n"
            "        return score",
            Cell(f"Engine{section}().search(1)", ("experiment",), outputs=(PICTURE,)),
        ]
    project.write(f"s{number:02}_chapter", *cells)


def main() -> None:
    """Print the times of fresh processes, and how they compare."""
    with tempfile.TemporaryDirectory() as folder:
        project = CopiedProject(Path(folder, "course"))
        for number in range(CHAPTERS):
            write_chapter(project, number)
        cold = float(project.run(LOAD_ALL))
        warm = min(float(project.run(LOAD_ALL)) for _ in range(5))
        project.run(IMPORT_ALL)  # leaves byte code behind
        imports = min(float(project.run(IMPORT_ALL)) for _ in range(5))
    print(f"load_all() of {CHAPTERS} chapters, cold: {cold * 1000:8.1f} ms")
    print(f"load_all() of {CHAPTERS} chapters, warm: {warm * 1000:8.1f} ms")
    print(f"importing {CHAPTERS} chapters, warm:     {imports * 1000:8.1f} ms")
    print(f"cold / warm: {cold / warm:.0f}; importing / warm: {imports / warm:.1f}")


if __name__ == "__main__":
    main()
