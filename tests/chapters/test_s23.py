"""The tournament engine: its clock, its patience, its network, and who answers first."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from unittest import mock

import chess
import chess.engine
import numpy as np
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks.s04_engine_interface import Iteration, ScoredMove
from converted_notebooks.s06_opening_book import COURSE_BOOK, OpeningBook
from converted_notebooks.s08_evaluation import random_positions
from converted_notebooks.s19_endgame_tables import three_piece_tables
from converted_notebooks.s20_board_of_numbers import (
    NumberBoard,
    chess_board,
    legal_moves,
    make,
    unmake,
)
from converted_notebooks.s21_fast_evaluation import FastEvaluator
from converted_notebooks.s22_tournament_search import HashTable
from tests.helpers.generated import examples
from tests.helpers.networks import network_score, played
from tests.helpers.positions import STARTS, positions
from tests.helpers.programs import need
from tests.helpers.properties import assert_analysis, assert_plays
from utils.matches.suites import read_suite
from utils.paths import DATA

PROVE = examples(60)
CASTLING = STARTS[1]


@PROVE
@given(
    st.floats(0, 7200, allow_nan=False),
    st.floats(0, 60),
    st.one_of(st.none(), st.integers(1, 60)),
    st.booleans(),
)
def test_a_plan_never_exceeds_half_of_the_clock(
    clock: float, increment: float, moves: int | None, white: bool
) -> None:
    side, other = ("white", "black") if white else ("black", "white")
    limit = Limit(remaining_moves=moves)
    setattr(limit, f"{side}_clock", clock)
    setattr(limit, f"{side}_inc", increment)
    setattr(limit, f"{other}_clock", 0.0)
    soft, hard = s23.seconds_for(white, limit)
    assert 0 <= soft <= hard <= max(clock - s23.OVERHEAD, 0) / 2
    limit.time = hard / 2
    assert s23.seconds_for(white, limit)[1] <= hard / 2


def test_fewer_moves_to_go_and_more_increment_mean_more_time() -> None:
    def planned(**more: float) -> tuple[float, float]:
        return s23.seconds_for(chess.WHITE, Limit(white_clock=60.0, **more))  # type: ignore[arg-type]

    assert planned()[0] < planned(remaining_moves=5)[0] < planned(remaining_moves=1)[0]
    assert planned()[0] < planned(white_inc=1.0)[0] and planned() == planned(black_inc=1.0)
    assert planned(remaining_moves=90) == planned()
    for seconds, used in ((2.0, 1.995), (0.006, 0.003)):
        assert s23.seconds_for(chess.BLACK, Limit(time=seconds)) == pytest.approx((used, used))
    assert s23.seconds_for(chess.BLACK, Limit(white_clock=1.0)) == (float("inf"),) * 2
    assert s23.seconds_for(chess.WHITE, Limit(white_clock=1.0))[0] > 0, "a game in a second"


@pytest.mark.parametrize(
    ("increment", "moves", "target", "most"),
    [
        (0.0, None, 1.0, 2.5),  # for thirty moves and this one
        (2.0, None, 2.0, 5.0),
        (0.0, 4, 6.2, 15.5),  # half of the clock, at most
        (90.0, None, 15.5, 15.5),
    ],
)
def test_the_plan_for_a_clock_in_numbers(
    increment: float, moves: int | None, target: float, most: float
) -> None:
    limit = Limit(white_clock=31.1, white_inc=increment, remaining_moves=moves)
    assert s23.seconds_for(chess.WHITE, limit) == pytest.approx((0.7 * target, most))


def found(*moves_and_values: tuple[str, int], view: int = 1) -> tuple[Iteration, ...]:
    """Iterations with these moves and values, from the side's own view."""
    iterations: list[Iteration] = []
    for depth, (uci, value) in enumerate(moves_and_values, 1):
        best = ScoredMove(view * value, chess.Move.from_uci(uci))
        changed = not iterations or iterations[-1].best.move != best.move
        iterations.append(Iteration(depth, best, changed, depth))
    return tuple(iterations)


