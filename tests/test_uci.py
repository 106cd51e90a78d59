"""The engine as a program: real clients, real pipes, an adapter, and a great deal of junk."""

from __future__ import annotations

import os
import random
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import chess.engine
import pytest
from chess.engine import Limit, Mate, PlayResult

from converted_notebooks.s04_engine_interface import Engine, FirstMoveEngine
from converted_notebooks.s25_playing import COMMANDS, Player, UciProtocol
from tests.helpers.programs import SECONDS, Program, need, posix
from utils.engines import set_numbers
from utils.exercises.positions import BACK_RANK
from utils.paths import ROOT
from utils.uci_engine import UciEngine

COMMAND = [sys.executable, "-m", "utils.uci"]
MATE_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
TWO_ROOKS = "7k/8/8/8/8/8/1R6/R5K1 w - - 0 1"  # mate in two as well, and easily found
MIDDLEGAME = "r3nrk1/2p2p1p/p1p1b1p1/2NpPq2/3R4/P1N1Q3/1PP2PPP/4R1K1 w - - 0 1"
LINE = re.compile(r"(id (name|author) |option name |uciok$|readyok$|info |bestmove )")


class FastPlayer(Player):
    """Plays the first move, without a search."""

    def build(self) -> Engine:
        return FirstMoveEngine()


@pytest.fixture(scope="module")
def shared() -> Iterator[Program]:
    """One process for all tests that do not end it."""
    with Program(COMMAND) as running:
        yield running
        assert running.said["stderr"] == ""


@pytest.fixture
def program(shared: Program) -> Program:
    """The shared process, with the settings and the position of its start."""
    shared.say("stop", "setoption name MultiPV value 1", "ucinewgame")
    shared.say("position startpos", "isready", "debug in-order")
    shared.until("info string debug 'in-order'")  # whatever was written before is read
    return shared


def bestmove(lines: Sequence[str]) -> chess.Move:
    """The move in the last line."""
    return chess.Move.from_uci(lines[-1].removeprefix("bestmove ").split()[0])


# With python-chess's own client.


def open_client(*arguments: str) -> chess.engine.SimpleEngine:
    return chess.engine.SimpleEngine.popen_uci([*COMMAND, *arguments], timeout=SECONDS)


def legal(result: PlayResult, board: chess.Board) -> chess.Move:
    """The move of an answer, which is legal."""
    assert result.move is not None and result.move in board.legal_moves
    return result.move


@pytest.fixture(scope="module")
def client() -> Iterator[chess.engine.SimpleEngine]:
    with open_client("--engine=s10", "--seed=4") as engine:
        assert engine.options["Chapter"].default == "s10"
        engine.configure({"Chapter": "s23"})
        yield engine


def test_python_chess_plays_a_game_against_it() -> None:
    with (
        UciEngine(COMMAND, {"OwnBook": True, "Hash": 8}) as ours,
        open_client("--engine=s07", "--seed=1") as theirs,
    ):
        board, limit = chess.Board(), Limit(white_clock=1, black_clock=1, white_inc=0.01)
        while board.ply() < 18 and not board.is_game_over():
            result = ours.play(board, limit) if board.turn else theirs.play(board, limit)
            board.push(legal(result, board))


