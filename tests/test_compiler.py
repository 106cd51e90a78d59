"""Compiled functions of chapters: each test is a trap that `utils.compiler` avoids."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.loader_tools import CopiedProject, Project
from tests.notebook.browser import absent
from tests.notebook.kernels import Kernel
from utils import compiler
from utils.compiler import compiled, is_compiled, is_compiling, plain, run_plain, specialisations
from utils.jupyter_loader import PACKAGE
from utils.notebook import pyodide as in_browser
from utils.prefetch import prefetch

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None or not is_compiling(), reason="needs Numba"
)
FIRST, SECOND = "s26_first", "s27_second"
COMPILED = "from utils.compiler import compiled, specialisations\n\n"
STEP = COMPILED + "@compiled\ndef step(number: int) -> int:\n    return number + 1\n"
TWICE = (
    f"from converted_notebooks.{FIRST} import step\n{COMPILED}"
    "@compiled\ndef twice(number: int) -> int:\n    return 2 * step(number)\n"
)
COUNT = """
import numba.core.event as event
with event.install_recorder("numba:compile") as recorder:
    {0}
print("compiled", sum(e.is_end for _, e in recorder.buffer))
"""
RUN = COUNT.format(f"from converted_notebooks.{SECOND} import twice; print(twice(3))")


def test_a_program_is_run_without_machine_code() -> None:
    code = "from utils.compiler import is_compiling; print(is_compiling())"
    assert run_plain(code) == "False\n"
    with pytest.raises(subprocess.CalledProcessError):
        run_plain("raise SystemExit(3)")


class Chapters(CopiedProject):
    """Notebooks that are converted here, so that children need not load the converter."""

    def write_bytes(self, name: str, content: bytes) -> Path:
        path = super().write_bytes(name, content)
        self.loader.load(name)
        return path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chapters:
    """Two chapters, the second of which calls the first; compiled code in a folder of its own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    project = Chapters(tmp_path / "course")
    project.write(FIRST, STEP)
    project.write(SECOND, TWICE)
    return project


def folders(project: Chapters, chapter: str) -> list[Path]:
    """The folders of compiled code of a chapter."""
    return sorted((project.root.parent / "cache" / chapter).iterdir())


def test_importing_compiles_nothing_and_the_first_call_one_signature() -> None:
    @compiled
    def half(number: int) -> int:
        return number // 2

    assert is_compiled(half) and not is_compiled(plain(half))
    assert specialisations(half) == 0
    assert half.targetoptions["nogil"] is True  # type: ignore[attr-defined]
    assert half(-7) == plain(half)(-7) == -4
    assert half(8) == 4 and specialisations(half) == 1
    assert specialisations(plain(half)) == 0


@compiled
def leaves(depth: int, quiet: bool, width: int = 2) -> int:
    """The leaves of a tree whose first moves are quiet, and the others not."""
    if depth == 0:
        return 1
    return leaves(depth - 1, True, width) + (width - 1) * leaves(depth - 1, quiet=False, width=2)


@compiled
def two_trees(depth: int) -> int:
    return leaves(depth, True, 2) + leaves(3, False, width=2)


def test_values_in_a_call_make_no_signatures_of_their_own() -> None:
    assert two_trees(4) == plain(two_trees)(4) == 24
    assert specialisations(leaves) == specialisations(two_trees) == 1


def test_a_generator_is_refused() -> None:
    with pytest.raises(TypeError, match="squares is a generator"):

        @compiled
        def squares(count: int) -> Iterator[int]:
            yield from range(count)


def test_a_function_that_comes_from_no_module_is_compiled() -> None:
    names: dict[str, Any] = {}
    exec("def after(number):\n    return number + 1\n", names)
    assert names["after"].__module__ is None and compiled(names["after"])(3) == 4


def test_in_a_browser_without_numpy_a_function_stays_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler._numba.cache_clear()
    try:
        with np.errstate(), absent("numba", monkeypatch), absent("numpy", monkeypatch):
            monkeypatch.setattr(in_browser, "IN_BROWSER", True)
            with in_browser.stand_ins():
                assert not is_compiling()
            assert compiled(plain) is plain and not is_compiled(plain)
    finally:
        monkeypatch.undo()
        compiler._numba.cache_clear()
    assert is_compiling()


def test_a_prefetch_is_an_instruction_and_nothing_in_python() -> None:
    @compiled
    def ask(table: Any, row: int) -> int:
        prefetch(table, row)
        return row

    table = np.zeros((4, 2), np.uint64)
    assert ask(table, 3) == plain(ask)(table, 3) == 3
    assert "@llvm.prefetch" in "".join(ask.inspect_llvm().values())  # type: ignore[attr-defined]