@pytest.mark.parametrize("turn", [chess.WHITE, chess.BLACK])
def test_a_stable_move_takes_less_time_and_a_falling_value_more(turn: chess.Color) -> None:
    view = 1 if turn else -1

    def factor(*moves_and_values: tuple[str, int]) -> float:
        return s23.patience(found(*moves_and_values, view=view), turn)

    sure = [factor(*[("e2e4", 20)] * n) for n in range(1, 8)]
    chosen = [1.8, 1.44, 1.152, 0.9216, 0.73728, 0.73728, 0.73728]  # by the clocks of games
    assert sure == pytest.approx(chosen)
    assert factor(*[("e2e4", 20)] * 6, ("d2d4", 21)) == sure[0]
    steady = [("e2e4", 20)] * 5
    falls, rises = factor(*steady, ("e2e4", -5)), factor(*steady, ("e2e4", 45))
    assert falls == pytest.approx(1.5 * rises) and rises == sure[-1]
    assert factor(*steady[:4], ("e2e4", 0), ("e2e4", -5)) == falls
    assert factor(*steady, ("e2e4", -4)) == rises
    slowly = [("e2e4", value) for value in (60, 30, 28, 26)]
    assert factor(*slowly) == sure[3], "only two iterations count"


def test_each_side_has_its_own_clock_and_increment() -> None:
    white = Limit(white_clock=60.0, white_inc=2.0, black_clock=9.0, black_inc=0.5)
    black = Limit(black_clock=60.0, black_inc=2.0, white_clock=9.0, white_inc=0.5)
    for turn in chess.COLORS:
        assert s23.seconds_for(turn, white) == s23.seconds_for(not turn, black)
        clock = s23.Clock(chess.Board() if turn else chess.Board().mirror(), white)
        assert (clock.soft, clock.hard) == s23.seconds_for(turn, white)


def test_of_a_time_and_a_clock_the_stricter_one_counts_for_both_limits() -> None:
    clock = Limit(white_clock=60.0)
    assert s23.seconds_for(chess.WHITE, Limit(time=0.5, white_clock=60.0)) == (0.5 - s23.LATE,) * 2
    longer = Limit(time=100.0, white_clock=60.0)
    assert s23.seconds_for(chess.WHITE, longer) == s23.seconds_for(chess.WHITE, clock)


def test_the_plan_for_a_search_is_the_hard_limit() -> None:
    limit = Limit(white_clock=60.0)
    plan = s23.ClockedEngine(1).plan(chess.Board(), limit)
    assert plan == s23.seconds_for(chess.WHITE, limit)[1] > s23.seconds_for(chess.WHITE, limit)[0]


def test_a_search_that_goes_on_is_ended_at_the_hard_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks) / 100)
    monkeypatch.setattr(s23.Clock, "has_enough", lambda *_: False)
    engine = s23.ClockedEngine(1)
    assert_plays(engine, chess.Board(CASTLING), Limit(white_clock=4.0))
    _, hard = s23.seconds_for(chess.WHITE, Limit(white_clock=4.0))
    assert engine.iterations and next(ticks) / 100 < hard + 0.1


def test_the_memory_that_is_asked_for_reaches_the_table() -> None:
    for megabytes in (1, 2):
        engine = s23.TournamentEngine(megabytes=megabytes)
        assert engine.fallback.searcher.table.half == HashTable(megabytes).half


def test_a_move_of_the_book_leaves_no_iterations_of_an_earlier_search() -> None:
    engine = s23.TournamentEngine(OpeningBook(COURSE_BOOK), megabytes=1)
    assert_plays(engine, chess.Board(CASTLING), Limit(depth=1))
    assert engine.iterations
    assert_plays(engine, chess.Board())
    assert not engine.iterations


def test_a_stop_is_used_up_by_a_move_of_the_book() -> None:
    engine = s23.TournamentEngine(OpeningBook(COURSE_BOOK), megabytes=1)
    engine.stop()
    assert engine.play(chess.Board()).move and not engine.iterations
    assert not engine.stop_requested


