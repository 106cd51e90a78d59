"""One chapter alone: `make new`, `make test` and `make preview` with CHAPTER=s14.

A chapter of a reader's own need not be in the book's table of contents.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer
import yaml

from book.builder.build import TARGET, execute, render, stage, staged
from utils import chapters
from utils.atomic_files import write_if_changed
from utils.jupyter_loader import CHAPTER_NAME, JupyterLoader, convert_all
from utils.paths import NOTEBOOKS, ROOT

PREVIEW = ROOT / "build" / "preview"
PAGES = ("glossary", "bibliography")
"""Pages that chapters link to; a preview includes them."""
CHECKS = ROOT / "utils" / "exercises"
Wanted = Annotated[str, typer.Argument(metavar="CHAPTER")]
app = typer.Typer(add_completion=False, no_args_is_help=True)


def chapter_name(text: str) -> str:
    """The name of a chapter from a number such as "s14", or from the name itself."""
    if found := chapters.chapter(text):
        return found.name
    names = JupyterLoader().chapters()
    raise SystemExit(f"there is no chapter {text!r}; expected one of {', '.join(names)}")


@app.command("execute")
def execute_one(text: Wanted) -> None:
    """Execute a chapter if it, or something that it depends on, has changed."""
    name = chapter_name(text)
    convert_all()
    TARGET.mkdir(parents=True, exist_ok=True)
    stage()
    write_if_changed(TARGET / f"{name}.ipynb", staged(name))
    execute([name])


@app.command()
def preview(text: Wanted) -> None:
    """Render the page of a chapter, with only the glossary and the bibliography beside it."""
    name = chapter_name(text)
    execute_one(name)
    shutil.rmtree(PREVIEW, ignore_errors=True)
    shutil.copytree(TARGET / "_static", PREVIEW / "_static")
    pages = [f"{page}.md" for page in PAGES]
    for file in (f"{name}.ipynb", "_config.yml", "references.bib", *pages):
        shutil.copyfile(TARGET / file, PREVIEW / file)
    contents = {"format": "jb-book", "root": name, "chapters": [{"file": page} for page in PAGES]}
    PREVIEW.joinpath("_toc.yml").write_text(yaml.safe_dump(contents), encoding="utf-8")
    render(PREVIEW, "-qq")  # links to other chapters lead nowhere here
    print(f"The page is ready: {(PREVIEW / '_build' / 'html' / f'{name}.html').as_uri()}")


@app.command()
def new(name: Wanted, notebooks: Path = NOTEBOOKS, checks: Path = CHECKS) -> None:
    """Begin a chapter, such as s28_endgames: a notebook and the checks of its exercises."""
    number = name.partition("_")[0]
    taken = [other for other in JupyterLoader(notebooks).chapters() if other.startswith(number)]
    if not CHAPTER_NAME.fullmatch(name):
        raise SystemExit(f"{name!r} is no name of a chapter; expected one like s28_endgames")
    if taken:
        raise SystemExit(f"{taken[0]} has this number; expected a number that is free")
    files = (
        (NOTEBOOKS / "TEMPLATE.ipynb", notebooks / f"{name}.ipynb"),
        (CHECKS / "s00.py", checks / f"{number}.py"),
    )
    for _, target in files:
        if target.exists():
            raise SystemExit(f"{target} exists; expected a number that is free")
    for source, target in files:
        text = source.read_text(encoding="utf-8").replace("s00", number)
        target.write_text(text, encoding="utf-8", newline="\n")
        print(f"Written: {target}")
    print(f"Now: make test CHAPTER={number}, make preview CHAPTER={number}")


if __name__ == "__main__":
    app()
