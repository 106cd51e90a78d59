"""The engine as a program: real clients, real pipes, an adapter, and a great deal of junk."""

from __future__ import annotations

import os
import queue
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import chess.engine
import pytest

from converted_notebooks.s04_engine_interface import FirstMoveEngine, UciEngine, play_game
from converted_notebooks.s22_playing import (
    EngineThinker,
    PlayingMind,
    Thinker,
    UciProtocol,
    serve,
)
from tests.programs import Running, need, posix
from utils.paths import ROOT

SECONDS = 60.0  # how long to wait for what must come
COMMAND = [sys.executable, "-m", "utils.uci"]
MATE_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
TWO_ROOKS = "7k/8/8/8/8/8/1R6/R5K1 w - - 0 1"  # mate in two as well, and easily found
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
MIDDLEGAME = "r3nrk1/2p2p1p/p1p1b1p1/2NpPq2/3R4/P1N1Q3/1PP2PPP/4R1K1 w - - 0 1"
LINE = re.compile(r"(id (name|author) |option name |uciok$|readyok$|info |bestmove )")


class FastMind(PlayingMind):
    """Thinks of nothing."""

    def build(self) -> Thinker:
        return EngineThinker(FirstMoveEngine())


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Program(Running):
    """A program with pipes, whose lines can be waited for."""

    seconds = SECONDS

    def __init__(self, command: Sequence[str] = COMMAND, **options: object) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Whoever runs the tests in the background has SIGINT ignored, and hands that down.
            preexec_fn=_hear_interrupts if os.name == "posix" else None,
            **options,  # type: ignore[call-overload]
        )
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.errors: list[str] = []
        self.threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line.decode().rstrip("\n"))
        self.lines.put(None)

    def _read_errors(self) -> None:
        self.errors += [line.decode() for line in self.process.stderr]

    def say(self, *lines: str) -> None:
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def until(self, word: str) -> list[str]:
        """The lines up to the first that begins with a word."""
        heard: list[str] = []
        while not heard or not heard[-1].startswith(word):
            line = self.lines.get(timeout=SECONDS)
            assert line is not None, f"it ended; heard {heard[-5:]}, errors {self.errors}"
            heard.append(line)
        return heard


@pytest.fixture
def program() -> Iterator[Program]:
    with Program() as running:
        yield running


# With python-chess's own client.


def open_client(*arguments: str) -> chess.engine.SimpleEngine:
    return chess.engine.SimpleEngine.popen_uci([*COMMAND, *arguments], timeout=SECONDS)


def test_python_chess_plays_a_game_against_it() -> None:
    with (
        UciEngine(COMMAND, {"OwnBook": True, "Hash": 8}) as ours,
        open_client("--engine=s07", "--seed=1") as theirs,
    ):
        board = chess.Board()
        limit = chess.engine.Limit(white_clock=3, black_clock=3, white_inc=0.01, black_inc=0.01)
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            result = ours.play(board, limit) if board.turn else theirs.play(board, limit)
            assert result.move in board.legal_moves
            board.push(result.move)
        assert board.ply() >= 6


def test_our_own_games_can_be_played_with_it() -> None:
    with UciEngine([*COMMAND, "--engine=s12"]) as program:
        record = play_game(
            FirstMoveEngine(), program, limit=chess.engine.Limit(nodes=200), max_plies=12
        )
        assert record.plies == 12 and record.black == "One Notebook at a Time"


def test_python_chess_analyses_with_it() -> None:
    with open_client() as engine:
        board = chess.Board(MIDDLEGAME)
        infos = engine.analyse(board, chess.engine.Limit(depth=4), multipv=3)
        assert [info["multipv"] for info in infos] == [1, 2, 3]
        assert len({info["pv"][0] for info in infos}) == 3
        for info in infos:
            assert info["depth"] == 4 and info["seldepth"] >= 4 and info["nodes"] > 0
            assert {"time", "nps", "hashfull", "score"} <= info.keys()
            assert board.variation_san(info["pv"])
        scores = [info["score"].relative for info in infos]
        assert scores == sorted(scores, reverse=True)
        single = engine.analyse(board, chess.engine.Limit(depth=4))
        assert single["pv"][0] in board.legal_moves
        mates = chess.Board(MATE_IN_TWO)
        info = engine.analyse(mates, chess.engine.Limit(mate=2))
        assert info["score"].white() == chess.engine.Mate(2)
        assert mates.san(info["pv"][0]) == "Ra6"
        mirrored = engine.analyse(chess.Board(TWO_ROOKS).mirror(), chess.engine.Limit(depth=5))
        assert mirrored["score"].black() == chess.engine.Mate(2)
        wanted = [chess.Move.from_uci(uci) for uci in ("a2a3", "h2h4")]
        root = chess.Board()
        for _ in range(2):
            limit = chess.engine.Limit(depth=3)
            assert engine.play(root, limit, root_moves=wanted).move in wanted


