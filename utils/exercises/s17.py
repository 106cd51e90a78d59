"""Checks of chapter s17, selective search."""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Callable
from typing import Any
from unittest import mock

import chess

from utils.exercises import Hint, exercise, module_of, random_boards, require, require_equal
from utils.exercises.positions import played

Window = tuple[float, float, float, float]
"""The score that it was laid around, its bounds, and the value that was found."""
RICH = played("e4", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/4K3 w kq - 0 1")


def _evaluator() -> Any:
    return module_of("s13_incremental_evaluation").IncrementalEvaluator()


def _table() -> Any:
    return module_of("s15_transposition_table").TranspositionTable(1)


@exercise("s17-1")
def verdicts(answer: Callable[[float, float, float], str]) -> None:
    """Inside, outside, on the bounds; the widest window and null windows."""
    cases: list[tuple[float, float, float, str, str]] = [
        (5, 0, 10, "exact", "The value lies between the bounds."),
        (0, 0, 10, "upper bound", "A value of alpha itself is only an upper bound."),
        (-7, 0, 10, "upper bound", "No move was better than this."),
        (10, 0, 10, "lower bound", "A value of beta itself was cut off."),
        (99, 0, 10, "lower bound", "The search was cut off; the truth may be more."),
        (3, -math.inf, math.inf, "exact", "Nothing can be cut off in the widest window."),
        (20, 20, 21, "upper bound", "In a null window the answer is never exact."),
        (21, 20, 21, "lower bound", "In a null window the answer is never exact."),
    ]
    for value, alpha, beta, expected, hint in cases:
        words = f"Value {value} with the bounds {alpha} and {beta}:"
        require_equal(answer(value, alpha, beta), expected, words, hint)


@exercise("s17-2", add=(0.5, 0.25, 0.75), over={"/ 2": 2, "/ 3": 3, "/ 2.5": 2.5})
def growing(answer: Callable[[int, int], int], add: float, over: float) -> None:
    """Small depths, early moves, and the formula."""
    late = []
    for depth in range(1, 20):
        for number in range(130):  # so many that the limit is reached in each variant
            said = answer(depth, number)
            where = f"At depth {depth}, number {number}"
            whole = isinstance(said, numbers.Integral)
            require(whole, f"{where} expected a whole number, got {said!r}.")
            if depth < 3 or number < 3:
                require(said == 0, f"{where} nothing is reduced; you reduce by {said}.")
                continue
            require(said <= depth - 2, f"{where} one ply at least must be left after the move.")
            late.append((depth, number, said))

    def formula(depth: int, number: int, most: float = add, base: float = math.e) -> int:
        product = math.log(depth, base) * math.log(number + 1, base)
        return min(int(most + product / over), depth - 2)

    mistakes: dict[str, Callable[[int, int], int]] = {
        "take the logarithm of number + 1": lambda d, n: formula(d, n - 1),
        f"add {add} before you cut off": lambda d, n: formula(d, n, 0),
        "cut off what is behind the point, do not round": lambda d, n: formula(d, n, 1),
        "take natural logarithms, not of base 2": lambda d, n: formula(d, n, base=2),
        "take natural logarithms, not of base 10": lambda d, n: formula(d, n, base=10),
        "the fourth move has the number 3": lambda d, n: formula(d, n) if n > 3 else 0,
        "three plies left are enough": lambda d, n: formula(d, n) if d > 3 else 0,
    }
    for depth, number, said in late:
        if said != formula(depth, number):
            same = (w for w, f in mistakes.items() if all(f(d, n) == s for d, n, s in late))
            raise Hint(
                f"At depth {depth}, number {number} expected {formula(depth, number)}, not {said}: "
                f"{next(same, 'look at the formula')}."
            )


@exercise("s17-3")
def widening(answer: type[Any]) -> None:
    """Equal scores, windows as described, and mates."""
    module = module_of("s17_selective_search")
    iteration = module_of("s04_engine_interface").Iteration
    scored_move = module_of("s04_engine_interface").ScoredMove
    exact = {
        "exact_depth": True,
        "captures": module_of("s16_quiescence_search").fair_captures,
        "selection": module.Selection.SAFE,
    }

    def made(kind: Any, **changed: Any) -> Any:
        return kind(_evaluator(), 4, table=_table(), **exact | changed)

    def iterations(score: float, move: chess.Move) -> tuple[Any]:
        return (iteration(2, scored_move(score, move), True, 1),)

    windows: dict[int, list[Window]] = {}  # by depth

    class Watched(answer):  # type: ignore[misc]
        def _search_root(self, board: Any, depth: Any, moves: Any, alpha: Any, beta: Any) -> Any:
            score = self.iterations[-1].best.score if self.iterations else 0
            middle = score if board.turn else -score
            value, move = super()._search_root(board, depth, moves, alpha, beta)
            tried = windows.setdefault(depth, [])
            tried.append((middle, alpha, beta, value))
            require(
                len(tried) < 20,
                f"In {board.fen()}, {depth} plies deep, the window {alpha} to {beta} is the 20th, "
                "and the search goes on without end. Double the distance of the bound that failed.",
            )
            return value, move

    hunt = chess.Board("6k1/pp3ppp/8/8/8/8/PP3PPP/3RR1K1 w - - 0 1")
    sharp = chess.Board("r3qrk1/ppp2pbp/2np1np1/6N1/Q1PPP1b1/2N5/PP3PPP/R4RK1 b - - 0 1")
    boards = [sharp, hunt, *(b for b in random_boards(60, 17) if b.legal_moves.count() < 22)][:10]
    for board in boards:
        plain, engine = made(module.SelectiveEngine), made(Watched)
        plain.play(board)
        windows.clear()
        engine.play(board)
        most = engine.evaluator.value_checkmate
        mine, expected = engine.iterations[-1].best.score, plain.iterations[-1].best.score
        require_equal(mine, expected, f"In {board.fen()} the score is")
        for depth, tried in windows.items():
            if depth >= 3:
                _require_widening(engine, tried, depth, board)
                continue
            require(
                all(low <= -most and high >= most for _, low, high, _ in tried),
                f"In {board.fen()}, {depth} plies deep, both sides should be open, as before: from "
                "the third iteration on there is a window.",
            )
    # Last scores that are far off, so that the window fails four times, or such that the value
    # lies on a bound, which is a failure, too.
    board = boards[-1]
    sign, edge = 1 if board.turn else -1, module.SelectiveEngine.ASPIRATION_WINDOW
    plain = made(module.SelectiveEngine)
    copy, moves = board.copy(), list(board.legal_moves)
    plain._begin(copy)
    truth, _ = plain._root_value(copy, 3, moves)  # without a last score: the widest window

    def searched(middle: float, **changed: Any) -> tuple[Any, list[Window]]:
        engine = made(Watched, **changed)
        copy, moves = board.copy(), list(board.legal_moves)
        windows.clear()
        engine.iterations = iterations(sign * middle, moves[0])
        engine._begin(copy)
        engine._root_value(copy, 3, moves)
        return engine, windows[3]

    for middle in (truth - 3000, truth - edge, truth + edge, truth + 3000):
        _require_widening(*searched(middle), 3, board)
    scripted: list[tuple[float, float]] = []

    class Scripted(answer):  # type: ignore[misc]
        ASPIRATION_WINDOW = 2 * edge

        def _search_root(self, board: Any, depth: Any, moves: Any, alpha: Any, beta: Any) -> Any:
            scripted.append((alpha, beta))
            values = [alpha - 1, beta + 1, alpha - 1, beta + 1, 0]
            return values[min(len(scripted), 5) - 1], moves[0]

    engine = made(Scripted)
    engine.iterations = iterations(0, moves[0])
    engine._root_value(board.copy(), 3, list(moves))
    hint = "The first window is as wide as ASPIRATION_WINDOW of the engine says."
    require(scripted[0] == (-2 * edge, 2 * edge), hint)
    require(
        scripted[1:4] == [(-4 * edge, 2 * edge), (-4 * edge, 4 * edge), (-8 * edge, 4 * edge)],
        f"Where a failure below, one above and one below follow each other, your windows were "
        f"{scripted[:4]}. Double the distance of the bound that failed; the other stays.",
    )
    hint = "Two failures below and two above are four: then open both sides."
    require(scripted[4][0] <= -most and scripted[4][1] >= most, hint)
    first = scripted.copy()
    scripted.clear()
    engine._root_value(board.copy(), 3, list(moves))
    require(scripted == first, "Count the failures of each iteration anew.")
    _, opened = searched(truth, selection=module.Selection.PRINCIPAL_VARIATION)
    hint = "Without Selection.ASPIRATION both sides are open from the start."
    require(opened[0][1] <= -most and opened[0][2] >= most, hint)


def _require_widening(engine: Any, windows: list[Window], depth: int, board: chess.Board) -> None:
    """The windows of one iteration, one after the other."""
    most = engine.evaluator.value_checkmate
    below = above = engine.ASPIRATION_WINDOW
    for failures, (middle, low, high, value) in enumerate(windows):
        told = f"In {board.fen()}, {depth} plies deep, after {failures} failures: "
        if failures < 4:
            require(
                (low, high) == (middle - below, middle + above),
                f"{told}the window should be {middle - below} to {middle + above}, not {low} to "
                f"{high}. Double the distance from {middle} of the bound that failed; the other "
                "stays. Open both only after the fourth failure.",
            )
        else:
            require(low <= -most and high >= most, f"{told}open both sides.")
        below *= 2 if value <= low else 1
        above *= 2 if value >= high else 1
    require(
        low < value < high,
        f"In {board.fen()}, {depth} plies deep, the last value, {value}, lies on a bound of the "
        f"window {low} to {high} or outside: that is a failure, so search again.",
    )


@exercise("s17-4")
def verifying(answer: type[Any]) -> None:
    """Not fooled by zugzwang, still passing, nothing else changed."""
    module = module_of("s17_selective_search")
    only = module.Selection.NULL_MOVE
    knight = played("Bb5", "1n5k/5K1p/1p5P/8/2B5/8/8/8 w - - 0 1")
    for board in (knight, mirrored(knight)):
        engine = answer(_evaluator(), selection=only, table=_table())
        copy = board.copy()  # the evaluator looks at the board with which the engine begins
        engine._begin(copy)
        beta = engine.evaluator.get_score() - 50
        value = engine._value(copy, 4, beta - 1, beta)
        require(value < beta, f"In {board.fen()} your engine is fooled by the pass.")
        require(copy.fen() == board.fen(), "The board changed: take back every move.")

    passes: list[int] = []  # plies at which a null move was made
    begun: list[int] = []  # how many there were whenever a search of the first node began

    class Watched(answer):  # type: ignore[misc]
        def _search(self, board: chess.Board, depth: int, alpha: float, beta: float) -> Any:
            if len(board.move_stack) == 1:
                begun.append(len(passes))
            return super()._search(board, depth, alpha, beta)

        def _make(self, board: chess.Board, move: chess.Move) -> None:
            if not move:
                passes.append(len(board.move_stack))
            super()._make(board, move)

    rich = RICH.copy()
    engine = Watched(_evaluator(), selection=only, table=_table())
    engine._begin(rich)
    beta = engine.evaluator.get_score() - 200
    require(
        engine._value(rich, 7, beta - 1, beta) >= beta,
        f"In {rich.fen()} the pass and the second search reach beta, so `_value` does.",
    )
    here = passes.count(1)
    require(
        here == 1,
        f"In {rich.fen()} your engine passed {here} times, expected once: in the second search "
        "it may not pass at this node.",
    )
    require(
        len(begun) < 2 or len(passes) > begun[1],
        f"In {rich.fen()} your second search of depth 5 never passes. At the nodes behind this "
        "one it may.",
    )
    _require_second_search(answer, only)
    saved = False
    for board in random_boards(40, 5)[20:]:
        if saved or board.legal_moves.count() > 34:
            continue
        engine = answer(_evaluator(), 4, selection=only, table=_table())
        none = module.SelectiveEngine(
            _evaluator(), 4, selection=module.Selection.NONE, table=_table()
        )
        engine.play(board)
        none.play(board)
        saved = engine.statistics.nodes < none.statistics.nodes
    require(saved, "Your engine saves no nodes: does it ever believe a pass?")


def _require_second_search(answer: type[Any], only: Any) -> None:
    """One search with less depth, whose value decides, each time anew."""
    table = module_of("s15_transposition_table")
    rich = RICH.copy()

    # What runs where no pass is tried: `_search` of this node ends here, whichever class it is of.
    plain = module_of("s14_move_ordering").OrderedEngine
    search, reached = plain._search, module_of("s11_iterative_deepening").LimitReachedError
    asked: list[tuple[int, float, float]] = []
    reply, limited = 0.0, False

    def noted(self: Any, board: chess.Board, depth: int, alpha: float, beta: float) -> Any:
        if len(board.move_stack) > 1:
            return search(self, board, depth, alpha, beta)
        asked.append((depth, alpha, beta))
        if limited:
            raise reached
        return reply, None

    for more in (0, 1, -1):
        engine = answer(_evaluator(), selection=only, table=_table())
        engine._begin(rich)
        beta = engine.evaluator.get_score() - 200
        known = table.Entry(table.HASHER(rich), 20, table.Bound.LOWER, beta, None, engine.table.age)
        engine.table.put(known)
        asked, reply = [], beta + more
        for times in (1, 2):
            with mock.patch.object(plain, "_search", noted):
                said = engine._null_move_refutes(rich, 5, beta)
            require(
                asked == [(3, beta - 1, beta)] * times,
                f"In {rich.fen()}, depth 5, beta {beta}, question {times}: expected `_search` with "
                f"depth 3, {beta - 1} and {beta} each time; it was called with {asked}. "
                "(`_value` may answer from the table; after an answer the node may pass again.)",
            )
            require(
                bool(said) == (more >= 0),
                f"The second search gave beta {more:+}, and your answer is {said}. Only if it "
                "reaches beta too, the answer is yes.",
            )
    engine = answer(_evaluator(), selection=only, table=_table())
    engine._begin(rich)
    asked = []
    for _ in range(2):
        limited = not limited  # the first of the two searches is stopped
        with mock.patch.object(plain, "_search", noted), contextlib.suppress(reached):
            engine._null_move_refutes(rich, 5, beta)
    require(
        asked == [(3, beta - 1, beta)] * 2,
        "After a limit has stopped the second search, this node never passes again: undo your "
        "note in a `finally`.",
    )


def mirrored(board: chess.Board) -> chess.Board:
    """The mirror image, with its last move."""
    before = board.copy()
    last = before.pop()
    image = before.mirror()
    image.push(
        chess.Move(chess.square_mirror(last.from_square), chess.square_mirror(last.to_square))
    )
    return image
