"""Checks of chapter s21, measuring strength."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

from utils.exercises import chapter, exercise, require


def _pairs(*counts: int) -> Any:
    return chapter("s21_measuring_strength").Pentanomial(counts)


@exercise("s21-1")
def games_needed(answer: Callable[[float, float], int]) -> None:
    """Several margins, with and without draws."""
    for margin, draws, expected in (
        (10, 0.0, 4637),
        (10, 0.5, 2319),
        (5, 0.0, 18546),
        (30, 0.3, 361),
        (300, 0.3, 4),
    ):
        said = answer(margin, draws)
        require(
            abs(said - expected) <= max(1, expected // 500),
            f"For a margin of {margin} Elo with {draws:.0%} draws: about {expected} games, "
            f"not {said}. Half the margin costs four times the games; the variance of a "
            "game is (1 - draws) / 4.",
        )
        require(said == math.ceil(said), "Games are whole: round up.")


@exercise("s21-2")
def superiority(answer: Callable[[Any], float]) -> None:
    """Symmetric, rising, and right at known points."""
    for counts, expected in (
        ((5, 10, 20, 10, 5), 0.5),
        ((3, 9, 20, 11, 7), 0.9052),
        ((7, 11, 20, 9, 3), 0.0948),
        ((0, 0, 9, 0, 0), 0.5),
        ((0, 0, 0, 0, 4), 1.0),
        ((3, 0, 0, 0, 0), 0.0),
        ((0, 0, 0, 0, 0), 0.5),
    ):
        said = answer(_pairs(*counts))
        require(
            abs(said - expected) < 0.002,
            f"For the counts {counts} it is {expected}, not {said:.4f}. The mean scatters "
            "with the root of variance / total.",
        )


@exercise("s21-3")
def adjudicate(answer: Callable[[list[int]], str | None]) -> None:
    """Wins, draws, and everything that is neither."""
    cases: list[tuple[list[int], str | None, str]] = [
        ([], None, "no scores say nothing"),
        ([900] * 7, None, "seven scores are too few"),
        ([900] * 8, "1-0", "eight scores of 900"),
        ([0] * 20 + [500] * 8, "1-0", "500 is enough"),
        ([0] * 20 + [-700] * 8, "0-1", "White is lost"),
        ([900] * 8 + [0], None, "the last score counts, too"),
        ([900] * 7 + [-900] * 7, None, "the engines disagree"),
        ([600, -600] * 8, None, "the engines disagree"),
        ([0] * 79, None, "too early for a draw"),
        ([0] * 80, "1/2-1/2", "eighty scores of zero"),
        ([300] * 64 + [-15, 15] * 8, "1/2-1/2", "the last sixteen are level"),
        ([0] * 79 + [16], None, "16 is not within 15"),
        ([0] * 79 + [-16], None, "-16 is not within 15"),
        ([-500] * 8, "0-1", "500 is enough for Black as well"),
    ]
    for scores, expected, why in cases:
        before = list(scores)
        said = answer(scores)
        require(scores == before, "The list was changed.")
        require(said == expected, f"{why}: expected {expected!r}, got {said!r}.")


@exercise("s21-4")
def bootstrap(answer: Callable[[Any, random.Random], tuple[float, float]]) -> None:
    """Near the normal bounds where those are right; repeatable."""
    module = chapter("s21_measuring_strength")
    for counts in ((30, 90, 200, 110, 70), (5, 40, 60, 20, 3)):
        pairs = _pairs(*counts)
        low, high = answer(pairs, random.Random(1))
        reach = 1.96 * math.sqrt(pairs.variance / pairs.total)
        for said, expected in ((low, pairs.score - reach), (high, pairs.score + reach)):
            require(
                abs(said - expected) < 0.15 * reach,
                f"For the counts {counts} the bounds should be near "
                f"{pairs.score - reach:.3f} and {pairs.score + reach:.3f}, "
                f"not {low:.3f} and {high:.3f}.",
            )
        require(
            (low, high) == tuple(answer(pairs, random.Random(1))),
            "With the same source of chance the bounds should be the same.",
        )
    require(
        tuple(answer(_pairs(0, 0, 0, 0, 6), random.Random(1))) == (1, 1),
        "If all pairs were won, every draw from the hat is a win.",
    )
    require(module.PAIR_SCORES[-1] == 1, "Scores are shares, from 0 to 1.")


@exercise("s21-5")
def timetable(answer: Callable[[list[str]], list[list[tuple[str, str]]]]) -> None:
    """Even and odd numbers of players."""
    for size in (2, 3, 4, 5, 8, 9, 16):
        players = [f"p{number}" for number in range(size)]
        rounds = answer(list(players))
        wanted = size - 1 if size % 2 == 0 else size
        require(
            len(rounds) == wanted,
            f"{size} players need {wanted} rounds, not {len(rounds)}.",
        )
        met = [frozenset(pair) for pairs in rounds for pair in pairs]
        everybody = {frozenset(pair) for pair in itertools.combinations(players, 2)}
        require(set(met) <= everybody, f"{size} players: a pair has a stranger, or one player.")
        require(len(met) == len(set(met)), f"{size} players: somebody meets somebody twice.")
        require(set(met) == everybody, f"{size} players: somebody does not meet somebody.")
        for pairs in rounds:
            names = [name for pair in pairs for name in pair]
            require(
                len(names) == len(set(names)),
                f"{size} players: somebody plays twice in the round {pairs}.",
            )


@exercise("s21-6")
def spsa(answer: Callable[..., list[float]]) -> None:
    """Finds the top of a hill from noisy matches, and keeps to the recipe."""
    best = [3.0, -2.0, 1.0]

    def strength(x: list[float]) -> float:
        return -20 * sum((value - top) ** 2 for value, top in zip(x, best, strict=True))

    for seed in (1, 2, 3):
        chance = random.Random(seed)

        def play(plus: list[float], minus: list[float], rng: random.Random = chance) -> float:
            lead = strength(plus) - strength(minus)
            expected = 1 / (1 + 10 ** (-lead / 400))
            return min(1.0, max(0.0, rng.gauss(expected, 0.15)))

        start = [0.0, 0.0, 0.0]
        found = answer(start, play, 1500, 2.0, 0.5, random.Random(seed))
        require(start == [0.0, 0.0, 0.0], "The list of the start was changed.")
        worst = max(abs(value - top) for value, top in zip(found, best, strict=True))
        require(
            worst < 0.8,
            f"The best numbers are {best}; yours are {[round(x, 2) for x in found]}. If they "
            "run away, look at the sign; if they hardly move, at the steps.",
        )
    asked: list[tuple[list[float], list[float]]] = []

    def always_win(plus: list[float], minus: list[float]) -> float:
        asked.append((list(plus), list(minus)))
        return 1.0

    after = answer([0.0, 10.0], always_win, 1, 1.0, 2.0, random.Random(4))
    require(len(asked) == 1, "One step is one match.")
    plus, minus = asked[0]
    require(
        all(abs(abs(p - m) - 4) < 1e-9 for p, m in zip(plus, minus, strict=True)),
        "In the first step plus and minus are 2c apart in every number.",
    )
    for value, old, ahead in zip(after, (0.0, 10.0), plus, strict=True):
        pace = 1.0 / 21**0.6 / 2
        require(
            abs(value - old - pace * (1 if ahead > old else -1)) < 1e-9,
            "After a win every number moves by a_k / 2 towards the winner.",
        )
