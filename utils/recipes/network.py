"""Train the network of the compiled engine: `python -m utils.recipes.network`.

The network is trained to score quiet positions as the neural network of Stockfish, the teacher. Its
weights begin as small random numbers; Adam (Kingma and Ba, 2015) minimises the mean squared
difference between the expected results of both.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import chess
import numpy as np
import typer
from numpy.typing import NDArray

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s26_bitboards as s26
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s18_positional_evaluation import expected
from converted_notebooks.s23_tournament_engine import BUCKETS, HIDDEN
from utils.atomic_files import replace_file
from utils.commands.long_work import progress_bar
from utils.compiler import compiled
from utils.paths import DATA
from utils.recipes import teacher

NETWORK, SAMPLE = DATA / "tuning" / "network.npy", DATA / "tuning" / "network.csv"
GAMES = 290_000
WALKS = 5
"""Random walks from each position of a game, see `teacher.positions`."""
SAMPLED = 2000
"""Positions of other games for `SAMPLE`, with the teacher's scores."""
EPOCHS = 8
"""How often each position is used."""
BATCH = 4096
"""Positions for each step."""
RATE = 5e-3
"""The learning rate at first; it falls to 0 like half a cosine."""
WARM_UP = 200
"""Steps in which the learning rate rises to its full value."""
MOMENTUM, MEMORY = 0.9, 0.999
"""Decay per step of the means of the gradient and of its square (β₁ and β₂ of Adam)."""
LARGEST = 127 / s23.ONE_OUTPUT
"""The bound of the weights, with which sums of 16 and 32 bits cannot overflow."""

WEIGHTS = np.dtype(
    [
        ("rows", np.float32, (2, 7, 64, HIDDEN)),
        ("output", np.float32, (BUCKETS, 2, HIDDEN)),
        ("constant", np.float32, BUCKETS),
    ]
)
"""The network of s23 with floating-point weights; an output of 1 is an expected result of
1 / (1 + 1 / e)."""
SCORE = re.compile(rb"NNUE evaluation +(\S+) \(white side\)")


class Examples(NamedTuple):
    """Positions and the teacher's scores.

    Attributes:
        pieces: bitboards of s26, of shape (positions, 2, 7), by owner (0: the side to move) and
            type; mirrored so that the side to move plays up the board.
        scores: the teacher's centipawns for the side to move.
    """

    pieces: s26.BitArray
    scores: NDArray[np.int64]


def teacher_scores(epds: Sequence[str]) -> NDArray[np.int64]:
    """Scores of Stockfish's network without a search: centipawns from White's view.

    Raises:
        RuntimeError: it crashes.
    """
    lines = teacher.teacher_lines(teacher.find_teacher(), epds, "1", "eval", "NNUE")
    found = [round(100 * float(match[1])) for line in lines if (match := SCORE.match(line))]
    if len(found) != len(epds):
        raise RuntimeError(f"{len(found)} scores of {len(epds)} positions")
    return np.array(found, np.int64)


def judged_positions(games: range) -> tuple[Any, Any]:
    """Positions of some games within `CLEAR`, and centipawns for the side to move."""
    found = teacher.positions(games, WALKS)
    white = teacher_scores([s26.to_board(position).epd() for position in found])
    scores = np.where(found.turn, white, -white)
    useful = np.abs(scores) <= teacher.CLEAR
    return found[useful], scores[useful]


def examples(games: range) -> Examples:
    """The examples from some games."""
    found, scores = judged_positions(games)
    return Examples(pieces_seen(found), scores)


def joined(parts: list[Examples]) -> Examples:
    """All examples in one record; empties the list meanwhile, to save memory."""
    begin = sum(len(part.scores) for part in parts)
    whole = Examples(np.empty((begin, 2, 7), np.uint64), np.empty(begin, np.int64))
    while parts:
        part, end = parts.pop(), begin
        begin -= len(part.scores)
        whole.pieces[begin:end], whole.scores[begin:end] = part
    return whole


