"""The page of a tournament: standings, cross table and last games in one file of HTML."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Sequence

from utils.matches.records import Played
from utils.matches.tournament import Place, Tournament, duration_text

REFRESH_SECONDS = 10
"""Seconds after which a browser asks for the page again, while the tournament runs."""
GAMES_LISTED = 12
"""Games that are listed, the latest first."""
STYLE = """\
:root { color-scheme: light dark; }
body { font: 16px/1.4 system-ui, sans-serif; margin: 1.5rem auto; max-width: 75rem; }
body { padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; }
th, td { padding: .2rem .5rem; border-bottom: 1px solid #8886; }
th, td { text-align: right; white-space: nowrap; }
th:nth-child(2), td:nth-child(2), .games td { text-align: left; }
.cross td { text-align: center; } .cross td:nth-child(2) { text-align: left; }
.scroll { overflow-x: auto; }
"""


def page(
    tournament: Tournament,
    places: Sequence[Place],
    games: Sequence[Played],
    hours_left: float | None = None,
) -> str:
    """The page as HTML.

    Args:
        hours_left: an estimate, if there is one.
    """
    running = len(games) < tournament.total
    state = f"{len(games)} of {tournament.total} games at {tournament.control}"
    if running and hours_left is not None:
        state += f", about {duration_text(hours_left)} to go"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">' if running else "",
        f"<title>Tournament: {state}</title><style>{STYLE}</style></head><body>",
        f"<h1>Tournament</h1><p>{tournament.system}, {state}. "
        '<a href="games.pgn">All games</a> as PGN.</p>',
        "<h2>Standings</h2>",
        _table(_standings(places)),
        "<p>S.-B.: Sonneborn–Berger, for each game its points times all points of the opponent. "
        "By fault: games lost on time, by an illegal move or by breaking down.</p>",
        "<h2>Cross table</h2>",
        _table(_cross(places, games), "cross"),
        "<h2>The last games</h2>",
        _table(_last(games), "games"),
        "</body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _table(rows: Sequence[Sequence[object]], kind: str = "plain") -> str:
    """A table; the first row is its head."""
    head, *body = [[html.escape(str(cell)) for cell in row] for row in rows]
    lines = [f'<div class="scroll"><table class="{kind}"><thead><tr>']
    lines += [f'<th scope="col">{cell}</th>' for cell in head]
    lines.append("</tr></thead><tbody>")
    lines += [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body]
    return "\n".join([*lines, "</tbody></table></div>"])


def _points(points: float) -> str:
    """A number of points as in a table: 1½."""
    whole, half = divmod(points, 1)
    text = f"{whole:.0f}" if whole or not half else ""
    return text + ("½" if half else "")


def _standings(places: Sequence[Place]) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [
        ("", "player", "points", "games", "won", "drawn", "lost", "by fault", "S.-B.")
    ]
    for rank, p in enumerate(places, 1):
        points, faults, berger = _points(p.points), p.faults or "", f"{p.berger:.2f}"
        rows.append((rank, p.name, points, p.games, p.wins, p.draws, p.losses, faults, berger))
    return rows


def _cross(places: Sequence[Place], games: Sequence[Played]) -> list[Sequence[object]]:
    """What each player has scored against each other."""
    scores = defaultdict[tuple[str, str], float](float)
    for game in games:
        scores[game.first, game.second] += game.points
        scores[game.second, game.first] += 1 - game.points
    rows: list[Sequence[object]] = [("", "player", *range(1, len(places) + 1))]
    for rank, one in enumerate(places, 1):
        cells = [
            "×" if one is other else _points(scores[key]) if key in scores else ""
            for other in places
            for key in [(one.name, other.name)]
        ]
        rows.append((rank, one.name, *cells))
    return rows


def _last(games: Sequence[Played]) -> list[Sequence[object]]:
    fields = ("Round", "White", "Black", "Result", "Termination")
    latest = reversed(games[-GAMES_LISTED:])
    return [
        ("round", "White", "Black", "result", "how it ended"),
        *(tuple(game.headers.get(field, "") for field in fields) for game in latest),
    ]
