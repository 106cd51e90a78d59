"""The board of numbers: its moves are python-chess's, and so are its key and its score."""

from __future__ import annotations

import json
import random
from pathlib import Path

import chess
import pytest
from hypothesis import example, given

from converted_notebooks import s20_board_of_numbers as s20
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s18_positional_evaluation import unpack
from tests.helpers.generated import examples
from tests.helpers.positions import (
    ALIKE,
    OUT_OF_REACH,
    PERFT_COUNTS,
    PINNED_PAWNS,
    SELDOM,
    SELDOM_960,
    SQUARE_SETS,
    STARTS,
    any_position,
    positions,
)

PROVE = examples(60)
PINNED = chess.Board(PINNED_PAWNS)
PINNED.push_san("e4")
# Pieces that are pinned on a diagonal, on a file and on a rank; two of them may move.
PINS = chess.Board("4r1k1/8/8/b6b/8/2N1N3/3P2P1/r2QK1Rr w - - 0 1")
PINNED_EN_PASSANT = [
    "k3r3/8/8/2PpP3/8/8/8/4K3 w - d6",  # the other pawn is pinned on its file
    "8/8/8/K1Pp3r/8/8/8/7k w - d6",  # both pawns leave the rank
    "8/8/8/K1Pp1P1r/8/8/8/7k w - d6",
    "8/8/8/b1PpP3/8/8/8/4K2k w - d6",  # no pin by c5, but check by the bishop
    "7k/8/8/2Pp4/1K6/8/8/8 w - d6",
    "7k/8/8/3pP3/2K5/8/8/8 w - d6",  # it takes what gives check
    "b6k/8/8/3pP3/8/8/6K1/8 w - d6",  # the line that opens is a diagonal
]
PHASES = ("middlegame", "endgame")
EVERYDAY, MOST = 200_000, 20_000_000  # leaves: a quarter of a second, half a minute
rich = positions(starts=[*STARTS, PINNED_PAWNS])


def state_of(board: s20.NumberBoard) -> dict[str, object]:
    """Everything that a move changes, copied."""
    return vars(board) | {"masks": [*board.masks], "kinds": [*board.kinds]}


def assert_same(number: s20.NumberBoard, board: chess.Board) -> None:
    """Also asserts that nothing was forgotten on the way."""
    assert state_of(number) == state_of(s20.NumberBoard(board))


def legal(board: s20.NumberBoard) -> list[int]:
    return sorted(s20.legal_moves(board))


