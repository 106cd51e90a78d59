"""Checks of chapter s03, boards and moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import Hint, exercise, kept, require
from utils.exercises.positions import KIWIPETE, PROMOTIONS, played, with_mirrors

_PAWNS = "4k3/1P6/8/3pP3/8/8/6p1/4K3 w - d6 0 2"


@exercise(
    "s03-1",
    rook=("rook f1", "rook e1", "rook d1", "rook c1"),
    number={"twelfth": 12, "ninth": 9, "fifteenth": 15, "twentieth": 20},
)
def write_a_fen(answer: str, rook: str, number: int) -> None:
    """The FEN of a position that is described in words."""
    require(isinstance(answer, str), "Put the FEN into a string.")
    fields = answer.split()
    require(len(fields) == 6, f"A FEN has six fields; yours has {len(fields)}.")
    pieces, turn, castling, passing, halfmoves, fullmoves = fields
    try:
        board = chess.Board(answer)
    except ValueError as error:
        raise Hint(f"The library cannot read it: {error}.") from None
    expected = chess.Board("r3k2r/8/8/8/3pP3/8/5PPP/6K1")
    expected.set_piece_at(chess.parse_square(rook[-2:]), chess.Piece.from_symbol("R"))
    require(
        pieces == expected.board_fen(),
        "The first field is not this position: rank 8 first, file a first, White in capitals. "
        f"Yours shows:\n{board}",
    )
    require(turn == "b", "White has just moved. Whose turn is it?")
    hint = "Only Black can still castle, on both sides: small letters, first k, then q."
    require(castling == "kq", hint)
    require(passing == "e3", "Which square did the pawn from e2 to e4 skip?")
    require(halfmoves == "0", "A pawn has just moved: how long ago is the last pawn move?")
    require(fullmoves == str(number), f"Black has not answered move {number} yet.")


@exercise("s03-2")
def mirror_move(answer: Callable[[chess.Move], chess.Move]) -> None:
    """Moves of the mirrored board."""
    for board in with_mirrors(chess.STARTING_FEN, KIWIPETE, _PAWNS, PROMOTIONS):
        expected = set(board.mirror().legal_moves)
        for move in board.legal_moves:
            given = chess.Move(move.from_square, move.to_square, move.promotion)
            mirrored = answer(given)
            require(given == move, "Leave the move as it is: make a new one.")
            require(isinstance(mirrored, chess.Move), "Return a chess.Move.")
            squares = mirrored.from_square, mirrored.to_square
            hint = f"{move} became a move between the squares {squares}; squares are 0 to 63."
            require(all(square in chess.SQUARES for square in squares), hint)
            require(
                chess.square_file(mirrored.from_square) == chess.square_file(move.from_square),
                f"{move} became {mirrored}: the files must stay as they are.",
            )
            hint = f"{move} became {mirrored}: the promotion must stay."
            require(mirrored.promotion == move.promotion, hint)
            hint = f"{move} in {board.fen()} became {mirrored}, not legal on the mirrored board."
            require(mirrored in expected, hint)


@exercise("s03-3", win=(1.0, 2.0, 3.0, 4.0))
def white_points(answer: Callable[[chess.Board], float | None], win: float) -> None:
    """White's points, with the draws that must be claimed."""
    cases: list[tuple[str, float | None, str]] = [
        (chess.STARTING_FEN, None, "The game goes on."),
        ("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1", None, "A check does not end the game."),
        ("6rk/5Npp/8/8/8/8/8/4K3 b - - 0 1", win, "White has mated."),
        ("4k3/8/8/8/8/8/5nPP/6RK w - - 0 1", 0.0, "Black has mated: winner is False, not None."),
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", 0.5, "Stalemate is a draw, even with a pawn more."),
        ("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", 0.5, "Stalemate is a draw, even with a pawn more."),
        ("8/8/4k3/8/8/2B1K3/8/8 w - - 0 1", 0.5, "A king and a bishop cannot mate."),
        ("8/8/4k3/8/8/2BNK3/8/8 w - - 0 1", None, "A bishop and a knight can mate."),
        ("8/8/4k3/8/8/2R1K3/8/8 w - - 100 90", 0.5, "Fifty moves: this draw must be claimed."),
    ]
    for fen, points, hint in cases:
        _points_are(chess.Board(fen), answer, points, hint)
    repeated = played("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8")
    _points_are(repeated, answer, 0.5, "The same position for the third time is a draw to claim.")
    early = "outcome(claim_draw=True) reports a draw already if a legal move completes it."
    repeated.pop()
    _points_are(repeated, answer, 0.5, early)
    _points_are(chess.Board("8/8/4k3/8/8/2R1K3/8/8 w - - 99 90"), answer, 0.5, early)


def _points_are(
    board: chess.Board, answer: Callable[[chess.Board], Any], points: float | None, hint: str
) -> None:
    said = kept(board, answer)
    where = f"In {board.fen()} you say {said!r}, and {points} is right."
    require(said == points, f"{where} {hint}")
    words = f"{where} Return a number, not a truth value: this one is the colour of `winner`."
    require(not isinstance(said, bool), words)


