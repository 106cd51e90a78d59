"""An opening book from games of your own; chapter s06 explains the format and the weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import chess
import chess.pgn
from chess.polyglot import Entry

from converted_notebooks import s06_opening_book as s06

Weights = Literal["share", "games", "points"]
"""What the weight of a move is: its share of the games that went on from the position, in
thousandths; how many games it was played in; or two points for each of them that the side
to move won, and one for each draw."""
HEAVIEST = 0xFFFF
_POINTS_OF_WHITE = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}


def book_entries(
    path: Path | str,
    *,
    min_games: int = 1,
    max_plies: int = 30,
    weights: Weights = "share",
    progress: Callable[[], object] = lambda: None,
) -> list[Entry]:
    """The entries of a Polyglot book of the games in a PGN file, sorted.

    Args:
        path: the PGN file.
        min_games: moves that were played in fewer games are left out.
        max_plies: how many plies of each game to take.
        weights: what the weights mean. If they do not fit into 16 bits, all are scaled.
        progress: is called after each game.

    Raises:
        ValueError: the file is no text, or a game cannot be used; or no move is left.
        OSError: the file cannot be read.
    """
    read = 0
    games: Counter[tuple[int, int]] = Counter()
    points: Counter[tuple[int, int]] = Counter()

    def counted() -> Iterator[chess.pgn.Game]:
        nonlocal read
        for game in s06.read_games(path):
            read += 1
            moves = _moves(game, max_plies)
            games.update(moves.keys())
            white = _POINTS_OF_WHITE.get(game.headers.get("Result", "*"))
            if white is not None:
                points.update({move: white if side else 2 - white for move, side in moves.items()})
            yield game
            progress()

    try:
        entries = s06.build_book(counted(), max_plies)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no UTF-8 text ({error}); expected a PGN file") from error
    except ValueError as error:
        raise ValueError(f"{path}, game {read}: {error}") from error
    if not entries:
        raise ValueError(f"{path} has no moves; expected a PGN file with games")
    entries = [entry for entry in entries if games[entry.key, entry.raw_move] >= min_games]
    if weights != "share":
        entries = _weighed(entries, games if weights == "games" else points)
    if not entries:
        raise ValueError(
            f"{path}: of {read} games, no move is left for the book; expected moves "
            f"of at least {min_games} games, and with points a game that was not lost"
        )
    return sorted(entries, key=s06.book_order)


def _moves(game: chess.pgn.Game, max_plies: int) -> dict[tuple[int, int], chess.Color]:
    """Key and move of each position of a game, once, and the side to move."""
    board, found = game.board(), {}
    for move in s06.main_line(game)[:max_plies]:
        entry = s06.make_entry(board, move, 0)
        found[entry.key, entry.raw_move] = board.turn
        board.push(move)
    return found


def _weighed(entries: list[Entry], counts: Counter[tuple[int, int]]) -> list[Entry]:
    """Entries with other weights; without those that count nothing."""
    found = [(entry, counts[entry.key, entry.raw_move]) for entry in entries]
    scale = min(1.0, HEAVIEST / max([1, *(count for _, count in found)]))
    return [entry._replace(weight=max(1, int(scale * count))) for entry, count in found if count]
