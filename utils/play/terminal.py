"""A game against an engine in a terminal: a board of text, and a person who types.

The rules and the state of the game are in `utils.play.game`; here is what one sees.
"""

from __future__ import annotations

import contextlib
import datetime
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.engine
from rich.console import Console
from rich.text import Text

from utils.atomic_files import replacing
from utils.jupyter_loader import load_chapter
from utils.play.game import Game
from utils.play.search_thread import Plays

# Dark enough for white pieces, and light enough for black ones.
_SQUARES = {(True, False): "#a9865f", (False, False): "#80623f"}
_SQUARES |= {(True, True): "#8f8a1f", (False, True): "#6f6a10"}  # of the last move
_PIECES = {chess.WHITE: "#ffffff", chess.BLACK: "#000000"}
COMMANDS = {
    "undo": "take back your last move, and the answer to it",
    "hint": "ask the engine what it would play for you",
    "moves": "list the legal moves",
    "flip": "turn the board round",
    "fen": "show the position as FEN",
    "pgn": "show the game as PGN; pgn FILE saves it in a new file",
    "resign": "give up",
    "quit": "end; so do Ctrl-D and Ctrl-C",
    "help": "show this list",
}
"""What a person can type besides moves."""


def draw_board(
    board: chess.Board, *, flipped: bool = False, letters: bool = False, colours: bool = True
) -> Text:
    """The position as text, with coordinates; brackets mark the last move.

    Args:
        board: the position; the last move is the last on its stack.
        flipped: show it from Black's side.
        letters: K, Q, R, B, N, P for the pieces, Black's in small letters, and nothing
            outside ASCII.
        colours: colour the squares and the pieces.
    """
    last = board.peek() if board.move_stack else chess.Move.null()
    marked = {last.from_square, last.to_square} if last else set()
    files, ranks = list(range(8)), list(range(7, -1, -1))
    if flipped:
        files.reverse()
        ranks.reverse()
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
    # Where colours tell the sides apart, the filled shapes are seen best.
    return chess.UNICODE_PIECE_SYMBOLS[piece.symbol().lower() if colours else piece.symbol()]


def can_show(console: Console, text: str) -> bool:
    """Whether the encoding of a console has these characters."""
    try:
        text.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True


def has_colours(console: Console) -> bool:
    """Whether a console has enough colours for a board on which all pieces are seen."""
    return console.color_system in ("256", "truecolor") and not console.no_color


