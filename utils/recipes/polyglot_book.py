"""An opening book from games of your own; chapter s06 explains the format and the weights."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import chess
import chess.pgn
from chess.polyglot import Entry

from utils.jupyter_loader import load_chapter

Weights = Literal["share", "games", "points"]
"""What the weight of a move is: its share of the games that went on from the position, in
thousandths; how many games it was played in; or two points for each of them that the side
to move won, and one for each draw."""
_HEAVIEST = 0xFFFF
_POINTS_OF_WHITE = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}


def book_entries(
    path: Path | str,
    *,
    min_games: int = 1,
    max_plies: int = 30,
    weights: Weights = "share",
    progress: Callable[[int], object] = lambda games: None,
) -> list[Entry]:
    """The entries of a Polyglot book of the games in a PGN file, sorted.

    Args:
        path: the PGN file.
        min_games: moves that were played in fewer games are left out.
        max_plies: how many plies of each game to take.
        weights: what the weights mean. If they do not fit into 16 bits, all are scaled.
        progress: is called after each game with how many were read.

    Raises:
        ValueError: the file is no text, or a game cannot be used; or no move is left.
        OSError: the file cannot be read.
    """
    chapter = load_chapter("s06_opening_book")
    tally = _Tally(chapter, max_plies, progress)
    try:
        entries = chapter.build_book(tally.watch(chapter.read_games(path)), max_plies)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no UTF-8 text ({error}); expected a PGN file") from error
    except ValueError as error:
        raise ValueError(f"{path}, game {tally.read}: {error}") from error
    if not entries:
        raise ValueError(f"{path} has no moves; expected a PGN file with games")
    entries = [entry for entry in entries if tally.games[_move(entry)] >= min_games]
    if weights != "share":
        counts = tally.games if weights == "games" else tally.points
        entries = _weigh(entries, counts)
    if not entries:
        raise ValueError(
            f"{path}: of {tally.read} games, no move is left for the book; expected moves "
            f"of at least {min_games} games, and with points a game that was not lost"
        )
    return sorted(entries, key=chapter.book_order)


class _Tally:
    """Counts what passes by on its way into a book."""

    def __init__(self, chapter: Any, max_plies: int, progress: Callable[[int], object]) -> None:
        self._chapter, self._max_plies, self._progress = chapter, max_plies, progress
        self.read = 0
        self.games: collections.Counter[tuple[int, int]] = collections.Counter()
        self.points: collections.Counter[tuple[int, int]] = collections.Counter()

    def watch(self, games: Iterable[chess.pgn.Game]) -> Iterator[chess.pgn.Game]:
        """The same games."""
        for game in games:
            self.read += 1
            self._count(game)
            yield game
            self._progress(self.read)

    def _count(self, game: chess.pgn.Game) -> None:
        white, board = _POINTS_OF_WHITE.get(game.headers.get("Result", "*")), game.board()
        movers: dict[tuple[int, int], chess.Color] = {}
        for move in self._chapter.main_line(game)[: self._max_plies]:
            movers[_move(self._chapter.make_entry(board, move, 0))] = board.turn
            board.push(move)
        # A game that comes back to a position is still one game.
        self.games.update(movers.keys())
        if white is not None:
            for key, mover in movers.items():
                self.points[key] += white if mover == chess.WHITE else 2 - white


def _move(entry: Entry) -> tuple[int, int]:
    """What says which move an entry is for."""
    return entry.key, entry.raw_move


def _weigh(entries: list[Entry], counts: collections.Counter[tuple[int, int]]) -> list[Entry]:
    """Entries with other weights; without those that count nothing."""
    kept = [entry for entry in entries if counts[_move(entry)]]
    heaviest = max((counts[_move(entry)] for entry in kept), default=0)
    scale = min(1.0, _HEAVIEST / heaviest) if heaviest else 1.0
    return [entry._replace(weight=max(1, int(scale * counts[_move(entry)]))) for entry in kept]
