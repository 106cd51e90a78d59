"""Front ends that are closed after the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.play.front_end import FrontEnd


@pytest.fixture
def front_end() -> Iterator[Callable[..., FrontEnd]]:
    """Makes front ends with the arguments of a session."""
    with ExitStack() as stack:

        def make(*arguments: Any, **options: Any) -> FrontEnd:
            made = FrontEnd(*arguments, **options)
            stack.callback(made.session.close)
            return made

        yield make
