"""A game of a person against an engine, behind any front end: commands come in, a state goes out.

A front end sends commands as dictionaries (`{"do": "move", "text": "e4", "ply": 0}`) to
`Session.handle`, and draws `Session.state()` whenever `changed` is called. Nothing here
knows how it is drawn: the widget for JupyterLab is one front end, `utils.play.page` is another.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from typing import Any

import chess
import chess.engine

from converted_notebooks.s04_engine_interface import Engine, Iteration
from utils.chapters import chapters
from utils.engines import check_player
from utils.external_programs import find_program
from utils.paths import IN_BROWSER
from utils.play.findings import LONGEST_LINE, evaluation_of, evaluation_of_result, line_of
from utils.play.game import SIDES, Game, read_pgn
from utils.play.search_thread import Opponent, Search

SECONDS = (0.1, 0.3, 1, 3, 10, 30)
"""Times for a move that a reader can choose."""
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10)
"""Depths in plies that a reader can choose."""
_OWN = "own"  # the key of an engine that was given as an object
RANDOM = "random"
"""The name of a side that is chosen at random for each game."""
# Commands after which the engine searches if it is its turn.
_RESUME = {"move", "undo", "new", "fen", "engine", "side", "go"}


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
        engine: a text for `make_player`, such as "s23" or "stockfish", or an `Engine`.
        limit: how long it searches, as `read_limit` reads it.
        person: the side that a person plays; None for both.
        fen: where to start; None for the usual position.
        rng: random number generator for engines that need one.
        changed: called after each change, one call at a time.
        threads: whether the engine searches in a thread of its own; in the browser it cannot.

    Raises:
        ValueError: no such engine, a bad limit or a bad FEN.
        FileNotFoundError: a program that is not installed.
    """

    def __init__(
        self,
        engine: str | Engine = "s23",
        *,
        limit: str = "1 s",
        person: chess.Color | None = chess.WHITE,
        fen: str | None = None,
        rng: random.Random | None = None,
        changed: Callable[[], None] = lambda: None,
        threads: bool = not IN_BROWSER,
    ) -> None:
        self.rng, self.changed, self.threads = rng or random.Random(), changed, threads
        self._lock = threading.RLock()
        self._own = None if isinstance(engine, str) else engine
        self.engine = engine if isinstance(engine, str) else _OWN
        self.limit = limit
        read_limit(limit)
        if person not in (True, False, None):
            raise ValueError(f"{person!r} is no side; expected chess.WHITE, chess.BLACK or None")
        self.game = Game(fen, None if person is None else bool(person))
        if isinstance(engine, str):
            check_player(engine)
        self._opponent = self._new_opponent()
        self.failure: BaseException | None = None
        self._flipped = self._closed = self._random_side = False
        self._message = self._note = ""
        # By the ply after an engine's move: the engine, and the evaluation and line that it
        # reported, if any.
        self._findings: dict[int, dict[str, Any]] = {}
        self._search: Search | None = None

    @property
    def thinking(self) -> bool:
        """Whether the engine is searching for a move."""
        return self._search is not None

    def begin(self) -> None:
        """Let the engine search if it is its turn. Call it when the front end is ready."""
        with self._lock:
            self._go()

    def close(self) -> None:
        """End the search; later commands have no effect."""
        with self._lock:
            self._closed = True
            self._abandon()
            self._opponent.close()

    def handle(self, command: Mapping[str, Any]) -> None:
        """Carry out a command of the front end; an error becomes a message in the state.

        Args:
            command: "do" names it, the rest are its arguments:
                move (text; ply: how many were played when it was made), undo, new, flip,
                stop, go, fen (text), pgn (text; file: its name, if it has one), engine (name),
                limit (text), side (name), resign, draw (offers it, or claims it), flag (side:
                who has no time left).
                Each may have "seconds": for the engine's next move, in place of the limit.
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
                self._go(command.get("seconds"))

    def state(self) -> dict[str, Any]:
        """All that a front end draws, ready for JSON.

        Each of its "positions" has the evaluation that was known at that ply, the line that the
        engine expected, and in "by" the engine that made the last move; so a front end can step
        through the game without asking. "beaten" is the engine that the person has beaten.
        """
        with self._lock:
            game = self.game
            view = game.view()
            evaluation = None
            for ply, position in enumerate(view["positions"]):
                found = self._findings.get(ply, {})
                evaluation = found.get("evaluation", evaluation)
                if ply == game.plies and game.over and evaluation:
                    evaluation = evaluation_of_result(game.result)
                position["evaluation"] = evaluation
                position |= {"line": found.get("line"), "by": found.get("by")}
            names = game.players(self._opponent.name, "You")
            return view | {
                "status": self._status(),
                "message": self._message,
                "thinking": self.thinking,
                "waiting": game.engines_turn and not self.thinking,
                "black": (game.person == chess.BLACK) != self._flipped,
                "engine": self.engine,
                "limit": self.limit,
                "side": RANDOM if self._random_side else game.side,
                "person": game.side,
                "names": names,
                "beaten": self._beaten(),
                "pgn": str(game.pgn(names)),
            }

    def choices(self) -> dict[str, list[list[str]]]:
        """Keys and labels of the engines and limits that a front end offers; they never change."""
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
        limits = [[f"{seconds} s", f"{seconds} s a move"] for seconds in SECONDS]
        limits += [[f"depth {n}", f"{n} {'ply' if n == 1 else 'plies'} deep"] for n in DEPTHS]
        if self.limit not in {key for key, _ in limits}:
            limits.insert(0, [self.limit, self.limit])
        return {"engines": engines, "limits": limits}

    def _do(self, command: Mapping[str, Any]) -> None:
        match command:
            case {"do": "move", "text": str(text), "ply": int(ply)}:
                # A click on an earlier position is ignored.
                if ply == self.game.plies:
                    self.game.play(text)
            case {"do": "undo"}:
                self._undo()
            case {"do": "new"}:
                self._restart(None)
            case {"do": "fen", "text": str(text)}:
                self._restart(text)
            case {"do": "pgn", "text": str(text)}:
                self._load(text, str(command.get("file") or ""))
            case {"do": "resign"}:
                self.game.resign()
                self._abandon()
            case {"do": "draw"}:
                self._draw()
            case {"do": "flag", "side": "white" | "black" as side}:
                self.game.overstep(side == "white")
                self._abandon()
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
            case {"do": "side", "name": str(name)} if name in (*SIDES, RANDOM):
                self._change_side(name)
            case _:
                raise ValueError(f"the command {dict(command)!r} is unknown")

    def _undo(self) -> None:
        if self.game.can_undo:
            self._abandon()
            self.game.undo()
            self._note = "Taken back. "
        plies = self.game.plies
        self._findings = {ply: found for ply, found in self._findings.items() if ply <= plies}

    def _restart(self, fen: str | None) -> None:
        person = self.rng.choice(chess.COLORS) if self._random_side else self.game.person
        self._begin(Game(fen, person), "New game. ")

    def _begin(self, game: Game, note: str) -> None:
        self._abandon()
        self.game, self._findings, self._note = game, {}, note
        self._opponent.new_game = True

    def _load(self, text: str, file: str) -> None:
        try:
            game = read_pgn(text)
        except ValueError as error:
            raise ValueError(f"in {file}: {error}" if file else str(error)) from None
        game.person = self.game.person
        self._begin(game, "Game loaded. ")

    def _change_side(self, name: str) -> None:
        self._random_side = name == RANDOM
        if name != RANDOM:
            self._abandon()
            self.game.person, self._flipped = SIDES[name], False
        elif self.game.plies:
            self._note = "Your side is chosen at random in the next new game. "
        else:
            self._restart(self.game.board.fen())

    def _draw(self) -> None:
        """Claim a draw, or offer one. An engine accepts if its score shows no advantage for it."""
        game = self.game
        if not game.persons_turn:
            raise ValueError("a draw is offered when it is your move")
        # Without a score, the engine declines.
        unknown = {"share": 0.0 if game.board.turn else 1.0}
        share = self._findings.get(game.plies, {}).get("evaluation", unknown)["share"]
        if game.claim:
            game.agree(game.claim)
        elif game.person is None or (share >= 0.5 if game.board.turn else share <= 0.5):
            game.agree()
        else:
            self._note = f"{self._opponent.name} declines the draw. "

    def _beaten(self) -> str:
        """The engine, if the person has beaten it in a game that it played from the first move."""
        game = self.game
        won = {"1-0": "white", "0-1": "black"}.get(game.result) == game.side
        first = 1 if game.person == chess.BLACK else 2  # the ply after its first move
        moves = range(first, game.plies + 1, 2)
        by = {self._findings.get(ply, {}).get("by") for ply in moves}
        whole = game.board.root().fen() == chess.STARTING_FEN
        return self.engine if won and whole and by == {self.engine} else ""

    def _change_engine(self, name: str) -> None:
        if name != _OWN:
            check_player(name)
        elif self._own is None:
            raise ValueError(f"the engine {name!r} is unknown")
        self._abandon()
        self._opponent.close()
        self.engine = name
        self._opponent = self._new_opponent()
        self._opponent.new_game = True  # a reader's own engine may have played an earlier game

    def _new_opponent(self) -> Opponent:
        own = self._own if self.engine == _OWN else None
        return Opponent(own or self.engine, self.rng)

    def _go(self, seconds: object = None) -> None:
        """Let the engine search, if it is its turn and it does not search yet."""
        if self._closed or self.thinking or not self.game.engines_turn:
            return
        limit = read_limit(self.limit)
        if isinstance(seconds, int | float) and seconds > 0:
            limit = chess.engine.Limit(time=min(seconds, threading.TIMEOUT_MAX))
        self._search = Search(
            self._opponent, self.game.board, limit, self._search_changed, self._found
        )
        self.changed()
        if self.threads:
            self._search.start()
        else:
            self._search.run()

    def _stop(self) -> None:
        """Ask the engine to move now; the second time, end its search and play its latest move.

        The second is for engines of readers that do not check for a stop.
        """
        search = self._search
        if search is not None and not search.stopping:
            search.stop()
        elif search is not None:
            self._abandon()
            if search.iteration is None:
                self._message = f"{self._opponent.name} had no move yet. It stopped thinking."
            else:
                self._accept(search.iteration.best.move, search)

    def _found(self, search: Search, engine: Engine, iteration: Iteration) -> None:
        """Hook for subclasses, called in the search thread after each iteration."""

    def _search_changed(self, search: Search) -> None:
        """Take over the result of a search. Called in its thread."""
        with self._lock:
            if search is not self._search:  # it was abandoned
                return
            if search.finished:
                self._search = None
                try:
                    if search.error is not None:
                        raise search.error
                    self._accept(search.move, search)
                except BaseException as failure:
                    self.failure = failure
                    what = f"{type(failure).__name__}: {failure}".rstrip(": ")
                    self._message = f"{self._opponent.name} failed. {_sentence(what)}"
            self.changed()

    def _accept(self, move: chess.Move | None, search: Search) -> None:
        """Play the move of a search, and keep its evaluation and line."""
        self.game.answer(move)
        self._note = ""
        if move is None:
            return
        found: dict[str, Any] = {"by": self.engine}
        engine, iteration = search.opponent.engine, search.iteration
        if engine is not None and iteration is not None:
            line = iteration.line[1:LONGEST_LINE] if iteration.best.move == move else ()
            found["evaluation"] = evaluation_of(iteration.best.score, engine)
            found["line"] = line_of(self.game.board, line)
        self._findings[self.game.plies] = found

    def _abandon(self) -> None:
        """End the search and ignore its result.

        An engine that was built from a text is replaced, because its search may go on. A reader's
        own engine is kept, and its next search waits until this one has ended.
        """
        if self._search is not None:
            self._search.abandon()
            self._search, self._opponent = None, self._new_opponent()

    def _status(self) -> str:
        status, search = self._note + self.game.status(), self._search
        if search is None:
            return status
        doing = "was asked to move now" if search.stopping else "is thinking"
        if search.waiting:
            doing = "has not ended its last search yet"
        return f"{status} {self._opponent.name} {doing}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
