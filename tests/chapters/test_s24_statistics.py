"""The statistics of s24, number by number, against other ways to compute them."""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s24_measuring_strength as s24
from tests.helpers.generated import examples
from utils.matches.records import Fault, Played

UNIT = 400 / math.log(10)
"""Elo for one unit of strength without draws."""
Counts = tuple[int, int, int, int, int]
counts = st.tuples(*[st.integers(0, 60)] * 5).filter(lambda c: sum(c) > 0)


def game(first: str, second: str, number: int, points: float, fault: Fault | None = None) -> Played:
    return Played(first, second, number, points, "", {}, fault)


@pytest.mark.parametrize(
    ("elo", "score"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101), (120, 0.66614)]
)
def test_elo_and_score(elo: float, score: float) -> None:
    assert s24.expected_score(elo) == pytest.approx(score, rel=1e-5)
    assert s24.elo_difference(score) == pytest.approx(elo, rel=1e-4)


def test_the_ends_of_the_scale_are_infinitely_far() -> None:
    assert (s24.elo_difference(0), s24.elo_difference(1)) == (-math.inf, math.inf)
    for wrong in (-1e-9, 1 + 1e-9, math.nan):
        with pytest.raises(ValueError, match="expected a share of the points, 0 to 1"):
            s24.elo_difference(wrong)


# Pairs


@examples(25)
@given(counts)
def test_pairs_are_counted_and_averaged(found: Counts) -> None:
    points = [2 * s for n, s in zip(found, s24.PAIR_SCORES, strict=True) for _ in range(n)]
    pairs = s24.Pentanomial.of(points)
    assert (pairs.counts, pairs.total) == (found, len(points))
    shares = [point / 2 for point in points]
    assert pairs.score == pytest.approx(statistics.fmean(shares))
    assert pairs.variance == pytest.approx(statistics.pvariance(shares), abs=1e-12)
    if pairs.variance > 1e-9:
        width = 1.96 * statistics.pstdev(shares) / math.sqrt(len(points))
        low, high = pairs.interval
        for bound, score in ((low, pairs.score - width), (high, pairs.score + width)):
            assert s24.expected_score(bound) == pytest.approx(min(1, max(0, score)), abs=1e-9)
        assert pairs.margin == (high - low) / 2
        # The lead in standard deviations of a game, which are those of a pair times root two.
        sigma = math.sqrt(2) * statistics.pstdev(shares)
        nelo = s24.normalised_elo(pairs)
        assert nelo == pytest.approx(800 / math.log(10) * (pairs.score - 0.5) / sigma, abs=1e-9)


def test_pairs_that_say_nothing() -> None:
    nothing = s24.Pentanomial()
    assert (nothing.total, nothing.score, nothing.variance, nothing.margin) == (0, 0.5, 0, math.inf)
    for counts, sign in (((0, 0, 0, 0, 3), 1), ((3, 0, 0, 0, 0), -1), ((0, 2, 0, 0, 0), -1)):
        alike = s24.Pentanomial(counts)
        assert alike.interval == (-math.inf, math.inf) and alike.margin == math.inf
        assert s24.normalised_elo(alike) == sign * math.inf
    assert s24.normalised_elo(nothing) == s24.normalised_elo(s24.Pentanomial((0, 0, 9, 0, 0))) == 0


def test_an_interval_at_the_edge_is_not_symmetric_and_never_leaves_the_scale() -> None:
    low, high = s24.Pentanomial((0, 0, 0, 3, 9)).interval
    assert (round(low), round(high)) == (340, 1161)
    assert s24.Pentanomial((9, 3, 0, 0, 0)).interval == pytest.approx((-high, -low))
    assert s24.Pentanomial((0, 0, 0, 1, 3)).interval[1] == math.inf
    assert s24.Pentanomial((3, 1, 0, 0, 0)).interval[0] == -math.inf


@pytest.mark.parametrize(
    ("counts", "elo", "margin", "nelo"),
    [
        ((1, 137, 4659, 203, 0), 2.22, 1.3, 12.00),  # Stockfish, pull request 6255
        ((39, 5335, 18992, 5622, 12), 1.35, 1.2, 3.13),  # Stockfish, pull request 4160
        ((235, 1384, 2521, 1341, 239), -1.06, 4.05, -1.67),  # by fastchess; Lynx, pull request 1899
    ],
)
def test_published_results_are_found_again(
    counts: Counts, elo: float, margin: float, nelo: float
) -> None:
    pairs = s24.Pentanomial(counts)
    assert s24.elo_difference(pairs.score) == pytest.approx(elo, abs=0.006)
    assert s24.normalised_elo(pairs) == pytest.approx(nelo, abs=0.006)
    assert pairs.margin == pytest.approx(margin, abs=0.051)


