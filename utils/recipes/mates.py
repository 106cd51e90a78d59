"""Build the test suite of mates: `python -m utils.recipes.mates`."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import chess
import chess.engine
import typer

from converted_notebooks import s24_measuring_strength as s24
from utils.atomic_files import replace_file
from utils.commands.errors import input_errors, one_line_errors, require_folder
from utils.engines import make_engine
from utils.matches.suites import read_suite
from utils.paths import DATA

MATES = DATA / "suites" / "mates.epd"
WANTED = {2: 24, 3: 12}
"""How many problems of each length."""
PLAYERS = (("s12", "s07"), ("s13", "s05"), ("s16", "s12"), ("s07", "s12"))
FEWEST, MOST = 8, {2: 26, 3: 18}
"""Limits of the number of pieces; the upper one, by the length of the mate, keeps proofs short."""
LONGEST = 160
"""Plies of a game."""


def positions(number: int) -> Iterator[chess.Board]:
    """The positions of a game from the sixth ply on: six random moves, then searches of one ply."""
    rng = random.Random(number)
    players = [make_engine(name, rng) for name in PLAYERS[number % len(PLAYERS)]]
    if number // len(PLAYERS) % 2:
        players.reverse()
    board = chess.Board()
    for _ in range(6):
        board.push(rng.choice(list(board.legal_moves)))
    limit = chess.engine.Limit(depth=1)
    while not board.is_game_over() and len(board.move_stack) < LONGEST:
        yield board.copy(stack=False)
        move = players[len(board.move_stack) % 2].play(board.copy(), limit).move
        if move is None:
            return
        board.push(move)


def key(board: chess.Board, moves: int) -> chess.Move | None:
    """The only move that mates in so many moves; None without one, or with a shorter mate."""
    found = s24.mating_moves(board, moves)
    if len(found) != 1 or (moves > 1 and s24.mating_moves(board, moves - 1)):
        return None
    return found[0]


def problems() -> Iterator[str]:
    """The lines of the file, at most one problem of each length from a game."""
    missing = dict(WANTED)
    for number in itertools.count():
        in_game = {moves for moves, count in missing.items() if count}
        if not in_game:
            return
        for board in positions(number):
            size = len(board.piece_map())
            for moves in sorted(in_game):
                if FEWEST <= size <= MOST[moves] and (move := key(board, moves)):
                    count = WANTED[moves] - missing[moves] + 1
                    yield board.epd(bm=[move], dm=moves, id=f"M{moves}.{count:02}")
                    missing[moves] -= 1
                    in_game.remove(moves)
                    break


def check(path: Path) -> None:
    """Prove every line of a file.

    Raises:
        OSError, ValueError: it cannot be read, or a problem has another solution.
    """
    suite = read_suite(path)
    lengths = [problem.mate for problem in suite.problems]
    found = {moves: lengths.count(moves) for moves in WANTED}
    if found != WANTED:
        raise ValueError(f"{path} has {found} problems by their length; expected {WANTED}")
    for problem in suite.problems:
        if problem.mate is None or problem.best != {key(problem.board(), problem.mate)}:
            said = ", ".join(map(str, problem.best))
            raise ValueError(f"{path}: {problem.name} has another solution, not {said}")


def main(
    prove: Annotated[bool, typer.Option("--check", help="Prove the file, write nothing.")] = False,
    output: Annotated[Path, typer.Option(help="The EPD file.")] = MATES,
) -> None:
    """Build the suite of mates in two and three.

    Engines play games, each with its own seed. Positions in which exactly one first move mates
    in two moves or in three, and none mates sooner, go into the suite. It takes some minutes.
    """
    with input_errors():
        if not prove:
            require_folder(output)
            found = sorted(problems(), key=lambda line: line.partition(' id "')[2])
            replace_file(output, "\n".join([*found, ""]))
        check(output)


if __name__ == "__main__":
    with one_line_errors():
        typer.run(main)