_GAMES = [
    (chess.STARTING_FEN, ""),
    (chess.STARTING_FEN, "e2e4 b8c6 e4e5 f7f5 e5f6 d7d6 f6g7 c8e6 g7h8q d8d7 g1f3 e8c8"),
    ("4k3/1P6/8/8/8/8/6p1/4K3 b - - 0 1", "g2g1n e1d2 e8d7 b7b8q"),
    (KIWIPETE, "e1c1 e8g8 e5d7 f6d7"),
    (chess.STARTING_FEN, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"),
    ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8 e8e7"),
]


@exercise("s03-4")
def game_in_san(answer: Callable[[chess.Board], list[str]]) -> None:
    """The moves of a game in SAN."""
    for fen, ucis in _GAMES:
        board, expected = chess.Board(fen), []
        for uci in ucis.split():
            expected.append(board.san_and_push(chess.Move.from_uci(uci)))
        here, stack = board.copy(), list(board.move_stack)
        where = f"The game {' '.join(expected) or 'without a move'} from {fen}"
        try:
            said = answer(here)
        except (AssertionError, IndexError, ValueError) as error:
            if here.move_stack == stack and here == board:
                why = "write each move before you push it, and start where the game started."
                raise Hint(f"{where}: python-chess refuses ({error}): {why}") from None
            said = []
        require(
            here.move_stack == stack and here.fen() == board.fen(),
            f"{where}: the board changed. Push again what you popped, or work on a copy.",
        )
        require(isinstance(said, list), f"Return a list, not {said!r}.")
        words = f"{where}: your list begins with the last move."
        require(said != expected[::-1] or said == expected, words)
        require(
            list(map(str, said)) != ucis.split() or said == expected,
            f"{where}: write SAN as text, such as Nf3, not squares such as g1f3.",
        )
        hint = "" if fen == chess.STARTING_FEN else " Do you start where the game started?"
        require(said == expected, f"{where}: you wrote {said}.{hint}")


ATTACKED, BETWEEN = "king attacked on the way", "piece between"
_CASTLING: list[tuple[str, bool, str | None, str]] = [  # White's; Black's are the mirror images
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", True, None, "Nothing is in the way."),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False, None, "Nothing is in the way."),
    ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", True, "no right", "The FEN has no K."),
    ("4k3/8/8/8/8/8/8/R3K2R w K - 0 1", False, "no right", "The FEN has no Q."),
    ("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1", True, "no right", "Those are the other side's rights."),
    ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", False, BETWEEN, "The rook must cross b1."),
    ("4k3/8/8/8/8/8/8/R3KB1R w KQ - 0 1", True, BETWEEN, "A bishop stands on f1."),
    ("4k3/8/8/8/8/8/8/R3Kn1R w KQ - 0 1", True, BETWEEN, "Enemy pieces block, too."),
    ("4k3/8/8/8/8/8/8/R3K1NR w KQ - 0 1", True, BETWEEN, "A knight stands on g1."),
    ("4k3/8/8/8/8/8/8/R1B1K2R w KQ - 0 1", False, BETWEEN, "A bishop stands on c1."),
    ("4k3/8/8/8/8/8/8/R2QK2R w KQ - 0 1", False, BETWEEN, "A piece stands on d1."),
    ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False, None, "Only the rook crosses b1."),
    ("r3k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False, None, "The rook may be attacked."),
    ("4k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1", True, None, "The rook may be attacked."),
    ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", True, ATTACKED, "The king crosses f1."),
    ("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", True, ATTACKED, "It reaches g1."),
    ("2r1k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False, ATTACKED, "It reaches c1."),
    ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False, ATTACKED, "The king crosses d1."),
    ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", True, "in check", "The rook on e4 gives check."),
    ("4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1", True, "in check", "Check comes before the way."),
    ("4k3/8/8/8/4r3/8/8/RN2K2R w KQ - 0 1", False, BETWEEN, "The piece comes first."),
    ("4k3/8/8/8/4r3/8/8/RN2K2R w K - 0 1", False, "no right", "The right comes first."),
    ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", False, "in check", "The rook on e4 gives check."),
    ("4k3/8/8/8/8/8/6p1/R3K2R w KQ - 0 1", True, ATTACKED, "The pawn on g2 attacks f1."),
    ("4k3/8/8/8/8/8/1p6/R3K2R w KQ - 0 1", False, ATTACKED, "The pawn on b2 attacks c1."),
    ("k7/8/b7/8/8/8/8/R3K2R w KQ - 0 1", True, ATTACKED, "The pinned bishop attacks f1."),
]
_MIRRORED = str.maketrans("12345678KQ", "87654321kq")
"""Ranks, and signs of castling, in the mirror image."""


@exercise("s03-5")
def castling_obstacle(answer: Callable[[chess.Board, bool], str | None]) -> None:
    """Why castling is not legal."""
    for fen, kingside, obstacle, white_hint in _CASTLING:
        black_hint = f"{white_hint.translate(_MIRRORED)} Black castles on rank 8."
        for board, hint in zip(with_mirrors(fen), (white_hint, black_hint), strict=True):
            said = kept(board, answer, kingside)
            side = "king's" if kingside else "queen's"
            words = f"In {board.fen()} on the {side} side you say {said!r}"
            require(said == obstacle, f"{words}, and {obstacle!r} is right. {hint}")
