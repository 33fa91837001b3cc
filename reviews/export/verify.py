"""Check a bundle: restore its rows into a database in memory, verify them like those of the site,
compare them with the ledger, and write every file again from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from cases import ledger
from cases.ledger import LedgerBroken
from cases.models import Event, Exclusion, Release
from reviews.desk import judgement as desk_judgement
from reviews.models import Adjudication, Flag, Waiver
from reviews.models.reviews import SEEN
from reviews.pairings import verify as pairings_verify
from reviews.releases.verify import (
    Mismatch,
    find_report_mismatches,
    find_sample_mismatches,
    read_closings_from_ledger,
)
from reviews.report.summary import SCHEMA, OtherSchema, read

from .archive import ArchiveReader, NotReadable
from .bundle import ESCAPES, Report, compute_report, find_baseline_state, list_files
from .queries import read_reviews
from .records import FORMAT, LINES, PAIRINGS, Manifest, ReviewRecord, VersionRecord
from .restore import SENSELESS, restore, use_memory_database
from .tables import name_report_state

NEEDED = {
    *("README.txt", "manifest.json", "release.json", "rubric.json", "summary.json"),
    *("verdict.json", *LINES),
} - {PAIRINGS}
OPTIONAL = re.compile(
    r"baseline-summary\.json|escapes\.jsonl|pairings\.jsonl|rules\.json|hits\.jsonl|"
    r"rubric/[a-z-]{2,10}\.md|pools/[1-9][0-9]{0,5}\.jsonl"
)
# Files with figures, which another version of the code may compute differently.
FIGURES = {"summary.json", "verdict.json", "baseline-summary.json", ESCAPES}


@dataclass(frozen=True)
class Verified:
    """The result. `problems` is empty if everything matches; `counts` has the numbers of rows.

    `together`: the cases that were settled by their own reviewers, with these. `older_schema`: that
    of a summary by earlier rules, whose figures are taken as stored.
    """

    manifest: Manifest
    problems: list[str]
    counts: dict[str, int]
    ledger_at_closing: str | None
    ledger_head: str
    together: dict[str, list[str]]
    older_schema: str


def verify(path: Path) -> Verified:
    """Verify a bundle in its own database. Raise NotReadable."""
    with closing(ArchiveReader(path)) as archive, use_memory_database():
        check_names(archive.entries)
        manifest = archive.document("manifest.json", Manifest)
        if manifest.format != FORMAT:
            raise NotReadable(f"manifest.json: the format is not {FORMAT}.")
        release, unfit = restore(archive)
        problems = [*check_manifest(archive, manifest), *unfit]
        for what, check in CHECKS.items():
            try:
                problems += check(release)
            except SENSELESS as error:
                problems.append(f"{what} cannot be checked: {type(error).__name__}: {error}.")
        problems += check_files(archive, manifest, release)
        tables = {"Cases": release.sample, "reviews": release.reviews}
        tables |= {"draws": release.draws, "events": release.events}
        return Verified(
            manifest,
            problems=list(dict.fromkeys(problems)),
            counts={name: rows.count() for name, rows in tables.items()},
            ledger_at_closing=release.closings.standing().values_list("head", flat=True).first(),
            ledger_head=release.ledger_head,
            together={
                row.case.case_key: row.together
                for row in release.adjudications.select_related("case").order_by("case__case_key")
                if row.together
            },
            older_schema=find_older_schema(archive),
        )


def check_names(names: Collection[str]) -> None:
    for name in names:
        if name not in NEEDED and not OPTIONAL.fullmatch(name):
            raise NotReadable(f"{name[:80]}: not a file of a bundle.")
    if missing := sorted(NEEDED - set(names)):
        raise NotReadable(f"Not a complete bundle: {', '.join(missing)} missing.")


def check_manifest(archive: ArchiveReader, manifest: Manifest) -> Iterator[str]:
    """Compare every file with the manifest."""
    listed = {file.name: (file.bytes, file.sha256) for file in manifest.files}
    if len(listed) < len(manifest.files):
        yield "manifest.json: it names a file twice."
    for name in sorted(archive.entries.keys() - {"manifest.json"}):
        if name in ("README.txt", "verdict.json", ESCAPES):
            archive.content(name)
        if name not in listed:
            yield f"{name}: the manifest does not name this file."
        elif name not in archive.digests:
            yield f"{name}: nothing in the bundle refers to this file."
        elif listed[name] != archive.digests[name]:
            yield f"{name}: not the file that the manifest names (SHA-256)."
    for name in sorted(listed.keys() - archive.entries.keys()):
        yield f"{name}: named by the manifest, but not there."


# --- Against the ledger ---------------------------------------------------------------------------

Facts = Mapping[Any, Any]


def compare_with_ledger(
    file: str, stored: Facts, in_ledger: Facts, names: Iterable[Any]
) -> Iterator[str]:
    for name in sorted(names):
        if stored.get(name) != in_ledger.get(name):
            yield f"{file}: {name} does not match the ledger."


def select_events(release: Release, *kinds: str) -> Iterable[Event]:
    return release.events.filter(kind__in=kinds).order_by("number")


def check_release(release: Release) -> Iterator[str]:
    """Compare the release's status and settings with the ledger."""
    changing = {
        "product": release.product,
        "baseline": release.baseline.name if release.baseline else None,
        "due_date": release.due_date.isoformat() if release.due_date else None,
    }
    frozen = {
        "rubric": release.rubric.number,
        "rubric_digest": release.rubric.digest,
        "reviews_per_case": release.reviews_per_case,
        "policy": release.policy,
    }
    in_ledger: dict[str, Any] = {"status": "draft"}
    events = list(release.events.order_by("number"))
    for event in events:
        if event.kind in ("release-created", "release-changed"):
            given = event.data["to"] if event.kind == "release-changed" else event.data
            in_ledger |= {name: given[name] for name in changing.keys() & given.keys()}
        elif event.kind == "review-started":
            in_ledger |= {"status": "reviewing"} | {name: event.data[name] for name in frozen}
    if any(closed["reopened_at"] is None for closed in read_closings_from_ledger(events).values()):
        in_ledger["status"] = "closed"
    stored = {"status": release.status} | changing | frozen
    yield from compare_with_ledger("release.json", stored, in_ledger, in_ledger)


