"""The engine interface: contracts that hold in every position, not only in the chapter's."""

from __future__ import annotations

import io
import random

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import (
    MATE_SCORE,
    Engine,
    FirstMoveEngine,
    HumanEngine,
    IllegalMoveError,
    MoveTextError,
    ScoredMove,
    UciEngine,
    explain_illegal,
    is_draw,
    play_game,
    read_move,
)
from tests.generated import examples
from tests.positions import positions
from tests.programs import need

FAST = examples(150)


@given(st.lists(st.floats(allow_nan=False)), st.randoms(use_true_random=False))
@FAST
def test_scored_moves_compare_by_score_alone(scores: list[float], rng: random.Random) -> None:
    moves = [chess.Move(rng.randrange(64), rng.randrange(64)) for _ in scores]
    scored = [ScoredMove(score, move) for score, move in zip(scores, moves, strict=True)]
    assert [entry.score for entry in sorted(scored)] == sorted(scores)
    stable = sorted(range(len(scores)), key=scores.__getitem__)
    assert [entry.move for entry in sorted(scored)] == [moves[index] for index in stable]


def test_a_scored_move_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        ScoredMove(1, chess.Move.null()).score = 2  # type: ignore[misc]


def test_an_engine_must_play_and_analyse() -> None:
    assert Engine.__abstractmethods__ == {"play", "analyse"}


@given(positions())
@FAST
def test_is_draw_agrees_with_the_library(board: chess.Board) -> None:
    outcome = board.outcome()
    assert is_draw(board) == (outcome is not None and outcome.winner is None)


@given(positions())
@FAST
def test_every_legal_move_is_read_in_both_notations(board: chess.Board) -> None:
    for move in board.legal_moves:
        assert read_move(board, move.uci()) == move
        assert read_move(board, f" {board.san(move)} ") == move


@given(positions(), st.integers(0, 63), st.integers(0, 63), st.sampled_from(["", *"qrbnkp"]))
@examples(1500)
def test_an_illegal_move_gets_one_sentence(
    board: chess.Board, start: int, target: int, promotion: str
) -> None:
    text = chess.square_name(start) + chess.square_name(target) + promotion
    try:
        move = read_move(board, text)
    except MoveTextError as error:
        assert text in str(error)
    else:
        assert move in board.legal_moves
    raw = chess.Move(start, target)
    if raw not in board.legal_moves:
        sentence = explain_illegal(board, raw)
        assert sentence.endswith(".")
        assert sentence[0].isupper()


@given(positions(), st.text(max_size=8))
@examples(500)
def test_any_text_is_a_legal_move_or_a_clear_error(board: chess.Board, text: str) -> None:
    try:
        assert read_move(board, text) in board.legal_moves
    except MoveTextError as error:
        assert repr(text.strip()) in str(error)


