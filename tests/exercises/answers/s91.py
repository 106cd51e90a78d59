"""Answers to the exercises of s91: the solution with one place changed."""

BY_SET = """
def names_of(squares):
    return [chess.SQUARE_NAMES[square] for square in chess.SquareSet(squares)]
"""
BY_LOWEST_BIT = """
def names_of(squares):
    names = []
    while squares:
        lowest = squares & -squares
        square = lowest.bit_length() - 1
        names.append("abcdefgh"[square % 8] + str(square // 8 + 1))
        squares ^= lowest
    return names
"""
EIGHT_SHIFTS = """
def knight_attacks(knights):
    not_a, not_h = ~chess.BB_FILE_A, ~chess.BB_FILE_H
    not_ab, not_gh = ~(chess.BB_FILE_A | chess.BB_FILE_B), ~(chess.BB_FILE_G | chess.BB_FILE_H)
    reached = (knights << 17) & not_a | (knights << 15) & not_h
    reached |= (knights << 10) & not_ab | (knights << 6) & not_gh
    reached |= (knights >> 15) & not_a | (knights >> 17) & not_h
    reached |= (knights >> 6) & not_ab | (knights >> 10) & not_gh
    return reached & chess.BB_ALL
"""
STEP_BY_STEP = """
def knight_attacks(knights):
    reached = 0
    for right, up in ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)):
        moved = knights
        for _ in range(abs(right)):
            if right > 0:
                moved = (moved & ~chess.BB_FILE_H) << 1
            else:
                moved = (moved & ~chess.BB_FILE_A) >> 1
        for _ in range(abs(up)):
            if up > 0:
                moved = moved << 8 & chess.BB_ALL
            else:
                moved = moved >> 8
        reached |= moved
    return reached
"""
BY_SETS = """
def knight_attacks(knights):
    reached = chess.SquareSet()
    for side, outer, two in ((1, chess.BB_FILE_H, chess.BB_FILE_G),
                             (-1, chess.BB_FILE_A, chess.BB_FILE_B)):
        one = chess.SquareSet(knights & ~outer)
        far = chess.SquareSet(knights & ~outer & ~two)
        for squares, up in ((one, 16), (far, 8)):
            shift = side if up == 16 else 2 * side
            moved = squares << shift if shift > 0 else squares >> -shift
            reached |= moved << up | moved >> up
    return int(reached)
"""
WITHOUT_BRANCHES = """
def knight_attacks(knights):
    reached = 0
    for square in chess.SQUARES:
        one = knights & 1 << square
        for files, rank in ((-2, 1), (-1, 2), (1, 2), (2, 1)):
            for up in (rank, -rank):
                inside = 0 <= (square & 7) + files < 8
                shift = 8 * up + files
                reached |= inside * (one << 64 + shift >> 64)
    return reached & chess.BB_ALL
"""
BY_GENERATOR = """
def last_moves(board, depth):
    for move in list(board.legal_moves):
        if depth == 1:
            yield move
        else:
            board.push(move)
            yield from last_moves(board, depth - 1)
            board.pop()

def leaf_kinds(board, depth):
    kinds = Counter()
    for move in last_moves(board, depth):
        kinds["leaves"] += 1
        mover = board.piece_type_at(move.from_square)
        taken = board.piece_type_at(move.to_square)
        passing = mover == chess.PAWN and not taken and (move.to_square - move.from_square) % 8
        kinds["captures"] += bool(taken or passing)
        kinds["en passant"] += bool(passing)
        two = abs(move.from_square - move.to_square) == 2
        kinds["castles"] += mover == chess.KING and two
        kinds["promotions"] += bool(move.promotion)
        kinds["checks"] += board.gives_check(move)
        after = board.copy(stack=False)
        after.push(move)
        kinds["mates"] += after.is_checkmate()
    return kinds
"""
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
BY_COMPARING = """
def find_bug(board, depth, generate):
    odd = set(generate(board)) ^ set(board.legal_moves)
    if odd:
        return [], odd
    if depth == 1:
        return None
    for move in list(board.legal_moves):
        after = board.copy()
        after.push(move)
        below = find_bug(after, depth - 1, generate)
        if below:
            return [move] + below[0], below[1]
    return None
"""
AGREED = """    if not differences(divide(board, depth, generate), divide(board, depth)):
        return None
"""
WITHOUT_A_TEST = """
def find_bug(board, depth, generate):
    ours, theirs = divide(board, depth, generate), divide(board, depth)
    odd = set(ours) ^ set(theirs)
    if odd or depth == 1:
        return [], odd
    for move in differences(ours, theirs):
        board.push(move)
        path, odd = find_bug(board, depth - 1, generate)
        board.pop()
        return [move, *path], odd
    return None
"""
ANY_DIFFERENCE = """
def find_bug(board, depth, generate):
    odd = differences(divide(board, depth, generate), divide(board, depth))
    if not odd:
        return None
    if depth == 1:
        return [], set(odd)
    move = next(iter(odd))
    board.push(move)
    below = find_bug(board, depth - 1, generate)
    board.pop()
    return ([move, *below[0]], below[1]) if below else ([], {move})
"""
BY_LEVELS = """
def find_bug(board, depth, generate):
    level = [(board.copy(), [])]
    for ply in range(depth):
        following = []
        for here, path in level:
            mine, right = set(generate(here)), set(here.legal_moves)
            if mine != right:
                return path, mine.symmetric_difference(right)
            for move in right:
                after = here.copy()
                after.push(move)
                following.append((after, [*path, move]))
        level = following
    return None
"""
BY_FILLING = """
def rook_attacks(rooks, occupied):
    empty = chess.BB_ALL & ~occupied
    def ray(shift, inside):
        moved = (lambda n, k: n << k * shift) if shift > 0 else (lambda n, k: n >> -k * shift)
        front, free = rooks, empty & inside
        for step in (1, 2, 4):
            front |= free & moved(front, step)
            free &= moved(free, step)
        return moved(front, 1) & inside
    not_a, not_h = chess.BB_ALL & ~chess.BB_FILE_A, chess.BB_ALL & ~chess.BB_FILE_H
    up, down = ray(8, chess.BB_ALL), ray(-8, chess.BB_ALL)
    return up | down | ray(1, not_a) | ray(-1, not_h)
"""
BY_RECURSION = """
def spread(front, occupied, move):
    front = move(front)
    return front | spread(front & ~occupied, occupied, move) if front else 0

def rook_attacks(rooks, occupied):
    return (
        spread(rooks, occupied, lambda n: n << 8 & chess.BB_ALL)
        | spread(rooks, occupied, lambda n: n >> 8)
        | spread(rooks, occupied, lambda n: (n & ~chess.BB_FILE_H) << 1)
        | spread(rooks, occupied, lambda n: (n & ~chess.BB_FILE_A) >> 1)
    )
"""
BY_TABLES = """
def rook_attacks(rooks, occupied):
    reached = 0
    for square in chess.scan_forward(rooks):
        reached |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        reached |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return reached
"""
BY_NAME = """
def names_of(squares):
    return sorted(chess.square_name(n) for n in range(64) if squares >> n & 1)
"""
BY_KEPT_TABLE = """
import functools, operator
TABLE = chess.BB_KNIGHT_ATTACKS
def knight_attacks(knights):
    reached = map(TABLE.__getitem__, chess.scan_forward(knights))
    return functools.reduce(operator.or_, reached, 0)
"""
IN_ONE_LINE = """
import functools, operator
TABLE = list(chess.BB_KNIGHT_ATTACKS)
def knight_attacks(knights):
    return functools.reduce(operator.or_, (TABLE[n] * (knights >> n & 1) for n in range(64)))
"""
KNIGHTS_ONE_BY_ONE = """
def knight_attacks(knights):
    reached = 0
    for square in chess.scan_forward(knights):
        for other in chess.SQUARES:
            if abs((other & 7) - (square & 7)) * abs((other >> 3) - (square >> 3)) == 2:
                reached |= 1 << other
    return reached
"""
ROOKS_ONE_BY_ONE = """
def rook_attacks(rooks, occupied):
    reached = 0
    for square in chess.scan_forward(rooks):
        for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            file, rank = (square & 7) + right, (square >> 3) + up
            while 0 <= file < 8 and 0 <= rank < 8:
                reached |= 1 << 8 * rank + file
                if occupied >> 8 * rank + file & 1:
                    break
                file, rank = file + right, rank + up
    return reached
"""

