"""`course book`: an opening book from games."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from utils.commands.errors import input_errors, require_folder, stopped_by_ctrl_c
from utils.commands.long_work import progress_bar
from utils.commands.options import add_command

app = typer.Typer()


@add_command(
    app,
    "course book games.pgn mine.bin",
    "course book games.pgn mine.bin --min-games 3 --max-plies 20 --force",
)
def book(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.pgn", exists=True, dir_okay=False, help="The games.")
    ],
    out: Annotated[
        Path, typer.Argument(metavar="OUT.bin", dir_okay=False, help="The Polyglot book.")
    ],
    min_games: Annotated[
        int, typer.Option(min=1, help="Leave out moves that were played in fewer games.")
    ] = 1,
    max_plies: Annotated[int, typer.Option(min=1, help="Plies of each game to take.")] = 30,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite the book.")] = False,
) -> None:
    """Build an opening book in the Polyglot format from games in PGN.

    Chess programs can use it, and so can the engines of the course: give its name as the
    option BookFile of `course uci`.
    """
    from converted_notebooks import s06_opening_book as s06
    from utils.polyglot_book import book_entries

    with input_errors():
        if out.exists() and (not force or out.samefile(file)):
            way = "expected a new file" if force else "to overwrite it, add --force"
            raise ValueError(f"{out} exists; {way}")
        if out.exists() and not out.is_file():
            raise ValueError(f"{out} is not a regular file")
        require_folder(out)

    stopped = partial(typer.echo, f"Stopped; {out} is as it was.", err=True)
    with stopped_by_ctrl_c(stopped), progress_bar("games") as bar, input_errors():
        entries = book_entries(file, min_games=min_games, max_plies=max_plies, progress=bar.update)
        s06.write_book(out, entries)
    positions = len({entry.key for entry in entries})
    typer.echo(f"wrote {out}: {len(entries)} moves in {positions} positions, from {bar.n} games")
