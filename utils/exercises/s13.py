"""Checks of chapter s13, incremental evaluation."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self
from unittest import mock

import chess

from utils.exercises import Hint, exercise, kept, module_of, random_boards, require, require_equal
from utils.exercises.positions import KIWIPETE, kind_of, with_mirrors

STARTS = [
    chess.STARTING_FEN,
    KIWIPETE,
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "4k3/1P5P/8/3pP3/8/8/1p4p1/R3K2R w KQ d6 0 1",
    "4k3/2p1p3/8/1P1P1P2/1p1p1p2/8/2P1P3/4K3 w - - 0 1",
]
CHESS960 = "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1"
ONE_OF_EACH = (  # some are rare in random games
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"),
    ("4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1", "d5e4"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
    ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3"),
    ("r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7a8q"),
    ("4k3/8/8/8/8/8/1p6/4K3 b - - 0 1", "b2b1n"),
    ("1k6/8/8/8/8/8/8/RK5R w KQ - 0 1", "b1a1"),
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "0000"),
)
UNBALANCED = "4k3/8/8/3p4/8/8/PP6/R3K3 w Q - 0 1"
BY_HAND = (
    "r3k3/1P6/8/3pP3/8/8/8/R3K3 w Qq d6 0 1",
    "n3k3/1P6/8/3pP3/8/8/8/R3K3 w Q d6 0 1",
    "b3k3/1P6/8/3pP3/8/8/8/R3K3 w Q d6 0 1",
    "q3k3/1P6/8/3pP3/8/8/8/R3K3 w Q d6 0 1",
)


class _Watched(chess.Board):
    """A board that can be told that it must not be counted any more."""

    counting_allowed = True
    copies: tuple[chess.Board, ...] = ()

    def _ask(self) -> None:
        words = "The whole board was counted after init: correct the last number instead."
        require(self.counting_allowed, words)

    def piece_map(self, *, mask: int = chess.BB_ALL) -> dict[chess.Square, chess.Piece]:
        self._ask()
        return super().piece_map(mask=mask)

    def copy(self, *, stack: bool | int = True) -> Self:
        self._ask()
        made = super().copy(stack=stack)
        self.copies = (*self.copies, made)
        return made


BACK = "What stood on your stack before the move has to be there again."
SPECIAL = {  # about moves of each kind
    "null move": (
        "A null move changes nothing, but its pop takes an entry off your stack: push one."
    ),
    "castling": (
        "Castling takes nothing; in Chess960 the move goes to the square of one's own rook."
    ),
    "en passant": "En passant: the victim does not stand where the pawn lands.",
    "promotion": "A promotion: the pawn disappears, and another piece is there instead.",
    "capture": "A capture: a piece of {} disappears, and the capturer stands on its square.",
    "quiet": "Nothing is captured here.",
}


def _hint(board: chess.Board, move: chess.Move) -> str:
    return SPECIAL[kind_of(board, move)].format("Black" if board.turn else "White")


def _follow(counter: Any, said: Callable[[], Any], right: Callable[[chess.Board], Any]) -> None:
    """Plays at random from several positions and compares after each step."""

    def compare(board: _Watched, step: str, hint: str = "") -> None:
        board.counting_allowed = False
        try:
            answer = said()
        except IndexError:
            raise Hint(f"After {step} your stack is empty. {hint}") from None
        board.counting_allowed = True
        require_equal(answer, right(board), f"After {step}, in {board.fen()}: expected", hint)

    for fen, uci in ONE_OF_EACH:
        board, move = _Watched(fen, chess960=True), chess.Move.from_uci(uci)
        name, hint = board.san(move) if move else "a null move", _hint(board, move)
        counter.init(board)
        counter.push(move)
        board.push(move)
        compare(board, name, hint)
        board.pop()
        counter.pop()
        compare(board, f"taking back {name}", hint if not move else BACK)
    rng = random.Random(13)
    starts = [*map(_Watched, STARTS), _Watched(CHESS960, chess960=True)]
    for board in starts * 4:
        counter.init(board)
        compare(board, "init")
        for _ in range(60):
            moves = list(board.legal_moves)
            if not moves:
                break
            passing = rng.random() < 0.05 and not board.is_check()
            move = chess.Move.null() if passing else rng.choice(moves)
            name = "a null move" if passing else board.san(move)
            fen, hint = board.fen(), _hint(board, move)
            board.counting_allowed = False
            counter.push(move)
            board.counting_allowed = True
            require(board.fen() == fen, "push must leave the board as it is.")
            board.push(move)
            compare(board, name, hint)
            if rng.random() < 0.2:
                board.pop()
                counter.pop()
                compare(board, f"taking back {name}", BACK)
        while board.move_stack:
            board.pop()
            counter.pop()
            compare(board, "taking moves back", BACK)


@exercise("s13-1", fen=BY_HAND, promotion=("bxa8=Q+", "bxa8=R+", "bxa8=B", "bxa8=N"))
def by_hand(answer: Mapping[str, Any], fen: str, promotion: str) -> None:
    """Four moves, gains recomputed."""
    board = chess.Board(fen)
    old = chess.piece_name(board.piece_type_at(chess.A8) or chess.ROOK)
    new = chess.piece_name(board.parse_san(promotion).promotion or chess.QUEEN)
    hints = {
        "exd6": "The black pawn disappears from d5, not from d6.",
        promotion: (
            f"A {new} appears on a8; a pawn disappears from b7, and Black's {old} from a8."
        ),
        "O-O-O": "King and rook move: e1 to c1, and a1 to d1.",
        "Rxa8+": f"The rook's squares are worth the same; what is won is Black's {old}.",
    }
    evaluator = module_of("s12_piece_square_tables").PieceSquareEvaluator()
    before = evaluator.heuristic(board)
    for san, hint in hints.items():
        board.push_san(san)
        right = -evaluator.heuristic(board) - before
        board.pop()
        require(answer.get(san) == right, f"{san}: not {answer.get(san)}. {hint}")


@exercise("s13-2")
def material_counter(answer: type[Any]) -> None:
    """Equal to the material after every step."""
    material = module_of("s07_material_engine").material
    counter = answer()
    _follow(counter, lambda: counter.score(), material)
    _require_no_count(counter, counter.score)


def _require_no_count(counter: Any, said: Callable[[], Any]) -> None:
    """The counter must answer from what it has noted, not from the board."""
    board = _Watched(UNBALANCED)
    counter.init(board)
    first = said()
    for one in (board, *board.copies):
        one.clear_board()
    again = "The board, or a copy of it, was counted again; answer from your stack."
    with (
        mock.patch.object(chess.BaseBoard, "pieces_mask", side_effect=Hint(again)),
        mock.patch.object(chess.BaseBoard, "piece_map", side_effect=Hint(again)),
    ):
        require(said() == first, again)
    board = _Watched(UNBALANCED)
    counter.init(board)
    for one in (board, *board.copies):
        one.remove_piece_at(chess.A1)  # nobody has told the counter
        one.remove_piece_at(chess.B2)
    counter.push(chess.Move.from_uci("e1e2"))
    require(
        said() == first,
        "A move of the king changes nothing, but after it the answer is another one: push must "
        "correct the last number by what the move changes, and not count the board again.",
    )
    counter.pop()
    require(said() == first, f"pop must not count the board again. {BACK}")


BUGS = {
    "promotion": "This one sees a queen, whatever the pawn becomes.",
    "castling": "The rook is forgotten; are its two squares worth the same?",
    "en passant": "Where does this one look for the victim? For one side that is right.",
}


@exercise("s13-3")
def broken_followers(answer: Mapping[str, tuple[str, str]], broken: Callable[[str], Any]) -> None:
    """A position and a move for each bug, after which the score is wrong."""
    full = module_of("s12_piece_square_tables").PieceSquareEvaluator()
    for bug, hint in BUGS.items():
        require(bug in answer, f"There is no entry for {bug!r}.")
        fen, san = answer[bug]
        board, follower = chess.Board(fen), broken(bug)
        require(board.is_valid(), f"{bug}: {fen} is not a legal position.")
        follower.init(board)
        move = board.parse_san(san)
        follower.push(move)
        board.push(move)
        require(
            follower.get_score() != full.heuristic(board),
            f"{bug}: after {san} the score is right. {hint}",
        )


@exercise("s13-4")
def pawn_files(answer: type[Any]) -> None:
    """Equal to the pawns on each file after every step."""
    counter = answer()

    def right(board: chess.Board) -> list[list[int]]:
        return [
            [
                chess.popcount(board.pieces_mask(chess.PAWN, colour) & mask)
                for mask in chess.BB_FILES
            ]
            for colour in chess.COLORS
        ]

    def said() -> list[list[int]]:
        return [list(counter.files(colour)) for colour in chess.COLORS]

    _follow(counter, said, right)
    _require_no_count(counter, said)


class _Still(chess.Board):
    """A board that refuses to generate moves."""

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        require(False, "Do not generate moves: look at the bitboards.")
        return iter(())

    generate_pseudo_legal_moves = generate_legal_moves


# Stalemates and mates in which a careless look sees a move.
STUCK = (
    ("8/b7/8/7q/8/k6N/2r5/7K w - - 0 1", "The knight is pinned on the file."),
    ("8/8/rrb5/8/8/8/N7/K5k1 w - - 0 1", "The knight is pinned."),
    ("7k/8/8/8/8/8/7r/KN5r w - - 0 1", "The knight is pinned on the rank."),
    ("K7/4r3/2N5/8/1r5k/8/8/7b w - - 0 1", "The knight is pinned on the diagonal."),
    ("3b4/7r/8/6r1/8/8/7B/k6K w - - 0 1", "The bishop is pinned."),
    ("KB3qk1/7r/5r2/8/8/8/8/8 w - - 0 1", "The bishop is pinned on the rank."),
    ("7q/8/8/4R3/k7/8/2q5/K7 w - - 0 1", "The rook is pinned on the diagonal."),
    ("8/6q1/8/8/3Pq3/1k6/8/K7 w - - 0 1", "The pawn is pinned on the diagonal."),
    ("8/8/6b1/k7/5r2/KPr5/2r5/8 w - - 0 1", "The pawn is pinned on the rank."),
    ("K7/P7/1q6/4kq2/8/8/8/8 w - - 0 1", "The pawn is blocked by its own king."),
    ("4k3/1p6/1P6/Bp6/1P6/6q1/8/7K w - - 0 1", "Pawns block each other, and the bishop."),
    ("6rk/5Npp/8/8/8/8/8/K7 b - - 0 1", "The king is in check, and nothing helps."),
    (
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "The king is in check, and nothing helps.",
    ),
    ("3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1", "The rook attacks h8, too, through the king."),
    ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "The queen that gives check is protected."),
    ("2b4k/p7/1n6/KPp4r/8/8/8/8 w - c6 0 2", "En passant would open the rank to the king."),
    ("7k/8/6b1/8/1n1b4/p7/1P6/K7 w - - 0 1", "The pawn is pinned, and may not capture either."),
)


@exercise("s13-5")
def moves_at_a_glance(answer: Callable[[chess.Board], bool]) -> None:
    """Never wrong, and not too shy."""
    boards = [(chess.Board(fen), why) for fen, why in STUCK]
    boards += [(board.mirror(), f"{why} Black to move, too.") for board, why in boards]
    for board, why in boards:
        fen = board.fen(en_passant="fen")  # also a square where the capture is not legal
        require(not answer(_Still(fen)), f"{fen}: there is no legal move. {why}")
    for name, piece in (("bishop", "B"), ("rook", "R"), ("queen", "Q")):
        for board in with_mirrors(f"4k3/8/8/8/8/8/2{piece}5/K7 w - - 0 1"):
            hint = f"{board.fen()}: the {name} is off its king's lines and can move."
            require(answer(_Still(board.fen())), hint)
    seen, asked = 0, 0
    for board in random_boards(1500, 13):
        said = kept(_Still(board.fen()), answer)
        if not board.is_check():
            asked += 1
            seen += bool(said)
    require(
        seen >= 0.85 * asked,
        f"Never wrong; but it is true in only {seen / asked:.0%} of the positions without check, "
        "and 85% are needed: do you look at every kind of piece?",
    )
