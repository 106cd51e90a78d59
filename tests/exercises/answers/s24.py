"""Answers to the exercises of s24: the solution with one place changed."""

_NORMAL = """
def games_needed(margin, draws):
    from statistics import NormalDist
    z = NormalDist().inv_cdf(0.975)
    score = margin * math.log(10) / 1600
    return math.ceil((1 - draws) / 4 / (score / z) ** 2)
"""
_SEARCH = """
def games_needed(margin, draws):
    games = 1
    while 1.96 * math.sqrt((1 - draws) / 4 / games) * 1600 / math.log(10) > margin:
        games += 1
    return games
"""
_CDF = """
def superiority(pairs):
    from statistics import NormalDist
    if pairs.variance == 0:
        return {-1: 0.0, 0: 0.5, 1: 1.0}[(pairs.score > 0.5) - (pairs.score < 0.5)]
    return 1 - NormalDist(pairs.score, math.sqrt(pairs.variance / pairs.total)).cdf(0.5)
"""
_ERFC = """
def superiority(pairs):
    behind = 0.5 - pairs.score
    if not pairs.variance:
        return 0.5 if not behind else (0.0 if behind > 0 else 1.0)
    return math.erfc(behind / math.sqrt(2 * pairs.variance / pairs.total)) / 2
"""
_RUNS = """
def adjudicate(scores):
    white = black = level = 0
    for score in scores:
        white = white + 1 if score >= 500 else 0
        black = black + 1 if score <= -500 else 0
        level = level + 1 if -15 <= score <= 15 else 0
    if white >= 8:
        return "1-0"
    if black >= 8:
        return "0-1"
    return "1/2-1/2" if level >= 16 and len(scores) >= 80 else None
"""
_BY_PAIRS = """
def bootstrap(pairs, rng):
    urn = [s for s, n in zip(PAIR_SCORES, pairs.counts) for _ in range(n)]
    scores = [sum(rng.choice(urn) for _ in urn) / len(urn) for _ in range(1000)]
    scores.sort()
    return scores[25], scores[-26]
"""
_BOOTSTRAP = "def bootstrap(pairs, rng):\n    "
_SUMS = """
def timetable(players):
    seats = list(players) + [None] * (len(players) % 2)
    last, rounds = len(seats) - 1, []
    for number in range(last):
        pairs = [(seats[last], seats[number * (last + 1) // 2 % last])]
        for i in range(last):
            for j in range(i + 1, last):
                if (i + j) % last == number:
                    pairs.append((seats[i], seats[j]))
        rounds.append([pair for pair in pairs if None not in pair])
    return rounds
"""
_GREEDY = """
def timetable(players):
    rounds = []
    for i, a in enumerate(players):
        for b in players[i + 1:]:
            for pairs in rounds:
                if not any({a, b} & {*pair} for pair in pairs):
                    pairs.append((a, b))
                    break
            else:
                rounds.append([(a, b)])
    return rounds
"""
_LOOP = """
def spsa(start, play, steps, a, c, rng):
    x, k = start[:], 0
    while k < steps:
        k += 1
        signs = [1 if rng.random() < 0.5 else -1 for _ in start]
        up = [x[i] + c * k ** -0.1 * signs[i] for i in range(len(x))]
        down = [x[i] - c * k ** -0.1 * signs[i] for i in range(len(x))]
        score = play(up, down)
        for i in range(len(x)):
            x[i] += a * (k + 20) ** -0.6 * (score - 0.5) * signs[i]
    return x
"""
_ARRAYS = """
def spsa(start, play, steps, a, c, rng):
    x = np.array(start)
    for k in range(1, steps + 1):
        delta = np.array([rng.choice([-1, 1]) for _ in start])
        step = c / k**0.1 * delta
        score = play(list(x + step), list(x - step))
        x = x + a / (k + 20) ** 0.6 * (score - 0.5) * delta
    return [float(value) for value in x]
"""

