"""The part of the book that runs in a reader's browser.

Three things are put together in build/lite/site, and from there beside the book's pages:

- JupyterLite, with the extensions that show the chapters as JupyterLab does;
- Python for browsers (Pyodide, from npm) with every pure package that a kernel needs. Its
  list of packages is written anew, so that nothing is asked of another host, except for
  packages that only Pyodide's server has: matplotlib and numpy;
- the course as a wheel, and the chapters, prepared by `for_browser`.

What was downloaded stays in build/lite and is checked by its hash. `build_site` raises
`MissingPartError` if something cannot be had; the book is then built without this part.
The page to play on (book/play.md) has its scripts in play_page, and asks Pyodide alone.
"""

from __future__ import annotations

import configparser
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from book.builder.citations import as_words
from book.builder.contents import chapters
from utils.atomic_files import beside, write_if_changed
from utils.jupyter_loader import JupyterLoader
from utils.paths import CONVERTED, DATA, NOTEBOOKS, ROOT, STYLE
from utils.play.page import first_look

CACHE = ROOT / "build" / "lite"
SITE = CACHE / "site"
FOLDER, BOARD = "lite", "board"
"""Where it is below the book's pages, and where the page to play on has its scripts."""
PYODIDE = "314.0.6"
_ARCHIVE_SHA256 = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"
_CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
_PYTHON = "3.14"  # Pyodide's
_EXTENSIONS = (
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
    "anywidget",
    "jupyterlab-myst",
)
# From Pyodide's list, with what they depend on; pip fetches them.
_LISTED = ("micropip", "ipython", "jedi", "typing-extensions", "tqdm")
# Packages of this environment that work in a browser as they are, with what they need there,
# and with modules of the course whose import asks for them.
_OURS: dict[str, tuple[list[str], list[str]]] = {
    "chess": ([], []),
    "tabulate": ([], []),
    "comm": ([], []),
    "psygnal": ([], []),
    "ipywidgets": (["comm", "ipython", "traitlets"], []),
    "anywidget": (["ipywidgets", "psygnal", "typing-extensions"], ["utils.play.widget"]),
}
# From the kernel's extension: stand-ins for the packages of a usual kernel.
_KERNEL = {
    "piplite": ["micropip"],
    "pyodide-kernel": ["comm", "ipython"],
    "ipykernel": ["pyodide-kernel"],
}
SETTINGS = Path(__file__).parent / "lab" / "overrides.json"
"""Settings of JupyterLab that differ from its own; `make lab` uses them, too."""
# The book's style sheet. And no sources of texts that jupyterlab-myst has not rendered yet: it
# takes seconds for that on slow machines. After ten seconds a source is shown all the same.
_HEAD = """<link rel="stylesheet" href="style.css">
<style>
@keyframes unrendered { from, to { visibility: hidden } }
.jp-MarkdownCell .jp-InputArea { animation: unrendered 10s }
.jp-MarkdownCell .myst, .jp-mod-editMode .jp-mod-active .jp-Editor { visibility: visible }
</style>
</head>"""
COURSE = "course"
_PRELOADED = ["micropip", "jedi", "ipython", "comm", *_KERNEL, COURSE]
# Cells that a browser may be unable to run. The kernel goes on after them.
_MAY_FAIL = {"experiment", "exercise", "solution"}
_NOTES = {
    r"^%lprun|\bline_profiler\b": "profiles line by line are left out",
    r"\bnew_plot\b|\bmatplotlib\b": "plots need matplotlib, which comes from Pyodide's server",
    r"^\s*import numpy\b": "tables of numbers need numpy, which comes from Pyodide's server",
    r"find_program\(": "Stockfish is not there",
    r"\bsubprocess\b|\bnbclient\b|\bthreading\b": "there are no threads and no other programs",
}

_TERM = re.compile(r"\{term\}`([^`<]+?)(?: <[^`]*>)?`")


class MissingPartError(Exception):
    """Something cannot be had; the message says what, and how to get it."""


