"""Answers to the exercises of s15: the solution with one place changed."""

_BY_HAND = "key ^ leaves ^ arrives ^ victim ^ white_to_move"
_CHANCE = "-math.expm1(-positions * (positions - 1) / 2 ** (bits + 1))"
_SEEN = "hasher(board) in seen"
_SECOND = "second if second and second.key == key else None"
_REPEATS = """
def repeating_moves(board):
    def what(place):
        return {what}
    past, seen, found = board.copy(), [], set()
    while past.move_stack:
        past.pop()
        seen.append(what(past))
    for move in list(board.legal_moves):
        board.push(move)
        if what(board) in seen:
            found.add(move)
        board.pop()
    return found
"""


def _repeats(what: str) -> str:
    """Moves that repeat, by another idea of what a position is."""
    return _REPEATS.replace("{what}", what)


RIGHT = [
    ("s15-1", _BY_HAND, "white_to_move ^ (leaves ^ arrives) ^ (key ^ victim)"),
    (
        "s15-1",
        "    return " + _BY_HAND,
        "    for fact in (leaves, arrives, victim, white_to_move):\n        key ^= fact\n"
        "    return key",
    ),
    ("s15-2", _CHANCE, "-math.expm1(-math.comb(positions, 2) / 2**bits)"),
    ("s15-2", _CHANCE, "-math.expm1(-0.5 * positions * (positions - 1) * 2.0**-bits)"),
    (
        "s15-3",
        "",
        "def pawn_key(board):\n    bare = chess.BaseBoard(None)\n"
        "    for square in chess.scan_forward(board.pawns):\n"
        "        bare.set_piece_at(square, board.piece_at(square))\n"
        "    return ZobristHasher().squares_key(bare)\n",
    ),
    (
        "s15-3",
        "",
        "def pawn_key(board):\n    key = 0\n"
        "    for square, piece in board.piece_map().items():\n"
        "        if piece.piece_type == chess.PAWN:\n"
        "            key ^= HASHER.pieces[piece.color][chess.PAWN][square]\n    return key\n",
    ),
    ("s15-4", _SEEN, "board.is_repetition(2)"),
    ("s15-4", "", _repeats("ZobristHasher()(place)")),
    ("s15-4", "", _repeats("place.epd()")),
    (
        "s15-5",
        "",
        """
class BucketTable(TranspositionTable):
    def __init__(self, megabytes=64, replacement=Replacement.SHALLOWER):
        super().__init__(megabytes / 2, replacement)
    def clear(self):
        super().clear()
        self.slots = {}
    def get(self, key):
        for entry in self.slots.get(key % self.capacity, []):
            if entry.key == key:
                return entry
        return None
    def put(self, entry):
        slots = self.slots.setdefault(entry.key % self.capacity, [])
        if not slots:
            slots.append(entry)
        elif self.replacement.keeps(slots[0], entry):
            slots[1:] = [entry]
        elif slots[0].key == entry.key:
            slots[0] = entry
        else:
            slots[:] = [entry, slots[0]]
""",
    ),
    (
        "s15-5",
        "        return super().get(key) or (\n            " + _SECOND + "\n        )",
        "        first = self._entries[key % self.capacity]\n"
        "        for entry in (first, second):\n"
        "            if entry is not None and entry.key == key:\n"
        "                return entry\n        return None",
    ),
]
WRONG = [
    ("s15-1", " ^ leaves", "", "still on its old square"),
    ("s15-1", " ^ arrives", "", "not on its new square"),
    ("s15-1", " ^ victim", "", "The pawn is still there"),
    ("s15-1", " ^ white_to_move", "", "side to move has not changed"),
    ("s15-1", _BY_HAND, "key - leaves + arrives - victim + white_to_move", "with XOR"),
    ("s15-2", _CHANCE, "1 - math.exp(-positions * (positions - 1) / 2 ** (bits + 1))", "expm1"),
    ("s15-2", _CHANCE, "1 - math.prod(1 - n / 2**bits for n in range(3))", "the formula"),
    ("s15-2", "-math.expm1(-positions", "math.expm1(-positions", "mind the sign"),
    ("s15-2", "2 ** (bits + 1)", "2**bits", "counted twice"),
    ("s15-2", "(positions - 1)", "positions", "pairs with itself"),
    ("s15-2", _CHANCE, "positions * (positions - 1) / 2 ** (bits + 1)", "expected number"),
    ("s15-2", _CHANCE, "math.exp(-positions * (positions - 1) / 2 ** (bits + 1))", "different"),
    ("s15-3", "chess.COLORS", "[chess.WHITE]", "Black's pawns are missing"),
    ("s15-3", "chess.COLORS", "[board.turn]", "The side to move is no pawn"),
    ("s15-3", "key ^= numbers", "key += numbers", "combine with XOR"),
    ("s15-3", "return key", "return key ^ HASHER.state_key(board)", "The side to move is no pawn"),
    ("s15-3", "    return key", "    return HASHER.squares_key(board)", "only pawns"),
    ("s15-3", "numbers[color][", "numbers[not color][", "colour, type, square"),
    ("s15-4", _SEEN, "board.is_repetition(3)", "one earlier occurrence is enough"),
    ("s15-4", "", _repeats("place.fen()"), "move counters do not matter"),
    ("s15-4", "while past", "while len(seen) < 5 and past", "not only four plies"),
    ("s15-4", "while past", "while len(seen) < 7 and past", "however far"),
    ("s15-4", "", _repeats("place.board_fen()"), "With the other side to move"),
    ("s15-4", "", _repeats("(place.board_fen(), place.turn)"), "could castle"),
    (
        "s15-4",
        "",
        _repeats("(place.board_fen(), place.turn, place.castling_rights)"),
        "could take en passant",
    ),
    (
        "s15-4",
        "",
        _repeats("(place.board_fen(), place.turn, place.castling_rights, place.ep_square)"),
        "only if it can be taken",
    ),
    ("s15-4", "        board.pop()\n", "", "popped once"),
    (
        "s15-5",
        "super().put(entry)\n",
        "if not old or entry.depth >= old.depth:\n            self._entries[place] = entry\n",
        "earlier search is replaced",
    ),
    (
        "s15-5",
        "super().put(entry)\n",
        "if not old or entry.age != old.age or entry.depth >= old.depth:\n"
        "            self._entries[place] = entry\n",
        "With `ALWAYS`",
    ),
    (
        "s15-5",
        "super().put(entry)\n",
        "super().put(entry)\n        if old and old.key == entry.key:\n"
        "            self._entries[place] = entry\n",
        "same position does not get",
    ),
    ("s15-5", _SECOND, "second", "compare the whole key"),
    ("s15-5", "megabytes / 2", "megabytes", "half as many places"),
    (
        "s15-5",
        "self._second: list[Entry | None] = [None] * self.capacity",
        "self._second = getattr(self, '_second', [None] * self.capacity)",
        "After `clear`",
    ),
    ("s15-5", "is not entry:", "is None:", "it takes the second"),
    ("s15-5", "elif old and old.key != entry.key:", "elif False:", "moves to the second"),
    ("s15-5", "elif old and old.key != entry.key:", "elif old:", "stays as it is"),
    ("s15-5", "if self._entries[place] is not entry:", "if True:", "moves to the second"),
    (
        "s15-5",
        "is not entry:",
        "is not entry and old.key != entry.key:",
        "as any other does",
    ),
]
