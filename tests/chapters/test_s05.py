"""Random play and the counting of results."""

from __future__ import annotations

import functools
import math
import random
import re
from collections import Counter
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import FirstMoveEngine, GameRecord
from converted_notebooks.s05_random_engine import (
    RandomEngine,
    Tally,
    play_games,
    play_match,
    score_interval,
    wilson_interval,
)
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import assert_analysis


def test_an_analysis_has_a_random_order_that_can_be_repeated() -> None:
    board = chess.Board()

    def order(seed: int) -> list[chess.Move]:
        return [entry.move for entry in RandomEngine(random.Random(seed)).analyse(board)]

    assert order(7) == order(7) != order(8)
    assert list(board.legal_moves) not in (order(7), order(8))


@given(positions())
@examples(60)
def test_every_move_has_score_0(board: chess.Board) -> None:
    scored = assert_analysis(RandomEngine(random.Random(1)), board)
    assert {entry.score for entry in scored} == {0}


def test_every_move_is_played_equally_often() -> None:
    """Pearson's chi-squared with 19 degrees of freedom; 43.8 leaves out one in a thousand."""
    board, engine = chess.Board(), RandomEngine(random.Random(1))
    counts = Counter(engine.play(board).move for _ in range(4000))
    assert len(counts) == 20 and sum((n - 200) ** 2 / 200 for n in counts.values()) < 43.8


# Intervals

COUNTS = st.tuples(*[st.integers(0, 300)] * 3).filter(any)


def outcomes(games: int) -> tuple[Any, Any, Any]:
    """All numbers of wins, draws and losses of so many games."""
    pairs = np.indices((games + 1, games + 1)).reshape(2, -1)
    wins, draws = pairs[:, pairs.sum(axis=0) <= games]
    return wins, draws, games - wins - draws


@functools.cache
def bounds(games: int) -> tuple[Any, Any]:
    """The bounds of all results of so many games."""
    found = np.array(
        [score_interval(*map(int, counts)) for counts in zip(*outcomes(games), strict=True)]
    )
    return found[:, 0], found[:, 1]


def coverage(games: int, win: float, draw: float) -> float:
    """The chance, exactly, that the bounds hold the true score."""
    factorials = np.array([math.lgamma(n + 1) for n in range(games + 1)])
    logarithms = np.full(len(outcomes(games)[0]), factorials[games])
    for counts, chance in zip(outcomes(games), (win, draw, 1 - win - draw), strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = counts * np.log(max(chance, 0))
        logarithms += np.where(counts == 0, 0, parts) - factorials[counts]
    low, high = bounds(games)
    score = win + draw / 2
    return float(np.exp(logarithms)[(low <= score + 1e-12) & (score - 1e-12 <= high)].sum())


@given(COUNTS, st.sampled_from([1.0, 1.64, 1.96, 2.58]))
@examples(200)
def test_bounds_are_z_deviations_from_the_result(counts: tuple[int, int, int], z: float) -> None:
    wins, draws, losses = counts
    games = sum(counts)
    score, drawn = (wins + draws / 2) / games, draws / (games + z * z)
    low, high = score_interval(wins, draws, losses, z)
    assert 0 <= low <= score + 1e-12 and score - 1e-12 <= high <= 1
    for bound in (low, high):
        if 0 < bound < 1:
            draws_at = min(drawn, 2 * bound, 2 - 2 * bound)  # more have no room
            variance = bound - bound**2 - draws_at / 4
            assert (score - bound) ** 2 == pytest.approx(z * z / games * variance, abs=1e-9)
    assert score_interval(losses, draws, wins, z) == pytest.approx((1 - high, 1 - low))


@given(st.integers(0, 500), st.integers(0, 500), st.sampled_from([1.0, 1.96, 2.58]))
@examples(200)
def test_without_draws_it_is_the_interval_of_wilson(wins: int, losses: int, z: float) -> None:
    if not (trials := wins + losses):
        return
    share = wins / trials
    centre = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    wilson = ((centre - reach) / (1 + z * z / trials), (centre + reach) / (1 + z * z / trials))
    assert score_interval(wins, 0, losses, z) == pytest.approx(wilson, abs=1e-12)
    assert wilson_interval(wins, trials) == score_interval(wins, 0, losses)


def test_bounds_agree_with_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score without correction).
    for successes, trials, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = score_interval(successes, 0, trials - successes, 1.959964)
        assert found == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("games", [1, 2, 3, 7, 20, 41])
