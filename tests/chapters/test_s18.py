"""Positional evaluation: packing, terms against slow definitions, fairness, tuning, data."""

from __future__ import annotations

import collections
import re
from typing import Any

import chess
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s18_positional_evaluation as s18
from converted_notebooks.s12_piece_square_tables import SQUARE_VALUES
from converted_notebooks.s15_transposition_table import TableEngine
from converted_notebooks.s16_quiescence_search import captures_and_promotions, static_exchange
from converted_notebooks.s18_positional_evaluation import (
    FIRST_GUESS,
    FULL_PHASE,
    MIDDLEGAME_ONLY,
    POSITIONS,
    TAPERED_VALUES,
    USUAL_MOBILITY,
    WEIGHTS,
    PositionalEvaluator,
    as_table,
    as_vector,
    attack_features,
    best_scale,
    error,
    explain,
    features,
    king_features,
    load_samples,
    mobility_features,
    pack,
    pawn_features,
    piece_features,
    scores,
    taper,
    tune,
    tuning_data,
    unpack,
)
from tests.helpers.engines import MovingEngine
from tests.helpers.generated import examples
from tests.helpers.positions import after, positions

PROPERTY = examples(80)
SCORE = st.integers(-3000, 3000)


@given(st.lists(st.tuples(SCORE, SCORE, st.integers(0, 25)), max_size=10))
@PROPERTY
def test_sums_of_packed_numbers_are_packed_sums(parts: list[tuple[int, int, int]]) -> None:
    total = sum(pack(*part) for part in parts)
    assert unpack(total) == tuple(sum(part[i] for part in parts) for i in range(3))
    for part in parts:
        total -= pack(*part)
    assert total == 0


@given(SCORE, SCORE, st.integers(0, 40))
@PROPERTY
def test_tapering_stays_between_the_ends_and_is_fair(early: int, late: int, phase: int) -> None:
    score = taper(pack(early, late, phase))
    assert min(early, late) <= score <= max(early, late)
    assert taper(pack(-early, -late, phase)) == -score
    if phase >= FULL_PHASE:
        assert score == early
    if phase == 0:
        assert score == late


def test_the_middlegame_tables_are_those_of_s12_without_the_kings_value() -> None:
    for color in chess.COLORS:
        for kind in chess.PIECE_TYPES:
            king = (20000 if color else -20000) if kind == chess.KING else 0
            for square in chess.SQUARES:
                early, late, phase = unpack(TAPERED_VALUES[color][kind][square])
                assert early == SQUARE_VALUES[color][kind][square] - king
                assert phase == {2: 1, 3: 1, 4: 2, 5: 4}.get(kind, 0)
                mirror = TAPERED_VALUES[not color][kind][chess.square_mirror(square)]
                assert unpack(mirror) == (-early, -late, phase)


def slow_pawns(board: chess.Board, color: chess.Color) -> dict[str, int]:
    """The terms of pawn structure, pawn by pawn, as the words say."""
    counts: collections.Counter[str] = collections.Counter()
    own = [(s & 7, s >> 3) for s in board.pieces(chess.PAWN, color)]
    theirs = [(s & 7, s >> 3) for s in board.pieces(chess.PAWN, not color)]
    if color == chess.BLACK:
        own, theirs = ([(f, 7 - r) for f, r in side] for side in (own, theirs))
    for file, rank in own:
        beside = [(f, r) for f, r in own if abs(f - file) == 1]
        ahead = [f for f, r in theirs if r > rank and abs(f - file) <= 1]
        in_the_way = any(f == file and r > rank for f, r in own)
        counts["isolated"] += not beside
        counts["doubled"] += in_the_way
        counts["chain"] += any(r == rank - 1 for _, r in beside)
        next_is_attacked = any(abs(f - file) == 1 and r == rank + 2 for f, r in theirs)
        counts["backward"] += bool(beside) and all(r > rank for _, r in beside) and next_is_attacked
        if not ahead and not in_the_way:
            counts[f"passed_{rank + 1}"] += 1
    return {name: n for name, n in counts.items() if n}


def slow_king(board: chess.Board, color: chess.Color) -> dict[str, int]:
    """The terms of the king's shelter, square by square."""
    counts: collections.Counter[str] = collections.Counter()
    king = board.king(color)
    assert king is not None
    step = 1 if color == chess.WHITE else -1
    pawns = board.pieces(chess.PAWN, color)
    others = board.pieces(chess.PAWN, not color)
    for file in range(chess.square_file(king) - 1, chess.square_file(king) + 2):
        if not 0 <= file <= 7:
            continue
        for name, steps in (("shield", 1), ("shield_far", 2)):
            rank = chess.square_rank(king) + steps * step
            if 0 <= rank <= 7:
                counts[name] += chess.square(file, rank) in pawns
        if not pawns & chess.BB_FILES[file]:
            half = bool(others & chess.BB_FILES[file])
            counts["king_half_open" if half else "king_open"] += 1
    return {name: n for name, n in counts.items() if n}


