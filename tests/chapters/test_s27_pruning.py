"""What a node of the compiled search prunes, reduces and extends: each rule alone."""

from __future__ import annotations

from typing import Any

import chess
import chess.engine
import pytest

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s21_fast_evaluation import INFINITE
from converted_notebooks.s22_tournament_search import MATE
from converted_notebooks.s26_bitboards import (
    ALL,
    generate,
    new_stack,
    pass_turn,
    to_move,
)
from tests.helpers.compiled_search import (
    FORTRESS,
    KNOWN,
    entry,
    judge,
    knows,
    number_of,
    raise_root,
    recorded,
    static_of,
    thread_of,
    whole_search,
)
from tests.helpers.positions import (
    MANY_MOVES,
)
from utils.exercises.positions import BACK_RANK, MIDDLEGAME


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


@pytest.mark.parametrize("improving", [False, True])
@pytest.mark.parametrize("depth", [1, 4, 8, 9])
def test_a_static_score_far_above_beta_is_the_value(depth: int, improving: bool) -> None:
    board = chess.Board(MIDDLEGAME)
    static = static_of(board)
    for less in (0, 1):
        beta = static - s22.REVERSE_FUTILITY * (depth - improving) + less
        value, asked, thread = recorded(
            board,
            2,
            *(depth, beta - 1, beta),
            values=(1 - beta,),
            entry=knows(KNOWN),
            last=0,  # no null move
            before=static - improving,
        )
        assert (value == static and not asked) is (depth <= 8 and not less)
        assert thread.state.statics[2] == static


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_far_below_alpha_captures_decide(depth: int, more: int) -> None:
    board = chess.Board(FORTRESS)
    static = static_of(board)
    beta = static + s22.RAZORING * depth + more
    given = depth, beta - 1, beta
    value, asked, _ = recorded(board, 1, *given, values=(1 - beta,), entry=knows(0))
    assert (value == static and not asked) is (depth <= 2 and more == 1)
    board = chess.Board("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")  # exd5 reaches beta
    beta = static_of(board) + s22.RAZORING * 2 + more
    assert recorded(board, 1, depth, beta - 1, beta, values=(0,), entry=knows(0))[1]


@pytest.mark.parametrize(
    ("depth", "above"),
    [(3, 0), (5, 0), (9, 0), (12, 199), (12, 200), (12, 600), (12, 800), (15, 2000)],
)
@pytest.mark.parametrize("more", [0, 5])
def test_a_null_move_is_searched_less_deep(depth: int, above: int, more: int) -> None:
    board = chess.Board(MIDDLEGAME)
    static = static_of(board)
    beta = static - above
    value, asked, thread = recorded(
        board,
        2,
        *(depth, beta - 1, beta),
        values=(-beta - more,),
        entry=knows(KNOWN),
        before=static,
    )
    left = depth - 4 - depth // 5 - min(above // 200, 3)
    assert asked == [(left, -beta, 1 - beta, 3, 0, 0)] and value == beta + more
    passed = new_stack(board, 0)[0]
    pass_turn(passed)
    assert thread.stack[3].tobytes() == passed.tobytes()


@pytest.mark.parametrize(("depth", "above", "last"), [(2, 0, 77), (9, 0, 0), (9, -1, 77)])
def test_there_is_no_null_move_without_a_reason(depth: int, above: int, last: int) -> None:
    board = chess.Board(MIDDLEGAME)
    static = static_of(board)
    beta = static - above
    given = depth, beta - 1, beta
    _, asked, _ = recorded(
        board, 2, *given, values=(-beta,), entry=knows(KNOWN), last=last, before=static
    )
    assert asked[0][4]  # a real move


@pytest.mark.parametrize(
    ("fen", "passes"),
    [("4k1n1/8/8/8/8/8/4P3/4K3 w - - 0 1", False), ("4k3/4p3/8/8/8/8/8/4K1N1 w - - 0 1", True)],
)
def test_with_only_pawns_no_null_move_is_tried(fen: str, passes: bool) -> None:
    board = chess.Board(fen)
    static = static_of(board)
    _, asked, _ = recorded(
        board, 2, 5, static - 1, static, values=(-static,), entry=knows(0), before=static
    )
    assert (not asked[0][4]) is passes


def test_an_open_window_is_searched_even_if_it_is_small() -> None:
    board = chess.Board(MIDDLEGAME)
    static = static_of(board)
    for beta in (static - 500, static + 900):  # neither reverse futility nor razoring
        _, asked, _ = recorded(board, 1, 2, beta - 2, beta, values=(0,), entry=knows(0))
        assert asked and all(question[4] for question in asked)
    thread = thread_of(chess.Board(FORTRESS))
    raise_root(thread, 1)
    s27.keep_data(thread.table, thread.stack[0].key, entry(9, s27.EXACT_VALUE, 700, 0, 1))
    thread.search(1, 699, 701, 1)
    assert thread.state.nodes  # the table does not answer


