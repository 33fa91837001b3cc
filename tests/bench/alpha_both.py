"""Ordinal alpha of many cases, ours with its interval and a point estimate of `krippendorff`.

A process of its own: that package is for tests and tools, and takes gigabytes.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np

from reviews.agreement import alpha, pattern_table_from_counts
from reviews.agreement.table import Ints

LEVELS = range(6)
REVIEWS = 3


def counts_of(cases: int, seed: int) -> Ints:
    """How many of three reviewers chose each level; they come near what a case deserves."""
    chance = np.random.default_rng(seed)
    deserved = chance.integers(0, len(LEVELS), size=(cases, 1))
    apart = chance.choice([-1, 0, 1, 2], p=[0.2, 0.6, 0.18, 0.02], size=(cases, REVIEWS))
    given = np.clip(deserved + apart, 0, len(LEVELS) - 1)
    return np.stack([(given == level).sum(axis=1) for level in LEVELS], axis=1)


def ours(counts: Ints) -> float:
    result = alpha(pattern_table_from_counts(counts, LEVELS))
    assert result.value is not None
    assert result.low is not None
    return result.value


def theirs(counts: Ints) -> float:
    found = krippendorff.alpha(
        value_counts=counts, value_domain=list(LEVELS), level_of_measurement="ordinal"
    )
    return float(found)


def timed(act: Callable[[Ints], float], counts: Ints) -> dict[str, float]:
    started = time.process_time()
    value = act(counts)
    return {"value": value, "cpu_seconds": time.process_time() - started}


def main() -> None:
    job: dict[str, Any] = json.loads(sys.argv[1])
    counts = counts_of(job["cases"], job["seed"])
    warm_up = counts[:100]
    ours(warm_up)
    theirs(warm_up)
    sys.stdout.write(
        json.dumps({"ours": timed(ours, counts), "theirs": timed(theirs, counts)}) + "\n"
    )


if __name__ == "__main__":
    main()
