"""The statistics under "How sure are we?": scores, agreement, reviewers, the sample."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import floor
from typing import Any

from django.utils.translation import gettext, ngettext

from cases.rubric import Document
from reviews.agreement import Reason, Result
from reviews.comparison import Mean
from reviews.questions.queries import find_subject
from reviews.report import charts
from reviews.report.charts import LevelCount
from reviews.report.summary import Summary
from reviews.report.summary.figures import (
    MetricSummary,
    PairSummary,
    PersonSummary,
    ReviewerSeverity,
)

from .links import Links

MOST_CASES = 5
MOST_PAIRS = 10
MOST_EXCLUDED = 10

# The smallest share of the intervals that held the true value in any trial of docs/agreement.md,
# in percent. ICC(1,k) is ICC(1) on another scale.
LEAST_COVERED = {
    "exact": 96,
    "within_one": 97,
    "alpha": 89,
    "ac1": 91,
    "ac2": 91,
    "fleiss": 86,
    "icc1": 85,
    "reliability": 85,
}


def build_statistics(summary: Summary, document: Document, links: Links) -> dict[str, Any]:
    return {
        "scores": [build_scores(metric, document) for metric in summary.metrics],
        "kinds": list_kinds(summary, links),
        "agreement": [
            (
                name,
                least,
                [(metric.metric, getattr(metric.agreement, name)) for metric in summary.metrics],
            )
            for name, least in LEAST_COVERED.items()
        ],
        "undefined": list_undefined(summary),
        "people": list_people(summary),
        "pairs": list_pairs(summary),
        "last_draw": summary.draws[-1].number if summary.draws else None,
        "excluded": summary.excluded[:MOST_EXCLUDED],
        "more_excluded": max(0, len(summary.excluded) - MOST_EXCLUDED),
        "rulings": [(find_subject(document, ruling.subject), ruling) for ruling in summary.rulings],
    }


# --- Scores ---------------------------------------------------------------------------------------


def build_scores(metric: MetricSummary, document: Document) -> dict[str, Any]:
    """Return the metric with a chart of its scores, and the level that the lower limit reaches."""
    own = document.metric(metric.metric)
    low = metric.limits.low if metric.limits else None
    return {
        "metric": metric,
        "given": list(zip(metric.levels, metric.given, strict=True)),
        "total": sum(metric.given),
        "at_least": own.level(floor(low)) if low is not None and low >= own.low else None,
        "chart": charts.distribution(
            [
                LevelCount(level, count, describe_count(level, count))
                for level, count in zip(metric.levels, metric.given, strict=True)
            ],
            label=gettext("How often each level of %(metric)s was given") % {"metric": own.name},
        ),
    }


def describe_count(level: int, count: int) -> str:
    return ngettext(
        "level %(level)d: given once", "level %(level)d: given %(count)d times", count
    ) % {"level": level, "count": count}


def list_kinds(summary: Summary, links: Links) -> list[dict[str, Any]]:
    """List the kinds of the rule and the cases without one, with their means on each metric."""
    coverage = {kind.kind: kind for kind in summary.coverage}
    means = defaultdict[str, list[tuple[str, Mean]]](list)
    for metric in summary.metrics:
        for found in metric.by_kind:
            means[found.kind].append((metric.metric, found.mean))
    return [
        {
            "kind": kind,
            "rule": coverage.get(kind),
            "cases": [links.case(key) for key in coverage[kind].cases[:MOST_CASES]]
            if kind in coverage
            else [],
            "means": means[kind],
        }
        for kind in list(dict.fromkeys([*coverage, *means]))
    ]


# --- Agreement and reviewers ----------------------------------------------------------------------


def list_undefined(summary: Summary) -> list[Reason]:
    """List why coefficients have no value, or an interval no width; each reason once."""
    results: Iterable[Result] = (
        getattr(metric.agreement, name) for metric in summary.metrics for name in LEAST_COVERED
    )
    return list(
        {
            (why.code, str(why)): why for result in results if (why := result.why or result.caution)
        }.values()
    )


def list_people(
    summary: Summary,
) -> list[tuple[PersonSummary, list[tuple[str, ReviewerSeverity | None]]]]:
    """List the reviewers, with the severity on each metric that is more than chance."""
    shown = {
        (metric.metric, person.reviewer): person
        for metric in summary.metrics
        for group in metric.severity.groups
        for person in group
        if person.is_shown
    }
    keys = [metric.metric for metric in summary.metrics]
    return [
        (person, [(key, shown.get((key, person.reviewer))) for key in keys])
        for person in summary.people
    ]


def list_pairs(
    summary: Summary,
) -> list[tuple[str, str, list[tuple[str, PairSummary | None]]]]:
    """List the pairs of reviewers on each metric, those that differ most first."""
    pairs = defaultdict[tuple[str, str], dict[str, PairSummary]](dict)
    for metric in summary.metrics:
        for pair in metric.pairs:
            pairs[pair.first, pair.second][metric.metric] = pair
    keys = [metric.metric for metric in summary.metrics]

    def rank(who: tuple[str, str]) -> tuple[float, tuple[str, str]]:
        return min(pair.within_one / pair.cases for pair in pairs[who].values()), who

    return [
        (*who, [(key, pairs[who].get(key)) for key in keys])
        for who in sorted(pairs, key=rank)[:MOST_PAIRS]
    ]
