"""Checks of chapter s06, the opening book."""

from __future__ import annotations

import io
import struct
import tempfile
from collections.abc import Callable, Iterable
from numbers import Integral
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot

from utils.exercises import Hint, exercise, kept, module_of, require, require_equal
from utils.exercises.positions import played, position_after


def _games(*texts: str, fen: str = "") -> list[chess.pgn.Game]:
    """Games from the texts of their moves, each with its result at the end.

    With a FEN they begin in this position.
    """
    setup = f'[SetUp "1"]\n[FEN "{fen}"]\n' if fen else ""
    games = []
    for text in texts:
        pgn = f'[Result "{text.split()[-1]}"]\n{setup}\n{text}\n'
        game = chess.pgn.read_game(io.StringIO(pgn))
        assert game is not None
        games.append(game)
    return games


@exercise("s06-1")
def read_entry(answer: Callable[[bytes], tuple[int, str, int]]) -> None:
    """The parts of one entry."""
    cases = [
        (0x463B96181691FC9C, 0x031C, 568, "e2e4"),
        (1, 0x0107, 258, "e1h1"),
        (2**64 - 1, 0x4D3B, 1, "e7d8q"),
        (7, 0x1D3C, 40000, "e7e8n"),
        (8, 0x2D3C, 3, "e7e8b"),
        (9, 0x3D3C, 3, "e7e8r"),
    ]
    for key, raw, weight, uci in cases:
        data = struct.pack(">QHHI", key, raw, weight, 99)
        said: tuple[Any, ...] = tuple(answer(data))
        require(len(said) == 3, "Return the three values key, move, weight.")
        require(said[0] == key, f"The key is {key:016x}: eight bytes, the highest first.")
        require(
            isinstance(said[1], str), f"Give the move as text in UCI notation, not {said[1]!r}."
        )
        hint = "Target in the lowest six bits, then the start."
        if uci == "e1h1":
            hint = "Castling stays as it is written, king takes rook."
        if said[1][:4] == uci[:4]:
            hint = "Promotion: 0 is none, 1 knight, 2 bishop, 3 rook, 4 queen."
        require(said[1] == uci, f"Bits {raw:016b} are the move {uci}, not {said[1]}. {hint}")
        require(said[2] == weight, f"The weight is {weight}, not {said[2]}: big-endian, two bytes.")


