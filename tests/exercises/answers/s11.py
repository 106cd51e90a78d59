"""Answers to the exercises of s11: the solution with one place changed, or another one."""

GEOMETRIC = """
def price(branching, depth):
    if branching == 1:
        return depth
    return (branching ** (depth + 1) - branching) / ((branching - 1) * branching**depth)
"""
FROM_THE_END = """
def price(branching, depth):
    total = 0.0
    for _ in range(depth):
        total = 1 + total / branching
    return total
"""
ONE_PAIR = """
FENS = tuple(f"4k3/8/8/2pPp3/8/8/8/4K3 w - {square} 0 2" for square in ("c6", "e6"))
TURN = tuple(f"4k3/8/8/8/8/8/8/4K2R {side} - - 0 1" for side in "wb")
confused = dict.fromkeys(("turn", "castling", "rows"), FENS)
"""
LINES = """
def info_lines(engine, board):
    white, result = board.turn == chess.WHITE, []
    for found in engine.iterations:
        pawns = found.best.score if white else -found.best.score
        if pawns >= 100:
            words = f"mate {found.depth // 2 + found.depth % 2}"
        elif pawns <= -100:
            words = f"mate -{(found.depth + 1) // 2}"
        else:
            words = f"cp {round(pawns * 100)}"
        result.append(
            f"info depth {found.depth} score {words} nodes {found.nodes} pv {found.best.move}"
        )
    return result
"""
THRIFTY = """
class ThriftyEngine(IterativeAlphaBetaCached):
    def _begin(self, copy):
        super()._begin(copy)
        self.new = {}

    def _start_iteration(self, board, depth):
        super()._start_iteration(board, depth)
        self.new = {}

    def _evaluate_move(self, board, move, depth):
        entry = super()._evaluate_move(board, move, depth)
        self.new[move] = entry
        return entry

    def analyse(self, board, limit=None):
        self.new = {}
        old = super().analyse(board, limit)
        if not self.iterations:
            return old
        white = board.turn == chess.WHITE
        new = sorted(self.new.values(), key=lambda e: -e.score if white else e.score)
        return new + [e for e in old if e.move not in self.new]
"""
DEEPER = """
def deeper_cache(search):
    @functools.wraps(search)
    def cached(self, board, depth, alpha, beta):
        quiet = board.halfmove_clock + depth < SHORTEST_THREEFOLD
        if depth < 1 or not (quiet or getattr(self, "history_is_safe", False)):
            return search(self, board, depth, alpha, beta)
        table = self.__dict__.setdefault("deeper", {})
        key = position_key(board)
        entry = table.get(key)
        if entry and entry[0] >= depth:
            _, low, high = entry
            if low >= beta or low == high:
                self.statistics.cache_hits += 1
                return low
            if high <= alpha:
                self.statistics.cache_hits += 1
                return high
        value = search(self, board, depth, alpha, beta)
        entry = table.get(key)
        if not entry or entry[0] < depth:
            entry = (depth, -math.inf, math.inf)
        if entry[0] == depth:
            _, low, high = entry
            table[key] = (
                depth,
                max(low, value) if value > alpha else low,
                min(high, value) if value < beta else high,
            )
        return value

    return cached
"""

RIGHT = [
    ("s11-1", "", GEOMETRIC),
    ("s11-1", "", FROM_THE_END),
    (
        "s11-2",
        '"4k3/8/8/8/8/8/8/4K2R w - - 0 1",\n        "4k3/8/8/8/8/8/8/4K2R b - - 0 1"',
        '"7k/8/8/8/8/8/8/K7 w - - 0 1", "7k/8/8/8/8/8/8/K7 b - - 5 9"',
    ),
    ("s11-2", "4K2R w K - 0 1", "4K2R w K - 3 7"),
    ("s11-3", "", LINES),
    ("s11-4", "0.95 * clock if moves_left <= 1", "clock if moves_left <= 1"),
    (
        "s11-4",
        "",
        "def share(clock, increment, moves_left):\n"
        "    return clock / moves_left if moves_left < 2 else min(clock / moves_left, clock / 2)",
    ),
    ("s11-5", "", THRIFTY),
    ("s11-5", "reverse=board.turn == chess.WHITE", "reverse=board.turn"),
    ("s11-6", "", DEEPER),
    ("s11-6", "if stored <= depth:", "if not stored > depth:"),
]

