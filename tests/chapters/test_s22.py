"""The search of the tournament engine: true bounds, limits, rules, and moves of the table."""

from __future__ import annotations

import dataclasses
import gc
import itertools
import random
import time
from collections.abc import Sequence

import chess
import chess.engine
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s04_engine_interface import Iteration
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s11_iterative_deepening import LimitReachedError, seconds_for_move
from converted_notebooks.s16_quiescence_search import static_exchange
from converted_notebooks.s20_board_of_numbers import (
    NumberBoard,
    captures,
    chess_board,
    king_state,
    make,
    move_of,
    number_of,
    quiets,
)
from converted_notebooks.s21_fast_evaluation import INFINITE, SURE, FastEvaluator
from tests.helpers.generated import examples
from tests.helpers.positions import BATTERIES, KNOWN_SCORES, STARTS, positions
from tests.helpers.properties import assert_analysis, assert_plays
from tests.helpers.tournament import NAMES, NO_PARTS, SAFE, node, searcher_of
from utils.exercises.positions import BACK_RANK, MIDDLEGAME

PROVE = examples(60)
CASTLING = STARTS[1]
NOISY = [
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 1",
    MIDDLEGAME,
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "2rq1rk1/pb2bppp/1pn1pn2/3p4/3P1B2/2NBPN2/PP2QPPP/2R2RK1 w - - 0 12",
]


class NoTable(s22.HashTable):
    """What is found elsewhere in the tree may be deeper: without a table nothing is."""

    def get(self, key: int) -> None:
        return None


# What games have chosen


class Plain(FastEvaluator):
    """Counts pieces and how far they are from the edges, so tuned weights change no search."""

    def score(self, board: NumberBoard, alpha: int = -INFINITE, beta: int = INFINITE) -> int:
        total, own = 5, board.masks[7]
        for square, kind in enumerate(board.kinds):
            if kind:
                rank, file = divmod(square, 8)
                worth = s22.EXCHANGE_VALUES[kind] + rank * (7 - rank) + file * (7 - file)
                total += worth if own >> square & 1 else -worth
        return total


def test_every_part_changes_the_effort_and_nothing_else_has() -> None:
    """The margins were chosen by games. Who changes one plays games again, then corrects this."""
    nodes = {}
    for name in ["", *NAMES]:
        parts = s22.Parts(**{name: False}) if name else s22.ALL_PARTS
        engine, total = s22.SearchEngine(4, parts), 0
        engine.searcher.evaluator = Plain()
        for fen in (STARTS[2], NOISY[1]):
            engine.new_game()
            assert_plays(engine, chess.Board(fen), Limit(depth=6))
            total += engine.searcher.nodes
        nodes[name] = total
    assert nodes == {
        "": 9770,
        "aspiration_windows": 9275,
        "check_extension": 8428,
        "delta_pruning": 15649,
        "futility_pruning": 10183,
        "internal_iterative_reduction": 9891,
        "late_move_pruning": 20827,
        "late_move_reductions": 12714,
        "null_move_pruning": 10805,
        "principal_variation_search": 9085,
        "razoring": 10047,
        "reverse_futility_pruning": 13621,
        "static_exchange_pruning": 10263,
    }


# What the search knows about a move


@PROVE
@given(positions())
def test_checks_are_those_of_the_slow_way(board: chess.Board) -> None:
    squares = s22.check_squares(NumberBoard(board))
    king = board.pieces(chess.KING, not board.turn)
    assert squares[0] == squares[chess.KING] == 0
    for move in board.legal_moves:
        if not move.promotion:
            kind = board.piece_type_at(move.from_square) or 0
            board.push(move)
            gives_check = bool(board.attacks(move.to_square) & king)
            board.pop()
            assert squares[kind] >> move.to_square & 1 == gives_check, (board.fen(), move)


def test_exchanges_win_what_they_win_in_the_slow_way() -> None:
    compared = 0
    known = map(chess.Board, (*STARTS, *BATTERIES))
    for board in [*random_positions(500, random.Random(16)), *known]:
        number = NumberBoard(board)
        for move in board.generate_legal_captures():
            if not move.promotion and not board.is_en_passant(move):
                short, won = number_of(move), static_exchange(board, move)
                assert s22.exchange_wins(number, short) == (won >= 0)
                assert s22.exchange_wins(number, short, won)
                assert not s22.exchange_wins(number, short, won + 1)
                compared += 1
    assert compared > 700


