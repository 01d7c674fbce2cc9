# Every target runs in .venv, made by the first one that needs it: python3 (3.11 or newer) and pip are enough.
# With another Python: make test PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt

# The stamps carry the Python version, so that a change of PYTHON is never answered with a stale .venv. The demo needs the
# gate alone, which is small; tests need what it judges and draws with as well.
MADE := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
BASE := $(VENV)/.base-$(MADE)
READY := $(VENV)/.ready-$(MADE)

EXTRAS := agree,browser,copyright,gcs,github,hf,html,judge,openai,parquet,ray,s3,sign,test
NOT_TESTING := ^(mypy|ruff|sigstore|.*-stubs|types-.*)>
DEMO := examples/quickstart

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint unit lowest goldens bench pins clean

help: ## List the targets.
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(firstword $(MAKEFILE_LIST))

demo: $(BASE) ## Decide on the quickstart example under the shipped release policy.
	@$(BIN)/gate check --policy release --baseline $(DEMO)/baseline --candidate $(DEMO)/candidate; \
	code=$$?; documented=$$(sed -n 's/^exit_code: //p' $(DEMO)/expected.yaml); \
	echo "gate exited $$code, documented: $$documented"; test "$$code" = "$$documented"

test: lint unit ## Lint, check types and run all tests.

lint: $(READY) ## Lint, check formatting and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(READY) ## Run the tests on all cores.
	$(BIN)/python -m pytest -n auto --dist worksteal tests

lowest: ## Run the tests with the oldest dependencies that pyproject.toml allows.
	@$(PYTHON) -m venv --clear build/lowest
	@$(PYTHON) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*p["dependencies"], *p["optional-dependencies"]["test"], sep="\n")' \
	  | grep -Ev '$(NOT_TESTING)' | sed 's/>=/==/' > build/lowest.txt
	@build/lowest/bin/python -m pip install --quiet --requirement build/lowest.txt --editable .
	build/lowest/bin/python -m pytest -n auto --dist worksteal tests

goldens: $(READY) ## Write the golden files of the tests anew; then read the diff.
	$(BIN)/python -m pytest -n auto --update-goldens tests

bench: $(READY) ## Run every benchmark in bench/.
	@set -e; for script in $$(grep -l __main__ bench/*.py); do echo "== $$script"; $(BIN)/python "$$script"; done

pins: ## Resolve the newest allowed dependencies with Python 3.11 and rewrite constraints.txt.
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "make pins needs the oldest supported Python: make pins PYTHON=python3.11")'
	@$(PYTHON) -m venv --clear build/pins
	@build/pins/bin/python -m pip install --quiet --dry-run --ignore-installed --report build/pins.json hatchling '.[$(EXTRAS)]'
	@sed '/^[^#]/,$$d' constraints.txt > build/constraints.txt
	@$(PYTHON) -c 'import json; [print(i["metadata"]["name"], i["metadata"]["version"].split("+")[0], sep="==") for i in json.load(open("build/pins.json"))["install"]]' \
	  | grep -Eiv '^(checkpoint-gate|cuda|nvidia|triton)' | LC_ALL=C sort -f -t= -k1,1 >> build/constraints.txt
	@mv build/constraints.txt constraints.txt

clean: ## Remove everything that make, the tools and the gate left behind.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist gate-report
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; name a Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "make: gate needs Python 3.11 or newer, $(PYTHON) is %d.%d; name another: make PYTHON=/path/to/python3" % sys.version_info[:2] or 0)'
	@echo "Installing the pinned dependencies into $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || { \
	  : "no ensurepip, as on a Debian without python3-venv: take the pip of $(PYTHON)"; \
	  $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	@$(INSTALL) hatchling
	@$(INSTALL) --no-build-isolation --editable .
	@touch $@

$(READY): $(BASE)
	@echo "Installing what the tests need into $(VENV)"
	@$(INSTALL) --no-build-isolation --editable '.[browser,test]'
	@touch $@
