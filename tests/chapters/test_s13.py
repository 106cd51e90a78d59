"""The incremental score is the full sum, after every push and pop, whatever the moves."""

from __future__ import annotations

import random
from collections import Counter

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks.s07_material_engine import material
from converted_notebooks.s09_minimax_engine import middlegame_board
from converted_notebooks.s11_iterative_deepening import (
    IterativeAlphaBetaCached,
    LimitedBoard,
    LimitReachedError,
)
from converted_notebooks.s12_piece_square_tables import (
    SQUARE_VALUES,
    PieceSquareEvaluator,
    SquareValues,
)
from converted_notebooks.s13_incremental_evaluation import (
    IncrementalEngine,
    IncrementalEvaluator,
    castling_squares,
)
from tests.generated import examples
from tests.positions import STARTS, positions
from utils.exercises import check

# Rich in promotions, en passant and castling; the last ones in Chess960.
RICH = [
    *STARTS,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/2p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P2/4K3 w - - 0 1",
    "rn2k2r/P1P3P1/8/8/8/8/p1p3p1/RN2K2R b KQkq - 0 1",
]
CHESS960 = [
    "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
    "rk5r/8/8/8/8/8/8/RK5R w HAha - 0 1",
    "r5kr/8/8/8/8/8/8/R5KR b HAha - 0 1",
]


def lots(seed: int) -> SquareValues:
    """Values in which hardly any two entries are equal, so that every mistake shows."""
    rng = random.Random(seed)
    return [
        [[0] * 64, *([rng.randrange(-(10**6), 10**6) for _ in range(64)] for _ in range(6))]
        for _ in chess.COLORS
    ]


def kind_of(board: chess.Board, move: chess.Move) -> str:
    if not move:
        return "null"
    if board.is_castling(move):
        return "short" if board.is_kingside_castling(move) else "long"
    if board.is_en_passant(move):
        return "en passant"
    taken = "capture" if board.is_capture(move) else "quiet"
    return f"{taken} promotion" if move.promotion else taken


def walk(evaluator: IncrementalEvaluator, board: chess.Board, rng: random.Random) -> Counter[str]:
    """A random walk forwards and back that compares after every step."""
    evaluator.init(board)
    kinds: Counter[str] = Counter()
    below = len(board.move_stack)
    for _ in range(80):
        moves = list(board.legal_moves)
        special = [move for move in moves if kind_of(board, move) not in ("quiet", "capture")]
        if len(board.move_stack) > below and (not moves or rng.random() < 0.25):
            board.pop()
            evaluator.pop()
        elif moves:
            move = rng.choice(special if special and rng.random() < 0.5 else moves)
            if rng.random() < 0.05 and not board.is_check():
                move = chess.Move.null()
            kinds[kind_of(board, move)] += 1
            fen = board.fen()
            evaluator.push(move)
            assert board.fen() == fen
            board.push(move)
        assert evaluator.get_score() == evaluator.heuristic(board), (board.fen(), board.move_stack)
    while len(board.move_stack) > below:
        board.pop()
        evaluator.pop()
        assert evaluator.get_score() == evaluator.heuristic(board)
    return kinds


@pytest.mark.parametrize("seed", [None, 1], ids=["published", "lots"])
def test_equal_to_the_full_sum_after_thousands_of_moves(seed: int | None) -> None:
    """And all kinds of moves, the rare ones too, have occurred often."""
    rng = random.Random(130)
    kinds: Counter[str] = Counter()
    evaluator = IncrementalEvaluator(SQUARE_VALUES if seed is None else lots(seed))
    for _ in range(4):
        for fen in RICH:
            kinds += walk(evaluator, chess.Board(fen), rng)
        for fen in CHESS960:
            kinds += walk(evaluator, chess.Board(fen, chess960=True), rng)
    assert kinds.total() > 2000
    assert set(kinds) == {
        "null",
        "short",
        "long",
        "en passant",
        "capture",
        "quiet",
        "capture promotion",
        "quiet promotion",
    }
    assert min(kinds.values()) >= 10, kinds


@given(board=positions(starts=RICH), seed=st.integers(0, 2**32 - 1))
@examples(40)
def test_equal_to_the_full_sum_from_any_position(board: chess.Board, seed: int) -> None:
    before = board.copy()
    walk(IncrementalEvaluator(lots(seed)), board, random.Random(seed))
    assert board == before and board.move_stack == before.move_stack


@given(fen=st.sampled_from(RICH), seed=st.integers(0, 2**32 - 1))
@examples(20)
def test_equal_to_the_full_sum_through_whole_games(fen: str, seed: int) -> None:
    """Random games to their end, often hundreds of plies, and all the way back."""
    rng, board = random.Random(seed), chess.Board(fen)
    evaluator = IncrementalEvaluator(lots(seed))
    evaluator.init(board)
    while not board.is_game_over():
        move = rng.choice(list(board.legal_moves))
        evaluator.push(move)
        board.push(move)
        assert evaluator.get_score() == evaluator.heuristic(board), (fen, board.move_stack)
    while board.move_stack:
        board.pop()
        evaluator.pop()
        assert evaluator.get_score() == evaluator.heuristic(board), (fen, board.move_stack)
    assert board.fen() == fen


