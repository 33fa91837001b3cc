"""The tables of docs/verdict.md, in percent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from reviews.comparison import Prior

from .simulation import FLOOR, Compared, World, simulate, simulate_change

PLAN = (5, 8, 12)
SINGLE = ((5,), (8,), (12,), (20,))
MEANS = (2.0, 2.5, 3.0, 3.5, 3.8, 4.0, 4.2, 4.4)
READERS = (1, 2, 3, 4)
SEVERITIES = (0.0, 0.25, 0.4)
CASE_SDS = (0.5, 0.7, 1.0, 1.2)
SHARED = tuple(range(2, 21))
# As estimated from many closed releases.
ESTIMATED = Prior(0.9, 8)


@dataclass(frozen=True)
class Row:
    name: str
    cells: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        return f"| {self.name} | " + " | ".join(map(format_cell, self.cells)) + " |"


def format_cell(shares: tuple[float, ...]) -> str:
    return " / ".join(f"{100 * share:.1f}" for share in shares)


@dataclass(frozen=True)
class Table:
    """Shares in percent; `make` computes a row. A cell may hold several shares."""

    title: str
    head: tuple[str, ...]
    names: tuple[str, ...]
    make: Callable[[str, int, int], Row]

    def print(self, *, runs: int, seed: int) -> Iterator[str]:
        yield f"**{self.title}**"
        yield ""
        yield "| " + " | ".join(self.head) + " |"
        yield "| --- |" + " --- |" * (len(self.head) - 1)
        for name in self.names:
            yield str(self.make(name, runs, seed))


def name_plan(looks: Sequence[int], reviewers: int) -> str:
    return f"{', '.join(map(str, looks))} x {reviewers}"


def read_name(name: str) -> tuple[tuple[int, ...], int]:
    looks, reviewers = name.split(" x ")
    return tuple(map(int, looks.split(", "))), int(reviewers)


def tabulate_words(part: int, case_sd: float = 0.7, severity: float = 0.25) -> Table:
    """Tabulate GO / NO-GO by true mean, of a metric (0) or of the release (1)."""

    def make(name: str, runs: int, seed: int) -> Row:
        looks, reviewers = read_name(name)
        cells = []
        for mean in MEANS:
            world = World(mean, reviewers, case_sd, severity)
            found = simulate(world, looks, runs=runs, seed=seed)[part]
            cells.append((found.go, found.no_go))
        return Row(name, tuple(cells))

    what = "a release of two such metrics" if part else "one metric, by its limits alone"
    return Table(
        f"GO / NO-GO of {what}, in percent (case SD {case_sd}, severity {severity}, floor 3.0)",
        ("looks x reviews", *(f"{mean:.1f}" for mean in MEANS)),
        tuple(name_plan(looks, k) for looks in (*SINGLE, PLAN) for k in READERS),
        make,
    )


def list_worlds() -> dict[str, World]:
    worlds = {
        f"SD {case_sd}, severity {severity}": World(FLOOR, case_sd=case_sd, severity=severity)
        for severity in SEVERITIES
        for case_sd in CASE_SDS
    }
    worlds["two peaks, SD 1.0, severity 0.25"] = World(FLOOR, case_sd=1.0, two_peaks=True)
    return worlds


def tabulate_false_go(looks: Sequence[int], prior: Prior | None = None) -> Table:
    worlds = list_worlds()

    def make(name: str, runs: int, seed: int) -> Row:
        found = [
            simulate(replace(worlds[name], reviewers=k), looks, runs=runs, seed=seed, prior=prior)[
                0
            ].go
            for k in READERS
        ]
        return Row(name, tuple((share,) for share in found))

    told = f", prior worth {prior.degrees} cases" if prior else ""
    return Table(
        f"False GO of one metric at its floor, in percent, looks at {', '.join(map(str, looks))}"
        + told,
        ("world", *(f"k = {k}" for k in READERS)),
        tuple(worlds),
        make,
    )


def tabulate_prior() -> Table:
    def make(name: str, runs: int, seed: int) -> Row:
        looks, reviewers = read_name(name)
        cells = [
            tuple(
                simulate(World(mean, reviewers), looks, runs=runs, seed=seed, prior=prior)[0].go
                for prior in (Prior(), ESTIMATED)
            )
            for mean in MEANS[2:]
        ]
        return Row(name, tuple(cells))

    return Table(
        "GO of one metric with the default prior / with one worth 8 cases, in percent",
        ("looks x reviews", *(f"{mean:.1f}" for mean in MEANS[2:])),
        tuple(name_plan(looks, k) for looks in ((5,), PLAN) for k in (2, 3)),
        make,
    )


def tabulate_change(cases: int, *, by_others: bool) -> Table:
    """Tabulate by the number of shared cases what is found and what it costs."""
    names = tuple(str(count) for count in SHARED if count <= cases)
    kept: dict[tuple[float, int, int], list[Compared]] = {}

    def find(drop: float, runs: int, seed: int) -> list[Compared]:
        key = drop, runs, seed
        if key not in kept:
            kept[key] = simulate_change(
                World(4.0),
                cases,
                [int(name) for name in names],
                drop=drop,
                by_others=by_others,
                runs=runs,
                seed=seed,
            )
        return kept[key]

    def make(name: str, runs: int, seed: int) -> Row:
        row = names.index(name)
        same, half, whole = (find(drop, runs, seed)[row] for drop in (0.0, 0.5, 1.0))
        return Row(name, ((same.found,), (same.go,), (half.found,), (half.go,), (whole.found,)))

    who = "other reviewers" if by_others else "the same reviewers"
    return Table(
        f"A release of {cases} cases at 4.0 x 2 reviews against a baseline read by {who}, percent",
        (
            "shared cases",
            "false drop, a metric",
            "GO, no change",
            "drop of 0.5 found, a metric",
            "GO, fell by 0.5",
            "drop of 1.0 found, a metric",
        ),
        names,
        make,
    )


def list_tables() -> list[Table]:
    """List the tables of docs/verdict.md."""
    return [
        tabulate_words(0),
        tabulate_words(1),
        tabulate_false_go(PLAN),
        tabulate_false_go((5,)),
        tabulate_prior(),
        tabulate_false_go(PLAN, ESTIMATED),
        tabulate_change(12, by_others=False),
        tabulate_change(12, by_others=True),
    ]


def list_all_tables() -> list[Table]:
    return [
        *list_tables(),
        *(tabulate_false_go(looks) for looks in SINGLE[1:]),
        *(tabulate_change(20, by_others=by_others) for by_others in (False, True)),
        *(
            tabulate_words(part, case_sd, severity)
            for severity in SEVERITIES
            for case_sd in CASE_SDS
            for part in (0, 1)
            if (case_sd, severity) != (0.7, 0.25)
        ),
    ]
