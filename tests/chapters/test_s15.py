"""Transposition tables: keys that follow, memory that is kept, values that stay."""

from __future__ import annotations

import random
import tracemalloc

import chess
import chess.engine
import chess.polyglot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s09_minimax_engine import middlegame_board
from converted_notebooks.s13_incremental_evaluation import IncrementalEvaluator
from converted_notebooks.s14_move_ordering import Ordering
from converted_notebooks.s15_transposition_table import (
    HASHER,
    HOW_MANY,
    NUMBERS,
    Bound,
    Entry,
    MateDistanceEngine,
    Replacement,
    TableEngine,
    TranspositionTable,
    ZobristHasher,
    bound_of,
    random_numbers,
)
from tests.generated import examples
from tests.positions import positions
from tests.properties import assert_bound, assert_plays, assert_same_scores, by_move

Limit = chess.engine.Limit
CHECKMATE = IncrementalEvaluator().value_checkmate
MATES = {  # plies
    "8/8/8/8/4Q3/6K1/8/6k1 w - - 0 1": 1,
    "7k/1Q2K3/8/8/8/8/8/8 w - - 0 1": 3,
    "k7/8/2K5/8/8/8/8/7R w - - 0 1": 3,
    "2k5/8/2K5/8/8/8/8/R7 b - - 0 1": 4,
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1": 1,
    "8/8/8/8/8/2k5/8/K1q5 w - - 0 1": 2,
}


@given(board=positions())
@examples()
def test_with_the_numbers_of_polyglot_the_keys_are_those_of_polyglot(board: chess.Board) -> None:
    hasher = ZobristHasher(chess.polyglot.POLYGLOT_RANDOM_ARRAY)
    pawns = chess.SquareSet(board.pawns & board.occupied_co[board.turn])
    steps = [m for m in board.legal_moves if m.from_square in pawns and m.to_square not in pawns]
    for move in [None, *steps]:
        after = board.copy(stack=False)
        if move:
            after.push(move)
        # Polyglot counts a capture en passant also where a pin forbids it.
        same = after.has_pseudo_legal_en_passant() == after.has_legal_en_passant()
        assert (hasher(after) == chess.polyglot.zobrist_hash(after)) == same


def test_all_that_decides_the_moves_is_in_the_key_and_counters_are_not() -> None:
    place = "r3k2r/8/8/3pP3/8/8/8/R3K2R"
    states = ("w KQkq -", "b KQkq -", "w KQkq d6", "w KQk -", "w Kkq -", "w Qkq -", "w KQq -")
    keys = [HASHER(chess.Board(f"{place} {state} 0 1")) for state in states]
    assert len(set(keys)) == len(states)
    assert HASHER(chess.Board(f"{place} {states[0]} 30 60")) == keys[0]


def test_the_numbers_are_fixed_and_a_wrong_count_is_an_error() -> None:
    assert random_numbers(random.Random(1970)) == NUMBERS and len(NUMBERS) == HOW_MANY
    assert len(set(NUMBERS)) == HOW_MANY and max(NUMBERS).bit_length() == 64
    for count in (0, 780, 782):
        with pytest.raises(ValueError, match=f"{count} numbers; expected 781"):
            ZobristHasher([1] * count)


windows = st.tuples(st.integers(-5, 5), st.integers(1, 6)).map(lambda w: (w[0], w[0] + w[1]))


@given(window=windows, true=st.integers(-8, 8), slack=st.integers(0, 4))
@examples(200)
def test_a_bound_that_settles_never_misleads(
    window: tuple[int, int], true: int, slack: int
) -> None:
    for bound, value in (
        (Bound.EXACT, true),
        (Bound.LOWER, true - slack),
        (Bound.UPPER, true + slack),
    ):
        if Entry(0, 1, bound, value, None, 0).settles(*window):
            assert_bound(value, true, *window)
    bound = bound_of(true, *window)
    assert Entry(0, 1, bound, true, None, 0).settles(*window), "where it came from"
    assert (bound == Bound.EXACT) == (window[0] < true < window[1])


entries = st.builds(
    Entry,
    st.integers(0, 40),
    st.integers(1, 6),
    st.sampled_from(Bound),
    st.integers(-9, 9),
    st.none(),
    st.integers(0, 2),
)


