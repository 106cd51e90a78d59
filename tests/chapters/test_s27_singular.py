"""Singular moves: when a move is left out, and what a node without it is worth."""

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
from converted_notebooks.s26_bitboards import new_stack, to_number
from tests.helpers.compiled_search import (
    FORTRESS,
    KNOWN,
    STOPPED,
    advance,
    entry,
    number_of,
    raise_root,
    recorded,
    static_of,
    thread_of,
    whole_search,
)
from utils.exercises.positions import MIDDLEGAME


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
    assert static_of(board) < 285  # so there is no null move
    value, asked, thread = recorded(board, 1, 8, beta - 1, beta, values=(found, 20), entry=entry)
    assert asked[0] == (3, 285, 286, 1, 77, KNOWN)
    assert (value == 286 and len(asked) == 1) is cuts
    data = s27.find_data(thread.table, thread.stack[0].key)
    assert (s27.from_data(data, 1)[0] == 5) is cuts  # nothing new is stored


@pytest.mark.parametrize("depth", [3, 8])
def test_no_static_score_and_no_entry_answers_where_a_move_is_left_out(depth: int) -> None:
    board = chess.Board(MIDDLEGAME)
    static, entry = static_of(board), (99, s27.EXACT_VALUE, 700, KNOWN)
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
    first = number_of(board, "e1d1")
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
