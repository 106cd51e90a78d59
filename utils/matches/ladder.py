"""The ladder: a tournament of all engines of the course, `course ladder`.

Each engine plays each other one, in pairs of games with the same opening. Each game is written
to `games.pgn` when it ends, so a ladder that was interrupted goes on where it was, and more rounds
or engines can be added. At the end the ratings are written to `ladder.json`. The pages of the
course show those in `data/ladder`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
import platform
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utils.atomic_files import replace_file
from utils.engines import ENGINES
from utils.matches.ladder_results import FOLDER, Ladder, Row, ladder_svg, ladder_table, load_ladder
from utils.matches.plan import Skip, games_of_plan
from utils.matches.records import PlannedGame, Played, header_value, last_date, read_played
from utils.paths import DATA, ROOT
from utils.placeholders import fill_placeholder

if TYPE_CHECKING:
    from converted_notebooks.s24_measuring_strength import Sprt

PICTURE = ROOT / "book" / "_static" / "ladder_measured.svg"
PAGES = (ROOT / "README.md", DATA / "README.md")
"""The page with the table, and the one with the checksums."""


def plan_ladder(
    control: str,
    rounds: int,
    engines: Sequence[str] = ENGINES,
    seed: int = 0,
    done: Iterable[Played] = (),
    near: int | None = None,
) -> list[PlannedGame]:
    """All games of the tournament, round after round.

    The openings of a match depend on the names of the two engines and the seed only, so another
    engine adds games and changes none. Matches in `done` keep their seed.

    Args:
        control: how long to think, as `read_control` of chapter s24 reads it.
        rounds: pairs of games of each two engines.
        engines: players as in `utils.engines.make_player`; with `near`, the weakest first.
        seed: for the choice of openings.
        done: games that were played before.
        near: engines meet only if they are at most this many places apart, and play a third of
            the rounds if they are more than one place apart. Without it all play all rounds.

    Raises:
        ValueError: fewer than two engines or one round, an engine twice, or a control or the
            seed of a game that cannot be read.
    """
    from converted_notebooks import s24_measuring_strength as s24

    if len(set(engines)) != len(engines) or len(engines) < 2:
        raise ValueError(f"players {' '.join(engines)}: expected two or more, each once")
    if rounds < 1:
        raise ValueError(f"{rounds} rounds: expected 1 or more")
    control = s24.read_control(control).text  # the same for all
    seeds = {(game.first, game.second): _seed(game, seed) for game in done}
    plan: list[PlannedGame] = []
    for (here, one), (there, other) in itertools.combinations(enumerate(engines), 2):
        if near is not None and there - here > near:
            continue
        pairs = rounds if near is None or there - here == 1 else -(-rounds // 3)
        # In the table, the later chapter comes first.
        first, second = sorted((one, other), reverse=True)
        old = seeds.get((header_value(first), header_value(second)))
        new = zlib.crc32(f"{seed} {first} {second}".encode())
        chosen = new if old is None else old
        plan += s24.plan_match(first, second, 2 * pairs, control, seed=chosen)
    return sorted(plan, key=lambda planned: planned.number // 2)


def _seed(game: Played, usual: int) -> int:
    """The seed in the headers of a game; `usual` if they have none."""
    text = game.headers.get("Seed", str(usual))
    if not re.fullmatch(r"-?[0-9]+", text):
        where = f"a game of {game.first} and {game.second}"
        raise ValueError(f"{where} has the seed {text!r}; expected a whole number")
    return int(text)


def decided_pairs(test: Sprt) -> Skip:
    """A rule that ends each match of a ladder when a sequential test has decided.

    A decision is final, whatever the games say that had begun before it.
    """
    asked: dict[tuple[str, str], int] = {}  # the number of tested games of each match
    decided: set[tuple[str, str]] = set()

    def skip(planned: PlannedGame, games: Sequence[Played]) -> bool:
        players = header_value(planned.first), header_value(planned.second)
        match = [game for game in games if (game.first, game.second) == players]
        while players not in decided and asked.get(players, 0) < len(match):
            asked[players] = asked.get(players, 0) + 1
            if test.decided(match[: asked[players]]):
                decided.add(players)
        return players in decided

    return skip


def make_ladder(
    plan: Sequence[PlannedGame],
    games: Iterable[Played],
    near: int | None = None,
    sprt: tuple[float, float] | None = None,
) -> Ladder:
    """Rate the engines of a plan by the games that were played.

    Args:
        near: as in `plan_ladder`.
        sprt: the two hypotheses, in Elo, of the test that ended matches; None without a test.

    Raises:
        ValueError: an engine has no game.
    """
    from converted_notebooks import s24_measuring_strength as s24

    # In a file, games stand in the order in which they ended; rounding must not depend on it.
    games = sorted(games, key=lambda game: game.key)
    fit = s24.fit_strengths(games)
    present = {header_value(name) for game in plan for name in (game.first, game.second)}
    names = sorted(present, key=lambda name: (name not in ENGINES, name))
    if missing := [name for name in names if name not in fit.names]:
        raise ValueError(f"no games of {', '.join(missing)}; expected some of each engine")
    (control,) = {planned.control for planned in plan}
    rows = []
    for name, before in zip(names, [None, *names], strict=False):
        elo, margin = _gain(fit, name, names[0])
        gain, gain_margin = _gain(fit, name, before) if before else (None, None)
        own = [g.points for g in games if g.first == name]
        own += [1 - g.points for g in games if g.second == name]
        score = round(sum(own) / len(own), 4)
        rows.append(Row(name, elo, margin, gain, gain_margin, len(own), score))
    return Ladder(
        date=last_date(games),
        machine=machine(),
        python=platform.python_version(),
        control=control,
        rounds=max(planned.number for planned in plan) // 2 + 1,
        near=near,
        sprt=sprt,
        together=_together(fit, names),
        games=len(games),
        faults=sum(game.fault is not None for game in games),
        rows=tuple(rows),
        results=tuple(
            (first, second, int(won), int(drawn), int(lost))
            for (first, second), (won, drawn, lost) in s24.add_up(games).items()
        ),
    )


def _together(fit: Any, names: Sequence[str]) -> float:
    """The probability that the 95 % intervals of all gains hold at once, by simulation."""
    import numpy as np

    order = [fit.names.index(name) for name in names]
    spread = np.diff(np.diff(fit.covariance[np.ix_(order, order)], axis=0), axis=1)
    # Cholesky gives the same numbers with every linear algebra library.
    rng, zero = np.random.default_rng(0), np.zeros(len(spread))
    errors = rng.multivariate_normal(zero, spread, 100_000, method="cholesky")
    held = (abs(errors) <= 1.96 * np.sqrt(np.diag(spread))).all(axis=1)
    return round(float(held.mean()), 2)


def _gain(fit: Any, name: str, other: str) -> tuple[float, float]:
    """How much stronger a player is than another one, and half of the 95 % interval."""
    elo, margin = fit.gain(name, other)
    return round(float(elo), 1), round(float(margin), 1)


def machine() -> str:
    """The machine of a measurement in words, such as "Linux x86_64, 2 cores"."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def rate_again(folder: Path) -> Ladder:
    """The table of a folder, computed again from its games; machine and Python stay as stored.

    Raises:
        FileNotFoundError, ValueError: there is no table in the folder, or games are missing.
    """
    old = load_ladder(folder / "ladder.json")
    games = read_played(folder / "games.pgn")
    met = {frozenset(result[:2]) for result in old.results}
    planned = plan_ladder(old.control, old.rounds, [row.name for row in old.rows], done=games)
    plan = [p for p in planned if frozenset((header_value(p.first), header_value(p.second))) in met]
    fresh = make_ladder(plan, games_of_plan(plan, games), old.near, old.sprt)
    return dataclasses.replace(fresh, machine=old.machine, python=old.python)


def save_ladder(ladder: Ladder, folder: Path) -> None:
    """Write a table to a folder; with that of the course, also the pages that show it."""
    replace_file(folder / "ladder.json", json.dumps(dataclasses.asdict(ladder), indent=1) + "\n")
    if folder.resolve() == FOLDER:
        for page, text in pages(folder).items():
            replace_file(page, text)


def pages(folder: Path = FOLDER) -> dict[Path, str]:
    """The files that show the ladder, with their contents for the ladder of a folder."""
    ladder = load_ladder(folder / "ladder.json")
    sums = "\n\n".join(
        f"**SHA-256** of ladder/{name} `{hashlib.sha256((folder / name).read_bytes()).hexdigest()}`"
        for name in ("games.pgn", "ladder.json")
    )
    found = {PICTURE: ladder_svg(ladder, alone=True)}
    for page, content in zip(PAGES, (ladder_table(ladder), sums), strict=True):
        if page.is_file():
            found[page] = fill_placeholder(page.read_text(encoding="utf-8"), "ladder", content)
    return found
