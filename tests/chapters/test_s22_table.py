"""The table of s22: what it keeps, and what an entry answers."""

from __future__ import annotations

import gc

import chess
import chess.engine
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s20_board_of_numbers import NumberBoard, chess_board, move_of, number_of
from converted_notebooks.s21_fast_evaluation import INFINITE, FastEvaluator
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import assert_plays
from tests.helpers.tournament import SAFE, NoTable, node, searcher_of
from utils.exercises.positions import BACK_RANK


def test_a_table_keeps_what_is_new_in_the_memory_that_it_may_take() -> None:
    table = s22.HashTable(0.01)
    assert 2 * table.half * s22.BYTES_PER_ENTRY <= 0.01 * 2**20
    assert 2 * (table.half + 1) * s22.BYTES_PER_ENTRY > 0.01 * 2**20
    for key in range(9 * table.half + 1):
        table.put(key, (1, s22.EXACT, key, 0))
        known = [k for k in range(key + 1) if table.get(k)]
        assert known == list(range(key + 1))[-len(known) :] and len(known) <= 2 * table.half
        assert len(known) > min(key, table.half)
    table.clear()
    assert not any(map(table.get, range(key + 1)))
    with pytest.raises(ValueError, match="0 MB"):
        s22.HashTable(0)


def test_of_two_results_for_a_position_the_later_one_counts() -> None:
    table = s22.HashTable(0.01)
    for key in range(table.half + 1):  # the last one begins a new dictionary
        table.put(key, (1, s22.EXACT, 10, 0))
    table.put(0, (5, s22.EXACT, 20, 0))
    assert table.get(0) == (5, s22.EXACT, 20, 0)


def test_a_garbage_collection_need_not_visit_the_results() -> None:
    board, searcher = chess.Board(), searcher_of()
    node(searcher, board, 3, -INFINITE, INFINITE)
    entry = searcher.table.get(NumberBoard(board).total)
    gc.collect()
    assert entry and not gc.is_tracked(entry)


def test_a_mate_in_the_table_counts_from_its_node() -> None:
    for value in (s22.MATE - 7, 7 - s22.MATE, 500, -500, 0):
        assert s22.shifted(s22.shifted(value, -5), 5) == value
    assert s22.shifted(s22.MATE - 7, -5) == s22.MATE - 2
    assert s22.shifted(7 - s22.MATE, -5) == 2 - s22.MATE
    mate = chess.Board(BACK_RANK)
    searcher = searcher_of()
    for ply in (1, 4, 9):  # the table is filled at the first ply and used at the others
        assert node(searcher, mate, 3, 0, 1, ply) >= 1
        assert (
            node(searcher, mate, 3, s22.MATE - ply - 2, s22.MATE - ply, ply) == s22.MATE - ply - 1
        )


@examples(40)
@given(positions(max_plies=40), st.integers(1, 3), st.integers(-300, 300), st.integers(1, 400))
def test_what_is_stored_is_a_true_bound(
    board: chess.Board, depth: int, alpha: int, width: int
) -> None:
    """Without selective parts, each stored entry is compared with a search without a table."""
    table: dict[int, tuple[chess.Board, s22.Entry]] = {}

    class Noting(s22.HashTable):
        def put(self, key: int, entry: s22.Entry) -> None:
            super().put(key, entry)
            now = searcher.board
            if now.total == key:
                table[key] = chess_board(now), entry

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("converted_notebooks.s21_fast_evaluation.SURE", 10_000)
        fresh = board.copy(stack=False)
        fresh.halfmove_clock = 0  # the history of a game is not in the key
        searcher = s22.Searcher(Noting(4), FastEvaluator(), SAFE)
        node(searcher, fresh, depth, alpha, alpha + width)
        deepest = sorted(table.values(), key=lambda found: -found[1][0])[:12]
        for position, (deep, bound, value, move) in deepest:
            position.halfmove_clock = 0
            again = s22.Searcher(NoTable(4), searcher.evaluator, SAFE)
            true = node(again, position, deep, -INFINITE, INFINITE, ply=0)
            if bound == s22.EXACT:
                assert value == true
            assert bound != s22.LOWER or value <= true
            assert bound != s22.UPPER or value >= true
            assert not move or move_of(move) in position.legal_moves


@pytest.mark.parametrize(
    ("bound", "value", "answers"),
    [
        *[(s22.EXACT, value, True) for value in (-500, 100, 101, 500)],
        *[(s22.LOWER, value, value > 100) for value in (-500, 100, 101, 500)],
        *[(s22.UPPER, value, value < 101) for value in (-500, 100, 101, 500)],
    ],
)
def test_an_entry_answers_if_it_is_deep_enough_and_its_bound_lies_on_its_side(
    bound: int, value: int, answers: bool
) -> None:
    board, key = chess.Board(), NumberBoard(chess.Board()).total
    for stored in (1, 2, 3):
        for beta in (101, 102):  # the window is open, or it is not
            searcher = searcher_of(SAFE)
            searcher.table.put(key, (stored, bound, value, 0))
            found = node(searcher, board, 2, 100, beta)
            assert (searcher.nodes == 0) is (answers and stored >= 2 and beta == 101)
            assert searcher.nodes or found == value


@pytest.mark.parametrize(
    ("clock", "depth", "answers"), [(97, 2, True), (97, 3, False), (98, 2, False)]
)
def test_an_entry_does_not_answer_where_the_fifty_moves_may_end(
    clock: int, depth: int, answers: bool
) -> None:
    board = chess.Board("8/8/8/7k/8/8/8/KR6 w - - 0 1")
    searcher = searcher_of(SAFE)
    searcher.table.put(NumberBoard(board).total, (5, s22.EXACT, 700, 0))
    board.halfmove_clock = clock
    assert (node(searcher, board, depth, 100, 101) == 700) is answers


def test_a_move_of_the_table_is_played_only_if_it_is_legal() -> None:
    board, engine = chess.Board(), s22.SearchEngine(megabytes=1)
    table, key = engine.searcher.table, NumberBoard(board).total
    for uci in ("e2e5", "e7e5", "e1g1", "e4e5", "e2e4q"):
        planted = number_of(chess.Move.from_uci(uci))
        table.put(key, (9, s22.LOWER, 500, planted))
        assert_plays(engine, board, Limit(depth=1))
        engine.searcher.begin(board)
        assert planted not in s22.first_order(engine.searcher)
        node(engine.searcher, board, 1, -INFINITE, INFINITE)
        entry = table.get(key)
        assert entry and entry[3] != planted
