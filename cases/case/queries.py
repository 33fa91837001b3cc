"""Filter the cases of a release, for the pages and for the API."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
from django.db.models import Q
from django.http import QueryDict

from cases.models import Case, Release
from cases.models.cases import CaseQuerySet, CheckStatus, accepted, eligible

# How a list can be sorted; the key breaks ties, so that pages begin at an exact place.
SORTS = {
    "key": ("case_key",),
    "-key": ("-case_key",),
    "checks": ("check_status", "case_key"),
    "-days": ("-days", "case_key"),
    "days": ("days", "case_key"),
}
# How many cases can be changed at once.
MOST_CHOSEN = 5_000


@dataclass(frozen=True)
class Filters:
    """Filters of a list of cases. Empty and unknown values are ignored."""

    words: str
    tag: str
    check: str
    kind: str
    locale: str
    sort: str

    @property
    def are_set(self) -> bool:
        return any((self.words, self.tag, self.check, self.kind, self.locale))


def read_filters(asked: QueryDict) -> Filters:
    """Read the filters from a query string."""
    sort = asked.get("sort", "key")
    return Filters(
        words=asked.get("q", "").strip(),
        tag=asked.get("tag", "").strip(),
        check=asked.get("check", ""),
        kind=asked.get("kind", ""),
        locale=asked.get("locale", ""),
        sort=sort if sort in SORTS else "key",
    )


def build_checks(release: Release) -> dict[str, Q]:
    """Return the filters by automated checks. What can be sampled is a policy of the release."""
    return {
        "eligible": eligible(release),
        "pass": Q(check_status=CheckStatus.PASS),
        "warn": Q(check_status=CheckStatus.WARN),
        "fail": Q(check_status=CheckStatus.FAIL),
        "none": Q(check_status=CheckStatus.NONE),
        "not-passed": ~accepted(["pass", "warn"]),
        "no-plan": accepted(release.accept) & Q(has_plan=False),
        "excluded": Q(exclusion__isnull=False),
    }


def matching(release: Release, filters: Filters) -> CaseQuerySet:
    found = Case.objects.of(release)
    if filters.words:
        found = found.containing(filters.words) | found.filter(code__iexact=filters.words)
    if filters.tag:
        found = found.with_tag(filters.tag)
    kinds = {kind.key: kind for kind in release.rubric.document.sampling.kinds}
    if filters.kind in kinds:
        found = found.fitting(kinds[filters.kind])
    checks = build_checks(release)
    if filters.check in checks:
        found = found.filter(checks[filters.check])
    if filters.locale:
        found = found.filter(locale__istartswith=filters.locale)
    return found


def count_for_choice(release: Release, filters: Filters) -> int:
    """Count the cases that fit the filters, up to MOST_CHOSEN + 1."""
    return matching(release, filters).order_by()[: MOST_CHOSEN + 1].count()


def list_codes(release: Release, filters: Filters) -> list[str]:
    """List the codes of the cases that fit the filters, up to MOST_CHOSEN + 1."""
    rows = matching(release, filters).order_by("case_key")
    return list(rows.values_list("code", flat=True)[: MOST_CHOSEN + 1])


# What the database accepts; the decoder itself refuses half characters.
Days = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Words = Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*$")]
