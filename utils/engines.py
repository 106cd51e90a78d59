"""The engines of the course by chapter: `make_engine("s10")`; players of matches by a text.

Chapters are imported when an engine is asked for, not before. A chapter that a reader adds
takes part if it has a function `make_engine(rng)`.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utils.external_programs import find_program, missing
from utils.jupyter_loader import install_import_hook, load_chapter

if TYPE_CHECKING:
    from converted_notebooks.s04_engine_interface import Engine

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


def make_engine(chapter: str, rng: random.Random | None = None) -> Engine:
    """A new engine of a chapter, an `Engine` of s04, as the chapter introduces it.

    Args:
        chapter: the chapter's number, such as "s10".
        rng: the source of chance for those that need one; without it, a fixed seed.

    Raises:
        ValueError: no chapter of that number brings an engine.
    """
    name, recipe = _RECIPES.get(chapter) or (_added(chapter), lambda m, rng: m.make_engine(rng))
    if name is None:
        raise ValueError(f"{chapter!r} brings no engine; expected one of {', '.join(ENGINES)}")
    engine: Engine = recipe(load_chapter(name), rng or random.Random(0))
    return engine


def players() -> tuple[str, ...]:
    """The chapters with an engine: those of the course, then those that a reader has added."""
    names = install_import_hook().loader.chapters()
    others = sorted({name.partition("_")[0] for name in names} - set(_RECIPES))
    return (*ENGINES, *filter(_added, others))


def _added(chapter: str) -> str | None:
    """The name of a chapter that a reader has added, by its number; None if there is none."""
    loader = install_import_hook().loader
    for name in loader.chapters():
        if name.partition("_")[0] == chapter:
            text = loader.notebook(name).read_text(encoding="utf-8")
            return name if "def make_engine(" in text else None
    return None


def make_player(spec: str, rng: random.Random | None = None) -> Engine:
    """A player from a text; close it when the game is over.

    Args:
        spec: "s10" is the engine of a chapter. Anything else is a program that speaks UCI:
            "stockfish", or a path, or a command with its arguments; options follow a
            question mark: "stockfish?UCI_Elo=2000&Hash=16".
        rng: the source of chance for engines that need one; without it, a fixed seed.

    Raises:
        ValueError: neither a chapter with an engine nor a program, or a malformed option.
        FileNotFoundError: the program is not installed.
        chess.engine.EngineError: the program breaks down, or has no such option.
        TimeoutError: the program does not answer.
    """
    if is_chapter(spec):
        return make_engine(spec, rng)
    command, options = read_spec(spec)
    from converted_notebooks.s04_engine_interface import UciEngine

    return UciEngine(command, options)


def read_spec(spec: str) -> tuple[list[str], dict[str, str]]:
    """The command and the UCI options of a player that is a program.

    Raises:
        ValueError, FileNotFoundError: as for `make_player`.
    """
    name, _, text = spec.partition("?")
    options = {}
    for part in filter(None, text.split("&")):
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise ValueError(f"{part!r} in {spec!r}: expected options such as Hash=16")
        options[option] = value
    if "UCI_Elo" in options:
        options.setdefault("UCI_LimitStrength", "true")
    return _command(name), options


def check_player(spec: str) -> None:
    """Raise what `make_player` would raise for a text that names no player."""
    if not is_chapter(spec):
        read_spec(spec)


def is_chapter(spec: str) -> bool:
    """Whether a text names a chapter with an engine, or one that a reader has added."""
    return spec in _RECIPES or _added(spec) is not None


def close_player(player: Engine) -> None:
    """Ends the program behind a player, if there is one; whatever state it is in."""
    player.close()


@contextlib.contextmanager
def watched(player: Engine, seconds: float) -> Iterator[None]:
    """Ends the program behind a player if it has not answered after so many seconds.

    Whoever waits for it then gets a `chess.engine.EngineTerminatedError`.
    """
    from converted_notebooks.s04_engine_interface import UciEngine

    if not isinstance(player, UciEngine):
        yield
        return
    timer = threading.Timer(seconds, player.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _command(name: str) -> list[str]:
    if name == "stockfish":
        found = find_program(name)
        if found is None:
            raise FileNotFoundError(missing(name))
        return [found]
    if Path(name).is_file():
        return [str(Path(name).resolve())]
    try:
        words = shlex.split(name, posix=os.name != "nt")
    except ValueError as error:
        raise ValueError(
            f"cannot read {name!r} ({error}); expected the path of a program or a command "
            "with its arguments, those with a space or a quotation mark in quotation marks"
        ) from None
    if os.name == "nt":  # there, quotation marks stay
        words = [word.strip('"') for word in words]
    found = shutil.which(words[0]) if words else None
    if found is None:
        if re.fullmatch(r"s\d\d", name):
            raise ValueError(f"{name!r} brings no engine; expected one of {', '.join(ENGINES)}")
        raise FileNotFoundError(
            f"no engine and no program {name!r}; expected a chapter such as 's10', "
            "'stockfish', or the path of a program that speaks UCI"
        )
    return [found, *words[1:]]


def _material() -> Any:
    return load_chapter("s08_evaluation").Evaluator()


def _iterative(evaluator: Any) -> Any:
    return load_chapter("s11_iterative_deepening").IterativeAlphaBetaCached(evaluator)


def _following() -> Any:
    return load_chapter("s13_incremental_evaluation").IncrementalEvaluator()


def _selective(evaluator: Any) -> Any:
    return load_chapter("s17_selective_search").SelectiveEngine(evaluator)
