"""The order of moves in the compiled search, and what it learns of them."""

from __future__ import annotations

import itertools
import random
from typing import Any

import chess
import chess.engine
import numpy as np
import pytest
from hypothesis import given

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s26_bitboards import ALL, Position, generate, new_stack, to_move, to_number
from tests.helpers.compiled_search import (
    BISHOP_TO_C4,
    knows,
    number_of,
    recorded,
    static_of,
    thread_of,
)
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from utils.compiler import plain


def stage(position: Position, move: int) -> int:
    """0 for captures and promotions, 1 for quiet moves, 2 for captures that lose."""
    if not s27.is_noisy(position, move):
        return 1
    loses = not s27.fast_exchange_wins(position, move, 0)
    return 2 if loses and not move >> 12 & 7 else 0


@examples(40)
@given(positions())
def test_each_move_comes_once_and_a_known_one_first(board: chess.Board) -> None:
    state, position = thread_of(board, 0.01).state, new_stack(board, 0)[0]
    last, rng = chess.QUEEN << 15 | chess.D5 << 6, np.random.default_rng(1)
    credits = state.history[position.turn]
    always, replies = credits[0, 0], credits[chess.QUEEN, chess.D5]
    always[:], replies[:] = rng.integers(-8192, 8193, (2, 7, 64))
    count = generate(position, ALL, ALL, state.moves[3])
    listed = [int(move) for move in state.moves[3, :count]]
    first, state.killers[3] = listed[count // 2], listed[-2:] if count > 1 else 0
    s27.rank_moves(position, state, count, first, 3, last)
    order = [int(s27.next_move(state.moves[3], i, count)) for i in range(count)]
    assert sorted(order) == sorted(listed) and order[0] == first
    stages = [stage(position, move) for move in order[1:]]
    assert stages == sorted(stages)
    quiet = [move for move in order if not s27.is_noisy(position, move) and move != first]
    killers = [int(k) for k in state.killers[3] if k in quiet]
    assert quiet[: len(killers)] == killers
    means = [
        (int(always[m >> 15, m >> 6 & 63]) + replies[m >> 15, m >> 6 & 63]) // 2 for m in quiet
    ]
    assert means[len(killers) :] == sorted(means[len(killers) :], reverse=True)
    s27.find_checks(position, state.checks[3])
    for move in order:
        real = to_move(move, chess960=board.chess960)
        captures = board.is_capture(real) and not board.is_en_passant(real)
        assert bool(s27.is_noisy(position, move)) == bool(captures or real.promotion)
        if not real.promotion and not board.is_castling(real):
            board.push(real)
            king = board.king(board.turn)
            assert king is not None
            direct = bool(board.attacks_mask(real.to_square) & chess.BB_SQUARES[king])
            board.pop()
            if not board.is_en_passant(real):
                assert bool(s27.gives_check(move, state.checks[3])) == direct


@examples(40)
@given(positions())
def test_quiet_moves_that_give_no_check_are_skipped_together(board: chess.Board) -> None:
    state, position = thread_of(board, 0.01).state, new_stack(board, 0)[0]
    moves, checks = state.moves[0], state.checks[0]
    s27.find_checks(position, checks)
    count = generate(position, ALL, ALL, moves)
    s27.rank_moves(position, state, count, 0, 0, 0)
    before, tried = moves[:count].tolist(), min(2, count)
    after = s27.skip_quiet(position, moves, tried, count, checks)
    skipped, left = moves[tried:after].tolist(), moves[after:count].tolist()
    assert moves[:tried].tolist() == before[:tried] and sorted(moves[:count]) == sorted(before)
    for ranked in skipped + left:
        move = ranked & s27.MOVE
        goes = not s27.is_noisy(position, move) and not s27.gives_check(move, checks)
        assert goes == (ranked in skipped)


@pytest.mark.parametrize("form", [s27.loses_much, plain(s27.loses_much)])
@pytest.mark.parametrize(
    ("uci", "deepest"),
    # With how many plies left the move is pruned: half of `SEE_PRUNING` for each may be lost.
    [("e3e4", 1), ("c2c3", 0), ("g1h3", 6), ("g1e2", 0), ("e1g1", 0)],
)
def test_a_quiet_move_may_lose_more_with_more_plies(form: Any, uci: str, deepest: int) -> None:
    board = chess.Board("4k3/8/8/3p1p2/6p1/4P3/2P5/4K1N1 w - - 0 1")
    if uci == "e1g1":
        board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    for side in (board, board.mirror()):
        move = chess.Move.from_uci(uci)
        if side is not board:
            move = chess.Move(move.from_square ^ 56, move.to_square ^ 56)
        position = new_stack(side, 0)[0]
        number = to_number(position, move)
        pruned = [d for d in range(1, 12) if form(position, number, d, True)]
        assert pruned == list(range(1, deepest + 1)), uci


def test_what_is_learned_has_bounds_and_killers_are_two_quiet_moves() -> None:
    rng, largest = random.Random(13), 0
    for board in random_positions(30, random.Random(14)):
        thread = thread_of(board.copy(stack=False))
        state, position = thread.state, thread.stack[0]
        count = generate(position, ALL, ALL, state.moves[0])
        quiet = [i for i in range(count) if not s27.is_noisy(position, state.moves[0, i])]
        refuted = list[int]()
        for _ in range(400 if quiet else 0):
            place, last = rng.choice(quiet), rng.choice((0, BISHOP_TO_C4))
            refuted.append(int(state.moves[0, place]))
            s27.learn(position, state, 0, last, place, rng.choice((1, 5, 30, 120)))
            largest = max(largest, int(np.abs(state.history).max()))
            assert state.killers[0, 0] == refuted[-1]
            others = [move for move in refuted if move != refuted[-1]]
            assert state.killers[0, 1] == (others[-1] if others else 0)
        for i in set(range(count)) - set(quiet):
            kind, end = state.moves[0, i] >> 15, state.moves[0, i] >> 6 & 63
            alike = {(state.moves[0, j] >> 15, state.moves[0, j] >> 6 & 63) for j in quiet}
            assert (kind, end) in alike or not state.history[..., kind, end].any()
        for row in np.argwhere(state.history.any(axis=(3, 4))).tolist():
            assert row in ([position.turn, 0, 0], [position.turn, chess.BISHOP, chess.C4])
    assert s22.MOST_CREDIT // 2 < largest <= s22.MOST_CREDIT


@pytest.mark.parametrize("form", [s27.adjust, plain(s27.adjust)])
def test_a_reply_is_remembered_with_the_move_before(form: Any) -> None:
    credits = thread_of(chess.Board(), 0.01).state.history[1]
    knight, rook = chess.KNIGHT << 15 | chess.F6 << 6, chess.ROOK << 15 | chess.F6 << 6
    form(credits, BISHOP_TO_C4, knight, 800)
    found = [int(s27.mean_credit(credits, last, knight)) for last in (BISHOP_TO_C4, 0, rook)]
    assert found == [800, 800, 400] and np.count_nonzero(credits) == 2
    assert not s27.mean_credit(credits, BISHOP_TO_C4, rook)
    form(credits, rook, knight, -400)  # the move alone: 800 - 400 - 800 * 400 / 8192
    found = [int(s27.mean_credit(credits, last, knight)) for last in (BISHOP_TO_C4, 0, rook)]
    assert found == [(361 + 800) // 2, 361, (361 - 400) // 2]
    for change in (-2048, 2048) * 3 + (2048,) * 40:
        form(credits, 0, knight, change)  # no more than it can hold
    assert 8000 < s27.mean_credit(credits, 0, knight) <= s22.MOST_CREDIT


def test_reductions_are_those_of_the_tournament_search() -> None:
    for depth, count in itertools.product(range(2, 60), (1, 2, 3, 5, 8, 10, 20, 200)):
        for credit in range(-s22.MOST_CREDIT, s22.MOST_CREDIT + 1, 512):
            plies = (credit + s22.MOST_CREDIT // 4) * 2 // s22.MOST_CREDIT
            for window, improving in itertools.product((False, True), repeat=2):
                less = s27.fewer_plies(depth, count, credit, window, improving)
                assert less == s22.reduction(depth, count, plies, window, improving)


def test_a_new_search_begins_with_an_eighth_of_the_history() -> None:
    thread = thread_of(chess.Board(), 0.01)
    thread.state.history[:], thread.state.killers[:] = 80, 5
    thread.state.nodes = thread.state.best_move = 7
    thread.begin(chess.Board())
    assert (thread.state.history == 10).all() and not thread.state.killers.any()
    assert thread.state.nodes == thread.state.best_move == 0


def test_a_node_orders_by_its_killers_and_the_last_move_and_learns_what_refuted() -> None:
    board = chess.Board()
    static, first = static_of(board), number_of(board, "e2e4")
    killer, reply = number_of(board, "h2h4"), number_of(board, "a2a3")
    place = reply >> 15, reply >> 6 & 63

    def prepare(thread: s27.SearchThread) -> None:
        thread.state.killers[2, 0] = killer
        thread.state.history[1, 0, 1][place] = 8000  # after 77, a move to b1

    _, asked, thread = recorded(
        board,
        2,
        *(2, static, static + 1),
        values=(-static, -static, -static - 1),
        entry=knows(first),
        before=static + 1,
        prepare=prepare,
    )
    assert [question[4] for question in asked] == [first, killer, reply]
    assert thread.state.killers[2].tolist() == [reply, killer]
    assert thread.state.history[1, 0, 0][place] == s22.CREDIT * 2**2
    board = chess.Board("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")  # a capture teaches nothing
    beta = static_of(board) + 1
    _, asked, thread = recorded(
        board, 2, 2, beta - 1, beta, values=(-beta,), entry=knows(0), last=0
    )
    assert len(asked) == 1
    assert not thread.state.killers.any() and not thread.state.history.any()


@pytest.mark.parametrize(
    ("depth", "weight"), [(1, 16), (5, 400), (11, 1936), (12, 2048), (40, 2048)]
)
def test_what_refuted_gains_what_those_before_it_lose(depth: int, weight: int) -> None:
    thread = thread_of(chess.Board())
    state, position = thread.state, thread.stack[0]
    generate(position, ALL, ALL, state.moves[0])
    s27.learn(position, state, 0, BISHOP_TO_C4, 2, depth)
    places = [(int(move) >> 15, int(move) >> 6 & 63) for move in state.moves[0, :4]]
    for credits in (state.history[1, 0, 0], state.history[1, chess.BISHOP, chess.C4]):
        assert [int(credits[place]) for place in places] == [-weight, -weight, weight, 0]


def test_captures_come_by_what_they_take_then_by_what_takes() -> None:
    board = chess.Board("6k1/8/8/2r2n2/1P4P1/1N6/8/2Q3K1 w - - 0 1")
    thread = thread_of(board)
    position, moves = thread.stack[0], thread.state.moves[0]
    count = generate(position, ALL, ALL, moves)
    s27.rank_moves(position, thread.state, count, 0, 0, 0)
    order = [int(s27.next_move(moves, i, count)) for i in range(count)]
    noisy = [to_move(move).uci() for move in order if s27.is_noisy(position, move)]
    assert noisy == ["b4c5", "b3c5", "c1c5", "g4f5"]