def test_integers_wrap_around_and_a_division_by_zero_is_no_error() -> None:
    @compiled
    def shifted(number: np.uint64) -> np.uint64:
        return number * np.uint64(2) + np.uint64(1)

    @compiled
    def share(part: float, whole: float) -> float:
        return part / whole

    top = np.uint64(2**63)
    assert shifted(top) == 1
    with np.errstate(over="ignore"):
        assert plain(shifted)(top) == 1
    assert share(1.0, 0.0) == float("inf")


def test_compiled_code_lasts_until_the_source_changes(project: Chapters) -> None:
    assert project.run(RUN) == "8\ncompiled 2\n"
    # The next process compiles nothing, even if cells that are left out have changed.
    project.write(FIRST, STEP, "%time step(1)")
    assert project.run(RUN) == "8\ncompiled 0\n"
    # An edit in one chapter reaches the compiled caller in the other: the byte code of this one
    # is the same but for a constant.
    project.write(FIRST, STEP.replace("+ 1", "+ 5"))
    assert project.run(RUN) == "16\ncompiled 2\n"
    project.write(FIRST, STEP)
    assert project.run(RUN) == "8\ncompiled 0\n"


@pytest.mark.slow
def test_an_edit_two_chapters_before_reaches_the_callers(project: Chapters) -> None:
    third = TWICE.replace(FIRST, SECOND).replace("step", "twice").replace("def twice", "def last")
    project.write("s28_third", third)
    run = COUNT.format("from converted_notebooks.s28_third import last; print(last(3))")
    assert project.run(run) == "16\ncompiled 3\n"
    project.write(FIRST, STEP.replace("+ 1", "+ 5"))
    assert project.run(run) == "32\ncompiled 3\n"


def test_new_weights_from_a_file_reach_the_compiled_code(project: Chapters) -> None:
    weights = project.root / "weights.txt"
    project.write(
        FIRST,
        f"import numpy as np\n{COMPILED}WEIGHTS = np.loadtxt({str(weights)!r}, np.int64)\n",
        "@compiled\ndef step(number: int) -> int:\n    return number + WEIGHTS[1]\n",
    )
    for weight, compilations in ((1, 2), (7, 2)):
        weights.write_text(f"0 {weight}")
        assert project.run(RUN) == f"{2 * (3 + weight)}\ncompiled {compilations}\n"


def test_only_the_folders_of_the_latest_sources_are_kept(
    chapters: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    chapters.write("s28_many", "WEIGHT = 0")
    module: Any = chapters.load("s28_many")
    made = []
    for number in range(compiler.FOLDERS_KEPT + 2):
        module.WEIGHT = number if number % 2 else (0, number)
        folder = compiler.cache_folder("s28_many")
        assert folder is not None and folder.is_dir()
        os.utime(folder, (number, number))
        made.append(folder)
    assert sorted(tmp_path.joinpath("s28_many").iterdir()) == sorted(made[-compiler.FOLDERS_KEPT :])
    # One that is used again becomes the latest.
    module.WEIGHT = (0, 2)
    assert compiler.cache_folder("s28_many") == made[2]
    module.WEIGHT = 9
    compiler.cache_folder("s28_many")
    assert made[2].is_dir() and not made[3].exists()


def test_a_folder_is_named_by_all_that_the_code_depends_on(
    chapters: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "cache"))
    chapters.write(FIRST, STEP, "@compiled\ndef walk(number):\n    return number + 2")
    chapters.write(SECOND, TWICE)
    first: Any = chapters.load(FIRST)
    module: Any = chapters.load(SECOND)
    digits = np.arange(6)
    different = [compiler.cache_folder(FIRST), compiler.cache_folder(SECOND)]
    for value in (
        *(digits, digits + 1, digits.reshape(2, 3), digits.view(np.uint64)),
        *(1, 2, 2.0, (1,), (1, 2), first.step, first.walk),
    ):
        module.VALUE = value
        different.append(compiler.cache_folder(SECOND))
    del module.VALUE
    module.OTHER = 1
    usual = compiler.cache_folder(SECOND)
    other = tmp_path / "other.py"
    other.touch()
    for place, new in (
        ("platform.python_version", lambda: "3.99"),
        *((f"{package}.__version__", "99") for package in ("numba", "numpy")),
        *((f"utils.{name}.__file__", str(other)) for name in ("compiler", "prefetch")),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, new)
            different.append(compiler.cache_folder(SECOND))
    different.append(usual)
    assert None not in different and len(set(different)) == len(different) == 19
    # The code does not depend on these, which are others in each process.
    for value in ("a text", object(), np.array([object()])):
        module.VALUE = value
        assert compiler.cache_folder(SECOND) == usual


