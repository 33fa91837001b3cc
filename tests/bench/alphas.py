"""Ordinal alpha with its interval, against one point estimate of the package that people use."""

import json
import statistics
from typing import Any

from tests import servers
from tests.bench.measuring import NOISY
from tests.bench.report import Row

OPERATION = "ordinal alpha with interval"
RATIO_AT_MOST = 1 / 20
# Both compute the same figure.
APART_AT_MOST = 1e-9


def measure(cases: int, rounds: int, seed: int) -> Row:
    """Each round is a new process, as one figure is asked for. A database has no part in it."""
    job = json.dumps({"cases": cases, "seed": seed})
    program = ("-m", "tests.bench.alpha_both", job)
    printed = [servers.run_python("sqlite://:memory:", *program) for _ in range(rounds)]
    return row_of(cases, [json.loads(one.splitlines()[-1]) for one in printed])


def row_of(cases: int, rounds: list[dict[str, Any]]) -> Row:
    ratios = [one["ours"]["cpu_seconds"] / one["theirs"]["cpu_seconds"] for one in rounds]
    apart = max(abs(one["ours"]["value"] - one["theirs"]["value"]) for one in rounds)
    ratio = statistics.median(ratios)
    return Row(
        "any",
        OPERATION,
        f"CPU s, {cases:,} cases",
        ours=statistics.median(one["ours"]["cpu_seconds"] for one in rounds),
        floor=statistics.median(one["theirs"]["cpu_seconds"] for one in rounds),
        ratio=ratio,
        goal=f"<= {RATIO_AT_MOST:g}x, the same figure",
        passed=ratio <= RATIO_AT_MOST and apart <= APART_AT_MOST,
        noisy=max(ratios) / min(ratios) > NOISY,
        more={"rounds": rounds, "ratios": ratios},
    )
