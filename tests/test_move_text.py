"""Moves that a person types: read in both notations, or explained."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.generated import examples
from tests.helpers.positions import positions
from utils.move_text import MoveTextError, explain_illegal, read_move


@given(positions())
@examples(60)
def test_every_legal_move_is_read_in_both_notations(board: chess.Board) -> None:
    for move in board.legal_moves:
        assert read_move(board, move.uci()) == move
        assert read_move(board, f" {board.san(move)} ") == move


@given(positions(), st.sampled_from(chess.SQUARES), st.sampled_from(["", *"qrbnkp"]))
@examples(60)
def test_an_illegal_move_gets_one_sentence(
    board: chess.Board, target: chess.Square, promotion: str
) -> None:
    for start in board.piece_map():
        text = chess.square_name(start) + chess.square_name(target) + promotion
        try:
            assert read_move(board, text) in board.legal_moves
        except MoveTextError as error:
            assert text in str(error)
        raw = chess.Move(start, target)
        if raw not in board.legal_moves:
            sentence = explain_illegal(board, raw)
            assert sentence.endswith(".") and sentence[0].isupper()


@given(positions(max_plies=5), st.text(max_size=8))
@examples(150)
def test_any_text_is_a_legal_move_or_a_clear_error(board: chess.Board, text: str) -> None:
    try:
        assert read_move(board, text) in board.legal_moves
    except MoveTextError as error:
        assert repr(text.strip()) in str(error)


@pytest.mark.parametrize(
    ("fen", "text", "words"),
    [
        (chess.STARTING_FEN, "e4e5", "no piece on e4"),
        (chess.STARTING_FEN, "E4E5", "no piece on e4"),
        (chess.STARTING_FEN, "e7e5", "is not yours: it is White's move"),
        (chess.STARTING_FEN, "a1a2", "Your own pawn stands on a2"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "would come under attack"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "h1h2", "would stay under attack"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=K", "for example axb8=Q."),
        (chess.STARTING_FEN, "exd8", "No such pawn can go to d8"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h8q", "Only a pawn"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "Castling"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O", "Castling"),
        (chess.STARTING_FEN, "g1g3", "cannot go to g3"),
        *((chess.STARTING_FEN, text, "No such knight can go to d4") for text in ("Nd4", "N1d4")),
        (chess.STARTING_FEN, "e5", "No such pawn can go to e5"),
        (chess.STARTING_FEN, "g1-f4", "The knight on g1 cannot go to f4"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", "Say what the pawn becomes, for example a8=Q."),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "Say what the pawn becomes, for example a7a8q"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7-a8", "Say what the pawn becomes, for example a7a8q"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1e3", "The king on e1 cannot go to e3"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g3", "The king on e1 cannot go to g3"),
        ("4k3/8/8/8/4K3/8/8/8 w - - 0 1", "e4g4", "The king on e4 cannot go to g4"),
        ("4k3/8/8/8/8/8/8/K3RN2 w - - 0 1", "e1g1", "The rook on e1 cannot go to g1"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", "Say what the pawn becomes"),
        (chess.STARTING_FEN, "Bg1f3", "is not legal. On g1 there is a knight."),
        (chess.STARTING_FEN, "Ne2-e4", "is not legal. On e2 there is a pawn."),
        (chess.STARTING_FEN, "Ne4e5", "There is no piece on e4"),
        (chess.STARTING_FEN, "Ng1f3=Q", "Only a pawn is promoted"),
        (chess.STARTING_FEN, "e2-e4=q", "only on the last rank"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "Ke1g1", "is not how this move is written: write O-O."),
        ("1k6/8/8/6K1/7Q/8/8/Q6Q w - - 0 1", "Qhe1", "say which: Q4e1, Qh1e1."),
        ("1k6/8/8/6K1/7Q/8/8/Q6Q w - - 0 1", "Q1e1", "say which: Qae1, Qh1e1."),
        (chess.STARTING_FEN, "a2a8", "The pawn on a2 cannot go to a8"),
        (chess.STARTING_FEN, "a2a4q", "only on the last rank"),
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "Rd1", "say which: Rad1, Rhd1."),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "zz", "There are no legal moves"),
        ("4k2r/8/8/8/8/8/8/4K3 b - - 0 1", "e8g8", "Castling"),
        ("4k3/8/8/8/8/8/p7/4K3 b - - 0 1", "a1", "for example a1=Q"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "e2e4", "it is Black's move"),
        *((chess.STARTING_FEN, text, "Expected one like") for text in ("0000", "--", "Z0", "")),
    ],
)
def test_the_reason_is_the_right_one(fen: str, text: str, words: str) -> None:
    with pytest.raises(MoveTextError) as caught:
        read_move(chess.Board(fen), text)
    assert words in str(caught.value)


def test_a_bishop_is_not_taken_for_a_file() -> None:
    board = chess.Board("7k/8/8/2p5/1P1B4/8/8/K7 w - - 0 1")
    assert read_move(board, "B4c5") == chess.Move(chess.D4, chess.C5)
    assert read_move(board, "b4c5") == read_move(board, "B4C5")
    assert read_move(board, "b4c5") == chess.Move(chess.B4, chess.C5)


@pytest.mark.parametrize("text", ["Rd1", "Rd1+"])
@pytest.mark.parametrize(("king", "sans"), [("d8", "Rad1+, Rhd1+"), ("b8", "Rad1, Rhd1")])
def test_moves_that_give_check_are_among_those_that_fit(text: str, king: str, sans: str) -> None:
    board = chess.Board("8/8/8/8/8/8/4K3/R6R w - - 0 1")
    board.set_piece_at(chess.parse_square(king), chess.Piece.from_symbol("k"))
    with pytest.raises(MoveTextError) as caught:
        read_move(board, text)
    assert str(caught.value).endswith(f"say which: {sans}.")
