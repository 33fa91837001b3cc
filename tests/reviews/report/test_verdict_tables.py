"""The tables of docs/verdict.md: a small run agrees, and they keep what the page promises."""

from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import mean

import pytest

from tests.bench.verdicts.tables import MEANS, PLAN, Table, list_tables, name_plan

DOC = Path(__file__).parents[3] / "docs" / "verdict.md"
RUNS, RUNS_OF_THE_DOC = 400, 4000
TABLES = list_tables()
# Two cells in a thousand are further off than so many standard errors; there are about 200.
FAR = 4.5


def read_table(table: Table) -> dict[str, list[list[float]]]:
    """Read the shares of a table of the page, by row."""
    _before, found, rest = DOC.read_text("utf-8").partition(f"**{table.title}**\n\n")
    assert found, table.title
    head, _line, *lines = rest.partition("\n\n")[0].splitlines()
    assert head == "| " + " | ".join(table.head) + " |"
    rows = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in lines]
    return {
        name: [[float(share) / 100 for share in cell.split(" / ")] for cell in cells]
        for name, *cells in rows
    }


def find(number: int) -> dict[str, list[list[float]]]:
    return read_table(TABLES[number])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title[:60])
def test_a_small_run_agrees_with_the_table_of_the_page(table: Table) -> None:
    told = read_table(table)
    assert tuple(told) == table.names
    for name in table.names[:: max(1, len(table.names) // 2)]:
        row = table.make(name, RUNS, 11)
        for cell, shares in zip(told[name], row.cells, strict=True):
            for share, small in zip(cell, shares, strict=True):
                spread = max(share * (1 - share), 0.01)
                error = sqrt(spread * (1 / RUNS + 1 / RUNS_OF_THE_DOC))
                assert abs(share - small) < FAR * error, (name, share, small)


def test_a_metric_at_its_floor_earns_a_false_go_in_at_most_one_of_twenty() -> None:
    for number in (2, 3):
        for name, cells in find(number).items():
            if name.startswith(("SD 0.5", "SD 0.7", "SD 1.0")) and not name.endswith("0.4"):
                for (share,) in cells[1:]:
                    assert share <= 0.05, name


def test_a_good_metric_earns_its_go() -> None:
    rows, place = find(0), MEANS.index(4.0)
    assert rows[name_plan(PLAN, 2)][place][0] >= 0.85
    assert rows[name_plan((5,), 2)][place][0] >= 0.50


def test_a_third_review_costs_no_go_on_average() -> None:
    for number in (0, 1):
        rows = find(number)
        for name, cells in rows.items():
            if name.endswith(" x 2"):
                third = rows[name.replace(" x 2", " x 3")]
                gains = [with_[0] - cell[0] for with_, cell in zip(third, cells, strict=True)]
                assert mean(gains) >= -0.03, name


def test_one_more_shared_case_is_no_cliff() -> None:
    for number in (6, 7):
        shares = [cells[1][0] for cells in find(number).values()]
        steps = [abs(now - before) for before, now in pairwise(shares)]
        assert max(steps) < 0.10
