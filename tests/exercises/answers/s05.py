"""Answers to the exercises of s05: the solution with one place changed."""

PUSHED = """
def chance_of_mate(board):
    mates = moves = 0
    for move in list(board.legal_moves):
        board.push(move)
        mates += board.is_checkmate()
        board.pop()
        moves += 1
    return Fraction(mates, moves or 1)
"""
COPIED = """
def chance_of_mate(board):
    mating = 0
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        mating += after.is_checkmate()
    return Fraction(mating, max(1, board.legal_moves.count()))
"""
BY_PIECE = """
def random_piece_move(board, rng):
    moves = {}
    for move in board.legal_moves:
        moves.setdefault(move.from_square, []).append(move)
    squares = list(moves)
    rng.shuffle(squares)
    return moves[squares[0]][rng.randrange(len(moves[squares[0]]))]
"""
TRIED = """
def random_piece_move(board, rng):
    while True:
        square = rng.choice(list(chess.SquareSet(board.occupied_co[board.turn])))
        moves = list(board.generate_legal_moves(from_mask=chess.BB_SQUARES[square]))
        if moves:
            return rng.choice(moves)
"""
SQUARE = "square = rng.choice(sorted({move.from_square for move in moves}))"
GREEDY = """
class GreedyRandomEngine(RandomEngine):
    def play(self, board, limit=None):
        moves = list(board.legal_moves)
        captures = [move for move in moves if board.is_capture(move)]
        return chess.engine.PlayResult(self.rng.choice(captures or moves), None)
"""
GENERATED = """
class GreedyRandomEngine(RandomEngine):
    def play(self, board, limit=None):
        captures = list(board.generate_legal_captures())
        if not captures:
            return super().play(board, limit)
        return chess.engine.PlayResult(captures[self.rng.randrange(len(captures))], None)
"""
HUNT = """
def quickest_mate(seeds):
    engine = RandomEngine(random.Random())
    games = [(seed, play_game(engine, engine, seed=seed)) for seed in seeds]
    mates = [(seed, game.plies) for seed, game in games if game.board.is_checkmate()]
    return min(mates, key=lambda pair: pair[1], default=None)
"""
IS_CAPTURE = "board.is_capture(move)"
CHOICE = "self.rng.choice(captures or moves)"

