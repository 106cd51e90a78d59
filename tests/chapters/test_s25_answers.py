"""What s25 says: scores, lines, best moves, failures."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import chess
import pytest
from chess.engine import Cp, Limit, PlayResult, _parse_uci_info
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s25_playing as s25
from converted_notebooks.s04_engine_interface import FirstMoveEngine, Iteration, ScoredMove
from converted_notebooks.s06_opening_book import COURSE_BOOK, OpeningBook
from converted_notebooks.s19_endgame_tables import (
    Verdict,
    probe,
    random_entries,
    three_piece_tables,
)
from tests.helpers.conversation import A_YEAR, bestmoves, moves, pending
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS, positions
from utils.engines import ENGINES, make_engine


@examples(60)
@given(
    st.integers(-3000, 3000),
    positions(max_plies=8),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.25, 1.5]),
    st.integers(1, 9),
)
def test_python_chess_reads_what_we_say(
    value: int, board: chess.Board, nodes: int, seconds: float, rank: int
) -> None:
    engine = FirstMoveEngine()
    engine.pawn_value, engine.mate_score = 50, 3001
    pv = next(iter(board.legal_moves))
    line = (pv, pv)  # the second is not legal
    found = Iteration(7, ScoredMove(value, pv), True, nodes, seconds, line)
    said = s25.report_line(engine, board, found, rank)
    assert (said == s25.report_line(engine, board, found)) == (rank == 1)
    read = dict(_parse_uci_info(said.removeprefix("info "), board))
    score: Any = read.pop("score")
    assert score.white() == Cp(2 * value)
    assert read == {
        **{"pv": [pv], "depth": 7, "multipv": rank, "nodes": nodes},
        **{"time": seconds, "nps": int(nodes / (seconds or 0.001))},
    }


def won_in_tables(count: int, seed: int) -> Iterator[tuple[chess.Board, int]]:
    """Random positions of the queen's and the rook's table, won in five plies or fewer."""
    for table in three_piece_tables()[:2]:
        for board in random_entries(table, count, random.Random(seed)):
            verdict = probe(three_piece_tables(), board)
            if verdict and verdict.result > 0 and verdict.plies < 6:
                yield board, verdict.plies


@pytest.mark.parametrize("chapter", ["s15", "s23"])
def test_a_mate_is_announced_in_moves_and_from_the_view_of_the_side_to_move(chapter: str) -> None:
    seen = set[int]()
    for board, plies in won_in_tables(120, 5):
        engine, mated = make_engine(chapter), board.copy()
        best = engine.play(board.copy(), Limit(depth=plies + 6)).move
        assert engine.last_search is not None and best is not None
        assert s25.score_text(engine, board, engine.last_search) == f"mate {(plies + 1) // 2}"
        mated.push(best)
        if plies > 1:
            engine.play(mated.copy(), Limit(depth=plies + 2))
            assert s25.score_text(engine, mated, engine.last_search) == f"mate {-(plies // 2)}"
        seen.add(plies)
    assert seen == {1, 3, 5}


def test_without_a_line_to_its_end_a_mate_is_as_far_as_the_search_was_deep() -> None:
    engine = FirstMoveEngine()
    engine.mate_score = 100
    for score, text in ((100, "mate 2"), (-100, "mate -2"), (99, "cp 9900")):
        found = Iteration(3, ScoredMove(score, moves("a2a3")[0]), True, 5)
        assert s25.score_text(engine, chess.Board(), found) == text


@pytest.mark.parametrize("chapter", ["s15", "s22", "s23"])
def test_without_a_line_a_mate_is_as_far_as_its_score_says(chapter: str) -> None:
    for board, plies in won_in_tables(30, 6):
        go, said = pending(chapter, s25.GoRequest(Limit(depth=plies + 6)), board.fen())
        go.player.settings["MultiPV"] = 2
        go.run()
        best = [line for line in said if " multipv 1 " in line][-1]
        assert f" score mate {(plies + 1) // 2} " in best, (board.fen(), said)


@pytest.mark.parametrize(
    "chapter, fen, text",
    [
        ("s08", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "mate 1"),  # it does not search
        ("s22", "r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 0", "mate 3"),
    ],
)
@pytest.mark.parametrize("lines", [1, 2])
def test_a_mate_has_the_same_distance_among_several_lines(
    chapter: str, fen: str, text: str, lines: int
) -> None:
    go, said = pending(chapter, s25.GoRequest(Limit(depth=3)), fen)
    go.player.settings["MultiPV"] = lines
    go.run()
    assert f" score {text} " in [line for line in said if " multipv 1 " in line][-1], said


@pytest.mark.parametrize("turn", chess.COLORS)
@pytest.mark.parametrize("chapter", ["s08", "s12", "s14", "s17", "s23"])
def test_scores_go_out_from_the_view_of_the_side_to_move(chapter: str, turn: bool) -> None:
    board = chess.Board("3qk3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    fen = (board.mirror() if turn else board).fen()
    said = s25.converse(
        [f"setoption name Chapter value {chapter}", f"position fen {fen}", "go depth 2"]
    )
    scores = [line.split(" cp ")[1].split()[0] for line in said if " cp " in line]
    assert scores and all(int(score) > 300 for score in scores), said


@pytest.mark.parametrize("chapter", ENGINES)
def test_every_engine_answers_with_a_legal_move_of_those_allowed(chapter: str) -> None:
    board, allowed = chess.Board(STARTS[1]), ["a2a3", "e2a6", "h1g1"]
    said = s25.converse(
        [
            f"setoption name Chapter value {chapter}",
            f"position fen {board.fen()}",
            "go movetime 60",
            f"go movetime 60 searchmoves {' '.join(allowed)}",
            "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "go movetime 60",
            "position startpos moves e2e4",
            "go wtime 0 btime 0 winc 500 binc 500",
        ]
    )
    free, bound, none, late = bestmoves(said)
    assert moves(free)[0] in board.legal_moves and bound in allowed and none == "(none)"
    board = chess.Board()
    board.push_uci("e2e4")
    assert moves(late)[0] in board.legal_moves
    infos = [line for line in said if line.startswith("info")]
    assert all(" score " in line and "string" not in line for line in infos), infos


@pytest.mark.parametrize("chapter", ["s09", "s15", "s23"])
@pytest.mark.parametrize("lines", [2, 5])
def test_each_line_is_the_best_of_what_is_left(chapter: str, lines: int) -> None:
    allowed = list(chess.Board(STARTS[4]).legal_moves)[::3]
    for some in ([], allowed, allowed[:1]):
        go, said = pending(chapter, s25.GoRequest(Limit(depth=2), moves=tuple(some)), STARTS[4])
        go.player.settings["MultiPV"] = lines
        go.run()
        infos: list[Any] = [_parse_uci_info(line[5:], go.start) for line in said[:-1]]
        last = [info for info in infos if info["depth"] == 2]
        count = min(lines, len(some) or 99)
        assert [info["multipv"] for info in last] == [*range(1, count + 1)]
        assert len(infos) == 2 * count
        scored = make_engine(chapter).analyse(go.start.copy(), Limit(depth=2))
        expected = [e.score for e in scored if not some or e.move in some][:count]
        pawn = make_engine(chapter).pawn_value
        for info, score in zip(last, expected, strict=True):
            assert info["score"].is_mate() or (
                info["score"].white() == Cp(round(100 * score / pawn))
            )
        assert bestmoves(said) == [last[0]["pv"][0].uci()]


@pytest.mark.parametrize("chapter", ["s12", "s22", "s27"])
def test_several_lines_are_searched_at_least_a_ply_and_without_a_limit_not_for_ever(
    chapter: str,
) -> None:
    taking = "3qk3/8/8/8/8/2N5/4P3/3RK3 w - - 0 1"
    for limit in (Limit(time=0), Limit(white_clock=0.0, black_clock=1.0), Limit()):
        go, said = pending(chapter, s25.GoRequest(limit), taking, patience=A_YEAR)
        go.player.settings["MultiPV"] = 2
        go.run()
        assert bestmoves(said) == ["d1d8"]


def test_a_mate_is_found_in_as_many_moves_as_the_tables_say_and_not_in_fewer() -> None:
    found = {plies: board for board, plies in won_in_tables(250, 22)}
    for plies, wanted in ((1, 1), (3, 1), (3, 2), (5, 2), (5, 3)):
        request = s25.parse_go(["mate", str(wanted)])
        go, said = pending("s23", request, found[plies].fen(), patience=A_YEAR)
        go.run()
        assert (f"score mate {wanted} " in said[-2]) == (2 * wanted > plies), said
        if 2 * wanted > plies:
            go.start.push(go.line[0])
            assert probe(three_piece_tables(), go.start) == Verdict(-1, plies - 1)


def test_the_book_is_asked_by_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    pick = mock.Mock(side_effect=lambda replies, *_: next(iter(replies)))
    player = s25.Player(random.Random(1), "s05")
    s25.set_option(player, "name OwnBook value true")
    monkeypatch.setattr(s25, "pick", pick)
    assert player.book_move(chess.Board()) is not None
    assert [call.args[1:] for call in pick.call_args_list] == [("weight", player.rng)]


class Failing(FirstMoveEngine):
    """Fails in the way that it is told to, perhaps after a report of a move."""

    def __init__(self, failure: object, reported: str | None) -> None:
        self.failure, self.reported = failure, reported

    def play(self, board: chess.Board, limit: Limit | None = None) -> PlayResult:
        if self.reported:
            self.report(Iteration(1, ScoredMove(0, moves(self.reported)[0]), True, 1))
        board.clear()  # what happens to its board is its own business
        if isinstance(self.failure, BaseException):
            raise self.failure
        return PlayResult(self.failure, None)  # type: ignore[arg-type]


FAILURES = [
    *(ValueError("line one\nline two é"), RecursionError(), MemoryError(), SystemExit(3)),
    *(AssertionError("x" * 5000), None, chess.Move.null(), chess.Move.from_uci("e2e5")),
]


@pytest.mark.parametrize("reported", [None, "d2d4", "e2e5"])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_told_and_a_legal_move_is_played(failure: Any, reported: str | None) -> None:
    go, said = pending(Failing(failure, reported), s25.GoRequest())
    go.run()
    go.stop()
    (move,) = bestmoves(said)
    assert moves(move)[0] in chess.Board().legal_moves
    assert reported != "d2d4" or move == "d2d4"
    (told,) = [line for line in said if line.startswith("info string")]
    assert "the engine failed" in told and go.player.engine is None
    assert isinstance(failure, BaseException) or f"it chose {failure}" in told
    assert said[-1] == f"bestmove {move}", "nothing is known of the reply"
    assert all(len(line) < 400 and line.isascii() and line.isprintable() for line in said)


def test_a_report_of_an_illegal_move_is_no_failure() -> None:
    go, said = pending(Failing(moves("a2a3")[0], "e2e5"), s25.GoRequest())
    go.run()
    assert said[-1] == "bestmove a2a3" and not any("failed" in line for line in said)


def test_an_engine_that_does_not_look_ahead_reports_depth_0() -> None:
    go, said = pending(FirstMoveEngine(), s25.GoRequest(Limit(depth=3)))
    go.run()
    assert len(said) == 2 and said[0].startswith("info depth 0 multipv 1 score cp 0 nodes 20 ")


def test_the_answer_has_the_best_move_and_the_reply_of_the_best_line() -> None:
    go, said = pending("s23", s25.GoRequest(Limit(depth=4)))
    go.run()
    best, reply, _, *_ = said[-2].split(" pv ")[1].split()
    assert said[-1] == f"bestmove {best} ponder {reply}"


def test_a_move_of_the_book_is_reported_and_played() -> None:
    board, player = chess.Board(), s25.Player(random.Random(1), "s05")
    known = OpeningBook(COURSE_BOOK).moves(board)
    said = s25.converse(["setoption name OwnBook value true", *["go wtime 1000"] * 9], player)
    played = moves(*bestmoves(said))
    assert set(played) <= set(known) and len(set(played)) > 1
    assert said[::2] == [f"info depth 0 score cp 0 pv {move}" for move in played]


def test_the_book_does_not_answer_a_search_for_a_mate() -> None:
    said = s25.converse(["setoption name OwnBook value true", "go mate 1"])
    assert any(line.startswith("info depth 1 ") for line in said) and len(bestmoves(said)) == 1


@pytest.mark.parametrize(
    ("fen", "score"),
    [("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "cp 0")],
)
def test_a_finished_game_has_a_score_and_no_move(fen: str, score: str) -> None:
    said = s25.converse([f"position fen {fen}", "go depth 2"])
    assert said == [f"info depth 0 score {score}", "bestmove (none)"]