def test_python_chess_analyses_with_it(client: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MIDDLEGAME)
    infos = client.analyse(board, Limit(depth=4), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert len({info["pv"][0] for info in infos}) == 3
    for info in infos:
        assert info["depth"] == 4 and {"time", "nps", "score"} <= info.keys()
        assert board.variation_san(info["pv"])
    scores = [info["score"].relative for info in infos]
    assert scores == sorted(scores, reverse=True)
    info = client.analyse(chess.Board(MATE_IN_TWO), Limit(mate=2))
    assert info["score"].white() == Mate(2) and info["pv"][0].uci() == "a1a6"
    mirrored = client.analyse(chess.Board(TWO_ROOKS).mirror(), Limit(depth=5))
    assert mirrored["score"].black() == Mate(2)
    wanted = [chess.Move.from_uci(uci) for uci in ("a2a3", "h2h4")]
    for _ in range(2):
        assert client.play(chess.Board(), Limit(depth=3), root_moves=wanted).move in wanted


def test_what_was_searched_is_known_until_a_new_game(client: chess.engine.SimpleEngine) -> None:
    def nodes(game: object) -> int:  # for another game than the last one, `ucinewgame` is sent
        return client.analyse(chess.Board(MIDDLEGAME), Limit(depth=4), game=game)["nodes"]

    first, second = object(), object()
    new = nodes(first)
    assert nodes(first) < new == nodes(second)


def test_python_chess_lets_it_ponder(client: chess.engine.SimpleEngine) -> None:
    board, rng, guessed = chess.Board(), random.Random(3), 0
    # The nodes end a search, also on a busy machine; so there is a line to guess from.
    limit = Limit(white_clock=600, black_clock=600, nodes=2000)
    for number in range(8):
        result = client.play(board, limit, ponder=True)
        board.push(legal(result, board))
        if result.ponder is not None and number % 2 == 0:
            guessed += 1
            board.push(result.ponder)
        else:
            board.push(rng.choice(list(board.legal_moves)))
    assert guessed >= 2


def test_python_chess_finds_the_options(client: chess.engine.SimpleEngine) -> None:
    assert "s05" in (client.options["Chapter"].var or ())
    client.configure({"Hash": 2, "OwnBook": True, "Move Overhead": 100})
    client.configure({"BookFile": "/no/such/book.bin"})
    assert legal(client.play(chess.Board(), Limit(depth=2)), chess.Board())


def test_a_seed_makes_its_choices_repeatable() -> None:
    def moves(seed: int) -> list[chess.Move | None]:
        with open_client("--engine=s05", f"--seed={seed}") as engine:
            return [engine.play(chess.Board(), Limit(depth=1)).move for _ in range(8)]

    assert moves(4) == moves(4) != moves(5)


def test_it_can_be_started_by_its_path_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "utils" / "uci.py"), "--engine=s10"]
    with Program(command, cwd=tmp_path) as program:
        program.say("uci", "isready", "go")
        assert {"uciok", "readyok"} <= {*program.until("bestmove")}


def test_started_by_its_path_it_imports_the_course_and_not_its_own_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = ROOT / "utils" / "uci.py"
    monkeypatch.setattr(sys, "path", [str(path.parent), *sys.path[1:]])
    runpy.run_path(str(path))
    assert sys.path[0] == str(ROOT) and str(path.parent) not in sys.path


def test_a_chapter_without_an_engine_is_named() -> None:
    shown = subprocess.run([*COMMAND, "--engine=s99"], capture_output=True, text=True)
    assert shown.returncode == 2 and shown.stdout == "" and "'s99'" in shown.stderr


# With an adapter that speaks another language to its window.


def test_polyglot_puts_it_behind_an_xboard_window(tmp_path: Path) -> None:
    command = [need("polyglot"), "-noini", "-ec", shlex.join([*COMMAND, "--seed=1"])]
    surroundings = {**os.environ, "HOME": str(tmp_path)}
    with Program(command, cwd=tmp_path, env=surroundings) as program:
        program.say("xboard", "protover 2")
        features = " ".join(program.until("feature done=1"))
        assert 'myname="One Notebook at a Time s' in features  # it takes numbers off
        assert "Chapter -combo" in features and "OwnBook -check 0" in features
        program.say("new", "level 40 0:30 0", "easy", "post", "option OwnBook=1", "ping 1")
        program.until("pong 1")
        board, reports = chess.Board(), 0
        for _ in range(4):
            move = next(iter(board.legal_moves))
            board.push(move)
            program.say("time 1000", "otim 1000", f"usermove {move.uci()}")
            heard = program.until("move ")
            reports += sum(bool(re.match(r"\s*\d+\s+[-+]?\d+\s+\d+\s+\d+\s", h)) for h in heard)
            reply = chess.Move.from_uci(heard[-1].split()[1])
            assert reply in board.legal_moves
            board.push(reply)
        assert reports, "no line of analysis came through"
        program.say("quit")
        program.ends()


# With tournament managers.

