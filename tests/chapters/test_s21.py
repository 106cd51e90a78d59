"""Measuring strength: matches lose nothing, statistics keep their promises."""

import contextlib
import dataclasses
import io
import itertools
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import numpy as np
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
from utils.engines import close_player, make_player
from utils.matches.records import GameFile, Pairing, game_text, played, read_played
from utils.matches.workers import workers
from utils.paths import ROOT
from utils.recipes.mates import MATES, check, key

PROVE = examples(60)
DUMMY = (
    f"{Path(sys.executable).as_posix()} {(Path(__file__).parents[1] / 'uci_dummy.py').as_posix()}"
)
counts = st.tuples(*[st.integers(0, 60)] * 5).filter(lambda c: sum(c) > 0)


def rounds(path: Path) -> list[str]:
    return re.findall(r'\[Round "([\d.]+)"\]', path.read_text(encoding="utf-8"))


def results(path: Path) -> dict[int, tuple[float, str, int]]:
    return {g.number: (g.points, g.termination, g.plies) for g in read_games(path)}


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
    assert (limit.white_clock, limit.black_clock, limit.white_inc, limit.black_inc) == (
        3.5,
        7.0,
        0.1,
        0.1,
    )
    assert read_control("7n").limit({}) == chess.engine.Limit(nodes=7)


# Pairs and tests


@PROVE
@given(counts)
def test_mean_and_variance_of_pairs(found: tuple[int, ...]) -> None:
    pairs = Pentanomial(found)
    sample = np.repeat(s21.PAIR_SCORES, found)
    assert math.isclose(pairs.score, sample.mean())
    assert math.isclose(pairs.variance, sample.var(), abs_tol=1e-12)
    mirrored = Pentanomial(found[::-1])
    assert math.isclose(mirrored.score, 1 - pairs.score)
    assert math.isclose(mirrored.margin, pairs.margin, rel_tol=1e-9) or mirrored.variance < 1e-12
    assert Pentanomial.of(2 * sample) == pairs


def test_no_pairs_say_nothing() -> None:
    assert Pentanomial().margin == math.inf and Pentanomial().score == 0.5
    assert Sprt(0, 10).state(Pentanomial()).verdict == "continue"


def simulated(elo: float, pairs: int, rng: np.random.Generator) -> np.ndarray:
    """Half points of pairs with one-sided openings."""
    bias = rng.normal(0, 150, pairs)
    points = np.zeros(pairs, dtype=int)
    for sign in (1, -1):
        score = 1 / (1 + 10 ** (-(elo + sign * bias) / 400))
        draw = 0.8 * np.minimum(score, 1 - score)
        luck = rng.random(pairs)
        points += np.where(luck < score - draw / 2, 2, np.where(luck < score + draw / 2, 1, 0))
    return points


def tally(points: np.ndarray) -> Pentanomial:
    return Pentanomial(tuple(np.bincount(points, minlength=5).tolist()))


@pytest.mark.parametrize("elo", [0, 80, -200])
def test_the_margin_holds_the_truth_in_95_of_100_matches(elo: int) -> None:
    rng = np.random.default_rng(21)
    truth = elo_difference(tally(simulated(elo, 400_000, rng)).score)
    held = 0
    for _ in range(600):
        pairs = tally(simulated(elo, 60, rng))
        held += abs(elo_difference(pairs.score) - truth) <= pairs.margin
    assert 0.92 < held / 600 < 0.975


@PROVE
@given(counts, st.integers(-60, 60), st.integers(1, 60))
def test_the_test_is_antisymmetric(found: tuple[int, ...], elo0: int, step: int) -> None:
    there = Sprt(elo0, elo0 + step).state(Pentanomial(found))
    back = Sprt(-elo0 - step, -elo0).state(Pentanomial(found[::-1]))
    assert math.isclose(there.llr, -back.llr, abs_tol=1e-6)
    words = {"accept H0": "accept H1", "accept H1": "accept H0", "continue": "continue"}
    assert back.verdict == words[there.verdict]


