"""Playing: what is read, what is said, what is searched, and one answer to each question."""

from __future__ import annotations

import gc
import itertools
import random
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import chess
import pytest
from chess.engine import ConfigValue, Cp, Limit, Option, PlayResult, _parse_uci_info
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s23_tournament_engine as s23
from converted_notebooks import s25_playing as s25
from converted_notebooks.s04_engine_interface import (
    Engine,
    FirstMoveEngine,
    Iteration,
    ScoredMove,
)
from converted_notebooks.s06_opening_book import COURSE_BOOK, OpeningBook, make_entry, write_book
from converted_notebooks.s11_iterative_deepening import DEEPEST
from converted_notebooks.s19_endgame_tables import (
    Verdict,
    probe,
    random_entries,
    three_piece_tables,
)
from converted_notebooks.s22_tournament_search import HashTable
from converted_notebooks.s23_tournament_engine import TournamentEngine
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS, positions
from tests.helpers.programs import SECONDS
from tests.play.front_end import Scripted
from utils.engines import ENGINES, make_engine, prepare
from utils.uci_text import faults, message, option_line, parse_setoption, playable_board, quote

PROVE = examples(60)
A_YEAR = s25.A_YEAR


def moves(*texts: str) -> list[chess.Move]:
    """Moves from UCI notation."""
    return [chess.Move.from_uci(text) for text in texts]


def bestmoves(said: list[str]) -> list[str]:
    """The moves that were answered."""
    return [line.split()[1] for line in said if line.startswith("bestmove ")]


def pending(
    engine: Engine | str, request: s25.GoRequest, fen: str = chess.STARTING_FEN, **options: Any
) -> tuple[s25.PendingGo, list[str]]:
    """A `go` for an engine, and what it says."""
    said = list[str]()
    player = s25.Player(random.Random(1), engine if isinstance(engine, str) else "s05")
    player.engine = None if isinstance(engine, str) else engine
    return s25.PendingGo(player, chess.Board(fen), request, said.append, **options), said


# What is read

squares = st.integers(0, 63)
uci_moves = st.builds(
    chess.Move, squares, squares, st.sampled_from([None, chess.QUEEN, chess.KNIGHT])
).filter(lambda move: move.from_square != move.to_square)


@PROVE
@given(
    st.dictionaries(
        st.sampled_from([*s25.COUNTS, *s25.TIMES]),
        st.one_of(st.integers(-1, 2), st.integers(-10, 10**7)),
    ),
    st.sets(st.sampled_from(["infinite", "ponder"])),
    st.lists(uci_moves, max_size=4),
    st.randoms(use_true_random=False),
)
def test_whatever_order_go_comes_in_it_is_read(
    values: dict[str, int],
    flags: set[str],
    allowed: list[chess.Move],
    rng: random.Random,
) -> None:
    parts = [[word, str(number)] for word, number in values.items()] + [[flag] for flag in flags]
    parts += [["searchmoves", *map(str, allowed)]] if allowed else []
    parts.append(["shiny"])
    rng.shuffle(parts)
    if parts[-1] != ["shiny"] or not allowed:  # or else it would be taken for a move
        parts = sorted(parts, key=lambda part: part[0] == "searchmoves")
    else:
        parts.remove(["shiny"])
    request = s25.parse_go([word for part in parts for word in part])
    assert (request.infinite, request.ponder) == ("infinite" in flags, "ponder" in flags)
    assert list(request.moves) == allowed
    for word, field in s25.TIMES.items():
        expected = max(values[word], 0) / 1000 if word in values else None
        assert getattr(request.limit, field) == expected
    counts = {word: number for word, number in values.items() if number > 0}
    assert request.limit.nodes == counts.get("nodes")
    assert request.limit.remaining_moves == counts.get("movestogo")
    depth = counts.get("depth")
    if "mate" in counts:
        depth = min(depth or DEEPEST, 2 * counts["mate"] - 1)
    assert request.limit.depth == (depth and min(depth, DEEPEST))


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ("depth 1e400", "depth '1e400': expected a whole number"),
        ("movetime nan", "movetime 'nan': expected a whole number"),
        ("searchmoves zzz depth 2", "'zzz'"),
        ("infinite wtime", "wtime '': expected a whole number"),
        ("ponder wtime abc", "wtime 'abc': expected a whole number"),
    ],
)
def test_a_go_that_cannot_be_read_is_named_and_answered(limits: str, value: str) -> None:
    board = chess.Board(STARTS[1])
    said = s25.converse([f"position fen {board.fen()}", f"go {limits}"])
    waits = {"infinite", "ponder"} & {*limits.split()}
    assert len(bestmoves(said)) == (0 if waits else 1)
    told, *rest = s25.converse([f"position fen {board.fen()}", f"go {limits}", "stop"])
    assert told.startswith("info string ") and value in told
    assert [line for line in rest if not line.startswith("info ")] == rest[-1:]
    assert moves(*bestmoves(rest))[0] in board.legal_moves