_FOR_MANY = """
def bootstrap(pairs, rng):
    reach = 1.96 * math.sqrt(pairs.variance / pairs.total)
    return pairs.score - reach, pairs.score + reach
"""

_CURVE = """
def games_needed(margin, draws):
    return math.ceil((1.96 / (expected_score(margin) - 0.5)) ** 2 * (1 - draws) / 4)
"""

RIGHT = [
    ("s24-5", "return rounds", "return (pairs for pairs in rounds)"),
    ("s24-1", "", _NORMAL),
    ("s24-1", "", _SEARCH),
    ("s24-2", "", _CDF),
    ("s24-2", "", _ERFC),
    ("s24-3", "", _RUNS),
    ("s24-3", "abs(score) <= 15", "-16 < score < 16"),
    ("s24-4", "return scores[25], scores[974]", "return [scores[24], scores[975]]"),
    ("s24-4", "", _BY_PAIRS),
    ("s24-5", "", _SUMS),
    ("s24-5", "[seats[-1], *seats[1:-1]]", "[*seats[2:], seats[1]]"),
    ("s24-6", "", _LOOP),
    ("s24-6", "", _ARRAYS),
]
WRONG = [
    (
        "s24-3",
        "    if len(scores) >= 8 and min",
        "    if len(scores) >= 80:\n"
        "        level = all(abs(s) <= 15 for s in scores[-16:])\n"
        "        return '1/2-1/2' if level else None\n"
        "    if len(scores) >= 8 and min",
        "a long game can be won",
    ),
    ("s24-4", "scores[974]", "scores[949]", "cut off 2.5 % at each end"),
    (
        "s24-4",
        "",
        _BOOTSTRAP
        + """scores = sorted(
        sum(rng.choices(PAIR_SCORES, pairs.counts, k=pairs.total)) / pairs.total
        for _ in range(100)
    )
    return scores[2], scores[97]
""",
        "choose a thousand times",
    ),
    ("s24-1", "", _CURVE, "its slope at one half"),
    ("s24-1", "1.96 * slope", "2 * slope", "not 2"),
    ("s24-1", "math.ceil(", "float(", "round up"),
    ("s24-2", "ahead = pairs.score - 0.5", "ahead = pairs.score", "one half off"),
    ("s24-5", "[(a, b) for a, b in across", "[[a, b] for a, b in across", "a tuple"),
    (
        "s24-6",
        "play(plus, minus)",
        "(lambda s: ((s > 0.5) - (s < 0.5)) / 2 + 0.5)(play(plus, minus))",
        "three quarters",
    ),
    ("s24-1", " * (1 - draws) / 4", " / 4", "The draws are missing"),
    ("s24-1", "(1 - draws)", "draws", "not draws / 4"),
    ("s24-1", "(1 - draws) / 4", "(1 - draws)", "not 1 - draws"),
    ("s24-1", "math.ceil(", "round(", "round up"),
    ("s24-1", "math.ceil(", "int(", "round up"),
    (
        "s24-1",
        "(1.96 * slope / margin) ** 2 * (1 - draws) / 4",
        "1.96 * slope / margin * math.sqrt((1 - draws) / 4)",
        "costs four times the games",
    ),
    ("s24-1", "(1 - draws) / 4", "(1 - draws) / 8", "expected games"),
    ("s24-2", "ahead / math.sqrt(pairs.variance / pairs.total)", "ahead / pairs.variance", "not"),
    ("s24-2", "pairs.variance / pairs.total", "pairs.variance", "scatter of one pair"),
    ("s24-2", "(1 + math.erf(z / math.sqrt(2))) / 2", "pairs.score", "share of the points"),
    (
        "s24-2",
        "math.sqrt(pairs.variance / pairs.total)",
        "(pairs.variance / pairs.total)",
        "is a variance",
    ),
    ("s24-2", "math.erf(z / math.sqrt(2))", "math.erf(z)", "the root of 2"),
    ("s24-2", "pairs.score - 0.5", "0.5 - pairs.score", "second player is stronger"),
    ("s24-2", "if not pairs.variance:", "if False:", "without dividing"),
    ("s24-3", "min(scores[-8:]) >= 500", "scores[-1] >= 500", "the engines disagree"),
    ("s24-3", "min(scores[-8:])", "min(scores[-7:])", "the engines disagree"),
    ("s24-3", "abs(score) <= 15", "score <= 15", "-16 is not within 15"),
    ("s24-3", "if len(scores) >= 8 and min(", "if scores and min(", "7 scores are too few"),
    ("s24-3", "min(scores[-8:]) >= 500", "min(scores[-8:]) > 500", "500 is enough"),
    ("s24-3", "min(scores[-8:]) >= 500", "min(map(abs, scores[-8:])) >= 500", "White is lost"),
    ("s24-3", "len(scores) >= 80 and ", "", "no scores say nothing"),
    ("s24-3", "scores[-16:]", "scores", "the last sixteen are level"),
    ("s24-3", "scores[-16:]", "scores[-1:]", "one of the last sixteen"),
    ("s24-3", "max(scores[-8:]) <= -500", "max(scores[-8:]) < 0", "499 is not enough for Black"),
    ("s24-4", "scores[25], scores[974]", "scores[50], scores[949]", "2.5 % each"),
    ("s24-4", "scores[25], scores[974]", "scores[974], scores[25]", "lower bound comes first"),
    ("s24-4", "scores[25], scores[974]", "scores[0], scores[-1]", "the whole range"),
    ("s24-4", "rng.choices(", "random.choices(", "use rng"),
    ("s24-4", "", _FOR_MANY, "a multiple of a fortieth"),
    ("s24-4", "\n        / pairs.total\n", "\n", "from 0 to 1"),
    (
        "s24-4",
        "",
        _BOOTSTRAP
        + """urn = [s for s, n in zip(PAIR_SCORES, pairs.counts) for _ in range(n)]
    scores = sorted(sum(rng.sample(urn, len(urn))) / len(urn) for _ in range(1000))
    return scores[25], scores[974]
""",
        "choose with repetition",
    ),
    (
        "s24-4",
        "",
        _BOOTSTRAP
        + """scores = sorted(rng.choices(PAIR_SCORES, pairs.counts, k=1000))
    return scores[25], scores[974]
""",
        "as many pairs as there are",
    ),
    ("s24-5", "", _GREEDY, "as many play as can"),
    ("s24-5", "if a is not None and b is not None", "", "who pauses is in no pair"),
    ("s24-5", "range(len(seats) - 1)", "range(len(seats))", "meets somebody twice"),
    ("s24-5", "range(len(seats) - 1)", "range(len(seats) - 2)", "does not meet"),
    ("s24-5", "seats[1:] = [seats[-1], *seats[1:-1]]", "pass", "meets somebody twice"),
    (
        "s24-5",
        "",
        """
def timetable(players):
    from itertools import combinations, islice
    games = iter(combinations(players, 2))
    half = len(players) // 2
    return [list(islice(games, half)) for _ in range(len(players) - 1 + len(players) % 2)]
""",
        "somebody plays twice",
    ),
    ("s24-6", "play(plus, minus) - 0.5", "play(plus, minus)", "A drawn match says nothing"),
    ("s24-6", "play(plus, minus)", "play(minus, plus)", "towards plus"),
    ("s24-6", "range(1, steps + 1)", "range(steps)", "ZeroDivisionError"),
    ("s24-6", "rng.choice((-1, 1))", "random.choice((-1, 1))", "with rng"),
    ("s24-6", "rng.choice((-1, 1))", "1", "with rng"),
    ("s24-6", "c / k**0.1", "c", "2 c / k ** 0.1"),
    ("s24-6", "a / (k + 20) ** 0.6", "a", "by a_1 / 2"),
    ("s24-6", "a / (k + 20) ** 0.6", "a / 21**0.6", "a_k is a /"),
    (
        "s24-6",
        "[rng.choice((-1, 1)) for _ in x]",
        "[rng.choice((-1, 1))] * len(x)",
        "sign of its own",
    ),
]
