"""How the cost of a draw grows with the pool."""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from tests import servers
from tests.bench.cost import Cost
from tests.bench.report import Row
from tests.bench.seeding import release_name

OPERATION = "draw of a sample"
# What an admin waits for at most, at the size that a pool may have.
LARGE, SECONDS_AT_MOST = 100_000, 2.0
# Sorting grows a little faster than its input. Over less than two powers of ten it is noise.
EXPONENT_AT_MOST = 1.1
WIDE_ENOUGH = 100


def measure(
    database: str, url: str, sizes: Sequence[int], database_pids: list[int]
) -> Iterator[Row]:
    """In the releases that the imports left behind, one draw each, in a process of their own."""
    pids = [f"--database-pid={pid}" for pid in database_pids]
    names = [release_name(size) for size in sorted(sizes)]
    printed = servers.manage(url, "bench", "draw", *names, *pids).splitlines()
    costs = [Cost.read(line) for line in printed[-len(names) :]]
    for size, cost in zip(sorted(sizes), costs, strict=True):
        yield cost_row(database, size, cost)
    if len(costs) > 1:
        yield exponent_row(database, costs)


def cost_row(database: str, size: int, cost: Cost) -> Row:
    is_large = size == LARGE
    is_quick = not is_large or cost.cpu_seconds <= SECONDS_AT_MOST
    return Row(
        database,
        OPERATION,
        f"CPU s, {size:,} cases",
        ours=cost.cpu_seconds,
        goal=f"<= {SECONDS_AT_MOST:g}, a pool of {size:,}" if is_large else f"a pool of {size:,}",
        passed=cost.cases == size and is_quick,
        more={"cost": asdict(cost)},
    )


def exponent_row(database: str, costs: Sequence[Cost]) -> Row:
    """Of CPU over the number of cases in the pool."""
    found = statistics.linear_regression(
        [math.log(cost.cases) for cost in costs], [math.log(cost.cpu_seconds) for cost in costs]
    ).slope
    is_wide = costs[-1].cases >= WIDE_ENOUGH * costs[0].cases
    return Row(
        database,
        OPERATION,
        "exponent of CPU over cases",
        ours=found,
        goal=f"<= {EXPONENT_AT_MOST:g}" if is_wide else "",
        passed=found <= EXPONENT_AT_MOST if is_wide else None,
        more={"seconds": {cost.cases: cost.seconds for cost in costs}},
    )
