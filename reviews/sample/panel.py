"""Tell how long a request has been in the sample, and where the draw has no choice."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile

from django.db.models import QuerySet

from cases.models import Release
from cases.models.releases import Status
from reviews.models import SampledCase

# Earlier releases that are looked at.
MOST_EARLIER = 200


@dataclass(frozen=True)
class Run:
    """In how many releases of the product a request was sampled without a break, and since when."""

    releases: int
    since: str

    @property
    def is_repeated(self) -> bool:
        return self.releases > 1


def has_one_candidate(
    fitting: int | None, run: Run | None, *, pool_size: int, sample_size: int
) -> bool:
    """Return whether a kind has one candidate where the draw could have had a choice.

    A draw that takes its whole pool has no choice at all, so there only repeated cases count.
    """
    is_repeated = run is not None and run.is_repeated
    return fitting == 1 and (is_repeated or pool_size > sample_size)


def load_runs(wanted: Mapping[Release, Collection[str]]) -> dict[tuple[int, str], Run]:
    """Load the run of each of these cases of releases, in two queries.

    A request is known by its case key. The release counts itself; drafts before it do not count.
    """
    rows = select_earlier([release for release, keys in wanted.items() if keys])
    earlier = list(rows.values_list("product", "created_at", "pk", "name"))
    sampled = load_sampled(rows, {key for keys in wanted.values() for key in keys})
    found: dict[tuple[int, str], Run] = {}
    for release, keys in wanted.items():
        before = [
            (pk, name)
            for product, created_at, pk, name in earlier
            if product == release.product and (created_at, pk) < (release.created_at, release.pk)
        ]
        found |= {(release.pk, key): count_run(release, before, sampled[key]) for key in keys}
    return found


def count_run(
    release: Release, earlier: Iterable[tuple[int, str]], sampled_in: Collection[int]
) -> Run:
    """Count in how many of the releases, newest first and without a break, a case was sampled."""
    before = takewhile(lambda found: found[0] in sampled_in, earlier)
    names = [release.name, *(name for _pk, name in before)]
    return Run(len(names), names[-1])


def select_earlier(releases: Collection[Release]) -> QuerySet[Release]:
    """Select the releases of the same products up to the newest of these, newest first."""
    of_products = [release for release in releases if release.product]
    rows = Release.objects.exclude(status=Status.DRAFT).newest_first()
    if not of_products:
        return rows.none()
    return rows.filter(
        product__in={release.product for release in of_products},
        created_at__lte=max(release.created_at for release in of_products),
    )[:MOST_EARLIER]


def load_sampled(releases: QuerySet[Release], keys: Collection[str]) -> Mapping[str, set[int]]:
    """Load by case key in which of the releases it is in the sample."""
    found = defaultdict[str, set[int]](set)
    rows = SampledCase.objects.standing().filter(
        release__in=releases.values("pk"), case__case_key__in=keys
    )
    for key, release in rows.order_by().values_list("case__case_key", "release"):
        found[key].add(release)
    return found
