"""Answers to the exercises of s25: right in another form, and wrong in ways that are likely."""

BY_REGEX = r"""
def read_info(line):
    line, _, _ = line.partition(" string")
    depth = re.search(r"\bdepth (\d+)", line)
    score = re.search(r"\bscore (cp|mate) (-?\d+)", line)
    kinds = {"cp": chess.engine.Cp, "mate": chess.engine.Mate}
    pv = re.search(r"\bpv((?: [a-h][1-8][a-h][1-8][nbrq]?)+)", line)
    return (
        int(depth[1]) if depth else None,
        kinds[score[1]](int(score[2])) if score else None,
        [chess.Move.from_uci(text) for text in pv[1].split()] if pv else [],
    )
"""
BY_WORDS = """
def read_info(line):
    words = line.split(" string ")[0].split()
    after, score, moves = dict(zip(words, words[1:])), None, []
    if "score" in words:
        number = int(words[words.index("score") + 2])
        score = chess.engine.Cp(number) if after["score"] == "cp" else chess.engine.Mate(number)
    try:
        for word in words[words.index("pv") + 1 :]:
            moves.append(chess.Move.from_uci(word))
    except ValueError:
        pass  # no pv, or its end
    return int(after["depth"]) if "depth" in after else None, score, moves
"""
WITH_PYTHON_CHESS = """
def white_share(turn, score):
    kind, number = score.split()[:2]
    value = (chess.engine.Cp if kind == "cp" else chess.engine.Mate)(int(number))
    if kind == "mate":
        wins = value > chess.engine.Cp(0)
        return float(wins == turn)
    return 1 / (1 + 10 ** (-chess.engine.PovScore(value, turn).white().score() / 400))
"""
SIGNED = """
def white_share(turn, score):
    kind, number, *_ = score.split()
    sign = 1 if turn else -1
    if kind == "mate":
        return (1 + sign * (1 if int(number) > 0 else -1)) / 2
    return 1 / (1 + math.pow(10, -sign * int(number) / 400))
"""
HALF_AT_THE_END = """
def plan(clock, increment, moves_to_go):
    spare = max(clock - 50, 0)
    moves = 40 if moves_to_go is None else moves_to_go + 0.5
    return min(spare / moves + 0.4 * increment, 0.8 * spare)
"""
WHOLE_MILLISECONDS = """
def plan(clock, increment, moves_to_go):
    if clock <= 50:
        return 0
    share = (clock - 50) / ((moves_to_go or 35) + 1)
    return int(min(share + increment / 2, (clock - 50) * 0.7)) if moves_to_go != 1 else (
        (clock - 50) * 0.8
    )
"""
WITH_A_POOL = """
def talk(lines, think, say):
    from concurrent.futures import ThreadPoolExecutor
    stopped, searching = threading.Event(), []

    def answer(event):
        text = think(event)
        searching.clear()
        say("bestmove " + text)

    with ThreadPoolExecutor(2) as pool:
        for line in lines:
            if line == "quit":
                break
            if line == "isready":
                say("readyok")
            if line == "stop":
                stopped.set()
            if line == "go" and not searching:
                stopped = threading.Event()
                searching.append(stopped)
                pool.submit(answer, stopped)
        stopped.set()
"""
ONE_WORKER = """
def talk(lines, think, say):
    orders, idle = queue.Queue(), threading.Event()
    idle.set()

    def work():
        while (event := orders.get()) is not None:
            move = think(event)
            idle.set()
            say("bestmove " + move)

    worker, event = threading.Thread(target=work), None
    worker.start()
    for line in lines:
        if line == "isready":
            say("readyok")
        elif line == "go" and idle.is_set():
            idle.clear()
            event = threading.Event()
            orders.put(event)
        elif line == "stop" and event:
            event.set()
        elif line == "quit":
            break
    if event:
        event.set()
    orders.put(None)
    worker.join()
"""
ONE_EVENT = """
def talk(lines, think, say):
    stopped, workers = threading.Event(), []
    busy = threading.Event()
    def answer():
        move = think(stopped)
        busy.clear()
        say("bestmove " + move)
    for line in lines:
        if line == "isready":
            say("readyok")
        elif line == "go" and not busy.is_set():
            busy.set()
            workers.append(threading.Thread(target=answer))
            workers[-1].start()
        elif line == "stop":
            stopped.set()
        elif line == "quit":
            break
    stopped.set()
    for worker in workers:
        worker.join()
"""
ONE_THREAD = """
def talk(lines, think, say):
    stopped = threading.Event()
    for line in lines:
        if line == "isready":
            say("readyok")
        elif line == "go":
            stopped = threading.Event()
            say("bestmove " + think(stopped))
        elif line == "stop":
            stopped.set()
        elif line == "quit":
            return
"""
GENTLE = """
class GentleEngine(Engine):
    def __init__(self, engine, slip, rng):
        self.engine, self.slip, self.rng = engine, slip, rng

    def play(self, board, limit=None):
        best, *others = self.engine.analyse(board, limit)
        choice = best.move
        if self.rng.random() < self.slip and others:
            if not self.is_blunder(board.copy(), others[0].move):
                choice = others[0].move
        return chess.engine.PlayResult(choice, None)

    def is_blunder(self, board, move):
        board.push(move)
        return any(CHECKMATE for reply in list(board.legal_moves))

    def analyse(self, board, limit=None):
        return self.engine.analyse(board, limit)

    def new_game(self, rng=None):
        if rng is not None:
            self.rng = rng
        self.engine.new_game(rng)
"""
BY_SAN = GENTLE.replace("CHECKMATE", 'board.san(reply).endswith("#")')
BY_PUSHING = (
    GENTLE.replace("CHECKMATE", "mates(board, reply)")
    + """

def mates(board, reply):
    board.push(reply)
    try:
        return board.is_checkmate()
    finally:
        board.pop()
"""
)
BY_PLAYING = BY_SAN.replace("self.rng.random() < self.slip and others", "others").replace(
    "        best, *others",
    """        if self.rng.random() >= self.slip:
            return self.engine.play(board, limit)
        best, *others""",
)

