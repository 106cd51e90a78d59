"""The tuned tables of the tournament engine: the recipe finds what it should find."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s18_positional_evaluation import unpack
from converted_notebooks.s20_board_of_numbers import (
    KNOWLEDGE,
    Knowledge,
    NumberBoard,
    load_knowledge,
)
from converted_notebooks.s21_fast_evaluation import FastEvaluator
from tests.programs import need
from utils.recipes import knowledge
from utils.recipes.knowledge import VALUES, DesignMatrix, as_json, first_guess, groups, tune


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    return list(random_positions(400, random.Random(3)))


@pytest.fixture(scope="module")
def design(boards: list[chess.Board]) -> DesignMatrix:
    judge = FastEvaluator()
    scores = [judge.score(NumberBoard(board)) * (1 if board.turn else -1) for board in boards]
    return DesignMatrix(
        (0, score, board.epd()) for score, board in zip(scores, boards, strict=True)
    )


def stored(known: Knowledge, name: str, color: chess.Color = chess.WHITE) -> tuple[int, ...]:
    """The numbers of a column, from White's view."""
    piece, _, square = name.partition(" ")
    if not square:
        return tuple(known.weights[name])
    place = int(square) if color else int(square) ^ 56
    return unpack(known.values[color][chess.PIECE_NAMES.index(piece)][place])[:2]


def scores(design: DesignMatrix, numbers: np.ndarray) -> np.ndarray:
    """What the numbers say of the positions, in White's centipawns."""
    early, late = (design.matrix @ numbers).T
    phases = design.phases[:, 0]
    found: np.ndarray = early * phases + late * (1 - phases)
    return found


def test_the_sheet_counts_what_the_evaluator_counts(
    design: DesignMatrix, boards: list[chess.Board]
) -> None:
    """Numbers of the file times counts of the design: the engine's own score."""
    numbers, judge = np.array([stored(KNOWLEDGE, name) for name in design.columns]), FastEvaluator()
    for board, score in zip(boards, scores(design, numbers), strict=True):
        white = judge.score(NumberBoard(board)) * (1 if board.turn else -1)
        assert score == pytest.approx(white, abs=1.01), board.fen()


def test_tuning_comes_closer_and_keeps_the_values_of_pieces(design: DesignMatrix) -> None:
    names = list(design.columns)
    guess = first_guess(names)
    found = tune(design, guess)
    before, after = (
        np.mean((knowledge.expected(scores(design, numbers)) - design.wanted) ** 2)
        for numbers in (guess, found)
    )
    assert after < before / 4
    for group, wanted in groups(names):
        share = np.abs(design.matrix[:, group]).sum(axis=0)
        average = (share / share.sum()) @ found[group]
        assert average == pytest.approx(wanted, abs=0.01), names[group[0]]
    assert [wanted for _, wanted in groups(names) if wanted != (0, 0)] == list(VALUES.values())


def test_the_file_is_read_as_it_was_written(design: DesignMatrix, tmp_path: Path) -> None:
    names, path = list(design.columns), tmp_path / "knowledge.json"
    numbers = np.random.default_rng(1).integers(-90, 90, (len(names), 2))
    path.write_text(as_json(names, numbers, "a test"), encoding="utf-8")
    read = load_knowledge(path)
    for name, pair in zip(names, numbers, strict=True):
        assert stored(read, name) == tuple(pair)
        assert " " not in name or stored(read, name, chess.BLACK) == tuple(-pair)


def test_games_of_the_teacher_are_the_same_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    need("stockfish")
    monkeypatch.setattr(knowledge, "NODES", 50)
    monkeypatch.setattr(knowledge, "LONGEST", 24)
    rows = knowledge.positions([(1, 1), (7, 1)])
    assert {number for number, _, _ in rows} == {1, 7}
    assert rows == knowledge.play_all([1, 7])
    assert all(chess.Board(epd).is_valid() and abs(score) <= 1500 for _, score, epd in rows)
