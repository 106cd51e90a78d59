"""A fast evaluation: whatever it remembers, looks up or leaves out, the score is its definition."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s21_fast_evaluation as s21
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s18_positional_evaluation import (
    Counts,
    Weights,
    king_features,
    pack,
    pawn_features,
    pawn_sets,
    piece_features,
    taper,
)
from converted_notebooks.s20_board_of_numbers import KNOWLEDGE, NumberBoard, make_null
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS, positions

PROVE = examples(60)
# More pieces of a kind than a game begins with, and pawns of every sort.
CROWDED = [
    "6k1/5ppp/8/3QQQ2/2qqq3/8/5PPP/6K1 w - - 0 1",
    "2nnk1n1/1N1N1N2/8/B3B1B1/1b3b1b/8/2N1N3/3K4 w - - 0 1",
    "r1rr2k1/pp1p1p1p/8/R1RR4/3rr3/4RR2/P1P1P1PP/6K1 b - - 0 1",
    "4k3/2p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P2/4K3 w - - 0 1",
    "6k1/P4p1p/5Pp1/1p1P4/4p1P1/p6p/1P3P2/6K1 b - - 0 1",
]
any_position = st.one_of(
    positions(starts=[*STARTS, *CROWDED]),
    positions(
        starts=[chess.Board.from_chess960_pos(n).fen() for n in (0, 17, 356, 959)], chess960=True
    ),
)


def random_weights(seed: int) -> Weights:
    """A weight for each name there can be, so that no two terms can stand in for each other."""
    rng = random.Random(seed)
    names = set(KNOWLEDGE.weights) | set(s21.RINGS)
    names |= {f"reach_{chess.piece_name(k)}_{n}" for k in range(2, 6) for n in range(28)}
    return {name: (rng.randint(-40, 40), rng.randint(-40, 40)) for name in sorted(names)}


def tables(board: chess.Board) -> int:
    """Packed, from White's view."""
    pieces = board.piece_map().items()
    return sum(KNOWLEDGE.values[p.color][p.piece_type][square] for square, p in pieces)


def plain(
    board: chess.Board,
    weights: Weights = KNOWLEDGE.weights,
    count: Callable[[chess.Board, chess.Color], Counts] = s21.counts,
) -> int:
    """The score of tables and counts, added up one by one."""
    packed = tables(board)
    for color, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
        for name, often in count(board, color).items():
            packed += sign * often * pack(*weights.get(name, (0, 0)))
    return s21.tapered(packed, board.turn)


def cheap_counts(board: chess.Board, color: chess.Color) -> Counts:
    """What no lazy score leaves out: all but what pieces do."""
    return (
        pawn_features(board, color)
        | king_features(board, color)
        | s21.running_features(board, color)
        | {"tempo": int(board.turn == color)}
    )


@PROVE
@given(any_position)
def test_the_score_is_the_sum_of_tables_and_counts(board: chess.Board) -> None:
    judge, score = s21.FastEvaluator(), plain(board)
    for again in (board, board.mirror(), board):  # the last one is remembered
        assert judge.score(NumberBoard(again)) == score
    for _ in list(board.move_stack)[:3]:  # what is remembered does not leak
        board.pop()
        assert judge.score(NumberBoard(board)) == plain(board)


@PROVE
@given(any_position, st.integers(0, 99))
def test_each_count_has_the_weight_of_its_name(board: chess.Board, seed: int) -> None:
    weights = random_weights(seed)
    judge, score = s21.FastEvaluator(weights), plain(board, weights)
    assert judge.score(NumberBoard(board)) == judge.score(NumberBoard(board.mirror())) == score


@PROVE
@given(any_position, st.integers(-1500, 1500), st.integers(0, 200))
def test_a_score_is_rough_only_if_it_lies_far_outside_the_window(
    board: chess.Board, alpha: int, width: int
) -> None:
    judge, numbers, beta = s21.FastEvaluator(), NumberBoard(board), alpha + width
    exact, rough = plain(board), plain(board, count=cheap_counts)
    lazy = rough <= alpha - s21.SURE or rough >= beta + s21.SURE
    assert judge.score(numbers, alpha, beta) == (rough if lazy else exact)
    assert judge.score(numbers) == exact, "a rough score was remembered"
    assert judge.score(numbers, alpha, beta) == exact, "the exact score was forgotten"


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_the_margin_of_a_lazy_score_is_kept_to_the_centipawn(off: int) -> None:
    board = chess.Board(CROWDED[0])
    exact, rough = plain(board), plain(board, count=cheap_counts)
    assert exact != rough
    for alpha, beta in (
        (rough + s21.SURE + off, rough + s21.SURE + off + 1),
        (rough - s21.SURE - off - 1, rough - s21.SURE - off),
    ):
        found = s21.FastEvaluator().score(NumberBoard(board), alpha, beta)
        assert found == (exact if off < 0 else rough)