def test_a_capture_en_passant_needs_a_pawn_to_be_taken() -> None:
    for pawns, square in (("3P4", None), ("3Pp3", chess.E6)):
        board = s25.parse_position(f"fen 4k3/8/8/{pawns}/8/8/8/4K3 w - e6 0 1".split())
        assert board.ep_square == square


def test_after_a_position_that_cannot_be_read_there_is_no_move_until_the_next() -> None:
    for wrong in (
        "position startpos moves e2e5",
        "position startpos e2e4 e7e5",  # the word "moves" is missing
        "position fen 8/8",
        "position",
        "position here",
    ):
        lines = [f"position fen {STARTS[1]}", wrong, "go depth 1", "go infinite", "stop"]
        said = s25.converse([*lines, "position startpos", "go depth 1"])
        *none, best = bestmoves(said)
        assert none == ["0000"] * 2 and moves(best)[0] in chess.Board().legal_moves
        assert sum(line.startswith("info string position") for line in said) == 1
        assert sum(line.startswith("info string go: the last position") for line in said) == 2


@PROVE
@given(positions())
def test_a_position_comes_back_with_its_history(board: chess.Board) -> None:
    played = [move.uci() for move in board.move_stack]
    again = s25.parse_position(["fen", *board.root().fen().split(), "moves", *played])
    assert again == board and again.move_stack == board.move_stack
    assert again.is_repetition(2) == board.is_repetition(2)


@PROVE
@given(positions(max_plies=20), uci_moves)
def test_a_move_that_is_not_legal_is_named(board: chess.Board, move: chess.Move) -> None:
    if move in board.legal_moves or board.is_castling(move):
        return  # the king captures its rook: another way to say that he castles
    with pytest.raises(ValueError, match=f"move 1 '{move}' is not legal"):
        s25.parse_position(["fen", *board.fen().split(), "moves", move.uci()])


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
        assert moves(best)[0] in chess.Board(fen).legal_moves


ANNOUNCED = """
Hash type spin default 64 min 1 max 4096
MultiPV type spin default 1 min 1 max 256
Ponder type check default false
OwnBook type check default false
BookFile type string default <empty>
Move Overhead type spin default 30 min 0 max 5000
"""


def test_the_options_are_announced_and_their_defaults_read() -> None:
    name, author, chapter, *others, end = s25.converse(["uci"], s25.Player(random.Random(1), "s10"))
    assert name == "id name One Notebook at a Time s10" and author.startswith("id author ")
    assert chapter.startswith("option name Chapter type combo default s10 var s05 var s06 ")
    assert [line.removeprefix("option name ") for line in others] == ANNOUNCED.strip().splitlines()
    assert end == "uciok"
    for option in s25.OPTIONS.values():
        text = str(option.default).lower() or "<empty>"
        read = parse_setoption(f"name {option.name.upper()} value {text}", s25.OPTIONS)
        assert read == (option, option.default)


@pytest.mark.parametrize(
    "text", ["name Hash value 0", "name Chapter value s99", "name Ponder value maybe", "name Ha"]
)
def test_a_setting_that_does_not_fit_is_refused(text: str) -> None:
    player = s25.Player(random.Random(1))
    before = dict(player.settings)
    (told,) = s25.converse([f"setoption {text}"], player)
    assert told.startswith("info string ") and text.split()[-1] in told
    assert player.settings == before


class Adjustable(FirstMoveEngine):
    """Has to be prepared, and has options of its own."""

    def __init__(self, fails: bool = False) -> None:
        self.fails, self.log = fails, list[Any]()
        self.options = {
            "Hash": Option("Hash", "spin", 8, 2, 16, None),
            "Threads": Option("Threads", "spin", 1, 1, 8, None),
            "Fast": Option("Fast", "check", True, None, None, None),
            "Clear Hash": Option("Clear Hash", "button", None, None, None, None),
        }

    def prepare(self) -> None:
        self.log.append("prepare")
        if self.fails:
            raise ValueError("no compiler")

    def set_option(self, name: str, value: ConfigValue) -> None:
        if value == 7:
            raise ValueError("seven is odd")
        self.log.append((name, value))


def adjustable(monkeypatch: pytest.MonkeyPatch, **others: Any) -> tuple[s25.Player, list[Any]]:
    """A player of such an engine, called s10, and all engines that it builds."""
    built = list[Any]()

    def make(chapter: str, rng: random.Random) -> Engine:
        built.append(Adjustable(**others) if chapter == "s10" else make_engine(chapter, rng))
        return built[-1]  # type: ignore[no-any-return]

    monkeypatch.setattr(s25, "make_engine", make)
    return s25.Player(random.Random(1), "s10"), built


