"""Piece-square tables: the published numbers, read the right way round, fair to both sides."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s08_evaluation import Evaluator
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from converted_notebooks.s12_piece_square_tables import (
    CENTIPAWNS,
    CHECKMATE_CENTIPAWNS,
    SQUARE_VALUES,
    TABLES,
    PieceSquareEvaluator,
    read_table,
    square_values,
)
from tests.generated import examples
from tests.positions import positions
from utils.exercises import check

# Single squares of the published tables.
SPOTS = [
    ("P", "a7", 50),
    ("P", "e2", -20),
    ("P", "c3", -10),
    ("P", "d4", 20),
    ("P", "e5", 25),
    ("P", "h1", 0),
    ("N", "a1", -50),
    ("N", "b2", -20),
    ("N", "e2", 5),
    ("N", "f3", 10),
    ("N", "d7", 0),
    ("N", "b5", 5),
    ("B", "h8", -20),
    ("B", "b2", 5),
    ("B", "a3", -10),
    ("B", "c3", 10),
    ("B", "b5", 5),
    ("R", "d1", 5),
    ("R", "a2", -5),
    ("R", "a7", 5),
    ("R", "b7", 10),
    ("R", "h8", 0),
    ("Q", "a4", 0),
    ("Q", "h4", -5),
    ("Q", "b3", 5),
    ("Q", "g3", 0),
    ("Q", "c2", 5),
    ("Q", "f2", 0),
    ("K", "g1", 30),
    ("K", "c1", 10),
    ("K", "e1", 0),
    ("K", "d8", -50),
    ("K", "a4", -20),
    ("K", "h3", -10),
]


@pytest.mark.parametrize(("symbol", "name", "entry"), SPOTS)
def test_single_squares_are_those_of_the_source(symbol: str, name: str, entry: int) -> None:
    kind = chess.Piece.from_symbol(symbol).piece_type
    square = chess.parse_square(name)
    assert TABLES[kind][square] == entry
    assert SQUARE_VALUES[chess.WHITE][kind][square] == CENTIPAWNS[kind] + entry
    opposite = chess.square(chess.square_file(square), 7 - chess.square_rank(square))
    assert SQUARE_VALUES[chess.BLACK][kind][opposite] == -CENTIPAWNS[kind] - entry


def test_values_are_those_of_the_source() -> None:
    assert [CENTIPAWNS[kind] for kind in chess.PIECE_TYPES] == [100, 320, 330, 500, 900, 20000]
    evaluator = PieceSquareEvaluator()
    assert (evaluator.value_checkmate, evaluator.value_draw) == (CHECKMATE_CENTIPAWNS, 0)
    assert CHECKMATE_CENTIPAWNS == 30000


def by_definition(board: chess.Board) -> int:
    """The score from White's view, square by square, from the tables as they are printed."""
    score = 0
    for square in chess.SQUARES:
        piece = board.piece_at(square)
        if piece is None:
            continue
        file, rank = chess.square_file(square), chess.square_rank(square)
        steps = rank if piece.color == chess.WHITE else 7 - rank
        worth = CENTIPAWNS[piece.piece_type] + TABLES[piece.piece_type][8 * steps + file]
        score += worth if piece.color == chess.WHITE else -worth
    return score


@given(board=positions())
@examples(150)
def test_score_is_the_sum_over_the_squares(board: chess.Board) -> None:
    before = board.copy()
    evaluator = PieceSquareEvaluator()
    score = evaluator.heuristic(board)
    assert score == by_definition(board) * (1 if board.turn else -1)
    assert board == before and board.move_stack == before.move_stack
    assert evaluator.heuristic(board.mirror()) == score
    assert abs(score) < CHECKMATE_CENTIPAWNS


@given(board=positions())
@examples(60)
def test_passing_the_turn_changes_the_sign_and_nothing_else(board: chess.Board) -> None:
    other = board.copy(stack=False)
    other.turn = not board.turn
    evaluator = PieceSquareEvaluator()
    assert evaluator.heuristic(other) == -evaluator.heuristic(board)


@given(board=positions())
@examples(60)
def test_without_tables_it_counts_centipawns(board: chess.Board) -> None:
    flat = {kind: [0] * 64 for kind in chess.PIECE_TYPES}
    in_pawns = {1: 100, 2: 300, 3: 300, 4: 500, 5: 900, 6: 0}
    evaluator = PieceSquareEvaluator(square_values(in_pawns, flat))
    assert evaluator.heuristic(board) == 100 * Evaluator().heuristic(board)


