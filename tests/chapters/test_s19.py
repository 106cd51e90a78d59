"""Endgame tables: against python-chess, against published counts, and at the board."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import chess.syzygy
import numpy as np
import pytest
from chess.engine import Limit
from hypothesis import assume, given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import FirstMoveEngine, play_game
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s13_incremental_evaluation import QuickEndEvaluator
from converted_notebooks.s15_transposition_table import TableEngine
from converted_notebooks.s17_selective_search import Selection
from converted_notebooks.s18_positional_evaluation import PositionalEvaluator
from converted_notebooks.s19_endgame_tables import (
    DRAWN,
    ILLEGAL,
    MATE_SCORE,
    Endgame,
    EndgameEngine,
    EndgameTable,
    MissingSyzygyError,
    ProbingEngine,
    Verdict,
    count_classes,
    entry_error,
    moves_by_tables,
    open_syzygy,
    place,
    probe,
    random_entries,
    solve,
    syzygy_differences,
    table_index,
    three_piece_tables,
    verdicts_after,
)
from tests.helpers.engines import Noting
from tests.helpers.generated import examples
from tests.helpers.properties import assert_analysis, assert_plays, unchanged
from utils.exercises.positions import BACK_RANK
from utils.paths import ROOT

tables = three_piece_tables  # built when the first test asks for them
ROOK_ENDING = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
PROMOTING = "8/2P5/8/8/8/8/8/K6k w - - 0 1"
squares = st.integers(0, 63)
kinds = [chess.QUEEN, chess.ROOK, chess.PAWN]
each_kind = pytest.mark.parametrize("kind", kinds, ids=chess.piece_name)


@st.composite
def endings(draw: st.DrawFn) -> chess.Board:
    """A legal position of king and queen, rook or pawn against king, in either colour."""
    kind = draw(st.sampled_from(kinds))
    on = draw(st.tuples(squares, squares, squares))
    board = place(kind, draw(st.booleans()), *on) if len(set(on)) == 3 else chess.Board(None)
    assume(board.is_valid())
    return board.mirror() if draw(st.booleans()) else board


@each_kind
@given(turn=st.booleans(), on=st.tuples(squares, squares, squares))
@examples()
def test_legal_is_what_python_chess_calls_legal(
    kind: chess.PieceType, turn: bool, on: tuple[int, int, int]
) -> None:
    table = tables()[kinds.index(kind)]
    legal = len(set(on)) == 3 and place(kind, turn, *on).is_valid()
    assert (table.distances[(int(turn), *on)] != ILLEGAL) == legal


@each_kind
def test_mates_are_those_of_python_chess_and_as_many_as_published(kind: chess.PieceType) -> None:
    table = tables()[kinds.index(kind)]
    mates, longest, counts = {  # counts of won and drawn, Black to move and White to move
        chess.QUEEN: (364, (19, 20), ((200_896, 23_048), (144_508, 0))),
        chess.ROOK: (216, (31, 32), ((201_700, 22_244), (175_168, 0))),
        chess.PAWN: (0, (55, 56), ((97_604, 70_420), (124_960, 38_368))),
    }[kind]
    found = np.argwhere(table.distances[0] == 0).tolist()
    assert len(found) == mates
    assert all(place(kind, chess.BLACK, *on).is_checkmate() for on in found)
    assert (table.longest(chess.WHITE), table.longest(chess.BLACK)) == longest
    for turn, entries in enumerate(table.distances):
        assert (int((entries >= 0).sum()), int((entries == DRAWN).sum())) == counts[turn]
        assert (entries[entries >= 0] % 2 == turn).all()


@each_kind
def test_entries_follow_from_the_entries_one_move_later(kind: chess.PieceType) -> None:
    """Random ones, and each distance: the longest mates, the shortest, and the draws."""
    table = tables()[kinds.index(kind)]
    rng = random.Random(3)
    boards = list(random_entries(table, 300, rng))
    for side in (0, 1):
        entries = table.distances[side]
        for plies in set(np.unique(entries).tolist()) - {ILLEGAL}:
            found = np.argwhere(entries == plies).tolist()
            boards += [place(kind, bool(side), *on) for on in rng.sample(found, 2)]
    for board in boards:
        assert entry_error(tables(), board) is None


def test_entry_error_reports_a_wrong_entry() -> None:
    index = (1, chess.A1, chess.B2, chess.C3)
    for wrong in (29, 33, DRAWN):
        distances = tables()[1].distances.copy()
        distances[index] = wrong
        spoilt = [tables()[0], EndgameTable(chess.ROOK, distances)]
        error = entry_error(spoilt, place(chess.ROOK, chess.WHITE, *index[1:]))
        assert error is not None and "expected Verdict(result=1, plies=31)" in error
    unknown = entry_error(tables(), chess.Board())
    assert unknown is not None and "not in the tables" in unknown


def test_the_pawn_table_is_symmetric_from_left_to_right() -> None:
    view = [square ^ 7 for square in chess.SQUARES]
    distances = tables()[2].distances
    assert (distances[:, view][:, :, view][:, :, :, view] == distances).all()


def test_tables_cannot_be_changed_and_are_built_once() -> None:
    with pytest.raises(ValueError, match="read-only"):
        tables()[0].distances[0, 0, 0, 0] = 0
    assert three_piece_tables() is tables()
    script = (
        "from converted_notebooks.s19_endgame_tables import three_piece_tables\n"
        "print(three_piece_tables.cache_info().currsize)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n", "importing the chapter builds nothing"


@pytest.mark.parametrize("kind", [chess.KNIGHT, chess.BISHOP])
def test_a_minor_piece_never_wins(kind: chess.PieceType) -> None:
    """Which is why a promotion to it can be left out."""
    assert (solve(Endgame(kind)).distances < 0).all()


@given(board=endings())
@examples()
def test_a_probe_does_not_depend_on_the_colour_or_on_the_side_of_the_board(
    board: chess.Board,
) -> None:
    with unchanged(board):
        verdict = probe(tables(), board)
    assert verdict is not None and verdict.result in (-1, 0, 1)
    assert probe(tables(), board.mirror()) == verdict
    assert probe(tables(), board.transform(chess.flip_horizontal)) == verdict
    assert probe(tuple(reversed(tables())), board) == verdict
    assert board.is_checkmate() == (verdict == Verdict(-1, 0))
    assert verdict == Verdict(0, 0) or not board.is_stalemate()
    # A win takes an odd number of plies, a loss an even one.
    assert verdict.plies % 2 == (verdict.result == 1)


def test_scores_prefer_fast_mates_and_slow_losses() -> None:
    ranking = [Verdict(-1, 0), Verdict(-1, 8), Verdict(0, 0), Verdict(1, 31), Verdict(1, 1)]
    assert sorted(ranking, key=lambda verdict: verdict.score) == ranking
    assert Verdict(1, 31).score > MATE_SCORE - 100 and Verdict(-1, 8).score < 100 - MATE_SCORE
    assert Verdict(-1, 4).one_ply_earlier() == Verdict(1, 5)
    assert Verdict(1, 5).one_ply_earlier() == Verdict(-1, 6)
    assert Verdict(0, 0).one_ply_earlier() == Verdict(0, 0)


@pytest.mark.parametrize(
    ("fen", "known"),
    [
        (chess.STARTING_FEN, False),
        ("8/8/8/8/8/2k5/1RR5/K7 w - - 0 1", False),
        ("8/8/8/8/8/2k5/1Rr5/K7 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", False),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", False),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", True),  # a right without its rook is no right
    ],
)
def test_which_positions_the_tables_have(fen: str, known: bool) -> None:
    assert (probe(tables(), chess.Board(fen)) is not None) == known


@pytest.mark.parametrize("fen", ["8/8/8/8/8/2k5/8/K7 w - - 0 1", "8/8/8/8/8/2k5/1N6/K7 w - - 0 1"])
def test_bare_kings_and_minor_pieces_are_draws_without_a_table(fen: str) -> None:
    assert probe([], chess.Board(fen)) == Verdict(0, 0)


@pytest.mark.parametrize("fen", ["8/8/8/8/8/2kK4/8/R7 w - - 0 1", "8/8/8/8/8/k7/8/R2K4 w - - 0 1"])
def test_an_illegal_position_is_an_error(fen: str) -> None:
    with pytest.raises(ValueError, match="expected a legal position"):
        probe(tables(), chess.Board(fen))


def test_the_index_is_the_place_in_the_table() -> None:
    board = chess.Board("8/8/8/8/4k3/8/1P6/K7 b - - 0 1")
    for image in (board, board.mirror()):
        assert table_index(image, chess.PAWN) == (0, chess.A1, chess.B2, chess.E4)
    assert table_index(board, chess.ROOK) is None


def test_moves_by_tables_are_all_or_none() -> None:
    """A pawn needs the tables of its promotions."""
    promoting = chess.Board(PROMOTING)
    for known, board in ((tables()[2:], promoting), (tables(), chess.Board())):
        assert verdicts_after(known, board) is None
        assert moves_by_tables(known, board) is None
    assert verdicts_after(tables(), promoting) is not None
    assert moves_by_tables(tables(), chess.Board("R5k1/8/6K1/8/8/8/8/8 b - - 0 1")) == []


@given(board=endings())
@examples(60)
def test_the_engine_plays_the_best_move_with_the_score_of_the_table(board: chess.Board) -> None:
    assume(not board.is_game_over())
    engine = EndgameEngine(FirstMoveEngine(), tables())
    scored = assert_analysis(engine, board)
    verdict = probe(tables(), board)
    assert verdict is not None
    assert scored[0].score == PLAYER_MULTIPLIER[board.turn] * verdict.score
    assert assert_plays(engine, board) == scored[0].move


@pytest.mark.parametrize("mirrored", [False, True])
@each_kind
def test_best_play_takes_exactly_the_plies_of_the_table(
    kind: chess.PieceType, mirrored: bool
) -> None:
    table = tables()[kinds.index(kind)]
    engine = EndgameEngine(FirstMoveEngine(), tables())
    longest = table.longest(chess.WHITE)
    on = np.argwhere(table.distances[1] == longest)[-1].tolist()
    board = place(kind, chess.WHITE, *on)
    record = play_game(engine, engine, start=board.mirror() if mirrored else board)
    assert record.termination == "checkmate" and record.plies == longest
    assert record.result == ("0-1" if mirrored else "1-0")


def probing() -> ProbingEngine:
    return ProbingEngine(PositionalEvaluator(), tables(), selection=Selection.NONE)


@given(board=endings())
@examples(60)
def test_a_search_of_one_ply_knows_what_the_tables_know(board: chess.Board) -> None:
    assume(not board.is_game_over())
    engine, verdict = probing(), probe(tables(), board)
    engine.play(board, chess.engine.Limit(depth=1))
    assert verdict is not None and engine.last_search is not None
    value = verdict.result * (engine.evaluator.value_checkmate - verdict.plies)
    assert engine.last_search.best.score == PLAYER_MULTIPLIER[board.turn] * value
    assert engine.statistics.cache_hits == board.legal_moves.count()


def test_captures_beyond_the_depth_are_looked_up() -> None:
    """Wherever Black's king goes, White takes the pawn and mates: mate counts from the root."""
    board, distances = chess.Board("8/5k2/8/8/8/8/p7/K2R4 b - - 0 1"), []
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        after.push_uci("a1a2")
        verdict = probe(tables(), after)
        assert verdict is not None and verdict.result == -1
        distances.append(2 + verdict.plies)
    engine = probing()
    engine.play(board, chess.engine.Limit(depth=1))
    best = engine.iterations[-1].best
    assert best.score == engine.evaluator.value_checkmate - max(distances)