PRICE = "def price(branching, depth):\n    return "
SHARE = "def share(clock, increment, moves_left):\n    return "
WRONG = [
    ("s11-1", "range(1, depth + 1)", "range(1, depth)", "the last one too"),
    ("s11-1", "range(1, depth + 1)", "range(depth + 1)", "All iterations from 1"),
    ("s11-1", "/ branching**depth", "", "divide by its 20 leaves"),
    ("s11-1", "", PRICE + "branching / (branching - 1)", "expected 1.0000"),
    ("s11-1", "", PRICE + "depth", "2 moves, depth 2"),
    ("s11-2", "4K2R b - - 0 1", "4K2R w - - 0 1", "turn: the two positions are the same"),
    ("s11-2", "4K2R w K - 0 1", "4K2R b K - 0 1", "the bad key tells these two apart"),
    ("s11-2", "4K2R w K - 0 1", "4K1R1 w K - 0 1", "no legal position"),
    ("s11-2", "2pPp3/8/8/8/4K3 w - c6", "3Pp3/8/8/8/4K3 w - c6", "no legal position"),
    ("s11-2", "4K3 w - c6 0 2", "4K3 w - e6 0 2", "rows: the two positions are the same"),
    ("s11-2", '"rows"', '"row"', "no pair for 'rows'"),
    ("s11-2", "", ONE_PAIR, "leaves out, the side to move"),
    ("s11-2", "", ONE_PAIR + 'confused["turn"] = TURN\n', "leaves out, the right to castle"),
    ("s11-3", "PLAYER_MULTIPLIER[board.turn] * iteration", "iteration", "side to move, Black"),
    ("s11-3", "round(100 * mine)", "int(100 * mine)", "score +9.7 in White's view"),
    ("s11-3", "round(100 * mine)", "mine", "in centipawns"),
    ("s11-3", "round(100 * mine)", "round(mine)", "in centipawns"),
    ("s11-3", "round(100 * mine)", "100 * round(mine)", "score +1.5 in White's view"),
    ("s11-3", "round(100 * mine)", "100 * int(mine)", "score +1.5 in White's view"),
    ("s11-3", "round(100 * mine)", "round(100 * round(mine, 1))", "score +0.75 in White's view"),
    ("s11-3", "(iteration.depth + 1) // 2", "iteration.depth", "moves to mate"),
    ("s11-3", "moves if mine > 0 else -moves", "moves", "'info depth 2 score mate -1"),
    ("s11-3", "abs(mine) >= engine", "mine >= engine", "mate -1"),
    ("s11-3", "in engine.iterations", "in engine.iterations[-1:]", "but 1 lines"),
    ("s11-3", "best.move.uci()", "best.move.uci()[:2]", "compare the rest"),
    ("s11-4", "0.95 * clock / max(1, moves_left)", "clock / 40", "less than nine tenths"),
    ("s11-4", "else clock / 2", "else clock", "more than half"),
    (
        "s11-4",
        "",
        SHARE + "clock if moves_left <= 1 else clock / 2",
        "and twice an even share",
    ),
    ("s11-4", "", SHARE + "clock / (moves_left + 10)", "less than nine tenths"),
    ("s11-4", "", SHARE + "clock / max(2, moves_left) + (moves_left < 2) * clock", "loses on time"),
    ("s11-4", "", SHARE + "clock / max(2, moves_left) - increment", "no time at all"),
    ("s11-4", "", SHARE + "clock", "more than half"),
    (
        "s11-4",
        "",
        SHARE + "min(clock / moves_left + increment / 2, clock / 2)",
        "less than nine tenths",
    ),
    ("s11-4", "", SHARE + "max(clock - 20, 0) / moves_left + increment / 2", "no time at all"),
    ("s11-5", "reverse=board.turn == chess.WHITE", "reverse=True", "the best comes first"),
    ("s11-5", "sorted(self.tried, reverse=board.turn == chess.WHITE)", "self.tried", "best comes"),
    ("s11-5", "return tried + ", "return tried or ", "every legal move"),
    (
        "s11-5",
        "scored = super().analyse(board, limit)\n",
        "scored = super().analyse(board, limit)\n"
        "        if not self.iterations:\n"
        "            scored = scored[:1] + scored[:0:-1]\n",
        "nothing was finished, so nothing changes",
    ),
    ("s11-5", "if entry.move not in moves", "", "every legal move has to be in the list once"),
    (
        "s11-5",
        "        self.tried: list[ScoredMove] = []\n",
        "        self.tried = getattr(self, 'tried', [])\n",
        "every legal move",
    ),
    ("s11-5", "return tried + [", "return scored + [", "every legal move"),
    ("s11-6", "stored != depth", "False", "were kept beside"),
    ("s11-6", "vars(self)", "vars(deeper_cache)", "a memory of its own"),
    ("s11-6", "stored >= depth and", "stored == depth and", "3 plies deep and then 2"),
    ("s11-6", "stored >= depth and ", "", "got 1"),
    ("s11-6", "value if value > alpha else low", "value", "a bound was taken for a value"),
    ("s11-6", "value if value < beta else high", "value", "a bound was taken for a value"),
    ("s11-6", "self.statistics.cache_hits += 1", "pass", "count one cache hit"),
    (
        "s11-6",
        "safe or board.halfmove_clock + depth < SHORTEST_THREEFOLD",
        "True",
        "a draw by the fifty-move rule",
    ),
    ("s11-6", "if stored <= depth:", "if True:", "has replaced the bounds"),
    (
        "s11-6",
        "safe or board.halfmove_clock + depth < SHORTEST_THREEFOLD",
        "safe or board.halfmove_clock + depth < 100",
        "for the third time",
    ),
    ("s11-6", "key = position_key(board)", "key = position_key(board), depth", "then 2"),
    ("s11-6", "key = position_key(board)", "key = board.fen()", "move counters"),
    ("s11-6", "depth < 1 or not", "not", "at the depth limit"),
    (
        "s11-6",
        """if depth < 1 or not (
            safe or board.halfmove_clock + depth < SHORTEST_THREEFOLD
        ):
            return search(self, board, depth, alpha, beta)
        known = vars(self).setdefault("_deeper", {})
        key = position_key(board)
        stored, low, high = known.get(key, (0, *UNKNOWN))
        if stored""",
        """if depth < 1:
            return search(self, board, depth, alpha, beta)
        known = vars(self).setdefault("_deeper", {})
        key = position_key(board)
        stored, low, high = known.get(key, (0, *UNKNOWN))
        if board.halfmove_clock + depth < SHORTEST_THREEFOLD and stored""",
        "was stored",
    ),
]
