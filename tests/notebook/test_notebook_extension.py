"""What `%load_ext utils.notebook` does in a real kernel."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.loader_tools import CopiedProject
from tests.notebook.kernels import Kernel
from utils.paths import STYLE

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> CopiedProject:
    return CopiedProject(tmp_path_factory.mktemp("kernels") / "course")


@pytest.fixture(scope="module")
def start(project: CopiedProject) -> Iterator[Callable[[str], Kernel]]:
    """Starts kernels, with a first cell that says nothing."""
    kernels: list[Kernel] = []

    def started(code: str) -> Kernel:
        kernels.append(Kernel(project))
        outcome = kernels[-1].run(code)
        assert (outcome.stdout, outcome.stderr) == ("", "")
        return kernels[-1]

    yield started
    for kernel in kernels:
        kernel.close()


@pytest.fixture(scope="module")
def kernel(start: Callable[[str], Kernel]) -> Kernel:
    """The kernel that all tests share."""
    return start("%load_ext utils.notebook")


@pytest.fixture
def first(project: CopiedProject) -> str:
    """A name for a chapter, of this test alone; `second` is another."""
    return f"s{next(NUMBERS):02}_x"


second = first


def test_the_extension_sets_a_notebook_up(
    kernel: Kernel, project: CopiedProject, first: str
) -> None:
    project.write(
        first,
        'class Evaluator:\n    """Counts pawns."""',
        "def search(depth):\n    nodes = depth + 41\n    return nodes",
    )
    [style] = kernel.run("%load_ext utils.notebook\n%reload_ext utils.notebook").shown
    assert STYLE.read_text(encoding="utf-8") in style["text/html"]
    kernel.run(f"from converted_notebooks.{first} import Evaluator, search")
    reloader = "get_ipython().magics_manager.registry['AutoreloadMagics']._reloader"
    assert kernel.value(f"{reloader}.enabled, {reloader}.check_all") == (True, True)
    for code in ("Evaluator?", "?Evaluator", "%pinfo Evaluator"):
        [text] = kernel.run(code).shown
        assert "Counts pawns." in text["text/plain"]

    # A profile of a file leaves those of cells alone.
    kernel.run("def triple(number):\n    return 3 * number")
    profile = kernel.run("%lprun -f search search(1)")
    [line] = [line for line in profile.shown[0]["text/plain"].splitlines() if "+ 41" in line]
    assert line.split()[1] == "1"
    assert line.endswith("    nodes = depth + 41")
    profile = kernel.run("%lprun -f triple triple(1)")
    assert "return 3 * number" in profile.shown[-1]["text/plain"]


def test_profiles_of_cells_stay_in_a_notebook_that_converts_the_chapters_itself(
    start: Callable[[str], Kernel], tmp_path: Path
) -> None:
    convert = f"JupyterLoader({str(tmp_path)!r}, {str(tmp_path)!r}).load_all()"
    kernel = start(f"from utils.jupyter_loader import JupyterLoader\n{convert}")
    kernel.run("import shlex\n%load_ext line_profiler")
    kernel.run("def triple(number):\n    return 3 * number")
    profile = tmp_path / "profile.txt"
    for name in ("shlex.quote", "triple"):
        kernel.run(f"%lprun -T {profile} -f {name} {name}('a')")
    assert "return 3 * number" in profile.read_text(encoding="utf-8")


def test_loading_and_reloading_the_extension_again_does_no_harm(
    kernel: Kernel, project: CopiedProject, first: str
) -> None:
    project.write(first, "def f():\n    return 1")
    kernel.run(f"from converted_notebooks.{first} import f")
    finders = "[type(finder).__name__ for finder in __import__('sys').meta_path]"
    callbacks = "[len(calls) for calls in get_ipython().events.callbacks.values()]"
    wrapped = "get_ipython().find_line_magic('lprun').__wrapped__.__module__"
    before = kernel.value(f"{finders}, {callbacks}, {wrapped}")
    for code in ("%load_ext utils.notebook", "%reload_ext utils.notebook") * 2:
        assert kernel.run(code).stderr == ""
    assert kernel.value(f"{finders}, {callbacks}, {wrapped}") == before
    project.write(first, "def f():\n    return 2")
    assert kernel.value("f()") == 2
    project.write(first, "def f(:")
    assert kernel.run("f()").stderr.count(f"{first}.ipynb, cell 1, line 1") == 1
    project.write(first, "def f():\n    return 3")
    assert kernel.value("f()") == 3


def test_edited_chapters_are_picked_up_by_every_kernel(
    start: Callable[[str], Kernel], kernel: Kernel, project: CopiedProject
) -> None:
    # The second of the two imports the first, which Python therefore begins to import later.
    first, second = f"s{next(NUMBERS):02}_x", f"s{next(NUMBERS):02}_y"
    # In the second kernel, the reader has loaded IPython's own reloader before.
    kernels = [kernel, start("%load_ext autoreload\n%autoreload 2\n%load_ext utils.notebook")]

    def write(value: int) -> None:
        body = f"class C:\n    def m(self):\n        return {value}"
        lines = ["# a comment\n" * value, f"A = {value}", f"def f():\n    return {value}", body]
        project.write(first, *lines)

    write(1)
    inherited = "class D(C):\n    pass\n\nd = D()\n\ndef g():\n    return f() + 10, A, C()"
    project.write(second, f"from converted_notebooks.{first} import *", inherited)
    setup = (
        f"import pickle, converted_notebooks.{second} as y\n"
        f"from converted_notebooks.{second} import D, g\n"
        f"from converted_notebooks.{first} import A, C, f, C as E\n"
        f"import converted_notebooks.{first} as x\n"
        "c, d, own, old = C(), D(), 1, E.m\n"
        "class Own(C): pass\nme = Own()"
    )
    numbers = "A, f(), x.f(), c.m(), C().m(), E().m(), x.C().m(), d.m(), y.D().m(), me.m(), old(c)"
    kinds = (
        "isinstance(c, C), isinstance(d, C), isinstance(D(), E), isinstance(C(), x.C),"
        " isinstance(g()[2], C), isinstance(y.d, D), issubclass(y.D, C), own is 1,"
        " type(pickle.loads(pickle.dumps(c))) is C, type(pickle.loads(pickle.dumps(d))) is D"
    )
    for each in kernels:
        each.run(f"import warnings\nwarnings.simplefilter('ignore')\n{setup}")
    for value in range(2, 5):
        write(value)
        for each in kernels:
            assert each.value(numbers) == (value,) * 11
            assert each.value(kinds) == (True,) * 10
            assert each.value("g()[:2]") == (value + 10, value)
    project.write(second, f"from converted_notebooks.{first} import f", "def g():\n    return f()")
    assert [each.value("g()") for each in kernels] == [4, 4]
    # A name that the reader has bound to something else since is the reader's.
    kernels[1].run("f = A = 'mine'")
    write(7)
    assert kernels[1].value("f, A, g()") == ("mine", "mine", 7)


def test_edited_code_shows_its_real_lines(
    kernel: Kernel, project: CopiedProject, first: str
) -> None:
    project.write(first, "def f(x):\n    return x")
    kernel.run(f"import inspect\nfrom converted_notebooks.{first} import f")
    for number in range(1, 4):
        body = f"def f(x):\n    y = 1 / x + {number}\n    return y"
        project.write(first, "# a comment\n" * number + "A = 1", body)
        assert kernel.value("inspect.getsource(f)") == f"{body}\n"
        assert f"y = 1 / x + {number}" in kernel.run("f(0)", fails=True).error
        profile = kernel.run("%lprun -f f f(1)").shown[0]["text/plain"]
        assert f"y = 1 / x + {number}" in profile


def test_new_functions_that_call_each_other_are_picked_up(
    kernel: Kernel, project: CopiedProject, first: str
) -> None:
    project.write(first, "A = 1")
    kernel.run(f"import converted_notebooks.{first} as x")
    kernel.value("x.A")
    project.write(first, "A = 2", "def f():\n    return g()", "def g():\n    return A")
    assert kernel.value("x.f(), x.A") == (2, 2)


def test_a_chapter_that_breaks_gives_one_message_and_its_old_code_stays(
    kernel: Kernel, project: CopiedProject, first: str, second: str
) -> None:
    notebook = project.write(first, "def f():\n    return 1")
    project.write(second, f"from converted_notebooks.{first} import f")
    kernel.run(
        f"from converted_notebooks.{first} import f\nimport converted_notebooks.{first} as x"
    )
    kernel.run(f"import converted_notebooks.{second}")
    faults: list[tuple[str, Callable[[], object]]] = [
        ("cell 2, line 1", lambda: project.write(first, "A = 1", "print(f())")),
        ("JSONDecodeError", lambda: project.write_bytes(first, b"{")),
        (f"no chapter '{first}'", notebook.unlink),
        ("in a circle", lambda: project.write(first, f"from .{second} import f")),
        ("A = 1 / 0", lambda: project.write(first, "def f():\n    return 0", "A = 1 / 0")),
    ]
    for value, (message, damage) in enumerate(faults, start=1):
        damage()
        outcome = kernel.run("f(), x.f()")
        assert (outcome.result, outcome.stdout) == (f"({value}, {value})", "")
        assert outcome.stderr.count("old code stays in use") == 1 and message in outcome.stderr
        assert message == "A = 1 / 0" or outcome.stderr.count("\n") == 1  # it has a traceback
        assert kernel.value("f(), x.f()") == (value, value)
        project.write(first, f"def f():\n    return {value + 1}")
        assert kernel.value("f(), x.f()") == (value + 1, value + 1)


def test_a_module_of_the_reader_s_own_that_breaks_gives_one_message(
    kernel: Kernel, project: CopiedProject
) -> None:
    path = project.root / "mine.py"
    for second, text in enumerate(("A = 1", "A = 2", "A = (", "A = 4"), 10**9):
        path.write_text(text, encoding="utf-8")
        os.utime(path, (second, second))
        shown = kernel.run("import mine; mine.A")
        assert shown.stderr.count("SyntaxError: ") == (text == "A = (")
        assert shown.result == ("2" if text == "A = (" else text[-1])


def test_a_chapter_that_broke_gets_what_it_has_missed(
    kernel: Kernel, project: CopiedProject, first: str, second: str
) -> None:
    good = f"from converted_notebooks.{first} import A"
    project.write(first, "A = 1")
    project.write(second, good)
    kernel.run(f"import converted_notebooks.{second} as y")
    project.write(first, "A = 2")
    project.write(second, good, "1 / 0")
    assert kernel.run("y.A").result == "1"
    project.write(second, good)
    assert kernel.value("y.A") == 2


def test_an_interrupted_reload_leaves_the_old_code_and_is_done_again(
    kernel: Kernel, project: CopiedProject, first: str
) -> None:
    stops = (
        "import builtins\ndef look():\n    if vars(builtins).pop('stop', False):\n"
        "        raise KeyboardInterrupt\nC = look()"
    )
    project.write(first, "A = 1\nB = 1")
    kernel.run(f"import builtins, converted_notebooks.{first} as x")
    kernel.run("builtins.stop = True")
    project.write(first, "A = 2", stops, "B = 2")
    assert kernel.run("x.A, x.B", fails=True).result == "(1, 1)"
    assert kernel.value("x.A, x.B") == (2, 2)


def test_saved_outputs_reload_nothing(kernel: Kernel, project: CopiedProject, first: str) -> None:
    notebook = project.write(first, "A = [1]")
    kernel.run(f"from converted_notebooks import {first} as x\nold = x.A")
    project.write_bytes(first, notebook.read_bytes().replace(b'"Python 3"', b'"Python"'))
    assert kernel.value("x.A is old")


def test_what_utils_took_from_a_chapter_is_new_as_well(
    kernel: Kernel, project: CopiedProject, first: str
) -> None:
    project.write(first, "A = [1]")
    take = f"import utils.paths\nfrom converted_notebooks.{first} import A\nutils.paths.A = A"
    kernel.run(take)
    project.write(first, "A = [2]")
    assert kernel.value("utils.paths.A") == [2]


def test_a_module_that_cannot_be_written_holds_up_no_other(
    kernel: Kernel, project: CopiedProject, first: str, second: str
) -> None:
    for name in (first, second):
        project.write(name, "A = 1")
    kernel.run(f"import converted_notebooks.{first} as x, converted_notebooks.{second} as y")
    assert kernel.value("x.A, y.A") == (1, 1)
    project.module(first).unlink()
    project.module(first).mkdir()
    for name in (first, second):
        project.write(name, "A = 2")
    outcome = kernel.run("x.A, y.A")
    project.module(first).rmdir()
    assert outcome.result == "(1, 2)" and "Traceback" not in outcome.stderr
    assert outcome.stderr.count("cannot write the module") == 1
    project.write(first, "A = 3")
    assert kernel.value("x.A") == 3
