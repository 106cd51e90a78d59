"""The opening book: the file format, building, playing from it, lines by name."""

from __future__ import annotations

import collections
import io
import random
import re
import struct
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from converted_notebooks.s05_random_engine import RandomEngine, play_games
from converted_notebooks.s06_opening_book import (
    COURSE_BOOK,
    OPENINGS,
    BookError,
    BookWarning,
    Choice,
    Line,
    NamedLineEngine,
    OpeningBook,
    OpeningRandomEngine,
    UnknownLineError,
    book_order,
    build_book,
    encode_move,
    find_line,
    lines,
    make_entry,
    pick,
    plain,
    read_book,
    read_games,
    write_book,
)
from tests.generated import examples
from utils.paths import ROOT
from utils.recipes import opening_book

quick = examples(60)

SPECIAL = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "3r1r2/P3P1P1/8/8/8/8/1k6/4K3 w - - 0 1",
    "4k3/1K6/8/8/8/8/p3p1p1/3R1R2 b - - 0 1",
    "4k3/8/8/3pPp2/8/8/8/4K3 w - f6 0 2",
    "4k3/8/8/8/1pPp4/8/8/4K3 b - c3 0 2",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
]


@st.composite
def positions(draw: st.DrawFn) -> chess.Board:
    """Positions of random games, and some where castling, promotion, en passant are legal."""
    if draw(st.integers(0, 3)) == 0:
        return chess.Board(draw(st.sampled_from(SPECIAL)))
    rng, board = random.Random(draw(st.integers(0, 10_000))), chess.Board()
    for _ in range(draw(st.integers(0, 120))):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


def games_of(text: str) -> Iterator[chess.pgn.Game]:
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        yield game


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("books")


# --- the format -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "key"),
    [
        ("", 0x463B96181691FC9C),
        ("e2e4", 0x823C9B50FD114196),
        ("e2e4 d7d5", 0x0756B94461C50FB0),
        ("e2e4 d7d5 e4e5 f7f5", 0x22A48B5A8E47FF78),
        ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00FDD303C946BDD9),
        ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3C8123EA7B067637),
        ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5C3F9B829B279560),
    ],
)
def test_keys_are_those_of_the_specification(moves: str, key: int) -> None:
    board = chess.Board()
    for uci in moves.split():
        board.push_uci(uci)
    assert make_entry(board, next(iter(board.legal_moves)), 1).key == key


@pytest.mark.parametrize(
    ("fen", "uci", "raw"),
    [
        (SPECIAL[0], "e1g1", 0o0407),
        (SPECIAL[0], "e1c1", 0o0400),
        (SPECIAL[1], "e8g8", 0o7477),
        (SPECIAL[1], "e8c8", 0o7470),
        (SPECIAL[2], "e7f8n", 0o16475),
        (SPECIAL[2], "e7f8q", 0o46475),
        (SPECIAL[4], "e5f6", 0o4455),
        (chess.STARTING_FEN, "g1f3", 0o0625),
    ],
)
def test_bits_of_moves(fen: str, uci: str, raw: int) -> None:
    """In octal: promotion, rank and file of the start, rank and file of the target."""
    assert encode_move(chess.Board(fen), chess.Move.from_uci(uci)) == raw


@quick
@given(positions(), st.randoms(use_true_random=False))
@example(chess.Board(SPECIAL[0]), random.Random(1))
@example(chess.Board(SPECIAL[1]), random.Random(1))
@example(chess.Board(SPECIAL[3]), random.Random(1))
@example(chess.Board(SPECIAL[6]), random.Random(1))
def test_every_legal_move_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, board: chess.Board, rng: random.Random
) -> None:
    legal = list(board.legal_moves)
    weights = {move: rng.randrange(1, 0x10000) for move in legal}
    entries = [make_entry(board, move, weights[move], rng.randrange(2**32)) for move in legal]
    other = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    entries += [make_entry(other, move, 7) for move in other.legal_moves]
    rng.shuffle(entries)
    path = tmp_path_factory.getbasetemp() / "trip.bin"
    write_book(path, entries)

    with chess.polyglot.open_reader(path) as reader:
        assert list(reader) == read_book(path) == sorted(entries, key=book_order)
        found = {entry.move: entry.weight for entry in reader.find_all(board)}
    assert found == weights
    assert OpeningBook(path, minimum_weight=1).moves(board) == weights
    assert path.stat().st_size == 16 * len(entries)


