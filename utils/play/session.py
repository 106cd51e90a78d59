"""A person at a board against an engine: commands come in, a state goes out.

A front end sends commands as dictionaries (`{"do": "move", "text": "e4"}`) to
`Session.handle`, and draws `Session.state()` whenever `changed` is called. Nothing here
knows how it is drawn: the widget for JupyterLab is one front end, a web page can be another.
"""

from __future__ import annotations

import datetime
import random
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import chess
import chess.engine

from utils.chapters import chapters
from utils.engines import check_player
from utils.external_programs import find_program
from utils.play.game import Game
from utils.play.search_thread import Player, Plays, Thought

SECONDS = (0.1, 0.3, 1, 3, 10, 30)
"""Times for a move that a reader can choose."""
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10)
"""Depths in plies that a reader can choose."""
SIDES: dict[str, chess.Color | None] = {"white": chess.WHITE, "black": chess.BLACK, "both": None}
"""Which side a person plays."""
_PAWN_UNITS = 100  # evaluators that count in pawns say that mate is worth this
_OWN = "own"  # the key of an engine that is no text
# After these, an engine thinks if it is its turn; the others leave a stopped one alone.
_RESUME = {"move", "undo", "new", "fen", "engine", "side", "go"}


class Evaluation(NamedTuple):
    """A score from White's view, ready to be drawn.

    Attributes:
        share: White's part of the bar, from 0 to 1.
        text: pawns, such as "+0.5"; "#" for a mate.
    """

    share: float
    text: str


def evaluation_of(score: float, mate: float) -> Evaluation:
    """What the bar shows for a score.

    Args:
        score: from White's view: pawns if mate is worth 100, centipawns otherwise.
        mate: what mate is worth, or a little less.
    """
    if abs(score) >= mate:
        return Evaluation(float(score > 0), "#")
    pawns = score if mate == _PAWN_UNITS else score / 100
    return Evaluation(1 / (1 + 10 ** (-pawns / 4)), f"{pawns:+.1f}")


def read_limit(text: str) -> chess.engine.Limit:
    """A limit from a text such as "1 s" or "depth 3".

    Raises:
        ValueError: it is neither.
    """
    first, _, second = text.partition(" ")
    try:
        if first == "depth" and int(second) > 0:
            return chess.engine.Limit(depth=int(second))
        if second == "s" and 0 < float(first) <= threading.TIMEOUT_MAX:
            return chess.engine.Limit(time=float(first))
    except ValueError:
        pass
    raise ValueError(f"limit {text!r}: expected one like '1 s' or 'depth 3'")


