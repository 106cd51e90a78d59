"""The contract of the notebook loader, sentence by sentence."""

from __future__ import annotations

import contextlib
import errno
import importlib
import inspect
import io
import json
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from line_profiler import LineProfiler

import converted_notebooks
import utils.jupyter_loader
import utils.notebook.converter
from tests.loader_tools import (
    SECONDS,
    Cell,
    CopiedProject,
    Project,
    notebook_text,
    refuse,
    stdout_output,
)
from utils.jupyter_loader import PACKAGE, JupyterLoader, MissingChapterError, NotebookError


def fail_to_convert(*_args: object) -> tuple[str, list[str]]:
    raise AssertionError("a notebook was converted that had not changed")


def assert_nothing_half_made(*names: str) -> None:
    for name in names:
        assert f"{PACKAGE}.{name}" not in sys.modules
        assert name not in vars(converted_notebooks)


# What becomes a module


def test_load_all_converts_each_chapter_and_returns_the_paths_in_order(chapters: Project) -> None:
    chapters.write("s10_later", "B = 2")
    chapters.write("s02_first", "A = 1")
    assert chapters.loader.load_all() == [
        chapters.module("s02_first"),
        chapters.module("s10_later"),
    ]
    assert "\nA = 1\n" in chapters.module("s02_first").read_text(encoding="utf-8")
    assert "\nB = 2\n" in chapters.module("s10_later").read_text(encoding="utf-8")


def test_an_import_converts_the_chapter(chapters: Project) -> None:
    chapters.write("s08_evaluation", "class Evaluator:\n    pawn = 100")
    from converted_notebooks.s08_evaluation import Evaluator  # type: ignore[import-not-found]

    assert Evaluator.pawn == 100
    assert Evaluator.__module__ == "converted_notebooks.s08_evaluation"
    assert inspect.getfile(Evaluator) == str(chapters.module("s08_evaluation"))


def test_a_script_needs_no_set_up_but_pythonpath(project: CopiedProject) -> None:
    project.write("s08_evaluation", "class Evaluator:\n    pawn = 100")
    script = "from converted_notebooks.s08_evaluation import Evaluator; print(Evaluator.pawn)"
    assert project.run(script) == "100\n"
    assert project.module("s08_evaluation").is_file()


def test_other_notebooks_are_ignored(chapters: Project) -> None:
    for name in ("TEMPLATE", "s05_random_engine-Copy1", "s5_short", "Untitled"):
        chapters.write_bytes(name, b"this would not convert")
    checkpoints = chapters.notebooks / ".ipynb_checkpoints"
    checkpoints.mkdir()
    (checkpoints / "s05_random_engine-checkpoint.ipynb").write_bytes(b"nor would this")
    chapters.write("s05_random_engine", "X = 1")
    assert chapters.loader.load_all() == [chapters.module("s05_random_engine")]
    assert [path.name for path in chapters.converted.iterdir()] == ["s05_random_engine.py"]


def test_a_project_without_chapters_has_no_modules(chapters: Project) -> None:
    assert chapters.loader.load_all() == []


def test_a_missing_folder_of_notebooks_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no folder of notebooks at .*nowhere"):
        JupyterLoader(tmp_path / "nowhere", tmp_path / "converted").load_all()


# What of a notebook goes into its module


@pytest.mark.parametrize("tag", ["experiment", "exercise", "solution"])
def test_tagged_cells_stay_out(chapters: Project, tag: str) -> None:
    chapters.write("s01_x", "A = 1", Cell("A = 2\nprint(A)\n%time A", ("other", tag)), "B = A")
    module = chapters.load("s01_x")
    assert (module.A, module.B) == (1, 1)
    assert "print" not in inspect.getsource(module)


def test_cells_with_other_tags_markdown_and_raw_cells_are_told_apart(chapters: Project) -> None:
    chapters.write(
        "s01_x",
        Cell("# The title", kind="markdown"),
        Cell("print('raw')", kind="raw"),
        Cell("A = 1", ("hide-input",)),
    )
    module = chapters.load("s01_x")
    assert module.A == 1
    assert module.__doc__ == "The title (notebooks/s01_x.ipynb)."


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
    ],
)
def test_magics_stay_out(chapters: Project, magic: str) -> None:
    chapters.write("s01_x", f"A = 1\n{magic}\nZ = A", f"{magic}\nY = 2", magic)
    module = chapters.load("s01_x")
    assert {name for name in vars(module) if not name.startswith("_")} == {"A", "Y", "Z"}
    assert "get_ipython" not in inspect.getsource(module)


