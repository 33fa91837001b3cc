"""Everything behind a report in one archive, so that anybody can compute it anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from cases.models import Release
from reviews.models import Closing, Draw, SampledCase
from reviews.report import summary, verdict
from reviews.report.summary import OtherSchema, Summary
from reviews.report.summary.computation import build_summary
from reviews.report.summary.queries import load_inputs
from reviews.report.verdict import Verdict

from .archive import Archive, in_portions
from .code import code
from .queries import (
    as_record,
    read_adjudications,
    read_cases,
    read_closings,
    read_decisions,
    read_draws,
    read_events,
    read_exclusions,
    read_pool,
    read_reviews,
    read_rulings,
    read_waivers,
)
from .records import FORMAT, Manifest, ReleaseRecord, RubricRecord, TextRecord
from .tables import report_state

# From here on a file of rows might come near 2 GB, and the archive says so from the start.
MANY_EVENTS = 100_000
MANY_CASES = 4_000

README = """\
SPOTCHECK BUNDLE

Everything behind the report of one release: the rubric, the pool of every draw, the cases of the
sample, every review with all its versions, what was settled, the ledger, the summary, the verdict.

To check it, with the same code or a later one, without its database:

    manage.py verify_export THIS-FILE.zip

It computes every figure of summary.json from the rows, the verdict from the summary, each draw from
its pool, and every digest. It ends with 0 if all fits; otherwise with 1, naming what does not.

Somebody who rewrites everything, the whole ledger included, can still make it fit. What they cannot
do is give it the digest of the report, or the ledger at closing, that you have on paper or in a
mail: verify_export prints both. Compare them.

Text files are UTF-8. A .jsonl file has one JSON value a line. manifest.json has the SHA-256 of
every other file. docs/exports.md of the code describes every file and column.

While manifest.json says "provisional" the release is not closed. Reviews of a case whose reviews
are not all in are listed without what they say ("is_sealed").
"""

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
    """The archive in parts. What it holds of an open release: `queries.read_reviews`."""
    report = stored_report(release) if release.is_closed else computed_report(release, None)
    archive = Archive(is_large=is_large(release))
    for name, parts in files_of(release, report):
        yield from archive.add(name, in_portions(parts))
    manifest = Manifest(
        format=FORMAT,
        release=release.name,
        report=report_state(release),
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
    """Each file by its name: a document is one part, a file of rows has one for each line."""
    yield "README.txt", [README.encode()]
    yield "release.json", [as_document(release_record(release, report.baseline_state))]
    yield "rubric.json", [as_document(rubric_record(release))]
    for language, text in sorted(release.rubric.texts().items()):
        yield f"rubric/{language}.md", [text.text.encode()]
    yield "rulings.jsonl", as_lines(read_rulings(release, report.closing))
    yield "draws.jsonl", as_lines(read_draws(release))
    for number in Draw.objects.of(release).order_by("number").values_list("number", flat=True):
        yield f"pools/{number}.jsonl", as_lines(read_pool(release, number))
    yield "cases.jsonl", as_lines(read_cases(release))
    yield "exclusions.jsonl", as_lines(read_exclusions(release))
    yield "reviews.jsonl", as_lines(read_reviews(release))
    yield "adjudications.jsonl", as_lines(read_adjudications(release))
    yield "waivers.jsonl", as_lines(read_waivers(release))
    yield "events.jsonl", as_lines(read_events(release))
    yield "closings.jsonl", as_lines(read_closings(release))
    yield "decisions.jsonl", as_lines(read_decisions(release))
    yield "summary.json", [report.text.encode()]
    yield "verdict.json", [as_document(report.verdict)]
    if report.baseline_text is not None:
        yield "baseline-summary.json", [report.baseline_text.encode()]


def as_document(value: object) -> bytes:
    return msgspec.json.format(_encoder.encode(value), indent=2) + b"\n"


def as_lines(rows: Iterable[object]) -> Iterator[bytes]:
    return (_encoder.encode(row) + b"\n" for row in rows)


def release_record(release: Release, baseline_state: str) -> ReleaseRecord:
    return as_record(
        ReleaseRecord,
        release,
        rubric=release.rubric.number,
        rubric_digest=release.rubric.digest,
        baseline=release.baseline.name if release.baseline else None,
        baseline_state=baseline_state,
    )


def rubric_record(release: Release) -> RubricRecord:
    rubric = release.rubric
    texts = [
        TextRecord(language=language, digest=text.digest, is_original=text is rubric)
        for language, text in sorted(rubric.texts().items())
    ]
    return RubricRecord(number=rubric.number, texts=texts)


# --- The report -----------------------------------------------------------------------------------


def stored_report(release: Release) -> Report:
    """Of a closed release."""
    closing = release.closings.newest().get()
    try:
        found = verdict.decide(summary.read(closing.summary), is_abandoned=closing.is_abandoned)
    except OtherSchema:
        # What an older code stored lacks what the verdict asks for now.
        found = None
    return Report(closing, closing.summary, closing.digest, found, *baseline_of(release, closing))


def computed_report(release: Release, closing: Closing | None) -> Report:
    """From the rows, also where a report is stored."""
    found = summary.compute(release)
    decided = verdict.decide(found, is_abandoned=closing is not None and closing.is_abandoned)
    return Report(closing, *summary.serialize(found), decided, *baseline_of(release, closing))


def baseline_of(release: Release, closing: Closing | None) -> tuple[str, str | None]:
    """How the baseline stood when the release was closed, or stands now; and its summary."""
    state, found = baseline_state(release, closing)
    if found is None or release.baseline is None:
        return state, None
    return state, readable(found.summary, release.baseline)


def baseline_state(release: Release, closing: Closing | None) -> tuple[str, Closing | None]:
    """none, open, abandoned, or closed, and then its closing."""
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
    return ("abandoned", None) if found.is_abandoned else ("closed", found)


def readable(text: str, release: Release) -> str:
    """What an older code stored is computed from the frozen rows, as the summary did."""
    try:
        summary.read(text)
    except OtherSchema:
        computed: Summary = build_summary(load_inputs(release))
        return summary.serialize(computed)[0]
    return text
