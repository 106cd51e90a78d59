"""Fixtures: projects for tests of the notebook loader, a browser, the book on a server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import converted_notebooks
import tests.helpers.generated  # noqa: F401 - loads the profile of hypothesis
from tests.helpers.lab import Lab, running_lab
from tests.helpers.loader_tools import CopiedProject, Project
from tests.helpers.programs import need
from tests.helpers.site import BROWSER, served
from utils.jupyter_loader import CHAPTER_NAME, PACKAGE, install_import_hook


def _forget_chapters() -> dict[str, object]:
    """Make the chapters unknown to this process; returns what was known."""
    known: dict[str, object] = {}
    for name in list(sys.modules):
        if name.startswith(f"{PACKAGE}."):
            known[name] = sys.modules.pop(name)
    for name in list(vars(converted_notebooks)):
        if CHAPTER_NAME.fullmatch(name):
            delattr(converted_notebooks, name)
    return known


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = need("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running_lab(tmp_path_factory.mktemp("lab") / "files") as lab:
        yield lab


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the rendered book is served."""
    with served() as address:
        yield address


@pytest.fixture
def chapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project without code of its own: this process imports its chapters."""
    project = Project(tmp_path / "course")
    known = _forget_chapters()
    monkeypatch.setattr(install_import_hook(), "loader", project.loader)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    yield project
    _forget_chapters()
    for name, module in known.items():
        sys.modules[name] = module  # type: ignore[assignment]
        setattr(converted_notebooks, name.rpartition(".")[2], module)


@pytest.fixture
def project(tmp_path: Path) -> CopiedProject:
    """A project with a copy of the course's code, for fresh processes and kernels."""
    return CopiedProject(tmp_path / "course")
