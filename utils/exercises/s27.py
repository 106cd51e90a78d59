"""Checks of chapter s27, a compiled search."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

import chess
import numpy as np

from utils.compiler import is_compiled, is_compiling, plain
from utils.exercises import exercise, module_of, require, require_equal
from utils.exercises.positions import BACK_RANK, MIDDLEGAME, ROOK_ENDING

Bits = np.uint64
PATIENCE = 5
"""Seconds that one search waits for the other."""
POSITIONS = (
    MIDDLEGAME,
    ROOK_ENDING,
    "7k/5Q2/8/6K1/8/8/8/8 b - - 0 1",  # stalemate
    BACK_RANK,
    "8/8/4k3/8/8/3BK3/8/8 w - - 98 80",  # too little for a mate; soon a hundred plies
)


def _search() -> Any:
    return module_of("s27_compiled_search")


def _results(rng: random.Random, count: int) -> list[tuple[Bits, Bits]]:
    """Random keys and data; depths from 1 to 20."""
    search, results = _search(), []
    for _ in range(count):
        key, depth = rng.getrandbits(64), rng.randint(1, 20)
        data = search.to_data(depth, 1, rng.randint(-300, 300), rng.randint(1, 4000), 0)
        results.append((Bits(key), Bits(data)))
    return results


@exercise("s27-1")
def torn(answer: Callable[[Any, set[Bits]], int]) -> None:
    """Tables that are empty, whole, torn in either half; one key in both of its places."""
    search, rng = _search(), random.Random(1)

    def said(table: Any, keys: set[Bits], expected: int, words: str) -> None:
        found = answer(table.copy(), set(keys))
        require_equal(found, expected, f"{words}: the number of entries that are torn is")

    table, results = search.new_table(0.002), _results(rng, 30)
    keys = {key for key, _ in results}
    said(table, keys, 0, "In an empty table")
    for key, data in results:
        search.keep_data(table, key, data)
    said(table, keys, 0, "In a table that is whole")
    taken = [slot for slot in range(len(table)) if table[slot, 1]]
    twice = table.copy()
    twice[taken[0] ^ 1] = twice[taken[0]]
    said(twice, keys, 0, "Where one key is in both of its places")
    halves = table.copy()
    for slot, half in zip(taken[:5], (0, 1, 0, 1, 1), strict=True):
        halves[slot, half] ^= Bits(rng.getrandbits(30) | 1)
    said(halves, keys, 5, "With five halves changed")
    again = halves.copy()
    again[taken[0] ^ 1] = again[taken[0]]
    said(again, keys, 6, "Where a torn entry stands in both places of its key")
    free = next(slot for slot in range(len(table)) if not table[slot, 1])
    halves[free] = Bits(99), Bits(0)
    said(halves, keys, 5, "Where an entry without data has a left half")
    half = table.copy()
    half[taken[7], 0] = Bits(0)
    said(half, keys, 1, "Where the left half of an entry is zero")
    gone = table[taken[7], 0] ^ table[taken[7], 1]
    said(table, keys - {gone}, 1, "Where an entry belongs to a key that is not in the set")


@exercise("s27-2")
def kept(keep: Callable[..., None], depths: Callable[..., int]) -> None:
    """Where an entry goes, what it replaces, and what is found in the end."""
    search, rng = _search(), random.Random(2)
    table = search.new_table(0.001)
    size = len(table)
    key, other = Bits(5 * size + 9), Bits(8 * size + 9)
    deep, low = search.to_data(20, 1, 7, 11, 0), search.to_data(1, 2, 3, 12, 0)
    keep(table, key, deep)
    hint = "`find_data` should find what was stored: the left half is `key ^ data`."
    require(search.find_data(table, key) == deep, hint)
    require(table[9, 1] == deep, "An entry stands at its key, cut off to the size of the table.")
    keep(table, other, low)
    hint = "A new entry replaces what is there, even if that is deeper."
    require(search.find_data(table, other) == low and table[9, 1] == low, hint)
    words = "`keep_newest` writes in the first place of a key only; the second one stays empty."
    require(np.count_nonzero(table[:, 1]) == 1, words)

    larger = search.new_table(0.004)
    size, far = len(larger), Bits(len(larger) - 3)
    larger[size - 4] = mark = 7, 8
    keep(larger, far, low)
    hint = "A larger table has more places: the place is the key, cut off to the size of the table."
    require(larger[size - 3, 1] == low, hint)
    require(tuple(larger[size - 4]) == mark, "What stands in the second place of a key must stay.")

    def expected(keep: Callable[..., None], results: list[tuple[Bits, Bits]]) -> int:
        table = search.new_table(0.001)
        for key, data in results:
            keep(table, key, data)
        return sum(int(search.from_data(search.find_data(table, k), 0)[0]) for k, _ in results)

    for count in (0, 1, 40, 200):
        results = _results(rng, count)
        for name, form in (("keep_data", search.keep_data), ("a table that replaces", keep)):
            said, wanted = depths(form, list(results)), expected(form, results)
            require(
                said == wanted,
                f"After {count} results in {name} the depths that are found add up to {wanted}, "
                f"not {said}: ask `find_data` when all are stored, in a table of 0.001 MB.",
            )


def _reference(
    stack: Any, state: Any, network: Any, counts: Any, depth: int, alpha: int, beta: int, ply: int
) -> int:
    """The value of a node of plain alpha-beta; cut-offs are counted."""
    search, board = _search(), module_of("s26_bitboards")
    position, moves = stack[ply], state.moves[ply]
    if depth == 0:
        return int(search.evaluate(position, state.sums[ply], network))
    count = board.generate(position, board.ALL, board.ALL, moves)
    if not count:
        return ply - search.MATE if board.king_lines(position)[0] else 0
    search.rank_moves(position, state, count, 0, ply, 0)
    best: int = -search.INFINITE
    for i in range(count):
        move = search.next_move(moves, i, count)
        stack[ply + 1] = position
        board.make_move(stack[ply + 1], move)
        search.update_sums(stack, ply, move, state, network)
        window = -beta, -max(alpha, best)
        value = _reference(stack, state, network, counts, depth - 1, *window, ply + 1)
        best = max(best, -value)
        if best >= beta:
            counts[0] += 1
            counts[1] += i == 0
            break
    return best


def _why(said: int, wanted: int, depth: int, is_open: bool) -> str:
    """What to look at where this value is expected, by depth, in an open window or a narrow one."""
    if depth == 0:
        return "At depth 0 it is what `evaluate` says of the position and of `state.sums[ply]`."
    if wanted == 0 or abs(wanted) > _search().LONG_MATE:
        return "Without a legal move a node is worth `ply - MATE` in check, and otherwise 0."
    if said == 0:
        return "Draws other than a stalemate do not exist for it."
    if is_open:
        return (
            "A move is worth minus the value of the node at `ply + 1`, one ply less deep; "
            "`update_sums` makes the sums of that node."
        )
    return (
        "Moves come in the order of `rank_moves` and `next_move`; each is searched between "
        "`-beta` and `-max(alpha, best)`, and the best value is returned even if it is outside "
        "the window: fail-soft."
    )


def _guarded(answer: Callable[..., int]) -> Callable[..., int]:
    """An answer in plain Python, whose moves are looked at: compiled code breaks down on others."""
    written: Any = plain(answer)
    names = getattr(written, "__globals__", {})
    usual = names.get("make_move")
    if usual is None:
        return answer
    called: list[Any] = [names.get(name) for name in written.__code__.co_names]
    if any("make_move" in plain(one).__code__.co_names for one in called if is_compiled(one)):
        return answer  # what Numba has yet to compile must find the usual one

    def make_move(position: Any, move: Any) -> None:
        require(
            0 <= move <= _search().MOVE,
            f"{move} is no move: `state.moves` holds ranks, too. `next_move` gives a move.",
        )
        usual(position, move)

    def guarded(*given: Any) -> int:
        names["make_move"] = make_move
        try:
            return answer(*given)
        finally:
            names["make_move"] = usual

    return guarded


@exercise("s27-3")
def cuts(answer: Callable[..., int]) -> None:
    """Values and counts in open and narrow windows, with mates and stalemates."""
    search, answer = _search(), _guarded(answer)
    infinite = search.INFINITE
    for fen in POSITIONS:
        for depth in (0, 1, 2, 3) if is_compiling() else (0, 1, 2):
            windows = [(-infinite, infinite), (-50, 50), (200, 201), (-301, -300)]
            for alpha, beta in windows:
                found = []
                for one in (answer, _reference):
                    worker = search.SearchThread(search.new_table(0.01), search.load_network())
                    worker.begin(chess.Board(fen))
                    line, counts = (
                        (worker.stack, worker.state, worker.network),
                        np.zeros(2, np.int64),
                    )
                    value = one(*line, counts, depth, alpha, beta, 0)
                    found.append((int(value), *map(int, counts)))
                words = f"In {fen}, {depth} plies, window {alpha} to {beta}, "
                (said, *ours), (wanted, *theirs) = found
                why = _why(said, wanted, depth, alpha == -infinite)
                require(said == wanted, f"{words}the value is {wanted}, not {said}. {why}")
                require(
                    ours == theirs,
                    f"{words}there are {theirs[0]} cut-offs, {theirs[1]} of them by the first "
                    f"move; you count {ours[0]} and {ours[1]}.",
                )
                if alpha == -infinite:  # then windows on whose bounds the value lies
                    windows += [(wanted - 1, wanted), (wanted, wanted + 1)]


@exercise("s27-4")
def culprits(answer: Callable[..., list[int]]) -> None:
    """One signature, two and three; one argument that differs, several, and none."""
    whole, literal = "int64", "Literal[int](0)"
    cases: list[tuple[list[tuple[str, ...]], list[int], str]] = [
        ([(whole, "uint64")], [], "a single signature"),
        ([(whole, literal), (whole, whole)], [1], "a literal in the second place"),
        ([("bool", whole, whole), (whole, whole, "uint8")], [0, 2], "two places that differ"),
        ([(whole, "a"), (whole, "a"), ("float64", "a")], [0], "three signatures, the last differs"),
        ([("a", whole), ("b", whole), ("a", whole)], [0], "first and last are alike"),
        ([(whole, literal), ("uint64", literal)], [0], "one literal in both"),
        ([(whole, "uint64"), (whole, "uint64")], [], "two equal signatures"),
        ([("b", "a"), ("a", "b")], [0, 1], "the same types in another order"),
        (
            [tuple("aaaaaaaab"), tuple("aaaaaaaac"), tuple("baaaaaaaa"), tuple("aaaaaaaaa")],
            [0, 8],
            "nine arguments, of which the last is seen to differ first,",
        ),
    ]
    for signatures, expected, words in cases:
        require_equal(answer(list(signatures)), expected, f"With {words} the answer is")


@exercise("s27-5")
def apart(answer: Any) -> None:
    """Both threads find what one finds alone, and they run at the same time."""
    search = _search()
    for fen, depth in zip(POSITIONS[:2], (8, 9) if is_compiling() else (2, 2), strict=True):
        board = chess.Board(fen)
        alone = search.SearchThread(search.new_table(1), search.load_network())
        alone.begin(board)
        value = alone.search(depth, -search.INFINITE, search.INFINITE)
        expected = (value, int(alone.state.nodes))
        kind = getattr(answer, "__globals__", {}).get("SearchThread", search.SearchThread)
        both, usual = threading.Barrier(2), kind.search

        def meet(*given: Any, both: Any = both, usual: Any = usual, **named: Any) -> Any:
            """Search when the other one has come here, too."""
            with contextlib.suppress(threading.BrokenBarrierError):
                both.wait(PATIENCE)
            return usual(*given, **named)

        with mock.patch.object(kind, "search", meet):
            said = answer(board.copy(), depth)
        require(
            not both.broken,
            "The second search begins only when the first has ended: let both run at the same "
            "time, then wait for them.",
        )
        require(len(said) == 2, f"Two pairs are expected, not {len(said)}.")
        for pair in said:
            require(tuple(pair) != expected[::-1], "The value comes first, then the nodes.")
            require(
                tuple(pair) == expected,
                f"In {fen}, {depth} plies, one thread alone finds (value, nodes) = {expected}; "
                f"yours found {tuple(pair)}. Does each have a table of its own, of one megabyte, "
                "and has it begun?",
            )