# Syzygy: no files here, so the messages, and a tablebase that answers from our tables.


def test_a_folder_that_has_no_tables_is_named(tmp_path: Path) -> None:
    for nothing in (None, ""):
        with pytest.raises(MissingSyzygyError, match=r"no folder .* expected .* KRvK\.rtbw"):
            open_syzygy(nothing)
    with pytest.raises(FileNotFoundError, match="nowhere is not a folder; expected"):
        open_syzygy(tmp_path / "nowhere")
    (tmp_path / "KRvK.txt").write_text("no table", encoding="utf-8")
    with pytest.raises(MissingSyzygyError, match=r"no Syzygy files in .*; expected"):
        open_syzygy(str(tmp_path))


def test_files_with_the_right_names_are_opened(tmp_path: Path) -> None:
    """Names only: python-chess reads a file when it is probed."""
    (tmp_path / "KRvK.rtbw").write_bytes(b"")
    with open_syzygy(tmp_path) as tablebase:
        assert len(tablebase.wdl) == 2  # the table and its mirror image
        with pytest.raises(chess.syzygy.MissingTableError):
            tablebase.probe_wdl(chess.Board("8/8/8/8/8/2k5/1Q6/K7 w - - 0 1"))


class OurTables(chess.syzygy.Tablebase):
    """Answers from our tables, with another value where it is told to."""

    def __init__(self, wrong: dict[str, int] | None = None) -> None:
        super().__init__()
        self.wrong = wrong or {}

    def probe_wdl(self, board: chess.Board) -> int:
        verdict = probe(tables(), board)
        assert verdict is not None
        return self.wrong.get(board.epd(), 2 * verdict.result)


