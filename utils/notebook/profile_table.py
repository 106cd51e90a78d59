"""Profiles of line_profiler as tables in HTML, in which long lines of code wrap."""

from __future__ import annotations

import functools
import html
import re
from typing import Any

from IPython.core import page
from IPython.display import display

from utils.compiler import is_compiled
from utils.figures import Picture
from utils.notebook.pyodide import profiled_statement

_COLUMNS = ("Line", "Hits", "Time (ms)", "Per hit (µs)", "% Time", "Line Contents")
_HEAD = re.compile(r"^Line # +Hits +Time +Per Hit +% Time +(?=Line Contents$)", re.MULTILINE)
_UNIT = re.compile(r"^Timer unit: (\S+) s$", re.MULTILINE)
_FUNCTION = re.compile(r"^Function: (\S+) at line", re.MULTILINE)
_TOTAL = re.compile(r"^Total time: (\S+) s$", re.MULTILINE)
_DOCSTRING = re.compile(r'^\s*r?""".*?"""\n', re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"-f\s+(\S+)\s+")


def explain_compiled(shell: Any) -> None:
    """Let `%lprun` explain why a compiled function has no profile, instead of an empty table."""
    profile = shell.find_line_magic("lprun")
    profile = getattr(profile, "__wrapped__", profile)  # when the extension is loaded again

    def lprun(line: str) -> Any:
        options = line[: len(line) - len(profiled_statement(line))]
        for option in _OPTION.finditer(options):
            if is_compiled(_value(option[1], shell.user_ns)):
                options = options.replace(option[0], "", 1)
                print(
                    f"{option[1]} is compiled, so that no line of it can be timed. Time a call "
                    f"with %timeit, count what it does, or profile plain({option[1]})."
                )
        statement = profiled_statement(line)
        if line != options + statement and not re.search(r"(^|\s)-[fm]", options):
            exec(statement, shell.user_ns)
            return None
        return profile(options + statement)

    functools.update_wrapper(lprun, profile)
    shell.register_magic_function(lprun, "line", "lprun")


def _value(expression: str, names: dict[str, Any]) -> Any:
    """The value of an expression; None if it raises an error."""
    try:
        return eval(expression, names)
    except Exception:
        return None  # %lprun itself reports the error


def show_in_pager(data: Any, start: int = 0, screen_lines: int = 0) -> None:
    """Display the content of IPython's pager below the cell; a profile as a table.

    Args:
        data: a text, or texts by MIME type.
        screen_lines: the height of a terminal; not used.
    """
    if isinstance(data, str) and _HEAD.search(data):
        display(profile_table(data))
    else:
        page.display_page(data, start, screen_lines)


def profile_table(text: str) -> Picture:
    """A report of line_profiler as HTML, a table for each function; as text, it is unchanged."""
    unit = _UNIT.search(text)
    reports = re.split(r"^(?=Total time: )", text, flags=re.MULTILINE)
    seconds = float(unit[1]) if unit else 1.0
    tables = (_table(report, seconds) for report in reports if _HEAD.search(report))
    return Picture("".join(tables), text)


def _table(report: str, unit: float) -> str:
    """The table of one function; `unit` is the unit of its times, in seconds."""
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
    """A row for a line of code; a line that was not reached has only its number."""
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
