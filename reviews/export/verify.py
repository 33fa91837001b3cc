"""Checking a bundle: its rows are restored into a database in memory, verified like those of the
site, compared with the ledger, and written anew with every figure computed from them."""

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
from reviews.releases.verify import (
    Mismatch,
    closings_in_ledger,
    report_mismatches,
    sample_mismatches,
)
from reviews.report.summary import SCHEMA, OtherSchema, read

from .archive import ArchiveReader, NotReadable
from .bundle import Report, baseline_state, computed_report, files_of
from .queries import read_reviews
from .records import FORMAT, Manifest, ReviewRecord, VersionRecord
from .restore import SENSELESS, memory_database, restore
from .tables import report_state

NEEDED = {
    *("README.txt", "manifest.json", "release.json", "rubric.json", "summary.json"),
    *("verdict.json", "rulings.jsonl", "draws.jsonl", "cases.jsonl", "exclusions.jsonl"),
    *("reviews.jsonl", "adjudications.jsonl", "waivers.jsonl", "events.jsonl"),
    *("closings.jsonl", "decisions.jsonl"),
}
OPTIONAL = re.compile(
    r"baseline-summary\.json|rubric/[a-z-]{2,10}\.md|pools/[1-9][0-9]{0,5}\.jsonl"
)
# Files that hold figures, which another code may compute otherwise.
FIGURES = {"summary.json", "verdict.json", "baseline-summary.json"}


@dataclass(frozen=True)
class Verified:
    """`problems` is empty if everything fits. `counts` has how many rows there are."""

    manifest: Manifest
    problems: list[str]
    counts: dict[str, int]
    ledger_at_closing: str | None
    ledger_head: str


def verify(path: Path) -> Verified:
    """Raises NotReadable. Asks no database but its own."""
    with closing(ArchiveReader(path)) as archive, memory_database():
        check_names(archive.entries)
        manifest = archive.document("manifest.json", Manifest)
        if manifest.format != FORMAT:
            raise NotReadable(f"manifest.json: the format is not {FORMAT}.")
        release, unfit = restore(archive)
        problems = [*manifest_problems(archive, manifest), *unfit]
        for what, check in CHECKS.items():
            try:
                problems += check(release)
            except SENSELESS as error:
                problems.append(f"{what} cannot be checked: {type(error).__name__}: {error}.")
        problems += file_problems(archive, manifest, release)
        tables = {"Cases": release.sample, "reviews": release.reviews}
        tables |= {"draws": release.draws, "events": release.events}
        return Verified(
            manifest,
            problems=list(dict.fromkeys(problems)),
            counts={name: rows.count() for name, rows in tables.items()},
            ledger_at_closing=release.closings.standing().values_list("head", flat=True).first(),
            ledger_head=release.ledger_head,
        )


def check_names(names: Collection[str]) -> None:
    for name in names:
        if name not in NEEDED and not OPTIONAL.fullmatch(name):
            raise NotReadable(f"{name[:80]}: no file of a bundle.")
    if missing := sorted(NEEDED - set(names)):
        raise NotReadable(f"Not a whole bundle: {', '.join(missing)} missing.")


def manifest_problems(archive: ArchiveReader, manifest: Manifest) -> Iterator[str]:
    """Every file against the manifest; those that nothing else names too."""
    told = {file.name: (file.bytes, file.sha256) for file in manifest.files}
    if len(told) < len(manifest.files):
        yield "manifest.json: it names a file twice."
    for name in sorted(archive.entries.keys() - {"manifest.json"}):
        if name in ("README.txt", "verdict.json"):
            archive.content(name)
        if name not in told:
            yield f"{name}: the manifest does not name this file."
        elif name not in archive.digests:
            yield f"{name}: nothing in the bundle refers to this file."
        elif told[name] != archive.digests[name]:
            yield f"{name}: not the file that the manifest names (SHA-256)."
    for name in sorted(told.keys() - archive.entries.keys()):
        yield f"{name}: named by the manifest, but not there."


# --- Against the ledger ---------------------------------------------------------------------------

Facts = Mapping[Any, Any]


def unlike_ledger(file: str, stored: Facts, told: Facts, names: Iterable[Any]) -> Iterator[str]:
    for name in sorted(names):
        if stored.get(name) != told.get(name):
            yield f"{file}: {name} does not match the ledger."


def events_of(release: Release, *kinds: str) -> Iterable[Event]:
    return release.events.filter(kind__in=kinds).order_by("number")


def release_problems(release: Release) -> Iterator[str]:
    """Its status, what it was made with and changed to, and what was frozen at the start."""
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
    told: dict[str, Any] = {"status": "draft"}
    events = list(release.events.order_by("number"))
    for event in events:
        if event.kind in ("release-created", "release-changed"):
            given = event.data["to"] if event.kind == "release-changed" else event.data
            told |= {name: given[name] for name in changing.keys() & given.keys()}
        elif event.kind == "review-started":
            told |= {"status": "reviewing"} | {name: event.data[name] for name in frozen}
    if any(closed["reopened_at"] is None for closed in closings_in_ledger(events).values()):
        told["status"] = "closed"
    stored = {"status": release.status} | changing | frozen
    yield from unlike_ledger("release.json", stored, told, told)


