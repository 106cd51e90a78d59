"""Where work is done: in this process, on all cores of the machine, or on a cluster.

`workers()` gives an executor of `concurrent.futures`: a pool of processes, or, with the
address of a Dask scheduler, a cluster. `spread` hands out tasks to it and yields the
results as they come. A process that is killed on a cluster is no harm: its tasks are done
again elsewhere, and each result comes once.
"""

from __future__ import annotations

import argparse
import concurrent.futures as futures
import contextlib
import importlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

from utils.jupyter_loader import install_import_hook, load_chapter

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

_CONNECTING = 30
"""Seconds to wait for the scheduler of a cluster."""
_AHEAD = 2
"""Tasks that are handed out for each worker: enough that none waits, few to take back."""
_PATIENCE = 0.5
"""Seconds of one wait for a result: Windows notices Ctrl-C between two waits, not in one."""


class HereExecutor(futures.Executor):
    """Does everything at once in this process; for browsers, which have one process only."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """The finished future of a call."""
        future: futures.Future[Any] = futures.Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextlib.contextmanager
def workers(count: int | None = None, scheduler: str | None = None) -> Iterator[futures.Executor]:
    """An executor for matches, suites and the like.

    Leaving the block ends its processes, whatever they are doing; the workers of a cluster
    finish what they have begun.

    Args:
        count: processes on this machine; as many as it has cores if None.
        scheduler: address of a Dask scheduler, such as "tcp://192.168.1.5:8786"; then
            its workers do the work, and `count` does not matter. Each of them must have
            the course installed, and should be started with one thread.

    Raises:
        ValueError: fewer than one process.
        ModuleNotFoundError: a cluster is wanted, and Dask is not installed.
        ConnectionError: no scheduler answers at the address.
    """
    if scheduler is not None:
        with _cluster(scheduler) as executor:
            yield executor
        return
    if count is not None and count < 1:
        raise ValueError(f"{count} workers: expected one or more")
    if sys.platform == "emscripten":
        yield HereExecutor()
        return
    executor = futures.ProcessPoolExecutor(
        count,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_prepare,
    )
    try:
        yield executor
    finally:
        with uninterrupted():
            _end(executor)


def _end(executor: futures.ProcessPoolExecutor) -> None:
    """Ends the processes at once: nobody waits for games of a match that is stopped or decided.

    The order matters. An executor that is shut down does not know its processes and its thread
    any more; the thread that sees the processes end needs the executor until it is through.
    """
    processes = list((getattr(executor, "_processes", None) or {}).values())
    manager = getattr(executor, "_executor_manager_thread", None)
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGTERM)
        except (AttributeError, ProcessLookupError, PermissionError):
            process.terminate()  # Windows has no groups; a process that starts has none yet
    if manager is not None:
        manager.join()


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C comes after this block, not in it, and never to processes that it starts.

    The waits and locks of `concurrent.futures` are written in Python. An exception that comes
    out of nowhere between taking a lock and noting that it is taken leaves it taken for ever,
    and the program never ends. A process that Ctrl-C hits while it starts complains at length
    (on Windows it still does).
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield  # no exception comes here
        return
    heard: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append((number, frame)))
    try:
        with _deaf():
            yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if heard:
            usual(*heard[0])


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """The system keeps Ctrl-C back from this thread, and from what it starts."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def add_options(parser: argparse.ArgumentParser, count: int | None = None) -> None:
    """Give a command the options of `workers`: --workers and --scheduler.

    Args:
        parser: of the command.
        count: processes if the user does not say; as many as there are cores if None.
    """
    usual = "as many as there are cores" if count is None else "%(default)s"
    parser.add_argument(
        "--workers", type=int, default=count, help=f"games at the same time; else, {usual}"
    )
    parser.add_argument("--scheduler", help="address of a Dask scheduler, for a cluster")


