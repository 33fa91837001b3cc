"""What one import cost, told by the process that did it to the one that compares."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Self

from tests.bench import cpu


@dataclass(frozen=True)
class Cost:
    """CPU is that of the process and of the database; memory that of the process alone."""

    cases: int
    cpu_seconds: float
    seconds: float
    peak_bytes: int

    @property
    def cases_per_cpu_second(self) -> float:
        return self.cases / self.cpu_seconds

    def printed(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, printed: str) -> Self:
        """The last line is ours; whoever ran before may have printed too."""
        return cls(**json.loads(printed.splitlines()[-1]))


def cost_of(act: Callable[[], int], *, database_pids: list[int]) -> Cost:
    """`act` gives the number of cases it wrote."""
    processes = [os.getpid(), *database_pids]
    started, before = time.perf_counter(), cpu.cpu_seconds(processes)
    cases = act()
    spent = cpu.cpu_seconds(processes) - before
    return Cost(cases, spent, time.perf_counter() - started, cpu.peak_rss_bytes())
