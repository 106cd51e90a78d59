"""The statistics of s21, number by number, against other ways to compute them."""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s21_measuring_strength as s21
from converted_notebooks.s21_measuring_strength import (
    PAIR_SCORES,
    Pentanomial,
    Sprt,
    SprtState,
    add_up,
    elo_difference,
    expected_score,
    fit_strengths,
    log_likelihood_ratio,
    ratings,
    standing,
    tilt,
)
from tests.generated import examples
from utils.matches.records import FAULTS, Played

UNIT = 400 / math.log(10)
"""Elo for one unit of strength without draws."""
counts = st.tuples(*[st.integers(0, 60)] * 5).filter(lambda c: sum(c) > 0)


def game(first: str, second: str, number: int, points: float, termination: str = "") -> Played:
    return Played(first, second, number, points, termination, {})


@pytest.mark.parametrize(
    ("elo", "score"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101), (120, 0.66614)]
)
def test_elo_and_score(elo: float, score: float) -> None:
    assert expected_score(elo) == pytest.approx(score, rel=1e-5)
    assert elo_difference(score) == pytest.approx(elo, rel=1e-4)


def test_the_ends_of_the_scale_are_infinitely_far() -> None:
    assert (elo_difference(0), elo_difference(1)) == (-math.inf, math.inf)
    for wrong in (-1e-9, 1 + 1e-9, math.nan):
        with pytest.raises(ValueError, match="expected a share of the points"):
            elo_difference(wrong)


# Pairs


@examples(25)
@given(counts)
def test_pairs_are_counted_and_averaged(found: tuple[int, int, int, int, int]) -> None:
    points = [2 * s for n, s in zip(found, PAIR_SCORES, strict=True) for _ in range(n)]
    pairs = Pentanomial.of(points)
    assert (pairs.counts, pairs.total) == (found, len(points))
    shares = [point / 2 for point in points]
    assert pairs.score == pytest.approx(statistics.fmean(shares))
    assert pairs.variance == pytest.approx(statistics.pvariance(shares), abs=1e-12)
    if pairs.variance > 1e-9:
        # The width of the interval of scores, and how steep Elo is there.
        width, step = 1.96 * statistics.pstdev(shares) / math.sqrt(len(points)), 1e-6
        slope = elo_difference(pairs.score + step) - elo_difference(pairs.score - step)
        assert pairs.margin == pytest.approx(width * slope / (2 * step), rel=1e-4)


def test_pairs_that_say_nothing() -> None:
    nothing = Pentanomial()
    assert (nothing.total, nothing.score, nothing.variance, nothing.margin) == (0, 0.5, 0, math.inf)
    assert Pentanomial((0, 0, 0, 0, 3)).margin == math.inf


def test_nobody_changes_what_was_found() -> None:
    heap: list[s21.Result] = [("a", "b", 1.0, 1.0, 1.0)]
    known: list[Any] = [Pentanomial(), Sprt(0, 1), standing([], 2), fit_strengths(heap)]
    for found in [*known, *ratings(heap)]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(found, dataclasses.fields(found)[0].name, 1)


# The sequential test


def multiplier(shares: Sequence[float], score: float) -> float:
    """What `tilt` finds, as the root of a polynomial between its poles."""
    values = [value - score for value in PAIR_SCORES]
    total = np.poly1d([0.0])
    for n, (share, value) in enumerate(zip(shares, values, strict=True)):
        others = [np.poly1d([other, 1.0]) for m, other in enumerate(values) if m != n]
        total += share * value * math.prod(others, start=np.poly1d([1.0]))
    roots = [float(r.real) for r in total.roots if abs(r.imag) < 1e-9]
    (root,) = (r for r in roots if all(1 + r * value > 0 for value in values))
    return root


