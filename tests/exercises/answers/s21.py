"""Answers to the exercises of s21: the solution with one place changed."""

BY_BITBOARDS = """
def reach_of(board, square):
    color = board.color_at(square)
    own = board.pawns & board.occupied_co[color]
    hit = pawn_hits(board.pawns & ~own, not color)
    return (board.attacks_mask(square) & ~own & ~hit).bit_count()
"""
SQUARE_BY_SQUARE = """
def reach_of(board, square):
    color, count = board.color_at(square), 0
    for to in board.attacks(square):
        pawn = board.piece_at(to) == chess.Piece(chess.PAWN, color)
        hit = any(
            board.piece_type_at(other) == chess.PAWN
            for other in board.attackers(not color, to)
        )
        count += not pawn and not hit
    return count
"""
LEGAL = """
def reach_of(board, square):
    return sum(1 for move in board.legal_moves if move.from_square == square)
"""
BY_DICTIONARY = """
def hits(keys, most):
    known, found = {}, 0
    for key in keys:
        if key in known:
            found += 1
        else:
            if len(known) == most:
                known = {}
            known[key] = True
    return found
"""
BY_COUNTER = """
def hits(keys, most):
    begun, last, size, found = 0, {}, 0, 0
    for time, key in enumerate(keys):
        if last.get(key, -1) >= begun:
            found += 1
        elif size == most:
            begun, size = time, 1
            last[key] = time
        else:
            size += 1
            last[key] = time
    return found
"""
OLDEST_GOES = """
def hits(keys, most):
    known, found = {}, 0
    for key in keys:
        if key in known:
            found += 1
            continue
        if len(known) >= most:
            del known[next(iter(known))]
        known[key] = True
    return found
"""
LEAST_RECENTLY_FOUND_GOES = """
def hits(keys, most):
    known, found = {}, 0
    for key in keys:
        if key in known:
            found += 1
            del known[key]
        elif len(known) >= most:
            if found:
                del known[next(iter(known))]
            else:
                known.clear()
        known[key] = True
    return found
"""
ONE_BY_ONE = """
def wrong_sides(samples, margin):
    wrong = 0
    for rough, exact, alpha, beta in samples:
        if alpha - margin < rough < beta + margin:
            continue
        wrong += exact > alpha if rough <= alpha else exact < beta
    return wrong
"""
BY_SUM = """
def wrong_sides(samples, margin):
    return sum(
        rough + margin <= alpha < exact or exact < beta <= rough - margin
        for rough, exact, alpha, beta in samples
    )
"""
FAR_OFF = """
def wrong_sides(samples, margin):
    return sum(
        abs(exact - rough) > margin
        for rough, exact, alpha, beta in samples
        if rough <= alpha - margin or rough >= beta + margin
    )
"""
INSIDE = """
def wrong_sides(samples, margin):
    return sum(
        alpha < exact < beta
        for rough, exact, alpha, beta in samples
        if rough <= alpha - margin or rough >= beta + margin
    )
"""
BY_KNIGHTS = """
class OutpostEvaluator(FastEvaluator):
    def activity(self, board, pawns):
        plain, more = chess_board(board), 0
        for color, sign in ((True, 1), (False, -1)):
            for square in plain.pieces(chess.KNIGHT, color):
                rank = chess.square_rank(square) if color else 7 - chess.square_rank(square)
                guards = plain.pieces(chess.PAWN, color) & plain.attackers(color, square)
                chased = [
                    pawn for pawn in plain.pieces(chess.PAWN, not color)
                    if abs(chess.square_file(pawn) - chess.square_file(square)) == 1
                    and (pawn > square | 7 if color else pawn < square & 56)
                ]
                more += sign * (3 <= rank <= 5 and bool(guards) and not chased)
        return super().activity(board, pawns) + more * pack(OUTPOST, OUTPOST)
"""