def test_chess960_castling_survives(folder: Path) -> None:
    board = chess.Board("1r1k3r/8/8/8/8/8/8/1R1K3R w HBhb - 0 1", chess960=True)
    castling = {move for move in board.legal_moves if board.is_castling(move)}
    assert len(castling) == 2
    write_book(folder / "960.bin", [make_entry(board, move, 1) for move in castling])
    assert set(OpeningBook(folder / "960.bin", 1).moves(board)) == castling


@pytest.mark.parametrize(
    ("uci", "weight", "learn"),
    [
        ("e2e5", 1, 0),
        ("e7e5", 1, 0),
        ("0000", 1, 0),
        ("e2e4", -1, 0),
        ("e2e4", 65536, 0),
        ("e2e4", 1, -1),
        ("e2e4", 1, 2**32),
    ],
)
def test_bad_entries_are_refused(uci: str, weight: int, learn: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        make_entry(chess.Board(), chess.Move.from_uci(uci), weight, learn)


# --- reading and writing --------------------------------------------------------------------


@quick
@given(st.binary(max_size=200).filter(lambda data: len(data) % 16))
def test_a_file_of_the_wrong_length_is_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "length.bin"
    path.write_bytes(data)
    with pytest.raises(BookError, match=rf"length\.bin has {len(data)} bytes; expected a multiple"):
        read_book(path)


@quick
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8), st.integers(0, 2**16 - 1))
def test_exactly_the_sorted_files_are_accepted(
    tmp_path_factory: pytest.TempPathFactory, keys: list[int], raw: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "order.bin"
    path.write_bytes(b"".join(struct.pack(">QHHI", key, raw, 1, 0) for key in keys))
    if keys == sorted(keys):
        assert [entry.key for entry in read_book(path)] == keys
    else:
        with pytest.raises(BookError, match=r"order\.bin is not sorted.*expected"):
            read_book(path)


def test_missing_empty_and_folder_are_refused(folder: Path) -> None:
    (folder / "empty.bin").write_bytes(b"")
    for name in ("empty.bin", "nowhere.bin", "nowhere/at/all.bin"):
        with pytest.raises(BookError, match=rf"{name}.*expected"):
            read_book(folder / name)
    with pytest.raises(BookError, match="expected"):
        read_book(folder)


def test_a_failed_write_leaves_the_old_book(tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    entry = make_entry(chess.Board(), chess.Move.from_uci("e2e4"), 5)
    write_book(path, [entry])
    before = path.read_bytes()
    with pytest.raises(struct.error):
        write_book(path, [entry, entry._replace(weight=70000)])
    with pytest.raises(ValueError, match=r"no entries.*book\.bin"):
        write_book(path, [])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path], "no temporary file stays behind"


# --- building -------------------------------------------------------------------------------

OPENING_MOVES = ["e4", "d4", "c4", "Nf3"]


@quick
@given(st.lists(st.sampled_from(OPENING_MOVES), min_size=1, max_size=70))
@example(["e4"] + ["d4"] * 19)
@example(["e4"] + ["d4"] * 20)
def test_weights_are_shares(firsts: list[str]) -> None:
    entries = build_book(games_of("".join(f"1. {san} *\n\n" for san in firsts)), 1)
    counts = collections.Counter(firsts)
    board = chess.Board()
    assert len(entries) == len(counts)
    for entry in entries:
        count = counts[board.san(entry.move)]
        assert entry.weight == max(1, 1000 * count // len(firsts))
        assert (entry.weight >= 50) == (20 * count >= len(firsts)), "one of twenty, exactly"
    assert [e.weight for e in entries] == sorted((e.weight for e in entries), reverse=True)


def test_plies_variations_and_start_positions() -> None:
    text = (
        "1. e4 (1. d4 d5) 1... e5 2. Nf3 *\n\n"
        '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. O-O *\n\n'
    )
    assert {e.move.uci() for e in build_book(games_of(text), 2)} == {"e2e4", "e7e5", "e1h1"}
    assert len(build_book(games_of(text), 1)) == 2


def test_a_transposition_is_one_position() -> None:
    text = "1. d4 Nf6 2. c4 e6 *\n\n1. c4 Nf6 2. d4 g6 *\n\n"
    weights = {e.move.uci(): e.weight for e in build_book(games_of(text), 9)}
    assert weights["e7e6"] == weights["g7g6"] == 500


def test_bad_games_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match="max_plies is 0"):
        build_book([], 0)
    with pytest.raises(ValueError, match="expected legal moves"):
        build_book(games_of("1. e4 e5 2. Ke3 *\n\n"), 9)
    with pytest.raises(ValueError, match="0000 is not legal"):
        build_book(games_of("1. e4 -- 2. d4 *\n\n"), 9)


# --- playing --------------------------------------------------------------------------------


@quick
@given(positions(), st.sampled_from(["uniform", "weight", "best"]), st.integers(0, 99))
def test_the_engine_keeps_the_contract(board: chess.Board, choice: Choice, seed: int) -> None:
    if board.is_game_over():
        return
    engine = OpeningRandomEngine(COURSE_BOOK, random.Random(seed), choice=choice)
    fen, stack = board.fen(), list(board.move_stack)
    scored, result = engine.analyse(board), engine.play(board)
    assert (board.fen(), board.move_stack) == (fen, stack)
    assert {item.move for item in scored} == set(board.legal_moves)
    assert len(scored) == board.legal_moves.count()
    replies = engine.book.moves(board)
    assert result.move in (replies or board.legal_moves)
    view = [item.score if board.turn else -item.score for item in scored]
    assert view == sorted(view, reverse=True) and min(view) >= 0
    assert {i.move: s for i, s in zip(scored, view, strict=True) if s} == replies


def test_same_seed_same_game() -> None:
    def game(seed: int) -> list[chess.Move]:
        engine = OpeningRandomEngine(COURSE_BOOK, random.Random(), choice="weight")
        return play_games(engine, engine, 1, seed=seed, max_plies=30)[0].board.move_stack

    assert game(4) == game(4) != game(5)


@quick
@given(
    st.dictionaries(
        st.sampled_from(list(chess.Board().legal_moves)), st.integers(1, 3), min_size=1
    ),
    st.integers(0, 999),
    st.randoms(use_true_random=False),
)
def test_pick(replies: dict[chess.Move, int], seed: int, rng: random.Random) -> None:
    heaviest = sorted(m.uci() for m, w in replies.items() if w == max(replies.values()))
    assert pick(replies, "best", random.Random(seed)).uci() == heaviest[0]
    shuffled = list(replies.items())
    rng.shuffle(shuffled)
    for choice in ("uniform", "weight"):
        move = pick(replies, choice, random.Random(seed))  # type: ignore[arg-type]
        assert move in replies
        assert pick(dict(shuffled), choice, random.Random(seed)) == move  # type: ignore[arg-type]


def test_weights_count_and_uniform_does_not_care() -> None:
    replies = {chess.Move.from_uci("e2e4"): 900, chess.Move.from_uci("d2d4"): 100}
    rng = random.Random(2)
    for choice, share in (("weight", 0.9), ("uniform", 0.5)):
        drawn = [pick(replies, choice, rng).uci() for _ in range(2000)]  # type: ignore[arg-type]
        assert abs(drawn.count("e2e4") / 2000 - share) < 0.04


def test_minimum_weight_is_inclusive(folder: Path) -> None:
    board, path = chess.Board(), folder / "weights.bin"
    ucis = {"e2e4": 50, "d2d4": 49, "c2c4": 0, "g1f3": 1}
    write_book(path, [make_entry(board, chess.Move.from_uci(u), w) for u, w in ucis.items()])
    assert {m.uci() for m in OpeningBook(path).moves(board)} == {"e2e4"}
    assert {m.uci() for m in OpeningBook(path, 1).moves(board)} == {"e2e4", "d2d4", "g1f3"}
    for bad in (0, -1, 65536):
        with pytest.raises(ValueError, match=f"minimum_weight is {bad}"):
            OpeningBook(path, bad)


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="choice is 'heavy'; expected one of uniform"):
        OpeningRandomEngine(COURSE_BOOK, random.Random(), choice="heavy")  # type: ignore[arg-type]