@given(number=st.integers(0, 959))
@examples(120)
def test_castling_squares_are_those_of_the_rules(number: int) -> None:
    board = chess.Board.from_chess960_pos(number)
    for square in list(board.piece_map()):
        if board.piece_type_at(square) not in (chess.KING, chess.ROOK):
            board.remove_piece_at(square)
    for turn in chess.COLORS:
        board.turn = turn
        for move in [move for move in board.legal_moves if board.is_castling(move)]:
            king_to, rook, rook_to = castling_squares(board, move)
            rooks, after = board.pieces(chess.ROOK, turn), board.copy()
            after.push(move)
            assert after.king(turn) == king_to
            assert set(after.pieces(chess.ROOK, turn)) == set(rooks) - {rook} | {rook_to}


def test_castling_squares_in_ordinary_chess() -> None:
    board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    short, long = (board.parse_san(san) for san in ("O-O", "O-O-O"))
    assert castling_squares(board, short) == (chess.G1, chess.H1, chess.F1)
    assert castling_squares(board, long) == (chess.C1, chess.A1, chess.D1)
    board.turn = chess.BLACK
    short, long = (board.parse_san(san) for san in ("O-O", "O-O-O"))
    assert castling_squares(board, short) == (chess.G8, chess.H8, chess.F8)
    assert castling_squares(board, long) == (chess.C8, chess.A8, chess.D8)


class WithoutObjects(chess.Board):
    """A board that builds no pieces once it is told so."""

    armed = False

    def piece_at(self, square: chess.Square) -> chess.Piece | None:
        assert not self.armed, "piece_at was called"
        return super().piece_at(square)

    def piece_map(self, *, mask: int = chess.BB_ALL) -> dict[chess.Square, chess.Piece]:
        assert not self.armed, "piece_map was called"
        return super().piece_map(mask=mask)


def test_following_moves_builds_no_pieces() -> None:
    for fen in RICH:
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


def test_a_new_evaluator_knows_the_start_position() -> None:
    evaluator = IncrementalEvaluator()
    assert evaluator.get_score() == 0
    evaluator.push(chess.Move.from_uci("e2e4"))
    evaluator.pop()
    assert evaluator.get_score() == 0


@given(board=positions(max_plies=30), seed=st.integers(0, 2**32 - 1))
@examples(25)
def test_the_search_is_that_of_the_full_evaluation(board: chess.Board, seed: int) -> None:
    """Scores, order and counts, with values in which every mistake shows."""
    values = lots(seed)
    depth = 2 if board.legal_moves.count() < 30 else 1
    before = board.copy()
    full = IterativeAlphaBetaCached(PieceSquareEvaluator(values), depth)
    following = IncrementalEngine(IncrementalEvaluator(values), depth)
    one, two = full.analyse(board), following.analyse(board)
    assert [(e.score, e.move) for e in one] == [(e.score, e.move) for e in two]
    assert full.statistics == following.statistics
    assert following.statistics.nodes > 0
    assert board == before and board.move_stack == before.move_stack


def test_the_search_never_adds_up_all_pieces_but_once_for_each_root_move() -> None:
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
    assert evaluator.sums - before == 2 * len(scored), "two iterations"


@given(nodes=st.integers(1, 1500))
@examples(12)
def test_a_stopped_search_leaves_no_trace(nodes: int) -> None:
    board = chess.Board(STARTS[4])
    engine = IncrementalEngine(IncrementalEvaluator(), 2)
    engine.analyse(middlegame_board, chess.engine.Limit(nodes=nodes))
    fresh = IncrementalEngine(IncrementalEvaluator(), 2)
    again, expected = engine.analyse(board), fresh.analyse(board)
    assert [(e.score, e.move) for e in again] == [(e.score, e.move) for e in expected]


def test_a_refused_move_leaves_the_evaluator_out_of_step_until_init() -> None:
    board = LimitedBoard.of(chess.Board(), nodes=0)
    evaluator = IncrementalEvaluator()
    evaluator.init(board)
    move = chess.Move.from_uci("e2e4")
    evaluator.push(move)
    with pytest.raises(LimitReachedError):
        board.push(move)
    assert evaluator.get_score() != evaluator.heuristic(board)
    evaluator.init(board)
    assert evaluator.get_score() == evaluator.heuristic(board)


def test_two_engines_with_evaluators_of_their_own_do_not_disturb_each_other() -> None:
    board, first, second = middlegame_board, IncrementalEvaluator(), IncrementalEvaluator()
    first.init(board)
    second.init(board)
    score = second.get_score()
    first.push(next(iter(board.legal_moves)))
    assert second.get_score() == score


def test_a_counter_that_copies_the_board_gets_its_hint() -> None:
    class Copying:
        def init(self, board: chess.Board) -> None:
            self.board, self.stack = board, [material(board)]

        def push(self, move: chess.Move) -> None:
            after = self.board.copy()
            after.push(move)
            self.stack.append(material(after))

        def pop(self) -> None:
            self.stack.pop()

        def score(self) -> int:
            return self.stack[-1]

    assert "was counted after init" in repr(check("s13-2", Copying))
