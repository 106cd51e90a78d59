"""Playing: what is read, what is said, what is searched, and one answer to each question."""

import math
import random
from collections.abc import Iterator

import chess
import chess.engine
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine, ScoredMove
from converted_notebooks.s15_transposition_table import Bound
from converted_notebooks.s19_endgame_tables import (
    Verdict,
    probe,
    random_entries,
    three_piece_tables,
)
from converted_notebooks.s20_tournament_engine import (
    MATE,
    SearchEngine,
    move_of,
    seconds_for,
)
from converted_notebooks.s22_playing import (
    NUMBERS,
    OPTIONS,
    AdjustableMind,
    EngineThinker,
    GoCommand,
    Orders,
    PlayingMind,
    Report,
    ReportingEngine,
    SafeThought,
    SearchThinker,
    Settings,
    Thinker,
    converse,
    info_line,
    limit_of,
    parse_go,
    parse_option,
    parse_position,
    principal_variation,
    read_option,
    score_text,
    syzygy_moves,
    table_moves,
)
from tests.generated import examples
from tests.positions import STARTS, positions
from tests.properties import assert_plays, unchanged
from utils.engines import ENGINES

PROVE = examples(60)
KNOWN = """
startpos fen moves e2e4 e1g1 0000 e7e8q P@e4 a1a1 e9e4 go depth infinite searchmoves wtime ponder
movestogo -5 1e9 nan inf 99999999999999999999 name value w - KQkq
"""
WORDS = st.lists(
    st.one_of(
        st.sampled_from(KNOWN.split()),
        st.text(max_size=8).filter(lambda text: len(text.split()) == 1),
    ),
    max_size=12,
)
squares = st.integers(0, 63)
uci_moves = st.builds(
    chess.Move, squares, squares, st.sampled_from([None, chess.QUEEN, chess.KNIGHT])
).filter(lambda move: move.from_square != move.to_square)
go_commands = st.builds(
    GoCommand,
    **{name: st.none() | st.integers(-10, 10**7) for name in NUMBERS},
    infinite=st.booleans(),
    ponder=st.booleans(),
    searchmoves=st.lists(uci_moves, max_size=4).map(tuple),
)


@PROVE
@given(go_commands, st.permutations(range(len(NUMBERS) + 3)))
def test_whatever_order_go_comes_in_it_is_read(command: GoCommand, order: list[int]) -> None:
    parts = [
        [name, str(value)] if (value := getattr(command, name)) is not None else []
        for name in NUMBERS
    ]
    parts += [[name] if getattr(command, name) else [] for name in ("infinite", "ponder")]
    moves = [move.uci() for move in command.searchmoves]
    parts.append(["searchmoves", *moves] if moves else [])
    assert parse_go([word for number in order for word in parts[number]]) == command


@PROVE
@given(go_commands, st.integers(0, 5000))
def test_every_go_makes_a_limit_that_the_engine_can_obey(command: GoCommand, overhead: int) -> None:
    limit = limit_of(command, overhead)
    assert limit.depth is None or 1 <= limit.depth <= 200
    assert limit.nodes is None or limit.nodes >= 1
    for turn in chess.COLORS:
        soft, hard = seconds_for(turn, limit)
        assert 0 <= soft <= hard
        clock = command.wtime if turn else command.btime
        if clock is not None:
            assert hard <= max(clock, 0) / 1000


@examples(150)
@given(WORDS)
@example(["fen", *chess.STARTING_FEN.split(), "moves", "P@e4"])
@example(["startpos", "moves", "a1a1"])
@example(["fen", "k7/8/8/8/8/8/8/K6P", "w", "-", "-", "0", "1"])
def test_junk_is_a_value_error_or_a_value(words: list[str]) -> None:
    for read in (parse_go, parse_position, lambda words: parse_option(" ".join(words))):
        try:
            read(words)
        except ValueError as error:
            assert str(error).isprintable() and len(str(error)) < 400


@PROVE
@given(positions())
def test_a_position_comes_back_with_its_history(board: chess.Board) -> None:
    moves = [move.uci() for move in board.move_stack]
    again = parse_position(["fen", *board.root().fen().split(), "moves", *moves])
    assert again == board and again.move_stack == board.move_stack
    assert again.is_repetition(2) == board.is_repetition(2)