def check_waivers_and_adjudications(release: Release) -> Iterator[str]:
    """Compare waivers and adjudications with the ledger.

    No event has the agreed scores: they are checked with the figures.
    """
    waivers: dict[str, Any] = {}
    for event in select_events(release, "rule-waived", "waiver-taken-back"):
        if event.kind == "waiver-taken-back":
            waivers.pop(event.data["rule"], None)
        else:
            waived = (event.data["covers"], event.data["reason"], event.by, event.at)
            waivers[event.data["rule"]] = waived
    stored: Facts = {
        waiver.rule: (waiver.covers, waiver.reason, waiver.by, waiver.waived_at)
        for waiver in Waiver.objects.filter(release=release)
    }
    yield from compare_with_ledger("waivers.jsonl", stored, waivers, stored.keys() | waivers.keys())
    settled: dict[str, Any] = {}
    for event in select_events(release, "case-adjudicated"):
        basis, metrics = event.data["reviews"], set(event.data["metrics"])
        together = event.data.get("together", [])
        settled[event.data["case"]] = (
            *(metrics, event.data["cause"], basis, together, event.by, event.at),
        )
    rows = list(Adjudication.objects.filter(release=release).select_related("case"))
    stored = {
        row.case.case_key: (
            *(set(row.agreed), row.cause, row.basis, row.together, row.by, row.adjudicated_at),
        )
        for row in rows
    }
    # Before the release is closed, a bundle leaves out cases that may not be shown yet.
    names = stored.keys() | settled.keys() if release.is_closed else stored.keys()
    yield from compare_with_ledger("adjudications.jsonl", stored, settled, names)
    yield from check_settled_together(release, rows)


