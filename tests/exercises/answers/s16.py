"""Answers to the exercises of s16: the solution with one place changed."""

_BEST = "max([static, *(-play_out(after) for after in captures)])"
_LEGAL = "board.generate_legal_captures()"
_PASSING = """            if board.is_en_passant(move):
                square += -8 if board.turn == chess.WHITE else 8
"""
_JUDGE = """        if board.is_capture(move):
            exchange = static_exchange(board, move)
            if exchange < 0:
                return exchange
"""
_QUIET = """                if not (board.is_capture(move) or move.promotion)
                and board.gives_check(move)
"""
_AT_HORIZON = "len(board.move_stack) == self._horizon"

RIGHT = [
    (
        "s16-1",
        "    return " + _BEST,
        "    best = static\n    for after in captures:\n"
        "        best = max(best, -play_out(after))\n    return best",
    ),
    ("s16-1", _BEST, "-min([-static, *map(play_out, captures)])"),
    (
        "s16-2",
        "square += -8 if board.turn == chess.WHITE else 8",
        "square = chess.square(chess.square_file(square), chess.square_rank(move.from_square))",
    ),
    (
        "s16-2",
        "",
        "def hanging(board):\n    return {\n"
        "        m.to_square ^ (8 if board.is_en_passant(m) else 0)\n"
        "        for m in board.legal_moves\n"
        "        if board.is_capture(m) and static_exchange(board, m) > 0\n    }\n",
    ),
    (
        "s16-3",
        _JUDGE + "        return super()._score(board, move, killers)",
        "        usual = super()._score(board, move, killers)\n"
        "        exchange = static_exchange(board, move) if board.is_capture(move) else 0\n"
        "        return exchange if exchange < 0 else usual",
    ),
    ("s16-3", "return exchange\n", "return exchange - 1_000_000\n"),
    (
        "s16-4",
        _QUIET,
        "                if board.gives_check(move) and not board.is_capture(move)\n"
        "                and not move.promotion\n",
    ),
    (
        "s16-4",
        "",
        """
class CheckingEngine(QuiescenceEngine):
    horizon = False  # a name that the check must not use for something else
    def _leaf_value(self, board, depth, alpha, beta):
        self.horizon = True
        return super()._leaf_value(board, depth, alpha, beta)
    def _quiescence(self, board, alpha, beta):
        self.first, self.horizon = self.horizon, False
        return super()._quiescence(board, alpha, beta)
    def _captures(self, board, missing):
        moves = super()._captures(board, missing)
        if self.first:
            moves += [
                m for m in board.legal_moves
                if board.gives_check(m) and not board.is_capture(m) and not m.promotion
            ]
        return moves
""",
    ),
    (
        "s16-4",
        "",
        """
class CheckingEngine(QuiescenceEngine):
    plies = 0
    def _leaf_value(self, board, depth, alpha, beta):
        self.plies = 0
        return super()._leaf_value(board, depth, alpha, beta)
    def _quiescence(self, board, alpha, beta):
        self.plies += 1
        try:
            return super()._quiescence(board, alpha, beta)
        finally:
            self.plies -= 1
    def _captures(self, board, missing):
        checks = []
        if self.plies == 1:
            quiet = board.generate_legal_moves(chess.BB_ALL, ~board.occupied)
            checks = [
                m for m in quiet
                if board.gives_check(m) and not m.promotion and not board.is_en_passant(m)
            ]
        return checks + super()._captures(board, missing)
""",
    ),
]
WRONG = [
    ("s16-1", _BEST, "max((-play_out(after) for after in captures), default=static)", "stand pat"),
    ("s16-1", "-play_out(after)", "play_out(after)", "turn the sign"),
    ("s16-1", "max(", "min(", "take the best"),
    ("s16-1", "-play_out(after)", "-after[0]", "The opponent takes back"),
    ("s16-1", "in captures", "in captures[:1]", "Take the best capture"),
    (
        "s16-1",
        _BEST,
        "max(static, -play_out(min(captures, key=lambda c: c[0]))) if captures else static",
        "compare what comes of it",
    ),
    ("s16-2", "-8 if board.turn == chess.WHITE else 8", "-8", "En passant"),
    ("s16-2", _PASSING, "", "En passant"),
    ("s16-2", "> 0", ">= 0", "An even exchange wins nothing"),
    ("s16-2", "static_exchange(board, move)", "gain(board, move)", "does not win a defended pawn"),
    ("s16-2", _LEGAL, "board.generate_pseudo_legal_captures()", "is pinned"),
    ("s16-2", _LEGAL, "captures_and_promotions(board)", "takes nothing"),
    ("s16-2", "square = move.to_square", "square = move.from_square", "not defended"),
    ("s16-3", "board.is_capture(move)", "True", "only captures that lose"),
    ("s16-3", "board.is_capture(move)", "(board.is_capture(move) or move.promotion)", "only capt"),
    (
        "s16-3",
        "return exchange\n",
        "return super()._score(board, move, killers) - 1_000_000\n",
        "the worst comes last",
    ),
    ("s16-3", "exchange < 0", "exchange <= 0", "only captures that lose"),
    ("s16-3", "return exchange\n", "return -exchange\n", "should come behind"),
    ("s16-3", "return exchange\n", "return -1\n", "the worst comes last"),
    ("s16-3", "static_exchange(board, move)", "gain(board, move)", "should come behind"),
    ("s16-4", _AT_HORIZON, "True", "only in the first one"),
    ("s16-4", _AT_HORIZON, "len(board.move_stack) <= self._horizon + 1", "only in the first one"),
    ("s16-4", _AT_HORIZON, _AT_HORIZON + " + 1", "only in the first one"),
    ("s16-4", _AT_HORIZON, "len(board.move_stack) == 2", "only in the first one"),
    (
        "s16-4",
        "and board.gives_check(move)",
        "and board.gives_check(move)\n"
        "                and board.piece_type_at(move.from_square) == chess.ROOK",
        "is missing",
    ),
    ("s16-4", "super()._captures(board, missing)", "good_captures(board, missing)", "was given"),
    ("s16-4", "moves = super()._captures(board, missing)", "moves = []", "captures are missing"),
    ("s16-4", _QUIET, "                if board.gives_check(move)\n", "there twice"),
    ("s16-4", "                and board.gives_check(move)\n", "", "nor a quiet check"),
    ("s16-4", "in board.legal_moves", "in board.pseudo_legal_moves", "nor a quiet check"),
]
