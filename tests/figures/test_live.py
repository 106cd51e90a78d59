"""Figures that move: their data, their text without a script, and what a reader can do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.figures.reader import Reader, page_of, still
from utils.figures import Figure
from utils.figures.live import SCRIPT, Question, Step, steps_figure

PICTURE = '<svg><g data-part="a" data-is="on"><text data-text="value">2</text></g></svg>'
STEPS = [
    Step("Nothing yet."),
    Step("One.", {"a": {"is": "on", "value": "1"}}, now="a", ask=Question(("2", "3"), 0, "So.")),
    Step("Two.", {"a": {"value": "2"}}),
]


def example(**options: Any) -> Figure:
    return steps_figure(PICTURE, STEPS, "Steps.", name="fig-s09-x", alt="Steps.", **options)


def test_the_scripts_of_all_figures_are_small_and_one_script() -> None:
    assert len(SCRIPT.encode()) < 60_000
    assert not re.search(r"^(import|export) ", SCRIPT, flags=re.MULTILINE)
    assert "class Board " in SCRIPT and "class Scores " in SCRIPT


def test_without_a_script_there_are_a_picture_its_step_and_all_steps() -> None:
    text = still(example(shown=2))
    assert PICTURE in text and '<p class="course-live-line">Two.</p>' in text
    assert "<li>Nothing yet.</li><li>One.</li><li>Two.</li>" in text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: example(first=3), "fig-s09-x: step 3 of 3"),
        (lambda: example(shown=-4), "fig-s09-x: step -4 of 3"),
        (lambda: Question(("yes",), 0, ""), r"answer 0 of \['yes'\]"),
        (lambda: Question(("yes", "no"), 2, ""), r"answer 2 of \['yes', 'no'\]"),
        (
            lambda: steps_figure(
                PICTURE, [Step("b", {"b": {"is": "on"}})], "c", name="fig-s09-x", alt="a"
            ),
            "step 0 changes 'b'",
        ),
    ],
)
def test_what_is_wrong_is_named(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wrong()


def test_steps_lead_forward_and_back_by_buttons_slider_and_keys(page: Page) -> None:
    reader = Reader.of(page, example())
    value = reader.part("a").locator("text")
    expect(reader.line).to_have_text("Nothing yet.")
    assert reader.states() == {"a": ""} and value.text_content() == ""
    assert reader.back.get_attribute("aria-disabled") == "true"
    reader.on.click()
    assert reader.states() == {"a": "on now"} and value.text_content() == "1"
    reader.on.press("ArrowRight")
    expect(reader.line).to_have_text("Two.")
    assert reader.states() == {"a": "on"} and value.text_content() == "2"
    assert reader.on.get_attribute("aria-disabled") == "true"
    reader.on.press("Enter")  # there is no further step
    expect(reader.line).to_have_text("Two.")
    reader.back.press("Enter")
    expect(reader.line).to_have_text("One.")
    reader.slider.press("End")
    expect(reader.line).to_have_text("Two.")
    reader.slider.press("Home")
    expect(reader.line).to_have_text("Nothing yet.")
    assert reader.slider.input_value() == "0" and reader.line.get_attribute("aria-live") == "polite"


def test_a_question_comes_before_what_it_asks_for(page: Page) -> None:
    reader = Reader.of(page, example())
    reader.on.click()
    reader.root.get_by_role("button", name="3", exact=True).click()
    expect(reader.line).to_have_text("One. Not so. So.")
    reader.root.get_by_role("button", name="2", exact=True).press("Enter")
    expect(reader.line).to_have_text("One. Right. So.")
    reader.on.click()
    expect(reader.line).to_have_text("Two. You answered 1, 1 of them right.")
    assert reader.root.locator(".course-live-choices button").count() == 0
    reader.back.click()
    expect(reader.line).to_have_text("One. Right. So.")


def test_figures_on_one_page_do_not_disturb_each_other(page: Page) -> None:
    page.set_content(page_of(example(), example(first=-1)))
    one, two = Reader(page), Reader(page, 1)
    expect(two.line).to_have_text("Two.")
    one.on.click()
    expect(one.line).to_have_text("One.")
    expect(two.line).to_have_text("Two.")
    assert page.get_by_role("slider").count() == 2


def test_without_scripts_the_picture_stays_as_it_is(browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(page_of(example()))
    assert page.locator('[data-part="a"]').get_attribute("data-is") == "on"
    assert page.locator(".course-live-line").text_content() == "Two."
    assert page.get_by_role("slider").count() == 0
    context.close()
