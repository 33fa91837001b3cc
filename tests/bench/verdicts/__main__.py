"""Prints the tables of docs/verdict.md.

.venv/bin/python -m tests.bench.verdicts [--runs 4000] [--seed 7] [--all]
"""

import argparse
import os
from importlib import import_module

import django


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=4000)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--all", action="store_true", help="every severity and case SD")
    given = options.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    # The words are those of the product, which needs its settings.
    tables = import_module("tests.bench.verdicts.tables")
    for table in tables.list_all_tables() if given.all else tables.list_tables():
        for line in table.print(runs=given.runs, seed=given.seed):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
