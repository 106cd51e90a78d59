"""The command line of the course: `course --help`.

Each command, a module of `utils.commands` or `utils.uci`, only reads what was typed, and imports
the chapters and what else it needs when it runs, so that help is quick. Results go to the standard
output; progress and errors go to the error output, an error as one line.
"""

from __future__ import annotations

import sys

import typer

from utils import uci
from utils.commands import book, ladder, match, play, suite, tournament
from utils.commands.errors import OneLineErrors
from utils.commands.options import examples_text
from utils.external_programs import silence_log

app = typer.Typer(
    name="course",
    cls=OneLineErrors,
    epilog=examples_text("course play --engine s12", "course match s14 s12 --games 20"),
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def course(context: typer.Context) -> None:
    """The engines of the course: play against them, measure them, connect them to a GUI."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for commands in (play, uci, match, suite, ladder, tournament, book):
    app.add_typer(commands.app)


def main() -> None:
    """The entry point of the command `course`."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    silence_log()
    app(prog_name="course")


if __name__ == "__main__":
    main()
