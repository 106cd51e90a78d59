"""Measuring strength: matches lose nothing, statistics keep their promises."""

import contextlib
import dataclasses
import io
import itertools
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from converted_notebooks import s21_measuring_strength as s21
from converted_notebooks.s04_engine_interface import FirstMoveEngine, Iteration, ScoredMove
from converted_notebooks.s06_opening_book import Line, lines
from converted_notebooks.s21_measuring_strength import (
    Control,
    Match,
    Pentanomial,
    Problem,
    Sprt,
    Standing,
    Suite,
    elo_difference,
    expected_score,
    fit_strengths,
    forces_mate,
    mating_moves,
    ratings,
    read_control,
    read_games,
    read_suite,
    right_since,
    run_suite,
)
from tests.generated import examples
from tests.positions import positions
from tests.programs import need
from utils.engines import make_player
from utils.matches.records import GameFile, Pairing, game_text, played, read_played
from utils.matches.workers import workers
from utils.paths import DATA, ROOT

PROVE = examples(40)
MATES = DATA / "suites" / "mates.epd"
Array = npt.NDArray[np.int64]
DUMMY = (
    f"{Path(sys.executable).as_posix()} {(Path(__file__).parents[1] / 'uci_dummy.py').as_posix()}"
)
sixty = st.integers(0, 60)
counts = st.tuples(sixty, sixty, sixty, sixty, sixty).filter(lambda c: sum(c) > 0)
Counts = tuple[int, int, int, int, int]


# Elo and time controls


@PROVE
@given(st.floats(-2000, 2000))
def test_elo_is_antisymmetric_and_the_inverse_of_the_score(elo: float) -> None:
    score = expected_score(elo)
    assert math.isclose(score + expected_score(-elo), 1)
    assert math.isclose(elo_difference(score), elo, abs_tol=1e-6)
    assert math.isclose(elo_difference(1 - score), -elo, abs_tol=1e-5)


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_a_score_that_is_no_share_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        elo_difference(score)


numbers = st.integers(1, 99999).map(lambda n: n / 100)


@PROVE
@given(
    st.one_of(
        st.builds(lambda a, b: Control(clock=a, increment=b), numbers, numbers),
        st.builds(lambda a: Control(seconds=a), numbers),
        st.builds(lambda a: Control(nodes=a), st.integers(1, 10**9)),
        st.builds(lambda a: Control(depth=a), st.integers(1, 99)),
    )
)
def test_a_control_is_read_as_it_is_written(control: Control) -> None:
    assert read_control(control.text) == control
    assert read_control(f" {control.text.upper()} ") == control


@pytest.mark.parametrize(
    "text", ["", "10", "+", "0+0", "0s", "0n", "d0", "-1s", "1e9n", "d", "5 s"]
)
def test_a_text_that_is_no_control_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"time control .*expected"):
        read_control(text)


def test_a_clock_becomes_a_limit_for_both_sides() -> None:
    limit = read_control("10+0.1").limit({chess.WHITE: 3.5, chess.BLACK: 7.0})
    assert (limit.white_clock, limit.black_clock) == (3.5, 7.0)
    assert limit.white_inc == limit.black_inc == 0.1
    assert read_control("7n").limit({}) == chess.engine.Limit(nodes=7)


# Pairs and tests


def backwards(found: Counts) -> Counts:
    """The counts from the other player's view."""
    return found[4], found[3], found[2], found[1], found[0]


@PROVE
@given(counts)
def test_mean_and_variance_of_pairs(found: Counts) -> None:
    pairs = Pentanomial(found)
    sample = np.repeat(s21.PAIR_SCORES, found)
    assert math.isclose(pairs.score, sample.mean())
    assert math.isclose(pairs.variance, sample.var(), abs_tol=1e-12)
    mirrored = Pentanomial(backwards(found))
    assert math.isclose(mirrored.score, 1 - pairs.score)
    assert math.isclose(mirrored.margin, pairs.margin, rel_tol=1e-9) or mirrored.variance < 1e-12
    assert Pentanomial.of(2 * sample) == pairs


