"""What `%load_ext utils.notebook` does in a real kernel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

from tests.loader_tools import SECONDS, CopiedProject
from utils.paths import STYLE

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Outcome(NamedTuple):
    """What one cell printed and showed."""

    stdout: str
    stderr: str
    shown: list[dict[str, str]]
    result: str
    error: str


class Kernel:
    """A running kernel of a project."""

    def __init__(self, project: CopiedProject) -> None:
        self._manager: KernelManager
        self._client: BlockingKernelClient
        self._manager, self._client = start_new_kernel(
            startup_timeout=SECONDS,
            cwd=str(project.root),
            env=project.environment(IPYTHONDIR=str(project.root.parent / "ipython")),
        )

    def run(self, code: str, *, fails: bool = False) -> Outcome:
        """Execute a cell."""
        streams = {"stdout": "", "stderr": ""}
        shown: list[dict[str, str]] = []
        results: list[str] = []
        errors: list[str] = []

        def collect(message: dict[str, Any]) -> None:
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    streams[content["name"]] += content["text"]
                case "display_data":
                    shown.append(
                        {kind: COLOUR.sub("", str(data)) for kind, data in content["data"].items()}
                    )
                case "execute_result":
                    results.append(content["data"]["text/plain"])
                case "error":
                    errors.append(COLOUR.sub("", "\n".join(content["traceback"])))

        self._client.execute_interactive(code, output_hook=collect, timeout=SECONDS)
        assert bool(errors) is fails, errors
        return Outcome(**streams, shown=shown, result="".join(results), error="".join(errors))

    def value(self, expression: str) -> Any:
        """The value of an expression of literals; nothing may be printed or shown."""
        outcome = self.run(expression)
        assert (outcome.stdout, outcome.stderr, outcome.shown) == ("", "", [])
        return eval(outcome.result)

    def stop(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@pytest.fixture
def start_kernel(project: CopiedProject) -> Iterator[Callable[[], Kernel]]:
    """Starts kernels of the project, and ends them after the test."""
    kernels: list[Kernel] = []

    def start() -> Kernel:
        kernels.append(Kernel(project))
        return kernels[-1]

    yield start
    for kernel in kernels:
        kernel.stop()


@pytest.fixture
def kernel(start_kernel: Callable[[], Kernel]) -> Kernel:
    """A kernel in which the extension is loaded."""
    kernel = start_kernel()
    outcome = kernel.run("%load_ext utils.notebook")
    assert (outcome.stdout, outcome.stderr) == ("", "")
    return kernel


def test_the_extension_sets_a_notebook_up(
    start_kernel: Callable[[], Kernel], project: CopiedProject
) -> None:
    project.write("s08_evaluation", 'class Evaluator:\n    """Counts pawns."""\n\n    pawn = 100')
    project.write("s09_search", "def search(depth):\n    nodes = depth + 41\n    return nodes")
    kernel = start_kernel()

    [style] = kernel.run("%load_ext utils.notebook").shown
    assert STYLE.read_text(encoding="utf-8") in style["text/html"]

    kernel.run("from converted_notebooks.s08_evaluation import Evaluator")
    assert kernel.value("Evaluator.pawn") == 100
    assert kernel.value("'lprun' in get_ipython().magics_manager.magics['line']")
    reloader = "get_ipython().magics_manager.registry['AutoreloadMagics']._reloader"
    assert kernel.value(f"{reloader}.enabled, {reloader}.check_all") == (True, True)

    kernel.run("from converted_notebooks.s09_search import search")
    profile = kernel.run("%lprun -f search search(1)")
    [line] = [line for line in profile.shown[0]["text/plain"].splitlines() if "+ 41" in line]
    assert line.split()[1] == "1"
    assert line.endswith("    nodes = depth + 41")

    for code in ("Evaluator?", "?Evaluator", "%pinfo Evaluator"):
        [text] = kernel.run(code).shown
        assert "Counts pawns." in text["text/plain"]


def test_loading_and_reloading_the_extension_again_does_no_harm(
    kernel: Kernel, project: CopiedProject
) -> None:
    project.write("s01_x", "def f():\n    return 1")
    kernel.run("from converted_notebooks.s01_x import f")
    finders = "[type(finder).__name__ for finder in __import__('sys').meta_path]"
    callbacks = "len(get_ipython().events.callbacks['pre_run_cell'])"
    before = kernel.value(f"{finders}, {callbacks}")
    for code in ("%load_ext utils.notebook", "%reload_ext utils.notebook") * 2:
        assert kernel.run(code).stderr == ""
    assert kernel.value(f"{finders}, {callbacks}") == before
    project.write("s01_x", "def f():\n    return 2")
    assert kernel.value("f()") == 2
    project.write("s01_x", "def f(:")
    assert kernel.run("f()").stderr.count("s01_x.ipynb, cell 1, line 1") == 1


def test_edited_chapters_are_picked_up(kernel: Kernel, project: CopiedProject) -> None:
    def write_first(value: int, before: str = "A = 1") -> None:
        project.write(
            "s01_x",
            before,
            f"def f():\n    return {value}",
            f"class C:\n    def m(self):\n        return {value}",
        )

    write_first(1)
    project.write(
        "s02_y", "from converted_notebooks.s01_x import f", "def g():\n    return f() + 10"
    )
    kernel.run("import converted_notebooks.s01_x as x")
    kernel.run("from converted_notebooks.s01_x import f, C\nc = C()")
    kernel.run("from converted_notebooks.s02_y import g")
    everything = "f(), x.f(), c.m(), C().m(), x.C().m(), g()"
    for value in range(2, 5):
        write_first(value, "A = 1\n" * value)
        assert kernel.value(everything) == (*[value] * 5, value + 10)
    project.write(
        "s02_y", "from converted_notebooks.s01_x import f", "def g():\n    return f() + 50"
    )
    assert kernel.value("g()") == 54


def test_edited_code_shows_its_real_lines(kernel: Kernel, project: CopiedProject) -> None:
    project.write("s01_x", "def f(x):\n    return x")
    kernel.run("import inspect\nfrom converted_notebooks.s01_x import f")
    for number in range(1, 4):
        body = f"def f(x):\n    y = 1 / x + {number}\n    return y"
        project.write("s01_x", "# a comment\n" * number + "A = 1", body)
        assert kernel.value("inspect.getsource(f)") == f"{body}\n"
        assert f"y = 1 / x + {number}" in kernel.run("f(0)", fails=True).error
        profile = kernel.run("%lprun -f f f(1)").shown[0]["text/plain"]
        assert f"y = 1 / x + {number}" in profile


def test_new_functions_that_call_each_other_are_picked_up(
    kernel: Kernel, project: CopiedProject
) -> None:
    project.write("s01_x", "A = 1")
    kernel.run("import converted_notebooks.s01_x as x")
    kernel.value("x.A")
    project.write("s01_x", "A = 2", "def f():\n    return g()", "def g():\n    return A")
    assert kernel.value("x.f(), x.A") == (2, 2)


def test_a_chapter_that_breaks_gives_one_message_and_its_old_code_stays(
    kernel: Kernel, project: CopiedProject
) -> None:
    notebook = project.write("s01_x", "def f():\n    return 1")
    kernel.run("from converted_notebooks.s01_x import f")

    project.write("s01_x", "def f():\n    return 2", "print(f())")
    outcome = kernel.run("f()")
    assert outcome.result == "1"
    assert outcome.stdout == ""
    [message] = outcome.stderr.splitlines()
    assert "s01_x.ipynb, cell 2, line 1" in message
    assert "old code stays in use" in message
    assert kernel.value("f()") == 1

    project.write("s01_x", "def f():\n    return 3")
    assert kernel.value("f()") == 3

    project.write_bytes("s01_x", b"{")
    assert len(kernel.run("f()").stderr.splitlines()) == 1
    assert kernel.value("f()") == 3

    notebook.unlink()
    [message] = kernel.run("f()").stderr.splitlines()
    assert "no chapter 's01_x'" in message
    assert kernel.value("f()") == 3

    project.write("s01_x", "def f():\n    return 4")
    assert kernel.value("f()") == 4


def test_a_chapter_that_comes_to_raise_gives_one_message_and_its_old_code_stays(
    kernel: Kernel, project: CopiedProject
) -> None:
    project.write("s01_x", "def f():\n    return 1")
    kernel.run("from converted_notebooks.s01_x import f\nimport converted_notebooks.s01_x as x")
    for value in (2, 3):
        project.write("s01_x", f"def f():\n    return {value}", "A = 1 / 0")
        outcome = kernel.run("f(), x.f()")
        assert outcome.result == f"({value - 1}, {value - 1})"
        assert outcome.stderr.count("ZeroDivisionError") == 1
        assert "A = 1 / 0" in outcome.stderr
        assert kernel.value("f()") == value - 1
        project.write("s01_x", f"def f():\n    return {value}")
        assert kernel.value("f(), x.f()") == (value, value)


def test_saved_outputs_reload_nothing(kernel: Kernel, project: CopiedProject) -> None:
    project.write("s01_x", "A = [1]")
    kernel.run("from converted_notebooks import s01_x\nold = s01_x.A")
    notebook = project.notebooks / "s01_x.ipynb"
    project.write_bytes("s01_x", notebook.read_bytes().replace(b'"Python 3"', b'"Python"'))
    assert kernel.value("s01_x.A is old")


def test_the_extension_works_after_autoreload_was_loaded(
    start_kernel: Callable[[], Kernel], project: CopiedProject
) -> None:
    project.write("s01_x", "def f():\n    return 1")
    kernel = start_kernel()
    kernel.run("%load_ext autoreload\n%autoreload 2\n%load_ext utils.notebook")
    kernel.run("from converted_notebooks.s01_x import f")
    for value in (2, 3):
        project.write("s01_x", f"def f():\n    return {value}")
        assert kernel.value("f()") == value


def test_an_edit_reaches_every_running_kernel(
    start_kernel: Callable[[], Kernel], project: CopiedProject
) -> None:
    project.write("s01_x", "def f():\n    return 1")
    kernels = [start_kernel(), start_kernel()]
    for kernel in kernels:
        kernel.run("%load_ext utils.notebook\nfrom converted_notebooks.s01_x import f")
    for value in (2, 3):
        project.write("s01_x", f"def f():\n    return {value}")
        assert [kernel.value("f()") for kernel in kernels] == [value, value]


def test_a_profile_of_a_file_leaves_those_of_cells_alone(
    kernel: Kernel, project: CopiedProject
) -> None:
    project.write("s01_first", "def double(number):\n    return 2 * number\n")
    kernel.run("%load_ext utils.notebook")
    kernel.run("def triple(number):\n    return 3 * number")
    kernel.run("from converted_notebooks.s01_first import double")
    kernel.run("%lprun -f double double(1)")
    profile = kernel.run("%lprun -f triple triple(1)")
    assert "return 3 * number" in profile.shown[-1]["text/plain"]