def test_a_chapter_that_builds_on_the_tournament_engine_plays_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Own(TournamentEngine):
        pass

    monkeypatch.setattr(s25, "make_engine", lambda chapter, rng: Own(megabytes=1))
    assert type(s25.Player(random.Random(1), "s10").build()) is Own
    assert type(s25.Player(random.Random(1)).build()) is TournamentEngine


def test_the_options_of_an_engine_are_announced_checked_and_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player, built = adjustable(monkeypatch)
    said = s25.converse(["setoption name threads value 3", "uci"], player)
    assert said[-1] == "uciok"
    assert [line.split("name ")[1] for line in said if "option" in line][1:] == [
        "Hash type spin default 8 min 2 max 16",
        *ANNOUNCED.strip().splitlines()[1:],
        "Threads type spin default 3 min 1 max 8",
        "Fast type check default true",
        "Clear Hash type button",
    ]
    for name, value, reason in (
        ("Hash", "64", "at most 16, got: 64"),
        ("Threads", "many", "expected integer"),
        ("Threads", "7", "seven is odd"),
        ("Fast", "maybe", "expected true or false"),
        ("Fast", "x" * 400, "expected true or false"),
        ("Contempt", "1", "one of Chapter, Hash, "),
    ):
        (told,) = s25.converse([f"setoption name {name} value {value}"], player)
        assert told.startswith("info string ") and reason in told
    good = ["name HASH value 16", "name clear hash", "name Fast value FALSE"]
    assert s25.converse([f"setoption {text}" for text in good], player) == []
    log = [("Threads", 3), ("Hash", 16), ("Clear Hash", None), ("Fast", False)]
    assert built[0].log == log and len(built) == 1
    player.engine = None
    player.ready()
    assert built[1].log == [("Hash", 16), ("Threads", 3), ("Fast", False), "prepare"]


def test_what_was_set_is_set_again_where_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    player, built = adjustable(monkeypatch)
    chapter = "setoption name Chapter value "
    s25.converse(["setoption name Threads value 2", "setoption name Hash value 3"], player)
    s25.converse([f"{chapter}s23", "setoption name Hash value 32", f"{chapter}s10", "uci"], player)
    assert [log for engine in built if (log := getattr(engine, "log", None))] == [
        [("Threads", 2), ("Hash", 3)],
        [("Hash", 8), ("Threads", 2)],
    ]
    first, last = built[0], built[-1]
    player.engine = None  # as after a failure
    player.ready()
    assert built[-1] not in (first, last) and built[-1].log[1:] == [("Threads", 2), "prepare"]


def test_an_engine_is_prepared_between_isready_and_readyok(monkeypatch: pytest.MonkeyPatch) -> None:
    for fails in (False, True):
        player, built = adjustable(monkeypatch, fails=fails)
        jobs = list[s25.Job]()
        said = list[str]()
        protocol = s25.UciProtocol(said.append, player, jobs.append)
        protocol.handle("uci")
        protocol.handle("isready")
        assert said == [] and built == [], "who listens does not prepare"
        while jobs:
            jobs.pop(0)()
            done = built[0].log.count("prepare")
            assert ("readyok" not in said) or done == 1
        assert said[-1] == "readyok" and said.count("uciok") == 1
        assert ("info string no compiler" in said) == fails
        protocol.handle("go depth 1")
        jobs.pop()()
        assert built[0].log == ["prepare"] * 2 and len(bestmoves(said)) == 1


# What is said


@PROVE
@given(st.integers(-3000, 3000), positions(max_plies=8), st.integers(0, 10**6), st.integers(1, 9))
def test_python_chess_reads_what_we_say(
    value: int, board: chess.Board, nodes: int, rank: int
) -> None:
    engine = FirstMoveEngine()
    engine.pawn_value, engine.mate_score = 50, 3001
    pv = next(iter(board.legal_moves))
    line = (pv, pv)  # the second is not legal
    found = Iteration(7, ScoredMove(value, pv), True, nodes, 1.5, line)
    said = s25.report_line(engine, board, found, rank)
    read = dict(_parse_uci_info(said.removeprefix("info "), board))
    score: Any = read.pop("score")
    assert score.white() == Cp(2 * value)
    assert read == {
        **{"pv": [pv], "depth": 7, "multipv": rank, "nodes": nodes},
        **{"time": 1.5, "nps": int(nodes / 1.5)},
    }


def won_in_tables(count: int, seed: int) -> Iterator[tuple[chess.Board, int]]:
    """Random positions of the queen's and the rook's table, won in five plies or fewer."""
    for table in three_piece_tables()[:2]:
        for board in random_entries(table, count, random.Random(seed)):
            verdict = probe(three_piece_tables(), board)
            if verdict and verdict.result > 0 and verdict.plies < 6:
                yield board, verdict.plies


