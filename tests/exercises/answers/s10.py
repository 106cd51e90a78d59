"""Answers to the exercises of s10: the solution with one place changed."""

_DEPTHS = """
def least(branching, depth):
    return branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1


def depths_within(branching, leaves):
    """
_COUNTING = (
    _DEPTHS
    + """full = proved = 0
    while branching ** (full + 1) <= leaves:
        full += 1
    while least(branching, proved + 1) <= leaves:
        proved += 1
    return full, proved
"""
)
_TWO_FUNCTIONS = """
def white_best(tree, alpha, beta):
    if isinstance(tree, int):
        return tree, 1
    best, seen = -float("inf"), 0
    for part in tree:
        value, leaves = black_best(part, max(alpha, best), beta)
        best, seen = max(best, value), seen + leaves
        if best >= beta:
            return best, seen
    return best, seen


def black_best(tree, alpha, beta):
    if isinstance(tree, int):
        return tree, 1
    best, seen = float("inf"), 0
    for part in tree:
        value, leaves = white_best(part, alpha, min(beta, best))
        best, seen = min(best, value), seen + leaves
        if best <= alpha:
            return best, seen
    return best, seen


def alpha_beta(tree, white, alpha=-float("inf"), beta=float("inf")):
    return (white_best if white else black_best)(tree, alpha, beta)
"""
_HARD = """
def alpha_beta(tree, white, alpha=-float("inf"), beta=float("inf")):
    if not isinstance(tree, list):
        return tree, 1
    seen = 0
    for part in tree:
        value, leaves = alpha_beta(part, not white, alpha, beta)
        seen += leaves
        if white:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return (alpha if white else beta), seen
"""
_ORDER = """
class CapturesFirstEngine(AlphaBetaEngine):
    def _moves(self, board, depth):
        """
_BEST = """
def best_moves(engine, board, depth, count):
    """
_NARROWING = """window, sign = engine.evaluator.value_checkmate, PLAYER_MULTIPLIER[board.turn]
    found = []
    for number, move in enumerate(board.legal_moves):
        floor = -found[-1][0] if len(found) >= count else -window - 1
        board.push(move)
        value = -engine._value(board, depth - 1, -window, -floor)
        board.pop()
        if value > floor:
            found = sorted([*found, (-value, number, move)])[:count]
    return [ScoredMove(-sign * less, move) for less, _, move in found]
"""
_LOOKING_AGAIN = """
class LineEngine(AlphaBetaEngine):
    def line(self, board, depth):
        line, current = [], board.copy()
        for left in range(depth, 0, -1):
            if current.is_game_over():
                break
            line.append(AlphaBetaEngine(self.evaluator, left).analyse(current)[0].move)
            current.push(line[-1])
        return line
"""
_PAIR = """
class LineEngine(AlphaBetaEngine):
    best = {}

    def line(self, board, depth):
        self.best = {}
        self._value(board, depth, -float("inf"), float("inf"))
        return self.best[depth]

    def _value(self, board, depth, alpha, beta):
        self.best[depth] = []
        static = self._static_value(board, depth)
        if static is not None:
            return static
        best, line = -self.evaluator.value_checkmate, []
        for move in board.legal_moves:
            board.push(move)
            value = -self._value(board, depth - 1, -beta, -max(alpha, best))
            board.pop()
            if value > best:
                best = value
                line = [move, *self.best[depth - 1]]
                if best >= beta:
                    break
        self.best[depth] = line
        return best
"""
_FIRST = """
class LineEngine(AlphaBetaEngine):
    def line(self, board, depth):
        self.following = {}
        self.top = depth
        self._value(board, depth, -float("inf"), float("inf"))
        return self.following.get(depth, [])

    def _value(self, board, depth, alpha, beta):
        ply = self.top - depth
        self.following[depth] = []
        value = super()._value(board, depth, alpha, beta)
        if ply and alpha < value < beta:
            self.following[depth + 1] = [board.move_stack[-1]] + self.following[depth]
        return value
"""

