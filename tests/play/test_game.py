"""A game with a person: its rules, and what a front end is told of it."""

from __future__ import annotations

import io
import random
import re

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.generated import examples
from tests.helpers.positions import PROMOTION
from tests.play.front_end import assert_consistent
from utils.move_text import MoveTextError
from utils.play.game import Game, premoves, read_fen, read_pgn


@examples()
@given(
    st.sampled_from([chess.WHITE, chess.BLACK, None]),
    st.sampled_from([None, PROMOTION, "4k3/8/8/8/8/8/4p3/K7 b - - 3 9"]),
    st.lists(st.tuples(st.sampled_from(["play", "junk", "undo", "answer"]), st.integers(0, 99))),
    st.text(max_size=6),
)
def test_whatever_is_done_the_game_stays_sound(
    person: chess.Color | None, fen: str | None, actions: list[tuple[str, int]], junk: str
) -> None:
    game, start = Game(fen, person), chess.Board(fen or chess.STARTING_FEN)
    seen = []  # what the person saw before each move
    for action, number in actions:
        before = game.view()
        moves = list(game.board.legal_moves)
        move = moves[number % len(moves)] if moves else chess.Move.null()
        match action:
            case "play" if game.persons_turn:
                seen.append(before)
                assert game.play(game.board.san(move) if number % 2 else move.uci()) == move
                assert game.plies_to_undo() == 1, "the engine has not answered"
            case "answer" if game.engines_turn:
                game.answer(move if number else None)
            case "undo":
                assert game.undo() == len(before["sans"]) - game.plies
                assert game.view() == (seen.pop() if seen else before)
            case "junk" if game.persons_turn and junk.strip() not in map(game.board.san, moves):
                with pytest.raises(MoveTextError) as caught:
                    game.play(junk)
                assert repr(junk.strip()) in str(caught.value) and game.view() == before
            case "play" | "answer":
                with pytest.raises(ValueError, match="move"):
                    game.play(move.uci()) if action == "play" else game.answer(move)
                assert game.view() == before
        view = game.view()
        assert_consistent(view)
        view["positions"][0]["fen"] = "changed"
        assert_consistent(game.view())
        assert game.over == (game.result != "*") == bool(game.termination)
        assert game.persons_turn + game.engines_turn + game.over == 1
        assert bool(view["moves"]) == game.persons_turn
        assert (view["number"], view["blackFirst"]) == (start.fullmove_number, not start.turn)
        assert bool(view["premoves"]) == game.engines_turn
        assert view["before"] == (seen[-1]["moves"] if game.engines_turn and seen else [])


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("", "empty"),
        ("rubbish", "expected 8 rows"),
        (chess.STARTING_FEN.replace(" w ", " x "), "expected 'w' or 'b' for turn part of fen"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "no black king"),
        ("k1K5/8/8/8/8/8/8/1R6 w - - 0 1 9", "9"),
        ("kR6/8/8/8/8/8/8/K7 w - - 0 1", "opposite check"),
    ],
)
def test_a_bad_fen_is_named(fen: str, words: str) -> None:
    with pytest.raises(ValueError, match="FEN ") as caught:
        read_fen(fen)
    assert repr(fen) in str(caught.value) and words in str(caught.value)


def test_the_end_of_a_game_is_told() -> None:
    game = Game()
    for move in ("f3", "e5", "g4"):
        game.play(move) if game.persons_turn else game.answer(game.board.parse_san(move))
    assert game.status() == "White played g4. Black to move."
    assert Game(person=None).status() == "White to move."
    check = Game("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")
    assert check.status() == "White is in check, your move."
    game.answer(game.board.parse_san("Qh4"))
    assert game.status() == "Black played Qh4#. Black wins: checkmate."
    with pytest.raises(ValueError, match="over"):
        game.play("e4")
    pgn = chess.pgn.read_game(io.StringIO(str(game.pgn(game.players("s05", "You")))))
    assert pgn is not None and not pgn.errors
    assert pgn.end().board().fen() == game.board.fen()
    assert pgn.headers["Result"] == "0-1" and pgn.headers["Termination"] == "checkmate"
    assert (pgn.headers["White"], pgn.headers["Black"]) == ("You", "s05")


def test_the_engines_first_move_and_its_resignation_are_taken_back_with_a_move_of_the_person() -> (
    None
):
    game = Game(person=chess.BLACK)
    game.answer(chess.Move.from_uci("e2e4"))
    assert game.undo() == 0 and game.sans == ["e4"]
    game.play("e5")
    game.answer(None)
    assert game.result == "0-1" and game.termination == "resignation"
    assert game.undo() == 1 and game.sans == ["e4"] and not game.over


@pytest.mark.parametrize("person", [chess.WHITE, chess.BLACK, None])
def test_what_the_players_end_is_taken_back_alone(person: chess.Color | None) -> None:
    moves = ["e4"] if person == chess.BLACK else []
    for end, result, words in (
        (Game.resign, "1-0" if person == chess.BLACK else "0-1", "resignation"),
        (Game.agree, "1/2-1/2", "agreement"),
    ):
        game = Game.of(None, moves, person)
        end(game)
        assert (game.result, game.termination, game.over) == (result, words, True)
        assert game.can_undo and game.view()["undo"] and game.view()["moves"] == []
        with pytest.raises(ValueError, match="over"):
            game.agree()
        assert game.undo() == 0 and not game.over and game.sans == moves and game.persons_turn