@PROVE
@given(st.tuples(*[st.integers(200, 2000)] * 5))
def test_the_llr_is_near_the_formula_for_many_pairs(found: tuple[int, ...]) -> None:
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
def test_the_tilted_shares_have_the_wanted_mean(found: tuple[int, ...], score: float) -> None:
    shares = np.array([count or s21.UNSEEN for count in found], dtype=float)
    shares /= shares.sum()
    theta = s21.tilt(list(shares), score)
    tilted = shares / (1 + theta * (np.array(s21.PAIR_SCORES) - score))
    assert np.all(tilted > 0) and math.isclose(tilted.sum(), 1, abs_tol=1e-4)
    assert math.isclose(tilted @ np.array(s21.PAIR_SCORES), score, abs_tol=1e-4)


@pytest.mark.parametrize(("elo", "wrong"), [(0, "accept H1"), (40, "accept H0")])
def test_the_error_rates_of_the_test(elo: int, wrong: str) -> None:
    rng, test, errors, runs = np.random.default_rng(5), Sprt(0, 40, 0.05, 0.05), 0, 250
    # The openings make the true difference a little smaller than `elo`.
    truth = elo_difference(tally(simulated(40, 400_000, rng)).score)
    test = Sprt(0, truth)
    for _ in range(runs):
        points = simulated(elo, 4000, rng)
        for pairs in itertools.count(10, 10):
            verdict = test.state(tally(points[:pairs])).verdict
            if verdict != "continue":
                errors += verdict == wrong
                break
    assert errors / runs < 0.08


@pytest.mark.parametrize("wrong", [(5, 5, 0.05, 0.05), (5, 0, 0.05, 0.05), (0, 5, 0, 0.05)])
def test_claims_that_make_no_test(wrong: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="expected elo0 < elo1"):
        Sprt(*wrong)


# Ratings


def davidson(theta: list[float], nu: float, games: float) -> list[s21.Result]:
    """What the model expects of games between all players."""
    found = []
    for i, j in itertools.combinations(range(len(theta)), 2):
        a, b = math.exp(theta[i]), math.exp(theta[j])
        draw = nu * math.sqrt(a * b)
        whole = a + b + draw
        found.append((f"p{i}", f"p{j}", *(games * x / whole for x in (a, draw, b))))
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
@given(heaps, st.randoms(use_true_random=False))
def test_ratings_do_not_depend_on_the_order(heap: list[s21.Result], rng: random.Random) -> None:
    swapped = [(b, a, x, y, z) if rng.random() < 0.5 else (a, b, z, y, x) for a, b, z, y, x in heap]
    rng.shuffle(swapped)
    one, two = ratings(heap), ratings(swapped)
    assert [r.name for r in one] == [r.name for r in two] or np.ptp([r.elo for r in one]) < 1e-3
    for a in one:
        (b,) = (r for r in two if r.name == a.name)
        assert math.isclose(a.elo, b.elo, abs_tol=1e-4)
        assert math.isclose(a.margin, b.margin, rel_tol=1e-4)
        assert math.isclose(a.score, b.score) and a.games == b.games
    assert math.isclose(sum(r.elo for r in one), 0, abs_tol=1e-6)


@PROVE
@given(heaps)
def test_in_the_best_fit_each_player_has_the_points_that_are_expected(
    heap: list[s21.Result],
) -> None:
    fit = fit_strengths(heap, prior=1)
    theta = dict(zip(fit.names, fit.strengths, strict=True))
    surplus = dict.fromkeys(fit.names, 0.0)
    for (a, b), (wins, draws, losses) in s21.add_up(heap).items():
        one, two = math.exp(theta[a]), math.exp(theta[b])
        draw = fit.drawing * math.sqrt(one * two)
        share = (one + draw / 2) / (one + two + draw)
        for name, points, expected in ((a, wins, share), (b, losses, 1 - share)):
            surplus[name] += points + draws / 2 - (wins + draws + losses) * expected

    # Each player has also an imaginary game against a strength of 0; all strengths are
    # given as distances from their mean, which one number moves back.
    def pulls(shift: float) -> list[float]:
        found = []
        for name in fit.names:
            one = math.exp(theta[name] + shift)
            draw = fit.drawing * math.sqrt(one)
            found.append(0.5 - (one + draw / 2) / (one + 1 + draw))
        return found

    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(pulls(middle)) > 0 else (low, middle)
    for pull, left in zip(pulls(low), surplus.values(), strict=True):
        assert math.isclose(left + pull, 0, abs_tol=1e-4)


