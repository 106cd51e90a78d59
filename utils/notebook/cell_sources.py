"""Keeps the source lines of a notebook's cells for line_profiler.

line_profiler clears `linecache` before it shows a function from a file. The lines of cells
are stored only there, so the next profile of a function in a cell would be an empty table.
"""

from __future__ import annotations

import linecache
import sys
from typing import Any

_kept: dict[str, Any] = {}


def running_shell() -> Any:
    """The notebook's shell; None in a program or a test."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def keep_cell_sources() -> None:
    """Keep the lines of the running notebook's cells; outside of a notebook do nothing."""
    shell = running_shell()
    if shell is not None:
        shell.events.register("post_run_cell", _keep)  # a second time has no effect


def _keep(_result: object) -> None:
    """Restore lines that were cleared; remember new ones. Only entries of cells have no time."""
    linecache.cache.update(_kept | linecache.cache)
    _kept.update({n: e for n, e in linecache.cache.items() if len(e) == 4 and e[1] is None})
