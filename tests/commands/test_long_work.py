"""Long work: its progress, its workers, and what Ctrl-C or a dead worker leaves behind."""

from __future__ import annotations

import contextlib
import functools
import re
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
import typer

from tests.commands.command_line import COMMAND, OF_THREE, run
from tests.helpers.programs import Program, posix, until
from utils.commands.errors import INTERRUPTED, stopped_by_ctrl_c
from utils.commands.long_work import progress_bar
from utils.matches.records import read_played
from utils.matches.suites import Answer


def test_progress_is_shown_with_the_results_so_far(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("games", 40) as bar:
        bar.update(5)
        assert capsys.readouterr().err == "", "short work needs none"
        bar.delay = bar.mininterval = 0  # seconds
        bar.set_postfix_str("+3 =4 -3", refresh=False)
        bar.update(5)
    assert re.search(r"10/40 \[.* games.*, \+3 =4 -3\]", capsys.readouterr().err)


@posix
def test_ctrl_c_leaves_a_match_that_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    arguments = ("match", "s08", "s07", "--control", "d1", "--pgn", path)
    with Program([*COMMAND, *arguments, "--workers", 2, "--games", 300]) as program:
        until(lambda: path.exists() and path.read_bytes().count(b"[Event ") >= 3)
        assert program.ends(interrupted=True) == INTERRUPTED
        said = program.said
    assert "Traceback" not in said["stderr"]
    on = f"the games are in {path}; the same command goes on from there."
    assert re.search(rf"^Stopped after \d+ of 300 games; {re.escape(on)}$", said["stderr"], re.M)
    assert re.match(r"s08 against s07: \d+ of 300 games, \+\d+ =\d+ -\d+, ", said["stdout"])
    begun = path.read_bytes()
    done = read_played(path)
    assert 3 <= len(done) < 300 and begun.count(b"[Event ") == len(done)
    with path.open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert not [game.errors for game in games if game.errors]
    total = max(game.number for game in done) // 2 * 2 + 4
    again = run(*arguments, "--workers", 2, "--games", total)
    assert again.exit_code == 0, again.output
    assert path.read_bytes().startswith(begun)
    assert sorted(game.number for game in read_played(path)) == list(range(total))
    assert not path.with_name("match.pgn.broken").exists()


ANSWER = Answer(0, "M2.01", "Ra8#", True, 0.1, 12)


@pytest.mark.parametrize(
    ("command", "shown", "done", "resume"),
    [
        ("match s05 s07 --games 2", "", "0 of 2 games", "its games are not kept; with --pgn FILE"),
        ("match s05 s07 --pgn x.pgn", "", "0 of 100 games", "the games are in x.pgn; the same"),
        ("suite", "bratko-kopec: 1 of 1 solved", "1 of 24 problems", "a suite starts again"),
        (
            "ladder s05 s06 s07",
            "| s07 |",
            "6 of 6 games",
            f"the games are in {Path('ladder', 'games.pgn')}; the",
        ),
    ],
)
def test_ctrl_c_and_dead_workers(
    command: str,
    shown: str,
    done: str,
    resume: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(results: Sequence[object], error: type[BaseException]) -> Iterator[object]:
        yield from results
        raise error("somebody has killed it")

    monkeypatch.chdir(tmp_path)
    Path("ladder").mkdir()
    for error, code in ((KeyboardInterrupt, INTERRUPTED), (BrokenProcessPool, 1)):
        results = [OF_THREE[:6]] if "ladder" in command else []
        for name, some in (("plan.play_plan", results), ("suites.run_suite", [ANSWER])):
            failing = functools.partial(fail, some, error)
            monkeypatch.setattr(
                f"utils.matches.{name}", lambda *_, failing=failing, **options: failing()
            )
        result = run(*command.split())
        last = result.stderr.splitlines()[-1]
        assert result.exit_code == code and resume in last, last
        if error is KeyboardInterrupt:
            assert last.startswith(f"Stopped after {done}; ") and shown in result.stdout
            assert bool(result.stdout) == bool(shown) and "mates: " not in result.stdout
            table = Path("ladder", "ladder.json")  # from which --table makes it again
            assert table.exists() == ("ladder" in command)
        else:
            assert "a worker process has died; " in last and result.stdout == ""


def test_a_second_ctrl_c_and_one_that_is_ignored_change_nothing() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopped_by_ctrl_c():  # a job in the background
            signal.raise_signal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        again = functools.partial(signal.raise_signal, signal.SIGINT)
        with pytest.raises(typer.Exit), stopped_by_ctrl_c(again):
            signal.raise_signal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with stopped_by_ctrl_c():
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

        def in_a_thread() -> bool:  # where no handler can be set
            with stopped_by_ctrl_c():
                return signal.getsignal(signal.SIGINT) is signal.default_int_handler

        with ThreadPoolExecutor() as executor:
            assert executor.submit(in_a_thread).result()
    finally:
        signal.signal(signal.SIGINT, before)


def test_workers_and_scheduler_are_those_that_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    where = list[tuple[object, ...]]()

    @contextlib.contextmanager
    def note(*given: object) -> Iterator[None]:
        where.append(given)
        yield None

    monkeypatch.setattr("utils.matches.workers.worker_pool", note)
    options = ("--workers", 3, "--scheduler", "tcp://x:1")
    run("match", "s05", "s07", "--games", 2, "--control", "d1", *options)
    assert where == [(3, "tcp://x:1")]
    monkeypatch.setattr("utils.matches.plan.play_plan", lambda *_, **options: iter(()))
    elsewhere = ("match", "s05", "only-the-cluster-has-this", "--scheduler", "tcp://x:1")
    assert run(*elsewhere).exit_code == 0, "nothing is started here"
    assert run(*elsewhere[:3]).exit_code == 2
