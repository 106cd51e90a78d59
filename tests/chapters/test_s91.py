"""Perft, divide and attack sets."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s91_perft_and_bitboards import (
    PERFT_SUITE,
    START_PERFT,
    PerftCase,
    differences,
    divide,
    legal_moves,
    pawn_attacks,
    perft,
)
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.programs import need
from tests.helpers.properties import unchanged
from utils.exercises.s91 import SUSPECTS
from utils.matches.benchmark import perft as perft_without_bulk

MOVES = st.sampled_from([chess.Move(chess.A1, square) for square in range(1, 6)])
COUNTS = st.dictionaries(MOVES, st.integers(1, 3))
CASES = pytest.mark.parametrize("case", PERFT_SUITE, ids=lambda case: case.name)
DEEPER = {
    "start position": {5: 4_865_609},
    "Kiwipete": {4: 4_085_603},
    "rook ending": {5: 674_624},
    "promotions": {4: 2_103_487},
}
"""Published counts one ply deeper than the chapter's suite."""


@given(positions(), st.integers(0, 2))
@examples(30)
def test_bulk_counting_changes_no_count(board: chess.Board, depth: int) -> None:
    with unchanged(board):
        assert perft(board, depth) == perft_without_bulk(board, depth)


class Counted(chess.Board):
    """A board that counts its pushes."""

    pushes = 0

    def push(self, move: chess.Move) -> None:
        self.pushes += 1
        super().push(move)


@CASES
def test_bulk_counting_pushes_all_plies_but_the_last(case: PerftCase) -> None:
    board = Counted(case.fen)
    perft(board, 3)
    assert board.pushes == case.leaves[1] + case.leaves[2]


@given(positions(), st.integers(1, 2))
@examples(30)
def test_divide_is_perft_below_each_legal_move(board: chess.Board, depth: int) -> None:
    with unchanged(board):
        leaves = divide(board, depth)
    assert set(leaves) == set(board.legal_moves)
    for move, count in leaves.items():
        after = board.copy(stack=False)
        after.push(move)
        assert perft(after, depth - 1) == count


@given(positions(), st.data())
@examples(30)
def test_a_forgotten_root_move_costs_its_subtree_and_divide_names_it(
    board: chess.Board, data: st.DataObject
) -> None:
    lost = data.draw(st.sampled_from(list(board.legal_moves)))
    plies = len(board.move_stack)

    def forgetful(position: chess.Board) -> Iterable[chess.Move]:
        """A generator of moves, without a length."""
        at_root = len(position.move_stack) == plies
        return (move for move in position.legal_moves if not (at_root and move == lost))

    whole = divide(board, 2)
    assert perft(board, 2, forgetful) == perft(board, 2) - whole[lost]
    assert differences(divide(board, 2, forgetful), whole) == {lost: (0, whole[lost])}


def test_a_move_that_is_listed_twice_is_counted_twice() -> None:
    def doubled(board: chess.Board) -> list[chess.Move]:
        return [*board.legal_moves, chess.Move.from_uci("e2e4")]

    board = chess.Board()
    assert perft(board, 1, doubled) == 21 == sum(divide(board, 1, doubled).values())
    assert differences(divide(board, 1, doubled), divide(board, 1)) == {
        chess.Move.from_uci("e2e4"): (2, 1)
    }


@given(COUNTS, COUNTS)
@examples(100)
def test_differences_are_the_moves_with_two_counts(
    ours: dict[chess.Move, int], theirs: dict[chess.Move, int]
) -> None:
    both = {move: (ours.get(move, 0), theirs.get(move, 0)) for move in ours | theirs}
    expected = {move: pair for move, pair in both.items() if len(set(pair)) == 2}
    assert differences(ours, theirs) == expected


@pytest.mark.parametrize(("count", "depth"), [(perft, -1), (divide, -1), (divide, 0)])
def test_a_depth_too_small_is_named(
    count: Callable[[chess.Board, int], object], depth: int
) -> None:
    with pytest.raises(ValueError, match=rf"depth {depth}: expected [01] or more plies"):
        count(chess.Board(), depth)


def test_a_finished_game_has_no_paths_but_a_draw_by_rule_has() -> None:
    mate = chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1")
    assert [perft(mate, depth) for depth in range(3)] == [1, 0, 0]
    assert divide(mate, 2) == {}
    bare = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 150 200")
    assert bare.is_game_over() and perft(bare, 2) == 25


@given(positions())
@examples(100)
def test_the_suspects_break_one_rule_each(board: chess.Board) -> None:
    legal = set(board.legal_moves)
    with unchanged(board):
        without, wrapped = (list(SUSPECTS[name](board)) for name in "AB")
    assert set(without) == {move for move in legal if not board.is_en_passant(move)}
    assert len(set(wrapped)) == len(wrapped) and set(wrapped) >= legal
    for move in set(wrapped) - legal:
        assert board.piece_type_at(move.from_square) == chess.PAWN
        distance = chess.square_file(move.from_square) - chess.square_file(move.to_square)
        assert abs(distance) == 7 or move in board.pseudo_legal_moves
        assert board.color_at(move.to_square) == (not board.turn)


@given(positions(), st.sampled_from(chess.COLORS))
@examples(100)
def test_pawn_attacks_by_coordinates(board: chess.Board, colour: chess.Color) -> None:
    up = 1 if colour == chess.WHITE else -1
    expected = {
        chess.square(file, chess.square_rank(square) + up)
        for square in board.pieces(chess.PAWN, colour)
        for file in (chess.square_file(square) - 1, chess.square_file(square) + 1)
        if 0 <= file < 8
    }
    assert set(pawn_attacks(board, colour)) == expected


@CASES
def test_the_numbers_of_the_suite_are_right(case: PerftCase) -> None:
    assert chess.Board(case.fen).is_valid()
    assert list(case.leaves) == list(range(1, len(case.leaves) + 1))
    assert case.first_failure(legal_moves) is None


@pytest.mark.slow
@CASES
def test_the_published_numbers_hold_one_ply_deeper(case: PerftCase) -> None:
    for depth, leaves in DEEPER[case.name].items():
        assert perft(chess.Board(case.fen), depth) == leaves


def test_the_first_failure_is_the_shallowest() -> None:
    case = PerftCase("unordered", chess.STARTING_FEN, {**START_PERFT, 3: 8903, 2: 401})
    assert case.first_failure(legal_moves) == 2


def _stockfish(program: str, fen: str, depth: int) -> dict[chess.Move, int]:
    """A divide by a program that shares no code with ours."""
    answer = subprocess.run(
        [program],
        input=f"position fen {fen}\ngo perft {depth}\nquit\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found = re.findall(r"^([a-h][1-8][a-h][1-8][qrbn]?): (\d+)$", answer.stdout, re.MULTILINE)
    return {chess.Move.from_uci(move): int(count) for move, count in found}


@CASES
def test_another_program_gets_the_same_divide(case: PerftCase) -> None:
    program, depth = need("stockfish"), max(case.leaves)
    theirs = _stockfish(program, case.fen, 2)
    assert differences(divide(chess.Board(case.fen), 2), theirs) == {}
    assert sum(_stockfish(program, case.fen, depth).values()) == case.leaves[depth]
