"""Pairings: round robin, gauntlet, Swiss.

A meeting is a pair of names; if it is one game, the first has White. Swiss rounds are paired by
score groups, without the details of FIDE's rules: they do not matter for engines, and libraries
that implement them need files of another format.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

Meeting = tuple[str, str]


class Outcome(NamedTuple):
    """A meeting that is over, or a bye."""

    first: str
    second: str | None  # None if the first had a bye
    points: float  # of the first
    others: float  # of the second


def round_robin(players: Sequence[str]) -> list[Meeting]:
    """Each player meets each other once; White and Black are about equally frequent for all."""
    count, meetings = len(players), []
    for step in range(1, count // 2 + 1):
        starts = count // 2 if 2 * step == count else count
        meetings += [(players[i], players[(i + step) % count]) for i in range(starts)]
    return meetings


def gauntlet(players: Sequence[str]) -> list[Meeting]:
    """The first player meets each of the others; the colours change from one to the next."""
    first, *others = players
    return [(first, o) if n % 2 == 0 else (o, first) for n, o in enumerate(others)]


def swiss_round(
    players: Sequence[str], earlier: Iterable[Outcome]
) -> tuple[list[Meeting], str | None]:
    """The next round, and who has a bye in it.

    No two players meet twice. Opponents have equal points, or nearly. Nobody's numbers of games
    with White and with Black differ by more than two, unless the round is impossible otherwise.
    With an odd number of players, the one with the fewest points among those without a bye so far
    gets a bye, which counts as a win.

    Args:
        players: the strongest first, if known; of players with equal points the first comes first.
        earlier: the results of all rounds so far.

    Raises:
        ValueError: there is no such round.
    """
    points, balance = dict.fromkeys(players, 0.0), Counter[str]()
    met, byes = set[frozenset[str]](), set[str]()
    for first, second, won, lost in earlier:
        points[first] += won
        if second is None:
            byes.add(first)
            continue
        points[second] += lost
        balance.update({first: 1, second: -1})
        met.add(frozenset((first, second)))
    order = sorted(players, key=lambda name: -points[name])
    bye = None
    if len(order) % 2:
        bye = next((name for name in reversed(order) if name not in byes), order[-1])
        order.remove(bye)

    def strangers(one: str, other: str) -> bool:
        return frozenset((one, other)) not in met

    def colours_too(one: str, other: str) -> bool:
        return strangers(one, other) and abs(balance[one] + balance[other]) < 4

    for allowed in (colours_too, strangers):  # without the colours if no round keeps them
        pairs = _paired(order, points, allowed)
        if pairs is not None:
            # White for the player who had it less often; if equal, alternate from board to board.
            return [
                (a, b) if (balance[a], board % 2) <= (balance[b], 0) else (b, a)
                for board, (a, b) in enumerate(pairs)
            ], bye
    raise ValueError(
        f"no further round for {len(players)} players in which all meet somebody new; expected "
        f"{len(players) // 2} rounds or fewer"
    )


def _paired(
    order: Sequence[str], points: Mapping[str, float], allowed: Callable[[str, str], bool]
) -> list[Meeting] | None:
    """A pairing of all players; None if there is none.

    It minimises the sum of the squared differences in points; second, the top half of each score
    group meets its bottom half.
    """
    from networkx import Graph, max_weight_matching  # type: ignore[import-untyped]

    size, score = len(order), [points[name] for name in order]
    graph = Graph()
    for one, other in itertools.combinations(range(size), 2):
        if allowed(order[one], order[other]):
            apart = round(4 * (score[one] - score[other]) ** 2)  # points come in halves
            places = abs(other - one - score.count(score[one]) // 2)
            graph.add_edge(one, other, weight=-apart * size**2 - places)
    found = max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < size:
        return None
    return [(order[one], order[other]) for one, other in sorted(map(sorted, found))]
