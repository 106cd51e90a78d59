"""The tournament engine: its score is the sum of its terms, its search keeps limits and rules."""

from __future__ import annotations

import random

import chess
import chess.engine
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks.s15_transposition_table import Bound
from converted_notebooks.s17_selective_search import Selection
from converted_notebooks.s18_positional_evaluation import pack
from converted_notebooks.s20_board_of_numbers import (
    EXCHANGE_VALUES,
    KNOWLEDGE,
    NumberBoard,
    king_state,
    make,
    number_of,
)
from tests.generated import examples
from tests.positions import STARTS, positions
from tests.programs import need
from tests.properties import assert_analysis, assert_plays
from utils.matches.suites import read_suite
from utils.paths import DATA

PROVE = examples(60)
CASTLING = STARTS[1]


def _plain(board: chess.Board) -> int:
    """The score of tables and counts, added up one by one."""
    packed = 0
    for square, piece in board.piece_map().items():
        packed += KNOWLEDGE.values[piece.color][piece.piece_type][square]
    for color, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
        for name, count in s23.counts(board, color).items():
            packed += sign * count * pack(*KNOWLEDGE.weights[name]) if count else 0
    return s23.tapered(packed, board.turn)


@PROVE
@given(positions(), st.integers(-1500, 1500), st.integers(1, 200))
def test_the_score_is_the_sum_of_tables_and_counts(
    board: chess.Board, alpha: int, width: int
) -> None:
    judge, score, beta = s23.FastEvaluator(), _plain(board), alpha + width
    lazy = judge.score(NumberBoard(board), alpha, beta)
    assert lazy == score or not alpha - s23.SURE < lazy < beta + s23.SURE
    for again in (board, board.mirror(), board):  # the last one is remembered
        assert judge.score(NumberBoard(again)) == score
    for known in list(board.move_stack)[:3]:  # what is remembered does not leak
        board.pop()
        assert known and judge.score(NumberBoard(board)) == _plain(board)


def test_chess960_is_played() -> None:
    board = chess.Board.from_chess960_pos(17)
    assert_plays(s23.SearchEngine(megabytes=1), board, Limit(depth=3))
    castling = chess.Board("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", chess960=True)
    moves = {entry.move for entry in s23.SearchEngine(1).analyse(castling, Limit(depth=1))}
    assert chess.Move(chess.E1, chess.G1) in moves == set(castling.legal_moves)


@examples(12)
@given(positions(max_plies=30), st.integers(0, 800))
def test_limits_of_nodes_are_strict_and_a_new_game_begins_as_the_first_one(
    board: chess.Board, nodes: int
) -> None:
    used, new = s23.SearchEngine(megabytes=1), s23.SearchEngine(megabytes=1)
    used.play(chess.Board(CASTLING), Limit(nodes=800))
    used.new_game()
    moves = [assert_plays(engine, board, Limit(nodes=nodes)) for engine in (used, new)]
    assert moves[0] == moves[1] and used.iterations == new.iterations
    assert used.searcher.nodes == new.searcher.nodes <= nodes


def test_no_limit_is_not_for_ever() -> None:
    board = chess.Board("7k/8/5KP1/8/8/8/8/8 w - - 0 1")
    for limit in (None, Limit(), Limit(black_clock=5.0)):
        assert_plays(s23.SearchEngine(megabytes=1), board, limit)
        assert_analysis(s23.SearchEngine(megabytes=1), board, limit)


@pytest.mark.parametrize(
    ("fen", "depth", "score"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 6, s23.MATE - 1),
        ("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1", 6, s23.MATE - 3),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 6, s23.MATE - 3),
        ("6k1/R7/1R6/8/8/8/8/6K1 b - - 0 1", 6, 2 - s23.MATE),
        # Mate with the hundredth ply is mate.
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90", 5, s23.MATE - 1),
        # The queen must not stalemate; the side that is lost must.
        ("k7/P7/K7/8/8/8/8/8 w - - 0 1", 5, 0),
        ("5rk1/5p1p/8/8/8/rr6/3Q4/7K w - - 0 1", 7, 0),
        # A rook wins, but not in the one ply that is left.
        ("8/8/8/7k/8/8/8/KR6 w - - 99 90", 5, 0),
    ],
)
def test_a_mate_counts_its_distance_and_a_draw_nothing(fen: str, depth: int, score: int) -> None:
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        engine, sign = s23.SearchEngine(megabytes=4), 1 if board.turn else -1
        engine.play(board, Limit(depth=depth))
        assert engine.iterations[-1].best.score == sign * score
        if score:
            best, *_ = engine.analyse(board, Limit(depth=4))
            assert best.score == sign * score


