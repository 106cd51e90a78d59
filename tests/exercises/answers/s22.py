"""Answers to the exercises of s22: the solution with one place changed."""

WRONG = [
    ("s22-1", 'words[words.index("depth") + 1]', "re.search(r'depth (\\d+)', line)[1]", "seldepth"),
    ("s22-4", "        busy.clear()\n        say(f", "        say(f", "at once after a 'bestmove'"),
    ("s22-6", "self.analyse(board, limit)", "self.analyse(board)", "Pass the limit"),
    ("s22-6", "self.rng = rng or self.rng", "self.rng = rng", "AttributeError"),
]
