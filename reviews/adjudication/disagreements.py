"""Where reviewers differ so much that somebody has to settle it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db.models import Max, Min
from django.db.models.functions import Coalesce

from cases.models import Release
from cases.rubric import Metric
from reviews.models import Adjudication, Review, Score
from reviews.models.reviews import counted_in

FAR_APART = 2

Basis = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Disagreement:
    """A case, the metrics on which its reviews differ, and who said what in which version.

    `ranges` has the lowest and the highest score of each of these metrics.
    """

    case_key: str
    metrics: tuple[str, ...]
    basis: Basis
    ranges: tuple[tuple[int, int], ...]

    @property
    def gap(self) -> int:
        return max(high - low for low, high in self.ranges)

    def to_data(self) -> dict[str, Any]:
        """What exactly waits to be settled, as a waiver keeps it."""
        return {"metrics": list(self.metrics), "basis": [list(one) for one in self.basis]}

    def is_settled_by(self, adjudication: Adjudication) -> bool:
        """Whether just these reviews, on all of these metrics, were settled."""
        rests_on = sorted((username, version) for username, version in adjudication.basis)
        return rests_on == sorted(self.basis) and set(self.metrics) <= set(adjudication.agreed)


def digest_basis(basis: Basis) -> str:
    """Of the reviews that somebody read, so that no others are settled."""
    told = "\n".join(f"{username}\0{version}" for username, version in basis)
    return sha256(told.encode()).hexdigest()


def differ(low: int, high: int, metric: Metric) -> bool:
    """Two points or more apart, or one at the two lowest levels and another not."""
    second_lowest = metric.low + 1
    return high - low >= FAR_APART or low <= second_lowest < high


def disagreements(release: Release) -> list[Disagreement]:
    """Every case of the sample that needs adjudication, settled or not. Two queries."""
    return disagreements_in([release])[release.pk]


def disagreements_in(releases: Collection[Release]) -> dict[int, list[Disagreement]]:
    """The same of several releases, by their keys; still two queries."""
    metrics = {
        (release.pk, metric.key): metric
        for release in releases
        for metric in release.rubric.document.metrics
    }
    ranges = (
        Score.objects.filter(counted_in(releases, "review__"))
        .values_list("release", "review__case__case_key", "metric")
        .annotate(low=Min("value"), high=Max("value"))
        .order_by()
    )
    listed = defaultdict[tuple[int, str], dict[str, tuple[int, int]]](dict)
    for release, case_key, metric, low, high in ranges:
        if differ(low, high, metrics[release, metric]):
            listed[release, case_key][metric] = (low, high)
    bases = bases_in(releases)
    found: dict[int, list[Disagreement]] = {release.pk: [] for release in releases}
    # In Python: two databases order names in two ways, and waivers keep the order.
    for (release, case_key), unordered in listed.items():
        on = dict(sorted(unordered.items()))
        found[release].append(
            Disagreement(case_key, tuple(on), bases[release, case_key], tuple(on.values()))
        )
    return {pk: sorted(some, key=lambda one: one.case_key) for pk, some in found.items()}


def bases_in(releases: Collection[Release]) -> Mapping[tuple[int, str], Basis]:
    """For each case who said something, and in which version: that of the last submit.

    The review itself may be ahead of it, with a revision that is not submitted yet.
    """
    rows = (
        Review.objects.filter(counted_in(releases))
        .annotate(said=Coalesce(Max("submissions__version"), "version"))
        .order_by()
        .values_list("release", "case__case_key", "reviewer__username", "said")
    )
    found = defaultdict[tuple[int, str], list[tuple[str, int]]](list)
    for release, case_key, username, version in rows:
        found[release, case_key].append((username, version))
    return {place: tuple(sorted(basis)) for place, basis in found.items()}


def open_disagreements(release: Release) -> list[Disagreement]:
    """Those without an adjudication of just these reviews."""
    settled = {
        one.case.case_key: one
        for one in Adjudication.objects.filter(release=release)
        .select_related("case")
        .only("agreed", "basis", "case__case_key")
    }
    return [
        one
        for one in disagreements(release)
        if one.case_key not in settled or not one.is_settled_by(settled[one.case_key])
    ]
