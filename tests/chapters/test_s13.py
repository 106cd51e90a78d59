"""The incremental score is the full sum, and the search with it the same search.

That the score follows every kind of move is a contract in test_contract.
"""

from __future__ import annotations

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from converted_notebooks.s09_minimax_engine import middlegame_board
from converted_notebooks.s11_iterative_deepening import IterativeAlphaBetaCached
from converted_notebooks.s12_piece_square_tables import PieceSquareEvaluator
from converted_notebooks.s13_incremental_evaluation import (
    IncrementalEngine,
    IncrementalEvaluator,
    QuickEndEvaluator,
    castling_squares,
    drawn_by_rule,
    surely_moves,
)
from tests.helpers.generated import examples
from tests.helpers.positions import RICH, STARTS, positions
from tests.helpers.properties import assert_same_scores, random_values, unchanged
from utils.exercises.s13 import STUCK


@given(number=st.integers(0, 959))
@example(number=518)  # ordinary chess
@examples()
def test_castling_squares_are_those_of_the_rules(number: int) -> None:
    board = chess.Board.from_chess960_pos(number)
    board.chess960 = number != 518  # there castling is written e1g1
    for square in chess.SquareSet(board.occupied & ~board.kings & ~board.rooks):
        board.remove_piece_at(square)
    for turn in chess.COLORS:
        board.turn = turn
        for move in filter(board.is_castling, list(board.legal_moves)):
            king_to, rook, rook_to = castling_squares(board, move)
            rooks, after = board.pieces(chess.ROOK, turn), board.copy()
            after.push(move)
            assert after.king(turn) == king_to
            assert set(after.pieces(chess.ROOK, turn)) == set(rooks) - {rook} | {rook_to}


@given(board=positions(60))
@examples(60)
def test_the_score_after_a_move_is_known_before_it(board: chess.Board) -> None:
    evaluator = IncrementalEvaluator(random_values(3))
    evaluator.init(board)
    for move in [*board.legal_moves, chess.Move.null()]:
        score = evaluator.score_after(move)
        after = board.copy(stack=False)
        after.push(move)
        assert score == -evaluator.heuristic(after)
        assert evaluator.get_score() == evaluator.heuristic(board), "nothing is pushed"


class WithoutObjects(chess.Board):
    """A board that builds no pieces once it is told so."""

    armed = False

    def piece_at(self, square: chess.Square) -> chess.Piece | None:
        assert not self.armed, "piece_at was called"
        return super().piece_at(square)

    def piece_map(self, *, mask: int = chess.BB_ALL) -> dict[chess.Square, chess.Piece]:
        assert not self.armed, "piece_map was called"
        return super().piece_map(mask=mask)


@pytest.mark.parametrize("fen", RICH)
def test_following_moves_builds_no_pieces(fen: str) -> None:
    board = WithoutObjects(fen)
    evaluator = IncrementalEvaluator()
    evaluator.init(board)
    moves = [*board.legal_moves, chess.Move.null()]
    board.armed = True
    for move in moves:
        evaluator.push(move)
        evaluator.get_score()
        evaluator.pop()
    with pytest.raises(AssertionError, match="piece_map was called"):
        evaluator.init(board)


def test_evaluators_start_at_the_start_position_and_share_nothing() -> None:
    first, second = IncrementalEvaluator(), IncrementalEvaluator()
    first.push(chess.Move.from_uci("e2e4"))
    assert second.get_score() == 0
    first.pop()
    assert first.get_score() == 0