INFO = re.compile(
    r"info( (depth|multipv|nodes|nps|time) \d+| score (cp|mate) -?\d+| pv( [a-h][1-8]\S+)+)+$"
)
LATE_MIDDLEGAME = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
# What `fastchess --compliance` says, in its order, up to each "bestmove".
COMPLIANCE = [
    ["ucinewgame", "position startpos", f"position fen {LATE_MIDDLEGAME}", "go wtime 100"],
    [f"position fen {chess.Board().mirror().fen()}", "go btime 100"],
    ["go wtime 100 winc 100 btime 100 binc 100"],
    ["go btime 100 binc 100 wtime 100 winc 100"],
    ["ucinewgame", "position startpos", "go wtime 100 btime 100"],
    ["position startpos moves e2e4 e7e5", "go wtime 100 btime 100"],
]


@pytest.mark.parametrize("chapter", ["s05", "s10", "s23"])
def test_it_does_what_fastchess_asks_for_compliance(chapter: str) -> None:
    with Program([*COMMAND, f"--engine={chapter}"]) as program:
        program.say("uci")
        heard = program.until("uciok")
        assert heard[0] == f"id name One Notebook at a Time {chapter}"
        assert heard[1].startswith("id author ")
        for lines in COMPLIANCE:
            for line in lines:
                program.say(line)
                if not line.startswith("go"):
                    program.say("isready")
                    assert program.until("readyok") == ["readyok"]
            *infos, _ = program.until("bestmove ")
            assert infos and all(INFO.match(line) and " score " in line for line in infos), infos
        program.say("quit")
        assert program.ends() == 0


@pytest.mark.skipif(shutil.which("fastchess") is None, reason="fastchess is not installed")
def test_fastchess_finds_it_compliant() -> None:
    words = ["fastchess", "--compliance", sys.executable, shlex.join(COMMAND[1:])]
    shown = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert "passed all compliance checks" in shown.stdout, shown


def test_cutechess_lets_it_play_a_game_and_ponder() -> None:
    with Program([*COMMAND, "--engine=s17"]) as program:
        program.say("uci")
        program.until("uciok")
        program.say("setoption name Hash value 1", "setoption name Ponder value true", "isready")
        program.until("readyok")
        program.say("ucinewgame", "setoption name Ponder value true", "position startpos")
        board, clocks = chess.Board(), "wtime 500 btime 500 winc 10 binc 10"
        for number in range(8):
            played = " moves " + " ".join(map(str, board.move_stack)) if board.move_stack else ""
            program.say(f"position startpos{played}", "isready")
            program.until("readyok")
            program.say(f"go {clocks}")
            _, move, *ponder = program.until("bestmove ")[-1].split()
            board.push_uci(move)
            if not ponder:
                board.push(next(iter(board.legal_moves)))
                continue
            guess = board.parse_uci(ponder[1])
            played = " ".join(map(str, board.move_stack))
            program.say(f"position startpos moves {played} {guess}", f"go ponder {clocks}")
            waits(program)
            if number % 2:
                program.say("ponderhit")
                board.push(guess)
                board.push_uci(program.until("bestmove ")[-1].split()[1])
            else:  # another move was played
                program.say("stop")
                program.until("bestmove ")
            board.push(next(iter(board.legal_moves)))
        waits(program)
        program.say("quit")
        assert program.ends() == 0


# Pipes that close, people who leave.


@pytest.mark.parametrize(
    ("go", "last"),
    [
        ("go infinite", "quit"),
        ("setoption name MultiPV value 5\ngo ponder wtime 1000 btime 1000", None),
        ("setoption name Chapter value s12\ngo movetime 600000", "QUIT is no command\nquit"),
        pytest.param("go infinite", "Ctrl-C", marks=posix),
    ],
)
def test_it_ends_at_quit_at_the_end_of_the_input_and_at_ctrl_c(go: str, last: str | None) -> None:
    with Program(COMMAND) as program:
        program.say(f"position fen {MIDDLEGAME}", go, "isready")
        program.until("readyok")
        if last is None:
            program.process.stdin.close()
        elif last == "Ctrl-C":
            program.interrupt()
        else:
            program.say(last)
        assert program.ends() == (-signal.SIGINT if last == "Ctrl-C" else 0)
        assert program.said["stderr"] == ""


@posix
@pytest.mark.parametrize("line", ["go infinite", "position startpos moves e2e5"])  # two threads
def test_it_ends_when_nobody_reads_though_its_input_stays_open(line: str) -> None:
    read, write = os.pipe()
    os.close(read)
    with Program(COMMAND, stdout=write) as deaf:
        os.close(write)
        deaf.say(line)
        assert deaf.ends() == 0
        assert deaf.said["stderr"] == ""


