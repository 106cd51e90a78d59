"""A game afterwards: its course, the worst moves, and why they are bad."""

from __future__ import annotations

from typing import Any

import chess
import chess.engine
import pytest

from converted_notebooks.s04_engine_interface import FirstMoveEngine
from converted_notebooks.s18_positional_evaluation import WEIGHTS, explain
from tests.helpers.positions import BLUNDERS
from tests.play.front_end import Reporting, Scripted
from utils.engines import ENGINES, make_player
from utils.play.findings import evaluation_of
from utils.play.game import Game, read_pgn
from utils.play.review import GROUPS, MOVES_SHOWN, Look, Reviewer, after, in_groups, reasons, review

LIMIT = chess.engine.Limit(nodes=2000)


def reviewed(pgn: str, person: chess.Color | None) -> list[dict[str, Any]]:
    game = read_pgn(pgn)
    game.person = person
    return list(review(game, make_player(ENGINES[-1]), LIMIT))


def test_every_position_gets_its_evaluation_and_then_come_the_worst_moves() -> None:
    *looks, last = reviewed(BLUNDERS, None)
    assert [look["ply"] for look in looks] == list(range(14, -1, -1))
    assert looks[0]["evaluation"] == {"share": 0.0, "text": "0-1"}
    worst = last["worst"]
    assert 1 <= len(worst) <= MOVES_SHOWN
    assert worst[0]["move"] == "5. Nxf7" and worst[0]["why"].startswith("It costs material -")
    boards = [Game.of(None, read_pgn(BLUNDERS).sans[:ply]).board for ply in range(15)]
    losses = []
    for move in worst:
        board = boards[move["ply"]]
        better = move["better"]["moves"]
        line = [chess.Move.from_uci(uci) for uci in better]
        assert board.variation_san(line) == move["better"]["text"]
        assert better[0] != boards[move["ply"] + 1].peek().uci()
        known = [look["evaluation"] for look in reversed(looks)][move["ply"] :][:2]
        assert [move["from"], move["to"]] == [evaluation["text"] for evaluation in known]
        answer = [chess.Move.from_uci(uci) for uci in move["answer"]["moves"]]
        assert answer and boards[move["ply"] + 1].variation_san(answer) == move["answer"]["text"]
        losses.append(abs(known[1]["share"] - known[0]["share"]))
    assert losses == sorted(losses, reverse=True)


def test_only_the_persons_moves_are_shown() -> None:
    for person in chess.COLORS:
        *_, last = reviewed(BLUNDERS, person)
        assert all(move["ply"] % 2 == (0 if person else 1) for move in last["worst"])
        assert person == chess.BLACK or last["worst"][0]["move"] == "5. Nxf7"


@pytest.mark.parametrize(
    ("moves", "shares", "shown"),
    [
        ("e4 e5 d4", (1, 0.96, 0.96, 0.9), ["2. d4"]),
        (
            "e4 e5 d4 d5 c4 c5 b4",
            (1, 0.9, 0.9, 0.7, 0.7, 0.64, 0.64, 0.2),
            ["4. b4", "2. d4", "1. e4"],
        ),
        ("Nh3 e5", (1, 0.5, 0.5), []),  # the engine's own move
    ],
)
def test_of_the_moves_that_lose_something_the_three_worst_are_shown(
    monkeypatch: pytest.MonkeyPatch, moves: str, shares: tuple[float, ...], shown: list[str]
) -> None:
    def look(reviewer: Reviewer, board: chess.Board) -> Look:
        return Look({"share": shares[board.ply()], "text": ""}, (next(iter(board.legal_moves)),))

    monkeypatch.setattr(Reviewer, "look", look)
    monkeypatch.setattr("utils.play.review.reasons", lambda *_: "")
    *_, last = review(Game.of(None, moves.split()), Scripted(), LIMIT)
    assert [move["move"] for move in last["worst"]] == shown


@pytest.mark.parametrize(
    ("pgn", "words"),
    [
        ("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#", "It lets the other side mate."),
        ("1. f3 e5 2. g4 a6 3. a3", "It misses a mate."),
    ],
)
def test_mates_have_words_of_their_own(pgn: str, words: str) -> None:
    *_, last = reviewed(pgn, chess.BLACK)
    assert words in [move["why"] for move in last["worst"]]


def test_an_engine_without_a_score_says_nothing() -> None:
    engine = Scripted()
    *looks, last = review(Game.of(None, ["e4"]), engine, LIMIT)
    assert [look["evaluation"] for look in looks] == [None, None] and last == {"worst": []}
    assert (engine.games, engine.limits) == (1, [LIMIT, LIMIT])


