"""Checks of chapter s23, the tournament engine."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import chess
import chess.engine
import numpy as np

from utils.exercises import exercise, module_of, require, require_equal
from utils.exercises.positions import BACK_RANK, MIDDLEGAME, ROOK_ENDING, played, square_names


def _iterations(*found: tuple[str, float]) -> tuple[Any, ...]:
    """Iterations with these best moves and scores."""
    module, before, made = module_of("s04_engine_interface"), "", []
    for depth, (uci, score) in enumerate(found, 1):
        best = module.ScoredMove(score, chess.Move.from_uci(uci))
        made.append(module.Iteration(depth, best, uci != before, 100 * depth))
        before = uci
    return tuple(made)


class _Scripted:
    """An engine that plays the first legal move and says what a list tells it."""

    def __init__(self, scores: Sequence[float | None]) -> None:
        module = module_of("s04_engine_interface")
        self.first, self.iteration = module.FirstMoveEngine(), module.Iteration
        self.scored, self.scores, self.last_search = module.ScoredMove, list(scores), None
        self.seeds: list[random.Random | None] = []
        self.limits: list[object] = []
        self.mate_score, self.pawn_value = 9_000, 100
        self.iterations: tuple[Any, ...] = ()
        self.stopped = self.closed = 0

    def play(self, board: chess.Board, limit: object = None) -> chess.engine.PlayResult:
        score = self.scores.pop(0)
        move = self.first.play(board).move
        found = None if score is None else self.iteration(1, self.scored(score, move), True, 1)
        self.last_search, self.iterations = found, (found,) if found else ()
        self.limits.append(limit)
        return chess.engine.PlayResult(move, None)

    def analyse(self, board: chess.Board, limit: object = None) -> list[Any]:
        self.limits.append(limit)
        return list(self.first.analyse(board))

    def new_game(self, rng: random.Random | None = None) -> None:
        self.seeds.append(rng)

    def stop(self) -> None:
        self.stopped += 1

    def close(self) -> None:
        self.closed += 1


def _at_most(times: int, plan: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """A plan that may be asked so many times."""
    asked = itertools.count(1)

    def counted(clock: float, increment: float) -> float:
        require(next(asked) <= times, "At most 300 moves are counted: end the loop there.")
        return plan(clock, increment)

    return counted


@exercise("s23-1")
def lasts(answer: Callable[..., int]) -> None:
    """Games that end at once, late, and never; a flag that falls by exactly nothing."""
    halves, nothing = (lambda clock, increment: clock / 2), (lambda clock, increment: 0.0)
    cases: list[tuple[str, Any, float, float, float, int]] = [
        ("a plan that takes nothing, without lag", nothing, 1.0, 0.0, 0.0, 300),
        ("a second of lag, ten on the clock", nothing, 10.0, 0.0, 1.0, 9),
        ("a second of lag, 300 on the clock", nothing, 300.0, 0.0, 1.0, 299),
        ("a second of lag and a second back", nothing, 2.0, 1.0, 1.0, 300),
        ("all of the clock at once", lambda clock, increment: clock, 5.0, 9.0, 0.0, 0),
        ("more lag than the increment", nothing, 1.0, 0.25, 0.5, 2),
        ("half of the clock each time", halves, 8.0, 0.0, 1.0, 2),
        ("half of the clock, and four seconds back", halves, 20.0, 4.0, 4.0, 2),
        ("a plan that spends the increment", lambda clock, inc: inc, 1.0, 0.5, 0.25, 1),
    ]
    for words, plan, clock, increment, lag, expected in cases:
        said = answer(_at_most(400, plan), clock, increment, lag)
        require(
            said == expected,
            f"With {words} ({clock} s + {increment} s, lag {lag} s) {expected} moves are made, not"
            f" {said}: each move is paid for, as the plan says with the clock of that moment,"
            " before the increment comes, and at zero the flag has fallen.",
        )


@exercise("s23-2")
def guess(answer: Callable[[Any], chess.Move | None]) -> None:
    """Lines of every length, a move without a search, and a real engine."""
    module, interface = module_of("s23_tournament_engine"), module_of("s04_engine_interface")
    engine = _Scripted([])
    require(answer(engine) is None, "Without a search nothing is expected: say None.")
    line = tuple(map(chess.Move.from_uci, ("e2e4", "c7c5", "g1f3")))
    for length in range(4):
        best = interface.ScoredMove(20, line[0])
        engine.last_search = interface.Iteration(3, best, True, 100, 0.0, line[:length])
        said, expected = answer(engine), line[1] if length > 1 else None
        require(said is None or isinstance(said, chess.Move), f"Return a chess.Move, not {said!r}.")
        require_equal(said, expected, f"After a line of {length} moves the guess is")
    real = module.TournamentEngine(megabytes=1)
    board = chess.Board()
    real.play(board, chess.engine.Limit(depth=4))
    require(answer(real) == real.last_search.line[1], "The reply is the second move of the line.")


@exercise("s23-3")
def settled(answer: Callable[[Any, int, float], bool]) -> None:
    """Moves and scores that stand still, change, drift, or are too few."""
    steady = [("e2e4", 20.0)] * 3
    cases = [
        (steady, 3, 0, True, "three times the same move and score"),
        (steady, 4, 50, False, "only three iterations where four are asked for"),
        ([("d2d4", 0.0), *steady], 3, 0, True, "the change lies before the last three"),
        ([*steady, ("d2d4", 20.0)], 2, 50, False, "the last iteration has another move"),
        ([("e2e4", 20.0), ("d2d4", 20.0), ("e2e4", 20.0)], 3, 50, False, "a move came and went"),
        ([("e2e4", 0.0), ("e2e4", 30.0)], 2, 30, True, "scores exactly the margin apart"),
        ([("e2e4", 0.0), ("e2e4", 31.0)], 2, 30, False, "scores more than the margin apart"),
        ([("e2e4", 0.0), ("e2e4", 25.0), ("e2e4", 50.0)], 3, 30, False, "a score that drifts"),
        ([("e2e4", 50.0), ("e2e4", 0.0)], 2, 30, False, "a score that falls"),
        ([("e2e4", 0.0), ("e2e4", 50.0), ("e2e4", 0.0)], 3, 30, False, "it jumps and comes back"),
        ([("e2e4", 0.0), ("e2e4", 30.0), ("e2e4", 15.0)], 3, 15, False, "two scores 30 apart"),
        ([("e2e4", 15.0), ("e2e4", 0.0), ("e2e4", 30.0)], 3, 15, False, "two scores 30 apart"),
        ([], 1, 0, False, "no iteration, as after a move of the book"),
        ([("e2e4", 9.0)], 1, 0, True, "one iteration, and one is asked for"),
    ]
    for found, count, margin, expected, words in cases:
        said = answer(_iterations(*found), count, margin)
        require(isinstance(said, bool | np.bool_), f"Say True or False, not {said!r}.")
        hint = f"With count {count} and margin {margin}: {words}, so the answer is {expected}."
        require(said == expected, hint)


@exercise("s23-4")
def resigning(answer: type[Any]) -> None:
    """Rows of bad scores for White and for Black, broken rows, the book, and a new game."""
    cases: list[tuple[chess.Color, list[float | None], list[bool], str]] = [
        (chess.WHITE, [-700.0, -800, -900], [False, False, True], "three bad moves in a row"),
        (chess.WHITE, [-700.0] * 4, [False, False, True, True], "four bad moves in a row"),
        (chess.WHITE, [-900.0, -699, -900], [False] * 3, "the second score is good enough"),
        (chess.BLACK, [700.0, 800, 900], [False, False, True], "three bad scores for Black"),
        (chess.WHITE, [700.0, 800, 900], [False, False, False], "White is winning"),
        (chess.BLACK, [-700.0, -800, -900], [False, False, False], "Black is winning"),
        (chess.WHITE, [-700.0, -700, -699, -700], [False] * 4, "the third score is good enough"),
        (chess.WHITE, [-700.0, -700, None, -700], [False] * 4, "a move without a search"),
    ]
    for turn, scores, expected, words in cases:
        board = chess.Board()
        board.turn = turn
        other = _Scripted(scores)
        engine = answer(other, 700, 3)
        require(
            (engine.mate_score, engine.pawn_value) == (other.mate_score, other.pawn_value),
            "`mate_score` and `pawn_value` are those of the other engine.",
        )
        for number, resigns in enumerate(expected, 1):
            result = engine.play(board)
            hint = f"{words}: at move {number} it should {'resign' if resigns else 'play on'}."
            require(bool(result.resigned) == resigns, hint)
            hint = f"A side that resigns makes no move: None instead of {result.move}."
            require(not resigns or result.move is None, hint)
            require(
                resigns or result.move == other.first.play(board).move,
                "It plays the other engine's move.",
            )
            hint = "After a move `iterations` are those of the other engine."
            require(engine.last_search == other.last_search, hint)
    other = _Scripted([-700.0, -700, -700, -700])
    engine, board, rng = answer(other, 700, 3), chess.Board(), random.Random(1)
    engine.play(board)
    limit = chess.engine.Limit(depth=2)
    engine.play(board, limit)
    require(other.limits[-1] is limit, "The limit is passed on to the engine that searches.")
    engine.new_game(rng)
    require(other.seeds == [rng], "A new game is passed on, with its source of chance.")
    require(
        not engine.play(board).resigned, "A new game breaks the row: the count begins again at one."
    )
    engine.new_game()
    require(other.seeds == [rng, None], "A new game may have no source of chance: pass on None.")
    engine.stop()
    engine.close()
    require(other.stopped == 1, "`stop` has to reach the engine that searches.")
    require(other.closed == 1, "`close` has to reach the engine that searches.")
    said = engine.analyse(board, limit)
    require(said == list(other.first.analyse(board)), "`analyse` gives what the other engine says.")
    require(other.limits[-1] is limit, "`analyse` passes its limit on to the other engine.")
    engine = answer(_Scripted([-100.0, -99]), 99.5, 1)
    require(
        engine.play(board).resigned and not engine.play(board).resigned,
        "With a margin of 99.5 and one move, a score of -100 is enough, and -99 is not.",
    )
    engine = answer(_Scripted([0.0, 900.0]), 700, 1)
    engine.play(board)
    engine.new_game()
    resigned = engine.play(played("e4")).resigned
    require(resigned, "In the next game it may have the other colour.")
    other = _Scripted([-7.0])
    other.pawn_value = 1
    require(
        answer(other, 700, 1).play(board).resigned,
        "With a `pawn_value` of 1, a score of -7 is -700 centipawns.",
    )


@exercise("s23-5")
def worths(answer: Callable[..., dict[chess.Square, int]]) -> None:
    """Both sides to move, pieces that may castle, and one that is worse than none."""
    chapter = module_of("s23_tournament_engine")
    judge, numbers = chapter.NetworkEvaluator(), module_of("s20_board_of_numbers").NumberBoard
    for fen in (MIDDLEGAME, BACK_RANK, ROOK_ENDING, "7k/8/8/8/6bq/8/3PPPPP/3QK2R b K - 0 1"):
        board = chess.Board(fen)
        said = answer(board.copy())
        men = {square: piece for square, piece in board.piece_map().items() if piece.piece_type < 6}
        require(
            isinstance(said, dict) and all(isinstance(square, int) for square in said),
            "Return a dictionary; its keys are squares, which are numbers such as chess.E4.",
        )
        require(
            said.keys() == men.keys(),
            f"In {fen} there are {len(men)} pieces that are no kings; your squares are "
            f"{square_names(said)}.",
        )
        whole = judge.unsoftened(numbers(board))
        for square, piece in men.items():
            without = board.copy()
            without.remove_piece_at(square)
            left, found = judge.unsoftened(numbers(without)), said[square]
            sign = 1 if piece.color == board.turn else -1
            lost = sign * (whole - left)
            softened = sign * (chapter.softened(whole) - chapter.softened(left))
            why = "take off this piece only, and leave the side to move as it is"
            if found == -lost:
                why = "it is the loss of its own side, so look at the sign"
            elif found == softened:
                why = "ask for `unsoftened` scores, since softened ones hide a part of the loss"
            name = f"{chess.piece_name(piece.piece_type)} on {chess.square_name(square)}"
            require(found == lost, f"In {fen} the {name} is worth {lost}, not {found}: {why}.")
