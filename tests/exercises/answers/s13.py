"""Answers to the exercises of s13: the solution with one place changed."""

WRONG = [
    ("s13-2", "self._scores[-1] + (won", "material(board) + (won", "not count the board again"),
    (
        "s13-3",
        "count = self._counts[-1]",
        "count = chess.popcount(self._board.occupied & ~self._board.pawns & ~self._board.kings)",
        "not count the board again",
    ),
    ("s13-5", "own & ~LINES[king]", "own & ~chess.BB_SQUARES[king]", "pinned"),
    ("s13-5", "own & ~LINES[king]", "own & ~chess.BB_DIAG_ATTACKS[king][0]", "on the file"),
    ("s13-5", " or board.is_check()", "", "in check"),
    ("s13-5", "steps & ~board.occupied", "steps", "blocked"),
    ("s13-5", "pawns << 8 if board.turn == chess.WHITE else pawns >> 8", "pawns << 8", "Black"),
    ("s13-5", "chess.scan_forward(free & ~board.pawns)", "()", "recognised"),
]
