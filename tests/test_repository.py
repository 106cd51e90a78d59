"""What the repository as a whole promises."""

from __future__ import annotations

import ast
import graphlib
import hashlib
import itertools
import json
import random
import re
import shlex
import subprocess
import tomllib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from book.builder.citations import cited, labels
from book.builder.contents import chapter_names, contents
from utils.engines import make_engine
from utils.external_programs import find_program, install_hint, shell_line
from utils.jupyter_loader import JupyterLoader
from utils.notebook.names import LEFT_OUT
from utils.paths import DATA, NOTEBOOKS, ROOT

TWO_STEPS = {"s07", "s09", "s11"}
"""Chapters that add two classes to the line of an engine."""

MOST_LINES = {"utils": 400, "book": 400, "tests": 700}
"""Of a module, by folder."""


def listed(*arguments: str) -> list[str]:
    """What `git ls-files` lists, as far as it is there."""
    command = ["git", "ls-files", *arguments]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listing.stdout.splitlines() if ROOT.joinpath(name).is_file()]


def cells(name: str) -> list[dict[str, Any]]:
    """The cells of a chapter's notebook."""
    text = NOTEBOOKS.joinpath(f"{name}.ipynb").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in found]


def test_no_file_holds_the_address_of_a_package_index() -> None:
    pattern = re.compile(r"https?://[^\s\"']*(simple/?[\s\"']|pypi\.org|pythonhosted)")
    found = []
    for name in listed("--cached", "--others", "--exclude-standard"):
        try:
            text = ROOT.joinpath(name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if name != "tests/test_repository.py" and pattern.search(text):
            found.append(name)
    assert found == []


def test_the_lock_names_no_source() -> None:
    lock = tomllib.loads(ROOT.joinpath("poetry.lock").read_text(encoding="utf-8"))
    assert not [package["name"] for package in lock["package"] if "source" in package]


@pytest.mark.parametrize("name", [*chapter_names(), "TEMPLATE"])
def test_committed_notebooks_hold_no_outputs(name: str) -> None:
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells(name))


def test_every_chapter_is_in_the_book_and_the_template_is_not() -> None:
    assert [f"notebooks/{name}.ipynb" for name in chapter_names()] == listed("notebooks/s*.ipynb")
    assert "TEMPLATE" not in str(contents())


def test_no_definition_of_a_chapter_needs_what_shows_games() -> None:
    modules = {name: JupyterLoader().load(name).source.decode() for name in chapter_names()}
    assert not [name for name, text in modules.items() if re.search(r"\butils\.play\b", text)]


def test_no_two_classes_of_the_course_have_the_same_name() -> None:
    names = Counter[str]()
    for cell in itertools.chain.from_iterable(map(cells, chapter_names())):
        tags, magic = cell["metadata"].get("tags", []), cell["source"].startswith("%")
        if cell["cell_type"] == "code" and not magic and not LEFT_OUT & {*tags}:
            tree = ast.parse(cell["source"])
            names.update(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    assert names.total() > 80
    assert {name for name, count in names.items() if count > 1} == set()


def test_from_s14_on_each_chapter_adds_one_class_to_the_line_of_an_engine() -> None:
    """Before, s07, s09 and s11 show two steps of an idea, by two classes."""
    for number in (*range(5, 20), 22, 23, 27):
        engine = make_engine(f"s{number:02}", random.Random(1))
        line = [kind.__module__.partition(".")[2][:3] for kind in type(engine).__mro__[:-1]]
        added = Counter(chapter for chapter in line if chapter)
        assert set(added.values()) <= {1, 2}, added
        assert {chapter for chapter, count in added.items() if count > 1} <= TWO_STEPS, added


@pytest.mark.parametrize("folder", MOST_LINES)
def test_no_module_is_longer_than_a_reader_can_hold(folder: str) -> None:
    lines = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for path in ROOT.glob(f"{folder}/**/*.py")
    }
    assert len(lines) > 5
    assert not [name for name, count in lines.items() if count > MOST_LINES[folder]]


