"""Checks of chapter s02, how this course works."""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import converted_notebooks
from utils.exercises import Hint, exercise, require
from utils.notebook.names import PACKAGE

TAGGED = list[tuple[str, set[str]]]


@exercise("s02-1")
def value_of(answer: Callable[[str, list[str], list[int]], object]) -> None:
    page = ["queen = 9", "queen = 100 * queen", "rook = 5\ndef gain(): return 2 * rook - queen"]
    page += ["queen = gain()"]
    try:
        said = answer("queen", page[:1], [1])
    except IndexError:
        raise Hint("The first cell has the number 1.") from None
    except NameError:
        raise Hint("Look for the name in the memory in which the cells were run.") from None
    require(said == 9, f"After the cell 'queen = 9', queen is 9, not {said!r}.")
    without = "A name without a value: raise a NameError"
    for name, order in (("queen", [3]), ("queen", []), ("value_of", [1])):
        try:
            said = answer(name, list(page), order)
        except NameError:
            continue
        except KeyError:
            raise Hint(f"{without}, not a KeyError.") from None
        require(said is not None, f"{without}, do not return None.")
        raise Hint(
            f"After the cells {order}, {name} has no value, and you return {said!r}. Each call "
            "begins with an empty memory: nothing is left of the call before, and nothing of your "
            "notebook is in it."
        )
    cases: list[tuple[list[int], object, str]] = [
        ([1, 2], 900, "All cells of a call share one memory."),
        ([1, 2, 2], 90000, "A cell that is run twice counts twice."),
        ([2, 1], None, "Run the cells in the given order; here the first one fails."),
        ([1, 2, 1], 9, "The last cell that was run decides, not the last one on the page."),
        ([1, 3, 4], 1, "Functions must see the names that other cells have made."),
    ]
    for order, expected, hint in cases:
        try:
            said = answer("queen", list(page), order)
        except NameError as error:
            require(expected is None, f"The order {order} raises NameError: {error}. {hint}")
        else:
            words = f"After the cells {order} of {page} you return {said!r}. {hint}"
            require(said == expected and expected is not None, words)
    try:
        said = answer("rook", ["rook = None"], [1])
    except NameError:
        said = ...
    require(said is None, "None is a value, too: the cell 'rook = None' gives the name one.")


@exercise("s02-2")
def stays(answer: Callable[[TAGGED], list[str]]) -> None:
    setup, magics = "%load_ext utils.notebook", "%matplotlib inline\n\n%timeit 1 + 1\n"
    mixed, whole = "%time\nx = 1", "%%timeit\ny = 2"
    rest = "rest = 7 % 4"
    quoted = 'TEXT = """\n%%time\n"""'
    inner = "def share(a, b):\n    return (a\n        % b)"
    cases: list[tuple[TAGGED, list[str], str]] = [
        ([], [], "Of no cells nothing stays."),
        ([("x = 1", set()), ("y = 2", set())], ["x = 1", "y = 2"], "Cells without tags stay."),
        (
            [("b = 1", set()), ("a = 1", set())],
            ["b = 1", "a = 1"],
            "Keep the cells in their order.",
        ),
        ([("x = 1", set()), ("x = 1", set())], ["x = 1"] * 2, "Equal cells are two cells."),
        ([("x = 1", {"experiment"})], [], "An experiment stays out."),
        ([("x = 1", {"exercise"})], [], "An exercise stays out."),
        ([("x = 1", {"solution", "hide-input"})], [], "A solution stays out."),
        ([("x = 1", {"hide-input"})], ["x = 1"], "The tag 'hide-input' does not matter."),
        ([("x = 1", {"my-experiment"})], ["x = 1"], "'my-experiment' is not one of the three."),
        ([(setup, {"remove-cell"})], [], "A cell that holds only a magic leaves nothing."),
        ([(magics, set())], [], "Only magics and blank lines: nothing is left."),
        ([(mixed, set())], [mixed], "A magic and an assignment: something is left."),
        ([(whole, set())], [], "A cell that begins with %% is a magic as a whole."),
        ([("\n  \n%%timeit\nz = 3", set())], [], "Blank lines before %% do not matter."),
        ([("\n  \n", set())], [], "Of a blank cell nothing is left."),
        ([(inner, set())], [inner], "Not every % is a magic."),
        ([(rest, set())], [rest], "Not every % is a magic, only one at the start of a line."),
        ([("eight = '8 %%'", set())], ["eight = '8 %%'"], "%% counts only at the top."),
        ([(quoted, set())], [quoted], "%% counts only in the first line that is not blank."),
        (
            [("# a note\n", set())],
            ["# a note\n"],
            "A comment counts as something here, and a text stays as it is.",
        ),
    ]
    for cells, expected, hint in cases:
        given = [(source, set(tags)) for source, tags in cells]
        kept = answer(given)
        require(given == cells, "Leave the cells and their tags as they are: make a new list.")
        require(isinstance(kept, list), "Return a list of texts.")
        require(kept == expected, f"{hint} For {cells} you return {kept!r}.")


