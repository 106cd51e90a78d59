"""Checks of chapter s91, perft and bitboards, and the generators with a bug that it hunts."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import chess

from utils.exercises import Hint, exercise, kept, require
from utils.exercises.positions import KIWIPETE, PROMOTIONS, square_names

_PAWNS = "4k3/1P6/8/3pP3/8/8/6p1/4K3 w - d6 0 2"
_Generator = Callable[[chess.Board], Iterable[chess.Move]]


# The suspects of the chapter


def without_en_passant(board: chess.Board) -> list[chess.Move]:
    """Forgets en passant."""
    return [m for m in board.legal_moves if not board.is_en_passant(m)]


def with_wrapped_captures(board: chess.Board) -> list[chess.Move]:
    """Lets pawns capture around the edge of the board."""
    moves = list(board.legal_moves)
    enemies = board.occupied_co[not board.turn] & ~board.kings
    enemies &= ~chess.BB_BACKRANKS
    for start in board.pieces(chess.PAWN, board.turn):
        pawn = chess.SquareSet([start])
        # One capture to each side. And on the outer files?
        up, down = pawn << 7 | pawn << 9, pawn >> 9 | pawn >> 7
        for target in (up if board.turn == chess.WHITE else down) & enemies:
            move = chess.Move(start, target)
            if move not in moves and not board.is_into_check(move):
                moves.append(move)
    return moves


SUSPECTS: Mapping[str, _Generator] = {"A": without_en_passant, "B": with_wrapped_captures}
"""Generators with a bug that the chapter finds without reading them."""


# Bitboards


def _names(squares: int) -> list[str]:
    return [chess.square_name(square) for square in chess.scan_forward(squares)]


@exercise("s91-1")
def names_of(answer: Callable[[int], list[str]]) -> None:
    """The squares of a bitboard by name."""
    sets = [0, 1, 1 << 63, 1 << chess.E4, chess.BB_RANK_2, chess.BB_FILE_C, 0x8100000000000081]
    sets.append(chess.BB_ALL)
    for squares in sets:
        said, expected = answer(squares), _names(squares)
        where = f"The bitboard {squares:#x}"
        require(isinstance(said, list), f"{where}: return a list, not {said!r}.")
        words = f"{where}: give names such as 'e4', not {said}."
        require(all(name in chess.SQUARE_NAMES for name in said), words)
        if said == expected:
            continue
        require(said != expected[::-1], f"{where}: a1 comes first, h8 last.")
        hint = f"{where}: these are its squares, but not in the order of the bits: a1, b1, ..., h8."
        require(sorted(said) != sorted(expected), hint)
        turned = sorted(chess.square_name(chess.parse_square(n) ^ 56) for n in expected)
        require(sorted(said) != turned, f"{where}: bit 0 is a1, not a8.")
        swapped = sorted(chess.square_name(n % 8 * 8 + n // 8) for n in chess.scan_forward(squares))
        require(
            sorted(said) != swapped, f"{where}: the bits go along the ranks: bit 1 is b1, not a2."
        )
        mirrored = sorted(chess.square_name(63 - chess.parse_square(n)) for n in expected)
        hint = f"{where}: bit 0 is the last digit of a binary number, not the first."
        require(sorted(said) != mirrored, hint)
        missing = [name for name in expected if name not in said]
        require(not missing, f"{where}: you leave out {', '.join(missing)}. There are 64 bits.")
        raise Hint(f"{where} has the squares {expected}, and you say {said}.")


def _attacked_by_knights(knights: int) -> int:
    reached = 0
    for square in chess.scan_forward(knights):
        reached |= chess.BB_KNIGHT_ATTACKS[square]
    return reached


def _lines(function: Callable[..., Any], *arguments: int) -> Counter[tuple[Any, int]]:
    """How often a call executes each line outside python-chess; a loop repeats some."""
    lines: Counter[tuple[Any, int]] = Counter()
    before = sys.gettrace()

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if event == "line" and frame.f_globals.get("__name__") != "chess":
            lines[frame.f_code, frame.f_lineno] += 1
        return trace

    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return lines


def _require_no_loop(
    answer: Callable[..., int], pieces: str, most: int, many: Sequence[int], one: Sequence[int]
) -> None:
    """No loop over squares, which for many pieces makes many lines, or one line 64 times."""
    lines, few = _lines(answer, *many), _lines(answer, *one)
    require(
        lines.total() <= min(most, few.total() + 40) and max(lines.values(), default=0) < 64,
        f"There is a loop over squares: one shift moves all {pieces} at once.",
    )


def _looped(squares: int) -> Iterator[int]:
    raise Hint("There is a loop over squares: one shift moves all knights at once.")


@exercise("s91-2")
def knight_attacks(answer: Callable[[int], int]) -> None:
    """Attack sets of knights by shifts."""
    sets = [1 << square for square in (chess.D4, *chess.SQUARES)]
    sets += [chess.BB_RANK_1, chess.BB_FILE_A | chess.BB_FILE_H, chess.BB_ALL, 0x42000000000042]
    for knights in sets:
        reached, expected = answer(knights), _attacked_by_knights(knights)
        require(isinstance(reached, int), "Return a plain number.")
        where = f"Knights on {square_names(knights)}"
        require(
            0 <= reached <= chess.BB_ALL, f"{where}: the result has bits beyond h8. Cut them off."
        )
        extra, missing = reached & ~expected, expected & ~reached
        hint = "Did a shift wrap around the edge?"
        if knights == chess.BB_D4:
            hint = "A knight goes two squares along a file or rank and one to the side."
        require(not extra, f"{where} do not attack {square_names(extra)}. {hint}")
        require(not missing, f"{where} also attack {square_names(missing)}.")
    require(answer(0) == 0, "No knights attack no squares.")
    with mock.patch.object(chess, "BB_KNIGHT_ATTACKS", [0] * 64):
        require(answer(chess.BB_D4), "Use shifts and masks, not the library's table of attacks.")
    with mock.patch.multiple(chess, scan_forward=_looped, scan_reversed=_looped):
        answer(chess.BB_D4)
    _require_no_loop(answer, "knights", 200, [chess.BB_ALL], [chess.BB_A1])


# Perft


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


def _mistake(kind: str, got: int, expected: Counter[str]) -> str:
    """What may be wrong with the number of a kind."""
    if kind == "captures" and got == expected["captures"] - expected["en passant"]:
        return "An en-passant capture is a capture, too, though the target square is empty."
    if kind == "checks" and got == expected["checks"] - expected["mates"]:
        return "A mate is a check, too."
    if kind == "promotions" and got * 4 == expected["promotions"]:
        return "A promotion to a rook, a bishop or a knight is a promotion, too."
    if kind in ("checks", "mates"):
        return "Ask after the push: does the move leave the opponent in check, or in mate?"
    if kind == "leaves":
        return "Every path of this length counts once; only mate and stalemate end one early."
    if kind == "castles":
        return "Castling is the king's move of two squares, and counts once."
    return "Ask before the push, when the position is still the one in which the move is played."


_BY_KIND = [
    (_PAWNS, 1),
    (KIWIPETE, 1),
    (PROMOTIONS, 1),
    ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 1),
    ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", 1),  # one mate, one stalemate
    ("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", 2),  # after a capture, kings alone
    (PROMOTIONS, 2),
    (KIWIPETE, 2),
    (chess.STARTING_FEN, 3),
]


@exercise("s91-3")
def leaf_kinds(answer: Callable[[chess.Board, int], Mapping[str, int]]) -> None:
    """Perft by kind of the last move."""
    for fen, depth in _BY_KIND:
        board = chess.Board(fen)
        found = kept(board, answer, depth)
        require(isinstance(found, Mapping), "Return a Counter.")
        expected = _kinds(board, depth)
        for kind, count in expected.items():
            got = found.get(kind, 0)
            if got == count:
                continue
            hint = _mistake(kind, got, expected)
            if depth > 1 and got == _kinds(board, depth, last=False)[kind]:
                hint = "Count only the last move of each path."
            where = f"In {fen} at depth {depth} the number of {kind} is {count}, not {got}."
            raise Hint(f"{where} {hint}")


def _no_long_castling(board: chess.Board) -> list[chess.Move]:
    """Forgets castling on the queen's side."""
    return [move for move in board.legal_moves if not board.is_queenside_castling(move)]


