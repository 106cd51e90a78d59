"""A game against an engine in the terminal: moves and commands are typed, the board is text.

The rules and the state of the game are in `utils.play.game`.
"""

from __future__ import annotations

import cmd
import contextlib
import errno
import os
from pathlib import Path

import chess
import chess.engine
from rich.console import Console
from rich.text import Text

from converted_notebooks.s04_engine_interface import Engine, ask
from utils.atomic_files import replace_file
from utils.engines import prepare
from utils.external_programs import shell_line
from utils.play.game import Game

# By light or dark, and whether the last move marks the square: contrast to white and black pieces.
_SQUARES = {
    (True, False): "#a9865f",
    (False, False): "#80623f",
    (True, True): "#8f8a1f",
    (False, True): "#6f6a10",
}
_PIECES = {chess.WHITE: "#ffffff", chess.BLACK: "#000000"}


def draw_board(
    board: chess.Board, *, flipped: bool = False, letters: bool = False, colours: bool = True
) -> Text:
    """The position as text, with coordinates; brackets mark the last move.

    Args:
        board: the position; the last move is the last on its stack.
        flipped: show it from Black's side.
        letters: draw the pieces as K, Q, R, B, N, P, Black's in small letters, all in ASCII.
        colours: colour the squares and the pieces.
    """
    last = board.peek() if board.move_stack else None
    marked = {last.from_square, last.to_square} if last else set()
    step = -1 if flipped else 1
    files, ranks = range(8)[::step], range(8)[::-step]
    text = Text()
    for rank in ranks:
        text.append(f"{rank + 1} ")
        for file in files:
            square = chess.square(file, rank)
            piece, light = board.piece_at(square), bool((file + rank) % 2)
            symbol = _symbol(piece, letters, colours)
            style = ""
            if colours:
                front = _PIECES[piece.color] if piece else "#ffffff"
                style = f"bold {front} on {_SQUARES[light, square in marked]}"
            text.append(f"[{symbol}]" if square in marked else f" {symbol} ", style)
        text.append("\n")
    names = "".join(f" {chess.FILE_NAMES[file]} " for file in files)
    return text.append(f"  {names.rstrip()}")


def _symbol(piece: chess.Piece | None, letters: bool, colours: bool) -> str:
    if piece is None:
        return " " if colours else "." if letters else "·"
    if letters:
        return piece.symbol()
    # Colours tell the sides apart, and the filled shapes are easiest to see.
    return chess.UNICODE_PIECE_SYMBOLS[piece.symbol().lower() if colours else piece.symbol()]


def can_show(console: Console, text: str) -> bool:
    """Whether the encoding of a console has these characters."""
    try:
        text.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True


def has_colours(console: Console) -> bool:
    """Whether a console has enough colours to draw the squares of the board."""
    return console.color_system in ("256", "truecolor") and not console.no_color


