"""Answers to the exercises of s15: the solution with one place changed."""

WRONG = [
    (
        "s15-5",
        "super().put(entry)\n",
        "if not old or entry.depth >= old.depth:\n            self._entries[place] = entry\n",
        "earlier search gives way",
    ),
]
