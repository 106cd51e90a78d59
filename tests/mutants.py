"""Mutation tests: change one thing at a time, and see whether a test fails.

    make mutants                                 all modules of `TESTS`
    make mutants MODULE=utils.jupyter_loader     one of them
    make mutants LIMIT=50                        a random sample, the same each time

A mutant has one comparison, operator, condition, number or truth value changed. It lives in a copy
of the project in a temporary folder, where the tests of its module run in a process forked from
this one (so not on Windows), until the first failure. A mutant that runs into the time limit, an
endless loop for instance, counts as killed. Texts are not changed: they are for readers.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    "utils.jupyter_loader": "tests/notebook/test_loader.py tests/notebook/test_extension.py",
    "utils.notebook.converter": "tests/notebook/test_converter.py",
    "utils.matches.records": "tests/matches",
    "utils.matches.ladder": "tests/matches",
    "converted_notebooks.s21_measuring_strength": "tests/chapters/test_s21_statistics.py",
}
"""Modules to change, and the tests that belong to each, the quickest first."""
STATISTICS = (
    "expected_score elo_difference Pentanomial tilt log_likelihood_ratio Sprt Standing standing "
    "add_up Fit _terms _has_top _bend fit_strengths ratings"
)
"""Functions and classes of s21 that compute; the others play."""
EQUIVALENT: dict[tuple[str, str], str] = {}
"""Changes that no test can see: the line with its mutant, and why."""
WARM = "hypothesis.strategies chess.pgn nbconvert IPython line_profiler numpy playwright.sync_api"
"""Libraries that the tests import; a forked process has them at once."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Add,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
    ast.And: ast.Or, ast.Or: ast.And, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


class Mutant(NamedTuple):
    """A change of some characters of a source."""

    line: int
    start: int
    end: int
    new: str


def mutants(source: str, names: str = "") -> list[Mutant]:
    """All changes of a source, in the order of its lines.

    Args:
        source: of a module.
        names: the top-level functions and classes to change; all if empty.
    """
    tree = ast.parse(source)
    body = [node for node in tree.body if not names or getattr(node, "name", "") in names.split()]
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in (node for part in body for node in ast.walk(part)):
        for old, new in _changes(node):
            start, end = (starts[n - 1] + c for n, c in _place(old))
            found.append(Mutant(old.lineno, start, end, f"({ast.unparse(new)})"))
    return sorted(set(found))


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Expressions to take the place of one in this node, or of the node itself."""
    match node:
        case ast.Compare(ops=ops):
            for n, op in enumerate(ops):
                swapped = [*ops[:n], SWAPS[type(op)](), *ops[n + 1 :]]
                yield node, ast.Compare(node.left, swapped, node.comparators)  # type: ignore[arg-type]
        case ast.BinOp(left, op, right) if type(op) in SWAPS and not _is_type(node):
            yield node, ast.BinOp(left, SWAPS[type(op)](), right)  # type: ignore[arg-type]
        case ast.BoolOp(op, values):
            yield node, ast.BoolOp(SWAPS[type(op)](), values)  # type: ignore[arg-type]
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield node, operand
        case ast.Constant(bool(value)):
            yield node, ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield node, ast.Constant(value + 1)
    conditions = node.ifs if isinstance(node, ast.comprehension) else [getattr(node, "test", None)]
    for test in conditions:
        if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr):
            yield test, ast.UnaryOp(ast.Not(), test)


def _is_type(node: ast.BinOp) -> bool:
    """Whether this is a union of types such as `int | None`."""
    return isinstance(node.op, ast.BitOr) and not any(
        isinstance(part, ast.Call | ast.Set | ast.Dict | ast.Subscript) for part in ast.walk(node)
    )


def _place(node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def sign(source: bytes) -> bytes:
    """A converted chapter with the right hash in its header, so that the loader takes it."""
    lines = source.splitlines(keepends=True)
    if len(lines) > 4 and lines[2].startswith(b"# body: "):
        lines[2] = b"# body: %s\n" % hashlib.sha256(b"".join(lines[4:])).hexdigest().encode()
    return b"".join(lines)


def run_tests(folder: Path, tests: str, limit: float | None = None) -> bool:
    """Whether all of these tests pass in a copy of the project, within so many seconds."""
    process = multiprocessing.get_context("fork").Process(target=_forked, args=(folder, tests))
    process.start()
    process.join(limit)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.join()
    return process.exitcode == 0


def _forked(folder: Path, tests: str) -> None:
    os.setsid()
    os.chdir(folder)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "utils")]:
        del sys.modules[name]
    sys.path[:] = [str(folder), *(p for p in sys.path if p and Path(p).resolve() != ROOT)]
    os.environ["PYTHONPATH"] = str(folder)
    if not os.environ.get("SHOW"):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore:Module already imported"]
    os._exit(pytest.main([*options, *tests.split()]))


def try_module(folder: Path, module: str, sample: int | None, seed: int) -> tuple[int, int]:
    """Run the tests against the mutants of a module, and print those that survive.

    Returns:
        How many were killed, and how many there were.
    """
    path = folder.joinpath(*module.split(".")).with_suffix(".py")
    tests, source = TESTS[module], path.read_bytes()
    began = time.monotonic()
    if not run_tests(folder, tests):
        raise SystemExit(f"{module}: its tests fail without any change: pytest {tests}")
    limit = 10 + 4 * (time.monotonic() - began)
    text = source.decode()
    lines = text.splitlines()
    names = STATISTICS if module.startswith("converted_notebooks") else ""
    chosen = []
    for mutant in mutants(text, names):
        old = source[mutant.start : mutant.end].decode()
        words = f"{' '.join(old.split())} -> {mutant.new}"
        if (lines[mutant.line - 1].strip(), words) not in EQUIVALENT:
            chosen.append((mutant, words))
    if sample is not None and sample < len(chosen):
        chosen = sorted(random.Random(seed).sample(chosen, sample))
    killed = 0
    for number, (mutant, words) in enumerate(chosen):
        changed = source[: mutant.start] + mutant.new.encode() + source[mutant.end :]
        path.write_bytes(sign(changed))
        os.utime(path, (number, number))  # byte code of the mutant before is not taken for this one
        if run_tests(folder, tests, limit):
            print(f"survived: {path.relative_to(folder)}:{mutant.line}: {words}", flush=True)
        else:
            killed += 1
    path.write_bytes(source)
    print(f"{module}: {killed} of {len(chosen)} killed", flush=True)
    return killed, len(chosen)


def main() -> None:
    """Test the modules that the command line names, or all."""
    parser = argparse.ArgumentParser(description="change one thing at a time and run the tests")
    parser.add_argument("modules", nargs="*", choices=[*TESTS, []], help="all if none is named")
    parser.add_argument("--limit", type=int, help="a random sample of so many mutants per module")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    options = parser.parse_args()
    for name in WARM.split():
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "course"
        folder.mkdir()
        for entry in ROOT.iterdir():
            if entry.name in ("utils", "tests", "notebooks", "converted_notebooks"):
                shutil.copytree(entry, folder / entry.name, ignore=shutil.ignore_patterns("*.pyc"))
            elif entry.name != ".git":
                (folder / entry.name).symlink_to(entry)
        for module in options.modules or TESTS:
            try_module(folder, module, options.limit, options.seed)


if __name__ == "__main__":
    main()