@given(board=positions())
@examples(60)
def test_the_value_of_the_king_does_not_matter(board: chess.Board) -> None:
    other = PieceSquareEvaluator(square_values(CENTIPAWNS | {chess.KING: 0}, TABLES))
    assert other.heuristic(board) == PieceSquareEvaluator().heuristic(board)


@given(entries=st.lists(st.integers(-999, 999), min_size=64, max_size=64))
@examples(40)
def test_reading_a_table_gives_back_what_was_printed(entries: list[int]) -> None:
    rows = [entries[8 * rank : 8 * rank + 8] for rank in reversed(range(8))]
    text = "\n".join(" ".join(f"{entry:4}" for entry in row) for row in rows)
    assert read_table(text) == entries
    assert read_table(f"\n{text}\n\n") == entries


@pytest.mark.parametrize(
    "text",
    ["", "0", "\n".join(["0 " * 8] * 7), "\n".join(["0 " * 8] * 9), "\n".join(["0 " * 7] * 8)],
)
def test_a_table_of_another_shape_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="expected eight rows of eight numbers"):
        read_table(text)


def test_a_table_of_other_things_than_numbers_is_an_error() -> None:
    with pytest.raises(ValueError):
        read_table("\n".join(["0 0 0 0 0 0 0 x"] * 8))


def test_no_piece_is_worth_nothing_anywhere() -> None:
    for colour in chess.COLORS:
        assert len(SQUARE_VALUES[colour]) == 7
        assert SQUARE_VALUES[colour][0] == [0] * 64


def test_changing_ones_own_values_leaves_the_standard_alone() -> None:
    own = square_values(CENTIPAWNS, TABLES)
    assert own == SQUARE_VALUES
    own[chess.WHITE][chess.PAWN][chess.E4] += 1
    board = chess.Board()
    board.push_san("e4")
    changed, standard = PieceSquareEvaluator(own), PieceSquareEvaluator()
    assert changed.heuristic(board) == standard.heuristic(board) - 1


def test_mate_is_worth_more_than_any_score_and_draws_are_zero() -> None:
    evaluator = PieceSquareEvaluator()
    for board in (chess.Board("3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1"),):
        assert evaluator.evaluate(board) == evaluator.evaluate(board.mirror()) == -30000
    assert evaluator.evaluate(chess.Board("8/8/4k3/8/8/4K3/8/8 w - - 0 1")) == 0
    assert evaluator.evaluate(chess.Board()) is None
    hoard = chess.Board("QQQQQQQQ/8/8/8/8/8/4Q3/k1K5 b - - 0 1")
    assert abs(evaluator.heuristic(hoard)) < evaluator.value_checkmate


def test_the_engine_develops() -> None:
    """After ten moves both sides have castled; the engine that counts has not."""
    kings = {}
    for evaluator in (Evaluator(), PieceSquareEvaluator()):
        engine, board = AlphaBetaEngine(evaluator, 2), chess.Board()
        for _ in range(20):
            move = engine.play(board).move
            assert move is not None
            board.push(move)
        kings[type(evaluator)] = [board.king(colour) for colour in chess.COLORS]
    assert kings[Evaluator] == [chess.E1, chess.E8]
    assert kings[PieceSquareEvaluator] == [chess.G1, chess.G8]


def _misread(mistake: str) -> Callable[..., tuple[int, float, float]]:
    """A reading of a profile with one mistake."""

    def read(rows: list[Any], recursive: int | None = None) -> tuple[int, float, float]:
        kept = [row for row in rows if row.line != recursive or mistake == "twice"]
        total = sum(row.time for row in (rows if mistake == "whole" else kept))
        if not total and mistake != "nothing":
            raise ValueError("no time")
        worst = max(kept, key=lambda row: row.hits if mistake == "hits" else row.time)
        share = worst.time / total if total else 0
        if mistake == "gain":
            return worst.line, share, 1 / share
        return worst.line, share, 1 / (1 - share) if share < 1 else math.inf

    return read


@pytest.mark.parametrize(
    ("mistake", "hint"),
    [
        ("twice", "calls itself"),
        ("hits", "runs most often"),
        ("whole", "so its share is 0.6, not 0.12"),
        ("gain", "1 / (1 - share)"),
        ("nothing", "ValueError"),
    ],
)
def test_a_misread_profile_gets_its_hint(mistake: str, hint: str) -> None:
    result = check("s12-5", _misread(mistake))
    assert not result
    assert hint in repr(result)
