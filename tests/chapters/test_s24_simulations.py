"""What the statistics of s24 promise, in simulated matches where the truth is known."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

import numpy as np
import pytest

from converted_notebooks import s24_measuring_strength as s24

DRAWS = 0.3
SPRT = s24.Sprt(0, 30)


def game(score: float) -> tuple[float, float, float]:
    """Chances of a loss, a draw and a win for a player who expects this score."""
    draw = 2 * DRAWS * min(score, 1 - score)
    return 1 - score - draw / 2, draw, score - draw / 2


def pair(elo: float, bias: float) -> list[float]:
    """Chances of the five pair scores, if the opening gives White `bias` Elo between equals.

    Their mean is the expected score of `elo`.
    """
    score, lead = s24.expected_score(elo), s24.expected_score(bias) - 0.5
    chances = [0.0] * 5
    for i, one in enumerate(game(score + lead)):
        for j, other in enumerate(game(score - lead)):
            chances[i + j] += one * other
    return chances


def matches(chances: list[float], pairs: int, count: int, seed: int) -> Iterator[s24.Pentanomial]:
    for counts in np.random.default_rng(seed).multinomial(pairs, chances, count).tolist():
        yield s24.Pentanomial(tuple(counts))


@pytest.mark.slow
@pytest.mark.parametrize("bias", [0, 100, 250])
@pytest.mark.parametrize("elo", [0, 30, 100])
@pytest.mark.parametrize(
    ("pairs", "least", "most"), [(12, 0.87, 0.96), (50, 0.925, 0.965), (200, 0.935, 0.965)]
)
def test_the_interval_from_pairs_holds_the_truth_as_often_as_the_chapter_says(
    pairs: int, least: float, most: float, elo: float, bias: float
) -> None:
    chances, held = pair(elo, bias), 0
    for found in matches(chances, pairs, 3000, seed=pairs):
        low, high = found.interval
        held += low <= elo <= high
    assert least < held / 3000 < most


def verdicts(elo: float, count: int, seed: int) -> list[tuple[str, s24.Pentanomial]]:
    """The ends of so many tests that look after every fourth pair."""
    rng, chances, ends = np.random.default_rng(seed), pair(elo, 100), []
    for _ in range(count):
        counts = np.zeros(5, int)
        while True:
            counts += rng.multinomial(4, chances)
            pairs = s24.Pentanomial(tuple(counts.tolist()))
            if (verdict := SPRT.state(pairs).verdict) != "continue":
                ends.append((verdict, pairs))
                break
    return ends


@pytest.mark.slow
def test_the_error_rates_of_the_sequential_test_are_those_that_it_promises() -> None:
    accepted = {}
    for elo in (-30, 0, 30, 60):
        ends = verdicts(elo, 500, seed=elo + 100)
        accepted[elo] = sum(verdict == "accept H1" for verdict, _ in ends) / 500
    assert accepted[-30] < 0.01 and 0.02 < accepted[0] < 0.075
    assert 0.925 < accepted[30] < 0.98 and accepted[60] > 0.99


@pytest.mark.slow
def test_the_score_at_the_stop_is_no_estimate() -> None:
    ends = {elo: verdicts(elo, 300, seed=elo + 7) for elo in (0, 15, 30)}
    won = [pairs for verdict, pairs in ends[30] if verdict == "accept H1"]
    mean = statistics.fmean(s24.elo_difference(pairs.score) for pairs in won)
    assert 36 < mean < 44, "the truth is 30"
    intervals = [(elo, pairs.interval) for elo in ends for _, pairs in ends[elo]]
    held = sum(low <= elo <= high for elo, (low, high) in intervals)
    assert 0.88 < held / len(intervals) < 0.945


@pytest.mark.slow
def test_normalised_elo_says_how_many_pairs_a_verdict_needs() -> None:
    """With the same lead in standard deviations, as many matches are beyond zero."""
    found = []
    for decided in (0.5, 0.1):  # the share of pairs that are not 1:1; those end 2:0 or 0:2
        lead = 0.1 * math.sqrt(decided) / 2  # a tenth of the deviation of a pair's score
        chances = [decided / 2 - lead, 0.0, 1 - decided, 0.0, decided / 2 + lead]
        nelo = s24.normalised_elo(next(matches(chances, 10**9, 1, seed=1)))
        assert nelo == pytest.approx(800 / math.log(10) * 0.1 / math.sqrt(2), rel=0.02)
        found.append(sum(m.interval[0] > 0 for m in matches(chances, 600, 3000, seed=5)) / 3000)
    assert found[0] == pytest.approx(found[1], abs=0.04) and 0.5 < found[0] < 0.85