@example(board=chess.Board(STARTS[2]))
@given(board=positions(max_plies=30))
@examples(12)
def test_the_search_is_that_of_the_full_evaluation(board: chess.Board) -> None:
    """Scores, order and counts, with values in which every mistake shows."""
    # 32 pieces of 400 at most are less than a mate, which would end the search after one ply.
    values = [[[v // 2500 for v in table] for table in side] for side in random_values(3)]
    moves = board.legal_moves.count()
    depth = 3 if moves < 16 else 2 if moves < 30 else 1
    full = IterativeAlphaBetaCached(PieceSquareEvaluator(values), depth)
    following = IncrementalEngine(IncrementalEvaluator(values), depth)
    for engine in (full, following):
        engine.play(board)  # one window for all root moves, so nodes are cut off
    assert full.statistics == following.statistics
    told = [[(i.depth, i.best, i.nodes) for i in one.iterations] for one in (full, following)]
    assert told[0] == told[1] and (told[0][-1][0] == depth or abs(told[0][-1][1].score) == 30_000)
    for engine in (full, following):
        engine.new_game()
    assert_same_scores(following, full, board)
    assert full.statistics == following.statistics and following.statistics.nodes > 0


def test_a_search_adds_up_all_pieces_only_once() -> None:
    class Counting(IncrementalEvaluator):
        """Counts full sums."""

        sums = 0

        def heuristic(self, board: chess.Board) -> float:
            self.sums += 1
            return super().heuristic(board)

    evaluator = Counting()
    before = evaluator.sums
    engine = IncrementalEngine(evaluator, 2)
    scored = engine.analyse(middlegame_board)
    assert engine.statistics.leaves > 1000
    assert scored and evaluator.sums - before == 1


ENDS = [  # of every kind, some only nearly
    "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1",
    "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 100 99",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 100 99",
    "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
    "8/8/4k3/8/8/4KN2/8/8 w - - 0 1",
    "8/8/4k3/8/8/3NKN2/8/8 w - - 0 1",
    "8/8/4kb2/8/8/4KB2/8/8 w - - 0 1",
    "8/8/4kb2/8/8/4K1B1/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K3 w - - 99 99",
    "4k3/8/8/8/8/8/8/R3K3 w - - 100 99",
    *(fen for fen, _ in STUCK),
    "4k3/8/8/8/1p2n3/1Pp5/2P4K/N4q2 w - - 0 1",  # its own pawns shut the knight in
]


@pytest.mark.parametrize("fen", ENDS)
def test_the_quick_test_for_the_end_gives_the_same_answers(fen: str) -> None:
    quick, plain = QuickEndEvaluator(), IncrementalEvaluator()
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        assert quick.evaluate(board) == plain.evaluate(board)


@given(board=positions() | positions(20, ["4k3/7r/8/8/8/8/8/R3K3 w - - 0 1"], retreats=True))
@examples(60)
def test_the_quick_test_agrees_after_every_move(board: chess.Board) -> None:
    quick, plain = QuickEndEvaluator(), IncrementalEvaluator()
    for move in list(board.legal_moves):
        board.push(move)
        with unchanged(board):
            assert quick.evaluate(board) == plain.evaluate(board)
            assert not surely_moves(board) or any(board.legal_moves)
        board.pop()


def test_the_quick_test_sees_a_free_pawn_and_a_free_knight() -> None:
    assert surely_moves(chess.Board())
    assert surely_moves(chess.Board("4k3/8/8/8/8/8/8/R3KN2 w - - 0 1")) is False, (
        "on the king's line"
    )
    assert surely_moves(chess.Board("4k3/8/8/8/8/5N2/8/R3K3 w - - 0 1"))
    assert not surely_moves(chess.Board("4k3/8/8/8/8/8/P7/4K2r w - - 0 1")), "in check"
    assert not surely_moves(chess.Board("8/8/8/8/8/5N2/8/8 w - - 0 1")), "no king"


def test_a_mate_with_the_hundredth_ply_is_no_draw_by_rule() -> None:
    mated = chess.Board("3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 100 99")
    escaping = chess.Board("3R2k1/5pp1/8/8/8/8/5PPP/6K1 b - - 100 99")
    for board, drawn in ((mated, False), (escaping, True)):
        assert drawn_by_rule(board) is drawn_by_rule(board.mirror()) is drawn
