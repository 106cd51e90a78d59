"""What every engine, evaluator and key of the course promises; and a notebook by somebody else."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import chess
import chess.engine
import nbformat
import pytest
from hypothesis import given
from nbclient import NotebookClient

from converted_notebooks.s04_engine_interface import ask, finished
from converted_notebooks.s08_evaluation import Evaluator, MobilityEvaluator
from converted_notebooks.s09_minimax_engine import middlegame_board
from converted_notebooks.s12_piece_square_tables import PieceSquareEvaluator
from converted_notebooks.s13_incremental_evaluation import IncrementalEngine, IncrementalEvaluator
from converted_notebooks.s14_move_ordering import OrderedEngine
from converted_notebooks.s15_transposition_table import HASHER, TableEngine, ZobristKey
from converted_notebooks.s16_quiescence_search import QuiescenceEngine
from converted_notebooks.s17_selective_search import SelectiveEngine
from converted_notebooks.s18_positional_evaluation import PositionalEvaluator
from tests.helpers.generated import examples
from tests.helpers.positions import CHESS960, RICH, positions, retreat
from tests.helpers.properties import (
    assert_analysis,
    assert_follows_moves,
    assert_mirrored_evaluation,
    assert_mirrored_scores,
    assert_plays,
    assert_repeats,
    assert_same_game,
    assert_terminal_scores,
    by_move,
    random_values,
)
from utils.engines import ENGINES, make_engine

Limit = chess.engine.Limit
ONE_PLY = Limit(depth=1)
EXACT = [chapter for chapter in ENGINES if "s08" <= chapter <= "s15"]
"""Those that leave nothing out and choose among the best moves only."""
FEW_MOVES = [
    "8/8/8/8/3k4/8/1r4P1/K7 w - - 97 120",
    "8/P6k/8/8/8/8/6pp/5K2 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
]
# Won for White; the first is from a game that was repeated away.
AHEAD = [
    "7Q/p4k2/8/8/3P4/3B4/PP3PPP/3R2K1 w - - 0 1",
    "2b2k2/5p2/p7/1p6/8/1QN3P1/5P1P/3R2K1 w - - 0 1",
    "6k1/pp3pp1/8/8/3R4/2BN4/PP3PPP/6K1 w - - 0 1",
    "4r1k1/5ppp/8/8/8/2N2Q2/PPP2PPP/2K5 w - - 0 1",
]
# Rich in promotions, en passant and castling; the last ones in Chess960.


@pytest.mark.parametrize("chapter", ENGINES)
@given(board=positions(max_plies=20))
@examples(4)
def test_every_legal_move_is_scored_and_a_best_one_played(chapter: str, board: chess.Board) -> None:
    engine = make_engine(chapter)
    scored = assert_analysis(engine, board, ONE_PLY)
    engine.new_game(random.Random(0))
    move = assert_plays(engine, board, ONE_PLY)
    if chapter in EXACT:
        assert by_move(scored)[move] == scored[0].score


@pytest.mark.parametrize("chapter", ["s07", *EXACT])
@given(board=positions(max_plies=20))
@examples(4)
def test_with_colours_exchanged_scores_are_opposite(chapter: str, board: chess.Board) -> None:
    assert_mirrored_scores(make_engine(chapter), board, ONE_PLY)


@pytest.mark.parametrize("chapter", ENGINES)
def test_the_same_seed_gives_the_same_moves(chapter: str) -> None:
    for fen in FEW_MOVES:
        board = chess.Board(fen)
        assert_repeats(lambda rng: make_engine(chapter, rng), board, ONE_PLY)
    assert_same_game(make_engine(chapter), ONE_PLY, max_plies=16)


@pytest.mark.parametrize("chapter", ENGINES)
@pytest.mark.parametrize("fen", ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"])
def test_a_finished_game_has_no_move(chapter: str, fen: str) -> None:
    engine = make_engine(chapter)
    assert engine.analyse(chess.Board(fen)) == []
    if chapter >= "s11":
        assert engine.play(chess.Board(fen)).move is None


# Searches that follow the moves

FOLLOWING: list[Callable[[IncrementalEvaluator], IncrementalEngine]] = [
    IncrementalEngine,
    OrderedEngine,
    TableEngine,
    lambda evaluator: TableEngine(evaluator, use_values=False),
    QuiescenceEngine,
    SelectiveEngine,
    lambda evaluator: SelectiveEngine(PositionalEvaluator()),
]


@pytest.mark.parametrize("build", FOLLOWING)
@pytest.mark.parametrize("nodes", [0, 7, 200])
def test_a_limit_of_nodes_is_kept_and_leaves_no_trace(
    build: Callable[[IncrementalEvaluator], IncrementalEngine], nodes: int
) -> None:
    """A stopped search repeats, and the next one finds what a new engine finds."""
    used, new = build(IncrementalEvaluator()), build(IncrementalEvaluator())
    moves = [assert_plays(engine, middlegame_board, Limit(nodes=nodes)) for engine in (used, new)]
    assert moves[0] == moves[1] and used.statistics == new.statistics
    # Selective searches visit a position again, with less depth or another window.
    again = 2 if isinstance(used, SelectiveEngine) else 1
    assert used.statistics.nodes <= nodes and used.statistics.visited <= again * nodes + 1
    for fen in FEW_MOVES:
        board = chess.Board(fen)
        used.new_game()
        fresh = build(IncrementalEvaluator())
        assert used.play(board).move == fresh.play(board).move
        assert used.statistics == fresh.statistics and used.iterations == fresh.iterations
        if isinstance(used, OrderedEngine):
            assert used.evaluator.get_score() == used.evaluator.heuristic(board)
        if isinstance(used, TableEngine):
            assert used.keys.key() == HASHER(board)


# Evaluators and keys


@pytest.mark.parametrize(
    "kind", [Evaluator, MobilityEvaluator, PieceSquareEvaluator, PositionalEvaluator]
)
@given(board=positions())
@examples(15)
def test_an_evaluator_is_fair_and_knows_the_end_of_a_game(
    kind: type[Evaluator], board: chess.Board
) -> None:
    evaluator = kind()
    assert_mirrored_evaluation(evaluator, board)
    mate, draw = evaluator.value_checkmate, evaluator.value_draw
    assert_terminal_scores(evaluator, board, mate, draw)
    assert abs(evaluator.heuristic(board)) < mate


@pytest.mark.parametrize(
    "build",
    [IncrementalEvaluator, PositionalEvaluator, lambda: IncrementalEvaluator(random_values(1))],
)
@pytest.mark.parametrize("chess960", [False, True])
def test_a_score_that_follows_the_moves_is_the_full_one(
    build: Callable[[], IncrementalEvaluator], chess960: bool
) -> None:
    @given(board=positions(starts=CHESS960 if chess960 else RICH, chess960=chess960))
    @examples(40)
    def follows(board: chess.Board) -> None:
        evaluator = build()
        assert_follows_moves(evaluator, board, evaluator.get_score, build().heuristic)

    follows()


@pytest.mark.parametrize("chess960", [False, True])
def test_a_key_that_follows_the_moves_is_the_full_one(chess960: bool) -> None:
    @given(board=positions(starts=CHESS960 if chess960 else RICH, chess960=chess960))
    @examples(40)
    def follows(board: chess.Board) -> None:
        key = ZobristKey()
        assert_follows_moves(key, board, key.key, HASHER)

    follows()


# A notebook against the names of the search chapters

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


def test_cells_that_users_know_run_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize("chapter", [chapter for chapter in ENGINES if chapter >= "s09"])
def test_no_engine_repeats_a_won_game_away(chapter: str) -> None:
    """Black steps back to where it was whenever it can; White is two pieces ahead or more."""
    limit = Limit(nodes=400) if chapter >= "s11" else None
    for start in AHEAD:
        board, engine = chess.Board(start), make_engine(chapter, random.Random(1))
        engine.new_game()
        while finished(board) is None and len(board.move_stack) < 50:
            if board.turn == chess.WHITE:
                board.push(ask(engine, board, limit) or chess.Move.null())
            else:
                board.push(retreat(board) or next(iter(board.legal_moves)))
        assert finished(board) in (None, ("1-0", "checkmate")), f"{chapter} {board.fen()}"
