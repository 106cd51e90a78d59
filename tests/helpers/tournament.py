"""The tournament search with some of its parts, for the tests of s22."""

from __future__ import annotations

import dataclasses

import chess

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s20_board_of_numbers import number_of
from converted_notebooks.s21_fast_evaluation import FastEvaluator
from utils.exercises.positions import MIDDLEGAME

NAMES = [part.name for part in dataclasses.fields(s22.Parts)]
NO_PARTS = s22.Parts(**dict.fromkeys(NAMES, False))
SAFE = dataclasses.replace(NO_PARTS, aspiration_windows=True, principal_variation_search=True)

START = chess.Board()
BLACK = chess.Board(chess.STARTING_FEN.replace(" w ", " b "))
THREE_TAKE = "k7/8/5N2/3r3Q/2P5/8/8/4K3 w - - 0 1"  # a rook on d5
NOISY = [
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 1",
    MIDDLEGAME,
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "2rq1rk1/pb2bppp/1pn1pn2/3p4/3P1B2/2NBPN2/PP2QPPP/2R2RK1 w - - 0 12",
]


class NoTable(s22.HashTable):
    """What is found elsewhere in the tree may be deeper: without a table nothing is."""

    def get(self, key: int) -> None:
        return None


def number(uci: str) -> int:
    return number_of(chess.Move.from_uci(uci))


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
