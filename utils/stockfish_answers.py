"""What Stockfish answers in the chapters: asked where it is installed, stored for other machines.

The answers in data/stockfish/answers.json were stored while the chapters were executed, by
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

ANSWERS = DATA / "stockfish" / "answers.json"


def recorded(name: str, ask: Callable[[str], Any]) -> Any:
    """Stockfish's answer to a question of a chapter.

    Args:
        name: of the question, such as "s25-famous".
        ask: gets the path of the program and returns what JSON can hold.

    Raises:
        KeyError: Stockfish is not installed, and no answer of that name is stored.
    """
    path = find_program("stockfish")
    if path is None:
        stored = _stored()
        if name not in stored:
            raise KeyError(f"no stored answer {name!r}; expected one of {', '.join(stored)}")
        print(f"Stockfish is not installed here. This is what {stored[name]['engine']} answered.")
        return stored[name]["answer"]
    answer = json.loads(json.dumps(ask(path)))
    if os.environ.get("RECORD_STOCKFISH") == "1":
        with chess.engine.SimpleEngine.popen_uci(path) as engine:
            version = engine.id["name"]
        # Chapters are executed side by side: read at the last moment what another has stored.
        stored = _stored() | {name: {"engine": version, "answer": answer}}
        ANSWERS.parent.mkdir(exist_ok=True)
        text = json.dumps(dict(sorted(stored.items())), indent=1, ensure_ascii=False)
        replace_file(ANSWERS, f"{text}\n")
    return answer


def _stored() -> dict[str, Any]:
    """The stored answers by the name of their question, each with the engine's name."""
    return dict(json.loads(ANSWERS.read_text(encoding="utf-8"))) if ANSWERS.exists() else {}
