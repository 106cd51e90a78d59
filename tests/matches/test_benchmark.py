"""The registry of engines and the benchmark; no test looks at seconds."""

from __future__ import annotations

import random
import re
import shutil
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import ClassVar

import chess
import pytest
from chess.engine import ConfigValue, Option

from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine
from tests.helpers.loader_tools import Project
from utils.commands.errors import InputError
from utils.commands.long_work import start_player
from utils.engines import ENGINES, Configurable, check_player, make_engine, make_player, players
from utils.matches import benchmark
from utils.paths import NOTEBOOKS


def test_engines_of_two_calls_share_nothing() -> None:
    one, two = vars(make_engine("s13")), vars(make_engine("s13"))
    assert one["evaluator"] is not two["evaluator"]
    with pytest.raises(ValueError, match=r"'s99' brings no engine; expected one of s05, "):
        make_engine("s99")


@pytest.mark.parametrize("make", [make_engine, make_player])
def test_an_engine_has_the_source_of_chance_that_is_given(make: Callable[..., Engine]) -> None:
    rng = random.Random(1)
    assert vars(make("s05", rng))["rng"] is rng


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
    with pytest.raises(ValueError, match="s34_cleo gave 'engine'; expected an Engine"):
        make_engine("s34")
    with pytest.raises(InputError, match="s34_cleo gave 'engine'; expected an Engine"):
        start_player("s34")
    for made in (make_engine("s31"), make_player("s31")):
        assert made.play(chess.Board()).move == chess.Move.from_uci("g1h3")
    check_player("s31")
    assert players() == ("s31", "s34")
    for bad in ("s32", "s33"):
        for ask in (make_engine, check_player):
            with pytest.raises(ValueError, match=f"'{bad}' brings no engine"):
                ask(bad)


def test_a_command_may_be_long_and_false_has_no_capital(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[object]()
    monkeypatch.setattr("utils.uci_engine.UciEngine", lambda *arguments: asked.extend(arguments))
    long = f"{sys.executable} mine.py --weights={'9' * 300}"
    make_player(f"{long}?UCI_Elo=1500&UCI_LimitStrength=False&Log=A.txt")
    options = {"UCI_Elo": "1500", "UCI_LimitStrength": "false", "Log": "A.txt"}
    assert asked == [long.split(), options]
    asked.clear()
    make_player(f"{sys.executable}?UCI_Elo=1500")
    assert asked[1] == {"UCI_Elo": "1500", "UCI_LimitStrength": "true"}


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("stockfish?Hash=16", FileNotFoundError, "get it from anywhere"),
        ("./absent?Hash=16", FileNotFoundError, "no engine and no program './absent'"),
        ("", FileNotFoundError, "no engine and no program ''"),
        ("my 'program", ValueError, 'cannot read "my \'program" (No closing quotation)'),
    ],
)
def test_a_program_that_cannot_be_started_is_named(
    monkeypatch: pytest.MonkeyPatch, spec: str, error: type[Exception], words: str
) -> None:
    monkeypatch.setattr("utils.engines.find_program", lambda _name: None)
    monkeypatch.setattr("utils.engines.install_hint", lambda _name: "get it from anywhere")
    for ask in (make_player, check_player):
        with pytest.raises(error, match=re.escape(words)):
            ask(spec)


def test_the_engine_of_a_chapter_takes_options() -> None:
    pytest.importorskip("numpy")
    engine = make_player("s27?Threads=2&Hash=8")
    assert isinstance(engine, Configurable)
    assert vars(engine)["values"] == {"Threads": 2, "Hash": 8}
    check_player("s27?Threads=2")
    bad = {
        "s27?Threads=0": "Threads=0 for s27: expected value for option 'Threads' to be at least 1",
        "s27?Threads=two": "Threads=two for s27: expected integer",
        "s27?Treads=2": "s27 has no option 'Treads'; expected Hash, Threads",
        "s10?Threads=2": "s10 has no option 'Threads'; expected no options",
        "s27?Threads": "expected options such as Hash=16",
    }
    for spec, message in bad.items():
        for ask in (make_player, check_player):
            with pytest.raises(ValueError, match=re.escape(message)):
                ask(spec)


