# What the project can do, each a command. Only make, python3 (3.11 or newer) and a package index are assumed:
# everything else goes into .venv, at the versions of the lock.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
TRUCO := $(VENV)/bin/trucostats
PIP := $(PY) -m pip -qq --disable-pip-version-check
LOCK := --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-annotate --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test lint format types bench bench-full generate lock wheel clean

help:  ## list the targets
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "%-12s%s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.run  ## simulate, ingest and count something, in out/demo
	@rm -rf out/demo && mkdir -p out
	@echo "simulating 20,000 hands into out/demo.jsonl"
	@$(TRUCO) simulate --rules argentino --hands 20000 --seed 1 --policy plain -o out/demo.jsonl
	@echo "ingesting them and data/samples into out/demo (the samples have faults on purpose)"
	@$(TRUCO) ingest data/samples out/demo.jsonl --out out/demo || test $$? -eq 1
	@for name in mano-advantage stake-distribution hand-endings; do \
		echo && echo "$$name" && $(TRUCO) stats $$name --tables out/demo --rules argentino || exit; \
	done
	@printf '%s\n' '' 'Next:' \
		'  $(TRUCO) stats list                                 all statistics' \
		'  $(TRUCO) stats describe hand-endings                what one of them counts' \
		'  $(TRUCO) query --tables out/demo "FROM hands"       SQL over the tables of schemas/tables.md' \
		'  $(TRUCO) show out/demo.jsonl --line 3               a hand in words' \
		'  README.md                                                  the rest'

test: $(VENV)/.all  ## install everything, check style and types, run all tests
	@failed=0; $(MAKE) -k --no-print-directory lint types || failed=1; \
	$(PY) -m pytest -n auto --dist worksteal $(PYTEST) || failed=1; exit $$failed

lint: $(VENV)/.all  ## check the style
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --quiet --output-format concise --check .

types: $(VENV)/.all
	@$(PY) -m mypy --no-error-summary

format: $(VENV)/.all  ## mend the style
	@$(PY) -m ruff check --quiet --fix . ; $(PY) -m ruff format --quiet .

bench: $(VENV)/.all  ## measure what the README claims; the table goes to out/bench.json too
	@$(PY) benchmarks/run.py

bench-full: $(VENV)/.all  ## the same, with a log of 2,000,000 hands
	@$(PY) benchmarks/run.py --full

generate: $(VENV)/.run  ## write schemas/ and the generated pages of docs/ again
	@$(PY) -m trucostats.schemas

lock: $(VENV)/.all  ## choose the newest versions and write the lock
	@$(PIP) install uv
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(PY) -m uv pip compile $(LOCK) --upgrade --all-extras --group dev pyproject.toml -o requirements.lock
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(PY) -m uv pip compile $(LOCK) --upgrade --group build -c requirements.lock pyproject.toml -o requirements-run.lock

wheel: $(VENV)/.all  ## build the wheel into dist/
	@rm -rf dist
	@$(PY) -m build --wheel --no-isolation > /dev/null
	@ls dist

clean:  ## remove what the targets made, the environment too
	rm -rf $(VENV) out dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The environment in two steps: what trucostats itself needs (make demo), then its extras and the tools (all else).
$(VENV)/.run: requirements-run.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("trucostats needs Python 3.11 or newer; name one: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "installing into $(VENV)"
	@$(PY) -c '' 2> /dev/null || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --no-compile --require-hashes -r requirements-run.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.all: $(VENV)/.run requirements.lock
	@echo "installing the extras and the tools into $(VENV)"
	@$(PIP) install --no-compile --require-hashes -r requirements.lock
	@touch $@
