"""Work in other processes: every result comes once, whatever happens to the workers."""

from __future__ import annotations

import concurrent.futures as futures
import logging
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

import psutil  # type: ignore[import-untyped]
import pytest

from converted_notebooks.s24_measuring_strength import expected_score, plan_match
from tests.helpers.programs import posix, until
from utils.commands.errors import stopped_by_ctrl_c
from utils.matches import workers as module
from utils.matches.plan import play_plan
from utils.matches.workers import connect, map_unordered, uninterrupted, worker_pool
from utils.paths import ROOT

PATIENCE = 90  # seconds for a machine with other things to do


@pytest.mark.parametrize(
    "place", [nullcontext, lambda: futures.ThreadPoolExecutor(3), lambda: worker_pool(2)]
)
def test_each_result_comes_once(
    place: Callable[[], AbstractContextManager[futures.Executor | None]],
) -> None:
    with place() as executor:
        squares = [number**2 for number in range(25)]
        assert sorted(map_unordered(squares, math.isqrt, executor)) == list(range(25))
        assert list(map_unordered([], math.isqrt, executor)) == []
        with pytest.raises(ValueError, match="nonnegative"):
            list(map_unordered([1, -3, 2], math.isqrt, executor))


def test_what_programs_write_to_their_error_output_is_not_shown(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with worker_pool(1) as executor:
        assert executor is not None
        executor.submit(logging.getLogger("chess.engine").warning, "loud").result(PATIENCE)
    assert "loud" not in capfd.readouterr().err


def test_a_browser_has_no_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.matches.workers.IN_BROWSER", True)
    with worker_pool(2) as executor:
        assert executor is None


def test_closing_the_generator_cancels_tasks() -> None:
    begun, gate = [], threading.Event()

    def slow(number: int) -> int:
        begun.append(number)
        if number:
            gate.wait(PATIENCE)
        return number

    with futures.ThreadPoolExecutor(2) as executor:
        stream = map_unordered(range(10_000), slow, executor)
        assert next(stream) == 0
        until(lambda: len(begun) == 3)  # both threads wait at the gate
        stream.close()
        gate.set()
    assert begun == [0, 1, 2], "what was handed out and not begun was taken back"


def test_processes_can_go_on_after_work_was_stopped(tmp_path: Path) -> None:
    with worker_pool(2) as executor:
        stream = map_unordered(
            [tmp_path / str(number) for number in range(1000)], Path.touch, executor
        )
        next(stream)
        stream.close()
        assert sorted(map_unordered([9, 16], math.isqrt, executor)) == [3, 4]
        assert 1 <= len(list(tmp_path.iterdir())) <= 5, "the first, and two for each process"


def test_few_tasks_are_handed_out_ahead() -> None:
    class Here(futures.Executor):
        count = 2

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
            future: futures.Future[Any] = futures.Future()
            future.set_result(fn(*args, **kwargs))
            return future

    tasks = iter(range(50))
    stream = map_unordered(tasks, abs, Here())
    assert [next(stream) for _ in range(10)] == [*range(10)]
    assert next(tasks) == 13, "two for each process, of which the tenth is done"
    stream.close()


def test_ctrl_c_at_any_moment_ends_the_work_and_leaves_no_lock() -> None:
    bytecodes = _interrupted(0)
    assert bytecodes > 1000
    moments = [moment for moment in range(1, bytecodes, 61) if _interrupted(moment) == moment]
    assert len(moments) > 12, "most of them come, though threads take turns as they like"


def _interrupted(moment: int) -> int:
    """Ctrl-C after so many bytecodes of this thread, or never if 0; how many it has done."""
    done = 0

    def count(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal done
        frame.f_trace_opcodes = True
        if event == "opcode" and (done < moment or not moment):
            done += 1
            if done == moment:
                signal.raise_signal(signal.SIGINT)
        return count

    before, executor = sys.gettrace(), futures.ThreadPoolExecutor(2)
    interrupted = False
    with _default_handler():
        try:
            sys.settrace(count)
            assert sum(map_unordered(range(-5, 6), abs, executor)) == 30
        except KeyboardInterrupt:
            interrupted = True
        finally:
            sys.settrace(before)
    assert interrupted == (done == moment)
    end = threading.Thread(target=executor.shutdown, daemon=True)
    end.start()
    end.join(PATIENCE)
    assert not end.is_alive(), f"after {moment} bytecodes a lock stays locked"
    return done


@contextmanager
def _default_handler() -> Iterator[None]:
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, handler)


@pytest.mark.parametrize("error", [None, ValueError("bad input")])
def test_ctrl_c_means_what_it_did_before_when_a_command_has_ended(error: Exception | None) -> None:
    with _default_handler(), suppress(ValueError), stopped_by_ctrl_c():
        if error:
            raise error


def test_what_must_not_be_interrupted_is_interrupted_after_it() -> None:
    seen = []
    with pytest.raises(KeyboardInterrupt), _default_handler():
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            seen.append("end")
        seen.append("after it")
    assert seen == ["end"]


def test_no_signals_are_blocked_where_the_system_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pthread_sigmask", "SIG_BLOCK", "SIG_SETMASK"):
        monkeypatch.delattr(signal, name, raising=False)
    with pytest.raises(KeyboardInterrupt), _default_handler(), uninterrupted():
        signal.raise_signal(signal.SIGINT)


@posix
@pytest.mark.parametrize(("block", "masked"), [(uninterrupted, b"True"), (nullcontext, b"False")])
def test_processes_that_start_uninterrupted_never_get_ctrl_c(
    block: Callable[[], AbstractContextManager[None]], masked: bytes
) -> None:
    question = "import signal; print(signal.SIGINT in signal.pthread_sigmask(0, []))"
    with _default_handler(), uninterrupted():
        pass
    with _default_handler(), block():
        assert subprocess.check_output([sys.executable, "-c", question]).strip() == masked


def test_a_scheduler_that_is_gone_is_an_error() -> None:
    class Gone(futures.Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
            future: futures.Future[Any] = futures.Future()
            future.cancel()
            return future

    with pytest.raises(futures.BrokenExecutor, match="the scheduler is gone"):
        list(map_unordered(range(3), abs, Gone()))


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(futures.BrokenExecutor), worker_pool(2) as executor:
        list(map_unordered([0, 0, 0, 1, 0, 0, 0, 0], os._exit, executor))


def test_a_process_that_dies_while_another_starts_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(futures.ProcessPoolExecutor, "submit", mock.Mock(side_effect=OSError("x")))
    with pytest.raises(futures.BrokenExecutor, match="be started: x"), worker_pool(2) as executor:
        list(map_unordered([0], abs, executor))


def test_other_processes_find_chapters() -> None:
    with worker_pool(1) as executor:
        assert executor is not None
        assert executor.submit(expected_score, 0.0).result(PATIENCE) == 0.5


def test_a_pool_has_as_many_processes_as_it_is_told_where_the_system_can() -> None:
    for count in (1, 62):
        with worker_pool(count) as executor:  # none is started before there is a task
            most = 61 if sys.platform == "win32" else count
            assert getattr(executor, "count", None) == min(count, most)


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_than_one_worker_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="expected one or more"), worker_pool(count):
        pass


NEVER_ENDS = """
import os, sys, time
open(os.path.join(sys.argv[1], str(os.getpid())), "w").close()
time.sleep(600)
"""


def _programs_of_two_workers(folder: Path, parent: psutil.Process) -> list[psutil.Process]:
    """All processes below one whose two workers both wait for a program that never ends."""
    until(lambda: len(list(folder.iterdir())) == 2)
    found: list[psutil.Process] = parent.children(recursive=True)
    assert {path.name for path in folder.iterdir()} <= {str(process.pid) for process in found}
    return [process for process in found if "resource_tracker" not in "".join(process.cmdline())]


@posix
@pytest.mark.parametrize("end", ["at once", "after an error", "after one has ended"])
def test_at_the_end_of_the_block_processes_are_killed(tmp_path: Path, end: str) -> None:
    others = psutil.Process().children(recursive=True)  # of other tests in this process
    command = [sys.executable, "-c", NEVER_ENDS, str(tmp_path)]
    with suppress(RuntimeError), worker_pool(2) as executor:
        assert executor is not None
        calls = [executor.submit(subprocess.call, command) for _ in range(6)]
        processes = _programs_of_two_workers(tmp_path, psutil.Process())
        if end == "after an error":
            raise RuntimeError
        if end == "after one has ended":  # by SIGTERM, which the pool then sends to the other one
            next(process for process in processes if process.children()).terminate()
            assert not futures.wait(calls, PATIENCE).not_done
    assert all(call.done() for call in calls), "nobody waits for a result that cannot come"
    ours = [process for process in processes if process not in others]
    assert len(ours) >= 4 and not psutil.wait_procs(ours, PATIENCE)[1]


PARENT = """
import subprocess, sys
from utils.matches.workers import map_unordered, worker_pool
if __name__ == "__main__":
    with worker_pool(2) as executor:
        list(map_unordered([sys.argv[1:]] * 4, subprocess.call, executor))
"""


@posix
def test_processes_do_not_outlive_a_parent_that_was_killed(tmp_path: Path) -> None:
    python = [sys.executable, "-c"]
    command = [*python, PARENT, *python, NEVER_ENDS, str(tmp_path)]
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)}) as parent:
        processes = _programs_of_two_workers(tmp_path, psutil.Process(parent.pid))
        parent.kill()
    assert len(processes) >= 4 and not psutil.wait_procs(processes, PATIENCE)[1]


