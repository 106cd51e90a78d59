"""The engines of the course by chapter: `make_engine("s10")`.

Chapters are imported when an engine is asked for, not before.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable
from typing import Any

from utils.jupyter_loader import install_import_hook

# What the chapter's module and a source of chance give.
_Recipe = Callable[[Any, random.Random], Any]

_RECIPES: dict[str, tuple[str, _Recipe]] = {
    "s05": ("s05_random_engine", lambda m, rng: m.RandomEngine(rng)),
    "s06": ("s06_opening_book", lambda m, rng: m.OpeningRandomEngine(m.COURSE_BOOK, rng)),
    "s07": ("s07_material_engine", lambda m, rng: m.RelativeMaterialEngine(rng)),
    "s08": ("s08_evaluation", lambda m, rng: m.OnePlyEngine(m.MobilityEvaluator(), rng)),
    "s09": ("s09_minimax_engine", lambda m, rng: m.NegamaxEngine(m.Evaluator())),
    "s10": ("s10_alpha_beta_engine", lambda m, rng: m.AlphaBetaEngine(_material())),
    "s11": ("s11_iterative_deepening", lambda m, rng: m.IterativeAlphaBetaCached(_material())),
    "s12": ("s12_piece_square_tables", lambda m, rng: _iterative(m.PieceSquareEvaluator())),
    "s13": (
        "s13_incremental_evaluation",
        lambda m, rng: m.IncrementalEngine(m.IncrementalEvaluator()),
    ),
    "s14": ("s14_move_ordering", lambda m, rng: m.OrderedEngine(_following())),
    "s15": ("s15_transposition_table", lambda m, rng: m.TableEngine(_following())),
    "s16": ("s16_quiescence_search", lambda m, rng: m.QuiescenceEngine(_following())),
    "s17": ("s17_selective_search", lambda m, rng: m.SelectiveEngine(_following())),
    "s18": ("s18_positional_evaluation", lambda m, rng: _selective(m.PositionalEvaluator())),
    "s19": (
        "s19_endgame_tables",
        lambda m, rng: m.EndgameEngine(make_engine("s18", rng), m.three_piece_tables()),
    ),
    "s20": ("s20_tournament_engine", lambda m, rng: m.TournamentEngine(rng=rng)),
}

ENGINES = tuple(_RECIPES)
"""The chapters that bring an engine, from the first to the last."""


def make_engine(chapter: str, rng: random.Random | None = None) -> Any:
    """A new engine of a chapter, an `Engine` of s04, as the chapter introduces it.

    Args:
        chapter: the chapter's number, such as "s10".
        rng: the source of chance for those that need one; without it, a fixed seed.

    Raises:
        ValueError: no chapter of that number brings an engine.
    """
    if chapter not in _RECIPES:
        raise ValueError(f"{chapter!r} brings no engine; expected one of {', '.join(ENGINES)}")
    name, recipe = _RECIPES[chapter]
    return recipe(_chapter(name), rng or random.Random(0))


def make_engines(chapters: Iterable[str] = ENGINES) -> dict[str, Any]:
    """New engines of several chapters, by chapter."""
    return {chapter: make_engine(chapter) for chapter in chapters}


def _chapter(name: str) -> Any:
    install_import_hook()
    return importlib.import_module(f"converted_notebooks.{name}")


def _material() -> Any:
    return _chapter("s08_evaluation").Evaluator()


def _iterative(evaluator: Any) -> Any:
    return _chapter("s11_iterative_deepening").IterativeAlphaBetaCached(evaluator)


def _following() -> Any:
    return _chapter("s13_incremental_evaluation").IncrementalEvaluator()


def _selective(evaluator: Any) -> Any:
    return _chapter("s17_selective_search").SelectiveEngine(evaluator)
