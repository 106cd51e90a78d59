"""Programs that speak UCI, such as Stockfish, as engines of the course."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping

import chess
import chess.engine

from converted_notebooks.s04_engine_interface import Engine, ScoredMove
from converted_notebooks.s19_endgame_tables import MATE_SCORE

DEFAULT_LIMIT = chess.engine.Limit(time=0.1)
READY_TIMEOUT = 60.0
"""Seconds in which a program must start and be ready to play; some have to be compiled."""
ANSWER_TIMEOUT = 10.0
"""Seconds that any other answer may take beyond the time for a move."""


class UciEngine(Engine, contextlib.AbstractContextManager["UciEngine"]):
    """A program that speaks UCI. Close it at the end, or use `with`.

    Scores are in centipawns from White's view; a mate in n moves counts as `MATE_SCORE` - n.
    Without a limit the program searches for a tenth of a second.

    Args:
        command: the program's path, or the path and its arguments.
        options: UCI options to set, such as `{"UCI_Elo": 1500}`.

    Raises:
        FileNotFoundError: there is no such program.
        chess.engine.EngineError: it crashes, or has no such option.
        TimeoutError: it does not answer.
    """

    mate_score, pawn_value = MATE_SCORE - 1000, 100

    def __init__(
        self,
        command: str | list[str],
        options: Mapping[str, str | int | bool] | None = None,
    ) -> None:
        self._program = chess.engine.SimpleEngine.popen_uci(command, timeout=READY_TIMEOUT)
        self._program.timeout = ANSWER_TIMEOUT
        self._game = object()  # python-chess sends ucinewgame when this object changes
        try:
            self._program.configure(dict(options or {}))
            self._wait()  # before a clock runs
        except BaseException:  # nobody else could end the program now
            self._program.close()
            raise

    @property
    def name(self) -> str:
        """The name that the program gives itself."""
        return self._program.id.get("name", "UCI engine")

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        """The program's move."""
        return self._program.play(board, limit or DEFAULT_LIMIT, game=self._game)

    def analyse(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> list[ScoredMove]:
        """All legal moves with the program's scores, the best for the side to move first."""
        count = board.legal_moves.count()
        if not count:
            return []
        lines = self._program.analyse(board, limit or DEFAULT_LIMIT, multipv=count, game=self._game)
        scored = []
        for line in lines:
            score = line["score"].white().score(mate_score=MATE_SCORE)
            scored.append(ScoredMove(score, line["pv"][0]))
        return sorted(scored, reverse=board.turn == chess.WHITE)

    def new_game(self, rng: random.Random | None = None) -> None:
        """Announce a new game to the program, before its next search; `rng` is not used."""
        self._game = object()

    def prepare(self) -> None:
        """Send `ucinewgame` if a new game has begun, and wait until the program is ready.

        Raises:
            chess.engine.EngineError: it crashes.
            TimeoutError: it does not answer.
        """
        protocol = self._program.protocol
        if isinstance(protocol, chess.engine.UciProtocol) and protocol.game is not self._game:
            protocol.game, protocol.first_game = self._game, False
            self._send("ucinewgame")
            self._wait()

    def stop(self) -> None:
        """Ask the program to end its search; from any thread."""
        self._send("stop")

    def _send(self, line: str) -> None:
        """Send a line to the program, unless it has ended."""
        protocol = self._program.protocol
        with contextlib.suppress(RuntimeError):  # its event loop is closed
            protocol.loop.call_soon_threadsafe(protocol.send_line, line)

    def close(self) -> None:
        """End the program, whatever it is doing; from any thread."""
        try:
            self._program.quit()
        except (chess.engine.EngineError, TimeoutError):  # it hangs
            self.kill()

    def _wait(self) -> None:
        """Wait until the program is ready, at most `READY_TIMEOUT` seconds."""
        self._program.timeout = READY_TIMEOUT
        try:
            self._program.ping()
        finally:
            self._program.timeout = ANSWER_TIMEOUT

    def kill(self) -> None:
        """End the program at once; a call that waits for it raises an `EngineError`."""
        self._program.close()

    def __exit__(self, *_: object) -> None:
        self.close()
