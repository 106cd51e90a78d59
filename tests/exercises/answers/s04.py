"""Answers to the exercises of s04: the solution with one place changed."""

BEST = "return max(scored) if turn == chess.WHITE else min(scored)"
SORTED = """
def best_for(turn, scored):
    ranking = sorted(scored, key=lambda entry: entry.score if turn else -entry.score)
    return ranking[-1]
"""
LOOP = """
def best_for(turn, scored):
    best = scored[0]
    for entry in scored[1:]:
        if (entry.score > best.score) == turn:
            best = entry
    return best
"""
FROM_ZERO = """
def best_for(turn, scored):
    best, least = None, 0
    for entry in scored:
        value = entry.score if turn else -entry.score
        if value > least:
            best, least = entry, value
    return best or 0
"""
ON_A_COPY = """
class MateInOneEngine(FirstMoveEngine):
    def play(self, board, limit=None):
        first = None
        for move in board.legal_moves:
            first = first or move
            after = board.copy()
            after.push(move)
            if after.is_check() and not any(after.legal_moves):
                return chess.engine.PlayResult(move, None)
        return chess.engine.PlayResult(first, None)
"""
BY_ANALYSIS = """
class MateInOneEngine(FirstMoveEngine):
    def play(self, board, limit=None):
        moves = [entry.move for entry in self.analyse(board)]
        mates = [move for move in moves if self.mates(board, move)]
        return chess.engine.PlayResult((mates or moves)[0], None)

    def mates(self, board, move):
        board.push(move)
        try:
            return board.is_checkmate()
        finally:
            board.pop()
"""
DRAWS_ON_COPIES = """
def drawing_moves(board):
    found = []
    for move in board.legal_moves:
        after = board.copy(STACK)
        after.push(move)
        if draw_reason(after):
            found.append(move)
    return found
"""
DRAWS_BY_RESULT = """
def drawing_moves(board):
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        end = finished(board)
        board.pop()
        if end is not None and end[0] == "1/2-1/2":
            found.append(move)
    return found
"""
TWO_CLOCKS = """
def play_on_clock(white, black, seconds, now):
    board, spent = chess.Board(), [0.0, 0.0]
    while True:
        if end := finished(board):
            return end
        side = board.turn
        began = now()
        move = ask(
            white if side else black,
            board,
            chess.engine.Limit(white_clock=seconds - spent[1], black_clock=seconds - spent[0]),
        )
        spent[side] += now() - began
        if spent[side] > seconds:
            return ("0-1", "1-0")[not side], "time forfeit"
        if move is None:
            return ("0-1", "1-0")[not side], "resignation"
        board.push(move)
"""
BY_HAND = """
def play_on_clock(white, black, seconds, now):
    board, left = chess.Board(), {True: seconds, False: seconds}
    while not finished(board):
        engine, side = (white, True) if board.turn else (black, False)
        begin = now()
        limit = chess.engine.Limit(black_clock=left[False], white_clock=left[True])
        result = engine.play(board.copy(), limit)
        left[side] = left[side] - (now() - begin)
        if left[side] < 0:
            return ("0-1" if side else "1-0"), "time forfeit"
        if result.resigned:
            return ("0-1" if side else "1-0"), "resignation"
        if result.move not in board.legal_moves:
            raise ValueError(f"{result.move} is not legal")
        board.push(result.move)
    return finished(board)
"""
ONE_READING = """
def play_on_clock(white, black, seconds, now):
    board, left, begin = chess.Board(), {True: seconds, False: seconds}, now()
    while (end := finished(board)) is None:
        limit = chess.engine.Limit(white_clock=left[True], black_clock=left[False])
        move = ask(white if board.turn else black, board, limit)
        after = now()
        left[board.turn] -= after - begin
        begin = after
        lost = "0-1" if board.turn else "1-0"
        if left[board.turn] < 0:
            return lost, "time forfeit"
        if move is None:
            return lost, "resignation"
        board.push(move)
    return end
"""
CHARGE = "left[board.turn] -= now() - begin"
PUSHED = """
def play_on_clock(white, black, seconds, now):
    board = chess.Board()
    left = {chess.WHITE: seconds, chess.BLACK: seconds}
    while (end := finished(board)) is None:
        limit = chess.engine.Limit(white_clock=left[True], black_clock=left[False])
        begin = now()
        move = ask(white if board.turn else black, board, limit)
        if move is None:
            return ("0-1" if board.turn else "1-0"), "resignation"
        board.push(move)
        left[board.turn] -= now() - begin
        if left[board.turn] < 0:
            return ("0-1" if board.turn else "1-0"), "time forfeit"
    return end
"""

