"""Optional programs in tests: absent, they skip, or fail where REQUIRE_ALL=1 is set."""

from __future__ import annotations

import os

import pytest

from utils.programs import find_program, missing


def need(name: str) -> str:
    """The path of the program; without it the test is skipped, or fails if all are required."""
    found = find_program(name)
    if found is None:
        if os.environ.get("REQUIRE_ALL") == "1":
            pytest.fail(f"REQUIRE_ALL=1, but {missing(name)}")
        pytest.skip(missing(name))
    return found
