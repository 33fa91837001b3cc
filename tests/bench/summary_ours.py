"""The summary of a release, and its own statements without it: `manage.py bench summary`."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Self

from django.db import connection

from cases.models import Release
from reviews.report import summary
from tests.bench import cpu, driver


@dataclass
class Summed:
    """CPU seconds of the process and of the database, round by round."""

    reviews: int
    statements: int
    rows: int
    ours: list[float] = field(default_factory=list)
    raw: list[float] = field(default_factory=list)

    def printed(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, printed: str) -> Self:
        return cls(**json.loads(printed.splitlines()[-1]))


def measured(name: str, *, rounds: int, database_pids: list[int]) -> Summed:
    """In a process that has computed it before, and read it before."""
    release = Release.objects.select_related("rubric", "baseline").get(name=name)
    captured = driver.Captured()
    with connection.execute_wrapper(captured):
        found = summary.compute(release)
    statements = captured.statements
    told = Summed(found.reviews_in, len(statements), driver.fetch(statements))
    processes = [os.getpid(), *database_pids]
    for _ in range(rounds):
        told.ours.append(seconds(partial(summary.compute, release), processes))
        told.raw.append(seconds(partial(driver.fetch, statements), processes))
    return told


def seconds(act: Callable[[], object], processes: list[int]) -> float:
    before = cpu.cpu_seconds(processes)
    act()
    return cpu.cpu_seconds(processes) - before
