"""Tune the tables of the tournament engine: `python -m utils.recipes.knowledge`.

First, positions with a teacher's opinion. The compiled engine plays fast games against itself, with
the tables and weights of a file and some random moves. A position is kept if no capture gains
anything there, and gets Stockfish's score. Then tables and weights are chosen so that the static
score, as an expected result, comes as close to the teacher's as it can, by the logistic regression
of chapter 18, here with Newton's method.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import chess
import chess.engine
import numpy as np
import typer

from converted_notebooks import s12_piece_square_tables as s12
from converted_notebooks import s18_positional_evaluation as s18
from converted_notebooks import s20_board_of_numbers as s20
from converted_notebooks import s21_fast_evaluation as s21
from converted_notebooks import s26_bitboards as s26
from converted_notebooks import s27_compiled_search as s27
from utils.atomic_files import replace_file
from utils.command_line import progress_bar
from utils.compiler import compiled
from utils.external_programs import find_program, install_hint
from utils.matches.workers import spread
from utils.matches.workers import workers as started

GAMES = 8_000
NODES = 300
"""For each move of the games."""
RANDOM_PLIES = range(4, 12)
"""So many random moves begin a game."""
RANDOM_SHARES = (0.05, 0.12, 0.25)
"""Shares of random moves after that; each game has one of them."""
CHUNK = 50
"""Games that one process plays before it reports."""
LONGEST = 160
"""Plies of a game with its opening."""
CALM = 60
"""Plies without a capture or a move of a pawn after which a game ends."""
TEACHER_DEPTH = 4
"""Plies that the teacher looks ahead."""
CLEAR = 2500
"""The teacher's centipawns: positions with a larger score teach nothing."""
TEACHER_SCALE, SCALE = 220.0, 300.0
"""Centipawns, of the teacher and of the engine, that make an expected result of 1 / (1 + 1/e)."""
PENALTY = 3e-4
"""The L2 penalty: times the square of how far a number is from where it began."""
TEMPO = (20, 10)
"""What the move is worth, middlegame and endgame. The teacher's scores make it several times as
large; then scores after an odd and an even number of plies differ so much that the search prunes
what it should not. So the tuned tempo is not kept."""
STEPS = 3
"""Newton's steps; after two nothing moves any more."""
BLOCK = 20_000
"""Positions whose numbers are in memory at the same time."""

Row = tuple[int, str]
"""The teacher's score for the side to move, position as EPD."""
SCORE = re.compile(r" score (cp|mate) (-?\d+)")
MOST_REACHED = {"knight": 8, "bishop": 13, "rook": 14, "queen": 27}
NAMES = [
    *(f"{piece} {square}" for piece in chess.PIECE_NAMES[1:] for square in chess.SQUARES),
    *(f"reach_{piece}_{n}" for piece, most in MOST_REACHED.items() for n in range(most + 1)),
    *dict.fromkeys(s21.RINGS),
    *s18.PASSED[1:-1],
    *(name for row in s21.STOPS[1:-1] for name in row),
    *(name for name in s27.SINGLE if name != "tempo"),
]


def play_all(numbers: Sequence[int], tables: Path = s20.TUNED) -> list[tuple[int, str]]:
    """The quiet positions of some games as EPD, each with the number of its game.

    Args:
        numbers: of the games.
        tables: a file as this program writes it, with which the engine plays.
    """
    engine = s27.CompiledEngine(1)
    engine.team.main.weights = s27.weight_record(s20.load_knowledge(tables))
    return [
        (number, board.epd()) for number in numbers for board in quiet_positions(number, engine)
    ]


def quiet_positions(number: int, engine: s27.CompiledEngine) -> Iterator[chess.Board]:
    """Positions of a game of the engine with itself in which no capture gains anything."""
    rng, thread = random.Random(number), engine.team.main
    board, opening = chess.Board(), rng.choice(RANDOM_PLIES)
    share = rng.choice(RANDOM_SHARES)
    engine.new_game()
    while not board.is_game_over() and board.ply() < LONGEST and board.halfmove_clock < CALM:
        if board.ply() >= opening and not board.is_check():
            thread.begin(board)
            static = s27.evaluate(thread.stack[0], thread.weights)
            if static == thread.search(0, -s21.INFINITE, s21.INFINITE):
                yield board
        if board.ply() < opening or rng.random() < share:
            board.push(rng.choice(list(board.legal_moves)))
        else:
            move = engine.play(board, chess.engine.Limit(nodes=NODES)).move
            assert move is not None
            board.push(move)


def positions(
    numbers: Sequence[int], tables: Path = s20.TUNED, executor: Executor | None = None
) -> list[str]:
    """The positions of all games, in the order of the games; arguments as for `play_all`."""
    chunks = [numbers[begin : begin + CHUNK] for begin in range(0, len(numbers), CHUNK)]
    rows: list[tuple[int, str]] = []
    with progress_bar(f"times {CHUNK} games", len(chunks)) as bar:
        for found in spread(chunks, partial(play_all, tables=tables), executor):
            rows += found
            bar.update()
    rows.sort(key=lambda row: row[0])
    return [epd for _, epd in rows]


