"""What chapter s01 exports: the engine of ten lines."""

from __future__ import annotations

from collections.abc import Container

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s01_introduction import fewest_replies, replies_after
from tests.generated import examples
from tests.positions import mirrored, positions
from utils.exercises import check

quick = examples(60)


games = positions(max_plies=120, starts=[chess.STARTING_FEN])


def exact(board: chess.Board) -> tuple[str, list[chess.Move]]:
    """Everything about a board that an engine must give back."""
    return board.fen(en_passant="fen"), list(board.move_stack)


@quick
@given(games)
def test_no_move_leaves_fewer_replies(board: chess.Board) -> None:
    chosen = fewest_replies(board)
    replies = {}
    for move in list(board.legal_moves):
        after = chess.Board(board.fen(en_passant="fen"))
        after.push(move)
        replies[move] = len(list(after.legal_moves))
    assert replies[chosen] == min(replies.values())
    assert chosen == next(move for move in replies if replies[move] == replies[chosen])


@quick
@given(games)
def test_the_board_is_given_back_with_its_history(board: chess.Board) -> None:
    before = exact(board)
    fewest_replies(board)
    assert exact(board) == before


@quick
@given(games, st.sampled_from(chess.SQUARES), st.sampled_from(chess.SQUARES))
def test_only_legal_moves_are_tried(
    board: chess.Board, start: chess.Square, target: chess.Square
) -> None:
    move, before = chess.Move(start, target), exact(board)
    if move in board.legal_moves:
        assert replies_after(board, move) >= 0
    else:
        with pytest.raises(ValueError, match=move.uci()):
            replies_after(board, move)
    assert exact(board) == before


@quick
@given(games)
def test_colours_do_not_matter(board: chess.Board) -> None:
    """A position and its mirror image leave the same number of replies."""
    image = board.mirror()
    for move in board.legal_moves:
        assert replies_after(board, move) == replies_after(image, mirrored(move))


@pytest.mark.parametrize(
    "fen",
    ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"],
    ids=["stalemate", "checkmate"],
)
def test_a_finished_game_is_an_error_that_shows_the_position(fen: str) -> None:
    with pytest.raises(ValueError, match="no legal move in 7k/"):
        fewest_replies(chess.Board(fen))


@pytest.mark.parametrize(
    ("letters", "fields"),
    [(("w", "b"), {5, 6}), (("w", "b"), {6, 7}), ("wb", {6}), ("wbWB", {6})],
)
def test_a_lenient_reader_of_fens_does_not_pass(
    letters: Container[str], fields: Container[int]
) -> None:
    def side_to_move(fen: str) -> str:
        parts = fen.split()
        if len(parts) not in fields or parts[1] not in letters:
            raise ValueError(fen)
        return "White" if parts[1] in "wW" else "Black"

    assert "Raise a ValueError" in repr(check("s01-1", side_to_move))


@pytest.mark.parametrize("enough", [all, any])
def test_a_mate_that_needs_help_does_not_pass(enough: object) -> None:
    """With `any`, one reply that allows a mate counts as a forced mate."""
    assert callable(enough)

    def mates(board: chess.Board) -> bool:
        return any(ends(board, move) for move in list(board.legal_moves))

    def ends(board: chess.Board, move: chess.Move) -> bool:
        after = board.copy(stack=False)
        after.push(move)
        return after.is_checkmate()

    def forces(board: chess.Board, move: chess.Move) -> bool:
        after = board.copy(stack=False)
        after.push(move)
        answers = []
        for reply in after.legal_moves:
            answers.append(after.copy(stack=False))
            answers[-1].push(reply)
        return bool(answers) and bool(enough(mates(answer) for answer in answers))

    def mate_in_two(board: chess.Board) -> chess.Move | None:
        moves = list(board.legal_moves)
        winning = [move for move in moves if ends(board, move)]
        return next(iter(winning), None) or next((m for m in moves if forces(board, m)), None)

    assert bool(check("s01-5", mate_in_two)) is (enough is all)
