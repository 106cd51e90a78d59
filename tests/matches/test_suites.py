"""Test suites: lines of EPD, and what players answer."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.engine
import pytest

from converted_notebooks.s04_engine_interface import FirstMoveEngine, Iteration, ScoredMove
from converted_notebooks.s24_measuring_strength import Problem, Suite
from tests.helpers.programs import DUMMY
from tests.play.front_end import Scripted
from utils.matches import suites
from utils.matches.playing import why_absent
from utils.matches.suites import Answer, read_suite, run_suite
from utils.paths import DATA

MATES = DATA / "suites" / "mates.epd"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("8/8/8/8/8/8/8/K7 w - - bm Kb2;", "not a legal position"),
        (chess.Board().epd(id="no question"), "bm or am with moves"),
        ("4k3/8/8/8/8/8/8/4K2R w K - bm;", "bm or am with moves"),
        ('4k3/8/8/8/8/8/8/4K2R w K - bm "Rh8";', "bm or am with moves"),
        ('4k3/8/8/8/8/8/8/4K2R w K - dm "3";', "dm with a number"),
        ("4k3/8/8/8/8/8/8/4K2R w K - dm 9;", "dm 9: expected 1 to 3"),
        ("4k3/8/8/8/8/8/8/4K2R w K - dm -2;", "dm -2: expected 1 to 3"),
        ("rubbish", "line 2"),
        (chess.Board().epd() + " bm Ke5;", "line 2"),
    ],
)
def test_a_bad_line_of_a_suite_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(f"  # a suite\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_suite(path)


def test_a_problem_without_a_name_is_named_by_its_line(tmp_path: Path) -> None:
    path, epd = tmp_path / "own.epd", "4k3/8/8/8/8/8/8/4K2R w K -"
    lines = ["# a comment", f"{epd} bm Rh8+ O-O;", "", f'{epd} am Kd1; dm 3; id "two";']
    path.write_text("\n".join(lines), encoding="utf-8-sig")  # as an editor may mark it
    castling, check, king = map(chess.Move.from_uci, ("e1g1", "h1h8", "e1d1"))
    assert read_suite(path) == Suite(
        "own",
        (
            Problem("line 2", epd, frozenset({castling, check}), frozenset(), None),
            Problem("two", epd, frozenset(), frozenset({king}), 3),
        ),
    )
    path.write_text("# a comment", encoding="utf-8")
    with pytest.raises(ValueError, match=r"own\.epd has no problems"):
        read_suite(path)


@pytest.mark.parametrize("player", ["s05", "s09", "s23", DUMMY])
def test_every_kind_of_player_answers(player: str) -> None:
    (answer,) = run_suite(player, first(1), "200n")
    assert answer.move == answer.said
    assert (answer.seconds is not None) == answer.solved
    assert answer.seconds is None or answer.seconds > 0


@pytest.mark.parametrize(
    ("trick", "reason"),
    [
        ("crash", "crash: EngineTerminatedError: "),
        ("illegal", "illegal move: "),
        ("resign", "illegal move: Dummy played None"),
        ("exit", "crash: engine process died"),
    ],
)
def test_an_answer_says_why_there_is_no_move(trick: str, reason: str) -> None:
    suite = first(2)
    answers = list(run_suite(f"{DUMMY} {trick}", suite, "100n"))
    assert [(a.number, a.problem) for a in answers] == [*enumerate(p.name for p in suite.problems)]
    for answer in answers:
        assert (answer.move, answer.solved, answer.seconds) == ("", False, None)
        assert answer.said == answer.fault and answer.fault.startswith(reason)
    assert Answer(0, "p", "", False, None, None).said == "resigned"
    assert why_absent(TimeoutError()) == "it does not answer"


def first(problems: int) -> Suite:
    suite = read_suite(MATES)
    return Suite(suite.name, suite.problems[:problems])


def test_each_problem_has_a_player_of_its_own_which_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, ended = list[FirstMoveEngine](), list[FirstMoveEngine]()

    class Ended(FirstMoveEngine):
        def close(self) -> None:
            ended.append(self)

    def make_player(*_: object) -> FirstMoveEngine:
        made.append(Ended())
        return made[-1]

    monkeypatch.setattr(suites, "make_player", make_player)
    assert len(list(run_suite("s05", first(2), "d1"))) == 2
    assert ended == made and len(made) == 2


def test_a_suite_may_be_asked_on_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Scripted()
    monkeypatch.setattr(suites, "make_player", lambda *_: engine)
    list(run_suite("s05", first(1), "30+1"))
    assert engine.limits[0] is not None
    assert (engine.limits[0].white_clock, engine.limits[0].white_inc) == (30, 1)


def test_to_resign_is_no_answer_to_a_problem_with_a_move_to_avoid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    avoid = frozenset({chess.Move.from_uci("f2f3")})
    problem = Problem("avoid", chess.Board().epd(), frozenset(), avoid, None)
    for said, solved in (("resign", False), ("e2e4", True)):
        monkeypatch.setattr(suites, "make_player", lambda *_, said=said: Scripted(said))
        (answer,) = run_suite("s05", Suite("own", (problem,)), "d1")
        assert answer.solved == solved and answer.said == ("e4" if solved else "resigned")


def test_an_answer_says_since_when_it_was_right(monkeypatch: pytest.MonkeyPatch) -> None:
    (problem,) = first(1).problems
    (right,) = problem.best
    wrong = next(move for move in problem.board().legal_moves if move != right)

    class Thinker(FirstMoveEngine):
        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            self.iterations = tuple(
                Iteration(n, ScoredMove(0, move), False, 10 * n, n * 1e-9)
                for n, move in enumerate((right, wrong, right, right), 1)
            )
            return chess.engine.PlayResult(right, None)

    monkeypatch.setattr(suites, "make_player", lambda *_: Thinker())
    (answer,) = run_suite("s05", first(1), "5s")
    assert (answer.solved, answer.nodes, answer.seconds) == (True, 30, 3 * 1e-9)
