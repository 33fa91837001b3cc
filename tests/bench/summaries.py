"""The summary of a large release, against the raw SQL of the same counts."""

import statistics
from dataclasses import asdict

from tests import servers
from tests.bench.measuring import NOISY
from tests.bench.report import Row
from tests.bench.summary_ours import Summed

OPERATION = "summary of a large release"
RATIO_AT_MOST = 3


def measure(database: str, url: str, release: str, rounds: int, database_pids: list[int]) -> Row:
    """In a process of its own."""
    pids = [f"--database-pid={pid}" for pid in database_pids]
    printed = servers.manage(url, "bench", "summary", release, f"--rounds={rounds}", *pids)
    return row_of(database, Summed.read(printed))


def row_of(database: str, found: Summed) -> Row:
    ratios = [a / b for a, b in zip(found.ours, found.raw, strict=True)]
    ratio = statistics.median(ratios)
    return Row(
        database,
        OPERATION,
        f"CPU s, {found.reviews:,} reviews",
        ours=statistics.median(found.ours),
        floor=statistics.median(found.raw),
        ratio=ratio,
        goal=f"<= {RATIO_AT_MOST:g}x",
        passed=ratio <= RATIO_AT_MOST,
        noisy=max(ratios) / min(ratios) > NOISY,
        more={"ratios": ratios} | asdict(found),
    )
