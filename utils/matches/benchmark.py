"""How fast the searches are: `make bench`, or `python -m utils.matches.benchmark`.

Times differ from machine to machine. So compare the ratios within one run: each engine's nodes
per second divided by the leaves per second of a perft with python-chess.
"""

from __future__ import annotations

import itertools
import sys
import time
import timeit
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import chess
import chess.engine
from tabulate import tabulate

from utils.engines import ENGINES, make_engine, prepare

if TYPE_CHECKING:
    import typer  # absent in a browser

    from converted_notebooks.s04_engine_interface import Engine

POSITIONS = {
    "opening": "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "middlegame": "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "endgame": "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
}
"""An open game, the middlegame of s09, and position 3 of the perft suite."""

LONG_ENOUGH = 0.1
"""Seconds that a search must take to be measured."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One engine on one position."""

    engine: str  # the chapter
    position: str  # its name
    depth: int  # plies
    nodes: int  # positions visited
    nodes_per_second: float  # of processor time
    perft_ratio: float  # nodes per second divided by the leaves per second of perft


def perft(board: chess.Board, depth: int) -> int:
    """The leaves of the tree of legal moves; every leaf is pushed and popped."""
    if depth == 0:
        return 1
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += perft(board, depth - 1)
        board.pop()
    return leaves


def speed(action: Callable[[], int]) -> float:
    """The number that an action returns, per second of processor time that it takes."""
    counts: list[int] = []
    timer = timeit.Timer(lambda: counts.append(action()), timer=time.process_time)
    repeats, seconds = timer.autorange()
    return counts[-1] * repeats / seconds


def perft_speed(board: chess.Board, depth: int = 3) -> float:
    """Leaves per second of perft."""
    return speed(lambda: perft(board.copy(), depth))


def nodes_searched(engine: Engine, board: chess.Board, depth: int) -> int:
    """The nodes that an engine visits to choose a move; 0 if it does not search.

    Args:
        engine: its memory of earlier searches is cleared.
        depth: plies.
    """
    engine.new_game()
    engine.play(board, chess.engine.Limit(depth=depth))
    return engine.last_search.nodes if engine.last_search else 0


def searchers() -> list[str]:
    """The chapters whose engines search."""
    return [c for c in ENGINES if nodes_searched(make_engine(c), chess.Board(), depth=1)]


def measure(chapter: str, position: str, depth: int | None, perft_rate: float) -> Measurement:
    """Measures a chapter's engine on one of the positions.

    Args:
        chapter: such as "s10".
        position: a name from `POSITIONS`.
        depth: plies; None for the first depth that takes `LONG_ENOUGH` seconds.
        perft_rate: leaves per second of perft on the same position.

    Raises:
        ValueError: the chapter brings no engine, or one that does not search.
    """
    engine, board = make_engine(chapter), chess.Board(POSITIONS[position])
    prepare(engine)
    for plies in itertools.count(depth or 2):
        start = time.process_time()
        nodes = nodes_searched(engine, board, plies)
        if not nodes:
            raise ValueError(f"the engine of {chapter} does not search; expected one such as s10")
        if depth or time.process_time() - start > LONG_ENOUGH:
            break
    rate = speed(lambda: nodes_searched(engine, board, plies))
    return Measurement(chapter, position, plies, nodes, rate, rate / perft_rate)


def benchmark(
    chapters: Iterable[str], depth: int | None = None, positions: Iterable[str] = POSITIONS
) -> list[Measurement]:
    """Measures engines on positions, and perft beside them; arguments as for `measure`."""
    results = []
    for position in positions:
        perft_rate = perft_speed(chess.Board(POSITIONS[position]))
        results += [measure(chapter, position, depth, perft_rate) for chapter in chapters]
    return results


def rows(results: Iterable[Measurement]) -> tuple[Sequence[str], list[Sequence[str | int]]]:
    """Head and rows of a table of results."""
    head = ["position", "engine", "depth", "nodes", "nodes/s", "of perft"]
    return head, [
        [r.position, r.engine, r.depth, r.nodes, round(r.nodes_per_second), f"{r.perft_ratio:.2f}"]
        for r in results
    ]


def main(
    chapters: Annotated[list[str] | None, typer.Argument(help="Such as s10 s13.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Plies to look ahead, for all.")] = None,
) -> None:
    """Measure how fast the searches are, beside the perft of python-chess."""
    try:
        head, body = rows(benchmark(chapters or searchers(), depth))
    except ValueError as error:
        sys.exit(str(error))
    print(tabulate(body, head, disable_numparse=True))


if __name__ == "__main__":
    import typer

    typer.run(main)
