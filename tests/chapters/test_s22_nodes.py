"""What a node of the tournament search asks, leaves out, reduces and learns: each part alone."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import chess
import pytest
from chess.engine import Limit

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s20_board_of_numbers import (
    NumberBoard,
    captures,
    king_state,
    make,
    move_of,
    number_of,
    quiets,
)
from converted_notebooks.s21_fast_evaluation import INFINITE, FastEvaluator
from tests.helpers.positions import MANY_MOVES, STARTS
from tests.helpers.tournament import SAFE, node, searcher_of, with_parts

START = chess.Board()
BLACK = chess.Board(chess.STARTING_FEN.replace(" w ", " b "))
CASTLING = STARTS[1]
CHECKED = "4r1k1/8/8/8/8/8/8/4K3 w - - 0 1"
THREE_TAKE = "k7/8/5N2/3r3Q/2P5/8/8/4K3 w - - 0 1"  # a rook on d5

Asked = list[tuple[int, int, int]]  # moves, depths, reductions


def number(uci: str) -> int:
    return number_of(chess.Move.from_uci(uci))


def tried(
    searcher: s22.Searcher,
    board: chess.Board,
    depth: int,
    alpha: int,
    beta: int,
    value: Callable[[int], int] | None = None,
) -> tuple[int, Asked]:
    """What a node finds whose moves have given values, by default far below alpha; the moves."""
    asked: Asked = []

    def noted(
        _: s22.Searcher, move: int, depth: int, *rest: int
    ) -> int:  # lower, beta, ply, is_first, less
        asked.append((move, depth, rest[-1]))
        return value(move) if value else alpha - 500

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(s22, "move_value", noted)
        return node(searcher, board, depth, alpha, beta), asked


# The order of moves


def test_each_side_has_its_own_history_and_a_killer_stays_one() -> None:
    history = s22.History()
    for board in map(NumberBoard, (START, BLACK)):
        moves = quiets(board, king_state(board))
        for move in (moves[2], moves[7], moves[7]):
            history.learn(board, [move], 4, 3)
        assert history.killers[3] == [moves[7], moves[2]]
        assert s22.by_history(board, moves, history, 5)[0] == moves[7]
        assert sum(map(bool, history.counts[board.turn])) == 2
    history.learn(board, [moves[0]], 99, 3)
    assert max(history.counts[0]) == s22.MOST_CREDIT // 4


def test_the_least_valuable_attacker_comes_first_and_en_passant_is_no_loss() -> None:
    board = NumberBoard(chess.Board(THREE_TAKE))
    ordered = s22.by_victim(board, captures(board, king_state(board)))
    assert [move_of(move).uci() for move in ordered] == ["c4d5", "f6d5", "h5d5"]
    board = NumberBoard(chess.Board(STARTS[7]))  # the pawns e7 and g7 guard f6
    stages = dict(s22.staged(board, 0, king_state(board), s22.History(), 1))
    assert stages[number("e5f6")] == s22.CAPTURE


def test_stages_keep_the_orders_of_their_moves() -> None:
    board, history = NumberBoard(chess.Board(CASTLING)), s22.History()
    state = king_state(board)
    quiet, noisy = quiets(board, state), captures(board, state)
    history.learn(board, [*quiet[:9], quiet[20]], 3, 2)
    history.learn(board, [quiet[30]], 1, 5)
    found = list(s22.staged(board, 0, state, history, 5))
    listed = [move for move, stage in found if move and stage == s22.QUIET]
    assert listed == s22.by_history(board, quiet, history, 5)
    for wanted in (s22.CAPTURE, s22.LOSING):
        some = [move for move, stage in found if stage == wanted]
        assert some == [move for move in s22.by_victim(board, noisy) if move in some]


# Captures to the end


def test_of_captures_only_hopeful_ones_are_tried() -> None:
    board = NumberBoard(chess.Board("1n2k3/P7/4p3/3p4/1p6/8/1Q1Q4/4K3 w - - 0 1"))

    def hopeless(uci: str, missing: int) -> bool:
        return s22.is_hopeless(board, number(uci), missing)

    assert not hopeless("a7a8q", 5000) and not hopeless("a7b8q", 5000)
    assert hopeless("a7a8n", -5000) and hopeless("a7b8r", -5000)
    assert hopeless("d2d5", 0) and not hopeless("b2b4", 0)
    many = NumberBoard(chess.Board("4k3/1n1b1r1q/8/2p5/8/8/8/4K3 w - - 0 1"))
    ends = chess.BB_RANK_1 | chess.BB_RANK_8
    for kind in range(chess.QUEEN, chess.KNIGHT - 1, -1):  # the dearer, the more hopeful
        missing = s22.EXCHANGE_VALUES[kind] + s22.DELTA
        assert s22.hopeful_squares(many, missing) == ends
        ends |= many.masks[kind]
        assert s22.hopeful_squares(many, missing - 1) == ends


@pytest.mark.parametrize("parts", [SAFE, s22.ALL_PARTS])
def test_among_captures_a_king_in_check_may_step_aside(parts: s22.Parts) -> None:
    searcher = searcher_of(parts)
    searcher.begin(chess.Board(CHECKED))
    assert -2000 < s22.quiesce(searcher, -2000, 2000, 1) < 0


# Pruning by the static score


def test_razoring_looks_at_captures_first_and_prunes_no_search_for_a_mate() -> None:
    board, searcher = chess.Board("q3k3/8/8/8/8/8/8/R3K3 w - - 0 1"), with_parts("razoring")
    alpha = searcher.evaluator.score(NumberBoard(board)) + s22.RAZORING
    assert node(searcher, board, 1, alpha, alpha + 1) > alpha
    far = s22.LONG_MATE + 500
    node(searcher, START, 2, far, far + 1, 2)
    assert searcher.nodes


def test_in_an_open_window_no_static_score_decides() -> None:
    searcher = with_parts("reverse_futility_pruning", "razoring")
    static = searcher.evaluator.score(NumberBoard(START))
    for alpha in (static - 900, static + 900):
        node(searcher, START, 1, alpha, alpha + 100)
        assert searcher.nodes


@pytest.mark.parametrize(("less", "decides"), [(300, True), (301, False)])
def test_what_a_null_move_gives_decides_at_beta(
    monkeypatch: pytest.MonkeyPatch, less: int, decides: bool
) -> None:
    searcher, asked = with_parts("null_move_pruning"), []
    beta = searcher.evaluator.score(NumberBoard(START)) - 300

    def given(_: s22.Searcher, *rest: int) -> int:
        asked.append(rest)
        return beta + 300 - less

    monkeypatch.setattr(s22, "null_move_value", given)
    found = node(searcher, START, 3, beta - 1, beta, 2)
    assert asked[0] == (3, 300, beta, 2)
    assert (found == beta and not searcher.nodes) is decides


@pytest.mark.parametrize(("fen", "in_check"), [(chess.STARTING_FEN, False), (CHECKED, True)])
def test_static_scores_of_the_path_are_kept(fen: str, in_check: bool) -> None:
    board, searcher = chess.Board(fen), searcher_of(SAFE)
    node(searcher, board, 1, -INFINITE, INFINITE, 2)
    static = searcher.evaluator.score(NumberBoard(board))
    assert searcher.statics[2] == (-INFINITE if in_check else static)


# Moves that are left out


def test_futility_pruning_leaves_out_quiet_moves_only_where_it_may() -> None:
    static = FastEvaluator().score(NumberBoard(START))

    def count(depth: int, more: int, width: int = 1, board: chess.Board = START) -> int:
        alpha, searcher = static + more, with_parts("futility_pruning")
        found, asked = tried(searcher, board, depth, alpha, alpha + width)
        all_tried = len(asked) == board.legal_moves.count()
        assert found == (alpha - 500 if all_tried else alpha), "what is left out may reach alpha"
        return len(asked)

    for depth in (1, 2, 4):
        margin = s22.FUTILITY * (depth + 1)
        assert (count(depth, margin), count(depth, margin - 1)) == (1, 20)
        assert count(depth, margin, 2) == 20 == count(depth, s22.LONG_MATE + 100)
    assert count(5, 2000) == 20
    assert count(2, 2000, board=chess.Board(CHECKED)) == 4


def test_late_moves_are_left_out_near_the_leaves() -> None:
    for depth, count in ((1, 5), (2, 11), (3, 20)):
        assert len(tried(with_parts("late_move_pruning"), START, depth, 0, 1)[1]) == count
    rich = chess.Board(MANY_MOVES)
    for depth, left_out in ((5, True), (6, False)):
        asked = tried(with_parts("late_move_pruning"), rich, depth, 0, 1)[1]
        assert (len(asked) < rich.legal_moves.count()) is left_out


def test_of_late_quiet_moves_safe_checks_are_tried() -> None:
    board, searcher = (
        chess.Board("4k3/8/8/8/3b4/8/8/R3K2R w - - 0 1"),
        with_parts("futility_pruning"),
    )
    first, safe = number("a1b1"), number("a1a8")
    searcher.table.put(NumberBoard(board).total, (0, s22.UPPER, 0, first))
    asked = tried(searcher, board, 2, 4000, 4001)[1]  # on h8 the bishop takes the rook
    assert [move for move, *_ in asked] == [first, safe]


@pytest.mark.parametrize(
    ("victim", "pruned"), [("p", (1, 2, 3, 4)), ("b", (1, 2, 3, 4)), ("r", (1, 2, 3))]
)
def test_captures_that_lose_much_are_left_out_near_the_leaves(
    victim: str, pruned: tuple[int, ...]
) -> None:
    board = chess.Board(f"4k3/8/2p5/3{victim}4/8/8/8/3QK3 w - - 0 1")
    for depth in range(1, 7):
        found, asked = tried(with_parts("static_exchange_pruning"), board, depth, 0, 1)
        left_out = number("d1d5") not in [move for move, *_ in asked]
        assert left_out is (depth in pruned) and found == (0 if left_out else -500)


# Depths


@pytest.mark.parametrize("board", [START, BLACK])
@pytest.mark.parametrize(
    ("count", "credit"), [(s22.MOST_CREDIT, 2), (0, 0), (-s22.MOST_CREDIT, -2)]
)
def test_late_moves_are_reduced_by_their_place_and_their_history(
    board: chess.Board, count: int, credit: int
) -> None:
    searcher = with_parts("late_move_reductions")
    searcher.history.counts[board.turn] = [8 * count] * (7 * 64)  # `begin` takes an eighth
    _, asked = tried(searcher, board, 8, 0, 1)
    reduced = [s22.reduction(8, place, credit, False, True) for place in range(3, 20)]
    assert [less for *_, less in asked] == [0, 0, 0, *reduced]
    for depth in (1, 2):
        searcher.table.clear()
        _, asked = tried(searcher, board, depth, 0, 1)
        assert len(asked) == 20 and not any(less for *_, less in asked)


def test_without_a_move_of_the_table_a_node_is_less_deep_and_with_it_that_is_first() -> None:
    planted = number("a2a3")
    for depth, found in ((3, 3), (4, 3), (9, 8)):
        searcher = with_parts("internal_iterative_reduction")
        assert {deep for _, deep, _ in tried(searcher, START, depth, 0, 1)[1]} == {found}
        key = searcher.board.total
        searcher.table.put(key, (0, s22.UPPER, 0, planted))
        assert tried(searcher, START, depth, 0, 1)[1][0][:2] == (planted, depth)
        entry = searcher.table.get(key)
        assert entry and entry[3] == planted, "a node that fails low keeps it"


def test_without_null_windows_a_reduced_move_that_beats_alpha_is_searched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = dataclasses.replace(s22.ALL_PARTS, principal_variation_search=False)
    asked, answers = [], iter([40, 20])

    def noted(_: s22.Searcher, depth: int, alpha: int, beta: int, ply: int) -> int:
        asked.append((depth, alpha, beta))
        return -next(answers)

    monkeypatch.setattr(s22, "search", noted)
    searcher = searcher_of(parts)
    assert s22.move_value(searcher, number("e2e4"), 5, 10, 30, 2, False, 2) == 20
    assert asked == [(2, -11, -10), (4, -30, -10)]


def test_at_the_root_a_promotion_is_not_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher, asked = searcher_of(), list[int]()

    def noted(*rest: int) -> int:
        asked.append(rest[-1])
        return 0

    searcher.begin(chess.Board("7k/P7/8/8/8/8/8/4K2R w - - 0 1"))
    moves = quiets(searcher.board, king_state(searcher.board))[:5]
    monkeypatch.setattr(s22, "move_value", noted)
    s22.search_root(searcher, [*moves, number("a7a8q")], 20, 0, 99)
    assert asked[3] > 0 == asked[5]


# What is learned, drawn, and stopped


def test_a_search_learns_from_quiet_moves_that_cut_off() -> None:
    searcher = with_parts()
    _, ((move, *_),) = tried(searcher, START, 2, 0, 1, value=lambda _: 9)
    assert searcher.history.killers[1] == [move, 0]
    board = chess.Board(THREE_TAKE)  # a quiet move of the table fails, and a capture refutes
    searcher.table.put(NumberBoard(board).total, (0, s22.UPPER, 0, number("e1e2")))
    takes = number("c4d5")
    _, asked = tried(searcher, board, 2, 0, 1, value=lambda move: 9 if move == takes else -9)
    assert len(asked) == 2 and searcher.history.killers[1] == [0, 0]


@pytest.mark.parametrize(
    ("pieces", "drawn"), [("2B1K3", True), ("2B1KN2", False), ("1BB1K3", False)]
)
def test_a_bishop_alone_draws_and_with_a_knight_or_another_bishop_it_may_mate(
    pieces: str, drawn: bool
) -> None:
    searcher = searcher_of()
    searcher.begin(chess.Board(f"4k3/8/8/8/8/8/8/{pieces} w - - 0 1"))
    searcher.path.pop()
    assert s22.is_draw(searcher, searcher.board.total) is drawn


def test_a_position_may_come_again_after_four_plies() -> None:
    board, searcher = chess.Board(), searcher_of()
    for uci in ("g1f3", "g8f6", "f3g1"):
        board.push_uci(uci)
    searcher.begin(board)
    make(searcher.board, number("f6g8"))
    assert s22.is_draw(searcher, searcher.board.total)


@pytest.mark.parametrize(("ply", "value"), [(1, 40), (2, -40)])
def test_a_stalemate_is_worth_what_a_draw_is(ply: int, value: int) -> None:
    class Contempt(s22.Searcher):
        def draw_value(self, ply: int) -> int:
            return 40 if ply % 2 else -40

    searcher = Contempt(s22.HashTable(4), FastEvaluator(), s22.ALL_PARTS)
    stalemate = chess.Board("k7/P7/K7/8/8/8/8/8 b - - 0 1")
    assert node(searcher, stalemate, 2, -INFINITE, INFINITE, ply) == value


def test_an_analysis_keeps_its_time() -> None:
    engine = s22.SearchEngine(megabytes=1)
    engine.analyse(START, Limit(time=0.0, depth=2))
    assert engine.iterations == ()


def test_the_clock_is_looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, looks = s22.SearchEngine(megabytes=1), list[int]()

    def now() -> float:
        looks.append(engine.searcher.nodes)
        return 0.0

    monkeypatch.setattr("time.perf_counter", now)
    engine.play(START, Limit(nodes=1500))
    assert max(after - before for before, after in itertools.pairwise(looks)) <= 256


def test_a_window_is_set_around_the_value_of_the_iteration_before() -> None:
    asked, move = list[tuple[int, int]](), chess.Move.from_uci("e2e4")

    def look(depth: int, last: int) -> tuple[int, chess.Move, int]:
        asked.append((depth, last))
        return 10 * depth, move, depth

    list(s22.deepen_with(START, range(1, 4), look, lambda _: None))
    assert asked == [(1, 0), (2, 10), (3, 20)]
