"""Keeps the lines of a notebook's cells, which a profile of a file makes Python forget.

line_profiler empties the cache of source lines before it shows a function from a file.
The lines of cells are nowhere else, so that the next profile of a cell's function would
be an empty table.
"""

from __future__ import annotations

import linecache
import sys
from typing import Any

_watched: set[int] = set()


def keep_cell_sources() -> None:
    """Watches over the cells of the running notebook; does nothing outside of one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or id(shell) in _watched:
        return
    _watched.add(id(shell))
    kept: dict[str, Any] = {}

    def keep(_result: object) -> None:
        for name, entry in kept.items():
            linecache.cache.setdefault(name, entry)
        # What comes from a file has a time of change; what comes from a cell has none.
        kept.update(
            (name, entry)
            for name, entry in linecache.cache.items()
            if len(entry) == 4 and entry[1] is None
        )

    shell.events.register("post_run_cell", keep)
