"""Build the book: `python -m book.builder.build`.

The pages in book/ and the chapters in notebooks/ are brought together in
build/book/, the chapters are executed, and Jupyter Book renders the result into
build/book/_build/html. Warnings are errors. One chapter per core is executed at a
time, and only if a cell has changed, or something that the chapter depends on
(dependencies.py).

After each solution, the executed copy of a chapter repeats the check of the
exercise in a hidden cell. So one execution of a chapter serves the book and the
tests: a check must fail on the stub and pass on the solution.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import multiprocessing
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
import yaml
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from tabulate import tabulate

from book.builder import lite
from book.builder.citations import as_roles
from book.builder.contents import chapter_names, contents
from book.builder.dependencies import dependency_hash
from utils.atomic_files import write_if_changed
from utils.external_programs import find_program
from utils.figures.live import SCRIPT
from utils.jupyter_loader import convert_all
from utils.matches.ladder import machine
from utils.notebook.nbgrader_export import CHECK
from utils.paths import BOOK, NOTEBOOKS, ROOT
from utils.placeholders import fill_placeholder

TARGET = ROOT / "build" / "book"
CACHE = ROOT / "build" / "cache"  # also known to _config.yml
PAGE = TARGET / "_build" / "html" / "index.html"
STRICT = ("-W", "--keep-going", "-q")
"""Options of Jupyter Book: warnings are errors."""
TIMEOUT = 600  # seconds for one cell
_NOT_SOURCES = {"builder", "__pycache__", "status.md"}  # `write_status` writes the last


def main() -> None:
    """Bring the sources together, execute the chapters, render the book."""
    convert_all()
    TARGET.mkdir(parents=True, exist_ok=True)
    stage()
    execute()
    write_status()
    in_browser = build_lite()
    os.environ["COURSE_IN_BROWSER"] = str(int(in_browser))  # read by sphinx_extension.py
    render(TARGET, *STRICT)
    for name in chapter_names():  # the button for downloads offers the chapter itself
        shutil.copyfile(NOTEBOOKS / f"{name}.ipynb", PAGE.parent / "_sources" / f"{name}.ipynb")
    lite.publish(PAGE.parent, in_browser)
    print(f"The book is ready: {PAGE.as_uri()}")


def render(folder: Path, *options: str) -> None:
    """Let Jupyter Book render the pages of a folder.

    Raises:
        SystemExit: it reports errors.
    """
    start = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", start, "build", str(folder)]
    if code := subprocess.run([*command, *options], check=False, cwd=ROOT).returncode:
        raise SystemExit(code)


def build_lite() -> bool:
    """Build the part of the book that runs in the browser; False if something is missing.

    Raises:
        SystemExit: a part is missing, and REQUIRE_ALL=1.
    """
    try:
        lite.build_site()
    except lite.MissingPartError as error:
        text = f"Without the part of the book that runs in a browser: {error}"
        if os.environ.get("REQUIRE_ALL") == "1":
            raise SystemExit(f"REQUIRE_ALL=1. {text}") from None
        print(text, file=sys.stderr)
        return False
    return True


def stage() -> None:
    """Copy pages, chapters and the style sheet to one folder; unchanged files keep their time."""
    wanted = {
        path.relative_to(BOOK): path
        for path in BOOK.rglob("*")
        if path.is_file() and not _NOT_SOURCES & set(path.relative_to(BOOK).parts)
    }
    wanted[Path("_static/style.css")] = ROOT / "style.css"
    files = {part: source.read_bytes() for part, source in wanted.items()}
    files[Path("_static/figures.js")] = SCRIPT.encode()
    files[Path("_toc.yml")] = yaml.safe_dump(contents()).encode()
    for name in chapter_names():
        files[Path(f"{name}.ipynb")] = staged(name)
    for path in TARGET.rglob("*"):
        part = path.relative_to(TARGET)
        kept = part in files or part.name == "status.md" or part.parts[0] == "_build"
        if path.is_file() and not kept:
            path.unlink()
    for part, data in files.items():
        write_if_changed(TARGET / part, data)


def staged(name: str) -> bytes:
    """The copy of a chapter that is executed.

    The cache of outputs compares the cells and the metadata of the kernel. So the hash of
    everything else that the outputs depend on is added to that metadata.
    """
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    kernel = notebook.metadata.setdefault("kernelspec", nbformat.NotebookNode())
    kernel["depends_on"] = dependency_hash(name)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = as_roles(cell.source)
    text: str = nbformat.writes(with_checks(notebook))
    return text.encode("utf-8")


def with_checks(notebook: Any) -> Any:
    """The chapter with each check repeated in a hidden cell after the solution."""
    cells: list[Any] = []
    check = None
    for cell in notebook.cells:
        cells.append(cell)
        if cell.cell_type != "code":
            continue
        if CHECK.search(cell.source):
            check = cell
        elif check is not None and "solution" in cell.metadata.get("tags", []):
            again = nbformat.from_dict(check)
            again.id = f"{check.id}-again"
            again.metadata["tags"] = ["exercise", "remove-cell"]
            cells.append(again)
            check = None
    notebook.cells = cells
    return notebook


@contextlib.contextmanager
def opened_cache() -> Iterator[Any]:
    """The cache of executed chapters; its database is closed at the end."""
    cache = get_cache(CACHE)
    try:
        yield cache
    finally:
        cache.db.dispose()


def execute(names: Sequence[str] = ()) -> None:
    """Execute chapters that are not in the cache, in parallel; by default all of the book.

    Raises:
        SystemExit: a cell failed; its traceback has been shown.
    """
    with opened_cache() as cache:
        uris = [str(TARGET / f"{name}.ipynb") for name in names or chapter_names()]
        for uri in uris:
            cache.add_nb_to_project(uri)
        changed = [uri for uri in uris if cache.get_cached_project_nb(uri) is None]
        if not changed:
            return
        isolate_kernels()
        print(f"Executing {len(changed)} chapters ...", flush=True)
        before = signal.signal(signal.SIGINT, stop)
        logging.getLogger("jupyter_cache").setLevel(logging.CRITICAL)  # it repeats the traceback
        try:
            # In an empty temporary folder: a chapter must not depend on where it runs.
            result = load_executor("temp-parallel", cache).run_and_cache(
                filter_uris=changed, timeout=TIMEOUT, allow_errors=False
            )
        finally:
            signal.signal(signal.SIGINT, before)
        failed = [*result.errored, *result.excepted]
        for uri in failed:
            traceback = cache.get_project_record(uri).traceback or ""
            start = traceback.find("An error occurred while executing the following cell")
            print(f"\n{Path(uri).name}: {traceback[max(start, 0) :]}", file=sys.stderr)
    if failed:
        raise SystemExit(f"Failed: {', '.join(Path(uri).stem for uri in failed)}")


def stop(_number: int, _frame: object) -> None:
    """Kill the workers at Ctrl-C, because nbclient makes them ignore the pool's signal."""
    for worker in multiprocessing.active_children():
        worker.kill()
    raise SystemExit("Stopped. The same command goes on with what is left.")


