"""Keeps the lines of a notebook's cells, which a profile of a file makes Python forget.

line_profiler empties the cache of source lines before it shows a function from a file.
The lines of cells are nowhere else, so that the next profile of a cell's function would
be an empty table.
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
        shell.events.register("post_run_cell", _keep)  # which takes each function once


def _keep(_result: object) -> None:
    linecache.cache.update(_kept | linecache.cache)
    # What comes from a file has a time of change; what comes from a cell has none.
    _kept.update({n: e for n, e in linecache.cache.items() if len(e) == 4 and e[1] is None})
