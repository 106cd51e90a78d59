"""Checks of chapter s25, playing."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable, Iterable
from typing import Any

import chess
import chess.engine

from utils.exercises import Hint, exercise, module_of, require
from utils.exercises.dialogue import (
    Stage,
    end_without_quit,
    performed,
    ready_after_stop,
    stop_at_once,
)

HINTS = {
    "depth": "It is the number behind the word depth, which is not the end of seldepth; what "
    "stands before 'string' counts.",
    "score": "Cp for centipawns, Mate for moves; free text behind 'string' does not count.",
    "moves": "They stand behind pv, whatever follows them; without a pv the list is empty.",
}


@exercise("s25-1")
def read_info(answer: Callable[[str], Any]) -> None:
    """Lines with everything, with little, and with free text."""
    cp, mate = chess.engine.Cp, chess.engine.Mate
    cases = {
        "info depth 7 seldepth 12 score cp -31 nodes 5000 time 20 pv e2e4 e7e5": (
            (7, cp(-31), "e2e4 e7e5")
        ),
        "info pv e7e8q a2a1n depth 3 score mate 2 lowerbound": (3, mate(2), "e7e8q a2a1n"),
        "info depth 0 score mate 0": (0, mate(0), ""),
        "info seldepth 12 depth 7 score cp 5": (7, cp(5), ""),
        "info   depth 12 score mate -1": (12, mate(-1), ""),
        "info depth 2 pv e2e4 e7e5 score cp 7": (2, cp(7), "e2e4 e7e5"),
        "info pv d2d4 hashfull 17 depth 9": (9, None, "d2d4"),
        "info currmove e2e4 currmovenumber 1": (None, None, ""),
        "info depth 4 string no score cp 5 here pv e2e4": (4, None, ""),
        "info string depth is 5 and score cp 3": (None, None, ""),
        "info score cp 0 depth 1 multipv 2 pv g1f3": (1, cp(0), "g1f3"),
    }
    for line, (depth, score, ucis) in cases.items():
        expected = depth, score, [chess.Move.from_uci(uci) for uci in ucis.split()]
        said = answer(line)
        hint = f"Return a triple: depth, score and moves; got {said!r}."
        require(isinstance(said, tuple) and len(said) == 3, hint)
        for what, ours, theirs in zip(("depth", "score", "moves"), expected, said, strict=True):
            hint = f"{line!r}: expected the {what} {ours!r}, got {theirs!r}. {HINTS[what]}"
            require(ours == theirs, hint)


@exercise("s25-2", scale=(400, 300, 350, 500))
def white_share(answer: Callable[[chess.Color, str], float], scale: int) -> None:
    """Both sides, both kinds, both signs."""
    for turn in chess.COLORS:
        require(abs(answer(turn, "cp 0") - 0.5) < 1e-9, "An equal position is half a point.")
    cases = [
        (chess.WHITE, f"cp {scale}", 10 / 11),
        (chess.BLACK, f"cp {scale}", 1 / 11),
        (chess.WHITE, f"cp -{scale} upperbound", 1 / 11),
        (chess.BLACK, "cp -120 lowerbound", 1 / (1 + 10 ** (-120 / scale))),
        (chess.WHITE, "cp 900", 1 / (1 + 10 ** (-900 / scale))),
        (chess.WHITE, "mate 3 lowerbound", 1.0),
        (chess.WHITE, "mate 3", 1.0),
        (chess.BLACK, "mate 3", 0.0),
        (chess.WHITE, "mate -3", 0.0),
        (chess.BLACK, "mate -3", 1.0),
        (chess.WHITE, "mate 0", 0.0),
        (chess.BLACK, "mate 0", 1.0),
    ]
    for turn, score, expected in cases:
        side = chess.COLOR_NAMES[turn].capitalize()
        said = answer(turn, score)
        hint = "The score is from the view of the side to move."
        if turn == chess.WHITE:
            hint = f"White is the side to move, so the share is 1 / (1 + 10 ** (-c / {scale}))."
        if score == "mate 0":
            hint = "The side to move is mated: it has lost."
        elif score.startswith("mate"):
            hint = "A mate is 1 or 0, however far away; negative: the side to move is mated."
        words = f"{score!r} with {side} to move: expected {expected:.3f}, got {said:.3f}. {hint}"
        require(abs(said - expected) < 1e-6, words)


@exercise("s25-3")
def plan(answer: Callable[[int, int, int | None], float]) -> None:
    """Limits, order, and games in which every plan is used up."""
    clocks = (0, 30, 51, 100, 1000, 60_000, 3_600_000)
    for clock, increment, moves in itertools.product(
        clocks, (0, 100, 10_000), (None, 1, 2, 10, 40)
    ):
        given = answer(clock, increment, moves)
        case = f"clock {clock}, increment {increment}, moves to go {moves}"
        hint = f"{case}: {given} is below 0, or leaves less than 50 ms."
        require(0 <= given <= max(clock - 50, 0), hint)
    require(answer(10_000, 0, 1) >= 5000, "The last of the moves to go: take at least half.")
    for clock in clocks[-2:]:
        times = [answer(clock, 0, moves) for moves in range(1, 41)]
        falls = all(later < earlier for earlier, later in itertools.pairwise(times))
        require(falls, f"The more moves to go, the less time; clock {clock}.")
    for moves in (20, None):
        case = f"moves to go {moves}"
        for less, clock in ((30_000, 60_000), (60_000, 600_000), (600_000, 3_600_000)):
            longer = answer(clock, 0, moves) > answer(less, 0, moves)
            require(longer, f"The longer the clock, the more; {case}, clocks {less} and {clock}.")
        more = answer(60_000, 1000, moves) > answer(60_000, 0, moves)
        require(more, f"Use the increment, too; {case}.")
    for start, increment in ((60_000, 0), (5000, 0), (60_000, 1000)):
        left = float(start)
        for moves in range(40, 0, -1):
            given = answer(int(left), increment, moves)
            words = f"With {moves} moves to go: {given:.2f} ms, less than 1/800 of {start} ms."
            require(given >= start / 800, words)
            left += increment - given
        require(left > 0, f"From {start} ms the clock was at {left:.0f} at the control.")
    left = 60_000.0
    for number in range(60):
        given = answer(int(left), 0, None)
        require(given >= 1, f"At move {number + 1} of 60 there is no time left to think.")
        left -= given
    for clock, moves in itertools.product(clocks, (41, 150)):
        given = answer(clock, 0, moves)
        case = f"clock {clock}, moves to go {moves}"
        require(0 <= given <= max(clock - 50, 0), f"{case}: {given} is below 0, or too much.")


@exercise("s25-4")
def talk(
    answer: Callable[
        [Iterable[str], Callable[[threading.Event], str], Callable[[str], None]], None
    ],
) -> None:
    """A dialogue in which every step waits for the one before."""
    stage = Stage()
    try:
        ended = performed(answer, stage.lines(), stage.think, stage.say)
    finally:  # what went wrong first comes before an error that may follow from it
        if stage.trouble:
            raise Hint(stage.trouble[0])
    require(ended, "After 'quit' the function must return.")
    hint = "At 'quit' stop the search and wait for it: the last 'go' wants its answer, too."
    require(not stage.said.empty(), hint)
    stage.expect("bestmove move3", "for the last 'go'")
    require(stage.said.empty(), "Each 'go' is answered once.")
    require(stage.searches == 3, "A 'go' during a search is ignored.")
    for lines in ([], ["quit"], ["stop", "isready", "quit"]):
        ended = performed(answer, iter(lines), stage.think, stage.say)
        require(ended, f"With the lines {lines}, without a 'go', the function must return.")
    end_without_quit(answer)
    stop_at_once(answer)
    ready_after_stop(answer)


@exercise("s25-5")
def gentle(answer: type[Any]) -> None:
    """How often it slips, both colours, a mate to avoid, a single move."""
    interface = module_of("s04_engine_interface")

    class Ordered(interface.FirstMoveEngine):  # type: ignore[misc, name-defined]
        """Likes moves in the order of their names."""

        games, limits, given = 0, list[Any](), list[Any]()

        def order(self, board: chess.Board) -> list[chess.Move]:
            return sorted(board.legal_moves, key=chess.Move.uci)

        def analyse(self, board: chess.Board, limit: Any = None) -> list[Any]:
            self.limits.append(limit)
            sign = 1 if board.turn else -1
            return [interface.ScoredMove(sign * -n, m) for n, m in enumerate(self.order(board))]

        def play(self, board: chess.Board, limit: Any = None) -> chess.engine.PlayResult:
            return chess.engine.PlayResult(self.analyse(board, limit)[0].move, None)

        def new_game(self, rng: random.Random | None = None) -> None:
            self.games += 1
            self.given.append(rng)

    inner = Ordered()
    for board in (chess.Board(), chess.Board().mirror()):
        names = sorted(move.uci() for move in board.legal_moves)
        for slip, wanted in ((0.0, names[0]), (1.0, names[1])):
            engine = answer(inner, slip, random.Random(1))
            played = engine.play(board).move.uci()
            require(played == wanted, f"With a chance of {slip} expected {wanted}, got {played}.")
        require(board.move_stack == [], "Leave the board as it was.")
    engine = answer(inner, 0.3, random.Random(5))
    names = sorted(move.uci() for move in chess.Board().legal_moves)
    count = sum(engine.play(chess.Board()).move.uci() == names[1] for _ in range(500))
    require(100 < count < 200, f"With a chance of 0.3 it slipped {count} times of 500.")
    # f2f3 comes before g2g4 in the order of names; after g2g4 comes Qh4 mate.
    fool = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2")

    class Foolish(Ordered):
        """Likes some moves, the better ones first."""

        def __init__(self, names: Iterable[str]) -> None:
            self.moves = [chess.Move.from_uci(name) for name in names]

        def order(self, board: chess.Board) -> list[chess.Move]:
            return self.moves

    instead = "play the best move instead"
    slips = "After d2d3 Black can give check but not mate: it may slip"
    image = fool.mirror()
    for board, liked, wanted, why in (
        (fool, ("e2e3", "g2g4", "d2d3"), "e2e3", f"After g2g4 Black mates on h4: {instead}"),
        (image, ("e7e6", "g7g5", "d7d6"), "e7e6", f"After g7g5 White mates on h5: {instead}"),
        (fool, ("e2e3", "d2d3"), "d2d3", slips),
    ):
        played = answer(Foolish(liked), 1.0, random.Random(1)).play(board).move.uci()
        require(not board.move_stack, "Leave the board as it was.")
        require(played == wanted, f"{why}.")
    single = chess.Board("k7/8/1K6/8/8/8/8/7R b - - 0 1")
    require(
        answer(inner, 1.0, random.Random(1)).play(single).move == next(iter(single.legal_moves)),
        "With one legal move, play it.",
    )
    engine = answer(inner, 0.5, random.Random(1))
    hint = "`analyse` returns what that of the other engine returns."
    require(engine.analyse(chess.Board()) == inner.analyse(chess.Board()), hint)
    limit = chess.engine.Limit(depth=2)
    for chance, name in itertools.product((0.0, 1.0), ("analyse", "play")):
        inner.limits.clear()
        getattr(answer(inner, chance, random.Random(1)), name)(chess.Board(), limit)
        words = "Pass the limit to the other engine."
        require(inner.limits and all(given == limit for given in inner.limits), words)
    inner.given.clear()
    engine.new_game()  # without an rng the old one stays
    require(
        inner.given == [None], "new_game must reach the other engine; without an rng, pass none on."
    )
    require(engine.play(chess.Board()).move is not None, "After new_game() it should play on.")
    inner.games = 0
    played_twice = []
    for _ in range(2):
        engine.new_game(random.Random(9))
        played_twice.append([engine.play(chess.Board()).move for _ in range(30)])
    require(inner.games == 2, "new_game must reach the other engine.")
    require(inner.given[-1] is not None, "Pass the rng of new_game on to the other engine.")
    require(played_twice[0] == played_twice[1], "new_game(rng) must take over the new rng.")
