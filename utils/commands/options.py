"""What the commands share: help texts with examples, options, completion with the Tab key."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from converted_notebooks.s24_measuring_strength import Sprt

Function = TypeVar("Function", bound=Callable[..., Any])

DEFAULT_ENGINE = "s23"
"""The chapter that plays if none is named."""
MOST_ELO = 2000
"""The largest difference for `--sprt`. Beyond 6400 an expected score would round to 0 or 1."""


def examples_text(*lines: str) -> str:
    """The examples at the end of a help text, in the markup of rich."""
    return "\n".join(["[bold]Examples[/bold]", *(line.replace("[", r"\[") for line in lines)])


def add_command(app: typer.Typer, *examples: str) -> Callable[[Function], Function]:
    """A decorator that makes a function a command; docstring and examples are its help text."""

    def register(function: Function) -> Function:
        paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
        text = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
        app.command(help=text, epilog=examples_text(*examples))(function)
        return function

    return register


def complete_engine(incomplete: str) -> list[tuple[str, str]]:
    """The chapters with an engine that begin with a text, each with a few words."""
    from utils.chapters import chapters

    found = [(one.number, one.engine or one.title) for one in chapters() if one.has_engine]
    return [(number, words) for number, words in found if number.startswith(incomplete)]


def complete_player(incomplete: str) -> list[tuple[str, str]]:
    """As `complete_engine`, and Stockfish if it is installed."""
    from utils.external_programs import find_program

    found = complete_engine(incomplete)
    if "stockfish".startswith(incomplete) and find_program("stockfish"):
        found.append(("stockfish", "a program that speaks UCI"))
    return found


PLAYER = "A chapter such as s10, stockfish, or another program that speaks UCI."
EngineOption = Annotated[
    str, typer.Option("--engine", "-e", help=PLAYER, autocompletion=complete_player)
]
TimeOption = Annotated[
    float | None,
    typer.Option(
        "--time", "-t", metavar="SECONDS", min=0.001, max=86400, help="Time for each move."
    ),
]
DepthOption = Annotated[
    int | None,
    typer.Option("--depth", "-d", metavar="PLIES", min=1, max=100, help="Plies to look ahead."),
]
ControlOption = Annotated[
    str,
    typer.Option(
        "--control",
        "-c",
        metavar="CONTROL",
        help="Time to think: 10+0.1 (clock and increment in seconds), 0.5s, 1000n (nodes) or "
        "d3 (depth), the last three for each move.",
    ),
]
WorkersOption = Annotated[
    int, typer.Option("--workers", "-w", metavar="N", min=1, max=1024, help="Parallel processes.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="A Dask scheduler, to work on a cluster: tcp://10.0.0.5:8786."
    ),
]
SeedOption = Annotated[int | None, typer.Option(help="Makes all random choices repeatable.")]
SprtOption = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="ELO0 ELO1",
        help="Stop a match when it is clear which of two Elo differences fits better.",
    ),
]


def sequential_test(sprt: tuple[float, float] | None) -> Sprt | None:
    """The sequential test of the option `--sprt`; None without the option.

    Raises:
        ValueError: the second difference is not larger than the first, or one is too large.
    """
    from converted_notebooks.s24_measuring_strength import Sprt

    if sprt and not -MOST_ELO <= sprt[0] < sprt[1] <= MOST_ELO:
        raise ValueError(
            f"--sprt {sprt[0]:g} {sprt[1]:g}: expected two Elo from {-MOST_ELO} to {MOST_ELO}, "
            "the lower first"
        )
    return Sprt(*sprt) if sprt else None