RIGHT = [
    ("s91-1", "", BY_SET),
    ("s91-1", "", BY_LOWEST_BIT),
    ("s91-2", "", EIGHT_SHIFTS),
    ("s91-2", "", BY_SETS),
    ("s91-2", "", STEP_BY_STEP),
    ("s91-3", "", BY_GENERATOR),
    ("s91-3", "board.is_checkmate()", "board.is_check() and not any(board.legal_moves)"),
    ("s91-4", "", BY_COMPARING.replace("    odd", f"{AGREED}    odd")),
    ("s91-4", "", BY_LEVELS.replace("    level", f"{AGREED}    level", 1)),
    ("s91-5", "", BY_FILLING),
    ("s91-5", "", BY_RECURSION),
]
WRONG = [
    ("s91-3", "board.is_checkmate()", "not any(board.legal_moves)", "number of mates is 1"),
    ("s91-1", "range(64)", "range(63)", "you leave out h8"),
    ("s91-1", "range(64)", "range(63, -1, -1)", "a1 comes first"),
    ("s91-1", "chess.square_name(n)", "n", "give names"),
    ("s91-1", "", BY_NAME, "not in the order of the bits"),
    ("s91-1", "square_name(n)", "square_name(n ^ 56)", "bit 0 is a1, not a8"),
    ("s91-1", "square_name(n)", "square_name(n % 8 * 8 + n // 8)", "bit 1 is b1, not a2"),
    ("s91-1", "squares >> n & 1", "squares >> 63 - n & 1", "the last digit of a binary number"),
    ("s91-1", "squares >> n & 1", "squares & n", "you leave out"),
    ("s91-1", "return [", "return chess.SquareSet(squares); [", "return a list"),
    ("s91-2", "knights & ~chess.BB_FILE_H, knights & ~chess.BB_FILE_A", "knights, knights", "wrap"),
    ("s91-2", "right & ~chess.BB_FILE_G, left & ~chess.BB_FILE_B", "right, left", "wrap"),
    ("s91-2", " & chess.BB_ALL", "", "beyond h8"),
    ("s91-2", "near << 16 | ", "", "also attack"),
    ("s91-2", "return (near", "return knights | (near", "two squares along a file or rank"),
    ("s91-2", "", KNIGHTS_ONE_BY_ONE, "a loop over squares"),
    ("s91-2", "", WITHOUT_BRANCHES, "a loop over squares"),
    ("s91-2", "", BY_KEPT_TABLE, "a loop over squares"),
    ("s91-2", "", IN_ONE_LINE, "a loop over squares"),
    ("s91-5", "", ROOKS_ONE_BY_ONE, "a loop over squares"),
    ("s91-2", "", EIGHT_SHIFTS.replace("& not_ab", "& not_a"), "wrap around the edge"),
    (
        "s91-2",
        "",
        "def knight_attacks(knights):\n    reached = 0\n"
        "    for square in chess.scan_forward(knights):\n"
        "        reached |= chess.BB_KNIGHT_ATTACKS[square]\n    return reached\n",
        "not the library's table",
    ),
    ("s91-3", "if depth == 1", "if True", "Count only the last move"),
    (
        "s91-3",
        "list(board.legal_moves)",
        "[] if board.is_game_over() else list(board.legal_moves)",
        "only mate and stalemate end one early",
    ),
    ("s91-3", "board.is_en_passant(move)", "0", "Ask before the push"),
    (
        "s91-3",
        "board.is_capture(move)",
        "board.is_capture(move) and not board.is_en_passant(move)",
        "An en-passant capture is a capture",
    ),
    ("s91-3", "move.promotion is not None", "move.promotion == chess.QUEEN", "to a rook"),
    ("s91-3", "board.is_checkmate()", "0", "Ask after the push"),
    ("s91-3", "board.is_check()", "board.is_check() and not board.is_checkmate()", "A mate is a"),
    ("s91-3", "board.is_castling(move)", "board.has_castling_rights(board.turn)", "Castling is"),
    ("s91-3", "        board.pop()\n", "", "The board changed"),
    ("s91-4", "in differences(ours, theirs)", "in ()", "returned None"),
    ("s91-4", "set(ours) ^ set(theirs)", "set(ours) - set(theirs)", "a move missing"),
    ("s91-4", "set(ours) ^ set(theirs)", "set(theirs) - set(ours)", "a move too many"),
    ("s91-4", "[], odd", "[], set(differences(ours, theirs))", "the lists differ in"),
    ("s91-4", "board.pop()", "pass", "The board changed"),
    ("s91-4", "[move, *below[0]]", "[*below[0], move]", "not legal there"),
    (
        "s91-4",
        "in differences(ours, theirs):",
        "in differences(ours, theirs):\n        if move.promotion not in (None, chess.QUEEN):\n"
        "            continue",
        "may lead over any promotion",
    ),
    (
        "s91-4",
        "    ours, theirs",
        "    if perft(board, depth, generate) == perft(board, depth):\n        return None\n"
        "    ours, theirs",
        "compare the moves as well as the numbers",
    ),
    (
        "s91-4",
        "divide(board, depth, generate), divide(board, depth)",
        "divide(board, min(depth, 2), generate), divide(board, min(depth, 2))",
        "The bug lies two plies deep",
    ),
    (
        "s91-4",
        "",
        BY_COMPARING.replace(
            "depth == 1:", "depth <= 2:\n        odd = set()\n    if depth == 1:"
        ).replace("find_bug(after, depth - 1", "find_bug(after, 1"),
        "The bug lies two plies deep",
    ),
    (
        "s91-4",
        "",
        BY_COMPARING.replace("set(", "list(").replace(
            "list(generate(board)) ^ list(board.legal_moves)",
            "set() if list(generate(board)) == list(board.legal_moves) else"
            " set(generate(board)) | set(board.legal_moves)",
        ),
        "the lists differ in",
    ),
    ("s91-4", "", BY_COMPARING, "even if the lists below differ"),
    ("s91-4", "", WITHOUT_A_TEST, "not ([], set())"),
    ("s91-4", "", ANY_DIFFERENCE, "it is not played"),
    ("s91-4", "", BY_LEVELS, "even if the lists below differ"),
    ("s91-4", "return [], odd", "return [], list(odd)", "and no set"),
    (
        "s91-4",
        "return [move, *below[0]], below[1]",
        "return (move, *below[0]), below[1]",
        "no list",
    ),
    ("s91-4", "return [], odd", "return [[], odd]", "Return a pair"),
    ("s91-5", "chess.BB_ALL & ~chess.BB_FILE_A", "chess.BB_ALL", "wrapped around the edge"),
    ("s91-5", "(8, chess.BB_ALL)", "(8, ~0)", "beyond h8"),
    ("s91-5", "            front &= ~occupied\n", "", "Something is between"),
    ("s91-5", "range(7)", "range(6)", "Nothing is between"),
    (
        "s91-5",
        "            attacked |= front\n            front &= ~occupied\n",
        "            front &= ~occupied\n            attacked |= front\n",
        "The first occupied square is attacked as well",
    ),
    ("s91-5", "attacked = 0", "attacked = rooks", "does not attack its own square"),
    (
        "s91-5",
        "            front &= ~occupied\n",
        "            if front & occupied:\n                break\n",
        "h3, h4, h5, h6, h7, h8 are missing",
    ),
    ("s91-5", "return attacked", "return chess.SquareSet(attacked)", "a plain number"),
    ("s91-5", "", BY_TABLES, "not the library's tables"),
]
SLOW = [
    ("s91-3", "    kinds: Counter", BY_KIND + "    kinds: Counter"),
]