RIGHT = [
    ("s25-1", "", BY_REGEX),
    ("s25-1", "", BY_WORDS),
    ("s25-2", "", WITH_PYTHON_CHESS),
    ("s25-2", "", SIGNED),
    ("s25-3", "", HALF_AT_THE_END),
    ("s25-3", "", WHOLE_MILLISECONDS),
    ("s25-4", "", WITH_A_POOL),
    ("s25-4", "", ONE_WORKER),
    ("s25-5", "", BY_SAN),
    ("s25-5", "", BY_PUSHING),
    ("s25-5", "", BY_PLAYING),
]
WRONG = [
    (
        "s25-2",
        "kind, number = score.split()[:2]",
        'kind, number = score.split() if "mate" in score else score.split()[:2]',
        "ValueError",
    ),
    (
        "s25-4",
        "    for worker in workers:\n        worker.join()",
        "    workers[-1].join()",
        "IndexError",
    ),
    (
        "s25-4",
        "            stopped.set()\n",
        "            stopped.set()\n"
        "            for worker in workers:\n"
        "                worker.join()\n",
        "still ending after 'stop'",
    ),
    ("s25-5", "after = board.copy(stack=False)", "after = board", "as it was"),
    (
        "s25-5",
        "slips and not self",
        "slips and not board.turn or slips and not self",
        "White mates on h5",
    ),
    ("s25-1", "[nbrq]?", "q?", "expected the moves"),
    ("s25-1", "return depth, score", "return depth or None, score", "expected the depth 0"),
    ("s25-1", 'words[words.index("depth") + 1]', "re.search(r'depth (\\d+)', line)[1]", "seldepth"),
    ("s25-1", 'if "string" in words', 'if "no string" in words', "free text behind 'string'"),
    ("s25-1", 'if kind == "cp" else', "if True else", "Mate for moves"),
    ("s25-1", "            break\n", "            continue\n        break\n", "behind pv"),
    ("s25-1", "return depth, score, moves", "return depth, score", "Return a triple"),
    ("s25-2", "share if turn == chess.WHITE else 1 - share", "share", "side to move"),
    ("s25-2", "float(value > 0)", "float(value >= 0)", "it has lost"),
    ("s25-2", "float(value > 0)", "float(value > 0) / value", "however far away"),
    ("s25-2", "10 ** (-value / 400)", "10 ** (value / 400)", "side to move"),
    ("s25-2", "-value / 400", "-value / 4", "expected 0.909"),
    ("s25-3", "0.9 * spare / (moves_to_go or 30)", "0.5 * spare / (moves_to_go or 30)", "half"),
    ("s25-3", "(moves_to_go or 30)", "30", "take at least half"),
    ("s25-3", " + 0.5 * increment", "", "Use the increment"),
    (
        "s25-3",
        "    share =",
        "    if moves_to_go is None:\n        return min(20, spare)\n    share =",
        "the more; moves to go None",
    ),
    (
        "s25-3",
        "share = 0.9 * spare / (moves_to_go or 30)",
        "share = spare * (0.6 - 0.01 * moves_to_go) if moves_to_go else spare / 30",
        "less than 1/800",
    ),
    (
        "s25-4",
        "            break\n    stopped.set()\n    for worker in workers:\n        worker.join()",
        "            stopped.set()\n            for worker in workers:\n"
        "                worker.join()\n            break",
        "At the end of the lines",
    ),
    ("s25-3", ", 0.9 * spare)", ", clock)", "leaves less than 50 ms"),
    ("s25-3", "max(clock - 50, 0)", "clock - 50", "below 0"),
    ("s25-4", "        busy.clear()\n        say(f", "        say(f", "at once after a 'bestmove'"),
    ("s25-4", "", ONE_THREAD, "run think in another thread"),
    ("s25-4", "", ONE_EVENT, "an event of its own"),
    (
        "s25-4",
        "        move = think(stopped)\n",
        "        stopped.clear()\n        move = think(stopped)\n",
        "must not be lost",
    ),
    ("s25-4", "    for worker in workers:\n        worker.join()", "", "wait for it"),
    ("s25-5", "self.analyse(board, limit)", "self.analyse(board)", "Pass the limit"),
    ("s25-5", "", BY_PLAYING.replace("play(board, limit)", "play(board)"), "Pass the limit"),
    ("s25-5", "self.rng = rng or self.rng", "self.rng = rng", "AttributeError"),
    ("s25-5", "self.rng.random() < self.slip", "self.rng.random() > self.slip", "a chance of 0.0"),
    ("s25-5", "slips and not self.allows_mate(board, moves[1])", "slips", "Black mates on h4"),
    ("s25-5", "        self.engine.new_game(rng)", "        pass", "must reach the other engine"),
    ("s25-5", "self.engine.new_game(rng)", "self.engine.new_game(self.rng)", "pass none on"),
    (
        "s25-5",
        "bool(mating_moves(after, 1))",
        "any(map(after.gives_check, after.legal_moves))",
        "check but not mate",
    ),
    (
        "s25-5",
        "",
        BY_SAN.replace(
            "return self.engine.analyse(board, limit)", "return self.engine.analyse(board)"
        ),
        "Pass the limit",
    ),
    ("s25-5", "self.engine.new_game(rng)", "self.engine.new_game()", "Pass the rng of new_game on"),
]
# The first search waits in vain for its event.
SLOW = [
    ("s25-4", 'elif line == "go" and not busy.is_set():', 'elif line == "go":', "is ignored"),
]
