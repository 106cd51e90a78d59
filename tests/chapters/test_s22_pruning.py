"""What a node of s22 prunes and reduces: each part alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import chess
import chess.engine
import pytest
from chess.engine import Limit

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s20_board_of_numbers import (
    NumberBoard,
    king_state,
    quiets,
)
from converted_notebooks.s21_fast_evaluation import INFINITE, FastEvaluator
from tests.helpers.positions import MANY_MOVES, STARTS
from tests.helpers.properties import assert_plays
from tests.helpers.tournament import (
    BLACK,
    NAMES,
    NOISY,
    SAFE,
    START,
    THREE_TAKE,
    node,
    number,
    searcher_of,
    with_parts,
)


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


def test_what_is_missing_to_alpha_decides_whether_a_pawn_is_taken() -> None:
    board = chess.Board("q3k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    searcher = searcher_of()
    stand = searcher.evaluator.score(NumberBoard(board))
    assert stand < -500
    for alpha, takes in ((stand, True), (0, False)):
        searcher.begin(board)
        s22.quiesce(searcher, alpha, alpha + 1, 1)
        assert (searcher.nodes > 0) is takes


CHECKED = "4r1k1/8/8/8/8/8/8/4K3 w - - 0 1"
Asked = list[tuple[int, int, int]]  # moves, depths, reductions


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


def test_a_search_learns_from_quiet_moves_that_cut_off() -> None:
    searcher = with_parts()
    _, ((move, *_),) = tried(searcher, START, 2, 0, 1, value=lambda _: 9)
    assert searcher.history.killers[1] == [move, 0]
    board = chess.Board(THREE_TAKE)  # a quiet move of the table fails, and a capture refutes
    searcher.table.put(NumberBoard(board).total, (0, s22.UPPER, 0, number("e1e2")))
    takes = number("c4d5")
    _, asked = tried(searcher, board, 2, 0, 1, value=lambda move: 9 if move == takes else -9)
    assert len(asked) == 2 and searcher.history.killers[1] == [0, 0]
