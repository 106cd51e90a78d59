"""Answers to the exercises of s90: the solution with one place changed, or all of it."""

SPLIT = """
import string

def chapter_of(file):
    letters = string.ascii_letters + string.digits + "_"
    name, dot, ending = file.partition(".")
    if dot + ending != ".ipynb" or len(name) < 5 or name[0] != "s" or name[3] != "_":
        return None
    if set(name[1:3]) <= set(string.digits) and set(name) <= set(letters):
        return name
"""
BY_INT = """
def chapter_of(file):
    name, dot, ending = file.partition(".")
    rest = name[4:]
    if ending != "ipynb" or not name.isascii() or name[0] != "s" or name[3:4] != "_":
        return None
    try:
        int(name[1:3])
    except ValueError:
        return None
    return name if rest and all(c.isalnum() or c == "_" for c in rest) else None
"""
BY_HAND = """
import json

def write_chapter(path, title, cells):
    made = [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# " + title}]
    for number, (source, tags) in enumerate(cells):
        made.append({
            "cell_type": "code", "id": f"c{number}", "metadata": {"tags": list(tags)},
            "source": source, "outputs": [], "execution_count": None,
        })
    text = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_bytes(json.dumps(text, ensure_ascii=True).encode("utf-8"))
"""
TRIED = """
def convert_if_new(text, cache, convert):
    digest = hashlib.sha256()
    digest.update(text.encode())
    try:
        return cache[digest.hexdigest()]
    except KeyError:
        made = cache[digest.hexdigest()] = convert(text)
        return made
"""
LIBRARY = """
import graphlib

def load_order(imports):
    return list(graphlib.TopologicalSorter(imports).static_order())
"""
ROUNDS = """
def load_order(imports):
    order, waiting = [], dict(imports)
    while waiting:
        ready = [name for name, others in waiting.items() if set(others) <= set(order)]
        if not ready:
            raise ValueError("a circle among " + ", ".join(waiting))
        order += ready
        for name in ready:
            del waiting[name]
    return order
"""
ENDLESS = """
def load_order(imports):
    order = []
    def load(name):
        for other in imports[name]:
            load(other)
        if name not in order:
            order.append(name)
    for name in imports:
        load(name)
    return order
"""
SEEN = """
def load_order(imports):
    order, seen = [], set()
    def load(name):
        if name in seen:
            raise ValueError("circle: " + " ".join(sorted(seen)))
        seen.add(name)
        for other in imports[name]:
            load(other)
        order.append(name)
    for name in imports:
        if name not in order:
            load(name)
    return order
"""
QUIET = """
def load_order(imports):
    order, seen = [], set()
    def load(name):
        if name not in seen:
            seen.add(name)
            for other in imports[name]:
                load(other)
            order.append(name)
    for name in imports:
        load(name)
    return order
"""
INSPECT = """
import importlib.abc

class Texts(importlib.abc.InspectLoader):
    def __init__(self, sources):
        self.sources = sources
    def get_source(self, fullname):
        return self.sources[fullname]

class Finder:
    def __init__(self, sources):
        self.sources = sources
    def find_spec(self, fullname, path=None, target=None):
        if fullname in self.sources:
            return spec_from_loader(fullname, Texts(self.sources), is_package=False)

def finder_for(sources):
    return Finder(sources)
"""
AS_CALLED = """
class Source(Loader):
    def __init__(self, text):
        self.text = text
    def exec_module(self, module):
        exec(self.text, vars(module))

class Finder(MetaPathFinder):
    def __init__(self, sources):
        self.sources = sources
    def find_spec(self, fullname, path, target):
        if fullname in self.sources:
            return spec_from_loader(fullname, Source(self.sources[fullname]))

def finder_for(sources):
    return Finder(sources)
"""
MODULES = """
import sys
import types

class Finder(MetaPathFinder, Loader):
    def __init__(self, sources):
        self.sources = sources
    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self.sources:
            return None
        module = types.ModuleType(fullname)
        exec(self.sources[fullname], vars(module))
        self.module = module
        return spec_from_loader(fullname, self)
    def create_module(self, spec):
        return self.module
    def exec_module(self, module):
        pass

def finder_for(sources):
    return Finder(sources)
"""

