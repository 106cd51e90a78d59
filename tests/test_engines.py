"""Engines by what a user types: a program's path, its arguments, its options."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import chess
import chess.engine
import chess.pgn
import pytest

from tests.helpers.programs import DUMMY, posix
from utils.engines import make_player


@posix
def test_a_program_with_a_question_mark_in_its_path_can_play(tmp_path: Path) -> None:
    path = tmp_path / "what?" / "engine?x"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {DUMMY} "$@"\n')
    path.chmod(0o755)
    for spec in (str(path), f"{path}?UCI_Elo=1500&Trick=none"):
        player = make_player(spec)
        assert player.play(chess.Board(), chess.engine.Limit(depth=1)).move is not None
        player.close()


def test_a_command_on_windows_may_have_backslashes_and_quoted_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = list[Sequence[str]]()
    monkeypatch.setattr("utils.engines.os", SimpleNamespace(name="nt", path=os.path))
    monkeypatch.setattr("utils.engines.shutil.which", lambda word: word)
    monkeypatch.setattr("utils.uci_engine.UciEngine", lambda words, _: given.append(words))
    make_player(r'"C:\my engines\ben.exe" --name="Big Ben" C:\books\b.bin')
    assert given == [[r"C:\my engines\ben.exe", "--name=Big Ben", r"C:\books\b.bin"]]
