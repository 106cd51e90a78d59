"""Late move reductions: the depth to which each move of a position is searched, and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from utils.figures import Figure, describe
from utils.figures.live import (
    Narrator,
    Question,
    Step,
    live_board,
    parts_table,
    side_by_side,
    signed,
    steps_figure,
)

COLUMNS = ("less depth", "full depth, null window", "open window")


@dataclass
class Attempt:
    """One search of the position after a move, from the view of the side that moves.

    Attributes:
        depth: plies that are searched after the move.
        alpha, beta: the window, centipawns.
        value: the score that the search returned, centipawns.
    """

    depth: int
    alpha: float
    beta: float
    value: float


@dataclass
class Trial:
    """The searches of one move.

    Attributes:
        move: the move.
        attempts: its searches, in their order; none if the move was left out.
    """

    move: chess.Move
    attempts: list[Attempt] = field(default_factory=list)


def reductions_figure(
    board: chess.Board, depth: int, trials: Sequence[Trial], caption: str, *, name: str, alt: str
) -> Figure:
    """A figure of the moves that are searched with less depth, and of those searched again.

    Args:
        depth: plies that the search looks ahead.
        trials: all moves in their order, as the search tried them.

    Raises:
        ValueError: no moves, a move that is not legal, or a search deeper than `depth` allows.
    """
    for trial in trials:
        if trial.move not in board.legal_moves:
            raise ValueError(f"figure {name}: {trial.move.uci()} is not legal in {board.fen()}")
        if any(attempt.depth > depth - 1 for attempt in trial.attempts):
            raise ValueError(f"figure {name}: {trial.move.uci()} has more than {depth - 1} plies")
    if not trials:
        raise ValueError(f"figure {name}: expected moves")
    narrator = _Narrator(board, depth, trials)
    narrator.tell()
    parts = ((f"r{index}", san) for index, san in enumerate(narrator.sans))
    rows = ((part, san, narrator.shown[part]) for part, san in parts)
    listed = parts_table(("move", *COLUMNS), ("c0", "c1", "c2"), rows)
    still = side_by_side(live_board(board, size=280), listed, "course-moves")
    words = f"{alt} {describe(board)}"
    return steps_figure(still, narrator.steps, caption, name=name, alt=words)


class _Narrator(Narrator):
    """Makes the steps: one for each search; one for all neighbours that are reduced and stay so."""

    def __init__(self, board: chess.Board, depth: int, trials: Sequence[Trial]) -> None:
        super().__init__()
        self.board, self.depth, self.trials = board, depth, trials
        self.sans = [board.san(trial.move) for trial in trials]
        self.asked = 0

    def _column(self, attempt: Attempt) -> int:
        """The index in `COLUMNS` of a search."""
        if attempt.depth < self.depth - 1:
            return 0
        return 1 if attempt.beta - attempt.alpha <= 1 else 2

    def _step(self, say: str, index: int) -> Step:
        after = self.board.copy(stack=False)
        after.push(self.trials[index].move)
        return self.step(say, f"r{index}", (after.board_fen(), self.trials[index].move.uci()))

    def _mark(self, index: int, state: str, attempt: Attempt) -> None:
        better = " ↑" if attempt.value > attempt.alpha else ""
        text = {f"c{self._column(attempt)}": signed(attempt.value) + better}
        self.show(f"r{index}", state, **text)

    def tell(self) -> None:
        """Make all steps."""
        say = f"{len(self.trials)} moves, {self.depth} plies ahead. The order is that in which the "
        self.step(f"{say}search tries them.", board=(self.board.board_fen(), ""))
        index, best = 0, 0
        while index < len(self.trials):
            run = index
            while run < len(self.trials) and self._only_reduced(run):
                run += 1
            if run > index:
                self._tell_reduced(index, run)
                index = run
                continue
            if self._tell_move(index):
                if index:
                    self.show(f"r{best}", "was")
                best = index
            index += 1
        again = sum(len({a.depth for a in trial.attempts}) > 1 for trial in self.trials)
        less = sum(any(a.depth < self.depth - 1 for a in trial.attempts) for trial in self.trials)
        self.steps[-1].say += (
            f" In all, {less} of {len(self.trials)} moves were searched with less depth, "
            f"{again} of them again. The best is {self.sans[best]}."
        )

    def _only_reduced(self, index: int) -> bool:
        """Whether a move was searched once, with less depth."""
        attempts = self.trials[index].attempts
        return len(attempts) == 1 and self._column(attempts[0]) == 0

    def _tell_reduced(self, index: int, end: int) -> None:
        """Tell the moves from `index` to before `end`, which are only searched with less depth."""
        names = self.sans[index:end]
        words, they, none = f"{names[0]} is", "it is", "It is not"
        if len(names) > 1:
            words = f"{names[0]} to {names[-1]}, {len(names)} moves, are"
            they, none = "they are", "None is"
        alpha = signed(self.trials[index].attempts[0].alpha)
        self._step(
            f"{words} late and quiet, so {they} searched with less depth. {none} better "
            f"than {alpha}, and that is believed.",
            end - 1,
        )
        for one in range(index, end):
            self._mark(one, "believed", self.trials[one].attempts[0])

    def _tell_move(self, index: int) -> bool:
        """Tell all searches of a move; returns whether it is the best so far."""
        san, attempts = self.sans[index], self.trials[index].attempts
        if not attempts:
            self._step(f"{san} is left out.", index)
            self.show(f"r{index}", "believed")
            return False
        for number in range(len(attempts)):
            self._tell_attempt(index, number)
        last = attempts[-1]
        good = last.value > last.alpha
        self.show(f"r{index}", "best" if good else "believed")
        return good

    def _tell_attempt(self, index: int, number: int) -> None:
        san, attempts = self.sans[index], self.trials[index].attempts
        attempt, more = attempts[number], attempts[number + 1 :]
        value, alpha = signed(attempt.value), signed(attempt.alpha)
        better = attempt.value > attempt.alpha
        how = (
            f"{san} is late and quiet: less depth gives {value}",
            f"{san}, full depth in the null window: {value}",
            f"{san}, full depth in the open window: {value}",
        )[self._column(attempt)]
        if not more:
            end = f", better than {alpha}." if better else f", not better than {alpha}."
            say = f"{how}{end}{' It is the best so far.' if better else ''}"
        elif self._column(attempt) == 0:
            say = f"{how}, better than {alpha}. So it has to be searched again, to full depth."
        else:
            say = f"{how}, better than {alpha}. How good is it? The window is opened."
        step = self._step(say, index)
        self._mark(index, "again" if more else "on", attempt)
        holds = bool(more) and more[0].value > more[0].alpha
        if more and self._column(attempt) == 0 and (holds or not self.asked):
            self.asked += 1
            step.say += f" Is it still better than {alpha} there?"
            found = signed(more[0].value)
            why = f"With full depth it comes to {found}."
            step.ask = Question(("yes", "no"), int(not holds), why)
