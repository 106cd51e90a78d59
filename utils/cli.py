"""The command line of the course: `course --help`.

Each command only reads what was typed, and calls the chapters and `utils` for the work.
They are imported when they are needed, so that help is quick. Results go to the standard
output; progress and errors go to the error output, an error as one line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import itertools
import logging
import math
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from typer.core import TyperGroup

from utils.matches.progress import ProgressBar
from utils.paths import DATA

Function = TypeVar("Function", bound=Callable[..., Any])

STRONGEST = "s20"
INTERRUPTED = 130  # what shells expect after Ctrl-C
_ON = "the same command goes on from there"


class Problem(typer.TyperException):
    """Something that the user can put right; shown as one line."""

    exit_code = 2


class Failure(Problem):
    """The input was good, and yet something broke."""

    exit_code = 1


class OneLineErrors(TyperGroup):
    """The commands, with errors of one line instead of a frame of many."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run a command and end the program."""
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except typer.TyperException as error:
            _tell(_one_line(error))
            code = error.exit_code
        sys.exit(code if isinstance(code, int) else 0)


def _one_line(error: typer.TyperException) -> str:
    """What is wrong, with the command and the value in question."""
    text = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    refused = getattr(error.__cause__, "errors", None)  # of pydantic
    value = refused()[0].get("input") if refused else None
    if value is not None and f"'{value}'" not in text:
        text += f"; found '{value}'"
    context = getattr(error, "ctx", None)
    if context is None:
        return f"course: {text}"
    text += "" if text.endswith("?") else "."
    return f"{context.command_path}: {text} See {context.command_path} --help."


def _examples(*lines: str) -> str:
    """Examples for the end of a help text."""
    return "\n".join(["[bold]Examples[/bold]", *(line.replace("[", r"\[") for line in lines)])


