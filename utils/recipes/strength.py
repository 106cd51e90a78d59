"""How strong the strongest engines are: `python -m utils.recipes.strength s23` measures one.

It plays matches, as `course match` does, against Stockfish and against an engine of an earlier
chapter, and solves a test suite, as `course suite` does. Each game is stored when it ends, so a run
that was interrupted continues. It takes hours with two workers, so the book shows stored results.
The other engine that can be measured is `s27`.
"""

from __future__ import annotations

import contextlib
import json
import platform
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from converted_notebooks.s05_random_engine import Tally
from utils.atomic_files import replace_file
from utils.engines import make_player
from utils.matches.ladder import machine
from utils.matches.records import last_date, read_played
from utils.matches.suites import read_suite, run_suite
from utils.matches.workers import worker_pool
from utils.paths import DATA

if TYPE_CHECKING:  # absent in a browser, where chapter s23 reads what is stored
    import typer

FOLDER = DATA / "strength"
SUITE = DATA / "suites" / "bratko-kopec.epd"
SUITE_TIMES = ("1s", "5s")


@dataclass(frozen=True)
class Duel:
    """A match that is played."""

    name: str  # of the file with its games
    player: str  # the measured player, as in `utils.engines.make_player`
    opponent: str  # likewise
    words: str  # the opponent, for readers
    control: str  # time control, as `read_controls` of chapter s24 reads it
    games: int  # how many
    version: str = ""  # the name that the opponent's program must report; empty: any
    alone: bool = False  # whether games run one at a time, because each needs two processors


def against_stockfish(player: str, elo: int, name: str, control: str, games: int) -> Duel:
    """A match with Debian's Stockfish at a level in Elo, with its default size of the hash."""
    opponent, version = f"stockfish?UCI_Elo={elo}", "Stockfish 15.1"
    return Duel(name, player, opponent, f"{version} at {elo}", control, games, version)


DUELS: dict[str, tuple[Duel, ...]] = {
    "s23": (
        Duel("s23-s13", "s23", "s13", "incremental evaluation (s13)", "0.5s", 20),
        Duel("s23-nodes", "s23", "s22", "search without network (s22)", "3000n", 100),
        against_stockfish("s23", 1500, "s23-clock", "1+0.01", 500),
        against_stockfish("s23", 2000, "s23-2000", "1s", 100),
    ),
    "s27": (
        Duel("s27-s23", "s27", "s23", "tournament engine (s23)", "0.2s", 12),
        Duel("s27-nodes", "s27", "s23", "the same, both with 3000 nodes", "3000n", 100),
        Duel("s27-tenth", "s27", "s23", "the same with ten times the time", "0.1s:1s", 40),
        against_stockfish("s27", 2000, "s27-2000", "0.2s", 100),
        against_stockfish("s27", 2500, "s27-2500", "0.2s", 100),
        Duel(
            "s27-threads",
            "s27?Threads=2",
            "s27",
            "itself with one thread, playing with two",
            "0.05s",
            100,
            alone=True,
        ),
    ),
}
"""The matches of each engine."""

LEVEL = "stockfish?UCI_Elo=2000&Hash=16"
VERSIONS = (
    Duel("versions-19", "s23", LEVEL, "Stockfish 19 at 2000", "60+0.6", 40),
    Duel("versions-15", "s23", LEVEL, "Stockfish 15.1 at 2000", "60+0.6", 40),
)
"""Two matches of an earlier edition of s23; they cannot be repeated."""
PLAN = Duel("s23-s22", "s23", "s22", "search of s22 without a plan", "5+0.05", 200)
"""A match of s23 without its network, so that only the plan differs; it cannot be repeated."""


@dataclass(frozen=True)
class MatchResult(Tally):
    """The result of a match, from the view of the measured engine."""

    words: str  # the opponent
    control: str  # time control
    date: str  # of the last game, such as "2026-11-21"
    # Games that the engine lost on time, by an illegal move or by breaking down.
    faults: int


@dataclass(frozen=True)
class SuiteResult:
    """The result of a suite."""

    name: str  # of the suite
    control: str  # time for each problem
    solved: tuple[str, ...]  # names of the problems whose answer is right
    asked: int  # how many problems there are