def slow_pieces(board: chess.Board, color: chess.Color) -> dict[str, int]:
    """Mobility, attackers, bishop pair and rooks, piece by piece."""
    counts: collections.Counter[str] = collections.Counter()
    king = board.king(not color)
    assert king is not None
    attackers = 0
    shades = set()
    for square, piece in board.piece_map().items():
        if piece.color != color:
            continue
        kind, file = piece.piece_type, chess.BB_FILES[chess.square_file(square)]
        if kind in USUAL_MOBILITY:
            reached = [
                s
                for s in board.attacks(square)
                if board.color_at(s) != color
                and not any(
                    board.piece_type_at(a) == chess.PAWN for a in board.attackers(not color, s)
                )
            ]
            name = f"mobility_{chess.piece_name(kind)}"
            counts[name] += len(reached) - USUAL_MOBILITY[kind]
            attackers += any(chess.square_distance(s, king) <= 1 for s in board.attacks(square))
        if kind == chess.BISHOP:
            shades.add(bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES))
        if kind == chess.ROOK and not board.pieces(chess.PAWN, color) & file:
            half = bool(board.pieces(chess.PAWN, not color) & file)
            counts["rook_half_open" if half else "rook_open"] += 1
    counts["bishop_pair"] = len(shades) == 2
    if attackers > 1:
        counts[f"attackers_{min(attackers, 4)}"] = 1
    return {name: n for name, n in counts.items() if n}


