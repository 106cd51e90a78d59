"""The command line of the course: `course --help`.

Each command only reads what was typed, and calls the chapters and `utils` for the work.
They are imported when they are needed, so that help is quick. Results go to the standard
output; progress and errors go to the error output, an error as one line.
"""

from __future__ import annotations

import contextlib
import functools
import random
import sys
import time as clock
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Column, Table

from utils.atomic_files import replace_file
from utils.cli_helpers import (
    DEFAULT_ENGINE,
    OneLineErrors,
    Progress,
    SeedOption,
    add_command,
    complete_engine,
    error_text,
    examples_text,
    input_errors,
    progress_bar,
    require_folder,
    run_long_work,
    start_player,
    stopped_by_ctrl_c,
)
from utils.external_programs import silence_log
from utils.paths import DATA
from utils.uci import uci

if TYPE_CHECKING:
    from converted_notebooks import s24_measuring_strength as s24
    from utils.matches.records import PlannedGame, Played

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


_command = functools.partial(add_command, app)


# What the Tab key offers, and the options that several commands have.


def complete_player(incomplete: str) -> list[tuple[str, str]]:
    """The engines, and Stockfish if it is installed."""
    from utils.external_programs import find_program

    found = complete_engine(incomplete)
    if "stockfish".startswith(incomplete) and find_program("stockfish"):
        found.append(("stockfish", "a program that speaks UCI"))
    return found


_PLAYER = "A chapter such as s10, stockfish, or another program that speaks UCI."
EngineOption = Annotated[
    str, typer.Option("--engine", "-e", help=_PLAYER, autocompletion=complete_player)
]
TimeOption = Annotated[
    float | None,
    typer.Option(
        "--time", "-t", metavar="SECONDS", min=0.001, max=86400, help="Time for each move."
    ),
]
DepthOption = Annotated[
    int | None,
    typer.Option("--depth", "-d", metavar="PLIES", min=1, max=100, help="Plies to look ahead."),
]
MOST_ELO = 2000
"""The largest claim of a sequential test; beyond 6400 an expected score rounds to 0 or 1."""
CONTROL = (
    "Time to think: 10+0.1 (clock and increment in seconds), 0.5s, 1000n (nodes) or d3 (depth), "
    "the last three for each move."
)
ControlOption = Annotated[str, typer.Option("--control", "-c", metavar="CONTROL", help=CONTROL)]
WorkersOption = Annotated[
    int, typer.Option("--workers", "-w", metavar="N", min=1, max=1024, help="Parallel processes.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="A Dask scheduler, to work on a cluster: tcp://10.0.0.5:8786."
    ),
]
SprtOption = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="ELO0 ELO1",
        help="Stop a match when it is clear which of two Elo differences fits better.",
    ),
]


