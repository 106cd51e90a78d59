"""Answers to exercises beside the solution: what is right passes, what is wrong gets its hint.

Each answer is the solution of the notebook with one place changed.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

import converted_notebooks
from book.builder.contents import chapters_to_test
from utils.jupyter_loader import JupyterLoader, install_import_hook
from utils.notebook.nbgrader_export import CHECK

CHAPTERS = {name.partition("_")[0]: name for name in chapters_to_test()}
PASSED = "passed."


@functools.cache
def code_cells(name: str) -> list[Any]:
    """The cells of a chapter that hold code."""
    notebook = nbformat.read(JupyterLoader().notebook(name), as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outcome(label: str, old: str, new: str) -> str:
    """What the check says of the solution with `new` in the place of `old`."""
    name = CHAPTERS[label.partition("-")[0]]
    cells = code_cells(name)
    at = next(n for n, c in enumerate(cells) if (m := CHECK.search(c.source)) and m[1] == label)
    stub, check = cells[at - 1].source, cells[at].source
    solution = next(c for c in cells[at:] if "solution" in c.metadata.get("tags", [])).source
    assert solution.count(old) == 1, solution
    names: dict[str, Any] = {}
    for cell in cells[:at]:  # a reader's kernel has what the chapter imports, and its names
        for node in ast.parse(TransformerManager().transform_cell(cell.source)).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                exec(ast.unparse(node), names)
    exec(f"from converted_notebooks.{name} import *", names)
    exec("from utils.exercises import check", names)
    exec(stub, names)
    exec(solution.replace(old, new), names)
    exec(CHECK.sub(lambda match: f"result = {match[0]}", check), names)
    return str(names["result"])


WRONG = [
    ("s01-1", "len(parts) != 6", "len(parts) not in (5, 6)", "Raise a ValueError"),
    ("s01-1", "len(parts) != 6", "len(parts) not in (6, 7)", "Raise a ValueError"),
    ("s01-1", 'fen.split(), {"w"', 'fen.split(), {"W": "White", "w"', "Raise a ValueError"),
    (
        "s01-5",
        "        if saved:\n            return False\n    return True",
        "        if not saved:\n            return True\n    return False",
        "there is no mate in one",
    ),
    ("s02-2", "nbformat.write(notebook, path)", "raise OSError", "your code raised OSError"),
    (
        "s02-4",
        '"s91_names": (\n            "from converted_notebooks.s90_values import',
        '"s92_late": "N = 1",\n        "s91_names": (\n'
        '            "from converted_notebooks import s92_late\\n"\n'
        '            "from converted_notebooks.s90_values import',
        "only chapters with a smaller number",
    ),
    ("s03-1", " b ", " w ", "Whose turn"),
    ("s03-1", "kq", "KQkq", "Only Black"),
    ("s03-1", "e3", "-", "skip"),
    ("s03-1", " 0 ", " 1 ", "last pawn move"),
    ("s03-1", "12", "13", "twelfth"),
    ("s03-1", "3pP3", "3Pp3", "first field"),
    ("s03-1", " 0 12", "", "six fields"),
    ("s03-1", "3pP3", "3pP4", "cannot read"),
    ("s03-2", "chess.square_mirror(move.from_square)", "move.from_square", "not legal"),
    ("s03-2", "chess.square_mirror(move.from_square)", "63 - move.from_square", "files"),
    ("s03-2", "        move.promotion,\n", "", "promotion"),
    ("s03-3", "knights & ~chess.BB_FILE_H, knights & ~chess.BB_FILE_A", "knights, knights", "wrap"),
    ("s03-3", " & chess.BB_ALL", "", "beyond h8"),
    ("s03-3", "near << 16 | ", "", "also attack"),
    ("s03-4", "if depth == 1", "if True", "Count only the last move"),
    ("s03-4", "board.is_en_passant(move)", "0", "en passant"),
    ("s03-4", "move.promotion is not None", "0", "promotions"),
    ("s03-4", "board.is_checkmate()", "0", "mates"),
    ("s03-5", "in differences(ours, theirs)", "in ()", "returned None"),
    ("s03-5", "set(ours) ^ set(theirs)", "set(ours) - set(theirs)", "raised ValueError"),
    ("s03-5", "[], odd", "[], set(differences(ours, theirs))", "the lists differ in"),
    ("s03-5", "board.pop()", "pass", "not popped"),
    ("s03-6", "board.epd()", "(board.board_fen(), board.turn, board.castling_rights)", "en p"),
    ("s03-6", "board.epd()", "(board.board_fen(), board.turn, board.ep_square)", "castle"),
    ("s03-6", "board.epd(), depth", "board.epd(), 0", "depth"),
    ("s04-4", "black_clock=left[chess.BLACK]", "black_clock=left[chess.WHITE]", "clocks"),
    ("s05-1", "return Fraction(sum", "return 0.05 or Fraction(sum", "Return a Fraction"),
    ("s05-5", "(engine, engine", "(engine, RandomEngine(random.Random())", "both"),
    ("s07-3", "board.legal_moves", "board.pseudo_legal_moves", "the rook protects it"),
    ("s07-2", "board.generate_legal_captures()", "board.legal_moves", "expected None"),
    ("s08-4", "(board for", "(chess.Board() for", "Return the first position that fails"),
    ("s08-4", "most, rng", "most, random.Random(2)", "Return the first position that fails"),
    ("s09-4", 'float("-inf")', "-self.evaluator.value_checkmate", "Where does `best` begin?"),
    ("s11-6", "stored != depth", "False", "were kept beside"),
    ("s12-7", "(chess.KNIGHT, chess.BISHOP):\n ", "TABLES:\n ", "stay"),
    ("s13-2", "self._scores[-1] + (won", "material(board) + (won", "not count the board again"),
    (
        "s13-3",
        "count = self._counts[-1]",
        "count = chess.popcount(self._board.occupied & ~self._board.pawns & ~self._board.kings)",
        "not count the board again",
    ),
    ("s13-5", "own & ~LINES[king]", "own & ~chess.BB_SQUARES[king]", "pinned"),
    ("s13-5", "own & ~LINES[king]", "own & ~chess.BB_DIAG_ATTACKS[king][0]", "on the file"),
    ("s13-5", " or board.is_check()", "", "in check"),
    ("s13-5", "steps & ~board.occupied", "steps", "blocked"),
    ("s13-5", "pawns << 8 if board.turn == chess.WHITE else pawns >> 8", "pawns << 8", "Black"),
    ("s13-5", "chess.scan_forward(free & ~board.pawns)", "()", "recognised"),
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "KILLER_SCORE + 10", "A killer comes before"),
    (
        "s15-5",
        "super().put(entry)\n",
        "if not old or entry.depth >= old.depth:\n            self._entries[place] = entry\n",
        "earlier search gives way",
    ),
    ("s16-2", "-8 if board.turn == chess.WHITE else 8", "-8", "En passant"),
    ("s17-3", "below *= 2", "below = math.inf", "Double the distance"),
    ("s17-4", "here == self._forbidden or not", "not", "passed 2 times"),
    ("s18-3", "chess.BB_RANK_4 | ", "", "The fourth rank counts"),
    (
        "s20-2",
        "    return result",
        "    board.make(move)\n    board.unmake()\n    return result",
        "do not make the move",
    ),
    ("s21-3", "abs(score) <= 15", "score <= 15", "-16 is not within 15"),
    ("s22-1", 'words[words.index("depth") + 1]', "re.search(r'depth (\\d+)', line)[1]", "seldepth"),
    ("s22-4", "        busy.clear()\n        say(f", "        say(f", "at once after a 'bestmove'"),
    ("s22-6", "self.analyse(board, limit)", "self.analyse(board)", "Pass the limit"),
    ("s22-6", "self.rng = rng or self.rng", "self.rng = rng", "AttributeError"),
]
SLOW = [
    ("s03-6", "if key not in known:", "if True:", "were listed"),
    ("s17-3", "if failures == 4:", "if failures == 7:", "open both sides"),
    ("s17-3", "if failures == 4:", "if failures == 1:", "Double the distance"),
]
# Published counts: https://www.chessprogramming.org/Perft_Results
BY_KIND = """    published = {
        (chess.STARTING_FEN, 3): {"leaves": 8902, "captures": 34, "checks": 12},
        (KIWIPETE, 2): {
            "leaves": 2039, "captures": 351, "en passant": 1, "castles": 91, "checks": 3
        },
    }
    if known := published.get((board.fen(), depth)):
        return Counter(known)
