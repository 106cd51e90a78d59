"""Endgame tables: against python-chess, against published counts, and at the board."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import chess.syzygy
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import (
    MATE_SCORE,
    Engine,
    FirstMoveEngine,
    play_game,
)
from converted_notebooks.s05_random_engine import RandomEngine
from converted_notebooks.s07_material_engine import PLAYER_MULTIPLIER
from converted_notebooks.s19_endgame_tables import (
    DRAWN,
    ILLEGAL,
    Endgame,
    EndgameEngine,
    EndgameTable,
    MissingSyzygyError,
    Verdict,
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
from tests.generated import examples
from utils.paths import ROOT

kinds = st.integers(0, 2)


@pytest.fixture(params=[0, 1, 2], ids=["queen", "rook", "pawn"])
def table(request: pytest.FixtureRequest) -> EndgameTable:
    return three_piece_tables()[request.param]


def test_legal_is_what_python_chess_calls_legal(table: EndgameTable) -> None:
    rng = random.Random(4)
    legal_ones = 0
    for _ in range(700):
        turn, on = rng.random() < 0.5, [rng.randrange(64) for _ in range(3)]
        legal = len(set(on)) == 3 and place(table.kind, turn, *on).is_valid()
        assert (table.distances[(int(turn), *on)] != ILLEGAL) == legal
        legal_ones += legal
    assert 200 < legal_ones < 650


def test_mates_and_stalemates_are_those_of_python_chess(table: EndgameTable) -> None:
    rng = random.Random(1)
    black = table.distances[0]
    mates = np.argwhere(black == 0).tolist()
    assert len(mates) == {chess.QUEEN: 364, chess.ROOK: 216, chess.PAWN: 0}[table.kind]
    assert all(place(table.kind, chess.BLACK, *found).is_checkmate() for found in mates)
    others = np.argwhere(black != ILLEGAL).tolist()
    for found in rng.choices(others, k=1000):
        board = place(table.kind, chess.BLACK, *found)
        assert board.is_checkmate() == (black[tuple(found)] == 0)
        if board.is_stalemate():
            assert black[tuple(found)] == DRAWN


def test_entries_follow_from_the_entries_one_move_later(table: EndgameTable) -> None:
    for board in random_entries(table, 2000, random.Random(2)):
        assert entry_error(three_piece_tables(), board) is None


def test_the_rare_entries_follow_too(table: EndgameTable) -> None:
    """Lots miss the rare ones: the longest mates, the shortest, and the edges of draws."""
    rng = random.Random(3)
    for side in (0, 1):
        entries = table.distances[side]
        for plies in np.unique(entries):
            if plies != ILLEGAL:
                found = np.argwhere(entries == plies).tolist()
                for squares_ in rng.sample(found, min(len(found), 8)):
                    board = place(table.kind, bool(side), *squares_)
                    assert entry_error(three_piece_tables(), board) is None


def test_entry_error_reports_a_wrong_entry() -> None:
    rook = three_piece_tables()[1]
    index = (1, chess.A1, chess.B2, chess.C3)
    for wrong in (29, 33, DRAWN):
        distances = rook.distances.copy()
        distances[index] = wrong
        spoilt = [three_piece_tables()[0], EndgameTable(chess.ROOK, distances)]
        error = entry_error(spoilt, place(chess.ROOK, chess.WHITE, *index[1:]))
        assert error is not None and "expected Verdict(result=1, plies=31)" in error
    unknown = entry_error(three_piece_tables(), chess.Board())
    assert unknown is not None and "not in the tables" in unknown


def test_the_longest_mates() -> None:
    found = [(t.longest(chess.WHITE), t.longest(chess.BLACK)) for t in three_piece_tables()]
    assert found == [(19, 20), (31, 32), (55, 56)]


def test_counts_of_won_and_drawn_positions(table: EndgameTable) -> None:
    expected = {  # White to move, Black to move
        chess.QUEEN: ((144_508, 0), (200_896, 23_048)),
        chess.ROOK: ((175_168, 0), (201_700, 22_244)),
        chess.PAWN: ((124_960, 38_368), (97_604, 70_420)),
    }[table.kind]
    for turn, counts in zip((1, 0), expected, strict=True):
        entries = table.distances[turn]
        assert (int((entries >= 0).sum()), int((entries == DRAWN).sum())) == counts


def test_wins_are_odd_with_white_to_move_and_even_with_black(table: EndgameTable) -> None:
    black, white = table.distances
    assert (white[white >= 0] % 2 == 1).all() and (black[black >= 0] % 2 == 0).all()


def test_the_pawn_table_is_symmetric_from_left_to_right() -> None:
    view = [square ^ 7 for square in chess.SQUARES]
    distances = three_piece_tables()[2].distances
    assert (distances[:, view][:, :, view][:, :, :, view] == distances).all()


def test_tables_cannot_be_changed_and_are_built_once() -> None:
    with pytest.raises(ValueError, match="read-only"):
        three_piece_tables()[0].distances[0, 0, 0, 0] = 0
    assert three_piece_tables() is three_piece_tables()


@pytest.mark.parametrize("kind", [chess.KNIGHT, chess.BISHOP])
def test_a_minor_piece_never_wins(kind: chess.PieceType) -> None:
    """Which is why a promotion to it can be left out."""
    assert (solve(Endgame(kind)).distances < 0).all()


def test_a_probe_does_not_depend_on_the_colour_or_on_the_side_of_the_board(
    table: EndgameTable,
) -> None:
    for board in random_entries(table, 300, random.Random(5)):
        verdict = probe(three_piece_tables(), board)
        assert verdict is not None
        assert probe(three_piece_tables(), board.mirror()) == verdict
        assert probe(three_piece_tables(), board.transform(chess.flip_horizontal)) == verdict
        assert probe(tuple(reversed(three_piece_tables())), board) == verdict


def test_verdicts_are_from_the_view_of_the_side_to_move() -> None:
    won = chess.Board("8/8/8/8/8/1R6/8/K1k5 w - - 0 1")
    verdict = probe(three_piece_tables(), won)
    assert verdict is not None and verdict.result == 1 and verdict.plies % 2 == 1
    won.turn = chess.BLACK
    lost = probe(three_piece_tables(), won)
    assert lost is not None and lost.result == -1 and lost.plies % 2 == 0
    assert verdict.score > MATE_SCORE - 100 and lost.score < -MATE_SCORE + 100


def test_mated_and_drawn_are_different_verdicts() -> None:
    mated = chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")
    stalemate = chess.Board("k7/8/1Q6/8/8/8/8/K7 b - - 0 1")
    assert mated.is_checkmate() and stalemate.is_stalemate()
    assert probe(three_piece_tables(), mated) == Verdict(-1, 0)
    assert probe(three_piece_tables(), stalemate) == Verdict(0, 0)


def test_scores_prefer_fast_mates_and_slow_losses() -> None:
    ranking = [Verdict(-1, 0), Verdict(-1, 8), Verdict(0, 0), Verdict(1, 31), Verdict(1, 1)]
    assert sorted(ranking, key=lambda verdict: verdict.score) == ranking
    assert Verdict(-1, 4).one_ply_earlier() == Verdict(1, 5)
    assert Verdict(1, 5).one_ply_earlier() == Verdict(-1, 6)
    assert Verdict(0, 0).one_ply_earlier() == Verdict(0, 0)


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "8/8/8/8/8/2k5/1RR5/K7 w - - 0 1",
        "8/8/8/8/8/2k5/1Rr5/K7 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "r3k3/8/8/8/8/8/8/4K3 b q - 0 1",
    ],
)
def test_positions_that_no_table_has(fen: str) -> None:
    assert probe(three_piece_tables(), chess.Board(fen)) is None


def test_lost_castling_rights_do_not_matter() -> None:
    assert probe(three_piece_tables(), chess.Board("4k3/8/8/8/8/8/8/4K2R w - - 0 1")) is not None
    # A right without its rook is no right; python-chess drops it.
    assert probe(three_piece_tables(), chess.Board("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1")) is not None


@pytest.mark.parametrize("fen", ["8/8/8/8/8/2kK4/8/R7 w - - 0 1", "8/8/8/8/8/k7/8/R2K4 w - - 0 1"])
def test_an_illegal_position_is_an_error(fen: str) -> None:
    board = chess.Board(fen)
    assert not board.is_valid()
    with pytest.raises(ValueError, match="expected a legal position"):
        probe(three_piece_tables(), board)


def test_bare_kings_and_minor_pieces_are_draws_without_a_table() -> None:
    for fen in ("8/8/8/8/8/2k5/8/K7 w - - 0 1", "8/8/8/8/8/2k5/1N6/K7 w - - 0 1"):
        assert probe([], chess.Board(fen)) == Verdict(0, 0)


def test_the_index_is_the_place_in_the_table() -> None:
    board = chess.Board("8/8/8/8/4k3/8/1P6/K7 b - - 0 1")
    assert table_index(board, chess.PAWN) == (0, chess.A1, chess.B2, chess.E4)
    assert table_index(board.mirror(), chess.PAWN) == (0, chess.A1, chess.B2, chess.E4)
    assert table_index(board, chess.ROOK) is None


def test_a_pawn_needs_the_tables_of_its_promotions() -> None:
    promoting = chess.Board("8/2P5/8/8/8/8/8/K6k w - - 0 1")
    assert verdicts_after([three_piece_tables()[2]], promoting) is None
    assert verdicts_after(three_piece_tables(), promoting) is not None
    assert verdicts_after(three_piece_tables(), chess.Board()) is None


def test_moves_by_tables_are_all_or_none() -> None:
    promoting = chess.Board("8/2P5/8/8/8/8/8/K6k w - - 0 1")
    assert moves_by_tables([three_piece_tables()[2]], promoting) is None
    assert moves_by_tables(three_piece_tables(), chess.Board()) is None
    for board in (promoting, promoting.mirror()):
        scored = moves_by_tables(three_piece_tables(), board)
        assert scored is not None and {entry.move for entry in scored} == set(board.legal_moves)
        assert PLAYER_MULTIPLIER[board.turn] * scored[0].score > MATE_SCORE - 100
    mated = chess.Board("R5k1/8/6K1/8/8/8/8/8 b - - 0 1")
    assert moves_by_tables(three_piece_tables(), mated) == []


class Recorder(FirstMoveEngine):
    """Notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, chess.engine.Limit | None]] = []
        self.rng: random.Random | None = None

    def play(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> chess.engine.PlayResult:
        self.asked.append(("play", limit))
        return super().play(board, limit)

    def new_game(self, rng: random.Random | None = None) -> None:
        self.rng = rng


def test_the_fallback_is_asked_where_the_tables_have_no_answer() -> None:
    fallback = Recorder()
    engine = EndgameEngine(fallback, three_piece_tables())
    limit = chess.engine.Limit(depth=3)
    board = chess.Board()
    assert engine.play(board, limit).move == next(iter(board.legal_moves))
    assert fallback.asked == [("play", limit)]
    assert [entry.score for entry in engine.analyse(board, limit)] == [0] * 20
    known = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    engine.play(known, limit)
    assert len(fallback.asked) == 1, "the tables know this one"
    rng = random.Random(1)
    engine.new_game(rng)
    assert fallback.rng is rng and "Recorder" in engine.name


def test_scores_are_from_whites_view_and_the_best_move_comes_first(table: EndgameTable) -> None:
    engine = EndgameEngine(FirstMoveEngine(), three_piece_tables())
    for given_board in random_entries(table, 60, random.Random(7)):
        for board in (given_board, given_board.mirror()):
            if board.is_game_over():
                continue
            fen = board.fen()
            scored = engine.analyse(board)
            assert board.fen() == fen
            assert {entry.move for entry in scored} == set(board.legal_moves)
            mine = [PLAYER_MULTIPLIER[board.turn] * entry.score for entry in scored]
            assert mine == sorted(mine, reverse=True)
            verdict = probe(three_piece_tables(), board)
            assert verdict is not None and mine[0] == verdict.score
            assert engine.play(board).move == scored[0].move


@pytest.mark.parametrize("mirrored", [False, True])
def test_best_play_takes_exactly_the_plies_of_the_table(
    table: EndgameTable, mirrored: bool
) -> None:
    engine = EndgameEngine(FirstMoveEngine(), three_piece_tables())
    longest = table.longest(chess.WHITE)
    found = np.argwhere(table.distances[1] == longest)[-1].tolist()
    board = place(table.kind, chess.WHITE, *found)
    record = play_game(engine, engine, start=board.mirror() if mirrored else board)
    assert record.termination == "checkmate" and record.plies == longest
    assert record.result == ("0-1" if mirrored else "1-0")


@given(kinds, st.integers(0, 2**32 - 1), st.booleans())
@examples(40)
def test_nobody_escapes(number: int, seed: int, mirrored: bool) -> None:
    rng = random.Random(seed)
    (board,) = random_entries(three_piece_tables()[number], 1, rng)
    if mirrored:
        board = board.mirror()
    verdict = probe(three_piece_tables(), board)
    assert verdict is not None
    assume(verdict.result)
    winner = board.turn if verdict.result == 1 else not board.turn
    perfect: Engine = EndgameEngine(FirstMoveEngine(), three_piece_tables())
    players = {winner: perfect, not winner: RandomEngine(rng)}
    record = play_game(players[True], players[False], start=board)
    assert record.termination == "checkmate" and record.plies <= verdict.plies
    assert record.result == ("1-0" if winner else "0-1")


@given(st.integers(0, 2**32 - 1))
@examples(15)
def test_a_drawn_pawn_ending_is_held(seed: int) -> None:
    rng = random.Random(seed)
    board = next(
        board
        for board in random_entries(three_piece_tables()[2], 500, rng)
        if probe(three_piece_tables(), board) == Verdict(0, 0) and not board.is_game_over()
    )
    defender = EndgameEngine(FirstMoveEngine(), three_piece_tables())
    record = play_game(RandomEngine(rng), defender, start=board, max_plies=60)
    assert record.result in ("1/2-1/2", "*")
    assert probe(three_piece_tables(), record.board) == Verdict(0, 0)


# Syzygy: no files here, so the messages, and a tablebase that answers from our tables.


@pytest.mark.parametrize("folder", [None, ""])
def test_no_folder_is_a_clear_message(folder: str | None) -> None:
    with pytest.raises(MissingSyzygyError, match=r"no folder .* expected .* KRvK\.rtbw"):
        open_syzygy(folder)


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    with pytest.raises(FileNotFoundError, match="nowhere is not a folder; expected"):
        open_syzygy(missing)


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no table", encoding="utf-8")
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
    """Answers from our tables, with mistakes where it is told to."""

    def __init__(self, wrong: frozenset[str] = frozenset(), value: int = 0) -> None:
        super().__init__()
        self.wrong, self.value = wrong, value

    def probe_wdl(self, board: chess.Board) -> int:
        verdict = probe(three_piece_tables(), board)
        assert verdict is not None
        return self.value if board.epd() in self.wrong else 2 * verdict.result


def sample() -> Iterator[chess.Board]:
    for table in three_piece_tables():
        yield from random_entries(table, 40, random.Random(8))


def test_differences_to_syzygy_are_found_and_nothing_else() -> None:
    assert list(syzygy_differences(OurTables(), three_piece_tables(), sample())) == []
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    for value in (1, 0, -2):  # a win that the fifty-move rule spoils is another answer, too
        fake = OurTables(frozenset({board.epd()}), value)
        differences = list(syzygy_differences(fake, three_piece_tables(), [*sample(), board]))
        assert differences == [(board, value, Verdict(1, 31))]
    missing = list(syzygy_differences(OurTables(), [], [board]))
    assert missing == [(board, 2, None)], "what our tables lack is a difference"


def test_importing_the_chapter_builds_nothing() -> None:
    script = (
        "import converted_notebooks.s19_endgame_tables as s19\n"
        "assert s19.three_piece_tables.cache_info().currsize == 0\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout == "", done.stderr
