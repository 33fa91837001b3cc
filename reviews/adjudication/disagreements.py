"""Find the cases whose reviews differ so much that someone has to settle them."""

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
    """A case and the metrics on which its reviews differ.

    `basis` names each reviewer with the version of the review. `ranges` has the lowest and the
    highest score of each metric.
    """

    case_key: str
    metrics: tuple[str, ...]
    basis: Basis
    ranges: tuple[tuple[int, int], ...]

    @property
    def reviewers(self) -> tuple[str, ...]:
        return tuple(username for username, _version in self.basis)

    @property
    def gap(self) -> int:
        return max(high - low for low, high in self.ranges)

    def to_data(self) -> dict[str, Any]:
        """Return metrics and basis as a waiver stores them."""
        return {"metrics": list(self.metrics), "basis": [list(pair) for pair in self.basis]}

    def is_settled_by(self, adjudication: Adjudication) -> bool:
        """Return whether the adjudication covers exactly these reviews and all these metrics."""
        basis = sorted((username, version) for username, version in adjudication.basis)
        return basis == sorted(self.basis) and set(self.metrics) <= set(adjudication.agreed)


def digest_basis(basis: Basis) -> str:
    """Return a digest of the reviews a person read, so that only these are settled."""
    lines = "\n".join(f"{username}\0{version}" for username, version in basis)
    return sha256(lines.encode()).hexdigest()


def differ(low: int, high: int, metric: Metric) -> bool:
    """Return whether scores are two points apart, or only one is at the two lowest levels."""
    second_lowest = metric.low + 1
    return high - low >= FAR_APART or low <= second_lowest < high


def list_disagreements(release: Release) -> list[Disagreement]:
    """List every case of the sample that needs adjudication, settled or not. Two queries."""
    return list_disagreements_in([release])[release.pk]


def list_disagreements_in(releases: Collection[Release]) -> dict[int, list[Disagreement]]:
    """List the disagreements of several releases by their keys, with two queries."""
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
    bases = load_bases(releases)
    found: dict[int, list[Disagreement]] = {release.pk: [] for release in releases}
    # Sorted in Python: SQLite and PostgreSQL sort names differently, and waivers store the order.
    for (release, case_key), unordered in listed.items():
        ordered = dict(sorted(unordered.items()))
        found[release].append(
            Disagreement(
                case_key, tuple(ordered), bases[release, case_key], tuple(ordered.values())
            )
        )
    return {
        pk: sorted(unsorted, key=lambda disagreement: disagreement.case_key)
        for pk, unsorted in found.items()
    }


def load_bases(releases: Collection[Release]) -> Mapping[tuple[int, str], Basis]:
    """Load the reviewers of each case with the version they last submitted.

    The version of the review itself may be higher, if a revision is not submitted yet.
    """
    rows = (
        Review.objects.filter(counted_in(releases))
        .annotate(last=Coalesce(Max("submissions__version"), "version"))
        .order_by()
        .values_list("release", "case__case_key", "reviewer__username", "last")
    )
    found = defaultdict[tuple[int, str], list[tuple[str, int]]](list)
    for release, case_key, username, version in rows:
        found[release, case_key].append((username, version))
    return {place: tuple(sorted(basis)) for place, basis in found.items()}


def list_open_disagreements(release: Release) -> list[Disagreement]:
    """List the disagreements without an adjudication of exactly these reviews.

    Closing does not wait for cases outside the plan, so these are left out.
    """
    outside = set(release.sample.filter(is_outside=True).values_list("case__case_key", flat=True))
    settled = {
        adjudication.case.case_key: adjudication
        for adjudication in Adjudication.objects.filter(release=release)
        .select_related("case")
        .only("agreed", "basis", "case__case_key")
    }
    return [
        found
        for found in list_disagreements(release)
        if found.case_key not in outside
        and not (found.case_key in settled and found.is_settled_by(settled[found.case_key]))
    ]
