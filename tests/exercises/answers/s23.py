"""Answers to the exercises of s23: the solution with one place changed, or another one."""

_WHILE = """
def lasts(plan, clock, increment, lag):
    moves = 0
    while moves < 300 and (left := clock - plan(clock, increment) - lag) > 0:
        clock, moves = left + increment, moves + 1
    return moves
"""
_TRY = """
def guess(engine):
    try:
        return engine.last_search.line[1]
    except (AttributeError, IndexError):
        return None
"""
_SETS = """
def settled(iterations, count, margin):
    if len(iterations) < count:
        return False
    last = iterations[len(iterations) - count :]
    scores = sorted(i.best.score for i in last)
    return len({i.best.move for i in last}) == 1 and scores[-1] - scores[0] <= margin
"""
_LIST = """
class ResigningEngine(Engine):
    def __init__(self, engine, margin, moves):
        self.engine, self.margin, self.moves, self.row = engine, margin, moves, []
        self.mate_score, self.pawn_value = engine.mate_score, engine.pawn_value

    def new_game(self, rng=None):
        self.row = []
        self.engine.new_game(rng)

    def play(self, board, limit=None):
        result = self.engine.play(board, limit)
        self.iterations, found = self.engine.iterations, self.engine.last_search
        sign = 1 if board.turn else -1
        limit = -self.margin * self.pawn_value / 100
        self.row.append(found is not None and sign * found.best.score <= limit)
        if len(self.row) >= self.moves and all(self.row[-self.moves :]):
            return chess.engine.PlayResult(None, None, resigned=True)
        return result

    def analyse(self, board, limit=None):
        return self.engine.analyse(board, limit)

    def stop(self):
        self.engine.stop()

    def close(self):
        self.engine.close()
"""
_PAIRS = """
def settled(iterations, count, margin):
    last = list(iterations)[-count:]
    return len(last) >= count and all(
        a.best.move == b.best.move and abs(a.best.score - b.best.score) <= margin
        for a in last
        for b in last
    )
"""

