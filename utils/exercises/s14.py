"""Checks of chapter s14, move ordering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import chess

from utils.exercises import Hint, exercise, kept, module_of, random_boards, require, require_equal
from utils.exercises.positions import kind_of, played, position_after, with_mirrors

BANQUETS = (
    "3k4/8/2n2b2/1B1PP3/3rN3/4QN2/8/6K1 w - - 0 1",
    "3k4/8/2r2n2/1B1PP3/3bN3/4QN2/8/6K1 w - - 0 1",
    "4k3/8/2r2b2/3PP1B1/3Nn3/2NQ4/8/1K6 w - - 0 1",
    "3k4/8/2r2b2/1B1PP3/3nN3/4QN2/8/6K1 w - - 0 1",
    "4k3/8/2n2b2/3PP1B1/3Nr3/2NQ4/8/1K6 w - - 0 1",
)


@exercise("s14-1", banquet=BANQUETS)
def victims_by_hand(answer: Sequence[str], banquet: str) -> None:
    """The captures in the order of MVV-LVA, with or without signs of check."""
    board = chess.Board(banquet)
    mvv_lva = module_of("s14_move_ordering").mvv_lva
    captures = list(board.generate_legal_captures())
    hint = 'Write a list of texts, like ["Bxc6"].'
    require(isinstance(answer, list | tuple) and all(isinstance(san, str) for san in answer), hint)
    given = []
    for san in answer:
        try:
            given.append(board.parse_san(san))
        except ValueError:
            raise Hint(f"{san!r} is not a legal move in this position.") from None
        require(given[-1] in captures, f"{san} is no capture.")
        require(san != given[-1].uci(), f"Write SAN, such as {board.san(given[-1])}, not {san}.")
    for move in captures:
        piece = chess.piece_name(board.piece_type_at(move.from_square) or chess.PAWN)
        words = f"One capture is missing: a {piece} can take something more."
        require(move in given, words)
    require(len(given) == len(captures), "A capture is listed twice.")
    for move, following in pairwise(given):
        require(
            mvv_lva(board, move) > mvv_lva(board, following),
            f"{board.san(following)} comes before {board.san(move)}: compare victims first, "
            "and then attackers.",
        )


_ADVICE = {
    "promotion": "A promotion: the pawn goes, and the new piece appears.",
    "castling": "Castling: only the king counts.",
    "en passant": "A capture: the victim is left out.",
    "capture": "A capture: the victim is left out.",
    "quiet": "The piece leaves one square and appears on another.",
}


@exercise("s14-2")
def ordering_by_squares(answer: Callable[[chess.Board, chess.Move], int]) -> None:
    """Against the tables, both sides, with promotions and castling."""
    values = module_of("s12_piece_square_tables").SQUARE_VALUES
    rich = [
        "rnbqk2r/pP2bppp/5n2/8/4P3/5N2/P1P1BPPP/RNBQK2R w KQkq - 0 1",
        "4k3/1P6/8/8/8/8/6p1/4K3 b - - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    ]
    for board in with_mirrors(*rich, *random_boards(12, 14)):
        own = values[board.turn]  # from White's view
        for move in board.legal_moves:
            piece = board.piece_type_at(move.from_square)
            change = own[move.promotion or piece][move.to_square] - own[piece][move.from_square]
            gain = change if board.turn else -change
            said, where = kept(board, answer, move), f"{board.san(move)} in {board.fen()}"
            require(said != -gain or not gain, f"{where}: the sign is the wrong way round.")
            hint = _ADVICE[kind_of(board, move)]
            require_equal(said, gain, f"{where} gains, in centipawns,", hint)


@exercise("s14-3")
def fewest_leaves(answer: Callable[[list[int]], int]) -> None:
    """Against a search of perfectly ordered trees."""
    for branching, depth in ((30, 1), (6, 4), (3, 5), (35, 2)):
        formula = branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1
        said = answer([branching] * depth)
        require(
            said != formula + 1, "The leaf of the best line is in both products: count it once."
        )
        words = f"{branching} moves each, {depth} deep: the formula gives"
        require_equal(said, formula, words)
    for uneven in ([2, 3], [3, 2], [4, 1, 5], [2, 3, 4, 2], [5, 2, 1, 3, 2]):
        # With all leaves equal every order is perfect.
        expected = _visited(uneven, -1.0, 1.0)[1]
        require_equal(
            answer(list(uneven)),
            expected,
            f"{uneven}: the number of leaves that a search visits is",
            "One side shows one move at each of its turns, the other side all of its moves; then "
            "the other way round.",
        )


def _visited(branching: Sequence[int], alpha: float, beta: float) -> tuple[float, int]:
    """Value and leaves of alpha-beta in a tree whose leaves are all 0."""
    if not branching:
        return 0.0, 1
    best, leaves = -1.0, 0
    for _ in range(branching[0]):
        value, more = _visited(branching[1:], -beta, -max(alpha, best))
        best, leaves = max(best, -value), leaves + more
        if best >= beta:
            break
    return best, leaves


@exercise("s14-4", part={"halves": 2, "divides by three": 3, "divides by four": 4})
def ageing(answer: type[Any], part: int) -> None:
    """Halves or so, drops zeros, leaves killers alone."""
    orderer = answer()
    board = chess.Board()
    knight, pawn, rook_pawn = (board.parse_san(san) for san in ("Nf3", "e4", "a3"))
    for move, depth in ((knight, 5), (pawn, 2), (rook_pawn, 1)):
        orderer.cut_off(board, move, depth)
    killers = {ply: list(moves) for ply, moves in orderer.killers.items()}
    key = (chess.WHITE, knight.from_square, knight.to_square)
    require(orderer.history[key] == 25, "A cut-off at depth 5 counts 25; leave `cut_off` alone.")
    orderer.age()
    left = 25 // part
    require(orderer.history.get(key) == left, f"25 becomes {left}: divide, rounding down.")
    gone = (chess.WHITE, rook_pawn.from_square, rook_pawn.to_square)
    require(gone not in orderer.history, "1 becomes 0, and a move at 0 is dropped.")
    require(len(orderer.history) == 2, "Only moves that reach zero are dropped.")
    for _ in range(part):
        orderer.cut_off(board, rook_pawn, 1)
    orderer.age()
    require(orderer.history.get(gone) == 1, "Only moves that reach zero are dropped: 1 stays.")
    orderer.history.pop(gone)
    hint = "Whole numbers stay whole: use //."
    require(all(type(amount) is int for amount in orderer.history.values()), hint)
    require(orderer.killers == killers, "Killers stay as they are.")
    for _ in range(4):
        orderer.age()
    require(not orderer.history, "After a few times nothing is left.")
    orderer.cut_off(board, knight, 2)
    require(orderer.history[key] == 4, "After ageing, it learns as before.")
    orderer.history[key] = 35  # rounding to the nearest gives 18
    orderer.age()
    left = 35 // part
    require(orderer.history.get(key) == left, f"35 becomes {left}: divide, rounding down.")


@exercise("s14-5")
def counter_moves(answer: type[Any]) -> None:
    """The place in the order, what is learned, and equal values of the search."""
    module = module_of("s14_move_ordering")
    board = played("e4")
    orderer = answer()
    knight, usual, pawn, other_pawn = map(board.parse_san, ("Nf6", "Nh6", "a6", "b6"))
    for _ in range(1000):
        orderer.cut_off(board, usual, 20)
    orderer.cut_off(board, pawn, 1)
    orderer.cut_off(board, knight, 1)
    # The same last move in another place of the game: no killers there.
    later = played("Nf3 Nc6 Ng1 Nb8 e4")
    first = _order(orderer, later)[0]
    require(
        first == knight,
        f"The newest answer to e4 was Nf6; {later.san(first)} came first. It must come before "
        "all of the history, and a newer answer replaces an older one.",
    )
    other_way = played("Nf3 Nc6 Ng1 Nb8 d4")
    for killer in (pawn, other_pawn):  # after as many plies
        orderer.cut_off(other_way, killer, 1)
    hint = "A killer comes before the answer, the answer after it: after both killers."
    require(_order(orderer, later)[:3] == [other_pawn, pawn, knight], hint)
    without = played("d4").copy(stack=False)
    try:
        first = _order(orderer, without)[0]
        orderer.cut_off(without, usual, 1)
    except IndexError as error:
        raise Hint(
            "Without a last move on the board `peek` fails: ask `move_stack` first."
        ) from error
    require(first == usual, "Without a last move there is no answer: history decides.")
    _after_that_move_only(module, answer)
    black = chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    white = black.mirror()
    white.apply_transform(chess.flip_vertical)  # the same squares, the other colour
    for board in (black, white):
        board.push_san("Ra5")
    hint = "An answer of Black's was used for White: note it for the side to move."
    require(_order(_taught(answer, black, ("Kd7", 1)), white) == list(white.legal_moves), hint)
    capture = played("d4", "4k3/8/8/3p4/5q2/8/4N3/4K3 b - - 0 1")
    orderer, quiet = answer(), capture.parse_san("Nc3")
    orderer.cut_off(capture, quiet, 1)
    order = _order(orderer, capture)
    require(order[1] == capture.parse_san("Nxd4"), "A capture comes before the answer.")
    orderer = _taught(answer, capture, ("Kd1", 20), ("Nc3", 1), ("Nxf4", 1))
    order = _order(orderer, capture)
    require(order[2] == quiet, "Captures are not noted as answers: the last quiet move stays.")
    order = _order(orderer, played("d4", "4k3/8/8/3p4/5q2/2r5/4N3/4K3 b - - 0 1"))
    require(order[1] == quiet, "A noted move that captures here keeps the place of a capture.")
    for fen, last, gains in (
        ("8/4P1k1/8/8/8/8/8/4K3 b - - 0 1", "Kg6", "e8=Q"),
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d5", "exd6"),
    ):
        place = played(last, fen)
        order = _order(_taught(answer, place, ("Kf1", 20), ("Kd2", 1), (gains, 1)), place)
        kings = [move for move in order if place.piece_type_at(move.from_square) == chess.KING]
        require(
            kings[0] == place.parse_san("Kd2"),
            "Promotions and captures, en passant too, are not noted as answers: the last quiet "
            "move stays.",
        )
    both = answer()
    both.cut_off(other_way, other_pawn, 1)
    both.cut_off(later, pawn, 1)  # an answer, and a killer newer than the other one
    hint = "A noted move that is a killer here keeps the place of a killer."
    require(_order(both, later)[:2] == [pawn, other_pawn], hint)
    require(
        _order(answer(), later)[:1] != [pawn],
        "A new orderer knows the answers of another one: keep them in the object, not in the "
        "class.",
    )
    _same_values(module, answer)


def _order(orderer: Any, board: chess.Board) -> list[chess.Move]:
    return list(orderer.ordered(board, board.legal_moves))


def _taught(answer: type[Any], board: chess.Board, *cut_offs: tuple[str, int]) -> Any:
    """An orderer that was told of these cut-offs, by move and depth, and has no killers."""
    orderer = answer()
    for san, depth in cut_offs:
        orderer.cut_off(board, board.parse_san(san), depth)
    orderer.killers.clear()
    return orderer


def _after_that_move_only(module: Any, answer: type[Any]) -> None:
    """An answer to one move is none to another with the same goal, or the same start."""
    start = chess.Board("4k3/pppppppp/8/8/8/5N2/8/1N2K3 w - - 0 1")
    noted = position_after(start, start.parse_san("Nbd2"))
    orderer, plain = answer(), module.MoveOrderer()
    for one in (orderer, plain):
        one.cut_off(noted, noted.parse_san("a6"), 1)
        one.killers.clear()
        one.history.clear()
    for san in ("Nfd2", "Nc3"):
        board = position_after(start, start.parse_san(san))
        require(
            _order(orderer, board) == _order(plain, board),
            f"An answer to Nbd2 was used after {san}: it belongs to the whole last move.",
        )


def _same_values(module: Any, answer: type[Any]) -> None:
    evaluator = module_of("s13_incremental_evaluation").IncrementalEvaluator
    for board in random_boards(5, 14):
        plain, mine = (module.OrderedEngine(evaluator(), 2) for _ in range(2))
        orderer = answer()
        # The reader's class is made in the notebook, its switches are not those of the module.
        mine.orderer.ordered, mine.orderer.cut_off = orderer.ordered, orderer.cut_off
        expected = {entry.move: entry.score for entry in plain.analyse(board)}
        found = {entry.move: entry.score for entry in mine.analyse(board)}
        require(found == expected, f"In {board.fen()} the values changed: return all moves once.")
