"""Mutation tests: change one thing at a time, and see whether a test fails.

    make mutants                                 all modules of `TESTS`
    make mutants MODULE=utils.jupyter_loader     one of them
    make mutants LIMIT=50                        a random sample, the same each time

A mutant has one comparison, operator, condition, number or truth value changed, or an operand or
a statement left out. It lives in a copy of the project in a temporary folder, where the tests of
its module run in a process forked from this one (so not on Windows), until the first failure. A
mutant that runs into the time limit, an endless loop for instance, counts as killed. Texts are not
changed: they are for readers.
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
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
S24 = "converted_notebooks.s24_measuring_strength"


def found(*patterns: str) -> str:
    """The test modules that match one of these patterns, by pattern."""
    paths = (path for pattern in patterns for path in sorted(ROOT.glob(f"tests/{pattern}.py")))
    return " ".join(path.relative_to(ROOT).as_posix() for path in paths)


WITH_PROGRAMS = " ".join(
    f"tests/matches/test_tournament.py::test_{name}"
    for name in (
        "a_program_is_stopped_while_its_opponent_thinks",
        "no_program_that_a_script_has_started_is_left",
        "every_fault_costs_a_game_and_nothing_else",
    )
)
"""Tests of a tournament: its programs are paused, none is left, and each fault is known."""
TESTS = {
    "utils.jupyter_loader": "tests/notebook/test_loader.py",
    "utils.notebook.converter": "tests/notebook/test_converter.py",
    "utils.matches.records": "tests/matches/test_game_files.py",
    "utils.matches.ladder": "tests/matches/test_ladder.py",
    "utils.matches.plan": "tests/matches/test_plan.py",
    "utils.matches.pairings": "tests/matches/test_pairings.py",
    "utils.matches.playing": f"tests/matches/test_playing.py {WITH_PROGRAMS}",
    "utils.matches.tournament": "tests/matches/test_tournament.py",
    "utils.matches.workers": f"tests/matches/test_workers.py {WITH_PROGRAMS}",
    "utils.play.findings": "tests/play/test_session.py tests/play/test_review.py",
    "utils.play.review": "tests/play/test_review.py",
    "utils.play.search_thread": "tests/play/test_search_thread.py tests/play/test_session.py",
    "utils.play.session": "tests/play/test_session.py tests/play/test_search_thread.py",
    "utils.play.terminal": "tests/play/test_terminal.py tests/commands/test_play.py",
    "utils.uci": "tests/test_uci.py",
    S24: "tests/chapters/test_s24_statistics.py",
    "converted_notebooks.s25_playing": found("chapters/test_s25*", "test_uci"),
    **{
        f"converted_notebooks.{path.stem}": found(
            f"chapters/test_{path.stem[:3]}*", "chapters/test_chain", "chapters/test_contract"
        )
        for path in sorted(ROOT.glob("notebooks/s*.ipynb"))
        if "s07" <= path.stem[:3] <= "s23"
    },
}
"""Modules to change, and the tests that belong to each, the quickest first."""
ONLY = {
    S24: (
        "expected_score elo_difference Pentanomial normalised_elo tilt log_likelihood_ratio "
        "pairs_of Sprt Standing standing add_up Fit _terms _has_top _likelihood fit_strengths "
        "mcnemar"
    ),
    "utils.matches.workers": (
        "Processes _prepare _end_with_parent programs pause resume worker_pool connect "
        "map_unordered uninterrupted"
    ),
}
"""Functions and classes to change, of modules that are not changed as a whole.