def test_where_a_mate_is_asked_for_nothing_is_pruned() -> None:
    mated = thread_of(chess.Board("6k1/R7/1R6/8/8/8/8/6K1 b - - 0 1"))
    raise_root(mated, 1)
    assert mated.search(3, 3 - MATE, 4 - MATE, 1) == 3 - MATE
    for fen, depth, plies in ((BACK_RANK, 2, 1), ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 5, 3)):
        mates = thread_of(chess.Board(fen))
        raise_root(mates, 1)
        nearest = MATE - 1 - plies
        assert mates.search(depth, nearest - 1, nearest, 1) == nearest


def tried(
    board: chess.Board,
    depth: int,
    more: int = 0,
    *,
    width: int = 1,
    ply: int = 2,
    improving: bool = True,
    found: int | None = None,
    known: int = 0,
) -> list[int]:
    """The moves that are searched where all fail low; alpha is so much above the static score."""
    static = static_of(board)
    alpha = static + more
    _, asked, _ = recorded(
        board,
        ply,
        *(depth, alpha, alpha + width),
        values=(-alpha if found is None else found,),
        entry=knows(known),
        last=0,
        before=static - improving,
    )
    return [*dict.fromkeys(question[4] for question in asked)]


def test_late_moves_are_left_out() -> None:
    board = chess.Board()  # twenty quiet moves, none of them a check
    assert [len(tried(board, depth)) for depth in (1, 2, 3)] == [5, 11, 20]
    assert [len(tried(board, depth, improving=False)) for depth in (1, 2)] == [2, 5]
    assert len(tried(board, 2, 330, width=30)) == 11  # an open window
    assert len(tried(board, 2, ply=0)) == 20  # the root
    assert len(tried(board, 2, found=MATE - 9)) == 20  # whoever is mated tries everything
    board = chess.Board(MANY_MOVES)
    thread = thread_of(board)
    moves = thread.state.moves[0]
    generate(thread.stack[0], ALL, ALL, moves)
    counts = [len(tried(board, depth, improving=False, known=int(moves[0]))) for depth in (7, 8, 9)]
    assert counts == [51, 66, 218]  # one is a capture or a safe check


@pytest.mark.parametrize("depth", [1, 2])
def test_quiet_moves_are_futile_far_below_alpha(depth: int) -> None:
    board = chess.Board()
    needed = s22.FUTILITY * (depth + 1)
    assert len(tried(board, depth, needed)) == 1 < len(tried(board, depth, needed - 1))
    known = number_of(board, "e2e4")
    for deep, more, count in ((7, 880, 1), (7, 879, 3), (8, 2000, 3)):  # three are not reduced
        assert len(tried(board, deep, more, known=known)) == count


def test_safe_checks_are_not_futile() -> None:
    # Rd8+ and f7+ would lose what gives check; Re1+ does not.
    board = chess.Board("4k3/8/5P2/8/8/8/PPP5/K2R4 w - - 0 1")
    for depth, more in ((2, 330), (3, 440)):
        _, *others = tried(board, depth, more)
        assert [to_move(move).uci() for move in others] == ["d1e1"]
    assert len(tried(board, 1, 220)) == 1  # not even those next to the leaves


@pytest.mark.parametrize("beta", [-900, 900])
@pytest.mark.parametrize("depth", [1, 4])
def test_in_check_all_moves_are_searched_a_ply_deeper(depth: int, beta: int) -> None:
    board = chess.Board("4k3/8/8/8/1b5n/8/4PP2/R2QK2R w KQ - 0 1")
    given = depth, beta - 1, beta
    _, asked, thread = recorded(board, 2, *given, values=(1 - beta,), entry=knows(0))
    assert len(asked) == board.legal_moves.count()
    assert thread.state.statics[2] == -INFINITE
    assert {question[0] for question in asked} == {depth - (depth + 1 >= s22.IIR_DEPTH)}


@pytest.mark.parametrize(("uci", "deepest"), [("d1d5", 2), ("f3d5", 1), ("h1h5", 6), ("f3h5", 1)])
def test_a_capture_may_lose_more_with_more_plies(uci: str, deepest: int) -> None:
    board = chess.Board("6k1/8/2p3p1/3p3p/8/5B2/8/3RK2Q w - - 0 1")
    position, number = new_stack(board, 0)[0], number_of(board, uci)
    pruned = [d for d in range(1, 12) if s27.loses_much(position, number, d, False)]
    assert pruned == list(range(1, deepest + 1))


