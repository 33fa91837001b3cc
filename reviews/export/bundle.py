"""Write everything behind a report into one archive, so that anyone can recompute it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from cases.models import Release
from cases.rules.queries import export_rules
from reviews.escapes.findings import Finding, list_findings
from reviews.models import Closing, Draw, SampledCase
from reviews.report import summary, verdict
from reviews.report.summary import OtherSchema, Summary
from reviews.report.summary.computation import build_summary
from reviews.report.summary.queries import load_inputs
from reviews.report.verdict import Verdict

from .archive import Archive, join_parts
from .code import read_code_version
from .pairs import read_pairings
from .queries import (
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
    to_record,
)
from .records import (
    FORMAT,
    PAIRINGS,
    EscapeRecord,
    Manifest,
    ReleaseRecord,
    RubricRecord,
    TextRecord,
)
from .rules import HITS, RULES, read_hits, select_adopted
from .tables import name_report_state

ESCAPES = "escapes.jsonl"
# Above these a file of rows may exceed 2 GB, which the archive has to declare in advance.
MANY_EVENTS = 100_000
MANY_CASES = 4_000

README = """\
SPOTCHECK BUNDLE

Everything behind the report of one release: the rubric, the pool of every draw, the cases of the
sample, every review with all its versions, what was settled, the ledger, the summary, the verdict;
the adopted rules of the product and what they hit in these cases.

To check it, with the same code or a later one, without its database:

    manage.py verify_export THIS-FILE.zip

It computes every figure of summary.json from the rows, the verdict from the summary, each draw from
its pool, and every digest. It exits with 0 if everything matches; otherwise with 1 and a list of
the differences.

Someone who rewrites everything, including the whole ledger, can still make it consistent. What they
cannot do is match the digest of the report, or the ledger at closing, that you have on paper or in
a mail: verify_export prints both. Compare them.

Text files are UTF-8. A .jsonl file has one JSON value a line. manifest.json has the SHA-256 of
every other file. docs/exports.md of the code describes every file and column.

If manifest.json has "provisional", the release is not closed. Reviews of a case whose reviews are
not all in are listed without their content ("is_sealed").
"""

_encoder = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True)
class Report:
    """The stored or current summary with its verdict, and the summary of the baseline.

    `findings` are what got through; none of a release that is open or abandoned.
    """

    closing: Closing | None
    text: str
    digest: str
    verdict: Verdict | None
    baseline_state: str
    baseline_text: str | None
    findings: Sequence[Finding] | None = None


def write_bundle(release: Release) -> Iterator[bytes]:
    """Yield the archive in parts. Of an open release it has what `read_reviews` gives."""
    report = load_stored_report(release) if release.is_closed else compute_report(release, None)
    archive = Archive(is_large=is_large(release))
    for name, parts in list_files(release, report):
        yield from archive.add(name, join_parts(parts))
    manifest = Manifest(
        format=FORMAT,
        release=release.name,
        report=name_report_state(release),
        code=read_code_version(),
        summary=report.digest,
        files=archive.files.copy(),
    )
    yield from archive.add("manifest.json", [encode_document(manifest)])
    yield archive.end()


def is_large(release: Release) -> bool:
    if release.ledger_length > MANY_EVENTS:
        return True
    return SampledCase.objects.of(release)[: MANY_CASES + 1].count() > MANY_CASES


def list_files(release: Release, report: Report) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield each file with its name: a document is one part, a file of rows one per line."""
    yield "README.txt", [README.encode()]
    yield "release.json", [encode_document(build_release_record(release, report.baseline_state))]
    yield "rubric.json", [encode_document(build_rubric_record(release))]
    for language, text in sorted(release.rubric.texts().items()):
        yield f"rubric/{language}.md", [text.text.encode()]
    yield "rulings.jsonl", encode_lines(read_rulings(release, report.closing))
    yield "draws.jsonl", encode_lines(read_draws(release))
    for number in Draw.objects.of(release).order_by("number").values_list("number", flat=True):
        yield f"pools/{number}.jsonl", encode_lines(read_pool(release, number))
    yield "cases.jsonl", encode_lines(read_cases(release))
    yield "exclusions.jsonl", encode_lines(read_exclusions(release))
    if select_adopted(release).exists():
        yield RULES, [export_rules(release.product)]
        yield HITS, encode_lines(read_hits(release))
    yield "reviews.jsonl", encode_lines(read_reviews(release))
    if release.pairings.exists():
        yield PAIRINGS, encode_lines(read_pairings(release))
    yield "adjudications.jsonl", encode_lines(read_adjudications(release))
    yield "waivers.jsonl", encode_lines(read_waivers(release))
    yield "events.jsonl", encode_lines(read_events(release))
    yield "closings.jsonl", encode_lines(read_closings(release))
    yield "decisions.jsonl", encode_lines(read_decisions(release))
    yield "summary.json", [report.text.encode()]
    yield "verdict.json", [encode_document(report.verdict)]
    if report.findings is not None:
        yield ESCAPES, encode_lines(map(build_escape_record, report.findings))
    if report.baseline_text is not None:
        yield "baseline-summary.json", [report.baseline_text.encode()]


