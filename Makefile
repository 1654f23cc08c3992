# The few commands of a day. Each makes .venv first when it is missing or out of date.
.DEFAULT_GOAL := help
SHELL := /bin/bash
TASK ?= Surefoot-Velocity-Flat-Go2
ARGS ?=
BIN := .venv/bin
BUNDLE := tasks/surefoot_tasks/velocity/bundles/Surefoot-Velocity-Flat-Go2
VERIFIED := .cache/verify
STARTED := $(shell date +%s)

.PHONY: help bootstrap train test proofs docs lint format clean

help:  ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

bootstrap:  ## Make .venv with every pinned package
	@scripts/bootstrap.sh

train: bootstrap  ## Train $(TASK); further arguments in ARGS="..."
	@$(BIN)/surefoot train --task $(TASK) $(ARGS)

lint: bootstrap  ## Style, types, import rules, spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/lint-imports
	$(BIN)/pyright

docs: bootstrap  ## The documentation as a site in .cache/site; warnings are errors, and no network is needed
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

test: lint docs  ## Everything fast: lint, documentation, kernels for each GPU generation, tests, the bridge on old Pythons, the policy's gate
	@scripts/test_bridge.sh & bridge=$$!; $(BIN)/python -m surefoot_devtools.kernels_check || { kill $$bridge; exit 1; }; wait $$bridge
	@rm -rf $(VERIFIED)
	@$(BIN)/pytest -q --surefoot-bundle $(BUNDLE) --surefoot-suite quick --surefoot-report $(VERIFIED)
	@$(BIN)/surefoot verify $(BUNDLE) --suite quick --gate standard --stop-early --report $(VERIFIED)
	@$(BIN)/pytest -m "not slow" -n auto --maxprocesses 4 --dist loadfile tests  # by file: a simulator serves all tests of one
	@$(BIN)/pytest -m "not slow" extensions/surefoot-bridge/tests extensions/surefoot-devtools/tests  # one by one: in real time, without company
	@echo "make test took $$(($$(date +%s) - $(STARTED))) s"

proofs: bootstrap  ## The slow set: training, resuming, speed and rendering, with reports in proofs/
	@$(BIN)/python scripts/proofs.py $(ARGS)

format: bootstrap  ## Let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Remove .venv and caches; runs/ stays
	rm -rf .venv .cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