def test_a_game_may_go_on_where_the_fifty_move_rule_could_end_it() -> None:
    game = Game.of("8/8/8/4p3/8/3k4/8/R3K3 w - - 100 80", ["a1a8", "e5e4"])
    *looks, _ = review(game, make_player(ENGINES[-1]), LIMIT)
    assert [look["ply"] for look in looks] == [2, 1, 0]


def test_a_look_has_the_whole_line_that_the_engine_expects() -> None:
    engine = Reporting("e2e4 e7e5 g1f3")
    engine.go.set()
    found = Reviewer(engine, LIMIT).look(chess.Board())
    assert [move.uci() for move in found.line] == ["e2e4", "e7e5", "g1f3"]


@pytest.mark.parametrize(
    ("fen", "line", "goes_on"),
    [
        ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d2", ""),
        ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", "c6d5 e1d2"),
        ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5 c6d5 e1d2", ""),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "e8d7"),
        ("4k3/P6p/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "e8d7"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", ""),
        ("4k3/7p/8/8/8/8/4r3/4K3 w - - 0 1", "", "e1e2 e8e7"),
    ],
)
def test_a_line_is_followed_through_captures_promotions_and_checks(
    monkeypatch: pytest.MonkeyPatch, fen: str, line: str, goes_on: str
) -> None:
    moves, more = (tuple(map(chess.Move.from_uci, text.split())) for text in (line, goes_on))
    found = iter(more)
    monkeypatch.setattr(Reviewer, "look", lambda *_: Look(None, (next(found),)))
    board = chess.Board(fen)
    end = Reviewer(Scripted(), LIMIT).quiet(board, moves)
    assert end.fen() == after(board, moves + more).fen() and next(found, None) is None


@pytest.mark.parametrize("color", chess.COLORS)
def test_the_reasons_for_a_move_are_those_of_either_side(
    monkeypatch: pytest.MonkeyPatch, color: chess.Color
) -> None:
    board = chess.Board("4k3/8/8/3q4/8/2N5/PP6/4K3 w - - 0 1")
    best, other, ahead = chess.Move.from_uci("c3d5"), chess.Move.from_uci("e1d1"), 1
    if not color:
        board, ahead = board.mirror(), -1
        best, other = (
            chess.Move(move.from_square ^ 56, move.to_square ^ 56) for move in (best, other)
        )
    monkeypatch.setattr(Reviewer, "look", lambda *_: Look(None))

    def why(played: Look, expected: Look) -> str:
        return reasons(board, other, played, expected, Reviewer(Scripted(), LIMIT))

    assert why(Look(None, mate=-ahead), Look(None)) == "It lets the other side mate."
    assert why(Look(None, mate=ahead), Look(None, mate=ahead)) == "It misses a mate."
    assert why(Look(None), Look(None, (best,), mate=-ahead)).startswith("It costs material -9")
    assert why(Look(None), Look(None, (other,))).startswith("No single term says why")


def test_three_groups_of_terms_are_named_those_that_cost_most_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes = {"a": -0.5, "b": -3.0, "c": -1.0, "d": -0.1, "e": 4.0, "f": -2.0}
    found = iter(({}, changes))  # where the engine's move leads, and where the person's does
    monkeypatch.setattr("utils.play.review.in_groups", lambda _: next(found))
    move, reviewer = chess.Move.from_uci("e2e4"), Reviewer(Scripted(), LIMIT)
    words = reasons(chess.Board(), move, Look(None), Look(None), reviewer)
    assert words == "It costs b -3.0, f -2.0, c -1.0."


def test_a_score_of_any_size_has_a_share() -> None:
    for score, share in ((-1e9, 0.0), (0.0, 0.5), (1e9, 1.0)):
        assert evaluation_of(score, FirstMoveEngine())["share"] == pytest.approx(share)


def test_the_groups_are_the_terms_of_the_evaluation() -> None:
    for name in WEIGHTS:
        assert sum(name.startswith(starts) for starts in GROUPS.values()) == 1, name
    board = read_pgn(BLUNDERS).board.root()
    for move in read_pgn(BLUNDERS).board.move_stack:
        board.push(move)
        total = sum(term.contribution for term in explain(board)) / 100
        assert sum(in_groups(board).values()) == pytest.approx(total)
    assert in_groups(chess.Board("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"))["material"] == 9
