"""Atomic writes: who reads a file meanwhile sees its whole old content or its whole new one."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path


def replace_file(path: Path, data: bytes | str) -> None:
    """Write a file atomically; a text in UTF-8.

    Raises:
        OSError: it cannot be written; what was at the path stays.
    """
    with temporary_file(path) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """A path in the same folder to write to; at the end of the block, that file replaces `path`.

    Each thread has another path. The new file gets the permissions of the old one. If `path` is a
    symbolic link, its target is replaced. If the block raises an error, nothing is replaced.

    Raises:
        OSError: it cannot be written; what was at the path stays.
    """
    asked, path = path, path.resolve()
    temporary = path.with_name(f".{path.name[:40]}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        yield temporary
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
        for attempts_left in reversed(range(20)):
            try:
                temporary.replace(path)
                break
            except PermissionError:  # Windows refuses while another process reads the file
                if os.name != "nt" or not attempts_left:
                    raise
                time.sleep(0.05)
        if mode is not None:  # not before: Windows cannot delete a read-only temporary file
            path.chmod(mode)
    except OSError as error:
        if str(error.filename) == str(temporary):
            raise OSError(error.errno, error.strerror, str(asked)) from None
        raise
    finally:
        with contextlib.suppress(OSError):  # it has been moved, or never written
            temporary.unlink()


def write_if_changed(path: Path, data: bytes) -> None:
    """Write a file, with its folder, unless it has this content; then its time stays unchanged."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
