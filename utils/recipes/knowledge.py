"""Tune the tables of the tournament engine: `python -m utils.recipes.knowledge`.

First, positions with a teacher's opinion: Stockfish plays against itself with few nodes, one move
in four is random, and each quiet position is kept with Stockfish's score. Then tables and
weights are chosen so that the engine's static score, as an expected result, comes as close to
the teacher's as it can, by the logistic regression of chapter 18, here with Newton's method.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated, Any

import chess
import chess.engine
import numpy as np
import typer

from converted_notebooks import s06_opening_book as s06
from converted_notebooks import s18_positional_evaluation as s18
from converted_notebooks import s21_fast_evaluation as s21
from utils.atomic_files import replace_file
from utils.command_line import progress_bar
from utils.external_programs import find_program, missing
from utils.matches.workers import spread
from utils.matches.workers import workers as started
from utils.paths import DATA

KNOWLEDGE = DATA / "tuning" / "knowledge.json"
SERIES = ((1_000_001, 1286), (2_000_001, 1313), (3_000_001, 2204))
"""Numbers of the games: where each series begins and how many there are. Each series was added
when more positions were wanted, so the counts have no meaning."""
NODES = 2000
"""For each move of the teacher."""
RANDOM_PLIES = 6
"""At most so many random moves follow a named opening line."""
RANDOM_SHARE = 0.25
"""The share of random moves after that."""
CHUNK = 50
"""Games that one teacher plays before the next one begins."""
LONGEST = 200
"""Plies of a game with its opening."""
DECIDED = 2500
"""Centipawns: a game ends when the teacher's score is larger."""
CLEAR = 1500
"""Centipawns: positions with a larger score teach nothing."""
SCALE = 220.0
"""Centipawns that make a score an expected result of 1 / (1 + 1/e)."""
PENALTY = 3e-4
"""The L2 penalty: times the square of how far a number is from where it began."""
VALUES = {
    chess.KNIGHT: (340, 290),
    chess.BISHOP: (350, 305),
    chess.ROOK: (480, 530),
    chess.QUEEN: (1000, 960),
}
"""What a piece is worth on average, middlegame and endgame, in centipawns. These are not
tuned. Where moves are random, a rook that was just won is often lost again one move later, so
the teacher's scores make rooks look cheap; in games they are not."""
STEPS = 4
"""Newton's steps; after three nothing moves any more."""

Row = tuple[int, int, str]
"""Number of the game, score in White's centipawns, position as EPD."""


def play_all(numbers: Sequence[int]) -> list[Row]:
    """The quiet positions of some games with the teacher's scores, in White's centipawns."""
    program = find_program("stockfish")
    if program is None:
        raise FileNotFoundError(missing("stockfish"))
    with chess.engine.SimpleEngine.popen_uci(program) as teacher:
        teacher.configure({"Threads": 1, "Hash": 16})
        return [row for number in numbers for row in _play(number, teacher)]


def _play(number: int, teacher: chess.engine.SimpleEngine) -> list[Row]:
    rng = random.Random(number)
    board = rng.choice(s06.lines()).board()
    for _ in range(rng.randint(0, RANDOM_PLIES)):
        if moves := list(board.legal_moves):
            board.push(rng.choice(moves))
    kept: list[Row] = []
    while not board.is_game_over(claim_draw=True) and board.ply() < LONGEST:
        found = teacher.play(
            board,
            chess.engine.Limit(nodes=NODES),
            game=object(),
            info=chess.engine.INFO_SCORE,
        )
        move, score = found.move, found.info["score"].white().score(mate_score=10_000)
        assert move is not None and score is not None
        if abs(score) > DECIDED:
            break
        quiet = not board.is_check() and not board.is_capture(move) and not move.promotion
        if quiet and abs(score) <= CLEAR:
            kept.append((number, score, board.epd()))
        if rng.random() < RANDOM_SHARE:
            move = rng.choice(list(board.legal_moves))
        board.push(move)
    return kept


