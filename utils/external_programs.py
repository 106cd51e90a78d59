"""Programs that the course uses when they are installed: Stockfish, a browser, and others.

Nothing in the course needs them; what they add says how to install them.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_INSTALL = {
    "polyglot": "apt-get install polyglot",
    "epubcheck": "apt-get install epubcheck, or brew install epubcheck",
    "stockfish": "apt-get install stockfish, brew install stockfish, or choco install stockfish",
    "chromium": "apt-get install chromium, or install Google Chrome",
}
"""How to install each program."""
_PLACES = {
    "polyglot": ("polyglot", "/usr/games/polyglot"),
    "epubcheck": ("epubcheck",),
    "stockfish": ("stockfish", "/usr/games/stockfish", "/opt/homebrew/bin/stockfish"),
    "chromium": (
        "chromium",
        "chromium-browser",
        "google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "C:/Program Files/Google/Chrome/Application/chrome.exe",
    ),
}
"""The names and paths under which each program may be found."""


def silence_log() -> None:
    """Keep the logs of python-chess and asyncio off the error output.

    The commands report errors themselves, and a log would break up their progress bars.
    """
    for name in ("chess", "asyncio"):
        logging.getLogger(name).addHandler(logging.NullHandler())


def shell_line(words: Sequence[str]) -> str:
    """A program and its arguments as one line, quoted for the shell (on Windows for cmd)."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def find_program(name: str) -> str | None:
    """The path of an installed program, such as 'stockfish' or 'chromium'; None if it is absent.

    Raises:
        KeyError: the course uses no program of that name.
    """
    for place in _PLACES[name]:
        if found := shutil.which(place):
            return str(Path(found))
    return None


def install_hint(name: str) -> str:
    """A message that a program is missing, and how to install it."""
    return f"{name} is not installed; to install it: {_INSTALL[name]}"
