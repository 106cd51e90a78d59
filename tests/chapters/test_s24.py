"""Measuring strength: controls, plans of matches, problems and mates, the judge."""

from __future__ import annotations

import itertools
from pathlib import Path

import chess
import chess.engine
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s24_measuring_strength as s24
from converted_notebooks.s04_engine_interface import FirstMoveEngine, Iteration, ScoredMove
from converted_notebooks.s06_opening_book import Line, lines
from tests.helpers.generated import examples
from tests.helpers.positions import positions
from tests.helpers.programs import need
from utils.engines import make_player
from utils.exercises.positions import BACK_RANK
from utils.matches.plan import play_plan
from utils.matches.suites import read_suite
from utils.paths import DATA

MATES = DATA / "suites" / "mates.epd"


# Time controls

numbers = st.integers(1, 10**10).map(lambda n: n / 1000)


@examples(40)
@given(
    st.one_of(
        st.builds(lambda a, b: s24.Control(clock=a, increment=b), numbers, numbers),
        st.builds(lambda a: s24.Control(seconds=a), numbers),
        st.builds(lambda a: s24.Control(nodes=a), st.integers(1, 10**9)),
        st.builds(lambda a: s24.Control(depth=a), st.integers(1, 99)),
    )
)
def test_a_control_is_read_as_it_is_written(control: s24.Control) -> None:
    assert s24.read_control(control.text) == control
    assert s24.read_control(f" {control.text.upper()} ") == control


@pytest.mark.parametrize(
    "text",
    [
        *("", "10", "+", "0+0", "0s", "0n", "d0", "-1s", "1e9n", "d", "5 s", ".s"),
        *("1+1s", "10+0.1+1", "0.5sec", "100nodes", "d3.5", "1..5s"),
    ],
)
def test_a_text_that_is_no_control_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"time control .*expected"):
        s24.read_control(text)


def test_a_clock_becomes_a_limit_for_both_sides() -> None:
    limit = s24.read_control("10+0.1").limit({chess.WHITE: 3.5, chess.BLACK: 7.0})
    assert (limit.white_clock, limit.black_clock) == (3.5, 7.0)
    assert limit.white_inc == limit.black_inc == 0.1
    assert s24.read_control("7n").limit({}) == chess.engine.Limit(nodes=7)


def test_two_controls_are_those_of_the_first_and_of_the_second_player() -> None:
    tenth, second = s24.read_controls("0.1s:1S")
    assert (tenth.seconds, second.seconds) == (0.1, 1.0)
    assert s24.read_controls("d3") == (s24.Control(depth=3),) * 2
    for text, words in (
        ("1+0:1s", "two clocks with"),
        ("1+1:9+0", "same increment"),
        ("1s:", "expected a clock such as"),
    ):
        with pytest.raises(ValueError, match=f"time control .*{words}"):
            s24.read_controls(text)
    plan = s24.plan_match("s10", "s12", 2, " 0.10s : 1s")
    assert {game.control for game in plan} == {"0.1s:1s"}
    assert {game.control for game in s24.plan_match("s10", "s12", 2, "1s:1.0S")} == {"1s"}


# Matches


def test_every_opening_is_played_with_both_colours() -> None:
    plan = s24.plan_match("s10", "s12", 20, "d1", seed=3)
    assert all(one.moves != two.moves for one, two in itertools.pairwise(plan[::2]))
    for one, two in zip(plan[::2], plan[1::2], strict=True):
        assert (one.white, one.black) == (two.black, two.white) == ("s10", "s12")
        assert (one.moves, one.opening) == (two.moves, two.opening)
    again = s24.plan_match("s10", "s12", 30, "d1", seed=3)
    assert again[:20] == plan, "a longer match begins like a shorter one"
    assert s24.plan_match("s10", "s12", 20, "d1", seed=4) != plan


