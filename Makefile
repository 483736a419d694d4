PYTHON ?= python3
CONTENT ?= content
INDEX ?= .blog-index
EVAL ?=
BENCH ?=
MCPB ?= mcpb
NPM ?= npm
# The question as typed: neither make nor the shell may expand what is in it.
export QUESTION := $(value Q)
unexport Q

BIN := .venv/bin
PRODUCT := .venv/product
INSTALLED := .venv/installed
SUITE := .conformance
FAST := tests/unit tests/docs benchmarks -m "not slow"
SLOW := benchmarks tests --ignore tests/clients --ignore tests/conformance --ignore tests/page -m slow
SPREAD := --numprocesses auto --dist loadfile
INGEST := $(BIN)/blog-search-mcp ingest "$(CONTENT)" --index "$(INDEX)"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup ingest rebuild serve ask test test-all browser clients eval bench reliability conformance bundle check format clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-17s%s\n", $$1, $$2}'

setup: $(INSTALLED) ## make .venv and install the project with its pinned versions

ingest: $(PRODUCT) ## bring the index in INDEX up to date with the posts in CONTENT
	@$(INGEST)

rebuild: $(PRODUCT) ## make the index anew
	@$(INGEST) --rebuild

serve: ingest ## ingest, then serve over HTTP at 127.0.0.1
	@exec $(BIN)/blog-search-mcp serve --index "$(INDEX)" --http

ask: question ingest ## ask a question through a real MCP client: make ask Q="..."
	@$(BIN)/blog-search-mcp ask --index "$(INDEX)" -- "$$QUESTION"

test: $(INSTALLED) ## run the fast tests, on every core
	@$(BIN)/python -m pytest $(FAST) $(SPREAD) --hypothesis-profile quick

test-all: $(INSTALLED) ## run every test that needs no further install, and hold what the fast ones cover to a floor
	@$(BIN)/python -m pytest $(SLOW) $(SPREAD) --no-loadscope-reorder --durations 50
	@$(BIN)/python -m pytest $(FAST) $(SPREAD) --cov --cov-report term:skip-covered

browser: $(INSTALLED) playwright ## test the search page in Chromium
	@$(BIN)/python -m pytest tests/page

clients: $(INSTALLED) .clients/installed ## install real MCP clients into .clients and test with them
	@$(BIN)/python -m pytest -rs tests/clients

eval: $(INSTALLED) ## measure how well the posts in CONTENT are searched; options, or further blogs, in EVAL
	@$(BIN)/python -m benchmarks.quality "$(CONTENT)" $(EVAL)

bench: $(INSTALLED) ## measure how fast every step is, beside its floor; options in BENCH
	@$(BIN)/python -m benchmarks.speed $(BENCH)

reliability: $(INSTALLED) ## make every fault as often as docs/reliability.md says, and count what held
	@$(BIN)/python -m pytest tests/reliability --full --totals --numprocesses auto --dist loadfile

conformance: $(INSTALLED) $(SUITE)/installed ## run MCP's conformance suite against the server
	@$(BIN)/python -m tests.conformance "$(SUITE)"

bundle: $(INSTALLED) ## pack the project for Claude Desktop into dist/
	@$(BIN)/python -m tools.make_bundle --mcpb "$(MCPB)"

check: $(INSTALLED) ## check format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: $(INSTALLED) ## format the code and sort its imports
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .

clean: ## delete .venv, .clients, .blog-index and all caches
	@rm -rf .venv .clients .blog-index .conformance .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

$(SUITE)/installed: tests/conformance/package.json tests/conformance/package-lock.json
	@command -v "$(NPM)" >/dev/null || { echo '$(NPM), which make conformance needs, is missing: install Node.js.' >&2; exit 1; }
	@echo 'Installing the conformance suite into $(SUITE).' >&2
	@mkdir -p $(SUITE) && cp $^ $(SUITE)/
	@$(NPM) ci --prefix $(SUITE) --silent --no-audit --no-fund
	@touch $@

.PHONY: playwright
playwright: $(INSTALLED)
	@$(BIN)/python -c 'from tests.support.chromium import PATH; raise SystemExit(not PATH)' || { \
		echo 'There is no Chromium on the path. On Debian and Ubuntu: apt install chromium fonts-noto-cjk' >&2; exit 1; }
	@$(BIN)/python -c 'import playwright' >/dev/null 2>&1 || { \
		echo 'Installing Playwright into .venv; it uses the Chromium that is there.' >&2; \
		$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt playwright; }

.PHONY: question
question:
	@test -n "$$QUESTION" || { echo 'Say what to ask: make ask Q="what is a KV cache?"' >&2; exit 2; }

define MAKE_VENV
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo '$(PYTHON) is missing or older than Python 3.11. Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo '$(PYTHON) has no venv module. On Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
endef

$(PRODUCT): pyproject.toml constraints.txt
	$(MAKE_VENV)
	@echo 'Installing the project into .venv (once, and again when its dependencies change).' >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(INSTALLED): pyproject.toml constraints.txt
	$(MAKE_VENV)
	@echo 'Installing the project, and what tests and checks need, into .venv.' >&2
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(PRODUCT) $@

.clients/installed: tests/clients/requirements.txt tests/clients/package.json tests/clients/package-lock.json
	@command -v npm >/dev/null || { \
		echo 'npm, which make clients needs, is missing. It comes with Node.js, 20 or newer.' >&2; exit 1; }
	@echo 'Installing MCP clients into .clients: about 700 MB.' >&2
	@rm -rf .clients && mkdir .clients && cp tests/clients/package.json tests/clients/package-lock.json .clients
	@cd .clients && npm ci --silent --no-audit --no-fund
	@$(PYTHON) -m venv .clients/venv
	@.clients/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		-r tests/clients/requirements.txt
	@touch $@
