"""Set-up of a notebook in one line: `%load_ext utils.notebook`.

The extension installs the import hook for chapters, picks up edited chapters in
a running kernel, loads `%lprun`, lets profiles and help texts appear below
their cell, and applies the course's style sheet.
"""

from __future__ import annotations

import logging

from IPython.core import page
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import HTML, display

from utils.jupyter_loader import install_import_hook
from utils.notebook import pyodide
from utils.notebook.cell_sources import keep_cell_sources
from utils.notebook.profile_table import show_in_pager
from utils.notebook.reloading import Reloader
from utils.paths import STYLE

_reloaders: dict[int, Reloader] = {}


def load(shell: InteractiveShell) -> None:
    """Set the notebook up; calling it again changes nothing."""
    finder = install_import_hook()
    keep_cell_sources()
    if id(shell) not in _reloaders:
        manager = shell.extension_manager
        assert manager is not None
        manager.load_extension("autoreload")
        # Without --full, code that was edited twice is not updated everywhere, and tracebacks
        # and profiles of edited code show wrong lines.
        shell.run_line_magic("autoreload", "2 --full")
        logging.getLogger("autoreload").disabled = True  # it prints its messages as well
        reloader = _reloaders[id(shell)] = Reloader(shell, finder.loader)
        # First of all callbacks, hence called before autoreload looks at the files.
        shell.events.callbacks["pre_run_cell"].insert(0, reloader.reload)
        if pyodide.HERE:
            pyodide.set_up(shell)
        else:
            manager.load_extension("line_profiler")
        # The pager's text never reaches the output of an executed notebook; this does.
        shell.set_hook("show_in_pager", page.as_hook(show_in_pager), 0)
    display(HTML(f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>"))


def unload(shell: InteractiveShell) -> None:
    """Stop picking up edited chapters. `%reload_ext` does this before it sets up again."""
    reloader = _reloaders.pop(id(shell), None)
    if reloader is not None:
        shell.events.unregister("pre_run_cell", reloader.reload)