def check_settled_together(release: Release, rows: Iterable[Adjudication]) -> Iterator[str]:
    """Check that all reviewers of a case took part, and count as having seen the scores."""
    seen = set(release.events.filter(kind=SEEN).values_list("by", flat=True))
    for row in rows:
        if row.together and row.together != [username for username, _version in row.basis]:
            yield f"adjudications.jsonl: {row.case.case_key} was not settled by its own reviewers."
        for username in sorted(set(row.together) - seen):
            yield (
                f"events.jsonl: {username} settled {row.case.case_key} together, without a look at "
                "the scores."
            )


def check_flags_and_exclusions(release: Release) -> Iterator[str]:
    """Compare judged flags and exclusions with the ledger."""
    judged = set()
    for event in select_events(release, "flag-judged"):
        values = [event.data[name] for name in ("case", "flag", "outcome", "reason")]
        judged.add((*values, event.by, event.at))
    flags = Flag.objects.filter(release=release).exclude(outcome="open").order_by("pk")
    for flag in flags.select_related("review__case", "review__reviewer", "judged_by"):
        case_key, by = flag.review.case.case_key, flag.judged_by and flag.judged_by.username
        if (case_key, flag.kind, flag.outcome, flag.reason, by, flag.judged_at) not in judged:
            yield (
                f"reviews.jsonl: {case_key} by {flag.review.reviewer.username}: its flag "
                f"“{flag.kind}” was not judged as the ledger says."
            )
    excluded = {
        (case_key, event.data["reason"], event.by, event.at)
        for event in select_events(release, "cases-excluded")
        for case_key in event.data["cases"]
    }
    for row in Exclusion.objects.filter(release=release).select_related("case").order_by("pk"):
        if (row.case.case_key, row.reason, row.by, row.excluded_at) not in excluded:
            yield f"exclusions.jsonl: {row.case.case_key} was not excluded as the ledger says."


def check_reviews(release: Release) -> Iterator[str]:
    """Check that reviews are complete and match the ledger."""
    document = release.rubric.document
    assigned = read_assignments_from_ledger(release)
    submits = {
        (event.data["case"], event.data["reviewer"], event.data["version"]): event
        for event in select_events(release, "review-submitted", "review-revised")
    }
    declines = {
        (event.data["case"], event.data["reviewer"]): (event.data["cause"], event.data["reason"])
        for event in select_events(release, "review-declined")
    }
    sealed = set[tuple[str, str]]()
    for review in read_reviews(release):
        own = (review.case_key, review.reviewer)
        name = f"reviews.jsonl: {review.case_key} by {review.reviewer}"
        if review.assigned_at != assigned.get(own):
            yield f"{name}: was not assigned when the ledger says."
        declined = declines.get(own) if review.status == "declined" else ("", "")
        if (review.declined_for, review.decline_reason) != declined:
            yield f"{name}: was not declined as the ledger says."
        if review.said is not None:
            for problem in (
                *desk_judgement.find_unknown_parts(review.said, document),
                *desk_judgement.find_missing_parts(review.said, document),
            ):
                yield f"{name}: {problem.path}: {problem.message % problem.params}"
        yield from check_versions(review, submits)
        if review.is_sealed:
            sealed.add(own)
    for case_key, reviewer, version in sorted(submits):
        if (case_key, reviewer) not in sealed:
            yield (
                f"reviews.jsonl: {case_key} by {reviewer}, version {version}: missing, but it is "
                "in the ledger."
            )


