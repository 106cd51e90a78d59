"""Answers to the exercises of s23: the solution with one place changed."""

WRONG = [
    ("s23-1", 'words[words.index("depth") + 1]', "re.search(r'depth (\\d+)', line)[1]", "seldepth"),
    ("s23-4", "        busy.clear()\n        say(f", "        say(f", "at once after a 'bestmove'"),
    ("s23-6", "self.analyse(board, limit)", "self.analyse(board)", "Pass the limit"),
    ("s23-6", "self.rng = rng or self.rng", "self.rng = rng", "AttributeError"),
]