def test_captures_that_lose_are_left_out_or_reduced_and_no_others() -> None:
    board = chess.Board("6k1/8/2p5/3p4/8/8/8/Q2RK3 w - - 0 1")  # Rxd5 loses four pawns
    static, rook = static_of(board), number_of(board, "d1d5")
    for depth in (1, 2, 3, 4, 5, 7):
        given = depth, static, static + 1
        _, asked, _ = recorded(
            board,
            2,
            *given,
            values=(-static,),
            entry=knows(number_of(board, "e1e2")),
            last=0,
            before=static - 1,
        )
        moves = [question[4] for question in asked]
        assert (rook in moves) is (depth > 3)
        if depth > 3:
            less = s27.fewer_plies(depth, moves.index(rook), 0, False, True)
            assert asked[moves.index(rook)][0] == depth - 1 - less
    board = chess.Board("6k1/8/8/3p4/8/8/8/3RK3 w - - 0 1")  # Rxd5 wins one
    static, known = static_of(board), knows(number_of(board, "e1e2"))
    given = 7, static, static + 1
    _, asked, _ = recorded(
        board, 2, *given, values=(-static,), entry=known, last=0, before=static + 1
    )
    assert asked[1][0] == 6 and asked[1][4] == number_of(board, "d1d5")


def test_late_moves_are_reduced_and_searched_again_if_they_are_better() -> None:
    board = chess.Board()
    alpha = static_of(board)
    beta = alpha + 100
    fails, rises, full, null = -alpha, -alpha - 10, (-beta, -alpha), (-alpha - 1, -alpha)

    def ask(*values: int, credit: int = 0) -> tuple[int, list[tuple[int, ...]]]:
        def prepare(thread: s27.SearchThread) -> None:
            thread.state.history[1, 0, 0] = credit

        value, asked, _ = recorded(
            board,
            2,
            *(6, alpha, beta),
            values=values,
            entry=knows(number_of(board, "e2e4")),
            last=0,
            before=alpha,
            prepare=prepare,
        )
        return value, asked

    for credit in (0, -8000):
        _, asked = ask(fails, credit=credit)
        less = [0 if i < 3 else s27.fewer_plies(6, i, credit, True, False) for i in range(20)]
        assert [question[:3] for question in asked] == [
            (5, *full),
            *((5 - less[i], *null) for i in range(1, 20)),
        ]
    _, asked = ask(*[fails] * 4, rises, fails)  # it only looked better
    assert asked[5][:3] == (5, *null) and asked[5][4] == asked[4][4] != asked[6][4]
    _, asked = ask(*[fails] * 4, rises, rises, rises, fails)  # it is better
    assert asked[6][:3] == (5, *full) and len({question[4] for question in asked[4:7]}) == 1
    assert asked[7][1:3] == (rises - 1, rises)
    value, asked = ask(*[fails] * 4, rises, -beta)  # it reaches beta
    assert value == beta and len(asked) == 6


@pytest.mark.parametrize(("depth", "there"), [(8, False), (12, True)])
def test_a_reduced_move_may_lose_what_its_own_plies_allow(depth: int, there: bool) -> None:
    board = chess.Board("4k3/8/8/3p1p2/6p1/4P3/2P5/4K1N1 w - - 0 1")
    static, loses = static_of(board), number_of(board, "g1h3")

    def prepare(thread: s27.SearchThread) -> None:
        thread.state.history[1, 0, 0, loses >> 15, loses >> 6 & 63] = -100  # the last one

    given, known = (depth, static, static + 1), knows(number_of(board, "e1d2"))
    _, asked, _ = recorded(
        board, 2, *given, values=(-static,), entry=known, last=0, before=0, prepare=prepare
    )
    assert (loses in [question[4] for question in asked]) is there


def quiet_nodes(fen: str, more: int, *, credit: int = 0) -> int:
    """How many captures are tried in a null window, alpha so much above the static score."""
    thread = thread_of(chess.Board(fen))
    raise_root(thread, 1)
    thread.state.history[1, 0, 0, chess.PAWN, chess.D6] = credit
    alpha = judge(thread.stack[0]) + more
    s27.fast_quiesce(thread.work, alpha, alpha + 1, 1)
    return int(thread.state.nodes)


def test_captures_that_cannot_reach_alpha_are_left_out() -> None:
    for fen in ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"):
        assert [quiet_nodes(fen, 100 + s22.DELTA + more) for more in (-1, 0)] == [1, 0]
        assert quiet_nodes(fen, -1) == 0  # the static score is enough
    assert quiet_nodes("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", 20_000) == 1  # to a queen, always


def test_a_capture_en_passant_that_has_lost_credit_is_tried() -> None:
    assert quiet_nodes("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 0, credit=-8000) == 1
