"""`course tournament`: the programs of a class or a club."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from utils.atomic_files import replace_file
from utils.commands.errors import input_errors
from utils.commands.long_work import Progress, resume_hint, run_long_work
from utils.commands.options import ControlOption, SeedOption, WorkersOption, add_command

if TYPE_CHECKING:
    from utils.matches.records import Played

app = typer.Typer()


@add_command(
    app,
    "course tournament Anna=./anna 'Ben=python ben.py' s10 --control 5+0.1",
    "course tournament --list class.txt --system swiss --rounds 7 --games 2 --workers 2",
    "course tournament Mine=./mine s10 s12 s14 --system gauntlet --games 20",
)
def tournament(
    players: Annotated[
        list[str] | None,
        typer.Argument(help="Name and program: Anna=./anna. Or a chapter, or stockfish."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--list", exists=True, dir_okay=False, help="More players, one in each line."),
    ] = None,
    system: Annotated[
        Literal["round-robin", "swiss", "gauntlet"],
        typer.Option(help="Gauntlet: the first player meets each of the others."),
    ] = "round-robin",
    games: Annotated[
        int, typer.Option("--games", "-g", min=1, help="Games of a meeting: 1 or an even number.")
    ] = 2,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds", "-r", min=1, help="Swiss rounds; default 5, at most half the players."
        ),
    ] = None,
    control: ControlOption = "10+0.1",
    grace: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Who takes longer than the time for a move, and this in addition, loses.",
        ),
    ] = 0.5,
    longest: Annotated[
        int, typer.Option(metavar="PLIES", min=1, help="A longer game is a draw.")
    ] = 500,
    folder: Annotated[
        Path,
        typer.Option(
            file_okay=False,
            help="For games.pgn, from which a tournament goes on, and the page index.html.",
        ),
    ] = Path("tournament"),
    workers: WorkersOption = 1,
    seed: SeedOption = None,
) -> None:
    """Let the programs of a class or a club play a tournament.

    Each program speaks UCI and runs in a process of its own, with your rights. One that hangs,
    breaks down, plays an illegal move or takes too long loses its game and nothing else. The page
    in the folder shows the standings while the tournament runs; one that was stopped goes on.
    """
    from utils.matches.records import read_lines, read_played
    from utils.matches.tournament import Tournament, absent, duration_text, read_entrants, standings
    from utils.matches.tournament_page import page

    with input_errors():
        lines = [*(players or []), *(read_lines(file) if file else [])]
        entrants = read_entrants(lines)
        if rounds and system != "swiss":
            raise ValueError(f"--rounds {rounds} is for a Swiss tournament, not for a {system}")
        rounds = rounds or max(1, min(5, len(entrants) // 2))
        contest = Tournament(
            entrants=entrants,
            control=control,
            system=system,
            games=games,
            rounds=rounds,
            seed=seed or 0,
            longest=longest,
            grace=grace,
        )
    missing = absent(entrants)
    for name, reason in missing.items():
        typer.echo(f"{name} does not start, and will lose its games: {reason}", err=True)
    hours = contest.hours(workers)
    length = "no estimate for this control" if hours is None else f"about {duration_text(hours)}"
    typer.echo(f"{len(entrants)} players, {contest.total} games, {length}", err=True)
    path, page_path = folder / "games.pgn", folder / "index.html"
    done: list[Played] = []
    places = standings(contest.names, [])

    def play_games(executor: Executor | None) -> Progress:
        nonlocal done, places
        begin, before = time.monotonic(), {game.key for game in read_played(path)}
        for done, byes in contest.play(path, executor):
            places = standings(contest.names, done, byes)
            hours_left = None
            if new := sum(game.key not in before for game in done):
                hours = (time.monotonic() - begin) / 3600
                hours_left = hours / new * (contest.total - len(done))
            replace_file(page_path, page(contest, places, done, hours_left))
            yield len(done), ""

    def show() -> None:
        for rank, place in enumerate(places, 1):
            faults = f", {place.faults} by fault" if place.faults else ""
            typer.echo(f"{rank:3} {place.name:20} {place.points:g} of {place.games}{faults}")
        typer.echo(f"page: {page_path}")

    resume = resume_hint(path)
    run_long_work(play_games, show, [], "games", contest.total, resume, workers)