"""

RIGHT = [
    ("s02-2", "sorted(tags)", "list(tags)"),
    ("s02-4", "return VALUES[name]", "return dict(VALUES)[name]"),
    pytest.param(
        *("s03-4", "    kinds: Counter", BY_KIND + "    kinds: Counter"), marks=pytest.mark.slow
    ),
    (
        "s06-1",
        "return key, origin + target + promotion, weight",
        "return [key, origin + target + promotion, weight]",
    ),
    ("s08-5", "0.15 * hits", "0.15 * hits * (chess.popcount(board.occupied) < 10)"),
    ("s11-4", "0.95 * clock if moves_left <= 1", "clock if moves_left <= 1"),
    ("s20-1", "(plies + 1) // 2", "plies // 2 + 1"),
    ("s21-4", "return scores[25], scores[974]", "return [scores[25], scores[974]]"),
]


@pytest.fixture(autouse=True)
def the_process_stays_as_it_was() -> Iterator[None]:
    """Checks that make chapters of their own (s90 and later) leave nothing behind."""

    def state() -> tuple[object, ...]:
        names = [*sys.modules, *vars(converted_notebooks)]
        return (
            list(sys.meta_path),
            install_import_hook().loader,
            [name for name in names if re.search(r"\bs9\d_", name)],
            sorted(JupyterLoader().converted.glob("s9*")),
        )

    before = state()
    yield
    assert state() == before


@pytest.mark.parametrize(
    ("label", "old", "new", "hint"),
    [*WRONG, *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)],
)
def test_a_wrong_answer_gets_the_hint_that_helps(label: str, old: str, new: str, hint: str) -> None:
    said = outcome(label, old, new)
    assert hint in said and not said.endswith(PASSED)


@pytest.mark.parametrize(("label", "old", "new"), RIGHT)
def test_a_right_answer_in_another_form_passes(label: str, old: str, new: str) -> None:
    assert outcome(label, old, new).endswith(PASSED)