def test_a_rook_is_worth_something_and_who_is_mated_has_no_move() -> None:
    engine = s23.SearchEngine(megabytes=4)
    engine.play(chess.Board("8/8/8/7k/8/8/8/KR6 w - - 0 90"), Limit(depth=5))
    assert engine.iterations[-1].best.score > 300
    assert engine.play(chess.Board("8/8/8/8/8/2k5/1q6/K7 w - - 0 1"), Limit(depth=6)).move is None


def test_a_position_of_the_game_counts_as_repeated() -> None:
    board = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 4 60")
    for uci in ("a1a2", "g8h8", "a2a1", "h8g8"):
        board.push(chess.Move.from_uci(uci))
    searcher = s23.SearchEngine(megabytes=4).searcher
    for uci, repeats in (("a1a2", True), ("a1b1", False)):
        searcher.begin(board)
        assert len(searcher.game) == 4
        searcher.path.append(searcher.board.total)
        make(searcher.board, number_of(chess.Move.from_uci(uci)))
        assert searcher.is_draw(searcher.board.total) is repeats
    scored = s23.SearchEngine(megabytes=4).analyse(board, Limit(depth=1))
    values = {entry.move.uci(): entry.score for entry in scored}
    assert values["a1a8"] == s23.MATE - 1 and values["a1a2"] == 0 < values["a1b1"]


def test_memory_is_bounded_and_keeps_what_is_new() -> None:
    memory = s23.Memory(0.01)
    for key in range(10 * memory.half):
        memory.put(key, s23.Result(1, Bound.EXACT, key, 0))
        assert memory.get(key) is not None and memory.fullness <= 1
    assert memory.get(0) is None
    memory.clear()
    assert memory.fullness == 0
    with pytest.raises(ValueError, match="0 MB"):
        s23.Memory(0)


@PROVE
@given(
    st.floats(0, 7200, allow_nan=False),
    st.floats(0, 60),
    st.one_of(st.none(), st.integers(1, 60)),
    st.booleans(),
)
def test_a_plan_never_exceeds_half_of_the_clock(
    clock: float, increment: float, moves: int | None, white: bool
) -> None:
    side, other = ("white", "black") if white else ("black", "white")
    limit = Limit(remaining_moves=moves)
    setattr(limit, f"{side}_clock", clock)
    setattr(limit, f"{side}_inc", increment)
    setattr(limit, f"{other}_clock", 0.0)
    soft, hard = s23.seconds_for(white, limit)
    assert 0 <= soft <= hard <= max(clock - s23.OVERHEAD, 0) / 2
    limit.time = hard / 2
    assert s23.seconds_for(white, limit)[1] <= hard / 2


def thoughts(*moves_and_values: tuple[str, int], view: int = 1) -> s23.DeepeningSearch:
    """A search whose iterations had these moves and values, from the side's own view."""
    searcher = s23.DeepeningSearch(s23.Memory(1), s23.FastEvaluator())
    board = chess.Board() if view > 0 else chess.Board(chess.STARTING_FEN.replace(" w ", " b "))
    searcher.start(board, Limit(white_clock=60.0, black_clock=60.0))
    for depth, (move, value) in enumerate(moves_and_values, 1):
        searcher._note(board, depth, value, chess.Move.from_uci(move))
    return searcher


