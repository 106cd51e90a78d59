"""Deepening, limits and the memory: what may never happen."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import chess
import chess.engine
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from converted_notebooks import s11_iterative_deepening as s11
from converted_notebooks.s04_engine_interface import ScoredMove
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s08_evaluation import Evaluator, MobilityEvaluator, random_positions
from converted_notebooks.s09_minimax_engine import NegamaxEngine, middlegame_board
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
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
from tests.generated import examples
from tests.loader_tools import CopiedProject
from tests.notebook.test_notebook_extension import Kernel
from tests.positions import positions
from utils.jupyter_loader import JupyterLoader

Limit = chess.engine.Limit
QUICK = examples(60)
MORPHY = chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
ENDINGS = [
    "8/8/8/4k3/8/3QK3/8/8 w - - 0 1",
    "8/5k2/8/8/8/2K5/3R4/6r1 b - - 0 1",
    "8/2k5/8/3p4/3P4/8/4K3/8 w - - 0 1",
    "7k/8/8/8/8/8/n7/K6N w - - 0 1",
]


def shuffled(fen: str, plies: int, rng: random.Random) -> chess.Board:
    """A game in which both sides mostly go out and back."""
    board = chess.Board(fen)
    for _ in range(plies):
        moves = list(board.legal_moves)
        back = board.move_stack[-2] if len(board.move_stack) > 1 else None
        home = back and chess.Move(back.to_square, back.from_square)
        board.push(home if home in moves and rng.random() < 0.9 else rng.choice(moves))
        if board.is_game_over():
            board.pop()
            break
    return board


def drawn_by_history(board: chess.Board) -> bool:
    return board.is_seventyfive_moves() or board.is_fivefold_repetition()


def below(board: chess.Board, depth: int) -> Iterator[chess.Board]:
    """Every position within `depth` plies, as the same board."""
    for move in list(board.legal_moves) if depth else []:
        board.push(move)
        yield board
        if not board.is_game_over():
            yield from below(board, depth - 1)
        board.pop()


# The board that stops


@given(board=positions())
@QUICK
def test_a_limited_board_is_the_same_board(board: chess.Board) -> None:
    copy = LimitedBoard.of(board)
    assert copy == board and copy.fen() == board.fen()
    assert copy.move_stack == board.move_stack and copy.root() == board.root()
    assert list(copy.legal_moves) == list(board.legal_moves)
    assert position_key(copy) == position_key(board)
    while board.move_stack:
        assert copy.pop() == board.pop()
    assert copy.fen() == board.fen()


@given(nodes=st.integers(0, 12), board=positions())
@QUICK
def test_a_limited_board_makes_as_many_moves_as_it_may(nodes: int, board: chess.Board) -> None:
    before = board.fen()
    copy = LimitedBoard.of(board, nodes=nodes)
    move = next(iter(board.legal_moves))
    for _ in range(nodes):
        copy.push(move)
        copy.pop()
    for _ in range(2):
        with pytest.raises(LimitReachedError):
            copy.push(move)
        assert copy.fen() == before and copy.move_stack == board.move_stack
    copy.copy().push(move)
    assert board.fen() == before


def test_a_deadline_that_is_over_stops_at_once() -> None:
    board = LimitedBoard.of(chess.Board(), seconds=-1)
    with pytest.raises(LimitReachedError):
        board.push_san("e4")
    LimitedBoard.of(chess.Board(), seconds=1000).push_san("e4")


def test_a_limited_board_knows_the_repetitions() -> None:
    board = chess.Board()
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"] * 4:
        board.push_uci(uci)
    assert LimitedBoard.of(board).is_fivefold_repetition()


# The key


def test_keys_are_equal_exactly_when_the_library_says_so() -> None:
    boards = list(random_positions(700, random.Random(3)))
    boards += [shuffled(fen, 30, random.Random(4)) for fen in ENDINGS]
    for base in random.Random(5).sample(boards, 120):
        board = base.copy()
        for side, rights in itertools.product(chess.COLORS, (base.castling_rights, 0)):
            board.turn, board.castling_rights = side, rights
            for square in (None, base.ep_square):
                board.ep_square = square
                boards.append(board.copy(stack=False))
    ours = [position_key(board) for board in boards]
    theirs = [board._transposition_key() for board in boards]
    assert len(set(ours)) == len(set(theirs)) == len(set(zip(ours, theirs, strict=True)))
    assert len(set(ours)) < len(boards), "some of them are equal"


@given(board=positions(), clock=st.integers(0, 99))
@QUICK
def test_counts_of_moves_and_history_are_no_part_of_the_key(board: chess.Board, clock: int) -> None:
    other = board.copy(stack=False)
    other.halfmove_clock, other.fullmove_number = clock, clock + 1
    assert position_key(board) == position_key(other)


# The history


def test_where_the_history_does_not_matter_no_line_is_drawn_by_it() -> None:
    rng = random.Random(2)
    answers = []
    for _ in range(60):
        board = shuffled(rng.choice(ENDINGS), rng.randrange(17), rng)
        if rng.random() < 0.3:
            board = board.copy(stack=False)
            board.halfmove_clock = rng.randrange(144, 150)
        depth = rng.choice((1, 2, 2, 3))
        before = board.copy()
        matters = history_matters(board, depth)
        answers.append(matters)
        assert board == before and board.move_stack == before.move_stack
        drawn = any(drawn_by_history(b) for b in below(board, depth))
        assert matters or not drawn, (board.fen(), board.move_stack, depth)
    assert 10 < sum(answers) < 50


def test_the_history_is_noticed_one_ply_before_the_fifth_time() -> None:
    board = chess.Board()
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 4
    for uci in moves[:-1]:
        board.push_uci(uci)
    assert history_matters(board, 1)
    board.push_uci(moves[-1])
    assert board.is_fivefold_repetition()


def test_moves_before_a_capture_or_a_pawn_move_are_forgotten() -> None:
    board = chess.Board()
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"] * 3:
        board.push_uci(uci)
    assert history_matters(board, 1)
    board.push_san("e4")
    assert not history_matters(board, 3)


def test_five_occurrences_take_sixteen_plies() -> None:
    """The rule by which a node, and not only the root, may use the memory."""
    rng, found = random.Random(6), 0
    for _ in range(150):
        board = chess.Board(rng.choice(ENDINGS))
        for _ in range(40):
            last = board.move_stack[-2] if len(board.move_stack) > 1 else None
            home = last and chess.Move(last.to_square, last.from_square)
            moves = list(board.legal_moves)
            board.push(home if home in moves and rng.random() < 0.97 else rng.choice(moves))
            if board.is_fivefold_repetition():
                found += 1
                assert board.halfmove_clock >= s11.SHORTEST_FIVEFOLD
            if board.is_game_over():
                break
    assert found > 10


# Limits


@pytest.mark.parametrize("kind", [DeepeningEngine, IterativeAlphaBetaCached])
@given(board=positions(), nodes=st.integers(0, 150))
@QUICK
def test_limits_of_nodes_are_obeyed(
    kind: type[DeepeningEngine], board: chess.Board, nodes: int
) -> None:
    before = board.copy()
    engine = kind(Evaluator())
    scored = engine.analyse(board, Limit(nodes=nodes))
    assert board == before and board.move_stack == before.move_stack
    assert engine.statistics.nodes <= nodes
    assert sorted(e.move.uci() for e in scored) == sorted(m.uci() for m in board.legal_moves)
    if engine.iterations:
        exact = AlphaBetaEngine(Evaluator(), engine.iterations[-1].depth).analyse(board)
        assert {e.move: e.score for e in scored} == {e.move: e.score for e in exact}
    assert engine.play(board, Limit(nodes=nodes)).move in board.legal_moves


def test_time_that_is_over_still_gives_a_move() -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    for limit in (Limit(time=0.0), Limit(white_clock=0.0, black_clock=0.0)):
        assert engine.play(middlegame_board, limit).move in middlegame_board.legal_moves
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
    with pytest.raises(ValueError, match="depth is 0"):
        IterativeAlphaBetaCached(Evaluator(), 0)


def test_a_finished_game_has_no_moves_and_no_iterations() -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    assert engine.analyse(chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")) == []
    assert engine.iterations == () and engine.statistics.nodes == 0


@given(board=positions(max_plies=40))
@examples(25)
def test_iterations_tell_what_happened(board: chess.Board) -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    engine.analyse(board, Limit(nodes=1500))
    done = engine.iterations
    assert [i.depth for i in done] == list(range(1, len(done) + 1))
    assert all(a.nodes <= b.nodes for a, b in itertools.pairwise(done))
    for before, after in itertools.pairwise(done):
        assert after.changed == (before.best.move != after.best.move)
    assert not done or done[0].changed
    for iteration in done[:2]:
        exact = NegamaxEngine(Evaluator(), iteration.depth).analyse(board)[0]
        assert iteration.best.score == exact.score


@given(
    clock=st.floats(0, 1e5),
    increment=st.floats(0, 100),
    time=st.none() | st.floats(0, 1e4),
    turn=st.booleans(),
)
@QUICK
def test_the_clock_of_the_side_to_move_decides(
    clock: float, increment: float, time: float | None, turn: bool
) -> None:
    mine, other = ("white", "black") if turn else ("black", "white")
    clocks: dict[str, Any] = {f"{mine}_clock": clock, f"{mine}_inc": increment}
    seconds = seconds_for_move(turn, Limit(time=time, **clocks))
    assert seconds is not None and 0 <= seconds <= clock / 2
    assert time is None or seconds <= time
    clocks |= {f"{other}_clock": 7.0, f"{other}_inc": 9.0}
    assert seconds_for_move(turn, Limit(time=time, **clocks)) == seconds
    assert seconds_for_move(turn, Limit(time=time)) == time


# Mates


def test_the_shortest_mate_is_played_and_the_longest_defence() -> None:
    for start in (MORPHY, chess.Board("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1")):
        for board in (start.copy(), start.mirror()):
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


# The memory


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


class Twice(IterativeAlphaBetaCached):
    """Decorated, and the method below is decorated as well."""

    @cache_alpha_beta
    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        return super()._value(board, depth, alpha, beta)


class Plain(IterativeAlphaBetaCached):
    """Not decorated; only the method below is."""

    def _value(self, board: chess.Board, depth: int, alpha: float, beta: float) -> float:
        return super()._value(board, depth, alpha, beta)


KINDS: list[type[IterativeAlphaBetaCached]] = [IterativeAlphaBetaCached, TwoMethods, Twice, Plain]
ALL_KINDS = pytest.mark.parametrize("kind", KINDS)


def small_boards() -> list[chess.Board]:
    rng = random.Random(7)
    boards = [shuffled(fen, plies, rng) for fen in ENDINGS for plies in (0, 9, 15, 16)]
    for clock in (146, 149):
        for fen in ENDINGS:
            boards.append(chess.Board(fen))
            boards[-1].halfmove_clock = clock
    boards += [MORPHY, MORPHY.mirror()]
    boards = [board for board in boards if not board.is_game_over()]
    rng.shuffle(boards)
    return boards


@ALL_KINDS
def test_a_memory_full_of_other_positions_changes_no_score(
    kind: type[IterativeAlphaBetaCached],
) -> None:
    engine, drawn = kind(Evaluator(), 3), 0
    for board in small_boards():
        found = engine.analyse(board)
        exact = NegamaxEngine(Evaluator(), engine.iterations[-1].depth).analyse(board)
        assert {e.move: e.score for e in found} == {e.move: e.score for e in exact}
        drawn += any(drawn_by_history(b) for b in below(board, 1))
    assert drawn > 2, "the history matters somewhere"


@ALL_KINDS
def test_every_kind_of_search_obeys_limits(kind: type[IterativeAlphaBetaCached]) -> None:
    engine = kind(Evaluator())
    for board in random_positions(25, random.Random(8)):
        for nodes in (1, 60):
            assert engine.play(board, Limit(nodes=nodes)).move in board.legal_moves
            assert engine.statistics.nodes <= nodes


@ALL_KINDS
def test_a_new_game_forgets(kind: type[IterativeAlphaBetaCached]) -> None:
    engine = kind(Evaluator(), 4)
    board = chess.Board(ENDINGS[2])
    engine.analyse(board)
    first = engine.statistics
    engine.analyse(board)
    assert engine.statistics.nodes < first.nodes, "it remembers"
    engine.new_game()
    assert all(not memory(engine, k._value) for k in kind.__mro__[:2] if hasattr(k, "_value"))
    engine.analyse(board)
    assert engine.statistics == first, "as on the first day"


def test_a_new_evaluator_counts_after_new_game() -> None:
    engine, board = IterativeAlphaBetaCached(Evaluator(), 3), chess.Board(ENDINGS[1])
    engine.analyse(board)
    engine.evaluator = MobilityEvaluator()
    engine.new_game()
    exact = AlphaBetaEngine(MobilityEvaluator(), 3).analyse(board)
    assert {e.move: e.score for e in engine.analyse(board)} == {e.move: e.score for e in exact}


def test_each_engine_has_a_memory_of_its_own() -> None:
    one, two = (IterativeAlphaBetaCached(Evaluator(), 3) for _ in range(2))
    one.analyse(MORPHY)
    assert memory(one, type(one)._value) and not memory(two, type(two)._value)


def test_the_search_itself_stays_within_reach() -> None:
    cached: Any = cache_alpha_beta(AlphaBetaEngine._value)
    assert cached.__wrapped__ is AlphaBetaEngine._value
    assert cached.__name__ == "_value" and cached.__doc__ == AlphaBetaEngine._value.__doc__
    wrapped: Any = IterativeAlphaBetaCached._value
    assert wrapped.__wrapped__.__code__.co_name == "_value"


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


def test_hits_are_no_nodes_and_leaves_are_not_stored() -> None:
    engine = IterativeAlphaBetaCached(Evaluator())
    board = chess.Board(ENDINGS[0])
    assert engine._value(board, 3, -100, 100) == 9
    known = memory(engine, type(engine)._value)
    depths = {key[0] for key in known if isinstance(key, tuple)}
    assert depths == {1, 2, 3}
    nodes = engine.statistics.nodes
    assert engine._value(board, 3, -100, 100) == 9
    assert engine.statistics.nodes == nodes and engine.statistics.cache_hits > 0


ENGINE = IterativeAlphaBetaCached(MobilityEvaluator())


@given(
    fen=st.sampled_from(ENDINGS),
    path=st.lists(st.integers(0, 30), max_size=2),
    depth=st.integers(1, 2),
    low=st.integers(-120, 120),
    width=st.integers(1, 60),
)
@examples(120)
def test_results_keep_the_contract_of_a_window_whatever_is_remembered(
    fen: str, path: list[int], depth: int, low: int, width: int
) -> None:
    board = chess.Board(fen)
    for number in path:
        moves = list(board.legal_moves)
        board.push(moves[number % len(moves)])
        assume(not board.is_game_over())
    alpha, beta = low / 10, (low + width) / 10
    exact = AlphaBetaEngine(MobilityEvaluator())._value(board, depth, -100, 100)
    # One engine for all examples: its memory fills with results of all sorts of windows.
    result = ENGINE._value(board, depth, alpha, beta)
    if alpha < exact < beta:
        assert result == exact
    elif exact <= alpha:
        assert exact <= result <= alpha
    else:
        assert beta <= result <= exact
    bounds = memory(ENGINE, type(ENGINE)._value)[depth, position_key(board)]
    assert bounds[0] <= exact <= bounds[1]


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


def test_an_edit_of_the_search_in_s10_arrives_in_a_running_kernel(project: CopiedProject) -> None:
    """The edit makes each cut-off count a thousand times."""
    loader = JupyterLoader()
    for name in loader.chapters():
        if name < "s12":
            project.write_bytes(name, loader.notebook(name).read_bytes())
    kernel = Kernel(project)
    try:
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
    finally:
        kernel.stop()
