"""Checks of chapter s04, the engine interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess
import chess.engine

from utils.exercises import chapter, exercise, require


@exercise("s04-1")
def best_for(answer: Callable[[chess.Color, list[Any]], Any]) -> None:
    """The best move for either side."""
    scored_move = chapter("s04_engine_interface").ScoredMove
    moves = list(chess.Board().legal_moves)
    given = [scored_move(score, move) for score, move in zip((3, -7, 5, 0), moves, strict=False)]
    scored = list(given)
    require(
        answer(chess.WHITE, scored) is given[2], "White wants the largest score (the whole entry)."
    )
    require(
        answer(chess.BLACK, scored) is given[1],
        "Scores are from White's view, so Black wants the smallest one.",
    )
    order = [entry.move for entry in scored]
    require(order == moves[:4], "The list must stay as it was: sort a copy, or do not sort.")


@exercise("s04-2")
def mate_in_one(answer: type[Any]) -> None:
    """An engine that mates in one and leaves the board alone."""
    require(isinstance(answer, type), "Pass the class itself, not an object of it.")
    engine = answer()
    mates = {
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4": "h5f7",
        "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2": "d8h4",
        "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1": "d1d8",
        # A stalemate and a check come before the mate in the list of legal moves.
        "7k/8/6K1/8/8/8/Q7/8 w - - 0 1": "a2a8",
    }
    for fen, mate in mates.items():
        board = chess.Board(fen)
        move = engine.play(board).move
        require(board.fen() == fen, "The board changed: a pushed move was not popped.")
        require(move == chess.Move.from_uci(mate), f"In {fen} there is a mate: {mate}.")
    quiet = chess.Board()
    require(
        engine.play(quiet).move == next(iter(quiet.legal_moves)),
        "Without a mate, play the first legal move.",
    )


@exercise("s04-3")
def explain_castling(answer: Callable[[chess.Board, chess.Move], str]) -> None:
    """Each reason why castling is not legal."""
    lost = "The right to castle is lost."
    between = "There are pieces between king and rook."
    in_check = "The king is in check."
    attacked = "The king would cross or reach an attacked square."
    cases = [
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", lost),
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1g1", lost),
        ("4rk2/8/8/8/8/8/8/4K1NR w - - 0 1", "e1g1", lost),
        (chess.STARTING_FEN, "e1g1", between),
        ("r3kb1r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8", between),
        ("rn2k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", between),
        ("4r1k1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", in_check),
        ("5rk1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", attacked),
        ("2r3k1/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", attacked),
        ("4rrk1/8/8/8/8/8/8/4K1NR w K - 0 1", "e1g1", between),
    ]
    for fen, uci, expected in cases:
        said = answer(chess.Board(fen), chess.Move.from_uci(uci))
        require(said == expected, f"In {fen}, {uci}: expected {expected!r}, got {said!r}.")


@exercise("s04-4")
def play_on_clock(answer: Callable[..., tuple[str, str]]) -> None:
    """A game with clocks, on a clock that the check controls."""
    interface = chapter("s04_engine_interface")
    time = 0.0

    class Thinker(interface.FirstMoveEngine):  # type: ignore[misc, name-defined]
        """Takes the same time for every move, and notes its clocks."""

        def __init__(self, cost: float, colour: chess.Color) -> None:
            self.cost, self.colour, self.clocks = cost, colour, list[float | None]()
            self.others = list[float | None]()

        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            nonlocal time
            require(limit is not None, "Pass the engine a limit with the clocks.")
            assert limit is not None
            both = limit.black_clock, limit.white_clock
            self.clocks.append(both[self.colour])
            self.others.append(both[not self.colour])
            time += self.cost
            result: chess.engine.PlayResult = super().play(board)
            return result

    fast, slow = Thinker(0.25, chess.WHITE), Thinker(4.0, chess.BLACK)
    outcome = tuple(answer(fast, slow, 10.0, lambda: time))
    require(outcome == ("1-0", "time forfeit"), "Black needs 4 s a move and has 10 s: it loses.")
    require(slow.clocks == [10.0, 6.0, 2.0], f"Black's clocks were {slow.clocks}.")
    require(fast.clocks[:2] == [10.0, 9.75], "Take away only the time that the side itself used.")
    require(
        (fast.others[:2], slow.others[:2]) == ([10.0, 6.0], [9.75, 9.5]),
        "The limit should tell both clocks, that of the opponent as well.",
    )
    fast, slow = Thinker(5.0, chess.WHITE), Thinker(0.0, chess.BLACK)
    require(
        tuple(answer(fast, slow, 10.0, lambda: time)) == ("0-1", "time forfeit"),
        "White needs 5 s a move and has 10 s: it loses on the third move, not the second.",
    )
    require(len(fast.clocks) == 3, "A clock at exactly zero has not run out.")
    patient = Thinker(0.0, chess.WHITE)
    said = tuple(answer(patient, Thinker(0.0, chess.BLACK), 10.0, lambda: time))
    require(
        said == ("1/2-1/2", "threefold repetition"),
        f"Two engines that repeat moves draw, with the reason of `finished`; you said {said}.",
    )
    quitter = interface.HumanEngine(read=lambda prompt: "quit")
    require(
        tuple(answer(quitter, quitter, 10.0, lambda: time)) == ("0-1", "resignation"),
        "A side that resigns loses by resignation.",
    )

    class Mating(interface.FirstMoveEngine):  # type: ignore[misc, name-defined]
        """Takes six seconds for every move, and mates with its second."""

        moves = iter(["e7e5", "d8h4"])

        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            nonlocal time
            time += 6.0
            return chess.engine.PlayResult(chess.Move.from_uci(next(self.moves)), None)

    class Helping(Mating):
        """Opens the way to its king, and takes no time."""

        moves = iter(["f2f3", "g2g4"])

        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            return chess.engine.PlayResult(chess.Move.from_uci(next(self.moves)), None)

    require(
        tuple(answer(Helping(), Mating(), 10.0, lambda: time)) == ("1-0", "time forfeit"),
        "Black mates two seconds too late: a move after the end of its time does not count.",
    )
