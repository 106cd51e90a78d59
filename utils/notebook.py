"""Set-up of a notebook in one line: `%load_ext utils.notebook`.

The extension installs the import hook for chapters, picks up edited chapters in
a running kernel, loads `%lprun`, lets profiles and help texts appear below
their cell, and applies the course's style sheet.
"""

from __future__ import annotations

import linecache
import logging
import sys
from collections.abc import Callable
from typing import Any

from IPython.core import page
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import HTML, display

from utils.jupyter_loader import Refresher, install_import_hook
from utils.paths import STYLE

_callbacks: dict[int, dict[str, Any]] = {}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Set the notebook up. IPython calls this; calling it again changes nothing."""
    finder = install_import_hook()
    if id(shell) not in _callbacks:
        refresher = Refresher(finder.loader)

        def refresh(_info: object = None) -> None:
            for problem in refresher.refresh():
                print(f"The chapter's old code stays in use. {problem}", file=sys.stderr)

        # First of all callbacks, hence called before autoreload looks at the files.
        shell.events.callbacks["pre_run_cell"].insert(0, refresh)
        keep = _keeper_of_cells()
        shell.events.register("post_run_cell", keep)
        _callbacks[id(shell)] = {"pre_run_cell": refresh, "post_run_cell": keep}
        manager = shell.extension_manager
        assert manager is not None
        manager.load_extension("autoreload")
        # Without --full, code that was edited twice is not updated everywhere, and tracebacks
        # and profiles of edited code show wrong lines.
        shell.run_line_magic("autoreload", "2 --full")
        logging.getLogger("autoreload").disabled = True  # it prints its messages as well
        manager.load_extension("line_profiler")
        # The pager's text never reaches the output of an executed notebook; this does.
        shell.set_hook("show_in_pager", page.as_hook(page.display_page), 0)
    display(HTML(f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>"))


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Stop picking up edited chapters. `%reload_ext` calls this before it sets up again."""
    for event, callback in _callbacks.pop(id(shell), {}).items():
        shell.events.unregister(event, callback)


def _keeper_of_cells() -> Callable[[object], None]:
    """Gives back the lines of cells that a profile of a file has made Python forget."""
    kept: dict[str, Any] = {}

    def keep(_result: object) -> None:
        for name, entry in kept.items():
            linecache.cache.setdefault(name, entry)
        # What comes from a file has a time of change; what comes from a cell has none.
        cells = {name: e for name, e in linecache.cache.items() if len(e) == 4 and e[1] is None}
        kept.update(cells)

    return keep
