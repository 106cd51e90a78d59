"""Playing: what is read, what is said, what is searched, and one answer to each question."""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections.abc import Iterator
from typing import Any

import chess
import pytest
from chess.engine import BestMove, Cp, Limit, Mate, PlayResult, _parse_uci_info
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s25_playing as s25
from converted_notebooks.s04_engine_interface import FirstMoveEngine, play_game
from converted_notebooks.s15_transposition_table import Bound
from converted_notebooks.s19_endgame_tables import (
    MATE_SCORE,
    Verdict,
    probe,
    random_entries,
    three_piece_tables,
)
from converted_notebooks.s20_board_of_numbers import move_of
from converted_notebooks.s23_tournament_engine import (
    MATE,
    MOST_PLIES,
    SearchEngine,
    seconds_for,
)
from tests.generated import examples
from tests.play.front_end import Scripted
from tests.positions import STARTS, positions
from tests.programs import need
from tests.properties import assert_analysis, assert_plays, unchanged
from utils.engines import ENGINES
from utils.paths import ROOT as PROJECT

PROVE = examples(60)
ROOK = "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"
A3 = chess.Move.from_uci("a2a3")


def bestmoves(said: list[str]) -> list[str]:
    """The moves that were answered."""
    return [line.split()[1] for line in said if line.startswith("bestmove ")]


# What is read

squares = st.integers(0, 63)
uci_moves = st.builds(
    chess.Move, squares, squares, st.sampled_from([None, chess.QUEEN, chess.KNIGHT])
).filter(lambda move: move.from_square != move.to_square)
go_commands = st.builds(
    s25.GoCommand,
    **{name: st.none() | st.integers(-10, 10**7) for name in s25.NUMBERS},
    infinite=st.booleans(),
    ponder=st.booleans(),
    searchmoves=st.lists(uci_moves, max_size=4).map(tuple),
)


@PROVE
@given(go_commands, st.permutations(range(len(s25.NUMBERS) + 3)))
def test_whatever_order_go_comes_in_it_is_read(command: s25.GoCommand, order: list[int]) -> None:
    values = [(name, getattr(command, name)) for name in s25.NUMBERS]
    parts = [[] if value is None else [name, str(value)] for name, value in values]
    parts += [[name] if getattr(command, name) else [] for name in ("infinite", "ponder")]
    moves = [move.uci() for move in command.searchmoves]
    parts.append(["searchmoves", *moves] if moves else [])
    assert s25.parse_go([word for number in order for word in parts[number]]) == command


@PROVE
@given(go_commands, st.integers(0, 5000))
def test_every_go_makes_a_limit_that_the_engine_can_obey(
    command: s25.GoCommand, overhead: int
) -> None:
    limit = s25.limit_of(command, overhead)
    assert limit.depth is None or 1 <= limit.depth <= 200
    if command.depth is not None and command.mate is None:
        assert limit.depth == min(max(command.depth, 1), MOST_PLIES)
    assert limit.nodes is None or limit.nodes >= 1
    for seconds, milliseconds in (
        (limit.time, command.movetime),
        (limit.white_inc, command.winc),
        (limit.black_clock, None if command.btime is None else command.btime - overhead),
    ):
        assert seconds == (None if milliseconds is None else max(milliseconds, 0) / 1000)
    for turn in chess.COLORS:
        soft, hard = seconds_for(turn, limit)
        assert 0 <= soft <= hard
        clock = command.wtime if turn else command.btime
        assert clock is None or hard <= max(clock, 0) / 1000


@PROVE
@given(positions())
def test_a_position_comes_back_with_its_history(board: chess.Board) -> None:
    moves = [move.uci() for move in board.move_stack]
    again = s25.parse_position(["fen", *board.root().fen().split(), "moves", *moves])
    assert again == board and again.move_stack == board.move_stack
    assert again.is_repetition(2) == board.is_repetition(2)


