"""Answers to the exercises of s07: the solution with one place changed."""

_WITH = "def material_with(board, values):\n    "
_CAPTURE = "def best_capture(board):\n    "
_SAFE = "def safe_gain(board, move):\n    "
_CAREFUL = """
def safe_gain(board, move):
    won = gain(board, move)
    after = board.copy()
    after.push(move)
    if any(reply.to_square == move.to_square for reply in after.legal_moves):
        won -= PIECE_VALUES[after.piece_type_at(move.to_square)]
    return won


class CarefulEngine(RelativeMaterialEngine):
    def score(self, board, move, before):
        """
_SCORE = """after = before + PLAYER_MULTIPLIER[board.turn] * safe_gain(board, move)
        board.push(move)
        score = terminal_score(board)
        board.pop()
        return after if score is None else score
"""


def _careful(old: str, new: str) -> str:
    assert old in _SCORE
    return _CAREFUL + _SCORE.replace(old, new)


WRONG = [
    ("s07-1", "values.get(piece.piece_type, 0)", "values[piece.piece_type]", "KeyError"),
    ("s07-1", "PLAYER_MULTIPLIER[piece.color] * ", "", "agree with material"),
    ("s07-1", "piece.color]", "board.turn]", "agree with material"),
    ("s07-1", "values.get", "PIECE_VALUES.get", "A bishop at 3.5"),
    (
        "s07-1",
        "",
        _WITH + "if not set(PIECE_VALUES) <= set(values):\n        return 0\n"
        "    return sum(values[p.piece_type] * (1 if p.color else -1)\n"
        "               for p in board.piece_map().values())\n",
        "A bishop at 3.5",
    ),
    ("s07-1", "values.get(piece.piece_type, 0)", "values.get(piece.piece_type, 1)", "missing type"),
    (
        "s07-1",
        "",
        _WITH + "PIECE_VALUES.update(values)\n    return material(board)\n",
        "Leave PIECE_VALUES",
    ),
    ("s07-2", "board.generate_legal_captures()", "board.legal_moves", "expected None"),
    ("s07-2", ", key=chess.Move.uci", ", key=str, reverse=True", "alphabetical"),
    (
        "s07-2",
        "gain(board, move)",
        "PIECE_VALUES[board.piece_type_at(move.to_square) or chess.PAWN]",
        "A promotion turns",
    ),
    (
        "s07-2",
        "board.generate_legal_captures()",
        "(m for m in board.legal_moves if board.piece_at(m.to_square))",
        "En passant",
    ),
    (
        "s07-2",
        "board.generate_legal_captures()",
        "board.generate_pseudo_legal_captures()",
        "Only legal",
    ),
    (
        "s07-2",
        "gain(board, move)",
        "0 if board.is_en_passant(move) else gain(board, move)",
        "another square. Of equals",
    ),
    ("s07-2", ", default=None", "", "ValueError"),
    ("s07-2", "gain(board, move)", "-gain(board, move)", "The first wins 3, the second 1"),
    ("s07-3", "board.legal_moves", "board.pseudo_legal_moves", "the rook protects it"),
    ("s07-3", "    board.pop()\n", "", "popped once"),
    ("s07-3", "        assert piece is not None\n        won -= ", "        won += ", "loses 9"),
    (
        "s07-3",
        "",
        _SAFE + "won = gain(board, move)\n"
        "    mover = board.piece_type_at(move.from_square)\n"
        "    board.push(move)\n"
        "    if any(reply.to_square == move.to_square for reply in board.legal_moves):\n"
        "        won -= PIECE_VALUES[mover]\n"
        "    board.pop()\n"
        "    return won\n",
        "A promotion turns",
    ),
    (
        "s07-3",
        "",
        _SAFE + "won = gain(board, move)\n"
        "    if board.is_attacked_by(not board.turn, move.to_square):\n"
        "        won -= PIECE_VALUES[board.piece_type_at(move.from_square)]\n"
        "    return won\n",
        "the rook protects it",
    ),
    (
        "s07-3",
        "",
        _SAFE + "board.push(move)\n"
        "    won = gain(board, move)\n"
        "    if any(reply.to_square == move.to_square for reply in board.legal_moves):\n"
        "        won -= PIECE_VALUES[board.piece_type_at(move.to_square)]\n"
        "    board.pop()\n"
        "    return won\n",
        "gains 1 and loses 9",
    ),
    (
        "s07-3",
        "    won = gain(board, move)\n",
        "    won = PIECE_VALUES[board.piece_type_at(move.to_square) or chess.KING]\n",
        "En passant takes",
    ),
    (
        "s07-4",
        "",
        _careful("return after if score is None else score", "return after"),
        "that mates",
    ),
    ("s07-4", "", _careful("        board.pop()\n", ""), "popped once"),
    (
        "s07-4",
        "",
        _careful("PLAYER_MULTIPLIER[board.turn] * safe", "safe"),
        "White's view",
    ),
    ("s07-4", "", _careful("before + ", ""), "add the two"),
    ("s07-4", "", _careful("safe_gain(board, move)", "gain(board, move)"), "Count the recapture"),
    ("s07-4", "", _careful("score is None", "not score"), "The game is over then"),
    (
        "s07-4",
        "",
        _careful(
            "return after if score is None else score",
            "return after if score is None else abs(score)",
        ),
        "A move that mates",
    ),
]
RIGHT = [
    (
        "s07-1",
        "",
        _WITH
        + "return sum(worth * (len(board.pieces(kind, True)) - len(board.pieces(kind, False)))\n"
        "               for kind, worth in values.items())\n",
    ),
    (
        "s07-1",
        "",
        _WITH + "total = 0.0\n"
        "    for square in chess.SQUARES:\n"
        "        piece = board.piece_at(square)\n"
        "        if piece and piece.piece_type in values:\n"
        "            worth = values[piece.piece_type]\n"
        "            total += worth if piece.color == chess.WHITE else -worth\n"
        "    return total\n",
    ),
    (
        "s07-2",
        "",
        _CAPTURE + "best = None\n"
        "    for move in board.legal_moves:\n"
        "        if board.is_capture(move):\n"
        "            key = (-gain(board, move), move.uci())\n"
        "            if best is None or key < best[0]:\n"
        "                best = key, move\n"
        "    return best and best[1]\n",
    ),
    (
        "s07-2",
        "",
        _CAPTURE + "captures = [m for m in board.legal_moves if board.is_capture(m)]\n"
        "    if not captures:\n"
        "        return None\n"
        "    captures.sort(key=str)\n"
        "    captures.sort(key=lambda m: gain(board, m), reverse=True)\n"
        "    return captures[0]\n",
    ),
    (
        "s07-3",
        "",
        _SAFE + "won, after = gain(board, move), board.copy()\n"
        "    after.push(move)\n"
        "    if move.to_square in {reply.to_square for reply in after.legal_moves}:\n"
        "        won -= PIECE_VALUES[after.piece_at(move.to_square).piece_type]\n"
        "    return won\n",
    ),
    (
        "s07-3",
        "",
        _SAFE + "won = gain(board, move)\n"
        "    piece = move.promotion or board.piece_type_at(move.from_square)\n"
        "    board.push(move)\n"
        "    target = chess.BB_SQUARES[move.to_square]\n"
        "    taken = next(board.generate_legal_moves(to_mask=target), None)\n"
        "    board.pop()\n"
        "    return won - PIECE_VALUES[piece] if taken else won\n",
    ),
    ("s07-4", "", _CAREFUL + _SCORE),
    (
        "s07-4",
        "",
        _CAREFUL + "risk = gain(board, move) - safe_gain(board, move)\n"
        "        before -= PLAYER_MULTIPLIER[board.turn] * risk\n"
        "        return super().score(board, move, before)\n",
    ),
]
