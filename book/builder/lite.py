"""The part of the book that runs in a reader's browser.

Everything that JupyterLite needs is put together in build/lite/source, from where its own command
builds build/lite/site:

- Python for browsers (Pyodide, from npm) with the pure Python packages that a kernel needs. Its
  list of packages is rewritten, so that a browser fetches everything from this site, except for
  matplotlib and numpy, which only Pyodide's server has;
- the course as a wheel, and the chapters, prepared by `for_browser`;
- the settings in jupyterlite/. Extensions come from this environment.

Downloads stay in build/lite. `build_site` raises `MissingPartError` if a download is impossible;
the book is then built without this part. The page to play on (book/play.md) has its scripts in
play_page, and uses the same Pyodide.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from book.builder.citations import as_words
from book.builder.contents import chapter_names
from utils.atomic_files import replace_file, temporary_file
from utils.jupyter_loader import JupyterLoader
from utils.notebook.names import LEFT_OUT
from utils.paths import CONVERTED, DATA, NOTEBOOKS, ROOT, STYLE
from utils.play.page import first_look, openings

CACHE = ROOT / "build" / "lite"
SITE = CACHE / "site"
FOLDER, BOARD = "lite", "board"
"""Where the site is below the book's pages, and where the page to play on has its scripts."""
PYODIDE_VERSION = "314.0.6"
_ARCHIVE_SHA256 = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"
_CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
_PYTHON = "3.14"  # Pyodide's
# From Pyodide's list, with what they depend on.
_PYODIDE_PACKAGES = ("micropip", "ipython", "jedi", "typing-extensions", "tqdm")
# Packages in the versions of this environment, with their dependencies in a browser.
_PYPI_PACKAGES = {
    "chess": [],
    "tabulate": [],
    "comm": [],
    "psygnal": [],
    "ipywidgets": ["comm", "ipython", "traitlets"],
    "anywidget": ["ipywidgets", "psygnal", "typing-extensions"],
}
# From the kernel's extension: stand-ins for the packages of a usual kernel.
_KERNEL_PACKAGES = {
    "piplite": ["micropip"],
    "pyodide-kernel": ["comm", "ipython"],
    "ipykernel": ["pyodide-kernel"],
}
SETTINGS = Path(__file__).parent / "lab" / "overrides.json"
"""Settings of JupyterLab that differ from its own; `make lab` uses them, too."""
_HEAD = Path(__file__).with_name("lite_head.html").read_text(encoding="utf-8")
COURSE = "course"
TERM = re.compile(r"\{term\}`([^`<]+?)(?: <[^`]*>)?`")


class MissingPartError(Exception):
    """Something cannot be downloaded; the message says what, and how to get it."""


def build_site() -> None:
    """Bring build/lite/site up to date.

    Raises:
        MissingPartError: a download fails.
    """
    source = CACHE / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(Path(__file__).parent / "jupyterlite", source)
    shutil.copy(SETTINGS, source)
    write_pyodide(source / "static" / "pyodide")
    source.joinpath("contents").mkdir()
    for name in chapter_names():
        notebook = for_browser(nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4))
        nbformat.write(notebook, source / "contents" / f"{name}.ipynb")
    lock = ROOT.joinpath("poetry.lock").read_bytes()  # the extensions are among its packages
    digest = hashlib.sha256(_HEAD.encode() + STYLE.read_bytes() + lock)
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        digest.update(path.relative_to(source).as_posix().encode() + path.read_bytes())
    mark = SITE / "version.txt"
    if mark.exists() and mark.read_text(encoding="utf-8") == digest.hexdigest():
        return
    shutil.rmtree(SITE, ignore_errors=True)
    if failure := run([sys.executable, "-m", "jupyterlite_core", "build"], cwd=source):
        raise RuntimeError(f"JupyterLite cannot be built:\n{failure}")
    shutil.copy(STYLE, SITE / "lab")
    page = SITE / "lab" / "index.html"
    text = page.read_text(encoding="utf-8").replace("</head>", _HEAD)
    page.write_text(text, encoding="utf-8")
    mark.write_text(digest.hexdigest(), encoding="utf-8")