def _without(kind: chess.PieceType) -> _Generator:
    """Forgets one of the four promotions."""
    return lambda board: [move for move in board.legal_moves if move.promotion != kind]


def _king_too_far(board: chess.Board) -> list[chess.Move]:
    """As many moves as there are, and one of them wrong: the king's step from e1 goes too far."""
    far = chess.Move(chess.E1, chess.E3)
    return [far if move == chess.Move(chess.E1, chess.E2) else move for move in board.legal_moves]


def _after_a_rook_only(board: chess.Board) -> list[chess.Move]:
    """Forgets the moves of a king that a rook on the eighth rank checks."""
    rooks = board.pieces(chess.ROOK, chess.WHITE) & chess.BB_RANK_8
    moves = list(board.legal_moves)
    return [m for m in moves if board.king(board.turn) != m.from_square] if rooks else moves


def _errors_that_cancel(board: chess.Board) -> list[chess.Move]:
    """One move too few and one too many, after 1. e4 alone."""
    moves = [*board.legal_moves]
    if board.fen().startswith("rnbqkbnr/pppppppp/8/8/4P3/"):
        moves[0] = chess.Move.from_uci("a7a4")
    return moves


_BUGS: list[tuple[str, int, _Generator, str]] = [
    (KIWIPETE, 2, without_en_passant, ""),
    (KIWIPETE, 1, _no_long_castling, "The two lists differ in the first position."),
    (KIWIPETE, 2, _no_long_castling, "The two lists differ in the first position."),
    (KIWIPETE, 2, lambda board: board.pseudo_legal_moves, ""),
    (KIWIPETE, 2, with_wrapped_captures, "A move too many is a bug, too."),
    *(
        (PROMOTIONS, 1, _without(kind), "A promotion is more than its two squares.")
        for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
    ),
    ("7k/P7/8/8/8/8/8/7K w - - 0 1", 2, _after_a_rook_only, "The way may lead over any promotion."),
    (
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        1,
        _king_too_far,
        "As many moves are not the same moves: compare the moves as well as the numbers.",
    ),
    (
        "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
        2,
        lambda board: (move for move in board.legal_moves if move.uci() != "d1d8"),
        "A move that mates has no leaves below it, and is missing all the same.",
    ),
    ("4k3/8/8/8/8/8/4P3/4K2r w - - 0 1", 1, lambda board: board.pseudo_legal_moves, ""),
    (
        "4k3/8/8/8/8/8/4P3/4K2r w - - 0 1",
        2,
        lambda board: board.pseudo_legal_moves,
        "A move that only one list has is an error: it is not played.",
    ),
    ("4k3/3p4/8/8/4P3/8/8/4K3 w - - 0 1", 3, without_en_passant, "The bug lies two plies deep."),
    ("4k3/3p4/8/8/4P3/8/8/4K3 b - - 0 1", 4, without_en_passant, "The bug lies three plies deep."),
]


