"""Counting pieces: the count, the change, and two engines that are one."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import play_game
from converted_notebooks.s07_material_engine import (
    CHECKMATE_VALUE,
    DRAW_VALUE,
    PIECE_VALUES,
    PLAYER_MULTIPLIER,
    AbsoluteMaterialEngine,
    RelativeMaterialEngine,
    gain,
    material,
    terminal_score,
)
from tests.generated import examples
from tests.positions import positions
from utils.exercises import check

FAST = examples(200)
BOTH = pytest.mark.parametrize("kind", [AbsoluteMaterialEngine, RelativeMaterialEngine])


@given(positions())
@FAST
def test_material_agrees_with_a_count_of_the_fen_and_changes_sign_in_the_mirror(
    board: chess.Board,
) -> None:
    letters = board.board_fen()
    expected = sum(
        PIECE_VALUES[kind] * (letters.count(symbol.upper()) - letters.count(symbol))
        for kind, symbol in zip(chess.PIECE_TYPES, "pnbrqk", strict=True)
    )
    assert material(board) == expected
    assert material(board.mirror()) == -expected


@given(positions())
@examples(400)
def test_the_gain_of_every_move_is_the_difference_of_two_counts(board: chess.Board) -> None:
    before, sign = material(board), PLAYER_MULTIPLIER[board.turn]
    for move in list(board.legal_moves):
        won = gain(board, move)
        board.push(move)
        assert before + sign * won == material(board), move
        board.pop()


@given(positions())
@FAST
def test_terminal_scores_agree_with_the_library_after_every_move(board: chess.Board) -> None:
    for move in list(board.legal_moves):
        board.push(move)
        outcome = board.outcome()
        if outcome is None:
            assert terminal_score(board) is None
        elif outcome.winner is None:
            assert terminal_score(board) == DRAW_VALUE
        else:
            assert terminal_score(board) == PLAYER_MULTIPLIER[outcome.winner] * CHECKMATE_VALUE
        board.pop()


@given(positions(), st.integers(0, 10**6))
@FAST
def test_both_engines_give_the_same_analysis_best_first(board: chess.Board, seed: int) -> None:
    before = board.fen(), len(board.move_stack)
    one = AbsoluteMaterialEngine(random.Random(seed)).analyse(board)
    two = RelativeMaterialEngine(random.Random(seed)).analyse(board)
    assert [(e.score, e.move) for e in one] == [(e.score, e.move) for e in two]
    assert {entry.move for entry in one} == set(board.legal_moves)
    sign = PLAYER_MULTIPLIER[board.turn]
    scores = [sign * entry.score for entry in one]
    assert scores == sorted(scores, reverse=True)
    assert (board.fen(), len(board.move_stack)) == before


@BOTH
@given(board=positions(), seed=st.integers(0, 10**6), top=st.integers(1, 4))
@FAST
def test_the_move_played_is_one_of_the_best(
    kind: type[AbsoluteMaterialEngine], board: chess.Board, seed: int, top: int
) -> None:
    best = kind(random.Random(seed), top).analyse(board)[:top]
    played = kind(random.Random(seed), top).play(board).move
    assert played in [entry.move for entry in best]


@pytest.mark.parametrize("seed", [100, 101, 102])
def test_both_engines_play_the_same_game(seed: int) -> None:
    games = [
        play_game(kind(random.Random()), kind(random.Random()), seed=seed, max_plies=120)
        for kind in (AbsoluteMaterialEngine, RelativeMaterialEngine)
    ]
    assert games[0].board.move_stack == games[1].board.move_stack


def test_equal_moves_are_drawn_evenly() -> None:
    engine = RelativeMaterialEngine(random.Random(1), top=1)
    drawn = {engine.play(chess.Board()).move for _ in range(300)}
    assert len(drawn) == 20


@BOTH
def test_fewer_than_one_best_move_is_an_error(kind: type[AbsoluteMaterialEngine]) -> None:
    with pytest.raises(ValueError, match="top is 0; expected 1 or more"):
        kind(random.Random(), top=0)


def test_a_mate_is_worth_more_than_any_capture() -> None:
    board = chess.Board("1q4k1/5ppp/8/8/8/8/1R6/K2R4 w - - 0 1")
    best = RelativeMaterialEngine(random.Random(1), top=1).analyse(board)[0]
    assert best.score == CHECKMATE_VALUE
    assert board.san(best.move).endswith("#")


def test_an_answer_that_counts_attackers_instead_of_legal_replies_gets_its_hint() -> None:
    def attacked(board: chess.Board, move: chess.Move) -> int:
        won, after = gain(board, move), board.copy()
        after.push(move)
        standing = after.piece_type_at(move.to_square)
        replies = after.generate_pseudo_legal_moves(to_mask=chess.BB_SQUARES[move.to_square])
        return won - (PIECE_VALUES[standing] if standing and any(replies) else 0)

    assert "the rook protects it" in repr(check("s07-3", attacked))
