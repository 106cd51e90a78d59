"""The compiled search: the same scores, true bounds, rules, one signature, threads, UCI."""

from __future__ import annotations

import collections
import itertools
import random
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import chess
import chess.engine
import numpy as np
import pytest
from chess.engine import Limit
from hypothesis import given

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s04_engine_interface import Iteration, ScoredMove, play_game
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s16_quiescence_search import static_exchange
from converted_notebooks.s21_fast_evaluation import INFINITE
from converted_notebooks.s22_tournament_search import MATE, MOST_PLIES
from converted_notebooks.s23_tournament_engine import seconds_for
from converted_notebooks.s26_bitboards import (
    ALL,
    Position,
    generate,
    king_lines,
    make_move,
    new_stack,
    to_board,
    to_move,
    to_number,
)
from tests.helpers.compiled import compiled_signatures
from tests.helpers.compiled_search import (
    BISHOP_TO_C4,
    FORTRESS,
    KNOWN,
    NETWORK,
    NOTHING_LEFT_OUT,
    STOPPED,
    entry,
    judge,
    raise_root,
    recorded,
    thread_of,
    whole_search,
)
from tests.helpers.generated import examples
from tests.helpers.networks import hidden_sums, network_score, played
from tests.helpers.positions import (
    ALIKE,
    BATTERIES,
    CASTLING,
    KNOWN_SCORES,
    PERFT_COUNTS,
    RICH,
    STARTS,
    positions,
)
from tests.helpers.programs import Program
from tests.helpers.properties import assert_analysis, assert_plays, in_full
from utils.compiler import plain, run_plain
from utils.engines import Configurable, Preparable, make_engine
from utils.exercises.positions import BACK_RANK, MIDDLEGAME

# The score and the exchanges


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


def advance(thread: s27.SearchThread, ply: int, move: int) -> None:
    """Makes a move of the line, as the search does."""
    thread.stack[ply + 1] = thread.stack[ply]
    make_move(thread.stack[ply + 1], move)
    s27.update_sums(thread.stack, ply, move, thread.state, NETWORK)


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


# The table


def test_an_entry_holds_what_was_stored() -> None:
    for depth in (0, 1, 255):
        for bound in (s27.UPPER_BOUND, s27.LOWER_BOUND, s27.EXACT_VALUE):
            for value in (-MATE, -29_001, -500, 0, 31_000):
                for move in (0, 1, (1 << 18) - 1):
                    found = s27.from_data(entry(depth, bound, value, move, 3), 3)
                    assert tuple(map(int, found)) == (depth, bound, value, move)
    mate = s27.from_data(entry(1, 3, MATE - 7, 0, 5), 2)  # two plies from its node
    assert int(mate[2]) == MATE - 4


def test_a_torn_entry_is_not_found() -> None:
    table, key = s27.new_table(0.01), np.uint64(0x123456789ABCDEF0)
    one, two = entry(3, 1, 50, 77), entry(9, 2, -20, 78)
    place = int(key) & len(table) - 1
    for left in (key ^ one, key ^ two):
        for right in (one, two):
            table[place] = left, right
            assert s27.find_data(table, key) == (right if left == key ^ right else 0)


def test_a_deeper_entry_stays_and_grows_old() -> None:
    table = s27.new_table(0.001)
    deep, size = np.uint64(5), len(table)
    s27.keep_data(table, deep, entry(4, 1, 10, 1))
    for other in range(1, 4):
        key = np.uint64(5 + other * size)
        s27.keep_data(table, key, entry(1, 1, other, 2))
        assert s27.find_data(table, key) == entry(1, 1, other, 2)
        assert s27.find_data(table, deep) == entry(4 - other, 1, 10, 1)
    last = np.uint64(5 + 4 * size)
    s27.keep_data(table, last, entry(1, 1, 4, 2))
    assert s27.find_data(table, last) and not s27.find_data(table, deep)
    s27.keep_data(table, last, entry(0, 1, 4, 2))  # its own place is always its own
    assert s27.find_data(table, last) == entry(0, 1, 4, 2)


@pytest.mark.parametrize("megabytes", [0, 1e-6, -1, 2**-16])
def test_a_table_without_room_is_refused(megabytes: float) -> None:
    with pytest.raises(ValueError, match=f"{megabytes} MB hold no two entries"):
        s27.new_table(megabytes)
    with pytest.raises(ValueError, match="0 threads; expected 1 or more"):
        s27.CompiledEngine(1, threads=0)


@pytest.mark.parametrize(
    ("megabytes", "entries"), [(2**-15, 2), (0.001, 64), (1, 1 << 16), (3, 1 << 17)]
)
def test_a_new_table_is_empty_and_fits(megabytes: float, entries: int) -> None:
    table = s27.new_table(megabytes)
    assert table.shape == (entries, 2) and not table.any()
    assert table.nbytes <= megabytes * 2**20


# The order of moves, and the rules


def stage(position: Position, move: int) -> int:
    """0 for captures and promotions, 1 for quiet moves, 2 for captures that lose."""
    if not s27.is_noisy(position, move):
        return 1
    loses = not s27.fast_exchange_wins(position, move, 0)
    return 2 if loses and not move >> 12 & 7 else 0