@_command(
    "course play",
    "course play --engine s12 --side black --depth 3",
    "course play --engine 'stockfish?UCI_Elo=1500' --time 0.5 --pgn game.pgn",
    'course play --fen "8/8/8/8/8/2k5/1q6/K7 w - - 0 1" --ascii',
)
def play(
    engine: EngineOption = DEFAULT_ENGINE,
    side: Annotated[
        Literal["white", "black", "random", "both"],
        typer.Option("--side", "-s", help="The side that you play; both: without an opponent."),
    ] = "white",
    time: TimeOption = None,
    depth: DepthOption = None,
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="Where to start.")] = None,
    letters: Annotated[
        bool | None,
        typer.Option("--ascii/--unicode", help="Draw the pieces as letters, or as symbols."),
    ] = None,
    pgn: Annotated[
        Path | None, typer.Option(help="Save the game here when it ends. A new file.")
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Play against an engine, here in the terminal.

    Without --time and --depth, the engine has one second for each move.
    """
    import chess
    import chess.engine

    from utils.play.game import SIDES, Game
    from utils.play.terminal import TerminalGame, can_show

    console = Console(highlight=False)
    rng = random.Random(seed)
    with input_errors():
        if time is not None and depth is not None:
            raise ValueError(f"--time {time:g} --depth {depth}: expected one of them")
        if pgn is not None and pgn.exists():
            raise ValueError(f"{pgn} exists; expected the name of a new file")
        if pgn is not None:
            require_folder(pgn)
        person = rng.choice(chess.COLORS) if side == "random" else SIDES[side]
        game = Game(fen, person)
    player = start_player(engine, rng)
    limit = chess.engine.Limit(time=None if depth else time or 1.0, depth=depth)
    if letters is None:
        letters = not can_show(console, "♔♚·")
    terminal_game = TerminalGame(
        game, player, limit, console, name=engine, letters=letters, path=pgn
    )

    try:
        with stopped_by_ctrl_c(), contextlib.closing(terminal_game):
            terminal_game.cmdloop()
    except (chess.engine.EngineError, TimeoutError, ValueError) as error:
        message = f"the engine {engine} broke down: {error_text(error)}"
        raise typer.TyperException(message) from error
    finally:
        player.close()


_command("course uci", "course uci --engine s10", "course uci --engine s27 --set SINGULAR_DEPTH=9")(
    uci
)


@_command(
    "course match s14 s12 --games 20 --control 0.1s",
    "course match s23 'stockfish?UCI_Elo=2000' --control 10+0.1 --pgn match.pgn",
    "course match s17 s16 --games 1000 --sprt 0 20 --pgn test.pgn",
)
def match(
    first: Annotated[
        str, typer.Argument(metavar="FIRST", help=_PLAYER, autocompletion=complete_player)
    ],
    second: Annotated[
        str,
        typer.Argument(
            metavar="SECOND", help="The opponent, named likewise.", autocompletion=complete_player
        ),
    ],
    games: Annotated[
        int, typer.Option("--games", "-g", max=100_000, help="Even number: two per opening.")
    ] = 100,
    control: ControlOption = "0.1s",
    pgn: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Keeps the games; a match goes on from it."),
    ] = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    sprt: SprtOption = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="PGN with opening lines, each with the headers ECO and Opening.",
        ),
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Let two players play a match, and say how much stronger the first is.

    With two times, such as 0.1s:1s, the first player has the first of them.
    Each opening is played twice, with exchanged colours. The number after ± is half
    the 95 % interval. A match that was stopped goes on where it was if its games are in a file.
    """
    from converted_notebooks import s06_opening_book as s06
    from converted_notebooks import s24_measuring_strength as s24

    with input_errors():
        test = _sequential_test(sprt)
        lines = s06.lines(openings) if openings else None
        if lines == ():
            raise ValueError(f"{openings} has no games; expected opening lines in PGN")
        plan = s24.plan_match(first, second, games, control, lines, seed=seed or 0)
    run_match(plan, test, pgn, workers, scheduler, [first, second])
    if pgn is not None:
        typer.echo(f"games: {pgn}")


def run_match(
    plan: Sequence[PlannedGame],
    test: s24.Sprt | None,
    path: Path | None,
    workers: int,
    scheduler: str | None = None,
    players: Sequence[str] = (),
) -> None:
    """Play a match until its test has decided; the last arguments are as in `run_long_work`."""
    from converted_notebooks import s24_measuring_strength as s24
    from utils.matches.plan import play_plan

    last, stop = s24.standing([], len(plan), test), test.decided if test else None

    def play_games(executor: Executor | None) -> Progress:
        nonlocal last
        for done in play_plan(plan, path, executor, stop):
            last = s24.standing(done, len(plan), test)
            llr = f", LLR {last.sprt.llr:.2f}" if last.sprt else ""
            yield last.games, f"{last}{llr}"

    def show() -> None:
        typer.echo(_match_summary(plan[0].first, plan[0].second, last, test))

    resume = "its games are not kept; with --pgn FILE, a match can go on"
    if path:
        resume = _resume_hint(path)
    run_long_work(play_games, show, players, "games", len(plan), resume, workers, scheduler)


def _match_summary(first: str, second: str, standing: s24.Standing, test: s24.Sprt | None) -> str:
    """The result of a match in a few lines."""
    games = str(standing.games)
    if standing.games < standing.total:
        games += f" of {standing.total}"
    counts = " ".join(map(str, standing.pairs.counts))
    interval = "{:+.0f} to {:+.0f}".format(*standing.pairs.interval).replace("inf", "∞")
    lines = [
        f"{first} against {second}: {games} games, {standing}",
        f"score: {standing.score:.1%}; pairs with 0, ½, 1, 1½, 2 points: {counts}",
        f"95 % interval, from the pairs: {interval} Elo",
    ]
    if standing.faults:
        lines.append(f"games lost on time, by an illegal move or a breakdown: {standing.faults}")
    if test and (state := standing.sprt):
        accepted = {"accept H0": test.elo0, "accept H1": test.elo1}.get(state.verdict)
        verdict = "not decided" if accepted is None else f"{accepted:+g} Elo fits better"
        lines.append(
            f"SPRT of {test.elo0:+g} against {test.elo1:+g} Elo: LLR {state.llr:.2f} in "
            f"({state.lower:.2f}, {state.upper:.2f}): {verdict}"
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
            exists=True,
            dir_okay=False,
            help="Problems in EPD with bm, am or dm; the suites of the course if left out.",
        ),
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    time: TimeOption = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", "-n", min=1, help="Positions to search for a move.")
    ] = None,
    depth: DepthOption = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
) -> None:
    """Ask an engine the problems of a test suite.

    Without a limit, the engine has one second for each problem. For a chapter, the table shows
    after how many seconds and nodes its answer was right and stayed right; for another
    program, how long it searched.
    """
    from utils.matches.suites import read_suite

    given = {"--time": time, "--nodes": nodes, "--depth": depth}
    used = [f"{name} {value:g}" for name, value in given.items() if value is not None]
    with input_errors():
        if len(used) > 1:
            raise ValueError(f"{' '.join(used)}: expected one of them")
        limit = f"{nodes}n" if nodes else f"d{depth}" if depth else f"{time or 1.0:g}s"
        files = [file] if file else sorted((DATA / "suites").glob("*.epd"))
        suites = [read_suite(path) for path in files]
    for part in suites:
        _ask(part, engine, limit, workers, scheduler)