@posix
def test_it_does_not_start_without_an_output() -> None:
    with Program(["sh", "-c", f"exec {shlex.join(COMMAND)} >&-"]) as mute:
        assert mute.ends() == 1
        assert mute.said["stderr"].startswith("the standard output is closed; expected ")


@posix
def test_without_an_input_it_ends() -> None:
    with Program(["sh", "-c", f"exec {shlex.join(COMMAND)} <&-"]) as deaf:
        assert deaf.ends() == 0 and deaf.said["stderr"] == ""


GUI = """
import subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
engine.stdin.write(b"isready\\ngo infinite\\n")
engine.stdin.flush()
while not engine.stdout.readline().startswith(b"info depth 2"):
    pass
print("searching", flush=True)
engine.wait()
"""


@posix
def test_it_does_not_outlive_a_window_that_is_killed() -> None:
    with Program([sys.executable, "-c", GUI, *COMMAND]) as window:
        window.until("searching")
        window.process.send_signal(signal.SIGKILL)
        # The engine shares the window's error output, which closes when both have ended.
        window.ends()
        assert not any(thread.is_alive() for thread in window.threads)
        assert "Traceback" not in window.said["stderr"]


NOISY = """
import sys, os
import utils.uci
import converted_notebooks.s25_playing as playing
from converted_notebooks.s04_engine_interface import FirstMoveEngine

class Noisy(FirstMoveEngine):
    def play(self, board, limit=None):
        print("bestmove e2e5")
        os.write(1, b"readyok from below\\n")
        sys.stdout.flush()
        return super().play(board, limit)

playing.make_engine = lambda chapter, rng: Noisy()
utils.uci.run("s05")
"""


@pytest.mark.parametrize("closed", [False, pytest.param(True, marks=posix)])
def test_what_an_engine_prints_does_not_get_into_the_dialogue(closed: bool) -> None:
    """It gets into the error output, or nowhere if that is closed."""
    command = [sys.executable, "-c", NOISY]
    if closed:
        command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command]
    with Program(command) as program:
        program.say("position startpos", "go depth 1")
        heard = program.until("bestmove")
        assert [line.split()[0] for line in heard] == ["info", "bestmove"]
        assert bestmove(heard) in chess.Board().legal_moves
        program.say("quit")
        assert program.ends() == 0
        assert closed or "bestmove e2e5" in program.said["stderr"]
        assert closed or "readyok from below" in program.said["stderr"]


CYCLIC = """
import gc, sys, weakref
import utils.uci
import converted_notebooks.s25_playing as playing
from converted_notebooks.s04_engine_interface import FirstMoveEngine

class Cyclic(FirstMoveEngine):
    seen = []

    def play(self, board, limit=None):
        print("left", sum(one() is not None for one in self.seen), gc.isenabled())
        board.me = board
        self.seen.append(weakref.ref(board))
        return super().play(board, limit)

playing.make_engine = lambda chapter, rng: Cyclic()
utils.uci.run("s05")
"""


def test_garbage_is_collected_between_games_only() -> None:
    with Program([sys.executable, "-c", CYCLIC]) as program:
        answers = {"go": "bestmove", "isready": "readyok"}
        for command in ("go", "go", "go", "ucinewgame", "isready", "go", "quit"):
            program.say(command)
            if command in answers:
                program.until(answers[command])
        assert program.ends() == 0
        told = [line for line in program.said["stderr"].splitlines() if line.startswith("left")]
        # Of the three searches before the new game, the last is still at hand.
        assert told == ["left 0 False", "left 1 False", "left 2 False", "left 1 False"]


# Order of things, with a real thread.


def test_ready_while_searching_and_exactly_one_answer(program: Program) -> None:
    program.say(f"position fen {MIDDLEGAME}", "go infinite")
    waits(program)
    program.say("position startpos", "stop", "stop")
    program.until("bestmove")
    program.say("isready")
    assert program.until("readyok") == ["readyok"], "no second bestmove"


