"""The opening book: the file format, building, playing from it, lines by name."""

from __future__ import annotations

import io
import json
import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot
import pytest
from hypothesis import given
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
    find_line,
    lines,
    make_entry,
    pick,
    read_book,
    write_book,
)
from tests.helpers.generated import examples
from tests.helpers.positions import STARTS, positions
from tests.helpers.programs import until
from tests.helpers.properties import assert_analysis, assert_plays
from utils.paths import NOTEBOOKS

BOARDS = positions(
    starts=[
        *STARTS,
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "3r1r2/P3P1P1/8/8/8/8/1k6/4K3 w - - 0 1",
        "4k3/8/8/3pPp2/8/8/8/4K3 w - f6 0 2",
        "4k3/8/8/8/1pPp4/8/8/4K3 b - c3 0 2",
    ]
)
CHOICES: list[Choice] = ["uniform", "weight", "best"]
FIRST_MOVES = [chess.Move.from_uci(uci) for uci in ("e2e4", "d2d4", "c2c4", "g1f3")]


def games_of(text: str) -> Iterator[chess.pgn.Game]:
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        yield game


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that each test, and each example, writes anew."""
    return tmp_path_factory.mktemp("books") / "made.bin"


# The format


@given(BOARDS, st.data())
@examples(60)
def test_every_legal_move_survives_the_round_trip(
    path: Path, board: chess.Board, data: st.DataObject
) -> None:
    numbers = st.tuples(st.integers(1, 0xFFFF), st.integers(0, 0xFFFFFFFF))
    legal = list(board.legal_moves)
    drawn = data.draw(st.lists(numbers, min_size=len(legal), max_size=len(legal)))
    written = dict(zip(legal, drawn, strict=True))
    entries = [make_entry(board, move, *pair) for move, pair in written.items()]
    other = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    entries += [make_entry(other, move, 7) for move in other.legal_moves]
    write_book(path, entries)
    with chess.polyglot.open_reader(path) as reader:
        assert list(reader) == read_book(path) == sorted(entries, key=book_order)
        found = {entry.move: (entry.weight, entry.learn) for entry in reader.find_all(board)}
    assert found == written
    weights = {move: weight for move, (weight, _) in written.items()}
    assert OpeningBook(path, minimum_weight=1).moves(board) == weights
    assert path.stat().st_size == 16 * len(entries)


def test_chess960_castling_survives(path: Path) -> None:
    board = chess.Board("1r1k3r/8/8/8/8/8/8/1R1K3R w HBhb - 0 1", chess960=True)
    castling = {move for move in board.legal_moves if board.is_castling(move)}
    assert len(castling) == 2
    write_book(path, [make_entry(board, move, 1) for move in castling])
    assert set(OpeningBook(path, 1).moves(board)) == castling


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
    with pytest.raises(ValueError, match=r"expected (a legal move|0 to 65535)"):
        make_entry(chess.Board(), chess.Move.from_uci(uci), weight, learn)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8), st.binary(max_size=17))
@examples(60)
def test_exactly_the_sorted_files_of_whole_entries_are_accepted(
    path: Path, keys: list[int], rest: bytes
) -> None:
    path.write_bytes(b"".join(struct.pack(">QHHI", key, 0, 1, 0) for key in keys) + rest)
    if len(rest) % 16:
        with pytest.raises(BookError, match=r"made\.bin: cut short; expected whole entries"):
            read_book(path)
        return
    if rest:
        keys = [*keys, int.from_bytes(rest[:8])]
    if keys == sorted(keys):
        assert [entry.key for entry in read_book(path)] == keys
    else:
        with pytest.raises(BookError, match=r"made\.bin: not sorted; expected"):
            read_book(path)


def test_missing_empty_and_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.bin").write_bytes(b"")
    for name in ("empty.bin", "nowhere.bin", "nowhere/at/all.bin", ""):
        with pytest.raises(BookError, match=rf"{name}.*expected"):
            read_book(tmp_path / name)


def test_a_failed_write_leaves_the_old_book(tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    entry = make_entry(chess.Board(), FIRST_MOVES[0], 5)
    write_book(path, [entry])
    before = path.read_bytes()
    with pytest.raises(struct.error):
        write_book(path, [entry, entry._replace(weight=70000)])
    with pytest.raises(ValueError, match=r"no entries.*book\.bin"):
        write_book(path, [])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path], "no temporary file stays behind"


# Building


@given(st.lists(st.sampled_from(["e4", "d4", "c4", "Nf3"]), min_size=1, max_size=70))
@examples(60)
def test_weights_are_shares(firsts: list[str]) -> None:
    entries = build_book(games_of("".join(f"1. {san} *\n\n" for san in firsts)), 1)
    weights = [entry.weight for entry in entries]
    assert weights == sorted(weights, reverse=True)
    shares = {san: 1000 * firsts.count(san) // len(firsts) for san in firsts}
    assert {chess.Board().san(e.move): e.weight for e in entries} == shares


def test_a_rare_move_has_the_smallest_weight() -> None:
    text = "1. e4 *\n\n" * 1001 + "1. d4 *\n\n"
    assert [entry.weight for entry in build_book(games_of(text), 1)] == [999, 1]


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


@pytest.mark.parametrize(
    ("text", "plies", "complaint"),
    [
        ("", 0, "max_plies is 0"),
        ("1. e4 e5 2. Ke3 *\n\n", 9, "expected legal moves"),
        ("1. e4 -- 2. d4 *\n\n", 9, "0000 is not legal"),
    ],
)
@pytest.mark.usefixtures("caplog")  # python-chess logs what it cannot read
def test_bad_games_are_refused(text: str, plies: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        build_book(games_of(text), plies)


# Playing


@given(positions(starts=[chess.STARTING_FEN], max_plies=12), st.sampled_from(CHOICES))
@examples(60)
def test_book_moves_are_played_where_there_are_any(board: chess.Board, choice: Choice) -> None:
    engine = OpeningRandomEngine(COURSE_BOOK, random.Random(1), choice=choice)
    replies = engine.book.moves(board)
    assert_analysis(engine, board)
    assert engine.prepared(board) == replies
    assert assert_plays(engine, board) in (replies or board.legal_moves)


REPLIES = st.dictionaries(st.sampled_from(FIRST_MOVES), st.integers(1, 3), min_size=1)


@given(REPLIES, st.sampled_from(CHOICES), st.integers(0, 9))
@examples(60)
def test_the_order_of_the_replies_does_not_matter(
    replies: dict[chess.Move, int], choice: Choice, seed: int
) -> None:
    move = pick(replies, choice, random.Random(seed))
    assert pick(dict(reversed(replies.items())), choice, random.Random(seed)) == move
    assert move in replies
    if choice == "best":
        heaviest = [m.uci() for m in replies if replies[m] == max(replies.values())]
        assert move.uci() == min(heaviest)


@pytest.mark.parametrize(("choice", "share"), [("weight", 0.9), ("uniform", 0.5)])
def test_weights_count_only_where_they_should(choice: Choice, share: float) -> None:
    replies, rng = dict(zip(FIRST_MOVES[:2], (900, 100), strict=True)), random.Random(2)
    moves = [pick(replies, choice, rng) for _ in range(2000)]
    assert abs(moves.count(FIRST_MOVES[0]) / 2000 - share) < 0.04


def test_minimum_weight_is_inclusive(path: Path) -> None:
    board = chess.Board()
    weights = dict(zip(FIRST_MOVES, (50, 49, 0, 1), strict=True))
    write_book(path, [make_entry(board, move, weight) for move, weight in weights.items()])
    assert OpeningBook(path).moves(board) == {FIRST_MOVES[0]: 50}
    assert OpeningBook(path, 1).moves(board) == {m: w for m, w in weights.items() if w}
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
    ours, theirs = (
        play_games(player, player, 1, seed=3, max_plies=20)[0].board.move_stack
        for player in (engine, RandomEngine(random.Random(3)))
    )
    assert ours == theirs, "exactly a random engine"


@given(BOARDS, st.integers(0, 0xFFFF))
@examples(200)
def test_an_entry_whose_move_is_not_legal_is_left_out(
    path: Path, board: chess.Board, raw: int
) -> None:
    legal = list(board.legal_moves)
    if legal:
        good = make_entry(board, legal[0], 100)
        write_book(path, [good, good._replace(raw_move=raw, weight=60000)])
        found = OpeningBook(path, 1).moves(board)
        assert {legal[0]} <= found.keys() <= set(legal)


def test_a_reader_that_compares_moves_as_they_are_written_never_castles() -> None:
    """The chapter's pitfall: `e1h1` is in the book, `e1g1` among the legal moves."""
    board = find_line("Ruy Lopez: Berlin Defense").board()
    written = {
        e.move for e in read_book(COURSE_BOOK) if e.key == chess.polyglot.zobrist_hash(board)
    }
    castling = board.parse_san("O-O")
    assert castling in OpeningBook(COURSE_BOOK).moves(board)
    assert castling not in written and chess.Move.from_uci("e1h1") in written