def test_a_match_may_be_longer_than_the_book() -> None:
    start, mate = lines()[0], next(line for line in lines() if line.board().is_checkmate())
    plan = s24.plan_match("s10", "s12", 12, "d1", [start, mate])
    moves = [planned.moves for planned in plan[::2]]
    # What comes again has other random plies; nothing can be added to a finished game.
    assert len(set(moves)) == 4 and moves.count(tuple(m.uci() for m in mate.moves)) == 3
    start = Line("A00", "Start", ())
    plan = s24.plan_match("s05", "s07", 6, "d1", [start])
    assert [len(planned.moves) for planned in plan] == [0, 0, 2, 2, 4, 4]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": 3}, "even number"),
        ({"games": 0}, "even number"),
        ({"control": "fast"}, "time control"),
        ({"openings": []}, "no openings"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(wrong: dict[str, object], words: str) -> None:
    arguments = {"first": "s05", "second": "s07", "games": 2, "control": "d1"} | wrong
    with pytest.raises(ValueError, match=words):
        s24.plan_match(**arguments)  # type: ignore[arg-type]


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
        assert s24.mating_moves(board, moves) == plainly(board, moves)
    assert board.fen() == before


def test_the_mates_of_the_course() -> None:
    """Each with one solution, and none that is quicker."""
    problems = read_suite(MATES).problems
    assert len({problem.epd for problem in problems}) == len(problems) == 36
    for problem in problems[:24:8] + problems[24::12]:
        board, moves = problem.board(), problem.mate
        assert moves and s24.mating_moves(board, moves) == list(problem.best)
        assert not s24.mating_moves(board, moves - 1)


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
    (problem,) = read_suite(path).problems
    assert problem.name == name
    assert problem.solved_by(chess.Move.from_uci(right))
    assert not problem.solved_by(chess.Move.from_uci(wrong))


@examples(40)
@given(st.lists(st.booleans(), max_size=12))
def test_right_since_is_the_beginning_of_the_last_run(rights: list[bool]) -> None:
    good, bad = chess.Move.from_uci("e2e4"), chess.Move.from_uci("a2a3")
    problem = s24.Problem("p", chess.STARTING_FEN, frozenset([good]))
    found = s24.right_since(
        [Iteration(d, ScoredMove(0, good if r else bad), False, d) for d, r in enumerate(rights)],
        problem,
    )
    starts = [d for d in range(len(rights)) if all(rights[d:])]
    assert (found.depth if found else None) == (min(starts) if starts else None)


# The judge


class Judge(FirstMoveEngine):
    """Likes moves by the alphabet; the last is mate, the first loses."""

    def analyse(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> list[ScoredMove]:
        moves = sorted(board.legal_moves, key=str)
        sign = 1 if board.turn else -1
        scores = [-100_000, *(10 * number for number in range(1, len(moves) - 1)), 100_000]
        return [ScoredMove(sign * s, m) for s, m in zip(scores, moves, strict=True)]


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, chess.STARTING_FEN.replace(" w ", " b ")])
def test_losses_are_from_the_movers_view_and_cut_off(fen: str) -> None:
    board = chess.Board(fen)
    moves = sorted(board.legal_moves, key=str)
    chosen = {"best": moves[-1], "next": moves[-2], "first": moves[0]}
    losses = s24.centipawn_losses(Judge(), board, chosen, chess.engine.Limit(nodes=1))
    assert losses == {"best": 0, "next": 1000 - 180, "first": 2000}


def test_stockfish_is_a_player_and_a_judge() -> None:
    need("stockfish")
    stockfish = "stockfish?UCI_Elo=1400&Hash=1"
    *_, games = play_plan(s24.plan_match(stockfish, "s05", 2, "200n", longest=80))
    assert len(games) == 2 and not any(game.fault for game in games)
    judge = make_player("stockfish?Hash=1")
    board = chess.Board(BACK_RANK)
    chosen = {"mate": chess.Move.from_uci("d1d8"), "no": chess.Move.from_uci("g1h1")}
    losses = s24.centipawn_losses(judge, board, chosen, chess.engine.Limit(nodes=20_000))
    judge.close()
    assert losses["mate"] == 0 < losses["no"]


@pytest.mark.parametrize(
    ("text", "plain", "limit"),
    [
        (".5s", "0.5s", Limit(time=0.5)),
        ("100.s", "100s", Limit(time=100)),
        ("600n", "600n", Limit(nodes=600)),
        ("d30", "d30", Limit(depth=30)),
        (
            "600.+.50",
            "600+0.5",
            Limit(white_clock=9, black_clock=8, white_inc=0.5, black_inc=0.5),
        ),
    ],
)
def test_a_number_may_begin_or_end_with_its_point(text: str, plain: str, limit: Limit) -> None:
    control = s24.read_control(text)
    assert control.text == plain
    assert control.limit({chess.WHITE: 9, chess.BLACK: 8}) == limit


def test_random_plies_do_not_end_the_game() -> None:
    fools = Line("A00", "Fool's mate", tuple(map(chess.Move.from_uci, ("f2f3", "e7e5", "g2g4"))))
    last = [s24.with_random_plies(fools, 1, seed)[-1] for seed in range(150)]
    assert "d8h4" not in last and len(set(last)) == 29, "all other moves of Black"


def test_another_seed_is_another_order_of_the_openings() -> None:
    openings = [Line("A00", f"{move}", (move,)) for move in chess.Board().legal_moves]
    before = openings.copy()
    orders = {
        tuple(game.opening for game in s24.plan_match("a", "b", 40, "d1", openings, seed=seed))
        for seed in range(3)
    }
    assert len(orders) == 3 and openings == before
    assert {frozenset(order) for order in orders} == {frozenset(line.name for line in openings)}


def test_moves_that_are_named_count_before_a_mate_that_is_asked_for() -> None:
    epd = "7k/8/6K1/8/8/8/8/5Q2 w - -"
    best, other = map(chess.Move.from_uci, ("f1f8", "f1f2"))
    avoiding = s24.Problem("p", epd, avoid=frozenset([best]), mate=1)
    assert avoiding.solved_by(other) and not avoiding.solved_by(best)
    named = s24.Problem("p", epd, frozenset([other]), frozenset([other]), mate=1)
    assert named.solved_by(other) and not named.solved_by(best)
