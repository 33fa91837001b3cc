"""Agreement on real ratings, which are read from beside us, against known figures."""

import csv
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from reviews.agreement import (
    PatternTable,
    Result,
    ac1,
    ac2,
    alpha,
    brennan_prediger,
    exact_agreement,
    fleiss,
    icc1,
    pattern_table,
    weighted_kappa,
)
from reviews.comparison import reliability_of_mean

Ratings = dict[str, dict[str, int | None]]
STORIES = ("relevance", "coherence", "empathy", "surprise", "engagement", "complexity")
ANSWERS = (
    "guidelines",
    "syntax",
    "superfluous",
    "incorrectness",
    "unsubstantiated",
    "incoherence",
)
ITEMS = [("hanna_story_ratings", item) for item in STORIES] + [
    ("hanna_explanations_yesno", item) for item in ANSWERS
]


def folder() -> Path:
    found = os.environ.get("SPOTCHECK_REAL_DATA")
    if not found:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real ratings are not at hand")
    return Path(found) / "ratings"


@lru_cache
def ratings_in(path: Path) -> dict[str, Ratings]:
    """Item -> unit -> rater -> score."""
    items: dict[str, Ratings] = defaultdict(lambda: defaultdict(dict))
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            items[row["item"]][row["unit"]][row["rater"]] = int(row["score"])
    return items


def read(name: str, item: str) -> tuple[Ratings, list[int], dict[str, Any]]:
    """The ratings, their scale, and the figures of the file."""
    expected = json.loads((folder() / "expected.json").read_text("utf-8"))[name]
    return ratings_in(folder() / f"{name}.csv")[item], expected["scale"], expected


def near(result: Result, figure: float | None) -> bool:
    """To the six digits that are given."""
    if figure is None:
        return result.value is None and result.reason is not None
    return result.value is not None and abs(result.value - figure) < 6e-7


@pytest.mark.parametrize(("name", "item"), ITEMS)
def test_coefficients_of_hanna(name: str, item: str) -> None:
    ratings, scale, expected = read(name, item)
    known = expected["computed_here"][item]
    table = pattern_table(ratings, scale)
    assert (table.n_cases, table.n_units) == (known["units"], known["units_with_2plus"])
    assert near(alpha(table, "nominal"), known["alpha_nominal"])
    assert near(alpha(table, "ordinal"), known["alpha_ordinal"])
    assert near(alpha(table, "interval"), known["alpha_interval"])
    assert near(exact_agreement(table), known["mean_pairwise_agreement"])
    assert near(fleiss(table), known["fleiss_kappa"])
    assert near(ac1(table), known["gwet_ac1"])
    assert near(icc1(table), known.get("icc1"))
    assert near(reliability_of_mean(icc1(table), 3), known.get("icc1k"))


@pytest.mark.parametrize(("name", "item"), ITEMS)
def test_pairs_of_hanna_s_raters(name: str, item: str) -> None:
    ratings, scale, expected = read(name, item)
    for pair in expected["computed_here"][item]["pairwise_kappa_unweighted_linear_quadratic"]:
        a = [given.get(pair["a"]) for given in ratings.values()]
        b = [given.get(pair["b"]) for given in ratings.values()]
        for weights, figure in zip(("identity", "linear", "quadratic"), pair["kappa"], strict=True):
            result = weighted_kappa(a, b, scale, weights=weights)
            assert near(result, figure)
            assert result.n_units == pair["n"]


@pytest.mark.parametrize("item", STORIES)
def test_published_intraclass_correlations_of_hanna(item: str) -> None:
    ratings, scale, expected = read("hanna_story_ratings", item)
    published = expected["published"]["values"][item]
    one = icc1(pattern_table(ratings, scale))
    assert near(one, published["icc1"])
    assert near(reliability_of_mean(one, 3), published["icc1k"])


@pytest.mark.parametrize("item", [item for item in ANSWERS if item != "incorrectness"])
def test_published_ac1_of_hanna(item: str) -> None:
    ratings, scale, expected = read("hanna_explanations_yesno", item)
    published = expected["published"]["values"][item]["gwet_ac1"]
    assert round(ac1(pattern_table(ratings, scale)).value or 0, 2) == published


def four_raters() -> tuple[PatternTable, dict[str, Any]]:
    ratings, scale, expected = read("four_raters_missing", "category")
    return pattern_table(ratings, scale), expected


def test_four_raters_by_irrcac() -> None:
    table, expected = four_raters()
    for name, weights in (("unweighted", "identity"), ("linear",) * 2, ("quadratic",) * 2):
        known = expected["computed_with_irrCAC_0.4.4"][name]
        first = known["gwet_ac1" if weights == "identity" else "gwet_ac2"]
        assert round(ac2(table, weights).value or 0, 5) == first
        assert round(fleiss(table, weights).value or 0, 5) == known["fleiss"]
        assert round(brennan_prediger(table, weights).value or 0, 5) == known["brennan_prediger"]


def test_published_alpha_of_four_raters() -> None:
    table, expected = four_raters()
    published = expected["published"]["values"]["category"]
    for metric in ("nominal", "ordinal", "interval"):
        assert round(alpha(table, metric).value or 0, 3) == published[f"alpha_{metric}"]
        assert near(alpha(table, metric), expected["computed_here"]["category"][f"alpha_{metric}"])
    known = expected["computed_here"]["category"]
    assert near(exact_agreement(table), known["mean_pairwise_agreement"])


# --- The worked examples --------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
# What an example consists of, and who computed it: no figures.
GIVEN = ("data", "src", "by", "rows", "p", "disagreement_weights", "x", "y", "d")


def figures_in(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in GIVEN:
                yield from figures_in(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from figures_in(inner, f"{path}.{place}")
    elif isinstance(value, int | float):
        yield path, value


def test_every_worked_figure_is_held_by_a_test_or_left_out_with_a_reason() -> None:
    file = folder().parent.parent / "oracles" / "agreement.json"
    if not file.exists():
        pytest.skip("the worked examples are not at hand beside the real ratings")
    text = (ROOT / "docs" / "agreement.md").read_text("utf-8")
    table = text.split("## Published figures that are left out")[1].split("\n## ")[0]
    named = [
        pattern
        for line in table.splitlines()
        if line.startswith("| `")
        for pattern in re.findall("`([^`]+)`", line.split(" | ")[0])
    ]
    tests = "".join(
        (Path(__file__).parent / name).read_text("utf-8")
        for name in ("test_agreement.py", "test_comparison.py")
    )
    figures = dict(figures_in(json.loads(file.read_text("utf-8"))))
    left_out = {path for path in figures if any(fnmatch(path, one) for one in named)}
    missing = [
        path
        for path, value in figures.items()
        if path not in left_out and f"{abs(value)}".rstrip("0").removeprefix("0") not in tests
    ]
    assert missing == []
    assert [one for one in named if not any(fnmatch(path, one) for path in figures)] == []
