"""The contract of the notebook loader, sentence by sentence."""

from __future__ import annotations

import errno
import importlib
import inspect
import os
import pickle
import re
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import converted_notebooks
import utils.jupyter_loader
import utils.notebook.converter
from tests.helpers.loader_tools import SECONDS, Cell, CopiedProject, Project
from utils.jupyter_loader import (
    PACKAGE,
    JupyterLoader,
    MissingChapterError,
    NotebookError,
    changed_chapters,
    convert_all,
    install_import_hook,
    load_chapter,
)

ARITHMETIC = "def f(x):\n    return 1 / x"
LOAD_ALL = "from utils.jupyter_loader import JupyterLoader; print(*JupyterLoader().load_all())"


def assert_nothing_half_made(*names: str) -> None:
    for name in names:
        assert f"{PACKAGE}.{name}" not in sys.modules
        assert name not in vars(converted_notebooks)


def test_load_all_converts_each_chapter_and_returns_the_paths_in_order(chapters: Project) -> None:
    for name in ("TEMPLATE", "s05_random_engine-Copy1", "s5_short", "s05_größe", "Untitled"):
        chapters.write_bytes(name, b"this would not convert")
    (chapters.notebooks / ".ipynb_checkpoints").mkdir()
    (chapters.notebooks / ".ipynb_checkpoints" / "s05_random.ipynb").write_bytes(b"nor this")
    assert chapters.loader.load_all() == []
    chapters.write("s10_later", "from .s02_first import A", "B = 2")
    chapters.write("s02_first", "A = 1")
    modules = [chapters.module("s02_first"), chapters.module("s10_later")]
    assert chapters.loader.load_all() == modules == sorted(chapters.converted.iterdir())
    header, _, body = modules[1].read_text(encoding="utf-8").partition('"""')
    assert header.startswith("# Made from notebooks/s10_later.ipynb: change the notebook, not this")
    assert header.endswith("\n# chapters: s02_first\n") and "\nB = 2\n" in body


def test_an_import_converts_the_chapter(chapters: Project) -> None:
    chapters.write("s98_evaluation", "class Evaluator:\n    pawn = 100")
    Evaluator = chapters.load("s98_evaluation").Evaluator
    assert Evaluator.pawn == 100
    assert Evaluator.__module__ == "converted_notebooks.s98_evaluation"
    assert inspect.getfile(Evaluator) == str(chapters.module("s98_evaluation"))
    assert load_chapter("s98_evaluation").Evaluator is Evaluator
    data = pickle.dumps(Evaluator())
    del sys.modules[f"{PACKAGE}.s98_evaluation"]
    assert pickle.loads(data).pawn == 100


def test_other_imports_are_left_to_python(chapters: Project) -> None:
    hook = install_import_hook()
    assert install_import_hook() is hook
    chapters.write("s01_x", "A = 1")
    for name in ("s01_x", "other.s01_x", f"{PACKAGE}._s01_x", f"{PACKAGE}.s01_x.s01_x"):
        assert hook.find_spec(name) is None
    assert hook.find_spec(f"{PACKAGE}.s01_x") is not None
    chapters.loader.notebooks = chapters.root / "nowhere"
    assert hook.find_spec(f"{PACKAGE}.s01_x") is None
    with pytest.raises(FileNotFoundError, match=r"no folder of notebooks at .*nowhere"):
        chapters.loader.load_all()


# What is wrong is said clearly


def test_a_broken_notebook_is_one_clear_error_until_it_is_mended(chapters: Project) -> None:
    chapters.write_bytes("s01_x", b'{"cells": [')
    for attempt in (chapters.loader.load_all, lambda: chapters.load("s01_x")):
        with pytest.raises(NotebookError, match=r"notebooks/s01_x\.ipynb is not a") as caught:
            attempt()
        assert caught.value.name == f"{PACKAGE}.s01_x"
    assert_nothing_half_made("s01_x")
    assert not chapters.module("s01_x").exists()
    chapters.write("s01_x", "A = 1")
    assert chapters.load("s01_x").A == 1


def test_load_all_names_every_broken_chapter_and_converts_the_others(chapters: Project) -> None:
    chapters.write("s01_x", "print(1)")
    chapters.write("s02_y", "A = 1")
    chapters.write_bytes("s03_z", b"{")
    with pytest.raises(NotebookError, match=r"2 chapters(.|\n)*s01_x\.ipynb, (.|\n)*s03_z\.ipynb"):
        chapters.loader.load_all()
    assert chapters.module("s02_y").is_file()


