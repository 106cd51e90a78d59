"""The course installed from its wheel, without the clone: it plays from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.programs import SECONDS, Program, posix
from utils.paths import ROOT

pytestmark = [pytest.mark.slow, posix]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `pip install .` builds it, by the poetry-core of `make`."""
    python = ROOT / ".poetry" / "bin" / "python"
    if not python.exists():
        pytest.skip("there is no .poetry; to make it: make book")
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([python, "-m", "pip", "wheel", *options, folder, ROOT], check=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment; what the course needs comes from here."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    shown = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.check_output([python, "-c", shown], text=True).strip())
    # A path in a .pth file: the course itself, which is in another .pth file, is not found there.
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib"))
    pip = [str(ROOT / ".poetry" / "bin" / "python"), "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    return python.parent


def settings(folder: Path) -> dict[str, Any]:
    """Options for a program in a folder, without the clone in its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"XDG_CACHE_HOME": str(folder / "cache"), "NO_COLOR": "1"}
    environment["JUPYTER_PATH"] = f"{sysconfig.get_path('data')}/share/jupyter"  # of nbconvert
    return {"cwd": folder, "env": environment}


def run(command: Sequence[object], folder: Path, typed: str = "") -> str:
    """What a program prints, started in a folder."""
    pipes: Any = {"input": typed, "capture_output": True, "text": True, "timeout": 5 * SECONDS}
    shown = subprocess.run([*map(str, command)], **pipes, **settings(folder))
    assert shown.returncode == 0, shown.stderr
    return str(shown.stdout)


def test_the_wheel_holds_what_is_needed_and_no_more(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = set(archive.namelist())
    assert {"notebooks/s04_engine_interface.ipynb", "data/polyglot/course.bin"} <= names
    assert {"utils/play/widget.js", "style.css", "data/suites/mates.epd"} <= names
    assert not [
        name for name in names if name.startswith(("tests", "book", "converted_notebooks/s"))
    ]
    for_a_clone = ("utils/exercises", "utils/notebook/nbgrader_export", "utils/recipes")
    assert not [name for name in names if name.startswith(for_a_clone)]
    assert wheel.stat().st_size < 1_200_000  # bytes


def test_every_command_works_from_an_empty_folder(programs: Path, tmp_path: Path) -> None:
    course = programs / "course"
    game = run([course, "play", "--engine", "s07", "--ascii"], tmp_path, "e4\nd4\nquit\n")
    assert "1. e4 " in game and " 2. d4 " in game
    match = run([course, "match", "s05", "s07", "--games", 2, "--control", "d1"], tmp_path)
    assert match.startswith("s05 against s07: 2 games, ")
    suite = run([course, "suite", "--engine", "s09", "--depth", 1], tmp_path)
    assert "bratko-kopec: " in suite and "mates: " in suite
    assert "| s23 |" in run([course, "ladder", "--table"], tmp_path)
    # Started by the wheel's Python, the course comes from the wheel.
    where = run([programs / "python", "-c", "import utils; print(utils.__file__)"], tmp_path)
    assert Path(where).is_relative_to(programs.parent)


def test_it_speaks_uci(programs: Path, tmp_path: Path) -> None:
    with Program([programs / "course", "uci"], **settings(tmp_path)) as engine:
        engine.say("uci", "position startpos", "go depth 1")
        assert "uciok" in engine.until("bestmove ")
        engine.say("quit")
        assert engine.ends() == 0 and engine.said["stderr"] == ""


READ_ONLY = """
import os
os.access = lambda path, mode: False  # as for a user who may not write there
from utils.jupyter_loader import JupyterLoader
print(*JupyterLoader().load_all(), sep="\\n")
"""


def test_chapters_are_converted_where_the_user_may_write(programs: Path, tmp_path: Path) -> None:
    written = run([programs / "python", "-c", READ_ONLY], tmp_path).splitlines()
    assert len(written) > 20
    assert all(Path(path).is_relative_to(tmp_path / "cache") for path in written)
