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

from converted_notebooks.s08_evaluation import random_positions
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
    ZobristKey,
    bound_of,
    random_numbers,
)
from tests.generated import examples
from tests.positions import positions

CHECKMATE = IncrementalEvaluator().value_checkmate
MATES = [
    "8/8/8/8/4Q3/6K1/8/6k1 w - - 0 1",
    "7k/1Q2K3/8/8/8/8/8/8 w - - 0 1",
    "k7/8/2K5/8/8/8/8/7R w - - 0 1",
    "2k5/8/2K5/8/8/8/8/R7 b - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "8/8/8/8/8/2k5/8/K1q5 w - - 0 1",
]


@given(seed=st.integers(0, 2**32 - 1), chess960=st.booleans())
@examples(40)
def test_the_key_follows_long_games_with_null_moves(seed: int, chess960: bool) -> None:
    rng = random.Random(seed)
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    follower = ZobristKey()
    follower.init(board)
    keys = [follower.key()]
    while not board.is_game_over() and len(board.move_stack) < 150:
        moves = list(board.legal_moves)
        rare = [m for m in moves if m.promotion or board.is_castling(m) or board.is_en_passant(m)]
        move = rng.choice(rare or moves)
        if rng.random() < 0.05 and not board.is_check():
            move = chess.Move.null()
        follower.push(move)
        board.push(move)
        keys.append(follower.key())
        assert keys[-1] == HASHER(board)
    while board.move_stack:
        assert follower.key() == keys.pop()
        board.pop()
        follower.pop()
    assert follower.key() == keys.pop() == HASHER(board)


@given(board=positions())
@examples(200)
def test_with_the_numbers_of_polyglot_the_keys_are_those_of_polyglot(board: chess.Board) -> None:
    hasher = ZobristHasher(chess.polyglot.POLYGLOT_RANDOM_ARRAY)
    for _ in range(4):
        # Polyglot counts a capture en passant also where a pin forbids it.
        if board.has_pseudo_legal_en_passant() == board.has_legal_en_passant():
            assert hasher(board) == chess.polyglot.zobrist_hash(board)
        else:
            assert hasher(board) != chess.polyglot.zobrist_hash(board)
        double = [m for m in board.legal_moves if board.is_en_passant(m)] or [
            m
            for m in board.legal_moves
            if board.piece_type_at(m.from_square) == chess.PAWN
            and abs(m.from_square - m.to_square) == 16
        ]
        if not double:
            break
        board.push(double[0])


def test_castling_in_chess960_changes_the_key_of_both_pieces() -> None:
    for fen in ("1k6/8/8/8/8/8/8/RK5R w KQ - 0 1", "1k6/8/8/8/8/8/8/5RKR w KQ - 0 1"):
        board = chess.Board(fen, chess960=True)
        assert board.is_valid()
        castling = [move for move in board.legal_moves if board.is_castling(move)]
        assert castling
        for move in castling:
            follower = ZobristKey()
            follower.init(board)
            follower.push(move)
            board.push(move)
            assert follower.key() == HASHER(board)
            board.pop()


def test_all_that_decides_the_moves_is_in_the_key_and_counters_are_not() -> None:
    fens = [
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQq - 0 1",
    ]
    assert len({HASHER(chess.Board(fen)) for fen in fens}) == len(fens)
    late = chess.Board("r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 30 60")
    assert HASHER(late) == HASHER(chess.Board(fens[0]))


def test_the_numbers_are_fixed_and_a_wrong_count_is_an_error() -> None:
    assert random_numbers(random.Random(1970)) == NUMBERS and len(NUMBERS) == HOW_MANY
    assert len(set(NUMBERS)) == HOW_MANY and max(NUMBERS).bit_length() == 64
    for count in (0, 780, 782):
        with pytest.raises(ValueError, match=f"{count} numbers; expected 781"):
            ZobristHasher([1] * count)


@given(
    low=st.integers(-5, 5),
    width=st.integers(1, 6),
    true=st.integers(-8, 8),
    slack=st.integers(0, 4),
)
@examples(200)
def test_a_bound_that_settles_never_misleads(low: int, width: int, true: int, slack: int) -> None:
    high = low + width
    for bound, value in (
        (Bound.EXACT, true),
        (Bound.LOWER, true - slack),
        (Bound.UPPER, true + slack),
    ):
        if Entry(0, 1, bound, value, None, 0).settles(low, high):
            if value >= high:
                assert true >= high
            elif value <= low:
                assert true <= low
            else:
                assert value == true


@given(value=st.integers(-9, 9), low=st.integers(-5, 5), width=st.integers(1, 6))
@examples(100)
def test_a_result_settles_the_window_that_it_came_from(value: int, low: int, width: int) -> None:
    bound = bound_of(value, low, low + width)
    assert Entry(0, 1, bound, value, None, 0).settles(low, low + width)
    assert (bound == Bound.EXACT) == (low < value < low + width)


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
        engine = TableEngine(IncrementalEvaluator(), table=TranspositionTable(0.5))
        engine.play(middlegame_board, chess.engine.Limit(nodes=8000))
        assert engine.table.fullness > 0.2
        with_table, _ = tracemalloc.get_traced_memory()
        engine.table.capacity = 1
        engine.table.clear()
        without, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0 < with_table - without < 2**19
    assert without - before < 2**19, "nothing else grows: no dictionary of best moves"
    assert not engine.best_moves