@PROVE
@given(positions(max_plies=20), st.data())
def test_a_move_that_is_not_legal_is_named(board: chess.Board, data: st.DataObject) -> None:
    legal = {move.uci() for move in board.legal_moves}
    text = data.draw(uci_moves.map(chess.Move.uci).filter(lambda text: text not in legal))
    if board.is_castling(chess.Move.from_uci(text)):
        return  # the king captures its rook: another way to say that he castles
    words = ["fen", *board.fen().split(), "moves", text]
    with pytest.raises(ValueError, match=f"move 1 '{text}' is not legal"):
        parse_position(words)


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
            parse_position(["fen", *fen.split()])
    else:
        said = converse([f"position fen {fen}", "go nodes 300"])
        board = chess.Board(fen)
        assert said[-1].startswith("bestmove")
        assert chess.Move.from_uci(said[-1].split()[1]) in board.legal_moves


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
    message, *rest = converse([f"position fen {board.fen()}", f"go {limits}"])
    assert message.startswith("info string go ") and value in message
    assert [line for line in rest if not line.startswith("info ")] == rest[-1:]
    assert chess.Move.from_uci(rest[-1].split()[1]) in board.legal_moves


def test_after_a_position_that_cannot_be_read_there_is_no_move_until_the_next() -> None:
    for wrong in ("position startpos moves e2e5", "position fen 8/8", "position", "position here"):
        lines = [f"position fen {STARTS[1]}", wrong, "go depth 1", "go infinite", "stop"]
        said = converse([*lines, "position startpos", "go depth 1"])
        best = [line for line in said if line.startswith("bestmove")]
        assert best[:2] == ["bestmove 0000"] * 2 and len(best) == 3
        assert chess.Move.from_uci(best[2].split()[1]) in chess.Board().legal_moves
        assert sum(line.startswith("info string position") for line in said) == 1
        assert sum(line.startswith("info string go: the last position") for line in said) == 2


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
    report = Report(1.5, pv, 7, 9, 2, score_text(sign * value, bound), nodes, 0.25)
    line = info_line(report)
    read = chess.engine._parse_uci_info(line.removeprefix("info "), board)
    assert read["pv"] == pv and read["depth"] == 7 and read["seldepth"] == 9
    assert read["multipv"] == 2 and read["nodes"] == nodes and read["hashfull"] == 250
    assert read["time"] == 1.5 and read["nps"] == int(nodes / 1.5)
    assert read.get("lowerbound", False) == (bound == Bound.LOWER)
    assert read.get("upperbound", False) == (bound == Bound.UPPER)
    score = read["score"].pov(board.turn)
    if value <= 3000:
        assert score == chess.engine.Cp(sign * value)
    else:
        plies = MATE - value
        assert score == chess.engine.Mate((plies + 1) // 2 if sign > 0 else -(plies // 2))


def test_python_chess_reads_the_options_and_their_defaults() -> None:
    given_settings = Settings()
    for key, option in OPTIONS.items():
        default = getattr(given_settings, key, "")
        line = option.line(default)
        words = line.split()
        assert line.startswith(f"option name {option.name} type {option.kind}")
        if option.kind == "button":
            assert "default" not in words and not hasattr(given_settings, key)
            continue
        text = line.partition(" default ")[2].partition(" min ")[0].partition(" var ")[0]
        assert read_option(option, text) == default
        assert parse_option(f"name {option.name.upper()} value {text}") == (
            option.name.upper(),
            text,
        )
    assert {option.name for option in OPTIONS.values()} >= {
        *("Hash", "Clear Hash", "OwnBook", "BookFile", "SyzygyPath", "MultiPV", "Ponder"),
        "Chapter",
    }


@PROVE
@given(positions(max_plies=30), st.integers(50, 600))
def test_the_expected_line_can_be_played(board: chess.Board, nodes: int) -> None:
    engine = SearchEngine(megabytes=1)
    move = assert_plays(engine, board, chess.engine.Limit(nodes=nodes))
    with unchanged(board):
        line = principal_variation(engine.memory, board, [move])
    assert line[0] == move
    walk = board.copy()
    seen = set()
    for expected in line:
        assert expected in walk.legal_moves
        walk.push(expected)
        seen.add(walk.epd())
    assert len(line) <= 120 and len(seen) >= len(line) - 1
    assert principal_variation(engine.memory, board, [move], longest=1) == [move]


def lines_of(
    engine: ReportingEngine, board: chess.Board, **options: object
) -> tuple[chess.Move, list[Report]]:
    reports: list[Report] = []
    command = GoCommand(depth=3)
    orders = Orders(command, report=reports.append, **options)  # type: ignore[arg-type]
    engine.searcher.orders = orders
    return engine.searcher.best_move(board, orders.limit), reports


@examples(15)
@given(positions(max_plies=30), st.integers(2, 5))
def test_each_line_is_the_best_of_what_is_left(board: chess.Board, lines: int) -> None:
    engine = ReportingEngine(megabytes=4)
    move, reports = lines_of(engine, board, lines=lines)
    found = engine.searcher.lines
    assert move_of(found[0][1]) == move
    assert len(found) == min(lines, board.legal_moves.count()) == len({m for _, m in found})
    assert [value for value, _ in found] == sorted((value for value, _ in found), reverse=True)
    last = [r for r in reports if r.depth == reports[-1].depth and "bound" not in str(r.score)]
    assert [r.multipv for r in last] == list(range(1, len(found) + 1))
    assert [r.pv[0] for r in last] == [move_of(number) for _, number in found]
    chosen = [move_of(number) for _, number in found[1:]]
    if chosen:
        only, _ = lines_of(ReportingEngine(megabytes=4), board, root_moves=chosen)
        assert only in chosen


def drawn_in_tables(boards: int, seed: int) -> Iterator[tuple[chess.Board, Verdict]]:
    """Random positions of the queen's and the rook's table in which somebody can move."""
    for table in three_piece_tables()[:2]:
        for board in random_entries(table, boards, random.Random(seed)):
            verdict = probe(three_piece_tables(), board)
            if any(board.legal_moves):
                assert verdict is not None
                yield board, verdict


def test_a_mate_is_found_in_as_many_moves_as_the_tables_say_and_not_in_fewer() -> None:
    won = [entry for entry in drawn_in_tables(2000, 22) if entry[1].plies in (1, 3, 5)][:6]
    assert len(won) == 6
    for board, verdict in won:
        moves = (verdict.plies + 1) // 2
        for wanted in range(max(1, moves - 1), moves + 1):
            reports: list[Report] = []
            orders = Orders(GoCommand(mate=wanted), report=reports.append)
            best = SearchThinker(1).think(board.copy(), orders).move
            exact = [r.score for r in reports if r.depth == reports[-1].depth][-1]
            assert (exact == f"mate {wanted}") == (wanted == moves), (board.fen(), exact)
        assert best is not None
        board.push(best)
        assert probe(three_piece_tables(), board) == Verdict(-1, verdict.plies - 1)


class OurSyzygy:
    """Answers as Syzygy does, from our tables: without pawns both count to mate."""

    def __init__(self) -> None:
        self.tables = three_piece_tables()[:2]

    def verdict(self, board: chess.Board) -> Verdict:
        verdict = probe(self.tables, board)
        if verdict is None:
            raise KeyError("no such table")
        return verdict

    def probe_wdl(self, board: chess.Board) -> int:
        return 2 * self.verdict(board).result

    def probe_dtz(self, board: chess.Board) -> int:
        verdict = self.verdict(board)
        return verdict.result * verdict.plies


def test_tables_keep_the_result_and_make_progress() -> None:
    tables, syzygy = three_piece_tables(), OurSyzygy()
    for board, verdict in drawn_in_tables(50, 5):
        for moves in (table_moves(tables, board), syzygy_moves(syzygy, board)):  # type: ignore[arg-type]
            assert moves and set(moves) <= set(board.legal_moves)
            for move in moves:
                board.push(move)
                after = probe(tables, board)
                board.pop()
                assert after is not None and after.result == -verdict.result
                assert verdict.result < 1 or after.plies == verdict.plies - 1
    assert syzygy_moves(syzygy, chess.Board()) == []  # type: ignore[arg-type]


def test_a_pawn_move_that_keeps_the_win_is_progress_however_long_what_follows() -> None:
    class Endless(OurSyzygy):
        """Everything is won, and the way is longer after a pawn move."""

        def probe_wdl(self, board: chess.Board) -> int:
            return 2 if board.turn == chess.WHITE else -2

        def probe_dtz(self, board: chess.Board) -> int:
            return -50

    board = chess.Board("8/8/8/4k3/8/4K3/3P4/8 w - - 0 1")
    moves = syzygy_moves(Endless(), board)  # type: ignore[arg-type]
    assert {move.uci() for move in moves} == {"d2d3", "d2d4"}


def test_the_mind_lets_the_tables_choose() -> None:
    mind = PlayingMind(random.Random(1))
    mind.set("tables", True)
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    orders = Orders(GoCommand(depth=1))
    best = mind.think(board.copy(), orders).move
    assert best in table_moves(three_piece_tables(), board)
    assert set(orders.root_moves) == set(table_moves(three_piece_tables(), board))
    mind.set("tables", False)
    orders = Orders(GoCommand(depth=1))
    mind.think(board.copy(), orders)
    assert orders.root_moves == ()


def test_no_time_runs_while_pondering_and_all_of_it_afterwards() -> None:
    orders = Orders(GoCommand(ponder=True, wtime=60_000, btime=60_000))
    searcher = ReportingEngine(megabytes=1).searcher
    searcher.orders = orders
    searcher.start(chess.Board(), orders.limit)
    assert searcher.deadline == searcher.soft == math.inf
    orders.began, orders.pondering = orders.began + 1000, False
    searcher.wind()
    soft, hard = seconds_for(chess.WHITE, orders.limit)
    assert (searcher.began, searcher.soft) == (orders.began, soft)
    assert searcher.deadline == orders.began + hard
    assert not searcher.stopped and searcher.next_check == 0


def test_a_ponderhit_that_nobody_waits_for_gives_no_time() -> None:
    orders, said = Orders(GoCommand(wtime=1000)), list[str]()
    thought = SafeThought(PlayingMind(random.Random(1)), chess.Board(), orders, said.append)
    began = orders.began
    thought.ponderhit()
    assert orders.began == began and said == []


def test_with_no_time_left_there_is_time_for_a_ply() -> None:
    said = converse(["position startpos moves e2e4", "go wtime 0 btime 0 winc 500 binc 500"])
    assert said[-1].startswith("bestmove")
    searcher = ReportingEngine(megabytes=1).searcher
    searcher.orders = Orders(GoCommand(wtime=0))
    searcher.start(chess.Board(), searcher.orders.limit)
    assert 0 < searcher.deadline - searcher.orders.began < 0.02


def test_damaged_tables_do_not_cost_the_game() -> None:
    class Damaged(OurSyzygy):
        def probe_wdl(self, board: chess.Board) -> int:
            raise EOFError("the file ends too early")

    mind = PlayingMind(random.Random(1))
    mind.shelf.syzygy = Damaged()  # type: ignore[assignment]
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    with pytest.warns(UserWarning, match="the file ends too early"):
        assert mind.think(board.copy(), Orders(GoCommand(depth=2))).move
    assert mind.shelf.syzygy is None


def test_old_orders_do_not_bind_a_new_search() -> None:
    engine = ReportingEngine(megabytes=1)
    orders = Orders(GoCommand(nodes=10), root_moves=[chess.Move.from_uci("a2a3")])
    orders.stopped = True
    engine.searcher.orders = orders
    engine.play(chess.Board(), chess.engine.Limit(nodes=500))
    assert engine.searcher.nodes == 500


@pytest.mark.parametrize("chapter", ENGINES)
def test_every_engine_answers_with_a_legal_move_of_those_allowed(chapter: str) -> None:
    board, allowed = chess.Board(STARTS[1]), ["a2a3", "e2a6", "h1g1"]
    said = converse(
        [
            f"setoption name Chapter value {chapter}",
            f"position fen {board.fen()}",
            "go movetime 60",
            f"go movetime 60 searchmoves {' '.join(allowed)}",
            "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "go movetime 60",
        ]
    )
    best = [line.split()[1] for line in said if line.startswith("bestmove")]
    assert chess.Move.from_uci(best[0]) in board.legal_moves and best[1] in allowed
    assert best[2:] == ["(none)"]
    assert not any(line.startswith("info string") for line in said), said


class Failing(Thinker):
    """Fails in the way that it is told to."""

    def __init__(self, failure: object, report: chess.Move | None = None) -> None:
        self.failure, self.first = failure, report

    def think(self, board: chess.Board, orders: Orders) -> chess.engine.BestMove:
        if self.first:
            orders.report(Report(0, [self.first]))
        board.clear()  # what happens to its board is its own business
        if isinstance(self.failure, BaseException):
            raise self.failure
        return chess.engine.BestMove(self.failure, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "failure",
    [
        ValueError("line one\nline two é"),
        RecursionError(),
        MemoryError(),
        SystemExit(3),
        AssertionError("x" * 5000),
        None,
        chess.Move.null(),
        chess.Move.from_uci("e2e5"),
    ],
)
@pytest.mark.parametrize("hope", [None, "d2d4", "e2e5"])
def test_a_failure_is_told_and_a_legal_move_is_played(failure: object, hope: str | None) -> None:
    mind, said = PlayingMind(random.Random(1)), list[str]()
    mind.thinker = Failing(failure, chess.Move.from_uci(hope) if hope else None)
    thought = SafeThought(mind, chess.Board(), Orders(), said.append)
    thought.run()
    thought.answer()
    (move,) = [line.split()[1] for line in said if line.startswith("bestmove ")]
    assert chess.Move.from_uci(move) in chess.Board().legal_moves
    assert hope != "d2d4" or move == "d2d4"
    (told,) = [line for line in said if line.startswith("info string")]
    assert "the engine failed" in told
    assert all(len(line) < 400 and line.isascii() and line.isprintable() for line in said)
    assert mind.thinker is None


def test_an_engine_that_resigns_plays_on() -> None:
    class Coward(FirstMoveEngine):
        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            return chess.engine.PlayResult(None, None, resigned=True)

    mind, said = PlayingMind(random.Random(1)), list[str]()
    mind.thinker = EngineThinker(Coward())
    SafeThought(mind, chess.Board(), Orders(), said.append).run()
    assert "resigned" in said[0] and said[1].startswith("bestmove ")


def test_an_engine_that_can_be_stopped_is_stopped() -> None:
    class Stoppable(FirstMoveEngine):
        stops = 0

        def stop(self) -> None:
            self.stops += 1

        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            thought.stop()  # as another thread would
            return super().play(board, limit)

    engine, said = Stoppable(), list[str]()
    mind = PlayingMind(random.Random(1))
    mind.thinker = EngineThinker(engine)
    thought = SafeThought(mind, chess.Board(), Orders(GoCommand(infinite=True)), said.append)
    thought.run()
    assert engine.stops == 1 and said[-1].startswith("bestmove")


@pytest.mark.parametrize("turn", chess.COLORS)
def test_scores_of_other_engines_go_out_from_the_view_of_the_side_to_move(turn: bool) -> None:
    board = chess.Board("3qk3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    board = board if turn == chess.BLACK else board.mirror()
    for chapter in ("s12", "s14", "s17", "s20"):
        said = converse(
            [
                f"setoption name Chapter value {chapter}",
                f"position fen {board.fen()}",
                "go depth 2",
            ]
        )
        scores = [line.split(" cp ")[1].split()[0] for line in said if " cp " in line]
        assert scores and all(int(score) > 300 for score in scores), said


def test_a_setting_that_fails_stays_as_it_was() -> None:
    mind = AdjustableMind(random.Random(1))
    for key, value in (("hash", 8), ("own_book", True)):
        mind.set(key, value)
        assert getattr(mind.settings, key) == value
    with pytest.raises((ValueError, OSError), match="/no/such"):
        mind.set("syzygy_path", "/no/such")
    assert mind.settings.syzygy_path == ""
    with pytest.raises(ValueError, match=r"no-book\.bin"):
        mind.set("book_file", "no-book.bin")
    assert mind.settings.book_file == "" and mind.shelf.book is not None
    assert mind.defaults == Settings()


def test_the_book_is_for_games_only() -> None:
    mind = PlayingMind(random.Random(1))
    mind.set("own_book", True)
    assert mind.think(chess.Board(), Orders(GoCommand(depth=1))).move is not None
    assert mind.thinker is None
    for orders in (
        Orders(GoCommand(infinite=True, depth=1)),
        Orders(GoCommand(depth=1), root_moves=[chess.Move.from_uci("a2a3")]),
        Orders(GoCommand(mate=1)),
    ):
        mind.thinker = None
        orders.patience = 0.1
        mind.think(chess.Board(), orders)
        assert mind.thinker is not None
    for key, value in (("multipv", 2), ("analysing", True)):
        mind.set(key, value)
        mind.thinker = None
        mind.think(chess.Board(), Orders(GoCommand(depth=1)))
        assert mind.thinker is not None
        mind.set(key, getattr(mind.defaults, key))


def test_scored_moves_are_only_asked_for_where_some_moves_are_allowed() -> None:
    class Picky(Engine):
        def play(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> chess.engine.PlayResult:
            return chess.engine.PlayResult(chess.Move.from_uci("g1f3"), None)

        def analyse(
            self, board: chess.Board, limit: chess.engine.Limit | None = None
        ) -> list[ScoredMove]:
            return [ScoredMove(-n, move) for n, move in enumerate(board.legal_moves)]

    thinker = EngineThinker(Picky())
    assert thinker.think(chess.Board(), Orders()).move == chess.Move.from_uci("g1f3")
    allowed = [chess.Move.from_uci(uci) for uci in ("a2a3", "d2d4")]
    first = next(move for move in chess.Board().legal_moves if move in allowed)
    assert thinker.think(chess.Board(), Orders(root_moves=allowed)).move == first