# A cluster


@contextmanager
def cluster(processes: bool) -> Iterator[str]:
    """The address of a Dask scheduler with two workers on this machine."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(processes=processes, **options) as found:
        yield found.scheduler_address


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_is_asked_for_few_tasks_ahead() -> None:
    tasks = iter(range(50))
    with cluster(processes=False) as address, worker_pool(scheduler=address) as executor:
        stream = map_unordered(tasks, abs, executor)
        next(stream)
        assert next(tasks) <= 6
        stream.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_worker_that_is_killed_costs_no_game_and_doubles_none(tmp_path: Path) -> None:
    path, alone = tmp_path / "cluster.pgn", tmp_path / "alone.pgn"

    plan = plan_match("s13", "s07", 16, "60n", longest=80)
    counts = []
    with cluster(processes=True) as address, worker_pool(scheduler=address) as executor:
        for games in play_plan(plan, path, executor):
            counts.append(len(games))
            if len(games) == 4:
                with closing(connect(address)) as client:
                    victim = psutil.Process(min(client.run(os.getpid).values()))
                victim.kill()
    assert not victim.is_running()
    assert counts == list(range(1, 17))
    for _ in play_plan(plan, alone):
        pass
    texts = (sorted(file.read_text("utf-8").split("[Event ")) for file in (path, alone))
    assert next(texts) == next(texts)


@pytest.mark.filterwarnings("default")
def test_the_scheduler_serves_others_after_a_match_is_stopped() -> None:
    with cluster(processes=False) as address:
        with worker_pool(scheduler=address) as executor:
            stream = map_unordered(range(1000), abs, executor)
            next(stream)
            stream.close()
        with worker_pool(scheduler=address) as executor:
            assert sorted(map_unordered([-3, 2, -1], abs, executor)) == [1, 2, 3]


@pytest.mark.filterwarnings("default")
def test_an_address_without_a_scheduler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(module, "CONNECT_TIMEOUT", 0.2)
    with pytest.raises(ConnectionError, match=r"tcp://127\.0\.0\.1:9.*dask scheduler"):
        connect("tcp://127.0.0.1:9")


def test_without_dask_there_is_a_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError, match="poetry install --extras cluster"):
        connect("tcp://127.0.0.1:9")
