"""The simulation behind docs/side-by-side.md, on a small run."""

import re
from pathlib import Path

import pytest

from tests.bench.pairs import WORLDS, Found, simulate

DOCUMENT = Path(__file__).parents[3] / "docs" / "side-by-side.md"
RUNS = 400


def read_table() -> dict[str, list[int]]:
    rows = re.findall(r"^\| (.+?) \| (\d+) % \| (\d+) % \| (\d+) % \| (\d+) % \|$", TEXT, re.M)
    return {name: [int(cell) for cell in cells] for name, *cells in rows}


TEXT = DOCUMENT.read_text("utf-8")


@pytest.mark.parametrize("name", WORLDS)
def test_the_document_prints_what_the_simulation_finds(name: str) -> None:
    found: tuple[Found, Found] = simulate(WORLDS[name], runs=RUNS, seed=7)
    scores, sides = found
    for printed, measured in zip(
        read_table()[name], (scores.drop, sides.drop, scores.change, sides.change), strict=True
    ):
        assert abs(100 * measured - printed) <= 8  # three standard errors of 400 runs


def test_softer_reviewers_hide_a_drop_from_scores_and_not_side_by_side() -> None:
    table = read_table()
    hard, soft = (
        table[f"a drop of 0.5, plans differ by 0.4{more}"]
        for more in ("", ", reviewers 0.3 softer")
    )
    assert soft[0] < hard[0] / 2
    assert abs(soft[1] - hard[1]) <= 3


def test_no_change_is_rarely_claimed_side_by_side() -> None:
    assert all(
        cells[3] <= 5 for name, cells in read_table().items() if name.startswith("no change")
    )
