"""The engines of the course by chapter: `make_engine("s10")`; players of matches by a text.

Chapters are imported when an engine is asked for, not before. A chapter brings an engine if it
has a function `make_engine(rng)`, one of the course or one that a reader adds.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from utils.chapters import chapters, course_chapters
from utils.external_programs import find_program, install_hint
from utils.jupyter_loader import PACKAGE, load_chapter

if TYPE_CHECKING:
    from chess.engine import ConfigValue, Option

    from converted_notebooks.s04_engine_interface import Engine

ENGINES = tuple(one.number for one in course_chapters() if one.has_engine)
"""The chapters of the course that bring an engine, from the first to the last."""


@runtime_checkable
class Killable(Protocol):
    """An engine in a process of its own, which may hang."""

    def kill(self) -> None:
        """End the process at once; calls that wait for it raise an `EngineError`."""


@runtime_checkable
class Preparable(Protocol):
    """An engine with work to do before its first search, such as compiling."""

    def prepare(self) -> None:
        """Do this work. Called before each search, so a second call should do nothing."""


@runtime_checkable
class Configurable(Protocol):
    """An engine with UCI options of its own, such as a number of threads."""

    @property
    def options(self) -> Mapping[str, Option]:
        """The options by their names; the defaults are those of a new engine."""

    def set_option(self, name: str, value: ConfigValue) -> None:
        """Change an option, never during a search; the value fits the option."""


def make_engine(chapter: str, rng: random.Random | None = None) -> Engine:
    """A new engine of a chapter, as the chapter's own `make_engine(rng)` builds it.

    Args:
        chapter: the chapter's number, such as "s10".
        rng: the source of chance for those that need one; without it, a fixed seed.

    Raises:
        ValueError: no chapter of that number brings an engine, or its function made something
            else.
    """
    from converted_notebooks.s04_engine_interface import Engine

    for one in chapters():
        if one.number == chapter and one.has_engine:
            engine = load_chapter(one.name).make_engine(rng or random.Random(0))
            if not isinstance(engine, Engine):
                raise ValueError(
                    f"make_engine of {one.name} gave {engine!r}; expected an Engine of s04"
                )
            return engine
    raise ValueError(f"{chapter!r} brings no engine; expected one of {', '.join(players())}")


def set_numbers(chapter: str, texts: Sequence[str]) -> None:
    """Give numbers of chapters other values, in this process, before an engine is made.

    A chapter that imports such a number later has the other value; what is computed from it
    while its own chapter is imported keeps the former one.

    Args:
        chapter: whose numbers are meant where a text names no chapter.
        texts: such as "SINGULAR_DEPTH=9" or "s22.RAZORING=300".

    Raises:
        ValueError: a text that cannot be read, no such chapter or number, or a chapter that was
            imported before.
    """
    names = {one.number: one.name for one in chapters()}
    wanted = list[tuple[str, str, str]]()
    for text in texts:
        place, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{text!r}: expected a name and a number, such as s22.RAZORING=300")
        number, _, name = place.rpartition(".")
        number = number or chapter
        if number not in names:
            raise ValueError(f"{number!r} is no chapter; expected one such as s22")
        if number > chapter:
            raise ValueError(f"{number} comes after {chapter}; expected {chapter} or one before")
        if f"{PACKAGE}.{names[number]}" in sys.modules:
            raise ValueError(f"{number} is imported already, with its own numbers")
        wanted.append((number, name, value))
    for number, name, value in sorted(wanted):  # a chapter imports those before it
        module = load_chapter(names[number])
        former = getattr(module, name, None)
        if type(former) not in (int, float):
            raise ValueError(f"{number} has no number {name!r}")
        whole = isinstance(former, int)
        try:
            setattr(module, name, int(value) if whole else float(value))
        except ValueError:
            kind = "a whole number" if whole else "a number"
            raise ValueError(f"{value!r} for {number}.{name}: expected {kind}") from None


def players() -> tuple[str, ...]:
    """The chapters with an engine: those of the course, then those that a reader has added."""
    return tuple(one.number for one in chapters() if one.has_engine)


def make_player(spec: str, rng: random.Random | None = None) -> Engine:
    """A player from a text; close it when the game is over.

    Args:
        spec: "s10" is the engine of a chapter. Anything else is a program that speaks UCI:
            "stockfish", or a path, or a command with its arguments. Options follow the
            last question mark: "stockfish?UCI_Elo=2000&Hash=16", "s27?Threads=2". The path
            of a file is taken as it is, question marks included.
        rng: the source of chance for engines that need one; without it, a fixed seed.

    Raises:
        ValueError: neither a chapter with an engine nor a program, a malformed option, or one
            that the engine of the chapter does not have.
        FileNotFoundError: the program is not installed.
        chess.engine.EngineError: the program breaks down, or has no such option.
        TimeoutError: the program does not answer.
    """
    name, options = _read_spec(spec)
    if name in players():
        engine = make_engine(name, rng)
        for option, value in options.items():
            _set_option(engine, name, option, value)
        return engine
    from utils.uci_engine import UciEngine

    return UciEngine(_command(name), options)


def check_player(spec: str) -> None:
    """Raise what `make_player` would raise for a text that names no player."""
    name, options = _read_spec(spec)
    if name not in players():
        _command(name)
    elif options:
        make_player(spec)


def _read_spec(spec: str) -> tuple[str, dict[str, str]]:
    """A chapter or a program, and its UCI options."""
    name, text = spec, ""
    if "?" in spec and not _is_file(spec):
        name, _, text = spec.rpartition("?")
    options = {}
    for part in filter(None, text.split("&")):
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise ValueError(f"{part!r} in {spec!r}: expected options such as Hash=16")
        options[option] = value.lower() if value.lower() in ("true", "false") else value
    if "UCI_Elo" in options:
        options.setdefault("UCI_LimitStrength", "true")
    return name, options


def _set_option(engine: Engine, chapter: str, name: str, text: str) -> None:
    known = engine.options if isinstance(engine, Configurable) else {}
    if not isinstance(engine, Configurable) or name not in known:
        names = ", ".join(known) or "no options"
        raise ValueError(f"{chapter} has no option {name!r}; expected {names}")
    from chess.engine import EngineError

    from utils.uci_text import parse_value

    try:
        engine.set_option(name, parse_value(text, known[name]))
    except (EngineError, ValueError) as error:
        raise ValueError(f"{name}={text} for {chapter}: {error}") from None


def prepare(player: Engine) -> None:
    """Call a player's `prepare` if it has one. To be called before its clock starts."""
    if isinstance(player, Preparable):
        player.prepare()