def test_only_the_weights_of_our_book_are_shares() -> None:
    sums: dict[int, int] = {}
    for entry in read_book(COURSE_BOOK):
        sums[entry.key] = sums.get(entry.key, 0) + entry.weight
    assert min(sums.values()) > 970 and max(sums.values()) <= 1000


# What a reader runs


def cell(number: str) -> str:
    """The source of a cell of the notebook."""
    notebook = json.loads(NOTEBOOKS.joinpath("s06_opening_book.ipynb").read_text(encoding="utf-8"))
    (source,) = (c["source"] for c in notebook["cells"] if c["id"] == number)
    return "".join(source)


def reader(*numbers: str) -> dict[str, Any]:
    """The names of a reader who has run some cells."""
    names: dict[str, Any] = {}
    exec("from converted_notebooks.s06_opening_book import *", names)
    exec("from converted_notebooks.s05_random_engine import *", names)
    for number in numbers:
        exec(cell(number), names)
    return names


@pytest.mark.parametrize(
    ("sans", "said"),
    [
        ("", "In book, which knows e4, d4, c4."),
        ("e4 c5", "In book, which knows Nf3, Nc3."),
        ("e4 h5 Nf3", "Out of book: 1...h5. It knew e5, c5, e6, c6."),
        ("a3 e5", "Out of book: 1. a3. It knew e4, d4, c4."),
    ],
)
def test_the_alarm_names_the_move_that_leaves_the_book(sans: str, said: str) -> None:
    board = chess.Board()
    for san in sans.split():
        board.push_san(san)
    assert reader("s06-alarm-code")["alarm"](board) == said


