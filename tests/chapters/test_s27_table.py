"""The table of the compiled search: what an entry holds, keeps and proves."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import chess.engine
import numpy as np
import pytest

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s21_fast_evaluation import INFINITE
from converted_notebooks.s22_tournament_search import MATE
from converted_notebooks.s26_bitboards import king_lines, new_stack, to_move
from tests.helpers.compiled_search import (
    FORTRESS,
    KNOWN,
    entry,
    knows,
    raise_root,
    recorded,
    static_of,
    thread_of,
    whole_search,
)
from utils.exercises.positions import BACK_RANK, MIDDLEGAME


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


def test_a_mate_in_the_table_counts_from_its_node() -> None:
    thread = thread_of(chess.Board(BACK_RANK))
    for ply in (1, 4, 9):  # the table is filled at the first ply and used at the others
        raise_root(thread, ply)
        assert thread.search(3, 0, 1, ply) >= 1
        assert thread.search(3, MATE - ply - 2, MATE - ply, ply) == MATE - ply - 1


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


@pytest.mark.parametrize("value", [100, 101])
@pytest.mark.parametrize("bound", [s27.UPPER_BOUND, s27.LOWER_BOUND, s27.EXACT_VALUE])
@pytest.mark.parametrize("deep", [2, 3])
def test_an_entry_answers_if_it_is_deep_enough_and_its_bound_says_so(
    deep: int, bound: int, value: int
) -> None:
    thread = thread_of(chess.Board(FORTRESS))
    raise_root(thread, 1)
    s27.keep_data(thread.table, thread.stack[0].key, entry(deep, bound, value, 0, 1))
    thread.state.most_nodes = 1
    found = thread.search(3, 100, 101, 1)
    says = bound & (s27.LOWER_BOUND if value == 101 else s27.UPPER_BOUND)
    assert (found == value and not thread.state.nodes) is (deep == 3 and bool(says))


@pytest.mark.parametrize("depth", [3, 4, 5])
def test_without_a_known_move_a_ply_is_left_out(depth: int) -> None:
    for known in (0, KNOWN):
        _, asked, _ = recorded(
            chess.Board(MIDDLEGAME), 1, depth, 50, 150, values=(0,), entry=knows(known)
        )
        assert asked[0][0] == depth - 1 - (not known and depth >= s22.IIR_DEPTH)


@pytest.mark.parametrize(
    ("more", "bound"),
    [
        (0, s27.UPPER_BOUND),
        (7, s27.EXACT_VALUE),
        (50, s27.LOWER_BOUND),
        (60, s27.LOWER_BOUND),
    ],
)
def test_the_entry_of_a_node_says_what_was_found_and_keeps_a_move(more: int, bound: int) -> None:
    board = chess.Board(MIDDLEGAME)
    static = static_of(board)
    given = 2, static, static + 50
    _, _, thread = recorded(
        board, 2, *given, values=(-static - more,), entry=knows(KNOWN), before=static
    )
    data = s27.find_data(thread.table, thread.stack[0].key)
    assert s27.from_data(data, 2) == (2, bound, static + more, KNOWN)
