"""Read the rows of a release as records, in portions, so that memory does not grow with it.

The order is the same on both databases, although they sort text differently.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec
from django.db import connection
from django.db.models import Count, F, Model, OrderBy, TextField
from django.db.models.functions import Cast, Collate

from cases.models import Event, Exclusion, Release
from cases.releases.policy import PASSED
from reviews.assignments.queries import is_complete
from reviews.desk import judgement as desk_judgement
from reviews.desk.judgement import FLAGS, AnswerEntry, Evidence, Judgement, ScoreEntry
from reviews.models import (
    Adjudication,
    ChecklistAnswer,
    Closing,
    Draw,
    Flag,
    Review,
    Revision,
    Ruling,
    SampledCase,
    Score,
    Submission,
    Waiver,
)
from reviews.models.reviews import ReviewStatus
from reviews.sample.queries import load_tags

from .records import (
    AdjudicationRecord,
    CaseRecord,
    ClosingRecord,
    DecisionRecord,
    DrawRecord,
    EventRecord,
    ExclusionRecord,
    FlagRecord,
    PoolRecord,
    Record,
    ReviewRecord,
    RulingRecord,
    VersionRecord,
    WaiverRecord,
)

REVIEWS_AT_ONCE = 500
CASES_AT_ONCE = 50
EVENTS_AT_ONCE = 1_000

# array cannot be subscripted at run time before Python 3.12.
Keys: TypeAlias = "array[int]"
Rows = Iterable[tuple[Any, ...]]
R = TypeVar("R", bound=Record)


def to_record(shape: type[R], row: Model, **more: Any) -> R:
    """Build a record from the columns of a row and `more`."""
    names = [name for name in shape.__struct_fields__ if name not in more]
    return shape(**{name: getattr(row, name) for name in names}, **more)


def order_by_text(field: str) -> OrderBy:
    """Order by code points, as Python does."""
    collation = "C" if connection.vendor == "postgresql" else "BINARY"
    return Collate(field, collation).asc()


def split(keys: Keys, size: int) -> Iterator[Keys]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


# --- Reviews --------------------------------------------------------------------------------------


def read_reviews(release: Release, *, only_open: bool = False) -> Iterator[ReviewRecord]:
    """Read reviews by case and reviewer. `only_open`: submitted ones whose content may be shown."""
    incomplete = find_incomplete(release)
    for portion in split(list_review_keys(release, incomplete, only_open), REVIEWS_AT_ONCE):
        yield from read_reviews_among(portion, release, incomplete)


def find_incomplete(release: Release) -> set[int]:
    """Find cases with some reviews submitted, but not all that are needed. They do not count."""
    k = release.reviews_per_case
    waiver = Waiver.objects.filter(release=release, rule="reviews").first()
    waived = waiver.covers["reviews"] if waiver else {}
    submitted = Review.objects.of(release).submitted().order_by()
    few = submitted.values_list("case", "case__case_key").annotate(count=Count("pk"))
    return {
        case
        for case, case_key, count in few.filter(count__lt=k)
        if not is_complete(count, waived.get(case_key, 0), k)
    }


def list_review_keys(release: Release, incomplete: Collection[int], only_open: bool) -> Keys:
    """List only primary keys, so that 100,000 of them take less than a megabyte."""
    rows = Review.objects.of(release)
    if only_open:
        rows = rows.submitted()
        if not release.is_closed:
            rows = rows.counted()
    found = rows.order_by(order_by_text("case__case_key"), order_by_text("reviewer__username"))
    hidden: Collection[int] = incomplete if only_open and not release.is_closed else ()
    keys = found.values_list("pk", "case").iterator(chunk_size=2_000)
    return array("q", (pk for pk, case in keys if case not in hidden))


def read_reviews_among(
    keys: Keys, release: Release, incomplete: Collection[int]
) -> Iterator[ReviewRecord]:
    """Read one portion of reviews in six queries."""
    rows = {
        row[0]: row
        for row in Review.objects.filter(pk__in=keys).values_list(
            *("pk", "case", "case__case_key", "case__sampled__withdrawn_at"),
            "case__sampled__is_outside",
            *("reviewer__username", "status", "assigned_at", "submitted_at", "comment"),
            *("declined_for", "decline_reason", "version"),
        )
    }
    contents = read_contents(keys, {pk: row[9] for pk, row in rows.items()})
    submits = read_submits(keys)
    earlier = read_earlier(keys, submits)
    for pk in keys:
        _pk, case, case_key, withdrawn_at, is_outside, reviewer, status, *rest = rows[pk]
        assigned_at, submitted_at, _comment, declined_for, decline_reason, number = rest
        is_submitted = status == ReviewStatus.SUBMITTED
        is_complete = is_submitted and withdrawn_at is None and case not in incomplete
        is_open = is_submitted and (is_complete or release.is_closed)
        own = contents[pk]
        yield ReviewRecord(
            case_key=case_key,
            reviewer=reviewer,
            status=status,
            is_sealed=is_submitted and not is_open,
            is_counted=is_complete and not is_outside,
            assigned_at=assigned_at,
            submitted_at=submitted_at,
            version=max(submits[pk], default=number) if is_submitted else None,
            said=own.judgement if is_open else None,
            coherence=own.coherence if is_open else {},
            changed_minds=sorted(own.changed_minds) if is_open else [],
            flags=own.flags,
            declined_for=declined_for,
            decline_reason=decline_reason,
            earlier=earlier[pk] if is_open else [],
        )


class SubmittedContent:
    """The submitted content of a review."""

    def __init__(self, comment: str) -> None:
        self.comment = comment
        self.scores: dict[str, ScoreEntry] = {}
        self.answers: dict[str, AnswerEntry] = {}
        self.coherence: dict[str, str] = {}
        self.changed_minds: list[str] = []
        self.flags: list[FlagRecord] = []

    @property
    def judgement(self) -> Judgement:
        kinds = {flag.kind for flag in self.flags}
        flags = [flag for flag in FLAGS if flag in kinds]
        return Judgement(self.scores, self.answers, self.comment, flags)


def read_contents(keys: Keys, comments: dict[int, str]) -> dict[int, SubmittedContent]:
    found = {pk: SubmittedContent(comments[pk]) for pk in keys}
    of_these, evidence_as_text = {"review__in": keys}, Cast(F("evidence"), TextField())
    scores: Rows = Score.objects.filter(**of_these).values_list(
        *("review", "metric", "value", "rationale", "coherence", "changed_mind"), evidence_as_text
    )
    for pk, metric, value, rationale, coherence, changed_mind, evidence in scores:
        own = found[pk]
        own.scores[metric] = ScoreEntry(value, rationale, decode_evidence(evidence))
        if coherence:
            own.coherence[metric] = coherence
        if changed_mind:
            own.changed_minds.append(metric)
    answers: Rows = ChecklistAnswer.objects.filter(**of_these).values_list(
        "review", "item", "answer", "note", evidence_as_text
    )
    for pk, item, answer, note, evidence in answers:
        found[pk].answers[item] = AnswerEntry(answer, note, decode_evidence(evidence))
    flags: Rows = (
        Flag.objects.filter(**of_these)
        .order_by("kind")
        .values_list("review", "kind", "outcome", "judged_by__username", "reason", "judged_at")
    )
    for pk, kind, outcome, by, reason, judged_at in flags:
        flag = FlagRecord(
            kind=kind, outcome=outcome, by=by or "", reason=reason, judged_at=judged_at
        )
        found[pk].flags.append(flag)
    return found


_evidence = msgspec.json.Decoder(list[Evidence])


def decode_evidence(evidence: str) -> list[Evidence]:
    return _evidence.decode(evidence) if evidence != "[]" else []


def read_submits(keys: Keys) -> defaultdict[int, list[int]]:
    """Read the version of each submit. The review itself may be newer, with a revision begun."""
    found = defaultdict[int, list[int]](list)
    rows = Submission.objects.filter(review__in=keys).order_by("review", "version")
    for review, version in rows.values_list("review", "version"):
        found[review].append(version)
    return found


def read_earlier(
    keys: Keys, submits: Mapping[int, list[int]]
) -> defaultdict[int, list[VersionRecord]]:
    """Read earlier versions. A Revision has the version that replaced it; here it has its own."""
    found = defaultdict[int, list[VersionRecord]](list)
    for revision in Revision.objects.filter(review__in=keys).order_by("review", "version"):
        place, of_submits = len(found[revision.review_id]), submits[revision.review_id]
        content: dict[str, Any] = dict(revision.content)
        coherence = content.pop("coherence", {})
        said = desk_judgement.from_data(content)
        flags = [flag for flag in FLAGS if flag in said.flags]
        found[revision.review_id].append(
            VersionRecord(
                version=of_submits[place] if place < len(of_submits) else revision.version,
                said=msgspec.structs.replace(said, flags=flags),
                coherence=coherence,
                submitted_at=revision.submitted_at,
                replaced_at=revision.replaced_at,
                reason=revision.reason,
            )
        )
    return found


# --- Cases and events -----------------------------------------------------------------------------


def read_cases(release: Release) -> Iterator[CaseRecord]:
    """Read every case that is or was in the sample, by key; two queries per portion."""
    sample = SampledCase.objects.of(release).order_by(order_by_text("case__case_key"))
    keys = array("q", sample.values_list("pk", flat=True).iterator(chunk_size=2_000))
    for portion in split(keys, CASES_AT_ONCE):
        rows = SampledCase.objects.filter(pk__in=portion)
        found, tags = rows.select_related("case").in_bulk(), load_tags(rows)
        for pk in portion:
            sampled = found[pk]
            yield to_record(
                CaseRecord,
                sampled,
                case_key=sampled.case.case_key,
                digest=sampled.case.digest,
                tags=sorted(tags[sampled.case_id]),
                content=msgspec.Raw(sampled.case.data.encode()),
            )


def read_events(release: Release) -> Iterator[EventRecord]:
    last = 0
    while True:
        rows = Event.objects.filter(release=release, number__gt=last).order_by("number")
        portion = list(rows[:EVENTS_AT_ONCE])
        yield from (to_record(EventRecord, event) for event in portion)
        if len(portion) < EVENTS_AT_ONCE:
            return
        last = portion[-1].number


# --- Small tables ---------------------------------------------------------------------------------


def read_rulings(release: Release, closing: Closing | None) -> Iterator[RulingRecord]:
    """Read the rulings that its reviewers could read: those given before it was closed."""
    found = Ruling.objects.filter(rubric=release.rubric)
    if closing:
        found = found.filter(given_at__lte=closing.closed_at)
    rows = sorted(
        found,
        key=lambda ruling: (
            ruling.given_at,
            ruling.number,
            ruling.subject,
            ruling.text,
            ruling.by,
        ),
    )
    lines = {ruling.pk: line for line, ruling in enumerate(rows, 1)}
    return (
        to_record(RulingRecord, ruling, supersedes=lines.get(ruling.supersedes_id or 0, 0))
        for ruling in rows
    )


def read_draws(release: Release) -> Iterator[DrawRecord]:
    rows = Draw.objects.of(release).defer("record").order_by("number")
    return (
        to_record(DrawRecord, draw, accept=msgspec.UNSET if draw.accept == PASSED else draw.accept)
        for draw in rows
    )


def read_pool(release: Release, number: int) -> Iterator[PoolRecord]:
    order = Draw.objects.of(release).get(number=number).order
    for entry, digest in zip(order, order.digests, strict=True):
        yield PoolRecord(entry.case_key, digest, entry.kind, entry.tags)


def read_exclusions(release: Release) -> Iterator[ExclusionRecord]:
    rows = Exclusion.objects.filter(release=release).order_by(order_by_text("case__case_key"))
    found = rows.values_list("case__case_key", "reason", "by", "excluded_at")
    return (ExclusionRecord(*row) for row in found.iterator(chunk_size=2_000))


def read_adjudications(release: Release) -> Iterator[AdjudicationRecord]:
    """Read adjudications of cases whose scores may be shown."""
    hidden = frozenset[int]() if release.is_closed else find_incomplete(release)
    rows = Adjudication.objects.filter(release=release).order_by(order_by_text("case__case_key"))
    if not release.is_closed:
        rows = rows.filter(case__sampled__withdrawn_at=None)
    for adjudication in rows.select_related("case").defer("case__data"):
        if adjudication.case_id not in hidden:
            case_key = adjudication.case.case_key
            yield to_record(AdjudicationRecord, adjudication, case_key=case_key)


def read_waivers(release: Release) -> Iterator[WaiverRecord]:
    rows = Waiver.objects.filter(release=release).order_by(order_by_text("rule"))
    return (to_record(WaiverRecord, waiver) for waiver in rows)


def read_closings(release: Release) -> Iterator[ClosingRecord]:
    rows = release.closings.defer("summary").order_by("number")
    return (to_record(ClosingRecord, closing) for closing in rows)


def read_decisions(release: Release) -> Iterator[DecisionRecord]:
    rows = release.decisions.select_related("closing").defer("closing__summary").order_by("pk")
    return (to_record(DecisionRecord, made, summary=made.closing.digest) for made in rows)
