"""What reviews say: complete, and as the ledger tells that it was submitted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from cases.rubric import Document
from reviews.desk import judgement as desk_judgement
from reviews.desk.judgement import Judgement
from reviews.export.recomputing import document_of, records_of, sample_of
from reviews.export.records import ReviewRecord
from reviews.export.unpacking import Bundle
from reviews.report.summary.assembling import complete_in, waived_reviews

SUBMITS = ("review-submitted", "review-revised")


class Version(NamedTuple):
    case_key: str
    reviewer: str
    version: int

    def __str__(self) -> str:
        return f"{self.case_key} by {self.reviewer}, version {self.version}"


class Submit(NamedTuple):
    """An event that tells of a submit; `reason` that of the revision which made it."""

    number: int
    content: str
    at: datetime


def reviews(bundle: Bundle) -> Iterator[str]:
    document = document_of(bundle)
    told, assigned = submits_told(bundle), assignments_told(bundle)
    sampled = {one.case_key for one in bundle.cases}
    counted = counted_in(bundle)
    seen = set[tuple[str, str]]()
    for one in bundle.reviews:
        name = f"{one.case_key} by {one.reviewer}"
        if (one.case_key, one.reviewer) in seen:
            yield f"reviews.jsonl: {name}: stands there twice."
        seen.add((one.case_key, one.reviewer))
        if one.case_key not in sampled:
            yield f"reviews.jsonl: {name}: of a case that was never in the sample."
        yield from openness_problems(bundle, one, is_counted=one.case_key in counted)
        if one.said is not None:
            yield from judgement_problems(one, one.said, document)
        yield from version_problems(one, told)
        if one.assigned_at != assigned.get((one.case_key, one.reviewer)):
            yield f"reviews.jsonl: {name}: was not assigned when the ledger tells."
    yield from missing_problems(bundle, told)


def assignments_told(bundle: Bundle) -> dict[tuple[str, str], datetime]:
    """Case and reviewer -> when the review was assigned, the last time."""
    found: dict[tuple[str, str], datetime] = {}
    for event in bundle.events:
        if event.kind == "review-assigned":
            found[event.data["case"], event.data["reviewer"]] = event.at
        elif event.kind == "reviews-planned":
            found |= dict.fromkeys(map(tuple, event.data["assignments"]), event.at)
    return found


def submits_told(bundle: Bundle) -> dict[Version, Submit]:
    return {
        Version(event.data["case"], event.data["reviewer"], event.data["version"]): Submit(
            event.number, event.data["content"], event.at
        )
        for event in bundle.events
        if event.kind in SUBMITS
    }


def counted_in(bundle: Bundle) -> set[str]:
    records = records_of(bundle)
    sample = list(sample_of(bundle))
    return set(complete_in(sample, waived_reviews(records), bundle.release.reviews_per_case))


def openness_problems(bundle: Bundle, one: ReviewRecord, *, is_counted: bool) -> Iterator[str]:
    """What is submitted is told, unless the release is open and its case not complete."""
    name = f"{one.case_key} by {one.reviewer}"
    is_submitted = one.status == "submitted"
    is_open = is_submitted and (is_counted or bundle.release.status == "closed")
    if (one.said is not None, one.is_sealed) != (is_open, is_submitted and not is_open):
        yield f"reviews.jsonl: {name}: what it says has to be there just when it is open."
    if one.is_counted != (is_submitted and is_counted):
        yield f"reviews.jsonl: {name}: wrong on whether it is counted."
    if (one.version is not None) != is_submitted or (is_submitted and one.submitted_at is None):
        yield f"reviews.jsonl: {name}: a submitted review has a version and a moment."


def judgement_problems(one: ReviewRecord, said: Judgement, document: Document) -> Iterator[str]:
    name = f"{one.case_key} by {one.reviewer}"
    problems = [
        *desk_judgement.unknown_parts(said, document),
        *desk_judgement.missing_parts(said, document),
    ]
    for problem in problems:
        yield f"reviews.jsonl: {name}: {problem.path}: {problem.message % problem.params}"
    if set(said.flags) != {flag.kind for flag in one.flags}:
        yield f"reviews.jsonl: {name}: its flags are not those it was submitted with."


def version_problems(one: ReviewRecord, told: dict[Version, Submit]) -> Iterator[str]:
    """Every version against the event of its submit."""
    for before in one.earlier:
        yield from content_problems(
            Version(one.case_key, one.reviewer, before.version),
            before.said,
            before.submitted_at,
            told,
        )
    if one.version is not None:
        own = Version(one.case_key, one.reviewer, one.version)
        yield from content_problems(own, one.said, one.submitted_at, told)


def content_problems(
    version: Version,
    said: Judgement | None,
    submitted_at: datetime | None,
    told: dict[Version, Submit],
) -> Iterator[str]:
    submit = told.get(version)
    if submit is None:
        yield f"reviews.jsonl: {version}: the ledger tells of no such review."
        return
    if said is not None and desk_judgement.digest(said) != submit.content:
        yield (
            f"reviews.jsonl: {version}: says something else than what was submitted "
            f"(event {submit.number})."
        )
    if submitted_at != submit.at:
        yield (
            f"reviews.jsonl: {version}: was not submitted when the ledger tells "
            f"(event {submit.number})."
        )


def missing_problems(bundle: Bundle, told: dict[Version, Submit]) -> Iterator[str]:
    """Whatever the ledger tells of is there; of a sealed review only that it was submitted."""
    sealed = {(one.case_key, one.reviewer) for one in bundle.reviews if one.is_sealed}
    has = {
        Version(one.case_key, one.reviewer, version)
        for one in bundle.reviews
        for version in (*(before.version for before in one.earlier), one.version)
        if version is not None
    }
    for version in sorted(told.keys() - has):
        if (version.case_key, version.reviewer) not in sealed:
            yield f"reviews.jsonl: {version}: missing, but the ledger tells of it."