@PROVE
@given(positions(max_plies=20), st.data())
def test_a_move_that_is_not_legal_is_named(board: chess.Board, data: st.DataObject) -> None:
    legal = {move.uci() for move in board.legal_moves}
    text = data.draw(uci_moves.map(chess.Move.uci).filter(lambda text: text not in legal))
    if board.is_castling(chess.Move.from_uci(text)):
        return  # the king captures its rook: another way to say that he castles
    with pytest.raises(ValueError, match=f"move 1 '{text}' is not legal"):
        s25.parse_position(["fen", *board.fen().split(), "moves", text])


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "no black king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "too many kings"),
        ("k7/8/8/8/8/8/8/K6P w - - 0 1", "pawns on backrank"),
        ("k7/8/8/8/8/8/8/KR6 w - - 0 1", None),
        ("kR6/8/8/8/8/8/8/K7 w - - 0 1", "opposite check"),
        ("QQQQQQQQ/QQQQQQQQ/8/8/8/7k/8/K7 w - - 0 1", "opposite check"),
        ("qqqq4/8/8/8/7k/8/8/5K2 b - - 0 1", None),
        ("k7/8/8/8/8/8/8/K7 w KQkq - 0 1", None),
        ("k7/8/8/8/8/8/8/K7", None),
        ("k7/8/8/8/8/8/8/K7 w - - 99999 1", None),
    ],
)
def test_what_no_search_survives_is_refused_and_nothing_else(fen: str, reason: str | None) -> None:
    if reason:
        with pytest.raises(ValueError, match=reason):
            s25.parse_position(["fen", *fen.split()])
    else:
        (best,) = bestmoves(s25.converse([f"position fen {fen}", "go nodes 300"]))
        assert chess.Move.from_uci(best) in chess.Board(fen).legal_moves


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ("depth 1e400", "depth '1e400': expected a whole number"),
        ("movetime nan", "movetime 'nan': expected a whole number"),
        ("searchmoves zzz depth 2", "searchmoves 'zzz': expected a move"),
        ("infinite wtime", "wtime '': expected a whole number"),
    ],
)
def test_a_go_that_cannot_be_read_is_named_and_answered(limits: str, value: str) -> None:
    board = chess.Board(STARTS[1])
    message, *rest = s25.converse([f"position fen {board.fen()}", f"go {limits}"])
    assert message.startswith("info string go ") and value in message
    assert [line for line in rest if not line.startswith("info ")] == rest[-1:]
    assert chess.Move.from_uci(rest[-1].split()[1]) in board.legal_moves


def test_after_a_position_that_cannot_be_read_there_is_no_move_until_the_next() -> None:
    for wrong in ("position startpos moves e2e5", "position fen 8/8", "position", "position here"):
        lines = [f"position fen {STARTS[1]}", wrong, "go depth 1", "go infinite", "stop"]
        said = s25.converse([*lines, "position startpos", "go depth 1"])
        *none, best = bestmoves(said)
        assert none == ["0000"] * 2 and chess.Move.from_uci(best) in chess.Board().legal_moves
        assert sum(line.startswith("info string position") for line in said) == 1
        assert sum(line.startswith("info string go: the last position") for line in said) == 2


# What is said


