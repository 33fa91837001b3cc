"""The summary of a release from the rows of its bundle, without a database.

The database groups scores and answers when it computes a summary; here they are counted one by one
(`reviews.report.summary.rows.counting`), and only the statistics are the same. So a bundle that
fits also shows that the grouping is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from cases import rubric
from cases.models import Event
from cases.rubric import Document
from reviews.agreement import Reason
from reviews.models import Adjudication, Waiver
from reviews.report.summary import Summary, read
from reviews.report.summary.assembling import (
    SummaryInputs,
    against,
    complete_in,
    summary_from,
    told_in_words,
    waived_reviews,
)
from reviews.report.summary.document import digest_summary
from reviews.report.summary.papers import Amendment, DrawSummary, FlagSummary, RulingSummary
from reviews.report.summary.reading import baseline_abandoned, baseline_open
from reviews.report.summary.rows.counting import ReviewTold, count_marks, count_pairs, list_remarks
from reviews.report.summary.rows.records import Records
from reviews.report.summary.rows.sample import SampleRow
from reviews.report.summary.rows.words import Words
from reviews.sample.replay import BY_HAND

from .unpacking import Bundle


def summary_of(bundle: Bundle, document: Document) -> Summary:
    given = given_of(bundle, document)
    return against(summary_from(given), *baseline_of(bundle))


def document_of(bundle: Bundle) -> Document:
    """The rubric in its own language. Raises rubric.RubricError."""
    original = next(one for one in bundle.rubric.texts if one.is_original)
    return rubric.read(bundle.texts[original.language]).document


def baseline_of(bundle: Bundle) -> tuple[Summary | Reason | None, str | None]:
    """With its digest. Raises OtherSchema and msgspec.MsgspecError."""
    release = bundle.release
    if release.baseline is None:
        return None, None
    if release.baseline_state == "open":
        return baseline_open(release.baseline), None
    if release.baseline_state == "abandoned":
        return baseline_abandoned(release.baseline), None
    text = bundle.baseline_summary or ""
    return read(text), digest_summary(text)


def given_of(bundle: Bundle, document: Document) -> SummaryInputs:
    release, records = bundle.release, records_of(bundle)
    sample = list(sample_of(bundle))
    told = list(told_in(bundle))
    counted = complete_in(sample, waived_reviews(records), release.reviews_per_case)
    marks = count_marks(told, sample, document)
    in_words = {row.case_key for row in told_in_words(document, marks, counted)}
    return SummaryInputs(
        release=release.name,
        product=release.product,
        rubric=release.rubric,
        rubric_digest=release.rubric_digest,
        document=document,
        reviews_per_case=release.reviews_per_case,
        baseline=release.baseline,
        policy=release.policy,
        records=records,
        sample=sample,
        marks=marks,
        pairs=count_pairs(told, counted),
        words=Words(list_remarks(told, in_words), flags_of(bundle)),
    )


def told_in(bundle: Bundle) -> Iterator[ReviewTold]:
    """The submitted reviews that say something."""
    for one in bundle.reviews:
        if one.said is not None and one.version is not None:
            yield ReviewTold(
                case_key=one.case_key,
                reviewer=one.reviewer,
                version=one.version,
                said=one.said,
                coherence=one.coherence,
                changed_minds=one.changed_minds,
            )


def sample_of(bundle: Bundle) -> Iterator[SampleRow]:
    """In the order of the draw; what came in by hand behind it."""
    said = defaultdict[str, list[tuple[str, int]]](list)
    for one in bundle.reviews:
        if one.version is not None:
            said[one.case_key].append((one.reviewer, one.version))
    ordered = sorted(
        bundle.cases, key=lambda row: (row.place is None, row.place or 0, row.case_key)
    )
    for number, row in enumerate(ordered):
        yield SampleRow(
            pk=number,
            case_key=row.case_key,
            kind=row.kind,
            origin=row.origin,
            place=row.place,
            reason=row.reason,
            is_withdrawn=row.withdrawn_at is not None,
            cause=row.cause,
            withdrawal_reason=row.withdrawal_reason,
            tags=frozenset(row.tags),
            said=tuple(sorted(said[row.case_key])),
        )


def flags_of(bundle: Bundle) -> list[FlagSummary]:
    found = [
        FlagSummary(one.case_key, one.reviewer, flag.kind, flag.outcome, flag.by, flag.reason)
        for one in bundle.reviews
        for flag in one.flags
    ]
    return sorted(found, key=lambda one: (one.case_key, one.reviewer, one.flag))


def records_of(bundle: Bundle) -> Records:
    return Records(
        waivers=[
            Waiver(rule=one.rule, covers=one.covers, reason=one.reason, by=one.by)
            for one in sorted(bundle.waivers, key=lambda one: one.rule)
        ],
        exclusions=[(one.case_key, one.reason) for one in bundle.exclusions],
        rulings=[RulingSummary(one.subject, one.text, one.by) for one in bundle.rulings],
        adjudications={
            one.case_key: Adjudication(
                agreed=one.agreed,
                basis=[list(each) for each in one.basis],
                cause=one.cause,
                note=one.note,
                by=one.by,
            )
            for one in bundle.adjudications
        },
        draws=[
            DrawSummary(
                number=one.number,
                size=one.size,
                by=one.by,
                pool_size=one.pool_size,
                pool_digest=one.pool_digest,
                waived=tuple(one.waived),
                changes=one.changes,
            )
            for one in bundle.draws
        ],
        fitting=bundle.draws[-1].fitting if bundle.draws else {},
        acts=[
            Amendment(one.number, one.kind, one.by, one.data) for one in acts_since_the_draw(bundle)
        ],
    )


def acts_since_the_draw(bundle: Bundle) -> list[Event]:
    """Acts by hand, as events of the ledger."""
    events = events_of(bundle)
    last = max((one.number for one in events if one.kind == "sample-drawn"), default=None)
    if last is None:
        return []
    return [one for one in events if one.kind in BY_HAND and one.number > last]


def events_of(bundle: Bundle) -> list[Event]:
    """As the ledger knows them; none is stored."""
    return [
        Event(
            number=one.number,
            at=one.at,
            by=one.by,
            kind=one.kind,
            data=one.data,
            previous=one.previous,
            digest=one.digest,
        )
        for one in bundle.events
    ]