def test_differences_to_syzygy_are_found_and_nothing_else() -> None:
    board = chess.Board(ROOK_ENDING)
    boards = [b for table in tables() for b in random_entries(table, 40, random.Random(8))] + [
        board
    ]
    assert list(syzygy_differences(OurTables(), tables(), boards)) == []
    for value in (1, 0, -2):  # a win that the fifty-move rule spoils is another answer, too
        differences = list(syzygy_differences(OurTables({board.epd(): value}), tables(), boards))
        assert differences == [(board, value, Verdict(1, 31))]
    missing = list(syzygy_differences(OurTables(), [], [board]))
    assert missing == [(board, 2, None)], "what our tables lack is a difference"


def test_a_stop_reaches_the_search_and_not_the_next_one() -> None:
    from converted_notebooks.s22_tournament_search import SearchEngine

    engine, board = EndgameEngine(SearchEngine(megabytes=1), ()), chess.Board()
    engine.stop()
    engine.play(board, chess.engine.Limit(depth=3))
    assert engine.iterations == ()
    engine.stop()
    engine.stop_requested = False  # as a program does before it starts a search
    engine.play(board, chess.engine.Limit(depth=3))
    assert len(engine.iterations) == 3
    known = EndgameEngine(SearchEngine(megabytes=1), tables())
    for answer in (known.play, known.analyse):
        known.stop()
        answer(chess.Board("8/8/8/8/8/2k5/8/K6R w - - 0 1"))
        assert not known.stop_requested and known.iterations == ()


