"""The positions that the tables and the network learn from, and Stockfish's lines about them."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s27_compiled_search as s27
from converted_notebooks.s21_fast_evaluation import INFINITE
from converted_notebooks.s26_bitboards import to_board
from tests.helpers.programs import need
from utils.compiler import is_compiling
from utils.recipes import teacher

pytestmark = pytest.mark.skipif(not is_compiling(), reason="plain Python takes hours for a game")


@pytest.mark.parametrize("walks", [0, 5])
def test_positions_of_a_game_are_those_of_its_number(walks: int) -> None:
    both = teacher.positions([3, 7], walks)
    alone = [teacher.positions([number], walks) for number in (3, 7)]
    assert (both == np.concatenate(alone)).all() and len(alone[0]) and len(alone[1])
    assert len(both) < 2 * teacher.LONGEST * (1 + walks)
    # With walks, more than the games had plies: most are beside the games.
    assert (len(both) > 2 * teacher.LONGEST) == (walks > 0)
    thread = s27.SearchThread(s27.new_table(1), s23.load_network())
    for position in both:
        board = to_board(position)
        assert board.is_valid() and not board.is_check()
        assert board.halfmove_clock <= teacher.CALM + (teacher.FARTHEST if walks else 0)
        thread.begin(board)
        static = s27.evaluate(thread.stack[0], thread.state.sums[0], thread.network)
        assert static == thread.search(0, -INFINITE, INFINITE), "no capture gains anything"


def test_a_walk_has_the_plies_that_the_game_allows() -> None:
    thread, seed = s27.SearchThread(s27.new_table(1), s23.load_network()), np.array([3], np.uint64)
    for fen, plies in ((chess.STARTING_FEN, 3), ("7k/5K2/6Q1/8/8/8/8/8 w - - 0 1", 0)):
        thread.begin(chess.Board(fen))
        ends = set()
        for _ in range(20):
            assert teacher.random_walk(thread.work, seed, plies) == plies
            ends.add(to_board(thread.stack[plies]).epd())
        assert (len(ends) > 10) == (plies > 0)
    thread.begin(chess.Board("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1"))  # mate
    assert teacher.random_walk(thread.work, seed, 3) == 0


def test_games_are_collected_in_their_order() -> None:
    assert teacher.from_games(list, 250, 1) == [
        list(range(100)),
        list(range(100, 200)),
        list(range(200, 250)),
    ]


def test_random_numbers_are_below_their_bound_and_spread() -> None:
    seed = np.array([5], np.uint64)
    counted = np.bincount([teacher.random_below(seed, 10) for _ in range(10_000)], minlength=10)
    assert len(counted) == 10 and counted.min() > 850 and counted.max() < 1150


def test_the_teacher_is_asked_about_each_position_in_order() -> None:
    program = need("stockfish")
    boards = [chess.Board(), chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")]
    lines = teacher.teacher_lines(program, [board.epd() for board in boards], "1", "depth", "NNUE")
    best = [line.split()[1].decode() for line in lines if line.startswith(b"bestmove")]
    assert len(best) == 2 and best[1] == "a1a8"
    assert chess.Move.from_uci(best[0]) in boards[0].legal_moves


def test_a_teacher_that_breaks_down_is_an_error(tmp_path: object) -> None:
    program = need("stockfish")
    with pytest.raises(RuntimeError, match=f"{program} ended with"):
        list(teacher.teacher_lines(program, ["no position"], "1", "no limit", "NNUE"))
