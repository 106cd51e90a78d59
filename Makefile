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
unexport VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV

# Poetry asks its index for JSON, which some mirrors lack. The plugin makes it ask like pip,
# and pip says which index that is: the configured one, or else its default.
ASK_PIP := from pip._internal.commands import create_command as c; print(c("install").parse_args([])[0].index_url)
WITH_INDEX = POETRY_PYPI_MIRROR_URL="$${POETRY_PYPI_MIRROR_URL:-$$(.poetry/$(BIN)/python -c '$(ASK_PIP)')}"

.DEFAULT_GOAL := help
.PHONY: help book epub test lab serve check student data bench soak lock hooks clean

help: ## list these commands
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: .venv/.installed ## install, execute the chapters, render the book
	$(RUN) book/build.py

epub: book ## the book for e-readers, too: build/epub/chess-engines.epub
	$(RUN) -m book.epub

test: .venv/.installed check epub ## everything: checks, chapters, book, unit tests, browser
	$(RUN) -m pytest -n auto --nbmake tests notebooks/TEMPLATE.ipynb

lab: .venv/.installed ## open the chapters in JupyterLab (as root in a container: make lab OPTIONS=--allow-root)
	$(RUN) -m jupyter lab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks --LabApp.app_settings_dir=book/lab $(OPTIONS)

serve: book ## show the rendered book at http://localhost:8000 (another port: make serve PORT=8001)
	$(RUN) -m book.serve --port $(PORT)

check: .venv/.installed ## lint, formatting, types, stripped outputs, data (quick)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m utils.convert
	$(RUN) -m mypy
	$(RUN) -m nbstripout --keep-id --verify $(wildcard notebooks/*.ipynb)
	$(RUN) -m utils.build_data --check

student: .venv/.installed ## copy the chapters without solutions, ready for nbgrader, to build/student
	$(RUN) -m utils.student

data: .venv/.installed ## rebuild the files in data/ that are made from other files in it
	$(RUN) -m utils.build_data

bench: .venv/.installed ## measure engines and loader, as ratios within one run
	$(RUN) -m utils.benchmark
	$(RUN) -m tests.bench_loader

soak: .venv/.installed ## fast games of the tournament engine, for a minute (longer: make soak DURATION=600)
	$(RUN) -m tests.soak --seconds $(DURATION)

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