def test_nothing_is_cached_if_a_reader_has_replaced_a_function_of_a_chapter(
    project: Chapters,
) -> None:
    replaced = (
        f"import converted_notebooks.{SECOND} as second\n"
        "from utils.compiler import compiled\n"
        "@compiled\ndef mine(number):\n    return number + 9\n"
        "second.step = mine\n"
    ) + COUNT.format(f"from converted_notebooks.{SECOND} import twice; print(twice(3))")
    assert project.run(replaced).startswith("24\n")
    assert project.run(RUN) == "8\ncompiled 2\n"
    assert project.run(replaced).startswith("24\n")


@pytest.mark.slow
def test_two_processes_compile_at_once(project: Chapters) -> None:
    children = [project.start(RUN) for _ in range(2)]
    for child in children:
        output, errors = child.communicate()
        assert output.startswith("8\n") and not errors
    assert project.run(RUN) == "8\ncompiled 0\n"


@pytest.mark.slow
def test_damaged_files_are_compiled_again(project: Chapters) -> None:
    project.run(RUN)
    for folder in folders(project, FIRST) + folders(project, SECOND):
        for path in folder.iterdir():
            path.write_bytes(path.read_bytes()[:9])
    assert project.run(RUN) == "8\ncompiled 2\n"


@pytest.mark.slow
def test_code_for_another_processor_is_not_used(project: Chapters) -> None:
    project.run(RUN)
    assert project.run(RUN, environment={"NUMBA_CPU_NAME": "generic"}) == "8\ncompiled 2\n"
    assert project.run(RUN) == "8\ncompiled 0\n"
    (index,) = folders(project, FIRST)[0].glob("*.nbi")
    with index.open("rb") as file:
        pickle.load(file)  # the version
        _, entries = pickle.load(file)
    assert len(entries) == 2


def test_a_folder_that_cannot_be_written_is_no_harm(project: Chapters) -> None:
    (project.root.parent / "cache").write_text("a file where the folder would be")
    child = project.start(RUN)
    output, errors = child.communicate()
    assert output == "8\ncompiled 2\n"
    assert errors.count("Compiled code cannot be kept") == 1


def test_functions_of_a_chapter_that_is_gone_can_be_called(chapters: Project) -> None:
    chapters.write(FIRST, STEP)
    step = chapters.load(FIRST).step
    del sys.modules[f"{PACKAGE}.{FIRST}"]
    assert compiler.cache_folder(FIRST) is None
    assert step(3) == 4 and specialisations(step) == 1


@pytest.mark.parametrize("missing", [{"NUMBA_DISABLE_JIT": "1"}, {"PYTHONPATH": "broken"}])
def test_without_numba_functions_stay_plain_and_do_not_warn(
    project: Chapters, missing: dict[str, str]
) -> None:
    broken = project.root.parent / "broken" / "numba"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise OSError('libllvm.so cannot be loaded')")
    if "PYTHONPATH" in missing:
        missing = {"PYTHONPATH": os.pathsep.join([str(broken.parent), str(project.root)])}
    project.write(
        FIRST,
        f"import numpy as np\n{COMPILED}@compiled\n"
        "def step(number: np.uint64) -> np.uint64:\n    return number * np.uint64(2)\n",
    )
    run = (
        "import threading; import numpy as np; from utils.compiler import *\n"
        "from utils.compiler import is_compiling, is_compiled\n"
        f"from converted_notebooks.{FIRST} import step\n"
        "def show(): print(step(np.uint64(2**63)), is_compiling(), is_compiled(step))\n"
        "show(); thread = threading.Thread(target=show); thread.start(); thread.join()"
    )
    child = project.start(run, environment=missing)
    output, errors = child.communicate()
    assert (output, errors) == ("0 False False\n" * 2, "")


# --- In a running kernel


@pytest.fixture
def kernel(project: Chapters) -> Iterator[Kernel]:
    """A kernel without the course's extension."""
    with contextlib.closing(Kernel(project)) as kernel:
        yield kernel