def present(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


@given(board=positions(max_plies=60))
@PROPERTY
def test_features_are_what_the_words_say(board: chess.Board) -> None:
    for color in chess.COLORS:
        assert present(pawn_features(board, color)) == slow_pawns(board, color)
        assert present(king_features(board, color)) == slow_king(board, color)
        pieces = (
            mobility_features(board, color)
            | attack_features(board, color)
            | piece_features(board, color)
        )
        assert present(pieces) == slow_pieces(board, color)
        assert features(board, color) == features(board.mirror(), not color)
        assert features(board, color).keys() <= WEIGHTS.keys()


@given(board=positions(max_plies=60))
@PROPERTY
def test_structure_depends_on_pawns_and_kings_only(board: chess.Board) -> None:
    bare = board.copy(stack=False)
    for square in chess.SquareSet(board.occupied & ~(board.pawns | board.kings)):
        bare.remove_piece_at(square)
    for color in chess.COLORS:
        assert pawn_features(bare, color) == pawn_features(board, color)
        assert king_features(bare, color) == king_features(board, color)
    # What is remembered from other positions must not leak into this one.
    used, before = PositionalEvaluator(), board.copy()
    for _ in range(10):
        used.heuristic(before)
        if before.move_stack:
            before.pop()
    assert used.heuristic(board) == PositionalEvaluator().heuristic(board)


@given(board=positions(max_plies=60))
@PROPERTY
def test_score_is_explained(board: chess.Board) -> None:
    score = PositionalEvaluator().heuristic(board)
    assert isinstance(score, int)
    terms = explain(board)
    white_view = score if board.turn else -score
    assert abs(sum(term.contribution for term in terms) - white_view) < 1
    sizes = [abs(term.contribution) for term in terms]
    assert sizes == sorted(sizes, reverse=True)
    for term in terms:
        if term.name in WEIGHTS:
            assert term.weight == WEIGHTS[term.name]
            assert term.white is not None and term.black is not None
            more = term.white - term.black
            assert (term.middlegame, term.endgame) == tuple(more * one for one in term.weight)


def test_the_data_are_quiet_positions_with_results() -> None:
    samples = load_samples()
    assert len(samples) > 2000
    assert POSITIONS.stat().st_size < 1_500_000
    assert len({sample.board.epd() for sample in samples}) > 0.9 * len(samples)
    by_game = collections.defaultdict(set)
    for sample in samples:
        by_game[sample.game].add(sample.result)
        assert sample.board.is_valid() and not sample.board.is_check()
        for move in captures_and_promotions(sample.board):
            assert not move.promotion and static_exchange(sample.board, move) <= 0
    assert all(len(results) == 1 for results in by_game.values())
    assert {s.result for s in samples} == {0, 0.5, 1}
    assert list(by_game) == sorted(by_game)


def test_tuning_gives_the_weights_with_less_error_and_respects_what_is_fixed() -> None:
    samples = load_samples()
    data = tuning_data(samples)
    guess = as_vector(FIRST_GUESS, data.names)
    scale = best_scale(data, guess)
    assert 0.0005 < scale < 0.02
    assert error(data, guess, scale) <= error(data, guess, 1.05 * scale)
    assert tune(data, FIRST_GUESS, scale) == WEIGHTS
    assert error(data, as_vector(WEIGHTS, data.names), scale) < error(data, guess, scale)
    assert all(WEIGHTS[name][1] == 0 for name in MIDDLEGAME_ONLY)
    assert tune(data, FIRST_GUESS, scale, caution=1e6, steps=50) == FIRST_GUESS
    judge = PositionalEvaluator(FIRST_GUESS)
    for sample, score in zip(samples[:100], scores(data, guess), strict=False):
        assert abs(judge.heuristic(sample.board) * (1 if sample.board.turn else -1) - score) < 1


def test_tuning_finds_weights_that_made_the_results() -> None:
    samples = load_samples()[:800]
    data = tuning_data(samples, ["isolated", "bishop_pair"])
    truth = as_vector({"isolated": (-60, -40), "bishop_pair": (90, 150)}, data.names)
    chances = 1 / (1 + 2.718281828 ** (-0.01 * scores(data, truth)))
    made = type(data)(data.names, data.base, data.matrix, chances)
    zero = {"isolated": (0, 0), "bishop_pair": (0, 0)}
    found = tune(made, zero, 0.01, caution=0, steps=3000)
    for name, pair in {"isolated": (-60, -40), "bishop_pair": (90, 150)}.items():
        assert found[name] == pytest.approx(pair, abs=8)


@pytest.mark.parametrize(
    ("fen", "other"),
    [
        ("4k3/4p3/8/8/8/8/P7/4K3 w - - 0 1", "4k3/4P3/8/8/8/8/p7/4K3 w - - 0 1"),
        ("4k3/5pp1/8/8/8/8/P7/K7 w - - 0 1", "4K3/5pp1/8/8/8/8/P7/k7 w - - 0 1"),
    ],
)
def test_structures_that_differ_in_colours_only_are_told_apart(fen: str, other: str) -> None:
    used = PositionalEvaluator()
    for board in map(chess.Board, (fen, other)):
        assert used.structure(board) == PositionalEvaluator().structure(board)
    assert used.structure(chess.Board(fen)) != used.structure(chess.Board(other))


def test_no_more_structures_are_remembered_than_the_chapter_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(s18, "MOST_STRUCTURES", 3)
    terms, sizes = s18.WeightedTerms(s18.WEIGHTS), []
    for square in chess.SquareSet(chess.BB_RANK_3):
        board = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
        board.set_piece_at(square, chess.Piece(chess.PAWN, chess.WHITE))
        terms.structure(board)
        sizes.append(len(terms._structures))
    assert sizes == [1, 2, 3, 1, 2, 3, 1, 2]


def test_a_table_engine_makes_the_moves_whose_positions_have_to_be_judged() -> None:
    for board in (after(chess.STARTING_FEN, "e4"), after(chess.STARTING_FEN, "e4 e5")):
        scores = []
        for kind in (TableEngine, MovingEngine):
            engine = kind(PositionalEvaluator())
            engine.play(board, Limit(depth=2))
            assert engine.last_search is not None
            scores.append(engine.last_search.best.score)
        assert scores[0] == scores[1]


def test_an_explanation_uses_the_weights_that_are_given() -> None:
    board = chess.Board("r4rk1/5p1p/8/8/8/8/5PPP/3RR1K1 w - - 0 1")
    weights = {name: (3 * early, 5 * late) for name, (early, late) in FIRST_GUESS.items()}
    terms = explain(board, weights)
    assert len(terms) > 5
    assert all(t.weight == (None if t.white is None else weights[t.name]) for t in terms)
    score = PositionalEvaluator(weights).heuristic(board)
    assert abs(sum(term.contribution for term in terms) - score) < 1


def test_the_table_of_an_explanation_has_a_row_for_each_term_and_the_sum() -> None:
    terms = [
        s18.Term("pieces and tables", None, None, None, 100, 300, 150.0),
        s18.Term("rook_open", 2, 1, (20, 7), 20, 7, 16.75),
    ]
    shown: Any = as_table(terms, "A caption")
    words = [" ".join(line.split()) for line in _cells(shown._repr_html_())]
    assert words == [
        *("term", "White", "Black", "each", "middlegame", "endgame", "contribution"),
        *("pieces and tables", "", "", "", "+100", "+300", "+150"),
        *("rook open", "2", "1", "+20/+7", "+20", "+7", "+17"),
        *("sum", "", "", "", "+120", "+307", "+167"),
    ]


def _cells(html: str) -> list[str]:
    """The texts of the cells of a table."""
    return re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", html)


def test_only_pawns_and_kings_have_tables_of_their_own_for_the_endgame() -> None:
    for kind in chess.PIECE_TYPES:
        packed = [s18.TAPERED_VALUES[chess.WHITE][kind][square] for square in chess.SQUARES]
        differs = any(early != late for early, late, _ in map(s18.unpack, packed))
        assert differs == (kind in (chess.PAWN, chess.KING))
    values = s18.TAPERED_VALUES[chess.WHITE]
    assert s18.unpack(values[chess.KING][chess.D4])[1] == 40
    assert s18.unpack(values[chess.PAWN][chess.A7])[1] == 100 + 30
    assert s18.unpack(values[chess.PAWN][chess.A2])[1] == 100
