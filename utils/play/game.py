"""A game of chess between a person and an engine, as plain data and rules.

`Game` knows the position, whose turn it is and what can be taken back. It knows no
engine and no widget: `utils.play.session` adds the one, `utils.play.widget` the other.
"""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Mapping
from typing import Any

import chess
import chess.pgn
import chess.svg

from converted_notebooks.s04_engine_interface import finished

START = chess.STARTING_FEN
SIDES: dict[str, chess.Color | None] = {"white": chess.WHITE, "black": chess.BLACK, "both": None}
"""Which side a person plays."""


def read_fen(fen: str) -> chess.Board:
    """The position that a FEN describes.

    Raises:
        ValueError: it cannot be read, or no game can reach or continue from it.
    """
    try:
        board = chess.Board(fen.strip())
    except ValueError as error:
        reason = str(error).removesuffix(f": {fen.strip()!r}")
        raise ValueError(f"FEN {fen!r}: {reason}; a good one is {START!r}") from None
    if not board.is_valid():
        faults = [flag.name or "" for flag in chess.Status if flag & board.status()]
        words = ", ".join(fault.lower().replace("_", " ") for fault in faults)
        raise ValueError(f"FEN {fen!r}: expected a legal position, found: {words}")
    return board


def _read_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move that a person typed. The chapter that explains bad text is loaded for it."""
    with contextlib.suppress(ValueError):
        if move := board.parse_san(text.strip()):  # reads UCI notation, too
            return move
    from converted_notebooks.s23_playing import read_move

    return read_move(board, text)


def piece_pictures() -> dict[str, str]:
    """The pieces of `chess.svg` by their symbols, as parts of an SVG of 45 by 45."""
    return {
        symbol: re.sub(r' (id|class)="[^"]*"', "", svg) for symbol, svg in chess.svg.PIECES.items()
    }


class Game:
    """A game that is being played.

    Args:
        fen: the position to start from; None for the usual one.
        person: the side that a person plays; None for both.

    Attributes:
        board: the present position, with all moves on its stack. Read it, do not push.
        person: as above; may be changed at any time.
        resigned: the side that gave up.
        sans: the moves in algebraic notation.
        positions: what a front end draws after each ply, from 0 on: the FEN, the last move in
            UCI notation, and the square of a king in check; the last two may be empty.

    Raises:
        ValueError: the FEN is bad.
    """

    def __init__(self, fen: str | None = None, person: chess.Color | None = chess.WHITE) -> None:
        self.board = chess.Board() if fen is None else read_fen(fen)
        self.person = person
        self.resigned: chess.Color | None = None
        self.sans: list[str] = []
        self.positions = [self._position()]

    @property
    def plies(self) -> int:
        """How many moves of one side were played."""
        return len(self.sans)

    @property
    def side(self) -> str:
        """The side that a person plays, as in `SIDES`."""
        return next(name for name, color in SIDES.items() if color is self.person)

    @property
    def result(self) -> str:
        """The result as in PGN; "*" while the game goes on."""
        if self.resigned is not None:
            return "0-1" if self.resigned == chess.WHITE else "1-0"
        return self.board.result()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.result != "*"

    @property
    def persons_turn(self) -> bool:
        """Whether a person is to move, and can."""
        return not self.over and self.person in (None, self.board.turn)

    @property
    def engines_turn(self) -> bool:
        """Whether an engine is to move, and can."""
        return not self.over and self.person == (not self.board.turn)

    @property
    def termination(self) -> str:
        """Why the game ended, in words; empty while it goes on."""
        if self.resigned is not None:
            return "resignation"
        end = finished(self.board)
        return end[1] if end else ""

    def play(self, text: str) -> chess.Move:
        """Make the person's move.

        Args:
            text: in UCI ("g1f3") or algebraic notation ("Nf3").

        Raises:
            ValueError: it is no legal move, or not the person's turn.
        """
        if self.over:
            raise ValueError(f"the move {text!r} comes late: the game is over")
        if not self.persons_turn:
            raise ValueError(f"the move {text!r} comes early: it is the engine's turn")
        return self._push(_read_move(self.board, text))

    def answer(self, move: chess.Move | None) -> None:
        """Make the engine's move; None if it resigns.

        Raises:
            ValueError: it is not the engine's turn, or the move is not legal.
        """
        if not self.engines_turn:
            raise ValueError(f"the engine's move {move} was not asked for")
        if move is None:
            self.resigned = self.board.turn
        elif move in self.board.legal_moves:
            self._push(move)
        else:
            raise ValueError(f"the engine played {move}; expected a legal move")

    def takes_back(self) -> int:
        """How many plies `undo` would take back: the person's last move, and the answer to it."""
        first = self.board.turn if self.plies % 2 == 0 else not self.board.turn
        for ply in range(self.plies - 1, -1, -1):
            mover = first if ply % 2 == 0 else not first
            if self.person in (None, mover):
                return self.plies - ply
        return 0

    def undo(self) -> int:
        """Take back the person's last move, and the engine's answer; returns the plies."""
        count = self.takes_back()
        for _ in range(count):
            self.board.pop()
            self.sans.pop()
            self.positions.pop()
        if count:
            self.resigned = None
        return count

    def status(self) -> str:
        """The last move, and who is to move or how the game ended, in words."""
        side = chess.COLOR_NAMES[self.board.turn].capitalize()
        other = chess.COLOR_NAMES[not self.board.turn].capitalize()
        said = f"{other} played {self.sans[-1]}. " if self.sans else ""
        if self.over:
            ends = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "Draw"}
            return f"{said}{ends[self.result]}: {self.termination}."
        does = "is in check" if self.board.is_check() else "to move"
        whose = ", your move" if self.persons_turn and self.person is not None else ""
        return f"{said}{side} {does}{whose}."

    def players(self, engine: str, person: str) -> dict[str, str]:
        """Who plays "White" and "Black", by their names."""
        return {
            name.capitalize(): engine if self.person is (not color) else person
            for name, color in SIDES.items()
            if color is not None
        }

    def pgn(self, players: Mapping[str, str]) -> chess.pgn.Game:
        """The game as PGN, which every chess program can read."""
        game = chess.pgn.Game.from_board(self.board)
        game.headers["Event"] = "Casual game"
        game.headers["Date"] = f"{datetime.date.today():%Y.%m.%d}"
        game.headers["Result"] = self.result
        game.headers.update(players)
        if self.over:
            game.headers["Termination"] = self.termination
        return game

    def view(self) -> dict[str, Any]:
        """What a front end needs to draw the game and to step through it, ready for JSON."""
        root = self.board.root()
        return {
            "positions": [dict(position) for position in self.positions],
            "moves": [move.uci() for move in self.board.legal_moves] if self.persons_turn else [],
            "sans": list(self.sans),
            # For the numbers in the list of moves: the number of the first, and whose it is.
            "number": root.fullmove_number,
            "blackFirst": root.turn == chess.BLACK,
            "result": self.result,
            "undo": self.takes_back() > 0,
        }

    def _push(self, move: chess.Move) -> chess.Move:
        self.sans.append(self.board.san(move))
        self.board.push(move)
        self.positions.append(self._position())
        return move

    def _position(self) -> dict[str, str]:
        board = self.board
        king = board.king(board.turn) if board.is_check() else None
        return {
            "fen": board.fen(),
            "last": board.peek().uci() if board.move_stack else "",
            "check": "" if king is None else chess.square_name(king),
        }