def positions(
    series: Sequence[tuple[int, int]] = SERIES, executor: Executor | None = None
) -> list[Row]:
    """The positions of all games, in the order of the games."""
    chunks = [
        range(begin, min(begin + CHUNK, first + count))
        for first, count in series
        for begin in range(first, first + count, CHUNK)
    ]
    rows: list[Row] = []
    with progress_bar(f"times {CHUNK} games", len(chunks)) as bar:
        for found in spread(chunks, play_all, executor):
            rows += found
            bar.update()
    return sorted(rows, key=lambda row: row[0])


class DesignMatrix:
    """Which columns there are, and one row of numbers for each position with a score.

    The first columns are pieces on squares, as White would see them; then come the counts
    of chapter 21, by name.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        judge = s18.PositionalEvaluator()
        squares = [_place(kind, to) for kind in chess.PIECE_TYPES for to in chess.SQUARES]
        self.columns = {name: column for column, name in enumerate(dict.fromkeys(squares))}
        places: list[tuple[int, int]] = []
        values: list[int] = []
        scores, phases = [], []
        for line, (_, score, epd) in enumerate(rows):
            board = chess.Board(epd)
            for color, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
                for name, count in self._counts(board, color):
                    places.append((line, self.columns.setdefault(name, len(self.columns))))
                    values.append(sign * count)
            scores.append(score)
            phase = s18.unpack(judge.placement(board))[2]
            phases.append(min(phase, s18.FULL_PHASE) / s18.FULL_PHASE)
        self.matrix = np.zeros((len(scores), len(self.columns)), dtype=np.float32)
        np.add.at(self.matrix, tuple(np.array(places).T), np.array(values, dtype=np.float32))
        self.phases = np.array(phases, dtype=np.float32)[:, None]
        self.wanted = expected(np.array(scores, dtype=np.float32))

    @staticmethod
    def _counts(board: chess.Board, color: chess.Color) -> Iterator[tuple[str, int]]:
        turn = 0 if color else 56
        for square in chess.scan_forward(board.occupied_co[color]):
            kind = board.piece_type_at(square)
            assert kind is not None
            yield _place(kind, square ^ turn), 1
        for name, count in s21.counts(board, color).items():
            if count:
                yield name, count


def _place(kind: chess.PieceType, square: chess.Square) -> str:
    """The name of a column; only kings and pawns know left from right."""
    if kind not in (chess.PAWN, chess.KING):
        square = min(square, square ^ 7)
    return f"{chess.piece_name(kind)} {square}"


def expected(scores: Any) -> Any:
    """Expected results for scores in centipawns, from the same view."""
    return s18.expected(scores, 1 / SCALE)


def first_guess(names: Iterable[str]) -> Any:
    """Where the numbers begin: the tables and weights of chapter 18; two columns."""
    guesses = []
    for name in names:
        piece, _, square = name.partition(" ")
        kind, _, reached = name.removeprefix("reach_").partition("_")
        if square:
            packed = s18.TAPERED_VALUES[chess.WHITE][chess.PIECE_NAMES.index(piece)]
            early, late, _ = s18.unpack(packed[int(square)])
            guesses.append((early, late))
        elif name.startswith("reach_"):
            more = int(reached) - s18.USUAL_MOBILITY[chess.PIECE_NAMES.index(kind)]
            early, late = s18.WEIGHTS[f"mobility_{kind}"]
            guesses.append((more * early, more * late))
        elif kind == "ring":  # twice as many attacks are worth more than twice as much
            guesses.append((2 * int(reached) ** 2, 0))
        else:
            guesses.append(s18.WEIGHTS.get(name, (0, 0)))
    return np.array(guesses, dtype=np.float64)


def groups(names: Sequence[str]) -> Iterator[tuple[list[int], tuple[int, int]]]:
    """The columns of which each piece of a type is in exactly one, and their average value.

    There are two groups for each type: its squares, which hold its value, and its reach.
    """
    for kind, value in VALUES.items():
        piece = chess.piece_name(kind)
        for start, average in ((f"{piece} ", value), (f"reach_{piece}_", (0, 0))):
            yield [i for i, name in enumerate(names) if name.startswith(start)], average


def tune(design: DesignMatrix, guess: Any) -> Any:
    """Numbers that come closest to the teacher, for pieces of the values above.

    The columns of a group are taken relative to an average piece, so that no number of the
    group can change what the piece is worth.

    Args:
        design: positions.
        guess: where to begin, two columns.

    Returns:
        As `guess`; the values of the pieces are in the numbers of their squares.
    """
    columns, fixed, shares = design.matrix.copy(), np.zeros((len(design.wanted), 2)), []
    for group, average in groups(list(design.columns)):
        pieces = design.matrix[:, group].sum(axis=1)
        share = np.abs(design.matrix[:, group]).sum(axis=0)
        share /= share.sum()
        columns[:, group] -= pieces[:, None] * share
        shares.append((group, share, average))
        fixed += pieces[:, None] * np.array(average)
    both = np.hstack([columns * design.phases, columns * (1 - design.phases)])
    early, late = fixed.T
    offset = early * design.phases[:, 0] + late * (1 - design.phases[:, 0])
    start = guess.T.ravel()
    found = start.copy()
    for _ in range(STEPS):
        result = expected(both @ found.astype(np.float32) + offset)
        gradient = both.T @ ((result - design.wanted) / SCALE) + PENALTY * (found - start)
        curvature = (result * (1 - result) / SCALE**2)[:, None].astype(np.float32)
        hessian = (both * curvature).T @ both + PENALTY * np.eye(len(found))
        found -= np.linalg.solve(hessian.astype(np.float64), gradient)
    numbers = found.reshape(2, -1).T
    for group, share, average in shares:
        numbers[group] += np.array(average) - share @ numbers[group]
    return numbers


def as_json(names: Sequence[str], numbers: Any, about: str) -> str:
    """The file: tables from rank 8 down to rank 1, then the weights by name."""
    found = dict(zip(names, numbers, strict=True))
    tables = {}
    for kind, piece in zip(chess.PIECE_TYPES, chess.PIECE_NAMES[1:], strict=True):
        squares = [found[_place(kind, square)] for square in chess.SQUARES]
        ends = ([round(pair[end]) for pair in squares] for end in (0, 1))
        tables[piece] = {
            name: [end[rank * 8 : rank * 8 + 8] for rank in range(7, -1, -1)]
            for name, end in zip(("middlegame", "endgame"), ends, strict=True)
        }
    weights = {
        name: [round(early), round(late)]
        for name, (early, late) in sorted(found.items())
        if " " not in name
    }
    text = json.dumps({"about": about, "tables": tables, "weights": weights})
    # A row of a table, or a weight, on a line.
    for before, after in (("]], ", "]],\n"), ("], ", "],\n"), ("{", "{\n"), ("}", "\n}")):
        text = text.replace(before, after)
    return text + "\n"


def main(
    output: Annotated[Path, typer.Option(help="The file with the tables.")] = KNOWLEDGE,
    workers: Annotated[int, typer.Option(min=1, help="Games at the same time.")] = 1,
) -> None:
    """Tune the tables and weights of the tournament engine with scores of Stockfish.

    The same version of Stockfish gives the same positions on every machine: each game has a
    seed, and Stockfish counts nodes and forgets everything between two positions. Positions
    take about a quarter of an hour on two cores, the tables two minutes.
    """
    if find_program("stockfish") is None:
        sys.exit(missing("stockfish"))
    with started(workers) as executor:
        design = DesignMatrix(positions(executor=executor))
    names = list(design.columns)
    about = (
        f"Tuned with {len(design.wanted)} positions by python -m utils.recipes.knowledge; "
        "centipawns, tables from rank 8 down to rank 1"
    )
    replace_file(output, as_json(names, tune(design, first_guess(names)), about))


if __name__ == "__main__":
    typer.run(main)
