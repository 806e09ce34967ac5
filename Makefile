# Everything runs in .venv, which the targets make by themselves; tools/bootstrap says how.
VENV ?= .venv
BIN := $(VENV)/bin
export VENV
# What one worker of the tests has compiled, the others need not compile again.
unexport PYTHONDONTWRITEBYTECODE
# Tests install packages too; as in tools/bootstrap, with the system's certificates.
export UV_SYSTEM_CERTS ?= 1
export NODE_USE_SYSTEM_CA ?= 1

RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench
NODE := tests/clients/node_modules/.installed
AGENTS := tests/slow/clients/node_modules/.installed
SDKS := tests/slow/clients/sdks/node_modules/.installed tests/slow/clients/sdks/.venv/.installed
SOURCES := src tests benchmarks tools

PYTEST := $(BIN)/python -m pytest
# Several files at a time, more than cores: tests of the upper levels mostly wait. The longest levels come first.
SIDE_BY_SIDE := -n 4 --dist loadfile --no-loadscope-reorder
# The longest first.
PURE := tests/test_ratchet.py tests/test_architecture.py tests/test_support.py tests/test_docs.py tests/test_promises.py tests/unit
# Levels that run in the process of the tests, so that coverage sees what they reach.
MEASURED := tests/unit tests/contract tests/integration tests/security/test_decoder.py tests/security/test_tls.py \
	tests/security/test_http_token_places.py $(filter-out %_namespace.py,$(wildcard tests/security/test_ssrf_*.py))
# The SSRF guard, routing, and what decides about secrets.
COVERED_WHOLE := src/dowse/net/*,src/dowse/secrets/*,src/dowse/routing/*,src/dowse/auth/*,src/dowse/telemetry/*,src/dowse/cache/*
COVERED_WHOLE := $(COVERED_WHOLE),src/dowse/surfaces/http/auth.py,src/dowse/settings/sources.py

.PHONY: demo install uninstall serve check test test-slow slow coverage properties mutate bench lint types pure fmt docs screenshots lock clean

demo: $(RUN)  ## run the main job end to end, with no key and no internet
	$(BIN)/dowse demo

install:  ## put the command dowse and the drop-ins into ~/.local/bin; again after git pull
	@tools/install

uninstall:  ## remove what make install has installed
	@tools/install --remove

serve: $(RUN)  ## run the MCP server on stdio
	$(BIN)/dowse serve

check: $(DEV)  ## format, lint, types and the pure tests, side by side; at most 45 seconds
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=target lint types pure

test: $(DEV) $(NODE)  ## install what the tests need and run all but the slow ones; at most 5 minutes
	$(BIN)/python tools/real_parts.py
	@$(MAKE) --no-print-directory --jobs 2 lint types
	$(PYTEST) $(SIDE_BY_SIDE) tests --ignore=tests/slow

test-slow: $(DEV) $(NODE) $(AGENTS) $(SDKS)  ## whole corpora, the full cage, soaks, timing, clients, mutation, coverage; at most 20 minutes
	$(BIN)/python tools/real_parts.py
	@$(MAKE) --no-print-directory mutate coverage properties slow

slow: $(DEV) $(NODE) $(AGENTS) $(SDKS)  # one test at a time: some compare times
	$(PYTEST) tests/slow

pure: $(DEV)
	$(PYTEST) -q -n 2 --dist loadfile --no-loadscope-reorder -o faulthandler_timeout=0 $(PURE)

coverage: $(DEV)  ## how much of the code the lower levels reach: 95 % of the lines, all lines of the guard and of routing
	$(BIN)/coverage erase
	$(PYTEST) -q $(SIDE_BY_SIDE) $(MEASURED) --cov --cov-report=
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --fail-under=100 --include='$(COVERED_WHOLE)'

properties: $(DEV)  ## the pure tests with many more examples, others each time
	HYPOTHESIS_PROFILE=full $(PYTEST) -q $(SIDE_BY_SIDE) tests/unit

mutate: $(DEV)  ## break the guard and the decoder line by line, and see whether a test notices; a few minutes
	$(BIN)/python -m tools.mutate

bench: $(BENCH)  ## dowse's extractor and those of others on the pages of WCXB; some minutes
	$(BIN)/python benchmarks/extraction.py

lint: $(DEV)
	$(BIN)/ruff format --check --quiet $(SOURCES)
	$(BIN)/ruff check --quiet $(SOURCES)

types: $(DEV)
	$(BIN)/mypy

fmt: $(DEV)  ## format, and fix what can be fixed
	$(BIN)/ruff check --fix --quiet $(SOURCES)
	$(BIN)/ruff format --quiet $(SOURCES)

docs: $(DEV)  ## regenerate the configuration reference, .env.example, client pages, sample answers and traced paths
	$(BIN)/python -m tools.generate_docs --index
	$(BIN)/python -m tools.generate_docs
	$(BIN)/python -m tools.sample_answers
	$(BIN)/python -m tools.trace --docs

screenshots: $(DEV)  ## take the pictures of the console for the docs again, with Chromium
	$(BIN)/python -m tools.screenshots

lock: $(DEV)  ## compile the lock files anew
	$(BIN)/python tools/lock.py

clean:
	rm -rf $(VENV) tests/clients/node_modules tests/slow/clients/node_modules $(dir $(SDKS)) .mypy_cache .pytest_cache .ruff_cache .coverage*

$(RUN): requirements/run.txt requirements/uv.txt pyproject.toml tools/bootstrap
	tools/bootstrap requirements/run.txt
	@touch $@

$(DEV): requirements/dev.txt requirements/uv.txt pyproject.toml tools/bootstrap
	tools/bootstrap requirements/dev.txt
	@touch $@ $(RUN)

$(BENCH): requirements/bench.txt requirements/uv.txt pyproject.toml tools/bootstrap
	tools/bootstrap requirements/bench.txt
	@touch $@ $(DEV) $(RUN)

# The MCP Inspector and the conformance suite; and Claude Code, Codex and Gemini CLI, which are 770 MB. The wheel brings a
# Node that is new enough, which most systems do not have.
$(NODE) $(AGENTS) $(word 1,$(SDKS)): %/node_modules/.installed: %/package-lock.json | $(DEV)
	cd $* && PATH="$(abspath $(BIN)):$$PATH" \
		npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
	@touch $@

# The SDKs of other vendors in Python, apart from what dowse is developed with.
$(word 2,$(SDKS)): requirements/clients.txt | $(DEV)
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(@D)
	$(BIN)/uv pip install --quiet --require-hashes --python $(@D)/bin/python -r $<
	@touch $@
