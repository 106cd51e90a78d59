"""Where the parts of the course are, whatever the working directory is."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
CONVERTED = ROOT / "converted_notebooks"
if CONVERTED.is_dir() and not os.access(CONVERTED, os.W_OK):  # installed by another user
    from platformdirs import user_cache_path

    CONVERTED = user_cache_path("chess-engines-course") / "converted_notebooks"
DATA = ROOT / "data"
BOOK = ROOT / "book"
STYLE = ROOT / "style.css"