def settled_problems(release: Release) -> Iterator[str]:
    """Waivers and adjudications. Agreed scores are in no event: the figures hold them."""
    waivers: dict[str, Any] = {}
    for event in events_of(release, "rule-waived", "waiver-taken-back"):
        if event.kind == "waiver-taken-back":
            waivers.pop(event.data["rule"], None)
        else:
            waived = (event.data["covers"], event.data["reason"], event.by, event.at)
            waivers[event.data["rule"]] = waived
    stored: Facts = {
        waiver.rule: (waiver.covers, waiver.reason, waiver.by, waiver.waived_at)
        for waiver in Waiver.objects.filter(release=release)
    }
    yield from unlike_ledger("waivers.jsonl", stored, waivers, stored.keys() | waivers.keys())
    settled: dict[str, Any] = {}
    for event in events_of(release, "case-adjudicated"):
        basis, metrics = event.data["reviews"], set(event.data["metrics"])
        told = (metrics, event.data["cause"], basis, event.by, event.at)
        settled[event.data["case"]] = told
    stored = {
        row.case.case_key: (set(row.agreed), row.cause, row.basis, row.by, row.adjudicated_at)
        for row in Adjudication.objects.filter(release=release).select_related("case")
    }
    # Until the release is closed, those of cases that may not be shown yet are left out.
    names = stored.keys() | settled.keys() if release.is_closed else stored.keys()
    yield from unlike_ledger("adjudications.jsonl", stored, settled, names)


def outcome_problems(release: Release) -> Iterator[str]:
    """Flags that were judged, and exclusions."""
    judged = set()
    for event in events_of(release, "flag-judged"):
        said = [event.data[name] for name in ("case", "flag", "outcome", "reason")]
        judged.add((*said, event.by, event.at))
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
        for event in events_of(release, "cases-excluded")
        for case_key in event.data["cases"]
    }
    for row in Exclusion.objects.filter(release=release).select_related("case").order_by("pk"):
        if (row.case.case_key, row.reason, row.by, row.excluded_at) not in excluded:
            yield f"exclusions.jsonl: {row.case.case_key} was not excluded as the ledger says."


