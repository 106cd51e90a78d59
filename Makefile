# One line for each thing that one does here; `make help` lists them.
# `make book` and `make test` do all of the set-up on a machine that has Python 3.11 to 3.14, make and git.

POETRY_VERSION := 2.5.1
MIRROR_VERSION := 0.6.5

ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := Scripts
else
PYTHON ?= python3
BIN := bin
endif
RUN := .venv/$(BIN)/python
POETRY := .poetry/$(BIN)/python -m poetry
PORT ?= 8000
DURATION ?= 60

# The folder may be moved or copied; an environment that the reader has active is left alone.
export PYTHONPATH := $(CURDIR)
export PYTHONUTF8 := 1
export CHAPTER EXAMPLES  # tests look at them
unexport VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV

# Poetry asks its index for JSON, which some mirrors lack. The plugin makes it ask like pip,
# and pip says which index that is: the configured one, or else its default.
ASK_PIP := from pip._internal.commands import create_command as c; print(c("install").parse_args([])[0].index_url)
WITH_INDEX = POETRY_PYPI_MIRROR_URL="$${POETRY_PYPI_MIRROR_URL:-$$(.poetry/$(BIN)/python -c '$(ASK_PIP)')}"

.DEFAULT_GOAL := help
.PHONY: help book epub test test-all preview new lab serve check student slides data bench soak mutants lock hooks clean

help: ## list these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: .venv/.installed ## install, execute the chapters, render the book
	$(RUN) -m book.builder.build

epub: book ## the book for e-readers, too: build/epub/chess-engines.epub
	$(RUN) -m book.builder.epub

ifdef CHAPTER
test: .venv/.installed
	$(RUN) -m book.builder.one_chapter execute $(CHAPTER)
	$(RUN) -m pytest -n auto --dist loadfile tests/chapters tests/exercises tests/test_repository.py -k $(firstword $(subst _, ,$(CHAPTER)))
else
test: .venv/.installed check epub ## checks, chapters, exercises, book, browser (one chapter: make test CHAPTER=s14)
	$(RUN) -m pytest -n auto --dist loadfile --nbmake tests notebooks/TEMPLATE.ipynb
endif

test-all: test ## the same and what takes long (more and random examples: make test-all EXAMPLES=10)
	$(RUN) -m pytest -n auto --dist loadfile -m slow tests

preview: .venv/.installed ## the page of one chapter: make preview CHAPTER=s14
	$(RUN) -m book.builder.one_chapter preview $(CHAPTER)

new: .venv/.installed ## begin a chapter: make new CHAPTER=s28_name
	$(RUN) -m book.builder.one_chapter new $(CHAPTER)

lab: .venv/.installed ## open the chapters in JupyterLab (as root in a container: make lab OPTIONS=--allow-root)
	$(RUN) -m jupyter lab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks --LabApp.app_settings_dir=book/builder/lab $(OPTIONS)

serve: book ## show the rendered book at http://localhost:8000 (another port: make serve PORT=8001)
	$(RUN) -m book.builder.serve --port $(PORT)

check: .venv/.installed ## lint, formatting, types, stripped outputs, wording (quick)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m utils.jupyter_loader
	$(RUN) -m mypy
	$(RUN) -m nbstripout --keep-id --verify notebooks/*.ipynb
	$(RUN) -m book.builder.voice

student: .venv/.installed ## the chapters without solutions, for nbgrader: build/student (a variant: make student SEED=7)
	$(RUN) -m utils.notebook.nbgrader_export $(if $(SEED),--seed $(SEED))

data: .venv/.installed ## rebuild the files in data/ that are made from other files in it
	$(RUN) -m utils.cli book data/openings/openings.pgn data/polyglot/course.bin --force

slides: book ## slides of the chapters, shown without a network: build/slides/index.html
	$(RUN) -m book.builder.slides

bench: .venv/.installed ## measure engines and loader, as ratios within one run
	$(RUN) -m utils.matches.benchmark
	$(RUN) -m tests.bench_loader

soak: .venv/.installed ## fast games of the tournament engine, for a minute (longer: make soak DURATION=600)
	$(RUN) -m tests.soak --seconds $(DURATION)

mutants: .venv/.installed ## change the code one thing at a time: do its tests fail? (MODULE=utils.jupyter_loader LIMIT=50)
	$(RUN) -m tests.mutants $(MODULE) $(if $(LIMIT),--limit $(LIMIT))

lock: .poetry/.installed ## write poetry.lock anew after a change of pyproject.toml
	$(WITH_INDEX) $(POETRY) lock

hooks: .venv/.installed ## check each commit as it is made
	$(RUN) -m pre_commit install

clean: ## remove everything that was made here, the installation too
	rm -rf build .venv .poetry .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf converted_notebooks/s*.py notebooks/.ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

.poetry/.installed: Makefile
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if (3, 11) <= v < (3, 15) else "Python %d.%d found; expected 3.11 to 3.14: make PYTHON=python3.12 ..." % v[:2])'
	$(PYTHON) -m venv .poetry
	.poetry/$(BIN)/python -m pip install --quiet poetry==$(POETRY_VERSION) poetry-plugin-pypi-mirror==$(MIRROR_VERSION)
	@touch $@

.venv/.installed: .poetry/.installed pyproject.toml poetry.lock poetry.toml
	$(PYTHON) -m venv .venv
	@$(POETRY) check --lock || { echo "poetry.lock does not fit pyproject.toml: git checkout poetry.lock, or make lock"; exit 1; }
	$(WITH_INDEX) $(POETRY) sync --no-interaction
	@touch $@
