"""The engine interface: contracts that hold in every position, not only in the chapter's."""

from __future__ import annotations

import datetime
import io

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import (
    FirstMoveEngine,
    GameRecord,
    HumanEngine,
    IllegalMoveError,
    ScoredMove,
    finished,
    is_draw,
    play_game,
)
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.properties import assert_analysis, unchanged
from utils.exercises.positions import BACK_RANK

Limit = chess.engine.Limit


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


def test_a_record_is_written_with_all_its_headers() -> None:
    record = GameRecord("Ada", "Bob", chess.Board(), "0-1", "resignation")
    headers = record.pgn("Club match", datetime.date(2026, 1, 2)).headers
    names = ("Event", "Date", "White", "Black", "Result", "Termination")
    said = ["Club match", "2026.01.02", "Ada", "Bob", "0-1", "resignation"]
    assert [headers[name] for name in names] == said
    assert record.pgn().headers["Date"] == "????.??.??"


def test_an_engine_without_a_limit_in_its_signature_can_play() -> None:
    class Old(FirstMoveEngine):
        def play(self, board: chess.Board) -> chess.engine.PlayResult:  # type: ignore[override]
            return super().play(board)

    assert play_game(Old(), Old(), max_plies=3).plies == 3


@pytest.mark.parametrize(
    ("fen", "uci", "result", "termination"),
    [
        (BACK_RANK, "d1d8", "1-0", "checkmate"),
        ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "d8d1", "0-1", "checkmate"),
        ("7k/8/5QK1/8/8/8/8/8 w - - 0 1", "f6f7", "1/2-1/2", "stalemate"),
        ("8/8/4k3/8/3p4/4K3/8/8 w - - 0 1", "e3d4", "1/2-1/2", "insufficient material"),
        ("8/8/4k3/8/8/2R1K3/8/8 w - - 99 90", "c3c4", "1/2-1/2", "fifty moves"),
        (BACK_RANK, "d1d7", "*", "ply limit"),
    ],
)
def test_the_last_ply_that_is_allowed_may_end_the_game(
    fen: str, uci: str, result: str, termination: str
) -> None:
    engine = Scripted(uci)
    record = play_game(engine, engine, start=chess.Board(fen), max_plies=1)
    assert (record.result, record.termination) == (result, termination)


def answers_of(board: chess.Board, *texts: str) -> tuple[chess.engine.PlayResult, list[str]]:
    """What a person plays who types these texts and then nothing more, and what was said."""
    typed, said = iter(texts), list[str]()

    def read(prompt: str) -> str:
        for text in typed:
            return text
        raise EOFError

    return HumanEngine(read, said.append).play(board), said


@given(positions())
@examples(60)
def test_a_person_may_type_each_legal_move_in_both_notations(board: chess.Board) -> None:
    with unchanged(board):
        for move in board.legal_moves:
            for text in (move.uci(), f" {board.san(move)} "):
                result, said = answers_of(board, text)
                assert (result.move, result.resigned, said) == (move, False, [])


@given(positions(max_plies=5), st.text(max_size=8))
@examples(150)
def test_any_other_text_is_answered_in_one_line_and_asked_again(
    board: chess.Board, text: str
) -> None:
    with unchanged(board):
        result, said = answers_of(board, text)
    if result.resigned:
        assert text.strip().lower() == "quit" or len(said) == 1
        assert not any(board.fen() in line for line in said)
    else:
        assert result.move and result.move in board.legal_moves and said == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("f9", "invalid san: 'f9'"),
        ("f8", "illegal san: 'f8'"),
        ("f7f8", "missing promotion piece type: 'f7f8'"),
        ("e4e5", "no matching legal move for e4e5 (e4 -> e5)"),
        ("--", "a pass, not a move: '--'"),
        ("0000", "a pass, not a move: '0000'"),
    ],
)
def test_a_person_is_told_the_reason_of_python_chess(text: str, reason: str) -> None:
    board = chess.Board("8/5P1k/5K2/8/8/8/8/8 w - - 0 1")
    result, said = answers_of(board, text, "f8=R")
    assert said == [reason] and result.move == chess.Move(chess.F7, chess.F8, chess.ROOK)


def test_a_person_has_a_name_is_asked_for_the_side_and_may_leave() -> None:
    answers, prompts, said = iter(["", "Ke2", "  e2e4 ", "QUIT"]), list[str](), list[str]()

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return next(answers)

    person = HumanEngine(read, said.append, name="Ada")
    record = play_game(person, FirstMoveEngine())
    assert (record.white, record.result, record.termination) == ("Ada", "0-1", "resignation")
    assert record.board.move_stack[0].uci() == "e2e4"
    assert len(prompts) == 4 and len(said) == 2
    assert all(prompt.startswith("White's move") for prompt in prompts)
    assert play_game(FirstMoveEngine(), HumanEngine(lambda prompt: "quit")).result == "1-0"
    assert {entry.score for entry in assert_analysis(person, chess.Board())} == {0}


@pytest.mark.parametrize(("opening", "side"), [([], "White"), (["e4"], "Black")])
def test_a_person_is_asked_for_the_move_of_the_side_to_move(opening: list[str], side: str) -> None:
    board, prompts = chess.Board(), list[str]()
    for san in opening:
        board.push_san(san)

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return "quit"

    assert HumanEngine(read).play(board).resigned
    assert prompts == [f"{side}'s move (or 'quit'): "]


def test_the_first_move_of_the_list_is_played_and_all_are_worth_nothing() -> None:
    board = chess.Board()
    scored = assert_analysis(FirstMoveEngine(), board)
    assert [(entry.score, entry.move) for entry in scored] == [(0, m) for m in board.legal_moves]
    assert FirstMoveEngine().play(board).move == scored[0].move
