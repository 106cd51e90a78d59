"""Test suites: reads EPD, and lets players solve the problems. Chapter s24 judges the answers."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import chess.engine

from utils.engines import check_player, make_player
from utils.matches.playing import Reply, timed_move, why_absent
from utils.matches.records import Fault, read_lines
from utils.matches.workers import map_unordered

if TYPE_CHECKING:
    from converted_notebooks.s24_measuring_strength import Problem, Suite

LONGEST_MATE = 3
"""The longest mate, in moves, that a problem may ask for: to prove it, all moves are tried."""


@dataclass(frozen=True)
class Answer:
    """The answer of a player to a problem."""

    number: int  # of the problem in its suite, from 0
    problem: str  # its name, which another one may have as well
    move: str  # in SAN; "" if there was none
    solved: bool  # whether it is right
    # Of the search until the answer was right and stayed so; of the whole search if the player
    # reports no iterations; None if it is wrong.
    seconds: float | None
    # The same in nodes. None if it is wrong, if the player does not report them, or if the answer
    # comes from an unfinished iteration.
    nodes: int | None
    fault: str = ""  # why there is no legal answer

    @property
    def said(self) -> str:
        """The move, or why there is none."""
        return self.move or self.fault or "resigned"


def read_suite(path: Path | str) -> Suite:
    """The problems of an EPD file.

    Empty lines and lines that begin with # are skipped.

    Raises:
        ValueError: no text in UTF-8; a line is no legal position, or has
            neither bm, am nor dm; or there is no problem.
        OSError: the file cannot be read.
    """
    from converted_notebooks.s24_measuring_strength import Suite

    problems = []
    for number, line in enumerate(read_lines(path), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                problems.append(_problem(line, f"line {number}"))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
    if not problems:
        raise ValueError(f"{path} has no problems; expected lines of EPD")
    return Suite(Path(path).stem, tuple(problems))


def _problem(line: str, name: str) -> Problem:
    """The problem of a line of EPD; `name` is for one without `id`."""
    from converted_notebooks.s24_measuring_strength import Problem

    board, read = chess.Board.from_epd(line)
    found: dict[str, Any] = dict(read)
    if not board.is_valid():
        raise ValueError(f"{board.fen()} is not a legal position")
    moves, mate = [found.get(key, []) for key in ("bm", "am")], found.get("dm")
    fits = all(isinstance(some, list) for some in moves) and isinstance(mate, int | None)
    if not fits or not (any(moves) or mate):
        raise ValueError("expected bm or am with moves, or dm with a number")
    if mate and not 1 <= mate <= LONGEST_MATE:
        raise ValueError(f"dm {mate}: expected 1 to {LONGEST_MATE}, since all moves are tried")
    best, avoid = map(frozenset, moves)
    return Problem(str(found.get("id", name)), board.epd(), best, avoid, mate)


def run_suite(
    player: str, suite: Suite, limit: str, executor: Executor | None = None
) -> Iterator[Answer]:
    """Give a player all problems; yields its answers in the order in which they come.

    Each problem gets a new player, so that no search uses the memory of another one.

    Args:
        player: as in `utils.engines.make_player`.
        limit: a time control for each problem, as `read_control` of s24 reads it.
        executor: does the work; without one, this process.
    """
    check_player(player)
    # Plain values, because a worker may not have imported the chapter with the class `Problem`.
    tasks = [
        (player, number, (p.name, p.epd, p.best, p.avoid, p.mate), limit)
        for number, p in enumerate(suite.problems)
    ]
    yield from map_unordered(tasks, solve, executor)


def solve(task: tuple[str, int, tuple[Any, ...], str]) -> Answer:
    """Let a player solve a problem.

    Args:
        task: the player, number and fields of the `Problem`, the time control.
    """
    from converted_notebooks import s24_measuring_strength as s24

    spec, number, fields, text = task
    problem, control = s24.Problem(*fields), s24.read_control(text)
    board = problem.board()
    left = dict.fromkeys(chess.COLORS, control.clock or math.inf)
    try:
        player = make_player(spec, random.Random(0))
    except (chess.engine.EngineError, TimeoutError) as error:
        reply = Reply(None, Fault.CRASH, why_absent(error))
    else:
        with contextlib.closing(player):
            reply = timed_move(player, board, control, left)
    said = board.san(reply.move) if reply.move else ""
    if reply.move is None or not problem.solved_by(reply.move):
        fault = ": ".join(filter(None, (reply.fault, reply.details)))
        return Answer(number, problem.name, said, False, None, None, fault)
    since = s24.right_since(player.iterations, problem)
    seconds = reply.seconds if since is None else since.seconds
    nodes = None if since is None else since.nodes
    return Answer(number, problem.name, said, True, seconds, nodes)
