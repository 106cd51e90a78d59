"""Games by a plan: none is lost, none is played twice, and a rule can stop them."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import chess.pgn
import pytest

from converted_notebooks.s24_measuring_strength import Sprt, plan_match
from tests.helpers.programs import posix
from utils.matches.ladder import plan_ladder
from utils.matches.ladder_results import FOLDER, load_ladder
from utils.matches.plan import play_plan
from utils.matches.records import PlannedGame, Played, game_file, read_played

PLAN = plan_match("s05", "s07", 8, "d1", longest=60)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a small match."""
    path = tmp_path_factory.mktemp("match") / "whole.pgn"
    assert [len(games) for games in play_plan(PLAN, path)] == list(range(1, 9))
    return path


def test_other_programs_read_the_games(whole: Path) -> None:
    with whole.open(encoding="utf-8") as file:
        for planned, record in zip(PLAN, read_played(whole), strict=True):
            game = chess.pgn.read_game(file)
            assert game is not None and not game.errors
            board, moves = game.end().board(), [move.uci() for move in game.mainline_moves()]
            assert str(len(moves)) == record.headers["PlyCount"]
            assert game.headers["White"] == planned.white
            assert moves[: len(planned.moves)] == list(planned.moves)
            assert board.is_checkmate() == (record.termination == "checkmate")
        assert chess.pgn.read_game(file) is None


def die_after_three_games(path: Path) -> None:
    for games in play_plan(PLAN, path):
        if len(games) == 3:
            os.kill(os.getpid(), signal.SIGKILL)


@posix
def test_a_match_that_is_killed_goes_on_where_it_was(tmp_path: Path, whole: Path) -> None:
    path, expected = tmp_path / "killed.pgn", whole.read_text("utf-8").split("[Event ")
    context = multiprocessing.get_context("fork")
    process = context.Process(target=die_after_three_games, args=(path,))
    process.start()
    process.join()
    with path.open("a") as file:  # as if it had been killed within a write
        file.write(f"[Event {expected[-1][:-4]}")
    assert [len(games) for games in play_plan(PLAN, path)] == [3, 4, 5, 6, 7, 8]
    assert path.read_text("utf-8").split("[Event ") == expected, "it changes nothing"


def test_another_match_in_the_file_is_an_error(tmp_path: Path, whole: Path) -> None:
    whole = Path(shutil.copy(whole, tmp_path))
    for wrong in ({"control": "d2"}, {"seed": 1}, {"longest": 61}):
        other = {"control": "d1", "seed": 0, "longest": 60} | wrong
        plan = plan_match("s05", "s07", 4, **other)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="of another match: use another file"):
            next(play_plan(plan, whole))
    with game_file(whole), pytest.raises(BlockingIOError, match="in use by another"):
        next(play_plan(PLAN, whole))
    others = plan_match("s07", "s08", 2, "d1", longest=20)
    counts = [len(games) for games in play_plan(others, whole)]
    assert counts == [1, 2], "other players may share it"
    assert len(read_played(whole)) == 10 and len(next(play_plan(PLAN, whole))) == 8


def digest(plan: Sequence[PlannedGame]) -> str:
    fields = [
        (p.first, p.second, p.number, p.control, p.opening, p.moves, p.seed, p.longest)
        for p in plan
    ]
    return hashlib.sha256(repr(fields).encode()).hexdigest()[:16]


def test_plans_are_those_of_the_games_that_are_stored() -> None:
    """Openings, seeds and order as when the ladder of the course was begun."""
    names = [*(f"s{number:02}" for number in range(5, 20)), "s22", "s23"]
    assert digest(plan_ladder("0.25s", 50, names, near=2)) == "2a8a474587c5b37c"
    assert digest(plan_ladder("d2", 1, ("s05", "s07", "s10", "s12"), 7)) == "b3ceaeb4e669659c"
    assert digest(plan_match("s17", "s16", 1000, "0.1s")) == "6b81450d2843c041"
    long = plan_match("s14", "s12", 20, "10+0.1", seed=3, longest=99)
    assert digest(long) == "140d5cb408c0d1a3"


def test_the_stored_ladder_goes_on_from_its_games(tmp_path: Path) -> None:
    path, stored = shutil.copy(FOLDER / "games.pgn", tmp_path), load_ladder()
    names = [row.name for row in stored.rows]
    done = read_played(path)
    plan = plan_ladder(stored.control, stored.rounds, names, done=done, near=stored.near)
    stream = play_plan(plan, path)
    assert [game.key for game in next(stream)] == [game.key for game in done]
    stream.close()
    assert len(plan) >= len(done) == stored.games
    assert Path(path).read_bytes() == (FOLDER / "games.pgn").read_bytes()


def test_a_rule_is_asked_before_each_game_and_stops_the_tournament(tmp_path: Path) -> None:
    path, asked = tmp_path / "games.pgn", list[int]()

    def enough(games: Sequence[Played]) -> bool:
        asked.append(len(games))
        return len(games) >= 3

    assert [len(games) for games in play_plan(PLAN, path, stop=enough)] == [1, 2, 3]
    assert asked == [0, 1, 2, 3] and len(read_played(path)) == 3
    # One that is satisfied by the file plays nothing; without a rule all is played.
    assert [len(games) for games in play_plan(PLAN, path, stop=enough)] == [3]
    assert [len(games) for games in play_plan(PLAN, path)] == [3, 4, 5, 6, 7, 8]
    assert [len(games) for games in play_plan(PLAN, path)] == [8]


def test_another_rule_leaves_out_single_games(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"

    def skip(planned: PlannedGame, games: Sequence[Played]) -> bool:
        return planned.number in (2, 3) or len(games) >= 5

    *_, games = play_plan(PLAN, path, skip=skip)
    assert [game.number for game in games] == [0, 1, 4, 5, 6]
    # Without it, those that were left out are played.
    *_, games = play_plan(PLAN, path)
    assert [game.number for game in games] == [0, 1, 4, 5, 6, 2, 3, 7]


def test_a_sequential_test_is_such_a_rule() -> None:
    test = Sprt(-900, -700)
    *_, games = play_plan(plan_match("s07", "s05", 200, "d1", longest=60), stop=test.decided)
    assert test.decided(games) and not test.decided(games[:-1]) and len(games) < 200