@given(puts=st.lists(entries, max_size=60), replacement=st.sampled_from(Replacement))
@examples(150)
def test_the_table_holds_what_was_put_and_nothing_else(
    puts: list[Entry], replacement: Replacement
) -> None:
    table = TranspositionTable(7 * 280 / 2**20 + 1e-9, replacement)
    assert table.capacity == 7
    model: dict[int, Entry] = {}
    for entry in puts:
        place = entry.key % 7
        old = model.get(place)
        stays = (
            replacement is Replacement.SHALLOWER
            and old is not None
            and old.age == entry.age
            and old.depth > entry.depth
        )
        table.put(entry)
        if not stays:
            model[place] = entry
        assert table.get(entry.key) == (model[place] if model[place].key == entry.key else None)
    for key in range(41):
        known = model.get(key % 7)
        assert table.get(key) == (known if known and known.key == key else None)
    assert table.used == len(model) and table.fullness == len(model) / 7
    table.clear()
    assert table.fullness == 0 and all(table.get(key) is None for key in range(41))


@pytest.mark.parametrize("megabytes", [0, -1, 1e-6])
def test_a_table_without_room_is_an_error(megabytes: float) -> None:
    with pytest.raises(ValueError, match="hold no entry; expected more"):
        TranspositionTable(megabytes)


def test_a_search_stays_within_the_memory_of_its_table() -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        engine = TableEngine(IncrementalEvaluator(), table=TranspositionTable(0.2))
        engine.play(middlegame_board, Limit(nodes=3000))
        assert engine.table.fullness > 0.2
        with_table, _ = tracemalloc.get_traced_memory()
        engine.table.capacity = 1
        engine.table.clear()
        without, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0 < with_table - without < 0.2 * 2**20
    assert without - before < 0.2 * 2**20, "nothing else grows: no dictionary of best moves"
    assert not engine.best_moves


@pytest.mark.parametrize(("fen", "plies"), MATES.items())
def test_mates_have_their_distance_and_end_the_search(fen: str, plies: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        for engine in (
            MateDistanceEngine(IncrementalEvaluator()),
            TableEngine(IncrementalEvaluator()),
            TableEngine(IncrementalEvaluator(), exact_depth=True),
        ):
            engine.play(board, Limit(depth=6))
            best = engine.iterations[-1].best
            winner = board.turn if plies % 2 else not board.turn
            assert best.score == PLAYER_MULTIPLIER[winner] * (CHECKMATE - plies)
            # The last iteration looks as many plies ahead as the mate takes.
            assert engine.iterations[-1].depth == plies
            assert engine.analyse(board, Limit(depth=6))[0].score == best.score
            assert engine.iterations[-1].depth == plies


def test_a_forced_mate_is_played_to_its_end() -> None:
    board = chess.Board("2k5/8/8/2K5/8/8/8/R7 w - - 0 1")
    engine = TableEngine(IncrementalEvaluator(), 5)
    for plies in range(5, 0, -1):
        board.push(assert_plays(engine, board))
        assert CHECKMATE - abs(engine.iterations[-1].best.score) == plies
    assert board.is_checkmate()


@given(board=positions())
@examples(12)
def test_same_depth_only_gives_the_value_without_a_table(board: chess.Board) -> None:
    depth = 3 if board.legal_moves.count() < 15 else 2
    reference = MateDistanceEngine(IncrementalEvaluator(), depth)
    scored = reference.analyse(board)
    tiny = TranspositionTable(0.01, Replacement.ALWAYS)
    for table, ordering in ((None, Ordering.FULL), (tiny, Ordering.FULL), (None, Ordering.NONE)):
        engine = TableEngine(IncrementalEvaluator(), depth, ordering, table, exact_depth=True)
        for _ in range(2):  # the second time with a table that is full
            move = assert_plays(engine, board)
            assert by_move(scored)[move] == engine.iterations[-1].best.score == scored[0].score
        assert_same_scores(engine, reference, board)


def test_a_new_game_forgets_and_a_search_ages_the_table() -> None:
    engine = TableEngine(IncrementalEvaluator(), 3)
    engine.play(middlegame_board)
    first = engine.statistics
    assert engine.table.age == 1 and engine.table.used > 0
    engine.play(middlegame_board)
    assert engine.table.age == 2 and engine.statistics.nodes < first.nodes
    engine.new_game()
    assert engine.table.used == 0 and engine.table.age == 0
    engine.play(middlegame_board)
    assert engine.statistics == first