@exercise("s02-3")
def first_offender(answer: Callable[[list[str]], int | None]) -> None:
    fine = {
        "import math\nfrom pathlib import Path": "Imports are allowed.",
        "X = 1": "An assignment is allowed.",
        "Y: int = 2\nX += Y": "Assignments with a type, and with +=, are allowed.",
        "def f():\n    print('only when called')\n    for x in (): pass": (
            "What is inside a function runs when it is called, not on import."
        ),
        "class A:\n    print_it = print\n    def g(self): assert True": "A class is a definition.",
        "async def h(): pass": "A function with async is a definition.",
        "@property\ndef p(self): return 1": "A decorated function is a definition.",
        "# a comment": "A comment is no statement.",
        "VALUES = sorted([3, 1, 2])": "An assignment may call a function.",
    }
    require(answer([]) is None, "No cells: nothing to find, return None.")
    for source, hint in fine.items():
        found = answer([source])
        require(found is None, f"{hint} {source!r} is in order, and you return {found!r}.")
    require(answer(list(fine)) is None, "These cells are all in order: return None.")
    bad = {
        "print('hello')": "A call alone would run.",
        "X = 1\nX": "Look at every statement of a cell, not only at the first.",
        "print('early')\nX = 1": "Look at every statement of a cell, not only at the last.",
        "'a text'": "A text alone is a statement, too, and is not among the three kinds.",
        "for x in range(3):\n    y = x": "A loop would run.",
        "if True:\n    z = 1": "An if would run.",
        "assert 1 + 1 == 2": "An assert would run.",
        "import math; math.sqrt(2)": "One line may hold two statements.",
        "with open('x') as file:\n    a = 1": "A with would run.",
        "async with open('x') as file:\n    a = 1": "A with would run, with async as well.",
        "del math": "A del would run.",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None": "A try would run.",
        "while False: pass": "A loop would run.",
        "raise SystemExit": "A raise would run.",
        "match 1:\n    case _:\n        m = 1": "A match would run: list what is allowed.",
        "pass": "Whatever is not among the three kinds counts: list what is allowed.",
        "global X": "Whatever is not among the three kinds counts: list what is allowed.",
    }
    for place, (source, hint) in enumerate(bad.items()):
        found = answer([source])
        require(found != 0, "Count the cells from 1.")
        require(found == 1, f"{hint} In {[source]} it is cell 1, and you return {found!r}.")
        number = place % 4 + 1
        cells = [*list(fine)[: number - 1], source, "print('a later one')"]
        found = answer(cells)
        require(
            found == number, f"In {cells} the first one is cell {number}; you return {found!r}."
        )


@contextlib.contextmanager
def _only(chapters: dict[str, str]) -> Iterator[None]:
    """These chapters take the place of the course's for a while."""
    known = {name: module for name, module in sys.modules.items() if name.startswith(PACKAGE)}
    for name in chapters:
        sys.modules.pop(f"{PACKAGE}.{name}", None)
    try:
        yield
    finally:
        for name in chapters:
            full = f"{PACKAGE}.{name}"
            sys.modules.pop(full, None)
            vars(converted_notebooks).pop(name, None)
            if full in known:
                sys.modules[full] = known[full]
                setattr(converted_notebooks, name, known[full])


@exercise("s02-4")
def untangled(answer: Callable[[], dict[str, str]]) -> None:
    chapters = answer()
    hint = "Return a dictionary with at least s70_values and s71_names."
    require(isinstance(chapters, dict) and {"s70_values", "s71_names"} <= set(chapters), hint)
    for name, source in chapters.items():
        _check_source(name, source)
        imported = re.findall(rf"{PACKAGE}(?:\.| import )(s\d\d_\w+)", source)
        for other in imported:
            require(
                other < name and other[:3] != name[:3],
                f"{name} imports {other}; only chapters with a smaller number are allowed. What "
                "both need belongs in the earlier one.",
            )
            require(other in chapters, f"{name} imports {other}, which is not in the dictionary.")
    without_comments = " ".join(ast.unparse(ast.parse(source)) for source in chapters.values())
    count = len(re.findall(r"\bknight\b", without_comments))
    require(count == 1, f"The names of the pieces are written {count} times, not once.")
    made: dict[str, ModuleType] = {}
    with _only(chapters):
        for name in sorted(chapters):
            full = f"{PACKAGE}.{name}"
            made[name] = sys.modules[full] = ModuleType(full)
            setattr(converted_notebooks, name, made[name])
            try:
                exec(chapters[name], vars(made[name]))
            except Exception as error:
                raise Hint(f"Importing {name} raises {type(error).__name__}: {error}") from error
            if name == "s70_values":  # it must be complete before later chapters run
                _check_values(made[name])
        _check_names(made["s71_names"])


def _check_source(name: str, source: str) -> None:
    require(re.fullmatch(r"s\d\d_\w+", name), f"{name!r} is not a chapter's name, like s69_pieces.")
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise Hint(f"The text of {name} is not Python, line {error.lineno}: {error.msg}.") from None
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    assignments = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    allowed = (ast.Import, ast.ImportFrom, *definitions, *assignments)
    for node in tree.body:
        require(
            isinstance(node, allowed),
            f"{name} holds {ast.unparse(node)!r}, which would run on import; the loader refuses "
            "all but imports, definitions and assignments.",
        )


_POINTS = {"pawn": 1, "knight": 3, "bishop": 3, "rook": 5, "queen": 9}


def _check_values(values: ModuleType) -> None:
    require(hasattr(values, "VALUES"), "VALUES is no longer found in s70_values.")
    require(
        values.VALUES == _POINTS,
        f"After the import of s70_values alone, VALUES is {values.VALUES}; it must stay as it was.",
    )


def _check_names(names: ModuleType) -> None:
    for wanted in ("NAMES", "worth"):
        require(hasattr(names, wanted), f"{wanted} is no longer found in s71_names.")
    require(tuple(names.NAMES) == (*_POINTS,), f"NAMES is {names.NAMES}; it must stay as it was.")
    for piece, value in _POINTS.items():
        require(names.worth(piece) == value, f"worth({piece!r}) must be {value}.")
