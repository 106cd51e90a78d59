"""Checks of chapter s25, playing."""

from __future__ import annotations

import contextlib
import itertools
import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from unittest import mock

import chess
import chess.engine

from utils.exercises import Hint, exercise, module_of, require

PATIENCE = 5.0  # seconds; a right answer is never waited for so long


HINTS = {
    "depth": "It is the number behind the word depth, which is not the end of seldepth.",
    "score": "Cp for centipawns, Mate for moves; free text behind 'string' does not count.",
    "moves": "They stand behind pv, whatever follows them; without a pv the list is empty.",
}


@exercise("s25-1")
def read_info(answer: Callable[[str], Any]) -> None:
    """Lines with everything, with little, and with free text."""
    move = chess.Move.from_uci
    cp, mate = chess.engine.Cp, chess.engine.Mate
    cases: dict[str, tuple[Any, Any, list[chess.Move]]] = {
        "info depth 7 seldepth 12 score cp -31 nodes 5000 time 20 pv e2e4 e7e5": (
            7,
            cp(-31),
            [move("e2e4"), move("e7e5")],
        ),
        "info pv e7e8q a2a1n depth 3 score mate 2 lowerbound": (
            3,
            mate(2),
            [move("e7e8q"), move("a2a1n")],
        ),
        "info depth 0 score mate 0": (0, mate(0), []),
        "info seldepth 12 depth 7 score cp 5": (7, cp(5), []),
        "info   depth 12 score mate -1": (12, mate(-1), []),
        "info depth 2 pv e2e4 e7e5 score cp 7": (2, cp(7), [move("e2e4"), move("e7e5")]),
        "info currmove e2e4 currmovenumber 1": (None, None, []),
        "info depth 4 string no score cp 5 here pv e2e4": (4, None, []),
        "info string depth is 5 and score cp 3": (None, None, []),
        "info score cp 0 depth 1 multipv 2 pv g1f3": (1, cp(0), [move("g1f3")]),
    }
    for line, expected in cases.items():
        said = answer(line)
        require(
            isinstance(said, tuple) and len(said) == 3,
            f"Return a triple: depth, score and moves; got {said!r}.",
        )
        for what, ours, theirs in zip(("depth", "score", "moves"), expected, said, strict=True):
            require(
                ours == theirs,
                f"{line!r}: expected the {what} {ours!r}, got {theirs!r}. {HINTS[what]}",
            )


@exercise("s25-2", scale=(400, 300, 350, 500))
def white_share(answer: Callable[[chess.Color, str], float], scale: int) -> None:
    """Both sides, both kinds, both signs."""
    even = [(turn, "cp 0") for turn in chess.COLORS]
    for turn, score in even:
        require(abs(answer(turn, score) - 0.5) < 1e-9, "An equal position is half a point.")
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
        if score == "mate 0":
            hint = "The side to move is mated: it has lost."
        elif score.startswith("mate"):
            hint = "A mate is 1 or 0, however far away; negative: the side to move is mated."
        require(
            abs(said - expected) < 1e-6,
            f"{score!r} with {side} to move: expected {expected:.3f}, got {said:.3f}. {hint}",
        )


@exercise("s25-3")
def plan(answer: Callable[[int, int, int | None], float]) -> None:
    """Limits, order, and games in which every plan is used up."""
    clocks = (0, 30, 51, 100, 1000, 60_000, 3_600_000)
    for clock in clocks:
        for increment in (0, 100, 10_000):
            for moves in (None, 1, 2, 10, 40):
                given = answer(clock, increment, moves)
                case = f"clock {clock}, increment {increment}, moves to go {moves}"
                require(
                    0 <= given <= max(clock - 50, 0),
                    f"{case}: {given} is below 0, or leaves less than 50 ms.",
                )
    require(answer(10_000, 0, 1) >= 5000, "The last move before the control may take half.")
    times = [answer(60_000, 0, moves) for moves in range(1, 41)]
    falls = all(later < earlier for earlier, later in itertools.pairwise(times))
    require(falls, "The more moves to go, the less time.")
    for moves in (20, None):
        case = f"moves to go {moves}"
        longer = answer(60_000, 0, moves) > answer(30_000, 0, moves)
        require(longer, f"The longer the clock, the more; {case}.")
        more = answer(60_000, 1000, moves) > answer(60_000, 0, moves)
        require(more, f"Use the increment, too; {case}.")
    for start, increment in ((60_000, 0), (5000, 0), (60_000, 1000)):
        left = float(start)
        for moves in range(40, 0, -1):
            given = answer(int(left), increment, moves)
            require(given >= start / 800, f"With {moves} moves to go hardly any time is left.")
            left += increment - given
        require(left > 0, f"From {start} ms the clock was at {left:.0f} at the control.")
    left = 60_000.0
    for number in range(60):
        given = answer(int(left), 0, None)
        require(given >= 1, f"At move {number + 1} of 60 there is no time left to think.")
        left -= given


