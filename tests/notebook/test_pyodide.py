"""What stands in for absent packages in a reader's browser."""

from __future__ import annotations

import asyncio
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from tests.notebook.browser import absent
from utils.notebook import pyodide as in_browser


def test_an_absent_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    with absent("numpy", monkeypatch):
        with pytest.raises(ModuleNotFoundError) as raised:
            __import__("numpy")
        assert (str(raised.value), raised.value.name) == (in_browser.ABSENT["numpy"], "numpy")
        with pytest.raises(ModuleNotFoundError, match="No module named 'nonsense'"):
            __import__("nonsense")
        finders = [*sys.meta_path]
        in_browser.explain_absent_packages()
        assert sys.meta_path == finders, "once is enough"


def test_a_chapter_that_needs_numpy_can_be_imported_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "converted_notebooks.s19_endgame_tables"
    __import__("converted_notebooks.s18_positional_evaluation")
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delitem(sys.modules, "utils.matches.workers", raising=False)
    finder = next(f for f in sys.meta_path if type(f).__name__ == "ChapterFinder")
    with absent("numpy", monkeypatch):
        sys.meta_path.insert(0, finder)
        __import__(name)
        module: Any = sys.modules.pop(name)
        assert not any(isinstance(m, in_browser.StandIn) for m in sys.modules.values())
        for use in (module.three_piece_tables, lambda: __import__("numpy"), module.np):
            with pytest.raises(ModuleNotFoundError, match="numpy is not in this site"):
                use()
        assert (module.np[int] | None) is (None | module.np) is module.np, "in an annotation"
    # Once numpy is there, the same module finds it.
    monkeypatch.undo()
    assert module.np.zeros(3).sum() == 0


def test_a_profile_is_replaced_by_its_statement(capsys: pytest.CaptureFixture[str]) -> None:
    class Shell:
        user_ns: ClassVar[dict[str, list[int]]] = {"found": []}

    profile = in_browser._no_profile(Shell())
    for line in ("-f list found.append(1)", "-f a.b -f c -u 1 found.append(2)", "found.append(3)"):
        profile(line)
    assert Shell.user_ns["found"] == [1, 2, 3]
    assert capsys.readouterr().out.count(in_browser.ABSENT["line_profiler"]) == 3


def test_what_follows_from_an_absent_package_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "nbformat")
    missing: set[str] = set()

    def told(error: str) -> str:
        name, _, words = error.partition(": ")
        results = {"ename": name, "evalue": words, "traceback": ["line 1", error]}
        return in_browser._explained(results, missing)

    unrelated = "NameError: name 'x' is not defined"
    assert told(unrelated) == f"line 1\n{unrelated}"
    sentence = in_browser.ABSENT["nbformat"]
    assert told(f"ModuleNotFoundError: {sentence}") == sentence
    follows = "This cell builds on an earlier one that could not run."
    for error in ("NameError: name 'made' is not defined", "AssertionError", "KeyError: 'made'"):
        assert told(error) == f"Missing: nbformat. {follows}"
    assert told("AttributeError: f") == "line 1\nAttributeError: f"
    error = "PackageNotFoundError: No package metadata was found for jupyterlab"
    assert told(error).startswith("jupyterlab is missing")
    assert (
        told("NameError: name 'red' is not defined") == f"Missing: jupyterlab, nbformat. {follows}"
    )
    monkeypatch.undo()  # the package has come
    missing.remove("jupyterlab")
    assert told(unrelated) == f"line 1\n{unrelated}"


def test_a_kernel_in_a_browser_fetches_plots_and_goes_on_after_an_expected_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched, metadata = list[str](), dict[str, list[str]]()
    failure = {"status": "error", "ename": "E", "evalue": "x", "traceback": ["1", "2"]}
    answers: dict[str, Any] = {"fail()": failure | {"payload": ["p"]}}

    async def fetch(code: str) -> None:
        fetched.append(code)

    async def run(code: str) -> Any:
        return answers.get(code, {"status": "ok"})

    bridge: Any = ModuleType("pyodide_js")
    bridge.loadPackagesFromImports = fetch
    monkeypatch.setitem(sys.modules, "pyodide_js", bridge)
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    parent = [{"metadata": metadata}]
    kernel = SimpleNamespace(run=run, get_parent=lambda: parent and parent[0])
    magics = list[str]()
    shell = SimpleNamespace(
        kernel=kernel, register_magic_function=lambda magic, kind, name: magics.append(name)
    )
    with warnings.catch_warnings():
        in_browser.set_up(shell)
        warnings.warn("tqdm:disabling monitor support", stacklevel=1)
    assert Path.cwd() == tmp_path.parent and magics == ["lprun"]

    def ran(code: str) -> Any:
        return asyncio.run(kernel.run(code))

    for code in ("x = 1", "axes = new_plot()", "plot_figure(axes)", "my_new_plots()"):
        assert ran(code) == {"status": "ok"}
    assert fetched == ["import matplotlib"] * 2
    monkeypatch.setitem(sys.modules, "matplotlib", bridge)
    assert ran("plot_figure(axes)") == {"status": "ok"} and len(fetched) == 2

    assert ran("fail()") == answers["fail()"]
    metadata["tags"] = ["hide-input"]
    assert ran("fail()") == answers["fail()"] and capsys.readouterr().err == ""
    metadata["tags"] += ["raises-exception"]
    assert ran("fail()") == {"status": "ok", "payload": ["p"]}
    assert capsys.readouterr().err == "1\n2\n"
    assert ran("x = 1") == {"status": "ok"}
    parent.clear()
    assert ran("fail()") == answers["fail()"]