app = typer.Typer(
    name="course",
    cls=OneLineErrors,
    epilog=_examples("course play --engine s12", "course match s14 s12 --games 20"),
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def course(context: typer.Context) -> None:
    """The engines of the course: play them, measure them, connect them."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _command(*examples: str) -> Callable[[Function], Function]:
    """Makes a function a command, with its docstring and examples as the help text."""

    def register(function: Function) -> Function:
        paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
        text = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
        app.command(help=text, epilog=_examples(*examples))(function)
        return function

    return register


# What the Tab key offers.


def complete_engine(incomplete: str) -> list[tuple[str, str]]:
    """The chapters with an engine, and what they are about."""
    from utils.chapters import chapters

    found = [(one.number, one.engine or one.title) for one in chapters() if one.has_engine]
    return [(number, words) for number, words in found if number.startswith(incomplete)]


def complete_player(incomplete: str) -> list[tuple[str, str]]:
    """The engines, and Stockfish if it is installed."""
    from utils.external_programs import find_program

    found = complete_engine(incomplete)
    if "stockfish".startswith(incomplete) and find_program("stockfish"):
        found.append(("stockfish", "a program that speaks UCI"))
    return found


_PLAYER = "a chapter such as s10, stockfish, or another program that speaks UCI"
PlayerOption = Annotated[
    str,
    typer.Option(
        "--engine", "-e", metavar="ENGINE", help=f"Who: {_PLAYER}.", autocompletion=complete_player
    ),
]
TimeOption = Annotated[
    float | None,
    typer.Option(
        "--time",
        "-t",
        metavar="SECONDS",
        min=0.001,
        max=86400,
        help="Seconds to think about a move.",
    ),
]
DepthOption = Annotated[
    int | None,
    typer.Option("--depth", "-d", metavar="PLIES", min=1, max=100, help="Plies to look ahead."),
]
NodesOption = Annotated[
    int | None,
    typer.Option("--nodes", "-n", metavar="NODES", min=1, help="Positions to search for a move."),
]
WorkersOption = Annotated[
    int,
    typer.Option(
        "--workers",
        "-w",
        metavar="N",
        min=1,
        max=1024,
        help="Processes that work at the same time.",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="A Dask scheduler, to work on a cluster: tcp://10.0.0.5:8786."
    ),
]
ControlOption = Annotated[
    str,
    typer.Option(
        "--control",
        "-c",
        metavar="CONTROL",
        help="Time to think: 10+0.1 (clock and increment in seconds), 0.5s, 1000n (nodes) "
        "or d3 (depth), the last three for each move.",
    ),
]
SeedOption = Annotated[int, typer.Option(help="Decides everything that is drawn by lot.")]


@_command(
    "course play",
    "course play --engine s12 --side black --depth 3",
    "course play --engine 'stockfish?UCI_Elo=1500' --time 0.5 --pgn game.pgn",
    'course play --fen "8/8/8/8/8/2k5/1q6/K7 w - - 0 1" --ascii',
)
def play(
    engine: PlayerOption = STRONGEST,
    side: Annotated[
        Literal["white", "black", "random", "both"],
        typer.Option("--side", "-s", help="The side that you play; both: without an opponent."),
    ] = "white",
    time: TimeOption = None,
    depth: DepthOption = None,
    fen: Annotated[
        str | None, typer.Option(metavar="FEN", help="The position to start from.")
    ] = None,
    letters: Annotated[
        bool | None,
        typer.Option("--ascii/--unicode", help="Draw the pieces as letters, or as symbols."),
    ] = None,
    colours: Annotated[
        bool | None,
        typer.Option("--colours/--no-colours", help="Colour the board, or do not."),
    ] = None,
    pgn: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save the game here when it ends. A new file."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Makes an engine repeatable that draws lots.")
    ] = None,
) -> None:
    """Play against an engine, here in the terminal.

    It thinks for a second about each move if you say nothing else.
    """
    import chess
    import chess.engine

    from utils.engines import close_player
    from utils.play.game import Game
    from utils.play.terminal import TerminalGame, can_show, has_colours, line_editing

    console = Console(highlight=False, color_system=None if colours is False else "auto")
    if colours and not has_colours(console):
        console = Console(highlight=False, force_terminal=True, color_system="256")
    rng = random.Random(seed)
    with _explained():
        if time is not None and depth is not None:
            raise ValueError(f"--time {time:g} --depth {depth}: expected one of them")
        if pgn is not None and pgn.exists():
            raise ValueError(f"{pgn} exists; expected the name of a new file")
        sides = {"white": chess.WHITE, "black": chess.BLACK, "both": None}
        person = rng.choice(chess.COLORS) if side == "random" else sides[side]
        game = Game(fen, person)
    player = _start(engine, rng)
    limit = chess.engine.Limit(time=None if depth else time or 1.0, depth=depth)
    if letters is None:
        letters = not can_show(console, "♔♚·")
    try:
        table = TerminalGame(game, player, limit, console, name=engine, letters=letters, path=pgn)
        with _stoppable(), line_editing(table.complete):
            _sit_down(table)
    finally:
        close_player(player)


def _sit_down(table: Any) -> None:
    """Play a game; whatever ends it, say what becomes of it."""
    import chess.engine

    try:
        table.run()
    except KeyboardInterrupt:
        typer.echo()
        table.close()
        raise typer.Exit(INTERRUPTED) from None
    except (chess.engine.EngineError, TimeoutError, ValueError) as error:
        table.close()
        raise Failure(f"the engine {table.name} broke down: {_words(error)}") from error
    except BaseException:
        table.close()
        raise
    table.close()


@_command("course uci", "course uci --engine s10")
def uci(
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            "-e",
            metavar="ENGINE",
            help="A chapter such as s10; a chess window can change it.",
            autocompletion=complete_engine,
        ),
    ] = STRONGEST,
    seed: Annotated[
        int | None, typer.Option(help="Of the choice in the opening book, and of lots.")
    ] = None,
) -> None:
    """Be an engine for a chess window: listen and answer in the language UCI.

    Nothing but UCI goes to the standard output. `quit` ends it.
    """
    from utils.engines import players
    from utils.uci import run

    if engine not in players():
        raise Problem(f"--engine {engine!r}: expected one of {', '.join(players())}")
    raise typer.Exit(run(engine, seed))


@_command(
    "course match s14 s12 --games 20 --control 0.1s",
    "course match s20 'stockfish?UCI_Elo=2000' --control 10+0.1 --pgn match.pgn",
    "course match s17 s16 --games 1000 --sprt 0 20 --pgn test.pgn",
)
def match(
    first: Annotated[
        str,
        typer.Argument(
            metavar="FIRST", help=f"A player: {_PLAYER}.", autocompletion=complete_player
        ),
    ],
    second: Annotated[
        str, typer.Argument(metavar="SECOND", help="The other.", autocompletion=complete_player)
    ],
    games: Annotated[
        int, typer.Option("--games", "-g", help="How many, two for each opening.")
    ] = 100,
    control: ControlOption = "0.1s",
    pgn: Annotated[
        Path | None,
        typer.Option(
            "--pgn",
            metavar="FILE",
            dir_okay=False,
            help="Keeps the games; a match goes on from it.",
        ),
    ] = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="ELO0 ELO1",
            help="Stop as soon as it is clear which of two differences in Elo is right.",
        ),
    ] = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="PGN with opening lines, each with the headers ECO and Opening.",
        ),
    ] = None,
    longest: Annotated[
        int | None, typer.Option(min=1, metavar="PLIES", help="Longer games are draws.")
    ] = None,
    seed: SeedOption = 0,
) -> None:
    """Let two players play a match, and say how much stronger the first is.

    Each opening is played twice, with exchanged colours. The Elo comes with the half of its
    95 % interval. A match that was stopped goes on where it was if its games are in a file.
    """
    chapter = _chapter("s21_measuring_strength")
    with _explained():
        if sprt and not -math.inf < sprt[0] < sprt[1] < math.inf:
            raise ValueError(f"--sprt {sprt[0]:g} {sprt[1]:g}: expected two Elo, the lower first")
        test = chapter.Sprt(*sprt) if sprt else None
        lines = _chapter("s06_opening_book").lines(openings) if openings else None
        contest = chapter.Match(
            first,
            second,
            games=games,
            control=control,
            openings=lines,
            path=pgn,
            seed=seed,
            longest=longest,
        )
    if scheduler is None:
        _try_out(first, second)
    last = chapter.standing([], games, test)

    def how_on() -> str:
        if pgn is not None:
            return f"the games are in {pgn}; {_ON}"
        return "its games are not kept; with --pgn FILE, a match can go on"

    try:
        with (
            _stoppable(),
            _crew(workers, scheduler) as executor,
            ProgressBar("games", games) as bar,
            contextlib.closing(contest.run(executor, test)) as standings,
        ):
            for last in _explained_steps(standings, how_on):
                bar.show(last.games, _so_far(last))
    except KeyboardInterrupt:
        if last.games:
            typer.echo(_summary(first, second, last, sprt))
        _tell(f"Stopped after {last.games} of {games} games; {how_on()}.")
        raise typer.Exit(INTERRUPTED) from None
    typer.echo(_summary(first, second, last, sprt))
    if pgn is not None:
        typer.echo(f"games: {pgn}")


def _so_far(standing: Any) -> str:
    """A standing in few words."""
    test = standing.sprt
    if test is None:
        return str(standing)
    return f"{standing}, LLR {test.llr:.2f} ({test.lower:.2f}, {test.upper:.2f})"


def _summary(first: str, second: str, standing: Any, sprt: tuple[float, float] | None) -> str:
    """The result of a match in a few lines."""
    done = f"{standing.games}" + f" of {standing.total}" * (standing.games < standing.total)
    lines = [
        f"{first} against {second}: {done} games, {standing}",
        f"score: {standing.score:.1%}; pairs with 0, ½, 1, 1½, 2 points: "
        + " ".join(map(str, standing.pairs.counts)),
    ]
    if standing.faults:
        lines.append(f"games lost on time, by an illegal move or a breakdown: {standing.faults}")
    if sprt and standing.sprt:
        verdicts = {"accept H0": f"{sprt[0]:+g} Elo it is", "accept H1": f"{sprt[1]:+g} Elo it is"}
        test = standing.sprt
        lines.append(
            f"SPRT of {sprt[0]:+g} against {sprt[1]:+g} Elo: LLR {test.llr:.2f} in "
            f"({test.lower:.2f}, {test.upper:.2f}): {verdicts.get(test.verdict, 'not decided')}"
        )
    return "\n".join(lines)


@_command(
    "course suite",
    "course suite data/suites/mates.epd --engine s17 --depth 5",
    "course suite my.epd --engine stockfish --nodes 100000 --workers 4",
)
def suite(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Problems in EPD with bm, am or dm; the suites of the course if left out.",
            show_default=False,
        ),
    ] = None,
    engine: PlayerOption = STRONGEST,
    time: TimeOption = None,
    nodes: NodesOption = None,
    depth: DepthOption = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
) -> None:
    """Ask an engine the problems of a test suite.

    It thinks for a second about each if you say nothing else. The table says when and after
    how many nodes an answer was right and stayed right.
    """
    chapter = _chapter("s21_measuring_strength")
    from utils.engines import check_player

    given = {"--time": time, "--nodes": nodes, "--depth": depth}
    used = [f"{name} {value:g}" for name, value in given.items() if value is not None]
    with _explained():
        if len(used) > 1:
            raise ValueError(f"{' '.join(used)}: expected one of them")
        text = f"{nodes}n" if nodes else f"d{depth}" if depth else f"{time or 1.0:.3f}s"
        control = chapter.read_control(text)
        check_player(engine)
        files = [file] if file else sorted((DATA / "suites").glob("*.epd"))
        suites = [_read_suite(chapter, path) for path in files]
    if scheduler is None:
        _try_out(engine)
    # Names need not be unique; numbers are.
    problems = itertools.chain.from_iterable(part.problems for part in suites)
    numbered = [dataclasses.replace(p, name=str(n)) for n, p in enumerate(problems)]
    asked = chapter.Suite("all", tuple(numbered))
    answers: dict[str, Any] = {}
    try:
        with (
            _stoppable(),
            _crew(workers, scheduler) as executor,
            ProgressBar("problems", len(numbered)) as bar,
            contextlib.closing(chapter.run_suite(engine, asked, control, executor)) as stream,
        ):
            for answer in _explained_steps(stream, lambda: ""):
                answers[answer.problem] = answer
                solved = sum(one.solved for one in answers.values())
                bar.show(len(answers), f"{solved} solved")
    except KeyboardInterrupt:
        _show_answers(suites, answers)
        _tell(f"Stopped after {len(answers)} of {len(numbered)} problems; a suite begins anew.")
        raise typer.Exit(INTERRUPTED) from None
    _show_answers(suites, answers)


def _read_suite(chapter: Any, path: Path) -> Any:
    try:
        found = chapter.read_suite(path)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no UTF-8 text ({error}); expected EPD") from error
    if not found.problems:
        raise ValueError(f"{path} has no problems; expected lines of EPD")
    return found


def _show_answers(suites: Sequence[Any], answers: dict[str, Any]) -> None:
    """A table of the answers, by the number of the problem, and a line for each suite."""
    table = Table("problem", "answer", "right", "seconds", "nodes")
    for column in table.columns[3:]:
        column.justify = "right"
    counts, numbers = [], itertools.count()
    for part in suites:
        asked = [(problem, answers.get(str(next(numbers)))) for problem in part.problems]
        given = [(problem, answer) for problem, answer in asked if answer is not None]
        for problem, answer in given:
            table.add_row(
                problem.name,
                answer.said,
                "yes" if answer.solved else "no",
                "" if answer.seconds is None else f"{answer.seconds:.2f}",
                "" if answer.nodes is None else str(answer.nodes),
            )
        solved = sum(answer.solved for _, answer in given)
        counts.append(f"{part.name}: {solved} of {len(given)} solved")
    if answers:
        Console(highlight=False, markup=False).print(table)
        typer.echo("\n".join(counts))


@_command(
    "course ladder s05 s07 s10 s12 --control d2 --rounds 1",
    "course ladder --control 0.05s --rounds 2 --workers 4 --folder big",
    "course ladder --table",
)
def ladder(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ENGINE",
            help="Who takes part, the weakest first; all engines of the course if left out.",
            autocompletion=complete_player,
            show_default=False,
        ),
    ] = None,
    control: ControlOption = "0.05s",
    rounds: Annotated[
        int, typer.Option("--rounds", "-r", min=1, help="Pairs of games of each two engines.")
    ] = 1,
    folder: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            metavar="FOLDER",
            help="For games.pgn, from which a tournament goes on, and ladder.json; "
            "without it, the folder ladder.",
        ),
    ] = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    seed: SeedOption = 0,
    table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="Play nothing; show the table in the folder, or without --folder "
            "the one that comes with the course.",
        ),
    ] = False,
) -> None:
    """Let all engines play each other, and show who is how strong.

    A tournament that was stopped goes on where it was; with more rounds it is continued.
    """
    from utils.engines import ENGINES
    from utils.matches import ladder as tournament
    from utils.matches.ladder_results import ladder_table, load_ladder

    if table:
        with _explained():
            path = None if folder is None else folder / "ladder.json"
            typer.echo(ladder_table(load_ladder(path)))
        return
    folder = folder or Path("ladder")
    names = list(players or ENGINES)
    with _explained():
        plan = tournament.plan_ladder(control, rounds, names, seed)
    if scheduler is None:
        _try_out(*names)
    path, done = folder / "games.pgn", list[Any]()
    steps: Callable[..., Any] = tournament.play_ladder  # a generator

    def how_on() -> str:
        return f"the games are in {path}; {_ON}"

    try:
        with (
            _stoppable(),
            _crew(workers, scheduler) as executor,
            ProgressBar("games", len(plan)) as bar,
            contextlib.closing(steps(plan, path, executor)) as stream,
        ):
            for game in _explained_steps(stream, how_on):
                done.append(game)
                bar.show(len(done))
    except KeyboardInterrupt:
        with contextlib.suppress(ValueError):  # somebody has not played yet
            typer.echo(ladder_table(tournament.make_ladder(plan, done)))
        _tell(f"Stopped after {len(done)} of {len(plan)} games; {how_on()}.")
        raise typer.Exit(INTERRUPTED) from None
    made = tournament.make_ladder(plan, done)
    with _explained():
        tournament.save_ladder(made, folder / "ladder.json")
    typer.echo(ladder_table(made))


@_command(
    "course book games.pgn mine.bin",
    "course book games.pgn mine.bin --min-games 3 --max-plies 20 --weights points --force",
)
def book(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.pgn", exists=True, dir_okay=False, help="The games.")
    ],
    out: Annotated[
        Path, typer.Argument(metavar="OUT.bin", dir_okay=False, help="The Polyglot book.")
    ],
    min_games: Annotated[
        int, typer.Option(min=1, help="Leave out moves that were played in fewer games.")
    ] = 1,
    max_plies: Annotated[int, typer.Option(min=1, help="Plies of each game to take.")] = 30,
    weights: Annotated[
        Literal["share", "games", "points"],
        typer.Option(
            help="What a weight is: the share of the games from the position, in thousandths; "
            "the number of games; or two points for a win and one for a draw."
        ),
    ] = "share",
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite the book.")] = False,
) -> None:
    """Build an opening book in the Polyglot format from games in PGN.

    Chess programs can use it, and so can the engines of the course: give its name as the
    option BookFile of `course uci`.
    """
    from utils.recipes.polyglot_book import book_entries

    with _explained():
        if out.exists() and (not force or out.samefile(file)):
            way = "expected a new file" if force else "to overwrite it, add --force"
            raise ValueError(f"{out} exists; {way}")
        if not out.absolute().parent.is_dir():
            raise ValueError(f"{out}: there is no folder {out.absolute().parent}; make it first")
    try:
        with _stoppable(), ProgressBar("games") as bar, _explained():
            entries = book_entries(
                file,
                min_games=min_games,
                max_plies=max_plies,
                weights=weights,
                progress=bar.show,
            )
            _chapter("s06_opening_book").write_book(out, entries)
    except KeyboardInterrupt:
        _tell(f"Stopped; {out} is as it was.")
        raise typer.Exit(INTERRUPTED) from None
    positions = len({entry.key for entry in entries})
    typer.echo(f"wrote {out}: {len(entries)} moves in {positions} positions, from {bar.done} games")


# What the commands share.


def _chapter(name: str) -> Any:
    from utils.jupyter_loader import load_chapter

    return load_chapter(name)


def _tell(text: str) -> None:
    """A line on the error output."""
    typer.echo(text, err=True)


def _words(error: BaseException) -> str:
    """What an error says, with the file in question."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Turns the errors of bad input into one line."""
    try:
        yield
    except BrokenPipeError:  # nobody reads our output any more
        raise
    except (ValueError, OSError, ModuleNotFoundError) as error:
        raise Problem(_words(error)) from error


def _explained_steps(stream: Iterable[Any], how_on: Any) -> Iterator[Any]:
    """The same results; errors of the work behind them become one line."""
    steps = iter(stream)
    while True:
        try:
            with _explained():
                step = next(steps)
        except StopIteration:
            return
        except BrokenExecutor as error:
            way = how_on()
            raise Failure("a process that worked has died" + f"; {way}" * bool(way)) from error
        yield step


def _start(spec: str, rng: random.Random | None = None) -> Any:
    """A player; it is clear what is wrong if there is none."""
    import chess.engine

    from utils.engines import make_player

    try:
        with _explained():
            return make_player(spec, rng)
    except (chess.engine.EngineError, Problem) as error:
        if isinstance(error, Problem) and not isinstance(error.__cause__, TimeoutError):
            raise
        raise Problem(
            f"the engine {spec!r} does not start ({_words(error)}); expected a program that "
            "speaks UCI, and options that it has"
        ) from error


def _try_out(*specs: str) -> None:
    """Start each program once: better now than in the first game."""
    from utils.engines import ENGINES, close_player

    for spec in dict.fromkeys(specs):
        if spec not in ENGINES:  # a reader's own chapter may have an error, too
            close_player(_start(spec))


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Only the first Ctrl-C counts: those that follow must not disturb the tidying up."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # a job in the background
    if ignored or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    except KeyboardInterrupt:  # the program ends now
        raise
    except BaseException:
        signal.signal(signal.SIGINT, before)
        raise
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _crew(count: int, scheduler: str | None) -> Iterator[Executor]:
    """The processes that do the work."""
    from utils.matches.workers import workers

    with contextlib.ExitStack() as stack:
        with _explained():
            executor = stack.enter_context(workers(count, scheduler))
        yield executor


def main() -> None:
    """What the command `course` runs."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # What goes wrong with a game or an engine is said here, not in a log.
    logging.getLogger("chess").addHandler(logging.NullHandler())
    app(prog_name="course")


if __name__ == "__main__":
    main()