def check_versions(
    review: ReviewRecord, submits: dict[tuple[str, str, int], Event]
) -> Iterator[str]:
    """Compare the versions of a review with the ledger, and remove them from `submits`."""
    versions: list[VersionRecord | ReviewRecord] = [*review.earlier, review]
    before: VersionRecord | None = None
    for submitted in versions:
        if submitted.version is None:
            continue
        name = f"reviews.jsonl: {review.case_key} by {review.reviewer}, version {submitted.version}"
        submit = submits.pop((review.case_key, review.reviewer, submitted.version), None)
        if submit is None:
            yield f"{name}: the ledger has no such review."
        elif is_other_content(submitted, submit):
            yield f"{name}: says something else than what was submitted (event {submit.number})."
        elif submitted.submitted_at != submit.at:
            yield f"{name}: was not submitted when the ledger says (event {submit.number})."
        elif before and (before.reason, before.replaced_at) != (submit.data["reason"], submit.at):
            yield f"{name}: was not revised when and why the ledger says (event {submit.number})."
        before = submitted if isinstance(submitted, VersionRecord) else None


def is_other_content(submitted: VersionRecord | ReviewRecord, submit: Event) -> bool:
    """Return whether the content is shown and differs from the digest in the event."""
    said = submitted.said
    return said is not None and desk_judgement.digest(said) != submit.data["content"]


def read_assignments_from_ledger(release: Release) -> dict[tuple[str, str], datetime]:
    """Return when each review was last assigned, by case and reviewer."""
    found: dict[tuple[str, str], datetime] = {}
    for event in select_events(release, "review-assigned", "reviews-planned"):
        if event.kind == "review-assigned":
            found[event.data["case"], event.data["reviewer"]] = event.at
        else:
            found |= dict.fromkeys(map(tuple, event.data["assignments"]), event.at)
    return found


def check_pairs(release: Release) -> Iterator[str]:
    """Check that sides follow from their digest and that pairs match the ledger."""
    return (f"{PAIRINGS}: {sentence}" for sentence in pairings_verify.find_mismatches(release))


def check_chain(release: Release) -> Iterator[str]:
    try:
        ledger.verify(release)
    except LedgerBroken as broken:
        yield f"events.jsonl: {broken}"


def check_reports(release: Release) -> Iterator[str]:
    """Check closings and decisions. A bundle has the text of the last report only."""
    return name_files(find_report_mismatches(release, with_text=release.closings.standing()))


def check_sample(release: Release) -> Iterator[str]:
    return name_files(find_sample_mismatches(release))


def name_files(mismatches: Iterable[Mismatch]) -> Iterator[str]:
    return (f"{mismatch.part}.jsonl: {mismatch.sentence}" for mismatch in mismatches)


# The site itself verifies the first three as well.
CHECKS: dict[str, Callable[[Release], Iterator[str]]] = {
    "The ledger": check_chain,
    "Closings and decisions": check_reports,
    "The draws": check_sample,
    "The release": check_release,
    "The reviews": check_reviews,
    "Flags and exclusions": check_flags_and_exclusions,
    "Waivers and adjudications": check_waivers_and_adjudications,
    "The pairs": check_pairs,
}


# --- Written anew ---------------------------------------------------------------------------------


def check_files(archive: ArchiveReader, manifest: Manifest, release: Release) -> Iterator[str]:
    """Write every file again from the restored rows, with a computed report, and compare.

    This finds contradictions between files, and figures that do not follow from the rows.
    """
    if (manifest.release, manifest.report) != (release.name, name_report_state(release)):
        yield "manifest.json: it names another release, or is wrong on whether its report is final."
    if manifest.summary != archive.digests["summary.json"][1]:
        yield "summary.json: not the summary whose digest the manifest has."
    standing = release.closings.standing().first()
    skipped = {"README.txt"}
    unreadable = explain_unreadable_summary(archive)
    is_computed = not unreadable and not find_older_schema(archive)
    if is_computed:
        try:
            report = compute_report(release, standing)
        except SENSELESS as error:
            is_computed = False
            unreadable = f"The figures cannot be computed: {type(error).__name__}: {error}."
    if unreadable:
        yield unreadable
    if not is_computed:
        skipped |= FIGURES
        report = Report(standing, "", "", None, find_baseline_state(release, standing)[0], None)
    if ESCAPES not in archive.entries:
        skipped.add(ESCAPES)  # an earlier version wrote none
    for name, parts in list_files(release, report):
        if name not in skipped and name not in archive.entries:
            yield f"{name}: not in the archive."
        elif name not in skipped:
            try:
                yield from compare_file(archive, name, parts)
            except SENSELESS as error:
                yield f"{name}: cannot be compared: {type(error).__name__}: {error}."


