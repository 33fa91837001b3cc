"""Everything behind a report in one archive, so that anybody can compute it anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from cases.models import Exclusion, Release
from reviews.models import Adjudication, Closing, Draw, Ruling, SampledCase, Waiver
from reviews.report import summary, verdict
from reviews.report.summary import OtherSchema, Summary
from reviews.report.summary.assembling import summary_from
from reviews.report.summary.reading import load_inputs
from reviews.report.verdict import Verdict

from .archive import Archive, in_portions
from .code import code
from .reading import by_text, cases_of, events_of, incomplete_in, reviews_of
from .records import (
    FORMAT,
    AdjudicationRecord,
    ClosingRecord,
    DecisionRecord,
    DrawRecord,
    ExclusionRecord,
    Manifest,
    PoolRecord,
    ReleaseRecord,
    RubricRecord,
    RulingRecord,
    TextRecord,
    WaiverRecord,
)
from .words import README

# From here on a file of rows might come near 2 GB, and the archive says so from the start.
MANY_EVENTS = 100_000
MANY_CASES = 4_000

_encoder = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True)
class Report:
    """The summary as it was stored at closing, or as it stands; and that of the baseline."""

    closing: Closing | None
    text: str
    digest: str
    verdict: Verdict | None
    baseline_state: str
    baseline_text: str | None


def bundle_of(release: Release) -> Iterator[bytes]:
    """The archive in parts. What it holds of an open release: `reading.reviews_of`."""
    report = report_of(release)
    archive = Archive(is_large=is_large(release))
    for name, parts in files_of(release, report):
        yield from archive.add(name, parts)
    manifest = Manifest(
        format=FORMAT,
        release=release.name,
        report="final" if release.is_closed else "provisional",
        code=code(),
        summary=report.digest,
        files=archive.files.copy(),
    )
    yield from archive.add("manifest.json", [as_document(manifest)])
    yield archive.end()


def is_large(release: Release) -> bool:
    if release.ledger_length > MANY_EVENTS:
        return True
    return SampledCase.objects.of(release)[: MANY_CASES + 1].count() > MANY_CASES


def files_of(release: Release, report: Report) -> Iterator[tuple[str, Iterable[bytes]]]:
    yield "README.txt", [README.encode()]
    yield "release.json", [as_document(release_record(release, report.baseline_state))]
    texts = release.rubric.texts()
    yield "rubric.json", [as_document(rubric_record(release))]
    for language, one in sorted(texts.items()):
        yield f"rubric/{language}.md", [one.text.encode()]
    yield "rulings.jsonl", as_lines(rulings_of(release, report.closing))
    yield "draws.jsonl", as_lines(draws_of(release))
    for number in Draw.objects.of(release).order_by("number").values_list("number", flat=True):
        yield f"pools/{number}.jsonl", as_lines(pool_of(release, number))
    yield "cases.jsonl", as_lines(cases_of(release))
    yield "exclusions.jsonl", as_lines(exclusions_of(release))
    yield "reviews.jsonl", as_lines(reviews_of(release))
    yield "adjudications.jsonl", as_lines(adjudications_of(release))
    yield "waivers.jsonl", as_lines(waivers_of(release))
    yield "events.jsonl", as_lines(events_of(release))
    yield "closings.jsonl", as_lines(closings_of(release))
    yield "decisions.jsonl", as_lines(decisions_of(release))
    yield "summary.json", [report.text.encode()]
    yield "verdict.json", [as_document(report.verdict)]
    if report.baseline_text is not None:
        yield "baseline-summary.json", [report.baseline_text.encode()]


def as_document(value: object) -> bytes:
    return msgspec.json.format(_encoder.encode(value), indent=2) + b"\n"


def as_lines(rows: Iterable[object]) -> Iterator[bytes]:
    return in_portions(_encoder.encode(row) + b"\n" for row in rows)


# --- The report -----------------------------------------------------------------------------------


def report_of(release: Release) -> Report:
    if release.is_closed:
        closing = release.closings.newest().get()
        told = (closing.summary, closing.digest, verdict_on(closing))
        return Report(closing, *told, *baseline_of(release, closing))
    found = summary.of(release)
    return Report(None, *summary.written(found), verdict.of(found), *baseline_of(release, None))


def verdict_on(closing: Closing) -> Verdict | None:
    """None for a summary that an older code stored: it lacks what the verdict asks for now."""
    try:
        return verdict.of(summary.read(closing.summary), is_abandoned=closing.is_abandoned)
    except OtherSchema:
        return None


def baseline_of(release: Release, closing: Closing | None) -> tuple[str, str | None]:
    """How the baseline stood when the release was closed, or stands now; and its summary."""
    if release.baseline is None:
        return "none", None
    closings = Closing.objects.filter(release=release.baseline)
    if closing:
        closings = closings.filter(closed_at__lte=closing.closed_at)
        closings = closings.exclude(reopened_at__lte=closing.closed_at)
    else:
        closings = closings.standing()
    found = closings.order_by("number").last()
    if found is None:
        return "open", None
    if found.is_abandoned:
        return "abandoned", None
    return "closed", readable(found.summary, release.baseline)


def readable(text: str, release: Release) -> str:
    """What an older code stored is computed from the frozen rows, as the summary did."""
    try:
        summary.read(text)
    except OtherSchema:
        computed: Summary = summary_from(load_inputs(release))
        return summary.written(computed)[0]
    return text


# --- Small tables ---------------------------------------------------------------------------------


def release_record(release: Release, baseline_state: str) -> ReleaseRecord:
    return ReleaseRecord(
        name=release.name,
        product=release.product,
        status=release.status,  # type: ignore[arg-type]
        rubric=release.rubric.number,
        rubric_digest=release.rubric.digest,
        reviews_per_case=release.reviews_per_case,
        baseline=release.baseline.name if release.baseline else None,
        baseline_state=baseline_state,  # type: ignore[arg-type]
        policy=release.policy,
        due_date=release.due_date,
        created_at=release.created_at,
        ledger_length=release.ledger_length,
        ledger_head=release.ledger_head,
    )


def rubric_record(release: Release) -> RubricRecord:
    rubric = release.rubric
    texts = [
        TextRecord(language=language, digest=one.digest, is_original=one is rubric)
        for language, one in sorted(rubric.texts().items())
    ]
    return RubricRecord(number=rubric.number, texts=texts)


def rulings_of(release: Release, closing: Closing | None) -> Iterator[RulingRecord]:
    """Those that its reviewers could read: given before it was closed."""
    found = Ruling.objects.filter(rubric=release.rubric)
    if closing:
        found = found.filter(given_at__lte=closing.closed_at)
    for one in sorted(found, key=lambda one: (one.given_at, one.subject, one.text, one.by)):
        yield RulingRecord(subject=one.subject, text=one.text, by=one.by, given_at=one.given_at)


def draws_of(release: Release) -> Iterator[DrawRecord]:
    for one in Draw.objects.of(release).defer("record").order_by("number"):
        yield DrawRecord(
            number=one.number,
            size=one.size,
            drawn_at=one.drawn_at,
            by=one.by,
            rubric_digest=one.rubric_digest,
            kinds=[(key, tags) for key, tags in one.kinds],
            waived=one.waived,
            fitting=one.fitting,
            pool_size=one.pool_size,
            pool_digest=one.pool_digest,
            changes=one.changes,
            event=one.event,
        )


def pool_of(release: Release, number: int) -> Iterator[PoolRecord]:
    order = Draw.objects.of(release).get(number=number).order
    for entry, digest in zip(order, order.digests, strict=True):
        yield PoolRecord(entry.case_key, digest, entry.kind, entry.tags)


def exclusions_of(release: Release) -> Iterator[ExclusionRecord]:
    rows = Exclusion.objects.filter(release=release).order_by(by_text("case__case_key"))
    for case_key, reason, by, excluded_at in rows.values_list(
        "case__case_key", "reason", "by", "excluded_at"
    ).iterator(chunk_size=2_000):
        yield ExclusionRecord(case_key=case_key, reason=reason, by=by, excluded_at=excluded_at)


def adjudications_of(release: Release) -> Iterator[AdjudicationRecord]:
    """Of cases that may be shown: agreed scores are scores."""
    hidden = frozenset[int]() if release.is_closed else incomplete_in(release)
    rows = Adjudication.objects.filter(release=release).order_by(by_text("case__case_key"))
    if not release.is_closed:
        rows = rows.filter(case__sampled__withdrawn_at=None)
    for one in rows.select_related("case").defer("case__data"):
        if one.case_id not in hidden:
            yield AdjudicationRecord(
                case_key=one.case.case_key,
                agreed=one.agreed,
                basis=[(username, version) for username, version in one.basis],
                cause=one.cause,
                note=one.note,
                by=one.by,
                adjudicated_at=one.adjudicated_at,
            )


def waivers_of(release: Release) -> Iterator[WaiverRecord]:
    for one in Waiver.objects.filter(release=release).order_by(by_text("rule")):
        yield WaiverRecord(
            rule=one.rule,
            covers=one.covers,
            reason=one.reason,
            by=one.by,
            waived_at=one.waived_at,
        )


def closings_of(release: Release) -> Iterator[ClosingRecord]:
    for one in release.closings.defer("summary").order_by("number"):
        yield ClosingRecord(
            number=one.number,
            closed_at=one.closed_at,
            by=one.by,
            closed_from=one.closed_from,
            is_abandoned=one.is_abandoned,
            reason=one.reason,
            digest=one.digest,
            event=one.event,
            head=one.head,
            reopened_at=one.reopened_at,
        )


def decisions_of(release: Release) -> Iterator[DecisionRecord]:
    rows = release.decisions.select_related("closing").defer("closing__summary")
    for one in rows.order_by("pk"):
        yield DecisionRecord(
            decision=one.decision,  # type: ignore[arg-type]
            summary=one.closing.digest,
            reason=one.reason,
            by=one.by,
            decided_at=one.decided_at,
            voided_at=one.voided_at,
        )