@pytest.mark.parametrize("view", [1, -1])
def test_who_is_sure_thinks_less_and_who_falls_thinks_more(view: int) -> None:
    sure = [thoughts(*[("e2e4", 20)] * n, view=view).patience() for n in range(1, s23.KEPT + 4)]
    assert sure[: s23.KEPT + 1] == sorted(set(sure), reverse=True)
    assert sure[s23.KEPT :] == [sure[s23.KEPT]] * 3
    assert sure[0] > 1 > sure[s23.KEPT] > 0
    again = thoughts(*[("e2e4", 20)] * 6, ("d2d4", 21), view=view)
    assert again.patience() == sure[0]
    falls = thoughts(*[("e2e4", 20)] * 5, ("e2e4", -5), view=view)
    rises = thoughts(*[("e2e4", 20)] * 5, ("e2e4", 45), view=view)
    assert falls.patience() > rises.patience() == sure[min(5, s23.KEPT)]
    slowly = thoughts(*[("e2e4", 20)] * 4, ("e2e4", 0), ("e2e4", -5), view=view)
    assert slowly.patience() == falls.patience()


def test_an_only_move_is_played_at_once_if_time_can_be_saved() -> None:
    only = chess.Board("4k3/8/8/8/8/8/r7/7K w - - 0 1")
    assert only.legal_moves.count() == 1
    engine = s23.SearchEngine()
    engine.play(only, Limit(white_clock=600.0, black_clock=600.0))
    assert len(engine.searcher.iterations) == 1
    engine.play(only, Limit(nodes=3000))
    assert len(engine.searcher.iterations) > 1


def test_a_limit_of_nodes_holds_where_most_leaves_are_drawn() -> None:
    board, engine = chess.Board("8/8/8/7k/8/P7/8/KR6 w - - 97 120"), s23.SearchEngine(megabytes=1)
    for nodes in range(1, 400, 9):
        engine.new_game()
        engine.play(board, Limit(nodes=nodes))
        assert engine.searcher.nodes <= nodes


@given(board=positions(retreats=True))
@PROVE
def test_keys_of_the_game_are_those_of_its_positions(board: chess.Board) -> None:
    if not board.is_check():
        board.push(chess.Move.null())
    past, keys = board.copy(), list[int]()
    while past.move_stack and past.halfmove_clock:
        past.pop()
        keys.append(NumberBoard(past).total)
    assert s23.keys_before(board) == keys[::-1]


def test_a_long_game_costs_no_more_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    board, made = chess.Board("7R/8/6K1/8/1n6/8/2k5/8 w - - 0 1"), [0]
    build = NumberBoard.__init__

    def counted(self: NumberBoard, board: chess.Board) -> None:
        made[-1] += 1
        build(self, board)

    monkeypatch.setattr(NumberBoard, "__init__", counted)
    engine = s23.SearchEngine(megabytes=1)
    # The expected line sets up a board for each of its moves, however long the game.
    monkeypatch.setattr(s23.DeepeningSearch, "best_known", lambda search, board: None)
    for _ in range(3):
        made.append(0)
        engine.play(board, Limit(nodes=50))
        for uci in ["h8g8", "b4a2", "g8h8", "a2b4"] * 6:
            board.push_uci(uci)
    assert made[1] == made[2] == made[3], "a clock with a small increment could not pay for them"


@examples(5)
@given(positions(max_plies=20))
def test_safe_parts_do_not_change_a_score(board: chess.Board) -> None:
    scores = set()
    with pytest.MonkeyPatch.context() as patch:
        # Lazy evaluation is a gamble, so it is left out.
        patch.setattr("converted_notebooks.s23_tournament_engine.SURE", 10_000)
        for selection in (Selection.SAFE, Selection.NONE):
            searcher = s23.DeepeningSearch(s23.Memory(1), s23.FastEvaluator(), selection)
            # Without stored values, since what is found elsewhere in the tree is deeper.
            searcher.known = lambda *_: None  # type: ignore[method-assign]
            searcher.best_move(board, Limit(depth=3))
            scores.add(searcher.iterations[-1].best.score)
    assert len(scores) == 1


