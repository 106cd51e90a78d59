"""Positions for property tests: a start and moves by number, which shrink to short games."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import chess
from hypothesis import strategies as st

from converted_notebooks.s04_engine_interface import finished
from utils.exercises.positions import BACK_RANK, KIWIPETE, PROMOTIONS, ROOK_ENDING

STARTS = [
    chess.STARTING_FEN,
    KIWIPETE,
    ROOK_ENDING,
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    PROMOTIONS,
    "4k3/1P6/8/8/8/8/6p1/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "6k1/8/5K2/5Q2/8/8/8/8 w - - 90 80",  # mates, stalemates, and the fifty-move rule
]
# `integers` seldom gives large numbers, so few sets would have squares on the upper ranks.
SQUARE_SETS = st.binary(min_size=8, max_size=8).map(lambda data: int.from_bytes(data, "little"))
# Rooks that pin pawns to kings along the rank of a capture en passant.
PINNED_PAWNS = "1r2r3/2p1p1p1/8/KP1P1P1r/1p1p1p1k/8/2P1P1P1/1R2R3 w - - 0 1"
CASTLING = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "1r2k2r/8/8/8/8/8/8/RR2K3 w Bh - 0 1",
    "8/8/8/8/8/k7/8/rRK4R w HB - 0 1",  # the rook shields its king
    "rk5r/8/8/8/8/8/8/RK5R w HAha - 0 1",
    "r5kr/8/8/8/8/8/8/R5KR b HAha - 0 1",
]
MANY_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"  # 218
BATTERIES = [  # behind the piece that takes, another one waits
    "3r2k1/3r4/8/3p4/8/8/3R4/3R2K1 w - - 0 1",
    "6k1/8/8/1QR1p1rr/8/8/8/6K1 w - - 0 1",
    "6k1/8/2b5/3p4/8/1B6/Q7/6K1 w - - 0 1",
    "q5k1/1b6/8/3p4/4P3/5B2/8/6K1 w - - 0 1",
    "3r2k1/3q4/8/3p4/2B5/8/3R4/3Q2K1 w - - 0 1",
]
SELDOM = [  # what games seldom bring together
    "3r3k/8/8/3pP3/8/8/8/3K4 w - d6 0 1",  # en passant: the pawn shuts the file that it opens
    "5b1k/8/8/2Pp4/8/K7/8/8 w - d6 0 1",  # en passant along the diagonal of a pin
    "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1",  # after e2e4, en passant would open the rank
    "R3r2k/8/8/8/8/5n2/8/4K3 w - - 0 1",  # two checks: to take one checker does not help
    "4r2k/8/8/8/4R3/5n2/8/4K3 w - - 0 1",  # a pinned rook, and a check by another piece
    "7k/K3P2r/8/8/8/8/8/8 w - - 0 1",  # a pawn before its promotion, pinned on its rank
    "5b1k/4P3/3K4/8/8/8/8/8 w - - 0 1",  # and on a diagonal
]
SELDOM_960 = [
    *CASTLING,
    "1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb - 0 1",  # king and rook change places
    "3rk3/8/8/8/8/8/8/RK6 w A - 0 1",  # the rook's target is attacked, the king's way is not
    "1r2k3/8/8/8/8/8/8/R3K3 w A - 0 1",  # the rook passes an attacked square
]
# Positions, plies that are enough to see their value, and that value for the side to move, in
# centipawns; a mate is 30 000 less the plies to it.
KNOWN_SCORES = [
    (BACK_RANK, 6, 29_999),
    ("7k/1Q2K3/8/8/8/8/8/8 w - - 0 1", 6, 29_997),
    ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 6, 29_997),
    ("6k1/R7/1R6/8/8/8/8/6K1 b - - 0 1", 6, -29_998),
    # Mate with the hundredth ply is mate.
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90", 5, 29_999),
    # The queen must not stalemate; the side that is lost must.
    ("k7/P7/K7/8/8/8/8/8 w - - 0 1", 5, 0),
    ("5rk1/5p1p/8/8/8/rr6/3Q4/7K w - - 0 1", 7, 0),
    # A rook wins, but not in the one ply that is left.
    ("8/8/8/7k/8/8/8/KR6 w - - 99 90", 5, 0),
]
RICH = [
    *STARTS,
    CASTLING[0],
    "4k3/2p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P2/4K3 w - - 0 1",
    "rn2k2r/P1P3P1/8/8/8/8/p1p3p1/RN2K2R b KQkq - 0 1",
]
CHESS960 = [
    "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
    *CASTLING[-2:],
]
# Positions that differ in what no piece shows: the turn, rights to castle, en passant.
ALIKE = [
    chess.Board(f"r3k2r/8/8/PpPpPpPp/8/8/8/R3K2R w {''.join(rights) or '-'} {passed} 0 1")
    for count in range(5)
    for rights in itertools.combinations("KQkq", count)
    for passed in ("-", "b6", "d6", "f6", "h6")
]
ALIKE += [chess.Board(board.fen().replace(" w ", " b ")) for board in ALIKE if not board.ep_square]
PROMOTION = "1n5k/P7/8/8/8/8/8/4K3 w - - 0 1"
OUT_OF_REACH = [  # positions that no game reaches
    "4k3/8/8/8/8/8/8/4K2B w K - 0 1",  # a right without its rook
    "R3k2R/8/8/8/8/8/8/4K3 b - - 0 1",  # an impossible check
    "4k3/8/5N2/1B6/8/8/8/4RK2 b - - 0 1",  # three checkers
]

# A game in which both sides make grave mistakes.
BLUNDERS = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3#"

# Positions of https://www.chessprogramming.org/Perft_Results with their leaves by depth.
PERFT_COUNTS = {
    chess.STARTING_FEN: (20, 400, 8_902, 197_281, 4_865_609, 119_060_324),
    STARTS[1]: (48, 2_039, 97_862, 4_085_603, 193_690_690),
    STARTS[2]: (14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661),
    STARTS[3]: (6, 264, 9_467, 422_333, 15_833_292, 706_045_033),
    STARTS[4]: (44, 1_486, 62_379, 2_103_487, 89_941_194),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (
        46,
        2_079,
        89_890,
        3_894_594,
        164_075_551,
    ),
}


def mirrored(move: chess.Move) -> chess.Move:
    """The move that means the same in `board.mirror()`."""
    return chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )


def retreat(board: chess.Board) -> chess.Move | None:
    """The legal move that takes the side to move's last move back, or None."""
    last = board.move_stack[-2] if len(board.move_stack) > 1 else chess.Move.null()
    back = chess.Move(last.to_square, last.from_square)
    return back if back in board.legal_moves else None


