"""A game of chess between a person and an engine, as plain data and rules.

`Game` has the position, whose turn it is and what can be taken back. It has no engine and draws
nothing: `utils.play.session` adds an engine; widget, page and terminal are front ends.
"""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any, Self

import chess
import chess.pgn
import chess.svg

from converted_notebooks.s04_engine_interface import draw_reason, finished
from utils.move_text import read_move
from utils.uci_text import faults

SIDES: dict[str, chess.Color | None] = {"white": chess.WHITE, "black": chess.BLACK, "both": None}
"""The side that a person plays, by the name that front ends use."""
RESULTS = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "Draw"}
"""The results of finished games, in words."""
NO_TIME = "no time left"
"""The termination of a game in which a clock has run out."""


def read_fen(fen: str) -> chess.Board:
    """The position that a FEN describes.

    Raises:
        ValueError: it cannot be read, or no game can reach or continue from it.
    """
    try:
        board = chess.Board(fen.strip())
    except ValueError as error:
        reason = str(error).removesuffix(f": {fen.strip()!r}")
        raise ValueError(f"FEN {fen!r}: {reason}; a good one is {chess.STARTING_FEN!r}") from None
    if not board.is_valid():
        found = faults(board.status())
        raise ValueError(f"FEN {fen!r}: expected a legal position, found: {found}")
    return board


