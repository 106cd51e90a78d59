"""Machine code for plain functions: `@compiled` hands a function to Numba.

Nothing is compiled on import: Numba compiles a function when it is first called, for the types
of the arguments, and keeps the result in a file for the next process. Where Numba is missing
or does not load, or `NUMBA_DISABLE_JIT=1` is set, a function stays what it is, and runs
hundreds of times slower.

Machine code contains copies: of the functions that it calls, and of the arrays and numbers that
it reads from its module. So the files of a chapter are in a folder whose name is a hash of all
that they depend on. A function that is defined in a notebook's cell has no file.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import inspect
import numbers
import os
import platform
import shutil
import subprocess
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from utils import prefetch
from utils.jupyter_loader import PACKAGE, ChapterLoader, changed_chapters
from utils.notebook.cell_sources import running_shell
from utils.paths import ROOT, user_cache

F = TypeVar("F", bound=Callable[..., Any])

FOLDERS_KEPT = 4
"""How many folders of compiled code a chapter has: for the latest versions of its sources."""

_latest: dict[tuple[str, str], Any] = {}
"""Every compiled function by its module and its name."""
_outdated: list[tuple[Any, str]] = []
"""Compiled functions, each with the name of a function that it calls and that was redefined."""
_stale = weakref.WeakSet[Any]()
"""Compiled functions whose machine code contains an old version of a function."""


def compiled(function: F) -> F:
    """Decorate a function that is to run as machine code: on its first call, Numba compiles it.

    It then runs without Python's global interpreter lock. Integers wrap around, a division by zero
    gives what NumPy gives, an index out of range is not noticed. The function must not make
    arrays, only write to those of its caller. So Numba need not count references to arrays
    (`_nrt=False`), which would cost a twentieth of a search's time.

    Raises:
        TypeError: it is a generator; Numba cannot load callers of compiled generators from files.
    """
    if inspect.isgeneratorfunction(function):
        raise TypeError(f"{function.__name__} is a generator; expected one that fills an array")
    numba = _numba()
    if numba is None:
        return function
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)
    for method in ("get_call_template", "fold_argument_types"):
        setattr(dispatcher, method, _without_values(getattr(dispatcher, method)))
    if str(function.__module__).startswith(f"{PACKAGE}."):  # None: it comes from no module
        dispatcher._cache = _FileCache(function)
    _note_outdated_callers(dispatcher)
    return dispatcher  # type: ignore[no-any-return]


def _without_values(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Let a method of a dispatcher see constants as their types.

    Otherwise Numba compiles `f(x, True)` and `f(x, False)` separately.
    """
    from numba.types import unliteral

    return lambda args, named: method(
        tuple(map(unliteral, args)), {name: unliteral(given) for name, given in named.items()}
    )


def is_compiling() -> bool:
    """Whether `compiled` compiles; if not, chapters search to smaller depths."""
    return _numba() is not None


def is_compiled(value: object) -> bool:
    """Whether this is a function that Numba has compiled, or will when it is called."""
    numba = sys.modules.get("numba")
    return numba is not None and bool(numba.extending.is_jitted(value))


def plain(function: F) -> F:
    """The Python function behind a compiled one: to step through, to compare with, to profile.

    The functions that it calls stay compiled. In Python, NumPy's integers warn when they wrap
    around: call it in `with np.errstate(over="ignore"):`.
    """
    return function.py_func if is_compiled(function) else function  # type: ignore[attr-defined]


def run_plain(code: str) -> str:
    """The output of Python code that runs in a new process, without Numba.

    Raises:
        subprocess.CalledProcessError: the code ends with an error.
    """
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return answer.stdout


def specialisations(function: Callable[..., Any]) -> int:
    """For how many combinations of types a function is compiled; 0 for a Python function."""
    return len(function.signatures) if is_compiled(function) else 0  # type: ignore[attr-defined]


