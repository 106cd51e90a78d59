"""Variants by seed: what is right there passes, and the book's answers do not."""

from __future__ import annotations

import itertools
import re

import pytest

import utils.exercises
from book.builder.contents import chapter_names
from tests.exercises.answering import CHAPTERS, PASSED, answers, said_of, whole
from tests.exercises.variant_answers import RIGHT
from utils.exercises import check, exercise, variant, varied
from utils.notebook.nbgrader_export import CHECK, changes, student_version

"""How the book's solution has to be changed for a variant, with its words [0] and values [1]."""

SEEDS = (1, 2, 3)
TESTED = {label: part for label, part in RIGHT.items() if label.partition("-")[0] in CHAPTERS}


@pytest.mark.parametrize("label", TESTED)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_right_answer_to_a_variant_passes_and_the_books_does_not(label: str, seed: int) -> None:
    values = variant(label, seed)
    right = {old: new.format_map(values) for old, new in TESTED[label].items()}
    assert said_of(label, right, seed).endswith(PASSED)
    assert not said_of(label, {}, seed).endswith(PASSED)
    assert said_of(label, {}).endswith(PASSED)


OTHERS = [
    pytest.param(*answer.values[:3], marks=answer.marks)
    if hasattr(answer, "values")
    else answer[:3]
    for answer in (*answers("RIGHT"), *answers("WRONG"))
    if (answer.values if hasattr(answer, "values") else answer)[0] in RIGHT
]


@pytest.mark.parametrize(("label", "old", "new"), OTHERS)
def test_no_other_answer_to_the_books_exercise_passes_a_variant(
    label: str, old: str, new: str
) -> None:
    assert not said_of(label, {old: new}, SEEDS[0]).endswith(PASSED)


def exercises() -> list[str]:
    """The labels of all exercises."""
    found = (CHECK.search(cell.source) for name in chapter_names() for cell in whole(name).cells)
    return [match[1] for match in found if match]


def test_the_exercises_that_vary_are_those_whose_variants_are_tested() -> None:
    assert [label for label in exercises() if variant(label, None)] == list(RIGHT)
    assert len(RIGHT) >= 20
    present = {label.partition("-")[0] for label in RIGHT}
    assert len(present & {f"s{number:02}" for number in range(3, 20)}) >= 15


def test_two_seeds_give_different_sheets_and_one_seed_the_same() -> None:
    sheets = {seed: [changes(whole(name), seed) for name in chapter_names()] for seed in range(40)}
    for one, other in itertools.combinations(sheets.values(), 2):
        assert sum(a != b for a, b in zip(one, other, strict=True)) >= 5
    assert sheets[7] == [changes(whole(name), 7) for name in chapter_names()]
    assert sum(map(len, sheets[0])) == len(RIGHT)
    # On any machine, in any version of Python.
    assert [variant("s12-1", 7)[part][0][-2:] for part in ("pawn", "rook")] == ["d3", "h4"]


@pytest.mark.parametrize("name", chapter_names())
def test_a_sheet_differs_from_the_book_in_exercises_that_vary_and_their_checks_know_it(
    name: str,
) -> None:
    plain, sheet = student_version(whole(name)).cells, student_version(whole(name), 5).cells
    expected = {label for label in RIGHT if label.startswith(name[:3])}
    texts, checks = set[str](), set[str]()
    for before, after in zip(plain, sheet, strict=True):
        if before.source == after.source:
            continue
        label = re.search(r":label: (\S+)", after.source)
        place = after.metadata.get("nbgrader", {}).get("grade_id", label and label[1])
        (texts if place.count("-") == 1 or place.endswith("-answer") else checks).add(place[:5])
        assert place.endswith("-check") == (", seed=5)\nassert checked" in after.source)
    assert texts == checks == expected


def test_words_that_are_not_in_the_text_are_an_error_that_names_them() -> None:
    @exercise("s04-97", size={"two": 2, "three": 3}, other=(5, 7, 9))
    def _(answer: int, size: int, other: int) -> None:
        assert (answer == size) and other

    (text,) = varied(["take two of 5, not 15, 5.5 or twofold"], "s04-97", 1)
    assert re.fullmatch(r"take (two|three) of \d, not 15, 5\.5 or twofold", text)
    with pytest.raises(ValueError, match=r"s04-97: expected \['two'\]"):
        varied(["take 5"], "s04-97", 1)
    draws = {tuple(value for _, value in variant("s04-97", seed).values()) for seed in range(99)}
    assert draws == set(itertools.product((2, 3), (5, 7, 9))) - {(2, 5)}
    assert check("s04-97", 2) and variant("s04-97", None)["other"] == ("5", 5)


def test_checks_come_back_after_an_edit_of_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Autoreload executes the package alone; its modules stay imported."""
    assert variant("s05-1", None) is not None
    monkeypatch.setattr(utils.exercises, "_CHECKS", {})
    assert variant("s05-1", None) is not None
    with pytest.raises(ValueError, match="no exercise 's05-99'"):
        variant("s05-99", None)
