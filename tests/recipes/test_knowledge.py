"""The tuned tables of the tournament engine: the recipe finds what it should find."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s18_positional_evaluation import expected, unpack
from converted_notebooks.s20_board_of_numbers import (
    KNOWLEDGE,
    Knowledge,
    NumberBoard,
    load_knowledge,
)
from converted_notebooks.s21_fast_evaluation import FastEvaluator
from converted_notebooks.s23_tournament_engine import SCALE
from tests.helpers.programs import need
from utils.recipes import knowledge
from utils.recipes.knowledge import NAMES, TEMPO, DesignMatrix, as_json, first_guess, tune
from utils.recipes.teacher import CLEAR


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    return list(random_positions(400, random.Random(3)))


@pytest.fixture(scope="module")
def design(boards: list[chess.Board]) -> DesignMatrix:
    judge = FastEvaluator()
    scores = [judge.score(NumberBoard(board)) for board in boards]
    rows = zip(scores, boards, strict=True)
    return DesignMatrix([(score, board.epd()) for score, board in rows])


def stored(known: Knowledge, color: chess.Color = chess.WHITE) -> np.ndarray:
    """The numbers for each of the names, from White's view."""
    numbers = []
    for name in NAMES:
        piece, _, square = name.partition(" ")
        place = int(square or 0) if color else int(square or 0) ^ 56
        packed = known.values[color][chess.PIECE_NAMES.index(piece)][place] if square else 0
        numbers.append(unpack(packed)[:2] if square else known.weights[name])
    return np.array(numbers)


def scores(design: DesignMatrix, numbers: np.ndarray) -> np.ndarray:
    """What the numbers say of the positions, in centipawns for the side to move."""
    found = np.append(numbers.T, TEMPO)
    return np.concatenate([both @ found for both, _ in design.blocks()])


def test_the_design_counts_what_the_evaluator_counts(
    design: DesignMatrix, boards: list[chess.Board]
) -> None:
    """Numbers of the file times counts of the design: the engine's own score."""
    judge = FastEvaluator()
    assert KNOWLEDGE.weights["tempo"] == TEMPO
    for board, score in zip(boards, scores(design, stored(KNOWLEDGE)), strict=True):
        assert score == pytest.approx(judge.score(NumberBoard(board)), abs=1.01), board.fen()


def test_tuning_comes_closer(design: DesignMatrix) -> None:
    guess = first_guess()
    before, after = (
        np.mean((expected(scores(design, numbers), 1 / SCALE) - design.wanted) ** 2)
        for numbers in (guess, tune(design, guess))
    )
    assert after < before / 4


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.json"
    numbers = np.random.default_rng(1).integers(-90, 90, (len(NAMES), 2))
    path.write_text(as_json(numbers, "a test"), encoding="utf-8")
    read = load_knowledge(path)
    assert (stored(read) == numbers).all() and read.weights["tempo"] == TEMPO
    pieces = [i for i, name in enumerate(NAMES) if " " in name]
    assert (stored(read, chess.BLACK)[pieces] == -numbers[pieces]).all()


def test_the_teacher_scores_each_position_but_the_clear_ones() -> None:
    program = need("stockfish")
    more = "r3k3/pppp4/8/8/8/8/PPPPP3/R3K3"
    clear = "4k3/8/8/8/8/8/8/QQQQK3 b - -"
    mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - -"
    epds = [clear, f"{more} w - -", mate, f"{more} b - -"]
    rows = knowledge.ask_teacher(program, epds)
    (white, first), (black, second) = rows
    assert [first, second] == epds[1::2]
    assert CLEAR >= white > 0 > black >= -CLEAR
    assert rows == knowledge.ask_teacher(program, epds)


def test_scores_are_taken_in_the_order_of_the_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = (
        ("cp 9", "mate 2"),
        ("cp 7",),
        (f"cp {CLEAR}",),
        (f"cp {-CLEAR - 1}",),
        ("mate 1", "cp -1"),
    )
    lines = [
        line
        for parts in scores
        for line in (*(f"info depth 4 score {part} pv a2a3" for part in parts), "bestmove a2a3")
    ]
    monkeypatch.setattr(knowledge, "teacher_lines", lambda *_: (line.encode() for line in lines))
    rows = [(7, "b"), (CLEAR, "c"), (-1, "e")]
    assert knowledge.ask_teacher("it", list("abcde")) == rows
    with pytest.raises(RuntimeError, match="it ended before the last position"):
        knowledge.ask_teacher("it", list("abcdef"))