def waits(program: Program) -> None:
    """Asserts that it is ready, and has not answered."""
    program.say("isready")
    assert not any(line.startswith("bestmove") for line in program.until("readyok"))


def test_a_second_go_ends_the_first_and_needs_a_position_that_can_be_read(program: Program) -> None:
    program.say("position startpos", "go infinite", "position fen nonsense", "go depth 5")
    assert bestmove(program.until("bestmove")) in chess.Board().legal_moves
    heard = program.until("bestmove")
    assert heard[-1] == "bestmove 0000" and heard[-2].startswith("info string go: ")
    program.say("position startpos", "go infinite", f"position fen {BACK_RANK}", "go depth 5")
    assert bestmove(program.until("bestmove")) in chess.Board().legal_moves
    assert program.until("bestmove")[-1].split()[1] == "d1d8"


def test_pondering_waits_and_then_plays(program: Program) -> None:
    go = "go ponder wtime 400 btime 400"
    program.say("position startpos moves e2e4 e7e5", go)
    program.until("info depth 5")  # far longer than the clock would allow
    waits(program)
    program.say("ponderhit")
    assert program.until("bestmove")
    # A mate is found at once; the answer waits all the same.
    program.say(f"position fen {BACK_RANK}", go)
    program.until("info depth 1 ")
    waits(program)
    program.say("ponderhit")
    assert program.until("bestmove")[-1].startswith("bestmove d1d8")
    program.say(go, "stop")
    program.until("bestmove")


def test_stop_at_any_moment_is_heard(program: Program) -> None:
    for number in range(60):
        kind = ("infinite", "ponder wtime 9000 btime 9000", "depth 90")[number % 3]
        program.say(f"go {kind}", *(["isready"] * (number % 5)), "stop")
        program.until("bestmove")
    waits(program)


# Junk.

SEEDS = f"""
uci
isready
ucinewgame
position startpos moves e2e4 e7e5 g1f3 b8c6
position fen {MIDDLEGAME}
position fen {MATE_IN_TWO} moves a1a6
position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
go depth 2
go movetime 10
go wtime 100 btime 100 winc 10 binc 10 movestogo 3
go nodes 50 searchmoves e2e4 d2d4
go infinite
go ponder wtime 50
stop
ponderhit
setoption name Hash value 2
setoption name MultiPV value 2
setoption name Move Overhead value 5
debug on
setoption name Chapter value s99
register name Stefan code 4359874324
""".strip().splitlines()
WORDS = sorted({word for line in SEEDS for word in line.split()} - {"uci"})
LETTERS = "abcdefgh12345678 \t\0\r/-+.wKQkq%é漢\U0001f600\x1b\u2028"


def junk(rng: random.Random) -> str:
    """A line that is a little wrong, or very wrong, or not at all."""
    words = rng.choice(SEEDS).split()
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(words) + 1)
        letters = "".join(rng.choice(LETTERS) for _ in range(rng.randrange(12)))
        number = str(rng.choice([-1, 0, 10**30, "nan", "1e999", 0.5, 2**63]))
        new = rng.choice([[rng.choice(WORDS)], [number], [letters], []])
        words = words[:at] + new + words[at + rng.randrange(2) :]
    text = rng.choice([" ", "  ", "\t"]).join(words)
    # What would end the program is left out.
    return re.sub(r"\bquit\b|[\n]", "", text)


def check_lines(said: Sequence[str]) -> None:
    for line in said:
        assert LINE.match(line), line
        assert line.isascii() and line.isprintable() and len(line) < 1000, line


def test_tens_of_thousands_of_lines_of_junk_leave_it_ready() -> None:
    rng, said = random.Random(2022), list[str]()
    protocol = UciProtocol(said.append, FastPlayer(rng), patience=0.0)
    gos = 0
    for number in range(20_000):
        line = junk(rng)
        word = next((w for w in line.split() if w in COMMANDS), None)
        before, waiting = protocol.board, protocol.searching
        said.clear()
        protocol.handle(line)
        gos += word == "go"
        answers = sum(text.startswith("bestmove") for text in said)
        assert answers == waiting + (word == "go") - protocol.searching, (line, said)
        if word == "position":
            refused = any(text.startswith("info string") for text in said)
            assert (protocol.board is None) == refused, line
        else:
            assert protocol.board is before, line
        check_lines(said)
        if number % 100 == 99:
            good = ["stop", "isready", "setoption name MultiPV value 1"]
            for line in (*good, "position startpos moves d2d4", "go depth 1"):
                protocol.handle(line)
            assert "readyok" in said
            board = chess.Board()
            board.push_uci("d2d4")
            assert bestmove(said) in board.legal_moves
    assert gos > 3000