@exercise("s06-2")
def opening_name(answer: Callable[[chess.Board], str]) -> None:
    """Names of games, also by transposition."""
    cases = [
        ("e4 e5 Nf3 Nc6 Bb5", "Ruy Lopez", "The last name on the way, up to the present position."),
        ("e4 e5 Nf3 Nc6 Bb5 h6 a4", "Ruy Lopez", "Keep the last name when the game leaves theory."),
        (
            "Nf3 Nc6 e4 e5 Bb5",
            "Ruy Lopez",
            "Another order of moves, the same position: go by position, with epd(). A FEN "
            "also counts moves.",
        ),
        ("d4 d5 c4 e6", "Queen's Gambit Declined", "The last name on the way counts."),
        ("f3 e5", "Barnes Opening", "A name belongs to the end of its line, not to the way there."),
        ("d3 d5 d4", "Mieses Opening", "1. d4 d5 is named, but there it is White's turn."),
        (
            "d4 d5 e4",
            "Blackmar-Diemer Gambit",
            "The name that the game reached last counts, not the last one in the file.",
        ),
        (
            "e4 e5 Nf3 Nc6 Bb5 Nb8 Bf1 Nc6",
            "King's Knight Opening: Normal Variation",
            "The line that the game reached last counts, with its whole name; it need not be the "
            "longest.",
        ),
        (
            "c4 Nf6 d4",
            "Indian Defense: Normal Variation",
            "Another order of moves, the same position: the square behind a pawn counts only if "
            "it can be taken en passant.",
        ),
        (
            "e4 e5 Nf3 Nc6 Bb5 Rb8 Bf1 Ra8",
            "Ruy Lopez",
            "Black has lost a right to castle: it is not the position after 2... Nc6 again.",
        ),
        ("a3 a6", "", "Without a named position, return an empty string."),
    ]
    for text, name, hint in cases:
        require_equal(kept(played(text), answer), name, f"After {text} the answer is", hint)
    later = played("Nf3 Nc6 Bb5", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    require(answer(later) == "Ruy Lopez", "A game may begin in another position: see board.root().")
    words = "Without a move on the stack, the present position can still have a name."
    require(answer(later.copy(stack=False)) == "Ruy Lopez", words)


@exercise("s06-3", win={"two": 2, "three": 3, "four": 4, "five": 5})
def points_book(answer: Callable[[Iterable[chess.pgn.Game], int], list[Any]], win: int) -> None:
    """Points of a few games, one of which begins with Black to move."""
    module = module_of("s06_opening_book")
    games = _games("1. e4 e5 2. Nf3 1-0", "1. e4 c5 1-0", "1. e4 e5 1/2-1/2", "1. d4 d5 0-1")
    games += _games("1. e4 e6 *")
    games += _games(
        "1... g6 2. d3 0-1", fen="rnbqkbnr/pppppppp/8/8/4P3/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"
    )
    said = answer(games, 2)
    points = {entry.move.uci(): entry.weight for entry in said}
    require("g1f3" not in points, "Take no more than max_plies plies of a game.")
    require("e7e6" not in points, "A game without a result counts for nothing.")
    said_points = points.get("e2e4", 0)
    hint = f"1. e4 won twice and drew once: {2 * win + 1} points, not {said_points}."
    require(said_points == 2 * win + 1, hint)
    require(
        points.get("e7e5") == 1 and points.get("d7d5") == win,
        "Points go to the side that made the move: 1... d5 won, 1... e5 lost once and drew once.",
    )
    require(
        points.get("g7g6") == win and not points.get("d2d3"),
        "One game begins with Black to move: 1... g6 won. Ask the board whose turn it is; the "
        "number of the ply does not tell.",
    )
    require("d2d4" not in points and "c7c5" not in points, "A move without points gets no entry.")
    require(len(said) == len(points) == 4, f"Four moves have points, not {len(said)}.")
    require(said == sorted(said, key=module.book_order), "Sort the entries by book_order.")
    board = chess.Board()
    require(
        module.make_entry(board, chess.Move.from_uci("e2e4"), 2 * win + 1) in said,
        "Make the entries with make_entry, from the position before the move.",
    )
    twice = _games("1. d4 d5 2. Nf3 Nf6 0-1", "1. Nf3 d5 2. d4 Nf6 0-1")
    weights = [entry.weight for entry in answer(twice, 4) if entry.move.uci() == "g8f6"]
    require(weights == [2 * win], "A position that is reached in two ways is one position.")
    hint = "Weights are whole numbers: a book file cannot hold others."
    require(all(isinstance(entry.weight, Integral) for entry in said), hint)
    weights = [entry.weight for entry in answer(_games("1. e4 e5 0-1", "1. d4 e5 0-1"), 2)]
    require(weights == [win, win], "The same move in two positions has two entries.")
    late = _games("31. e4 Kd7 32. e5 1-0", fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 31")
    moves = [entry.move.uci() for entry in answer(late, 2)]
    require(
        moves == ["e2e4"],
        "max_plies counts from where a game begins, here from move 31; expected e2e4 alone, "
        f"not {moves}.",
    )
    castled = _games("1. O-O 1-0", fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    made = list(answer(iter(castled), 1))
    require(made, "The games may come from an iterator: go through them only once.")
    entry = made[0]
    require(
        entry.move.uci() == "e1h1" and entry.raw_move == 263,
        "Castling is written as the king taking its rook: make_entry does that.",
    )


@exercise("s06-4")
def repertoire(answer: Callable[[list[Any], chess.Color], list[Any]]) -> None:
    """The repertoire of either colour."""
    module = module_of("s06_opening_book")
    lines = "1. e4 e5 2. Nf3 *", "1. e4 c5 2. Nf3 *", "1. e4 c5 2. c3 *", "1. d4 d5 2. c4 *"
    games = _games(*lines, "1. d4 Nf6 2. c4 *", "1. c4 e5 *")
    entries = module.build_book(games, 10)[::-1]
    given = list(entries)
    white = answer(entries, chess.WHITE)
    require(
        entries == given,
        "The list that was given must stay as it was: `sorted` makes a new list, `sort` does not.",
    )
    moves = [entry.move.uci() for entry in white]
    start = chess.polyglot.zobrist_hash(chess.Board())
    first = [entry.move.uci() for entry in white if entry.key == start]
    require(first == ["e2e4"], "White needs one first move: the heaviest.")
    require("c7c5" in moves and "e7e5" in moves, "White needs every reply of Black after 1. e4.")
    require("d7d5" not in moves, "After 1. e4 no position of 1. d4 can be reached: leave them out.")
    hint = "After 1. e4 c5 the moves Nf3 and c3 weigh the same; c2c3 comes before g1f3."
    require(moves.count("g1f3") == 1 and moves.count("c2c3") == 1, hint)
    replies = answer(entries, chess.BLACK)
    black = [entry.move.uci() for entry in replies]
    require({"e2e4", "d2d4", "c2c4"} <= set(black), "Black meets every first move of White.")
    require(
        "c7c5" in black and black.count("e7e5") == 1 and "g8f6" not in black,
        "Black needs one reply to each: c5 to 1. e4, d5 to 1. d4 (d7d5 comes before g8f6), "
        "e5 to 1. c4.",
    )
    hint = f"Expected 5 entries for White and 9 for Black, not {len(white)} and {len(black)}."
    require(len(white) == 5 and len(black) == 9, hint)
    for side in (white, replies):
        require(
            list(side) == sorted(side, key=module.book_order), "Sort the entries by book_order."
        )
    course = module.read_book(module.COURSE_BOOK)
    for colour in chess.COLORS:
        part = answer(list(course), colour)
        hint = "An entry is there twice: a position that is reached in two ways is walked once."
        require(len(part) == len({(entry.key, entry.raw_move) for entry in part}), hint)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "part.bin"
            module.write_book(path, part)
            _require_walk(module, path, course, colour)


def _require_walk(module: Any, path: Path, course: list[Any], colour: chess.Color) -> None:
    """Walk a repertoire and compare it with the book that it was taken from."""
    own, whole = module.OpeningBook(path, 1), module.OpeningBook(module.COURSE_BOOK, 1)
    seen: set[int] = set()
    waiting = [chess.Board()]
    while waiting:
        board = waiting.pop()
        key = chess.polyglot.zobrist_hash(board)
        if key in seen:
            continue
        seen.add(key)
        replies, known = own.moves(board), whole.moves(board)
        if board.turn == colour:
            require(
                len(replies) == min(1, len(known)), f"In {board.fen()}: one move, the heaviest."
            )
            for move in replies:
                require(known[move] == max(known.values()), f"In {board.fen()}: the heaviest move.")
        else:
            require(replies == known, f"In {board.fen()}: every move of the opponent.")
        waiting += [position_after(board, move) for move in replies]
    hint = "Some positions cannot be reached with this repertoire: leave them out."
    require({entry.key for entry in module.read_book(path)} <= seen, hint)


@exercise("s06-5")
def main_road(answer: Callable[[Any, int], list[str]]) -> None:
    """The heaviest moves of the course's book and of a small one with equal weights."""
    module = module_of("s06_opening_book")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.bin")
        board, there = chess.Board(), played("c4 c5")
        entries = [
            module.make_entry(board, board.parse_san(san), 500) for san in ("Nf3", "d4", "c4")
        ]
        entries.append(module.make_entry(there, there.parse_san("Nc3"), 900))
        module.write_book(path, entries)
        small = module.OpeningBook(path)
        try:
            said = answer(small, 5)
        except (IndexError, ValueError) as error:
            raise Hint("The small book has one move only: stop where it has no reply.") from error
        require(isinstance(said, list), "Return a list of moves in SAN.")
        require(said != ["c2c4"], "Write the moves in SAN, such as 'c4'.")
        require(
            said == ["c4"],
            f"Of equal weights the first in UCI notation is c2c4, and then the small book ends: "
            f"['c4'], not {said}.",
        )
    book = module.OpeningBook(module.COURSE_BOOK)
    for plies in (0, 1, 3, 40):
        board, expected = chess.Board(), list[str]()
        while len(expected) < plies and (replies := book.moves(board)):
            best = min(replies, key=lambda move: (-replies[move], move.uci()))
            expected.append(board.san_and_push(best))
        said = answer(book, plies)
        require(
            len(said) <= plies, f"At most {plies} plies were asked for, and there are {len(said)}."
        )
        require(
            said == expected,
            f"With at most {plies} plies the road is {' '.join(expected)}, not {' '.join(said)}: "
            "each side plays the heaviest move, until the book ends.",
        )