@given(board=any_position)
@PROVE
def test_what_follows_from_pawns_is_what_s18_says_of_them(board: chess.Board) -> None:
    weights = random_weights(1)
    packed = {name: pack(*pair) for name, pair in weights.items()}
    white, black = (board.pawns & board.occupied_co[color] for color in (True, False))
    known = s21.study_pawns(packed, white << 64 | black)

    def worth(counts: Counts) -> int:
        return sum(packed[name] * often for name, often in counts.items() if often)

    ours, theirs = (worth(pawn_features(board, color)) for color in (True, False))
    assert known.score == ours - theirs
    for color, ground, kings in (
        (chess.WHITE, known.white, known.white_kings),
        (chess.BLACK, known.black, known.black_kings),
    ):
        own = board.pieces(chess.PAWN, color)
        other = board.pieces(chess.PAWN, not color)
        hits = {to for pawn in own for to in board.attacks(pawn)}
        hit = {to for pawn in other for to in board.attacks(pawn)}
        files = {chess.square_file(pawn) for pawn in own}
        their_files = {chess.square_file(pawn) for pawn in other}
        for square in chess.SQUARES:
            file, bit = chess.square_file(square), 1 << square
            assert bool(ground.pawns & bit) == (square in own)
            assert bool(ground.hits & bit) == (square in hits)
            assert bool(ground.safe & bit) == (square not in hit and square not in own)
            assert bool(ground.open_files & bit) == (file not in files | their_files)
            assert bool(ground.half_open_files & bit) == (file in their_files - files)
            # The king on every square: shelter, and the ways to all passed pawns.
            alone = chess.Board(None)
            alone.pawns, alone.occupied = board.pawns, board.pawns
            alone.occupied_co = [black, white]
            alone.set_piece_at(square, chess.Piece(chess.KING, color))
            if square in own | other:
                continue
            score = worth(king_features(alone, color))
            for side, name in ((color, "own_king_away"), (not color, "their_king_away")):
                for passed in chess.scan_forward(pawn_sets(board, side)["passed"]):
                    front = passed + 8 if side else chess.square_mirror(passed + 8)
                    steps = max(chess.square_rank(passed) - 2, 0)
                    away = steps * chess.square_distance(square, front) * packed[name]
                    score += away if side == color else -away
            assert kings[bit] == score


@given(st.integers(-3000, 3000), st.integers(-3000, 3000), st.integers(0, 60))
@PROVE
def test_tapering_is_that_of_s18_and_equal_for_both_sides(
    early: int, late: int, phase: int
) -> None:
    packed = pack(early, late, phase)
    share = min(phase, 24)
    assert s21.tapered(packed, 1) == (early * share + late * (24 - share)) // 24
    assert abs(s21.tapered(packed, 1) - taper(packed)) <= 1
    assert s21.tapered(packed, 1) == s21.tapered(pack(-early, -late, phase), 0)
    full = pack(early, late, 24)
    assert s21.tapered(full, 1) == early == -s21.tapered(full, 0)


def test_the_side_to_move_is_part_of_what_is_remembered() -> None:
    judge, there = s21.FastEvaluator(), chess.Board(STARTS[1])
    board = NumberBoard(there)
    assert judge.score(board) == plain(there)
    make_null(board)
    there.push(chess.Move.null())
    assert judge.score(board) == plain(there) != plain(chess.Board(STARTS[1]))


def test_memory_is_bounded_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s21, "MOST_SCORES", 3)
    judge, sizes = s21.FastEvaluator(), []
    for number in range(10):
        board = chess.Board.from_chess960_pos(number)
        assert judge.score(NumberBoard(board)) == plain(board)
        sizes.append(len(judge.scores))
    assert sizes == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]
    assert judge.pawns
    judge.forget()
    assert not judge.pawns and not judge.scores
    assert judge.score(NumberBoard(chess.Board())) == plain(chess.Board())


