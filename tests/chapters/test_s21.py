"""Measuring strength: matches lose nothing, suites are answered, bad players lose."""

from __future__ import annotations

import dataclasses
import io
import itertools
import multiprocessing
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s21_measuring_strength as s21
from converted_notebooks.s04_engine_interface import (
    FirstMoveEngine,
    Iteration,
    ScoredMove,
    finished,
)
from converted_notebooks.s06_opening_book import Line, lines
from tests.generated import examples
from tests.positions import positions
from tests.programs import need, posix
from utils.engines import make_player
from utils.matches.records import GameFile, Pairing, played
from utils.paths import DATA

MATES = DATA / "suites" / "mates.epd"
DUMMY = (
    f"{Path(sys.executable).as_posix()} {(Path(__file__).parents[1] / 'uci_dummy.py').as_posix()}"
)


# Time controls

numbers = st.integers(1, 99999).map(lambda n: n / 100)


@examples(40)
@given(
    st.one_of(
        st.builds(lambda a, b: s21.Control(clock=a, increment=b), numbers, numbers),
        st.builds(lambda a: s21.Control(seconds=a), numbers),
        st.builds(lambda a: s21.Control(nodes=a), st.integers(1, 10**9)),
        st.builds(lambda a: s21.Control(depth=a), st.integers(1, 99)),
    )
)
def test_a_control_is_read_as_it_is_written(control: s21.Control) -> None:
    assert s21.read_control(control.text) == control
    assert s21.read_control(f" {control.text.upper()} ") == control


@pytest.mark.parametrize(
    "text", ["", "10", "+", "0+0", "0s", "0n", "d0", "-1s", "1e9n", "d", "5 s"]
)
def test_a_text_that_is_no_control_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"time control .*expected"):
        s21.read_control(text)


def test_a_clock_becomes_a_limit_for_both_sides() -> None:
    limit = s21.read_control("10+0.1").limit({chess.WHITE: 3.5, chess.BLACK: 7.0})
    assert (limit.white_clock, limit.black_clock) == (3.5, 7.0)
    assert limit.white_inc == limit.black_inc == 0.1
    assert s21.read_control("7n").limit({}) == chess.engine.Limit(nodes=7)


# Matches


def test_every_opening_is_played_with_both_colours() -> None:
    plan = s21.Match("s10", "s12", games=20, control="d1", seed=3).plan
    assert all(one.moves != two.moves for one, two in itertools.pairwise(plan[::2]))
    for one, two in zip(plan[::2], plan[1::2], strict=True):
        assert (one.white, one.black) == (two.black, two.white) == ("s10", "s12")
        assert (one.moves, one.opening) == (two.moves, two.opening)
    again = s21.Match("s10", "s12", games=30, control="d1", seed=3).plan
    assert again[:20] == plan, "a longer match begins like a shorter one"
    assert s21.Match("s10", "s12", games=20, control="d1", seed=4).plan != plan


