"""Random play and the counting of results."""

from __future__ import annotations

import math
import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import FirstMoveEngine, GameRecord
from converted_notebooks.s05_random_engine import (
    RandomEngine,
    Tally,
    play_games,
    play_match,
    wilson_interval,
)
from tests.generated import examples
from tests.positions import positions

FAST = examples(200)


@given(positions(), st.integers(0, 10**6))
@FAST
def test_play_and_analyse_give_legal_moves_and_leave_the_board(
    board: chess.Board, seed: int
) -> None:
    before = board.fen(), len(board.move_stack)
    engine = RandomEngine(random.Random(seed))
    assert engine.play(board).move in board.legal_moves
    scored = engine.analyse(board)
    assert {entry.move for entry in scored} == set(board.legal_moves)
    assert len(scored) == board.legal_moves.count()
    assert {entry.score for entry in scored} == {0}
    assert (board.fen(), len(board.move_stack)) == before


@given(positions(), st.integers(0, 10**6))
@FAST
def test_equal_sources_make_equal_choices(board: chess.Board, seed: int) -> None:
    one, two = RandomEngine(random.Random(seed)), RandomEngine(random.Random(0))
    two.new_game(random.Random(seed))
    assert [one.play(board).move for _ in range(5)] == [two.play(board).move for _ in range(5)]
    assert [e.move for e in one.analyse(board)] == [e.move for e in two.analyse(board)]


def test_the_global_source_of_chance_is_left_alone() -> None:
    random.seed(5)
    expected = random.Random(5).random()
    RandomEngine(random.Random(1)).play(chess.Board())
    assert random.random() == expected


@given(st.integers(1, 5000), st.floats(0, 1), st.sampled_from([1.0, 1.64, 1.96, 2.58]))
@FAST
def test_wilson_bounds_solve_the_equation_they_come_from(
    trials: int, share: float, z: float
) -> None:
    successes = round(share * trials)
    p = successes / trials
    low, high = wilson_interval(successes, trials, z)
    assert 0 <= low <= p <= high <= 1
    for bound in (low, high):
        if 0 < bound < 1:
            deviation = z * math.sqrt(bound * (1 - bound) / trials)
            assert abs(p - bound) == pytest.approx(deviation, abs=1e-9)
    mirrored = wilson_interval(trials - successes, trials, z)
    assert mirrored == pytest.approx((1 - high, 1 - low))


def test_wilson_bounds_agree_with_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score without correction).
    for successes, trials, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson_interval(successes, trials, 1.959964) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (-1, 5), (6, 5), (0, -1)])
def test_impossible_counts_are_an_error(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes in {trials} trials"):
        wilson_interval(successes, trials)


def _record(result: str) -> GameRecord:
    return GameRecord("a", "b", chess.Board(), result, "")


@given(st.lists(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"])))
@FAST
def test_a_tally_counts_each_game_once_and_from_the_right_side(results: list[str]) -> None:
    records = [_record(result) for result in results]
    white, black = Tally.of(records), Tally.of(records, chess.BLACK)
    assert (white.wins, white.losses) == (results.count("1-0"), results.count("0-1"))
    assert (black.wins, black.losses) == (white.losses, white.wins)
    assert white.draws == black.draws == results.count("1/2-1/2")
    if white.games:
        assert white.score + black.score == pytest.approx(1)
        assert white.interval[0] <= white.score <= white.interval[1]
        assert (white + white).score == pytest.approx(white.score)
    else:
        with pytest.raises(ValueError, match="no finished games"):
            white.score  # noqa: B018


def test_games_can_be_repeated_one_by_one() -> None:
    player = RandomEngine(random.Random())
    games = play_games(player, player, 3, seed=40, max_plies=30)
    assert len({str(game.board.move_stack) for game in games}) == 3
    for number, game in enumerate(games):
        again = play_games(player, player, 1, seed=40 + number, max_plies=30)[0]
        assert again.board.move_stack == game.board.move_stack


def test_the_two_sides_draw_from_different_sources() -> None:
    player, board = RandomEngine(random.Random()), chess.Board()
    moves = list(board.legal_moves)
    same = 0
    for game in play_games(player, player, 60, max_plies=2):
        first, reply = game.board.move_stack
        board.push(first)
        same += moves.index(first) == list(board.legal_moves).index(reply)
        board.pop()
    assert same < 15


def test_a_match_is_fair_to_colours() -> None:
    one, two = RandomEngine(random.Random()), FirstMoveEngine()
    forth, back = play_match(one, two, 4, seed=3), play_match(two, one, 4, seed=3)
    assert (forth.wins, forth.draws, forth.losses) == (back.losses, back.draws, back.wins)
    assert forth.games == 8
