"""Deepening, limits and the memory: what may never happen."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from typing import Any

import chess
import chess.engine
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from converted_notebooks import s11_iterative_deepening as s11
from converted_notebooks.s04_engine_interface import Iteration, ScoredMove
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s08_evaluation import Evaluator, MobilityEvaluator
from converted_notebooks.s09_minimax_engine import NegamaxEngine, middlegame_board
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine, least
from converted_notebooks.s11_iterative_deepening import (
    DeepeningEngine,
    IterativeAlphaBetaCached,
    LimitedBoard,
    LimitReachedError,
    cache_alpha_beta,
    history_matters,
    memory,
    position_key,
    seconds_for_move,
)
from tests.helpers.generated import examples
from tests.helpers.loader_tools import CopiedProject
from tests.helpers.positions import CHESS960, positions, retreat
from tests.helpers.properties import (
    OpenSearch,
    assert_bound,
    assert_plays,
    by_move,
    plain_minimax,
    unchanged,
)
from tests.notebook.kernels import Kernel
from utils.exercises import pairs
from utils.jupyter_loader import JupyterLoader

Limit = chess.engine.Limit
MORPHY = chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
ENDINGS = [
    "8/8/8/4k3/8/3QK3/8/8 w - - 0 1",
    "8/5k2/8/8/8/2K5/3R4/6r1 b - - 0 1",
    "8/2k5/8/3p4/3P4/8/4K3/8 w - - 0 1",
    "7k/8/8/8/8/8/n7/K6N w - - 0 1",
]


def shuffled(fen: str, plies: int) -> chess.Board:
    """A game in which both sides go out and back."""
    board = chess.Board(fen)
    for _ in range(plies):
        board.push(retreat(board) or next(iter(board.legal_moves)))
    return board


def late(fen: str, halfmove_clock: int) -> chess.Board:
    """A position so many plies after the last capture or pawn move, without its game."""
    board = chess.Board(fen)
    board.halfmove_clock = halfmove_clock
    return board


def drawn_within(board: chess.Board, depth: int) -> bool:
    """Whether a line of at most `depth` plies ends in a draw that the history makes."""
    for move in list(board.legal_moves) if depth else []:
        board.push(move)
        drawn = board.is_fifty_moves() or board.is_repetition(3)
        drawn = drawn or (not board.is_game_over() and drawn_within(board, depth - 1))
        board.pop()
        if drawn:
            return True
    return False


# The board that stops


@given(board=positions() | positions(retreats=True), nodes=st.integers(0, 12))
@examples(60)
def test_a_limited_board_is_the_same_board_for_so_many_moves(
    board: chess.Board, nodes: int
) -> None:
    move = next(iter(board.legal_moves))
    copy, free = LimitedBoard.of(board, nodes=nodes), LimitedBoard.of(board)
    assert copy.move_stack == board.move_stack and copy.root() == board.root()
    assert free.is_repetition(3) == board.is_repetition(3)
    with unchanged(board), unchanged(copy):
        for _ in range(nodes):
            copy.push(move)
            copy.pop()
        for _ in range(2):
            with pytest.raises(LimitReachedError):
                copy.push(move)
        copy.copy().push(move)


@given(board=positions(8, CHESS960, chess960=True))
@examples(20)
def test_a_limited_board_castles_as_the_board_does(board: chess.Board) -> None:
    assert set(LimitedBoard.of(board).legal_moves) == set(board.legal_moves)


def test_a_deadline_that_is_over_stops_at_once() -> None:
    board = LimitedBoard.of(chess.Board(), seconds=-1)
    with pytest.raises(LimitReachedError):
        board.push_san("e4")
    LimitedBoard.of(chess.Board(), seconds=1000).push_san("e4")


# The key


@given(board=positions(), clock=st.integers(0, 99))
@example(chess.Board("4k3/8/8/8/1pPp4/8/8/4K2R b K c3 0 2"), 1)
@examples(30)
def test_keys_are_equal_exactly_where_the_same_moves_can_follow(
    board: chess.Board, clock: int
) -> None:
    """Every field of the EPD counts, and neither the counts of moves nor the history does."""
    variants = []
    for turn, rights, square in itertools.product(
        chess.COLORS, (board.castling_rights, 0), (board.ep_square, None)
    ):
        variants.append(board.copy())
        variants[-1].turn, variants[-1].castling_rights = turn, rights
        variants[-1].ep_square = square
    for square, piece in board.piece_map().items():
        for other in (chess.Piece(piece.piece_type, not piece.color), chess.Piece.from_symbol("N")):
            variants.append(board.copy())
            variants[-1].set_piece_at(square, other)
    for variant in variants[:]:
        variants.append(variant.copy(stack=False))
        variants[-1].halfmove_clock, variants[-1].fullmove_number = clock, clock + 1
    keys = [position_key(variant) for variant in variants]
    epds = [variant.epd() for variant in variants]
    assert len(set(keys)) == len(set(epds)) == len(set(zip(keys, epds, strict=True)))


# The history


@given(
    board=positions(9, ENDINGS, retreats=True)
    | st.builds(late, st.sampled_from(ENDINGS), st.integers(90, 99)),
    depth=st.integers(1, 3),
)
@examples(40)
def test_where_the_history_does_not_matter_no_line_is_drawn_by_it(
    board: chess.Board, depth: int
) -> None:
    with unchanged(board):
        matters = history_matters(board, depth)
    assert matters or not drawn_within(board, depth)


def test_the_history_matters_one_ply_before_the_third_time_until_a_pawn_moves() -> None:
    board = shuffled(chess.STARTING_FEN, s11.SHORTEST_THREEFOLD)
    assert board.is_repetition(3)
    board.pop()
    assert not board.is_repetition(3) and history_matters(board, 1)
    board.pop()
    board.push_san("e4")
    assert not history_matters(board, 3)


@pytest.mark.parametrize(("plies", "depth"), [(0, 7), (1, 6), (2, 5), (3, 4), (4, 3), (6, 1)])
def test_a_short_history_does_not_matter(plies: int, depth: int) -> None:
    board = shuffled(chess.STARTING_FEN, plies)
    assert not history_matters(board, depth) and history_matters(board, depth + 1)
    assert not history_matters(late(ENDINGS[0], 99 - depth), depth)
    assert history_matters(late(ENDINGS[0], 100 - depth), depth)


# Searches with a memory


class TwoMethods(IterativeAlphaBetaCached):
    """What a reader may write: fail-hard, and nothing about limits."""

    def _evaluate_move(self, board: chess.Board, move: chess.Move, depth: int) -> ScoredMove:
        board.push(move)
        value = -self._value(board, depth - 1, -math.inf, math.inf)
        board.pop()
        return ScoredMove(PLAYER_MULTIPLIER[board.turn] * value, move)

    @cache_alpha_beta
    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        self.statistics.min_nodes += 1
        static = self._static_value(board, depth)
        if static is not None:
            return min(max(static, alpha), beta)
        for move in board.legal_moves:
            board.push(move)
            alpha = max(alpha, -self._value(board, depth - 1, -beta, -alpha))
            board.pop()
            if alpha >= beta:
                return beta
        return alpha


def test_an_engine_with_its_own_way_of_judging_moves_plays_none_after_a_mate() -> None:
    mated = chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    assert TwoMethods(Evaluator(), 2).play(mated).move is None


class Twice(IterativeAlphaBetaCached):
    """Decorated, and the method below is decorated as well."""

    @cache_alpha_beta
    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        return super()._value(board, depth, alpha, beta)


class Plain(IterativeAlphaBetaCached):
    """Not decorated; only the method below is."""

    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        return super()._value(board, depth, alpha, beta)


FORMS: list[type[IterativeAlphaBetaCached]] = [IterativeAlphaBetaCached, TwoMethods, Twice, Plain]
ALL_FORMS = pytest.mark.parametrize("form", FORMS)


@functools.cache
def exact(index: int, depth: int) -> dict[chess.Move, float]:
    """The scores of a search without a memory in one of the small positions."""
    return by_move(NegamaxEngine(Evaluator(), depth).analyse(SMALL[index]))


SMALL = [
    MORPHY,
    *(shuffled(fen, plies) for plies in (7, 0, 3, 6) for fen in ENDINGS),
    MORPHY.mirror(),
    *(late(fen, clock) for clock in (99, 96) for fen in ENDINGS),
]


@ALL_FORMS
def test_a_memory_full_of_other_positions_changes_no_score(
    form: type[IterativeAlphaBetaCached],
) -> None:
    engine = form(Evaluator(), 3)
    for index, board in enumerate(SMALL):
        found = by_move(engine.analyse(board))
        assert found == exact(index, engine.iterations[-1].depth), (board.fen(), board.move_stack)
    assert sum(drawn_within(board, 1) for board in SMALL) > 2, "the history matters somewhere"


@pytest.mark.parametrize("form", [DeepeningEngine, *FORMS])
@given(board=positions(), nodes=st.integers(0, 150))
@examples(25)
def test_limits_of_nodes_are_obeyed(
    form: type[DeepeningEngine], board: chess.Board, nodes: int
) -> None:
    engine = form(Evaluator())
    with unchanged(board):
        found = engine.analyse(board, Limit(nodes=nodes))
    assert engine.statistics.nodes <= nodes
    assert sorted(e.move.uci() for e in found) == sorted(m.uci() for m in board.legal_moves)
    if engine.iterations:
        depth = engine.iterations[-1].depth
        assert by_move(found) == by_move(AlphaBetaEngine(Evaluator(), depth).analyse(board))
    assert_plays(engine, board, Limit(nodes=nodes))


@given(board=positions(), nodes=st.integers(0, 60))
@examples(40)
def test_before_the_first_iteration_is_finished_moves_not_tried_are_draws(
    board: chess.Board, nodes: int
) -> None:
    board = board.copy(stack=False)  # looking for repetitions makes moves, too
    moves = list(board.legal_moves)
    nodes = min(nodes, len(moves) - 1)
    exact_scores = by_move(AlphaBetaEngine(Evaluator(), 1).analyse(board))
    engine = DeepeningEngine(Evaluator())
    found = pairs(engine.analyse(board, Limit(nodes=nodes)))
    tried = [(exact_scores[move], move) for move in moves[:nodes]]
    assert not engine.iterations
    assert found[:nodes] == sorted(tried, key=lambda pair: pair[0], reverse=board.turn)
    assert found[nodes:] == [(0, move) for move in moves[nodes:]]


@ALL_FORMS
def test_a_new_game_empties_the_memory(form: type[IterativeAlphaBetaCached]) -> None:
    engine, other, board = form(Evaluator(), 4), form(Evaluator(), 4), chess.Board(ENDINGS[2])
    engine.analyse(board)
    first = engine.statistics
    other.analyse(board)
    assert other.statistics == first, "each engine has a memory of its own"
    engine.analyse(board)
    assert engine.statistics.nodes < first.nodes, "the memory is used"
    engine.new_game()
    engine.analyse(board)
    assert engine.statistics == first, "as in a new engine"
    engine.evaluator = MobilityEvaluator()
    engine.new_game()
    plain = AlphaBetaEngine(MobilityEvaluator(), 2)
    assert by_move(engine.analyse(board, Limit(depth=2))) == by_move(plain.analyse(board))


def test_the_memory_is_emptied_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s11, "MAX_ENTRIES", 7)
    board = chess.Board(ENDINGS[2])
    sizes = []

    class Watched(IterativeAlphaBetaCached):
        @cache_alpha_beta
        def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
            sizes.append(len(memory(self, type(self)._value)))
            return AlphaBetaEngine._value(self, board, depth, alpha, beta)

    engine = Watched(Evaluator(), 5)
    found = engine.analyse(board)[0].score
    assert max(sizes) == 7 and engine.statistics.cache_hits > 0
    assert found == AlphaBetaEngine(Evaluator(), 5).analyse(board)[0].score


class OpenEngine(OpenSearch, IterativeAlphaBetaCached):
    """An engine that remembers what it found."""

    @property
    def known(self) -> dict[Any, tuple[float, float]]:
        """Bounds by depth in plies and position."""
        return memory(self, IterativeAlphaBetaCached._value)


def test_inner_nodes_try_first_what_was_worst_for_the_opponent() -> None:
    engine, board = OpenEngine(Evaluator()), chess.Board(ENDINGS[1])
    moves = list(board.legal_moves)
    for value, move in enumerate(reversed(moves)):
        board.push(move)
        low = value if value % 2 else -math.inf  # of some only an upper bound is known
        engine.known[1, position_key(board)] = (low, value)
        board.pop()
    assert list(engine._moves(board, 3)) == moves[::-1]
    assert list(engine._moves(board, 2)) == moves
    plain = OpenEngine(Evaluator(), best_first=False)
    plain.known.update(engine.known)
    assert list(plain._moves(board, 3)) == moves


def test_each_cached_method_has_a_memory_of_its_own() -> None:
    engine = Twice(Evaluator(), 3)
    engine.analyse(chess.Board(ENDINGS[2]))
    outer, inner = (memory(engine, kind._value) for kind in (Twice, IterativeAlphaBetaCached))
    assert outer and inner and outer is not inner


def test_hits_are_no_nodes_and_leaves_are_not_stored() -> None:
    engine, board = OpenEngine(Evaluator()), chess.Board(ENDINGS[0])
    assert engine.search(board, 3, -100, 100) == 9
    assert {depth for depth, _ in engine.known} == {1, 2, 3}
    nodes, hits = engine.statistics.nodes, engine.statistics.cache_hits
    assert engine.search(board, 3, -100, 100) == 9
    assert (engine.statistics.nodes, engine.statistics.cache_hits) == (nodes, hits + 1)


WINDOWS = st.tuples(st.integers(1, 2), st.integers(-120, 120), st.integers(1, 60))


@given(board=positions(2, ENDINGS), windows=st.lists(WINDOWS, min_size=1, max_size=6))
@examples(40)
def test_results_keep_the_contract_of_a_window_whatever_is_remembered(
    board: chess.Board, windows: list[tuple[int, int, int]]
) -> None:
    engine, evaluator = OpenEngine(MobilityEvaluator()), MobilityEvaluator()
    sign = PLAYER_MULTIPLIER[board.turn]
    true = {depth: sign * plain_minimax(board, depth, evaluator).value for depth in (1, 2)}
    for depth, low, width in windows:
        alpha, beta = low / 10, (low + width) / 10
        assert_bound(engine.search(board, depth, alpha, beta), true[depth], alpha, beta)
        low_bound, high_bound = engine.known[depth, position_key(board)]
        assert low_bound <= true[depth] <= high_bound


# Limits and iterations


@pytest.mark.parametrize("limit", [Limit(time=0.0), Limit(white_clock=0.0, black_clock=0.0)])
def test_time_that_is_over_still_gives_a_move(limit: Limit) -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    assert_plays(engine, middlegame_board, limit)
    assert not engine.iterations


def test_depth_own_or_from_the_limit() -> None:
    engine = IterativeAlphaBetaCached(Evaluator(), max_look_ahead_depth=2)
    board = chess.Board(ENDINGS[2])
    for limit, depths in (
        (None, [1, 2]),
        (Limit(), [1, 2]),
        (Limit(depth=3), [1, 2, 3]),
        (Limit(depth=1, nodes=10_000), [1]),
    ):
        engine.analyse(board, limit)
        assert [iteration.depth for iteration in engine.iterations] == depths
    engine.analyse(board, Limit(nodes=1000))
    assert len(engine.iterations) > 3
    assert engine.analyse(chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")) == []
    assert engine.iterations == () and engine.statistics.nodes == 0


@pytest.mark.parametrize("depth", [0, -1])
def test_a_limit_with_a_depth_below_one_is_an_error(depth: int) -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    for ask in (engine.analyse, engine.play):
        with pytest.raises(ValueError, match=f"depth is {depth}; expected 1"):
            ask(chess.Board(), Limit(depth=depth))


@given(board=positions(max_plies=40))
@examples(20)
def test_iterations_tell_what_happened(board: chess.Board) -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    engine.analyse(board, Limit(nodes=1500))
    done = engine.iterations
    assert [i.depth for i in done] == list(range(1, len(done) + 1))
    assert not done or (done[0].changed and done[-1].nodes <= engine.statistics.nodes)
    for before, after in itertools.pairwise(done):
        assert before.nodes <= after.nodes
        assert after.changed == (before.best.move != after.best.move)
    for iteration in done[:2]:
        plain = NegamaxEngine(Evaluator(), iteration.depth)
        assert iteration.best.score == plain.analyse(board)[0].score


@given(
    clock=st.floats(0, 1e5),
    increment=st.floats(0, 100),
    time=st.none() | st.floats(0, 1e4),
    turn=st.booleans(),
)
@examples(60)
def test_the_clock_of_the_side_to_move_decides(
    clock: float, increment: float, time: float | None, turn: bool
) -> None:
    """A fortieth of the clock and half the increment, but never more than half the clock."""
    mine, other = ("white", "black") if turn else ("black", "white")
    clocks: dict[str, Any] = {f"{mine}_clock": clock, f"{mine}_inc": increment}
    clocks |= {f"{other}_clock": 7.0, f"{other}_inc": 9.0}
    shares = (clock / 40 + increment / 2, clock / 2, math.inf if time is None else time)
    assert seconds_for_move(turn, Limit(time=time, **clocks)) == min(shares)
    assert seconds_for_move(not turn, Limit(time=time)) == time


@pytest.mark.parametrize("board", SMALL[:8], ids=chess.Board.fen)
@given(nodes=st.integers(0, 400))
@examples(10)
def test_a_move_of_an_unfinished_iteration_is_better_at_its_depth(
    board: chess.Board, nodes: int
) -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    move, last = assert_plays(engine, board, Limit(nodes=nodes)), engine.last_search
    if last and move != last.best.move and last.depth < 4:
        deeper = by_move(NegamaxEngine(Evaluator(), last.depth + 1).analyse(board))
        sign = PLAYER_MULTIPLIER[board.turn]
        assert sign * deeper[move] > sign * deeper[last.best.move]


@pytest.mark.parametrize("board", SMALL[:8], ids=chess.Board.fen)
def test_one_window_for_all_root_moves_finds_the_best_value(board: chess.Board) -> None:
    for depth in (1, 2, 3):
        engine = DeepeningEngine(Evaluator(), depth)
        move = assert_plays(engine, board)
        assert engine.last_search is not None
        values = exact(SMALL.index(board), engine.last_search.depth)
        best = max(values.values()) if board.turn else min(values.values())
        assert values[move] == best == engine.last_search.best.score


# Mates


@pytest.mark.parametrize("fen", [MORPHY.fen(), "7k/1Q2K3/8/8/8/8/8/8 w - - 0 1"])
@pytest.mark.parametrize("mirror", [False, True])
def test_the_shortest_mate_is_played(fen: str, mirror: bool) -> None:
    board = chess.Board(fen).mirror() if mirror else chess.Board(fen)
    engine = IterativeAlphaBetaCached(Evaluator(), 5)
    for left in (3, 2, 1):
        best = engine.analyse(board)[0]
        assert abs(best.score) == 100
        assert engine.iterations[-1].depth == left, "neither earlier nor later"
        board.push(best.move)
    assert board.is_checkmate()


def test_of_all_lost_moves_one_that_holds_out_longest_is_played() -> None:
    """One reply allows a mate at once, the others do not."""
    board = chess.Board("6k1/8/5K2/8/8/8/7p/Q7 b - - 0 1")
    engine = IterativeAlphaBetaCached(Evaluator(), 6)
    lengths = {}
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        engine.analyse(after)
        lengths[move] = len(engine.iterations)
        assert abs(engine.iterations[-1].best.score) == 100, "every move loses"
    assert len(set(lengths.values())) > 1
    assert lengths[engine.analyse(board)[0].move] == max(lengths.values())


BEFORE_THE_EDIT = f"""
import chess
from converted_notebooks.s08_evaluation import Evaluator
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from converted_notebooks.s11_iterative_deepening import (
    IterativeAlphaBetaCached,
    cache_alpha_beta,
)