def test_a_notebook_that_cannot_be_read_is_a_clear_error(chapters: Project) -> None:
    path = chapters.notebooks / "s01_x.ipynb"
    path.mkdir()
    with pytest.raises(NotebookError, match=r"cannot read .*s01_x\.ipynb: "):
        chapters.loader.load_all()
    path.rmdir()
    try:
        path.symlink_to("gone.ipynb")
    except OSError:
        pytest.skip("this user may not make symbolic links")
    for attempt in (chapters.loader.load_all, lambda: chapters.load("s01_x")):
        with pytest.raises(NotebookError, match=r"s01_x\.ipynb, a link to gone\.ipynb: "):
            attempt()


@pytest.mark.parametrize("form", ["import {0}.{1}", "from {0} import {1}", "from {0}.{1} import A"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s04_engine_interfaces", r"{}.ipynb; did you mean s04_engine_interface\?"),
        ("s10", r"{}.ipynb; did you mean s10_alpha_beta_engine\?"),
        ("s99_xyz", r"{}.ipynb; there are no chapters with such a name\."),
        ("s28_größe", r"{}.ipynb is not named like a chapter; expected a name like s28_my_idea"),
        ("s28_a_b", r"s28_a-b.ipynb is not named like a chapter; expected a name like s28_my_idea"),
    ],
)
def test_a_missing_chapter_is_an_error_that_says_what_to_do(
    chapters: Project, form: str, name: str, message: str
) -> None:
    for given in ("s04_engine_interface", "s10_alpha_beta_engine", "s28_größe", "s28_a-b"):
        chapters.write(given, "A = 1")
    message = message.format(chapters.notebooks / name) if "{}" in message else message
    with pytest.raises(MissingChapterError, match=f"^no chapter '{name}': .*{message}") as caught:
        exec(form.format(PACKAGE, name))
    assert isinstance(caught.value, NotebookError) and isinstance(caught.value, ModuleNotFoundError)
    assert_nothing_half_made(name)
    if name == "s04_engine_interfaces":
        chapters.write(name, "A = 1")
        exec(form.format(PACKAGE, name))


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


@pytest.mark.parametrize("form", ["import converted_notebooks.{}", "from . import {}"])
@pytest.mark.parametrize("names", [["s01_x"], ["s01_x", "s02_y"], ["s01_x", "s02_y", "s03_z"]])
def test_a_circle_of_imports_is_an_error_that_names_its_chapters(
    chapters: Project, form: str, names: list[str]
) -> None:
    for name, other in zip(names, [*names[1:], names[0]], strict=True):
        chapters.write(name, form.format(other), "A = 1")
    circle = " → ".join([*names, names[0]])
    chapters.write("s09_before", form.format(names[0]))
    for name in (names[0], "s09_before"):
        with pytest.raises(NotebookError, match=f"in a circle: {circle}; ") as caught:
            chapters.load(name)
        assert caught.value.name == f"{PACKAGE}.{names[0]}"
        assert_nothing_half_made(*names)
    with pytest.raises(NotebookError, match=f"in a circle: .*{names[-1]} → {names[0]}"):
        chapters.loader.load_all()
    chapters.write(names[-1], "A = 2")
    assert chapters.load(names[0]).A in (1, 2)
    assert len(chapters.loader.load_all()) == len(names) + 1


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
    chapters.write("s02_y", "A = 1")
    modules = chapters.loader.load_all()
    for module in modules:
        os.utime(module, ns=(10**18, 10**18))
    chapters.write("s02_y", "A = 2")
    chapters.loader.load_all()
    assert [module.stat().st_mtime_ns == 10**18 for module in modules] == [True, False]
    # A saved output changes the notebook, but not the module's time: there is nothing to reload.
    chapters.write("s01_x", Cell("A = 1", outputs=(STDOUT,)))
    chapters.loader.load_all()
    assert modules[0].stat().st_mtime_ns == 10**18
    before = modules[0].stat().st_ino
    monkeypatch.setattr(utils.notebook.converter, "convert", None)
    chapters.loader.load_all()
    os.utime(notebook)
    JupyterLoader(chapters.notebooks, chapters.converted).load_all()
    assert chapters.load("s01_x").A == 1
    assert modules[0].stat().st_ino == before


STDOUT = {"output_type": "stream", "name": "stdout", "text": "hello\n"}


