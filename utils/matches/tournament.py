"""A tournament of a class or a club, `course tournament`: programs that speak UCI play each other.

Each program runs in a process of its own, which is paused while its opponent thinks (not on
Windows). A program that hangs, crashes, plays an illegal move or exceeds its time loses its game,
and the tournament goes on. Programs run with the rights of the user who started the tournament.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import chess.engine

from utils.engines import check_player, make_player, players
from utils.external_programs import shell_line
from utils.matches.pairings import Meeting, Outcome, gauntlet, round_robin, swiss_round
from utils.matches.plan import play_plan
from utils.matches.playing import why_absent
from utils.matches.records import PlannedGame, Played, header_value
from utils.paths import ROOT

System = Literal["round-robin", "swiss", "gauntlet"]
TYPICAL_PLIES = 120
"""Plies of a game, for the estimate of hours."""
START_SECONDS = 1.0
"""Seconds that it takes to start two programs, for the estimate of hours."""


@dataclass(frozen=True)
class Entrant:
    """A participant."""

    name: str  # in tables and in the PGN file
    program: str  # as in `utils.engines.make_player`


def read_entrant(text: str) -> Entrant:
    """A player from a text such as "Anna=python anna.py", "stockfish?UCI_Elo=1500" or "s12".

    The name is the part before the first equals sign, unless that has a question mark or a slash.
    The engine of a chapter also runs in a process of its own.

    Raises:
        ValueError: there is no name, or no program.
    """
    name, equals, program = text.partition("=")
    if not equals or {*name} & {*"?/\\"}:
        name = program = text
    name, program = header_value(name), program.strip()
    if not name or not program:
        raise ValueError(f"player {text!r}: expected a name and a program, such as Anna=./anna")
    chapter, mark, options = program.partition("?")
    if chapter in players():
        # By its path: with -m, files of the working directory could take the place of modules.
        words = [Path(sys.executable).as_posix(), (ROOT / "utils/uci.py").as_posix(), "-e", chapter]
        program = shell_line(words) + mark + options
    return Entrant(name, program)


def read_entrants(lines: Iterable[str]) -> tuple[Entrant, ...]:
    """The players of a list; empty lines and those that begin with # are skipped.

    Raises:
        ValueError: fewer than two, a name twice, or a line that cannot be read.
        FileNotFoundError: a program is not there.
    """
    stripped = map(str.strip, lines)
    kept = [line for line in stripped if line and not line.startswith("#")]
    entrants = tuple(read_entrant(line) for line in kept)
    names = [entrant.name for entrant in entrants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{', '.join(sorted(twice))}: expected each name once")
    if len(entrants) < 2:
        raise ValueError(f"{len(entrants)} players: expected two or more")
    for entrant in entrants:
        check_player(entrant.program)
    return entrants


def absent(entrants: Sequence[Entrant]) -> dict[str, str]:
    """The names of players whose programs do not start, and why; each is started once."""

    def reason(entrant: Entrant) -> str:
        try:
            make_player(entrant.program).close()
        except (chess.engine.EngineError, OSError) as error:
            return why_absent(error)
        return ""

    with ThreadPoolExecutor(4) as threads:
        reasons = threads.map(reason, entrants)
        return {one.name: why for one, why in zip(entrants, reasons, strict=True) if why}


@dataclass(frozen=True)
class Tournament:
    """A tournament of programs.

    Its pairings and openings depend on the names, the seed and the results only.

    Raises:
        ValueError: a control that cannot be read, or a wrong number of games or rounds.
    """

    entrants: tuple[Entrant, ...]
    control: str  # as `read_control` of chapter s24 reads it
    system: System = "round-robin"
    games: int = 2  # of a meeting: 1, or an even number, two with each opening
    rounds: int = 1  # of a Swiss tournament
    seed: int = 0
    longest: int | None = None  # plies after which a game is a draw
    # Seconds by which a program may exceed a time for each move; None: such a time is not enforced.
    grace: float | None = None

    def __post_init__(self) -> None:
        from converted_notebooks.s24_measuring_strength import read_control

        read_control(self.control)
        if self.games != 1 and (self.games < 2 or self.games % 2):
            raise ValueError(f"{self.games} games: expected 1 or an even number for each meeting")
        players = len(self.entrants)
        if self.system == "swiss" and not 1 <= self.rounds <= players // 2:
            raise ValueError(
                f"{self.rounds} rounds for {players} players: expected at least 1, and at most "
                "half as many as players"
            )

    @property
    def names(self) -> list[str]:
        """The players in the order of the list."""
        return [entrant.name for entrant in self.entrants]

    @property
    def total(self) -> int:
        """How many games there are."""
        if self.system == "swiss":
            return len(self.entrants) // 2 * self.rounds * self.games
        return len(self.meetings(0, [])[0]) * self.games

    def hours(self, processes: int) -> float | None:
        """An estimate of its length; None if the control has no time.

        It assumes that all players use all of their time and that games have `TYPICAL_PLIES` plies.
        """
        from converted_notebooks.s24_measuring_strength import read_control

        control = read_control(self.control)
        if control.clock:
            seconds = 2 * control.clock + TYPICAL_PLIES * control.increment
        elif control.seconds:
            seconds = TYPICAL_PLIES * control.seconds
        else:
            return None
        return self.total * (seconds + START_SECONDS) / processes / 3600

    def meetings(self, number: int, earlier: Sequence[Outcome]) -> tuple[list[Meeting], str | None]:
        """The meetings of a round (from 0) and the player with a bye; none after the last round."""
        if self.system == "swiss" and number < self.rounds:
            return swiss_round(self.names, earlier)
        if number:
            return [], None
        return (gauntlet if self.system == "gauntlet" else round_robin)(self.names), None

    def planned_games(self, meeting: Meeting, number: int) -> list[PlannedGame]:
        """The games of a meeting in a round (from 0)."""
        from converted_notebooks.s06_opening_book import lines
        from converted_notebooks.s24_measuring_strength import read_control

        control = read_control(self.control).text
        programs = {entrant.name: entrant.program for entrant in self.entrants}
        first, second = meeting
        # The first player of a meeting of one game must have White, so its number is even.
        begin = 2 * number if self.games == 1 else self.games * number
        made = []
        for game in range(begin, begin + self.games):
            key = f"{self.seed} {sorted(meeting)} {game // 2}"
            line = lines()[zlib.crc32(key.encode()) % len(lines())]
            made.append(
                PlannedGame(
                    first=first,
                    second=second,
                    number=game,
                    control=control,
                    opening=line.name,
                    moves=tuple(move.uci() for move in line.moves),
                    seed=self.seed,
                    longest=self.longest,
                    programs=(programs[first], programs[second]),
                    grace=self.grace,
                )
            )
        return made

    def play(
        self, path: Path, executor: Executor | None = None
    ) -> Generator[tuple[list[Played], list[Outcome]], None, None]:
        """Play the missing games; yields all finished games after each one, and the byes so far.

        Raises:
            ValueError, BlockingIOError, OSError: as `play_plan`.
        """
        plan: list[PlannedGame] = []
        history: list[Outcome] = []
        number = 0
        while True:
            meetings, bye = self.meetings(number, history)
            if not meetings:
                return
            for meeting in meetings:
                plan += self.planned_games(meeting, number)
            byes = [Outcome(bye, None, float(self.games), 0.0)] if bye else []
            known = [outcome for outcome in history if outcome.second is None] + byes
            games: list[Played] = []
            for games in play_plan(plan, path, executor):
                yield games, known
            history += [*(self._outcome(meeting, games) for meeting in meetings), *byes]
            number += 1

    def _outcome(self, meeting: Meeting, games: Sequence[Played]) -> Outcome:
        """The result of a meeting."""
        points = [game.points for game in games if (game.first, game.second) == meeting]
        return Outcome(*meeting, sum(points), len(points) - sum(points))


def duration_text(hours: float) -> str:
    """A length of time, such as "2.1 hours" or "3 minutes"."""
    if hours >= 1:
        return f"{hours:.1f} hours"
    minutes = max(1, round(60 * hours))
    return f"{minutes} minute{'s' * (minutes > 1)}"


@dataclass(frozen=True)
class Place:
    """A player in the table."""

    name: str
    points: float
    games: int  # byes included
    wins: int
    draws: int
    losses: int
    faults: int  # games lost on time, by an illegal move or by breaking down
    berger: float  # Sonneborn–Berger: for each game, its points times those of the opponent


def standings(
    names: Sequence[str], games: Sequence[Played], byes: Iterable[Outcome] = ()
) -> list[Place]:
    """The table, the leader first: sorted by points, Sonneborn–Berger, wins, order of the list."""
    results: dict[str, list[tuple[str, float, bool]]] = {name: [] for name in names}
    for game in games:
        results[game.first].append((game.second, game.points, game.fault is not None))
        results[game.second].append((game.first, 1 - game.points, game.fault is not None))
    extra = {bye.first: bye.points for bye in byes}
    points = {name: sum(p for _, p, _ in results[name]) + extra.get(name, 0.0) for name in names}
    places = [
        Place(
            name,
            points[name],
            len(own) + int(extra.get(name, 0)),
            wins=sum(p == 1 for _, p, _ in own),
            draws=sum(p == 0.5 for _, p, _ in own),
            losses=sum(p == 0 for _, p, _ in own),
            faults=sum(fault and p == 0 for _, p, fault in own),
            berger=sum(p * points[other] for other, p, _ in own),
        )
        for name, own in results.items()
    ]
    return sorted(places, key=lambda place: (-place.points, -place.berger, -place.wins))