@PROVE
@given(positions(), st.integers(0, 4095))
def test_stages_give_each_legal_move_once(board: chess.Board, seed: int) -> None:
    number, history = NumberBoard(board), s22.History()
    state = king_state(number)
    moves = captures(number, state) + quiets(number, state)
    first = moves[seed % len(moves)]
    history.learn(number, [*moves[1:], moves[0]], 3, 1)
    for hint in (0, first):
        staged = [found for found in s22.staged(number, hint, state, history, 1) if found[0]]
        assert sorted(move for move, _ in staged) == sorted(moves)
        assert not hint or staged[0][0] == hint
        for move, stage in staged:
            noisy = bool(number.kinds[move >> 6 & 63] or move >> 12)
            pawn = number.kinds[move & 63] == chess.PAWN
            en_passant = pawn and number.ep_square == move >> 6 & 63 != 0
            if move == hint:  # a capture en passant from the table counts as quiet
                assert stage == (s22.CAPTURE if noisy else s22.QUIET)
            else:
                assert (stage == s22.QUIET) == (not noisy and not en_passant)
            if number.kinds[move >> 6 & 63] and not move >> 12 and move != hint:
                assert s22.exchange_wins(number, move) == (stage == s22.CAPTURE)
        stages = [stage for move, stage in staged if move != hint]
        assert stages == sorted(stages, key=[s22.CAPTURE, s22.QUIET, s22.LOSING].index)


@given(positions())
@examples(20)
def test_a_caller_may_stop_before_quiet_moves_are_listed(board: chess.Board) -> None:
    number = NumberBoard(board)
    state = king_state(number)

    def refuse(*_: object) -> list[int]:
        raise AssertionError("listed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(s22, "quiets", refuse)
        found = s22.staged(number, 0, state, s22.History(), 1)
        noisy = list(itertools.takewhile(lambda one: one[0], found))
    assert {stage for _, stage in noisy} <= {s22.CAPTURE}
    assert {move for move, _ in noisy} <= set(captures(number, state))


def test_refutations_are_tried_sooner_and_failures_later() -> None:
    board, history = NumberBoard(chess.Board()), s22.History()
    moves = quiets(board, king_state(board))
    good, bad = moves[7], moves[2]
    history.learn(board, [bad, good], 4, 3)
    ordered = s22.by_history(board, moves, history, 5)
    assert ordered[0] == good and ordered[-1] == bad
    assert history.counts[1][board.kinds[good & 63] << 6 | good >> 6] == 16 * 4**2
    assert history.counts[1][board.kinds[bad & 63] << 6 | bad >> 6] == -16 * 4**2
    assert s22.by_history(board, moves, history, 3)[0] == good
    history.learn(board, [bad], 1, 3)
    assert s22.by_history(board, moves, history, 3)[:2] == [bad, good]
    history.age()
    assert history.killers[3] == [0, 0]
    assert history.counts[1][board.kinds[good & 63] << 6 | good >> 6] == 2 * 4**2


@examples(40)
@given(st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=1, max_size=300))
def test_no_count_of_the_history_gets_out_of_bounds(results: list[tuple[int, bool]]) -> None:
    board, history = NumberBoard(chess.Board()), s22.History()
    one, other, *_ = quiets(board, king_state(board))
    for depth, good in results:
        before = max(history.counts[1])
        history.learn(board, [other, one] if good else [one, other], depth, 3)
        counts = history.counts[1]
        assert -s22.MOST_CREDIT <= min(counts) <= max(counts) <= s22.MOST_CREDIT
        assert max(counts) > 0 or before <= 0


def test_a_promotion_counts_more_than_a_bishop_and_less_than_a_rook() -> None:
    board = chess.Board("7k/P7/8/3b1r2/4P3/8/8/K7 w - - 0 1")
    number = NumberBoard(board)
    noisy = captures(number, king_state(number))
    ordered = [board.san(move_of(move)) for move in s22.by_victim(number, noisy)]
    assert ordered == ["exf5", "a8=Q+", "exd5", "a8=R+", "a8=B", "a8=N"]


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


# The search


