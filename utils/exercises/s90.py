"""Checks of chapter s90, notebooks as modules."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.abc import MetaPathFinder
from pathlib import Path

import converted_notebooks
from utils.exercises import Hint, exercise, require
from utils.jupyter_loader import PACKAGE, JupyterLoader, install_import_hook


@contextlib.contextmanager
def _course() -> Iterator[JupyterLoader]:
    """An empty course in a temporary folder, from which chapters are imported for a while."""
    hook = install_import_hook()
    usual = hook.loader
    known = {name: sys.modules[name] for name in list(sys.modules) if name.startswith(PACKAGE)}
    with tempfile.TemporaryDirectory() as folder:
        loader = JupyterLoader(Path(folder, "notebooks"), Path(folder, PACKAGE))
        loader.notebooks.mkdir()
        hook.loader = loader
        for name in known.keys() - {PACKAGE}:
            del sys.modules[name]
        try:
            yield loader
        finally:
            hook.loader = usual
            for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
                del sys.modules[name]
                vars(converted_notebooks).pop(name.rpartition(".")[2], None)
            for name, module in known.items():
                sys.modules[name] = module
                if name != PACKAGE:
                    setattr(converted_notebooks, name.rpartition(".")[2], module)


@exercise("s90-1")
def chapter_of(answer: Callable[[str], str | None]) -> None:
    fine = {
        "s77_my_idea": "",
        "s05_random_engine": "",
        "s00_x": "One letter after the underscore is enough.",
        "s10_Alpha_2": "Capitals and digits are allowed after the underscore.",
        "s10__": "Underscores are allowed after the first one.",
    }
    for name, hint in fine.items():
        said = answer(f"{name}.ipynb")
        require(
            said != f"{name}.ipynb", f"Return the name without the ending: {name!r}, not {said!r}."
        )
        require(said == name, f"{name}.ipynb is a chapter, and you return {said!r}. {hint}")
    bad = {
        "TEMPLATE.ipynb": "It does not begin with s and two digits.",
        "s5_short.ipynb": "One digit is too few.",
        "s105_long.ipynb": "Three digits are too many.",
        "S05_random.ipynb": "The s must be small.",
        "s05.ipynb": "The underscore is missing.",
        "s05_.ipynb": "There is nothing after the underscore.",
        "s05_random_engine-Copy1.ipynb": "A hyphen is not allowed.",
        "s05_a.b.ipynb": "A dot is not allowed in the name.",
        "s05_my idea.ipynb": "A space is not allowed in the name.",
        "s05_a+b.ipynb": "Only letters, digits and underscores are allowed.",
        "s05_a^b.ipynb": "A ^ is not allowed; in a pattern, A-z is more than A-Z and a-z.",
        "s-5_random.ipynb": "A sign is no digit, though int takes it.",
        "s05_random.py": "The ending is not .ipynb.",
        "s05_random_ipynb": "The ending needs its dot: in a pattern, a dot alone is any character.",
        "s05_random.ipynb.bak": "Something follows the ending: match the whole of the name.",
        "s05_random.ipynb\n": "Something follows the ending, a line break; $ lets it pass.",
        "my_s05_random.ipynb": "Something stands before the s: match the whole of the name.",
        "s05_größe.ipynb": "The ö and the ß are not in ASCII.",
        "s٠٥_random.ipynb": "These digits are not in ASCII.",
    }
    for file, hint in bad.items():
        said = answer(file)
        require(said is None, f"{file!r} is no chapter, and you return {said!r}. {hint}")


@exercise("s90-2")
def write_chapter(answer: Callable[[Path, str, list[tuple[str, set[str]]]], None]) -> None:
    import nbformat  # which a browser has not, and the other checks need not

    title = "Läufer und Türme"
    cells: list[tuple[str, set[str]]] = [
        ("%load_ext utils.notebook", {"remove-cell"}),
        ("KÖNIG = 'k'", set()),
        ("print(KÖNIG)", {"experiment"}),
        ("def twice(x):\n    return 2 * x", {"hide-input"}),
        ("raise ValueError", {"exercise", "remove-output"}),
    ]
    with _course() as loader:
        path = loader.notebook("s70_written")
        try:
            answer(path, title, list(cells))
        except nbformat.ValidationError as error:
            raise Hint(f"nbformat finds no valid notebook: {str(error).splitlines()[0]}") from error
        require(path.is_file(), "There is no file at the path.")
        try:
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
        except Exception as error:
            raise Hint(f"The file is not a valid notebook: {str(error).splitlines()[0]}") from error
        top = notebook.cells[0] if notebook.cells else None
        require(
            top is not None and top.cell_type == "markdown" and top.source.strip() == f"# {title}",
            f"The first cell must be a text cell with '# {title}'.",
        )
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        require(len(code) == len(notebook.cells) - 1, "After the heading, write code cells only.")
        words = "The code cells are not those that were given, in their order."
        require([cell.source for cell in code] == [source for source, _ in cells], words)
        for cell, (source, tags) in zip(code, cells, strict=True):
            written = cell.metadata.get("tags", [])
            require(
                set(written) == tags,
                f"The cell {source!r} has the tags {written}, not {sorted(tags)}. "
                "They belong in cell.metadata['tags'].",
            )
        try:
            loader.load_all()
            module = importlib.import_module(f"{PACKAGE}.s70_written")
        except ImportError as error:
            raise Hint(f"The loader says: {error}") from error
        require(title in (module.__doc__ or ""), "The title does not arrive in the module.")
        hint = "The definitions do not arrive in the module."
        require(module.twice(4) == 8 and module.KÖNIG == "k", hint)


@exercise("s90-3")
def convert_if_new(answer: Callable[[str, dict[str, str], Callable[[str], str]], str]) -> None:
    seen: list[str] = []

    def convert(text: str) -> str:
        seen.append(text)
        if text == "broken":
            raise SyntaxError("broken")
        return text.strip().upper()

    cache: dict[str, str] = {}
    require(answer("a", cache, convert) == "A", "A new text must be converted.")
    require(answer("a", cache, convert) == "A", "The second time the result must be the same.")
    require(seen == ["a"], "The same text was converted twice.")
    require(answer("b", cache, convert) == "B", "A changed text must be converted again.")
    require(answer("a", cache, convert) == "A", "Back to an earlier text: its result is wrong.")
    require(seen == ["a", "b"], "A text that was seen before, however long ago, is not new.")
    require(answer(" ", cache, convert) == "", "A blank text converts to an empty one.")
    answer(" ", cache, convert)
    require(seen.count(" ") == 1, "An empty result is a result, too; it was made twice.")
    before = dict(cache)
    for _ in range(2):
        try:
            answer("broken", cache, convert)
        except SyntaxError:
            require(cache == before, "After an error of convert nothing goes into the cache.")
            continue
        raise Hint("An error of convert must reach the caller.")
    require(seen.count("broken") == 2, "After an error the text must be tried again.")
    expected = {hashlib.sha256(text.encode("utf-8")).hexdigest() for text in ("a", "b", " ")}
    require(
        set(cache) == expected,
        "The keys of the cache must be the SHA-256 hashes of the texts before their conversion "
        "(hexdigest), and of nothing else.",
    )
    require(answer("a", {}, convert) == "A" and seen[-1] == "a", "An empty cache knows nothing.")
    hint = "Letters and signs beyond ASCII must work: hash the text in UTF-8."
    require(answer("König ♔", cache, convert) == "KÖNIG ♔", hint)
    hint = "Letters beyond ASCII count: two different texts were taken for one."
    require(answer("Kænig ♕", cache, convert) == "KÆNIG ♕", hint)
    expected |= {hashlib.sha256(text.encode()).hexdigest() for text in ("König ♔", "Kænig ♕")}
    require(set(cache) == expected, "Beyond ASCII your keys are others: hash the text in UTF-8.")


@exercise("s90-4")
def load_order(answer: Callable[[dict[str, list[str]]], list[str]]) -> None:
    graphs: dict[str, dict[str, list[str]]] = {
        "no chapters": {},
        "one chapter": {"a": []},
        "a chain": {"a": [], "b": ["a"], "c": ["b"]},
        "a chain backwards": {"a": ["b"], "b": ["c"], "c": []},
        "a chapter that imports two": {"c": ["a", "b"], "a": [], "b": []},
        "two ways to one chapter": {"d": ["b", "c"], "c": ["a"], "b": ["a"], "a": []},
        "a long way and a short one": {"d": ["a", "c"], "c": ["b"], "b": ["a"], "a": []},
        "an import that is written twice": {"b": ["a", "a"], "a": []},
        "two courses": {"b": ["a"], "a": [], "y": ["z"], "z": []},
    }
    for words, imports in graphs.items():
        try:
            said = answer({name: [*others] for name, others in imports.items()})
        except ValueError as error:
            raise Hint(f"{words}, {imports}: this is no circle, and you say: {error}") from None
        except RecursionError:
            raise Hint(f"{words}, {imports}: your function calls itself without end.") from None
        require(isinstance(said, list), f"Return a list of names, not {said!r}.")
        for name in imports:
            times = said.count(name)
            require(times > 0, f"{words}, {imports}: {name} is missing in {said}.")
            require(times == 1, f"{words}, {imports}: {name} is {times} times in {said}.")
        require(len(said) == len(imports), f"{words}: {said} has names that are no chapters.")
        for name, others in imports.items():
            for other in others:
                require(
                    said.index(other) < said.index(name),
                    f"{words}, {imports}: {name} imports {other}, and comes before it in {said}.",
                )
    circles: dict[str, dict[str, list[str]]] = {
        "s71 s72": {"s71": ["s72"], "s72": ["s71"]},
        "s71": {"s71": ["s71"]},
        "s72 s73 s74": {"s71": [], "s72": ["s71", "s73"], "s73": ["s74"], "s74": ["s72"]},
        "s75 s76 s77": {"s75": ["s76"], "s76": ["s77"], "s77": ["s75"], "s78": ["s75"]},
    }
    for names, imports in circles.items():
        try:
            said = answer({name: [*others] for name, others in imports.items()})
        except ValueError as error:
            absent = [name for name in names.split() if name not in str(error)]
            require(not absent, f"{imports}: the error {str(error)!r} does not name {absent}.")
        except RecursionError:
            raise Hint(
                f"{imports} is a circle, and your function calls itself without end. Remember "
                "the way that led to a chapter."
            ) from None
        else:
            raise Hint(f"{imports} is a circle: raise a ValueError, do not return {said}.")


@exercise("s90-5")
def finder_for(answer: Callable[[dict[str, str]], MetaPathFinder]) -> None:
    sources = {
        "course_test_values": (
            "QUEEN = 9\n__import__('builtins').course_test_runs.append(__name__)\n"
        ),
        "course_test_worth": (
            "from course_test_values import QUEEN\n\n"
            "def worth(queens):\n    return QUEEN * queens\n"
        ),
        "course_test_broken": "HALF = 1\nraise OSError('broken on purpose')\n",
    }
    runs: list[str] = []
    builtins, before = sys.modules["builtins"], list(sys.meta_path)
    finder = answer(sources)
    vars(builtins)["course_test_runs"] = runs
    try:
        _check_finder(finder, sources, runs)
    finally:
        sys.meta_path[:] = before
        del vars(builtins)["course_test_runs"]
        for name in sources:
            sys.modules.pop(name, None)


def _check_finder(finder: MetaPathFinder, sources: dict[str, str], runs: list[str]) -> None:
    require(finder not in sys.meta_path, "Return the finder; do not put it into sys.meta_path.")
    require(not isinstance(finder, type), "Return a finder, not its class.")
    require(hasattr(finder, "find_spec"), "A finder has a method find_spec.")
    for other in ("json", "course_test", "course_test_values.inner", "os.path"):
        try:
            spec = finder.find_spec(other, None, None)  # as Python calls it
        except KeyError:
            raise Hint(f"find_spec({other!r}) raises KeyError; return None for it.") from None
        require(spec is None, f"{other!r} is not in the dictionary: find_spec must return None.")
    sys.meta_path.insert(0, finder)
    found = importlib.util.find_spec("course_test_values")
    require(found is not None, "find_spec does not find course_test_values.")
    require(runs == [], "To find a module must not execute it: that is for exec_module.")
    require("course_test_values" not in sys.modules, "To find a module must not import it.")
    try:
        values = importlib.import_module("course_test_values")
        require(
            hasattr(values, "QUEEN"),
            "The module is empty: exec_module must run the source with vars(module) as its names.",
        )
        worth = importlib.import_module("course_test_worth")
    except ImportError as error:
        raise Hint(f"Python cannot import the modules: {error}") from None
    require(values.__name__ == "course_test_values", f"The module is named {values.__name__!r}.")
    require(worth.worth(2) == 18, f"worth(2) is 18 in course_test_worth, not {worth.worth(2)}.")
    require(runs == ["course_test_values"], f"Execute a module once, not {len(runs)} times.")
    try:
        importlib.import_module("course_test_broken")
    except OSError:
        pass
    except Exception as error:
        raise Hint(f"An error of a module must reach the importer, not {error!r}.") from None
    else:
        raise Hint("An error of a module must reach the importer.")
    require("course_test_broken" not in sys.modules, "A failed import leaves a half-made module.")
    del sys.modules["course_test_values"]
    sources["course_test_values"] = "QUEEN = 11\n"
    later = importlib.import_module("course_test_values")
    require(
        later.QUEEN == 11, "After a change of the dictionary, a new import must get the new source."
    )
    for name, text in (("course_test_later", "ROOK = 5\n"), ("course_test_empty", "")):
        sources[name] = text
        require(
            finder.find_spec(name, None, None) is not None,
            f"{name} came into the dictionary after the finder was made, with the source {text!r}: "
            "look at each import whether a name is *in* the dictionary.",
        )
