"""Variants by seed: what is right there passes, and the book's answers do not."""

from __future__ import annotations

import itertools
import re

import pytest

import utils.exercises
from book.builder.contents import chapters
from tests.exercises.test_answers import CHAPTERS, PASSED, answers, said_of, whole
from utils.exercises import check, exercise, variant, varied
from utils.notebook.nbgrader_export import CHECK, changes, student_version

RIGHT = {
    "s03-1": {
        "": "b = chess.Board('r3k2r/8/8/8/3pP3/8/5PPP/6K1 b kq e3 0 12')\n"
        "b.set_piece_at(chess.parse_square('{rook[1]}'[-2:]), chess.Piece.from_symbol('R'))\n"
        "b.fullmove_number = {number[1]}\n"
        "answer = b.fen(en_passant='fen')\n"
    },
    "s03-3": {"1.0 if": "{win[1]} if"},
    "s04-2": {
        "return super().play(board, limit)": (
            "return chess.engine.PlayResult("
            "{other[1].__name__}(board.legal_moves, key=chess.Move.uci), None)"
        )
    },
    "s05-3": {"> margin": "> margin * {part[1]} / 2"},
    "s06-3": {
        '"1-0": 2': '"1-0": {win[1]}',
        "else 2 - white": "else {{0: {win[1]}, 1: 1}}.get(white, 0)",
    },
    "s07-1": {"piece_type, 0)": "piece_type, {missing[1]})"},
    "s08-2": {"0.5": "{pair[1]}"},
    "s08-3": {"0.1": "{worth[1]}"},
    "s09-4": {"value_checkmate + depth": "{weight[0]}"},
    "s10-2": {"alpha >= beta": "{stops[0]}", "in tree:": "in tree[::{step[1]}]:"},
    "s11-1": {"range(1,": "range({first[1]},"},
    "s12-1": {
        "": "def worth_of(side, piece, _on, place):\n"
        "    kind = chess.PIECE_NAMES.index(piece)\n"
        "    return SQUARE_VALUES[side == 'white'][kind][chess.parse_square(place)]\n"
        "worth = {{name: worth_of(*name.split()) for name in worth}}\n"
    },
    "s13-1": {
        "": "from converted_notebooks.s12_piece_square_tables import PieceSquareEvaluator\n"
        "for san in gains:\n"
        "    after = by_hand_board.copy()\n"
        "    after.push_san(san)\n"
        "    here, there = map(PieceSquareEvaluator().heuristic, (by_hand_board, after))\n"
        "    gains[san] = -there - here\n"
    },
    "s14-1": {
        "": "captures = sorted(banquet.generate_legal_captures(), "
        "key=lambda m: -mvv_lva(banquet, m))\n"
        "answer = [banquet.san(move) for move in captures]\n"
    },
    "s14-4": {"amount // 2": "amount // {part[1]}", "amount > 1": "amount >= {part[1]}"},
    "s15-3": {
        "        for square in board.pieces(chess.PAWN, color):\n"
        "            key ^= numbers[color][chess.PAWN][square]": (
            "        for kind in {kinds[1]}:\n"
            "            for square in board.pieces(kind, color):\n"
            "                key ^= numbers[color][kind][square]"
        )
    },
    "s16-2": {"> 0": "> {least[1]}"},
    "s17-2": {"0.5": "{add[1]}", "/ 2": "{over[0]}"},
    "s18-1": {"30 * 6 + 6 * 18": "{opening[1]} * 6 + {ending[1]} * 18"},
    "s18-3": {
        "chess.BB_RANK_4 | chess.BB_RANK_5 | chess.BB_RANK_6": (
            "sum(chess.BB_RANKS[int(rank) - 1] for rank in '{ranks[1]}')"
        )
    },
    "s18-4": {"10 * away + 4 *": "{rim[1]} * away + {near[1]} *"},
    "s19-1": {
        "4, 24, 36": "4, 4 * ({size[1]} - 2), ({size[1]} - 2) ** 2\nsquares = {size[1]} ** 2",
        "(64 - 4)": "(squares - 4)",
        "(64 - 6)": "(squares - 6)",
        "(64 - 9)": "(squares - 9)",
        "pairs * 62": "pairs * (squares - 2)",
    },
    "s24-1": {"1.96": "{z[1]}"},
    "s24-3": {
        "len(scores) >= 8 and min(scores[-8:]) >= 500": (
            "len(scores) >= {run[1]} and min(scores[-{run[1]}:]) >= {least[1]}"
        ),
        "len(scores) >= 8 and max(scores[-8:]) <= -500": (
            "len(scores) >= {run[1]} and max(scores[-{run[1]}:]) <= -{least[1]}"
        ),
    },
    "s25-2": {"400": "{scale[1]}"},
}
"""How the book's solution has to be changed for a variant, with its words [0] and values [1]."""

