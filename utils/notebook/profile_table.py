"""Profiles of line_profiler as tables: narrow numbers, and code that wraps in its own column."""

from __future__ import annotations

import html
import re
from typing import Any

from IPython.core import page
from IPython.display import display

from utils.figures import Picture

_COLUMNS = ("Line", "Hits", "Time (ms)", "Per hit (µs)", "% Time", "Line Contents")
_HEAD = re.compile(r"^Line # +Hits +Time +Per Hit +% Time +(?=Line Contents$)", re.MULTILINE)
_UNIT = re.compile(r"^Timer unit: (\S+) s$", re.MULTILINE)
_FUNCTION = re.compile(r"^Function: (\S+) at line", re.MULTILINE)
_TOTAL = re.compile(r"^Total time: (\S+) s$", re.MULTILINE)
_DOCSTRING = re.compile(r'^\s*r?"""(?:.*?)"""\n', re.MULTILINE | re.DOTALL)


def show_in_pager(data: Any, start: int = 0, screen_lines: int = 0) -> None:
    """Display what IPython's pager is given below the cell; a profile as a table.

    Args:
        data: a text, or texts by MIME type.
        start: the first line to show.
        screen_lines: of a terminal; not used.
    """
    if isinstance(data, str) and _HEAD.search(data):
        display(profile_table(data))
    else:
        page.display_page(data, start, screen_lines)


def profile_table(text: str) -> Picture:
    """A report of line_profiler as HTML, a table for each function; the text stays beside it."""
    unit = _UNIT.search(text)
    reports = re.split(r"^(?=Total time: )", text, flags=re.MULTILINE)
    seconds = float(unit[1]) if unit else 1.0
    tables = (_table(report, seconds) for report in reports if _HEAD.search(report))
    return Picture("".join(tables), text)


def _table(report: str, unit: float) -> str:
    """The table of one function; `unit` is that of its times, in seconds."""
    head = _HEAD.search(report)
    name, total = _FUNCTION.search(report), _TOTAL.search(report)
    assert head and name and total
    width = head.end() - head.start()
    rows = report[head.end() :].splitlines()[2:]
    parts = [(row[:width].split(), row[width:]) for row in rows if row.strip()]
    indents = [len(code) - len(code.lstrip()) for _, code in parts if code.strip()]
    body = "".join(
        _row(numbers, code[min(indents, default=0) :], unit)
        for numbers, code in _without_docstring(parts)
    )
    titles = "".join(f'<th scope="col">{title}</th>' for title in _COLUMNS)
    caption = f"<code>{html.escape(name[1])}</code>: {float(total[1]):.3f} s"
    return (
        f'<table class="course-table course-profile"><caption>{caption}</caption>'
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
    )


def _without_docstring(parts: list[tuple[list[str], str]]) -> list[tuple[list[str], str]]:
    """The lines of a function without its docstring, which takes no time."""
    text = "".join(f"{code}\n" for _, code in parts)
    reached = next((n for n, (numbers, _) in enumerate(parts) if len(numbers) > 1), len(parts))
    found = _DOCSTRING.search(text)
    first = text.count("\n", 0, found.start()) if found else reached
    if found is None or first >= reached:
        return parts
    return parts[:first] + parts[first + found[0].count("\n") :]


def _row(numbers: list[str], code: str, unit: float) -> str:
    """A line with its numbers, which are absent for a line that was not reached."""
    line, *measured = numbers
    cells = [line, "", "", "", ""]
    if len(measured) == 4:
        hits, spent, each, share = measured
        cells[1:] = [
            hits,
            f"{float(spent) * unit * 1e3:.1f}",
            f"{float(each) * unit * 1e6:.2f}",
            share,
        ]
    figures = "".join(f"<td>{cell}</td>" for cell in cells)
    style = f' style="--share: {cells[4]}%"' if cells[4] else ""
    return f"<tr{style}>{figures}<td><code>{html.escape(code)}</code></td></tr>"
