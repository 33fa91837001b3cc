"""One operation on both sites, alternating."""

import json
import math
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from tests.bench.load import Job, Result
from tests.bench.operations import Operation
from tests.bench.report import Row
from tests.bench.stock import Asks, Same
from tests.bench.target import Ask, Target, UnexpectedAnswer
from tests.bench.weight import page_weight

NOISY = 1.5
WARM_UP = 3
# Clients that read while others write.
READERS = 8
# What can be sent only once is not spent faster than this, or twice by each client.
MOST_A_SECOND = 100


def at_most(clients: int, seconds: float) -> int:
    return max(math.ceil(seconds * MOST_A_SECOND), 2 * clients)


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
    command = [sys.executable, "-m", "tests.bench.load"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Load(process)


@dataclass
class Side:
    """What one of the sites did over all rounds with one number of clients.

    `beside` is what readers ask for meanwhile.
    """

    target: Target
    asks: Asks
    beside: Sequence[Ask] = ()
    cpu_ms: list[float] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    def run_round(
        self, load: Load, *, clients: int, seconds: float, most: int | None = None
    ) -> None:
        asks = self.asks.next(most or at_most(clients, seconds))
        job = Job(
            port=self.target.site.port,
            requests=[self.target.request(ask) for ask in asks],
            clients=clients,
            seconds=seconds,
            once=self.asks.once,
            beside=[self.target.request(ask) for ask in self.beside],
            readers=READERS if self.beside else 0,
        )
        before = self.target.cpu_seconds()
        result = load.run(job)
        spent = self.target.cpu_seconds() - before
        self.asks.used(result.sent)
        if not result.good:
            raise UnexpectedAnswer(
                f"No good answer to {asks[:1]}: {result.errors}\n{self.target.site.log()[-3000:]}"
            )
        self.cpu_ms.append(spent * 1000 / result.good)
        self.results.append(result)

    @property
    def per_second(self) -> list[float]:
        return [result.good / result.seconds for result in self.results]

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


def next_of(asks: Asks) -> Ask:
    ask = asks.next(1)[0]
    asks.used(1)
    return ask


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
        asks = operation.asks
        first_looks = self.warm_up(self.ours, asks)
        self.warm_up(self.floor, Same(operation.floor))
        if asks.lap > 1:
            yield self.first_look_row(operation, first_looks)
        yield self.sql_row(operation)
        asked = [WARM_UP + 1, WARM_UP + 1]
        for clients in self.clients:
            ours, floor = Side(self.ours, asks), Side(self.floor, Same(operation.floor))
            self.alternate([ours, floor], clients)
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

    def warm_up(self, target: Target, asks: Asks) -> float:
        """Whoever keeps something for the next time has it afterwards. CPU ms of each request."""
        warm = [next_of(asks) for _ in range(max(WARM_UP, asks.lap))]
        for ask in warm:
            target.headers(ask)  # signs in
        before = target.cpu_seconds()
        for ask in warm:
            target.ask(ask)
        return (target.cpu_seconds() - before) * 1000 / len(warm)

    def alternate(self, sides: Sequence[Side], clients: int, most: int | None = None) -> None:
        """Another one is first in every round."""
        for number in range(self.rounds):
            first = number % len(sides)
            for side in [*sides[first:], *sides[:first]]:
                side.run_round(self.load, clients=clients, seconds=self.seconds, most=most)

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
        ours = self.ours.sql_count(next_of(operation.asks))
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

    def first_look_row(self, operation: Operation, cpu_ms: float) -> Row:
        """What a process pays that has kept nothing yet."""
        quantity = f"CPU ms, first look at each of {operation.asks.lap}"
        return Row(self.database, operation.name, quantity, ours=cpu_ms)

    def growth_row(
        self, operation: Operation, ask: Callable[[int], Ask], sizes: tuple[int, int]
    ) -> Row:
        """Many against few, both on our site."""
        small, large = (Side(self.ours, Same(ask(size))) for size in sizes)
        for side in (small, large):
            self.warm_up(self.ours, side.asks)
        self.alternate([large, small], self.clients[0])
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
        found = self.ours.sql_holding(next_of(operation.asks), operation.never_reads)
        return Row(
            self.database,
            operation.name,
            f"SQL that reads {operation.never_reads}",
            ours=found,
            goal="0",
            passed=found == 0,
        )

    def weight_row(self, operation: Operation) -> Row:
        parts = page_weight(self.ours, next_of(operation.asks))
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
        ours, floor = operation.makes
        return [self.ours.rows_in(ours), self.floor.rows_in(floor)]

    def made_row(self, operation: Operation, expected: list[int]) -> Row:
        """Nothing lost, nothing twice: the table holds a row for each good answer."""
        made = self.rows_made(operation)
        assert operation.makes is not None
        return Row(
            self.database,
            operation.name,
            f"rows of {operation.makes[0]}",
            ours=made[0],
            floor=made[1],
            goal=f"{expected[0]} and {expected[1]}",
            passed=made == expected,
        )
