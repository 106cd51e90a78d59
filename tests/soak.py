"""Fast games of the tournament engine with real clocks: `python -m tests.soak --seconds 60`.

It plays against the other engines of the course at one second and a hundredth for each
move. Any illegal move, lost flag, exception or changed board is a fault, and the exit
status says so; that opponents, which keep no clock, lose on time is none.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Annotated

import chess
import typer
from chess.engine import Limit, PlayResult

from converted_notebooks.s23_tournament_engine import TournamentEngine
from converted_notebooks.s24_measuring_strength import read_control
from tests.helpers.properties import unchanged
from utils.engines import make_engine
from utils.matches.playing import play_timed_game

OPPONENTS = ["s05", "s07", "s09", "s10", "s12", "s13"]
CONTROL = read_control("1+0.01")
OPENING, LONGEST = 6, 400  # plies


class GuardedEngine(TournamentEngine):
    """Fails if its search leaves the board changed, or if a move was not searched."""

    def play(self, board: chess.Board, limit: Limit | None = None) -> PlayResult:
        with unchanged(board):
            result = super().play(board, limit)
        assert self.iterations, f"{result.move} was not searched"
        return result


def opening(rng: random.Random) -> chess.Board:
    """A position after a few random moves; the game goes on from there."""
    while True:
        board = chess.Board()
        while len(board.move_stack) < OPENING and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            return board


def soak(seconds: float, opponents: list[str], seed: int) -> tuple[list[str], list[str]]:
    """Plays games until the time is over, the last one to its end.

    Args:
        seconds: how long.
        opponents: chapters, in turn.
        seed: of the openings.

    Returns:
        What happened, and what went wrong, in lines.
    """
    rng, engine = random.Random(seed), GuardedEngine(megabytes=16)
    players = {name: make_engine(name) for name in opponents}
    deadline, number, results = time.perf_counter() + seconds, 0, Counter[str]()
    faults, clocks = list[str](), list[float]()
    while time.perf_counter() < deadline:
        chapter = opponents[number // 2 % len(opponents)]
        colour = number % 2 == 0
        white, black = (engine, players[chapter]) if colour else (players[chapter], engine)
        start, game = opening(rng), seed + number
        record = play_timed_game(white, black, CONTROL, start=start, seed=game, longest=LONGEST)
        points = {"1/2-1/2": "draws", "1-0" if colour else "0-1": "wins"}
        results[points.get(record.result, "losses")] += 1
        clocks += record.clocks[0 if colour == start.turn else 1 :: 2]
        end = record.termination
        overslept = "time" in end and record.board.turn != colour
        results["opponents overslept"] += overslept
        if (record.fault or "time out" in end) and not overslept:
            faults.append(f"game {number + 1} against {chapter}: {end}; {record.board.fen()}")
        number += 1
    return [
        f"{number} games: {', '.join(f'{count} {name}' for name, count in results.items())}",
        f"{len(clocks)} moves, at least {min(clocks) - CONTROL.increment:.3f} s left on the clock",
        f"{len(faults)} faults",
    ], faults


def main(
    seconds: Annotated[float, typer.Option(min=1, help="How long to play.")] = 60,
    seed: Annotated[int, typer.Option(help="Of the openings.")] = 0,
    opponents: Annotated[list[str], typer.Option(help="Such as s13.")] = OPPONENTS,
) -> None:
    """Play fast games with real clocks; exit code 1 if there was a fault."""
    lines, faults = soak(seconds, opponents, seed)
    print(*lines, *faults, sep="\n")
    raise typer.Exit(bool(faults))


if __name__ == "__main__":
    typer.run(main)