What kills processes in `utils.matches.workers` is not changed: it could kill any others.
"""
EQUIVALENT = {
    "if points is None or pair is None or not ({'White', 'Black'} < headers.keys()):": (
        "the other headers, such as Result, are there already"
    ),
    "MOST_HISTORY = (80001)  # less than any killer or capture gets": "any bound below them does",
    "FUTILITY_MARGINS = ((1), 150, 350)  # centipawns, by depth": "no move is made at depth 0",
    "for _ in range((51)):": "fifty halvings reach the last bit",
    "low, high = (theta, high) if (surplus >= 0) else (low, theta)": (
        "halvings from there come back to a theta without surplus"
    ),
    "shares = [(count * sum(counts)) for count in counts]": "only ratios of shares count for theta",
    "if (first >= second):": "equal names have been refused before",
    "value, slope = (1.0), np.zeros(len(x))": "only differences of log-likelihoods count",
    "chances = np.exp((heights + heights.max()))": "a common factor cancels out",
    "while (_likelihood(terms, x + step)[0] <= value - 1e-09):": "such floats are never equal",
    "step /= (3)  # too far: the hill is not a parabola": "any shorter step will do",
    "if (np.abs(step).max() <= 1e-09):": "such floats are never equal",
    "points, balance = dict.fromkeys(players, (1.0)), Counter[str]()": (
        "only differences of points count"
    ),
    "for _ in range((201)):": "Newton's method ends long before that",
    "self.ep_square = board.ep_square or (1)": "where a capture is legal there is a square",
    "side = (6, 5) if (rook >= king) else (2, 3)": "they never stand on one square",
    "rook = king + 3 if (end >= king) else king - 4": "a king that castles goes two squares",
    "elif not blockers & (blockers - (2)):  # a single one": "corners never stand in between",
    "self._root_plies = (1)": "it is set anew when a search begins",
    "return known == wanted or ((known >= wanted) and not self.exact_depth)": (
        "equal depths have been asked for before"
    ),
    "self._look_from_king(board.king(not board.turn) or (1))": "both kings stand on the board",
    "stop = -board.halfmove_clock - (3)": (
        "what stood before a capture or a pawn move never comes back"
    ),
    "if (value >= best):": "an equal value changes nothing",
    "INFINITE = (32001)  # beyond all scores": "any bound beyond all scores does",
    "MOST_PLIES = (121)": "no search gets so deep",
    "MATE = (30001)  # less the plies from the root": "any number beyond long mates does",
    "LONG_MATE = (29001)  # scores beyond this are mates": "no mate is so long",
    "return min(value, beta) if (value >= LONG_MATE) else value": "no score is so high",
    "return value + plies if (value <= -LONG_MATE) else value": "no score is so low",
    "if (value >= LONG_MATE):": "no score is so high, and no mate so far away",
    "if not checkers and not in_window and (abs(beta) <= LONG_MATE):": "no bound is so high",
    "BYTES_PER_ENTRY = (251)  # in CPython, with its share of the dictionary": "an estimate",
    "ALL_MOVES = (1001)  # more than a position has": "any number that none reaches does",
    "return [m for m, _ in staged(board, first, state, history, (1)) if m]": (
        "before a search there are no killers"
    ),
    "KILLER = 1 << (31)  # above all counts of the history": "any number above them does",
    "EN_PASSANT_KEYS = [0, *(random_key(rng) for _ in chess.SQUARES[(2):])]": (
        "nobody captures en passant on h8"
    ),
    "MOST_ENTRIES = (10001)  # of one table": "any limit of memory does",
    "rng = random.Random((21))": "other random keys",
    "megabytes: float = (65),": "a little more memory",
    "self.book, self.rng = book, rng or random.Random((1))": "another choice from the book",
    "CHECK_EVERY = (257)  # nodes between two looks at the clock": "one node later",
    "risky = victim and not move >> 12 and (kinds[move & 63] >= victim)": (
        "an exchange of equals never loses"
    ),
    "8 * kinds[m >> 6 & 63] - kinds[m & 63] + 5 * (m >> 12) << (17) | m": "one bit of zero more",
    "DELTA = (151)  # centipawns that a capture may bring beside its victim": "one centipawn",
    "if (rank >= 2):": "a passed pawn on the third rank has made no steps, so it adds nothing",
    "[[0] * (65)]": "the square 64 is never asked for",
    "list(numbers[64 * (2 * kind + color) :][:(65)])": "the square 64 is never asked for",
    "kind = board.piece_type_at(start) or (1)": "a piece stands where a legal move starts",
    "kind = move.promotion or self.board.piece_type_at(start) or (1)": (
        "a piece stands where a legal move starts"
    ),
    "FUTILITY_MARGINS = (0, 150, (351))  # centipawns, by depth": "one centipawn",
    'PASSED = ("", *(f"passed_{rank}" for rank in range(2, (9))), "")': (
        "no pawn stands on the last rank"
    ),
    '"passed_4": (8, (26)),': "a guess: it is tuned to the same weights",
    "step = 1 / ((3) * caution + steepest * scale**2 / 8)": "any shorter step will do",
    '"mobility_rook": (2, (5)),': "a guess: it is tuned to the same weights",
    "last_exit = (1)": "plies go by twos",
    "if not won.any() and (plies >= endgame.last_exit):": "one round more in which nothing is won",
    "before[:, 48:56] |= mated_in[:, 56:(65)]": "a slice ends at the last square",
    "king: Positions = (self.steps @ goal.reshape(64, -(2))).reshape(": (
        "any negative number is the rest"
    ),
    "return (spent >= self.soft)": "such times are never equal",
    "return self.is_forced or (spent >= stretched)": "such times are never equal",
    "if self._nodes_left < 0 or (time.perf_counter() >= self._deadline):": (
        "such times are never equal"
    ),
    "over = (now > deadline) or go.stopped or go.pondering != pondering": (
        "such times are never equal"
    ),
    "found = Iteration(depth, entry, (False), nodes, now - began)": (
        "UCI does not say whether the best move has changed"
    ),
    "self.masks, self.kinds, self.white = [0] * (10), [0] * 64, 0": (
        "the masks of the board take their place"
    ),
    "def __init__(self, megabytes: float = (65)) -> None:": "a little more memory",
    "position, moves = new_stack(board, 0)[0], new_moves((1))[0]": "a little more memory",
    "held = ((abs(errors) < 1.96 * np.sqrt(np.diag(spread)))).all(axis=1)": (
        "such floats are never equal"
    ),
    "meetings += [(players[i], players[((i - step)) % count]) for i in range(starts)]": (
        "the same meetings, with the colours exchanged"
    ),
    "graph.add_edge(one, other, weight=-apart * size**(3) - places)": (
        "any weight above all differences in places does"
    ),
    "@dataclass(frozen=(False))": "a guard against slips",
    "LONGEST_LINE = (7)": "one ply more of a line",
    'return {"share": float((score >= 0)), "text": "#"}': "no mate has a score of 0",
    'return {"share": float(score > (1)), "text": "#"}': "no mate has a score of 1",
    'return {"share": 1 / (1 + 10 ** min(-pawns / 4, (301))), "text": text}': (
        "such a share is 0 on any screen"
    ),
    "DEPTHS = (1, 2, 3, (5), 5, 6, 8, 10)": "other depths to choose from",
    "DEPTHS = (1, 2, 3, 4, 5, 6, (9), 10)": "other depths to choose from",
    'unknown = {"share": 0.0 if game.board.turn else (2.0)}': "any share above a half declines",
}
"""Lines of mutants that make no difference, and why."""
WARM = "hypothesis.strategies chess.pgn nbconvert IPython line_profiler numpy playwright.sync_api"
"""Libraries that the tests import; a forked process has them at once."""
SWAPS: dict[Any, Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Add,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}  # fmt: skip
NOTHING = ast.Constant(...)
"""What takes the place of a statement that is left out."""


class Mutant(NamedTuple):
    """A change of one expression or statement of a source, from one byte to another."""

    line: int
    start: int
    end: int
    new: str

    def words(self, source: bytes) -> str:
        """The line where it begins, as it is after the change."""
        return self.apply(source).splitlines()[self.line - 1].decode().strip()

    def apply(self, source: bytes) -> bytes:
        """The changed source; a converted chapter gets the right hash in its header."""
        changed = source[: self.start] + self.new.encode() + source[self.end :]
        lines = changed.splitlines(keepends=True)
        if lines[2].startswith(b"# body: "):
            lines[2] = f"# body: {hashlib.sha256(b''.join(lines[4:])).hexdigest()}\n".encode()
        return b"".join(lines)


def mutants(source: bytes, names: str = "") -> list[Mutant]:
    """All changes of a source, or of its functions and classes of these names."""
    ends = [0]
    for line in source.splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    found = set()
    for part in ast.parse(source).body:
        if not names or getattr(part, "name", "") in names.split():
            nodes = list(ast.walk(part))
            left_out = _left_out(nodes)
            for old, new in (change for node in nodes for change in _changes(node)):
                if old in left_out:
                    continue
                assert old.end_lineno is not None and old.end_col_offset is not None
                start = ends[old.lineno - 1] + old.col_offset
                end = ends[old.end_lineno - 1] + old.end_col_offset
                found.add(Mutant(old.lineno, start, end, f"({ast.unparse(new)})"))
    return sorted(found)


def _left_out(nodes: list[ast.AST]) -> set[ast.AST]:
    """What no test here can reach.

    That is code for Windows, types such as `int | None`, which mypy checks, and `strict=True`, a
    guard against slips.
    """
    found: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg == "strict":
            found.add(node.value)
        elif types := getattr(node, "annotation", None) or getattr(node, "returns", None):
            found.update(part for part in ast.walk(types) if isinstance(part, ast.BinOp))
        elif isinstance(node, ast.If) and "win32" in ast.unparse(node.test):
            found.update(part for line in node.body for part in ast.walk(line))
    return found


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, ast.AST]]:
    """Expressions in this node, or the node itself, and what takes their place."""
    match node:
        case ast.Expr(ast.Call()) | ast.AugAssign():
            yield node, NOTHING
        case ast.Compare(left, ops, comparators):
            for n, op in enumerate(ops):
                swapped = [*ops[:n], SWAPS[type(op)](), *ops[n + 1 :]]
                yield node, type(node)(left, swapped, comparators)
        case ast.BinOp(left, op, right) if type(op) in SWAPS:
            yield node, type(node)(left, SWAPS[type(op)](), right)
            if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
                yield from ((node, operand) for operand in (left, right))
        case ast.BoolOp(op, values):
            yield node, type(node)(SWAPS[type(op)](), values)
            for n in range(len(values)):
                others = [*values[:n], *values[n + 1 :]]
                yield node, type(node)(op, others) if len(others) > 1 else others[0]
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield node, operand
        case ast.Constant(bool(value)):
            yield node, ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield node, ast.Constant(value + 1)
    for test in getattr(node, "ifs", [getattr(node, "test", None)]):
        if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr):
            yield test, ast.UnaryOp(ast.Not(), test)


def run_tests(folder: Path, tests: str, limit: float | None = None) -> str:
    """Run tests in a copy of the project: "passed", "failed", or "late" after so many seconds."""
    process = multiprocessing.get_context("fork").Process(target=_forked, args=(folder, tests))
    process.start()
    process.join(limit)
    late = process.is_alive()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)  # with all that the tests have started
    process.join()
    return "late" if late else "failed" if process.exitcode else "passed"


def _forked(folder: Path, tests: str) -> None:
    os.setsid()
    os.chdir(folder)
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    sys.path[:] = [str(folder), *(p for p in sys.path if p and Path(p).resolve() != ROOT)]
    os.environ["PYTHONPATH"] = str(folder)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore:Module already imported"]
    os._exit(pytest.main([*options, *tests.split()]))


def try_module(folder: Path, module: str, sample: int | None, seed: int) -> None:
    """Run the tests against the mutants of a module; print those that survive, and how many."""
    path = folder.joinpath(*module.split(".")).with_suffix(".py")
    tests, source, began = TESTS[module], path.read_bytes(), time.monotonic()
    if run_tests(folder, tests) != "passed":
        raise SystemExit(f"{module}: its tests fail without any change: pytest {tests}")
    limit = 10 + 4 * (time.monotonic() - began)
    found = mutants(source, ONLY.get(module, ""))
    found = [mutant for mutant in found if mutant.words(source) not in EQUIVALENT]
    if sample is not None and sample < len(found):
        found = sorted(random.Random(seed).sample(found, sample))
    results = []
    for number, mutant in enumerate(found):
        path.write_bytes(mutant.apply(source))
        os.utime(path, (number, number))  # byte code of the mutant before is not taken for this one
        results.append(run_tests(folder, tests, limit))
        if results[-1] == "passed":
            place = f"{path.relative_to(folder)}:{mutant.line}"
            print(f"survived: {place}: {mutant.words(source)}", flush=True)
    path.write_bytes(source)
    killed, late = len(results) - results.count("passed"), results.count("late")
    print(f"{module}: {killed} of {len(results)} killed, {late} by the time limit", flush=True)


def main() -> None:
    """Test the modules that the command line names, or all."""
    parser = argparse.ArgumentParser(description="change one thing at a time and run the tests")
    parser.add_argument("modules", nargs="*", help=f"all if none is named: {', '.join(TESTS)}")
    parser.add_argument("--limit", type=int, help="a random sample of so many mutants per module")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    options = parser.parse_args()
    if unknown := set(options.modules) - set(TESTS):
        parser.error(f"no tests are known of {', '.join(unknown)}; expected {', '.join(TESTS)}")
    for name in WARM.split():
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        for entry in ROOT.iterdir():
            if entry.name in ("utils", "tests", "notebooks", "converted_notebooks"):
                shutil.copytree(entry, folder / entry.name, ignore=shutil.ignore_patterns("*.pyc"))
            elif entry.name != ".git":
                folder.joinpath(entry.name).symlink_to(entry)
        for module in options.modules or TESTS:
            try_module(folder, module, options.limit, options.seed)


if __name__ == "__main__":
    main()
