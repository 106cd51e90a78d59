"""What every engine of the course offers to those who use it: stop, iterations, the last search."""

from __future__ import annotations

import gc
import threading
import weakref

import chess
import pytest
from chess.engine import Limit

from converted_notebooks.s04_engine_interface import Iteration
from converted_notebooks.s17_selective_search import Selection
from utils.engines import ENGINES, make_engine
from utils.exercises.positions import BACK_RANK

LOOKING_AHEAD = ENGINES[ENGINES.index("s09") :]
STOPPABLE = ENGINES[ENGINES.index("s11") :]
QUIET = chess.Board("r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9")


@pytest.mark.parametrize(
    ("chapter", "kind", "evaluator", "depth"),
    [
        ("s08", "OnePlyEngine", "MobilityEvaluator", None),
        ("s09", "NegamaxEngine", "Evaluator", 2),
        ("s10", "AlphaBetaEngine", "Evaluator", 3),
        ("s11", "IterativeAlphaBetaCached", "Evaluator", 2),
        ("s12", "IterativeAlphaBetaCached", "PieceSquareEvaluator", 2),
        ("s13", "IncrementalEngine", "QuickEndEvaluator", 2),
        ("s14", "OrderedEngine", "QuickEndEvaluator", 2),
        ("s15", "TableEngine", "QuickEndEvaluator", 2),
        ("s16", "QuiescenceEngine", "QuickEndEvaluator", 2),
        ("s17", "SelectiveEngine", "QuickEndEvaluator", 2),
        ("s18", "SelectiveEngine", "PositionalEvaluator", 2),
        ("s19", "ProbingEngine", "PositionalEvaluator", 2),
    ],
)
def test_engines_for_matches_are_set_as_the_chapters_say(
    chapter: str, kind: str, evaluator: str, depth: int | None
) -> None:
    engine = make_engine(chapter)
    searching = vars(engine).get("fallback", engine)  # s19 asks its tables first
    parts = vars(searching)
    assert (type(searching).__name__, type(parts["evaluator"]).__name__) == (kind, evaluator)
    assert parts.get("max_look_ahead_depth") == depth
    assert parts.get("selection", Selection.FULL) == Selection.FULL
    assert vars(make_engine("s07"))["top"] == 2


@pytest.mark.parametrize("chapter", LOOKING_AHEAD)
def test_iterations_tell_what_was_found(chapter: str) -> None:
    engine, heard = make_engine(chapter), list[Iteration]()
    engine.on_iteration = heard.append
    for depth in (2, 1):
        heard.clear()
        move = engine.play(QUIET.copy(), Limit(depth=depth)).move
        last = engine.last_search
        assert last is not None and tuple(heard) == engine.iterations and last is heard[-1]
        assert (last.depth, last.best.move) == (depth, move)
        assert [i.depth for i in heard] in (list(range(1, depth + 1)), [depth])
        assert [i.nodes for i in heard] == sorted({i.nodes for i in heard})
        assert 0 <= heard[0].seconds <= last.seconds
        assert last.line[0] == move and abs(last.best.score) < engine.mate_score
        board = QUIET.copy()
        for expected in last.line:
            assert expected in board.legal_moves
            board.push(expected)


@pytest.mark.parametrize("chapter", LOOKING_AHEAD)
def test_a_mate_has_the_score_of_a_mate(chapter: str) -> None:
    engine = make_engine(chapter)
    assert engine.play(chess.Board(BACK_RANK), Limit(depth=2)).move
    last = engine.last_search
    assert last is not None and last.best.score >= engine.mate_score


@pytest.mark.parametrize("chapter", ENGINES)
def test_an_engine_that_nobody_uses_is_freed_without_a_garbage_collection(chapter: str) -> None:
    # Otherwise a full collection, with all its results, comes in a later game and on its clock.
    gc.collect()
    gc.disable()
    try:
        engine = make_engine(chapter)
        engine.play(QUIET.copy(), Limit(depth=2))
        engine.analyse(QUIET.copy(), Limit(depth=1))
        freed = weakref.ref(engine)
        del engine
        assert freed() is None
    finally:
        gc.enable()


def test_the_expected_line_is_a_line_of_best_moves() -> None:
    for chapter in ENGINES[ENGINES.index("s15") :]:
        engine = make_engine(chapter)
        engine.play(QUIET.copy(), Limit(depth=4))
        assert engine.last_search and len(engine.last_search.line) >= 3, chapter


@pytest.mark.parametrize("chapter", STOPPABLE)
def test_stop_ends_a_search_in_another_thread(chapter: str) -> None:
    engine, begun = make_engine(chapter), threading.Event()
    engine.on_iteration = lambda found: begun.set()
    moves, limit = list[chess.Move | None](), Limit(time=60)
    search = threading.Thread(target=lambda: moves.append(engine.play(QUIET.copy(), limit).move))
    search.start()
    assert begun.wait(30)
    engine.stop()
    search.join(30)  # half of its limit
    assert not search.is_alive() and moves[0] in list(QUIET.legal_moves)
    assert not engine.stop_requested


@pytest.mark.parametrize("chapter", STOPPABLE)
def test_stop_counts_for_a_search_that_has_not_begun(chapter: str) -> None:
    engine = make_engine(chapter)
    engine.stop()
    assert engine.play(QUIET.copy(), Limit(depth=40)).move in list(QUIET.legal_moves)
    assert not engine.iterations
    assert engine.play(QUIET.copy(), Limit(depth=1)).move and engine.iterations


@pytest.mark.parametrize("chapter", STOPPABLE)
def test_each_search_uses_up_a_stop(chapter: str) -> None:
    engine, mated = make_engine(chapter), chess.Board("7k/5KQ1/8/8/8/8/8/8 b - - 0 1")
    for ask, board in ((engine.analyse, QUIET), (engine.play, mated), (engine.analyse, mated)):
        engine.stop()
        ask(board.copy(), Limit(depth=40))
        assert not engine.stop_requested and not engine.iterations


@pytest.mark.parametrize("chapter", ENGINES)
def test_every_engine_can_be_stopped_and_closed(chapter: str) -> None:
    engine = make_engine(chapter)
    engine.stop()
    engine.stop_requested = False
    engine.close()
    engine.close()
    assert engine.play(QUIET.copy(), Limit(depth=1)).move in list(QUIET.legal_moves)
