"""Reads and writes parts of UCI: messages, positions and options. Chapter s25 has the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping

import chess
from chess.engine import ConfigValue, Option

UNPLAYABLE = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_OPPOSITE_CHECK
)
"""Faults that make a position unplayable. More pieces than a game can have are allowed."""

SET_OPTION = re.compile(r"name\s+(\S.*?)(?:\s+value(?:\s+(.*))?)?")


def quote(text: str) -> str:
    """A text for a message: in quotes, at most 60 characters before escapes, in ASCII."""
    return ascii(text if len(text) <= 60 else f"{text[:57]}...")


def message(text: object) -> str:
    """An `info string` line, which a GUI shows to its user; in ASCII, at most 300 characters."""
    words = str(text).encode("ascii", "backslashreplace").decode()
    plain = "".join(c if c.isprintable() else " " for c in words).split()
    return f"info string {' '.join(plain)[:300]}"


def faults(status: chess.Status) -> str:
    """The faults of a position, in words."""
    return str(status.name).lower().replace("_", " ").replace("|", ", ")


def playable_board(fen: str) -> chess.Board:
    """A position that can be played; it need not be one that a game can reach.

    Raises:
        ValueError: it is no FEN, or no such position.
    """
    board = chess.Board(fen)
    if problems := board.status() & UNPLAYABLE:
        raise ValueError(f"expected a playable one; {faults(problems)}")
    board.castling_rights = board.clean_castling_rights()
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None  # no pawn stands there that could be taken
    return board


def option_line(option: Option, value: ConfigValue) -> str:
    """The line of UCI that announces an option, with a value as its default."""
    line = f"option name {option.name} type {option.type}"
    if option.type == "button":  # which has no value
        return line
    shown = str(value).lower() if option.type == "check" else value
    limits = f" min {option.min} max {option.max}"
    choices = "".join(f" var {choice}" for choice in option.var or ())
    more = limits if option.type == "spin" else choices
    return f"{line} default {'<empty>' if shown == '' else shown}{more}"


def parse_setoption(text: str, options: Mapping[str, Option]) -> tuple[Option, ConfigValue]:
    """The option behind `setoption` and its new value; capitals do not matter in the name.

    Raises:
        ValueError, chess.engine.EngineError: no such option, or no such value.
    """
    match = SET_OPTION.fullmatch(text.strip())
    known = {name.lower(): option for name, option in options.items()}
    if match is None or match[1].lower() not in known:
        raise ValueError(f"setoption {quote(text)}: expected 'name', one of {', '.join(options)}")
    option = known[match[1].lower()]
    return option, parse_value(match[2] or "", option)


def parse_value(text: str, option: Option) -> ConfigValue:
    """The value of an option.

    Raises:
        ValueError, chess.engine.EngineError: it has no such value.
    """
    if option.type == "check":
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{option.name} {quote(text)}: expected true or false")
        return text.lower() == "true"
    return option.parse("" if text == "<empty>" else text)
