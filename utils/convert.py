"""Bring all modules up to date: `python -m utils.convert`."""

from __future__ import annotations

from utils.jupyter_loader import JupyterLoader, NotebookError


def convert_all() -> int:
    """Convert what has changed; returns the number of chapters.

    Raises:
        SystemExit: a chapter cannot be converted; the message says which and why.
    """
    try:
        return len(JupyterLoader().load_all())
    except NotebookError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    print(f"{convert_all()} chapters are up to date")
