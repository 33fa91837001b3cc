"""Where reviewers differ so much that somebody has to settle it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, Min

from cases.models import Release
from cases.rubric import Metric
from reviews.models import Adjudication, Review, Score

FAR_APART = 2


@dataclass(frozen=True)
class Disagreement:
    """A case, the metrics on which its reviews differ, and who said what in which version."""

    case_key: str
    metrics: tuple[str, ...]
    basis: tuple[tuple[str, int], ...]

    def to_data(self) -> dict[str, Any]:
        """What exactly waits to be settled, as a waiver keeps it."""
        return {"metrics": list(self.metrics), "basis": [list(one) for one in self.basis]}


def differ(low: int, high: int, metric: Metric) -> bool:
    """Two points or more apart, or one at the two lowest levels and another not."""
    second_lowest = metric.low + 1
    return high - low >= FAR_APART or low <= second_lowest < high


def disagreements(release: Release) -> list[Disagreement]:
    """Every case of the sample that needs adjudication, settled or not. Two queries."""
    metrics = {metric.key: metric for metric in release.rubric.document.metrics}
    ranges = (
        Score.objects.filter(release=release, review__in=Review.objects.of(release).counted())
        .values_list("review__case__case_key", "metric")
        .annotate(low=Min("value"), high=Max("value"))
        .order_by("review__case__case_key", "metric")
    )
    listed = defaultdict[str, list[str]](list)
    for case_key, metric, low, high in ranges:
        if differ(low, high, metrics[metric]):
            listed[case_key].append(metric)
    bases = basis_of(release)
    return [
        Disagreement(case_key, tuple(found), bases[case_key])
        for case_key, found in sorted(listed.items())
    ]


def basis_of(release: Release) -> Mapping[str, tuple[tuple[str, int], ...]]:
    rows = (
        Review.objects.of(release)
        .counted()
        .order_by("case__case_key", "reviewer__username")
        .values_list("case__case_key", "reviewer__username", "version")
    )
    found = defaultdict[str, list[tuple[str, int]]](list)
    for case_key, username, version in rows:
        found[case_key].append((username, version))
    return {case_key: tuple(basis) for case_key, basis in found.items()}


def open_disagreements(release: Release) -> list[Disagreement]:
    """Those without an adjudication of just these reviews."""
    settled = {
        case_key: (
            set(agreed),
            tuple((username, version) for username, version in basis),
        )
        for case_key, agreed, basis in Adjudication.objects.filter(release=release).values_list(
            "case__case_key", "agreed", "basis"
        )
    }
    return [
        one
        for one in disagreements(release)
        if one.case_key not in settled
        or not set(one.metrics) <= settled[one.case_key][0]
        or settled[one.case_key][1] != one.basis
    ]