def test_a_changed_converter_converts_everything_again(
    chapters: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapters.write("s01_x", "A = 1")
    chapters.loader.load_all()
    changed = tmp_path / "converter.py"
    changed.write_bytes(Path(utils.notebook.converter.__file__).read_bytes() + b"# changed\n")
    monkeypatch.setattr(utils.jupyter_loader, "_CONVERTER", [changed])
    monkeypatch.setattr(utils.notebook.converter, "convert", lambda *_: ("A = 2\n", []))
    chapters.loader.load_all()
    assert chapters.load("s01_x").A == 1, "this process has the converter with which it began"
    del sys.modules[f"{PACKAGE}.s01_x"]
    JupyterLoader(chapters.notebooks, chapters.converted).load_all()
    assert chapters.load("s01_x").A == 2


def test_the_converter_is_known_by_all_that_it_is_made_of() -> None:
    found = {"utils.notebook.converter"}
    for path in utils.jupyter_loader._CONVERTER:
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"^(?:from|import) (utils[.\w]*)", text, re.MULTILINE))
    assert found == {f"utils.notebook.{path.stem}" for path in utils.jupyter_loader._CONVERTER}


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data + b"B = 2\n",
        lambda data: data.replace(b"A = 1", b"A = 3"),
        lambda data: data.replace(b"# key: ", b"# key; "),
        lambda data: data.replace(b"# chapters:", b"# chapters: \xff"),
        lambda data: b"\x00\xff" * 99,
    ],
    ids=["empty", "half", "last byte", "appended", "changed", "header", "chapters", "binary"],
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
    text = "\n".join(f"    x{line} = {line}" for line in range(400))
    for name in names:
        project.write(name, Cell("# A title", kind="markdown"), f"def f():\n{text}")
    script = (
        "import sys\n"
        "from utils.jupyter_loader import JupyterLoader\n"
        "assert len(JupyterLoader().load_all()) == 30\n"
        f"import {', '.join(f'converted_notebooks.{name}' for name in names)}\n"
        "print([name in sys.modules for name in ('nbconvert', 'nbformat', 'IPython')])\n"
    )
    assert project.run(script) == "[True, True, True]\n"
    assert project.run(script) == "[False, False, False]\n"


def test_quick_edits_of_equal_length_are_seen(chapters: Project) -> None:
    chapters.write("s01_x", "A = 0")
    module = chapters.load("s01_x")
    for value in range(1, 10):
        chapters.write("s01_x", f"A = {value}")
        os.utime(chapters.loader.load("s01_x").path, (1_000_000_000, 1_000_000_000))
        importlib.reload(module)
        assert vars(module)["A"] == value


def test_chapters_executed_with_two_sources_are_known(chapters: Project) -> None:
    for source in ("A = 1", "A = 1", "A = 2"):
        chapters.write("s97_twice", source, Cell("note = 0", ("experiment",)))
        before = set(changed_chapters)
        chapters.load("s97_twice")
        del sys.modules[f"{PACKAGE}.s97_twice"]
    assert "s97_twice" not in before and "s97_twice" in changed_chapters


def test_a_reload_that_fails_leaves_the_old_code(chapters: Project) -> None:
    chapters.write("s01_x", "A = 1")
    module = chapters.load("s01_x")
    chapters.write("s01_x", "A = 2\nprint(A)")
    with pytest.raises(NotebookError, match="cell 1, line 2"):
        importlib.reload(module)
    assert sys.modules[f"{PACKAGE}.s01_x"] is module
    assert module.A == 1


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-9], lambda data: data[:16] + b"0" + data[17:], lambda data: b""],
    ids=["truncated", "another type", "empty"],
)
def test_damaged_byte_code_is_not_used(chapters: Project, damage: Callable[[bytes], bytes]) -> None:
    chapters.write("s01_x", "A = 1")
    compiled = Path(chapters.load("s01_x").__cached__)
    compiled.write_bytes(damage(compiled.read_bytes()))
    del sys.modules[f"{PACKAGE}.s01_x"]
    assert chapters.load("s01_x").A == 1


# Writing is atomic

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
    project.write("s01_x", "A = 2")
    child = project.start(WAIT.format(patch=patch))
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n", child.communicate()[1]
    child.kill()
    child.communicate()
    assert module.read_bytes() == old
    project.loader.load_all()
    assert b"A = 2" in module.read_bytes()


# Modules whose notebook is gone


