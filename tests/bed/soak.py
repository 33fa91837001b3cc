"""One test, two sizes: short in `make test`, as long as the issues ask in `make soak`."""

import json
import os

import pytest

SOAKING = bool(os.environ.get("SPOTCHECK_SOAK"))
ONLY = pytest.mark.skipif(not SOAKING, reason="long by its nature: make soak runs it")


def size(*, short: int, long: int) -> int:
    return long if SOAKING else short


def report(what: str, *, tried: int, bad: int, **more: object) -> None:
    """The line of `make soak`; a test calls it before it asserts. `more` is what it saw."""
    if SOAKING:
        print("\n" + json.dumps({"what": what, "tried": tried, "bad": bad, **more}), flush=True)
