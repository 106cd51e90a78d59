"""Answers to the exercises of s22: the solution with one place changed, or another one."""

_SLOW = """
def hanging(board):
    from converted_notebooks.s16_quiescence_search import static_exchange

    plain = chess_board(board)
    plain.push(chess.Move.null())
    return {
        m.to_square
        for m in plain.generate_legal_captures()
        if not m.promotion and not plain.is_en_passant(m) and static_exchange(plain, m) > 0
    }
"""
_SEARCHER = """
def dearest_part(board, depth):
    most = "", 0
    for part in dataclasses.fields(Parts):
        searcher = Searcher(HashTable(16), FastEvaluator(), Parts(**{part.name: False}))
        searcher.begin(board)
        for _ in deepen(searcher, board, first_order(searcher), range(1, depth + 1)):
            pass
        if searcher.nodes > most[1]:
            most = part.name, searcher.nodes
    return most[0]
"""
_ONE_ENGINE = """
def dearest_part(board, depth):
    engine, nodes = SearchEngine(16), {}
    for part in dataclasses.fields(Parts):
        engine.searcher.parts = Parts(**{part.name: False})
        engine.play(board, chess.engine.Limit(depth=depth))
        nodes[part.name] = engine.searcher.nodes
    return max(nodes, key=nodes.get)
"""
_PARITY = """
class ContemptSearcher(Searcher):
    def draw_value(self, ply):
        return -40 * (-1) ** ply
"""
_BY_TURN = """
class ContemptSearcher(Searcher):
    def begin(self, board, nodes=None, deadline=math.inf):
        self.root = board.turn
        super().begin(board, nodes, deadline)

    def draw_value(self, ply):
        return -40 if self.board.turn == self.root else 40
"""
_SECONDS = """
def dearest_part(board, depth):
    times = {}
    for part in dataclasses.fields(Parts):
        engine = SearchEngine(16, Parts(**{part.name: False}))
        engine.play(board, chess.engine.Limit(depth=depth))
        times[part.name] = engine.last_search.seconds
    return max(times, key=times.get)
"""

RIGHT = [
    ("s22-1", "(plies + 1) // 2", "plies // 2 + 1"),
    ("s22-1", "MATE - abs(score)", "30_000 - abs(score)"),
    ("s22-2", "", _PARITY),
    ("s22-2", "", _BY_TURN),
    ("s22-2", "40 if ply % 2 else -40", "-40 if ply % 2 == 0 else 40"),
    ("s22-3", "", _SLOW),
    ("s22-3", "exchange_wins(board, move, 1)", "not not exchange_wins(board, move, least=1)"),
    ("s22-4", "", _SEARCHER),
    ("s22-4", "SearchEngine(16, ", "SearchEngine(32, "),
]
WRONG = [
    ("s22-1", "<= LONG_MATE", "<= LONG_MATE + 1", "means 500"),
    (
        "s22-4",
        "return engine.searcher.nodes",
        "return engine.iterations[-1].nodes - engine.iterations[-2].nodes",
        "count nodes",
    ),
    ("s22-1", "(plies + 1) // 2", "plies // 2", "means 1, not 0"),
    ("s22-1", "-(plies // 2)", "plies // 2", "means -1, not 1"),
    ("s22-1", "-(plies // 2)", "-((plies + 1) // 2 + 1)", "means"),
    ("s22-1", "return None", "return 0", "means None, not 0"),
    ("s22-1", "(plies + 1) // 2", "plies", "means 2, not 3"),
    ("s22-1", "abs(score) <= LONG_MATE", "abs(score) < LONG_MATE", "29000 means None, not 500"),
    ("s22-1", "(plies + 1) // 2", "(plies + 1) / 2", "Moves are counted: 1, not 1.0"),
    ("s22-2", "40 if ply % 2 else -40", "-40 if ply % 2 else 40", "worth -40 to it, not 40"),
    ("s22-2", "40 if ply % 2 else -40", "-40", "worth -40 to"),
    ("s22-2", "40 if ply % 2 else -40", "40", "worth -40 to"),
    ("s22-2", "40 if ply % 2 else -40", "0", "worth -40 to it, not 0"),
    ("s22-2", "40 if ply % 2 else -40", "60 if ply % 2 else -60", "worth -40 to it, not -60"),
    (
        "s22-3",
        "undo = make_null(board)",
        "undo = make_null(board); unmake_null(board, undo)",
        "not",
    ),
    ("s22-3", "return squares", "return list(squares)", "Return a set of squares"),
    ("s22-3", "    unmake_null(board, undo)\n", "", "The board changed"),
    ("s22-3", "unmake_null(board, undo)", "make_null(board)", "The board changed"),
    ("s22-3", "exchange_wins(board, move, 1)", "exchange_wins(board, move)", "the squares are"),
    ("s22-3", "board, move, 1)", "board, move, 100)", "a little more than a knight"),
    ("s22-3", "square = move >> 6 & 63", "square = move & 63", "the squares are"),
    ("s22-3", " and exchange_wins(board, move, 1)", "", "the squares are"),
    ("s22-3", "not move >> 12 and ", "", "the squares are"),
    ("s22-4", "", _SECONDS, "count nodes"),
    ("s22-4", "max(", "min(", "count nodes"),
    ("s22-4", "", _ONE_ENGINE, "Begin each search with a new engine"),
    ("s22-4", "Limit(depth=depth)", "Limit(depth=depth - 2)", "count nodes"),
    ("s22-4", "Limit(depth=depth)", "Limit(depth=5)", "4 plies in"),
    ("s22-4", "return max(", "return 'without ' + max(", "is no part"),
    ("s22-4", "part: False", "part: True", "count nodes"),
    (
        "s22-4",
        "",
        "def dearest_part(board, depth):\n    return 'late_move_pruning'\n",
        "count nodes",
    ),
]
