"""Answers to the exercises of s25: the solution with one place changed."""

WRONG = [
    ("s25-1", 'words[words.index("depth") + 1]', "re.search(r'depth (\\d+)', line)[1]", "seldepth"),
    ("s25-4", "        busy.clear()\n        say(f", "        say(f", "at once after a 'bestmove'"),
    ("s25-6", "self.analyse(board, limit)", "self.analyse(board)", "Pass the limit"),
    ("s25-6", "self.rng = rng or self.rng", "self.rng = rng", "AttributeError"),
]