class Session:
    """A game with an engine at the other side of the board.

    All methods may be called from any thread.

    Args:
        engine: a text for `make_player`, such as "s20" or "stockfish", or an `Engine`.
        limit: how long it thinks, as `read_limit` reads it.
        person: the side that a person plays; None for both.
        fen: where to start; None for the usual position.
        rng: the source of chance for engines that draw lots.
        changed: is called after each change, one call at a time.
        threads: whether the engine thinks in a thread; in the browser it cannot.

    Raises:
        ValueError: no such engine, a bad limit or a bad FEN.
        FileNotFoundError: a program that is not installed.
    """

    def __init__(
        self,
        engine: str | Plays = "s20",
        *,
        limit: str = "1 s",
        person: chess.Color | None = chess.WHITE,
        fen: str | None = None,
        rng: random.Random | None = None,
        changed: Callable[[], None] = lambda: None,
        threads: bool = sys.platform != "emscripten",
    ) -> None:
        self.rng, self.changed, self.threads = rng or random.Random(), changed, threads
        self._lock = threading.RLock()
        self._own = None if isinstance(engine, str) else engine
        self.engine = engine if isinstance(engine, str) else _OWN
        self._player = self._new_player()
        self.limit = limit
        read_limit(limit)
        self.game = Game(fen, None if person is None else bool(person))
        self.failure: BaseException | None = None
        self._flipped = False
        self._message = ""
        self._note = ""
        self._evaluations: dict[int, Evaluation] = {}
        self._thought: Thought | None = None
        self._closed = False

    @property
    def thinking(self) -> bool:
        """Whether the engine is searching for a move."""
        return self._thought is not None

    def begin(self) -> None:
        """Let the engine think if it is its turn. Call it when the front end is ready."""
        with self._lock:
            self._go()

    def close(self) -> None:
        """End the search; nothing happens any more."""
        with self._lock:
            self._closed = True
            self._abandon()
            self._player.close()

    def handle(self, command: Mapping[str, Any]) -> None:
        """Do what the front end asks for. What is wrong with it becomes a message.

        Args:
            command: "do" names it, the rest are its arguments:
                move (text; ply: how many were played when it was made), undo, new, flip,
                stop, go, fen (text), engine (name), limit (text), side (name).
        """
        with self._lock:
            if self._closed:
                return
            self._message, self._note = "", ""
            try:
                self._do(command)
            except (ValueError, OSError) as error:
                self._message = _sentence(str(error))
            self.changed()
            if not self._message and command.get("do") in _RESUME:
                self._go()

    def state(self) -> dict[str, Any]:
        """All that a front end draws, ready for JSON.

        Its "positions" hold the evaluation that was known at each ply, so that a front end
        can step through the game without asking.
        """
        with self._lock:
            game = self.game
            view = game.view()
            evaluation = None
            for ply, position in enumerate(view["positions"]):
                evaluation = self._evaluations.get(ply, evaluation)
                if ply == game.plies and game.over and evaluation:
                    share = {"1-0": 1.0, "0-1": 0.0}.get(game.result, 0.5)
                    evaluation = Evaluation(share, game.result.replace("1/2", "½"))
                position["evaluation"] = evaluation and evaluation._asdict()
            white, black = self._names()
            names = {"White": white, "Black": black}
            pgn = game.pgn(white, black, datetime.date.today())
            return view | {
                "status": self._status(),
                "message": self._message,
                "thinking": self.thinking,
                "waiting": game.engines_turn and not self.thinking,
                "black": (game.person == chess.BLACK) != self._flipped,
                "engine": self.engine,
                "limit": self.limit,
                "side": next(name for name, side in SIDES.items() if side is game.person),
                "names": names,
                "pgn": str(pgn),
            }

    def choices(self) -> dict[str, list[list[str]]]:
        """What a front end offers: keys and labels of engines and limits. It never changes."""
        engines = [
            [one.number, f"{one.number} {one.engine or one.title}"]
            for one in chapters()
            if one.has_engine
        ]
        if find_program("stockfish"):
            engines.append(["stockfish", "Stockfish"])
        if self._own is not None:
            engines.insert(0, [_OWN, self._own.name])
        elif self.engine not in {key for key, _ in engines}:
            engines.insert(0, [self.engine, self.engine])
        limits = [[f"{seconds} s", f"{seconds} s for a move"] for seconds in SECONDS]
        limits += [
            [f"depth {depth}", f"{depth} {'ply' if depth == 1 else 'plies'} deep"]
            for depth in DEPTHS
        ]
        if self.limit not in {key for key, _ in limits}:
            limits.insert(0, [self.limit, self.limit])
        return {"engines": engines, "limits": limits}

    def _do(self, command: Mapping[str, Any]) -> None:
        match command:
            case {"do": "move", "text": str(text), "ply": int(ply)}:
                # What was clicked before the position changed must not be played after.
                if ply == self.game.plies:
                    self.game.play(text)
            case {"do": "undo"}:
                self._undo()
            case {"do": "new"}:
                self._restart(None)
            case {"do": "fen", "text": str(text)}:
                self._restart(text)
            case {"do": "flip"}:
                self._flipped = not self._flipped
            case {"do": "stop"}:
                self._stop()
            case {"do": "go"}:
                pass  # in `_RESUME`
            case {"do": "engine", "name": str(name)}:
                self._change_engine(name)
            case {"do": "limit", "text": str(text)}:
                read_limit(text)
                self.limit = text
            case {"do": "side", "name": str(name)} if name in SIDES:
                self._abandon()
                self.game.person, self._flipped = SIDES[name], False
            case _:
                raise ValueError(f"the command {dict(command)!r} is unknown")

    def _undo(self) -> None:
        count = self.game.takes_back()
        if count:
            self._abandon()
            self.game.undo()
            self._note = "Taken back. "
        plies = self.game.plies
        self._evaluations = {n: e for n, e in self._evaluations.items() if n <= plies}

    def _restart(self, fen: str | None) -> None:
        game = Game(fen, self.game.person)
        self._abandon()
        self.game, self._evaluations = game, {}
        self._player.fresh = True
        self._note = "New game. "

    def _change_engine(self, name: str) -> None:
        if name != _OWN:
            check_player(name)
        elif self._own is None:
            raise ValueError(f"the engine {name!r} is unknown")
        self._abandon()
        self._player.close()
        self.engine = name
        self._player = self._new_player()

    def _new_player(self) -> Player:
        if self.engine == _OWN and self._own is not None:
            return Player(self._own, self.rng)
        check_player(self.engine)
        return Player(self.engine, self.rng)

    def _go(self) -> None:
        """Let the engine think, if it is its turn and it does not think yet."""
        if self._closed or self.thinking or not self.game.engines_turn:
            return
        limit = read_limit(self.limit)
        self._thought = Thought(self._player, self.game.board, limit, self._finish)
        self.changed()
        if self.threads:
            self._thought.start()
        else:
            self._thought.run()

    def _stop(self) -> None:
        """Make the engine move at once, or else stop thinking."""
        thought = self._thought
        if thought is None or thought.hurry():
            return
        iteration = thought.iteration
        move = iteration.best.move if iteration else None
        self._abandon()
        if move is not None and move in self.game.board.legal_moves:
            self._accept(move, iteration)
        else:
            self._message = f"{self._player.name} had no move yet. It stopped thinking."

    def _finish(self, thought: Thought) -> None:
        """Take a thought's answer; it comes from another thread."""
        with self._lock:
            if thought is not self._thought:
                return
            self._thought = None
            result, error = thought.result, thought.error
            try:
                if error is not None:
                    raise error
                if result is None or (result.move is None and not result.resigned):
                    raise ValueError("the engine gave no move, and did not resign")
                self._accept(None if result.resigned else result.move, thought.iteration)
            except BaseException as failure:
                self.failure = failure
                what = f"{type(failure).__name__}: {failure}".rstrip(": ")
                self._message = f"{self._player.name} failed. {_sentence(what)}"
            self.changed()

    def _accept(self, move: chess.Move | None, iteration: Any) -> None:
        self.game.answer(move)
        self._note = ""
        if iteration is not None:
            mate = value_of_mate(self._player.engine)
            self._evaluations[self.game.plies] = evaluation_of(iteration.best.score, mate)

    def _abandon(self) -> None:
        if self._thought is not None:
            self._thought.abandon()
            self._thought = None

    def _status(self) -> str:
        status = self._note + self.game.status()
        return f"{status} {self._player.name} is thinking." if self.thinking else status

    def _names(self) -> tuple[str, str]:
        sides = [
            "You" if self.game.person in (None, side) else self._player.name
            for side in (chess.WHITE, chess.BLACK)
        ]
        return sides[0], sides[1]


def value_of_mate(engine: object) -> float:
    """What scores an engine gives to mates; all others are below."""
    for part in (engine, getattr(engine, "fallback", None)):
        value = getattr(getattr(part, "evaluator", None), "value_checkmate", None)
        if isinstance(value, int | float):
            return value if value == _PAWN_UNITS else value * 0.9
    return 29_000  # `LONG_MATE` of s20


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