def encode_document(value: object) -> bytes:
    return msgspec.json.format(_encoder.encode(value), indent=2) + b"\n"


def encode_lines(rows: Iterable[object]) -> Iterator[bytes]:
    return (_encoder.encode(row) + b"\n" for row in rows)


def build_release_record(release: Release, baseline_state: str) -> ReleaseRecord:
    return to_record(
        ReleaseRecord,
        release,
        rubric=release.rubric.number,
        rubric_digest=release.rubric.digest,
        baseline=release.baseline.name if release.baseline else None,
        baseline_state=baseline_state,
    )


def build_rubric_record(release: Release) -> RubricRecord:
    rubric = release.rubric
    texts = [
        TextRecord(language=language, digest=text.digest, is_original=text is rubric)
        for language, text in sorted(rubric.texts().items())
    ]
    return RubricRecord(number=rubric.number, texts=texts)


# --- The report -----------------------------------------------------------------------------------


def load_stored_report(release: Release) -> Report:
    """Load the report that was stored at closing."""
    closing = release.closings.newest().get()
    baseline = load_baseline(release, closing)
    try:
        found = summary.read(closing.summary)
    except OtherSchema:
        # A report stored by an older version lacks what the verdict needs now.
        return Report(closing, closing.summary, closing.digest, None, *baseline)
    decided = verdict.decide(found, is_abandoned=closing.is_abandoned)
    findings = find_escapes(found, closing)
    return Report(closing, closing.summary, closing.digest, decided, *baseline, findings)


def find_escapes(found: Summary, closing: Closing | None) -> list[Finding] | None:
    return None if closing is None or closing.is_abandoned else list_findings(found)


def build_escape_record(finding: Finding) -> EscapeRecord:
    return EscapeRecord(
        about=finding.subject.about,
        key=finding.subject.key,
        case_key=finding.case_key,
        is_counted=finding.is_counted,
    )


def compute_report(release: Release, closing: Closing | None) -> Report:
    """Compute the report from the rows, even if one is stored."""
    found = summary.compute(release)
    decided = verdict.decide(found, is_abandoned=closing is not None and closing.is_abandoned)
    baseline = load_baseline(release, closing)
    findings = find_escapes(found, closing)
    return Report(closing, *summary.serialize(found), decided, *baseline, findings)


def load_baseline(release: Release, closing: Closing | None) -> tuple[str, str | None]:
    """Return the state and summary of the baseline when the release was closed, or now."""
    state, found = find_baseline_state(release, closing)
    if found is None or release.baseline is None:
        return state, None
    return state, read_or_compute(found.summary, release.baseline)


def find_baseline_state(release: Release, closing: Closing | None) -> tuple[str, Closing | None]:
    """Return none, open, abandoned, or closed with the closing."""
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


def read_or_compute(text: str, release: Release) -> str:
    """Return the stored summary; if an older version wrote it, compute it from the rows."""
    try:
        summary.read(text)
    except OtherSchema:
        computed: Summary = build_summary(load_inputs(release))
        return summary.serialize(computed)[0]
    return text