@examples(12)
@given(positions(max_plies=20), st.integers(1, 3))
def test_without_selective_parts_it_is_plain_alpha_beta(board: chess.Board, depth: int) -> None:
    """Principal variation search and aspiration change the effort and never the value."""

    def plain(board: chess.Board, depth: int, alpha: int, beta: int) -> int:
        searcher = s22.Searcher(NoTable(4), evaluator, NO_PARTS)
        searcher.begin(board)
        if depth == 0:
            return s22.quiesce(searcher, alpha, beta, 1)
        best = -INFINITE
        for move in board.legal_moves:
            board.push(move)
            if board.is_repetition(2) or board.halfmove_clock >= 100:
                value = 0 if not board.is_checkmate() else s22.MATE - 1
            elif board.is_insufficient_material() or not any(board.legal_moves):
                value = s22.MATE - 1 if board.is_checkmate() else 0
            else:
                value = -plain(board, depth - 1, -beta, -max(alpha, best))
            board.pop()
            best = max(best, value)
        return best

    evaluator, scores = FastEvaluator(), set()
    with pytest.MonkeyPatch.context() as patch:
        # Lazy evaluation is a gamble.
        patch.setattr("converted_notebooks.s21_fast_evaluation.SURE", 10_000)
        for parts in (NO_PARTS, SAFE):
            engine = s22.SearchEngine(4, parts)
            engine.searcher.table = NoTable(4)
            engine.play(board, Limit(depth=depth))
            scores.add(engine.iterations[-1].best.score * (1 if board.turn else -1))
        value = plain(board, depth, -INFINITE, INFINITE)
    assert len(scores) == 1
    (score,) = scores
    for limit in (s22.LONG_MATE, -s22.LONG_MATE):  # distances may differ
        assert (score > limit) == (value > limit)
    if abs(score) < s22.LONG_MATE:
        assert score == value


@pytest.mark.parametrize("fen", NOISY)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_upper_bound_lies_above_the_value(fen: str, depth: int) -> None:
    """Of moves that a node leaves out it may only say that they do not reach alpha."""
    board = chess.Board(fen)
    value = node(searcher_of(NO_PARTS), board, depth, -INFINITE, INFINITE)
    for more in (0, 40, 80, 120, 160):
        bound = node(searcher_of(), board, depth, value + more, value + more + 1)
        assert bound >= value - 30  # margins are guesses, which may be a little wrong


def test_scores_are_whole_as_far_as_reverse_futility_pruning_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searcher, asked = searcher_of(), list[tuple[int, int]]()
    score = searcher.evaluator.score

    def noted(board: NumberBoard, alpha: int, beta: int) -> int:
        asked.append((alpha, beta))
        return score(board, alpha, beta)

    monkeypatch.setattr(searcher.evaluator, "score", noted)
    for depth in range(1, 12):
        asked.clear()
        node(searcher, chess.Board(), depth, 30, 31)
        alpha, beta = asked[0]
        assert alpha == 30 and beta + SURE >= 31 + s22.REVERSE_FUTILITY * depth


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