class _Stage:
    """Plays the GUI and the engine of an exercise; every step waits for the one before."""

    def __init__(self) -> None:
        self.said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.begun: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.allowed, self.stop_sent = threading.Event(), False
        self.searches = self.running = 0
        self.trouble: list[str] = []

    def think(self, stopped: threading.Event) -> str:
        self.searches += 1
        number = self.searches
        if self.running:
            self.trouble.append("A 'go' during a search is ignored.")
        if stopped.is_set():
            self.trouble.append(
                "The event was set before the search began: an earlier 'stop' reached it. "
                "Give every 'go' an event of its own."
            )
        self.running += 1
        self.begun.put(number)
        if number == 2:  # finds its move by itself
            if not self.allowed.wait(PATIENCE):
                self.trouble.append("While it searches, nothing is answered.")
        elif not stopped.wait(PATIENCE):
            self.trouble.append(
                "The event was not set after 'stop' or 'quit'."
                if self.stop_sent
                else "While think runs, the next line must be read: run think in another thread."
            )
        if number == 3:
            time.sleep(0.1)  # an answer that does not wait returns before this
        self.running -= 1
        return f"move{number}"

    def say(self, text: str) -> None:
        self.said.put(text)
        time.sleep(0.05)  # a thread that answers lives on for a while

    def expect(self, answer: str, when: str) -> None:
        try:
            said = self.said.get(timeout=PATIENCE)
        except queue.Empty:
            raise Hint(f"Expected {answer!r} {when}, and nothing came.") from None
        require(said == answer, f"Expected {answer!r} {when}, got {said!r}.")

    def begins(self) -> None:
        try:
            self.begun.get(timeout=PATIENCE)
        except queue.Empty:
            raise Hint(
                "After 'go', think must run, and the next line be read; also where 'go' comes at "
                "once after a 'bestmove'."
            ) from None

    def lines(self) -> Iterator[str]:
        yield "isready"
        self.expect("readyok", "before the first search")
        yield "stop"
        yield "go"
        self.begins()
        yield "isready"
        self.expect("readyok", "while it searches")
        yield "go"  # to be ignored
        yield "isready"
        self.expect("readyok", "after a second 'go'")
        self.stop_sent = True
        yield "stop"
        self.expect("bestmove move1", "after 'stop'")
        yield "stop"
        yield "go"
        self.begins()
        yield "isready"
        self.expect("readyok", "in the second search")
        self.allowed.set()
        self.expect("bestmove move2", "when the move is found")
        yield "go"
        self.begins()
        yield "quit"
        raise Hint("After 'quit' no line is read any more.")


@exercise("s25-4")
def talk(
    answer: Callable[
        [Iterable[str], Callable[[threading.Event], str], Callable[[str], None]], None
    ],
) -> None:
    """A dialogue in which every step waits for the one before."""
    stage = _Stage()
    ended, problems = _performed(answer, stage.lines(), stage.think, stage.say)
    if stage.trouble:
        raise Hint(stage.trouble[0])
    if problems:
        raise problems[0]
    require(ended, "After 'quit' the function must return.")
    require(
        not stage.said.empty(),
        "At 'quit' stop the search and wait for it: the last 'go' wants its answer, too.",
    )
    stage.expect("bestmove move3", "for the last 'go'")
    require(stage.said.empty(), "Each 'go' is answered once.")
    require(stage.searches == 3, "A 'go' during a search is ignored.")
    for lines in ([], ["quit"], ["stop", "isready", "quit"]):
        ended, problems = _performed(answer, iter(lines), stage.think, stage.say)
        if problems:
            raise problems[0]
        require(ended, f"With the lines {lines}, without a 'go', the function must return.")
    _end_without_quit(answer)
    _stop_at_once(answer)
    _ready_after_stop(answer)


def _performed(answer: Callable[..., None], *given: Any) -> tuple[bool, list[BaseException]]:
    """Whether a function has returned, in a thread of its own, and what it has raised."""
    problems = list[BaseException]()

    def perform() -> None:
        try:
            answer(*given)
        except BaseException as error:
            problems.append(error)

    actor = threading.Thread(target=perform, daemon=True)
    actor.start()
    actor.join(3 * PATIENCE)
    return not actor.is_alive(), problems


def _end_without_quit(answer: Callable[..., None]) -> None:
    """The lines end during a search."""
    begun, said = threading.Event(), list[str]()

    def lines() -> Iterator[str]:
        yield "go"
        begun.wait(PATIENCE)

    def think(stopped: threading.Event) -> str:
        begun.set()
        stopped.wait(PATIENCE)
        return "move" if stopped.is_set() else "late"

    ended, problems = _performed(answer, lines(), think, said.append)
    if problems:
        raise problems[0]
    require(
        ended and said == ["bestmove move"],
        f"At the end of the lines, as at 'quit', stop the search and wait for it; said: {said}.",
    )