def publish(pages: Path, in_browser: bool) -> None:
    """Add to the book's pages the scripts of the page to play on, and the site if there is one."""
    shutil.rmtree(pages / FOLDER, ignore_errors=True)
    if in_browser:
        shutil.copytree(SITE, pages / FOLDER)
    board = pages / BOARD
    shutil.rmtree(board, ignore_errors=True)
    shutil.copytree(Path(__file__).parent / "play_page", board)
    for pattern in ("*.js", "*.css"):
        for path in (ROOT / "utils" / "play").glob(pattern):
            shutil.copy(path, board)
    look = first_look() | {"python": in_browser}
    for name, data in (("first.json", look), ("openings.json", openings())):
        text = json.dumps(data, ensure_ascii=False)
        board.joinpath(name).write_text(text, encoding="utf-8")


def run(command: list[str], **options: Any) -> str:
    """Run a program; returns its output if it failed, otherwise an empty text."""
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, **options
    )
    return f"{done.stdout}\n{done.stderr}".strip() if done.returncode else ""


# Python for browsers.


def write_pyodide(target: Path) -> None:
    """Pyodide's core, the wheels, and the list of packages."""
    core = CACHE / f"pyodide-{PYODIDE_VERSION}" / "package"
    if not (core / "pyodide-lock.json").exists():
        with open_archive("pyodide", PYODIDE_VERSION, _ARCHIVE_SHA256) as archive:
            for part in (*_CORE, "pyodide-lock.json"):  # the list last: it shows that all is there
                archive.extract(f"package/{part}", core.parent)
    lock = json.loads((core / "pyodide-lock.json").read_text(encoding="utf-8"))
    packages = lock["packages"]
    # An import of a chapter that needs numpy also fetches numpy.
    packages["numpy"]["imports"] += chapters_with("numpy")
    listed = with_dependencies(packages)
    ours = {name: importlib.metadata.version(name) for name in _PYPI_PACKAGES}
    wheels = fetch_wheels({name: packages[name]["version"] for name in listed} | ours)
    kernel = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension"
    folder = Path(sys.prefix, kernel, "static", "pypi")
    for name in _KERNEL_PACKAGES:
        wheels[name] = next(folder.glob(f"{name.replace('-', '_')}-*.whl"))
    wheels[COURSE] = course_wheel()
    depends = _PYPI_PACKAGES | _KERNEL_PACKAGES | {COURSE: ["chess", "tabulate", "tqdm"]}
    packages |= {name: entry(name, wheels[name], depends[name]) for name in depends}
    packages["anywidget"]["imports"].append("utils.play.widget")  # whose import fetches it
    elsewhere = pyodide_packages_url(core)
    for name in packages.keys() - wheels.keys():
        packages[name]["file_name"] = elsewhere + packages[name]["file_name"]
    files = with_byte_code(core, [*(core / name for name in _CORE), *wheels.values()])
    target.mkdir(parents=True)
    for path in files:
        shutil.copy(path, target)
    for name, path in wheels.items():
        data = target.joinpath(path.name).read_bytes()
        packages[name] |= {"file_name": path.name, "sha256": hashlib.sha256(data).hexdigest()}
    target.joinpath("pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def with_byte_code(core: Path, files: list[Path]) -> list[Path]:
    """The same files; archives of Python have byte code in them.

    With it a kernel starts in half the time. Only Pyodide itself can compile this byte code, and
    needs Node.js for that; without it, the archives stay as they are.
    """
    node = shutil.which("node")
    if node is None:
        print("Without Node.js, Python starts more slowly in the browser.", file=sys.stderr)
        return files
    script = Path(__file__).with_name("compile.mjs")
    folder = CACHE / "compiled"
    found = []
    missing: list[str] = []
    for path in files:
        if path.suffix in (".whl", ".zip"):
            digest = hashlib.sha256(script.read_bytes() + path.read_bytes()).hexdigest()
            place = folder / digest[:16] / path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                missing += [str(path), str(place)]
            path = place
        found.append(path)
    if missing and (failure := run([node, str(script), str(core), *missing])):
        raise RuntimeError(f"Pyodide cannot compile archives: {failure[-1000:]}")
    for old in {*folder.iterdir()} - {path.parent for path in found}:
        shutil.rmtree(old)
    return found


@contextlib.contextmanager
def open_archive(package: str, version: str, sha256: str) -> Iterator[tarfile.TarFile]:
    """The archive from `fetch_from_npm`, opened."""
    with tarfile.open(fetch_from_npm(package, version, sha256)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.3 has none
        yield archive


def fetch_from_npm(package: str, version: str, sha256: str) -> Path:
    """An archive from npm: by npm itself, or from the index in NPM_CONFIG_REGISTRY.

    Raises:
        MissingPartError: it cannot be downloaded, or has another checksum.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    archive = CACHE / f"{package}-{version}.tgz"
    if not archive.exists():
        print(f"Fetching {package} {version} from npm ...", flush=True)
        settings = {name.upper(): value for name, value in os.environ.items()}  # as npm does
        index = settings.get("NPM_CONFIG_REGISTRY")
        if npm := shutil.which("npm"):
            command = [npm, "pack", f"{package}@{version}", "--pack-destination", str(CACHE)]
            if failure := run(command):
                raise MissingPartError(f"npm cannot fetch {package}@{version}: {failure[-300:]}")
        elif index:
            try:
                address = f"{index.rstrip('/')}/{package}/-/{archive.name}"
                with urllib.request.urlopen(address, timeout=60) as answer:
                    replace_file(archive, answer.read())
            except (OSError, ValueError, http.client.HTTPException) as error:
                raise MissingPartError(f"cannot fetch {archive.name}: {error}") from None
        else:
            raise MissingPartError(
                "npm is not installed, and no registry is set up for it; install Node.js, or set "
                "NPM_CONFIG_REGISTRY to the address of an npm registry"
            )
    if hashlib.sha256(archive.read_bytes()).hexdigest() != sha256:
        archive.unlink()
        raise MissingPartError(f"what came as {archive.name} has not the expected content")
    return archive


def pyodide_packages_url(core: Path) -> str:
    """The address of Pyodide's server of packages, from pyodide.mjs."""
    script = (core / "pyodide.mjs").read_text(encoding="utf-8")
    match = re.search(r"`(https://[^`$]*)\$\{\w+\}(/[^`$]*)`", script)
    if match is None:
        raise RuntimeError("pyodide.mjs does not say where its packages are")
    return f"{match[1]}{PYODIDE_VERSION}{match[2]}"


def with_dependencies(packages: dict[str, Any]) -> set[str]:
    """The names of `_PYODIDE_PACKAGES` and of what they depend on, by Pyodide's list."""
    found = set[str]()
    waiting = list(_PYODIDE_PACKAGES)
    while waiting:
        name = re.sub(r"[._]", "-", waiting.pop().lower())
        if name not in found:
            found.add(name)
            waiting += packages[name]["depends"]
    return found


def fetch_wheels(versions: dict[str, str]) -> dict[str, Path]:
    """Wheels of packages without compiled parts, by pip.

    Raises:
        MissingPartError: there is no network, or no such package.
    """
    folder = CACHE / "wheels"

    def found() -> dict[str, Path]:
        names = {name: name.replace("-", "_") for name in versions}
        places = {n: [*folder.glob(f"{names[n]}-{versions[n]}-*.whl")] for n in versions}
        return {name: paths[0] for name, paths in places.items() if paths}

    absent = versions.keys() - found().keys()
    if absent:
        print(f"Fetching {len(absent)} packages for the browser ...", flush=True)
    wanted = [f"{name}=={versions[name]}" for name in sorted(absent - {"chess"})]
    pip = [sys.executable, "-m", "pip"]
    options = ["--quiet", "--no-deps"]
    # No platform has this name, so pip chooses pure Python wheels.
    pure = ["--platform", "browser", "--python-version", _PYTHON, "--dest", str(folder)]
    commands = [[*pip, "download", *options, *pure, *wanted]] if wanted else []
    if "chess" in absent:  # published as source only
        source = f"chess=={versions['chess']}"
        commands.append([*pip, "wheel", *options, "--wheel-dir", str(folder), source])
    for command in commands:
        if failure := run(command):
            raise MissingPartError(f"pip cannot fetch packages for the browser: {failure[-300:]}")
    return found()


def entry(name: str, wheel: Path, depends: list[str]) -> dict[str, Any]:
    """The entry of a package in Pyodide's list."""
    with zipfile.ZipFile(wheel) as archive:
        modules = [Path(file) for file in archive.namelist() if file.endswith(".py")]
    return {
        "depends": depends,
        "imports": sorted({module.parts[0].removesuffix(".py") for module in modules}),
        "install_dir": "site",
        "name": name,
        "package_type": "package",
        "unvendored_tests": False,
        "version": wheel.name.split("-")[1],
    }


def course_wheel() -> Path:
    """The course itself: tools, chapters as notebooks and as modules, data.

    Its version is a hash of its content, so that a browser never uses an older copy from its cache.
    """
    JupyterLoader().load_all()
    files = {STYLE.name: STYLE.read_bytes()}
    for folder, patterns in (
        (ROOT / "utils", ("*.py", "*.js", "*.css")),
        (CONVERTED, ("*.py",)),
        (NOTEBOOKS, ("s*.ipynb",)),
        (DATA, ("*",)),
    ):
        for path in (path for pattern in patterns for path in folder.rglob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    digest = hashlib.sha256(b"".join(n.encode() + files[n] for n in sorted(files))).hexdigest()
    version = f"1-{int(digest[:12], 16)}"
    files[f"{COURSE}-1.dist-info/METADATA"] = f"Name: {COURSE}\nVersion: 1\n".encode()
    path = CACHE / f"{COURSE}-{version}-py3-none-any.whl"
    if not path.exists():
        for old in CACHE.glob(f"{COURSE}-*.whl"):
            old.unlink()
        with (
            temporary_file(path) as temporary,
            zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name, data in sorted(files.items()):
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return path


def chapters_with(package: str) -> list[str]:
    """Full names of the chapters that import a package, or a chapter that does."""
    loader = JupyterLoader()
    found: list[str] = []
    pattern = re.compile(rb"^(import|from) " + package.encode() + rb"\b", re.MULTILINE)
    for name in loader.chapters():  # each imports earlier ones only
        module = loader.load(name)
        if pattern.search(module.source) or set(module.chapters) & set(found):
            found.append(name)
    return [f"{CONVERTED.name}.{name}" for name in found]


# The chapters.


def for_browser(notebook: Any) -> Any:
    """The chapter as it is opened in the browser, with a note on what is different there.

    Cells that show or try something may fail, and the next ones run all the same; so may all
    cells of a chapter that needs numpy, which may not be there. Terms and sources, which are
    explained on other pages of the book, become plain text.
    """
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    text = (
        "```{note}\nThis chapter runs in your browser, on your machine, about "
        "three times as slowly as elsewhere. The first cell takes up to a minute, because Python "
        "is fetched and started first. What you change stays in this browser and in this "
        "chapter: the other chapters import the course as it was built. Plots and tables of "
        "numbers need matplotlib and numpy, which come from Pyodide's server. Profiles line by "
        "line, Stockfish, threads and other programs are not there.\n```"
    )
    note = nbformat.v4.new_markdown_cell(text)
    note.id = "in-the-browser"
    incomplete = re.search(r"^import numpy\b", code, re.MULTILINE)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = as_words(TERM.sub(r"\1", cell.source))
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and (incomplete or LEFT_OUT & set(tags)):
            cell.metadata["tags"] = [*tags, "raises-exception"]
    notebook.cells.insert(1, note)
    notebook.metadata["kernelspec"] = {
        "name": "python",
        "display_name": "Python (Pyodide)",
        "language": "python",
    }
    return notebook