@contextlib.contextmanager
def _cluster(scheduler: str) -> Iterator[futures.Executor]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a cluster needs Dask, which is not installed; to install it: "
            "poetry install --extras cluster, or pip install distributed"
        ) from error
    try:
        client = distributed.Client(scheduler, timeout=_CONNECTING)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"no Dask scheduler at {scheduler!r} ({error}); expected an address "
            "such as tcp://127.0.0.1:8786, as `dask scheduler` prints it"
        ) from error
    try:
        executor = client.get_executor()
        yield executor
        executor.shutdown(wait=False)
    finally:
        client.close()


def _prepare() -> None:
    """Makes a new process ready: it can import chapters, and ends when its parent does."""
    install_import_hook()
    # Ctrl-C is the business of the process that collects the results.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # a group with the programs that it starts: they end together
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: Any) -> None:
    """Ends this process when its parent was killed, which cannot say goodbye."""
    parent.join()
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGTERM)
    os._exit(1)


def in_chapter(chapter: str, function: str, *arguments: Any) -> Any:
    """Calls a chapter's function by name: what a worker in another process is asked to do."""
    return getattr(load_chapter(chapter), function)(*arguments)


def spread(
    tasks: Iterable[Task],
    function: Callable[[Task], Outcome],
    executor: futures.Executor | None = None,
    *,
    chapter: str | None = None,
) -> Generator[Outcome, None, None]:
    """The results of a function for many tasks, in the order in which they are finished.

    Whoever stops asking stops the work: what was not begun is taken back.

    Args:
        tasks: arguments for the function.
        function: does one task; an exception that it raises is raised here.
        executor: does the work; without one, it is done here, one task after the other.
        chapter: where other processes find the function, by its name; None if they can
            import it as it is. They take the chapter as it was saved.

    Raises:
        BrokenExecutor: a process that worked has died, or the scheduler of a cluster.
    """
    if executor is None or isinstance(executor, HereExecutor):
        for task in tasks:
            yield function(task)
        return
    waiting = iter(tasks)
    running: set[futures.Future[Outcome]] = set()
    finished: queue.SimpleQueue[futures.Future[Outcome]] = queue.SimpleQueue()
    try:
        while True:
            while len(running) < _AHEAD * _size(executor):
                try:
                    task = next(waiting)
                except StopIteration:
                    break
                with uninterrupted():
                    if chapter is None:
                        future = executor.submit(function, task)
                    else:
                        future = executor.submit(in_chapter, chapter, function.__name__, task)
                    running.add(future)
                    future.add_done_callback(finished.put)
            if not running:
                return
            future = _next(finished)
            running.remove(future)
            with uninterrupted():
                try:
                    outcome = future.result()
                except futures.CancelledError as error:
                    raise futures.BrokenExecutor("the scheduler is gone") from error
            yield outcome
    except futures.BrokenExecutor:
        running.clear()  # they have failed, all of them; the executor is about to say so
        raise
    finally:
        with uninterrupted():
            for future in running:
                future.cancel()


def _next(finished: queue.SimpleQueue[futures.Future[Outcome]]) -> futures.Future[Outcome]:
    """The next future that is finished; Ctrl-C may come in this wait, which has no such locks."""
    while True:
        with contextlib.suppress(queue.Empty):
            return finished.get(timeout=_PATIENCE)


def in_order(
    tasks: Iterable[Task],
    function: Callable[[Task], Outcome],
    executor: futures.Executor | None = None,
) -> Iterator[Outcome]:
    """As `spread`, but the results come in the order of the tasks."""
    early: dict[int, Outcome] = {}
    wanted = 0
    for number, outcome in spread(enumerate(tasks), partial(_numbered, function), executor):
        early[number] = outcome
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1


def _numbered(function: Callable[[Task], Outcome], task: tuple[int, Task]) -> tuple[int, Outcome]:
    return task[0], function(task[1])


def _size(executor: futures.Executor) -> int:
    """How many tasks an executor does at the same time, at least one."""
    client: Any = getattr(executor, "_client", None)
    threads = client.nthreads().values() if client else [getattr(executor, "_max_workers", 1)]
    return max(1, sum(threads))
