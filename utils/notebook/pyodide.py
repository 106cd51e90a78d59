"""The course in a reader's browser, where Python runs on Pyodide.

Pyodide has no threads and no processes, and packages that are not pure Python must have been
built for it. The site contains all packages that the chapters need except matplotlib and numpy,
which come from Pyodide's own server when a cell imports them. Without a network such a cell
says so, and cells that do not need them still work. Outside of Pyodide these functions do nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import warnings
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from utils.paths import IN_BROWSER

_FETCHED = (
    "{0} is not in this site: it comes from Pyodide's server, and that was not reached. "
    "With a network, run the cell again. The book shows what the cell would show."
)
ABSENT = {
    "numpy": _FETCHED.format("numpy"),
    "matplotlib": _FETCHED.format("matplotlib"),
    "nbformat": "nbformat is missing, which writes notebooks. On your own computer the cell works.",
    "line_profiler": "Profiles line by line need line_profiler, which no browser can run. "
    "The book shows this one; on your own computer the cell works.",
}
"""Packages that a browser may lack, each with the message for the reader."""
_PROFILED = re.compile(r"\s*(?:-[fmDTu]\s+\S+\s+|-[rsz]\s+)*(.*)")
_NO_VERSION = re.compile(r"No package metadata was found for (\S+)")
_PLOTS = re.compile(r"\b(new_plot|plot_figure)\b")


class StandIn(ModuleType):
    """Takes the place of an absent package in a chapter's module, and of all names in it.

    So the chapter can be imported, and annotations may use the package. Code that runs later gets
    the real package if it has been fetched in the meantime; otherwise a clear error.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        package = importlib.import_module(self.__name__)
        return self if isinstance(package, StandIn) else getattr(package, name)

    def __getitem__(self, _key: object) -> StandIn:
        return self

    __or__ = __ror__ = __getitem__

    def __call__(self, *_arguments: object, **_options: object) -> Any:
        """Raise a ModuleNotFoundError with the message for the reader."""
        raise _absent_package(self.__name__)


class AbsentPackages(MetaPathFinder, Loader):
    """The last finder of `sys.meta_path`: Python asks it for modules that no other one has."""

    def __init__(self) -> None:
        self.chapters = 0
        """How many nested imports of chapters are under way."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A stand-in if a chapter is being imported; None for what is not in `ABSENT`.

        Raises:
            ModuleNotFoundError: an import elsewhere; with the message for the reader.
        """
        if _top(fullname) not in ABSENT:
            return None
        if self.chapters:
            return ModuleSpec(fullname, self, is_package=True)
        raise _absent_package(fullname)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A stand-in for the package."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in has no code."""


_absent_packages = AbsentPackages()


def explain_absent_packages() -> None:
    """Give imports of absent packages a clear error. Calling it again changes nothing."""
    if _absent_packages not in sys.meta_path:
        sys.meta_path.append(_absent_packages)


@contextlib.contextmanager
def stand_ins() -> Iterator[None]:
    """While a chapter is imported in a browser, stand-ins take the place of absent packages.

    Afterwards they are not in the list of modules; the chapters that have them keep them.
    """
    if not IN_BROWSER:
        yield
        return
    _absent_packages.chapters += 1
    try:
        yield
    finally:
        _absent_packages.chapters -= 1
        for name, module in list(sys.modules.items()):
            if isinstance(module, StandIn):
                del sys.modules[name]


def set_up(shell: Any) -> None:
    """Prepare a notebook in the browser. `%load_ext utils.notebook` calls this.

    Args:
        shell: the IPython shell of the Pyodide kernel.
    """
    # Python looks for modules in the current folder first. The kernel starts in one that is slow,
    # because each access goes through the page.
    os.chdir(os.environ.get("HOME", "/"))
    # tqdm warns that it cannot start its monitor thread.
    warnings.filterwarnings("ignore", message="tqdm:disabling monitor support")
    shell.register_magic_function(_no_profile(shell), "line", "lprun")
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        kernel.run = _adapted(kernel, kernel.run)


def profiled_statement(line: str) -> str:
    """The statement that `%lprun` is to run: its line without the options."""
    match = _PROFILED.fullmatch(line)
    assert match is not None
    return match[1]


def _no_profile(shell: Any) -> Callable[[str], None]:
    """`%lprun` where it cannot work: it only runs the statement."""

    def lprun(line: str) -> None:
        exec(profiled_statement(line), shell.user_ns)
        print(ABSENT["line_profiler"])

    return lprun


def _adapted(kernel: Any, run: Callable[[str], Awaitable[Any]]) -> Callable[[str], Awaitable[Any]]:
    """The kernel's function that runs a cell, adapted to chapters in a browser.

    The kernel fetches the packages that a cell imports before it runs the cell. Plots need
    matplotlib although their cells do not import it, so it is fetched for them. And JupyterLite
    drops all waiting cells when one fails, even if that cell is tagged `raises-exception`; so the
    error of such a cell is printed instead.
    """
    fetch = importlib.import_module("pyodide_js").loadPackagesFromImports
    missing: set[str] = set()

    async def run_cell(code: str) -> Any:
        if _PLOTS.search(code) and "matplotlib" not in sys.modules:
            await fetch("import matplotlib")
        results = await run(code)
        if results["status"] == "error" and "raises-exception" in _tags(kernel):
            print(_explained(results, missing), file=sys.stderr)
            return {"status": "ok", "payload": results["payload"]}
        return results

    return run_cell


def _explained(results: Any, missing: set[str]) -> str:
    """The message for a cell that failed: one line if missing packages are the reason.

    Args:
        results: the reply of the kernel.
        missing: packages that cells of this notebook could not import; one of this cell is added.
            If there are any, they count as the reason for undefined names and failed checks.
    """
    sentence = str(results["evalue"])
    missing.difference_update(sys.modules)  # fetched since
    missing.update(package for package, text in ABSENT.items() if text == sentence)
    if sentence in ABSENT.values():
        return sentence
    if match := _NO_VERSION.fullmatch(sentence):
        missing.add(match[1])
        return f"{match[1]} is missing: it is not part of this site."
    # `ename` is a text such as "<class 'NameError'>". A check fails, too, if the cell that it
    # checks could not run.
    if missing and re.search("(Name|Assertion|Key)Error", str(results["ename"])):
        names = ", ".join(sorted(missing))
        return f"Missing: {names}. This cell builds on an earlier one that could not run."
    return "\n".join(results["traceback"])


def _tags(kernel: Any) -> Sequence[str]:
    """The tags of the cell that is running."""
    message = kernel.get_parent()
    tags: Sequence[str] = message.get("metadata", {}).get("tags", ()) if message else ()
    return tags


def _top(name: str) -> str:
    return name.partition(".")[0]


def _absent_package(name: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(ABSENT[_top(name)], name=name)