@pytest.mark.parametrize("first", ["%%time", "%%writefile x.txt", "\n\n  %%bash"])
def test_cells_of_cell_magics_stay_out(chapters: Project, first: str) -> None:
    chapters.write("s01_x", f"{first}\nA = 1\nit's \"no Python", "B = 2")
    assert not hasattr(chapters.load("s01_x"), "A")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\nprint(x)", 2),
        ("x = 1\nif x:\n    y = 2", 2),
        ("for x in []:\n    pass", 1),
        ("try:\n    import chess\nexcept ImportError:\n    chess = None", 1),
        ("with open('f') as file:\n    x = 1", 1),
        ("x = 1\ndel x", 2),
        ("assert True", 1),
        ("x = 1\n\nx", 3),
        ("\n\nx = 1\nprint(x)", 4),
        ("%time 1\nx = 1\nprint(x)", 3),
        ("x = 'a\x0cb\u2028c'\nprint(x)", 2),
    ],
)
def test_code_that_would_run_is_an_error_naming_the_place(
    chapters: Project, source: str, line: int
) -> None:
    chapters.write("s01_x", Cell("text", kind="markdown"), source)
    with pytest.raises(NotebookError, match=rf"s01_x\.ipynb, cell 2, line {line}: .* would run"):
        chapters.loader.load_all()


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f():\n    %time 1", 2),
        ("@str\ndef f():\n    x = !ls\n    return x", 3),
        ("async def f():\n    %time 1", 2),
        ("class C:\n    def m(self):\n        %time 1", 3),
        ("if True:\n    %time 1\nelse:\n    A = 1", 2),
        ("with open('f') as file:\n    x = !cat", 2),
    ],
)
def test_a_magic_inside_another_statement_is_an_error_naming_the_place(
    chapters: Project, source: str, line: int
) -> None:
    chapters.write("s01_x", "A = 1", source)
    with pytest.raises(NotebookError, match=rf"s01_x\.ipynb, cell 2, line {line}: a magic inside"):
        chapters.loader.load_all()


def test_code_on_the_line_of_a_magic_is_not_lost_silently(chapters: Project) -> None:
    chapters.write("s01_x", "import os; get_ipython().system('ls')")
    with pytest.raises(NotebookError, match=r"cell 1, line 1: .*holds a magic and more"):
        chapters.loader.load_all()


def test_two_magic_calls_on_one_line_take_no_other_line_with_them(chapters: Project) -> None:
    chapters.write("s01_x", "get_ipython().system('a'); get_ipython().system('b')\nA = 1")
    assert chapters.load("s01_x").A == 1


@pytest.mark.parametrize(
    ("cells", "expression", "expected"),
    [
        (["import functools\n@functools.cache\ndef f():\n    return 1"], "f()", 1),
        (["%time 1\n@str\ndef f():\n    pass\n%time 2\n@str\nclass C:\n    pass"], "type(f)", str),
        (["async def f():\n    return [x async for x in y]"], "f.__name__", "f"),
        (["x = 2\ny = f'{f\"{x}\"!r:>{5}}'"], "y", "  '2'"),
        (["größe = 1\n名 = 2"], "größe + 名", 3),
        (["x = 1\r\ny = '''a\r\nb'''\r\n%time 1\r\nz = 3"], "(x, y, z)", (1, "a\nb", 3)),
        (["x = 1\r%time 2\ry = 3"], "(x, y)", (1, 3)),
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
        pytest.param(
            ["x = 'a\x0cb\u2028c'\n%time 1\ny = 2"],
            "(x, y)",
            ("a\x0cb\u2028c", 2),
            marks=pytest.mark.skipif(
                sys.version_info >= (3, 12), reason="IPython itself cannot run this cell"
            ),
        ),
        (["    x = 1\n    y = 2"], "(x, y)", (1, 2)),
        ([">>> x = 1\n>>> y = 2"], "(x, y)", (1, 2)),
        (["x = '<b> & {{ 3 }} {% raw %} {#'"], "x", "<b> & {{ 3 }} {% raw %} {#"),
        (["# -*- coding: latin-1 -*-\nx = 'ü'"], "x", "ü"),
        ([Cell(["x = 1\n", "y = 2"])], "(x, y)", (1, 2)),
        ([f"def f{number}(): return {number}" for number in range(400)], "f399()", 399),
    ],
)
def test_definitions_mean_in_the_module_what_they_mean_in_the_notebook(
    chapters: Project, cells: list[str | Cell], expression: str, expected: object
) -> None:
    chapters.write("s01_x", *cells)
    assert eval(expression, vars(chapters.load("s01_x"))) == expected


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the statement is new in Python 3.12")
def test_type_statements_are_definitions(chapters: Project) -> None:
    chapters.write("s01_x", "type Score = int")
    assert chapters.load("s01_x").Score.__value__ is int


