"""A board in JupyterLab to play on: `play("s23")`.

The rules and the game are in `utils.play.game`, the engine's searches in
`utils.play.session`; here is the connection to the browser. `board.js` draws a board and uses no
widgets; `arrows.js` draws over it, `moves.js` draws the list of moves, `players.js` who plays;
`files.js` loads and saves positions and games; `widget.js` puts the panel together. A widget is
one module of JavaScript, so these files are joined when this is imported.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import chess
import chess.engine
import traitlets

from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine
from utils.figures.live import join_scripts
from utils.play.game import piece_pictures
from utils.play.session import Session

_HERE = Path(__file__).parent
# Each after those that it imports from.
_SCRIPTS = ("board", "controls", "arrows", "files", "moves", "players", "widget")


class BoardWidget(anywidget.AnyWidget):
    """A board with an engine behind it. `play` makes one.

    The browser sends commands as messages, and draws the trait `state`, which Python alone
    changes. Messages come in the main thread or in that of a subshell, depending on the kernel, and
    the engine's answer in another one; the lock of the session serialises them.

    Args:
        session: the game and the engine.

    Attributes:
        session: as above; `session.failure` is the engine's last exception.
    """

    _esm = join_scripts(*(f"play/{name}.js" for name in _SCRIPTS))
    _css = "".join(
        _HERE.joinpath(name).read_text(encoding="utf-8") for name in ("board.css", "widget.css")
    )
    state = traitlets.Dict().tag(sync=True)
    setup = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session, **options: Any) -> None:
        setup = session.choices() | {"pieces": piece_pictures()}
        super().__init__(state=session.state(), setup=setup, **options)
        self.session = session
        self.on_msg(self._receive)
        session.changed = self._publish
        session.begin()

    @property
    def board(self) -> chess.Board:
        """A copy of the present position, with all moves."""
        return self.session.game.board.copy()

    def close(self) -> None:
        """End the engine's search and remove the widget."""
        # Called, too, for a widget whose `__init__` has failed.
        session = getattr(self, "session", None)
        if session is not None:
            session.close()
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if bundle is not None:
            # Shown where no kernel runs, such as in the book.
            from utils.figures import board_picture

            black = bool(self.state["black"])
            bundle[0]["text/html"] = board_picture(self.board, orientation=not black).content
        return bundle

    def _receive(self, _widget: object, content: object, _buffers: object) -> None:
        if isinstance(content, dict):
            self.session.handle(content)

    def _publish(self) -> None:
        self.state = self.session.state()


class FunctionEngine(FirstMoveEngine):
    """Plays the moves that a function chooses; its name is that of the function."""

    def __init__(self, choose: Callable[[chess.Board], chess.Move]) -> None:
        self.choose = choose

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.choose, "__name__", type(self.choose).__name__)

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        """The function's move; the limit does not matter."""
        return chess.engine.PlayResult(self.choose(board), None)


def play(
    engine: str | Engine | Callable[[chess.Board], chess.Move] = "s23",
    seconds: float = 1.0,
    color: chess.Color | None = chess.WHITE,
    fen: str | None = None,
    *,
    depth: int | None = None,
    seed: int | None = None,
) -> BoardWidget:
    """A board to play on, as the last value of a cell.

    Args:
        engine: a chapter such as "s23", a program as in `make_player`, an `Engine`, or a
            function that chooses a move.
        seconds: how long the engine searches for a move; engines up to s10 ignore it.
        color: the side of the person; None for both.
        fen: where to start; None for the usual position.
        depth: plies to look ahead, in place of a time.
        seed: makes the random choices of engines repeatable.

    Raises:
        ValueError: no such engine, a time or depth that is not positive, or a bad FEN.
        FileNotFoundError: a program that is not installed.
    """
    limit = f"{seconds:g} s" if depth is None else f"depth {depth}"
    rng = random.Random(seed)
    own: Any = engine
    # Not isinstance: in the notebook of s04, `Engine` is another class than the imported one.
    is_engine = isinstance(own, str) or hasattr(own, "analyse")
    if isinstance(own, type) or not (is_engine or callable(own)):
        raise ValueError(f"engine {own!r}: expected a chapter, an Engine, or a function")
    own = own if is_engine else FunctionEngine(own)
    return BoardWidget(Session(own, limit=limit, person=color, fen=fen, rng=rng))
