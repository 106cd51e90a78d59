"""Plays the games of a plan: with an executor, kept in a file, ended early by a rule.

A match, a ladder and a reader's own experiment differ only in their plans. A plan is a list of
planned games; `play_plan` plays those that are not yet in the file, and writes each as it ends.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from utils.matches.playing import play_planned
from utils.matches.records import PlannedGame, Played, game_file, parse_played, read_played
from utils.matches.workers import map_unordered

Stop = Callable[[Sequence[Played]], bool]
"""Whether to stop, after the games so far."""
Skip = Callable[[PlannedGame, Sequence[Played]], bool]
"""Whether to leave out a game, after the games so far."""


def play_plan(
    plan: Sequence[PlannedGame],
    path: Path | str | None = None,
    executor: Executor | None = None,
    stop: Stop | None = None,
    skip: Skip | None = None,
) -> Generator[list[Played], None, None]:
    """Play the missing games of a plan; yields all its finished games after each one.

    If the file has games of the plan, they are yielded first. All yields give the same list, which
    grows.

    Args:
        path: a PGN file for the games; games of the plan that it has are not played again. It may
            have other games, too. None keeps the games in memory only.
        executor: plays the games; without one, they are played here, one after the other.
        stop: called before each game; True ends the tournament.
        skip: called before each game; True leaves it out.

    Raises:
        ValueError: the file holds games of another tournament.
        BlockingIOError: another tournament is writing to the file.
        OSError: the file cannot be read or written.
    """
    with contextlib.ExitStack() as stack:
        append = stack.enter_context(game_file(path)) if path else None
        try:
            games = games_of_plan(plan, read_played(path)) if path else []
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        if games:
            yield games
        known = {game.key for game in games}
        missing = (
            planned
            for planned in plan
            if planned.key not in known and not (skip and skip(planned, games))
        )
        texts = stack.enter_context(
            contextlib.closing(map_unordered(missing, play_planned, executor))
        )
        while not (stop and stop(games)) and (text := next(texts, None)):
            if append:
                append(text)
            game = parse_played(text)
            assert game is not None, text
            games.append(game)
            yield games


def games_of_plan(plan: Iterable[PlannedGame], games: Iterable[Played]) -> list[Played]:
    """The games that belong to a plan.

    Raises:
        ValueError: a game has the players and the number of a planned game, but other headers.
    """
    known, found = {planned.key: planned for planned in plan}, []
    for game in games:
        if (planned := known.get(game.key)) is None:
            continue
        for name, wanted in planned.headers().items():
            if game.headers.get(name) != wanted:
                raise ValueError(
                    f"round {planned.round} of {game.first} against {game.second} has {name} "
                    f"{game.headers.get(name)!r}; expected {wanted!r}, so it is of another match: "
                    "use another file"
                )
        found.append(game)
    return found
