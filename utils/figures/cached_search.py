"""Iterations of a search with a memory: the tree, the table that fills, and the hits.

All scores are in White's view. Each position has a letter, the same on all paths that lead to it.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence

import chess

from utils.figures import Figure, describe
from utils.figures.live import Narrator, Question, Step, live_board, side_by_side, steps_figure
from utils.figures.searches import MATE, Visit, draw_search, score_text

MOST_LETTERS = len(string.ascii_uppercase)
QUESTIONS = 2
"""How many questions have the same right answer."""


def memory_figure(iterations: Sequence[Visit], caption: str, *, name: str, alt: str) -> Figure:
    """The iterations of a search with a memory, to step through.

    Args:
        iterations: the tree of each, the shallowest first, all from the same position.

    Raises:
        ValueError: no iterations, other positions at their roots, or too many positions.
    """
    if not iterations or len({_position(root) for root in iterations}) > 1:
        raise ValueError(f"figure {name}: expected iterations of one position")
    nodes = [node for root in iterations for node in root.walk() if node.depth]
    positions = list(dict.fromkeys(map(_position, nodes)))
    if len(positions) > MOST_LETTERS:
        raise ValueError(f"figure {name}: more than {MOST_LETTERS} positions")
    letters = dict(zip(positions, string.ascii_uppercase, strict=False))
    tree, parts = _union(iterations)
    narrator = _Narrator(parts, letters)
    for root in iterations:
        narrator.tell(root)
    depths = range(1, max(root.depth for root in iterations) + 1)
    board = chess.Board(iterations[0].fen)
    alt = f"{alt} {describe(board)}"
    drawn = draw_search(tree, narrator.shown, alt, level=108, row=29, font=13.5)
    left = live_board(board, size=210) + _table(letters, depths, narrator.shown)
    still = side_by_side(left, drawn, "course-memory")
    return steps_figure(still, narrator.steps, caption, name=name, alt=alt)


def _position(node: Visit) -> str:
    """The FEN of a node without its counters."""
    return " ".join(node.fen.split()[:4])


def _union(iterations: Sequence[Visit]) -> tuple[Visit, dict[int, str]]:
    """A tree with the nodes of all iterations; and the part that shows a node, by the node's id."""
    whole, twins = Visit(iterations[0].fen), dict[int, Visit]()

    def add(to: Visit, node: Visit) -> None:
        twins[id(node)] = to
        for child in node.children:
            twin = next((one for one in to.children if one.uci == child.uci), None)
            if twin is None:
                twin = Visit(child.fen, child.move, child.uci)
                to.children.append(twin)
            add(twin, child)

    for root in iterations:
        add(whole, root)
    parts = {id(node): f"n{index}" for index, node in enumerate(whole.walk())}
    return whole, {key: parts[id(twin)] for key, twin in twins.items()}


