"""Rebuild the test suite of mates: `python -m utils.recipes.mates`.

Engines of the course play each other, one ply deep. Positions of their games in which
exactly one first move mates in two moves, or in three, and none mates sooner, go into the
suite; chapter s21 proves it by trying everything. Each game has its own seed, so the result
is the same on every machine. It takes a minute or two. With `--check` nothing is written;
the command proves each line of the file again, and fails if one is wrong.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import chess.engine

from utils.atomic_files import replacing
from utils.engines import make_engine
from utils.jupyter_loader import load_chapter
from utils.paths import DATA

MATES = DATA / "suites" / "mates.epd"
WANTED = {2: 24, 3: 12}
"""How many problems of each length."""
PLAYERS = (("s12", "s07"), ("s13", "s05"), ("s16", "s12"), ("s07", "s12"))
FEWEST, MOST = 8, {2: 26, 3: 18}
"""Pieces on the board: enough for a problem, and not too many for the proof."""
LONGEST = 160
"""Plies of a game."""


def _chapter() -> Any:
    return load_chapter("s21_measuring_strength")


def games() -> Iterator[Iterator[chess.Board]]:
    """The positions of one game after the other, without end."""
    for number in itertools.count():
        yield _positions(number)


def _positions(number: int) -> Iterator[chess.Board]:
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
    """The only move that mates in so many moves; None if there is none, or a quicker mate."""
    chapter = _chapter()
    found = chapter.mating_moves(board, moves)
    if len(found) != 1 or (moves > 1 and chapter.mating_moves(board, moves - 1)):
        return None
    move: chess.Move = found[0]
    return move


def problems() -> Iterator[str]:
    """The lines of the file, at most one problem of each length from a game."""
    missing = dict(WANTED)
    for positions in games():
        in_game = {moves for moves, count in missing.items() if count}
        if not in_game:
            return
        for board in positions:
            size = len(board.piece_map())
            for moves in sorted(in_game):
                if not FEWEST <= size <= MOST[moves]:
                    continue
                move = key(board, moves)
                if move is not None:
                    number = WANTED[moves] - missing[moves] + 1
                    yield board.epd(bm=[move], dm=moves, id=f"M{moves}.{number:02}")
                    missing[moves] -= 1
                    in_game.remove(moves)
                    break


def check(path: Path) -> str | None:
    """What is wrong with a file, in words; None if every line is proved."""
    suite = _chapter().read_suite(path)
    lengths = [problem.mate for problem in suite.problems]
    if {moves: lengths.count(moves) for moves in WANTED} != WANTED:
        return f"{path} has not the expected number of problems: {WANTED}"
    for problem in suite.problems:
        if problem.best != {key(problem.board(), problem.mate)}:
            return (
                f"{path}: {problem.name} has another solution; run `python -m utils.recipes.mates`"
            )
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Build or check; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m utils.recipes.mates", description=__doc__)
    parser.add_argument("--check", action="store_true", help="prove the file, write nothing")
    parser.add_argument("--output", type=Path, default=MATES, help="the EPD file")
    options = parser.parse_args(arguments)
    if options.check:
        try:
            problem = check(options.output)
        except OSError as error:
            problem = f"cannot read {options.output}: {error.strerror}"
        print(problem or f"{options.output} is right", file=sys.stderr)
        return int(problem is not None)
    found = sorted(problems(), key=lambda line: line.partition(' id "')[2])
    with replacing(options.output) as file:
        file.write("\n".join([*found, ""]))
    print(f"wrote {options.output} ({len(found)} problems)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
