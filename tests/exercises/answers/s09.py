"""Answers to the exercises of s09: the solution with one place changed."""

_BY_HAND = "def minimax(tree, white):\n    "
_SIZE = "def tree_size(branching, depth):\n    "
_LINE = "def principal_variation(evaluator, board, depth):\n    "
_HURRY = """
class HurryingEngine(NegamaxEngine):
    def _value(self, board, depth):
        """

WRONG = [
    ("s09-1", "part, not white", "part, white", "changes with each level"),
    ("s09-1", "max(values) if white else min(values)", "max(values)", "Black takes the smallest"),
    ("s09-1", "max(values) if white", "min(values) if white", "White takes the largest"),
    ("s09-1", "        return tree\n", "        return tree if white else -tree\n", "White's view"),
    (
        "s09-1",
        "",
        _BY_HAND + "if isinstance(tree, int):\n"
        "        return tree\n"
        "    if isinstance(tree[0], int):\n"
        "        return max(tree) if white else min(tree)\n"
        "    values = [minimax(part, not white) for part in tree]\n"
        "    return max(values) if white else min(values)\n",
        "TypeError",
    ),
    (
        "s09-1",
        "",
        _BY_HAND + "if isinstance(tree, int):\n"
        "        return tree\n"
        "    return max(-minimax(part, not white) for part in tree)\n",
        "White takes the largest",
    ),
    ("s09-2", "plies[-1] if plies else 1, sum(plies)", "sum(plies), plies[-1]", "come first"),
    ("s09-2", "range(1, depth + 1)", "range(depth + 1)", "The root is not counted"),
    ("s09-2", "range(1, depth + 1)", "range(1, depth)", "leaves, not"),
    ("s09-2", "sum(plies)", "sum(plies[:-1])", "Leaves are nodes"),
    ("s09-2", " if plies else 1", "", "IndexError"),
    ("s09-2", "branching**ply", "branching * ply", "leaves, not"),
    (
        "s09-2",
        "",
        _SIZE + "nodes = (branching ** (depth + 1) - 1) // (branching - 1) - 1\n"
        "    return branching**depth, nodes\n",
        "ZeroDivisionError",
    ),
    (
        "s09-3",
        "        if evaluator.evaluate(current) is not None:\n            break\n",
        "",
        "Index",
    ),
    (
        "s09-3",
        "evaluator.evaluate(current) is not None",
        "current.is_game_over()",
        "the game is over: the line ends before",
    ),
    ("s09-3", "board.copy()", "board", "popped once"),
    ("s09-3", "board.copy()", "chess.Board(board.fen())", "A repetition draws"),
    ("s09-3", "(evaluator, left)", "(Evaluator(), left)", "Ask the evaluator given"),
    (
        "s09-3",
        "evaluator.evaluate(current) is not None",
        "current.is_checkmate()",
        "the game is over",
    ),
    ("s09-3", "(evaluator, left)", "(evaluator, depth)", "so many are left"),
    ("s09-3", "[0].move)", "[-1].move)", "how many plies are left"),
    ("s09-3", "range(depth, 0, -1)", "range(depth, 1, -1)", "the line has 1 moves"),
    ("s09-3", "range(depth, 0, -1)", "range(depth + 1, 0, -1)", "the line has 3 moves"),
    (
        "s09-3",
        "NegamaxEngine(evaluator, left).analyse(current)[0].move",
        "max(reversed(NegamaxEngine(evaluator, left).analyse(current)),"
        " key=lambda entry: entry.score * PLAYER_MULTIPLIER[current.turn]).move",
        "take the first that python-chess lists",
    ),
    (
        "s09-3",
        "NegamaxEngine(evaluator, left).analyse(current)[0].move",
        "max(NegamaxEngine(evaluator, left).analyse(current)).move",
        "who is to move",
    ),
    (
        "s09-3",
        "",
        _LINE + "best = NegamaxEngine(evaluator, depth).analyse(board)\n"
        "    return [entry.move for entry in best[:depth]]\n",
        "is not legal",
    ),
    ("s09-4", 'float("-inf")', "-self.evaluator.value_checkmate", "Does `best` begin lower"),
    ("s09-4", 'float("-inf")', "-self.evaluator.value_checkmate - 1", "lower still"),
    ("s09-4", "value_checkmate + depth", "value_checkmate - depth", "there is a mate at once"),
    ("s09-4", "-(self.evaluator.value_checkmate + depth)", "-(100 + depth)", "not always 100"),
    ("s09-4", "return -(self", "return (self", "there is a mate at once"),
    ("s09-4", "            board.pop()\n", "", "popped once"),
    (
        "s09-4",
        "-self._value(board, depth - 1)",
        "self._value(board, depth - 1)",
        "A mate in one is worth more",
    ),
    ("s09-4", "board.is_checkmate()", "not any(board.legal_moves)", "Stalemate is a draw"),
    (
        "s09-4",
        "",
        _HURRY + "value = super()._value(board, depth)\n"
        "        if abs(value) < self.evaluator.value_checkmate:\n"
        "            return value\n"
        "        return value + depth if value > 0 else value - depth\n",
        "a mate",
    ),
]
RIGHT = [
    (
        "s09-1",
        "",
        _BY_HAND + "def value(part, sign):\n"
        "        if not isinstance(part, list):\n"
        "            return sign * part\n"
        "        return max(-value(below, -sign) for below in part)\n\n"
        "    return value(tree, 1 if white else -1) * (1 if white else -1)\n",
    ),
    (
        "s09-1",
        "",
        _BY_HAND + "if type(tree) is int:\n"
        "        return tree\n"
        "    return (max if white else min)(minimax(part, not white) for part in tree)\n",
    ),
    (
        "s09-2",
        "",
        _SIZE + "leaves, nodes = 1, 0\n"
        "    for _ in range(depth):\n"
        "        leaves *= branching\n"
        "        nodes += leaves\n"
        "    return leaves, nodes\n",
    ),
    (
        "s09-2",
        "",
        _SIZE + "if depth == 0:\n"
        "        return 1, 0\n"
        "    leaves, nodes = tree_size(branching, depth - 1)\n"
        "    return leaves * branching, nodes + leaves * branching\n",
    ),
    (
        "s09-3",
        "",
        _LINE + "def search(left):\n"
        "        value = evaluator.evaluate(board)\n"
        "        if value is not None or left == 0:\n"
        "            return (evaluator.heuristic(board) if value is None else value), []\n"
        '        best, line = float("-inf"), []\n'
        "        for move in list(board.legal_moves):\n"
        "            board.push(move)\n"
        "            value, rest = search(left - 1)\n"
        "            board.pop()\n"
        "            if -value > best:\n"
        "                best, line = -value, [move, *rest]\n"
        "        return best, line\n\n"
        "    return search(depth)[1]\n",
    ),
    (
        "s09-3",
        "",
        _LINE + "if depth == 0 or evaluator.evaluate(board) is not None:\n"
        "        return []\n"
        "    move = NegamaxEngine(evaluator, depth).play(board).move\n"
        "    board.push(move)\n"
        "    line = [move] + principal_variation(evaluator, board, depth - 1)\n"
        "    board.pop()\n"
        "    return line\n",
    ),
    ("s09-4", 'float("-inf")', "-2 * self.evaluator.value_checkmate - depth"),
    (
        "s09-4",
        "",
        _HURRY + "score = self.evaluator.evaluate(board)\n"
        "        if score == -self.evaluator.value_checkmate:\n"
        "            return score - depth\n"
        "        if score is not None:\n"
        "            return score\n"
        "        if depth == 0:\n"
        "            return self.evaluator.heuristic(board)\n"
        "        values = []\n"
        "        for move in board.legal_moves:\n"
        "            board.push(move)\n"
        "            values.append(-self._value(board, depth - 1))\n"
        "            board.pop()\n"
        "        return max(values)\n",
    ),
]