def build_site() -> Path:
    """Bring build/lite/site up to date.

    Raises:
        MissingPartError: the network, npm or JupyterLite is not there.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    build_jupyterlite()
    build_pyodide()
    stage_chapters()
    write_if_changed(SITE / "lab" / STYLE.name, STYLE.read_bytes())
    return SITE


def publish(pages: Path, in_browser: bool) -> None:
    """Copy what has changed to the book's pages.

    Args:
        pages: the folder of the rendered book.
        in_browser: whether build/lite/site is complete; otherwise it is left out.
    """
    place = pages / FOLDER
    if in_browser:
        mirror({path.relative_to(SITE): path for path in SITE.rglob("*")}, place)
    elif place.exists():
        shutil.rmtree(place)
    scripts = [*(Path(__file__).parent / "play_page").iterdir()]
    scripts += [ROOT / "utils" / "play" / name for name in ("board.js", "widget.js", "widget.css")]
    first = CACHE / "first.json"
    CACHE.mkdir(parents=True, exist_ok=True)
    look = first_look() | {"python": in_browser}
    write_if_changed(first, json.dumps(look, ensure_ascii=False).encode())
    mirror({Path(path.name): path for path in [*scripts, first]}, pages / BOARD)


def mirror(wanted: dict[Path, Path], target: Path) -> None:
    """Make a folder of copies of these files alone; unchanged ones are left alone."""
    if target.exists():
        for path in target.rglob("*"):
            if path.is_file() and path.relative_to(target) not in wanted:
                path.unlink()
    for part, path in wanted.items():
        copy = target / part
        if path.is_file() and not (copy.exists() and _stamp(copy) == _stamp(path)):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)


# JupyterLite.


def build_jupyterlite() -> None:
    """The program, without chapters and Python; only if another version is installed."""
    try:
        names = ("jupyterlite-core", "jupyterlite-pyodide-kernel", "jupyterlab-myst", "anywidget")
        versions = {name: importlib.metadata.version(name) for name in names}
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingPartError(f"{error.name} is not installed: make book") from None
    folders = [_extension(name) for name in _EXTENSIONS]
    texts = [path.read_text(encoding="utf-8") for path in (Path(__file__), SETTINGS)]
    key = _digest(json.dumps([versions, *texts]).encode())
    mark = SITE / "version.txt"
    if mark.exists() and mark.read_text(encoding="utf-8") == key:
        return
    if SITE.exists():
        shutil.rmtree(SITE)
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-c", "from jupyterlite_core.app import main; main()", "build"]
        command += ["--lite-dir", empty, "--output-dir", str(SITE), "--ignore-sys-prefix"]
        command += ["--apps", "lab", "--apps", "notebooks"]
        command += ["--no-unused-shared-packages", "--no-sourcemaps"]
        shutil.copy(SETTINGS, empty)
        config = {"LiteBuildConfig": {"federated_extensions": [str(path) for path in folders]}}
        Path(empty, "jupyter_lite_config.json").write_text(json.dumps(config), encoding="utf-8")
        done = subprocess.run(command, cwd=empty, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"JupyterLite cannot be built:\n{done.stdout}{done.stderr}")
    path = SITE / "jupyter-lite.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    data = settings["jupyter-config-data"]
    data["appName"] = "Chess Engines, One Notebook at a Time"
    data["contentsAllJsonFile"] = "all.json"  # there are chapters, see `stage_chapters`
    kernel = data.setdefault("litePluginSettings", {}).setdefault(
        "@jupyterlite/pyodide-kernel-extension:kernel", {}
    )
    kernel["pyodideUrl"] = "./static/pyodide/pyodide.mjs"
    kernel["loadPyodideOptions"] = {"packages": _PRELOADED}
    path.write_text(json.dumps(settings, indent=1), encoding="utf-8")
    page = SITE / "lab" / "index.html"
    text = page.read_text(encoding="utf-8").replace("</head>", _HEAD)
    page.write_text(text, encoding="utf-8")
    mark.write_text(key, encoding="utf-8")


def _extension(name: str) -> Path:
    folder = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / name
    if not folder.is_dir():
        raise MissingPartError(f"the extension {name} of JupyterLab is not installed: make book")
    return folder


# Python for browsers.


def build_pyodide() -> None:
    """Pyodide's core, the wheels, and the list of packages."""
    target = SITE / "static" / "pyodide"
    target.mkdir(parents=True, exist_ok=True)
    core = CACHE / f"pyodide-{PYODIDE}"
    if not (core / "pyodide-lock.json").exists():
        unpack(fetch_pyodide(), core)
    lock = json.loads((core / "pyodide-lock.json").read_text(encoding="utf-8"))
    packages = lock["packages"]
    sources = fetch_listed(packages)
    for name, entry, path in our_packages():
        packages[name], sources[name] = entry, path
    files = {path.name: path for path in [core / name for name in _CORE] + [*sources.values()]}
    files = compiled(core, files)
    elsewhere = pyodides_server(core)
    for name, entry in packages.items():
        if name in sources:
            path = files[sources[name].name]
            entry |= {"file_name": path.name, "sha256": _digest(path.read_bytes())}
        else:
            entry["file_name"] = elsewhere + entry["file_name"]
    # A chapter that is built on numpy brings it along, where it can be had.
    packages["numpy"]["imports"] += chapters_with("numpy")
    for path in target.iterdir():
        if path.name not in files:
            path.unlink()
    for name, path in files.items():
        copy = target / name
        if not copy.exists() or _stamp(copy) != _stamp(path):
            shutil.copy2(path, copy)
    write_if_changed(target / "pyodide-lock.json", json.dumps(lock).encode())


