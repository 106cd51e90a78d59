"""The score of the compiled search, the sums that follow its moves, and its exchanges."""

from __future__ import annotations

import collections
import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import chess
import chess.engine
import numpy as np
import pytest

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s16_quiescence_search import static_exchange
from converted_notebooks.s21_fast_evaluation import INFINITE
from converted_notebooks.s26_bitboards import (
    ALL,
    Position,
    generate,
    make_move,
    new_stack,
    to_board,
    to_move,
    to_number,
)
from tests.helpers.compiled_search import (
    NETWORK,
    NOTHING_LEFT_OUT,
    advance,
    judge,
    thread_of,
    whole_search,
)
from tests.helpers.networks import hidden_sums, network_score, played
from tests.helpers.positions import ALIKE, BATTERIES, CASTLING, PERFT_COUNTS, RICH
from utils.compiler import plain
from utils.exercises.positions import MIDDLEGAME


def compare_scores(boards: Iterator[chess.Board]) -> None:
    """Each score is that of the plain form, and the sums are, too."""
    for board in boards:
        for side in (board, board.mirror()):  # the same from both sides
            position = new_stack(side, 0)[0]
            sums = s27.sums_of(position, NETWORK)
            score = s27.evaluate(position, sums, NETWORK)
            assert score == network_score(board), board.fen()
            for view in chess.COLORS:
                expected = hidden_sums(NETWORK.rows, side, view)
                assert (sums.hidden[int(view)] == expected).all(), board.fen()


def test_scores_are_those_of_the_plain_form() -> None:
    compare_scores(random_positions(400, random.Random(1)))
    compare_scores(played(100, random.Random(2)))


@pytest.mark.slow
def test_scores_are_those_of_the_plain_form_in_thousands_of_positions() -> None:
    compare_scores(random_positions(4000, random.Random(3)))
    compare_scores(played(1000, random.Random(4)))


def test_no_sum_of_the_network_can_overflow() -> None:
    # A view has one king of its own and 31 other pieces, each with the row that adds most.
    rows = NETWORK.rows.astype(np.int64)
    assert np.abs(rows).max(axis=(0, 1, 2)).max() * 32 < 2**15
    output = np.abs(NETWORK.output.astype(np.int64))
    assert output.max() * s23.ONE_HIDDEN < 2**15
    assert output.sum(axis=-1).max() * s23.ONE_HIDDEN**2 < 2**31


@pytest.mark.parametrize("form", [s27.weigh, plain(s27.weigh)])
def test_sums_are_cut_off_and_squared(form: Any) -> None:
    rng = np.random.default_rng(1)
    for sign in (-1, 1):
        sums = rng.integers(-600, 600, s23.HIDDEN).astype(np.int16)
        sums[:4] = -(2**15), 2**15 - 1, s23.ONE_HIDDEN, s23.ONE_HIDDEN + 1
        output = sign * rng.integers(-127, 128, s23.HIDDEN).astype(np.int16)
        output[:2] = 127 * sign
        cut = np.clip(sums.astype(np.int64), 0, s23.ONE_HIDDEN)
        assert form(sums, output) == int(np.sum(cut**2 * output))


def test_the_sums_follow_every_move_of_a_line() -> None:
    """Captures, promotions, en passant, castling, kings that cross the middle: all legal moves."""
    rng, seen = random.Random(8), collections.Counter[str]()
    starts = [*random_positions(40, rng), *map(chess.Board, RICH), *ALIKE]
    starts += [chess.Board(fen, chess960=True) for fen in CASTLING]
    for board in starts:
        thread = thread_of(board)
        stack, state = thread.stack, thread.state
        for ply in range(6):
            position, moves = stack[ply], state.moves[ply]
            count = generate(position, ALL, ALL, moves)
            for move in moves[:count].tolist():
                state.sums[ply + 1].hidden[:] = 9  # what was there before plays no part
                advance(thread, ply, move)
                expected = s27.sums_of(stack[ply + 1], NETWORK)
                assert (state.sums[ply + 1].hidden == expected.hidden).all(), (board.fen(), move)
                here = to_board(position, chess960=board.chess960)
                made = to_move(move, chess960=board.chess960)
                seen["castling"] += here.is_castling(made)
                seen["en passant"] += here.is_en_passant(made)
                crosses = (made.from_square ^ made.to_square) & 4
                seen["mirror"] += move >> 15 == chess.KING and bool(crosses)
                seen["promotion"] += made.promotion is not None
            if not count:
                break
            advance(thread, ply, int(moves[rng.randrange(count)]))
    assert min(seen.values()) > 10, seen


