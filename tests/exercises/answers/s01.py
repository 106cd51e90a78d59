"""Answers to the exercises of s01: the solution with one place changed."""

FIELDS = """
def side_to_move(fen):
    _, side, *rest = fen.split() if fen.count(" ") == 5 else (None, None)
    if side == "w":
        return "White"
    if side == "b":
        return "Black"
    raise ValueError(f"no FEN: {fen}")
"""
COUNTS = """
def reply_counts(board):
    counts = {}
    for move in board.legal_moves:
        san = board.san(move)
        board.push(move)
        counts[san] = len(list(board.legal_moves))
        board.pop()
    return counts
"""
TREE = "return sum(branching**ply for ply in range(plies + 1))"
NO_DRAW = """
def fewest_but_no_stalemate(board):
    best, least = None, 1000
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        replies = 999 if after.is_stalemate() else after.legal_moves.count()
        if replies < least:
            best, least = move, replies
    return best
"""
MATES = """
def mate_in_two(board):
    for move in board.legal_moves:
        after = board.copy(); after.push(move)
        if after.is_checkmate():
            return move
    for move in board.legal_moves:
        after = board.copy(); after.push(move)
        if any(after.legal_moves) and ALL(can_mate(after, reply) for reply in after.legal_moves):
            return move
    return None

def can_mate(board, reply):
    later = board.copy(); later.push(reply)
    for move in later.legal_moves:
        last = later.copy(); last.push(move)
        if last.is_checkmate():
            return True
    return False
"""

BY_HAND = """
def reply_counts(board):
    counts = {}
    for move in board.legal_moves:
        piece, end = board.piece_type_at(move.from_square), chess.square_name(move.to_square)
        san = chess.piece_symbol(piece).upper() if piece != chess.PAWN else ""
        if board.is_capture(move):
            san = (san or chess.square_name(move.from_square)[0]) + "x"
        san += end
        if move.promotion:
            san += "=" + chess.piece_symbol(move.promotion).upper()
        if board.is_castling(move):
            san = "O-O" if end[0] == "g" else "O-O-O"
        board.push(move)
        san += "#" if board.is_checkmate() else "+" if board.is_check() else ""
        counts[san] = board.legal_moves.count()
        board.pop()
    return counts
"""
ANYWHERE = """
def side_to_move(fen):
    if fen.count(" ") != 5:
        raise ValueError(fen)
    if " w " in fen:
        return "White"
    if " b " in fen:
        return "Black"
    raise ValueError(fen)
"""

ONE_BY_ONE = (
    "return 1 + sum(tree_size(branching, plies - 1) for _ in range(branching)) if plies else 1"
)

