"""An opening book from games of your own; chapter s06 explains the format and the weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import chess.pgn
from chess.polyglot import Entry

from converted_notebooks import s06_opening_book as s06


def book_entries(
    path: Path | str,
    *,
    min_games: int = 1,
    max_plies: int = 30,
    progress: Callable[[], object] = lambda: None,
) -> list[Entry]:
    """The entries of a Polyglot book of the games in a PGN file, sorted, with weights as in s06.

    Args:
        path: the PGN file.
        min_games: moves that were played in fewer games are left out.
        max_plies: how many plies of each game to take.
        progress: is called after each game.

    Raises:
        ValueError: a game cannot be read, or no move is left.
        OSError: the file cannot be read.
    """
    read = 0
    games: Counter[tuple[int, int]] = Counter()

    def counted() -> Iterator[chess.pgn.Game]:
        nonlocal read
        for game in s06.read_games(path):
            read += 1
            try:
                board, moves = game.board(), set()
                if type(board) is not chess.Board or board.chess960:
                    raise ValueError("expected a game of standard chess")
                for move in s06.main_line(game)[:max_plies]:
                    entry = s06.make_entry(board, move, 0)
                    moves.add((entry.key, entry.raw_move))
                    board.push(move)
            except ValueError as error:
                raise ValueError(f"{path}, game {read}: {error}") from error
            games.update(moves)
            yield game
            progress()

    entries = s06.build_book(counted(), max_plies)
    if not entries:
        raise ValueError(f"{path} has no moves; expected a PGN file with games")
    entries = [entry for entry in entries if games[entry.key, entry.raw_move] >= min_games]
    if not entries:
        raise ValueError(
            f"{path}: of {read} games, no move is left that was played in {min_games} games"
        )
    return entries
