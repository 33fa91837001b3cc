"""Tell how long a request has been in the sample, and where the draw has no choice."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile

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
    earlier = load_earlier([release for release, keys in wanted.items() if keys])
    keys = {key for release in earlier for key in wanted[release]}
    sampled = load_sampled({pk for found in earlier.values() for pk, _name in found}, keys)
    return {
        (release.pk, key): count_run(release, earlier.get(release, ()), sampled[key])
        for release, case_keys in wanted.items()
        for key in case_keys
    }


def count_run(
    release: Release, earlier: Iterable[tuple[int, str]], sampled_in: Collection[int]
) -> Run:
    """Count in how many of the releases, newest first and without a break, a case was sampled."""
    before = takewhile(lambda found: found[0] in sampled_in, earlier)
    names = [release.name, *(name for _pk, name in before)]
    return Run(len(names), names[-1])


def load_earlier(releases: Collection[Release]) -> dict[Release, list[tuple[int, str]]]:
    """Load the releases of the same product before each of these, newest first."""
    of_products = [release for release in releases if release.product]
    if not of_products:
        return {}
    rows = Release.objects.exclude(status=Status.DRAFT).newest_first()
    rows = rows.filter(
        product__in={release.product for release in of_products},
        created_at__lte=max(release.created_at for release in of_products),
    )
    found = list(rows.values_list("product", "created_at", "pk", "name")[:MOST_EARLIER])
    return {
        release: [
            (pk, name)
            for product, created_at, pk, name in found
            if product == release.product and (created_at, pk) < (release.created_at, release.pk)
        ]
        for release in of_products
    }


def load_sampled(releases: Collection[int], keys: Collection[str]) -> Mapping[str, set[int]]:
    """Load by case key in which of the releases it is in the sample."""
    found = defaultdict[str, set[int]](set)
    if releases:
        rows = SampledCase.objects.standing().filter(release__in=releases, case__case_key__in=keys)
        for key, release in rows.order_by().values_list("case__case_key", "release"):
            found[key].add(release)
    return found
