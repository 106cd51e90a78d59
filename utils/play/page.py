"""The session behind the page to play on, which runs in a worker of the browser.

It is the session of the widget, and tells more: what the engine expects, how large its
tree was, and all that another worker needs to go on. A worker has one thread: while the
engine thinks, nothing else can be asked of it. So the page ends the worker when the reader
does not want to wait, and hands the game to another one.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import chess
import chess.engine

from utils.chapters import chapters
from utils.engines import ENGINES, check_player
from utils.jupyter_loader import load_chapter
from utils.play.game import Game, piece_pictures
from utils.play.search_thread import Player
from utils.play.session import (
    SIDES,
    Evaluation,
    Session,
    evaluation_of,
    read_limit,
    value_of_mate,
)

LONGEST_LINE = 6
"""Plies of the expected line that are told."""
ABSENT = {"s19"}
"""Engines that need numpy, which the page does not load."""


def first_look() -> dict[str, Any]:
    """What the page draws before any Python runs: all choices and the first position."""
    session = PageSession(lambda _text: None)
    setup = session.choices() | {"engines": opponents(), "pieces": piece_pictures()}
    return {"setup": setup, "state": session.state()}


def opponents() -> list[list[str]]:
    """Keys and labels of the engines, from the first: "s10 alpha-beta · 517" with its Elo."""
    # A worker needs none of what this imports.
    from utils.matches.ladder_results import load_ladder

    try:
        elos = {row.name: f" · {row.elo:.0f}" for row in load_ladder().rows}
    except FileNotFoundError:
        elos = {}
    return [
        [one.number, f"{one.number} {one.engine}{elos.get(one.number, '')}"]
        for one in chapters()
        if one.number in ENGINES and one.number not in ABSENT
    ]


class PageSession(Session):
    """A session that answers with texts in JSON.

    Args:
        post: takes a text to the page: {"state": ...}, or {"thought": ...} while it thinks.
        engine: the first opponent; by default the weakest.
        options: as for `Session`.
    """

    def __init__(
        self, post: Callable[[str], object], engine: str = ENGINES[0], **options: Any
    ) -> None:
        self._post = post
        self._lines: dict[int, dict[str, Any]] = {}
        self._trees: dict[str, dict[str, Any]] = {}
        self._began = 0.0
        super().__init__(engine, **options, changed=self._publish, threads=False)

    def receive(self, text: str) -> None:
        """Do what the page asks for: a command in JSON."""
        self.handle(json.loads(text))

    def warm_up(self) -> None:
        """Build the engine, so that its first move does not wait for that."""
        self._player.ready()

    def state(self) -> dict[str, Any]:
        """As for any session, with the expected lines, the trees, and what to go on with."""
        state = super().state()
        for ply, position in enumerate(state["positions"]):
            position["line"] = self._lines.get(ply)
        return state | {"trees": list(self._trees.values()), "kept": self._keep()}

    def _publish(self) -> None:
        self._post(json.dumps({"state": self.state()}))

    def _keep(self) -> dict[str, Any]:
        """All of the game, for `_take_up` in another worker."""
        game = self.game
        return {
            "fen": game.board.root().fen(),
            "moves": [move.uci() for move in game.board.move_stack],
            "resigned": game.resigned,
            "side": next(name for name, color in SIDES.items() if color == game.person),
            "engine": self.engine,
            "limit": self.limit,
            "evaluations": list(self._evaluations.items()),
            "lines": list(self._lines.items()),
            "trees": self._trees,
        }

    def _do(self, command: Mapping[str, Any]) -> None:
        match command:
            case {"do": "take up", "kept": dict(kept)}:
                self._take_up(kept, command.get("answer"), command.get("thought"))
            case _:
                super()._do(command)

    def _take_up(self, kept: Mapping[str, Any], answer: object, thought: object) -> None:
        """Go on where another worker was ended, or where the page was left.

        Args:
            kept: what that worker has told last. A browser may have stored it long ago, so
                that all of it is checked before anything changes.
            answer: the engine's best move until then, which is played; None for none.
            thought: what was told with it.

        Raises:
            ValueError: the game cannot be read.
        """
        try:
            told = {int(ply): _read_moves(line["moves"]) for ply, line in kept["lines"]}
            lines = {}
            game = Game(kept["fen"], None)
            for uci in [None, *kept["moves"]]:
                if uci is not None:
                    game.play(uci)
                if game.plies in told:
                    lines[game.plies] = _told_line(game.board, told[game.plies])
            game.resigned = None if kept["resigned"] is None else bool(kept["resigned"])
            game.person = SIDES[kept["side"]]
            evaluations = {
                int(ply): Evaluation(_number(share), str(text))
                for ply, (share, text) in kept["evaluations"]
            }
            trees = {str(name): _read_tree(tree) for name, tree in kept["trees"].items()}
            limit, engine = kept["limit"], kept["engine"]
            read_limit(limit)
            check_player(engine)
        except (LookupError, TypeError, AttributeError, ArithmeticError, ValueError, OSError):
            raise ValueError("the game that was kept cannot be read") from None
        self.game, self.limit = game, limit
        self._evaluations, self._lines, self._trees = evaluations, lines, trees
        if engine != self.engine:
            self._change_engine(engine)
        if isinstance(answer, str) and isinstance(thought, dict):
            game.answer(chess.Move.from_uci(answer))
            self._evaluations[game.plies] = Evaluation(thought["share"], thought["text"])
            self._lines[game.plies] = _told_line(
                game.board, _read_moves(thought["line"]["moves"][1:])
            )
            self._trees[self.engine] = thought["tree"]
        elif answer is not None:
            self._message = f"{self._player.name} had no move yet. It stopped thinking."

    def _go(self) -> None:
        self._began = time.perf_counter()
        super()._go()

    def _restart(self, fen: str | None) -> None:
        super()._restart(fen)
        self._lines = {}

    def _undo(self) -> None:
        super()._undo()
        plies = self.game.plies
        self._lines = {ply: line for ply, line in self._lines.items() if ply <= plies}

    def _accept(self, move: chess.Move | None, iteration: Any) -> None:
        board, engine = self.game.board.copy(stack=False), self._player.engine
        super()._accept(move, iteration)
        if move is not None:
            san = board.san(move)
            nodes = nodes_of(engine)
            self._trees[self.engine] = self._tree(san, nodes, iteration)
            line = expected_line(engine, board, move)[1:]
            self._lines[self.game.plies] = _told_line(self.game.board, line)

    def _new_player(self) -> Player:
        player = super()._new_player()
        return _TellingPlayer(str(player.given), self.rng, self._tell)

    def _tell(self, engine: Any, iteration: Any) -> None:
        """Say what the engine found so far."""
        board = self.game.board.copy(stack=False)
        move = iteration.best.move
        share, text = evaluation_of(iteration.best.score, value_of_mate(engine))
        thought = {
            "move": move.uci(),
            "line": _told_line(board, expected_line(engine, board, move)),
            "share": share,
            "text": text,
            "tree": self._tree(board.san(move), iteration.nodes, iteration),
        }
        self._post(json.dumps({"thought": thought}))

    def _tree(self, san: str, nodes: int | None, iteration: Any) -> dict[str, Any]:
        return {
            "engine": self.engine,
            "move": san,
            "nodes": nodes,
            "depth": None if iteration is None else iteration.depth,
            "seconds": time.perf_counter() - self._began,
        }


class _TellingPlayer(Player):
    """A player whose engine says what each iteration found."""

    def __init__(self, given: str, rng: random.Random, tell: Callable[[Any, Any], None]) -> None:
        super().__init__(given, rng)
        self._tell = tell
        self._heard: set[int] = set()

    def ready(self) -> Any:
        """The engine, ready to think and to tell."""
        engine = super().ready()
        for part in parts_of(engine):
            for name in ("_report", "_note"):  # of the engines from s11, and of s20's search
                method = getattr(part, name, None)
                if method is not None and id(part) not in self._heard:
                    self._heard.add(id(part))
                    setattr(part, name, self._told(engine, part, method))
        return engine

    def _told(self, engine: Any, part: Any, method: Callable[..., None]) -> Callable[..., None]:
        def note(*arguments: Any) -> None:
            method(*arguments)
            self._tell(engine, part.iterations[-1])

        return note


def parts_of(engine: Any) -> Iterator[Any]:
    """The engine and what it is put together from: engines it asks, and their searches."""
    while engine is not None:
        yield engine
        searcher = getattr(engine, "searcher", None)
        if searcher is not None:
            yield searcher
        engine = getattr(engine, "fallback", None)


def nodes_of(engine: Any) -> int | None:
    """How many positions an engine's last search visited; None if it does not count."""
    for part in parts_of(engine):
        nodes = getattr(part, "nodes", None)
        if nodes is None:
            nodes = getattr(getattr(part, "statistics", None), "visited", None)
        if nodes is not None:
            return int(nodes)
    return None


