"""Checks of chapter s24, measuring strength."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Callable
from typing import Any

from utils.exercises import Hint, exercise, module_of, require


def _pairs(*counts: int) -> Any:
    return module_of("s24_measuring_strength").Pentanomial(counts)


@exercise("s24-1", z={"95 %": 1.96, "90 %": 1.645, "99 %": 2.576})
def games_needed(answer: Callable[[float, float], int], z: float) -> None:
    """Several margins, with and without draws."""
    slope = 4 * 400 / math.log(10)
    curve = module_of("s24_measuring_strength").expected_score
    hint = "You take a point of Elo's curve; take its slope at one half, 4 * 400 / ln 10."
    require(abs(answer(10, 0.0) - (z / (curve(10) - 0.5)) ** 2 / 4) > 1, hint)
    for margin, draws in (
        (10, 0.0),
        (10, 0.5),
        (5, 0.0),
        (30, 0.3),
        (300, 0.3),
        (250, 0.0),  # in the last two, rounding to the nearest is seen
        (200, 0.3),
    ):
        said = answer(margin, draws)
        reach = [number * slope / margin for number in (z - 0.0002, z)]
        exact = reach[1] ** 2 * (1 - draws) / 4
        least, most = (math.ceil(one * one * (1 - draws) / 4) for one in reach)
        mistakes = {
            exact / (1 - draws): "The draws are missing: the variance of a game is (1 - draws) / 4",
            exact / (1 - draws) * draws: "The variance is (1 - draws) / 4, not draws / 4",
            4 * exact: "The variance of a game between equals is (1 - draws) / 4, not 1 - draws",
            exact / 2: "These are pairs: expected games",
            exact / 16: "The slope of Elo's curve is 4 * 400 / ln 10, not 400 / ln 10",
            exact * (2 / z) ** 2: f"The margin is {z} standard deviations, not 2",
            exact / z**2: f"One standard deviation is not enough: the margin is {z} of them",
            reach[1] * math.sqrt((1 - draws) / 4): "Half the margin costs four times the games",
            exact * (1 - draws): "The draws count twice: the variance is (1 - draws) / 4",
        }
        for wrong, why in mistakes.items():
            if abs(wrong - exact) > 3 and abs(said - wrong) <= 1:
                raise Hint(f"{why}. For a margin of {margin} with {draws:.0%} draws: {most}.")
        words = f"Games are whole: round up {exact:.1f}."
        require(abs(said - exact) > 1 or (said >= least and said == int(said)), words)
        require(
            least <= said <= most and said == int(said),
            f"For a margin of {margin} Elo with {draws:.0%} draws: {most} games, not {said}. "
            "Half the margin costs four times the games; the variance of a game is "
            "(1 - draws) / 4.",
        )


@exercise("s24-2")
def superiority(answer: Callable[[Any], float]) -> None:
    """Symmetric, rising, and right at known points."""
    known = _pairs(3, 9, 20, 11, 7)
    said, ahead = answer(known), known.score - 0.5
    hint = "That is the share of the points. How sure is it that the true share is above one half?"
    require(abs(said - known.score) > 1e-4, hint)
    require(
        said < 0.999 or answer(_pairs(7, 11, 20, 9, 3)) < 0.5,
        "Take one half off the score: z says how far it lies above one half.",
    )
    mistakes = {
        ahead / math.sqrt(known.variance): "That is the scatter of one pair; the mean of n pairs "
        "scatters less, with the root of variance / total",
        ahead / (known.variance / known.total): "variance / total is a variance; its root is the "
        "standard deviation",
        ahead / math.sqrt(known.variance / known.total) * math.sqrt(2): "erf takes z divided by "
        "the root of 2, and `total` is the number of pairs, not of games",
        -ahead / math.sqrt(known.variance / known.total): "That is the chance that the second "
        "player is stronger",
    }
    for z, why in mistakes.items():
        require(abs(said - (1 + math.erf(z / math.sqrt(2))) / 2) > 1e-4, f"{why}.")
    for counts, expected in (
        ((3, 9, 20, 11, 7), 0.9054),
        ((5, 10, 20, 10, 5), 0.5),
        ((7, 11, 20, 9, 3), 0.0946),
    ):
        said = answer(_pairs(*counts))
        require(
            abs(said - expected) < 0.001,
            f"For the counts {counts} it is {expected}, not {said:.4f}. The mean scatters "
            "with the root of variance / total.",
        )
    for counts, sure in (
        ((0, 0, 9, 0, 0), 0.5),
        ((0, 0, 0, 0, 4), 1.0),
        ((3, 0, 0, 0, 0), 0.0),
        ((0, 0, 0, 4, 0), 1.0),
        ((0, 3, 0, 0, 0), 0.0),
        ((0, 0, 0, 0, 0), 0.5),
    ):
        words = f"The counts {counts} have no scatter: return {sure} without dividing"
        try:
            said = answer(_pairs(*counts))
        except ZeroDivisionError:
            raise Hint(f"{words}.") from None
        require(said == sure, f"{words}, not {said}.")


@exercise("s24-3", run={"eight": 8, "six": 6, "ten": 10}, least=(500, 400, 600))
def adjudicate(answer: Callable[[list[int]], str | None], run: int, least: int) -> None:
    """Wins, draws, and everything that is neither."""
    cases: list[tuple[list[int], str | None, str]] = [
        ([], None, "no scores say nothing"),
        ([900] * (run - 1), None, f"{run - 1} scores are too few"),
        ([900] * run, "1-0", f"{run} scores of 900"),
        ([0] * 20 + [least] * run, "1-0", f"{least} is enough"),
        ([0] * 20 + [least - 1] * run, None, f"{least - 1} is not enough"),
        ([0] * 20 + [-700] * run, "0-1", "White is lost"),
        ([900] * run + [0], None, "the last score counts, too"),
        ([900] * (run - 1) + [-900] * (run - 1), None, "the engines disagree"),
        ([-900] * (run - 1) + [900] * (run - 1), None, "the engines disagree"),
        ([600, -600] * 8, None, "the engines disagree"),
        ([-600, 600] * 8, None, "the engines disagree"),
        ([0] * 79, None, "too early for a draw"),
        ([0] * 80, "1/2-1/2", "eighty scores of zero"),
        ([300] * 84 + [0] * 16, "1/2-1/2", "a hundred scores, the last sixteen are level"),
        ([0] * 84 + [300] * 16, None, "level before, but not in the last sixteen"),
        ([300] * 64 + [-15, 15] * 8, "1/2-1/2", "the last sixteen are level"),
        ([0] * 79 + [16], None, "16 is not within 15"),
        ([0] * 64 + [300] + [0] * 15, None, "one of the last sixteen is not level"),
        ([0] * 79 + [-16], None, "-16 is not within 15"),
        ([0] * 80 + [900] * run, "1-0", "a long game can be won, too"),
        ([0] * 80 + [-900] * run, "0-1", "a long game can be lost, too"),
        ([-least] * run, "0-1", f"{least} is enough for Black as well"),
        ([0] * 20 + [1 - least] * run, None, f"{least - 1} is not enough for Black either"),
        ([-900] * (run - 1), None, f"{run - 1} scores are too few for Black, too"),
        ([-900] * run + [0], None, "the last score counts for Black, too"),
    ]
    for scores, expected, why in cases:
        before = list(scores)
        said = answer(scores)
        require(scores == before, "The list was changed.")
        require(said == expected, f"{why}: expected {expected!r}, got {said!r}.")


@exercise("s24-4")
def bootstrap(answer: Callable[[Any, random.Random], tuple[float, float]]) -> None:
    """Near the normal bounds where those are right; repeatable."""
    fixed = False
    for counts in ((30, 90, 200, 110, 70), (5, 40, 60, 20, 3)):
        pairs = _pairs(*counts)
        low, high = answer(pairs, random.Random(1))
        deviation = math.sqrt(pairs.variance / pairs.total)
        require(low <= high, f"The lower bound comes first, not {low:.3f}, {high:.3f}.")
        words = f"Scores are shares, from 0 to 1, not {low:.3f} and {high:.3f}."
        require(0 <= low <= high <= 1, words)
        width = (high - low) / 2 / deviation  # 1.96 if it is right
        require(
            width > 0.05,
            "All a thousand scores are the same: choose with repetition, so that a pair can come "
            "several times and another one not at all.",
        )
        words = "You cut off 5 % at each end; both ends together are 5 %, so 2.5 % each."
        require(abs(width - 1.645) > 0.1, words)
        require(width < 5, "Each score is the mean of as many pairs as there are.")
        words = "That is nearly the whole range of the scores: cut off 2.5 % at both ends."
        require(width < 2.6, words)
        near = [pairs.score + side * 1.96 * deviation for side in (-1, 1)]
        require(
            all(abs(s - n) < 0.3 * deviation for s, n in zip((low, high), near, strict=True)),
            f"For the counts {counts} the bounds should be near {near[0]:.3f} and {near[1]:.3f}, "
            f"not {low:.3f} and {high:.3f}.",
        )
        many = [answer(pairs, random.Random(seed)) for seed in range(10)]
        fixed |= len({tuple(map(float, bounds)) for bounds in many}) == 1
        scatter = sum(map(statistics.pstdev, zip(*many, strict=True))) / 2 / deviation
        require(
            scatter < 0.16,
            "From seed to seed the bounds scatter more than those of a thousand scores: choose "
            "a thousand times.",
        )
        reach = [(sum(b) / 10 - pairs.score) / deviation for b in zip(*many, strict=True)]
        require(
            all(1.8 < abs(one) < 2.12 for one in reach),
            f"For the counts {counts} and ten seeds the bounds are on average {-reach[0]:.2f} "
            f"standard deviations below and {reach[1]:.2f} above: cut off 2.5 % at each end.",
        )
        hint = "With the same source of chance the bounds should be the same: use rng."
        require((low, high) == tuple(answer(pairs, random.Random(1))), hint)
    require(
        all(
            abs(40 * b - round(40 * b)) < 1e-6
            for b in answer(_pairs(0, 0, 0, 1, 9), random.Random(1))
        ),
        "Each bound is the score of ten chosen pairs, a multiple of a fortieth.",
    )
    hint = "If all pairs were won, so are all that are chosen."
    require(tuple(answer(_pairs(0, 0, 0, 0, 6), random.Random(1))) == (1, 1), hint)
    require(not fixed, "Another source of chance should give other bounds: use rng.")


@exercise("s24-5")
def timetable(answer: Callable[[list[str]], list[list[tuple[str, str]]]]) -> None:
    """Even and odd numbers of players."""
    for size in (2, 3, 4, 5, 8, 9, 16):
        players = [f"p{number}" for number in range(size)]
        given = list(players)
        rounds = list(answer(given))
        require(given == players, "The list of players was changed.")
        wanted = size - 1 if size % 2 == 0 else size
        hint = "A pair is a tuple of two names."
        require(all(isinstance(pair, tuple) for pairs in rounds for pair in pairs), hint)
        met = [frozenset(pair) for pairs in rounds for pair in pairs]
        hint = f"{size} players: a pair has one player only; who pauses is in no pair."
        require(all(len(pair) == 2 and None not in pair for pair in met), hint)
        everybody = {frozenset(pair) for pair in itertools.combinations(players, 2)}
        require(set(met) <= everybody, f"{size} players: a pair has a stranger.")
        require(len(met) == len(set(met)), f"{size} players: somebody meets somebody twice.")
        require(set(met) == everybody, f"{size} players: somebody does not meet somebody.")
        for pairs in rounds:
            names = [name for pair in pairs for name in pair]
            hint = f"{size} players: somebody plays twice in the round {pairs}."
            require(len(names) == len(set(names)), hint)
        hint = f"{size} players need {wanted} rounds, not {len(rounds)}: as many play as can."
        require(len(rounds) == wanted, hint)


@exercise("s24-6")
def spsa(answer: Callable[..., list[float]]) -> None:
    """Keeps to the recipe, and finds the top of a hill from noisy matches."""
    for score, side in ((0.5, 0), (1.0, 1), (0.0, -1)):
        for seed in range(4, 8):
            _one_step(answer, score, side, seed)
    signs = []
    for seed in (1, 1, 5):
        _, matches = _matches(answer, 0.5, [0.0] * 16, 1, seed)
        signs.append([p > m for p, m in zip(*matches[0], strict=True)])
    require(signs[0] == signs[1] != signs[2], "Choose the signs at random, with rng.")
    _, matches = _matches(answer, 0.5, [0.0], 32, 1)
    apart = [abs(plus[0] - minus[0]) for plus, minus in matches]
    require(
        len(apart) == 32 and all(abs(a - 4 / k**0.1) < 1e-9 for k, a in enumerate(apart, 1)),
        "In step k, plus and minus are 2 c / k ** 0.1 apart, and the first k is 1.",
    )
    after, matches = _matches(answer, 1.0, [0.0], 32, 1)
    seen = [*((plus[0] + minus[0]) / 2 for plus, minus in matches), after[0]]
    moved = [abs(later - earlier) for earlier, later in itertools.pairwise(seen)]
    hint = "In step k, a_k is a / (k + 20) ** 0.6, and the first k is 1."
    require(all(abs(m - 0.5 / (k + 20) ** 0.6) < 1e-9 for k, m in enumerate(moved, 1)), hint)
    after, _ = _matches(answer, 0.75, [0.0], 1, 1)
    hint = "A score of three quarters moves the number half as far as a win does."
    require(abs(abs(after[0]) - 0.25 / 21**0.6) < 1e-9, hint)
    best = [3.0, -2.0, 1.0]

    def strength(x: list[float]) -> float:
        return -20 * sum((value - top) ** 2 for value, top in zip(x, best, strict=True))

    for seed in (1, 2, 3):
        chance = random.Random(seed)

        def play(plus: list[float], minus: list[float], rng: random.Random = chance) -> float:
            lead = strength(plus) - strength(minus)
            expected = 1 / (1 + 10 ** (-lead / 400))
            return min(1.0, max(0.0, rng.gauss(expected, 0.15)))

        found = answer([0.0, 0.0, 0.0], play, 1500, 2.0, 0.5, random.Random(seed))
        worst = max(abs(value - top) for value, top in zip(found, best, strict=True))
        require(
            worst < 0.8,
            f"The best numbers are {best}; yours are {[round(x, 2) for x in found]}. Each number "
            "needs a sign of its own in each step.",
        )


def _matches(
    answer: Callable[..., list[float]], score: float, start: list[float], steps: int, seed: int
) -> tuple[list[float], list[tuple[list[float], list[float]]]]:
    """The numbers after these steps, and what played, where `plus` always gets this score."""
    matches: list[tuple[list[float], list[float]]] = []

    def play(plus: list[float], minus: list[float]) -> float:
        matches.append((list(plus), list(minus)))
        return score

    return answer(start, play, steps, 1.0, 2.0, random.Random(seed)), matches


def _one_step(answer: Callable[..., list[float]], score: float, side: int, seed: int) -> None:
    """A single step, in which `plus` always gets this score."""
    start = [0.0, 10.0]
    after, matches = _matches(answer, score, start, 1, seed)
    require(start == [0.0, 10.0], "The list of the start was changed.")
    require(len(matches) == 1, "One step is one match.")
    plus, minus = matches[0]
    hint = "In the first step plus and minus are 2c apart in every number."
    require(all(abs(abs(p - m) - 4) < 1e-9 for p, m in zip(plus, minus, strict=True)), hint)
    moved = [value - old for value, old in zip(after, (0.0, 10.0), strict=True)]
    ahead = [1 if p > m else -1 for p, m in zip(plus, minus, strict=True)]
    hint = "A drawn match says nothing: with a score of one half no number moves."
    require(side != 0 or moved == [0, 0], hint)
    hint = "After a win every number moves towards plus, after a loss towards minus."
    require(all(m * a * side >= 0 for m, a in zip(moved, ahead, strict=True)), hint)
    pace = 0.5 / 21**0.6
    require(
        all(abs(m - pace * a * side) < 1e-9 for m, a in zip(moved, ahead, strict=True)),
        f"After a win or a loss in the first step every number moves by a_1 / 2, here {pace:.4f}, "
        f"not {moved}.",
    )