RIGHT = [
    ("s05-1", "", PUSHED),
    ("s05-1", "", COPIED),
    ("s05-2", "", BY_PIECE),
    ("s05-2", "", TRIED),
    (
        "s05-3",
        "    games = 2\n",
        "    games = 2 * math.ceil(1.96**2 * (1 / (4 * margin**2) - 1) / 2 - 1e-9)\n"
        "    return max(2, games)\n",
    ),
    (
        "s05-3",
        "0.5 - wilson_interval(games // 2, games)[0] > margin",
        "score_interval(games // 2, 0, games // 2)[1] - 0.5 > margin",
    ),
    ("s05-4", "", GENERATED),
    (
        "s05-4",
        "",
        GREEDY.replace(
            IS_CAPTURE,
            "board.color_at(move.to_square) == (not board.turn) or board.is_en_passant(move)",
        ),
    ),
    ("s05-5", "best[1] - 1 if best else None", "None if best is None else best[1] - 1"),
    ("s05-5", 'if record.termination == "checkmate":', 'if record.result in ("1-0", "0-1"):'),
]
WRONG = [
    ("s05-5", "", HUNT, "break off the second one"),
    (
        "s05-5",
        "best[1] - 1 if best else None",
        "min(best[1] - 1, 200) if best else 200",
        "not None. A shorter drawn game",
    ),
    (
        "s05-4",
        "",
        GREEDY.replace("captures or", "captures + list(board.generate_legal_ep()) or"),
        "a capture like any other",
    ),
    ("s05-3", "games += 2", "games += 20", "more than needed"),
    (
        "s05-4",
        "if board.is_capture(move)",
        "if board.is_capture(move) and move.to_square",
        "a1 is 0",
    ),
    ("s05-1", "return Fraction(sum", "return 0.05 or Fraction(sum", "Return a Fraction"),
    ("s05-1", '"#" in board.san(move)', "board.gives_check(move)", "Not every check is mate"),
    ("s05-1", " if mates else Fraction(0)", "", "there is no legal move"),
    ("s05-1", "", PUSHED.replace("        board.pop()\n", ""), "every move that you push popped"),
    (
        "s05-1",
        "",
        PUSHED.replace("board.is_checkmate()", "not any(board.legal_moves)"),
        "stalemate",
    ),
    ("s05-1", "", PUSHED.replace("legal_moves", "pseudo_legal_moves"), "pseudo-legal"),
    ("s05-1", "sum(mates)", "any(mates)", "not only one"),
    (
        "s05-1",
        "for move in board.legal_moves",
        "for move in board.legal_moves if not board.is_castling(move)",
        "castling, en passant and all promotions",
    ),
    (
        "s05-1",
        "for move in board.legal_moves",
        "for move in board.legal_moves if move.promotion in (None, chess.QUEEN)",
        "castling, en passant and all promotions",
    ),
    ("s05-1", "Fraction(sum(mates), len(mates))", "Fraction(sum(mates))", "Divide by the number"),
    (
        "s05-1",
        "Fraction(sum(mates), len(mates))",
        "1 - Fraction(sum(mates), len(mates))",
        "does not mate",
    ),
    ("s05-2", "rng.choice(sorted(", "random.choice(sorted(", "the whole program shares"),
    ("s05-2", "return rng.choice([", "return random.choice([", "the whole program shares"),
    ("s05-2", SQUARE, f"rng = random.Random(7)\n    {SQUARE}", "come again and again"),
    ("s05-2", SQUARE, f"rng = random.Random()\n    {SQUARE}", "The same seed gives different"),
    (
        "s05-2",
        "rng.choice(sorted({move.from_square for move in moves}))",
        "rng.choice(moves).from_square",
        "counts once",
    ),
    (
        "s05-2",
        SQUARE,
        "square = rng.choice(list(chess.SquareSet(board.occupied_co[board.turn])))\n"
        "    moves = [m for m in moves if m.from_square == square] or moves\n"
        "    square = rng.choice(moves).from_square",
        "one that cannot does not count",
    ),
    (
        "s05-2",
        "moves = list(board.legal_moves)",
        "moves = list(board.pseudo_legal_moves)",
        "which is not legal",
    ),
    (
        "s05-2",
        SQUARE,
        "kind = rng.choice(sorted({board.piece_type_at(m.from_square) for m in moves}))\n"
        "    moves = [m for m in moves if board.piece_type_at(m.from_square) == kind]\n"
        "    square = rng.choice(moves).from_square",
        "not a kind",
    ),
    ("s05-2", "== square])", "== square]).uci()", "Expected a chess.Move"),
    ("s05-2", "return rng.choice([", "rng.choice([", "Expected a chess.Move, not None"),
    (
        "s05-3",
        "games // 2, games)[0] > margin",
        "games // 2, games)[0] > margin / 2",
        "not all of it",
    ),
    ("s05-3", "wilson_interval(games // 2, games)", "score_interval(0, games, 0)", "drawn"),
    (
        "s05-3",
        "    games = 2\n",
        "    return math.ceil(1.96**2 * (1 / (4 * margin**2) - 1))\n",
        "is not even",
    ),
    ("s05-3", "games = 2", "games = 4", "first number"),
    ("s05-3", "return games", "return games + 2", "first number"),
    ("s05-3", "return games", "return games - 2", "first number"),
    (
        "s05-3",
        "    games = 2\n",
        "    return 2 * math.ceil((0.98 / margin) ** 2 / 2)\n",
        "leaves out",
    ),
    ("s05-3", "return games", "return float(games)", "a whole number"),
    ("s05-4", "", GREEDY.replace(IS_CAPTURE, "board.piece_at(move.to_square)"), "en passant"),
    ("s05-4", "", GREEDY.replace("board.legal_moves", "board.pseudo_legal_moves"), "pinned"),
    ("s05-4", "", GREEDY.replace("self.rng", "random"), "the whole program shares"),
    ("s05-4", "", GREEDY.replace("self.rng", "random.Random(3)"), "come again and again"),
    ("s05-4", "", GREEDY.replace(CHOICE, "(captures or [self.rng.choice(moves)])[0]"), "again and"),
    ("s05-4", "", GREEDY.replace("captures or moves", "captures + moves"), "if there is one"),
    ("s05-4", "", GREEDY.replace("captures or moves", "captures or moves[:5]"), "Without a"),
    (
        "s05-4",
        "",
        GREEDY.replace(
            "captures or moves",
            "sorted(captures, key=lambda m: board.piece_type_at(m.to_square) or 1)[-2:] or moves",
        ),
        "any of four pieces",
    ),
    (
        "s05-4",
        "",
        GREEDY.replace(
            "captures or moves",
            "[m for m in captures if board.piece_type_at(m.to_square) == 5] or captures or moves",
        ),
        "same chance as a pawn",
    ),
    (
        "s05-4",
        "",
        GREEDY.replace(IS_CAPTURE, "board.piece_at(move.to_square) or move.promotion"),
        "en passant",
    ),
    (
        "s05-4",
        "",
        GREEDY.replace(
            IS_CAPTURE, IS_CAPTURE + " and board.piece_type_at(move.from_square) != chess.KING"
        ),
        "The king captures",
    ),
    ("s05-5", "(engine, engine", "(engine, RandomEngine(random.Random())", "both"),
    ("s05-5", ", seed=seed", "", "is the seed passed"),
    ("s05-5", "best[1] - 1 if", "best[1] if", "equally short"),
    ("s05-5", "best[1] - 1 if", "best[1] - 2 if", "one ply shorter"),
    ("s05-5", "(seed, record.plies)", "(record.plies, seed)", "The seed comes first"),
    ("s05-5", 'record.termination == "checkmate"', 'record.result != "*"', "does not count"),
    ("s05-5", 'record.termination == "checkmate"', 'record.result == "1-0"', "Black's mates"),
    ("s05-5", "        if record.term", "        if not best and record.term", "one ply shorter"),
    ("s05-5", "best: tuple[int, int] | None = None", "best = (0, 1000)", "return None"),
]