@contextlib.contextmanager
def compile_progress() -> Iterator[None]:
    """In a notebook, show how many functions the block compiles; nothing if it compiles none."""
    if not is_compiling() or running_shell() is None:
        yield
        return
    from numba.core import event
    from tqdm import tqdm  # type: ignore[import-untyped]

    layout = "compiling: {n} functions, {elapsed_s:.0f} s"

    class Bar(event.Listener):  # type: ignore[misc]
        bar: Any = None

        def on_start(self, event: Any) -> None:
            if self.bar is None:
                self.bar = tqdm(bar_format=layout, leave=False, mininterval=0, file=sys.stderr)

        def on_end(self, event: Any) -> None:
            if event.data["dispatcher"] in _latest.values():  # not a part of Numba
                self.bar.update()

    bar = Bar()
    with event.install_listener("numba:compile", bar):
        try:
            yield
        finally:
            if bar.bar is not None:
                bar.bar.close()


@functools.cache
def _numba() -> Any:
    """The package; None if it is missing, does not load, or is switched off."""
    try:
        import numba

        problem = "NUMBA_DISABLE_JIT is set" if numba.config.DISABLE_JIT else ""
    except Exception as error:  # ImportError, or what its library of machine code raises
        problem = f"{type(error).__name__}: {error}"
    if not problem:
        prefetch.teach_numba()
        return numba
    # NumPy's integers wrap around on purpose. `seterr` holds for this thread only, the filter for
    # all.
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)
    with contextlib.suppress(ImportError):
        import numpy as np

        np.seterr(over="ignore")
    if running_shell() is not None:
        print(
            f"Numba is not here ({problem}): what it would compile runs hundreds of times slower."
        )
    return None


# --- Compiled code that is out of date


def _note_outdated_callers(dispatcher: Any) -> None:
    """Note the functions whose machine code contains an older function of this name."""
    key = _key(dispatcher)
    if key in _latest:
        code = dispatcher.py_func.__code__
        for caller in _latest.values():
            called = _called_by(caller) if caller.signatures and _key(caller) != key else ()
            older = [one for one in called if _key(one) == key]
            if any(one in _stale or one.py_func.__code__ != code for one in older):
                _outdated.append((caller, dispatcher.__name__))
                _stale.add(caller)
    _latest[key] = dispatcher
    shell = running_shell()
    if shell is not None:
        shell.events.register("post_run_cell", _report_outdated)  # a second time has no effect


def _called_by(caller: Any) -> Iterator[Any]:
    """The compiled functions that a function names, as `f` or as `module.f`."""
    steps = list(dis.get_instructions(caller.py_func))
    parts = {step.argval for step in steps if step.opname in ("LOAD_ATTR", "LOAD_METHOD")}
    for name in {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}:
        value = caller.py_func.__globals__.get(name)
        for part in parts if isinstance(value, ModuleType) else ():
            if is_compiled(getattr(value, part, None)):
                yield getattr(value, part)
        if is_compiled(value):
            yield value


def _key(function: Any) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def _report_outdated(_result: object = None) -> None:
    """Report functions that still call an old version, unless they were redefined as well."""
    found: dict[tuple[str, str], list[str]] = {}
    for caller, callee in _outdated:
        if _latest[_key(caller)] is caller:
            found.setdefault((caller.__module__, callee), []).append(caller.__name__)
    _outdated.clear()
    for (module, callee), callers in found.items():
        names = ", ".join(dict.fromkeys(callers))
        if module == "__main__":
            print(
                f"Run the cells of {names} again: compiled, they still call the old `{callee}`.",
                file=sys.stderr,
            )
        else:
            print(
                f"Restart the kernel: compiled functions of {module.rpartition('.')[2]} ({names}) "
                f"still call the old `{callee}`.",
                file=sys.stderr,
            )


# --- Files of compiled code


class _FileCache:
    """Numba's cache of one function of a chapter; its errors never make a call fail.

    Numba itself has a file for each combination of argument types and processor.
    """

    cache_path = None

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.files: Any = None

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled code; None if there is no file, or a damaged one."""
        self.files = _numba_cache(self.function)
        try:
            return self.files and self.files.load_overload(signature, context)
        except Exception:  # unpickling a damaged file can raise anything
            with contextlib.suppress(OSError):
                self.files.flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save compiled code if possible; Numba calls this after `load_overload`."""
        try:
            if self.files:
                self.files.save_overload(signature, result)
        except OSError:
            _warn_no_cache()

    def flush(self) -> None:
        """Do nothing: another source has another folder."""