def isolate_kernels() -> None:
    """Keep the user's IPython profile, log messages and progress bars out of the chapters."""
    folder = ROOT / "build" / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    settings = profile / "ipython_kernel_config.py"
    settings.write_text('get_config().Application.log_level = "ERROR"\n', encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)
    os.environ["TQDM_DISABLE"] = os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"


def executed(name: str) -> Any:
    """A chapter as it was executed for the book, with outputs and repeated checks.

    Raises:
        RuntimeError: it has changed since it was executed.
    """
    path = TARGET / f"{name}.ipynb"
    with opened_cache() as cache:
        record = cache.get_cached_project_nb(str(path))
        if record is None or path.read_bytes() != staged(name):
            raise RuntimeError(f"chapter {name} was not executed since it changed: make book")
        return cache.get_cache_bundle(record.pk).nb


def write_status() -> None:
    """Complete the page that says how the book was built; only if that has changed."""
    rows, total = list[list[str]](), 0.0
    with opened_cache() as cache:
        for name in chapter_names():
            path = TARGET / f"{name}.ipynb"
            record = cache.get_cached_project_nb(str(path))
            notebook = nbformat.read(path, as_version=4)
            cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
            exercises = len({match[1] for cell in cells if (match := CHECK.search(cell))})
            seconds = record.data["execution_seconds"]
            total += seconds
            numbers = [f"{number:.0f}" for number in (len(cells), exercises, seconds)]
            rows.append([f"{{doc}}`{name}`", *numbers])
    stockfish = "with Stockfish" if find_program("stockfish") else "without Stockfish"
    head = ["chapter", "cells of code", "exercises", "seconds"]
    table = tabulate([*rows, ["all", "", "", f"{total:.0f}"]], head, tablefmt="pipe")
    text = (
        f"Built on {machine()}, Python {platform.python_version()}, python-chess "
        f"{importlib.metadata.version('chess')}, {stockfish}.\n\n{table}"
    )
    page = fill_placeholder(BOOK.joinpath("status.md").read_text(encoding="utf-8"), "status", text)
    write_if_changed(TARGET / "status.md", page.encode("utf-8"))


if __name__ == "__main__":
    main()
