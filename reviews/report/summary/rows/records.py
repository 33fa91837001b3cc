"""What happened to the release, from small tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import QuerySet, Subquery

from cases.models import Event, Exclusion, Release
from reviews.models import Adjudication, Closing, Draw, Ruling, Waiver
from reviews.report.summary.papers import Amendment, DrawSummary, RulingSummary
from reviews.sample.replay import BY_HAND


@dataclass
class Records:
    """Small tables of a release. `baseline`: whether it was abandoned, the key of its closing, and
    the digest of its report."""

    waivers: list[Waiver] = field(default_factory=list)
    exclusions: list[tuple[str, str]] = field(default_factory=list)
    rulings: list[RulingSummary] = field(default_factory=list)
    adjudications: dict[str, Adjudication] = field(default_factory=dict)
    draws: list[DrawSummary] = field(default_factory=list)
    fitting: dict[str, int] = field(default_factory=dict)
    acts: list[Amendment] = field(default_factory=list)
    baseline: tuple[bool, int, str] | None = None


def read_records(release: Release) -> Records:
    """One statement for each table, six or seven in all."""
    found = Records(
        waivers=sorted(Waiver.objects.filter(release=release), key=lambda waiver: waiver.rule),
        exclusions=list(
            Exclusion.objects.filter(release=release).values_list("case__case_key", "reason")
        ),
        rulings=[
            RulingSummary(*row)
            for row in list_rulings(release).values_list("subject", "text", "by")
        ],
        adjudications=read_adjudications(release),
        acts=[
            Amendment(*row)
            for row in acts_since_the_draw(release).values_list("number", "kind", "by", "data")
        ],
    )
    draws = Draw.objects.of(release).order_by("number")
    for number, size, by, pool_size, pool_digest, waived, changes, fitting in draws.values_list(
        *("number", "size", "by", "pool_size", "pool_digest", "waived", "changes", "fitting")
    ):
        drawn = DrawSummary(number, size, by, pool_size, pool_digest, tuple(waived), changes)
        found.draws.append(drawn)
        found.fitting = fitting
    if release.baseline_id is not None:
        closings = Closing.objects.standing().filter(release=release.baseline_id)
        found.baseline = closings.values_list("is_abandoned", "pk", "digest").first()
    return found


def read_adjudications(release: Release) -> dict[str, Adjudication]:
    """By case."""
    rows = Adjudication.objects.filter(release=release).values_list(
        *("case__case_key", "agreed", "basis", "note", "by", "cause")
    )
    return {
        case_key: Adjudication(agreed=agreed, basis=basis, note=note, by=by, cause=cause)
        for case_key, agreed, basis, note, by, cause in rows
    }


def list_rulings(release: Release) -> QuerySet[Ruling]:
    """Those that its reviewers could read: given before it was closed."""
    found = Ruling.objects.filter(rubric=release.rubric_id)
    if not release.is_closed:
        return found
    closing = Closing.objects.filter(release=release).newest()
    return found.filter(given_at__lte=Subquery(closing.values("closed_at")))


def acts_since_the_draw(release: Release) -> QuerySet[Event]:
    own = Event.objects.filter(release=release)
    drawn = own.filter(kind="sample-drawn").order_by("-number").values("number")[:1]
    return own.filter(kind__in=BY_HAND, number__gt=Subquery(drawn)).order_by("number")
