"""Answers to the exercises of s27: the solution with one place changed, or another one."""

_LOOP = """
def torn(table, keys):
    found = 0
    for slot in range(len(table)):
        if table[slot, 1] != 0 and (table[slot, 0] ^ table[slot, 1]) not in keys:
            found += 1
    return found
"""
_KEYS = """
def torn(table, keys):
    return len({left ^ data for left, data in table if data} - keys)
"""
_ARRAYS = """
def keep_newest(table, key, data):
    place = np.int64(key & Bits(len(table) - 1))
    table[place, 0] = key ^ data
    table[place, 1] = data


def found_depths(keep, results):
    table, total = new_table(0.001), 0
    for result in results:
        keep(table, *result)
    for key, data in results:
        there = find_data(table, key)
        if there:
            total += int(there >> DEPTH_AT & Bits(0xFF))
    return total
"""
_RAISED = """
def cuts(stack, state, network, counts, depth, alpha, beta, ply):
    if depth == 0:
        return int(evaluate(stack[ply], state.sums[ply], network))
    count = int(generate(stack[ply], ALL, ALL, state.moves[ply]))
    checkers, _ = king_lines(stack[ply])
    if count == 0:
        return ply - MATE if checkers else 0
    rank_moves(stack[ply], state, count, 0, ply, 0)
    best = None
    for i in range(count):
        move = next_move(state.moves[ply], i, count)
        stack[ply + 1] = stack[ply]
        make_move(stack[ply + 1], move)
        update_sums(stack, ply, move, state, network)
        value = -cuts(stack, state, network, counts, depth - 1, -beta, -alpha, ply + 1)
        if best is None or value > best:
            best = value
        alpha = max(alpha, best)
        if alpha >= beta:
            counts[0] += 1
            if not i:
                counts[1] += 1
            return best
    return best
"""
_PLACES = """
def culprits(signatures):
    first = signatures[0]
    return [i for i in range(len(first)) if any(s[i] != first[i] for s in signatures)]
"""
_POOL = """
from concurrent.futures import ThreadPoolExecutor


def apart(board, depth):
    def work(worker):
        worker.begin(board)
        value = worker.search(depth, -INFINITE, INFINITE)
        return value, int(worker.state.nodes)

    workers = [SearchThread(new_table(1), load_network()) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, workers))
"""
RIGHT = [
    ("s27-1", "", _LOOP),
    ("s27-1", "if data and left ^ data", "if data != 0 and data ^ left"),
    ("s27-2", "", _ARRAYS),
    ("s27-2", "int(key) % len(table)", "int(key) & len(table) - 1"),
    ("s27-3", "", _RAISED),
    ("s27-3", "counts[1] += i == 0", "counts[1] += not i"),
    ("s27-4", "", _PLACES),
    ("s27-4", "len(set(types)) > 1", "any(name != types[0] for name in types)"),
    ("s27-5", "", _POOL),
    ("s27-5", "new_table(1)", "new_table(1.0)"),
]
WRONG = [
    (
        "s27-4",
        "len(set(types)) > 1",
        'any(t.startswith("Literal") for t in types) or len(set(types)) > 1',
        "one literal in both",
    ),
    (
        "s27-5",
        "(values[n], int(worker.state.nodes))",
        "(int(worker.state.nodes), values[n])",
        "The value comes first",
    ),
    ("s27-1", "", _KEYS, "both places"),
    ("s27-1", "if data and left", "if left", "In an empty table"),
    ("s27-1", "left ^ data not in", "left not in", "a table that is whole"),
    ("s27-1", "left ^ data not in", "data not in", "a table that is whole"),
    ("s27-1", "not in keys", "in keys", "a table that is whole"),
    ("s27-1", "if data and", "if left and", "without data"),
    ("s27-1", "if data and", "if left and data and", "left half of an entry is zero"),
    ("s27-2", "key ^ data, data", "key, data", "find_data"),
    ("s27-2", "int(key) % len(table)", "int(key) % (len(table) - 1)", "find_data"),
    (
        "s27-2",
        "    table[int(key) % len(table)] = key ^ data, data",
        "    keep_data(table, key, data)",
        "even if that is deeper",
    ),
    ("s27-2", "int(key) % len(table)", "int(key) % 64", "A larger table has more places"),
    (
        "s27-2",
        "    table[int(key) % len(table)] = key ^ data, data",
        "    table[int(key) % len(table)] = key ^ data, data\n"
        "    table[int(key) % len(table) ^ 1] = 0",
        "second place of a key must stay",
    ),
    ("s27-2", "for key, _ in results]", "for key, _ in results[1:]]", "After 1 results"),
    ("s27-2", "0)[0])", "0)[1])", "After 1 results"),
    ("s27-2", "int(key) % len(table)]", "(int(key) % len(table)) ^ 1]", "cut off to the size"),
    ("s27-3", "if king_lines(position)[0] else 0", "", "otherwise 0"),
    ("s27-3", "ply - MATE", "-MATE", "`ply - MATE`"),
    (
        "s27-3",
        "    count = generate",
        "    if is_dead(position):\n        return 0\n    count = generate",
        "Draws other than a stalemate",
    ),
    (
        "s27-3",
        "    count = generate",
        "    if position.clock >= 100:\n        return 0\n    count = generate",
        "Draws other than a stalemate",
    ),
    ("s27-3", "counts[1] += i == 0", "counts[1] += i == 1", "by the first"),
    ("s27-3", "best >= beta", "best > beta", "cut-offs"),
    ("s27-3", "-max(alpha, best)", "-alpha", "cut-offs"),
    ("s27-3", "-beta, -max(alpha, best)", "-INFINITE, INFINITE", "cut-offs"),
    ("s27-3", "best), ply + 1)", "best), ply)", "at `ply + 1`"),
    ("s27-3", "return best", "return max(alpha, min(best, beta))", "fail-soft"),
    ("s27-3", "return evaluate", "return -evaluate", "At depth 0"),
    (
        "s27-3",
        "        update_sums(stack, ply, move, state, network)\n",
        "",
        "`update_sums` makes the sums",
    ),
    ("s27-3", "next_move(moves, i, count)", "moves[i]", "holds ranks, too"),
    ("s27-4", "> 1", "> 2", "a literal in the second place"),
    ("s27-4", "enumerate(columns)", "enumerate(columns, 1)", "not [2]"),
    ("s27-4", "        place for", "        types for", "not [("),
    ("s27-4", "*signatures, strict", "*signatures[:2], strict", "the last differs"),
    ("s27-4", "columns = zip(*signatures, strict=True)", "columns = signatures", "is []"),
    ("s27-5", "range(2)]\n    values", "range(1)] * 2\n    values", "table of its own"),
    (
        "s27-5",
        "    workers = [SearchThread(new_table(1), load_network()) for _ in range(2)]",
        "    one = new_table(1)\n"
        "    workers = [SearchThread(one, load_network()) for _ in range(2)]",
        "table of its own",
    ),
    ("s27-5", "        workers[number].begin(board)\n", "", "has it begun"),
    (
        "s27-5",
        "        thread.start()\n    for thread in running:\n        thread.join()\n",
        "        thread.run()\n",
        "at the same time",
    ),
    (
        "s27-5",
        "        thread.start()\n    for thread in running:\n",
        "        thread.start()\n",
        "at the same time",
    ),
    ("s27-5", "(depth, ", "(depth - 1, ", "one thread alone"),
    (
        "s27-5",
        "    running = [threading.Thread(target=work, args=(n,)) for n in range(2)]",
        "    running = [threading.Thread(target=lambda: (work(0), work(1)))]",
        "at the same time",
    ),
]