@pytest.mark.parametrize(
    ("fen", "uci", "words"),
    [
        (chess.STARTING_FEN, "e4e5", "no piece on e4"),
        (chess.STARTING_FEN, "e7e5", "is not yours"),
        (chess.STARTING_FEN, "a1a2", "Your own pawn"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "would come under attack"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "h1h2", "would stay under attack"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "Say what the pawn becomes"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h8q", "Only a pawn"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "Castling"),
        (chess.STARTING_FEN, "g1g3", "cannot go to g3"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1e3", "The king on e1 cannot go to e3"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g3", "The king on e1 cannot go to g3"),
        ("4k3/8/8/8/4K3/8/8/8 w - - 0 1", "e4g4", "The king on e4 cannot go to g4"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", "Say what the pawn becomes"),
        (chess.STARTING_FEN, "a2a8", "The pawn on a2 cannot go to a8"),
        (chess.STARTING_FEN, "a2a4q", "only on the last rank"),
    ],
)
def test_the_reason_is_the_right_one(fen: str, uci: str, words: str) -> None:
    assert words in explain_illegal(chess.Board(fen), chess.Move.from_uci(uci))


@pytest.mark.parametrize("text", ["0000", "--", "Z0", "@@@@", ""])
def test_no_move_at_all_is_said_to_be_none(text: str) -> None:
    with pytest.raises(MoveTextError, match=r"is not a move\. Expected one like"):
        read_move(chess.Board(), text)


def test_an_ambiguous_move_lists_what_fits() -> None:
    board = chess.Board("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    with pytest.raises(MoveTextError, match=r"Rad1, Rhd1\.$"):
        read_move(board, "Rd1")


class Scripted(Engine):
    """Plays the moves it was given."""

    def __init__(self, *moves: chess.Move | None) -> None:
        self.moves = list(moves)
        self.limits: list[chess.engine.Limit | None] = []

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.limits.append(limit)
        board.clear()  # an engine that spoils its board
        move = self.moves.pop(0)
        return chess.engine.PlayResult(move, None)

    def analyse(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> list[ScoredMove]:
        return []


@pytest.mark.parametrize("move", [None, chess.Move.null(), chess.Move.from_uci("e2e5")])
def test_an_illegal_answer_stops_the_game_and_names_engine_move_and_position(
    move: chess.Move | None,
) -> None:
    with pytest.raises(IllegalMoveError, match="Scripted played") as caught:
        play_game(Scripted(move), FirstMoveEngine())
    assert str(move) in str(caught.value)
    assert chess.STARTING_FEN in str(caught.value)


def test_an_engine_that_spoils_its_board_does_not_spoil_the_game() -> None:
    moves = [chess.Move.from_uci(uci) for uci in ("e2e4", "g1f3")]
    record = play_game(Scripted(*moves), FirstMoveEngine(), max_plies=4)
    assert record.board.move_stack[::2] == moves


class Witness(FirstMoveEngine):
    """Keeps the boards that it was shown."""

    def __init__(self) -> None:
        self.shown: list[chess.Board] = []

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.shown.append(board.copy())
        return super().play(board, limit)


@given(positions())
@examples(60)
def test_an_engine_is_shown_the_position_the_last_move_and_every_repetition(
    start: chess.Board,
) -> None:
    witness, truth = Witness(), list[chess.Board]()
    play_game(
        witness,
        witness,
        start=start,
        max_plies=24,
        watch=lambda board: truth.append(board.copy()),
    )
    for shown, board in zip(witness.shown, [start, *truth], strict=False):
        assert shown.fen() == board.fen()
        assert shown.move_stack[-1:] == board.move_stack[-1:]
        for count in range(2, 6):
            assert shown.is_repetition(count) == board.is_repetition(count)


def test_the_limit_reaches_both_engines() -> None:
    limit = chess.engine.Limit(depth=3)
    white = Scripted(chess.Move.from_uci("e2e4"))
    black = Scripted(chess.Move.from_uci("e7e5"))
    play_game(white, black, limit=limit, max_plies=2)
    assert white.limits == black.limits == [limit]


def test_an_engine_without_a_limit_in_its_signature_can_play() -> None:
    class Old(FirstMoveEngine):
        def play(self, board: chess.Board) -> chess.engine.PlayResult:  # type: ignore[override]
            return super().play(board)

    assert play_game(Old(), Old(), max_plies=3).plies == 3


@given(positions())
@examples(40)
def test_a_game_keeps_its_start_and_survives_pgn(start: chess.Board) -> None:
    before = start.fen(), len(start.move_stack)
    watched: list[str] = []
    record = play_game(
        FirstMoveEngine(),
        FirstMoveEngine(),
        start=start,
        max_plies=12,
        watch=lambda board: watched.append(board.fen()),
    )
    assert (start.fen(), len(start.move_stack)) == before
    played = len(record.board.move_stack) - len(start.move_stack)
    assert played == len(watched) <= 12
    again = chess.pgn.read_game(io.StringIO(str(record.pgn())))
    assert again is not None
    assert again.errors == []
    assert again.end().board().fen() == record.board.fen()
    assert again.headers["Result"] == record.result
    if record.termination == "ply limit":
        assert record.result == "*" and not record.board.is_game_over()
    else:
        assert record.board.is_game_over()


def test_the_last_ply_that_is_allowed_may_end_the_game() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    engine = Scripted(chess.Move.from_uci("d1d8"))
    record = play_game(engine, FirstMoveEngine(), start=board, max_plies=1)
    assert (record.result, record.termination) == ("1-0", "checkmate")


def test_each_end_of_a_game_is_named() -> None:
    cases = {
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1": ("d1d8", "1-0", "checkmate"),
        "7k/8/5QK1/8/8/8/8/8 w - - 0 1": ("f6f7", "1/2-1/2", "stalemate"),
        "8/8/4k3/8/3p4/4K3/8/8 w - - 0 1": ("e3d4", "1/2-1/2", "insufficient material"),
        "8/8/4k3/8/8/2R1K3/8/8 w - - 149 120": ("c3c4", "1/2-1/2", "seventy-five moves"),
    }
    for fen, (uci, result, termination) in cases.items():
        engine = Scripted(chess.Move.from_uci(uci))
        record = play_game(engine, FirstMoveEngine(), start=chess.Board(fen))
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
    assert len(prompts) == 5
    assert len(said) == 3
    assert sorted(said[1].split()) == sorted(map(chess.Board().san, chess.Board().legal_moves))


def test_stockfish_fits_the_interface() -> None:
    mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    with UciEngine(need("stockfish"), {"Threads": 1}) as engine:
        limit = chess.engine.Limit(depth=4)
        assert "Stockfish" in engine.name
        assert engine.play(mate, limit).move == chess.Move.from_uci("d1d8")
        scored = engine.analyse(mate, limit)
        assert {entry.move for entry in scored} == set(mate.legal_moves)
        assert scored[0].score == MATE_SCORE - 1
        assert scored == sorted(scored, reverse=True)
        black = mate.mirror()
        scored = engine.analyse(black, limit)
        assert scored[0].score == -(MATE_SCORE - 1)
        assert scored == sorted(scored)
        record = play_game(engine, FirstMoveEngine(), limit=limit, max_plies=60)
        assert record.result == "1-0"


def test_a_program_that_is_absent_is_an_error_that_names_it() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-engine"):
        UciEngine("no-such-engine")


def test_the_program_is_told_of_a_new_game() -> None:
    asked: list[object] = []

    class Program:
        def play(self, board: chess.Board, limit: object, game: object) -> object:
            asked.append(game)
            return chess.engine.PlayResult(next(iter(board.legal_moves)), None)

    engine = UciEngine.__new__(UciEngine)
    engine._program = Program()  # type: ignore[assignment]
    for _ in range(2):
        engine.new_game()
        engine.play(chess.Board())
        engine.play(chess.Board())
    first, same, second, _ = asked
    assert first is same and first is not second
