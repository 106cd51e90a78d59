"""The search of s22 as a whole: its definition, its bounds, draws and mates."""

from __future__ import annotations

import chess
import chess.engine
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s22_tournament_search as s22
from converted_notebooks.s20_board_of_numbers import NumberBoard, make, number_of
from converted_notebooks.s21_fast_evaluation import INFINITE, SURE, FastEvaluator
from tests.helpers.generated import examples
from tests.helpers.positions import KNOWN_SCORES, positions
from tests.helpers.tournament import NO_PARTS, NOISY, SAFE, NoTable, node, number, searcher_of


@examples(12)
@given(positions(max_plies=20), st.integers(1, 3))
def test_without_selective_parts_it_is_plain_alpha_beta(board: chess.Board, depth: int) -> None:
    """Principal variation search and aspiration change the effort and never the value."""

    def plain(board: chess.Board, depth: int, alpha: int, beta: int) -> int:
        searcher = s22.Searcher(NoTable(4), evaluator, NO_PARTS)
        searcher.begin(board)
        if depth == 0:
            return s22.quiesce(searcher, alpha, beta, 1)
        best = -INFINITE
        for move in board.legal_moves:
            board.push(move)
            if board.is_repetition(2) or board.halfmove_clock >= 100:
                value = 0 if not board.is_checkmate() else s22.MATE - 1
            elif board.is_insufficient_material() or not any(board.legal_moves):
                value = s22.MATE - 1 if board.is_checkmate() else 0
            else:
                value = -plain(board, depth - 1, -beta, -max(alpha, best))
            board.pop()
            best = max(best, value)
            if best >= beta:
                break
        return best

    evaluator, scores = FastEvaluator(), set()
    with pytest.MonkeyPatch.context() as patch:
        # Lazy evaluation is a gamble.
        patch.setattr("converted_notebooks.s21_fast_evaluation.SURE", 10_000)
        for parts in (NO_PARTS, SAFE):
            engine = s22.SearchEngine(4, parts)
            engine.searcher.table = NoTable(4)
            engine.play(board, Limit(depth=depth))
            scores.add(engine.iterations[-1].best.score * (1 if board.turn else -1))
        value = plain(board, depth, -INFINITE, INFINITE)
    assert len(scores) == 1
    (score,) = scores
    for limit in (s22.LONG_MATE, -s22.LONG_MATE):  # distances may differ
        assert (score > limit) == (value > limit)
    if abs(score) < s22.LONG_MATE:
        assert score == value


@pytest.mark.parametrize("fen", NOISY)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_upper_bound_lies_above_the_value(fen: str, depth: int) -> None:
    """Of moves that a node leaves out it may only say that they do not reach alpha."""
    board = chess.Board(fen)
    value = node(searcher_of(NO_PARTS), board, depth, -INFINITE, INFINITE)
    for more in (0, 40, 80, 120, 160):
        bound = node(searcher_of(), board, depth, value + more, value + more + 1)
        assert bound >= value - 30  # margins are guesses, which may be a little wrong


def test_scores_are_whole_as_far_as_reverse_futility_pruning_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searcher, asked = searcher_of(), list[tuple[int, int]]()
    score = searcher.evaluator.score

    def noted(board: NumberBoard, alpha: int, beta: int) -> int:
        asked.append((alpha, beta))
        return score(board, alpha, beta)

    monkeypatch.setattr(searcher.evaluator, "score", noted)
    for depth in range(1, 12):
        asked.clear()
        node(searcher, chess.Board(), depth, 30, 31)
        alpha, beta = asked[0]
        assert alpha == 30 and beta + SURE >= 31 + s22.REVERSE_FUTILITY * depth


