"""What each part of the search is worth in games: `python -m utils.recipes.parts` plays them.

The engine of chapter s27 plays against itself with one part switched off or limited, until a
sequential test decides or `MOST_GAMES` games are played. Both search the same number of nodes for
each move, so the speed of the machine does not matter. Each game is stored when it ends, so a run
that was interrupted continues.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from converted_notebooks.s24_measuring_strength import Sprt, Standing, plan_match, standing
from utils.matches.plan import games_of_plan
from utils.matches.records import PlannedGame, read_played
from utils.matches.tournament import read_entrant
from utils.paths import DATA

if TYPE_CHECKING:  # absent in a browser, where chapter s27 reads what is stored
    import typer

GAMES = DATA / "strength" / "s27-parts.pgn"
WHOLE = "s27"
CONTROL = "30000n"
MOST_GAMES = 300
TEST = Sprt(0, 50)
"""Is the whole search no stronger, or by 50 Elo?"""


@dataclass(frozen=True)
class Part:
    """A part of the search that the second player lacks."""

    words: str
    numbers: tuple[str, ...]  # as `utils.engines.set_numbers` reads them

    @property
    def player(self) -> str:
        """Its name in the games."""
        return f"{WHOLE}: {self.words}"

    def plan(self) -> list[PlannedGame]:
        """All games that the test may need."""
        command = read_entrant(f"{WHOLE}={WHOLE}").program
        programs = WHOLE, " ".join([command, *(f"--set {number}" for number in self.numbers)])
        plan = plan_match(WHOLE, self.player, MOST_GAMES, CONTROL)
        return [dataclasses.replace(planned, programs=programs) for planned in plan]


IDLE = (
    Part("late move pruning to 3 plies", ("LATE_MOVE_DEPTH=3",)),
    Part("futility pruning to 2 plies", ("FUTILITY_DEPTH=2",)),
    Part("no SEE pruning", ("SEE_PRUNING_DEPTH=0",)),
    Part("no razoring", ("s22.RAZORING_DEPTH=0",)),
    Part("no check extension", ("s22.CHECK_EXTENSION=0",)),
    Part("no internal iterative reduction", ("s22.IIR_DEPTH=999",)),
    Part("no delta pruning", ("s22.DELTA=30000",)),
)
"""Parts with no measurable effect alone; so they are also left out together."""

PARTS = (
    Part("reductions by one ply", ("s22.REDUCTION_BASE=1", "s22.LOG_STEP=1000000000")),
    Part("no null move pruning", ("s22.NULL_MOVE_DEPTH=999",)),
    Part("no late move reductions", ("s22.REDUCTION_DEPTH=999",)),
    Part("no late move pruning", ("LATE_MOVE_DEPTH=0",)),
    Part("no futility pruning", ("FUTILITY_DEPTH=0",)),
    Part("no reverse futility pruning", ("REVERSE_FUTILITY_DEPTH=0",)),
    Part("no singular extension", ("SINGULAR_DEPTH=999",)),
    Part("no history", ("s22.CREDIT=0",)),
    Part("no aspiration windows", ("s22.WINDOW_DEPTH=999",)),
    *IDLE,
    Part(
        "none of the seven that show nothing alone",
        tuple(number for part in IDLE for number in part.numbers),
    ),
)


def load_parts(path: Path = GAMES) -> dict[Part, Standing]:
    """The result of the stored games for each part, from the view of the whole search.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds games of another match.
    """
    games = read_played(path)
    if not games:
        raise ValueError(f"{path} has no games; expected those of python -m utils.recipes.parts")
    return {part: standing(games_of_plan(part.plan(), games), MOST_GAMES, TEST) for part in PARTS}


def main(
    workers: Annotated[int, typer.Option(min=1, help="Games at the same time.")] = 1,
    pgn: Annotated[Path, typer.Option(dir_okay=False, help="For the games.")] = GAMES,
) -> None:
    """Measure what the parts of the search are worth; interrupted, it goes on where it was."""
    from utils.commands.match import run_match

    for part in PARTS:
        run_match(part.plan(), TEST, pgn, workers)


if __name__ == "__main__":
    import typer

    from utils.commands.errors import one_line_errors

    with one_line_errors():
        typer.run(main)
