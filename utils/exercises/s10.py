"""Checks of chapter s10, alpha-beta."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable
from typing import Any

import chess
import chess.engine

from utils.exercises import exercise, kept, module_of, pairs, random_boards, require, require_equal
from utils.exercises.positions import BACK_RANK, MIDDLEGAME, with_mirrors

_INFINITY = float("inf")
_TACTIC = "6k1/4rppp/8/p7/1b2Q3/3p4/5PPP/6K1 w - - 0 1"


def _engine(depth: int = 2) -> Any:
    evaluator = module_of("s08_evaluation").Evaluator()
    return module_of("s10_alpha_beta_engine").AlphaBetaEngine(evaluator, depth)


@exercise("s10-1")
def depths_within(answer: Callable[[int, int], tuple[int, int]]) -> None:
    """Even and odd depths, exact powers, and one leaf less."""
    for branching, leaves, full, proved in (
        (3, 1, 0, 0),
        (3, 2, 0, 0),
        (3, 3, 1, 1),
        (3, 4, 1, 1),
        (3, 5, 1, 2),
        (3, 11, 2, 3),
        (3, 16, 2, 3),
        (3, 243, 5, 8),
        (3, 242, 4, 8),
        (3, 160, 4, 7),
        (2, 7, 2, 4),
        (10, 1000, 3, 4),
        (35, 1_000_000, 3, 6),
        (35, 1_500_624, 3, 6),
        (35, 1_543_498, 4, 6),
        (35, 1_543_499, 4, 7),
        (2, 2**60 - 1, 59, 118),
        (10, 10**15 - 1, 14, 28),
        (10, 10**15, 15, 28),
    ):
        said = tuple(answer(branching, leaves))
        hint = "The depth of minimax comes first, that of alpha-beta second."
        require(full == proved or said != (proved, full), hint)
        for name, expected, depth in zip(
            ("minimax", "alpha-beta at its best"), (full, proved), said, strict=True
        ):
            small = depth < expected == full and branching**full == leaves
            exact = "That is the exact number of leaves, which is still within." if small else ""
            words = f"{branching} moves, {leaves} leaves: {name} reaches depth"
            require_equal(depth, expected, words, exact)


def _reference(
    tree: Any,
    white: bool,
    stops: Callable[..., bool],
    step: int,
    alpha: float = -_INFINITY,
    beta: float = _INFINITY,
) -> tuple[float, int]:
    """The expected value, from White's view, and number of leaves."""
    if not isinstance(tree, list):
        return tree, 1
    best, leaves = -_INFINITY if white else _INFINITY, 0
    for part in tree[::step]:
        value, more = _reference(part, not white, stops, step, alpha, beta)
        leaves += more
        if white:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if stops(alpha, beta):
            break
    return best, leaves


def _turned(tree: Any, step: int) -> Any:
    """A tree whose parts are listed forwards or backwards."""
    return [_turned(part, step) for part in tree[::step]] if isinstance(tree, list) else tree