def test_no_pairs_say_nothing() -> None:
    assert Pentanomial().margin == math.inf and Pentanomial().score == 0.5
    assert Sprt(0, 10).state(Pentanomial()).verdict == "continue"


def simulated(elo: float, pairs: int, rng: np.random.Generator) -> Array:
    """Half points of pairs with one-sided openings."""
    bias = rng.normal(0, 150, pairs)
    points = np.zeros(pairs, dtype=int)
    for sign in (1, -1):
        score = 1 / (1 + 10 ** (-(elo + sign * bias) / 400))
        draw = 0.8 * np.minimum(score, 1 - score)
        luck = rng.random(pairs)
        points += np.where(luck < score - draw / 2, 2, np.where(luck < score + draw / 2, 1, 0))
    return points


def tally(points: Array) -> Pentanomial:
    one, two, three, four, five = np.bincount(points, minlength=5).tolist()
    return Pentanomial((one, two, three, four, five))


@pytest.mark.parametrize("elo", [0, -200])
def test_the_margin_holds_the_truth_in_95_of_100_matches(elo: int) -> None:
    rng = np.random.default_rng(21)
    truth = elo_difference(tally(simulated(elo, 200_000, rng)).score)
    matches = [tally(simulated(elo, 60, rng)) for _ in range(400)]
    held = sum(abs(elo_difference(pairs.score) - truth) <= pairs.margin for pairs in matches)
    assert 0.92 < held / 400 < 0.975


@PROVE
@given(counts, st.integers(-60, 60), st.integers(1, 60))
def test_the_test_is_antisymmetric(found: Counts, elo0: int, step: int) -> None:
    there = Sprt(elo0, elo0 + step).state(Pentanomial(found))
    back = Sprt(-elo0 - step, -elo0).state(Pentanomial(backwards(found)))
    assert math.isclose(there.llr, -back.llr, abs_tol=1e-6)
    words = {"accept H0": "accept H1", "accept H1": "accept H0", "continue": "continue"}
    assert back.verdict == words[there.verdict]


@PROVE
@given(counts.map(lambda c: (200 + c[0], 200 + c[1], 1000 + c[2], 200 + c[3], 200 + c[4])))
def test_the_llr_is_near_the_formula_for_many_pairs(found: Counts) -> None:
    pairs = Pentanomial(found)
    score0, score1 = (
        expected_score(elo_difference(pairs.score) - 6),
        expected_score(elo_difference(pairs.score) + 2),
    )
    simple = (score1 - score0) * (2 * pairs.score - score0 - score1) / pairs.variance / 2
    exact = s21.log_likelihood_ratio(pairs, elo_difference(score0), elo_difference(score1))
    assert math.isclose(exact, simple * pairs.total, rel_tol=0.05, abs_tol=0.01)


@PROVE
@given(counts, st.floats(0.2, 0.8))
def test_the_tilted_shares_have_the_wanted_mean(found: Counts, score: float) -> None:
    shares = np.array([count or s21.UNSEEN for count in found], dtype=float)
    shares /= shares.sum()
    theta = s21.tilt(list(shares), score)
    tilted = shares / (1 + theta * (np.array(s21.PAIR_SCORES) - score))
    assert np.all(tilted > 0) and math.isclose(tilted.sum(), 1, abs_tol=1e-4)
    assert math.isclose(tilted @ np.array(s21.PAIR_SCORES), score, abs_tol=1e-4)


@pytest.mark.parametrize(("elo", "wrong"), [(0, "accept H1"), (40, "accept H0")])
def test_the_error_rates_of_the_test(elo: int, wrong: str) -> None:
    rng = np.random.default_rng(5)
    # The openings make the true difference a little smaller than `elo`.
    test = Sprt(0, elo_difference(tally(simulated(40, 200_000, rng)).score))
    errors = 0
    for _ in range(120):
        points = simulated(elo, 4000, rng)
        verdicts = (test.state(tally(points[:n])).verdict for n in itertools.count(20, 20))
        errors += next(verdict for verdict in verdicts if verdict != "continue") == wrong
    assert errors / 120 < 0.08


