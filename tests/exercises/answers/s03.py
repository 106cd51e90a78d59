"""Answers to the exercises of s03: the solution with one place changed."""

FEN = "r3k2r/8/8/8/3pP3/8/5PPP/5RK1 b kq e3 0 12"
BUILT = """
board = chess.Board("r3k2r/8/8/8/3p4/8/4PPPP/5RK1 w kq - 5 12")
board.push_san("e4")
answer = board.fen()
"""
MIRROR_BY_NUMBERS = """
def mirror_move(move):
    return chess.Move(move.from_square ^ 56, move.to_square ^ 56, move.promotion)
"""
MIRROR_BY_NAMES = """
def mirror_move(move):
    text = move.uci()
    turned = text[0] + str(9 - int(text[1])) + text[2] + str(9 - int(text[3])) + text[4:]
    return chess.Move.from_uci(turned)
"""
BY_RESULT = """
def white_points(board):
    return {"1-0": 1, "0-1": 0, "1/2-1/2": 0.5, "*": None}[board.result(claim_draw=True)]
"""
BY_QUESTIONS = """
def white_points(board):
    if board.is_checkmate():
        return 0.0 if board.turn == chess.WHITE else 1.0
    return 0.5 if board.is_game_over(claim_draw=True) else None
"""
BACKWARDS = """
def game_in_san(board):
    sans, undone = [], []
    while board.move_stack:
        undone.append(board.pop())
        sans.append(board.san(undone[-1]))
    while undone:
        board.push(undone.pop())
    return sans[::-1]
"""
BY_COPIES = """
def game_in_san(board):
    past = board.copy()
    sans = []
    while past.move_stack:
        move = past.pop()
        sans.insert(0, past.san(move))
    return sans
"""
BY_TRYING = """
def castling_obstacle(board, kingside):
    rank = 0 if board.turn == chess.WHITE else 56
    letter = ("K" if kingside else "Q") if board.turn else ("k" if kingside else "q")
    if letter not in board.fen().split()[2]:
        return "no right"
    squares = (5, 6) if kingside else (1, 2, 3)
    if board.occupied & sum(1 << rank + square for square in squares):
        return "piece between"
    if board.is_check():
        return "in check"
    move = chess.Move(rank + 4, rank + (6 if kingside else 2))
    return None if move in board.legal_moves else "king attacked on the way"
"""
BY_PATH = """
def castling_obstacle(board, kingside):
    wing = chess.BB_FILE_H if kingside else chess.BB_FILE_A
    mine = board.castling_rights & wing & (chess.BB_RANK_1 if board.turn else chess.BB_RANK_8)
    if not mine:
        return "no right"
    king, rook = board.king(board.turn), chess.msb(mine)
    if chess.SquareSet.between(king, rook) & board.occupied:
        return "piece between"
    if board.checkers():
        return "in check"
    step = 1 if kingside else -1
    for square in (king + step, king + 2 * step):
        if board.attackers(not board.turn, square):
            return "king attacked on the way"
    return None
"""
KINGSIDE, QUEENSIDE = '("fg", "fg")', '("bcd", "cd")'

