.PHONY: setup demo test test-full bench docs lint clean
PY := .venv/bin/python
JOBS ?= 3

setup:
	@scripts/setup.sh

demo: setup  ## run a 3-node gang job on this machine and show what comes next
	@scripts/demo.sh

test: setup lint  ## everything that must hold before a change is taken
	@$(PY) -m pytest -n $(JOBS) --dist worksteal --cov --cov-report=term:skip-covered -q
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict -q

test-full: setup lint  ## the same at full depth
	@SKYX_TEST_DEPTH=full $(PY) -m pytest -n $(JOBS) --dist worksteal --timeout 1800 -q

lint: setup
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check -q .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-cache >/dev/null || .venv/bin/lint-imports --no-cache

bench: setup  ## each figure beside its floor, and its peer where the peer is installed
	@$(PY) -m benchmarks

docs: setup
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict -q && echo "docs: site/index.html"

clean:
	rm -rf .venv site build .mypy_cache .ruff_cache