@pytest.mark.parametrize(
    "title", ['A "quoted" title', "ends with \\", 'ends with "', '"""', "ü {{"]
)
def test_any_title_makes_a_docstring(chapters: Project, title: str) -> None:
    chapters.write("s01_x", Cell(f"# {title}", kind="markdown"), "A = 1")
    assert chapters.load("s01_x").__doc__ == f"{title} (notebooks/s01_x.ipynb)."


# What is wrong with a notebook is said clearly


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\ndef f(:\n    pass", r"line 2: invalid syntax: def f\(:"),
        ("x = '''", "line 1: unterminated"),
        ("if x:\n    y = 1\n  z = 2", "line 3: unindent does not match"),
        ("x = 1\ny = await z", "line 2: 'await' outside function"),
        ("x = yield 1", "line 1: 'yield' outside function"),
        ("class C:\n    break", "line 2: 'break' outside loop"),
        ("def f():\n    nonlocal x", "line 2: no binding for nonlocal 'x'"),
        ("x = 1\nfrom __future__ import annotations", "line 2: from __future__ imports must"),
        ("from __future__ import annotations", "line 1: .*from __future__ in the first cell"),
        ("x = '\x00'", ".*null bytes"),
    ],
)
def test_a_cell_that_is_no_python_is_named(chapters: Project, source: str, message: str) -> None:
    chapters.write("s01_x", "A = 1", source)
    with pytest.raises(NotebookError, match=rf"s01_x\.ipynb, cell 2(, |: ){message}") as caught:
        chapters.load("s01_x")
    assert "None" not in str(caught.value)
    assert_nothing_half_made("s01_x")
    chapters.write("s01_x", "A = 1")
    assert chapters.load("s01_x").A == 1


def broken_notebooks() -> dict[str, tuple[bytes, str]]:
    good = json.loads(notebook_text("A = 1"))
    lone_surrogate = json.dumps(good).replace("A = 1", "A = '\\ud800'")
    return {
        "malformed": (b'{"cells": [', "malformed JSON: .*line 1"),
        "truncated": (notebook_text("A = 1").encode()[:-40], "malformed JSON: "),
        "empty": (b"", "malformed JSON: "),
        "conflict": (b"<<<<<<< HEAD\n{}", "malformed JSON: "),
        "list": (b"[1, 2]", "expected a JSON object"),
        "other JSON": (b'{"name": "x"}', "expected a JSON object"),
        "old": (
            b'{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}',
            "format is 3; expected 4",
        ),
        "new": (json.dumps(good | {"nbformat": 5}).encode(), "format is 5; expected 4"),
        "no cells": (json.dumps(good | {"cells": None}).encode(), "None"),
        "odd cells": (json.dumps(good | {"cells": [1]}).encode(), ""),
        "latin-1": (notebook_text("A = 'ü'").encode("latin-1"), r"byte \d+ \(0xfc\) is not UTF-8"),
        "utf-16": (notebook_text("A = 1").encode("utf-16"), "is not UTF-8"),
        "surrogate": (lone_surrogate.encode(), "cell 1: .*surrogates not allowed"),
    }


@pytest.mark.parametrize("kind", broken_notebooks())
def test_a_broken_notebook_is_one_clear_error_until_it_is_mended(
    chapters: Project, kind: str
) -> None:
    content, message = broken_notebooks()[kind]
    chapters.write_bytes("s01_x", content)
    for attempt in (chapters.loader.load_all, lambda: chapters.load("s01_x")):
        with pytest.raises(NotebookError, match=rf"notebooks/s01_x\.ipynb.*{message}") as caught:
            attempt()
        assert isinstance(caught.value, ImportError)
        assert "\n" not in str(caught.value)
    assert_nothing_half_made("s01_x")
    assert not chapters.module("s01_x").exists()
    chapters.write("s01_x", "A = 1")
    assert chapters.load("s01_x").A == 1