def test_the_fit_is_that_of_another_method() -> None:
    """Bradley and Terry's model without draws, by the iteration of Zermelo."""
    rng = random.Random(4)
    names = "abcde"
    heap = [
        (a, b, rng.randint(1, 9), 0, rng.randint(1, 9)) for a, b in itertools.combinations(names, 2)
    ]
    strength = dict.fromkeys(names, 1.0)
    for _ in range(3000):
        fresh = {}
        for name in names:
            won = sum(w * (name == a) + v * (name == b) for a, b, w, _, v in heap)
            met = sum(
                (w + v) / (strength[a] + strength[b]) for a, b, w, _, v in heap if name in (a, b)
            )
            fresh[name] = won / met
        strength = fresh
    logs = np.log([strength[name] for name in names])
    fit = fit_strengths(heap, prior=0)
    assert np.allclose(fit.strengths, logs - logs.mean(), atol=1e-8)
    assert fit.drawing == 0 and math.isclose(fit.scale, 400 / math.log(10))


def test_near_equals_a_rating_difference_is_the_elo_of_the_score() -> None:
    for draws in (0, 30, 70):
        won = (100 - draws) * 0.52
        fit = fit_strengths([("a", "b", won, draws, 100 - draws - won)], prior=0)
        score = (won + draws / 2) / 100
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
    assert next(r.name for r in ratings(lost)) == "a"
    assert all(math.isfinite(r.elo) and math.isfinite(r.margin) for r in ratings(lost))
    with pytest.raises(ValueError, match="expected a prior"):
        ratings(lost, prior=0)
    only_draws = [("a", "b", 0, 6, 0)]
    assert [r.elo for r in ratings(only_draws)] == pytest.approx([0, 0])
    with pytest.raises(ValueError, match="expected a prior"):
        ratings(only_draws, prior=0)
    with pytest.raises(ValueError, match="at least one game"):
        ratings([])
    with pytest.raises(ValueError, match="plays itself"):
        ratings([("a", "a", 1, 0, 0)])


# Files of games


def some_games(number: int) -> list[str]:
    texts = []
    for n in range(number):
        pairing = Pairing("s07", 'a "b"\\c', n, "5n", "Réti", ("g1f3",), 1)
        result = ("1-0", "1/2-1/2", "0-1")[n % 3]
        headers = pairing.headers() | {"Result": result, "Termination": "x", "PlyCount": "2"}
        texts.append(game_text(headers, f"1. Nf3 d5 {result}"))
    return texts


@examples(200)
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


def test_a_game_twice_in_a_file_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("".join(some_games(2) * 2), encoding="utf-8")
    assert [game.number for game in read_played(path)] == [0, 1]
    assert read_played(tmp_path / "none.pgn") == []


def test_a_file_that_is_no_pgn_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "diary.txt"
    path.write_text("Dear diary", encoding="utf-8")
    with pytest.raises(ValueError, match="expected a PGN file"), GameFile(path):
        pass
    assert path.read_text(encoding="utf-8") == "Dear diary"


def test_two_matches_do_not_write_to_one_file(tmp_path: Path) -> None:
    match = Match("s05", "s07", games=4, control="d1", path=tmp_path / "m.pgn", longest=20)
    running = match.run()
    next(running)
    with pytest.raises(BlockingIOError, match="in use by another match"):
        next(match.run())
    running.close()
    *_, last = match.run()
    assert last.games == 4


def test_headers_hold_any_text() -> None:
    (text,) = some_games(1)
    game = played(text)
    assert game is not None and game.second == "a 'b'/c"
    assert game.key == Pairing("s07", 'a "b"\\c', 0, "5n", "", (), 1).key
    assert played('[Event "x"]\n\n*\n') is None
    long = game_text({"Event": "x" * 999, "Termination": "a\nb"}, "*")
    assert max(map(len, long.splitlines())) < 220 and "a b" in long


# Matches


