"""Answers to the exercises of s22: the solution with one place changed."""

CASTLING = """
def explain_castling(board, move):
    side, wing = board.turn, move.to_square > move.from_square
    rights = board.has_kingside_castling_rights if wing else board.has_queenside_castling_rights
    if not rights(side):
        return "The right to castle is lost."
    rook = chess.square(7 if wing else 0, 0 if side else 7)
    if any(board.piece_at(square) for square in chess.SquareSet.between(move.from_square, rook)):
        return "There are pieces between king and rook."
    return (
        "The king is in check."
        if board.is_check()
        else "The king would cross or reach an attacked square."
    )
"""
BY_WING = """
def explain_castling(board, move):
    kings = move.to_square in (chess.G1, chess.G8)
    rank = 0 if board.turn == chess.WHITE else 7
    files = (5, 6) if kings else (1, 2, 3)
    right = chess.BB_SQUARES[chess.square(7 if kings else 0, rank)]
    reasons = {
        "The right to castle is lost.": not board.clean_castling_rights() & right,
        "There are pieces between king and rook.": any(
            board.piece_at(chess.square(file, rank)) for file in files
        ),
        "The king is in check.": board.is_check(),
        "The king would cross or reach an attacked square.": True,
    }
    return next(reason for reason, holds in reasons.items() if holds)
"""
BETWEEN = "chess.between(move.from_square, rook)"
CHECK = """    if board.is_check():
        return "The king is in check."
"""

RIGHT = [
    ("s22-7", "", CASTLING),
    ("s22-7", "", BY_WING),
]
WRONG = [
    ("s22-1", 'words[words.index("depth") + 1]', "re.search(r'depth (\\d+)', line)[1]", "seldepth"),
    ("s22-4", "        busy.clear()\n        say(f", "        say(f", "at once after a 'bestmove'"),
    ("s22-6", "self.analyse(board, limit)", "self.analyse(board)", "Pass the limit"),
    ("s22-6", "self.rng = rng or self.rng", "self.rng = rng", "AttributeError"),
    ("s22-7", BETWEEN, "chess.between(move.from_square, move.to_square)", "between king and rook"),
    ("s22-7", "7 if king_side else 0", "7", "expected 'There are pieces between king and rook.'"),
    ("s22-7", CHECK, "", "expected 'The king is in check.'"),
    (
        "s22-7",
        "not board.castling_rights & chess.BB_SQUARES[rook]",
        "not board.castling_rights",
        "expected 'The right to castle is lost.'",
    ),
    (
        "s22-7",
        "board.is_check()",
        "board.is_attacked_by(not board.turn, move.to_square)",
        "expected 'The king is in check.'",
    ),
    (
        "s22-7",
        "rank = chess.square_rank(move.from_square)",
        "rank = 0",
        "expected 'There are pieces between king and rook.'",
    ),
]
