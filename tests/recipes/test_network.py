"""The training of the network: true slopes, smaller errors, and a file that s23 reads."""

from __future__ import annotations

import csv
import itertools
import random

import chess
import numpy as np
import pytest

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s26_bitboards as s26
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s18_positional_evaluation import expected
from tests.helpers.networks import hidden_sums
from tests.helpers.programs import need
from utils.compiler import is_compiling
from utils.recipes import network, teacher

BOARDS = list(random_positions(60, random.Random(4)))
POSITIONS = np.concatenate([s26.new_stack(board, 0) for board in BOARDS]).view(np.recarray)


def weights(seed: int) -> np.ndarray:
    """One record with random weights."""
    found: np.ndarray = network.first_weights(np.random.default_rng(seed))
    found["constant"] = 0.3
    return found


def exact_result(board: chess.Board, known: np.ndarray) -> float:
    """The expected result by NumPy, with pieces of python-chess."""
    bucket = s23.bucket_of(chess.popcount(board.occupied))
    total = float(known["constant"][0, bucket])
    for place, view in enumerate((board.turn, not board.turn)):
        sums = hidden_sums(known["rows"][0], board, view)
        total += np.clip(sums, 0, 1) ** 2 @ known["output"][0, bucket, place]
    return float(expected(total, 1))


def test_the_slope_is_how_the_error_changes() -> None:
    known, rng = weights(1), np.random.default_rng(2)
    flat = known.view(np.float32)
    pieces = network.pieces_seen(POSITIONS)
    scratch = np.zeros((2, 64), np.int64), np.zeros((3, 2, s23.HIDDEN), np.float32)
    for board, row in zip(BOARDS[:12], pieces, strict=False):
        gradient, wanted = np.zeros_like(known), float(rng.random())
        records = known.view(np.recarray)[0], gradient.view(np.recarray)[0]
        error = network.add_gradient(row, wanted, *records, *scratch)
        assert error == pytest.approx((exact_result(board, known) - wanted) ** 2, rel=1e-3)
        slopes = gradient.view(np.float32)
        steep = np.argsort(-np.abs(slopes))[:40:4]
        for place in [*steep, len(flat) - 1, *rng.integers(0, len(flat), 5)]:
            old, near = flat[place], []
            for step in (-1e-3, 1e-3):
                flat[place] = old + np.float32(step)
                near.append((exact_result(board, known) - wanted) ** 2)
            flat[place] = old
            slope = (near[1] - near[0]) / 2e-3
            assert slopes[place] == pytest.approx(slope, rel=0.05, abs=2e-4)


def test_training_makes_the_error_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "BATCH", 16)
    monkeypatch.setattr(network, "EPOCHS", 60 if is_compiling() else 2)
    monkeypatch.setattr(network, "WARM_UP", 5)
    more = [
        chess.popcount(board.occupied_co[board.turn])
        - chess.popcount(board.occupied_co[not board.turn])
        for board in BOARDS
    ]
    scores = 200 * np.array(more)
    data = network.Examples(network.pieces_seen(POSITIONS), scores)
    runs = []
    for _ in range(2):
        known = weights(3)
        errors = network.train(data, known, np.random.default_rng(5))
        runs.append(known)
        assert len(errors) == network.EPOCHS
        assert errors[-1] < errors[0] / 3 or not is_compiling()
    assert (runs[0] == runs[1]).all(), "the same numbers, the same network"


def test_whole_numbers_say_nearly_the_same() -> None:
    known = weights(6)
    whole = network.rounded(known).view(np.recarray)[0]
    for board, position in zip(BOARDS, POSITIONS, strict=True):
        score = s27.evaluate(position, s27.sums_of(position, whole), whole)
        assert expected(score, 1 / s23.SCALE) == pytest.approx(exact_result(board, known), abs=0.05)


def test_examples_are_joined_in_their_order() -> None:
    whole = network.Examples(network.pieces_seen(POSITIONS), np.arange(len(POSITIONS)))
    cuts = (0, 1, 1, 30, len(POSITIONS))
    parts = [
        network.Examples(whole.pieces[a:b], whole.scores[a:b]) for a, b in itertools.pairwise(cuts)
    ]
    found = network.joined(parts)
    assert parts == []
    assert (found.pieces == whole.pieces).all() and (found.scores == whole.scores).all()


def test_rows_of_pieces_that_cannot_be_are_zero() -> None:
    for rows in (network.rounded(weights(8))["rows"][0], s23.load_network().rows):
        assert not rows[:, 0].any()
        assert not rows[:, chess.PAWN][:, [*range(8), *range(56, 64)]].any()
        assert rows[:, chess.PAWN, 8:56].any(axis=-1).all()
        assert not rows[0, chess.KING].reshape(8, 8, -1)[:, 4:].any()  # left and right exchanged
        assert rows[0, chess.KING].reshape(8, 8, -1)[:, :4].any(axis=-1).all()
        assert rows[:, chess.KNIGHT : chess.KING].any(axis=-1).all()


def test_the_teacher_s_scores_are_white_s() -> None:
    need("stockfish")
    more = "r3k3/pppp4/8/8/8/8/PPPPP3/R3K3"
    white, black = network.teacher_scores([f"{more} w - -", f"{more} b - -"])
    assert white > 0 and black > 0
    better, worse = network.teacher_scores(
        ["4k3/8/8/8/8/8/8/R3K3 w - -", "r3k3/8/8/8/8/8/8/4K3 w - -"]
    )
    assert better > 300 and worse < -300


def test_the_teacher_knows_neither_left_and_right_nor_castling_rights() -> None:
    need("stockfish")
    calm = [board for board in BOARDS if not board.is_check()]
    sides = [board.transform(chess.flip_horizontal) for board in calm]  # without rights
    scores = [network.teacher_scores([board.epd() for board in boards]) for boards in (calm, sides)]
    assert (scores[0] == scores[1]).all() and len(set(scores[0])) > 30


@pytest.mark.skipif(not is_compiling(), reason="plain Python takes hours for a game")
def test_examples_have_the_scores_of_the_side_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    need("stockfish")
    data, found = network.examples(range(2)), teacher.positions(range(2), network.WALKS)
    assert len(data.pieces) == len(data.scores) <= len(found)
    assert np.abs(data.scores).max() <= teacher.CLEAR
    monkeypatch.setattr(network, "SAMPLED", 5)
    text = network.sample(range(2), np.random.default_rng(1))
    for row in csv.DictReader(text.splitlines()):
        board = chess.Board(row["position"])
        white = int(network.teacher_scores([board.epd()])[0])
        assert int(row["score"]) == (white if board.turn else -white)


def test_the_stored_sample_is_whole() -> None:
    text = network.SAMPLE.read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == network.SAMPLED and len({row["position"] for row in rows}) > 1900
    for row in rows:
        assert chess.Board(row["position"]).is_valid()
        assert abs(int(row["score"])) <= teacher.CLEAR
