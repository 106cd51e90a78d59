"""Checks of chapter s16, quiescence search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess

from utils.exercises import exercise, kept, module_of, random_boards, require, require_equal
from utils.exercises.positions import square_names, with_mirrors


@exercise("s16-1")
def by_hand(answer: Callable[[tuple[int, list[Any]]], int]) -> None:
    """Quiet positions, good and bad captures, captures behind captures."""
    best = "Take the best capture: play each of them out to the end, and compare what comes of it."
    cases: list[tuple[tuple[int, list[Any]], int, str]] = [
        ((40, []), 40, "Without captures the static score counts."),
        ((-40, []), -40, "Without captures the static score counts."),
        (
            (30, [(-200, [])]),
            200,
            "What is bad for the opponent is good for the side to move: turn the sign, and take "
            "the best.",
        ),
        ((30, [(200, [])]), 30, "A capture that loses need not be made: stand pat."),
        ((0, [(-100, [(400, [])])]), 100, "The opponent may take back, but need not."),
        ((0, [(-100, [(-400, [])])]), 0, "The opponent takes back; then standing pat is better."),
        ((-500, [(400, [(-300, [])]), (-90, [(50, [(-200, [])])])]), 90, best),
        ((0, [(-300, [(-500, [])]), (-50, [])]), 50, best),
    ]
    for position, expected, hint in cases:
        require_equal(answer(position), expected, f"{position} is worth", hint)


@exercise(
    "s16-2",
    least={
        "more than zero": 0,
        "more than 100 centipawns": 100,
        "more than 300 centipawns": 300,
        "more than 400 centipawns": 400,
    },
)
def hanging(answer: Callable[[chess.Board], set[chess.Square]], least: int) -> None:
    """Defended and undefended pieces, en passant, and random positions."""
    module = module_of("s16_quiescence_search")
    words = f"Only what wins more than {least} centipawns counts."
    cases = {
        "4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1": "A rook does not win a defended pawn.",
        "4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1": f"The pawn is not defended. {words}",
        "4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1": f"The knight is not defended. {words}",
        "4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1": "An even exchange wins nothing.",
        "4k3/8/8/2KPp3/8/8/8/8 w - e6 0 1": (
            f"En passant, the pawn that is won does not stand where the capture ends. {words}"
        ),
        "4k3/8/8/8/1b2p3/8/3N4/4K3 w - - 0 1": "The knight is pinned and cannot take.",
        "8/4P2k/8/8/8/8/8/4K3 w - - 0 1": "A promotion that takes nothing wins no enemy piece.",
        "3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1": "A pawn takes and becomes a queen.",
    }
    boards = [(board, hint) for fen, hint in cases.items() for board in with_mirrors(fen)]
    boards += [(board, words) for board in random_boards(150, 16)]
    for board, hint in boards:
        expected = {
            move.to_square ^ (8 if board.is_en_passant(move) else 0)
            for move in board.generate_legal_captures()
            if module.static_exchange(board, move) > least
        }
        said = kept(board, answer)
        is_set = isinstance(said, set | frozenset | chess.SquareSet)
        require(is_set, f"Return a set of squares, not {said!r}.")
        require(
            set(said) == expected,
            f"In {board.fen()} expected {square_names(expected)}, not {square_names(said)}. {hint}",
        )


@exercise("s16-3")
def losing_last(answer: type[Any]) -> None:
    """Good captures, then quiet moves, then losing captures, the worst last."""
    module = module_of("s16_quiescence_search")
    base = module_of("s14_move_ordering").MoveOrderer
    several = chess.Board("4k3/8/1pp5/r2p4/8/2N5/Q7/4K3 w - - 0 1")  # the usual order differs
    promotion = chess.Board("r6k/4P3/8/8/8/8/8/4K3 w - - 0 1")  # it loses, and takes nothing
    for board in (several, promotion, *random_boards(120, 3)):
        moves = list(board.legal_moves)
        losing = {
            move: module.static_exchange(board, move)
            for move in moves
            if board.is_capture(move) and module.static_exchange(board, move) < 0
        }
        orderer, plain = answer(), base()
        quiet = [m for m in moves if not board.is_capture(m) and not m.promotion]
        for one in (orderer, plain):
            if quiet:
                one.cut_off(board, quiet[-1], 3)
        order = orderer.ordered(board, moves)
        where = f"In {board.fen()}"
        require(sorted(order, key=str) == sorted(moves, key=str), f"{where} moves are missing.")
        rest = [move for move in plain.ordered(board, moves) if move not in losing]
        require(
            [move for move in order if move not in losing] == rest,
            f"{where} the other moves should stay in the order of MoveOrderer: only captures that "
            "lose material are judged by the exchange.",
        )
        tail = order[len(rest) :]
        for move in losing:
            hint = f"{where} {board.san(move)} loses material and should come behind the others."
            require(move in tail, hint)
        worth = [losing[move] for move in tail]
        hint = f"{where} the losing captures are not sorted: the worst comes last."
        require(worth == sorted(worth, reverse=True), hint)


def watched(answer: type[Any]) -> type[Any]:
    """The reader's engine; what its `_captures` gives is looked at."""
    good = module_of("s16_quiescence_search").good_captures
    horizon = 0  # no attribute: the reader's engine may have one of this name

    class Watched(answer):  # type: ignore[misc]
        def _leaf_value(
            self, board: chess.Board, depth: int, alpha: float, beta: float
        ) -> float | None:
            nonlocal horizon
            horizon = len(board.move_stack)
            value: float | None = super()._leaf_value(board, depth, alpha, beta)
            return value

        def _captures(self, board: chess.Board, missing: float) -> list[chess.Move]:
            moves: list[chess.Move] = list(super()._captures(board, missing))
            where, usual = f"In {board.fen()}", set(good(board, missing))
            checks = {
                move
                for move in board.legal_moves
                if board.gives_check(move) and not (board.is_capture(move) or move.promotion)
            }
            for move in moves:
                hint = f"{where} {move} is neither a good capture nor a quiet check."
                require(move in usual | checks, hint)
            found = set(moves)
            require(len(found) == len(moves), f"{where} a move is there twice.")
            require(usual <= found, f"{where} captures are missing.")
            if len(board.move_stack) > horizon:
                late = ", ".join(map(board.san, found - usual))
                require(
                    not late,
                    f"{where}, behind the first position beyond the horizon, you try {late}. Quiet "
                    "checks are tried only in the first one.",
                )
            else:
                missed = ", ".join(map(board.san, checks - found))
                require(not missed, f"{where}, the first beyond the horizon, {missed} is missing.")
            return moves

    return Watched


@exercise("s16-4")
def quiet_checks(answer: type[Any]) -> None:
    """Quiet checks at the first ply beyond the horizon, and nowhere else; mates by them."""
    evaluator = module_of("s13_incremental_evaluation").IncrementalEvaluator
    corner = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"
    for board in (*with_mirrors(corner), chess.Board("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1")):
        value = (evaluator().value_checkmate - 3) * (1 if board.turn else -1)
        engine = watched(answer)(evaluator(), 2)
        engine.play(board)
        score = engine.iterations[-1].best.score
        words = f"In {board.fen()} two plies and checks should see the mate: the score is"
        require_equal(score, value, words)
    for board in random_boards(60, 4):
        if board.legal_moves.count() <= 30:
            watched(answer)(evaluator(), 1).play(board)
    asked: list[str] = []

    def nothing(board: chess.Board, missing: float) -> list[chess.Move]:
        asked.append(board.fen())
        return []

    answer(evaluator(), 1, captures=nothing).play(chess.Board())
    require(asked, "Captures come from the function that the engine was given: ask `super()`.")
