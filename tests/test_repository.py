"""What the repository as a whole promises."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tomllib

import pytest

from book.builder.citations import cited, labels
from book.builder.contents import chapters, contents
from utils.external_programs import INSTALL, find_program, missing
from utils.paths import DATA, NOTEBOOKS, ROOT


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listing.stdout.splitlines() if ROOT.joinpath(name).is_file()]


def test_no_file_holds_the_address_of_a_package_index() -> None:
    pattern = re.compile(r"https?://[^\s\"']*(simple/?[\s\"']|pypi\.org|pythonhosted)")
    found = []
    for name in tracked():
        try:
            text = ROOT.joinpath(name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if name != "tests/test_repository.py" and pattern.search(text):
            found.append(name)
    assert found == []


def test_the_lock_names_no_source_and_has_what_the_course_is_made_with() -> None:
    lock = tomllib.loads(ROOT.joinpath("poetry.lock").read_text(encoding="utf-8"))
    assert not [package["name"] for package in lock["package"] if "source" in package]
    names = {package["name"] for package in lock["package"]}
    assert {"chess", "jupyterlab", "nbconvert", "line-profiler", "jupyter-book"} <= names


@pytest.mark.parametrize("name", [*chapters(), "TEMPLATE"])
def test_committed_notebooks_hold_no_outputs(name: str) -> None:
    notebook = json.loads(NOTEBOOKS.joinpath(f"{name}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_every_chapter_is_in_the_book_and_the_template_is_not() -> None:
    committed = subprocess.run(
        ["git", "ls-files", "notebooks/s*.ipynb"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [f"notebooks/{name}.ipynb" for name in chapters()] == committed.stdout.split()
    assert "TEMPLATE" not in str(contents())


@pytest.mark.parametrize("name", chapters())
def test_a_class_of_a_chapter_can_be_edited_in_a_running_kernel(name: str) -> None:
    # With slots, IPython's autoreload leaves the old class with the slots of the new one.
    assert "slots=True" not in NOTEBOOKS.joinpath(f"{name}.ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*chapters(), "TEMPLATE"])
def test_a_chapter_keeps_to_the_anatomy(name: str) -> None:
    notebook = json.loads(NOTEBOOKS.joinpath(f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = [(c["cell_type"], "".join(c["source"]), c) for c in notebook["cells"]]
    text = "\n".join(source for kind, source, _ in cells if kind == "markdown")
    assert cells[0][1].startswith("# ")
    assert ":class: course-card" in cells[1][1]
    assert cells[2][1] == "%load_ext utils.notebook"
    assert cells[2][2]["metadata"]["tags"] == ["remove-cell"]
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
    long = [len(s.splitlines()) for kind, s, _ in cells if kind == "code"]
    assert max(long) <= 70, "a class that is a chapter's subject may be this long"


def test_every_data_file_has_its_origin_and_its_checksum_stated() -> None:
    readme = DATA.joinpath("README.md").read_text(encoding="utf-8")
    for path in DATA.rglob("*"):
        if path.is_file() and path.name not in ("README.md", ".DS_Store"):
            assert path.relative_to(DATA).as_posix() in readme
            assert hashlib.sha256(path.read_bytes()).hexdigest() in readme, path


def test_every_chapter_is_in_the_readme_and_in_the_changelog() -> None:
    for page in ("README.md", "CHANGELOG.md"):
        text = ROOT.joinpath(page).read_text(encoding="utf-8")
        for name in chapters():
            assert re.search(rf"(\| |- |; ){name.partition('_')[0]}[ ,]", text), (page, name)


def test_a_program_that_is_absent_comes_with_its_installation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("utils.external_programs.shutil.which", lambda place: None)
    for name, command in INSTALL.items():
        assert find_program(name) is None
        assert command in missing(name)
