"""Work in other processes: every result comes once, whatever happens to the workers."""

import concurrent.futures as futures
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from converted_notebooks.s21_measuring_strength import Match, read_games
from tests.programs import posix, until
from utils.matches import workers as module
from utils.matches.workers import HereExecutor, in_chapter, in_order, spread, uninterrupted, workers
from utils.paths import ROOT

PATIENCE = 90  # seconds for a machine with other things to do


def double(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return 2 * number


@contextlib.contextmanager
def threads() -> Iterator[futures.Executor]:
    with futures.ThreadPoolExecutor(3) as executor:
        yield executor


@contextlib.contextmanager
def here() -> Iterator[futures.Executor]:
    yield HereExecutor()


@contextlib.contextmanager
def nothing() -> Iterator[None]:
    yield None


@pytest.mark.parametrize("places", [nothing, here, threads, lambda: workers(2)])
def test_each_result_comes_once(
    places: Callable[[], contextlib.AbstractContextManager[futures.Executor | None]],
) -> None:
    with places() as executor:
        assert sorted(spread(range(25), double, executor)) == list(range(0, 50, 2))
        assert list(spread([], double, executor)) == []
        with pytest.raises(ValueError, match="-3 is negative"):
            list(spread([1, -3, 2], double, executor))


def test_who_stops_asking_stops_the_work() -> None:
    begun, gate = [], threading.Event()

    def slow(number: int) -> int:
        begun.append(number)
        if number:
            gate.wait(PATIENCE)
        return number

    with futures.ThreadPoolExecutor(2) as executor:
        stream = spread(range(1000), slow, executor)
        assert next(stream) == 0
        until(lambda: len(begun) == 3)  # both threads wait at the gate
        stream.close()
        gate.set()
    assert begun == [0, 1, 2], "what was handed out and not begun was taken back"


def test_ctrl_c_at_any_moment_ends_the_work_and_leaves_no_lock() -> None:
    bytecodes = _interrupted(0)
    assert bytecodes > 2000
    moments = [moment for moment in range(1, bytecodes, 61) if _interrupted(moment) == moment]
    assert len(moments) > 20, "most of them come, though threads take turns as they like"


def _interrupted(moment: int) -> int:
    """Ctrl-C after so many bytecodes of this thread, or never if 0; how many it has done."""
    assert threading.current_thread() is threading.main_thread()
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
    with _heedful():
        try:
            sys.settrace(count)
            assert sum(spread(range(12), double, executor)) == 132
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


def test_what_must_not_be_interrupted_is_interrupted_after_it() -> None:
    seen = []
    with pytest.raises(KeyboardInterrupt), _heedful():
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            seen.append("end")
        seen.append("after it")
    assert seen == ["end"]
    with _heedful(), uninterrupted():
        pass
    with threads() as pool, _heedful():  # other threads are never interrupted
        assert list(spread([3], _quietly, pool)) == [6]


def _quietly(number: int) -> int:
    with uninterrupted():
        return double(number)


@contextlib.contextmanager
def _heedful() -> Iterator[None]:
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, handler)


@posix
def test_processes_that_start_uninterrupted_never_hear_ctrl_c() -> None:
    question = "import signal; print(signal.SIGINT in signal.pthread_sigmask(0, []))"
    command = [sys.executable, "-c", question]
    with _heedful():
        with uninterrupted():
            assert subprocess.run(command, stdout=subprocess.PIPE).stdout == b"True\n"
        assert subprocess.run(command, stdout=subprocess.PIPE).stdout == b"False\n"


def test_a_scheduler_that_is_gone_is_an_error() -> None:
    class Gone(futures.Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
            future: futures.Future[Any] = futures.Future()
            future.cancel()
            return future

    with pytest.raises(futures.BrokenExecutor, match="the scheduler is gone"):
        list(spread(range(3), double, Gone()))


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(futures.BrokenExecutor), workers(2) as executor:
        list(spread([0, 0, 0, 1, 0, 0, 0, 0], os._exit, executor))


def test_other_processes_find_chapters() -> None:
    with workers(1) as executor:
        future = executor.submit(in_chapter, "s21_measuring_strength", "expected_score", 0.0)
        assert future.result(PATIENCE) == 0.5


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_than_one_worker_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="expected one or more"), workers(count):
        pass


class Enough(Exception):
    """What somebody raises who does not want to go on."""