def ask_teacher(program: str, epds: Sequence[str]) -> list[Row]:
    """Positions with the teacher's scores, without those that are clear or a mate.

    All are asked in one run, in this order, since the teacher's hash table goes from one to the
    next. The neural network scores every second one, the classical evaluation the others: with
    either alone the numbers win fewer games.

    Args:
        program: the path of Stockfish.
        epds: the positions.

    Raises:
        RuntimeError: it breaks down.
    """
    rows, asked, last = [], iter(epds), None
    with tempfile.TemporaryDirectory() as folder:
        lines = "".join(f"{epd} 0 1\n" for epd in epds)
        Path(folder, "positions").write_text(lines, encoding="utf-8")
        with subprocess.Popen(
            [program, "bench", "16", "1", str(TEACHER_DEPTH), "positions", "depth", "mixed"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as teacher:
            for line in teacher.stdout or ():
                if found := SCORE.search(line):
                    last = found
                elif line.startswith("bestmove"):
                    epd = next(asked)
                    if last and last[1] == "cp" and abs(int(last[2])) <= CLEAR:
                        rows.append((int(last[2]), epd))
    if next(asked, None) or teacher.returncode:
        raise RuntimeError(f"{program} ended with {teacher.returncode} before the last position")
    return rows


def unit_weights(name: str) -> s27.WeightRecord:
    """Weights of zero but for one name, which is worth a centipawn in both phases.

    A static score is a sum of counts times weights, so with these weights it is a count.
    """
    piece, _, square = name.partition(" ")
    tables = {kind: [0] * 64 for kind in chess.PIECE_TYPES}
    if square:
        tables[chess.PIECE_NAMES.index(piece)][int(square)] = 1
    values = s12.square_values(dict.fromkeys(tables, 0), tables)
    weights = {} if square else {name: (1, 1)}
    return s27.weight_record(s20.Knowledge(s18.tapered_values(values, values), weights))


@compiled
def fill(counts: Any, position: s26.Position, records: Any) -> None:
    """Writes what each of the records makes of a position."""
    for i in range(len(records)):
        counts[i] = s27.evaluate(position, records[i])


class DesignMatrix:
    """What the static score counts in positions, and what the teacher expects.

    Attributes:
        counts: one row for each position and one column for each of `NAMES`, from the view of
            the side to move.
        phases: 1 with all pieces on the board, 0 without any; one column.
        wanted: the teacher's expected results for the side to move.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        records = np.zeros(len(NAMES), s27.WEIGHT_RECORD).view(np.recarray)
        for i, name in enumerate(NAMES):
            records[i] = unit_weights(name)
        self.counts = np.zeros((len(rows), len(NAMES)), np.int8)
        pieces = np.zeros((len(rows), 7), np.uint64)
        for i, (_, epd) in enumerate(rows):
            position = s26.new_stack(chess.Board(epd), 0)[0]
            fill(self.counts[i], position, records)
            pieces[i] = position.pieces
        worth = [s18.PHASE.get(kind, 0) for kind in range(7)]
        phases = np.minimum(np.bitwise_count(pieces) @ worth, s18.FULL_PHASE)
        self.phases = phases[:, None].astype(np.float32) / s18.FULL_PHASE
        teacher = np.array([score for score, _ in rows])
        self.wanted = s18.expected(teacher, 1 / TEACHER_SCALE)

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Block by block: counts in the middlegame, in the endgame, the tempo; what is wanted."""
        for begin in range(0, len(self.wanted), BLOCK):
            rows = slice(begin, begin + BLOCK)
            shares = np.hstack([self.phases[rows], 1 - self.phases[rows]])
            counts = self.counts[rows].astype(np.float32)
            both = np.hstack([counts * shares[:, :1], counts * shares[:, 1:], shares])
            yield both, self.wanted[rows]


def first_guess() -> Any:
    """Where the numbers begin: the tables and weights of chapter 18; two columns."""
    guesses = []
    for name in NAMES:
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


def tune(design: DesignMatrix, guess: Any) -> Any:
    """Numbers that come closest to the teacher; the tempo is tuned with them and left out.

    Args:
        design: positions.
        guess: where to begin: a row for each of `NAMES`, two columns.

    Returns:
        As `guess`.
    """
    start = np.append(guess.T, TEMPO)
    found = start.copy()
    for _ in range(STEPS):
        gradient, hessian = PENALTY * (found - start), PENALTY * np.eye(len(found))
        for both, wanted in design.blocks():
            result = s18.expected(both @ found.astype(np.float32), 1 / SCALE)
            curvature = (result * (1 - result) / SCALE**2)[:, None].astype(np.float32)
            gradient += both.T @ ((result - wanted) / SCALE)
            hessian += (both * curvature).T @ both
        found -= np.linalg.solve(hessian, gradient)
    return found[:-2].reshape(2, -1).T


def as_json(numbers: Any, about: str) -> str:
    """The file: tables from rank 8 down to rank 1, then the weights by name."""
    found = dict(zip(NAMES, numbers, strict=True)) | {"tempo": TEMPO}
    tables = {}
    for piece in chess.PIECE_NAMES[1:]:
        squares = [found[f"{piece} {square}"] for square in chess.SQUARES]
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
    output: Annotated[Path, typer.Option(help="The file with the new tables.")] = s20.TUNED,
    tables: Annotated[Path, typer.Option(help="With these the games are played.")] = s20.TUNED,
    workers: Annotated[int, typer.Option(min=1, help="Games at the same time.")] = 1,
) -> None:
    """Tune the tables and weights of the tournament engine with scores of Stockfish.

    The same version of Stockfish and the same tables give the same positions on every machine:
    each game has a seed, and both engines count nodes or plies. The games take about ten minutes
    on two cores, scores and numbers six.
    """
    program = find_program("stockfish")
    if program is None:
        sys.exit(install_hint("stockfish"))
    with started(workers) as executor:
        epds = positions(range(GAMES), tables, executor)
    design = DesignMatrix(ask_teacher(program, epds))
    about = (
        f"Tuned with {len(design.wanted)} positions by python -m utils.recipes.knowledge; "
        "centipawns, tables from rank 8 down to rank 1"
    )
    replace_file(output, as_json(tune(design, first_guess()), about))


if __name__ == "__main__":
    typer.run(main)