RIGHT = [
    ("s90-1", "", SPLIT),
    ("s90-1", r"s\d\d_\w+", r"s[0-9]{2}_[A-Za-z0-9_]+"),
    ("s90-2", "", BY_HAND),
    ("s90-2", "sorted(tags)", "list(tags)"),
    ("s90-3", "", TRIED),
    ("s90-3", 'text.encode("utf-8")', "bytes(text, 'utf-8')"),
    ("s90-4", "", LIBRARY),
    ("s90-4", "", ROUNDS),
    ("s90-5", "", INSPECT),
    ("s90-5", "", AS_CALLED),
    (
        "s90-5",
        "exec(self.sources[module.__name__], vars(module))",
        "exec(compile(self.sources[module.__name__], '<text>', 'exec'), module.__dict__)",
    ),
]
WRONG = [
    ("s90-1", ", re.ASCII", "", "are not in ASCII"),
    ("s90-1", "re.fullmatch", "re.match", "Something follows the ending"),
    ("s90-1", "re.fullmatch", "re.search", "Something"),
    (
        "s90-1",
        'fullmatch(r"(s\\d\\d_\\w+)\\.ipynb"',
        'match(r"(s\\d\\d_\\w+)\\.ipynb$"',
        "a line break; $",
    ),
    ("s90-1", "\\.ipynb", ".ipynb", "in a pattern, a dot alone is any character"),
    ("s90-1", "\\d\\d", "\\d+", "One digit is too few"),
    ("s90-1", "\\w+", "[a-z_]+", "Capitals and digits are allowed"),
    ("s90-1", "\\w+", "[A-z0-9_]+", "A-z is more than"),
    ("s90-1", "", BY_INT, "A sign is no digit"),
    ("s90-1", "\\w+", "\\w*", "nothing after the underscore"),
    ("s90-1", "re.ASCII", "re.ASCII | re.IGNORECASE", "The s must be small"),
    ("s90-1", "found[1]", "found[0]", "Return the name without the ending"),
    ("s90-2", "nbformat.write(notebook, path)", "raise OSError", "your code raised OSError"),
    ("s90-2", "nbformat.write(notebook, path)", "raise SystemExit", "your code raised SystemExit"),
    ("s90-2", "nbformat.write(notebook, path)", "pass", "There is no file at the path"),
    ("s90-2", 'f"# {title}"', "title", "The first cell must be a text cell with"),
    ("s90-2", '{"tags": sorted(tags)}', "{}", "They belong in cell.metadata['tags']"),
    (
        "s90-2",
        '{"tags": sorted(tags)}',
        '{"tags": [tag for tag in sorted(tags) if tag in ("experiment", "exercise", "solution")]}',
        "has the tags",
    ),
    ("s90-2", '"tags": sorted(tags)', '"tags": " ".join(tags)', "nbformat finds no valid notebook"),
    (
        "s90-2",
        "nbformat.write(notebook, path)",
        "path.write_text(str(notebook), encoding='utf-8')",
        "not a valid notebook",
    ),
    ("s90-2", "in cells:", "in reversed(cells):", "in their order"),
    (
        "s90-2",
        "in cells:\n",
        "in cells:\n        notebook.cells.append(nbformat.v4.new_markdown_cell('Next'))\n",
        "code cells only",
    ),
    ("s90-3", "if key not in cache:", "if not cache.get(key):", "An empty result is a result"),
    ("s90-3", "    if key not in cache:\n        ", "    ", "converted twice"),
    (
        "s90-3",
        "    if key not in cache:\n",
        "    if key not in cache:\n        cache.clear()\n",
        "however long ago",
    ),
    ("s90-3", 'hashlib.sha256(text.encode("utf-8")).hexdigest()', "text", "must be the SHA-256"),
    ("s90-3", "hexdigest()", "digest()", "must be the SHA-256"),
    ("s90-3", 'encode("utf-8")', 'encode("latin-1")', "codec can't encode"),
    ("s90-3", "sha256(", "md5(", "must be the SHA-256"),
    ("s90-3", 'encode("utf-8")', 'encode("latin-1", "ignore")', "hash the text in UTF-8"),
    ("s90-3", 'encode("utf-8")', 'encode("ascii", "backslashreplace")', "hash the text in UTF-8"),
    (
        "s90-3",
        'encode("utf-8")',
        'encode("ascii", "ignore")',
        "two different texts were taken for one",
    ),
    (
        "s90-3",
        "        cache[key] = convert(text)\n",
        "        try:\n            cache[key] = convert(text)\n"
        "        except SyntaxError:\n            cache[key] = text\n",
        "must reach the caller",
    ),
    ("s90-4", "", ENDLESS, "calls itself without end"),
    ("s90-4", "", SEEN, "this is no circle"),
    ("s90-4", "", QUIET, "raise a ValueError"),
    ("s90-4", "return order", "return order[::-1]", "comes before it"),
    ("s90-4", "return order", "return sorted(imports)", "comes before it"),
    ("s90-4", "        if name not in order:\n", "        if True:\n", " times in "),
    ("s90-4", "{' → '.join(circle)}", "found", "does not name"),
    (
        "s90-4",
        "for name in imports:\n        load",
        "for name in list(imports)[:1]:\n        load",
        "is missing in",
    ),
    ("s90-5", "if fullname not in self.sources", "if False", "find_spec must return None"),
    (
        "s90-5",
        "        if fullname not in self.sources:\n            return None\n",
        "        self.sources[fullname]\n",
        "return None for it",
    ),
    ("s90-5", ", vars(module))", ", {'__name__': module.__name__})", "The module is empty"),
    ("s90-5", "", MODULES, "To find a module must not execute it"),
    (
        "s90-5",
        "self.sources = sources",
        "self.sources = dict(sources)",
        "After a change of the dictionary",
    ),
    (
        "s90-5",
        "    return SourceFinder(sources)",
        "    import sys\n    finder = SourceFinder(sources)\n    sys.meta_path.append(finder)\n"
        "    return finder",
        "do not put it into sys.meta_path",
    ),
    ("s90-5", "    return SourceFinder(sources)", "    return SourceFinder", "not its class"),
    ("s90-5", "        target: types.ModuleType | None = None,\n", "", "positional arguments"),
    (
        "s90-5",
        "        exec(self.sources[module.__name__], vars(module))",
        "        try:\n            exec(self.sources[module.__name__], vars(module))\n"
        "        except Exception:\n            pass",
        "An error of a module must reach the importer",
    ),
]