@examples(25)
@given(st.integers(0, 12), st.integers(0, 12))
def test_mcnemar_counts_the_splits_that_are_at_least_as_uneven(one: int, other: int) -> None:
    splits = itertools.product((0, 1), repeat=min(12, one + other))
    if one + other <= 12:
        uneven = [abs(2 * sum(s) - one - other) >= abs(one - other) for s in splits]
        assert s24.mcnemar(one, other) == pytest.approx(sum(uneven) / 2 ** (one + other))
    assert s24.mcnemar(one, other) == s24.mcnemar(other, one) <= 1


def test_results_cannot_be_changed() -> None:
    heap: list[s24.Result] = [("a", "b", 1.0, 1.0, 1.0)]
    known: list[Any] = [s24.Control(), s24.Pentanomial(), s24.Sprt(0, 1), s24.standing([], 2)]
    for found in [*known, s24.fit_strengths(heap)]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(found, dataclasses.fields(found)[0].name, 1)


# The sequential test


def tilted(shares: Sequence[float], score: float) -> list[float]:
    """The likeliest shares with this mean; asserts that they are shares, and have it."""
    theta = s24.tilt(shares, score)
    found = [s / (1 + theta * (v - score)) for s, v in zip(shares, s24.PAIR_SCORES, strict=True)]
    assert min(found) > 0 and sum(found) == pytest.approx(1, rel=1e-9)
    mean = sum(p * v for p, v in zip(found, s24.PAIR_SCORES, strict=True))
    assert mean == pytest.approx(score, rel=1e-9)
    return found


