"""The guide for teachers: its times, its lists, and the answers to its exam questions."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import chess
import chess.engine
import nbformat
import pytest

from book.builder import reading_times
from book.builder.contents import chapter_names
from converted_notebooks import s05_random_engine as s05
from converted_notebooks import s07_material_engine as s07
from converted_notebooks import s08_evaluation as s08
from converted_notebooks import s12_piece_square_tables as s12
from converted_notebooks import s14_move_ordering as s14
from converted_notebooks import s16_quiescence_search as s16
from converted_notebooks import s24_measuring_strength as s24
from converted_notebooks.s91_perft_and_bitboards import perft
from tests.exercises.variant_answers import RIGHT
from utils.chapters import chapter
from utils.exercises.positions import BACK_RANK
from utils.matches import tournament
from utils.paths import BOOK, NOTEBOOKS

GUIDE = BOOK.joinpath("teaching.md").read_text(encoding="utf-8")
EXAM = BOOK.joinpath("exam.md").read_text(encoding="utf-8")


def rows(name: str) -> list[list[str]]:
    """The rows of a table without its head, as lists of cells."""
    table = GUIDE.partition(f":name: {name}\n")[2].partition("```")[0]
    return [row.split("\n  - ") for row in table.split("\n* - ")[2:]]


WEEKS = rows("tab-weeks")
LATER = rows("tab-more-weeks")


def test_the_plan_has_twelve_weeks_that_fit_into_a_week() -> None:
    assert [row[0] for row in WEEKS] == [str(week) for week in range(1, 13)]
    assert [row[0] for row in LATER][:6] == [str(week) for week in range(13, 19)]
    assert all(f"`{name}`" in GUIDE for name in chapter_names())
    for row in WEEKS + LATER:
        cells = dict(zip(("read", "together", "hand in"), row[1:], strict=False))
        for cell in cells.values():
            # The times are those of what the cell names, all of it.
            names = re.findall(r"\{doc\}`(s\d\d)_\w+`|\{ref\}`(s\d\d-\d) <", cell)
            (timed,) = re.findall(r"\{minutes\}`(.*)`", cell) or [""]
            assert timed.split() == [one or other for one, other in names]
        timed = [re.findall(r"\{minutes\}`(.*)`", cell) for cell in row[1:4]]
        read, together, at_home = (_minutes(names[0]) if names else 0 for names in timed)
        assert together <= 60
        assert read + at_home <= 4 * 60, row


def test_the_guide_names_the_longest_week() -> None:
    sums = {}
    for week, read, _, hand_in, *_ in WEEKS[:11]:
        timed = re.findall(r"\{minutes\}`(.*)`", f"{read}\n{hand_in}")
        sums[week] = _minutes(" ".join(timed))
    assert max(sums, key=lambda week: sums[week]) == "8"
    for week in ("1", "8"):
        (names,) = re.findall(rf"\{{minutes\}}`([s\d -]*)` in week {week}\b", GUIDE)
        assert _minutes(names) == sums[week]


def _minutes(names: str) -> int:
    return int(reading_times.minutes(names).removesuffix("\xa0min"))


@pytest.mark.parametrize(
    "name", [name for name in chapter_names() if any(f"`{name}`" in row[1] for row in WEEKS)]
)
def test_the_card_of_a_chapter_says_about_what_was_counted(name: str) -> None:
    text = NOTEBOOKS.joinpath(f"{name}.ipynb").read_text(encoding="utf-8")
    (card,) = re.findall(r"\*\*Time:\*\* (.*)", text)
    said = reading_times.in_minutes(card) * (2 if "as long again" in card else 1)
    counted = reading_times.reading_minutes(name)
    assert 2 / 3 <= said / counted <= 3 / 2, (said, counted)


def test_every_exercise_says_how_long_it_takes() -> None:
    for name in chapter_names():
        text = NOTEBOOKS.joinpath(f"{name}.ipynb").read_text(encoding="utf-8")
        labels = re.findall(r":label: (s\d\d-\d)\b", text)
        assert len(labels) >= 4
        for label in labels:
            assert 5 <= reading_times.exercise_minutes(label) <= 240
    assert reading_times.minutes("s08-2 s08-3") == "30\xa0min"
    assert reading_times.minutes("s08-5") == "240\xa0min"
    for names in ("s08-77", "s77", "s77-1"):
        with pytest.raises(ValueError, match=names):
            reading_times.minutes(names)
    with pytest.raises(ValueError, match="expected a time such as"):
        reading_times.in_minutes("a while")


def test_what_a_page_shows_is_read_and_an_exercise_says_its_time_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = ":label: s08-1\n\nDo it (five minutes), and prove it. (Half an hour.)"
    cells = [
        ("markdown", [], "# A title\n\n" + "so many words " * 99 + "x"),  # 300 in all
        ("code", [], "line\n\n" * 24),
        ("code", ["experiment"], "line\n" * 12),
        *(("code", [tag], "line\n" * 99) for tag in ("hide-input", "remove-cell", "solution")),
        ("markdown", [], "```{exercise}\n" + text + " many words" * 999),
    ]
    found = [
        nbformat.from_dict({"cell_type": kind, "metadata": {"tags": tags}, "source": source})
        for kind, tags, source in cells
    ]
    monkeypatch.setattr(reading_times, "_cells", lambda name: found)
    assert reading_times.reading_minutes("s08_evaluation") == 2 + 2 + 1
    assert reading_times.exercise_minutes("s08-1") == 30
    with pytest.raises(ValueError, match="no exercise 's08-2' with a time"):
        reading_times.exercise_minutes("s08-2")


def test_the_guide_names_the_exercises_that_vary() -> None:
    listed = GUIDE.partition("These exercises vary:")[2].partition("The others")[0]
    assert re.findall(r"\{ref\}`(s\d\d-\d) <\1>`", listed) == list(RIGHT)


def test_weights_add_up_and_there_are_ten_projects() -> None:
    for name, size in (("tab-mark", 3), ("tab-rubric", 5)):
        table = GUIDE.partition(f":name: {name}\n")[2].partition("```")[0]
        weights = [int(number) for number in re.findall(r"^  - (\d+)$", table, re.MULTILINE)]
        assert len(weights) == size and sum(weights) == 100
    projects = GUIDE.partition(":name: tab-projects\n")[2].partition("```")[0]
    assert re.findall(r"^\* - (\d+)$", projects, re.MULTILINE) == [str(n) for n in range(1, 11)]
    hours = [int(number) for number in re.findall(r"^  - (\d+)$", projects, re.MULTILINE)]
    assert len(hours) == 10 and hours == sorted(hours) and hours[-1] >= 4 * hours[0]


def test_the_speeds_of_reading_are_stated() -> None:
    speeds = (
        f"{reading_times.WORDS} words of text and {reading_times.LINES} lines of code in a minute"
    )
    assert speeds in GUIDE


def test_a_class_of_thirty_needs_about_an_hour() -> None:
    (command,) = re.findall(r"^\$ course tournament (.*)$", GUIDE, re.MULTILINE)
    said = "--list class.txt --system swiss --rounds 7 --control 10+0.1 --workers 2"
    assert command == said and "thirty players need about an hour" in GUIDE
    entrants = tuple(tournament.Entrant(f"p{number}", "s05") for number in range(30))
    contest = tournament.Tournament(entrants, "10+0.1", "swiss", 2, 7, 0, 500, 0.5)
    hours = contest.hours(2)
    assert hours and 0.75 <= hours <= 1.25
    assert "course ladder" not in GUIDE


# The exam. What stands in bold is computed here; the answers in words are not.


def leaves(tree: Any, white: bool, alpha: float = -math.inf, beta: float = math.inf) -> Any:
    """Value and leaves visited, in the form with two halves."""
    if not isinstance(tree, list):
        return tree, 1
    count, best = 0, -math.inf if white else math.inf
    for part in tree:
        value, more = leaves(part, not white, alpha, beta)
        count += more
        best = max(best, value) if white else min(best, value)
        alpha, beta = (max(alpha, best), beta) if white else (alpha, min(beta, best))
        if alpha >= beta:
            break
    return best, count


def castlings() -> int:
    board = chess.Board("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    return sum(map(board.is_castling, board.legal_moves))


def chance_of_mate() -> Fraction:
    board = chess.Board(BACK_RANK)
    moves = list(board.legal_moves)
    return Fraction(sum("#" in board.san(move) for move in moves), len(moves))


def interval(wins: int, games: int) -> str:
    return "{:.2f} to {:.2f}".format(*s05.score_interval(wins, 0, games - wins))


def first_pawn_move() -> int:
    board, judge = chess.Board(), s12.PieceSquareEvaluator()
    board.push_san("e4")
    return round(-judge.heuristic(board))


def captures() -> str:
    board = chess.Board("4k3/8/2q5/3P1n2/4P3/8/8/4KR2 w - - 0 1")
    moves = sorted(board.generate_legal_captures(), key=lambda m: -s14.mvv_lva(board, m))
    return ", ".join(map(board.san, moves))


def mirrored() -> str:
    (board,) = s08.random_positions(1, random.Random(5))
    judge = s12.PieceSquareEvaluator()
    assert judge.heuristic(board) == judge.heuristic(board.mirror())
    return "0.4"


def games_for(margin: float, draws: float) -> int:
    return next(games for games in range(1, 9999) if _half_width(games, draws) <= margin)


def _half_width(games: int, draws: float) -> float:
    """In Elo, from the slope of the chapter's curve."""
    slope = (s24.elo_difference(0.5001) - s24.elo_difference(0.4999)) / 0.0002
    return 1.96 * slope * math.sqrt((1 - draws) / 4 / games)