def test_a_name_without_a_weight_counts_nothing() -> None:
    weights = {n: pair for n, pair in KNOWLEDGE.weights.items() if not n.startswith("reach_")}
    board = chess.Board("4k3/8/8/8/8/1BN5/8/Q2RK3 w - - 0 1")
    assert s21.FastEvaluator(weights).score(NumberBoard(board)) == plain(board, weights)


@given(board=any_position)
@PROVE
def test_counts_are_fair_and_say_what_they_say(board: chess.Board) -> None:
    for color in chess.COLORS:
        counts, mirrored = s21.counts(board, color), s21.counts(board.mirror(), not color)
        assert counts == mirrored
        assert counts["tempo"] == (board.turn == color)
        assert counts["bishop_pair"] == piece_features(board, color)["bishop_pair"]
        reached = [name for name in counts if name.startswith("reach_")]
        pieces = board.occupied_co[color] & ~(board.pawns | board.kings)
        assert sum(counts[name] for name in reached) == chess.popcount(pieces)


@pytest.mark.parametrize(
    ("fen", "own", "their"),
    [
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", 0, 0),  # not far yet
        ("4k3/8/8/8/P7/8/8/4K3 w - - 0 1", 4, 4),  # a4: one step, both kings four from a5
        ("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", 3 * 6, 3 * 4),  # a6: three steps
        ("8/P7/8/8/8/8/8/4K2k w - - 0 1", 4 * 7, 4 * 7),
    ],
)
def test_kings_run_for_far_passed_pawns(fen: str, own: int, their: int) -> None:
    for board, color in ((chess.Board(fen), True), (chess.Board(fen).mirror(), False)):
        found = s21.running_features(board, color)
        assert found == {"own_king_away": own, "their_king_away": their}
        assert set(s21.running_features(board, not color).values()) == {0}


@given(board=any_position)
@PROVE
def test_attacks_beside_a_king_are_those_that_python_chess_finds(board: chess.Board) -> None:
    for color in chess.COLORS:
        king = board.king(not color)
        assert king is not None
        near = 0
        for square in chess.SquareSet(chess.BB_KING_ATTACKS[king]):
            kinds = [board.piece_type_at(attacker) for attacker in board.attackers(color, square)]
            pieces = [kind for kind in kinds if kind not in (chess.PAWN, chess.KING)]
            near += len(pieces) + (chess.PAWN in kinds)  # pawns count a square once
        assert s21.ring_features(board, color) == {f"ring_{min(near, s21.MOST_NEAR)}": 1}


def test_each_number_of_attacks_beside_a_king_has_a_weight_that_is_read() -> None:
    assert {name for name in KNOWLEDGE.weights if name.startswith("ring_")} == set(s21.RINGS)


@pytest.mark.parametrize(
    "fen", ["8/5k2/8/8/3Q4/8/8/1K6 w - - 0 1", "8/8/8/3Q4/8/k7/8/6K1 w - - 0 1"]
)
def test_a_queen_may_reach_27_squares(fen: str) -> None:
    board = chess.Board(fen)
    assert s21.counts(board, chess.WHITE)["reach_queen_27"] == 1
    assert s21.FastEvaluator().score(NumberBoard(board)) == plain(board)


def test_activity_seldom_brings_more_than_what_is_sure() -> None:
    judge, beyond = s21.FastEvaluator(), 0
    for board in random_positions(300, random.Random(21)):
        numbers = NumberBoard(board)
        rough = judge.score(numbers, s21.INFINITE, s21.INFINITE)
        beyond += abs(judge.score(numbers) - rough) > s21.SURE
    assert beyond < 15


def test_no_king_can_be_attacked_more_often_than_there_are_weights() -> None:
    crowd = chess.Board("QQQQQQQQ/QQQQQQQQ/8/3k4/8/8/8/K7 w - - 0 1")
    assert s21.ring_features(crowd, chess.WHITE) == {f"ring_{s21.MOST_NEAR}": 1}
    judge = s21.FastEvaluator()
    assert judge.score(NumberBoard(crowd)) == plain(crowd)