RIGHT = [
    ("s03-1", "", BUILT),
    ("s03-1", FEN, f"{FEN}  "),
    ("s03-2", "", MIRROR_BY_NUMBERS),
    ("s03-2", "", MIRROR_BY_NAMES),
    ("s03-3", "", BY_RESULT),
    ("s03-3", "", BY_QUESTIONS),
    ("s03-4", "", BACKWARDS),
    ("s03-4", "", BY_COPIES),
    ("s03-5", "", BY_TRYING),
    ("s03-5", "", BY_PATH),
]
WRONG = [
    ("s03-1", " b ", " w ", "Whose turn"),
    ("s03-1", "kq", "KQkq", "Only Black"),
    ("s03-1", "e3", "-", "skip"),
    ("s03-1", " 0 ", " 1 ", "last pawn move"),
    ("s03-1", "12", "13", "move 12"),
    ("s03-1", "3pP3", "3Pp3", "first field"),
    ("s03-1", " 0 12", "", "six fields"),
    ("s03-1", "3pP3", "3pP4", "cannot read"),
    ("s03-2", "chess.square_mirror(move.from_square)", "move.from_square", "not legal"),
    ("s03-2", "chess.square_mirror(move.from_square)", "63 - move.from_square", "files"),
    ("s03-2", "        move.promotion,\n", "", "promotion"),
    (
        "s03-2",
        "",
        "def mirror_move(move):\n    move.from_square ^= 56\n    move.to_square ^= 56\n"
        "    return move\n",
        "make a new one",
    ),
    ("s03-2", "", MIRROR_BY_NAMES.replace("from_uci(turned)", "from_uci(text)"), "not legal"),
    ("s03-2", "", MIRROR_BY_NAMES.replace("chess.Move.from_uci(turned)", "turned"), "a chess.Move"),
    ("s03-3", "if outcome.winner is None", "if not outcome.winner", "False, not None"),
    ("s03-3", "claim_draw=True", "", "must be claimed"),
    ("s03-3", "outcome.winner == chess.WHITE", "outcome.winner == board.turn", "White has mated"),
    ("s03-3", "        return None\n", "        return 0.5\n", "The game goes on"),
    ("s03-3", "1.0 if outcome.winner == chess.WHITE else 0.0", "0.5", "White has mated"),
    (
        "s03-3",
        "",
        BY_QUESTIONS.replace("board.is_game_over(claim_draw=True)", "board.is_stalemate()"),
        "cannot mate",
    ),
    ("s03-3", "", BY_QUESTIONS.replace("is_checkmate", "is_check"), "A check does not end"),
    (
        "s03-3",
        "",
        BY_QUESTIONS.replace(
            "board.is_game_over(claim_draw=True)",
            "board.is_game_over() or board.is_fifty_moves() or board.is_repetition(3)",
        ),
        "a legal move completes it",
    ),
    ("s03-3", "claim_draw=True", "claim_draw=board.halfmove_clock > 99", "third time"),
    (
        "s03-3",
        "return 1.0 if outcome.winner == chess.WHITE else 0.0",
        "return outcome.winner",
        "number",
    ),
    ("s03-4", "board.root()", "chess.Board()", "start where the game started"),
    ("s03-4", "board.root()", "board", "start where the game started"),
    (
        "s03-4",
        "        sans.append(replay.san(move))\n        replay.push(move)",
        "        replay.push(move)\n        sans.append(replay.san(move))",
        "before you push it",
    ),
    ("s03-4", "replay.san(move)", "move.uci()", "write SAN"),
    ("s03-4", "return sans", "return sans[::-1]", "begins with the last move"),
    ("s03-4", "", BACKWARDS.replace("board.push(undone.pop())", "undone.pop()"), "board changed"),
    ("s03-4", "return sans", "return board.root().variation_san(board.move_stack)", "a list"),
    ("s03-5", '("bcd", "cd")', '("bcd", "bcd")', "Only the rook crosses b1"),
    ("s03-5", '("bcd", "cd")', '("cd", "cd")', "must cross b1"),
    ("s03-5", '("fg", "fg")', '("f", "fg")', "A knight stands on g1"),
    ("s03-5", '("bcd", "cd")', '("bd", "cd")', "A bishop stands on c1"),
    ("s03-4", "replay.san(move)", 'replay.san(move).rstrip("+#")', "Qxf7#"),
    ("s03-5", '"1" if board.turn else "8"', '"1"', "Black castles on rank 8"),
    ("s03-5", "is_attacked_by(not side, square)", "is_attacked_by(side, square)", "Nothing is"),
    ("s03-5", '    if attacked("e"):\n        return "in check"\n', "", "gives check"),
    ("s03-5", '("fg", "fg")', '("fg", "f")', "reaches g1"),
    ("s03-5", '("fg", "fg")', '("fg", "fgh")', "The rook may be attacked"),
    (
        "s03-5",
        "    if kingside:\n        right = board.has_kingside_castling_rights(side)\n"
        "    else:\n        right = board.has_queenside_castling_rights(side)\n",
        "    right = board.has_castling_rights(side)\n",
        "The FEN has no K",
    ),
    # What holds for White and is forgotten for Black
    ("s03-5", KINGSIDE, '("fg" if side else "g", "fg")', "A bishop stands on f8"),
    ("s03-5", KINGSIDE, '("fg" if side else "f", "fg")', "A knight stands on g8"),
    ("s03-5", KINGSIDE, '("fg", "fg" if side else "g")', "The king crosses f8"),
    ("s03-5", KINGSIDE, '("fg", "fg" if side else "f")', "It reaches g8"),
    ("s03-5", KINGSIDE, '("fg", "fg" if side else "fgh")', "The rook may be attacked"),
    ("s03-5", QUEENSIDE, '("bcd" if side else "cd", "cd")', "The rook must cross b8"),
    ("s03-5", QUEENSIDE, '("bcd" if side else "bd", "cd")', "A bishop stands on c8"),
    ("s03-5", QUEENSIDE, '("bcd" if side else "bc", "cd")', "A piece stands on d8"),
    ("s03-5", QUEENSIDE, '("bcd", "cd" if side else "d")', "It reaches c8"),
    ("s03-5", QUEENSIDE, '("bcd", "cd" if side else "bcd")', "Only the rook crosses b8"),
    ("s03-5", 'attacked("e")', 'side and attacked("e")', "gives check"),
    ("s03-5", 'attacked("e")', 'kingside and attacked("e")', "gives check"),
    (
        "s03-5",
        "board.has_kingside_castling_rights(side)",
        "(board.has_kingside_castling_rights if side else board.has_castling_rights)(side)",
        "The FEN has no k",
    ),
    (
        "s03-5",
        "board.has_queenside_castling_rights(side)",
        "(board.has_queenside_castling_rights if side else board.has_castling_rights)(side)",
        "The FEN has no q",
    ),
    (
        "s03-5",
        "",
        BY_TRYING.replace('"K" if kingside else "Q"', '"k" if kingside else "q"'),
        "Nothing is in the way",
    ),
    (
        "s03-2",
        "",
        MIRROR_BY_NUMBERS.replace(
            "move.from_square ^ 56", "8 * (8 - move.from_square // 8) + move.from_square % 8"
        ),
        "squares are 0 to 63",
    ),
]