@pytest.mark.parametrize("content", [None, b"", b"12345", b"\xff" * 16 + b"\x00" * 16])
def test_a_damaged_book_warns_once_and_the_engine_plays(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "damaged.bin"
    if content is not None:
        path.write_bytes(content)
    with pytest.warns(BookWarning, match=r"damaged\.bin.*expected.*without a book") as caught:
        engine = OpeningRandomEngine(path, random.Random(3))
    assert len(caught) == 1 and "damaged.bin" in (engine.book_problem or "")
    plain_engine = RandomEngine(random.Random(3))
    ours = play_games(engine, engine, 1, seed=3, max_plies=40)[0]
    theirs = play_games(plain_engine, plain_engine, 1, seed=3, max_plies=40)[0]
    assert ours.board.move_stack == theirs.board.move_stack, "exactly a random engine"


@pytest.mark.parametrize("raw", [0, 0o0407, 0o1456, 0o71434, 0o7777, 0xFFFF])
def test_an_illegal_entry_is_skipped_and_reported_once(tmp_path: Path, raw: int) -> None:
    board, path = chess.Board(), tmp_path / "collision.bin"
    good = make_entry(board, chess.Move.from_uci("e2e4"), 100)
    write_book(path, [good, good._replace(raw_move=raw, weight=60000)])
    engine = OpeningRandomEngine(path, random.Random(1))
    assert engine.book_problem is None, "not visible before the position comes up"
    with pytest.warns(BookWarning, match=r"collision\.bin.*expected a move legal in rnbqkbnr"):
        assert engine.play(board).move == chess.Move.from_uci("e2e4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert engine.play(board).move == chess.Move.from_uci("e2e4")
    assert engine.book_problem is not None


# --- lines by name --------------------------------------------------------------------------


def test_the_data_are_clean() -> None:
    text = OPENINGS.read_text(encoding="utf-8")
    known = lines()
    assert 250 <= len(known) <= 400 and text.count("[Opening ") == len(known)
    assert all(re.fullmatch(r"[A-E]\d\d", line.eco) for line in known)
    assert len({plain(line.name) for line in known}) == len(known), "names are unique"
    assert len({line.board().epd() for line in known}) == len(known), "and so are positions"
    assert all(line.board().is_valid() for line in known)
    shares = collections.Counter(line.eco[0] for line in known)
    assert set(shares) == set("ABCDE") and min(shares.values()) >= 20


@pytest.mark.parametrize(
    ("name", "eco", "moves"),
    [
        ("Ruy López", "C60", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
        ("queen's gambit accepted", "D20", "1. d4 d5 2. c4 dxc4"),
        ("Queen’s Gambit Declined", "D30", "1. d4 d5 2. c4 e6"),
        ("Nimzo Indian Defence", "E20", "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4"),
        ("  GRUNFELD   DEFENSE ", "D80", "1. d4 Nf6 2. c4 g6 3. Nc3 d5"),
        ("Reti Opening", "A09", "1. Nf3 d5 2. c4"),
        ("Scotch Game", "C44", "1. e4 e5 2. Nf3 Nc6 3. d4"),
        ("Italian Game", "C50", "1. e4 e5 2. Nf3 Nc6 3. Bc4"),
        ("English Opening", "A10", "1. c4"),
    ],
)
def test_well_known_lines(name: str, eco: str, moves: str) -> None:
    line = find_line(name)
    assert (line.eco, chess.Board().variation_san(line.moves)) == (eco, moves)
    assert str(line) == f"{eco} {line.name}: {moves}"


@quick
@given(st.data())
def test_spelling_does_not_matter(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(lines()))
    name = data.draw(st.sampled_from([str.upper, str.lower, str.swapcase]))(line.name)
    name = re.sub(r"[:,-]", data.draw(st.sampled_from([" ", " - ", ": "])), name)
    assert find_line(name) is line


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("Najdorf", "Sicilian Defense: Najdorf Variation"),
        ("Caro Can Defence", "Caro-Kann Defense"),
        ("Sicillian Defence", "Sicilian Defense"),
        ("dragon variation", "Sicilian Defense: Dragon Variation"),
    ],
)
def test_near_misses(name: str, suggestion: str) -> None:
    with pytest.raises(UnknownLineError, match=f"{name!r}; did you mean .*{suggestion}"):
        find_line(name)


@pytest.mark.parametrize("name", ["", "?!", "qqqqqqqq"])
def test_far_misses(name: str) -> None:
    with pytest.raises(UnknownLineError, match="expected a name such as"):
        find_line(name)


def test_lines_of_other_files(tmp_path: Path) -> None:
    path = tmp_path / "own.pgn"
    path.write_text('[ECO "A00"]\n[Opening "Hómemade"]\n\n1. a3 *\n', encoding="utf-8")
    own = lines(path)
    assert own == (Line("A00", "Hómemade", (chess.Move.from_uci("a2a3"),)),)
    assert find_line("homemade", own) is own[0]
    path = tmp_path / "nameless.pgn"
    path.write_text('[ECO "A00"]\n\n1. a3 *\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"nameless\.pgn.*Opening None"):
        lines(path)


@quick
@given(st.sampled_from(lines()), st.booleans(), st.integers(0, 99))
def test_a_named_line_is_followed_with_either_colour(line: Line, white: bool, seed: int) -> None:
    engine = NamedLineEngine(line, random.Random(seed))
    board = chess.Board()
    for move in line.moves:
        if board.turn == white:
            assert engine.play(board).move == move == engine.analyse(board)[0].move
        board.push(move)
    assert engine.prepared(board) == {}
    if not board.is_game_over():
        assert engine.play(board).move in board.legal_moves


def test_a_named_line_is_left_and_found_again() -> None:
    engine = NamedLineEngine("Queen's Gambit Declined", random.Random(1))
    board = chess.Board()
    for uci in ("c2c4", "e7e6", "d2d4"):
        board.push_uci(uci)
        if uci != "d2d4":
            assert engine.prepared(board) == {}
    board.push_uci("d7d5")
    assert board.epd() == engine.line.board().epd(), "the end of the line, by transposition"
    board = chess.Board()
    board.push_uci("a2a3")
    assert engine.prepared(board) == {} and engine.play(board).move in board.legal_moves
    with pytest.raises(UnknownLineError):
        NamedLineEngine("Xyzzy", random.Random(1))


# --- the book of the course -----------------------------------------------------------------


def test_every_entry_of_the_course_book_is_reached_and_legal() -> None:
    book, seen, waiting = OpeningBook(COURSE_BOOK, 1), set[int](), [chess.Board()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        while waiting:
            board = waiting.pop()
            key = chess.polyglot.zobrist_hash(board)
            if key in seen:
                continue
            seen.add(key)
            replies = book.moves(board)
            assert not replies or 1000 - len(replies) < sum(replies.values()) <= 1000
            for move in replies:
                waiting.append(board.copy(stack=False))
                waiting[-1].push(move)
    assert {entry.key for entry in read_book(COURSE_BOOK)} <= seen


def test_the_committed_book_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert opening_book.main(["--check"]) == 0
    assert "up to date" in capsys.readouterr().out
    assert max(len(line.moves) for line in lines()) <= opening_book.MAX_PLIES, "no line is cut"
    assert OPENINGS == opening_book.OPENINGS and COURSE_BOOK == opening_book.BOOK


def test_building_is_deterministic_and_the_check_notices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = tmp_path / "new" / "course.bin"
    options = ["--book", str(book)]
    assert opening_book.main([*options, "--check"]) == 1
    assert "course.bin" in capsys.readouterr().err
    assert opening_book.main(options) == 0
    assert book.read_bytes() == COURSE_BOOK.read_bytes()
    book.write_bytes(book.read_bytes()[:-16])
    assert opening_book.main([*options, "--check"]) == 1
    assert "differs" in capsys.readouterr().err and len(read_book(book)) > 1
    assert book.read_bytes() != COURSE_BOOK.read_bytes(), "--check writes nothing"


def test_the_order_of_the_lines_does_not_matter() -> None:
    games = list(read_games(OPENINGS))
    assert build_book(games, 30) == build_book(reversed(games), 30) == read_book(COURSE_BOOK)


def test_windows_line_endings_change_nothing(tmp_path: Path) -> None:
    openings = tmp_path / "openings.pgn"
    openings.write_bytes(OPENINGS.read_bytes().replace(b"\n", b"\r\n"))
    book = tmp_path / "course.bin"
    assert opening_book.main(["--openings", str(openings), "--book", str(book)]) == 0
    assert book.read_bytes() == COURSE_BOOK.read_bytes()


def test_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "utils.recipes.opening_book", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
