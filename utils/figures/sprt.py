"""A sequential probability ratio test: the log-likelihood ratio after each game, and the bounds.

A chapter simulates matches for several true differences in strength; the script shows as many games
of a match as the reader chooses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from utils.figures import BLUE, COLOURS, Figure
from utils.figures.live import folded, live_figure, signed, svg_picture

WIDTH, HEIGHT = 500, 320
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 28, 46
"""Pixels: of the picture, and around its axes."""

_LOOK = f"""
.course-sprt text {{ fill: currentColor; }}
.course-sprt .axis {{ stroke: currentColor; stroke-opacity: 0.6; }}
.course-sprt .bound {{ stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 6 4; }}
.course-sprt .walk {{ fill: none; stroke: {BLUE}; stroke-width: 2; stroke-linejoin: round; }}
.course-sprt circle {{ fill: {BLUE}; stroke: none; }}
"""


@dataclass(frozen=True)
class Run:
    """A match until the test decides.

    Attributes:
        ratios: the log-likelihood ratio, before the first game and then after equally many games
            each.
        elo: the difference that follows from the score when the test stops.
    """

    ratios: Sequence[float]
    elo: float


@dataclass(frozen=True)
class Claims:
    """The hypotheses of a sequential test.

    Attributes:
        elo0, elo1: the differences of H0 and H1, in Elo.
        lower, upper: the log-likelihood ratios at which H0 and H1 are accepted.
    """

    elo0: float
    elo1: float
    lower: float
    upper: float


def sprt_figure(
    runs: Mapping[float, Sequence[Run]],
    claims: Claims,
    caption: str,
    *,
    games: int,
    name: str,
    alt: str,
    first: float,
) -> Figure:
    """Matches under a sequential test; a reader sets the true difference and lets games arrive.

    Args:
        runs: matches by the true difference in Elo, equally many for each.
        claims: the hypotheses and bounds of the test.
        games: how many lie between two ratios of a run.
        first: the true difference with which the script begins.

    Raises:
        ValueError: no runs, not equally many, an unknown first difference, or a run that does
            not begin at zero and end at the first ratio outside of the bounds.
    """
    _check(runs, claims, name, first)
    truths = sorted(runs)
    all_runs = [run for some in runs.values() for run in some]
    longest = max(len(run.ratios) for run in all_runs) - 1
    ratios = [ratio for run in all_runs for ratio in run.ratios]
    low, high = min(ratios), max(ratios)
    across = (WIDTH - LEFT - RIGHT) / longest
    up = (HEIGHT - TOP - BOTTOM) / (high - low)
    zero = TOP + high * up

    shown = [truth for truth in truths if truth in (claims.elo0, first, claims.elo1)]
    stills = ""
    for index, (truth, colour) in enumerate(zip(shown, COLOURS, strict=False)):
        places = (
            f"{LEFT + step * across:.1f} {zero - ratio * up:.1f}"
            for step, ratio in enumerate(runs[truth][0].ratios)
        )
        stills += (
            f'<path class="walk" style="stroke: {colour}" d="M{"L".join(places)}"/>'
            f'<text x="{WIDTH - RIGHT}" y="{zero + 20 + 18 * index:.0f}" text-anchor="end" '
            f'style="fill: {colour}">true difference {signed(truth)} Elo</text>'
        )
    drawn = f'{_axes(claims, zero, up, longest * games)}<g data-part="walks">{stills}</g>'
    still = svg_picture("course-sprt", _LOOK, (WIDTH, HEIGHT), drawn, alt=alt, font=14.5)
    words = [
        f"{signed(truth)} Elo: {'; '.join(_verdict(run, claims, games) for run in runs[truth])}."
        for truth in truths
    ]
    data = {
        "truths": truths,
        "first": truths.index(first),
        "runs": [
            [
                {
                    "llr": [round(ratio, 2) for ratio in run.ratios],
                    "end": _judged(truth, run, claims),
                }
                for run in runs[truth]
            ]
            for truth in truths
        ],
        "games": games,
        "place": [LEFT, round(across, 3), round(zero, 1), round(up, 3)],
    }
    line = " ".join(
        f"True difference {signed(truth)} Elo: {_verdict(runs[truth][0], claims, games)}."
        for truth in shown
    )
    more = folded("All matches in words", words)
    return live_figure("sprt", still, data, caption, name=name, alt=alt, line=line, more=more)


def _check(runs: Mapping[float, Sequence[Run]], claims: Claims, name: str, first: float) -> None:
    """Raise the errors of `sprt_figure`."""
    if first not in runs or len({len(some) for some in runs.values()}) > 1 or not runs[first]:
        raise ValueError(f"figure {name}: expected runs for {first:g}, equally many for each")
    for truth, some in runs.items():
        for run in some:
            inside = [claims.lower < ratio < claims.upper for ratio in run.ratios]
            if len(inside) < 2 or run.ratios[0] or not all(inside[:-1]) or inside[-1]:
                raise ValueError(f"figure {name}: a run of {truth:g} Elo without a verdict")


def _verdict(run: Run, claims: Claims, games: int) -> str:
    accepted = "H1" if run.ratios[-1] >= claims.upper else "H0"
    return f"{accepted} is accepted after {(len(run.ratios) - 1) * games} games"


def _judged(truth: float, run: Run, claims: Claims) -> str:
    """The verdict of a run, whether it is right, and the difference that its score gives."""
    better = run.ratios[-1] >= claims.upper
    right = truth >= claims.elo1 if better else truth <= claims.elo0
    wrong = truth <= claims.elo0 if better else truth >= claims.elo1
    says = "That is right." if right else "That is wrong." if wrong else "Neither claim is true."
    elo = signed(round(run.elo))
    return f"{'H1' if better else 'H0'} is accepted. {says} The score says {elo} Elo."


def _axes(claims: Claims, zero: float, up: float, most: int) -> str:
    """The bounds, and the axes with their numbers."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    lines = [f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{zero:.1f}" y2="{zero:.1f}"/>']
    for claim, elo, ratio in (
        ("H1", claims.elo1, claims.upper),
        ("H0", claims.elo0, claims.lower),
    ):
        y = zero - ratio * up
        lines.append(
            f'<line class="bound" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{right}" y="{y + 17 if ratio < 0 else 14:.1f}" text-anchor="end">'
            f"accept {claim}: {signed(elo)} Elo</text>"
            f'<text x="{LEFT - 6}" y="{y + 5:.1f}" text-anchor="end">'
            f"{signed(round(ratio, 1))}</text>"
        )
    step = next(s for s in (100, 200, 500, 1000, 2000, 5000, 10**9) if most <= 8 * s)
    for number in range(0, most + 1, step):
        x = LEFT + (right - LEFT) * number / most
        lines.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{number}</text>')
    lines.append(
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 4}" text-anchor="middle">games</text>'
        f'<text x="{LEFT - 6}" y="{zero + 5:.1f}" text-anchor="end">0</text>'
        f'<text x="4" y="14">log-likelihood ratio</text>'
    )
    return "".join(lines)