def test_python_chess_stops_an_endless_analysis() -> None:
    with open_client() as engine:
        board = chess.Board(MIDDLEGAME)
        for _ in range(3):
            with engine.analysis(board) as analysis:
                for info in analysis:
                    if info.get("depth", 0) >= 3:
                        break
            engine.ping()
        limit = chess.engine.Limit(depth=1)
        assert engine.play(board, limit).move in board.legal_moves


def test_python_chess_lets_it_ponder() -> None:
    board, rng, guessed = chess.Board(), random.Random(3), 0
    limit = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
    with open_client() as engine:
        for number in range(8):
            result = engine.play(board, limit, ponder=True)
            assert result.move in board.legal_moves
            board.push(result.move)
            if result.ponder is not None and number % 2 == 0:
                guessed += 1
                board.push(result.ponder)
            else:
                board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
    assert guessed >= 2


def test_python_chess_finds_the_options() -> None:
    with open_client("--engine=s10") as engine:
        options = engine.options
        assert options["Chapter"].default == "s10" and "s05" in options["Chapter"].var
        assert options["Hash"].type == "spin" and options["Hash"].min == 1
        assert options["Clear Hash"].type == "button"
        engine.configure({"Chapter": "s20", "Hash": 2, "Clear Hash": None, "OwnBook": True})
        engine.configure({"Move Overhead": 100, "SyzygyPath": "/no/such/folder"})
        limit = chess.engine.Limit(depth=2)
        first = engine.play(chess.Board(), limit).move
        assert first in chess.Board().legal_moves
        with pytest.raises(chess.engine.EngineError, match="Threads"):
            engine.configure({"Threads": 2})


@pytest.mark.parametrize("chapter", ["s05", "s09", "s13", "s19"])
def test_earlier_chapters_play_too(chapter: str) -> None:
    board = chess.Board(MIDDLEGAME)
    with open_client(f"--engine={chapter}", "--seed=4") as engine:
        for limit in (chess.engine.Limit(time=0.1), chess.engine.Limit(nodes=500)):
            assert engine.play(board, limit).move in board.legal_moves
        with engine.analysis(board) as analysis:
            analysis.get()
        engine.ping()


def test_it_can_be_started_by_its_path_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "utils" / "uci.py"), "--engine=s10"]
    with Program(command, cwd=tmp_path) as program:
        program.say("uci", "isready", "go")
        heard = program.until("bestmove")
        assert "uciok" in heard and "readyok" in heard


# With an adapter that speaks another language to its window.


def test_polyglot_puts_it_behind_an_xboard_window(tmp_path: Path) -> None:
    command = [need("polyglot"), "-noini", "-ec", shlex.join([*COMMAND, "--seed=1"])]
    surroundings = {**os.environ, "HOME": str(tmp_path)}
    with Program(command, cwd=tmp_path, env=surroundings) as program:
        program.say("xboard", "protover 2")
        features = " ".join(program.until("feature done=1"))
        assert 'myname="One Notebook at a Time"' in features
        assert "Chapter -combo" in features and "OwnBook -check 0" in features
        program.say("new", "level 40 0:30 0", "easy", "post", "option OwnBook=1", "ping 1")
        program.until("pong 1")
        board, thoughts = chess.Board(), 0
        for uci in ("e2e4", "g1f3", "f1c4", "b1c3", "d2d3", "h2h3"):
            move = chess.Move.from_uci(uci)
            if move not in board.legal_moves:
                move = next(iter(board.legal_moves))
            board.push(move)
            program.say("time 1000", "otim 1000", f"usermove {move.uci()}")
            heard = program.until("move ")
            thoughts += sum(bool(re.match(r"\s*\d+\s+[-+]?\d+\s+\d+\s+\d+\s", h)) for h in heard)
            reply = chess.Move.from_uci(heard[-1].split()[1])
            assert reply in board.legal_moves
            board.push(reply)
        assert thoughts, "no line of thinking came through"
        program.say("quit")
        program.ends()