@posix
@pytest.mark.parametrize("error", [Enough, None])
def test_who_leaves_ends_the_processes_whatever_they_do(
    tmp_path: Path, error: type[Enough] | None
) -> None:
    with contextlib.suppress(Enough), workers(2) as executor:
        for number in range(6):
            executor.submit(_never_ends, str(tmp_path / str(number)))
        until(lambda: len([p for p in tmp_path.iterdir() if p.read_text()]) == 2)
        pids = [int(word) for path in tmp_path.iterdir() for word in path.read_text().split()]
        assert len(pids) == 4 and all(map(_alive, pids))
        if error:
            raise error
    until(lambda: not any(map(_alive, pids)))


def _never_ends(path: str) -> None:
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(path).write_text(f"{os.getpid()} {program.pid}")
    time.sleep(600)


ORPHANS = """
import subprocess, sys, time
from utils.matches.workers import workers
def start(number):
    time.sleep(0.2)
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid
if __name__ == "__main__":
    with workers(2) as executor:
        futures = [executor.submit(start, number) for number in range(4)]
        programs = [future.result() for future in futures]
        print(*executor._processes, *programs, flush=True)
        time.sleep(600)
"""


@posix
def test_processes_do_not_outlive_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment
    )
    with parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) > 4 and all(map(_alive, pids))
        parent.kill()
    until(lambda: not any(map(_alive, pids)))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    with contextlib.suppress(OSError):
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    return not Path("/proc/self").exists()


# A cluster


class Cluster:
    """A scheduler and workers on this machine, each a process of its own."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.file = folder / "scheduler.json"
        self.start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        until(lambda: self.file.is_file() and self.file.read_text().strip().endswith("}"))
        self.address = json.loads(self.file.read_text())["address"]
        self.workers = [self.worker(), self.worker()]

    def worker(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
        return self.start("worker", self.address, *options, "--local-directory", str(self.folder))

    def start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1"]
        log = self.stack.enter_context((self.folder / f"{kind}.log").open("ab"))
        process = subprocess.Popen(
            [*command, *options],
            cwd=self.folder,
            stdout=log,
            stderr=log,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process


needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="the extra cluster is not installed"
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with contextlib.ExitStack() as stack:
        yield Cluster(tmp_path_factory.mktemp("cluster"), stack)


@needs_dask
@pytest.mark.filterwarnings("default")
def test_a_worker_that_is_killed_costs_no_game_and_doubles_none(
    cluster: Cluster, tmp_path: Path
) -> None:
    arguments = {"games": 16, "control": "60n", "longest": 80}
    path = tmp_path / "cluster.pgn"
    match = Match("s13", "s07", path=path, **arguments)
    with workers(scheduler=cluster.address) as executor:
        client = executor._client  # type: ignore[attr-defined]
        client.wait_for_workers(2, timeout=PATIENCE)
        standings = []
        for now in match.run(executor):
            standings.append(now.games)
            if now.games == 4:
                cluster.workers[0].kill()
    assert cluster.workers[0].wait(PATIENCE) != 0 and cluster.workers[1].poll() is None
    assert standings == list(range(1, 17))
    games = read_games(path)
    assert sorted(game.number for game in games) == list(range(16))
    assert path.read_text(encoding="utf-8").count("[Event ") == 16
    alone = tmp_path / "alone.pgn"
    for _ in Match("s13", "s07", path=alone, **arguments).run():
        pass
    expected = {game.number: (game.points, game.plies) for game in read_games(alone)}
    assert {game.number: (game.points, game.plies) for game in games} == expected


@needs_dask
@pytest.mark.filterwarnings("default")
def test_the_scheduler_serves_others_after_a_match_is_stopped(cluster: Cluster) -> None:
    with workers(scheduler=cluster.address) as executor:
        stream = spread(range(1000), abs, executor)
        next(stream)
        stream.close()
    with workers(scheduler=cluster.address) as executor:
        assert sorted(spread([-3, 2, -1], abs, executor)) == [1, 2, 3]


@needs_dask
@pytest.mark.filterwarnings("default")
def test_an_address_without_a_scheduler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CONNECTING", 1)
    with (
        pytest.raises(ConnectionError, match=r"tcp://127\.0\.0\.1:9.*dask scheduler"),
        workers(scheduler="tcp://127.0.0.1:9"),
    ):
        pass


def test_without_dask_there_is_a_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ModuleNotFoundError, match="poetry install --extras cluster"),
        workers(scheduler="tcp://127.0.0.1:9"),
    ):
        pass


def test_results_in_order_come_in_order() -> None:
    wanted = [2 * number for number in range(20)]
    assert list(in_order(range(20), double)) == wanted
    with threads() as pool:
        assert list(in_order(range(20), double, pool)) == wanted
