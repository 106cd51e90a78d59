"""A rating list: what the strengths of chapter s24 say of each player."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from converted_notebooks.s24_measuring_strength import Fit, Result
    from utils.matches.records import Played


@dataclass(frozen=True)
class Rating:
    """A player's place in a rating list."""

    name: str
    elo: float  # strength, around an average of 0
    margin: float  # half the width of the 95 % interval of the distance to that average, in Elo
    games: float  # played
    score: float  # share of the points, from 0 to 1


def ratings(results: Iterable[Played | Result], fit: Fit | None = None) -> list[Rating]:
    """A rating list, the strongest first.

    Args:
        results: games, or tuples (player, opponent, wins, draws, losses).
        fit: the strengths, by default those of `fit_strengths` with its prior.
    """
    import numpy as np

    from converted_notebooks.s24_measuring_strength import add_up, fit_strengths

    sums = add_up(results)
    fit = fit or fit_strengths([(*pair, *counts) for pair, counts in sums.items()])
    games, points = dict.fromkeys(fit.names, 0.0), dict.fromkeys(fit.names, 0.0)
    for pair, (wins, draws, losses) in sums.items():
        for name, won in zip(pair, (wins, losses), strict=True):
            games[name] += wins + draws + losses
            points[name] += won + draws / 2
    margins = 1.96 * fit.scale * np.sqrt(np.diag(fit.covariance))
    rows = [
        Rating(name, float(fit.scale * x), float(margin), games[name], points[name] / games[name])
        for name, x, margin in zip(fit.names, fit.strengths, margins, strict=True)
        if games[name]
    ]
    return sorted(rows, key=lambda row: (-row.elo, row.name))
