"""Bitboards: lines, legal moves, keys and counts are those of python-chess, plain and compiled."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping

import chess
import chess.variant
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from converted_notebooks import s26_bitboards as s26
from converted_notebooks.s91_perft_and_bitboards import differences, divide
from converted_notebooks.s91_perft_and_bitboards import perft as library_perft
from tests.helpers.generated import examples
from tests.helpers.loader_tools import SECONDS
from tests.helpers.positions import (
    ALIKE,
    CASTLING,
    MANY_MOVES,
    OUT_OF_REACH,
    PERFT_COUNTS,
    PINNED_PAWNS,
    SELDOM,
    SELDOM_960,
    SQUARE_SETS,
    STARTS,
    any_position,
)
from utils.paths import ROOT

SQUARES = st.integers(0, 63)
# From https://www.chessprogramming.org/Chess960_Perft_Results.
CHESS960 = {
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9": (
        21,
        528,
        12_189,
        326_672,
        8_146_062,
        227_689_589,
    ),
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9": (
        21,
        807,
        18_002,
        667_366,
        16_253_601,
        590_751_109,
    ),
    "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9": (
        22,
        593,
        13_440,
        382_958,
        9_183_776,
        274_103_539,
    ),
}
EVERYDAY = 5_000_000  # leaves


def counts(table: Mapping[str, tuple[int, ...]]) -> Iterator[object]:
    """Position, depth and leaves; what takes more than a moment is slow."""
    for fen, leaves in table.items():
        for depth, count in enumerate(leaves, 1):
            marks = pytest.mark.slow if count > EVERYDAY else ()
            yield pytest.param(fen, depth, count, marks=marks)


def listed(board: chess.Board, targets: int, pushes: int) -> list[chess.Move]:
    """What `generate` lists."""
    stack, moves = s26.new_stack(board, 0), s26.new_moves(0)
    count = s26.generate(stack[0], s26.Bits(targets), s26.Bits(pushes), moves[0])
    return [s26.to_move(move, chess960=board.chess960) for move in moves[0, :count]]


# Sets and lines


@given(SQUARE_SETS)
@example(0)
@example(2**64 - 1)
@example(2**63)
def test_bits_are_counted_and_the_lowest_is_found(bits: int) -> None:
    assert s26.popcount(s26.Bits(bits)) == bits.bit_count()
    if bits:
        assert s26.lowest(s26.Bits(bits)) == next(chess.scan_forward(bits))


def test_sliders_reach_what_python_chess_says_from_every_square() -> None:
    rng = random.Random(26)
    for square in chess.SQUARES:
        lines = (
            chess.BB_DIAG_MASKS[square],
            chess.BB_RANK_MASKS[square],
            chess.BB_FILE_MASKS[square],
        )
        for n in range(150):
            occupied = rng.getrandbits(64)
            for _ in range(n % 3):
                occupied &= rng.getrandbits(64)
            diagonal, rank, file = (
                table[square][occupied & mask]
                for table, mask in zip(
                    (chess.BB_DIAG_ATTACKS, chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS),
                    lines,
                    strict=True,
                )
            )
            bits = s26.Bits(occupied)
            assert s26.diagonals(square, bits) == diagonal
            assert s26.straights(square, bits) == rank | file
            assert s26.reach(chess.BISHOP, square, bits) == diagonal
            assert s26.reach(chess.ROOK, square, bits) == rank | file
            assert s26.reach(chess.QUEEN, square, bits) == diagonal | rank | file


def test_tables_are_those_of_python_chess() -> None:
    for a in chess.SQUARES:
        assert s26.reach(chess.KING, a, s26.ALL) == chess.BB_KING_ATTACKS[a]
        assert s26.reach(chess.KNIGHT, a, s26.ALL) == chess.BB_KNIGHT_ATTACKS[a]
        for color in chess.COLORS:
            assert s26.PAWN_HITS[int(color), a] == chess.BB_PAWN_ATTACKS[color][a]
        for b in chess.SQUARES:
            assert s26.IN_BETWEEN[a, b] == chess.between(a, b)
            assert s26.LINE_THROUGH[a, b] == (chess.ray(a, b) if a != b else 0)


# Positions


@given(any_position)
@examples(100)
def test_attackers_checkers_and_pins_are_those_of_python_chess(board: chess.Board) -> None:
    position = s26.new_stack(board, 0)[0]
    for square in chess.SQUARES:
        both = board.attackers_mask(chess.WHITE, square) | board.attackers_mask(chess.BLACK, square)
        assert s26.attackers_of(position, square, s26.Bits(board.occupied)) == both
        piece = board.piece_type_at(square)
        assert s26.kind_at(position, square) == (piece or 0)
    checkers, pinned = s26.king_lines(position)
    assert checkers == board.checkers_mask()
    assert pinned == sum(
        chess.BB_SQUARES[square]
        for square in chess.scan_forward(board.occupied_co[board.turn])
        if board.is_pinned(board.turn, square)
    )


@given(any_position)
@example(chess.Board("8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1"))  # a pin along the rank
@example(chess.Board("8/8/8/8/1k1PpN1R/8/8/4K3 b - d3 0 1"))
@example(chess.Board("8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1"))  # a pin on a diagonal
@examples(200)
def test_legal_moves_are_those_of_python_chess(board: chess.Board) -> None:
    ours = s26.bit_moves(board)
    assert set(ours) == set(board.legal_moves)
    assert len(ours) == len(set(ours))


@given(any_position, SQUARE_SETS, SQUARE_SETS)
@example(chess.Board(STARTS[7]), chess.BB_E2, 0)  # exf6 is legal; no enemy piece is a target
@example(chess.Board(STARTS[7]), chess.BB_A8, 0)
@example(chess.Board(CASTLING[0]), chess.BB_A8 | chess.BB_H8, 0)  # no empty square is a target
@example(chess.Board(CASTLING[0]), chess.BB_B5, 0)
@examples(100)
def test_targets_and_pushes_choose_among_the_legal_moves(
    board: chess.Board, targets: int, pushes: int
) -> None:
    def chosen(move: chess.Move) -> bool:
        end = chess.BB_SQUARES[move.to_square]
        if board.is_castling(move):
            return bool(targets & ~board.occupied)
        if board.is_en_passant(move):
            return bool(targets & ~board.occupied_co[board.turn] & board.occupied)
        pawn = board.piece_type_at(move.from_square) == chess.PAWN
        push = pawn and not board.is_capture(move)
        return bool((pushes if push else targets) & end)

    expected = {move for move in board.legal_moves if chosen(move)}
    assert set(listed(board, targets, pushes)) == expected


@given(any_position)
@examples(100)
def test_boards_and_moves_come_back_as_they_were(board: chess.Board) -> None:
    board.fullmove_number = 1
    position = s26.new_stack(board, 0)[0]
    back = s26.to_board(position, chess960=board.chess960)
    assert back == board and back.chess960 == board.chess960
    for move in board.legal_moves:
        number = s26.to_number(position, move)
        assert s26.to_move(number, chess960=board.chess960) == move
        assert number >> 15 == board.piece_type_at(move.from_square)


def random_game(board: chess.Board, rng: random.Random) -> Iterator[chess.Move]:
    """Moves of a random game of 100 plies at most; the caller pushes them."""
    for _ in range(100):
        moves = list(board.legal_moves)
        if not moves:
            return
        yield rng.choice(moves)


def test_random_games_are_followed_with_their_keys() -> None:
    """Thousands of positions, standard and Chess960: equal key if and only if equal position."""
    rng, seen = random.Random(26), 0
    keys: dict[int, object] = {}
    starts = [(chess.Board(fen), 4) for fen in (*STARTS, PINNED_PAWNS, *SELDOM)]
    starts += [(chess.Board(fen, chess960=True), 3) for fen in SELDOM_960]
    starts += [(chess.Board.from_chess960_pos(rng.randrange(960)), 1) for _ in range(30)]
    for start, games in starts:
        for _ in range(games):
            board = start.copy()
            position = s26.new_stack(board, 0)[0]
            for move in random_game(board, rng):
                s26.make_move(position, s26.to_number(position, move))
                board.push(move)
                board.fullmove_number = 1
                assert position.tobytes() == s26.new_stack(board, 0)[0].tobytes()
                assert s26.to_board(position, chess960=board.chess960) == board
                assert set(s26.bit_moves(board)) == set(board.legal_moves)
                key = int(position.key)
                assert (
                    keys.setdefault(key, board._transposition_key()) == board._transposition_key()
                )
                seen += 1
    assert seen > 4_000
    assert len(set(keys.values())) == len(keys)


def test_what_no_piece_shows_is_in_the_key() -> None:
    keys = {int(s26.new_stack(board, 0)[0].key) for board in ALIKE}
    assert len(keys) == len(ALIKE)


@given(any_position)
@examples(50)
def test_passing_the_turn_is_a_null_move(board: chess.Board) -> None:
    if board.is_check():
        return
    position = s26.new_stack(board, 0)[0]
    s26.pass_turn(position)
    board.push(chess.Move.null())
    assert position.tobytes() == s26.new_stack(board, 0)[0].tobytes()


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (chess.Board(None), "NO_WHITE_KING"),
        (chess.Board("k7/8/8/8/8/8/8/KK6 w - - 0 1"), "TOO_MANY_KINGS"),
        (chess.Board("kP6/8/8/8/8/8/8/K7 w - - 0 1"), "PAWNS_ON_BACKRANK"),
        (chess.Board("k6R/8/8/8/8/8/8/K7 w - - 0 1"), "OPPOSITE_CHECK"),
        (chess.Board("k7/8/8/3P4/8/8/8/K7 w - e6 0 1"), "INVALID_EP_SQUARE"),
        (chess.Board("kn6/pp6/8/8/8/8/QQQQQQQQ/QQ5K w - - 0 1"), "9 pawns and promoted pieces"),
        (chess.Board("k7/8/qqqqqqq1/pppppppp/8/8/8/K7 b - - 0 1"), "14 pawns and promoted pieces"),
        (chess.Board("k7/8/8/8/8/8/NNNNNNNN/KNNBBB2 w - - 0 1"), "9 pawns and promoted pieces"),
        (chess.variant.AtomicBoard(), "atomic"),
    ],
)
def test_what_cannot_be_held_is_named(board: chess.Board, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        s26.new_stack(board)


@pytest.mark.parametrize("fen", OUT_OF_REACH)
def test_positions_that_no_game_reaches_can_be_held(fen: str) -> None:
    board = chess.Board(fen)
    assert set(s26.bit_moves(board)) == set(board.legal_moves)


def test_a_move_without_a_piece_is_named() -> None:
    position = s26.new_stack(chess.Board(), 0)[0]
    with pytest.raises(ValueError, match="no piece on e4"):
        s26.to_number(position, chess.Move.from_uci("e4e5"))


def test_most_moves_fit() -> None:
    """The position with the most moves that is known."""
    board = chess.Board(MANY_MOVES)
    assert len(s26.bit_moves(board)) == board.legal_moves.count() == 218 < s26.MOST_MOVES


# Counts


@pytest.mark.parametrize(("fen", "depth", "leaves"), counts(PERFT_COUNTS))
def test_perft_is_as_published(fen: str, depth: int, leaves: int) -> None:
    stack, moves = s26.new_stack(chess.Board(fen)), s26.new_moves()
    assert s26.bit_perft(stack, 0, moves, depth) == leaves


@pytest.mark.parametrize(("fen", "depth", "leaves"), counts(CHESS960))
def test_perft_of_chess960_is_as_published(fen: str, depth: int, leaves: int) -> None:
    board = chess.Board(fen, chess960=True)
    assert s26.bit_perft(s26.new_stack(board), 0, s26.new_moves(), depth) == leaves


@pytest.mark.parametrize("fen", CASTLING)
def test_perft_of_castling_is_that_of_python_chess(fen: str) -> None:
    board = chess.Board(fen, chess960=True)
    stack = s26.new_stack(board)
    assert s26.bit_perft(stack, 0, s26.new_moves(), 3) == library_perft(board, 3)
    assert not differences(divide(board, 2, s26.bit_moves), divide(board, 2))


PLAIN = """
import json
import chess
import numpy as np
from converted_notebooks.s26_bitboards import *
from utils.compiler import is_compiling
assert not is_compiling()
found = {}
for fen in json.loads(input()):
    stack, moves = new_stack(chess.Board(fen)), new_moves()
    leaves = bit_perft(stack, 0, moves, 2)
    count = generate(stack[0], ALL, ALL, moves[0])
    keys = []
    for number in moves[0, :count]:
        stack[1] = stack[0]
        make_move(stack[1], number)
        keys.append(stack[1].tobytes().hex())
    found[fen] = [leaves, [int(number) for number in moves[0, :count]], keys]
