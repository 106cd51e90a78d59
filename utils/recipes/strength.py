"""How strong the tournament engine is: `python -m utils.recipes.strength` measures it.

It plays matches at real time against Stockfish and against an engine of an earlier chapter,
and answers a test suite. This takes more than an hour with two workers, so the book does not do
it anew: it shows what is stored. Games are kept as they end, so the command can be
interrupted and goes on. With `--table` nothing is played; the summary is made again from
the games.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utils.atomic_files import replacing
from utils.jupyter_loader import load_chapter
from utils.matches.ladder import machine
from utils.matches.progress import ProgressBar
from utils.matches.records import Played, read_played
from utils.matches.workers import add_options, workers
from utils.paths import DATA

FOLDER = DATA / "strength"
SUMMARY = "s20.json"
ENGINE = "s20"
SUITE = DATA / "suites" / "bratko-kopec.epd"
SUITE_TIMES = ("1s", "5s")


@dataclass(frozen=True)
class Duel:
    """A match that is played.

    Attributes:
        name: of the file with its games.
        opponent: a player as in `utils.engines.make_player`.
        words: the opponent in words.
        control: time control.
        games: how many.
        version: of the opponent: what the program must call itself; empty if any will do.
    """

    name: str
    opponent: str
    words: str
    control: str
    games: int
    version: str = ""


DUELS = (
    Duel("s13", "s13", "incremental evaluation (s13)", "0.5s", 20),
    Duel("clock", "stockfish?UCI_Elo=1500&Hash=16", "Stockfish at 1500", "1+0.01", 200),
    Duel("stockfish", "stockfish?UCI_Elo=2000&Hash=16", "Stockfish at 2000", "60+0.6", 40),
    Duel(
        "stockfish-15",
        "stockfish?UCI_Elo=2000&Hash=16",
        "Stockfish 15.1 at 2000",
        "60+0.6",
        40,
        version="Stockfish 15.1",
    ),
)


@dataclass(frozen=True)
class MatchResult:
    """What a match found, from the view of the tournament engine.

    Attributes:
        words: the opponent.
        control: time control.
        wins, draws, losses: games.
        faults: games that the tournament engine lost on time, by an illegal move or by
            breaking down.
    """

    words: str
    control: str
    wins: int
    draws: int
    losses: int
    faults: int

    @property
    def games(self) -> int:
        """How many were played."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, one half for a draw."""
        return self.wins + self.draws / 2


@dataclass(frozen=True)
class SuiteResult:
    """What a suite found.

    Attributes:
        name: of the suite.
        control: time for each problem.
        solved: names of the problems whose answer is right.
        asked: how many problems there are.
    """

    name: str
    control: str
    solved: tuple[str, ...]
    asked: int


@dataclass(frozen=True)
class Strength:
    """The summary of all measurements.

    Attributes:
        date: of the last one, such as "2026-11-21".
        machine, python, stockfish: what it was measured on, and with.
        matches, suites: the results.
    """

    date: str
    machine: str
    python: str
    stockfish: str
    matches: tuple[MatchResult, ...]
    suites: tuple[SuiteResult, ...]


def _chapter() -> Any:
    return load_chapter("s21_measuring_strength")


def play(duel: Duel, folder: Path, executor: Executor | None = None) -> Iterator[int]:
    """Play what is missing of a match; yields how many games there are.

    Raises:
        ValueError: games are missing, and another version of the opponent is installed.
    """
    path = folder / f"{duel.name}.pgn"
    match = _chapter().Match(
        ENGINE, duel.opponent, games=duel.games, control=duel.control, path=path
    )
    if duel.version and len(read_played(path)) < duel.games:
        installed = stockfish_name()
        if installed != duel.version:
            raise ValueError(
                f"{path.name} is for games against {duel.version}, but {installed} is installed; "
                "install the former, or put the file of the course back"
            )
    for standing in match.run(executor):
        yield standing.games


def add_up(duel: Duel, games: Sequence[Played]) -> MatchResult:
    """The result of a match.

    Raises:
        ValueError: it is not finished.
    """
    if len(games) != duel.games:
        raise ValueError(
            f"{duel.name}.pgn has {len(games)} games, expected {duel.games}: "
            "python -m utils.recipes.strength plays the others"
        )
    now = _chapter().standing(games, duel.games)
    faults = sum(game.fault and game.points == 0 for game in games)
    return MatchResult(duel.words, duel.control, now.wins, now.draws, now.losses, faults)


def ask(control: str, executor: Executor | None = None) -> SuiteResult:
    """Let the engine answer the suite."""
    chapter = _chapter()
    suite = chapter.read_suite(SUITE)
    solved = []
    with ProgressBar("problems", len(suite.problems)) as bar:
        for done, answer in enumerate(chapter.run_suite(ENGINE, suite, control, executor), 1):
            bar.show(done, f"{suite.name}, {control}")
            if answer.solved:
                solved.append(answer.problem)
    return SuiteResult(suite.name, control, tuple(sorted(solved)), len(suite.problems))


def stockfish_name() -> str:
    """What the installed Stockfish calls itself."""
    from utils.engines import close_player, make_player

    player = make_player("stockfish")
    try:
        return str(player.name)
    finally:
        close_player(player)


def summarise(folder: Path, suites: Sequence[SuiteResult], stockfish: str) -> Strength:
    """Put everything together.

    Raises:
        ValueError: a match is not finished.
    """
    games = [read_played(folder / f"{duel.name}.pgn") for duel in DUELS]
    matches = tuple(add_up(*pair) for pair in zip(DUELS, games, strict=True))
    date = max(game.headers.get("Date", "") for match in games for game in match)
    return Strength(
        date.replace(".", "-"),
        machine(),
        platform.python_version(),
        stockfish,
        matches,
        tuple(suites),
    )


def save(strength: Strength, path: Path) -> None:
    """Write a summary; whoever reads sees the old one or the new one."""
    with replacing(path) as file:
        file.write(json.dumps(dataclasses.asdict(strength), indent=1) + "\n")


def load_strength(path: Path = FOLDER / SUMMARY) -> Strength:
    """The stored summary.

    Raises:
        FileNotFoundError: it has not been measured.
        ValueError: the file is no such summary.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"{path.name} is missing; to measure: python -m utils.recipes.strength"
        )
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        data["matches"] = tuple(MatchResult(**match) for match in data["matches"])
        data["suites"] = tuple(
            SuiteResult(**suite | {"solved": tuple(suite["solved"])}) for suite in data["suites"]
        )
        return Strength(**data)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is no summary of strength: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or only add up; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m utils.recipes.strength", description=__doc__)
    add_options(parser, 1)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for games and summary")
    parser.add_argument("--table", action="store_true", help="play nothing, add up again")
    options = parser.parse_args(arguments)
    path = options.folder / SUMMARY
    try:
        if options.table:
            old = load_strength(path)
            new = summarise(options.folder, old.suites, old.stockfish)
            save(dataclasses.replace(new, machine=old.machine, python=old.python), path)
            return 0
        options.folder.mkdir(parents=True, exist_ok=True)
        with workers(options.workers, options.scheduler) as executor:
            suites = [ask(control, executor) for control in SUITE_TIMES]
            for duel in DUELS:
                with ProgressBar("games", duel.games) as bar:
                    for done in play(duel, options.folder, executor):
                        bar.show(done, f"{duel.words}, {duel.control}")
        save(summarise(options.folder, suites, stockfish_name()), path)
    except (ValueError, OSError, ModuleNotFoundError, BrokenExecutor) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"Stopped; the games so far are in {options.folder}, the same command goes on.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