@pytest.mark.parametrize("chapter", ["s15", "s23"])
def test_a_mate_is_announced_in_moves_and_from_the_view_of_the_side_to_move(chapter: str) -> None:
    seen = set[int]()
    for board, plies in won_in_tables(120, 5):
        engine, mated = make_engine(chapter), board.copy()
        best = engine.play(board.copy(), Limit(depth=plies + 6)).move
        assert engine.last_search is not None and best is not None
        assert s25.score_text(engine, board, engine.last_search) == f"mate {(plies + 1) // 2}"
        mated.push(best)
        if plies > 1:
            engine.play(mated.copy(), Limit(depth=plies + 2))
            assert s25.score_text(engine, mated, engine.last_search) == f"mate {-(plies // 2)}"
        seen.add(plies)
    assert seen == {1, 3, 5}


def test_without_a_line_to_its_end_a_mate_is_as_far_as_the_search_was_deep() -> None:
    engine = FirstMoveEngine()
    engine.mate_score = 100
    for score, text in ((100, "mate 2"), (-100, "mate -2"), (99, "cp 9900")):
        found = Iteration(3, ScoredMove(score, moves("a2a3")[0]), True, 5)
        assert s25.score_text(engine, chess.Board(), found) == text


@pytest.mark.parametrize("chapter", ["s15", "s22", "s23"])
def test_without_a_line_a_mate_is_as_far_as_its_score_says(chapter: str) -> None:
    for board, plies in won_in_tables(30, 6):
        go, said = pending(chapter, s25.GoRequest(Limit(depth=plies + 6)), board.fen())
        go.player.settings["MultiPV"] = 2
        go.run()
        best = [line for line in said if " multipv 1 " in line][-1]
        assert f" score mate {(plies + 1) // 2} " in best, (board.fen(), said)


@pytest.mark.parametrize(
    "chapter, fen, text",
    [
        ("s08", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "mate 1"),  # it does not search
        ("s22", "r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 0", "mate 3"),
    ],
)
@pytest.mark.parametrize("lines", [1, 2])
def test_a_mate_has_the_same_distance_among_several_lines(
    chapter: str, fen: str, text: str, lines: int
) -> None:
    go, said = pending(chapter, s25.GoRequest(Limit(depth=3)), fen)
    go.player.settings["MultiPV"] = lines
    go.run()
    assert f" score {text} " in [line for line in said if " multipv 1 " in line][-1], said


@pytest.mark.parametrize("turn", chess.COLORS)
@pytest.mark.parametrize("chapter", ["s08", "s12", "s14", "s17", "s23"])
def test_scores_go_out_from_the_view_of_the_side_to_move(chapter: str, turn: bool) -> None:
    board = chess.Board("3qk3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    fen = (board.mirror() if turn else board).fen()
    said = s25.converse(
        [f"setoption name Chapter value {chapter}", f"position fen {fen}", "go depth 2"]
    )
    scores = [line.split(" cp ")[1].split()[0] for line in said if " cp " in line]
    assert scores and all(int(score) > 300 for score in scores), said


# What is searched


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
            "position startpos moves e2e4",
            "go wtime 0 btime 0 winc 500 binc 500",
        ]
    )
    free, bound, none, late = bestmoves(said)
    assert moves(free)[0] in board.legal_moves and bound in allowed and none == "(none)"
    board = chess.Board()
    board.push_uci("e2e4")
    assert moves(late)[0] in board.legal_moves
    infos = [line for line in said if line.startswith("info")]
    assert all(" score " in line and "string" not in line for line in infos), infos


@pytest.mark.parametrize("chapter", ["s09", "s15", "s23"])
@pytest.mark.parametrize("lines", [2, 5])
def test_each_line_is_the_best_of_what_is_left(chapter: str, lines: int) -> None:
    allowed = list(chess.Board(STARTS[4]).legal_moves)[::3]
    for some in ([], allowed, allowed[:1]):
        go, said = pending(chapter, s25.GoRequest(Limit(depth=2), moves=tuple(some)), STARTS[4])
        go.player.settings["MultiPV"] = lines
        go.run()
        infos: list[Any] = [_parse_uci_info(line[5:], go.start) for line in said[:-1]]
        last = [info for info in infos if info["depth"] == 2]
        count = min(lines, len(some) or 99)
        assert [info["multipv"] for info in last] == [*range(1, count + 1)]
        assert len(infos) == 2 * count
        scored = make_engine(chapter).analyse(go.start.copy(), Limit(depth=2))
        expected = [e.score for e in scored if not some or e.move in some][:count]
        pawn = make_engine(chapter).pawn_value
        for info, score in zip(last, expected, strict=True):
            assert info["score"].is_mate() or (
                info["score"].white() == Cp(round(100 * score / pawn))
            )
        assert bestmoves(said) == [last[0]["pv"][0].uci()]