@st.composite
def positions(
    draw: st.DrawFn,
    max_plies: int = 60,
    starts: Sequence[str] = STARTS,
    *,
    retreats: bool = False,
    chess960: bool = False,
) -> chess.Board:
    """A position that is not over, with the moves that led to it from one of the starts.

    Args:
        draw: given by hypothesis.
        max_plies: the longest game.
        starts: FENs of positions that are not over.
        retreats: whether most moves take the last one back, so that positions repeat.
        chess960: whether the starts are positions of Chess960.
    """
    board = chess.Board(draw(st.sampled_from(starts)), chess960=chess960)
    plies = draw(st.integers(0, max_plies))
    for number in draw(st.lists(st.integers(0, 255), min_size=plies, max_size=plies)):
        moves = list(board.legal_moves)
        back = retreat(board) if retreats and number < 224 else None
        board.push(back or moves[number % len(moves)])
        if finished(board):
            board.pop()
            break
    return board


any_position = st.one_of(
    positions(starts=[*STARTS, PINNED_PAWNS]),
    positions(
        starts=[chess.Board.from_chess960_pos(n).fen() for n in (0, 17, 356, 519, 959)] + CASTLING,
        chess960=True,
    ),
)


def after(fen: str, moves: str) -> chess.Board:
    """The position after moves, which it remembers."""
    board = chess.Board(fen)
    for move in moves.split():
        board.push_san(move)
    return board