def test_a_match_may_be_longer_than_the_book() -> None:
    start, mate = lines()[0], next(line for line in lines() if line.board().is_checkmate())
    plan = s21.Match("s10", "s12", games=12, control="d1", openings=[start, mate]).plan
    moves = [pairing.moves for pairing in plan[::2]]
    # What comes again has other random plies; nothing can be added to a finished game.
    assert len(set(moves)) == 4 and moves.count(tuple(m.uci() for m in mate.moves)) == 3
    start = Line("A00", "Start", ())
    plan = s21.Match("s05", "s07", games=6, control="d1", openings=[start]).plan
    assert [len(pairing.moves) for pairing in plan] == [0, 0, 2, 2, 4, 4]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": 3}, "even number"),
        ({"games": 0}, "even number"),
        ({"control": "fast"}, "time control"),
        ({"first": "s99"}, "brings no engine"),
        ({"openings": []}, "no openings"),
        ({"first": "stockfish?Hash"}, "expected options"),
        ({"second": "nonesuch-engine?Hash=1"}, "no engine and no program 'nonesuch-engine'"),
        ({"second": "stockfish"}, "to install it"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(
    wrong: dict[str, object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("utils.external_programs.shutil.which", lambda place: None)
    arguments = {"first": "s05", "second": "s07", "games": 2, "control": "d1"} | wrong
    with pytest.raises((ValueError, FileNotFoundError), match=words):
        s21.Match(**arguments)  # type: ignore[arg-type]


def small(path: Path, games: int = 8) -> s21.Match:
    return s21.Match("s05", "s07", games=games, control="d1", path=path, longest=60)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a small match."""
    path = tmp_path_factory.mktemp("match") / "whole.pgn"
    assert [now.games for now in small(path).run()] == list(range(1, 9))
    return path


def test_other_programs_read_the_games(whole: Path) -> None:
    with whole.open(encoding="utf-8") as file:
        for pairing, record in zip(small(whole).plan, s21.read_games(whole), strict=True):
            game = chess.pgn.read_game(file)
            assert game is not None and not game.errors
            board, moves = game.end().board(), [move.uci() for move in game.mainline_moves()]
            assert str(len(moves)) == record.headers["PlyCount"]
            assert game.headers["White"] == pairing.white
            assert moves[: len(pairing.moves)] == list(pairing.moves)
            assert board.is_checkmate() == (record.termination == "checkmate")
        assert chess.pgn.read_game(file) is None


def die_after_three_games(path: Path) -> None:
    for now in small(path).run():
        if now.games == 3:
            os.kill(os.getpid(), signal.SIGKILL)


@posix
def test_a_match_that_is_killed_goes_on_where_it_was(tmp_path: Path, whole: Path) -> None:
    path, expected = tmp_path / "killed.pgn", whole.read_text("utf-8").split("[Event ")
    context = multiprocessing.get_context("fork")
    process = context.Process(target=die_after_three_games, args=(path,))
    process.start()
    process.join()
    with path.open("a") as file:  # as if it had been killed within a write
        file.write(f"[Event {expected[-1][:-4]}")
    assert [now.games for now in small(path).run()] == [3, 4, 5, 6, 7, 8]
    assert path.read_text("utf-8").split("[Event ") == expected, "it changes nothing"


def test_another_match_in_the_file_is_an_error(whole: Path) -> None:
    for wrong in ({"control": "d2"}, {"seed": 1}, {"longest": 61}):
        other = {"games": 4, "control": "d1", "path": whole, "longest": 60} | wrong
        with pytest.raises(ValueError, match="of another match: use another file"):
            next(s21.Match("s05", "s07", **other).run())  # type: ignore[arg-type]
    with GameFile(whole), pytest.raises(BlockingIOError, match="in use by another"):
        next(small(whole).run())
    others = s21.Match("s07", "s08", games=2, control="d1", path=whole, longest=20)
    assert [now.games for now in others.run()] == [1, 2], "other players may share it"
    assert len(s21.read_games(whole)) == 10 and next(small(whole).run()).games == 8


# Games


@pytest.mark.parametrize(
    ("trick", "control", "words"),
    [
        ("illegal", "d1", "loses by illegal move: "),
        ("crash", "d1", "loses by crash: EngineTerminatedError: "),
        ("slow", "0.5+0", "loses by time forfeit"),
        ("hang", "0.5+0", "loses by time forfeit"),
        ("exit", "d1", "loses by crash: engine process died"),
    ],
)
def test_a_program_that_misbehaves_loses(
    trick: str, control: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(s21, "PATIENCE", 0.5)
    player, path = f"{DUMMY} {trick}", tmp_path / "m.pgn"
    with ThreadPoolExecutor(2) as executor:
        *_, last = s21.Match(player, "s07", games=2, control=control, path=path).run(executor)
    assert (last.wins, last.draws, last.losses, last.faults) == (0, 0, 2, 2)
    one, two = sorted(s21.read_games(path), key=lambda game: game.number)
    assert f"White {words}" in one.termination and f"Black {words}" in two.termination


def test_who_has_no_time_left_does_not_lose_to_a_bare_king() -> None:
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    assert s21.forfeited(board, "time forfeit")[0] == "1/2-1/2"
    assert s21.forfeited(board, "illegal move")[0] == "0-1"
    board.turn = chess.BLACK
    assert s21.forfeited(board, "time forfeit") == ("1-0", "Black loses by time forfeit")


def test_draws_are_claimed_and_long_games_end() -> None:
    record = s21.play_timed_game(FirstMoveEngine(), FirstMoveEngine(), s21.read_control("d1"))
    assert (record.result, record.termination) == ("1/2-1/2", "threefold repetition")
    assert record.board.is_repetition(3) and not record.board.is_repetition(4)
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 99 80")
    assert finished(board) is None
    board.push_uci("a1a2")
    assert finished(board) == ("1/2-1/2", "fifty moves")
    short = s21.play_timed_game(
        FirstMoveEngine(), FirstMoveEngine(), s21.read_control("d1"), longest=3
    )
    assert (short.plies, short.termination) == (3, "adjudication: too long")
    assert record.clocks == short.clocks == ()


def test_a_game_with_clocks_says_what_they_showed() -> None:
    """After each move of the game, but not after those of the opening."""
    moves = ("e2e4", "e7e5", "g1f3")
    pairing = Pairing("s05", "s07", 0, "30+0.5", "King's Knight", moves, 0, longest=9)
    text = s21.play_pairing(pairing)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and played(text) is not None
    clocks = [node.clock() for node in game.mainline()]
    assert clocks[:3] == [None] * 3 and len(clocks) == 9
    for plies, clock in enumerate(clocks[3:]):
        # Each player began with 30 s; every move brought half a second and took less.
        assert clock is not None and 30 < clock <= 30.5 + plies // 2 * 0.5
    without = s21.play_pairing(dataclasses.replace(pairing, control="d1"))
    assert "%clk" in text and "%clk" not in without


# Suites and mates


def plainly(board: chess.Board, moves: int) -> list[chess.Move]:
    """Moves that mate in so many moves, by the definition."""

    def mates(move: chess.Move) -> bool:
        after = pushed(board, move)
        replies = list(after.legal_moves)
        if moves == 1 or not replies:
            return after.is_checkmate()
        return all(plainly(pushed(after, reply), moves - 1) for reply in replies)

    return [move for move in board.legal_moves if mates(move)]


def pushed(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


@examples(25)
@given(
    positions(starts=["7k/5ppp/8/8/8/6P1/1Q3PBP/R5K1 w - - 0 1", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"])
)
def test_mates_are_those_of_the_definition(board: chess.Board) -> None:
    before = board.fen()
    for moves in (1, 2):
        assert s21.mating_moves(board, moves) == plainly(board, moves)
    assert board.fen() == before


def test_the_mates_of_the_course() -> None:
    """Each with one solution, and none that is quicker."""
    problems = s21.read_suite(MATES).problems
    assert len({problem.epd for problem in problems}) == len(problems) == 36
    for problem in problems[:24:8] + problems[24::12]:
        board, moves = problem.board(), problem.mate
        assert moves and s21.mating_moves(board, moves) == list(problem.best)
        assert not s21.mating_moves(board, moves - 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("8/8/8/8/8/8/8/K7 w - - bm Kb2;", "not a legal position"),
        (chess.Board().epd(id="no question"), "bm, am and dm"),
        ("rubbish", "line 2"),
        (chess.Board().epd() + " bm Ke5;", "line 2"),
    ],
)
def test_a_bad_line_of_a_suite_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(f"# a suite\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        s21.read_suite(path)


@pytest.mark.parametrize(
    ("line", "name", "right", "wrong"),
    [
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - dm 2;", "line 2", "a1a6", "a1a7"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - dm 2;", "line 2", "f1f8", "f1f7"),  # f1f7 is stalemate
        ('7k/8/6K1/8/8/8/8/5Q2 w - - am Qf7; id "stalemate";', "stalemate", "f1f2", "f1f7"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - bm Qf8;", "line 2", "f1f8", "f1f2"),
    ],
)
def test_what_solves_a_problem(
    tmp_path: Path, line: str, name: str, right: str, wrong: str
) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(f"\n{line}\n\n", encoding="utf-8")
    (problem,) = s21.read_suite(path).problems
    assert problem.name == name
    assert problem.solved_by(chess.Move.from_uci(right))
    assert not problem.solved_by(chess.Move.from_uci(wrong))


@examples(40)
@given(st.lists(st.booleans(), max_size=12))
def test_right_since_is_the_beginning_of_the_last_run(rights: list[bool]) -> None:
    good, bad = chess.Move.from_uci("e2e4"), chess.Move.from_uci("a2a3")
    problem = s21.Problem("p", chess.STARTING_FEN, frozenset([good]))
    found = s21.right_since(
        [Iteration(d, ScoredMove(0, good if r else bad), False, d) for d, r in enumerate(rights)],
        problem,
    )
    starts = [d for d in range(len(rights)) if all(rights[d:])]
    assert (found.depth if found else None) == (min(starts) if starts else None)


@pytest.mark.parametrize("player", ["s05", "s09", "s20", DUMMY])
def test_every_kind_of_player_answers(player: str) -> None:
    (answer,) = s21.run_suite(player, s21.Suite("one", s21.read_suite(MATES).problems[:1]), "200n")
    assert answer.move == answer.said and 0 < answer.total < 600
    assert (answer.seconds is not None) == answer.solved
    assert answer.seconds is None or 0 < answer.seconds <= answer.total


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
    suite = s21.Suite("two", s21.read_suite(MATES).problems[:2])
    answers = list(s21.run_suite(f"{DUMMY} {trick}", suite, "100n"))
    assert [a.problem for a in answers] == [p.name for p in suite.problems]
    for answer in answers:
        assert (answer.move, answer.solved, answer.seconds) == ("", False, None)
        assert answer.said == answer.fault and answer.fault.startswith(reason)
    assert s21.Answer("p", "", False, None, None, 0.1).said == "resigned"
    assert s21.why_absent(TimeoutError()) == "crash: it does not answer"


# The judge


class Judge(FirstMoveEngine):
    """Likes moves by the alphabet; the last is mate."""

    def analyse(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> list[ScoredMove]:
        moves = sorted(board.legal_moves, key=str)
        sign = 1 if board.turn else -1
        scores = [10 * number for number in range(len(moves) - 1)] + [100_000]
        return [ScoredMove(sign * s, m) for s, m in zip(scores, moves, strict=True)]


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, chess.STARTING_FEN.replace(" w ", " b ")])
def test_losses_are_from_the_movers_view_and_cut_off(fen: str) -> None:
    board = chess.Board(fen)
    moves = sorted(board.legal_moves, key=str)
    chosen = {"best": moves[-1], "next": moves[-2], "first": moves[0]}
    losses = s21.centipawn_losses(Judge(), board, chosen, chess.engine.Limit(nodes=1))
    assert losses == {"best": 0, "next": 1000 - 180, "first": 1000}


def test_stockfish_is_a_player_and_a_judge() -> None:
    need("stockfish")
    stockfish = "stockfish?UCI_Elo=1400&Hash=1"
    *_, last = s21.Match(stockfish, "s05", games=2, control="200n", longest=80).run()
    assert last.games == 2 and last.faults == 0
    judge = make_player("stockfish?Hash=1")
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    chosen = {"mate": chess.Move.from_uci("d1d8"), "no": chess.Move.from_uci("g1h1")}
    losses = s21.centipawn_losses(judge, board, chosen, chess.engine.Limit(nodes=20_000))
    judge.close()
    assert losses["mate"] == 0 < losses["no"]
