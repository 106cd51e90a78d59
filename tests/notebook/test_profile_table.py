"""Profiles as tables."""

from __future__ import annotations

import html
import io
import re
from types import SimpleNamespace
from typing import Any

import chess
import pytest
from IPython.core import page
from line_profiler import LineProfiler

from converted_notebooks.s08_evaluation import Evaluator
from converted_notebooks.s10_alpha_beta_engine import AlphaBetaEngine
from utils.figures import Picture
from utils.notebook.profile_table import explain_compiled, profile_table, show_in_pager

REPORT = (
    "Timer unit: 1e-09 s\n\nTotal time: 0.002 s\nFile: x.py\nFunction: f at line 1\n\n"
    "Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
    "==============================================================\n"
    "     1                                           def f(x):\n"
    "     2       100    1500000.0  15000.0     75.0      y = x < 3\n"
    "     3       100     500000.0   5000.0     25.0      return y\n"
)


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
    table = profile_table(REPORT)._repr_html_()
    assert "<caption><code>f</code>: 0.002 s</caption>" in table
    assert (
        '<tr style="--share: 75.0%"><td>2</td><td>100</td><td>1.5</td><td>15.00</td>'
        "<td>75.0</td><td><code>    y = x &lt; 3</code></td></tr>" in table
    )
    assert "<td>1</td><td></td><td></td><td></td><td></td><td><code>def f(x):" in table


@pytest.mark.parametrize("docstring", [['    r"""One', "", '    line."""'], []])
def test_of_all_texts_only_the_docstring_is_left_out(docstring: list[str]) -> None:
    head, measured = REPORT[: REPORT.index("     1  ")], "       100    1500000.0  15000.0    100.0"
    body = ["    print(", '        """', "        a text", '        """', "    )"]
    report = f"{head}     1{' ' * len(measured)}  def f():\n"
    for number, line in enumerate(docstring + body, 2):
        report += f"{number:6}{measured if line == body[0] else ' ' * len(measured)}  {line}\n"
    rows = re.findall(r"<tr.*?</tr>", profile_table(report)._repr_html_())[1:]
    numbers = [int(re.findall(r"<td>(\d+)</td>", row)[0]) for row in rows]
    assert numbers == [1, *range(2 + len(docstring), 7 + len(docstring))]
    assert [html.unescape(row.split("<code>")[1].partition("<")[0]) for row in rows[1:]] == body


def test_a_profile_is_shown_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Picture] = []
    monkeypatch.setattr("utils.notebook.profile_table.display", shown.append)
    monkeypatch.setattr(page, "display_page", None)
    show_in_pager(REPORT)
    assert [picture._repr_html_() for picture in shown] == [profile_table(REPORT)._repr_html_()]


def test_other_texts_are_shown_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr(page, "display_page", lambda data, *_: shown.append(data))
    others = ["Help on Total time: 3 s", {"text/plain": "Line # Hits"}]
    for data in others:
        show_in_pager(data, 0, 25)
    assert shown == others


def test_what_is_not_compiled_is_profiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profiled, ran = list[str](), list[int]()
    magics: dict[str, Any] = {"lprun": profiled.append}
    shell = SimpleNamespace(
        find_line_magic=magics.get,
        register_magic_function=lambda magic, kind, name: magics.update({name: magic}),
        user_ns={"fast": "machine code", "slow": "Python", "ran": ran},
    )
    monkeypatch.setattr(
        "utils.notebook.profile_table.is_compiled", lambda value: value == "machine code"
    )
    for _ in range(2):  # as if the extension was loaded again
        explain_compiled(shell)
    assert magics["lprun"].__wrapped__ == profiled.append
    others = [f"{options}ran.append(1)" for options in ("", "-f slow ", "-f absent ", "-m chess ")]
    for line in (*others, "-f fast -f slow ran.append(1)", "-f slow -f fast ran.append(1)"):
        magics["lprun"](line)
    assert profiled == [*others, *["-f slow ran.append(1)"] * 2] and ran == []
    magics["lprun"]("-f fast ran.append(2)")
    magics["lprun"]("-f fast -m chess ran.append(3)")
    assert profiled[6:] == ["-m chess ran.append(3)"] and ran == [2]
    assert capsys.readouterr().out.count("fast is compiled") == 4