def compiled(core: Path, files: dict[str, Path]) -> dict[str, Path]:
    """The same files, archives of Python with byte code in them.

    A browser starts a kernel in half the time then. Only Pyodide itself can make this byte
    code, and needs Node.js for that; without it, the archives stay as they are.
    """
    node = shutil.which("node")
    if node is None:
        print("Without Node.js, Python starts more slowly in the browser.", file=sys.stderr)
        return files
    script = Path(__file__).with_name("compile.mjs")
    salt = script.read_bytes()
    folder = CACHE / "compiled"
    folder.mkdir(exist_ok=True)
    found, orders, used = dict(files), [], set()
    for name, path in files.items():
        if path.suffix in (".whl", ".zip"):
            place = folder / _digest(salt + path.read_bytes())[:16]
            used.add(place)
            found[name] = place / name
            if not found[name].exists():
                orders.append((path, found[name]))
    if orders:
        with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
            news = [Path(temporary) / path.name for path, _ in orders]
            arguments = [
                str(part)
                for (path, _), new in zip(orders, news, strict=True)
                for part in (path, new)
            ]
            command = [node, str(script), str(core), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"Pyodide cannot compile archives: {done.stderr[-1000:]}")
            for (_, place), new in zip(orders, news, strict=True):
                place.parent.mkdir(exist_ok=True)
                new.replace(place)
    for old in folder.iterdir():
        if old not in used:
            shutil.rmtree(old)
    return found