WRONG = [
    (
        "s10-1",
        "",
        _COUNTING.replace("branching ** (full + 1) <= leaves", "branching ** (full + 1) < leaves"),
        "exact",
    ),
    (
        "s10-1",
        "",
        _COUNTING.replace("return full, proved", "return proved, full"),
        "minimax comes first",
    ),
    (
        "s10-1",
        "",
        _COUNTING.replace("return full, proved", "return full, 2 * full"),
        "alpha-beta at its best",
    ),
    (
        "s10-1",
        "",
        _COUNTING.replace("least(branching, proved + 1)", "branching ** (proved // 2 + 1) * 2"),
        "alpha-beta at its best reaches",
    ),
    (
        "s10-1",
        "",
        "import math\n" + _DEPTHS + "full = int(math.log(leaves) / math.log(branching))\n"
        "    proved = full\n"
        "    while least(branching, proved + 1) <= leaves:\n"
        "        proved += 1\n"
        "    return full, proved\n",
        "exact number",
    ),
    ("s10-2", "alpha >= beta", "alpha > beta", "An equal value is enough"),
    ("s10-2", "not white, alpha, beta", "not white", "refutes the second part"),
    ("s10-2", "not white, alpha, beta", "not white, -beta, -alpha", "expected"),
    ("s10-2", "best = min(best, value)", "best = max(best, value)", "expected (-2, 3)"),
    ("s10-2", "part, not white, alpha", "part, white, alpha", "expected"),
    ("s10-2", "return best, leaves", "return best, leaves + 1", "expected (8, 3)"),
    ("s10-2", '-float("inf") if white else float("inf")', "0", "refutes the second part"),
    ("s10-2", "", _HARD, "[1, 2] with White to move, in the window from 5 to 9: expected (2, 2)"),
    (
        "s10-2",
        "    return best, leaves",
        "    return min(best, beta) if white else max(best, alpha), leaves",
        "expected (6, 1)",
    ),
    (
        "s10-3",
        "",
        _ORDER + "return sorted(board.legal_moves, key=board.is_capture)\n",
        "after another move",
    ),
    (
        "s10-3",
        "not board.is_capture(move)",
        "board.piece_at(move.to_square) is None",
        "En passant captures, too",
    ),
    (
        "s10-3",
        "not board.is_capture(move)",
        "(not board.is_capture(move), move.uci())",
        "not in the order of the library",
    ),
    ("s10-3", "board.legal_moves, key", "board.pseudo_legal_moves, key", "each once"),
    ("s10-3", "", _ORDER + "return board.generate_legal_captures()\n", "moves are missing"),
    (
        "s10-3",
        "",
        _ORDER + "if depth == 1:\n            return board.legal_moves\n"
        "        return sorted(board.legal_moves, key=board.is_capture, reverse=True)\n",
        "after another move",
    ),
    (
        "s10-3",
        "",
        _ORDER + "yield from board.generate_legal_captures()\n"
        "        yield from board.legal_moves\n",
        "each once",
    ),
    (
        "s10-3",
        "",
        _ORDER + "def takes(move):\n"
        "            board.push(move)\n"
        "            return bool(board.is_check())\n"
        "        return sorted(board.legal_moves, key=takes)\n",
        "popped once",
    ),
    ("s10-4", "        board.pop()\n", "", "popped once"),
    (
        "s10-4",
        "sorted(best, reverse=board.turn == chess.WHITE)",
        "sorted(best, key=lambda entry: (-sign * entry.score, entry.move.uci()))",
        "of equal moves the first",
    ),
    ("s10-4", "sign * best[-1].score if", "sign * best[0].score if", "mind who is to move"),
    ("s10-4", "reverse=board.turn == chess.WHITE", "reverse=True", "mind who is to move"),
    ("s10-4", "ScoredMove(sign * value, move)", "ScoredMove(value, move)", "mind who is to move"),
    ("s10-4", "depth - 1, -window", "depth, -window", "are not those of analyse"),
    ("s10-4", "depth - 1, -window", "1, -window", "depth 1, the best 1: the scores"),
    ("s10-4", "-window, -alpha)", "alpha, window)", "negated and swapped"),
    ("s10-4", "-window, -alpha)", "-alpha - 1, -alpha)", "only alpha rises"),
    (
        "s10-4",
        "",
        _BEST + "limit = chess.engine.Limit(depth=depth)\n"
        "    return engine.analyse(board, limit)[:count]\n",
        "Let the window narrow",
    ),
    (
        "s10-4",
        "",
        _BEST + "own = AlphaBetaEngine(engine.evaluator, depth)\n"
        "    return own.analyse(board)[:count]\n",
        "Use the engine given",
    ),
    ("s10-5", "", _LOOKING_AGAIN, "one search visits"),
    ("s10-5", "", _PAIR.replace("value > best", "value >= best"), "its bound is no value"),
    ("s10-5", "        self.lines[depth] = []\n", "", "where the game is over"),
    ("s10-5", "alpha < value < beta and ", "", "does not lead to the value"),
    ("s10-5", "board.peek(), *self", "*self", "too short or too long"),
    ("s10-5", ", *self.lines[depth]]", "]", "too short"),
    (
        "s10-5",
        "        self.lines: list[list[chess.Move]] = [[] for _ in range(depth + 2)]\n",
        '        if not hasattr(self, "lines"):\n'
        "            self.lines = [[] for _ in range(9)]\n"
        "        if self.lines[depth]:\n"
        "            return self.lines[depth]\n",
        "is anything left over",
    ),
    ("s10-5", "board.peek()", "board.pop()", "popped once"),
    ("s10-5", "", _FIRST, "no attribute 'top'"),
    (
        "s10-4",
        "",
        _BEST + "engine.statistics = type(engine.statistics)()\n    " + _NARROWING,
        "the counts add up",
    ),
]
RIGHT = [
    (
        "s10-1",
        "",
        _DEPTHS + "plies = range(leaves.bit_length() * 2 + 2)\n"
        "    full = max(ply for ply in plies if branching**ply <= leaves)\n"
        "    return full, max(ply for ply in plies if least(branching, ply) <= leaves)\n",
    ),
    (
        "s10-1",
        "",
        _DEPTHS + "full = next(d for d in range(99) if branching ** (d + 1) > leaves)\n"
        "    proved = full\n"
        "    for depth in range(full, 2 * full + 2):\n"
        "        if least(branching, depth) <= leaves:\n"
        "            proved = depth\n"
        "    return (full, proved)\n",
    ),
    ("s10-2", "", _TWO_FUNCTIONS),
    (
        "s10-3",
        "",
        _ORDER + "moves = list(board.legal_moves)\n"
        "        takes = [m for m in moves if board.is_capture(m)]\n"
        "        return takes + [m for m in moves if m not in takes]\n",
    ),
    (
        "s10-3",
        "",
        _ORDER + "for wanted in (True, False):\n"
        "            for move in board.legal_moves:\n"
        "                if board.is_capture(move) == wanted:\n"
        "                    yield move\n",
    ),
    ("s10-4", "value > alpha", "value >= alpha"),
    ("s10-4", "not full or value > alpha:", "not full or value > best[-1].score * sign:"),
    (
        "s10-4",
        "",
        _BEST + _NARROWING,
    ),
    ("s10-5", "", _PAIR),
    ("s10-5", "", _PAIR.replace("-self.evaluator.value_checkmate", '-float("inf")')),
]