def test_junk_through_a_pipe_leaves_it_ready(program: Program) -> None:
    rng = random.Random(99)
    for round_ in range(3):
        program.say(*(junk(rng) for _ in range(100)))
        raw = bytes(rng.randrange(256) for _ in range(300)).replace(b"\n", b" ")
        program.process.stdin.write(raw.replace(b"quit", b"") + b"\r\n" * 3)
        program.say("x" * 100_000, "stop", f"debug {round_}", "isready")
        heard = program.until("readyok")
        program.say("setoption name MultiPV value 1", "stop", "ucinewgame")
        program.say("isready", "debug here-i-am")
        heard += program.until("info string debug 'here-i-am'")
        program.say(f"position fen {BACK_RANK}", "go depth 4")
        while not heard[-1].startswith("bestmove d1d8"):
            heard += program.until("bestmove")
        check_lines(heard)
        assert not any("failed" in line for line in heard)


def test_an_unreadable_line_is_answered_not_raised() -> None:
    said: list[str] = []
    protocol = UciProtocol(said.append, FastPlayer(random.Random(1)))
    for line in ("go\x00depth", "position fen " + "8/" * 5000, "setoption name " + "é" * 999):
        protocol.handle(line)
        assert said[-1].startswith("info string") and len(said[-1]) < 400
    for line in ("  \t \r\n", "joho debug on", "joho " * 20_000 + "isready"):
        protocol.handle(line)
    assert len(said) == 4 and said[-1] == "readyok"


# Other values for numbers


def shown_with(numbers: list[str], shown: str) -> str:
    """What Python shows of s22 after `set_numbers` in a process without chapters."""
    code = (
        f"from utils.engines import set_numbers; set_numbers('s22', {numbers}); "
        f"from converted_notebooks import s22_tournament_search as s22; print({shown})"
    )
    words = [sys.executable, "-c", code]
    return subprocess.check_output(words, cwd=ROOT, text=True, timeout=SECONDS).strip()


def test_another_value_reaches_the_chapters_that_import_a_number() -> None:
    numbers = ["WINDOW=40", "s21.SURE=500", "REDUCTION_BASE=1"]
    assert shown_with(numbers, "s22.WINDOW, s22.SURE, s22.REDUCTION_BASE") == "40 500 1.0"


def test_the_engine_searches_with_another_value() -> None:
    def nodes(*arguments: str) -> int:
        with open_client("--engine=s22", *arguments) as engine:
            return int(engine.analyse(chess.Board(MIDDLEGAME), Limit(depth=4))["nodes"])

    assert nodes("--set=MOST_CREDIT=8192") == nodes() != nodes("--set=REVERSE_FUTILITY_DEPTH=0")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("WINDOW", "'WINDOW': expected a name and a number, such as s22.RAZORING=300"),
        ("s99.WINDOW=1", "'s99' is no chapter; expected one such as s22"),
        ("s23.WON=1", "s23 comes after s22; expected s22 or one before"),
        ("WIDTH=1", "s22 has no number 'WIDTH'"),
        ("Parts=1", "s22 has no number 'Parts'"),
        ("WINDOW=1.5", "'1.5' for s22.WINDOW: expected a whole number"),
        ("REDUCTION_BASE=half", "'half' for s22.REDUCTION_BASE: expected a number"),
    ],
)
def test_a_number_that_cannot_be_set_is_named(number: str, words: str) -> None:
    ended = subprocess.run(
        [*COMMAND, "--engine=s22", f"--set={number}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=SECONDS,
        env=os.environ | {"COLUMNS": "200"},
    )
    assert ended.returncode == 2 and ended.stdout == "" and words in ended.stderr


def test_a_number_of_a_chapter_that_is_imported_cannot_be_set() -> None:
    with pytest.raises(ValueError, match="s04 is imported already, with its own numbers"):
        set_numbers("s22", ["s04.ANY=1"])