RIGHT = [
    ("s21-1", "", BY_BITBOARDS),
    ("s21-1", "", SQUARE_BY_SQUARE),
    ("s21-2", "", BY_DICTIONARY),
    ("s21-2", "", BY_COUNTER),
    ("s21-3", "", ONE_BY_ONE),
    ("s21-3", "", BY_SUM),
    ("s21-4", "", BY_KNIGHTS),
    ("s21-4", "more * pack(OUTPOST, OUTPOST)", "pack(OUTPOST * more, OUTPOST * more)"),
]
WRONG = [
    ("s21-3", "rough <= alpha - margin", "rough <= -alpha - margin", "below alpha, here 300"),
    ("s21-3", "exact > alpha", "exact > -alpha", "below alpha, here"),
    (
        "s21-4",
        "beside(down(black.pawns) >> 8)",
        "(black.hits | black.hits >> 8)",
        "three ranks ahead",
    ),
    ("s21-1", " - own", "", "own pawns do not count"),
    ("s21-1", " - own", " - chess.SquareSet(board.occupied_co[color])", "own pieces count"),
    ("s21-1", " - own", " - own - theirs", "Squares of enemy pawns count"),
    ("s21-1", " & theirs", "", "Only pawns make a square unsafe"),
    (
        "s21-1",
        "        if not board.attackers(not color, to) & theirs\n",
        "",
        "What enemy pawns attack",
    ),
    ("s21-1", "", LEGAL, "Squares of own pieces count"),
    ("s21-1", "board.color_at(square)", "board.turn", "The turn changes nothing"),
    ("s21-2", "            known.clear()\n", "            pass\n", "A full memory is emptied"),
    ("s21-2", ">= most", "> most", "A full memory is emptied"),
    (
        "s21-2",
        "    for key in keys:\n",
        "    for key in keys:\n        if len(known) >= most:\n            known.clear()\n",
        "does not empty the memory",
    ),
    (
        "s21-2",
        "            known.clear()\n",
        "            known.clear()\n            continue\n",
        "is stored after",
    ),
    ("s21-2", ">= most", ">= most - 1", "and emptied only then"),
    ("s21-2", "", OLDEST_GOES, "not the oldest one"),
    ("s21-2", "", LEAST_RECENTLY_FOUND_GOES, "however often they were found"),
    ("s21-3", "        or (rough >= beta + margin and exact < beta)\n", "", "Far above beta"),
    ("s21-3", " and exact > alpha", "", "the side is right"),
    ("s21-3", "rough <= alpha - margin", "rough < alpha - margin", "exactly `margin` below alpha"),
    ("s21-3", "rough >= beta + margin", "rough > beta + margin", "exactly `margin` above beta"),
    ("s21-3", "exact > alpha", "exact >= alpha", "equal to alpha"),
    ("s21-3", "", INSIDE, "the whole score above beta"),
    ("s21-3", "", FAR_OFF, "the side is right"),
    ("s21-4", "super().activity(board, pawns) + ", "", "the score stays as it was"),
    ("s21-4", "white.hits & (middle |", "white.hits & (chess.BB_RANK_5 |", "White's fourth rank"),
    ("s21-4", "pack(OUTPOST, OUTPOST)", "OUTPOST", "for both phases"),
    ("s21-4", "pack(OUTPOST, OUTPOST)", "pack(0, OUTPOST)", "for both phases"),
    ("s21-4", "white.hits & (middle", "(middle", "A pawn must protect the knight"),
    (
        "s21-4",
        "middle | chess.BB_RANK_3",
        "middle | chess.BB_RANK_6",
        "Black's third rank is not far enough",
    ),
    (
        "s21-4",
        "        mine &= ~beside(down(black.pawns) >> 8)\n",
        "",
        "may attack the knight one day",
    ),
    ("s21-4", "more -= (", "more += (", "Black's knight has an outpost"),
    ("s21-4", "(knights & side & mine).bit_count()", "bool(knights & side & mine)", "Two knights"),
    (
        "s21-4",
        "(knights & other & theirs).bit_count()",
        "bool(knights & other & theirs)",
        "Two knights of Black",
    ),
    ("s21-4", "up(white.pawns) << 8", "up(white.pawns)", "on the knight's rank has gone too far"),
    (
        "s21-4",
        "theirs &= ~beside(up(white.pawns) << 8)",
        "theirs &= ~(beside(up(white.pawns) << 8) | up(white.pawns))",
        "A white pawn on the knight's file",
    ),
    (
        "s21-4",
        "~beside(down(black.pawns) >> 8)",
        "~(down(black.pawns) >> 7 | down(black.pawns) >> 9)",
        "The h file is not beside",
    ),
]