def test_every_opening_is_played_with_both_colours() -> None:
    plan = Match("s10", "s12", games=20, control="d1", seed=3).plan
    for one, two in itertools.pairwise(plan[::2]):
        assert one.moves != two.moves
    for one, two in zip(plan[::2], plan[1::2], strict=True):
        assert (one.white, one.black) == (two.black, two.white) == ("s10", "s12")
        assert one.moves == two.moves and one.opening == two.opening
    again = Match("s10", "s12", games=30, control="d1", seed=3).plan
    assert again[:20] == plan, "a longer match begins like a shorter one"
    assert Match("s10", "s12", games=20, control="d1", seed=4).plan != plan


def test_a_match_may_be_longer_than_the_book() -> None:
    book = lines()
    mates = [line for line in book if line.board().is_checkmate()]
    assert mates, "a line of the book ends the game; nothing can be added to it"
    plan = Match("s10", "s12", games=6 * len(book), control="d1").plan
    boards = [chess.Board() for _ in plan]
    for board, pairing in zip(boards, plan, strict=True):
        for uci in pairing.moves:
            board.push_uci(uci)
    over = [board for board in boards if board.is_game_over()]
    assert len(over) == 6 * len(mates) and all(board.is_checkmate() for board in over)
    different = {pairing.moves for pairing in plan}
    assert len(different) > 2.9 * len(book), "what comes again has other random plies"


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


def test_the_same_match_gives_the_same_games(tmp_path: Path) -> None:
    for name in ("one", "two"):
        match = Match("s05", "s08", games=4, control="d1", path=tmp_path / name, longest=60)
        for _ in match.run():
            pass
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_other_programs_can_read_the_games(tmp_path: Path) -> None:
    match = Match("s05", "s08", games=4, control="d1", path=tmp_path / "m.pgn", longest=90)
    for _ in match.run():
        pass
    with (tmp_path / "m.pgn").open(encoding="utf-8") as file:
        for pairing, record in zip(match.plan, read_games(tmp_path / "m.pgn"), strict=True):
            game = chess.pgn.read_game(file)
            assert game is not None and not game.errors
            board, moves = game.end().board(), list(game.mainline_moves())
            assert len(moves) == record.plies
            assert [move.uci() for move in moves][: len(pairing.moves)] == list(pairing.moves)
            assert game.headers["White"] == pairing.white
            if record.termination == "checkmate":
                assert board.is_checkmate()
        assert chess.pgn.read_game(file) is None


def test_a_match_ends_with_the_verdict_of_its_test() -> None:
    match = Match("s16", "s05", games=60, control="20n", longest=120)
    *_, last = match.run(sprt=Sprt(-400, 0))
    assert last.decided and last.games < 60 and last.sprt.verdict == "accept H1"


KILLED = """
import sys
from utils.jupyter_loader import install_import_hook
install_import_hook()
from converted_notebooks.s21_measuring_strength import Match
match = Match("s13", "s12", games=20, control="30n", path=sys.argv[1], longest=60)
for now in match.run():
    print(now.games, flush=True)
"""


def test_a_match_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    path, whole = tmp_path / "killed.pgn", tmp_path / "whole.pgn"
    command = [sys.executable, "-c", KILLED, str(path)]
    for wanted in (4, 9):
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=os.environ | _here()
        )
        assert process.stdout is not None
        with process, contextlib.suppress(StopIteration):
            while int(next(process.stdout)) < wanted:
                pass
            process.kill()
        before = len(read_games(path))
        assert wanted <= before < 20
        # As if it had been killed within a write.
        with path.open("ab") as file:
            file.write(
                b'[Event "s13 - s12"]\n[Site "?"]\n[Round "9.1"]\n[Result "1-0"]\n\n1. e4 e5 1'
            )
    match = Match("s13", "s12", games=20, control="30n", path=path, longest=60)
    first, *_, last = match.run()
    assert (first.games, last.games) == (before, 20)
    assert sorted(rounds(path)) == sorted(f"{k}.{g}" for k in range(1, 11) for g in (1, 2))
    for _ in Match("s13", "s12", games=20, control="30n", path=whole, longest=60).run():
        pass
    assert results(path) == results(whole), "an interruption changes nothing"


