"""A process that has no more packages than a reader's browser."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from utils.notebook import pyodide as in_browser


@contextlib.contextmanager
def absent(package: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a browser: a package is not there, and the last finder explains that."""

    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(in_browser, "IN_BROWSER", True)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    real = [f for f in sys.meta_path if hasattr(f, "find_spec")]

    def hide(finder: Any) -> Any:
        def find_spec(name: str, *rest: Any) -> Any:
            return None if name.partition(".")[0] == package else finder.find_spec(name, *rest)

        return type("Hiding", (), {"find_spec": staticmethod(find_spec)})

    sys.meta_path[:] = [hide(finder) for finder in real]
    in_browser.explain_absent_packages()
    yield
