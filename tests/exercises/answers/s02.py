"""Answers to the exercises of s02: the solution with one place changed, or all of it."""

MEMORY = """
def value_of(name, cells, order):
    memory = {"kept": []}
    exec("\\n".join(cells[number - 1] for number in order), memory)
    return eval(name, memory)
"""
GLOBAL = """
MEMORY = {}

def value_of(name, cells, order):
    for number in order:
        exec(cells[number - 1], MEMORY)
    if name not in MEMORY:
        raise NameError(name)
    return MEMORY[name]
"""
REMOVED = """
def stays(cells):
    def left(source):
        if source.strip().startswith("%%"):
            return ""
        return "".join(l for l in source.splitlines() if l.lstrip()[:1] != "%").strip()
    tags = ("experiment", "exercise", "solution")
    return [s for s, given in cells if left(s) and not any(tag in given for tag in tags)]
"""
NAMED = """
def first_offender(cells):
    good = "Import ImportFrom FunctionDef AsyncFunctionDef ClassDef Assign AnnAssign AugAssign"
    for index in range(len(cells)):
        for node in ast.parse(cells[index]).body:
            if type(node).__name__ not in good.split():
                return index + 1
"""
BY_TREE = """
import ast

def first_offender(cells):
    for number, source in enumerate(cells, start=1):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Expr, ast.For, ast.If, ast.Assert, ast.With, ast.Try)):
                return number
    return None
"""
ON_IMPORT = """
import ast

def first_offender(cells):
    for number, source in enumerate(cells, start=1):
        if any(isinstance(node, ast.Expr) for node in ast.parse(source).body):
            return number
    return None
"""
KEYS = '''
def untangled():
    return {
        "s70_values": "VALUES = dict(pawn=1, knight=3, bishop=3, rook=5, queen=9)",
        "s71_names": """
from converted_notebooks.s70_values import VALUES

NAMES = tuple(VALUES)


def worth(name):
    return VALUES[name]
""",
    }
'''
THIRD = '''
def untangled():
    return {
        "s69_pieces": 'NAMES = tuple("pawn knight bishop rook queen".split())',
        "s70_values": """
from converted_notebooks import s69_pieces

VALUES = {name: value for name, value in zip(s69_pieces.NAMES, (1, 3, 3, 5, 9))}
""",
        "s71_names": """
from converted_notebooks.s69_pieces import NAMES
import converted_notebooks.s70_values as values

worth = values.VALUES.get
""",
    }
'''
LATE = '''
def untangled():
    return {
        "s70_values": """
def __getattr__(name):
    from converted_notebooks.s71_names import NAMES
    return dict(zip(NAMES, (1, 3, 3, 5, 9)))
""",
        "s71_names": CIRCLE["s71_names"],
    }
'''

