"""A small transposition table that fills: where each entry goes, and which one is replaced."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import chess

from utils.figures import Figure
from utils.figures.live import Narrator, Question, parts_table, signed, steps_figure

SIGNS = {"EXACT": "", "LOWER": "≥", "UPPER": "≤"}
QUESTIONS = 2
"""How many questions have the same right answer."""


@dataclass(frozen=True)
class Stored:
    """A result that a search offers to the table.

    Attributes:
        key: the hash key of the position.
        place: the index in the table that belongs to the key.
        depth: plies that were searched.
        bound: whether the value is EXACT, or a LOWER or UPPER bound.
        value: centipawns, from the view of the side to move.
        move: the best move; None if the search has none.
        kept: whether it was stored; if not, the old entry stayed.
    """

    key: int
    place: int
    depth: int
    bound: str
    value: float
    move: chess.Move | None
    kept: bool


def transposition_table_figure(
    places: int, results: Sequence[Stored], caption: str, *, name: str, alt: str
) -> Figure:
    """A small table that fills, to step through.

    Args:
        places: how many the table has.
        results: of one search, in its order.

    Raises:
        ValueError: a place that the table does not have, an unknown bound, no results, or more
            positions than letters.
    """
    for one in results:
        if not 0 <= one.place < places:
            raise ValueError(f"figure {name}: place {one.place} of {places}")
        if one.bound not in SIGNS:
            raise ValueError(f"figure {name}: bound {one.bound!r}, expected one of {[*SIGNS]}")
    keys = list(dict.fromkeys(one.key for one in results))
    if not 0 < len(keys) <= len(string.ascii_uppercase):
        raise ValueError(f"figure {name}: {len(keys)} positions, expected 1 to 26")
    letters = dict(zip(keys, string.ascii_uppercase, strict=False))
    narrator = Narrator()
    narrator.step(f"A table of {places} places. It is empty.")
    for place in range(places):
        narrator.show(f"p{place}", "free")
    _tell(results, letters, narrator)
    columns = ("position", "depth", "value", "move")
    rows = ((part, part[1:], state) for part, state in narrator.shown.items())
    listed = parts_table(("place", *columns), columns, rows)
    still = f'<div class="course-moves course-places">{listed}</div>'
    return steps_figure(still, narrator.steps, caption, name=name, alt=alt)


def _tell(results: Sequence[Stored], letters: Mapping[int, str], narrator: Narrator) -> None:
    """Make the steps, one or two for each result.

    Args:
        results: as in `transposition_table_figure`.
        letters: the letter of each position, by its key.
    """
    table: dict[int, Stored] = {}
    asked = Counter[bool]()
    for one in results:
        letter, old, part = letters[one.key], table.get(one.place), f"p{one.place}"
        what = f"{letter}, searched with depth {one.depth}, belongs to place {one.place}."
        if old is None:
            say = f"{what} The place is free."
        elif old.key == one.key:
            say = f"{what} It is there already, and is renewed."
        else:
            there = f"{letters[old.key]} is there, with depth {old.depth}."
            if asked[one.kept] < QUESTIONS:
                asked[one.kept] += 1
                why = f"Depth {old.depth} against {one.depth}: the deeper took more work."
                if old.depth == one.depth:
                    why = "The depth is the same, so the newer one stays."
                step = narrator.step(f"{what} {there} Which stays?", part)
                step.ask = Question((letters[old.key], letter), int(one.kept), why)
            say = f"{what} {there} {letter if one.kept else letters[old.key]} stays."
        narrator.step(say, part)
        for other, state in narrator.shown.items():
            if state["is"] in ("new", "kept"):
                narrator.show(other, "full")
        if one.kept:
            table[one.place] = one
            value = SIGNS[one.bound] + signed(one.value)
            move = one.move.uci() if one.move else ""
            texts = {"position": letter, "depth": str(one.depth), "value": value, "move": move}
            narrator.show(part, "new", **texts)
        else:
            narrator.show(part, "kept")
    refused = sum(not one.kept for one in results)
    narrator.steps[-1].say += f" {len(results)} results came, {refused} were not kept."
