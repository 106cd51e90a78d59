"""Plays one game of a match; it has a result whatever the players do.

A player that exceeds its time, plays an illegal move, raises an exception or crashes loses the
game. A program that does not answer is killed; an engine in this process cannot be interrupted.
"""

from __future__ import annotations

import contextlib
import datetime
import gc
import math
import random
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.pgn

from utils.engines import ENGINES, make_player, prepare, watchdog
from utils.matches.records import Fault, PlannedGame, game_text, lost_by
from utils.matches.workers import kill_leftovers, pause, programs, resume

if TYPE_CHECKING:
    from converted_notebooks.s04_engine_interface import Engine
    from converted_notebooks.s24_measuring_strength import Control

PATIENCE = 5.0
"""Seconds after the end of its time at which a program is killed."""
LONGEST_WAIT = 600.0
"""Seconds to wait for a move where the control names no time."""


@dataclass(frozen=True)
class TimedGame:
    """A game that was played."""

    board: chess.Board  # the last position, with all moves
    result: str  # "1-0", "0-1" or "1/2-1/2"
    termination: str  # why it ended, in words
    fault: Fault | None = None  # by which the loser lost it
    # The seconds left to the side that moved, for each ply after the opening. Empty for a game
    # without clocks.
    clocks: tuple[float, ...] = ()

    @property
    def plies(self) -> int:
        """Length of the game, moves of the opening included."""
        return len(self.board.move_stack)


@dataclass(frozen=True)
class Reply:
    """The answer of a player that was asked for a move."""

    move: chess.Move | None  # None if it resigned or committed a fault
    fault: Fault | None = None
    details: str = ""  # of the fault, in words
    seconds: float = 0.0  # that it took, without `prepare`