def test_below_a_null_window_there_are_only_null_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions, searches again and null moves ask yes or no, as their node was asked."""
    widths, search = set(), s22.search

    def noted(searcher: s22.Searcher, depth: int, alpha: int, beta: int, *rest: bool) -> int:
        widths.add(beta - alpha)
        return search(searcher, depth, alpha, beta, *rest)

    monkeypatch.setattr(s22, "search", noted)
    for fen in NOISY:
        for beta in (-80, 80):
            node(searcher_of(), chess.Board(fen), 5, beta - 1, beta)
    assert widths == {1}


@pytest.mark.parametrize("ply", [1, 4])
def test_where_no_nearer_mate_is_possible_nothing_is_searched(ply: int) -> None:
    searcher, nearest = searcher_of(), s22.MATE - ply - 1
    for alpha in (nearest + 1, nearest, nearest - 1):
        found = node(searcher, chess.Board(), 1, alpha, INFINITE, ply)
        assert (searcher.nodes > 0) is (alpha < nearest) and found <= nearest


@pytest.mark.parametrize(
    ("is_first", "less", "values", "calls"),
    [
        (True, 0, [20], [(4, -30, -10)]),
        (False, 0, [10], [(4, -11, -10)]),
        (False, 0, [11, 20], [(4, -11, -10), (4, -30, -10)]),
        (False, 0, [30], [(4, -11, -10)]),
        (False, 2, [10], [(2, -11, -10)]),
        (False, 2, [11, 10], [(2, -11, -10), (4, -11, -10)]),
        (False, 2, [30, 11, 29], [(2, -11, -10), (4, -11, -10), (4, -30, -10)]),
    ],
)
def test_a_later_move_is_first_asked_whether_it_beats_alpha(
    is_first: bool,
    less: int,
    values: list[int],
    calls: list[tuple[int, int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, answers = list[tuple[int, int, int]](), iter(values)

    def noted(searcher: s22.Searcher, depth: int, alpha: int, beta: int, ply: int) -> int:
        asked.append((depth, alpha, beta))
        assert ply == 3 and searcher.board.turn == chess.BLACK
        return -next(answers)

    monkeypatch.setattr(s22, "search", noted)
    searcher, move = searcher_of(), number_of(chess.Move.from_uci("e2e4"))
    searcher.begin(chess.Board())
    assert s22.move_value(searcher, move, 5, 10, 30, 2, is_first, less) == values[-1]
    assert asked == calls and searcher.nodes == 1 and searcher.board.turn == chess.WHITE


@pytest.mark.parametrize(
    ("fen", "depth", "score"),
    KNOWN_SCORES,
)
def test_a_mate_counts_its_distance_and_a_draw_nothing(fen: str, depth: int, score: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        engine, sign = s22.SearchEngine(megabytes=4), 1 if board.turn else -1
        engine.play(board, Limit(depth=depth))
        assert engine.iterations[-1].best.score == sign * score
        if score:
            best, *_ = engine.analyse(board, Limit(depth=4))
            assert best.score == sign * score


def test_a_rook_is_worth_something_and_who_is_mated_has_no_move() -> None:
    engine = s22.SearchEngine(megabytes=4)
    engine.play(chess.Board("8/8/8/7k/8/8/8/KR6 w - - 0 90"), Limit(depth=5))
    assert engine.iterations[-1].best.score > 3 * engine.pawn_value
    assert engine.pawn_value == s22.EXCHANGE_VALUES[chess.PAWN]
    assert engine.play(chess.Board("8/8/8/8/8/2k5/1q6/K7 w - - 0 1"), Limit(depth=6)).move is None


def test_a_capture_that_mates_counts_its_distance() -> None:
    searcher = searcher_of()
    for ply in (1, 5):
        searcher.begin(chess.Board("r5k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"))
        assert s22.quiesce(searcher, -INFINITE, INFINITE, ply) == s22.MATE - ply - 1


def test_a_capture_en_passant_takes_a_pawn() -> None:
    board = NumberBoard(chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"))
    capture = number_of(chess.Move.from_uci("e5d6"))
    worth = s22.DELTA + s22.EXCHANGE_VALUES[chess.PAWN]
    assert not s22.is_hopeless(board, capture, worth - 1)
    assert s22.is_hopeless(board, capture, worth)


ROOK = "6k1/8/6K1/8/8/8/8/R7 w - - 4 60"


@pytest.mark.parametrize(
    ("fen", "game", "move", "repeats"),
    [
        (ROOK, "a1a2 g8h8 a2a1 h8g8", "a1a2", True),
        (ROOK, "a1a2 g8h8 a2a1 h8g8", "a1b1", False),
        (ROOK, "a1a2 g8h8 a2b2 h8g8 b2b1 g8h8 b1a1", "h8g8", True),  # eight plies back
        (chess.STARTING_FEN, "g1f3 g8f6 f3g1", "f6g8", True),  # four, and no more
    ],
)
def test_a_position_of_the_game_is_seen_again(
    fen: str, game: str, move: str, repeats: bool
) -> None:
    board, searcher = chess.Board(fen), searcher_of()
    for uci in game.split():
        board.push_uci(uci)
    searcher.begin(board)
    assert len(searcher.path) == len(board.move_stack) + 1
    make(searcher.board, number(move))
    assert s22.is_draw(searcher, searcher.board.total) is repeats


def test_a_position_of_the_game_counts_as_repeated() -> None:
    board = chess.Board(ROOK)
    for uci in ("a1a2", "g8h8", "a2a1", "h8g8"):
        board.push_uci(uci)
    scored = s22.SearchEngine(megabytes=4).analyse(board, Limit(depth=1))
    values = {entry.move.uci(): entry.score for entry in scored}
    assert values["a1a8"] == s22.MATE - 1 and values["a1a2"] == 0 < values["a1b1"]


@given(board=positions(retreats=True))
@examples(60)
def test_keys_of_the_game_are_those_of_its_positions(board: chess.Board) -> None:
    if not board.is_check():
        board.push(chess.Move.null())
        board.push(next(iter(board.legal_moves), chess.Move.null()))
    past, keys = board.copy(), list[int]()
    while past.move_stack and past.halfmove_clock:
        past.pop()
        keys.append(NumberBoard(past).total)
    assert s22.keys_before(board) == keys[::-1]


@pytest.mark.parametrize("fen", [NOISY[1], "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"])  # quiet; in check
def test_no_line_is_longer_than_there_is_room(fen: str) -> None:
    searcher = searcher_of()
    node(searcher, chess.Board(fen), 3, -INFINITE, INFINITE, s22.MOST_PLIES)
    assert searcher.nodes == 0


def test_a_depth_beyond_all_lines_is_searched() -> None:
    engine = s22.SearchEngine(1)
    engine.play(chess.Board("8/8/4k3/8/8/3K4/8/8 w - - 0 1"), Limit(depth=130))
    assert engine.last_search is not None and engine.last_search.depth == 130


@pytest.mark.parametrize(
    ("pieces", "drawn"), [("2B1K3", True), ("2B1KN2", False), ("1BB1K3", False)]
)
def test_a_bishop_alone_draws_and_with_a_knight_or_another_bishop_it_may_mate(
    pieces: str, drawn: bool
) -> None:
    searcher = searcher_of()
    searcher.begin(chess.Board(f"4k3/8/8/8/8/8/8/{pieces} w - - 0 1"))
    searcher.path.pop()
    assert s22.is_draw(searcher, searcher.board.total) is drawn


@pytest.mark.parametrize(("ply", "value"), [(1, 40), (2, -40)])
def test_a_stalemate_is_worth_what_a_draw_is(ply: int, value: int) -> None:
    class Contempt(s22.Searcher):
        def draw_value(self, ply: int) -> int:
            return 40 if ply % 2 else -40

    searcher = Contempt(s22.HashTable(4), FastEvaluator(), s22.ALL_PARTS)
    stalemate = chess.Board("k7/P7/K7/8/8/8/8/8 b - - 0 1")
    assert node(searcher, stalemate, 2, -INFINITE, INFINITE, ply) == value
