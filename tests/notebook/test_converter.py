"""What of a notebook goes into its module, and what is said of one that cannot become a module."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.loader_tools import Cell, notebook_text
from utils.jupyter_loader import NotebookError
from utils.notebook.converter import convert

TEXT = Cell("text", kind="markdown")
UMLAUT = "größe = 1\n名 = 2"


def converted(*cells: str | Cell) -> str:
    """The source of the module that is made of these cells."""
    return from_bytes(notebook_text(*cells).encode())[0]


def from_bytes(raw: bytes) -> tuple[str, list[str]]:
    return convert(raw, "notebooks/s01_x.ipynb", "converted_notebooks.s01_x")


def definitions(*cells: str | Cell) -> dict[str, Any]:
    """The names of that module."""
    return executed(converted(*cells))


def executed(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(source, "s01_x.py", "exec", dont_inherit=True), names)
    return names


def test_modules_say_where_each_part_comes_from() -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        text = converted(
            Cell("# The title ", kind="markdown"),
            Cell("print('raw')", kind="raw"),
            "\nA = 1\n",
            Cell("print(A)", ("experiment",)),
            "\n%pwd\n\nB = 2",
            "%pwd",
            Cell("C = 3", ("hide-input",)),
            Cell("# Another title", kind="markdown"),
        )
    assert text == (
        '"""The title (notebooks/s01_x.ipynb)."""\n'
        "\n\n# %% notebooks/s01_x.ipynb, cell 3\nA = 1\n"
        "\n\n# %% notebooks/s01_x.ipynb, cell 5\nB = 2\n"
        "\n\n# %% notebooks/s01_x.ipynb, cell 7\nC = 3\n"
    )
    assert said.getvalue() == ""


@pytest.mark.parametrize("tag", ["experiment", "exercise", "solution"])
def test_tagged_cells_stay_out(tag: str) -> None:
    names = definitions("A = 1", Cell("A = 2\nprint(A)\n%time A", ("other", tag)), "B = A")
    assert (names["A"], names["B"]) == (1, 1)


@pytest.mark.parametrize(
    "magic",
    [
        "%matplotlib inline",
        "%time B = 1",
        "!ls -l",
        "!!ls",
        "B = %pwd",
        "B = !ls",
        "B: list[str] = !ls",
        "B, C = !ls",
        "A?",
        "A??",
        "?A",
        "!ls \\\n  -l",
        "get_ipython().system('a'); get_ipython().system('b')",
        "get_ipython().system(\n    'a'\n)",
        "%%time\nB = 1\nit's \"no Python",
        "%%writefile x.txt\nB = 1",
        "\n\n  %%bash\nB = 1",
    ],
)
def test_magics_stay_out(magic: str) -> None:
    cells = ["A = 1", magic, "Y = 2"]
    if "%%" not in magic:
        cells += [f"Z = 1\n{magic}\nX = A", f"{magic}\nW = 2"]
    text = converted(*cells)
    assert "get_ipython" not in text
    names = executed(text)
    assert not {"B", "C"} & set(names) and {"A", "Y"} <= set(names)
    assert "%%" in magic or {"Z", "X", "W"} <= set(names)


BROKEN_CELLS = [
    # what would run
    ("x = 1\nprint(x)", r"line 2: 'print\(x\)' would run"),
    ("x = 1\nif x:\n    y = 2", "line 2: 'if x:' would run"),
    ("for x in []:\n    pass", "line 1: .* would run"),
    ("try:\n    import chess\nexcept ImportError:\n    chess = None", "line 1: .* would run"),
    ("with open('f') as file:\n    x = 1", "line 1: .* would run"),
    ("x = 1\ndel x", "line 2: .* would run"),
    ("assert True", "line 1: .* would run"),
    ("x = 1\n\nx", "line 3: .* would run"),
    ("get_ipython().f()", "line 1: .* would run"),
    ("get_ipython.system(1)", "line 1: .* would run"),
    ("got_ipython().system(1)", "line 1: .* would run"),
    ("a.get_ipython().system(1)", "line 1: .* would run"),
    ("system(1)", "line 1: .* would run"),
    ("\n\nx = 1\nprint(x)", "line 4: .* would run"),
    ("%time 1\nx = 1\nprint(x)", "line 3: .* would run"),
    ("x = 'a\x0cb\u2028c'\nprint(x)", "line 2: .* would run"),
    # magics where they have no meaning
    ("def f():\n    %time 1", "line 2: a magic inside 'def f"),
    ("@str\ndef f():\n    x = !ls\n    return x", "line 3: a magic inside"),
    ("async def f():\n    %time 1", "line 2: a magic inside"),
    ("class C:\n    def m(self):\n        %time 1", "line 3: a magic inside"),
    ("if True:\n    %time 1\nelse:\n    A = 1", "line 2: a magic inside"),
    ("with open('f') as file:\n    x = !cat", "line 2: a magic inside"),
    ("import os; get_ipython().system('ls')", "line 1: .*holds a magic and more"),
    ("x = 1; y = (2,\n 3); get_ipython().system('ls')", "line 1: .*holds a magic and more"),
    # what is not Python
    ("x = 1\ndef f(:\n    pass", r"line 2: invalid syntax: def f\(:$"),
    ("x = '''", "line 1: unterminated"),
    ("if x:\n    y = 1\n  z = 2", "line 3: unindent does not match"),
    ("x = 1\ny = await z", "line 2: 'await' outside function"),
    ("x = yield 1", "line 1: 'yield' outside function"),
    ("class C:\n    break", "line 2: 'break' outside loop"),
    ("%pwd\n\ndef f():\n    nonlocal x", "line 4: no binding for nonlocal 'x'"),
    ("x = 1\nfrom __future__ import annotations", "line 2: from __future__ imports must"),
    ("from __future__ import annotations", "line 1: .*from __future__ in the first cell"),
    ("x = '\x00'", ".*null bytes"),
    ("X = " + "+".join(["1"] * 50_000), "an expression is nested too deeply"),
    ("X = " + "-" * 100_000 + "1", "an expression is nested too deeply"),
]


@pytest.mark.parametrize(("source", "message"), BROKEN_CELLS)
def test_a_cell_that_cannot_be_in_a_module_is_named(source: str, message: str) -> None:
    with pytest.raises(NotebookError, match=rf"s01_x\.ipynb, cell 3(, |: ){message}") as caught:
        converted("A = 1", TEXT, source)
    assert "None" not in str(caught.value).replace("None'", "")
    assert caught.value.name == "converted_notebooks.s01_x"


def test_a_warning_about_a_cell_names_it() -> None:
    with pytest.warns((SyntaxWarning, DeprecationWarning)) as caught:
        converted("A = 1", 'X = "\\d"')
    assert {one.filename for one in caught} == {"notebooks/s01_x.ipynb, cell 2"}


@pytest.mark.parametrize(
    ("cells", "expression", "expected"),
    [
        (["import functools\n@functools.cache\ndef f():\n    return 1"], "f()", 1),
        (["%time 1\n@str\ndef f():\n    pass\n%time 2\n@str\nclass C:\n    pass"], "type(f)", str),
        (["async def f():\n    return [x async for x in y]"], "f.__name__", "f"),
        (["x = 2\ny = f'{f\"{x}\"!r:>{5}}'"], "y", "  '2'"),
        ([UMLAUT], "größe + 名", 3),
        (["x = 1\r\ny = '''a\r\nb'''\r\n%time 1\r\nz = 3"], "(x, y, z)", (1, "a\nb", 3)),
        (["x = 1\r%time 2\ry = 3"], "(x, y)", (1, 3)),
        (["def f(x: (y := 1)): ..."], "y", 1),
        (["def f():\n\tif True:\n\t\treturn 1"], "f()", 1),
        (["# a comment\n# another?", "x = 1  # why?"], "x", 1),
        (["", "\n \n", "x = 1\n\n"], "x", 1),
        (["from __future__ import annotations\ndef f(x: Unknown): ..."], "f(1)", None),
        (["%pwd\nfrom __future__ import annotations\ndef f(x: Unknown): ..."], "f(1)", None),
        (["from typing import TypeAlias\nScore: TypeAlias = int"], "Score", int),
        (["x = 1; y = 2; import os;"], "(x, y, os.name)", (1, 2, os.name)),
        (["x = 1 + \\\n    2\ny = (4\n % 3)"], "(x, y)", (3, 1)),
        (["x = 1\nx += 1\nx: int"], "x", 2),
        (['x = """\n%time 1\n!ls\nx?\n"""\n%time 2'], "x", "\n%time 1\n!ls\nx?\n"),
        (["x = '%d!' % 3\ny = 'get_ipython().system(1)'"], "x + y", "3!get_ipython().system(1)"),
        (["%pwd\nx = (1,\n\n\n 2)\n%pwd\ny = 2"], "(x, y)", ((1, 2), 2)),
        pytest.param(
            ["x = 'a\x0cb\u2028c'\n%time 1\ny = 2"],
            "(x, y)",
            ("a\x0cb\u2028c", 2),
            marks=pytest.mark.skipif(
                sys.version_info >= (3, 12), reason="IPython itself cannot run this cell"
            ),
        ),
        pytest.param(
            ["type Score = int"],
            "Score.__value__",
            int,
            marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="new in Python 3.12"),
        ),
        (["    x = 1\n    y = 2"], "(x, y)", (1, 2)),
        ([">>> x = 1\n>>> y = 2"], "(x, y)", (1, 2)),
        (["x = '<b> & {{ 3 }} {% raw %} {#'"], "x", "<b> & {{ 3 }} {% raw %} {#"),
        (["# -*- coding: latin-1 -*-\nx = 'ü'"], "x", "ü"),
        ([f"def f{number}(): return {number}" for number in range(400)], "f399()", 399),
    ],
)
def test_definitions_mean_in_the_module_what_they_mean_in_the_notebook(
    cells: list[str], expression: str, expected: object
) -> None:
    assert eval(expression, definitions(*cells)) == expected


@pytest.mark.parametrize(
    "title", ['A "quoted" title', "ends with \\", 'ends with "', '"""', "ü {{"]
)
def test_any_title_makes_a_docstring(title: str) -> None:
    names = definitions(TEXT, Cell(f"Words.\n\n# {title}\n", kind="markdown"), "A = 1")
    assert names["__doc__"] == f"{title} (notebooks/s01_x.ipynb)."
    assert definitions(TEXT, "# A = 1\nA = 1")["__doc__"].startswith("converted_notebooks.s01_x (")