# Pipes that close, people who leave.


@pytest.mark.parametrize("last", ["quit", "QUIT is no command\nquit", None])
@pytest.mark.parametrize(
    "go",
    [
        "go infinite",
        "go ponder wtime 1000 btime 1000",
        "setoption name Chapter value s12\ngo movetime 600000",
        "setoption name MultiPV value 5\ngo infinite",
        "isready",
    ],
)
def test_it_ends_at_quit_and_at_the_end_of_the_input(
    program: Program, go: str, last: str | None
) -> None:
    program.say("uci", "isready")
    program.until("readyok")
    program.say(f"position fen {MIDDLEGAME}", go, "isready")
    program.until("readyok")
    if last:
        program.say(last)
    else:
        program.process.stdin.close()
    assert program.ends() == 0
    assert program.errors == []


@posix
def test_it_ends_when_nobody_reads(program: Program) -> None:
    program.say("isready")
    program.until("readyok")
    read, write = os.pipe()
    os.close(read)
    with Program([sys.executable, "-c", NOBODY_READS, str(write)], pass_fds=[write]) as deaf:
        os.close(write)
        deaf.say(f"position fen {MIDDLEGAME}", "go infinite", "isready", "stop", "isready")
        assert deaf.ends() == 0
        assert deaf.errors == []


NOBODY_READS = """
import os, sys
os.dup2(int(sys.argv[1]), 1)
from utils.uci import run
sys.exit(run("s20"))
"""


GUI = """
import subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
engine.stdin.write(b"isready\\ngo infinite\\n")
engine.stdin.flush()
while not engine.stdout.readline().startswith(b"info depth 2"):
    pass
print("thinking", flush=True)
engine.wait()
"""


@posix
def test_it_does_not_outlive_a_window_that_is_killed() -> None:
    with Program([sys.executable, "-c", GUI, *COMMAND]) as window:
        window.until("thinking")
        window.process.send_signal(signal.SIGKILL)
        # The engine shares the window's error output, which closes when both have ended.
        window.ends()
        assert not any(thread.is_alive() for thread in window.threads)
        assert not any("Traceback" in line for line in window.errors)


NOISY = """
import sys, os
import utils.uci, utils.engines
from utils.jupyter_loader import install_import_hook
install_import_hook()
import converted_notebooks.s22_playing as playing
from converted_notebooks.s04_engine_interface import FirstMoveEngine

class Noisy(FirstMoveEngine):
    def play(self, board, limit=None):
        print("bestmove e2e5")
        os.write(1, b"readyok from below\\n")
        sys.stdout.flush()
        return super().play(board, limit)

playing.make_engine = lambda chapter, rng: Noisy()
sys.exit(utils.uci.run("s05"))
"""


def test_what_an_engine_prints_does_not_get_into_the_dialogue() -> None:
    with Program([sys.executable, "-c", NOISY]) as program:
        program.say("position startpos", "go depth 1")
        heard = program.until("bestmove")
        assert [line.split()[0] for line in heard] == ["info", "bestmove"]
        assert chess.Move.from_uci(heard[-1].split()[1]) in chess.Board().legal_moves
        program.say("quit")
        assert program.ends() == 0
        assert "bestmove e2e5" in "".join(program.errors)
        assert "readyok from below" in "".join(program.errors)


@posix
def test_interrupts_end_it_quietly(program: Program) -> None:
    program.say("isready", "go infinite")
    program.until("info depth 2")
    program.process.send_signal(signal.SIGINT)
    assert program.ends() == 0
    assert program.errors == []


# Order of things, with a real thread.


def test_ready_while_thinking_and_exactly_one_answer(program: Program) -> None:
    program.say(f"position fen {MIDDLEGAME}", "go infinite", "isready")
    heard = program.until("readyok")
    assert not any(line.startswith("bestmove") for line in heard)
    program.say("position startpos", "stop", "stop")
    program.until("bestmove")
    program.say("isready")
    assert program.until("readyok") == ["readyok"], "no second bestmove"