def sample(games: range, rng: np.random.Generator) -> str:
    """Random positions of some games with the teacher's scores, as CSV."""
    found, scores = judged_positions(games)
    chosen = np.sort(rng.choice(len(found), SAMPLED, replace=False))
    rows = [f"{scores[i]},{s26.to_board(found[i]).epd()}\n" for i in chosen]
    return "score,position\n" + "".join(rows)


def pieces_seen(positions: s26.Stack) -> s26.BitArray:
    """The bitboards of positions in the form of `Examples.pieces`."""
    sets = positions.pieces[:, None] & positions.colors[:, :, None]  # Black's, White's
    seen: s26.BitArray = np.where(positions.turn[:, None, None], sets[:, ::-1], sets.byteswap())
    return seen


@compiled
def list_inputs(pieces: s26.BitArray, inputs: NDArray[np.int64]) -> int:
    """List the inputs of the network that are 1, for both views.

    Args:
        pieces: a row of `Examples.pieces`.
        inputs: an array of shape (2, 64) to write to: for each piece 6 bits for its square, 3 for
            its type, 1 for its owner. Row 0 is the view of the side to move.

    Returns:
        The number of pieces.
    """
    count = 0
    own = s27.side_mirror(s26.lowest(pieces[0, chess.KING]))
    other = s27.side_mirror(s26.lowest(pieces[1, chess.KING]))
    for owner in range(2):
        for kind in range(1, 7):
            left = pieces[owner, kind]
            while left:
                number = owner << 9 | kind << 6 | s26.lowest(left)
                inputs[0, count] = number ^ own
                inputs[1, count] = number ^ other ^ (1 << 9 | 56)  # the other owner, ranks mirrored
                left &= left - s26.ONE
                count += 1
    return count


@compiled
def add_gradient(
    pieces: s26.BitArray,
    wanted: float,
    weights: Any,
    gradient: Any,
    inputs: NDArray[np.int64],
    room: Any,
) -> float:
    """Add the gradient of the squared error of one example.

    Args:
        pieces: as for `list_inputs`.
        wanted: the expected result.
        weights, gradient: records of the type `WEIGHTS`.
        inputs: working memory for `list_inputs`.
        room: working memory of shape (3, 2, HIDDEN).

    Returns:
        The squared error.
    """
    sums, cut, back = room[0], room[1], room[2]
    sums[:] = 0
    count = list_inputs(pieces, inputs)
    for n in range(count):
        for view in range(2):
            seen, own = inputs[view, n], sums[view]
            own += weights.rows[seen >> 9, seen >> 6 & 7, seen & 63]
    bucket = s27.output_bucket(count)
    output, total = weights.output[bucket], weights.constant[bucket]
    for view in range(2):
        for i in range(HIDDEN):
            cut[view, i] = min(max(sums[view, i], np.float32(0)), np.float32(1))
            total += cut[view, i] * cut[view, i] * output[view, i]
    result = 1 / (1 + math.exp(-total))
    slope = np.float32(2 * (result - wanted) * result * (1 - result))
    gradient.constant[bucket] += slope
    for view in range(2):
        for i in range(HIDDEN):
            value = cut[view, i]
            gradient.output[bucket, view, i] += slope * value * value
            if value == sums[view, i]:  # it was not cut off
                back[view, i] = slope * output[view, i] * 2 * value
            else:
                back[view, i] = 0
    for n in range(count):
        for view in range(2):
            seen = inputs[view, n]
            row = gradient.rows[seen >> 9, seen >> 6 & 7, seen & 63]
            row += back[view]
    return (result - wanted) ** 2


@compiled
def add_gradients(
    pieces: s26.BitArray,
    wanted: NDArray[np.float64],
    batch: NDArray[np.int64],
    weights: Any,
    gradient: Any,
    inputs: NDArray[np.int64],
    room: Any,
) -> float:
    """The same for all examples of a batch, which has their indices; returns the sum of errors."""
    error = 0.0
    for number in batch:
        error += add_gradient(pieces[number], wanted[number], weights, gradient, inputs, room)
    return error