@contextlib.contextmanager
def garbage_collection_off() -> Iterator[None]:
    """Switch off Python's garbage collector, which would interrupt a search."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def timed_move(
    player: Engine,
    board: chess.Board,
    control: Control,
    left: dict[chess.Color, float],
    grace: float | None = None,
) -> Reply:
    """Ask a player for a move; its `prepare` runs before its clock starts.

    Args:
        player: the side to move.
        board: the position, which is not changed.
        control: how long it may think.
        left: the seconds on both clocks; updated with the time used and the increment.
        grace: seconds by which it may exceed a time for each move; None: such a time is not
            enforced.
    """
    from converted_notebooks.s04_engine_interface import IllegalMoveError, ask

    turn, reply = board.turn, Reply(None)
    most_seconds = control.seconds or (LONGEST_WAIT if control.clock is None else math.inf)
    allowed = min(left[turn], most_seconds) + max(PATIENCE, grace or 0)
    with garbage_collection_off():
        try:
            try:
                prepare(player)
            finally:
                begin = time.perf_counter()
            with watchdog(player, allowed):
                reply = Reply(ask(player, board, control.limit(left)))
        except (Exception, SystemExit) as error:
            # For a move that it cannot read, python-chess raises an EngineError from a ValueError.
            reason = next(iter(error.args), None)
            unread = isinstance(error, chess.engine.EngineError) and isinstance(reason, ValueError)
            if unread or isinstance(error, IllegalMoveError):
                reply = Reply(None, Fault.ILLEGAL, str(error))
            else:
                reply = crashed(error)
        # Measured before garbage is collected again, which counts for nobody.
        spent = time.perf_counter() - begin
    left[turn] -= spent
    late = grace is not None and control.seconds and spent > control.seconds + grace
    if left[turn] < 0 or late or spent > allowed:
        return Reply(None, Fault.TIME, seconds=spent)
    left[turn] += control.increment
    return replace(reply, seconds=spent)


def crashed(error: BaseException) -> Reply:
    """The reply of a player that raised an error."""
    return Reply(None, Fault.CRASH, f"{type(error).__name__}: {error}")


def forfeited(board: chess.Board, color: chess.Color, reply: Reply) -> TimedGame:
    """The end of a game in which a side has resigned or committed a fault.

    A side without time left loses, unless no sequence of legal moves lets the opponent mate (Laws
    of Chess, article 6.9).
    """
    side = chess.COLOR_NAMES[color].capitalize()
    if reply.fault is Fault.TIME and board.has_insufficient_material(not color):
        return TimedGame(board, "1/2-1/2", "time out, and no material to mate")
    words = f"{side} loses by resignation"
    if reply.fault:
        words = lost_by(side, reply.fault, reply.details)
    return TimedGame(board, "0-1" if color else "1-0", words, reply.fault)


def play_timed_game(
    white: Engine,
    black: Engine,
    control: Control,
    *,
    black_control: Control | None = None,
    start: chess.Board | None = None,
    seed: int = 0,
    longest: int | None = None,
    grace: float | None = None,
    paused: Mapping[chess.Color, Collection[int]] | None = None,
) -> TimedGame:
    """Let two players play one game.

    Args:
        control: how long they may think.
        black_control: how long Black may think, if not as long; a clock if White has one.
        start: the position to start from, with its history; it is not changed.
        seed: makes the random choices of the players repeatable.
        longest: plies, with those of `start`, after which the game is a draw.
        grace: as in `timed_move`.
        paused: ids of the processes of each side, which are stopped while its opponent thinks.
    """
    from converted_notebooks.s04_engine_interface import finished

    board = chess.Board() if start is None else start.copy()
    players = {chess.WHITE: white, chess.BLACK: black}
    for colour, player in players.items():
        try:
            player.new_game(random.Random(2 * seed + colour))
        except (Exception, SystemExit) as error:
            return forfeited(board, colour, crashed(error))
    controls = {chess.WHITE: control, chess.BLACK: black_control or control}
    left = {side: math.inf if one.clock is None else one.clock for side, one in controls.items()}
    clocks = list[float]()
    while (end := finished(board)) is None:
        if longest is not None and len(board.move_stack) >= longest:
            end = "1/2-1/2", "adjudication: too long"
            break
        if paused:
            pause(paused[not board.turn])
            resume(paused[board.turn])
        reply = timed_move(players[board.turn], board, controls[board.turn], left, grace)
        if reply.move is None:
            return replace(forfeited(board, board.turn, reply), clocks=tuple(clocks))
        if control.clock is not None:
            clocks.append(left[board.turn])
        board.push(reply.move)
    return TimedGame(board, *end, None, tuple(clocks))


def why_absent(error: Exception) -> str:
    """Why a program did not start, in words."""
    return str(error) or "it does not answer"


def meet(planned: PlannedGame, start: chess.Board) -> TimedGame:
    """Start both players, let them play from a position, and close them.

    A player that crashes at its start loses.

    Raises:
        ValueError, FileNotFoundError: a player cannot be started on this machine.
    """
    from converted_notebooks.s24_measuring_strength import read_controls

    controls = read_controls(planned.control)
    control, black_control = controls[::-1] if planned.number % 2 else controls
    seed = planned.seed + planned.number // 2
    players: list[Engine] = []
    started: list[set[int]] = []
    running = programs if planned.programs else set[int]
    try:
        for side in planned.players:
            before = running()
            try:
                players.append(make_player(side, random.Random(seed)))
            except (chess.engine.EngineError, OSError) as error:
                if not (
                    planned.programs or isinstance(error, (chess.engine.EngineError, TimeoutError))
                ):
                    raise  # not installed here: nobody has lost
                absent = Reply(None, Fault.CRASH, why_absent(error))
                return forfeited(start, chess.BLACK if players else chess.WHITE, absent)
            started.append(running() - before)
        white, black = players
        return play_timed_game(
            white,
            black,
            control,
            black_control=black_control,
            start=start,
            seed=seed,
            longest=planned.longest,
            grace=planned.grace,
            paused={chess.WHITE: started[0], chess.BLACK: started[1]},
        )
    finally:
        for processes in started:
            resume(processes)
        for player in players:
            player.close()
        if any(spec not in ENGINES for spec in planned.players):
            kill_leftovers()


def play_planned(planned: PlannedGame) -> str:
    """Play one game of a match; returns it as PGN."""
    board = chess.Board()
    for uci in planned.moves:
        board.push_uci(uci)
    game = meet(planned, board)
    roster = dict.fromkeys(("Event", "Site", "Date", "Round", "White", "Black"), "?")
    about = {
        "Date": f"{datetime.date.today():%Y.%m.%d}",
        "Result": game.result,
        "Termination": game.termination,
        "PlyCount": str(game.plies),
    }
    return game_text(roster | about | planned.headers(), movetext(game))


def movetext(game: TimedGame) -> str:
    """The moves in PGN, with what the clocks showed, and the result."""
    node = chess.pgn.Game.from_board(game.board)
    node.headers["Result"] = game.result
    timed = list(node.mainline())[game.plies - len(game.clocks) :]
    for ply, seconds in zip(timed, game.clocks, strict=True):
        ply.set_clock(seconds)
    return node.accept(chess.pgn.StringExporter(headers=False))
