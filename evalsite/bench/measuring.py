"""One operation on both sites, alternating."""

import json
import math
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from evalsite.bench.load import Job, Result
from evalsite.bench.operations import Operation
from evalsite.bench.report import Row
from evalsite.bench.target import Ask, Target, UnexpectedAnswer
from evalsite.bench.weight import page_weight

NOISY = 1.5
WARM_UP = 3
EXPONENT_AT_MOST = 0.1


class Load:
    """The load generator's process, as an object with one method."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def run(self, job: Job) -> Result:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asdict(job)) + "\n")
        self.process.stdin.flush()
        return Result(**json.loads(self.process.stdout.readline()))


@contextmanager
def load_generator() -> Iterator[Load]:
    command = [sys.executable, "-m", "evalsite.bench.load"]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Load(process)


@dataclass
class Side:
    """What one of the two sites did over all rounds with one number of clients."""

    target: Target
    ask: Ask
    cpu_ms: list[float] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    def run_round(self, load: Load, *, clients: int, seconds: float) -> None:
        job = Job(
            port=self.target.site.port,
            method=self.ask.method,
            path=self.ask.path,
            headers=self.target.headers(self.ask),
            body=self.target.body(self.ask),
            status=self.ask.status,
            clients=clients,
            seconds=seconds,
        )
        before = self.target.cpu_seconds()
        result = load.run(job)
        spent = self.target.cpu_seconds() - before
        if not result.good:
            raise UnexpectedAnswer(
                f"No good answer to {self.ask.method} {self.ask.path}: {result.errors}\n"
                f"{self.target.site.log()[-3000:]}"
            )
        self.cpu_ms.append(spent * 1000 / result.good)
        self.results.append(result)

    @property
    def good(self) -> int:
        return sum(result.good for result in self.results)

    @property
    def errors(self) -> dict[str, int]:
        return dict(sum((Counter(result.errors) for result in self.results), Counter[str]()))

    def summary(self) -> dict[str, object]:
        return {
            "cpu_ms": self.cpu_ms,
            "good": self.good,
            "errors": self.errors,
            "p50_ms": statistics.median(result.p50_ms for result in self.results),
            "p95_ms": statistics.median(result.p95_ms for result in self.results),
            "per_second": self.good / sum(result.seconds for result in self.results),
            "rss_mb": self.target.rss_bytes() / 2**20,
        }


def ratios_of(one: Side, other: Side) -> list[float]:
    return [a / b for a, b in zip(one.cpu_ms, other.cpu_ms, strict=True)]


@dataclass(frozen=True)
class Bench:
    """Both sites on one database engine, and how long to look."""

    database: str
    ours: Target
    floor: Target
    load: Load
    clients: list[int]
    rounds: int
    seconds: float

    def measure(self, operation: Operation) -> Iterator[Row]:
        made_before = self.rows_made(operation)
        asked = [self.warm_up(self.ours, operation.ours), self.warm_up(self.floor, operation.floor)]
        yield self.sql_row(operation)
        asked = [count + 1 for count in asked]
        for clients in self.clients:
            ours, floor = Side(self.ours, operation.ours), Side(self.floor, operation.floor)
            self.alternate(ours, floor, clients)
            asked = [asked[0] + ours.good, asked[1] + floor.good]
            yield self.cpu_row(operation, clients, ours, floor)
        if operation.at_size and operation.sizes:
            yield self.growth_row(operation, operation.at_size, operation.sizes)
        if operation.never_reads:
            yield self.unread_row(operation)
        if operation.kilobytes_at_most is not None:
            yield self.weight_row(operation)
        if operation.makes:
            expected = [made_before[0] + asked[0], made_before[1] + asked[1]]
            yield self.made_row(operation, expected)

    def warm_up(self, target: Target, ask: Ask) -> int:
        for _ in range(WARM_UP):
            target.ask(ask)
        return WARM_UP

    def alternate(self, one: Side, other: Side, clients: int) -> None:
        for number in range(self.rounds):
            for side in (one, other) if number % 2 == 0 else (other, one):
                side.run_round(self.load, clients=clients, seconds=self.seconds)

    def cpu_row(self, operation: Operation, clients: int, ours: Side, floor: Side) -> Row:
        ratios = ratios_of(ours, floor)
        ratio = statistics.median(ratios)
        errors = Counter(ours.errors) + Counter(floor.errors)
        goal = operation.cpu_at_most
        return Row(
            self.database,
            operation.name,
            f"CPU ms, {clients} clients",
            ours=statistics.median(ours.cpu_ms),
            floor=statistics.median(floor.cpu_ms),
            ratio=ratio,
            goal="" if goal is None else f"<= {goal:g}x, no errors",
            passed=None if goal is None else ratio <= goal and not errors,
            noisy=max(ratios) / min(ratios) > NOISY,
            more={
                "clients": clients,
                "ratios": ratios,
                "errors": dict(errors),
                "ours": ours.summary(),
                "floor": floor.summary(),
            },
        )

    def sql_row(self, operation: Operation) -> Row:
        ours = self.ours.sql_count(operation.ours)
        goal = operation.sql_at_most
        return Row(
            self.database,
            operation.name,
            "SQL",
            ours=ours,
            floor=self.floor.sql_count(operation.floor),
            goal="" if goal is None else f"<= {goal}",
            passed=None if goal is None else ours <= goal,
        )

    def growth_row(
        self, operation: Operation, ask: Callable[[int], Ask], sizes: tuple[int, int]
    ) -> Row:
        """Many against few, both on our site."""
        small, large = (Side(self.ours, ask(size)) for size in sizes)
        for side in (small, large):
            self.warm_up(self.ours, side.ask)
        self.alternate(large, small, self.clients[0])
        ratios = ratios_of(large, small)
        ratio = statistics.median(ratios)
        exponent = math.log(ratio) / math.log(sizes[1] / sizes[0])
        return Row(
            self.database,
            operation.name,
            f"CPU ms, {sizes[1]:,} {operation.sql_equal_with} against {sizes[0]:,}",
            ours=statistics.median(large.cpu_ms),
            floor=statistics.median(small.cpu_ms),
            ratio=ratio,
            goal=f"exponent {exponent:.2f} <= {EXPONENT_AT_MOST:g}",
            passed=exponent <= EXPONENT_AT_MOST,
            noisy=max(ratios) / min(ratios) > NOISY,
            more={"ratios": ratios, "exponent": exponent},
        )

    def unread_row(self, operation: Operation) -> Row:
        found = self.ours.sql_holding(operation.ours, operation.never_reads)
        return Row(
            self.database,
            operation.name,
            f"SQL that reads {operation.never_reads}",
            ours=found,
            goal="0",
            passed=found == 0,
        )

    def weight_row(self, operation: Operation) -> Row:
        parts = page_weight(self.ours, operation.ours)
        kilobytes = sum(parts.values()) / 1000
        goal = operation.kilobytes_at_most
        assert goal is not None
        return Row(
            self.database,
            operation.name,
            "KB with scripts and styles",
            ours=kilobytes,
            goal=f"<= {goal}",
            passed=kilobytes <= goal,
            more={"parts": parts},
        )

    def rows_made(self, operation: Operation) -> list[int]:
        if not operation.makes:
            return [0, 0]
        return [target.rows_in(operation.makes) for target in (self.ours, self.floor)]

    def made_row(self, operation: Operation, expected: list[int]) -> Row:
        """Nothing lost, nothing twice: the table holds a row for each good answer."""
        made = self.rows_made(operation)
        return Row(
            self.database,
            operation.name,
            f"rows of {operation.makes}",
            ours=made[0],
            floor=made[1],
            goal=f"{expected[0]} and {expected[1]}",
            passed=made == expected,
        )