ONE_BY_ONE = """
    positions = 0
    for ply in range(plies + 1):
        for _ in range(branching**ply):
            positions += 1
    return positions
"""
RIGHT = [
    ("s01-1", "", FIELDS),
    ("s01-1", "parts[1] not in sides", "parts[1] != 'w' and parts[1] != 'b'"),
    ("s01-2", "", COUNTS),
    (
        "s01-2",
        "replies_after(board, move)",
        "(board.push(move), board.legal_moves.count(), board.pop())[1]",
    ),
    (
        "s01-3",
        TREE,
        "return (branching ** (plies + 1) - 1) // (branching - 1) if branching != 1 else plies + 1",
    ),
    ("s01-3", TREE, "return 1 + branching * tree_size(branching, plies - 1) if plies else 1"),
    ("s01-4", "", NO_DRAW),
    ("s01-4", "board.is_stalemate()", "not board.is_check() and not any(board.legal_moves)"),
    ("s01-5", "", MATES.replace("ALL", "all")),
    (
        "s01-5",
        "return mating_move(board, 2)",
        "return mating_move(board, 1) or mating_move(board, 2)",
    ),
]
WRONG = [
    ("s01-1", "", ANYWHERE, "Raise a ValueError"),
    ("s01-2", "", BY_HAND, "the moves are"),
    (
        "s01-2",
        "for move in board.legal_moves",
        "for move in board.legal_moves if not board.is_castling(move)",
        "the moves are",
    ),
    ("s01-3", TREE, TREE + " if branching else int(plies > 0)", "any number of moves"),
    ("s01-4", "", NO_DRAW.replace("999", "20"), "stalemates, and another move does not"),
    (
        "s01-2",
        "for move in board.legal_moves",
        "for move in board.legal_moves if move.promotion in (None, 5)",
        "the moves are",
    ),
    ("s01-1", "len(parts) != 6", "len(parts) not in (5, 6)", "Raise a ValueError"),
    ("s01-1", "len(parts) != 6", "len(parts) not in (6, 7)", "Raise a ValueError"),
    ("s01-1", 'fen.split(), {"w"', 'fen.split(), {"W": "White", "w"', "Raise a ValueError"),
    ("s01-1", '"w": "White", "b": "Black"', '"w": "Black", "b": "White"', "it is White's move"),
    (
        "s01-1",
        'f"{fen!r}: expected a FEN of six parts, the second w or b"',
        '"wrong"',
        "must show the text",
    ),
    (
        "s01-1",
        "",
        FIELDS.replace("side ==", "fen[-1] or side ==").replace(
            '"w":\n        return "White"', '"w" in fen:\n        return "White"'
        ),
        "it is Black's move",
    ),
    ("s01-2", "", COUNTS.replace("        board.pop()\n", ""), "The board changed"),
    (
        "s01-2",
        "",
        COUNTS.replace("        san = board.san(move)\n", "").replace("[san]", "[board.san(move)]"),
        "ask before the push",
    ),
    ("s01-2", "", COUNTS.replace("counts[san]", "counts[move.uci()]"), "as SAN"),
    ("s01-2", "board.san(move)", "move", "as SAN"),
    (
        "s01-2",
        "in board.legal_moves",
        "in board.pseudo_legal_moves if not board.gives_check(move)",
        "the moves are",
    ),
    (
        "s01-2",
        "",
        COUNTS.replace("board.legal_moves))", "board.pseudo_legal_moves))"),
        "the opponent has",
    ),
    (
        "s01-2",
        "",
        COUNTS.replace("return counts", "return list(counts.items())"),
        "Return a dictionary",
    ),
    ("s01-3", TREE, "return branching**plies", "Count the root, too"),
    ("s01-3", TREE, ONE_BY_ONE, "one by one"),
    ("s01-3", "range(plies + 1)", "range(plies)", "the root alone"),
    ("s01-3", "range(plies + 1)", "range(1, plies + 1)", "the root alone"),
    ("s01-3", TREE, "return (branching ** (plies + 1) - 1) // (branching - 1)", "divides by zero"),
    (
        "s01-3",
        TREE,
        "return sum(int(float(branching)**ply) for ply in range(plies + 1))",
        "whole numbers",
    ),
    ("s01-4", "board.is_stalemate(), board", "board.is_checkmate(), board", "there is a mate"),
    ("s01-4", "return min(", "return max(", "is not one"),
    ("s01-4", "        board.pop()\n", "", "The board changed"),
    (
        "s01-4",
        "pair = board.is_stalemate(), board.legal_moves.count()",
        "pair = False, board.legal_moves.count()",
        "there is a mate",
    ),
    (
        "s01-4",
        "board.is_stalemate(), board.legal_moves.count()",
        "board.is_stalemate(), -board.legal_moves.count()",
        "there is a mate",
    ),
    (
        "s01-5",
        "        if saved:\n            return False\n    return True",
        "        if not saved:\n            return True\n    return False",
        "there is no mate in one",
    ),
    ("s01-5", "", MATES.replace("ALL", "any"), "there is no mate in one"),
    (
        "s01-5",
        "",
        MATES.replace("ALL", "all").replace(
            "for move in board.legal_moves:",
            "for move in board.legal_moves:\n        if move.promotion or board.is_castling(move):"
            "\n            continue",
        ),
        "Castling and promotions are moves, too",
    ),
    *(
        (
            "s01-5",
            "",
            MATES.replace("ALL", "all").replace(
                "for move in later.legal_moves:",
                f"for move in later.legal_moves:\n        if {left_out}:\n            continue",
            ),
            "there is a mate in at most two moves",
        )
        for left_out in (
            "later.is_castling(move)",
            "later.is_kingside_castling(move)",
            "later.is_queenside_castling(move)",
            "move.promotion == chess.KNIGHT",
            "later.is_en_passant(move)",
        )
    ),
    ("s01-5", "", MATES.replace("any(after.legal_moves) and ALL", "all"), "stalemates"),
    (
        "s01-5",
        "return mating_move(board, 2)",
        "return mating_move(board, 1)",
        "there is a mate in at most two",
    ),
    (
        "s01-5",
        "return mating_move(board, 2)",
        "return mating_move(board, 3)",
        "there is no mate in one",
    ),
    (
        "s01-5",
        "return board.is_checkmate()",
        "return not replies",
        "there is no mate in one",
    ),
    ("s01-3", TREE, ONE_BY_ONE, "one by one"),
]
