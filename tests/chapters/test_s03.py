"""What chapter s03 says of a move from square to square."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s03_python_chess import move_verdict
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import unchanged

SQUARES = st.sampled_from(chess.SQUARE_NAMES)


@given(positions(), st.data())
@examples(100)
def test_only_legal_moves_are_called_legal(board: chess.Board, data: st.DataObject) -> None:
    pairs = sorted({move.uci()[:4] for move in board.pseudo_legal_moves})
    text = data.draw(st.sampled_from(pairs) | st.tuples(SQUARES, SQUARES).map("".join))
    start, target = text[:2], text[2:]
    with unchanged(board):
        said = move_verdict(board, start, target)
    legal = {m for m in board.legal_moves if m.uci()[:4] == start + target}
    pseudo = {m for m in board.pseudo_legal_moves if m.uci()[:4] == start + target}
    kind, _, reason = said.partition(": ")
    assert kind == ("legal" if legal else "pseudo-legal only" if pseudo else "no move")
    if legal:
        assert set(reason.split(" or ")) == {board.san(move) for move in legal}


@given(positions())
@examples(60)
def test_every_move_that_is_only_pseudo_legal_has_an_attacker(board: chess.Board) -> None:
    for move in set(board.pseudo_legal_moves) - set(board.legal_moves):
        said = move_verdict(board, move.uci()[:2], move.uci()[2:4])
        after = board.copy()
        after.push(move)
        king = after.king(board.turn)
        assert king is not None
        for square in chess.SQUARES:
            attacks = square in after.attackers(after.turn, king)
            assert (f" on {chess.square_name(square)}" in said) == attacks, said


@pytest.mark.parametrize(
    ("fen", "start", "target", "said"),
    [
        ("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 2", "e5", "d6", "the rook on h5 would attack"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1", "g1", "legal: O-O"),
        ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "e1", "g1", "no move: the king on e1 cannot"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e8", "e7", "no move: white has no piece on e8"),
        ("4k3/8/8/8/8/8/8/4K2R b K - 0 1", "a1", "a2", "no move: black has no piece on a1"),
        ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7", "a8", "legal: a8=Q or a8=R or a8=B or a8=N"),
        ("4k3/8/8/8/7b/8/8/4K3 w - - 0 1", "e1", "f2", "the bishop on h4 would attack the king"),
        (
            "4k3/4r3/8/8/4N2b/8/8/4K3 w - - 0 1",
            "e4",
            "c5",
            "the bishop on h4 and the rook on e7 would attack the king",
        ),
    ],
)
def test_the_reason_is_named(fen: str, start: str, target: str, said: str) -> None:
    assert said in move_verdict(chess.Board(fen), start, target)


@pytest.mark.parametrize(("start", "target"), [("e9", "e4"), ("e2", ""), ("E2", "e4")])
def test_a_text_that_is_no_square_is_an_error(start: str, target: str) -> None:
    with pytest.raises(ValueError, match="expected a square such as"):
        move_verdict(chess.Board(), start, target)
