"""Parallel work: in this process, in other processes of this machine, or on a cluster.

`worker_pool()` gives an executor of `concurrent.futures`: processes of this machine or, with the
address of a Dask scheduler, the workers of a cluster. `map_unordered` submits tasks to it and
yields each result as it comes.
"""

from __future__ import annotations

import concurrent.futures as futures
import contextlib
import itertools
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from utils.external_programs import silence_log
from utils.jupyter_loader import install_import_hook
from utils.paths import IN_BROWSER

if TYPE_CHECKING:  # absent in a browser
    from multiprocessing.connection import Connection

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

_in_own_group = False
"""Whether this is a process of a pool, and leads a process group with the programs it starts."""
CONNECT_TIMEOUT = 30
"""Seconds to wait for the scheduler of a cluster."""


class Processes(futures.ProcessPoolExecutor):
    """A pool of processes that are killed at `shutdown`, whatever they are doing.

    They also end when this process does, even if it is killed: a thread in each of them waits for
    the end of a pipe whose other side is open in this process only.

    Do not call `Future.cancel`: when processes are killed, the pool sets an exception on each
    future that is not done, and in Python 3.11 it fails at a cancelled one.

    Args:
        count: how many, from 1.
    """

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        end, self.pipe = context.Pipe(duplex=False)
        # Windows can wait for no more than 61.
        self.count = min(count, 61) if sys.platform == "win32" else count
        super().__init__(self.count, context, _prepare, (end,))

    def submit(
        self, fn: Callable[..., Outcome], /, *args: Any, **kwargs: Any
    ) -> futures.Future[Outcome]:
        """Submit a task. Each of the first tasks starts a process.

        Raises:
            BrokenExecutor: a process has died, or none can be started.
        """
        try:
            return super().submit(fn, *args, **kwargs)
        except OSError as error:  # a pipe is closed if the pool breaks down at this moment
            raise futures.BrokenExecutor(f"no process can be started: {error}") from error

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Kill the processes and the programs that they have started.

        Tasks that have not begun are cancelled, whatever `cancel_futures` is.
        """
        self.pipe.close()
        super().shutdown(wait, cancel_futures=True)


def _prepare(end: Connection) -> None:
    """Prepare a new process: it can import chapters, and ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    if hasattr(os, "setpgid"):
        global _in_own_group
        os.setpgid(0, 0)  # a group with the programs that it starts, to kill them together
        _in_own_group = True
    signal.signal(signal.SIGTERM, _end)  # the pool sends it to all when one has died
    threading.Thread(target=_end_with_parent, args=(end,), daemon=True).start()
    install_import_hook()
    silence_log()


def _end_with_parent(end: Connection) -> None:
    with contextlib.suppress(EOFError):
        end.recv()
    _end()


def _end(*_: object) -> None:
    """Kill this process and the programs that it has started."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def kill_leftovers() -> None:
    """In a process of a pool, kill all programs that it has started; elsewhere, do nothing.

    A script that is killed may leave a program behind that it has started.
    """
    if not _in_own_group:
        return
    import psutil  # type: ignore[import-untyped]

    group, own = os.getpgrp(), os.getpid()
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getpgid(pid) == group and pid != own:
                os.kill(pid, signal.SIGKILL)


def programs() -> set[int]:
    """In a process of a pool, the ids of the programs that it has started; none on Windows."""
    if not _in_own_group:
        return set()
    import psutil

    return {process.pid for process in psutil.Process().children(recursive=True)}


def pause(pids: Iterable[int]) -> None:
    """Pause processes; those that have ended are skipped."""
    for pid in pids:  # none on Windows, which has no such signals
        _send(pid, signal.SIGSTOP)


def resume(pids: Iterable[int]) -> None:
    """Let paused processes continue; those that have ended are skipped."""
    for pid in pids:
        _send(pid, signal.SIGCONT)


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


@contextlib.contextmanager
def worker_pool(count: int = 1, scheduler: str | None = None) -> Iterator[futures.Executor | None]:
    """An executor for matches and suites; None in a browser, which has one process only.

    At the end of the block the processes of this machine are killed, whatever they are doing; the
    workers of a cluster finish what they have begun.

    Args:
        count: processes on this machine.
        scheduler: address of a Dask scheduler, such as "tcp://192.168.1.5:8786", whose workers
            do the work; `count` is ignored. Each worker needs the course installed, and should
            be started with one thread.

    Raises:
        ValueError: fewer than one process.
        ModuleNotFoundError: there is a scheduler, but Dask is not installed.
        ConnectionError: no scheduler answers at the address.
    """
    if count < 1:
        raise ValueError(f"{count} workers: expected one or more")
    if scheduler is not None:
        with contextlib.closing(connect(scheduler)) as client:
            executor = client.get_executor(pure=False)  # equal games on a clock may differ
            executor.count = max(1, sum(client.nthreads().values()))
            yield executor
    elif IN_BROWSER:
        yield None
    else:
        with Processes(count) as executor:
            yield executor


def connect(scheduler: str) -> Any:
    """A client of a Dask scheduler; raises as `worker_pool` does."""
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a cluster needs Dask, which is not installed; to install it: "
            "poetry install --extras cluster, or pip install distributed"
        ) from error
    try:
        return distributed.Client(scheduler, timeout=CONNECT_TIMEOUT)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"no Dask scheduler at {scheduler!r} ({error}); expected an address "
            "such as tcp://127.0.0.1:8786, as `dask scheduler` prints it"
        ) from error


def map_unordered(
    tasks: Iterable[Task],
    function: Callable[[Task], Outcome],
    executor: futures.Executor | None = None,
) -> Generator[Outcome, None, None]:
    """The results of a function for many tasks, in the order in which they come.

    If the generator is closed, tasks that have not begun are cancelled. On Windows, Ctrl-C takes
    effect when the next task is finished.

    Args:
        tasks: arguments for the function.
        function: does one task; other processes import it from its file. An exception that it
            raises is raised here.
        executor: runs the function; without one, it runs here, one task after the other.

    Raises:
        BrokenExecutor: a worker process, or the scheduler of a cluster, has died.
    """
    if executor is None:
        yield from map(function, tasks)
        return
    # A process pool fetches tasks early, and these cannot be cancelled, so it gets only a few.
    ahead = 2 * getattr(executor, "count", os.cpu_count() or 1)
    waiting, running = iter(tasks), set[futures.Future[Outcome]]()
    # This queue is written in C, so Ctrl-C while waiting for it cannot leave a lock behind.
    finished: queue.SimpleQueue[futures.Future[Outcome]] = queue.SimpleQueue()
    try:
        while True:
            for task in itertools.islice(waiting, ahead - len(running)):
                with uninterrupted():
                    future = executor.submit(function, task)
                    running.add(future)
                    future.add_done_callback(finished.put)
            if not running:
                return
            future = finished.get()
            running.remove(future)
            try:
                outcome = future.result()
            except futures.CancelledError as error:
                raise futures.BrokenExecutor("the scheduler is gone") from error
            yield outcome
    finally:
        if not isinstance(executor, Processes):
            for future in running:
                future.cancel()


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C takes effect after this block, and never in processes that start in it.

    The locks of `concurrent.futures` are written in Python: a KeyboardInterrupt between taking
    a lock and entering its block leaves it locked, and the program never ends. A process that
    gets the signal while it starts prints a traceback (on Windows it still does).
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or usual is None:
        yield
        return
    came = list[int]()
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    masks = hasattr(signal, "pthread_sigmask")  # Windows has none
    if masks:  # processes that start inherit it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, usual)
        if came:
            signal.raise_signal(signal.SIGINT)
