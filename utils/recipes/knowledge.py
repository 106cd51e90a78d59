"""Tune the tables of the tournament engine: `python -m utils.recipes.knowledge`.

Stockfish, the teacher, scores quiet positions. Then tables and weights are fitted so that the
static score, as an expected result, comes as close to the teacher's as possible: with the logistic
regression of chapter 18, here by Newton's method.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import chess
import numpy as np
import typer

from converted_notebooks import s18_positional_evaluation as s18
from converted_notebooks import s20_board_of_numbers as s20
from converted_notebooks import s21_fast_evaluation as s21
from converted_notebooks import s26_bitboards as s26
from converted_notebooks.s23_tournament_engine import SCALE, TEACHER_SCALE
from utils.atomic_files import replace_file
from utils.commands.errors import input_errors, one_line_errors, require_folder
from utils.recipes.teacher import CLEAR, find_teacher, from_games, positions, teacher_lines

GAMES = 8_000
TEACHER_DEPTH = 4
"""Plies that the teacher searches."""
PENALTY = 3e-4
"""The factor of the L2 penalty on the distance of a number from its first value."""
TEMPO = (20, 10)
"""Centipawns for the side to move, in the middlegame and in the endgame. This number is not tuned:
the teacher's scores make it several times as large, and then scores after an odd and an even number
of plies differ so much that the search prunes too much."""
STEPS = 3
"""Steps of Newton's method; it has converged after two."""
BLOCK = 20_000
"""Positions whose counts are in memory at the same time."""

Row = tuple[int, str]
"""The teacher's centipawns for the side to move, and the position as EPD."""
SCORE = re.compile(rb" score (cp|mate) (-?\d+)")
MOST_REACHED = {"knight": 8, "bishop": 13, "rook": 14, "queen": 27}
NAMES = [
    *(f"{piece} {square}" for piece in chess.PIECE_NAMES[1:] for square in chess.SQUARES),
    *(f"reach_{piece}_{n}" for piece, most in MOST_REACHED.items() for n in range(most + 1)),
    *dict.fromkeys(s21.RINGS),
    *s18.PASSED[1:-1],
    *(n for n in s21.counts(chess.Board(), chess.WHITE) if n != "tempo" and not n[-1].isdigit()),
]


def quiet_positions(games: range) -> list[str]:
    """The quiet positions of some games as EPD."""
    return [s26.to_board(found).epd() for found in positions(games)]


def ask_teacher(program: str, epds: Sequence[str]) -> list[Row]:
    """Positions with the teacher's scores, without those beyond `CLEAR` or with a mate.

    One run scores all in this order, because the teacher keeps its hash table from one position to
    the next. Its neural network scores every second one, its classical evaluation the others: with
    either alone the tuned numbers win fewer games.

    Raises:
        RuntimeError: it crashes.
    """
    rows, asked, last = [], iter(epds), None
    for line in teacher_lines(program, epds, str(TEACHER_DEPTH), "depth", "mixed"):
        if found := SCORE.search(line):
            last = found
        elif line.startswith(b"bestmove"):
            epd = next(asked)
            if last and last[1] == b"cp" and abs(int(last[2])) <= CLEAR:
                rows.append((int(last[2]), epd))
    if next(asked, None):
        raise RuntimeError(f"{program} ended before the last position")
    return rows


def count(epds: Sequence[str]) -> Any:
    """The counts of the evaluation of s21, from the view of the side to move.

    Returns:
        One row for each position and one column for each of `NAMES`; last, the phase.
    """
    columns = {name: column for column, name in enumerate([*NAMES, "phase"])}
    found = np.zeros((len(epds), len(columns)), np.int8)
    for row, epd in zip(found, epds, strict=True):
        board = chess.Board(epd)
        for square, piece in board.piece_map().items():
            place = square if piece.color else square ^ 56
            name = f"{chess.piece_name(piece.piece_type)} {place}"
            row[columns[name]] += 1 if piece.color == board.turn else -1
            row[-1] += s18.PHASE.get(piece.piece_type, 0)
        for color in chess.COLORS:
            for name, number in s21.counts(board, color).items():
                if name != "tempo":
                    row[columns[name]] += number if color == board.turn else -number
    return found


class DesignMatrix:
    """The regression: what the static score counts in positions, and what the teacher expects.

    Attributes:
        counts: one row for each position and one column for each of `NAMES`, from the view of
            the side to move.
        phases: 1 with all pieces on the board, 0 without any; one column.
        wanted: the teacher's expected results for the side to move.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        counted = count([epd for _, epd in rows])
        self.counts = counted[:, :-1]
        phases = np.minimum(counted[:, -1:], s18.FULL_PHASE)
        self.phases = phases.astype(np.float32) / s18.FULL_PHASE
        teacher = np.array([score for score, _ in rows])
        self.wanted = s18.expected(teacher, 1 / TEACHER_SCALE)

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Blocks of the design matrix (middlegame, endgame, tempo), each with its `wanted`."""
        for begin in range(0, len(self.wanted), BLOCK):
            rows = slice(begin, begin + BLOCK)
            shares = np.hstack([self.phases[rows], 1 - self.phases[rows]])
            counts = self.counts[rows].astype(np.float32)
            both = np.hstack([counts * shares[:, :1], counts * shares[:, 1:], shares])
            yield both, self.wanted[rows]


def first_guess() -> Any:
    """The first values: the tables and weights of chapter 18; middlegame and endgame."""
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
        elif kind == "ring":  # grows with the square of the number of attacks
            guesses.append((2 * int(reached) ** 2, 0))
        else:
            guesses.append(s18.WEIGHTS.get(name, (0, 0)))
    return np.array(guesses, dtype=np.float64)


def tune(design: DesignMatrix, guess: Any) -> Any:
    """The numbers that fit the teacher best. The tempo is tuned with them, and dropped.

    Args:
        guess: the first values: a row for each of `NAMES`; middlegame and endgame.

    Returns:
        The tuned values, in the form of `guess`.
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
    workers: Annotated[int, typer.Option(min=1, help="Games at the same time.")] = 1,
) -> None:
    """Tune the tables and weights of the tournament engine with scores of Stockfish.

    The same version of Stockfish and the same network of s27 give the same positions on every
    machine: each game has a seed, and both engines count nodes or plies.
    """
    with input_errors():
        require_folder(output)
    program = find_teacher()
    epds = [epd for part in from_games(quiet_positions, GAMES, workers) for epd in part]
    design = DesignMatrix(ask_teacher(program, epds))
    about = (
        f"Tuned with {len(design.wanted)} positions by python -m utils.recipes.knowledge; "
        "centipawns, tables from rank 8 down to rank 1"
    )
    replace_file(output, as_json(tune(design, first_guess()), about))


if __name__ == "__main__":
    with one_line_errors():
        typer.run(main)
