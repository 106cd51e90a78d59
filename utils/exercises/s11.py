"""Checks of chapter s11, iterative deepening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess
import chess.engine

from utils.exercises import exercise, kept, module_of, pairs, random_boards, require, require_equal
from utils.exercises.positions import BACK_RANK, played, with_mirrors

_MORPHY = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
_TRAP = "k7/8/1Q2p3/8/8/p7/1p6/K7 w - - 0 1"
_LADDER = "8/k7/7R/8/8/8/6R1/K7 b - - 0 1"
_TENTHS = "rnb1Nk2/p2p4/1np4r/1p3ppp/2P2P2/P1NPP3/1b3R1P/R1B2KQ1 w - - 3 25"
_RACE = "k7/8/4K1P1/1p6/8/8/8/8 b - - 0 1"


_ALIKE = {
    "the side to move": ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/8/8/8/4K2R b - - 0 1"),
    "the right to castle": (  # castling mates
        "8/3Q4/8/4Q3/8/5kp1/8/4K2R w K - 0 1",
        "8/3Q4/8/4Q3/8/5kp1/8/4K2R w - - 0 1",
    ),
    "the capture en passant": (  # which mates
        "7k/5K2/8/6pP/8/Q6R/2R5/8 w - g6 0 1",
        "7k/5K2/8/6pP/8/Q6R/2R5/8 w - - 0 1",
    ),
}


def _evaluator() -> Any:
    return module_of("s08_evaluation").Evaluator()


@exercise(
    "s11-1",
    first={
        "all iterations": 1,
        "all iterations from the second on": 2,
        "all iterations from the third on": 3,
    },
)
def price(answer: Callable[[int, int], float], first: int) -> None:
    """Several shapes of trees, a single line of moves included."""
    for branching, depth in ((20, first), (2, first + 1), (6, 4), (35, 3), (1, 5)):
        expected = sum(branching**ply for ply in range(first, depth + 1)) / branching**depth
        said = answer(branching, depth)
        require(
            abs(said - expected) < 1e-9,
            f"{branching} moves, depth {depth}: expected {expected:.4f}, got {float(said):.4f}. "
            f"All iterations from {first} to the depth count, the last one too; then divide by its "
            f"{branching**depth} leaves.",
        )


@exercise("s11-2")
def confused(answer: dict[str, tuple[str, str]]) -> None:
    """Pairs that are different, legal, and equal under the bad key."""
    key = module_of("s11_iterative_deepening").position_key
    bad: dict[str, Callable[[chess.Board], object]] = {
        "turn": lambda b: (b.board_fen(), b.castling_xfen(), b.has_legal_en_passant()),
        "castling": lambda b: (b.board_fen(), b.turn, b.has_legal_en_passant()),
        "rows": lambda b: (b.board_fen(), b.turn, b.castling_xfen(), b.has_legal_en_passant()),
    }
    left_out: dict[str, tuple[str, Callable[[chess.Board], object]]] = {
        "turn": ("the side to move", lambda b: b.turn),
        "castling": ("the right to castle", lambda b: b.clean_castling_rights()),
        "rows": ("the square of the capture en passant", lambda b: b.ep_square),
    }
    for name, confuse in bad.items():
        require(name in answer, f"There is no pair for {name!r}.")
        one, two = (chess.Board(fen) for fen in answer[name])
        for board in (one, two):
            require(board.is_valid(), f"{name}: {board.fen()} is no legal position.")
        require(key(one) != key(two), f"{name}: the two positions are the same.")
        require(
            confuse(one) == confuse(two),
            f"{name}: the bad key tells these two apart. They may differ in one thing only, "
            "the one that the key forgets.",
        )
        what, part = left_out[name]
        require(
            part(one) != part(two),
            f"{name}: {one.fen()} and {two.fen()} do not differ in what this key leaves out, "
            f"{what}. Each key needs a pair of its own.",
        )


@exercise("s11-3")
def info_lines(answer: Callable[[Any, chess.Board], list[str]]) -> None:
    """Both sides to move, mates of both sides, and parts of a pawn."""
    module = module_of("s11_iterative_deepening")

    class Cheap(module_of("s08_evaluation").Evaluator):  # type: ignore[misc]
        """Counts a part of the material."""

        part = 0.75

        def heuristic(self, board: chess.Board) -> float:
            return self.part * float(super().heuristic(board))

    mobile, odd = module_of("s08_evaluation").MobilityEvaluator, Cheap()
    odd.part = 0.7504

    cases = [
        *((_evaluator(), b, ["cp 200", "cp 100", "mate 2"]) for b in with_mirrors(_MORPHY)),
        (_evaluator(), chess.Board("7k/5K2/8/8/8/8/8/6R1 b - - 0 1"), ["cp -500", "mate -1"]),
        (_evaluator(), chess.Board(BACK_RANK), ["mate 1"]),
        *((Cheap(), b, ["cp 150", "cp 75", "mate 2"]) for b in with_mirrors(_MORPHY)),
        (odd, chess.Board(_MORPHY), ["cp 150", "cp 75", "mate 2"]),
        (_evaluator(), chess.Board(_LADDER), ["cp -1000"] * 3 + ["mate -2"]),
        (mobile(), chess.Board(_TENTHS), ["cp 970"]),  # 9.7 times 100 is a little less
    ]
    for evaluator, board, scores in cases:
        engine = module.IterativeAlphaBetaCached(evaluator, len(scores))
        engine.analyse(board)
        said = answer(engine, board)
        hint = f"{board.fen()}: {len(engine.iterations)} iterations, but {len(said)} lines."
        require(len(said) == len(engine.iterations), hint)
        for line, iteration, score in zip(said, engine.iterations, scores, strict=True):
            expected = (
                f"info depth {iteration.depth} score {score} nodes {iteration.nodes} "
                f"pv {iteration.best.move.uci()}"
            )
            words = (
                "The score is right; compare the rest. Nodes and move are those of this iteration, "
                "the move in UCI notation."
                if f" score {score} " in line
                else "The score is in centipawns or in moves to mate, from the view of the side to "
                "move, Black too."
            )
            where = f"{board.fen()}, score {iteration.best.score:+g} in White's view: expected"
            require_equal(line, expected, where, words)


@exercise("s11-4")
def share(answer: Callable[[float, float, int], float]) -> None:
    """Played to the end, with and without increment."""
    for clock, increment, moves in (
        (300.0, 0.0, 40),
        (60.0, 1.0, 20),
        (5.0, 3.0, 30),
        *((10.0, 0.0, moves) for moves in (1, 2, 3, 10)),
        (1.0, 0.0, 2),
        (1.0, 0.0, 40),
    ):
        left = clock
        for to_go in range(moves, 0, -1):
            seconds = answer(left, increment, to_go)
            told = f"{left:.2f} s on the clock, {to_go} moves to go, increment {increment:.0f}"
            require(seconds > 0, f"{told}: {seconds} s is no time at all.")
            require(seconds <= left + 1e-9, f"{told}: {seconds:.2f} s loses on time.")
            hint = f"{told}: {seconds:.2f} s is more than half."
            require(to_go == 1 or seconds <= left / 2 + 1e-9, hint)
            hint = f"{told}: {seconds:.2f} s is more than the increment and twice an even share."
            require(seconds <= 2 * left / to_go + increment + 1e-9, hint)
            left += increment - seconds
        if increment == 0:
            hint = f"Of {clock:g} s, {left:.2f} are left at the end: less than nine tenths used."
            require(left <= clock / 10, hint)


@exercise("s11-5")
def thrifty(answer: type[Any]) -> None:
    """Compared with whole searches of the depth that was cut short."""
    module = module_of("s11_iterative_deepening")
    boards = [*with_mirrors(_TRAP), chess.Board(_RACE), *random_boards(6, 4)]
    cut = 0
    for board in boards:
        for nodes in (1, 10, 30, 90, 300):
            limit = chess.engine.Limit(nodes=nodes)
            plain, engine = module.IterativeAlphaBetaCached(_evaluator()), answer(_evaluator())
            before, found = plain.analyse(board, limit), kept(board, engine.analyse, limit)
            told = f"{board.fen()}, limit of {nodes} nodes"
            require(
                sorted(e.move.uci() for e in found) == sorted(m.uci() for m in board.legal_moves),
                f"{told}: every legal move has to be in the list once.",
            )
            require(engine.statistics.nodes <= nodes, f"{told}: more nodes than allowed.")
            if not plain.iterations:
                hint = f"{told}: nothing was finished, so nothing changes."
                require(pairs(found) == pairs(before), hint)
                continue
            # What the unfinished iteration has valued: the moves before the one that was cut.
            depth = plain.iterations[-1].depth + 1
            whole = module_of("s10_alpha_beta_engine").AlphaBetaEngine(_evaluator(), depth)
            exact = {e.move: e.score for e in whole.analyse(board)}
            tried = _valued(module, board, nodes)
            cut += bool(tried)
            moves = sorted(tried, key=lambda m: exact[m], reverse=board.turn == chess.WHITE)
            rest = [e.move for e in before if e.move not in tried]
            new, old = found[: len(moves)], found[len(moves) :]
            require(
                {e.move for e in new} == set(tried) and [e.move for e in old] == rest,
                f"{told}: expected the moves {[m.uci() for m in moves]} of the unfinished "
                "iteration first, by their new values, then the others in the old order.",
            )
            scores = [e.score for e in new]
            require(
                scores == [exact[e.move] for e in new] == [exact[m] for m in moves],
                f"{told}: of the moves that were tried, by their new values, the best comes first.",
            )
    require(cut > 10, "No search was cut short.")
    for limits in (chess.engine.Limit(depth=2), None):
        plain, engine = module.IterativeAlphaBetaCached(_evaluator()), answer(_evaluator())
        require(
            pairs(engine.analyse(boards[0], limits)) == pairs(plain.analyse(boards[0], limits)),
            f"{boards[0].fen()}: no iteration is cut short, so nothing changes.",
        )


def _valued(module: Any, board: chess.Board, nodes: int) -> list[chess.Move]:
    """The moves that an iteration which was cut short has finished, as they were tried."""
    tried: list[chess.Move] = []

    class Watched(module.IterativeAlphaBetaCached):  # type: ignore[misc]
        def _start_iteration(self, board: chess.Board, depth: int) -> None:
            super()._start_iteration(board, depth)
            tried.clear()

        def _evaluate_move(self, board: chess.Board, move: chess.Move, depth: int) -> Any:
            entry = super()._evaluate_move(board, move, depth)
            tried.append(move)
            return entry

    watched = Watched(_evaluator())
    watched.analyse(board, chess.engine.Limit(nodes=nodes))
    return [] if len(tried) == board.legal_moves.count() else tried


@exercise("s11-6")
def deeper(answer: Callable[[Any], Any]) -> None:
    """Deeper is taken, shallower is not, and bounds stay bounds."""
    plain = module_of("s10_alpha_beta_engine").AlphaBetaEngine

    def new_class() -> Any:
        return type("Deeper", (plain,), {"_value": answer(plain._value)})

    def value(searcher: Any, board: chess.Board, depth: int, *window: float) -> float:
        """The value in this window, or in a wide one."""
        found: float = searcher._value(board, depth, *(window or (-100, 100)))
        return found

    def after(*searches: Any) -> Any:
        """An engine of a new class that has made these searches."""
        searcher = new_class()(_evaluator())
        for search in searches:
            value(searcher, *search)
        return searcher

    def cost(searcher: Any, *search: Any) -> tuple[int, int]:
        """The nodes and the cache hits of one more search."""
        nodes, hits = searcher.statistics.nodes, searcher.statistics.cache_hits
        value(searcher, *search)
        return searcher.statistics.nodes - nodes, searcher.statistics.cache_hits - hits

    board, trap = chess.Board(_MORPHY), chess.Board(_TRAP)
    kind = new_class()  # of both engines: what one remembers must not answer the other
    for evaluator in (_evaluator(), module_of("s08_evaluation").MobilityEvaluator()):
        said, right = value(kind(evaluator), board, 2), value(plain(evaluator), board, 2)
        require(
            said == right,
            f"{board.fen()} is worth {right} to the second engine of this class, which has another "
            f"evaluator, and not {said}: each engine keeps a memory of its own.",
        )
    for first, second, score in ((3, 2, 100), (2, 3, 100), (1, 2, 1)):
        searcher = after()
        for depth in (first, second):
            best = searcher.analyse(board, chess.engine.Limit(depth=depth))[0]
        where = f"{board.fen()}, {first} plies deep and then {second}"
        words = f"{where}: expected the score {score}, got {best.score}."
        require(best.score == score, words)
    exact = value(plain(_evaluator()), trap, 3)
    for alpha, beta in ((-20, -19), (0, 1), (exact - 1, exact + 1), (8, 9)):
        said = value(after((trap, 3, alpha, beta)), trap, 3)
        words = f"After a search between {alpha} and {beta}, {trap.fen()} is worth"
        require_equal(said, exact, words, "Here a bound was taken for a value.")
    for shallow, deep, alpha in ((1, 2, 2), (2, 3, -1), (2, 3, 2)):
        said = value(after((board, shallow), (board, deep, alpha, alpha + 1)), board, deep)
        right = value(plain(_evaluator()), board, deep)
        require(
            said == right,
            f"{board.fen()}, {deep} plies deep, is worth {said} instead of {right}, after a "
            f"search of {shallow} and one between {alpha} and {alpha + 1}: the bounds of a "
            "shallower search were kept beside those of a deeper one.",
        )
    searcher = after((trap, 3))
    for depth in (2, 3):
        _, hits = cost(searcher, trap, depth)
        require(
            hits == 1,
            f"{trap.fen()} was searched 3 plies deep; asked for {depth} plies, the memory "
            "should answer at once, and count one cache hit.",
        )
    # The first search leaves a bound, which is no answer to a wider window.
    nodes, _ = cost(after((trap, 3, 0, 1), (trap, 2)), trap, 3, 0, 1)
    words = f"{trap.fen()}: a search of 2 plies has replaced the bounds of one of 3."
    require(nodes == 0, words)
    for alpha, beta in ((0, 1), (exact + 5, exact + 6)):
        _, hits = cost(after((trap, 3, alpha, beta)), trap, 3, alpha, beta)
        require(
            hits == 1,
            f"{trap.fen()} was searched between {alpha} and {beta}; asked again, the memory "
            "answers with a bound: count that as a cache hit, too.",
        )
    nodes, _ = cost(after((trap, 3)), chess.Board(_TRAP.replace("0 1", "2 9")), 3)
    require(
        nodes == 0,
        f"{trap.fen()} was searched again because its move counters were other ones; they are no "
        "part of a position. Use position_key.",
    )
    for what, pair in _ALIKE.items():
        for earlier, later in (pair, pair[::-1]):
            said = value(after((chess.Board(earlier), 1)), chess.Board(later), 1)
            right = value(plain(_evaluator()), chess.Board(later), 1)
            words = f"After {earlier}, {later} is worth"
            require_equal(said, right, words, f"They differ in {what}. Use position_key.")
    searcher = after()
    for counters in ("0 1", "148 120"):
        old = chess.Board(f"8/8/8/4k3/8/3QK3/8/8 w - - {counters}")
        best = searcher.analyse(old, chess.engine.Limit(depth=3))[0]
    hint = f"{old.fen()} is a draw by the fifty-move rule; the memory said {best.score}."
    require(best.score == 0, hint)
    line = played("Qa3 Kg8 Qa2+ Kh8 Qa3 Kg8 Qa2+", "7k/8/8/8/8/8/Q7/K7 w - - 0 1")
    fresh = chess.Board(line.fen().replace(" 7 ", " 0 "))
    require(
        value(after((fresh, 1)), line, 1) == 0,
        "The next move repeats the position for the third time, and the memory does not know it.",
    )
    require(
        value(after((line, 1)), fresh, 1) == value(plain(_evaluator()), fresh, 1),
        "A draw by repetition was stored: where the history may matter, nothing is stored either.",
    )
    _, hits = cost(after((trap, 0)), trap, 0)
    require(hits == 0, "Nodes at the depth limit are not stored.")