@pytest.mark.parametrize("chapter", ["s12", "s22", "s27"])
def test_several_lines_are_searched_at_least_a_ply_and_without_a_limit_not_for_ever(
    chapter: str,
) -> None:
    taking = "3qk3/8/8/8/8/2N5/4P3/3RK3 w - - 0 1"
    for limit in (Limit(time=0), Limit(white_clock=0.0, black_clock=1.0), Limit()):
        go, said = pending(chapter, s25.GoRequest(limit), taking, patience=A_YEAR)
        go.player.settings["MultiPV"] = 2
        go.run()
        assert bestmoves(said) == ["d1d8"]


def test_a_mate_is_found_in_as_many_moves_as_the_tables_say_and_not_in_fewer() -> None:
    found = {plies: board for board, plies in won_in_tables(250, 22)}
    for plies, wanted in ((1, 1), (3, 1), (3, 2), (5, 2), (5, 3)):
        request = s25.parse_go(["mate", str(wanted)])
        go, said = pending("s23", request, found[plies].fen(), patience=A_YEAR)
        go.run()
        assert (f"score mate {wanted} " in said[-2]) == (2 * wanted > plies), said
        if 2 * wanted > plies:
            go.start.push(go.line[0])
            assert probe(three_piece_tables(), go.start) == Verdict(-1, plies - 1)


def test_the_book_is_asked_by_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    pick = mock.Mock(side_effect=lambda replies, *_: next(iter(replies)))
    player = s25.Player(random.Random(1), "s05")
    s25.set_option(player, "name OwnBook value true")
    monkeypatch.setattr(s25, "pick", pick)
    assert player.book_move(chess.Board()) is not None
    assert [call.args[1:] for call in pick.call_args_list] == [("weight", player.rng)]


def test_the_book_is_for_games_only_and_a_bad_one_changes_nothing() -> None:
    player = s25.Player(random.Random(1), "s05")
    s25.set_option(player, "name OwnBook value true")
    first = {s25.PendingGo(player, chess.Board(), s25.GoRequest(), print).line[0]}

    def asks_engine(**request: Any) -> bool:
        player.engine = None
        go = s25.PendingGo(player, chess.Board(), s25.GoRequest(**request), first.add, 0.1)  # type: ignore[arg-type]
        go.run()
        go.stop()
        assert go.line[0] in go.start.legal_moves
        return player.engine is not None

    assert not asks_engine()
    assert asks_engine(infinite=True) and asks_engine(ponder=True)
    assert asks_engine(moves=tuple(moves("a2a3")))
    player.settings["MultiPV"] = 2
    assert asks_engine()
    book = player.book
    (told,) = s25.converse(["setoption name BookFile value no-book.bin"], player)
    assert "no-book.bin" in told and "BookFile" not in player.settings and player.book is book
    assert "Nothing was changed" in told and "without a book" not in told


def test_an_engine_is_kept_until_a_setting_changes_it() -> None:
    player = s25.Player(random.Random(1))
    engine = player.ready()
    assert player.number("Move Overhead") == 30
    s25.set_option(player, "name Move Overhead value 0")
    assert player.number("Move Overhead") == 0
    s25.set_option(player, "name Hash value 64")
    s25.set_option(player, "name MultiPV value 3")
    assert player.ready() is engine
    for name, value in (("Hash", 4), ("Chapter", "s05")):
        s25.set_option(player, f"name {name} value {value}")
        assert player.engine is None and player.ready() is player.engine is not engine


# Stopping and pondering


class WatchedLock:
    """A lock that knows whether it is held: then another thread would have to wait."""

    def __init__(self) -> None:
        self.lock, self.held = threading.RLock(), 0

    def __enter__(self) -> None:
        self.lock.acquire()
        self.held += 1

    def __exit__(self, *_: object) -> None:
        self.held -= 1
        self.lock.release()


def calls_after_stop(chapter: str, board: chess.Board, lines: int, at: int) -> int:
    """How many Python functions a search calls after a `stop`.

    Args:
        chapter: of the engine.
        board: the position.
        lines: the value of MultiPV.
        at: after how many calls `stop` is said, as soon as another thread could; at the end of
            the search, if that comes first.
    """
    go, said = pending(chapter, s25.GoRequest(infinite=True), patience=A_YEAR)
    go.player.ready()
    go.player.settings["MultiPV"] = lines
    go.start, calls = board, 0
    go.moves = list(board.legal_moves)
    go.line = go.moves[:1]

    go.lock = lock = WatchedLock()  # type: ignore[assignment]

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls, at
        calls += event == "call"
        if event == "call" and calls >= at and not go.stopped and not lock.held:
            at = calls
            go.stop()

    sys.setprofile(count)
    try:
        go.run()
    finally:
        sys.setprofile(None)
    if not go.stopped:
        assert bestmoves(said) == [], "it waits"
        go.stop()
        assert calls < at
        at = calls
    (best,) = bestmoves(said)
    assert moves(best)[0] in board.legal_moves
    return calls - at