@examples(25)
@given(counts, st.floats(-300, 300), st.floats(1, 60))
def test_the_llr_is_that_of_the_likeliest_shares(found: Counts, elo0: float, step: float) -> None:
    seen = [count or 1e-3 for count in found]
    shares = [count / sum(seen) for count in seen]
    likelihoods = []
    for elo in (elo0, elo0 + step):
        fitted = tilted(shares, s24.expected_score(elo))
        likelihoods.append(sum(n * math.log(p) for n, p in zip(seen, fitted, strict=True)))
    llr = s24.log_likelihood_ratio(s24.Pentanomial(found), elo0, elo0 + step)
    assert llr == pytest.approx(likelihoods[1] - likelihoods[0], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("score", [0.01, 0.3, 0.5, 0.7, 0.99])
def test_far_scores_are_reached_by_tilting(score: float) -> None:
    for shares in ([0.96, 0.01, 0.01, 0.01, 0.01], [0.01, 0.01, 0.01, 0.01, 0.96]):
        tilted(shares, score)


@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_the_bounds_and_the_verdicts(monkeypatch: pytest.MonkeyPatch, beside: int) -> None:
    test, pairs = s24.Sprt(0, 10, alpha=0.01, beta=0.2), s24.Pentanomial((0, 0, 1, 0, 0))
    lower, upper = math.log(0.2 / 0.99), math.log(0.8 / 0.01)
    for bound, verdict in ((lower, "accept H0"), (upper, "accept H1")):
        llr = bound if not beside else math.nextafter(bound, math.inf * beside)
        monkeypatch.setattr(s24, "log_likelihood_ratio", lambda *_, llr=llr: llr)
        reached = not beside or (beside > 0) == (bound is upper)
        expected = s24.SprtState(llr, lower, upper, verdict if reached else "continue")
        assert test.state(pairs) == expected
    monkeypatch.setattr(s24, "log_likelihood_ratio", lambda *_: 99)
    assert test.state(s24.Pentanomial()) == s24.SprtState(0, lower, upper, "continue")
    assert s24.Sprt(0, 10) == s24.Sprt(0, 10, 0.05, 0.05)


@pytest.mark.parametrize("rates", [(0, 0.1), (0.5, 0.1), (0.1, 0), (0.1, 0.5)])
def test_claims_and_error_rates_have_limits(rates: tuple[float, float]) -> None:
    for claims in ((0, 1, *rates), (5, 5, 0.1, 0.1), (5, 4, 0.1, 0.1)):
        with pytest.raises(ValueError, match="expected elo0 < elo1"):
            s24.Sprt(*claims)
    assert s24.Sprt(4, 5, 0.499, 0.001).state(s24.Pentanomial()).verdict == "continue"


# A match


def test_a_standing_counts_whole_pairs() -> None:
    points = {0: 1.0, 1: 0.5, 2: 0.0, 5: 1.0, 6: 1.0, 9: 0.5, 3: 0.0}
    games = [game("a", "b", number, won) for number, won in points.items()]
    games[0] = game("a", "b", 0, 1.0, Fault.TIME)
    found = s24.standing(games, 12)
    assert (found.wins, found.draws, found.losses, found.total, found.faults) == (3, 2, 2, 12, 1)
    assert found.pairs == s24.Pentanomial((1, 0, 0, 1, 0))
    elo = UNIT * math.log(4 / 3)
    assert found.score == pytest.approx(4 / 7) and found.elo == pytest.approx(elo)
    assert found.sprt is None and s24.pairs_of(games) == found.pairs
    assert str(found) == "+3 =2 -2, +50 ± ∞ Elo"
    long = s24.standing([game("a", "b", n, n % 3 / 2) for n in range(120)], 120)
    assert str(long) == f"+40 =40 -40, +0 ± {long.pairs.margin:.0f} Elo"
    assert str(s24.standing(games[:1], 2)) == "+1 =0 -0, +∞ ± ∞ Elo"
    assert s24.standing([], 2).score == 0.5


def test_a_standing_knows_the_verdict_of_its_test() -> None:
    test, games = (
        s24.Sprt(0, 200),
        [game("a", "b", number, number % 4 > 0) for number in range(200)],
    )
    for number in (2, 200):
        found = s24.standing(games[:number], 200, test)
        assert found.sprt == test.state(found.pairs)
        assert test.decided(games[:number]) == (number == 200)


# Ratings


def test_results_are_added_up_by_pair_of_players() -> None:
    games = [("b", "c", 1.0), ("a", "b", 1.0), ("b", "a", 1.0), ("b", "a", 0.5), ("b", "a", 0.0)]
    results: list[Played | s24.Result] = [game(a, b, 0, points) for a, b, points in games]
    assert list(s24.add_up(results).items()) == [(("a", "b"), (2, 1, 1)), (("b", "c"), (1, 0, 0))]
    assert s24.add_up([*results, ("b", "a", 10.0, 20.0, 40.0)])["a", "b"] == (42, 21, 11)
    with pytest.raises(ValueError, match="'a' plays itself"):
        s24.add_up([("a", "a", 1.0, 0.0, 0.0)])
    with pytest.raises(ValueError, match="at least one game"):
        s24.fit_strengths([])


@pytest.mark.parametrize(
    "result", [(7, 0, 3), (5, 4, 1), (2, 30, 9), (52, 0, 48), (36.4, 30, 33.6), (15.6, 70, 14.4)]
)
def test_two_players_have_a_fit_in_closed_form(result: tuple[float, float, float]) -> None:
    wins, draws, losses = result
    drawing, distance = draws / math.sqrt(wins * losses), math.log(wins / losses)
    scale, error = UNIT * 2 / (2 + drawing), math.sqrt(1 / wins + 1 / losses)
    fit = s24.fit_strengths([("a", "b", wins, draws, losses)], prior=0)
    assert fit.drawing == pytest.approx(drawing) and fit.scale == pytest.approx(scale)
    assert (fit.drawing == 0) == (draws == 0)
    assert fit.strengths == pytest.approx([distance / 2, -distance / 2], abs=1e-8)
    for players, sign in (("ab", 1), ("ba", -1)):
        difference, margin = fit.gain(*players)
        assert difference == pytest.approx(sign * scale * distance)
        assert margin == pytest.approx(1.96 * scale * error)
    if abs(distance) < 0.1:  # between near equals, a difference is the Elo of the score
        score = (wins + draws / 2) / sum(result)
        assert fit.gain("a", "b")[0] == pytest.approx(s24.elo_difference(score), rel=0.01)


def assert_likeliest(fit: s24.Fit, heap: Sequence[s24.Result], error: float = 1e-5) -> None:
    """Each player has the points, and all the draws, that the fit expects: no slope is left."""
    theta, surplus = dict(zip(fit.names, fit.strengths, strict=True)), Counter[str]()
    for a, b, wins, draws, losses in heap:
        heights = theta[a], (theta[a] + theta[b]) / 2, theta[b]
        weights = np.exp(np.array(heights) - max(heights)) * [1, fit.drawing, 1]
        win, draw, loss = (wins, draws, losses) - weights / weights.sum() * (wins + draws + losses)
        surplus.update({a: win + draw / 2, b: loss + draw / 2, "draws": draw})
    assert list(surplus.values()) == pytest.approx([0] * len(surplus), abs=error)


players = st.sampled_from("abcd")
numbers = st.integers(0, 9)
heaps = st.lists(
    st.tuples(players, players, numbers, numbers, numbers).filter(
        lambda r: r[0] != r[1] and sum(r[2:]) > 0
    ),
    min_size=1,
    max_size=12,
)


@examples(25)
@given(heaps, st.sampled_from([0.5, 1, 3]), st.lists(st.booleans(), min_size=12, max_size=12))
def test_the_fit_is_the_likeliest_and_a_prior_is_games_of_those_who_have_met(
    heap: list[s24.Result], prior: float, swaps: list[bool]
) -> None:
    third, met = prior / 3, {frozenset(result[:2]) for result in heap}
    reached = {heap[0][0]}
    for _ in range(4):
        reached.update(*(pair for pair in met if pair & reached))
    if reached < set().union(*met):
        with pytest.raises(ValueError, match="expected games that connect all players"):
            s24.fit_strengths(heap, prior)
        return
    fit = s24.fit_strengths(heap, prior)
    known = [*heap, *((min(pair), max(pair), third, third, third) for pair in met)]
    other = s24.fit_strengths(known, prior=0)
    assert_likeliest(other, known)
    assert fit.drawing == pytest.approx(other.drawing, rel=1e-5)
    for a, b in itertools.permutations(fit.names, 2):
        assert fit.gain(a, b) == pytest.approx(other.gain(a, b), rel=1e-5, abs=1e-5)
    assert sum(fit.strengths) == pytest.approx(0, abs=1e-9)
    places = [other.names.index(name) for name in fit.names]
    spread = other.covariance[np.ix_(places, places)]
    centred = spread - spread.mean(0) - spread.mean(1)[:, None] + spread.mean()
    assert fit.covariance == pytest.approx(centred, rel=1e-4, abs=1e-4)
    assert s24.fit_strengths(heap).drawing == s24.fit_strengths(heap, 1).drawing
    swapped = [
        (b, a, losses, draws, wins) if swap else (a, b, wins, draws, losses)
        for (a, b, wins, draws, losses), swap in zip(heap, swaps, strict=False)
    ]
    again = s24.fit_strengths(reversed(swapped), prior)
    assert again.drawing == fit.drawing
    for a, b in itertools.permutations(fit.names, 2):
        assert again.gain(a, b) == fit.gain(a, b)


LED = "ab ba, ab bc ca, ca bc ab, cd bc ab da, ad dc cb ba, ab ba cd dc bc da, ab ca bc a=b b=c"
NOT_LED = "ab, ba, ab bc, ab ba cd dc, ab ba cd dc bc, a=b, ab a=b, ab b=c a=c, ba b=c"


@pytest.mark.parametrize("results", [*LED.split(", "), *NOT_LED.split(", ")])
def test_a_fit_exists_when_wins_lead_from_all_to_all(results: str) -> None:
    """`ab`: a has won against b; `a=b`: they drew."""
    heap: list[s24.Result] = [
        (text[0], text[-1], float("=" not in text), float("=" in text), 0.0)
        for text in results.split()
    ]
    if results in LED.split(", "):
        assert np.abs(s24.fit_strengths(heap, prior=0).strengths).max() < 20
    else:
        with pytest.raises(ValueError, match="and a prior above 0"):
            s24.fit_strengths(heap, prior=0)
    if results != "ab ba cd dc":
        assert np.abs(s24.fit_strengths(heap).strengths).max() < 20


def test_a_prior_does_not_press_a_long_chain_together() -> None:
    """Each player has 70 of 100 points against the one before."""
    heap = [(f"p{n:02}", f"p{n + 1:02}", 20.0, 20.0, 60.0) for n in range(15)]
    fit = s24.fit_strengths(heap)
    gains = [fit.gain(f"p{n + 1:02}", f"p{n:02}")[0] for n in range(15)]
    alone = s24.fit_strengths(heap[:1]).gain("p01", "p00")[0]
    assert gains == pytest.approx([alone] * 15, rel=0.02)


def test_far_players_are_fitted_too() -> None:
    heap = [("a", "b", 999.0, 1.0, 0.5), ("b", "c", 9999.0, 0.0, 0.1), ("c", "d", 5e4, 1.0, 1e-2)]
    assert_likeliest(s24.fit_strengths(heap, prior=0), heap, error=1e-3)


def test_the_margins_of_strengths_hold_the_truth() -> None:
    rng, truth, nu = np.random.default_rng(3), np.array([1.0, 0.0, -1.0]), 0.8
    held = 0
    for _ in range(150):
        heap: list[s24.Result] = []
        for i, j in itertools.combinations(range(3), 2):
            chances = np.exp([truth[i], (truth[i] + truth[j]) / 2, truth[j]]) * [1, nu, 1]
            heap.append((str(i), str(j), *rng.multinomial(60, chances / chances.sum()).tolist()))
        fit = s24.fit_strengths(heap, prior=0)
        held += np.sum(np.abs(fit.strengths - truth) <= 1.96 * np.sqrt(np.diag(fit.covariance)))
    assert 0.92 < held / 450 < 0.98