def _ask(part: s24.Suite, engine: str, limit: str, workers: int, scheduler: str | None) -> None:
    """Ask an engine the problems of a suite, and show its answers in a table."""
    from utils.matches import suites

    answers: list[suites.Answer] = []

    def ask(executor: Executor | None) -> Progress:
        for answer in suites.run_suite(engine, part, limit, executor):
            answers.append(answer)
            yield len(answers), f"{sum(one.solved for one in answers)} solved"

    def show() -> None:
        numbers = (Column(name, justify="right") for name in ("seconds", "nodes"))
        table = Table("problem", "answer", "right", *numbers)
        for answer in sorted(answers, key=lambda answer: answer.number):
            seconds = "" if answer.seconds is None else f"{answer.seconds:.2f}"
            nodes = "" if answer.nodes is None else str(answer.nodes)
            right = "yes" if answer.solved else "no"
            table.add_row(answer.problem, answer.said, right, seconds, nodes)
        Console(highlight=False, markup=False).print(table)
        solved = sum(answer.solved for answer in answers)
        typer.echo(f"{part.name}: {solved} of {len(answers)} solved")

    resume = "a suite starts again from its first problem"
    run_long_work(ask, show, [engine], "problems", len(part.problems), resume, workers, scheduler)


@_command(
    "course ladder s05 s07 s10 s12 --control d2 --rounds 1",
    "course ladder --control 0.05s --rounds 2 --workers 4 --folder big",
    "course ladder --control 0.25s --rounds 50 --near 1 --sprt 0 30 --workers 2",
    "course ladder --table",
)
def ladder(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help="Who takes part, the weakest first; all engines of the course if left out.",
            autocompletion=complete_player,
        ),
    ] = None,
    control: ControlOption = "0.05s",
    rounds: Annotated[
        int,
        typer.Option("--rounds", "-r", min=1, max=10_000, help="Pairs of games of two engines."),
    ] = 1,
    near: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Only engines at most this many places apart meet; those more than one place "
            "apart play a third of the rounds.",
        ),
    ] = None,
    sprt: SprtOption = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="For games.pgn, from which a ladder goes on, and ladder.json; "
            "without it, the folder ladder.",
        ),
    ] = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    seed: SeedOption = None,
    table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="Play nothing; make the table of the folder again from its games and show it. "
            "Without --folder, show the one that comes with the course.",
        ),
    ] = False,
) -> None:
    """Let all engines play each other, and show how strong each is.

    A ladder that was stopped goes on where it was; with more rounds
    or more engines it is continued.
    """
    from utils.engines import ENGINES
    from utils.matches.ladder import (
        decided_pairs,
        make_ladder,
        plan_ladder,
        rate_again,
        save_ladder,
    )
    from utils.matches.ladder_results import ladder_table, load_ladder
    from utils.matches.plan import play_plan
    from utils.matches.records import read_played

    if table:
        with input_errors():
            if players:
                raise ValueError("--table shows all players of a ladder; expected no names")
            shown = rate_again(folder) if folder else load_ladder()
            if folder:
                save_ladder(shown, folder)
            typer.echo(ladder_table(shown))
        return
    folder = folder or Path("ladder")
    path, names = folder / "games.pgn", list(players or ENGINES)
    with input_errors():
        test = _sequential_test(sprt)
        plan = plan_ladder(control, rounds, names, seed or 0, read_played(path), near)
    skip = decided_pairs(test) if test else None
    done: list[Played] = []

    def play_games(executor: Executor | None) -> Progress:
        nonlocal done
        for done in play_plan(plan, path, executor, skip=skip):
            yield len(done), ""

    def show() -> None:
        # There is no table yet if it is stopped before each engine had a game.
        with input_errors(), contextlib.suppress(ValueError):
            found = make_ladder(plan, done, near, sprt)
            save_ladder(found, folder)
            typer.echo(ladder_table(found))

    resume = _resume_hint(path)
    run_long_work(play_games, show, names, "games", len(plan), resume, workers, scheduler)