@pytest.mark.parametrize("wrong", [(5, 5, 0.05, 0.05), (5, 0, 0.05, 0.05), (0, 5, 0, 0.05)])
def test_claims_that_make_no_test(wrong: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="expected elo0 < elo1"):
        Sprt(*wrong)


# Ratings


def davidson(theta: list[float], nu: float, games: float) -> list[s21.Result]:
    """What the model expects of games between all players."""
    found = []
    for (i, one), (j, two) in itertools.combinations(enumerate(theta), 2):
        a, b = math.exp(one), math.exp(two)
        draw = nu * math.sqrt(a * b)
        each = games / (a + b + draw)
        found.append((f"p{i}", f"p{j}", each * a, each * draw, each * b))
    return found


@examples(25)
@given(st.lists(st.floats(-3, 3), min_size=2, max_size=6), st.floats(0.1, 3))
def test_the_fit_finds_the_strengths_that_made_the_results(theta: list[float], nu: float) -> None:
    fit = fit_strengths(davidson(theta, nu, 40), prior=0)
    mean = sum(theta) / len(theta)
    assert np.allclose(fit.strengths, [t - mean for t in theta], atol=1e-5)
    assert math.isclose(fit.drawing, nu, rel_tol=1e-5)


heaps = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), *[st.integers(0, 9)] * 3).filter(
        lambda r: r[0] != r[1] and sum(r[2:]) > 0
    ),
    min_size=1,
    max_size=12,
)


@PROVE
@given(heaps, st.lists(st.booleans(), min_size=12, max_size=12))
def test_ratings_do_not_depend_on_the_order(heap: list[s21.Result], swaps: list[bool]) -> None:
    swapped = [
        (b, a, x, y, z) if swap else (a, b, z, y, x)
        for (a, b, z, y, x), swap in zip(heap, swaps, strict=False)
    ]
    one, two = ratings(heap), ratings(reversed(swapped))
    assert [r.name for r in one] == [r.name for r in two] or np.ptp([r.elo for r in one]) < 1e-3
    others = {r.name: r for r in two}
    for a in one:
        b = others[a.name]
        assert (a.elo, a.margin) == pytest.approx((b.elo, b.margin), rel=1e-4, abs=1e-4)
        assert math.isclose(a.score, b.score) and a.games == b.games
    assert math.isclose(sum(r.elo for r in one), 0, abs_tol=1e-6)


@PROVE
@given(heaps)
def test_in_the_best_fit_each_player_has_the_points_that_are_expected(
    heap: list[s21.Result],
) -> None:
    names = sorted({name for a, b, *_ in heap for name in (a, b)})
    # What a prior adds, written out: a game against an average player, with each result.
    known = [*heap, *((name, "average", 1 / 3, 1 / 3, 1 / 3) for name in names)]
    fit = fit_strengths(known, prior=0)
    theta, surplus = dict(zip(fit.names, fit.strengths, strict=True)), dict.fromkeys(fit.names, 0.0)
    for a, b, wins, draws, losses in known:
        one, two = math.exp(theta[a]), math.exp(theta[b])
        draw = fit.drawing * math.sqrt(one * two)
        share = (one + draw / 2) / (one + two + draw)
        for name, points, expected in ((a, wins, share), (b, losses, 1 - share)):
            surplus[name] += points + draws / 2 - (wins + draws + losses) * expected
    assert list(surplus.values()) == pytest.approx([0] * len(surplus), abs=1e-5)
    with_prior = fit_strengths(heap)
    strengths = np.array([theta[name] for name in names])
    assert np.allclose(with_prior.strengths, strengths - strengths.mean(), atol=1e-5)


def test_near_equals_a_rating_difference_is_the_elo_of_the_score() -> None:
    for draws in (0, 30, 70):
        won = (100 - draws) * 0.52
        fit = fit_strengths([("a", "b", won, draws, 100 - draws - won)], prior=0)
        score = (won + draws / 2) / 100
        assert draws or math.isclose(fit.scale, 400 / math.log(10))
        assert math.isclose(fit.gain("a", "b")[0], elo_difference(score), rel_tol=0.01)


