"""The course in a reader's browser, where Python runs on Pyodide.

There are no threads and no processes there, and packages that are not pure Python must have
been built for it. The site brings what the chapters need, but for two: matplotlib and
numpy come from Pyodide's own server when a cell wants them. Without a network such a cell
says so, and what does not need them goes on. On other machines nothing here does anything.
"""

from __future__ import annotations

import importlib
import os
import re
import symtable
import sys
import warnings
from collections.abc import Awaitable, Callable, Container, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

HERE = sys.platform == "emscripten"
"""Whether this is Python in a browser."""

_FETCHED = (
    "{0} is not in this site: it comes from Pyodide's server, and that was not reached. "
    "With a network, run the cell again. The book shows what the cell would show."
)
ABSENT = {
    "numpy": _FETCHED.format("numpy"),
    "matplotlib": _FETCHED.format("matplotlib"),
    "nbclient": "nbclient is missing, which runs notebooks. On your own computer the cell works.",
    "nbformat": "nbformat is missing, which writes notebooks. On your own computer the cell works.",
    "line_profiler": "Profiles line by line need line_profiler, which no browser can run. "
    "The book shows this one; on your own computer the cell works.",
}
"""Packages that a browser may lack, each with what to tell the reader."""
_PROFILED = re.compile(r"\s*(?:-[fmDTu]\s+\S+\s+|-[rsz]\s+)*(.*)")
_NO_VERSION = re.compile(r"No package metadata was found for (\S+)")
_PLOTS = re.compile(r"\b(new_plot|plot_figure)\b")


class _Missing:
    """An attribute of a package that is not there: good for annotations only."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __getattr__(self, name: str) -> _Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _key: object) -> _Missing:
        return self

    def __or__(self, _other: object) -> _Missing:
        return self

    __ror__ = __or__

    def __call__(self, *_arguments: object, **_options: object) -> Any:
        raise ModuleNotFoundError(ABSENT[self._package], name=self._package)


class StandIn(ModuleType):
    """Takes the place of an absent package in a chapter's module.

    The module can be imported, and so can the chapters that build on it. Code that uses
    the package finds it if it has come in the meantime; otherwise it gets a clear error.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        there = importlib.import_module(self.__name__)
        return _Missing(_top(self.__name__)) if there is self else getattr(there, name)


class _StandInLoader(Loader):
    """Makes stand-ins."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A stand-in of the name."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is to be done."""


class AbsentFinder(MetaPathFinder):
    """The last finder: it is asked for what no other one has found."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A stand-in if a chapter is being imported; None for what is not in `ABSENT`.

        Raises:
            ModuleNotFoundError: with the sentence for the reader, everywhere else.
        """
        from utils.jupyter_loader import is_importing

        package = _top(fullname)
        if package not in ABSENT:
            return None
        if is_importing():
            return ModuleSpec(fullname, _StandInLoader(), is_package=True)
        raise ModuleNotFoundError(ABSENT[package], name=fullname)


def explain_what_is_absent() -> None:
    """Give imports of absent packages a clear error. Calling it again changes nothing."""
    if not any(isinstance(finder, AbsentFinder) for finder in sys.meta_path):
        sys.meta_path.append(AbsentFinder())


def forget_stand_ins() -> None:
    """Take stand-ins out of the list of modules; the chapters that have them keep them."""
    if HERE:
        for name in [name for name, module in sys.modules.items() if isinstance(module, StandIn)]:
            del sys.modules[name]


def set_up(shell: Any) -> None:
    """Prepare a notebook in the browser. `utils.notebook.extension` calls this.

    Args:
        shell: the IPython shell of the Pyodide kernel.
    """
    explain_what_is_absent()
    # The kernel starts in a folder of the page, and Python would look for modules there first:
    # through the page, which answers slowly.
    os.chdir(os.environ.get("HOME", "/"))
    # Without threads tqdm looks at nothing in the background, and warns of that.
    warnings.filterwarnings("ignore", message="tqdm:disabling monitor support")
    shell.register_magic_function(_no_profile(shell), "line", "lprun")
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        kernel.run = _patient(kernel, kernel.run)


def _no_profile(shell: Any) -> Callable[[str], None]:
    """`%lprun` where it cannot work: it only runs the statement."""

    def lprun(line: str) -> None:
        match = _PROFILED.fullmatch(line)
        assert match is not None
        exec(match[1], shell.user_ns)
        print(ABSENT["line_profiler"])

    return lprun


def _patient(kernel: Any, run: Callable[[str], Awaitable[Any]]) -> Callable[[str], Awaitable[Any]]:
    """The kernel's way to run a cell, made to fit chapters in a browser.

    The kernel fetches what a cell imports before it runs the cell. Plots need matplotlib
    although their cells do not import it. And JupyterLite drops all waiting cells when one
    fails, even if the cell is tagged `raises-exception`; so the error of such a cell is
    shown as a text.
    """
    fetch = importlib.import_module("pyodide_js").loadPackagesFromImports
    waiting: dict[str, set[str]] = {}

    async def run_cell(code: str) -> Any:
        if _PLOTS.search(code) and "matplotlib" not in sys.modules:
            await fetch("import matplotlib")
        results = await run(code)
        shell = kernel.interpreter
        told = _explained(shell.transform_cell(code), results, shell.user_ns, waiting)
        if results["status"] == "error" and "raises-exception" in _tags(kernel):
            print(told, file=sys.stderr)
            return {"status": "ok", "payload": results["payload"]}
        return results

    return run_cell


def _explained(code: str, results: Any, names: Container[str], waiting: dict[str, set[str]]) -> str:
    """What to tell of a cell if it failed: in one line if packages are missing.

    Args:
        code: of the cell, in plain Python.
        results: what the kernel has to say.
        names: those that the notebook has now.
        waiting: which packages each name waits for, from one cell to the next: those that its
            cell needs, or the names that its cell uses. This cell's names are entered.
    """
    bound, used = _names(code, names)

    def waited(names: set[str]) -> set[str]:
        return {p for name in names for p in waiting.get(name, ()) if p not in sys.modules}

    packages = waited(used - bound) or waited(used)
    sentence = str(results.get("evalue"))
    needed = {package for package, text in ABSENT.items() if text == sentence}
    if match := _NO_VERSION.fullmatch(sentence):
        needed = {match[1]}
        sentence = f"{match[1]} is missing: it has no part in this site."
    elif packages and not needed:
        missing = ", ".join(sorted(packages))
        sentence = f"Missing: {missing}. This cell builds on an earlier one that could not run."
    elif not needed:
        sentence = "\n".join(results.get("traceback", ()))
    for name in bound:
        waiting[name] = packages | needed
    return sentence


def _names(code: str, there: Container[str]) -> tuple[set[str], set[str]]:
    """The names of a notebook that a cell binds, without imports that came, and those it uses."""
    try:
        top = symtable.symtable(code, "<cell>", "exec")
    except SyntaxError:
        return set(), set()
    bound, used, scopes = set[str](), set[str](), [top]
    for symbol in top.get_symbols():
        name = symbol.get_name()
        if symbol.is_assigned() or (symbol.is_imported() and name not in there):
            bound.add(name)
    for scope in scopes:
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            if symbol.is_referenced() and (scope is top or symbol.is_global()):
                used.add(symbol.get_name())
    return bound, used


def _tags(kernel: Any) -> Sequence[str]:
    """The tags of the cell that runs."""
    message = kernel._parent_header
    tags: Sequence[str] = message.get("metadata", {}).get("tags", ()) if message else ()
    return tags


def _top(name: str) -> str:
    return name.partition(".")[0]