def test_modules_without_a_notebook_cannot_be_imported_and_are_removed(chapters: Project) -> None:
    notebook = chapters.write("s01_x", "A = 1")
    chapters.write("s02_y", "A = 1")
    compiled = Path(chapters.load("s01_x").__cached__)
    assert compiled.is_file()
    (chapters.converted / "s77_mine.py").write_text("A = 1\n", encoding="utf-8")
    notebook.unlink()
    for name in ("before", "after"):
        sys.modules.pop(f"{PACKAGE}.s01_x")
        with pytest.raises(MissingChapterError, match="no chapter 's01_x'"):
            chapters.load("s01_x")
        sys.modules[f"{PACKAGE}.s01_x"] = converted_notebooks
        assert chapters.module("s01_x").exists() == (name == "before")
        assert chapters.loader.load_all() == [chapters.module("s02_y")]
    found = sorted(path.name for path in chapters.converted.rglob("*.py*"))
    assert found == ["s02_y.py", "s77_mine.py"] and not compiled.exists()


# A folder that cannot be written


def refuse(number: int) -> Callable[..., None]:
    """A stand-in for a function of the operating system that always fails."""

    def refused(*_args: object, **_keywords: object) -> None:
        raise OSError(number, os.strerror(number))

    return refused


@pytest.mark.parametrize(
    "forbid",
    [
        lambda loader, patch: patch.setattr(Path, "write_bytes", refuse(errno.EROFS)),
        lambda loader, patch: patch.setattr(os, "replace", refuse(errno.EACCES)),
        lambda loader, patch: patch.setattr(loader, "converted", loader.notebook("s01_x") / "x"),
    ],
    ids=["writing", "replacing", "a file in the way"],
)
def test_a_folder_that_cannot_be_written_is_named(
    chapters: Project,
    monkeypatch: pytest.MonkeyPatch,
    forbid: Callable[[JupyterLoader, pytest.MonkeyPatch], None],
) -> None:
    chapters.write("s01_x", "def f(x):\n    return 'old'")
    chapters.loader.load_all()
    notebook = chapters.write("s01_x", "A = 1")
    saved = notebook.read_bytes()
    with monkeypatch.context() as patch:
        forbid(chapters.loader, patch)
        with pytest.raises(OSError, match="cannot write the module of chapter s01_x") as refused:
            chapters.loader.load_all()
        assert refused.value.filename == str(chapters.loader.converted / "s01_x.py")
        assert refused.value.filename in str(refused.value)
    assert chapters.leftovers() == []
    assert notebook.read_bytes() == saved


# Wherever the project is, and however it is run


def test_a_project_anywhere_is_used_from_fresh_processes(tmp_path: Path) -> None:
    project = CopiedProject(tmp_path / "Übungen mit Schach" / "zweite Fassung – größer")
    project.write("s01_x", "%time 1\nA = 'ß'", ARITHMETIC)
    assert project.run(LOAD_ALL) == f"{project.module('s01_x')}\n"
    script = "from converted_notebooks.s01_x import A, f\nprint(A, flush=True)\nf(0)"
    errors = project.run(script, fails=True)
    lines = project.module("s01_x").read_text(encoding="utf-8").splitlines()
    number = lines.index("    return 1 / x") + 1
    assert f'{project.module("s01_x")}", line {number}, in f\n    return 1 / x' in errors
    script = "import runpy; print(runpy.run_module('converted_notebooks.s01_x')['A'])"
    assert project.run(script) == "ß\n"
    link = tmp_path / "link"
    try:
        link.symlink_to(project.root, target_is_directory=True)
    except OSError:
        return  # this user may not make symbolic links
    script = "from converted_notebooks.s01_x import A; print(A)"
    assert project.run(script, environment={"PYTHONPATH": str(link)}) == "ß\n"


def test_the_command_counts_the_chapters_or_says_what_is_wrong(
    chapters: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(utils.jupyter_loader, "JupyterLoader", lambda: chapters.loader)
    chapters.write("s01_x", "A = 1")
    assert convert_all() == 1
    chapters.write_bytes("s02_y", b"")
    with pytest.raises(SystemExit, match=r"s02_y\.ipynb is not a notebook"):
        convert_all()


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


def test_a_chapter_that_another_thread_is_importing_makes_no_circle(
    chapters: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Barrier(2, timeout=60)
    monkeypatch.setitem(sys.modules, "gate", gate)
    chapters.write("s01_x", "import gate", "A = [gate.wait(), gate.wait()]")
    chapters.write("s02_y", "import gate", "B = gate.wait()", "from .s01_x import A")
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(chapters.load, "s01_x")
        gate.wait()
        second = chapters.load("s02_y")
        assert second.A is first.result().A
