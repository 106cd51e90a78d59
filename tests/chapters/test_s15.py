"""Transposition tables: keys that follow, memory that is kept, values that stay."""

from __future__ import annotations

import functools
import itertools
import math
import random
import tracemalloc

import chess
import chess.engine
import chess.polyglot
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import finished
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s09_minimax_engine import SearchStatistics, middlegame_board
from converted_notebooks.s13_incremental_evaluation import IncrementalEvaluator
from converted_notebooks.s14_move_ordering import Ordering, in_stages
from converted_notebooks.s15_transposition_table import (
    HASHER,
    HOW_MANY,
    NUMBERS,
    Bound,
    Entry,
    Frontier,
    Replacement,
    TableEngine,
    TranspositionTable,
    ZobristHasher,
    ZobristKey,
    bound_of,
    from_node,
    random_numbers,
    remembered_line,
    repeated_squares,
    replies_remain,
    search_frontier,
    value_after,
)
from tests.helpers.engines import MovingEngine
from tests.helpers.generated import examples
from tests.helpers.positions import after, mirrored, positions, retreat
from tests.helpers.properties import assert_bound, assert_plays, unchanged
from utils.exercises.positions import BACK_RANK

Limit = chess.engine.Limit
CHECKMATE = IncrementalEvaluator().value_checkmate
MATES = {  # plies
    "8/8/8/8/4Q3/6K1/8/6k1 w - - 0 1": 1,
    "7k/1Q2K3/8/8/8/8/8/8 w - - 0 1": 3,
    "k7/8/2K5/8/8/8/8/7R w - - 0 1": 3,
    "2k5/8/2K5/8/8/8/8/R7 b - - 0 1": 4,
    BACK_RANK: 1,
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
    usual = TranspositionTable(300 / 2**20)
    assert (usual.capacity, usual.replacement) == (1, Replacement.SHALLOWER)


def test_a_line_may_begin_with_castling_in_chess960() -> None:
    board = chess.Board("1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1", chess960=True)
    castling = next(filter(board.is_castling, board.legal_moves))
    assert remembered_line(board, castling, lambda _: None) == (castling,)


def test_a_line_follows_what_is_remembered_for_ten_plies_at_most() -> None:
    start, game = chess.Board(), chess.Board()
    for number in range(14):
        game.push(list(game.legal_moves)[number])
    moves, following = game.move_stack, list[chess.Move | None]()
    for no_move in (None, chess.Move.from_uci("e2e5")):
        for known in range(1, 15):
            following[:] = [*moves[1:known], no_move]
            with unchanged(start):
                line = remembered_line(start, moves[0], lambda _: following.pop(0))
            assert line == tuple(moves[: min(known, 10)])


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


@given(plies=st.integers(0, 499), ply=st.integers(0, 60), score=st.integers(0, 29_499))
@examples(60)
def test_a_mate_is_nearer_from_a_node_below_and_other_scores_stay(
    plies: int, ply: int, score: int
) -> None:
    for sign in (-1, 1):
        at_node = from_node(sign * (30_000 - plies), ply, 30_000)
        assert at_node == sign * (30_000 - (plies - ply))
        assert from_node(at_node, -ply, 30_000) == sign * (30_000 - plies)
        assert from_node(sign * (29_499 - score), ply, 30_000) == sign * (29_499 - score)


@pytest.mark.parametrize(("fen", "plies"), MATES.items())
def test_mates_have_their_distance_and_end_the_search(fen: str, plies: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        for engine in (
            TableEngine(IncrementalEvaluator(), use_values=False),
            TableEngine(IncrementalEvaluator()),
            TableEngine(IncrementalEvaluator(), exact_depth=True),
        ):
            engine.play(board, Limit(depth=6))
            best = engine.iterations[-1].best
            winner = board.turn if plies % 2 else not board.turn
            assert best.score == PLAYER_MULTIPLIER[winner] * (CHECKMATE - plies)
            # The last iteration looks as many plies ahead as the mate takes.
            assert engine.iterations[-1].depth == len(engine.iterations[-1].line) == plies
            assert engine.analyse(board, Limit(depth=6))[0].score == best.score
            assert engine.iterations[-1].depth == plies


def plain_value(board: chess.Board, depth: int, ply: int = 0) -> float:
    """The value by definition: no window, no table, no keys; a repeated position is a draw."""
    evaluator = IncrementalEvaluator()
    if ply and board.is_repetition(2):
        return 0
    ended = evaluator.evaluate(board)
    if ended is not None:
        return ended + ply if ended else 0
    if depth == 0:
        return evaluator.heuristic(board)
    best = -math.inf
    for move in list(board.legal_moves):
        board.push(move)
        best = max(best, -plain_value(board, depth - 1, ply + 1))
        board.pop()
    return best


FEW_MOVES = [
    "8/8/8/8/3k4/8/1r6/K7 b - - 97 70",
    "8/5k2/8/8/8/2K5/3R4/6r1 b - - 0 1",
    "7k/8/8/8/8/8/n7/K6N w - - 0 1",
    "k7/2P5/1K6/8/8/8/5n2/8 w - - 0 1",
    "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1",
    "6k1/6p1/8/7Q/8/8/qr4PP/7K w - - 0 1",
]


@example(after("8/8/6k1/8/3R4/8/8/K7 w - - 0 1", "Rd3 Kg7 Rd2 Kh7 Rd4"), 1)  # six plies
@given(board=positions(8, FEW_MOVES, retreats=True), depth=st.integers(1, 4))
@examples(30)
def test_a_position_that_was_there_before_is_a_draw(board: chess.Board, depth: int) -> None:
    assume(board.legal_moves.count() < 9 or depth < 4)
    tiny = TranspositionTable(0.01, Replacement.ALWAYS)
    expected = functools.cache(functools.partial(plain_value, board))
    for ordering, table, use_values in (
        (Ordering.FULL, None, True),
        (Ordering.FULL, None, False),
        (Ordering.NONE, tiny, True),
    ):
        engine = TableEngine(IncrementalEvaluator(), depth, ordering, table, True, use_values)
        for _ in range(2):  # the second time with a table that is full
            with unchanged(board):
                engine.play(board)
            assert engine.last_search is not None
            value = PLAYER_MULTIPLIER[board.turn] * engine.last_search.best.score
            assert value == expected(engine.last_search.depth)


@pytest.mark.parametrize("nodes", [300, 2000])
def test_an_engine_that_is_ahead_does_not_repeat(nodes: int) -> None:
    """Black always steps back to where it was; White, three pieces ahead, has to win."""
    board = chess.Board("7Q/p4k2/8/8/3P4/3B4/PP3PPP/3R2K1 w - - 0 1")
    engine = TableEngine(IncrementalEvaluator())
    while finished(board) is None:
        if board.turn == chess.WHITE:
            board.push(assert_plays(engine, board, Limit(nodes=nodes)))
            assert not board.is_repetition(2)
        else:
            board.push(retreat(board) or next(iter(board.legal_moves)))
    assert board.is_checkmate()


@given(board=positions(20))
@examples(6)
def test_every_stored_value_is_a_true_bound(board: chess.Board) -> None:
    """Each entry of a small search against a search from its position without a table."""
    assume(board.legal_moves.count() < 24)
    stored: dict[str, tuple[chess.Board, Entry]] = {}

    class Watched(TableEngine):
        def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
            before = board.copy()
            before.pop()
            assert self.path[-1] == HASHER(before), "so that repetitions are seen"
            value = super()._value(board, depth, alpha, beta)
            entry = self.table.get(self.keys.key())
            if entry and entry.depth:
                stored[f"{board.epd()} {entry.depth}"] = board.copy(), entry
            return value

    Watched(IncrementalEvaluator(), 3, exact_depth=True).play(board)
    for place, entry in list(stored.values())[:40]:
        true = plain_value(place.copy(stack=False), entry.depth)
        if abs(true) < CHECKMATE - 100:
            assert entry.bound == Bound.UPPER or entry.value <= true
            assert entry.bound == Bound.LOWER or entry.value >= true


@pytest.mark.parametrize(
    ("clock", "exact_depth", "use_values", "kept"),
    [
        (1, True, True, True),
        (2, True, True, False),  # the fourth reversible ply can repeat a position
        (2, False, True, True),
        (97, False, True, True),
        (98, False, True, False),  # the fiftieth move is near
        (0, False, False, False),
    ],
)
def test_moves_are_kept_everywhere_and_values_where_they_hold_for_all_roads(
    clock: int, exact_depth: bool, use_values: bool, kept: bool
) -> None:
    board = chess.Board(f"8/8/8/3k4/8/8/8/R3K3 w - - {clock} 70")
    engine = TableEngine(IncrementalEvaluator(), 2, exact_depth=exact_depth, use_values=use_values)
    engine.play(board)
    for move in board.legal_moves:
        board.push(move)
        entry = engine.table.get(HASHER(board))
        board.pop()
        assert entry and entry.move and entry.depth == kept
        assert kept or (entry.bound, entry.value) == (Bound.LOWER, -math.inf)
    assert engine.table.used == board.legal_moves.count(), "nothing of the leaves"


@pytest.mark.parametrize("exact_depth", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_entry_answers_if_it_is_deep_enough(depth: int, exact_depth: bool) -> None:
    root = chess.Board("8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    engine = TableEngine(IncrementalEvaluator(), exact_depth=exact_depth)
    engine._begin(root)
    engine._make(root, chess.Move.from_uci("a1b1"))
    for value, from_root in (
        (777, 777),
        (CHECKMATE - 6, CHECKMATE - 7),
        (6 - CHECKMATE, 7 - CHECKMATE),
    ):
        engine.table.put(Entry(HASHER(root), depth, Bound.EXACT, value, None, 1))
        answered = engine._value(root, 2, -math.inf, math.inf) == from_root
        assert answered == (depth == 2 or (depth == 3 and not exact_depth))


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


# Positions, each with a move after which the game is over, or that gives check in its own way.
ENDS = [
    ("r7/1P6/8/8/7k/8/4K1b1/8 w - - 0 1", "bxa8=B"),  # two bishops on squares of one colour
    ("6k1/1p3ppp/8/8/8/8/8/R3K2R w KQ - 0 1", "Ra8#"),
    ("5k2/pp6/8/8/8/8/7P/4K2R w K - 0 1", "O-O+"),
    ("4k3/pp6/8/4N3/8/8/4R3/4K3 w - - 0 1", "Nc4+"),  # uncovers the rook
    ("4k3/1p6/8/KPp5/8/8/8/8 w - c6 0 1", "bxc6"),
    ("8/pp6/8/3k4/8/8/2P5/K7 w - - 0 1", "c4+"),
    ("8/pp6/8/3k4/8/8/8/KN6 w - - 0 1", "Nc3+"),
    ("8/pp6/8/3k4/8/8/8/KB6 w - - 0 1", "Ba2+"),
    ("7k/5Q2/8/8/8/8/p7/K7 w - - 0 1", "Kxa2"),
    ("k7/pp6/8/8/8/5P2/8/R5K1 w - - 99 90", "f4"),
    ("k7/pp6/8/8/8/5P2/8/R5K1 w - - 99 90", "Rb1"),
]


@given(board=positions(60))
@example(chess.Board("8/8/8/1k1pP2Q/8/8/pp6/7K w - d6 0 1"))  # en passant uncovers a check
@example(chess.Board("r3k3/P2p1ppp/8/8/8/8/Pp1P2PP/2Q3K1 b q - 3 2"))  # promotions with check
@examples(300)
def test_the_game_goes_on_where_a_frontier_says_so(board: chess.Board) -> None:
    frontier = Frontier(board)
    sure = frontier.is_sure and replies_remain(board)
    assert sure == frontier.is_sure
    for move in list(board.legal_moves) if sure else ():
        says = frontier.goes_on_after(move)
        board.push(move)
        if says:
            assert not board.is_check() and any(board.legal_moves)
            assert not board.is_insufficient_material() and not board.is_fifty_moves()
        board.pop()


@pytest.mark.parametrize(("fen", "san"), ENDS)
def test_a_frontier_promises_nothing_where_the_game_may_end(fen: str, san: str) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        move = chess.Board(fen).parse_san(san)
        if board.turn == chess.BLACK:
            move = mirrored(move)
        frontier = Frontier(board)
        assert not (frontier.is_sure and frontier.goes_on_after(move))


def test_a_frontier_settles_most_moves_of_a_middlegame() -> None:
    """All but checks, castling, and other moves of a king that may castle."""
    quiet = chess.Board("r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6")
    made = []
    for board in (quiet, quiet.mirror()):
        frontier = Frontier(board)
        assert frontier.is_sure
        made.append({m for m in board.legal_moves if not frontier.goes_on_after(m)})
    assert {quiet.san(m) for m in made[0]} == {"Bxf7+", "O-O", "Ke2", "Kf1", "Kd2"}
    assert made[1] == set(map(mirrored, made[0]))


@pytest.mark.parametrize(
    ("fen", "sure"),
    [
        ("4k3/5p2/n6n/8/8/8/7P/R3K3 w - - 0 60", True),
        ("4k3/5p2/n6n/8/8/8/8/R3K3 w - - 0 60", False),  # a promotion may take both
        ("4k3/5p2/n6n/8/8/8/7P/R3K3 w - - 98 60", True),
        ("4k3/5p2/n6n/8/8/8/7P/R3K3 w - - 99 60", False),  # any move ends the game
    ],
)
def test_a_frontier_is_sure_as_long_as_no_move_can_draw(fen: str, sure: bool) -> None:
    board = chess.Board(fen)
    assert Frontier(board).is_sure is Frontier(board.mirror()).is_sure is sure


def test_a_repeated_leaf_is_a_draw_for_the_side_to_move_there() -> None:
    board, evaluator, keys = chess.Board(), IncrementalEvaluator(), ZobristKey()
    evaluator.init(board)
    keys.init(board)
    evaluator.value_draw = -30  # it would rather play on
    move = chess.Move.from_uci("g1f3")
    assert value_after(evaluator, keys, {keys.squares_after(move)}, move) == 30
    assert value_after(evaluator, keys, set(), move) == evaluator.score_after(move)


@pytest.mark.parametrize(
    ("fen", "remain"),
    [
        ("7k/8/8/8/pp6/8/8/4K3 w - - 0 1", True),
        ("7k/8/8/8/p7/8/8/4K3 w - - 0 1", False),  # one pawn can be taken
        ("7k/8/8/8/pp6/PP6/8/4K3 w - - 0 1", False),  # both are blocked
        ("7k/n7/p7/8/8/8/8/4K3 w - - 0 1", True),
        ("7k/rn6/pp6/PP6/8/8/8/4K3 w - - 0 1", True),
        ("7k/1n6/pp6/PP6/8/8/8/4K3 w - - 0 1", False),  # the knight alone
        ("8/8/8/8/8/8/pp6/k1K5 w - - 0 1", False),  # on a line with the king
        ("7k/8/8/8/8/8/pp6/R1K5 w - - 0 1", False),  # a2 is blocked, b2 on the diagonal
        ("1n5k/b7/1p1p4/1P6/8/8/8/4K3 w - - 0 1", False),  # a pawn; the bishop is shut in
        ("1n5k/b7/3p4/1P6/8/8/8/4K3 w - - 0 1", True),
        ("7k/8/8/3pp3/8/8/8/4K3 w - - 0 1", False),  # e5 is on the diagonal of the king
        ("7k/8/8/2pp4/8/8/8/4K3 w - - 0 1", True),
        ("7k/8/8/3p3p/8/8/8/4K3 w - - 0 1", False),  # h5 is on its file
    ],
)
def test_two_pieces_that_can_move_are_needed(fen: str, remain: bool) -> None:
    board = chess.Board(fen)
    assert replies_remain(board) is replies_remain(board.mirror()) is remain
    assert not replies_remain(chess.Board("8/pp6/8/8/8/8/8/K7 w - - 0 1")), "without a king"


@example(board=chess.Board("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1"))
@example(board=chess.Board("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1"))
@given(board=positions(40))
@examples(60)
def test_the_key_of_the_squares_is_known_before_a_move(board: chess.Board) -> None:
    key = ZobristKey()
    key.init(board)
    for move in list(board.legal_moves):
        squares = key.squares_after(move)
        after_move = board.copy(stack=False)
        after_move.push(move)
        assert squares == HASHER.squares_key(after_move)
    assert key.key() == HASHER(board), "the stack stays as it is"


@given(board=positions(40, retreats=True), depth=st.integers(1, 3))
@examples(40)
def test_values_do_not_depend_on_whether_moves_are_made(board: chess.Board, depth: int) -> None:
    """Positions repeat often here, so that the keys of moves that are not made are compared."""
    for exact_depth in (True, False):
        values = []
        for kind in (TableEngine, MovingEngine):
            engine = kind(IncrementalEvaluator(), depth, exact_depth=exact_depth)
            engine.play(board)
            assert engine.last_search is not None
            values.append((engine.last_search.best.score, len(engine.iterations)))
        assert values[0] == values[1]


def test_positions_that_a_move_repeats_are_found_before_it_is_made() -> None:
    start, board = chess.Board(), after(chess.STARTING_FEN, "Nf3 Nf6 Ng1")
    evaluator, keys, path, past = IncrementalEvaluator(), ZobristKey(), [], chess.Board()
    for move in board.move_stack:
        path.append(HASHER(past))
        past.push(move)
    path.append(HASHER(board))
    evaluator.init(board)
    keys.init(board)
    repeated = repeated_squares(board, keys, path)
    assert repeated == {HASHER.squares_key(start)}
    judge = functools.partial(value_after, evaluator, keys, repeated)
    assert judge(chess.Move.from_uci("f6g8")) == 0
    assert (
        judge(chess.Move.from_uci("f6g4"))
        == evaluator.score_after(chess.Move.from_uci("f6g4"))
        != 0
    )
    keys.init(start)
    assert repeated_squares(start, keys, path[:1]) == set()
    fresh = after(chess.STARTING_FEN, "Nf3 Nf6 Ng1 d5")  # a pawn move: nothing can return
    keys.init(fresh)
    assert repeated_squares(fresh, keys, [*path, HASHER(fresh)]) == set()


def test_a_repetition_after_six_plies_is_found() -> None:
    board = after("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "Ra2 Kd8 Ra3 Kd7 Ra1")
    engine = TableEngine(IncrementalEvaluator())
    engine._begin(board)
    back = engine.keys.squares_after(chess.Move.from_uci("d7e8"))
    assert back in repeated_squares(board, engine.keys, engine.path)


def test_a_stored_move_is_found_and_a_value_that_settles_is_one_hit() -> None:
    engine, board = TableEngine(IncrementalEvaluator()), middlegame_board.copy()
    assert engine.max_look_ahead_depth == 2
    engine._begin(board)
    move = next(iter(board.legal_moves))
    engine.table.put(Entry(HASHER(board), 5, Bound.EXACT, 12, move, engine.table.age))
    assert engine._hash_move(board) == move
    assert engine._value(board, 5, -math.inf, math.inf) == 12
    assert (engine.statistics.cache_hits, engine.statistics.nodes) == (1, 0)


def test_fewer_moves_are_made_than_leaves_are_judged() -> None:
    made = []
    for kind in (TableEngine, MovingEngine):

        class Counting(kind):  # type: ignore[misc, valid-type]
            moves = 0

            def _make(self, board: chess.Board, move: chess.Move) -> None:
                self.moves += 1
                super()._make(board, move)

        engine = Counting(IncrementalEvaluator(), 2)
        engine.play(middlegame_board)
        made.append(engine.moves)
    assert made[0] < made[1]


@pytest.mark.parametrize("board", [chess.Board(), chess.Board().mirror()], ids=["white", "black"])
@pytest.mark.parametrize("place", [0, 2, None])
def test_a_frontier_is_cut_off_by_a_leaf_worth_beta(board: chess.Board, place: int | None) -> None:
    moves, statistics = list(itertools.chain.from_iterable(in_stages(board))), SearchStatistics()
    best = None if place is None else moves[place]
    found = search_frontier(
        Frontier(board),
        judge=lambda move: int(move == best),
        search=lambda *_: pytest.fail("nothing has to be searched here"),
        window=(-1, 1),
        statistics=statistics,
    )
    leaves = 20 if place is None else place + 1
    nodes = (1, leaves) if board.turn else (leaves, 1)
    assert found == (int(best is not None), best or moves[0])
    assert statistics == SearchStatistics(*nodes, leaves, int(best is not None), int(place == 0))


def test_a_frontier_without_a_move_counts_nothing() -> None:
    mated, statistics = chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), SearchStatistics()
    found = search_frontier(Frontier(mated), lambda move: 0, lambda *_: 0, (-1, 1), statistics)
    assert found == (-math.inf, None) and statistics == SearchStatistics()


@pytest.mark.parametrize("nodes", [1, 30, 200, 1000])
def test_leaves_whose_moves_are_not_made_count_for_a_limit(nodes: int) -> None:
    engine = TableEngine(IncrementalEvaluator())
    engine.play(middlegame_board, Limit(nodes=nodes))
    assert 0 < engine.statistics.nodes <= nodes
    deep, shallow = (TableEngine(IncrementalEvaluator()) for _ in range(2))
    deep.play(middlegame_board, Limit(nodes=nodes))
    shallow.play(middlegame_board, Limit(depth=len(deep.iterations) or 1))
    assert not deep.iterations or shallow.statistics.nodes <= nodes


def test_without_hash_moves_the_stored_move_is_not_tried_first() -> None:
    board = chess.Board()
    *_, last = board.legal_moves
    for ordering in (Ordering.NONE, Ordering.FULL & ~Ordering.HASH_MOVE, Ordering.HASH_MOVE):
        engine = TableEngine(IncrementalEvaluator(), 2, ordering)
        engine._begin(board)
        engine.table.put(Entry(HASHER(board), 1, Bound.EXACT, 0, last, 1))
        tried_first = next(iter(engine._moves(board, 2))) == last
        assert tried_first == (Ordering.HASH_MOVE in ordering)


def test_a_move_that_uncovers_a_check_on_a_diagonal_is_made() -> None:
    board = chess.Board("4k3/pp6/8/1N6/B7/8/7P/4K3 w - - 0 1")
    for image in (board, board.mirror()):
        frontier = Frontier(image)
        assert frontier.is_sure
        uncovering = list(filter(image.gives_check, image.legal_moves))
        assert uncovering and not any(map(frontier.goes_on_after, uncovering))