def shortest_mate(board: chess.Board, depth: int) -> int | None:
    """Plies to mate if the side to move can force it (or cannot avoid it), by brute force."""
    if board.is_checkmate():
        return 0
    if depth == 0 or not any(board.legal_moves):
        return None
    results = []
    for move in board.legal_moves:
        board.push(move)
        results.append(shortest_mate(board, depth - 1))
        board.pop()
    wins = [plies for plies in results if plies is not None and plies % 2 == 0]
    if wins:
        return 1 + min(wins)
    if None in results:
        return None
    return 1 + max(plies for plies in results if plies is not None)


@pytest.mark.parametrize("fen", MATES)
def test_mate_distances_are_those_of_brute_force(fen: str) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        plies = shortest_mate(board, 4)
        assert plies is not None
        for engine in (
            MateDistanceEngine(IncrementalEvaluator(), 4),
            TableEngine(IncrementalEvaluator(), 4),
            TableEngine(IncrementalEvaluator(), 4, exact_depth=True),
        ):
            engine.play(board)
            score = engine.iterations[-1].best.score
            assert CHECKMATE - abs(score) == plies
            winner = board.turn if plies % 2 else not board.turn
            assert (score > 0) == (winner == chess.WHITE)


def test_the_distance_shrinks_with_every_ply_until_mate() -> None:
    for fen in ("2k5/8/8/2K5/8/8/8/R7 w - - 0 1", MATES[1]):
        board = chess.Board(fen)
        engine = TableEngine(IncrementalEvaluator(), 5)
        distances = []
        while not board.is_game_over():
            move = engine.play(board).move
            assert move is not None
            distances.append(CHECKMATE - abs(engine.iterations[-1].best.score))
            board.push(move)
        assert board.is_checkmate()
        assert distances == list(range(len(distances), 0, -1))


@given(board=positions())
@examples(15)
def test_same_depth_only_gives_the_value_without_a_table(board: chess.Board) -> None:
    depth = 3 if board.legal_moves.count() < 15 else 2
    before = board.fen(), list(board.move_stack)
    reference = MateDistanceEngine(IncrementalEvaluator(), depth)
    scored = reference.analyse(board)
    best = {entry.move for entry in scored if entry.score == scored[0].score}
    tiny = TranspositionTable(0.01, Replacement.ALWAYS)
    for table in (None, tiny):
        engine = TableEngine(IncrementalEvaluator(), depth, table=table, exact_depth=True)
        for _ in range(2):  # the second time with a table that is full
            assert engine.play(board).move in best
            assert engine.iterations[-1].best.score == scored[0].score
        values = {entry.move: entry.score for entry in engine.analyse(board)}
        assert values == {entry.move: entry.score for entry in scored}
    assert (board.fen(), list(board.move_stack)) == before


def test_a_whole_game_with_one_table_changes_no_value() -> None:
    board = chess.Board("8/5pk1/4p1p1/1p2P2p/1P3P1P/r5P1/5K2/3R4 w - - 0 1")
    engine = TableEngine(IncrementalEvaluator(), 3, exact_depth=True)
    for _ in range(8):
        move = engine.play(board).move
        assert move is not None
        reference = MateDistanceEngine(IncrementalEvaluator(), 3)
        reference.play(board)
        assert engine.iterations[-1].best.score == reference.iterations[-1].best.score
        board.push(move)


@pytest.mark.parametrize("fen", [MATES[0], MATES[4], MATES[5]])
@pytest.mark.parametrize("kind", [MateDistanceEngine, TableEngine])
def test_no_deeper_than_the_mate(kind: type[MateDistanceEngine], fen: str) -> None:
    board, limit = chess.Board(fen), chess.engine.Limit(nodes=100_000)
    engine = kind(IncrementalEvaluator())
    engine.play(board, limit)
    played = engine.iterations
    scored = engine.analyse(board, limit)
    # The last iteration looks as many plies ahead as the mate takes.
    for iterations in (played, engine.iterations):
        assert iterations[-1].depth == CHECKMATE - abs(iterations[-1].best.score)
    assert abs(scored[0].score) == CHECKMATE - len(engine.iterations)


@pytest.mark.parametrize("nodes", [0, 1, 50, 2000])
def test_a_limit_of_nodes_is_kept_and_leaves_the_engine_sound(nodes: int) -> None:
    engine = TableEngine(IncrementalEvaluator(), 2, exact_depth=True)
    move = engine.play(middlegame_board, chess.engine.Limit(nodes=nodes)).move
    assert move in middlegame_board.legal_moves
    assert engine.statistics.nodes + engine.statistics.cache_hits <= nodes
    engine.play(middlegame_board)
    reference = MateDistanceEngine(IncrementalEvaluator(), 2)
    reference.play(middlegame_board)
    assert engine.iterations[-1].best.score == reference.iterations[-1].best.score


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


def test_a_table_can_be_used_without_its_moves() -> None:
    for board in random_positions(5, random.Random(8)):
        scores = []
        for ordering in (Ordering.FULL, Ordering.MVV_LVA, Ordering.NONE):
            engine = TableEngine(IncrementalEvaluator(), 2, ordering, exact_depth=True)
            engine.play(board)
            scores.append(engine.iterations[-1].best.score)
        assert len(set(scores)) == 1
