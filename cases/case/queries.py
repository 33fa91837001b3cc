"""Filter the cases of a release, for the pages and for the API."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
from django.db.models import Q

from cases.models import Case, Release
from cases.models.cases import CaseQuerySet, CheckStatus, accepted, eligible


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


# What the database accepts; the decoder itself refuses half characters.
Days = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Words = Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*$")]
