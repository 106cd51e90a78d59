"""How fast the searches are: `make bench`, or `python -m utils.matches.benchmark`.

Seconds differ from machine to machine, so what to compare are the ratios of one run:
each engine's nodes per second stand beside those of python-chess's own perft.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import chess
import chess.engine

from utils.engines import make_engine
from utils.paths import ROOT

REPORT = ROOT / "build" / "bench.json"

POSITIONS = {
    "opening": "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "middlegame": "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "endgame": "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
}
"""An open game, the middlegame of s09, and position 3 of the perft suite."""

EVERY_MOVE = ("s09", "s10", "s11", "s12", "s13")
"""Chapters whose engines value every move at the root."""
BEST_MOVE = ("s14", "s15", "s16", "s17", "s18", "s20")
"""Chapters whose engines look for the best move only."""
SEARCHERS = EVERY_MOVE + BEST_MOVE
USUAL_DEPTH = dict.fromkeys(EVERY_MOVE, 3) | dict.fromkeys(BEST_MOVE, 4) | {"s20": 7}
"""Plies, by chapter."""
HEURISTIC = ("heuristic", "init", "push", "pop", "get_score", "score")
"""The methods of an evaluator that serve the static score."""

REPEATS = 3
LONG = 1.0
"""Seconds after which a try is not repeated."""
SHORT = 0.1
"""Seconds that a try lasts at least: the processor's clock has steps, on some systems of 0.016."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One engine on one position.

    Attributes:
        engine: the chapter.
        position: its name.
        depth: plies.
        nodes: positions visited.
        seconds: for the search.
        perft_ratio: nodes per second, divided by those of perft in the same run.
        heuristic_share: the share of the time that the static score takes, 0 to 1.
    """

    engine: str
    position: str
    depth: int
    nodes: int
    seconds: float
    perft_ratio: float
    heuristic_share: float

    @property
    def nodes_per_second(self) -> float:
        """Speed."""
        return self.nodes / self.seconds


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
    """What an action counts, for each second of the processor; the best of `REPEATS` tries."""
    rates = []
    for _ in range(REPEATS):
        count, spent, start = 0, 0.0, time.process_time()
        while spent < SHORT:
            count += action()
            spent = time.process_time() - start
        rates.append(count / spent)
        if spent > LONG:
            break
    return max(rates)


def perft_speed(board: chess.Board, depth: int = 3) -> float:
    """Leaves per second of perft."""
    return speed(lambda: perft(board.copy(), depth))


def parts(engine: Any) -> tuple[Any, int]:
    """The evaluator of an engine, and the nodes of its last search, each a move made."""
    if hasattr(engine, "searcher"):
        return engine.searcher.evaluator, engine.searcher.nodes
    return engine.evaluator, engine.statistics.visited


def searching(chapter: str, engine: Any) -> Callable[..., object]:
    """What to measure: `analyse` where an engine values every move, else `play`."""
    return engine.analyse if chapter in EVERY_MOVE else engine.play  # type: ignore[no-any-return]


class Stopwatch:
    """Adds up the time that is spent in methods, nested calls once.

    Attributes:
        seconds: spent so far.
        calls: how many were timed.
    """

    def __init__(self) -> None:
        self.seconds, self.calls, self._depth = 0.0, 0, 0

    def timed(self, method: Callable[..., object]) -> Callable[..., object]:
        """The method with the clock around it."""

        def run(*arguments: object) -> object:
            self._depth += 1
            start = time.perf_counter()
            try:
                return method(*arguments)
            finally:
                self._depth -= 1
                if not self._depth:  # `init` asks `heuristic`
                    self.seconds += time.perf_counter() - start
                    self.calls += 1

        return run


def cost_of_a_look(calls: int = 1000, tries: int = 20) -> float:
    """Seconds that a stopwatch shows for a call that does nothing: the least of some tries."""

    def mean() -> float:
        watch = Stopwatch()
        nothing = watch.timed(lambda *arguments: None)
        for _ in range(calls):
            nothing(None)
        return watch.seconds / calls

    return min(mean() for _ in range(tries))


def heuristic_seconds(engine: Any, search: Callable[[], object]) -> float:
    """Seconds that a search spends on the static score.

    The methods of the evaluator are timed by a clock around each. What the clock itself
    costs is measured and left out; it makes the search a little slower all the same.
    """
    evaluator, watch = parts(engine)[0], Stopwatch()
    names = [name for name in HEURISTIC if hasattr(evaluator, name)]
    for name in names:
        setattr(evaluator, name, watch.timed(getattr(evaluator, name)))
    try:
        search()
    finally:
        for name in names:
            delattr(evaluator, name)
    return max(0.0, watch.seconds - watch.calls * cost_of_a_look())


def measure(
    chapter: str, position: str, depth: int | None, perft_nodes_per_second: float
) -> Measurement:
    """Measures a chapter's engine on one of the positions.

    Args:
        chapter: such as "s10".
        position: a name from `POSITIONS`.
        depth: plies; None for the usual depth of the chapter.
        perft_nodes_per_second: of the same run.
    """
    depth = depth or USUAL_DEPTH[chapter]
    board, limit = chess.Board(POSITIONS[position]), chess.engine.Limit(depth=depth)

    def searched() -> int:
        engine = make_engine(chapter)
        searching(chapter, engine)(board, limit)
        return parts(engine)[1]

    nodes_per_second = speed(searched)
    again = make_engine(chapter)
    search = searching(chapter, again)
    start = time.perf_counter()
    heuristic = heuristic_seconds(again, lambda: search(board, limit))
    share = heuristic / (time.perf_counter() - start)
    nodes, ratio = parts(again)[1], nodes_per_second / perft_nodes_per_second
    return Measurement(chapter, position, depth, nodes, nodes / nodes_per_second, ratio, share)


def benchmark(
    chapters: Iterable[str] = SEARCHERS,
    depth: int | None = None,
    positions: Iterable[str] = POSITIONS,
) -> list[Measurement]:
    """Measures engines on positions, and perft beside them.

    Args:
        chapters: whose engines.
        depth: plies; None for the usual depth of each chapter.
        positions: names from `POSITIONS`.
    """
    results = []
    for position in positions:
        bare = perft_speed(chess.Board(POSITIONS[position]))
        results += [measure(chapter, position, depth, bare) for chapter in chapters]
    return results


def rows(results: Iterable[Measurement]) -> tuple[Sequence[str], list[Sequence[str | int]]]:
    """Head and rows of a table of results."""
    head = [
        "position",
        "engine",
        "depth",
        "nodes",
        "seconds",
        "nodes/s",
        "of perft",
        "static score",
    ]
    return head, [
        [
            result.position,
            result.engine,
            result.depth,
            result.nodes,
            f"{result.seconds:.2f}",
            f"{result.nodes_per_second:.0f}",
            f"{result.perft_ratio:.2f}",
            f"{result.heuristic_share:.0%}",
        ]
        for result in results
    ]


def report(results: Iterable[Measurement]) -> Mapping[str, Any]:
    """The results with what they were measured on, ready for JSON."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "results": [
            asdict(result) | {"nodes_per_second": result.nodes_per_second} for result in results
        ],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints a table and writes the numbers to build/bench.json."""
    import tabulate

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("chapters", nargs="*", default=list(SEARCHERS), help="such as s10 s13")
    parser.add_argument("--depth", type=int, help="plies to look ahead, for all")
    options = parser.parse_args(arguments)
    unknown = set(options.chapters) - set(SEARCHERS)
    if unknown or (options.depth is not None and options.depth < 1):
        parser.error(
            f"got {' '.join(options.chapters)} at depth {options.depth}; "
            f"expected chapters from {' '.join(SEARCHERS)} and a depth of 1 or more"
        )
    results = benchmark(options.chapters, options.depth)
    head, body = rows(results)
    print(tabulate.tabulate(body, head, disable_numparse=True))
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps(report(results), indent=2) + "\n", encoding="utf-8")
    print(f"Written: {REPORT}", file=sys.stderr)


if __name__ == "__main__":
    main()
