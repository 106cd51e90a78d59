"""`course match`: two players, and how much stronger the first is."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from utils.commands.errors import input_errors
from utils.commands.long_work import Progress, resume_hint, run_long_work
from utils.commands.options import (
    PLAYER,
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
    from converted_notebooks import s24_measuring_strength as s24
    from utils.matches.records import PlannedGame

app = typer.Typer()


@add_command(
    app,
    "course match s14 s12 --games 20 --control 0.1s",
    "course match s23 'stockfish?UCI_Elo=2000' --control 10+0.1 --pgn match.pgn",
    "course match s17 s16 --games 1000 --sprt 0 20 --pgn test.pgn",
)
def match(
    first: Annotated[
        str, typer.Argument(metavar="FIRST", help=PLAYER, autocompletion=complete_player)
    ],
    second: Annotated[
        str,
        typer.Argument(
            metavar="SECOND", help="The opponent, named likewise.", autocompletion=complete_player
        ),
    ],
    games: Annotated[
        int, typer.Option("--games", "-g", max=100_000, help="Even number: two per opening.")
    ] = 100,
    control: ControlOption = "0.1s",
    pgn: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Keeps the games; a match goes on from it."),
    ] = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    sprt: SprtOption = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="PGN with opening lines, each with the headers ECO and Opening.",
        ),
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Let two players play a match, and say how much stronger the first is.

    With two times, such as 0.1s:1s, the first player has the first of them.
    Each opening is played twice, with exchanged colours. The number after ± is half
    the 95 % interval. A match that was stopped goes on where it was if its games are in a file.
    """
    from converted_notebooks import s06_opening_book as s06
    from converted_notebooks import s24_measuring_strength as s24

    with input_errors():
        test = sequential_test(sprt)
        lines = s06.lines(openings) if openings else None
        if lines == ():
            raise ValueError(f"{openings} has no games; expected opening lines in PGN")
        plan = s24.plan_match(first, second, games, control, lines, seed=seed or 0)
    run_match(plan, test, pgn, workers, scheduler, [first, second])
    if pgn is not None:
        typer.echo(f"games: {pgn}")


def run_match(
    plan: Sequence[PlannedGame],
    test: s24.Sprt | None,
    path: Path | None,
    workers: int,
    scheduler: str | None = None,
    players: Sequence[str] = (),
) -> None:
    """Play a match, until its test decides if it has one, and print the result.

    Args:
        path: a PGN file that keeps the games.
        workers, scheduler, players: as in `run_long_work`.
    """
    from converted_notebooks import s24_measuring_strength as s24
    from utils.matches.plan import play_plan

    last, stop = s24.standing([], len(plan), test), test.decided if test else None

    def play_games(executor: Executor | None) -> Progress:
        nonlocal last
        for done in play_plan(plan, path, executor, stop):
            last = s24.standing(done, len(plan), test)
            llr = f", LLR {last.sprt.llr:.2f}" if last.sprt else ""
            yield last.games, f"{last}{llr}"

    def show() -> None:
        typer.echo(match_summary(plan[0].first, plan[0].second, last, test))

    resume = "its games are not kept; with --pgn FILE, a match can go on"
    if path:
        resume = resume_hint(path)
    run_long_work(play_games, show, players, "games", len(plan), resume, workers, scheduler)


def match_summary(first: str, second: str, standing: s24.Standing, test: s24.Sprt | None) -> str:
    """The result of a match in a few lines."""
    games = str(standing.games)
    if standing.games < standing.total:
        games += f" of {standing.total}"
    counts = " ".join(map(str, standing.pairs.counts))
    interval = "{:+.0f} to {:+.0f}".format(*standing.pairs.interval).replace("inf", "∞")
    lines = [
        f"{first} against {second}: {games} games, {standing}",
        f"score: {standing.score:.1%}; pairs with 0, ½, 1, 1½, 2 points: {counts}",
        f"95 % interval, from the pairs: {interval} Elo",
    ]
    if standing.faults:
        lines.append(f"games lost on time, by an illegal move or a breakdown: {standing.faults}")
    if test and (state := standing.sprt):
        accepted = {"accept H0": test.elo0, "accept H1": test.elo1}.get(state.verdict)
        verdict = "not decided" if accepted is None else f"{accepted:+g} Elo fits better"
        lines.append(
            f"SPRT of {test.elo0:+g} against {test.elo1:+g} Elo: LLR {state.llr:.2f} in "
            f"({state.lower:.2f}, {state.upper:.2f}): {verdict}"
        )
    return "\n".join(lines)
