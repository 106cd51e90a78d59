"""Answers of Stockfish in the chapters: from the program if it is installed, else stored ones.

The answers in data/stockfish were stored while the chapters were executed, by
`RECORD_STOCKFISH=1 make book`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import chess.engine

from utils.atomic_files import replace_file
from utils.external_programs import find_program
from utils.paths import DATA

ANSWERS = DATA / "stockfish"
"""A file for each question: the program's name, and its answer."""


def recorded(name: str, ask: Callable[[str], Any]) -> Any:
    """Stockfish's answer to a question of a chapter.

    Args:
        name: of the question, such as "s25-famous".
        ask: gets the path of the program and returns what JSON can hold.

    Raises:
        KeyError: Stockfish is not installed, and no answer of that name is stored.
    """
    path, file = find_program("stockfish"), ANSWERS / f"{name}.json"
    if path is None:
        if not file.exists():
            known = ", ".join(sorted(one.stem for one in ANSWERS.glob("*.json")))
            raise KeyError(f"no stored answer {name!r}; expected one of {known}")
        stored = json.loads(file.read_text(encoding="utf-8"))
        print(f"Stockfish is not installed here. This is what {stored['engine']} answered.")
        return stored["answer"]
    answer = json.loads(json.dumps(ask(path)))
    if os.environ.get("RECORD_STOCKFISH") == "1":
        with chess.engine.SimpleEngine.popen_uci(path) as engine:
            stored = {"engine": engine.id["name"], "answer": answer}
        ANSWERS.mkdir(exist_ok=True)
        replace_file(file, json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
    return answer