class Own(AlphaBetaEngine):
    _value = cache_alpha_beta(AlphaBetaEngine._value)

board = chess.Board({MORPHY.fen()!r})
old = IterativeAlphaBetaCached(Evaluator(), 3)
idle = IterativeAlphaBetaCached(Evaluator(), 3)

def cut_offs(engine):
    engine.analyse(board)
    return engine.statistics.cut_offs
"""


@pytest.mark.slow
def test_an_edit_of_the_search_in_s10_arrives_in_a_running_kernel(project: CopiedProject) -> None:
    """The edit makes each cut-off count a thousand times."""
    loader = JupyterLoader()
    for name in loader.chapters():
        if name < "s12":
            project.write_bytes(name, loader.notebook(name).read_bytes())
    with contextlib.closing(Kernel(project)) as kernel:
        kernel.run("%load_ext utils.notebook")
        kernel.run(BEFORE_THE_EDIT)
        assert 0 < kernel.value("cut_offs(old)") < 1000
        text = loader.notebook("s10_alpha_beta_engine").read_text(encoding="utf-8")
        line = "statistics.cut_offs += 1\\n"  # as it stands in the file
        assert text.count(line) == 1
        edited = text.replace(line, line.replace("1", "1000"))
        project.write_bytes("s10_alpha_beta_engine", edited.encode("utf-8"))
        assert kernel.value("cut_offs(idle)") >= 1000, "made before the edit, used after it"
        assert kernel.value("cut_offs(Own(Evaluator(), 3))") >= 1000
        assert kernel.value("cut_offs(old)") == 0, "it remembers what the old search said"
        kernel.run("old.new_game()")
        assert kernel.value("cut_offs(old)") >= 1000


def test_keys_tell_apart_each_piece_on_each_square() -> None:
    keys = set()
    for color in chess.COLORS:
        for kind in chess.PIECE_TYPES:
            for square in chess.SQUARES[8:56]:
                board = chess.Board(None)
                board.set_piece_at(square, chess.Piece(kind, color))
                keys.add(position_key(board))
    assert len(keys) == 2 * 6 * 48


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("clocks", [None, (4e6, 0.0)])
def test_a_limit_of_time_alone_ends_at_no_depth_of_the_engine(
    clocks: tuple[float, float] | None, mirror: bool
) -> None:
    board = chess.Board(ENDINGS[2])
    board = board.mirror() if mirror else board
    mine, other = clocks or (None, None)
    white, black = (mine, other) if board.turn else (other, mine)
    limit = Limit(time=1e6, white_clock=white, black_clock=black)
    engine = DeepeningEngine(Evaluator(), 2)

    def enough(found: Iteration) -> None:
        if found.depth == 4:
            engine.stop()

    engine.on_iteration = enough
    engine.play(board, limit)
    assert engine.last_search is not None and engine.last_search.depth == 4


def test_an_engine_with_its_own_way_of_judging_moves_obeys_the_limit() -> None:
    engine = TwoMethods(Evaluator(), 1)
    engine.play(chess.Board(ENDINGS[2]), Limit(depth=3))
    assert [found.depth for found in engine.iterations] == [1, 2, 3]


def test_an_engine_with_its_own_way_of_judging_moves_plays_by_it() -> None:
    class Climber(DeepeningEngine):
        def _evaluate_move(self, board: chess.Board, move: chess.Move, depth: int) -> ScoredMove:
            return ScoredMove(move.to_square, move)

    assert Climber(Evaluator()).play(chess.Board()).move == chess.Move.from_uci("h2h4")


def test_the_root_keeps_its_order_below_alpha_and_ends_at_beta() -> None:
    board = chess.Board("k7/8/8/3q4/8/8/8/K2Q4 w - - 0 1")
    moves, takes = list(board.legal_moves), board.parse_san("Qxd5")
    assert moves[0] != takes
    for alpha, value, best, nodes, order in (
        (50, 9, takes, len(moves), moves),
        (5, 9, takes, len(moves), [takes, *(move for move in moves if move != takes)]),
        (-50, 0, moves[0], 1, moves),
    ):
        engine, tried = DeepeningEngine(Evaluator()), moves[:]
        assert engine._search_root(board, 1, tried, alpha, alpha + 9) == (value, best)
        assert (engine.statistics.nodes, tried) == (nodes, order)


def test_to_play_one_window_is_shared_and_to_analyse_each_move_has_its_own() -> None:
    engine = DeepeningEngine(Evaluator(), 2)
    engine.play(chess.Board())
    assert engine.statistics.leaves == 20 + least(20, 2)
    engine.analyse(chess.Board())
    assert engine.statistics.leaves == 20 + 20 * 20


@pytest.mark.parametrize(("alpha", "beta"), [(4, 5), (20, 21)])
def test_a_bound_that_answers_the_question_is_enough(alpha: float, beta: float) -> None:
    engine, board = OpenEngine(Evaluator()), chess.Board(ENDINGS[0])
    first = engine.search(board, 3, alpha, beta)
    low, high = engine.known[3, position_key(board)]
    assert low < high and (low == -math.inf or high == math.inf), "one bound alone is known"
    nodes, hits = engine.statistics.nodes, engine.statistics.cache_hits
    assert engine.search(board, 3, alpha, beta) == first
    assert (engine.statistics.nodes, engine.statistics.cache_hits) == (nodes, hits + 1)


def test_the_memory_is_used_long_after_the_last_capture_where_the_history_cannot_matter() -> None:
    engine, board = OpenEngine(Evaluator(), 3), late(ENDINGS[0], 40)
    engine.analyse(board)
    for move in list(board.legal_moves):
        board.push(move)
        if not board.is_game_over():
            assert (2, position_key(board)) in engine.known
        board.pop()