def _table(letters: dict[str, str], depths: Sequence[int], shown: dict[str, dict[str, str]]) -> str:
    """The memory: a row for each position, a column for each depth."""

    def cell(letter: str, depth: int) -> str:
        found = shown.get(f"m{letter}{depth}", {"is": ""})
        return (
            f'<td data-part="m{letter}{depth}" data-is="{found["is"]}">'
            f'<span data-text="value">{found.get("value", "")}</span></td>'
        )

    rows = "".join(
        f'<tr><th scope="row">{letter}</th>{"".join(cell(letter, d) for d in depths)}</tr>'
        for letter in letters.values()
    )
    heads = "".join(f'<th scope="col">{depth}</th>' for depth in depths)
    return (
        '<table class="course-table"><caption>The memory: value by position and depth</caption>'
        f'<thead><tr><th scope="col" aria-label="position"></th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


class _Narrator(Narrator):
    """Makes the steps of the iterations."""

    def __init__(self, parts: dict[int, str], letters: dict[str, str]) -> None:
        super().__init__()
        self.parts, self.letters = parts, letters
        self.stored: dict[str, set[int]] = {}  # the depths that are known, by letter
        self.asked = Counter[bool]()

    def tell(self, root: Visit) -> None:
        """An iteration."""
        plies = f"{root.depth} {'ply' if root.depth == 1 else 'plies'}"
        self._step(f"Iteration {root.depth}: the search looks {plies} ahead.", root)
        for name in self.shown:
            if name.startswith("n"):
                self.show(name, "old")
        self._inside(root, [])
        inner = [node for node in root.walk() if node.depth]
        if hits := sum(node.hit for node in inner):
            self.steps[-1].say += f" The memory has answered at {hits} of {len(inner)} positions."

    def _inside(self, node: Visit, above: list[Visit]) -> None:
        """Tell the nodes above the leaves, each after those below it.

        `above` has the nodes that lead here, from the root.
        """
        known = self.stored.get(self._letter(node), set())
        if known:
            self._maybe_ask(node, above, known)
        for child in node.children:
            if child.depth:
                self._inside(child, [*above, node])
        self._node(node, above)

    def _letter(self, node: Visit) -> str:
        return self.letters[_position(node)]

    def _step(self, say: str, node: Visit) -> Step:
        step = self.step(say, board=(node.fen.split()[0], node.uci))
        for name, found in self.shown.items():
            if found["is"] == "hit" and name.startswith("m"):
                self.show(name, "on")
        return step

    def _step_at(self, say: str, node: Visit, above: list[Visit]) -> Step:
        """Begin a step that is about a node, and show the way to it."""
        step = self._step(say, node)
        step.now = self.parts[id(node)]
        for one in (*above, node):
            part = self.parts[id(one)]
            if one is node or self.shown.get(part, {}).get("is", "old") in ("", "old"):
                self.show(part, "open", value=self._letter(one))
        return step

    def _maybe_ask(self, node: Visit, above: list[Visit], known: set[int]) -> None:
        """Ask whether a position that was met before is searched again."""
        letter = self._letter(node)
        if self.asked[node.hit] == QUESTIONS or not node.move:
            return
        self.asked[node.hit] += 1
        depths = " and ".join(str(depth) for depth in sorted(known))
        left = f"{node.depth} {'ply is' if node.depth == 1 else 'plies are'}"
        say = f"{node.move} leads to {letter}. The memory knows it with depth {depths}; here "
        step = self._step_at(f"{say}{left} left. Is it searched again?", node, above)
        if node.hit:
            why = "The same position with the same depth: its value is known."
        elif node.depth in known:
            why = "The depth is right, but a bound is known, and not enough for this window."
        else:
            why = "A value counts only for its own depth."
        step.ask = Question(("yes", "no"), int(node.hit), why)

    def _node(self, node: Visit, above: list[Visit]) -> None:
        """Tell the result of a node."""
        letter = self._letter(node)
        low, high = node.known or (node.score or 0, node.score or 0)
        bound = "" if low == high else "≥" if high >= MATE else "≤"
        value = bound + score_text(high if bound == "≤" else low)
        words = value.replace("≥", "at least ").replace("≤", "at most ")
        if node.hit:
            say = f"{node.move} leads to {letter} again. The memory answers: {words}. "
            say += "Nothing behind it is searched."
        else:
            end = "It goes into the memory." if node.known else "It is not kept."
            say = f"{letter}, searched with depth {node.depth}, is worth {words}. {end}"
        state = "hit" if node.hit else "done"
        self._step_at(say, node, above)
        self.show(self.parts[id(node)], state, value=f"{letter} {value}")
        if node.known:
            cell = f"m{letter}{node.depth}"
            self.show(cell, "hit" if node.hit else "on", value=value)
            self.stored.setdefault(letter, set()).add(node.depth)
        for child in node.children:
            if not child.depth:
                self.show(self.parts[id(child)], "leaf", value=score_text(child.score or 0))