def test_a_second_go_ends_the_first(program: Program) -> None:
    program.say("position startpos", "go infinite", f"position fen {BACK_RANK}", "go depth 5")
    first = program.until("bestmove")[-1].split()[1]
    second = program.until("bestmove")[-1].split()[1]
    assert chess.Move.from_uci(first) in chess.Board().legal_moves
    assert second == "d1d8"


def test_settings_before_go_hold_for_it(program: Program) -> None:
    for lines in (4, 1, 3, 2):
        program.say(f"setoption name MultiPV value {lines}", "go depth 2")
        ranks = {
            int(line.split()[line.split().index("multipv") + 1])
            for line in program.until("bestmove")
            if " multipv " in line
        }
        assert ranks == set(range(1, lines + 1))


def test_pondering_waits_and_then_plays(program: Program) -> None:
    go = "go ponder wtime 400 btime 400"
    program.say("position startpos moves e2e4 e7e5", go)
    program.until("info depth 5")  # far longer than the clock would allow
    program.say("isready")
    assert not any(line.startswith("bestmove") for line in program.until("readyok"))
    program.say("ponderhit")
    assert program.until("bestmove")
    # A mate is found at once; the answer waits all the same.
    program.say(f"position fen {BACK_RANK}", go)
    program.until("info depth 1 ")
    program.say("isready")
    assert not any(line.startswith("bestmove") for line in program.until("readyok"))
    program.say("ponderhit")
    assert program.until("bestmove")[-1].startswith("bestmove d1d8")
    program.say(go, "stop")
    program.until("bestmove")


def test_stop_at_any_moment_is_heard() -> None:
    with Program() as program:
        for number in range(150):
            kind = ("infinite", "ponder wtime 9000 btime 9000", "depth 90")[number % 3]
            program.say(f"go {kind}", *(["isready"] * (number % 5)), "stop")
            program.until("bestmove")
        program.say("isready")
        program.until("readyok")


# Junk.

SEEDS = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6",
    f"position fen {MIDDLEGAME}",
    f"position fen {MATE_IN_TWO} moves a1a6",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "go depth 2",
    "go movetime 10",
    "go wtime 100 btime 100 winc 10 binc 10 movestogo 3",
    "go nodes 50 searchmoves e2e4 d2d4",
    "go infinite",
    "go ponder wtime 50",
    "go mate 1",
    "stop",
    "ponderhit",
    "setoption name Hash value 2",
    "setoption name Clear Hash",
    "setoption name MultiPV value 2",
    "setoption name Ponder value true",
    "setoption name OwnBook value false",
    "setoption name SyzygyPath value <empty>",
    "setoption name Move Overhead value 5",
    "debug on",
    "debug off",
    "register later",
    "register name Stefan code 4359874324",
]
WORDS = sorted({word for line in SEEDS for word in line.split()} - {"uci"})
LETTERS = "abcdefgh12345678 \t\0\r/-+.wKQkq%é漢\U0001f600\x1b\u2028"


def mutate(rng: random.Random, line: str) -> str:
    """A line that is a little wrong, or very wrong, or not at all."""
    words = line.split()
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(words) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            words.insert(at, rng.choice(WORDS))
        elif kind == 1 and words:
            del words[at % len(words)]
        elif kind == 2 and words:
            words[at % len(words)] = rng.choice(WORDS)
        elif kind == 3:
            words.insert(at, str(rng.choice([-1, 0, 10**30, "nan", "1e999", 0.5, 2**63])))
        elif kind == 4:
            text = "".join(rng.choice(LETTERS) for _ in range(rng.randrange(12)))
            words.insert(at, text)
        else:
            words = words[at:] + words[:at]
    text = rng.choice([" ", "  ", "\t"]).join(words)
    if rng.random() < 0.1:
        text = "".join(c for c in text if rng.random() > 0.05)
    # What would end the program, or load a chapter that counts for minutes, is left out.
    return re.sub(r"\bquit\b|[\n]", "", text)