class TerminalGame(cmd.Cmd):
    """A game of a person against an engine; `cmdloop` plays it until the person leaves.

    Args:
        game: with the side that the person plays.
        engine: the opponent, which also gives hints.
        limit: how long it searches for a move.
        console: where to show everything.
        name: of the engine, as `course play --engine` takes it.
        letters: draw the board with letters.
        path: a new file, in which the game is saved at the end.
    """

    def __init__(
        self,
        game: Game,
        engine: Engine,
        limit: chess.engine.Limit,
        console: Console,
        *,
        name: str,
        letters: bool = False,
        path: Path | None = None,
    ) -> None:
        super().__init__()
        self.game, self.engine, self.limit, self.name = game, engine, limit, name
        self._console, self._letters = console, letters
        self._flipped = game.person == chess.BLACK
        self._path = path

    def close(self) -> None:
        """Save the game, or show it if that is not possible."""
        if not self.game.plies:
            return
        if self._path is not None:
            try:
                if self._path.exists():  # made by another program during the game
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
                replace_file(self._path, f"{self._pgn()}\n\n")
                self._say(f"\nThe game is saved in {self._path}.")
                return
            except OSError as error:
                self._say(f"{self._path}: {error.strerror}; the game is not saved.")
        self._say(f"\nThe game so far:\n\n{self._pgn()}\n")
        if not self.game.over:
            words = ["course", "play", "--engine", self.name, "--side", self.game.side]
            words += ["--fen", self.game.board.fen()]
            self._say(f"To go on from here: {shell_line(words)}")

    # The commands; their docstrings are the help.

    def do_undo(self, argument: str) -> None:
        """Take back your last move, and the answer to it."""
        if self.game.can_undo:
            self.game.undo()
            self._show()
        else:
            self._say("There is no move of yours to take back.")

    def do_hint(self, argument: str) -> None:
        """Ask the engine what it would play for you."""
        if not self.game.persons_turn:
            self._say("The game is over; there is nothing to hint at.")
            return
        move = self._search()
        answer = "would resign" if move is None else f"would play {self.game.board.san(move)}"
        self._say(f"{self.name} {answer}.")

    def do_moves(self, argument: str) -> None:
        """List the legal moves."""
        self._say(" ".join(self._sans()) or "There are none.")

    def do_flip(self, argument: str) -> None:
        """Turn the board round."""
        self._flipped = not self._flipped
        self._show()

    def do_fen(self, argument: str) -> None:
        """Show the position as FEN."""
        self._say(self.game.board.fen())

    def do_pgn(self, argument: str) -> None:
        """Show the game as PGN."""
        self._say(self._pgn())

    def do_resign(self, argument: str) -> None:
        """Give up."""
        if not self.game.over:
            self.game.resign()
        self._say(self.game.status())

    def do_quit(self, argument: str) -> bool:
        """End; so do Ctrl-D and Ctrl-C."""
        return True

    def do_help(self, argument: str) -> None:
        """Show this list."""
        self._say("A move in algebraic notation (Nf3, exd5, O-O, e8=Q) or in UCI (g1f3), or:")
        for name, meaning in COMMANDS.items():
            self._say(f"  {name:8}{meaning}")

    def do_EOF(self, argument: str) -> bool:
        """End, at the end of the input."""
        self._say("")
        return True

    # Hooks of `cmd.Cmd`.

    def preloop(self) -> None:
        """Show the board, and play first if it is the engine's turn."""
        with contextlib.suppress(ImportError):  # Windows has its own
            import readline

            readline.set_completer_delims(" ")  # a move may have a hyphen
        self._say("Type moves such as e4 or e2e4, or help.")
        self._show()
        self._answer()

    def postcmd(self, stop: bool, line: str) -> bool:
        """Let the engine answer."""
        if not stop:
            self._answer()
        return stop

    def emptyline(self) -> bool:
        """Do nothing; `cmd.Cmd` would repeat the last command."""
        return False

    def default(self, line: str) -> None:
        """Play a move: every line that is no command."""
        if self.game.over:
            self._say("The game is over. You can type undo, pgn, or quit.")
            return
        try:
            self.game.play(line)
        except ValueError as error:
            self._say(f"{error} (help lists what you can type)")
            return
        if not self.game.engines_turn:
            self._show()

    def completenames(self, text: str, *ignored: object) -> list[str]:
        """The moves and commands that begin with a text, for the Tab key."""
        return [word for word in (*self._sans(), *COMMANDS) if word.startswith(text)]

    def _answer(self) -> None:
        """Play the engine's move if it is its turn, and set the prompt for the next line."""
        if self.game.engines_turn:
            self.game.answer(self._search())
            self._show()
        side = chess.COLOR_NAMES[self.game.board.turn].capitalize()
        self.prompt = "undo, pgn, or quit: " if self.game.over else f"{side}'s move: "

    def _search(self) -> chess.Move | None:
        words = Text(f"{self.name} is thinking. Ctrl-C ends the game.")
        with self._console.status(words, spinner="line"):  # ASCII, for every terminal
            prepare(self.engine)
            return ask(self.engine, self.game.board, self.limit)

    def _show(self) -> None:
        board = draw_board(
            self.game.board,
            flipped=self._flipped,
            letters=self._letters,
            colours=has_colours(self._console),
        )
        self._console.print()
        self._console.print(board, overflow="ignore", crop=False)
        self._say(self.game.status())

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _sans(self) -> list[str]:
        board = self.game.board
        return [] if self.game.over else sorted(map(board.san, board.legal_moves))

    def _pgn(self) -> str:
        return str(self.game.pgn(self.game.players(self.name, "Human")))


COMMANDS = {
    name.removeprefix("do_"): str(method.__doc__)
    for name, method in vars(TerminalGame).items()
    if name.startswith("do_") and name != "do_EOF"
}
"""The commands and what they do."""
