"""The ladder: a tournament of all engines of the course, `python -m utils.ladder`.

Each engine meets each other one, in pairs of games with the same opening. The games are
written to `games.pgn` as they end, so the tournament can be interrupted and goes on where
it was; with more rounds it is continued. Then `ladder.json` gets the ratings. From it the
pages are made that show them. `--table` plays nothing and only computes and writes again;
`--check` only compares, and fails if something is not up to date.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import html
import itertools
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utils.engines import ENGINES
from utils.executors import add_options, workers
from utils.figures import BLUE, ORANGE, Figure, svg_figure
from utils.files import replacing
from utils.games import GameFile, Pairing, Played
from utils.jupyter_loader import load_chapter
from utils.paths import DATA, ROOT
from utils.progress import ProgressBar

FOLDER = DATA / "ladder"
PICTURE = ROOT / "book" / "_static" / "ladder_measured.svg"
PAGES = (ROOT / "README.md", DATA / "README.md")
"""Pages with a place for the table, and one for the checksums."""
IDEAS = {
    "s05": "random moves",
    "s06": "opening book",
    "s07": "counting pieces",
    "s08": "evaluation",
    "s09": "looking ahead",
    "s10": "alpha-beta",
    "s11": "iterative deepening",
    "s12": "piece-square tables",
    "s13": "incremental evaluation",
    "s14": "move ordering",
    "s15": "transposition table",
    "s16": "quiescence search",
    "s17": "selective search",
    "s18": "positional evaluation",
    "s19": "endgame tables",
    "s20": "tournament engine",
}
"""What each engine brings, in a word or two."""


@dataclass(frozen=True)
class Row:
    """An engine in the ladder.

    Attributes:
        name: its chapter.
        elo: strength; the first engine has 0.
        margin: half of the 95 % interval, in Elo, for the distance to the average.
        gain: Elo more than the engine before; None for the first.
        gain_margin: half of the 95 % interval of the gain.
        games: played.
        score: share of the points, from 0 to 1.
    """

    name: str
    elo: float
    margin: float
    gain: float | None
    gain_margin: float | None
    games: int
    score: float

    @property
    def idea(self) -> str:
        """What the engine brings."""
        return IDEAS.get(self.name, "")


@dataclass(frozen=True)
class Ladder:
    """The result of a tournament.

    Attributes:
        date: of the last game, such as "2026-11-21".
        machine: what it was played on.
        python: version.
        control: time control.
        rounds: pairs of games of each two engines.
        seed: of the tournament.
        games: that were played.
        faults: games that were lost on time, by an illegal move or by breaking down.
        rows: the engines in the order of the chapters.
        results: player, opponent, wins, draws, losses.
    """

    date: str
    machine: str
    python: str
    control: str
    rounds: int
    seed: int
    games: int
    faults: int
    rows: tuple[Row, ...]
    results: tuple[tuple[str, str, int, int, int], ...]


def _chapter() -> Any:
    return load_chapter("s21_measuring_strength")


def plan_ladder(
    control: str, rounds: int, engines: Sequence[str] = ENGINES, seed: int = 0
) -> list[Pairing]:
    """All games of the tournament, round after round.

    Raises:
        ValueError: fewer than two engines or one round, an engine twice, or a control
            that cannot be read.
    """
    if len(set(engines)) != len(engines) or len(engines) < 2 or rounds < 1:
        raise ValueError(
            f"{rounds} rounds of {', '.join(engines)}: expected one round or more of two "
            "different engines or more"
        )
    chapter = _chapter()
    duels = [
        chapter.plan_match(second, first, 2 * rounds, control, seed=seed + 1000 * number)
        for number, (first, second) in enumerate(itertools.combinations(engines, 2))
    ]
    return [
        pairing
        for number in range(0, 2 * rounds, 2)
        for duel in duels
        for pairing in duel[number : number + 2]
    ]


def play_ladder(
    plan: Sequence[Pairing], path: Path, executor: Executor | None = None
) -> Iterator[Played]:
    """The games of a plan: first those that are in the file, then the others as they end.

    Raises:
        ValueError: the file holds games of another tournament.
        BlockingIOError: another tournament is writing to the file.
    """
    chapter = _chapter()
    with GameFile(path) as file:
        done = chapter.resumed(plan, chapter.read_games(path))
        yield from done
        with contextlib.closing(chapter.play_missing(plan, done, file, executor)) as games:
            yield from games


def make_ladder(plan: Sequence[Pairing], games: Iterable[Played]) -> Ladder:
    """Rate the engines of a plan by the games that were played.

    Raises:
        ValueError: an engine has no game.
    """
    chapter, games = _chapter(), list(games)
    # The order of games in a file is that of their ends; it must not touch the last digits.
    games.sort(key=lambda game: game.key)
    fit = chapter.fit_strengths(games)
    by_name = {rating.name: rating for rating in chapter.ratings(games)}
    present = {name for pairing in plan for name in (pairing.first, pairing.second)}
    names = sorted(present, key=lambda name: (name not in ENGINES, name))
    if missing := [name for name in names if name not in by_name]:
        raise ValueError(f"no games of {', '.join(missing)}; expected some of each engine")
    zero, rows, before = by_name[names[0]].elo, [], None
    for name in names:
        rating = by_name[name]
        gain, gain_margin = fit.gain(name, before) if before else (None, None)
        rows.append(
            Row(
                name=name,
                elo=_round(rating.elo - zero),
                margin=_round(rating.margin),
                gain=_round(gain),
                gain_margin=_round(gain_margin),
                games=int(rating.games),
                score=round(rating.score, 4),
            )
        )
        before = name
    results = tuple(
        (first, second, *map(int, counts))
        for (first, second), counts in chapter.add_up(games).items()
    )
    return Ladder(
        date=max(g.headers.get("Date", "") for g in games).replace(".", "-"),
        machine=machine(),
        python=platform.python_version(),
        control=plan[0].control,
        rounds=max(pairing.number for pairing in plan) // 2 + 1,
        seed=plan[0].seed,
        games=len(games),
        faults=sum(game.fault for game in games),
        rows=tuple(rows),
        results=results,
    )


def _round(number: Any) -> Any:
    return None if number is None else round(float(number), 1)


def save_ladder(ladder: Ladder, path: Path) -> None:
    """Write a table; whoever reads sees the old one or the new one."""
    with replacing(path) as file:
        file.write(json.dumps(dataclasses.asdict(ladder), indent=1) + "\n")


def load_ladder(path: Path | None = None) -> Ladder:
    """The table of the tournament, by default the one that comes with the course.

    Raises:
        FileNotFoundError: it has not been played.
        ValueError: the file is no such table.
    """
    path = path or FOLDER / "ladder.json"
    if not path.is_file():
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        raise FileNotFoundError(
            f"{shown} is missing: it has not been played; to play it: python -m utils.ladder"
        )
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        data["rows"] = tuple(Row(**row) for row in data["rows"])
        data["results"] = tuple(tuple(row) for row in data["results"])
        return Ladder(**data)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is no table of a ladder: {error}") from error


def ladder_note(chapter: str, ladder: Ladder | None = None) -> str:
    """A sentence about the engine of a chapter: its Elo, and what it gained.

    Raises:
        ValueError: no engine of that chapter is in the table.
    """
    if ladder is None:
        try:
            ladder = load_ladder()
        except FileNotFoundError:
            return "The ladder has not been played yet."
    names = [row.name for row in ladder.rows]
    if chapter not in names:
        raise ValueError(f"{chapter!r} is not in the ladder; expected one of {', '.join(names)}")
    row = ladder.rows[names.index(chapter)]
    if row.gain is None or row.gain_margin is None:
        return f"In the ladder of all engines, {row.name} is the zero of the scale."
    before = names[names.index(chapter) - 1]
    gain = abs(row.gain)
    if gain <= row.gain_margin:
        change = f"not measurably different from {before} ({row.gain:+.0f} ± {row.gain_margin:.0f})"
    else:
        word = "more" if row.gain > 0 else "fewer"
        change = f"{gain:.0f} ± {row.gain_margin:.0f} {word} than {before}"
    return f"In the ladder of all engines, {row.name} has {row.elo:.0f} Elo, {change}."


def ladder_figure(
    highlight: str | None = None, *, name: str = "fig-s21-ladder", ladder: Ladder | None = None
) -> Figure:
    """The ladder as a figure of the book.

    Args:
        highlight: a chapter whose bar gets another colour.
        name: label of the figure.
        ladder: the table, if not the course's.

    Raises:
        FileNotFoundError: the ladder has not been played.
    """
    ladder = ladder or load_ladder()
    caption = (
        f"The engines of the course after {ladder.games} games at {ladder.control}, in Elo "
        f"above {ladder.rows[0].idea or ladder.rows[0].name}. Lines: 95 % intervals."
    )
    return svg_figure(ladder_svg(ladder, highlight), caption, name=name, alt=ladder_words(ladder))


def ladder_words(ladder: Ladder) -> str:
    """What one would see in the picture."""
    bars = ", ".join(
        f"{row.name} {row.idea} {row.elo:.0f}".replace("  ", " ") for row in ladder.rows
    )
    return f"Horizontal bars, one for each engine, with their Elo: {bars}."


def ladder_svg(ladder: Ladder, highlight: str | None = None, *, alone: bool = False) -> str:
    """The ladder as SVG: a bar for each engine, with its interval.

    Args:
        ladder: the table.
        highlight: a chapter whose bar gets another colour.
        alone: whether it is a file of its own, which brings its colours for light and dark.
    """
    left, right, top, step = 178, 560, 8, 24
    low = min(0.0, *(row.elo - row.margin for row in ladder.rows))
    high = max(1.0, *(row.elo + row.margin for row in ladder.rows))
    height = top + step * len(ladder.rows) + 34

    def across(elo: float) -> float:
        return round(left + (right - left) * (elo - low) / (high - low), 1)

    parts = []
    unit = next(u for u in (100, 200, 500, 1000, 5000) if (high - low) / u <= 8 or u == 5000)
    foot = top + step * len(ladder.rows)
    for elo in range(int(low // unit + 1) * unit if low % unit else int(low), int(high) + 1, unit):
        x = across(elo)
        parts.append(
            f'<path d="M{x} {top}V{foot}" stroke="currentColor" stroke-opacity=".2"/>'
            f'<text x="{x}" y="{foot + 16}" text-anchor="middle">{elo}</text>'
        )
    for number, row in enumerate(ladder.rows):
        y = top + step * number + step // 2
        begin, end = sorted((across(0), across(row.elo)))
        colour = ORANGE if row.name == highlight else BLUE
        label = html.escape(f"{row.name} {row.idea}".strip())
        near, far = across(row.elo - row.margin), across(row.elo + row.margin)
        parts.append(
            f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{label}</text>'
            f'<rect x="{begin}" y="{y - 7}" width="{round(max(end - begin, 1), 1)}" height="14" '
            f'fill="{colour}"/>'
            f'<path d="M{near} {y}H{far}M{near} {y - 4}v8M{far} {y - 4}v8" fill="none" '
            'stroke="currentColor" stroke-width="1.5"/>'
            f'<text x="{max(far, across(0)) + 6}" y="{y + 4}">{row.elo:.0f}</text>'
        )
    parts.append(
        f'<text x="{(left + right) // 2}" y="{height - 2}" text-anchor="middle">Elo</text>'
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 {height}" '
        'font-family="sans-serif" font-size="12.5" fill="currentColor"'
    )
    if not alone:
        return f"{head}>{''.join(parts)}</svg>"
    words = html.escape(ladder_words(ladder))
    style = "svg{color:#222}@media(prefers-color-scheme:dark){svg{color:#ddd}}"
    body = "\n".join([f"<title>{words}</title>", f"<style>{style}</style>", *parts])
    return f'{head} role="img" aria-label="{words}">\n{body}\n</svg>\n'


def ladder_table(ladder: Ladder) -> str:
    """The ladder as a table in Markdown."""
    lines = ["| chapter | what it brings | Elo | gain |", "| --- | --- | ---: | ---: |"]
    for row in ladder.rows:
        gain = "" if row.gain is None else f"{row.gain:+.0f} ± {row.gain_margin:.0f}"
        lines.append(f"| {row.name} | {row.idea} | {row.elo:.0f} ± {row.margin:.0f} | {gain} |")
    about = f"{ladder.games} games at {ladder.control}, {ladder.date}; 95 % intervals."
    return "\n".join([*lines, "", about])


def pages(folder: Path = FOLDER) -> dict[Path, str]:
    """The files that show the ladder, with their contents as they should be.

    A page takes part if it has a place: the lines `<!-- ladder -->` and `<!-- /ladder -->`.
    """
    ladder = load_ladder(folder / "ladder.json")
    sums = "\n\n".join(
        f"**SHA-256** of ladder/{name} `{hashlib.sha256((folder / name).read_bytes()).hexdigest()}`"
        for name in ("games.pgn", "ladder.json")
    )
    found = {PICTURE: ladder_svg(ladder, alone=True)}
    for page, content in zip(PAGES, (ladder_table(ladder), sums), strict=True):
        text = page.read_text(encoding="utf-8") if page.is_file() else ""
        head, begin, rest = text.partition("<!-- ladder -->\n")
        _, end, tail = rest.partition("<!-- /ladder -->")
        if begin and end:
            found[page] = f"{head}{begin}{content}\n{end}{tail}"
    return found


def outdated(folder: Path = FOLDER) -> list[str]:
    """What is not up to date, in words; empty where no ladder has been played."""
    if not (folder / "ladder.json").is_file():
        return []
    advice = "run `python -m utils.ladder --table`"
    return [
        f"{path} does not show the present ladder; {advice}"
        for path, text in pages(folder).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, compute and write; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m utils.ladder", description=__doc__)
    parser.add_argument("--control", default="0.05s", help="such as 0.05s, 10+0.1 or 1000n")
    parser.add_argument("--rounds", type=int, default=2, help="pairs of games of each two engines")
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), help="such as s05 s20")
    parser.add_argument("--seed", type=int, default=0, help="of the openings")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for games.pgn and ladder.json")
    add_options(parser, 1)
    parser.add_argument("--table", action="store_true", help="play nothing, write everything anew")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args(arguments)
    try:
        if options.check:
            problems = outdated(options.folder)
            print(*problems or ["the ladder is up to date"], sep="\n", file=sys.stderr)
            return int(bool(problems))
        return _play_and_write(options)
    except (ValueError, OSError, ModuleNotFoundError, BrokenExecutor) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130


def _play_and_write(options: argparse.Namespace) -> int:
    path, table = options.folder / "games.pgn", options.folder / "ladder.json"
    if options.table:
        _again(path, table)
    else:
        plan = plan_ladder(options.control, options.rounds, options.engines, options.seed)
        with workers(options.workers, options.scheduler) as executor:
            games = []
            with ProgressBar("games", len(plan)) as bar:
                for game in play_ladder(plan, path, executor):
                    games.append(game)
                    bar.show(len(games))
        save_ladder(make_ladder(plan, games), table)
    if options.folder.resolve() == FOLDER:
        for page, text in pages().items():
            page.write_text(text, encoding="utf-8", newline="\n")
    print(ladder_table(load_ladder(table)))
    return 0


def machine() -> str:
    """What measurements say of the machine, such as "Linux x86_64, 2 cores"."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def _again(path: Path, table: Path) -> None:
    """Compute a table again from its games, with what it says of the machine."""
    old = load_ladder(table)
    names = [row.name for row in old.rows]
    plan = plan_ladder(old.control, old.rounds, names, old.seed)
    games = _chapter().resumed(plan, _chapter().read_games(path))
    fresh = make_ladder(plan, games)
    save_ladder(dataclasses.replace(fresh, machine=old.machine, python=old.python), table)


if __name__ == "__main__":
    raise SystemExit(main())