def first_weights(rng: np.random.Generator) -> Any:
    """One record of the type `WEIGHTS`, with small random numbers, the same in each bucket."""
    weights = np.zeros(1, WEIGHTS)
    flat = weights.view(np.float32)
    flat[:] = rng.uniform(-0.1, 0.1, len(flat))
    weights["output"] = weights["output"][:, :1]
    weights["constant"] = 0
    return weights


def train(data: Examples, weights: Any, rng: np.random.Generator) -> list[float]:
    """Train weights, in place.

    Args:
        weights: one record of the type `WEIGHTS`.
        rng: for the order of the examples.

    Returns:
        The root of the mean squared error in each epoch.
    """
    wanted = expected(data.scores, 1 / s23.TEACHER_SCALE)
    size = min(BATCH, len(wanted))
    flat = weights.view(np.float32)
    scratch = np.zeros((2, 64), np.int64), np.zeros((3, 2, HIDDEN), np.float32)
    gradient = np.zeros_like(weights)
    mean, square = np.zeros_like(flat), np.zeros_like(flat)
    steps, errors, step = EPOCHS * (len(wanted) // size), [], 0
    records = weights.view(np.recarray)[0], gradient.view(np.recarray)[0]
    with progress_bar("steps", steps) as bar:
        for _ in range(EPOCHS):
            order, error = rng.permutation(len(wanted)), 0.0
            for begin in range(0, len(order) - size + 1, size):
                step += 1
                gradient.view(np.float32)[:] = 0
                batch = order[begin : begin + size]
                error += add_gradients(data.pieces, wanted, batch, *records, *scratch)
                slope = gradient.view(np.float32) / size
                mean += (1 - MOMENTUM) * (slope - mean)
                square += (1 - MEMORY) * (slope**2 - square)
                rate = RATE / 2 * (1 + math.cos(math.pi * step / steps)) * min(1, step / WARM_UP)
                deviation = np.sqrt(square / (1 - MEMORY**step)) + 1e-8
                flat -= rate * mean / (1 - MOMENTUM**step) / deviation
                np.clip(flat, -LARGEST, LARGEST, out=flat)
                bar.update()
            errors.append(math.sqrt(error / (len(order) // size * size)))
    return errors


def rounded(weights: Any) -> Any:
    """The weights as integers: one record, as s23 reads it."""
    network = np.zeros(1, s23.NETWORK)
    for name, one in (
        ("rows", s23.ONE_HIDDEN),
        ("output", s23.ONE_OUTPUT),
        ("constant", s23.SCALE),
    ):
        network[name] = np.rint(weights[name] * one)
    for never in (
        (slice(2), 0),  # there is no piece of type 0,
        (slice(2), chess.PAWN, slice(8)),  # no pawn on the first and last rank,
        (slice(2), chess.PAWN, slice(56, 64)),
        (0, chess.KING, [square for square in chess.SQUARES if square & 4]),  # see `mirror_of`
    ):
        network["rows"][0][never] = 0
    return network


def main(
    workers: Annotated[int, typer.Option(min=1, help="Games at the same time.")] = 1,
) -> None:
    """Train the network of the compiled engine with what Stockfish's network says.

    Games and scores take four hours on two cores, the training nearly one on one of them, with
    twenty gigabytes of memory.
    """
    teacher.find_teacher()
    rng = np.random.default_rng(27)
    parts = teacher.from_games(examples, GAMES, workers)
    weights = first_weights(rng)
    train(joined(parts), weights, rng)
    replace_file(SAMPLE, sample(range(GAMES, GAMES + teacher.CHUNK), rng))
    file = io.BytesIO()
    np.save(file, rounded(weights))
    replace_file(NETWORK, file.getvalue())


if __name__ == "__main__":
    typer.run(main)