def test_the_alarm_follows_the_game_on_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    class Bell:
        def update(self, text: Any) -> None:
            said.append(text.data)

    monkeypatch.setattr("IPython.display.display", lambda *text, **options: Bell())
    names = reader("s06-alarm-code", "s06-play-code")
    game = names["game"]
    game.session.handle({"do": "move", "text": "e4", "ply": 0})
    until(lambda: game.session.game.plies == 2)
    game.session.handle({"do": "move", "text": "a3", "ply": 2})
    game.close()
    assert said[0].startswith("In book") and "Out of book: 2. a3" in " ".join(said)


# Lines by name


def test_the_data_are_clean() -> None:
    known = lines()
    assert OPENINGS.read_text(encoding="utf-8").count("[Opening ") == len(known)
    assert all(re.fullmatch(r"[A-E]\d\d", line.eco) for line in known)
    assert len({line.board().epd() for line in known}) == len(known), "positions are unique"


@pytest.mark.parametrize(
    ("name", "eco", "moves"),
    [
        ("Ruy López", "C60", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
        ("Queen’s Gambit Declined", "D30", "1. d4 d5 2. c4 e6"),
        ("Nimzo Indian Defence", "E20", "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4"),
        ("  GRUNFELD   DEFENSE ", "D80", "1. d4 Nf6 2. c4 g6 3. Nc3 d5"),
        ("Reti Opening", "A09", "1. Nf3 d5 2. c4"),
    ],
)
def test_well_known_lines_in_any_spelling(name: str, eco: str, moves: str) -> None:
    line = find_line(name)
    assert (line.eco, chess.Board().variation_san(line.moves)) == (eco, moves)
    assert str(line) == f"{eco} {line.name}: {moves}"


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("Najdorf", "'Najdorf'; did you mean .*Sicilian Defense: Najdorf Variation"),
        ("Caro Can Defence", "did you mean .*Caro-Kann Defense"),
        ("Sicillian Defence", "did you mean .*Sicilian Defense"),
        ("dragon variation", "did you mean .*Sicilian Defense: Dragon Variation"),
        ("", "expected a name such as"),
        ("?!", "expected a name such as"),
        ("qqqqqqqq", "expected a name such as"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(name: str, suggestion: str) -> None:
    with pytest.raises(UnknownLineError, match=suggestion):
        find_line(name)


def test_lines_of_other_files(tmp_path: Path) -> None:
    path = tmp_path / "own.pgn"
    path.write_text('[ECO "A00"]\n[Opening "Hómemade"]\n\n1. a3 *\n', encoding="utf-8")
    own = lines(path)
    assert own == (Line("A00", "Hómemade", (chess.Move.from_uci("a2a3"),)),)
    assert find_line("homemade", own) is own[0]
    twin = Line("A01", "homemade", (chess.Move.from_uci("b2b3"),))
    assert find_line("Homemade", [*own, twin]) is own[0]
    assert find_line("Homemade", [twin, *own]) is twin


@given(st.sampled_from(lines()), st.sampled_from(chess.COLORS))
@examples(60)
def test_a_named_line_is_followed_with_either_colour(line: Line, colour: chess.Color) -> None:
    engine, board = NamedLineEngine(line, random.Random(1)), chess.Board()
    for move in line.moves:
        if board.turn == colour:
            assert engine.play(board).move == move and engine.prepared(board) == {move: 1}
        board.push(move)
    assert engine.prepared(board) == engine.book.moves(board), "the book after the line"
    if not board.is_game_over():
        assert_plays(engine, board)


def test_a_named_line_is_left_and_found_again() -> None:
    engine, board = NamedLineEngine("Ruy Lopez", random.Random(1)), chess.Board()
    for san in ("Nf3", "Nc6", "e4", "e5"):
        assert engine.prepared(board) == (
            engine.book.moves(board) if board.move_stack else {FIRST_MOVES[0]: 1}
        )
        board.push_san(san)
    (move,) = engine.prepared(board)
    assert board.san(move) == "Bb5", "found again by transposition"
    with pytest.raises(UnknownLineError):
        NamedLineEngine("Xyzzy", random.Random(1))


def test_an_engine_chooses_as_it_was_told_from_entries_that_are_heavy_enough(path: Path) -> None:
    board = chess.Board()
    weights = dict(zip(FIRST_MOVES, (900, 60, 50, 40), strict=True))
    write_book(path, [make_entry(board, move, weight) for move, weight in weights.items()])

    def played(engine: OpeningRandomEngine) -> set[chess.Move | None]:
        return {engine.play(board).move for _ in range(60)}

    assert played(OpeningRandomEngine(path, random.Random(1))) == {*FIRST_MOVES[:3]}
    everything = OpeningRandomEngine(path, random.Random(1), minimum_weight=1)
    assert played(everything) == {*FIRST_MOVES}
    best = OpeningRandomEngine(path, random.Random(1), choice="best")
    assert played(best) == {FIRST_MOVES[0]}
    assert OpeningBook(path, 65535).moves(board) == {}, "the largest weight that can be asked for"


def test_a_book_does_not_depend_on_the_order_of_its_games() -> None:
    text = "1. {} *\n\n"
    forth, back = (
        build_book(games_of("".join(text.format(san) for san in sans)), 1)
        for sans in (("e4", "d4", "c4", "Nf3"), ("Nf3", "c4", "d4", "e4"))
    )
    assert forth == back and len({entry.weight for entry in forth}) == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'[Opening "Named"]\n\n1. a3 *\n', "a game has ECO None and Opening 'Named'"),
        (b'[ECO "A00"]\n\n1. a3 *\n', "a game has ECO 'A00' and Opening None"),
        (b'[ECO "A00"]\n[Opening "Named"]\n\n1. a5 *\n', "a game cannot be used.*legal moves"),
        (
            b'[ECO "A00"]\n[Opening "Named"]\n[SetUp "1"]\n'
            b'[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. O-O *\n',
            "begins at 4k3/8/8/8/8/8/8/4K2R w K - 0 1; expected the start position",
        ),
        (b'[ECO "A00"]\n[Opening "N\xe4med"]\n\n1. a3 *\n', "no text in UTF-8"),
    ],
)
@pytest.mark.usefixtures("caplog")  # python-chess logs what it cannot read
def test_a_file_of_lines_that_cannot_be_used_is_named_with_its_fault(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    path = tmp_path / "own.pgn"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"own\.pgn.*{complaint}"):
        lines(path)


def test_a_name_may_have_british_spelling() -> None:
    line = Line("C21", "Center Game", (FIRST_MOVES[0],))
    assert find_line("Centre Game", [line]) is line


def test_the_three_shortest_names_that_hold_the_text_are_suggested() -> None:
    names = ("A Gambit: Long Line", "Bb Gambit", "Ccc Gambit", "D Gambit", "E Defense")
    among = [Line("A00", name, ()) for name in names]
    said = "did you mean 'D Gambit' or 'Bb Gambit' or 'Ccc Gambit'?"
    with pytest.raises(UnknownLineError, match=re.escape(said)):
        find_line("gambit", among)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("Scottish", "did you mean 'Scotch Game'?"),
        ("Gambit", "did you mean 'Latvian Gambit' or 'Gambet'?"),
    ],
)
def test_names_that_are_only_like_the_text_are_suggested_after_those_that_hold_it(
    typed: str, said: str
) -> None:
    among = [Line("A00", name, ()) for name in ("Gambet", "Scotch Game", "Latvian Gambit")]
    with pytest.raises(UnknownLineError, match=re.escape(said)):
        find_line(typed, among)
