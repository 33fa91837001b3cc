"""A commit is checked by the tools of `make lint`, and nothing is fetched for it."""

import re
from pathlib import Path

import yaml

BASE_DIR = Path(__file__).resolve().parents[1]


def test_the_hooks_of_a_commit_are_the_checks_of_make_lint() -> None:
    lint = (BASE_DIR / "Makefile").read_text("utf-8").partition("\nlint:")[2].partition("\n\n")[0]
    checks = {match[1] for match in re.finditer(r"^\t(\.venv/bin/\w+)", lint, re.MULTILINE)}
    config = yaml.safe_load((BASE_DIR / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [source["repo"] for source in config["repos"]] == ["local"]
    entries = [hook["entry"] for source in config["repos"] for hook in source["hooks"]]
    assert {entry.split()[0] for entry in entries} == checks
    assert len(checks) == 3