@pytest.mark.parametrize("name", chapter_names())
def test_folded_checks_say_that_they_are_checks(name: str) -> None:
    for cell in cells(name):
        if {"checks", "hide-input"} <= set(cell["metadata"].get("tags", ())):
            prompt = cell["metadata"].get("mystnb", {}).get("code_prompt_show")
            assert prompt == "Show the checks", cell["id"]


@pytest.mark.parametrize("name", chapter_names())
def test_a_class_of_a_chapter_can_be_edited_in_a_running_kernel(name: str) -> None:
    # With slots, IPython's autoreload leaves the old class with the slots of the new one.
    assert "slots=True" not in NOTEBOOKS.joinpath(f"{name}.ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*chapter_names(), "TEMPLATE"])
def test_a_chapter_keeps_to_the_anatomy(name: str) -> None:
    title, card, setup, *_ = found = cells(name)
    text = "\n".join(cell["source"] for cell in found if cell["cell_type"] == "markdown")
    assert title["source"].startswith("# ") and ":class: course-card" in card["source"]
    assert setup["source"] == "%load_ext utils.notebook"
    assert setup["metadata"]["tags"] == ["remove-cell"]
    headings = ("## Pitfall", "## Summary", "### Synopsis", "## Exercises", "## Further reading")
    places = [f"\n{text}\n".index(f"\n{heading}") for heading in headings]
    assert places == sorted(places), "the order of the sections"
    assert cited(text)
    assert [label for label, key in cited(text) if labels()[key] != label] == []
    assert "references.bib" not in re.sub(r"\]\([^)]*\)", "", text), "a citation that is no link"
    assert "{cite" not in text, "only the book can show it"
    assert "{index}" in text
    assert not re.search(r"TODO|FIXME|lorem ipsum|coming soon", text, re.IGNORECASE)
    prose = re.sub(r"`[^`]*`|\$[^$]*\$", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    assert not re.search(r"\w!(\s|$)", prose), "no exclamation marks"
    code = [cell["source"] for cell in found if cell["cell_type"] == "code"]
    *_, second, longest = sorted(len(source.splitlines()) for source in code)
    assert second <= 70 and longest <= 170, "the class that is a chapter's subject is on one page"


def test_the_imports_of_utils_form_no_circle() -> None:
    """Imports inside functions count; that a package is imported before its parts does not."""
    paths = {}
    for path in ROOT.joinpath("utils").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        paths[name.removesuffix(".__init__")] = path
    imported: dict[str, set[str]] = {}
    for name, path in paths.items():
        found = imported.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, (name, "imports are absolute")
                parts = {f"{node.module}.{alias.name}" for alias in node.names}
                found.update(part if part in paths else node.module or "" for part in parts)
    assert "utils.notebook.converter" in imported["utils.jupyter_loader"]
    list(graphlib.TopologicalSorter(imported).static_order())  # raises an error that names them


def test_every_data_file_has_its_origin_and_its_checksum_stated() -> None:
    readme = DATA.joinpath("README.md").read_text(encoding="utf-8")
    for path in DATA.rglob("*"):
        if path.is_file() and path.name not in ("README.md", ".DS_Store"):
            assert path.relative_to(DATA).as_posix() in readme
            assert hashlib.sha256(path.read_bytes()).hexdigest() in readme, path


def test_a_program_that_is_absent_comes_with_its_installation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("utils.external_programs.shutil.which", lambda place: None)
    for name in ("polyglot", "epubcheck", "stockfish", "chromium"):
        assert find_program(name) is None
        assert f"install {name}" in install_hint(name)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("polyglot", "/usr/games/polyglot"),
        ("stockfish", "stockfish"),
        ("stockfish", "/opt/homebrew/bin/stockfish"),
        ("chromium", "google-chrome"),
    ],
)
def test_a_program_is_found_wherever_it_may_be(
    name: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {place: f"{place}/here"}
    monkeypatch.setattr("utils.external_programs.shutil.which", there.get)
    assert find_program(name) == str(Path(f"{place}/here"))


def test_a_command_line_is_taken_apart_again(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["my programs/python", "-c", "print('$HOME')"]
    assert shlex.split(shell_line(words)) == words
    monkeypatch.setattr("utils.external_programs.os", SimpleNamespace(name="nt"))
    assert shell_line(words) == "\"my programs/python\" -c print('$HOME')"
