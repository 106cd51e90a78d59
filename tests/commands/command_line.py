"""Commands of `course`, run in this process or in one of their own."""

from __future__ import annotations

import sys

from typer.testing import CliRunner, Result

from utils import cli
from utils.matches.ladder_results import FOLDER
from utils.matches.records import read_played

COMMAND = [sys.executable, "-m", "utils.cli"]
PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}


def run(*arguments: object, typed: str = "") -> Result:
    """A command in this process."""
    return CliRunner().invoke(cli.app, [str(a) for a in arguments], input=typed, env=PLAIN)


THREE = ("s05", "s06", "s07")
OF_THREE = [g for g in read_played(FOLDER / "games.pgn") if {g.first, g.second} < {*THREE}]
