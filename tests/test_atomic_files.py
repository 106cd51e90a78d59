"""Files that are whole or absent, whoever writes them and whatever goes wrong."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from utils.atomic_files import beside, replace_file, write_if_changed

PATIENCE = 30
"""Seconds after which a thread that does not come has failed."""


def test_what_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    replace_file(path, "old\n")
    with pytest.raises(ZeroDivisionError), beside(path) as part:
        part.write_bytes(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old\n"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file_that_was_wanted(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "file.txt"
    with pytest.raises(FileNotFoundError) as caught:
        replace_file(path, "new")
    assert caught.value.filename == str(path) and str(caught.value).endswith(repr(str(path)))
    tmp_path.joinpath("nowhere").write_text("a file", encoding="utf-8")
    with pytest.raises(OSError, match=r"file\.txt'$") as caught_here:  # another on Windows
        replace_file(path, "new")
    assert caught_here.value.filename == str(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows may not allow links, and has no such modes")
def test_a_link_and_the_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "file.txt", tmp_path / "link.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    link.symlink_to(path)
    replace_file(link, "new")
    assert path.read_text(encoding="utf-8") == "new" and link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 240)
    replace_file(path, "new")
    assert path.read_text(encoding="utf-8") == "new"


def test_two_threads_write_one_file_and_each_version_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    begun, go_on = threading.Event(), threading.Event()

    def write_slowly() -> None:
        with beside(path) as part, part.open("w") as file:
            file.write("slow ")
            begun.set()
            go_on.wait(PATIENCE)
            file.write("and whole")

    thread = threading.Thread(target=write_slowly)
    thread.start()
    assert begun.wait(PATIENCE)
    replace_file(path, b"quick")
    assert path.read_text(encoding="utf-8") == "quick"
    go_on.set()
    thread.join(PATIENCE)
    assert path.read_text(encoding="utf-8") == "slow and whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_right_keeps_its_time(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file.bin"
    write_if_changed(path, b"one")
    os.utime(path, ns=(10**18, 10**18))
    write_if_changed(path, b"one")
    assert path.stat().st_mtime_ns == 10**18
    write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