def test_every_score_of_a_search_is_that_of_its_position() -> None:
    """In checks, after null moves and in captures, too: the whole line has the right sums."""
    asked = 0

    def evaluate(position: Position, sums: Any, network: Any) -> int:
        nonlocal asked
        score = s27.evaluate(position, sums, network)
        assert score == judge(position), to_board(position).fen()
        asked += 1
        return int(score)

    names = whole_search()
    names |= {name: vars(s27)[name] for name in NOTHING_LEFT_OUT} | {"evaluate": evaluate}
    for fen in PERFT_COUNTS:
        thread = thread_of(chess.Board(fen))
        for depth in (1, 2, 3):
            names["fast_search"](thread.work, depth, -INFINITE, INFINITE, 0, 0)
            thread.state.most_nodes = 300
    assert asked > 1000
    thread = thread_of(chess.Board(MIDDLEGAME))  # in a null window, a null move is tried first
    thread.state.most_nodes = 300
    asked, static = 0, judge(thread.stack[0])
    names["fast_search"](thread.work, 3, static - 1, static, 0, 77)
    assert asked > 1


@pytest.mark.parametrize(
    ("uci", "refreshed"), [("e1f2", 0), ("e1e2", 0), ("e1d1", 1), ("e1g1", 2), ("a1b1", 0)]
)
def test_only_castling_and_a_mirrored_view_need_all_rows(
    monkeypatch: pytest.MonkeyPatch, uci: str, refreshed: int
) -> None:
    board = chess.Board(CASTLING[0])
    thread, refresh = thread_of(board), mock.Mock()
    monkeypatch.setattr(s27, "refresh", refresh)
    move = to_number(thread.stack[0], chess.Move.from_uci(uci))
    thread.stack[1] = thread.stack[0]
    make_move(thread.stack[1], move)
    plain(s27.update_sums)(thread.stack, 0, move, thread.state, NETWORK)
    assert refresh.call_count == refreshed


def test_sums_and_entries_do_not_lie_across_cache_lines() -> None:
    threads = [thread_of(chess.Board()) for _ in range(20)]  # by chance, some would not
    assert s27.SUMS.itemsize % s27.CACHE_LINE == 0  # those of the next ply
    for thread in threads:
        for array in (thread.state.sums["hidden"], thread.table):
            assert array.ctypes.data % s27.CACHE_LINE == 0


def compare_exchanges(boards: Iterator[chess.Board]) -> int:
    compared = 0
    for board in boards:
        position = new_stack(board, 0)[0]
        for move in board.generate_legal_captures():
            if move.promotion or board.is_en_passant(move):
                continue
            won, number = static_exchange(board, move), to_number(position, move)
            for least in (won - 1, won, won + 1, -900, -300, -100, 0, 1, 100, 500):
                wins = s27.fast_exchange_wins(position, number, least)
                assert bool(wins) == (won >= least), (board.fen(), move, won, least)
            compared += 1
    return compared


def test_exchanges_are_those_of_the_slow_way() -> None:
    assert compare_exchanges(map(chess.Board, BATTERIES)) >= len(BATTERIES)
    assert compare_exchanges(random_positions(300, random.Random(5))) > 400
    assert compare_exchanges(played(50, random.Random(6))) > 50


@pytest.mark.slow
def test_exchanges_are_those_of_the_slow_way_in_thousands_of_positions() -> None:
    assert compare_exchanges(random_positions(4000, random.Random(7))) > 6000