def review_problems(release: Release) -> Iterator[str]:
    """Complete, and assigned, declined and submitted as the ledger says."""
    document = release.rubric.document
    assigned = assignments_in_ledger(release)
    submits = {
        (event.data["case"], event.data["reviewer"], event.data["version"]): event
        for event in events_of(release, "review-submitted", "review-revised")
    }
    declines = {
        (event.data["case"], event.data["reviewer"]): (event.data["cause"], event.data["reason"])
        for event in events_of(release, "review-declined")
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
        yield from version_problems(review, submits)
        if review.is_sealed:
            sealed.add(own)
    for case_key, reviewer, version in sorted(submits):
        if (case_key, reviewer) not in sealed:
            yield (
                f"reviews.jsonl: {case_key} by {reviewer}, version {version}: missing, but it is "
                "in the ledger."
            )


def version_problems(
    review: ReviewRecord, submits: dict[tuple[str, str, int], Event]
) -> Iterator[str]:
    """Takes the submits of this review out of those that are left."""
    versions: list[VersionRecord | ReviewRecord] = [*review.earlier, review]
    before: VersionRecord | None = None
    for told in versions:
        if told.version is None:
            continue
        name = f"reviews.jsonl: {review.case_key} by {review.reviewer}, version {told.version}"
        submit = submits.pop((review.case_key, review.reviewer, told.version), None)
        if submit is None:
            yield f"{name}: the ledger has no such review."
        elif told.said is not None and desk_judgement.digest(told.said) != submit.data["content"]:
            yield f"{name}: says something else than what was submitted (event {submit.number})."
        elif told.submitted_at != submit.at:
            yield f"{name}: was not submitted when the ledger says (event {submit.number})."
        elif before and (before.reason, before.replaced_at) != (submit.data["reason"], submit.at):
            yield f"{name}: was not revised when and why the ledger says (event {submit.number})."
        before = told if isinstance(told, VersionRecord) else None


def assignments_in_ledger(release: Release) -> dict[tuple[str, str], datetime]:
    """Case and reviewer -> when the review was assigned, the last time."""
    found: dict[tuple[str, str], datetime] = {}
    for event in events_of(release, "review-assigned", "reviews-planned"):
        if event.kind == "review-assigned":
            found[event.data["case"], event.data["reviewer"]] = event.at
        else:
            found |= dict.fromkeys(map(tuple, event.data["assignments"]), event.at)
    return found


def chain_problems(release: Release) -> Iterator[str]:
    try:
        ledger.verify(release)
    except LedgerBroken as broken:
        yield f"events.jsonl: {broken}"


def report_problems(release: Release) -> Iterator[str]:
    """Of reports before the last one a bundle has only the digest."""
    return in_files(report_mismatches(release, with_text=release.closings.standing()))


def sample_problems(release: Release) -> Iterator[str]:
    return in_files(sample_mismatches(release))


def in_files(mismatches: Iterable[Mismatch]) -> Iterator[str]:
    return (f"{mismatch.part}.jsonl: {mismatch.sentence}" for mismatch in mismatches)


# The first three are what the site verifies too.
CHECKS: dict[str, Callable[[Release], Iterator[str]]] = {
    "The ledger": chain_problems,
    "Closings and decisions": report_problems,
    "The draws": sample_problems,
    "The release": release_problems,
    "The reviews": review_problems,
    "Flags and exclusions": outcome_problems,
    "Waivers and adjudications": settled_problems,
}


# --- Written anew ---------------------------------------------------------------------------------


def file_problems(archive: ArchiveReader, manifest: Manifest, release: Release) -> Iterator[str]:
    """Every file as the restored rows give it, with the report computed from them.

    So whatever a bundle says twice says the same, and every figure is what the rows give.
    """
    told = (manifest.release, manifest.report)
    if told != (release.name, report_state(release)):
        yield "manifest.json: it names another release, or is wrong on whether its report is final."
    if manifest.summary != archive.digests["summary.json"][1]:
        yield "summary.json: not the summary whose digest the manifest has."
    standing = release.closings.standing().first()
    skipped = {"README.txt"}
    unreadable = unreadable_summary(archive)
    if not unreadable:
        try:
            report = computed_report(release, standing)
        except SENSELESS as error:
            unreadable = f"The figures cannot be computed: {type(error).__name__}: {error}."
    if unreadable:
        yield unreadable
        skipped |= FIGURES
        report = Report(standing, "", "", None, baseline_state(release, standing)[0], None)
    for name, parts in files_of(release, report):
        if name not in skipped and name not in archive.entries:
            yield f"{name}: not in the archive."
        elif name not in skipped:
            try:
                yield from differences_in(archive, name, parts)
            except SENSELESS as error:
                yield f"{name}: cannot be compared: {type(error).__name__}: {error}."


def unreadable_summary(archive: ArchiveReader) -> str:
    """Why figures cannot be compared: summaries of another code, or none at all."""
    for name in sorted({"summary.json", "baseline-summary.json"} & archive.entries.keys()):
        try:
            schema = read(archive.text(name)).schema
            if name == "summary.json" and schema != SCHEMA:
                raise OtherSchema(schema)
        except OtherSchema as error:
            return f"{name}: written as {error}, which this code cannot compute."
        except msgspec.MsgspecError as error:
            return f"{name}: {error}."
    return ""


def differences_in(archive: ArchiveReader, name: str, parts: Iterable[bytes]) -> Iterator[str]:
    has_lines = name.endswith(".jsonl")
    there = archive.lines(name) if has_lines else [archive.content(name)]
    for number, (line, own_line) in enumerate(zip_longest(there, parts), 1):
        if line is not None and own_line is not None and line.strip() == own_line.strip():
            continue
        place = f"{name}:{number}" if has_lines else name
        told, own = (msgspec.json.decode(text) if text else {} for text in (line, own_line))
        if has_lines and label_of(told) != label_of(own):
            # The lines behind it would all differ, and tell nothing new.
            yield f"{place}: {label_of(told)} there, {label_of(own)} from the rows."
            return
        for path, here, anew in differences(told, own, ""):
            yield (
                f"{place}: {path or 'all of it'}: {shortened(here)} there, {shortened(anew)} from "
                "the rows."
            )


def label_of(row: Any) -> str:
    """What tells a line from the others of its file."""
    if isinstance(row, list):
        return str(row[0])
    names = ("case_key", "reviewer", "rule", "number")
    return " by ".join(str(row[name]) for name in names if name in row) or MISSING


# One step of the last decimal that is kept: another machine may round the other way.
TOLERANCE = 1e-10 * 1.5
# What names a row of a list better than its place.
NAMES = (
    *("item", "metric", "case_key", "subject", "reviewer", "rule", "kind", "name", "number"),
    "language",
)
MISSING = "(nothing)"


def differences(told: Any, found: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(told, dict) and isinstance(found, dict):
        for name in [*told, *(name for name in found if name not in told)]:
            inner = f"{path}.{name}" if path else str(name)
            yield from differences(told.get(name, MISSING), found.get(name, MISSING), inner)
    elif isinstance(told, list) and isinstance(found, list):
        if len(told) != len(found):
            yield f"{path}: how many", len(told), len(found)
        for place, (inner_told, inner_found) in enumerate(zip(told, found, strict=False)):
            inner = f"{path}[{name_of(inner_found, place)}]"
            yield from differences(inner_told, inner_found, inner)
    elif not is_same(told, found):
        yield path, told, found


def is_same(told: Any, found: Any) -> bool:
    if isinstance(told, bool) or isinstance(found, bool):
        return told is found
    if isinstance(told, int | float) and isinstance(found, int | float):
        return abs(told - found) <= TOLERANCE
    return bool(told == found)


def name_of(value: Any, place: int) -> str:
    if isinstance(value, dict):
        for name in NAMES:
            if value.get(name) and isinstance(value[name], str | int):
                return str(value[name])
    return str(place)


def shortened(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else text[:59] + "…"