def test_below_a_null_window_there_are_only_null_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions, searches again and null moves ask yes or no, as their node was asked."""
    widths, search = set(), s22.search

    def noted(searcher: s22.Searcher, depth: int, alpha: int, beta: int, *rest: bool) -> int:
        widths.add(beta - alpha)
        return search(searcher, depth, alpha, beta, *rest)

    monkeypatch.setattr(s22, "search", noted)
    for fen in NOISY:
        for beta in (-80, 80):
            node(searcher_of(), chess.Board(fen), 5, beta - 1, beta)
    assert widths == {1}


@pytest.mark.parametrize("ply", [1, 4])
def test_where_no_nearer_mate_is_possible_nothing_is_searched(ply: int) -> None:
    searcher, nearest = searcher_of(), s22.MATE - ply - 1
    for alpha in (nearest + 1, nearest, nearest - 1):
        found = node(searcher, chess.Board(), 1, alpha, INFINITE, ply)
        assert (searcher.nodes > 0) is (alpha < nearest) and found <= nearest


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


@pytest.mark.parametrize(
    ("is_first", "less", "values", "calls"),
    [
        (True, 0, [20], [(4, -30, -10)]),
        (False, 0, [10], [(4, -11, -10)]),
        (False, 0, [11, 20], [(4, -11, -10), (4, -30, -10)]),
        (False, 0, [30], [(4, -11, -10)]),
        (False, 2, [10], [(2, -11, -10)]),
        (False, 2, [11, 10], [(2, -11, -10), (4, -11, -10)]),
        (False, 2, [30, 11, 29], [(2, -11, -10), (4, -11, -10), (4, -30, -10)]),
    ],
)
def test_a_later_move_is_first_asked_whether_it_beats_alpha(
    is_first: bool,
    less: int,
    values: list[int],
    calls: list[tuple[int, int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, answers = list[tuple[int, int, int]](), iter(values)

    def noted(searcher: s22.Searcher, depth: int, alpha: int, beta: int, ply: int) -> int:
        asked.append((depth, alpha, beta))
        assert ply == 3 and searcher.board.turn == chess.BLACK
        return -next(answers)

    monkeypatch.setattr(s22, "search", noted)
    searcher, move = searcher_of(), number_of(chess.Move.from_uci("e2e4"))
    searcher.begin(chess.Board())
    assert s22.move_value(searcher, move, 5, 10, 30, 2, is_first, less) == values[-1]
    assert asked == calls and searcher.nodes == 1 and searcher.board.turn == chess.WHITE


def decided(part: str, depth: int, missing: int, improving: bool = True) -> bool:
    """Whether a part settles a quiet node whose static score lies so far below beta."""
    searcher = searcher_of(dataclasses.replace(SAFE, **{part: True}))
    board = chess.Board()
    static = searcher.evaluator.score(NumberBoard(board))
    searcher.begin(board)
    searcher.path.pop()
    searcher.statics[0] = static - improving
    found = s22.search(searcher, depth, static + missing - 1, static + missing, 2)
    assert searcher.nodes or found == max(static, static + missing - 1)  # razoring gives alpha
    return searcher.nodes == 0


def test_a_static_score_is_asked_for_in_the_window_of_its_node() -> None:
    asked = list[tuple[int, int]]()

    class Noting(FastEvaluator):
        def score(self, board: NumberBoard, alpha: int = -INFINITE, beta: int = INFINITE) -> int:
            asked.append((alpha, beta))
            return super().score(board, alpha, beta)

    searcher = s22.Searcher(s22.HashTable(4), Noting(), s22.ALL_PARTS)
    node(searcher, chess.Board(NOISY[1]), 3, 40, 41)
    assert asked[0] == (40, 41)
    asked.clear()
    s22.quiesce(searcher, 40, 90, 1)
    assert asked[0] == (40, 90)


def test_reverse_futility_pruning_asks_for_a_margin_by_depth() -> None:
    def prunes(depth: int, above: int, improving: bool) -> bool:
        return decided("reverse_futility_pruning", depth, -above, improving)

    for depth in (1, 2, 3, 6):
        for improving in (False, True):
            margin = s22.REVERSE_FUTILITY * (depth - improving)
            assert prunes(depth, margin, improving) and not prunes(depth, margin - 1, improving)
    assert not prunes(7, 2000, True)


def test_razoring_asks_for_a_margin_by_depth() -> None:
    for depth in (1, 2):
        margin = s22.RAZORING * depth  # to alpha, which lies one below beta
        assert decided("razoring", depth, margin + 1) and not decided("razoring", depth, margin)
    assert not decided("razoring", 3, 2000)


def test_a_null_move_is_tried_at_beta_and_never_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def noted(searcher: s22.Searcher, depth: int, above: int, beta: int, ply: int) -> int:
        asked.append(depth)
        return -INFINITE

    monkeypatch.setattr(s22, "null_move_value", noted)
    for depth, missing, tries in ((2, 0, 0), (3, 0, 1), (3, 1, 0)):
        asked.clear()
        decided("null_move_pruning", depth, missing)
        assert len([d for d in asked if d == depth]) == tries
    searcher = searcher_of()
    searcher.begin(chess.Board())
    asked.clear()
    s22.search(searcher, 3, -1000, -999, 1, False)
    assert asked == []


def test_a_null_move_looks_less_deep_and_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher, calls = searcher_of(), []
    searcher.begin(chess.Board())
    board, before = searcher.board, NumberBoard(chess.Board())

    def noted(searcher: s22.Searcher, *arguments: int) -> int:
        assert board.turn == chess.BLACK and searcher.path[-1] == before.total
        calls.append(arguments)
        return -s22.MATE

    monkeypatch.setattr(s22, "search", noted)
    for depth, above, less in (
        (3, 0, 4),
        (4, 199, 4),
        (5, 0, 5),
        (10, 0, 6),
        (3, 450, 6),
        (3, 2000, 7),
    ):
        found = s22.null_move_value(searcher, depth, above, 50, 2)
        assert found == 50, "a mate by passing proves no mate"
        assert calls.pop() == (depth - less, -50, -49, 3, False)
    assert board.total == before.total and board.masks == before.masks
    assert searcher.path == [before.total]
    for fen, safe in (("4k3/8/8/8/8/8/4P3/4K3", False), ("4k3/8/8/8/8/8/8/N3K3", True)):
        searcher.begin(chess.Board(fen + " w - - 0 1"))
        board, before = searcher.board, NumberBoard(chess.Board(fen + " w - - 0 1"))
        assert (s22.null_move_value(searcher, 3, 0, 0, 1) == 0) is safe


@pytest.mark.parametrize(
    ("fen", "depth", "score"),
    KNOWN_SCORES,
)
def test_a_mate_counts_its_distance_and_a_draw_nothing(fen: str, depth: int, score: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        engine, sign = s22.SearchEngine(megabytes=4), 1 if board.turn else -1
        engine.play(board, Limit(depth=depth))
        assert engine.iterations[-1].best.score == sign * score
        if score:
            best, *_ = engine.analyse(board, Limit(depth=4))
            assert best.score == sign * score


def test_a_rook_is_worth_something_and_who_is_mated_has_no_move() -> None:
    engine = s22.SearchEngine(megabytes=4)
    engine.play(chess.Board("8/8/8/7k/8/8/8/KR6 w - - 0 90"), Limit(depth=5))
    assert engine.iterations[-1].best.score > 3 * engine.pawn_value
    assert engine.pawn_value == s22.EXCHANGE_VALUES[chess.PAWN]
    assert engine.play(chess.Board("8/8/8/8/8/2k5/1q6/K7 w - - 0 1"), Limit(depth=6)).move is None


def test_a_capture_that_mates_counts_its_distance() -> None:
    searcher = searcher_of()
    for ply in (1, 5):
        searcher.begin(chess.Board("r5k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"))
        assert s22.quiesce(searcher, -INFINITE, INFINITE, ply) == s22.MATE - ply - 1


def test_a_capture_en_passant_takes_a_pawn() -> None:
    board = NumberBoard(chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"))
    capture = number_of(chess.Move.from_uci("e5d6"))
    worth = s22.DELTA + s22.EXCHANGE_VALUES[chess.PAWN]
    assert not s22.is_hopeless(board, capture, worth - 1)
    assert s22.is_hopeless(board, capture, worth)


def test_what_is_missing_to_alpha_decides_whether_a_pawn_is_taken() -> None:
    board = chess.Board("q3k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    searcher = searcher_of()
    stand = searcher.evaluator.score(NumberBoard(board))
    assert stand < -500
    for alpha, takes in ((stand, True), (0, False)):
        searcher.begin(board)
        s22.quiesce(searcher, alpha, alpha + 1, 1)
        assert (searcher.nodes > 0) is takes


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


def test_a_position_of_the_game_counts_as_repeated() -> None:
    board = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 4 60")
    for uci in ("a1a2", "g8h8", "a2a1", "h8g8"):
        board.push(chess.Move.from_uci(uci))
    searcher = searcher_of()
    for uci, repeats in (("a1a2", True), ("a1b1", False)):
        searcher.begin(board)
        assert len(searcher.path) == 5
        make(searcher.board, number_of(chess.Move.from_uci(uci)))
        assert s22.is_draw(searcher, searcher.board.total) is repeats
    scored = s22.SearchEngine(megabytes=4).analyse(board, Limit(depth=1))
    values = {entry.move.uci(): entry.score for entry in scored}
    assert values["a1a8"] == s22.MATE - 1 and values["a1a2"] == 0 < values["a1b1"]


def test_a_repeated_position_may_lie_eight_plies_back() -> None:
    board, searcher = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 4 60"), searcher_of()
    for uci in ("a1a2", "g8h8", "a2b2", "h8g8", "b2b1", "g8h8", "b1a1"):
        board.push(chess.Move.from_uci(uci))
    searcher.begin(board)
    make(searcher.board, number_of(chess.Move.from_uci("h8g8")))
    assert s22.is_draw(searcher, searcher.board.total)


@given(board=positions(retreats=True))
@PROVE
def test_keys_of_the_game_are_those_of_its_positions(board: chess.Board) -> None:
    if not board.is_check():
        board.push(chess.Move.null())
        board.push(next(iter(board.legal_moves), chess.Move.null()))
    past, keys = board.copy(), list[int]()
    while past.move_stack and past.halfmove_clock:
        past.pop()
        keys.append(NumberBoard(past).total)
    assert s22.keys_before(board) == keys[::-1]


# The root


def assert_times(found: Sequence[Iteration], began: float) -> None:
    """Iterations say how long the search took until then."""
    seconds = [0, *(iteration.seconds for iteration in found), time.perf_counter() - began]
    assert seconds == sorted(seconds)


def test_a_better_root_move_goes_to_the_front_and_the_others_keep_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searcher, asked = searcher_of(), list[tuple[int, ...]]()
    searcher.begin(chess.Board(CASTLING))
    one, two, three, best = map(
        number_of, map(chess.Move.from_uci, ("a2a3", "a2a4", "b2b3", "g2g3"))
    )
    capture = number_of(chess.Move.from_uci("e2a6"))
    values = {one: 10, two: 30, three: 20, best: 40, capture: 5}

    def noted(searcher: s22.Searcher, move: int, *rest: int) -> int:
        asked.append(rest)
        return values[move]

    def searched(moves: list[int], depth: int, alpha: int, beta: int) -> tuple[int, list[int]]:
        asked.clear()
        return s22.search_root(searcher, moves, depth, alpha, beta), moves

    monkeypatch.setattr(s22, "move_value", noted)
    moves = [one, two, three, best, capture]
    order = [best, two, one, three, capture]
    assert searched(moves.copy(), 2, 0, 99) == (40, order)
    assert asked == [(2, a, 99, 0, not a, 0) for a in (0, 10, 30, 30, 40)]
    assert searched(order.copy(), 2, 40, 41) == (40, order), "at alpha nothing is proved"
    assert searched(moves.copy(), 2, 0, 30) == (30, [two, one, three, best, capture])
    tied = dict(values)
    values[three] = values[two]
    assert searched([one, two, three], 2, 0, 99) == (30, [two, one, three]), "the first one stays"
    values.update(tied)
    less = [s22.reduction(20, count, 0, True, True) for count in (3, 4)]
    searched([capture, one, two, three, best], 20, 0, 99)
    assert [rest[-1] for rest in asked] == [0, 0, 0, *less] and 0 not in less
    searched(moves.copy(), 20, 0, 99)
    assert [rest[-1] for rest in asked] == [0, 0, 0, less[0], 0], "a capture is not reduced"


def test_what_an_iteration_finds_the_next_one_searches_first() -> None:
    searcher, board = searcher_of(), chess.Board(CASTLING)
    searcher.begin(board)
    moves, began = s22.first_order(searcher), time.perf_counter()
    assert sorted(map(move_of, moves), key=str) == sorted(board.legal_moves, key=str)
    found = list(s22.deepen(searcher, board, moves, range(1, 5)))
    assert found[-1].best.move == move_of(moves[0]) and found[-1].depth == 4
    assert_times(found, began)
    bests = [None, *(iteration.best.move for iteration in found)]
    assert [i.changed for i in found] == [a != b for a, b in itertools.pairwise(bests)]
    planted = moves[9]
    searcher.table.put(searcher.board.total, (1, s22.EXACT, 0, planted))
    assert s22.first_order(searcher)[0] == planted


@pytest.mark.parametrize("fen", ["8/8/8/8/8/k7/8/K6R w - - 0 1", "k6r/8/K7/8/8/8/8/8 b - - 0 1"])
def test_an_analysis_ends_with_its_depths_a_limit_or_a_mate_for_the_side_to_move(fen: str) -> None:
    board, asked, told = chess.Board(fen), list[int](), list[Iteration]()
    good, bad, *_ = board.legal_moves
    sign = 1 if board.turn else -1

    def scores(mates: dict[chess.Move, int], stop: int = 9) -> dict[chess.Move, float]:
        def value_of(move: chess.Move, depth: int) -> int:
            if depth == stop and move == bad:
                raise LimitReachedError
            asked.append(depth)
            return mates.get(move, depth)

        asked.clear()
        told.clear()
        began = time.perf_counter()
        found = s22.analysed(board, range(1, 6), value_of, lambda: len(asked), told.append)
        finished = max(asked, default=0) if stop == 9 else stop - 1
        assert [one.depth for one in told] == list(range(1, finished + 1))
        assert_times(told, began)
        assert not told or told[-1].best == found[0]
        assert [one.changed for one in told] == [one.depth == 1 for one in told]
        assert found == sorted(found, reverse=board.turn)
        return {entry.move: sign * entry.score for entry in found}

    others = dict.fromkeys(board.legal_moves, 5)
    assert scores({bad: 2 - s22.MATE}) == others | {bad: 2 - s22.MATE} and max(asked) == 5
    assert scores({good: s22.MATE - 3}) == dict.fromkeys(others, 3) | {good: s22.MATE - 3}
    assert scores({}, stop=3) == dict.fromkeys(others, 2) and max(asked) == 3
    assert scores({}, stop=1) == dict.fromkeys(others, 0)


@examples(200)
@given(
    st.integers(-s22.MATE, s22.MATE), st.integers(-s22.MATE, s22.MATE), st.integers(3, 5), st.data()
)
def test_a_window_grows_around_the_last_value_until_it_holds_the_new_one(
    value: int, last: int, depth: int, data: st.DataObject
) -> None:
    windows = list[tuple[int, int]]()

    def soft(alpha: int, beta: int) -> int:
        """Any bound that a fail-soft search may give."""
        windows.append((alpha, beta))
        if value <= alpha:
            return data.draw(st.integers(value, alpha))
        return data.draw(st.integers(beta, value)) if value >= beta else value

    assert s22.aspire(soft, depth, last, s22.ALL_PARTS) == value
    wide = (-INFINITE, INFINITE)
    assert windows[0] == (wide if depth < 4 else (last - s22.WINDOW, last + s22.WINDOW))
    for (low, high), (lower, higher) in itertools.pairwise(windows):
        assert (lower == low) is (value > low) and (higher == high) is (value < high)
        grown = last - lower if value <= low else higher - last
        assert grown >= 4 * s22.WINDOW or (lower, higher)[value >= high] in wide
    assert len(windows) <= 8


# Limits, and the engine


def test_chess960_is_played() -> None:
    board = chess.Board.from_chess960_pos(17)
    assert_plays(s22.SearchEngine(megabytes=1), board, Limit(depth=3))
    castling = chess.Board("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", chess960=True)
    moves = {entry.move for entry in s22.SearchEngine(1).analyse(castling, Limit(depth=1))}
    assert chess.Move(chess.E1, chess.G1) in moves == set(castling.legal_moves)


@examples(12)
@given(positions(max_plies=30), st.integers(0, 800))
def test_limits_of_nodes_are_strict_and_a_new_game_begins_as_the_first_one(
    board: chess.Board, nodes: int
) -> None:
    used, new = s22.SearchEngine(megabytes=1), s22.SearchEngine(megabytes=1)
    used.searcher.evaluator = evaluator = FastEvaluator()
    used.play(board, Limit(nodes=800))  # the same tree: what is not forgotten is found again
    used.new_game()
    assert not evaluator.scores and not evaluator.pawns
    assert not any(map(any, used.searcher.history.counts))
    moves = [assert_plays(engine, board, Limit(nodes=nodes)) for engine in (used, new)]
    assert moves[0] == moves[1] and used.iterations == new.iterations
    assert used.searcher.nodes == new.searcher.nodes <= nodes


def test_a_limit_of_nodes_holds_where_most_leaves_are_drawn() -> None:
    board, engine = chess.Board("8/8/8/7k/8/P7/8/KR6 w - - 97 120"), s22.SearchEngine(megabytes=1)
    for nodes in range(1, 400, 9):
        engine.new_game()
        engine.play(board, Limit(nodes=nodes))
        assert engine.searcher.nodes <= nodes


@pytest.mark.parametrize("fen", [NOISY[1], "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"])  # quiet; in check
def test_no_line_is_longer_than_there_is_room(fen: str) -> None:
    searcher = searcher_of()
    node(searcher, chess.Board(fen), 3, -INFINITE, INFINITE, s22.MOST_PLIES)
    assert searcher.nodes == 0


def test_a_depth_beyond_all_lines_is_searched() -> None:
    engine = s22.SearchEngine(1)
    engine.play(chess.Board("8/8/4k3/8/8/3K4/8/8 w - - 0 1"), Limit(depth=130))
    assert engine.last_search is not None and engine.last_search.depth == 130


def test_a_mate_ends_the_iterations() -> None:
    engine = s22.SearchEngine(1)
    engine.play(chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"), Limit(depth=6))
    assert [found.depth for found in engine.iterations] == [1]


def test_who_is_mated_does_not_search_on() -> None:
    engine = s22.SearchEngine(1)
    engine.play(chess.Board("6k1/R7/1R6/8/8/8/8/6K1 b - - 0 1"), Limit(depth=6))
    assert engine.last_search and engine.last_search.depth < 6


def test_only_a_search_without_any_limit_has_the_usual_depth() -> None:
    endless, every = float("inf"), range(1, s22.MOST_PLIES + 1)
    assert s22.depths_within(Limit(), endless) == range(1, s22.USUAL_DEPTH + 1)
    assert s22.depths_within(Limit(nodes=9), endless) == every
    assert s22.depths_within(Limit(), 0.5) == s22.depths_within(Limit(nodes=9), 0.5) == every
    assert s22.depths_within(Limit(depth=3), 0.5) == range(1, 4)


def test_the_time_for_a_move_is_that_of_the_side_to_move() -> None:
    engine, board = s22.SearchEngine(megabytes=1), chess.Board()
    limit = Limit(white_clock=40.0, white_inc=1.0, black_clock=4.0)
    for one in (board, board.mirror()):
        assert engine.plan(one, limit) == seconds_for_move(one.turn, limit)
    assert engine.plan(board, limit) > 1 > engine.plan(board.mirror(), limit)
    assert engine.plan(board, Limit(nodes=5)) == float("inf")


def test_a_new_search_begins_without_killers_and_with_less_history() -> None:
    searcher, move = searcher_of(), number_of(chess.Move.from_uci("e2e4"))
    searcher.history.learn(searcher.board, [move], 4, 3)
    searcher.begin(chess.Board())
    assert searcher.history.killers[3] == [0, 0] and max(searcher.history.counts[1]) == 2 * 4**2


def test_no_limit_is_not_for_ever() -> None:
    board = chess.Board("7k/8/5KP1/8/8/8/8/8 w - - 0 1")
    for limit in (None, Limit(), Limit(black_clock=5.0)):
        assert_plays(s22.SearchEngine(megabytes=1), board, limit)
        assert_analysis(s22.SearchEngine(megabytes=1), board, limit)


def test_one_ply_is_searched_however_late_it_is() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    quiet = chess.Board("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1")  # mate, and no capture is
    for clock in (0.09, 0.0):
        for position, move in ((board, "d1a1"), (quiet, "d1d8")):
            engine = s22.SearchEngine(megabytes=1)
            limit = Limit(white_clock=clock)
            assert engine.play(position, limit).move == chess.Move.from_uci(move)
            assert engine.iterations


def test_a_search_without_time_ends_after_its_first_ply() -> None:
    engine = s22.SearchEngine(megabytes=1)
    engine.play(chess.Board(), Limit(white_clock=0.0))
    (only,) = engine.iterations
    assert engine.searcher.nodes == only.nodes


def test_a_stop_ends_the_search_at_its_next_node() -> None:
    searcher = searcher_of()
    node(searcher, chess.Board(), 1, -INFINITE, INFINITE)
    assert searcher.nodes < s22.CHECK_EVERY
    searcher.stop()
    with pytest.raises(LimitReachedError):
        s22.search(searcher, 1, -INFINITE, INFINITE, 1)


def test_a_stop_before_the_search_ends_it() -> None:
    engine = s22.SearchEngine(megabytes=1)
    engine.stop()
    assert_plays(engine, chess.Board(), Limit(depth=30))
    assert engine.searcher.nodes == 0
    assert not engine.stop_requested
    assert engine.play(chess.Board(), Limit(depth=2)).move and len(engine.iterations) == 2


def test_a_long_game_costs_no_more_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    board, made = chess.Board("7R/8/6K1/8/1n6/8/2k5/8 w - - 0 1"), [0]
    build = NumberBoard.__init__

    def counted(self: NumberBoard, board: chess.Board) -> None:
        made[-1] += 1
        build(self, board)

    monkeypatch.setattr(NumberBoard, "__init__", counted)
    # The expected line sets up a board for each of its moves, however long the game.
    monkeypatch.setattr(s22, "remembered_line", lambda board, move, known: (move,))
    engine = s22.SearchEngine(megabytes=1)
    for _ in range(3):
        made.append(0)
        engine.play(board, Limit(nodes=50))
        for uci in ["h8g8", "b4a2", "g8h8", "a2b4"] * 6:
            board.push_uci(uci)
    assert made[1] == made[2] == made[3], "a clock with a small increment could not pay for them"


def test_a_late_move_is_reduced_more_if_it_is_later_and_the_node_is_deeper() -> None:
    for depth in range(3, 30):
        for count in range(3, 200):
            for window in (False, True):
                worse = s22.reduction(depth, count, 0, window, False)
                better = s22.reduction(depth, count, 0, window, True)
                assert 0 <= better <= worse <= depth - 2
                assert better <= s22.reduction(depth + 1, count, 0, window, True)
                assert better <= s22.reduction(depth, count + 1, 0, window, True)
                trusted = s22.reduction(depth, count, 2, window, True)
                assert 0 <= trusted <= better <= s22.reduction(depth, count, -1, window, True)
    assert s22.reduction(8, 12, 0, False, True) > s22.reduction(8, 12, 0, True, True)
    assert s22.reduction(20, 30, 2, False, True) < s22.reduction(20, 30, -1, False, True)


def test_more_moves_are_tried_where_there_is_more_depth_or_the_side_improves() -> None:
    assert [s22.enough_moves(depth, True) for depth in (1, 2, 3)] == [5, 11, 21]
    assert [s22.enough_moves(depth, False) for depth in (1, 2, 3)] == [2, 5, 10]


@pytest.mark.parametrize("question", ["play", "analyse"])
def test_a_stop_ends_no_later_search(question: str) -> None:
    engine = s22.SearchEngine()

    def stop_and_fail(found: Iteration) -> None:
        engine.stop()
        raise RuntimeError("told")

    engine.on_iteration = stop_and_fail
    with pytest.raises(RuntimeError, match="told"):
        getattr(engine, question)(chess.Board(), chess.engine.Limit(depth=3))
    engine.on_iteration = None
    engine.play(chess.Board(), chess.engine.Limit(depth=3))
    assert engine.iterations[-1].depth == 3