@exercise("s91-4")
def find_bug(answer: Callable[..., tuple[list[chess.Move], set[chess.Move]] | None]) -> None:
    """Following differences of divide to the bug."""
    for fen, depth, generate, hint in _BUGS:
        board = chess.Board(fen)
        where = f"In {fen} at depth {depth}"
        try:
            found = kept(board, answer, depth, generate)
        except ValueError as error:
            hint = (
                "At the last ply only the lists can differ: by a move missing or a move too many."
            )
            raise Hint(f"{where} your code raised ValueError: {error}. {hint}") from None
        words = f"{where} the divides differ, and you returned None. {hint}".strip()
        require(found is not None, words)
        assert found is not None
        pair = "Return a pair: the list of moves that lead there, and the set of moves."
        require(isinstance(found, tuple) and len(found) == 2, pair)
        path, moves = found
        require(isinstance(path, list), f"{pair} The first is {path!r}, and no list.")
        require(isinstance(moves, set | frozenset), f"{pair} The second is {moves!r}, and no set.")
        require(len(path) < depth, f"{where}: {len(path)} plies; the way has at most {depth - 1}.")
        for move in path:
            require(isinstance(move, chess.Move), f"{where}: {move!r} is no chess.Move.")
            require(move in board.legal_moves, f"{where}: your way plays {move}, not legal there.")
            board.push(move)
        odd = set(generate(board)) ^ set(board.legal_moves)
        shown = ", ".join(move.uci() for move in path) or "no move"
        require(odd, f"{where}: after {shown} both lists are the same. {hint}".strip())
        require(
            moves == odd,
            f"{where}: after {shown} the lists differ in {_ucis(odd)}, not in {_ucis(moves)}. "
            f"{hint}".strip(),
        )
    agreeing = without_en_passant, lambda b: iter([*b.legal_moves][::-1]), _errors_that_cancel
    for generate, depth in itertools.product(agreeing, (1, 2)):
        found = kept(chess.Board(), answer, depth, generate)
        words = f"Equal divides give None, even if the lists below differ, not {found}."
        require(found is None, words)


