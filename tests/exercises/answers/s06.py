"""Answers to the exercises of s06: the solution with one place changed."""

_BY_HAND = """
def read_entry(data):
    number = int.from_bytes(data, "big")
    weight, raw = number >> 32 & 65535, number >> 48 & 65535
    names = [file + rank for rank in "12345678" for file in "abcdefgh"]
    promotion = {0: "", 1: "n", 2: "b", 3: "r", 4: "q"}[raw // 4096]
    return number >> 64, names[raw // 64 % 64] + names[raw % 64] + promotion, weight
"""
_SLICES = """
def read_entry(data):
    key, weight = int.from_bytes(data[:8], "big"), int.from_bytes(data[10:12], "big")
    raw = int.from_bytes(data[8:10], "big")
    move = chess.Move(raw >> 6 & 63, raw & 63, promotion=(raw >> 12) + 1 if raw >> 12 else None)
    return key, move.uci(), weight
"""
_BACK = """
def opening_name(board):
    ends = {line.board().epd(): line.name for line in lines()}
    back = board.copy()
    while True:
        if back.epd() in ends:
            return ends[back.epd()]
        if not back.move_stack:
            return ""
        back.pop()
"""
_SEARCH = """
def opening_name(board):
    popped, found = [], ""
    while not found:
        for line in lines():
            if line.board().epd() == board.epd():
                found = line.name
        if not board.move_stack:
            break
        if not found:
            popped.append(board.pop())
    for move in reversed(popped):
        board.push(move)
    return found
"""
_IN_THE_FILE = """
def opening_name(board):
    back, reached = board.copy(), {board.epd()}
    while back.move_stack:
        back.pop()
        reached.add(back.epd())
    names = [line.name for line in lines() if line.board().epd() in reached]
    return names[-1] if names else ""
"""
_LONGEST = """
def opening_name(board):
    ends = {line.board().epd(): line for line in lines()}
    replay, found = board.root(), []
    for move in [None, *board.move_stack]:
        if move:
            replay.push(move)
        found += [ends[replay.epd()]] if replay.epd() in ends else []
    return max(found, key=lambda line: len(line.moves)).name if found else ""
"""
_POINTS = """
def points_book(games, max_plies):
    totals = {}
    for game in games:
        winner = {"1-0": True, "0-1": False, "1/2-1/2": None}.get(game.headers["Result"], "none")
        if winner == "none":
            continue
        for node in game.mainline():
            if node.ply() - game.ply() > max_plies:
                break
            board = node.parent.board()
            won = 1 if winner is None else 2 * (board.turn == winner)
            if won:
                entry = make_entry(board, node.move, 0)
                totals[entry] = totals.get(entry, 0) + won
    return sorted((e._replace(weight=n) for e, n in totals.items()), key=book_order)
"""
_POINTS_BY_FEN = _POINTS.replace(
    "                totals[entry] = totals.get(entry, 0) + won\n",
    "                place = board.fen(), node.move\n"
    "                totals[place] = totals.get(place, 0) + won\n",
).replace(
    "    return sorted((e._replace(weight=n) for e, n in totals.items()), key=book_order)\n",
    "    entries = [make_entry(chess.Board(f), m, n) for (f, m), n in totals.items()]\n"
    "    return sorted(entries, key=book_order)\n",
)
_REPERTOIRE = """
def repertoire(entries, colour):
    found = set()

    def walk(board):
        key = chess.polyglot.zobrist_hash(board)
        here = [entry for entry in entries if entry.key == key]
        if board.turn == colour and here:
            best = max(entry.weight for entry in here)
            here = [min((e for e in here if e.weight == best), key=lambda e: e.move.uci())]
        for entry in here:
            if entry not in found:
                found.add(entry)
                board.push(entry.move)
                walk(board)
                board.pop()

    walk(chess.Board())
    return sorted(found, key=book_order)
"""

_ROAD = """
def main_road(book, plies, board=None):
    board = board or chess.Board()
    replies = book.moves(board) if plies else {}
    if not replies:
        return []
    best = sorted(replies, key=lambda move: (-replies[move], move.uci()))[0]
    san = board.san(best)
    board.push(best)
    return [san, *main_road(book, plies - 1, board)]
"""

