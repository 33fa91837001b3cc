"""A release as one frozen value: the single source for page, stored report and export.

No primary key and no clock in it: the same evidence gives the same digest on either database.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec

from cases import policy
from cases.models import Exclusion, Release
from reviews.models import Draw, SampledCase
from reviews.pool import sample_of
from reviews.progress import reviews_in
from reviews.retracing import retrace
from reviews.rule import KIND, Rule, rule_of
from reviews.rulings import rulings_for
from reviews.sampling.settling import uncovered


@dataclass(frozen=True)
class KindSummary:
    """`fitting` counts the cases of the pool that could fill the kind; None: it was not drawn."""

    kind: str
    text: str
    fitting: int | None
    cases: tuple[str, ...]
    is_covered: bool
    waived: str


@dataclass(frozen=True)
class CaseSummary:
    case_key: str
    kind: str
    origin: str
    place: int | None
    reason: str
    reviews_in: int


@dataclass(frozen=True)
class WithdrawnSummary:
    """Its reviews are kept and printed, not counted."""

    case_key: str
    kind: str
    cause: str
    reason: str
    reviews_not_counted: int


@dataclass(frozen=True)
class DrawSummary:
    number: int
    size: int
    by: str
    pool_size: int
    pool_digest: str
    waived: tuple[str, ...]
    changes: dict[str, Any]


@dataclass(frozen=True)
class Amendment:
    """An act by hand since the last draw. `event` is its number in the ledger."""

    event: int
    act: str
    by: str
    details: dict[str, Any]


@dataclass(frozen=True)
class WaiverSummary:
    rule: str
    by: str
    reason: str
    covers: dict[str, Any]


@dataclass(frozen=True)
class RulingSummary:
    """What reviewers could read under a question (`metric.2`) or a level (`metric:4`)."""

    subject: str
    text: str
    by: str


@dataclass(frozen=True)
class Summary:
    schema: str
    release: str
    product: str
    rubric: int
    rubric_digest: str
    reviews_per_case: int
    baseline: str | None
    policy: dict[str, Any]
    least_cases: int
    coverage: tuple[KindSummary, ...]
    sample: tuple[CaseSummary, ...]
    withdrawn: tuple[WithdrawnSummary, ...]
    excluded: tuple[tuple[str, str], ...]
    draws: tuple[DrawSummary, ...]
    amendments: tuple[Amendment, ...]
    waivers: tuple[WaiverSummary, ...]
    rulings: tuple[RulingSummary, ...]
    reviews_in: int
    reviews_expected: int

    @property
    def kinds_covered(self) -> int:
        return sum(one.is_covered for one in self.coverage)


def of(release: Release) -> Summary:
    """A fixed number of queries, however many cases and reviews there are."""
    rubric = release.rubric
    rule, retraced = rule_of(release), retrace(release)
    draws = list(Draw.objects.of(release).defer("record").order_by("number"))
    rows = list(SampledCase.objects.of(release).in_order().with_cases())
    counts = reviews_in(release)
    standing = [row for row in rows if row.withdrawn_at is None]
    sample = tuple(
        CaseSummary(
            case_key=row.case.case_key,
            kind=row.kind,
            origin=row.origin,
            place=row.place,
            reason=row.reason,
            reviews_in=counts.get(row.case_id, 0),
        )
        for row in standing
    )
    return Summary(
        schema="spotcheck-summary/1",
        release=release.name,
        product=release.product,
        rubric=rubric.number,
        rubric_digest=rubric.digest,
        reviews_per_case=release.reviews_per_case,
        baseline=release.baseline.name if release.baseline else None,
        policy=policy.spelled_out(
            policy.from_data(release.policy), [one.key for one in rubric.document.metrics]
        ),
        least_cases=rule.minimum,
        coverage=coverage_of(release, rule, sample, draws[-1] if draws else None),
        sample=sample,
        withdrawn=tuple(
            WithdrawnSummary(
                case_key=row.case.case_key,
                kind=row.kind,
                cause=row.cause,
                reason=row.withdrawal_reason,
                reviews_not_counted=counts.get(row.case_id, 0),
            )
            for row in rows
            if row.withdrawn_at is not None
        ),
        excluded=tuple(
            Exclusion.objects.filter(release=release)
            .order_by("case__case_key")
            .values_list("case__case_key", "reason")
        ),
        draws=tuple(
            DrawSummary(
                number=one.number,
                size=one.size,
                by=one.by,
                pool_size=one.pool_size,
                pool_digest=one.pool_digest,
                waived=tuple(one.waived),
                changes=one.changes,
            )
            for one in draws
        ),
        amendments=tuple(
            Amendment(one.number, one.kind, one.by, one.data)
            for one in (retraced.acts if retraced else [])
        ),
        waivers=tuple(
            WaiverSummary(one.rule, one.by, one.reason, one.covers) for one in rule.waivers.values()
        ),
        rulings=tuple(RulingSummary(one.subject, one.text, one.by) for one in rulings_for(release)),
        reviews_in=sum(one.reviews_in for one in sample),
        reviews_expected=len(sample) * release.reviews_per_case,
    )


def coverage_of(
    release: Release, rule: Rule, sample: tuple[CaseSummary, ...], draw: Draw | None
) -> tuple[KindSummary, ...]:
    open_kinds = set(uncovered(sample_of(release), rule.kinds))
    # The rubric's own words: a report does not depend on who closes.
    texts = {kind.key: kind.text for kind in release.rubric.document.sampling.kinds}
    return tuple(
        KindSummary(
            kind=kind.key,
            text=texts[kind.key],
            fitting=draw.fitting.get(kind.key) if draw else None,
            cases=tuple(one.case_key for one in sample if one.kind == kind.key),
            is_covered=kind.key not in open_kinds,
            waived=rule.waivers[KIND + kind.key].reason if kind.key in rule.waived else "",
        )
        for kind in rule.kinds
    )


def written(summary: Summary) -> tuple[str, str]:
    """The summary as text, and its digest."""
    text = msgspec.json.encode(summary, order="deterministic")
    return text.decode(), hashlib.sha256(text).hexdigest()


def headline(summary: Summary) -> dict[str, int]:
    """What a list of releases shows."""
    return {
        "kinds": len(summary.coverage),
        "kinds_covered": summary.kinds_covered,
        "cases": len(summary.sample),
        "reviews": summary.reviews_in,
        "reviews_expected": summary.reviews_expected,
    }
