"""The session behind the page to play on, which runs in a worker of the browser.

Its state has more than that of the widget's session: how large the trees of the searches were, and
all that another worker needs to continue. A worker has one thread, so it cannot read messages
while the engine searches. If the reader does not want to wait, the page ends the worker and gives
the game to another one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import chess
import chess.engine

from converted_notebooks.s04_engine_interface import Engine, Iteration, finished
from utils.chapters import chapters
from utils.engines import ENGINES, check_player, make_player
from utils.play.findings import LONGEST_LINE, evaluation_of, line_of
from utils.play.game import SIDES, Game, piece_pictures
from utils.play.search_thread import Opponent, Search
from utils.play.session import RANDOM, Session, read_limit

REVIEW_NODES = 4000
"""How many nodes the reviewing engine searches for each position of a game."""
NEEDS_NUMPY = {"s19", "s27"}
"""Engines that need numpy, which the page does not load. (s23 plays without its network there.)"""


def first_look() -> dict[str, Any]:
    """What the page draws before Python has started: all choices and the first position."""
    session = PageSession(lambda _text: None)
    setup = session.choices() | {"engines": opponents(), "pieces": piece_pictures()}
    return {"setup": setup, "state": session.state()}


def openings() -> dict[str, str]:
    """The named openings of the course by the first two fields of a FEN: "C50 Italian Game"."""
    from converted_notebooks.s06_opening_book import lines

    return {" ".join(one.board().fen().split()[:2]): f"{one.eco} {one.name}" for one in lines()}


def opponents() -> list[list[str]]:
    """Keys and labels of the engines, from the first: "s10 alpha-beta · 517" with its Elo."""
    # Imported here, because a worker does not need it.
    from utils.matches.ladder_results import load_ladder

    try:
        elos = {row.name: f" · {row.elo:.0f}" for row in load_ladder().rows}
    except FileNotFoundError:
        elos = {}
    return [
        [one.number, f"{one.number} {one.engine}{elos.get(one.number, '')}"]
        for one in chapters()
        if one.number in ENGINES and one.number not in NEEDS_NUMPY
    ]


class PageSession(Session):
    """A session that answers with texts in JSON.

    Args:
        post: sends a text to the page: {"state": ...}; {"info": ...} during a search; {"review":
            ...} and {"look": ...} from a worker that analyses a game.
        engine: the first opponent; by default the weakest.
        options: as for `Session`.
    """

    def __init__(
        self, post: Callable[[str], object], engine: str = ENGINES[0], **options: Any
    ) -> None:
        self._post = post
        self._trees: dict[str, dict[str, Any]] = {}
        super().__init__(engine, **options, changed=self._publish, threads=False)

    def receive(self, text: str) -> None:
        """Carry out a command of the page, in JSON."""
        self.handle(json.loads(text))

    def warm_up(self) -> None:
        """Build the engine, so that its first move does not wait for that."""
        self._opponent.ready()

    def state(self) -> dict[str, Any]:
        """The state of any session and the trees: all that another worker needs to continue."""
        return super().state() | {"trees": list(self._trees.values())}

    def _publish(self) -> None:
        self._post(json.dumps({"state": self.state()}))

    def _do(self, command: Mapping[str, Any]) -> None:
        match command:
            case {"do": "take up", "state": dict(state)}:
                self._take_up(state, command.get("answer"), command.get("info"))
            case {"do": "review"}:
                self._review()
            case {"do": "look", "engine": str(name), "fen": str(fen), "limit": str(limit)}:
                self._look(name, fen, limit)
            case _:
                super()._do(command)

    def _take_up(self, state: Mapping[str, Any], answer: object, info: object) -> None:
        """Continue from a state, where another worker was ended or the page was left.

        Args:
            state: of the other session.
            answer: the best move of its search, in UCI notation; "" if it had none; None if the
                engine did not search.
            info: what the search had told of it.

        Raises:
            ValueError: the state cannot be read; then nothing changes.
        """
        try:
            positions, limit, engine = state["positions"], state["limit"], state["engine"]
            moves = [position["last"] for position in positions[1:]]
            game = Game.of(positions[0]["fen"], moves, SIDES[state["person"]])
            findings = {n: _stored(one) for n, one in enumerate(positions) if one["by"]}
            if state["ended"] is not None:
                game.finish(*map(str, state["ended"]))
            random_side = state["side"] == RANDOM
            trees = {tree["engine"]: tree for tree in state["trees"]}
            read_limit(limit)
            check_player(engine)
        except (LookupError, TypeError, AttributeError, ValueError, OSError):
            raise ValueError("the game that was kept cannot be read") from None
        self.game, self.limit, self._findings, self._trees = game, limit, findings, trees
        self._random_side = random_side
        if engine != self.engine:
            self._change_engine(engine)
        if isinstance(answer, str) and isinstance(info, dict):
            game.answer(chess.Move.from_uci(answer))
            moves = [chess.Move.from_uci(uci) for uci in info["line"]["moves"][1:]]
            line = line_of(game.board, moves)
            found = {"evaluation": info["evaluation"], "line": line, "by": self.engine}
            self._findings[game.plies] = found
            self._trees[self.engine] = info["tree"]
        elif answer is not None:
            self._message = f"{self._opponent.name} had no move yet. It stopped thinking."

    def _review(self) -> None:
        """Send the page a review of the game by the strongest engine."""
        # Imported here, because a worker that plays does not need these chapters.
        from utils.play.review import review

        engine = make_player([one for one in ENGINES if one not in NEEDS_NUMPY][-1], self.rng)
        for found in review(self.game, engine, chess.engine.Limit(nodes=REVIEW_NODES)):
            self._post(json.dumps({"review": found}))

    def _look(self, name: str, fen: str, limit: str) -> None:
        """Send the page what an engine finds in a position of the game."""
        board = self.game.board.copy()
        while board.move_stack and board.fen() != fen:
            board.pop()
        asked = {"engine": name, "fen": fen}
        if end := finished(board):
            self._post(json.dumps({"look": asked | {"done": True, "said": f"game over: {end[1]}"}}))
            return

        def found(search: Search, engine: Engine, iteration: Iteration) -> None:
            told = asked | {"done": False} | _info(name, board, search, engine, iteration)
            self._post(json.dumps({"look": told}))

        opponent = Opponent(name, self.rng)
        search = Search(opponent, board, read_limit(limit), lambda _search: None, found)
        search.run()
        said = f"plays {board.san(search.move)}" if search.move else "resigns"
        if search.error is not None:
            said = f"fails: {search.error}"
        self._post(json.dumps({"look": asked | {"done": True, "said": said}}))

    def _accept(self, move: chess.Move | None, search: Search) -> None:
        super()._accept(move, search)
        if move is not None:
            self._trees[self.engine] = _tree(self.engine, self.game.sans[-1], search)

    def _found(self, search: Search, engine: Engine, iteration: Iteration) -> None:
        """Send the page what the engine has found so far."""
        info = _info(self.engine, self.game.board, search, engine, iteration)
        self._post(json.dumps({"info": info}))


def _info(
    name: str, board: chess.Board, search: Search, engine: Engine, iteration: Iteration
) -> dict[str, Any]:
    """What an engine has found so far."""
    move = iteration.best.move
    return {
        "move": move.uci(),
        "line": line_of(board.copy(stack=False), iteration.line[:LONGEST_LINE]),
        "tree": _tree(name, board.san(move), search),
        "evaluation": evaluation_of(iteration.best.score, engine),
    }


def _tree(name: str, san: str, search: Search) -> dict[str, Any]:
    """A row of the table of trees: how large a search was, in plies, nodes and seconds."""
    iteration = search.iteration
    return {
        "engine": name,
        "move": san,
        "nodes": iteration and iteration.nodes,
        "depth": iteration and iteration.depth,
        "seconds": time.perf_counter() - search.began,
    }


def _stored(position: Mapping[str, Any]) -> dict[str, Any]:
    """The findings for a position after an engine's move, from a state."""
    scored = position["line"] is not None  # otherwise the evaluation is of an earlier ply
    return {key: position[key] for key in ("by", "line", "evaluation") if scored or key == "by"}
