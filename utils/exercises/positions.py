"""Positions that several checks and tests ask about, and how checks make and name others."""

from __future__ import annotations

import chess

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"  # White mates at once
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PROMOTIONS = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
MIDDLEGAME = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8"
ROOK_ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"


def position_after(board: chess.Board, move: chess.Move) -> chess.Board:
    """The position after a move; the board stays as it is."""
    after = board.copy()
    after.push(move)
    return after


def played(moves: str, fen: str = chess.STARTING_FEN) -> chess.Board:
    """The position after these moves in SAN, with its history."""
    board = chess.Board(fen)
    for san in moves.split():
        board.push_san(san)
    return board


def with_mirrors(*positions: str | chess.Board) -> list[chess.Board]:
    """Each position, given as a board or a FEN, and its mirror image behind it."""
    boards = [chess.Board(one) if isinstance(one, str) else one for one in positions]
    return [image for board in boards for image in (board, board.mirror())]


def square_names(squares: chess.IntoSquareSet) -> str:
    """The names of squares, of a set or a bitboard, for a hint."""
    return ", ".join(map(chess.square_name, chess.SquareSet(squares))) or "none"


def kind_of(board: chess.Board, move: chess.Move | None) -> str:
    """A move's kind; a promotion that captures is a promotion."""
    if not move:
        return "null move"
    if board.is_castling(move):
        return "castling"
    if board.is_en_passant(move):
        return "en passant"
    if move.promotion:
        return "promotion"
    return "capture" if board.is_capture(move) else "quiet"
