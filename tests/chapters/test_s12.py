"""Piece-square tables: the published numbers, read the right way round."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine, GameRecord
from converted_notebooks.s05_random_engine import Tally
from converted_notebooks.s07_material_engine import RelativeMaterialEngine
from converted_notebooks.s08_evaluation import Evaluator, OnePlyEngine
from converted_notebooks.s09_minimax_engine import NegamaxEngine
from converted_notebooks.s11_iterative_deepening import IterativeAlphaBetaCached
from converted_notebooks.s12_piece_square_tables import (
    CENTIPAWNS,
    CHECKMATE_CENTIPAWNS,
    SQUARE_VALUES,
    TABLES,
    PieceSquareEvaluator,
    both_colours,
    judged,
    read_table,
    square_values,
)
from tests.helpers.generated import examples
from tests.helpers.positions import positions

# Single squares of the published tables.
SPOTS = {
    "P": "a7 50 e2 -20 c3 -10 d4 20 e5 25 h1 0",
    "N": "a1 -50 b2 -20 e2 5 f3 10 d7 0 b5 5",
    "B": "h8 -20 b2 5 a3 -10 c3 10 b5 5",
    "R": "d1 5 a2 -5 a7 5 b7 10 h8 0",
    "Q": "a4 0 h4 -5 b3 5 g3 0 c2 5 f2 0",
    "K": "g1 30 c1 10 e1 0 d8 -50 a4 -20 h3 -10",
}


@pytest.mark.parametrize("symbol", SPOTS)
def test_single_squares_are_those_of_the_source(symbol: str) -> None:
    kind = chess.Piece.from_symbol(symbol).piece_type
    words = SPOTS[symbol].split()
    for square, entry in zip(
        map(chess.parse_square, words[::2]), map(int, words[1::2]), strict=True
    ):
        assert TABLES[kind][square] == entry
        assert SQUARE_VALUES[chess.WHITE][kind][square] == CENTIPAWNS[kind] + entry
        opposite = chess.square(chess.square_file(square), 7 - chess.square_rank(square))
        assert SQUARE_VALUES[chess.BLACK][kind][opposite] == -CENTIPAWNS[kind] - entry


def test_values_are_those_of_the_source() -> None:
    assert [CENTIPAWNS[kind] for kind in chess.PIECE_TYPES] == [100, 320, 330, 500, 900, 20000]
    evaluator = PieceSquareEvaluator()
    assert (evaluator.value_checkmate, evaluator.value_draw) == (CHECKMATE_CENTIPAWNS, 0)
    hoard = chess.Board("QQQQQQQQ/8/8/8/8/8/4Q3/k1K5 b - - 0 1")
    assert abs(evaluator.heuristic(hoard)) < CHECKMATE_CENTIPAWNS == 30000
    for colour in chess.COLORS:
        assert len(SQUARE_VALUES[colour]) == 7
        assert SQUARE_VALUES[colour][0] == [0] * 64, "no piece is worth nothing"


def by_definition(board: chess.Board) -> int:
    """The score from White's view, square by square, from the tables as they are printed."""
    score = 0
    for square, piece in board.piece_map().items():
        file, rank = chess.square_file(square), chess.square_rank(square)
        steps = rank if piece.color == chess.WHITE else 7 - rank
        worth = CENTIPAWNS[piece.piece_type] + TABLES[piece.piece_type][8 * steps + file]
        score += worth if piece.color == chess.WHITE else -worth
    return score


@given(board=positions())
@examples()
def test_score_is_the_sum_over_the_squares(board: chess.Board) -> None:
    evaluator = PieceSquareEvaluator()
    score = evaluator.heuristic(board)
    assert score == by_definition(board) * (1 if board.turn else -1)
    without_king = PieceSquareEvaluator(square_values(CENTIPAWNS | {chess.KING: 0}, TABLES))
    assert without_king.heuristic(board) == score
    flat = {kind: [0] * 64 for kind in chess.PIECE_TYPES}
    in_pawns = {1: 100, 2: 300, 3: 300, 4: 500, 5: 900, 6: 0}
    counting = PieceSquareEvaluator(square_values(in_pawns, flat))
    assert counting.heuristic(board) == 100 * Evaluator().heuristic(board)
    board.turn = not board.turn
    assert evaluator.heuristic(board) == -score


