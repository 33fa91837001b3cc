"""What reviewers do, in databases with few and with many reviews: docs/bench.md."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from tests import servers
from tests.bench import stock as stocks
from tests.bench.measuring import EXPONENT_AT_MOST, NOISY, Bench, Side, at_most, next_of
from tests.bench.operations import FLOOR_PAGE, FLOOR_SUBMIT, Operation, desk_operations
from tests.bench.report import Row
from tests.bench.reviewed import WAITING, reviewed_name
from tests.bench.seeding import reviewer_name
from tests.bench.stock import Same, Stock, Submits
from tests.bench.target import Ask, Target, rows_in

STORM = "submits while others read"
STORM_CLIENTS = 32
STORM_AT_LEAST = 1 / 4  # of the floor's submits
# A sample's worth.
DESKS = 40
# With so many reviews in the tables a report costs what it costs; with more, hardly more.
FEW_REVIEWS = 10_000
# Enough to tell how much one costs, and few beside what is in the smallest database.
SUBMITS_A_ROUND = 20


def waiting_needed(clients: Sequence[int], rounds: int, seconds: float) -> tuple[int, int]:
    """How many reviews are used up in the largest database, and in each of the others.

    What people submit, scripts submit too.
    """
    growth = 2 * (rounds * SUBMITS_A_ROUND + 10)
    all_clients = [*clients, *clients, STORM_CLIENTS]
    return rounds * sum(at_most(one, seconds) for one in all_clients) + growth, growth


@dataclass(frozen=True)
class Sized:
    """A site over a database with so many reviews, in so many releases.

    `desks` are open ones of people whose work is the same at every size.
    """

    target: Target
    stock: Stock
    releases: int
    desks: Sequence[Ask]
    reviews: int

    @classmethod
    def of(cls, target: Target, releases: int) -> "Sized":
        url = target.database_url
        stock = stocks.waiting_in(url)
        busy = {who for _pk, who in stock.reviews}
        desks = stocks.desks_in(url, reviewed_name(releases), most=DESKS, besides=busy)
        return cls(target, stock, releases, desks, rows_in(url, "reviews_review"))

    @property
    def operations(self) -> list[Operation]:
        return desk_operations(self.stock, desks=self.desks, releases=self.releases)


@dataclass(frozen=True)
class Desks:
    """From the fewest reviews to the most; everything but growth is measured with the most."""

    bench: Bench
    sizes: Sequence[Sized]

    @property
    def largest(self) -> Sized:
        return self.sizes[-1]

    @property
    def database(self) -> str:
        return self.bench.database

    def measure(self, say: Callable[[str], object], only: str = "") -> Iterator[Row]:
        """Measure all, or nothing but operations whose name contains `only`."""
        for operation in self.largest.operations:
            if only in operation.name:
                say(f"{self.database}: {operation.name}")
                yield from self.bench.measure(operation)
        if only:
            return
        yield self.answers_row()
        say(f"{self.database}: {STORM}")
        yield from self.storm_rows()
        if len(self.sizes) > 1:
            say(f"{self.database}: growth with reviews")
            for same in zip(*(one.operations for one in self.sizes), strict=True):
                yield from self.growth_rows(same)
        for one in self.sizes:
            yield self.kept_row(one)
        yield self.ledger_row()

    def answers_row(self) -> Row:
        """Statements of a submit with one answer, and with all of the rubric."""
        target = self.largest.target
        one = Submits(stocks.with_one_question(target.database_url))
        target.ask(next_of(one))
        counts = [target.sql_count(next_of(asks)) for asks in (one, Submits(self.largest.stock))]
        return Row(
            self.database,
            "submit",
            "SQL with 1, 8 answers",
            ours=", ".join(map(str, counts)),
            goal="equal",
            passed=counts[0] == counts[1],
        )

    def storm_rows(self) -> Iterator[Row]:
        """Submits a second, with readers on the same site."""
        largest = self.largest
        next_case = Ask("/reviews/next/", who=reviewer_name(1), status=302)
        read = [one for desk in largest.desks for one in (desk, next_case)]
        items = self.bench.floor.rows_in("floor_item"), self.bench.floor.rows_in("floor_answer")
        ours = Side(largest.target, Submits(largest.stock), read)
        floor = Side(self.bench.floor, Same(FLOOR_SUBMIT), [FLOOR_PAGE])
        self.bench.alternate([ours, floor], STORM_CLIENTS)
        ratios = [a / b for a, b in zip(ours.per_second, floor.per_second, strict=True)]
        ratio = statistics.median(ratios)
        errors = Counter(ours.errors) + Counter(floor.errors)
        yield Row(
            self.database,
            STORM,
            f"submits/s, {STORM_CLIENTS} clients",
            ours=statistics.median(ours.per_second),
            floor=statistics.median(floor.per_second),
            ratio=ratio,
            goal=f">= {STORM_AT_LEAST:g}x, no errors",
            passed=ratio >= STORM_AT_LEAST and not errors,
            noisy=max(ratios) / min(ratios) > NOISY,
            more={
                "ratios": ratios,
                "errors": dict(errors),
                "read": [sum(one.read for one in side.results) for side in (ours, floor)],
                "cpu_ms": {"ours": ours.cpu_ms, "floor": floor.cpu_ms},
            },
        )
        found = self.bench.floor.rows_in("floor_item"), self.bench.floor.rows_in("floor_answer")
        wanted = items[0] + floor.good, items[1] + 8 * floor.good
        yield Row(
            self.database,
            STORM,
            "floor: items, answers",
            ours=", ".join(map(str, found)),
            goal=", ".join(map(str, wanted)),
            passed=found == wanted,
        )

    def growth_rows(self, same: Sequence[Operation]) -> Iterator[Row]:
        """One operation at every size, each with the same work at hand."""
        sides = [
            Side(one.target, operation.asks)
            for one, operation in zip(self.sizes, same, strict=True)
        ]
        for side in sides:
            self.bench.warm_up(side.target, side.asks)
        self.bench.alternate(sides, self.bench.clients[0], SUBMITS_A_ROUND)
        grown = Grown(
            self.database,
            same[0],
            [one.reviews for one in self.sizes],
            [side.cpu_ms for side in sides],
            sum((Counter(side.errors) for side in sides), Counter[str]()),
        )
        yield grown.exponent_row()
        if same[0].growth_at_most is not None:
            yield grown.ratio_row(same[0].growth_at_most)

    def kept_row(self, one: Sized) -> Row:
        """Nothing lost, nothing twice: of every save and submit that was answered well."""
        found = stocks.kept(one.target.database_url)
        wanted = stocks.expected(one.stock)
        return Row(
            self.database,
            "submit",
            f"reviews kept whole, of {one.reviews:,}",
            ours=found.whole,
            goal=f"{wanted.whole}, no part lost or twice",
            passed=found == wanted,
            more={"found": asdict(found), "wanted": asdict(wanted)},
        )

    def ledger_row(self) -> Row:
        try:
            servers.manage(self.largest.target.database_url, "verify_ledger", WAITING)
        except servers.StartFailed as broken:
            return Row(
                self.database,
                "submit",
                "ledger",
                ours="broken",
                goal="in order",
                passed=False,
                more={"words": str(broken)},
            )
        return Row(self.database, "submit", "ledger", ours="in order", goal="in order", passed=True)


@dataclass(frozen=True)
class Grown:
    """What one operation took at each size, round by round."""

    database: str
    operation: Operation
    reviews: Sequence[int]
    cpu_ms: Sequence[Sequence[float]]
    errors: Counter[str]

    def exponent_row(self) -> Row:
        found = exponents(self.reviews, self.cpu_ms)
        exponent = statistics.median(found)
        return Row(
            self.database,
            self.operation.name,
            f"exponent of CPU, {self.reviews[0]:,} to {self.reviews[-1]:,} reviews",
            ours=exponent,
            goal=f"<= {EXPONENT_AT_MOST:g}, no errors",
            passed=exponent <= EXPONENT_AT_MOST and not self.errors,
            noisy=max(found) - min(found) > EXPONENT_AT_MOST,
            more={
                "exponents": found,
                "errors": dict(self.errors),
                "cpu_ms": dict(zip(self.reviews, self.cpu_ms, strict=True)),
            },
        )

    def ratio_row(self, goal: float) -> Row:
        """The most reviews against few; against the fewest, if a run has no such size."""
        few = next((i for i, one in enumerate(self.reviews[:-1]) if one >= FEW_REVIEWS), 0)
        ratios = [a / b for a, b in zip(self.cpu_ms[-1], self.cpu_ms[few], strict=True)]
        ratio = statistics.median(ratios)
        return Row(
            self.database,
            self.operation.name,
            f"CPU ms, {self.reviews[-1]:,} reviews against {self.reviews[few]:,}",
            ours=statistics.median(self.cpu_ms[-1]),
            floor=statistics.median(self.cpu_ms[few]),
            ratio=ratio,
            goal=f"<= {goal:g}x, no errors",
            passed=ratio <= goal and not self.errors,
            noisy=max(ratios) / min(ratios) > NOISY,
            more={"ratios": ratios, "errors": dict(self.errors)},
        )


def exponents(sizes: Sequence[int], cpu_ms: Sequence[Sequence[float]]) -> list[float]:
    """For each round the slope of log CPU over log reviews."""
    logs = [math.log(size) for size in sizes]
    return [
        statistics.linear_regression(logs, [math.log(one) for one in in_a_round]).slope
        for in_a_round in zip(*cpu_ms, strict=True)
    ]
