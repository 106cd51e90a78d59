"""When a chapter is executed again: its hash changes with what its outputs depend on."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from book.builder import dependencies
from book.builder.dependencies import dependency_hash as hash_of
from utils.chapters import chapters

CHAPTER = "s06_opening_book"  # it imports s05, utils.figures and a book in data


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], str]:
    """The hash of the chapter if a module had these lines at its end."""
    source_of = dependencies._source

    def with_lines(module: str, lines: bytes) -> str:
        def edited(name: str) -> bytes | None:
            source = source_of(name)
            return source + lines if source is not None and name == module else source

        with monkeypatch.context() as patch:
            patch.setattr(dependencies, "_source", edited)
            return hash_of(CHAPTER)

    return with_lines


def test_an_unchanged_chapter_has_the_same_hash() -> None:
    assert hash_of(CHAPTER) == hash_of(CHAPTER)


@pytest.mark.parametrize("module", ["utils.figures", "utils.exercises.s06", "utils.engines"])
def test_code_counts_and_a_comment_in_utils_does_not(
    changed: Callable[[str, bytes], str], module: str
) -> None:
    assert changed(module, b"\nADDED = 1\n") != hash_of(CHAPTER)
    assert changed(module, b"\n# a comment\n") == hash_of(CHAPTER)


def test_an_imported_chapter_counts_with_its_comments(changed: Callable[[str, bytes], str]) -> None:
    for module in ("s05_random_engine", "s04_engine_interface"):  # directly, and behind it
        assert changed(f"converted_notebooks.{module}", b"\n# a comment\n") != hash_of(CHAPTER)


def test_what_is_not_imported_does_not_count(changed: Callable[[str, bytes], str]) -> None:
    for module in ("utils.recipes.mates", "utils.play.terminal"):
        assert dependencies._source(module)
        assert changed(module, b"\nADDED = 1\n") == hash_of(CHAPTER)


def test_a_file_counts_if_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    before, hash_file = hash_of(CHAPTER), dependencies._file_hash
    read: list[str] = []

    def edited(path: Path, changed: int) -> bytes:
        read.append(path.name)
        return hash_file(path, changed) + (b"!" if path.name == name else b"")

    name = ""
    monkeypatch.setattr(dependencies, "_file_hash", edited)
    assert hash_of(CHAPTER) == before and "s23-clock.pgn" not in read
    assert {"openings.pgn", "course.bin"} <= set(read)
    for name in set(read):
        assert hash_of(CHAPTER) != before, name
    name = "s23-clock.pgn"
    assert hash_of(CHAPTER) == before


def test_chapters_that_ask_stockfish_are_executed_to_record_its_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RECORD_STOCKFISH", raising=False)
    asks = "s26_bitboards"
    before = hash_of(CHAPTER), hash_of(asks)
    monkeypatch.setenv("RECORD_STOCKFISH", "1")
    assert hash_of(CHAPTER) == before[0] and hash_of(asks) != before[1]


def test_all_engines_and_all_records_count_where_they_are_asked_for(
    changed: Callable[[str, bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = hash_of(CHAPTER)
    assert changed("converted_notebooks.s27_compiled_search", b"\n# a comment\n") != before
    first, *rest = chapters()
    renamed = (dataclasses.replace(first, title="Other"), *rest)
    monkeypatch.setattr(dependencies, "chapters", lambda: renamed)
    assert hash_of(CHAPTER) != before
