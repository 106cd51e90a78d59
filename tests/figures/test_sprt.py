"""Matches under a sequential test: every walk, its verdict, and the games as they arrive."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.figures.reader import data_of, page_of, still
from utils.figures import Figure
from utils.figures.sprt import Claims, Run, sprt_figure

CLAIMS = Claims(0, 40, -2.9, 2.9)


def run(drift: float, rng: random.Random) -> Run:
    """A walk from zero to a bound."""
    ratios = [0.0]
    while CLAIMS.lower < ratios[-1] < CLAIMS.upper:
        ratios.append(ratios[-1] + rng.gauss(drift, 0.5))
    return Run(ratios, 400 * drift)


RNG = random.Random(4)
RUNS = {
    truth: [run(drift, RNG) for _ in range(2)]
    for truth, drift in ((40.0, 0.1), (0.0, -0.1), (20.0, 0.02))
}


def figure(runs: Any = RUNS, **given: Any) -> Figure:
    options: Any = {"games": 20, "name": "fig-s24-x", "alt": "Walks.", "first": 20} | given
    return sprt_figure(runs, CLAIMS, "Walks.", **options)


def heights(page: Page) -> list[float]:
    """The log-likelihood ratios of the walk that is drawn."""
    _, _, zero, up = data_of(figure())["place"]
    path = page.locator("path.walk").get_attribute("d") or ""
    return [(zero - float(place.split()[1])) / up for place in re.split("[ML]", path)[1:]]


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name)


def test_without_a_script_there_are_three_walks_and_all_matches_in_words() -> None:
    text = still(figure())
    assert text.count('<path class="walk"') == 3 and text.count("<li>") == 3
    for truth, runs in RUNS.items():
        for one in runs:
            end = f"is accepted after {20 * (len(one.ratios) - 1)} games"
            accepted = "H1" if one.ratios[-1] >= CLAIMS.upper else "H0"
            assert f"{accepted} {end}" in text.split("<ol>")[1], truth
    assert "True difference +20 Elo: H" in text


def test_a_verdict_is_judged_by_the_truth() -> None:
    rising, falling = Run([0, 4], 90), Run([0, -4], -80)
    ends = {
        truth: [one["end"] for one in found]
        for truth, found in zip(
            (0, 20, 40),
            data_of(figure({t: [rising, falling] for t in (0, 20, 40)}))["runs"],
            strict=True,
        )
    }
    assert ends[0][0] == "H1 is accepted. That is wrong. The score says +90 Elo."
    assert ends[0][1] == "H0 is accepted. That is right. The score says −80 Elo."
    assert "That is right." in ends[40][0] and "That is wrong." in ends[40][1]
    assert all("Neither claim is true." in end for end in ends[20])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: figure(first=10), "expected runs for 10"),
        (lambda: figure({20: []}), "expected runs for 20"),
        (lambda: figure({20: [Run([0, 4], 1)], 0: []}), "equally many"),
        (lambda: figure({20: [Run([0, 1], 1)]}), "a run of 20 Elo without a verdict"),
        (lambda: figure({20: [Run([0, 4, 5], 1)]}), "a run of 20 Elo without a verdict"),
        (lambda: figure({20: [Run([1, 4], 1)]}), "a run of 20 Elo without a verdict"),
        (lambda: figure({20: [Run([0], 1)]}), "a run of 20 Elo without a verdict"),
    ],
)
def test_what_is_wrong_is_named(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wrong()


def test_each_match_is_drawn_as_far_as_its_games_have_arrived(page: Page) -> None:
    page.set_content(page_of(figure()))
    line = page.locator(".course-live-line")
    assert page.locator("path.walk").count() == 1 and heights(page) == [0]
    expect(line).to_contain_text("The true difference is +20 Elo. This is match 1 of 2.")
    for number, truth in enumerate(sorted(RUNS)):
        slider(page, "true difference").fill(str(number))
        for index, one in enumerate(RUNS[truth]):
            expect(line).to_contain_text(f"match {index + 1} of 2")
            slider(page, "games").press("ArrowRight")
            expect(line).to_contain_text("20 games")
            slider(page, "games").press("End")
            assert heights(page) == pytest.approx(one.ratios, abs=0.02)
            expect(line).to_contain_text(f"{20 * (len(one.ratios) - 1)} games")
            expect(line).to_contain_text("is accepted.")
            page.get_by_role("button", name="another match").click()
    assert slider(page, "true difference").get_attribute("aria-valuetext") == "+40 Elo"


def test_games_arrive_by_themselves_until_they_are_stopped_or_decided(page: Page) -> None:
    page.set_content(page_of(figure()))
    line = page.locator(".course-live-line")
    page.clock.install(time=0)
    page.clock.pause_at(1)  # second; from here on time goes by only where the test says so
    page.get_by_role("button", name="let games arrive").click()
    page.clock.run_for(120)
    assert len(heights(page)) == 1 + 1 + 3 and line.get_attribute("aria-live") == "off"
    page.get_by_role("button", name="stop").click()
    page.clock.run_for(1000)
    assert len(heights(page)) == 5 and line.get_attribute("aria-live") == "polite"
    page.get_by_role("button", name="let games arrive").press("Enter")
    page.clock.run_for(60_000)
    assert len(heights(page)) == len(RUNS[20][0].ratios)
    expect(line).to_contain_text("is accepted.")
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="another match").click()
    page.get_by_role("button", name="let games arrive").click()
    assert len(heights(page)) == len(RUNS[20][1].ratios)
