# Two commands: `make run` and `make test`. Everything a run writes goes under var/.
SHELL := /bin/bash
# The system's own comes first: distributions build theirs with optimisations, and one that was compiled
# without, as by pyenv, takes a fifth longer for everything.
PYTHON ?= $(shell for p in /usr/bin/python3 python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null && $$p -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python

.PHONY: run dev install install-dev test soak lint bench lock messages checker clean

run: install
	@$(PY) -m evalsite.start

dev: install
	@DEBUG=1 $(PY) -m evalsite.start --reload

install: .venv/installed
	@$(PY) -m evalsite.catalogue

install-dev: .venv/installed-dev
	@$(PY) -m evalsite.catalogue
	@$(PY) -m tests.bed.system

test: install-dev
	@$(PY) -m tests.run

soak: install-dev
	@$(PY) -m tests.run --soak

bench: install-dev
	@$(PY) -m tests.bench

lint: install-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/djade --target-version 5.2 --check $$(git ls-files 'templates/*.html')

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Spotcheck needs Python 3.11 or newer with its venv module."; exit 1; }
	@if command -v uv >/dev/null; then uv venv -q --python $(PYTHON) .venv; else $(PYTHON) -m venv .venv; fi

define install_locked
	@echo "Installing $(1) ..."
	@if command -v uv >/dev/null; then uv pip install -q --require-hashes --python $(PY) -r $(1); \
	else $(PY) -m pip install -q --disable-pip-version-check --require-hashes -r $(1); fi
	@touch $@
endef

.venv/installed: requirements.txt | .venv/bin/python
	$(call install_locked,requirements.txt)

.venv/installed-dev: requirements-dev.txt requirements.txt | .venv/bin/python
	$(call install_locked,requirements-dev.txt)
	@touch .venv/installed

# The locks name neither an index nor this machine.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q requirements.in -o requirements.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q requirements-dev.in -o requirements-dev.txt

# Needs the gettext programs (Debian: apt-get install gettext). Without settings, because those name var/locale.
messages: install
	@env -u DJANGO_SETTINGS_MODULE .venv/bin/django-admin makemessages --all --no-obsolete --no-wrap --add-location file \
		--ignore tests --ignore tools --ignore var
	@$(PY) -m evalsite.catalogue

# The package with which a pipeline checks cases; needs nothing but Python.
checker:
	@$(or $(wildcard $(PY)),$(PYTHON)) tools/checker_wheel.py var/checker

# Data stays: var/ holds the database.
clean:
	rm -rf .venv var/locale var/tests var/bench .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
