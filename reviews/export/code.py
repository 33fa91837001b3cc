"""The version of the code that computed a report, and a digest over its source."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path

from .records import CodeRecord

ROOT = Path(__file__).resolve().parents[2]


@cache
def read_code_version() -> CodeRecord:
    """Return the version and a digest over the paths and sources of cases/ and reviews/."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    digest = hashlib.sha256()
    for path in sorted([*ROOT.glob("cases/**/*.py"), *ROOT.glob("reviews/**/*.py")]):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return CodeRecord(version=project["project"]["version"], digest=digest.hexdigest())
