"""Checks of chapter s04, the engine interface."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import chess
import chess.engine

from utils.exercises import Hint, exercise, kept, module_of, require
from utils.exercises.positions import kind_of, played, position_after

PROMOTION = "8/5P1k/5K2/8/8/8/8/8 w - - 0 1"


@exercise("s04-1")
def best_for(answer: Callable[[chess.Color, list[Any]], Any]) -> None:
    """The best move for either side, in lists in no order."""
    scored_move = module_of("s04_engine_interface").ScoredMove
    moves = list(chess.Board().legal_moves)
    for scores in ((3, -7, 5, 0), (-4, -1, -9), (6, 2), (7,), (-32000, -31990), (31990, 32000)):
        given = [scored_move(score, move) for score, move in zip(scores, moves, strict=False)]
        for turn, best in ((chess.WHITE, max(scores)), (chess.BLACK, min(scores))):
            side, scored = chess.COLOR_NAMES[turn].capitalize(), list(given)
            said = answer(turn, scored)
            hint = "The list must stay as it was: sort a copy, or do not sort."
            require(scored == given and all(map(operator.is_, scored, given)), hint)
            expected = given[scores.index(best)]
            found = getattr(said, "score", None), getattr(said, "move", None)
            if found == (best, expected.move):  # an entry of a copy will do
                continue
            require(
                said in (best, expected.move) or isinstance(said, scored_move),
                f"Return an entry of the list, not {said!r}. For {side} and the scores {scores} "
                f"it is the one with {best}; no score is too large or too small to be the best.",
            )
            hint = "Return the whole entry: the move with its score."
            require(isinstance(said, scored_move), hint)
            wanted, other = ("largest", "smallest") if turn else ("smallest", "largest")
            require(
                said is not given[scores.index(min(scores) + max(scores) - best)],
                f"Of {scores} you take the {other} for {side}. Scores are from White's view, so "
                f"{side} wants the {wanted} one.",
            )
            raise Hint(
                f"Of {scores} you take {said.score} for {side}; expected {best}. The list is in "
                "no order, and the sign counts."
            )


@exercise(
    "s04-2",
    other={
        "first legal move": lambda moves, key: moves[0],
        "legal move whose UCI text comes first in the alphabet": min,
        "legal move whose UCI text comes last in the alphabet": max,
    },
)
def mate_in_one(answer: type[Any], other: Callable[..., chess.Move]) -> None:
    """An engine that mates in one and leaves the board alone."""
    require(isinstance(answer, type), "Pass the class itself, not an object of it.")
    engine_class = module_of("s04_engine_interface").Engine
    require(issubclass(answer, engine_class), "Make it a subclass of FirstMoveEngine.")
    engine = answer()
    which = {"min": "alphabetically first", "max": "alphabetically last"}
    usual = which.get(other.__name__, "first")
    for fen in (
        "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
        "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "7k/8/6K1/8/8/8/Q7/8 w - - 0 1",
        "8/6P1/5KBk/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/5kbK/6p1/8 b - - 0 1",
        "8/3Q4/8/4Q3/8/5kp1/8/4K2R w K - 0 1",
        "7k/5K2/8/6pP/8/Q6R/2R5/8 w - g6 0 1",
    ):
        board = chess.Board(fen)
        move = _move(engine, board)
        mate = next(m for m in board.legal_moves if position_after(board, m).is_checkmate())
        legal = move in board.legal_moves
        if legal and position_after(board, move).is_stalemate():
            why = " That is stalemate."
        elif legal and board.gives_check(move):
            why = " A check is not yet a mate."
        else:
            why = _FORGOTTEN.get(kind_of(board, mate), "")
        said = board.san(move) if legal else str(move)
        require(move == mate, f"In {fen}, {board.san(mate)} mates, and you play {said}.{why}")
    pinned = "8/8/5p2/4N3/5p2/2k5/6B1/KQ5r w - - 0 1"
    taken = "1r4k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1"  # Rd8 checks a king without a move
    for fen in (chess.STARTING_FEN, PROMOTION, taken, "7k/8/5K2/8/8/8/1Q6/8 b - - 0 1", pinned):
        board = chess.Board(fen)
        move = _move(engine, board)
        expected = other(list(board.legal_moves), key=chess.Move.uci)
        require(
            fen != pinned or move in board.legal_moves,
            f"In {fen} you play {move}, which is not legal: the piece is pinned to the king. "
            "Look for a mate among the legal moves.",
        )
        hint = f"In {fen} there is no mate. Play the {usual} legal move, {expected}, not {move}."
        require(move == expected, hint)


_FORGOTTEN = {
    "promotion": " A pawn can become more than a queen.",
    "castling": " Castling is a move, too.",
    "en passant": " Capturing en passant is a move, too.",
}


def _move(engine: Any, board: chess.Board) -> chess.Move:
    """What an engine plays; it must leave the board alone."""
    said = kept(board, engine.play)
    hint = f"`play` returns a chess.engine.PlayResult, not {said!r}."
    require(isinstance(said, chess.engine.PlayResult), hint)
    move: chess.Move = said.move
    hint = f"The move of a PlayResult is a chess.Move, not {move!r}."
    require(move is None or isinstance(move, chess.Move), hint)
    return move


@exercise("s04-3")
def drawing_moves(answer: Callable[[chess.Board], list[chess.Move]]) -> None:
    """Every reason for a draw, alone and beside moves that do not draw."""
    is_draw = module_of("s04_engine_interface").is_draw
    early = played("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6")
    dance = position_after(early, chess.Move.from_uci("f3g1"))
    fifty = "Without a capture or a pawn move the fiftieth move draws; mate comes first."
    cases = [
        (
            chess.Board(PROMOTION),
            "Three of the four promotions draw, for two reasons: one stalemates, and two "
            "leave too little to mate.",
        ),
        (chess.Board("8/8/8/3k4/3p4/4K3/8/8 w - - 0 1"), "No legal move draws here."),
        (early, "The second time is no draw yet, even if the third can follow."),
        (dance, "The same position comes for the third time: the board must keep its history."),
        (chess.Board("7k/8/5K2/8/8/8/P7/6R1 w - - 99 90"), fifty),
        (chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90"), fifty),
        (
            chess.Board("7k/8/5K2/8/8/8/P7/6R1 w - - 98 90"),
            "Fifty moves of each side are a hundred plies, and this move is the 99th.",
        ),
        (chess.Board("7k/8/6K1/8/8/8/Q7/8 w - - 0 1"), "A mate is no draw, a stalemate is one."),
        (chess.Board("8/8/4k3/8/3p4/4K3/8/8 w - - 0 1"), "Two kings alone are a draw."),
        (chess.Board(), "No move draws here."),
        (chess.Board("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"), "There is no legal move here."),
    ]
    for board, hint in cases:
        expected = {m for m in board.legal_moves if is_draw(position_after(board, m))}
        said = kept(board, answer)
        require(isinstance(said, list | tuple | set), f"Return a list of moves, not {said!r}.")
        moves = list(said)
        for move in moves:
            require(isinstance(move, chess.Move), f"The list has {move!r}: expected chess.Move.")
            words = f"In {board.fen()} you list {move}, which is not a legal move."
            require(move in board.legal_moves, words)
        require(len(moves) == len(set(moves)), "Each move once.")
        names = sorted(map(board.san, expected))
        require(
            set(moves) == expected,
            f"In {board.fen()} the drawing moves are {names}, and you say "
            f"{sorted(map(board.san, moves))}. {hint}",
        )


class _Time:
    """A clock that goes only while a player thinks."""

    def __init__(self) -> None:
        self.seconds, self.calls = 0.0, 0

    def __call__(self) -> float:
        self.calls += 1
        return self.seconds


def _player(time: _Time, cost: float, colour: chess.Color, *moves: str) -> Any:
    """An engine that takes the same time for every move, and notes what it is told.

    Args:
        time: goes on by its moves.
        cost: seconds of each move.
        colour: its side.
        moves: what it plays, in UCI notation, before it resigns; if there are none, the first
            legal moves, without end.
    """
    script = iter(moves)

    class Player(module_of("s04_engine_interface").FirstMoveEngine):  # type: ignore[misc]
        """Notes its clocks, those of the other side, and how often the time was asked."""

        def __init__(self) -> None:
            self.clocks, self.others = list[float | None](), list[float | None]()
            self.calls = list[int]()

        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            if limit is None:
                raise Hint("Pass the engine a limit with the clocks.")
            both = limit.black_clock, limit.white_clock
            self.clocks.append(both[colour])
            self.others.append(both[not colour])
            self.calls.append(time.calls)
            time.seconds += cost
            if not moves:
                result: chess.engine.PlayResult = super().play(board)
                return result
            uci = next(script, None)
            move = uci and chess.Move.from_uci(uci)
            return chess.engine.PlayResult(move or None, None, resigned=uci is None)

    return Player()


def _outcome(
    answer: Callable[..., Any], white: Any, black: Any, now: Callable[[], float]
) -> tuple[str, str]:
    """What a game with ten seconds for each side returns."""
    said = answer(white, black, 10.0, now)
    require(
        isinstance(said, tuple | list) and len(said) == 2,
        "Return a pair, the result and the termination, with the reason of `finished`; you "
        f"returned {said!r}.",
    )
    result, termination = said
    return result, termination


def _check_clocks(answer: Callable[..., Any]) -> None:
    """What each side is told, and who loses on time."""
    now = _Time()
    fast, slow = _player(now, 0.25, chess.WHITE), _player(now, 4.0, chess.BLACK)
    outcome = _outcome(answer, fast, slow, now)
    told = f"Black was told {slow.clocks} on its moves, White {fast.clocks[:3]}."
    lost = ("1-0", "time forfeit")
    hint = "You tell each engine the other's time: `white_clock` is White's, `black_clock` Black's."
    require(slow.clocks[:1] != [9.75] or outcome != lost, hint)
    require(
        slow.clocks[:1] != [9.75],
        "The time of a move goes from the clock of the side that made it. After the push the "
        "other side is to move.",
    )
    words = f"Before its first move each side has all of its 10 s. {told}"
    require(slow.clocks[:1] == [10.0] and fast.clocks[:1] == [10.0], words)
    require(
        slow.clocks[:3] == [10.0, 6.0, 2.0] and fast.clocks[:2] == [10.0, 9.75],
        f"Black needs 4 s a move, White 0.25, and the clock of a side goes down from move to "
        f"move. {told}",
    )
    words = "The limit should tell both clocks, that of the opponent as well."
    require((fast.others[:2], slow.others[:2]) == ([10.0, 6.0], [9.75, 9.5]), words)
    require(
        slow.calls[0] - fast.calls[0] == fast.calls[1] - slow.calls[0] == 2,
        "Call `now()` twice for each move, before and after it: the clock of a side runs only "
        "while it chooses a move.",
    )
    require(
        outcome == lost and len(slow.clocks) == 3,
        "Black needs 4 s a move and has 10 s: it loses on its third move, and White wins. You "
        f"say {outcome} after {len(slow.clocks)} moves of Black.",
    )
    fast, slow = _player(now, 5.0, chess.WHITE), _player(now, 0.0, chess.BLACK)
    outcome = _outcome(answer, fast, slow, now)
    require(
        outcome == ("0-1", "time forfeit") and len(fast.clocks) == 3,
        "White needs 5 s a move and has 10 s. After two moves its clock shows exactly zero, which "
        f"is not less than zero: it loses on the third. You say {outcome} after "
        f"{len(fast.clocks)} moves of White.",
    )


def _check_endings(answer: Callable[..., Any]) -> None:
    """A draw, resignations, mates in time and too late, and a move that is not legal."""
    now = _Time()
    patient, other = (_player(now, 0.0, colour) for colour in (chess.WHITE, chess.BLACK))
    said = _outcome(answer, patient, other, now)
    hint = f"Two engines that repeat moves draw, with the reason of `finished`; you said {said}."
    require(said == ("1/2-1/2", "threefold repetition"), hint)
    quitter = module_of("s04_engine_interface").HumanEngine(read=lambda prompt: "quit")
    try:
        outcome = _outcome(answer, quitter, quitter, now)
    except AttributeError:  # None was pushed
        outcome = ("", "")
    require(
        outcome == ("0-1", "resignation"),
        "A side that resigns loses by resignation: `ask` returns None then, and there is no move "
        "to push.",
    )
    late = "two seconds too late: a move after the end of its time does not count"
    for white, black, cost, end, what in (
        ("e2e4", "e7e5", 0.0, "0-1 resignation", "White resigns."),
        ("e2e4 g1f3", "e7e5", 0.0, "1-0 resignation", "Black resigns."),
        ("e2e4 d1h5 f1c4 h5f7", "e7e5 b8c6 g8f6", 0.0, "1-0 checkmate", "White mates in time."),
        ("f2f3 g2g4", "e7e5 d8h4", 0.0, "0-1 checkmate", "Black mates in time."),
        ("f2f3 g2g4", "e7e5 d8h4", 6.0, "1-0 time forfeit", f"Black mates {late}."),
        (
            "g1f3 f3g1 g1f3 f3g1",
            "g8f6 f6g8 g8f6 f6g8",
            3.0,
            "1-0 time forfeit",
            f"Black repeats the position for the third time {late}, even if it draws.",
        ),
    ):
        first = _player(now, 0.0, chess.WHITE, *white.split())
        second = _player(now, cost, chess.BLACK, *black.split())
        told = " ".join(map(str, _outcome(answer, first, second, now)))
        words = f"White plays {white}, Black {black}. {what} Expected {end}; you said {told}."
        require(told == end, words)
    try:
        answer(_player(now, 0.0, chess.WHITE, "e2e5"), other, 10.0, now)
    except (AssertionError, ValueError):
        return
    raise Hint(
        "White plays e2e5, which is not legal, and your game goes on or ends with a result: let "
        "`ask` check the move, and let its error through, as `play_game` does."
    )


@exercise("s04-4")
def play_on_clock(answer: Callable[..., tuple[str, str]]) -> None:
    """Games with clocks, on a clock that the check controls."""
    _check_clocks(answer)
    _check_endings(answer)