@contextlib.contextmanager
def watchdog(player: Engine, seconds: float) -> Iterator[None]:
    """End a player's process if the block takes longer than so many seconds.

    A call that waits for it then raises a `chess.engine.EngineTerminatedError`. An engine in this
    process cannot be ended.
    """
    if not isinstance(player, Killable):
        yield
        return
    timer = threading.Timer(seconds, player.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_file(name: str) -> bool:
    """Whether there is such a file; `Path` raises for a long name before Python 3.14."""
    return os.path.isfile(name)  # noqa: PTH113


def _command(name: str) -> list[str]:
    """The program and its arguments; raises as `make_player` does."""
    if name == "stockfish":
        found = find_program(name)
        if found is None:
            raise FileNotFoundError(install_hint(name))
        return [found]
    if _is_file(name):
        return [str(Path(name).resolve())]
    try:
        # On Windows a backslash is part of a path.
        words = shlex.split(name.replace("\\", "\\\\") if os.name == "nt" else name)
    except ValueError as error:
        raise ValueError(
            f"cannot read {name!r} ({error}); expected the path of a program or a command "
            "with its arguments, those with a space or a quotation mark in quotation marks"
        ) from None
    found = shutil.which(words[0]) if words else None
    if found is None:
        if re.fullmatch(r"s\d\d", name):
            raise ValueError(f"{name!r} brings no engine; expected one of {', '.join(players())}")
        raise FileNotFoundError(
            f"no engine and no program {name!r}; expected a chapter such as 's10', "
            "'stockfish', or the path of a program that speaks UCI"
        )
    return [found, *words[1:]]
