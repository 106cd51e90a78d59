"""The engine interface: contracts that hold in every position, not only in the chapter's."""

from __future__ import annotations

import io

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import (
    FirstMoveEngine,
    HumanEngine,
    IllegalMoveError,
    ScoredMove,
    finished,
    is_draw,
    play_game,
)
from tests.generated import examples
from tests.positions import positions
from tests.properties import unchanged

Limit = chess.engine.Limit
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1"


@given(st.lists(st.floats(allow_nan=False)))
@examples(100)
def test_scored_moves_compare_by_score_alone(scores: list[float]) -> None:
    moves = [chess.Move(index % 64, index // 64) for index in range(len(scores))]
    scored = [ScoredMove(score, move) for score, move in zip(scores, moves, strict=True)]
    stable = sorted(range(len(scores)), key=scores.__getitem__)
    assert [entry.move for entry in sorted(scored)] == [moves[index] for index in stable]


def test_a_scored_move_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        ScoredMove(1, chess.Move.null()).score = 2  # type: ignore[misc]


def occurrences(board: chess.Board) -> int:
    """How often the position stood on the board in the game, counted by its EPD."""
    now, past, count = board.epd(), board.copy(), 1
    while past.move_stack:
        past.pop()
        count += past.epd() == now
    return count


@given(positions() | positions(40, retreats=True), st.sampled_from([0, 90, 99]))
@examples(60)
def test_a_game_ends_by_the_rules_and_by_draws_that_can_be_claimed(
    board: chess.Board, more: int
) -> None:
    board.halfmove_clock += more
    for move in list(board.legal_moves):
        board.push(move)
        moves = any(board.legal_moves)
        mate = board.is_check() and not moves
        drawn = not mate and (
            not moves
            or board.is_insufficient_material()
            or board.halfmove_clock >= 100
            or occurrences(board) >= 3
        )
        end = finished(board)
        assert is_draw(board) == drawn
        assert (end is not None) == (mate or drawn)
        if end is not None:
            assert end[0] == ("1/2-1/2" if drawn else "0-1" if board.turn else "1-0")
        board.pop()


class Scripted(FirstMoveEngine):
    """Plays the moves it was given, whatever the position, and spoils the board.

    Attributes:
        shown: copies of the boards that it was shown, with their limits.
    """

    def __init__(self, *moves: str | None) -> None:
        self.moves = [chess.Move.from_uci(move) if move else None for move in moves]
        self.shown: list[tuple[chess.Board, Limit | None]] = []

    def play(self, board: chess.Board, limit: Limit | None = None) -> chess.engine.PlayResult:
        self.shown.append((board.copy(), limit))
        move = self.moves.pop(0) if self.moves else next(iter(board.legal_moves))
        board.clear()
        return chess.engine.PlayResult(move, None)


@pytest.mark.parametrize("move", [None, "0000", "e2e5"])
def test_an_illegal_answer_stops_the_game_and_names_engine_move_and_position(
    move: str | None,
) -> None:
    with pytest.raises(IllegalMoveError, match=f"Scripted played {move}") as caught:
        play_game(Scripted(move), FirstMoveEngine())
    assert chess.STARTING_FEN in str(caught.value)


@given(positions(retreats=True) | positions())
@examples(60)
def test_a_game_is_shown_to_its_engines_kept_and_written(start: chess.Board) -> None:
    engine, limit, watched = Scripted(), Limit(depth=3), [start.copy()]
    with unchanged(start):
        record = play_game(
            engine,
            engine,
            start=start,
            limit=limit,
            max_plies=12,
            watch=lambda board: watched.append(board.copy()),
        )
    over = finished(record.board) is not None
    assert len(watched) - 1 == len(engine.shown) == record.plies - len(start.move_stack) <= 12
    assert (record.result, record.termination) == ("*", "ply limit") or over
    for (shown, given_limit), board in zip(engine.shown, watched, strict=False):
        assert shown.fen() == board.fen() and given_limit == limit
        assert shown.move_stack[-1:] == board.move_stack[-1:]
        for count in range(2, 6):
            assert shown.is_repetition(count) == board.is_repetition(count)
    again = chess.pgn.read_game(io.StringIO(str(record.pgn())))
    assert again is not None and again.errors == []
    assert again.end().board().fen() == record.board.fen() == watched[-1].fen()
    assert again.headers["Result"] == record.result


def test_an_engine_without_a_limit_in_its_signature_can_play() -> None:
    class Old(FirstMoveEngine):
        def play(self, board: chess.Board) -> chess.engine.PlayResult:  # type: ignore[override]
            return super().play(board)

    assert play_game(Old(), Old(), max_plies=3).plies == 3


@pytest.mark.parametrize(
    ("fen", "uci", "result", "termination"),
    [
        (f"{BACK_RANK} w - - 0 1", "d1d8", "1-0", "checkmate"),
        ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "d8d1", "0-1", "checkmate"),
        ("7k/8/5QK1/8/8/8/8/8 w - - 0 1", "f6f7", "1/2-1/2", "stalemate"),
        ("8/8/4k3/8/3p4/4K3/8/8 w - - 0 1", "e3d4", "1/2-1/2", "insufficient material"),
        ("8/8/4k3/8/8/2R1K3/8/8 w - - 99 90", "c3c4", "1/2-1/2", "fifty moves"),
        (f"{BACK_RANK} w - - 0 1", "d1d7", "*", "ply limit"),
    ],
)
def test_the_last_ply_that_is_allowed_may_end_the_game(
    fen: str, uci: str, result: str, termination: str
) -> None:
    engine = Scripted(uci)
    record = play_game(engine, engine, start=chess.Board(fen), max_plies=1)
    assert (record.result, record.termination) == (result, termination)


def test_a_person_is_asked_until_the_move_is_legal_and_may_look_or_leave() -> None:
    answers = iter(["", "moves", "Ke2", "  e2e4 ", "QUIT"])
    prompts: list[str] = []
    said: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return next(answers)

    person = HumanEngine(read, said.append, name="Ada")
    record = play_game(person, FirstMoveEngine())
    assert (record.white, record.result, record.termination) == ("Ada", "0-1", "resignation")
    assert record.board.move_stack[0].uci() == "e2e4"
    assert len(prompts) == 5 and len(said) == 3
    assert sorted(said[1].split()) == sorted(map(chess.Board().san, chess.Board().legal_moves))
    assert play_game(FirstMoveEngine(), HumanEngine(lambda prompt: "quit")).result == "1-0"