def old_game() -> chess.Board:
    """A position with a long history."""
    board, rng = chess.Board(), random.Random(8)
    while board.ply() < 150:
        board.push(rng.choice([m for m in board.legal_moves if not board.is_capture(m)]))
    return board


@pytest.mark.parametrize("chapter", ENGINES)
def test_every_engine_answers_stop_at_once(chapter: str) -> None:
    """In a tenth of a second, CPython makes many more calls than these."""
    late = 9000 if chapter == "s27" else 60_000  # compiled code makes few calls
    for board in (chess.Board(STARTS[1]), old_game()):
        for lines, at in itertools.product((1, 3), (100, 3000, late)):
            assert calls_after_stop(chapter, board, lines, at) <= 12_000


@pytest.mark.parametrize("chapter", ENGINES)
def test_no_search_leaves_cycles_behind(chapter: str) -> None:
    """The program runs without the cyclic garbage collector, whose pauses would delay a stop."""
    engine, board = make_engine(chapter), chess.Board(STARTS[4])
    prepare(engine)  # as before each search of the program
    gc.collect()
    gc.disable()
    try:
        for limit in (Limit(nodes=500), Limit(depth=2, nodes=500)):
            engine.play(board.copy(), limit)
            engine.analyse(board.copy(), limit)
        engine.stop()
        engine.play(board.copy(), Limit(nodes=500))
        assert gc.collect() < 100, "not one for each node"
    finally:
        gc.enable()


def test_a_stop_before_the_search_counts_and_leaves_the_next_search_alone() -> None:
    engine = make_engine("s15")
    for stopped in (True, False):
        go, said = pending(engine, s25.GoRequest(Limit(depth=2)))
        if stopped:
            go.stop()
        go.run()
        go.stop()  # too late: it must not reach the next search
        go.ponderhit()
        assert len(bestmoves(said)) == 1 and (len(said) == 1) == stopped


class Watched(FirstMoveEngine):
    """Notes its limits, and does something in its searches."""

    def __init__(self, *acts: Any) -> None:
        self.acts, self.limits, self.stops = list(acts), list[Limit](), 0

    def stop(self) -> None:
        super().stop()
        self.stops += 1

    def analyse(self, board: chess.Board, limit: Limit | None = None) -> list[ScoredMove]:
        if limit and limit != Limit(depth=1):  # which is not a search, but asks for a score
            assert not self.stop_requested
            self.limits.append(limit)
            if self.acts:
                self.acts.pop(0)()
        return super().analyse(board)

    def play(self, board: chess.Board, limit: Limit | None = None) -> PlayResult:
        return PlayResult(self.analyse(board, limit)[0].move, None)


def test_an_overhead_set_just_before_a_go_counts_for_it() -> None:
    engine, player, jobs = Watched(), s25.Player(random.Random(1), "s05"), list[s25.Job]()
    player.engine = engine
    uci = s25.UciProtocol(list[str]().append, player, jobs.append)
    for line in ("setoption name Move Overhead value 1000", "go wtime 2500 btime 700"):
        uci.handle(line)
    for job in jobs:
        job()
    assert engine.limits == [Limit(white_clock=1.5, black_clock=0)]


def test_several_lines_end_with_a_mate_at_its_depth() -> None:
    mate = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    said = s25.converse([mate, "setoption name MultiPV value 2", "go depth 6"])
    depths = [int(line.split()[2]) for line in said if line.startswith("info depth")]
    assert depths and max(depths) == 1


def test_each_go_has_its_own_limit_and_its_overhead() -> None:
    engine, player = Watched(), s25.Player(random.Random(1), "s05")
    player.engine = engine
    go = "go wtime 1000 btime 20 binc 300 nodes 7"
    said = s25.converse([go, "setoption name Move Overhead value 100", go, "go depth x"], player)
    for lost, limit in zip((0.03, 0.1), engine.limits, strict=False):
        black = max(0.02 - lost, 0)
        assert limit == Limit(nodes=7, white_clock=1 - lost, black_clock=black, black_inc=0.3)
    assert engine.limits[2:] == [Limit(time=0.1)] and len(bestmoves(said)) == 3
    for words, expected in (
        ("infinite", Limit(time=5)),
        ("ponder movetime 7 depth 3 nodes 9", Limit(time=5, depth=3, nodes=9)),
    ):
        answer, _ = pending(engine, s25.parse_go(words.split()), patience=5)
        answer.run()
        assert engine.limits[-1] == expected