def test_the_margins_of_ratings_hold_the_truth() -> None:
    rng, truth, nu = np.random.default_rng(3), [1.0, 0.0, -1.0], 0.8
    held = tried = 0
    for _ in range(150):
        heap = []
        for a, b, *means in davidson(truth, nu, 1):
            win, draw, loss = rng.multinomial(60, means)
            heap.append((a, b, int(win), int(draw), int(loss)))
        fit = fit_strengths(heap, prior=0)
        errors = 1.96 * np.sqrt(np.diag(fit.covariance))
        held += int(np.sum(np.abs(fit.strengths - truth) <= errors))
        tried += 3
    assert 0.92 < held / tried < 0.98


def test_a_prior_keeps_a_player_without_points_in_the_list() -> None:
    lost = [("a", "b", 10, 0, 0), ("b", "c", 5, 2, 5)]
    only_draws = [("a", "b", 0, 6, 0)]
    assert next(r.name for r in ratings(lost)) == "a"
    assert all(math.isfinite(r.elo) and math.isfinite(r.margin) for r in ratings(lost))
    assert [r.elo for r in ratings(only_draws)] == pytest.approx([0, 0])
    for heap, prior, words in (
        (lost, 0, "expected a prior"),
        (only_draws, 0, "expected a prior"),
        ([], 1, "at least one game"),
        ([("a", "a", 1, 0, 0)], 1, "plays itself"),
    ):
        with pytest.raises(ValueError, match=words):
            ratings(heap, prior=prior)


# Files of games


def some_games(number: int) -> list[str]:
    texts = []
    for n in range(number):
        pairing = Pairing("s07", 'a "b"\\c', n, "5n", "Réti", ("g1f3",), 1)
        result = ("1-0", "1/2-1/2", "0-1")[n % 3]
        headers = pairing.headers() | {"Result": result, "Termination": "x", "PlyCount": "2"}
        texts.append(game_text(headers, f"1. Nf3 d5 {result}"))
    return texts


