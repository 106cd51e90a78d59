"""Round robin, gauntlet and Swiss: who meets whom, for any number of players and any results."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.generated import examples
from utils.matches.pairings import Outcome, gauntlet, round_robin, swiss_round


def names(count: int) -> list[str]:
    return [f"p{number:02}" for number in range(count)]


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9, 32])
def test_in_a_round_robin_everybody_meets_everybody_with_fair_colours(count: int) -> None:
    meetings = round_robin(names(count))
    assert sorted(map(sorted, meetings)) == [
        list(p) for p in itertools.combinations(names(count), 2)
    ]
    white = Counter(first for first, _ in meetings)
    black = Counter(second for _, second in meetings)
    assert all(abs(white[name] - black[name]) <= 1 for name in names(count))


@pytest.mark.parametrize("count", [2, 3, 8])
def test_in_a_gauntlet_the_first_meets_all_others(count: int) -> None:
    first, *others = names(count)
    meetings = gauntlet([first, *others])
    assert [next(iter({*pair} - {first})) for pair in meetings] == others
    white = sum(pair[0] == first for pair in meetings)
    assert 0 <= 2 * white - len(meetings) <= 1


@examples(60)
@given(st.integers(2, 40), st.integers(0, 10**6), st.floats(0, 1), st.integers(0, 3))
def test_a_swiss_tournament_is_fair_whatever_the_results(
    count: int, seed: int, draws: float, favourite: int
) -> None:
    players, rng = names(count), random.Random(seed)
    history: list[Outcome] = []
    points, balance, byes = dict.fromkeys(players, 0.0), Counter[str](), list[str]()
    met: set[frozenset[str]] = set()
    rounds = count // 2
    for _ in range(min(rounds, 9)):
        meetings, bye = swiss_round(players, history)
        present = [name for pair in meetings for name in pair] + ([bye] if bye else [])
        assert sorted(present) == players, "everybody once"
        assert (bye is not None) == bool(count % 2)
        if bye:
            byes.append(bye)
            points[bye] += 1
            history.append(Outcome(bye, None, 1, 0))
        for first, second in meetings:
            assert frozenset((first, second)) not in met, "nobody meets somebody again"
            met.add(frozenset((first, second)))
            balance.update({first: 1, second: -1})
            won = 0.5 if rng.random() < draws else float(rng.random() < favourite / 3)
            history.append(Outcome(first, second, won, 1 - won))
            points[first] += won
            points[second] += 1 - won
        if count >= 8:
            assert all(abs(difference) <= 2 for difference in balance.values())
    assert len(byes) == len(set(byes)), "nobody has two byes"


def test_equal_points_meet_top_half_against_bottom_half_and_leaders_meet_leaders() -> None:
    players = names(8)
    first, bye = swiss_round(players, [])
    assert {frozenset(pair) for pair in first} == {
        frozenset((players[n], players[n + 4])) for n in range(4)
    }
    assert bye is None
    assert [pair[0] < pair[1] for pair in first] == [True, False, True, False]
    history = [Outcome(a, b, float(a < b), float(a > b)) for a, b in first]
    second, _ = swiss_round(players, history)
    leaders = {*players[:4]}
    assert all(len(leaders & {*pair}) != 1 for pair in second), "those with a point meet"
    assert swiss_round(players, reversed(history)) == (second, None)


def all_rounds(players: list[str]) -> Iterator[list[tuple[str, str]]]:
    """All ways to pair an even number of players."""
    if not players:
        yield []
    for other in players[1:]:
        for pairs in all_rounds([name for name in players[1:] if name != other]):
            yield [(players[0], other), *pairs]


@examples(100)
@given(
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
    st.sets(st.sampled_from(list(itertools.combinations(names(8), 2))), max_size=16),
)
def test_a_swiss_round_is_the_best_of_all_possible_ones(
    halves: list[int], met: set[tuple[str, str]]
) -> None:
    players = names(8)
    points = {name: number / 2 for name, number in zip(players, halves, strict=True)}
    order = sorted(players, key=lambda name: -points[name])
    history = [Outcome(name, None, points[name], 0) for name in players]
    history += [Outcome(*pair, 0, 0) for a, b in met for pair in ((a, b), (b, a))]

    def cost(pairs: list[tuple[str, str]]) -> tuple[float, int]:
        """Squared differences in points; how far it is from top half against bottom half."""
        apart, places = 0.0, 0
        for one, other in (sorted(pair, key=order.index) for pair in pairs):
            apart += (points[one] - points[other]) ** 2
            half = [*points.values()].count(points[one]) // 2
            places += abs(order.index(other) - order.index(one) - half)
        return apart, places

    rounds = [pairs for pairs in all_rounds(players) if not met & {*pairs}]
    if rounds:
        assert cost(swiss_round(players, history)[0]) == min(map(cost, rounds))
    else:
        with pytest.raises(ValueError, match="no further round for 8 players"):
            swiss_round(players, history)


def test_the_last_without_a_bye_has_it() -> None:
    players = names(5)
    meetings, bye = swiss_round(players, [])
    assert bye == "p04" and len(meetings) == 2
    history = [Outcome("p04", None, 1, 0), *(Outcome(a, b, 0.5, 0.5) for a, b in meetings)]
    assert swiss_round(players, history)[1] == "p03"
    history = [*history[:1], Outcome("p00", "p02", 0, 1), Outcome("p03", "p01", 0.5, 0.5)]
    assert swiss_round(players, history)[1] == "p00", "nobody has fewer points"
    history = [Outcome(name, None, 1, 0) for name in players]
    assert swiss_round(players, history)[1] == "p04", "all have had one"


def test_a_round_that_cannot_be_is_an_error() -> None:
    history = [Outcome("a", "b", 1, 0)]
    with pytest.raises(ValueError, match="expected 1 rounds or fewer"):
        swiss_round(["a", "b"], history)
