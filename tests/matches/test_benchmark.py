"""The registry of engines and the benchmark; no test looks at seconds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import chess
import chess.engine
import pytest

from converted_notebooks.s04_engine_interface import Engine, play_game
from tests.loader_tools import Project
from utils.engines import ENGINES, check_player, make_engine, make_player, players
from utils.matches import benchmark
from utils.paths import NOTEBOOKS


@pytest.mark.parametrize("chapter", ENGINES)
def test_every_chapter_has_an_engine_that_plays(chapter: str) -> None:
    engine = make_engine(chapter)
    assert isinstance(engine, Engine)
    board = chess.Board()
    assert engine.play(board, chess.engine.Limit(depth=1)).move in board.legal_moves
    assert not board.move_stack


def test_any_two_engines_play_each_other() -> None:
    engines = [make_engine(chapter) for chapter in ENGINES]
    for white, black in zip(engines, reversed(engines), strict=True):
        record = play_game(white, black, limit=chess.engine.Limit(depth=1), max_plies=6)
        assert record.plies == 6


def test_engines_of_two_calls_share_nothing() -> None:
    assert make_engine("s13").evaluator is not make_engine("s13").evaluator


def test_an_unknown_chapter_is_named() -> None:
    with pytest.raises(ValueError, match=r"'s99' brings no engine; expected one of s05, "):
        make_engine("s99")


OWN = """import random

from converted_notebooks.s04_engine_interface import FirstMoveEngine


def make_engine(rng: random.Random) -> FirstMoveEngine:
    return FirstMoveEngine()
"""


def test_a_chapter_that_a_reader_adds_plays(chapters: Project) -> None:
    shutil.copy(NOTEBOOKS / "s04_engine_interface.ipynb", chapters.notebooks)
    chapters.write("s31_anna", OWN)
    chapters.write("s32_ben", "LUCK = 7")
    chapters.write("s34_cleo", "def make_engine(rng: object) -> str:\n    return 'engine'")
    with pytest.raises(TypeError, match="s34_cleo gave 'engine'; expected an Engine"):
        make_engine("s34")
    for made in (make_engine("s31"), make_player("s31")):
        assert made.play(chess.Board()).move == chess.Move.from_uci("g1h3")
    check_player("s31")
    assert players() == ("s31", "s34")
    for bad in ("s32", "s33"):
        with pytest.raises(ValueError, match=f"'{bad}' brings no engine"):
            make_engine(bad)
        with pytest.raises(ValueError, match=f"'{bad}' brings no engine"):
            check_player(bad)


def test_perft_is_the_published_one() -> None:
    assert benchmark.perft(chess.Board(), 3) == 8902


def test_a_clock_with_coarse_steps_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    step, each = 0.015625, 0.002
    now = 0.0

    def action() -> int:
        nonlocal now
        now += each
        return 3

    monkeypatch.setattr(benchmark.time, "process_time", lambda: now // step * step)
    assert benchmark.speed(action) == pytest.approx(3 / each, rel=step / benchmark.SHORT)


def test_a_long_try_is_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, benchmark.LONG + 1])
    monkeypatch.setattr(benchmark.time, "process_time", lambda: next(times))
    assert benchmark.speed(lambda: 4) == 4 / (benchmark.LONG + 1)


def test_counts_of_equal_searches_are_equal() -> None:
    results = benchmark.benchmark(["s12", "s13"], depth=2, positions=["endgame", "opening"])
    nodes = {(result.engine, result.position): result.nodes for result in results}
    for position in ("endgame", "opening"):
        assert nodes["s12", position] == nodes["s13", position] > 0
    assert all(0 < result.heuristic_share < 1 for result in results)
    assert [len(row) for row in benchmark.rows(results)[1]] == [8] * 4


def test_the_evaluator_is_as_before_after_it_was_timed() -> None:
    engine = make_engine("s13")
    board = chess.Board()
    spent = benchmark.heuristic_seconds(engine, lambda: engine.analyse(board))
    assert spent > 0
    assert not set(benchmark.HEURISTIC) & set(vars(engine.evaluator))


def test_the_command_prints_a_table_and_writes_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmark, "REPORT", tmp_path / "build" / "bench.json")
    benchmark.main(["s10", "--depth", "1"])
    assert "s10" in capsys.readouterr().out
    report = json.loads((tmp_path / "build" / "bench.json").read_text(encoding="utf-8"))
    assert [entry["position"] for entry in report["results"]] == list(benchmark.POSITIONS)
    assert (
        report["results"][0]["nodes"]
        == chess.Board(benchmark.POSITIONS["opening"]).legal_moves.count()
    )


def test_bad_arguments_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        benchmark.main(["s01"])
    assert "got s01 at depth None" in capsys.readouterr().err
