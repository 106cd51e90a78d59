"""The folders of the course, whatever the working directory is."""

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """The user's folder of caches for this course, which need not exist."""
    from platformdirs import user_cache_path  # absent in a browser

    return user_cache_path("chess-engines-course")


def _writable(folder: Path) -> bool:
    """Whether this user can create files in a folder."""
    if os.name == "nt":  # there, `os.access` ignores access control lists
        probe = folder / f".{os.getpid()}"
        try:
            probe.touch()
            probe.unlink()
        except OSError:
            return False
    return os.access(folder, os.W_OK)


ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
CONVERTED = ROOT / "converted_notebooks"
if CONVERTED.is_dir() and not _writable(CONVERTED):  # installed by another user
    CONVERTED = user_cache() / "converted_notebooks"
DATA = ROOT / "data"
BOOK = ROOT / "book"
STYLE = ROOT / "style.css"
IN_BROWSER = sys.platform == "emscripten"
