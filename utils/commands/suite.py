"""`course suite`: problems with a known answer."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from utils.commands.errors import input_errors
from utils.commands.long_work import Progress, run_long_work
from utils.commands.options import (
    DEFAULT_ENGINE,
    DepthOption,
    EngineOption,
    SchedulerOption,
    TimeOption,
    WorkersOption,
    add_command,
)
from utils.paths import DATA

if TYPE_CHECKING:
    from converted_notebooks import s24_measuring_strength as s24

app = typer.Typer()


@add_command(
    app,
    "course suite",
    "course suite data/suites/mates.epd --engine s17 --depth 5",
    "course suite my.epd --engine stockfish --nodes 100000 --workers 4",
)
def suite(
    file: Annotated[
        Path | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            help="Problems in EPD with bm, am or dm; the suites of the course if left out.",
        ),
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    time: TimeOption = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", "-n", min=1, help="Positions to search for a move.")
    ] = None,
    depth: DepthOption = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
) -> None:
    """Ask an engine the problems of a test suite.

    Without a limit, the engine has one second for each problem. For a chapter, the table shows
    after how many seconds and nodes its answer was right and stayed right; for another
    program, how long it searched.
    """
    from utils.matches.suites import read_suite

    given = {"--time": time, "--nodes": nodes, "--depth": depth}
    used = [f"{name} {value:g}" for name, value in given.items() if value is not None]
    with input_errors():
        if len(used) > 1:
            raise ValueError(f"{' '.join(used)}: expected one of them")
        limit = f"{nodes}n" if nodes else f"d{depth}" if depth else f"{time or 1.0:g}s"
        files = [file] if file else sorted((DATA / "suites").glob("*.epd"))
        suites = [read_suite(path) for path in files]
    for part in suites:
        _ask(part, engine, limit, workers, scheduler)


def _ask(part: s24.Suite, engine: str, limit: str, workers: int, scheduler: str | None) -> None:
    """Ask an engine the problems of a suite, and show its answers in a table."""
    from utils.matches import suites

    answers: list[suites.Answer] = []

    def ask(executor: Executor | None) -> Progress:
        for answer in suites.run_suite(engine, part, limit, executor):
            answers.append(answer)
            yield len(answers), f"{sum(one.solved for one in answers)} solved"

    def show() -> None:
        numbers = (Column(name, justify="right") for name in ("seconds", "nodes"))
        table = Table("problem", "answer", "right", *numbers)
        for answer in sorted(answers, key=lambda answer: answer.number):
            seconds = "" if answer.seconds is None else f"{answer.seconds:.2f}"
            nodes = "" if answer.nodes is None else str(answer.nodes)
            right = "yes" if answer.solved else "no"
            table.add_row(answer.problem, answer.said, right, seconds, nodes)
        Console(highlight=False, markup=False).print(table)
        solved = sum(answer.solved for answer in answers)
        typer.echo(f"{part.name}: {solved} of {len(answers)} solved")

    resume = "a suite starts again from its first problem"
    run_long_work(ask, show, [engine], "problems", len(part.problems), resume, workers, scheduler)
