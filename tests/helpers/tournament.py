"""The tournament search with some of its parts, for the tests of s22."""

from __future__ import annotations

import dataclasses

import chess

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s21_fast_evaluation import FastEvaluator

NAMES = [part.name for part in dataclasses.fields(s22.Parts)]
NO_PARTS = s22.Parts(**dict.fromkeys(NAMES, False))
SAFE = dataclasses.replace(NO_PARTS, aspiration_windows=True, principal_variation_search=True)


def searcher_of(parts: s22.Parts = s22.ALL_PARTS, megabytes: float = 4) -> s22.Searcher:
    return s22.Searcher(s22.HashTable(megabytes), FastEvaluator(), parts)


def with_parts(*names: str) -> s22.Searcher:
    """A searcher that leaves nothing out but by these parts."""
    return searcher_of(dataclasses.replace(SAFE, **dict.fromkeys(names, True)))


def node(
    searcher: s22.Searcher, board: chess.Board, depth: int, alpha: int, beta: int, ply: int = 1
) -> int:
    """A node's value or bound, as if it were `ply` plies below a root."""
    searcher.begin(board)
    searcher.path.pop()
    return s22.search(searcher, depth, alpha, beta, ply)
