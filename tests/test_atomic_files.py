"""Files that are whole or absent, whoever writes them and whatever goes wrong."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from utils import atomic_files
from utils.atomic_files import replace_file, temporary_file, write_if_changed

PATIENCE = 30
"""Seconds after which a thread that does not come has failed."""


def test_what_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    replace_file(path, "old\n")
    with pytest.raises(ZeroDivisionError), temporary_file(path) as part:
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


def test_an_error_of_another_file_names_that_one(tmp_path: Path) -> None:
    other = tmp_path / "nowhere" / "other.txt"
    with pytest.raises(FileNotFoundError) as caught, temporary_file(tmp_path / "file.txt"):
        other.read_bytes()
    assert caught.value.filename == str(other)


@pytest.mark.parametrize(
    ("system", "refusals", "waits", "content"),
    [("nt", 0, 0, "new"), ("nt", 19, 19, "new"), ("nt", 20, 19, "old"), ("posix", 1, 0, "old")],
)
def test_on_windows_a_file_that_is_being_read_is_replaced_a_little_later(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    refusals: int,
    waits: int,
    content: str,
) -> None:
    path, replace = tmp_path / "file.txt", Path.replace
    path.write_text("old", encoding="utf-8")
    refused, waited = list[Path](), list[float]()

    def refuse(part: Path, target: Path) -> Path:
        if len(refused) == refusals:
            return replace(part, target)
        refused.append(part)
        raise PermissionError(errno.EACCES, "in use", str(part), None, str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(atomic_files, "os", SimpleNamespace(name=system, getpid=os.getpid))
    monkeypatch.setattr(atomic_files, "time", SimpleNamespace(sleep=waited.append))
    try:
        replace_file(path, "new")
    except PermissionError as error:
        assert (error.errno, error.filename) == (errno.EACCES, str(path)) and content == "old"
    assert path.read_text(encoding="utf-8") == content
    assert len(waited) == waits and sum(waited) <= 1
    assert list(tmp_path.iterdir()) == [path]


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
        with temporary_file(path) as part, part.open("w") as file:
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
    path = tmp_path / "new" / "folder" / "file.bin"
    write_if_changed(path, b"one")
    os.utime(path, ns=(10**18, 10**18))
    write_if_changed(path, b"one")
    assert path.stat().st_mtime_ns == 10**18
    write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