RIGHT = [
    ("s23-1", "", _WHILE),
    (
        "s23-1",
        "clock -= plan(clock, increment) + lag",
        "clock = clock - lag - plan(clock, increment)",
    ),
    ("s23-2", "", _TRY),
    ("s23-2", "len(found.line) < 2", "not found.line[1:]"),
    ("s23-3", "", _SETS),
    ("s23-3", "", _PAIRS),
    ("s23-3", "any(i.changed for i in last[1:])", "sum(i.changed for i in last[1:])"),
    ("s23-4", "", _LIST),
    (
        "s23-4",
        "* 100 / self.pawn_value",
        "/ self.engine.pawn_value * 100",
    ),
    ("s23-4", "self.bad + 1 if lost else 0", "(self.bad + 1) * bool(lost)"),
    (
        "s23-4",
        "        self.bad = 0\n\n",
        "        self.bad = 0\n        self.iterations = engine.iterations\n\n",
    ),
    (
        "s23-5",
        "board.copy(stack=False)\n            without.remove_piece_at(square)",
        "board.copy()\n            without.set_piece_at(square, None)",
    ),
    ("s23-5", "without = board.copy(stack=False)", "without = chess.Board(board.fen())"),
]
WRONG = [
    (
        "s23-3",
        "max(scores) - min(scores) <= margin",
        "all(abs(s - scores[-1]) <= margin for s in scores)",
        "two scores 30 apart",
    ),
    (
        "s23-4",
        "PLAYER_MULTIPLIER[board.turn] * 100",
        "vars(self).setdefault('sign', PLAYER_MULTIPLIER[board.turn]) * 100",
        "the other colour",
    ),
    ("s23-4", " * 100 / self.pawn_value", "", "is -700 centipawns"),
    ("s23-1", "<= 0", "< 0", "10.0 s"),
    (
        "s23-1",
        "            return moves\n",
        "            return moves + 1\n",
        "9 moves are made, not 10",
    ),
    ("s23-1", "range(300)", "range(299)", "299 moves are made, not 300"),
    ("s23-1", "for moves in range(300)", "for moves in iter(int, 1)", "end the loop there"),
    ("s23-1", "+ lag", "", "lag 1.0 s"),
    ("s23-1", "clock += increment", "clock += 0", "a second back"),
    (
        "s23-1",
        "plan(clock, increment) + lag",
        "plan(clock, increment) + lag - increment",
        "paid for",
    ),
    ("s23-1", "plan(clock, inc", "plan(clock + increment, inc", "four seconds back"),
    ("s23-1", "plan(clock, increment)", "plan(clock, 0)", "a plan that spends the increment"),
    ("s23-2", "found is None or ", "", "NoneType"),
    ("s23-2", " or len(found.line) < 2", "", "index"),
    ("s23-2", "found.line[1]", "found.line[0]", "not e2e4"),
    ("s23-2", "found.line[1]", "found.line[-1]", "After a line of 3"),
    ("s23-2", "len(found.line) < 2", "len(found.line) < 3", "After a line of 2"),
    ("s23-3", "len(last) == count\n        and ", "", "only three iterations"),
    ("s23-3", "last[1:]", "last", "three times the same"),
    ("s23-3", "last[1:]", "last[-1:]", "one iteration, and one"),
    ("s23-3", "<= margin", "< margin", "three times the same"),
    ("s23-3", "max(scores) - min(scores)", "scores[-1] - scores[0]", "a score that falls"),
    ("s23-3", "max(scores) - min(scores)", "abs(scores[-1] - scores[0])", "jumps and comes back"),
    (
        "s23-3",
        "    return (\n",
        "    spread = max(scores) - min(scores)\n    return (\n",
        "empty sequence",
    ),
    ("s23-3", "<= margin\n    )", "<= margin\n    ) + 0", "Say True or False"),
    ("s23-4", "rng: random.Random | None = None", "rng: random.Random | None", "new_game"),
    ("s23-4", "PLAYER_MULTIPLIER[board.turn] * 100", "100", "three bad scores for Black"),
    ("s23-4", "<= -self.margin", "< -self.margin", "at move 3 it should resign"),
    ("s23-4", "self.bad + 1 if lost else 0", "self.bad + lost", "the third score is good enough"),
    (
        "s23-4",
        "        self.bad = 0\n        self.engine.new_game",
        "        self.engine.new_game",
        "count begins again",
    ),
    ("s23-4", ">= self.moves", "> self.moves", "at move 3 it should resign"),
    ("s23-4", ">= self.moves", "== self.moves", "four bad moves in a row"),
    ("s23-4", ">= self.moves", ">= 3", "a score of -100 is enough"),
    ("s23-4", "-self.margin", "-700", "a score of -100 is enough"),
    ("s23-4", "PlayResult(None,", "PlayResult(result.move,", "A side that resigns makes no move"),
    (
        "s23-4",
        "self.engine.analyse(board, limit)",
        "self.engine.analyse(board)",
        "`analyse` passes",
    ),
    (
        "s23-4",
        "        return result",
        "        return chess.engine.PlayResult(list(board.legal_moves)[-1], None)",
        "engine's move",
    ),
    ("s23-4", "        self.iterations = self.engine.iterations\n", "", "`iterations` are those"),
    (
        "s23-4",
        "self.pawn_value = engine.mate_score, engine.pawn_value",
        "_ = 1, 2",
        "`pawn_value` are",
    ),
    ("s23-4", "self.engine.stop()", "pass", "`stop` has to reach"),
    ("s23-4", "self.engine.close()", "pass", "`close` has to reach"),
    ("s23-4", "self.engine.play(board, limit)", "self.engine.play(board)", "limit is passed on"),
    (
        "s23-5",
        "judge.unsoftened(NumberBoard(without))",
        "judge.evaluate(NumberBoard(without))",
        "worth",
    ),
    (
        "s23-5",
        "NetworkEvaluator(), {}",
        "NetworkEvaluator(), {}\n    unsoftened = judge.unsoftened\n    "
        "judge.unsoftened = lambda b: softened(unsoftened(b))",
        "`unsoftened` scores",
    ),
    ("s23-5", "piece.piece_type != chess.KING", "True", "that are no kings"),
    ("s23-5", "found[square]", "found[chess.square_name(square)]", "numbers such as chess.E4"),
    ("s23-5", "piece.piece_type != chess.KING", "piece.color", "that are no kings"),
    ("s23-5", "less if piece.color == board.turn else -less", "less", "look at the sign"),
    (
        "s23-5",
        "less if piece.color == board.turn else -less",
        "less if piece.color else -less",
        "look at the sign",
    ),
    ("s23-5", "without = board.copy(stack=False)", "without = board", "this piece only"),
    (
        "s23-5",
        "            less = whole",
        "            without.turn = not board.turn\n            less = whole",
        "leave the side to move",
    ),
]
