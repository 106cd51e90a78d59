"""Checks of chapter s03, boards and moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from unittest import mock

import chess

from utils.exercises import chapter, exercise, require

_KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
_PROMOTIONS = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
_PAWNS = "4k3/1P6/8/3pP3/8/8/6p1/4K3 w - d6 0 2"


@exercise("s03-1")
def write_a_fen(answer: str) -> None:
    """The FEN of a position that is described in words."""
    require(isinstance(answer, str), "Put the FEN into a string.")
    fields = answer.split()
    require(len(fields) == 6, f"A FEN has six fields; yours has {len(fields)}.")
    pieces, turn, castling, passing, halfmoves, fullmoves = fields
    try:
        board = chess.Board(answer)
    except ValueError as error:
        require(False, f"The library cannot read it: {error}.")
    require(
        pieces == "r3k2r/8/8/8/3pP3/8/5PPP/5RK1",
        "The first field is not this position: rank 8 first, file a first, White in capitals. "
        f"Yours shows:\n{board}",
    )
    require(turn == "b", "White has just moved. Whose turn is it?")
    require(
        castling == "kq",
        "Only Black can still castle, on both sides: small letters, first k, then q.",
    )
    require(passing == "e3", "Which square did the pawn from e2 to e4 skip?")
    require(halfmoves == "0", "A pawn has just moved: how long ago is the last pawn move?")
    require(fullmoves == "12", "Black has not answered the twelfth move yet.")


@exercise("s03-2")
def mirror_move(answer: Callable[[chess.Move], chess.Move]) -> None:
    """Moves of the mirrored board."""
    for fen in (chess.STARTING_FEN, _KIWIPETE, _PAWNS, _PROMOTIONS):
        for board in (chess.Board(fen), chess.Board(fen).mirror()):
            expected = set(board.mirror().legal_moves)
            for move in board.legal_moves:
                mirrored = answer(move)
                require(isinstance(mirrored, chess.Move), "Return a chess.Move.")
                require(
                    chess.square_file(mirrored.from_square) == chess.square_file(move.from_square),
                    f"{move} became {mirrored}: the files must stay as they are.",
                )
                require(
                    mirrored.promotion == move.promotion,
                    f"{move} became {mirrored}: the promotion must stay.",
                )
                require(
                    mirrored in expected,
                    f"{move} in {board.fen()} became {mirrored}, not legal on the mirrored board.",
                )
            require(
                {answer(move) for move in board.legal_moves} == expected,
                f"Some mirrored moves are missing in {board.fen()}.",
            )


def _knights_by_coordinates(knights: int) -> int:
    reached = 0
    for square in chess.scan_forward(knights):
        file, rank = square % 8, square // 8
        for right, up in ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)):
            if 0 <= file + right < 8 and 0 <= rank + up < 8:
                reached |= 1 << (8 * (rank + up) + file + right)
    return reached


@exercise("s03-3")
def knight_attacks(answer: Callable[[int], int]) -> None:
    """Attack sets of knights by shifts."""
    sets = [1 << square for square in (chess.D4, *chess.SQUARES)]
    sets += [chess.BB_RANK_1, chess.BB_FILE_A | chess.BB_FILE_H, chess.BB_ALL, 0x42000000000042]
    for knights in sets:
        reached, expected = answer(knights), _knights_by_coordinates(knights)
        require(isinstance(reached, int), "Return a plain number.")
        names = ", ".join(_names(knights))
        require(
            0 <= reached <= chess.BB_ALL,
            f"Knights on {names}: the result has bits beyond h8. Cut them off.",
        )
        extra = reached & ~expected
        require(
            not extra,
            f"Knights on {names} do not attack {', '.join(_names(extra))}. "
            "Did a shift wrap around the edge?",
        )
        require(
            reached == expected,
            f"Knights on {names} also attack {', '.join(_names(expected & ~reached))}.",
        )
    require(answer(0) == 0, "No knights attack no squares.")
    with mock.patch.object(chess, "BB_KNIGHT_ATTACKS", [0] * 64):
        require(answer(chess.BB_D4), "Use shifts and masks, not the library's table of attacks.")


def _names(squares: int) -> list[str]:
    return [chess.square_name(square) for square in chess.scan_forward(squares)]


def _kinds(board: chess.Board, depth: int, last: bool = True) -> Counter[str]:
    """Perft by kind, told from the pieces before and after a move; by default of the last ply."""
    kinds: Counter[str] = Counter()
    for move in list(board.legal_moves):
        before, mover = board.piece_map(), board.turn
        board.push(move)
        if depth == 1 or not last:
            after = board.piece_map()
            king = before[move.from_square].piece_type == chess.KING
            taken = len(before) - len(after)
            pawns = [
                sum(piece == chess.Piece(chess.PAWN, mover) for piece in pieces.values())
                for pieces in (before, after)
            ]
            kinds["leaves"] += 1
            kinds["captures"] += taken
            kinds["en passant"] += taken and move.to_square not in before
            kinds["castles"] += king and abs(move.from_square - move.to_square) == 2
            kinds["promotions"] += pawns[0] - pawns[1]
            kinds["checks"] += board.is_check()
            kinds["mates"] += board.is_check() and not any(board.legal_moves)
        if depth > 1:
            kinds.update(_kinds(board, depth - 1, last))
        board.pop()
    return kinds


@exercise("s03-4")
def leaf_kinds(answer: Callable[[chess.Board, int], Mapping[str, int]]) -> None:
    """Perft by kind of the last move."""
    cases = [
        (_KIWIPETE, 1),
        (_KIWIPETE, 2),
        (_PAWNS, 1),
        (_PROMOTIONS, 2),
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 1),
        (chess.STARTING_FEN, 3),
    ]
    for fen, depth in cases:
        board = chess.Board(fen)
        found = answer(board, depth)
        require(board == chess.Board(fen), "The board changed: a pushed move was not popped.")
        require(isinstance(found, Mapping), "Return a Counter.")
        expected = _kinds(board, depth)
        for kind, count in expected.items():
            got = found.get(kind, 0)
            if got != count:
                hint = f"In {fen} at depth {depth} the number of {kind} is {count}, not {got}."
                if depth > 1 and got == _kinds(board, depth, last=False)[kind]:
                    hint += " Count only the last move of each path."
                require(False, hint)


def _no_long_castling(board: chess.Board) -> list[chess.Move]:
    """Forgets castling on the queen's side."""
    return [move for move in board.legal_moves if not board.is_queenside_castling(move)]