def test_a_better_result_has_higher_bounds_and_draws_make_them_narrower(games: int) -> None:
    for wins, draws, losses in zip(*map(list, outcomes(games)), strict=True):
        low, high = score_interval(wins, draws, losses)
        better = []
        if losses:
            better.append(score_interval(wins, draws + 1, losses - 1))
        if draws:
            better.append(score_interval(wins + 1, draws - 1, losses))
        assert all(low < b[0] + 1e-12 and high < b[1] + 1e-12 for b in better)
        if wins and losses:
            drawn = score_interval(wins - 1, draws + 2, losses - 1)
            assert drawn[1] - drawn[0] < high - low


@pytest.mark.parametrize("games", [10, 40, pytest.param(200, marks=pytest.mark.slow)])
def test_95_of_100_intervals_hold_the_truth(games: int) -> None:
    """Computed exactly, over all results. Where one result rules, hits are coarse."""
    inside = [n / 20 for n in range(1, 20)]
    edges = [0, 0.001, 0.002, 0.004, 0.008, 0.0125, 0.0175, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5]
    held = [coverage(games, w, d) for w in inside for d in inside if w + d < 0.99]
    assert len(held) > 150 and min(held) > (0.93 if games == 10 else 0.945)
    assert 0.95 < np.mean(held) < {10: 0.97, 40: 0.96, 200: 0.955}[games]
    # Wilson's own interval, without draws, goes down as far.
    alone = min(coverage(games, n / 4000, 0) for n in range(0, 200))
    for side in edges:
        for draw in edges:
            for win in (side, 1 - side - draw):
                if 0 <= win <= 1 - draw:
                    assert coverage(games, win, draw) > min(alone, 0.885) - 1e-9, (win, draw)


@pytest.mark.parametrize("counts", [(0, 0, 0), (-1, 5, 5), (5, -1, 5), (6, 0, -1)])
def test_impossible_counts_are_an_error(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=re.escape(str(counts))):
        score_interval(*counts)


# Games and tallies


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
        assert white.interval == score_interval(white.wins, white.draws, white.losses)
    else:
        with pytest.raises(ValueError, match="no finished games"):
            white.score  # noqa: B018
        with pytest.raises(ValueError, match=r"\(0, 0, 0\)"):
            white.interval  # noqa: B018


def test_games_have_seeds_of_their_own_and_can_be_repeated_one_by_one() -> None:
    player = RandomEngine(random.Random())
    games = play_games(player, player, 3, seed=40, max_plies=30)
    assert len({str(game.board.move_stack) for game in games}) == 3
    for number, game in enumerate(games):
        again = play_games(player, player, 1, seed=40 + number, max_plies=30)[0]
        assert again.board.move_stack == game.board.move_stack


def test_the_two_sides_have_sources_of_randomness_of_their_own() -> None:
    """With equal sources for both, the reply would have the number of the first move."""
    white, black = RandomEngine(random.Random()), RandomEngine(random.Random())
    first = list(chess.Board().legal_moves)
    same = 0
    for game in play_games(white, black, 60, max_plies=2):
        reply = game.board.pop()
        replies = list(game.board.legal_moves)
        same += first.index(game.board.pop()) == replies.index(reply)
    assert same < 15


def test_a_match_is_fair_to_colours() -> None:
    one, two = RandomEngine(random.Random()), FirstMoveEngine()
    forth, back = play_match(one, two, 4, seed=3), play_match(two, one, 4, seed=3)
    assert (forth.wins, forth.draws, forth.losses) == (back.losses, back.draws, back.wins)
    assert forth.games == 8 and forth.wins + forth.losses > 0


def test_options_go_to_the_games() -> None:
    player, start = RandomEngine(random.Random()), chess.Board("7k/8/8/8/8/8/8/K6R w - - 0 1")
    (game,) = play_games(player, player, 1, seed=3, start=start, max_plies=4)
    assert game.board.root() == start and game.plies <= 4
    assert play_match(player, player, 1, max_plies=2).games == 0
    with pytest.raises(TypeError, match="plies"):
        play_match(player, player, 1, plies=2)


def test_games_by_seed_are_those_that_the_text_names() -> None:
    player, first = RandomEngine(random.Random()), FirstMoveEngine()
    (game,) = play_games(player, player, 1, seed=171)
    assert (game.result, game.plies, game.board.peek().uci()) == ("1-0", 19, "f5g6")
    (lost,) = play_games(first, player, 1, seed=48)
    assert (lost.result, lost.termination) == ("1-0", "checkmate"), "it does mate"


def test_a_game_without_a_seed_goes_on_with_the_engines_own_source() -> None:
    rng = random.Random(1)
    engine = RandomEngine(rng)
    engine.new_game()
    assert engine.rng is rng
    engine.new_game(other := random.Random(2))
    assert engine.rng is other