RIGHT = [
    ("s06-5", "", _ROAD),
    (
        "s06-5",
        'board.san_and_push(pick(replies, "best", random.Random()))',
        "board.san_and_push(max(sorted(replies, key=str), key=replies.get))",
    ),
    ("s06-1", "", _BY_HAND),
    ("s06-1", "", _SLICES),
    (
        "s06-1",
        'return key, move + " nbrq"[raw >> 12].strip(), weight',
        'return [key, move + " nbrq"[raw >> 12].strip(), weight]',
    ),
    ("s06-2", "", _BACK),
    ("s06-2", "", _SEARCH),
    ("s06-3", "", _POINTS),
    ("s06-3", "if board.turn == chess.WHITE", "if board.ply() % 2 == 0"),
    ("s06-4", "", _REPERTOIRE),
    ("s06-4", "waiting.pop()", "waiting.pop(0)"),
]
WRONG = [
    ("s06-2", "", _LONGEST, "need not be the longest"),
    ("s06-2", "", _SEARCH.replace(".epd()", ".epd().split()[:2]"), "lost a right to castle"),
    ("s06-2", "line.name for", 'line.name.split(":")[0] for', "with its whole name"),
    (
        "s06-3",
        "entry = make_entry(board, move, weight=0)",
        "entry = make_entry(board, move, 0)._replace(move=move, raw_move=move.from_square << 6"
        " | move.to_square)",
        "king taking its rook",
    ),
    (
        "s06-5",
        'pick(replies, "best", random.Random())',
        "min(sorted(replies, key=str), key=replies.get)",
        "each side plays the heaviest move",
    ),
    (
        "s06-5",
        'pick(replies, "best", random.Random())',
        "max(replies, key=replies.get)",
        "Of equal weights the first",
    ),
    ("s06-5", "len(sans) < plies", "len(sans) <= plies", "At most 0 plies"),
    ("s06-5", "board.san_and_push(", "board.push(", "not [None]"),
    (
        "s06-5",
        "while len(sans) < plies and (replies := book.moves(board)):",
        "while len(sans) < plies:\n        replies = book.moves(board)",
        "stop where it has no reply",
    ),
    (
        "s06-5",
        "while len(sans) < plies and",
        "while len(sans) < min(plies, 2) and",
        "until the book ends",
    ),
    ("s06-1", '">QHHI"', '"<QHHI"', "eight bytes, the highest first"),
    ("s06-1", '">QHHI"', '">QHIH"', "big-endian, two bytes"),
    (
        "s06-1",
        "squares[raw >> 6 & 63] + squares[raw & 63]",
        "squares[raw & 63] + squares[raw >> 6 & 63]",
        "Target in the lowest six bits",
    ),
    ("s06-1", '" nbrq"', '"nbrq "', "0 is none"),
    ("s06-1", '" nbrq"', '" qrbn"', "4 queen"),
    ("s06-1", ' + " nbrq"[raw >> 12].strip()', "", "4 queen"),
    ("s06-1", "raw >> 6 & 63", "raw >> 6", "IndexError"),
    (
        "s06-1",
        "    return key, move",
        '    move = {"e1h1": "e1g1"}.get(move, move)\n    return key, move',
        "as it is written",
    ),
    ("s06-1", "return key, move", "return f'{key:x}', move", "The key is"),
    ("s06-2", "replay.epd(), name)", "replay.epd(), '')", "Keep the last name"),
    ("s06-2", 'name = names.get(replay.epd(), "")', 'name = ""', "can still have a name"),
    ("s06-2", "replay = board.root()", "replay = chess.Board()", "may begin in another position"),
    ("s06-2", "replay = board.root()", "replay = board\n    replay.reset()", "The board changed"),
    (
        "s06-2",
        "name = names.get(replay.epd(), name)",
        "name = name or names.get(replay.epd(), name)",
        "The last name on the way",
    ),
    (
        "s06-2",
        "        replay.push(move)\n        name = names.get(replay.epd(), name)",
        "        name = names.get(replay.epd(), name)\n        replay.push(move)",
        "up to the present position",
    ),
    (
        "s06-2",
        "",
        "def opening_name(board):\n"
        "    names = {line.moves: line.name for line in lines()}\n"
        "    moves = tuple(board.move_stack)\n"
        "    found = [names[moves[:n]] for n in range(len(moves) + 1) if moves[:n] in names]\n"
        "    return found[-1] if found else ''\n",
        "go by position",
    ),
    ("s06-2", "", _BACK.replace("epd()", "board_fen()"), "it is White's turn"),
    ("s06-2", "", _IN_THE_FILE, "not the last one in the file"),
    ("s06-2", "", _BACK.replace('return ""', "return None"), "return an empty string"),
    # The side by the number of the ply.
    (
        "s06-3",
        "        for move in main_line(game)[:max_plies]:\n"
        "            entry = make_entry(board, move, weight=0)\n"
        "            points[entry] += white if board.turn == chess.WHITE else 2 - white",
        "        for ply, move in enumerate(main_line(game)[:max_plies]):\n"
        "            entry = make_entry(board, move, weight=0)\n"
        "            points[entry] += white if ply % 2 == 0 else 2 - white",
        "begins with Black to move",
    ),
    ("s06-3", "", _POINTS_BY_FEN, "reached in two ways"),
    ("s06-3", "2 - white", "white", "Points go to the side that made the move"),
    ("s06-3", '"1-0": 2', '"1-0": 1', "5 points"),
    ("s06-3", '"0-1": 0}', '"0-1": 0, "*": 1}', "without a result counts for nothing"),
    ("s06-3", "[:max_plies]", "", "no more than max_plies"),
    ("s06-3", " if n]", "]", "without points gets no entry"),
    ("s06-3", "sorted(weighted, key=book_order)", "weighted", "Sort the entries"),
    (
        "s06-3",
        "sorted(weighted, key=book_order)",
        "sorted(weighted, key=lambda e: -e.weight)",
        "Sort the entries",
    ),
    (
        "s06-3",
        "            points[entry] += white if board.turn == chess.WHITE else 2 - white\n"
        "            board.push(move)",
        "            side = board.turn\n"
        "            board.push(move)\n"
        "            entry = entry._replace(key=chess.polyglot.zobrist_hash(board))\n"
        "            points[entry] += white if side == chess.WHITE else 2 - white",
        "from the position before the move",
    ),
    # Sorting the list that was given.
    (
        "s06-4",
        "    by_key: dict",
        "    entries.sort(key=book_order)\n    by_key: dict",
        "must stay as it was",
    ),
    ("s06-4", "board.turn == colour", "board.turn != colour", "one first move"),
    ("s06-4", "if board.turn == colour:", "if here:", "every reply of Black"),
    ("s06-4", "if board.turn == colour:", "if False:", "one first move"),
    ("s06-4", "(-e.weight, e.move.uci())", "(e.weight, e.move.uci())", "one first move"),
    ("s06-4", "(-e.weight, e.move.uci())", "-e.weight", "d7d5 comes before g8f6"),
    ("s06-4", "sorted(needed, key=book_order)", "needed", "Sort"),
    ("s06-4", "waiting = [chess.Board()]", "waiting = []", "one first move"),
    (
        "s06-4",
        "",
        "def repertoire(entries, colour):\n"
        "    best = {}\n"
        "    for e in sorted(entries, key=lambda e: (e.weight, e.move.uci())):\n"
        "        best[e.key] = e\n"
        "    rank = '12' if colour else '78'\n"
        "    ours = {e.key for e in entries if e.move.uci()[1] in rank}\n"
        "    return sorted((e for e in entries if e.key not in ours or best[e.key] == e),\n"
        "                  key=book_order)\n",
        "leave them out",
    ),
    (
        "s06-4",
        "",
        _REPERTOIRE.replace("found = set()", "found = []")
        .replace("if entry not in found:", "if True:")
        .replace("found.add", "found.append"),
        "is there twice",
    ),
]
