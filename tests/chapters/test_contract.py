"""A notebook that somebody else has written against the names of the search chapters."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = [
    "from utils.jupyter_loader import JupyterLoader\nJupyterLoader().load_all()",
    "%load_ext line_profiler",
    """
import chess
from converted_notebooks.s04_engine_interface import Engine, ScoredMove
from converted_notebooks.s08_evaluation import Evaluator
from converted_notebooks.s09_minimax_engine import middlegame_board
from converted_notebooks.s10_alpha_beta_engine import PLAYER_MULTIPLIER, AlphaBetaEngine
from converted_notebooks.s11_iterative_deepening import (
    IterativeAlphaBetaCached,
    cache_alpha_beta,
)
""",
    """
class CountingEvaluator(Evaluator):
    def __init__(self):
        super().__init__(value_checkmate=100, value_draw=0)
        self.stack = []

    def heuristic(self, board):
        assert len(self.stack) == self.depth_of(board)
        return super().heuristic(board)

    def depth_of(self, board):
        return len(board.move_stack) - self.root


assert AlphaBetaEngine.PLAYER_MULTIPLIER == PLAYER_MULTIPLIER


class FollowingEngine(IterativeAlphaBetaCached):
    def _evaluate_move(self, board, move, depth):
        self.evaluator.stack, self.evaluator.root = [move], len(board.move_stack)
        board.push(move)
        window = self.evaluator.value_checkmate
        score = -self._value(board, depth - 1, -window, window)
        board.pop()
        return ScoredMove(score=self.PLAYER_MULTIPLIER[board.turn] * score, move=move)

    @cache_alpha_beta
    def _value(self, board, depth, alpha, beta):
        terminal = self.evaluator.evaluate(board)
        if terminal is not None:
            return terminal
        if depth == 0:
            return self.evaluator.heuristic(board)
        for move in board.legal_moves:
            self.evaluator.stack.append(move)
            board.push(move)
            score = -self._value(board, depth - 1, -beta, -alpha)
            board.pop()
            self.evaluator.stack.pop()
            if score >= beta:
                return beta
            alpha = max(alpha, score)
        return alpha
""",
    """
for board in (middlegame_board, middlegame_board.mirror()):
    theirs = FollowingEngine(evaluator=CountingEvaluator(), max_look_ahead_depth=2)
    ours = AlphaBetaEngine(Evaluator(100, 0), 2)
    found, expected = theirs.analyse(board), ours.analyse(board)
    assert [e.score for e in found] == [e.score for e in expected]
    assert {e.move for e in found} == set(board.legal_moves)
    assert isinstance(theirs, Engine) and theirs.play(board).move == found[0].move
""",
    """
board = middlegame_board.copy()
plain = AlphaBetaEngine(evaluator=Evaluator(100, 0), max_look_ahead_depth=2)
%lprun -f AlphaBetaEngine._value plain.analyse(board)
""",
    """
theirs = FollowingEngine(evaluator=CountingEvaluator(), max_look_ahead_depth=2)
%lprun -f FollowingEngine._value.__wrapped__ theirs.analyse(board)
""",
]


def test_it_runs_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    # Its own notebook has no set-up of the course: profiles go to a file to be seen.
    cells = [cell.replace("%lprun -f", "%lprun -T profile.txt -f") for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    client = NotebookClient(notebook, timeout=120, kernel_name="python3")
    with client.setup_kernel(cwd=str(tmp_path)):
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
            if "lprun -T" in cell.source:
                profile = (tmp_path / "profile.txt").read_text(encoding="utf-8")
                assert "_value" in profile and "% Time" in profile
                line = next(line for line in profile.splitlines() if "board.push(move)" in line)
                assert int(line.split()[1]) > 50, "hits"