def test_an_option_that_is_checked_is_true_or_false(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(FirstMoveEngine):
        options: ClassVar = {"Fast": Option("Fast", "check", False, None, None, None)}

        def set_option(self, name: str, value: ConfigValue) -> None:
            self.fast = value

    monkeypatch.setattr("utils.engines.make_engine", lambda *_: Own())
    with pytest.raises(ValueError, match=r"Fast=no for s10: .*expected true or false"):
        make_player("s10?Fast=no")
    assert vars(make_player("s10?Fast=TRUE"))["fast"] is True


def test_a_clock_with_coarse_steps_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    step, each, calls = 0.015625, 0.002, list[int]()

    def action() -> int:
        calls.append(1)
        return 3

    monkeypatch.setattr(time, "process_time", lambda: len(calls) * each // step * step)
    assert benchmark.speed(action) == pytest.approx(3 / each, rel=0.1)


def test_perft_is_the_published_one() -> None:
    assert benchmark.perft(chess.Board(), 3) == 8902
    assert benchmark.perft_speed(chess.Board(), 1) > 0


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is done once: what is measured does not matter."""
    monkeypatch.setattr(benchmark, "speed", lambda action: action())


@pytest.mark.usefixtures("quick")
def test_counts_of_equal_searches_are_equal() -> None:
    results = benchmark.benchmark(["s12", "s13"], depth=1, positions=["endgame", "opening"])
    nodes = {(result.engine, result.position): result.nodes for result in results}
    for position in ("endgame", "opening"):
        legal = chess.Board(benchmark.POSITIONS[position]).legal_moves.count()
        assert nodes["s12", position] == nodes["s13", position] == legal
    ends = [result for result in results if result.position == "endgame"]
    assert [one.perft_ratio for one in ends] == [one.nodes / 2812 for one in ends]
    assert len(benchmark.rows(results)[1]) == 4


def test_a_row_has_rounded_numbers_below_their_names() -> None:
    measured = benchmark.Measurement("s10", "opening", 4, 1000, 1234.6, 0.126)
    head, (row,) = benchmark.rows([measured])
    assert dict(zip(head, row, strict=True)) == {
        **{"position": "opening", "engine": "s10", "depth": 4, "nodes": 1000},
        **{"nodes/s": 1235, "of perft": "0.13"},
    }


def test_what_an_engine_has_searched_before_does_not_count() -> None:
    engine, board = make_engine("s15"), chess.Board()
    first, second = (benchmark.nodes_searched(engine, board, 3) for _ in range(2))
    assert first == second > 20


def test_without_a_depth_the_search_is_long_enough_to_measure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = iter([0, 0.05, 1, 1.05, 2, 2.25])  # two searches are short, the third is not
    monkeypatch.setattr(benchmark, "speed", lambda search: 1.0)
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(process_time=lambda: next(ticks)))
    assert benchmark.measure("s13", "endgame", None, 1.0).depth == 4


@pytest.mark.usefixtures("quick")
def test_the_command_prints_a_table_of_searchers(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark.searchers() == [chapter for chapter in ENGINES if chapter >= "s09"]
    benchmark.main(["s10"], 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[2:]] == [
        [position, "s10", "1"] for position in benchmark.POSITIONS
    ]
    for chapter, words in (("s01", "expected one of"), ("s05", "such as s10")):
        with pytest.raises(SystemExit, match=f"{chapter}.*{words}"):
            benchmark.main([chapter], 1)


def test_without_a_source_of_chance_an_engine_plays_the_same_each_time() -> None:
    first, second = (
        [engine.play(chess.Board()).move for _ in range(8)]
        for engine in (make_engine("s05"), make_engine("s05"))
    )
    assert first == second and len(set(first)) > 1
