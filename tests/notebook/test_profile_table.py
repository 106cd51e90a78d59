"""Profiles as tables."""

from __future__ import annotations

import io
import re
from typing import Any

import chess
import pytest
from IPython.core import page
from line_profiler import LineProfiler

from converted_notebooks.s08_evaluation import Evaluator
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from utils.notebook.profile_table import profile_table, show_in_pager


def profile() -> str:
    engine = AlphaBetaEngine(Evaluator(), 2)
    profiler: Any = LineProfiler()
    for function in (AlphaBetaEngine._value, AlphaBetaEngine.analyse):
        profiler.add_function(function)
    profiler.runcall(engine.analyse, chess.Board())
    report = io.StringIO()
    profiler.print_stats(report)
    return report.getvalue()


def test_a_table_has_the_numbers_and_the_code_of_the_report_without_the_docstring() -> None:
    text = profile()
    tables = profile_table(text)._repr_html_().split("</table>")[:-1]
    assert len(tables) == text.count("Total time") == 2
    assert repr(profile_table(text)) == text
    value = next(table for table in tables if "AlphaBetaEngine._value" in table)
    rows = re.findall(r"<tr.*?</tr>", value)[1:]
    assert not any("Args:" in row or '"""' in row for row in rows)
    code = [re.sub(r"<[^>]*>", "", row.rpartition("<td>")[2]) for row in rows]
    assert code[0].startswith("def _value(") and code[-1].strip() == "return best"


def test_shares_are_drawn_and_times_have_units() -> None:
    text = (
        "Timer unit: 1e-09 s\n\nTotal time: 0.002 s\nFile: x.py\nFunction: f at line 1\n\n"
        "Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
        "==============================================================\n"
        "     1                                           def f(x):\n"
        "     2       100    1500000.0  15000.0     75.0      y = x < 3\n"
        "     3       100     500000.0   5000.0     25.0      return y\n"
    )
    table = profile_table(text)._repr_html_()
    assert "<caption><code>f</code>: 0.002 s</caption>" in table
    assert (
        '<tr style="--share: 75.0%"><td>2</td><td>100</td><td>1.5</td><td>15.00</td>'
        "<td>75.0</td><td><code>    y = x &lt; 3</code></td></tr>" in table
    )
    assert "<td>1</td><td></td><td></td><td></td><td></td><td><code>def f(x):" in table


def test_other_texts_are_shown_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr(page, "display_page", lambda data, *_: shown.append(data))
    others = ["Help on Total time: 3 s", {"text/plain": "Line # Hits"}]
    for data in others:
        show_in_pager(data, 0, 25)
    assert shown == others