def test_time_that_has_run_out_comes_back_with_the_moves() -> None:
    game = Game.of(None, ["e4", "e5"], chess.WHITE)
    game.overstep(chess.WHITE)
    assert (game.result, game.termination) == ("0-1", "no time left")
    assert game.undo() == 2 and not game.over
    game.overstep(chess.BLACK)
    assert not game.can_undo and not game.view()["undo"], "there is no move to take back"
    assert game.undo() == 0 and game.result == "1-0"


def test_who_cannot_be_mated_does_not_lose_on_time() -> None:
    game = Game("8/8/8/4k3/8/8/8/K6Q b - - 0 1", chess.BLACK)
    game.overstep(chess.WHITE)
    assert game.result == "1/2-1/2" and "no material" in game.termination
    assert not game.can_undo, "there is no move to take back"


@examples()
@given(st.randoms(use_true_random=False), st.sampled_from([chess.STARTING_FEN, PROMOTION]))
def test_every_move_that_may_become_legal_is_a_premove(rng: random.Random, fen: str) -> None:
    board = chess.Board(fen)
    for _ in range(rng.randrange(60)):
        if not any(board.legal_moves):
            return
        board.push(rng.choice(list(board.legal_moves)))
    offered = premoves(board, not board.turn)
    assert len(set(offered)) == len(offered)
    for move in board.legal_moves:
        board.push(move)
        assert {answer.uci() for answer in board.legal_moves} <= {*offered}
        board.pop()


def test_a_premove_goes_no_further_than_its_piece() -> None:
    board = chess.Board("4k3/8/8/8/8/1P6/P7/4K2R b K - 0 1")

    def goals(square: str) -> str:
        offered = premoves(board, chess.WHITE)
        return " ".join(sorted(move[2:] for move in offered if move.startswith(square)))

    assert (goals("a2"), goals("b3")) == ("a3 a4 b3", "a4 b4 c4")
    assert goals("e1") == "d1 d2 e2 f1 f2 g1" and len(premoves(board, chess.WHITE)) == 26
    board.castling_rights = chess.BB_EMPTY
    assert goals("e1") == "d1 d2 e2 f1 f2"


def test_a_draw_is_claimed_when_the_rules_allow_it() -> None:
    game = Game.of(None, ["Nf3", "Nf6", "Ng1", "Ng8"] * 2)
    assert game.claim == "threefold repetition" and not game.over and not game.termination
    game.person = chess.BLACK
    assert game.claim == "", "it is not the person's turn"
    assert Game.of(None, ["Nf3", "Nf6", "Ng1", "Ng8"]).claim == ""
    assert Game("8/8/8/4k3/8/8/8/K6Q w - - 100 99").claim == "fifty moves"


def test_a_game_is_read_from_the_pgn_that_it_gives() -> None:
    for game in (
        Game.of(None, ["f3", "e5", "g4", "Qh4#"]),
        Game.of(PROMOTION, ["a8=R", "Kg7"]),
        Game.of(None, ["e4"]),
    ):
        again = read_pgn(str(game.pgn({})))
        assert again.view() == game.view()
    game.resign()
    again = read_pgn(str(game.pgn({})))
    assert (again.result, again.termination) == ("1-0", "resignation")
    line = ["e4", "e5", "Nf3"]
    assert read_pgn("1. e4 (1. d4 d5) e5 {a comment} 2. Nf3 1/2-1/2").sans == line
    # What is wrong in a variation does not matter.
    assert read_pgn("1. e4 $1 e5 (1... Ke3 (1... a9) 2. Qh9) 2. Nf3 ; the end").sans == line


def test_a_game_may_end_without_a_reason() -> None:
    game = read_pgn('[Result "1-0"]\n[Termination ""]\n\n1. e4 1-0')
    assert game.termination == "as recorded" and game.over


def test_an_answer_that_is_no_move_is_named() -> None:
    game = Game()
    game.play("e2e4")
    with pytest.raises(ValueError, match=r"the engine gave 'e7e5'; expected a chess\.Move"):
        game.answer("e7e5")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no game found"),
        ("no game", "no game found"),
        ("\x89PNG\r\n\x00", "no game found"),
        ("1. e4 {king's pawn} e5 (1... c5) 2. Ke3 Nc6", "at move 2: illegal san: 'Ke3'"),
        ("1. Ke3", "at move 1: illegal san: 'Ke3'"),
        ("1. e4 e5 2. Qh5 Ke7 3. Qxe5# Nf6", "at move 3: illegal san: 'Nf6'"),
        ("1. e4 -- 2. d4", "'0000' is not a move"),
        ('[Variant "Foo"]\n\n1. e4', "unsupported variant: Foo"),
        ('[Variant "Chess960"]\n\n1. e4', "of a chess variant; expected usual chess"),
        ('[Variant "Atomic"]\n\n1. e4', "of a chess variant; expected usual chess"),
        ('[FEN "4k3/8/8/8/8/8/8/4K3 w - - 0 20"]\n\n20. e4', "at move 20: illegal san: 'e4'"),
        ('[FEN "8/8"]\n\n1. e4', "at move 1: expected 8 rows in position part of fen"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "no white king"),
    ],
)
def test_a_bad_pgn_is_named(
    text: str, words: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        read_pgn(text)
    assert (caplog.text, *capsys.readouterr()) == ("", "", "")
