"""The cases of the sample, and who submitted a review of each."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from django.db.models import F, Max, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat

from cases.models import CaseTag, Release
from reviews.models import Review, SampledCase, Submission
from reviews.sample.queries import Lines


class SampleRow(NamedTuple):
    """`said`: who submitted a review, and in which version, by name."""

    pk: int
    case_key: str
    kind: str
    origin: str
    place: int | None
    reason: str
    is_withdrawn: bool
    cause: str
    withdrawal_reason: str
    tags: frozenset[str]
    said: tuple[tuple[str, int], ...]


def read_sample(release: Release) -> list[SampleRow]:
    """In the order of the draw; what came in by hand behind it."""
    rows = sample_rows().filter(release=release)
    found = [
        SampleRow(
            pk=pk,
            case_key=case_key,
            kind=kind,
            origin=origin,
            place=place,
            reason=reason,
            is_withdrawn=withdrawn_at is not None,
            cause=cause,
            withdrawal_reason=why,
            tags=frozenset((tags or "").split("\n")) - {""},
            said=tuple(sorted(said_in(line) for line in (lines or "").split("\n") if line)),
        )
        for pk, case_key, kind, origin, place, reason, withdrawn_at, cause, why, tags, lines in rows
    ]
    return sorted(found, key=lambda row: (row.place is None, row.place or 0, row.case_key))


def said_in(line: str) -> tuple[str, int]:
    version, _, username = line.partition(" ")
    return username, int(version)


@cache
def sample_rows() -> QuerySet[SampledCase, tuple[Any, ...]]:
    """Of any release. Django takes longer to put this question together than to ask it."""
    of_case = {"case": OuterRef("case")}
    given = CaseTag.objects.standing().filter(**of_case).order_by().values("case")
    # A revision that is not submitted yet puts the review ahead of what it said.
    last = Submission.objects.filter(review=OuterRef("pk")).order_by().values("review")
    version = Coalesce(Subquery(last.annotate(last=Max("version")).values("last")), F("version"))
    line = Concat(
        Cast(version, TextField()), Value(" "), F("reviewer__username"), output_field=TextField()
    )
    people = Review.objects.submitted().filter(**of_case).order_by().annotate(line=line)
    return SampledCase.objects.order_by().values_list(
        *("case_id", "case__case_key", "kind", "origin", "place", "reason", "withdrawn_at"),
        *("cause", "withdrawal_reason"),
        Subquery(given.annotate(lines=Lines("tag")).values("lines")),
        Subquery(people.values("case").annotate(lines=Lines("line")).values("lines")),
    )