def _no_en_passant(board: chess.Board) -> list[chess.Move]:
    return [move for move in board.legal_moves if not board.is_en_passant(move)]


def _no_knight(board: chess.Board) -> list[chess.Move]:
    return [move for move in board.legal_moves if move.promotion != chess.KNIGHT]


@exercise("s03-5")
def find_bug(
    answer: Callable[..., tuple[list[chess.Move], set[chess.Move]] | None],
) -> None:
    """Following differences of divide to the bug."""
    cases: list[tuple[str, int, Callable[[chess.Board], Iterable[chess.Move]]]] = [
        (_KIWIPETE, 2, _no_en_passant),
        (_KIWIPETE, 1, _no_long_castling),
        (_KIWIPETE, 2, _no_long_castling),
        (_KIWIPETE, 2, lambda board: board.pseudo_legal_moves),
        (_PROMOTIONS, 1, _no_knight),
        ("4k3/8/8/8/8/8/4P3/4K2r w - - 0 1", 1, lambda board: board.pseudo_legal_moves),
        ("4k3/3p4/8/8/4P3/8/8/4K3 w - - 0 1", 3, _no_en_passant),
    ]
    for fen, depth, generate in cases:
        board = chess.Board(fen)
        found = answer(board, depth, generate)
        where = f"In {fen} at depth {depth}"
        require(board == chess.Board(fen), "The board changed: a pushed move was not popped.")
        require(found is not None, f"{where} the divides differ, and you returned None.")
        assert found is not None
        require(len(found) == 2, "Return a pair: the moves that lead there, and the moves.")
        path, moves = list(found[0]), set(found[1])
        require(len(path) < depth, f"{where}: a way of {len(path)} plies is too long.")
        for move in path:
            require(isinstance(move, chess.Move), f"{where}: {move!r} is no chess.Move.")
            require(move in board.legal_moves, f"{where}: your way plays {move}, not legal there.")
            board.push(move)
        odd = set(generate(board)) ^ set(board.legal_moves)
        shown = ", ".join(move.uci() for move in path) or "no move"
        require(odd, f"{where}: after {shown} both lists are the same.")
        require(
            moves == odd,
            f"{where}: after {shown} the lists differ in {_ucis(odd)}, not in {_ucis(moves)}.",
        )
    for generate in (_no_en_passant, chapter("s03_python_chess").legal_moves):
        require(
            answer(chess.Board(), 2, generate) is None,
            "If both divides agree at this depth, return None.",
        )


def _ucis(moves: Iterable[Any]) -> str:
    return ", ".join(sorted(map(str, moves))) or "nothing"


@exercise("s03-6")
def perft_with_memory(answer: Callable[[chess.Board, int], int]) -> None:
    """Perft that remembers positions."""
    module = chapter("s03_python_chess")
    traps = [
        (chess.STARTING_FEN, 3, ""),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 5, "Is the depth part of the key?"),
        ("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1", 4, "Does the key know when en passant is possible?"),
        ("7k/7p/7P/8/8/8/1N6/4K2R w K - 0 1", 5, "Does the key know who may still castle?"),
        ("7k/7p/7P/8/8/8/1N6/4K2R b K - 0 1", 3, "Does the key know whose move it is?"),
        (_KIWIPETE, 2, ""),
    ]
    for fen, depth, hint in traps:
        board = chess.Board(fen)
        expected, got = module.perft(board, depth), answer(board, depth)
        require(got == expected, f"{fen}, depth {depth}: {expected} leaves, not {got}. {hint}")
        require(board == chess.Board(fen), "The board changed: a pushed move was not popped.")
    require(answer(chess.Board(), 0) == 1, "At depth 0 there is one path, the empty one.")
    board = _Counting()
    _Counting.lists = 0
    require(answer(board, 4) == module.START_PERFT[4], "Wrong count for the start position.")
    require(
        board.lists < 7000,
        f"The moves of {board.lists} positions were listed. Only 5783 different ones, with their "
        "depth, lie within the first four plies. Does your key tell positions apart that have the "
        "same moves, say by an en-passant square that no pawn can use?",
    )


class _Counting(chess.Board):
    """A board that counts how often the legal moves of any such board are listed."""

    lists = 0

    def generate_legal_moves(self, *args: Any, **options: Any) -> Any:
        _Counting.lists += 1  # for copies of the board as well
        return super().generate_legal_moves(*args, **options)