def _here() -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT)}


def test_another_match_in_the_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    arguments = {"games": 2, "control": "d1", "path": path, "longest": 20}
    for _ in Match("s05", "s07", **arguments).run():
        pass
    for change in ({"control": "d2"}, {"seed": 1}, {"longest": 21}):
        with pytest.raises(ValueError, match="of another match: use another file"):
            next(Match("s05", "s07", **arguments | change).run())
    *_, last = Match("s05", "s08", **arguments).run()
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
    match = Match(f"{DUMMY}?Trick={trick}", "s07", games=2, control=control, path=path)
    *_, last = match.run()
    assert (last.wins, last.draws, last.losses, last.faults) == (0, 0, 2, 2)
    one, two = read_games(path)
    assert f"White {words}" in one.termination and f"Black {words}" in two.termination


def test_a_program_that_cannot_start_loses_every_game() -> None:
    *_, last = Match("s05", f"{DUMMY} exit", games=2, control="d1").run()
    assert (last.wins, last.faults) == (2, 2)


def test_options_reach_the_program_and_unknown_ones_are_named() -> None:
    player = make_player(f"{DUMMY}?UCI_Elo=1200")
    close_player(player)
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
    found = []
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        if after.is_checkmate():
            found.append(move)
        elif moves > 1 and any(after.legal_moves):
            lost = True
            for reply in after.legal_moves:
                then = after.copy(stack=False)
                then.push(reply)
                lost = lost and bool(plainly(then, moves - 1))
                if not lost:
                    break
            if lost:
                found.append(move)
    return found


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
    suite = read_suite(MATES)
    assert len({problem.epd for problem in suite.problems}) == len(suite.problems) == 36
    for problem in suite.problems[:24:3] + suite.problems[24::6]:
        assert problem.mate is not None
        assert {key(problem.board(), problem.mate)} == set(problem.best)


def test_a_wrong_line_among_the_mates_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = MATES.read_text(encoding="utf-8").splitlines()[0]
    board, operations = chess.Board.from_epd(line)
    (best,) = operations["bm"]
    other = next(move for move in board.legal_moves if move != best)
    path = tmp_path / "wrong.epd"
    path.write_text(board.epd(bm=[other], dm=2, id="M2.01"), encoding="utf-8")
    monkeypatch.setattr("utils.recipes.mates.WANTED", {2: 1})
    assert "another solution" in str(check(path))
    path.write_text(line, encoding="utf-8")
    assert check(path) is None


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


@pytest.mark.parametrize("player", ["s05", "s09", "s19", "s20", DUMMY])
def test_every_kind_of_player_answers(player: str) -> None:
    suite = Suite("one", read_suite(MATES).problems[:1])
    (answer,) = run_suite(player, suite, "200n")
    assert answer.move and answer.total > 0
    assert (answer.seconds is not None) == answer.solved
    if answer.seconds is not None:
        assert 0 < answer.seconds <= answer.total


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


def test_a_program_that_does_not_start_solves_nothing() -> None:
    answers = list(run_suite(f"{DUMMY} exit", read_suite(MATES), "d1"))
    assert len(answers) == len(read_suite(MATES).problems)
    assert not any(answer.solved or answer.total for answer in answers)
    assert all(answer.said.startswith("crash: engine process died") for answer in answers)
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
    match = Match("stockfish?UCI_Elo=1400&Hash=1", "s05", games=2, control="200n", longest=80)
    *_, last = match.run()
    assert last.games == 2 and last.faults == 0
    judge = make_player("stockfish?Hash=1")
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    chosen = {"mate": chess.Move.from_uci("d1d8"), "no": chess.Move.from_uci("g1h1")}
    losses = s21.centipawn_losses(judge, board, chosen, chess.engine.Limit(nodes=20_000))
    close_player(judge)
    assert losses["mate"] == 0 < losses["no"]


def test_the_start_position_is_an_opening_like_any_other() -> None:
    start = Line("A00", "Start", ())
    plan = Match("s05", "s07", games=6, control="d1", openings=[start]).plan
    assert [len(pairing.moves) for pairing in plan] == [0, 0, 2, 2, 4, 4]