@PROVE
@given(st.integers(0, 3), st.integers(0, 4000))
def test_a_file_that_was_cut_off_anywhere_keeps_its_whole_games(
    tmp_path_factory: pytest.TempPathFactory, kept: int, cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "games.pgn"
    texts = some_games(4)
    part = texts[kept].encode()[: cut % len(texts[kept].encode())]
    whole = "".join(texts[:kept]).encode()
    path.write_bytes(whole + part)
    finished = part.rstrip().endswith((b" 1-0", b" 0-1", b" 1/2-1/2"))
    assert len(read_played(path)) == kept + finished
    with GameFile(path) as file:
        file.append(texts[3])
    games = read_played(path)
    assert [g.number for g in games] == [*range(kept + finished), 3][: len(games)]
    assert path.read_bytes().startswith(whole) and path.read_text("utf-8").endswith(texts[3])
    broken = path.with_name("games.pgn.broken")
    lost = part.strip() and not finished
    assert broken.is_file() == bool(lost)
    if lost:
        assert part in broken.read_bytes()


def test_what_other_files_hold(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    assert read_played(path) == []
    path.write_text("".join(some_games(2) * 2), encoding="utf-8")
    assert [game.number for game in read_played(path)] == [0, 1], "a game twice counts once"
    path.write_text("Dear diary", encoding="utf-8")
    with pytest.raises(ValueError, match="expected a PGN file"), GameFile(path):
        pass
    assert path.read_text(encoding="utf-8") == "Dear diary"


def test_headers_hold_any_text() -> None:
    (text,) = some_games(1)
    game = played(text)
    assert game is not None and game.second == "a 'b'/c"
    assert game.key == Pairing("s07", 'a "b"\\c', 0, "5n", "", (), 1).key
    assert played('[Event "x"]\n\n*\n') is None
    long = game_text({"Event": "x" * 999, "Termination": "a\nb"}, "*")
    assert max(map(len, long.splitlines())) < 220 and "a b" in long


# Matches


def finished(match: Match, sprt: Sprt | None = None) -> Standing:
    """Plays a match to its end."""
    *_, last = match.run(sprt=sprt)
    return last


def small(path: Path, games: int = 4) -> Match:
    return Match("s05", "s08", games=games, control="d1", path=path, longest=60)


def test_two_matches_do_not_write_to_one_file(tmp_path: Path) -> None:
    with GameFile(tmp_path / "m.pgn"), pytest.raises(BlockingIOError, match="in use by another"):
        next(small(tmp_path / "m.pgn").run())
    assert finished(small(tmp_path / "m.pgn")).games == 4


def test_every_opening_is_played_with_both_colours() -> None:
    plan = Match("s10", "s12", games=20, control="d1", seed=3).plan
    assert all(one.moves != two.moves for one, two in itertools.pairwise(plan[::2]))
    for one, two in zip(plan[::2], plan[1::2], strict=True):
        assert (one.white, one.black) == (two.black, two.white) == ("s10", "s12")
        assert (one.moves, one.opening) == (two.moves, two.opening)
    again = Match("s10", "s12", games=30, control="d1", seed=3).plan
    assert again[:20] == plan, "a longer match begins like a shorter one"
    assert Match("s10", "s12", games=20, control="d1", seed=4).plan != plan


def test_a_match_may_be_longer_than_the_book() -> None:
    start, mate = lines()[0], next(line for line in lines() if line.board().is_checkmate())
    plan = Match("s10", "s12", games=12, control="d1", openings=[start, mate]).plan
    moves = [pairing.moves for pairing in plan[::2]]
    # What comes again has other random plies; nothing can be added to a finished game.
    assert len(set(moves)) == 4 and moves.count(tuple(m.uci() for m in mate.moves)) == 3
    start = Line("A00", "Start", ())
    plan = Match("s05", "s07", games=6, control="d1", openings=[start]).plan
    assert [len(pairing.moves) for pairing in plan] == [0, 0, 2, 2, 4, 4]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": 3}, "even number"),
        ({"games": 0}, "even number"),
        ({"control": "fast"}, "time control"),
        ({"first": "s99"}, "brings no engine"),
        ({"openings": []}, "no openings"),
        ({"first": "stockfish?Hash"}, "expected options"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(
    wrong: dict[str, object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = {"first": "s05", "second": "s07", "games": 2, "control": "d1"} | wrong
    with pytest.raises(ValueError, match=words):
        Match(**arguments)  # type: ignore[arg-type]


def test_a_program_that_is_absent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="no engine and no program 'nonesuch-engine'"):
        Match("nonesuch-engine?Hash=1", "s05", games=2, control="d1")
    monkeypatch.setattr("utils.external_programs.shutil.which", lambda place: None)
    with pytest.raises(FileNotFoundError, match="to install it"):
        Match("stockfish", "s05", games=2, control="d1")


def test_the_same_match_gives_the_same_games_that_other_programs_read(tmp_path: Path) -> None:
    for name in ("one", "two"):
        finished(small(tmp_path / name))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    plan, records = small(tmp_path / "one").plan, read_games(tmp_path / "one")
    with (tmp_path / "one").open(encoding="utf-8") as file:
        for pairing, record in zip(plan, records, strict=True):
            game = chess.pgn.read_game(file)
            assert game is not None and not game.errors
            board, moves = game.end().board(), list(game.mainline_moves())
            assert str(len(moves)) == record.headers["PlyCount"]
            assert [move.uci() for move in moves][: len(pairing.moves)] == list(pairing.moves)
            assert game.headers["White"] == pairing.white
            assert board.is_checkmate() == (record.termination == "checkmate")
        assert chess.pgn.read_game(file) is None


def test_a_match_ends_with_the_verdict_of_its_test() -> None:
    match = Match("s16", "s05", games=60, control="20n", longest=120)
    last = finished(match, sprt=Sprt(-400, 0))
    assert last.sprt and last.sprt.verdict == "accept H1" and last.decided and last.games < 60


KILLED = """
import sys
from utils.jupyter_loader import install_import_hook
install_import_hook()
from converted_notebooks.s21_measuring_strength import Match
for now in Match("s05", "s08", games=12, control="d1", path=sys.argv[1], longest=60).run():
    print(now.games, flush=True)
"""


def test_a_match_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    path, whole = tmp_path / "killed.pgn", tmp_path / "whole.pgn"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    with process, contextlib.suppress(StopIteration):
        while int(next(process.stdout)) < 4:
            pass
        process.kill()
    before = len(read_games(path))
    assert before >= 4
    with path.open("ab") as file:  # as if it had been killed within a write
        file.write(some_games(1)[0].encode()[:-4])
    first, *_, last = small(path, 12).run()
    assert (first.games, last.games) == (before, 12)
    rounds = re.findall(r'\[Round "([\d.]+)"\]', path.read_text(encoding="utf-8"))
    assert sorted(rounds) == sorted(f"{k}.{g}" for k in range(1, 7) for g in (1, 2))
    finished(small(whole, 12))
    games = [{g.number: g for g in read_games(file)} for file in (path, whole)]
    assert games[0] == games[1], "an interruption changes nothing"


def test_another_match_in_the_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    finished(Match("s05", "s07", games=2, control="d1", path=path, longest=20))
    for other in (
        Match("s05", "s07", games=2, control="d2", path=path, longest=20),
        Match("s05", "s07", games=2, control="d1", path=path, longest=20, seed=1),
        Match("s05", "s07", games=2, control="d1", path=path, longest=21),
    ):
        with pytest.raises(ValueError, match="of another match: use another file"):
            next(other.run())
    last = finished(Match("s05", "s08", games=2, control="d1", path=path, longest=20))
    assert last.games == 2 and len(read_games(path)) == 4, "other players may share it"


# Players that misbehave


@pytest.mark.parametrize(
    ("trick", "control", "words"),
    [
        ("illegal", "d1", "loses by illegal move"),
        ("crash", "d1", "loses by crash"),
        ("slow", "1+0", "loses by time forfeit"),
        ("hang", "1+0", "loses by time forfeit"),
    ],
)
def test_a_program_that_misbehaves_loses(
    trick: str, control: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(s21, "PATIENCE", 0.5)
    path = tmp_path / "m.pgn"
    last = finished(Match(f"{DUMMY}?Trick={trick}", "s07", games=2, control=control, path=path))
    assert (last.wins, last.draws, last.losses, last.faults) == (0, 0, 2, 2)
    one, two = read_games(path)
    assert f"White {words}" in one.termination and f"Black {words}" in two.termination


def test_options_reach_the_program_and_unknown_ones_are_named() -> None:
    make_player(f"{DUMMY}?UCI_Elo=1200").close()
    with pytest.raises(chess.engine.EngineError, match="Nonsense"):
        make_player(f"{DUMMY}?Nonsense=1")


def test_who_has_no_time_left_does_not_lose_to_a_bare_king() -> None:
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    assert s21.forfeited(board, "time forfeit")[0] == "1/2-1/2"
    assert s21.forfeited(board, "illegal move")[0] == "0-1"
    board.turn = chess.BLACK
    assert s21.forfeited(board, "time forfeit") == ("1-0", "Black loses by time forfeit")


def test_draws_are_claimed_and_long_games_end() -> None:
    record = s21.play_timed_game(FirstMoveEngine(), FirstMoveEngine(), read_control("d1"))
    assert (record.result, record.termination) == ("1/2-1/2", "threefold repetition")
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 99 80")
    assert s21.finished(board) is None
    board.push_uci("a1a2")
    assert s21.finished(board) == ("1/2-1/2", "fifty moves")
    short = s21.play_timed_game(FirstMoveEngine(), FirstMoveEngine(), read_control("d1"), longest=3)
    assert (short.plies, short.termination) == (3, "adjudication: too long")
    assert record.clocks == short.clocks == ()


def test_a_game_with_clocks_says_what_they_showed() -> None:
    """After each move of the game, but not after those of the opening."""
    moves = ("e2e4", "e7e5", "g1f3")
    pairing = Pairing("s05", "s07", 0, "30+0.5", "King's Knight", moves, 0, longest=9)
    text = s21.play_pairing(pairing)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and played(text) is not None
    clocks = [node.clock() for node in game.mainline()]
    assert clocks[:3] == [None] * 3 and len(clocks) == 9
    for plies, clock in enumerate(clocks[3:]):
        # Each player began with 30 s; every move brought half a second and took less.
        assert clock is not None and 30 < clock <= 30.5 + plies // 2 * 0.5
    without = s21.play_pairing(dataclasses.replace(pairing, control="d1"))
    assert "%clk" in text and "%clk" not in without


# Suites and mates


def plainly(board: chess.Board, moves: int) -> list[chess.Move]:
    """Moves that mate in so many moves, by the definition."""

    def mates(move: chess.Move) -> bool:
        after = pushed(board, move)
        replies = list(after.legal_moves)
        if moves == 1 or not replies:
            return after.is_checkmate()
        return all(plainly(pushed(after, reply), moves - 1) for reply in replies)

    return [move for move in board.legal_moves if mates(move)]


def pushed(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


@examples(25)
@given(
    positions(starts=["7k/5ppp/8/8/8/6P1/1Q3PBP/R5K1 w - - 0 1", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"])
)
def test_mates_are_those_of_the_definition(board: chess.Board) -> None:
    before = board.fen()
    for moves in (1, 2):
        assert mating_moves(board, moves) == plainly(board, moves)
    assert board.fen() == before


def test_stalemate_is_no_mate() -> None:
    board = chess.Board("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
    assert not forces_mate(board, chess.Move.from_uci("f1f7"), 2)
    assert forces_mate(board, chess.Move.from_uci("f1f8"), 1)


def test_the_mates_of_the_course() -> None:
    """Each with one solution, and none that is quicker."""
    problems = read_suite(MATES).problems
    assert len({problem.epd for problem in problems}) == len(problems) == 36
    for problem in problems[:24:6] + problems[24::12]:
        board, moves = problem.board(), problem.mate
        assert moves and mating_moves(board, moves) == list(problem.best)
        assert not mating_moves(board, moves - 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("8/8/8/8/8/8/8/K7 w - - bm Kb2;", "not a legal position"),
        (chess.Board().epd(id="no question"), "bm, am and dm"),
        ("rubbish", "line 2"),
        (chess.Board().epd() + " bm Ke5;", "line 2"),
    ],
)
def test_a_bad_line_of_a_suite_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(f"# a suite\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_suite(path)


def test_what_solves_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "suite.epd"
    mate = "kbK5/pp6/1P6/8/8/8/8/R7 w - - dm 2;"
    avoid = '7k/8/6K1/8/8/8/8/5Q2 w - - am Qf7; id "stalemate";'
    path.write_text(f"{mate}\n\n{avoid}\n", encoding="utf-8")
    first, second = read_suite(path).problems
    assert (first.name, second.name) == ("line 1", "stalemate")
    assert first.solved_by(chess.Move.from_uci("a1a6"))
    assert not first.solved_by(chess.Move.from_uci("a1a7"))
    assert second.solved_by(chess.Move.from_uci("f1f2"))
    assert not second.solved_by(chess.Move.from_uci("f1f7"))


@PROVE
@given(st.lists(st.booleans(), max_size=12))
def test_right_since_is_the_beginning_of_the_last_run(rights: list[bool]) -> None:
    good, bad = chess.Move.from_uci("e2e4"), chess.Move.from_uci("a2a3")
    problem = Problem("p", chess.STARTING_FEN, frozenset([good]))
    found = right_since(
        [Iteration(d, ScoredMove(0, good if r else bad), False, d) for d, r in enumerate(rights)],
        problem,
    )
    starts = [d for d in range(len(rights)) if all(rights[d:])]
    assert (found.depth if found else None) == (min(starts) if starts else None)


def test_a_suite_gives_the_same_answers_in_other_processes() -> None:
    suite = Suite("few", read_suite(MATES).problems[:4])
    here = {a.problem: (a.move, a.nodes) for a in run_suite("s14", suite, "2000n")}
    with workers(2) as executor:
        there = {a.problem: (a.move, a.nodes) for a in run_suite("s14", suite, "2000n", executor)}
    assert here == there and len(here) == 4 and any(nodes for _, nodes in here.values())
    with pytest.raises(ValueError, match="brings no engine"):
        next(run_suite("s99", suite, "d1"))


@pytest.mark.parametrize("player", ["s05", "s09", "s20", DUMMY])
def test_every_kind_of_player_answers(player: str) -> None:
    (answer,) = run_suite(player, Suite("one", read_suite(MATES).problems[:1]), "200n")
    assert answer.move and answer.total > 0
    assert (answer.seconds is not None) == answer.solved
    assert answer.seconds is None or 0 < answer.seconds <= answer.total


BROKEN = """
import sys
answers = {{"uci": "uciok", "isready": "readyok"}}
for line in map(str.strip, sys.stdin):
    if line.startswith("go"):
        {deed}
    if line in answers:
        print(answers[line], flush=True)
    if line == "quit":
        break
"""


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("sys.exit(3)", "crash: EngineTerminatedError: "),
        ("print('bestmove a1h8', flush=True)", "illegal move: "),
        ("print('bestmove (none)', flush=True)", "illegal move: UCI engine played None"),
    ],
)
def test_an_answer_says_why_there_is_no_move(tmp_path: Path, deed: str, reason: str) -> None:
    script = tmp_path / "broken.py"
    script.write_text(BROKEN.format(deed=deed), encoding="utf-8")
    suite = Suite("two", read_suite(MATES).problems[:2])
    player = f"{Path(sys.executable).as_posix()} {script.as_posix()}"
    answers = list(run_suite(player, suite, "100n"))
    assert [a.problem for a in answers] == [p.name for p in suite.problems]
    for answer in answers:
        assert (answer.move, answer.solved, answer.seconds) == ("", False, None)
        assert answer.said == answer.fault and answer.fault.startswith(reason)


def test_a_program_that_does_not_start_loses_and_solves_nothing() -> None:
    last = finished(Match("s05", f"{DUMMY} exit", games=2, control="d1"))
    assert (last.wins, last.faults) == (2, 2)
    (answer,) = run_suite(f"{DUMMY} exit", Suite("one", read_suite(MATES).problems[:1]), "d1")
    assert not answer.solved and not answer.total
    assert answer.said.startswith("crash: engine process died")
    assert s21.why_absent(TimeoutError()) == "crash: it does not answer"


def test_who_resigns_has_said_so() -> None:
    assert s21.Answer("p", "", False, None, None, 0.1).said == "resigned"
    assert s21.Answer("p", "Ra8#", True, 0.1, 12, 0.1).said == "Ra8#"


# The judge


class Judge(FirstMoveEngine):
    """Likes moves by the alphabet; the last is mate."""

    def analyse(
        self, board: chess.Board, limit: chess.engine.Limit | None = None
    ) -> list[ScoredMove]:
        moves = sorted(board.legal_moves, key=str)
        sign = 1 if board.turn else -1
        scores = [10 * number for number in range(len(moves) - 1)] + [100_000]
        return [ScoredMove(sign * s, m) for s, m in zip(scores, moves, strict=True)]


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, chess.STARTING_FEN.replace(" w ", " b ")])
def test_losses_are_from_the_movers_view_and_cut_off(fen: str) -> None:
    board = chess.Board(fen)
    moves = sorted(board.legal_moves, key=str)
    chosen = {"best": moves[-1], "next": moves[-2], "first": moves[0]}
    losses = s21.centipawn_losses(Judge(), board, chosen, chess.engine.Limit(nodes=1))
    assert losses == {"best": 0, "next": 1000 - 180, "first": 1000}


def test_stockfish_is_a_player_and_a_judge() -> None:
    need("stockfish")
    stockfish = "stockfish?UCI_Elo=1400&Hash=1"
    last = finished(Match(stockfish, "s05", games=2, control="200n", longest=80))
    assert last.games == 2 and last.faults == 0
    judge = make_player("stockfish?Hash=1")
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    chosen = {"mate": chess.Move.from_uci("d1d8"), "no": chess.Move.from_uci("g1h1")}
    losses = s21.centipawn_losses(judge, board, chosen, chess.engine.Limit(nodes=20_000))
    judge.close()
    assert losses["mate"] == 0 < losses["no"]