TREE = [[3, 5], [2, 9], [0, 7]]
ANSWERS: dict[int, Callable[[], object]] = {
    1: lambda: sum(3**ply for ply in range(5)),
    2: castlings,
    4: lambda: chess.engine.PovScore(chess.engine.Cp(-300), chess.WHITE).black().score(),
    5: chance_of_mate,
    6: lambda: interval(6, 10),
    7: lambda: interval(60, 100),
    8: lambda: 100 * 300 // (300 + 100 + 200),
    9: lambda: s07.material(chess.Board("r3k3/8/8/8/8/8/3PP3/R2QK3 w - - 0 1")),
    10: lambda: s07.gain(
        chess.Board("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1"), chess.Move.from_uci("a7b8q")
    ),
    11: mirrored,
    12: lambda: leaves(TREE, True)[0],
    13: lambda: f"{5**4} and {sum(5**ply for ply in range(1, 5))}",
    14: lambda: leaves(TREE, True)[1],
    15: lambda: f"{30**2 + 30**2 - 1} and {30**4}",
    17: lambda: sum(5**ply for ply in range(1, 5)) / 5**4,
    19: lambda: s12.SQUARE_VALUES[chess.BLACK][chess.KNIGHT][chess.F6],
    20: lambda: 1 / (1 / 2 + 1 / 2 / 4),
    21: first_pawn_move,
    22: captures,
    23: lambda: f"{0b1011 ^ 0b0110 ^ 0b0011:b}",
    24: lambda: round(100_000 * 99_999 / 2 / 2**32, 1),
    25: lambda: s16.static_exchange(
        chess.Board("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1"), chess.Move.from_uci("d1d5")
    ),
    26: lambda: max(50, 80),
    28: lambda: (40 * 12 + 10 * (24 - 12)) // 24,
    29: lambda: round(100 * (1 - 0.95**15)),
    30: lambda: games_for(20, 0.4),
}
IN_WORDS = {3, 16, 18, 27}


def test_there_are_thirty_questions_each_with_a_chapter_and_an_answer() -> None:
    asked = re.findall(r"^\*\*(\d+)\.\*\* \((s\d\d)\) \w", EXAM, re.MULTILINE | re.ASCII)
    asked += re.findall(r"^\*\*(\d+)\.\*\* \((s\d\d)\) `", EXAM, re.MULTILINE)
    assert sorted(int(number) for number, _ in asked) == list(range(1, 31))
    assert all(chapter(one) for _, one in asked)
    assert sorted(ANSWERS.keys() | IN_WORDS) == list(range(1, 31))


@pytest.mark.parametrize("number", sorted(ANSWERS.keys() | IN_WORDS))
def test_an_answer_is_what_the_course_computes(number: int) -> None:
    box = rf"\{{admonition\}} Answer to {number}\n:class: dropdown\n\n\*\*(.*?)\.\*\* \w"
    (answer,) = re.findall(box, EXAM)
    assert number in IN_WORDS or answer == str(ANSWERS[number]())


def test_the_lines_of_three_plies_are_counted() -> None:
    assert f"a program counts {perft(chess.Board(), 3)}." in EXAM