def test_code_that_is_nested_too_deeply_is_named(chapters: Project) -> None:
    chapters.write("s01_a", "X = " + "+".join(["1"] * 50_000))
    with pytest.raises(NotebookError, match=r"s01_a\.ipynb, cell 1: .*nested too deeply"):
        JupyterLoader(chapters.notebooks, chapters.converted).load_all()


def test_damaged_byte_code_is_not_used(project: CopiedProject) -> None:
    project.write("s01_a", "X = 7")
    code = "from converted_notebooks.s01_a import X; print(X)"
    assert project.run(code).strip() == "7"
    (compiled,) = project.converted.rglob("s01_a*.pyc")
    compiled.write_bytes(compiled.read_bytes()[:-9])
    assert project.run(code).strip() == "7"


def test_a_byte_order_mark_does_no_harm(chapters: Project) -> None:
    chapters.write_bytes("s01_x", b"\xef\xbb\xbf" + notebook_text("A = 'ü'").encode("utf-8"))
    assert chapters.load("s01_x").A == "ü"


def test_a_notebook_that_cannot_be_read_is_a_clear_error(chapters: Project) -> None:
    (chapters.notebooks / "s01_x.ipynb").mkdir()
    with pytest.raises(NotebookError, match=r"cannot read .*s01_x\.ipynb: "):
        chapters.loader.load_all()


def test_load_all_names_every_broken_chapter_and_converts_the_others(chapters: Project) -> None:
    chapters.write("s01_x", "print(1)")
    chapters.write("s02_y", "A = 1")
    chapters.write_bytes("s03_z", b"{")
    with pytest.raises(NotebookError, match=r"2 chapters(.|\n)*s01_x\.ipynb, (.|\n)*s03_z\.ipynb"):
        chapters.loader.load_all()
    assert chapters.module("s02_y").is_file()


@pytest.mark.parametrize(
    "statement",
    [
        "import converted_notebooks.s04_engine_interfaces",
        "from converted_notebooks import s04_engine_interfaces",
        "from converted_notebooks.s04_engine_interfaces import Engine",
    ],
)
def test_a_missing_chapter_is_an_error_that_suggests_the_nearest(
    chapters: Project, statement: str
) -> None:
    chapters.write("s04_engine_interface", "A = 1")
    with pytest.raises(MissingChapterError, match=r"did you mean s04_engine_interface\?") as caught:
        exec(statement)
    assert isinstance(caught.value, NotebookError)
    assert isinstance(caught.value, ModuleNotFoundError)
    assert str(chapters.notebooks / "s04_engine_interfaces.ipynb") in str(caught.value)
    assert_nothing_half_made("s04_engine_interfaces")
    chapters.write("s04_engine_interfaces", "Engine = 1")
    exec(statement)


def test_a_chapter_that_raises_gives_its_own_exception_and_can_be_mended(
    chapters: Project,
) -> None:
    chapters.write("s01_x", "A = 1\nB = A / 0")
    chapters.write("s02_y", "from converted_notebooks.s01_x import A")
    with pytest.raises(ZeroDivisionError) as caught:
        chapters.load("s02_y")
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.line) == (str(chapters.module("s01_x")), "B = A / 0")
    assert_nothing_half_made("s01_x", "s02_y")
    chapters.write("s01_x", "A = 1")
    assert chapters.load("s02_y").A == 1


