"""Perft, divide and attack sets; and the checks against wrong answers."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s03_python_chess import (
    KIWIPETE,
    KIWIPETE_PERFT,
    PERFT_SUITE,
    START_PERFT,
    MoveGenerator,
    PerftCase,
    count_leaves,
    differences,
    divide,
    legal_moves,
    pawn_attacks,
    perft,
)
from tests.generated import examples
from tests.positions import positions
from tests.programs import need
from utils.exercises import check
from utils.exercises.s03 import _kinds

FAST = examples(100)
SLOW = examples(30)
MOVES = st.sampled_from([chess.Move(chess.A1, square) for square in range(1, 6)])
COUNTS = st.dictionaries(MOVES, st.integers(1, 3))


def state(board: chess.Board) -> tuple[str, list[chess.Move], int]:
    return board.fen(en_passant="fen"), list(board.move_stack), board.castling_rights


@given(positions(), st.integers(0, 2))
@SLOW
def test_bulk_counting_changes_no_count_and_no_board(board: chess.Board, depth: int) -> None:
    before = state(board)
    assert perft(board, depth) == count_leaves(board, depth)
    assert state(board) == before


@given(positions(), st.integers(1, 2))
@SLOW
def test_divide_is_perft_below_each_legal_move(board: chess.Board, depth: int) -> None:
    before = state(board)
    leaves = divide(board, depth)
    assert state(board) == before
    assert set(leaves) == set(board.legal_moves)
    assert sum(leaves.values()) == perft(board, depth)
    for move, count in leaves.items():
        after = board.copy(stack=False)
        after.push(move)
        assert perft(after, depth - 1) == count


@given(positions(), st.integers(1, 2))
@SLOW
def test_colours_are_treated_alike(board: chess.Board, depth: int) -> None:
    assert perft(board, depth) == perft(board.mirror(), depth)
    assert Counter(divide(board, depth).values()) == Counter(divide(board.mirror(), depth).values())


@given(positions(), st.data())
@SLOW
def test_a_forgotten_root_move_costs_its_subtree_and_divide_names_it(
    board: chess.Board, data: st.DataObject
) -> None:
    lost = data.draw(st.sampled_from(list(board.legal_moves)))
    plies = len(board.move_stack)

    def forgetful(position: chess.Board) -> list[chess.Move]:
        at_root = len(position.move_stack) == plies
        return [move for move in position.legal_moves if not (at_root and move == lost)]

    whole = divide(board, 2)
    assert perft(board, 2, forgetful) == perft(board, 2) - whole[lost]
    expected = {lost: (0, whole[lost])} if whole[lost] else {}
    assert differences(divide(board, 2, forgetful), whole) == expected


def test_a_move_that_is_listed_twice_is_counted_twice() -> None:
    def doubled(board: chess.Board) -> list[chess.Move]:
        return [*board.legal_moves, chess.Move.from_uci("e2e4")]

    board = chess.Board()
    assert perft(board, 1, doubled) == 21 == sum(divide(board, 1, doubled).values())
    assert differences(divide(board, 1, doubled), divide(board, 1)) == {
        chess.Move.from_uci("e2e4"): (2, 1)
    }


def test_a_generator_without_a_length_is_enough() -> None:
    def lazy(board: chess.Board) -> Iterable[chess.Move]:
        yield from board.legal_moves

    assert [perft(chess.Board(), depth, lazy) for depth in range(3)] == [1, 20, 400]


@given(COUNTS, COUNTS)
@FAST
def test_differences_are_exact_and_symmetric(
    ours: dict[chess.Move, int], theirs: dict[chess.Move, int]
) -> None:
    found = differences(ours, theirs)
    assert (found == {}) == (ours == theirs)
    assert differences(theirs, ours) == {move: (b, a) for move, (a, b) in found.items()}
    for move in set(ours) | set(theirs):
        same = ours.get(move) == theirs.get(move)
        assert same != (move in found)


@pytest.mark.parametrize("count", [perft, count_leaves, divide])
def test_a_negative_depth_is_named(count: Callable[[chess.Board, int], object]) -> None:
    with pytest.raises(ValueError, match=r"depth -1: expected [01] or more plies"):
        count(chess.Board(), -1)


def test_divide_needs_a_root_move_to_divide_by() -> None:
    with pytest.raises(ValueError, match="depth 0: expected 1 or more plies"):
        divide(chess.Board(), 0)


def test_a_finished_game_has_no_paths() -> None:
    mate = chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1")
    assert [perft(mate, depth) for depth in range(3)] == [1, 0, 0]
    assert divide(mate, 2) == {}


def test_draws_by_rule_do_not_end_a_path() -> None:
    bare = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 150 200")
    assert bare.is_game_over()
    assert perft(bare, 2) == perft(chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), 2) == 25


@given(positions(), st.sampled_from(chess.COLORS))
@FAST
def test_pawn_attacks_by_coordinates(board: chess.Board, colour: chess.Color) -> None:
    up = 1 if colour == chess.WHITE else -1
    expected = {
        chess.square(file, chess.square_rank(square) + up)
        for square in board.pieces(chess.PAWN, colour)
        for file in (chess.square_file(square) - 1, chess.square_file(square) + 1)
        if 0 <= file < 8
    }
    assert set(pawn_attacks(board, colour)) == expected


def test_the_numbers_of_the_suite_are_the_published_ones() -> None:
    assert dict(START_PERFT) == {1: 20, 2: 400, 3: 8902, 4: 197281}
    assert dict(KIWIPETE_PERFT) == {1: 48, 2: 2039, 3: 97862}
    assert len({case.name for case in PERFT_SUITE}) == len(PERFT_SUITE)
    for case in PERFT_SUITE:
        assert chess.Board(case.fen).is_valid()
        assert list(case.leaves) == list(range(1, len(case.leaves) + 1))


def test_the_first_failure_is_the_shallowest() -> None:
    case = PerftCase("unordered", chess.STARTING_FEN, {3: 8902, 2: 401, 1: 20})
    assert case.first_failure(legal_moves) == 2
    assert PerftCase("right", chess.STARTING_FEN, START_PERFT).first_failure(legal_moves) is None


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


def test_another_program_gets_the_same_divides() -> None:
    program = need("stockfish")
    for case in PERFT_SUITE:
        depth = max(case.leaves)
        theirs = _stockfish(program, case.fen, depth)
        assert sum(theirs.values()) == case.leaves[depth]
        assert differences(divide(chess.Board(case.fen), 2), _stockfish(program, case.fen, 2)) == {}


# The checks of the exercises.

PUBLISHED_KINDS = [
    (chess.STARTING_FEN, 3, (8902, 34, 0, 0, 0, 12, 0)),
    (KIWIPETE, 1, (48, 8, 0, 2, 0, 0, 0)),
    (KIWIPETE, 2, (2039, 351, 1, 91, 0, 3, 0)),
]
KINDS = ("leaves", "captures", "en passant", "castles", "promotions", "checks", "mates")


@pytest.mark.parametrize(("fen", "depth", "published"), PUBLISHED_KINDS)
def test_the_check_counts_kinds_as_published(
    fen: str, depth: int, published: tuple[int, ...]
) -> None:
    kinds = _kinds(chess.Board(fen), depth)
    assert tuple(kinds[kind] for kind in KINDS) == published


FEN = "r3k2r/8/8/8/3pP3/8/5PPP/5RK1 b kq e3 0 12"


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (FEN.replace(" b ", " w "), "Whose turn"),
        (FEN.replace("kq", "KQkq"), "Only Black"),
        (FEN.replace("e3", "-"), "skip"),
        (FEN.replace(" 0 ", " 1 "), "last pawn move"),
        (FEN.replace("12", "13"), "twelfth"),
        (FEN.replace("3pP3", "3Pp3"), "first field"),
        (FEN.removesuffix(" 0 12"), "six fields"),
        (FEN.replace("3pP3", "3pP4"), "cannot read"),
    ],
)
def test_wrong_fens_get_their_hints(wrong: str, hint: str) -> None:
    assert check("s03-1", FEN)
    assert hint in repr(check("s03-1", wrong))


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda move: move, "not legal"),
        (lambda move: chess.Move(63 - move.from_square, 63 - move.to_square), "files"),
        (lambda move: chess.Move(move.from_square ^ 56, move.to_square ^ 56), "promotion"),
    ],
)
def test_wrong_mirrors_get_their_hints(
    wrong: Callable[[chess.Move], chess.Move], hint: str
) -> None:
    assert hint in repr(check("s03-2", wrong))


def test_wrong_knights_get_their_hints() -> None:
    def wrapping(knights: int) -> int:
        shifted = [(knights << jump, knights >> jump) for jump in (6, 10, 15, 17)]
        return chess.BB_ALL & _union(squares for pair in shifted for squares in pair)

    def beyond(knights: int) -> int:
        return _union(chess.BB_KNIGHT_ATTACKS[s] for s in chess.scan_forward(knights)) | 1 << 64

    assert "wrap around" in repr(check("s03-3", wrapping))
    assert "beyond h8" in repr(check("s03-3", beyond))
    assert "also attack" in repr(check("s03-3", lambda knights: 0))


def _union(sets: Iterable[int]) -> int:
    union = 0
    for squares in sets:
        union |= squares
    return union


def test_wrong_kinds_get_their_hints() -> None:
    def every_ply(board: chess.Board, depth: int) -> Counter[str]:
        return _kinds(board, depth, last=False)

    def without(kind: str) -> Callable[[chess.Board, int], Counter[str]]:
        return lambda board, depth: Counter({**_kinds(board, depth), kind: 0})

    assert check("s03-4", _kinds)
    assert "Count only the last move" in repr(check("s03-4", every_ply))
    for kind in ("en passant", "promotions", "mates"):
        assert kind in repr(check("s03-4", without(kind)))


def test_wrong_hunts_get_their_hints() -> None:
    def at_the_root(board: chess.Board, depth: int, generate: MoveGenerator) -> Any:
        odd = set(generate(board)) ^ set(board.legal_moves)
        return ([], odd) if odd else None

    def only_missing(board: chess.Board, depth: int, generate: MoveGenerator) -> Any:
        ours, theirs = divide(board, depth, generate), divide(board, depth)
        if odd := set(theirs) - set(ours):
            return [], odd
        for move in differences(ours, theirs):
            board.push(move)
            below = only_missing(board, depth - 1, generate)
            board.pop()
            if below is not None:
                return [move, *below[0]], below[1]
        return None

    def every_difference(board: chess.Board, depth: int, generate: MoveGenerator) -> Any:
        wrong = differences(divide(board, depth, generate), divide(board, depth))
        if any(0 in pair for pair in wrong.values()):
            return [], set(wrong)
        for move in wrong:
            board.push(move)
            path, odd = every_difference(board, depth - 1, generate)
            board.pop()
            return [move, *path], odd
        return None

    def unpopped(board: chess.Board, depth: int, generate: MoveGenerator) -> Any:
        board.push(next(iter(board.legal_moves)))
        return None

    assert "returned None" in repr(check("s03-5", at_the_root))
    assert not check("s03-5", only_missing)
    assert "the lists differ in" in repr(check("s03-5", every_difference))
    assert "not popped" in repr(check("s03-5", unpopped))


def _with_key(
    key: Callable[[chess.Board, int], object],
) -> Callable[[chess.Board, int], int]:
    """Perft with a memory that lives for one call."""

    def answer(board: chess.Board, depth: int) -> int:
        known: dict[object, int] = {}

        def count(depth: int) -> int:
            if depth == 0:
                return 1
            here = key(board, depth)
            if here not in known:
                moves = list(board.legal_moves)
                leaves = len(moves) if depth == 1 else 0
                for move in moves if depth > 1 else []:
                    board.push(move)
                    leaves += count(depth - 1)
                    board.pop()
                known[here] = leaves
            return known[here]

        return count(depth)

    return answer


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        (
            lambda board, depth: (board.board_fen(), board.turn, board.castling_rights, depth),
            "en p",
        ),
        (lambda board, depth: (board.board_fen(), board.ep_square, depth), "castle"),
        (lambda board, depth: board.epd(), "depth"),
        (lambda board, depth: tuple(board.move_stack), "were listed"),
    ],
)
def test_wrong_keys_get_their_hints(key: Callable[[chess.Board, int], object], hint: str) -> None:
    result = check("s03-6", _with_key(key))
    assert not result
    assert hint in repr(result)


def test_the_right_key_passes() -> None:
    assert check("s03-6", _with_key(lambda board, depth: (board.epd(), depth)))


def test_counting_without_a_memory_does_not_pass() -> None:
    assert "were listed" in repr(check("s03-6", perft))
