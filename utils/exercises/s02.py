"""Checks of chapter s02, how this course works."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat

import converted_notebooks
from utils.exercises import Hint, exercise, require
from utils.jupyter_loader import PACKAGE, JupyterLoader, install_import_hook


@contextlib.contextmanager
def _course() -> Iterator[JupyterLoader]:
    """An empty course in a temporary folder, from which chapters are imported for a while."""
    hook = install_import_hook()
    usual = hook.loader
    known = {name: sys.modules[name] for name in list(sys.modules) if name.startswith(PACKAGE)}
    with tempfile.TemporaryDirectory() as folder:
        loader = JupyterLoader(Path(folder, "notebooks"), Path(folder, PACKAGE))
        loader.notebooks.mkdir()
        hook.loader = loader
        for name in known.keys() - {PACKAGE}:
            del sys.modules[name]
        try:
            yield loader
        finally:
            hook.loader = usual
            for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
                del sys.modules[name]
                vars(converted_notebooks).pop(name.rpartition(".")[2], None)
            for name, module in known.items():
                sys.modules[name] = module
                if name != PACKAGE:
                    setattr(converted_notebooks, name.rpartition(".")[2], module)


def _save(path: Path, source: str) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="cell-0")])
    nbformat.write(notebook, path)


@exercise("s02-1")
def stays(answer: Callable[[list[tuple[str, set[str]]]], list[str]]) -> None:
    setup, magics = "%load_ext utils.notebook", "%matplotlib inline\n\n%timeit 1 + 1\n"
    mixed, whole = "%time\nx = 1", "%%timeit\ny = 2"
    inner = "def share(a, b):\n    return (a\n        % b)"
    cases: list[tuple[list[tuple[str, set[str]]], list[str], str]] = [
        ([], [], "Of no cells nothing stays."),
        ([("x = 1", set()), ("y = 2", set())], ["x = 1", "y = 2"], "Cells without tags stay."),
        (
            [("b = 1", set()), ("a = 1", set())],
            ["b = 1", "a = 1"],
            "Keep the cells in their order.",
        ),
        ([("x = 1", {"experiment"})], [], "An experiment stays out."),
        ([("x = 1", {"exercise"})], [], "An exercise stays out."),
        ([("x = 1", {"solution", "hide-input"})], [], "A solution stays out."),
        ([("x = 1", {"hide-input"})], ["x = 1"], "The tag 'hide-input' does not matter."),
        ([("x = 1", {"my-experiment"})], ["x = 1"], "'my-experiment' is not one of the three."),
        ([(setup, {"remove-cell"})], [], "A cell that holds only a magic leaves nothing."),
        ([(magics, set())], [], "Only magics and blank lines: nothing is left."),
        ([(mixed, set())], [mixed], "A magic and an assignment: something is left."),
        ([(whole, set())], [], "A cell that begins with %% is a magic as a whole."),
        ([("\n  \n", set())], [], "Of a blank cell nothing is left."),
        ([(inner, set())], [inner], "Not every % is a magic."),
    ]
    for cells, expected, hint in cases:
        kept = list(answer([(source, set(tags)) for source, tags in cells]))
        require(kept == expected, f"{hint} For {cells} you return {kept!r}.")


@exercise("s02-2")
def write_chapter(answer: Callable[[Path, str, list[tuple[str, set[str]]]], None]) -> None:
    title = "Läufer und Türme"
    cells: list[tuple[str, set[str]]] = [
        ("%load_ext utils.notebook", {"remove-cell"}),
        ("KÖNIG = 'k'", set()),
        ("print(KÖNIG)", {"experiment"}),
        ("def twice(x):\n    return 2 * x", {"hide-input"}),
        ("raise ValueError", {"exercise", "remove-output"}),
    ]
    with _course() as loader:
        path = loader.notebook("s90_written")
        answer(path, title, cells)
        require(path.is_file(), "There is no file at the path.")
        try:
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
        except Exception as error:
            raise Hint(f"The file is not a valid notebook: {str(error).splitlines()[0]}") from error
        top = notebook.cells[0] if notebook.cells else None
        require(
            top is not None and top.cell_type == "markdown" and top.source.strip() == f"# {title}",
            f"The first cell must be a text cell with '# {title}'.",
        )
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        require(
            [cell.source for cell in code] == [source for source, _ in cells],
            "The code cells are not those that were given, in their order.",
        )
        for cell, (source, tags) in zip(code, cells, strict=True):
            written = cell.metadata.get("tags", [])
            require(
                set(written) == tags,
                f"The cell {source!r} has the tags {written}, not {sorted(tags)}. "
                "They belong in cell.metadata['tags'].",
            )
        try:
            loader.load_all()
            module = importlib.import_module(f"{PACKAGE}.s90_written")
        except ImportError as error:
            raise Hint(f"The loader says: {error}") from error
        require(title in (module.__doc__ or ""), "The title does not arrive in the module.")
        require(
            module.twice(4) == 8 and module.KÖNIG == "k",
            "The definitions do not arrive in the module.",
        )


@exercise("s02-3")
def first_offender(answer: Callable[[list[str]], int | None]) -> None:
    fine = [
        "import math\nfrom pathlib import Path",
        "X = 1\nY: int = 2\nX += Y",
        "def f():\n    print('only when called')\n    for x in (): pass",
        "class A:\n    print_it = print\n    def g(self): assert True",
        "async def h(): pass",
        "@property\ndef p(self): return 1",
        "# a comment",
        "VALUES = sorted([3, 1, 2])",
    ]
    require(answer([]) is None, "No cells: nothing to find.")
    for source in fine:
        require(answer([source]) is None, f"{source!r} is in order.")
    require(answer(fine) is None, "These cells are all in order.")
    bad = [
        "print('hello')",
        "X = 1\nX",
        "for x in range(3):\n    y = x",
        "if True:\n    z = 1",
        "assert 1 + 1 == 2",
        "import math; math.sqrt(2)",
        "with open('x') as file:\n    a = 1",
        "del math",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None",
        "while False: pass",
        "raise SystemExit",
    ]
    for place, source in enumerate(bad):
        number = place % 4 + 1
        cells = [*fine[: number - 1], source, "print('a later one')"]
        found = answer(cells)
        require(found != number - 1 or number == 1, "Count the cells from 1.")
        require(found == number, f"In {cells} the first offender is number {number}, not {found}.")


@exercise("s02-4")
def untangled(answer: Callable[[], dict[str, str]]) -> None:
    chapters = answer()
    require(
        isinstance(chapters, dict) and {"s90_values", "s91_names"} <= set(chapters),
        "Return a dictionary with at least s90_values and s91_names.",
    )
    for name, source in chapters.items():
        require(
            re.fullmatch(r"s\d\d_\w+", name), f"{name!r} is not a chapter's name, like s89_pieces."
        )
        for other in re.findall(rf"{PACKAGE}(?:\.| import )(s\d\d_\w+)", source):
            require(
                other < name and other[:3] != name[:3],
                f"{name} imports {other}; only chapters with a smaller number are allowed.",
            )
    count = sum(len(re.findall(r"\bknight\b", source)) for source in chapters.values())
    require(count == 1, f"The knight is written {count} times, not once.")
    with _course() as loader:
        for name, source in chapters.items():
            _save(loader.notebook(name), source)
        try:
            loader.load_all()
            values: Any = importlib.import_module(f"{PACKAGE}.s90_values")
            names: Any = importlib.import_module(f"{PACKAGE}.s91_names")
        except ImportError as error:
            raise Hint(f"The loader says: {error}") from error
        for module, wanted in ((values, "VALUES"), (names, "NAMES"), (names, "worth")):
            place = module.__name__.rpartition(".")[2]
            require(hasattr(module, wanted), f"{wanted} is no longer found in {place}.")
        pieces = ("pawn", "knight", "bishop", "rook", "queen")
        require(tuple(names.NAMES) == pieces, f"NAMES is {names.NAMES}; it must stay as it was.")
        points = dict(zip(pieces, (1, 3, 3, 5, 9), strict=True))
        require(points == values.VALUES, f"VALUES is {values.VALUES}; it must stay as it was.")
        for piece, value in points.items():
            require(names.worth(piece) == value, f"worth({piece!r}) must be {value}.")


@exercise("s02-5")
def convert_if_new(answer: Callable[[str, dict[str, str], Callable[[str], str]], str]) -> None:
    seen: list[str] = []

    def convert(text: str) -> str:
        seen.append(text)
        if text == "broken":
            raise SyntaxError("broken")
        return text.strip().upper()

    cache: dict[str, str] = {}
    require(answer("a", cache, convert) == "A", "A new text must be converted.")
    require(answer("a", cache, convert) == "A", "The second time the result must be the same.")
    require(seen == ["a"], "The same text was converted twice.")
    require(answer("b", cache, convert) == "B", "A changed text must be converted again.")
    require(answer("a", cache, convert) == "A", "Back to an earlier text: its result is wrong.")
    require(seen == ["a", "b"], "A text that was seen before, however long ago, is not new.")
    require(answer(" ", cache, convert) == "", "A blank text converts to an empty one.")
    answer(" ", cache, convert)
    require(seen.count(" ") == 1, "An empty result is a result, too; it was made twice.")
    for _ in range(2):
        try:
            answer("broken", cache, convert)
        except SyntaxError:
            continue
        raise Hint("An error of convert must reach the caller.")
    require(seen.count("broken") == 2, "After an error the text must be tried again.")
    expected = {hashlib.sha256(text.encode("utf-8")).hexdigest() for text in ("a", "b", " ")}
    require(
        set(cache) == expected,
        "The keys of the cache must be the SHA-256 hashes of the converted texts (hexdigest), "
        "and of nothing else.",
    )
    require(answer("a", {}, convert) == "A" and seen[-1] == "a", "An empty cache knows nothing.")
    require(answer("König", cache, convert) == "KÖNIG", "Letters beyond ASCII must work.")
