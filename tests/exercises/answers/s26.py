"""Answers to the exercises of s26."""

BY_SQUARES = """
def sideways(squares, files):
    return sum(
        1 << square + files
        for square in chess.scan_forward(squares)
        if 0 <= square % 8 + files < 8
    )
"""
STEP_BY_STEP = """
def sideways(squares, files):
    for _ in range(abs(files)):
        if files > 0:
            squares = (squares & ~chess.BB_FILE_H) << 1
        else:
            squares = (squares & ~chess.BB_FILE_A) >> 1
    return squares
"""
ONE_FILE = """
def sideways(squares, files):
    if files > 0:
        return (squares & ~chess.BB_FILE_H) << files & chess.BB_ALL
    return (squares & ~chess.BB_FILE_A) >> -files if files else squares
"""
WRAPS = """
def sideways(squares, files):
    return (squares << files if files >= 0 else squares >> -files) & chess.BB_ALL
"""
AFTERWARDS = """
def sideways(squares, files):
    if files >= 0:
        return squares << files & ~sum(chess.BB_FILES[:files])
    return squares >> -files & ~sum(chess.BB_FILES[files:])
"""
BY_WALKS = """
def second_sight(square, occupied):
    steps = LINE_STEPS[RANK] + LINE_STEPS[FILE]
    once = walk(square, steps, int(occupied))
    twice = walk(square, steps, int(occupied) & ~once)
    return Bits(twice & ~once)
"""
BY_LINES = """
def second_sight(square, occupied):
    found = ZERO
    for direction in (RANK, FILE):
        near = Bits(along(direction, square, occupied))
        found |= Bits(along(direction, square, occupied & ~near)) ^ near
    return found
"""
BY_PYTHON_CHESS = """
def mobility_of(position, side):
    board = to_board(position)
    return sum(
        len(board.attacks(square) - board.occupied_co[side])
        for kind in (KNIGHT, BISHOP, ROOK, QUEEN)
        for square in board.pieces(kind, bool(side))
    )
"""
BY_SQUARE = """
def mobility_of(position, side):
    own = position.colors[side]
    occupied = own | position.colors[side ^ 1]
    return sum(
        int(popcount(reach(kind_at(position, square), square, occupied) & ~own))
        for square in range(64)
        if own & BIT[square] and PAWN < kind_at(position, square) < KING
    )
"""
BY_LIST = """
def mobility_of(position, side):
    moves = np.zeros(256, np.int64)
    count = generate(position, ALL, ALL, moves)
    return sum(KNIGHT <= move >> 15 <= QUEEN for move in moves[:count])
"""
TOGETHER = """
def mobility_of(position, side):
    own = position.colors[side]
    occupied = own | position.colors[side ^ 1]
    found = ZERO
    for square in range(64):
        if own & BIT[square] and PAWN < kind_at(position, square) < KING:
            found |= reach(kind_at(position, square), square, occupied) & ~own
    return int(popcount(found))
"""
HALVES_FIRST = """
def upside_down(bits):
    bits = bits >> Bits(32) | bits << Bits(32)
    low = Bits(0x0000FFFF0000FFFF)
    bits = bits >> Bits(16) & low | (bits & low) << Bits(16)
    low = Bits(0x00FF00FF00FF00FF)
    return bits >> Bits(8) & low | (bits & low) << Bits(8)
"""
RANK_BY_RANK = """
def upside_down(bits):
    low = Bits(255)
    return (
        (bits & low) << Bits(56)
        | (bits >> Bits(8) & low) << Bits(48)
        | (bits >> Bits(16) & low) << Bits(40)
        | (bits >> Bits(24) & low) << Bits(32)
        | (bits >> Bits(32) & low) << Bits(24)
        | (bits >> Bits(40) & low) << Bits(16)
        | (bits >> Bits(48) & low) << Bits(8)
        | bits >> Bits(56)
    )
"""
SIGNED = """
def upside_down(bits):
    single, double = 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF
    bits = bits >> 8 & single | (bits & single) << 8
    bits = bits >> 16 & double | (bits & double) << 16
    return bits >> 32 | bits << 32
"""
BY_LIBRARY = """
def upside_down(bits):
    return Bits(chess.flip_vertical(int(bits)))
"""
FILES = """
def upside_down(bits):
    odd = Bits(0x5555555555555555)
    pairs = Bits(0x3333333333333333)
    fours = Bits(0x0F0F0F0F0F0F0F0F)
    bits = bits >> Bits(1) & odd | (bits & odd) << Bits(1)
    bits = bits >> Bits(2) & pairs | (bits & pairs) << Bits(2)
    return bits >> Bits(4) & fours | (bits & fours) << Bits(4)
"""
ANY_BITS = "magic = rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64)"
BY_LISTS = """
def find_magic(square, rng):
    steps = LINE_STEPS[DIAGONAL] + LINE_STEPS[ANTIDIAGONAL]
    edge = chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H
    mask = walk(square, steps) & ~edge
    squares = list(chess.scan_forward(mask))
    sets = [
        sum(1 << s for i, s in enumerate(squares) if chosen >> i & 1)
        for chosen in range(1 << len(squares))
    ]
    answers = [walk(square, steps, blockers) for blockers in sets]
    while True:
        magic = rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64)
        table = [0] * len(sets)
        for blockers, reached in zip(sets, answers):
            index = (blockers * magic & (1 << 64) - 1) >> 64 - len(squares)
            if table[index] not in (0, reached):
                break
            table[index] = reached
        else:
            return magic
"""
IN_A_LOOP = """
def upside_down(bits):
    result = Bits(0)
    for rank in range(8):
        result |= (bits >> Bits(8 * rank) & Bits(255)) << Bits(56 - 8 * rank)
    return result
"""

