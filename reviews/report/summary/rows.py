"""Reads the rows behind a summary in a dozen statements, however large the release is.

The database counts (`counts`); rows are sorted here, because two databases sort text in two ways.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from django.db.models import (
    Case,
    Exists,
    F,
    IntegerField,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat

from cases.models import CaseTag, Event, Exclusion, Release
from cases.releases.policy import PASSED
from evalsite.statements import Statement
from reviews.desk.judgement import Evidence
from reviews.models import (
    Adjudication,
    ChecklistAnswer,
    Closing,
    Draw,
    Flag,
    Pairing,
    Review,
    Ruling,
    SampledCase,
    Score,
    Submission,
    Waiver,
)
from reviews.models.reviews import ReviewStatus
from reviews.report.summary.document import (
    Amendment,
    DrawSummary,
    EvidenceSummary,
    FlagSummary,
    Remark,
    RulingSummary,
)
from reviews.report.summary.side_by_side import PairRow, PairRows
from reviews.sample.queries import Lines
from reviews.sample.replay import BY_HAND, EXTENDED


@dataclass
class Records:
    """The small tables of a release.

    `baseline`: whether it was abandoned, the key of its closing, the digest of its report.
    """

    waivers: list[Waiver] = field(default_factory=list)
    exclusions: list[tuple[str, str]] = field(default_factory=list)
    rulings: list[RulingSummary] = field(default_factory=list)
    adjudications: dict[str, Adjudication] = field(default_factory=dict)
    draws: list[DrawSummary] = field(default_factory=list)
    fitting: dict[str, int] = field(default_factory=dict)
    acts: list[Amendment] = field(default_factory=list)
    baseline: tuple[bool, int, str] | None = None


def read_records(release: Release) -> Records:
    """Read the small tables, six or seven statements in all."""
    found = Records(
        waivers=sorted(Waiver.objects.filter(release=release), key=lambda waiver: waiver.rule),
        exclusions=list(
            Exclusion.objects.filter(release=release).values_list("case__case_key", "reason")
        ),
        rulings=read_rulings(release),
        adjudications=read_adjudications(release),
        acts=[
            Amendment(*row)
            for row in list_acts_since_draw(release).values_list("number", "kind", "by", "data")
        ],
    )
    draws = Draw.objects.of(release).order_by("number")
    for draw in draws.defer("record"):
        found.draws.append(
            DrawSummary(
                number=draw.number,
                size=draw.size,
                by=draw.by,
                pool_size=draw.pool_size,
                pool_digest=draw.pool_digest,
                waived=tuple(draw.waived),
                changes=draw.changes,
                accept=msgspec.UNSET if draw.accept == PASSED else tuple(draw.accept),
            )
        )
        found.fitting = draw.fitting
    if release.baseline_id is not None:
        closings = Closing.objects.standing().filter(release=release.baseline_id)
        found.baseline = closings.values_list("is_abandoned", "pk", "digest").first()
    return found


def read_adjudications(release: Release) -> dict[str, Adjudication]:
    """Return the adjudications by case."""
    names = ("agreed", "basis", "note", "by", "cause", "together")
    rows = Adjudication.objects.filter(release=release).values_list("case__case_key", *names)
    return {
        case_key: Adjudication(**dict(zip(names, values, strict=True)))
        for case_key, *values in rows
    }


def read_rulings(release: Release) -> list[RulingSummary]:
    """Return the rulings that its reviewers could read: those given before it was closed.

    A ruling is superseded if another of them supersedes it.
    """
    found = Ruling.objects.filter(rubric=release.rubric_id)
    later = Ruling.objects.filter(supersedes=OuterRef("pk"))
    if release.is_closed:
        closings = Closing.objects.filter(release=release).newest()
        closed_at = Subquery(closings.values("closed_at"))
        found, later = found.filter(given_at__lte=closed_at), later.filter(given_at__lte=closed_at)
    rows = found.values_list("subject", "text", "by", Exists(later))
    return [RulingSummary(*row) for row in rows]


def list_acts_since_draw(release: Release) -> QuerySet[Event]:
    own = Event.objects.filter(release=release)
    drawn = own.filter(kind="sample-drawn").order_by("-number").values("number")[:1]
    return own.filter(kind__in=(*BY_HAND, EXTENDED), number__gt=Subquery(drawn)).order_by("number")


class SampleRow(NamedTuple):
    """`reviews`: who submitted a review, and in which version, by name."""

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
    reviews: tuple[tuple[str, int], ...]
    is_outside: bool = False


def read_sample(release: Release) -> list[SampleRow]:
    """Read the sample in the order of the draw; cases added by hand come last."""
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
            reviews=tuple(sorted(parse_review(line) for line in (lines or "").split("\n") if line)),
            is_outside=outside,
        )
        for (
            pk,
            case_key,
            kind,
            origin,
            place,
            reason,
            withdrawn_at,
            cause,
            why,
            outside,
            tags,
            lines,
        ) in _sample.rows(release.pk)
    ]
    return sorted(found, key=lambda row: (row.place is None, row.place or 0, row.case_key))


def parse_review(line: str) -> tuple[str, int]:
    version, _, username = line.partition(" ")
    return username, int(version)


def select_sample(release: int) -> QuerySet[SampledCase, tuple[Any, ...]]:
    of_case = {"case": OuterRef("case")}
    given = CaseTag.objects.standing().filter(**of_case).order_by().values("case")
    # A revision that is not submitted yet already has a higher version than the submitted one.
    last = Submission.objects.filter(review=OuterRef("pk")).order_by().values("review")
    version = Coalesce(Subquery(last.annotate(last=Max("version")).values("last")), F("version"))
    line = Concat(
        Cast(version, TextField()), Value(" "), F("reviewer__username"), output_field=TextField()
    )
    people = Review.objects.submitted().filter(**of_case).order_by().annotate(line=line)
    own = SampledCase.objects.filter(release=release, case__release=release)
    return own.order_by().values_list(
        *("case_id", "case__case_key", "kind", "origin", "place", "reason", "withdrawn_at"),
        *("cause", "withdrawal_reason", "is_outside"),
        Subquery(given.annotate(lines=Lines("tag")).values("lines")),
        Subquery(people.values("case").annotate(lines=Lines("line")).values("lines")),
    )


_sample = Statement(select_sample)


def read_remarks(release: Release, cases: Mapping[int, str], *, is_large: bool) -> list[Remark]:
    """Read the overall comments, and the remarks and evidence on scores and answers.

    `cases`: the keys of the cases to read. Of a large release the others are not read at all.
    """
    rows = select_remarks(release.pk, cases) if is_large else _remarks.rows(release.pk)
    remarks = [
        Remark(
            *(cases[case], who, subject, value, answer, text, parse_evidence(evidence), line),
            changed_mind=changed == CHANGED,
        )
        for case, who, subject, value, answer, text, evidence, line, changed in rows
        if case in cases
    ]
    return sorted(remarks, key=attrgetter("case_key", "reviewer", "subject"))


CHANGED = "changed"


def select_remarks(
    release: int, cases: Collection[int] | None = None
) -> QuerySet[Any, tuple[Any, ...]]:
    """Select scores, answers and overall comments with words, as rows with the same columns."""
    # On both sides of the join: PostgreSQL would read the reviews of every release otherwise.
    own: dict[str, Any] = {"release": release, "review__release": release}
    reviews = Review.objects.submitted().filter(release=release)
    if cases is not None:
        own["review__case__in"] = cases
        reviews = reviews.filter(case__in=cases)
    marks = own | {"review__status": ReviewStatus.SUBMITTED}
    scores = Score.objects.filter(**marks).exclude(
        rationale="", evidence=[], coherence="", changed_mind=False
    )
    answers = ChecklistAnswer.objects.filter(**marks).exclude(note="", evidence=[])
    comments = reviews.exclude(comment="")
    by_whom = "review__case", "review__reviewer__username"
    nothing, no_score = Value(""), Value(None, IntegerField())
    evidence = Cast("evidence", TextField())
    # As text: Django converts a boolean or a number in each row.
    changed_mind = Case(When(changed_mind=True, then=Value(CHANGED)), default=nothing)
    return (
        scores.order_by()
        .values_list(
            *(*by_whom, "metric", "value", nothing),
            *("rationale", evidence, "coherence", changed_mind),
        )
        .union(
            answers.order_by().values_list(
                *(*by_whom, "item", no_score, "answer", "note", evidence, nothing, nothing)
            ),
            comments.order_by().values_list(
                *("case", "reviewer__username", nothing, no_score, nothing),
                *("comment", Value("[]"), nothing, nothing),
            ),
            all=True,
        )
    )


_remarks = Statement(select_remarks)


def read_flags(release: Release) -> list[FlagSummary]:
    rows = Flag.objects.filter(release=release).values_list(
        *("review__case__case_key", "review__reviewer__username", "kind", "outcome"),
        *("judged_by__username", "reason"),
    )
    found = [
        FlagSummary(case_key, reviewer, kind, outcome, judged_by or "", reason)
        for case_key, reviewer, kind, outcome, judged_by, reason in rows
    ]
    return sorted(found, key=attrgetter("case_key", "reviewer", "flag"))


def parse_evidence(evidence: str) -> tuple[EvidenceSummary, ...]:
    """Parse the JSON of a column, ten times as fast as Django does."""
    if evidence == "[]":
        return ()
    found = _evidence.decode(evidence)
    return tuple(EvidenceSummary(piece.kind, piece.ref, piece.text) for piece in found)


_evidence = msgspec.json.Decoder(list[Evidence])


# --- Pairs ----------------------------------------------------------------------------------------


def read_pair_rows(release: Release) -> PairRows | None:
    """Read what was said side by side, and what is still to be read; None if nothing was planned.

    One statement, none without a baseline: pairings without an answer come with an empty item.
    A case lacks what closing says: as many readings as it has reviews, also where one was declined.
    """
    if release.baseline_id is None:
        return None
    pairings = (
        Pairing.objects.of(release)
        .not_withdrawn()
        .filter(case__sampled__isnull=False, case__sampled__withdrawn_at=None)
    )
    found = list(
        pairings.values_list(
            *("case__case_key", "reader__username", "is_new_left", "newer", "status"),
            *("answers__item", "answers__step", "answers__side"),
        )
    )
    if not found:
        return None
    rows, read = [], dict[str, set[str]]()
    for key, reader, is_new_left, newer, status, *answer in found:
        readers = read.setdefault(key, set())
        if status == ReviewStatus.SUBMITTED:
            readers.add(reader)
            rows.append(PairRow(key, reader, is_new_left, newer, *answer))
    missing = {
        key: release.reviews_per_case - len(readers)
        for key, readers in sorted(read.items())
        if len(readers) < release.reviews_per_case
    }
    return PairRows(sorted(rows), missing)
