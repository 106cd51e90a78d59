"""What the search of s22 knows about a move: checks, exchanges, stages, history."""

from __future__ import annotations

import itertools
import random

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s16_quiescence_search import static_exchange
from converted_notebooks.s20_board_of_numbers import (
    NumberBoard,
    captures,
    king_state,
    move_of,
    number_of,
    quiets,
)
from tests.helpers.generated import examples
from tests.helpers.positions import BATTERIES, STARTS, positions
from tests.helpers.tournament import BLACK, START, THREE_TAKE, number, searcher_of


@examples(60)
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


@examples(60)
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


def test_a_new_search_begins_without_killers_and_with_less_history() -> None:
    searcher, move = searcher_of(), number_of(chess.Move.from_uci("e2e4"))
    searcher.history.learn(searcher.board, [move], 4, 3)
    searcher.begin(chess.Board())
    assert searcher.history.killers[3] == [0, 0] and max(searcher.history.counts[1]) == 2 * 4**2


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
    board, history = NumberBoard(chess.Board(STARTS[1])), s22.History()
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