WITH_A_HELPER = """
@compiled
def swap(bits, step, mask):
    return bits >> step & mask | (bits & mask) << step


def upside_down(bits):
    bits = swap(bits, Bits(8), Bits(0x00FF00FF00FF00FF))
    bits = swap(bits, Bits(16), Bits(0x0000FFFF0000FFFF))
    return swap(bits, Bits(32), Bits(0x00000000FFFFFFFF))
"""
LOOP_IN_A_HELPER = """
@compiled
def mirror(bits):
    turned = Bits(0)
    for rank in range(8):
        turned |= (bits >> Bits(8 * rank) & Bits(255)) << Bits(56 - 8 * rank)
    return turned


def upside_down(bits):
    return Bits(mirror(bits))
"""
RIGHT = [
    (
        "s26-4",
        "",
        "def upside_down(bits, one=Bits(0x00FF00FF00FF00FF), two=Bits(0x0000FFFF0000FFFF)):\n"
        "    bits = bits >> Bits(8) & one | (bits & one) << Bits(8)\n"
        "    bits = bits >> Bits(16) & two | (bits & two) << Bits(16)\n"
        "    return bits >> Bits(32) | bits << Bits(32)\n",
    ),
    ("s26-1", "", BY_SQUARES),
    ("s26-1", "", STEP_BY_STEP),
    ("s26-2", "", BY_WALKS),
    ("s26-2", "", BY_LINES),
    ("s26-3", "", BY_PYTHON_CHESS),
    ("s26-3", "", BY_SQUARE),
    ("s26-4", "", HALVES_FIRST),
    ("s26-4", "", RANK_BY_RANK),
    ("s26-4", "", WITH_A_HELPER),
    ("s26-5", "", BY_LISTS),
    ("s26-5", ANY_BITS, "magic = rng.getrandbits(64) & rng.getrandbits(64)"),
]
WRONG = [
    ("s26-1", "", WRAPS, "came in on the other side"),
    ("s26-1", "", ONE_FILE, "came in on the other side"),
    ("s26-1", "", AFTERWARDS, "a bit beyond h8"),
    ("s26-1", "    if files >= 0:", "    files = -files\n    if files >= 0:", "are exchanged"),
    ("s26-1", "chess.BB_FILES[: 8 - files]", "chess.BB_FILES[: 7 - files]", "must be there, too"),
    ("s26-1", "(squares & stays) << files", "(squares & stays) << files + 1", "must not be there"),
    ("s26-2", " & ~reached", "", "without taking off a piece"),
    ("s26-2", "occupied ^ first)", "ZERO)", "cannot be seen, even then"),
    ("s26-2", "= Bits(straights(", "= Bits(diagonals(", "without taking"),
    ("s26-2", "return Bits(straights(square, occupied ^ first))", "return occupied", "cannot be"),
    ("s26-2", " & ~reached", " & ~reached & ~occupied", "must be there, too"),
    ("s26-2", "= Bits(straights(square, occupied))", "= straights(square, occupied)", "put `Bits"),
    ("s26-3", " & ~own)", ")", "own pieces do not count"),
    ("s26-3", "", BY_LIST, "not legal moves"),
    ("s26-3", "", TOGETHER, "counts twice"),
    (
        "s26-3",
        "    return total",
        "    king = king_square(position, side)\n"
        "    return total + popcount(JUMPS[KING, king] & ~own)",
        "the king does not count",
    ),
    ("s26-3", "range(KNIGHT, KING)", "range(KNIGHT, QUEEN)", "the queens are missing"),
    ("s26-3", "    own =", "    side = position.turn\n    own =", "not for the side to move"),
    ("s26-3", "own | position.colors[side ^ 1]", "own", "not"),
    ("s26-4", "", SIGNED, "Make each number of your code unsigned"),
    ("s26-4", "", IN_A_LOOP, "There is a loop"),
    ("s26-4", "", LOOP_IN_A_HELPER, "There is a loop"),
    ("s26-2", "return Bits(straights(square, occupied ^ first))", "return -1", "is below 0"),
    ("s26-4", "", BY_LIBRARY, "Numba cannot compile it"),
    ("s26-4", "", FILES, "exchanges files, not ranks"),
    ("s26-4", "return bits >> Bits(32) | bits << Bits(32)", "return bits", "the result has"),
    ("s26-4", "(bits & DOUBLE) <<", "bits <<", "the result has"),
    ("s26-5", " & ~EDGE", "", "leave out its squares"),
    ("s26-5", "if table.setdefault(index, squares) != squares:", "if False:", "share an index"),
    ("s26-5", ANY_BITS, ANY_BITS.replace("rng", "random"), "from `rng`"),
    ("s26-5", "64 - count", "63 - count", "share an index"),
    ("s26-5", "return magic", "return str(magic)", "return an integer"),
]
