"""Programs that speak UCI, as engines of the course."""

from __future__ import annotations

import sys
import threading
from unittest import mock

import chess
import chess.engine
import psutil  # type: ignore[import-untyped]
import pytest
from chess.engine import Limit, SimpleEngine

from converted_notebooks.s04_engine_interface import FirstMoveEngine, ScoredMove, play_game
from converted_notebooks.s19_endgame_tables import MATE_SCORE
from tests.helpers.programs import DUMMY_FILE, SECONDS, need, until
from tests.helpers.properties import assert_analysis, assert_plays
from utils.engines import watchdog
from utils.exercises.positions import BACK_RANK
from utils.uci_engine import ANSWER_TIMEOUT, READY_TIMEOUT, UciEngine

COMMAND = [sys.executable, str(DUMMY_FILE)]


def test_stockfish_fits_the_interface() -> None:
    white = chess.Board(BACK_RANK)
    limit = Limit(depth=4)
    with UciEngine(need("stockfish"), {"Threads": 1}) as engine:
        assert "Stockfish" in engine.name
        for board, score in ((white, MATE_SCORE - 1), (white.mirror(), 1 - MATE_SCORE)):
            best = assert_analysis(engine, board, limit)[0]
            assert best.score == score and best.move == assert_plays(engine, board, limit)
        record = play_game(engine, FirstMoveEngine(), limit=limit, max_plies=60)
        assert record.result == "1-0"


def test_our_program_fits_the_interface(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="chess.engine")
    command = [sys.executable, "-m", "utils.uci", "--engine=s12"]
    with UciEngine(command, {"Hash": 1}) as engine:
        with watchdog(engine, SECONDS):
            assert_plays(engine, chess.Board())
            assert_analysis(engine, chess.Board())
            timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
        assert timers and all(timer.finished.is_set() for timer in timers), "it ends nothing later"
        assert caplog.text.count("<< go movetime 100") == 2
        for board in (chess.Board(BACK_RANK), chess.Board(BACK_RANK).mirror()):
            best = assert_analysis(engine, board, Limit(depth=2))[0]
            assert abs(best.score) == MATE_SCORE - 1 and abs(best.score) >= engine.mate_score
            assert assert_plays(engine, board, Limit(depth=2)) == best.move
        assert caplog.text.count("<< go depth 2") == 4
        assert caplog.text.count("<< ucinewgame") == 1
        assert engine.analyse(chess.Board("7k/5QQ1/8/8/8/8/8/K7 b - - 0 1")) == []


def test_a_program_that_is_absent_is_an_error_that_names_it() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-engine"):
        UciEngine("no-such-engine")


def test_the_program_is_ready_before_a_clock_runs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="chess.engine")
    with UciEngine(COMMAND, {"UCI_Elo": 1200}):
        said = [line for line in caplog.messages if "<< " in line or "readyok" in line]
    assert [line.rpartition("< ")[2].rpartition("> ")[2] for line in said] == [
        *("uci", "setoption name UCI_Elo value 1200", "isready", "readyok"),
    ]


def test_a_program_has_more_time_to_get_ready_than_to_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patience = list[float | None]()

    def noted(program: SimpleEngine) -> None:
        patience.append(program.timeout)

    popen = SimpleEngine.popen_uci

    def start(command: list[str], *, timeout: float) -> SimpleEngine:
        patience.append(timeout)
        return popen(command, timeout=timeout)

    monkeypatch.setattr(SimpleEngine, "popen_uci", start)
    monkeypatch.setattr(SimpleEngine, "ping", noted)
    monkeypatch.setattr(SimpleEngine, "quit", noted)
    engine = UciEngine(COMMAND)
    engine.close()
    engine.kill()
    assert patience == [READY_TIMEOUT, READY_TIMEOUT, ANSWER_TIMEOUT]


def test_no_program_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that cannot be set up, nor one that does not hear `quit`."""
    others = {*psutil.Process().children()}
    with pytest.raises(chess.engine.EngineError, match="Nonesuch"):
        UciEngine(COMMAND, {"Nonesuch": 1})
    until(lambda: others >= {*psutil.Process().children()})
    monkeypatch.setattr(SimpleEngine, "quit", mock.Mock(side_effect=TimeoutError))
    UciEngine(COMMAND).close()
    until(lambda: others >= {*psutil.Process().children()})


def test_a_program_that_has_ended_is_not_ready() -> None:
    with UciEngine(COMMAND) as engine:
        engine.kill()
        engine.stop()
        engine.new_game()
        with pytest.raises(chess.engine.EngineError):
            engine.prepare()


def test_the_program_hears_of_a_new_game_before_a_clock_runs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", logger="chess.engine")
    with UciEngine(COMMAND) as engine:

        def said() -> list[str]:
            lines = [line.rpartition("<< ")[2] for line in caplog.messages if "<< " in line]
            caplog.clear()
            return lines

        for _ in range(2):
            engine.new_game()
            said()
            for expected in (["ucinewgame", "isready"], []):  # before each move, as a match does
                engine.prepare()
                assert said() == expected
                engine.play(chess.Board())
                assert said() == ["position startpos", "go movetime 100"]


def test_the_program_is_told_of_each_new_game(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="chess.engine")
    with UciEngine(COMMAND) as engine:
        for _ in range(3):
            engine.new_game()
            engine.play(chess.Board())
            engine.play(chess.Board())
    assert caplog.text.count("<< go") == 6
    assert caplog.text.count("<< ucinewgame") == 3


def test_the_program_is_asked_to_stop(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="chess.engine")
    with UciEngine(COMMAND) as engine:
        engine.stop()
    said = [line.rpartition("<< ")[2] for line in caplog.messages if "<< " in line]
    assert said[-2:] == ["stop", "quit"]


@pytest.mark.parametrize("turn", chess.COLORS)
def test_the_lines_of_a_program_are_sorted_for_the_side_to_move(
    turn: chess.Color, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K7 w - - 0 1")
    board = board if turn else board.mirror()
    told = [
        {"score": chess.engine.PovScore(chess.engine.Cp(value), turn), "pv": [move]}
        for value, move in zip((5, 7, -3), board.legal_moves, strict=True)
    ]
    monkeypatch.setattr(SimpleEngine, "analyse", lambda *_, **__: told)
    with UciEngine(COMMAND) as engine:
        found = engine.analyse(board)
    sign = 1 if turn else -1
    assert engine.pawn_value == 100, "scores are in centipawns"
    assert found == [ScoredMove(sign * value, chess.Move.null()) for value in (7, 5, -3)]
    best, second = list(board.legal_moves)[1::-1]
    assert [entry.move for entry in found[:2]] == [best, second]