def check_lines(said: Sequence[str]) -> None:
    for line in said:
        assert LINE.match(line), line
        assert line.isascii() and line.isprintable() and len(line) < 1000, line


def test_tens_of_thousands_of_lines_of_junk_leave_it_ready() -> None:
    rng, said = random.Random(2022), list[str]()
    protocol = UciProtocol(said.append, FastMind(rng), patience=0.0)
    for number in range(30_000):
        line = mutate(rng, rng.choice(SEEDS))
        before, thought = protocol.board.copy(), protocol.thought
        waiting = thought is not None and not thought.answered
        said.clear()
        protocol.handle(line)
        new = list(said)
        answers = sum(text.startswith("bestmove") for text in new)
        started = protocol.thought is not thought
        still = protocol.thought is not None and not protocol.thought.answered
        assert answers == waiting + started - still, (line, new)
        complaints = [t for t in new if t.startswith("info string position")]
        if complaints:
            assert protocol.board == before, line
        check_lines(new)
        if number % 100 == 99:
            for line in ("stop", "isready", "position startpos moves d2d4", "go depth 1"):
                protocol.handle(line)
            assert "readyok" in said
            board = chess.Board()
            board.push_uci("d2d4")
            move = chess.Move.from_uci(said[-1].split()[1])
            assert said[-1].startswith("bestmove") and move in board.legal_moves


def test_junk_does_not_hurt_the_real_search_either() -> None:
    rng, said = random.Random(7), list[str]()
    protocol = UciProtocol(said.append, PlayingMind(rng), patience=0.02)
    for _ in range(600):
        line = mutate(rng, rng.choice(SEEDS))
        if re.search(r"\bgo\b", line) and not re.search(r"movetime 10\b|nodes 50\b", line):
            line += " nodes 60"
        if "setoption" not in line or "Hash" not in line:
            protocol.handle(line)
        check_lines(said)
        assert not any("failed" in line for line in said), said
        said.clear()
    protocol.handle("setoption name MultiPV value 1")
    protocol.handle("stop")
    protocol.handle(f"position fen {BACK_RANK}")
    protocol.handle("go depth 4")
    assert said[-1].split()[1] == "d1d8"
    assert not any("failed" in line for line in said)


def test_junk_through_a_pipe_leaves_it_ready(program: Program) -> None:
    rng = random.Random(99)
    for round_ in range(6):
        junk = [mutate(rng, rng.choice(SEEDS)) for _ in range(60)]
        junk = [re.sub(r"\bChapter\b", "", line) for line in junk]
        program.say(*junk)
        raw = bytes(rng.randrange(256) for _ in range(300)).replace(b"\n", b" ")
        program.process.stdin.write(raw.replace(b"quit", b"") + b"\r\n" * 3)
        program.say("x" * 100_000, "stop", f"debug {round_}", "isready")
        heard = program.until("readyok")
        program.say("setoption name MultiPV value 1", "debug off", "stop", "ucinewgame")
        program.say("isready", "debug here-i-am")
        heard += program.until("info string debug 'here-i-am'")
        program.say(f"position fen {BACK_RANK}", "go depth 4")
        while not heard[-1].startswith("bestmove d1d8"):
            heard += program.until("bestmove")
        check_lines(heard)
    assert program.errors == []


def test_a_listener_in_another_thread_hears_everything() -> None:
    said: list[str] = []

    def lines() -> Iterator[str]:
        rng = random.Random(5)
        for _ in range(500):
            yield mutate(rng, rng.choice(SEEDS))
        yield "stop"
        yield "isready"

    serve(lines(), lambda text: said.append(text.rstrip("\n")), FastMind(random.Random(1)))
    check_lines(said)
    assert said


def test_an_unreadable_line_is_answered_not_raised() -> None:
    said: list[str] = []
    protocol = UciProtocol(said.append, FastMind(random.Random(1)))
    for line in ("go\x00depth", "position fen " + "8/" * 5000, "setoption name " + "é" * 999):
        protocol.handle(line)
        assert said[-1].startswith("info string") and len(said[-1]) < 400
    protocol.handle("  \t \r\n")
    assert len(said) == 3
    protocol.handle("joho debug on")
    assert protocol.debug
    protocol.handle("joho " * 20_000 + "isready")
    assert said[-1] == "readyok"