@_command(
    "course tournament Anna=./anna 'Ben=python ben.py' s10 --control 5+0.1",
    "course tournament --list class.txt --system swiss --rounds 7 --games 2 --workers 2",
    "course tournament Mine=./mine s10 s12 s14 --system gauntlet --games 20",
)
def tournament(
    players: Annotated[
        list[str] | None,
        typer.Argument(help="Name and program: Anna=./anna. Or a chapter, or stockfish."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--list", exists=True, dir_okay=False, help="More players, one in each line."),
    ] = None,
    system: Annotated[
        Literal["round-robin", "swiss", "gauntlet"],
        typer.Option(help="Gauntlet: the first player meets each of the others."),
    ] = "round-robin",
    games: Annotated[
        int, typer.Option("--games", "-g", min=1, help="Games of a meeting: 1 or an even number.")
    ] = 2,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds", "-r", min=1, help="Swiss rounds; default 5, at most half the players."
        ),
    ] = None,
    control: ControlOption = "10+0.1",
    grace: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Who takes longer than the time for a move, and this in addition, loses.",
        ),
    ] = 0.5,
    longest: Annotated[
        int, typer.Option(metavar="PLIES", min=1, help="A longer game is a draw.")
    ] = 500,
    folder: Annotated[
        Path,
        typer.Option(
            file_okay=False,
            help="For games.pgn, from which a tournament goes on, and the page index.html.",
        ),
    ] = Path("tournament"),
    workers: WorkersOption = 1,
    seed: SeedOption = None,
) -> None:
    """Let the programs of a class or a club play a tournament.

    Each program speaks UCI and runs in a process of its own, with your rights. One that hangs,
    breaks down, plays an illegal move or takes too long loses its game and nothing else. The page
    in the folder shows the standings while the tournament runs; one that was stopped goes on.
    """
    from utils.matches.records import read_lines, read_played
    from utils.matches.tournament import Tournament, absent, duration_text, read_entrants, standings
    from utils.matches.tournament_page import page

    with input_errors():
        lines = [*(players or []), *(read_lines(file) if file else [])]
        entrants = read_entrants(lines)
        if rounds and system != "swiss":
            raise ValueError(f"--rounds {rounds} is for a Swiss tournament, not for a {system}")
        rounds = rounds or max(1, min(5, len(entrants) // 2))
        settings = (control, system, games, rounds, seed or 0, longest, grace)
        contest = Tournament(entrants, *settings)
    missing = absent(entrants)
    for name, reason in missing.items():
        typer.echo(f"{name} does not start, and will lose its games: {reason}", err=True)
    hours = contest.hours(workers)
    length = "no estimate for this control" if hours is None else f"about {duration_text(hours)}"
    typer.echo(f"{len(entrants)} players, {contest.total} games, {length}", err=True)
    path, page_path = folder / "games.pgn", folder / "index.html"
    done: list[Played] = []
    places = standings(contest.names, [])

    def play_games(executor: Executor | None) -> Progress:
        nonlocal done, places
        begin, before = clock.monotonic(), {game.key for game in read_played(path)}
        for done, byes in contest.play(path, executor):
            places = standings(contest.names, done, byes)
            fresh = sum(game.key not in before for game in done)
            left = (
                (contest.total - len(done)) * (clock.monotonic() - begin) / fresh if fresh else None
            )
            replace_file(page_path, page(contest, places, done, left and left / 3600))
            yield len(done), ""

    def show() -> None:
        for rank, place in enumerate(places, 1):
            faults = f", {place.faults} by fault" if place.faults else ""
            typer.echo(f"{rank:3} {place.name:20} {place.points:g} of {place.games}{faults}")
        typer.echo(f"page: {page_path}")

    resume = _resume_hint(path)
    run_long_work(play_games, show, [], "games", contest.total, resume, workers)


@_command(
    "course book games.pgn mine.bin",
    "course book games.pgn mine.bin --min-games 3 --max-plies 20 --force",
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
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite the book.")] = False,
) -> None:
    """Build an opening book in the Polyglot format from games in PGN.

    Chess programs can use it, and so can the engines of the course: give its name as the
    option BookFile of `course uci`.
    """
    from converted_notebooks import s06_opening_book as s06
    from utils.polyglot_book import book_entries

    with input_errors():
        if out.exists() and (not force or out.samefile(file)):
            way = "expected a new file" if force else "to overwrite it, add --force"
            raise ValueError(f"{out} exists; {way}")
        if out.exists() and not out.is_file():
            raise ValueError(f"{out} is not a regular file")
        require_folder(out)

    def report() -> None:
        typer.echo(f"Stopped; {out} is as it was.", err=True)

    with stopped_by_ctrl_c(report), progress_bar("games") as bar, input_errors():
        entries = book_entries(file, min_games=min_games, max_plies=max_plies, progress=bar.update)
        s06.write_book(out, entries)
    positions = len({entry.key for entry in entries})
    typer.echo(f"wrote {out}: {len(entries)} moves in {positions} positions, from {bar.n} games")


def _sequential_test(sprt: tuple[float, float] | None) -> s24.Sprt | None:
    from converted_notebooks.s24_measuring_strength import Sprt

    if sprt and not -MOST_ELO <= sprt[0] < sprt[1] <= MOST_ELO:
        raise ValueError(
            f"--sprt {sprt[0]:g} {sprt[1]:g}: expected two Elo from {-MOST_ELO} to {MOST_ELO}, "
            "the lower first"
        )
    return Sprt(*sprt) if sprt else None


def _resume_hint(path: Path) -> str:
    return f"the games are in {path}; the same command goes on from there"


def main() -> None:
    """What the command `course` runs."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    silence_log()
    app(prog_name="course")


if __name__ == "__main__":
    main()
