"""Answers to the exercises of s14: the solution with one place changed, or another one."""

GAIN = """
from converted_notebooks.s12_piece_square_tables import CENTIPAWNS, TABLES


def square_gain(board, move):
    def worth(kind, square):
        seen = square if board.turn else square ^ 56
        return CENTIPAWNS[kind] + TABLES[kind][seen]

    kind = board.piece_at(move.from_square).piece_type
    return worth(move.promotion or kind, move.to_square) - worth(kind, move.from_square)
"""
LEAVES = """
def fewest_leaves(branching):
    one = other = 1
    for number in branching:
        one, other = other, one * number
    return one + other - 1
"""
AGEING = """
class AgeingOrderer(MoveOrderer):
    def age(self):
        for key in list(self.history):
            self.history[key] >>= 1
            if not self.history[key]:
                del self.history[key]
"""
COUNTER = """
class CounterMoveOrderer(MoveOrderer):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.replies = {}

    def cut_off(self, board, move, depth):
        super().cut_off(board, move, depth)
        if not board.move_stack or board.is_capture(move) or move.promotion:
            return
        self.replies[board.peek(), board.turn] = move

    def _score(self, board, move, killers):
        score = super()._score(board, move, killers)
        if board.move_stack and self.replies.get((board.peek(), board.turn)) == move:
            return max(score, MOST_HISTORY + 1)
        return score
"""

ANY_SIDE = COUNTER.replace("(board.peek(), board.turn)", "(board.peek())").replace(
    "[board.peek(), board.turn]", "[board.peek()]"
)

RIGHT = [
    ("s14-1", "", 'answer = ("Nxd4", "Qxd4+", "exf6", "Nxf6", "dxc6", "Bxc6")'),
    ("s14-1", "Nxd4", "N3xd4"),
    ("s14-2", "", GAIN),
    ("s14-2", "PLAYER_MULTIPLIER[board.turn] * gained", "gained if board.turn else -gained"),
    ("s14-3", "", LEAVES),
    (
        "s14-3",
        "math.prod(branching[::2]) + math.prod(branching[1::2]) - 1",
        "sum(math.prod(branching[first::2]) for first in (0, 1)) - 1",
    ),
    ("s14-4", "", AGEING),
    ("s14-4", "if amount > 1", "if amount // 2"),
    ("s14-5", "", COUNTER),
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "KILLER_SCORE - 2"),
]