print(json.dumps(found))
"""


def test_the_plain_form_does_the_same() -> None:
    fens = [*PERFT_COUNTS, PINNED_PAWNS, *CASTLING[:1], STARTS[5], STARTS[7]]
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN],
        input=json.dumps(fens),
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert answer.returncode == 0, answer.stderr
    for fen, (leaves, numbers, keys) in json.loads(answer.stdout).items():
        stack, moves = s26.new_stack(chess.Board(fen)), s26.new_moves()
        assert s26.bit_perft(stack, 0, moves, 2) == leaves
        count = s26.generate(stack[0], s26.ALL, s26.ALL, moves[0])
        assert moves[0, :count].tolist() == numbers
        for number, key in zip(numbers, keys, strict=True):
            stack[1] = stack[0]
            s26.make_move(stack[1], number)
            assert stack[1].tobytes().hex() == key


def test_the_divergence_leads_to_a_planted_fault() -> None:
    """Without captures en passant, divide names the move that allows one."""

    def forgetful(board: chess.Board) -> list[chess.Move]:
        return [move for move in s26.bit_moves(board) if not board.is_en_passant(move)]

    board = chess.Board("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1")
    wrong = differences(divide(board, 2, forgetful), divide(board, 2))
    assert {str(move) for move in wrong} == {"e2e4"}
