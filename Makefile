# Each target makes its own .venv; `make play ARGS="--seats 6"` passes options on.

# The tests start our programs hundreds of times: what those import is compiled once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
COMPILED := .compiled
NODE_DIR := examples/javascript
ARGS ?=
TEXTS := $(patsubst %.po,%.mo,$(wildcard kille_net/locale/*/LC_MESSAGES/kille.po))

# The first of these that is Python 3.11 or later; PYTHON=… chooses another.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo "$$python"; break; fi; done)

.PHONY: play test test-compiled wheel bench lint coverage check deep sessions texts node clean

play: texts
	@$(BIN)/kille play $(ARGS)

# Two workers a core, since many tests wait for real terminals and processes; one that is done helps the others.
test: texts node
	$(BIN)/pytest -n 4 --dist worksteal $(ARGS)

lint: texts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy kille_net tests examples
	$(BIN)/lint-imports

# Every branch of the rules, the views and the codec (pyproject.toml lists them), by the quick ones of their tests.
COVERING := $(patsubst %,tests/game/test_%.py,harlekin machine pots refusals showdown sticks talon turns two_worlds values witness) \
	tests/wire/test_codec.py tests/wire/test_scan.py

coverage: texts
	$(BIN)/coverage erase
	CI=true $(BIN)/coverage run -m pytest -q -k "not walk" $(COVERING)
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

# What CI runs, what takes one processor beside the other; the last is the README's command.
check: texts
	$(MAKE) --no-print-directory -j 2 lint coverage
	$(MAKE) --no-print-directory test
	$(MAKE) --no-print-directory test-compiled

# A wheel for this kind of machine and this Python, in which the rules are compiled (hatch_build.py); it needs a C compiler.
wheel: $(STAMP)
	KILLE_COMPILE=1 $(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps -w dist .

# What holds of the rules holds of them compiled: half a minute, and as long to compile them when they were changed.
test-compiled: texts $(COMPILED)/.built
	KILLE_COMPILE=1 PYTHONPATH=$(CURDIR)/$(COMPILED) $(BIN)/pytest -n 2 -o "pythonpath=$(COMPILED) ." tests/game $(ARGS)

$(COMPILED)/.built: pyproject.toml hatch_build.py $(shell find kille_net -name '*.py') | $(STAMP)
	rm -rf $(COMPILED)
	KILLE_COMPILE=1 $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --target $(COMPILED) .
	@touch $@

# All tests that have a deep size, and each defence taken out once: hours, not minutes. KILLE_DEEP_MINUTES=60 ends it
# after about so long.
deep: texts node
	KILLE_DEEP=1 HYPOTHESIS_PROFILE=deep $(BIN)/pytest -n 2 -m deep $(ARGS)

# How fast the server is, beside servers without a game: an hour; ARGS="--quick": some minutes. See tests/bench.
bench: texts
	$(BIN)/python -m tests.bench $(ARGS)

# The sessions in the README, recorded anew from real ones: minutes.
sessions: texts
	$(BIN)/python examples/sessions/record.py

# The catalogues of texts, as the program reads them.
texts: $(TEXTS)

%.mo: %.po | $(STAMP)
	@$(BIN)/pybabel -q compile -i $< -o $@

# The bot in JavaScript needs Node; without it its tests are skipped, except in CI.
node:
	@if [ -f $(NODE_DIR)/package-lock.json ] && command -v node >/dev/null && command -v npm >/dev/null \
		&& [ ! $(NODE_DIR)/node_modules/.package-lock.json -nt $(NODE_DIR)/package-lock.json ]; then \
		cd $(NODE_DIR) && npm ci --no-audit --no-fund; fi

$(STAMP): pyproject.toml .ci/constraints.txt
	@if [ -z "$(PYTHON)" ]; then echo "Kille needs Python 3.11 or later as python3; or say: make PYTHON=/path/to/python" >&2; exit 1; fi
	@echo "Installing what Kille needs into $(VENV); this happens once."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c .ci/constraints.txt -e '.[test]'
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c .ci/constraints.txt --only-binary open-spiel -e '.[openspiel]' \
		|| echo "OpenSpiel has nothing for this machine; its tests are left out." >&2
	@touch $@

clean:
	rm -rf $(VENV) $(COMPILED) $(TEXTS) $(NODE_DIR)/node_modules tests/bench/colyseus/node_modules .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find kille_net tests examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