def test_an_edit_reaches_the_callers_in_a_running_kernel(kernel: Kernel, project: Chapters) -> None:
    kernel.run(
        "%load_ext utils.notebook\n"
        f"from converted_notebooks.{SECOND} import twice, twice as double\n"
        f"from converted_notebooks.{FIRST} import step"
    )
    assert kernel.value("twice(3), double(3)") == (8, 8)
    project.write(FIRST, STEP.replace("+ 1", "+ 5"))
    assert kernel.value("twice(3), double(3)") == (16, 16)
    # What old and new code could have mixed in is not kept in a file.
    assert project.run(RUN) == "16\ncompiled 2\n"

    # A profile by lines has nothing to show, and says so.
    kernel.run("def outer(number):\n    return twice(number)")
    profile = kernel.run("%lprun -f twice result = twice(1)")
    assert profile.stdout.startswith("twice is compiled") and not profile.shown
    assert kernel.value("result") == 12
    profile = kernel.run("%lprun -f twice -f outer outer(1)")
    assert profile.stdout.startswith("twice is compiled")
    assert "return twice(number)" in profile.shown[0]["text/plain"]
    assert "@compiled" not in profile.shown[0]["text/plain"]
    profile = kernel.run("from utils.compiler import plain\n%lprun -f plain(twice) plain(twice)(1)")
    assert "2 * step(number)" in profile.shown[0]["text/plain"] and not profile.stdout


def test_callers_of_an_old_function_are_reported(kernel: Kernel, project: Chapters) -> None:
    kernel.run(
        f"import importlib, converted_notebooks.{FIRST} as first\n"
        f"from converted_notebooks.{SECOND} import twice"
    )
    assert kernel.value("twice(3)") == 8
    assert kernel.run("importlib.reload(first)").stderr == ""
    project.write(FIRST, STEP.replace("+ 1", "+ 5"))
    assert kernel.run("importlib.reload(first)").stderr == (
        f"Restart the kernel: compiled functions of {SECOND} (twice) still call the old `step`.\n"
    )
    assert kernel.value("first.step(3), twice(3)") == (8, 8)

    # The same with functions of cells.
    step, twice = STEP, TWICE.partition("\n")[2]
    shown = kernel.run(step), kernel.run(twice), kernel.run("before = twice(3)"), kernel.run(step)
    assert [outcome.stderr for outcome in shown] == [""] * 4
    assert kernel.run(step.replace("+ 1", "+ 5")).stderr == (
        "Run the cells of twice again: compiled, they still call the old `step`.\n"
    )
    assert kernel.run(twice).stderr == ""
    assert kernel.value("before, twice(3)") == (8, 16)
    assert kernel.run(step + twice).stderr == ""  # all in one cell
    assert kernel.value("twice(3)") == 8

    for cell in (step, twice, step.replace("+ 1", "+ 5")):  # nothing is compiled
        assert kernel.run(cell).stderr == ""

    # Three that call each other.
    last = twice.replace("step", "twice").replace("def twice", "def last")
    for cell in (step, twice, last, "before = last(3)"):
        assert kernel.run(cell).stderr == ""
    kernel.run(step.replace("+ 1", "+ 5"))
    assert kernel.run(twice).stderr == (
        "Run the cells of last again: compiled, they still call the old `twice`.\n"
    )
    assert kernel.run(last).stderr == "" and kernel.value("before, last(3)") == (16, 32)

    # One that a cell calls as a part of its module.
    through = "@compiled\ndef through(number):\n    return first.step(number)\n"
    kernel.run(f"{COMPILED}{through}before = through(3)")
    project.write(FIRST, STEP)
    assert kernel.run("importlib.reload(first)").stderr == (
        "Run the cells of through again: compiled, they still call the old `step`.\n"
    )
    kernel.run(f"{COMPILED}{through}")
    assert kernel.value("before, through(3)") == (8, 4)
    # The notebook's own `step` is another one.
    assert kernel.run(step.replace("+ 1", "+ 7")).stderr == (
        "Run the cells of twice again: compiled, they still call the old `step`.\n"
    )


def test_compiling_is_shown_in_a_notebook_and_loading_is_not(
    kernel: Kernel, project: Chapters
) -> None:
    first_call = (
        "from utils.compiler import compile_progress\n"
        f"from converted_notebooks.{SECOND} import twice\n"
        "with compile_progress():\n    print(twice(3))"
    )
    assert "compiling: 2 functions" in kernel.run(first_call).stderr
    assert kernel.run(first_call).stderr == ""
    with contextlib.closing(Kernel(project)) as second:
        outcome = second.run(first_call)
    assert (outcome.stdout, outcome.stderr) == ("8\n", "")
    assert project.run(first_call) == "8\n"


def test_a_notebook_without_numba_says_so_once(
    project: Chapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with contextlib.closing(Kernel(project)) as kernel:
        outcome = kernel.run(
            f"%load_ext utils.notebook\nfrom converted_notebooks.{SECOND} import twice\ntwice(3)"
        )
    assert outcome.result == "8" and outcome.stderr == ""
    assert outcome.stdout == (
        "Numba is not here (NUMBA_DISABLE_JIT is set): "
        "what it would compile runs hundreds of times slower.\n"
    )