def _ucis(moves: Iterable[Any]) -> str:
    return ", ".join(sorted(map(str, moves))) or "nothing"


def _attacked_by_rooks(rooks: int, occupied: int) -> int:
    reached = 0
    for square in chess.scan_forward(rooks):
        reached |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        reached |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return reached


_IN_THE_WAY = [
    *((1 << square, 1 << square) for square in chess.SQUARES),
    (chess.BB_D4, chess.BB_D4 | chess.BB_D6 | chess.BB_B4 | chess.BB_E4 | chess.BB_D1),
    (chess.BB_D4, chess.BB_D4 | chess.BB_D6 | chess.BB_D7 | chess.BB_G4 | chess.BB_H4),
    (chess.BB_A1 | chess.BB_H1, chess.BB_RANK_1 | chess.BB_RANK_2),
    (chess.BB_A4 | chess.BB_E4, chess.BB_A4 | chess.BB_E4),  # one protects the other
    (chess.BB_A1 | chess.BB_H8, chess.BB_A1 | chess.BB_H8 | chess.BB_A8),
    (chess.BB_A1 | chess.BB_H1, chess.BB_A1 | chess.BB_H1 | chess.BB_A2 | chess.BB_G1),
    (chess.BB_CORNERS, chess.BB_CORNERS),
    (chess.BB_ALL, chess.BB_ALL),
]


@exercise("s91-5")
def rook_attacks(answer: Callable[[int, int], int]) -> None:
    """Attack sets of rooks by shifts, with pieces in the way."""
    for rooks, occupied in _IN_THE_WAY:
        reached, expected = answer(rooks, occupied), _attacked_by_rooks(rooks, occupied)
        require(isinstance(reached, int), "Return a plain number.")
        where = f"Rooks on {square_names(rooks)}"
        if occupied & ~rooks:
            where += f", other pieces on {square_names(occupied & ~rooks)}"
        require(
            0 <= reached <= chess.BB_ALL, f"{where}: the result has bits beyond h8. Cut them off."
        )
        extra, missing = reached & ~expected, expected & ~reached
        beyond = (
            "A shift wrapped around the edge." if occupied == rooks else "Something is between."
        )
        if extra == rooks:
            beyond = "A rook does not attack its own square."
        require(not extra, f"{where}: {square_names(extra)} cannot be attacked. {beyond}")
        blocked = not missing & ~occupied
        why = "The first occupied square is attacked as well." if blocked else "Nothing is between."
        require(not missing, f"{where}: attacks on {square_names(missing)} are missing. {why}")
    require(answer(0, chess.BB_D4) == 0, "No rooks attack no squares.")
    hint = "Use shifts and masks, not the library's tables of attacks."
    empty: list[dict[int, int]] = [{} for _ in chess.SQUARES]
    with mock.patch.multiple(chess, BB_RANK_ATTACKS=empty, BB_FILE_ATTACKS=empty):
        try:
            require(answer(chess.BB_D4, chess.BB_D4) != 0, hint)
        except KeyError:
            raise Hint(hint) from None
    _require_no_loop(answer, "rooks", 300, [chess.BB_ALL] * 2, [chess.BB_A1] * 2)
