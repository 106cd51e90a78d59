"""The words that chapters avoid: each is found, and what has a proper use is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer

from book.builder import voice
from utils.chapters import chapters


def found(markdown: str) -> list[str]:
    text = voice.prose(markdown)
    return [word for word, _ in (*voice.faults_in(text), *voice.chains_in(text))]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Whoever is to move loses.", "Whoever"),
        ("The moves are drawn by lot.", "drawn by lot"),
        ("It has to keep an appointment with a clock.", "keep an appointment with"),
        ("This is, of course, a draw.", "of course"),
        ("It simply counts.", "simply"),
        ("You just call `play`.", "just call"),
        ("Note that the board is a copy.", "Note that"),
        ("We copy it in order to search.", "in order to"),
        ("Here the engine wants the pawn.", "engine wants"),
        ("The engine changes its mind.", "changes its mind"),
        ("It starts a thought in a thread.", "a thought"),
        ("The interval takes the games for independent.", "takes the games for"),
        ("Back to the position of the beginning.", "position of the beginning"),
        ("In fact the pawn falls.", "In fact"),
        ("As was mentioned above, it is a draw.", "As was mentioned"),
        ("It is worth noting that it is a draw.", "It is worth noting"),
        ("A table is a powerful tool.", "powerful"),
        ("We win!", "win!"),
        ("*We win*! Now the rest.", "win*!"),
        ("The the pawn falls.", "The the"),
        ("It is a\nsquare in\nin a corner.", "in in"),
        ("White takes. Black takes back. White gives check. Black is mated.", "White takes."),
        ("```{admonition} Predict\n:class: x\n\nIt is obviously mate.\n```", "obviously"),
        ("A {term}`drawn by lot <seed>`", "drawn by lot"),
        ("A {term}`seed` is obviously used by `Random`.", "obviously"),
    ],
)
def test_what_to_avoid_is_found(text: str, word: str) -> None:
    (first,) = found(text)
    assert first.startswith(word)


@pytest.mark.parametrize(
    "text",
    [
        "A parking lot, and a lot of moves, by lots of players.",
        "The move that was just made; Black has just run out of time. It is just as good.",
        "The user wants a move. What an engine knows stands in its table.",
        "He thought of it. A thought experiment. On second thoughts it is a draw.",
        "The move 12.Qxf7! wins, and $n!$ counts the orders. `a != b`, `print('Hello!')`",
        "```python\n# whoever calls this\n```",
        "```{index} by lot, of course\n```\n\nText.",
        "See [the page](whoever.md) and <https://whoever.org/simply>.",
        "He had had the piece that that move gave.",
        "## Castling\n\nCastling is a move of the king.",
        "White takes. Black takes back. White gives check, and the king must move now.",
        "- It counts.\n- It sorts.\n- It plays.\n- It ends.",
        "A course of lectures; the discourse of courses.",
    ],
)
def test_what_has_a_proper_use_is_not_found(text: str) -> None:
    assert found(text) == []


def test_every_rule_says_what_to_do() -> None:
    for pattern, advice in voice.AVOID.items():
        assert re.compile(pattern) and advice[0].islower() and not list(voice.faults_in(advice))


def test_a_fault_is_named_with_its_cell_in_text_comments_and_captions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = (
        'def f(x: int) -> int:\n    """Simply counts what there is."""\n'
        "    # Whoever calls this,\n    # of\n    # course, waits.\n    return x\n\n"
        'board_figure("It obviously is a mate.", x="simply")'
    )
    cells = [
        {"id": "one", "cell_type": "markdown", "source": ["Nothing is\n", "utilized."]},
        {"id": "two", "cell_type": "code", "source": code.splitlines(keepends=True)},
        {"id": "three", "cell_type": "code", "source": ["%timeit x  # simply as it is"]},
    ]
    path = tmp_path / "s99_words.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    found = voice.faults(path)
    assert sorted((fault.cell, fault.word) for fault in found) == [
        ("one", "utilized"),
        ("two", "Simply"),
        ("two", "Whoever"),
        ("two", "obviously"),
        ("two", "of course"),
    ]
    with pytest.raises(typer.Exit) as ended:
        voice.main([path])
    assert ended.value.exit_code == 1
    assert "s99_words.ipynb: one: 'utilized': say use\n" in capsys.readouterr().out


def test_a_question_has_its_answer_directly_below() -> None:
    question = "```{admonition} Predict\n:class: course-predict\n\nWho wins?\n```"
    answer = "```{admonition} Answer\n:class: dropdown\n\nWhite.\n```"
    assert list(voice.open_questions_in(f"{question}\n\n{answer}\n\nText.")) == []
    for text in (question, f"{question}\n\nText.\n\n{answer}"):
        assert [word for word, _ in voice.open_questions_in(text)] == ["Predict"]


def test_the_chapters_and_pages_have_no_fault_of_style(capsys: pytest.CaptureFixture[str]) -> None:
    named = {path.name for path in voice.pages()}
    assert {f"{one.name}.ipynb" for one in chapters()} <= named
    assert {"TEMPLATE.ipynb", "index.md", "glossary.md", "README.md"} <= named
    with pytest.raises(typer.Exit) as ended:
        voice.main()
    assert ended.value.exit_code == 0, capsys.readouterr().out
