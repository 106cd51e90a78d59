"""Files that are whole or absent: who reads one sees the old text or the new one."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path


def replace_file(path: Path, data: bytes | str) -> None:
    """Write a file that takes the path's place when all is written; a text in UTF-8.

    Raises:
        OSError: it cannot be written; what was at the path stays.
    """
    with beside(path) as part:
        part.write_bytes(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A path for a new file, of this thread alone; at the end it takes the old one's place.

    It takes over the old one's permissions. Of a link, the file is replaced to which it leads. If
    the block raises an error, nothing is replaced.

    Raises:
        OSError: it cannot be written; what was at the path stays.
    """
    asked, path = path, path.resolve()
    part = path.with_name(f".{path.name[:40]}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        yield part
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
        for attempts_left in reversed(range(20)):
            try:
                part.replace(path)
                break
            except PermissionError:  # Windows refuses while another process reads the file
                if os.name != "nt" or not attempts_left:
                    raise
                time.sleep(0.05)
        if mode is not None:  # not before: Windows could not delete a part that is read-only
            path.chmod(mode)
    except OSError as error:
        if str(error.filename) == str(part):
            raise OSError(error.errno, error.strerror, str(asked)) from None
        raise
    finally:
        with contextlib.suppress(OSError):  # it has been moved, or never written
            part.unlink()


def write_if_changed(path: Path, data: bytes) -> None:
    """Write a file, with its folder, unless it has this content: then its time stays, too."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