class TerminalGame:
    """A person and an engine, in turns, until the person leaves.

    Args:
        game: with the side that the person plays.
        engine: the opponent, who also gives hints.
        limit: how long it thinks about a move.
        console: where to show everything.
        name: of the engine, as one would ask for it again.
        read: shows a prompt and returns a line; raises EOFError at the end of the input.
        letters: draw the board with letters.
        path: a file that does not exist, in which the game is saved at the end; the
            command pgn may name another.
    """

    def __init__(
        self,
        game: Game,
        engine: Plays,
        limit: chess.engine.Limit,
        console: Console,
        *,
        name: str,
        read: Callable[[str], str] = input,
        letters: bool = False,
        path: Path | None = None,
    ) -> None:
        self.game, self.engine, self.limit, self.name = game, engine, limit, name
        self._console, self._read, self._letters = console, read, letters
        self._flipped = game.person == chess.BLACK
        self._path = path
        self._own: set[Path] = set()  # files of this game, which may be written again
        self._saved = ""  # the game as it was saved
        self._chapter = load_chapter("s04_engine_interface")

    def run(self) -> None:
        """Play until the person quits.

        Raises:
            KeyboardInterrupt: the person has pressed Ctrl-C.
            chess.engine.EngineError, ValueError: the engine broke down.
        """
        self._say("Type moves such as e4 or e2e4, or help.")
        self._show()
        going = True
        while going:
            if self.game.engines_turn:
                move = self._ask_engine()
                self.game.answer(move)
                self._show()
                continue
            try:
                text = self._read(self._prompt())
            except EOFError:
                self._say("")
                return
            going = self._obey(text.strip())

    def close(self) -> None:
        """Say what becomes of the game, whatever has ended it."""
        if not self.game.plies or self._text() == self._saved:
            return
        if self._path is not None:  # the file that was named last
            self._save(self._path)
            return
        self._say(f"The game so far:\n\n{self._text()}\n")
        self._say("It is not saved; to save a game, type `pgn FILE` before you leave.")
        if not self.game.over:
            side = {True: "white", False: "black", None: "both"}[self.game.person]
            words = ["course", "play", "--engine", self.name, "--side", side]
            words += ["--fen", self.game.board.fen()]
            self._say(f"To go on from here: {shlex.join(words)}")

    # What a person can type.

    def do_undo(self, argument: str) -> None:
        """Take back a move."""
        if self.game.undo():
            self._show()
        else:
            self._say("There is no move of yours to take back.")

    def do_hint(self, argument: str) -> None:
        """Ask the engine."""
        if not self.game.persons_turn:
            self._say("The game is over; there is nothing to hint at.")
            return
        move = self._ask_engine()
        said = "would resign" if move is None else f"would play {self.game.board.san(move)}"
        self._say(f"{self.name} {said}.")

    def do_moves(self, argument: str) -> None:
        """List the moves."""
        self._say(" ".join(self._sans()) or "There are none.")

    def do_flip(self, argument: str) -> None:
        """Turn the board."""
        self._flipped = not self._flipped
        self._show()

    def do_fen(self, argument: str) -> None:
        """Show the position."""
        self._say(self.game.board.fen())

    def do_pgn(self, argument: str) -> None:
        """Show the game, or save it."""
        if argument:
            self._save(argument)
        else:
            self._say(self._text())

    def do_resign(self, argument: str) -> None:
        """Give up."""
        if self.game.over:
            self._say(self.game.status())
            return
        side = self.game.board.turn if self.game.person is None else self.game.person
        self.game.resigned = side
        self._say(self.game.status())

    def do_help(self, argument: str) -> None:
        """List the commands."""
        self._say("A move in algebraic notation (Nf3, exd5, O-O, e8=Q) or in UCI (g1f3), or:")
        for name, meaning in COMMANDS.items():
            self._say(f"  {name:8}{meaning}")

    def complete(self, text: str, state: int) -> str | None:
        """For the Tab key: the words that begin like a text, one for each state from 0."""
        words = [word for word in (*self._sans(), *COMMANDS) if word.startswith(text)]
        return words[state] if state < len(words) else None

    def _obey(self, text: str) -> bool:
        """Do what was typed; returns whether to go on."""
        word, _, argument = text.partition(" ")
        if word.lower() == "quit":
            return False
        if word.lower() in COMMANDS:
            getattr(self, f"do_{word.lower()}")(argument.strip())
        elif text:
            self._move(text)
        return True

    def _move(self, text: str) -> None:
        if self.game.over:
            self._say("The game is over. You can type undo, pgn FILE, or quit.")
            return
        try:
            # The chapter says why a move is not legal.
            self.game.play(self._chapter.read_move(self.game.board, text).uci())
        except ValueError as error:
            self._say(f"{error} (help lists what you can type)")
            return
        if not self.game.engines_turn:
            self._show()

    def _ask_engine(self) -> chess.Move | None:
        with self._console.status(f"{self.name} is thinking. Ctrl-C ends the game."):
            move: chess.Move | None = self._chapter.ask(self.engine, self.game.board, self.limit)
        return move

    def _show(self) -> None:
        board = draw_board(
            self.game.board,
            flipped=self._flipped,
            letters=self._letters,
            colours=has_colours(self._console),
        )
        self._console.print()
        self._console.print(board, no_wrap=True, overflow="ignore", crop=False)
        self._say(self.game.status())

    def _prompt(self) -> str:
        if self.game.over:
            return "undo, pgn FILE, or quit: "
        return f"{chess.COLOR_NAMES[self.game.board.turn].capitalize()}'s move: "

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _sans(self) -> list[str]:
        return [] if self.game.over else sorted(map(self.game.board.san, self._legal()))

    def _legal(self) -> list[chess.Move]:
        return list(self.game.board.legal_moves)

    def _text(self) -> str:
        white, black = (
            "Human" if self.game.person in (None, side) else self.name
            for side in (chess.WHITE, chess.BLACK)
        )
        return str(self.game.pgn(white, black, datetime.date.today()))

    def _save(self, name: str | Path) -> None:
        text = self._text()
        try:
            path = Path(name).expanduser()
            write_new(path, f"{text}\n\n", again=path in self._own)
        except (OSError, RuntimeError, ValueError) as error:  # ~nobody, characters of no name
            reason = getattr(error, "strerror", None) or error
            self._say(f"{name}: {reason}; the game is not saved, try another name.")
            return
        self._own.add(path)
        self._path, self._saved = path, text
        self._say(f"The game is saved in {path}.")


def write_new(path: Path, text: str, *, again: bool = False) -> None:
    """Write a file, whole or not at all.

    Args:
        path: the file.
        text: what goes into it.
        again: whether it may exist.

    Raises:
        FileExistsError: it exists.
        OSError: it cannot be written.
    """
    if again:
        with replacing(path) as file:
            file.write(text)
        return
    file = path.open("x", encoding="utf-8", newline="\n")
    try:
        with file:
            file.write(text)
    except BaseException:  # Windows removes no file that is open
        path.unlink()
        raise


@contextlib.contextmanager
def line_editing(complete: Callable[[str, int], str | None]) -> Iterator[None]:
    """Arrow keys, history and the Tab key for `input`, where the system has them.

    Args:
        complete: what the Tab key offers, as readline wants it.
    """
    try:
        import readline
    except ImportError:  # Windows has its own
        yield
        return
    if not sys.stdin.isatty():
        yield
        return
    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    libedit = "libedit" in (readline.__doc__ or "")  # on macOS, mostly
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)