@PROVE
@given(
    st.one_of(st.integers(-3000, 3000), st.integers(1, 900).map(lambda n: MATE - n)),
    st.sampled_from([-1, 1]),
    st.sampled_from(Bound),
    positions(max_plies=8),
    st.integers(0, 10**6),
)
def test_python_chess_reads_what_we_say(
    value: int, sign: int, bound: Bound, board: chess.Board, nodes: int
) -> None:
    pv = [next(iter(board.legal_moves))]
    report = s25.Report(1.5, pv, 7, 9, 2, s25.score_text(sign * value, bound), nodes, 0.25)
    read = dict(_parse_uci_info(s25.info_line(report).removeprefix("info "), board))
    score: Any = read.pop("score")
    bounds = {read.pop("lowerbound", None): Bound.LOWER, read.pop("upperbound", None): Bound.UPPER}
    assert bounds.get(True, Bound.EXACT) == bound
    assert read == {
        **{"pv": pv, "depth": 7, "seldepth": 9, "multipv": 2, "nodes": nodes},
        **{"hashfull": 250, "time": 1.5, "nps": int(nodes / 1.5)},
    }
    plies = MATE - value
    moves = Mate((plies + 1) // 2 if sign > 0 else -(plies // 2))
    assert score.pov(board.turn) == (Cp(sign * value) if value <= 3000 else moves)


ANNOUNCED = """
Hash type spin default 64 min 1 max 4096
Clear Hash type button
MultiPV type spin default 1 min 1 max 256
Ponder type check default false
OwnBook type check default false
BookFile type string default <empty>
EndgameTables type check default false
SyzygyPath type string default <empty>
Move Overhead type spin default 30 min 0 max 5000
UCI_AnalyseMode type check default false
"""


def test_the_options_are_announced_and_their_defaults_read() -> None:
    said = [line.split(maxsplit=2) for line in s25.converse(["uci"])]
    chapter, *others = [text for word, _, text in said[2:-1] if word == "option"]
    assert chapter.startswith("Chapter type combo default s23 var s05 var s06 ")
    assert others == ANNOUNCED.strip().splitlines()
    for key, option in s25.OPTIONS.items():
        if option.kind != "button":
            default, name = getattr(s25.Settings(), key), option.name.upper()
            text = str(default).lower() or "<empty>"
            assert s25.read_option(option, text) == default
            assert s25.parse_option(f"name {name} value {text}") == (name, text)


@pytest.mark.parametrize("chapter", ENGINES)
def test_every_engine_answers_with_a_legal_move_of_those_allowed(chapter: str) -> None:
    board, allowed = chess.Board(STARTS[1]), ["a2a3", "e2a6", "h1g1"]
    said = s25.converse(
        [
            f"setoption name Chapter value {chapter}",
            f"position fen {board.fen()}",
            "go movetime 60",
            f"go movetime 60 searchmoves {' '.join(allowed)}",
            "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "go movetime 60",
        ]
    )
    free, bound, none = bestmoves(said)
    assert chess.Move.from_uci(free) in board.legal_moves and bound in allowed
    assert none == "(none)" and not any(line.startswith("info string") for line in said), said


@pytest.mark.parametrize("turn", chess.COLORS)
@pytest.mark.parametrize("chapter", ["s12", "s14", "s17", "s23"])
def test_scores_go_out_from_the_view_of_the_side_to_move(chapter: str, turn: bool) -> None:
    board = chess.Board("3qk3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    fen = (board.mirror() if turn else board).fen()
    said = s25.converse(
        [f"setoption name Chapter value {chapter}", f"position fen {fen}", "go depth 2"]
    )
    scores = [line.split(" cp ")[1].split()[0] for line in said if " cp " in line]
    assert scores and all(int(score) > 300 for score in scores), said


# What is searched


@PROVE
@given(positions(max_plies=30), st.integers(50, 600))
def test_the_expected_line_can_be_played(board: chess.Board, nodes: int) -> None:
    engine = SearchEngine(megabytes=1)
    move = assert_plays(engine, board, Limit(nodes=nodes))
    with unchanged(board):
        line = s25.principal_variation(engine.memory, board, [move])
    assert line[0] == move
    walk, seen = board.copy(), set()
    for expected in line:
        assert expected in walk.legal_moves
        walk.push(expected)
        seen.add(walk.epd())
    assert len(line) <= 120 and len(seen) >= len(line) - 1
    assert s25.principal_variation(engine.memory, board, [move], longest=1) == [move]


@examples(15)
@given(positions(max_plies=30), st.integers(2, 5))
def test_each_line_is_the_best_of_what_is_left(board: chess.Board, lines: int) -> None:
    reports = list[s25.Report]()

    def search(**options: Any) -> tuple[chess.Move, list[tuple[int, int]]]:
        searcher = s25.ReportingEngine(megabytes=4).searcher
        orders = searcher.orders = s25.Orders(
            s25.GoCommand(depth=3), report=reports.append, **options
        )
        return searcher.best_move(board, orders.limit), searcher.lines

    move, found = search(lines=lines)
    values, moves = [value for value, _ in found], [move_of(number) for _, number in found]
    assert moves[0] == move and values == sorted(values, reverse=True)
    assert len(moves) == min(lines, board.legal_moves.count()) == len(set(moves))
    last = [r for r in reports if r.depth == reports[-1].depth and "bound" not in str(r.score)]
    assert [(r.multipv, r.pv[0]) for r in last] == list(enumerate(moves, 1))
    if moves[1:]:
        assert search(root_moves=moves[1:])[0] in moves[1:]


def drawn_in_tables(boards: int, seed: int) -> Iterator[tuple[chess.Board, Verdict]]:
    """Random positions of the queen's and the rook's table in which somebody can move."""
    for table in three_piece_tables()[:2]:
        for board in random_entries(table, boards, random.Random(seed)):
            verdict = probe(three_piece_tables(), board)
            if any(board.legal_moves):
                assert verdict is not None
                yield board, verdict


def test_a_mate_is_found_in_as_many_moves_as_the_tables_say_and_not_in_fewer() -> None:
    found = {(v.plies, bool(board.queens)): board for board, v in drawn_in_tables(600, 22)}
    for plies, queen in itertools.product((1, 3, 5), (True, False)):
        board, moves = found[plies, queen], (plies + 1) // 2
        for wanted in range(max(1, moves - 1), moves + 1):
            reports = list[s25.Report]()
            orders = s25.Orders(s25.GoCommand(mate=wanted), report=reports.append)
            best = s25.SearchThinker(1).think(board.copy(), orders).move
            assert (reports[-1].score == f"mate {wanted}") == (wanted == moves), board.fen()
        assert best is not None
        board.push(best)
        assert probe(three_piece_tables(), board) == Verdict(-1, plies - 1)


class OurSyzygy:
    """Answers as Syzygy does, from our tables: without pawns both count to mate."""

    def verdict(self, board: chess.Board) -> Verdict:
        verdict = probe(three_piece_tables()[:2], board)
        if verdict is None:
            raise KeyError("no such table")
        return verdict

    def probe_wdl(self, board: chess.Board) -> int:
        return 2 * self.verdict(board).result

    def probe_dtz(self, board: chess.Board) -> int:
        verdict = self.verdict(board)
        return verdict.result * verdict.plies


def test_tables_keep_the_result_and_make_progress() -> None:
    tables: Any = three_piece_tables()
    syzygy: Any = OurSyzygy()
    for board, verdict in drawn_in_tables(50, 5):
        for moves in (s25.table_moves(tables, board), s25.syzygy_moves(syzygy, board)):
            assert moves and set(moves) <= set(board.legal_moves)
            for move in moves:
                board.push(move)
                after = probe(tables, board)
                board.pop()
                assert after is not None and after.result == -verdict.result
                assert verdict.result < 1 or after.plies == verdict.plies - 1
    assert s25.syzygy_moves(syzygy, chess.Board()) == []


def test_a_pawn_move_that_keeps_the_win_is_progress_however_long_what_follows() -> None:
    class Endless(OurSyzygy):
        """Everything is won, and the way is longer after a pawn move."""

        def probe_wdl(self, board: chess.Board) -> int:
            return 2 if board.turn == chess.WHITE else -2

        def probe_dtz(self, board: chess.Board) -> int:
            return -50

    board = chess.Board("8/8/8/4k3/8/4K3/3P4/8 w - - 0 1")
    moves = s25.syzygy_moves(Endless(), board)  # type: ignore[arg-type]
    assert {move.uci() for move in moves} == {"d2d3", "d2d4"}


def test_damaged_tables_do_not_cost_the_game() -> None:
    class Damaged(OurSyzygy):
        def probe_wdl(self, board: chess.Board) -> int:
            raise EOFError("the file ends too early")

    mind = s25.PlayingMind(random.Random(1))
    mind.shelf.syzygy = Damaged()  # type: ignore[assignment]
    with pytest.warns(UserWarning, match="the file ends too early"):
        assert mind.think(chess.Board(ROOK), s25.Orders(s25.GoCommand(depth=2))).move
    assert mind.shelf.syzygy is None


def test_the_tables_choose_if_they_are_asked() -> None:
    mind, board = s25.PlayingMind(random.Random(1)), chess.Board(ROOK)
    best = tuple(s25.table_moves(three_piece_tables(), board))
    for asked, allowed in ((True, best), (False, ())):
        mind.set("tables", asked)
        orders = s25.Orders(s25.GoCommand(depth=1))
        assert mind.think(board.copy(), orders).move in (best if asked else board.legal_moves)
        assert orders.root_moves == allowed


def test_the_book_is_for_games_only() -> None:
    mind = s25.PlayingMind(random.Random(1))
    mind.set("own_book", True)

    def searches(*, root_moves: tuple[chess.Move, ...] = (), **command: Any) -> bool:
        mind.thinker = None
        orders = s25.Orders(s25.GoCommand(**command), root_moves=root_moves, patience=0.1)
        assert mind.think(chess.Board(), orders).move is not None
        return mind.thinker is not None

    assert not searches(depth=1)
    assert searches(infinite=True, depth=1) and searches(mate=1)
    assert searches(depth=1, root_moves=(A3,))
    for key, value in (("multipv", 2), ("analysing", True)):
        mind.set(key, value)
        assert searches(depth=1)
        mind.set(key, getattr(mind.defaults, key))


def test_a_setting_that_fails_stays_as_it_was() -> None:
    mind = s25.PlayingMind(random.Random(1))
    for key, value in (("hash", 8), ("own_book", True)):
        mind.set(key, value)
        assert getattr(mind.settings, key) == value
    thinker = mind.prepare()
    mind.set("hash", 8)
    assert mind.thinker is thinker, "it is as it was"
    mind.set("hash", 4)
    assert mind.thinker is None
    for key, wrong in (("syzygy_path", "/no/such"), ("book_file", "no-book.bin")):
        with pytest.raises((ValueError, OSError), match=wrong):
            mind.set(key, wrong)
        assert getattr(mind.settings, key) == ""
    assert mind.shelf.book is not None and mind.defaults == s25.Settings()


# The clock


def started(**command: Any) -> s25.ReportingSearch:
    """A search of the first position that obeys a command."""
    searcher = s25.ReportingEngine(megabytes=1).searcher
    searcher.orders = s25.Orders(s25.GoCommand(**command))
    searcher.start(chess.Board(), searcher.orders.limit)
    return searcher


def test_no_time_runs_while_pondering_and_all_of_it_afterwards() -> None:
    searcher = started(ponder=True, wtime=60_000, btime=60_000)
    orders = searcher.orders
    assert searcher.deadline == searcher.soft == math.inf
    orders.began, orders.pondering = orders.began + 1000, False
    searcher.wind()
    soft, hard = seconds_for(chess.WHITE, orders.limit)
    assert (searcher.began, searcher.soft) == (orders.began, soft)
    assert searcher.deadline == orders.began + hard
    assert not searcher.stopped and searcher.next_check == 0


def test_a_ponderhit_that_nobody_waits_for_gives_no_time() -> None:
    orders, said = s25.Orders(s25.GoCommand(wtime=1000)), list[str]()
    began = orders.began
    s25.SafeThought(
        s25.PlayingMind(random.Random(1)), chess.Board(), orders, said.append
    ).ponderhit()
    assert orders.began == began and said == []


def test_with_no_time_left_there_is_time_for_a_ply() -> None:
    said = s25.converse(["position startpos moves e2e4", "go wtime 0 btime 0 winc 500 binc 500"])
    assert said[-1].startswith("bestmove")
    searcher = started(wtime=0)
    assert 0 < searcher.deadline - searcher.orders.began < 0.02


def test_an_only_move_costs_no_time_of_the_clock() -> None:
    for fen, depth in (("4k3/8/8/8/8/8/r7/7K w - - 0 1", 1), (chess.STARTING_FEN, None)):
        orders = s25.Orders(s25.GoCommand(wtime=600_000, nodes=50))
        s25.PlayingMind(random.Random(1)).think(chess.Board(fen), orders)
        assert orders.limit.depth == depth


def test_old_orders_do_not_bind_a_new_search() -> None:
    engine = s25.ReportingEngine(megabytes=1)
    engine.searcher.orders = s25.Orders(s25.GoCommand(nodes=10), root_moves=[A3])
    engine.searcher.orders.stopped = True
    engine.play(chess.Board(), Limit(nodes=500))
    assert engine.searcher.nodes == 500


# Other engines, and what goes wrong with them


class Failing(s25.Thinker):
    """Fails in the way that it is told to, perhaps after a report of a move."""

    def __init__(self, failure: object, reported: str | None) -> None:
        self.failure, self.reported = failure, reported

    def think(self, board: chess.Board, orders: s25.Orders) -> BestMove:
        if self.reported:
            orders.report(s25.Report(0, [chess.Move.from_uci(self.reported)]))
        board.clear()  # what happens to its board is its own business
        if isinstance(self.failure, BaseException):
            raise self.failure
        return BestMove(self.failure, None)  # type: ignore[arg-type]


FAILURES = [
    *(ValueError("line one\nline two é"), RecursionError(), MemoryError(), SystemExit(3)),
    *(AssertionError("x" * 5000), None, chess.Move.null(), chess.Move.from_uci("e2e5")),
]


@pytest.mark.parametrize("reported", [None, "d2d4", "e2e5"])
@pytest.mark.parametrize("failure", [*FAILURES, s25.EngineThinker(Scripted("resign"))])
def test_a_failure_is_told_and_a_legal_move_is_played(failure: Any, reported: str | None) -> None:
    mind, said = s25.PlayingMind(random.Random(1)), list[str]()
    resigns = isinstance(failure, s25.EngineThinker)
    mind.thinker = s25.EngineThinker(Scripted("resign")) if resigns else Failing(failure, reported)
    thought = s25.SafeThought(mind, chess.Board(), s25.Orders(), said.append)
    thought.run()
    thought.answer()
    (move,) = bestmoves(said)
    assert chess.Move.from_uci(move) in chess.Board().legal_moves
    assert reported != "d2d4" or move == "d2d4" or resigns
    (told,) = [line for line in said if line.startswith("info string")]
    assert "the engine failed" in told and ("it resigned" in told) == resigns
    assert all(len(line) < 400 and line.isascii() and line.isprintable() for line in said)
    assert mind.thinker is None


def test_an_engine_that_can_be_stopped_is_stopped() -> None:
    class Stoppable(FirstMoveEngine):
        stops = 0

        def stop(self) -> None:
            self.stops += 1

        def play(self, board: chess.Board, limit: Limit | None = None) -> PlayResult:
            thought.stop()  # as another thread would
            return super().play(board, limit)

    engine, said, mind = Stoppable(), list[str](), s25.PlayingMind(random.Random(1))
    mind.thinker = s25.EngineThinker(engine)
    thought = s25.SafeThought(
        mind, chess.Board(), s25.Orders(s25.GoCommand(infinite=True)), said.append
    )
    thought.run()
    assert engine.stops == 1 and said[-1].startswith("bestmove")


def test_scored_moves_are_only_asked_for_where_some_moves_are_allowed() -> None:
    thinker = s25.EngineThinker(Scripted("b1c3"))
    assert thinker.think(chess.Board(), s25.Orders()).move == chess.Move.from_uci("b1c3")
    allowed = [A3, chess.Move.from_uci("d2d4")]
    first = next(move for move in chess.Board().legal_moves if move in allowed)
    assert thinker.think(chess.Board(), s25.Orders(root_moves=allowed)).move == first


# What a person types.


@given(positions())
@examples(60)
def test_every_legal_move_is_read_in_both_notations(board: chess.Board) -> None:
    for move in board.legal_moves:
        assert s25.read_move(board, move.uci()) == move
        assert s25.read_move(board, f" {board.san(move)} ") == move


@given(positions(), st.sampled_from(chess.SQUARES), st.sampled_from(["", *"qrbnkp"]))
@examples(60)
def test_an_illegal_move_gets_one_sentence(
    board: chess.Board, target: chess.Square, promotion: str
) -> None:
    for start in board.piece_map():
        text = chess.square_name(start) + chess.square_name(target) + promotion
        try:
            assert s25.read_move(board, text) in board.legal_moves
        except s25.MoveTextError as error:
            assert text in str(error)
        raw = chess.Move(start, target)
        if raw not in board.legal_moves:
            sentence = s25.explain_illegal(board, raw)
            assert sentence.endswith(".")
            assert sentence[0].isupper()


@given(positions(max_plies=5), st.text(max_size=8))
@examples(150)
def test_any_text_is_a_legal_move_or_a_clear_error(board: chess.Board, text: str) -> None:
    try:
        assert s25.read_move(board, text) in board.legal_moves
    except s25.MoveTextError as error:
        assert repr(text.strip()) in str(error)


@pytest.mark.parametrize(
    ("fen", "uci", "words"),
    [
        (chess.STARTING_FEN, "e4e5", "no piece on e4"),
        (chess.STARTING_FEN, "e7e5", "is not yours"),
        (chess.STARTING_FEN, "a1a2", "Your own pawn"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "would come under attack"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "h1h2", "would stay under attack"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "Say what the pawn becomes"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h8q", "Only a pawn"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "Castling"),
        (chess.STARTING_FEN, "g1g3", "cannot go to g3"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1e3", "The king on e1 cannot go to e3"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g3", "The king on e1 cannot go to g3"),
        ("4k3/8/8/8/4K3/8/8/8 w - - 0 1", "e4g4", "The king on e4 cannot go to g4"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", "Say what the pawn becomes"),
        (chess.STARTING_FEN, "a2a8", "The pawn on a2 cannot go to a8"),
        (chess.STARTING_FEN, "a2a4q", "only on the last rank"),
    ],
)
def test_the_reason_is_the_right_one(fen: str, uci: str, words: str) -> None:
    assert words in s25.explain_illegal(chess.Board(fen), chess.Move.from_uci(uci))


@pytest.mark.parametrize("text", ["0000", "--", "Z0", "@@@@", ""])
def test_no_move_at_all_is_said_to_be_none(text: str) -> None:
    with pytest.raises(s25.MoveTextError, match=r"is not a move\. Expected one like"):
        s25.read_move(chess.Board(), text)


def test_a_bishop_is_not_taken_for_a_file() -> None:
    board = chess.Board("7k/8/8/2p5/1P1B4/8/8/K7 w - - 0 1")
    assert s25.read_move(board, "B4c5") == chess.Move(chess.D4, chess.C5)
    assert s25.read_move(board, "b4c5") == s25.read_move(board, "B4C5")
    assert s25.read_move(board, "b4c5") == chess.Move(chess.B4, chess.C5)


def test_an_ambiguous_move_lists_what_fits() -> None:
    board = chess.Board("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    with pytest.raises(s25.MoveTextError, match=r"Rad1, Rhd1\.$"):
        s25.read_move(board, "Rd1")


# Programs as engines.


def test_stockfish_fits_the_interface() -> None:
    white = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    limit = Limit(depth=4)
    with s25.UciEngine(need("stockfish"), {"Threads": 1}) as engine:
        assert "Stockfish" in engine.name
        for board, score in ((white, MATE_SCORE - 1), (white.mirror(), 1 - MATE_SCORE)):
            best = assert_analysis(engine, board, limit)[0]
            assert best.score == score and best.move == assert_plays(engine, board, limit)
        record = play_game(engine, FirstMoveEngine(), limit=limit, max_plies=60)
        assert record.result == "1-0"


def test_a_program_that_is_absent_is_an_error_that_names_it() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-engine"):
        s25.UciEngine("no-such-engine")


def test_the_program_is_told_of_each_new_game(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="chess.engine")
    with s25.UciEngine([sys.executable, str(PROJECT / "tests" / "uci_dummy.py")]) as engine:
        for _ in range(3):
            engine.new_game()
            engine.play(chess.Board())
            engine.play(chess.Board())
    assert caplog.text.count("<< go") == 6
    assert caplog.text.count("<< ucinewgame") == 3