FORMS = [
    "import converted_notebooks.{}",
    "from converted_notebooks import {}",
    "from converted_notebooks.{} import A",
    "from . import {}",
    "from .{} import A",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", [["s01_x"], ["s01_x", "s02_y"], ["s01_x", "s02_y", "s03_z"]])
def test_a_circle_of_imports_is_an_error_that_names_its_chapters(
    chapters: Project, form: str, names: list[str]
) -> None:
    for name, other in zip(names, [*names[1:], names[0]], strict=True):
        chapters.write(name, form.format(other), "A = 1")
    with pytest.raises(NotebookError, match="circle: " + " → ".join([*names, names[0]])):
        chapters.load(names[0])
    assert_nothing_half_made(*names)
    with pytest.raises(NotebookError, match="in a circle: ") as caught:
        chapters.loader.load_all()
    assert all(name in str(caught.value) for name in names)
    chapters.write(names[-1], "A = 2")
    assert chapters.load(names[0]).A in (1, 2)
    assert len(chapters.loader.load_all()) == len(names)


def test_chapters_may_import_a_common_one_and_each_other_when_called(chapters: Project) -> None:
    chapters.write("s01_x", "def late():\n    from .s03_z import B\n    return B", "A = 1")
    chapters.write("s02_y", "from .s01_x import A")
    chapters.write("s03_z", "from .s01_x import A, late\nfrom .s02_y import A\nB = A")
    assert chapters.load("s03_z").late() == 1
    assert len(chapters.loader.load_all()) == 3


# Only what changed is converted


def test_an_unchanged_chapter_is_neither_converted_nor_rewritten(
    chapters: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = chapters.write("s01_x", "A = 1")
    [module] = chapters.loader.load_all()
    before = module.stat()
    monkeypatch.setattr(utils.notebook.converter, "convert", fail_to_convert)
    chapters.loader.load_all()
    os.utime(notebook)
    JupyterLoader(chapters.notebooks, chapters.converted).load_all()
    chapters.load("s01_x")
    after = module.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_only_the_changed_chapter_is_rewritten(chapters: Project) -> None:
    chapters.write("s01_x", "A = 1")
    chapters.write("s02_y", "A = 1")
    modules = chapters.loader.load_all()
    for module in modules:
        os.utime(module, (1, 1))
    chapters.write("s02_y", "A = 2")
    chapters.loader.load_all()
    assert [module.stat().st_mtime == 1 for module in modules] == [True, False]


def test_a_saved_output_leaves_the_time_of_the_module(
    chapters: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapters.write("s01_x", "A = 1")
    [module] = chapters.loader.load_all()
    os.utime(module, ns=(10**18, 10**18))
    chapters.write("s01_x", Cell("A = 1", outputs=(stdout_output("hello\n"),)))
    chapters.loader.load_all()
    assert module.stat().st_mtime_ns == 10**18
    monkeypatch.setattr(utils.notebook.converter, "convert", fail_to_convert)
    chapters.loader.load_all()


def test_a_changed_converter_converts_everything_again(
    chapters: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapters.write("s01_x", "A = 1")
    chapters.loader.load_all()
    changed = tmp_path / "notebook_converter.py"
    changed.write_bytes(Path(utils.notebook.converter.__file__).read_bytes() + b"# changed\n")
    monkeypatch.setattr(utils.jupyter_loader, "_CONVERTER", changed)
    converted: list[str] = []

    def convert(_raw: bytes, origin: str, _module: str) -> tuple[str, list[str]]:
        converted.append(origin)
        return "A = 2\n", []

    monkeypatch.setattr(utils.notebook.converter, "convert", convert)
    JupyterLoader(chapters.notebooks, chapters.converted).load_all()
    assert converted == ["notebooks/s01_x.ipynb"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data + b"B = 2\n",
        lambda data: data.replace(b"A = 1", b"A = 3"),
        lambda data: data.replace(b"# key: ", b"# key; "),
        lambda data: b"\x00\xff" * 99,
    ],
    ids=["empty", "half", "last byte", "appended", "changed", "header", "binary"],
)
def test_a_damaged_module_is_made_anew(chapters: Project, damage: Callable[[bytes], bytes]) -> None:
    chapters.write("s01_x", "A = 1")
    [module] = chapters.loader.load_all()
    good = module.read_bytes()
    module.write_bytes(damage(good))
    chapters.loader.load_all()
    assert module.read_bytes() == good
    module.write_bytes(damage(good))
    assert chapters.load("s01_x").A == 1
    assert module.read_bytes() == good


def test_warm_chapters_need_no_nbconvert(project: CopiedProject) -> None:
    names = [f"s{number:02}_chapter" for number in range(30)]
    for name in names:
        project.write(name, Cell("# A title", kind="markdown"), "def f():\n    return 1")
    script = (
        "import sys\n"
        "from utils.jupyter_loader import JupyterLoader\n"
        "assert len(JupyterLoader().load_all()) == 30\n"
        f"import {', '.join(f'converted_notebooks.{name}' for name in names)}\n"
        "print([name in sys.modules for name in ('nbconvert', 'nbformat', 'IPython')])\n"
    )
    assert project.run(script) == "[True, True, True]\n"
    assert project.run(script) == "[False, False, False]\n"


def test_quick_edits_of_equal_length_are_seen_by_fresh_processes(project: CopiedProject) -> None:
    script = "from converted_notebooks.s01_x import A; print(A)"
    for value in (1, 2, 3):
        project.write("s01_x", f"A = {value}")
        module = project.loader.load("s01_x").path
        os.utime(module, (1_000_000_000, 1_000_000_000))
        assert project.run(script) == f"{value}\n"


def test_quick_edits_of_equal_length_are_seen_on_reload(chapters: Project) -> None:
    chapters.write("s01_x", "A = 0")
    module = chapters.load("s01_x")
    for value in range(1, 10):
        chapters.write("s01_x", f"A = {value}")
        os.utime(chapters.loader.load("s01_x").path, (1_000_000_000, 1_000_000_000))
        importlib.reload(module)
        assert vars(module)["A"] == value


def test_a_reload_that_fails_leaves_the_old_code(chapters: Project) -> None:
    chapters.write("s01_x", "A = 1")
    module = chapters.load("s01_x")
    chapters.write("s01_x", "A = 2\nprint(A)")
    with pytest.raises(NotebookError, match="cell 1, line 2"):
        importlib.reload(module)
    assert sys.modules[f"{PACKAGE}.s01_x"] is module
    assert module.A == 1


# Writing is atomic

CONVERT_OFTEN = """
import sys
from pathlib import Path
from tests.loader_tools import Project, notebook_text
from utils.atomic_files import take_place
from utils.jupyter_loader import JupyterLoader
import utils.notebook.converter
me, root = sys.argv[1], Path(sys.argv[2])
loader = JupyterLoader(root / "notebooks", root / "converted_notebooks")
print("ready", flush=True)
sys.stdin.readline()
for value in range(40):
    filler = ["FILLER = " + repr("x" * 4000)] * 9
    text = notebook_text(f"A = {value}", *filler, f"Z = {value}")
    temporary = root / f"saving-{me}"
    temporary.write_text(text, encoding="utf-8")
    take_place(temporary, root / "notebooks" / "s01_x.ipynb")
    loader.load_all()
"""

IMPORT_OFTEN = """
import importlib, sys
from pathlib import Path
import utils.notebook.converter
import converted_notebooks
print("ready", flush=True)
stop = []
import threading
threading.Thread(target=lambda: stop.append(sys.stdin.readline()), daemon=True).start()
count = 0
last = False
while not last:
    last = bool(stop) and count >= 20
    sys.modules.pop("converted_notebooks.s01_x", None)
    module = importlib.import_module("converted_notebooks.s01_x")
    assert module.A == module.Z, (module.A, module.Z)
    names = {}
    exec(Path(module.__file__).read_bytes(), names)
    assert names["A"] == names["Z"], (names["A"], names["Z"])
    count += 1
print(module.A)
"""


def test_nobody_sees_a_broken_module_while_others_convert(project: CopiedProject) -> None:
    project.write("s01_x", "A = 0", "Z = 0")
    tests = project.root / "tests"
    tests.mkdir()
    (tests / "loader_tools.py").write_bytes(
        Path(__file__).parents[1].joinpath("loader_tools.py").read_bytes()
    )
    importer = project.start(IMPORT_OFTEN)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", CONVERT_OFTEN, name, str(project.root)],
            env=project.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    children = [importer, *writers]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n", child.communicate()[1]
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers:
            _, errors = writer.communicate(timeout=SECONDS)
            assert writer.returncode == 0, errors
        output, errors = importer.communicate("stop\n", timeout=SECONDS)
        assert importer.returncode == 0, errors
    finally:
        for child in children:
            child.kill()
            child.wait()
    assert output == "39\n"
    assert project.leftovers() == []


WAIT = """
import os, sys
from pathlib import Path
from utils.jupyter_loader import JupyterLoader

def wait(*_args):
    print("ready", flush=True)
    sys.stdin.readline()

def write_half(path, data):
    with path.open("wb") as file:
        file.write(data[: len(data) // 2])
        file.flush()
        wait()

{patch}
JupyterLoader().load_all()
"""


@pytest.mark.parametrize("patch", ["Path.write_bytes = write_half", "os.replace = wait"])
def test_a_process_killed_while_it_writes_leaves_the_old_module(
    project: CopiedProject, patch: str
) -> None:
    project.write("s01_x", "A = 1")
    [module] = project.loader.load_all()
    old = module.read_bytes()
    notebook = project.write("s01_x", "A = 2")
    saved = notebook.read_bytes()
    child = project.start(WAIT.format(patch=patch))
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n", child.communicate()[1]
    child.kill()
    child.communicate()
    assert module.read_bytes() == old
    [leftover] = project.leftovers()

    project.write("s01_x", "A = 1")
    script = "from converted_notebooks.s01_x import A; print(A)"
    assert project.run(script) == "1\n"
    assert module.read_bytes() == old
    project.write_bytes("s01_x", saved)
    project.loader.load_all()
    assert b"A = 2" in module.read_bytes()

    assert project.leftovers() == [leftover], "another process may still be writing it"
    os.utime(leftover, (time.time() - 3700,) * 2)
    project.loader.load_all()
    assert project.leftovers() == []


# Modules whose notebook is gone


def test_modules_without_a_notebook_are_removed(chapters: Project) -> None:
    notebook = chapters.write("s01_x", "A = 1")
    module = chapters.load("s01_x")
    assert Path(module.__cached__).is_file()
    mine = chapters.converted / "s77_mine.py"
    mine.write_text("A = 1\n", encoding="utf-8")
    notebook.unlink()
    assert chapters.loader.load_all() == []
    assert sorted(path.name for path in chapters.converted.rglob("*.py*")) == ["s77_mine.py"]
    del sys.modules[f"{PACKAGE}.s01_x"]
    with pytest.raises(MissingChapterError, match="no chapter 's01_x'"):
        chapters.load("s01_x")


def test_a_module_without_a_notebook_cannot_be_imported_even_before_it_is_removed(
    chapters: Project,
) -> None:
    notebook = chapters.write("s01_x", "A = 1")
    chapters.loader.load_all()
    notebook.unlink()
    with pytest.raises(MissingChapterError, match="no chapter 's01_x'"):
        chapters.load("s01_x")


# Where a line comes from


def test_modules_say_where_each_part_comes_from(chapters: Project) -> None:
    chapters.write("s01_x", "A = 1", Cell("no", ("experiment",)), "B = 2")
    [module] = chapters.loader.load_all()
    text = module.read_text(encoding="utf-8")
    assert text.startswith("# Made from notebooks/s01_x.ipynb: change the notebook, not this file.")
    assert "# %% notebooks/s01_x.ipynb, cell 1\nA = 1\n" in text
    assert "# %% notebooks/s01_x.ipynb, cell 3\nB = 2\n" in text
    assert "cell 2" not in text


def test_a_traceback_shows_the_real_line(project: CopiedProject) -> None:
    project.write("s01_x", "%time 1\nA = 1", "def f(x):\n    return 1 / x")
    project.loader.load_all()
    errors = project.run("from converted_notebooks.s01_x import f\nf(0)", fails=True)
    lines = project.module("s01_x").read_text(encoding="utf-8").splitlines()
    number = lines.index("    return 1 / x") + 1
    assert f'{project.module("s01_x")}", line {number}, in f\n    return 1 / x' in errors


def test_the_line_profiler_shows_the_real_lines(chapters: Project) -> None:
    chapters.write("s01_x", "def f(x):\n    y = x + 41\n    return y")
    profiler = LineProfiler()
    assert profiler(chapters.load("s01_x").f)(1) == 42
    output = io.StringIO()
    profiler.print_stats(stream=output)
    [line] = [line for line in output.getvalue().splitlines() if "y = x + 41" in line]
    assert line.split()[1] == "1"


def test_source_of_edited_code_is_the_new_one(chapters: Project) -> None:
    chapters.write("s01_x", "class C:\n    old = 1")
    module = chapters.load("s01_x")
    assert "old" in inspect.getsource(module.C)
    chapters.write("s01_x", "A = 1\n\nclass C:\n    new = 1")
    importlib.reload(module)
    assert inspect.getsource(module.C) == "class C:\n    new = 1\n"


# A folder that cannot be written


def forbid_writing(chapters: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "write_bytes", refuse(PermissionError, errno.EACCES))


def forbid_replace(chapters: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", refuse(PermissionError, errno.EACCES))


def put_a_file_in_the_way(chapters: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (chapters.root / "file").touch()
    chapters.loader.converted = chapters.root / "file" / "converted"


@pytest.mark.parametrize("forbid", [forbid_writing, forbid_replace, put_a_file_in_the_way])
def test_a_read_only_folder_stops_load_all_but_no_import(
    chapters: Project,
    monkeypatch: pytest.MonkeyPatch,
    forbid: Callable[[Project, pytest.MonkeyPatch], None],
) -> None:
    notebook = chapters.write("s01_x", "def f(x):\n    return 1 / x")
    chapters.write("s02_y", "from converted_notebooks.s01_x import f")
    saved = notebook.read_bytes()
    with monkeypatch.context() as patch:
        forbid(chapters, patch)
        module = chapters.load("s02_y")
        with pytest.raises(ZeroDivisionError) as caught:
            module.f(0)
        assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "return 1 / x"
        assert inspect.getsource(module.f) == "def f(x):\n    return 1 / x\n"
        with pytest.raises(OSError, match="cannot write the module of chapter s01_x") as refused:
            chapters.loader.load_all()
        assert refused.value.filename == str(chapters.loader.converted / "s01_x.py")
        assert refused.value.filename in str(refused.value)
    assert chapters.leftovers() == []
    assert notebook.read_bytes() == saved


def test_an_old_module_in_a_read_only_folder_is_not_mistaken_for_the_new_one(
    chapters: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapters.write("s01_x", "def f(x):\n    return 'old'")
    chapters.loader.load_all()
    chapters.write("s01_x", "A = 1\n\ndef f(x):\n    return 1 / x")
    monkeypatch.setattr(Path, "write_bytes", refuse(PermissionError, errno.EROFS))
    module = chapters.load("s01_x")
    with pytest.raises(ZeroDivisionError) as caught:
        module.f(0)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "return 1 / x"
    assert "old" not in inspect.getsource(module.f)


# Wherever the project is, and however it is run


def test_paths_with_spaces_and_umlauts_work(tmp_path: Path) -> None:
    project = CopiedProject(tmp_path / "Übungen mit Schach" / "zweite Fassung – größer")
    project.write("s01_x", "def f(x):\n    return 1 / x", "A = 'ß'")
    assert project.loader.load_all() == [project.module("s01_x")]
    script = "from converted_notebooks.s01_x import A, f\nprint(A, flush=True)\nf(0)"
    errors = project.run(script, fails=True)
    assert "return 1 / x" in errors
    assert "größer" in errors
    script = "from utils.jupyter_loader import JupyterLoader\nprint(*JupyterLoader().load_all())"
    assert project.run(script) == f"{project.module('s01_x')}\n"


def test_a_linked_project_works(project: CopiedProject, tmp_path: Path) -> None:
    link = tmp_path / "link"
    try:
        link.symlink_to(project.root, target_is_directory=True)
    except OSError:
        pytest.skip("this user may not make symbolic links")
    project.write("s01_x", "A = 1")
    project.loader.load_all()
    script = "from converted_notebooks.s01_x import A; print(A)"
    assert project.run(script, environment={"PYTHONPATH": str(link)}) == "1\n"


def test_optimised_python_and_python_without_byte_code_work(project: CopiedProject) -> None:
    project.write("s01_x", "def f():\n    assert False\n    return 1")
    project.loader.load_all()
    script = "from converted_notebooks.s01_x import f; print(f())"
    without = {"PYTHONDONTWRITEBYTECODE": "1"}
    assert "AssertionError" in project.run(script, environment=without, fails=True)
    assert not list(project.converted.rglob("*.pyc"))
    assert project.run(script, "-O") == "1\n"
    assert "AssertionError" in project.run(script, fails=True)


def test_a_chapter_runs_as_a_program(project: CopiedProject) -> None:
    project.write("s01_x", "from sys import stdout\nA = stdout.write('hello')")
    project.loader.load_all()
    assert project.run("import runpy; runpy.run_module('converted_notebooks.s01_x')") == "hello"


def test_objects_of_chapters_can_be_pickled(chapters: Project) -> None:
    chapters.write("s01_x", "class C:\n    value = 1")
    data = pickle.dumps(chapters.load("s01_x").C())
    del sys.modules[f"{PACKAGE}.s01_x"]
    assert pickle.loads(data).value == 1


def test_threads_may_import_chapters_at_once(chapters: Project) -> None:
    chapters.write("s01_x", "A = 1")
    for number in range(2, 8):
        chapters.write(f"s0{number}_y", "from converted_notebooks.s01_x import A")
    found: list[int] = []
    start = threading.Barrier(6)

    def load(name: str) -> None:
        start.wait(SECONDS)
        found.append(chapters.load(name).A)

    threads = [threading.Thread(target=load, args=(f"s0{number}_y",)) for number in range(2, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert found == [1] * 6


def test_converting_says_nothing(chapters: Project) -> None:
    chapters.write("s01_x", "%time 1\nA = 1", Cell("B", ("exercise",)))
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        chapters.loader.load_all()
    assert said.getvalue() == ""