def fetch_pyodide() -> Path:
    """The archive from npm: by npm itself, or from the index that npm is set up to ask."""
    archive = CACHE / f"pyodide-{PYODIDE}.tgz"
    if not archive.exists():
        npm = shutil.which("npm")
        print(f"Fetching Pyodide {PYODIDE} from npm ...", flush=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            new = Path(folder) / archive.name
            if npm:
                command = [npm, "pack", f"pyodide@{PYODIDE}", "--pack-destination", folder]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode or not new.exists():
                    lines = [line for line in done.stderr.splitlines() if "npm error" in line]
                    reason = "; ".join(lines[:2]) or "no archive came"
                    raise MissingPartError(f"npm cannot fetch pyodide@{PYODIDE}: {reason}")
            else:
                download(f"{configured_registry()}/pyodide/-/{archive.name}", new)
            if _digest(new.read_bytes()) != _ARCHIVE_SHA256:
                raise MissingPartError(f"what came as {archive.name} has not the expected content")
            new.replace(archive)
    return archive


def configured_registry() -> str:
    """The address that npm would ask, for machines without npm.

    Raises:
        MissingPartError: none is set up.
    """
    for name, value in os.environ.items():
        if name.lower() == "npm_config_registry" and value:
            return value.rstrip("/")
    for folder in (ROOT, Path.home()):
        path = folder / ".npmrc"
        if path.exists():
            parser = configparser.ConfigParser(interpolation=None, strict=False)
            parser.read_string("[npm]\n" + path.read_text(encoding="utf-8"))
            if address := parser["npm"].get("registry"):
                return address.strip().strip('"').rstrip("/")
    raise MissingPartError(
        "npm is not installed, and no registry is set up for it; install Node.js, or set "
        "NPM_CONFIG_REGISTRY to the address of an npm registry"
    )


def download(address: str, path: Path) -> None:
    """Fetch a file."""
    if not address.startswith(("https://", "http://")):
        raise MissingPartError(f"cannot fetch {address!r}: expected an address of http or https")
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            path.write_bytes(answer.read())
    except (OSError, urllib.error.URLError) as error:
        raise MissingPartError(f"cannot fetch {path.name}: {error}") from None


def unpack(archive: Path, core: Path) -> None:
    """What is needed of the archive."""
    core.mkdir(exist_ok=True)
    with tarfile.open(archive) as files:
        for name in (*_CORE, "pyodide-lock.json"):  # the list last: it says that all is there
            member = files.extractfile(f"package/{name}")
            assert member is not None
            (core / name).write_bytes(member.read())


def pyodides_server(core: Path) -> str:
    """Where Pyodide keeps the packages that are not in this site, by its own word."""
    script = (core / "pyodide.mjs").read_text(encoding="utf-8")
    match = re.search(r"`(https://[^`$]*)\$\{\w+\}(/[^`$]*)`", script)
    if match is None:
        raise RuntimeError("pyodide.mjs does not say where its packages are")
    return f"{match[1]}{PYODIDE}{match[2]}"


def fetch_listed(packages: dict[str, Any]) -> dict[str, Path]:
    """The wheels of `_LISTED` and of what they depend on, in Pyodide's versions."""
    names: list[str] = []
    waiting = list(_LISTED)
    while waiting:
        name = re.sub(r"[._]", "-", waiting.pop().lower())
        if name not in names:
            names.append(name)
            waiting += packages[name]["depends"]
    folder = CACHE / "wheels"
    folder.mkdir(exist_ok=True)
    found = {name: folder / packages[name]["file_name"] for name in sorted(names)}
    absent = [name for name, path in found.items() if not path.exists()]
    if absent:
        print(f"Fetching {len(absent)} packages for the browser ...", flush=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--python-version", _PYTHON, "--dest", str(folder)]
        command += [f"{name}=={packages[name]['version']}" for name in absent]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        missing = [path.name for path in found.values() if not path.exists()]
        if done.returncode or missing:
            lines = done.stderr.strip().splitlines() or missing
            raise MissingPartError(f"pip cannot fetch packages for the browser: {lines[-1]}")
    return found


def our_packages() -> Iterator[tuple[str, dict[str, Any], Path]]:
    """Names, entries for the list, and wheels of what is not in Pyodide's list."""
    for name, (depends, modules) in _OURS.items():
        path, imports = repacked(name)
        yield name, _entry(path, name, depends, [*imports, *modules]), path
    folder = _extension("@jupyterlite/pyodide-kernel-extension") / "static" / "pypi"
    for name, depends in _KERNEL.items():
        path = next(folder.glob(f"{name.replace('-', '_')}-*.whl"))
        yield name, _entry(path, name, depends, [name.replace("-", "_")]), path
    path = course_wheel()
    modules = ["utils", CONVERTED.name]
    yield COURSE, _entry(path, COURSE, ["chess", "tabulate", "tqdm"], modules), path


def _entry(path: Path, name: str, depends: list[str], imports: list[str]) -> dict[str, Any]:
    return {
        "depends": depends,
        "file_name": path.name,
        "imports": imports,
        "install_dir": "site",
        "name": name,
        "package_type": "package",
        "unvendored_tests": False,
        "version": path.name.split("-")[1],
    }


def repacked(name: str) -> tuple[Path, list[str]]:
    """A wheel of an installed package, which must have no compiled parts, and its modules.

    python-chess is published as source only; this way nothing has to be built.
    """
    package = importlib.metadata.distribution(name)
    files = {
        str(file): package.locate_file(file)
        for file in package.files or ()
        if ".." not in file.parts
        and "__pycache__" not in file.parts
        and file.suffix not in (".pyc", ".so", ".pyd", ".js", ".map")
        and file.name not in ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")
    }
    modules = sorted({Path(file).parts[0].removesuffix(".py") for file in files})
    imports = [module for module in modules if module.isidentifier()]
    path = CACHE / "wheels" / f"{name}-{package.version}-py3-none-any.whl"
    write_wheel(path, {part: Path(str(file)) for part, file in files.items()})
    return path, imports


def course_wheel() -> Path:
    """The course itself: tools, chapters as notebooks and as modules, data.

    The wheel has its hash in its name: what a browser has kept is never taken for it.
    """
    JupyterLoader().load_all()
    files: dict[str, Path] = {}
    for folder, patterns in (
        (ROOT / "utils", ("*.py", "*.js", "*.css")),
        (CONVERTED, ("*.py",)),
        (NOTEBOOKS, ("s*.ipynb",)),
        (DATA, ("*",)),
    ):
        for path in (path for pattern in patterns for path in folder.rglob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                files[path.relative_to(ROOT).as_posix()] = path
    files[STYLE.name] = STYLE
    contents = b"".join(
        part.encode() + hashlib.sha256(path.read_bytes()).digest()
        for part, path in sorted(files.items())
    )
    number = int(_digest(contents)[:12], 16)
    path = CACHE / "wheels" / f"{COURSE}-1-{number}-py3-none-any.whl"
    if not path.exists():
        for old in path.parent.glob(f"{COURSE}-1-*.whl"):
            old.unlink()
        write_wheel(path, files)
    return path


def write_wheel(path: Path, files: dict[str, Path]) -> None:
    """A wheel of these files, the same bytes each time; metadata are added if absent."""
    if path.exists() and not path.name.startswith(COURSE):
        return
    name, version = path.name.split("-")[:2]
    contents = {part: file.read_bytes() for part, file in files.items()}
    if not any(part.endswith(".dist-info/METADATA") for part in contents):
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        contents[f"{name}-{version}.dist-info/METADATA"] = head.encode()
    folder = next(part for part in contents if part.endswith(".dist-info/METADATA"))
    wheel = "Wheel-Version: 1.0\nGenerator: course\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    contents[folder.replace("METADATA", "WHEEL")] = wheel.encode()
    contents[folder.replace("METADATA", "RECORD")] = "".join(
        f"{part},,\n" for part in sorted(contents)
    ).encode()
    with beside(path) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, data in sorted(contents.items()):
            archive.writestr(zipfile.ZipInfo(part), data, zipfile.ZIP_DEFLATED)


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


def stage_chapters() -> None:
    """The notebooks, and the list of them that JupyterLite reads."""
    folder = SITE / "files"
    folder.mkdir(exist_ok=True)
    names = chapters()
    for path in folder.iterdir():
        if path.stem not in names:
            path.unlink()
    entries = []
    for name in names:
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        path = folder / f"{name}.ipynb"
        data = nbformat.writes(for_browser(notebook)).encode("utf-8")
        write_if_changed(path, data)
        entries.append(_listing(path.name, "notebook", size=len(data), content=None))
    data = json.dumps(_listing("", "directory", size=None, content=entries)).encode()
    write_if_changed(SITE / "api" / "contents" / "all.json", data)


def _listing(name: str, kind: str, *, size: int | None, content: Any) -> dict[str, Any]:
    moment = "2026-01-01T00:00:00Z"  # the readers' own changes are always newer
    return {
        "name": name,
        "path": name,
        "type": kind,
        "format": "json" if content is not None else None,
        "mimetype": None,
        "content": content,
        "size": size,
        "writable": True,
        "created": moment,
        "last_modified": moment,
        "hash": None,
        "hash_algorithm": None,
    }


def for_browser(notebook: Any) -> Any:
    """The chapter as it is opened in the browser: it says what is different there.

    Cells that show or try something may fail, and the next ones run all the same; so may all
    cells of a chapter that needs numpy, which may not be there. Terms and sources, which are
    explained on other pages of the book, become plain text.
    """
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    absent = [note for pattern, note in _NOTES.items() if re.search(pattern, code, re.MULTILINE)]
    text = (
        "```{note}\nThis chapter runs in your browser, on your machine, about "
        "three times as slowly as elsewhere. The first cell takes up to a minute, because Python "
        "is fetched and started first. What you change stays in this browser and in this "
        "chapter: the other chapters import the course as it was built."
    )
    if absent:
        text += f" What is different here: {'; '.join(absent)}."
    note = nbformat.v4.new_markdown_cell(text + "\n```")
    note.id = "in-the-browser"
    incomplete = re.search(r"^import numpy\b", code, re.MULTILINE)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = as_words(_TERM.sub(r"\1", cell.source))
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and (incomplete or _MAY_FAIL & set(tags)):
            cell.metadata["tags"] = [*tags, "raises-exception"]
    notebook.cells.insert(1, note)
    notebook.metadata["kernelspec"] = {
        "name": "python",
        "display_name": "Python (Pyodide)",
        "language": "python",
    }
    return notebook


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _stamp(path: Path) -> tuple[int, int]:
    now = path.stat()
    return now.st_size, now.st_mtime_ns