@pytest.mark.parametrize(
    ("fen", "depth", "leaves"),
    [
        pytest.param(fen, depth, leaves, marks=() if leaves < EVERYDAY else pytest.mark.slow)
        for fen, counts in PERFT_COUNTS.items()
        for depth, leaves in enumerate(counts, 1)
        if leaves < MOST
    ],
)
def test_perft_is_what_is_published(fen: str, depth: int, leaves: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        assert s20.number_perft(s20.NumberBoard(board), depth) == leaves
        if leaves >= EVERYDAY:
            break


def assert_make_and_unmake(board: chess.Board) -> None:
    """Plays a game again on both boards, and tries each move of the last position."""
    moving = board.root()
    number, states, undos = s20.NumberBoard(moving), [], []
    keys = {moving.epd(): number.total}
    for move in board.move_stack:
        states.append(state_of(number))
        moving.push(move)
        undos.append(s20.make(number, s20.number_of(move)))
        assert_same(number, moving)
        assert keys.setdefault(moving.epd(), number.total) == number.total
    assert len(set(keys.values())) == len(keys), "equal keys mean equal positions"
    here = state_of(number)
    for move in moving.legal_moves:
        undo = s20.make(number, s20.number_of(move))
        moving.push(move)
        assert_same(number, moving)
        moving.pop()
        s20.unmake(number, undo)
        assert state_of(number) == here
    if not moving.is_check():
        null = s20.make_null(number)
        moving.push(chess.Move.null())
        assert_same(number, moving)
        s20.unmake_null(number, null)
        assert state_of(number) == here
    while states:
        s20.unmake(number, undos.pop())
        assert state_of(number) == states.pop()


@examples(50)
@given(any_position)
@example(PINNED)
def test_make_is_push_and_unmake_is_pop(board: chess.Board) -> None:
    assert_make_and_unmake(board)


def test_what_no_piece_shows_is_in_the_key() -> None:
    half = 1 << s20.KEY_SHIFT - 1  # a score below zero takes one from the key
    keys = {s20.NumberBoard(board).total + half >> s20.KEY_SHIFT for board in ALIKE}
    assert len(keys) == len(ALIKE)


@pytest.mark.slow
def test_key_and_score_follow_300_random_games() -> None:
    rng = random.Random(92)
    for game in range(300):
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if game % 2 else chess.Board()
        while not board.is_game_over() and board.ply() < 120:
            moves = list(board.legal_moves)
            castling = [move for move in moves if board.is_castling(move)]
            board.push(rng.choice(castling or moves))
        assert_make_and_unmake(board)


@PROVE
@given(any_position)
@example(PINNED)
@example(PINS)
def test_there_and_back_the_position_is_the_same(board: chess.Board) -> None:
    copy = s20.chess_board(s20.NumberBoard(board))
    assert copy.fen(en_passant="legal").split()[:5] == board.fen(en_passant="legal").split()[:5]
    assert (copy.chess960, copy.occupied) == (board.chess960, board.occupied)
    assert copy.ep_square == (board.ep_square if board.has_legal_en_passant() else None)
    assert set(copy.legal_moves) == set(board.legal_moves)
    white, black = s20.sides_of(s20.NumberBoard(board))
    assert [black, white] == board.occupied_co


def assert_legal(board: chess.Board, ends: int) -> None:
    """Both stages together are the legal moves; each may be restricted to some squares."""
    number = s20.NumberBoard(board)
    before = state_of(number)
    assert number.ep_square == (board.ep_square if board.has_legal_en_passant() else 0)
    state = s20.king_state(number)
    noisy, quiet = s20.captures(number, state), s20.quiets(number, state)
    found = [s20.move_of(move) for move in noisy + quiet]
    assert sorted(found, key=str) == sorted(board.legal_moves, key=str)
    assert [s20.number_of(move) for move in found] == noisy + quiet == s20.legal_moves(number)
    assert {s20.move_of(move) for move in noisy} == {
        m for m in board.legal_moves if board.is_capture(m) or m.promotion
    }
    assert chess.SquareSet(state[1]) == board.checkers()
    own = chess.SquareSet(board.occupied_co[board.turn])
    assert state[0] == board.king(board.turn)
    assert set(chess.SquareSet(state[2])) == {s for s in own if board.is_pinned(board.turn, s)}
    some = s20.captures(number, state, ends)
    assert len(set(some)) == len(some) and set(some) <= set(noisy)
    for move in set(noisy) - set(some):
        square = chess.BB_SQUARES[move >> 6 & 63]
        assert square & board.occupied and not square & ends
    assert all(chess.BB_SQUARES[move >> 6 & 63] & (ends | ~board.occupied) for move in some), (
        "nothing else is taken"
    )
    few = s20.quiets(number, state, ends)
    castling = {m for m in quiet if board.is_castling(s20.move_of(m))}
    assert set(few) == castling | {m for m in quiet if chess.BB_SQUARES[m >> 6 & 63] & ends}
    assert state_of(number) == before, "looking changes nothing"


@PROVE
@given(any_position, SQUARE_SETS)
@example(PINNED, 0)
@example(PINS, 0)
def test_both_stages_together_are_the_legal_moves(board: chess.Board, ends: int) -> None:
    assert_legal(board, ends)


@pytest.mark.parametrize(
    ("fens", "chess960"), [(SELDOM, False), (PINNED_EN_PASSANT, False), (SELDOM_960, True)]
)
def test_rare_positions_have_the_right_moves(fens: list[str], chess960: bool) -> None:
    for fen in fens:
        board = chess.Board(fen, chess960=chess960)
        for one in (board, board.mirror()):
            assert_legal(one, 0)
            assert_make_and_unmake(one)


@pytest.mark.parametrize("fen", OUT_OF_REACH)
def test_positions_that_no_game_reaches_can_be_held(fen: str) -> None:
    board = chess.Board(fen)
    assert legal(s20.NumberBoard(board)) == sorted(map(s20.number_of, board.legal_moves))


def test_the_moves_of_thousands_of_positions_are_legal() -> None:
    for board in random_positions(2000, random.Random(20)):
        number = s20.NumberBoard(board)
        assert legal(number) == sorted(map(s20.number_of, board.legal_moves)), board.fen()


@PROVE
@given(rich)
def test_attackers_of_both_sides_and_the_squares_that_are_safe(board: chess.Board) -> None:
    number, occupied = s20.NumberBoard(board), board.occupied
    thinned, left = board.copy(stack=False), occupied & ~chess.BB_RANK_4
    for gone in chess.SquareSet(occupied & chess.BB_RANK_4):
        thinned.remove_piece_at(gone)
    safe = s20.safe_squares(number, chess.BB_ALL, occupied)
    for square in chess.SQUARES:
        both = board.attackers_mask(True, square) | board.attackers_mask(False, square)
        assert s20.attackers(number, square, occupied) == both
        both = thinned.attackers_mask(True, square) | thinned.attackers_mask(False, square)
        assert s20.attackers(number, square, left) == both
        assert bool(safe >> square & 1) == (not board.is_attacked_by(not board.turn, square))


def test_a_table_fills_itself_and_forgets_before_it_grows_too_large() -> None:
    asked: list[int] = []

    def compute(squares: int) -> int:
        asked.append(squares)
        return squares * 2

    table = s20.Lookup(compute)
    assert [table[5], table[5], table[6]] == [10, 10, 12] and asked == [5, 6]
    for n in range(s20.MOST_ENTRIES + 50):
        assert table[n] == 2 * n and len(table) <= s20.MOST_ENTRIES
    assert len(table) < s20.MOST_ENTRIES


def test_the_sum_holds_the_score_of_the_tables() -> None:
    for board in random_positions(100, random.Random(5)):
        number = s20.NumberBoard(board)
        packed = sum(
            s20.KNOWLEDGE.values[piece.color][piece.piece_type][square]
            for square, piece in board.piece_map().items()
        )
        assert (number.total - packed) % (1 << s20.KEY_SHIFT) == 0


def test_knowledge_is_what_the_file_says() -> None:
    stored = json.loads(s20.TUNED.read_text(encoding="utf-8"))
    phases = {"knight": 1, "bishop": 1, "rook": 2, "queen": 4}
    for square in chess.SQUARES:
        row, column = 7 - chess.square_rank(square), chess.square_file(square)
        for kind in chess.PIECE_TYPES:
            name = chess.piece_name(kind)
            early, late = (stored["tables"][name][end][row][column] for end in PHASES)
            phase, mirrored = phases.get(name, 0), chess.square_mirror(square)
            values = s20.KNOWLEDGE.values
            assert unpack(values[chess.WHITE][kind][square]) == (early, late, phase)
            assert unpack(values[chess.BLACK][kind][mirrored]) == (-early, -late, phase)
    assert {n: [*pair] for n, pair in s20.KNOWLEDGE.weights.items()} == stored["weights"]


def test_a_file_without_weights_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.json"
    with pytest.raises(FileNotFoundError, match=r"knowledge\.json"):
        s20.load_knowledge(path)
    stored = json.loads(s20.TUNED.read_text(encoding="utf-8"))
    wrong = [json.dumps(stored | {"weights": some}) for some in (list[str](), {"tempo": ["a", 1]})]
    for text in ("", "[]", "{}", '{"tables": {"pawn": {}}, "weights": {}}', *wrong):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"knowledge\.json"):
            s20.load_knowledge(path)