def _random_tree(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.1:
        return rng.randint(-5, 5)
    return [_random_tree(rng, depth - 1) for _ in range(rng.randint(1, 4))]


@exercise(
    "s10-2",
    stops={"alpha >= beta": operator.ge, "alpha > beta": operator.gt},
    step={"in the order of the list": 1, "in the reverse order of the list": -1},
)
def alpha_beta(
    answer: Callable[..., tuple[float, int]], stops: Callable[..., bool], step: int
) -> None:
    """Trees by hand, also in a narrow window, then random ones; values first, then leaves."""
    equal = "is" if stops(0, 0) else "is not"
    by_hand: list[tuple[Any, bool, str]] = [
        (7, True, "A leaf is its own value."),
        ([3, 8, -2], True, "White takes the largest."),
        ([3, 8, -2], False, "Black takes the smallest."),
        ([[6, 9], [-2, 5]], True, "After 6, the -2 refutes the second part."),
        ([[6, 2], [9, 1]], False, "After 6, the 9 refutes the second part."),
        ([[6, 9], [6, 5]], True, f"An equal value {equal} enough to stop."),
        ([5, [[[3, 9], 8], 7]], True, "White has 5 at the root; at the 3 Black may stop."),
        ([-32000, -31000], True, "No value is too small to be White's best."),
        ([32000, 31000], False, "No value is too large to be Black's best."),
    ]
    for listed, white, words in by_hand:
        tree = _turned(listed, step)  # so that the words fit in either order
        expected = _reference(tree, white, stops, step)
        case = f"{tree} with {'White' if white else 'Black'} to move: expected"
        require_equal(tuple(answer(tree, white)), expected, case, words)
    for tree, white, alpha, beta in (
        ([1, 2], True, 5, 9),
        ([9, 8], False, 1, 5),
        ([6, 2], True, 1, 4),
        ([2, 6], False, 4, 9),
    ):
        expected = _reference(tree, white, stops, step, alpha, beta)
        side = "White" if white else "Black"
        case = f"{tree} with {side} to move, in the window from {alpha} to {beta}: expected"
        words = f"The best value found is {expected[0]}, outside the window: return it as it is."
        require_equal(tuple(answer(tree, white, alpha, beta)), expected, case, words)
    rng = random.Random(10)
    for _ in range(60):
        tree, white = _random_tree(rng, 4), rng.random() < 0.5
        right, leaves = _reference(tree, white, stops, step)
        value, visited = answer(tree, white)
        side = "White" if white else "Black"
        require(value == right, f"The value of {tree} is wrong for {side} to move.")
        more = "Is the window handed down?" if visited > leaves else "Is a part left too soon?"
        require_equal(visited, leaves, f"{tree}: the number of leaves to be visited is", more)


@exercise("s10-3")
def captures_first(answer: type[Any]) -> None:
    """The order, the values, the saving."""
    evaluator = module_of("s08_evaluation").Evaluator()
    engine = answer(evaluator, 2)
    passing = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    promoting = chess.Board("4k3/P7/8/3p4/4P3/8/8/4K3 w - - 0 1")  # a promotion is no capture
    for number, board in enumerate([passing, promoting, *random_boards(40, 5)]):
        fen, moves = board.fen(), list(board.legal_moves)
        tried = kept(board, lambda b, depth: list(engine._moves(b, depth)), 1 + number % 3)
        missing = [move for move in moves if move not in tried]
        require(not missing, f"In {fen} moves are missing, such as {(missing or moves)[0]}.")
        require_equal(len(tried), len(moves), f"In {fen} the legal moves, each once, are")
        takes = [board.is_capture(move) for move in tried]
        words = f"In {fen} a capture comes after another move. En passant captures, too."
        require(takes == sorted(takes, reverse=True), words)
        captures = [move for move in moves if board.is_capture(move)]
        require(
            tried[: len(captures)] == captures
            and tried[len(captures) :] == [m for m in moves if m not in captures],
            f"In {fen} a group is not in the order of the library.",
        )
    for fen in (MIDDLEGAME, _TACTIC):
        board = chess.Board(fen)
        plain, mine = _engine(3), answer(evaluator, 3)
        hint = f"In {fen} the analysis is not that of AlphaBetaEngine: change the order alone."
        require(pairs(plain.analyse(board)) == pairs(mine.analyse(board)), hint)
        require(
            mine.statistics.leaves < plain.statistics.leaves,
            f"In {fen} it visits {mine.statistics.leaves} leaves, "
            f"not fewer than the {plain.statistics.leaves} of AlphaBetaEngine.",
        )


@exercise("s10-4")
def best_moves(answer: Callable[..., list[Any]]) -> None:
    """The entries of `analyse`, for less."""

    def asked(board: chess.Board, depth: int, count: int) -> list[Any]:
        return answer(_engine(1), board, depth, count)

    boards = [*with_mirrors(BACK_RANK), chess.Board(_TACTIC), *random_boards(6, 7)]
    for board, depth in itertools.product(boards, (2, 1)):
        whole = _engine(depth).analyse(board)
        for count in (1, 3, len(whole) + 1):
            found = kept(board, asked, depth, count)
            case = f"In {board.fen()}, depth {depth}, the best {count}:"
            require_equal(len(found), len(whole[:count]), f"{case} the number of entries is")
            scores, mine = ([e.score for e in list_] for list_ in (whole[:count], found))
            require(
                mine == scores,
                f"{case} the scores {mine} are not those of analyse, {scores}. A move "
                "that stays below the window returns a bound, no score. Also mind who is to move: "
                "scores are from White's view, and below a move one ply less is left.",
            )
            hint = f"{case} of equal moves the first in the list come first."
            require([e.move for e in found] == [e.move for e in whole[:count]], hint)
    board = chess.Board(MIDDLEGAME)
    spent = {}
    for count in (1, 3):
        engine = _engine(1)
        engine.evaluator = judge = _counting(module_of("s08_evaluation").Evaluator)
        answer(engine, board, 2, count)
        hint = "Use the engine given, and leave its statistics alone."
        require(0 < judge.calls <= engine.statistics.nodes + 1, hint)
        spent[count] = engine.statistics.nodes
    engine = _engine(2)
    engine.analyse(board)
    for count, nodes in spent.items():
        require(
            nodes < 0.9 * engine.statistics.nodes,
            f"For the best {count} it visits {nodes} nodes; analyse visits "
            f"{engine.statistics.nodes}. Let the window narrow, and hand it down negated and "
            "swapped.",
        )
    before = engine.statistics.nodes
    answer(engine, board, 2, 1)
    require(
        engine.statistics.nodes > before, "Do not reset the engine's statistics: the counts add up."
    )
    ending = "8/5k2/8/2p5/3K4/8/4P3/Q6R w - - 0 1"
    cents = module_of("s12_piece_square_tables").PieceSquareEvaluator()
    for board in with_mirrors(ending):
        engine = type(_engine())(cents)
        whole = engine.analyse(board, chess.engine.Limit(depth=3))[:3]
        require(
            [e.score for e in answer(engine, board, 3, 3)] == [e.score for e in whole],
            f"In {board.fen()} the scores are not those of analyse where the evaluator counts in "
            "centipawns: the widest window is that of its value_checkmate, and only alpha rises.",
        )


def _counting(kind: Any) -> Any:
    """An evaluator that counts the positions that it is asked about."""

    class Counting(kind):  # type: ignore[misc]
        calls, last = 0, None

        def evaluate(self, board: chess.Board) -> Any:
            if board.move_stack != self.last:  # asked twice, it is one node
                self.calls, self.last = self.calls + 1, board.move_stack.copy()
            return super().evaluate(board)

    return Counting()


def _open_value(engine: Any, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
    """The value by alpha-beta, where every `best` begins at minus infinity.

    Near a mate that visits more nodes than a `best` that begins at its value.
    """
    static = engine._static_value(board, depth)
    if static is not None:
        return float(static)
    best = -_INFINITY
    for move in board.legal_moves:
        board.push(move)
        best = max(best, -_open_value(engine, board, depth - 1, -beta, -max(alpha, best)))
        board.pop()
        if best >= beta:
            break
    return best


@exercise("s10-5")
def line(answer: type[Any]) -> None:
    """The line leads to the value of the root, and one search has found it."""
    module = module_of("s08_evaluation")
    draw = chess.Board("7k/8/8/8/8/8/K7/1r6 w - - 0 1")
    fifty = "8/8/4k3/8/8/2R1K3/8/8 w - - 99 90"  # drawn after the next ply
    plain_kind, mobile_kind = module.Evaluator, module.MobilityEvaluator
    cases = [(plain_kind, board, 3) for board in with_mirrors(_TACTIC)]
    cases += [(plain_kind, board, 2) for board in with_mirrors(draw, fifty)]
    cases += [(k, board, 2) for board in random_boards(6, 8) for k in (plain_kind, mobile_kind)]
    again = [(board, depth) for board in random_boards(4, 9) for depth in (3, 1, 2)]
    same = answer(_counting(plain_kind), 2)
    for board, depth, engine in [
        *((board, depth, answer(_counting(kind), depth)) for kind, board, depth in cases),
        *((board, depth, same) for board, depth in again),
    ]:
        judge, words = engine.evaluator, ""
        if engine is same:
            words = " The engine was asked before, at another depth: is anything left over?"
        judge.calls = 0
        plain = type(_engine())(judge, depth)
        value = _open_value(plain, board, depth, -_INFINITY, _INFINITY)
        if abs(value) >= judge.value_checkmate:
            continue
        fen, allowed, judge.calls = board.fen(), judge.calls, 0
        moves = kept(board, engine.line, depth)
        hint = f"In {fen} it visits {judge.calls} nodes; one search visits {allowed}."
        require(judge.calls <= allowed, hint)
        current = board.copy()
        for move in moves:
            require(isinstance(move, chess.Move), f"In {fen}: {move!r} is no chess.Move.")
            require(
                judge.evaluate(current) is None,
                f"In {fen} the line goes on with {move} where the game is over.{words}",
            )
            require(
                move in current.legal_moves, f"In {fen}: {move} is not legal in its place.{words}"
            )
            current.push(move)
        require(
            len(moves) == depth or judge.evaluate(current) is not None,
            f"In {fen}, {depth} plies deep, a line of {len(moves)} plies is too short or too "
            f"long.{words}",
        )
        end = judge.evaluate(current)
        end = judge.heuristic(current) if end is None else end
        hint = f"In {fen} the line does not lead to the value of the root, which is {value}.{words}"
        require(abs((-1) ** len(moves) * end - value) < 1e-9, hint)
        current = board.copy()
        for ply, move in enumerate(moves, 1):
            current.push(move)
            worth = _open_value(plain, current, depth - ply, -_INFINITY, _INFINITY)
            hint = (
                f"In {fen} the line has {move}, which is not the best move: its bound is no value."
            )
            require(abs((-1) ** ply * worth - value) < 1e-9, hint)
    for engine in (answer(plain_kind(), 2), same):
        limit = chess.engine.Limit(depth=3)
        require(
            [entry.move for entry in engine.analyse(draw, limit)]
            == [entry.move for entry in _engine(3).analyse(draw)],
            "A LineEngine is an AlphaBetaEngine: `play` and `analyse` do what they did, also "
            "before and after a line.",
        )
    mate = chess.Board(BACK_RANK)
    said = answer(plain_kind(), 1).line(mate, 1)
    require(
        said == [chess.Move.from_uci("d1d8")], f"A mate in one is a line of one move, not {said}."
    )
