"""Converts a notebook to the source of its module: imports, definitions, assignments.

Cells tagged `experiment`, `exercise` or `solution` and all magics stay out.
Anything else that would run when the module is imported is an error that names
the notebook, the cell and the line.
"""

from __future__ import annotations

import ast
import json
from typing import Any

import nbformat
from IPython.core.inputtransformer2 import TransformerManager
from nbconvert.exporters import PythonExporter
from nbformat.v4.rwbase import rejoin_lines

from utils.notebook.names import CHAPTER_NAME, LEFT_OUT, PACKAGE, NotebookError, first_heading

_ALLOWED: tuple[type[ast.stmt], ...] = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    getattr(ast, "TypeAlias", ast.Assign),  # new in Python 3.12
)
_MAGIC_CALLS = {"run_line_magic", "run_cell_magic", "system", "getoutput", "set_next_input"}
_TEMPLATE = """\
{%- extends 'null.j2' -%}
{%- block header -%}
{{ nb.metadata.module_docstring }}
{% endblock header -%}
{%- block input %}

# %% {{ cell.metadata.origin }}
{{ cell.source }}
{% endblock input -%}
"""


def convert(raw: bytes, origin: str, module: str) -> tuple[str, list[str]]:
    """Convert a notebook to the source of a module.

    Args:
        raw: the notebook file.
        origin: what to call the notebook in messages and comments.
        module: the full name that the module will have.

    Returns:
        The source and the names of the chapters that it imports at the top level.

    Raises:
        NotebookError: the file is no notebook, or holds code that may not run on import.
    """
    notebook = _read(raw, origin, module)
    kept: list[Any] = []
    chapters: dict[str, None] = {}
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code" or LEFT_OUT & set(cell.metadata.get("tags", [])):
            continue
        where = f"{origin}, cell {number}"
        try:
            source, tree = _definitions(cell.source, where)
            for node in tree.body:
                if kept and isinstance(node, ast.ImportFrom) and node.module == "__future__":
                    raise _error(node, "expected imports from __future__ in the first cell.")
        except (RecursionError, MemoryError):  # the second is what the parser raises
            raise NotebookError(
                f"{where}: an expression is nested too deeply for Python; expected a shorter one",
                name=module,
            ) from None
        except (SyntaxError, ValueError) as error:
            raise NotebookError(_describe(where, error), name=module) from error
        if not tree.body:
            continue
        chapters |= dict.fromkeys(_imported_chapters(tree))
        cell.source = source
        cell.metadata["origin"] = where
        kept.append(cell)
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    title = (first_heading(texts) or module).replace("\\", "\\\\").replace('"', '\\"')
    notebook.cells = kept
    notebook.metadata["module_docstring"] = f'"""{title} ({origin})."""'
    body, _ = PythonExporter(raw_template=_TEMPLATE).from_notebook_node(notebook)
    text = body.strip() + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotebookError(f"{origin}, title: {error}", name=module) from error
    return text, list(chapters)


def _read(raw: bytes, origin: str, module: str) -> Any:
    try:
        notebook = nbformat.from_dict(json.loads(raw.decode("utf-8-sig")))
        if notebook["nbformat"] != 4:
            raise ValueError(
                f"format {notebook['nbformat']!r}; expected 4: save it again in JupyterLab"
            )
        nbformat.validate(notebook)
        return rejoin_lines(notebook)
    except Exception as problem:  # nbformat raises many kinds on malformed content
        summary = [*str(problem).strip().splitlines(), ""][0]
        raise NotebookError(
            f"{origin} is not a notebook ({type(problem).__name__}: {summary}); "
            "restore it from version control",
            name=module,
        ) from problem


def _definitions(source: str, where: str) -> tuple[str, ast.Module]:
    """The source of a cell without its magics, and its syntax tree.

    Args:
        source: the cell.
        where: the place of the cell, for Python's warnings.

    Raises:
        SyntaxError: it is not Python, or anything else would run on import.
        ValueError: it holds characters that no Python file may hold.
    """
    if source.lstrip().startswith("%%"):
        return "", ast.Module([], [])
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    # IPython drops blank lines at the top. They are restored, so that line numbers are right.
    blank = source.count("\n", 0, len(source) - len(source.lstrip()))
    lines = ("\n" * blank + TransformerManager().transform_cell(source)).split("\n")
    tree = ast.parse("\n".join(lines), where)
    magics = [node for node in tree.body if _is_magic_statement(node)]
    tree.body = [node for node in tree.body if node not in magics]
    left_out = {
        line for node in magics for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    for node in tree.body:
        text = repr(lines[node.lineno - 1].strip())
        magic = next(filter(_is_magic, ast.walk(node)), None)
        if magic is not None:
            raise _error(
                magic, f"a magic inside {text} has no meaning in a module; expected plain Python."
            )
        if left_out & {node.lineno, node.end_lineno}:
            raise _error(node, f"{text} holds a magic and more; expected lines of their own.")
        if not isinstance(node, _ALLOWED):
            raise _error(
                node,
                f"{text} would run on import; expected only imports, definitions and assignments. "
                "Tag the cell 'experiment' if it is one.",
            )
    padded = ["" if n in left_out else line for n, line in enumerate(lines, start=1)]
    compile("\n".join(padded), where, "exec", dont_inherit=True)
    kept = [line for n, line in enumerate(lines, start=1) if n not in left_out]
    return "\n".join(kept).strip("\n"), tree


def _error(node: ast.AST, problem: str) -> SyntaxError:
    return SyntaxError(problem, (None, getattr(node, "lineno", None), None, None))


def _is_magic_statement(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign) and _is_magic(node.value)


def _is_magic(node: ast.AST | None) -> bool:
    """Whether this is one of the calls into which IPython turns magics."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _MAGIC_CALLS
        and isinstance(node.func.value, ast.Call)
        and isinstance(node.func.value.func, ast.Name)
        and node.func.value.func.id == "get_ipython"
    )


def _describe(where: str, error: SyntaxError | ValueError) -> str:
    if not isinstance(error, SyntaxError):
        return f"{where}: {error}"
    place = f"{where}, line {error.lineno}" if error.lineno else where
    text = (error.text or "").strip()
    return f"{place}: {error.msg}" + (f": {text}" if text else "")


def _imported_chapters(tree: ast.Module) -> list[str]:
    """Chapters imported by the statements of a cell, in order."""
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = PACKAGE if node.level else node.module or ""
            if node.level and node.module:
                base += f".{node.module}"
            names += [f"{base}.{alias.name}" if base == PACKAGE else base for alias in node.names]
    tails = (name.removeprefix(f"{PACKAGE}.") for name in names if name.startswith(f"{PACKAGE}."))
    return [tail for tail in tails if CHAPTER_NAME.fullmatch(tail)]