def test_several_lines_share_a_limit_of_nodes() -> None:
    engine = Watched()
    go, said = pending(engine, s25.parse_go(["nodes", "1000"]), patience=A_YEAR)
    go.player.settings["MultiPV"] = 2
    go.run()
    assert [limit.nodes for limit in engine.limits] == [1000]
    assert len(bestmoves(said)) == 1 and any(" multipv 2 " in line for line in said)
    said = s25.converse(["setoption name MultiPV value 2", "position startpos", "go nodes 4000"])
    lines = [line for line in said if " multipv " in line]
    told = [re.fullmatch(r"info depth (\d+) multipv (\d) .* nodes (\d+) .*", one) for one in lines]
    found = [tuple(map(int, one.groups())) for one in told if one]
    assert [rank for _, rank, _ in found] == [1, 2]
    assert all(depth > 1 and 1000 < nodes <= 4000 for depth, _, nodes in found)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mate 2", Limit(time=A_YEAR, depth=3)),
        ("mate 2 movetime 500", Limit(time=0.5, depth=3, mate=2)),
        ("mate 2 wtime 9000", Limit(white_clock=8.97, depth=3, mate=2)),
    ],
)
def test_a_search_for_a_mate_keeps_its_time(
    words: str, expected: Limit, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Watched()
    monkeypatch.setattr(s25, "make_engine", lambda name: engine)
    go, _ = pending(engine, s25.parse_go(words.split()), patience=A_YEAR)
    go.run()
    assert engine.limits == [expected]


@pytest.mark.parametrize("hit", [True, False])
def test_no_clock_runs_while_pondering_and_all_of_it_afterwards(hit: bool) -> None:
    request = s25.parse_go(["ponder", "wtime", "60000", "winc", "500", "movestogo", "9"])
    engine = Watched()
    go, said = pending(engine, request, patience=A_YEAR)
    engine.acts.append(go.ponderhit if hit else go.stop)
    go.run()
    first, *second = engine.limits
    assert first == Limit(time=A_YEAR) and engine.stops == 1
    assert second == ([s25.less_overhead(request.limit, 30)] if hit else [])
    assert len(bestmoves(said)) == 1


def test_several_lines_end_at_the_ponderhit_too() -> None:
    engine = Watched()
    go, said = pending(engine, s25.parse_go(["ponder", "movetime", "0"]), patience=A_YEAR)
    go.player.settings["MultiPV"] = 2
    engine.acts = [lambda: None, go.ponderhit]
    go.run()
    assert [limit.depth for limit in engine.limits] == [2, 3]
    assert all((limit.time or 0) > A_YEAR / 2 for limit in engine.limits)
    depths = [line.split()[2] for line in said[:-1]]
    assert depths == list("112211")  # after the ponderhit one ply, which is always finished
    assert len(bestmoves(said)) == 1


def test_what_is_found_while_pondering_waits_for_the_ponderhit() -> None:
    engine = Watched()
    go, said = pending(engine, s25.parse_go(["ponder", "wtime", "60000"]), patience=A_YEAR)
    go.run()
    assert bestmoves(said) == []
    go.ponderhit()
    go.ponderhit()
    assert len(bestmoves(said)) == 1 and engine.stops == 0 and len(engine.limits) == 1


# What goes wrong


class Failing(FirstMoveEngine):
    """Fails in the way that it is told to, perhaps after a report of a move."""

    def __init__(self, failure: object, reported: str | None) -> None:
        self.failure, self.reported = failure, reported

    def play(self, board: chess.Board, limit: Limit | None = None) -> PlayResult:
        if self.reported:
            self.report(Iteration(1, ScoredMove(0, moves(self.reported)[0]), True, 1))
        board.clear()  # what happens to its board is its own business
        if isinstance(self.failure, BaseException):
            raise self.failure
        return PlayResult(self.failure, None)  # type: ignore[arg-type]


FAILURES = [
    *(ValueError("line one\nline two é"), RecursionError(), MemoryError(), SystemExit(3)),
    *(AssertionError("x" * 5000), None, chess.Move.null(), chess.Move.from_uci("e2e5")),
]


@pytest.mark.parametrize("reported", [None, "d2d4", "e2e5"])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_told_and_a_legal_move_is_played(failure: Any, reported: str | None) -> None:
    go, said = pending(Failing(failure, reported), s25.GoRequest())
    go.run()
    go.stop()
    (move,) = bestmoves(said)
    assert moves(move)[0] in chess.Board().legal_moves
    assert reported != "d2d4" or move == "d2d4"
    (told,) = [line for line in said if line.startswith("info string")]
    assert "the engine failed" in told and go.player.engine is None
    assert all(len(line) < 400 and line.isascii() and line.isprintable() for line in said)


def test_an_engine_that_resigns_gets_a_legal_move() -> None:
    go, said = pending(Scripted("resign"), s25.GoRequest())
    go.run()
    assert "it chose None" in said[0] and moves(*bestmoves(said))[0] in go.start.legal_moves


def test_a_move_of_the_book_is_reported_and_played() -> None:
    board, player = chess.Board(), s25.Player(random.Random(1), "s05")
    known = OpeningBook(COURSE_BOOK).moves(board)
    said = s25.converse(["setoption name OwnBook value true", *["go wtime 1000"] * 9], player)
    played = moves(*bestmoves(said))
    assert set(played) <= set(known) and len(set(played)) > 1
    assert said[::2] == [f"info depth 0 score cp 0 pv {move}" for move in played]


def test_the_book_does_not_answer_a_search_for_a_mate() -> None:
    said = s25.converse(["setoption name OwnBook value true", "go mate 1"])
    assert any(line.startswith("info depth 1 ") for line in said) and len(bestmoves(said)) == 1


def test_the_book_is_that_of_the_file_while_it_is_wanted(tmp_path: Path) -> None:
    player, board = s25.Player(random.Random(1), "s05"), chess.Board()
    path, rare = tmp_path / "a value of mine.bin", chess.Move.from_uci("h2h3")
    write_book(path, [make_entry(board, rare, 100)])

    def after(*texts: str) -> chess.Move | None:
        assert s25.converse([f"setoption name {text}" for text in texts], player) == []
        return player.book_move(board)

    assert after("BookFile value /no/such book.bin") is None, "nobody wants it yet"
    assert after(f"BookFile value {path}", "OwnBook value true") == rare
    assert after("OwnBook value false") is None
    assert after("OwnBook value true") == rare
    for nothing in ("", " <empty>"):
        assert after(f"BookFile value{nothing}") in OpeningBook(COURSE_BOOK).moves(board)
        assert after(f"BookFile value {path}") == rare


def test_the_memory_of_the_tournament_engine_is_what_hash_says() -> None:
    player = s25.Player(random.Random(1))
    for megabytes in (1, 2):
        s25.set_option(player, f"name Hash value {megabytes}")
        engine = player.ready()
        assert isinstance(engine, s23.TournamentEngine)
        assert engine.fallback.searcher.table.half == HashTable(megabytes).half


def test_the_engine_is_told_of_a_new_game() -> None:
    player, engine = s25.Player(random.Random(1), "s05"), Scripted()
    assert s25.converse(["ucinewgame"], player) == [] and player.engine is None
    player.engine = engine
    s25.converse(["ucinewgame", "go depth 1", "ucinewgame"], player)
    assert engine.games == 2


def test_a_ponderhit_that_nobody_waits_for_ends_no_search() -> None:
    for words in ("infinite", "movetime 7000"):
        engine = Watched()
        go, _ = pending(engine, s25.parse_go(words.split()))
        engine.acts.append(go.ponderhit)
        go.run()
        assert engine.stops == 0 and len(engine.limits) == 1


@pytest.mark.parametrize("word", ["movetime", "wtime", "nodes", "depth"])
def test_a_number_beyond_all_others_is_named_and_answered(word: str) -> None:
    huge = "9" * 400
    told, *rest = s25.converse([f"go {word} {huge}"], s25.Player(random.Random(1), "s05"))
    assert told.startswith(f"info string go {word} '999") and "expected a whole number" in told
    assert len(bestmoves(rest)) == 1


@pytest.mark.parametrize(
    ("fen", "score"),
    [("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "cp 0")],
)
def test_a_finished_game_has_a_score_and_no_move(fen: str, score: str) -> None:
    said = s25.converse([f"position fen {fen}", "go depth 2"])
    assert said == [f"info depth 0 score {score}", "bestmove (none)"]


def test_an_analysis_has_no_limit_and_is_answered_at_the_end_of_the_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(s25, "LAST_WAIT", SECONDS)
    begun, stopped, said = threading.Event(), threading.Event(), list[str]()
    engine, player = Watched(), s25.Player(random.Random(1), "s05")
    monkeypatch.setattr(engine, "stop", stopped.set)
    player.engine = engine

    def search() -> None:
        begun.set()
        stopped.wait(SECONDS)

    engine.acts.append(search)

    def lines() -> Iterator[str]:
        yield "go infinite"
        assert begun.wait(SECONDS)

    s25.serve(lines(), said.append, player)
    assert engine.limits == [Limit(time=s25.A_YEAR)]
    assert said[-1].startswith("bestmove ") and len(bestmoves(said)) == 1


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("k7/8/8/8/8/8/8/8 b - - 0 1", "no white king"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no white king, no black king"),
    ],
)
def test_each_fault_of_a_position_is_named(fen: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"; {words}$"):
        playable_board(fen)
    assert faults(chess.Board(fen).status() & ~chess.STATUS_EMPTY) == words


def test_long_texts_are_cut_in_messages() -> None:
    assert quote("x" * 60) == repr("x" * 60)
    assert quote("x" * 61) == repr("x" * 57 + "...")
    assert message("y" * 999) == f"info string {'y' * 300}"
    assert message("one\ttwo\n\nthree é") == "info string one two three \\xe9"


def test_a_text_is_announced_with_its_capitals() -> None:
    option = s25.OPTIONS["BookFile"]
    assert option_line(option, "My.BIN") == "option name BookFile type string default My.BIN"
    assert parse_setoption("name bookfile value My.BIN", s25.OPTIONS) == (option, "My.BIN")
