"""Fast games of the tournament engine with real clocks: `python -m tests.soak --seconds 60`.

It plays against the other engines of the course at one second and a hundredth for each
move. Any illegal move, lost flag, exception or changed board is a fault, and the exit
status says so.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import chess
import chess.engine
import typer

from utils.engines import make_engine
from utils.jupyter_loader import install_import_hook

OPPONENTS = ("s05", "s07", "s09", "s10", "s12", "s13")
CLOCK, INCREMENT = 1.0, 0.01  # seconds
MOST_PLIES = 400


@dataclass
class Report:
    """What happened.

    Attributes:
        results: wins, draws and losses of the tournament engine, and games broken off.
        plies: moves made by it.
        least: the least time that was left on its clock, in seconds.
        overslept: losses on time of the opponents, which keep no clock.
        faults: what went wrong, one line each.
    """

    results: Counter[str] = field(default_factory=Counter)
    plies: int = 0
    least: float = CLOCK
    overslept: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        results = ", ".join(f"{count} {name}" for name, count in sorted(self.results.items()))
        lines = [
            f"{self.results.total()} games: {results}",
            f"{self.plies} moves, at least {self.least:.3f} s left on the clock",
            f"{self.overslept} opponents lost on time",
            f"{len(self.faults)} faults",
        ]
        return "\n".join([*lines, *self.faults])


def opening(rng: random.Random, plies: int = 6) -> chess.Board:
    """A position after a few random moves; the game goes on from there."""
    while True:
        board = chess.Board()
        for _ in range(plies):
            board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            return board


def play_one(
    engine: Any, opponent: Any, white: bool, board: chess.Board, report: Report, name: str
) -> None:
    """Plays a game on real clocks and notes what happens."""
    clocks = {chess.WHITE: CLOCK, chess.BLACK: CLOCK}
    while not board.is_game_over(claim_draw=True) and len(board.move_stack) < MOST_PLIES:
        ours = board.turn == white
        where = f"{name}, {board.fen()}"
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=INCREMENT,
            black_inc=INCREMENT,
        )
        before, length = board.fen(), len(board.move_stack)
        begin = time.perf_counter()
        try:
            move = (engine if ours else opponent).play(board, limit).move
        except Exception as error:
            report.faults.append(f"{type(error).__name__}: {error} ({where}, ours: {ours})")
            return
        clocks[board.turn] -= time.perf_counter() - begin
        if board.fen() != before or len(board.move_stack) != length:
            report.faults.append(f"the board was changed ({where}, ours: {ours})")
            return
        if move not in board.legal_moves:
            report.faults.append(f"illegal move {move} ({where}, ours: {ours})")
            return
        left = clocks[board.turn]
        if left < 0:
            if ours:
                report.faults.append(f"lost on time by {-left:.3f} s ({where})")
            else:
                report.overslept += 1
                report.results["wins"] += 1
            return
        if ours:
            report.plies += 1
            report.least = min(report.least, left)
        clocks[board.turn] += INCREMENT
        board.push(move)
    outcome = board.outcome(claim_draw=True)
    if outcome is None:
        report.results["broken off"] += 1
    elif outcome.winner is None:
        report.results["draws"] += 1
    else:
        report.results["wins" if outcome.winner == white else "losses"] += 1


def soak(seconds: float, opponents: Sequence[str] = OPPONENTS, seed: int = 0) -> Report:
    """Plays games until the time is over, the last one to its end.

    Args:
        seconds: how long.
        opponents: chapters, in turn.
        seed: of the openings.
    """
    install_import_hook()
    from converted_notebooks.s20_tournament_engine import TournamentEngine

    rng, report, engine = random.Random(seed), Report(), TournamentEngine(megabytes=16)
    deadline, number = time.perf_counter() + seconds, 0
    players = {name: make_engine(name) for name in opponents}
    while time.perf_counter() < deadline:
        chapter = opponents[number // 2 % len(opponents)]
        engine.new_game()
        players[chapter].new_game(random.Random(seed + number))
        white = number % 2 == 0
        name = f"game {number + 1} against {chapter}"
        play_one(engine, players[chapter], white, opening(rng), report, name)
        number += 1
    return report


def main(
    seconds: Annotated[float, typer.Option(help="How long to play.")] = 60,
    seed: Annotated[int, typer.Option(help="Of the openings.")] = 0,
    opponents: Annotated[list[str], typer.Option(help="Such as s13.")] = list(OPPONENTS),  # noqa: B006
) -> None:
    """Play fast games with real clocks; exit code 1 if there was a fault."""
    report = soak(seconds, opponents, seed)
    print(report)
    raise typer.Exit(bool(report.faults))


if __name__ == "__main__":
    typer.run(main)
