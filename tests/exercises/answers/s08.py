"""Answers to the exercises of s08: the solution with one place changed."""

_VIEWS = "def to_white(score, board):\n    "
_BISHOPS = """
class BishopPairEvaluator(Evaluator):
    def heuristic(self, board):
        """
_STEPS = """
class PawnStepEvaluator(Evaluator):
    def heuristic(self, board):
        """
_HUNT = "def first_failure(evaluator, rng, most):\n    "
_OWN = """
class MyEvaluator(Evaluator):
    """
_COMPARED = (
    _HUNT + "for board in random_positions(most, rng):\n"
    "        here, there = map(evaluator.heuristic, (board, board.mirror()))\n"
    "        if {} != {}:\n"
    "            return board\n"
    "    return None\n"
)
_JUDGE = (
    _OWN + "def evaluate(self, board):\n"
    "        if board.is_checkmate():\n"
    "            return {}\n"
    "        return {} if {} else None\n\n"
    "    def heuristic(self, board):\n"
    "        return super().heuristic(board) - 0.5 * board.is_check()\n"
)

WRONG = [
    ("s08-1", "return PLAYER_MULTIPLIER[board.turn] * score", "return score", "White does not"),
    ("s08-1", "return PLAYER_MULTIPLIER[board.turn] * score", "return -score", "the same"),
    (
        "s08-1",
        "return PLAYER_MULTIPLIER[board.turn] * score",
        "return PLAYER_MULTIPLIER[not board.turn] * score",
        "the same",
    ),
    ("s08-1", "to_side = to_white", "def to_side(score, board):\n    return score", "Black, who"),
    (
        "s08-1",
        "return PLAYER_MULTIPLIER[board.turn] * score",
        "return abs(score) if board.turn else -abs(score)",
        "With White to move both views are the same",
    ),
    ("s08-2", ">= 2", "== 2", "expected 9.5"),
    (
        "s08-2",
        "len(board.pieces(chess.BISHOP, colour)) >= 2",
        "len(board.pieces(chess.BISHOP, colour)) // 2",
        "expected 12.5",
    ),
    ("s08-2", "super().heuristic(board) + 0.5", "0.5", "The material counts as well"),
    ("s08-2", "(board.turn, not board.turn)", "chess.COLORS", "the side to move"),
    ("s08-2", "(mine - theirs)", "mine", "Look at both sides"),
    (
        "s08-2",
        "len(board.pieces(chess.BISHOP, colour)) >= 2",
        "len({(square >> 3) + square & 1 for square in board.pieces(chess.BISHOP, colour)}) == 2",
        "expected 6.5",
    ),
    ("s08-2", "0.5 * (mine - theirs)", "0.25 * (mine - theirs)", "expected 6.5"),
    (
        "s08-2",
        "",
        _BISHOPS + "pairs = [len(board.pieces(chess.BISHOP, c)) // 2 for c in (True, False)]\n"
        "        return PLAYER_MULTIPLIER[board.turn] * (\n"
        "            super().heuristic(board) + 0.5 * (pairs[0] - pairs[1]))\n",
        "the side to move",
    ),
    ("s08-3", "6 - chess.square_rank(square)", "chess.square_rank(square) - 1", "expected"),
    ("s08-3", "chess.square_rank(square) - 1", "chess.square_rank(square)", "expected"),
    ("s08-3", "PLAYER_MULTIPLIER[board.turn] * (white - black)", "white - black", "side to move"),
    ("s08-3", "(white - black)", "(white + black)", "expected"),
    ("s08-3", "super().heuristic(board) + 0.1", "0.1", "The material counts as well"),
    ("s08-3", "0.1 * steps", "steps", "expected"),
    (
        "s08-3",
        "white = sum(\n            chess.square_rank(square) - 1\n"
        "            for square in board.pieces(chess.PAWN, chess.WHITE)\n        )",
        "ranks = {chess.square_rank(s) - 1 for s in board.pieces(chess.PAWN, chess.WHITE)}\n"
        "        white = sum(ranks)",
        "expected 3.6",
    ),
    (
        "s08-3",
        "",
        _STEPS + "score = super().heuristic(board)\n"
        "        for square in board.pieces(chess.PAWN, board.turn):\n"
        "            rank = chess.square_rank(square)\n"
        "            score += 0.1 * (rank - 1 if board.turn else 6 - rank)\n"
        "        return score\n",
        "Look at both sides",
    ),
    ("s08-4", "(board for", "(chess.Board() for", "Return the first position that fails"),
    ("s08-4", "most, rng", "most, random.Random(2)", "Return the first position that fails"),
    ("s08-4", "(board for", "(board.mirror() for", "not its mirror"),
    ("s08-4", "most, rng", "10**4, rng", "None"),
    ("s08-4", "(board for board, _, _ in failures)", "failures", "Return a position"),
    ("s08-4", "None)", "chess.Board())", "return None"),
    (
        "s08-4",
        "",
        _HUNT + "failures = list(mirror_failures(evaluator, random_positions(most, rng)))\n"
        "    return failures[0][0] if failures else None\n",
        "Stop at the first failure",
    ),
    ("s08-4", "", _COMPARED.format("round(here)", "round(there)"), "its `heuristic` gives 0.01"),
    ("s08-4", "", _COMPARED.format("here", "there"), "its `evaluate` gives 0.01"),
    (
        "s08-4",
        "",
        _HUNT + "for board in random_positions(most, rng):\n"
        "        if any(mirror_failures(evaluator, [board], tolerance=0)):\n"
        "            return board\n"
        "    return None\n",
        "that is rounding",
    ),
    (
        "s08-4",
        "next((board for board, _, _ in failures), None)",
        "next(board for board, _, _ in failures)",
        "StopIteration",
    ),
    ("s08-5", "1 if colour == board.turn else -1", "1 if colour else -1", "mirror test fails"),
    ("s08-5", "sign * 0.15", "0.0", "add an idea of your own"),
    ("s08-5", "score = super().heuristic(board)", "score = 0.0", "A queen more"),
    ("s08-5", "score += sign * 0.15 * hits", "score += 0.15", "in every position"),
    (
        "s08-5",
        "",
        _OWN + "def heuristic(self, board):\n        return 2 * super().heuristic(board)\n",
        "just as Evaluator does",
    ),
    ("s08-5", "", _JUDGE.format("-self.value_checkmate", "0", "is_draw(board)"), "value_draw"),
    (
        "s08-5",
        "",
        _JUDGE.format("-self.value_checkmate", "-self.value_draw", "is_draw(board)"),
        "Stalemate gets value_draw",
    ),
    (
        "s08-5",
        "",
        _JUDGE.format("-self.value_checkmate", "self.value_draw", "board.is_stalemate()"),
        "lack of material",
    ),
    (
        "s08-5",
        "",
        _JUDGE.format(
            "-PLAYER_MULTIPLIER[not board.turn] * self.value_checkmate",
            "self.value_draw",
            "is_draw(board)",
        ),
        "A mated side gets minus",
    ),
    (
        "s08-5",
        "for colour in chess.COLORS",
        "for colour in [chess.WHITE]",
        "Do the same for both sides",
    ),
    (
        "s08-5",
        "",
        _OWN + "def evaluate(self, board):\n"
        "        return self.heuristic(board)\n\n"
        "    def heuristic(self, board):\n"
        "        return super().heuristic(board) + 0.01 * board.legal_moves.count()\n",
        "A mated side",
    ),
    (
        "s08-5",
        "",
        _OWN + "def heuristic(self, board):\n"
        "        mine = board.legal_moves.count()\n"
        "        if board.is_check():\n"
        "            return super().heuristic(board)\n"
        "        board.push(chess.Move.null())\n"
        "        return super().heuristic(board) + mine - board.legal_moves.count()\n",
        "popped once",
    ),
    (
        "s08-5",
        "",
        _OWN + "def __init__(self):\n"
        "        super().__init__()\n\n"
        "    def heuristic(self, board):\n"
        "        return 2 * super().heuristic(board)\n",
        "TypeError",
    ),
]
RIGHT = [
    (
        "s08-1",
        "",
        _VIEWS + "return score if board.turn == chess.WHITE else -score\n\n\n"
        "def to_side(score, board):\n"
        "    return -score if board.turn == chess.BLACK else score\n",
    ),
    (
        "s08-1",
        "",
        _VIEWS + "return (1, -1)[not board.turn] * score\n\n\n"
        "def to_side(score, board):\n"
        "    return score / PLAYER_MULTIPLIER[board.turn]\n",
    ),
    (
        "s08-2",
        "",
        _BISHOPS + "score = super().heuristic(board)\n"
        "        if chess.popcount(board.bishops & board.occupied_co[board.turn]) > 1:\n"
        "            score += 0.5\n"
        "        if chess.popcount(board.bishops & board.occupied_co[not board.turn]) > 1:\n"
        "            score -= 0.5\n"
        "        return score\n",
    ),
    (
        "s08-2",
        "",
        _BISHOPS + 'white = 0.5 * (board.board_fen().count("B") > 1)\n'
        '        black = 0.5 * (board.board_fen().count("b") > 1)\n'
        "        return PLAYER_MULTIPLIER[board.turn] * (material(board) + white - black)\n",
    ),
    (
        "s08-3",
        "",
        _STEPS + "score = super().heuristic(board)\n"
        "        for colour in chess.COLORS:\n"
        "            start = 1 if colour == chess.WHITE else 6\n"
        "            for square in board.pieces(chess.PAWN, colour):\n"
        "                steps = abs(chess.square_rank(square) - start)\n"
        "                score += 0.1 * steps if colour == board.turn else -0.1 * steps\n"
        "        return score\n",
    ),
    (
        "s08-3",
        "",
        _STEPS + "def steps(position, colour):\n"
        "            pawns = position.pieces(chess.PAWN, colour)\n"
        "            return sum(chess.square_rank(square) - 1 for square in pawns)\n\n"
        "        white = steps(board, chess.WHITE) - steps(board.mirror(), chess.WHITE)\n"
        "        return super().heuristic(board) + PLAYER_MULTIPLIER[board.turn] * white / 10\n",
    ),
    (
        "s08-4",
        "",
        _HUNT + "for board in random_positions(most, rng):\n"
        "        if any(mirror_failures(evaluator, [board])):\n"
        "            return board\n"
        "    return None\n",
    ),
    (
        "s08-4",
        "",
        _HUNT + "for failure in mirror_failures(evaluator, random_positions(most, rng)):\n"
        "        return failure[0]\n",
    ),
    ("s08-5", "0.15 * hits", "0.15 * hits * (chess.popcount(board.occupied) < 10)"),
    ("s08-5", "0.15 * hits", "0.2 * (board.king(colour) & 7 in (2, 6))"),
    (
        "s08-5",
        "0.15 * hits",
        "sum(not board.pawns & chess.BB_FILES[r & 7] for r in board.pieces(chess.ROOK, colour))",
    ),
    (
        "s08-5",
        "",
        _OWN + "def heuristic(self, board):\n"
        "        score = super().heuristic(board)\n"
        "        for colour in chess.COLORS:\n"
        "            sign = 1 if colour == board.turn else -1\n"
        "            pawns = board.pieces(chess.PAWN, colour)\n"
        "            for rook in board.pieces(chess.ROOK, colour):\n"
        "                file = chess.BB_FILES[chess.square_file(rook)]\n"
        "                score += sign * 0.2 * (not int(pawns) & file)\n"
        "        return score\n",
    ),
]
