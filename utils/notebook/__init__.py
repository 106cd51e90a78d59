"""What a notebook of the course needs: `%load_ext utils.notebook` sets it up in one line.

The extension installs the import hook for chapters, reloads edited chapters in
a running kernel, loads `%lprun`, lets profiles and help texts appear below
their cell, and applies the course's style sheet.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the loader imports parts of this package, and does without IPython
    from IPython.core.interactiveshell import InteractiveShell

    from utils.notebook.reloading import Reloader

_reloaders: dict[int, Reloader] = {}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Set up a notebook. IPython calls this, once in a kernel."""
    from IPython.core import page
    from IPython.display import HTML, display

    from utils.jupyter_loader import install_import_hook
    from utils.notebook import pyodide
    from utils.notebook.cell_sources import keep_cell_sources
    from utils.notebook.profile_table import explain_compiled, show_in_pager
    from utils.notebook.reloading import Reloader
    from utils.paths import IN_BROWSER, STYLE

    finder = install_import_hook()
    keep_cell_sources()
    manager = shell.extension_manager
    assert manager is not None
    manager.load_extension("autoreload")
    # Without --full, code that was edited twice is not updated everywhere, and tracebacks
    # and profiles of edited code show wrong lines.
    shell.run_line_magic("autoreload", "2 --full")
    logging.getLogger("autoreload").disabled = True  # it also prints each message
    reloader = _reloaders[id(shell)] = Reloader(shell, finder.loader)
    # The first of the callbacks, so that it runs before autoreload checks the files.
    shell.events.callbacks["pre_run_cell"].insert(0, reloader.reload)
    if IN_BROWSER:
        pyodide.set_up(shell)
    else:
        manager.load_extension("line_profiler")
        explain_compiled(shell)
    # Text in the pager is not part of an executed notebook; output below the cell is.
    shell.set_hook("show_in_pager", page.as_hook(show_in_pager), 0)
    display(HTML(f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>"))


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Stop reloading edited chapters. `%reload_ext` calls this before it sets up again."""
    reloader = _reloaders.pop(id(shell), None)
    if reloader is not None:
        shell.events.unregister("pre_run_cell", reloader.reload)