def test_an_only_move_is_played_at_once_if_time_can_be_saved() -> None:
    only = chess.Board("4k3/8/8/8/5p2/5P2/r7/7K w - - 0 1")
    assert only.legal_moves.count() == 1
    engine = s23.TournamentEngine()
    engine.play(only, Limit(white_clock=600.0, black_clock=600.0))
    assert len(engine.iterations) == 1
    engine.play(only, Limit(nodes=3000))
    assert len(engine.iterations) > 1


def test_a_clock_ends_the_deepening_after_the_soft_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    board, limit = chess.Board(), Limit(white_clock=60.0, black_clock=60.0)
    clock, sure = s23.Clock(board, limit), found(*[("e2e4", 20)] * 6)
    soft = clock.soft * s23.patience(sure, chess.WHITE)
    now[0] += soft - 0.01
    assert not clock.has_enough(sure)
    now[0] += 0.02
    assert clock.has_enough(sure) and not clock.has_enough(found(("e2e4", 20)))
    fixed = s23.Clock(board, Limit(time=1.0))
    now[0] += 0.9
    assert not fixed.has_enough(sure)
    now[0] += 0.1
    assert fixed.has_enough(sure)


@pytest.mark.parametrize("turn", chess.COLORS)
def test_a_clock_waits_longer_if_the_value_of_its_own_side_falls(
    turn: chess.Color, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, view = [100.0], 1 if turn else -1
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    board = chess.Board() if turn else chess.Board().mirror()
    clock = s23.Clock(board, Limit(white_clock=60.0, black_clock=60.0))
    falls, rises = (found(*[("e2e4", 20)] * 5, ("e2e4", last), view=view) for last in (-20, 60))
    now[0] += 0.9 * clock.soft  # between 0.74 and 1.11 times the soft limit
    assert clock.has_enough(rises) and not clock.has_enough(falls)


def test_one_ply_is_searched_however_late_it_is() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    for clock in (0.09, 0.0):
        engine = s23.TournamentEngine(megabytes=1)
        assert engine.play(board, Limit(white_clock=clock)).move == chess.Move.from_uci("d1a1")
        assert engine.iterations


def test_book_and_tables_answer_first() -> None:
    engine = s23.TournamentEngine(OpeningBook(COURSE_BOOK), three_piece_tables(), megabytes=1)
    assert_plays(engine, chess.Board())
    assert engine.iterations == () and engine.fallback.searcher.nodes == 0
    ending = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    assert_plays(engine, ending, Limit(depth=1))
    assert engine.iterations == () and engine.fallback.searcher.nodes == 0
    assert_plays(engine, chess.Board(CASTLING), Limit(depth=2))
    assert len(engine.iterations) == 2 and engine.name == "TournamentEngine"
    assert_analysis(engine, chess.Board(CASTLING), Limit(depth=1))


def test_the_choice_in_the_book_follows_the_seed() -> None:
    engine = s23.TournamentEngine(OpeningBook(COURSE_BOOK), megabytes=1)

    def moves() -> list[chess.Move | None]:
        return [engine.play(chess.Board()).move for _ in range(20)]

    engine.new_game(random.Random(3))
    first = moves()
    engine.new_game(random.Random(3))
    assert moves() == first and len(set(first)) > 1


def test_the_book_is_asked_by_weight_with_the_same_source_of_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pick, rng = mock.Mock(side_effect=lambda replies, *_: next(iter(replies))), random.Random(1)
    monkeypatch.setattr(s23, "pick", pick)
    engine = s23.TournamentEngine(OpeningBook(COURSE_BOOK), rng=rng, megabytes=1)
    for _ in range(2):
        engine.play(chess.Board())
        engine.new_game()
    assert [call.args[1:] for call in pick.call_args_list] == [("weight", rng)] * 2


@examples(6)
@given(positions(max_plies=20))
def test_a_new_game_begins_as_the_first_one(board: chess.Board) -> None:
    used, new = s23.TournamentEngine(megabytes=4), s23.TournamentEngine(megabytes=4)
    used.play(board, Limit(nodes=1000))  # the same tree: what is not forgotten is found again
    used.new_game(random.Random(1))
    assert used.play(board, Limit(nodes=800)).move == new.play(board, Limit(nodes=800)).move
    assert used.iterations == new.iterations


# What a solution may lose against the move that Stockfish prefers, in centipawns.
TOLERANCE = 60


@pytest.mark.slow
def test_stockfish_agrees_with_the_solutions_of_bratko_and_kopec() -> None:
    """Mostly; some solutions are a matter of taste, so they may lose a little."""
    limit, agreed = Limit(nodes=100_000), 0
    with chess.engine.SimpleEngine.popen_uci(need("stockfish")) as engine:
        engine.configure({"Threads": 1, "Hash": 64})
        for problem in read_suite(DATA / "suites" / "bratko-kopec.epd").problems:
            board = problem.board()
            free = engine.analyse(board, limit, game=object())
            if free["pv"][0] in problem.best:
                agreed += 1
                continue
            bound = engine.analyse(board, limit, game=object(), root_moves=problem.best)
            best, found = (
                info["score"].relative.score(mate_score=100_000) for info in (free, bound)
            )
            assert best - found <= TOLERANCE, (problem.name, best, found)
    assert agreed >= 15


# The network


def test_scores_of_the_network_are_those_of_the_plain_form() -> None:
    judge = s23.NetworkEvaluator()
    unrelated = random_positions(400, random.Random(1))
    for board in itertools.chain(unrelated, played(400, random.Random(2))):
        score = network_score(board)
        for side in (board, board.mirror()):
            assert judge.evaluate(NumberBoard(side)) == score, board.fen()
    for mirrors, hidden in judge.sums.items():
        assert hidden.sums.any(), mirrors


def test_sums_follow_a_search_there_and_back() -> None:
    judge = s23.NetworkEvaluator()

    def compare(numbers: NumberBoard, depth: int) -> None:
        if depth:
            for move in legal_moves(numbers):
                undo = make(numbers, move)
                compare(numbers, depth - 1)
                unmake(numbers, undo)
        assert judge.evaluate(numbers) == network_score(chess_board(numbers))

    for fen in ("r3k2r/8/8/3pP3/1p6/8/P7/R3K2R w KQkq d6 0 2", "8/1P3k2/8/8/8/2K5/6p1/8 b - - 0 1"):
        compare(NumberBoard(chess.Board(fen)), 2)


def test_a_network_is_asked_once_about_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, numbers = s23.NetworkEvaluator(), NumberBoard(chess.Board())
    first, asked = judge.score(numbers), mock.Mock(return_value=7)
    monkeypatch.setattr(judge, "evaluate", asked)
    assert judge.score(numbers, 500, 501) == first and not asked.called
    judge.forget()
    assert judge.score(numbers) == 7


def test_the_memory_of_the_network_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s23, "MOST_SCORES", 10)
    judge = s23.NetworkEvaluator()
    for board in random_positions(40, random.Random(3)):
        assert judge.score(NumberBoard(board)) == network_score(board)
        assert len(judge.scores) <= 10


def test_large_scores_are_softened_and_stay_far_from_mates() -> None:
    scores = 800, 807, 808, -800, -801, -808, 10**6, -(10**6)
    found = [s23.softened(score) for score in scores]
    assert found == [800, 800, 801, -800, -801, -801, 20_000, -20_000]


def test_a_file_with_something_else_is_no_network(tmp_path: Path) -> None:
    path = tmp_path / "network.npy"
    for wrong in (np.zeros(1), np.zeros(2, s23.NETWORK)):
        np.save(path, wrong)
        with pytest.raises(ValueError, match=r"network\.npy: expected one network of 256 sums"):
            s23.load_network(path)


def test_without_numpy_the_engine_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise ModuleNotFoundError("numpy is not in this site")

    assert isinstance(s23.ClockedEngine(1).searcher.evaluator, s23.NetworkEvaluator)
    monkeypatch.setattr(s23, "NetworkEvaluator", absent)
    engine = s23.TournamentEngine(megabytes=1)
    assert isinstance(engine.fallback.searcher.evaluator, FastEvaluator)
    assert_plays(engine, chess.Board(), Limit(depth=2))
