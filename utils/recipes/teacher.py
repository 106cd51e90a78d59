"""Training positions for the tables and the network, and scores of Stockfish, the teacher.

The positions come from fast games of the compiled engine against itself, with some random moves.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import chess
import numpy as np

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s26_bitboards as s26
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s21_fast_evaluation import INFINITE
from converted_notebooks.s27_compiled_search import evaluate, fast_quiesce, fast_search, refresh
from utils.commands.long_work import progress_bar
from utils.compiler import compiled
from utils.external_programs import find_program, install_hint
from utils.matches.workers import map_unordered, worker_pool

Part = TypeVar("Part")

NODES = 300
"""Nodes of the search for each move of a game."""
FEWEST_RANDOM, MORE_RANDOM = 4, 8
"""A game begins with random moves: the first number, and up to one less than the second more."""
RANDOM_SHARES = np.array([50, 120, 250])
"""Random moves per thousand after these; each game has one of the shares."""
LONGEST = 160
"""Plies of a game with its opening."""
FARTHEST = 3
"""Plies of the longest random walk from a position of a game."""
CALM = 60
"""Plies without a capture or a move of a pawn after which a game ends."""
MEGABYTES = "16"
"""Of the hash table of Stockfish, which searches with one thread."""
CHUNK = 100
"""Games of one task for a worker process."""
CLEAR = 2500
"""Centipawns: positions with a larger score of the teacher are left out."""


@compiled
def random_below(seed: s26.BitArray, below: int) -> int:
    """A random number from 0 to `below` - 1: xorshift of Marsaglia, 2003."""
    seed[0] ^= seed[0] << s26.Bits(13)
    seed[0] ^= seed[0] >> s26.Bits(7)
    seed[0] ^= seed[0] << s26.Bits(17)
    return int(s26.signed(seed[0] >> s26.Bits(33))) % below


@compiled
def set_sums(work: s27.Work, ply: int) -> None:
    """Compute the hidden sums of a position of the line from its pieces."""
    stack, state, _, network = work
    for view in range(2):
        refresh(view, state.sums[ply], stack[ply], network)


@compiled
def best_move(work: s27.Work) -> int:
    """The engine's move after a search of about `NODES` nodes from ply 0."""
    set_sums(work, 0)
    state, depth = work[1], 0
    state.nodes = state.stop = 0
    state.killers[:] = 0
    state.most_nodes = 1 << 62  # the first ply is searched to its end
    while not state.stop and depth < s22.MOST_PLIES:
        depth += 1
        fast_search(work, depth, -INFINITE, INFINITE, 0, 0)
        state.most_nodes = NODES
    state.stop = 0
    return int(state.best_move)


@compiled
def is_quiet(work: s27.Work, ply: int) -> bool:
    """Whether a position of the line has no check, and no capture improves its static score."""
    stack, state, _, network = work
    if s26.king_lines(stack[ply])[0]:
        return False
    set_sums(work, ply)
    static = evaluate(stack[ply], state.sums[ply], network)
    return bool(static == fast_quiesce(work, -INFINITE, INFINITE, ply))


@compiled
def random_walk(work: s27.Work, seed: s26.BitArray, plies: int) -> int:
    """Make random moves from ply 0 on, fewer if the game ends; returns how many."""
    stack, state = work[0], work[1]
    for ply in range(plies):
        legal = s26.generate(stack[ply], s26.ALL, s26.ALL, state.moves[ply])
        if not legal:
            return ply
        stack[ply + 1] = stack[ply]
        s26.make_move(stack[ply + 1], state.moves[ply][random_below(seed, legal)])
    return plies