@examples(40)
@given(positions())
def test_each_move_comes_once_and_a_known_one_first(board: chess.Board) -> None:
    state, position = thread_of(board, 0.01).state, new_stack(board, 0)[0]
    last, rng = chess.QUEEN << 15 | chess.D5 << 6, np.random.default_rng(1)
    credits = state.history[position.turn]
    always, replies = credits[0, 0], credits[chess.QUEEN, chess.D5]
    always[:], replies[:] = rng.integers(-8192, 8193, (2, 7, 64))
    count = generate(position, ALL, ALL, state.moves[3])
    listed = [int(move) for move in state.moves[3, :count]]
    first, state.killers[3] = listed[count // 2], listed[-2:] if count > 1 else 0
    s27.rank_moves(position, state, count, first, 3, last)
    order = [int(s27.next_move(state.moves[3], i, count)) for i in range(count)]
    assert sorted(order) == sorted(listed) and order[0] == first
    stages = [stage(position, move) for move in order[1:]]
    assert stages == sorted(stages)
    quiet = [move for move in order if not s27.is_noisy(position, move) and move != first]
    killers = [int(k) for k in state.killers[3] if k in quiet]
    assert quiet[: len(killers)] == killers
    means = [
        (int(always[m >> 15, m >> 6 & 63]) + replies[m >> 15, m >> 6 & 63]) // 2 for m in quiet
    ]
    assert means[len(killers) :] == sorted(means[len(killers) :], reverse=True)
    s27.find_checks(position, state.checks[3])
    for move in order:
        real = to_move(move, chess960=board.chess960)
        captures = board.is_capture(real) and not board.is_en_passant(real)
        assert bool(s27.is_noisy(position, move)) == bool(captures or real.promotion)
        if not real.promotion and not board.is_castling(real):
            board.push(real)
            king = board.king(board.turn)
            assert king is not None
            direct = bool(board.attacks_mask(real.to_square) & chess.BB_SQUARES[king])
            board.pop()
            if not board.is_en_passant(real):
                assert bool(s27.gives_check(move, state.checks[3])) == direct


@examples(40)
@given(positions())
def test_quiet_moves_that_give_no_check_are_skipped_together(board: chess.Board) -> None:
    state, position = thread_of(board, 0.01).state, new_stack(board, 0)[0]
    moves, checks = state.moves[0], state.checks[0]
    s27.find_checks(position, checks)
    count = generate(position, ALL, ALL, moves)
    s27.rank_moves(position, state, count, 0, 0, 0)
    before, tried = moves[:count].tolist(), min(2, count)
    after = s27.skip_quiet(position, moves, tried, count, checks)
    skipped, left = moves[tried:after].tolist(), moves[after:count].tolist()
    assert moves[:tried].tolist() == before[:tried] and sorted(moves[:count]) == sorted(before)
    for ranked in skipped + left:
        move = ranked & s27.MOVE
        goes = not s27.is_noisy(position, move) and not s27.gives_check(move, checks)
        assert goes == (ranked in skipped)


@pytest.mark.parametrize("form", [s27.loses_much, plain(s27.loses_much)])
@pytest.mark.parametrize(
    ("uci", "deepest"),
    # With how many plies left the move is pruned: half of `SEE_PRUNING` for each may be lost.
    [("e3e4", 1), ("c2c3", 0), ("g1h3", 6), ("g1e2", 0), ("e1g1", 0)],
)
def test_a_quiet_move_may_lose_more_with_more_plies(form: Any, uci: str, deepest: int) -> None:
    board = chess.Board("4k3/8/8/3p1p2/6p1/4P3/2P5/4K1N1 w - - 0 1")
    if uci == "e1g1":
        board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    for side in (board, board.mirror()):
        move = chess.Move.from_uci(uci)
        if side is not board:
            move = chess.Move(move.from_square ^ 56, move.to_square ^ 56)
        position = new_stack(side, 0)[0]
        number = to_number(position, move)
        pruned = [d for d in range(1, 12) if form(position, number, d, True)]
        assert pruned == list(range(1, deepest + 1)), uci


@examples(60)
@given(positions(retreats=True))
def test_a_repetition_is_seen_in_the_history_of_the_game(board: chess.Board) -> None:
    thread = thread_of(board, 0.01)
    assert bool(s27.repeats(thread.stack[0], thread.state, 0)) == board.is_repetition(2)
    assert thread.stack[0].key == new_stack(board, 0)[0].key


def test_positions_are_dead_as_python_chess_says() -> None:
    rng, dead = random.Random(8), 0
    for _ in range(3000):
        squares = rng.sample(range(64), rng.randint(2, 5))
        board = chess.Board(None)
        for square, kind in zip(
            squares, "Kk" + "".join(rng.choices("NnBbBbQp", k=3)), strict=False
        ):
            board.set_piece_at(square, chess.Piece.from_symbol(kind))
        if board.is_valid():
            said = bool(s27.is_dead(new_stack(board, 0)[0]))
            assert said == board.is_insufficient_material(), board.fen()
            dead += said
    assert dead > 300


@pytest.mark.parametrize(
    ("fen", "depth", "score"),
    KNOWN_SCORES,
)
def test_a_mate_counts_its_distance_and_a_draw_nothing(fen: str, depth: int, score: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        engine, sign = s27.CompiledEngine(1), 1 if board.turn else -1
        # It prunes further from the leaves than s22, and may see a mate two plies later.
        engine.play(board, Limit(depth=depth + 2))
        assert engine.iterations[-1].best.score == sign * score


def test_after_a_hundred_plies_nothing_is_counted_any_more() -> None:
    board = chess.Board("8/8/8/7k/8/8/8/KR6 w - - 99 90")
    assert thread_of(board).search(1, -INFINITE, INFINITE) == 0
    board.halfmove_clock -= 1
    assert thread_of(board).search(1, -INFINITE, INFINITE) > 0


@pytest.mark.parametrize("ply", [1, 4])
def test_where_no_nearer_mate_is_possible_nothing_is_searched(ply: int) -> None:
    nearest = MATE - ply - 1
    for alpha in (nearest + 1, nearest, nearest - 1):
        thread = thread_of(chess.Board())
        raise_root(thread, ply)
        found = thread.search(1, alpha, INFINITE, ply)
        assert bool(thread.state.nodes) is (alpha < nearest) and found <= nearest


def test_a_root_move_is_worth_what_a_search_of_one_ply_less_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = chess.Board(MIDDLEGAME)
    thread, searched = thread_of(board), mock.Mock(return_value=20)
    monkeypatch.setattr(thread, "search", searched)
    move = next(board.generate_legal_captures())
    assert thread.value_of(move, 5) == -20
    board.push(move)
    assert thread.stack[1].key == new_stack(board, 0)[0].key
    expected = s27.sums_of(thread.stack[1], NETWORK).hidden
    assert (thread.state.sums[1].hidden == expected).all()
    number = to_number(thread.stack[0], move)
    searched.assert_called_once_with(4, -INFINITE, INFINITE, 1, number)


def test_a_root_that_is_drawn_by_rule_has_a_move() -> None:
    repeated = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 4 60")
    for uci in ("a1a2", "g8h8", "a2a1", "h8g8"):
        repeated.push_uci(uci)
    for board in (repeated, chess.Board("8/8/8/7k/8/8/8/KR6 w - - 100 90")):
        assert_plays(s27.CompiledEngine(1), board, Limit(depth=3))


def test_a_capture_that_mates_counts_its_distance() -> None:
    thread = thread_of(chess.Board("r5k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"))
    for ply in (1, 5):
        raise_root(thread, ply)
        assert s27.fast_quiesce(thread.work, -INFINITE, INFINITE, ply) == MATE - ply - 1


def test_a_position_of_the_game_counts_as_repeated() -> None:
    board = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 4 60")
    for uci in ("a1a2", "g8h8", "a2a1", "h8g8"):
        board.push(chess.Move.from_uci(uci))
    scored = s27.CompiledEngine(1).analyse(board, Limit(depth=1))
    values = {entry.move.uci(): entry.score for entry in scored}
    assert values["a1a8"] == MATE - 1 and values["a1a2"] == 0 < values["a1b1"]


@pytest.mark.parametrize(("chess960", "uci"), [(False, "e1g1"), (True, "e1h1")])
def test_castling_is_written_as_the_board_does(chess960: bool, uci: str) -> None:
    # The only mate.
    board = chess.Board("4R3/8/8/8/8/5k1P/7P/4K2R w K - 0 1", chess960=chess960)
    engine, move = s27.CompiledEngine(1), chess.Move.from_uci(uci)
    assert assert_plays(engine, board, Limit(depth=2)) == move
    assert engine.last_search and engine.last_search.line == (move,)


def test_a_mate_in_the_table_counts_from_its_node() -> None:
    thread = thread_of(chess.Board(BACK_RANK))
    for ply in (1, 4, 9):  # the table is filled at the first ply and used at the others
        raise_root(thread, ply)
        assert thread.search(3, 0, 1, ply) >= 1
        assert thread.search(3, MATE - ply - 2, MATE - ply, ply) == MATE - ply - 1


# Singular moves


@pytest.mark.parametrize("bound", [s27.LOWER_BOUND, s27.EXACT_VALUE])
@pytest.mark.parametrize(("found", "left"), [(85, 8), (86, 7), (900, 7)])
def test_a_move_that_is_better_than_all_others_is_extended(
    found: int, left: int, bound: int
) -> None:
    board, entry = chess.Board(MIDDLEGAME), (5, bound, 102, KNOWN)
    _, asked, thread = recorded(board, 1, 8, 50, 150, values=(found, 0), entry=entry)
    assert asked[0] == (3, 85, 86, 1, 77, KNOWN)  # 102 - 2 * 8
    assert asked[1] == (left, -150, -50, 2, KNOWN, 0)
    assert all(question[0] <= 7 for question in asked[2:])  # and no other one
    assert not thread.state.left_out.any()


@pytest.mark.parametrize(
    ("ply", "depth", "entry"),
    [
        (0, 8, (9, s27.LOWER_BOUND, 102, KNOWN)),
        (1, 6, (9, s27.LOWER_BOUND, 102, KNOWN)),
        (1, 8, (4, s27.LOWER_BOUND, 102, KNOWN)),
        (1, 8, (9, s27.UPPER_BOUND, 102, KNOWN)),
        (1, 8, (9, s27.LOWER_BOUND, 29_500, KNOWN)),
        (1, 8, (9, s27.LOWER_BOUND, -29_500, KNOWN)),
        (1, 8, (9, s27.LOWER_BOUND, 102, 0)),
    ],
    ids=["root", "near the leaves", "shallow", "upper bound", "mate", "mated", "no move"],
)
def test_a_move_is_not_tested_without_a_reason(
    ply: int, depth: int, entry: tuple[int, int, int, int]
) -> None:
    board = chess.Board(MIDDLEGAME)
    _, asked, _ = recorded(board, ply, depth, 50, 150, values=(0,), entry=entry)
    assert all(question[3] == ply + 1 and not question[-1] for question in asked)
    assert max(question[0] for question in asked) < depth


@pytest.mark.parametrize(
    ("found", "beta", "cuts"),
    [(300, 286, True), (286, 286, True), (285, 285, False), (300, 287, False)],
)
def test_a_second_move_that_reaches_beta_cuts_off(found: int, beta: int, cuts: bool) -> None:
    board, entry = chess.Board(MIDDLEGAME), (5, s27.LOWER_BOUND, 302, KNOWN)
    assert judge(new_stack(board, 0)[0]) < 285  # so there is no null move
    value, asked, thread = recorded(board, 1, 8, beta - 1, beta, values=(found, 20), entry=entry)
    assert asked[0] == (3, 285, 286, 1, 77, KNOWN)
    assert (value == 286 and len(asked) == 1) is cuts
    data = s27.find_data(thread.table, thread.stack[0].key)
    assert (s27.from_data(data, 1)[0] == 5) is cuts  # nothing new is stored


@pytest.mark.parametrize("depth", [3, 8])
def test_no_guess_about_the_whole_position_answers_for_a_part_of_it(depth: int) -> None:
    board = chess.Board(MIDDLEGAME)
    static, entry = judge(new_stack(board, 0)[0]), (99, s27.EXACT_VALUE, 700, KNOWN)
    for alpha in (static - 900, 600):  # reverse futility, null move; the table
        given = depth, alpha, alpha + 1
        value, asked, thread = recorded(
            board, 1, *given, values=(-alpha - 1,), entry=entry, left_out=KNOWN
        )
        assert value == alpha + 1 and len(asked) == 1
        assert asked[0][:4] == (depth - 1, -alpha - 1, -alpha, 2)
        assert asked[0][4] not in (0, KNOWN)  # a real move, and another one
        data = s27.find_data(thread.table, thread.stack[0].key)
        assert s27.from_data(data, 1) == entry


def test_two_good_moves_do_not_cut_off_in_an_open_window() -> None:
    board, entry = chess.Board(MIDDLEGAME), (5, s27.LOWER_BOUND, 302, KNOWN)
    _, asked, _ = recorded(board, 1, 8, 200, 280, values=(300, 20), entry=entry)
    assert len(asked) > 1 and asked[1][0] == 7


@pytest.mark.parametrize("leaves_out", [False, True])
def test_nothing_is_learned_where_a_move_is_left_out(leaves_out: bool) -> None:
    board = chess.Board(FORTRESS)  # all moves are quiet
    first = to_number(new_stack(board, 0)[0], chess.Move.from_uci("e1d1"))
    value, asked, thread = recorded(
        board,
        1,
        *(3, 500, 501),
        values=(-501,),
        entry=(0, s27.LOWER_BOUND, 0, first),
        left_out=first if leaves_out else 0,
    )
    assert value == 501 and len(asked) == 1 and (asked[0][4] != first) is leaves_out
    history, learned = thread.state.history[1], not leaves_out
    assert thread.state.killers.any() == learned
    assert history[0, 0].any() == history[0, 1].any() == learned  # 77 went to b1
    assert np.count_nonzero(history) == 2 * learned


def test_a_stop_ends_the_test_of_a_move() -> None:
    entry = (5, s27.LOWER_BOUND, 102, KNOWN)
    value, asked, thread = recorded(
        chess.Board(MIDDLEGAME), 1, 8, 50, 150, values=(STOPPED,), entry=entry
    )
    assert value == 0 and len(asked) == 1 and not thread.state.left_out.any()


def test_a_stop_in_the_search_for_another_move_leaves_nothing_out() -> None:
    thread, stopped = thread_of(chess.Board(MIDDLEGAME)), 0
    for nodes in range(2000, 40_000, 500):
        thread.begin(chess.Board(MIDDLEGAME))
        thread.table[:], thread.state.most_nodes = 0, nodes
        for depth in range(1, 20):
            thread.search(depth, -INFINITE, INFINITE)
        stopped += thread.state.stop
        assert not thread.state.left_out.any()
    assert stopped


def compare_left_out(boards: Iterator[chess.Board]) -> int:
    """Nodes with a move left out, with searches of all the other moves."""
    search, compared = whole_search()["fast_search"], 0
    for board in boards:
        board = board.copy(stack=False)
        board.halfmove_clock = 0
        legal = [to_number(new_stack(board, 0)[0], move) for move in board.legal_moves]
        for left_out in legal[:2]:
            for depth in (1, 2):
                thread = thread_of(board, 0.1)
                stack, state = thread.stack, thread.state
                raise_root(thread, 1)
                state.left_out[1] = left_out
                s27.keep_data(thread.table, stack[0].key, entry(99, 3, 4321, left_out))
                values = [-4000]
                for move in legal:
                    if move != left_out:
                        fresh = thread_of(board, 0.1)
                        raise_root(fresh, 1)
                        advance(fresh, 1, move)
                        left = depth - 1 + board.is_check()
                        child = search(fresh.work, left, -INFINITE, INFINITE, 2, move)
                        values.append(-int(child))
                found = search(thread.work, depth, -4000, INFINITE, 1, 77)
                assert found == max(values), (board.fen(), left_out, depth)
                kept = s27.from_data(s27.find_data(thread.table, stack[0].key), 0)
                assert kept[1:] == (3, 4321, left_out)  # not replaced; it may have grown old
                compared += 1
    return compared


def test_a_node_with_a_move_left_out_is_worth_its_other_moves() -> None:
    assert compare_left_out(random_positions(6, random.Random(15))) > 10


@pytest.mark.slow
def test_a_node_with_a_move_left_out_is_worth_its_other_moves_in_many_positions() -> None:
    assert compare_left_out(random_positions(100, random.Random(16))) > 200


def test_a_node_whose_only_move_is_left_out_is_no_mate_and_no_draw() -> None:
    board = chess.Board("7k/8/8/8/8/8/6q1/7K w - - 0 1")  # Kxg2
    thread = thread_of(board)
    raise_root(thread, 1)
    thread.state.left_out[1] = to_number(thread.stack[0], chess.Move.from_uci("h1g2"))
    for alpha in (-900, -10, 10):
        assert thread.search(3, alpha, alpha + 1, 1) == alpha


@pytest.mark.parametrize(("rooks", "mates"), [("R3R2K", True), ("R6K", False)])
def test_a_mate_by_the_move_left_out_does_not_count(rooks: str, mates: bool) -> None:
    thread = thread_of(chess.Board(f"6k1/5ppp/8/8/8/8/8/{rooks} w - - 0 1"))
    raise_root(thread, 1)
    thread.state.left_out[1] = to_number(thread.stack[0], chess.Move.from_uci("a1a8"))
    found = thread.search(1, -INFINITE, INFINITE, 1)
    assert found == MATE - 2 if mates else abs(found) < s22.LONG_MATE


# What the table keeps


def compare_bounds(boards: Iterator[chess.Board], rng: random.Random) -> int:
    """Each entry near the root with what a search without a table finds there."""
    search, compared = whole_search()["fast_search"], 0
    for board in boards:
        if not any(board.legal_moves):
            continue
        board = board.copy(stack=False)
        board.halfmove_clock = 0  # the history of a game is not in the key
        thread = thread_of(board, 0.1)
        alpha = rng.randint(-300, 300)
        beta, depth = alpha + rng.choice((1, 1, 60, 400)), rng.choice((1, 2))
        search(thread.work, depth, alpha, beta, 0, 0)
        below = [board]
        for move in board.legal_moves:
            below.append(board.copy(stack=False))
            below[-1].push(move)
        stored = [(b, s27.find_data(thread.table, new_stack(b, 0)[0].key)) for b in below]
        for position, data in [pair for pair in stored if pair[1]][:6]:
            deep, bound, value, number = map(int, s27.from_data(data, 0))
            fresh = thread_of(position.copy(stack=False), 0.1)
            fresh.state.before = 0
            left = deep - bool(king_lines(fresh.stack[0])[0])
            true = int(search(fresh.work, left, -INFINITE, INFINITE, 0, 0))
            if bound == s27.EXACT_VALUE:
                assert value == true, position.fen()
            elif bound == s27.LOWER_BOUND:
                assert value <= true, position.fen()
            else:
                assert value >= true, position.fen()
            assert not number or to_move(number) in position.legal_moves
            compared += 1
    return compared


def test_what_is_stored_is_a_true_bound() -> None:
    assert compare_bounds(random_positions(12, random.Random(9)), random.Random(10)) > 12


@pytest.mark.slow
def test_what_is_stored_is_a_true_bound_in_hundreds_of_positions() -> None:
    assert compare_bounds(random_positions(500, random.Random(11)), random.Random(12)) > 1000


def test_a_null_move_that_mates_proves_no_mate() -> None:
    names, thread, asked = whole_search(), thread_of(chess.Board(MIDDLEGAME)), list[Any]()
    node, static = names["fast_search"], judge(thread.stack[0])
    raise_root(thread, 1)

    def mated(work: Any, *arguments: int) -> int:
        asked.append(tuple(map(int, arguments)))
        return 7 - MATE

    names["fast_search"] = mated
    assert node(thread.work, 8, static - 1, static, 1, 1) == static
    assert asked == [(2, -static, 1 - static, 2, 0)]  # 8, less 1 without a known move, 4 and 1


@pytest.mark.parametrize(
    ("clock", "depth", "answers"), [(97, 2, True), (97, 3, False), (98, 2, False)]
)
def test_an_entry_does_not_answer_where_the_fifty_moves_may_end(
    clock: int, depth: int, answers: bool
) -> None:
    board = chess.Board("8/8/8/7k/8/8/8/KR6 w - - 0 1")
    board.halfmove_clock = clock
    thread = thread_of(board)
    data = entry(5, s27.EXACT_VALUE, 700, 0)
    s27.keep_data(thread.table, thread.stack[0].key, data)
    assert (thread.search(depth, 100, 101, 0) == 700) is answers


def test_what_is_learned_has_bounds_and_killers_are_two_quiet_moves() -> None:
    rng, largest = random.Random(13), 0
    for board in random_positions(30, random.Random(14)):
        thread = thread_of(board.copy(stack=False))
        state, position = thread.state, thread.stack[0]
        count = generate(position, ALL, ALL, state.moves[0])
        quiet = [i for i in range(count) if not s27.is_noisy(position, state.moves[0, i])]
        refuted = list[int]()
        for _ in range(400 if quiet else 0):
            place, last = rng.choice(quiet), rng.choice((0, BISHOP_TO_C4))
            refuted.append(int(state.moves[0, place]))
            s27.learn(position, state, 0, last, place, rng.choice((1, 5, 30, 120)))
            largest = max(largest, int(np.abs(state.history).max()))
            assert state.killers[0, 0] == refuted[-1]
            others = [move for move in refuted if move != refuted[-1]]
            assert state.killers[0, 1] == (others[-1] if others else 0)
        for i in set(range(count)) - set(quiet):
            kind, end = state.moves[0, i] >> 15, state.moves[0, i] >> 6 & 63
            alike = {(state.moves[0, j] >> 15, state.moves[0, j] >> 6 & 63) for j in quiet}
            assert (kind, end) in alike or not state.history[..., kind, end].any()
        for row in np.argwhere(state.history.any(axis=(3, 4))).tolist():
            assert row in ([position.turn, 0, 0], [position.turn, chess.BISHOP, chess.C4])
    assert s22.MOST_CREDIT // 2 < largest <= s22.MOST_CREDIT


@pytest.mark.parametrize("form", [s27.adjust, plain(s27.adjust)])
def test_a_reply_is_remembered_with_the_move_before(form: Any) -> None:
    credits = thread_of(chess.Board(), 0.01).state.history[1]
    knight, rook = chess.KNIGHT << 15 | chess.F6 << 6, chess.ROOK << 15 | chess.F6 << 6
    form(credits, BISHOP_TO_C4, knight, 800)
    found = [int(s27.mean_credit(credits, last, knight)) for last in (BISHOP_TO_C4, 0, rook)]
    assert found == [800, 800, 400] and np.count_nonzero(credits) == 2
    assert not s27.mean_credit(credits, BISHOP_TO_C4, rook)
    form(credits, rook, knight, -400)  # the move alone: 800 - 400 - 800 * 400 / 8192
    found = [int(s27.mean_credit(credits, last, knight)) for last in (BISHOP_TO_C4, 0, rook)]
    assert found == [(361 + 800) // 2, 361, (361 - 400) // 2]
    for change in (-2048, 2048) * 3 + (2048,) * 40:
        form(credits, 0, knight, change)  # no more than it can hold
    assert 8000 < s27.mean_credit(credits, 0, knight) <= s22.MOST_CREDIT


def test_reductions_are_those_of_the_tournament_search() -> None:
    for depth, count in itertools.product(range(2, 60), (1, 2, 3, 5, 8, 10, 20, 200)):
        for credit in range(-s22.MOST_CREDIT, s22.MOST_CREDIT + 1, 512):
            plies = (credit + s22.MOST_CREDIT // 4) * 2 // s22.MOST_CREDIT
            for window, improving in itertools.product((False, True), repeat=2):
                less = s27.fewer_plies(depth, count, credit, window, improving)
                assert less == s22.reduction(depth, count, plies, window, improving)


# The engine

NODES = {  # by position, of all nine iterations; a change of the search changes them
    MIDDLEGAME: 38_001,
    STARTS[1]: 36_876,
    STARTS[2]: 10_243,
    STARTS[4]: 12_223,
    chess.STARTING_FEN: 25_801,
    "8/7p/3k4/1pp2p2/p1p2PP1/P1P1K2P/2P5/8 b - - 0 1": 4_985,
    "8/8/P7/7k/8/8/8/K6n w - - 0 1": 19_225,
}


def test_a_search_visits_the_nodes_that_it_has_always_visited() -> None:
    engine = s27.CompiledEngine(64)
    for fen, nodes in NODES.items():
        engine.new_game()
        engine.play(chess.Board(fen), Limit(depth=9))
        assert engine.iterations[-1].nodes == nodes, fen


def test_one_thread_repeats_itself_with_a_limit_of_nodes() -> None:
    for fen in (MIDDLEGAME, *STARTS[:3]):
        board, found = chess.Board(fen), []
        used = s27.CompiledEngine(4)
        used.play(chess.Board(), Limit(nodes=3000))
        used.new_game()
        for engine in (used, s27.CompiledEngine(4)):
            for limit in (Limit(nodes=20_000), Limit(nodes=7000)):
                move = engine.play(board, limit).move
                told = [(i.depth, i.best, i.nodes, i.line) for i in engine.iterations]
                found.append((move, told, int(engine.team.main.state.nodes)))
        assert found[:2] == found[2:]


@pytest.mark.parametrize("nodes", [0, 1, 500, 20_000])
def test_a_limit_of_nodes_is_kept_but_for_the_last_exchange(nodes: int) -> None:
    engine = s27.CompiledEngine(4)
    assert_plays(engine, chess.Board(STARTS[1]), Limit(nodes=nodes))
    searched = int(engine.team.main.state.nodes)
    assert searched <= nodes + 2000  # one ply, and captures that were being played out


@pytest.mark.parametrize("nodes", [0, 1, 6, 500, 20_000])
def test_a_limit_of_nodes_is_exact_where_nothing_is_played_out(nodes: int) -> None:
    engine, board = s27.CompiledEngine(4), chess.Board(FORTRESS)
    assert_plays(engine, board, Limit(nodes=nodes))
    first_ply = board.legal_moves.count()
    assert int(engine.team.main.state.nodes) == max(nodes, first_ply)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "limit",
    [
        Limit(time=0),
        Limit(time=0.001),
        Limit(white_clock=0, black_clock=0),
        Limit(white_clock=0.01, black_clock=0.01),
        Limit(nodes=0),
        Limit(depth=1),
    ],
)
def test_one_ply_is_searched_however_late_it_is(limit: Limit, threads: int) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    engine = s27.CompiledEngine(1, threads)
    for _ in range(5):
        assert assert_plays(engine, board, limit) == chess.Move.from_uci("d1a1")
    assert_analysis(engine, board, limit)


def test_a_stop_in_the_first_ply_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    team = s27.SearchTeam(1, 1)
    iterate, depths = team.main.iterate, list[int]()

    def stopped_once(depth: int, last: int) -> int:
        if not depths:
            team.stop()
        depths.append(depth)
        return iterate(depth, last)

    monkeypatch.setattr(team.main, "iterate", stopped_once)
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    team.begin(board)
    assert depths == [1, 1] and not team.main.state.stop
    assert to_move(team.main.state.best_move) == chess.Move.from_uci("d1a1")


def test_a_search_that_breaks_down_leaves_no_stop() -> None:
    engine = s27.CompiledEngine(1)

    def fail(found: Iteration) -> None:
        engine.stop()
        raise RuntimeError

    engine.on_iteration = fail
    with pytest.raises(RuntimeError):
        engine.play(chess.Board(), Limit(depth=4))
    assert not engine.stop_requested
    engine.stop()
    assert engine.stop_requested
    engine.on_iteration = None
    engine.play(chess.Board(), Limit(depth=4))
    assert not engine.stop_requested


def test_a_search_that_is_cut_off_keeps_its_best_move() -> None:
    board = chess.Board("6k1/5ppp/8/8/7q/8/5PPP/r2R2K1 w - - 0 1")  # Rxa1, and still behind
    engine = s27.CompiledEngine(0.1)
    for nodes in range(50, 3000, 10):
        engine.new_game()
        assert engine.play(board, Limit(nodes=nodes)).move == chess.Move.from_uci("d1a1"), nodes


def test_an_analysis_that_is_cut_off_gives_the_last_whole_depth() -> None:
    engine, board = s27.CompiledEngine(1), chess.Board(MIDDLEGAME)
    cut, last = engine.analyse(board, Limit(nodes=20_000)), engine.last_search
    assert last and last.depth < MOST_PLIES
    whole = s27.CompiledEngine(1).analyse(board, Limit(depth=last.depth))
    assert in_full(cut) == in_full(whole)


def test_an_only_move_is_played_at_once() -> None:
    engine, limit = s27.CompiledEngine(1), Limit(white_clock=30, black_clock=30)
    engine.prepare()  # not on the clock
    engine.play(chess.Board("4k3/8/8/8/5p2/5P2/r7/7K w - - 0 1"), limit)
    assert len(engine.iterations) == 1


@pytest.mark.parametrize("fen", [MIDDLEGAME, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"])  # quiet; check
def test_no_line_is_longer_than_there_is_room(fen: str) -> None:
    thread = thread_of(chess.Board(fen))
    raise_root(thread, MOST_PLIES)
    found = thread.search(3, -INFINITE, INFINITE, MOST_PLIES)
    assert thread.state.nodes == 0 and found == judge(thread.stack[0])


def test_a_long_game_leaves_room_for_the_line() -> None:
    board = chess.Board()
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8") * 230:
        board.push(chess.Move.from_uci(uci))
    assert thread_of(board, 0.01).state.before == s27.MOST_KEYS - s27.ROOM


def test_a_depth_beyond_all_plies_is_searched_as_far_as_there_are_plies() -> None:
    board, engine = chess.Board("8/8/4k3/8/8/4K3/8/8 w - - 0 1"), s27.CompiledEngine(1)
    engine.play(board, Limit(depth=300))
    thread = thread_of(board)
    assert thread.search(300, -INFINITE, INFINITE) == 0
    # Without a move in the table, one ply is left out by an internal iterative reduction.
    for table, plies in ((engine.team.table, MOST_PLIES), (thread.table, MOST_PLIES - 1)):
        data = s27.find_data(table, thread.stack[0].key)
        assert s27.from_data(data, 0)[:3] == (plies, s27.EXACT_VALUE, 0)


def test_an_analysis_goes_on_where_a_bad_move_is_mated() -> None:
    engine, board = s27.CompiledEngine(4), chess.Board()
    for uci in ("f2f3", "e7e5"):
        board.push(chess.Move.from_uci(uci))
    shallow, deep = (assert_analysis(engine, board, Limit(depth=depth)) for depth in (3, 5))
    assert shallow[-1] == deep[-1] == ScoredMove(2 - MATE, chess.Move.from_uci("g2g4"))
    assert shallow[:-1] != deep[:-1]


def test_the_other_thread_ends_with_the_first() -> None:
    engine, begun = s27.CompiledEngine(16, threads=2), threading.Event()

    def watch(found: Iteration) -> None:
        if all(thread.state.nodes for thread in engine.team.threads):
            begun.set()

    engine.on_iteration = watch
    before, moves = threading.active_count(), list[chess.Move | None]()
    board = chess.Board(MIDDLEGAME)
    search = threading.Thread(target=lambda: moves.append(engine.play(board, Limit(depth=99)).move))
    search.start()
    assert begun.wait(60)
    engine.stop()
    search.join(30)
    assert not search.is_alive() and moves[0] in list(board.legal_moves)
    assert threading.active_count() == before
    nodes = [int(thread.state.nodes) for thread in engine.team.threads]
    assert all(nodes) and engine.last_search


def test_what_holds_for_one_thread_holds_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = s27.CompiledEngine(1, 3)
    team = engine.team
    team.begin(chess.Board())
    with monkeypatch.context() as patch:
        patch.setattr(team, "help_out", lambda i: None)
        with team.searching(700, 60):
            assert [int(thread.state.most_nodes) for thread in team.threads] == [700] * 3
    for number, thread in enumerate(team.threads):
        thread.state.nodes, thread.state.history[:] = 10**number, 5
    assert team.visited() == 111
    team.begin(chess.Board())
    team.threads[2].state.nodes = 10**6
    (found,) = s27.deepen_together(team, chess.Board(), range(2, 3))
    assert found.nodes == team.visited() > 10**6
    engine.new_game()
    assert not team.table.any()
    assert not any(thread.state.history.any() for thread in team.threads)


@pytest.mark.parametrize(("i", "first"), [(1, 3), (2, 2)])
def test_a_helper_deepens_until_it_is_stopped(
    i: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, asked = s27.SearchTeam(1, 3), list[tuple[int, int]]()
    thread = team.threads[i]

    def iterate(depth: int, last: int) -> int:
        asked.append((depth, last))
        thread.state.stop = len(asked) == 5
        return 10 * depth

    monkeypatch.setattr(thread, "iterate", iterate)
    team.help_out(i)
    depths = range(first, first + 5)
    assert asked == [(d, 10 * (d - 1) if d > first else 0) for d in depths]


def test_the_timer_stops_all_threads_after_the_seconds_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = list[tuple[float, Any]]()

    class Noted(threading.Timer):
        def __init__(self, interval: float, function: Any) -> None:
            given.append((interval, function))
            super().__init__(interval, function)

    monkeypatch.setattr(threading, "Timer", Noted)
    team = s27.SearchTeam(1, 2)
    team.begin(chess.Board(MIDDLEGAME))
    with team.searching(None, 59.5):
        assert not any(thread.state.stop for thread in team.threads)
        given[0][1]()
        assert all(thread.state.stop for thread in team.threads)
    with team.searching(None, float("inf")):
        pass
    assert [seconds for seconds, _ in given] == [59.5, 1e6]


def test_all_threads_begin_with_the_position_and_none_is_stopped() -> None:
    team, board = s27.SearchTeam(1, 2), chess.Board(MIDDLEGAME)
    team.stop()
    team.begin(board)
    for thread in team.threads:
        assert thread.stack[0].key == new_stack(board, 0)[0].key and not thread.state.stop


def test_a_new_search_begins_with_an_eighth_of_the_history() -> None:
    thread = thread_of(chess.Board(), 0.01)
    thread.state.history[:], thread.state.killers[:] = 80, 5
    thread.state.nodes = thread.state.best_move = 7
    thread.begin(chess.Board())
    assert (thread.state.history == 10).all() and not thread.state.killers.any()
    assert thread.state.nodes == thread.state.best_move == 0


@pytest.mark.parametrize("fen", ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"])
def test_a_finished_game_has_no_move_after_a_search_either(fen: str) -> None:
    engine = s27.CompiledEngine(1)
    assert_plays(engine, chess.Board(), Limit(depth=2))
    assert engine.play(chess.Board(fen), Limit(depth=2)).move is None and not engine.iterations


def test_the_hard_limit_counts_from_the_question_on(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, now, given = s27.CompiledEngine(1), [100.0], list[tuple[int | None, float]]()
    engine.prepare()
    begin, searching = engine.team.begin, engine.team.searching

    def slow(board: chess.Board) -> None:
        begin(board)
        now[0] += 0.25  # the first ply

    def noted(nodes: int | None, seconds: float) -> Any:
        given.append((nodes, seconds))
        return searching(nodes, 60)

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr(engine.team, "begin", slow)
    monkeypatch.setattr(engine.team, "searching", noted)
    limit = Limit(white_clock=60.0, nodes=500)
    engine.play(chess.Board(), limit)
    ((nodes, seconds),) = given
    assert nodes == 500
    assert seconds == pytest.approx(seconds_for(chess.WHITE, limit)[1] - 0.25)


@pytest.mark.parametrize("limit", [Limit(time=0.05), Limit(white_clock=1.0)])
def test_without_threads_time_ends_a_search_between_its_depths(
    limit: Limit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    engine = s27.CompiledEngine(1)
    assert_plays(engine, chess.Board(), limit)
    assert_analysis(engine, chess.Board(), limit)


def games(count: int, threads: int, nodes: int, max_plies: int = 120) -> None:
    """Games of the engine against itself; `play_game` refuses illegal moves."""
    rng = random.Random(13)
    players = [s27.CompiledEngine(1, threads) for _ in range(2)]
    for number in range(count):
        start = chess.Board.from_chess960_pos(rng.randrange(960)) if number % 2 else chess.Board()
        for _ in range(6):
            start.push(rng.choice(list(start.legal_moves)))
        limit = Limit(nodes=nodes)
        record = play_game(*players, start=start, limit=limit, max_plies=max_plies)
        assert record.plies > 6
        assert record.result != "*" or record.termination == "ply limit"


@pytest.mark.parametrize("threads", [1, 2])
def test_games_are_played_by_the_rules(threads: int) -> None:
    games(2, threads, nodes=1000)


@pytest.mark.slow
def test_two_threads_play_many_games() -> None:
    games(examples(20).max_examples, 2, nodes=500)  # EXAMPLES=10: two hundred


@pytest.mark.slow
def test_one_thread_plays_many_games() -> None:
    games(examples(100).max_examples, 1, nodes=200)  # EXAMPLES=10: a thousand


# What is compiled, and what a window asks for


@pytest.mark.parametrize("chapter", ["s26_bitboards", "s27_compiled_search"])
def test_importing_compiles_nothing(chapter: str, tmp_path: Path) -> None:
    assert set(compiled_signatures(chapter, "", tmp_path).values()) == {0}


def test_nothing_is_compiled_after_the_engine_is_prepared(tmp_path: Path) -> None:
    code = (
        "from numba.core import event\n"
        "engine, board = CompiledEngine(1), chess.Board()\n"
        "engine.prepare()\n"
        "for uci in ('e2e4', 'g8f6', 'g1f3'): board.push_uci(uci)\n"
        "with event.install_recorder('numba:compile') as seen:\n"
        "    engine.play(board, chess.engine.Limit(depth=4))\n"
        "    engine.analyse(board, chess.engine.Limit(depth=2))\n"
        "assert not seen.buffer"
    )
    compiled_signatures("s27_compiled_search", code, tmp_path)


PRINTED = """
import chess, chess.engine
from converted_notebooks.s27_compiled_search import CompiledEngine
engine = CompiledEngine(1)
for fen in {fens}:
    engine.new_game()
    engine.play(chess.Board(fen), chess.engine.Limit(depth=2))
    print([(i.best.score, i.best.move.uci(), i.nodes) for i in engine.iterations])
"""


def test_the_plain_form_searches_the_same_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    code = PRINTED.format(fens=[*NODES][:3])
    exec(code, {})
    assert capsys.readouterr().out.strip() == run_plain(code).strip()


@pytest.mark.parametrize("chapter", ["s26_bitboards", "s27_compiled_search"])
def test_no_function_is_compiled_twice(chapter: str, tmp_path: Path) -> None:
    code = (
        "import chess.engine\n"
        "from converted_notebooks.s27_compiled_search import CompiledEngine\n"
        "engine = CompiledEngine(1, 2)\n"
        "engine.play(chess.Board(), chess.engine.Limit(depth=6))\n"
        "engine.analyse(chess.Board(), chess.engine.Limit(depth=2))"
    )
    found = compiled_signatures(chapter, code, tmp_path)
    assert len(found) >= 20 and set(found.values()) <= {0, 1}, found


def test_the_engine_can_be_prepared_and_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine("s27")
    assert isinstance(engine, Preparable) and isinstance(engine, Configurable)
    assert isinstance(engine, s27.CompiledEngine)
    engine.prepare()
    with monkeypatch.context() as patch:  # `prepare` comes before each search
        patch.setattr(s27, "CompiledEngine", mock.Mock(side_effect=AssertionError))
        engine.prepare()
    for name, option in engine.options.items():
        assert name == option.name
    assert engine.options["Hash"].default == engine.values["Hash"] == 64
    assert engine.options["Threads"].default == len(engine.team.threads) == 1
    engine.set_option("Threads", 3)
    engine.set_option("Hash", 2)
    assert len(engine.team.threads) == 3 and len(engine.team.table) == 2 << 16
    assert all(thread.table is engine.team.table for thread in engine.team.threads)


def test_hash_and_threads_are_options_of_the_program() -> None:
    with Program([sys.executable, "-m", "utils.uci"]) as program:
        program.say("setoption name Chapter value s27", "uci")
        lines = program.until("uciok")
        assert "option name Threads type spin default 1 min 1 max 64" in lines
        assert "option name Hash type spin default 64 min 1 max 4096" in lines
        program.say("setoption name Threads value 2", "setoption name Hash value 1")
        program.say("setoption name Threads value 99", "isready")
        assert any("Threads" in line for line in program.until("readyok"))
        program.say("position startpos moves e2e4", "go depth 6")
        *_, last = program.until("bestmove")
        board = chess.Board()
        board.push_uci("e2e4")
        assert chess.Move.from_uci(last.split()[1]) in board.legal_moves
        program.say("quit")


def test_history_is_followed_through_null_moves_and_castling() -> None:
    board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for move in ("e1g1", "0000", "g1g2", "e8c8", "g2g3", "c8b8"):
        board.push_uci(move)
    thread = thread_of(board, 0.01)
    keys = [int(key) for key in thread.state.keys[: thread.state.before]]
    past = board.copy()
    for key in reversed(keys):
        past.pop()
        assert key == int(new_stack(past, 0)[0].key)
    assert len(keys) == 6 and thread.stack[0].key == new_stack(board, 0)[0].key
