"""Checks of chapter s19, endgames solved from the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import chess
import numpy as np

from utils.exercises import Hint, exercise, kept, module_of, require, require_equal
from utils.exercises.positions import position_after, with_mirrors


@exercise(
    "s19-1",
    size={
        "king and queen against king": 8,
        "king and queen against king on a board of 6 by 6 squares": 6,
        "king and queen against king on a board of 7 by 7 squares": 7,
        "king and queen against king on a board of 10 by 10 squares": 10,
    },
)
def how_many(answer: int, size: int) -> None:
    """The number of positions with Black to move."""
    squares, edges, middle = size**2, 4 * (size - 2), (size - 2) ** 2
    pairs = 4 * (squares - 4) + edges * (squares - 6) + middle * (squares - 9)
    hints = {
        pairs: "These are the pairs of kings; the queen has squares, too.",
        squares * (squares - 1) * (squares - 2): "The kings may not stand next to each other.",
        144_508: "That is the number with White to move; Black may be in check on its own move.",
        pairs * squares: "The queen may not stand on a square of a king.",
        2 * pairs * (squares - 2): "Black is to move: count one side only.",
    }
    if size != 8:
        del hints[144_508]
    apart = "Treat a king in a corner, at an edge and elsewhere apart."
    if answer % pairs == 0:
        apart = "The pairs of kings are right: on how many squares may the queen stand?"
    hint = hints.get(answer, apart)
    require(answer == pairs * (squares - 2), f"{answer} is not the number. {hint}")


@exercise("s19-2")
def numbers(
    number: Callable[[int, int, int, int], int],
    back: Callable[[int], tuple[int, int, int, int]],
) -> None:
    """The formula, its ends, and the way back."""
    cases = [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0)]
    rng = random.Random(1)
    cases += [
        (rng.randrange(2), rng.randrange(64), rng.randrange(64), rng.randrange(64))
        for _ in range(200)
    ]
    for case in [*cases, (1, 63, 63, 63)]:
        expected = int(np.ravel_multi_index(case, (2, 64, 64, 64)))
        require_equal(number(*case), expected, f"{case} has the number")
        require_equal(tuple(back(expected)), case, f"The number {expected} stands for")


@exercise("s19-3")
def best_result_moves(
    answer: Callable[[Sequence[Any], chess.Board], list[chess.Move] | None],
) -> None:
    """Won, drawn and lost positions of all tables, both colours."""
    module = module_of("s19_endgame_tables")
    tables = module.three_piece_tables()

    def asked(tables: Sequence[Any], board: chess.Board) -> list[chess.Move] | None:
        moves: list[chess.Move] | None = kept(board, lambda here: answer(tables, here))
        return moves

    require(asked(tables, chess.Board()) is None, "The start position is in no table: None.")
    promoting = chess.Board("8/2P5/8/8/8/8/8/K6k w - - 0 1")
    pawns = [table for table in tables if table.kind == chess.PAWN]
    hint = "With the pawn's table alone the position after a promotion is missing: None."
    require(asked(pawns, promoting) is None, hint)
    for fen in (
        "7k/6Q1/8/8/8/8/P7/K7 b - - 0 1",
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    ):
        hint = f"{fen} itself is in no table, wherever its moves lead: None."
        require(asked(tables, chess.Board(fen)) is None, hint)
    rng = random.Random(3)
    for table in tables:
        for board in with_mirrors(*module.random_entries(table, 60, rng)):
            said = asked(tables, board)
            result = module.probe(tables, board).result
            expected = [
                move
                for move in board.legal_moves
                if -module.probe(tables, position_after(board, move)).result == result
            ]
            names = ", ".join(map(board.san, expected)) or "no move, so the list is empty"
            same = said is not None and set(said) == set(expected)
            order = "Keep the order of `legal_moves`." if same else ""
            words = f"In {board.fen()} these keep the result: {names}. {order}"
            require(said is not None and list(said) == expected, words)
    for fen in ("k7/2Q5/8/8/8/8/8/4K3 b - - 0 1", "R5k1/8/6K1/8/8/8/8/8 b - - 0 1"):
        said = answer(tables, chess.Board(fen))
        require(said == [], f"In {fen} the game is over: an empty list, not {said}.")


@exercise("s19-4")
def only_a_rook(answer: Sequence[str | chess.Board]) -> None:
    """All positions in which only the promotion to a rook wins."""
    module = module_of("s19_endgame_tables")
    tables = module.three_piece_tables()
    found = set()
    require(len(answer) > 0, "The list is empty; the position with the pawn on c7 belongs to it.")
    for entry in answer:
        board = chess.Board(entry) if isinstance(entry, str) else entry.copy()
        fen = board.fen()
        require(
            board.is_valid() and board.turn == chess.WHITE and board.pawns & board.occupied_co[1],
            f"{fen} is not a legal position with White's pawn and White to move.",
        )
        after = module.verdicts_after(tables, board)
        require(after is not None, f"{fen} is not king and pawn against king.")
        winners = [move for verdict, move in after if verdict.result == 1]
        names = ", ".join(board.san(move) for move in winners) or "nothing"
        hint = f"In {fen} these moves win: {names}."
        require(len(winners) == 1 and winners[0].promotion == chess.ROOK, hint)
        found.add(board.board_fen())
    for fen in found:
        image = chess.BaseBoard(fen).transform(chess.flip_horizontal).board_fen()
        require(image in found, f"With {fen}, its mirror image {image} belongs to the list.")
    require(len(found) >= 6, f"All of your {len(found)} are right, and there are more.")


@exercise("s19-5")
def mutual_zugzwangs(answer: Callable[[Any], Any]) -> None:
    """The zugzwangs of the pawn; none for queen and rook."""
    module = module_of("s19_endgame_tables")
    queen, rook, pawn = module.three_piece_tables()
    for table in (pawn, queen, rook):
        name = chess.piece_name(table.kind)
        said = np.asarray(answer(table))
        hint = f"Expected a Boolean array of shape (64, 64, 64), got {said.dtype} {said.shape}."
        require(said.shape == (64, 64, 64) and said.dtype == np.bool_, hint)
        black, white = table.distances
        expected = (white == module.DRAWN) & (black != module.DRAWN) & (black != module.ILLEGAL)
        for extra, words in ((said & ~expected, "is not"), (expected & ~said, "is")):
            if extra.any():
                squares = np.argwhere(extra)[0].tolist()
                board = module.place(table.kind, chess.WHITE, *squares)
                raise Hint(f"{board.board_fen()} {words} a mutual zugzwang ({name}).")


@exercise("s19-6")
def two_bishops(answer: Any) -> None:
    """Shape, stalemates, entries followed one move further, and the longest mate."""
    said = np.asarray(answer)
    hint = f"Expected int8 and the shape (2, 64, 32, 32, 64), got {said.dtype} {said.shape}."
    require(said.shape == (2, 64, 32, 32, 64) and said.dtype == np.int8, hint)
    module = module_of("s19_endgame_tables")
    light = list(chess.SquareSet(chess.BB_LIGHT_SQUARES))
    dark = list(chess.SquareSet(chess.BB_DARK_SQUARES))

    def entry(board: chess.Board) -> int:
        if board.is_insufficient_material():
            return int(module.DRAWN)
        bishops = board.pieces(chess.BISHOP, chess.WHITE)
        one = light.index((bishops & chess.BB_LIGHT_SQUARES).pop())
        two = dark.index((bishops & chess.BB_DARK_SQUARES).pop())
        kings = board.king(chess.WHITE), board.king(chess.BLACK)
        return int(said[int(board.turn), kings[0], one, two, kings[1]])

    for fen in ("k7/8/1K6/4B3/8/8/4B3/8 b - - 0 1", "8/8/8/8/8/1B6/2K5/k3B3 b - - 0 1"):
        words = f"{fen}: the entry should be"
        stalemate = "Black has no move and is not in check: that is stalemate, a draw."
        require_equal(entry(chess.Board(fen)), module.DRAWN, words, stalemate)
    rng = random.Random(6)
    for _ in range(250):
        king, black_king = rng.randrange(64), rng.randrange(64)
        one, two = rng.choice(light), rng.choice(dark)
        board = chess.Board(None)
        pieces = zip((one, two, king, black_king), "BBKk", strict=True)
        board.set_piece_map({square: chess.Piece.from_symbol(name) for square, name in pieces})
        board.turn = rng.random() < 0.5
        index = int(board.turn), king, light.index(one), dark.index(two), black_king
        value, fen = int(said[index]), board.fen()
        if len({king, black_king, one, two}) < 4 or not board.is_valid():
            require(value == module.ILLEGAL, f"The entry {index} is not a legal position.")
            continue
        after = [entry(position_after(board, move)) for move in board.legal_moves]
        wins = [plies for plies in after if plies >= 0]
        if board.turn:
            expected = min(wins) + 1 if wins else module.DRAWN
        elif not after:
            expected = 0 if board.is_check() else module.DRAWN
        else:
            expected = max(wins) + 1 if len(wins) == len(after) else module.DRAWN
        require_equal(value, expected, f"{fen}: the entry that follows from its moves is")
    longest = int(said[1].max())
    require_equal(longest, 37, "The plies of the longest mate with White to move are")
