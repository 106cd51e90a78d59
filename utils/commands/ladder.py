"""`course ladder`: all engines of the course."""

from __future__ import annotations

import contextlib
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from utils.commands.errors import input_errors
from utils.commands.long_work import Progress, resume_hint, run_long_work
from utils.commands.options import (
    ControlOption,
    SchedulerOption,
    SeedOption,
    SprtOption,
    WorkersOption,
    add_command,
    complete_player,
    sequential_test,
)

if TYPE_CHECKING:
    from utils.matches.records import Played

app = typer.Typer()


@add_command(
    app,
    "course ladder s05 s07 s10 s12 --control d2 --rounds 1",
    "course ladder --control 0.05s --rounds 2 --workers 4 --folder big",
    "course ladder --control 0.25s --rounds 50 --near 1 --sprt 0 30 --workers 2",
    "course ladder --table",
)
def ladder(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help="Who takes part, the weakest first; all engines of the course if left out.",
            autocompletion=complete_player,
        ),
    ] = None,
    control: ControlOption = "0.05s",
    rounds: Annotated[
        int,
        typer.Option("--rounds", "-r", min=1, max=10_000, help="Pairs of games of two engines."),
    ] = 1,
    near: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Only engines at most this many places apart meet; those more than one place "
            "apart play a third of the rounds.",
        ),
    ] = None,
    sprt: SprtOption = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="For games.pgn, from which a ladder goes on, and ladder.json; "
            "without it, the folder ladder.",
        ),
    ] = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    seed: SeedOption = None,
    table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="Play nothing; make the table of the folder again from its games and show it. "
            "Without --folder, show the one that comes with the course.",
        ),
    ] = False,
) -> None:
    """Let all engines play each other, and show how strong each is.

    A ladder that was stopped goes on where it was; with more rounds
    or more engines it is continued.
    """
    from utils.engines import ENGINES
    from utils.matches.ladder import (
        decided_pairs,
        make_ladder,
        plan_ladder,
        rate_again,
        save_ladder,
    )
    from utils.matches.ladder_results import ladder_table, load_ladder
    from utils.matches.plan import play_plan
    from utils.matches.records import read_played

    if table:
        with input_errors():
            if players:
                raise ValueError("--table shows all players of a ladder; expected no names")
            shown = rate_again(folder) if folder else load_ladder()
            if folder:
                save_ladder(shown, folder)
            typer.echo(ladder_table(shown))
        return
    folder = folder or Path("ladder")
    path, names = folder / "games.pgn", list(players or ENGINES)
    with input_errors():
        test = sequential_test(sprt)
        plan = plan_ladder(control, rounds, names, seed or 0, read_played(path), near)
    skip = decided_pairs(test) if test else None
    done: list[Played] = []

    def play_games(executor: Executor | None) -> Progress:
        nonlocal done
        for done in play_plan(plan, path, executor, skip=skip):
            yield len(done), ""

    def show() -> None:
        # A ladder that is stopped before each engine has played a game has no table.
        with input_errors(), contextlib.suppress(ValueError):
            found = make_ladder(plan, done, near, sprt)
            save_ladder(found, folder)
            typer.echo(ladder_table(found))

    resume = resume_hint(path)
    run_long_work(play_games, show, names, "games", len(plan), resume, workers, scheduler)
