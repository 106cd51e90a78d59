"""What a notebook of the course needs: `%load_ext utils.notebook` sets it up in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the loader imports parts of this package, and does without IPython
    from IPython.core.interactiveshell import InteractiveShell


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Set the notebook up. IPython calls this; calling it again changes nothing."""
    from utils.notebook import extension

    extension.load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Stop picking up edited chapters. `%reload_ext` calls this before it sets up again."""
    from utils.notebook import extension

    extension.unload(shell)