@examples(25)
@given(counts, st.floats(-300, 300), st.floats(1, 60))
def test_the_llr_is_that_of_the_likeliest_shares(
    found: tuple[int, int, int, int, int], elo0: float, step: float
) -> None:
    seen = [count or 1e-3 for count in found]
    shares = [count / sum(seen) for count in seen]
    likelihood = []
    for elo in (elo0, elo0 + step):
        score = expected_score(elo)
        theta = multiplier(shares, score)
        assert tilt(shares, score) == pytest.approx(theta, rel=1e-6, abs=1e-9)
        fitted = [s / (1 + theta * (v - score)) for s, v in zip(shares, PAIR_SCORES, strict=True)]
        likelihood.append(sum(n * math.log(p) for n, p in zip(seen, fitted, strict=True)))
    llr = log_likelihood_ratio(Pentanomial(found), elo0, elo0 + step)
    assert llr == pytest.approx(likelihood[1] - likelihood[0], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("score", [0.01, 0.3, 0.5, 0.7, 0.99])
def test_far_scores_are_reached_by_tilting(score: float) -> None:
    for shares in ([0.96, 0.01, 0.01, 0.01, 0.01], [0.01, 0.01, 0.01, 0.01, 0.96]):
        assert tilt(shares, score) == pytest.approx(multiplier(shares, score), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_the_bounds_and_the_verdicts(monkeypatch: pytest.MonkeyPatch, beside: int) -> None:
    test, pairs = Sprt(0, 10, alpha=0.01, beta=0.2), Pentanomial((0, 0, 1, 0, 0))
    lower, upper = math.log(0.2 / 0.99), math.log(0.8 / 0.01)
    for bound, verdict in ((lower, "accept H0"), (upper, "accept H1")):
        llr = bound if not beside else math.nextafter(bound, math.inf * beside)
        monkeypatch.setattr(s21, "log_likelihood_ratio", lambda *_, llr=llr: llr)
        reached = not beside or (beside > 0) == (bound is upper)
        expected = SprtState(llr, lower, upper, verdict if reached else "continue")
        assert test.state(pairs) == expected
    monkeypatch.setattr(s21, "log_likelihood_ratio", lambda *_: 99)
    assert test.state(Pentanomial()) == SprtState(0, lower, upper, "continue")
    assert Sprt(0, 10) == Sprt(0, 10, 0.05, 0.05)


@pytest.mark.parametrize("rates", [(0, 0.1), (0.5, 0.1), (0.1, 0), (0.1, 0.5)])
def test_claims_and_error_rates_have_limits(rates: tuple[float, float]) -> None:
    for claims in ((0, 1, *rates), (5, 5, 0.1, 0.1), (5, 4, 0.1, 0.1)):
        with pytest.raises(ValueError, match="expected elo0 < elo1"):
            Sprt(*claims)
    assert Sprt(4, 5, 0.499, 0.001).state(Pentanomial()).verdict == "continue"


# A match


def test_a_standing_counts_whole_pairs() -> None:
    points = {0: 1.0, 1: 0.5, 2: 0.0, 5: 1.0, 6: 1.0, 9: 0.5, 3: 0.0}
    games = [game("a", "b", number, won) for number, won in points.items()]
    games[0] = game("a", "b", 0, 1.0, FAULTS[0])
    found = standing(games, 12)
    assert (found.wins, found.draws, found.losses, found.total, found.faults) == (3, 2, 2, 12, 1)
    assert found.pairs == Pentanomial((1, 0, 0, 1, 0))
    assert found.score == pytest.approx(4 / 7) and found.elo == pytest.approx(
        UNIT * math.log(4 / 3)
    )
    assert (found.margin, found.sprt, found.decided) == (found.pairs.margin, None, False)
    assert str(found) == f"+3 =2 -2, +50 ± {found.margin:.0f} Elo"
    assert str(standing(games[:1], 2)) == "+1 =0 -0, +∞ ± ∞ Elo"
    assert standing([], 2).score == 0.5


def test_a_standing_knows_the_verdict_of_its_test() -> None:
    test, games = Sprt(0, 200), [game("a", "b", number, number % 4 > 0) for number in range(200)]
    for number in (2, 200):
        found = standing(games[:number], 200, test)
        assert found.sprt == test.state(found.pairs)
        assert found.decided == (number == 200)


# Ratings


def test_results_are_added_up_by_pair_of_players() -> None:
    games = [("b", "c", 1.0), ("a", "b", 1.0), ("b", "a", 1.0), ("b", "a", 0.5), ("b", "a", 0.0)]
    results: list[Played | s21.Result] = [game(a, b, 0, points) for a, b, points in games]
    assert list(add_up(results).items()) == [(("a", "b"), (2, 1, 1)), (("b", "c"), (1, 0, 0))]
    assert add_up([*results, ("b", "a", 10.0, 20.0, 40.0)])["a", "b"] == (42, 21, 11)
    with pytest.raises(ValueError, match="'a' plays itself"):
        add_up([("a", "a", 1.0, 0.0, 0.0)])


@pytest.mark.parametrize("result", [(7, 0, 3), (5, 4, 1), (2, 30, 9)])
def test_two_players_have_a_fit_in_closed_form(result: tuple[float, float, float]) -> None:
    wins, draws, losses = result
    drawing, distance = draws / math.sqrt(wins * losses), math.log(wins / losses)
    scale, error = UNIT * 2 / (2 + drawing), math.sqrt(1 / wins + 1 / losses)
    fit = fit_strengths([("a", "b", wins, draws, losses)], prior=0)
    assert fit.drawing == pytest.approx(drawing) and fit.scale == pytest.approx(scale)
    assert fit.strengths == pytest.approx([distance / 2, -distance / 2], abs=1e-8)
    for players, sign in (("ab", 1), ("ba", -1)):
        difference, margin = fit.gain(*players)
        assert difference == pytest.approx(sign * scale * distance)
        assert margin == pytest.approx(1.96 * scale * error)
    better, worse = ratings([("b", "a", losses, draws, wins)], prior=0)
    if wins < losses:
        better, worse = worse, better
    assert (better.name, worse.name, better.games) == ("a", "b", wins + draws + losses)
    assert better.elo == pytest.approx(scale * distance / 2) == -worse.elo
    assert better.margin == pytest.approx(1.96 * scale * error / 2) == worse.margin
    assert better.score == pytest.approx((wins + draws / 2) / better.games) == 1 - worse.score


@pytest.mark.parametrize("prior", [0.5, 1, 3])
def test_the_prior_is_as_many_games_against_an_average_player(prior: float) -> None:
    heap = [("a", "b", 6.0, 2.0, 1.0), ("b", "c", 3.0, 0.0, 2.0)]
    fit = fit_strengths(heap, prior)
    thirds = (prior / 3, prior / 3, prior / 3)
    # An opponent as a player like the others: only distances count.
    other = fit_strengths([*heap, *((name, "average", *thirds) for name in "abc")], prior=0)
    assert fit.drawing == pytest.approx(other.drawing, rel=1e-6)
    for a, b in itertools.permutations("abc", 2):
        assert fit.gain(a, b) == pytest.approx(other.gain(a, b), rel=1e-6)
    assert sum(fit.strengths) == pytest.approx(0, abs=1e-9)
    assert fit_strengths(heap).drawing == fit_strengths(heap, 1).drawing
    assert ratings(heap) == ratings(heap, 1)


@pytest.mark.parametrize(
    ("results", "exists"),
    [
        ("ab ba", True),
        ("ab bc", False),
        ("ab bc ca", True),
        ("ca bc ab", True),
        ("cd bc ab da", True),
        ("ad dc cb ba", True),
        ("ab ba cd dc", False),
        ("ab ba cd dc bc", False),
        ("ab ba cd dc bc da", True),
        ("a=b", False),
        ("ab a=b", False),
        ("ab b=c a=c", False),
        ("ba b=c", False),
        ("ab ca bc a=b b=c", True),
    ],
)
def test_a_fit_exists_when_wins_lead_from_all_to_all(results: str, exists: bool) -> None:
    """`ab`: a has won against b; `a=b`: they drew."""
    heap: list[s21.Result] = [
        (text[0], text[-1], float("=" not in text), float("=" in text), 0.0)
        for text in results.split()
    ]
    if exists:
        assert np.abs(fit_strengths(heap, prior=0).strengths).max() < 20
    else:
        with pytest.raises(ValueError, match="expected a prior above 0"):
            fit_strengths(heap, prior=0)
    assert np.abs(fit_strengths(heap).strengths).max() < 20


def test_far_players_are_fitted_too() -> None:
    heap = [("a", "b", 999.0, 1.0, 0.5), ("b", "c", 9999.0, 0.0, 0.1), ("c", "d", 5e4, 1.0, 1e-2)]
    fit = fit_strengths(heap, prior=0)
    for first, second, wins, draws, losses in heap:
        i, j = fit.names.index(first), fit.names.index(second)
        one, two = math.exp(fit.strengths[i] - fit.strengths[j]), 1.0
        draw, games = fit.drawing * math.sqrt(one), wins + draws + losses
        expected = (one + draw / 2) / (one + two + draw) * games
        assert expected == pytest.approx(wins + draws / 2, abs=1e-5 * games)
    with pytest.raises(ValueError, match="at least one game"):
        fit_strengths([])


def test_the_rating_list_begins_with_the_strongest() -> None:
    heap = [("a", "b", 1.0, 1.0, 3.0), ("c", "b", 1.0, 0.0, 2.0), ("a", "c", 1.0, 1.0, 2.0)]
    found = ratings(heap)
    assert [(row.name, row.games) for row in found] == [("b", 8), ("c", 7), ("a", 9)]
    assert [row.score for row in found] == pytest.approx([5.5 / 8, 3.5 / 7, 3 / 9])
    assert [row.elo for row in found] == sorted((row.elo for row in found), reverse=True)
    # Who has played no game is not in the list.
    assert [row.name for row in ratings([*heap, ("a", "d", 0.0, 0.0, 0.0)])] == ["b", "c", "a"]
