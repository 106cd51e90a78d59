"""What the engine of s25 reads: go, positions, moves."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s25_playing as s25
from converted_notebooks.s11_iterative_deepening import DEEPEST
from tests.helpers.conversation import bestmoves, moves
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS, positions
from utils.uci_text import faults, message, playable_board, quote

squares = st.integers(0, 63)
uci_moves = st.builds(
    chess.Move, squares, squares, st.sampled_from([None, chess.QUEEN, chess.KNIGHT])
).filter(lambda move: move.from_square != move.to_square)


@examples(60)
@given(
    st.dictionaries(
        st.sampled_from([*s25.COUNTS, *s25.TIMES]),
        st.one_of(st.integers(-1, 2), st.integers(-10, 10**7)),
    ),
    st.sets(st.sampled_from(["infinite", "ponder"])),
    st.lists(uci_moves, max_size=4),
    st.randoms(use_true_random=False),
)
def test_the_parts_of_go_may_come_in_any_order(
    values: dict[str, int],
    flags: set[str],
    allowed: list[chess.Move],
    rng: random.Random,
) -> None:
    parts = [[word, str(number)] for word, number in values.items()] + [[flag] for flag in flags]
    parts += [["searchmoves", *map(str, allowed)]] if allowed else []
    parts.append(["shiny"])
    rng.shuffle(parts)
    if parts[-1] != ["shiny"] or not allowed:  # or else it would be taken for a move
        parts = sorted(parts, key=lambda part: part[0] == "searchmoves")
    else:
        parts.remove(["shiny"])
    request = s25.parse_go([word for part in parts for word in part])
    assert (request.infinite, request.ponder) == ("infinite" in flags, "ponder" in flags)
    assert list(request.moves) == allowed
    for word, field in s25.TIMES.items():
        expected = max(values[word], 0) / 1000 if word in values else None
        assert getattr(request.limit, field) == expected
    counts = {word: number for word, number in values.items() if number > 0}
    assert request.limit.nodes == counts.get("nodes")
    assert request.limit.remaining_moves == counts.get("movestogo")
    depth = counts.get("depth")
    if "mate" in counts:
        depth = min(depth or DEEPEST, 2 * counts["mate"] - 1)
    assert request.limit.depth == (depth and min(depth, DEEPEST))


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ("depth 1e400", "depth '1e400': expected a whole number"),
        ("movetime nan", "movetime 'nan': expected a whole number"),
        ("searchmoves zzz depth 2", "'zzz'"),
        ("infinite wtime", "wtime '': expected a whole number"),
        ("ponder wtime abc", "wtime 'abc': expected a whole number"),
    ],
)
def test_a_go_that_cannot_be_read_is_named_and_answered(limits: str, value: str) -> None:
    board = chess.Board(STARTS[1])
    said = s25.converse([f"position fen {board.fen()}", f"go {limits}"])
    waits = {"infinite", "ponder"} & {*limits.split()}
    assert len(bestmoves(said)) == (0 if waits else 1)
    told, *rest = s25.converse([f"position fen {board.fen()}", f"go {limits}", "stop"])
    assert told.startswith("info string ") and value in told
    assert [line for line in rest if not line.startswith("info ")] == rest[-1:]
    assert moves(*bestmoves(rest))[0] in board.legal_moves


def test_a_capture_en_passant_needs_a_pawn_to_be_taken() -> None:
    for pawns, square in (("3P4", None), ("3Pp3", chess.E6)):
        board = s25.parse_position(f"fen 4k3/8/8/{pawns}/8/8/8/4K3 w - e6 0 1".split())
        assert board.ep_square == square


def test_after_a_position_that_cannot_be_read_there_is_no_move_until_the_next() -> None:
    for wrong in (
        "position startpos moves e2e5",
        "position startpos e2e4 e7e5",  # the word "moves" is missing
        "position fen 8/8",
        "position",
        "position here",
    ):
        lines = [f"position fen {STARTS[1]}", wrong, "go depth 1", "go infinite", "stop"]
        said = s25.converse([*lines, "position startpos", "go depth 1"])
        *none, best = bestmoves(said)
        assert none == ["0000"] * 2 and moves(best)[0] in chess.Board().legal_moves
        assert sum(line.startswith("info string position") for line in said) == 1
        assert sum(line.startswith("info string go: the last position") for line in said) == 2


@examples(60)
@given(positions())
def test_a_position_comes_back_with_its_history(board: chess.Board) -> None:
    played = [move.uci() for move in board.move_stack]
    again = s25.parse_position(["fen", *board.root().fen().split(), "moves", *played])
    assert again == board and again.move_stack == board.move_stack
    assert again.is_repetition(2) == board.is_repetition(2)


@examples(60)
@given(positions(max_plies=20), uci_moves)
def test_a_move_that_is_not_legal_is_named(board: chess.Board, move: chess.Move) -> None:
    if move in board.legal_moves or board.is_castling(move):
        return  # the king captures its rook: another way to say that he castles
    with pytest.raises(ValueError, match=f"move 1 '{move}' is not legal"):
        s25.parse_position(["fen", *board.fen().split(), "moves", move.uci()])


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "no black king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "too many kings"),
        ("k7/8/8/8/8/8/8/K6P w - - 0 1", "pawns on backrank"),
        ("k7/8/8/8/8/8/8/KR6 w - - 0 1", None),
        ("kR6/8/8/8/8/8/8/K7 w - - 0 1", "opposite check"),
        ("QQQQQQQQ/QQQQQQQQ/8/8/8/7k/8/K7 w - - 0 1", "opposite check"),
        ("qqqq4/8/8/8/7k/8/8/5K2 b - - 0 1", None),
        ("k7/8/8/8/8/8/8/K7 w KQkq - 0 1", None),
        ("k7/8/8/8/8/8/8/K7", None),
        ("k7/8/8/8/8/8/8/K7 w - - 99999 1", None),
    ],
)
def test_only_positions_that_no_search_can_handle_are_refused(fen: str, reason: str | None) -> None:
    if reason:
        with pytest.raises(ValueError, match=reason):
            s25.parse_position(["fen", *fen.split()])
    else:
        (best,) = bestmoves(s25.converse([f"position fen {fen}", "go nodes 300"]))
        assert moves(best)[0] in chess.Board(fen).legal_moves


@pytest.mark.parametrize("word", ["movetime", "wtime", "nodes", "depth"])
def test_a_number_that_is_too_large_is_named_and_answered(word: str) -> None:
    huge = "9" * 400
    told, *rest = s25.converse([f"go {word} {huge}"], s25.Player(random.Random(1), "s05"))
    assert told.startswith(f"info string go {word} '999") and "expected a whole number" in told
    assert len(bestmoves(rest)) == 1


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("k7/8/8/8/8/8/8/8 b - - 0 1", "no white king"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no white king, no black king"),
    ],
)
def test_each_fault_of_a_position_is_named(fen: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"; {words}$"):
        playable_board(fen)
    assert faults(chess.Board(fen).status() & ~chess.STATUS_EMPTY) == words


def test_en_passant_stays_possible_with_more_pieces_than_a_game_can_have() -> None:
    fen = "4k3/8/8/3pP3/8/NNNNNNNN/NNNNNNN1/4K3 w - d6 0 1"
    assert chess.Board(fen).status() == chess.STATUS_TOO_MANY_WHITE_PIECES
    assert playable_board(fen).ep_square == chess.D6


def test_long_texts_are_cut_in_messages() -> None:
    assert quote("x" * 60) == repr("x" * 60)
    assert quote("x" * 61) == repr("x" * 57 + "...")
    assert message("y" * 999) == f"info string {'y' * 300}"
    assert message("one\ttwo\n\nthree é") == "info string one two three \\xe9"
