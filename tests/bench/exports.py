"""The files of a large release, against its rows read back raw."""

import statistics
from collections.abc import Iterator
from dataclasses import asdict

from tests import servers
from tests.bench import export_ours
from tests.bench.export_ours import Exported
from tests.bench.measuring import NOISY
from tests.bench.report import Row

OPERATION = "export"
STREAMED = ("wide", "long")
SHARE_AT_LEAST = 1 / 15
MEGABYTES_AT_MOST = 32


def measure(
    database: str,
    url: str,
    release: str,
    *,
    warm_up: str,
    kinds: list[str],
    rounds: int,
    database_pids: list[int],
) -> Iterator[Row]:
    """In a process of its own. `warm_up` is a small release."""
    arguments = ["bench", "export", release, warm_up, f"--rounds={rounds}"]
    arguments += [f"--kind={kind}" for kind in kinds]
    arguments += [f"--database-pid={pid}" for pid in database_pids]
    for found in export_ours.read(servers.manage(url, *arguments)):
        yield share_row(database, found)
        yield memory_row(database, found)


def share_row(database: str, found: Exported) -> Row:
    """Reviews per CPU second. Only what holds the reviews and nothing else has a goal."""
    shares = [b / a for a, b in zip(found.ours, found.raw, strict=True)]
    share = statistics.median(shares)
    has_goal = found.what in STREAMED
    return Row(
        database,
        f"{OPERATION}, {found.what}",
        f"reviews per CPU s, {found.reviews:,} reviews",
        ours=found.reviews / statistics.median(found.ours),
        floor=found.reviews / statistics.median(found.raw),
        ratio=share,
        goal=f">= {SHARE_AT_LEAST:.3g}x" if has_goal else "",
        passed=share >= SHARE_AT_LEAST if has_goal else None,
        noisy=max(shares) / min(shares) > NOISY,
        more={"shares": shares} | asdict(found),
    )


def memory_row(database: str, found: Exported) -> Row:
    grown = found.grown_bytes / 2**20
    has_goal = found.what in STREAMED
    return Row(
        database,
        f"{OPERATION}, {found.what}",
        f"MB more at peak, {found.reviews:,} reviews",
        ours=grown,
        goal=f"<= {MEGABYTES_AT_MOST}" if has_goal else "",
        passed=grown <= MEGABYTES_AT_MOST if has_goal else None,
    )