@given(entries=st.lists(st.integers(-999, 999), min_size=64, max_size=64))
@examples(40)
def test_reading_a_table_gives_back_what_was_printed(entries: list[int]) -> None:
    rows = [entries[8 * rank : 8 * rank + 8] for rank in reversed(range(8))]
    text = "\n".join(" ".join(f"{entry:4}" for entry in row) for row in rows)
    assert read_table(f"\n{text}\n\n") == entries


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "expected eight rows of eight numbers") for text in ("", "0")),
        *(("\n".join(["0 " * 8] * rows), "expected eight rows") for rows in (7, 9)),
        ("\n".join(["0 " * 7] * 8), "expected eight rows"),
        ("\n".join(["0 0 0 0 0 0 0 x"] * 8), "'x'"),
    ],
)
def test_what_is_no_table_is_an_error(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_table(text)


def test_changing_ones_own_values_leaves_the_standard_alone() -> None:
    own = square_values(CENTIPAWNS, TABLES)
    assert own == SQUARE_VALUES
    own[chess.WHITE][chess.PAWN][chess.E4] += 1
    board = chess.Board()
    board.push_san("e4")
    changed, standard = PieceSquareEvaluator(own), PieceSquareEvaluator()
    assert changed.heuristic(board) == standard.heuristic(board) - 1


@pytest.mark.parametrize(
    ("fen", "lead", "result"),
    [
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 5, "1-0"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 6, "1/2-1/2"),
        ("r3k3/8/8/8/8/8/8/4K3 w - - 0 1", 5, "0-1"),
        ("r3k3/8/8/8/8/8/8/4K3 w - - 0 1", 6, "1/2-1/2"),
        ("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", 1, "1/2-1/2"),
    ],
)
def test_a_game_broken_off_is_judged_by_the_lead(fen: str, lead: int, result: str) -> None:
    broken_off = GameRecord("a", "b", chess.Board(fen), "*", "ply limit")
    assert judged(broken_off, lead) == GameRecord("a", "b", broken_off.board, result, "ply limit")
    for said in ("1-0", "0-1", "1/2-1/2"):
        over = GameRecord("a", "b", chess.Board(fen), said, "")
        assert judged(over, lead) == over, "it has a result"


def test_two_games_are_counted_from_the_view_of_the_first_engine() -> None:
    start = chess.Board("k7/8/8/3q4/8/8/8/K2Q4 w - - 0 1")  # FirstMoveEngine gives its queen away
    takes, gives = RelativeMaterialEngine(random.Random(1), top=1), FirstMoveEngine()
    assert both_colours(takes, gives, start, plies=2, lead=9) == Tally(2, 0, 0)
    assert both_colours(gives, takes, start, plies=2, lead=9) == Tally(0, 0, 2)
    assert both_colours(takes, gives, start, plies=2, lead=10) == Tally(0, 2, 0)
    assert both_colours(takes, gives, start, plies=1, lead=9) == Tally(1, 1, 0)
    assert not start.move_stack


@pytest.mark.parametrize(
    "build",
    [
        lambda evaluator: OnePlyEngine(evaluator, random.Random(1)),
        NegamaxEngine,
        IterativeAlphaBetaCached,
    ],
)
def test_an_engine_says_what_a_pawn_and_a_mate_are_worth_to_its_evaluator(
    build: Callable[[Evaluator], Engine],
) -> None:
    for evaluator, worth in ((PieceSquareEvaluator(), (100, 30_000)), (Evaluator(), (1, 100))):
        engine = build(evaluator)
        assert (engine.pawn_value, engine.mate_score) == worth


ROW_SUMS = {  # from the eighth rank, as it is printed, to the first
    "P": (0, 400, 140, 90, 40, -20, 10, 0),
    "N": (-300, -120, -10, 20, 10, 0, -110, -300),
    "B": (-100, -20, 10, 20, 20, 40, -10, -100),
    "R": (0, 70, -10, -10, -10, -10, -10, 10),
    "Q": (-90, -20, 0, 10, 15, 5, -15, -90),
    "K": (-320, -320, -320, -320, -240, -140, 80, 120),
}


@pytest.mark.parametrize("symbol", ROW_SUMS)
def test_each_rank_has_the_sum_of_the_source_and_all_but_the_queens_are_symmetric(
    symbol: str,
) -> None:
    table = TABLES[chess.Piece.from_symbol(symbol).piece_type]
    ranks = [sum(table[first : first + 8]) for first in range(56, -1, -8)]
    assert tuple(ranks) == ROW_SUMS[symbol]
    assert symbol == "Q" or all(table[square] == table[square ^ 7] for square in chess.SQUARES)
