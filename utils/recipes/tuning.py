"""Make positions for tuning an evaluation: `python -m utils.recipes.tuning --output FILE`.

The tournament engine plays against itself: a fixed number of nodes for each move, from
a named opening line and two random moves. It has an evaluation of its own, so the games
do not depend on the weights of chapter 18 that are tuned with them. From each game a few
quiet positions are kept, with the game's result. Every game has a source of chance of
its own, so the first games of a long run are those of a short one, and the result is the
same on every machine.

The positions of the course, `data/tuning/positions.csv`, were made like this by the engine of
an earlier commit, which data/README.md names. The engine of today plays other games, so the
output needs a name of its own.

The whole run takes about a quarter of an hour. With `--check` nothing is written; the command
fails if the first games of the file are not those that would be played. With `--weights`
nothing is played; the command prints the weights that the recipe of chapter 18 finds.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.engine

from utils.atomic_files import replacing
from utils.jupyter_loader import load_chapter
from utils.matches.workers import add_options, in_order, workers
from utils.paths import DATA

POSITIONS = DATA / "tuning" / "positions.csv"
HEADER = ("game", "result", "position")
SEED = 1000
GAMES = 1800
NODES = 300
"""For each move."""
RANDOM_PLIES = 2
OPENING_BALANCE = 120
"""Centipawns: a game that begins with more for one side is not played."""
LONGEST = 200
"""Plies of a game beyond its opening; then it is a draw."""
RESIGN, RESIGN_PLIES = 800, 4
"""A game is won when the score is this many centipawns or more for so many plies."""
PER_GAME = 6
BALANCED = 500
"""Centipawns: positions with a larger score are as good as decided and not kept."""
FIRST_PLIES = 6
"""Plies after the opening from which no positions are kept."""


@dataclass(frozen=True, slots=True)
class Position:
    """A quiet position.

    Attributes:
        game: number of the game that it is from.
        result: of that game: 1 White won, 0 Black won, 0.5 drawn.
        epd: the position, without the two counters of a FEN.
    """

    game: int
    result: float
    epd: str


def is_quiet(board: chess.Board) -> bool:
    """Whether no check, winning capture or promotion is on the board."""
    chapter = load_chapter("s16_quiescence_search")
    return not board.is_check() and not any(
        move.promotion or chapter.static_exchange(board, move) > 0
        for move in chapter.captures_and_promotions(board)
    )


def play(number: int) -> list[Position]:
    """The positions that are kept from one game; none if its opening is one-sided."""
    rng = random.Random(SEED + number)
    board = _opening(rng)
    engine = load_chapter("s20_tournament_engine").TournamentEngine(megabytes=4)
    limit = chess.engine.Limit(nodes=NODES)
    begin, one_sided = board.ply(), 0
    candidates: list[str] = []
    while (result := _result(board, begin)) is None:
        move = engine.play(board, limit).move
        iterations = engine.searcher.iterations
        score = iterations[-1].best.score if iterations else 0
        if board.ply() == begin and abs(score) > OPENING_BALANCE:
            return []
        if abs(score) <= BALANCED and board.ply() >= begin + FIRST_PLIES and is_quiet(board):
            candidates.append(board.epd())
        one_sided = one_sided + 1 if abs(score) >= RESIGN else 0
        if one_sided >= RESIGN_PLIES:
            result = float(score > 0)
            break
        board.push(move)
    chosen = sorted(rng.sample(range(len(candidates)), min(PER_GAME, len(candidates))))
    return [Position(number, result, candidates[index]) for index in chosen]


def _opening(rng: random.Random) -> chess.Board:
    """A named line and two random moves."""
    chapter = load_chapter("s06_opening_book")
    board: chess.Board = rng.choice(chapter.lines()).board()
    play_by_lot(board, RANDOM_PLIES, rng)
    return board


def play_by_lot(board: chess.Board, plies: int, rng: random.Random) -> None:
    """Makes so many random moves, or fewer if the game ends."""
    for _ in range(plies):
        moves = list(board.legal_moves)
        if moves:
            board.push(rng.choice(moves))


def _result(board: chess.Board, begin: int) -> float | None:
    """1, 0.5 or 0 if the game is over, else None."""
    if board.is_checkmate():
        return float(board.turn == chess.BLACK)
    if (
        board.is_stalemate()
        or board.is_insufficient_material()
        or board.is_repetition(3)
        or board.is_fifty_moves()
        or board.ply() >= begin + LONGEST
    ):
        return 0.5
    return None


def positions(games: int = GAMES, executor: Executor | None = None) -> Iterator[Position]:
    """The positions of the first games, in order."""
    for kept in in_order(range(games), play, executor):
        yield from kept


def as_text(found: Iterator[Position]) -> Iterator[str]:
    """The lines of the file, each with its line feed."""
    yield _line(HEADER)
    for position in found:
        yield _line((position.game, f"{position.result:g}", position.epd))


def _line(row: Sequence[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(row)
    return buffer.getvalue()


def check(path: Path, games: int) -> str | None:
    """What is wrong with the first games of a file, in words; None if nothing is."""
    try:
        present = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        return f"{path}: {error.strerror}; run `python -m utils.recipes.tuning`"
    fresh = list(as_text(positions(games)))
    if present[: len(fresh)] != fresh:
        return f"the first {games} games of {path} are not those that would be played now"
    return None


def weights(path: Path) -> str:
    """The tuned weights as they stand in chapter 18."""
    chapter = load_chapter("s18_positional_evaluation")
    guess = chapter.FIRST_GUESS
    data = chapter.tuning_data(chapter.load_samples(path))
    scale = chapter.best_scale(data, chapter.as_vector(guess, data.names))
    rows = (f'    "{name}": {pair},' for name, pair in chapter.tune(data, guess, scale).items())
    return "\n".join(["WEIGHTS = {", *rows, "}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Build or check; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m utils.recipes.tuning", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help="how many games to play")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    parser.add_argument("--weights", action="store_true", help="print tuned weights, play nothing")
    parser.add_argument("--output", type=Path, help="the file; to compare, that of the course")
    add_options(parser)
    options = parser.parse_args(arguments)
    if options.weights or options.check:
        options.output = options.output or POSITIONS
    elif options.output is None:
        parser.error("--output FILE is missing: where shall the positions go?")
    if options.weights:
        print(weights(options.output))
        return 0
    if options.check:
        problem = check(options.output, options.games)
        print(problem or f"{options.output} is what would be played", file=sys.stderr)
        return int(problem is not None)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with (
        workers(options.workers, options.scheduler) as executor,
        replacing(options.output) as file,
    ):
        for line in as_text(positions(options.games, executor)):
            file.write(line)
            file.flush()
    print(f"wrote {options.output} ({options.output.stat().st_size} bytes)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