def explain_unreadable_summary(archive: ArchiveReader) -> str:
    """Explain why a summary cannot be read: of an unknown version, or broken."""
    for name in sorted({"summary.json", "baseline-summary.json"} & archive.entries.keys()):
        try:
            read(archive.text(name))
        except OtherSchema as error:
            return f"{name}: written as {error}, which this code cannot compute."
        except msgspec.MsgspecError as error:
            return f"{name}: {error}."
    return ""


def find_older_schema(archive: ArchiveReader) -> str:
    """Return the schema of a summary that earlier rules computed, or nothing."""
    if explain_unreadable_summary(archive):
        return ""
    schema = read(archive.text("summary.json")).schema
    return "" if schema == SCHEMA else schema


def compare_file(archive: ArchiveReader, name: str, parts: Iterable[bytes]) -> Iterator[str]:
    has_lines = name.endswith(".jsonl")
    there = archive.lines(name) if has_lines else [archive.content(name)]
    for number, (line, own_line) in enumerate(zip_longest(there, parts), 1):
        if line is not None and own_line is not None and line.strip() == own_line.strip():
            continue
        place = f"{name}:{number}" if has_lines else name
        written, own = (msgspec.json.decode(text) if text else {} for text in (line, own_line))
        if has_lines and name_line(written) != name_line(own):
            # All later lines would differ too.
            yield f"{place}: {name_line(written)} there, {name_line(own)} from the rows."
            return
        for path, here, anew in find_differences(written, own, ""):
            yield (
                f"{place}: {path or 'all of it'}: {shorten(here)} there, {shorten(anew)} from "
                "the rows."
            )


def name_line(row: Any) -> str:
    """Name a line by what identifies it in its file."""
    if isinstance(row, list):
        return str(row[0])
    names = ("case_key", "reviewer", "rule", "number")
    return " by ".join(str(row[name]) for name in names if name in row) or MISSING


# One step of the last decimal: another machine may round differently.
TOLERANCE = 1e-10 * 1.5
# Fields that identify a row of a list better than its place.
NAMES = (
    *("item", "metric", "case_key", "subject", "reviewer", "rule", "kind", "name", "number"),
    "language",
)
MISSING = "(nothing)"


def find_differences(written: Any, found: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(written, dict) and isinstance(found, dict):
        for name in [*written, *(name for name in found if name not in written)]:
            inner = f"{path}.{name}" if path else str(name)
            yield from find_differences(written.get(name, MISSING), found.get(name, MISSING), inner)
    elif isinstance(written, list) and isinstance(found, list):
        if len(written) != len(found):
            yield f"{path}: how many", len(written), len(found)
        for place, (inner_written, inner_found) in enumerate(zip(written, found, strict=False)):
            inner = f"{path}[{name_row(inner_found, place)}]"
            yield from find_differences(inner_written, inner_found, inner)
    elif not is_same(written, found):
        yield path, written, found


def is_same(written: Any, found: Any) -> bool:
    if isinstance(written, bool) or isinstance(found, bool):
        return written is found
    if isinstance(written, int | float) and isinstance(found, int | float):
        return abs(written - found) <= TOLERANCE
    return bool(written == found)


def name_row(value: Any, place: int) -> str:
    if isinstance(value, dict):
        for name in NAMES:
            if value.get(name) and isinstance(value[name], str | int):
                return str(value[name])
    return str(place)


def shorten(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else text[:59] + "…"