@compiled
def play_game(work: s27.Work, seed: s26.BitArray, walks: int, found: s26.Stack) -> int:
    """Play a game of the engine against itself, from the position at ply 0.

    Args:
        work: as for `fast_search`; `state.before` is 0.
        seed: an array of one number, not 0, which is changed.
        walks: how many random walks to make from each position after the opening.
        found: an array of `LONGEST` * (1 + `walks`) positions to write to: quiet ones after the
            opening, and at the ends of walks.

    Returns:
        How many positions were written.
    """
    stack, moves, count = work[0], work[1].moves[0], 0
    opening = FEWEST_RANDOM + random_below(seed, MORE_RANDOM)
    share = RANDOM_SHARES[random_below(seed, len(RANDOM_SHARES))]
    for ply in range(LONGEST):
        position = stack[0]
        for walk in range(1 + walks if ply >= opening else 0):
            end = random_walk(work, seed, 1 + random_below(seed, FARTHEST) if walk else 0)
            if is_quiet(work, end):
                found[count] = stack[end]
                count += 1
        legal = s26.generate(position, s26.ALL, s26.ALL, moves)
        if not legal or position.clock >= CALM or s27.is_dead(position):
            break
        by_chance = ply < opening or random_below(seed, 1000) < share
        move = moves[random_below(seed, legal)] if by_chance else best_move(work)
        s26.make_move(position, move)
    return count


def positions(games: Iterable[int], walks: int = 0) -> s26.Stack:
    """The quiet positions of some games; the seed of a game is its number.

    From each position of a game, `walks` short random walks are made, and the quiet positions at
    their ends are added: a search meets such unusual positions, too.
    """
    thread = s27.SearchThread(s27.new_table(1), s23.load_network())
    thread.begin(chess.Board())
    start, kept = thread.stack[0].copy(), []
    for number in games:
        thread.table[:], thread.state.history[:], thread.stack[0] = 0, 0, start
        found = s26.new_stack(chess.Board(), LONGEST * (1 + walks))
        seed = np.array([number + 1], np.uint64) * s26.KEYS[:1]
        kept.append(found[: play_game(thread.work, seed, walks, found)])
    return np.concatenate(kept).view(np.recarray)


def from_games(function: Callable[[range], Part], games: int, workers: int) -> list[Part]:
    """The results of a function for each `CHUNK` of games, in their order.

    Args:
        function: of a module, since worker processes import it.
        games: how many games; they are numbered from 0.
        workers: how many processes.
    """
    chunks = [range(begin, min(begin + CHUNK, games)) for begin in range(0, games, CHUNK)]
    parts: dict[int, Part] = {}
    with worker_pool(workers) as executor, progress_bar(f"times {CHUNK} games", len(chunks)) as bar:
        for begin, part in map_unordered(chunks, partial(_numbered, function), executor):
            parts[begin] = part
            bar.update()
    return [parts[begin] for begin in sorted(parts)]


def _numbered(function: Callable[[range], Part], games: range) -> tuple[int, Part]:
    return games.start, function(games)


def find_teacher() -> str:
    """The path of Stockfish.

    Raises:
        SystemExit: it is not installed.
    """
    program = find_program("stockfish")
    if program is None:
        sys.exit(install_hint("stockfish"))
    return program


def teacher_lines(
    program: str, epds: Sequence[str], limit: str, limit_type: str, evaluation: str
) -> Iterator[bytes]:
    """The output of Stockfish for positions, line by line, in one run and in their order.

    Args:
        program: its path.
        limit, limit_type, evaluation: arguments of its command `bench`, such as "4", "depth" and
            "mixed" for a search of four plies with both of its evaluations in turn.

    Raises:
        RuntimeError: it crashes.
    """
    with tempfile.TemporaryDirectory() as folder:
        lines = "".join(f"{epd} 0 1\n" for epd in epds)
        Path(folder, "positions").write_text(lines, encoding="utf-8")
        with subprocess.Popen(
            [program, "bench", MEGABYTES, "1", limit, "positions", limit_type, evaluation],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            yield from process.stdout or ()
    if process.returncode:
        raise RuntimeError(f"{program} ended with {process.returncode}")
