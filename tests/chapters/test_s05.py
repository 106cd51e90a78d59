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
from tests.properties import assert_analysis


@given(positions())
@examples(60)
def test_every_move_has_score_0(board: chess.Board) -> None:
    scored = assert_analysis(RandomEngine(random.Random(1)), board)
    assert {entry.score for entry in scored} == {0}


@given(st.integers(1, 5000), st.floats(0, 1), st.sampled_from([1.0, 1.64, 1.96, 2.58]))
@examples(100)
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


@given(st.lists(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"])))
@examples(100)
def test_a_tally_counts_each_game_once_and_from_the_right_side(results: list[str]) -> None:
    records = [GameRecord("a", "b", chess.Board(), result, "") for result in results]
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


def test_games_have_seeds_of_their_own_and_can_be_repeated_one_by_one() -> None:
    player = RandomEngine(random.Random())
    games = play_games(player, player, 3, seed=40, max_plies=30)
    assert len({str(game.board.move_stack) for game in games}) == 3
    for number, game in enumerate(games):
        again = play_games(player, player, 1, seed=40 + number, max_plies=30)[0]
        assert again.board.move_stack == game.board.move_stack


def test_the_two_sides_have_sources_of_randomness_of_their_own() -> None:
    """With one source for both, the reply would often have the number of the first move."""
    player = RandomEngine(random.Random())
    first = list(chess.Board().legal_moves)
    same = 0
    for game in play_games(player, player, 60, max_plies=2):
        reply = game.board.pop()
        replies = list(game.board.legal_moves)
        same += first.index(game.board.pop()) == replies.index(reply)
    assert same < 15


def test_a_match_is_fair_to_colours() -> None:
    one, two = RandomEngine(random.Random()), FirstMoveEngine()
    forth, back = play_match(one, two, 4, seed=3), play_match(two, one, 4, seed=3)
    assert (forth.wins, forth.draws, forth.losses) == (back.losses, back.draws, back.wins)
    assert forth.games == 8 and forth.wins + forth.losses > 0
