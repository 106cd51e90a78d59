"""Front ends for tests of a game with a person."""

from __future__ import annotations

from typing import Any

import pytest

from tests.play.front_end import FrontEnd, Make


@pytest.fixture
def front_end(request: pytest.FixtureRequest) -> Make:
    """Makes front ends, whose sessions are closed after the test."""

    def make(*arguments: Any, **options: Any) -> FrontEnd:
        made = FrontEnd(*arguments, **options)
        request.addfinalizer(made.session.close)
        return made

    return make
