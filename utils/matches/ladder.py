"""The ladder: a tournament of all engines of the course, `python -m utils.matches.ladder`.

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
import itertools
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from pathlib import Path
from typing import Any

from utils.atomic_files import replacing
from utils.engines import ENGINES
from utils.jupyter_loader import load_chapter
from utils.matches.ladder_results import FOLDER, Ladder, Row, ladder_svg, ladder_table, load_ladder
from utils.matches.progress import ProgressBar
from utils.matches.records import GameFile, Pairing, Played
from utils.matches.workers import add_options, workers
from utils.paths import DATA, ROOT

PICTURE = ROOT / "book" / "_static" / "ladder_measured.svg"
PAGES = (ROOT / "README.md", DATA / "README.md")
"""Pages with a place for the table, and one for the checksums."""


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
    advice = "run `python -m utils.matches.ladder --table`"
    return [
        f"{path} does not show the present ladder; {advice}"
        for path, text in pages(folder).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, compute and write; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m utils.matches.ladder", description=__doc__)
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