LOOP = """
class AgeingOrderer(MoveOrderer):
    def age(self):
        for key in self.history:
            self.history[key] //= 2
            if not self.history[key]:
                del self.history[key]
"""
LOWERED = COUNTER.replace("max(score, MOST_HISTORY + 1)", "MOST_HISTORY + 1")
WRONG = [
    ("s14-5", "", LOWERED, "keeps the place of a capture"),
    ("s14-1", '"Nxd4", "Qxd4"', '"Qxd4", "Nxd4"', "compare victims first"),
    ("s14-1", '"dxc6", "Bxc6"', '"Bxc6", "dxc6"', "and then attackers"),
    ("s14-1", '"exf6", "Nxf6", "dxc6", "Bxc6"', '"dxc6", "exf6", "Bxc6", "Nxf6"', "victims first"),
    ("s14-1", ', "Bxc6"', "", "One capture is missing: a bishop"),
    ("s14-1", '"Nxd4"', '"Nd6", "Nxd4"', "is no capture"),
    ("s14-1", '"Bxc6"]', '"Bxc6", "Bxc6"]', "listed twice"),
    ("s14-1", '"exf6"', '"e5f6x"', "not a legal move"),
    ("s14-2", "move.promotion or before", "before", "A promotion"),
    ("s14-2", "PLAYER_MULTIPLIER[board.turn] * gained", "gained", "the sign"),
    ("s14-2", "PLAYER_MULTIPLIER[board.turn] * gained", "-gained", "the sign"),
    (
        "s14-2",
        "return PLAYER_MULTIPLIER[board.turn] * gained",
        "victim = board.piece_type_at(move.to_square) or 0\n"
        "    gained -= SQUARE_VALUES[not board.turn][victim][move.to_square]\n"
        "    return PLAYER_MULTIPLIER[board.turn] * gained",
        "the victim is left out",
    ),
    (
        "s14-2",
        "return PLAYER_MULTIPLIER[board.turn] * gained",
        "if board.is_castling(move):\n"
        "        first = move.to_square & 56\n"
        "        start, end = (7, 5) if move.to_square > move.from_square else (0, 3)\n"
        "        gained += values[chess.ROOK][first + end] - values[chess.ROOK][first + start]\n"
        "    return PLAYER_MULTIPLIER[board.turn] * gained",
        "only the king counts",
    ),
    ("s14-2", "", GAIN.replace("square ^ 56", "square"), "leaves one square"),
    ("s14-2", "[move.to_square]", "[0]", "appears on another"),
    ("s14-3", " - 1", "", "count it once"),
    ("s14-3", "", LEAVES.replace("one + other - 1", "one * other"), "the formula gives"),
    (
        "s14-3",
        "",
        "def fewest_leaves(branching):\n"
        "    mean, depth = math.prod(branching) ** (1 / len(branching)), len(branching)\n"
        "    return round(mean ** ((depth + 1) // 2) + mean ** (depth // 2) - 1)",
        "shows one move",
    ),
    (
        "s14-3",
        "math.prod(branching[::2]) + math.prod(branching[1::2])",
        "math.prod(branching[: (len(branching) + 1) // 2])"
        " + math.prod(branching[(len(branching) + 1) // 2 :])",
        "shows one move",
    ),
    (
        "s14-3",
        "math.prod(branching[::2]) + math.prod(branching[1::2])",
        "branching[0] ** ((len(branching) + 1) // 2) + branching[0] ** (len(branching) // 2)",
        "a search visits",
    ),
    ("s14-4", "amount // 2", "round(amount / 2 + 0.1)", "rounding down"),
    ("s14-4", "amount // 2", "round(amount / 2)", "35 becomes 17"),
    ("s14-4", "if amount > 1", "", "1 becomes 0"),
    ("s14-4", "if amount > 1", "if amount > 4", "Only moves that reach zero"),
    ("s14-4", "if amount > 1", "if amount > 3", "1 stays"),
    ("s14-4", "amount // 2", "amount", "25 becomes 12"),
    ("s14-4", "self.history = {", "self.killers.clear()\n        self.history = {", "Killers stay"),
    ("s14-4", "", LOOP, "RuntimeError"),
    ("s14-4", "self.history = {", "history = {", "25 becomes 12"),
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "KILLER_SCORE + 10", "A killer comes before"),
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "1000", "before all of the history"),
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "MOST_HISTORY", "before all of the history"),
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "KILLER_SCORE - 0.5", "after both killers"),
    ("s14-5", "(MOST_HISTORY + KILLER_SCORE) // 2", "KILLER_SCORE - 1", "after both killers"),
    ("s14-5", "", COUNTER.replace("board.peek()", "board.peek().to_square"), "after Nfd2"),
    ("s14-5", "", COUNTER.replace("board.peek()", "board.peek().from_square"), "after Nc3"),
    ("s14-5", " and not (move.promotion or board.is_capture(move))", "", "are not noted"),
    ("s14-5", "(move.promotion or board.is_capture(move))", "board.is_capture(move)", "not noted"),
    ("s14-5", "board.is_capture(move))", "board.piece_at(move.to_square))", "not noted"),
    ("s14-5", "self.answers[board.turn, board.peek()] = move", "pass", "newest answer to e4"),
    (
        "s14-5",
        "self.answers[board.turn, board.peek()] = move",
        "self.answers.setdefault((board.turn, board.peek()), move)",
        "a newer answer replaces",
    ),
    (
        "s14-5",
        "score > MOST_HISTORY or not board.move_stack",
        "score > MOST_HISTORY",
        "ask `move_stack`",
    ),
    ("s14-5", "if board.move_stack and not (", "if not (", "ask `move_stack` first"),
    ("s14-5", "if known == move", "if known != move", "newest answer to e4"),
    ("s14-5", "", ANY_SIDE, "for the side to move"),
]