RIGHT = [
    ("s02-1", "", MEMORY),
    (
        "s02-1",
        'if name not in memory:\n        raise NameError(f"{name!r} has no value")\n    '
        "return memory[name]",
        "return eval(name, memory)",
    ),
    ("s02-2", "", REMOVED),
    ("s02-2", "tags.isdisjoint(LEFT_OUT)", "not (tags & {*LEFT_OUT})"),
    ("s02-3", "", "import ast\n" + NAMED),
    (
        "s02-3",
        "not all(\n            isinstance(node, ALLOWED)",
        "any(\n            not isinstance(node, ALLOWED)",
    ),
    ("s02-4", "", KEYS),
    ("s02-4", "", THIRD),
    (
        "s02-4",
        '"from converted_notebooks.s70_values import NAMES, VALUES\\n\\n\\n"',
        '"from converted_notebooks.s70_values import NAMES, VALUES  # of a knight, too\\n\\n\\n"',
    ),
]
WRONG = [
    (
        "s02-1",
        "memory: dict[str, object] = {}",
        "memory = dict(globals())",
        "nothing of your notebook",
    ),
    ("s02-2", "if line and", 'if line and line[0] != "#" and', "A comment counts as something"),
    ("s02-2", "kept.append(source)", "kept.append(source.strip())", "a text stays as it is"),
    (
        "s02-2",
        'source.lstrip().startswith("%%")',
        'any(line.startswith("%%") for line in lines)',
        "the first line that is not blank",
    ),
    (
        "s02-2",
        'source.lstrip().startswith("%%")',
        'source.lstrip("\\n").startswith("%%")',
        "Blank lines before %%",
    ),
    (
        "s02-3",
        "",
        """
import ast
OK = ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
def first_offender(cells):
    for number, source in enumerate(cells, 1):
        last = ast.parse(source).body[-1:]
        if not all(isinstance(s, (*OK, ast.Assign, ast.AnnAssign, ast.AugAssign)) for s in last):
            return number
""",
        "not only at the last",
    ),
    (
        "s02-1",
        "cells[number - 1], memory",
        "cells[number - 1], {}",
        "memory in which the cells were run",
    ),
    ("s02-1", "cells[number - 1]", "cells[number]", "The first cell has the number 1"),
    ("s02-1", "in order:", "in sorted(set(order)):", "run twice counts twice"),
    ("s02-1", "in order:", "in sorted(order):", "in the given order"),
    ("s02-1", "memory)", "{}, memory)", "Functions must see the names"),
    ("s02-1", "", GLOBAL, "Each call begins with an empty memory"),
    (
        "s02-1",
        'if name not in memory:\n        raise NameError(f"{name!r} has no value")\n    ',
        "",
        "not a KeyError",
    ),
    (
        "s02-1",
        'if name not in memory:\n        raise NameError(f"{name!r} has no value")\n    '
        "return memory[name]",
        "return memory.get(name)",
        "do not return None",
    ),
    (
        "s02-1",
        "if name not in memory:",
        "if memory.get(name) is None:",
        "None is a value, too",
    ),
    ("s02-2", " and not whole", "", "begins with %% is a magic as a whole"),
    ("s02-2", 'line and not line.startswith("%")', "line", "only a magic leaves nothing"),
    ("s02-2", 'not line.startswith("%")', '"%" not in line', "Not every % is a magic"),
    ("s02-2", "tags.isdisjoint(LEFT_OUT)", "not tags", "'hide-input' does not matter"),
    (
        "s02-2",
        "tags.isdisjoint(LEFT_OUT)",
        "not any(out in tag for tag in tags for out in LEFT_OUT)",
        "not one of the three",
    ),
    ("s02-2", "tags.isdisjoint(LEFT_OUT)", "'experiment' not in tags", "An exercise stays out"),
    ("s02-2", "return kept", "return sorted(kept)", "in their order"),
    ("s02-2", "return kept", "cells.clear()\n    return kept", "as they are"),
    ("s02-2", "        if code", "        tags &= {*LEFT_OUT}\n        if code", "as they are"),
    ("s02-2", "return kept", "return [*dict.fromkeys(kept)]", "Equal cells are two cells"),
    ("s02-2", "if code and", "if not source.startswith('%') and", "A magic and an assignment"),
    ("s02-3", "start=1", "start=0", "Count the cells from 1"),
    ("s02-3", "ast.parse(source).body\n", "ast.parse(source).body[:1]\n", "every statement"),
    ("s02-3", ", ast.AugAssign", "", "with +=, are allowed"),
    ("s02-3", ", ast.AsyncFunctionDef", "", "A function with async"),
    ("s02-3", "ast.parse(source).body\n", "ast.walk(ast.parse(source))\n", "is in order"),
    ("s02-3", "", BY_TREE, "runs when it is called"),
    ("s02-3", "", ON_IMPORT, "A loop would run"),
    (
        "s02-3",
        "in enumerate(cells, start=1)",
        "in [*enumerate(cells, start=1)][::-1]",
        "the first one is cell 1; you return 2",
    ),
    ("s02-4", "", "def untangled():\n    return CIRCLE", "only chapters with a smaller number"),
    ("s02-4", "", LATE, "only chapters with a smaller number"),
    (
        "s02-4",
        "from converted_notebooks.s70_values import NAMES, VALUES",
        "from converted_notebooks import s72_late",
        "only chapters with a smaller number",
    ),
    (
        "s02-4",
        "from converted_notebooks.s70_values import NAMES, VALUES",
        "from converted_notebooks.s69_pieces import NAMES, VALUES",
        "which is not in the dictionary",
    ),
    ("s02-4", "import NAMES, VALUES", "import VALUES", "NAMES is no longer found in s71_names"),
    ("s02-4", "import NAMES, VALUES", "import NAMES", "VALUES' is not defined"),
    (
        "s02-4",
        '"from converted_notebooks.s70_values import NAMES, VALUES\\n\\n\\n"',
        '"from converted_notebooks.s70_values import VALUES\\n"\n            '
        '\'NAMES = ("pawn", "knight", "bishop", "rook", "queen")\\n\'',
        "written 2 times",
    ),
    (
        "s02-4",
        'VALUES = dict(zip(NAMES, (1, 3, 3, 5, 9)))\\n"',
        'VALUES = {}\\nfor n, v in zip(NAMES, (1, 3, 3, 5, 9)):\\n    VALUES[n] = v\\n"',
        "would run on import",
    ),
    (
        "s02-3",
        "",
        "import ast\n"
        + NAMED.replace(
            "type(node).__name__", 'type(node).__name__.replace("AsyncWith", "Assign")'
        ),
        "A with would run, with async",
    ),
    (
        "s02-4",
        "VALUES = dict(zip(NAMES, (1, 3, 3, 5, 9)))",
        "VALUES = {}",
        "After the import of s70_values alone",
    ),
]
