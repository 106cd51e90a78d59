"""What chapter s02 exports, and that it leaves the process as it was."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import chess
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

import converted_notebooks
from converted_notebooks.s02_project_setup import contested
from tests.generated import examples
from utils.exercises import check
from utils.jupyter_loader import CHAPTER_NAME, JupyterLoader, install_import_hook

quick = examples(60)


def scattered(seed: int, pieces: int) -> chess.Board:
    """Pieces put down by lot; the position need not be a legal one."""
    rng, board = random.Random(seed), chess.Board(None)
    for square in rng.sample(range(64), pieces):
        piece = chess.Piece(rng.choice(chess.PIECE_TYPES), rng.choice(chess.COLORS))
        board.set_piece_at(square, piece)
    return board


boards = st.builds(scattered, st.integers(0, 10_000), st.integers(0, 32))


def attackers(board: chess.Board) -> list[int]:
    """For each square how many pieces attack it, counted from the pieces' side."""
    counts = [0] * 64
    for square in board.piece_map():
        for target in board.attacks(square):
            counts[target] += 1
    return counts


@quick
@given(boards)
def test_no_square_is_attacked_by_more_pieces_and_ties_go_to_the_first(board: chess.Board) -> None:
    counts = attackers(board)
    assert contested(board) == counts.index(max(counts))


@quick
@given(boards)
def test_whose_turn_and_which_colours_do_not_matter(board: chess.Board) -> None:
    swapped = board.copy()
    swapped.turn = not board.turn
    for square, piece in board.piece_map().items():
        if piece.piece_type != chess.PAWN:  # pawns of the other colour attack elsewhere
            swapped.set_piece_at(square, chess.Piece(piece.piece_type, not piece.color))
    assert contested(swapped) == contested(board)


def test_the_empty_board_has_an_answer() -> None:
    assert contested(chess.Board(None)) == chess.A1


def _solution(exercise: str) -> dict[str, object]:
    """The names that the chapter's solution of an exercise defines."""
    path = JupyterLoader().notebook("s02_project_setup")
    cells = nbformat.read(path, as_version=4).cells
    place = next(n for n, cell in enumerate(cells) if f'check("{exercise}"' in cell.source)
    cell = next(cell for cell in cells[place:] if "solution" in cell.metadata.get("tags", []))
    names: dict[str, object] = {"Path": Path, "nbformat": nbformat}
    exec(cell.source, names)
    return names


@pytest.mark.parametrize(("exercise", "name"), [("s02-2", "write_chapter"), ("s02-4", "untangled")])
@pytest.mark.parametrize("right", [True, False])
def test_checks_that_import_chapters_leave_the_process_as_it_was(
    exercise: str, name: str, right: bool
) -> None:
    def wrong(*_: object) -> dict[str, str]:
        return {"s90_values": "raise OSError", "s91_names": '"knight"'}

    def state() -> tuple[object, ...]:
        chapters = [
            (name, id(module)) for name, module in sys.modules.items() if "notebooks.s" in name
        ]
        attributes = [name for name in vars(converted_notebooks) if CHAPTER_NAME.fullmatch(name)]
        return (
            list(sys.meta_path),
            install_import_hook().loader,
            sorted(chapters),
            sorted(attributes),
            sorted(JupyterLoader().converted.glob("*9?_*")),
        )

    before = state()
    assert bool(check(exercise, _solution(exercise)[name] if right else wrong)) is right
    assert state() == before


def test_an_import_of_a_later_chapter_does_not_pass_in_any_spelling() -> None:
    chapters = {
        "s90_values": "from converted_notebooks import s92_all\nVALUES = s92_all.VALUES\n",
        "s91_names": "from converted_notebooks import s92_all\nNAMES = s92_all.NAMES\n\n\n"
        "def worth(name):\n    return s92_all.VALUES[name]\n",
        "s92_all": 'NAMES = ("pawn", "knight", "bishop", "rook", "queen")\n'
        "VALUES = dict(zip(NAMES, (1, 3, 3, 5, 9)))\n",
    }
    assert "only chapters with a smaller number" in repr(check("s02-4", lambda: chapters))