@dataclass(frozen=True)
class Strength:
    """All measurements."""

    machine: str  # what it was measured on
    python: str  # version
    matches: tuple[MatchResult, ...]
    suites: tuple[SuiteResult, ...]

    @property
    def date(self) -> str:
        """Of the last game, such as "2026-11-21"."""
        return max(match.date for match in self.matches)


def match_result(duel: Duel, folder: Path = FOLDER) -> MatchResult:
    """The result of a match, counted from its stored games.

    Raises:
        OSError: the file cannot be read.
        ValueError: the match is not finished.
    """
    games = read_played(folder / f"{duel.name}.pgn")
    if len(games) != duel.games:
        raise ValueError(
            f"{duel.name}.pgn has {len(games)} games, expected {duel.games}: "
            f"python -m utils.recipes.strength {duel.player.partition('?')[0]} plays the others"
        )
    points = [game.points for game in games]
    counts = points.count(1), points.count(0.5), points.count(0)
    faults = sum(game.fault is not None for game in games if game.points == 0)
    return MatchResult(*counts, duel.words, duel.control, last_date(games), faults)


def load_strength(engine: str = "s23", folder: Path = FOLDER) -> Strength:
    """The stored results of an engine: matches from their games, suites from the summary.

    Raises:
        OSError: a file cannot be read.
        ValueError: the summary is damaged, or a match is not finished.
    """
    matches = tuple(match_result(duel, folder) for duel in DUELS[engine])
    summary = folder / f"{engine}.json"
    try:
        data = json.loads(summary.read_text(encoding="utf-8"))
        suites = [SuiteResult(**s | {"solved": tuple(s["solved"])}) for s in data.pop("suites")]
        return Strength(matches=matches, suites=tuple(suites), **data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{summary} is no summary of strength: {error}") from error


def play(duel: Duel, folder: Path, workers: int = 1) -> None:
    """Play the missing games of a match, as `course match` does.

    Raises:
        ValueError: games are missing, and another version of the opponent is installed.
    """
    from utils.commands.match import match

    path = folder / f"{duel.name}.pgn"
    missing = len(read_played(path)) < duel.games
    if duel.version and missing and (installed := stockfish_name()) != duel.version:
        raise ValueError(
            f"{path.name} is for games against {duel.version}, but {installed} is installed"
        )
    at_once = 1 if duel.alone else workers
    match(duel.player, duel.opponent, duel.games, duel.control, path, at_once)


def ask(engine: str, control: str, executor: Executor | None = None) -> dict[str, Any]:
    """Let an engine solve the suite; returns the fields of a `SuiteResult`."""
    suite = read_suite(SUITE)
    answers = list(run_suite(engine, suite, control, executor))
    solved = sorted(answer.problem for answer in answers if answer.solved)
    return {"name": suite.name, "control": control, "solved": solved, "asked": len(answers)}


def stockfish_name() -> str:
    """The name that the installed Stockfish reports."""
    with contextlib.closing(make_player("stockfish")) as player:
        return player.name


def main(
    engine: Annotated[str, typer.Argument(help="s23 or s27.")],
    workers: Annotated[int, typer.Option(min=1, help="Games at the same time.")] = 1,
    folder: Annotated[Path, typer.Option(help="For games and summary.")] = FOLDER,
) -> None:
    """Measure how strong an engine is. After an interruption, the same command continues."""
    from utils.commands.errors import input_errors

    with input_errors():
        if engine not in DUELS:
            raise ValueError(f"{engine!r} has no matches here; expected {' or '.join(DUELS)}")
        for duel in DUELS[engine]:
            play(duel, folder, workers)
        with worker_pool(workers) as executor:
            suites = [ask(engine, control, executor) for control in SUITE_TIMES]
        found = {"machine": machine(), "python": platform.python_version()}
        summary = found | {"suites": suites}
        replace_file(folder / f"{engine}.json", json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    import typer

    from utils.commands.errors import one_line_errors

    with one_line_errors():
        typer.run(main)
