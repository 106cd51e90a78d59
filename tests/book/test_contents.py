"""The records of the chapters, and the lists that are made from them."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest

from book.builder import contents
from utils.chapters import Chapter, chapter, chapters, course_chapters
from utils.engines import ENGINES, make_engine, players
from utils.jupyter_loader import ChapterFinder, JupyterLoader
from utils.paths import BOOK

COURSE = course_chapters()


@pytest.mark.parametrize("one", COURSE, ids=lambda one: one.number)
def test_the_record_of_a_chapter_is_complete(one: Chapter) -> None:
    assert re.fullmatch(r"s\d\d_\w+", one.name) and one.title[0].isupper()
    assert one.idea.endswith(".") and len(one.idea.split()) <= 20
    assert bool(one.engine) is one.has_engine is (one.number in ENGINES)
    assert chapter(one.number) == chapter(one.name) == one


def test_the_book_has_the_chapters_in_their_order() -> None:
    files = [page["file"] for part in contents.contents()["parts"] for page in part["chapters"]]
    assert [file for file in files if chapter(file)] == [one.name for one in COURSE]
    course = [one.number for one in COURSE if one.part != "Appendix"]
    appendix = [one.number for one in COURSE if one.part == "Appendix"]
    assert course == [f"s{n:02}" for n in range(1, len(course) + 1)]
    assert appendix == [f"s{n}" for n in range(90, 90 + len(appendix))]
    page = BOOK.joinpath("index.md").read_text(encoding="utf-8")
    cards = re.findall(r"\{chapter-cards\} (.*)", page)
    assert [one for part in cards for one in contents.of_part(part)] == list(COURSE)
    with pytest.raises(ValueError, match=r"'Opening'.*'First engines'"):
        contents.of_part("Opening")


def test_the_readme_lists_the_chapters() -> None:
    shown = contents.README.read_text(encoding="utf-8")
    assert shown == contents.readme(), "python -m book.builder.contents writes it anew"
    assert all(f"| {one.number} {one.title} | {one.idea} |" in shown for one in COURSE)


def test_the_plan_for_teachers_has_every_chapter() -> None:
    plan = BOOK.joinpath("teaching.md").read_text(encoding="utf-8")
    assert [one.name for one in COURSE if f"{{doc}}`{one.name}`" not in plan] == []


def notebook(*sources: str, **record: str) -> str:
    cells = [{"cell_type": "markdown", "source": ["# My engine\n", "\n", "Words."]}]
    cells += [{"cell_type": "code", "source": [source]} for source in sources]
    return json.dumps({"cells": cells, "metadata": {"course": record}})


def test_a_chapter_of_a_readers_own_comes_last_and_damages_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "s90_course": notebook("def make_engine(rng): ...", part="Search", idea="It.", engine="it"),
        "s31_mine": notebook("import chess\n\n\ndef make_engine(rng):\n    return None"),
        "s32_plain": notebook("x = 'def make_engine(rng)'"),
        "s33_damaged": "{",
        "s34_odd": notebook("def make_engine(rng): ...", part="Search", mood="good"),
        "s38_told": notebook("def make_engine(rng): ...").replace('"code"', '"markdown"'),
        "s37_bare": '{"cells": [], "metadata": null}',
        "s35_tried": notebook("def make_engine(rng): ...").replace(
            '"cell_type": "code"', '"metadata": {"tags": ["experiment"]}, "cell_type": "code"'
        ),
    }.items():
        tmp_path.joinpath(f"{name}.ipynb").write_text(text, encoding="utf-8")
    with contextlib.suppress(OSError):  # Windows may not allow it
        tmp_path.joinpath("s36_gone.ipynb").symlink_to(tmp_path / "nowhere.ipynb")
    finder = ChapterFinder(JupyterLoader(tmp_path, tmp_path / "out"))
    monkeypatch.setattr("utils.chapters.install_import_hook", lambda: finder)
    found = {one.number: one for one in chapters()}
    assert list(found) == ["s90", "s31", "s32", "s33", "s34", "s35", "s37", "s38"]
    assert found["s31"] == Chapter("s31_mine", "My engine", has_engine=True)
    assert [number for number, one in found.items() if one.has_engine] == ["s90", "s31", "s34"]
    assert players() == ("s90", "s31", "s34")
    assert found["s34"] == Chapter("s34_odd", "My engine", has_engine=True)
    for bad in ("s33_damaged", "s37_bare"):
        assert found[bad[:3]].title == bad
    with pytest.raises(ValueError, match="'s32' brings no engine; expected one of s90, s31, s34"):
        make_engine("s32")
