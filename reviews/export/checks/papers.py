"""The rubric, the ledger, and what is stored of settled matters against what the ledger tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cases.ledger import fits
from cases.models import Event
from cases.rubric import RubricError, digest, translated
from reviews.export.recomputing import document_of, events_of
from reviews.export.unpacking import Bundle
from reviews.releases.verify import ENDS, closings_told, decisions_told


def rubric(bundle: Bundle) -> Iterator[str]:
    """Digests are over the canonical text: every word counts, white space does not."""
    original = document_of(bundle)
    for text in bundle.rubric.texts:
        place = f"rubric/{text.language}.md"
        try:
            document = (
                original
                if text.is_original
                else translated(original, bundle.texts[text.language]).document
            )
        except RubricError as error:
            yield f"{place}: {error}"
            continue
        if digest(document) != text.digest:
            yield f"{place}: not the text whose digest rubric.json has."
    if [one.is_original for one in bundle.rubric.texts].count(True) != 1:
        yield "rubric.json: just one text has to be the original."
    told = (bundle.release.rubric, bundle.release.rubric_digest)
    if (bundle.rubric.number, digest(original)) != told:
        yield "rubric.json: not the rubric that release.json names."


def ledger(bundle: Bundle) -> Iterator[str]:
    """Every event as it was written, and each chained to the one before."""
    head = ""
    for place, event in enumerate(events_of(bundle), 1):
        if event.number != place:
            yield f"events.jsonl: event {event.number} stands at place {place}."
        if event.previous != head:
            yield f"events.jsonl: event {event.number} does not follow the event before it."
        if not fits(event, bundle.release.name):
            yield f"events.jsonl: event {event.number} is not as it was written."
        head = event.digest
    if (len(bundle.events), head) != (bundle.release.ledger_length, bundle.release.ledger_head):
        yield (
            f"events.jsonl: the ledger ends after event {len(bundle.events)}, release.json says "
            f"{bundle.release.ledger_length}, or it has another head."
        )


def release(bundle: Bundle) -> Iterator[str]:
    """Status, and what was frozen at the start."""
    events = events_of(bundle)
    status = status_told(events)
    if bundle.release.status != status:
        yield f"release.json: the ledger tells that the release is {status}."
    if bundle.manifest.release != bundle.release.name:
        yield "manifest.json: it names another release."
    if bundle.manifest.report != ("final" if status == "closed" else "provisional"):
        yield "manifest.json: it is wrong on whether the report is final."
    own = bundle.release
    settings = {
        "product": own.product,
        "baseline": own.baseline,
        "due_date": own.due_date.isoformat() if own.due_date else None,
    }
    told = settings_told(events)
    for name, setting in settings.items():
        if name in told and told[name] != setting:
            yield f"release.json: {name} is not what the ledger tells."
    for event in events:
        if event.kind == "review-started":
            for name, value in (
                ("rubric", own.rubric),
                ("rubric_digest", own.rubric_digest),
                ("reviews_per_case", own.reviews_per_case),
                ("policy", own.policy),
            ):
                if event.data[name] != value:
                    yield f"release.json: {name} is not what the review started with."


def settings_told(events: Iterable[Event]) -> dict[str, Any]:
    """What the release was made with, and every change of it."""
    found: dict[str, Any] = {}
    for event in events:
        if event.kind == "release-created":
            found |= event.data
        elif event.kind == "release-changed":
            found |= event.data["to"]
    return found


def status_told(events: Iterable[Event]) -> str:
    status = before = "draft"
    for event in events:
        if event.kind == "review-started":
            status = "reviewing"
        elif event.kind in ENDS:
            before, status = status, "closed"
        elif event.kind == "release-reopened":
            status = before
    return status


def statuses_before(events: Iterable[Event]) -> dict[int, str]:
    """Closing -> the status that it ended."""
    seen: list[Event] = []
    found = {}
    for event in events:
        if event.kind in ENDS:
            found[event.data["closing"]] = status_told(seen)
        seen.append(event)
    return found


# --- Closings and decisions -----------------------------------------------------------------------


def ends(bundle: Bundle) -> Iterator[str]:
    events = events_of(bundle)
    told = closings_told(events)
    stored: dict[int, dict[str, Any]] = {
        one.number: {
            "event": one.event,
            "head": one.head,
            "summary": one.digest,
            "text": one.digest,
            "is_abandoned": one.is_abandoned,
            "reason": one.reason,
            "by": one.by,
            "at": one.closed_at,
            "reopened_at": one.reopened_at,
        }
        for one in bundle.closings
    }
    for number in sorted(told.keys() | stored.keys()):
        if told.get(number) != stored.get(number):
            yield f"closings.jsonl: closing {number} is not the one that the ledger tells of."
    before = statuses_before(events)
    for one in bundle.closings:
        if one.closed_from != before.get(one.number):
            yield f"closings.jsonl: closing {one.number} was not closed from {one.closed_from}."
    standing = [one.digest for one in bundle.closings if one.reopened_at is None]
    if standing and standing != [bundle.manifest.summary]:
        yield "summary.json: not the report that the release was closed with."
    decisions = [
        (one.decision, one.summary, one.reason, one.by, one.decided_at, one.voided_at)
        for one in bundle.decisions
    ]
    if decisions != decisions_told(events):
        yield "decisions.jsonl: not the decisions that the ledger tells of."


# --- What was settled -----------------------------------------------------------------------------


def settled(bundle: Bundle) -> Iterator[str]:
    events = events_of(bundle)
    yield from waivers(bundle, events)
    yield from adjudications(bundle, events)
    yield from flags(bundle, events)
    yield from exclusions(bundle, events)


def waivers(bundle: Bundle, events: Iterable[Event]) -> Iterator[str]:
    told: dict[str, Any] = {}
    for event in events:
        if event.kind == "rule-waived":
            told[event.data["rule"]] = (
                event.data["covers"],
                event.data["reason"],
                event.by,
                event.at,
            )
        elif event.kind == "waiver-taken-back":
            told.pop(event.data["rule"], None)
    stored = {one.rule: (one.covers, one.reason, one.by, one.waived_at) for one in bundle.waivers}
    for rule in sorted(told.keys() | stored.keys()):
        if told.get(rule) != stored.get(rule):
            yield f"waivers.jsonl: {rule} is not waived as the ledger tells."


def adjudications(bundle: Bundle, events: Iterable[Event]) -> Iterator[str]:
    """Agreed scores stand in no event: the figures hold them."""
    told = {
        event.data["case"]: (
            set(event.data["metrics"]),
            event.data["cause"],
            event.data["reviews"],
            event.by,
            event.at,
        )
        for event in events
        if event.kind == "case-adjudicated"
    }
    for one in bundle.adjudications:
        basis = [list(each) for each in one.basis]
        if told.get(one.case_key) != (
            set(one.agreed),
            one.cause,
            basis,
            one.by,
            one.adjudicated_at,
        ):
            yield f"adjudications.jsonl: {one.case_key} was not settled as the ledger tells."
    if bundle.release.status == "closed":
        for case_key in sorted(told.keys() - {one.case_key for one in bundle.adjudications}):
            yield f"adjudications.jsonl: {case_key} is missing, which the ledger tells of."


def flags(bundle: Bundle, events: Iterable[Event]) -> Iterator[str]:
    told = {
        (
            event.data["case"],
            event.data["flag"],
            event.data["outcome"],
            event.data["reason"],
            event.by,
            event.at,
        )
        for event in events
        if event.kind == "flag-judged"
    }
    for review in bundle.reviews:
        for flag in review.flags:
            judged = (flag.outcome, flag.reason, flag.by, flag.judged_at)
            is_told = (review.case_key, flag.kind, *judged) in told
            if not is_told and judged != ("open", "", "", None):
                yield (
                    f"reviews.jsonl: {review.case_key} by {review.reviewer}: its flag "
                    f"“{flag.kind}” was not judged as the ledger tells."
                )


def exclusions(bundle: Bundle, events: Iterable[Event]) -> Iterator[str]:
    told = {
        (case_key, event.data["reason"], event.by, event.at)
        for event in events
        if event.kind == "cases-excluded"
        for case_key in event.data["cases"]
    }
    for one in bundle.exclusions:
        if (one.case_key, one.reason, one.by, one.excluded_at) not in told:
            yield f"exclusions.jsonl: {one.case_key} was not excluded as the ledger tells."
