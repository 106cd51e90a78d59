"""Checks of chapter s12, piece-square tables."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import chess

from utils.exercises import (
    Hint,
    exercise,
    heuristic,
    kept,
    module_of,
    random_boards,
    require,
    require_equal,
    require_fair,
)
from utils.exercises.positions import square_names

ENDING = "6k1/5ppp/8/3p4/3P4/8/5PPP/6K1 w - - 0 1"


def _require_fair(evaluator: Any) -> None:
    words = "Black's pieces look at the mirrored square."
    require_fair(evaluator, random_boards(60, 12), words)


@exercise(
    "s12-1",
    pawn=("white pawn on d4", "white pawn on d3", "white pawn on c4", "white pawn on f3"),
    rook=("white rook on a7", "white rook on d1", "white rook on h4", "white rook on e7"),
    bishop=("black bishop on b7", "black bishop on c6", "black bishop on c4", "black bishop on g5"),
    king=("black king on g8", "black king on e7", "black king on c8", "black king on d6"),
)
def by_hand(answer: Mapping[str, Any], **names: str) -> None:
    """Four pieces, values recomputed from the tables."""
    module = module_of("s12_piece_square_tables")
    for name in names.values():
        side, piece, _, place = name.split()
        colour, square = side == "white", chess.parse_square(place)
        kind = chess.PIECE_NAMES.index(piece)
        right, said = module.SQUARE_VALUES[colour][kind][square], answer.get(name)
        if said == right:
            continue
        if said == -right:
            hint = "The sign is wrong: White's view, so what Black has is negative."
        elif not colour and said == -(module.CENTIPAWNS[kind] + module.TABLES[kind][square]):
            hint = "Turn the square over before you look into the table."
        else:
            hint = (
                "Add the entry of the table, with its sign, to the value of the piece; the eighth "
                "rank is on top."
            )
        raise Hint(f"{name}: not {said!r}. {hint}")


@exercise("s12-2")
def best_squares(answer: Callable[..., Any]) -> None:
    """All types, both colours."""
    tables = module_of("s12_piece_square_tables").TABLES
    for kind in chess.PIECE_TYPES:
        table = tables[kind]
        for colour in chess.COLORS:
            best = {
                square
                for square in chess.SQUARES
                if table[square if colour else chess.square_mirror(square)] == max(table)
            }
            said = set(answer(kind, colour))
            piece = f"{chess.COLOR_NAMES[colour]} {chess.piece_name(kind)}"
            require(
                said == best,
                f"A {piece} is worth most on {square_names(best)}; you have {square_names(said)}.",
            )


@exercise("s12-3")
def explain(answer: Callable[[chess.Board], Mapping[int, int]]) -> None:
    """Six parts that make up the score."""
    module = module_of("s12_piece_square_tables")
    evaluator = module.PieceSquareEvaluator()
    bare = chess.Board("4k3/8/8/8/4N3/8/8/4K3 b - - 0 1")
    parts = dict(answer(bare))
    hint = "Expected six keys, the piece types; a type that is missing on the board counts 0."
    require(set(parts) == set(chess.PIECE_TYPES), hint)
    words = "From White's view, whoever is to move, a white knight on e4 is worth"
    require_equal(parts[chess.KNIGHT], 340, words)
    for board in [bare, *random_boards(60, 12)]:
        fen, parts = board.fen(), dict(kept(board, answer))
        score = evaluator.heuristic(board) * (1 if board.turn else -1)
        require_equal(sum(parts.values()), score, f"In {fen} the parts add up to the score,")
        for kind in chess.PIECE_TYPES:
            alone = chess.Board(None)
            alone.set_piece_map(
                {s: p for s, p in board.piece_map().items() if p.piece_type == kind}
            )
            words = f"In {fen} the part of the {chess.piece_name(kind)}s is"
            require_equal(parts[kind], evaluator.heuristic(alone), words)


@exercise("s12-4")
def endgame_king(answer: type[Any]) -> None:
    """Both phases, both sides, and a pawn ending that is won."""
    module = module_of("s12_piece_square_tables")
    search = module_of("s10_alpha_beta_engine").AlphaBetaEngine
    evaluator, plain = answer(), module.PieceSquareEvaluator()
    for fen, expected in {
        "7k/8/8/8/4K3/8/8/8 w - - 0 1": 90,
        "7k/8/8/8/4K3/8/8/8 b - - 0 1": -90,
        "6k1/8/8/8/8/8/4P3/6K1 w - - 0 1": 80,
        "8/8/8/3k4/8/8/4P3/6K1 w - - 0 1": 80 - 30 - 40,
        "7k/8/8/8/4K3/8/8/RNB5 w - - 0 1": 500 + 280 + 320 + 90,
    }.items():
        words = f"In {fen} there is no queen: expected"
        hint = "Use the new table for both kings."
        require_equal(heuristic(evaluator, chess.Board(fen)), expected, words, hint)
    for board in random_boards(60, 12):
        if board.queens:
            require(
                heuristic(evaluator, board) == plain.heuristic(board),
                f"In {board.fen()} there is a queen: judge as PieceSquareEvaluator does.",
            )
    _require_fair(evaluator)
    play_game = module_of("s04_engine_interface").play_game
    record = play_game(
        search(evaluator, 3), search(plain, 3), start=chess.Board(ENDING), max_plies=100
    )
    words = "White should win the ending against a king that stays at home: expected"
    require_equal(record.result, "1-0", words)


class Row(NamedTuple):
    """One line of a profile: its number, how often it ran, how long in all."""

    line: int
    hits: int
    time: float


def _profiles() -> Iterator[tuple[list[Row], int | None]]:
    """Made-up profiles, half of them of a function that calls itself."""
    rng = random.Random(12)
    for round_ in range(200):
        numbers = sorted(rng.sample(range(10, 99), rng.randint(2, 8)))
        rows = [Row(n, rng.randint(1, 5000), rng.randint(1, 90) ** 2) for n in numbers]
        yield rows, rng.choice(numbers) if round_ % 2 else None


@exercise("s12-5")
def read_profile(answer: Callable[..., tuple[int, float, float]]) -> None:
    """One profile by hand, many made up, and one without any time."""
    rows = [Row(5, 900, 30), Row(6, 900, 60), Row(7, 30, 400), Row(8, 3000, 10)]
    given = list(rows)
    line, share, gain = answer(rows, 7)
    require(rows == given, "The list of rows changed: build a new one.")
    require(
        line != 7,
        "Line 7 is where the function calls itself: its time is counted on the other lines "
        "already. Leave it out.",
    )
    require(line != 8, "Line 8 runs most often, but what counts is the time: line 6 takes most.")
    require(line == 6, f"Line 6 takes most of the remaining time, not line {line}.")
    hint = f"Line 6 takes 60 of the remaining 100, so its share is 0.6, not {share}."
    require(math.isclose(share, 0.6), hint)
    require(
        math.isclose(gain, 2.5),
        f"Without line 6, 40 of 100 would remain: at most 2.5 times as fast, not {gain}. "
        "That is 1 / (1 - share).",
    )
    same = answer([Row(2, 1, 5), Row(1, 1, 5)])[0]
    require_equal(same, 2, "Two lines take equally long: expected the first,")
    alone = tuple(answer([Row(1, 4, 7), Row(2, 4, 0)], None))
    require_equal(alone, (1, 1, math.inf), "One line takes all the time: expected")
    for rows, recursive in _profiles():
        _require_read(answer, rows, recursive)
    for rows in ([], [Row(2, 1, 0)], [Row(3, 9, 50)]):
        try:
            said = answer(rows, 3)
        except ValueError:
            continue
        raise Hint(f"{rows} leaves no time to read: expected a ValueError, got {said}.")


def _require_read(answer: Callable[..., Any], rows: list[Row], recursive: int | None) -> None:
    """Holds an answer against a made-up profile."""
    times = {row.line: row.time for row in rows if row.line != recursive}
    line, share, gain = answer(rows, recursive)
    case = f"In {rows}, recursive line {recursive}: "
    require(times.get(line) == max(times.values()), f"{case}line {line} does not take most.")
    part = times[line] / sum(times.values())
    require(math.isclose(share, part), f"{case}the share is {part:.3f}, not {share}.")
    most = 1 / (1 - part) if len(times) > 1 else math.inf
    require(math.isclose(gain, most), f"{case}at most {most:.3f} times as fast, not {gain}.")


class _NoObjects(chess.Board):
    """A board that builds no pieces."""

    def piece_map(self, *, mask: int = chess.BB_ALL) -> dict[chess.Square, chess.Piece]:
        raise Hint("piece_map builds an object for every piece: do without.")

    def piece_at(self, square: chess.Square) -> chess.Piece | None:
        raise Hint("piece_at builds an object: ask piece_type_at, or the bitboards.")


@exercise("s12-6")
def frugal(answer: type[Any]) -> None:
    """The same scores on a board that refuses to build pieces."""
    module = module_of("s12_piece_square_tables")
    evaluator, plain = answer(), module.PieceSquareEvaluator()
    for board in [chess.Board(), *random_boards(60, 12)]:
        expected = plain.heuristic(board)
        require_equal(heuristic(evaluator, board), expected, f"In {board.fen()} the score is")
        again = evaluator.heuristic(_NoObjects(board.fen()))
        require(again == expected, "The score depends on the class of the board; it should not.")
    values = module.square_values(module.CENTIPAWNS | {chess.PAWN: 90}, module.TABLES)
    other, pawn = answer(values), chess.Board("4k3/8/8/8/8/8/P7/4K3 w - - 0 1")
    hint = "Other values can be passed in, so add up self.values, not SQUARE_VALUES."
    require(heuristic(other, pawn) == module.PieceSquareEvaluator(values).heuristic(pawn), hint)


@exercise("s12-7")
def learned(visits: Callable[..., list[int]], evaluator_type: type[Any]) -> None:
    """Counts on both sides, and an evaluator that is fair and has tables of its own."""
    start = chess.Board()
    counts = list(visits(chess.KNIGHT, [start]))
    require_equal(len(counts), 64, "The number of counts, one for each square, is")
    require(
        counts[chess.B1] == counts[chess.G1] == 2 and sum(counts) == 4,
        "At the start four knights stand on b1 and g1, as their owners see the board: "
        "Black's are counted on the mirrored square.",
    )
    boards = random_boards(60, 12)
    for kind in chess.PIECE_TYPES:
        expected = [0] * 64
        for board in boards:
            for square, piece in board.piece_map().items():
                if piece.piece_type == kind:
                    expected[square if piece.color else square ^ 56] += 1
        said = list(visits(kind, iter(boards)))
        require(
            said == expected,
            f"The counts of the {chess.piece_name(kind)}s in {len(boards)} positions are wrong. "
            "They may come from an iterator: go through them only once.",
        )
    module = module_of("s12_piece_square_tables")
    evaluator = evaluator_type()
    _require_fair(evaluator)
    for kind in (chess.KNIGHT, chess.BISHOP):
        worth = evaluator.values[chess.WHITE][kind]
        entries = [number - module.CENTIPAWNS[kind] for number in worth]
        name = chess.piece_name(kind)
        require(
            max(map(abs, entries)) <= 50,
            f"Keep every entry between -50 and 50; the {name}s have {min(entries)} to "
            f"{max(entries)}.",
        )
        require(entries != module.TABLES[kind], f"The {name}'s table is the old one: learn it.")
    for kind in set(chess.PIECE_TYPES) - {chess.KNIGHT, chess.BISHOP}:
        require(
            all(evaluator.values[c][kind] == module.SQUARE_VALUES[c][kind] for c in chess.COLORS),
            f"The table of the {chess.piece_name(kind)}s should stay as it is.",
        )
    for kind, more, less in (
        (chess.KNIGHT, chess.F3, chess.H3),
        (chess.KNIGHT, chess.F3, chess.A8),
        (chess.KNIGHT, chess.D4, chess.D2),
        (chess.BISHOP, chess.G2, chess.F3),
        (chess.BISHOP, chess.E2, chess.G5),
    ):
        worth = evaluator.values[chess.WHITE][kind]
        require(
            worth[more] > worth[less],
            f"In opening lines more {chess.piece_name(kind)}s stand on {chess.square_name(more)} "
            f"than on {chess.square_name(less)}, those of both sides together, as their owners see "
            "the board: it should be worth more. Count the visits of each type.",
        )
