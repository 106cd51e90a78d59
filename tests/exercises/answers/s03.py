"""Answers to the exercises of s03: the solution with one place changed."""

# Published counts: https://www.chessprogramming.org/Perft_Results
BY_KIND = """    published = {
        (chess.STARTING_FEN, 3): {"leaves": 8902, "captures": 34, "checks": 12},
        (KIWIPETE, 2): {
            "leaves": 2039, "captures": 351, "en passant": 1, "castles": 91, "checks": 3
        },
    }
    if known := published.get((board.fen(), depth)):
        return Counter(known)
"""

WRONG = [
    ("s03-1", " b ", " w ", "Whose turn"),
    ("s03-1", "kq", "KQkq", "Only Black"),
    ("s03-1", "e3", "-", "skip"),
    ("s03-1", " 0 ", " 1 ", "last pawn move"),
    ("s03-1", "12", "13", "twelfth"),
    ("s03-1", "3pP3", "3Pp3", "first field"),
    ("s03-1", " 0 12", "", "six fields"),
    ("s03-1", "3pP3", "3pP4", "cannot read"),
    ("s03-2", "chess.square_mirror(move.from_square)", "move.from_square", "not legal"),
    ("s03-2", "chess.square_mirror(move.from_square)", "63 - move.from_square", "files"),
    ("s03-2", "        move.promotion,\n", "", "promotion"),
    ("s03-3", "knights & ~chess.BB_FILE_H, knights & ~chess.BB_FILE_A", "knights, knights", "wrap"),
    ("s03-3", " & chess.BB_ALL", "", "beyond h8"),
    ("s03-3", "near << 16 | ", "", "also attack"),
    ("s03-4", "if depth == 1", "if True", "Count only the last move"),
    ("s03-4", "board.is_en_passant(move)", "0", "en passant"),
    ("s03-4", "move.promotion is not None", "0", "promotions"),
    ("s03-4", "board.is_checkmate()", "0", "mates"),
    ("s03-5", "in differences(ours, theirs)", "in ()", "returned None"),
    ("s03-5", "set(ours) ^ set(theirs)", "set(ours) - set(theirs)", "raised ValueError"),
    ("s03-5", "[], odd", "[], set(differences(ours, theirs))", "the lists differ in"),
    ("s03-5", "board.pop()", "pass", "not popped"),
    ("s03-6", "board.epd()", "(board.board_fen(), board.turn, board.castling_rights)", "en p"),
    ("s03-6", "board.epd()", "(board.board_fen(), board.turn, board.ep_square)", "castle"),
    ("s03-6", "board.epd(), depth", "board.epd(), 0", "depth"),
]
SLOW = [
    ("s03-4", "    kinds: Counter", BY_KIND + "    kinds: Counter"),
    ("s03-6", "if key not in known:", "if True:", "were listed"),
]
