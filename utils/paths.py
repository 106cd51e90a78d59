"""Where the parts of the course are, whatever the working directory is."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
CONVERTED = ROOT / "converted_notebooks"
DATA = ROOT / "data"
BOOK = ROOT / "book"
STYLE = ROOT / "style.css"
