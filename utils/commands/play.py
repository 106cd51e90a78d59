"""`course play`: a game in the terminal."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from utils.commands.errors import error_text, input_errors, require_folder, stopped_by_ctrl_c
from utils.commands.long_work import start_player
from utils.commands.options import (
    DEFAULT_ENGINE,
    DepthOption,
    EngineOption,
    SeedOption,
    TimeOption,
    add_command,
)

app = typer.Typer()


@add_command(
    app,
    "course play",
    "course play --engine s12 --side black --depth 3",
    "course play --engine 'stockfish?UCI_Elo=1500' --time 0.5 --pgn game.pgn",
    'course play --fen "8/8/8/8/8/2k5/1q6/K7 w - - 0 1" --ascii',
)
def play(
    engine: EngineOption = DEFAULT_ENGINE,
    side: Annotated[
        Literal["white", "black", "random", "both"],
        typer.Option("--side", "-s", help="The side that you play; both: without an opponent."),
    ] = "white",
    time: TimeOption = None,
    depth: DepthOption = None,
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="Where to start.")] = None,
    letters: Annotated[
        bool | None,
        typer.Option("--ascii/--unicode", help="Draw the pieces as letters, or as symbols."),
    ] = None,
    pgn: Annotated[
        Path | None, typer.Option(help="Save the game here when it ends. A new file.")
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Play against an engine, here in the terminal.

    Without --time and --depth, the engine has one second for each move.
    """
    import chess
    import chess.engine

    from utils.play.game import SIDES, Game
    from utils.play.terminal import TerminalGame, can_show

    console = Console(highlight=False)
    rng = random.Random(seed)
    with input_errors():
        if time is not None and depth is not None:
            raise ValueError(f"--time {time:g} --depth {depth}: expected one of them")
        if pgn is not None:
            if pgn.exists():
                raise ValueError(f"{pgn} exists; expected the name of a new file")
            require_folder(pgn)
        person = rng.choice(chess.COLORS) if side == "random" else SIDES[side]
        game = Game(fen, person)
    player = start_player(engine, rng)
    limit = chess.engine.Limit(time=None if depth else time or 1.0, depth=depth)
    if letters is None:
        letters = not can_show(console, "♔♚·")
    terminal_game = TerminalGame(
        game, player, limit, console, name=engine, letters=letters, path=pgn
    )

    try:
        with stopped_by_ctrl_c(), contextlib.closing(terminal_game):
            terminal_game.cmdloop()
    except (chess.engine.EngineError, TimeoutError, ValueError) as error:
        message = f"the engine {engine} broke down: {error_text(error)}"
        raise typer.TyperException(message) from error
    finally:
        player.close()