def test_keys_are_long_and_all_different() -> None:
    keys = [value >> s20.KEY_SHIFT for rows in s20.VALUES for row in rows[1:] for value in row]
    others = (*s20.EN_PASSANT_KEYS[1:], *s20.ROOK_KEYS, s20.WHITE_KEY)
    keys += [key >> s20.KEY_SHIFT for key in others]
    assert len(set(keys)) == len(keys)
    assert all(300 < sum(key >> bit & 1 for key in keys) < 600 for bit in range(60))


@pytest.mark.parametrize("chess960", [False, True])
def test_a_move_of_another_position_is_legal_only_if_it_is_in_the_list(chess960: bool) -> None:
    rng = random.Random(6)
    boards = list(random_positions(250, rng)) + [chess.Board(fen) for fen in STARTS]
    boards += [PINNED, PINS, chess.Board("4k3/8/8/8/7q/8/8/R3K2R w KQ - 0 1")]
    if chess960:
        boards = [chess.Board.from_chess960_pos(rng.randrange(960)) for _ in range(60)]
        for board in boards:
            for _ in range(rng.randrange(40)):
                if choice := list(board.legal_moves):
                    board.push(rng.choice(choice))
    moves = {move for board in boards for move in s20.legal_moves(s20.NumberBoard(board))}
    moves |= {move ^ 5 << 12 for move in moves} | {move ^ 2 << 12 for move in moves}
    for board in boards:
        number = s20.NumberBoard(board)
        state, listed = s20.king_state(number), set(s20.legal_moves(number))
        for move in rng.sample(sorted(moves), 400) + sorted(listed):
            assert s20.is_legal(number, move, state) is (move in listed), (board.fen(), move)


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e2e4"),  # over a piece
        ("4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1", "e2e4"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1"),  # no right
        ("4k3/8/8/8/8/8/8/4KB1R w K - 0 1", "e1g1"),
        ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "e1g1"),  # in check
        ("4k3/8/8/8/8/8/5r2/R3K2R w KQ - 0 1", "e1g1"),  # through an attacked square
        ("4k3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7e8q"),
        ("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8"),  # without a promotion
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e3q"),
        ("4k3/8/8/8/8/8/8/RN2K3 w - - 0 1", "a1c1"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a4n"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1e2q"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e8e7"),  # the other side's
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "b1b2"),  # nobody's
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1a1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6"),
        ("4k3/8/8/2Pp4/8/8/3R4/4K3 w - d6 0 1", "d2d6"),
    ],
)
def test_a_planted_move_is_refused(fen: str, move: str) -> None:
    number = s20.NumberBoard(chess.Board(fen))
    planted = s20.number_of(chess.Move.from_uci(move))
    assert not s20.is_legal(number, planted, s20.king_state(number))