def _stop_at_once(answer: Callable[..., None]) -> None:
    """`stop` comes before a new thread has begun to work."""
    said, run = list[str](), threading.Thread.run

    def begin_late(thread: threading.Thread) -> None:
        time.sleep(0.05)
        run(thread)

    def think(stopped: threading.Event) -> str:
        return "move" if stopped.wait(PATIENCE) else "late"

    with mock.patch.object(threading.Thread, "run", begin_late):
        ended, problems = _performed(answer, iter(["go", "stop"]), think, said.append)
    if problems:
        raise problems[0]
    require(
        ended and said == ["bestmove move"],
        f"A 'stop' that comes before think has begun must not be lost; said: {said}.",
    )


def _ready_after_stop(answer: Callable[..., None]) -> None:
    """`isready` comes while a search that was stopped has not ended yet."""
    begun, may_end, said = threading.Event(), threading.Event(), queue.SimpleQueue[str]()
    first = list[str]()

    def lines() -> Iterator[str]:
        yield "go"
        begun.wait(PATIENCE)
        yield "stop"
        yield "isready"
        with contextlib.suppress(queue.Empty):
            first.append(said.get(timeout=PATIENCE))
        may_end.set()

    def think(stopped: threading.Event) -> str:
        begun.set()
        stopped.wait(PATIENCE)
        may_end.wait(PATIENCE / 4)
        return "move"

    _, problems = _performed(answer, lines(), think, said.put)
    if problems:
        raise problems[0]
    require(first == ["readyok"], "While think is still ending after 'stop', answer 'isready'.")


@exercise("s25-5")
def gentle(answer: type[Any]) -> None:
    """How often it slips, both colours, a mate to avoid, a single move."""
    interface = module_of("s04_engine_interface")

    class Ordered(interface.FirstMoveEngine):  # type: ignore[misc, name-defined]
        """Likes moves in the order of their names."""

        games, limits, given = 0, list[Any](), list[Any]()

        def analyse(self, board: chess.Board, limit: Any = None) -> list[Any]:
            self.limits.append(limit)
            moves = sorted(board.legal_moves, key=chess.Move.uci)
            sign = 1 if board.turn else -1
            return [interface.ScoredMove(sign * -number, move) for number, move in enumerate(moves)]

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
    slips = sum(engine.play(chess.Board()).move.uci() == names[1] for _ in range(500))
    require(100 < slips < 200, f"With a chance of 0.3 it slipped {slips} times of 500.")
    # f2f3 comes before g2g4 in the order of names; after g2g4 comes Qh4 mate.
    fool = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2")

    class Foolish(Ordered):
        """Likes e2e3 best, then another move."""

        second = "g2g4"

        def analyse(self, board: chess.Board, limit: Any = None) -> list[Any]:
            first = [chess.Move.from_uci(uci) for uci in ("e2e3", self.second)]
            return [interface.ScoredMove(-n, move) for n, move in enumerate(first)]

    class FoolishAsBlack(Ordered):
        """Likes e7e6 best, then g7g5."""

        def analyse(self, board: chess.Board, limit: Any = None) -> list[Any]:
            first = [chess.Move.from_uci(uci) for uci in ("e7e6", "g7g5")]
            return [interface.ScoredMove(n, move) for n, move in enumerate(first)]

    played = answer(Foolish(), 1.0, random.Random(1)).play(fool).move.uci()
    require(not fool.move_stack, "Leave the board as it was.")
    require(played == "e2e3", "After g2g4 Black mates on h4: play the best move instead.")
    played = answer(FoolishAsBlack(), 1.0, random.Random(1)).play(fool.mirror()).move.uci()
    require(played == "e7e6", "After g7g5 White mates on h5: play the best move instead.")
    calm = Foolish()
    calm.second = "d2d3"
    played = answer(calm, 1.0, random.Random(1)).play(fool).move.uci()
    require(played == "d2d3", "After d2d3 Black can give check but not mate: it may slip.")
    single = chess.Board("k7/8/1K6/8/8/8/8/7R b - - 0 1")
    require(
        answer(inner, 1.0, random.Random(1)).play(single).move == next(iter(single.legal_moves)),
        "With one legal move, play it.",
    )
    engine = answer(inner, 0.5, random.Random(1))
    require(
        engine.analyse(chess.Board()) == inner.analyse(chess.Board()), "analyse is the other's."
    )
    limit = chess.engine.Limit(depth=2)
    for chance, name in itertools.product((0.0, 1.0), ("analyse", "play")):
        inner.limits.clear()
        getattr(answer(inner, chance, random.Random(1)), name)(chess.Board(), limit)
        require(
            inner.limits and all(given == limit for given in inner.limits),
            "Pass the limit to the other engine.",
        )
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