def expected_line(engine: Any, board: chess.Board, move: chess.Move) -> list[chess.Move]:
    """The moves that an engine expects, as far as it remembers them.

    Args:
        engine: those with a transposition table remember moves, from s15 on.
        board: the position before the move; it is left as it is.
        move: the first of the line.
    """
    board = board.copy(stack=False)
    line = [move]
    board.push(move)
    while len(line) < LONGEST_LINE:
        found = _remembered(engine, board)
        if found is None or found not in board.legal_moves:
            break
        line.append(found)
        board.push(found)
    return line


def _told_line(board: chess.Board, line: list[chess.Move]) -> dict[str, Any]:
    """A line of legal moves for arrows and for people who read."""
    text = board.variation_san(line) if line else ""
    return {"moves": [move.uci() for move in line], "text": text}


def _read_moves(ucis: Iterable[str]) -> list[chess.Move]:
    return [chess.Move.from_uci(uci) for uci in ucis]


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r}: expected a number")
    return value


def _read_tree(tree: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table of trees, with the types that it must have."""
    numbers = {
        key: None if tree[key] is None else int(_number(tree[key])) for key in ("nodes", "depth")
    }
    words = {key: str(tree[key]) for key in ("engine", "move")}
    return words | numbers | {"seconds": _number(tree["seconds"])}


def _remembered(engine: Any, board: chess.Board) -> chess.Move | None:
    """The best move that an engine's table knows for a position."""
    for part in parts_of(engine):
        if hasattr(part, "memory"):
            s20 = load_chapter("s20_tournament_engine")
            result = part.memory.get(s20.FastBoard(board).key())
            return s20.move_of(result.move) if result and result.move else None
        if hasattr(part, "table") and hasattr(part, "keys"):
            entry = part.table.get(part.keys.hasher(board))
            return entry.move if entry else None
    return None
