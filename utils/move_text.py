"""Reads moves that a person types, in UCI notation or SAN, and explains what is wrong with them."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace

import chess


class MoveTextError(ValueError):
    """A text that is no legal move; the message says why."""


def read_move(board: chess.Board, text: str) -> chess.Move:
    """The move that a person typed, in UCI or SAN.

    Raises:
        MoveTextError: the text is no move, no legal one, or fits several.
    """
    text = text.strip()
    uci, san = board.parse_uci, board.parse_san
    # Small letters come last: B4c5 is a bishop's move, b4c5 may be a pawn's.
    for parse, form in ((uci, text), (san, text), (uci, text.lower())):
        with contextlib.suppress(ValueError):
            if move := parse(form):
                return move
    raise MoveTextError(f"{text!r} {explain_text(board, text)}")


def explain_text(board: chess.Board, text: str) -> str:
    """What is wrong with a text that is no legal move; completes a sentence that it begins."""
    try:
        if move := chess.Move.from_uci(text.lower()):
            return f"is not legal. {explain_illegal(board, move)}"
    except chess.InvalidMoveError:
        pass
    parts = chess.SAN_REGEX.match(text)  # None for castling, and for what is no SAN
    try:
        board.parse_san(text)
    except chess.AmbiguousMoveError:
        assert parts is not None
        sans = sorted(board.san(move) for move in board.legal_moves if _fits(board, move, parts))
        return f"fits more than one move; say which: {', '.join(sans)}."
    except chess.IllegalMoveError:
        if parts is None:
            return "is not legal. Castling is not allowed now."
        if parts[2] and parts[3]:  # both squares are there
            return _explain_squares(board, parts)
        name = chess.piece_name(_kind(parts[1]))
        promoting = f"{text[: text.rindex(parts[4]) + 2]}=Q"
        with contextlib.suppress(ValueError):
            if board.parse_san(promoting).promotion:
                return f"is not legal. Say what the pawn becomes, for example {promoting}."
        return f"is not legal. No such {name} can go to {parts[4]}."
    except chess.InvalidMoveError:
        pass
    legal = next(iter(board.legal_moves), None)
    if legal is None:
        return "is not legal. There are no legal moves."
    return f"is not a move. Expected one like {board.san(legal)} or {legal}."


def _kind(letter: str | None) -> chess.PieceType:
    """The piece type of a letter in SAN; without one, a pawn."""
    return chess.PIECE_SYMBOLS.index((letter or "P").lower())


def _fits(board: chess.Board, move: chess.Move, parts: re.Match[str]) -> bool:
    """Whether a move fits the parts of a text in SAN, as `chess.SAN_REGEX` splits it."""
    start = chess.square_name(move.from_square)
    return (
        parts[4] == chess.square_name(move.to_square)
        and (parts[2] or start[0], parts[3] or start[1]) == (*start,)
        and board.piece_type_at(move.from_square) == _kind(parts[1])
    )


def _explain_squares(board: chess.Board, parts: re.Match[str]) -> str:
    """The same of a text in SAN that names both squares, such as Ng1f3."""
    start, target = parts[2] + parts[3], parts[4]
    promotion = _kind(parts[5][-1]) if parts[5] else None
    move = chess.Move(chess.parse_square(start), chess.parse_square(target), promotion)
    piece = board.piece_at(move.from_square)
    if parts[1] and piece and piece.piece_type != _kind(parts[1]):
        return f"is not legal. On {start} there is a {chess.piece_name(piece.piece_type)}."
    if board.is_legal(move):
        return f"is not how this move is written: write {board.san(move)}."
    return f"is not legal. {explain_illegal(board, move)}"


def explain_illegal(board: chess.Board, move: chess.Move) -> str:
    """Why a move is not legal in this position, in one sentence."""
    start, target = map(chess.square_name, (move.from_square, move.to_square))
    piece, taken = map(board.piece_at, (move.from_square, move.to_square))
    if piece is None:
        return f"There is no piece on {start}."
    name = chess.piece_name(piece.piece_type)
    if piece.color != board.turn:
        side = chess.COLOR_NAMES[board.turn].capitalize()
        return f"The {name} on {start} is not yours: it is {side}'s move."
    if taken is not None and taken.color == board.turn:
        other = chess.piece_name(taken.piece_type)
        return f"Your own {other} stands on {target}."
    if board.is_pseudo_legal(move):
        attacked = "stay" if board.is_check() else "come"
        return f"Your king would {attacked} under attack."
    home = chess.E1 if board.turn else chess.E8
    steps = abs(move.to_square - move.from_square)
    if name == "king" and move.from_square == home and steps == 2:
        return "Castling is not allowed now."
    if name != "pawn" and move.promotion:
        return f"Only a pawn is promoted; on {start} there is a {name}."
    if board.is_pseudo_legal(replace(move, promotion=chess.QUEEN)):
        return f"Say what the pawn becomes, for example {start}{target}q."
    if board.is_pseudo_legal(replace(move, promotion=None)):
        return "A pawn is promoted only on the last rank."
    return f"The {name} on {start} cannot go to {target}."