SEEDS = (1, 2, 3)
TESTED = {label: part for label, part in RIGHT.items() if label.partition("-")[0] in CHAPTERS}


@pytest.mark.parametrize("label", TESTED)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_right_answer_to_a_variant_passes_and_the_books_does_not(label: str, seed: int) -> None:
    values = variant(label, seed)
    right = {old: new.format_map(values) for old, new in TESTED[label].items()}
    assert said_of(label, right, seed).endswith(PASSED)
    assert not said_of(label, {}, seed).endswith(PASSED)
    assert said_of(label, {}).endswith(PASSED)


OTHERS = [
    pytest.param(*answer.values[:3], marks=answer.marks)
    if hasattr(answer, "values")
    else answer[:3]
    for answer in (*answers("RIGHT"), *answers("WRONG"))
    if (answer.values if hasattr(answer, "values") else answer)[0] in RIGHT
]


@pytest.mark.parametrize(("label", "old", "new"), OTHERS)
def test_no_other_answer_to_the_books_exercise_passes_a_variant(
    label: str, old: str, new: str
) -> None:
    assert not said_of(label, {old: new}, SEEDS[0]).endswith(PASSED)


def exercises() -> list[str]:
    """The labels of all exercises."""
    found = (CHECK.search(cell.source) for name in chapters() for cell in whole(name).cells)
    return [match[1] for match in found if match]


def test_the_exercises_that_vary_are_those_whose_variants_are_tested() -> None:
    assert [label for label in exercises() if variant(label, None)] == list(RIGHT)
    assert len(RIGHT) >= 20
    present = {label.partition("-")[0] for label in RIGHT}
    assert len(present & {f"s{number:02}" for number in range(3, 20)}) >= 15


def test_two_seeds_give_different_sheets_and_one_seed_the_same() -> None:
    sheets = {seed: [changes(whole(name), seed) for name in chapters()] for seed in range(40)}
    for one, other in itertools.combinations(sheets.values(), 2):
        assert sum(a != b for a, b in zip(one, other, strict=True)) >= 5
    assert sheets[7] == [changes(whole(name), 7) for name in chapters()]
    assert sum(map(len, sheets[0])) == len(RIGHT)
    # On any machine, in any version of Python.
    assert [variant("s12-1", 7)[part][0][-2:] for part in ("pawn", "rook")] == ["d3", "h4"]


@pytest.mark.parametrize("name", chapters())
def test_a_sheet_differs_from_the_book_in_exercises_that_vary_and_their_checks_know_it(
    name: str,
) -> None:
    plain, sheet = student_version(whole(name)).cells, student_version(whole(name), 5).cells
    expected = {label for label in RIGHT if label.startswith(name[:3])}
    texts, checks = set[str](), set[str]()
    for before, after in zip(plain, sheet, strict=True):
        if before.source == after.source:
            continue
        label = re.search(r":label: (\S+)", after.source)
        place = after.metadata.get("nbgrader", {}).get("grade_id", label and label[1])
        (texts if place.count("-") == 1 or place.endswith("-answer") else checks).add(place[:5])
        assert place.endswith("-check") == (", seed=5)\nassert checked" in after.source)
    assert texts == checks == expected


def test_words_that_are_not_in_the_text_are_an_error_that_names_them() -> None:
    @exercise("s04-97", size={"two": 2, "three": 3}, other=(5, 7, 9))
    def _(answer: int, size: int, other: int) -> None:
        assert (answer == size) and other

    (text,) = varied(["take two of 5, not 15, 5.5 or twofold"], "s04-97", 1)
    assert re.fullmatch(r"take (two|three) of \d, not 15, 5\.5 or twofold", text)
    with pytest.raises(ValueError, match=r"s04-97: expected \['two'\]"):
        varied(["take 5"], "s04-97", 1)
    draws = {tuple(value for _, value in variant("s04-97", seed).values()) for seed in range(99)}
    assert draws == set(itertools.product((2, 3), (5, 7, 9))) - {(2, 5)}
    assert check("s04-97", 2) and variant("s04-97", None)["other"] == ("5", 5)


def test_checks_come_back_after_an_edit_of_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Autoreload executes the package alone; its modules stay imported."""
    assert variant("s05-1", None) is not None
    monkeypatch.setattr(utils.exercises, "_CHECKS", {})
    assert variant("s05-1", None) is not None
    with pytest.raises(ValueError, match="no exercise 's05-99'"):
        variant("s05-99", None)
