"""Answers to the exercises of s17: the solution with one place changed."""

_EARLY = "depth < 3 or number < 3"
_PLIES = "int(0.5 + math.log(depth) * math.log(number + 1) / 2)"
_FAILED = """            if value <= low:
                below *= 2
            else:
                above *= 2
"""
_SECOND = "self._search(board, less, beta - 1, beta)[0] >= beta"
_TRY = f"""        try:
            return {_SECOND}
        finally:
            self._forbidden = -1"""
_WIDENING = """
class WideningEngine(SelectiveEngine):
    def _root_value(self, board, depth, moves):
        sign = 1 if board.turn else -1
        aspires = Selection.ASPIRATION in self.selection and depth > 2 and self.iterations
        middle = sign * self.iterations[-1].best.score if aspires else 0
        low_fails = high_fails = 0
        while True:
            if aspires and low_fails + high_fails < 4:
                low = middle - self.ASPIRATION_WINDOW * 2**low_fails
                high = middle + self.ASPIRATION_WINDOW * 2**high_fails
            else:
                low, high = -math.inf, math.inf
            value, move = self._search_root(board, depth, moves, low, high)
            if low < value < high:
                return value, move
            low_fails += value <= low
            high_fails += value >= high
"""

RIGHT = [
    (
        "s17-1",
        "",
        "def verdict(value, alpha, beta):\n    if alpha < value < beta:\n"
        "        return 'exact'\n"
        "    return 'upper bound' if value <= alpha else 'lower bound'\n",
    ),
    (
        "s17-1",
        "",
        "from converted_notebooks.s15_transposition_table import Bound, bound_of\n"
        "def verdict(value, alpha, beta):\n"
        "    names = {Bound.EXACT: 'exact', Bound.LOWER: 'lower bound', Bound.UPPER: 'upper bound'}"
        "\n    return names[bound_of(value, alpha, beta)]\n",
    ),
    ("s17-2", _PLIES, "math.floor(math.log(depth) * math.log(number + 1) / 2 + 1 / 2)"),
    (
        "s17-2",
        "",
        "def log_reduction(depth, number):\n"
        "    late = depth > 2 and number > 2\n"
        "    plies = (1 + math.log(depth) * math.log1p(number)) // 2\n"
        "    return min(int(plies), depth - 2) if late else 0\n",
    ),
    (
        "s17-4",
        "",
        """
class VerifyingEngine(SelectiveEngine):
    def _null_move_refutes(self, board, depth, beta):
        passed = super()._null_move_refutes(board, depth, beta)
        less = depth - NULL_REDUCTION
        return passed and QuiescenceEngine._search(self, board, less, beta - 1, beta)[0] >= beta
""",
    ),
    (
        "s17-4",
        _TRY,
        "        try:\n            value, _ = self._search(board, less, beta - 1, beta)\n"
        "        finally:\n            self._forbidden = -1\n        return value >= beta\n",
    ),
    (
        "s17-4",
        "",
        """
class VerifyingEngine(SelectiveEngine):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.verified = set()
    def _null_move_refutes(self, board, depth, beta):
        here = len(board.move_stack)
        if here in self.verified or not super()._null_move_refutes(board, depth, beta):
            return False
        self.verified.add(here)
        try:
            value, move = self._search(board, depth - NULL_REDUCTION, beta - 1, beta)
            return value >= beta
        finally:
            self.verified.discard(here)
""",
    ),
]
WRONG = [
    ("s17-1", "value <= alpha", "value < alpha", "alpha itself"),
    ("s17-1", "value >= beta", "value > beta", "beta itself"),
    ("s17-1", "value <= alpha", "value >= beta", "alpha itself"),
    ("s17-1", "value <= alpha", "value <= alpha + 1", "In a null window"),
    ("s17-1", 'return "upper bound"', 'return "lower bound"', "only an upper bound"),
    ("s17-1", '"lower bound" if value >= beta else "exact"', '"exact"', "was cut off"),
    ("s17-2", _EARLY, "depth < 3 or number <= 3", "the fourth move has the number 3"),
    ("s17-2", _EARLY, "depth <= 3 or number < 3", "three plies left"),
    ("s17-2", _EARLY, "depth < 3", "nothing is reduced"),
    ("s17-2", "number + 1", "number", "number + 1"),
    ("s17-2", _PLIES, "round(0.5 + math.log(depth) * math.log(number + 1) / 2)", "do not round"),
    ("s17-2", "0.5 + ", "", "add 0.5"),
    ("s17-2", "int(0.5", "(0.5", "whole number"),
    ("s17-2", _PLIES, "int(0.5 + math.log2(depth) * math.log2(number + 1) / 2)", "not of base 2"),
    ("s17-2", "min(plies, depth - 2)", "plies", "one ply at least"),
    ("s17-3", "below *= 2", "below = math.inf", "Double the distance"),
    ("s17-3", _FAILED, "            below *= 2\n            above *= 2\n", "the other stays"),
    ("s17-3", "and depth > 2", "and depth > 0", "as before"),
    ("s17-3", "above = self.ASPIRATION_WINDOW", "above = 40", "as wide as"),
    ("s17-4", "here == self._forbidden or not", "not", "passed 3 times"),
    ("s17-4", "here = len(board.move_stack)", "here = 0", "never passes"),
    ("s17-4", _SECOND, "True", "is fooled by the pass"),
    ("s17-4", "return False", "return True", "is fooled by the pass"),
    ("s17-4", _SECOND, _SECOND.replace(">=", ">"), "Only if it reaches beta too"),
    ("s17-4", "less = depth - NULL_REDUCTION", "less = depth", "with depth 3"),
    ("s17-4", "            self._forbidden = -1", "            pass", "may pass again"),
    ("s17-4", _SECOND, "self._value(board, less, beta - 1, beta) >= beta", "from the table"),
    (
        "s17-4",
        _TRY,
        f"        found = {_SECOND}\n        self._forbidden = -1\n        return found",
        "After a limit has stopped",
    ),
]
SLOW = [
    ("s17-3", "", _WIDENING),
    ("s17-3", "if failures == 4:", "if failures >= 4:"),
    ("s17-3", "* (1 if board.turn else -1)", "", "the window should be"),
    (
        "s17-3",
        "            if value <= low:",
        "            if value >= high:",
        "Double the distance",
    ),
    ("s17-3", "failures += 1", "middle = value", "Double the distance"),
    (
        "s17-3",
        "failures += 1",
        "failures = self.failed = getattr(self, 'failed', 0) + 1",
        "of each iteration anew",
    ),
    ("s17-3", "if failures == 4:", "if failures == 7:", "open both sides"),
    (
        "s17-3",
        "",
        _WIDENING.replace("low_fails + high_fails < 4", "low_fails < 4 and high_fails < 4"),
        "then open both sides",
    ),
    ("s17-3", "if failures == 4:", "if failures == 1:", "Double the distance"),
    ("s17-3", "below *= 2", "pass", "Double the distance"),
    ("s17-3", "Selection.ASPIRATION in self.selection\n            and ", "", "Without Selection"),
    ("s17-3", "if low < value < high:", "if low <= value <= high:", "the score is"),
    (
        "s17-3",
        "            failures += 1\n",
        "            failures += 1\n            if failures == 4:\n"
        "                return value, move\n",
        "lies on a bound",
    ),
]