@pytest.mark.parametrize(
    ("statement", "chapters"),
    [
        ("import os, converted_notebooks.s02_y, converted_notebooks.s03_z as z", "s02_y s03_z"),
        ("from converted_notebooks import s02_y, s03_z", "s02_y s03_z"),
        ("from converted_notebooks.s02_y import A, B", "s02_y"),
        ("from . import s02_y as y\nfrom .s03_z import A", "s02_y s03_z"),
        ("from .s02_y import A\n%pwd\nfrom .s02_y import B", "s02_y"),
        ("import converted_notebooks\nfrom s02_y import s03_z\nfrom .helpers import s02_y", ""),
        ("def f():\n    from .s02_y import A", ""),
    ],
)
def test_the_chapters_that_a_chapter_imports_are_known(statement: str, chapters: str) -> None:
    found = from_bytes(notebook_text("from .s04_a import B", statement).encode())[1]
    assert found == ["s04_a", *chapters.split()]


def changed(**changes: object) -> bytes:
    return json.dumps(json.loads(notebook_text("A = 1")) | changes).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"cells": [', "JSONDecodeError: .*line 1"),
        (notebook_text("A = 1").encode()[:-40], "JSONDecodeError: "),
        (b"", "JSONDecodeError: "),
        (b"<<<<<<< HEAD\n{}", "JSONDecodeError: "),
        (b"[" * 100_000, "RecursionError: "),
        (b"[1, 2]", "TypeError: "),
        (b'"nbformat"', "TypeError: "),
        (b'{"name": "x"}', "KeyError: 'nbformat'"),
        (b'{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}', "format 3; expected 4"),
        (changed(nbformat=5), "format 5; expected 4"),
        (changed(cells=None), "NoneType"),
        (changed(cells=[1]), "int"),
        (notebook_text("A = 'ü'").encode("latin-1"), "UnicodeDecodeError: .*0xfc"),
        (notebook_text("A = 1").encode("utf-16"), "UnicodeDecodeError: "),
        (notebook_text("A = 1").replace("A = 1", "A = '\\ud800'").encode(), "cell 1: .*surrogates"),
        (
            notebook_text(Cell("# T", kind="markdown")).replace("T", "\\ud800").encode(),
            "surrogates",
        ),
    ],
    ids=range(16),
)
def test_what_is_no_notebook_is_one_clear_error(content: bytes, message: str) -> None:
    with pytest.raises(NotebookError, match=rf"^notebooks/s01_x\.ipynb.*{message}") as caught:
        from_bytes(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "saved",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: re.sub(r'"source": \[\s*"(.*?)"\s*\]', r'"source": "\1"', text).encode(),
    ],
    ids=["byte order mark", "source in one string"],
)
def test_notebooks_of_other_programs_can_be_read(saved: Callable[[str], bytes]) -> None:
    assert "\nA = 'ü'\n" in from_bytes(saved(notebook_text("A = 'ü'")))[0]