def test_positions_that_are_images_of_each_other_count_once() -> None:
    same, mirror = np.arange(64), np.arange(64) ^ 7
    found = np.zeros((64, 64, 64), dtype=np.bool_)
    assert count_classes(found, [same, mirror]) == 0
    for on in ((chess.A1, chess.B2, chess.C3), (chess.H1, chess.G2, chess.F3)):
        found[on] = True
    assert count_classes(found, [same]) == 2
    assert count_classes(found, [same, mirror]) == 1
    found[chess.A1, chess.B2, chess.D3] = True
    assert count_classes(found, [same, mirror]) == 2


def test_mates_of_the_tables_and_of_the_fallback_are_told_in_plies() -> None:
    fallback = TableEngine(QuickEndEvaluator())
    fallback.pawn_value = 77
    engine = EndgameEngine(fallback, tables())
    assert (engine.mate_score, engine.pawn_value) == (fallback.mate_score, 77)
    for sign in (1, -1):
        assert engine.plies_to_mate(sign * (MATE_SCORE - 31)) == 31
        assert engine.plies_to_mate(sign * (30_000 - 5)) == 5
    assert EndgameEngine(FirstMoveEngine(), tables()).plies_to_mate(120) is None


def test_an_answer_of_the_tables_has_no_iterations_of_the_search_before() -> None:
    engine = EndgameEngine(TableEngine(QuickEndEvaluator()), tables())
    for answer in (engine.play, engine.analyse):
        engine.play(chess.Board(BACK_RANK), Limit(depth=1))
        assert engine.iterations
        answer(chess.Board(ROOK_ENDING))
        assert engine.iterations == () and engine.last_search is None


def test_the_fallback_is_asked_within_the_limit_where_the_tables_have_no_answer() -> None:
    fallback, board, rng = Noting(), chess.Board(), random.Random(1)
    engine, limit, other = EndgameEngine(fallback, tables()), Limit(nodes=9), Limit(depth=3)
    assert engine.play(board, limit).move == next(iter(board.legal_moves))
    assert [entry.score for entry in engine.analyse(board, other)] == [0] * 20
    engine.play(chess.Board(ROOK_ENDING), limit)
    engine.new_game(rng)
    engine.close()
    assert fallback.told == [limit, other, ("new game", rng), "close"]
    assert "Noting" in engine.name


def test_a_position_that_the_tables_lack_has_no_moves_even_if_all_lead_into_them() -> None:
    board = chess.Board("8/8/1k6/8/R7/8/6q1/7K w - - 0 1")
    assert [board.san(move) for move in board.legal_moves] == ["Kxg2"]
    assert moves_by_tables(tables(), board) is None


def test_an_entry_whose_followers_are_unknown_is_reported() -> None:
    said = entry_error(tables()[2:], chess.Board(PROMOTING))
    assert said is not None and "not in the tables" in said
