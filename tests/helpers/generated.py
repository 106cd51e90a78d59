"""How many examples hypothesis generates, for all tests.

Every day the same ones, so that a failure is there again tomorrow. With EXAMPLES=10 in the
environment ten times as many, and others each time: `make test-all EXAMPLES=10`.
"""

from __future__ import annotations

import os

from hypothesis import settings

_FACTOR = int(os.environ.get("EXAMPLES") or 1)

settings.register_profile("everyday", derandomize=True, deadline=None)
settings.register_profile("many", deadline=None, print_blob=True)
settings.load_profile("everyday" if _FACTOR == 1 else "many")


def examples(count: int = 100) -> settings:
    """Settings for a test with so many examples; no example has a time limit."""
    return settings(max_examples=count * _FACTOR)
