# Everything runs in .venv, which the targets make by themselves; tools/bootstrap says how.
VENV ?= .venv
BIN := $(VENV)/bin
export VENV
# What one worker of the tests has compiled, the others need not compile again.
unexport PYTHONDONTWRITEBYTECODE

RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench
NODE := tests/clients/node_modules/.installed
SOURCES := src tests benchmarks tools

.PHONY: demo test check coverage mutate bench serve fmt lint docs lock clean

demo: $(RUN)  ## run the main job end to end, with no key and no internet
	$(BIN)/dowse demo

serve: $(RUN)  ## run the MCP server on stdio
	$(BIN)/dowse serve

# Whole files, in their order: each sets up once what its tests share, and the many quick ones even out the end.
test: $(DEV) $(NODE)  ## install what the tests need and run them all
	$(BIN)/python tools/real_parts.py
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

QUICK := tests/unit tests/contract tests/test_architecture.py tests/test_docs.py

check: $(DEV) lint  ## lint, types, and the unit and contract tests; under a minute
	$(BIN)/python -m pytest -n 3 -m "not cost" $(QUICK)

coverage: $(DEV)  ## the same tests, and how much of the code they reach
	$(BIN)/python -m pytest -n 2 -m "not cost" $(QUICK) --cov --cov-report=term:skip-covered --cov-fail-under=85

mutate: $(DEV)  ## break the guard and the decoder line by line, and see whether a test notices; a few minutes
	$(BIN)/python -m tools.mutate

bench: $(BENCH)  ## dowse's extractor and those of others on the pages of WCXB; some minutes
	$(BIN)/python benchmarks/extraction.py

lint: $(DEV)
	$(BIN)/ruff format --check --quiet $(SOURCES)
	$(BIN)/ruff check --quiet $(SOURCES)
	$(BIN)/mypy

fmt: $(DEV)  ## format and mend what can be mended
	$(BIN)/ruff check --fix --quiet $(SOURCES)
	$(BIN)/ruff format --quiet $(SOURCES)

docs: $(DEV)  ## regenerate the configuration reference, .env.example and the client pages
	$(BIN)/python tools/generate_docs.py

lock: $(DEV)  ## compile the lock files anew
	$(BIN)/python tools/lock.py

clean:
	rm -rf $(VENV) tests/clients/node_modules .mypy_cache .pytest_cache .ruff_cache .coverage*

$(RUN): requirements/run.txt requirements/uv.txt pyproject.toml tools/bootstrap
	tools/bootstrap requirements/run.txt
	@touch $@

$(DEV): requirements/dev.txt requirements/uv.txt pyproject.toml tools/bootstrap
	tools/bootstrap requirements/dev.txt
	@touch $@ $(RUN)

$(BENCH): requirements/bench.txt requirements/uv.txt pyproject.toml tools/bootstrap
	tools/bootstrap requirements/bench.txt
	@touch $@ $(DEV) $(RUN)

# The MCP Inspector and the conformance suite; the wheel brings a Node that is new enough, which most systems do not have.
$(NODE): tests/clients/package-lock.json $(DEV)
	cd tests/clients && PATH="$(abspath $(BIN)):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