def test_selection_changes_effort_and_the_seed_what_a_new_game_forgets() -> None:
    board, nodes = chess.Board(CASTLING), set()
    for selection in (Selection.FULL, Selection.SAFE, Selection.NONE):
        engine = s23.SearchEngine(4, selection)
        assert_plays(engine, board, Limit(depth=2))
        nodes.add(engine.searcher.nodes)
    assert len(nodes) > 1
    used, new = s23.TournamentEngine(megabytes=4), s23.TournamentEngine(megabytes=4)
    used.play(board, Limit(nodes=1000))
    used.new_game(random.Random(1))
    assert used.play(board, Limit(nodes=800)).move == new.play(board, Limit(nodes=800)).move
    assert used.iterations == new.iterations != ()


def test_one_ply_is_searched_however_late_it_is() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/q2R2K1 w - - 0 1")
    assert next(iter(board.legal_moves)) != chess.Move.from_uci("d1a1")
    for clock in (0.09, 0.0):
        engine = s23.SearchEngine(megabytes=1)
        assert engine.play(board, Limit(white_clock=clock)).move == chess.Move.from_uci("d1a1")
        assert engine.iterations


LOUD = [
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "2rq1rk1/pb2bppp/1pn1pn2/3p4/3P1B2/2NBPN2/PP2QPPP/2R2RK1 w - - 0 12",
]


@pytest.mark.parametrize("fen", LOUD)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_upper_bound_lies_above_the_value(fen: str, depth: int) -> None:
    """Of moves that a node leaves out it may only say that they do not reach alpha."""
    board = chess.Board(fen)
    value = {}
    for more in (0, 40, 80, 120, 160):
        for selection in (Selection.SAFE, Selection.FULL):
            searcher = s23.DeepeningSearch(s23.Memory(4), s23.FastEvaluator(), selection)
            searcher.begin(board)
            if selection == Selection.SAFE:
                value[more] = searcher.search(depth, -s23.INFINITE, s23.INFINITE, 0)
            else:
                alpha = value[more] + more
                bound = searcher.search(depth, alpha, alpha + 1, 0)
                assert bound > alpha or bound >= value[more] - 30


def test_a_capture_en_passant_takes_a_pawn() -> None:
    board = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    searcher = s23.SearchEngine(megabytes=1).searcher
    searcher.begin(board)
    capture = number_of(chess.Move.from_uci("e5d6"))
    worth = s23.DELTA + EXCHANGE_VALUES[chess.PAWN]
    assert not searcher.is_hopeless(capture, worth - 1) and searcher.is_hopeless(capture, worth)


def test_a_move_of_the_table_is_played_only_if_it_is_legal() -> None:
    board, engine = chess.Board(), s23.SearchEngine(megabytes=1)
    key = NumberBoard(board).total
    for uci in ("e2e5", "e7e5", "e1g1", "e4e5", "e2e4q"):
        planted = s23.Result(9, Bound.LOWER, 500, number_of(chess.Move.from_uci(uci)))
        engine.memory.put(key, planted)
        assert_plays(engine, board, Limit(depth=1))
        known = engine.memory.get(key)
        assert known and known.move != planted.move
        staged = engine.searcher.staged(0, king_state(NumberBoard(board)), 0)
        assert planted.move not in [move for move, _ in staged]


# What a solution may lose against the move that Stockfish prefers, in centipawns.
TOLERANCE = 60


@pytest.mark.slow
def test_stockfish_agrees_with_the_solutions_of_bratko_and_kopec() -> None:
    """Mostly; some solutions are a matter of taste, so they may lose a little."""
    limit, agreed = Limit(nodes=100_000), 0
    with chess.engine.SimpleEngine.popen_uci(need("stockfish")) as engine:
        engine.configure({"Threads": 1, "Hash": 64})
        for problem in read_suite(DATA / "suites" / "bratko-kopec.epd").problems:
            board = problem.board()
            free = engine.analyse(board, limit, game=object())
            if free["pv"][0] in problem.best:
                agreed += 1
                continue
            bound = engine.analyse(board, limit, game=object(), root_moves=problem.best)
            best, found = (
                info["score"].relative.score(mate_score=100_000) for info in (free, bound)
            )
            assert best - found <= TOLERANCE, (problem.name, best, found)
    assert agreed >= 15
