"""What a fresh process compiles: tests of compiled chapters ask here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.loader_tools import SECONDS
from utils.paths import ROOT

_COUNT = """
import json
from converted_notebooks.{chapter} import *
{code}
import converted_notebooks.{chapter} as chapter
from utils.compiler import is_compiled, specialisations
found = {{name: specialisations(value) for name, value in vars(chapter).items()
          if is_compiled(value) and value.__module__ == chapter.__name__}}
print(json.dumps(found))
"""


def compiled_signatures(chapter: str, code: str, folder: Path) -> dict[str, int]:
    """How many signatures of each compiled function of a chapter some calls compile.

    Only a process without files of compiled code can count: one that loads a caller need not
    load what it calls.

    Args:
        chapter: the name of its module, such as "s26_bitboards".
        code: the calls. It has the public names of the chapter, and prints nothing.
        folder: an empty one, for the files.
    """
    pytest.importorskip("numba")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", _COUNT.format(chapter=chapter, code=code)]
    shown = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS
    )
    assert shown.returncode == 0, shown.stderr
    found: dict[str, int] = json.loads(shown.stdout)
    return found