class _MainLine(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game from PGN without its variations, whose errors do not matter."""

    def begin_variation(self) -> chess.pgn.SkipType:  # type: ignore[override] # as documented
        """Leave out a variation."""
        return chess.pgn.SKIP

    def end_variation(self) -> None:
        """Do nothing: no variation was begun."""

    def handle_error(self, error: Exception) -> None:
        """Keep an error; the base class would also log it."""
        self.game.errors.append(error)


def read_pgn(text: str) -> Game:
    """The first game of a PGN file, without its variations, with the result that it states.

    Raises:
        ValueError: there is none, or it has an illegal move.
    """
    read = chess.pgn.read_game(io.StringIO(text.strip()), Visitor=_MainLine)
    if read is None or not (read.errors or read.variations or "FEN" in read.headers):
        raise ValueError("no game found; expected PGN such as '1. e4 e5 2. Nf3'")
    if read.errors:
        try:
            number = read.end().board().fullmove_number
        except ValueError:  # the FEN cannot be read
            number = 1
        reason = re.sub(r" in \S+ [wb] .*", "", str(read.errors[0]))  # without the FEN
        raise ValueError(f"this PGN cannot be read at move {number}: {reason}")
    if read.headers.is_chess960() or read.headers.variant() is not chess.Board:
        raise ValueError("this PGN is of a chess variant; expected usual chess")
    game = Game.of(read.headers.get("FEN"), [move.uci() for move in read.mainline_moves()])
    result = read.headers.get("Result", "*")
    if not game.over and result in RESULTS:
        game.finish(result, read.headers.get("Termination") or "as recorded")
    return game


def premoves(board: chess.Board, color: chess.Color) -> list[str]:
    """The moves, in UCI notation, that one side may enter while the other is to move.

    They are those of each piece on an empty board, and captures to all squares that a pawn attacks.
    """
    found = []
    for square in chess.SquareSet(board.occupied_co[color]):
        alone = chess.Board(None)
        alone.turn = color
        alone.set_piece_at(square, board.piece_at(square))
        if alone.pawns:
            for target in alone.attacks(square):
                alone.set_piece_at(target, chess.Piece(chess.PAWN, not color))
        elif alone.kings:
            alone.castling_rights = board.clean_castling_rights() & board.occupied_co[color]
            for rook in chess.SquareSet(alone.castling_rights):
                alone.set_piece_at(rook, chess.Piece(chess.ROOK, color))
        moves = alone.generate_pseudo_legal_moves(chess.BB_SQUARES[square])
        found += [move.uci() for move in moves]
    return found


def piece_pictures() -> dict[str, str]:
    """The pieces of `chess.svg` by their symbols, as parts of an SVG of 45 by 45."""
    return {
        symbol: re.sub(r' (id|class)="[^"]*"', "", svg) for symbol, svg in chess.svg.PIECES.items()
    }


def _loss(color: chess.Color) -> str:
    """The result, as in PGN, of a game that a side has lost."""
    return "0-1" if color == chess.WHITE else "1-0"


class Game:
    """A game that is being played.

    Args:
        fen: the position to start from; None for the usual one.
        person: the side that a person plays; None for both.

    Attributes:
        board: the present position, with all moves on its stack; only `Game` may change it.
        person: as above; may be changed at any time.
        ended: result and reason if the players ended the game; None if the rules did, or nobody.
        sans: the moves in algebraic notation.
        positions: for each ply from 0, what a front end draws: "fen"; "last", the last move in UCI
            notation; "check", the square of a king in check. The last two may be empty.

    Raises:
        ValueError: the FEN is bad.
    """

    def __init__(self, fen: str | None = None, person: chess.Color | None = chess.WHITE) -> None:
        self.board = chess.Board() if fen is None else read_fen(fen)
        self.person = person
        self.ended: tuple[str, str] | None = None
        self.sans: list[str] = []
        self.positions = [self._position()]

    @classmethod
    def of(cls, fen: str | None, moves: Iterable[str], person: chess.Color | None = None) -> Self:
        """A game in which moves were played already, in UCI or algebraic notation.

        Raises:
            ValueError: the FEN is bad, or a move.
        """
        game = cls(fen, None)
        for move in moves:
            game.play(move)
        game.person = person
        return game

    @property
    def plies(self) -> int:
        """The number of plies that were played."""
        return len(self.sans)

    @property
    def side(self) -> str:
        """The side that a person plays, as in `SIDES`."""
        return next(name for name, color in SIDES.items() if color is self.person)

    @property
    def result(self) -> str:
        """The result as in PGN; "*" while the game goes on."""
        return self.ended[0] if self.ended else self.board.result()

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
        if self.ended:
            return self.ended[1]
        end = finished(self.board)
        return end[1] if end and self.over else ""

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
        return self._push(read_move(self.board, text))

    def answer(self, move: chess.Move | None) -> None:
        """Make the engine's move; None if it resigns.

        Raises:
            ValueError: it is not the engine's turn, or it is no legal move.
        """
        if not self.engines_turn:
            raise ValueError(f"the engine's move {move} was not asked for")
        if move is None:
            self.resign(self.board.turn)
        elif not isinstance(move, chess.Move):
            raise ValueError(f"the engine gave {move!r}; expected a chess.Move")
        elif move in self.board.legal_moves:
            self._push(move)
        else:
            raise ValueError(f"the engine played {move}; expected a legal move")

    @property
    def claim(self) -> str:
        """Why the person may claim a draw, in words; empty if there is no reason."""
        return draw_reason(self.board) if self.persons_turn else ""

    def finish(self, result: str, reason: str) -> None:
        """End the game with a result as in PGN, for a reason in words.

        Raises:
            ValueError: the game is over, or it is no result.
        """
        if self.over:
            raise ValueError("the game is over")
        if result not in RESULTS:
            raise ValueError(f"result {result!r}: expected 1-0, 0-1 or 1/2-1/2")
        self.ended = result, reason

    def resign(self, color: chess.Color | None = None) -> None:
        """A side resigns: by default the person, or the side to move if persons play both."""
        side = self.person if color is None else color
        self.finish(_loss(self.board.turn if side is None else side), "resignation")

    def agree(self, reason: str = "agreement") -> None:
        """End the game as a draw."""
        self.finish("1/2-1/2", reason)

    def overstep(self, color: chess.Color) -> None:
        """A side has no time left. It has lost, unless the other one has no material to mate."""
        if self.board.has_insufficient_material(not color):
            self.finish("1/2-1/2", f"{NO_TIME}, and no material to mate")
        else:
            self.finish(_loss(color), NO_TIME)

    def plies_to_undo(self) -> int:
        """How many plies to take back: the person's last move and the answer to it; 0 if none."""
        back = 1 if self.person in (None, not self.board.turn) else 2
        return back if back <= self.plies else 0

    @property
    def can_undo(self) -> bool:
        """Whether `undo` would change anything."""
        return self._ended_by_person or self.plies_to_undo() > 0

    @property
    def _ended_by_person(self) -> bool:
        """Whether the person has ended the game at their turn: resigned, or agreed to a draw."""
        by_hand = self.ended is not None and not self.ended[1].startswith(NO_TIME)
        return by_hand and self.person in (None, self.board.turn)

    def undo(self) -> int:
        """Take back the person's last move, and the engine's answer; returns the plies.

        If the person has ended the game at their turn, only that is taken back. A loss on time is
        taken back together with moves.
        """
        count = 0 if self._ended_by_person else self.plies_to_undo()
        if self.can_undo:
            self.ended = None
        for _ in range(count):
            self.board.pop()
            self.sans.pop()
            self.positions.pop()
        return count

    def status(self) -> str:
        """The last move, and who is to move or how the game ended, in words."""
        side = chess.COLOR_NAMES[self.board.turn].capitalize()
        other = chess.COLOR_NAMES[not self.board.turn].capitalize()
        said = f"{other} played {self.sans[-1]}. " if self.sans else ""
        if self.over:
            return f"{said}{RESULTS[self.result]}: {self.termination}."
        does = "is in check" if self.board.is_check() else "to move"
        whose = ", your move" if self.persons_turn and self.person is not None else ""
        return f"{said}{side} {does}{whose}."

    def players(self, engine: str, person: str) -> dict[str, str]:
        """Who plays "White" and "Black", by their names."""
        return {
            "White": engine if self.person == chess.BLACK else person,
            "Black": engine if self.person == chess.WHITE else person,
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
        """What a front end needs to draw the game and to step through it, ready for JSON.

        During the engine's turn, "before" has the legal moves of the position before the person's
        last move, and "premoves" the moves that may be legal after the engine's move.
        """
        root = self.board.root()
        before = self.board.copy(stack=1) if self.engines_turn and self.plies else None
        if before:
            before.pop()
        return {
            "positions": [dict(position) for position in self.positions],
            "moves": [move.uci() for move in self.board.legal_moves] if self.persons_turn else [],
            "premoves": premoves(self.board, not self.board.turn) if self.engines_turn else [],
            "before": [move.uci() for move in before.legal_moves] if before else [],
            "sans": list(self.sans),
            # For the numbers in the list of moves: that of the first, and whether it is Black's.
            "number": root.fullmove_number,
            "blackFirst": root.turn == chess.BLACK,
            "result": self.result,
            "ended": list(self.ended) if self.ended else None,
            "claim": self.claim,
            "undo": self.can_undo,
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
