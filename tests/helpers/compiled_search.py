"""The compiled search, as the tests of s27 look at it: a thread, a node, an entry of its table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import chess

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s26_bitboards import Position, make_move, new_stack, to_number
from utils.compiler import plain
from utils.exercises.positions import MIDDLEGAME

NETWORK = s23.load_network()
BISHOP_TO_C4 = chess.BISHOP << 15 | chess.C4 << 6
FORTRESS = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"  # no captures, no checks
STOPPED = 12_345  # as a value: the search is stopped meanwhile
KNOWN = to_number(
    new_stack(chess.Board(MIDDLEGAME), 0)[0], next(iter(chess.Board(MIDDLEGAME).legal_moves))
)
NOTHING_LEFT_OUT = {
    "REVERSE_FUTILITY_DEPTH": -1,
    "RAZORING_DEPTH": -1,
    "FUTILITY_DEPTH": -1,
    "SEE_PRUNING_DEPTH": -1,
    "LATE_MOVE_DEPTH": -1,
    "DELTA": 10**6,
}


def thread_of(board: chess.Board, megabytes: float = 1) -> s27.SearchThread:
    """A search thread that has begun."""
    thread = s27.SearchThread(s27.new_table(megabytes), NETWORK)
    thread.begin(board)
    return thread


def raise_root(thread: s27.SearchThread, ply: int) -> None:
    """Puts the root at another ply of the line as well."""
    thread.stack[ply], thread.state.sums[ply] = thread.stack[0], thread.state.sums[0]


def advance(thread: s27.SearchThread, ply: int, move: int) -> None:
    """Makes a move of the line, as the search does."""
    thread.stack[ply + 1] = thread.stack[ply]
    make_move(thread.stack[ply + 1], move)
    s27.update_sums(thread.stack, ply, move, thread.state, NETWORK)


def judge(position: Position) -> int:
    """The score of a position, its sums added up anew."""
    return int(s27.evaluate(position, s27.sums_of(position, NETWORK), NETWORK))


def entry(depth: int, bound: int, value: int, move: int, ply: int = 0) -> Any:
    return s27.to_data(depth, bound, value, move, ply)


def recorded(
    board: chess.Board,
    ply: int,
    *given: int,
    values: tuple[int, ...],
    entry: tuple[int, int, int, int],
    left_out: int = 0,
    last: int = 77,
    before: int = 0,
    prepare: Callable[[s27.SearchThread], None] = lambda thread: None,
) -> tuple[int, list[tuple[int, ...]], s27.SearchThread]:
    """A node in plain Python: its value, and what it asks, left-out moves last.

    Args:
        board: the position.
        ply: of the node.
        given: depth, alpha, beta.
        values: what the searches inside find, the last of them again and again; or `STOPPED`.
        entry: of the table: depth, bound, value, move.
        left_out: the move that is not tried, or 0.
        last: the move that led to the node.
        before: the static score two plies before it.
        prepare: changes the thread before the search.
    """
    names, thread, asked = dict(vars(s27)), thread_of(board), list[tuple[int, ...]]()
    raise_root(thread, ply)
    thread.state.left_out[ply] = left_out
    if ply > 1:
        thread.state.statics[ply - 2] = before
    prepare(thread)
    s27.keep_data(thread.table, thread.stack[0].key, s27.to_data(*entry, ply))

    def search(work: Any, *arguments: int) -> int:
        asked.append((*map(int, arguments), int(thread.state.left_out[ply])))
        found = values[min(len(asked), len(values)) - 1]
        thread.state.stop = found == STOPPED
        return found

    source = inspect.getsource(plain(s27.fast_search)).removeprefix("@compiled\n")
    exec("from __future__ import annotations\n" + source, names)
    node, names["fast_search"] = names["fast_search"], search
    return int(node(thread.work, *given, ply, last)), asked, thread


def whole_search() -> dict[str, Any]:
    """The search without pruning, run by Python; to two plies it reduces nothing either."""
    names = dict(vars(s27)) | NOTHING_LEFT_OUT
    assert NOTHING_LEFT_OUT.keys() <= vars(s27).keys()
    for function in filter(inspect.isfunction, map(plain, vars(s27).values())):
        if NOTHING_LEFT_OUT.keys() & {*function.__code__.co_names}:
            source = inspect.getsource(function).removeprefix("@compiled\n")
            exec("from __future__ import annotations\n" + source, names)
    return names


def number_of(board: chess.Board, uci: str) -> int:
    return to_number(new_stack(board, 0)[0], chess.Move.from_uci(uci))


def static_of(board: chess.Board) -> int:
    return judge(new_stack(board, 0)[0])


def knows(move: int) -> tuple[int, int, int, int]:
    """An entry that answers nothing, with a move; with 0, as if there were none."""
    return 0, s27.UPPER_BOUND, 0, move
