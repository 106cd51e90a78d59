"""Checks of chapter s20, a board of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import Hint, exercise, module_of, random_boards, require, require_equal
from utils.exercises.positions import KIWIPETE, PROMOTIONS, ROOK_ENDING, kind_of, with_mirrors

_SPECIAL = (
    KIWIPETE,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1R1K b kq - 0 1",
    PROMOTIONS,
    "4k3/8/8/2KPp3/3N4/8/8/8 w - e6 0 1",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
    "8/8/8/8/8/2k5/Kp6/8 b - - 0 1",
)
_CHECKS = {
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1": "the rook of a castling",
    "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1": "the rook of a castling",
    "4k3/8/8/8/8/8/4N3/4RK2 w - - 0 1": "a piece that the move uncovers",
    "3k4/7P/8/8/8/8/8/4K3 w - - 0 1": "the new piece of a promotion",
    "8/4P3/8/8/4k3/8/8/4K3 w - - 0 1": "the new piece of a promotion",
    "8/8/8/R1pP3k/8/8/8/6K1 w - c6 0 1": "a piece behind the pawn that is taken en passant",
    "4k3/8/8/8/8/8/8/R3K3 w - - 0 1": "the piece that moves",
    "4k3/8/8/1q6/8/8/4K3/R7 w - - 0 1": "the piece that moves",
    "4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1": "the piece that moves, and one that the move uncovers",
}

_KINDS = {
    "castling": "castling",
    "en passant": "a capture en passant",
    "promotion": "a promotion",
    "capture": "a capture",
    "quiet": "a quiet move",
}


def _random(count: int) -> list[str]:
    return [board.fen() for board in random_boards(count, 92)]


def _fields(board: Any) -> list[object]:
    values = vars(board).values()
    return [[*value] if isinstance(value, list) else value for value in values]


def _kept(board: Any, ask: Callable[..., Any], *more: Any) -> Any:
    """The answer for a board, which must be as it was before."""
    before = _fields(board)
    said = ask(board, *more)
    require(_fields(board) == before, "The board changed: unmake every move that you make.")
    return said


@exercise("s20-1")
def uci_of(answer: Callable[[int], str]) -> None:
    number_of = module_of("s20_board_of_numbers").number_of
    for uci in ("e2e4", "g8f6", "a1h8", "b7a8q", "b2a1n", "h7h8r", "c2c1b"):
        said = answer(number_of(chess.Move.from_uci(uci)))
        require(isinstance(said, str), f"Return a text, not {said!r}.")
        require(said != uci[2:4] + uci[:2] + uci[4:], f"From and to are exchanged in {said!r}.")
        require(said != uci.upper(), "UCI writes small letters.")
        hint = f"The promotion of {uci} is missing or wrong in {said!r}."
        require(len(uci) == 4 or said[:4] != uci[:4] or said == uci, hint)
        require(said == uci, f"The number of {uci} gives {said!r}.")


@exercise("s20-2")
def gives_check(answer: Callable[[Any, int], bool]) -> None:
    module = module_of("s20_board_of_numbers")
    for fen in (*_CHECKS, *_SPECIAL, *_random(40)):
        for plain in with_mirrors(fen):
            board = module.NumberBoard(plain)
            for move in plain.legal_moves:
                said = _kept(board, answer, module.number_of(move))
                expected, place = plain.gives_check(move), f"In {plain.fen()}, {plain.uci(move)}"
                by = _CHECKS.get(fen, "some piece")
                if by == "the rook of a castling" and not plain.is_castling(move):
                    by = "the piece that moves"
                require(isinstance(said, bool), f"{place}: say True or False, not {said!r}.")
                require(said or not expected, f"{place} gives check: by {by}.")
                require(expected or not said, f"{place} gives no check to the other king.")


@exercise("s20-3")
def change(answer: Callable[[Any, int], int]) -> None:
    module = module_of("s20_board_of_numbers")

    class Still(module.NumberBoard):  # type: ignore[misc, name-defined]
        """A board that nobody changes."""

        def __init__(self, board: chess.Board) -> None:
            super().__init__(board)
            self.ready = True

        def __setattr__(self, name: str, value: object) -> None:
            if hasattr(self, "ready"):
                raise Hint("Only compute the change; do not make the move.")
            super().__setattr__(name, value)

        def __reduce_ex__(self, protocol: object) -> Any:
            raise Hint("Only compute the change; a copy of the board is not needed.")

    def pieces(board: Any) -> int:
        """The sum without rights and captures en passant."""
        extra = module.EN_PASSANT_KEYS[board.ep_square] + module.RIGHTS_KEYS[board.castling_rights]
        return int(board.total - extra)

    for fen in (*_SPECIAL, *_random(30)):
        plain = chess.Board(fen)
        board = module.NumberBoard(plain)
        for move in plain.legal_moves:
            number = module.number_of(move)
            said = _kept(Still(plain), answer, number)
            before = pieces(board)
            undo = module.make(board, number)
            expected = pieces(board) - before
            module.unmake(board, undo)
            turn = module.WHITE_KEY if plain.turn else -module.WHITE_KEY
            require(said != expected + turn, "The turn changes, too: White's key is in the sum.")
            words = (
                f"In {fen}, {plain.san(move)} ({_KINDS[kind_of(plain, move)]}) changes the sum by"
            )
            require_equal(said, expected, words)


@exercise("s20-4")
def hashed_perft(answer: Callable[[Any, int, dict[Any, Any]], int]) -> None:
    module = module_of("s20_board_of_numbers")

    class Counting(module.NumberBoard):  # type: ignore[misc, name-defined]
        """A board that counts how often it is changed."""

        def __setattr__(self, name: str, value: object) -> None:
            if name == "masks":
                super().__setattr__("changes", getattr(self, "changes", 0) + 1)
            super().__setattr__(name, value)

    known: dict[Any, Any] = {}
    board = module.NumberBoard(chess.Board())
    require(_kept(board, answer, 0, {}) == 1, "After no ply there is one leaf.")
    require_equal(_kept(board, answer, 1, {}), 20, "The leaves after one ply from the start are")
    for depth in (2, 1, 2):
        expected, said = module.number_perft(board, depth), _kept(board, answer, depth, known)
        require(
            said == expected,
            f"After a count of another depth, {depth} plies have {said} leaves instead of "
            f"{expected}: a count belongs to a position and a depth.",
        )
    for fen, depth in (
        (ROOK_ENDING, 1),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", 1),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 1),
        ("4K3/8/8/8/8/8/4p3/4k3 b - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 2),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", 2),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", 1),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 1),
        ("4k3/8/8/8/8/8/8/R3K2R w K - 0 1", 1),
        ("4k3/8/8/2PpPp2/8/8/8/4K3 w - d6 0 1", 1),
        ("4k3/8/8/2PpPp2/8/8/8/4K3 w - f6 0 1", 1),
    ):
        board = module.NumberBoard(chess.Board(fen))
        expected = module.number_perft(board, depth)
        words = f"The number of leaves of {fen} after {depth} plies is"
        require_equal(_kept(board, answer, depth, {}), expected, words)
        said = _kept(board, answer, depth, known)
        require(
            said == expected,
            f"With what was counted in other positions, {fen} has {said} leaves after {depth} "
            f"plies instead of {expected}: other pieces, another turn, other castling rights or "
            "another capture en passant need different keys.",
        )
    usual, board = (Counting(chess.Board(ROOK_ENDING)) for _ in range(2))
    known = {}
    expected = module.number_perft(usual, 4)
    words = f"The number of leaves of {ROOK_ENDING} after 4 plies is"
    require_equal(answer(board, 4, known), expected, words)
    first = board.changes
    require(first < 0.8 * usual.changes, "Keep what was counted, and look there first.")
    answer(board, 4, known)
    hint = "The same count, asked again, is not found in `known`: keep what was counted."
    require(board.changes - first < 0.1 * first, hint)
    known = {}
    answer(usual, 1, known)
    require(known, f"{ROOK_ENDING} with one ply to go: keep its count in `known`, too.")
