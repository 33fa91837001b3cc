"""Comparing what is stored with the ledger: reports, decisions and every draw, repeated."""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.ledger import LedgerBroken
from cases.models import Event, Release
from reviews.models import Draw, SampledCase
from reviews.sample.draw import Unfillable, draw_order
from reviews.sample.order import Order
from reviews.sample.pool import build_record, digest_pool
from reviews.sample.replay import Retraced, retrace

# --- Ledger ---------------------------------------------------------------------------------------

ENDS = ("release-closed", "release-abandoned")
OF_REPORTS = (*ENDS, "release-reopened", "release-signed")


@transaction.atomic
def verify_ledger(release: Release) -> int:
    """How many events there are, all in order, and every report as its event tells it.

    Raises LedgerBroken. Whoever wrote the whole chain of events anew could not give a printed
    report the head that it has.
    """
    count = ledger.verify(release)
    events = list(release.events.filter(kind__in=OF_REPORTS).order_by("number"))
    closings = {
        one.number: {
            "event": one.event,
            "head": one.head,
            "summary": one.digest,
            "text": hashlib.sha256(one.summary.encode()).hexdigest(),
            "is_abandoned": one.is_abandoned,
            "reason": one.reason,
            "by": one.by,
            "at": one.closed_at,
            "reopened_at": one.reopened_at,
        }
        for one in release.closings.all()
    }
    if closings != (told := closings_told(events)):
        number = first_difference(closings, told)
        sentence = gettext("%(release)s: report %(number)d is not the one that was closed with.")
        raise LedgerBroken(sentence % {"release": release.name, "number": number})
    decisions = [
        (one.decision, one.closing.digest, one.reason, one.by, one.decided_at, one.voided_at)
        for one in release.decisions.select_related("closing").order_by("pk")
    ]
    if decisions != decisions_told(events):
        raise LedgerBroken(
            gettext("%(release)s: its decisions are not those that were signed.")
            % {"release": release.name}
        )
    return count


def closings_told(events: list[Event]) -> dict[int, dict[str, Any]]:
    told: dict[int, dict[str, Any]] = {}
    for event in events:
        if event.kind in ENDS:
            told[event.data["closing"]] = {
                "event": event.number,
                "head": event.digest,
                "summary": event.data["summary"],
                "text": event.data["summary"],
                "is_abandoned": event.kind == "release-abandoned",
                "reason": event.data["reason"],
                "by": event.by,
                "at": event.at,
                "reopened_at": None,
            }
        elif event.kind == "release-reopened":
            told[event.data["closing"]]["reopened_at"] = event.at
    return told


def decisions_told(events: list[Event]) -> list[tuple[Any, ...]]:
    told: list[tuple[Any, ...]] = []
    for event in events:
        if event.kind == "release-signed":
            data = event.data
            said = (data["decision"], data["summary"], data["reason"], event.by, event.at)
            told.append((*said, None))
        elif event.kind == "release-reopened" and event.data["decision_voided"]:
            told[-1] = (*told[-1][:-1], event.at)
    return told


def first_difference(one: dict[int, Any], other: dict[int, Any]) -> int:
    return min(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))


# --- Sample ---------------------------------------------------------------------------------------


def verify_sample(release: Release) -> tuple[list[str], int]:
    """What does not fit, in words, and how many draws there were."""
    draws = list(Draw.objects.of(release).order_by("number"))
    named = {"release": release.name}
    if not draws:
        return [gettext("%(release)s: nothing is drawn yet.") % named], 0
    problems = [problem for draw in draws for problem in find_problems(draw, release)]
    problems += sample_problems(release, draws[-1])
    return problems, len(draws)


def find_problems(draw: Draw, release: Release) -> Iterator[str]:
    named = {"release": release.name, "draw": draw.number}
    order = readable(draw)
    if order is None:
        yield gettext("%(release)s, draw %(draw)d: its record cannot be read.") % named
        return
    pool = order.pool()
    if digest_pool(build_record(pool)) != draw.pool_digest:
        yield gettext("%(release)s, draw %(draw)d: the pool is not the one it names.") % named
    try:
        again = draw_order(pool, draw.wanted, draw.ranks(release.name))
    except Unfillable:
        yield gettext("%(release)s, draw %(draw)d: the pool cannot fill its kinds.") % named
        return
    if list(again) != list(order):
        yield gettext("%(release)s, draw %(draw)d: the order is not what the rule gives.") % named


def readable(draw: Draw) -> Order | None:
    try:
        order = draw.order
        list(order)
        order.pool()
    except (msgspec.MsgspecError, IndexError, ValueError):
        return None
    return order


def sample_problems(release: Release, draw: Draw) -> Iterator[str]:
    """The sample against what the ledger says of the draw and of every act since."""
    named = {"release": release.name, "draw": draw.number}
    retraced = retrace(release)
    if retraced is None or (retraced.size, retraced.pool_digest) != (draw.size, draw.pool_digest):
        yield gettext("%(release)s, draw %(draw)d: the ledger tells another draw.") % named
        return
    order = readable(draw)
    if order is None:
        return
    if {one.case_key: one.kind for one in order.first(draw.size)} != retraced.drawn:
        yield gettext("%(release)s, draw %(draw)d: the ledger tells another draw.") % named
    rows = {
        row.case.case_key: row for row in SampledCase.objects.of(release).standing().with_cases()
    }
    for case_key in sorted(rows.keys() - retraced.sample.keys()):
        yield gettext("%(release)s: %(case)s was not drawn.") % {**named, "case": case_key}
    for case_key in sorted(retraced.sample.keys() - rows.keys()):
        yield gettext("%(release)s: %(case)s is missing from the sample.") % {
            **named,
            "case": case_key,
        }
    for case_key in sorted(rows.keys() & retraced.sample.keys()):
        if not came_so(rows[case_key], retraced, order):
            yield gettext("%(release)s: %(case)s did not come in as it says.") % {
                **named,
                "case": case_key,
            }


def came_so(row: SampledCase, retraced: Retraced, order: Order) -> bool:
    """Whether origin and place, and before any act by hand the kind, are those of the draw."""
    key = row.case.case_key
    entry = order.find(key)
    return (
        row.origin == retraced.sample[key]
        and row.place == (entry.place if entry else None)
        and (bool(retraced.acts) or row.kind == retraced.drawn[key])
    )
