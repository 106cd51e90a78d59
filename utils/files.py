"""Files that are whole or absent: who reads one sees the old text or the new one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file to write to, with line feeds; it takes the path's place when all is written.

    Raises:
        OSError: it cannot be written; what was at the path stays.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_if_changed(path: Path, data: bytes) -> None:
    """Write a file, with its folder, unless it is what it should be: then it keeps its time."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
