"""Programs that the course uses when they are installed: Stockfish, a browser, and others.

Nothing in the course needs them; what they add says how to install them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

_PLACES = {
    "polyglot": ["polyglot", "/usr/games/polyglot"],
    "epubcheck": ["epubcheck"],
    "stockfish": ["stockfish", "/usr/games/stockfish", "/opt/homebrew/bin/stockfish"],
    "chromium": [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "C:/Program Files/Google/Chrome/Application/chrome.exe",
    ],
}
INSTALL = {
    "polyglot": "apt-get install polyglot",
    "epubcheck": "apt-get install epubcheck, or brew install epubcheck",
    "stockfish": "apt-get install stockfish, brew install stockfish, or choco install stockfish",
    "chromium": "apt-get install chromium, or install Google Chrome",
}


def find_program(name: str) -> str | None:
    """The path of an installed program, such as 'stockfish' or 'chromium'; None if it is absent.

    Raises:
        KeyError: the course uses no program of that name.
    """
    for place in _PLACES[name]:
        found = shutil.which(place)
        if found:
            return str(Path(found))
    return None


def missing(name: str) -> str:
    """What to tell somebody who does not have the program."""
    return f"{name} is not installed; to install it: {INSTALL[name]}"