RIGHT = [
    ("s04-1", "", SORTED),
    ("s04-1", "", LOOP),
    ("s04-2", "", ON_A_COPY),
    ("s04-2", "", BY_ANALYSIS),
    ("s04-3", "", DRAWS_ON_COPIES.replace("STACK", "")),
    ("s04-3", "", DRAWS_BY_RESULT),
    ("s04-4", "", TWO_CLOCKS),
    ("s04-4", "", BY_HAND),
]
WRONG = [
    ("s04-1", BEST, "return max(scored)", "Black wants the smallest"),
    (
        "s04-1",
        "max(scored) if turn == chess.WHITE",
        "max(scored) if turn != chess.WHITE",
        "largest",
    ),
    ("s04-1", BEST, BEST.replace("max(scored)", "max(scored).score"), "Return the whole entry"),
    ("s04-1", BEST, BEST.replace("max(scored)", "max(scored).move"), "Return the whole entry"),
    ("s04-1", BEST, "scored.sort(reverse=turn)\n    return scored[0]", "must stay as it was"),
    ("s04-1", BEST, "return scored[0]", "in no order"),
    ("s04-1", BEST, "return max(scored, key=lambda entry: abs(entry.score))", "the largest"),
    ("s04-1", "", FROM_ZERO, "too large or too small"),
    ("s04-2", "            board.pop()\n", "", "The board changed"),
    (
        "s04-2",
        "            board.pop()\n            if mates:\n",
        "            if mates:\n",
        "The board changed",
    ),
    (
        "s04-2",
        "            board.pop()\n            if mates:\n"
        "                return chess.engine.PlayResult(move, None)\n",
        "            if mates:\n"
        "                return chess.engine.PlayResult(move, None)\n            board.pop()\n",
        "The board changed",
    ),
    ("s04-2", "board.is_checkmate()", "board.is_check()", "A check is not yet a mate"),
    ("s04-2", "board.is_checkmate()", "board.is_game_over()", "That is stalemate"),
    ("s04-2", "board.is_checkmate()", "not any(board.legal_moves)", "That is stalemate"),
    (
        "s04-2",
        "mates = board.is_checkmate()",
        "mates = board.is_checkmate() and move.promotion in (None, chess.QUEEN)",
        "more than a queen",
    ),
    ("s04-2", "if mates:", "if mates and not board.turn:", "mates, and you play"),
    ("s04-2", "return chess.engine.PlayResult(move, None)", "return move", "PlayResult"),
    ("s04-2", "in board.legal_moves", "in board.pseudo_legal_moves", "pinned to the king"),
    (
        "s04-2",
        "mates = board.is_checkmate()",
        "mates = board.is_checkmate() and board.king(not board.turn) not in (6, 2, 62, 58)",
        "Castling is a move, too",
    ),
    (
        "s04-2",
        "        for move in board.legal_moves:\n            board.push(move)",
        "        for move in board.legal_moves:\n            if board.is_en_passant(move):\n"
        "                continue\n            board.push(move)",
        "en passant is a move, too",
    ),
    (
        "s04-2",
        "return super().play(board, limit)",
        "return chess.engine.PlayResult(move, None)",
        "Play the first legal move",
    ),
    (
        "s04-2",
        "return super().play(board, limit)",
        "return chess.engine.PlayResult(None, None, resigned=True)",
        "Play the first legal move",
    ),
    ("s04-3", "        board.pop()\n", "", "The board changed"),
    (
        "s04-3",
        "            found.append(move)\n        board.pop()\n",
        "            board.pop()\n            found.append(move)\n",
        "The board changed",
    ),
    ("s04-3", "", DRAWS_ON_COPIES.replace("STACK", "stack=False"), "must keep its history"),
    ("s04-3", "is_draw(board)", "board.is_stalemate()", "for two reasons"),
    (
        "s04-3",
        "is_draw(board)",
        "board.is_stalemate() or board.is_insufficient_material()",
        "third time",
    ),
    (
        "s04-3",
        "is_draw(board)",
        "board.is_stalemate() or board.is_insufficient_material() or board.is_repetition(3)",
        "fiftieth move",
    ),
    (
        "s04-3",
        "is_draw(board)",
        "is_draw(board) or (board.halfmove_clock >= 99 and not board.is_checkmate())",
        "this move is the 99th",
    ),
    (
        "s04-3",
        "    return found",
        "    board.clear_stack()\n    return found",
        "its history, the moves on its stack",
    ),
    ("s04-3", "is_draw(board)", "finished(board)", "mate comes first"),
    ("s04-3", "is_draw(board)", "board.is_game_over()", "third time"),
    (
        "s04-3",
        "is_draw(board)",
        "board.can_claim_draw() or draw_reason(board)",
        "The second time is no draw yet",
    ),
    ("s04-3", "found.append(move)", "found.append(board.peek().uci())", "expected chess.Move"),
    ("s04-3", "in board.legal_moves", "in board.pseudo_legal_moves", "is not a legal move"),
    (
        "s04-3",
        "if is_draw(board):",
        "if is_draw(board) and move.promotion in (None, chess.QUEEN):",
        "Three of the four promotions",
    ),
    ("s04-4", "black_clock=left[chess.BLACK]", "black_clock=left[chess.WHITE]", "the other's time"),
    (
        "s04-4",
        "white_clock=left[chess.WHITE], black_clock=left[chess.BLACK]",
        "white_clock=left[chess.BLACK], black_clock=left[chess.WHITE]",
        "the other's time",
    ),
    ("s04-4", "", PUSHED, "After the push the other side is to move"),
    ("s04-4", CHARGE, "left[board.turn] = seconds - (now() - begin)", "from move to move"),
    (
        "s04-4",
        "ask(players[board.turn], board, limit)",
        "ask(players[board.turn], board, None)",
        "Pass the engine a limit",
    ),
    ("s04-4", "", ONE_READING, "twice for each move"),
    ("s04-4", "", BY_HAND.replace("not in board.legal_moves", "is None"), "which is not legal"),
    ("s04-4", "left[board.turn] < 0", "left[board.turn] <= 0", "not less than zero"),
    ("s04-4", '"0-1" if board.turn else "1-0"', '"1-0" if board.turn else "0-1"', "White wins"),
    (
        "s04-4",
        '        if move is None:\n            return lost, "resignation"\n',
        "",
        "A side that resigns",
    ),
    (
        "s04-4",
        'return lost, "resignation"',
        'return lost, "time forfeit"',
        "loses by resignation",
    ),
    ("s04-4", 'return lost, "resignation"', 'return "0-1", "resignation"', "Black resigns"),
    ("s04-4", "return end", 'return "1/2-1/2", end[1]', "mates in time"),
    (
        "s04-4",
        "return end",
        'return (lost, end[1]) if end[1] == "checkmate" else end',
        "White mates in time",
    ),
    (
        "s04-4",
        "while (end := finished(board)) is None:",
        'while (end := board.result()) == "*":',
        "with the reason of `finished`",
    ),
    (
        "s04-4",
        '        if left[board.turn] < 0:\n            return lost, "time forfeit"\n',
        "        if left[board.turn] < 0 and not board.gives_check(move or chess.Move.null()):\n"
        '            return lost, "time forfeit"\n',
        "does not count",
    ),
    (
        "s04-3",
        "",
        DRAWS_BY_RESULT.replace("end = finished", "board.san(move)\n        end = finished"),
        "It raised: san() and lan() expect move to be legal",
    ),
    ("s04-4", 'return lost, "time forfeit"', "return None", "you returned None"),
    ("s04-4", "return end", "return end if end[0] == '1/2-1/2' else (end[0], None)", "1-0 None"),
]