def _numba_cache(function: Callable[..., Any]) -> Any:
    """Numba's own cache of a function, in the folder of its chapter; None without a folder."""
    from numba.core import caching

    try:
        folder = cache_folder(function.__module__.removeprefix(f"{PACKAGE}."))
        if folder is None:
            return None

        class Locator(caching.InTreeCacheLocator):  # type: ignore[misc]
            def get_cache_path(self) -> str:
                return str(folder)

            def get_source_stamp(self) -> str:
                return ""  # the folder's name identifies the source

        class Files(caching.CompileResultCacheImpl):  # type: ignore[misc]
            _locator_classes = [Locator]  # noqa: RUF012

        class Cache(caching.FunctionCache):  # type: ignore[misc]
            _impl_class = Files

        return Cache(function)
    except (OSError, RuntimeError):  # the second is Numba's, for a folder that it cannot write
        _warn_no_cache()
        return None


def cache_folder(chapter: str) -> Path | None:
    """The folder for compiled code of a chapter as this process has executed it, made if needed.

    It depends on the sources of the chapter and of all chapters behind it, on the arrays, numbers
    and compiled functions in them, on this module, and on the versions of Python, Numba and NumPy.

    Returns:
        None if old and new code may be mixed: a chapter was removed or executed again with another
        source, or a function from elsewhere has replaced one of a chapter.

    Raises:
        OSError: it cannot be made.
    """
    import numba
    import numpy as np

    versions = (platform.python_version(), numba.__version__, np.__version__)
    digest = hashlib.sha256(repr(versions).encode())
    for module in (__file__, prefetch.__file__):
        digest.update(Path(module).read_bytes())
    for name, loader in sorted(_chapters_behind(chapter).items()):
        if loader is None or name in changed_chapters:
            return None
        digest.update(loader.module.body.encode())
        for variable, value in sorted(vars(sys.modules[loader.name]).items()):
            parts = value if isinstance(value, tuple) else (value,)
            if isinstance(value, np.ndarray) and not value.dtype.hasobject:
                digest.update(repr((variable, value.dtype, value.shape)).encode())
                digest.update(value.tobytes())
            elif is_compiled(value):
                if not str(value.__module__).startswith(f"{PACKAGE}."):
                    return None  # a reader's function has replaced one of the chapter
                digest.update(repr((variable, _key(value))).encode())
            elif all(isinstance(part, numbers.Number) for part in parts):
                digest.update(repr((variable, value)).encode())
    folder = _cache_root() / chapter / digest.hexdigest()[:16]
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # another process removes them as well
            others = [path for path in folder.parent.iterdir() if path != folder]
            others.sort(key=lambda path: path.stat().st_mtime)
            for path in others[: 1 - FOLDERS_KEPT]:
                shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):  # removed by another process: Numba makes it again
        os.utime(folder)
    return folder


def _cache_root() -> Path:
    """The folder for compiled code: NUMBA_CACHE_DIR, or one among the user's caches."""
    import numba

    given = numba.config.CACHE_DIR
    return Path(given) if given else user_cache() / "compiled"


def _chapters_behind(chapter: str) -> dict[str, ChapterLoader | None]:
    """The loaders of a chapter and of those that it imports, directly or not, by name."""
    found: dict[str, ChapterLoader | None] = {}
    waiting = [chapter]
    while waiting:
        name = waiting.pop()
        if name not in found:
            loader = getattr(sys.modules.get(f"{PACKAGE}.{name}"), "__loader__", None)
            found[name] = loader if isinstance(loader, ChapterLoader) else None
            waiting += loader.module.chapters if isinstance(loader, ChapterLoader) else ()
    return found


@functools.cache
def _warn_no_cache() -> None:
    print(
        f"Compiled code cannot be kept in {_cache_root()}: each start compiles again.",
        file=sys.stderr,
    )
